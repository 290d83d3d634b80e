/* The connection of a device to its Player server: link.c has its thread, client_messages.c handles received messages, player.c sends
 * commands, goals.c notices their ends. The thread hands readings and pictures on by itself, and keeps the newest place, speed and
 * head here. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "../outbox.h"
#include "bind.h"
#include "scan.h"

/* A command in progress: its ticket, 0: none. With the robot's mutex. */
struct robo__player_goal {
    robo_ticket ticket;
    double value[3];
    double at[3];    /* where it was when it was last seen to move, */
    robo_time when;  /* and when; 0: not yet */
    robo_time begun; /* of a gripper: when it first reported motion */
};

struct robo__player_link {
    robo_device *device;
    struct robo__bind bind;
    uint8_t panic;
    struct robo__far far; /* the thread's */
    uint8_t *bytes;       /* the received part of an incomplete message; the thread's */
    size_t count, room;
    robo_time came;            /* when the last byte came; the thread's */
    uint8_t complained_flaws;  /* bits: faults of a picture (client_messages.c) */
    bool complained_silence;   /* of its camera, on this connection */
    bool complained_motors;    /* that motors are not switched, on this connection */
    uint16_t complained_bytes; /* bits of roles: of messages that are malformed */
    bool told_size;            /* how large its base is */
    uint16_t missed;           /* missing devices that the log has; the thread's */
    struct robo__scan scan;    /* the server's description of its laser; the thread's */
    bool fails;                /* its camera is reported as failed; the thread's */
    robo_time seen;            /* when its newest picture came, or all was opened; the thread's */
    char said[256]; /* why there is no connection, so that it is logged once; the thread's */
    pthread_t thread;
    bool threaded;
    atomic_bool closing;
    int wake; /* an eventfd, which ends the thread's waits */

    pthread_mutex_t lock; /* guards all below; taken while holding the robot's mutex */
    pthread_cond_t woke;  /* it is ready for the first time, or has failed */
    struct robo__outbox out;
    int fd;     /* -1: no connection */
    bool ready; /* all devices are open, and data are fresh */
    bool tried;
    double place[3], velocity[3]; /* of the base */
    /* of its head: when its position was reported last on this connection, 0: not yet; without fresh data nothing sends it anywhere */
    robo_time head_heard;
    double head[2], head_speed[2], zoom;
    double turns[2]; /* speeds of its last turn command, as long as these last */
    robo_time grip_heard;
    uint8_t grip;   /* state of the gripper, as Player has it; 0: not known */
    uint32_t beams; /* broken beams of it, as Player has them */
    double volts, charge;
    robo_time heard; /* the newest data of watched parts */
    /* By bits of roles, kept over connections: parts that this client has set in motion, and those of them that it has stopped
     * since. A stop has reached the server once all bytes are acknowledged; a stop that is lost with its connection is sent again
     * on the next. */
    uint16_t moves, rests;
    /* by bits of roles: stopped on this connection before commands could be given */
    uint16_t calmed;
    bool by_speeds; /* the server's view of its control mode, */
    bool unsure;    /* perhaps */
    bool dark;      /* motors were switched off by a halt, or may not have been switched on */
    bool limp;      /* they were, and are to be off until the next command */
    bool unsent;    /* something did not go: this connection is over */
    bool ended;     /* the server has ended its side, and may read no more; the thread's */

    /* with the robot's mutex and the lock */
    struct robo__player_goal base, head_goal;
    struct robo__player_goal
        grip_goal; /* state that is wanted, whether it was clipped, whether it has moved since */
    double aim[2]; /* where the head was sent last */
};

/* subtypes of messages to position2d, ptz and gripper */
enum { VEL = 1, POS = 2, MOTORS = 2, PTZ_STATE = 1, PTZ_MODE = 2 };
enum { GRIP_OPEN = 1, GRIP_CLOSE = 2, GRIP_STOP = 3 };

/* The senders of waiting messages: a stop comes before commands, and nothing before the connection's own requests. */
enum robo__link_sender { ROBO__LINK_REQUESTS = 1, ROBO__LINK_COMMANDS, ROBO__LINK_HALTS };

/* Begins to connect, and waits a little for the first connection; p->device, p->bind and p->far are set. 0, or ROBO_ESYSTEM. */
int robo__link_open(struct robo__player_link *p);
/* After a failed open, too. */
void robo__link_close(struct robo__player_link *p);

/* ---- with the lock ---- */

/* Sends a message to a device. A server that does not take it is lost: its motions would go on without it. */
void robo__link_tell(struct robo__player_link *p, enum robo__link_sender sender,
                     enum robo__far_role role, unsigned type, unsigned subtype, const double *value,
                     unsigned values);
/* Unsent messages are dropped; a stop that may have been among them counts as not sent. */
void robo__link_drop(struct robo__player_link *p, enum robo__link_sender sender);
/* Whether it is known where the head is: not by data of another connection, or by old ones. */
bool robo__link_knows_head(const struct robo__player_link *p, robo_time now);
/* Notes that a part was set in motion, or stopped. */
void robo__link_note(struct robo__player_link *p, enum robo__far_role role, bool moves);
/* Stops the parts of these bits where they are; returns the bits of those that were stopped. */
uint16_t robo__link_rest(struct robo__player_link *p, enum robo__link_sender sender,
                         uint16_t roles);

/* ---- goals.c: with the robot's mutex, too ---- */

/* A command is over, and well; clipped: by the limits of the description. */
void robo__link_answer(struct robo__player_link *p, robo_ticket ticket, bool clipped);
/* Answers commands whose parts are at their goals, or will not come there; whether something is still under way. */
bool robo__link_look(struct robo__player_link *p, robo_time now);

/* ---- client_messages.c ---- */

/* The far side's `heard`: data of a device, or a reply. */
void robo__link_hear(void *owner, enum robo__far_role role,
                     const struct robo__player_header *header,
                     const struct robo__player_body *body);
/* Its `malformed`: the log says so, once for each device. */
void robo__link_malformed(void *owner, enum robo__far_role role,
                          const struct robo__player_header *header,
                          const struct robo__player_mistake *mistake);
/* The camera is there, or is no more: its last picture is not shown any more. */
void robo__link_set_camera(struct robo__player_link *p, bool there, robo_time now);
/* A camera that has been silent for too long has failed until its next picture. */
void robo__link_watch_camera(struct robo__player_link *p, robo_time now);
