/* Timing statistics of the packages of one connection, and the delay with which a sequence must be played so that no
 * frame arrives too late. Pure arithmetic; used by the connection's thread.
 *
 * The model is a queue. A package that finds the link empty has a transit time; one that is sent while another is still
 * in transit arrives one service time after it. Transit and service are different: over a satellite the transit is long
 * and nothing waits; at a server that sleeps before it reads, all of it is service. Only packages that are sent
 * together, a train, distinguish them. */
#pragma once

#include <stdbool.h>

#include "base/time.h"

enum { ROBO__PASSAGES = 1024 }; /* the newest passages are kept */

struct robo__passage {
    float way;  /* s from sending to arrival */
    float gap;  /* s since the arrival of the package before */
    bool train; /* sent at once with the package before */
};

struct robo__traffic {
    struct robo__passage *passage; /* a ring of ROBO__PASSAGES; NULL: nothing is kept */
    uint32_t count, next;
    bool any;
    bool trained;            /* a train was seen: of packages without frames only trains are used */
    robo_time sent, arrived; /* of the newest package */
};

/* The rest of a sequence, in packages. Seconds. */
struct robo__outlook {
    double lateness; /* of the newest package's frames: arrival less start */
    double way;      /* its transit time */
    /* how long the next one has been in transit if it was sent in time; may be negative */
    double overdue;
    double send_gap;  /* between the sending of two packages */
    double start_gap; /* between the starts of their first frames */
    double rest;      /* packages to come */
    uint32_t known;   /* how many of the newest packages are used */
    bool accident;    /* ignore the longest known service time */
};

/* Starts to keep passages. False: out of memory. */
bool robo__traffic_keep(struct robo__traffic *traffic);
void robo__traffic_free(struct robo__traffic *traffic);

/* A package has arrived; both instants are of one clock. */
void robo__traffic_note(struct robo__traffic *traffic, robo_time sent, robo_time arrived);

/* A package with an unknown sending time has arrived; the next one may have waited behind it. */
void robo__traffic_pass(struct robo__traffic *traffic, robo_time arrived);

/* Averages over that many of the newest packages, s: the service time, and how much longer the transit is. 0: unknown.
 */
struct robo__pace {
    double service, base;
};
struct robo__pace robo__traffic_pace(const struct robo__traffic *traffic, uint32_t known);

/* Whether one of that many newest packages took longer than all earlier ones predict: usually larger packages on a slow
 * line, after small ones. */
bool robo__traffic_differs(const struct robo__traffic *traffic, uint32_t newest);

/* The least shift, s, with which all further packages are in time with that probability. It is estimated from the kept
 * passages by a block bootstrap (Künsch 1989) through the queue, with blocks drawn twice, so that a short history of a
 * new connection counts as weak evidence. 0 when nothing is known. The same arguments give the same result. */
double robo__traffic_need(const struct robo__traffic *traffic, const struct robo__outlook *outlook,
                          double certainty, uint64_t seed);
