/* The driver of drives on a CAN bus against simulated drives: a halt is all that the bus carries until the reset, and it is
 * sent until the line takes it. */
#include "can_drives.h"

static size_t count_heard(void)
{
    pthread_mutex_lock(&arm.lock);
    size_t count = arm.count;
    pthread_mutex_unlock(&arm.lock);
    return count;
}

TEST(nothing_but_the_halt_until_the_reset)
{
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    robo_panic(robot);
    EVENTUALLY(was_said("t2118000000000000")); /* the last of the halt */
    robo_reset(robot);
    /* a panic while drives are being woken, which takes one of them long */
    arm.node[1].mute = true;
    pthread_mutex_lock(&arm.lock);
    arm.count = 0;
    pthread_mutex_unlock(&arm.lock);
    give(run(1, 0.5));
    EVENTUALLY(arm.node[0].status == 0x0237);
    robo_panic(robot);
    EVENTUALLY(arm.node[0].status == 0x0240);
    EVENTUALLY(was_said("t2118000000000000"));
    size_t heard = count_heard();
    /* drives are asked again every 0.5 s as long as they are being woken */
    nanosleep(&(struct timespec){ .tv_nsec = 700000000 }, NULL);
    arm.node[1].mute = false;
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    assert_int_equal(count_heard(), heard);
    assert_int_equal(arm.node[0].status, 0x0240);
    expect_well_again();
    close_robot();
}

static void forget_what_was_heard(void)
{
    pthread_mutex_lock(&arm.lock);
    arm.count = 0;
    pthread_mutex_unlock(&arm.lock);
}

/* Describes the robot anew, as it is; what it returns. */
static void *reload(void *error)
{
    static struct robo_description d;
    describe(&d, ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    *(atomic_int *)error = robo_reload(robot, &d, NULL);
    return NULL;
}

TEST(drives_stay_limp_when_their_robot_is_described_anew_in_a_panic)
{
    atomic_int error = 1; /* 1: not over */
    pthread_t thread;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_LIMP);
    robo_panic(robot);
    EVENTUALLY(arm.node[0].status == 0x0240 && was_said("t2118000000000000"));
    forget_what_was_heard();
    reload(&error);
    assert_int_equal(error, 0);
    EVENTUALLY(was_said("O\r"));
    EVENTUALLY(was_said("t2118000000000000"));
    assert_false(was_said("t601") || was_said("t0002") || was_said("t20120600"));
    assert_int_equal(arm.node[0].status, 0x0240);
    robo_reset(robot);
    expect_obeyed(go(2, 0.1));
    /* a panic while they are woken, one of them never */
    arm.node[1].mute = true;
    forget_what_was_heard();
    error = 1;
    assert_int_equal(pthread_create(&thread, NULL, reload, &error), 0);
    EVENTUALLY(was_said("t00020102") || error < 0);
    forget_what_was_heard();
    robo_panic(robot);
    pthread_join(thread, NULL);
    assert_int_equal(error, 0);
    EVENTUALLY(arm.node[0].status == 0x0240);
    arm.node[1].mute = false;
    robo_reset(robot);
    expect_obeyed(go(2, 0.2));
    close_robot();
}

static atomic_bool removed; /* the robot's line is closed */

static void *remove_it(void *arg)
{
    robo_remove(robot);
    removed = true;
    return NULL;
}

static bool is_gone(void)
{
    robo_robot *still = robo_find(world, "arm");
    robo_release(still);
    return !still;
}

/* Bytes that the adapter has not read. */
static int untaken(void)
{
    int bytes = 0;
    ioctl(arm.master, FIONREAD, &bytes);
    return bytes;
}

/* The robot goes when the adapter takes nothing any more. The ear is held. */
static pthread_t remove_while_it_is_deaf(void)
{
    pthread_t thread;
    closes_in_peace = true;
    removed = false;
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    give(run(1, 0.5));
    EVENTUALLY(arm.node[0].speed == 0.5);
    pthread_mutex_lock(&ear);
    arm.deaf = true;
    int flags = fcntl(arm.keep, F_GETFL);
    assert_int_equal(fcntl(arm.keep, F_SETFL, flags | O_NONBLOCK), 0);
    while (write(arm.keep, "\r", 1) == 1)
        ;
    assert_int_equal(pthread_create(&thread, NULL, remove_it, NULL), 0);
    EVENTUALLY(is_gone());
    return thread;
}

static void expect_halt_of_what_is_gone(pthread_t thread)
{
    pthread_join(thread, NULL);
    EVENTUALLY(arm.node[0].speed == 0);
    closes_in_peace = false;
    close_robot();
}

TEST(a_line_takes_the_halt_before_it_is_closed)
{
    const pthread_t thread = remove_while_it_is_deaf();
    arm.deaf = false;
    EVENTUALLY(untaken() == 0);
    pthread_mutex_unlock(&ear);
    expect_halt_of_what_is_gone(thread);
}

/* Thousands of answers that waited are read at once, which is no time that the line has had. */
TEST(a_line_that_has_much_to_say_takes_the_halt_before_it_is_closed)
{
    static char answers[3000];
    size_t said = 0;
    int unread = 1;
    const pthread_t thread = remove_while_it_is_deaf();
    memset(answers, '\r', sizeof answers);
    pthread_mutex_unlock(&ear);
    REPEAT_UNTIL(said == sizeof answers, {
        const ssize_t n = write(arm.master, answers + said, sizeof answers - said);
        said += n > 0 ? (size_t)n : 0;
    });
    REPEAT_UNTIL(unread == 0 || removed, ioctl(arm.keep, FIONREAD, &unread));
    arm.deaf = false;
    expect_halt_of_what_is_gone(thread);
}

TEST(a_halt_that_the_adapter_refuses_is_sent_again)
{
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    give(run(1, 0.5));
    EVENTUALLY(arm.node[0].speed == 0.5);
    arm.refuse = 20; /* more than it takes for a drive to be given up */
    robo_panic(robot);
    EVENTUALLY(arm.node[0].speed == 0);
    arm.refuse = 0;
    expect_well_again();
    close_robot();
}

TEST(drives_that_ran_on_are_halted_when_the_adapter_is_back)
{
    open_robot(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    give(run(1, 0.5));
    EVENTUALLY(arm.node[0].speed == 0.5);
    unplug();
    EVENTUALLY(in_panic());
    assert_true(arm.node[0].speed == 0.5);
    plug_in();
    EVENTUALLY(arm.node[0].speed == 0);
    expect_well_again();
    close_robot();
}
