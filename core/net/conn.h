/* A connection as a server sees it: bytes in, bytes out, a protocol between them; no socket here. Sockets
 * (server.c), in-memory connections (loopback.c) and tests drive it alike. Owned by one host's thread. */
#pragma once

#include "access.h"
#include "host.h"
#include "send_window.h"
#include "robot/timeline/delay_estimate.h"

struct robo__conn;
struct robo__listener;

/* Limits before the greeting (robo__conn_greeted): bytes that a client may send, and the time that it may
 * take. Beyond them its connection is closed. Zeros: no greeting is required. The protocol itself defines
 * which requests are allowed before the greeting. */
struct robo__greeting {
    size_t bytes;
    robo_time within;
};

/* A protocol's side of a connection. */
struct robo__protocol {
    const char *name;         /* also the scheme of its addresses: name://host[:port] */
    uint16_t port;            /* meant by an address that names none */
    enum robo__medium medium; /* of its addresses NAME://: ROBO__TCP, or ROBO__DDS */
    size_t size;              /* bytes of state, zeroed */
    const struct robo_scheme_option *options; /* ended by one without a name; NULL: it has none */
    bool tells_token; /* its clients can send a token (robo__conn_admit); else at most a key */
    bool speaks_http; /* it takes HTTP itself, and checks pages in browsers */
    bool watches;     /* it moves nothing: clients with the role "watch" are accepted */
    bool names_part;  /* its addresses may name a part of a robot: /robot/part */
    struct robo__greeting greeting;
    /* Returns what was expected (static text) where single valid options contradict each other; NULL: they do not. The function
     * may be NULL. */
    const char *(*wrong)(const double *option);
    /* url: the listening address, for its robot and options; borrowed for the call. */
    int (*open)(void *state, struct robo__conn *conn, const struct robo__url *url);
    /* Works on complete packages, as long as the connection is not full and it does not take long, and acts on the
     * headers received so far; returns the bytes it is done with. Asked again with the rest after the others' turns,
     * when more was received, or when the client has read. `one`: at most one package. */
    size_t (*feed)(void *state, const uint8_t *in, size_t n, bool one, robo_time now);
    /* The connection is overrun (below): `in` is the waiting input that is not executed. The protocol reports it, and from then on
     * `feed` acts on panics and stops alone. NULL: such a connection is closed at once. */
    void (*overrun)(void *state, const uint8_t *in, size_t n, robo_time now);
    /* The client has read, and `owes` is set: the protocol says more. NULL: it never owes anything. */
    void (*resume)(void *state, robo_time now);
    /* The client must go, since it is not listed any more: sends a final response. NULL: the
     * protocol has none. */
    void (*dismiss)(void *state, robo_time now);
    /* The server is closing: sends a final response. NULL: the protocol has none. */
    void (*shutdown)(void *state, robo_time now);
    void (*close)(void *state);
    /* A server listens at an address from now on, and until `unserve`. ROBO_E… with the reason in why: it does not. NULL: connections are all. */
    int (*serve)(struct robo__listener *listener, char why[256]);
    void (*unserve)(struct robo__listener *listener);
};

enum {
    ROBO__CONN_IN =
        1 << 20, /* bytes kept at most that wait for the client to read: then it is overrun */
    ROBO__CONN_OUT = 1 << 18, /* above this no more of this client is worked on until it has read */
    ROBO__CONN_BUSY = 1 << 14, /* above this no piece of a picture follows: the newest wins */
    ROBO__CONN_MOST = 1 << 22, /* above this it is overrun: the client does not read */
    ROBO__CONN_LAST = 512      /* of these, for the report of that */
};

/* An overrun connection executes nothing more but panics and stops. It is closed when its client closes it, or after that time. */
static const robo_time ROBO__OVERRUN = 30000000000;

struct robo__conn {
    struct robo__host *host;
    const struct robo__protocol *protocol;
    void *state;
    uint8_t *in, *out; /* NULL, or small, while empty: idle connections cost little */
    size_t in_count, in_size, out_first, out_count, out_size, taken_size;
    uint64_t written;          /* bytes that the transport has taken */
    uint8_t in_lull, out_lull; /* how often in a row a half of them was enough */
    size_t memory;             /* bytes of the world's budget that these have */
    struct robo__share
        *share; /* of where it comes from; `alone` unless its server says otherwise */
    struct robo__share alone;
    bool closing; /* the protocol wants it closed once `out` is written */
    bool owes;    /* the protocol has more to say when the client has read */
    bool
        holds; /* the protocol wants no more bytes until it says so, and kicks: input waits with the client */
    /* the protocol has left packages to the others' turns, as they are much work: it goes on though the client does not read, and
     * no more is read before, so that the client's end waits, too */
    bool halfway;
    bool overrun, told_overrun;  /* told_overrun: the protocol was notified */
    struct robo__timer patience; /* until it is closed for that */

    /* The transport's: more to write, or closing. Called from robo__conn_kick only. */
    void (*kick)(struct robo__conn *conn);
    /* How many bytes of the last that it has taken may not have reached the client's machine. NULL: none. */
    size_t (*underway)(const struct robo__conn *conn);

    /* Injected congestion (paper 000, VI.B): before each package is read, a wait from this range. */
    robo_time stall_least, stall_most;
    struct robo__timer stall;
    bool stalled;

    int stream; /* descriptor of a TCP connection without TLS, plus 1; 0: something else carries it */

    struct robo__access *access;          /* where it came in; NULL: within the process */
    struct robo__credentials credentials; /* its proofs of identity there */
    uint8_t role; /* the greatest that the client was granted; 0: none yet */
    struct robo__unauthenticated pending;
    const char *refused; /* why the client was refused, or disconnected later; NULL: it was not */

    bool greeted;
    size_t ungreeted; /* bytes received before that */
    struct robo__timer greeting;

    struct robo__window window; /* of periodic data */

    /* the traffic of its link, measured from its packages; kept from the first holding session
     * on */
    struct robo__traffic traffic;
};

/* Sets up the protocol of the address. */
int robo__conn_init(struct robo__conn *conn, struct robo__host *host, const struct robo__url *url,
                    void (*kick)(struct robo__conn *));
void robo__conn_free(struct robo__conn *conn); /* closes its protocol state; sessions with it */

/* Bytes were received. The transport then writes the contents of `out`. */
void robo__conn_receive(struct robo__conn *conn, const uint8_t *bytes, size_t n, robo_time now);

/* From now on the traffic of the link is measured from its packages, if there is memory. */
void robo__conn_keep_traffic(struct robo__conn *conn);

/* Whether the transport should read more now. Also while the client leaves much unread: its next bytes may be a panic. */
bool robo__conn_hungry(const struct robo__conn *conn);

/* Whether something waited so that it can go on now. */
bool robo__conn_waits(const struct robo__conn *conn);

/* Goes on with work that waited for the client to read, or for the others; true when there is more to go on with at once. */
bool robo__conn_resume(struct robo__conn *conn, robo_time now);

/* For protocols: whether the client leaves so much unread that its packages must wait. */
bool robo__conn_full(const struct robo__conn *conn);

/* For protocols: the client has greeted, as they understand it. */
void robo__conn_greeted(struct robo__conn *conn);

/* The greatest role that the client may have, by what it has shown so far; 0: it is refused. */
uint8_t robo__conn_role(const struct robo__conn *conn);

/* The client connected at an address with that access control. waits: one with a list keeps the client waiting until it
 * is accepted. */
void robo__conn_enter(struct robo__conn *conn, struct robo__access *access, bool waits);

/* Whether the client is still listed with at least the role that it was granted. */
bool robo__conn_may_stay(const struct robo__conn *conn);

/* For protocols: the client sent its token, "" for none. Returns the greatest role that it may have; 0: it is refused, and
 * conn->refused has the reason. */
uint8_t robo__conn_admit(struct robo__conn *conn, const char *token);

/* For protocols: room for n bytes at the end of `out`, NULL when memory or ROBO__CONN_MOST is reached (the
 * connection is then overrun or closing). commit says how many were written there. */
uint8_t *robo__conn_reserve(struct robo__conn *conn, size_t n);
void robo__conn_commit(struct robo__conn *conn, size_t n);

/* For protocols: the position where the output so far ends, and whether the client's machine has received
 * everything up to such a position. */
uint64_t robo__conn_place(const struct robo__conn *conn);
bool robo__conn_has_come(const struct robo__conn *conn, uint64_t place);

/* For protocols: whether periodic data is left out now, since more than the link takes at once is under way (send_window.h):
 * the newest follows when that was received. */
bool robo__conn_is_busy(struct robo__conn *conn, robo_time now);

/* Closes the connection without sending the rest, since the client does not read. */
void robo__conn_drop(struct robo__conn *conn);

/* Something was written outside of robo__conn_receive. */
void robo__conn_kick(struct robo__conn *conn);

/* For transports: the bytes to be written, and that n bytes of them were. */
const uint8_t *robo__conn_output(const struct robo__conn *conn, size_t *n);
void robo__conn_written(struct robo__conn *conn, size_t n);

/* The same, all of it at once, with the buffer: *bytes within it; it is given back when it was delivered, before the next
 * is taken. For transports that deliver while more is being written. NULL: nothing to write. */
uint8_t *robo__conn_take_output(struct robo__conn *conn, const uint8_t **bytes, size_t *n);
void robo__conn_return_output(struct robo__conn *conn, uint8_t *out);
