/* Services. */
#include "services.h"

#include <string.h>

#include "ros/topics.h"

enum { NAME = 128 /* bytes of an argument, with its NUL */ };

static robo_world *world_of(const struct robo__ros_call *c)
{
    return c->door->conn->host->world;
}

void robo__ros_put_id(struct robo__json *json, struct robo__json_value id)
{
    if (!id.at)
        return;
    robo__json_put(json, ",\"id\":");
    robo__json_bytes(json, id.at, (size_t)(id.end - id.at));
}

/* A response up to its values; good: they are the service's, else the reason. */
static struct robo__json *respond(const struct robo__ros_call *c, bool good)
{
    struct robo__json *j = &c->door->json;
    j->used = 0;
    robo__json_put(j, "{\"op\":\"service_response\"");
    robo__ros_put_id(j, c->id);
    robo__json_put(j, ",\"service\":");
    robo__json_text(j, c->service);
    robo__json_put(j, good ? ",\"result\":true,\"values\":" : ",\"result\":false,\"values\":");
    return j;
}

static void end_response(const struct robo__ros_call *c)
{
    robo__json_put(&c->door->json, "}");
    robo__door_send(c->door);
}

/* A walk that makes a list of topics, or of their types. */
struct walk {
    struct robo__json *json;
    bool types;
    unsigned n;
};

static void put_topic(void *owner, const char *name, enum robo__ros_kind kind)
{
    struct walk *w = owner;
    robo__json_put(w->json, w->n++ ? "," : "");
    robo__json_text(w->json, w->types ? robo__ros_topics[kind].message->name : name);
}

static void serve_topics(const struct robo__ros_call *c, const char *arg)
{
    struct robo__json *j = respond(c, true);
    (void)arg;
    for (int types = 0; types < 2; types++) {
        struct walk w = { j, types, 0 };
        robo__json_put(j, types ? "],\"types\":[" : "{\"topics\":[");
        robo__ros_list(world_of(c), c->only, put_topic, &w);
    }
    robo__json_put(j, "]}");
}

static void serve_topic_type(const struct robo__ros_call *c, const char *arg)
{
    struct robo__ros_topic topic;
    const bool found = robo__ros_find(world_of(c), c->only, arg, &topic);
    struct robo__json *j = respond(c, true);
    robo__json_word(j, "{\"type\":\"", found ? robo__ros_topics[topic.kind].message->name : "");
    robo__json_put(j, "}");
    robo_release(topic.robot);
}

static void serve_services(const struct robo__ros_call *c, const char *arg)
{
    uint64_t cursor = 0;
    const char *only = c->only, *comma = "";
    struct robo__json *j = respond(c, true);
    (void)arg;
    robo__json_put(j, "{\"services\":[");
    robo_robot *robot =
        only[0] ? robo_find(world_of(c), only) : robo_next_robot(world_of(c), &cursor);
    for (bool first = true; robot; first = false) {
        for (const char *const *name = robo__ros_services; *name; name++, comma = ",") {
            robo__json_put(j, comma);
            robo__json_put(j, "\"/");
            robo__json_put(j, first ? "" : robo_robot_name(robot));
            robo__json_word(j, first ? "" : "/", *name);
        }
        robo_release(robot);
        robot = only[0] ? NULL : robo_next_robot(world_of(c), &cursor);
    }
    robo__json_put(j, "]}");
}

/* The one parameter is a robot's description: [/ROBOT/]robot_description, perhaps with the name of a node in front. */
static void serve_param(const struct robo__ros_call *c, const char *arg)
{
    const char *rest, *colon = strchr(arg, ':');
    robo_robot *robot = robo__ros_robot(world_of(c), c->only, colon ? colon + 1 : arg, &rest);
    struct robo__json *j = respond(c, true);
    if (!robot || strcmp(rest, "robot_description") != 0 ||
        !robo__ros_write_parameter(j, c->door->conn->host, robo_robot_name(robot)))
        robo__json_put(
            j,
            "{\"value\":\"null\",\"successful\":false,\"reason\":\"there is no such parameter\"}");
    robo_release(robot);
}

static const struct {
    const char *name, *argument;
    void (*serve)(const struct robo__ros_call *c, const char *arg);
} rosapi[] = {
    { "topics", "", serve_topics },
    { "topic_type", "topic", serve_topic_type },
    { "services", "", serve_services },
    { "get_param", "name", serve_param },
};

/* An argument by its name, or the first of a list. */
static void argument_of(const struct robo__ros_call *c, const char *name, char out[NAME])
{
    struct robo__json_value value = { NULL, NULL };
    if (!robo__json_next(c->args, &value))
        value = robo__json_get(c->args, name);
    robo__json_is_text(value, out, NAME);
}

void robo__ros_call(const struct robo__ros_call *c)
{
    const char *name = c->service + (c->service[0] == '/'), *rest, *text;
    char arg[NAME];
    for (size_t i = 0; strncmp(name, "rosapi/", 7) == 0 && i < sizeof rosapi / sizeof rosapi[0];
         i++)
        if (strcmp(name + 7, rosapi[i].name) == 0) {
            argument_of(c, rosapi[i].argument, arg);
            rosapi[i].serve(c, arg);
            end_response(c);
            return;
        }
    robo_robot *robot = robo__ros_robot(world_of(c), c->only, name, &rest);
    const char *const *service = robo__ros_services;
    while (*service && strcmp(*service, rest) != 0)
        service++;
    if (robot && *service) {
        const bool moves = strcmp(*service, "reset") == 0 || strcmp(*service, "resume") == 0;
        const bool meant = !moves || robo__ros_means(c->pilot, robot, name, false);
        text = ROBO__ROS_OTHER;
        const bool good = meant && robo__ros_serve(c->pilot, robot, *service, &text, c->now);
        struct robo__json *j = respond(c, true);
        robo__json_put(j,
                       good ? "{\"success\":true,\"message\":" : "{\"success\":false,\"message\":");
        robo__json_text(j, text);
        robo__json_put(j, "}");
    } else {
        robo__json_text(respond(c, false), "there is no such service");
    }
    end_response(c);
    robo_release(robot);
}
