/* One connection of RCTP, from inside: server.c has its life, its access control and its requests; files.c its replies to GET. On its
 * host's thread. */
#pragma once

#include <stdio.h>

#include "http/gate.h"
#include "negotiation.h"
#include "net/conn.h"

struct robo__rctp_connection {
    struct robo__conn *conn;
    struct robo__http_reader reader;
    struct robo__http_gate gate;
    char listened[256]; /* the gate's name */
    char origins[256];  /* the gate's */
    char www[256];      /* folder whose files are all that is served; empty: robots are */
    bool secure;        /* by TLS */
    uint16_t port;      /* that is listened at */
    struct robo__rcml_group inputs; /* as the address says */
    bool shows_world;               /* as the address says: robots' files show their surroundings */
    /* a request has come through the gate, and its token was listed, or none is required */
    bool admitted;
    struct robo__credentials negotiator; /* shown by the requests of the negotiation */
    bool other;                          /* its newest request was of RCTP/1.0 */
    bool live;                           /* GO was granted */
    struct robo__websocket *web;         /* that the connection has become; NULL: it has not */
    bool leaving;    /* it was refused: further bytes are dropped, so that it can read why */
    robo_time until; /* the negotiation is over then; ROBO_NEVER: nothing is assigned yet */
    struct robo__timer due;

    struct robo__rctp_session *session; /* NULL: no robot is chosen yet */
    struct robo__rctp_negotiation negotiation;

    /* A file that goes out in pieces. */
    struct robo__text *file; /* held; NULL: none does */
    FILE *own;               /* the same of a folder */
    size_t size, file_at;
    const char *policy;           /* what a page of it may do; NULL: anything */
    bool keep;                    /* the connection stays behind it */
    struct robo__rctp_view *view; /* a camera's pictures that go out (pictures.h); NULL: none do */
    size_t left;                  /* unread bytes at the last check */
};

/* GET or HEAD of a path: the reply is written, and perhaps a file begun. */
void robo__rctp_get(struct robo__rctp_connection *c, const struct robo__http_request *request,
                    const struct robo__http_target *target, robo_time now);

/* More of a file that goes out. */
void robo__rctp_file_more(struct robo__rctp_connection *c);
void robo__rctp_file_close(struct robo__rctp_connection *c);

/* POST of a path: stops a robot, or has it panic; false: it is not the path of such a thing. */
bool robo__rctp_post(struct robo__rctp_connection *c, const struct robo__http_request *request,
                     const struct robo__http_target *target, robo_time now);

/* A reply of HTTP with a line for people; the connection stays if `keep`. */
void robo__rctp_reply(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      int status, bool keep, const char *text);

/* Answers HEAD for a file without a known length yet. */
void robo__rctp_reply_type(struct robo__rctp_connection *c,
                           const struct robo__http_request *request, const char *type);

/* A reply that took its time is out: the next request may come. */
void robo__rctp_replied(struct robo__rctp_connection *c, robo_time now);
