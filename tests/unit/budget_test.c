/* The budget of what clients make a server keep: nobody gets more than what is left, whoever comes next finds room, and
 * all of it comes back. */
#include "fixture_core.h"

#include "base/budget.h"
#include "modes.h"

FIXTURE(open_fixture, close_fixture);

TEST(shares, NULL)
{
    struct robo__budget b = { .total = 1200 };
    size_t have[3] = { 0 };
    /* one alone gets half, the next half of what is left beyond its own share, and so on */
    while (robo__budget_take(&b, have[0], 1))
        have[0]++;
    while (robo__budget_take(&b, have[1], 1))
        have[1]++;
    while (robo__budget_take(&b, have[2], 1))
        have[2]++;
    assert_int_equal(have[0], 600);
    assert_int_equal(have[1], 300);
    assert_int_equal(have[2], 150);
    /* greedy pieces change nothing: two that take in turns end as equals */
    robo__budget_give(&b, 1050);
    have[0] = have[1] = 0;
    for (int i = 0; i < 1200; i++)
        for (int k = 0; k < 2; k++)
            have[k] += robo__budget_take(&b, have[k], 1);
    assert_int_equal(have[0], 400);
    assert_int_equal(have[1], 400);
    robo__budget_give(&b, 800);
    assert_true(robo__budget_take(&b, 0, 1200));
    assert_false(robo__budget_take(&b, 0, 1));
    assert_false(robo__budget_take(&b, 0, SIZE_MAX));
    assert_false(robo__budget_take(&b, SIZE_MAX, 0));
}

/* Sessions that hold all they can, and one that comes after them. */
TEST(held_commands_come_out_of_it)
{
    world->memory.total = 16 << 20;
    struct test_modes modes;
    test_modes_init(&modes, UINT64_MAX);
    const struct robo__session_request hold = { .name = "hold" };
    struct robo__session *s[8];
    enum { MANY = 16384 };
    struct robo_cmd *cmds = calloc(MANY, sizeof *cmds);
    for (size_t i = 0; i < 8; i++) {
        s[i] = open_session(&modes.modes, &hold);
        for (uint32_t k = 0; k < MANY; k++) {
            cmds[k] = set_speed(2 + 0.1 * k, 1);
            cmds[k].id = k + 1;
        }
        const struct robo__known now = { 0 };
        size_t admitted = robo__session_commands(s[i], cmds, MANY, now, S(1), S(1));
        assert_int_equal(take_answers(s[i]) + s[i]->mover.held_count, admitted);
        for (size_t k = 0; k < answer_count; k++)
            assert_int_equal(answers[k].reason, ROBO_WHY_FULL);
        assert_true(world->memory.used <= world->memory.total);
        assert_true(s[i]->mover.held_count >= 64 || i > 2);
    }
    assert_true(world->memory.used > world->memory.total / 2);
    for (size_t i = 0; i < 8; i++)
        robo__session_close(s[i]);
    assert_int_equal(world->memory.used, 0);
    free(cmds);
}

/* As many as a server has by connections, whose sessions are all of one robot: a session takes memory by its use, and watchers
 * exhaust no limit of sessions. */
TEST(ten_thousand_clients_have_a_session_each)
{
    enum { MANY = 10000 };
    static struct robo__session *s[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        s[i] = open_session_by(i + 1, NULL, NULL);
    assert_true(world->memory.used < world->memory.total / 4);
    /* each has its answers, and one of them a whole sequence */
    for (uint32_t i = 0; i < MANY; i += 100) {
        send_cmd(s[i], (struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
        assert_int_equal(take_answers(s[i]), 1);
        assert_int_equal(answers[0].signal, ROBO_SUCCESS);
    }
    for (uint32_t i = 0; i < ROBO__SESSION_GRANTED; i++)
        send_cmd(s[MANY - 1], set_speed(5, 0.1));
    assert_int_equal(take_answers(s[MANY - 1]), 0);
    for (uint32_t i = MANY; i-- > 0;)
        robo__session_close(s[i]);
    assert_int_equal(world->memory.used, 0);
}

/* One client that opens all it can leaves room for others. */
TEST(a_client_that_opens_many_sessions_shuts_out_nobody)
{
    enum { MANY = 400 };
    world->memory.total = 1 << 20;
    static struct robo__session *s[MANY];
    const struct robo__identity greedy = { .number = 1, .name = "greedy" };
    const struct robo__session_request request = { .who = &greedy };
    uint32_t opened = 0;
    char text[128];
    while (opened < MANY && robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world),
                                               &s[opened], text) == 0)
        opened++;
    assert_in_range(opened, 16, MANY - 1);
    for (uint32_t i = 0; i < 50; i++)
        s[opened + i] = open_session_by(2 + i, NULL, NULL);
    for (uint32_t i = 0; i < opened + 50; i++)
        robo__session_close(s[i]);
    assert_int_equal(world->memory.used, 0);
}

/* Clients that a single machine makes up, each with one session: those of another machine find room. */
TEST(clients_of_one_origin_shut_out_nobody)
{
    enum { MANY = 2000, OTHERS = 50 };
    world->memory.total = 1 << 20;
    static struct robo__session *s[MANY + OTHERS];
    struct robo__share share = { .clients = MANY }, other = { .clients = OTHERS };
    uint32_t opened = 0;
    char text[128];
    for (bool room = true; room && opened < MANY; opened += room) {
        const struct robo__identity who = { .number = opened + 1, .name = "one of many" };
        const struct robo__session_request request = { .who = &who, .share = &share };
        room = robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &s[opened],
                                  text) == 0;
    }
    assert_in_range(opened, 100, MANY - 1);
    for (uint32_t i = 0; i < OTHERS; i++)
        s[opened + i] =
            open_session_by(MANY + 1 + i, NULL, &(struct robo__session_request){ .share = &other });
    /* and what they queue leaves them room to open more */
    for (uint32_t i = 0; i < opened / 2; i++)
        robo__session_close(s[i]);
    const struct robo__known known = { 0 };
    for (uint32_t i = opened / 2; i < opened; i++)
        for (uint32_t k = 1; k <= 100; k++) {
            struct robo_cmd cmd = set_speed(5, 0.1);
            cmd.id = k;
            robo__session_commands(s[i], &cmd, 1, known, S(0), S(0)); /* as far as there is room */
        }
    assert_true(share.queues > 0);
    robo__session_close(
        open_session_by(1, NULL, &(struct robo__session_request){ .share = &share }));
    for (uint32_t i = opened / 2; i < opened + OTHERS; i++)
        robo__session_close(s[i]);
    assert_int_equal(world->memory.used, 0);
    assert_int_equal(share.openings + share.queues, 0);
}
