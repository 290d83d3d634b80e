/* Sections IV and V of paper 004. */
#include "trial.h"

#include <math.h>
#include <string.h>

#include "base/sized.h"

enum { N = ROBO_TRIAL_JOINTS };

static const double SUBSTEP = 0.001; /* longest step of the sums over a slot, s */
/* Postures at the trajectory's begin, those of the reference; others of the same place give the same figures. Under force
 * the tool begins 2 mm deep in the surface, where its stiffness gives the 20 N that are wanted. */
static const double FREE[N] = { -0.5032571711052269, -0.9054966811288221, -1.0799747084443876,
                                -1.7001040967046863, 2.6945723049868313,  2.0077527110821674,
                                0.5663591285696556 };
static const double TOUCHING[N] = { -0.49688722176561173, -0.9031629038681106, -1.0830789938094938,
                                    -1.708474145214004,   2.695878270270553,   2.0055183847686475,
                                    0.5685014974247107 };

/* On the countertop, 5 N deep. */
static const double DRAWING[N] = { 0.99520004889338853, 1.0141646533919744,   -0.93346580226045428,
                                   0.96580381715462627, -0.51528151029836111, 1.7961630516844251,
                                   -1.3861101309233688 };

/* Whether the tool presses against something, so that z is the force's. */
static bool presses(const struct robo__trial *trial)
{
    return trial->task >= ROBO_TRIAL_FORCE;
}

void robo__trial_init(struct robo__trial *t, enum robo_trial_task task, enum robo_order scheme,
                      double rate)
{
    *t = (struct robo__trial){ .task = task,
                               .scheme = scheme,
                               .rate = rate,
                               .seconds = 5,
                               .weight = { 1, 1, 1, 1, 1, 1, 1 },
                               .gain = 10,
                               .kp = 0.0125,
                               .ki = 0.0125 / 3,
                               .stiffness = 10000,
                               .known_stiffness = 10000,
                               .wanted_force = 20,
                               .acceleration = 100 };
    memcpy(t->start, task == ROBO_TRIAL_FORCE ? TOUCHING : FREE, sizeof FREE);
    if (task != ROBO_TRIAL_COUNTERTOP)
        return;
    t->seconds = 7;
    t->gain = 1;
    t->kp = 0.03;
    t->ki = 0.01;
    t->stiffness = t->known_stiffness = 1730;
    t->wanted_force = 5;
    memcpy(t->start, DRAWING, sizeof DRAWING);
}

struct run {
    const struct robo__trial *trial;
    struct robo__arm arm;
    double speed[N], target[N];
    double task[N];
    double integral, force_error; /* N s, N */
    double sum_task, sum_position, sum_force, sum_time;
};

/* (17), for a base at +0.274 as table I has it: the arm's stands 0.548 m beside. The tool points down: beta counts from
 * there, since the wrist would be out of reach below the counter. */
static void countertop_trajectory(double t, double p[N], double v[N])
{
    const double at[N] = {
        0.3 - 0.548 - 0.03 * t, 0.4, -0.11, M_PI, M_PI - M_PI / 12, 0, -M_PI / 4
    };
    memcpy(p, at, sizeof at);
    memset(v, 0, N * sizeof *v);
    v[0] = -0.03;
}

static void trajectory(enum robo_trial_task task, double t, double p[N], double v[N])
{
    if (task == ROBO_TRIAL_COUNTERTOP) {
        countertop_trajectory(t, p, v);
        return;
    }
    const double at[N] = { -0.2, 0.15 + 0.06 * t, 0.05, M_PI / 2, 3 * M_PI / 4, 0.05, -M_PI / 4 };
    memcpy(p, at, sizeof at);
    memset(v, 0, N * sizeof *v);
    v[1] = 0.06;
    if (task == ROBO_TRIAL_OSCILLATION) {
        p[5] += 0.005 * sin(20 * t);
        v[5] = 0.1 * cos(20 * t);
    }
}

/* Error of the task; angles within half a turn. */
static void task_error(const struct run *r, double t, double error[N])
{
    double p[N], v[N];
    trajectory(r->trial->task, t, p, v);
    for (int i = 0; i < N; i++) {
        error[i] = p[i] - r->task[i];
        if (i >= 3)
            error[i] -= 2 * M_PI * floor((error[i] + M_PI) / (2 * M_PI));
    }
}

/* The height of the surface: it steps by a millimetre, round(sin 5t) mm (16); on the countertop lies a fork 9 mm thick, where
 * the tool is from 3 to 4 s. */
static double surface(enum robo_trial_task task, double t)
{
    if (task == ROBO_TRIAL_COUNTERTOP)
        return -0.11 + (t >= 3 && t < 4 ? 0.009 : 0);
    return 0.05 + 0.001 * floor(sin(5 * t) + 0.5);
}

static double force_error(const struct run *r, double t)
{
    const double depth = surface(r->trial->task, t) - r->task[2];
    return r->trial->wanted_force - fmax(0, r->trial->stiffness * depth);
}

/* Wanted speeds of the task at t (12), (15). With a hold of h, a first-order loop of gain a is exact with the gain (1 -
 * exp(-a h)) / h. */
static void wanted_speeds(const struct run *r, double t, double out[N])
{
    const struct robo__trial *trial = r->trial;
    double p[N], v[N], later[N], ignored[N], error[N], h = 1 / trial->rate;
    double gain = trial->aware ? (1 - exp(-trial->gain * h)) / h : trial->gain, kp = trial->kp;
    task_error(r, t, error);
    trajectory(trial->task, t, p, v);
    trajectory(trial->task, t + h, later, ignored);
    for (int i = 0; i < N; i++)
        out[i] = gain * error[i] + (trial->aware ? (later[i] - p[i]) / h : v[i]);
    if (!presses(trial))
        return;
    double k = trial->kp * trial->known_stiffness;
    if (trial->aware)
        kp *= (1 - exp(-k * h)) / (k * h);
    out[2] = -(kp * r->force_error + trial->ki * r->integral);
}

/* Each joint accelerates constantly to its commanded speed and then keeps it: in closed form. */
static void move(struct run *r, double dt)
{
    double q[N];
    for (int k = 0; k < N; k++) {
        double missing = r->target[k] - r->speed[k], ramp = fabs(missing) / r->trial->acceleration;
        double part = fmin(dt, ramp), rate = copysign(r->trial->acceleration, missing);
        q[k] = r->arm.q[k] + r->speed[k] * part + rate * part * part / 2;
        r->speed[k] = part < ramp ? r->speed[k] + rate * part : r->target[k];
        q[k] += r->speed[k] * (dt - part);
    }
    robo__arm_place(&r->arm, q);
    robo__arm_task(&r->arm, r->task);
}

/* One part of a slot, and its share of the sums: errors are taken at its end. False when the arm is lost. */
static bool go_on(struct run *r, double end, double dt, struct robo_trial_result *out)
{
    double error[N], position = 0, whole = 0, before = r->force_error;
    move(r, dt);
    task_error(r, end, error);
    for (int i = 0; i < N; i++) {
        bool counts = !(i == 2 && presses(r->trial));
        whole += counts ? error[i] * error[i] : 0;
        position += i < 3 && counts ? error[i] * error[i] : 0;
    }
    if (presses(r->trial)) {
        r->force_error = force_error(r, end);
        r->integral += (before + r->force_error) / 2 * dt;
        r->sum_force += r->force_error * r->force_error * dt;
        out->worst_force = fmax(out->worst_force, fabs(r->force_error));
    }
    r->sum_task += whole * dt;
    r->sum_position += position * dt;
    r->sum_time += dt;
    return isfinite(whole) && isfinite(r->integral);
}

static void slot(struct run *r, struct robo__schedule *schedule, uint32_t number,
                 struct robo_trial_result *out)
{
    const struct robo__trial *trial = r->trial;
    double t = number / trial->rate, length = 1 / trial->rate, jacobian[N * N], wanted[N];
    unsigned parts = (unsigned)ceil(length / SUBSTEP - 1e-9);
    struct robo_ordering_choice choice;
    robo__arm_jacobian(&r->arm, jacobian);
    wanted_speeds(r, t, wanted);
    if (robo__schedule_choose(schedule, jacobian, wanted, 0, &choice) < 0) {
        out->lost = true;
        return;
    }
    robo__schedule_sent(schedule, &choice, 0);
    memcpy(r->target, schedule->sent, sizeof r->target);
    for (int k = 0; k < N; k++)
        out->oldest = schedule->age[k] > out->oldest ? schedule->age[k] : out->oldest;
    out->messages += choice.kind != ROBO_CHOICE_NOTHING;
    if (choice.kind == ROBO_CHOICE_SEND)
        out->told[choice.joint]++;
    if (trial->look)
        trial->look(trial->context, t, &choice, r->task, r->force_error);
    for (unsigned k = 1; k <= parts && !out->lost; k++) {
        out->lost = !go_on(r, t + k * length / parts, length / parts, out);
        if (trial->look)
            trial->look(trial->context, t + k * length / parts, NULL, r->task, r->force_error);
    }
}

void robo__trial_run(const struct robo__trial *trial, struct robo_trial_result *out)
{
    struct robo__schedule schedule;
    struct run r = { .trial = trial };
    *out = (struct robo_trial_result){ 0 };
    robo__schedule_init(&schedule, trial->scheme, N, N);
    memcpy(schedule.weight, trial->weight, sizeof trial->weight);
    schedule.most_messages = trial->most_messages;
    robo__arm_place(&r.arm, trial->start);
    robo__arm_task(&r.arm, r.task);
    r.force_error = presses(trial) ? force_error(&r, 0) : 0;
    uint32_t slots = (uint32_t)ceil(trial->seconds * trial->rate - 1e-9);
    for (uint32_t i = 0; i < slots && !out->lost; i++)
        slot(&r, &schedule, i, out);
    if (r.sum_time > 0) {
        out->task = sqrt(r.sum_task / r.sum_time);
        out->position = sqrt(r.sum_position / r.sum_time);
        out->force = sqrt(r.sum_force / r.sum_time);
    }
}

/* A number of the options that is not 0 takes the place of the paper's; false: it cannot be. */
static bool take(double from, double *to)
{
    if (from != 0)
        *to = from;
    return *to > 0 && *to < 1e9;
}

int robo_trial_run(const struct robo_trial_options *options, struct robo_trial_result *result)
{
    struct robo_trial_options o;
    struct robo__trial t;
    int error = robo__sized_take(&o, sizeof o, options);
    if (error < 0 || o.task > ROBO_TRIAL_COUNTERTOP || o.order > ROBO_ORDER_PLANNED ||
        !(o.rate >= 1 && o.rate <= 1e5))
        return ROBO_EINVAL;
    robo__trial_init(&t, o.task, o.order ? o.order : ROBO_ORDER_SEQUENTIAL, o.rate);
    if (!take(o.seconds, &t.seconds) || !take(o.gain, &t.gain) || !take(o.kp, &t.kp) ||
        !take(o.stiffness, &t.stiffness) || !take(o.known_stiffness, &t.known_stiffness) ||
        !take(o.wanted_force, &t.wanted_force) || !take(o.acceleration, &t.acceleration) ||
        t.seconds > 3600)
        return ROBO_EINVAL;
    t.ki = t.kp / 3;
    t.aware = o.aware != 0;
    t.most_messages = o.most_messages;
    for (int i = 0; i < N; i++) {
        if (o.weight)
            t.weight[i] = o.weight[i];
        if (o.shift)
            t.start[i] += o.shift[i];
        if (!(t.weight[i] >= 0 && t.weight[i] < 1e9) || !isfinite(t.start[i]))
            return ROBO_EINVAL;
    }
    t.look = o.look;
    t.context = o.owner;
    robo__trial_run(&t, result);
    return 0;
}
