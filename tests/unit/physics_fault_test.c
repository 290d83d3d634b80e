/* Physics that goes wrong: it diverges, a robot cannot be modelled, memory is short. What is then seen of robots are numbers. */
#include "physics_body.h"

#include "physics/rig.h"

static const double UPRIGHT[1][3] = { { 0, 0, 1 } };

static int open_arm(void **state)
{
    body = make_arm(1, UPRIGHT);
    open_it();
    return 0;
}

/* Sets the arm's speed behind the back of everybody. */
static void spoil(double speed)
{
    struct robo__simulation *s = robo__simulation_of(world);
    struct robo__mechanics *now = robo__simulation_lock(s);
    now->data->qvel[0] = speed;
    robo__simulation_unlock(s);
}

static void ends_in_panic(double speed)
{
    const uint32_t id = give(go(1, 1));
    run_for(0.5);
    const double before = seen().position[0];
    assert_true(before > 0.1);
    spoil(speed);
    run_for(0.01);
    struct robo_state now = seen();
    assert_int_equal(now.panic, 1);
    assert_true(isfinite(now.position[0]) && isfinite(now.speed[0]));
    /* where it was at most 0.3 s ago, at rest */
    assert_true(now.position[0] >= 0 && now.position[0] <= before + 0.01);
    assert_float_equal(now.speed[0], 0, 0.05);
    EXPECT(id, ERROR, DEVICE);
    robo_reset(robot);
    const uint32_t again = give(go(1, 1));
    run_for(3);
    EXPECT(again, SUCCESS, NONE);
    assert_float_equal(seen().position[0], 1, 1e-3);
}

FIXTURE(open_arm, close_it);

TEST(a_number_that_is_none_ends_in_panic)
{
    ends_in_panic(NAN);
}

TEST(a_speed_that_nothing_has_ends_in_panic)
{
    ends_in_panic(1e7);
}

TEST(what_muJoCo_gives_up_on_ends_in_panic)
{
    ends_in_panic(INFINITY);
}

/* A ball on the floor, and where it is along x. */
static double *put_ball(void)
{
    static const struct robo_thing ball = { .name = "ball",
                                            .shape = ROBO_SHAPE_SPHERE,
                                            .size = { 0.1 },
                                            .position = { 5, 0, 0.1 },
                                            .mass = 1 };
    assert_int_equal(robo_surround(world, &ball, 1), 0);
    struct robo__simulation *s = robo__simulation_of(world);
    const struct robo__mechanics *now = robo__simulation_lock(s);
    const int joint = robo__simulation_find(now, mjOBJ_JOINT, "thing", "ball");
    assert_true(joint >= 0);
    double *at = now->data->qpos + now->model->jnt_qposadr[joint];
    robo__simulation_unlock(s);
    return at;
}

/* Places are kept each 0.128 s, and it goes back by two of them. */
TEST(it_never_goes_back_to_where_it_went_wrong)
{
    double *at = put_ball();
    run_for(0.3);
    *at = 7; /* as if it were on its way to diverge */
    run_for(0.128);
    spoil(NAN);
    run_for(0.002);
    assert_float_equal(*at, 5, 0.01);
    robo_reset(robot);
    run_for(0.128);
    spoil(NAN);
    run_for(0.002);
    assert_float_equal(*at, 5, 0.01);
}

/* Physics diverges at each step, as with two bodies deep in one another. */
static void break_it(void)
{
    struct robo__simulation *s = robo__simulation_of(world);
    robo__simulation_lock(s)->model->opt.gravity[2] = NAN;
    robo__simulation_unlock(s);
}

TEST(what_diverges_at_each_step_panics_once_until_a_reset)
{
    struct robo_description more = make_arm(1, UPRIGHT);
    robo_robot *other;
    struct robo_state there;
    strcpy(more.name, "more");
    more.link[0].position[0] = 20;
    assert_int_equal(robo_add(world, &more, &other), 0);
    for (uint32_t panics = 1; panics <= 3; panics++) {
        break_it();
        run_for(0.1);
        assert_int_equal(seen().panic, 1);
        assert_int_equal(seen().epoch, panics);
        robo_read(other, &there, sizeof there);
        assert_int_equal(there.epoch, 1); /* it was not reset */
        robo_reset(robot);
    }
    run_for(0.1);
    assert_int_equal(seen().epoch, 4);
    /* a description cures it, without a reset before */
    assert_int_equal(robo_reload(robot, &body, NULL), 0);
    robo_reset(robot);
    const uint32_t id = give(go(1, 1));
    run_for(3);
    EXPECT(id, SUCCESS, NONE);
    robo_release(other);
}

/* Its caster is far under the floor. */
TEST(a_description_that_diverges_is_refused_and_nobody_panics)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* it fails there: not understood yet */
#endif
    struct robo_description bad;
    robo_robot *other;
    make_base(&bad);
    add_wheel(&bad, 0, 0.15, 0);
    add_wheel(&bad, 0, -0.15, 0);
    assert_int_equal(robo_add(world, &bad, &other), 0);
    add_caster(&bad);
    bad.shape[bad.shapes - 1].position[2] = -500000;
    give(run(1, 1));
    run_for(1);
    assert_int_equal(robo_reload(other, &bad, NULL), ROBO_EDEVICE);
    strcpy(bad.name, "bad");
    assert_int_equal(robo_add(world, &bad, NULL), ROBO_EDEVICE);
    run_for(0.1);
    assert_int_equal(seen().epoch, 0);
    assert_float_equal(seen().speed[0], 1, 1e-3);
    robo_release(other);
}

/* Its wheels were driven on meanwhile, and are not turned to where they were then. */
TEST(a_base_stands_where_it_is_put_back)
{
    close_world();
    make_base(&body);
    add_wheel(&body, 0, 0.15, 0);
    add_wheel(&body, 0, -0.15, 0);
    add_caster(&body);
    open_world_with(&VIRTUAL, NULL, &body);
    give((struct robo_cmd){
        .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed = { .x = 1 } });
    run_for(2);
    const double before = seen().pose[0];
    spoil(NAN);
    run_for(0.002);
    assert_int_equal(seen().panic, 1);
    const double back = seen().pose[0];
    assert_true(back < before - 0.1 && back > before - 0.3);
    run_for(1);
    assert_float_equal(seen().pose[0], back, 0.005);
}

/* The robot that comes has what MuJoCo does not take; the one that is there goes on. */
TEST(a_robot_that_cannot_be_is_refused)
{
    struct robo_description bad = make_arm(1, UPRIGHT);
    robo_robot *other;
    strcpy(bad.name, "bad");
    strcpy(bad.link[1].name, "link0"); /* twice the same name */
    assert_int_equal(robo_add(world, &bad, &other), ROBO_EDEVICE);
    struct robo_description thing = make_arm(1, UPRIGHT);
    strcpy(thing.name, "thing"); /* as all that stands around robots */
    assert_int_equal(robo_add(world, &thing, &other), ROBO_EINVAL);
    const uint32_t id = give(go(1, 1));
    run_for(3);
    EXPECT(id, SUCCESS, NONE);
}

TEST(robots_come_and_go_and_the_others_move_on)
{
    struct robo_description more = make_arm(1, UPRIGHT);
    robo_robot *other;
    strcpy(more.name, "more");
    more.link[0].position[0] = 20;
    give(run(1, 1));
    run_for(1);
    const struct robo_state before = seen();
    assert_int_equal(robo_add(world, &more, &other), 0);
    struct robo_state now = seen();
    assert_true(now.position[0] == before.position[0] && now.speed[0] == before.speed[0]);
    run_for(0.1);
    assert_float_equal(seen().position[0] - before.position[0], 0.1, 1e-3);
    robo_remove(other);
    run_for(0.1);
    assert_float_equal(seen().position[0] - before.position[0], 0.2, 1e-3);
    robo_release(other);
}

/* ---- too much touches ---- */

enum { MANY = 60 }; /* in one place each touches each: more than there is room for */

static unsigned full; /* lines of the log that say so */
static char newest[256];

static void on_log(void *owner, enum robo_log_level level, const char *line)
{
    struct robo__simulation *s = world ? robo__simulation_of(world) : NULL;
    if (s && strstr(line, "what has none falls")) { /* nobody waits for a line to be written */
        assert_int_equal(pthread_mutex_trylock(&s->lock), 0);
        pthread_mutex_unlock(&s->lock);
    }
    full += strstr(line, "too much touches at once: there is room for ") != NULL;
    snprintf(newest, sizeof newest, "%s", line);
}

static int open_it_with_a_log(void **state)
{
    struct robo_options options = VIRTUAL;
    options.log = on_log;
    full = 0;
    body = make_arm(1, UPRIGHT);
    open_world_with(&options, NULL, &body);
    return 0;
}

static char why[256];

/* Boxes on the floor, that far from each other. */
static int furnish(double apart)
{
    static struct robo_thing boxes[MANY];
    static char names[MANY][8];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "c%u", i);
        boxes[i] = (struct robo_thing){ .name = names[i],
                                        .shape = ROBO_SHAPE_BOX,
                                        .size = { 0.2, 0.2, 0.2 },
                                        .position = { 5 + apart * (i % 20), apart * (i / 20), 0.1 },
                                        .mass = 2 };
    }
    return robo_furnish(world, &(struct robo_scenery){ .size = sizeof(struct robo_scenery),
                                                       .thing = boxes,
                                                       .things = MANY,
                                                       .why = why });
}

TEST(a_world_in_which_too_much_touches_is_refused, open_it_with_a_log, close_it)
{
    assert_int_equal(furnish(0.4), 0);
    assert_int_equal(full, 0);
    const struct robo_scenery *before = robo__scenery_of(world);
    assert_int_equal(furnish(0.001), ROBO_EDEVICE);
    assert_ptr_equal(robo__scenery_of(world), before);
    assert_int_equal(full, 1);
    assert_non_null(strstr(newest, "what stands around stays as it was"));
    assert_non_null(strstr(why, "too much touches at once"));
    const struct robo_thing same[2] = {
        { .name = "crate", .shape = ROBO_SHAPE_SPHERE, .size = { 0.1 } },
        { .name = "crate", .shape = ROBO_SHAPE_SPHERE, .size = { 0.1 } },
    };
    assert_int_equal(
        robo_furnish(world, &(struct robo_scenery){ .size = sizeof(struct robo_scenery),
                                                    .thing = same,
                                                    .things = 2,
                                                    .why = why }),
        ROBO_EDEVICE);
    assert_non_null(strstr(why, "thing crate: repeated name"));
    assert_ptr_equal(robo__scenery_of(world), before);
    full = 1;
    /* a robot that comes later finds what stood there */
    struct robo_description more = make_arm(1, UPRIGHT);
    strcpy(more.name, "more");
    more.link[0].position[0] = -20;
    assert_int_equal(robo_add(world, &more, NULL), 0);
    run_for(0.1);
    assert_int_equal(full, 1);
    /* and the robot that is there goes on */
    const uint32_t id = give(go(1, 1));
    run_for(2);
    EXPECT(id, SUCCESS, NONE);
}

TEST(too_much_that_touches_later_is_told_once, open_it_with_a_log, close_it)
{
    struct robo_description more = make_arm(1, UPRIGHT);
    robo_robot *other;
    strcpy(more.name, "more");
    more.link[0].position[0] = -20;
    assert_int_equal(robo_add(world, &more, &other), 0);
    assert_int_equal(furnish(0.4), 0);
    run_for(0.1);
    assert_int_equal(full, 0);
    struct robo__simulation *s = robo__simulation_of(world);
    struct robo__mechanics *now = robo__simulation_lock(s);
    now->model->nconmax = 100; /* of 240 */
    robo__simulation_unlock(s);
    run_for(0.1);
    assert_int_equal(full, 1);
    /* a robot may leave all the same */
    robo_remove(other);
    robo_release(other);
    now = robo__simulation_lock(s);
    assert_int_equal(robo__simulation_find(now, mjOBJ_BODY, "more", "link0"), -1);
    robo__simulation_unlock(s);
}
