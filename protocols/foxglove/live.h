/* A live recording of all robots of a host (recording/recording.h), whose channels and messages go to any number of clients. It begins with
 * the first client and ends with the last. On the host's thread. */
#pragma once

#include "net/host.h"
#include "recording/json.h"
#include "robotalk/mcap.h"

struct robo__live_topic {
    struct robo__live_topic *next;
    uint32_t id;
    char topic[112];
    char schema_name[64];
    char *schema; /* JSON */
    char robot
        [32]; /* name, of a topic robot_description, which is sent at a subscription; else "" */
    bool is_picture;
};

struct robo__live_client {
    struct robo__live_client *next;
    struct robo__live *live; /* NULL: it has not joined */
    /* A channel was added. */
    void (*opened)(struct robo__live_client *client, const struct robo__live_topic *channel);
    void (*came)(struct robo__live_client *client, const struct robo_mcap_record *message,
                 robo_time now);
    /* All messages of this turn have come. */
    void (*settled)(struct robo__live_client *client);
    bool wants_pictures;
};

/* rate: of states and pictures, 1/s, which the first client says for all. ROBO_ENOMEM. */
int robo__live_join(struct robo__live_client *client, struct robo__host *host, double rate);
void robo__live_leave(struct robo__live_client *client);

/* The first of those that there are; and by its id, NULL: there is none. */
const struct robo__live_topic *robo__live_first(const struct robo__live *live);
const struct robo__live_topic *robo__live_find(const struct robo__live *live, uint32_t id);
/* Another number means other channels. */
uint64_t robo__live_session(const struct robo__live *live);
/* After a change of client->wants_pictures. */
void robo__live_look(struct robo__live *live);
