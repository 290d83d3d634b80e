/* Clients: connections to servers, their sessions, and the answers. */
#ifndef ROBOTALK_CONNECT_H
#define ROBOTALK_CONNECT_H

#include <stddef.h>

#include "robotalk/command.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* cdef { */

/* ---- a client ---- */

/* A simulated channel of a client within this process ("local:"), which is ideal without one. Times in
 * nanoseconds, probabilities 0 to 1 for each chunk, which one side sent at once; chance is the world's seed's. */
struct robo_channel {
    size_t size;               /* sizeof(struct robo_channel) */
    robo_time latency, jitter; /* each chunk takes latency plus 0 to jitter */
    double rate;               /* bytes a second; 0: no bound */
    double loss;               /* a lost chunk comes after `again`, and later ones wait for it */
    robo_time again;           /* retransmission time; 0: 0.2 s (the least of Linux TCP) */
    double duplicate, reorder; /* as datagrams do: twice, or not in order */
    double split; /* of a stream: in two pieces, cut anywhere; not together with those two */
    robo_time stall_least, stall_most; /* the server's wait before it reads each package */
};

struct robo_client_options {
    size_t size;                        /* sizeof(struct robo_client_options) */
    int reconnect;                      /* 1: comes back after a lost link, with all sessions */
    const struct robo_channel *channel; /* NULL: ideal */
    /* NULL, or a function that is called when there are events: read them soon. From inside of the loop's turns and of
     * any call of the client; it may call functions of the client, but not robo_disconnect, nor wait. */
    void (*notify)(void *owner, robo_client *client);
    void *owner;
    int role;         /* enum robo_role: the requested role; 0: operate */
    const char *name; /* how servers call it for people, at most 63 bytes; NULL: robotalk */
    /* 1: its leases are its own. 0: all such clients of a world are one for a server, so that a program with several
     * connections is not in its own way. */
    int apart;
    /* NULL, or the token by which the server identifies the client, unless the address names a file with it (token=FILE); at
     * most 255 characters. It is sent by TLS, or to this machine alone. */
    const char *token;
    /* not 0: clients with the same number are one for a server, in the place of all of the world: those of one script of
     * several. Chosen at random. */
    uint64_t key;
};

struct robo_session_options {
    size_t size;         /* sizeof(struct robo_session_options) */
    const char *robot;   /* NULL: that of the URL, or the first */
    const char *mode;    /* NULL: direct */
    const char *options; /* name=value,…  for the mode; may be NULL */
    robo_time delay;     /* delay mode: how much later every command is run */
    robo_time duration;  /* playback mode: length of the sequence; 0: unknown */
    robo_time deadman;   /* silence after which a moving robot stops; 0: the robot's own */
    robo_time gap;    /* longest time between two frames of a buffered mode; 0: the deadman time */
    robo_time expiry; /* age beyond which a command is refused; 0: the mode's own; -1000: none */
    /* 1: only results other than SUCCESS are sent, in a mode whose calls do not wait. robo_take and robo_wait return
     * ROBO_ENONE for the others. After ROBO_Q_FINISH the notice ROBO_N_SETTLED says that all results have arrived, and
     * the rest is SUCCESS. */
    int errors_only;
    /* 1: a command takes the place of those of this session that wait for its axes, for its instant or a later one */
    int newest;
};

enum robo_event_kind {
    ROBO_EVENT_RESULT = 1, /* a command's result */
    ROBO_EVENT_REPLY = 2,  /* the reply to a query */
    ROBO_EVENT_NOTICE = 3, /* the server has sent a notice */
    ROBO_EVENT_LINK = 4    /* the link is lost (op = error number) or up again (op = 0) */
};

/* An event on a connection, in the order of its events. id: of the command or query. */
struct robo_event {
    int kind;
    uint16_t op;
    uint32_t session, id;
};

/* Begins to connect and returns at once; ROBO_EVENT_LINK has the outcome. options may be NULL. NULL on failure, as
 * robo_connect. This call never waits; robo_session and robo_wait do, and turn the loop meanwhile, unless it was started. */
robo_client *robo_client_open(robo_loop *loop, const char *url,
                              const struct robo_client_options *options, int *error, char why[256]);

/* The client of that key is to end, whatever its own thread does. Key 0: the program itself, with its clients that were opened with
 * key 0 and not `apart`; clients of other programs are not affected. On all robots of this world its motions are stopped, its waiting
 * commands are INTERRUPTED, closed, and its leases are free. Its commands are answered so from now on, also by sessions that it opens
 * later; its stops still act. For any thread that is in no driver. */
void robo_dismiss(robo_world *world, uint64_t key);

/* The same without waiting for robots that another thread is busy with, as one whose driver blocks: 1: it is done; 0: such robots
 * are left, and it is to be called again. Sessions that the client opens are refused from the first call on. */
int robo_try_dismiss(robo_world *world, uint64_t key);

/* The same for all clients of robots of this world, also future ones: the program is to end. */
int robo_try_dismiss_all(robo_world *world);

/* The program goes on: after robo_try_dismiss(world, 0) its own clients command again. For any thread that is in no driver. */
void robo_readmit(robo_world *world);

/* The same for robots elsewhere: each session of this client that has sent a command stops its own motions (scope 1). From now on
 * commands are answered INTERRUPTED, closed without being sent, except stops. It waits for nothing and calls nothing of the
 * program's: with robo_loop_try_lock another thread may do it. Robots of this process are left to robo_dismiss. */
void robo_client_dismiss(robo_client *client);
void robo_client_readmit(robo_client *client); /* on its loop's thread: it commands again */

/* 1: connected; 0: not yet; or the error for which it is down. */
int robo_client_state(const robo_client *client);

/* Waits until it is connected and has measured the server's clock, turning its loop for `timeout` at most. 0;
 * ROBO_ETIMEOUT; or the error for which it is down; text (may be NULL) describes it. */
int robo_client_wait(robo_client *client, robo_time timeout, char text[256]);

/* The server's message when it refused the last query that it refused, or the reason why the link is down; "" if there
 * is none. Until the next call. */
const char *robo_client_why(const robo_client *client);

/* enum robo_role: the role that the server has granted; 0 as long as it has not greeted. */
int robo_client_role(const robo_client *client);

/* The loop that it lives on; robo_connect makes one. As long as the client. */
robo_loop *robo_client_loop(const robo_client *client);

/* Connects to robotalk://host[:port][/robot], robotalk+tls://host[:port]?trust=FILE (docs/tls.md), unix:PATH[#robot], or
 * to "local:" within this process, and greets. Waits at most `timeout`. NULL on failure, with *error set and a message in
 * text, either of which may be NULL. */
robo_client *robo_connect(robo_world *world, const char *url, robo_time timeout, int *error,
                          char text[256]);
void robo_disconnect(robo_client *client); /* closes its sessions */

/* State of a session that its client knows without a query. */
struct robo_session_news {
    int open;          /* 1: commands may be sent */
    int blocking;      /* 1: in its mode calls wait for their answers */
    int panic;         /* 1: the robot is in panic */
    uint32_t epoch;    /* of the robot: how many panics there were */
    robo_time deadman; /* silence after which the robot stops; 0: none */
    /* the client that held the lease for which the newest command was refused as BUSY, lease: its number and its name;
     * "": no command was, or the holder is the program that serves the robot. Until the next call. */
    uint32_t holder;
    const char *holder_name;
    /* the obstacle of the robot's base (ROBO_N_BLOCKED); "": none. Until the next call. */
    const char *obstacle;
    /* 1: a stop by another client has latched this one: commands that move are INTERRUPTED, stopped, until ROBO_Q_RESUME with
     * the number of that stop. Else the number is that of the client's own newest stop; 0: there is none. Further the stopper's
     * number, its name, until the next call, and when it stopped, by this clock. */
    int latched;
    uint32_t stop, stopper;
    const char *stopper_name;
    robo_time stopped_at;
};
int robo_session_news(robo_client *client, uint32_t session,
                      struct robo_session_news *news); /* 0; ROBO_ENONE: no such session */

/* The request of that other client to this one (ROBO_N_ASKED, whose value is its number), with its time by this clock: 0;
 * ROBO_ENONE: there is none, or its time is over, or there is no such session. ROBO_Q_GIVE answers it. */
int robo_session_asked(robo_client *client, uint32_t session, uint32_t holder,
                       struct robo_notice_asked *asked);

/* Begins to open a session and returns its number at once. The ROBO_EVENT_REPLY of *id has the outcome; commands before that
 * are refused. options may be NULL. ROBO_ELIMIT: 16 are open; ROBO_ERANGE: a text is too long; ROBO_EINVAL: options without
 * a size; else as robo_request. */
int64_t robo_session_begin(robo_client *client, const struct robo_session_options *options,
                           uint32_t *id);

/* Ends a session on both sides, and waits for nothing. */
void robo_session_end(robo_client *client, uint32_t session);

/* Opens a session and waits for it, and in a mode that holds for the packages that measure the link, both for
 * `timeout` at most. Returns its number. ROBO_ETIMEOUT; ROBO_ELINK; why the server has refused it; else as
 * robo_session_begin. */
int64_t robo_session(robo_client *client, const struct robo_session_options *options,
                     robo_time timeout);

/* Sends commands as one package, of the first one's revision, and returns the id of the first; the others follow
 * on. The ids in cmds are set. Does not wait. ROBO_ENONE: no such session; ROBO_ELINK: it is not open; ROBO_EINVAL: no
 * commands, or a frame that is none; ROBO_EFULL: too many unanswered, or unread by the server; ROBO_ERANGE: a number that the
 * wire cannot carry; ROBO_ENOMEM. After an error nothing was sent. */
int64_t robo_send(robo_client *client, uint32_t session, struct robo_cmd *cmds, size_t count);

/* Sends a query and returns its id. body: struct robo_request_…; NULL if the query has none, or if all of its fields may be
 * left out. Does not wait. ROBO_Q_CLOSE ends the session; its unanswered commands end as INTERRUPTED, closed, its queries as
 * ROBO_ECLOSED. session 0: a query of no session. ROBO_EOP: no such query; ROBO_EINVAL: no body, where there must be one;
 * else as robo_send. */
int64_t robo_request(robo_client *client, uint32_t session, enum robo_query op, const void *body);

/* Replaces the description of the session's robot, for all its clients (robo_reload_body), by the body's configuration
 * block; the robot keeps its drivers, joint by joint. Sends the block in pieces and returns the id of the last, whose reply
 * (struct robo_reply_reload) comes when it is done. Does not wait. Requires the role "operate" (ROBO_EROLE). Also refused:
 * the body of a robot of another name, ROBO_EINVAL; a reload while another one of this client is under way, ROBO_ELIMIT; and
 * a body for which a driver does not open. Then the robot goes on as it was. Errors of this function itself: as robo_send. */
int64_t robo_client_reload(robo_client *client, uint32_t session, const robo_body *body);

/* Panic of a session's robot, or its reset: a header alone, which needs no room in any queue. session 0: a panic of every
 * robot of the server. ROBO_ENONE: no such session; ROBO_ELINK: it is not open; ROBO_EFULL. */
int robo_client_panic(robo_client *client, uint32_t session);
int robo_client_reset(robo_client *client, uint32_t session);

/* Waits until the answer to `id` is in the return cache, as it is when the link is lost, too. ROBO_ENONE: no answer to
 * that is awaited or kept; ROBO_ETIMEOUT. */
int robo_wait(robo_client *client, uint32_t id, robo_time timeout);

/* Takes the result of a command out of the return cache: 1, or 0 when it has not come. ROBO_ENONE: no answer to that is awaited
 * or kept. */
int robo_take(robo_client *client, uint32_t id, struct robo_result *result);
/* The same for a query: reply is its struct robo_reply_…, of `size` bytes; of a state or a broadcast without `more` a struct
 * robo_state; of a picture or a view a struct robo_picture, whose bytes stay until another function of the client is called. A
 * refused query gives its error; ROBO_EINVAL: the reply is larger than `size`. */
int robo_take_reply(robo_client *client, uint32_t id, void *reply, size_t size);
/* The results of the parts of a frame (ROBO_MOVE), before its result is taken: of parts that did not end in success, as
 * many as there is room for; none when all of them ended as the whole. Returns their number; ROBO_ENONE as above. */
int robo_parts(robo_client *client, uint32_t id, struct robo_part *parts, size_t room);

/* An answer in the return cache, as it is there: for hosts that convert it at once. The memory that it points to stays until
 * the answer is dropped or taken, or another function of the client is called. */
struct robo_answer {
    int query; /* 1: of a query; 0: of a command */
    int error; /* of a refused query; 0: it was not refused */
    uint16_t op;
    uint8_t more;   /* of a state or a broadcast: the requested optional parts, enum robo_more */
    uint32_t parts; /* of a frame: how many */
    const struct robo_result *result; /* of a command */
    const struct robo_part *part;     /* as robo_parts */
    /* struct robo_reply_…, struct robo_state or struct robo_picture, as with robo_take_reply; NULL: it has no body, or was refused */
    const void *reply;
    size_t size; /* bytes of reply */
};
/* Returns an answer that stays there: 1, or 0 when it has not arrived. ROBO_ENONE as above. */
int robo_look(const robo_client *client, uint32_t id, struct robo_answer *answer);
/* Removes an answer that robo_look has returned from the cache; but a broadcast goes on under its id. */
void robo_drop(robo_client *client, uint32_t id);

/* One turn of its loop, waiting at most `wait`. Returns the number of events. */
int robo_poll(robo_client *client, robo_time wait);
int robo_next_event(robo_client *client, struct robo_event *event); /* 1, or 0 when there is none */

/* Server clock minus this clock, and how far that may be off. ROBO_ENONE before the first exchange. */
int robo_clock_offset(robo_client *client, robo_time *offset, robo_time *uncertainty);

/* The estimate of the server's clock and of the link. */
struct robo_timing {
    robo_time offset, uncertainty; /* as robo_clock_offset */
    double drift;                  /* of the two clocks, s per s */
    robo_time least, median;       /* round trips: of the newest exchanges, and */
    robo_time jitter;              /* the greatest less the least of all since the link is up */
    uint32_t exchanges;            /* since then */
    uint32_t probing;              /* that are still to come of robo_client_probe */
};
int robo_client_timing(robo_client *client, struct robo_timing *timing); /* ROBO_ENONE as above */

/* Begins to measure the clock with up to `count` exchanges in a row, for `span` at most. ROBO_EVENT_REPLY of ROBO_Q_SYNC
 * marks the end. */
void robo_client_probe(robo_client *client, uint32_t count, robo_time span);

/* Sends that many small packages at once, from which modes learn how long each keeps the next one waiting. Ends as a probe. */
void robo_client_train(robo_client *client, uint32_t count);

/* cdef } */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
