/* A line to a CAN bus: a SocketCAN interface ("can0"), or a serial port with an adapter that speaks slcan
 * ("/dev/ttyACM0"). Sending never waits; one thread of the line's owner waits for what comes. */
#ifndef ROBO_CAN_LINE_H
#define ROBO_CAN_LINE_H

#include <pthread.h>

#include "slcan.h"

enum robo__can_event {
    ROBO__CAN_NOTHING, /* the time is over */
    ROBO__CAN_FRAME,
    ROBO__CAN_TAKEN,   /* the adapter has taken a frame or a command of ours */
    ROBO__CAN_REFUSED, /* it has not: tag says which */
    ROBO__CAN_OFF,     /* the bus is off: too many errors */
    ROBO__CAN_GONE     /* the line itself is */
};

enum { ROBO__CAN_OUT = 4096, ROBO__CAN_TAGS = 128, ROBO__CAN_NO_TAG = -1 };

struct robo__can_line {
    int fd, wake; /* wake: an eventfd that ends a wait */
    bool serial;
    /* serial: lines on their way out, and what the adapter has still to answer; guarded */
    pthread_mutex_t lock;
    uint8_t out[ROBO__CAN_OUT];
    size_t waiting;
    int tag[ROBO__CAN_TAGS];
    unsigned first_tag, tags;
    /* the waiting thread's alone */
    struct robo__slcan slcan;
    uint8_t in[512];
    const uint8_t *at;
    size_t left;
};

/* For once; the line is closed. */
void robo__can_line_init(struct robo__can_line *line);
void robo__can_line_free(struct robo__can_line *line);

/* bitrate: of the bus, set for adapters only (an interface has its own); baud: of a serial port that has one. 0, or
 * ROBO_EDEVICE, ROBO_EINVAL for a bitrate that adapters do not know. */
int robo__can_line_open(struct robo__can_line *line, const char *port, long bitrate, long baud);
void robo__can_line_adopt(struct robo__can_line *line, int fd, bool serial); /* an open one */
void robo__can_line_close(struct robo__can_line *line);

/* tag: what REFUSED will tell, or NO_TAG. room: bytes that must stay free for others. 0, ROBO_EFULL, ROBO_EDEVICE. */
int robo__can_line_send(struct robo__can_line *line, const struct robo__can_frame *frame, int tag,
                        size_t room);

/* Waits for at most so many milliseconds. */
enum robo__can_event robo__can_line_wait(struct robo__can_line *line, int milliseconds,
                                         struct robo__can_frame *frame, int *tag);
void robo__can_line_wake(struct robo__can_line *line); /* from any thread */

#endif
