/* rosbridge v2, server side (spec/rosbridge.md): a client's operations and its subscriptions. */
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "net/viewer.h"
#include "robot/client.h"
#include "ros/drive.h"
#include "ros/topics.h"
#include "services.h"
#include "web/door.h"

/* NAME: bytes of a name or an id, with its NUL; MOST: bytes of a message; TOPICS: of a client's subscriptions */
enum { NAME = 128, MOST = 1 << 16, TOPICS = 64, QUALITY = 80 };
enum { RATE, DEADMAN };
static const robo_time LOOK = 500000000;

static const struct robo_scheme_option options[] = {
    [RATE] = { "rate", ROBO_SCHEME_NUMBER, 0.1, 1000, 20,
               "1/s; how often odometry, transforms, joints, readings and pictures are sent, at most" },
    [DEADMAN] = ROBO__DOOR_DEADMAN,
    ROBO__DOOR_ORIGIN,
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

struct subscription;

/* Pictures of a camera for a subscription. */
struct view {
    struct robo__viewer viewer; /* first */
    struct subscription *subscription;
};

/* A topic, which a client may have subscribed to several times: it is sent once. */
struct subscription {
    struct subscription *next;
    struct rosbridge *bridge;
    char name[NAME];              /* as the client writes it */
    struct robo__ros_topic topic; /* robot NULL: it is there no more, or not again */
    uint32_t revision;            /* of the robot, of which the topic's number is */
    enum robo__ros_form form;
    unsigned count;         /* how often */
    robo_time period, sent; /* the shortest that was asked for */
    uint64_t number;        /* of the reading that was sent */
    struct view *view;      /* NULL: there are no pictures */
};

struct rosbridge {
    struct robo__door door; /* first */
    struct robo__ros_pilot pilot;
    char only[32]; /* the robot of the address; "": all */
    robo_time period;
    struct subscription *first;
    unsigned subscriptions;
    struct robo__timer tick;
    robo_time looked;           /* for robots that were removed or added */
    int level;                  /* of statuses that the client wants, at least */
    struct robo__json_value id; /* of the operation that is carried out */
};

static robo_world *world_of(const struct rosbridge *b)
{
    return b->door.conn->host->world;
}

/* ---- statuses ---- */

static const char *const levels[] = { "info", "warning", "error", "none" };

static int level_of(const char *text)
{
    int level = 0;
    while (level < 4 && strcmp(levels[level], text) != 0)
        level++;
    return level < 4 ? level : -1;
}

static void tell(struct robo__ros_pilot *pilot, const char *level, const char *text)
{
    struct rosbridge *b = robo__container_of(pilot, struct rosbridge, pilot);
    struct robo__json *j = &b->door.json;
    if (level_of(level) < b->level)
        return;
    j->used = 0;
    robo__json_put(j, "{\"op\":\"status\"");
    robo__ros_put_id(j, b->id);
    robo__json_word(j, ",\"level\":\"", level);
    robo__json_put(j, ",\"msg\":");
    robo__json_text(j, text);
    robo__json_put(j, "}");
    robo__door_send(&b->door);
}

/* An error of a name. */
static void refuse(struct rosbridge *b, const char *what, const char *name)
{
    char text[NAME + 96];
    snprintf(text, sizeof text, "%s: %s", name, what);
    tell(&b->pilot, "error", text);
}

/* ---- subscriptions ---- */

/* The beginning of a message of a topic; its end is "}". */
static struct robo__json *publish(struct subscription *s)
{
    struct robo__json *j = &s->bridge->door.json;
    j->used = 0;
    robo__json_put(j, "{\"op\":\"publish\",\"topic\":");
    robo__json_text(j, s->name);
    robo__json_put(j, ",\"msg\":");
    return j;
}

static void end_view(struct subscription *s)
{
    if (!s->view)
        return;
    robo__viewer_leave(&s->view->viewer);
    robo__budget_give(robo__world_memory(world_of(s->bridge)), sizeof *s->view);
    robo__viewer_close(&s->view->viewer);
    s->view = NULL;
}

static void on_picture(struct robo__viewer *viewer, struct robo_picture *p, int error,
                       robo_time now)
{
    struct subscription *s = robo__container_of(viewer, struct view, viewer)->subscription;
    struct rosbridge *b = s->bridge;
    (void)error; /* the device may come back */
    viewer->due = now + s->period;
    if (p && !robo__door_is_busy(&b->door, now)) {
        struct robo__json *j = publish(s);
        viewer->look.after = p->number;
        robo__ros_write_picture(j, &s->topic, s->form, b->door.shift, p);
        robo__json_put(j, "}");
        robo__door_send(&b->door);
    }
    if (p)
        robo__picture_release(p);
    robo__viewer_ask(viewer, now);
}

/* false: the camera has no pictures, or there is no memory. */
static bool begin_view(struct subscription *s, robo_time now)
{
    struct robo__conn *conn = s->bridge->door.conn;
    struct robo__budget *budget = robo__world_memory(conn->host->world);
    struct robo__camera_slot *camera =
        robo__camera_find(robo__robot_senses(s->topic.robot), s->topic.number);
    if (!camera || !robo__camera_is_there(camera) ||
        !robo__budget_take(budget, conn->memory, sizeof *s->view))
        return false;
    s->view = calloc(1, sizeof *s->view);
    if (!s->view) {
        robo__budget_give(budget, sizeof *s->view);
        return false;
    }
    *s->view =
        (struct view){ .subscription = s,
                       .viewer = { .camera = camera,
                                   .due = now,
                                   .answered = on_picture,
                                   .go_on = robo__viewer_ask,
                                   .look.form = { .format = ROBO_JPEG, .quality = QUALITY } } };
    robo__viewer_open(&s->view->viewer, conn);
    robo__viewer_ask(&s->view->viewer, now);
    return true;
}

static void unsubscribe(struct subscription *s)
{
    struct rosbridge *b = s->bridge;
    struct subscription **at = &b->first;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    end_view(s);
    robo_release(s->topic.robot);
    robo__budget_give(robo__world_memory(world_of(b)), sizeof *s);
    free(s);
    if (--b->subscriptions == 0)
        robo__timer_stop(b->door.conn->host->timers, &b->tick);
}

static bool is_latched(const struct subscription *s)
{
    return s->topic.robot && robo__ros_topics[s->topic.kind].latched;
}

/* Once for each subscription. */
static void send_latched(struct subscription *s)
{
    struct rosbridge *b = s->bridge;
    struct robo__json *j = publish(s);
    if (s->topic.kind == ROBO__ROS_DESCRIPTION
            ? robo__ros_write_description(j, s->form, b->door.conn->host,
                                          robo_robot_name(s->topic.robot))
            : robo__ros_write(j, &s->topic, s->form, b->door.shift, &s->number)) {
        robo__json_put(j, "}");
        robo__door_send(&b->door);
    }
    j->used = 0;
}

/* Whether its robot was removed, or none was there. */
static bool is_gone(const struct subscription *s)
{
    robo_robot *robot =
        s->topic.robot ? robo_find(world_of(s->bridge), robo_robot_name(s->topic.robot)) : NULL;
    robo_release(robot);
    return !robot || robot != s->topic.robot;
}

/* After the robot's description has changed, or it was removed, and as long as there is none with that topic. */
static void find_again(struct subscription *s, robo_time now)
{
    const struct robo__ros_topic before = s->topic;
    end_view(s);
    if (robo__ros_find(world_of(s->bridge), s->bridge->only, s->name, &s->topic)) {
        s->revision = robo__robot_revision(s->topic.robot);
        s->number = 0;
    }
    if (s->topic.robot && s->topic.kind == ROBO__ROS_IMAGE && !begin_view(s, now)) {
        robo_release(s->topic.robot);
        s->topic.robot = NULL;
    }
    if (before.robot && s->topic.robot != before.robot)
        refuse(s->bridge,
               s->topic.robot ? "it is of another robot from now on"
                              : "it is there no more; it is sent when it is there again",
               s->name);
    if (is_latched(s) && (s->topic.robot != before.robot || s->topic.kind != ROBO__ROS_DESCRIPTION))
        send_latched(s);
    robo_release(before.robot);
}

static void send(struct subscription *s, robo_time now)
{
    struct rosbridge *b = s->bridge;
    if (now - s->sent < s->period)
        return;
    struct robo__json *j = publish(s);
    if (robo__ros_write(j, &s->topic, s->form, b->door.shift, &s->number)) {
        s->sent = now - s->sent < 2 * s->period ? s->sent + s->period : now;
        robo__json_put(j, "}");
        robo__door_send(&b->door);
    }
    j->used = 0;
}

static void on_tick(struct robo__timer *timer, robo_time now)
{
    struct rosbridge *b = robo__container_of(timer, struct rosbridge, tick);
    struct robo__conn *conn = b->door.conn;
    const bool busy = robo__door_is_busy(&b->door, now), looks = now - b->looked >= LOOK;
    robo__timer_start(conn->host->timers, timer, now + b->period);
    b->looked = looks ? now : b->looked;
    robo__websocket_age(b->door.web, now); /* known for a first velocity */
    for (struct subscription *s = b->first; s; s = s->next) {
        if ((looks && is_gone(s)) ||
            (s->topic.robot && robo__robot_revision(s->topic.robot) != s->revision))
            find_again(s, now);
        if (!busy && s->topic.robot &&
            !is_latched(s)) /* else the newest follows when the client has read */
            send(s, now);
    }
    robo__conn_kick(conn); /* this may free the connection */
}

static struct subscription *find(const struct rosbridge *b, const char *name)
{
    struct subscription *s = b->first;
    while (s && strcmp(s->name, name) != 0)
        s = s->next;
    return s;
}

static struct subscription *make(struct rosbridge *b, const char *name,
                                 const struct robo__ros_topic *topic, robo_time now)
{
    struct robo__budget *budget = robo__world_memory(world_of(b));
    struct subscription *s =
        b->subscriptions < TOPICS && robo__budget_take(budget, b->door.conn->memory, sizeof *s)
            ? calloc(1, sizeof *s)
            : NULL;
    if (!s)
        return NULL;
    *s = (struct subscription){ .next = b->first,
                                .bridge = b,
                                .topic = *topic,
                                .period = b->period,
                                .revision = robo__robot_revision(topic->robot),
                                .sent = now - 86400000000000 };
    snprintf(s->name, sizeof s->name, "%s", name);
    b->first = s;
    if (b->subscriptions++ == 0)
        robo__timer_start(b->door.conn->host->timers, &b->tick, now);
    return s;
}

/* An operation: the message, and its topic or service. */
struct op {
    struct rosbridge *bridge;
    struct robo__json_value message;
    char name[NAME], type[NAME]; /* "": none */
    robo_time now;
};

static void do_subscribe(const struct op *o)
{
    struct rosbridge *b = o->bridge;
    struct robo__ros_topic topic;
    char compression[16];
    double throttle = 0;
    bool old = false;
    const struct robo__json_value how = robo__json_get(o->message, "compression"),
                                  rate = robo__json_get(o->message, "throttle_rate");
    if (how.at && (!robo__json_is_text(how, compression, sizeof compression) ||
                   strcmp(compression, "none") != 0)) {
        refuse(b, "messages are not compressed here; expected compression none", o->name);
        return;
    }
    if (rate.at && !robo__json_is_count(rate, 86400000, &throttle)) {
        refuse(b, "throttle_rate: expected milliseconds, 0 to 86400000", o->name);
        return;
    }
    if (!robo__ros_find(world_of(b), b->only, o->name, &topic)) {
        refuse(b, "there is no such topic; the service /rosapi/topics lists those that there are",
               o->name);
        return;
    }
    if (o->type[0] && !robo__ros_takes(topic.kind, o->type, &old)) {
        char text[NAME];
        snprintf(text, sizeof text, "its type is %s", robo__ros_topics[topic.kind].message->name);
        refuse(b, text, o->name);
        robo_release(topic.robot);
        return;
    }
    struct subscription *s = find(b, o->name);
    const bool made = !s && (s = make(b, o->name, &topic, o->now)) != NULL;
    if (!made)
        robo_release(topic.robot);
    if (!s) {
        refuse(b, "there is no room for another subscription", o->name);
        return;
    }
    s->count++;
    if (made || (robo_time)(throttle * 1e6) < s->period)
        s->period = (robo_time)(throttle * 1e6);
    const unsigned most = robo__ros_topics[topic.kind].rate;
    const robo_time least = most > 0 ? 1000000000 / most : 0;
    if (s->period < b->period || s->period < least)
        s->period = b->period > least ? b->period : least;
    if (o->type[0])
        s->form = old ? ROBO__ROS_JSON_OLD : ROBO__ROS_JSON;
    if (is_latched(s))
        send_latched(s);
    if (made && s->topic.kind == ROBO__ROS_IMAGE && !begin_view(s, o->now)) {
        refuse(b, "the camera has no pictures", o->name);
        unsubscribe(s);
    }
}

static void do_unsubscribe(const struct op *o)
{
    struct subscription *s = find(o->bridge, o->name);
    if (s && (--s->count == 0 || !robo__json_get(o->message, "id").at))
        unsubscribe(s);
}

/* ---- what a client publishes ---- */

static void do_advertise(const struct op *o)
{
    struct robo__ros_topic topic;
    bool old;
    if (!robo__ros_find(world_of(o->bridge), o->bridge->only, o->name, &topic) ||
        topic.kind != ROBO__ROS_CMD_VEL)
        refuse(o->bridge, "nothing here listens to that topic; expected cmd_vel", o->name);
    else if (!robo__ros_takes(topic.kind, o->type, &old))
        refuse(o->bridge, "expected geometry_msgs/msg/Twist or TwistStamped", o->name);
    else
        robo__ros_means(&o->bridge->pilot, topic.robot, o->name, true);
    robo_release(topic.robot);
}

static void do_publish(const struct op *o)
{
    struct robo__ros_topic topic;
    if (!robo__ros_find(world_of(o->bridge), o->bridge->only, o->name, &topic) ||
        topic.kind != ROBO__ROS_CMD_VEL)
        refuse(o->bridge, "nothing here listens to that topic; expected cmd_vel", o->name);
    else if (!robo__ros_means(&o->bridge->pilot, topic.robot, o->name, false))
        refuse(o->bridge, ROBO__ROS_OTHER, o->name);
    else
        robo__ros_publish(&o->bridge->pilot, topic.robot, robo__json_get(o->message, "msg"),
                          o->now);
    robo_release(topic.robot);
}

static void do_nothing(const struct op *o)
{
    (void)o;
}

static void do_call(const struct op *o)
{
    struct rosbridge *b = o->bridge;
    const struct robo__ros_call call = { .door = &b->door,
                                         .pilot = &b->pilot,
                                         .only = b->only,
                                         .id = b->id,
                                         .args = robo__json_get(o->message, "args"),
                                         .service = o->name,
                                         .now = o->now };
    robo__ros_call(&call);
}

/* ---- operations ---- */

static void do_set_level(const struct op *o)
{
    char text[16];
    const int level = robo__json_is_text(robo__json_get(o->message, "level"), text, sizeof text)
                          ? level_of(text)
                          : -1;
    if (level < 0)
        tell(&o->bridge->pilot, "error", "set_level: expected info, warning, error or none");
    else
        o->bridge->level = level;
}

static const struct {
    const char *op, *name; /* of what it names; NULL: nothing */
    void (*run)(const struct op *o);
} ops[] = {
    { "publish", "topic", do_publish },         { "subscribe", "topic", do_subscribe },
    { "unsubscribe", "topic", do_unsubscribe }, { "advertise", "topic", do_advertise },
    { "unadvertise", "topic", do_nothing },     { "call_service", "service", do_call },
    { "set_level", NULL, do_set_level },        { "status", NULL, do_nothing },
};

/* A member that is a text, or is missing, which is "". */
static bool text_of(const struct op *o, const char *name, char out[NAME])
{
    const struct robo__json_value value = robo__json_get(o->message, name);
    out[0] = 0;
    return !value.at || robo__json_is_text(value, out, NAME);
}

static void on_message(void *owner, bool text, const uint8_t *bytes, size_t n, robo_time now)
{
    struct rosbridge *b = owner;
    struct op o = { .bridge = b, .now = now };
    char word[NAME], why[NAME + 64];
    size_t where, i = 0;
    b->id.at = NULL;
    const char *expected =
        text ? robo__json_read((const char *)bytes, n, &o.message, &where) : "a text of JSON";
    if (expected) {
        snprintf(why, sizeof why, "byte %zu: expected %s", text ? where : 0, expected);
        tell(&b->pilot, "error", why);
        return;
    }
    b->id = robo__json_get(o.message, "id");
    if (b->id.at && b->id.end - b->id.at > NAME)
        b->id.at = NULL;
    if (!text_of(&o, "op", word) || !text_of(&o, "type", o.type) || !word[0]) {
        tell(&b->pilot, "error",
             robo__json_get(o.message, "op").at ? "op and type: expected texts of at most 127 bytes"
                                                : "expected an object with op");
        return;
    }
    while (i < sizeof ops / sizeof ops[0] && strcmp(ops[i].op, word) != 0)
        i++;
    if (i == sizeof ops / sizeof ops[0]) {
        refuse(b, "there is no such operation", word);
    } else if (ops[i].name && (!text_of(&o, ops[i].name, o.name) || !o.name[0])) {
        snprintf(why, sizeof why, "%s: expected a %s, of at most 127 bytes", word, ops[i].name);
        tell(&b->pilot, "error", why);
    } else {
        ops[i].run(&o);
    }
    b->id.at = NULL;
}

/* ---- life ---- */

static const struct robo__door_kind kind = { .what = "rosbridge", .reader = { MOST, on_message } };

static int open_connection(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct rosbridge *b = state;
    robo__door_open(&b->door, &kind, conn, url);
    b->pilot = (struct robo__ros_pilot){ .conn = conn,
                                         .door = &b->door,
                                         .client = "rosbridge client",
                                         .deadman = (robo_time)(url->option[DEADMAN] * 1e9),
                                         .tell = tell };
    b->period = (robo_time)(1e9 / url->option[RATE]);
    b->level = level_of("error");
    b->tick.fire = on_tick;
    strcpy(b->only, url->robot);
    return 0;
}

static void close_connection(void *state)
{
    struct rosbridge *b = state;
    while (b->first)
        unsubscribe(b->first);
    robo__ros_leave(&b->pilot);
    robo__door_close(&b->door);
}

const struct robo__protocol robo__rosbridge = { .name = "rosbridge",
                                                .port = 9090,
                                                ROBO__DOOR_ROW,
                                                .size = sizeof(struct rosbridge),
                                                .options = options,
                                                .open = open_connection,
                                                .close = close_connection };
