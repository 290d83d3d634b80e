/* Pictures as a client gets them, in pieces: the newest that is whole, and the one that comes. Memory grows with what has come. */
#ifndef ROBO_ROBOTALK_ALBUM_H
#define ROBO_ROBOTALK_ALBUM_H

#include "robotalk.h"

enum { ROBO__ALBUM_WINDOW = 1 << 16 }; /* bytes of pieces under way, unless a client wants others */

struct robo__album;

/* For the answers to that request. NULL: no memory. */
struct robo__album *robo__album_open(const struct robo_request_picture *request);
void robo__album_free(struct robo__album *album);

/* A piece has come: 1, the picture is whole; 0; ROBO_EBODY: it does not fit to what came before, or to what was asked for; what has
 * come of that picture is dropped. ROBO_ENOMEM: likewise. */
int robo__album_add(struct robo__album *album, const struct robo_reply_picture *piece);

/* The newest that is whole; NULL: there is none. */
struct robo_picture *robo__album_newest(struct robo__album *album);

/* What the server is to be told that has come, in bytes of all pieces; 0: nothing now. */
uint64_t robo__album_tell(struct robo__album *album);

#endif
