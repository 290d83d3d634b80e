/* The world of an RCML file. Links are Segments in Joints, in the tree that the joints make; control frames are Sites. VRML has y
 * up and people look along z, so one Transform at the root turns the robot's x, y, z into z, x, y. */
#include "humanoid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linear.h"
#include "body/body.h"
#include "body/description.h"
#include "attachments.h"
#include "robotalk/rcml.h"

/* Nodes that a walk along a list of all joints may meet: readers have a bound, as ROBO_SCENE_NODES is ours. */
enum { MOST_LISTED = ROBO_SCENE_NODES / 2 };

struct world {
    struct robo__page *page;
    const struct robo_description *d;
    bool humanoid;     /* its joints have H-Anim's names */
    unsigned depth;    /* of joints in joints */
    unsigned long met; /* nodes in all joints so far, each with its attachments */
};

/* ---- names ---- */

static int find_joint(const struct robo_description *d, const char *name)
{
    for (unsigned i = 0; i < d->joints; i++)
        if (strcmp(d->joint[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool is_humanoid(const struct robo_description *d)
{
    static const char *const needed[] = { "l_hip", "r_hip", "l_knee", "r_knee" };
    for (unsigned i = 0; i < 4; i++)
        if (find_joint(d, needed[i]) < 0)
            return false;
    return true;
}

/* The name of a joint in the file: H-Anim's name of the root is HumanoidRoot. */
static const char *joint_name(const struct world *w, unsigned number)
{
    const struct robo_joint *j = &w->d->joint[number];
    return w->humanoid && j->parent == ROBO_WORLD ? "HumanoidRoot" : j->name;
}

static const char *link_name(const struct world *w, unsigned number)
{
    return w->d->link[number].name;
}

static const char *frame_name(const struct world *w, unsigned number)
{
    return w->d->frame[number].name;
}

/* Names for DEF of a kind: a prefix, and their names. */
struct kind {
    const char *prefix;
    unsigned first;
    const char *(*name)(const struct world *w, unsigned number);
};

static const struct kind plain_joints = { "joint_", 0, joint_name },
                         humanoid_joints = { "hanim_", 0, joint_name },
                         links = { "link_", 0, link_name }, frames = { "site_", 1, frame_name };

static const struct kind *joints_of(const struct world *w)
{
    return w->humanoid ? &humanoid_joints : &plain_joints;
}

/* DEF takes letters, digits, _ and bytes from 0x80 on; in place of others stands _. */
static char def_char(char c)
{
    const unsigned char u = (unsigned char)c;
    return (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u >= 0x80
               ? c
               : '_';
}

enum { DEF_NAME = 40 }; /* bytes of a name in a DEF */

static bool have_one_def(const char *one, const char *other)
{
    for (int i = 0; i < DEF_NAME; i++) {
        if (!one[i] || !other[i])
            return one[i] == other[i];
        if (def_char(one[i]) != def_char(other[i]))
            return false;
    }
    return true;
}

static void def_name(const char *prefix, const char *name, char text[80])
{
    snprintf(text, 80, "%s%.*s", prefix, DEF_NAME, name);
    for (char *c = text; *c; c++)
        *c = def_char(*c);
}

/* The name for DEF and USE; a later object of the same name has its number behind it. */
static void def_of(const struct world *w, const struct kind *kind, unsigned number, char text[80])
{
    const char *name = kind->name(w, number);
    def_name(kind->prefix, name, text);
    for (unsigned i = kind->first; i < number; i++) {
        if (have_one_def(kind->name(w, i), name)) {
            snprintf(text + strlen(text), 80 - strlen(text), "_%u", number);
            return;
        }
    }
}

/* ---- dofs ---- */

static void write_servo(struct robo__page *page, uint8_t servo)
{
    robo__page_begin(page, "servo");
    if (servo & ROBO_SERVO_SETPOINT)
        robo__page_word(page, "setpoint");
    if (servo & ROBO_SERVO_SPEED)
        robo__page_word(page, "speed");
    if (servo & ROBO_SERVO_FORCE)
        robo__page_word(page, "force");
    robo__page_end(page);
}

/* A list with a number of each dof; nothing when all have `unsaid`. */
static void write_list(const struct world *w, const struct robo_joint *j, const char *field,
                       size_t member, double sign, double unsaid)
{
    bool said = false;
    for (unsigned i = 0; i < j->dofs; i++)
        said |= *(const double *)(const void *)((const char *)&w->d->dof[j->first + i] + member) !=
                unsaid;
    if (!said)
        return;
    robo__page_begin(w->page, field);
    for (unsigned i = 0; i < j->dofs; i++) {
        const char *dof = (const char *)&w->d->dof[j->first + i];
        robo__page_value(w->page, sign * *(const double *)(const void *)(dof + member));
    }
    robo__page_end(w->page);
}

/* Properties of dofs beside their limits: which dof follows which, and where they go on a panic. */
static void write_ties(const struct world *w, const struct robo_joint *j)
{
    bool follows = false, retreats = false;
    for (unsigned i = 0; i < j->dofs; i++) {
        follows |= w->d->dof[j->first + i].mimics != 0;
        retreats |= w->d->dof[j->first + i].retreats != 0;
    }
    if (follows) {
        robo__page_begin(w->page, "dofFollows");
        for (unsigned i = 0; i < j->dofs; i++)
            robo__page_value(w->page, (double)w->d->dof[j->first + i].mimics - 1);
        robo__page_end(w->page);
        robo__page_begin(w->page, "dofRatioShift");
        for (unsigned i = 0; i < j->dofs; i++) {
            robo__page_value(w->page, w->d->dof[j->first + i].ratio);
            robo__page_value(w->page, w->d->dof[j->first + i].shift);
        }
        robo__page_end(w->page);
    }
    if (retreats) {
        robo__page_begin(w->page, "dofRetreats");
        for (unsigned i = 0; i < j->dofs; i++)
            robo__page_value(w->page, w->d->dof[j->first + i].retreats);
        robo__page_end(w->page);
        write_list(w, j, "dofRetreat", offsetof(struct robo_dof, retreat), 1, NAN);
    }
}

static bool has_limits(const struct robo_description *d, const struct robo_joint *j)
{
    for (unsigned i = 0; i < j->dofs; i++)
        if (d->dof[j->first + i].low <= d->dof[j->first + i].high)
            return true;
    return false;
}

static void write_dofs(const struct world *w, const struct robo_joint *j)
{
    struct robo__page *page = w->page;
    const struct robo_dof *dof = &w->d->dof[j->first];
    if (j->dofs == 1) {
        robo__page_place(page, "jointAxis", dof->axis);
        robo__page_whole(page, "jointId", j->first);
    }
    if (has_limits(w->d, j)) {
        write_list(w, j, "llimit", offsetof(struct robo_dof, low), 1, NAN);
        write_list(w, j, "ulimit", offsetof(struct robo_dof, high), 1, NAN);
    }
    write_list(w, j, "lvlimit", offsetof(struct robo_dof, speed), -1, 0);
    write_list(w, j, "uvlimit", offsetof(struct robo_dof, speed), 1, 0);
    robo__page_begin(page, "dofName");
    for (unsigned i = 0; i < j->dofs; i++)
        robo__page_word(page, dof[i].name);
    robo__page_end(page);
    robo__page_begin(page, "dofType");
    for (unsigned i = 0; i < j->dofs; i++)
        robo__page_word(page, dof[i].kind == ROBO_PRISMATIC ? "slide" : "rotate");
    robo__page_end(page);
    robo__page_begin(page, "dofAxis");
    for (unsigned i = 0; i < j->dofs; i++)
        for (int k = 0; k < 3; k++)
            robo__page_value(page, dof[i].axis[k]);
    robo__page_end(page);
    write_list(w, j, "dofAcceleration", offsetof(struct robo_dof, acceleration), 1, 0);
    write_list(w, j, "dofForce", offsetof(struct robo_dof, force), 1, 0);
    write_list(w, j, "dofHome", offsetof(struct robo_dof, home), 1, 0);
    write_ties(w, j);
    write_servo(page, j->servo);
    if (j->leg)
        robo__page_whole(page, "leg", j->leg);
    robo__page_given_text(page, "translator", j->translator);
}

static const char *joint_type(const struct robo_description *d, const struct robo_joint *j)
{
    if (j->dofs == 0) /* a root; a base moves it anywhere */
        return d->commands >> (ROBO_SET_SPEED - ROBO_FIRST_OP) & 1 ? "free" : "fixed";
    if (j->dofs == 1)
        return d->dof[j->first].kind == ROBO_PRISMATIC ? "slide" : "rotate";
    return "free";
}

/* ---- links ---- */

static void write_mass(const struct world *w, const struct robo_link *l)
{
    static const int place[9] = { 0, 3, 4, 3, 1, 5, 4, 5, 2 }; /* of a matrix, row by row */
    robo__page_given(w->page, "mass", l->mass);
    robo__page_translation(w->page, "centerOfMass", l->com);
    bool any = false;
    for (int i = 0; i < 6; i++)
        any |= l->inertia[i] != 0;
    if (!any)
        return;
    robo__page_begin(w->page, "momentsOfInertia");
    for (int i = 0; i < 9; i++)
        robo__page_value(w->page, l->inertia[place[i]]);
    robo__page_end(w->page);
}

static void write_site(const struct world *w, unsigned number)
{
    const struct robo_frame *f = &w->d->frame[number];
    char name[80];
    double turn[9];
    def_of(w, &frames, number, name);
    robo_attitude_to_rotation(f->attitude, turn);
    robo__page_open(w->page, name, "Site {");
    robo__page_text(w->page, "name", f->name);
    robo__page_translation(w->page, "translation", f->position);
    robo__page_rotation(w->page, "rotation", turn);
    write_servo(w->page, f->servo);
    robo__page_given(w->page, "speed", f->speed);
    robo__page_given(w->page, "turn", f->turn);
    robo__page_given_text(w->page, "translator", f->translator);
    robo__page_whole(w->page, "number", number);
    robo__page_close(w->page, "}");
}

static void write_segment(const struct world *w, unsigned number)
{
    const struct robo_link *l = &w->d->link[number];
    char name[80];
    def_of(w, &links, number, name);
    robo__page_open(w->page, name, "Segment {");
    robo__page_text(w->page, "name", l->name);
    robo__page_whole(w->page, "number", number);
    write_mass(w, l);
    robo__page_open(w->page, NULL, "children [");
    for (unsigned i = 0; i < w->d->shapes; i++)
        if (w->d->shape[i].link == number)
            robo__rcml_shape(w->page, &w->d->shape[i]);
    for (unsigned i = 1; i < w->d->frames; i++)
        if (w->d->frame[i].link == number)
            write_site(w, i);
    for (unsigned i = 0; i < w->d->cameras; i++)
        if (w->d->camera[i].link == number)
            robo__rcml_camera(w->page, &w->d->camera[i], i);
    for (unsigned i = 0; i < w->d->sensors; i++)
        if (w->d->sensor[i].link == number)
            robo__rcml_sensor(w->page, &w->d->sensor[i], i);
    robo__page_close_list(w->page);
}

/* Where a joint is: VRML's Transform turns about its centre, which is where the joint is in its child. */
static void write_place(const struct world *w, const struct robo_joint *j)
{
    static const double none[9];
    const struct robo_link *child = &w->d->link[j->child];
    const double *com = j->parent == ROBO_WORLD ? NULL : w->d->link[j->parent].com;
    double centre[3], translation[3];
    for (int i = 0; i < 3; i++) {
        centre[i] = child->com[i] + j->outboard[i];
        /* a former difference is 0 again */
        if (fabs(centre[i]) < 1e-12)
            centre[i] = 0;
        translation[i] = j->inboard[i] + (com ? com[i] : 0) - centre[i];
        if (fabs(translation[i]) < 1e-12)
            translation[i] = 0;
    }
    if (j->dofs == 0 && j->parent == ROBO_WORLD)
        return; /* such a root stands where its link does */
    robo__page_translation(w->page, "translation", translation);
    robo__page_translation(w->page, "center", centre);
    if (memcmp(j->rest, none, sizeof none) != 0)
        robo__page_rotation(w->page, "rotation", j->rest);
}

/* About how many nodes a joint with its link is. */
static unsigned nodes_of(const struct robo_description *d, unsigned link)
{
    enum { OF_JOINT = 4, OF_SHAPE = 6, OF_MOUNTED = 3 };
    unsigned nodes = OF_JOINT;
    for (unsigned i = 0; i < d->shapes; i++)
        nodes += d->shape[i].link == link ? OF_SHAPE : 0;
    for (unsigned i = 0; i < d->frames; i++)
        nodes += d->frame[i].link == link ? OF_MOUNTED : 0;
    for (unsigned i = 0; i < d->cameras; i++)
        nodes += d->camera[i].link == link ? OF_MOUNTED : 0;
    for (unsigned i = 0; i < d->sensors; i++)
        nodes += d->sensor[i].link == link ? OF_MOUNTED : 0;
    return nodes;
}

/* A joint with its link and all that hangs on it. */
static void write_joint(struct world *w, unsigned number)
{
    const struct robo_joint *j = &w->d->joint[number];
    char name[80];
    w->depth++;
    w->met += (unsigned long)nodes_of(w->d, j->child) * w->depth;
    def_of(w, joints_of(w), number, name);
    robo__page_open(w->page, name, "Joint {");
    robo__page_text(w->page, "name", joint_name(w, number));
    robo__page_whole(w->page, "number", number);
    robo__page_text(w->page, "jointType", joint_type(w->d, j));
    write_place(w, j);
    if (j->dofs > 0)
        write_dofs(w, j);
    robo__page_open(w->page, NULL, "children [");
    write_segment(w, j->child);
    for (unsigned i = 0; i < w->d->joints; i++)
        if (w->d->joint[i].parent == j->child)
            write_joint(w, i);
    robo__page_close_list(w->page);
    w->depth--;
}

/* A root, and its link's pose in the world. */
static void write_root(struct world *w, unsigned number)
{
    const struct robo_link *l = &w->d->link[w->d->joint[number].child];
    double turn[9], angle[3];
    robo_attitude_to_rotation(l->attitude, turn);
    robo__rotation_vector(turn, angle);
    const bool moved = robo__length(l->position) > 0 || robo__length(angle) > 1e-9;
    if (moved) {
        robo__page_open_moved(w->page, l->position, turn);
    }
    write_joint(w, number);
    if (moved) {
        robo__page_close_list(w->page);
    }
}

/* ---- the whole ---- */

/* A list of all joints, links or control frames, by their names. */
static void write_uses(const struct world *w, const char *field, const struct kind *kind,
                       unsigned count)
{
    char line[100] = "USE ";
    robo__page_open(w->page, NULL, field);
    for (unsigned i = kind->first; i < count; i++) {
        def_of(w, kind, i, line + 4);
        robo__page_line(w->page, line);
    }
    robo__page_close(w->page, "]");
}

void robo__rcml_world(struct robo__page *page, const robo_body *body)
{
    const struct robo_description *d = &body->description;
    struct world w = { page, d, is_humanoid(d), 0, 0 };
    char name[80];
    def_name("robot_", d->name, name);
    robo__page_open(page, NULL, "Transform {");
    robo__page_line(page, "rotation 0.57735027 0.57735027 0.57735027 -2.0943951");
    robo__page_open(page, NULL, "children [");
    robo__page_open(page, name, "Humanoid {");
    robo__page_text(page, "name", d->name);
    robo__page_open(page, NULL, "humanoidBody [");
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].parent == ROBO_WORLD)
            write_root(&w, i);
    robo__page_close(page, "]");
    if (w.met <= MOST_LISTED)
        write_uses(&w, "joints [", joints_of(&w), d->joints);
    write_uses(&w, "segments [", &links, d->links);
    write_uses(&w, "sites [", &frames, d->frames);
    robo__page_close(page, "}");
    robo__rcml_whole(page, d);
    robo__page_close_list(page);
}
