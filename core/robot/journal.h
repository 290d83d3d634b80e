/* What a robot's monitor writes into journals (base/journal.h) while somebody records it: its sessions, what they command and ask for,
 * the results, and notices, all in the order in which it has dealt with them. Of a session that opens, the record precedes its request
 * `open` and the first decision of its mode, and one that ends has a record again. The request `close` precedes it where its client has asked
 * for that, and its commands are answered; a client that is dismissed has made it, too. The notices are those of spec/messages.lua, of nobody in particular: `panicked`,
 * `reset`, `latched` (each stop of everything), `leases` (also when some end), `changed`, `removed`, and the retained ones; and of
 * sessions `deadman`, `paused`, `resumed`. Keys and tokens are in none of
 * them. Without a journal each place costs one look at a pointer. */
#pragma once

#include <stdbool.h>

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
/* Whether nothing more comes of a robot that was removed: it has no sessions. */
bool robo__journal_is_over(robo_robot *robot);

/* ---- for the robot: only while robo__journals_of has any. The mutex is held, except where it says ---- */

/* An event comes; and what it has changed besides results and retained notices. */
void robo__journal_event(robo_robot *robot, const struct robo__step_event *event, robo_time now);
void robo__journal_changes(robo_robot *robot, const struct robo__step_event *event, robo_time now);
void robo__journal_retained(robo_robot *robot, enum robo_retained kind);
void robo__journal_opened(const struct robo__session *session,
                          const struct robo__session_request *request);
/* A session's package, its `finish`, its pause. Without the mutex, as the next; also while there are no journals. */
void robo__journal_note(struct robo__session *session, enum robo__journal_kind kind, unsigned op,
                        robo_time now, const void *body, size_t size);
void robo__journal_decided(const struct robo__session *session, robo_time now); /* its mode has */
/* A package has these commands, which were not admitted yet; or which there was no room for. known NULL: all that is known now. */
void robo__journal_commands(struct robo__session *session, enum robo__journal_kind kind,
                            const struct robo_cmd *cmds, size_t n, const struct robo__known *known,
                            robo_time stamp, robo_time now);
