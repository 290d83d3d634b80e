/* A client's end of a connection over any transport. The stream moves bytes and reports when it is up or lost; its
 * owner handles the protocol. It lives on one host's thread. */
#pragma once

#include "socket.h"
#include "transport.h"

struct robo__connecting;

struct robo__stream {
    struct robo__host *host;
    robo_loop *loop; /* of that host; NULL in a virtual world */
    bool up;

    /* The owner's functions. received returns how many bytes it has used; the rest is passed again with more. None of
       these may free the stream. */
    void (*opened)(struct robo__stream *stream, robo_time now);
    size_t (*received)(struct robo__stream *stream, const uint8_t *bytes, size_t n, robo_time now);
    void (*lost)(struct robo__stream *stream, int error, const char *why, robo_time now);
    /* All waiting bytes were passed to the transport, later than they were committed: more may be. May be NULL. */
    void (*drained)(struct robo__stream *stream, robo_time now);

    struct robo__endpoint end;
    struct robo__connecting *connecting; /* a worker's, or NULL */
    uint8_t *in, *out;
    size_t in_count, in_size, out_first, out_count, out_size;
    bool sending, heard;
};

void robo__stream_init(struct robo__stream *stream, struct robo__host *host, robo_loop *loop);

/* Begins to connect. A socket is resolved and connected by a worker (base/workers.h), since both block; opened or lost
 * reports the result, on the host's thread. An in-memory loopback (in a virtual world every address is one) is up at
 * once: opened is called before this returns. */
int robo__stream_open(struct robo__stream *stream, const struct robo__url *url, robo_time timeout,
                      const struct robo_channel *channel);

/* Down at once, without a call of lost. May be opened again. */
void robo__stream_close(struct robo__stream *stream);

/* Room for n bytes to send, or NULL: no memory, or more than ROBO__CONN_MOST unsent. */
uint8_t *robo__stream_reserve(struct robo__stream *stream, size_t n);
void robo__stream_commit(struct robo__stream *stream, size_t n);
/* Sends committed bytes as far as possible now, and the rest later. */
void robo__stream_flush(struct robo__stream *stream, robo_time now);
/* The same without calling the owner: that the link is lost shows when its loop turns. */
void robo__stream_push(struct robo__stream *stream);

/* Unsent bytes stay with the owner as long as possible: the socket takes no more than about `bytes` ahead of the link. Does
 * nothing where the transport has no socket of TCP. While the stream is up. */
void robo__stream_keep_back(struct robo__stream *stream, int bytes);

/* Sleeps until bytes come or `wait` is over, at the latest after ROBO__NAP, when a socket is the only thing to wait
 * for. false: it is not; run the loop instead. */
bool robo__stream_wait(struct robo__stream *stream, robo_time wait);
