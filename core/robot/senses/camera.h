/* The cameras of a robot's devices. Each has one place for its newest picture, where the latest wins, and converts it
 * to the form that clients want, JPEG or pixels of some size: once for all clients that want the same, and only when
 * somebody looks.
 *
 * While somebody looks, a camera is a job of workers (base/workers.h), which takes pictures (robo_driver's `picture`) and encodes them.
 * Its lock guards pointers and counts: nobody encodes, copies, calls a driver or waits while holding it. In a virtual
 * world the caller that looks does that work. Cameras are made when a robot's devices are open, and have no device once
 * these are closed; they are counted from then on. */
#pragma once

#include <stdbool.h>

#include "base/wakeup.h"
#include "robotalk.h"
#include "robotalk/picture.h"

struct robo__senses; /* of a robot: robo__robot_senses */
struct robo__camera_slot;
struct robo__cameras; /* all of a robot's, of the body that its devices were opened with */

/* The wanted form of a picture. */
struct robo__form {
    uint8_t format;         /* ROBO_JPEG, ROBO_RGB or ROBO_GRAY */
    uint8_t quality;        /* of JPEG, 1 to 100 */
    uint16_t width, height; /* at most; 0: any */
};

/* A wait for a picture. It is a member of its owner's struct, on the owner's thread; the owner outlives it while its
 * wake-up is posted. */
struct robo__look {
    struct robo__wakeup wakeup; /* is posted when the answer is there */
    struct robo__mailbox *mailbox;
    struct robo__form form;
    uint64_t after; /* number of a picture: a newer one is wanted; 0: the newest */
    /* the camera's: */
    struct robo__look *next;
    bool waits, soon;
    /* the answer, when the wake-up runs */
    struct robo_picture *picture; /* to be released by robo__picture_release; NULL: an error */
    int error; /* ROBO_ENONE: the camera is gone; ROBO_EDEVICE: it gives none; else of robo__jpeg_encode or robo_jpeg_decode */
};

/* A camera of the newest body, by its number there; NULL: there is none, or nobody gives its pictures. Any thread, in a
 * section (base/readers.h): a camera that is used for longer is held. */
struct robo__camera_slot *robo__camera_find(const struct robo__senses *senses, unsigned number);
struct robo__camera_slot *robo__camera_hold(struct robo__camera_slot *camera);
void robo__camera_release(struct robo__camera_slot *camera); /* as long as the robot is held */

/* Whether its device is open. */
bool robo__camera_is_there(struct robo__camera_slot *camera);

/* Begins to wait; the answer may be there at once. In a virtual world, when it is not: the instant at which to try
 * robo__camera_try again; else ROBO_NEVER. */
robo_time robo__camera_look(struct robo__camera_slot *camera, struct robo__look *look);
robo_time robo__camera_try(struct robo__camera_slot *camera, struct robo__look *look);

/* Ends the wait; a picture that has arrived is released. */
void robo__camera_leave(struct robo__camera_slot *camera, struct robo__look *look);

/* Releases a picture; any thread, as long as the robot is held. NULL: does nothing. */
void robo__picture_release(struct robo_picture *picture);

/* Bytes that its buffer takes, which may be more than its own. */
size_t robo__picture_room(const struct robo_picture *picture);

/* How often its pictures were encoded, or converted. */
uint64_t robo__camera_encoded(struct robo__camera_slot *camera);
