/* The robots of a server in a domain of DDS. */
#include "fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/readers.h"
#include "base/time.h"
#include "net/dds.h"
#include "robot/client.h"
#include "robot/facts.h"
#include "robot/world/world.h"
#include "ros.h"
#include "ros/message.h"

static const robo_time PERIOD = 100000000, REST = 200000000, SECOND = 1000000000;
static const robo_time NEAR =
    1000000; /* of stamps to the wall clock: less is left, so that instants do not move */
static const char TYPE[] = "robotalk/msg/";

enum { PANICS = 64 /* that last in the domain; of more, the oldest is forgotten */, SEEN = 8 };

/* A robot that the domain knows. */
struct known {
    struct known *next;
    robo_robot *robot; /* held */
    uint8_t key[ROBO_DDS_KEY];
    uint8_t panicked[SEEN][ROBO_DDS_KEY]; /* panics that have reached it, the newest first */
    uint32_t revision;                    /* that the domain knows */
    uint64_t leases;                      /* a hash of what it knows of them */
    bool seen;                            /* in this turn */
};

/* A panic that lasts in the domain: robots that are added meet it, too. */
struct panic {
    uint8_t id[ROBO_DDS_KEY];
    char name[ROBO__HOLDER_NAME];
    uint8_t *robots; /* keys of those that it is for; NULL: all */
    uint32_t count;
};

struct fleet {
    struct robo__listener *listener;
    robo_dds *dds;
    uint8_t server[ROBO_DDS_KEY];
    robo_dds_writer *robots, *states, *readings, *leases;
    robo_dds_reader *panics;
    struct robo__ros_nodes *nodes;
    struct robo__timer due;
    robo_time shift; /* from the world's clock to that of the messages, which begins in 1970 */
    robo_time told;  /* the newest states */
    struct known *first;
    struct panic panic[PANICS];
    unsigned lasting;
    struct robo__json bytes; /* of the sample that is made */
};

/* ---- samples ---- */

static void begin(struct fleet *f, struct robo__ros_out *out, const char *name, const uint8_t *key)
{
    char type[40];
    snprintf(type, sizeof type, "%s%s", TYPE, name);
    f->bytes.used = 0;
    f->bytes.failed = false;
    robo__ros_begin(out, &f->bytes, ROBO__ROS_CDR, robo__ros_message(type));
    robo__ros_put_bytes(out, key, ROBO_DDS_KEY);
}

/* A sample that is lost, since there is no memory or readers are behind, is followed by the next one. */
static void put(struct fleet *f, struct robo__ros_out *out, robo_dds_writer *writer)
{
    if (robo__ros_end(out) && !f->bytes.failed)
        robo_dds_put(writer, f->bytes.at, f->bytes.used);
}

static void put_names(struct robo__ros_out *out, const void *records, size_t size, unsigned n)
{
    robo__ros_put_count(out, n);
    for (unsigned i = 0; i < n; i++)
        robo__ros_put_text(out, "%s", (const char *)records + i * size);
}

static void introduce(struct fleet *f, struct known *k)
{
    const struct robo_description *d = robo__robot_description(k->robot);
    struct robo__ros_out out;
    char host[64];
    robo__dds_host(host);
    k->revision = robo__robot_revision(k->robot);
    begin(f, &out, "Robot", k->key);
    robo__ros_put_bytes(&out, f->server, ROBO_DDS_KEY);
    robo__ros_put_text(&out, "%s", d->name);
    robo__ros_put_text(&out, "%s", d->model);
    robo__ros_put_text(&out, "%s", host);
    robo__ros_put_count(&out, d->dofs);
    for (const struct robo_joint *j = d->joint; j < d->joint + d->joints; j++)
        for (unsigned i = 0; i < j->dofs; i++)
            robo__ros_put_text(&out, "%s.%s", j->name, d->dof[j->first + i].name);
    put_names(&out, d->sensor, sizeof *d->sensor, d->sensors);
    put_names(&out, d->camera, sizeof *d->camera, d->cameras);
    put(f, &out, f->robots);
}

static void put_state(struct fleet *f, struct robo__ros_out *out, const struct known *k)
{
    struct robo_state s;
    char name[ROBO__HOLDER_NAME] = "";
    robo_read(k->robot, &s, sizeof s);
    if (s.panic)
        robo__robot_panic_name(k->robot, name);
    robo__ros_put_bytes(out, k->key, ROBO_DDS_KEY);
    robo__ros_put_bytes(out, k->panicked[0], ROBO_DDS_KEY);
    robo__ros_put_time(out, s.time + f->shift);
    robo__ros_put_number(out, s.epoch);
    robo__ros_put_number(out, s.panic);
    robo__ros_put_number(out, s.moving);
    robo__ros_put_text(out, "%s", name);
    robo__ros_put_number(out, s.voltage > 0 ? s.charge : (double)NAN);
    robo__ros_put_numbers(out, s.pose, 3);
    robo__ros_put_numbers(out, s.attitude, 3);
    robo__ros_put_numbers(out, s.twist, 3);
    robo__ros_put_numbers(out, s.spin, 3);
    robo__ros_put_list(out, s.position, s.dofs);
    robo__ros_put_list(out, s.speed, s.dofs);
}

/* All states of a server are one sample, whose cost is that of a packet for each reader. */
static void write_states(struct fleet *f, robo_time now)
{
    struct robo__ros_out out;
    struct robo_state s;
    uint32_t n = 0;
    bool moves = false;
    for (const struct known *k = f->first; k; k = k->next, n++) {
        if (moves)
            continue;
        robo_read(k->robot, &s, sizeof s);
        moves = s.moving;
    }
    if (!moves && now - f->told < REST)
        return;
    begin(f, &out, "States", f->server);
    robo__ros_put_count(&out, n);
    for (const struct known *k = f->first; k; k = k->next)
        put_state(f, &out, k);
    put(f, &out, f->states);
    f->told = now;
}

static void write_readings(struct fleet *f, const struct known *k)
{
    const struct robo_description *d = robo__robot_description(k->robot);
    struct robo__ros_out out;
    double value[ROBO_MAX_READING];
    begin(f, &out, "Readings", k->key);
    robo__ros_put_count(&out, d->sensors);
    for (unsigned i = 0; i < d->sensors; i++) {
        struct robo_reading r = { .count = 0 };
        if (robo_sense(k->robot, i, 0, &r, sizeof r, value, ROBO_MAX_READING) != 1)
            r = (struct robo_reading){ .count = 0 };
        robo__ros_put_text(&out, "%s", d->sensor[i].name);
        robo__ros_put_time(&out, r.count > 0 ? r.time + f->shift : 0);
        robo__ros_put_list(&out, value, (uint32_t)r.count);
    }
    put(f, &out, f->readings);
}

/* FNV-1a, by its authors' definition. */
static uint64_t hash_of(const char *bytes, size_t n)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211u;
    return hash;
}

/* When they have changed. The instant at which a lease ends is rounded to whole seconds: one that is used again and again is news only then. */
static void write_leases(struct fleet *f, struct known *k, robo_time now)
{
    struct robo_reply_holder h;
    struct robo__ros_out out;
    struct robo_state state;
    unsigned n = 0;
    while (robo__robot_holder(k->robot, n, now, &h))
        n++;
    robo_read(k->robot, &state, sizeof state);
    begin(f, &out, "Leases", k->key);
    robo__ros_put_number(&out, state.epoch);
    robo__ros_put_count(&out, n);
    for (unsigned i = 0; i < n; i++) {
        if (!robo__robot_holder(k->robot, i, now, &h))
            h = (struct robo_reply_holder){ 0 };
        const robo_time until = now + h.left + f->shift;
        robo__ros_put_number(&out, h.holder);
        robo__ros_put_text(&out, "%s", h.name);
        robo__ros_put_number(&out, h.base);
        robo__ros_put_bytes(&out, h.mask, h.bytes);
        robo__ros_put_time(&out, until - until % SECOND + SECOND);
    }
    const uint64_t hash = f->bytes.failed ? k->leases : hash_of(f->bytes.at, f->bytes.used);
    if (hash != k->leases)
        put(f, &out, f->leases);
    k->leases = hash;
}

/* ---- panics ---- */

static bool is_for(const struct panic *p, const struct known *k)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (memcmp(p->robots + (size_t)i * ROBO_DDS_KEY, k->key, ROBO_DDS_KEY) == 0)
            return true;
    return p->robots == NULL;
}

static bool has_reached(const struct panic *p, const struct known *k)
{
    for (int i = 0; i < SEEN; i++)
        if (memcmp(p->id, k->panicked[i], ROBO_DDS_KEY) == 0)
            return true;
    return false;
}

/* Each panic acts on a robot once: the sample is repeated, and it lasts beyond a reset. */
static void reach(const struct panic *p, struct known *k)
{
    if (!is_for(p, k) || has_reached(p, k))
        return;
    memmove(k->panicked[1], k->panicked[0], sizeof k->panicked - sizeof k->panicked[0]);
    memcpy(k->panicked[0], p->id, ROBO_DDS_KEY);
    robo__panic_by(k->robot, p->name);
}

static void forget_panic(struct fleet *f, unsigned i)
{
    free(f->panic[i].robots);
    f->lasting--;
    memmove(&f->panic[i], &f->panic[i + 1], (f->lasting - i) * sizeof f->panic[0]);
}

/* A panic whose robots cannot be read is for all. */
static void read_panic(struct panic *p, const struct robo_dds_sample *s)
{
    struct robo__ros_in in;
    uint32_t n = 0;
    *p = (struct panic){ .name = "" };
    memcpy(p->id, s->key, ROBO_DDS_KEY);
    robo__ros_open(&in, s->bytes, s->size, robo__ros_message("robotalk/msg/Panic"));
    robo__ros_skip(&in, "id");
    snprintf(p->name, sizeof p->name, "%s", robo__ros_get_text(&in));
    const uint8_t *robots = robo__ros_get_octets(&in, &n);
    if (!robo__ros_close(&in) || n < ROBO_DDS_KEY || !(p->robots = malloc(n)))
        return;
    memcpy(p->robots, robots, n);
    p->count = n / ROBO_DDS_KEY;
}

static void on_panic(void *owner, const struct robo_dds_sample *s)
{
    struct fleet *f = owner;
    unsigned i = 0;
    while (i < f->lasting && memcmp(f->panic[i].id, s->key, ROBO_DDS_KEY) != 0)
        i++;
    if (i < f->lasting)
        forget_panic(f, i);
    if (s->event != ROBO_DDS_SAMPLE)
        return;
    if (f->lasting == PANICS)
        forget_panic(f, 0);
    struct panic *p = &f->panic[f->lasting++];
    read_panic(p, s);
    for (struct known *k = f->first; k; k = k->next)
        reach(p, k);
    f->told = 0; /* its sender waits for the latches */
    write_states(f, robo_now(f->listener->loop->host.world));
}

/* ---- robots that come and go ---- */

static void forget(struct fleet *f, struct known **at)
{
    struct known *k = *at;
    *at = k->next;
    robo_dds_dispose(f->robots, k->key);
    robo_dds_dispose(f->leases, k->key);
    robo_release(k->robot);
    free(k);
}

/* The number of a robot is the last part of its key: no other robot of this server ever has it. */
static void add(struct fleet *f, robo_robot *robot)
{
    struct known *k = calloc(1, sizeof *k);
    if (!k)
        return; /* the next turn tries again */
    const uint32_t number = (uint32_t)robo__robot_number(robot);
    memcpy(k->key, f->server, ROBO_DDS_KEY);
    memcpy(k->key + 12, &number, 4);
    k->robot = robo_hold(robot);
    k->seen = true;
    k->next = f->first;
    f->first = k;
    introduce(f, k);
    for (unsigned i = 0; i < f->lasting; i++)
        reach(&f->panic[i], k);
}

static void meet(struct fleet *f)
{
    uint64_t cursor = 0;
    robo_robot *robot;
    for (struct known *k = f->first; k; k = k->next)
        k->seen = false;
    for (; (robot = robo_next_robot(f->listener->loop->host.world, &cursor)); robo_release(robot)) {
        struct known *k = f->first;
        while (k && k->robot != robot)
            k = k->next;
        if (k)
            k->seen = true;
        else
            add(f, robot);
    }
    for (struct known **at = &f->first; *at;)
        if ((*at)->seen)
            at = &(*at)->next;
        else
            forget(f, at);
}

/* The wall clock of a machine is slewed, and at times it is set: stamps follow it, and nothing else does. */
static void follow_wall_clock(struct fleet *f)
{
    const robo_time shift = robo__dds_wall(f->dds);
    if (llabs(shift - f->shift) > NEAR)
        f->shift = shift;
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct fleet *f = robo__container_of(timer, struct fleet, due);
    follow_wall_clock(f);
    robo__reading_begin();
    meet(f);
    for (struct known *k = f->first; k; k = k->next) {
        if (k->revision != robo__robot_revision(k->robot))
            introduce(f, k);
        if (robo_dds_readers(f->readings) > 0)
            write_readings(f, k);
        write_leases(f, k, now);
    }
    if (robo_dds_readers(f->states) > 0)
        write_states(f, now);
    robo__reading_end();
    robo__timer_start(f->listener->loop->host.timers, timer, now + PERIOD);
}

/* ---- life ---- */

static struct robo_dds_topic topic_of(const char *name, const char *type, bool lasts)
{
    return (struct robo_dds_topic){ .size = sizeof(struct robo_dds_topic),
                                    .name = name,
                                    .type = type,
                                    .keyed = 1,
                                    .remains = 1,
                                    .reliable = lasts,
                                    .lasting = lasts,
                                    .depth = 1 };
}

static void close_fleet(struct fleet *f)
{
    robo_dds_writer *const writer[] = { f->robots, f->states, f->readings, f->leases };
    while (f->first)
        forget(f, &f->first);
    while (f->lasting > 0)
        forget_panic(f, 0);
    for (size_t i = 0; i < sizeof writer / sizeof writer[0]; i++)
        if (writer[i])
            robo_dds_writer_close(writer[i]);
    if (f->panics)
        robo_dds_reader_close(f->panics);
    robo__ros_nodes_close(f->nodes);
    robo__json_free(&f->bytes);
    free(f);
}

int robo__fleet_serve(struct robo__listener *listener, char why[256])
{
    const struct robo_dds_topic states = topic_of("robotalk/states", "robotalk::msg::dds_::States_",
                                                  false),
                                readings = topic_of("robotalk/readings",
                                                    "robotalk::msg::dds_::Readings_", false),
                                leases = topic_of("robotalk/leases", "robotalk::msg::dds_::Leases_",
                                                  true),
                                panics = topic_of("robotalk/panics", "robotalk::msg::dds_::Panic_",
                                                  true);
    struct fleet *f = calloc(1, sizeof *f);
    if (!f)
        return ROBO_ENOMEM;
    const robo_time now = robo_now(listener->loop->host.world);
    f->listener = listener;
    f->dds = robo__dds_of(listener, f->server);
    f->due.fire = on_due;
    if (!(f->robots = robo_dds_write(f->dds, &robo__dds_robots, NULL, NULL, why)) ||
        !(f->states = robo_dds_write(f->dds, &states, NULL, NULL, why)) ||
        !(f->readings = robo_dds_write(f->dds, &readings, NULL, NULL, why)) ||
        !(f->leases = robo_dds_write(f->dds, &leases, NULL, NULL, why)) ||
        !(f->panics = robo_dds_read(f->dds, &panics, on_panic, f, why))) {
        close_fleet(f);
        return ROBO_ESYSTEM;
    }
    const int error = robo__ros_nodes_open(&f->nodes, listener, f->dds, ROBO__DDS_MORE, why);
    if (error < 0) {
        close_fleet(f);
        return error;
    }
    listener->served = f;
    on_due(&f->due, now);
    return 0;
}

void robo__fleet_unserve(struct robo__listener *listener)
{
    struct fleet *f = listener->served;
    robo__timer_stop(listener->loop->host.timers, &f->due);
    close_fleet(f);
}
