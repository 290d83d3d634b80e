/* Functions for tests of robotalk: injected failures on a program's own links, bad links to other processes, and a
 * simulator of failures of all kinds. A program that drives robots includes robotalk.h alone. Links that are bad from
 * the start are struct robo_channel there; robo_advance moves a virtual clock. */
#ifndef ROBOTALK_TEST_H
#define ROBOTALK_TEST_H

#include "robotalk.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* cdef { */

/* ---- links ----
 *
 * Of clients within this process ("local:"). Functions return 0, or ROBO_EINVAL for a link to another process and ROBO_ELINK for
 * one that is down. */

/* 1: the link is half open from now on: all bytes vanish, on both ways, and neither side is notified. 0: bytes that
 * are sent from now on arrive. */
int robo_test_cut(robo_client *client, int cut);

/* From now on the server waits so long, by chance, before it reads a package. */
int robo_test_stall(robo_client *client, robo_time least, robo_time most);

/* Any link, also one to another process: it is lost at once, as if its cable were cut. Reconnecting begins, if that was asked
 * for. */
int robo_test_lose(robo_client *client);

/* ---- bad links to other processes ----
 *
 * A relay passes the bytes of TCP connections on, each way as a bad link would: it listens at a port of 127.0.0.1 and connects to
 * another. Bytes go in segments of at most 1448. Each is under way for `delay`, and by chance up to `jitter` longer; none overtakes
 * another. A lost one comes when TCP would have sent it again: when three more were sent the same way, one round trip later, else after
 * `again`, which doubles each time that it is lost again. What was sent after it waits for it. So loss is seen as delay, as programs
 * over TCP see it; that TCP also sends less for a while, and losses of acknowledgements, are left out. */

/* Times in ns, each way. */
struct robo_test_lag {
    size_t size;             /* sizeof(struct robo_test_lag) */
    robo_time delay, jitter; /* 0 to 10 s */
    double loss;             /* share of the segments, 0 to 0.9 */
    robo_time again;         /* 0: 0.2 s, the least that Linux waits */
    double rate;             /* bytes a second; 0: any */
    size_t window;           /* bytes that may be under way; 0: 256 KiB */
    uint64_t seed;
};

typedef struct robo_test_relay robo_test_relay;

/* Bytes so far, each way. */
struct robo_test_relayed {
    uint64_t connections, bytes, segments, lost;
};

/* For connections to that port of 127.0.0.1; 16 at a time. A thread of its own passes them on. 0; ROBO_EINVAL: a lag without a size, or
 * that cannot be; ROBO_ENOMEM; ROBO_ESYSTEM. */
int robo_test_relay_open(uint16_t to, const struct robo_test_lag *lag, robo_test_relay **relay);
uint16_t robo_test_relay_port(const robo_test_relay *relay); /* where it listens */
void robo_test_relay_count(const robo_test_relay *relay, struct robo_test_relayed *relayed);
/* Its connections are lost, with their bytes under way; it goes on to take new ones. Any thread. */
void robo_test_relay_cut(robo_test_relay *relay);
void robo_test_relay_close(robo_test_relay *relay); /* its connections with it; NULL is let be */

/* ---- the fault simulator ----
 *
 * Tries bodies and command modes in worlds in which everything fails. One run is one virtual world, made from one seed: one to
 * three simulated robots, one to three clients over links that lose, stall, reorder and break, and mishaps of robots and server. A
 * judge compares all events with the promises of spec/robotalk.md, by the world's own clock and by the calls that reach the
 * drivers. More in docs/faults.md.
 *
 * The same seed gives the same run, on every machine and whatever ran before. One thread a process at a time. */

enum { ROBO_TEST_INVARIANTS = 44 }; /* that of number 0 is: all hold */

/* The name of an invariant, and the rule that must hold, as text: 0; ROBO_ENONE: there are fewer. Static. */
int robo_test_invariant(unsigned number, struct robo_word *word);

/* The plan of a run; borrowed for the call. */
struct robo_test_plan {
    size_t size;                         /* sizeof(struct robo_test_plan) */
    const struct robo_description *body; /* robots are copies of these, driven by simulators */
    const double *weight;                /* of each: how often, in proportion */
    size_t bodies;                       /* at least one */
    const struct robo_mode *
        mode; /* clients ask for direct, delay, playback, broadcast, and for a mode that there is not */
    size_t modes;
};

/* The outcome of a run. */
struct robo_test_report {
    uint64_t seed;
    unsigned broken; /* number of the invariant with which it ended */
    char text[200];  /* details of that */
    uint64_t digest; /* of all events: equal seeds give equal digests */
    uint32_t commands, begun, answered, panics, stops, mishaps, links;
    double seconds; /* of the world's time */
};

/* One run, which ends with the first invariant that is broken. trace: NULL, or where a text of every event goes, a line each, for
 * free(). 0; ROBO_EINVAL: a plan without a size or a body; ROBO_ENOMEM. */
int robo_test_run(const struct robo_test_plan *plan, uint64_t seed, char **trace,
                  struct robo_test_report *report);

struct robo_test_tally {
    uint64_t runs, next;                                 /* next: the first seed that was not run */
    uint64_t digest;                                     /* of all runs, in whatever order */
    uint64_t found[ROBO_TEST_INVARIANTS];                /* how many runs broke it */
    struct robo_test_report first[ROBO_TEST_INVARIANTS]; /* and the lowest seed of them */
    double commands, begun, answered, panics, stops, mishaps, links, seconds; /* sums */
    double elapsed; /* s of real time, more than 0 */
};

struct robo_test_series {
    size_t size;          /* sizeof(struct robo_test_series) */
    uint64_t first, runs; /* seeds first, first + 1, … */
    unsigned jobs;        /* processes that share them, 1 to 64 */
    int all;              /* 1: go on after a finding */
    double patience;      /* seconds of real time after which a run does not end; 0: 60 */
    /* NULL, or a function that is called about ten times a second with the results so far; it ends the series by returning 0 */
    int (*progress)(void *owner, const struct robo_test_tally *so_far);
    void *owner;
};

/* Many runs, in processes of their own, so that a crash is a finding like others. 0; ROBO_EINVAL: a plan or a series that cannot
 * be; ROBO_ENOMEM; ROBO_ESYSTEM: no process. */
int robo_test_run_series(const struct robo_test_plan *plan, const struct robo_test_series *series,
                         struct robo_test_tally *tally);

/* cdef } */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
