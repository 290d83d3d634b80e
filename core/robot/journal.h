/* What a robot's monitor writes into journals (base/journal.h) while somebody records it: its sessions, what they command and ask for,
 * the results, and notices, all in the order in which it has dealt with them. Of a session that opens, the record precedes its request
 * `open`, and one that closes has the request `close`. The notices are those of spec/messages.lua, of nobody in particular: `panicked`,
 * `reset`, `latched` (each stop of everything), `leases`, `changed`, `removed`, and the retained ones. Keys and tokens are in none of
 * them. Without a journal each place costs one look at a pointer. */
#pragma once

#include "base/journal.h"

struct robo__known;
struct robo__mover;
struct robo__session;
struct robo__session_request;
struct robo__step_event;

/* ---- for recorders: any thread ---- */

/* From now on the journal gets everything; first, at this instant, what there is: sessions, a panic, leases, retained notices. It stays
 * open until robo__journal_leave, which returns when nobody writes into it any more. The robot is held. */
void robo__journal_enter(robo_robot *robot, struct robo__journal *journal);
void robo__journal_leave(robo_robot *robot, struct robo__journal *journal);

/* ---- for the robot: only while robo__journals_of has any. The mutex is held, except where it says ---- */

/* An event comes; and what it has changed besides results and retained notices. */
void robo__journal_event(robo_robot *robot, const struct robo__step_event *event, robo_time now);
void robo__journal_changes(robo_robot *robot, const struct robo__step_event *event, robo_time now);
void robo__journal_retained(robo_robot *robot, enum robo_retained kind);
void robo__journal_opened(const struct robo__session *session,
                          const struct robo__session_request *request);
/* A package has come, and has these commands, which were not admitted yet; or which there was no room for. known NULL: all that is known
 * now. Without the mutex. */
void robo__journal_arrived(struct robo__session *session, robo_time stamp, robo_time now);
void robo__journal_commands(struct robo__session *session, enum robo__journal_kind kind,
                            const struct robo_cmd *cmds, size_t n, const struct robo__known *known,
                            robo_time stamp, robo_time now);
