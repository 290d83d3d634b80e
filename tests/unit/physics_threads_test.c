/* The physics in real time, from several threads: robots with weight come and go, are described anew, and what stands around is said
 * anew, while others command, read, and look along rays. Nothing is measured: it is for sanitizers, and must come to its end. */
#include "physics_robot.h"

#include <pthread.h>

#include "robot/reports.h"

static const double UPRIGHT[1][3] = { { 0, 0, 1 } };
static int turns;
static atomic_bool stop;
static _Atomic unsigned failures;

/* cmocka's assertions are for the test's own thread. */
static void must(bool ok)
{
    if (!ok)
        atomic_fetch_add(&failures, 1);
}

static void *come_and_go(void *arg)
{
    const struct robo_description *arm = arg;
    for (int i = 0; i < turns; i++) {
        robo_robot *guest = NULL;
        must(robo_add(world, arm, &guest) == 0);
        if (!guest)
            break;
        if (i % 3 == 0)
            robo_panic(guest);
        robo_remove(guest);
        robo_release(guest);
    }
    return NULL;
}

static void *furnish(void *arg)
{
    static const struct robo_thing boxes[] = {
        { .shape = ROBO_SHAPE_BOX, .size = { 1, 1, 1 }, .position = { 5, 0, 0.5 }, .mass = 3 },
        { .shape = ROBO_SHAPE_BOX, .size = { 1, 1, 1 }, .position = { -5, 0, 0.5 } },
    };
    for (int i = 0; i < turns; i++)
        must(robo_surround(world, boxes, (size_t)i % 3) == 0);
    return NULL;
}

static void *look(void *arg)
{
    const struct robo__ray ray = { .from = { 0, 0, 0.3 }, .along = { 1, 0, 0 } };
    while (!atomic_load(&stop)) {
        const struct robo__surroundings *s = robo__surroundings_of(world);
        struct robo_state state;
        double range = 10;
        s->kind->rays(s, robot, &ray, 1, &range);
        must(range > 0 && range <= 10);
        robo_read(robot, &state, sizeof state);
        must(isfinite(state.pose[0]) && !state.panic);
        must(robo__simulation_share(robo__simulation_of(world)) <= 1);
        sched_yield();
    }
    return NULL;
}

static void *drive(void *arg)
{
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        struct robo_result results[16];
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                                .id = i + 1,
                                .start = ROBO_AT_ONCE,
                                .body.set_speed = { .theta = 0.5 * (i % 2) } };
        robo__session_commands(session, &cmd, 1, (struct robo__known){ 0 }, ROBO_NO_TIME,
                               robo_now(world));
        robo__session_results(session, results, 16);
        sched_yield();
    }
    return NULL;
}

TEST(all_goes_on_while_robots_come_and_go)
{
    static const struct robo_options real = { .size = sizeof real };
    static struct robo_description base, arm;
    pthread_t thread[4];
    turns = getenv("ROBOTALK_FAIL") ? 2 : 12;
    make_base(&base);
    add_wheel(&base, 0, 0.15, 0);
    add_wheel(&base, 0, -0.15, 0);
    add_caster(&base);
    arm = make_arm(1, UPRIGHT);
    arm.link[0].position[0] = 20;
    open_world_with(&real, NULL, &base);
    assert_int_equal(pthread_create(&thread[0], NULL, come_and_go, &arm), 0);
    assert_int_equal(pthread_create(&thread[1], NULL, furnish, NULL), 0);
    assert_int_equal(pthread_create(&thread[2], NULL, look, NULL), 0);
    assert_int_equal(pthread_create(&thread[3], NULL, drive, NULL), 0);
    for (int i = 0; i < turns; i++)
        must(robo_reload(robot, &base, NULL) == 0);
    for (int i = 0; i < 4; i++) {
        if (i == 2)
            atomic_store(&stop, true);
        pthread_join(thread[i], NULL);
    }
    assert_int_equal(atomic_load(&failures), 0);
    assert_true(isfinite(seen().pose[0]));
    close_world();
}
