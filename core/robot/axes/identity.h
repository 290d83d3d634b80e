/* A client and a robot, as each knows of the other: the client that opens a session, the knowledge of a package's sender, the
 * outcome of questions for leases. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ROBO__HOLDER_NAME = 64 };

/* So much is begun or answered in a row; then others get the mutex, with a stop or a panic perhaps. */
enum { ROBO__TURN = 64 };

/* The client that opens a session. Sessions with the same key that is not 0 are of one client; with the key 0, those
 * with the same number. */
struct robo__identity {
    uint64_t key;
    uint32_t number;  /* of its connection, from 1; 0: the program that serves the robot */
    const char *name; /* for people; borrowed */
    bool local;       /* it lives in this process: its latch outlasts any time without a session */
    bool wordless;    /* its protocol has no word that ends a latch (holder.h) */
};

/* The panics and stops of its robot that were reported to the sender of a package, the lowest 16 bits of both counts.
 * Commands whose sender had not received the newest panic, or another session's newest stop, never run. */
struct robo__known {
    uint16_t epoch, stops;
};

/* Results of commands: by signal, by reason, and how late those began that began: at most 10 us, 0.1 ms, 1 ms, 10 ms, 0.1 s, 1 s, later. */
enum { ROBO__REASONS = 64, ROBO__LATE = 7 };
struct robo__tally {
    uint64_t signal[8], reason[ROBO__REASONS], late[ROBO__LATE];
    double lateness; /* s, of all of them */
};

enum robo__taking { ROBO__TAKEN = 1, ROBO__TAKEN_BRAKING, ROBO__ASKED, ROBO__REFUSED, ROBO__LATER };

/* The outcome of questions for leases: how many so far, and the last one's. */
struct robo__outcome {
    uint32_t count;
    uint8_t state; /* enum robo__taking, or 0 */
};

/* The leases that a client has lost to another: how many times, and the number of the other. */
struct robo__loss {
    uint32_t times, to;
};
