/* RCTP's negotiation: requests of ASSIGN, GO, RELEASE and OPTIONS in, replies out (paper 001, 4.3.2; spec/rctp.md). It knows the robot by a
 * struct robo__rctp_port only: no socket, no session, no clock here. Owned by its connection. */
#pragma once

#include "http/reply.h"
#include "http/request.h"
#include "session.h"

/* The client that controls a busy robot. */
struct robo__rctp_holder {
    char name[ROBO__HOLDER_NAME]; /* "": it is not known */
    robo_time left;               /* until its lease is over, if nothing more comes */
};

/* Functions of the robot for the negotiation, with the port's owner; as the functions of session.h. */
struct robo__rctp_port {
    /* From now on that robot is meant, "" the first. 0; ROBO_ENONE; ROBO_ENOMEM. */
    int (*choose)(void *owner, const char *robot);
    const struct robo__rcml_objects *(*objects)(void *owner); /* NULL: no robot is chosen */
    struct robo__rctp_assigned (*assign)(void *owner, const char *object, robo_time now);
    void (*holder)(void *owner, struct robo__rctp_holder *holder, robo_time now); /* of a 409 */
    uint16_t (*release)(void *owner, const char *object, robo_time now);
    void (*values)(void *owner, const struct robo__rcml_object *object, double *values);
    uint16_t (*may_go)(void *owner, const struct robo__rctp_go *go);
    bool (*open_datagrams)(void *owner, uint32_t *token, uint16_t *port);
};

struct robo__rctp_negotiation {
    const struct robo__rctp_port *port;
    void *owner;
    /* that is meant unless another is named, "": the first; from an ASSIGN that was granted on, that one's */
    char robot[32];
    char chosen[32]; /* of the newest request, with `any_chosen` */
    bool any_chosen;
    unsigned assigned;                 /* objects */
    uint8_t given[ROBO__RCML_OBJECTS]; /* by place in the list of objects: it is assigned */
    struct robo__rctp_go go;           /* of GO */
    /* of the request that is answered: the name in it, or the error of its search */
    char object[ROBO__RCML_NAME + 1];
    int error;
};

enum robo__rctp_step {
    ROBO__RCTP_ANSWERED,
    ROBO__RCTP_BEGUN /* GO was granted: the next bytes are the live session's */
};

/* Whether a method is one of the negotiation's: robo__rctp_answer answers it. */
bool robo__rctp_negotiates(const struct robo__http_request *request);

/* Reads a request's names, and chooses its robot; returns how many bytes its reply may have. robo__rctp_answer is next. */
size_t robo__rctp_prepare(struct robo__rctp_negotiation *n,
                          const struct robo__http_request *request);

/* Answers one request of RCTP/1.0, in so many bytes as there is room for; *size: how many. */
enum robo__rctp_step robo__rctp_answer(struct robo__rctp_negotiation *n,
                                       const struct robo__http_request *request, robo_time now,
                                       void *out, size_t room, size_t *size);

/* Reads the headers of GO: returns what a header should have said; NULL: all are valid. */
const char *robo__rctp_read_go(const struct robo__http_request *request, struct robo__rctp_go *go);

/* A request that was refused before it came here: by the reader, the gate or the access control. Headers alone. */
size_t robo__rctp_refuse(int status, const char *why, void *out, size_t room);
