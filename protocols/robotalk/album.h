/* A client's pictures, which arrive in pieces: the newest complete one, and the incomplete one. Memory grows with the received
 * bytes. */
#pragma once

#include "robotalk.h"
#include "robotalk/picture.h"

struct robo__album;

/* For the answers to that request. NULL: no memory. */
struct robo__album *robo__album_open(const struct robo_request_picture *request);
void robo__album_free(struct robo__album *album);

/* Adds a piece: 1, the picture is complete; 0; ROBO_EBODY: it does not fit to earlier pieces, or to the request; the incomplete
 * picture is dropped. ROBO_ENOMEM: dropped, too. */
int robo__album_add(struct robo__album *album, const struct robo_reply_picture *piece);

/* The newest that is whole; NULL: there is none. */
struct robo_picture *robo__album_newest(struct robo__album *album);

/* The number of received bytes, of all pieces, that the server must be notified of; 0: none now. */
uint64_t robo__album_tell(struct robo__album *album);
