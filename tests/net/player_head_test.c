/* A head behind a Player server that does not tell where it is: a place of before, of another connection or of old data, is none to send
 * it to, as others may have turned it since. Real sockets, real clocks; nothing here measures time. */
#include "player_stand_in.h"

/* Data are late soon, so that commands are given without a head that tells nothing. */
static int begin(void **state)
{
    begin_by(2, ROBO_LIMP);
    return 0;
}

/* The stand-in's head is at 0, and stays there. */
static const struct robo_cmd there = { .op = ROBO_SET_JOINT,
                                       .body.servo = { .joint = 1, .mask = 3 } },
                             away_from_there = { .op = ROBO_SET_JOINT,
                                                 .body.servo = {
                                                     .joint = 1, .mask = 1, .value = { 0.8 } } };

/* On a machine that stalls the base's data may be late, too: that is not what these tests are about. */
static struct robo_result answer_with_a_connection(struct robo_cmd cmd)
{
    struct robo_result r = answer(cmd);
    REPEAT_UNTIL(r.reason != ROBO_WHY_LINK, r = answer(cmd));
    return r;
}

static bool fails(struct robo_cmd cmd)
{
    const struct robo_result r = answer_with_a_connection(cmd);
    return r.signal == ROBO_ERROR && r.reason == ROBO_WHY_DEVICE;
}

static struct robo_result answer_to_a_move_in_which_data_stall(void)
{
    atomic_store(&tells_head, true);
    EVENTUALLY(result(there) == ROBO_SUCCESS);
    const uint32_t id = give(away_from_there);
    atomic_store(&tells_head, false);
    return answer_to(id);
}

/* All that was said before has been read: it is in order. */
static void let_it_read(void)
{
    const unsigned n = count_said(BASE, CMD, VEL);
    EVENTUALLY(taken(drive));
    EVENTUALLY(count_said(BASE, CMD, VEL) > n);
}

/* Messages that send the head anywhere, or say how it is sent. */
static unsigned count_of_head(void)
{
    return count_said(HEAD, CMD, PTZ_STATE) + count_said(HEAD, REQ, PTZ_MODE);
}

/* Nobody tells the head to go anywhere by a stop and a panic, which stop the base. */
static void stop_without_the_head(void)
{
    struct said motors = { .value = { 1 } };
    let_it_read();
    const unsigned n = count_of_head();
    assert_int_equal(answer_with_a_connection(stop).signal, ROBO_SUCCESS);
    robo_panic(here);
    EVENTUALLY(last(newest(), BASE, REQ, MOTORS, &motors) && motors.value[0] == 0); /* comes last */
    assert_int_equal(count_of_head(), n);
}

/* ---- tests ---- */

/* The newest connection on which it was sent there: its mode is told before that. */
static void expect_places_after_their_mode(void)
{
    struct said mode = { .value = { 0 } }, state_told;
    EVENTUALLY(result(there) == ROBO_SUCCESS);
    let_it_read();
    const unsigned c = newest(), place = first(c, HEAD, CMD, PTZ_STATE, &state_told);
    assert_true(place > 0);
    assert_in_range(first(c, HEAD, REQ, PTZ_MODE, &mode), 1, place - 1);
    assert_true(mode.value[0] == 1);
}

FIXTURE(begin, end);

/* In Player the mode is the device's: who was there before may have left speeds behind, in which places do nothing. */
TEST(a_head_is_told_that_places_follow_on_each_connection)
{
    expect_places_after_their_mode();
    lose();
    expect_places_after_their_mode();
    const unsigned n = count_said(HEAD, REQ, PTZ_MODE), c = newest();
    EVENTUALLY(result(there) == ROBO_SUCCESS);
    let_it_read();
    if (c == newest()) /* else it was late, and there is another connection */
        assert_int_equal(count_said(HEAD, REQ, PTZ_MODE), n);
}

TEST(a_head_that_tells_nothing_on_a_new_connection_is_sent_nowhere)
{
    EVENTUALLY(result(there) == ROBO_SUCCESS);
    atomic_store(&tells_head, false);
    lose();
    assert_true(fails(there)); /* nor has it come to where it was before */
    assert_true(fails((struct robo_cmd){ .op = ROBO_HOME }));
    assert_true(fails(pan));
    stop_without_the_head();
}

TEST(a_head_whose_data_stall_while_those_of_the_base_go_on_is_sent_nowhere)
{
    EVENTUALLY(result(there) == ROBO_SUCCESS);
    atomic_store(&tells_head, false);
    EVENTUALLY(fails(there));
    stop_without_the_head();
}

/* Not to a place: it stands where it is, wherever that may be. */
TEST(a_head_whose_data_stall_in_its_move_is_stopped_by_speeds)
{
    struct robo_result r = { .reason = ROBO_WHY_LINK };
    struct said mode = { .value = { 1 } }, state_told = { .value = { 1, 1, 1, 1, 1 } };
    REPEAT_UNTIL(r.reason != ROBO_WHY_LINK, r = answer_to_a_move_in_which_data_stall());
    assert_int_equal(r.signal, ROBO_ERROR);
    assert_int_equal(r.reason, ROBO_WHY_DEVICE);
    let_it_read();
    const unsigned c = newest();
    assert_true(last(c, HEAD, REQ, PTZ_MODE, &mode));
    assert_true(mode.value[0] == 0);
    assert_true(last(c, HEAD, CMD, PTZ_STATE, &state_told));
    assert_true(state_told.value[3] == 0 && state_told.value[4] == 0);
    assert_true(state_told.value[0] == 0); /* the newest, and not the command */
}

TEST(a_head_that_turns_and_whose_data_stall_is_stopped_by_speeds)
{
    struct said state_told = { .value = { 1, 1, 1, 1, 1 } };
    EVENTUALLY(taken(pan));
    atomic_store(&tells_head, false);
    EVENTUALLY(fails(pan));
    let_it_read();
    const unsigned modes = count_said(HEAD, REQ, PTZ_MODE);
    assert_int_equal(answer_with_a_connection(stop).signal, ROBO_SUCCESS);
    EVENTUALLY(count_said(HEAD, REQ, PTZ_MODE) > modes);
    let_it_read();
    assert_true(last(newest(), HEAD, CMD, PTZ_STATE, &state_told));
    assert_true(state_told.value[3] == 0 && state_told.value[4] == 0);
}
