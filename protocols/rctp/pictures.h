/* Pictures of a robot's cameras by HTTP: one, or a stream of them, which any browser shows (MJPEG). A worker encodes
 * them (core/robot/senses/camera.h), once for all requests for the same. A picture goes out in pieces, and the next one is requested when
 * all of it was sent: a slow reader gets fewer, the newest each time, and holds one at most. */
#pragma once

#include "connection.h"

struct robo__rctp_view;

/* GET or HEAD of /ROBOT/camera/NAME or /ROBOT/camera/NAME.jpg; options of its query: rate (pictures a second, at most), width, height
 * (pixels, at most), quality (1 to 100). The reply follows, if not at once. */
void robo__rctp_get_picture(struct robo__rctp_connection *c,
                            const struct robo__http_request *request, const char *robot,
                            const char *name, struct robo__http_text query, robo_time now);

/* The client has read: more may go. */
void robo__rctp_view_resume(struct robo__rctp_view *view, robo_time now);

/* Whether nothing of it has been answered. */
bool robo__rctp_view_waits(const struct robo__rctp_view *view);

/* It has waited for its first picture for too long: the client is notified, and the view is over. */
void robo__rctp_view_late(struct robo__rctp_view *view);

void robo__rctp_view_close(struct robo__rctp_view *view); /* NULL is let be */
