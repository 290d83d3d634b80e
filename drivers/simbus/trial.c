/* Sections IV and V of paper 004. */
#include "trial.h"

#include <math.h>
#include <string.h>

#include "base/sized.h"

enum { N = ROBO_TRIAL_JOINTS, GAMMA = 5, SERVOS = ROBO_TRIAL_SERVOS, ARMS = SERVOS / (N - 1) };

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
                               .servos = N,
                               .together = 1,
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

/* One arm. Without its last joint, which moves nothing but gamma, it has the other six coordinates of the task. */
struct limb {
    struct robo__arm arm;
    unsigned joints, first; /* first: of all, its column */
    double speed[N], target[N];
    double task[N];
    double integral, force_error;     /* N s, N */
    double felt_integral, felt_error; /* when the next message was decided */
};

struct run {
    const struct robo__trial *trial;
    struct limb limb[ARMS];
    unsigned limbs;
    double sum_task, sum_position, sum_force, sum_time;
};

/* The coordinate of the task that is row i of an arm. */
static unsigned coordinate(const struct limb *limb, unsigned i)
{
    return limb->joints == N || i < GAMMA ? i : i + 1;
}

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
static void task_error(const struct run *r, const struct limb *limb, double t, double error[N])
{
    double p[N], v[N];
    trajectory(r->trial->task, t, p, v);
    for (int i = 0; i < N; i++) {
        error[i] = p[i] - limb->task[i];
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

static double force_error(const struct run *r, const struct limb *limb, double t)
{
    const double depth = surface(r->trial->task, t) - limb->task[2];
    return r->trial->wanted_force - fmax(0, r->trial->stiffness * depth);
}

/* Wanted speeds of an arm's task at t (12), (15). With a hold of h, a first-order loop of gain a is exact with the gain (1 -
 * exp(-a h)) / h. */
static void wanted_speeds(const struct run *r, const struct limb *limb, double t, double out[N])
{
    const struct robo__trial *trial = r->trial;
    double p[N], v[N], later[N], ignored[N], error[N], h = 1 / trial->rate;
    double gain = trial->aware ? (1 - exp(-trial->gain * h)) / h : trial->gain, kp = trial->kp;
    task_error(r, limb, t, error);
    trajectory(trial->task, t, p, v);
    trajectory(trial->task, t + h, later, ignored);
    for (int i = 0; i < N; i++)
        out[i] = gain * error[i] + (trial->aware ? (later[i] - p[i]) / h : v[i]);
    if (!presses(trial))
        return;
    double k = trial->kp * trial->known_stiffness;
    if (trial->aware)
        kp *= (1 - exp(-k * h)) / (k * h);
    out[2] = -(kp * limb->felt_error + trial->ki * limb->felt_integral);
}

/* Each joint accelerates constantly to its commanded speed and then keeps it: in closed form. */
static void move(struct limb *limb, double acceleration, double dt)
{
    double q[N];
    for (int k = 0; k < N; k++) {
        double missing = limb->target[k] - limb->speed[k], ramp = fabs(missing) / acceleration;
        double part = fmin(dt, ramp), rate = copysign(acceleration, missing);
        q[k] = limb->arm.q[k] + limb->speed[k] * part + rate * part * part / 2;
        limb->speed[k] = part < ramp ? limb->speed[k] + rate * part : limb->target[k];
        q[k] += limb->speed[k] * (dt - part);
    }
    robo__arm_place(&limb->arm, q);
    robo__arm_task(&limb->arm, limb->task);
}

/* One part of a slot for an arm, and its share of the sums: errors are taken at its end. False when the arm is lost. */
static bool go_on(struct run *r, struct limb *limb, double end, double dt,
                  struct robo_trial_result *out)
{
    double error[N], position = 0, whole = 0, before = limb->force_error;
    move(limb, r->trial->acceleration, dt);
    task_error(r, limb, end, error);
    for (unsigned i = 0; i < limb->joints; i++) {
        const unsigned at = coordinate(limb, i);
        bool counts = !(at == 2 && presses(r->trial));
        whole += counts ? error[at] * error[at] : 0;
        position += at < 3 && counts ? error[at] * error[at] : 0;
    }
    if (presses(r->trial)) {
        limb->force_error = force_error(r, limb, end);
        limb->integral += (before + limb->force_error) / 2 * dt;
        r->sum_force += limb->force_error * limb->force_error * dt;
        out->worst_force = fmax(out->worst_force, fabs(limb->force_error));
    }
    r->sum_task += whole * dt;
    r->sum_position += position * dt;
    r->sum_time += dt;
    return isfinite(whole) && isfinite(limb->integral);
}

/* All arms, for a while. */
static void go_for(struct run *r, double t, double length, struct robo_trial_result *out)
{
    const unsigned parts = (unsigned)ceil(length / SUBSTEP - 1e-9);
    for (unsigned k = 1; k <= parts && !out->lost; k++) {
        const double end = t + k * length / parts;
        for (unsigned i = 0; i < r->limbs && !out->lost; i++)
            out->lost = !go_on(r, &r->limb[i], end, length / parts, out);
        if (r->trial->look)
            r->trial->look(r->trial->context, end, NULL, r->limb[0].task, r->limb[0].force_error);
    }
}

/* The Jacobian of all arms, whose blocks are theirs, and the speeds that their tasks want. */
static void look_at_tasks(const struct run *r, double t, double *jacobian, double *wanted)
{
    const unsigned n = r->trial->servos;
    memset(jacobian, 0, sizeof *jacobian * n * n);
    for (const struct limb *limb = r->limb; limb < r->limb + r->limbs; limb++) {
        double own[N * N], speeds[N];
        robo__arm_jacobian(&limb->arm, own);
        wanted_speeds(r, limb, t, speeds);
        for (unsigned i = 0; i < limb->joints; i++) {
            const unsigned from = coordinate(limb, i), row = limb->first + i;
            wanted[row] = speeds[from];
            memcpy(jacobian + (size_t)row * n + limb->first, own + (size_t)from * N,
                   sizeof *own * limb->joints);
        }
    }
}

/* A message: to the joints that the schedule chooses one after the other. False: an arm is lost. */
static bool decide(struct run *r, struct robo__schedule *schedule, double t,
                   struct robo_trial_result *out)
{
    const struct robo__trial *trial = r->trial;
    double jacobian[SERVOS * SERVOS], wanted[SERVOS];
    struct robo_ordering_choice choice;
    look_at_tasks(r, t, jacobian, wanted);
    for (unsigned i = 0; i < trial->together; i++) {
        if (robo__schedule_choose(schedule, jacobian, wanted, 0, &choice) < 0)
            return false;
        robo__schedule_sent(schedule, &choice, 0);
        out->messages += i == 0 && choice.kind != ROBO_CHOICE_NOTHING;
        for (unsigned k = 0; k < r->limbs && choice.kind == ROBO_CHOICE_SEND; k++)
            if (choice.joint - r->limb[k].first < r->limb[k].joints)
                out->told[choice.joint - r->limb[k].first]++;
        if (trial->look)
            trial->look(trial->context, t, &choice, r->limb[0].task, r->limb[0].force_error);
        if (choice.kind == ROBO_CHOICE_NOTHING)
            break;
    }
    for (unsigned k = 0; k < trial->servos; k++)
        out->oldest = schedule->age[k] > out->oldest ? schedule->age[k] : out->oldest;
    return true;
}

/* The force that the next message will know. */
static void feel(struct run *r)
{
    for (struct limb *limb = r->limb; limb < r->limb + r->limbs; limb++) {
        limb->felt_error = limb->force_error;
        limb->felt_integral = limb->integral;
    }
}

static void slot(struct run *r, struct robo__schedule *schedule, uint32_t number,
                 struct robo_trial_result *out)
{
    const double t = number / r->trial->rate, length = 1 / r->trial->rate, late = r->trial->late;
    out->lost = !decide(r, schedule, t, out);
    for (struct limb *limb = r->limb; limb < r->limb + r->limbs; limb++)
        memcpy(limb->target, schedule->sent + limb->first, sizeof *limb->target * limb->joints);
    go_for(r, t, length - late, out);
    feel(r);
    go_for(r, t + length - late, late, out);
}

/* As many arms of seven joints as leave six for each of the others. */
static void make_limbs(struct run *r)
{
    const unsigned n = r->trial->servos;
    r->limbs = (n + N - 1) / N;
    for (unsigned i = 0, at = 0; i < r->limbs; i++) {
        struct limb *limb = &r->limb[i];
        limb->joints = i < n - r->limbs * (N - 1) ? N : N - 1;
        limb->first = at;
        at += limb->joints;
        robo__arm_place(&limb->arm, r->trial->start);
        robo__arm_task(&limb->arm, limb->task);
        limb->force_error = presses(r->trial) ? force_error(r, limb, 0) : 0;
    }
    feel(r);
}

void robo__trial_run(const struct robo__trial *trial, struct robo_trial_result *out)
{
    struct robo__schedule schedule;
    struct run r = { .trial = trial };
    *out = (struct robo_trial_result){ 0 };
    make_limbs(&r);
    robo__schedule_init(&schedule, trial->scheme, trial->servos, trial->servos);
    for (unsigned k = 0; k < r.limbs; k++)
        for (unsigned i = 0; i < r.limb[k].joints; i++)
            schedule.weight[r.limb[k].first + i] = trial->weight[coordinate(&r.limb[k], i)];
    schedule.most_messages = trial->most_messages;
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
        t.seconds > 3600 || !(o.late >= 0 && o.late <= 1 / o.rate * (1 + 1e-9)))
        return ROBO_EINVAL;
    t.late = fmin(o.late, 1 / o.rate);
    t.servos = o.servos ? o.servos : N;
    t.together = o.together ? o.together : 1;
    if (t.servos > SERVOS || t.together > t.servos || (t.servos + N - 1) / N * (N - 1) > t.servos ||
        (t.scheme == ROBO_ORDER_PLANNED && t.servos > ROBO_ORDERING_PLANNED))
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
