/* The motion profile of one simulated dof. */
#include "profile.h"

#include <math.h>

#include "base/time.h"

/* Where a description gives no limit: brisk for an arm, harmless for a head. */
static const double LIMIT = 3, ACCELERATION = 10;

double robo__profile_speed(const struct robo_dof *dof)
{
    return dof->speed > 0 ? dof->speed : LIMIT;
}

double robo__profile_acceleration(const struct robo_dof *dof)
{
    return dof->acceleration > 0 ? dof->acceleration : ACCELERATION;
}

void robo__profile_init(struct robo__profile *s, const struct robo_dof *dof, robo_time now)
{
    bool limited = dof->low <= dof->high;
    *s = (struct robo__profile){ .low = limited ? dof->low : -HUGE_VAL,
                                 .high = limited ? dof->high : HUGE_VAL,
                                 .limit = robo__profile_speed(dof),
                                 .acceleration = robo__profile_acceleration(dof),
                                 .inertia = 1,
                                 .force = dof->force,
                                 .since = now,
                                 .target = NAN,
                                 .override = 1 };
    s->position = fmin(fmax(dof->home, s->low), s->high);
}

void robo__profile_resume(struct robo__profile *s, double position)
{
    if (isfinite(position))
        s->position = fmin(fmax(position, s->low), s->high);
}

/* One step along a span of constant acceleration. */
static void step(struct robo__profile *s, robo_time t, double acceleration)
{
    double span = (double)(t - s->since) * 1e-9;
    s->position += s->speed * span + acceleration * span * span / 2;
    s->speed += acceleration * span;
    s->since = t;
}

void robo__profile_advance(struct robo__profile *s, robo_time now)
{
    while (s->at < s->spans && s->span[s->at].end <= now) {
        step(s, s->span[s->at].end, s->span[s->at].acceleration);
        if (++s->at == s->spans - s->after && !isnan(s->target)) {
            s->position = s->target;
            s->speed = s->onward;
        } else if (s->at == s->spans && s->after > 0) {
            s->position = s->onward > 0 ? s->high : s->low;
            s->speed = s->onward = 0;
        }
    }
    if (s->at == s->spans && s->speed == 0)
        s->since = now; /* at rest: the begin of the span no longer matters */
}

void robo__profile_cut(struct robo__profile *s, robo_time now)
{
    robo__profile_advance(s, now);
    if (now > s->since)
        step(s, now, s->at < s->spans ? s->span[s->at].acceleration : 0);
}

static void add(struct robo__profile *s, double seconds, double acceleration)
{
    robo_time before = s->spans > 0 ? s->span[s->spans - 1].end : s->since;
    robo_time room = before > 0 ? ROBO_NEVER - before : ROBO_NEVER;
    /* a duration beyond the range of time is infinite */
    bool ends = seconds < 1e9;
    robo_time length = ends ? (robo_time)llrint(seconds * 1e9) : room;
    if (length <= 0)
        length = seconds > 0;
    if (length > room)
        length = room;
    /* a strong motor gains much speed in half a nanosecond: the speed at the end counts */
    if (ends && length > 0)
        acceleration *= seconds / ((double)length * 1e-9);
    s->span[s->spans++] = (struct robo__span){ before + length, acceleration };
}

static void clear(struct robo__profile *s)
{
    s->spans = s->at = s->after = 0;
    s->target = NAN;
    s->onward = 0;
}

/* To the target from the present speed: full acceleration, the greatest speed if the distance allows it, and full braking,
 * until the dof moves as the target does. */
static void approach(struct robo__profile *s, double target, double onward, double most, double a)
{
    double v = s->speed - onward, way = target - s->position;
    double sense = way >= v * fabs(v) / (2 * a) ? 1 : -1; /* of the acceleration that comes first */
    double d = sense * way, v0 = sense * v, peak = sqrt(fmax(0, a * d + v0 * v0 / 2));
    most -= sense * onward;
    clear(s);
    s->target = target;
    s->onward = onward;
    if (peak <= most) {
        /* the peak cannot be below the present speed, except by rounding when it only brakes */
        add(s, fmax(0, peak - v0) / a, sense * a);
        add(s, peak / a, -sense * a);
        return;
    }
    double first = fabs(most - v0) / a,
           cruise = d - (most + v0) / 2 * first - most * most / (2 * a);
    add(s, first, v0 < most ? sense * a : -sense * a);
    add(s, most > 0 ? fmax(0, cruise) / most : HUGE_VAL, 0);
    add(s, most / a, -sense * a);
}

/* Where it stands for an instant when it turns around to move as the target does; else that is the target. */
static double turn(const struct robo__profile *s)
{
    const struct robo__span *last = &s->span[s->spans - 1];
    const robo_time begin = s->spans > 1 ? last[-1].end : s->since;
    const double gain = last->acceleration * (double)(last->end - begin) * 1e-9;
    return s->onward * (s->onward - gain) < 0
               ? s->target - s->onward * s->onward / (2 * last->acceleration)
               : s->target;
}

/* As approach, and on from there until it brakes before the dof's end. Where that would be beyond an end, it goes to that end
 * and stands; where it would have to turn around beyond one, it stands at the set-point. */
static void plan(struct robo__profile *s, double target, double onward, double most, double a)
{
    approach(s, target, onward, most, a);
    const robo_time reached = s->span[s->spans - 1].end;
    const double sense = onward > 0 ? 1 : -1, end = onward > 0 ? s->high : s->low,
                 braking = onward * onward / (2 * s->acceleration);
    if (onward == 0)
        return;
    s->target += onward * (double)(reached - s->since) * 1e-9;
    const double room = sense * (end - s->target) - braking, turns = turn(s);
    if (room < 0) {
        approach(s, end, 0, most, s->acceleration);
    } else if (turns < s->low || turns > s->high) {
        approach(s, target, 0, most, s->acceleration);
    } else if (isfinite(room)) {
        add(s, room / fabs(onward), 0);
        add(s, fabs(onward) / s->acceleration, -sense * s->acceleration);
        s->after = 2;
    }
}

static double clip(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* An acceleration below the dof's own; but, if it moves, at least the one that it needs to stop at the target or to move
 * as that does, and to stop before its end. onward: the target's own speed. */
static double gently(const struct robo__profile *s, double target, double onward,
                     double acceleration)
{
    double u = s->speed, v = u - onward, ahead = (v < 0 ? -1 : 1) * (target - s->position),
           room = u < 0 ? s->position - s->low : s->high - s->position;
    if (ahead > 0)
        acceleration = fmax(acceleration, v * v / (2 * ahead));
    if (u != 0)
        acceleration = fmax(acceleration, room > 0 ? u * u / (2 * room) : HUGE_VAL);
    return fmin(s->acceleration, acceleration);
}

/* Brakes to rest. */
static void brake(struct robo__profile *s)
{
    double way = s->speed * fabs(s->speed) / (2 * s->acceleration);
    plan(s, clip(s->position + way, s->low, s->high), 0, s->limit, s->acceleration);
}

static bool move(struct robo__profile *s, double share)
{
    const struct robo__bounds *b = &s->bounds;
    double within = clip(s->value, s->low, s->high), speed = s->limit, a = s->acceleration;
    if (b->speed > 0)
        speed = fmin(b->speed, speed);
    /* from the set-point it must be able to brake before the dof's end */
    double room = s->velocity > 0 ? s->high - within : within - s->low,
           most = fmin(speed, sqrt(2 * s->acceleration * room)),
           onward = share * clip(s->velocity, -most, most);
    if (b->acceleration > 0 && b->acceleration < a)
        a = gently(s, within, onward, b->acceleration);
    if (share > 0)
        plan(s, within, onward, share * speed, a);
    return within == s->value && fabs(s->velocity) <= speed && b->speed <= s->limit &&
           b->acceleration <= s->acceleration;
}

static bool run(struct robo__profile *s, double share)
{
    double within = clip(s->value, -s->limit, s->limit), end = within > 0 ? s->high : s->low,
           speed = share * within;
    if (within == 0) {
        brake(s);
    } else if (share > 0 && isfinite(end)) {
        plan(s, end, 0, fabs(speed), s->acceleration);
    } else if (share > 0) {
        clear(s);
        add(s, fabs(speed - s->speed) / s->acceleration,
            speed > s->speed ? s->acceleration : -s->acceleration);
    }
    return within == s->value;
}

/* Slows down with that deceleration until it stands, and with more if it would pass its limit. Returns the position. */
static double slow_down(struct robo__profile *s, double by)
{
    double sense = s->speed < 0 ? -1 : 1, u = fabs(s->speed), end = sense > 0 ? s->high : s->low;
    double room = sense * (end - s->position), hardest = fmax(s->acceleration, u * u / (2 * room));
    if (u * u <= 2 * by * room) {
        add(s, u / by, -sense * by);
        return s->position + sense * u * u / (2 * by);
    }
    if (room <= 0) {
        s->position = end;
        s->speed = 0;
        return end;
    }
    double softly = fmax(0, (2 * hardest * room - u * u) / (2 * (hardest - by)));
    double left = sqrt(fmax(0, u * u - 2 * by * softly));
    add(s, (u - left) / by, -sense * by);
    add(s, left / hardest, -sense * hardest);
    return end;
}

/* Accelerates from a position and a speed along `sense` to the limit of the dof in that direction, or to the greatest
 * speed without a limit. */
static void gain(struct robo__profile *s, double from, double speed, double sense, double by)
{
    double a = s->acceleration, end = sense > 0 ? s->high : s->low, room = sense * (end - from);
    if (!isfinite(room)) {
        s->target = NAN;
        add(s, fabs(s->limit - speed) / by, speed < s->limit ? sense * by : -sense * by);
        return;
    }
    /* after braking it may be beyond its limit by rounding: then it does not accelerate */
    double square = fmax(0, (2 * room * by + speed * speed) * a / (a + by));
    double peak = fmin(s->limit, sqrt(square));
    s->target = end;
    if (peak < speed) { /* there is no room to accelerate */
        slow_down(s, a);
        return;
    }
    double cruise = room - (peak * peak - speed * speed) / (2 * by) - peak * peak / (2 * a);
    add(s, (peak - speed) / by, sense * by);
    add(s, peak > 0 ? fmax(0, cruise) / peak : 0, 0);
    add(s, peak / a, -sense * a);
}

/* A force is no speed: it is whole, or nothing when the override is. */
static bool push(struct robo__profile *s, double share)
{
    double force = s->value, size = fabs(force), sense = force > 0 ? 1 : -1;
    bool within = s->force == 0 || size <= s->force;
    if (share == 0)
        return within;
    if (force == 0) { /* no friction: it keeps its speed */
        s->value = s->speed;
        run(s, 1);
        s->value = 0;
        return true;
    }
    double by = fmin((within ? size : s->force) / s->inertia, s->acceleration),
           speed = sense * s->speed;
    double behind = sense > 0 ? s->position - s->low : s->high - s->position;
    double from = s->position;
    clear(s);
    if (speed < 0 && speed * speed > 2 * by * behind) { /* it reaches its other limit first */
        from = slow_down(s, by);
        speed = 0;
    }
    gain(s, from, speed, sense, by);
    return within;
}

/* Begins its present goal, from the speed that it has. */
static bool begin(struct robo__profile *s)
{
    double share = s->scaled ? s->override : 1;
    if (share == 0)
        brake(s);
    switch (s->goal) {
    case ROBO__PROFILE_MOVES: return move(s, share);
    case ROBO__PROFILE_RUNS: return run(s, share);
    case ROBO__PROFILE_PUSHES: return push(s, share);
    default: brake(s); return true;
    }
}

static bool begin_as(struct robo__profile *s, enum robo__profile_goal goal, double value,
                     double velocity, struct robo__bounds bounds, bool scaled)
{
    s->goal = goal;
    s->value = value;
    s->velocity = velocity;
    s->begun = s->since;
    s->bounds = bounds;
    s->scaled = scaled;
    return begin(s);
}

static const struct robo__bounds unbound;

bool robo__profile_move(struct robo__profile *s, double target, struct robo__bounds bounds)
{
    return begin_as(s, ROBO__PROFILE_MOVES, target, 0, bounds, false);
}

bool robo__profile_run(struct robo__profile *s, double speed)
{
    return begin_as(s, ROBO__PROFILE_RUNS, speed, 0, unbound, false);
}

bool robo__profile_push(struct robo__profile *s, double force)
{
    return begin_as(s, ROBO__PROFILE_PUSHES, force, 0, unbound, false);
}

void robo__profile_stop(struct robo__profile *s)
{
    begin_as(s, ROBO__PROFILE_RESTS, 0, 0, unbound, false);
}

double robo__profile_force(const struct robo__profile *s)
{
    if (s->goal != ROBO__PROFILE_PUSHES)
        return NAN;
    return s->scaled && s->override == 0 ? 0
           : s->force > 0                ? clip(s->value, -s->force, s->force)
                                         : s->value;
}

bool robo__profile_give(struct robo__profile *s, const struct robo_cmd *cmd, unsigned number,
                        double home, bool scaled)
{
    const struct robo_command_kind *kind = robo__command_of(cmd->op);
    const double *value = cmd->body.servo.value + number;
    const struct robo__bounds bounds = robo__command_bounds(kind, cmd);
    /* bounds for all joints, which may be above those of this one */
    if (kind->moves == ROBO_MOVES_JOINTS) {
        begin_as(s, ROBO__PROFILE_MOVES, home, 0, bounds, scaled);
        return true;
    }
    switch (kind->servo) {
    case ROBO_SERVO_SETPOINT:
        return begin_as(s, ROBO__PROFILE_MOVES, *value, cmd->body.servo.velocity[number], bounds,
                        scaled);
    case ROBO_SERVO_SPEED: return begin_as(s, ROBO__PROFILE_RUNS, *value, 0, unbound, scaled);
    case ROBO_SERVO_FORCE: return begin_as(s, ROBO__PROFILE_PUSHES, *value, 0, unbound, scaled);
    default: robo__profile_stop(s); return true;
    }
}

void robo__profile_override(struct robo__profile *s, double share, robo_time now)
{
    s->override = share;
    if (!s->scaled || s->goal == ROBO__PROFILE_RESTS)
        return;
    /* a set-point that moves has moved on by now; while all is held it waits, too */
    s->value += s->onward * (double)(now - s->begun) * 1e-9;
    s->begun = now;
    robo__profile_cut(s, now);
    begin(s);
}

bool robo__profile_is_held(const struct robo__profile *s)
{
    const int last = s->spans - s->after - 1;
    return s->goal == ROBO__PROFILE_MOVES &&
           ((s->scaled && s->override == 0) || (s->at <= last && s->span[last].end == ROBO_NEVER));
}

void robo__profile_restart(struct robo__profile *s, double position, robo_time now)
{
    clear(s);
    s->position = position;
    s->speed = 0;
    s->since = s->begun = now;
    if (s->goal != ROBO__PROFILE_RESTS)
        begin(s);
}

void robo__profile_halt(struct robo__profile *s)
{
    s->goal = ROBO__PROFILE_RESTS;
    clear(s);
    s->speed = 0;
}

void robo__profile_coast(struct robo__profile *s)
{
    s->goal = ROBO__PROFILE_RESTS;
    clear(s);
    s->target = slow_down(s, s->acceleration / 5);
}

robo_time robo__profile_end(const struct robo__profile *s)
{
    const int last = s->spans - s->after - 1;
    return s->at <= last ? s->span[last].end : ROBO_NEVER;
}

void robo__profile_read(const struct robo__profile *profile, robo_time now, double *position,
                        double *speed)
{
    struct robo__profile s = *profile;
    robo__profile_cut(&s, now);
    *position = s.position;
    *speed = s.speed;
}
