/* Steps of the physics beside mj_step of the same model, and ten robots in a world against ten times one. Virtual time: as fast as it
 * goes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chain.h"
#include "base/time.h"
#include "bench.h"
#include "physics/simulation.h"
#include "robotalk/description.h"

enum { DOFS = 7, MANY = 10, STEPS = 4000, TURNS = 9 };

/* An arm that holds itself up, on a foot of its own; its base moves nothing. */
static robo_world *open_arms(unsigned count)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    robo_world *world = robo_open(&options);
    if (!world || robo_add_drivers(world) < 0)
        abort();
    for (unsigned i = 0; i < count; i++) {
        struct robo_description d = { .links = 0 };
        make_turned_arm(&d, DOFS, -1);
        snprintf(d.name, sizeof d.name, "arm%u", i);
        strcpy(d.device[0].driver, "physics");
        d.devices = 1;
        d.commands = UINT64_MAX;
        d.link[0].position[0] = 3 * i;
        d.link[0].position[2] = 3;
        for (unsigned k = 1; k <= DOFS; k++) {
            d.link[k].mass = 2;
            d.link[k].inertia[0] = d.link[k].inertia[1] = d.link[k].inertia[2] = 0.02;
            d.joint[k].servo = ROBO_SERVO_SETPOINT;
            d.dof[k - 1].home = 0.3;
        }
        if (robo_add(world, &d, NULL) < 0)
            abort();
    }
    return world;
}

/* Steps a second of this thread's time on the processor: others work on the machine, too. */
static double rate(robo_time begin)
{
    return STEPS / ((double)(robo__time_read(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e-9);
}

static double of_world(robo_world *world)
{
    const robo_time begin = robo__time_read(CLOCK_THREAD_CPUTIME_ID);
    robo_advance(world, robo_now(world) + STEPS * (robo_time)2000000);
    return rate(begin);
}

/* The same model, as a plain program has it. */
struct plain {
    const struct robo__engine *engine;
    mjModel *model;
    mjData *data;
};

static void open_plain(struct plain *plain, robo_world *world)
{
    struct robo__simulation *s = robo__simulation_of(world);
    char why[256] = "";
    mjVFS *files = malloc(sizeof *files);
    if (robo__simulation_write(s, files) < 0)
        abort();
    const struct robo__mechanics *now = robo__simulation_lock(s);
    plain->engine = now->engine;
    plain->model = now->engine->mj_loadXML(ROBO__MODEL_FILE, files, why, sizeof why);
    now->engine->mj_deleteVFS(files);
    if (!plain->model)
        abort();
    plain->data = now->engine->mj_makeData(plain->model);
    memcpy(plain->data->qpos, now->data->qpos, (size_t)plain->model->nq * sizeof(mjtNum));
    memcpy(plain->data->ctrl, now->data->ctrl, (size_t)plain->model->nu * sizeof(mjtNum));
    memcpy(plain->model->dof_damping, now->model->dof_damping,
           (size_t)plain->model->nv * sizeof(mjtNum));
    robo__simulation_unlock(s);
    free(files);
}

static double of_plain(const struct plain *plain)
{
    const robo_time begin = robo__time_read(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < STEPS; i++)
        plain->engine->mj_step(plain->model, plain->data);
    return rate(begin);
}

static void beside_plain(reporter *report)
{
    struct trial trial = { 0 };
    struct plain plain;
    robo_world *world = open_arms(1);
    of_world(world);
    open_plain(&plain, world);
    for (int i = 0; i < TURNS; i++) {
        samples_add(&trial.ours, of_world(world));
        samples_add(&trial.limit, of_plain(&plain));
        trial_block(&trial);
    }
    struct row row = { .name = "physics",
                       .what = "steps of an arm of 7 dofs, beside mj_step alone",
                       .unit = "1/s",
                       .goal = 0.9,
                       .of = "p50",
                       .more_is_better = true };
    trial_report(&trial, &row, report);
    plain.engine->mj_deleteData(plain.data);
    plain.engine->mj_deleteModel(plain.model);
    robo_close(world);
    trial_free(&trial);
}

static void ten_against_one(reporter *report)
{
    struct trial trial = { 0 };
    robo_world *many = open_arms(MANY), *one = open_arms(1);
    of_world(many);
    of_world(one);
    for (int i = 0; i < TURNS; i++) {
        samples_add(&trial.ours, MANY * of_world(many));
        samples_add(&trial.limit, of_world(one));
        trial_block(&trial);
    }
    struct row row = { .name = "physics",
                       .what = "steps of ten arms in a world, beside one in its own",
                       .unit = "1/s",
                       .goal = 0.9,
                       .of = "p50",
                       .more_is_better = true };
    trial_report(&trial, &row, report);
    robo_close(many);
    robo_close(one);
    trial_free(&trial);
}

void bench_physics(reporter *report)
{
    char why[256];
    if (!robo__engine(why)) {
        fprintf(stderr, "robotalk-bench: %s\n", why);
        return;
    }
    beside_plain(report);
    ten_against_one(report);
}
