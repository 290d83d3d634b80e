/* A frame: what one command moves together (ROBO_MOVE). Its body is of any size, so it lives in memory of its own,
 * which its session is given before the robot's mutex is taken and gives back once the result was reported.
 *
 * When it begins it is split into the commands that drivers know, one for each joint, control frame and the base; each
 * has a ticket, and their results are counted here. All of them are looked at before any begins. Parts that the body
 * lacks are left out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "robotalk.h"
#include "base/time.h"
#include "resources.h"

/* The results of the base, of each dof and of each control frame, in this order. */
struct robo__part_result {
    uint8_t signal, reason; /* 0: nothing yet */
    uint16_t of; /* the first of those that go to a driver together; ROBO__NO_PART: left out */
};

enum { ROBO__NO_PART = UINT16_MAX };

struct robo__session_move {
    struct robo__session_move *next; /* of its session's list, once it is answered */
    size_t bytes;                    /* of memory that its session was given for it */
    struct robo_result result;       /* so far */
    uint16_t pending;                /* parts under way */
    /* (m) the axes that it moves, once somebody has asked while it waits, and by which revision, plus 1; 0: nobody
     * has */
    struct robo__resources axes;
    uint32_t axes_of;
    struct robo_move set; /* the arrays behind these belong to it */
    struct robo__part_result *part;
};

/* Memory for a frame of that size; NULL: no memory. The frame is empty except for the counts. */
struct robo__session_move *robo__move_make(unsigned dofs, unsigned frames);
void robo__move_free(struct robo__session_move *move); /* NULL: does nothing */

/* Makes a new one of the memory of one that takes as many bytes. */
void robo__move_empty(struct robo__session_move *move, unsigned dofs, unsigned frames);

/* Bytes that it takes. */
size_t robo__move_size(unsigned dofs, unsigned frames);

/* The frame of a command; NULL: it is another command. */
static inline struct robo__session_move *robo__move_of(const struct robo_cmd *cmd)
{
    return cmd->op == ROBO_MOVE && cmd->body.move
               ? robo__container_of(cmd->body.move, struct robo__session_move, set)
               : NULL;
}

/* The cost of looking up which axes a command moves; 1 for a command that is no frame. */
static inline size_t robo__move_cost(const struct robo_cmd *cmd)
{
    return cmd->op == ROBO_MOVE ? 1 + cmd->body.move->dofs / 64u : 1;
}

/* Whether it is a stop or a speed of zero, which neither age nor full queues may keep out. */
bool robo__cmd_is_rest(const struct robo_cmd *cmd);

/* Whether all that it sets are speeds of zero. */
bool robo__move_is_rest(const struct robo_move *move);

/* ---- its axes; newest: revision of its robot ---- */

struct robo__revision;

/* The axes of a frame of the newest revision, computed once and kept with it. */
const struct robo__resources *robo__move_need(const struct robo__revision *newest,
                                              const struct robo_cmd *cmd);

/* Whether a command, of whatever revision, moves one of these axes. A frame of an older one does, for all that is known. */
bool robo__cmd_meets(const struct robo__revision *newest, const struct robo_cmd *cmd,
                     const struct robo__resources *resources);

/* Whether a stop is for some axes alone, which it adds to *resources. */
bool robo__stop_names(const struct robo__revision *newest, const struct robo_cmd *stop,
                      struct robo__resources *resources);

/* ---- its parts ---- */

/* A walk over them. */
struct robo__move_walk {
    const struct robo__session_move *move;
    const struct robo_description *description;
    unsigned next;
    const struct robo_joint *joint; /* the last one that was met: the next is near it */
};

/* Splits a frame into parts, and begins a walk; parts that the body lacks are left out. Then another walk over the same. */
struct robo__move_walk robo__move_parts(struct robo__session_move *move,
                                        const struct robo_description *description);
struct robo__move_walk robo__move_again(const struct robo__session_move *move,
                                        const struct robo_description *description);

/* The next part as a command, and its first place into *at; false at the end. */
bool robo__move_next(struct robo__move_walk *walk, struct robo_cmd *cmd, unsigned *at);

/* The result of the part with that first place; and of one that the body lacks, which is left out. */
void robo__move_mark(struct robo__session_move *move, unsigned first, enum robo_signal signal,
                     enum robo_reason reason);
void robo__move_leave_out(struct robo__session_move *move, unsigned first, enum robo_reason why);

/* Lists the parts that did not end in success, as many as there is room for: how many there are. None when all ended as the
 * whole did. */
unsigned robo__move_report(const struct robo__session_move *move, struct robo_part *parts,
                           unsigned room);
