/* The physics is the same to the bit: from run to run, and as a plain program that steps the same model with the same controls. */
#include "physics_robot.h"

#include <stdlib.h>

static const double AXES[3][3] = { { 0, 0.6, 0.8 }, { 0, 1, 0 }, { 1, 0, 0 } };

static struct robo_description body;

static void open_it(void)
{
    body = make_arm(3, AXES);
    open_world_with(&VIRTUAL, NULL, &body);
}

/* What somebody does with it, by the number of the step. */
static void act(long step)
{
    const uint8_t joint = (uint8_t)(1 + step % 3);
    if (step % 97 == 0)
        give(go(joint, sin((double)step)));
    else if (step % 571 == 0)
        give(run(joint, 0.5));
    else if (step % 1999 == 0)
        give(push(joint, 3 * cos((double)step)));
    robo__session_results(session, answers, 16);
}

static mjModel *load_plain(const struct robo__engine *e, struct robo__simulation *s)
{
    static mjVFS files;
    char why[256] = "";
    assert_int_equal(robo__simulation_write(s, &files), 0);
    mjModel *model = e->mj_loadXML(ROBO__MODEL_FILE, &files, why, sizeof why);
    e->mj_deleteVFS(&files);
    assert_non_null(model);
    return model;
}

TEST(a_plain_program_sees_the_same)
{
    open_it();
    struct robo__simulation *s = robo__simulation_of(world);
    assert_non_null(s);
    struct robo__mechanics *now = robo__simulation_lock(s);
    const struct robo__engine *e = now->engine;
    robo__simulation_unlock(s);
    mjModel *model = load_plain(e, s);
    mjData *data = e->mj_makeData(model);
    assert_non_null(data);
    assert_int_equal(model->nu, 3);
    for (long i = 0; i < 5000; i++) {
        act(i);
        run_for(0.002);
        now = robo__simulation_lock(s);
        memcpy(data->ctrl, now->data->ctrl, (size_t)model->nu * sizeof(mjtNum));
        memcpy(model->dof_damping, now->model->dof_damping,
               (size_t)model->nv * sizeof(mjtNum)); /* of its servos */
        e->mj_step(model, data);
        assert_memory_equal(data->qpos, now->data->qpos, (size_t)model->nq * sizeof(mjtNum));
        assert_memory_equal(data->qvel, now->data->qvel, (size_t)model->nv * sizeof(mjtNum));
        robo__simulation_unlock(s);
    }
    e->mj_deleteData(data);
    e->mj_deleteModel(model);
    close_world();
}

/* Of all positions of that many steps (Fowler, Noll, Vo). */
static uint64_t hash_of(long steps, double looks)
{
    uint64_t hash = 14695981039346656037u;
    open_it();
    for (long i = 0; i < steps; i++) {
        act(i);
        for (int k = 0; k < looks; k++) {
            run_for(0.002 / looks);
            seen();
        }
        const struct robo_state at = seen();
        const unsigned char *bytes = (const unsigned char *)at.position;
        for (size_t k = 0; k < 3 * sizeof at.position[0]; k++)
            hash = (hash ^ bytes[k]) * 1099511628211u;
    }
    close_world();
    return hash;
}

/* ROBOTALK_STEPS=1000000 is a run by hand. */
TEST(each_run_is_the_same)
{
    const char *said = getenv("ROBOTALK_STEPS");
    const long steps = said ? atol(said) : 5000;
    const uint64_t hash = hash_of(steps, 1);
    if (said)
        print_message("%ld steps: %016llx\n", steps, (unsigned long long)hash);
    assert_true(hash == hash_of(steps, 1));
    /* how often somebody looks makes no difference */
    assert_true(hash_of(2000, 1) == hash_of(2000, 4));
}
