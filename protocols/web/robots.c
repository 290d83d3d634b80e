/* Robots as JSON, and their stop. */
#include "robots.h"

#include "base/readers.h"
#include "net/seat.h"
#include "robot/client.h"
#include "robot/world/world.h"
#include "robotalk/wire.h"

/* ---- JSON ---- */

/* "name": [the names of n records of that size, which begin with them] */
static void put_names(struct robo__json *json, const char *name, const void *records, size_t size,
                      unsigned n)
{
    robo__json_word(json, ",\"", name);
    robo__json_put(json, ":[");
    for (unsigned i = 0; i < n; i++) {
        robo__json_put(json, i > 0 ? "," : "");
        robo__json_text(json, (const char *)records + i * size);
    }
    robo__json_put(json, "]");
}

static void put_dofs(struct robo__json *json, const struct robo_description *d)
{
    const char *comma = "";
    robo__json_put(json, ",\"dofs\":[");
    for (unsigned i = 0; i < d->joints; i++) {
        for (unsigned k = 0; k < d->joint[i].dofs; k++) {
            char name[80];
            snprintf(name, sizeof name, "%s.%s", d->joint[i].name,
                     d->dof[d->joint[i].first + k].name);
            robo__json_put(json, comma);
            robo__json_text(json, name);
            comma = ",";
        }
    }
    robo__json_put(json, "]");
}

void robo__web_state(struct robo__json *json, robo_robot *robot, robo_time now)
{
    const struct robo_description *d = robo__robot_description(robot);
    struct robo_state state;
    struct robo_reply_holder holder;
    robo_read(robot, &state, sizeof state);
    robo__json_put(json, "{\"name\":");
    robo__json_text(json, d->name);
    robo__json_put(json, ",\"model\":");
    robo__json_text(json, d->model);
    put_dofs(json, d);
    put_names(json, "sensors", d->sensor, sizeof *d->sensor, d->sensors);
    put_names(json, "cameras", d->camera, sizeof *d->camera, d->cameras);
    robo__json_put(json, ",\"state\":");
    robo__json_message(json, &robo_state_message, &state);
    robo__json_put(json, ",\"holders\":[");
    for (unsigned i = 0; robo__robot_holder(robot, i, now, &holder); i++) {
        robo__json_put(json, i > 0 ? "," : "");
        robo__json_message(json, robo_operation_find(robo__queries, ROBO_Q_HOLDER)->reply, &holder);
    }
    robo__json_put(json, "]}");
}

void robo__web_robots(struct robo__json *json, robo_world *world, robo_time now)
{
    const char *comma = "[";
    uint64_t cursor = 0;
    robo_robot *robot;
    while ((robot = robo_next_robot(world, &cursor)) != NULL) {
        robo__json_put(json, comma);
        robo__web_state(json, robot, now);
        robo_release(robot);
        comma = ",";
    }
    robo__json_put(json, cursor ? "]" : "[]");
}

void robo__web_readings(struct robo__json *json, robo_robot *robot)
{
    const struct robo_description *d = robo__robot_description(robot);
    double value[ROBO_MAX_READING];
    robo__json_put(json, "[");
    for (unsigned i = 0; i < d->sensors; i++) {
        struct robo_reading reading = { .number = 0, .time = ROBO_NO_TIME };
        if (robo_sense(robot, i, 0, &reading, sizeof reading, value, ROBO_MAX_READING) != 1)
            reading.count = 0;
        robo__json_put(json, i > 0 ? ",{\"name\":" : "{\"name\":");
        robo__json_text(json, d->sensor[i].name);
        robo__json_put(json, ",\"kind\":");
        robo__json_text(json, d->sensor[i].kind);
        robo__json_put(json, ",\"unit\":");
        robo__json_text(json, d->sensor[i].unit);
        robo__json_count(json, ",\"number\":", reading.number);
        robo__json_time(json, ",\"time\":", reading.time);
        robo__json_put(json, ",\"values\":");
        robo__json_numbers(json, value, reading.count);
        robo__json_put(json, "}");
    }
    robo__json_put(json, "]");
}

/* ---- stops ---- */

static void ignore(struct robo__seat *seat, const struct robo_result *result)
{
    (void)seat, (void)result;
}

const char *robo__web_stop(struct robo__conn *conn, robo_robot *robot, robo_time now)
{
    static const struct robo__seat_kind page = { .client = "web page", .result = ignore };
    struct robo_cmd stop = { .op = ROBO_STOP, .id = 1, .start = ROBO_AT_ONCE };
    struct robo__seat seat;
    robo__seat_init(&seat, &page, conn, 0);
    if (robo__seat_open(&seat, robot, NULL, now) < 0) {
        robo__panic_by(robot, page.client);
        return "it is in panic";
    }
    robo__seat_command(&seat, &stop, 1, now);
    robo__seat_close(&seat);
    return "it stops";
}
