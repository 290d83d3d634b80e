/* Nodes of ROS 2. The names of topics are those of rosbridge (ros/topics.h); each that is there has an endpoint here, which is made, and made again
 * after a change, as that list says. */
#include "ros.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "base/readers.h"
#include "base/time.h"
#include "pilots.h"
#include "robot/facts.h"
#include "ros/drive.h"
#include "ros/topics.h"
#include "view.h"

static const robo_time LOOK = 500000000; /* between two comparisons with that list */

enum { NAME = 160 };

/* A topic or a service of a robot. */
struct endpoint {
    struct endpoint *next;
    struct robo__ros_nodes *nodes;
    char name[NAME];     /* as in that list; a service's has its own behind the robot's */
    const char *service; /* NULL: a topic */
    struct robo__ros_topic topic;
    uint32_t revision;               /* of its robot, which the topic's number is of */
    robo_dds_writer *writer;         /* NULL: it is read alone */
    robo_dds_reader *reader[2];      /* of requests; of velocities, without a stamp and with one */
    struct robo__ros_view *view;     /* of a camera; NULL: nobody reads */
    struct robo__ros_action *action; /* beside cmd_vel, of a robot with joints; else NULL */
    robo_time sent;
    uint64_t number; /* of what was written (ros/topics.h) */
    bool seen;
};

struct robo__ros_nodes {
    struct robo__listener *listener;
    robo_dds *dds;
    struct robo__ros_pilots *pilots;
    robo_dds_writer *graph;
    bool root;            /* the first robot has no name before its topics */
    bool humble, changed; /* changed: the graph is to be written again */
    bool told;            /* that two robots have one name in ROS */
    robo_time period, looked, shift;
    struct robo__timer due;
    struct endpoint *first;
    struct robo__json bytes; /* of the message that is made */
    uint8_t *taken;          /* of its domain, as long as it is there */
};

static robo_world *world_of(const struct robo__ros_nodes *n)
{
    return n->listener->loop->host.world;
}

/* A message is made from now on. */
static void begin(struct robo__ros_nodes *n)
{
    n->bytes.used = 0;
    n->bytes.failed = false;
}

/* ---- names ---- */

/* As it is in DDS: "rt/pioneer2/odom". ROS has letters, digits and underscores, and no digit at the begin of a part. */
static void write_name(char out[NAME], const char *kind, const char *name, const char *end)
{
    size_t n = (size_t)snprintf(out, NAME, "%s", kind);
    for (const char *c = name; *c && n + 2 < NAME; c++) {
        if (isdigit((unsigned char)*c) && (c == name || c[-1] == '/'))
            out[n++] = '_';
        out[n++] = isalnum((unsigned char)*c) || *c == '/' ? *c : '_';
    }
    snprintf(out + n, NAME - n, "%s", end);
}

static struct robo_dds_topic topic_of(const char *name, const struct robo__ros_message *message)
{
    return (struct robo_dds_topic){ .size = sizeof(struct robo_dds_topic),
                                    .name = name,
                                    .type = message->dds,
                                    .partition = "",
                                    .depth = 10,
                                    .reliable = 1 };
}

/* ---- endpoints ---- */

static void on_velocity(void *owner, const struct robo_dds_sample *s, bool stamped)
{
    struct endpoint *e = owner;
    struct robo__ros_in in;
    double linear[3], angular[3];
    if (s->event != ROBO_DDS_SAMPLE)
        return;
    robo__ros_open(
        &in, s->bytes, s->size,
        robo__ros_message(stamped ? "geometry_msgs/msg/TwistStamped" : "geometry_msgs/msg/Twist"));
    if (stamped)
        robo__ros_skip(&in, "header");
    robo__ros_get_numbers(&in, linear, 3);
    robo__ros_get_numbers(&in, angular, 3);
    if (robo__ros_close(&in))
        robo__ros_pilots_drive(e->nodes->pilots, e->reader[stamped], s, e->topic.robot, e->name,
                               linear, angular);
}

static void on_twist(void *owner, const struct robo_dds_sample *sample)
{
    on_velocity(owner, sample, false);
}

static void on_stamped(void *owner, const struct robo_dds_sample *sample)
{
    on_velocity(owner, sample, true);
}

/* In the dialect of rmw_cyclonedds: the request's number is ahead of its message, and of that of the reply. */
static void on_request(void *owner, const struct robo_dds_sample *s)
{
    struct endpoint *e = owner;
    struct robo__ros_nodes *n = e->nodes;
    struct robo__ros_in in;
    struct robo__ros_out out;
    uint64_t call[2];
    const char *text;
    if (s->event != ROBO_DDS_SAMPLE)
        return;
    robo__ros_open(&in, s->bytes, s->size, robo__ros_message("std_srvs/srv/Trigger_Request"));
    robo__ros_get_call(&in, call);
    if (!robo__ros_close(&in))
        return;
    const bool good =
        robo__ros_pilots_serve(n->pilots, e->reader[0], s, e->topic.robot, e->service, &text);
    begin(n);
    robo__ros_begin(&out, &n->bytes, ROBO__ROS_CDR,
                    robo__ros_message("std_srvs/srv/Trigger_Response"));
    robo__ros_put_call(&out, call);
    robo__ros_put_number(&out, good);
    robo__ros_put_text(&out, "%s", text);
    if (robo__ros_end(&out) && !n->bytes.failed)
        robo_dds_put(e->writer, n->bytes.at, n->bytes.used);
}

/* false: it could not be made. */
static bool open_service(struct endpoint *e, char why[256])
{
    char request[NAME], reply[NAME];
    write_name(request, "rq", e->name, "Request");
    write_name(reply, "rr", e->name, "Reply");
    const struct robo_dds_topic asked = topic_of(request,
                                                 robo__ros_message("std_srvs/srv/Trigger_Request")),
                                answered = topic_of(
                                    reply, robo__ros_message("std_srvs/srv/Trigger_Response"));
    e->writer = robo_dds_write(e->nodes->dds, &answered, NULL, NULL, why);
    e->reader[0] = e->writer ? robo_dds_read(e->nodes->dds, &asked, on_request, e, why) : NULL;
    return e->reader[0] != NULL;
}

static bool open_topic(struct endpoint *e, char why[256])
{
    const struct robo__ros_topic_kind *kind = &robo__ros_topics[e->topic.kind];
    char name[NAME];
    const bool shared = e->topic.kind == ROBO__ROS_TF || e->topic.kind == ROBO__ROS_TF_STATIC;
    /* frames have the names of their robots, so that all are in one tree */
    write_name(name, "rt", shared ? strrchr(e->name, '/') : e->name, "");
    struct robo_dds_topic topic = topic_of(name, kind->message);
    if (e->topic.kind == ROBO__ROS_CMD_VEL) { /* an old velocity is worth nothing */
        topic.reliable = 0;
        topic.depth = 1;
        e->reader[0] = robo_dds_read(e->nodes->dds, &topic, on_twist, e, why);
        topic.type = robo__ros_message("geometry_msgs/msg/TwistStamped")->dds;
        e->reader[1] =
            e->reader[0] ? robo_dds_read(e->nodes->dds, &topic, on_stamped, e, why) : NULL;
        if (robo__robot_description(e->topic.robot)->dofs > 0) {
            char action[NAME];
            snprintf(action, sizeof action, "%.*sfollow_joint_trajectory",
                     (int)(strrchr(name, '/') + 1 - name - 2), name + 2);
            e->action = robo__ros_action_open(e->nodes->listener, e->nodes->dds, e->nodes->pilots,
                                              e->topic.robot, action);
        }
        return e->reader[1] != NULL;
    }
    topic.reliable = kind->reliable;
    topic.lasting = kind->latched;
    topic.depth = kind->depth;
    e->writer = robo_dds_write(e->nodes->dds, &topic, NULL, NULL, why);
    return e->writer != NULL;
}

static void close_endpoint(struct endpoint **at)
{
    struct endpoint *e = *at;
    *at = e->next;
    robo__ros_view_close(e->view);
    robo__ros_action_close(e->action);
    if (e->writer)
        robo_dds_writer_close(e->writer);
    for (int i = 0; i < 2; i++)
        if (e->reader[i])
            robo_dds_reader_close(e->reader[i]);
    robo_release(e->topic.robot);
    e->nodes->changed = true;
    free(e);
}

/* Finds it in the world; false: there is no such topic. */
static bool resolve(struct endpoint *e)
{
    char topic[NAME];
    snprintf(topic, sizeof topic, "%s", e->name);
    if (e->service) /* it is beside cmd_vel */
        snprintf(strrchr(topic, '/') + 1, sizeof "cmd_vel", "cmd_vel");
    if (!robo__ros_find(world_of(e->nodes), "", topic, &e->topic))
        return false;
    e->revision = robo__robot_revision(e->topic.robot);
    return true;
}

/* Whether the same name in ROS is another one's. */
static bool is_taken(const struct robo__ros_nodes *n, const char *name)
{
    char wanted[NAME], is[NAME];
    write_name(wanted, "", name, "");
    for (const struct endpoint *e = n->first; e; e = e->next) {
        write_name(is, "", e->name, "");
        if (strcmp(is, wanted) == 0)
            return true;
    }
    return false;
}

static void make(struct robo__ros_nodes *n, const char *name, const char *service)
{
    char why[256];
    if (is_taken(n, name)) { /* a velocity would move both */
        snprintf(why, sizeof why, "%.160s: another robot has that name in ROS", name);
        if (!n->told)
            robo__complain_of(&n->listener->loop->host, ROBO__IN_VAIN, why);
        n->told = true;
        return;
    }
    struct endpoint *e = calloc(1, sizeof *e);
    if (!e)
        return; /* the next look tries again */
    e->nodes = n;
    e->seen = true;
    e->service = service;
    snprintf(e->name, sizeof e->name, "%s", name);
    e->next = n->first;
    n->first = e;
    if (!resolve(e) || !(service ? open_service(e, why) : open_topic(e, why)))
        close_endpoint(&n->first);
    n->changed = true;
}

/* Whether what stands for that name is still the same. */
static bool is_same(const struct endpoint *e)
{
    struct endpoint now = { .nodes = e->nodes, .service = e->service };
    strcpy(now.name, e->name);
    if (!resolve(&now))
        return false;
    robo_release(now.topic.robot);
    return now.topic.robot == e->topic.robot && now.revision == e->revision;
}

static void see(struct robo__ros_nodes *n, const char *name, const char *service)
{
    struct endpoint **at = &n->first;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at && is_same(*at)) {
        (*at)->seen = true;
        return;
    }
    if (*at)
        close_endpoint(at);
    make(n, name, service);
}

/* The first robot has names without its own in that list. In a domain other servers have a first robot, too: such a name would mean all of
 * these. */
static void see_topic(void *owner, const char *listed, enum robo__ros_kind kind)
{
    struct robo__ros_nodes *n = owner;
    char name[NAME];
    const char *rest;
    robo_robot *robot = robo__ros_robot(world_of(n), "", listed, &rest);
    if (robot && rest == listed + 1 && !n->root)
        snprintf(name, sizeof name, "/%s%s", robo_robot_name(robot), listed);
    else
        snprintf(name, sizeof name, "%s", listed);
    robo_release(robot);
    see(n, name, NULL);
    if (kind != ROBO__ROS_CMD_VEL)
        return;
    for (const char *const *service = robo__ros_services; *service; service++) {
        char full[NAME];
        snprintf(full, sizeof full, "%.*s%s", (int)(strrchr(name, '/') + 1 - name), name, *service);
        see(n, full, *service);
    }
}

/* ---- the graph ---- */

/* Gids of the graph, which are counted first. */
struct gids {
    struct robo__ros_out *out; /* NULL: they are counted */
    bool humble;
    uint32_t count;
};

static void add_gid(void *owner, const uint8_t guid[16])
{
    struct gids *gids = owner;
    uint8_t gid[24] = { 0 };
    memcpy(gid, guid, 16);
    gids->count++;
    if (gids->out)
        robo__ros_put_bytes(gids->out, gid, gids->humble ? 24 : 16);
}

/* Of the endpoints of that robot; writers, or readers. */
static void add_gids(struct gids *gids, const struct robo__ros_nodes *n, const robo_robot *robot,
                     bool writers)
{
    uint8_t guid[16];
    for (const struct endpoint *e = n->first; e; e = e->next) {
        if (e->topic.robot != robot)
            continue;
        if (writers && e->writer) {
            robo_dds_writer_guid(e->writer, guid);
            add_gid(gids, guid);
        }
        for (int i = 0; !writers && i < 2 && e->reader[i]; i++) {
            robo_dds_reader_guid(e->reader[i], guid);
            add_gid(gids, guid);
        }
        if (e->action)
            robo__ros_action_guids(e->action, writers, add_gid, gids);
    }
}

static void put_gids(struct robo__ros_out *out, const struct robo__ros_nodes *n,
                     const robo_robot *robot, bool writers)
{
    struct gids gids = { .humble = n->humble };
    add_gids(&gids, n, robot, writers);
    robo__ros_put_count(out, gids.count);
    gids.out = out;
    add_gids(&gids, n, robot, writers);
}

/* The robots of endpoints, one after the other: that of e is one's first. */
static bool begins_node(const struct robo__ros_nodes *n, const struct endpoint *e)
{
    const struct endpoint *other = n->first;
    while (other->topic.robot != e->topic.robot)
        other = other->next;
    return other == e;
}

static void write_graph(struct robo__ros_nodes *n)
{
    struct robo__ros_out out;
    uint8_t guid[16];
    uint32_t nodes = 0;
    for (const struct endpoint *e = n->first; e; e = e->next)
        nodes += begins_node(n, e);
    begin(n);
    robo__ros_begin(&out, &n->bytes, ROBO__ROS_CDR,
                    robo__ros_message(n->humble
                                          ? "rmw_dds_common/msg/ParticipantEntitiesInfo:humble"
                                          : "rmw_dds_common/msg/ParticipantEntitiesInfo"));
    robo_dds_guid(n->dds, guid);
    add_gid(&(struct gids){ .out = &out, .humble = n->humble }, guid);
    robo__ros_put_count(&out, nodes);
    for (const struct endpoint *e = n->first; e; e = e->next) {
        char name[NAME];
        if (!begins_node(n, e))
            continue;
        write_name(name, "", robo_robot_name(e->topic.robot), "");
        robo__ros_put_text(&out, "/");
        robo__ros_put_text(&out, "%s", name);
        put_gids(&out, n, e->topic.robot, false);
        put_gids(&out, n, e->topic.robot, true);
    }
    if (robo__ros_end(&out) && !n->bytes.failed)
        n->changed = robo_dds_put(n->graph, n->bytes.at, n->bytes.used) < 0;
}

/* ---- writing ---- */

/* A velocity has no answer: here a client reads why it is refused. */
static void write_refusals(struct endpoint *e, robo_time now)
{
    struct robo__ros_nodes *n = e->nodes;
    struct robo__ros_out out;
    char text[ROBO__ROS_SAID];
    while (robo__ros_pilots_said(n->pilots, e->topic.robot, text)) {
        begin(n);
        robo__ros_begin(&out, &n->bytes, ROBO__ROS_CDR, robo__ros_topics[e->topic.kind].message);
        robo__ros_put_time(&out, now + n->shift);
        robo__ros_put_text(&out, "%s", "");
        robo__ros_put_count(&out, 1);
        robo__ros_put_number(&out, 1);
        robo__ros_put_text(&out, "%s: clients", robo_robot_name(e->topic.robot));
        robo__ros_put_text(&out, "%s", text);
        robo__ros_put_text(&out, "%s", "");
        robo__ros_put_count(&out, 0);
        if (robo__ros_end(&out) && !n->bytes.failed)
            robo_dds_put(e->writer, n->bytes.at, n->bytes.used);
    }
}

static void write_topic(struct endpoint *e, robo_time now)
{
    struct robo__ros_nodes *n = e->nodes;
    const struct robo__ros_topic_kind *kind = &robo__ros_topics[e->topic.kind];
    const enum robo__ros_form form = n->humble ? ROBO__ROS_CDR_HUMBLE : ROBO__ROS_CDR;
    const robo_time least = kind->rate > 0 ? 1000000000 / kind->rate : 0;
    if (kind->latched ? e->sent > 0 : now - e->sent < least || robo_dds_readers(e->writer) == 0)
        return;
    begin(n);
    const bool made = e->topic.kind == ROBO__ROS_DESCRIPTION
                          ? robo__ros_write_description(&n->bytes, form, &n->listener->loop->host,
                                                        robo_robot_name(e->topic.robot))
                          : robo__ros_write(&n->bytes, &e->topic, form, n->shift, &e->number);
    if (!made)
        return;
    e->sent = now;
    if (!n->bytes.failed)
        robo_dds_put(e->writer, n->bytes.at, n->bytes.used);
    if (e->topic.kind == ROBO__ROS_DIAGNOSTICS)
        write_refusals(e, now);
}

/* A picture that has come. */
static void write_picture(void *owner, const struct robo_picture *picture)
{
    struct endpoint *e = owner;
    struct robo__ros_nodes *n = e->nodes;
    begin(n);
    robo__ros_write_picture(&n->bytes, &e->topic, ROBO__ROS_CDR, n->shift, picture);
    if (!n->bytes.failed)
        robo_dds_put(e->writer, n->bytes.at, n->bytes.used);
}

static void look(struct robo__ros_nodes *n, robo_time now)
{
    for (struct endpoint *e = n->first; e; e = e->next)
        e->seen = false;
    robo__ros_list(world_of(n), "", see_topic, n);
    for (struct endpoint **at = &n->first; *at;)
        if ((*at)->seen)
            at = &(*at)->next;
        else
            close_endpoint(at);
    n->shift = robo__time_read(CLOCK_REALTIME) - now;
    n->looked = now;
    robo__ros_pilots_tidy(n->pilots, now);
    if (n->changed)
        write_graph(n);
}

static void on_due(struct robo__timer *timer, robo_time now)
{
    struct robo__ros_nodes *n = robo__container_of(timer, struct robo__ros_nodes, due);
    robo__reading_begin();
    if (n->looked == 0 || now - n->looked >= LOOK)
        look(n, now);
    for (struct endpoint *e = n->first; e; e = e->next) {
        if (!e->writer || e->service)
            continue;
        if (e->topic.kind != ROBO__ROS_IMAGE)
            write_topic(e, now);
        else if (robo_dds_readers(e->writer) == 0) {
            robo__ros_view_close(e->view);
            e->view = NULL;
        } else if (!e->view) {
            e->view = robo__ros_view_open(robo__ros_pilots_conn(n->pilots), &e->topic, n->period,
                                          write_picture, e, now);
        }
    }
    robo__reading_end();
    robo__timer_start(n->listener->loop->host.timers, timer, now + n->period);
}

/* ---- life ---- */

enum { DOMAINS = 233 };

int robo__ros_nodes_open(struct robo__ros_nodes **out, struct robo__listener *listener,
                         robo_dds *dds, unsigned option, char why[256])
{
    static const char domains[1];
    struct robo__host *host = &listener->loop->host;
    const struct robo__url *url = &listener->url;
    const struct robo__ros_message *graph =
        robo__ros_message(url->option[option + ROBO__ROS_HUMBLE] != 0
                              ? "rmw_dds_common/msg/ParticipantEntitiesInfo:humble"
                              : "rmw_dds_common/msg/ParticipantEntitiesInfo");
    struct robo_dds_topic topic = topic_of("ros_discovery_info", graph);
    uint8_t *taken = robo__host_part(host, domains, DOMAINS);
    const unsigned domain = (unsigned)atoi(url->host);
    *out = NULL;
    if (url->option[option + ROBO__ROS_NONE] != 0 || (taken && taken[domain]))
        return 0;
    struct robo__ros_nodes *n = taken ? calloc(1, sizeof *n) : NULL;
    if (!n)
        return ROBO_ENOMEM;
    n->listener = listener;
    n->dds = dds;
    n->humble = url->option[option + ROBO__ROS_HUMBLE] != 0;
    n->root = url->option[option + ROBO__ROS_ROOT] != 0;
    n->period = (robo_time)(1e9 / url->option[option + ROBO__ROS_RATE]);
    n->due.fire = on_due;
    n->taken = &taken[domain];
    topic.lasting = 1;
    topic.depth = 1;
    n->graph = robo_dds_write(dds, &topic, NULL, NULL, why);
    n->pilots = n->graph ? robo__ros_pilots_open(
                               listener, (robo_time)(url->option[option + ROBO__ROS_DEADMAN] * 1e9))
                         : NULL;
    if (!n->pilots) {
        const int error = n->graph ? ROBO_ENOMEM : ROBO_ESYSTEM;
        if (n->graph)
            robo_dds_writer_close(n->graph);
        free(n);
        return error;
    }
    *n->taken = 1;
    *out = n;
    on_due(&n->due, robo_now(host->world));
    return 0;
}

void robo__ros_nodes_close(struct robo__ros_nodes *n)
{
    if (!n)
        return;
    robo__timer_stop(n->listener->loop->host.timers, &n->due);
    while (n->first)
        close_endpoint(&n->first);
    robo__ros_pilots_close(n->pilots);
    robo_dds_writer_close(n->graph);
    robo__json_free(&n->bytes);
    *n->taken = 0;
    free(n);
}
