/* Processes of ROS 2 that drive robots. */
#include "pilots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/readers.h"
#include "base/time.h"
#include "robot/client.h"
#include "robot/world/world.h"
#include "ros/drive.h"

/* MOST: processes; of more, the one that was silent for longest is forgotten. PREFIX: of a GUID, which names the process. */
enum { MOST = 32, PREFIX = 12 };

static const robo_time LATE =
    1500000000; /* delay of a velocity that still moves a robot, at most */
static const robo_time SILENT = 60000000000; /* then a process is forgotten */

struct pilot {
    struct robo__ros_pilot is;
    struct robo__conn conn;
    struct robo__ros_pilots *all;
    uint8_t process[PREFIX];
    char said
        [ROBO__ROS_SAID]; /* its newest refusal, with the robot's name before it; "": there is none */
    robo_time came;       /* its newest word */
    robo_time least;      /* the shortest time from a stamp of its clock to the arrival by ours */
    robo_time newest;     /* stamp, of that writer */
    uint64_t writer;
};

struct robo__ros_pilots {
    struct robo__listener *listener;
    robo_time deadman;
    struct robo__conn conn;
    struct pilot *pilot[MOST];
};

/* ---- a connection without bytes ---- */

static int open_none(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    (void)state, (void)conn, (void)url;
    return 0;
}

static size_t feed_none(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    (void)state, (void)in, (void)one, (void)now;
    return n;
}

static void close_none(void *state)
{
    (void)state;
}

static const struct robo__protocol wordless = {
    .name = "ros2", .size = 1, .open = open_none, .feed = feed_none, .close = close_none
};

static void on_kick(struct robo__conn *conn)
{
    (void)conn;
}

static bool open_conn(struct robo__conn *conn, struct robo__listener *listener)
{
    const struct robo__url url = robo__url_local(&wordless);
    if (robo__conn_init(conn, &listener->loop->host, &url, on_kick) < 0)
        return false;
    robo__conn_enter(conn, &listener->access, false);
    conn->role = robo__conn_role(conn);
    return true;
}

/* ---- pilots ---- */

/* There is no message for a client of ROS that is refused: it is in the log, and in the diagnostics of the robot. */
static void tell(struct robo__ros_pilot *is, const char *level, const char *text)
{
    struct pilot *p = robo__container_of(is, struct pilot, is);
    char line[200];
    if (strcmp(level, "info") != 0)
        snprintf(p->said, sizeof p->said, "%s", text);
    snprintf(line, sizeof line, "%s: %s", is->client, text);
    robo__complain_of(is->conn->host, ROBO__IN_VAIN, line);
}

static void refuse(struct pilot *p, const robo_robot *robot, const char *why)
{
    char text[ROBO__ROS_SAID];
    snprintf(text, sizeof text, "%s: %s", robo_robot_name(robot), why);
    tell(&p->is, "error", text);
}

bool robo__ros_pilots_said(struct robo__ros_pilots *all, const robo_robot *robot,
                           char text[ROBO__ROS_SAID])
{
    const char *name = robo_robot_name(robot);
    const size_t n = strlen(name);
    for (size_t i = 0; i < MOST; i++) {
        struct pilot *p = all->pilot[i];
        if (!p || strncmp(p->said, name, n) != 0 || p->said[n] != ':')
            continue;
        memcpy(text, p->said, sizeof p->said);
        p->said[0] = 0;
        return true;
    }
    return false;
}

static void forget(struct pilot **at)
{
    struct pilot *p = *at;
    *at = NULL;
    if (!p)
        return;
    robo__ros_leave(&p->is);
    robo__conn_free(&p->conn);
    free(p);
}

void robo__ros_pilots_tidy(struct robo__ros_pilots *all, robo_time now)
{
    for (size_t i = 0; i < MOST; i++)
        if (all->pilot[i] && all->deadman > 0 && now - all->pilot[i]->came > SILENT)
            forget(&all->pilot[i]);
}

static struct pilot *make(struct robo__ros_pilots *all, const uint8_t process[PREFIX])
{
    struct pilot **at = &all->pilot[0];
    for (size_t i = 1; i < MOST && *at; i++)
        if (!all->pilot[i] || all->pilot[i]->came < (*at)->came)
            at = &all->pilot[i];
    forget(at);
    struct pilot *p = calloc(1, sizeof *p);
    if (!p || !open_conn(&p->conn, all->listener)) {
        free(p);
        return NULL;
    }
    memcpy(p->process, process, PREFIX);
    p->all = all;
    p->least = INT64_MAX;
    p->is = (struct robo__ros_pilot){ .conn = &p->conn,
                                      .client = "ROS 2 node",
                                      .wordless =
                                          true, /* not every one can call resume: spec/ros2.md */
                                      .deadman = all->deadman,
                                      .tell = tell };
    *at = p;
    return p;
}

/* The process that has written a sample; NULL: it has gone, or there is no memory. */
static struct pilot *pilot_of(struct robo__ros_pilots *all, robo_dds_reader *reader,
                              const struct robo_dds_sample *s, robo_time now)
{
    uint8_t guid[16];
    if (robo_dds_source(reader, s->writer, guid) < 0)
        return NULL;
    struct pilot *p = NULL;
    for (size_t i = 0; i < MOST && !p; i++)
        if (all->pilot[i] && memcmp(all->pilot[i]->process, guid, PREFIX) == 0)
            p = all->pilot[i];
    if (!p && !(p = make(all, guid)))
        return NULL;
    p->came = now;
    return p;
}

/* How much longer than the quickest sample of that process this one was under way: the clocks of both machines need not agree. That of this one is
 * the monotonic clock; the other one was set back when the stamps of a writer are. After any other step of it the next velocity of zero starts the
 * measurement again. */
static robo_time delay_of(struct pilot *p, const struct robo_dds_sample *s, bool moves,
                          robo_time now)
{
    const robo_time took = now - s->written;
    const bool set_back = s->writer == p->writer && s->written < p->newest;
    if (took < p->least || set_back || (!moves && took - p->least > LATE))
        p->least = took;
    p->writer = s->writer;
    p->newest = s->written;
    return took - p->least;
}

void robo__ros_pilots_drive(struct robo__ros_pilots *all, robo_dds_reader *reader,
                            const struct robo_dds_sample *s, robo_robot *robot, const char *topic,
                            const double linear[3], const double angular[3])
{
    const robo_time now = robo_now(all->listener->loop->host.world);
    struct pilot *p = pilot_of(all, reader, s, now);
    bool moves = false;
    if (!p)
        return;
    for (int i = 0; i < 3; i++)
        moves |= linear[i] != 0 || angular[i] != 0;
    if (delay_of(p, s, moves, now) > LATE) {
        refuse(p, robot, "a velocity is older than 1.5 s");
        return;
    }
    if (p->conn.role < ROBO_ROLE_DRIVE)
        refuse(p, robot, "this client may not drive");
    else if (!robo__ros_means(&p->is, robot, topic, false))
        refuse(p, robot, ROBO__ROS_OTHER);
    else {
        robo__reading_begin();
        robo__ros_velocity(&p->is, robot, linear, angular, now);
        robo__reading_end();
    }
}

bool robo__ros_pilots_serve(struct robo__ros_pilots *all, robo_dds_reader *reader,
                            const struct robo_dds_sample *s, robo_robot *robot, const char *service,
                            const char **text)
{
    const robo_time now = robo_now(all->listener->loop->host.world);
    struct pilot *p = pilot_of(all, reader, s, now);
    if (!p) { /* a stop is never refused */
        *text = "there is no room for another client";
        if (strcmp(service, "stop") == 0 || strcmp(service, "panic") == 0)
            robo__panic_by(robot, "ROS 2 node");
        return false;
    }
    robo__reading_begin();
    const bool good = robo__ros_serve(&p->is, robot, service, text, now);
    robo__reading_end();
    return good;
}

bool robo__ros_pilots_client(struct robo__ros_pilots *all, robo_dds_reader *reader,
                             const struct robo_dds_sample *s, uint32_t *number)
{
    robo_world *world = all->listener->loop->host.world;
    struct pilot *p = pilot_of(all, reader, s, robo_now(world));
    if (!p || p->conn.role < ROBO_ROLE_DRIVE)
        return false;
    if (p->is.number == 0)
        p->is.number = robo__world_number(world);
    *number = p->is.number;
    return true;
}

/* ---- life ---- */

struct robo__ros_pilots *robo__ros_pilots_open(struct robo__listener *listener, robo_time deadman)
{
    struct robo__ros_pilots *all = calloc(1, sizeof *all);
    if (!all || !open_conn(&all->conn, listener)) {
        free(all);
        return NULL;
    }
    all->listener = listener;
    all->deadman = deadman;
    return all;
}

struct robo__conn *robo__ros_pilots_conn(struct robo__ros_pilots *all)
{
    return &all->conn;
}

void robo__ros_pilots_close(struct robo__ros_pilots *all)
{
    for (size_t i = 0; i < MOST; i++)
        forget(&all->pilot[i]);
    robo__conn_free(&all->conn);
    free(all);
}
