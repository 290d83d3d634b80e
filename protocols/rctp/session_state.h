/* A live session of RCTP, for the files that share it: session.c has its life and its objects, commands.c makes commands of messages,
 * words.c of texts, status.c writes statuses and notices, outputs.c the values of outputs, datagrams.c sends and receives datagrams
 * beside the connection. */
#pragma once

#include "net/datagram.h"
#include "intervals.h"
#include "session.h"
#include "net/seat.h"

enum {
    ROBO__RCTP_PENDING = 512, /* commands of one session that have no result yet */
    ROBO__RCTP_STOPS = 64,    /* stops beside them; of more than these the newest is kept */
    ROBO__RCTP_SLOTS = ROBO__RCTP_PENDING + ROBO__RCTP_STOPS + 1,
    ROBO__RCTP_TOGETHER = 64, /* commands that are handed to the core's session at once */
    ROBO__RCTP_TEXT = 1024,   /* bytes of a text that comes from a client */
    /* messages and lines of texts that are worked on before others have their turns; a client has fewer objects, so that no
     * frame of one message for each is torn, unless texts in it have several lines */
    ROBO__RCTP_TURN = 256
};

/* The progress of a frame. */
struct robo__rctp_frame {
    size_t left;   /* bytes, from the next message on; 0: it is done */
    bool begun;    /* some was worked on */
    bool in_turns; /* the rest may wait for the others' turns */
    bool judged;   /* its first command decides of all, by when it came: */
    enum robo__rctp_verdict verdict;
    /* The client's knowledge when the frame was sent, whatever it receives between its turns: the newest panic, the panic that
     * a reset without a number ends, and others' stops. */
    uint32_t epoch, heard_of, stops;
};

/* Which message a command was; `open`: it has no result yet. Its place is the low 10 bits of the command's id, less 1. */
struct robo__rctp_pending {
    uint32_t id; /* of the command */
    bool open;
    uint8_t object;
    uint64_t stamp;
    bool drives;    /* the base */
    double base[3]; /* at these speeds */
};

/* A text that comes in pieces, all by the same way. */
struct robo__rctp_text {
    uint8_t object; /* 0: none has begun */
    bool too_long;
    size_t count;
    char text[ROBO__RCTP_TEXT + 1];
};

/* A notice to the client: when it was sent, or when it was last seen in transit; and its end in all written bytes. */
struct robo__rctp_told {
    robo_time at;
    uint64_t end;
};

/* Outlives its connection while its wake-up is posted. */
struct robo__rctp_session {
    struct robo__wakeup wakeup;
    struct robo__conn *conn; /* NULL: closed */
    robo_robot *robot;       /* held */
    robo_body *body;         /* of which the objects are; held */
    uint32_t revision;       /* its number */
    struct robo__rcml_objects *objects;
    char name[ROBO__HOLDER_NAME]; /* its own name; "": unknown */
    struct robo__seat seat;       /* from the first object on */
    bool controls, live, over;
    struct robo__rctp_go go; /* the contents of its headers */
    struct robo__rctp_intervals intervals;

    /* by their numbers; unassigned ones have the kind 0 */
    struct robo_rctp_layout layout[ROBO_RCTP_IDS];
    const struct robo__rcml_object *object[ROBO_RCTP_IDS];
    uint64_t
        reading[ROBO_RCTP_IDS]; /* of a sensor: the number of the newest reading that was sent */
    uint8_t *types;             /* of all parameters of all objects, in their order */
    unsigned assigned, inputs;  /* how many are */

    /* commands */
    uint32_t commands; /* how many there were */
    unsigned
        pending_count; /* how many of these are open, and where the next free one is looked for */
    unsigned place;
    struct robo__rctp_pending pending[ROBO__RCTP_SLOTS];
    struct robo_cmd cmd[ROBO__RCTP_TOGETHER];
    unsigned count; /* of them that are not handed over yet */
    /* speeds of the base that were commanded last, by which command, and by the last one that was not refused */
    double base[3], admitted[3];
    uint32_t driver;
    /* with control_lock, the first command of the newest frame, which a permission names; and the latest start of all */
    uint8_t first;
    uint64_t first_stamp;
    robo_time newest;
    struct robo__rctp_text text[2]; /* by the connection, and by datagrams */
    struct robo_rctp_message message;
    struct robo__rctp_frame frame;    /* of the connection */
    struct robo__rctp_frame *at_work; /* whose messages are carried out now */
    unsigned work;                    /* messages and lines in this turn */

    /* as the client was last notified */
    uint32_t epoch, asks, latch; /* latch: number of the stop; 0: none holds */
    bool held;                   /* another client controlled the robot at the last check */
    bool panic;
    uint32_t
        stops_known; /* the newest of the seat's `stops` that it has had time to receive since `stopped`, the notice of the last */
    struct robo__rctp_told stopped;
    uint32_t resumed
        [2]; /* the seat's `stops` at its newest `resume NUMBER`, by each path (1: datagrams), which has shown that it knows of them */
    /* Panics by their numbers; written bytes are not read at once. `known`: the newest that the client has shown to know, by
     * `reset`. `named`: the first since then of which it was notified, at `panicked`. `heard_of`: the panic that its `reset` without
     * a number ends: `named`, once it had time to receive that, or at once where that is its `own` newest by the same path (1:
     * datagrams). Until `settled`, messages by the other path than that `reset` may be older than it. */
    uint32_t known, named, heard_of, own[2];
    struct robo__rctp_told panicked;
    uint32_t made; /* its own newest panic, and when it sent that */
    robo_time made_at;
    bool made_beside; /* by a datagram */
    bool stale; /* a command of this frame was refused, as it was sent without that knowledge */
    robo_time settled;
    bool beside, reset_beside; /* the present message, and that reset: a datagram */

    struct robo__timer silence, permit, outputs, renew;
    struct robo__timer part; /* runs while a frame of the connection is incomplete */
    bool in_part, hinted;    /* it runs, or has; the client was notified */
    /* after the first datagram, statuses of commands and outputs are sent by datagrams */
    struct robo__datagram datagram;
    uint16_t heard, sent; /* numbers of the newest datagram each way; `heard` once there is one */
    struct robo__rctp_frame datagram_frame; /* of the newest one */
    uint8_t *
        rest; /* that one's bytes that wait for their turn, as many as are left of it; NULL: there are no datagrams */
    struct robo__rctp_gathered *gathered; /* responses while one is processed; NULL: none is */
};

/* ---- commands.c ---- */

/* The base is at rest, or goes where no speeds were commanded. */
void robo__rctp_base_rests(struct robo__rctp_session *s);
/* Whether the command of that message was refused: then the base goes on as it was commanded before. */
void robo__rctp_base_answered(struct robo__rctp_session *s,
                              const struct robo__rctp_pending *pending, bool refused);
/* Removes the command from the pending ones and returns its message; false: it is not known. */
bool robo__rctp_take_pending(struct robo__rctp_session *s, uint32_t command,
                             struct robo__rctp_pending *pending);
/* A command of that message is gathered, and all that are gathered are handed over to the session of the core. */
void robo__rctp_add(struct robo__rctp_session *s, const struct robo_cmd *made, uint8_t object,
                    uint64_t stamp, robo_time start, robo_time now);
void robo__rctp_hand_over(struct robo__rctp_session *s, robo_time now);
/* Carries out the messages of a frame, of which `left` bytes are at `in`, and reports the results. A frame that takes several
 * turns may have some left then. */
void robo__rctp_run_frame(struct robo__rctp_session *s, struct robo__rctp_frame *frame,
                          const uint8_t *in, robo_time now);

/* ---- words.c ---- */

/* The session's message, which is a text or a piece of one, to `command` or a button. */
void robo__rctp_text(struct robo__rctp_session *s, const struct robo__rcml_object *o,
                     robo_time now);

/* ---- status.c ---- */

/* Whether more bytes than `above` wait for the client to read. `surely`: the connection's, also when there are datagrams, of which
 * one may be lost. */
bool robo__rctp_is_full(const struct robo__rctp_session *s, size_t above, bool surely);
/* Sends messages as one frame; `surely` as above. */
void robo__rctp_send_frame(struct robo__rctp_session *s, const uint8_t *messages, size_t n,
                           bool surely);

/* Notes that the client was notified just now. */
void robo__rctp_note_told(struct robo__rctp_session *s, struct robo__rctp_told *told,
                          robo_time now);
/* Its next reset is of that panic, of which it was notified just now. */
void robo__rctp_name_panic(struct robo__rctp_session *s, uint32_t epoch, robo_time now);
/* A status of a message, or with the object 0 of the session, which is a notice, too. text NULL: none. Statuses that
 * the client has excluded by `Report:` are not written. */
void robo__rctp_send_status(struct robo__rctp_session *s, uint8_t object, uint64_t stamp,
                            uint16_t code, const char *text);
/* Its clients, whose results become statuses. */
extern const struct robo__seat_kind robo__rctp_clients;
/* With control_lock: the next frame may come, once no command waits for its time. */
void robo__rctp_send_permission(struct robo__rctp_session *s, robo_time now);
/* Notes whether another client controls the robot: a waiting client is notified when none does any more. */
void robo__rctp_note_held(struct robo__rctp_session *s, robo_time now);
/* Reports the newest panic and its end, if the client was not notified of them yet. */
void robo__rctp_tell_panic(struct robo__rctp_session *s, robo_time now);
/* All that is new: results, panics, stops, leases, the end of the robot. */
void robo__rctp_send_news(struct robo__rctp_session *s, robo_time now);
/* To a client whose live session begins: that the robot is in panic, if it was so when the client came. */
void robo__rctp_send_old_panic(struct robo__rctp_session *s);
/* ---- client_names.c ---- */

/* How a client is called to people: by its name and number, as by the other protocols. */
void robo__rctp_call(uint32_t number, const char *name, char out[ROBO__HOLDER_NAME]);

/* ---- outputs.c ---- */

/* A timer's: outputs are sent, as often as GO has agreed on. */
void robo__rctp_on_outputs(struct robo__timer *timer, robo_time now);
/* The present values of an object's parameters; of a sensor the number of its reading, else 0. */
uint64_t robo__rctp_read_object(struct robo__rctp_session *s,
                                const struct robo__rcml_object *object, double *values);

/* ---- datagrams.c ---- */

/* Nothing when they are closed. */
void robo__rctp_close_datagrams(struct robo__rctp_session *s);
/* A message goes out with others of its datagram's frame, or by itself. */
void robo__rctp_say_datagram(struct robo__rctp_session *s, const uint8_t *messages, size_t n);
/* Sends messages as a datagram; a datagram that is too long, or finds no room, is dropped. */
void robo__rctp_send_datagram(struct robo__rctp_session *s, const uint8_t *messages, size_t n);

/* ---- session.c ---- */

/* After received bytes: the client is not silent. */
void robo__rctp_session_heard(struct robo__rctp_session *s);

/* Another client has taken control: this one watches, until it is assigned an input again. */
void robo__rctp_lose_control(struct robo__rctp_session *s);

/* The session is over, with that status; the connection closes when it was written. */
void robo__rctp_session_end(struct robo__rctp_session *s, uint16_t code, const char *text);
