/* What the packages of one connection tell of its link, and how much later a sequence must be played for none of its
 * frames to come too late. Pure arithmetic; used by the connection's thread.
 *
 * A link is taken for a queue. A package that finds it empty is on its way for a time of its own; one that is sent while
 * the one before is still under way arrives that one's service time after it. How long a package is under way and how
 * long it keeps others waiting are two things: over a satellite both ways are long and nothing waits, at a server that
 * sleeps before it reads, all the time is service. Only packages that were sent at once, a train, tell them apart. */
#ifndef ROBO_TRAFFIC_H
#define ROBO_TRAFFIC_H

#include <stdbool.h>

#include "base/time.h"

enum { ROBO__PASSAGES = 1024 }; /* the newest that are kept */

struct robo__passage {
    float way;  /* s from sending to arrival */
    float gap;  /* s since the arrival of the package before */
    bool train; /* sent at once with the package before */
};

struct robo__traffic {
    struct robo__passage *passage; /* a ring of ROBO__PASSAGES; NULL: nothing is kept */
    uint32_t count, next;
    bool any;
    bool trained; /* there was a train: of other packages than frames, only such are of use */
    robo_time sent, arrived; /* of the newest package */
};

/* What is to come of a sequence, in packages. Seconds. */
struct robo__outlook {
    double lateness; /* of the newest package's frames: arrival less start */
    double way;      /* how long it was under way */
    /* how long the next one has been under way already, were it sent when it should be; may be negative */
    double overdue;
    double send_gap;  /* between the sending of two packages */
    double start_gap; /* between the starts of their first frames */
    double rest;      /* packages to come */
    uint32_t known;   /* of how many of the newest packages is made use */
    bool accident;    /* the longest service that is known is left out */
};

/* From now on passages are kept. False: out of memory. */
bool robo__traffic_keep(struct robo__traffic *traffic);
void robo__traffic_free(struct robo__traffic *traffic);

/* A package has arrived; both instants are of one clock. */
void robo__traffic_note(struct robo__traffic *traffic, robo_time sent, robo_time arrived);

/* A package has arrived of whose sending little is known; the next may have waited behind it. */
void robo__traffic_pass(struct robo__traffic *traffic, robo_time arrived);

/* Of so many of the newest packages, on average, s: how long one keeps those behind it waiting, and how much longer than
 * that it is under way. 0 when nothing is known. */
struct robo__pace {
    double service, base;
};
struct robo__pace robo__traffic_pace(const struct robo__traffic *traffic, uint32_t known);

/* Whether one of so many of the newest packages took longer than all before let expect: larger packages on a narrow line,
 * as a rule, of which small ones have told little. */
bool robo__traffic_differs(const struct robo__traffic *traffic, uint32_t newest);

/* The least shift, s, with which all packages to come are in time with that probability, as far as what is kept can tell:
 * a block bootstrap (Künsch 1989) through the queue, with blocks drawn twice, so that what little is known of a young
 * connection counts as little. 0 when nothing is known. The same arguments give the same result. */
double robo__traffic_need(const struct robo__traffic *traffic, const struct robo__outlook *outlook,
                          double certainty, uint64_t seed);

#endif
