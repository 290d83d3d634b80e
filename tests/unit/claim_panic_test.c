/* Panics of a claimed device that is a robot itself: it is told of those of this robot, and tells of its own. */
#include "fixture_claim.h"

static struct robo_panics panics(void)
{
    struct robo_panics p;
    assert_int_equal(robo_claim_panics(claim, &p), 0);
    return p;
}

static void see_to_halt(void)
{
    assert_int_equal(robo_claim_heard(claim, take(ROBO_JOB_HALT).number), 0);
}

FIXTURE(begin, end);

TEST(a_panic_is_told_at_once_and_other_halts_are_none)
{
    assert_int_equal(robo_claim_alarm(claim, "PANIC", 5), 0);
    robo_panic(robot);
    assert_string_equal(heard(), "HALTPANIC");
    assert_int_equal(panics().written, 1);
    assert_true(panics().now);
    see_to_halt();
    reset();
    take(ROBO_JOB_RESET);
    assert_false(panics().now);
    send_cmd((struct robo_cmd){ .op = ROBO_STOP }); /* which nobody begins */
    wait_for(0.6);
    assert_string_equal(heard(), "HALT");
    assert_int_equal(panics().written, 1);
    robo_claim_halt(claim);
    assert_string_equal(heard(), "HALT");
}

TEST(one_that_only_looks_on_writes_nothing_at_other_halts)
{
    assert_int_equal(robo_claim_port(claim, line[1], "", 0), 0);
    assert_int_equal(robo_claim_alarm(claim, "PANIC", 5), 0);
    robo_panic(robot);
    assert_string_equal(heard(), "PANIC");
    robo_remove(robot);
    assert_string_equal(heard(), "");
}

TEST(its_own_panic_is_not_told_to_it_but_is_one_here)
{
    uint32_t number;
    assert_int_equal(robo_claim_alarm(claim, "PANIC", 5), 0);
    const uint32_t id = move(1, 1);
    take_and_begin();
    assert_int_equal(robo_claim_panic(claim, &number), 0);
    assert_string_equal(heard(), "HALT");
    expect_answer(id, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(panics().count, number);
    assert_int_equal(panics().given, 0);
    robo_panic(robot); /* and somebody's here is told */
    assert_string_equal(heard(), "HALTPANIC");
    assert_int_equal(panics().count, number + 1);
    assert_int_equal(panics().given, 1);
}

TEST(its_reset_ends_its_own_panic_and_no_later_one)
{
    uint32_t number;
    assert_int_equal(robo_claim_panic(claim, &number), 0);
    assert_int_equal(robo_claim_reset(claim, number), 0);
    assert_false(panics().now);
    assert_int_equal(robo_claim_panic(claim, &number), 0);
    robo_panic(robot);
    assert_int_equal(robo_claim_reset(claim, number), ROBO_EPANIC);
    assert_true(panics().now);
}

TEST(its_reset_is_of_no_panic_65536_later)
{
    uint32_t first, number;
    assert_int_equal(robo_claim_panic(claim, &first), 0);
    for (int i = 0; i < 65536; i++)
        assert_int_equal(robo_claim_panic(claim, &number), 0);
    assert_int_equal(number, first + 65536);
    assert_int_equal(robo_claim_reset(claim, first), ROBO_EPANIC);
    assert_int_equal(robo_claim_reset(claim, number), 0);
}

TEST(one_that_was_given_here_lasts_until_it_is_reset)
{
    uint32_t number;
    assert_int_equal(robo_claim_panic(claim, &number), 0);
    assert_false(panics().given_now);
    robo_panic(robot);
    assert_true(panics().given_now);
    assert_int_equal(robo_claim_panic(claim, &number), 0); /* a newer one that it has told */
    assert_true(panics().given_now);
    assert_int_equal(robo_claim_reset(claim, number), ROBO_EPANIC);
    reset();
    assert_false(panics().given_now);
    assert_int_equal(robo_claim_panic(claim, &number),
                     0); /* and that is no matter for later ones */
    assert_false(panics().given_now);
    assert_int_equal(robo_claim_reset(claim, number), 0);
    assert_false(panics().now);
}

TEST(what_is_told_has_room_behind_what_halts)
{
    const char many[ROBO_MAX_HALT_BYTES] = { 0 };
    assert_int_equal(robo_claim_alarm(claim, many, sizeof many - 4), 0);
    assert_int_equal(robo_claim_alarm(claim, many, sizeof many - 3), ROBO_EINVAL);
    assert_int_equal(robo_claim_alarm(claim, NULL, 0), 0);
    robo_panic(robot);
    assert_string_equal(heard(), "HALT");
    assert_int_equal(panics().written, 0);
    robo_remove(robot);
    assert_int_equal(robo_claim_alarm(claim, "PANIC", 5), ROBO_ECLOSED);
    struct robo_panics p;
    uint32_t number;
    assert_int_equal(robo_claim_panics(claim, &p), ROBO_ECLOSED);
    assert_int_equal(robo_claim_panic(claim, &number), ROBO_ECLOSED);
    assert_int_equal(robo_claim_reset(claim, 1), ROBO_ECLOSED);
}
