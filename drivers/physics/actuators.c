/* The actuators of a robot as MJCF: of joints, wheels and bases; and linkages. */

#include "writer.h"

/* The joint that a dof is of. */
static const struct robo_joint *joint_of(const struct robo_description *d, unsigned dof)
{
    unsigned i = 0;
    while (dof < d->joint[i].first || dof >= (unsigned)d->joint[i].first + d->joint[i].dofs)
        i++;
    return &d->joint[i];
}

static void add_actuator(struct robo__writer *w, const struct robo_joint *j,
                         const struct robo_dof *dof)
{
    robo__draft_add(w->out, "<general");
    robo__write_name(w, "name", j->name, dof->name);
    robo__write_name(w, "joint", j->name, dof->name);
    /* its gains are set while it runs. Its servo keeps to the dof's force (servo.h), of which the damping of the joint takes a
     * part: a limit here would leave that out. */
    robo__draft_add(w->out, " biastype=\"affine\"/>\n");
}

/* A dof that follows another one, as by a linkage. */
static void add_mimic(struct robo__writer *w, const struct robo_joint *j,
                      const struct robo_dof *dof)
{
    const struct robo_description *d = w->d;
    const struct robo_joint *leader = joint_of(d, dof->mimics - 1u);
    const bool moves = robo__mjcf_drives(d, (unsigned)(leader - d->joint));
    robo__draft_add(w->out, "<joint");
    robo__write_name(w, "joint1", j->name, dof->name);
    if (moves)
        robo__write_name(w, "joint2", leader->name, d->dof[dof->mimics - 1u].name);
    const double coefficients[5] = { moves ? dof->shift : dof->home, moves ? dof->ratio : 0 };
    robo__write_values(w, "polycoef", coefficients, 5);
    robo__draft_add(w->out, " solref=\"0.005 1\" solimp=\"0.99 0.999 0.001\"/>\n");
}

/* Calls add for each dof that the physics drives: followers if `mimics`, else the others. */
static void add_dofs(struct robo__writer *w, bool mimics,
                     void (*add)(struct robo__writer *w, const struct robo_joint *j,
                                 const struct robo_dof *dof))
{
    const struct robo_description *d = w->d;
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; robo__mjcf_drives(d, i) && k < d->joint[i].dofs; k++)
            if ((d->dof[d->joint[i].first + k].mimics > 0) == mimics)
                add(w, &d->joint[i], &d->dof[d->joint[i].first + k]);
}

static void add_drives(struct robo__writer *w)
{
    for (unsigned i = 0; i < w->wheels.count; i++) {
        const struct robo__wheel *wheel = &w->wheels.wheel[i];
        if (wheel->roll == ROBO_ROLL_CASTER)
            continue;
        robo__draft_add(w->out, "<general");
        robo__write_wheel_name(w, "name", (int)i);
        if (wheel->roll == ROBO_ROLL_OMNI) {
            robo__write_wheel_name(w, "jointinparent", (int)i);
            robo__draft_add(w->out,
                            " gear=\"0 0 1\""); /* as the cylinder lies, however it has turned */
        } else {
            robo__write_wheel_name(w, "joint", (int)i);
        }
        robo__draft_add(w->out,
                        " biastype=\"affine\" forcelimited=\"true\" forcerange=\"-1 1\"/>\n");
    }
}

static void add_planar(struct robo__writer *w)
{
    static const char *const ways[] = { "x", "y", "theta" };
    for (int i = 0; robo__mjcf_footing(w->d) == ROBO__FOOTING_PLANE && i < 3; i++) {
        robo__draft_add(w->out, "<general");
        robo__write_name(w, "name", NULL, ways[i]);
        robo__write_name(w, "joint", NULL, ways[i]);
        robo__draft_add(w->out,
                        " biastype=\"affine\" forcelimited=\"true\" forcerange=\"-1 1\"/>\n");
    }
}

void robo__write_actuators(struct robo__writer *w)
{
    add_dofs(w, false, add_actuator);
    add_drives(w);
    add_planar(w);
}

void robo__write_equalities(struct robo__writer *w)
{
    add_dofs(w, true, add_mimic);
}
