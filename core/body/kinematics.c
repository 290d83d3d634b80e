/* Forward kinematics and Jacobians. */
#include <math.h>
#include <string.h>

#include "base/linear.h"
#include "model.h"

/* pose * before, then the dof's own motion: a turn about z, or a slide along it. */
static inline void pass(struct robo_pose *restrict pose, const struct robo__joint_frame *restrict h,
                        const double *q)
{
    const double *a = pose->rotation, *b = h->before.rotation, *t = h->before.position;
    double r[9], x = h->ratio * q[h->source] + h->shift;
    for (int i = 0; i < 3; i++) {
        double a0 = a[3 * i], a1 = a[3 * i + 1], a2 = a[3 * i + 2];
        pose->position[i] += a0 * t[0] + a1 * t[1] + a2 * t[2];
        r[3 * i] = a0 * b[0] + a1 * b[3] + a2 * b[6];
        r[3 * i + 1] = a0 * b[1] + a1 * b[4] + a2 * b[7];
        r[3 * i + 2] = a0 * b[2] + a1 * b[5] + a2 * b[8];
    }
    if (h->prismatic) {
        for (int i = 0; i < 3; i++)
            pose->position[i] += r[3 * i + 2] * x;
        memcpy(pose->rotation, r, sizeof r);
        return;
    }
    double s, c;
    sincos(x, &s, &c);
    for (int i = 0; i < 3; i++) {
        double u = r[3 * i], v = r[3 * i + 1];
        pose->rotation[3 * i] = c * u + s * v;
        pose->rotation[3 * i + 1] = c * v - s * u;
        pose->rotation[3 * i + 2] = r[3 * i + 2];
    }
}

static const struct robo_pose reference = { .rotation = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };

void robo_fk(const robo_model *m, const double *q, struct robo_pose *link)
{
    struct robo_pose moved[ROBO_MAX_DOFS];
    for (unsigned i = 0; i < m->dofs; i++) {
        unsigned k = m->order[i];
        const struct robo__joint_frame *h = &m->joint_frame[k];
        moved[k] = h->before_dof == ROBO__ROOT ? reference : moved[h->before_dof];
        pass(&moved[k], h, q);
    }
    for (unsigned i = 0; i < m->links; i++) {
        const struct robo__attachment *f = &m->link[i];
        /* cppcheck-suppress uninitvar; a link's dof is one of those above */
        link[i] = f->dof == ROBO__ROOT ? reference : moved[f->dof];
        robo__pose_append(&link[i], &f->after);
    }
}

int robo_frame_pose(const robo_model *m, const double *q, unsigned frame, struct robo_pose *pose)
{
    if (frame >= m->frames)
        return ROBO_ENONE;
    *pose = reference;
    for (unsigned i = 0; i < m->length[frame]; i++)
        pass(pose, &m->joint_frame[m->chain[frame][i]], q);
    robo__pose_append(pose, &m->frame[frame].after);
    return 0;
}

int robo_jacobian(const robo_model *m, const double *q, unsigned frame, struct robo_pose *pose,
                  double *jacobian)
{
    if (frame >= m->frames)
        return ROBO_ENONE;
    const unsigned n = m->dofs, length = m->length[frame];
    double axis[ROBO_MAX_DOFS][3], origin[ROBO_MAX_DOFS][3];
    struct robo_pose at = reference;
    for (unsigned i = 0; i < length; i++) {
        pass(&at, &m->joint_frame[m->chain[frame][i]], q);
        for (int k = 0; k < 3; k++) {
            axis[i][k] = at.rotation[3 * k + 2];
            origin[i][k] = at.position[k];
        }
    }
    robo__pose_append(&at, &m->frame[frame].after);

    memset(jacobian, 0, 6 * n * sizeof *jacobian);
    for (unsigned i = 0; i < length; i++) {
        const struct robo__joint_frame *h = &m->joint_frame[m->chain[frame][i]];
        const double *z = axis[i];
        double *column = jacobian + h->source;
        if (h->prismatic) {
            for (unsigned k = 0; k < 3; k++)
                column[k * n] += h->ratio * z[k];
            continue;
        }
        double x = at.position[0] - origin[i][0], y = at.position[1] - origin[i][1],
               w = at.position[2] - origin[i][2];
        column[0] += h->ratio * (z[1] * w - z[2] * y);
        column[n] += h->ratio * (z[2] * x - z[0] * w);
        column[2 * n] += h->ratio * (z[0] * y - z[1] * x);
        for (unsigned k = 0; k < 3; k++)
            column[(3 + k) * n] += h->ratio * z[k];
    }
    if (pose)
        *pose = at;
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
