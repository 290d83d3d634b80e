/* The life of a play: objects are assigned, the lease of the robot is taken and kept, bytes come in, and it ends. */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "body/revision.h"
#include "session_state.h"
#include "robot/robot.h"

static const robo_time SECOND = 1000000000;
static const double RATE = 20, LEAST_RATE = 0.1, MOST_RATE = 1000; /* of outputs, 1/s */
enum { RENEWALS = 3 };                                             /* in one lease time */

static void on_wakeup(struct robo__wakeup *wakeup, robo_time now);
static void on_silence(struct robo__timer *timer, robo_time now);
static void on_permit(struct robo__timer *timer, robo_time now);
static void on_renew(struct robo__timer *timer, robo_time now);

/* ---- begin and end ---- */

/* Lists the types of all parameters, for layouts to point to. */
static bool list_types(struct robo__rctp_session *play)
{
    size_t count = 0, at = 0;
    for (unsigned i = 0; i < play->objects->count; i++)
        count += play->objects->object[i].parameters;
    play->types = malloc(count + 1);
    for (unsigned i = 0; play->types && i < play->objects->count; i++)
        for (unsigned k = 0; k < play->objects->object[i].parameters; k++)
            play->types[at++] = (uint8_t)play->objects->object[i].parameter[k].type;
    return play->types != NULL;
}

static const uint8_t *types_of(const struct robo__rctp_session *play,
                               const struct robo__rcml_object *object)
{
    const uint8_t *type = play->types;
    for (const struct robo__rcml_object *o = play->objects->object; o < object; o++)
        type += o->parameters;
    return type;
}

static void free_play(struct robo__rctp_session *play)
{
    robo__rcml_objects_free(play->objects);
    robo_release(play->robot);
    free(play->types);
    free(play);
}

int robo__rctp_session_open(struct robo__conn *conn, const char *robot,
                            const struct robo__rcml_group *inputs, struct robo__rctp_session **out)
{
    uint64_t cursor = 0;
    robo_robot *found = robot[0] ? robo_find(conn->host->world, robot)
                                 : robo_next_robot(conn->host->world, &cursor);
    if (!found)
        return ROBO_ENONE;
    struct robo__rctp_session *play = calloc(1, sizeof *play);
    if (!play) {
        robo_release(found);
        return ROBO_ENOMEM;
    }
    const struct robo__alarm alarm = robo__robot_alarm(found);
    play->conn = conn;
    play->robot = found;
    const struct robo__revision *revision = found->revisions; /* kept as long as the robot */
    play->revision = revision->revision;
    play->description = &revision->body->description;
    play->epoch = alarm.epoch;
    play->panic = alarm.panic != 0;
    play->wakeup.run = on_wakeup;
    play->silence.fire = on_silence;
    play->permit.fire = on_permit;
    play->renew.fire = on_renew;
    play->outputs.fire = robo__rctp_on_outputs;
    play->objects = robo__rcml_objects_make(revision->body, inputs);
    if (!play->objects || !list_types(play)) {
        free_play(play);
        return ROBO_ENOMEM;
    }
    *out = play;
    return 0;
}

const struct robo__rcml_objects *robo__rctp_session_objects(const struct robo__rctp_session *play)
{
    return play->objects;
}

static void stop_timers(struct robo__rctp_session *play)
{
    struct robo__timers *timers = play->conn->host->timers;
    robo__timer_stop(timers, &play->silence);
    robo__timer_stop(timers, &play->permit);
    robo__timer_stop(timers, &play->outputs);
    robo__timer_stop(timers, &play->renew);
}

static void close_session(struct robo__rctp_session *play)
{
    if (play->session)
        robo__session_close(play->session);
    play->session = NULL;
    play->controls = false;
}

void robo__rctp_session_close(struct robo__rctp_session *play)
{
    if (!play)
        return;
    stop_timers(play);
    robo__datagram_close(&play->datagram);
    close_session(play);
    play->conn = NULL;
    if (!atomic_load(&play->wakeup.posted))
        free_play(play);
}

void robo__rctp_session_end(struct robo__rctp_session *play, uint16_t code, const char *text)
{
    if (play->over)
        return;
    play->over = true;
    robo__rctp_send_status(play, 0, 0, code, text);
    stop_timers(play);
    close_session(play); /* what it moves stops now, whenever the client reads this */
    play->conn->closing = true;
}

void robo__rctp_session_send_last(struct robo__rctp_session *play, uint16_t code, const char *text,
                                  robo_time now)
{
    (void)now;
    if (play && play->live && !play->over)
        robo__rctp_send_status(play, 0, 0, code, text);
}

/* ---- what the robot says ---- */

static void wake(struct robo__session *session)
{
    struct robo__rctp_session *play = session->owner;
    robo__wakeup_post(&play->conn->host->mailbox, &play->wakeup);
}

static void on_wakeup(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__rctp_session *play = robo__container_of(wakeup, struct robo__rctp_session, wakeup);
    if (!play->conn) {
        free_play(play);
        return;
    }
    if (!play->session || !play->live)
        return; /* what is new before GO is told then */
    struct robo__conn *conn = play->conn;
    robo__rctp_send_news(play, now);
    robo__conn_kick(conn); /* this may free the play */
}

/* ---- objects ---- */

static bool open_session(struct robo__rctp_session *play, robo_time now)
{
    char text[128];
    struct robo__identity who = { .name = play->name };
    if (play->session)
        return true;
    if (play->number == 0)
        play->number = atomic_fetch_add(&play->conn->host->world->connections, 1) + 1;
    snprintf(play->name, sizeof play->name, "RCTP client %u", (unsigned)play->number);
    who.number = play->number;
    const struct robo__session_request direct = { .who = &who };
    if (robo__session_open(play->robot, NULL, &direct, wake, play, now, &play->session, text) < 0)
        return false;
    const struct robo__news news = robo__session_news(play->session, now);
    play->stops = news.stops;
    play->losses = news.loss.times;
    return true;
}

/* Takes the whole robot's lease, or renews it; false: another client has some of it. */
static bool take_lease(struct robo__rctp_session *play, robo_time now)
{
    static const struct robo_request_take everything;
    struct robo_reply_take reply;
    if (robo__lease_elsewhere(play->session, now))
        return false;
    return robo__takeover(play->session, &everything, false, now, &reply) == 0 &&
           (reply.state == ROBO__TAKEN || reply.state == ROBO__TAKEN_BRAKING);
}

static void arm_renewal(struct robo__rctp_session *play, robo_time now)
{
    robo__timer_start(play->conn->host->timers, &play->renew,
                      now + robo__lease_time(play->robot) / RENEWALS + 1);
}

void robo__rctp_lose_control(struct robo__rctp_session *play)
{
    struct robo__timers *timers = play->conn->host->timers;
    play->controls = false;
    robo__rctp_base_rests(play);
    robo__timer_stop(timers, &play->renew); /* it is not taken back */
    robo__timer_stop(timers, &play->silence);
    robo__rctp_send_status(play, 0, 0, 409, "lease: another client has taken control");
}

/* Hears whether another client has taken control since, and has perhaps given it back already. */
static void look_for_loss(struct robo__rctp_session *play, robo_time now)
{
    if (play->live)
        robo__rctp_send_news(play, now);
    else if (play->controls && robo__session_news(play->session, now).loss.times != play->losses)
        robo__rctp_lose_control(play);
}

/* A client controls the robot as long as its session lasts, not only while something moves. */
static void on_renew(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_session *play = robo__container_of(timer, struct robo__rctp_session, renew);
    struct robo__conn *conn = play->conn;
    look_for_loss(play, now);
    if (play->controls && take_lease(play, now))
        arm_renewal(play, now);
    else if (play->controls)
        robo__rctp_lose_control(play);
    robo__conn_kick(conn); /* this may free the play */
}

/* What takes no lease: texts by which also those who watch may stop the robot. */
static bool needs_control(const struct robo__rcml_object *object)
{
    return !object->output && object->part != ROBO__RCML_COMMAND;
}

static uint8_t number_of(const struct robo__rctp_session *play,
                         const struct robo__rcml_object *object)
{
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++)
        if (play->object[id] == object)
            return (uint8_t)id;
    return 0;
}

/* The lowest number that is free: there are as many as objects. */
static uint8_t give_number(struct robo__rctp_session *play, const struct robo__rcml_object *object)
{
    static const uint8_t kinds[] = { [ROBO__RCML_CONTROL] = ROBO_RCTP_CONTROL,
                                     [ROBO__RCML_TEXT] = ROBO_RCTP_TEXT,
                                     [ROBO__RCML_BINARY] = ROBO_RCTP_BINARY };
    uint8_t id = number_of(play, NULL);
    play->object[id] = object;
    play->told[id] = 0;
    play->layout[id] = (struct robo_rctp_layout){ .kind = kinds[object->kind],
                                                  .stamp_size = object->group.stamp_size,
                                                  .masked = object->group.mask,
                                                  .parameters = object->parameters,
                                                  .type = types_of(play, object) };
    play->assigned++;
    play->inputs += needs_control(object);
    return id;
}

/* What keeps a client from an object; 0: nothing does, and it has what it needs. */
static uint16_t check(struct robo__rctp_session *play, const struct robo__rcml_object *object,
                      robo_time now)
{
    if (play->revision != play->robot->revisions->revision || !open_session(play, now) ||
        robo__session_gone(play->session))
        return 503;
    look_for_loss(play, now);
    if (!needs_control(object) || play->controls)
        return 0;
    if (robo__conn_role(play->conn) < ROBO_ROLE_DRIVE)
        return 403;
    if (robo__robot_alarm(play->robot).panic)
        return 503;
    if (!take_lease(play, now))
        return 409;
    play->controls = true;
    const struct robo__news news = robo__session_news(play->session, now);
    play->losses = news.loss.times; /* what others did before is none of its own */
    play->stops = news.stops;
    arm_renewal(play, now);
    return 0;
}

struct robo__rctp_assigned robo__rctp_session_assign(struct robo__rctp_session *play,
                                                     const char *name, robo_time now)
{
    struct robo__rctp_assigned a = { .code = 404, .object = robo__rcml_find(play->objects, name) };
    if (!a.object)
        return a;
    a.id = number_of(play, a.object);
    a.code = a.id && !needs_control(a.object) ? 0 : check(play, a.object, now);
    a.panic = a.code == 503 && robo__robot_alarm(play->robot).panic;
    if (a.code != 0)
        return a;
    a.code = 201;
    if (a.id == 0)
        a.id = give_number(play, a.object);
    a.controls = !a.object->output && play->controls;
    return a;
}

void robo__rctp_session_holder(struct robo__rctp_session *play, char name[ROBO__HOLDER_NAME],
                               robo_time *left, robo_time now)
{
    struct robo_reply_holder holder;
    name[0] = 0;
    *left = 0;
    for (unsigned i = 0; play->session && robo__lease_list(play->session, i, now, &holder); i++) {
        if (holder.own || holder.left < *left)
            continue;
        memcpy(name, holder.name, sizeof holder.name);
        *left = holder.left;
    }
}

uint16_t robo__rctp_session_release(struct robo__rctp_session *play, const char *name,
                                    robo_time now)
{
    static const struct robo_request_release everything;
    const struct robo__rcml_object *object = robo__rcml_find(play->objects, name);
    const uint8_t id = object ? number_of(play, object) : 0;
    if (id == 0)
        return 404;
    play->object[id] = NULL;
    play->layout[id] = (struct robo_rctp_layout){ .kind = 0 };
    play->assigned--;
    play->inputs -= needs_control(object);
    if (play->controls && play->inputs == 0) {
        play->controls = false;
        robo__timer_stop(play->conn->host->timers, &play->renew);
        robo__takeover_release(play->session, &everything, now);
    }
    return 201;
}

void robo__rctp_session_values(struct robo__rctp_session *play,
                               const struct robo__rcml_object *object, double *values)
{
    robo__rctp_read_object(play, object, values);
}

/* ---- the live session ---- */

uint16_t robo__rctp_session_may_go(const struct robo__rctp_session *play,
                                   const struct robo__rctp_go *wish)
{
    for (unsigned id = 1; wish->bare && id <= ROBO__RCML_OBJECTS; id++)
        if (play->object[id] && play->layout[id].kind != ROBO_RCTP_CONTROL)
            return 406;
    return play->assigned > 0 ? 201 : 412;
}

/* The group that all inputs share. */
static struct robo__rcml_group rules_of(const struct robo__rctp_session *play)
{
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++)
        if (play->object[id] && !play->object[id]->output &&
            play->layout[id].kind == ROBO_RCTP_CONTROL)
            return play->object[id]->group;
    return robo__rcml_group_default;
}

static bool has_outputs(const struct robo__rctp_session *play)
{
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++)
        if (play->object[id] && play->object[id]->output &&
            play->layout[id].kind == ROBO_RCTP_CONTROL)
            return true;
    return false;
}

static void arm_silence(struct robo__rctp_session *play)
{
    const robo_time due = play->controls ? robo__rctp_intervals_due(&play->intervals) : ROBO_NEVER;
    if (due == ROBO_NEVER || robo__timer_is_for(&play->silence, due))
        return;
    robo__timer_start(play->conn->host->timers, &play->silence, due);
}

void robo__rctp_session_heard(struct robo__rctp_session *play)
{
    if (!play->over)
        arm_silence(play);
}

/* It is armed for what was due when it was; what has come since puts it off. */
static void on_silence(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_session *play = robo__container_of(timer, struct robo__rctp_session, silence);
    struct robo__conn *conn = play->conn;
    if (now < robo__rctp_intervals_due(&play->intervals)) {
        arm_silence(play);
        return;
    }
    robo__rctp_session_end(play, 410, "nothing has come for longer than command_interval allows");
    robo__conn_kick(conn);
}

static void on_permit(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_session *play = robo__container_of(timer, struct robo__rctp_session, permit);
    struct robo__conn *conn = play->conn;
    robo__rctp_send_permission(play, now);
    robo__conn_kick(conn);
}

void robo__rctp_session_go(struct robo__rctp_session *play, const struct robo__rctp_go *wish,
                           robo_time now)
{
    const struct robo__rcml_group rules = rules_of(play);
    play->wish = *wish;
    if (!(play->wish.rate > 0)) /* NaN, too */
        play->wish.rate = RATE;
    if (play->wish.rate < LEAST_RATE)
        play->wish.rate = LEAST_RATE;
    if (play->wish.rate > MOST_RATE)
        play->wish.rate = MOST_RATE;
    play->live = true;
    robo__rctp_intervals_begin(&play->intervals, &rules, now);
    if (play->session)
        robo__session_heard(play->session, ROBO_NO_TIME, now);
    arm_silence(play);
    if (has_outputs(play))
        robo__timer_start(play->conn->host->timers, &play->outputs,
                          now + (robo_time)((double)SECOND / play->wish.rate));
    if (play->inputs > 0 && !play->controls && play->session) { /* lost since it was assigned */
        play->losses = robo__session_news(play->session, now).loss.times;
        robo__rctp_lose_control(play);
    }
    robo__rctp_send_news(play, now);
}

/* Bytes of the first frame, 0: it is not complete; then the frame was worked on. */
static size_t feed_frame(struct robo__rctp_session *play, const uint8_t *in, size_t n,
                         robo_time now)
{
    const ptrdiff_t length = robo_rctp_frame(in, n);
    if (length < 0)
        robo__rctp_session_end(play, 400, "frame: expected a length of 1 or more");
    if (length <= 0)
        return 0;
    robo__rctp_run_frame(play, in + ROBO_RCTP_HEAD, (size_t)length, now);
    return ROBO_RCTP_HEAD + (size_t)length;
}

static size_t feed_bare(struct robo__rctp_session *play, const uint8_t *in, size_t n, robo_time now)
{
    const ptrdiff_t length = robo_rctp_decode(play->layout, in, n, &play->message);
    if (length < 0)
        robo__rctp_session_end(play, 404,
                               "no object has that number: expected one that was assigned");
    if (length <= 0)
        return 0;
    robo__rctp_run_frame(play, in, (size_t)length, now);
    return (size_t)length;
}

size_t robo__rctp_session_feed(struct robo__rctp_session *play, const uint8_t *in, size_t n,
                               bool one, robo_time now)
{
    size_t used = 0, step = 1;
    while (step > 0 && used < n && !play->over && !(one && used > 0)) {
        step = play->wish.bare ? feed_bare(play, in + used, n - used, now)
                               : feed_frame(play, in + used, n - used, now);
        used += step;
    }
    if (play->over)
        return n;
    if (used > 0)
        arm_silence(play);
    return used;
}
