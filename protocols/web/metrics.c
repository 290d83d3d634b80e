/* Figures for Prometheus. */
#include "metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "net/server.h"
#include "robot/client.h"

/* A robot, an address or the process at the time of the request. */
struct seen {
    char labels[720]; /* without their brackets: an escape may be twice as long as its host */
    double value[ROBO__METRICS]; /* NAN: it has no such one */
    bool robot;
    struct robo__tally tally;
};

struct list {
    struct seen *of;
    size_t n, size;
};

/* NULL: there is no memory. */
static struct seen *add(struct list *list)
{
    if (list->n == list->size) {
        const size_t size = list->size > 0 ? 2 * list->size : 16;
        struct seen *more = realloc(list->of, size * sizeof *more);
        if (!more)
            return NULL;
        list->of = more;
        list->size = size;
    }
    struct seen *s = &list->of[list->n++];
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ROBO__METRICS; i++)
        s->value[i] = NAN;
    return s;
}

/* NAME="VALUE", behind the others. */
static void label(char labels[720], const char *name, const char *value)
{
    size_t n = strlen(labels);
    n += (size_t)snprintf(labels + n, 720 - n, "%s%s=\"", n > 0 ? "," : "", name);
    for (; *value && n < 720 - 4; value++) { /* a name has no line ends */
        if (*value == '"' || *value == '\\')
            labels[n++] = '\\';
        labels[n++] = *value;
    }
    memcpy(labels + n, "\"", 2);
}

/* ---- looking ---- */

static void look_at_robot(struct seen *s, robo_robot *robot, robo_time now)
{
    struct robo_reply_holder holder;
    struct robo_state state;
    struct robo__health health;
    unsigned holders = 0;
    double *v = s->value;
    robo_read(robot, &state, sizeof state);
    robo__robot_health(robot, &health);
    while (robo__robot_holder(robot, holders, now, &holder))
        holders++;
    label(s->labels, "robot", robo_robot_name(robot));
    s->robot = true;
    s->tally = health.tally;
    v[ROBO__ROBOT_PANIC] = state.panic;
    v[ROBO__ROBOT_PANICS_TOTAL] = state.epoch;
    v[ROBO__ROBOT_MOVING] = state.moving;
    v[ROBO__ROBOT_FALLEN] = health.lies;
    v[ROBO__ROBOT_BLOCKED] = health.blocked[0] != 0;
    v[ROBO__ROBOT_BATTERY_RATIO] = state.voltage > 0 ? state.charge : (double)NAN;
    v[ROBO__ROBOT_OVERRIDE_RATIO] = state.override;
    v[ROBO__ROBOT_STATE_AGE_SECONDS] = now > state.time ? (double)(now - state.time) * 1e-9 : 0;
    v[ROBO__ROBOT_SESSIONS] = health.sessions;
    v[ROBO__ROBOT_HOLDERS] = holders;
    v[ROBO__ROBOT_DEADMAN_STOPS_TOTAL] = health.silences;
    v[ROBO__ROBOT_DEVICE_FAULTS_TOTAL] = health.lost;
    v[ROBO__ROBOT_UNDERRUNS_TOTAL] = (double)health.underruns;
}

static void look_at_server(void *owner, const struct robo__url *url,
                           const struct robo__server_figures *f)
{
    char address[300];
    struct seen *s = add(owner);
    if (!s)
        return;
    snprintf(address, sizeof address, url->medium == ROBO__UNIX ? "%s" : "%s:%u", url->host,
             url->port);
    label(s->labels, "protocol", url->protocol->name);
    label(s->labels, "address", address);
    s->value[ROBO__CONNECTIONS] = (double)f->connections;
    s->value[ROBO__CONNECTIONS_TOTAL] = (double)f->came;
    s->value[ROBO__RECEIVED_BYTES_TOTAL] = (double)f->received;
    s->value[ROBO__SENT_BYTES_TOTAL] = (double)f->sent;
}

static void look_at_process(struct seen *s, const struct robo__host *host)
{
    struct robo__process p;
    robo__process_read(&p);
    s->value[ROBO__CONNECTIONS_REFUSED_TOTAL] = (double)host->refused;
    s->value[ROBO__PROCESS_CPU_SECONDS_TOTAL] = p.processor;
    s->value[ROBO__PROCESS_START_TIME_SECONDS] = p.started;
    s->value[ROBO__PROCESS_RESIDENT_MEMORY_BYTES] = (double)p.resident;
    s->value[ROBO__PROCESS_OPEN_FDS] = (double)p.files;
}

/* ---- writing ---- */

/* A sample; `more`: the value of a further label, or NULL. */
static void put(struct robo__json *text, const char *name, const char *end, const struct seen *s,
                const char *more, const char *of, double value)
{
    char labels[720], number[40];
    strcpy(labels, s->labels);
    if (more)
        label(labels, more, of);
    snprintf(number, sizeof number,
             value == floor(value) && fabs(value) < 1e15 ? " %.0f\n" : " %.15g\n", value);
    robo__json_put(text, name);
    robo__json_put(text, end);
    robo__json_put(text, labels[0] ? "{" : "");
    robo__json_put(text, labels);
    robo__json_put(text, labels[0] ? "}" : "");
    robo__json_put(text, number);
}

static void put_lateness(struct robo__json *text, const char *name, const struct seen *s)
{
    static const char *const bounds[ROBO__LATE] = { "1e-05", "0.0001", "0.001", "0.01",
                                                    "0.1",   "1",      "+Inf" };
    double sum = 0;
    for (int i = 0; i < ROBO__LATE; i++) {
        sum += (double)s->tally.late[i];
        put(text, name, "_bucket", s, "le", bounds[i], sum);
    }
    put(text, name, "_sum", s, NULL, NULL, s->tally.lateness);
    put(text, name, "_count", s, NULL, NULL, sum);
}

/* Commands of a robot by signal, by reason, and their lateness. */
static void put_tally(struct robo__json *text, int number, const struct seen *s)
{
    const char *name = robo__metrics[number].name;
    if (number == ROBO__COMMAND_LATENESS_SECONDS)
        put_lateness(text, name, s);
    for (int i = 1; number == ROBO__COMMANDS_TOTAL && i < 8; i++)
        put(text, name, "", s, "signal", robo_signal_name(i), (double)s->tally.signal[i]);
    for (int i = 1; number == ROBO__COMMAND_REASONS_TOTAL && i < ROBO__REASONS; i++)
        if (s->tally.reason[i] > 0)
            put(text, name, "", s, "reason", robo_reason_name(i), (double)s->tally.reason[i]);
}

/* The samples of one name stand together. */
static void put_metric(struct robo__json *text, int number, const struct list *list)
{
    const struct robo__metric *m = &robo__metrics[number];
    char head[400];
    snprintf(head, sizeof head, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
    robo__json_put(text, head);
    for (size_t i = 0; i < list->n; i++) {
        const struct seen *s = &list->of[i];
        if (!isnan(s->value[number]))
            put(text, m->name, "", s, NULL, NULL, s->value[number]);
        else if (s->robot)
            put_tally(text, number, s);
    }
    if (number == ROBO__BUILD_INFO)
        put(text, m->name, "", &(struct seen){ .labels = "" }, "version", ROBOTALK_VERSION, 1);
}

void robo__web_metrics(struct robo__json *text, const struct robo__host *host, robo_time now)
{
    struct list list = { 0 };
    struct seen *s = add(&list);
    uint64_t cursor = 0;
    if (s)
        look_at_process(s, host);
    for (robo_robot *r; s && (r = robo_next_robot(host->world, &cursor)) != NULL; robo_release(r))
        if ((s = add(&list)) != NULL)
            look_at_robot(s, r, now);
    robo__servers_each(host, look_at_server, &list);
    text->failed |= !s;
    for (int i = 0; i < ROBO__METRICS; i++)
        put_metric(text, i, &list);
    free(list.of);
}
