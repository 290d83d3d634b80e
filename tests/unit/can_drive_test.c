/* The driver of drives on a CAN bus against simulated drives: woken and moved, and what is lost: drives, frames, the
 * adapter. */
#include <limits.h>

#include "can_drives.h"

/* ---- drives that do as they are told ---- */

/* For minutes, so that it is still under way when the test comes to look. */
static const double SLOW = 0.01;
static struct robo_cmd go_slowly(uint8_t joint)
{
    struct robo_cmd cmd = go(joint, 1.9);
    cmd.body.servo.speed = SLOW;
    return cmd;
}

TEST(drives_are_woken_and_moved)
{
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    /* first of all the adapter: closed, 500 kbit/s, open; then the drives, byte for byte */
    static const char first[] = "C\rS6\rO\r"
                                "t60182F60600003000000\r" /* node 1: profile velocity */
                                "t60182F031402FF000000\r" /* RPDO4 at once */
                                "t60182F021802FF000000\r" /* TPDO3 by its timer */
                                "t60182B0218050A000000\r" /* of 10 ms */
                                "t00020101\r"             /* start */
                                "t60282F60600003000000\r";
    EVENTUALLY(was_said("t00020102\r"));
    assert_memory_equal(arm.heard, first, sizeof first - 1);
    assert_true(was_said("t20120600\r") && was_said("t20120700\r") && was_said("t20120F00\r"));
    assert_true(arm.node[0].objects >= 4); /* drives that are not ready in time are told again */
    expect_obeyed(go(1, 0.3));
    EVENTUALLY(fabs(arm.node[0].position - 0.3) < 5e-3);
    expect_obeyed(go(3, -0.2));
    EVENTUALLY(fabs(arm.node[2].position + 0.2) < 5e-3);
    give(run(2, SLOW));
    EVENTUALLY(arm.node[1].speed == SLOW);
    assert_true(was_said("t50260F000A000000\r")); /* 10 mrad/s */
    robo_panic(robot);
    EVENTUALLY(arm.node[1].speed == 0);
    assert_int_equal(arm.node[1].status, 0x0237); /* held, not let go */
    close_robot();
}

TEST(limp_arms_are_woken_after_the_reset)
{
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    give(run(1, SLOW));
    EVENTUALLY(arm.node[0].speed == SLOW);
    robo_panic(robot);
    EVENTUALLY(arm.node[0].status == 0x0240 && arm.node[1].status == 0x0240);
    assert_true(arm.node[0].speed == 0);
    robo_reset(robot);
    expect_obeyed(go(2, 0.2));
    assert_int_equal(arm.node[0].status, 0x0237);
    close_robot();
}

static int unheard(void)
{
    int bytes = 0;
    ioctl(arm.keep, FIONREAD, &bytes);
    return bytes;
}

/* Drives that were in operation say so until they are let go; whoever reads that later is not to believe it. */
TEST(what_drives_told_before_they_were_let_go)
{
    struct robo_reply_bus before, report;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    robo__robot_bus(robot, &before);
    pthread_mutex_lock(&ear);
    EVENTUALLY(unheard() > 1000);
    robo_panic(robot);
    EVENTUALLY(arm.node[0].status == 0x0240 && arm.node[1].status == 0x0240);
    robo_reset(robot);
    uint32_t id = give(go(2, 0.2));
    EVENTUALLY(robo__robot_bus(robot, &report) == 0 && report.refused > before.refused);
    pthread_mutex_unlock(&ear);
    EVENTUALLY(answered(id));
    assert_true(word.signal == ROBO_SUCCESS || word.signal == ROBO_MODIFIED);
    close_robot();
}

TEST(broadcasts)
{
    open_robot(ROBO_ORDER_SYNCHRONISED, ROBO_HOLD);
    assert_true(was_said("t60182F03140201000000\r")); /* RPDO4 waits for SYNC */
    give(run(1, SLOW));
    give(run(2, -SLOW));
    EVENTUALLY(arm.node[0].speed == SLOW && arm.node[1].speed == -SLOW);
    assert_true(was_said("t0800\r"));
    robo_panic(robot);
    EVENTUALLY(arm.node[0].speed == 0 && arm.node[1].speed == 0);
    close_robot();
}

TEST(drives_that_do_not_answer_at_open)
{
    static struct robo_description d;
    memset(arm.node, 0, sizeof arm.node);
    arm.count = 0;
    plug_in();
    for (int i = 0; i < NODES; i++)
        arm.node[i].mute = true;
    describe(&d, ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    wired[2] = (struct robo_option)REAL("patience", 0.1); /* the longest wait of all */
    world = robo_open(&LOGGED);
    assert_non_null(world);
    assert_int_equal(robo_add_drivers(world), 0);
    assert_int_equal(robo_add(world, &d, &robot), ROBO_EDEVICE);
    assert_string_equal(logged, "arm: can: the drive of joint1 was not ready within 0.1 s");
    wired[0].value.text = "/dev/no_such_tty";
    assert_int_equal(robo_add(world, &d, &robot), ROBO_EDEVICE);
    assert_string_equal(logged,
                        "arm: can: /dev/no_such_tty cannot be opened: No such file or directory");
    d.device[0].options = 4; /* up to joint1 */
    assert_int_equal(robo_add(world, &d, &robot), ROBO_EINVAL);
    assert_string_equal(logged,
                        "arm: can: expected joint2.q = \"LAYOUT …\": the frames of this dof");
    robo_close(world);
    unplug();
}

/* ---- what is lost ---- */

/* What is running is answered ERROR with that reason, the robot panics, and after a reset it goes on. */
static void expect_lost(uint32_t id, enum robo_reason reason)
{
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_string_equal(robo_reason_name(word.reason), robo_reason_name(reason));
    EVENTUALLY(in_panic());
    EVENTUALLY(arm.node[0].speed == 0);
}

static bool was_logged(const char *line)
{
    pthread_mutex_lock(&arm.lock);
    bool was = strcmp(logged, line) == 0;
    pthread_mutex_unlock(&arm.lock);
    return was;
}

TEST(a_drive_that_falls_silent)
{
    timeout = 1e-9 * (double)patience() / 200;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    uint32_t id = give(go_slowly(1));
    EVENTUALLY(arm.node[0].speed > 0 || in_panic()); /* another may be late first */
    arm.node[1].mute = true;
    expect_lost(id, ROBO_WHY_DEVICE);
    arm.node[1].mute = false;
    do { /* until nobody is late */
        robo_reset(robot);
        id = give(go(1, 0.1));
        EVENTUALLY(answered(id));
    } while (word.signal != ROBO_SUCCESS);
    close_robot();
    timeout = 600;
}

TEST(a_drive_with_a_fault)
{
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    uint32_t id = give(go_slowly(1));
    EVENTUALLY(arm.node[0].speed > 0);
    arm.node[1].status = 0x0208;
    expect_lost(id, ROBO_WHY_DEVICE);
    assert_true(was_logged("arm: can: the drive of joint2 has left operation"));
    expect_well_again(); /* the fault was reset when it was woken */
    assert_true(was_said("t20228000\r"));
    id = give(go_slowly(1));
    EVENTUALLY(arm.node[0].speed > 0);
    arm.node[1].emergency = 0x2310;
    expect_lost(id, ROBO_WHY_DEVICE);
    assert_true(was_logged("arm: can: the drive of joint2 has sent an emergency message"));
    expect_well_again();
    close_robot();
}

TEST(lost_frames)
{
    struct robo_reply_bus report;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    arm.refuse = 3; /* fewer than it takes for the line to be lost */
    give(run(1, SLOW));
    EVENTUALLY(arm.node[0].speed == SLOW);
    EVENTUALLY(robo__robot_bus(robot, &report) == 0 && report.lost == 3);
    assert_false(in_panic());
    uint32_t id = give(go_slowly(2));
    EVENTUALLY(arm.node[1].speed > 0);
    arm.refuse = INT_MAX; /* nobody takes anything any more: the adapter's bus is off */
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    EVENTUALLY(in_panic());
    assert_true(arm.node[1].speed > 0); /* it runs on, until the adapter takes the halt */
    arm.refuse = 0;
    EVENTUALLY(arm.node[1].speed == 0);
    expect_well_again();
    close_robot();
}

static bool was_said_twice(const char *line)
{
    pthread_mutex_lock(&arm.lock);
    arm.heard[arm.count < HEARD ? arm.count : HEARD - 1] = 0;
    const char *once = strstr(arm.heard, line);
    bool twice = once && strstr(once + 1, line);
    pthread_mutex_unlock(&arm.lock);
    return twice;
}

TEST(an_adapter_that_is_unplugged)
{
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    uint32_t id = give(go_slowly(1));
    EVENTUALLY(arm.node[0].speed > 0);
    unplug();
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_int_equal(word.reason, ROBO_WHY_LINK);
    EVENTUALLY(in_panic());
    assert_true(was_logged("arm: can: the line to the bus is gone"));
    robo_reset(robot);
    id = give(go(1, 0.5)); /* it is still gone */
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_int_equal(word.reason, ROBO_WHY_LINK);
    /* plugged in again: its drives have lost their power meanwhile */
    for (int i = 0; i < NODES; i++)
        arm.node[i].status = 0x0240;
    plug_in();
    expect_well_again();
    assert_true(was_said_twice("C\rS6\rO\r"));
    close_robot();
}
