/* Ordering, message after message: every joint has its turn, whatever is lost. */
#include "bus_schedule_problem.h"

/* ---- in the long run ---- */

/* E, AE and O get to every set-point, with one message to each joint that counts, and then are silent. */
TEST(none_deadlocks)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 4);
    for (int t = 0; t < 3000; t++) {
        struct robo_ordering_choice c;
        double a[ROWS];
        begin_any(&r, &p, BY_NEED[t % 3]);
        p.o.most_messages = 0;
        unsigned messages = 0;
        while (robo__schedule_pick(&p.o, p.j, p.u, 0, &c) == 0 && c.kind != ROBO_CHOICE_NOTHING) {
            robo__schedule_sent(&p.o, &c, 0);
            assert_true(++messages <= p.o.joints);
        }
        for (unsigned k = 0; k < p.o.joints; k++)
            assert_true(p.o.sent[k] == p.u[k] || part_of(&p, k, a) == 0);
    }
}

/* The same for the task, where it can be reached. */
TEST(what_is_wanted_is_reached)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 7);
    for (int t = 0; t < 600; t++) {
        struct robo_ordering_choice c;
        unsigned n = up_to(&r, 9), rows = up_to(&r, 9), messages = 0;
        begin(&r, &p, BY_NEED[t % 3], n, rows);
        for (unsigned i = 0; i < n && i < rows; i++)
            p.j[i * n + i] += 4; /* far from singular */
        multiply(&p, p.u, p.wanted);
        p.o.most_messages = 0;
        while (robo__schedule_choose(&p.o, p.j, p.wanted, 0, &c) == 0 &&
               c.kind != ROBO_CHOICE_NOTHING) {
            robo__schedule_sent(&p.o, &c, 0);
            assert_true(++messages <= n);
        }
        assert_true(error_of(&p, 0) < (n == rows ? 1e-18 : 1e-9)); /* else damped */
    }
}

enum fate { ARRIVES, REFUSED, LOST, SEEMED_TO_ARRIVE };

static enum fate any_fate(struct robo__random *r, bool dead, bool lossy)
{
    unsigned n = up_to(r, 10);
    if (dead)
        return n % 2 ? LOST : SEEMED_TO_ARRIVE;
    return lossy && n < 4 ? (enum fate)n : ARRIVES;
}

/* No joint is left without a message for longer than its greatest age and a round of those that are overdue with it,
 * whatever is lost, even when one of them never answers. One slot is one unit of time. */
static void look_after_ages(struct robo__random *r, struct problem *p, bool by_time, bool lossy,
                            unsigned dead)
{
    unsigned n = p->o.joints, since[MOST] = { 0 };
    robo_time now = 0, tried[MOST] = { 0 };
    bool rounds = p->o.scheme < ROBO_ORDER_GREATEST, rests = one_in(r, 3);
    p->o.most_messages = by_time ? 0 : n + up_to(r, 4 * n);
    p->o.most_time = by_time ? n + up_to(r, 4 * n) : 0;
    unsigned most = rounds ? 2 * n + 2 : p->o.most_messages + n;
    robo_time most_time = rounds ? 2 * n + 2 : p->o.most_time + n;
    for (unsigned slot = 0; slot < 20 * n + 100; slot++) {
        struct robo_ordering_choice c;
        if (!rests)
            any_numbers(r, p->u, n);
        assert_int_equal(robo__schedule_pick(&p->o, p->j, p->u, now, &c), 0);
        bool broadcast = c.kind == ROBO_CHOICE_SYNCHRONISE;
        enum fate fate = any_fate(r, !broadcast && c.joint == dead, lossy);
        if (c.kind == ROBO_CHOICE_NOTHING) {
            assert_false(rounds);
        } else if (fate == REFUSED || (fate == LOST && broadcast)) {
            continue; /* and at once again */
        } else {
            for (unsigned k = 0; k < n; k++)
                since[k]++;
            if (!broadcast) {
                since[c.joint] = 0;
                tried[c.joint] = now;
            }
            if (fate != LOST)
                robo__schedule_sent(&p->o, &c, now);
            if (fate != ARRIVES && !broadcast)
                robo__schedule_lost(&p->o, c.joint);
        }
        now++;
        for (unsigned k = 0; k < n; k++) {
            assert_true(p->o.most_messages == 0 || since[k] < most);
            assert_true(p->o.most_time == 0 || now - tried[k] <= most_time);
            if (!lossy && dead >= n && p->o.most_time > 0 && !rounds)
                assert_true(now - p->o.when[k] <= most_time);
        }
    }
}

TEST(nobody_waits_for_ever)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 5);
    for (unsigned t = 0; t < 1400; t++) {
        begin_any(&r, &p, (enum robo_order)(t % 7));
        for (unsigned i = 0; i < p.o.rows; i++)
            p.j[i * p.o.joints + p.o.joints - 1] *= 1e-6; /* the last hardly counts */
        look_after_ages(&r, &p, one_in(&r, 2), one_in(&r, 2),
                        one_in(&r, 2) ? up_to(&r, p.o.joints) - 1 : MOST);
    }
}

/* C and D: what begins at the broadcast is what was stored, also after losses. */
TEST(rounds_are_whole)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 8);
    for (unsigned t = 0; t < 200; t++) {
        double stored[MOST] = { 0 };
        begin(&r, &p, ROBO_ORDER_SYNCHRONISED, up_to(&r, 9), 6);
        memset(p.o.sent, 0, sizeof p.o.sent);
        for (unsigned slot = 0, lost = 0; slot < 100; slot++) {
            struct robo_ordering_choice c;
            any_numbers(&r, p.u, p.o.joints);
            assert_int_equal(robo__schedule_pick(&p.o, p.j, p.u, 0, &c), 0);
            if (c.kind == ROBO_CHOICE_STORE && !lost && one_in(&r, 5)) { /* never twice */
                lost = 1;
                robo__schedule_lost(&p.o, c.joint);
                continue;
            }
            lost = 0;
            if (c.kind == ROBO_CHOICE_STORE)
                stored[c.joint] = c.value;
            robo__schedule_sent(&p.o, &c, 0);
            for (unsigned k = 0; c.kind == ROBO_CHOICE_SYNCHRONISE && k < p.o.joints; k++)
                assert_true(p.o.sent[k] == stored[k]);
        }
    }
}

/* ---- what a bus tells ---- */

TEST(lost_goes_first)
{
    for (int scheme = ROBO_ORDER_SEQUENTIAL; scheme <= ROBO_ORDER_PLANNED; scheme++) {
        struct robo__schedule o;
        struct robo_ordering_choice c, again;
        double one[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, u[3] = { 3, 2, 1 };
        robo__schedule_init(&o, (enum robo_order)scheme, 3, 3);
        for (unsigned k = 0; k < 3; k++) {
            robo__schedule_pick(&o, one, u, 0, &c);
            assert_int_equal(c.joint, k);
            if (k != 1) /* whether it seemed to have gone or not */
                robo__schedule_sent(&o, &c, 0);
            robo__schedule_lost(&o, k);
            robo__schedule_pick(&o, one, u, 0, &again);
            assert_int_equal(again.joint, k);
            assert_int_equal(again.kind, c.kind);
            assert_true(again.value == u[k]);
            robo__schedule_sent(&o, &again, 0);
            for (unsigned i = 0; i < o.joints; i++)
                assert_false(o.lost[i]);
        }
        robo__schedule_pick(&o, one, u, 0, &c);
        bool stores = scheme == ROBO_ORDER_SYNCHRONISED || scheme == ROBO_ORDER_PREDICTIVE;
        assert_int_equal(c.kind, stores                          ? ROBO_CHOICE_SYNCHRONISE
                                 : scheme >= ROBO_ORDER_GREATEST ? ROBO_CHOICE_NOTHING
                                                                 : ROBO_CHOICE_SEND);
    }
}

/* Lost again and again: others in between, and when they have nothing to be told, it again. */
TEST(lost_again)
{
    for (int i = 0; i < 3; i++) {
        struct robo__schedule o;
        struct robo_ordering_choice c;
        double one[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, u[3] = { 0, 2, 3 };
        static const unsigned expected[] = { 0, 2, 0, 1, 0, 0, 0 };
        robo__schedule_init(&o, BY_NEED[i], 3, 3);
        robo__schedule_lost(&o, 0);
        for (int m = 0; m < 7; m++) {
            robo__schedule_pick(&o, one, u, 0, &c);
            assert_int_equal(c.kind, ROBO_CHOICE_SEND);
            if (i == 0 || c.joint == 0) /* which of the others, they decide */
                assert_int_equal(c.joint, expected[m]);
            assert_true(m > 4 || (c.joint == 0) == (m % 2 == 0));
            if (c.joint == 0)
                robo__schedule_lost(&o, 0);
            else
                robo__schedule_sent(&o, &c, 0);
        }
        /* two at once: both */
        unsigned told = 0;
        robo__schedule_lost(&o, 2);
        for (int m = 0; m < 3; m++) {
            robo__schedule_pick(&o, one, u, 0, &c);
            if (c.kind == ROBO_CHOICE_SEND) {
                told |= 1u << c.joint;
                robo__schedule_sent(&o, &c, 0);
            }
        }
        assert_int_equal(told, 5);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
    }
}

/* A repeats what was computed for the round. */
TEST(lost_of_a_round)
{
    struct robo__schedule o;
    struct robo_ordering_choice c;
    double one[4] = { 1, 0, 0, 1 }, u[2] = { 2, 3 }, later[2] = { 4, 5 };
    robo__schedule_init(&o, ROBO_ORDER_SEQUENTIAL, 2, 2);
    robo__schedule_pick(&o, one, u, 0, &c);
    robo__schedule_lost(&o, 0);
    for (unsigned k = 0; k < 2; k++) {
        robo__schedule_pick(&o, one, later, 0, &c);
        assert_int_equal(c.joint, k);
        assert_true(c.value == u[k]);
        robo__schedule_sent(&o, &c, 0);
    }
}

TEST(due)
{
    struct robo__schedule o;
    struct robo_ordering_choice c;
    double one[4] = { 1, 0, 0, 1 }, u[2] = { 0 };
    robo__schedule_init(&o, ROBO_ORDER_OPTIMAL, 2, 2);
    assert_true(robo__schedule_due(&o) == ROBO_NEVER);
    o.most_time = 100;
    o.when[0] = 7;
    o.when[1] = 5;
    assert_int_equal(robo__schedule_due(&o), 105);
    robo__schedule_pick(&o, one, u, 104, &c); /* at rest */
    assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
    robo__schedule_pick(&o, one, u, 105, &c);
    assert_int_equal(c.kind, ROBO_CHOICE_SEND);
    assert_int_equal(c.joint, 1);
    robo__schedule_sent(&o, &c, 105);
    assert_int_equal(robo__schedule_due(&o), 107);
}

/* A joint that never counts is sent to all the same, after four rounds of others. */
TEST(nobody_waits_longer_than_four_rounds)
{
    const double j[4] = { 1, 0, 0, 1 };
    struct robo__schedule o;
    struct robo_ordering_choice c;
    robo__schedule_init(&o, ROBO_ORDER_GREATEST, 2, 2);
    for (int i = 0; i < 27; i++) {
        const double u[2] = { i + 1, 0 };
        robo__schedule_pick(&o, j, u, i, &c);
        assert_int_equal(c.joint, i % 9 == 8);
        robo__schedule_sent(&o, &c, i);
    }
}

TEST(too_little_to_send)
{
    double j[4] = { 1, 0, 0, 1 }, u[2] = { 1.0 / 32, -1.0 / 16 };
    for (int scheme = ROBO_ORDER_GREATEST; scheme <= ROBO_ORDER_PLANNED; scheme++) {
        struct robo__schedule o;
        struct robo_ordering_choice c;
        robo__schedule_init(&o, (enum robo_order)scheme, 2, 2);
        o.weight[1] = 2;
        o.least = 1.0 / 8;
        robo__schedule_pick(&o, j, u, 0, &c);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
        o.least = 0.99 / 8;
        robo__schedule_pick(&o, j, u, 0, &c);
        assert_int_equal(c.kind, ROBO_CHOICE_SEND);
        assert_int_equal(c.joint, 1);
    }
}
