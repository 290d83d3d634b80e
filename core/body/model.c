/* From a description to a model. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/linear.h"

static const double IDENTITY[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

void robo__pose_append(struct robo_pose *a, const struct robo_pose *b)
{
    double moved[3], rotation[9];
    robo__turn(a->rotation, b->position, moved);
    robo__rotate(a->rotation, b->rotation, rotation);
    for (int i = 0; i < 3; i++)
        a->position[i] += moved[i];
    memcpy(a->rotation, rotation, sizeof rotation);
}

static struct robo_pose nowhere(void)
{
    struct robo_pose pose = { .position = { 0 } };
    memcpy(pose.rotation, IDENTITY, sizeof IDENTITY);
    return pose;
}

/* A rotation whose third column is the axis; the identity for z itself, so that exact descriptions stay exact. */
static void towards(const double axis[3], double out[9])
{
    double x[3], y[3];
    int least = fabs(axis[0]) <= fabs(axis[1]) ? 0 : 1;
    if (fabs(axis[2]) < fabs(axis[least]))
        least = 2;
    if (axis[0] == 0 && axis[1] == 0 && axis[2] > 0)
        least = 0;
    double along = axis[least], length = sqrt(1 - along * along);
    for (int i = 0; i < 3; i++)
        x[i] = ((i == least) - along * axis[i]) / length;
    for (int i = 0; i < 3; i++)
        y[i] = axis[(i + 1) % 3] * x[(i + 2) % 3] - axis[(i + 2) % 3] * x[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {
        out[3 * i] = x[i];
        out[3 * i + 1] = y[i];
        out[3 * i + 2] = axis[i];
    }
}

static void transpose(double r[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++) {
            double x = r[3 * i + k];
            r[3 * i + k] = r[3 * k + i];
            r[3 * k + i] = x;
        }
}

struct build {
    const struct robo_description *d;
    struct robo_model *m;
    unsigned ordered; /* dofs in order so far */
    size_t chained;   /* dofs of the chains of all frames so far */
};

/* The pose of the joint in its parent link: the rest matrix, at the inboard position. */
static struct robo_pose joint_place(const struct robo_description *d, const struct robo_joint *j)
{
    static const double none[9];
    struct robo_pose pose = nowhere();
    for (int i = 0; i < 3; i++)
        pose.position[i] =
            j->inboard[i] + (j->parent == ROBO_WORLD ? 0 : d->link[j->parent].com[i]);
    if (memcmp(j->rest, none, sizeof none) != 0)
        memcpy(pose.rotation, j->rest, sizeof pose.rotation);
    return pose;
}

static void add_joint(struct build *b, const struct robo_joint *j)
{
    const struct robo_description *d = b->d;
    struct robo__attachment *child = &b->m->link[j->child];
    struct robo_pose pose = nowhere();
    int last = ROBO__ROOT;
    if (j->parent != ROBO_WORLD) {
        last = b->m->link[j->parent].dof;
        pose = b->m->link[j->parent].after;
    }
    if (j->dofs == 0) { /* a root without dofs */
        *child = (struct robo__attachment){ .dof = ROBO__ROOT, .after = pose };
        return;
    }
    struct robo_pose place = joint_place(d, j);
    robo__pose_append(&pose, &place);
    for (unsigned k = j->first; k < (unsigned)j->first + j->dofs; k++) {
        const struct robo_dof *dof = &d->dof[k];
        struct robo__joint_frame *joint_frame = &b->m->joint_frame[k];
        struct robo_pose turn = nowhere();
        towards(dof->axis, turn.rotation);
        robo__pose_append(&pose, &turn);
        *joint_frame =
            (struct robo__joint_frame){ .before = pose,
                                        .before_dof = last,
                                        .prismatic = dof->kind == ROBO_PRISMATIC,
                                        .source = (uint16_t)(dof->mimics ? dof->mimics - 1u : k),
                                        .ratio = dof->mimics ? dof->ratio : 1,
                                        .shift = dof->mimics ? dof->shift : 0 };
        b->m->order[b->ordered++] = (uint16_t)k;
        last = (int)k;
        pose = turn;
        transpose(pose.rotation);
    }
    /* the child's frame: its centre of mass and the outboard position lead back to it */
    struct robo_pose back = nowhere();
    for (int i = 0; i < 3; i++)
        back.position[i] = -(d->link[j->child].com[i] + j->outboard[i]);
    robo__pose_append(&pose, &back);
    *child = (struct robo__attachment){ .dof = last, .after = pose };
}

/* Parents before children: a descriptor may number joints in any order. A link that waits for its joint has WAITS for a
 * dof. */
static void add_joints(struct build *b)
{
    const struct robo_description *d = b->d;
    enum { WAITS = ROBO__ROOT - 1 };
    for (unsigned i = 0; i < d->links; i++)
        b->m->link[i].dof = WAITS;
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < d->joints; i++) {
            const struct robo_joint *j = &d->joint[i];
            if (b->m->link[j->child].dof != WAITS ||
                (j->parent != ROBO_WORLD && b->m->link[j->parent].dof == WAITS))
                continue;
            add_joint(b, j);
            again = true;
        }
    }
}

static void add_frame(struct build *b, unsigned number)
{
    const struct robo_frame *f = &b->d->frame[number];
    struct robo__attachment *out = &b->m->frame[number];
    struct robo_pose place;
    memcpy(place.position, f->position, sizeof place.position);
    robo_attitude_to_rotation(f->attitude, place.rotation);
    *out = b->m->link[f->link];
    robo__pose_append(&out->after, &place);
    unsigned n = 0;
    for (int k = out->dof; k != ROBO__ROOT; k = b->m->joint_frame[k].before_dof)
        n++;
    b->m->length[number] = (uint16_t)n;
    b->chained += n;
    if (n > b->m->longest)
        b->m->longest = n;
}

/* The chains of all frames, whose lengths are known. */
static bool add_chains(struct build *b)
{
    struct robo_model *m = b->m;
    uint16_t *chain = m->chains = malloc(b->chained * sizeof *chain + 1);
    if (!chain)
        return false;
    for (unsigned i = 0; i < m->frames; i++) {
        unsigned n = m->length[i];
        m->chain[i] = chain;
        for (int k = m->frame[i].dof; k != ROBO__ROOT; k = m->joint_frame[k].before_dof)
            chain[--n] = (uint16_t)k;
        chain += m->length[i];
    }
    return true;
}

/* The range of a dof is that of itself and of all dofs that mimic it. */
static void add_limits(struct build *b)
{
    for (unsigned k = 0; k < b->d->dofs; k++) {
        b->m->low[k] = -HUGE_VAL;
        b->m->high[k] = HUGE_VAL;
    }
    for (unsigned k = 0; k < b->d->dofs; k++) {
        const struct robo_dof *dof = &b->d->dof[k];
        const struct robo__joint_frame *h = &b->m->joint_frame[k];
        if (dof->low > dof->high || h->ratio == 0)
            continue;
        double a = (dof->low - h->shift) / h->ratio, c = (dof->high - h->shift) / h->ratio;
        double low = fmax(b->m->low[h->source], fmin(a, c));
        double high = fmin(b->m->high[h->source], fmax(a, c));
        if (low <= high) { /* a follower whose limits would leave no range is ignored */
            b->m->low[h->source] = low;
            b->m->high[h->source] = high;
        }
    }
}

/* Its arrays, in the block; bytes that it takes. */
static size_t lay_out(struct robo_model *m, void *block)
{
    struct robo__layout_block b = { .bytes = block };
    robo__block_take(&b, 1, sizeof *m);
    m->joint_frame = robo__block_take(&b, m->dofs, sizeof *m->joint_frame);
    m->link = robo__block_take(&b, m->links, sizeof *m->link);
    m->frame = robo__block_take(&b, m->frames, sizeof *m->frame);
    m->low = robo__block_take(&b, m->dofs, sizeof *m->low);
    m->high = robo__block_take(&b, m->dofs, sizeof *m->high);
    m->inertia = robo__block_take(&b, m->dofs, sizeof *m->inertia);
    m->chain = robo__block_take(&b, m->frames, sizeof *m->chain);
    m->order = robo__block_take(&b, m->dofs, sizeof *m->order);
    m->length = robo__block_take(&b, m->frames, sizeof *m->length);
    return b.used;
}

robo_model *robo__model_make(const struct robo_description *description)
{
    struct robo_model head = { .links = description->links,
                               .dofs = description->dofs,
                               .frames = description->frames };
    robo_model *m = malloc(lay_out(&head, NULL));
    if (!m)
        return NULL;
    *m = head;
    lay_out(m, m);
    struct build build = { .d = description, .m = m };
    add_joints(&build);
    for (unsigned i = 0; i < m->frames; i++)
        add_frame(&build, i);
    add_limits(&build);
    if (add_chains(&build) && robo__model_weigh(m, description))
        return m;
    robo__model_free(m);
    return NULL;
}

void robo__model_free(robo_model *model)
{
    if (model)
        free(model->chains);
    free(model);
}

void robo__model_frame_dofs(const robo_model *m, unsigned frame, struct robo__dof_set *dofs)
{
    for (unsigned i = 0; frame < m->frames && i < m->length[frame]; i++) {
        const unsigned k = m->chain[frame][i];
        if (m->joint_frame[k].source == k)
            robo__dof_set_add(dofs, k);
    }
}
