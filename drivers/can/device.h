/* A device of the driver "can": its drives, the line to them, and how far it is with enabling them. can.c has the functions
 * that the robot calls; listener.c has the thread that reads the bus; drives.c has the positions and stops of drives; wiring.c
 * reads the options. The robot calls with its mutex, the thread goes without it: data that both use is atomic, or the line's. */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "layout.h"
#include "line.h"
#include "robotalk.h"
#include "robotalk/records.h"

enum {
    ROBO__CAN_MOST_DRIVES = 64,
    ROBO__CAN_SYNC = 0x080 /* identifier of the broadcast at which stored set-points take effect */
};

enum robo__can_phase {
    ROBO__CAN_DOWN,      /* the line is not open */
    ROBO__CAN_WAKING,    /* the drives are enabled once all older frames from them were read */
    ROBO__CAN_PREPARING, /* the drives are being enabled */
    ROBO__CAN_READY,
    ROBO__CAN_RESTING /* halted, or faulty, until the next command */
};

struct robo__can_drive {
    uint16_t joint, index;
    uint8_t number;
    bool by_position;
    struct robo__can_layout layout;
    double retreat;
    bool retreats;
    /* feedback from the drive; written by the driver's thread */
    _Atomic double position, speed;
    atomic_bool knows_position, knows_speed;
    _Atomic robo_time heard;
    atomic_uint status;
    /* the last set-point or speed sent to the drive; guarded by the robot's mutex */
    double told, from;
    robo_time told_at;
};

/* The options of the device, without those of its drives. */
struct robo__can_wiring {
    const char *port; /* valid until the device is closed */
    int64_t bitrate, baud;
    double timeout, patience; /* s of silence that are allowed; s to enable the drives */
};

struct robo__can {
    robo_device *device;
    uint8_t panic;
    bool stored; /* set-points take effect at the broadcast SYNC */
    bool halted; /* no command since the last halt; guarded by the robot's mutex */
    struct robo__can_wiring wiring;
    robo_time timeout, patience;
    struct robo__can_line line;
    pthread_t thread;
    bool threaded;
    atomic_bool closing;
    sem_t woke; /* posted when the drives may be ready, or cannot be enabled */
    _Atomic int phase;
    _Atomic robo_time since; /* begin of the phase, or of the last attempt in it */
    _Atomic robo_time woken; /* when enabling the drives was last requested */
    /* used by the driver's thread only: frames lost in a row; when to repeat the halt, 0: the line has accepted it */
    unsigned losses;
    robo_time halt_again;
    size_t drives;
    struct robo__can_drive drive[ROBO__CAN_MOST_DRIVES];
    /* frames that stop all drives at any position; encoded at open */
    struct robo__can_frame still[ROBO__CAN_HALT];
    size_t stills;
};

/* ---- wiring.c ---- */

/* Reads the options of a device, and which drives it has. False: why says what was expected. */
bool robo__can_wiring_read(struct robo__can *can, const struct robo_description *d, unsigned device,
                           char why[128]);
/* Opens the line that the options name: as robo__can_line_open. */
int robo__can_connect(struct robo__can *can);

/* ---- drives.c ---- */

/* Whether it has a state of operation and always reports its position; other drives follow their layout. */
bool robo__can_is_cia402(const struct robo__can_drive *d);
const char *robo__can_name(const struct robo__can *can, const struct robo__can_drive *d);

/* Discards the drives' feedback from before a halt. */
void robo__can_forget(struct robo__can *can);
/* A drive that is not in operation, or has not sent its position yet; NULL: all are ready. */
const struct robo__can_drive *robo__can_unready(const struct robo__can *can);
/* A drive whose feedback is overdue, or NULL. */
const struct robo__can_drive *robo__can_silent(const struct robo__can *can, robo_time now);

/* The position of a drive, as reported, else by its last command. With the robot's mutex, as all that follows. */
double robo__can_position(const struct robo__can_drive *d, robo_time now);
/* Notes the last command to a drive. */
void robo__can_note(struct robo__can_drive *d, double value, robo_time now);
/* The frames that stop the drives by the body's panic policy, at most ROBO__CAN_HALT; returns their number. now NULL: for any later
 * time; the position of a drive in a position mode is then unknown, so it uses the drive's own halt. */
size_t robo__can_halt_frames(const struct robo__can *can, const robo_time *now,
                             struct robo__can_frame *out);
/* Notes that these frames were sent at `now`. */
void robo__can_note_halt(struct robo__can *can, robo_time now);

/* ---- listener.c ---- */

/* Changes the phase from `from` to `to`. false: the phase is another one by now, since a halt comes from another thread. */
bool robo__can_turn(struct robo__can *can, enum robo__can_phase from, enum robo__can_phase to);

/* Begins to enable the drives and to listen, on an open line. 0, or ROBO_ESYSTEM. */
int robo__can_listen(struct robo__can *can);
/* Waits until the drives are ready; else logs the name of a drive that is not. 0, or ROBO_EDEVICE. */
int robo__can_await(struct robo__can *can);
/* Ends the thread, as soon as the line has accepted a halt that waits. */
void robo__can_hush(struct robo__can *can);

/* The steps of the thread. Handles a received frame: */
void robo__can_hear(struct robo__can *can, const struct robo__can_frame *frame, robo_time now);
/* Enables the drives when that is wanted and all older frames from them have been read. */
void robo__can_enable(struct robo__can *can);
/* A frame was not sent. tag: its drive, a halt, or none; a SocketCAN interface reports none. */
void robo__can_lament(struct robo__can *can, int tag, robo_time now);
/* Reports a fault and goes to that phase. why: for the log. */
void robo__can_lose(struct robo__can *can, enum robo__can_phase phase, enum robo_reason reason,
                    const char *why);
/* Checks for silent drives, and repeats failed messages. */
void robo__can_tick(struct robo__can *can, robo_time now);
