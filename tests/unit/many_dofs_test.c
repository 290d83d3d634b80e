/* Bodies of more dofs than fit a word, up to the limits: what names, takes, holds, brakes and reports dofs does so for the
 * last of them as for the first. */
#include "fixture_sessions.h"

#include "body/dof_set.h"

enum { HAND = 80 }; /* dofs of a humanoid with hands */

/* ---- bodies and a driver ---- */

/* A chain of so many dofs, one a joint; the first joint takes two where there would be more joints than can be. */
static void make_chain(struct robo_description *d, unsigned dofs)
{
    const unsigned joints = dofs < ROBO_MAX_JOINTS ? dofs + 1 : ROBO_MAX_JOINTS;
    begin_description(d, dofs + 1,
                      (struct robo_description){ .name = "r",
                                                 .links = (uint16_t)joints,
                                                 .joints = (uint16_t)joints,
                                                 .dofs = (uint16_t)dofs,
                                                 .devices = 1,
                                                 .commands = UINT64_MAX,
                                                 .deadman = S(0.5) });
    strcpy(d->device[0].driver, "parts");
    d->joint[0] = (struct robo_joint){ .name = "root", .parent = ROBO_WORLD };
    for (unsigned i = 0; i < joints; i++)
        snprintf(d->link[i].name, sizeof d->link[i].name, "link%u", i);
    for (unsigned i = 1, first = 0; i < joints; first += d->joint[i++].dofs) {
        d->joint[i] = (struct robo_joint){ .child = (uint16_t)i,
                                           .parent = (uint16_t)(i - 1),
                                           .first = (uint16_t)first,
                                           .dofs = i == 1 ? (uint8_t)(dofs - joints + 2) : 1,
                                           .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED };
        snprintf(d->joint[i].name, sizeof d->joint[i].name, "j%u", i);
    }
    for (unsigned i = 0; i < dofs; i++) {
        d->dof[i].axis[2] = 1;
        snprintf(d->dof[i].name, sizeof d->dof[i].name, "q%u", i);
    }
}

/* What the device was told to brake: the dofs of the last stop; whole: of all. */
static struct robo__dof_set braked;
static bool whole;

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct actor *actor = state;
    const struct robo_stop *s = &cmd->body.stop;
    if (cmd->op != ROBO_STOP) {
        actor_start(state, cmd, ticket, now);
        return;
    }
    whole = !s->base && s->bytes == 0;
    robo__dof_set_empty(&braked, ROBO_MAX_DOFS);
    for (unsigned i = 0; i < 8u * s->bytes; i++)
        if (s->mask[i / 8] >> i % 8 & 1)
            robo__dof_set_add(&braked, i);
    robo_done(actor->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Each dof stands where its number is. */
static void tell(const void *state, robo_time now, struct robo_state *out)
{
    for (unsigned i = 0; i < out->dofs; i++)
        out->position[i] = i;
}

static robo_driver driver;
static struct robo_description body;

static int open_chain(unsigned dofs)
{
    robo_robot *made = NULL;
    driver = actor_driver;
    driver.name = "parts";
    driver.start = start;
    driver.read = tell;
    driver.parts = 1;
    open_fixture_with(false, 1);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    robo_remove(robot);
    make_chain(&body, dofs);
    assert_int_equal(robo_add(world, &body, &made), 0);
    robo_release(made);
    robot = made;
    heard_count = 0;
    a = open_session(NULL, NULL);
    b = open_session(NULL, NULL);
    return 0;
}

static int open_humanoid(void **state)
{
    return open_chain(HAND);
}

static int open_largest(void **state)
{
    return open_chain(ROBO_MAX_DOFS);
}

/* Sends a frame of these dofs. */
static uint32_t send_frame(struct robo__session *s, uint8_t servo, unsigned first, unsigned end)
{
    struct robo__session_move *move = robo__move_make(end - first, 0);
    assert_non_null(move);
    for (unsigned i = first; i < end; i++)
        move->set.dof[i - first] =
            (struct robo_move_dof){ .dof = (uint16_t)i, .servo = servo, .value = 0.001 * i };
    return send_cmd(s, (struct robo_cmd){ .op = ROBO_MOVE,
                                          .start = ROBO_AT_ONCE,
                                          .revision = (uint8_t)robot->revisions->revision,
                                          .body.move = &move->set });
}

/* Takes answers, with the first part of the only frame among them that did not succeed. */
static struct robo_part part;
static unsigned parts;

static void take(struct robo__session *s)
{
    answer_count = robo__session_results(s, answers, 64);
    const struct robo__session_move *move = robo__session_next_move(s);
    parts = move ? robo__move_report(move, &part, 1) : 0;
}

static struct robo_cmd stop_dof(unsigned dof, uint8_t scope)
{
    struct robo_cmd cmd = { .op = ROBO_STOP,
                            .start = ROBO_AT_ONCE,
                            .body.stop = { .scope = scope, .bytes = (uint8_t)(dof / 8 + 1) } };
    cmd.body.stop.mask[dof / 8] = (uint8_t)(1u << dof % 8);
    return cmd;
}

static void expect_braked(unsigned dof)
{
    assert_false(whole);
    assert_int_equal(robo__dof_set_next(&braked, 0), dof);
    assert_int_equal(robo__dof_set_next(&braked, dof + 1), ROBO_MAX_DOFS);
}

/* ---- sets ---- */

FIXTURE(open_humanoid, close_two);

TEST(a_set_is_as_long_as_its_body, NULL)
{
    static const unsigned sizes[] = { 0, 1, 63, 64, 65, 80, 127, 128, 129, 511, 512 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const unsigned dofs = sizes[i];
        struct robo__dof_set all, one, sum;
        robo__dof_set_fill(&all, dofs);
        robo__dof_set_empty(&sum, dofs);
        assert_int_equal(all.words, (dofs + 63) / 64);
        for (unsigned k = 0; k < dofs; k++) {
            robo__dof_set_empty(&one, dofs);
            robo__dof_set_add(&one, k);
            assert_true(robo__dof_set_has(&all, k));
            assert_true(robo__dof_set_meet(&all, &one));
            assert_false(robo__dof_set_meet(&sum, &one));
            assert_int_equal(robo__dof_set_next(&one, 0), k);
            assert_int_equal(robo__dof_set_next(&all, k), k);
            assert_int_equal(robo__dof_set_next(&one, k + 1), ROBO_MAX_DOFS);
            assert_false(robo__dof_set_equal(&sum, &all));
            robo__dof_set_unite(&sum, &one);
        }
        assert_true(robo__dof_set_equal(&sum, &all));
        assert_int_equal(robo__dof_set_next(&all, dofs), ROBO_MAX_DOFS);
        robo__dof_set_intersect(&sum, &all);
        assert_true(robo__dof_set_equal(&sum, &all));
        robo__dof_set_subtract(&sum, &all);
        assert_true(robo__dof_set_is_empty(&sum));
    }
}

/* Also where a joint's dofs stand in two words. */
TEST(dofs_of_a_joint, NULL)
{
    for (unsigned first = 0; first + ROBO_JOINT_DOFS <= 130; first++) {
        for (unsigned dofs = 0; dofs <= ROBO_JOINT_DOFS; dofs++) {
            const struct robo_joint joint = { .first = (uint16_t)first, .dofs = (uint8_t)dofs };
            struct robo__dof_set set, all;
            robo__dof_set_empty(&set, 130);
            robo__dof_set_add_joint(&set, &joint);
            assert_int_equal(robo__dof_set_mask(&set, &joint), (1u << dofs) - 1);
            robo__dof_set_fill(&all, 130);
            robo__dof_set_subtract(&all, &set);
            assert_int_equal(robo__dof_set_mask(&all, &joint), 0);
            if (dofs < 2)
                continue;
            robo__dof_set_remove(&set, first + 1);
            assert_int_equal(robo__dof_set_mask(&set, &joint), ((1u << dofs) - 1) & ~2u);
            robo__dof_set_empty(&set, 130);
            robo__dof_set_add_mask(&set, &joint, 2);
            assert_int_equal(robo__dof_set_next(&set, 0), first + 1);
        }
    }
}

/* ---- the limits ---- */

TEST(one_more_is_refused_with_plain_words, NULL)
{
    static const struct {
        uint16_t links, joints, dofs;
        const char *word;
    } over[] = { { 513, 512, 512, "513" }, { 512, 513, 512, "513" }, { 512, 512, 513, "513" } };
    robo_robot *made = NULL;
    open_fixture(NULL);
    for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
        char why[128] = "";
        make_chain(&body, ROBO_MAX_DOFS);
        strcpy(body.device[0].driver, "actor");
        assert_int_equal(robo_description_check(&body, why), 0);
        body.links = over[i].links;
        body.joints = over[i].joints;
        body.dofs = over[i].dofs;
        assert_int_equal(robo_description_check(&body, why), ROBO_EINVAL);
        assert_non_null(strstr(why, over[i].word));
        assert_non_null(strstr(why, "512"));
        assert_int_equal(robo_add(world, &body, &made), ROBO_EINVAL);
    }
    close_fixture(NULL);
}

/* ---- motions ---- */

static void all_dofs_move_by_one_command(unsigned dofs)
{
    acting.goal = S(0.2);
    uint32_t id = send_frame(a, ROBO_SERVO_SETPOINT, 0, dofs);
    assert_int_equal(robot->axes.held, dofs);
    /* each joint is told once, its dofs together */
    assert_int_equal(heard(ROBO_SET_JOINT), robot->description->joints - 1);
    for (unsigned i = 0; i < dofs; i++)
        assert_int_not_equal(robot->axes.row[i].ticket, 0);
    run_for(0.1);
    take(a);
    assert_null(answer_to(id));
    run_for(0.2);
    take(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(parts, 0);
    assert_int_equal(robot->axes.held + robot->axes.taken, 0);
}

TEST(a_humanoid_moves_by_one_command)
{
    all_dofs_move_by_one_command(HAND);
}

TEST(the_largest_body_moves_by_one_command, open_largest, close_two)
{
    all_dofs_move_by_one_command(ROBO_MAX_DOFS);
    /* the next one before that is over, as set-points come */
    uint32_t first = send_frame(a, ROBO_SERVO_SETPOINT, 0, ROBO_MAX_DOFS);
    acting.goal = S(0.1);
    uint32_t second = send_frame(a, ROBO_SERVO_SETPOINT, 0, ROBO_MAX_DOFS);
    run_for(0.2);
    answer_count = robo__session_results(a, answers, 64);
    expect_signal(first, ROBO_MODIFIED, ROBO_WHY_SUPERSEDED);
    expect_signal(second, ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(what_the_body_lacks_is_left_out)
{
    acting.goal = S(0.1);
    uint32_t id = send_frame(a, ROBO_SERVO_SETPOINT, HAND - 2, HAND + 1);
    run_for(0.2);
    take(a);
    expect_signal(id, ROBO_MODIFIED, ROBO_WHY_JOINT);
    assert_int_equal(parts, 1);
    assert_int_equal(part.number, HAND);
    assert_int_equal(part.signal, ROBO_NA);
}

TEST(dofs_of_two_words_are_not_confused)
{
    /* 6 and 70 have the same place in their words */
    uint32_t low = send_frame(a, ROBO_SERVO_SETPOINT, 6, 7);
    uint32_t high = send_frame(b, ROBO_SERVO_SETPOINT, 70, 71);
    take(b);
    assert_null(answer_to(high));
    assert_int_equal(robot->axes.held, 2);
    uint32_t late = send_frame(b, ROBO_SERVO_SPEED, 5, 8);
    take(b);
    expect_signal(late, ROBO_BUSY, ROBO_WHY_AXIS);
    take(a);
    assert_null(answer_to(low));
}

/* ---- stops ---- */

TEST(a_stop_of_one_dof)
{
    uint32_t low = send_frame(a, ROBO_SERVO_SETPOINT, 0, 70);
    uint32_t high = send_frame(a, ROBO_SERVO_SETPOINT, 70, HAND);
    expect_answer(b, stop_dof(70, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_braked(70);
    assert_int_equal(robot->axes.held, HAND - 1);
    assert_int_equal(robot->axes.row[70].ticket, 0);
    acting.goal = S(0.1);
    send_frame(a, ROBO_SERVO_SETPOINT, 71, HAND);
    run_for(0.2);
    take(a);
    assert_null(answer_to(low));
    expect_signal(high, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_int_equal(parts, 1 + HAND - 71); /* those that were superseded tell so, too */
}

TEST(a_stop_of_the_last_dof, open_largest, close_two)
{
    send_frame(a, ROBO_SERVO_SPEED, 0, ROBO_MAX_DOFS);
    expect_answer(b, stop_dof(ROBO_MAX_DOFS - 1, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_braked(ROBO_MAX_DOFS - 1);
}

TEST(a_stop_of_a_dof_that_is_not_there_stops_all)
{
    send_frame(a, ROBO_SERVO_SETPOINT, 0, HAND);
    expect_answer(b, stop_dof(HAND, 0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_true(whole);
    assert_int_equal(robot->axes.held, 0);
}

TEST(a_stop_of_ones_own)
{
    send_frame(a, ROBO_SERVO_SETPOINT, 0, 70);
    send_frame(b, ROBO_SERVO_SPEED, 70, 71);
    struct robo_cmd own = stop(0);
    own.body.stop.scope = 1;
    expect_answer(b, own, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_braked(70);
    assert_int_equal(robot->axes.held, 70);
    /* of an axis that is another's: nothing */
    expect_answer(b, stop_dof(6, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(robot->axes.held, 70);
}

TEST(a_stop_sweeps_what_waits_for_that_dof)
{
    struct robo_cmd later = set_joint(2, 1, 1, 0.1);
    later.body.servo.joint = 71; /* dof 70 */
    uint32_t swept = send_cmd(a, later);
    later.body.servo.joint = 7; /* dof 6 */
    uint32_t stays = send_cmd(a, later);
    send_cmd(b, stop_dof(70, 0));
    take(a);
    expect_signal(swept, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_null(answer_to(stays));
    assert_int_equal(a->mover.queued.count, 1);
}

TEST(speeds_end_with_their_client, open_largest, close_two)
{
    send_frame(a, ROBO_SERVO_SPEED, 0, ROBO_MAX_DOFS);
    take(a);
    assert_int_equal(a->mover.lasting, ROBO_MAX_DOFS - 1); /* a speed of 0, of dof 0, is none */
    whole = false;
    run_for(1);
    assert_int_equal(a->mover.lasting, 0);
    assert_true(whole || !robo__dof_set_is_empty(&braked));
}

/* ---- the state, and other bodies ---- */

TEST(the_state_has_all_dofs, open_largest, close_two)
{
    struct robo_state seen = read_robot(robot);
    assert_int_equal(seen.dofs, ROBO_MAX_DOFS);
    for (unsigned i = 0; i < seen.dofs; i++)
        assert_true(seen.position[i] == i);
}

TEST(a_body_grows_and_shrinks)
{
    static const unsigned sizes[] = { 3, ROBO_MAX_DOFS, 64, 65, HAND };
    struct robo_reload_report report;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        make_chain(&body, sizes[i]);
        assert_int_equal(robo_reload(robot, &body, &report), 0);
        assert_int_equal(read_robot(robot).dofs, sizes[i]);
        acting.goal = S(0.1);
        uint32_t id = send_frame(a, ROBO_SERVO_SETPOINT, 0, sizes[i]);
        run_for(0.2);
        take(a);
        expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    }
}
