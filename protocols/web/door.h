/* An address that serves one WebSocket a connection: its request, the admission of pages and clients, the upgrade, and the end. The
 * protocol reads the messages; a door is the first member of its connections. On the connection's thread. */
#pragma once

#include "http/gate.h"
#include "net/conn.h"
#include "recording/json.h"
#include "websocket.h"

struct robo__door;

struct robo__door_kind {
    const char *what; /* it is, for people: "rosbridge" */
    const char *const *
        subprotocols; /* the best first, ended by NULL: a client offers one of them; NULL: whatever */
    struct robo__websocket_reader reader;                   /* its owner is the door */
    void (*opened)(struct robo__door *door, robo_time now); /* NULL: the client speaks first */
};

struct robo__door {
    const struct robo__door_kind *kind;
    struct robo__conn *conn;
    struct robo__http_reader reader;
    struct robo__http_gate gate;
    char listened[256], origins[256]; /* the gate's */
    struct robo__websocket *web;      /* NULL: the request is not in */
    bool leaving; /* it was refused: further bytes are dropped, so that it can read why */
    struct robo__timer due;
    robo_time shift; /* from the world's clock to that of the messages, which begins in 1970 */
    struct robo__json json; /* of the message that is made */
};

/* url: its first text option has the origins of pages. */
void robo__door_open(struct robo__door *door, const struct robo__door_kind *kind,
                     struct robo__conn *conn, const struct robo__url *url);
void robo__door_close(struct robo__door *door);

/* For the row of a protocol; each has a door as its state. */
size_t robo__door_feed(void *door, const uint8_t *in, size_t n, bool one, robo_time now);
void robo__door_resume(void *door, robo_time now);
void robo__door_dismiss(void *door, robo_time now);
void robo__door_shut_down(void *door, robo_time now);

/* Members of the row of each protocol that is served at a door, and two of its options. */
#define ROBO__DOOR_ROW                                                                \
    .tells_token = true, .speaks_http = true,                                         \
    .greeting = { .bytes = 1 << 16, .within = 30000000000 }, .feed = robo__door_feed, \
    .resume = robo__door_resume, .dismiss = robo__door_dismiss, .shutdown = robo__door_shut_down
#define ROBO__DOOR_DEADMAN                                                                      \
    {                                                                                           \
        "deadman", ROBO_SCHEME_NUMBER, 0, 86400, 0.5,                                           \
            "s; a robot stops when no velocity has come from the client that drives it for so " \
            "long; 0: never"                                                                    \
    }
#define ROBO__DOOR_ORIGIN                                                                        \
    {                                                                                            \
        "origin", ROBO_SCHEME_TEXT, 0, 0, 0,                                                     \
            "https://host[:port] of pages elsewhere that may connect; several times for several" \
    }

/* Sends door->json as a text, and empties it; without memory for it the connection is closed. */
void robo__door_send(struct robo__door *door);

/* Whether data that is sent again and again waits, since the client has not read the last. */
bool robo__door_is_busy(struct robo__door *door, robo_time now);
