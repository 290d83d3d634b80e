/* Foxglove's WebSocket protocol, server side (spec/foxglove.md): channels of what robots do, and velocities of clients where the operator allows
 * them. */
#include "protocols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "live.h"
#include "ros/drive.h"
#include "ros/topics.h"
#include "web/door.h"

/* MOST: bytes of a message; SUBSCRIPTIONS: of a client; PUBLISHED: channels of a client's own; UNREAD: bytes for it, of which the rest of a turn is
 * left out */
enum { MOST = 1 << 16, SUBSCRIPTIONS = 256, PUBLISHED = 16, UNREAD = 1 << 21 };
enum { RATE, DEADMAN, PUBLISH };
enum { MESSAGE = 1 /* opcode of both sides' */ };

static const struct robo_scheme_option options[] = {
    [RATE] = { "rate", ROBO_SCHEME_NUMBER, 1, 100, 20,
               "1/s; how often states and pictures are sent, as the first client's address has it" },
    [DEADMAN] = ROBO__DOOR_DEADMAN,
    [PUBLISH] = { "publish", ROBO_SCHEME_FLAG, 0, 1, 0, "clients may drive, by topics cmd_vel" },
    ROBO__DOOR_ORIGIN,
    { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

struct foxglove {
    struct robo__door door; /* first */
    struct robo__live_client client;
    struct robo__ros_pilot pilot;
    char only[32]; /* the robot of the address, for velocities; "": all */
    double rate;
    bool publishes;
    bool judged, busy; /* busy: messages of this turn are left out, as was judged at its first */
    unsigned subscriptions, published;
    struct {
        uint32_t id, channel;
    } subscription[SUBSCRIPTIONS];
    struct {
        uint32_t id;
        char topic[128];
    } publish[PUBLISHED];
};

/* ---- to the client ---- */

static struct robo__json *begin(struct foxglove *f, const char *text)
{
    f->door.json.used = 0;
    robo__json_put(&f->door.json, text);
    return &f->door.json;
}

static void tell(struct robo__ros_pilot *pilot, const char *level, const char *text)
{
    struct foxglove *f = robo__container_of(pilot, struct foxglove, pilot);
    struct robo__json *j = begin(f, "{\"op\":\"status\",\"level\":");
    robo__json_count(j, "", level[0] == 'e' ? 2 : level[0] == 'w' ? 1 : 0);
    robo__json_put(j, ",\"message\":");
    robo__json_text(j, text);
    robo__json_put(j, "}");
    robo__door_send(&f->door);
}

static void on_channel(struct robo__live_client *client, const struct robo__live_topic *channel)
{
    struct foxglove *f = robo__container_of(client, struct foxglove, client);
    struct robo__json *j = begin(f, "{\"op\":\"advertise\",\"channels\":[");
    robo__json_count(j, "{\"id\":", channel->id);
    robo__json_put(j, ",\"topic\":");
    robo__json_text(j, channel->topic);
    robo__json_word(j, ",\"encoding\":\"json\",\"schemaName\":\"", channel->schema_name);
    robo__json_put(j, ",\"schemaEncoding\":\"jsonschema\",\"schema\":");
    robo__json_text(j, channel->schema);
    robo__json_put(j, "}]}");
    robo__door_send(&f->door);
}

/* The head of message data, and the payload, in the door's text. */
static void send_data(struct foxglove *f, uint32_t subscription, uint64_t time, const void *payload,
                      size_t n)
{
    uint8_t head[13] = { MESSAGE };
    struct robo__json *j = begin(f, "");
    for (int i = 0; i < 4; i++)
        head[1 + i] = (uint8_t)(subscription >> 8 * i);
    for (int i = 0; i < 8; i++)
        head[5 + i] = (uint8_t)(time >> 8 * i);
    robo__json_bytes(j, (const char *)head, sizeof head);
    robo__json_bytes(j, payload, n);
    if (!j->failed)
        robo__websocket_send(f->door.web, false, j->at, j->used);
    j->used = 0;
}

static void on_data(struct robo__live_client *client, const struct robo_mcap_record *message,
                    robo_time now)
{
    struct foxglove *f = robo__container_of(client, struct foxglove, client);
    size_t unread;
    if (!f->judged) /* what is sent in this turn makes it busy for the next */
        f->busy = robo__door_is_busy(&f->door, now);
    f->judged = true;
    for (unsigned i = 0; i < f->subscriptions; i++) {
        if (f->subscription[i].channel != message->id)
            continue;
        robo__conn_output(f->door.conn, &unread);
        f->busy |= unread > UNREAD;
        if (!f->busy)
            send_data(f, f->subscription[i].id, message->log_time, message->data.at,
                      message->data.size);
    }
}

static void on_settled(struct robo__live_client *client)
{
    struct foxglove *f = robo__container_of(client, struct foxglove, client);
    f->judged = false;
    robo__conn_kick(f->door.conn); /* this may free it */
}

/* ---- operations ---- */

/* A member of an object that is a u32, or the object itself for NULL. */
static bool id_of(struct robo__json_value value, const char *name, uint32_t *id)
{
    double x;
    if (!robo__json_is_count(name ? robo__json_get(value, name) : value, UINT32_MAX, &x))
        return false;
    *id = (uint32_t)x;
    return true;
}

static void look_for_pictures(struct foxglove *f)
{
    f->client.wants_pictures = false;
    for (unsigned i = 0; i < f->subscriptions; i++) {
        const struct robo__live_topic *c =
            robo__live_find(f->client.live, f->subscription[i].channel);
        f->client.wants_pictures |= c && c->is_picture;
    }
    robo__live_look(f->client.live);
}

/* Of a robot_description, as of a topic that is latched. */
static void send_description(struct foxglove *f, const struct robo__live_topic *channel,
                             uint32_t subscription, robo_time now)
{
    struct robo__json text = { NULL };
    if (robo__ros_write_description(&text, ROBO__ROS_JSON, f->door.conn->host, channel->robot) &&
        !text.failed)
        send_data(f, subscription, (uint64_t)(now + f->door.shift), text.at, text.used);
    robo__json_free(&text);
}

static void unsubscribe(struct foxglove *f, uint32_t id)
{
    for (unsigned i = 0; i < f->subscriptions; i++)
        if (f->subscription[i].id == id)
            f->subscription[i--] = f->subscription[--f->subscriptions];
}

static void do_subscribe(struct foxglove *f, struct robo__json_value one, robo_time now)
{
    uint32_t id, channel;
    const struct robo__live_topic *c;
    if (!id_of(one, "id", &id) || !id_of(one, "channelId", &channel) ||
        !(c = robo__live_find(f->client.live, channel))) {
        tell(&f->pilot, "error",
             "subscribe: expected id, and channelId of a channel that there is");
        return;
    }
    unsubscribe(f, id);
    if (f->subscriptions == SUBSCRIPTIONS) {
        tell(&f->pilot, "error", "subscribe: a client has at most 256 subscriptions");
        return;
    }
    f->subscription[f->subscriptions].id = id;
    f->subscription[f->subscriptions++].channel = channel;
    if (c->robot[0])
        send_description(f, c, id, now);
}

static void do_unsubscribe(struct foxglove *f, struct robo__json_value one, robo_time now)
{
    uint32_t id;
    (void)now;
    if (id_of(one, NULL, &id))
        unsubscribe(f, id);
}

static void unadvertise(struct foxglove *f, uint32_t id)
{
    for (unsigned i = 0; i < f->published; i++)
        if (f->publish[i].id == id)
            f->publish[i--] = f->publish[--f->published];
}

static void do_advertise(struct foxglove *f, struct robo__json_value one, robo_time now)
{
    char encoding[16], schema[64], topic[128];
    struct robo__ros_topic found = { .robot = NULL };
    uint32_t id;
    bool old;
    const char *why = NULL;
    (void)now;
    if (!f->publishes)
        why = "advertise: clients may not publish here; the operator allows it by ?publish";
    else if (!id_of(one, "id", &id) ||
             !robo__json_is_text(robo__json_get(one, "topic"), topic, sizeof topic) ||
             !robo__json_is_text(robo__json_get(one, "encoding"), encoding, sizeof encoding) ||
             strcmp(encoding, "json") != 0 ||
             !robo__json_is_text(robo__json_get(one, "schemaName"), schema, sizeof schema))
        why = "advertise: expected id, topic, the encoding json, and schemaName";
    else if (!robo__ros_find(f->door.conn->host->world, f->only, topic, &found) ||
             found.kind != ROBO__ROS_CMD_VEL || !robo__ros_takes(found.kind, schema, &old))
        why = "advertise: expected cmd_vel of a robot, and geometry_msgs/msg/Twist or TwistStamped";
    if (!why) {
        robo__ros_means(&f->pilot, found.robot, topic, true);
        unadvertise(f, id);
        if (f->published == PUBLISHED)
            why = "advertise: a client has at most 16 channels";
    }
    robo_release(found.robot);
    if (why) {
        tell(&f->pilot, "error", why);
        return;
    }
    f->publish[f->published].id = id;
    strcpy(f->publish[f->published++].topic, topic);
}

static void do_unadvertise(struct foxglove *f, struct robo__json_value one, robo_time now)
{
    uint32_t id;
    (void)now;
    if (id_of(one, NULL, &id))
        unadvertise(f, id);
}

static const struct {
    const char *op, *list; /* of what it is about */
    void (*run)(struct foxglove *f, struct robo__json_value one, robo_time now);
} ops[] = {
    { "subscribe", "subscriptions", do_subscribe },
    { "unsubscribe", "subscriptionIds", do_unsubscribe },
    { "advertise", "channels", do_advertise },
    { "unadvertise", "channelIds", do_unadvertise },
};

static void on_text(struct foxglove *f, const char *text, size_t n, robo_time now)
{
    struct robo__json_value message = { NULL, NULL }, one = message;
    char op[32] = "", why[128] = "";
    size_t where, i = 0;
    const char *expected = robo__json_read(text, n, &message, &where);
    if (expected)
        snprintf(why, sizeof why, "byte %zu: expected %s", where, expected);
    else if (!robo__json_is_text(robo__json_get(message, "op"), op, sizeof op))
        strcpy(why, "expected an object with op");
    while (i < sizeof ops / sizeof ops[0] && strcmp(ops[i].op, op) != 0)
        i++;
    const bool known = i < sizeof ops / sizeof ops[0];
    const struct robo__json_value list = known ? robo__json_get(message, ops[i].list) : one;
    if (!why[0] && !known)
        snprintf(why, sizeof why, "%s: there is no such operation here", op);
    else if (!why[0] && (!list.at || *list.at != '['))
        snprintf(why, sizeof why, "%s: expected the list %s", op, ops[i].list);
    if (why[0]) {
        tell(&f->pilot, "error", why);
        return;
    }
    while (robo__json_next(list, &one) && !f->door.conn->closing)
        ops[i].run(f, one, now);
    look_for_pictures(f);
}

/* Message data of a channel of the client's. */
static void on_bytes(struct foxglove *f, const uint8_t *bytes, size_t n, robo_time now)
{
    struct robo__json_value message;
    struct robo__ros_topic topic;
    size_t where;
    unsigned i = 0;
    const uint32_t id = n < 5 ? 0
                              : bytes[1] | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3] << 16 |
                                    (uint32_t)bytes[4] << 24;
    while (i < f->published && f->publish[i].id != id)
        i++;
    if (n < 5 || bytes[0] != MESSAGE || i == f->published) {
        tell(&f->pilot, "error", "expected message data, of a channel that was advertised");
    } else if (robo__json_read((const char *)bytes + 5, n - 5, &message, &where)) {
        tell(&f->pilot, "error", "message data: expected JSON");
    } else if (robo__ros_find(f->door.conn->host->world, f->only, f->publish[i].topic, &topic)) {
        if (robo__ros_means(&f->pilot, topic.robot, f->publish[i].topic, false))
            robo__ros_publish(&f->pilot, topic.robot, message, now);
        else
            tell(&f->pilot, "error", "cmd_vel: " ROBO__ROS_OTHER);
        robo_release(topic.robot);
    }
}

static void on_message(void *owner, bool text, const uint8_t *bytes, size_t n, robo_time now)
{
    if (text)
        on_text(owner, (const char *)bytes, n, now);
    else
        on_bytes(owner, bytes, n, now);
}

/* ---- life ---- */

static void on_opened(struct robo__door *door, robo_time now)
{
    struct foxglove *f = robo__container_of(door, struct foxglove, door);
    struct robo__json *j = begin(f, "{\"op\":\"serverInfo\",\"name\":\"robotalk\",\"metadata\":{}");
    (void)now;
    if (robo__live_join(&f->client, door->conn->host, f->rate) < 0) {
        door->conn->refused = "there is no memory for what it is to see";
        robo__conn_drop(door->conn);
        return;
    }
    robo__json_put(
        j, f->publishes ? ",\"capabilities\":[\"clientPublish\"],\"supportedEncodings\":[\"json\"]"
                        : ",\"capabilities\":[]");
    robo__json_count(j, ",\"sessionId\":\"", robo__live_session(f->client.live));
    robo__json_put(j, "\"}");
    robo__door_send(door);
    for (const struct robo__live_topic *c = robo__live_first(f->client.live); c; c = c->next)
        on_channel(&f->client, c);
}

static const char *const subprotocols[] = { "foxglove.sdk.v1", "foxglove.websocket.v1", NULL };

static const struct robo__door_kind kind = { .what = "Foxglove",
                                             .subprotocols = subprotocols,
                                             .reader = { MOST, on_message },
                                             .opened = on_opened };

static int open_connection(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    struct foxglove *f = state;
    robo__door_open(&f->door, &kind, conn, url);
    f->client =
        (struct robo__live_client){ .opened = on_channel, .came = on_data, .settled = on_settled };
    f->pilot = (struct robo__ros_pilot){ .conn = conn,
                                         .door = &f->door,
                                         .client = "Foxglove client",
                                         .wordless = true,
                                         .deadman = (robo_time)(url->option[DEADMAN] * 1e9),
                                         .tell = tell };
    f->rate = url->option[RATE];
    f->publishes = url->option[PUBLISH] != 0;
    strcpy(f->only, url->robot);
    return 0;
}

static void close_connection(void *state)
{
    struct foxglove *f = state;
    robo__live_leave(&f->client);
    robo__ros_leave(&f->pilot);
    robo__door_close(&f->door);
}

const struct robo__protocol robo__foxglove = { .name = "foxglove",
                                               .port = 8765,
                                               ROBO__DOOR_ROW,
                                               .size = sizeof(struct foxglove),
                                               .options = options,
                                               .open = open_connection,
                                               .close = close_connection };
