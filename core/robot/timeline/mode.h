/* Command modes (RoboTalk section V). A mode is a policy, usually a script. Its decision is data, which the session
 * applies to all later packages without another call. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "delay_estimate.h"
#include "robotalk/mode.h"

/* The options of a client that opens a session. Texts are borrowed for the call. */
struct robo__session_request {
    const char *name, *options;
    robo_time delay, duration, deadman, gap, expiry;
    robo_time jitter; /* longest time to the server that the client has measured; 0: unknown */
    bool newest;      /* of commands that wait for the same axes only the newest is kept */
    struct robo__traffic *traffic; /* of its connection, which outlives the session; NULL: none */
    bool errors_only;              /* as in struct robo_request_open */
    const struct robo__identity *who;    /* opens it; NULL: the program that serves the robot */
    const struct robo__identity *sender; /* whose commands it has, for latches; NULL: of the same */
    struct robo__share
        *share; /* of where that comes from, which outlives the session; NULL: it has none */
};

enum { ROBO__SEND_GAPS = 15 };

/* The arrivals of a session so far, on the robot's clock. A frame is the commands with one start. In a holding mode
 * starts may be of any clock: they count from the first start of the session, which stands for its arrival unless it is
 * of the robot's clock. */
struct robo__arrivals {
    uint64_t frames, packages;
    robo_time first_start, last_start, first_arrival, last_arrival;
    robo_time newest_start; /* the earliest of the newest package */
    robo_time last_sent;    /* when the newest package was sent; its start if that is not known */
    robo_time longest_gap;  /* between the starts of two frames */
    robo_time least, worst; /* arrival - start: least and greatest so far */
    /* seconds between arrivals of successive packages, and the sum of squares (Welford) */
    double gap_mean, gap_m2;
    float send_gap[ROBO__SEND_GAPS]; /* s between the sending of packages, the newest; a ring */
    bool finished;                   /* the client said that no frame follows */
    /* while it holds */
    robo_time next_start;          /* of the first frame that was not played */
    uint32_t pauses;               /* how often it has paused */
    struct robo__traffic *traffic; /* of the connection; NULL: none */
};

/* Number of packages with timing data, and their averages (delay_estimate.h). */
uint32_t robo__arrivals_known(const struct robo__arrivals *arrivals);
struct robo__pace robo__arrivals_pace(const struct robo__arrivals *arrivals);

/* The shift with which `rest` frames to come, `gap` seconds apart, are all in time with that probability, as far as the
 * connection's traffic tells; s. */
double robo__arrivals_need(const struct robo__arrivals *arrivals, double certainty, double rest,
                           double gap, robo_time now);

/* The provider of modes; the Lua binding implements it. open sets *mode, and the first decision, or returns an error with a text in why,
 * which is "" before: the session is refused. arrived is called after each package while holding, and at the instant `again`; it may not block. After an error
 * nobody knows when what is held was to run. */
struct robo__modes {
    int (*open)(struct robo__modes *modes, const struct robo__session_request *request,
                struct robo_mode_decision *decision, void **mode, char why[128]);
    int (*arrived)(struct robo__modes *modes, void *mode, const struct robo__arrivals *arrivals,
                   robo_time now, struct robo_mode_decision *decision, char why[128]);
    void (*close)(struct robo__modes *modes, void *mode);
};
