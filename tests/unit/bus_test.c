/* A robot's bus: slots and messages, when they are sent and what of. */
#include "fixture_bus.h"

TEST(line_is_never_sent_two_at_once)
{
    static const uint8_t orders[] = { ROBO_ORDER_SEQUENTIAL,   ROBO_ORDER_UPDATED,
                                      ROBO_ORDER_SYNCHRONISED, ROBO_ORDER_PREDICTIVE,
                                      ROBO_ORDER_GREATEST,     ROBO_ORDER_OPTIMAL,
                                      ROBO_ORDER_PLANNED };
    for (size_t o = 0; o < sizeof orders; o++) {
        const double rate = 700; /* whose period is no whole number of nanoseconds */
        open_arm(orders[o], rate);
        robo_time begin = robo_now(world);
        for (int i = 0; i < 20; i++) {
            give(go((uint8_t)(1 + i % DOFS), 0.1 * i - 1));
            run_for(0.0313);
        }
        run_for(3);
        assert_true(heard_count > 100);
        for (size_t i = 1; i < heard_count; i++)
            assert_true(heard[i].at - heard[i - 1].at >= (robo_time)(1e9 / rate) - 1);
        assert_true((double)heard_count <= (double)(robo_now(world) - begin) * 1e-9 * rate + 1);
        assert_int_equal(signal_of(give(go(1, 0.5)), NULL), 0);
        run_for(3);
        assert_float_equal(line->position[0], 0.5, 1e-3);
        /* at rest nothing is sent, and nothing is looked at but what places are held */
        size_t before = heard_count;
        struct robo_reply_bus rest, later;
        robo__robot_bus(robot, &rest);
        run_for(100);
        robo__robot_bus(robot, &later);
        assert_true(heard_count - before < 20);
        assert_true(later.slots - rest.slots < 100 / 0.02 + 40);
        close_world();
    }
}

TEST(synchronised_ones_begin_together)
{
    open_arm(ROBO_ORDER_SYNCHRONISED, 600);
    give(run(1, 1));
    give(run(2, -0.5));
    run_for(0.1);
    assert_true(line->speed[0] == 1 && line->speed[1] == -0.5);
    size_t stores = 0, broadcasts = 0;
    for (size_t i = 0; i < heard_count; i++) {
        stores += heard[i].message.kind == ROBO_BUS_STORE;
        broadcasts += heard[i].message.kind == ROBO_BUS_SYNCHRONISE;
        assert_true(heard[i].message.kind != ROBO_BUS_SET);
    }
    assert_true(broadcasts > 2);
    assert_in_range(stores, broadcasts * DOFS, broadcasts * DOFS + DOFS);
    close_world();
}

TEST(ages)
{
    static struct robo_description d;
    describe(&d, ROBO_ORDER_OPTIMAL, 200);
    d.bus_age = SECOND / 10;
    open_with(&d);
    give(run(1, 0.1));
    run_for(20);
    robo_time last[DOFS + 1], begin = heard[0].at;
    for (int i = 0; i <= DOFS; i++)
        last[i] = begin;
    for (size_t i = 0; i < heard_count; i++) {
        uint8_t j = heard[i].message.joint;
        /* its slot, and one for each that may be due at the same instant */
        assert_true(heard[i].at - last[j] <= d.bus_age + DOFS * SECOND / 200);
        last[j] = heard[i].at;
    }
    assert_true(robo_now(world) - last[5] <= d.bus_age + DOFS * SECOND / 200);
    close_world();
}

/* Any driver: here the simulator, whose commands the bus gives one dof at a time. */
TEST(a_driver_without_messages)
{
    static struct robo_description d;
    struct robo_reply_bus report;
    for (uint8_t order = ROBO_ORDER_SEQUENTIAL; order <= ROBO_ORDER_PLANNED; order++) {
        describe(&d, order, 500);
        strcpy(d.device[0].driver, "sim");
        open_with(&d);
        uint32_t id = give(go(2, 1.2));
        run_for(0.1);
        assert_int_equal(signal_of(id, NULL), 0);
        run_for(2);
        assert_int_equal(signal_of(id, NULL), ROBO_SUCCESS);
        assert_int_equal(robo__robot_bus(robot, &report), 0);
        assert_in_range(report.told[1], 50, 500);
        close_world();
    }
    d.bus_order = ROBO_ORDER_NONE; /* straight to the driver */
    open_with(&d);
    uint32_t id = give(go(2, 1.2));
    run_for(2);
    assert_int_equal(signal_of(id, NULL), ROBO_SUCCESS);
    assert_int_equal(robo__robot_bus(robot, &report), ROBO_ENONE);
    close_world();
}

TEST(described_anew)
{
    static struct robo_description d;
    struct robo_reply_bus report;
    open_arm(ROBO_ORDER_OPTIMAL, 500);
    uint32_t id = give(go(2, 1.2));
    run_for(0.1);
    describe(&d, ROBO_ORDER_SEQUENTIAL, 100);
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    int why = 0;
    assert_int_equal(signal_of(id, &why), ROBO_INTERRUPTED);
    assert_int_equal(robo__robot_bus(robot, &report), 0);
    assert_int_equal(report.order, ROBO_ORDER_SEQUENTIAL);
    assert_true(report.rate == 100);
    d.bus_rate = 1;
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    assert_int_equal(robo__robot_bus(robot, &report), 0);
    assert_true(report.rate == 1);
    d.bus_rate = 100;
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    id = give(go(2, 0.2));
    run_for(3);
    assert_int_equal(signal_of(id, NULL), ROBO_SUCCESS);
    /* what cannot be is refused */
    d.bus_rate = 0;
    assert_int_equal(robo_reload(robot, &d, NULL), ROBO_EINVAL);
    d.bus_rate = 100;
    d.bus_weight[2] = -1;
    assert_int_equal(robo_reload(robot, &d, NULL), ROBO_EINVAL);
    close_world();
}

/* Whenever it comes, also between a speed that is stored and the broadcast that begins it. What stands needs no slot. */
TEST(a_stop_is_sent_in_every_order)
{
    for (uint8_t order = ROBO_ORDER_SEQUENTIAL; order <= ROBO_ORDER_PLANNED; order++) {
        for (int slot = 0; slot < 2 * (DOFS + 1); slot++) {
            open_arm(order, 100);
            give(run(1, 0.5));
            run_for(0.5 + 0.01 * slot);
            assert_true(line->speed[0] == 0.5 &&
                        robot->bus.stage.kind->due(&robot->bus.stage) != ROBO_NEVER);
            uint32_t id = give(
                slot % 2 ? run(1, 0) : (struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
            run_for(2);
            assert_int_equal(signal_of(id, NULL), ROBO_SUCCESS);
            assert_true(line->speed[0] == 0 &&
                        robot->bus.stage.kind->due(&robot->bus.stage) == ROBO_NEVER);
            close_world();
        }
    }
}

/* Who sends what counts most waits for nothing where no message would change enough. */
TEST(what_is_too_little_to_be_sent_needs_no_slot)
{
    for (uint8_t order = ROBO_ORDER_GREATEST; order <= ROBO_ORDER_PLANNED; order++) {
        static struct robo_description d;
        describe(&d, order, 100);
        d.joint[1].servo |= ROBO_SERVO_FORCE;
        open_with(&d);
        struct robo_cmd force = { .op = ROBO_SET_JOINT_FORCE,
                                  .start = ROBO_AT_ONCE,
                                  .body.servo = { .joint = 1, .mask = 1 } };
        for (int i = 0; i < 2; i++) {
            force.body.servo.value[0] = 0.5 + i * 1e-6;
            give(force);
            run_for(1);
        }
        assert_int_equal(heard_count, 1);
        assert_true(robot->bus.stage.kind->due(&robot->bus.stage) == ROBO_NEVER);
        close_world();
    }
}

/* At an override of 0 a force is none, its dof stands, and the force goes on with the next share. */
TEST(a_force_waits_for_the_override)
{
    static struct robo_description d;
    describe(&d, ROBO_ORDER_OPTIMAL, 100);
    d.joint[1].servo |= ROBO_SERVO_FORCE;
    open_with(&d);
    struct robo_cmd force = { .op = ROBO_SET_JOINT_FORCE,
                              .start = ROBO_AT_ONCE,
                              .body.servo = { .joint = 1, .mask = 1, .value = { 0.5 } } };
    give(force);
    run_for(0.1);
    assert_int_equal(heard[heard_count - 1].message.servo, ROBO_SERVO_FORCE);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(robo__override_set(robot, 0), 0);
        if (i == 1) {
            force.body.servo.value[0] = 0.25;
            give(force);
        }
        run_for(0.1);
        assert_int_equal(heard[heard_count - 1].message.servo, ROBO_SERVO_SPEED);
        assert_true(heard[heard_count - 1].message.value == 0);
        assert_int_equal(robo__override_set(robot, 0.1), 0);
        run_for(0.1);
        assert_int_equal(heard[heard_count - 1].message.servo, ROBO_SERVO_FORCE);
        assert_true(heard[heard_count - 1].message.value == (i ? 0.25 : 0.5));
    }
    close_world();
}

/* A metre counts as much as 2.5 rad, unless the descriptor says otherwise. */
TEST(who_is_sent_to_first_is_a_matter_of_weights)
{
    for (int weighed = 0; weighed < 2; weighed++) {
        static struct robo_description d;
        describe(&d, ROBO_ORDER_OPTIMAL, 100);
        d.dof[1].kind = ROBO_PRISMATIC;
        d.bus_weight[6] = weighed ? 2 : 0;
        open_with(&d);
        give(run(5, 1)); /* is sent at once, and the others wait for their slots */
        give(run(1, 0.3));
        give(run(2, 0.2));
        run_for(0.1);
        assert_true(heard_count >= 3);
        assert_int_equal(heard[1].message.joint, weighed ? 1 : 2);
        assert_int_equal(heard[2].message.joint, weighed ? 2 : 1);
        close_world();
    }
}

/* A bus carries joints; a base has commands that are none of its dofs'. */
TEST(no_base_on_a_bus)
{
    static struct robo_description d;
    describe(&d, ROBO_ORDER_OPTIMAL, 1000);
    d.device[0].base = 1;
    world = robo_open(&OPTIONS);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &line_driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), ROBO_EINVAL);
    robo_close(world);
}
