/* The goals of a robot behind a Player server: whether it is there, gets no further, or has failed. */
#include <math.h>
#include <string.h>

#include "base/time.h"
#include "link.h"

/* a part that has not moved for so long gets no further */
static const robo_time STUCK = 5 * INT64_C(1000000000);
static const double THERE = 0.02;              /* rad: the head is where it was sent */
static const double RESTS[2] = { 0.01, 0.02 }; /* m/s, rad/s: a base that is no faster stands */

void robo__link_answer(struct robo__player_link *p, robo_ticket ticket, bool clipped)
{
    if (p->unsent)
        robo_done(p->device, ticket, ROBO_ERROR, ROBO_WHY_LINK);
    else
        robo_done(p->device, ticket, clipped ? ROBO_MODIFIED : ROBO_SUCCESS,
                  clipped ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
}

/* Whether a part on its way gets no further: it has moved by no more than those for long. */
static bool is_stuck(struct robo__player_goal *goal, const double *at, const double *least,
                     unsigned n, robo_time now)
{
    bool moves = goal->when == 0;
    for (unsigned i = 0; i < n; i++)
        moves |= fabs(at[i] - goal->at[i]) > least[i];
    if (moves) {
        memcpy(goal->at, at, n * sizeof *at);
        goal->when = now;
    }
    return now - goal->when >= STUCK;
}

/* Whether it is known where the gripper is: not by old data. */
static bool knows_gripper(const struct robo__player_link *p)
{
    return p->grip != 0 && robo__time_monotonic() - p->grip_heard < STUCK;
}

/* No client waits for the parts of that command any more, so they stand: else they would go on by themselves once they can. */
static void give_up(struct robo__player_link *p, robo_ticket ticket, enum robo_reason why)
{
    struct robo__player_goal *const goal[] = { [ROBO__FAR_BASE] = &p->base,
                                               [ROBO__FAR_HEAD] = &p->head_goal,
                                               [ROBO__FAR_GRIPPER] = &p->grip_goal };
    uint16_t roles = 0;
    robo_done(p->device, ticket, ROBO_ERROR, why);
    for (unsigned role = 0; role < sizeof goal / sizeof goal[0]; role++) {
        if (goal[role]->ticket == ticket)
            roles |= (uint16_t)(1u << role);
    }
    robo__link_rest(p, ROBO__LINK_COMMANDS, roles);
    /* its state from before the motion is outdated */
    if (roles >> ROBO__FAR_GRIPPER & 1 && !knows_gripper(p))
        p->grip = 0;
    for (unsigned role = 0; role < sizeof goal / sizeof goal[0]; role++)
        if (roles >> role & 1)
            goal[role]->ticket = 0;
}

/* A goal is reached. Of a command to head and gripper the last one answers for both. clipped: place of that in a goal's values. */
static void reach(struct robo__player_link *p, struct robo__player_goal *goal, unsigned clipped,
                  struct robo__player_goal *other, unsigned other_clipped)
{
    const robo_ticket ticket = goal->ticket;
    goal->ticket = 0;
    if (other->ticket == ticket)
        other->value[other_clipped] += goal->value[clipped];
    else
        robo__link_answer(p, ticket, goal->value[clipped] != 0);
}

static void look_at_base(struct robo__player_link *p, robo_time now)
{
    const double *goal = p->base.value, near = p->bind.near, turn = p->bind.turn;
    if (!p->base.ticket)
        return;
    /* a goal that may be missed by far is no reason to call a slow robot stuck; a whole turn is none */
    const double step = fmin(near, 0.05) / 10, *was = p->base.at;
    const bool stuck = is_stuck(&p->base,
                                (double[]){ p->place[0], p->place[1],
                                            was[2] + remainder(p->place[2] - was[2], 2 * M_PI) },
                                (double[]){ step, step, fmin(turn, 0.1) / 10 }, 3, now),
               there = hypot(p->place[0] - goal[0], p->place[1] - goal[1]) <= near &&
                       fabs(remainder(p->place[2] - goal[2], 2 * M_PI)) <= turn,
               rests = hypot(p->velocity[0], p->velocity[1]) <= RESTS[0] &&
                       fabs(p->velocity[2]) <= RESTS[1];
    if (there && (rests || stuck)) { /* before that it still gets closer */
        robo__link_answer(p, p->base.ticket, false);
        robo__link_note(p, ROBO__FAR_BASE, false); /* it stops there by itself */
        p->base.ticket = 0;
    } else if (stuck) {
        give_up(p, p->base.ticket, ROBO_WHY_BLOCKED);
    }
}

static void look_at_head(struct robo__player_link *p, robo_time now)
{
    const double *aim = p->head_goal.value;
    if (!p->head_goal.ticket)
        return;
    if (!robo__link_knows_head(p, robo__time_monotonic()))
        give_up(p, p->head_goal.ticket, ROBO_WHY_DEVICE);
    else if ((p->bind.pan == ROBO__BIND_NONE || fabs(p->head[0] - aim[0]) <= THERE) &&
             (p->bind.tilt == ROBO__BIND_NONE || fabs(p->head[1] - aim[1]) <= THERE))
        reach(p, &p->head_goal, 2, &p->grip_goal, 1);
    else if (is_stuck(&p->head_goal, p->head, (double[]){ THERE / 10, THERE / 10 }, 2, now))
        give_up(p, p->head_goal.ticket, ROBO_WHY_BLOCKED);
}

/* How long a gripper may say that it moves: its way there and back, and as long as others may not move. */
static robo_time most_of_gripper(const struct robo__player_link *p)
{
    const struct robo_dof *dof = &robo_device_description(p->device)->dof[p->bind.gripper.dof];
    const double way = dof->speed > 0 ? 2 * (dof->high - dof->low) / dof->speed : 0;
    return STUCK + (robo_time)(fmin(way, 3600) * 1e9);
}

/* Whether it has come to the goal end; or has moved and rests elsewhere: around something, or by a fault; or does nothing for
 * long. */
static void look_at_gripper(struct robo__player_link *p, robo_time now)
{
    struct robo__player_goal *goal = &p->grip_goal;
    const double state = p->grip;
    const bool closes = goal->value[0] == ROBO__GRIPPER_CLOSED, knows = knows_gripper(p);
    if (!goal->ticket)
        return;
    if (p->grip == ROBO__GRIPPER_MOVING) {
        if (!knows)
            give_up(p, goal->ticket, ROBO_WHY_DEVICE); /* whether it still moves is unknown */
        if (goal->value[2] == 0)
            goal->begun = now;
        goal->value[2] = true;
        goal->when = 0;
        if (goal->ticket && now - goal->begun >= most_of_gripper(p))
            give_up(p, goal->ticket, ROBO_WHY_BLOCKED);
        return;
    }
    const bool stuck = is_stuck(goal, &state, &(double){ 0 }, 1, now),
               rests = p->grip == ROBO__GRIPPER_ERROR && (goal->value[2] != 0 || stuck);
    if (knows && (p->grip == goal->value[0] || (rests && closes && p->beams != 0))) {
        reach(p, goal, 1, &p->head_goal, 2);
    } else if (rests || stuck) {
        give_up(p, goal->ticket, ROBO_WHY_DEVICE);
    }
}

bool robo__link_look(struct robo__player_link *p, robo_time now)
{
    look_at_base(p, now);
    look_at_head(p, now);
    look_at_gripper(p, now);
    return p->base.ticket || p->head_goal.ticket || p->grip_goal.ticket;
}
