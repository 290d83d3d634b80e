/* Frames on their way to a device, through a descriptor that does not block. What the kernel does not take yet waits here,
 * frame by frame, so that a halt overtakes all that waits and never begins inside of another frame. Of a serial line the
 * kernel holds a few bytes at most, since what it has taken nobody can take back. A member of the device that it belongs
 * to, guarded by that device's lock; it allocates nothing. */
#ifndef ROBO_OUTBOX_H
#define ROBO_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROBO__OUTBOX_BYTES = 4096, ROBO__OUTBOX_FRAMES = 256 };

struct robo__outbox {
    int fd;
    bool paced; /* the kernel gets the next frame when it holds hardly anything */
    bool begun; /* a part of the first frame is written */
    uint8_t bytes[ROBO__OUTBOX_BYTES];
    size_t waiting; /* bytes */
    size_t frames;
    uint16_t size[ROBO__OUTBOX_FRAMES]; /* what is left of each frame, the oldest first */
    int64_t owner[ROBO__OUTBOX_FRAMES]; /* who wants it sent; 0: nobody in particular */
};

/* fd stays the caller's; a terminal is paced. */
void robo__outbox_init(struct robo__outbox *box, int fd);

/* Sends one frame, as soon as it can. 0; ROBO_EFULL, and nothing of it is sent; ROBO_EDEVICE: the device is gone, and
 * nothing waits any more. */
int robo__outbox_put(struct robo__outbox *box, const void *frame, size_t n, int64_t owner);

/* Writes what the kernel takes now; whether anything still waits. Errors are for those who read to tell. */
bool robo__outbox_flush(struct robo__outbox *box);

/* Forgets the frames of that owner that wait, 0: of all, but for the rest of one that was begun; returns how many. */
size_t robo__outbox_drop(struct robo__outbox *box, int64_t owner);

/* Sends a frame instead of all that waits, at once: what a halt is for. There must be room for it behind the longest frame
 * of the device. Returns how many frames it has forgotten. */
size_t robo__outbox_overtake(struct robo__outbox *box, const void *frame, size_t n);

#endif
