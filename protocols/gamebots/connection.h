/* A connection of Gamebots from inside: server.c has its life and its lines, command.c the messages to a robot, output.c its output,
 * init.c its robot, wish.c the wishes for that, drive.c and set.c the messages that make them, report.c the periodic messages. All on
 * the connection's thread.
 *
 * Clients of USARSim send a speed once and expect it to hold: the seat (net/seat.h) renews the robot's deadman for them. */
#pragma once

#include "messages.h"
#include "net/conn.h"
#include "net/seat.h"

enum { ROBO__GB_NAMES = 256, ROBO__GB_ANSWER = 32768 /* bytes of the answer to one line */ };

/* Which robot a name was given to, of all connections of a host. An entry outlives its connection: the robot waits for a client that
 * asks for that name again. */
struct robo__gb_given {
    char name[ROBO__GB_NAME];
    char robot[32];
    bool taken;        /* a connection has it */
    robo_time left_at; /* when its last connection ended */
};

struct robo__gb_names {
    unsigned count;
    struct robo__gb_given given[ROBO__GB_NAMES];
};

/* The wish of one turn's lines for a dof, and for the base; only the newest counts. */
struct robo__gb_dof_wish {
    double value;
    uint8_t servo; /* ROBO_SERVO_…; 0: nothing */
    bool again;    /* it was given, found the dof braking, and waits to be given once more */
    uint8_t by;    /* the servo of the newest command that was given, its value and number */
    double given;
    uint32_t id;
    const char *type; /* the name in its line's answers; NULL: it is of a bridge's script */
};

struct robo__gb_wish {
    bool base;
    double velocity[4]; /* m/s ahead, to the left and up, rad/s to the left */
    bool dofs;          /* there are some of dofs */
    bool again;         /* and some that wait */
    struct robo__gb_dof_wish *dof;
};

/* When a sensor's next message is due, and the number of the last reading that was sent. */
struct robo__gb_due {
    robo_time at;
    uint64_t told;
};

struct robo__gb_connection {
    struct robo__conn *conn;
    enum robo__gb_dialect dialect;
    bool strict, greeted, begun; /* begun: a first line was received */
    char wanted[32];             /* the robot that the address names; "": any */
    struct robo__gb_reader reader;
    uint64_t lines, unknown, ignored; /* so far; ignored: before INIT */
    struct robo__timer tick;
    size_t unread;     /* bytes that the client had not read at the last tick */
    robo_time read_at; /* when it last read some */

    /* from INIT on */
    struct robo__gb_given *name_given;
    struct robo__gb_class class_row;
    struct robo__gb_vehicle *vehicle;
    robo_robot *robot;
    robo_body *body; /* of which the vehicle is; held */
    struct robo__seat seat;
    uint32_t revision;      /* of that body */
    uint32_t commands_told; /* those before it were ended by others, and the client knows */
    bool lost_device;       /* one was lost, and no command has been carried out since */
    bool latched;           /* a stop by another client holds this one */
    uint32_t
        latched_at; /* commands that were given when it heard so: later ones are refused, and did not end by it */
    bool controls; /* it has the lease */
    struct robo__gb_due *due;
    size_t
        made; /* bytes of the world's budget: of the vehicle, of what dofs are wished and of when sensors are due */
    double reset[3]; /* where the odometry was reset to 0: x, y, theta */

    /* the wish for the robot */
    struct robo__gb_wish wish;
    const char *mover;  /* of the line that is carried out: as of robo__gb_mover */
    bool normalized;    /* sticks, in udk */
    double steering[3]; /* Speed rad/s, FrontSteer, RearSteer */
    double flight[4];   /* as velocity of a wish */
    bool light, wants_light, wants_flip;
    uint32_t driver; /* the newest command to the base */
    /* it found the base braking for its former owner: it is given once more, unless earlier lines are over */
    bool again;
    char told[192];       /* the newest refusal that was sent */
    bool drives;          /* the base is to move, by the newest command to it */
    bool stands;          /* and does not, which the client knows */
    robo_time moved_at;   /* when it last did, or was not to */
    bool lost, lost_news; /* a wish of a bridge's script was, a refusal that was not sent before */

    /* of an address with a bridge (bridge_side.c) */
    bool bridged;
    struct robo__gb_bridge_side *side; /* from INIT on */
    /* of the parser of lines for a script (bridge_parse.c), which has no connection and no session */
    struct robo__gb_out *aside; /* where it writes */
    char called[ROBO__GB_NAME]; /* the robot */
};

/* ---- command.c ---- */

void robo__gb_command(struct robo__gb_connection *c, const struct robo__gb_line *line,
                      robo_time now);
/* The name in the answers to a line that moves something; NULL: it does not. Static. */
const char *robo__gb_mover(const struct robo__gb_line *line);

/* Whether the line is of a type that is carried out, or answered. */
bool robo__gb_knows(const struct robo__gb_line *line);

/* ---- output.c ---- */

/* Whether more than that many bytes wait for the client to read. */
bool robo__gb_leaves_unread(const struct robo__gb_connection *c, size_t above);
/* Writes lines that are ready; none when the client leaves too much unread. */
void robo__gb_say(struct robo__gb_connection *c, const struct robo__gb_out *out);
/* RES; why: as of robo__gb_result. */
void robo__gb_say_result(struct robo__gb_connection *c, const char *type, const char *name,
                         bool good, const char *why);
/* RES without a request: another client has stopped the robot, or keeps it from moving (Failed, with why), or it may move again
 * (NULL: OK). */
void robo__gb_say_control(struct robo__gb_connection *c, const char *why);
/* RES Failed for a line whose value in that group is wrong. */
void robo__gb_say_wrong(struct robo__gb_connection *c, struct robo__gb_text type, const char *group,
                        const char *why);

/* ---- init.c ---- */

void robo__gb_do_init(struct robo__gb_connection *c, const struct robo__gb_line *line,
                      robo_time now);
void robo__gb_say_starts(struct robo__gb_connection *c);
/* The description has changed: everything derived from it is made again. false: no memory. */
bool robo__gb_renew(struct robo__gb_connection *c);
/* Its motions stop; the robot keeps its name. */
void robo__gb_let_go(struct robo__gb_connection *c, robo_time now);

/* ---- wish.c ---- */

void robo__gb_wish_base(struct robo__gb_connection *c, const double velocity[4]);
/* A position, a speed or a force of a link, in the client's frame. */
void robo__gb_wish_link(struct robo__gb_connection *c, const struct robo__gb_link *link,
                        uint8_t servo, double value);
/* Hands over the wishes since the last time, and those that have to be given once more. */
void robo__gb_hand_over(struct robo__gb_connection *c, robo_time now);
/* Stops the client's motions, and forgets its earlier lines. */
void robo__gb_stop(struct robo__gb_connection *c, robo_time now);
void robo__gb_halt(struct robo__gb_connection *c, robo_time now); /* without forgetting */
void robo__gb_forget(struct robo__gb_connection *c);
/* Takes results and news. false: the connection is over. */
bool robo__gb_hear(struct robo__gb_connection *c, robo_time now);
extern const struct robo__seat_kind robo__gb_clients;

/* ---- drive.c ---- */

void robo__gb_do_drive(struct robo__gb_connection *c, const struct robo__gb_line *line);
void robo__gb_do_multidrive(struct robo__gb_connection *c, const struct robo__gb_line *line);
/* MISPKG, ACT. */
void robo__gb_do_package(struct robo__gb_connection *c, const struct robo__gb_line *line);
void robo__gb_do_camera(struct robo__gb_connection *c, const struct robo__gb_line *line);

/* ---- set.c ---- */

void robo__gb_do_set(struct robo__gb_connection *c, const struct robo__gb_line *line,
                     robo_time now);
/* Opens or closes the gripper of that name, the first one without a name; false: there is none. */
bool robo__gb_grip(struct robo__gb_connection *c, struct robo__gb_text name, bool open);
/* The camera of that name, the first one without a name; NULL: there is none. */
const struct robo_camera *robo__gb_camera_of(const struct robo__gb_connection *c,
                                             struct robo__gb_text name);
/* Field of view of the first camera, or the one of that name; the reason why it cannot be, NULL: it can. */
const char *robo__gb_zoom(struct robo__gb_connection *c, struct robo__gb_text camera, double fov);

/* ---- report.c ---- */

/* STA and its companions, and SEN of the sensors that are due. */
void robo__gb_report(struct robo__gb_connection *c, robo_time now);
/* SEN of a sensor of that type and name, of an empty name of all of that type, due or not. false: there is none. */
bool robo__gb_report_type(struct robo__gb_connection *c, struct robo__gb_text type,
                          struct robo__gb_text name, robo_time now);
/* Where the base believes to be: x, y, theta, from where its odometry was reset. */
void robo__gb_place(struct robo__gb_connection *c, double place[3]);
void robo__gb_reset_place(struct robo__gb_connection *c);
