/* Walking on two legs. */
#include "biped.h"

#include <math.h>
#include <string.h>

#include "base/linear.h"
#include "robotalk/kinematics.h"

static const double AHEAD = 1.6; /* s that are looked ahead */
/* It stands: m and m/s of the centre of mass, from its place; of which the soles are not aware. It gets nearer by a factor of e in a
 * quarter of a second. */
static const double STANDS = 2e-3, RESTS = 1e-2;

/* Of the ankles against leaning: rad of a rad, rad of a rad/s, rad at most. Half of that and it walks as well: ASIMO's model at
 * 0.4 m/s falls without. */
static const double STIFFNESS = 0.5, DAMPING = 0.05, MOST_TILT = 0.15;
static const double RISE = 0.1, RISES = 0.2; /* m/s; s in which it slows down at the end of that */
static const double CALM = 0.5, MOST_OFF = 0.05; /* s; m */

static double bump(double u)
{
    const double w = 4 * u * (1 - u);
    return w * w;
}

void robo__biped_weigh(const struct robo__biped_kind *k, const double *q, double com[3])
{
    struct robo_pose link[ROBO_MAX_LINKS];
    const struct robo_description *d = k->description;
    double mass = 0, sum[3] = { 0 };
    robo_fk(k->model, q, link);
    for (unsigned i = 0; i < d->links; i++) {
        double at[3];
        robo__turn(link[i].rotation, d->link[i].com, at);
        mass += d->link[i].mass;
        for (int n = 0; n < 3; n++)
            sum[n] += d->link[i].mass * (link[i].position[n] + at[n]);
    }
    for (int n = 0; n < 3; n++)
        com[n] = mass > 0 ? sum[n] / mass : 0;
}

bool robo__biped_make(struct robo__biped_kind *k, double dt)
{
    const struct robo_description *d = k->description;
    double home[ROBO_MAX_DOFS];
    for (unsigned i = 0; i < d->dofs; i++)
        home[i] = d->dof[i].home;
    k->mass = 0;
    for (unsigned i = 0; i < d->links; i++)
        k->mass += d->link[i].mass;
    robo__biped_weigh(k, home, k->com);
    for (int i = 0; i < 2; i++) {
        struct robo_pose foot;
        if (robo_frame_pose(k->model, home, k->frame[i], &foot) < 0)
            return false;
        memcpy(k->rotation[i], foot.rotation, sizeof foot.rotation);
        k->stepping.stand[i] = (struct robo__place){ foot.position[0], foot.position[1], 0 };
        k->ankle = k->root + foot.position[2];
    }
    k->stepping.bear.x = k->com[0] - k->stepping.stand[0].x;
    return k->mass > 0 && k->stepping.stand[0].y > k->stepping.stand[1].y &&
           robo__preview_make(&k->preview, dt, k->root + k->com[2], AHEAD);
}

static double mean_angle(double a, double b)
{
    return a + remainder(b - a, 2 * M_PI) / 2;
}

void robo__biped_stand(const struct robo__biped_kind *k, const double *q, struct robo__biped *b)
{
    struct robo__place foot[2];
    double lowest = HUGE_VAL;
    *b = (struct robo__biped){ 0 };
    for (int i = 0; i < 2; i++) {
        struct robo_pose pose;
        robo_frame_pose(k->model, q, k->frame[i], &pose);
        lowest = fmin(lowest, pose.position[2]);
        const double *r = pose.rotation, *h = k->rotation[i];
        foot[i] = (struct robo__place){
            pose.position[0], pose.position[1],
            atan2(r[3] * h[0] + r[4] * h[1] + r[5] * h[2] - r[0] * h[3] - r[1] * h[4] - r[2] * h[5],
                  r[0] * h[0] + r[1] * h[1] + r[2] * h[2] + r[3] * h[3] + r[4] * h[4] + r[5] * h[5])
        };
    }
    b->z = k->ankle - lowest;
    robo__biped_weigh(k, q, b->com);
    robo__footsteps_stand(&k->stepping, foot, &b->steps);
    for (int i = 0; i < 2; i++) {
        b->cart[i].x[0] = b->com[i];
        b->steps.from[i] = b->com[i];
    }
}

static bool bend(const struct robo__biped_kind *k, int leg, const struct robo_pose *pose, double *q)
{
    struct robo_ik_options options = { .size = sizeof options,
                                       .position_tolerance = 1e-9,
                                       .rotation_tolerance = 1e-9,
                                       .iterations = 60,
                                       .attempts = 1 };
    struct robo_ik_report report;
    memcpy(options.fixed, k->others[leg], sizeof options.fixed);
    robo_ik(k->model, k->frame[leg], pose, &options, q, &report);
    return report.position_error < 1e-5 && report.rotation_error < 1e-4;
}

/* A foot as the root sees it, when the root's axes are r. */
static void seen(const struct robo__biped_kind *k, const struct robo__biped *b, int leg,
                 const double r[9], struct robo_pose *pose)
{
    struct robo__place at;
    const double u = robo__footsteps_swing(&b->steps, leg, &at);
    const double stands = 1 - bump(u),
                 attitude[3] = { b->tilt[0] * stands, b->tilt[1] * stands, at.theta };
    double turn[9], foot[9],
        way[3] = { at.x - b->x, at.y - b->y, k->ankle + k->lift * bump(u) - b->z };
    robo__turn_back(r, way, pose->position);
    robo_attitude_to_rotation(attitude, turn);
    robo__rotate(turn, k->rotation[leg], foot);
    robo__rotate_back(r, foot, pose->rotation);
}

/* Puts the root so that the centre of mass is where it shall be, and bends the legs. The second round has the legs as the first
 * has bent them. */
static void bend_legs(const struct robo__biped_kind *k, struct robo__biped *b, double *q)
{
    const double up[3] = { 0, 0, 1 };
    double r[9];
    robo__rotation_about(up, b->theta, r);
    b->reached = true;
    for (int round = 0; round < 2; round++) {
        double com[3];
        const double at[3] = { b->com[0] + b->off[0], b->com[1] + b->off[1], b->com[2] };
        robo__turn(r, at, com);
        b->x = b->cart[0].x[0] - com[0];
        b->y = b->cart[1].x[0] - com[1];
        b->reached = true;
        for (int i = 0; i < 2; i++) {
            struct robo_pose pose;
            seen(k, b, i, r, &pose);
            b->reached &= bend(k, i, &pose, q);
        }
        robo__biped_weigh(k, q, b->com);
    }
}

/* A body that leans ahead stands on its toes: its ankles turn by a share of that, and of how fast it leans. The position of
 * its weight changes slowly, and cannot be distinguished from a yielding of its joints: so it is followed just as slowly. */
static void keep_balance(const struct robo__biped_kind *k, const struct robo__balance *felt,
                         struct robo__biped *b)
{
    for (int i = 0; i < 2; i++) {
        const double tilt = STIFFNESS * felt->lean[i] + DAMPING * felt->spin[i],
                     off = felt->com[i] - b->com[i];
        b->tilt[i] = fmin(fmax(tilt, -MOST_TILT), MOST_TILT);
        b->off[i] += (off - b->off[i]) * k->preview.dt / CALM;
        b->off[i] = fmin(fmax(b->off[i], -MOST_OFF), MOST_OFF);
    }
}

/* A body that had bent its legs straightens them, and sinks when it had them straight. True while it does. */
static bool rise(const struct robo__biped_kind *k, struct robo__biped *b)
{
    const double off = k->root - b->z, dt = k->preview.dt, most = RISE * dt;
    b->z += fmin(fmax(off * dt / RISES, -most), most);
    return fabs(off) > STANDS;
}

bool robo__biped_go(const struct robo__biped_kind *k, const double velocity[3],
                    const struct robo__balance *felt, struct robo__biped *b, double *q)
{
    double wanted[2][ROBO__MOST_AHEAD + 1];
    struct robo__place foot[2];
    const struct robo__preview *p = &k->preview;
    bool going = robo__footsteps_go(&k->stepping, p->dt, velocity, p->ahead * p->dt, &b->steps);
    for (unsigned j = 0; j <= p->ahead; j++) {
        double at[2];
        robo__footsteps_bear(&k->stepping, &b->steps, j * p->dt, at);
        wanted[0][j] = at[0];
        wanted[1][j] = at[1];
    }
    for (int i = 0; i < 2; i++) {
        robo__preview_step(p, wanted[i], &b->cart[i]);
        going |= fabs(b->cart[i].x[0] - wanted[i][0]) > STANDS || fabs(b->cart[i].x[1]) > RESTS;
        robo__footsteps_swing(&b->steps, i, &foot[i]);
    }
    b->theta = mean_angle(foot[0].theta, foot[1].theta);
    going |= rise(k, b);
    if (felt)
        keep_balance(k, felt, b);
    bend_legs(k, b, q);
    return going;
}
