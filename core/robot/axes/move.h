/* A frame: what one command moves together (ROBO_MOVE). Its body is of any size, so it lives in memory of its own,
 * which its session is given before the robot's mutex is taken and gives back once the result was reported.
 *
 * When it begins it is split into the commands that drivers know, one for each joint, control frame and the base; each
 * has a ticket, and their results are counted here. All of them are looked at before any begins. Parts that the body
 * lacks are left out. */
#ifndef ROBO_MOVE_H
#define ROBO_MOVE_H

#include <stdbool.h>
#include <stddef.h>

#include "robotalk.h"
#include "base/time.h"
#include "need.h"

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
    struct robo__need axes;
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

/* Lists the parts that did not end in success, as many as there is room for: how many there are. None when all ended as the
 * whole did. */
unsigned robo__move_report(const struct robo__session_move *move, struct robo_part *parts,
                           unsigned room);

#endif
