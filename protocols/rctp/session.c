/* The life of a live session: objects are assigned, the lease of the robot is taken and kept, bytes are received, and it ends. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "session_state.h"
#include "robot/client.h"
#include "robotalk/description.h"

static const robo_time SECOND = 1000000000;
static const double RATE = 20, LEAST_RATE = 0.1, MOST_RATE = 1000; /* of outputs, 1/s */
enum { RENEWALS = 3 };                                             /* in one lease time */

static void on_wakeup(struct robo__wakeup *wakeup, robo_time now);
static void on_silence(struct robo__timer *timer, robo_time now);
static void on_permit(struct robo__timer *timer, robo_time now);
static void on_part(struct robo__timer *timer, robo_time now);
static void on_renew(struct robo__timer *timer, robo_time now);

/* ---- begin and end ---- */

/* Lists the types of all parameters, for layouts to point to. */
static bool list_types(struct robo__rctp_session *s)
{
    size_t count = 0, at = 0;
    for (unsigned i = 0; i < s->objects->count; i++)
        count += s->objects->object[i].parameters;
    s->types = malloc(count + 1);
    for (unsigned i = 0; s->types && i < s->objects->count; i++)
        for (unsigned k = 0; k < s->objects->object[i].parameters; k++)
            s->types[at++] = (uint8_t)s->objects->object[i].parameter[k].type;
    return s->types != NULL;
}

/* NULL: all are floats. */
static const uint8_t *types_of(const struct robo__rctp_session *s,
                               const struct robo__rcml_object *object)
{
    const uint8_t *type = s->types;
    for (const struct robo__rcml_object *o = s->objects->object; o < object; o++)
        type += o->parameters;
    for (unsigned i = 0; i < object->parameters; i++)
        if (type[i] != ROBO_RCTP_FLOAT)
            return type;
    return NULL;
}

static void free_session(struct robo__rctp_session *s)
{
    robo__rcml_objects_free(s->objects);
    robo_body_release(s->body);
    robo_release(s->robot);
    free(s->types);
    free(s);
}

int robo__rctp_session_open(struct robo__conn *conn, const char *robot,
                            const struct robo__rcml_group *inputs, struct robo__rctp_session **out)
{
    uint64_t cursor = 0;
    robo_robot *found = robot[0] ? robo_find(conn->host->world, robot)
                                 : robo_next_robot(conn->host->world, &cursor);
    if (!found)
        return ROBO_ENONE;
    struct robo__rctp_session *s = calloc(1, sizeof *s);
    if (!s) {
        robo_release(found);
        return ROBO_ENOMEM;
    }
    const struct robo__alarm alarm = robo__robot_alarm(found);
    s->conn = conn;
    s->robot = found;
    robo__seat_init(&s->seat, &robo__rctp_clients, conn, 0);
    s->body = robo_body_hold(robo__robot_newest(found, &s->revision));
    s->epoch = s->known = s->named = s->heard_of = s->own[0] = s->own[1] = alarm.epoch;
    s->panic = alarm.panic != 0;
    s->wakeup.run = on_wakeup;
    s->silence.fire = on_silence;
    s->permit.fire = on_permit;
    s->part.fire = on_part;
    s->renew.fire = on_renew;
    s->outputs.fire = robo__rctp_on_outputs;
    s->objects = robo__rcml_objects_make(s->body, inputs);
    if (!s->objects || !list_types(s)) {
        free_session(s);
        return ROBO_ENOMEM;
    }
    *out = s;
    return 0;
}

const struct robo__rcml_objects *robo__rctp_session_objects(const struct robo__rctp_session *s)
{
    return s->objects;
}

static void stop_timers(struct robo__rctp_session *s)
{
    struct robo__timers *timers = s->conn->host->timers;
    robo__timer_stop(timers, &s->silence);
    robo__timer_stop(timers, &s->permit);
    robo__timer_stop(timers, &s->part);
    robo__timer_stop(timers, &s->outputs);
    robo__timer_stop(timers, &s->renew);
}

static void close_session(struct robo__rctp_session *s)
{
    robo__seat_close(&s->seat);
    s->controls = false;
}

void robo__rctp_session_close(struct robo__rctp_session *s)
{
    if (!s)
        return;
    stop_timers(s);
    robo__rctp_close_datagrams(s);
    close_session(s);
    s->conn = NULL;
    if (!atomic_load(&s->wakeup.posted))
        free_session(s);
}

void robo__rctp_session_end(struct robo__rctp_session *s, uint16_t code, const char *text)
{
    if (s->over)
        return;
    s->over = true;
    robo__rctp_send_status(s, 0, 0, code, text);
    stop_timers(s);
    close_session(s); /* its motions stop now, whenever the client reads this */
    s->conn->closing = true;
}

void robo__rctp_session_send_last(struct robo__rctp_session *s, uint16_t code, const char *text,
                                  robo_time now)
{
    (void)now;
    if (s && s->live && !s->over)
        robo__rctp_send_status(s, 0, 0, code, text);
}

/* ---- news of the robot ---- */

static void on_wakeup(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__rctp_session *s = robo__container_of(wakeup, struct robo__rctp_session, wakeup);
    if (!s->conn) {
        free_session(s);
        return;
    }
    if (!s->seat.session || !s->live)
        return; /* news before GO is sent then */
    struct robo__conn *conn = s->conn;
    robo__rctp_send_news(s, now);
    robo__conn_kick(conn); /* this may free the session */
}

/* ---- objects ---- */

static bool open_session(struct robo__rctp_session *s, robo_time now)
{
    if (s->seat.session)
        return true;
    if (robo__seat_open(&s->seat, s->robot, s->name[0] ? s->name : NULL, now) < 0)
        return false;
    s->stops_known = s->seat.stops;
    return true;
}

static void arm_renewal(struct robo__rctp_session *s, robo_time now)
{
    robo__timer_start(s->conn->host->timers, &s->renew,
                      now + robo__session_lease_time(s->seat.session) / RENEWALS + 1);
}

void robo__rctp_lose_control(struct robo__rctp_session *s)
{
    struct robo__timers *timers = s->conn->host->timers;
    s->controls = false;
    robo__rctp_base_rests(s);
    robo__timer_stop(timers, &s->renew); /* it is not taken back */
    robo__timer_stop(timers, &s->silence);
    robo__rctp_send_status(s, 0, 0, 409, "lease: another client has taken control");
}

/* Checks whether another client has taken control since, and has perhaps given it back already. */
static void look_for_loss(struct robo__rctp_session *s, robo_time now)
{
    if (s->live)
        robo__rctp_send_news(s, now);
    else if (s->controls && robo__seat_see_loss(&s->seat, now))
        robo__rctp_lose_control(s);
}

/* A client controls the robot as long as its session lasts, not only while something moves. A waiting client checks whether
 * the lease of another has lapsed. */
static void on_renew(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_session *s = robo__container_of(timer, struct robo__rctp_session, renew);
    struct robo__conn *conn = s->conn;
    look_for_loss(s, now);
    if (s->controls && robo__seat_take(&s->seat, now))
        arm_renewal(s, now);
    else if (s->controls)
        robo__rctp_lose_control(s);
    else if (s->live && !s->over)
        robo__rctp_note_held(s, now);
    robo__conn_kick(conn); /* this may free the session */
}

/* Objects that need no lease: texts by which also clients that only watch may stop the robot. */
static bool needs_control(const struct robo__rcml_object *object)
{
    return !object->output && object->part != ROBO__RCML_COMMAND;
}

static uint8_t number_of(const struct robo__rctp_session *s, const struct robo__rcml_object *object)
{
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++)
        if (s->object[id] == object)
            return (uint8_t)id;
    return 0;
}

/* The lowest number that is free: there are as many as objects. */
static uint8_t give_number(struct robo__rctp_session *s, const struct robo__rcml_object *object)
{
    static const uint8_t kinds[] = { [ROBO__RCML_CONTROL] = ROBO_RCTP_CONTROL,
                                     [ROBO__RCML_TEXT] = ROBO_RCTP_TEXT,
                                     [ROBO__RCML_BINARY] = ROBO_RCTP_BINARY };
    uint8_t id = number_of(s, NULL);
    s->object[id] = object;
    s->reading[id] = 0;
    s->layout[id] = (struct robo_rctp_layout){ .kind = kinds[object->kind],
                                               .stamp_size = object->group.stamp_size,
                                               .masked = object->group.mask,
                                               .parameters = object->parameters,
                                               .type = types_of(s, object) };
    s->assigned++;
    s->inputs += needs_control(object);
    return id;
}

/* The reason why a client cannot have an object; 0: none, and it has the lease that it needs. */
static uint16_t check(struct robo__rctp_session *s, const struct robo__rcml_object *object,
                      robo_time now)
{
    if (s->revision != robo__robot_revision(s->robot) || !open_session(s, now) ||
        !robo__seat_is_open(&s->seat))
        return 503;
    look_for_loss(s, now);
    if (!needs_control(object) || s->controls)
        return 0;
    if (robo__conn_role(s->conn) < ROBO_ROLE_DRIVE)
        return 403;
    if (robo__robot_alarm(s->robot).panic)
        return 503;
    if (!robo__seat_take(&s->seat, now))
        return 409;
    s->controls = true;
    robo__seat_look(&s->seat, now); /* earlier acts of others are not its own losses */
    s->stops_known = s->seat.stops;
    arm_renewal(s, now);
    return 0;
}

struct robo__rctp_assigned robo__rctp_session_assign(struct robo__rctp_session *s, const char *name,
                                                     robo_time now)
{
    struct robo__rctp_assigned a = { .code = 404, .object = robo__rcml_find(s->objects, name) };
    if (!a.object)
        return a;
    a.id = number_of(s, a.object);
    a.code = a.id && !needs_control(a.object) ? 0 : check(s, a.object, now);
    a.panic = a.code == 503 && robo__robot_alarm(s->robot).panic;
    if (a.code != 0)
        return a;
    a.code = 201;
    if (a.id == 0)
        a.id = give_number(s, a.object);
    a.controls = !a.object->output && s->controls;
    a.deadman = s->seat.session ? robo__session_deadman(s->seat.session) : 0;
    return a;
}

void robo__rctp_session_holder(struct robo__rctp_session *s, char name[ROBO__HOLDER_NAME],
                               robo_time *left, robo_time now)
{
    struct robo_reply_holder holder;
    name[0] = 0;
    *left = 0;
    if (!open_session(s, now) || !robo__session_longest_holder(s->seat.session, now, &holder))
        return;
    robo__rctp_call(holder.holder, holder.name, name);
    *left = holder.left;
}

uint16_t robo__rctp_session_release(struct robo__rctp_session *s, const char *name, robo_time now)
{
    const struct robo__rcml_object *object = robo__rcml_find(s->objects, name);
    const uint8_t id = object ? number_of(s, object) : 0;
    if (id == 0)
        return 404;
    s->object[id] = NULL;
    s->layout[id] = (struct robo_rctp_layout){ .kind = 0 };
    s->assigned--;
    s->inputs -= needs_control(object);
    if (s->controls && s->inputs == 0) {
        s->controls = false;
        robo__timer_stop(s->conn->host->timers, &s->renew);
        robo__seat_give_back(&s->seat, now);
    }
    return 201;
}

void robo__rctp_session_values(struct robo__rctp_session *s, const struct robo__rcml_object *object,
                               double *values)
{
    robo__rctp_read_object(s, object, values);
}

/* ---- the live session ---- */

uint16_t robo__rctp_session_may_go(const struct robo__rctp_session *s,
                                   const struct robo__rctp_go *go)
{
    for (unsigned id = 1; go->bare && id <= ROBO__RCML_OBJECTS; id++)
        if (s->object[id] && s->layout[id].kind != ROBO_RCTP_CONTROL)
            return 406;
    return s->assigned > 0 ? 201 : 412;
}

/* The group that all inputs share. */
static struct robo__rcml_group rules_of(const struct robo__rctp_session *s)
{
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++)
        if (s->object[id] && !s->object[id]->output && s->layout[id].kind == ROBO_RCTP_CONTROL)
            return s->object[id]->group;
    return robo__rcml_group_default;
}

static bool has_outputs(const struct robo__rctp_session *s)
{
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++)
        if (s->object[id] && s->object[id]->output && s->layout[id].kind == ROBO_RCTP_CONTROL)
            return true;
    return false;
}

static void arm_silence(struct robo__rctp_session *s)
{
    const robo_time due = s->controls ? robo__rctp_intervals_due(&s->intervals) : ROBO_NEVER;
    if (due == ROBO_NEVER || robo__timer_is_for(&s->silence, due))
        return;
    robo__timer_start(s->conn->host->timers, &s->silence, due);
}

void robo__rctp_session_heard(struct robo__rctp_session *s)
{
    if (!s->over)
        arm_silence(s);
}

/* The timer is armed for the due time of that moment; bytes since then put it off. */
static void on_silence(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_session *s = robo__container_of(timer, struct robo__rctp_session, silence);
    struct robo__conn *conn = s->conn;
    if (now < robo__rctp_intervals_due(&s->intervals)) {
        arm_silence(s);
        return;
    }
    robo__rctp_session_end(s, 410, "nothing has come for longer than command_interval allows");
    robo__conn_kick(conn);
}

static void on_permit(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_session *s = robo__container_of(timer, struct robo__rctp_session, permit);
    struct robo__conn *conn = s->conn;
    robo__rctp_send_permission(s, now);
    robo__conn_kick(conn);
}

/* A client of the paper sends messages without lengths, of which the first two bytes are taken for one: nothing would ever happen. */
static void on_part(struct robo__timer *timer, robo_time now)
{
    static const char text[] =
        "frame: it has come in part only for 1 s; messages without a length need Framing: none";
    struct robo__rctp_session *s = robo__container_of(timer, struct robo__rctp_session, part);
    struct robo__conn *conn = s->conn;
    (void)now;
    s->hinted = true;
    robo__rctp_send_status(s, 0, 0, 100, text);
    robo__world_log(s->conn->host->world, ROBO_LOG_WARNING, "rctp: %s", text);
    robo__conn_kick(conn);
}

/* Starts or ends the wait for the rest of a frame. fresh: it is another frame than before. */
static void await_rest(struct robo__rctp_session *s, bool in_part, bool fresh, robo_time now)
{
    if (s->hinted || (in_part && s->in_part && !fresh))
        return;
    s->in_part = in_part;
    if (in_part)
        robo__timer_start(s->conn->host->timers, &s->part, now + SECOND);
    else
        robo__timer_stop(s->conn->host->timers, &s->part);
}

/* Texts get stamps, by which their statuses name them. */
static void stamp_texts(struct robo__rctp_session *s, uint8_t size)
{
    for (unsigned id = 1; size > 0 && id <= ROBO__RCML_OBJECTS; id++)
        if (s->object[id] && !s->object[id]->output && s->layout[id].kind == ROBO_RCTP_TEXT)
            s->layout[id].stamp_size = size;
}

void robo__rctp_session_go(struct robo__rctp_session *s, const struct robo__rctp_go *go,
                           robo_time now)
{
    const struct robo__rcml_group rules = rules_of(s);
    s->go = *go;
    if (!(s->go.rate > 0)) /* NaN, too */
        s->go.rate = RATE;
    if (s->go.rate < LEAST_RATE)
        s->go.rate = LEAST_RATE;
    if (s->go.rate > MOST_RATE)
        s->go.rate = MOST_RATE;
    stamp_texts(s, go->text_stamp);
    s->live = true;
    robo__rctp_intervals_begin(&s->intervals, &rules, now);
    if (s->seat.session)
        robo__seat_beat(&s->seat, now);
    arm_silence(s);
    if (has_outputs(s))
        robo__timer_start(s->conn->host->timers, &s->outputs,
                          now + (robo_time)((double)SECOND / s->go.rate));
    if (s->inputs > 0 && !s->controls && s->seat.session) { /* lost since it was assigned */
        robo__seat_see_loss(&s->seat, now);
        robo__rctp_lose_control(s);
    }
    robo__rctp_send_old_panic(s);
    if (s->seat.session)
        robo__rctp_note_held(s, now);
    robo__rctp_send_news(s, now);
}

/* Returns the handled bytes of the first frame, or of its rest; 0: it is not complete. */
static size_t feed_frame(struct robo__rctp_session *s, const uint8_t *in, size_t n, bool one,
                         robo_time now)
{
    struct robo__rctp_frame *frame = &s->frame;
    size_t head = 0;
    if (frame->left == 0) {
        const ptrdiff_t length = robo_rctp_frame(in, n);
        if (length < 0)
            robo__rctp_session_end(s, 400, "frame: expected a length of 1 or more");
        if (length <= 0)
            return 0;
        *frame = (struct robo__rctp_frame){ .left = (size_t)length };
        head = ROBO_RCTP_HEAD;
    }
    const size_t before = frame->left;
    frame->in_turns = !one;
    robo__rctp_run_frame(s, frame, in + head, now);
    return head + before - frame->left;
}

static size_t feed_bare(struct robo__rctp_session *s, const uint8_t *in, size_t n, robo_time now)
{
    const ptrdiff_t length = robo_rctp_decode(s->layout, in, n, &s->message);
    if (length == ROBO_ESIZE)
        robo__rctp_session_end(s, 400, s->message.why);
    else if (length < 0)
        robo__rctp_session_end(s, 404, "no object has that number: expected one that was assigned");
    if (length <= 0)
        return 0;
    struct robo__rctp_frame frame = { .left = (size_t)length };
    robo__rctp_run_frame(s, &frame, in, now);
    return (size_t)length;
}

size_t robo__rctp_session_feed(struct robo__rctp_session *s, const uint8_t *in, size_t n, bool one,
                               robo_time now)
{
    size_t used = 0, step = 1;
    s->work = 0;
    while (step > 0 && used < n && !s->over && !(one && used > 0) && s->work < ROBO__RCTP_TURN) {
        step = s->go.bare ? feed_bare(s, in + used, n - used, now)
                          : feed_frame(s, in + used, n - used, one, now);
        used += step;
    }
    s->conn->halfway = !one && step > 0 && used < n && !s->over;
    if (s->over)
        return n;
    if (!one && !s->go.bare)
        await_rest(s, step == 0, used > 0, now);
    if (used > 0)
        arm_silence(s);
    return used;
}
