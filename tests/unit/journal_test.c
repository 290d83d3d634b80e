/* Journals: records in order, round and round; full ones; several on one list; a writer and a reader at the same time. */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "../test.h"
#include "base/journal.h"

static void put(struct robo__journal *list, uint32_t session, const void *body, size_t size)
{
    robo__journal_put(list,
                      (struct robo__journal_entry){
                          .kind = ROBO__JOURNAL_ARRIVAL, .session = session, .time = 5 },
                      &(struct robo__journal_part){ body, size }, 1);
}

/* The next record has that number, and as many bytes of it. */
static void take(struct robo__journal *j, uint32_t session, size_t size)
{
    const struct robo__journal_entry *entry = robo__journal_next(j);
    assert_non_null(entry);
    assert_int_equal(entry->session, session);
    assert_int_equal(entry->size, size);
    assert_true((uintptr_t)robo__journal_body(entry) % 8 == 0);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(((const uint8_t *)robo__journal_body(entry))[i], (uint8_t)session);
    robo__journal_take(j, entry);
}

TEST(records_of_all_lengths)
{
    struct robo__journal j;
    uint8_t body[512];
    assert_int_equal(robo__journal_open(&j, 4000), 0);
    assert_int_equal(j.size, 4096);
    assert_null(robo__journal_next(&j));
    uint32_t read = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        memset(body, (int)(i & 255), sizeof body);
        put(&j, i, body, i % sizeof body);
        if (i % 3 > 0)
            continue;
        for (; read <= i; read++)
            take(&j, read, read % sizeof body);
        assert_null(robo__journal_next(&j));
    }
    assert_int_equal(atomic_load(&j.lost), 0);
    robo__journal_close(&j);
}

TEST(an_empty_one_begins_again_at_its_start)
{
    struct robo__journal j;
    assert_int_equal(robo__journal_open(&j, 1024), 0);
    for (uint32_t i = 0; i < 3; i++) {
        put(&j, i, NULL, 0);
        assert_ptr_equal(robo__journal_next(&j), j.bytes);
        take(&j, i, 0);
    }
    robo__journal_close(&j);
}

TEST(parts)
{
    struct robo__journal j;
    const struct robo__journal_part part[] = { { "ab", 2 }, { NULL, 0 }, { "cde", 4 } };
    assert_int_equal(robo__journal_open(&j, 1), 0);
    robo__journal_put(&j, (struct robo__journal_entry){ .kind = 1 }, part, 3);
    const struct robo__journal_entry *entry = robo__journal_next(&j);
    assert_int_equal(entry->size, 6);
    assert_string_equal(robo__journal_body(entry), "abcde");
    robo__journal_close(&j);
}

/* Records without room are lost, and the next record says how many were. */
TEST(full)
{
    struct robo__journal j;
    const uint64_t body[25] = { 0 };
    assert_int_equal(robo__journal_open(&j, 1024), 0);
    for (uint32_t i = 0; i < 7; i++)
        put(&j, 0, body, sizeof body);
    assert_int_equal(atomic_load(&j.lost), 3);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(robo__journal_next(&j)->lost, 0);
        take(&j, 0, sizeof body);
    }
    put(&j, 0, body, sizeof body);
    put(&j, 0, body, sizeof body);
    assert_int_equal(robo__journal_next(&j)->lost, 3);
    take(&j, 0, sizeof body);
    assert_int_equal(robo__journal_next(&j)->lost, 0);
    /* one that is longer than the ring */
    static uint8_t large[2000];
    put(&j, 0, large, sizeof large);
    assert_int_equal(atomic_load(&j.lost), 4);
    robo__journal_close(&j);
}

TEST(a_list)
{
    struct robo__journal j[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(robo__journal_open(&j[i], 1024), 0);
    atomic_store(&j[0].next, &j[1]);
    put(&j[0], 3, "\3", 1);
    put(&j[1], 4, "\4", 1);
    take(&j[0], 3, 1);
    assert_null(robo__journal_next(&j[0]));
    take(&j[1], 3, 1);
    take(&j[1], 4, 1);
    for (int i = 0; i < 2; i++)
        robo__journal_close(&j[i]);
}

enum { RECORDS = 200000 };

static void *write_all(void *arg)
{
    uint32_t body[61];
    for (uint32_t i = 1; i <= RECORDS; i++) {
        for (unsigned k = 0; k < 61; k++)
            body[k] = i;
        put(arg, i, body, i % 62 * 4);
    }
    return NULL;
}

/* Each record is whole, and those that are missing are counted. */
TEST(two_threads)
{
    struct robo__journal j;
    pthread_t writer;
    assert_int_equal(robo__journal_open(&j, 4096), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_all, &j), 0);
    uint32_t last = 0, read = 0;
    bool over = false;
    while (true) {
        const struct robo__journal_entry *entry = robo__journal_next(&j);
        if (!entry && over)
            break;
        if (!entry) {
            over = pthread_tryjoin_np(writer, NULL) == 0;
            continue;
        }
        assert_int_equal(entry->session, last + entry->lost + 1);
        assert_int_equal(entry->size, entry->session % 62 * 4);
        for (unsigned k = 0; k < entry->size / 4; k++)
            assert_int_equal(((const uint32_t *)robo__journal_body(entry))[k], entry->session);
        last = entry->session;
        read++;
        robo__journal_take(&j, entry);
    }
    assert_int_equal(read + atomic_load(&j.lost), RECORDS);
    robo__journal_close(&j);
}
