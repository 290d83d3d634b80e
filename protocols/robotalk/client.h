/* The RoboTalk protocol, client side: one connection over a socket or an in-memory loopback, its sessions, the
 * return cache, the clock of the server, signs of life, and reconnecting. Lives on a host's thread. */
#pragma once

#include "cache.h"
#include "net/stream.h"
#include "net/clock_sync.h"
#include "wire.h"

enum {
    ROBO__CLIENT_SESSIONS = 16,
    ROBO__CLIENT_EVENTS = 1 << 17,
    ROBO__CLIENT_EXCHANGES = 8 /* of readings of the clock, under way at once */
};

enum robo__client_state { ROBO__CONNECTING, ROBO__GREETING, ROBO__UP, ROBO__DOWN };

/* A session as its client knows it. The number that callers hold stays when a lost link comes back; the
 * server's number changes then. */
struct robo__client_session {
    bool used, open;
    uint32_t number, wire, opening; /* opening: id of the open query under way */
    uint32_t epoch, stops;          /* as in the server's last notice */
    bool panic, blocking;
    char panic_name[64]; /* who sent the newest panic, or reset it */
    robo_time deadman;
    uint32_t
        holder; /* of a lease for which commands were refused, and how it calls itself, as last reported */
    char holder_name[64];
    struct robo_notice_latched latch; /* as in the last notice; `since` by our clock */
    union robo_retained_body retained[ROBO_RETAINED_KINDS]; /* the newest of each kind, */
    uint32_t told;                                          /* bit: kind of which there was one */
    uint32_t lost;  /* leases, since the last notice of a stop */
    bool commanded; /* it has sent commands */
    bool sequence;  /* it sends one: neither in direct nor in broadcast mode; see calls.c */
    bool holds;     /* its mode may hold sequences */
    bool errors;    /* it is notified of errors only */
    bool own_clock; /* of which it has one that is of a clock of its own */
    bool following; /* offset: how the starts of a sequence are converted */
    robo_time offset, followed_at;
    struct robo_request_open request; /* to open it again */
};

/* The request of another client for a session's lease, until it is due. */
struct robo__client_asked {
    uint32_t session;
    struct robo_notice_asked what;
};

/* An exchange of readings that was begun; id 0: none. */
struct robo__exchange {
    uint32_t id;
    robo_time sent;
};

/* The parameters of a client's opening, by robo_client_open or by an owner of its own host. */
struct robo__client_setup {
    struct robo__host *host;            /* whose thread this is; for sockets it must be a loop's */
    robo_loop *loop;                    /* that loop, or NULL in a virtual world */
    const struct robo_channel *channel; /* in-memory connections: how bad; NULL: ideal */
    /* the protocol of the server's end of those; NULL: robo__robotalk */
    const struct robo__protocol *protocol;
    bool reconnect;      /* come back after a lost link, with all sessions */
    enum robo_role role; /* that it wants; 0: operate */
    const char *name;    /* for people, borrowed for the call; NULL: robotalk */
    bool apart;          /* its leases are its own, not the program's */
    const char *token;   /* that it sends; NULL: none */
    uint64_t key;        /* of their owner, in the place of the world; 0: of the world */
    void (*notify)(void *owner, robo_client *client); /* as in struct robo_client_options */
    void *owner;
};

struct robo_client {
    robo_world *world;
    struct robo__client_setup options;
    struct robo_channel channel;
    struct robo__host *host;
    robo_loop *loop; /* that it uses and may turn; NULL: the setup's owner does */
    bool owns_loop;  /* which nothing else lives on */
    struct robo__url url;

    struct robo__stream stream;
    enum robo__client_state state;
    uint8_t role; /* that the server has given it */
    char name[64];
    char token[256];
    int error;    /* why it is down, or of the last refused query */
    bool refused; /* it connected again, and was refused: it stays down */
    char why[256];
    struct robo__timer retry;
    robo_time retry_after, up_since;

    bool dismissed; /* its commands are not sent (robo_client_dismiss) */
    bool working;   /* on received packages: all output meanwhile is flushed together at the end */
    uint32_t last_id, last_package, last_session, hello;
    struct robo__cache cache;
    struct robo__client_session session[ROBO__CLIENT_SESSIONS];

    struct robo__client_asked *asked; /* the oldest first */
    size_t asked_count, asked_size;
    struct robo_event *event; /* a ring; the oldest goes, with its answer, when it is full */
    size_t event_size, event_first, event_count;

    struct robo__sync sync;
    robo_time greatest_trip, least_trip;      /* of all exchanges since the link is up */
    uint32_t exchanges, probes_left, probing; /* probing: id of the exchange under way */
    struct robo__exchange exchange[ROBO__CLIENT_EXCHANGES]; /* a ring */
    uint32_t exchange_next;
    robo_time last_train; /* when the server had measured this link; 0: it has not */
    bool crowded;         /* the exchange under way shares the link with others */
    robo_time probe_until, last_exchange, last_sent, last_heard, last_frame;
    unsigned lost;           /* exchanges in a row, with nothing received meanwhile */
    robo_time patience;      /* how long the exchange under way may take before it counts as lost */
    struct robo__timer life; /* the next sign of life */
};

/* Begins to connect and returns at once; ROBO_EVENT_LINK reports the outcome. NULL: no memory, or a bad
 * URL with a message in why. */
robo_client *robo__client_open(robo_world *world, const char *url,
                               const struct robo__client_setup *options, int *error, char why[256]);

struct robo__client_session *robo__client_session_find(robo_client *client, uint32_t number);
static inline struct robo__client_session *robo__client_session_of(robo_client *client,
                                                                   robo_session_id session)
{
    const bool one = session.value > 0 && session.value <= UINT32_MAX;
    return one ? robo__client_session_find(client, (uint32_t)session.value) : NULL;
}
/* The error of an id under which there is nothing. */
static inline int robo__none_of(int64_t id)
{
    return id < 0 ? (int)id : ROBO_ENONE;
}
/* The answer under that id; NULL: none is awaited or kept. */
static inline struct robo__cached_answer *robo__client_answer_of(const robo_client *client,
                                                                 robo_id id)
{
    const bool one = id.value > 0 && id.value <= UINT32_MAX;
    return one ? robo__cache_find(&client->cache, (uint32_t)id.value) : NULL;
}

/* Keeps a question to a session, by our clock; without memory it is lost, as notices are. */
void robo__client_keep_asked(robo_client *client, uint32_t session,
                             const struct robo_notice_asked *what);

/* An instant of the server's clock on ours, as estimated. */
robo_time robo__client_from_server(const robo_client *client, robo_time time);
