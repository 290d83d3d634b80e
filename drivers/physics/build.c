/* The model of a simulation: MJCF of all that is in the world, and the state that goes over from one model to the next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "scenery.h"
#include "touches.h"

/* Room that MJCF asks for on behalf of other programs, whose memory for rows grows with their square. */
enum { WRITTEN_CONTACTS = 1000, WRITTEN_ROWS = 4000 };

/* Steps that a model with new parts has to make before it is accepted: parts that begin too deep in others diverge in the first. */
enum { TRIED = 16 };

/* A model and its state, before they are the simulation's. */
struct made {
    const struct robo__engine *engine;
    struct robo__draft text;
    const struct robo_scenery *room; /* the scenery; NULL: none was set */
    struct robo__rig *rigs;
    bool again; /* the model has to be made again with the learned contacts */
    mjVFS *files;
    mjModel *model;
    mjData *data;
    char *why;
};

/* The text of the model, with room for so many contacts and rows. With the lock. */
static void draft(struct robo__simulation *s, unsigned contacts, unsigned rows,
                  struct robo__draft *text)
{
    const struct robo_scenery *room = robo__scenery_of(s->world);
    robo__draft_add(text,
                    "<mujoco model=\"robotalk\">\n"
                    "<compiler angle=\"radian\" autolimits=\"true\" balanceinertia=\"true\" "
                    "boundmass=\"1e-9\" boundinertia=\"1e-12\"/>\n"
                    "<option timestep=\"%.17g\" gravity=\"0 0 %.17g\" integrator=\"Euler\"/>\n"
                    "<size nconmax=\"%u\" njmax=\"%u\"/>\n",
                    (double)s->step * 1e-9, -robo__scenery_gravity(room), contacts, rows);
    robo__scenery_add(text, room);
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next) {
        robo__mjcf_add(text, rig->body, rig->number, &rig->stand);
        robo__apart_write(&rig->apart, text);
    }
    robo__draft_add(text, "</mujoco>\n");
}

static int add_files(const struct made *m)
{
    int error = robo__scenery_add_files(m->engine, m->room, m->files);
    for (const struct robo__rig *rig = m->rigs; error >= 0 && rig; rig = rig->next)
        error = robo__mjcf_add_files(m->engine, rig->body, rig->number, m->files);
    return error;
}

/* Makes the files of a text. */
static int fill(const struct made *m)
{
    const int error = add_files(m);
    if (error < 0)
        return error;
    if (m->engine->mj_makeEmptyFileVFS(m->files, ROBO__MODEL_FILE, (int)m->text.length) != 0)
        return ROBO_ENOMEM;
    memcpy(m->files->filedata[m->engine->mj_findFileVFS(m->files, ROBO__MODEL_FILE)], m->text.bytes,
           m->text.length);
    return 0;
}

int robo__simulation_write(struct robo__simulation *s, mjVFS *files)
{
    struct made m = { .engine = s->engine, .files = files };
    s->engine->mj_defaultVFS(files);
    robo__simulation_lock(s);
    m.room = robo__scenery_of(s->world);
    m.rigs = s->rigs;
    draft(s, WRITTEN_CONTACTS, WRITTEN_ROWS, &m.text);
    const int error = m.text.failed ? ROBO_ENOMEM : fill(&m);
    robo__simulation_unlock(s);
    robo__draft_free(&m.text);
    return error;
}

static void load(void *context)
{
    struct made *m = context;
    char why[200] = "";
    m->engine->mj_defaultVFS(m->files);
    if (fill(m) == 0)
        m->model = m->engine->mj_loadXML(ROBO__MODEL_FILE, m->files, why, sizeof why);
    m->engine->mj_deleteVFS(m->files);
    if (m->model)
        m->data = robo__touches_data(m->engine, m->model);
    if (!m->data)
        robo__engine_complain(why[0] ? why : "out of memory", m->why);
}

static void let_go(struct made *m)
{
    robo__touches_delete(m->engine, m->data);
    if (m->model)
        m->engine->mj_deleteModel(m->model);
    robo__draft_free(&m->text);
    free(m->files);
}

static void settle(void *context)
{
    struct made *m = context;
    m->engine->mj_forward(m->model, m->data);
}

/* ---- where robots are ---- */

/* The address in qpos of a dof of a robot; -1: the physics does not move it. */
static int address_of(const struct made *m, const struct robo__rig *rig, unsigned joint, unsigned k)
{
    const struct robo_joint *j = &rig->description->joint[joint];
    char part[70];
    snprintf(part, sizeof part, "%s.%s", j->name, rig->description->dof[j->first + k].name);
    const struct robo__mechanics now = { .engine = m->engine, .model = m->model };
    const int id = robo__simulation_find(&now, mjOBJ_JOINT, rig->description->name, part);
    return id < 0 ? -1 : m->model->jnt_qposadr[id];
}

static void put_dofs(const struct made *m, const struct robo__rig *rig, bool home)
{
    const struct robo_description *d = rig->description;
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; robo__mjcf_drives(d, i) && k < d->joint[i].dofs; k++) {
            const unsigned dof = d->joint[i].first + k, leads = d->dof[dof].mimics;
            const int at = address_of(m, rig, i, k);
            double where = home ? d->dof[dof].home : rig->start[dof];
            if (leads)
                where =
                    d->dof[dof].ratio * (home ? d->dof[leads - 1].home : rig->start[leads - 1]) +
                    d->dof[dof].shift;
            if (at >= 0)
                m->data->qpos[at] = where;
        }
}

/* Bodies with a name of the old model go on where they were, with their speeds; things of a new room begin at its positions.
 * Things of the old model after its last robot left stay where they were, too, but robots do not: a robot is described again. */
static void carry_over(const struct robo__simulation *s, const struct made *m)
{
    const bool same_room = s->furnished == m->room, goes_on = s->now.model != NULL;
    const struct robo__mechanics *was = goes_on ? &s->now : &s->past;
    static const int POSITIONS[] = { 7, 4, 1, 1 }, SPEEDS[] = { 6, 3, 1, 1 };
    for (int i = 0; was->model && i < m->model->njnt; i++) {
        const char *name = m->engine->mj_id2name(m->model, mjOBJ_JOINT, i);
        const int old = name ? m->engine->mj_name2id(was->model, mjOBJ_JOINT, name) : -1,
                  type = m->model->jnt_type[i];
        if (old < 0 || was->model->jnt_type[old] != type ||
            !(strncmp(name, "thing/", 6) == 0 ? same_room : goes_on))
            continue;
        memcpy(m->data->qpos + m->model->jnt_qposadr[i],
               was->data->qpos + was->model->jnt_qposadr[old],
               (size_t)POSITIONS[type] * sizeof(mjtNum));
        memcpy(m->data->qvel + m->model->jnt_dofadr[i],
               was->data->qvel + was->model->jnt_dofadr[old],
               (size_t)SPEEDS[type] * sizeof(mjtNum));
    }
}

/* Two places for positions, and the inertias: one block, which begins with the first. */
static double *take_room(const mjModel *model, double *good[2], double **inertia)
{
    double *room = malloc((2 * (size_t)model->nq + (size_t)model->nv) * sizeof *room + 1);
    good[0] = room;
    good[1] = room ? room + model->nq : NULL;
    *inertia = room ? room + 2 * model->nq : NULL;
    return room;
}

/* Whether dofs of its own move the root link of a robot up and down: then it flies, or hangs in a frame that bears it. */
static bool is_borne(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; d->joint[i].parent == ROBO_WORLD && d->joint[i].child == 0 &&
                             robo__mjcf_drives(d, i) && k < d->joint[i].dofs;
             k++)
            if (d->dof[d->joint[i].first + k].kind == ROBO_PRISMATIC)
                return true;
    return false;
}

void robo__simulation_bear(const struct robo__simulation *s, const mjModel *model, mjData *data)
{
    const struct robo__mechanics now = { .engine = s->engine,
                                         .model = (mjModel *)(uintptr_t)model };
    for (const struct robo__rig *rig = s->rigs; rig; rig = rig->next) {
        const struct robo_description *d = rig->description;
        const int root =
            is_borne(d) ? robo__simulation_find(&now, mjOBJ_BODY, d->name, d->link[0].name) : -1;
        for (int i = 1; root > 0 && i < model->nbody; i++)
            for (int k = 0; model->body_rootid[i] == root && k < 3; k++)
                data->xfrc_applied[6 * i + k] = -model->opt.gravity[k] * model->body_mass[i];
    }
}

/* Measures the inertias with all robots at home, and then places them. */
static int arrange(struct robo__simulation *s, struct made *m, double *inertia)
{
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        put_dofs(m, rig, true);
    int error = robo__engine_try(settle, m, m->why);
    if (error < 0)
        return error;
    for (int i = 0; i < m->model->nv; i++)
        inertia[i] = m->data->qM[m->model->dof_Madr[i]];
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        put_dofs(m, rig, false);
    carry_over(s, m);
    robo__simulation_bear(s, m->model, m->data);
    memset(m->data->warning, 0, sizeof m->data->warning);
    error = robo__engine_try(settle, m, m->why);
    /* when it was full before, robots may leave all the same */
    if (error >= 0 && robo__simulation_is_full(m->data) && !s->full) {
        snprintf(m->why, 256,
                 "too much touches at once: there is room for %d contacts and %d forces",
                 m->model->nconmax, m->model->njmax);
        error = ROBO_EDEVICE;
    }
    memset(m->data->warning, 0, sizeof m->data->warning);
    return error;
}

static void try_steps(void *context)
{
    const struct made *m = context;
    const struct robo__mechanics now = { .engine = m->engine, .model = m->model, .data = m->data };
    for (int i = 0; i < TRIED && robo__simulation_is_sound(&now); i++)
        m->engine->mj_step(m->model, m->data);
    if (!robo__simulation_is_sound(&now))
        robo__engine_complain("it diverges in its first steps", m->why);
    else
        m->why[0] = 0;
    m->engine->mj_resetData(m->model, m->data);
}

/* Steps a model in which something is new, before anything else moves by it: 0, or ROBO_EDEVICE when it diverges. */
static int try_out(const struct robo__simulation *s, struct made *m)
{
    bool fresh = s->furnished != m->room;
    for (const struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        fresh |= !rig->placed;
    const int error = fresh ? robo__engine_try(try_steps, m, m->why) : 0;
    return error < 0 ? error : fresh && m->why[0] ? ROBO_EDEVICE : fresh;
}

bool robo__simulation_is_full(const mjData *data)
{
    return data->warning[mjWARN_CONTACTFULL].number > 0 ||
           data->warning[mjWARN_CNSTRFULL].number > 0;
}

void robo__simulation_forget(struct robo__simulation *s)
{
    robo__touches_delete(s->engine, s->past.data);
    if (s->past.model)
        s->engine->mj_deleteModel(s->past.model);
    s->past.data = NULL;
    s->past.model = NULL;
}

/* Only the last model is kept. */
void robo__simulation_clear(struct robo__simulation *s)
{
    robo__simulation_forget(s);
    s->past.model = s->now.model;
    s->past.data = s->now.data;
    free(s->room);
    free(s->elsewhere);
    s->elsewhere = NULL;
    s->now.data = NULL;
    s->now.model = NULL;
    s->now.inertia = s->room = NULL;
    s->now.build++;
}

static robo_time least_step(const struct robo__simulation *s)
{
    const struct robo_scenery *room = robo__scenery_of(s->world);
    double step = room && room->step > 0 ? room->step : 0.002;
    for (const struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        if (rig->step > 0)
            step = fmin(step, rig->step);
    return (robo_time)llrint(step * 1e9);
}

/* Nothing fails any more. */
static void take_over(struct robo__simulation *s, struct made *m, double *good[2], double *inertia)
{
    const uint64_t build = s->now.build + 1;
    const robo_time time = s->now.time;
    const bool anew = s->furnished != m->room;
    robo__simulation_clear(s);
    robo__simulation_forget(s);
    s->now = (struct robo__mechanics){ .engine = m->engine,
                                       .model = m->model,
                                       .data = m->data,
                                       .inertia = inertia,
                                       .build = build,
                                       .time = time };
    for (int i = 0; i < 2; i++) {
        s->good[i] = good[i];
        memcpy(good[i], m->data->qpos, (size_t)m->model->nq * sizeof *good[i]);
    }
    s->room = good[0];
    s->furnished = m->room;
    s->steps = 0;
    s->full = s->held = false;
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        for (struct robo__actor *actor = rig->actors; actor; actor = actor->next)
            actor->kind->bind(actor, &s->now);
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next) {
        if (anew || !rig->placed)
            robo__inside_look(&rig->inside, rig->description->name, &s->now);
        rig->placed = true;
    }
    m->model = NULL;
    m->data = NULL;
}

/* Finds contacts at home in new robots. Then the model has to be made once more. */
static void learn(void *context)
{
    struct made *m = context;
    for (struct robo__rig *rig = m->rigs; rig; rig = rig->next) {
        if (rig->apart.learned)
            continue;
        rig->apart.learned = true;
        m->again |= robo__apart_learn(&rig->apart, m->engine, m->model, m->data);
    }
}

/* Model and data of a text. */
static int make(struct robo__simulation *s, struct made *m)
{
    int error = ROBO_ENOMEM;
    m->again = false;
    draft(s, 1, 1, &m->text); /* the room that they have is robo__touches_data's */
    m->files = malloc(sizeof *m->files);
    if (m->files && !m->text.failed)
        error = robo__engine_try(load, m, m->why);
    if (error >= 0 && !m->data)
        error = ROBO_EDEVICE;
    if (error < 0)
        return error;
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        put_dofs(m, rig, true);
    return robo__engine_try(learn, m, m->why);
}

int robo__simulation_build(struct robo__simulation *s, char why[256])
{
    const struct made none = {
        .engine = s->engine, .room = robo__scenery_of(s->world), .rigs = s->rigs, .why = why
    };
    struct made m = none;
    double *room = NULL, *good[2], *inertia;
    const robo_time step = s->step; /* of the model that goes on when there is no other */
    s->step = least_step(s);
    snprintf(why, 256, "out of memory");
    int error = make(s, &m);
    if (error >= 0 && m.again) {
        let_go(&m);
        m = none;
        error = make(s, &m);
    }
    if (error >= 0) {
        room = take_room(m.model, good, &inertia);
        error = room ? arrange(s, &m, inertia) : ROBO_ENOMEM;
    }
    if (error >= 0)
        error = try_out(s, &m);
    if (error > 0) /* the trial has moved it */
        error = arrange(s, &m, inertia);
    if (error < 0) {
        free(room);
        s->step = step;
    } else {
        take_over(s, &m, good, inertia);
    }
    let_go(&m);
    return error;
}
