/* Ordering: by brute force on random chains, and message by message against an independent simulation of section IV of
 * paper 004 (tests/ordering/decisions.txt). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "random.h"
#include "simbus/trial.h"

static double any(struct robo__random *r, double most)
{
    return robo__random_range(r, -most, most);
}

static void any_numbers(struct robo__random *r, double *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = any(r, 1);
}

/* ---- solutions ---- */

static void test_solves(void **state)
{
    (void)state;
    struct robo__random r;
    robo__random_seed(&r, 1);
    for (int t = 0; t < 500; t++) {
        unsigned rows = 1 + (unsigned)(robo__random_u64(&r) % 9),
                 columns = 1 + (unsigned)(robo__random_u64(&r) % 9);
        double j[81], b[9], x[9], left[9], gradient = 0;
        any_numbers(&r, j, rows * columns);
        any_numbers(&r, b, rows);
        robo__order_solve(j, rows, columns, b, 1e-6, x);
        for (unsigned i = 0; i < rows; i++) {
            left[i] = -b[i];
            for (unsigned k = 0; k < columns; k++)
                left[i] += j[i * columns + k] * x[k];
        }
        /* at the least of |J x - b| its gradient J' (J x - b) is 0 */
        for (unsigned k = 0; k < columns; k++) {
            double g = 0;
            for (unsigned i = 0; i < rows; i++)
                g += j[i * columns + k] * left[i];
            gradient = fmax(gradient, fabs(g));
        }
        assert_true(gradient < 1e-5);
    }
    /* singular: finite, and as near as can be */
    double j[9] = { 1, 2, 3, 2, 4, 6, 0, 0, 1 }, b[3] = { 1, 2, 1 }, x[3];
    robo__order_solve(j, 3, 3, b, 1e-3, x);
    assert_true(fabs(x[0] + 2 * x[1] + 3 * x[2] - 1) < 1e-3 && fabs(x[2] - 1) < 1e-2);
    /* damped as much as they are long: half of what is wanted, in every row */
    double wide[6] = { 1, 0, 0, 0, 1, 0 }, tall[6] = { 1, 0, 0, 1, 0, 0 };
    robo__order_solve(wide, 2, 3, b, 1, x);
    assert_true(x[0] == 0.5 && x[1] == 1 && x[2] == 0);
    robo__order_solve(tall, 3, 2, b, 1, x);
    assert_true(x[0] == 0.5 && x[1] == 1);
    double none[4] = { 0 };
    robo__order_solve(none, 2, 2, b, 1e-3, x);
    assert_true(x[0] == 0 && x[1] == 0);
    robo__order_solve(none, 1, 2, b, 0, x); /* nor does it need damping to stand still */
    assert_true(x[0] == 0 && x[1] == 0);
    robo__order_solve(none, 2, 1, b, 0, x);
    assert_true(x[0] == 0);
}

/* ---- choices, by brute force ---- */

enum { MOST = ROBO__ORDER_MOST, ROWS = ROBO__ORDER_ROWS };

/* What is decided on. */
struct problem {
    struct robo__order o;
    double j[ROWS * MOST], u[MOST], wanted[ROWS]; /* wanted: J u */
};

static unsigned up_to(struct robo__random *r, unsigned most)
{
    return 1 + (unsigned)(robo__random_u64(r) % most);
}

static bool one_in(struct robo__random *r, unsigned n)
{
    return robo__random_u64(r) % n == 0;
}

static bool plans(enum robo__order_scheme scheme)
{
    return scheme == ROBO__ORDER_PLANNED;
}

static void multiply(const struct problem *p, const double *speeds, double *out)
{
    for (unsigned i = 0; i < p->o.rows; i++) {
        out[i] = 0;
        for (unsigned k = 0; k < p->o.joints; k++)
            out[i] += p->j[i * p->o.joints + k] * speeds[k];
    }
}

static void begin(struct robo__random *r, struct problem *p, enum robo__order_scheme scheme,
                  unsigned joints, unsigned rows)
{
    assert_int_equal(robo__order_init(&p->o, scheme, joints, rows), 0);
    for (unsigned i = 0; i < rows; i++)
        p->o.weight[i] = robo__random_range(r, 0.1, 3);
    any_numbers(r, p->o.sent, joints);
    any_numbers(r, p->j, rows * joints);
    any_numbers(r, p->u, joints);
    multiply(p, p->u, p->wanted);
}

/* Any sizes, few or as many as can be, and with what real arms have: equal joints, joints and rows that do not count,
 * joints that were told already, Jacobians of a lower rank. */
static void begin_any(struct robo__random *r, struct problem *p, enum robo__order_scheme scheme)
{
    bool many = one_in(r, 4);
    unsigned n = up_to(r, plans(scheme) ? ROBO__ORDER_PLANNABLE : many ? MOST : 9);
    begin(r, p, scheme, n, up_to(r, many ? ROWS : 9));
    for (unsigned i = 0; i < p->o.rows; i++)
        if (one_in(r, 8))
            p->o.weight[i] = 0;
    for (unsigned k = 0; k < n; k++) {
        unsigned other = up_to(r, n) - 1, kind = up_to(r, 16);
        double factor = kind == 1 ? 0 : any(r, 2);
        if (kind == 3)
            p->u[k] = p->o.sent[k];
        if (kind == 4) {
            p->u[k] = p->u[other];
            p->o.sent[k] = p->o.sent[other];
            factor = 1;
        }
        for (unsigned i = 0; (kind < 3 || kind == 4) && i < p->o.rows; i++)
            p->j[i * n + k] = factor * p->j[i * n + other];
    }
    multiply(p, p->u, p->wanted);
}

/* One joint's part of the error, row by row, and its square. */
static double part_of(const struct problem *p, unsigned k, double *a)
{
    double size = 0;
    for (unsigned i = 0; i < p->o.rows; i++) {
        a[i] = p->o.weight[i] * p->j[i * p->o.joints + k] * (p->u[k] - p->o.sent[k]);
        size += a[i] * a[i];
    }
    return size;
}

static bool anything_to_tell(const struct problem *p)
{
    double a[ROWS], size = 0;
    for (unsigned k = 0; k < p->o.joints; k++)
        size += part_of(p, k, a);
    return size > 0;
}

/* E: |a|^2; AE: and a . W (wanted - J sent). */
static double score_of(const struct problem *p, unsigned k)
{
    double a[ROWS], now[ROWS], score = part_of(p, k, a);
    multiply(p, p->o.sent, now);
    for (unsigned i = 0; p->o.scheme == ROBO__ORDER_ALIGNED && i < p->o.rows; i++)
        score += a[i] * p->o.weight[i] * (p->wanted[i] - now[i]);
    return score;
}

static bool same_joint(const struct problem *p, unsigned a, unsigned b)
{
    bool same = p->u[a] == p->u[b] && p->o.sent[a] == p->o.sent[b];
    for (unsigned i = 0; i < p->o.rows; i++)
        same &= p->j[i * p->o.joints + a] == p->j[i * p->o.joints + b];
    return same;
}

static void test_the_greatest_is_chosen(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 2);
    for (int t = 0; t < 4000; t++) {
        struct robo__choice c;
        begin_any(&r, &p, t % 2 ? ROBO__ORDER_ALIGNED : ROBO__ORDER_OPTIMAL);
        double most = 0, sum = 0;
        for (unsigned k = 0; k < p.o.joints; k++) {
            most = fmax(most, score_of(&p, k));
            sum += fabs(score_of(&p, k));
        }
        bool given = one_in(&r, 2);
        if (!given) { /* what is wanted, and the speeds from that */
            any_numbers(&r, p.wanted, p.o.rows);
            robo__order_solve(p.j, p.o.rows, p.o.joints, p.wanted, p.o.damping, p.u);
            most = sum = 0;
            for (unsigned k = 0; k < p.o.joints; k++) {
                most = fmax(most, score_of(&p, k));
                sum += fabs(score_of(&p, k));
            }
        }
        assert_int_equal(given ? robo__order_pick(&p.o, p.j, p.u, 0, &c)
                               : robo__order_choose(&p.o, p.j, p.wanted, 0, &c),
                         0);
        if (c.kind == ROBO__SEND_NOTHING) {
            assert_true(most <= 1e-12 * sum);
            continue;
        }
        assert_int_equal(c.kind, ROBO__SEND);
        assert_true(c.value == p.u[c.joint]);
        assert_true(score_of(&p, c.joint) >= most - 1e-12 * sum);
        for (unsigned k = 0; k < c.joint; k++) /* of equals the first */
            assert_false(same_joint(&p, k, c.joint));
    }
}

/* |W (J u - wanted)|^2 with these joints told and the others as they were. */
static double error_of(const struct problem *p, unsigned told)
{
    double sum = 0;
    for (unsigned i = 0; i < p->o.rows; i++) {
        double e = -p->wanted[i];
        for (unsigned k = 0; k < p->o.joints; k++)
            e += p->j[i * p->o.joints + k] * (told >> k & 1 ? p->u[k] : p->o.sent[k]);
        sum += p->o.weight[i] * p->o.weight[i] * e * e;
    }
    return sum;
}

/* The least sum of errors over all orders in which those not told may be. */
static double best_order(const struct problem *p, unsigned told)
{
    unsigned all = (1u << p->o.joints) - 1;
    double least = told == all ? 0 : HUGE_VAL;
    for (unsigned k = 0; k < p->o.joints; k++)
        if (!(told >> k & 1)) {
            unsigned with = told | 1u << k;
            least = fmin(least, error_of(p, with) + best_order(p, with));
        }
    return least;
}

static void test_planned_begins_the_best_order(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 3);
    for (int t = 0; t < 400; t++) {
        struct robo__choice c;
        do
            begin_any(&r, &p, ROBO__ORDER_PLANNED);
        while (p.o.joints > 6 || p.o.rows > 9);
        if (one_in(&r, 2)) {
            any_numbers(&r, p.wanted, p.o.rows);
            robo__order_solve(p.j, p.o.rows, p.o.joints, p.wanted, p.o.damping, p.u);
            assert_int_equal(robo__order_choose(&p.o, p.j, p.wanted, 0, &c), 0);
        } else {
            assert_int_equal(robo__order_pick(&p.o, p.j, p.u, 0, &c), 0);
        }
        assert_int_equal(c.kind, anything_to_tell(&p) ? ROBO__SEND : ROBO__SEND_NOTHING);
        if (c.kind == ROBO__SEND_NOTHING)
            continue;
        double first = error_of(&p, 1u << c.joint) + best_order(&p, 1u << c.joint);
        /* joints whose message changes nothing come last, also where what is left then is not the least */
        double a[ROWS], last = error_of(&p, (1u << p.o.joints) - 1), slack = 0;
        for (unsigned k = 0; k < p.o.joints; k++)
            slack += part_of(&p, k, a) > 0 ? 0 : last;
        assert_true(part_of(&p, c.joint, a) > 0);
        assert_true(first <= (best_order(&p, 0) + slack) * (1 + 1e-9) + 1e-12);
    }
    assert_int_equal(robo__order_init(&p.o, ROBO__ORDER_PLANNED, 11, 6), ROBO_EINVAL);
}

/* ---- in the long run ---- */

static const enum robo__order_scheme BY_NEED[] = { ROBO__ORDER_OPTIMAL, ROBO__ORDER_ALIGNED,
                                                   ROBO__ORDER_PLANNED };

/* E, AE and O get to every set-point, with one message to each joint that counts, and then are silent. */
static void test_none_deadlocks(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 4);
    for (int t = 0; t < 3000; t++) {
        struct robo__choice c;
        double a[ROWS];
        begin_any(&r, &p, BY_NEED[t % 3]);
        p.o.most_messages = 0;
        unsigned messages = 0;
        while (robo__order_pick(&p.o, p.j, p.u, 0, &c) == 0 && c.kind != ROBO__SEND_NOTHING) {
            robo__order_sent(&p.o, &c, 0);
            assert_true(++messages <= p.o.joints);
        }
        for (unsigned k = 0; k < p.o.joints; k++)
            assert_true(p.o.sent[k] == p.u[k] || part_of(&p, k, a) == 0);
    }
}

/* The same for the task, where it can be reached. */
static void test_what_is_wanted_is_reached(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 7);
    for (int t = 0; t < 600; t++) {
        struct robo__choice c;
        unsigned n = up_to(&r, 9), rows = up_to(&r, 9), messages = 0;
        begin(&r, &p, BY_NEED[t % 3], n, rows);
        for (unsigned i = 0; i < n && i < rows; i++)
            p.j[i * n + i] += 4; /* far from singular */
        multiply(&p, p.u, p.wanted);
        p.o.most_messages = 0;
        while (robo__order_choose(&p.o, p.j, p.wanted, 0, &c) == 0 &&
               c.kind != ROBO__SEND_NOTHING) {
            robo__order_sent(&p.o, &c, 0);
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
    bool rounds = p->o.scheme < ROBO__ORDER_OPTIMAL, rests = one_in(r, 3);
    p->o.most_messages = by_time ? 0 : n + up_to(r, 4 * n);
    p->o.most_time = by_time ? n + up_to(r, 4 * n) : 0;
    unsigned most = rounds ? 2 * n + 2 : p->o.most_messages + n;
    robo_time most_time = rounds ? 2 * n + 2 : p->o.most_time + n;
    for (unsigned slot = 0; slot < 20 * n + 100; slot++) {
        struct robo__choice c;
        if (!rests)
            any_numbers(r, p->u, n);
        assert_int_equal(robo__order_pick(&p->o, p->j, p->u, now, &c), 0);
        bool broadcast = c.kind == ROBO__SYNCHRONISE;
        enum fate fate = any_fate(r, !broadcast && c.joint == dead, lossy);
        if (c.kind == ROBO__SEND_NOTHING) {
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
                robo__order_sent(&p->o, &c, now);
            if (fate != ARRIVES && !broadcast)
                robo__order_unsent(&p->o, c.joint);
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

static void test_nobody_waits_for_ever(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 5);
    for (unsigned t = 0; t < 1400; t++) {
        begin_any(&r, &p, (enum robo__order_scheme)(t % 7));
        for (unsigned i = 0; i < p.o.rows; i++)
            p.j[i * p.o.joints + p.o.joints - 1] *= 1e-6; /* the last hardly counts */
        look_after_ages(&r, &p, one_in(&r, 2), one_in(&r, 2),
                        one_in(&r, 2) ? up_to(&r, p.o.joints) - 1 : MOST);
    }
}

/* C and D: what begins at the broadcast is what was stored, also after losses. */
static void test_rounds_are_whole(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 8);
    for (unsigned t = 0; t < 200; t++) {
        double stored[MOST] = { 0 };
        begin(&r, &p, ROBO__ORDER_SYNCHRONISED, up_to(&r, 9), 6);
        memset(p.o.sent, 0, sizeof p.o.sent);
        for (unsigned slot = 0, lost = 0; slot < 100; slot++) {
            struct robo__choice c;
            any_numbers(&r, p.u, p.o.joints);
            assert_int_equal(robo__order_pick(&p.o, p.j, p.u, 0, &c), 0);
            if (c.kind == ROBO__STORE && !lost && one_in(&r, 5)) { /* never twice */
                lost = 1;
                robo__order_unsent(&p.o, c.joint);
                continue;
            }
            lost = 0;
            if (c.kind == ROBO__STORE)
                stored[c.joint] = c.value;
            robo__order_sent(&p.o, &c, 0);
            for (unsigned k = 0; c.kind == ROBO__SYNCHRONISE && k < p.o.joints; k++)
                assert_true(p.o.sent[k] == stored[k]);
        }
    }
}

/* ---- what does not go well ---- */

static void test_what_is_no_number(void **state)
{
    (void)state;
    static const double strange[] = { NAN, INFINITY, -INFINITY };
    static struct problem p;
    struct robo__order before;
    struct robo__random r;
    robo__random_seed(&r, 9);
    for (unsigned t = 0; t < 7 * 60; t++) {
        struct robo__choice c;
        begin_any(&r, &p, (enum robo__order_scheme)(t % 7));
        p.o.most_time = one_in(&r, 2); /* even when somebody is overdue */
        memcpy(&before, &p.o, sizeof before);
        double value = strange[t % 3], *at = &p.j[up_to(&r, p.o.rows * p.o.joints) - 1], was = *at;
        *at = value;
        assert_int_equal(robo__order_pick(&p.o, p.j, p.u, 5, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        assert_int_equal(robo__order_choose(&p.o, p.j, p.wanted, 5, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        *at = was;
        p.u[up_to(&r, p.o.joints) - 1] = value;
        assert_int_equal(robo__order_pick(&p.o, p.j, p.u, 5, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        p.wanted[up_to(&r, p.o.rows) - 1] = value;
        assert_int_equal(robo__order_choose(&p.o, p.j, p.wanted, 5, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        assert_memory_equal(&before, &p.o, sizeof before);
    }
    /* numbers, but nothing that can be squared */
    for (int i = 0; i < 3; i++) {
        struct robo__choice c;
        double large[4] = { 1e200, 0, 0, 1 }, u[2] = { 1, 1 };
        robo__order_init(&p.o, BY_NEED[i], 2, 2);
        memcpy(&before, &p.o, sizeof before);
        assert_int_equal(robo__order_pick(&p.o, large, u, 0, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        assert_memory_equal(&before, &p.o, sizeof before);
    }
}

static void test_nothing_counts(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 10);
    for (unsigned t = 0; t < 90; t++) {
        struct robo__choice c;
        begin_any(&r, &p, BY_NEED[t % 3]);
        memset(p.o.weight, 0, sizeof p.o.weight);
        robo__order_pick(&p.o, p.j, p.u, 0, &c);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        robo__order_choose(&p.o, p.j, p.wanted, 0, &c);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        /* but by age, and then what is right */
        unsigned old = up_to(&r, p.o.joints) - 1;
        p.o.age[old] = p.o.most_messages;
        robo__order_pick(&p.o, p.j, p.u, 0, &c);
        assert_int_equal(c.kind, ROBO__SEND);
        assert_int_equal(c.joint, old);
        assert_true(c.value == p.u[old]);
    }
}

/* Of a lower rank: what is chosen is finite, and damping keeps it small. */
static void test_singular(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 11);
    for (unsigned t = 0; t < 700; t++) {
        struct robo__choice c;
        unsigned n = 2 + up_to(&r, 7), rank = up_to(&r, n - 1);
        begin(&r, &p, (enum robo__order_scheme)(t % 7), n, n);
        for (unsigned i = rank; i < n; i++) { /* the other rows are sums of the first */
            memset(&p.j[i * n], 0, sizeof *p.j * n);
            for (unsigned l = 0; l < rank && t % 5; l++) {
                double factor = any(&r, 1);
                for (unsigned k = 0; k < n; k++)
                    p.j[i * n + k] += factor * p.j[l * n + k];
            }
        }
        any_numbers(&r, p.wanted, n); /* out of reach */
        for (unsigned m = 0; m < 2 * n; m++) {
            assert_int_equal(robo__order_choose(&p.o, p.j, p.wanted, 0, &c), 0);
            assert_true(fabs(c.value) <= sqrt(n) / (2 * p.o.damping));
            robo__order_sent(&p.o, &c, 0);
        }
    }
}

static void test_equals(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__choice c;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(robo__order_init(&p.o, BY_NEED[i], 10, 10), 0);
        memset(p.j, 0, sizeof p.j);
        for (unsigned k = 0; k < 10; k++) {
            p.j[11 * k] = 1;
            p.u[k] = k % 2 ? 1 : -1;
        }
        for (unsigned k = 0; k < 10; k++) {
            assert_int_equal(robo__order_pick(&p.o, p.j, p.u, 0, &c), 0);
            assert_int_equal(c.joint, k);
            robo__order_sent(&p.o, &c, 0);
        }
    }
}

static void test_sizes(void **state)
{
    (void)state;
    static struct problem p;
    static const unsigned wrong[][2] = { { 0, 6 }, { 65, 6 }, { 7, 0 }, { 7, 97 } };
    struct robo__choice c;
    for (int i = 0; i < 4; i++)
        assert_int_equal(robo__order_init(&p.o, ROBO__ORDER_OPTIMAL, wrong[i][0], wrong[i][1]),
                         ROBO_EINVAL);
    /* one dof */
    for (int scheme = ROBO__ORDER_SEQUENTIAL; scheme <= ROBO__ORDER_PLANNED; scheme++) {
        double j[6] = { 0, 0, 2, 0, 0, 0 }, wanted[6] = { 0, 0, 3, 1, 0, 0 };
        assert_int_equal(robo__order_init(&p.o, (enum robo__order_scheme)scheme, 1, 6), 0);
        assert_int_equal(robo__order_choose(&p.o, j, wanted, 0, &c), 0);
        assert_int_equal(c.joint, 0);
        assert_true(fabs(c.value - 1.5) < 1e-6);
    }
    /* the last of as many as can be */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(robo__order_init(&p.o, BY_NEED[i], MOST, ROWS), 0);
        memset(p.j, 0, sizeof p.j);
        memset(p.u, 0, sizeof p.u);
        p.j[ROWS * MOST - 1] = p.u[MOST - 1] = 1;
        assert_int_equal(robo__order_pick(&p.o, p.j, p.u, 0, &c), 0);
        assert_int_equal(c.joint, MOST - 1);
        robo__order_unsent(&p.o, MOST - 1);
        assert_int_equal(robo__order_pick(&p.o, p.j, p.o.sent, 0, &c), 0);
        assert_int_equal(c.joint, MOST - 1);
    }
}

static void test_allocates_nothing(void **state)
{
    (void)state;
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 12);
    for (unsigned t = 0; t < 70; t++) {
        struct robo__choice c;
        begin_any(&r, &p, (enum robo__order_scheme)(t % 7));
        size_t before = mallinfo2().uordblks;
        int status = robo__order_choose(&p.o, p.j, p.wanted, 0, &c);
        robo__order_sent(&p.o, &c, 0);
        size_t after = mallinfo2().uordblks;
        assert_int_equal(status, 0);
        assert_int_equal(before, after);
    }
}

/* ---- what a bus tells ---- */

static void test_lost_goes_first(void **state)
{
    (void)state;
    for (int scheme = ROBO__ORDER_SEQUENTIAL; scheme <= ROBO__ORDER_PLANNED; scheme++) {
        struct robo__order o;
        struct robo__choice c, again;
        double one[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, u[3] = { 3, 2, 1 };
        robo__order_init(&o, (enum robo__order_scheme)scheme, 3, 3);
        for (unsigned k = 0; k < 3; k++) {
            robo__order_pick(&o, one, u, 0, &c);
            assert_int_equal(c.joint, k);
            if (k != 1) /* whether it seemed to have gone or not */
                robo__order_sent(&o, &c, 0);
            robo__order_unsent(&o, k);
            robo__order_pick(&o, one, u, 0, &again);
            assert_int_equal(again.joint, k);
            assert_int_equal(again.kind, c.kind);
            assert_true(again.value == u[k]);
            robo__order_sent(&o, &again, 0);
            assert_true(o.lost == 0);
        }
        robo__order_pick(&o, one, u, 0, &c);
        bool stores = scheme == ROBO__ORDER_SYNCHRONISED || scheme == ROBO__ORDER_PREDICTIVE;
        assert_int_equal(c.kind, stores                          ? ROBO__SYNCHRONISE
                                 : scheme >= ROBO__ORDER_OPTIMAL ? ROBO__SEND_NOTHING
                                                                 : ROBO__SEND);
    }
}

/* Lost again and again: others in between, and when they have nothing to be told, it again. */
static void test_lost_again(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct robo__order o;
        struct robo__choice c;
        double one[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, u[3] = { 0, 2, 3 };
        static const unsigned expected[] = { 0, 2, 0, 1, 0, 0, 0 };
        robo__order_init(&o, BY_NEED[i], 3, 3);
        robo__order_unsent(&o, 0);
        for (int m = 0; m < 7; m++) {
            robo__order_pick(&o, one, u, 0, &c);
            assert_int_equal(c.kind, ROBO__SEND);
            if (i == 0 || c.joint == 0) /* which of the others, they decide */
                assert_int_equal(c.joint, expected[m]);
            assert_true(m > 4 || (c.joint == 0) == (m % 2 == 0));
            if (c.joint == 0)
                robo__order_unsent(&o, 0);
            else
                robo__order_sent(&o, &c, 0);
        }
        /* two at once: both */
        unsigned told = 0;
        robo__order_unsent(&o, 2);
        for (int m = 0; m < 3; m++) {
            robo__order_pick(&o, one, u, 0, &c);
            if (c.kind == ROBO__SEND) {
                told |= 1u << c.joint;
                robo__order_sent(&o, &c, 0);
            }
        }
        assert_int_equal(told, 5);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
    }
}

/* A repeats what was computed for the round. */
static void test_lost_of_a_round(void **state)
{
    (void)state;
    struct robo__order o;
    struct robo__choice c;
    double one[4] = { 1, 0, 0, 1 }, u[2] = { 2, 3 }, later[2] = { 4, 5 };
    robo__order_init(&o, ROBO__ORDER_SEQUENTIAL, 2, 2);
    robo__order_pick(&o, one, u, 0, &c);
    robo__order_unsent(&o, 0);
    for (unsigned k = 0; k < 2; k++) {
        robo__order_pick(&o, one, later, 0, &c);
        assert_int_equal(c.joint, k);
        assert_true(c.value == u[k]);
        robo__order_sent(&o, &c, 0);
    }
}

static void test_due(void **state)
{
    (void)state;
    struct robo__order o;
    struct robo__choice c;
    double one[4] = { 1, 0, 0, 1 }, u[2] = { 0 };
    robo__order_init(&o, ROBO__ORDER_ALIGNED, 2, 2);
    assert_true(robo__order_due(&o) == ROBO_NEVER);
    o.most_time = 100;
    o.when[0] = 7;
    o.when[1] = 5;
    assert_int_equal(robo__order_due(&o), 105);
    robo__order_pick(&o, one, u, 104, &c); /* at rest */
    assert_int_equal(c.kind, ROBO__SEND_NOTHING);
    robo__order_pick(&o, one, u, 105, &c);
    assert_int_equal(c.kind, ROBO__SEND);
    assert_int_equal(c.joint, 1);
    robo__order_sent(&o, &c, 105);
    assert_int_equal(robo__order_due(&o), 107);
}

/* A joint that never counts is sent to all the same, after four rounds of others. */
static void test_nobody_waits_longer_than_four_rounds(void **state)
{
    (void)state;
    const double j[4] = { 1, 0, 0, 1 };
    struct robo__order o;
    struct robo__choice c;
    robo__order_init(&o, ROBO__ORDER_OPTIMAL, 2, 2);
    for (int i = 0; i < 27; i++) {
        const double u[2] = { i + 1, 0 };
        robo__order_pick(&o, j, u, i, &c);
        assert_int_equal(c.joint, i % 9 == 8);
        robo__order_sent(&o, &c, i);
    }
}

static void test_too_little_to_send(void **state)
{
    (void)state;
    double j[4] = { 1, 0, 0, 1 }, u[2] = { 1.0 / 32, -1.0 / 16 };
    for (int scheme = ROBO__ORDER_OPTIMAL; scheme <= ROBO__ORDER_PLANNED; scheme++) {
        struct robo__order o;
        struct robo__choice c;
        robo__order_init(&o, (enum robo__order_scheme)scheme, 2, 2);
        o.weight[1] = 2;
        o.least = 1.0 / 8;
        robo__order_pick(&o, j, u, 0, &c);
        assert_int_equal(c.kind, ROBO__SEND_NOTHING);
        o.least = 0.99 / 8;
        robo__order_pick(&o, j, u, 0, &c);
        assert_int_equal(c.kind, ROBO__SEND);
        assert_int_equal(c.joint, 1);
    }
}

/* ---- section IV of the paper ---- */

enum { JOINTS = ROBO__ARM_JOINTS };

/* The first character behind a file's remarks. */
static FILE *open_numbers(const char *path)
{
    FILE *f = fopen(path, "r");
    int c;
    assert_non_null(f);
    while ((c = getc(f)) == '#')
        while ((c = getc(f)) != '\n' && c != EOF)
            ;
    ungetc(c, f);
    return f;
}

static bool read_numbers(FILE *f, double *out, int n)
{
    for (int i = 0; i < n; i++)
        if (fscanf(f, "%lf", &out[i]) != 1)
            return false;
    return true;
}

static void test_arm(void **state)
{
    (void)state;
    FILE *f = open_numbers("tests/ordering/kinematics.txt");
    double q[JOINTS], p[JOINTS], j[JOINTS * JOINTS], task[JOINTS], jacobian[JOINTS * JOINTS];
    int count = 0;
    for (; read_numbers(f, q, JOINTS); count++) {
        assert_true(read_numbers(f, p, JOINTS) && read_numbers(f, j, JOINTS * JOINTS));
        struct robo__arm arm;
        robo__arm_place(&arm, q);
        robo__arm_task(&arm, task);
        robo__arm_jacobian(&arm, jacobian);
        for (int i = 0; i < JOINTS; i++)
            assert_true(fabs(task[i] - p[i]) < 1e-10);
        for (int i = 0; i < JOINTS * JOINTS; i++)
            assert_true(fabs(jacobian[i] - j[i]) < 1e-10);
    }
    fclose(f);
    assert_true(count >= 3);
}

static enum robo__task task_named(const char *name)
{
    return strcmp(name, "line") == 0  ? ROBO__LINE
           : strcmp(name, "osc") == 0 ? ROBO__OSCILLATION
                                      : ROBO__FORCE;
}

/* The reference's names: O with its weights is OW, and with the hold-aware command OWgf. */
static void make_trial(struct robo__trial *t, const char *task, const char *scheme, double rate)
{
    static const double weights[JOINTS] = { 1, 1, 5, 0.4, 0.4, 0.4, 0.3 };
    static const char *const names[] = { "A", "B", "C", "D", "E", "AE", "OW" };
    unsigned i = 0;
    while (strncmp(names[i], scheme, i == 6 ? 2 : 8) != 0)
        i++;
    robo__trial_init(t, task_named(task), (enum robo__order_scheme)i, rate);
    t->aware = strcmp(scheme, "OWgf") == 0;
    if (i == 6)
        memcpy(t->weight, weights, sizeof weights);
}

struct expected {
    const char *what;
    unsigned at, count;
    int joint[64];
    double value[64];
};

static void compare(void *context, double time, const struct robo__choice *c, const double *task,
                    double force)
{
    (void)time, (void)task, (void)force;
    struct expected *e = context;
    if (!c || e->at == e->count)
        return;
    int told = c->kind == ROBO__SEND ? (int)c->joint : c->kind == ROBO__SYNCHRONISE ? JOINTS : -1;
    if (told != e->joint[e->at])
        fail_msg("%s: message %u is to %d, expected %d", e->what, e->at, told, e->joint[e->at]);
    if (c->kind == ROBO__SEND && !(fabs(c->value - e->value[e->at]) < 1e-6))
        fail_msg("%s: message %u: %.10g, expected %.10g", e->what, e->at, c->value,
                 e->value[e->at]);
    e->at++;
}

static void test_every_message(void **state)
{
    (void)state;
    FILE *f = open_numbers("tests/ordering/decisions.txt");
    char task[32], scheme[8], what[64];
    double rate;
    unsigned runs = 0;
    static struct expected e;
    while (fscanf(f, "%31s %lf %7s %u", task, &rate, scheme, &e.count) == 4) {
        struct robo__trial trial;
        struct robo__trial_result result;
        assert_true(e.count <= 64);
        make_trial(&trial, task, scheme, rate);
        assert_true(read_numbers(f, trial.start, JOINTS));
        for (unsigned i = 0; i < e.count; i++)
            assert_int_equal(fscanf(f, "%d:%lf", &e.joint[i], &e.value[i]), 2);
        snprintf(what, sizeof what, "%s %g %s", task, rate, scheme);
        e.what = what;
        e.at = 0;
        trial.seconds = e.count / rate;
        trial.look = compare;
        trial.context = &e;
        robo__trial_run(&trial, &result);
        assert_int_equal(e.at, e.count);
        runs++;
    }
    fclose(f);
    assert_int_equal(runs, 42);
}

/* Whether the trial comes to these deviations, of the task and the force, within a relative tolerance. */
static bool comes_to(const struct robo__trial *trial, double task, double force, double tolerance)
{
    struct robo__trial_result r;
    robo__trial_run(trial, &r);
    double ratio = force > 0 ? r.force / force : r.task / task;
    if (tolerance == 0) /* chaotic: whether it is about as stable */
        return ratio > 0.5 && ratio < 2;
    return fabs(ratio - 1) < tolerance && (tolerance > 1e-3 || fabs(r.task / task - 1) < tolerance);
}

static void test_deviations(void **state)
{
    (void)state;
    FILE *f = open_numbers("tests/ordering/deviations.txt");
    char name[32], scheme[8];
    double n[4];
    unsigned runs = 0;
    struct robo__random random;
    robo__random_seed(&random, 6);
    while (fscanf(f, "%31s %7s", name, scheme) == 2) {
        struct robo__trial trial;
        assert_true(read_numbers(f, n, 4));
        make_trial(&trial, name, scheme, n[0]);
        bool good = comes_to(&trial, n[1], n[2], n[3]);
        /* where a change of 1e-12 rad in the start changes the figure by more than its tolerance, the reference is
           one of many: it has to lie among ours */
        for (int i = 0; i < 8 && !good && (n[3] == 0 || n[3] > 1e-3); i++) {
            for (int k = 0; k < JOINTS; k++)
                trial.start[k] += any(&random, 1e-12);
            good = comes_to(&trial, n[1], n[2], n[3]);
        }
        if (!good)
            fail_msg("%s %s at %g/s does not come to %g and %g N", name, scheme, n[0], n[1], n[2]);
        runs++;
    }
    fclose(f);
    assert_int_equal(runs, 216);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),
        cmocka_unit_test(test_the_greatest_is_chosen),
        cmocka_unit_test(test_planned_begins_the_best_order),
        cmocka_unit_test(test_none_deadlocks),
        cmocka_unit_test(test_what_is_wanted_is_reached),
        cmocka_unit_test(test_nobody_waits_for_ever),
        cmocka_unit_test(test_rounds_are_whole),
        cmocka_unit_test(test_what_is_no_number),
        cmocka_unit_test(test_nothing_counts),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_equals),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_allocates_nothing),
        cmocka_unit_test(test_lost_goes_first),
        cmocka_unit_test(test_lost_again),
        cmocka_unit_test(test_lost_of_a_round),
        cmocka_unit_test(test_due),
        cmocka_unit_test(test_nobody_waits_longer_than_four_rounds),
        cmocka_unit_test(test_too_little_to_send),
        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_every_message),
        cmocka_unit_test(test_deviations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
