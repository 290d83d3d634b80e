/* What a robot behind a Player server is told when the watchdog ends the program: first the bytes are written that other devices have
 * prepared, then robots are halted, as here. An emergency lasts until the process ends, so these tests are all in one. */
#include "player_stand_in.h"
#include "robotalk/emergency.h"

static int begin(void **state)
{
    begin_by(600, ROBO_BRAKE);
    return 0;
}

/* The newest speed ahead that the base was told; 1: none. */
static double told_speed(void)
{
    struct said vel = { .value = { 1 } };
    last(newest(), BASE, CMD, VEL, &vel);
    return vel.value[0];
}

static void end_program(void)
{
    robo_emergency_write();
    robo_panic(here);
}

FIXTURE(begin, end);

TEST(it_is_told_to_stand)
{
    struct said head = { .value = { 1, 1, 1, 1, 1 } }, claw;
    EVENTUALLY(taken(drive));
    EVENTUALLY(taken(pan));
    assert_true(taken(grip));
    EVENTUALLY(told_speed() == 0.5);
    end_program();
    EVENTUALLY(told_speed() == 0);
    EVENTUALLY(last(newest(), HEAD, CMD, PTZ_STATE, &head) && head.value[3] == 0);
    EVENTUALLY(first(newest(), CLAW, CMD, GRIP_STOP, &claw) > 0);
}

/* The stand-in aborts where a message is torn. */
TEST(it_is_told_so_behind_what_is_on_its_way)
{
    EVENTUALLY(taken(drive));
    fill();
    end_program();
    atomic_store(&reads, true);
    EVENTUALLY(told_speed() == 0);
    assert_int_equal(waiting(), 0);
}
