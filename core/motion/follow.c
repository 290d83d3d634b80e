/* A control frame that follows goals which change while it moves. */
#include "follow.h"

#include <math.h>
#include <string.h>

#include "base/linear.h"
#include "profile.h"

static const double GAIN = 30;        /* 1/s */
static const double MOST_GAIN = 0.5;  /* in a tick */
static const double MOST_LAG = 0.042; /* s behind the reference, of any dof */
/* shares of speeds, of accelerations, and of decelerations; the rest is for corrections */
static const double SPEED = 0.9, ACCELERATION = 0.85, BRAKING = 0.7;
static const double SMOOTHING = 0.25; /* of the period, by each goal */
static const double GENTLE =
    4; /* 1/s: how fast the reference brakes, by its greatest speed, at a goal that stays */
static const double EXACT = 1e-8; /* m */
static const double RESTS = 1e-3; /* rad/s, m/s */
enum { STEPS = 2 };               /* of inverse kinematics, a tick */

/* The pose of the reference. */
static void look(const struct robo__follow *f, struct robo_pose *pose)
{
    robo__pose_along(&f->from, f->way, f->share, pose);
}

void robo__follow_begin(struct robo__follow *f, const robo_model *model,
                        const struct robo_description *d, unsigned frame,
                        const struct robo__dof_set *dofs, double weight, double hold,
                        const double *q, const double *speed)
{
    f->description = d;
    robo__descent_init(&f->descent, model, frame, dofs, weight);
    f->gain = fmin(GAIN, MOST_GAIN / hold);
    memcpy(f->q, q, d->dofs * sizeof *q);
    memcpy(f->posture, q, d->dofs * sizeof *q);
    memcpy(f->speed, speed, d->dofs * sizeof *speed);
    /* the reference is as far ahead as makes the posture keep its speed */
    for (unsigned i = 0; i < f->descent.dofs; i++) {
        const unsigned k = f->descent.dof[i];
        f->q[k] = fmin(fmax(q[k] + speed[k] / f->gain, model->low[k]), model->high[k]);
    }
    robo_frame_pose(model, f->q, frame, &f->from);
    memset(f->way, 0, sizeof f->way);
    f->goal = f->from;
    f->share = 1;
    f->period = 0;
}

void robo__follow_aim(struct robo__follow *f, const struct robo_pose *goal, double since,
                      double pace, double turn)
{
    struct robo_pose from;
    look(f, &from);
    f->from = from;
    f->goal = *goal;
    robo__pose_difference(&f->from, goal, f->way);
    if (f->descent.weight == 0)
        memset(f->way + 3, 0, 3 * sizeof *f->way);
    f->share = 0;
    f->period = since < 0        ? 0
                : f->period <= 0 ? since
                                 : f->period + SMOOTHING * (since - f->period);
    f->pace = pace;
    f->turn = turn;
}

static void advance_reference(struct robo__follow *f, double seconds, double share)
{
    const double length = fmax(robo__length(f->way) / f->pace, robo__length(f->way + 3) / f->turn),
                 left = (1 - f->share) * length;
    double rate = share / length; /* at its greatest speeds */
    if (f->period > 0)
        rate = fmin(rate, 1 / f->period);
    else
        rate *= fmin(1, sqrt(2 * GENTLE * left) + GENTLE * seconds);
    f->share = length > 0 || f->period > 0 ? fmin(1, f->share + rate * seconds) : 1;
}

/* How far behind its reference a dof is at that speed, s: as far as it needs to brake when the reference stops, but no more than
 * MOST_LAG. So a dof of little acceleration keeps up as the others do, and passes a reference that stops at once. */
static double lag_at(double speed, double acceleration, double gain)
{
    if (speed * gain <= acceleration)
        return 1 / gain;
    return fmin(speed / (2 * acceleration) + acceleration / (2 * speed * gain * gain),
                fmax(MOST_LAG, 1 / gain));
}

/* The speed of a dof whose reference is so far ahead and moves at that speed: the reference's, and a share that takes the dof
 * to its lag behind it, in proportion, or as fast as can be braked. */
static double speed_for(const struct robo_dof *dof, double ahead, double speed, double gain,
                        double share)
{
    const double a = BRAKING * robo__profile_acceleration(dof),
                 error = ahead - speed * lag_at(fabs(speed), a, gain), far = fabs(error),
                 v = far * gain * gain > a ? sqrt(a * (2 * far - a / (gain * gain))) : gain * far,
                 most = SPEED * share * robo__profile_speed(dof);
    return fmin(fmax(speed + copysign(v, error), -most), most);
}

/* That speed, or the one from which the dof can stop before its limits. */
static double stay_within(const struct robo_dof *dof, double position, double speed)
{
    const double a = 2 * BRAKING * robo__profile_acceleration(dof);
    if (dof->low > dof->high)
        return speed;
    return fmin(fmax(speed, -sqrt(a * fmax(0, position - dof->low))),
                sqrt(a * fmax(0, dof->high - position)));
}

bool robo__follow_advance(struct robo__follow *f, double seconds, double share)
{
    struct robo_pose pose;
    double before[ROBO_MAX_DOFS];
    bool rests = true;
    for (unsigned i = 0; i < f->descent.dofs; i++) {
        const unsigned k = f->descent.dof[i];
        f->posture[k] += f->speed[k] * seconds;
        before[k] = f->q[k];
    }
    advance_reference(f, seconds, share);
    look(f, &pose);
    robo__descent_start(&f->descent, &pose, f->q);
    for (int i = 0; i < STEPS && f->descent.sum > EXACT * EXACT; i++)
        if (!robo__descent_step(&f->descent, f->q))
            break;
    for (unsigned i = 0; i < f->descent.dofs; i++) {
        const unsigned k = f->descent.dof[i];
        const struct robo_dof *dof = &f->description->dof[k];
        const double most = ACCELERATION * robo__profile_acceleration(dof) * seconds,
                     reference = seconds > 0 ? (f->q[k] - before[k]) / seconds : 0,
                     wish = speed_for(dof, f->q[k] - f->posture[k], reference, f->gain, share),
                     v = stay_within(dof, f->posture[k], wish);
        f->speed[k] += fmin(fmax(v - f->speed[k], -most), most);
        rests &= fabs(f->speed[k]) < RESTS;
    }
    return rests && f->share == 1 && share > 0;
}
