/* WebSocket (RFC 6455) on a connection of HTTP. Its frames are read and written by libwslay; the payloads of binary messages are the
 * bytes of a connection of another protocol, which is within: what that has of sessions, roles and limits holds here as well. The outer
 * connection has the socket, the fairness among clients, and TLS. No byte of a frame waits for the rest of it: a panic acts when its header
 * is in. On the thread of its connection. */
#pragma once

#include "http/request.h"
#include "net/conn.h"

struct robo__websocket;

/* A request for an upgrade, with its key in 24 characters. */
bool robo__websocket_is_asked(const struct robo__http_request *request);
/* The value of Sec-WebSocket-Accept. 0, or a status with a message in *why. */
int robo__websocket_accept(const struct robo__http_request *request, char accept[29],
                           const char **why);
/* Writes the reply that accepts it. subprotocol: of those that the client offers; NULL: none. */
void robo__websocket_reply(struct robo__conn *outer, const char accept[29],
                           const char *subprotocol);

/* The connection within, of that protocol, with the credentials that the outer one has by now; NULL: no memory. */
struct robo__websocket *robo__websocket_open(struct robo__conn *outer,
                                             const struct robo__protocol *protocol);

/* A protocol whose messages are texts, or bytes, each of which is handed on whole: there is no connection within. */
struct robo__websocket_reader {
    size_t most; /* bytes of a message */
    /* owner: as robo__websocket_open_messages has it. It may send, and does not free the WebSocket. */
    void (*message)(void *owner, bool text, const uint8_t *bytes, size_t n, robo_time now);
};

/* NULL: no memory. */
struct robo__websocket *robo__websocket_open_messages(struct robo__conn *outer,
                                                      const struct robo__websocket_reader *reader,
                                                      void *owner);
/* Sends a message of n bytes. Outside of `message` the connection is kicked afterwards. */
void robo__websocket_send(struct robo__websocket *websocket, bool text, const void *bytes,
                          size_t n);

/* Asks, by a ping, whether the client has read what was sent until now; the number of the question, which is its time. */
robo_time robo__websocket_ask(struct robo__websocket *websocket, robo_time now);
/* Whether the client has answered that question, or a later one. */
bool robo__websocket_has_read(const struct robo__websocket *websocket, robo_time question);
/* The age that a message which comes now has at most: since the newest question that the client has answered, or the handshake. Asks again each
 * 0.5 s of calls. */
robo_time robo__websocket_age(struct robo__websocket *websocket, robo_time now);

/* Frees it; NULL: does nothing. */
void robo__websocket_close(struct robo__websocket *websocket);

/* Bytes of frames, of which all are used. */
void robo__websocket_receive(struct robo__websocket *websocket, const uint8_t *in, size_t n,
                             robo_time now);
/* The client has read. */
void robo__websocket_resume(struct robo__websocket *websocket, robo_time now);

/* The server closes, or the client is not listed any more: last words of the protocol, and the end. */
void robo__websocket_shut_down(struct robo__websocket *websocket, robo_time now);
void robo__websocket_dismiss(struct robo__websocket *websocket, robo_time now);
