/* May change without notice between versions. */
/* Which joint gets the next message on a bus (paper 004, docs/ordering.md): for programs and drivers that have a bus of their own.
 * Controllers at the joints keep their last speed, and a message changes the speed of one joint. An ordering picks the joint
 * whose new speed brings the task closest to the wanted one. Robots whose descriptor says an order need nothing of this: the
 * core does it (robo_driver's send).
 *
 * Nothing here has a clock, a thread or a socket of its own. An ordering belongs to one thread at a time; only its opening
 * allocates. */
#pragma once

#include "robotalk.h"

ROBO_API_BEGIN

/* ---- the decision ---- */

typedef struct robo_ordering robo_ordering; /* knowledge of the joints of a limb on a bus */

enum {
    ROBO_ORDERING_JOINTS = 512, /* most joints, */
    ROBO_ORDERING_ROWS = 96,    /* most rows, */
    ROBO_ORDERING_SOLVED = 64,  /* most joints of robo_ordering_choose, */
    ROBO_ORDERING_PLANNED = 10  /* and of ROBO_ORDER_PLANNED */
};

struct robo_ordering_options {
    size_t size;           /* sizeof(struct robo_ordering_options) */
    enum robo_order order; /* ROBO_ORDER_NONE: planned up to 10 joints, optimal beyond */
    unsigned joints, rows; /* of the Jacobian: columns and rows; 0 rows: 6 */
    const double *weight;  /* of each row: weight of a unit of its error; NULL: 1 */
    /* greatest, optimal and planned send nothing while every joint's weighted error is below this */
    double least;
    double
        damping; /* of the solution, near a singularity of the Jacobian; 0: 0.001; negative: none */
    /* after so many messages, and so long, a joint gets one even if its speed has not changed, since drives have watchdogs of
     * their own. Messages 0: 4 a joint; negative: never. Time 0: never */
    int64_t most_messages;
    robo_time most_age;
};

/* All joints at rest. NULL: *error, which may be NULL, is ROBO_EINVAL, for sizes or numbers that cannot be, or ROBO_ENOMEM. */
robo_ordering *robo_ordering_open(const struct robo_ordering_options *options, int *error);
void robo_ordering_close(robo_ordering *ordering); /* NULL: does nothing */
size_t robo_ordering_size(void);                   /* bytes that one takes */

enum robo_choice_kind {
    ROBO_CHOICE_NOTHING,
    ROBO_CHOICE_SEND,       /* do it at once */
    ROBO_CHOICE_STORE,      /* at the next ROBO_CHOICE_SYNCHRONISE, */
    ROBO_CHOICE_SYNCHRONISE /* which is for all joints */
};
/* The next message. */
struct robo_ordering_choice {
    enum robo_choice_kind kind;
    unsigned joint; /* of a send or a store */
    double value;   /* its speed */
};

/* Chooses the message to send now, when every joint should have the speed that u gives it. jacobian: rows by joints, row by
 * row, as robo_jacobian gives it, and more rows where there are. The wanted speed of the task is J u, so that every u can be
 * reached exactly.
 *
 * Joints whose message was lost or that are overdue come first, the one with the oldest attempt before the others; then
 * the joint that the order chooses. Greatest, optimal and planned send nothing when no message would reduce the error; of equal
 * joints they choose the one with the lowest number. 0; ROBO_ERANGE for numbers that are not finite or become so: nothing is
 * chosen and nothing changes. */
int robo_ordering_pick(robo_ordering *ordering, const double *jacobian, const double *u,
                       robo_time now, struct robo_ordering_choice *choice);

/* The same for given speeds of the task, one a row: u is their least-squares solution. Where they are out of reach, optimal
 * may stop sending earlier than with robo_ordering_pick. ROBO_EINVAL: more than ROBO_ORDERING_SOLVED joints. */
int robo_ordering_choose(robo_ordering *ordering, const double *jacobian, const double *wanted,
                         robo_time now, struct robo_ordering_choice *choice);

/* The message was sent: from now on the joints are assumed to have these speeds. Not called when the bus refused it.
 * ROBO_EINVAL: no message, or to a joint that there is not; ROBO_ERANGE: its speed is not finite. */
int robo_ordering_sent(robo_ordering *ordering, const struct robo_ordering_choice *choice,
                       robo_time now);

/* The message to that joint was lost, whether robo_ordering_sent was called for it or not: it is repeated first. When that is
 * lost as well, another message goes before it is repeated again, so that a dead joint delays no other one for longer than the
 * greatest age, and no round by more than one message. ROBO_EINVAL: there is no such joint. */
int robo_ordering_lost(robo_ordering *ordering, unsigned joint);

/* The earliest instant at which a joint becomes overdue by time; ROBO_NEVER without most_age. */
robo_time robo_ordering_due(const robo_ordering *ordering);

/* The last speed that each joint was sent; until close. */
const double *robo_ordering_speeds(const robo_ordering *ordering);

/* ---- trials ----
 *
 * Section IV of the paper, and the set-up of its section V in simulation: its arm follows a trajectory over a bus that
 * carries so many messages a second, each to one joint, whose controller reaches that speed with constant acceleration and
 * holds it. A trial measures how well an order does, and how few messages it takes. The same options give the same result. */

enum { ROBO_TRIAL_JOINTS = 7, ROBO_TRIAL_SERVOS = 20 };
enum robo_trial_task { /* (13), (14), (15) with (16), (17) */
                       ROBO_TRIAL_LINE,
                       ROBO_TRIAL_OSCILLATION,
                       ROBO_TRIAL_FORCE,
                       ROBO_TRIAL_COUNTERTOP
};

/* Members that are 0 are the paper's. */
struct robo_trial_options {
    size_t size; /* sizeof(struct robo_trial_options) */
    enum robo_trial_task task;
    enum robo_order order; /* 0: sequential */
    double rate;           /* messages a second, at least 1 */
    int aware;             /* 1: speeds are optimal for being held until the next message */
    const double *weight;  /* of each of the 7 coordinates of the task; NULL: 1 */
    const double *shift;   /* rad, added to each joint of the start posture; NULL: 0 */
    double seconds;        /* 5; on the countertop 7 */
    double gain, kp; /* 10 or 1 1/s; 0.0125 or 0.03 m/s/N, with a third of it integrated a second */
    double stiffness,
        known_stiffness; /* of the surface, and that which an aware order assumes: 10 or 1.73 kN/m */
    double wanted_force;    /* 20 or 5 N */
    double acceleration;    /* of the joints, 100 rad/s2 */
    uint32_t most_messages; /* age of a joint; 0: no guard */
    /* Called after every message, and after every part of the time between two (choice NULL); may be NULL. time: s; task: its 7
     * coordinates; force_error: N. */
    void (*look)(void *owner, double time, const struct robo_ordering_choice *choice,
                 const double *task, double force_error);
    void *owner;
    /* Several arms on the bus, which do the same: 0, or so many servos, at most ROBO_TRIAL_SERVOS, in arms of seven joints and
     * of six, which lack the last one, and with it gamma. together: joints that each message is for, 0: 1. late: s that
     * it is on its way, at most the time between two: its speeds are those for the instant at which it arrives, with the
     * force of the instant at which it left. */
    unsigned servos, together;
    double late;
};

struct robo_trial_result {
    /* root mean square of the 7-norm of the task's error, m and rad; without z under force */
    double task;
    double position; /* of x, y, z alone, m */
    double force;    /* of the force's error, N; and its greatest */
    double worst_force;
    uint32_t messages, told[ROBO_TRIAL_JOINTS];
    uint32_t oldest; /* greatest number of messages between two to the same joint */
    int lost;        /* 1: it reached a singularity of the task space, or an error above a metre */
};

/* 0; ROBO_EINVAL: options without a size, or numbers that cannot be. Takes milliseconds. */
int robo_trial_run(const struct robo_trial_options *options, struct robo_trial_result *result);

ROBO_API_END
