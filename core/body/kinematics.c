/* Forward kinematics and Jacobians. */
#include <math.h>
#include <string.h>

#include "base/linear.h"
#include "base/sines.h"
#include "model.h"

/* A pose while it moves along a chain: the columns of its rotation, and its position, two numbers at a time, of which the
 * fourth is 0. */
typedef double two __attribute__((vector_size(16)));
union column {
    two halves[2];
    double of[4];
};
struct moving {
    union column x, y, z, position;
};

static const struct moving reference = { .x.of = { 1 }, .y.of = { 0, 1 }, .z.of = { 0, 0, 1 } };

/* at * to, then a turn about z and a slide along it. */
static inline void pass(struct moving *restrict at, const struct robo_pose *restrict to,
                        double slide, double sine, double cosine)
{
    const double *b = to->rotation, *t = to->position;
    for (int i = 0; i < 2; i++) {
        const two x = at->x.halves[i], y = at->y.halves[i], z = at->z.halves[i];
        const two u = x * b[0] + y * b[3] + z * b[6], v = x * b[1] + y * b[4] + z * b[7],
                  w = x * b[2] + y * b[5] + z * b[8];
        at->position.halves[i] += x * t[0] + y * t[1] + z * t[2] + w * slide;
        at->x.halves[i] = u * cosine + v * sine;
        at->y.halves[i] = v * cosine - u * sine;
        at->z.halves[i] = w;
    }
}

static inline void put(const struct moving *at, struct robo_pose *pose)
{
    for (int i = 0; i < 3; i++) {
        pose->rotation[3 * i] = at->x.of[i];
        pose->rotation[3 * i + 1] = at->y.of[i];
        pose->rotation[3 * i + 2] = at->z.of[i];
        pose->position[i] = at->position.of[i];
    }
}

/* How far n dofs of a list have slid or turned. */
struct moves {
    double slide[ROBO_MAX_DOFS], turn[ROBO_MAX_DOFS], sine[ROBO_MAX_DOFS], cosine[ROBO_MAX_DOFS];
};

static void read_moves(const robo_model *m, const double *q, const uint16_t *dof, unsigned n,
                       struct moves *moves)
{
    for (unsigned i = 0; i < n; i++) {
        const struct robo__joint_frame *h = &m->joint_frame[dof[i]];
        const double by = h->ratio * q[h->source] + h->shift;
        moves->slide[i] = h->prismatic ? by : 0;
        moves->turn[i] = h->prismatic ? 0 : by;
    }
    if (n > 0)
        robo__sines(moves->turn, n, moves->sine, moves->cosine);
}

void robo_fk(const robo_model *m, const double *q, struct robo_pose *link)
{
    struct moving moved[ROBO_MAX_DOFS];
    struct moves moves;
    read_moves(m, q, m->order, m->dofs, &moves);
    for (unsigned i = 0; i < m->dofs; i++) {
        unsigned k = m->order[i];
        const struct robo__joint_frame *h = &m->joint_frame[k];
        moved[k] = h->before_dof == ROBO__ROOT ? reference : moved[h->before_dof];
        pass(&moved[k], &h->before, moves.slide[i], moves.sine[i], moves.cosine[i]);
    }
    for (unsigned i = 0; i < m->links; i++) {
        const struct robo__attachment *f = &m->link[i];
        /* cppcheck-suppress uninitvar; a link's dof is one of those above */
        struct moving at = f->dof == ROBO__ROOT ? reference : moved[f->dof];
        pass(&at, &f->after, 0, 0, 1);
        put(&at, &link[i]);
    }
}

int robo_frame_pose(const robo_model *m, const double *q, unsigned frame, struct robo_pose *pose)
{
    if (frame >= m->frames)
        return ROBO_ENONE;
    struct moves moves;
    struct moving at = reference;
    read_moves(m, q, m->chain[frame], m->length[frame], &moves);
    for (unsigned i = 0; i < m->length[frame]; i++)
        pass(&at, &m->joint_frame[m->chain[frame][i]].before, moves.slide[i], moves.sine[i],
             moves.cosine[i]);
    pass(&at, &m->frame[frame].after, 0, 0, 1);
    put(&at, pose);
    return 0;
}

int robo_jacobian(const robo_model *m, const double *q, unsigned frame, struct robo_pose *pose,
                  double *jacobian)
{
    if (frame >= m->frames)
        return ROBO_ENONE;
    const unsigned n = m->dofs, length = m->length[frame];
    struct moves moves;
    union column axis[ROBO_MAX_DOFS], origin[ROBO_MAX_DOFS];
    struct moving at = reference;
    read_moves(m, q, m->chain[frame], length, &moves);
    for (unsigned i = 0; i < length; i++) {
        pass(&at, &m->joint_frame[m->chain[frame][i]].before, moves.slide[i], moves.sine[i],
             moves.cosine[i]);
        axis[i] = at.z;
        origin[i] = at.position;
    }
    pass(&at, &m->frame[frame].after, 0, 0, 1);

    memset(jacobian, 0, 6 * n * sizeof *jacobian);
    for (unsigned i = 0; i < length; i++) {
        const struct robo__joint_frame *h = &m->joint_frame[m->chain[frame][i]];
        const double *z = axis[i].of, *from = origin[i].of;
        const double way[3] = { at.position.of[0] - from[0], at.position.of[1] - from[1],
                                at.position.of[2] - from[2] };
        double *to = jacobian + h->source;
        if (h->prismatic) {
            for (unsigned k = 0; k < 3; k++)
                to[k * n] += h->ratio * z[k];
            continue;
        }
        to[0] += h->ratio * (z[1] * way[2] - z[2] * way[1]);
        to[n] += h->ratio * (z[2] * way[0] - z[0] * way[2]);
        to[2 * n] += h->ratio * (z[0] * way[1] - z[1] * way[0]);
        for (unsigned k = 0; k < 3; k++)
            to[(3 + k) * n] += h->ratio * z[k];
    }
    if (pose)
        put(&at, pose);
    return 0;
}

void robo__pose_difference(const struct robo_pose *from, const struct robo_pose *to, double out[6])
{
    double back[9], turn[9];
    for (int i = 0; i < 3; i++) {
        out[i] = to->position[i] - from->position[i];
        for (int k = 0; k < 3; k++)
            back[3 * i + k] = from->rotation[3 * k + i];
    }
    robo__rotate(to->rotation, back, turn);
    robo__rotation_vector(turn, out + 3);
}

void robo__pose_along(const struct robo_pose *from, const double way[6], double share,
                      struct robo_pose *out)
{
    const double angle = robo__length(way + 3);
    double axis[3], turn[9];
    for (int i = 0; i < 3; i++) {
        out->position[i] = from->position[i] + share * way[i];
        axis[i] = angle > 1e-12 ? way[3 + i] / angle : i == 2;
    }
    robo__rotation_about(axis, share * angle, turn);
    robo__rotate(turn, from->rotation, out->rotation);
}

double robo__pose_distance(const struct robo_pose *from, const struct robo_pose *to, double weight)
{
    double way[6], sum = 0;
    robo__pose_difference(from, to, way);
    for (int i = 0; i < 6; i++)
        sum += way[i] * way[i] * (i < 3 ? 1 : weight * weight);
    return sqrt(sum);
}

void robo_attitude_to_rotation(const double attitude[3], double r[9])
{
    double sr = sin(attitude[0]), cr = cos(attitude[0]), sp = sin(attitude[1]),
           cp = cos(attitude[1]), sy = sin(attitude[2]), cy = cos(attitude[2]);
    const double out[9] = { cy * cp,
                            cy * sp * sr - sy * cr,
                            cy * sp * cr + sy * sr,
                            sy * cp,
                            sy * sp * sr + cy * cr,
                            sy * sp * cr - cy * sr,
                            -sp,
                            cp * sr,
                            cp * cr };
    memcpy(r, out, sizeof out);
}

void robo_rotation_to_attitude(const double r[9], double attitude[3])
{
    double cp = hypot(r[0], r[3]);
    attitude[1] = atan2(-r[6], cp);
    if (cp > 1e-9) {
        attitude[0] = atan2(r[7], r[8]);
        attitude[2] = atan2(r[3], r[0]);
    } else { /* pitch is a quarter turn: only the sum of roll and yaw is defined */
        attitude[0] = atan2(-r[5], r[4]);
        attitude[2] = 0;
    }
}
