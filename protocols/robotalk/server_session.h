/* The server's side of RoboTalk, inside: a connection (robo__serve), and a server session for each of its sessions. A robot
 * wakes the server session when its return queue has results, when the deadman has stopped the robot, and at panic and
 * reset. */
#pragma once

#include "net/conn.h"
#include "net/inbox.h"
#include "robot/client.h"
#include "robotalk/record.h"
#include "views.h"
#include "wire.h"

enum { ROBO__SERVER_SESSIONS = 16, ROBO__BROADCASTS = 8 };
#define ROBO__NOBODY UINT32_MAX

/* A broadcast: a state that is sent periodically, or the readings of some sensors. */
struct robo__broadcast {
    struct robo__server_session *server_session; /* NULL: free */
    uint32_t id;
    uint16_t op; /* ROBO_Q_BROADCAST or ROBO_Q_WATCH */
    robo_time period;
    uint8_t more;                     /* of a state: enum robo_more */
    struct robo_request_sense wanted; /* of a watch */
    uint64_t told; /* the sum of the numbers of the sent readings: a new reading increases it */
    uint64_t sent,
        /* bytes of its answers, and of those that the client has acknowledged; 0: it never does */
        heard;
    robo_time last;             /* answer */
    robo_time due;              /* the answer that is being made */
    struct robo__window window; /* of bytes that were sent and not acknowledged */
    struct robo__timer timer;
};

/* One open session. Outlives it while its wake-up is posted. */
struct robo__server_session {
    struct robo__wakeup wakeup;
    struct robo__serve *serve; /* NULL: closed */
    struct robo__session *session;
    uint32_t changes;                       /* of retained notices, as last looked at */
    uint32_t retained[ROBO_RETAINED_KINDS]; /* notices of each kind so far */
    uint32_t id, epoch, stops, revision;    /* all but id, and panic: as in its last notice */
    uint32_t paused, resumed;               /* as in its last notice */
    uint32_t leases, losses, asks, answers; /* as in its last notice */
    uint32_t held_by;                       /* as in its last notice; ROBO__NOBODY: none yet */
    uint32_t latch;                         /* as in its last notice: number of the stop, */
    bool latched;                           /* and whether it holds */
    bool panic, mode_failed;
    struct robo__timer again; /* the mode wants to be asked */
    struct robo__broadcast broadcast[ROBO__BROADCASTS];
    struct robo__view *view[ROBO__VIEWS];
};

/* The first package, and its first entry, that was not executed since there was no room for the answer. package 0: none. */
struct robo__unexecuted {
    uint32_t package, entry;
};

struct robo__serve {
    struct robo__conn *conn;
    struct robo__server_session *server_session[ROBO__SERVER_SESSIONS];
    uint32_t last_session, last_package;
    uint64_t seen; /* received packages: last_package, last_package - 1, … */
    size_t unseen; /* offset in the received bytes of the first header whose flags did not act */
    size_t work;   /* that the queries of this package have cost */
    bool any;
    bool panic;   /* a panic of an unauthenticated client: it acts when the greeting is accepted */
    uint8_t role; /* enum robo_role; 0: not greeted yet */
    bool
        overrun; /* the client knows that nothing more is executed, nor answered, but panics and stops */
    struct robo__unexecuted unexecuted;
    bool takeover;             /* clients with the role "operate" may take leases without asking */
    struct robo__identity who; /* as it has greeted, by this name: */
    char name[ROBO__HOLDER_NAME];
    struct robo__reload *reload; /* a robot that the client reloads; NULL: none */
    struct robo__asker asker;    /* of the script that does it */
    struct robo__asker scripts;  /* of the program, for the scripts that live in it */
    size_t pictures;             /* bytes of the world's budget that those have which go out */
    robo_recording *recording;   /* that the client fetches; NULL: none */
    size_t recorded;             /* bytes of the world's budget that it has */
    bool recorded_all;           /* it is of all robots */
    struct robo_package out;
};

/* ---- server_session.c: packages out ---- */

struct robo__server_session *robo__server_session_find(struct robo__serve *serve, uint32_t session);

/* Room for a package of that many bytes; false: there is none, or the connection is closing, and entries that are added are dropped.
 * robo__serve_end sends the package if it has entries. */
bool robo__serve_begin(struct robo__serve *serve, size_t room);
void robo__serve_end(struct robo__serve *serve, enum robo_type type,
                     const struct robo__server_session *ss, uint32_t id, robo_time now);

void robo__serve_notice(struct robo__serve *serve, const struct robo__server_session *ss,
                        enum robo_notice op, const void *msg, robo_time now);

/* The notice of a fault: an error, the query or 0, the byte of the package, a field or a text; a text that
 * begins with = is the whole message, without that of the error. */
void robo__serve_fault(struct robo__serve *serve, const struct robo_header *header, int error,
                       uint32_t query, size_t offset, const char *field, robo_time now);

/* Answers a command that cannot be read: ERROR, malformed or range; NA, unsupported, when there is no such command. A
 * command without an id cannot be answered: that is a fault. */
void robo__serve_unread(struct robo__serve *serve, const struct robo_header *header,
                        const struct robo_entry *entry, int error, size_t offset, robo_time now);

/* Refuses commands that found no room in the queues. */
void robo__serve_refuse(struct robo__serve *serve, const struct robo__server_session *ss,
                        const struct robo_cmd *cmds, size_t n, enum robo_reason why, robo_time now);

/* ---- server_session.c: the life of a server session ---- */

/* The return queue to the wire, and that the session's mode has failed. While the client leaves much unread the rest waits
 * until it has read, and the connection owes it. */
void robo__server_session_results(struct robo__server_session *ss, robo_time now);
/* Also then: of a session that is to be closed. */
void robo__server_session_all_results(struct robo__server_session *ss, robo_time now);

/* Sends results, and all notices of the session to its client. The session may be over then. */
void robo__server_session_report(struct robo__server_session *ss, robo_time now);

void robo__server_session_close(struct robo__serve *serve, struct robo__server_session *ss);

/* After work on the session: its timer is set, and its client notified of pauses. */
void robo__server_session_arm(struct robo__server_session *ss, robo_time now);

/* Notifies the client of a panic or a reset that it does not know of. */
void robo__server_session_send_panic(struct robo__server_session *ss, robo_time now);

/* For a new server session: its timer, its wake-up, and the callbacks of its session. */
void robo__server_session_on_again(struct robo__timer *timer, robo_time now);
void robo__server_session_on_wakeup(struct robo__wakeup *wakeup, robo_time now);
void robo__server_session_wake(void *server_session);

/* ---- reload.c ---- */

/* A piece of the configuration block by which the client reloads a session's robot. 1: *reply is the answer; 0: the
 * answer will follow, for that was the last piece; else an error, with a message in text, unless that is empty. */
int robo__serve_reload(struct robo__serve *serve, const struct robo__server_session *ss,
                       const struct robo_header *header, uint32_t query,
                       const struct robo_request_reload *request, struct robo_reply_reload *reply,
                       char text[128]);

/* The connection closes. A reload that has begun goes on. */
void robo__serve_leave_reload(struct robo__serve *serve);
/* The end of its recording, if it has one. */
void robo__serve_leave_recording(struct robo__serve *serve);

/* ---- server.c ---- */

/* Notes that this entry of a package was not executed. */
void robo__serve_unexecuted(struct robo__serve *serve, const struct robo_header *header,
                            uint32_t entry);

/* The client has identified itself: packages that waited for that act. */
void robo__serve_let_in(struct robo__serve *serve);

/* ---- scripts.c ---- */

/* A query about the scripts of the server, or about its episodes: 0, and its answer will follow; or an error. */
int robo__serve_script(struct robo__serve *serve, const struct robo_header *header, uint32_t query,
                       const struct robo_operation *op, const void *request);

/* ---- queries.c ---- */

/* Whether a package of another version begins with hello, which is read in any. */
bool robo__is_hello(const struct robo_header *header, const uint8_t *payload);

/* Works on a package of queries: one reply package or fault for each. */
void robo__serve_queries(struct robo__serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now);
