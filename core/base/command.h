/* The kind of a command (struct robo_command_kind), as its row in spec/messages.lua says. All code that carries commands out
 * asks here, so that a new command needs only that row and the driver. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "robotalk.h"
#include "robotalk/words.h"

/* From ROBO_FIRST_OP to ROBO_LAST_OP. */
extern const struct robo_command_kind robo__command_kinds[];

/* The kind of a command; NULL: no command has that number. */
static inline const struct robo_command_kind *robo__command_of(unsigned op)
{
    return op >= ROBO_FIRST_OP && op <= ROBO_LAST_OP ? &robo__command_kinds[op - ROBO_FIRST_OP]
                                                     : NULL;
}

/* The command to a joint, or to a control frame, with that servo type; 0: there is none. */
static inline uint16_t robo__command_to(enum robo_moves moves, uint8_t servo)
{
    for (unsigned op = ROBO_FIRST_OP; op <= ROBO_LAST_OP; op++)
        if (robo__command_of(op)->moves == moves && robo__command_of(op)->servo == servo)
            return (uint16_t)op;
    return 0;
}

/* Its quantities, kind->values of them. */
static inline const double *robo__command_values(const struct robo_command_kind *kind,
                                                 const struct robo_cmd *cmd)
{
    return (const double *)(const void *)((const char *)&cmd->body + kind->first);
}

/* Bounds of a goal on its way; 0: the limits of the joints that it moves. */
struct robo__bounds {
    double speed, acceleration;
};

static inline struct robo__bounds robo__command_bounds(const struct robo_command_kind *kind,
                                                       const struct robo_cmd *cmd)
{
    const union robo_cmd_body *b = &cmd->body;
    if (!kind->goal)
        return (struct robo__bounds){ 0, 0 };
    switch (kind->moves) {
    case ROBO_MOVES_ROOT: return (struct robo__bounds){ b->go_to.speed, b->go_to.acceleration };
    case ROBO_MOVES_LEG: return (struct robo__bounds){ b->step.speed, 0 };
    case ROBO_MOVES_JOINT: return (struct robo__bounds){ b->servo.speed, b->servo.acceleration };
    case ROBO_MOVES_JOINTS: return (struct robo__bounds){ b->home.speed, b->home.acceleration };
    case ROBO_MOVES_FRAME: return (struct robo__bounds){ b->frame.speed, b->frame.acceleration };
    default: return (struct robo__bounds){ 0, 0 };
    }
}

/* Whether a stop is of everything: it is for motions of all clients and names no axes. */
static inline bool robo__stop_is_whole(const struct robo_stop *stop)
{
    return !stop->scope && !stop->base && stop->bytes == 0;
}

/* Whether a stop is for the base, or for a dof. */
static inline bool robo__stop_has_base(const struct robo_stop *stop)
{
    return stop->base || robo__stop_is_whole(stop);
}

static inline bool robo__stop_has_dof(const struct robo_stop *stop, unsigned dof)
{
    return robo__stop_is_whole(stop) ||
           (dof / 8 < stop->bytes && stop->mask[dof / 8] >> dof % 8 & 1);
}

/* Whether they are all 0. */
static inline bool robo__command_is_zero(const struct robo_command_kind *kind,
                                         const struct robo_cmd *cmd)
{
    const double *value = robo__command_values(kind, cmd);
    for (unsigned i = 0; i < kind->values; i++)
        if (value[i] != 0)
            return false;
    return true;
}

/* The bytes of a query's struct robo_request_…; 0: it has none. */
size_t robo__request_size(enum robo_query op);
