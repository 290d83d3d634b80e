/* Reads of stored pictures by HTTP, on the port of the senders (spec/images.md): one request of a connection, answered by the keeper,
 * which reads the disk on a worker. On the host's thread. */
#pragma once

#include "net/picture_writer.h"
#include "net/conn.h"

struct robo__images_web;

/* The address at which the connection arrived. */
struct robo__images_place {
    char name[256]; /* that is listened at; empty: a UNIX socket */
    bool any;       /* requests may use any name, by TLS or a UNIX socket */
    bool secure;    /* by TLS */
};

/* For a connection that has begun as a request may. keeper, place: they stay as long. NULL: no memory. */
struct robo__images_web *robo__images_web_open(struct robo__conn *conn, robo_images *keeper,
                                               const struct robo__images_place *place,
                                               robo_time now);
/* Handles received bytes; returns how many were used. */
size_t robo__images_web_feed(struct robo__images_web *web, const uint8_t *in, size_t n,
                             robo_time now);
/* The client has read. */
void robo__images_web_resume(struct robo__images_web *web);
void robo__images_web_close(struct robo__images_web *web); /* NULL: does nothing */
