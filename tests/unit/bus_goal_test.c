/* Goals of dofs on a bus: set-points, speeds, places and poses, by the speeds that are sent. */
#include "fixture_bus.h"

TEST(set_points_are_reached_by_speeds)
{
    int why = 0;
    open_arm(ROBO_ORDER_OPTIMAL, 500);
    uint32_t id = give(go(2, 1.2));
    run_for(0.05);
    uint32_t beside = give(go(4, 9)); /* its limit is 2 */
    run_for(0.1);
    assert_int_equal(signal_of(id, NULL), 0);
    struct robo_state s;
    robo_read(robot, &s, sizeof s);
    assert_true(s.position[1] > 0 && s.position[1] < 1);
    for (size_t i = 0; i < heard_count; i++) {
        assert_int_equal(heard[i].message.servo, ROBO_SERVO_SPEED);
        assert_true(fabs(heard[i].message.value) <= 2);
    }
    run_for(2);
    struct robo_result results[8];
    size_t n = robo__session_results(session, results, 8);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++) {
        assert_true(results[i].id == id || results[i].id == beside);
        assert_int_equal(results[i].signal, results[i].id == id ? ROBO_SUCCESS : ROBO_MODIFIED);
    }
    assert_float_equal(line->position[1], 1.2, 1e-3);
    assert_float_equal(line->position[3], 2, 1e-3);
    /* 1.2 rad at 2 rad/s and 8 rad/s2: 0.25 s and 0.25 rad to accelerate, and as much to brake, 0.35 s between */
    id = give(go(2, 0));
    run_for(0.84);
    assert_int_equal(signal_of(id, NULL), 0);
    run_for(0.1);
    assert_int_equal(signal_of(id, &why), ROBO_SUCCESS);
    close_world();
}

/* A sine at 100 Hz, whose set-points have its velocities: the speeds that are sent follow it. Without velocities the joint
 * would be v^2 / 2 a = 16 mrad behind. In the end it goes along, and brakes before its limit of 2. */
TEST(set_points_with_velocities_are_followed)
{
    for (int places = 0; places < 2; places++) {
        /* a place is taken at once and then waits for the next, some slots of 2 ms */
        const double most = places ? 5e-3 : 2e-3;
        static struct robo_description d;
        describe(&d, ROBO_ORDER_OPTIMAL, 500);
        if (places)
            d.joint[2].servo = ROBO_SERVO_SETPOINT;
        open_with(&d);
        session->mover.deadman = 0;
        struct robo_state state_now;
        uint32_t id = 0;
        for (int i = 0; i <= 628; i++) {
            struct robo_cmd cmd = go(2, 0.5 * sin(i * 0.01));
            cmd.body.servo.velocity[0] = 0.5 * cos(i * 0.01);
            robo_read(robot, &state_now, sizeof state_now);
            if (i > 100)
                assert_float_equal(state_now.position[1], cmd.body.servo.value[0], most);
            if (i % 32 == 0 && id)
                assert_int_equal(signal_of(id, NULL), ROBO_SUCCESS);
            id = give(cmd);
            run_for(0.01);
        }
        robo_read(robot, &state_now, sizeof state_now);
        const double before = state_now.position[1];
        run_for(1);
        robo_read(robot, &state_now, sizeof state_now);
        assert_float_equal(state_now.position[1], before + 0.5, most);
        run_for(5);
        robo_read(robot, &state_now, sizeof state_now);
        assert_float_equal(state_now.position[1], 2, most);
        assert_true(fabs(state_now.speed[1]) < 5e-3);
        close_world();
    }
}

TEST(a_new_goal_takes_over)
{
    int why = 0;
    open_arm(ROBO_ORDER_OPTIMAL, 500);
    uint32_t first = give(go(1, 2));
    run_for(0.3);
    uint32_t second = give(go(1, -1));
    assert_int_equal(signal_of(first, &why), ROBO_MODIFIED);
    assert_int_equal(why, ROBO_WHY_SUPERSEDED);
    run_for(3);
    assert_int_equal(signal_of(second, NULL), ROBO_SUCCESS);
    assert_float_equal(line->position[0], -1, 1e-3);
    /* home is one command of all joints */
    uint32_t home = give((struct robo_cmd){ .op = ROBO_HOME, .start = ROBO_AT_ONCE });
    run_for(0.2);
    uint32_t stop = give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    assert_int_equal(signal_of(home, &why), ROBO_INTERRUPTED);
    run_for(0.1);
    assert_int_equal(signal_of(stop, NULL), ROBO_SUCCESS);
    for (int i = 0; i < DOFS; i++)
        assert_true(line->speed[i] == 0);
    close_world();
}

/* A drive that was told to turn round is still on its old way when its new one is planned: it comes too far, and passes the goal
 * before it is there. At a speed by which it gains 1 mrad a slot or less it may be told that it has arrived. */
TEST(who_only_passes_a_goal_has_not_arrived)
{
    static struct robo_description d;
    for (int i = 0; i < 20; i++) {
        uint32_t id;
        struct robo_state s;
        make_flat_arm(&d, DOFS, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED, "simbus");
        d.bus_order = ROBO_ORDER_OPTIMAL;
        d.bus_rate = 1000;
        open_with(&d);
        session->mover.deadman = 0;
        give(run(1, 2));
        run_for(0.5); /* 0.75 rad and 2 rad/s */
        give(run(1, -2));
        run_for(0.002);
        id = give(go(1, 0.76 + 0.01 * i));
        for (int k = 0; signal_of(id, NULL) == 0; k++) {
            assert_true(k < 3000);
            run_for(0.001);
        }
        robo_read(robot, &s, sizeof s);
        assert_float_equal(s.position[0], 0.76 + 0.01 * i, 1e-3);
        assert_true(fabs(s.speed[0]) <= 0.01);
        close_world();
    }
}

TEST(speeds_end_at_limits)
{
    int why = 0;
    open_arm(ROBO_ORDER_OPTIMAL, 400);
    assert_int_equal(signal_of(give(run(3, 5)), &why), ROBO_MODIFIED); /* clipped to 2 rad/s */
    assert_int_equal(why, ROBO_WHY_LIMIT);
    run_for(0.1);
    assert_true(line->speed[2] == 2);
    run_for(5);
    assert_float_equal(line->position[2], 2, 2e-2);
    assert_true(line->position[2] <= 2 + 1e-9);
    give(run(4, 0.5)); /* slowly, too */
    run_for(6);
    assert_float_equal(line->position[3], 2, 2e-2);
    assert_true(line->position[3] <= 2 + 1e-9);
    assert_int_equal(signal_of(give(run(3, -1)), NULL), ROBO_SUCCESS);
    run_for(0.5);
    assert_true(line->speed[2] == -1);
    assert_int_equal(signal_of(give(run(3, 0)), NULL), ROBO_SUCCESS);
    run_for(0.1);
    assert_true(line->speed[2] == 0);
    close_world();
}

TEST(drives_that_take_places)
{
    static struct robo_description d;
    describe(&d, ROBO_ORDER_OPTIMAL, 500);
    for (int i = 1; i <= DOFS; i++)
        d.joint[i].servo = ROBO_SERVO_SETPOINT;
    open_with(&d);
    uint32_t id = give(go(2, 1));
    uint32_t other = give(go(5, -0.5));
    double last = 0;
    run_for(0.2);
    for (size_t i = 0; i < heard_count; i++) {
        assert_int_equal(heard[i].message.servo, ROBO_SERVO_SETPOINT);
        if (heard[i].message.joint != 2)
            continue;
        assert_true(heard[i].message.value >= last && heard[i].message.value < 1);
        last = heard[i].message.value;
    }
    assert_true(last > 0.1);
    run_for(2);
    struct robo_result results[8];
    assert_int_equal(robo__session_results(session, results, 8), 2);
    assert_int_equal(results[0].signal, ROBO_SUCCESS);
    assert_int_equal(results[1].signal, ROBO_SUCCESS);
    assert_true(results[0].id == other && results[1].id == id); /* the shorter way first */
    assert_true(line->position[1] == 1 && line->position[4] == -0.5);
    /* a stop is a place to stop at */
    give(go(2, -1));
    run_for(0.3);
    id = give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    run_for(0.5);
    assert_int_equal(signal_of(id, NULL), ROBO_SUCCESS);
    assert_true(line->position[1] < 1 && line->position[1] > 0);
    close_world();
}

/* The tip follows speeds and goes to places, weighed through its Jacobian, in every order. */
TEST(frames)
{
    for (uint8_t order = ROBO_ORDER_SEQUENTIAL; order <= ROBO_ORDER_PLANNED; order++) {
        struct robo_pose pose, then;
        open_arm(order, 500);
        for (uint8_t i = 1; i <= DOFS; i++)
            give(go(i, i % 2 ? 0.6 : -0.4));
        run_for(2);
        assert_int_equal(robo_frame_pose(robot->port.model, line->position, 1, &pose), 0);
        uint32_t id =
            give((struct robo_cmd){ .op = ROBO_SET_FRAME_SPEED,
                                    .start = ROBO_AT_ONCE,
                                    .body.frame = { .frame = 1, .linear = { -0.1, 0.05, 0 } } });
        run_for(1);
        assert_int_equal(signal_of(id, NULL), ROBO_SUCCESS);
        robo_frame_pose(robot->port.model, line->position, 1, &then);
        assert_float_equal(then.position[0] - pose.position[0], -0.1, 5e-3);
        assert_float_equal(then.position[1] - pose.position[1], 0.05, 5e-3);
        struct robo_cmd to = { .op = ROBO_SET_FRAME,
                               .start = ROBO_AT_ONCE,
                               .body.frame = { .frame = 1, .free = 1 } };
        memcpy(to.body.frame.linear, pose.position, sizeof pose.position);
        id = give(to);
        run_for(3);
        assert_int_equal(signal_of(id, NULL), ROBO_SUCCESS);
        robo_frame_pose(robot->port.model, line->position, 1, &then);
        for (int i = 0; i < 2; i++)
            assert_float_equal(then.position[i], pose.position[i], 1e-4);
        close_world();
    }
}

/* A joint that takes over a dof of a moving frame stops the frame, and the others with it. */
TEST(a_joint_takes_over_from_a_frame)
{
    open_arm(ROBO_ORDER_OPTIMAL, 500);
    for (uint8_t i = 1; i <= DOFS; i++)
        give(go(i, 0.5));
    run_for(2);
    give((struct robo_cmd){ .op = ROBO_SET_FRAME_SPEED,
                            .start = ROBO_AT_ONCE,
                            .body.frame = { .frame = 1, .linear = { -0.1, 0, 0 } } });
    run_for(0.2);
    give(run(2, 0.25));
    run_for(0.2);
    assert_true(line->speed[1] == 0.25);
    for (int i = 0; i < DOFS; i++)
        if (i != 1)
            assert_true(line->speed[i] == 0);
    close_world();
}
