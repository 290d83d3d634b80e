/* Ordering: solutions, choices by brute force on random chains, and what does not go well. */
#include <malloc.h>

#include "bus_schedule_problem.h"

/* ---- solutions ---- */

TEST(solves)
{
    struct robo__random r;
    robo__random_seed(&r, 1);
    for (int t = 0; t < 500; t++) {
        unsigned rows = 1 + (unsigned)(robo__random_u64(&r) % 9),
                 columns = 1 + (unsigned)(robo__random_u64(&r) % 9);
        double j[81], b[9], x[9], left[9], gradient = 0;
        any_numbers(&r, j, rows * columns);
        any_numbers(&r, b, rows);
        robo__schedule_solve(j, rows, columns, b, 1e-6, x);
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
    robo__schedule_solve(j, 3, 3, b, 1e-3, x);
    assert_true(fabs(x[0] + 2 * x[1] + 3 * x[2] - 1) < 1e-3 && fabs(x[2] - 1) < 1e-2);
    /* damped as much as they are long: half of what is wanted, in every row */
    double wide[6] = { 1, 0, 0, 0, 1, 0 }, tall[6] = { 1, 0, 0, 1, 0, 0 };
    robo__schedule_solve(wide, 2, 3, b, 1, x);
    assert_true(x[0] == 0.5 && x[1] == 1 && x[2] == 0);
    robo__schedule_solve(tall, 3, 2, b, 1, x);
    assert_true(x[0] == 0.5 && x[1] == 1);
    double none[4] = { 0 };
    robo__schedule_solve(none, 2, 2, b, 1e-3, x);
    assert_true(x[0] == 0 && x[1] == 0);
    robo__schedule_solve(none, 1, 2, b, 0, x); /* nor does it need damping to stand still */
    assert_true(x[0] == 0 && x[1] == 0);
    robo__schedule_solve(none, 2, 1, b, 0, x);
    assert_true(x[0] == 0);
}

/* ---- choices, by brute force ---- */

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
    for (unsigned i = 0; p->o.scheme == ROBO_ORDER_OPTIMAL && i < p->o.rows; i++)
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

TEST(the_greatest_is_chosen)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 2);
    for (int t = 0; t < 4000; t++) {
        struct robo_ordering_choice c;
        begin_any(&r, &p, t % 2 ? ROBO_ORDER_OPTIMAL : ROBO_ORDER_GREATEST);
        double most = 0, sum = 0;
        for (unsigned k = 0; k < p.o.joints; k++) {
            most = fmax(most, score_of(&p, k));
            sum += fabs(score_of(&p, k));
        }
        bool given = one_in(&r, 2);
        if (!given) { /* what is wanted, and the speeds from that */
            any_numbers(&r, p.wanted, p.o.rows);
            robo__schedule_solve(p.j, p.o.rows, p.o.joints, p.wanted, p.o.damping, p.u);
            most = sum = 0;
            for (unsigned k = 0; k < p.o.joints; k++) {
                most = fmax(most, score_of(&p, k));
                sum += fabs(score_of(&p, k));
            }
        }
        assert_int_equal(given ? robo__schedule_pick(&p.o, p.j, p.u, 0, &c)
                               : robo__schedule_choose(&p.o, p.j, p.wanted, 0, &c),
                         0);
        if (c.kind == ROBO_CHOICE_NOTHING) {
            assert_true(most <= 1e-12 * sum);
            continue;
        }
        assert_int_equal(c.kind, ROBO_CHOICE_SEND);
        assert_true(c.value == p.u[c.joint]);
        assert_true(score_of(&p, c.joint) >= most - 1e-12 * sum);
        for (unsigned k = 0; k < c.joint; k++) /* of equals the first */
            assert_false(same_joint(&p, k, c.joint));
    }
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

TEST(planned_begins_the_best_order)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 3);
    for (int t = 0; t < 400; t++) {
        struct robo_ordering_choice c;
        do
            begin_any(&r, &p, ROBO_ORDER_PLANNED);
        while (p.o.joints > 6 || p.o.rows > 9);
        if (one_in(&r, 2)) {
            any_numbers(&r, p.wanted, p.o.rows);
            robo__schedule_solve(p.j, p.o.rows, p.o.joints, p.wanted, p.o.damping, p.u);
            assert_int_equal(robo__schedule_choose(&p.o, p.j, p.wanted, 0, &c), 0);
        } else {
            assert_int_equal(robo__schedule_pick(&p.o, p.j, p.u, 0, &c), 0);
        }
        assert_int_equal(c.kind, anything_to_tell(&p) ? ROBO_CHOICE_SEND : ROBO_CHOICE_NOTHING);
        if (c.kind == ROBO_CHOICE_NOTHING)
            continue;
        double first = error_of(&p, 1u << c.joint) + best_order(&p, 1u << c.joint);
        /* joints whose message changes nothing come last, also where what is left then is not the least */
        double a[ROWS], last = error_of(&p, (1u << p.o.joints) - 1), slack = 0;
        for (unsigned k = 0; k < p.o.joints; k++)
            slack += part_of(&p, k, a) > 0 ? 0 : last;
        assert_true(part_of(&p, c.joint, a) > 0);
        assert_true(first <= (best_order(&p, 0) + slack) * (1 + 1e-9) + 1e-12);
    }
    assert_int_equal(robo__schedule_init(&p.o, ROBO_ORDER_PLANNED, 11, 6), ROBO_EINVAL);
}

/* ---- what does not go well ---- */

TEST(what_is_no_number)
{
    static const double strange[] = { NAN, INFINITY, -INFINITY };
    static struct problem p;
    struct robo__schedule before;
    struct robo__random r;
    robo__random_seed(&r, 9);
    for (unsigned t = 0; t < 7 * 60; t++) {
        struct robo_ordering_choice c;
        begin_any(&r, &p, (enum robo_order)(t % 7));
        p.o.most_time = one_in(&r, 2); /* even when somebody is overdue */
        memcpy(&before, &p.o, sizeof before);
        double value = strange[t % 3], *at = &p.j[up_to(&r, p.o.rows * p.o.joints) - 1], was = *at;
        *at = value;
        assert_int_equal(robo__schedule_pick(&p.o, p.j, p.u, 5, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
        assert_int_equal(robo__schedule_choose(&p.o, p.j, p.wanted, 5, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
        *at = was;
        p.u[up_to(&r, p.o.joints) - 1] = value;
        assert_int_equal(robo__schedule_pick(&p.o, p.j, p.u, 5, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
        p.wanted[up_to(&r, p.o.rows) - 1] = value;
        assert_int_equal(robo__schedule_choose(&p.o, p.j, p.wanted, 5, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
        assert_memory_equal(&before, &p.o, sizeof before);
    }
    /* numbers, but nothing that can be squared */
    for (int i = 0; i < 3; i++) {
        struct robo_ordering_choice c;
        double large[4] = { 1e200, 0, 0, 1 }, u[2] = { 1, 1 };
        robo__schedule_init(&p.o, BY_NEED[i], 2, 2);
        memcpy(&before, &p.o, sizeof before);
        assert_int_equal(robo__schedule_pick(&p.o, large, u, 0, &c), ROBO_ERANGE);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
        assert_memory_equal(&before, &p.o, sizeof before);
    }
}

TEST(nothing_counts)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 10);
    for (unsigned t = 0; t < 90; t++) {
        struct robo_ordering_choice c;
        begin_any(&r, &p, BY_NEED[t % 3]);
        memset(p.o.weight, 0, sizeof p.o.weight);
        robo__schedule_pick(&p.o, p.j, p.u, 0, &c);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
        robo__schedule_choose(&p.o, p.j, p.wanted, 0, &c);
        assert_int_equal(c.kind, ROBO_CHOICE_NOTHING);
        /* but by age, and then what is right */
        unsigned old = up_to(&r, p.o.joints) - 1;
        p.o.age[old] = p.o.most_messages;
        robo__schedule_pick(&p.o, p.j, p.u, 0, &c);
        assert_int_equal(c.kind, ROBO_CHOICE_SEND);
        assert_int_equal(c.joint, old);
        assert_true(c.value == p.u[old]);
    }
}

/* Of a lower rank: what is chosen is finite, and damping keeps it small. */
TEST(singular)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 11);
    for (unsigned t = 0; t < 700; t++) {
        struct robo_ordering_choice c;
        unsigned n = 2 + up_to(&r, 7), rank = up_to(&r, n - 1);
        begin(&r, &p, (enum robo_order)(t % 7), n, n);
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
            assert_int_equal(robo__schedule_choose(&p.o, p.j, p.wanted, 0, &c), 0);
            assert_true(fabs(c.value) <= sqrt(n) / (2 * p.o.damping));
            robo__schedule_sent(&p.o, &c, 0);
        }
    }
}

TEST(equals)
{
    static struct problem p;
    struct robo_ordering_choice c;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(robo__schedule_init(&p.o, BY_NEED[i], 10, 10), 0);
        memset(p.j, 0, sizeof p.j);
        for (unsigned k = 0; k < 10; k++) {
            p.j[11 * k] = 1;
            p.u[k] = k % 2 ? 1 : -1;
        }
        for (unsigned k = 0; k < 10; k++) {
            assert_int_equal(robo__schedule_pick(&p.o, p.j, p.u, 0, &c), 0);
            assert_int_equal(c.joint, k);
            robo__schedule_sent(&p.o, &c, 0);
        }
    }
}

TEST(sizes)
{
    static struct problem p;
    static const unsigned wrong[][2] = {
        { 0, 6 }, { ROBO__SCHEDULE_MOST + 1, 6 }, { 7, 0 }, { 7, 97 }
    };
    struct robo_ordering_choice c;
    for (int i = 0; i < 4; i++)
        assert_int_equal(robo__schedule_init(&p.o, ROBO_ORDER_GREATEST, wrong[i][0], wrong[i][1]),
                         ROBO_EINVAL);
    /* more than a task is solved for */
    assert_int_equal(robo__schedule_init(&p.o, ROBO_ORDER_GREATEST, MOST + 1, 6), 0);
    assert_int_equal(robo__schedule_choose(&p.o, p.j, p.wanted, 0, &c), ROBO_EINVAL);
    /* one dof */
    for (int scheme = ROBO_ORDER_SEQUENTIAL; scheme <= ROBO_ORDER_PLANNED; scheme++) {
        double j[6] = { 0, 0, 2, 0, 0, 0 }, wanted[6] = { 0, 0, 3, 1, 0, 0 };
        assert_int_equal(robo__schedule_init(&p.o, (enum robo_order)scheme, 1, 6), 0);
        assert_int_equal(robo__schedule_choose(&p.o, j, wanted, 0, &c), 0);
        assert_int_equal(c.joint, 0);
        assert_true(fabs(c.value - 1.5) < 1e-6);
    }
    /* the last of as many as can be */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(robo__schedule_init(&p.o, BY_NEED[i], MOST, ROWS), 0);
        memset(p.j, 0, sizeof p.j);
        memset(p.u, 0, sizeof p.u);
        p.j[ROWS * MOST - 1] = p.u[MOST - 1] = 1;
        assert_int_equal(robo__schedule_pick(&p.o, p.j, p.u, 0, &c), 0);
        assert_int_equal(c.joint, MOST - 1);
        robo__schedule_lost(&p.o, MOST - 1);
        assert_int_equal(robo__schedule_pick(&p.o, p.j, p.o.sent, 0, &c), 0);
        assert_int_equal(c.joint, MOST - 1);
    }
}

TEST(allocates_nothing)
{
    static struct problem p;
    struct robo__random r;
    robo__random_seed(&r, 12);
    for (unsigned t = 0; t < 70; t++) {
        struct robo_ordering_choice c;
        begin_any(&r, &p, (enum robo_order)(t % 7));
        size_t before = mallinfo2().uordblks;
        int status = robo__schedule_choose(&p.o, p.j, p.wanted, 0, &c);
        robo__schedule_sent(&p.o, &c, 0);
        size_t after = mallinfo2().uordblks;
        assert_int_equal(status, 0);
        assert_int_equal(before, after);
    }
}
