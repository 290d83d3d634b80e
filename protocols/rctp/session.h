/* One client of RCTP and one robot: the objects that it was assigned, and then the live session, which commands the robot
 * by a session of the core and reports its state (paper 001, 4.3; spec/rctp.md). The text of the negotiation is the
 * server's (rctp/server.c), which opens one when its client asks for the first object, hands it all bytes that come after
 * GO, and closes it with the connection. On the connection's thread. */
#pragma once

#include "net/conn.h"
#include "robot/client.h"
#include "rcml/objects.h"
#include "robotalk/rctp.h"

struct robo__rctp_session;

/* The answer to ASSIGN. */
struct robo__rctp_assigned {
    /* 201: assigned; 403: the client may only watch; 404: there is no such object; 409: another client controls the robot;
       503: the robot is in panic, or not there any more */
    uint16_t code;
    uint8_t id;    /* of 201: 1 to 254 */
    bool controls; /* of 201: commands for it are carried out; else it is only watched */
    bool panic;    /* of 503 */
    robo_time
        deadman; /* of 201: after so long a silence the client's motions are stopped; 0: never */
    const struct robo__rcml_object *object; /* NULL: there is none; the session's */
};

enum robo__rctp_report {
    ROBO__RCTP_REPORT_SOME, /* of results all but those of success */
    ROBO__RCTP_REPORT_ALL,
    ROBO__RCTP_REPORT_ERRORS, /* commands that were not carried out */
    ROBO__RCTP_REPORT_NONE    /* only statuses of the whole session, and permissions */
};

/* The contents of GO's headers. */
struct robo__rctp_go {
    bool bare; /* Framing: none: messages without frames, as the paper's BNF has them */
    enum robo__rctp_report report; /* Report: */
    double rate;                   /* Rate: of outputs, 1/s; 0: missing */
    bool udp;                      /* Transport: udp: datagrams beside the connection */
    uint8_t text_stamp;            /* Text-Stamp: bytes of the stamps of texts; 0: missing */
};

/* Finds the robot, "" the first, and lists its objects. inputs: as robo__rcml_objects_make. ROBO_ENONE: no such robot;
 * ROBO_ENOMEM. */
int robo__rctp_session_open(struct robo__conn *conn, const char *robot,
                            const struct robo__rcml_group *inputs, struct robo__rctp_session **s);

/* The client's own name, n bytes, before its first object; without one it is an "RCTP client". */
void robo__rctp_session_name(struct robo__rctp_session *s, const char *name, size_t n);

/* As long as the session. */
const struct robo__rcml_objects *robo__rctp_session_objects(const struct robo__rctp_session *s);

/* Assigns the object of that name. The first input takes the lease of the whole robot, unless another client has any of it.
 * The same object again has the same number. */
struct robo__rctp_assigned robo__rctp_session_assign(struct robo__rctp_session *s, const char *name,
                                                     robo_time now);

/* After a 409: the name of the client that has a lease of the robot, and how long that lasts if nothing more comes; "" and 0:
 * there is none any more. */
void robo__rctp_session_holder(struct robo__rctp_session *s, char name[ROBO__HOLDER_NAME],
                               robo_time *left, robo_time now);

/* Undoes that, before GO: 201; 404: it was not assigned. With the last input the lease is given back. */
uint16_t robo__rctp_session_release(struct robo__rctp_session *s, const char *name, robo_time now);

/* The present values of a control object's parameters, as many as it has; unknown ones are 0. Of an input that takes
 * speeds or forces: 0. */
void robo__rctp_session_values(struct robo__rctp_session *s, const struct robo__rcml_object *object,
                               double *values);

/* Whether GO can be granted: 201; 412: nothing was assigned; 406: without frames there may be control objects only. */
uint16_t robo__rctp_session_may_go(const struct robo__rctp_session *s,
                                   const struct robo__rctp_go *go);

/* The answer to GO was written: the live session begins. */
void robo__rctp_session_go(struct robo__rctp_session *s, const struct robo__rctp_go *go,
                           robo_time now);

/* Handles the input after GO: as `feed` of struct robo__protocol. When the session is over, the connection is closing. */
size_t robo__rctp_session_feed(struct robo__rctp_session *s, const uint8_t *in, size_t n, bool one,
                               robo_time now);

/* Before the answer to GO of a client that wants datagrams: opens a port for them, and gives the contents of that answer.
 * false: there are none on this connection, which goes on without. */
bool robo__rctp_session_open_datagrams(struct robo__rctp_session *s, uint32_t *token,
                                       uint16_t *port);

/* A final status of the session, before the server or another thread closes the connection. */
void robo__rctp_session_send_last(struct robo__rctp_session *s, uint16_t code, const char *text,
                                  robo_time now);

/* Its motions stop, and its lease is free. NULL: does nothing. */
void robo__rctp_session_close(struct robo__rctp_session *s);
