/* A robot's bridge from inside (core/robotalk/bridge.h): bridge.c keeps the data between the two sides, bridge_parse.c parses lines for the
 * script, bridge_side.c is the connection's side.
 *
 * A bridge is there as long as a script or a connection has it. Both find it in a list, by its robot's name. One lock guards the list and
 * what all bridges hold: under it bridges are made, bytes copied and wake-ups posted, and no other lock is taken. */
#pragma once

#include "connection.h"
#include "robotalk/bridge.h"

/* A connection's description of its client when it takes the robot. */
struct robo__gb_about {
    enum robo__gb_dialect dialect;
    bool strict;
    struct robo__gb_class class_row;
    char name[ROBO__GB_NAME];
};

/* Texts one behind the other, each behind its size and its kind. */
struct robo__gb_texts {
    char *at;
    size_t size, n;
    size_t last; /* where the newest begins */
};

enum robo__gb_text_kind { ROBO__GB_SAID, ROBO__GB_PASSED };

struct robo_bridge {
    robo_world *world;
    char robot[32];

    /* under the lock, up to the next remark */
    struct robo_bridge *next;
    unsigned holders;
    bool scripted,
        dismissed;    /* dismissed: a script has opened it that is to end, and has not closed it */
    bool woken;       /* the script was, and has not looked since */
    uint32_t scripts; /* how many there have been */
    uint64_t key;     /* the script's */
    void (*wake)(void *owner);
    void *owner;
    robo_time looked;                /* when the script last did */
    uint32_t epoch, users;           /* users: how many there have been */
    struct robo__wakeup *connection; /* of the connection's that has the robot; NULL: none has */
    struct robo__mailbox *mailbox;
    struct robo__gb_about about;
    bool panic, fails, quits;
    char why[256]; /* it fails */
    struct robo__gb_texts lines, words;
    uint64_t dropped;
    bool wishes;
    struct robo_bridge_wish wish;
    double steering
        [2]; /* FrontSteer, RearSteer, and whether the light is on: as the script understood lines */
    bool light;

    /* the script's thread */
    struct robo__gb_texts taken;
    size_t read; /* of the taken */
    uint32_t user;
    uint32_t seen;                    /* the epoch of the last look */
    struct robo__gb_connection *mind; /* NULL: none */
    uint32_t minds, recalls;          /* whose it is, and of which epoch */
};

void robo__bridges_lock(void);
void robo__bridges_unlock(void);

/* The bridge of a robot, to be released. NULL: no memory. */
struct robo_bridge *robo__bridge_hold(robo_world *world, const char *robot);
void robo__bridge_release(struct robo_bridge *bridge);

/* The lock is held: earlier lines are over. */
void robo__bridge_turn(struct robo_bridge *bridge);
void robo__bridge_wake(struct robo_bridge *bridge);

/* The lock is held: adds a line that a client has sent. */
void robo__bridge_push(struct robo_bridge *bridge, struct robo__gb_text line);

/* The next text of those, at *at, which moves on; at NULL: there are no more. */
struct robo__gb_text robo__gb_next_text(const struct robo__gb_texts *texts, size_t *at,
                                        enum robo__gb_text_kind *kind);

/* bridge_parse.c */
void robo__bridge_lose_mind(struct robo_bridge *bridge);
