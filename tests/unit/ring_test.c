/* The newest rows of a source: numbered, in order of time, whole under the eyes of readers. */
#include <pthread.h>

#include "../test.h"
#include "base/ring.h"

enum { WIDTH = 181, PLACES = 5, ROWS = 200000 };

static _Atomic uint64_t word[PLACES * (WIDTH + 2)];

TEST(rows)
{
    struct robo__ring ring;
    robo_time time = 7;
    double row[2] = { 1, 2 };
    assert_true(robo__ring_words(2, PLACES) <= sizeof word / sizeof *word);
    robo__ring_init(&ring, 2, PLACES, word);
    assert_int_equal(robo__ring_read(&ring, 0, &time, row), 0);
    assert_int_equal(robo__ring_read(&ring, 1, &time, row), 0);
    assert_true(time == 7 && row[0] == 1);
    for (int i = 1; i <= 20; i++) {
        row[0] = i;
        assert_int_equal(robo__ring_write(&ring, 10 * i, row), 0);
        assert_int_equal(robo__ring_read(&ring, 0, &time, row), i);
        assert_true(time == 10 * i && row[0] == i && row[1] == 2);
    }
    /* one fewer than there are places is kept; one that is older stands for those before it */
    assert_int_equal(robo__ring_read(&ring, 18, &time, row), 18);
    assert_true(time == 180 && row[0] == 18);
    assert_int_equal(robo__ring_read(&ring, 3, &time, row), 17);
    assert_int_equal(robo__ring_read(&ring, 21, &time, row), 0);
    assert_int_equal(robo__ring_read(&ring, 0, &time, NULL), 20);
    assert_true(time == 200 && row[0] == 17);
    /* time does not run backwards; it may stand */
    assert_int_equal(robo__ring_write(&ring, 199, row), ROBO_ERANGE);
    assert_int_equal(robo__ring_write(&ring, 200, row), 0);
    assert_int_equal(robo__ring_read(&ring, 0, &time, NULL), 21);
}

/* Rows that are late by 25: at an instant those of 25 before are the newest. */
TEST(late_rows)
{
    struct robo__ring ring;
    robo_time time = 7;
    double row[2] = { 0, 2 };
    robo__ring_init(&ring, 2, PLACES, word);
    atomic_store(&ring.late, 25);
    assert_int_equal(robo__ring_read_at(&ring, 1000, 0, &time, row), 0);
    for (int i = 1; i <= 4; i++) {
        row[0] = i;
        assert_int_equal(robo__ring_write(&ring, 10 * i, row), 0);
    }
    assert_int_equal(robo__ring_read_at(&ring, 34, 0, &time, row), 0);
    assert_int_equal(robo__ring_read_at(&ring, 34, 1, &time, row), 0);
    assert_int_equal(time, 7);
    assert_int_equal(robo__ring_read_at(&ring, 35, 0, &time, row), 1);
    assert_true(time == 10 && row[0] == 1);
    assert_int_equal(robo__ring_read_at(&ring, 59, 0, &time, row), 3);
    assert_true(time == 30 && row[0] == 3);
    assert_int_equal(robo__ring_read_at(&ring, 59, 2, &time, row), 2);
    assert_int_equal(robo__ring_read_at(&ring, 59, 4, &time, row), 0);
    assert_int_equal(robo__ring_read_at(&ring, 65, 0, &time, row), 4);
    assert_int_equal(robo__ring_read_at(&ring, 65, 5, &time, row), 0);
    /* those that were to be read are kept no more */
    for (int i = 5; i <= 20; i++)
        assert_int_equal(robo__ring_write(&ring, 10 * i, row), 0);
    assert_int_equal(robo__ring_read_at(&ring, 80, 0, &time, row), 0);
    atomic_store(&ring.late, 0);
    assert_int_equal(robo__ring_read_at(&ring, 200, 0, &time, row), 20);
}

static void *write_rows(void *arg)
{
    struct robo__ring *ring = arg;
    double row[WIDTH];
    for (int i = 1; i <= ROWS; i++) {
        for (int k = 0; k < WIDTH; k++)
            row[k] = i;
        assert_int_equal(robo__ring_write(ring, i, row), 0);
    }
    return NULL;
}

/* Whoever reads meanwhile gets whole rows, and later ones each time. */
TEST(readers)
{
    struct robo__ring ring;
    pthread_t writer;
    robo_time time;
    double row[WIDTH];
    uint64_t newest = 0, next = 1, lost = 0, seen = 0;
    robo__ring_init(&ring, WIDTH, PLACES, word);
    assert_int_equal(pthread_create(&writer, NULL, write_rows, &ring), 0);
    while (newest < ROWS || next <= ROWS) {
        uint64_t number = robo__ring_read(&ring, 0, &time, row);
        assert_true(number >= newest);
        newest = number;
        for (int k = 0; number && k < WIDTH; k++)
            assert_true(row[k] == (double)number && time == (robo_time)number);
        number = robo__ring_read(&ring, next, &time, row);
        if (number == 0)
            continue;
        assert_true(number >= next && row[0] == (double)number && row[WIDTH - 1] == row[0]);
        lost += number - next;
        next = number + 1;
        seen++;
    }
    pthread_join(writer, NULL);
    assert_int_equal(seen + lost, ROWS);
}
