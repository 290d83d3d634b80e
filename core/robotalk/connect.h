/* Clients: connections to servers, their sessions, and the answers. */
#pragma once

#include <stddef.h>

#include "robotalk/command.h"

ROBO_API_BEGIN

/* ---- a client ---- */

struct robo_channel; /* robotalk/link.h */

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
    robo_session_id session; /* 0: of none */
    robo_id id;
};

/* Begins to connect and returns at once; ROBO_EVENT_LINK has the outcome. options may be NULL. NULL on failure, as
 * robo_connect. This call never waits; robo_session and robo_wait do, and turn the loop meanwhile, unless it was started. */
robo_client *robo_client_open(robo_loop *loop, const char *url,
                              const struct robo_client_options *options, int *error, char why[256]);

/* 1: connected; 0: not yet; or the error for which it is down. */
int robo_client_state(const robo_client *client);

/* Waits until it is connected and has measured the server's clock, turning its loop for `timeout` at most. 0;
 * ROBO_ETIMEOUT; or the error for which it is down; text (may be NULL) describes it. */
int robo_client_wait(robo_client *client, robo_time timeout, char text[256]);

/* The server's message when it refused the last query that it refused, or the reason why the link is down; "" if there
 * is none. Until the next call. */
const char *robo_client_why(const robo_client *client);

/* Connects to robotalk://host[:port][/robot], robotalk+tls://host[:port]?trust=FILE (docs/tls.md), unix:PATH[#robot], or
 * to "local:" within this process, and greets. Waits at most `timeout`. NULL on failure, with *error set and a message in
 * text, either of which may be NULL. */
robo_client *robo_connect(robo_world *world, const char *url, robo_time timeout, int *error,
                          char text[256]);
void robo_disconnect(robo_client *client); /* closes its sessions */

/* Ends a session on both sides, and waits for nothing. */
void robo_session_end(robo_client *client, robo_session_id session);

/* Opens a session and waits for it, and in a mode that holds for the packages that measure the link, both for
 * `timeout` at most. options may be NULL. ROBO_ETIMEOUT; ROBO_ELINK; why the server has refused it; ROBO_ELIMIT: 16 are open;
 * ROBO_ERANGE: a text is too long; ROBO_EINVAL: options without a size. */
robo_session_id robo_session(robo_client *client, const struct robo_session_options *options,
                             robo_time timeout);

/* Sends commands as one package, of the first one's revision, and returns the id of the first; the others follow
 * on. The ids in cmds are set. Does not wait. ROBO_ENONE: no such session; ROBO_ELINK: it is not open; ROBO_EINVAL: no
 * commands, or a frame that is none; ROBO_EFULL: unread by the server, or too many unanswered: then a package of stops is sent all
 * the same, and its results are not kept; ROBO_ERANGE: a number that the wire cannot carry; ROBO_ENOMEM. After an error nothing was sent. */
robo_id robo_send(robo_client *client, robo_session_id session, struct robo_cmd *cmds,
                  size_t count);

/* Sends a query and returns its id. body: struct robo_request_…; NULL if the query has none, or if all of its fields may be
 * left out. Does not wait. ROBO_Q_CLOSE ends the session; its unanswered commands end as INTERRUPTED, closed, its queries as
 * ROBO_ECLOSED. session.value 0: a query of no session. ROBO_EOP: no such query; ROBO_EINVAL: no body, where there must be one;
 * else as robo_send. */
robo_id robo_request(robo_client *client, robo_session_id session, enum robo_query op,
                     const void *body);

/* Panic of a session's robot, or its reset: a header alone, which needs no room in any queue. session.value 0: a panic of every
 * robot of the server. ROBO_ENONE: no such session; ROBO_ELINK: it is not open; ROBO_EFULL. */
int robo_client_panic(robo_client *client, robo_session_id session);
int robo_client_reset(robo_client *client, robo_session_id session);

/* Waits until the answer to `id` is in the return cache, as it is when the link is lost, too. ROBO_ENONE: no answer to
 * that is awaited or kept; ROBO_ETIMEOUT. */
int robo_wait(robo_client *client, robo_id id, robo_time timeout);

/* Takes the result of a command out of the return cache: 1, or 0 when it has not come. ROBO_ENONE: no answer to that is awaited
 * or kept. */
int robo_take(robo_client *client, robo_id id, struct robo_result *result, size_t size);
/* The same for a query: reply is its struct robo_reply_…, of `size` bytes; of a state or a broadcast without `more` a struct
 * robo_state; of a picture or a view a struct robo_picture, whose bytes stay until another function of the client is called. A
 * refused query gives its error; ROBO_EINVAL: the reply is larger than `size`. */
int robo_take_reply(robo_client *client, robo_id id, void *reply, size_t size);
/* The results of the parts of a frame (ROBO_MOVE), before its result is taken: of parts that did not end in success, as
 * many as there is room for; none when all of them ended as the whole. Returns their number; ROBO_ENONE as above. */
int robo_parts(robo_client *client, robo_id id, struct robo_part *parts, size_t room);

/* One turn of its loop, waiting at most `wait`. Returns the number of events. Turns also give the signs of life without which the
 * deadman stops what the client moves. */
int robo_poll(robo_client *client, robo_time wait);
/* 1, or 0 when there is none. */
int robo_next_event(robo_client *client, struct robo_event *event, size_t size);

ROBO_API_END
