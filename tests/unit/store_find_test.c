/* One picture of a folder of many, found from the end of the index. The folder is written here, as spec/images.md has it. */
#include "fixture_store.h"

#include <stdatomic.h>
#include <sys/types.h>

enum { MANY = 1000 }; /* more than are read at once */

static atomic_size_t bytes_read;

ssize_t __real_pread(int fd, void *bytes, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t n, off_t at)
{
    const ssize_t got = __real_pread(fd, bytes, n > 1000 ? n - 300 : n, at); /* in pieces */
    bytes_read += got > 0 ? (size_t)got : 0;
    return got;
}

/* Pictures 1 to MANY, a second apart, of a/c and b/c in turn. */
static int make_many(void **state)
{
    char lines[MANY * ROBO__STORE_LINE], name[ROBO__STORE_NAME];
    if (make_folder(state) != 0)
        return -1;
    for (int i = 1; i <= MANY; i++) {
        struct robo_image_entry entry = { .number = (uint64_t)i,
                                          .time = INT64_C(1700000000000000) + i * 1000000,
                                          .size = 1 };
        strcpy(entry.source, i % 2 == 1 ? "a/c" : "b/c");
        robo__store_write_line(&entry, lines + (i - 1) * ROBO__STORE_LINE);
        robo__store_name(entry.number, ".jpg", name);
        write_file(name, "x", 1, 0);
    }
    write_file("index", lines, sizeof lines, 0);
    bytes_read = 0;
    return 0;
}

static void remove_file(int number)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%012d.jpg", folder, number);
    assert_int_equal(unlink(path), 0);
}

/* The number of what is found; else the error. time 0: none is asked for. */
static int64_t find(struct robo_image_question question)
{
    struct robo_image_entry entry = { .number = 0 };
    question.size = sizeof question;
    if (question.time == 0)
        question.time = INT64_MAX;
    const int error = robo_image_find(folder, &question, &entry, why);
    return error < 0 ? error : (int64_t)entry.number;
}
#define FIND(...) find((struct robo_image_question){ __VA_ARGS__ })

FIXTURE(make_many, remove_folder);

TEST(the_newest_is_found_at_the_end_of_the_index)
{
    assert_int_equal(FIND(.step = 0), MANY);
    assert_int_equal(FIND(.step = -3), MANY - 3);
    assert_true(bytes_read <= 2 * 256 * ROBO__STORE_LINE); /* a quarter of it, each time */
}

TEST(steps_go_both_ways_from_a_number)
{
    assert_int_equal(FIND(.number = 300, .step = 0), 300);
    assert_int_equal(FIND(.number = 300, .step = -299), 1);
    assert_int_equal(FIND(.number = 300, .step = 700), 1000);
    assert_int_equal(FIND(.number = 300, .step = -300), ROBO_ENONE);
    assert_int_equal(FIND(.number = 300, .step = 701), ROBO_ENONE);
    assert_int_equal(FIND(.number = 5000, .step = -1), ROBO_ENONE);
    assert_non_null(strstr(why, "there is no such picture"));
}

TEST(a_time_has_the_newest_of_then_or_before)
{
    assert_int_equal(FIND(.time = INT64_C(1700000003000000)), 3);
    assert_int_equal(FIND(.time = INT64_C(1700000003999999)), 3);
    assert_int_equal(FIND(.time = INT64_C(1700000003999999), .step = 2), 5);
    assert_int_equal(FIND(.time = INT64_C(1700000000000000)), ROBO_ENONE);
    assert_int_equal(FIND(.time = -1), ROBO_ENONE);
}

TEST(steps_count_pictures_of_the_source_alone)
{
    assert_int_equal(FIND(.source = "a/c"), 999);
    assert_int_equal(FIND(.source = "a/c", .step = -2), 995);
    assert_int_equal(FIND(.source = "a/c", .time = INT64_C(1700000004000000)), 3);
    assert_int_equal(FIND(.source = "b/c", .number = 4, .step = 1), 6);
    assert_int_equal(FIND(.source = "b/c", .number = 5), ROBO_ENONE);
    assert_int_equal(FIND(.source = "a"), ROBO_ENONE);
    assert_int_equal(FIND(.source = "a/c "), ROBO_ENONE);
}

TEST(pictures_that_have_gone_and_lines_that_are_damaged_are_left_out)
{
    remove_file(1000);
    remove_file(998);
    char path[64];
    snprintf(path, sizeof path, "%s/index", folder);
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    fseek(f, 996 * ROBO__STORE_LINE + 125, SEEK_SET); /* in the sum of 997 */
    fputc('X', f);
    fclose(f);
    write_file("index", "half a line", 11, O_APPEND);
    assert_int_equal(FIND(.step = 0), 999);
    assert_int_equal(FIND(.step = -1), 996);
    assert_int_equal(FIND(.number = 996, .step = 1), 999);
    assert_int_equal(FIND(.number = 998), ROBO_ENONE);
}

TEST(a_folder_that_cannot_be_read_is_told_of_with_its_name)
{
    struct robo_image_entry entry;
    const struct robo_image_question newest = { .size = sizeof newest, .time = INT64_MAX };
    assert_int_equal(robo_image_find("/nowhere", &newest, &entry, why), ROBO_ESYSTEM);
    assert_string_equal(why, "/nowhere: No such file or directory");
    char path[64];
    snprintf(path, sizeof path, "%s/index", folder);
    unlink(path);
    assert_int_equal(robo_image_find(folder, &newest, &entry, why), ROBO_ESYSTEM);
    assert_non_null(strstr(why, "/index: No such file or directory"));
    write_file("index", "", 0, 0);
    assert_int_equal(robo_image_find(folder, &newest, &entry, why), ROBO_ENONE);
}
