/* Pictures to clients: the queries picture and view of a session. A picture goes out in pieces, of which only so many bytes are
 * under way as the client has granted, and only as long as little else waits to be read: answers to commands never wait behind a
 * whole picture. A slow reader gets fewer pictures, the newest each time. */
#pragma once

#include "robotalk.h"

struct robo__server_session;
struct robo__view;

enum { ROBO__VIEWS = 4 }; /* of a session */

/* Begins one; its pieces carry that id. 0; ROBO_ENONE: there is no such camera, or no driver gives its pictures;
 * ROBO_ELIMIT; ROBO_EEXISTS; ROBO_ERANGE; ROBO_ENOMEM. */
int robo__view_open(struct robo__server_session *ss, uint32_t id, uint16_t op,
                    const struct robo_request_picture *request, robo_time now);

/* The client has got so many bytes of it, unless it is over; robo__views_resume follows. ROBO_ERANGE: that cannot be. */
int robo__view_heard(struct robo__server_session *ss, uint32_t id, uint64_t bytes);

/* Ends one; ROBO_ENONE: there is none of that id. */
int robo__view_close(struct robo__server_session *ss, uint32_t id);
void robo__views_close(struct robo__server_session *ss); /* all */

/* The client has read or acknowledged bytes: more pieces may go. */
void robo__views_resume(struct robo__server_session *ss, robo_time now);
