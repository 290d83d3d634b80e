/* A robot as its clients see it, through connections: sessions with their commands and results, leases, latches, panics. The robot's
 * inside is nothing to them. Functions with a session are for its owner's thread, the others for any. */
#pragma once

#include "motion/move.h"
#include "axes/identity.h"
#include "facts.h"
#include "robotalk.h"
#include "timeline/mode.h"
#include "timeline/alarm.h"
#include "world/surroundings.h"

struct robo__senses;
struct robo__session;

/* ---- a session ---- */

/* Opens a session. ROBO_EMODE with the mode's own words in text; ROBO_ENONE: the robot was removed. The owner's `wake`
 * may be NULL; it is called with the robot's mutex held. */
int robo__session_open(robo_robot *robot, struct robo__modes *modes,
                       const struct robo__session_request *request, void (*wake)(void *owner),
                       void *owner, robo_time now, struct robo__session **session, char text[128]);

/* Answers all that the session has queued, held and under way INTERRUPTED, closed, and stops what it moves. The answers
 * wait in the return queue; robo__session_close is next. */
void robo__session_end(struct robo__session *session, robo_time now);

/* Ends the session, drops answers that were not taken, frees it. */
void robo__session_close(struct robo__session *session);

/* A package of commands. Returns how many of the n were admitted; the others, which it moves to the end of cmds, find
 * no room in the queues and have no answer coming: the caller refuses them. All else is answered in the return queue.
 * The frames of those that are admitted are the session's from here on.
 *
 * A stop is refused for nothing but a latched panic (PANIC). With ROBO_AT_ONCE, or a start beyond the horizon, it acts at
 * once in every mode and sweeps what any session has running, queued or held; with a date it acts at its instant and
 * leaves later frames alone. A speed of zero is never refused for its age or for want of room; it sweeps nothing. */
size_t robo__session_commands(struct robo__session *session, struct robo_cmd *cmds, size_t n,
                              struct robo__known known, robo_time stamp, robo_time now);

/* The same in direct mode, without frames, of a sender whose protocol does not report stops and panics: its commands
 * are made with all that is known now. Then takes answers, up to *answers, and stores how
 * many these were; those of frames are not marked as such. */
size_t robo__session_commands_now(struct robo__session *session, struct robo_cmd *cmds, size_t n,
                                  struct robo_result *out, size_t *answers, robo_time now);

/* Room for a frame (robo__move_make), of which the session keeps some from frame to frame; NULL: no memory. */
struct robo__session_move *robo__session_make_move(struct robo__session *session, unsigned dofs,
                                                   unsigned frames);

/* Takes up to n answers off the return queue, oldest first. What was taken before is forgotten. */
size_t robo__session_results(struct robo__session *session, struct robo_result *out, size_t n);

/* The frame of the next result of one (ROBO_MOVE) among those that were taken last; NULL: there is none. It stays until
 * results are taken again. */
const struct robo__session_move *robo__session_next_move(struct robo__session *session);

/* When robo__session_decide wants to be called, or ROBO_NEVER. */
robo_time robo__session_next(const struct robo__session *session);

/* A holding mode is asked again; or the next frame of a sequence is missing, and the robot brakes. */
void robo__session_decide(struct robo__session *session, robo_time now);

/* Whether the client has said that no frame follows, only errors have been reported to it since then, and now all its
 * commands have their results, *succeeded of them SUCCESS. Reported once. */
bool robo__session_settled(struct robo__session *session, uint64_t *succeeded);

/* No frame follows: the mode is asked now. */
void robo__session_finish(struct robo__session *session, robo_time now);

/* Takes back the command with that id, which brakes if it is under way; or all that have not begun, with id 0. Each is
 * answered INTERRUPTED, cancelled. Returns how many. */
uint32_t robo__session_cancel(struct robo__session *session, uint32_t id, robo_time now);

/* Commands that it has queued or held. */
size_t robo__session_waiting(struct robo__session *session);

/* That many of its commands were refused without having been admitted. */
void robo__session_refused(struct robo__session *session, size_t n);

/* A package with that number and stamp was received from the client; 0: one without a number. In direct mode an old package is no sign of life. */
void robo__session_heard(struct robo__session *session, uint32_t package, robo_time stamp,
                         robo_time now);

/* The news of a session, besides answers. */
struct robo__news {
    robo_time silence; /* that made the deadman stop the robot; reported once; 0: none */
    /* how often other sessions have stopped the robot, with all stops from before it opened */
    uint32_t stops;
    /* how many stops of anybody's motions have begun, by whomever, of all or parts, dated or not: commands that the
     * owner repeats end with them, as commands waiting in queues do */
    uint32_t begun_stops;
    uint32_t faults;    /* how often a device of the robot was lost: its motions ended then */
    uint32_t base_ends; /* how many of these stops and losses were of the base */
    uint32_t leases;    /* how often those of other clients have changed */
    struct robo__loss loss;
    uint32_t asks;               /* questions to holders of leases, of whomever, so far */
    struct robo__outcome answer; /* to those of its client */
    uint32_t retained; /* notices so far: robo__session_retained has those that are news */
    bool gone;         /* the robot was removed: nothing more will come */
};

/* Takes the news. Held commands are answered when the client was silent, and so are those held since before the last
 * stop. */
struct robo__news robo__session_news(struct robo__session *session, robo_time now);

/* The retained notice of that kind after the first *known of them, which it counts; false: there is none. */
bool robo__session_retained(struct robo__session *session, enum robo_retained kind, uint32_t *known,
                            union robo_retained_body *out);
/* How many of each kind the owner of a session that has just opened knows: all but those that differ from a new robot's. Whether
 * any does. */
bool robo__session_retains(struct robo__session *session, uint32_t known[ROBO_RETAINED_KINDS]);

/* The robot went into panic: held commands are answered PANIC. The monitor has emptied the command queue; the playback
 * queue is the owner's. */
void robo__session_panicked(struct robo__session *session, robo_time now);

/* Whether something moves on by its command: at a speed that lasts, or on the way to a goal. */
bool robo__session_moves(struct robo__session *session);

/* Whether the robot was removed: nothing more will come. */
bool robo__session_gone(struct robo__session *session);

/* Its newest pause, and the newest that is over; false: their counts are still that. */
bool robo__session_paused(const struct robo__session *session, uint32_t count,
                          struct robo_notice_paused *out);
bool robo__session_resumed(const struct robo__session *session, uint32_t count,
                           struct robo_notice_resumed *out);
/* Its pauses that are over. */
void robo__session_pauses(const struct robo__session *session, struct robo_reply_pauses *pauses);

void robo__session_status(struct robo__session *session, struct robo_reply_status *status);

/* ---- of a session: what it is, leases and latches ---- */

robo_robot *robo__session_robot(const struct robo__session *session);
uint32_t robo__session_client(const struct robo__session *session); /* its client's number */
/* The robot's deadman as the session has it; 0: none. */
robo_time robo__session_deadman(const struct robo__session *session);
const struct robo_mode_decision *robo__session_decision(const struct robo__session *session);
/* The error of its mode, which has failed, in words, too; 0: it has not. */
int robo__session_mode_error(const struct robo__session *session, const char **why);
/* Fills in what the session was opened with. */
void robo__session_describe(const struct robo__session *session, struct robo_reply_open *reply);

/* How often other sessions have stopped the robot: as in struct robo__news, by now. */
uint32_t robo__session_stops(struct robo__session *session);

/* A query that the monitor carries out, for a client of that role (enum robo_role); `reply` is the struct of its reply, if that has
 * fields. 0, or an error; ROBO_EOP: the monitor has no such query.
 * - take: the leases of these axes for the session's client. It gets the axes that nobody else has at once, and all of them with `force`:
 *   motions there are stopped, and its commands are BUSY until these rest. Otherwise the holders are asked, one question of a client at a
 *   time: their silence for the lease time is a yes. A repeated request returns the state of the question. After a refusal nobody is
 *   asked for the lease time, and for a tenth of it after the begin of a question. ROBO_ERANGE: a mask that names nothing; ROBO_ENONE:
 *   axes that are not there.
 * - release: gives leases of the client back. Its motions there are stopped first, and its commands that wait for these axes are
 *   INTERRUPTED, lease, except those that its other sessions hold. Its own question for these axes is withdrawn. Errors as of take.
 * - give: the answer to a question, by a client that has some of the axes that `holder` asked for: its part of them, or a refusal of the
 *   whole. ROBO_ENONE: that client asks nothing of this one.
 * - resume: ends latches. ROBO_ESTOPPED; ROBO_EROLE; ROBO_ENONE: no such client is latched.
 * - override: robo__override_set by a client. ROBO_ESTOPPED, ROBO_ELEASE: it may not make the robot faster. */
int robo__session_request(struct robo__session *session, enum robo_query op, const void *what,
                          uint8_t role, void *reply, robo_time now);
/* The oldest question to the session's client after the one with that serial, and its own serial; false: there is none. */
bool robo__session_asked(struct robo__session *session, uint32_t *serial,
                         struct robo_notice_asked *out);
/* Whether another client has any lease of the robot. */
bool robo__session_is_shared(struct robo__session *session, robo_time now);
/* The clients that have leases, by their place in a list that changes with them; false: there are no more. */
bool robo__session_holder(struct robo__session *session, unsigned index, robo_time now,
                          struct robo_reply_holder *out);
/* Of other clients that keep others out, the one whose lease lasts longest; false: there is none. */
bool robo__session_longest_holder(struct robo__session *session, robo_time now,
                                  struct robo_reply_holder *out);
/* The greatest cost of a look at all leases, in sessions and axes looked at: for each client that has any and for each
 * axis that is held, all sessions. */
size_t robo__session_holders_work(struct robo__session *session);
/* The name that this client of the robot gave itself; "" when it has gone. */
void robo__session_name_of(struct robo__session *session, uint32_t number,
                           char name[ROBO__HOLDER_NAME]);
/* For so long a lease outlasts its use. */
robo_time robo__session_lease_time(const struct robo__session *session);

/* The stop to report to the session's client: its latch, or the newest stop if that was its own. */
void robo__session_latch(struct robo__session *session, struct robo_notice_latched *out);
/* The latched clients of the robot, by their place, the runs of a hosted script once; false: there are no more. */
bool robo__session_latched(struct robo__session *session, unsigned index,
                           struct robo_reply_latch *out);
/* Whether a motion of the client that goes through another session is refused; else *stop is the number of the newest stop. */
bool robo__session_refuses_motion(struct robo__session *session, uint32_t *stop, robo_time now);

/* ---- of a robot ---- */

struct robo__alarm robo__robot_alarm(const robo_robot *robot); /* any thread, no lock */
unsigned robo__robot_sessions(robo_robot *robot);              /* how many are open */
/* As robo__session_holder; none of them is own. Takes the mutex itself. */
bool robo__robot_holder(robo_robot *robot, unsigned index, robo_time now,
                        struct robo_reply_holder *out);
struct robo__senses *robo__robot_senses(robo_robot *robot);

/* robo_panic by a client of that name. */
void robo__panic_by(robo_robot *robot, const char *name);
/* A panic of all robots: the last is halted before the clients of the first are notified. */
void robo__panic_all(robo_world *world, const char *name);
/* The client that sent the newest panic, or reset it; "": none did. Takes the mutex itself. */
void robo__robot_panic_name(robo_robot *robot, char name[ROBO__HOLDER_NAME]);

/* How a robot is, besides its state. */
struct robo__health {
    struct robo__tally tally;
    uint32_t silences;                  /* how often the deadman has stopped what a client moved */
    uint32_t sessions;                  /* that are open */
    uint32_t lost;                      /* devices, so far */
    uint64_t underruns;                 /* commands that came after they should have begun */
    uint64_t late;                      /* of these, those of open sessions */
    bool lies;                          /* it has fallen */
    char blocked[64];                   /* what keeps its base from moving; "": nothing */
    char panic_name[ROBO__HOLDER_NAME]; /* as above */
};
/* Takes the mutex itself. */
void robo__robot_health(robo_robot *robot, struct robo__health *health);

/* A panic reported by a device that is a robot itself: as robo_panic, and `by` is that device while it halts. The
 * panic's number. */
uint32_t robo__panic_told(robo_robot *robot, const robo_device *by);
/* The same as robo_panic, with the robot's mutex held. */
void robo__panic(robo_robot *robot);

/* A client's reset: 0, or ROBO_EPANIC when there has been another panic since the newest one that was reported to it;
 * that other panic goes on. */
int robo__reset_known(robo_robot *robot, struct robo__known known, const char *name);

/* The share of their speeds that motions have from now on: 0, or 0.001 to 1. ROBO_ERANGE. Takes the mutex itself. */
int robo__override_set(robo_robot *robot, double share);
/* The cost of setting another share now, in queued commands that are looked at. Takes the mutex itself. */
size_t robo__override_work(robo_robot *robot);

/* The messages that the bus has sent; ROBO_ENONE: there is no bus. Takes the mutex itself. */
int robo__robot_bus(robo_robot *robot, struct robo_reply_bus *out);
