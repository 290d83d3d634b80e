/* What a bus loses: messages, its line, its drives and its sensors. */
#include "fixture_bus.h"
#include "robotalk/device.h"

TEST(lost_messages_are_sent_anew)
{
    open_arm(ROBO_ORDER_OPTIMAL, 500);
    give(run(4, 1));
    run_for(0.1);
    assert_true(line->speed[3] == 1);
    size_t before = heard_count;
    line->speed[3] = 0.2; /* the drive has not heard it */
    robo_post_message_lost(line->device, 4, 0);
    run_for(0.01);
    assert_true(heard_count > before && heard[before].message.joint == 4);
    assert_true(line->speed[3] == 1);
    struct robo_reply_bus report;
    assert_int_equal(robo__robot_bus(robot, &report), 0);
    assert_int_equal(report.lost, 1);
    assert_int_equal(report.messages, heard_count);
    assert_int_equal(report.dofs, DOFS);
    close_world();
}

TEST(a_line_that_is_full)
{
    open_arm(ROBO_ORDER_OPTIMAL, 500);
    line_error = ROBO_EFULL;
    give(run(4, 1));
    run_for(0.1);
    assert_int_equal(heard_count, 0);
    line_error = 0;
    run_for(0.01);
    assert_true(line->speed[3] == 1);
    struct robo_reply_bus report;
    assert_int_equal(robo__robot_bus(robot, &report), 0);
    assert_in_range(report.refused, 49, 52);
    close_world();
}

TEST(a_line_that_is_lost)
{
    int why = 0;
    open_arm(ROBO_ORDER_OPTIMAL, 500);
    give(run(1, 0.5));
    uint32_t id = give(go(4, 1));
    run_for(0.1);
    line_error = ROBO_EDEVICE;
    run_for(0.01);
    assert_int_equal(signal_of(id, &why), ROBO_ERROR);
    assert_int_equal(why, ROBO_WHY_DEVICE);
    assert_true(line->halted && line->speed[0] == 0); /* nothing is wanted of any of its drives */
    line_error = ROBO_ELINK;
    id = give(go(4, 1));
    run_for(0.01);
    assert_int_equal(signal_of(id, &why), ROBO_ERROR);
    assert_int_equal(why, ROBO_WHY_LINK);
    line_error = 0;
    line->halted = false;
    id = give(go(4, 1));
    run_for(0.01);
    uint32_t other = give(go(1, 1));
    robo_post_lost(line->device, ROBO_WHY_LINK); /* it fell off while it moved */
    struct robo_result results[8];
    assert_int_equal(robo__session_results(session, results, 8), 2);
    for (int i = 0; i < 2; i++) {
        assert_true(results[i].id == id || results[i].id == other);
        assert_int_equal(results[i].signal, ROBO_ERROR);
        assert_int_equal(results[i].reason, ROBO_WHY_LINK);
    }
    assert_true(line->halted && robo__robot_alarm(robot).panic);
    size_t before = heard_count;
    run_for(1);
    assert_int_equal(heard_count, before); /* limbs that were halted are not spoken to */
    robo_reset(robot);
    id = give(go(4, 0.5));
    run_for(2);
    assert_int_equal(signal_of(id, &why), ROBO_SUCCESS);
    close_world();
}

TEST(a_drive_that_does_not_move)
{
    int why = 0;
    open_arm(ROBO_ORDER_OPTIMAL, 500);
    stuck = true;
    uint32_t id = give(go(4, 1));
    run_for(1);
    assert_int_equal(signal_of(id, &why), 0);
    run_for(1);
    assert_int_equal(signal_of(id, &why), ROBO_MODIFIED);
    assert_int_equal(why, ROBO_WHY_LIMIT);
    close_world();
}

TEST(a_sensor_that_reports_nan)
{
    int why = 0;
    for (uint8_t order = ROBO_ORDER_SEQUENTIAL; order <= ROBO_ORDER_PLANNED; order++) {
        open_arm(order, 500);
        uint32_t id = give(go(3, 1));
        give(run(1, 0.5));
        run_for(0.2);
        reports_nan = true;
        run_for(0.1);
        assert_int_equal(signal_of(id, &why), ROBO_ERROR);
        assert_int_equal(why, ROBO_WHY_DEVICE);
        assert_true(line->halted && line->speed[0] == 0 && line->speed[2] == 0);
        size_t before = heard_count;
        run_for(1);
        assert_int_equal(heard_count, before);
        reports_nan = false;
        id = give(go(3, 0.5));
        run_for(2);
        assert_int_equal(signal_of(id, &why), ROBO_SUCCESS);
        close_world();
    }
}
