/* A line to a CAN bus: a SocketCAN interface ("can0"), or a serial port with an slcan adapter
 * ("/dev/ttyACM0"). Sending never waits; one thread of the line's owner waits for received frames. */
#pragma once

#include <pthread.h>

#include "../outbox.h"
#include "robotalk.h"
#include "robotalk/emergency.h"
#include "slcan.h"

enum robo__can_event {
    ROBO__CAN_NOTHING, /* the wait has timed out */
    ROBO__CAN_FRAME,
    ROBO__CAN_TAKEN,   /* the adapter has accepted a frame or a command */
    ROBO__CAN_REFUSED, /* it has refused one; tag is that of the frame */
    ROBO__CAN_OFF,     /* the bus is off: too many errors */
    ROBO__CAN_GONE     /* the line itself is lost */
};

enum { ROBO__CAN_TAGS = 512, ROBO__CAN_NO_TAG = -1, ROBO__CAN_HALT_TAG = -2 };
enum { ROBO__CAN_HALT = 130 }; /* frames that halt 64 drives */

struct robo__can_line {
    int fd, wake; /* wake: an eventfd that ends a wait */
    bool serial;
    /* guards the fields down to `last`: frames to be sent, and answers that a serial adapter still owes */
    pthread_mutex_t lock;
    bool halted;
    struct robo__can_frame halt[ROBO__CAN_HALT]; /* the frames of the last halt */
    size_t halts;
    struct robo__outbox out;
    int tag[ROBO__CAN_TAGS];
    unsigned first_tag, tags;
    struct robo__can_frame last[ROBO__CAN_HALT]; /* sent when the program dies */
    size_t lasts;
    struct robo_emergency emergency; /* the same as bytes */
    uint8_t last_bytes[ROBO__CAN_HALT * ROBO__SLCAN_LINE];
    /* used by the waiting thread only */
    struct robo__slcan slcan;
    uint8_t in[512];
    const uint8_t *at;
    size_t left;
};

/* Initialises a closed line; call it once. last: frames that are sent if the program dies while the line is open, at most
 * ROBO__CAN_HALT. */
void robo__can_line_init(struct robo__can_line *line, const struct robo__can_frame *last,
                         size_t lasts);
void robo__can_line_free(struct robo__can_line *line);

/* bitrate: of the bus, set for adapters only (an interface has its own); baud: of a serial port that has one. 0, or
 * ROBO_EDEVICE, ROBO_EINVAL for a bitrate that adapters do not know. */
int robo__can_line_open(struct robo__can_line *line, const char *port, long bitrate, long baud);
int robo__can_line_adopt(struct robo__can_line *line, int fd, bool serial); /* an open one */
void robo__can_line_close(struct robo__can_line *line);

/* tag: the tag of a later REFUSED event, or NO_TAG. 0, ROBO_EFULL, ROBO_ELINK, ROBO_EDEVICE; ROBO_EPANIC: the line is
 * halted. */
int robo__can_line_send(struct robo__can_line *line, const struct robo__can_frame *frame, int tag);

/* Sends these frames, at most ROBO__CAN_HALT, in place of all frames that wait, and then nothing until resume. Frames
 * that the line does not take at once are sent as soon as it has room. */
void robo__can_line_halt(struct robo__can_line *line, const struct robo__can_frame *frame,
                         size_t count);
void robo__can_line_resume(struct robo__can_line *line);
void robo__can_line_halt_again(
    struct robo__can_line *line); /* sends the halt again if the line is still halted */
bool robo__can_line_is_halting(struct robo__can_line *line); /* frames of a halt still wait */

/* Waits for at most that many milliseconds. */
enum robo__can_event robo__can_line_wait(struct robo__can_line *line, int milliseconds,
                                         struct robo__can_frame *frame, int *tag);
void robo__can_line_wake(struct robo__can_line *line); /* from any thread */
/* Whether all received bytes were handed out as events; for the thread that waits. */
bool robo__can_line_is_empty(const struct robo__can_line *line);
