/* Queries of a client, answered at once (RoboTalk IV.A: priority 0). */
#include "server_session.h"
#include "configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/robot.h"
#include "base/time.h"
#include "robot/world.h"

static const robo_time LEAST_PERIOD = 1000000; /* of a broadcast: 1 ms */
/* WORK_MOST: of the queries of one package, in commands that a cancel looks through: some 10 ms. FRAME_WORK: of the pose of
 * a control frame, for each dof; READING_WORK: of a value of a sensor; LEASE_WORK: of a look at all leases of a robot.
 * READING_BYTES: of a reading without its values; RECORDED: readings of one answer to `record`. */
enum { WORK_MOST = 1 << 20, FRAME_WORK = 2, READING_WORK = 64, LEASE_WORK = 1 << 12 };
enum { READING_BYTES = 20, RECORDED = 64 };
static const char SERVER_NAME[] = "robotalk";

struct asked {
    struct robo__serve *serve;
    struct robo__server_session *server_session; /* NULL: none or unknown session */
    const struct robo_header *header;
    const struct robo_entry *entry;
    const struct robo_operation *op;
    robo_time now;
    char *text; /* of 128 bytes: words for a fault */
};

/* Charges work to the package, so that its queries cannot hold up other clients; false: its limit is reached. */
static bool spend(const struct asked *q, size_t work)
{
    q->serve->work += work;
    return q->serve->work <= WORK_MOST;
}

static const char UNTOLD[] = "the answer has a number that the wire cannot carry";

/* 0, or ROBO_ERANGE for what the wire cannot carry, such as a reading that is NaN. */
static int told(const struct asked *q, int error)
{
    if (error == ROBO_ERANGE)
        memcpy(q->text, UNTOLD, sizeof UNTOLD);
    return error;
}

static int answer(const struct asked *q, const void *msg)
{
    return told(q, robo_package_add(&q->serve->out, q->entry->op, q->entry->id, NULL, NULL,
                                    q->op->reply, msg));
}

/* In all versions hello begins with the range of versions. ROBO_EVERSION: ours is not in it, and the rest is not read. */
static int check_versions(const uint8_t *body, size_t n)
{
    return n >= 2 && (body[0] > ROBO_VERSION || body[1] < ROBO_VERSION) ? ROBO_EVERSION : 0;
}

bool robo__is_hello(const struct robo_header *header, const uint8_t *payload)
{
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    return header->type == ROBO_TYPE_QUERY &&
           robo_next_entry(payload, header->size, &at, &entry, &body) == 1 &&
           entry.op == ROBO_Q_HELLO;
}

static int on_hello(const struct asked *q, const struct robo_request_hello *request)
{
    const uint8_t most = robo__conn_admit(q->serve->conn, request->token);
    if (most == 0) {
        snprintf(q->text, 128, "%s",
                 request->token[0]
                     ? "it does not know the token"
                     : "it wants a token (--token-file FILE, or token=FILE behind the "
                       "address)");
        return ROBO_ETOKEN;
    }
    /* the role that it asks for, as far as it may; a number that is no role stands for the nearest one */
    const uint8_t asked = request->role < ROBO_ROLE_WATCH ? ROBO_ROLE_WATCH : request->role;
    q->serve->role = asked < most ? asked : most;
    q->serve->who.key = request->lease;
    q->serve->who.number = atomic_fetch_add(&q->serve->conn->host->world->connections, 1) + 1;
    q->serve->who.name = q->serve->name;
    memcpy(q->serve->name, request->name, sizeof q->serve->name);
    robo__conn_greeted(q->serve->conn);
    robo__serve_let_in(q->serve);
    struct robo_reply_hello a = { .version = ROBO_VERSION,
                                  .role = q->serve->role,
                                  .robots =
                                      (uint16_t)robo__world_count(q->serve->conn->host->world),
                                  .now = q->now };
    memcpy(a.name, SERVER_NAME, sizeof SERVER_NAME);
    return answer(q, &a);
}

/* The files of who may come in are read on this thread: they are few and small. */
static int on_lists(const struct asked *q)
{
    char why[256];
    unsigned ended = 0;
    if (q->serve->role < ROBO_ROLE_OPERATE)
        return ROBO_EROLE;
    int count = robo__host_read_lists(q->serve->conn->host, &ended, why);
    if (count < 0) {
        snprintf(q->text, 128, "%.127s", why);
        return count;
    }
    const struct robo_reply_lists a = { .addresses = (uint16_t)count, .ended = ended };
    return answer(q, &a);
}

static int on_robot(const struct asked *q, const struct robo_request_robot *request)
{
    robo_robot *robot = NULL;
    uint64_t cursor = 0;
    for (uint32_t i = 0; i <= request->index; i++) {
        robo_release(robot);
        robot = robo_next_robot(q->serve->conn->host->world, &cursor);
        if (!robot)
            return ROBO_ENONE;
    }
    struct robo_reply_robot a = { 0 };
    robo__robot_lock(robot);
    memcpy(a.name, robot->description->name, sizeof a.name);
    a.sessions = (uint16_t)(robot->session_count < UINT16_MAX ? robot->session_count : UINT16_MAX);
    a.panic = robo__robot_alarm(robot).panic != 0;
    robo__robot_unlock(robot);
    robo_release(robot);
    return answer(q, &a);
}

static int on_open(const struct asked *q, const struct robo_request_open *request)
{
    struct robo__serve *serve = q->serve;
    struct robo__host *host = serve->conn->host;
    size_t slot = 0;
    while (slot < ROBO__SERVER_SESSIONS && serve->server_session[slot])
        slot++;
    if (slot == ROBO__SERVER_SESSIONS)
        return ROBO_ELIMIT;
    struct robo__server_session *ss = calloc(1, sizeof *ss);
    if (!ss)
        return ROBO_ENOMEM;
    struct robo__session_request mode = { .name = request->mode,
                                          .options = request->options,
                                          .delay = request->delay,
                                          .duration = request->duration,
                                          .deadman = request->deadman,
                                          .gap = request->gap,
                                          .expiry = request->expiry,
                                          .jitter = request->jitter,
                                          .errors_only = request->errors != 0,
                                          .newest = request->newest != 0,
                                          .who = &serve->who,
                                          .traffic = &serve->conn->traffic };
    ss->serve = serve;
    ss->held_by = ROBO__NOBODY;
    ss->wakeup.run = robo__server_session_on_wakeup;
    ss->again.fire = robo__server_session_on_again;
    robo_robot *robot = robo_find(host->world, request->robot);
    int error = robot ? robo__session_open(robot, host->modes, &mode, robo__server_session_wake, ss,
                                           q->now, &ss->session, q->text)
                      : ROBO_ENONE;
    robo_release(robot);
    if (error < 0) {
        free(ss);
        return error;
    }
    serve->server_session[slot] = ss;
    ss->id = ++serve->last_session;

    robot = ss->session->robot;
    const struct robo__alarm alarm = robo__robot_alarm(robot);
    ss->epoch = alarm.epoch;
    ss->revision = robot->revisions->revision;
    ss->panic = alarm.panic != 0;
    const struct robo__session *s = ss->session;
    if (s->decision.hold)
        robo__conn_keep_traffic(serve->conn);
    const struct robo__news news = robo__session_news(ss->session, q->now);
    ss->stops = news.stops;
    ss->losses = news.loss.times;
    ss->override = 1;
    if (news.override != 1) /* a notice follows */
        robo__server_session_wake(ss->session);
    struct robo_reply_open a = { .session = ss->id,
                                 .epoch = ss->epoch,
                                 .stops = ss->stops,
                                 .panic = ss->panic,
                                 .blocking = s->decision.blocking,
                                 .holds = s->decision.hold,
                                 .buffered = s->buffered,
                                 .errors = s->errors_only,
                                 .deadman = s->deadman,
                                 .gap = s->gap,
                                 .expiry = s->expiry < 0 ? -1000 : s->expiry };
    memcpy(a.robot, robot->description->name, sizeof a.robot);
    return answer(q, &a);
}

static int on_sync(const struct asked *q, const struct robo_request_sync *request)
{
    struct robo_reply_sync a = { .sent = request->sent, .received = q->now };
    a.replied = robo_now(q->serve->conn->host->world);
    return answer(q, &a);
}

/* Room that the state of a robot takes, and the head of its entry. */
static size_t state_room(const robo_robot *robot, unsigned more)
{
    const struct robo_description *d = robo_robot_description(robot);
    const size_t each = 2 + (more & ROBO_MORE_FORCES ? 1 : 0), forces = more & ROBO_MORE_FORCES,
                 frames = more & ROBO_MORE_FRAMES ? 6 * sizeof(double) * d->frames : 0;
    return robo_state_message.fixed + (each * sizeof(double) + forces) * d->dofs + frames + 64;
}

/* Adds the state, and what more was asked for, as the answer to the query of that id. */
static int add_state(struct robo__serve *serve, robo_robot *robot, uint16_t op, uint32_t id,
                     unsigned more)
{
    if (more != 0) {
        struct robo_reply_state whole;
        robo_read_more(robot, more, &whole);
        return robo_package_add(&serve->out, op, id, NULL, NULL, &robo_reply_state_message, &whole);
    }
    struct robo_state state;
    robo_read(robot, &state);
    return robo_package_add(&serve->out, op, id, NULL, NULL, &robo_state_message, &state);
}

static int answer_state(const struct asked *q, unsigned more)
{
    robo_robot *robot = q->server_session->session->robot;
    const struct robo_description *d = robo_robot_description(robot);
    if (more & ROBO_MORE_FRAMES && !spend(q, (size_t)FRAME_WORK * d->frames * d->dofs))
        return ROBO_ELIMIT;
    return told(q, add_state(q->serve, robot, q->entry->op, q->entry->id, more));
}

/* ---- readings ---- */

static bool is_wanted(const struct robo_request_sense *request, unsigned sensor)
{
    return sensor / 8 < request->bytes && request->mask[sensor / 8] >> sensor % 8 & 1;
}

/* How many values the wanted sensors have; ROBO_ENONE: one of them is not there; ROBO_ELIMIT: too many for one answer. */
static int count_values(const struct robo_description *d, const struct robo_request_sense *request)
{
    unsigned values = 0;
    for (unsigned i = 0; i < 8u * request->bytes; i++) {
        if (!is_wanted(request, i))
            continue;
        if (i >= d->sensors)
            return ROBO_ENONE;
        values += robo_sensor_values(&d->sensor[i]);
    }
    return values > ROBO_MAX_READING ? ROBO_ELIMIT : (int)values;
}

static size_t readings_room(const struct robo_request_sense *request, size_t values)
{
    size_t sensors = 0;
    for (unsigned i = 0; i < 8u * request->bytes; i++)
        sensors += is_wanted(request, i);
    return 64 + sensors * READING_BYTES + values * sizeof(double);
}

static void look_at(robo_robot *robot, const struct robo_request_sense *request)
{
    struct robo__sensors wanted = { .bit = { 0 } };
    for (unsigned i = 0; i < ROBO_MAX_SENSORS; i++)
        if (is_wanted(request, i))
            wanted.bit[i / 64] |= UINT64_C(1) << i % 64;
    robo__readings_refresh(robot, &wanted);
}

/* Adds a reading of a sensor; ROBO_EFULL: there is no room for its values. */
static int put_reading(const robo_robot *robot, unsigned sensor, uint64_t number,
                       struct robo_reply_sense *a)
{
    struct robo_reading reading;
    const int there = robo__readings_take(robot, sensor, number, &reading, a->value + a->total,
                                          ROBO_MAX_READING - a->total);
    if (there < 0)
        return there;
    a->sensor[a->readings] = (uint16_t)sensor;
    a->number[a->readings] = reading.number;
    a->time[a->readings] = reading.time;
    a->values[a->readings++] = (uint16_t)reading.count;
    a->total = (uint16_t)(a->total + reading.count);
    return there;
}

/* The newest, as far as there are any. ROBO_ENONE: the robot was described anew and lacks one. */
static int find_readings(robo_robot *robot, const struct robo_request_sense *request,
                         struct robo_reply_sense *a)
{
    int error = 0;
    a->readings = a->total = 0;
    look_at(robot, request);
    for (unsigned i = 0; error >= 0 && i < ROBO_MAX_SENSORS; i++)
        if (is_wanted(request, i))
            error = put_reading(robot, i, 0, a);
    return error < 0 ? ROBO_ENONE : 0;
}

static uint64_t numbers_of(const struct robo_reply_sense *a)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < a->readings; i++)
        sum += a->number[i];
    return sum;
}

/* Whether these sensors can be asked for, and the work. */
static int check_sense(const struct asked *q, const struct robo_request_sense *request)
{
    const int values =
        count_values(robo_robot_description(q->server_session->session->robot), request);
    if (values < 0)
        return values;
    return spend(q, (size_t)READING_WORK * (unsigned)values) ? 0 : ROBO_ELIMIT;
}

static int on_sense(const struct asked *q, const struct robo_request_sense *request)
{
    struct robo_reply_sense a;
    int error = check_sense(q, request);
    if (error >= 0)
        error = find_readings(q->server_session->session->robot, request, &a);
    return error < 0 ? error : answer(q, &a);
}

/* What the ring of a sensor has, from one on. The values of all are bound by what an answer holds. */
static int on_recorded(const struct asked *q, const struct robo_request_record *request)
{
    robo_robot *robot = q->server_session->session->robot;
    struct robo_request_sense one = { .bytes = (uint8_t)(request->sensor / 8 + 1) };
    struct robo_reply_sense a = { .readings = 0 };
    uint64_t next = request->after + 1;
    if (request->sensor >= ROBO_MAX_SENSORS || next == 0)
        return ROBO_ENONE;
    one.mask[request->sensor / 8] = (uint8_t)(1 << request->sensor % 8);
    if (!spend(q, (size_t)READING_WORK * ROBO_MAX_READING))
        return ROBO_ELIMIT;
    look_at(robot, &one);
    while (a.readings < RECORDED) {
        const int there = put_reading(robot, request->sensor, next, &a);
        if (there < 0 && there != ROBO_EFULL)
            return there;
        if (there <= 0)
            break;
        next = a.number[a.readings - 1] + 1;
    }
    if (a.readings > 0 && a.number[a.readings - 1] == 0)
        a.readings--; /* none has come since */
    return answer(q, &a);
}

/* Tells a watch what is new, if anything is. One whose sensors are gone is over. */
static void tell_watch(struct robo__broadcast *b, robo_time now)
{
    struct robo__server_session *ss = b->server_session;
    struct robo__serve *serve = ss->serve;
    struct robo_reply_sense a;
    int error = find_readings(ss->session->robot, &b->wanted, &a);
    if (error >= 0 && numbers_of(&a) == b->told)
        return;
    b->told = error < 0 ? 0 : numbers_of(&a);
    if (error >= 0 &&
        robo__serve_begin(serve, ROBO_HEADER_SIZE + readings_room(&b->wanted, a.total))) {
        error =
            robo_package_add(&serve->out, b->op, b->id, NULL, NULL, &robo_reply_sense_message, &a);
        robo__serve_end(serve, ROBO_TYPE_REPLY, ss, 0, now);
    }
    if (error < 0) {
        robo__timer_stop(serve->conn->host->timers, &b->timer);
        b->server_session = NULL;
        robo__serve_fault(serve, &(struct robo_header){ .session = ss->id }, error, b->id, 0,
                          error == ROBO_ERANGE ? UNTOLD : "the robot was described anew", now);
    }
    robo__conn_kick(serve->conn);
}

static void on_broadcast_due(struct robo__timer *timer, robo_time now)
{
    struct robo__broadcast *b = robo__container_of(timer, struct robo__broadcast, timer);
    struct robo__server_session *ss = b->server_session;
    struct robo__serve *serve = ss->serve;
    /* the next answer is due a period later (V.D); periods that have passed are left out */
    robo_time next = timer->due + b->period;
    if (next <= now)
        next = now + b->period;
    robo__timer_start(serve->conn->host->timers, timer, next);
    size_t waiting;
    robo__conn_output(serve->conn, &waiting);
    if (waiting > ROBO__CONN_BUSY)
        return;
    if (b->op == ROBO_Q_WATCH) {
        tell_watch(b, now);
        return;
    }
    robo_robot *robot = ss->session->robot;
    if (robo__serve_begin(serve, ROBO_HEADER_SIZE + state_room(robot, b->more))) {
        int error = add_state(serve, robot, ROBO_Q_BROADCAST, b->id, b->more);
        robo__serve_end(serve, ROBO_TYPE_REPLY, ss, 0, now);
        if (error < 0)
            robo__serve_fault(serve, &(struct robo_header){ .session = ss->id }, error, b->id, 0,
                              UNTOLD, now);
    }
    robo__conn_kick(serve->conn);
}

/* A place for a broadcast of that period, which begins when its first answer was given; NULL, and why. */
static struct robo__broadcast *broadcast_place(const struct asked *q, robo_time period, int *error)
{
    struct robo__broadcast *place = NULL;
    *error = period < LEAST_PERIOD || period > ROBO__HORIZON ? ROBO_ERANGE : ROBO_ELIMIT;
    for (size_t i = 0; *error != ROBO_ERANGE && i < ROBO__BROADCASTS; i++) {
        struct robo__broadcast *b = &q->server_session->broadcast[i];
        if (!b->server_session) {
            place = b;
        } else if (b->id == q->entry->id) {
            *error =
                ROBO_EEXISTS; /* the client could not tell its answers from those of the other */
            return NULL;
        }
    }
    return place;
}

static void begin_broadcast(const struct asked *q, struct robo__broadcast *b,
                            struct robo__broadcast what)
{
    *b = what;
    b->server_session = q->server_session;
    b->id = q->entry->id;
    b->op = q->entry->op;
    b->timer.fire = on_broadcast_due;
    robo__timer_start(q->serve->conn->host->timers, &b->timer, q->now + b->period);
}

static int on_broadcast(const struct asked *q, const struct robo_request_broadcast *request)
{
    int error;
    struct robo__broadcast *b = broadcast_place(q, request->period, &error);
    if (!b)
        return error;
    error = answer_state(q, request->more);
    if (error >= 0)
        begin_broadcast(
            q, b, (struct robo__broadcast){ .period = request->period, .more = request->more });
    return error < 0 ? error : 0;
}

static int on_watch(const struct asked *q, const struct robo_request_watch *request)
{
    int error;
    struct robo_request_sense wanted = { .bytes = request->bytes };
    struct robo_reply_sense a;
    struct robo__broadcast *b = broadcast_place(q, request->period, &error);
    if (!b)
        return error;
    memcpy(wanted.mask, request->mask, request->bytes);
    error = check_sense(q, &wanted);
    if (error >= 0)
        error = find_readings(q->server_session->session->robot, &wanted, &a);
    if (error >= 0)
        error = answer(q, &a);
    if (error >= 0)
        begin_broadcast(q, b,
                        (struct robo__broadcast){
                            .period = request->period, .wanted = wanted, .told = numbers_of(&a) });
    return error < 0 ? error : 0;
}

static int on_broadcast_cancel(const struct asked *q,
                               const struct robo_request_broadcast_cancel *request)
{
    for (size_t i = 0; i < ROBO__BROADCASTS; i++) {
        struct robo__broadcast *b = &q->server_session->broadcast[i];
        if (!b->server_session || b->id != request->broadcast)
            continue;
        robo__timer_stop(q->serve->conn->host->timers, &b->timer);
        b->server_session = NULL;
        return answer(q, NULL);
    }
    return ROBO_ENONE;
}

static int on_describe(const struct asked *q)
{
    const struct robo__revision *revision = q->server_session->session->robot->revisions;
    const struct robo_description *d = robo_body_description(revision->body);
    struct robo_reply_describe a = { .links = d->links,
                                     .joints = d->joints,
                                     .frames = d->frames,
                                     .dofs = d->dofs,
                                     .commands = d->commands,
                                     .deadman = d->deadman,
                                     .revision = revision->revision };
    memcpy(a.name, d->name, sizeof a.name);
    memcpy(a.model, d->model, sizeof a.model);
    return answer(q, &a);
}

/* One record of the description. */
static int on_record(const struct asked *q, unsigned number)
{
    const struct robo_description *d = robo_robot_description(q->server_session->session->robot);
    switch (q->entry->op) {
    case ROBO_Q_JOINT:
        if (number >= d->joints)
            return ROBO_ENONE;
        return answer(q, &d->joint[number]);
    case ROBO_Q_DOF:
        if (number >= d->dofs)
            return ROBO_ENONE;
        return answer(q, &d->dof[number]);
    case ROBO_Q_LINK:
        if (number >= d->links)
            return ROBO_ENONE;
        return answer(q, &d->link[number]);
    default:
        if (number >= d->frames)
            return ROBO_ENONE;
        return answer(q, &d->frame[number]);
    }
}

/* A piece of the configuration block. The block is encoded again for each piece, since clients ask for it seldom. */
static int on_configuration(const struct asked *q, const struct robo_request_configuration *request)
{
    const struct robo__revision *revision = q->server_session->session->robot->revisions;
    const struct robo_description *d = robo_body_description(revision->body);
    size_t size = robo__configuration_size(d);
    struct robo_reply_configuration *a = calloc(1, sizeof *a);
    uint8_t *block = malloc(size);
    int error = a && block ? 0 : ROBO_ENOMEM;
    if (error == 0 && !spend(q, size))
        error = ROBO_ELIMIT;
    if (error == 0) {
        ptrdiff_t used = robo__configuration_encode(d, block, size, NULL);
        error = used < 0 ? (int)used : request->offset > size ? ROBO_ERANGE : 0;
    }
    if (error == 0) {
        size_t left = size - request->offset;
        a->revision = revision->revision;
        a->size = (uint32_t)size;
        a->count = (uint16_t)(left < sizeof a->bytes ? left : sizeof a->bytes);
        memcpy(a->bytes, block + request->offset, a->count);
        error = answer(q, a);
    }
    free(block);
    free(a);
    return error;
}

static int on_reload(const struct asked *q, const struct robo_request_reload *request)
{
    struct robo_reply_reload a;
    if (q->serve->role < ROBO_ROLE_OPERATE)
        return ROBO_EROLE;
    if (!spend(q, LEASE_WORK))
        return ROBO_ELIMIT;
    if (robo__lease_elsewhere(q->server_session->session, q->now))
        return ROBO_ELEASE;
    int answered = robo__serve_reload(q->serve, q->server_session, q->header, q->entry->id, request,
                                      &a, q->text);
    return answered > 0 ? answer(q, &a) : answered;
}

static int on_bus(const struct asked *q)
{
    struct robo_reply_bus a;
    int error = robo__robot_bus(q->server_session->session->robot, &a);
    return error < 0 ? error : answer(q, &a);
}

static int on_holder(const struct asked *q, const struct robo_request_holder *request)
{
    struct robo_reply_holder a;
    const struct robo__session *session = q->server_session->session;
    if (!spend(q, LEASE_WORK))
        return ROBO_ELIMIT;
    return robo__lease_list(session, request->index, q->now, &a) ? answer(q, &a) : ROBO_ENONE;
}

static int on_take(const struct asked *q, const struct robo_request_take *request)
{
    struct robo_reply_take a = { 0 };
    if (q->serve->role < ROBO_ROLE_DRIVE ||
        (request->force && !(q->serve->takeover && q->serve->role >= ROBO_ROLE_OPERATE)))
        return ROBO_EROLE;
    if (!spend(q, LEASE_WORK))
        return ROBO_ELIMIT;
    struct robo__session *session = q->server_session->session;
    a.state = (uint8_t)robo__takeover(session, request, request->force != 0, q->now, &a.holder);
    if (a.state >= ROBO__ASKED)
        robo__lease_name(session->robot, a.holder, a.name);
    return answer(q, &a);
}

static int on_give(const struct asked *q, const struct robo_request_give *request)
{
    struct robo__session *session = q->server_session->session;
    if (!spend(q, LEASE_WORK))
        return ROBO_ELIMIT;
    if (!robo__takeover_answer(session, request->holder, request->give != 0, q->now))
        return ROBO_ENONE;
    robo__server_session_wake(session); /* what it has lost by that */
    return answer(q, NULL);
}

static int on_override(const struct asked *q, const struct robo_request_override *request)
{
    robo_robot *robot = q->server_session->session->robot;
    if (q->serve->role < ROBO_ROLE_DRIVE)
        return ROBO_EROLE;
    if (!spend(q, robo__override_work(robot)))
        return ROBO_ELIMIT;
    /* anybody who drives may slow a robot down; whoever drives this one now, makes it faster */
    if (request->share > robo__override_share(robot) &&
        robo__lease_elsewhere(q->server_session->session, q->now))
        return ROBO_ELEASE;
    int error = robo__override_set(robot, request->share);
    return error < 0 ? error : answer(q, NULL);
}

/* Queries of a session. */
static int work_session_query(const struct asked *q, const void *request)
{
    if (!q->server_session)
        return ROBO_ENONE;
    struct robo__session *session = q->server_session->session;
    struct robo_reply_cancel cancelled;
    struct robo_reply_status status;
    struct robo_reply_pauses pauses;
    switch (q->entry->op) {
    case ROBO_Q_CLOSE:
        robo__server_session_close(q->serve, q->server_session);
        return answer(q, NULL);
    case ROBO_Q_STATE: return answer_state(q, ((const struct robo_request_state *)request)->more);
    case ROBO_Q_SENSE: return on_sense(q, request);
    case ROBO_Q_WATCH: return on_watch(q, request);
    case ROBO_Q_RECORD: return on_recorded(q, request);
    case ROBO_Q_BROADCAST: return on_broadcast(q, request);
    case ROBO_Q_BROADCAST_CANCEL: return on_broadcast_cancel(q, request);
    case ROBO_Q_CANCEL:
        if (!spend(q, robo__session_waiting(session)))
            return ROBO_ELIMIT;
        cancelled.count = robo__session_cancel(
            session, ((const struct robo_request_cancel *)request)->command, q->now);
        return answer(q, &cancelled);
    case ROBO_Q_STATUS: robo__session_status(session, &status); return answer(q, &status);
    case ROBO_Q_OVERRIDE: return on_override(q, request);
    case ROBO_Q_HOLDER: return on_holder(q, request);
    case ROBO_Q_TAKE: return on_take(q, request);
    case ROBO_Q_GIVE: return on_give(q, request);
    case ROBO_Q_PAUSES: robo__session_pauses(session, &pauses); return answer(q, &pauses);
    case ROBO_Q_FINISH: robo__session_finish(session, q->now); return answer(q, NULL);
    case ROBO_Q_DESCRIBE: return on_describe(q);
    case ROBO_Q_BUS: return on_bus(q);
    case ROBO_Q_CONFIGURATION: return on_configuration(q, request);
    case ROBO_Q_RELOAD: return on_reload(q, request);
    case ROBO_Q_JOINT:
    case ROBO_Q_DOF:
    case ROBO_Q_LINK:
    case ROBO_Q_FRAME: return on_record(q, *(const uint16_t *)request);
    default: return ROBO_EOP;
    }
}

static int work_query(struct asked *q, const void *request)
{
    q->server_session = robo__server_session_find(q->serve, q->header->session);
    switch (q->entry->op) {
    case ROBO_Q_HELLO: return on_hello(q, request);
    case ROBO_Q_ROBOT: return on_robot(q, request);
    case ROBO_Q_OPEN: return on_open(q, request);
    case ROBO_Q_SYNC: return on_sync(q, request);
    case ROBO_Q_LISTS: return on_lists(q);
    case ROBO_Q_SCRIPT:
    case ROBO_Q_SCRIPT_START:
    case ROBO_Q_SCRIPT_STOP:
    case ROBO_Q_SCRIPT_RELOAD:
        return robo__serve_script(q->serve, q->header, q->entry->id, q->op, request);
    default: return work_session_query(q, request);
    }
}

/* Answers all commands of a session before its close is answered. */
static void end_session(struct robo__serve *serve, uint32_t session, robo_time now)
{
    struct robo__server_session *ss = robo__server_session_find(serve, session);
    if (!ss)
        return;
    robo__session_end(ss->session, now);
    robo__server_session_all_results(ss, now);
}

/* Likewise of readings. */
static size_t sense_room(const robo_robot *robot, uint16_t op, const void *request)
{
    const struct robo_request_watch *watch = request;
    struct robo_request_sense wanted = { .bytes = 0 };
    if (op == ROBO_Q_RECORD)
        return 64 + READING_BYTES * RECORDED + sizeof(double) * ROBO_MAX_READING;
    if (op == ROBO_Q_SENSE) {
        wanted = *(const struct robo_request_sense *)request;
    } else {
        wanted.bytes = watch->bytes;
        memcpy(wanted.mask, watch->mask, watch->bytes);
    }
    const int values = count_values(robo_robot_description(robot), &wanted);
    return readings_room(&wanted, values > 0 ? (size_t)values : 0);
}

/* Room that the reply to a query takes, and the head of its entry. */
static size_t reply_room(struct robo__serve *serve, uint32_t session,
                         const struct robo_operation *op, const void *request)
{
    const struct robo__server_session *of = robo__server_session_find(serve, session);
    if (of && op->reply == &robo_reply_sense_message)
        return sense_room(of->session->robot, op->op, request);
    if (op->reply != &robo_reply_state_message || !of)
        return op->reply->size + 64;
    return state_room(of->session->robot,
                      op->op == ROBO_Q_STATE
                          ? ((const struct robo_request_state *)request)->more
                          : ((const struct robo_request_broadcast *)request)->more);
}

/* Each query has a reply package of its own, which keeps the bound of its size simple. */
void robo__serve_queries(struct robo__serve *serve, const struct robo_header *header,
                         const uint8_t *payload, robo_time now)
{
    union {
        struct robo_request_hello hello;
        struct robo_request_open open;
        struct robo_request_reload reload; /* the largest */
    } request;
    size_t at = 0, offset = 0;
    struct robo_entry entry;
    const uint8_t *body;
    serve->work = 0;
    while (robo_next_entry(payload, header->size, &at, &entry, &body) == 1) {
        const char *field = NULL;
        char text[128] = "";
        const struct robo_operation *op = robo_operation_find(robo__queries, entry.op);
        int error = op ? 0 : robo_operation_find(robo__commands, entry.op) ? ROBO_EMIXED : ROBO_EOP;
        if (op && entry.id == 0) {
            error = ROBO_EINVAL;
            field = "id: 0 is none";
        } else if (op && (serve->role != 0) == (op->op == ROBO_Q_HELLO)) {
            error = ROBO_EINVAL;
            field = "hello comes first, and once";
        } else if (op && op->op == ROBO_Q_HELLO && check_versions(body, entry.size) < 0) {
            error = ROBO_EVERSION;
        } else if (op) {
            memset(&request, 0, op->request->size);
            error = robo_message_decode_body(op->request, body, entry.size, &request, &field);
        }
        uint32_t session = header->session;
        /* the results of a session that closes may need more than half of the output buffer */
        size_t most = op && op->op == ROBO_Q_CLOSE ? ROBO__CONN_OUT : ROBO__CONN_MOST / 2;
        if (!error && serve->conn->out_count > most) {
            error = ROBO_ELIMIT;
            field = "one package asks for more than the client has read";
        }
        if (!error && op->op == ROBO_Q_CLOSE)
            end_session(serve, session, now);
        if (!error &&
            robo__serve_begin(serve, ROBO_HEADER_SIZE + reply_room(serve, session, op, &request))) {
            struct asked q = { .serve = serve,
                               .header = header,
                               .entry = &entry,
                               .op = op,
                               .now = now,
                               .text = text };
            error = work_query(&q, &request);
            /* the header of the reply names the session; the query may have closed it */
            struct robo__server_session *ss = robo__server_session_find(serve, session);
            robo__serve_end(serve, ROBO_TYPE_REPLY, ss, header->id, now);
            /* these write packages of their own, which follow the reply */
            if (ss && op->op == ROBO_Q_FINISH)
                robo__server_session_arm(ss, now);
            if (ss)
                robo__server_session_results(ss, now);
        }
        if (error == ROBO_EMIXED)
            robo__serve_unread(serve, header, &entry, error, ROBO_HEADER_SIZE + offset, now);
        else if (error < 0)
            robo__serve_fault(serve, header, error, entry.id, ROBO_HEADER_SIZE + offset,
                              text[0] ? text : field, now);
        if (error == ROBO_EVERSION || error == ROBO_ETOKEN)
            serve->conn->closing = true;
        offset = at;
    }
}
