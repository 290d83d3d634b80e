/* Readers without a lock: what they may look at is not freed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../test.h"
#include "base/readers.h"

enum { READERS = 3, REPLACED = 20000 };

TEST(sections_keep_their_turn)
{
    assert_true(robo__readers_have_left(robo__readers_turn())); /* nobody reads */
    robo__reading_begin();
    robo__reading_begin();
    const uint64_t turn = robo__readers_turn();
    for (int i = 0; i < 5; i++)
        assert_false(robo__readers_have_left(turn));
    robo__reading_end();
    assert_true(robo__is_reading());
    assert_false(robo__readers_have_left(turn));
    robo__reading_end();
    assert_false(robo__is_reading());
    assert_true(robo__readers_have_left(turn));

    /* one that begins later is of a later turn, and does not keep what had been replaced before */
    const uint64_t before = robo__readers_turn();
    assert_true(robo__readers_have_left(before));
    robo__reading_begin();
    assert_true(robo__readers_have_left(before));
    assert_false(robo__readers_have_left(robo__readers_turn()));
    robo__reading_end();
}

struct number {
    struct number *older;
    uint64_t turn;
    unsigned value, same;
};

static struct number *_Atomic newest;
static atomic_bool over;

static void *read_numbers(void *arg)
{
    atomic_uint *torn = arg;
    while (!atomic_load(&over)) {
        robo__reading_begin();
        const struct number *n = atomic_load(&newest);
        atomic_fetch_add(torn, n->value != n->same);
        robo__reading_end();
    }
    return NULL;
}

/* Frees of a list what may be freed; how many stay. */
static unsigned free_left(struct number **list)
{
    unsigned stay = 0;
    struct number *n = *list, *kept = NULL, *next;
    for (; n; n = next) {
        next = n->older;
        if (robo__readers_have_left(n->turn)) {
            n->same = n->value + 1; /* a thread that still reads it finds it torn */
            free(n);
            continue;
        }
        n->older = kept;
        kept = n;
        stay++;
    }
    *list = kept;
    return stay;
}

TEST(nobody_reads_what_was_freed)
{
    pthread_t thread[READERS];
    atomic_uint torn = 0;
    struct number *left = NULL;
    atomic_store(&newest, calloc(1, sizeof(struct number)));
    for (int i = 0; i < READERS; i++)
        pthread_create(&thread[i], NULL, read_numbers, &torn);
    for (unsigned i = 1; i < REPLACED; i++) {
        struct number *n = malloc(sizeof *n), *old;
        *n = (struct number){ .value = i, .same = i };
        old = atomic_exchange(&newest, n);
        old->turn = robo__readers_turn();
        old->older = left;
        left = old;
        free_left(&left);
    }
    atomic_store(&over, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&torn), 0);
    assert_int_equal(free_left(&left), 0);
    free(atomic_load(&newest));
}
