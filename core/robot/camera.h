/* The cameras of a robot's devices. Each has one place for its newest picture, where the latest wins, and makes of it what clients
 * want, JPEG or pixels of some size: once for all who want the same, and only when somebody looks.
 *
 * A camera has a thread of its own from the first look on, which takes pictures (robo_driver's `picture`) and encodes them. Its lock
 * guards pointers and counts: nobody encodes, copies, calls a driver or waits while holding it. In a virtual world whoever looks does
 * that work himself. Made when a robot's devices are open; without a device from when they are closed; counted from then on. */
#ifndef ROBO_CAMERA_H
#define ROBO_CAMERA_H

#include <stdbool.h>

#include "base/wakeup.h"
#include "robotalk.h"

struct robo__camera_slot;
struct robo__cameras; /* all of a robot's, of the body that its devices were opened with */

/* What a picture shall be. */
struct robo__form {
    uint8_t format;         /* ROBO_JPEG, ROBO_RGB or ROBO_GRAY */
    uint8_t quality;        /* of JPEG, 1 to 100 */
    uint16_t width, height; /* at most; 0: any */
};

/* Somebody waits for a picture: a member of who it is, on his thread, who outlives it while its wake-up is posted. */
struct robo__look {
    struct robo__wakeup wakeup; /* is posted when the answer is there */
    struct robo__mailbox *mailbox;
    struct robo__form form;
    uint64_t after; /* number of a picture: a newer one is wanted; 0: the newest */
    /* the camera's: */
    struct robo__look *next;
    bool waits, soon;
    /* the answer, when the wake-up runs */
    struct robo_picture *picture; /* to be let go of by robo__picture_release; NULL: an error */
    int error; /* ROBO_ENONE: the camera is gone; ROBO_EDEVICE: it gives none; else of robo__jpeg_encode or robo_jpeg_decode */
};

/* The devices are open, or will be closed next. Without the robot's mutex. ROBO_ENOMEM. */
int robo__cameras_attach(robo_robot *robot, robo_body *body,
                         robo_device *const device[ROBO_MAX_DEVICES]);
void robo__cameras_detach(robo_robot *robot); /* waits for the cameras' threads */
void robo__cameras_free(robo_robot *robot);

/* A camera of the newest body, by its number there; NULL: there is none, or nobody gives its pictures. Any thread, in a section
 * (base/readers.h): what is looked at for longer is held. */
struct robo__camera_slot *robo__camera_find(const robo_robot *robot, unsigned number);
struct robo__camera_slot *robo__camera_hold(struct robo__camera_slot *camera);
void robo__camera_release(struct robo__camera_slot *camera); /* as long as the robot is held */

/* Whether its device is open. */
bool robo__camera_is_there(struct robo__camera_slot *camera);

/* Begins to wait; the answer may be there at once. In a virtual world, when it is not: the instant at which to try
 * robo__camera_try again; else ROBO_NEVER. */
robo_time robo__camera_look(struct robo__camera_slot *camera, struct robo__look *look);
robo_time robo__camera_try(struct robo__camera_slot *camera, struct robo__look *look);

/* Waits no more; what has come is let go of. */
void robo__camera_leave(struct robo__camera_slot *camera, struct robo__look *look);

/* Lets go of a picture; any thread, as long as the robot is held. NULL is let be. */
void robo__picture_release(struct robo_picture *picture);

/* Bytes that its buffer takes, which may be more than its own. */
size_t robo__picture_room(const struct robo_picture *picture);

/* How often its pictures were encoded, or converted. */
uint64_t robo__camera_encoded(struct robo__camera_slot *camera);

#endif
