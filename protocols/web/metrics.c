/* Figures for Prometheus. */
#include "metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "base/readers.h"
#include "net/server.h"
#include "robot/client.h"

/* A robot at the time of the request. */
struct seen {
    const char *name;
    struct robo_state state;
    struct robo__health health;
    unsigned holders;
    double age;
};

static void put(struct robo__json *text, const char *name, const char *labels, double value)
{
    char number[40];
    if (isnan(value))
        return;
    snprintf(number, sizeof number,
             value == floor(value) && fabs(value) < 1e15 ? " %.0f\n" : " %.9g\n", value);
    robo__json_put(text, name);
    robo__json_put(text, labels);
    robo__json_put(text, number);
}

static void head(struct robo__json *text, const char *name, const char *type, const char *help)
{
    robo__json_put(text, "# HELP ");
    robo__json_put(text, name);
    robo__json_put(text, " ");
    robo__json_put(text, help);
    robo__json_put(text, "\n# TYPE ");
    robo__json_put(text, name);
    robo__json_put(text, " ");
    robo__json_put(text, type);
    robo__json_put(text, "\n");
}

/* ---- robots ---- */

static double panic(const struct seen *s)
{
    return s->state.panic;
}
static double panics(const struct seen *s)
{
    return s->state.epoch;
}
static double moving(const struct seen *s)
{
    return s->state.moving;
}
static double fallen(const struct seen *s)
{
    return s->health.lies;
}
static double blocked(const struct seen *s)
{
    return s->health.blocked[0] != 0;
}
static double charge(const struct seen *s)
{
    return s->state.voltage > 0 ? s->state.charge : (double)NAN;
}
static double override(const struct seen *s)
{
    return s->state.override;
}
static double age(const struct seen *s)
{
    return s->age;
}
static double sessions(const struct seen *s)
{
    return s->health.sessions;
}
static double holders(const struct seen *s)
{
    return s->holders;
}
static double silences(const struct seen *s)
{
    return s->health.silences;
}
static double lost(const struct seen *s)
{
    return s->health.lost;
}
static double late(const struct seen *s)
{
    return (double)s->health.late;
}

static const struct {
    const char *name, *type, *help;
    double (*value)(const struct seen *s);
} rows[] = {
    { "robotalk_robot_panic", "gauge", "1 while the robot is in panic.", panic },
    { "robotalk_robot_panics_total", "counter", "Panics.", panics },
    { "robotalk_robot_moving", "gauge", "1 while any joint or the base moves.", moving },
    { "robotalk_robot_fallen", "gauge", "1 while the body lies.", fallen },
    { "robotalk_robot_blocked", "gauge", "1 while something is in the way of the base.", blocked },
    { "robotalk_robot_battery_ratio", "gauge", "Charge of the battery, 0 to 1.", charge },
    { "robotalk_robot_override_ratio", "gauge", "Share of their speeds that motions have.",
      override },
    { "robotalk_robot_state_age_seconds", "gauge", "Age of the newest state.", age },
    { "robotalk_robot_sessions", "gauge", "Sessions that are open.", sessions },
    { "robotalk_robot_holders", "gauge", "Clients that have leases.", holders },
    { "robotalk_robot_deadman_stops_total", "counter", "Stops of what a silent client had moved.",
      silences },
    { "robotalk_robot_device_faults_total", "counter",
      "Devices that were lost or reported a fault.", lost },
    { "robotalk_robot_late_frames", "gauge", "Frames of open sessions that came too late.", late },
};

static void look(struct seen *s, robo_robot *robot, robo_time now)
{
    struct robo_reply_holder holder;
    s->name = robo_robot_name(robot);
    robo_read(robot, &s->state, sizeof s->state);
    robo__robot_health(robot, &s->health);
    s->holders = 0;
    while (robo__robot_holder(robot, s->holders, now, &holder))
        s->holders++;
    s->age = now > s->state.time ? (double)(now - s->state.time) * 1e-9 : 0;
}

static void put_commands(struct robo__json *text, const struct seen *s)
{
    char labels[128];
    for (int i = 1; i < 8; i++) {
        snprintf(labels, sizeof labels, "{robot=\"%s\",signal=\"%s\"}", s->name,
                 robo_signal_name(i));
        put(text, "robotalk_commands_total", labels, (double)s->health.tally.signal[i]);
    }
}

static void put_reasons(struct robo__json *text, const struct seen *s)
{
    char labels[128];
    for (int i = 1; i < ROBO__REASONS; i++) {
        snprintf(labels, sizeof labels, "{robot=\"%s\",reason=\"%s\"}", s->name,
                 robo_reason_name(i));
        if (s->health.tally.reason[i] > 0)
            put(text, "robotalk_command_reasons_total", labels, (double)s->health.tally.reason[i]);
    }
}

static void put_lateness(struct robo__json *text, const struct seen *s)
{
    static const char *const bounds[ROBO__LATE] = { "1e-05", "0.0001", "0.001", "0.01",
                                                    "0.1",   "1",      "+Inf" };
    char labels[128];
    double sum = 0;
    for (int i = 0; i < ROBO__LATE; i++) {
        sum += (double)s->health.tally.late[i];
        snprintf(labels, sizeof labels, "{robot=\"%s\",le=\"%s\"}", s->name, bounds[i]);
        put(text, "robotalk_command_lateness_seconds_bucket", labels, sum);
    }
    snprintf(labels, sizeof labels, "{robot=\"%s\"}", s->name);
    put(text, "robotalk_command_lateness_seconds_sum", labels, s->health.tally.lateness);
    put(text, "robotalk_command_lateness_seconds_count", labels, sum);
}

/* Calls it for each robot: the samples of one name stand together. */
static void each(struct robo__json *text, const struct robo__host *host, robo_time now,
                 void (*fn)(struct robo__json *text, const struct seen *s))
{
    uint64_t cursor = 0;
    struct seen s;
    for (robo_robot *r; (r = robo_next_robot(host->world, &cursor)) != NULL; robo_release(r)) {
        look(&s, r, now);
        fn(text, &s);
    }
}

static void put_rows(struct robo__json *text, const struct robo__host *host, robo_time now)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t cursor = 0;
        struct seen s;
        head(text, rows[i].name, rows[i].type, rows[i].help);
        for (robo_robot *r; (r = robo_next_robot(host->world, &cursor)) != NULL; robo_release(r)) {
            char labels[64];
            look(&s, r, now);
            snprintf(labels, sizeof labels, "{robot=\"%s\"}", s.name);
            put(text, rows[i].name, labels, rows[i].value(&s));
        }
    }
}

/* ---- servers ---- */

struct sum {
    struct robo__json *text;
    const char *name;
    int which;
};

static void put_server(void *owner, const struct robo__url *url, size_t connections, uint64_t came,
                       uint64_t refused)
{
    const struct sum *sum = owner;
    const double values[] = { (double)connections, (double)came, (double)refused };
    char labels[400];
    snprintf(labels, sizeof labels, "{protocol=\"%s\",address=\"%.255s:%u\"}", url->protocol->name,
             url->host, url->port);
    put(sum->text, sum->name, labels, values[sum->which]);
}

static void put_servers(struct robo__json *text, const struct robo__host *host)
{
    static const struct {
        const char *name, *type, *help;
    } names[] = {
        { "robotalk_connections", "gauge", "Connections that are open." },
        { "robotalk_connections_total", "counter", "Connections that have come." },
        { "robotalk_connections_refused_total", "counter",
          "Clients that were refused, or dropped." },
    };
    for (int i = 0; i < 3; i++) {
        struct sum sum = { text, names[i].name, i };
        head(text, names[i].name, names[i].type, names[i].help);
        robo__servers_each(host, put_server, &sum);
    }
}

static void put_process(struct robo__json *text)
{
    struct robo__process p;
    robo__process_read(&p);
    head(text, "process_cpu_seconds_total", "counter", "Processor time.");
    put(text, "process_cpu_seconds_total", "", p.processor);
    head(text, "process_start_time_seconds", "gauge", "Start, since 1970.");
    put(text, "process_start_time_seconds", "", p.started);
    head(text, "process_resident_memory_bytes", "gauge", "Memory.");
    put(text, "process_resident_memory_bytes", "", (double)p.resident);
    head(text, "process_open_fds", "gauge", "Open descriptors.");
    put(text, "process_open_fds", "", (double)p.files);
    head(text, "robotalk_build_info", "gauge", "1, with the version.");
    put(text, "robotalk_build_info", "{version=\"" ROBOTALK_VERSION "\"}", 1);
}

void robo__web_metrics(struct robo__json *text, const struct robo__host *host, robo_time now)
{
    robo__reading_begin();
    put_rows(text, host, now);
    head(text, "robotalk_commands_total", "counter",
         "Commands that have their result, by its signal.");
    each(text, host, now, put_commands);
    head(text, "robotalk_command_reasons_total", "counter", "Results with a reason, by it.");
    each(text, host, now, put_reasons);
    head(text, "robotalk_command_lateness_seconds", "histogram",
         "Begin of commands with a start, after it.");
    each(text, host, now, put_lateness);
    robo__reading_end();
    put_servers(text, host);
    put_process(text);
}
