/* Servos of simulated dofs. */
#include "servo.h"

#include <math.h>

#include "base/time.h"

static const robo_time PATIENCE = 1000000000;
static const double MOST = 25; /* Hz, that it takes to hold something */
/* Forces at contacts are worked out as if the damping of the step were that of its begin (it is that of its end). That goes well as
 * long as the damping takes no more than so many times the dof's speed in a step; by trial, legs shiver from 14. An AIBO's knees
 * have 7.0. */
static const double LIGHTEST = 7;
static const double ANGLE = 0.02, WAY = 0.005; /* tolerances, rad and m */
/* A gripper that is halted moves no further than its tolerance by default when its object goes, unless that takes a spring
 * stiffer than this, Hz: then that is its stiffness. */
static const double HARDEST = 100;

void robo__servo_init(struct robo__servo *s, const struct robo_dof *dof,
                      const struct robo__tuning *tuning, robo_time now)
{
    *s = (struct robo__servo){
        .home = dof->home, .retreat = dof->retreat, .retreats = dof->retreats, .over = ROBO_NEVER
    };
    s->tolerance = tuning->tolerance > 0         ? tuning->tolerance
                   : dof->kind == ROBO_PRISMATIC ? WAY
                                                 : ANGLE;
    robo__profile_init(&s->profile, dof, now);
    s->position = s->profile.position;
    s->room = dof->kind == ROBO_PRISMATIC ? WAY : ANGLE;
}

void robo__servo_load(struct robo__servo *s, const struct robo__tuning *tuning, double inertia,
                      double weight)
{
    double frequency = 2 * M_PI * tuning->bandwidth;
    if (tuning
            ->holds) /* light things that hang far out, as a jaw: half of the tolerance is for their weight */
        frequency = fmin(fmax(frequency, sqrt(weight / (s->tolerance / 2) / inertia)),
                         fmax(frequency, 2 * M_PI * MOST));
    s->profile.inertia = inertia;
    s->stiffness = inertia * frequency * frequency;
    s->damping = 2 * tuning->damping * inertia * frequency;
}

double robo__servo_bear(struct robo__servo *s, double step, double own, double motor)
{
    motor = fmax(motor, s->damping * step / LIGHTEST - own);
    s->own = own + fmax(motor, 0);
    s->step = step;
    return fmax(motor, 0);
}

static bool is_loose(const struct robo__servo *s)
{
    return s->limp || (s->profile.goal == ROBO__PROFILE_PUSHES &&
                       !(s->profile.scaled && s->profile.override == 0));
}

/* The profile goes on where the dof is, as fast as that moves. */
static void take_up(struct robo__servo *s)
{
    robo__profile_halt(&s->profile);
    robo__profile_resume(&s->profile, s->position);
    s->profile.speed = fmin(fmax(s->speed, -s->profile.limit), s->profile.limit);
    s->behind = 0;
    s->limp = false;
}

/* The force with which a gripper that is halted now goes on; 0: it is open, or moves. */
static double grasp(const struct robo__servo *s)
{
    /* when its object is gone, it would follow it by its room at each stop */
    if (s->press != 0)
        return fabs(s->force) > fabs(s->press) / 2 ? s->press : 0;
    if (!s->grips || s->limp)
        return 0;
    const bool rests = fabs(s->speed) <= s->tolerance,
               squeezes = fabs(s->profile.position - s->behind - s->position) > s->tolerance;
    return is_loose(s) || (rests && squeezes) ? s->force : 0;
}

/* Ends the present motion. Returns the force with which a gripper then holds, if it shall hold. */
static double cut(struct robo__servo *s, robo_time now)
{
    robo__profile_cut(&s->profile, now);
    const double press = grasp(s);
    s->press = 0;
    if (s->led) {
        robo__profile_halt(&s->profile);
        robo__profile_resume(&s->profile, s->lead[0]);
    }
    s->led = false;
    if (is_loose(s))
        take_up(s);
    if (s->behind != 0)
        robo__profile_resume(&s->profile, s->profile.position - s->behind);
    s->behind = 0;
    s->over = ROBO_NEVER;
    return press;
}

/* It stays where it is, and presses against its object. */
static void stand(struct robo__servo *s, double press)
{
    take_up(s);
    robo__profile_halt(&s->profile);
    s->press = press;
}

bool robo__servo_give(struct robo__servo *s, const struct robo_cmd *cmd, unsigned number,
                      bool scaled, robo_time now)
{
    const double press = cut(s, now);
    const bool whole = robo__profile_give(&s->profile, cmd, number, s->home, scaled);
    if (press != 0 && s->profile.goal == ROBO__PROFILE_RESTS)
        stand(s, press);
    else if (s->profile.goal == ROBO__PROFILE_PUSHES && !is_loose(s))
        s->press = press; /* until it may push */
    return whole;
}

void robo__servo_halt(struct robo__servo *s, unsigned policy, robo_time now)
{
    const double press = cut(s, now);
    if (policy == ROBO_BRAKE && press == 0) {
        robo__profile_stop(&s->profile);
    } else if (policy == ROBO_RETREAT && s->retreats) {
        robo__profile_move(&s->profile, s->retreat, (struct robo__bounds){ 0, 0 });
    } else {
        stand(s, policy == ROBO_LIMP || !s->grips ? 0 : press != 0 ? press : s->force);
        s->limp = policy == ROBO_LIMP;
    }
}

void robo__servo_reset(struct robo__servo *s, robo_time now)
{
    if (!s->limp)
        return;
    cut(s, now);
    robo__profile_stop(&s->profile);
}

void robo__servo_override(struct robo__servo *s, double share, robo_time now)
{
    if (is_loose(s) && !s->limp && share == 0) { /* it is held where it is, and pushes on later */
        robo__profile_cut(&s->profile, now);
        robo__profile_resume(&s->profile, s->position);
        s->profile.speed = 0;
        s->press = s->grips ? s->force : 0;
    }
    robo__profile_override(&s->profile, share, now);
    if (is_loose(s))
        s->press = 0;
}

void robo__servo_give_up(struct robo__servo *s, robo_time now)
{
    if (s->limp)
        return;
    cut(s, now);
    stand(s, 0);
}

void robo__servo_lead(struct robo__servo *s, double position, double speed)
{
    s->led = !s->limp;
    s->lead[0] = position;
    s->lead[1] = speed;
}

void robo__servo_rest(struct robo__servo *s, robo_time now)
{
    if (s->led)
        cut(s, now);
}

double robo__servo_place(const struct robo__servo *s, robo_time now)
{
    double position, speed;
    robo__profile_read(&s->profile, now, &position, &speed);
    return s->led ? s->lead[0] : position;
}

enum robo__servo_stage robo__servo_look(struct robo__servo *s, robo_time now, robo_time *next)
{
    const robo_time end = robo__profile_end(&s->profile);
    *next = ROBO_NEVER;
    robo__profile_advance(&s->profile, now);
    if (robo__profile_is_held(&s->profile)) {
        s->over = ROBO_NEVER;
        return ROBO__SERVO_MOVES;
    }
    if (end != ROBO_NEVER && end > now) {
        *next = end;
        return ROBO__SERVO_MOVES;
    }
    double position, speed;
    robo__profile_read(&s->profile, now, &position, &speed);
    /* a stop ends where the dof comes to rest */
    if (fabs(position - s->position) <= s->tolerance ||
        (s->profile.goal == ROBO__PROFILE_RESTS && fabs(s->speed) <= s->tolerance))
        return ROBO__SERVO_ARRIVED;
    if (s->over == ROBO_NEVER)
        s->over = now;
    *next = now;
    return now - s->over < PATIENCE ? ROBO__SERVO_MOVES : ROBO__SERVO_STUCK;
}

/* All the force that there is would take a light dof far beyond the speed that it was to get, and the next step back: so it
 * becomes less the nearer it comes to that. wanted: more than that force. */
static void ease(const struct robo__servo *s, double wanted, struct robo__pull *pull)
{
    /* the force of spring and damper at the end of the step */
    const double last = wanted * s->own / (s->own + s->step * s->damping), most = fabs(pull->force);
    if (last >= most)
        return;
    pull->damping = (most / last - 1) * s->own / s->step;
    pull->force += pull->damping * s->speed;
}

/* A spring's force and a damper, or all the force that there is. */
static void pull_by(const struct robo__servo *s, double spring, double damping, double speed,
                    struct robo__pull *pull)
{
    const double most = s->profile.force, wanted = spring + damping * (speed - s->speed);
    if (most > 0 && fabs(wanted) > most) {
        pull->force = wanted > 0 ? most : -most;
        if (s->own > 0)
            ease(s, fabs(wanted), pull);
        return;
    }
    pull->force = spring + damping * speed;
    pull->damping = damping;
}

static void pull_to(const struct robo__servo *s, double position, double speed,
                    struct robo__pull *pull)
{
    pull_by(s, s->stiffness * (position - s->position), s->damping, speed, pull);
}

/* As hard as it did where it was halted; less the further it gets, and nothing at the end of its room. */
static void press_on(const struct robo__servo *s, struct robo__pull *pull)
{
    const double frequency = 2 * M_PI * HARDEST,
                 hard = fmin(fabs(s->press) / s->room, s->profile.inertia * frequency * frequency),
                 stiffness = fmax(s->stiffness, hard),
                 damping = s->damping * sqrt(stiffness / s->stiffness);
    pull_by(s, s->press + stiffness * (s->profile.position - s->position), damping, 0, pull);
}

void robo__servo_pull(struct robo__servo *s, robo_time now, struct robo__pull *pull)
{
    const struct robo__profile *p = &s->profile;
    double position = p->position, speed = p->speed;
    *pull = (struct robo__pull){ 0 };
    if (s->led) {
        pull_to(s, s->lead[0], s->lead[1], pull);
        s->drag = pull->damping;
        return;
    }
    if (s->press != 0) {
        press_on(s, pull);
        s->drag = pull->damping;
        return;
    }
    if (is_loose(s)) {
        pull->force = s->limp ? 0 : robo__profile_force(p);
        s->drag = 0;
        return;
    }
    if (p->at < p->spans || speed != 0)
        robo__profile_read(p, now, &position, &speed);
    if (p->goal == ROBO__PROFILE_RUNS) {
        /* no further ahead of the dof than it takes to pull with all its force */
        const double most = p->force > 0 ? p->force / s->stiffness : HUGE_VAL,
                     ahead = position - s->behind - s->position;
        if (fabs(ahead) > most)
            s->behind += ahead > 0 ? ahead - most : ahead + most;
    }
    pull_to(s, position - s->behind, speed, pull);
    s->drag = pull->damping;
}

void robo__servo_pulled(struct robo__servo *s, double force)
{
    const double most = s->profile.force > 0 ? s->profile.force : HUGE_VAL;
    s->force = fmin(fmax(force - s->drag * s->speed, -most), most);
}
