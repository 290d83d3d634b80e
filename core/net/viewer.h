/* A connection's view of a camera, picture after picture: it asks the camera when the next one is due, and its owner is notified of each
 * answer. It belongs to the connection's thread.
 *
 * It is the first member of its owner, which is from malloc: the camera's job may still have its wake-up when the connection is
 * over, so robo__viewer_close frees the owner, at once or when that has run. */
#pragma once

#include "conn.h"
#include "robot/senses/camera.h"

struct robo__viewer {
    struct robo__look look;           /* `form` and `after` are for the owner to set */
    struct robo__conn *conn;          /* NULL: it is over */
    struct robo__camera_slot *camera; /* held, and the owner holds its robot; NULL: no camera */
    bool looks;                       /* has asked the camera; no answer yet */
    robo_time due;                    /* the next picture is not asked for before */
    struct robo__timer timer;
    /* The owner's. A picture is the owner's from then on; NULL: error says why there is none, as that of a look. It may close the
       viewer, and else goes on. */
    void (*answered)(struct robo__viewer *viewer, struct robo_picture *picture, int error,
                     robo_time now);
    /* Its delayed work is due, or something has changed. It may close the viewer. */
    void (*go_on)(struct robo__viewer *viewer, robo_time now);
};

/* Of a connection; the other members are set already, and its camera is held from now on. It watches no camera yet. */
void robo__viewer_open(struct robo__viewer *viewer, struct robo__conn *conn);

/* Asks the camera for the next picture, when it is due. Nothing happens while it looks. */
void robo__viewer_ask(struct robo__viewer *viewer, robo_time now);

/* Waits no more for a picture of its camera, and has none then. */
void robo__viewer_leave(struct robo__viewer *viewer);

/* Ends it; the owner has released everything else. */
void robo__viewer_close(struct robo__viewer *viewer);
