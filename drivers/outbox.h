/* An output queue of frames to a device, for a descriptor that does not block. Frames that the kernel does not take yet
 * wait here, so that a halt can overtake them and never begins inside another frame. On a serial line the kernel gets
 * only a few bytes at a time, since bytes that it holds cannot be taken back. A member of its device, guarded by that
 * device's lock; it allocates nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROBO__OUTBOX_BYTES = 4096, ROBO__OUTBOX_FRAMES = 256 };

struct robo__outbox {
    int fd;
    bool paced;  /* the kernel gets the next frame when it is almost empty */
    bool socket; /* it raises SIGPIPE when its other end is gone, unless disabled */
    bool begun;  /* a part of the first frame is written */
    /* In an emergency, too: its device has no bytes in that table, and gets a halt by frames alone. Set after init */
    bool goes_on;
    uint8_t bytes[ROBO__OUTBOX_BYTES];
    size_t waiting; /* bytes */
    size_t frames;
    uint16_t size[ROBO__OUTBOX_FRAMES]; /* remaining bytes of each frame, the oldest first */
    int64_t owner[ROBO__OUTBOX_FRAMES]; /* owner of each frame; 0: none */
};

/* The caller keeps and closes fd; a terminal is paced. */
void robo__outbox_init(struct robo__outbox *box, int fd);

/* Sends one frame, as soon as it can. 0; ROBO_EFULL, and nothing of it is sent; ROBO_EDEVICE: the device is gone, and
 * nothing waits any more. */
int robo__outbox_put(struct robo__outbox *box, const void *frame, size_t n, int64_t owner);

/* Writes as much as the kernel takes now. Returns whether frames still wait. Errors are left to the reader of the
 * descriptor. */
bool robo__outbox_flush(struct robo__outbox *box);

/* Drops the waiting frames of that owner, or of all for 0, except the rest of a frame that was begun. Returns
 * how many. */
size_t robo__outbox_drop(struct robo__outbox *box, int64_t owner);

/* Drops all waiting frames and sends this one, for a halt. The buffer must have room for it behind the longest frame of
 * the device. Returns how many frames were dropped. */
size_t robo__outbox_overtake(struct robo__outbox *box, const void *frame, size_t n);
