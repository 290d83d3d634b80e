/* The command queue, timers and random numbers, against naive models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/queue.h"
#include "base/random.h"
#include "robotalk.h"
#include "base/timer.h"

enum { OWNERS = 4, MOST = 500 };

/* The model: entries in order of arrival. */
struct entry {
    robo_time start;
    uint32_t number, owner;
};

struct model {
    struct entry entry[MOST];
    size_t count;
    uint32_t visited;
};

static size_t first_of(const struct model *m)
{
    size_t best = 0;
    for (size_t i = 1; i < m->count; i++)
        if (m->entry[i].start < m->entry[best].start)
            best = i;
    return best;
}

static void drop(struct model *m, size_t i)
{
    memmove(&m->entry[i], &m->entry[i + 1], (m->count - i - 1) * sizeof m->entry[0]);
    m->count--;
}

struct cut_visit {
    uint32_t *seen;
    unsigned count;
};

static void cut_visit(void *payload, struct robo__queue_owner *owner, void *arg)
{
    struct cut_visit *v = arg;
    v->seen[v->count++] = *(const uint32_t *)payload;
}

static void visit(void *payload, struct robo__queue_owner *owner, void *arg)
{
    struct model *m = arg;
    uint32_t number = *(uint32_t *)payload;
    assert_non_null(owner);
    for (size_t i = 0; i < m->count; i++) {
        if (m->entry[i].number == number) {
            drop(m, i);
            m->visited++;
            return;
        }
    }
    fail_msg("an entry that the model does not have");
}

TEST(queue_is_like_the_model)
{
    struct robo__random r;
    robo__random_seed(&r, 1);
    struct robo__queue q;
    struct robo__queue_owner owner[OWNERS] = { 0 };
    static struct model m;
    m.count = 0;
    assert_int_equal(robo__queue_init(&q, MOST, 0, 100), 0);
    for (uint32_t step = 0; step < 200000; step++) {
        double what = robo__random_uniform(&r);
        if (what < 0.52) {
            uint32_t o = (uint32_t)(robo__random_u64(&r) % OWNERS);
            robo_time start =
                (robo_time)(robo__random_u64(&r) % 64); /* few values, so that ties are common */
            uint32_t *p = robo__queue_push(&q, start, &owner[o]);
            assert_int_equal(p == NULL, m.count == MOST);
            if (p) {
                *p = step;
                m.entry[m.count++] = (struct entry){ start, step, o };
            }
        } else if (what < 0.95) {
            if (m.count == 0) {
                assert_true(robo__queue_head(&q) == ROBO_NEVER);
                continue;
            }
            size_t i = first_of(&m);
            struct robo__queue_owner *whose;
            uint32_t *p = robo__queue_peek(&q, &whose);
            assert_true(robo__queue_head(&q) == m.entry[i].start);
            assert_int_equal(*p, m.entry[i].number);
            assert_ptr_equal(whose, &owner[m.entry[i].owner]);
            robo__queue_pop(&q);
            drop(&m, i);
        } else if (what < 0.995 && m.count > 0) {
            /* one from the middle, found through its owner */
            size_t i = robo__random_u64(&r) % m.count;
            void *p = robo__queue_first(&q, &owner[m.entry[i].owner]);
            while (*(uint32_t *)p != m.entry[i].number)
                p = robo__queue_next(&q, p);
            robo__queue_remove(&q, p);
            drop(&m, i);
        } else if (what < 0.9995) {
            uint32_t o = (uint32_t)(robo__random_u64(&r) % OWNERS), had = owner[o].count;
            m.visited = 0;
            robo__queue_remove_owner(&q, &owner[o], visit, &m);
            assert_int_equal(m.visited, had);
            assert_int_equal(owner[o].count, 0);
        } else {
            for (uint32_t o = 0; o < OWNERS; o++)
                robo__queue_cut_owner(&q, &owner[o]);
            robo__queue_cut(&q);
            for (uint32_t o = 0; o < OWNERS; o++)
                robo__queue_take_cut(&q, &owner[o], UINT32_MAX, visit, &m);
            assert_int_equal(m.count, 0);
        }
        assert_int_equal(q.count, m.count);
    }
    robo__queue_free(&q);
}

static void ignore(void *payload, struct robo__queue_owner *owner, void *arg)
{
}

TEST(few_of_many_are_removed)
{
    struct robo__queue q;
    struct robo__queue_owner many = { 0 }, few = { 0 };
    assert_int_equal(robo__queue_init(&q, 100010, 0, 8), 0);
    for (int i = 0; i < 100000; i++)
        assert_non_null(robo__queue_push(&q, (i * 7919) % 100003, &many));
    for (int i = 0; i < 10; i++)
        assert_non_null(robo__queue_push(&q, i * 10000, &few));
    assert_null(robo__queue_push(&q, 0, &few)); /* full, and what is in it stays */
    robo__queue_remove_owner(&q, &few, ignore, NULL);
    robo_time before = -1;
    for (int i = 0; i < 100000; i++) {
        assert_true(robo__queue_head(&q) >= before);
        before = robo__queue_head(&q);
        robo__queue_pop(&q);
    }
    assert_true(robo__queue_head(&q) == ROBO_NEVER);
    robo__queue_free(&q);
}

TEST(a_queue_has_the_room_it_was_asked_for)
{
    struct robo__queue q;
    struct robo__queue_owner owner = { 0 };
    assert_int_equal(robo__queue_init(&q, 0, 0, 8), ROBO_EINVAL);
    assert_int_equal(robo__queue_init(&q, 1 << 24, 0, 8), ROBO_EINVAL);
    assert_int_equal(robo__queue_init(&q, 1, 0, 8), 0);
    assert_non_null(robo__queue_push(&q, 7, &owner));
    assert_null(robo__queue_push(&q, 7, &owner));
    assert_true(robo__queue_head(&q) == 7);
    robo__queue_free(&q);
}

/* ---- timers ---- */

static struct robo__timers timers;
static struct robo__timer timer[8];
static char fired[64];

static void note(struct robo__timer *t, robo_time now)
{
    size_t n = strlen(fired);
    fired[n] = (char)('0' + (t - timer));
    fired[n + 1] = 0;
}

static void stop_next(struct robo__timer *t, robo_time now)
{
    note(t, now);
    robo__timer_stop(&timers, t + 1);
}

static void again(struct robo__timer *t, robo_time now)
{
    note(t, now);
    robo__timer_start(&timers, t, now);
}

TEST(timers_fire_in_order)
{
    robo__timers_init(&timers);
    fired[0] = 0;
    memset(timer, 0, sizeof timer);
    for (int i = 0; i < 8; i++)
        timer[i].fire = note;
    timer[2].fire = stop_next;
    timer[5].fire = again;
    const robo_time due[8] = { 30, 10, 20, 20, 10, 20, 40, 5 };
    for (int i = 0; i < 8; i++)
        robo__timer_start(&timers, &timer[i], due[i]);
    assert_int_equal(robo__timers_next(&timers), 5);
    robo__timers_run(&timers, 20);
    /* by due, equals by arrival; 3 is stopped by 2 in the same batch; 5 arms itself and waits for its turn */
    assert_string_equal(fired, "71425");
    robo__timers_run(&timers, 20);
    assert_string_equal(fired, "714255");
    robo__timer_start(&timers, &timer[0], 50); /* armed anew: later */
    robo__timer_stop(&timers, &timer[5]);
    robo__timers_run(&timers, 100);
    assert_string_equal(fired, "71425560");
    assert_true(robo__timers_next(&timers) == ROBO_NEVER);
    robo__timers_free(&timers);
}

/* One at a time: what arms itself meanwhile waits until those that were armed before have had their turn. */
TEST(timers_fire_one_at_a_time)
{
    robo__timers_init(&timers);
    fired[0] = 0;
    memset(timer, 0, sizeof timer);
    for (int i = 0; i < 3; i++)
        timer[i].fire = i == 0 ? again : note;
    robo__timer_start(&timers, &timer[0], 10);
    robo__timer_start(&timers, &timer[1], 20);
    robo__timer_start(&timers, &timer[2], 30);
    uint64_t arrivals = timers.arrivals;
    assert_true(robo__timers_run_first(&timers, 20, arrivals));
    assert_true(robo__timers_run_first(&timers, 20, arrivals));
    assert_false(robo__timers_run_first(&timers, 20, arrivals));
    assert_string_equal(fired, "01");
    assert_true(robo__timers_run_first(&timers, 20, timers.arrivals));
    assert_string_equal(fired, "010");
    robo__timers_free(&timers);
}

/* Any sequence of starts, stops and runs, against a plain list. */
static struct robo__timer many[200];
static bool armed[200];
static int last_fired = -1, fired_count;

static void check_order(struct robo__timer *t, robo_time now)
{
    int n = (int)(t - many);
    assert_true(armed[n] && t->due <= now);
    if (last_fired >= 0)
        assert_true(many[last_fired].due < t->due ||
                    (many[last_fired].due == t->due && many[last_fired].arrival < t->arrival));
    armed[n] = false;
    last_fired = n;
    fired_count++;
}

TEST(timers_are_like_a_list)
{
    struct robo__random random;
    robo__random_seed(&random, 1);
    robo__timers_init(&timers);
    for (int i = 0; i < 200; i++)
        many[i].fire = check_order;
    for (int step = 0; step < 100000; step++) {
        int n = (int)(robo__random_u64(&random) % 200);
        unsigned what = robo__random_u64(&random) % 100;
        if (what < 70) {
            robo__timer_start(&timers, &many[n], (robo_time)(robo__random_u64(&random) % 1000));
            armed[n] = true;
        } else if (what < 95) {
            robo__timer_stop(&timers, &many[n]);
            armed[n] = false;
        }
        robo_time next = ROBO_NEVER, now = (robo_time)(robo__random_u64(&random) % 100);
        int due = 0;
        for (int i = 0; i < 200; i++) {
            if (armed[i] && many[i].due < next)
                next = many[i].due;
            due += armed[i] && many[i].due <= now;
        }
        assert_true(robo__timers_next(&timers) == next);
        if (what >= 95) {
            last_fired = -1;
            fired_count = 0;
            robo__timers_run(&timers, now);
            assert_int_equal(fired_count, due);
        }
    }
    robo__timers_free(&timers);
    assert_true(robo__timers_next(&timers) == ROBO_NEVER);
}

/* ---- random ---- */

/* The numbers that the authors' own xoshiro256** and splitmix64 give. */
TEST(random_is_the_published_generator)
{
    static const uint64_t sequence[] = { 11520,
                                         0,
                                         1509978240,
                                         1215971899390074240,
                                         1216172134540287360,
                                         607988272756665600,
                                         16172922978634559625u,
                                         8476171486693032832,
                                         10595114339597558777u,
                                         2904607092377533576 },
                          split[] = { 1985237415132408290, 2979275885539914483,
                                      13511426838097143398u, 8488337342461049707 };
    struct robo__random r = { { 1, 2, 3, 4 } };
    for (size_t i = 0; i < sizeof sequence / sizeof sequence[0]; i++)
        assert_true(robo__random_u64(&r) == sequence[i]);
    robo__random_seed(&r, 1477776061723855037);
    assert_memory_equal(r.state, split, sizeof split);
}

TEST(random_is_what_it_says)
{
    struct robo__random a, b;
    robo__random_seed(&a, 42);
    robo__random_seed(&b, 42);
    double sum = 0, squares = 0, uniform = 0;
    for (int i = 0; i < 100000; i++) {
        assert_true(robo__random_u64(&a) == robo__random_u64(&b));
        double u = robo__random_uniform(&a), n = robo__random_normal(&a);
        robo__random_uniform(&b);
        robo__random_normal(&b);
        assert_true(u >= 0 && u < 1);
        uniform += u;
        sum += n;
        squares += n * n;
    }
    /* deviations of the means of 10^5: 0.0009 and 0.003; five of them */
    assert_true(fabs(uniform / 1e5 - 0.5) < 0.005);
    assert_true(fabs(sum / 1e5) < 0.016);
    assert_true(fabs(squares / 1e5 - 1) < 0.025);
    struct robo__random fork = robo__random_fork(&a, 1), other = robo__random_fork(&a, 2);
    assert_true(robo__random_u64(&fork) != robo__random_u64(&other));
    assert_true(robo__random_u64(&a) ==
                robo__random_u64(&b)); /* a fork takes nothing from its parent */
}

/* Entries that were cut off keep their places until they are taken, each owner's in order of arrival. */
TEST(queue_cut)
{
    enum { ROOM = 6 };
    struct robo__queue q;
    struct robo__queue_owner owner[2] = { 0 };
    uint32_t seen[ROOM] = { 0 };
    struct cut_visit v = { seen, 0 };
    assert_int_equal(robo__queue_init(&q, ROOM, 0, sizeof(uint32_t)), 0);
    for (uint32_t i = 0; i < 4; i++)
        *(uint32_t *)robo__queue_push(&q, 10 - i, &owner[i % 2]) = i;
    for (int i = 0; i < 2; i++)
        robo__queue_cut_owner(&q, &owner[i]);
    robo__queue_cut(&q);
    assert_true(robo__queue_head(&q) == ROBO_NEVER);
    assert_int_equal(q.beyond + owner[0].count + owner[1].count, 0);
    for (uint32_t i = 4; i < ROOM; i++)
        *(uint32_t *)robo__queue_push(&q, 10, &owner[0]) = i;
    assert_null(robo__queue_push(&q, 10, &owner[1]));
    /* cut again before they were taken */
    robo__queue_cut_owner(&q, &owner[0]);
    robo__queue_cut(&q);
    assert_int_equal(robo__queue_take_cut(&q, &owner[0], 3, cut_visit, &v), 3);
    assert_int_equal(seen[0] * 100 + seen[1] * 10 + seen[2], 24);
    assert_non_null(robo__queue_push(&q, 10, &owner[1]));
    assert_int_equal(robo__queue_take_cut(&q, &owner[0], ROOM, cut_visit, &v), 1);
    assert_int_equal(robo__queue_take_cut(&q, &owner[1], ROOM, cut_visit, &v), 2);
    assert_int_equal(seen[3] * 100 + seen[4] * 10 + seen[5], 513);
    assert_int_equal(q.cut, 0);
    assert_int_equal(q.count, 1);
    robo__queue_free(&q);
}
