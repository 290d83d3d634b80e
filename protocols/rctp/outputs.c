/* The values of outputs, and current values of all objects: the robot's motion, and readings of its sensors. A client that does
 * not read loses them, and delays no other client. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/time.h"
#include "robot/client.h"
#include "session_state.h"

/* BATCH: bytes of the outputs of one frame; DATAGRAM: of one datagram, unless one message is longer by itself */
enum { BATCH = 16384, DATAGRAM = 1400 };
static const robo_time SECOND = 1000000000;

/* ---- values ---- */

/* The state of a robot, read once for several objects. */
struct look {
    bool any, frames;
    struct robo_reply_state state;
};

static const struct robo_reply_state *look_at(struct robo__rctp_session *s, struct look *look,
                                              bool frames)
{
    if (frames ? !look->frames : !look->any) {
        if (frames)
            robo_read_more(s->robot, ROBO_MORE_FRAMES, &look->state);
        else
            robo_read(s->robot, (struct robo_state *)(void *)&look->state,
                      sizeof(struct robo_state));
        look->any = true;
        look->frames = frames;
    }
    return &look->state;
}

static double base_value(const struct robo_reply_state *state, const struct robo__rcml_parameter *p)
{
    if (p->quantity == ROBO__RCML_POSITION)
        return p->which == 2 ? state->attitude[2] : state->pose[p->which];
    return p->which == 2 ? state->spin[2] : state->twist[p->which];
}

static double frame_value(const struct robo_reply_state *state, unsigned frame, unsigned which)
{
    const double *const part[6] = { state->x,    state->y,     state->z,
                                    state->roll, state->pitch, state->yaw };
    return frame < state->frames ? part[which][frame] : 0;
}

static double value_of(const struct robo_reply_state *state, const struct robo__rcml_object *o,
                       const struct robo__rcml_parameter *p)
{
    if (o->part == ROBO__RCML_BASE)
        return base_value(state, p);
    if (o->part == ROBO__RCML_FRAME)
        return p->quantity == ROBO__RCML_POSITION ? frame_value(state, o->number, p->which) : 0;
    if (p->which >= state->dofs || p->quantity == ROBO__RCML_FORCE)
        return 0;
    return p->quantity == ROBO__RCML_POSITION ? state->position[p->which] : state->speed[p->which];
}

static uint64_t look_at_sensor(struct robo__rctp_session *s, const struct robo__rcml_object *o,
                               double *values)
{
    struct robo_reading reading;
    if (robo_sense(s->robot, o->number, 0, &reading, sizeof reading, values, o->parameters) == 1 &&
        reading.count == o->parameters)
        return reading.number;
    memset(values, 0, o->parameters * sizeof *values);
    return 0;
}

static uint64_t look_at_object(struct robo__rctp_session *s, struct look *look,
                               const struct robo__rcml_object *o, double *values)
{
    if (o->part == ROBO__RCML_SENSOR)
        return look_at_sensor(s, o, values);
    const struct robo_reply_state *state = look_at(s, look, o->part == ROBO__RCML_FRAME);
    for (unsigned i = 0; i < o->parameters; i++)
        values[i] = value_of(state, o, &o->parameter[i]);
    return 0;
}

uint64_t robo__rctp_read_object(struct robo__rctp_session *s,
                                const struct robo__rcml_object *object, double *values)
{
    struct look look; /* it is large: the state is not cleared */
    look.any = look.frames = false;
    return look_at_object(s, &look, object, values);
}

/* ---- outputs ---- */

/* Makes values writable: an infinite range becomes a very large one, and unknown values are left out. false: all are
 * unknown, or some are and there is no mask. */
static bool trim(struct robo_rctp_message *m, const struct robo__rcml_object *o)
{
    unsigned known = 0;
    for (unsigned i = 0; i < o->parameters; i++) {
        const bool is_known = !isnan(m->value[i]);
        m->sent[i] = is_known;
        known += is_known;
        if (is_known)
            m->value[i] = fmin(fmax(m->value[i], -(double)FLT_MAX), (double)FLT_MAX);
    }
    return known == o->parameters || (known > 0 && o->group.mask);
}

/* Whether there is something to say about that object; then it is in *m, and its number, of a reading, in *number. */
static bool has_news(struct robo__rctp_session *s, struct look *look, uint8_t id,
                     struct robo_rctp_message *m, uint64_t *number)
{
    const struct robo__rcml_object *o = s->object[id];
    if (!o || !o->output || o->kind != ROBO__RCML_CONTROL)
        return false;
    *number = look_at_object(s, look, o, m->value);
    if (o->part == ROBO__RCML_SENSOR && *number == s->reading[id])
        return false;
    m->id = id;
    m->stamp = 0;
    return trim(m, o);
}

static void put_outputs(struct robo__rctp_session *s)
{
    uint8_t bytes[BATCH];
    size_t n = 0, most = s->datagram.has_peer ? DATAGRAM : BATCH;
    struct look look;           /* both are large: */
    struct robo_rctp_message m; /* unused members are not set */
    look.any = look.frames = false;
    for (unsigned id = 1; id <= ROBO__RCML_OBJECTS; id++) {
        uint64_t number;
        if (!has_news(s, &look, (uint8_t)id, &m, &number))
            continue;
        const size_t size = robo_rctp_size(&s->layout[id], NULL);
        if (n > 0 && n + size > most) {
            robo__rctp_send_frame(s, bytes, n, false);
            n = 0;
        }
        const ptrdiff_t used = robo_rctp_encode(s->layout, &m, bytes + n, BATCH - n);
        if (used <= 0)
            continue;
        n += (size_t)used;
        s->reading[id] = number;
    }
    if (n > 0)
        robo__rctp_send_frame(s, bytes, n, false);
}

void robo__rctp_on_outputs(struct robo__timer *timer, robo_time now)
{
    struct robo__rctp_session *s = robo__container_of(timer, struct robo__rctp_session, outputs);
    struct robo__conn *conn = s->conn;
    const robo_time period = (robo_time)((double)SECOND / s->go.rate);
    const robo_time next = timer->due + period;
    robo__timer_start(conn->host->timers, timer, next > now ? next : now + period);
    if (robo__rctp_is_full(s, ROBO__CONN_BUSY, false))
        return; /* the newest values win: they are sent when the client has read */
    put_outputs(s);
    robo__conn_kick(conn);
}
