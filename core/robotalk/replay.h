/* May change without notice between versions. */
/* Replays: what a recording has of a robot's clients, given to a robot's monitor again (docs/recordings.md). */
#pragma once

#include "robotalk.h"
#include "robotalk/mode.h"

ROBO_API_BEGIN

/* ---- a session ---- */

/* A session of a robot in a virtual world, on the world's thread. Its mode decides as it has been recorded. All is done at the present
 * instant of the world, and its results go to recorders alone. */
typedef struct robo_replay robo_replay;

/* Who has opened it; as in a recording's messages `session`. */
struct robo_replay_client {
    uint32_t number, holder;
    int local, wordless;
    const char *name;
};

/* As the request `open` says; first: the first decision. NULL: ROBO_EINVAL: a real clock; ROBO_ENOMEM; else as the request. */
robo_replay *robo_replay_open(robo_robot *robot, const struct robo_replay_client *client,
                              const struct robo_request_open *request,
                              const struct robo_mode_decision *first, int *error, char why[128]);

/* The mode's next decision: an error, or 0 and a decision. It was made by time if nothing asks for it at this instant. ROBO_EFULL: 64 have not been asked for yet. */
int robo_replay_decide(robo_replay *replay, int error, const struct robo_mode_decision *decision);

/* A package came: of nothing, of commands, whose frames are copied, or of a request: close (its commands are answered), finish, take, release, give, cancel,
 * resume, and override. ROBO_ENOMEM; ROBO_EOP: it is none of these. */
void robo_replay_heard(robo_replay *replay, robo_time stamp);
int robo_replay_commands(robo_replay *replay, struct robo_cmd *cmds, size_t n, uint16_t epoch,
                         uint16_t stops, robo_time stamp);
int robo_replay_request(robo_replay *replay, enum robo_query op, const void *request);

void robo_replay_close(robo_replay *replay); /* NULL: does nothing */

ROBO_API_END
