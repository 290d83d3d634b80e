/* May change without notice between versions. */
/* State of a client's sessions, and answers where they are kept: for programs that show them or pass them on. */
#pragma once

#include "robotalk/connect.h"
#include "robotalk/picture.h"

ROBO_API_BEGIN

/* ---- a client's sessions ---- */

/* enum robo_role: the role that the server has granted; 0 as long as it has not greeted. */
int robo_client_role(const robo_client *client);

/* The loop that it lives on; robo_connect makes one. As long as the client. */
robo_loop *robo_client_loop(const robo_client *client);

/* Begins to open a session and returns its number at once. The ROBO_EVENT_REPLY of *id has the outcome; commands before that
 * are refused. options may be NULL. ROBO_ELIMIT: 16 are open; ROBO_ERANGE: a text is too long; ROBO_EINVAL: options without
 * a size; else as robo_request. */
robo_session_id robo_session_begin(robo_client *client, const struct robo_session_options *options,
                                   robo_id *id);

/* State of a session that its client knows without a query. */
struct robo_session_news {
    int open;          /* 1: commands may be sent */
    int blocking;      /* 1: in its mode calls wait for their answers */
    int panic;         /* 1: the robot is in panic */
    uint32_t epoch;    /* of the robot: how many panics there were */
    robo_time deadman; /* silence after which the robot stops; 0: none */
    /* the client that held the lease for which the newest command was refused as BUSY, lease: its number and its name;
     * "": no command was, or the holder is the program that serves the robot. */
    uint32_t holder;
    char holder_name[64];
    /* by enum robo_retained, the newest notice of each kind, and a bit for each kind of which there was one */
    union robo_retained_body retained[ROBO_RETAINED_KINDS];
    uint32_t told;
    /* 1: a stop by another client has latched this one: commands that move are INTERRUPTED, stopped, until ROBO_Q_RESUME with
     * the number of that stop. Else the number is that of the client's own newest stop; 0: there is none. Further the stopper's
     * number, its name, and when it stopped, by this clock. */
    int latched;
    uint32_t stop, stopper;
    char stopper_name[64];
    robo_time stopped_at;
    /* name of the client that sent the newest panic, or reset it; "": none that is known */
    char panic_name[64];
};
int robo_session_news(robo_client *client, robo_session_id session,
                      struct robo_session_news *news); /* 0; ROBO_ENONE: no such session */

/* The request of that other client to this one (ROBO_N_ASKED, whose value is its number), with its time by this clock: 0;
 * ROBO_ENONE: there is none, or its time is over, or there is no such session. ROBO_Q_GIVE answers it. */
int robo_session_asked(robo_client *client, robo_session_id session, uint32_t holder,
                       struct robo_notice_asked *asked);

/* Replaces the description of the session's robot, for all its clients (robo_reload_body), by the body's configuration
 * block; the robot keeps its drivers, joint by joint. Sends the block in pieces and returns the id of the last, whose reply
 * (struct robo_reply_reload) comes when it is done. Does not wait. Requires the role "operate" (ROBO_EROLE). Also refused:
 * the body of a robot of another name, ROBO_EINVAL; a reload while another one of this client is under way, ROBO_ELIMIT; and
 * a body for which a driver does not open. Then the robot goes on as it was. Errors of this function itself: as robo_send. */
robo_id robo_client_reload(robo_client *client, robo_session_id session, const robo_body *body);

/* robo_dismiss for robots elsewhere: each session of this client that has sent a command stops its own motions (scope 1). From now on
 * commands are answered INTERRUPTED, closed without being sent, except stops. It waits for nothing and calls nothing of the
 * program's: with robo_loop_try_lock another thread may do it. Robots of this process are left to robo_dismiss. */
void robo_client_dismiss(robo_client *client);
void robo_client_readmit(robo_client *client); /* on its loop's thread: it commands again */

/* ---- answers ---- */

/* An answer in the return cache, as it is there: for hosts that convert it at once. The memory that it points to stays until
 * the answer is dropped or taken, or another function of the client is called. */
struct robo_answer {
    int query; /* 1: of a query; 0: of a command */
    int error; /* of a refused query; 0: it was not refused */
    uint16_t op;
    uint8_t more;   /* of a state or a broadcast: the requested optional parts, enum robo_more */
    uint32_t parts; /* of a frame: how many */
    const struct robo_result *result; /* of a command */
    const struct robo_part *part;     /* as robo_parts */
    /* struct robo_reply_…, struct robo_state or struct robo_picture, as with robo_take_reply; NULL: it has no body, or was refused */
    const void *reply;
    size_t size; /* bytes of reply */
};
/* Returns an answer that stays there: 1, or 0 when it has not arrived. ROBO_ENONE as above. */
int robo_look(const robo_client *client, robo_id id, struct robo_answer *answer);
/* robo_take_reply for a picture or a view, into memory of the caller: `room` bytes at picture->bytes. ROBO_EFULL: it has picture->size
 * bytes, and can still be taken. */
int robo_take_picture(robo_client *client, robo_id id, struct robo_picture *picture, size_t room);
/* Removes an answer that robo_look has returned from the cache; but a broadcast goes on under its id. */
void robo_drop(robo_client *client, robo_id id);

ROBO_API_END
