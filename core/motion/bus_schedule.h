/* Which joint gets the next message on a shared bus (paper 004, robotalk/order.h). Joint-local controllers keep their last
 * speed, and a message changes the speed of one joint. The schedule picks the joint whose new speed brings the task closest to
 * the wanted one. Pure: no allocation, no clock of its own. */
#pragma once

#include <stdbool.h>

#include "robotalk/order.h"
#include "body/description.h"
#include "base/time.h"

enum {
    ROBO__SCHEDULE_MOST = ROBO_MAX_DOFS,
    ROBO__SCHEDULE_SOLVED = ROBO_ORDERING_SOLVED, /* joints and rows of a task that is solved for */
    ROBO__SCHEDULE_ROWS = ROBO_ORDERING_ROWS
};

struct robo__schedule {
    enum robo_order scheme;
    unsigned joints, rows;              /* of the Jacobian: columns and rows, at most 512 and 96 */
    double weight[ROBO__SCHEDULE_ROWS]; /* of each row: weight of a unit of its error */
    double least;   /* E, AE and O send nothing while every joint's weighted error is below this */
    double damping; /* of the solution, near a singularity of the Jacobian */
    /* ages at which a joint gets a message even if its speed has not changed, in messages and in time (0: no such age):
       drives have watchdogs of their own */
    uint32_t most_messages;
    robo_time most_time;

    /* Of each joint: the weight of a row of its own behind those of the Jacobian, 1 for it and 0 for all others; 0: it has
       none. Not for robo__schedule_choose. */
    double own[ROBO__SCHEDULE_MOST];
    double sent[ROBO__SCHEDULE_MOST];    /* the last speed sent to each joint */
    robo_time when[ROBO__SCHEDULE_MOST]; /* when it was sent */
    uint32_t age[ROBO__SCHEDULE_MOST];   /* messages since the last one to it, lost ones included */
    bool lost[ROBO__SCHEDULE_MOST];      /* its last message was lost */
    bool repeated;                       /* the last message was the repetition of a lost one */
    unsigned turn;                       /* of schemes that go round */
    double round[ROBO__SCHEDULE_MOST];
};

/* The order where none is named: planned, of as many joints as that takes; optimal of more. */
enum robo_order robo__schedule_default(unsigned joints);

/* Weights 1, everything at rest, no joint without a message for longer than 4 rounds. ROBO_EINVAL: sizes that cannot be,
 * or O with too many joints. */
int robo__schedule_init(struct robo__schedule *schedule, enum robo_order scheme, unsigned joints,
                        unsigned rows);

/* Chooses the message of this slot, when every joint should have the speed that u gives it. jacobian: rows by joints,
 * row by row. The wanted speed of the task is J u, so that every u can be reached exactly.
 *
 * Joints whose message was lost or that are overdue come first, the one with the oldest attempt before the others;
 * then the joint that the scheme chooses. E, AE and O send nothing when no message would reduce the error; of equal
 * joints they choose the one with the lowest number. ROBO_ERANGE for numbers that are not finite or become so:
 * nothing is chosen and nothing changes. */
int robo__schedule_pick(struct robo__schedule *schedule, const double *jacobian, const double *u,
                        robo_time now, struct robo_ordering_choice *choice);

/* The same for given speeds of the task, one a row: u is their least-squares solution. Where they are out of reach, AE
 * may stop sending earlier than with robo__schedule_pick. ROBO_EINVAL: more than 64 joints. */
int robo__schedule_choose(struct robo__schedule *schedule, const double *jacobian,
                          const double *wanted, robo_time now, struct robo_ordering_choice *choice);

/* The message was sent: from now on the joints are assumed to have these speeds. Not called when the bus refused it. */
void robo__schedule_sent(struct robo__schedule *schedule, const struct robo_ordering_choice *choice,
                         robo_time now);

/* The message to that joint was lost, whether robo__schedule_sent was called for it or not: it is repeated first. When
 * that is lost as well, another message goes before it is repeated again, so that a dead joint delays no other one for
 * longer than the greatest age, and no round by more than one message. */
void robo__schedule_lost(struct robo__schedule *schedule, unsigned joint);

/* The earliest instant at which a joint becomes overdue by time; ROBO_NEVER without such an age. */
robo_time robo__schedule_due(const struct robo__schedule *schedule);

/* Least squares: x such that J x is nearest to b, of least size where many are; damped where J is not square, and where
 * it is singular or almost singular. */
void robo__schedule_solve(const double *jacobian, unsigned rows, unsigned columns, const double *b,
                          double damping, double *x);
