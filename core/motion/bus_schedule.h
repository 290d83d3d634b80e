/* Which joint gets the next message on a shared bus (paper 004). Joint-local controllers hold their last speed; a message
 * changes that of one joint. So what counts is which joint's new speed brings the task nearest to what is wanted. Pure:
 * no allocation, no clock of its own. */
#ifndef ROBO_BUS_SCHEDULE_H
#define ROBO_BUS_SCHEDULE_H

#include <stdbool.h>

#include "body/description.h"
#include "base/time.h"

enum { ROBO__SCHEDULE_MOST = 64, ROBO__SCHEDULE_ROWS = 96 };

/* What the next message is. */
enum robo__message_kind { ROBO__SEND_NOTHING, ROBO__SEND, ROBO__STORE, ROBO__SYNCHRONISE };
struct robo__choice {
    enum robo__message_kind kind;
    unsigned joint; /* of a send or a store */
    double value;   /* its speed */
};

struct robo__schedule {
    enum robo_order scheme;
    unsigned joints, rows;              /* of the Jacobian: columns and rows, at most 64 and 96 */
    double weight[ROBO__SCHEDULE_ROWS]; /* of each row; what a unit of its error counts */
    double least; /* E, AE and O send nothing while no joint is off by more of the weighted task */
    double damping; /* of the solution, for Jacobians near a singularity */
    /* ages at which a joint gets a message however little it changes, in messages and in time (0: no such age): drives have
       watchdogs of their own */
    uint32_t most_messages;
    robo_time most_time;

    double sent[ROBO__SCHEDULE_MOST];    /* what each joint was last told */
    robo_time when[ROBO__SCHEDULE_MOST]; /* it was */
    uint32_t age[ROBO__SCHEDULE_MOST];   /* messages since the last one to it, lost ones included */
    uint64_t lost;                       /* a bit for each joint whose last message was lost */
    bool repeated;                       /* the last message was the repetition of a lost one */
    unsigned turn;                       /* of schemes that go round */
    double round[ROBO__SCHEDULE_MOST];
};

/* Weights 1, everything at rest, no joint without a message for longer than 4 rounds. ROBO_EINVAL: sizes that cannot be,
 * or O with too many joints. */
int robo__schedule_init(struct robo__schedule *schedule, enum robo_order scheme, unsigned joints,
                        unsigned rows);

/* What to send in this slot, when every joint should have the speed that u gives it. jacobian: rows by joints, row by
 * row. What is wanted of the task is J u, so that every u is reached, whatever the task would need beyond it.
 *
 * First come joints whose message was lost or that were not told for too long, of these the one that was tried longest
 * ago; then whoever the scheme chooses. E, AE and O send nothing when no joint would gain, and of equals they choose the
 * lowest. ROBO_ERANGE for numbers that are not finite or become so: nothing is chosen and nothing changes. */
int robo__schedule_pick(struct robo__schedule *schedule, const double *jacobian, const double *u,
                        robo_time now, struct robo__choice *choice);

/* The same when the task's speeds are wanted, one a row: u is their least-squares solution. Where they are out of reach
 * AE may be content earlier than with robo__schedule_pick. */
int robo__schedule_choose(struct robo__schedule *schedule, const double *jacobian,
                          const double *wanted, robo_time now, struct robo__choice *choice);

/* The message went out: what the joints are taken to do from now on. Not called when the bus refused it; nothing sent
 * counts as no message. */
void robo__schedule_sent(struct robo__schedule *schedule, const struct robo__choice *choice,
                         robo_time now);

/* The message to that joint was lost, whether robo__schedule_sent was told of it or not: it is repeated first. When that is
 * lost as well, another message goes before it is repeated again, so that a joint that does not answer at all holds up
 * nobody for longer than the greatest age, and no round for longer than another one. */
void robo__schedule_lost(struct robo__schedule *schedule, unsigned joint);

/* The earliest instant at which a joint becomes overdue by time; ROBO_NEVER without such an age. */
robo_time robo__schedule_due(const struct robo__schedule *schedule);

/* Least squares: x such that J x is nearest to b, of least size where many are; damped where J is not square, and where
 * it is singular or so close to it that x would be noise. */
void robo__schedule_solve(const double *jacobian, unsigned rows, unsigned columns, const double *b,
                          double damping, double *x);

#endif
