/* A client of a Player server from inside: server.c reads its messages and has its life, requests.c answers and carries out,
 * data.c makes data, pictures.c those of cameras. connection.c has their common functions. All on its connection's thread. */
#pragma once

#include "drive.h"
#include "net/conn.h"
#include "parts.h"
#include "queue.h"

enum {
    /* the host in messages to clients, 127.0.0.1: they ignore it */
    ROBO__PLAYER_LOCALHOST = 0x0100007f,
    ROBO__PLAYER_REQUEST = 1 << 16, /* bytes of a body that a client may send */
    ROBO__PLAYER_NUMBERS = 4096,    /* of the arrays of a message */
    ROBO__PLAYER_UNIVERSAL = 247    /* requests from that subtype on are for every device */
};

struct robo__player_view;

/* A device, and its part of a robot. */
struct robo__player_target {
    uint16_t interf, index;
    robo_robot *robot;
    /* the revision of the robot that the part's numbers are of; its body is not held */
    robo_body *body;
    uint8_t revision;
    unsigned number;
    struct robo__player_part part;
};

/* A device that the client has subscribed to. */
struct robo__player_subscription {
    struct robo__player_subscription *next;
    uint16_t interf, index;
    robo_robot *robot; /* the connection's list holds it */
    unsigned number;   /* which of the robot's of that interface */
    uint64_t told;     /* of sensors: the sum of the numbers of the readings that were sent */
    robo_time sent;
    struct robo__player_view *view; /* of a camera; NULL: not watched */
};

struct robo__player_connection {
    struct robo__conn *conn;
    struct robo__player_queue queue;
    /* the robots as they were when this client first asked for devices, so that its numbers stay; held */
    robo_robot **robot;
    unsigned robots;
    bool listed;
    char only[32]; /* the robot of the address; empty: all of the world */
    /* the device of the first robot that was found last, as the robot was described then; NULL: none */
    struct robo__player_target found;
    robo_body *found_by; /* held */
    struct robo__player_subscription *subscription;
    struct robo__player_drive *drive; /* those robots that it has commanded */
    uint32_t number;                  /* of the client */
    uint16_t port;
    robo_time period, deadman;
    double axles;                           /* m, of the command for cars */
    double epoch;                           /* s, from the world's clock to that of headers */
    size_t skip;                            /* bytes of a body that is dropped */
    uint32_t unknown, malformed, oversized; /* messages that were dropped */
    bool complained;
    struct robo__timer tick, banner;
};

/* A body that is being made, and the memory of its arrays; large. */
struct robo__player_answer {
    struct robo__player_body body;
    double number[ROBO__PLAYER_NUMBERS];
    uint8_t byte[ROBO__PLAYER_NUMBERS];
};

/* ---- connection.c ---- */

/* Takes note of the robots, once: then numbers of devices stay as they are for this client. */
void robo__player_list_robots(struct robo__player_connection *c);
/* Which device an interface and an index mean; false: there is none. */
bool robo__player_find(struct robo__player_connection *c, unsigned interf, unsigned index,
                       struct robo__player_target *target);
struct robo__player_subscription *robo__player_subscribed(const struct robo__player_connection *c,
                                                          unsigned interf, unsigned index);
/* NULL: no memory. */
struct robo__player_drive *robo__player_driver(struct robo__player_connection *c,
                                               robo_robot *robot);

/* A message for the client. time: when its data held. */
void robo__player_say(struct robo__player_connection *c, uint16_t interf, uint16_t index,
                      unsigned type, unsigned subtype, robo_time time, const char *layout,
                      const struct robo__player_body *body);

struct robo__player_header robo__player_header_of(struct robo__player_connection *c,
                                                  uint16_t interf, uint16_t index, unsigned type,
                                                  unsigned subtype, robo_time time);
/* Writes it when nothing waits that it may not overtake; false: it is to be queued. */
bool robo__player_write_at_once(struct robo__player_connection *c,
                                struct robo__player_header *header, const char *layout,
                                const struct robo__player_body *body);
/* Writes a header and a body, whatever waits; false: the connection is closing. */
bool robo__player_write(struct robo__player_connection *c, const struct robo__player_header *header,
                        const uint8_t *body);
/* Sends the queue, as far as the client reads. */
void robo__player_flush(struct robo__player_connection *c);

/* ---- requests.c ---- */

/* The answer to a request to a device: an ACK with answer->body by the layout of its kind, or, on false, a NACK. */
bool robo__player_request(struct robo__player_connection *c,
                          const struct robo__player_target *target,
                          const struct robo__player_header *header,
                          const struct robo__player_body *body, struct robo__player_answer *answer,
                          robo_time now);
/* Carries out a command. */
void robo__player_command(struct robo__player_connection *c,
                          const struct robo__player_target *target,
                          const struct robo__player_header *header,
                          const struct robo__player_body *body, robo_time now);
/* Whether the server does something with such messages. */
bool robo__player_can(unsigned interf, unsigned type, unsigned subtype);

/* ---- data.c ---- */

/* Sends the news of a device. */
void robo__player_tell(struct robo__player_connection *c, struct robo__player_subscription *s,
                       robo_time now);
/* Where a device is, and how large: the body of the reply to the request for it. */
void robo__player_geometry(const struct robo__player_target *target,
                           struct robo__player_answer *answer);
/* The setting of a laser, in the order of its interface's body, or that of a ranger. */
void robo__player_setting(const struct robo__player_target *target, struct robo__player_body *body);
/* Where the base is: x, y, heading in the world. */
void robo__player_where(robo_robot *robot, double world[3]);

/* ---- pictures.c ---- */

/* Begins to look; pictures come as data of the camera. false: there is no such camera now. */
bool robo__player_view_open(struct robo__player_connection *c, struct robo__player_subscription *s,
                            robo_time now);
void robo__player_view_close(struct robo__player_view *view);
