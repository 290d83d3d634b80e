/* Robots, live, as a recording has them. */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "recording/recording.h"
#include "robot/world/world.h"

/* Bytes of the world's budget: for what a robot does until it is sent on, and what a recording has besides. */
enum { JOURNAL = 1 << 20, RECORDING = 5 << 20 };
enum { DESCRIPTIONS = 1 << 16 /* ids of their channels: those of a recording have less */ };
static const robo_time TICK = 25 * 1000000, SECOND = 1000000000;

struct schema {
    struct schema *next;
    uint16_t id;
    char name[64];
    char text[];
};

struct robo__live {
    struct robo__host *host;
    robo_recording *recording; /* NULL: there are no clients */
    struct robo__live_client *clients;
    struct robo__live_topic *channels, **last;
    struct schema *schemas;
    struct robo__timer tick;
    robo_time looked; /* for robots that were added or removed */
    size_t memory;
    uint32_t descriptions;
    uint64_t session;
};

static struct robo__budget *budget_of(const struct robo__live *live)
{
    return robo__world_memory(live->host->world);
}

/* Half of the memory is for what drives robots. */
static bool take_memory(struct robo__live *live, size_t n)
{
    struct robo__budget *budget = budget_of(live);
    if (!robo__budget_take(budget, budget->total / 2, n))
        return false;
    live->memory += n;
    return true;
}

static void give_memory(struct robo__live *live, size_t n)
{
    live->memory -= n;
    robo__budget_give(budget_of(live), n);
}

/* ---- channels ---- */

/* NULL: no memory. */
static struct robo__live_topic *add_channel(struct robo__live *live, uint32_t id, const char *topic,
                                            size_t n, const char *schema_name, const char *schema)
{
    struct robo__live_topic *c = calloc(1, sizeof *c);
    if (!c || n >= sizeof c->topic || !(c->schema = strdup(schema))) {
        free(c);
        return NULL;
    }
    c->id = id;
    memcpy(c->topic, topic, n);
    snprintf(c->schema_name, sizeof c->schema_name, "%s", schema_name);
    c->is_picture = strcmp(schema_name, "foxglove.CompressedImage") == 0;
    *live->last = c;
    live->last = &c->next;
    return c;
}

static void tell_of(struct robo__live *live, const struct robo__live_topic *channel)
{
    for (struct robo__live_client *c = live->clients; channel && c; c = c->next)
        c->opened(c, channel);
}

/* The first robot's has no name in front, as tools look for it. */
static void describe(struct robo__live *live, const char *robot)
{
    char topic[64];
    for (const struct robo__live_topic *c = live->channels; c; c = c->next)
        if (strcmp(c->robot, robot) == 0)
            return; /* it has come back */
    const int n = snprintf(topic, sizeof topic, live->descriptions > 0 ? "/%s/%s" : "/%.0s%s",
                           robot, "robot_description");
    struct robo__live_topic *c =
        add_channel(live, DESCRIPTIONS + live->descriptions++, topic, (size_t)n, "std_msgs/String",
                    "{\"type\":\"object\",\"properties\":{\"data\":{\"type\":\"string\"}}}");
    if (c)
        strcpy(c->robot, robot);
    tell_of(live, c);
}

static void add_schema(struct robo__live *live, const struct robo_mcap_record *r)
{
    struct schema *s = calloc(1, sizeof *s + r->data.size + 1);
    if (!s)
        return;
    s->id = r->id;
    memcpy(s->name, r->name.at, r->name.size < sizeof s->name ? r->name.size : sizeof s->name - 1);
    memcpy(s->text, r->data.at, r->data.size);
    s->next = live->schemas;
    live->schemas = s;
}

static void take(struct robo__live *live, const struct robo_mcap_record *r, robo_time now)
{
    if (r->kind == ROBO_MCAP_SCHEMA)
        add_schema(live, r);
    if (r->kind == ROBO_MCAP_CHANNEL) {
        const struct schema *s = live->schemas;
        while (s && s->id != r->schema)
            s = s->next;
        if (s)
            tell_of(live, add_channel(live, r->id, r->name.at, r->name.size, s->name, s->text));
    }
    for (struct robo__live_client *c = live->clients; r->kind == ROBO_MCAP_MESSAGE && c;
         c = c->next)
        c->came(c, r, now);
}

static void pump(struct robo__live *live, robo_time now)
{
    struct robo_mcap_record record;
    while (robo__recording_next(live->recording, &record)) {
        take(live, &record, now);
        robo__recording_pass(live->recording);
    }
}

static void add_robots(struct robo__live *live)
{
    uint64_t cursor = 0;
    robo_robot *robot;
    give_memory(live, (size_t)robo__recording_ended(live->recording) * JOURNAL);
    while ((robot = robo_next_robot(live->host->world, &cursor)) != NULL) {
        if (take_memory(live, JOURNAL)) { /* else it is tried again */
            if (robo_record_robot(live->recording, robot) == 0)
                describe(live, robo_robot_name(robot));
            else
                give_memory(live, JOURNAL); /* it is there already */
        }
        robo_release(robot);
    }
}

static void on_tick(struct robo__timer *timer, robo_time now)
{
    struct robo__live *live = robo__container_of(timer, struct robo__live, tick);
    robo__timer_start(live->host->timers, timer, now + TICK);
    if (now - live->looked >= SECOND) {
        live->looked = now;
        add_robots(live);
    }
    pump(live, now);
    for (struct robo__live_client *c = live->clients, *next; c; c = next) {
        next = c->next;
        c->settled(c); /* it may leave */
    }
}

/* ---- life ---- */

static void end(struct robo__live *live)
{
    char why[256];
    robo__timer_stop(live->host->timers, &live->tick);
    robo_record_close(live->recording, why);
    for (struct robo__live_topic *c = live->channels, *next; c; c = next) {
        next = c->next;
        free(c->schema);
        free(c);
    }
    for (struct schema *s = live->schemas, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    give_memory(live, live->memory);
    *live = (struct robo__live){ .host = live->host };
}

static int begin(struct robo__live *live, double rate)
{
    const struct robo_record_options options = {
        .size = sizeof options, .rate = rate, .images = rate < 100 ? rate : 100, .journal = JOURNAL
    };
    robo_world *world = live->host->world;
    char why[256];
    int error = ROBO_ENOMEM;
    live->last = &live->channels;
    live->tick.fire = on_tick;
    if (take_memory(live, RECORDING))
        live->recording = robo_record_open(world, NULL, &options, &error, why);
    if (!live->recording) {
        give_memory(live, live->memory);
        return error;
    }
    atomic_store(&live->recording->live, true);
    live->session = (uint64_t)(live->recording->shift + robo_now(world));
    live->looked = robo_now(world);
    add_robots(live);
    robo__timer_start(live->host->timers, &live->tick, robo_now(world) + TICK);
    return 0;
}

int robo__live_join(struct robo__live_client *client, struct robo__host *host, double rate)
{
    static const char key;
    struct robo__live *live = robo__host_part(host, &key, sizeof *live);
    if (!live)
        return ROBO_ENOMEM;
    live->host = host;
    const int error = live->recording ? 0 : begin(live, rate);
    if (error < 0)
        return error;
    client->live = live;
    client->next = live->clients;
    live->clients = client;
    return 0;
}

void robo__live_leave(struct robo__live_client *client)
{
    struct robo__live *live = client->live;
    if (!live)
        return;
    struct robo__live_client **at = &live->clients;
    while (*at != client)
        at = &(*at)->next;
    *at = client->next;
    client->live = NULL;
    if (live->clients)
        robo__live_look(live);
    else
        end(live);
}

const struct robo__live_topic *robo__live_first(const struct robo__live *live)
{
    return live->channels;
}

const struct robo__live_topic *robo__live_find(const struct robo__live *live, uint32_t id)
{
    const struct robo__live_topic *c = live->channels;
    while (c && c->id != id)
        c = c->next;
    return c;
}

uint64_t robo__live_session(const struct robo__live *live)
{
    return live->session;
}

void robo__live_look(struct robo__live *live)
{
    bool wants = false;
    for (const struct robo__live_client *c = live->clients; c; c = c->next)
        wants |= c->wants_pictures;
    atomic_store(&live->recording->looks, wants);
}
