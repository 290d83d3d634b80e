/* A folder of pictures that is opened again, after a kill, a loss of power, or somebody's hand. */
#include "fixture_store.h"

FIXTURE(make_folder, remove_folder);

TEST(temporary_files_go)
{
    write_file("000000000007.part", "x", 1, 0);
    write_file("index.part", "x", 1, 0);
    write_file("notes.part", "x", 1, 0);
    open_store(0);
    assert_false(has_file("000000000007.part"));
    assert_false(has_file("index.part"));
    assert_true(has_file("notes.part"));
}

TEST(an_empty_directory_of_the_name_of_a_temporary_file_goes)
{
    char path[64];
    snprintf(path, sizeof path, "%s/000000000001.part", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    open_store(0);
    assert_false(has_file("000000000001.part"));
    keep(1, 5);
    has_lines(1, 1, 1);
}

TEST(an_index_that_is_no_file_is_told_and_nobody_waits)
{
    char path[64];
    int error;
    snprintf(path, sizeof path, "%s/index", folder);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(robo__store_open(folder, 0, on_log, NULL, &store, why), ROBO_ESYSTEM);
    assert_non_null(strstr(why, "/index: expected a file"));
    assert_null(robo_image_list_open(folder, &error, why));
    assert_int_equal(error, ROBO_ESYSTEM);
    assert_non_null(strstr(why, "/index: expected a file"));
}

TEST(a_line_that_is_cut_off_is_not_missed)
{
    open_store(0);
    keep(3, 5);
    robo__store_close(store);
    store = NULL;
    write_file("index", "000000000004 17000", 18, O_APPEND);
    open_store(0);
    has_lines(3, 1, 3);
    keep(1, 9);
    has_lines(4, 1, 4);
}

TEST(a_picture_whose_line_is_damaged_is_of_an_unknown_source)
{
    open_store(0);
    keep(3, INT64_C(1700000000123456));
    robo__store_close(store);
    store = NULL;
    char path[64], text[3 * ROBO__STORE_LINE];
    struct robo_image_entry line;
    snprintf(path, sizeof path, "%s/index", folder);
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    fseek(f, ROBO__STORE_LINE + 40, SEEK_SET);
    fputc('X', f);
    fclose(f);
    open_store(0);
    has_lines(3, 1, 3);
    f = fopen(path, "r");
    assert_int_equal(fread(text, 1, sizeof text, f), sizeof text);
    fclose(f);
    assert_true(robo__store_read_line(text + ROBO__STORE_LINE, &line));
    assert_string_equal(line.source, "unknown");
    assert_true(line.time == INT64_C(1700000000123457)); /* that of the file */
    assert_true(robo__store_read_line(text + 2 * ROBO__STORE_LINE, &line));
    assert_string_equal(line.source, "r/c");
}

TEST(files_without_an_index_are_taken_in)
{
    uint8_t jpeg[200];
    make_jpeg(jpeg, sizeof jpeg, 7);
    write_file("000000000007.jpg", jpeg, sizeof jpeg, 0);
    write_file("000000000005.jpg", jpeg, sizeof jpeg, 0);
    write_file("holiday.jpg", jpeg, sizeof jpeg, 0);
    open_store(0);
    has_lines(2, 5, 7);
    keep(1, 5);
    has_lines(3, 5, 8);
}

TEST(a_file_of_the_last_number_leaves_the_others_to_pictures)
{
    uint8_t jpeg[200];
    make_jpeg(jpeg, sizeof jpeg, 7);
    write_file("999999999999.jpg", jpeg, sizeof jpeg, 0);
    open_store(0); /* where there is no other */
    assert_int_equal(pictures(), 0);
    assert_non_null(strstr(last_log, "999999999999.jpg is far ahead of the others"));
    keep(2, 5);
    has_lines(2, 1, 2);
    open_store(0); /* and behind others */
    assert_int_equal(keep(1, 7), 0);
    has_lines(3, 1, 3);
    assert_true(has_file("999999999999.jpg"));
}

TEST(what_is_no_whole_jpeg_is_left_alone_and_told)
{
    uint8_t jpeg[200];
    make_jpeg(jpeg, sizeof jpeg, 7);
    write_file("000000000007.jpg", jpeg, sizeof jpeg - 1, 0);
    write_file("000000000008.jpg", "", 0, 0);
    open_store(0);
    assert_int_equal(pictures(), 0);
    assert_non_null(strstr(last_log, "000000000007.jpg is no whole JPEG"));
    keep(1, 5);
    has_lines(1, 9, 9);
    assert_true(has_file("000000000007.jpg"));
}

TEST(a_damaged_picture_of_the_newest_loses_its_line)
{
    open_store(0);
    keep(3, 5);
    robo__store_close(store);
    store = NULL;
    char path[64];
    snprintf(path, sizeof path, "%s/000000000003.jpg", folder);
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    fputc(0, f);
    fclose(f);
    snprintf(path, sizeof path, "%s/000000000001.jpg", folder);
    assert_int_equal(truncate(path, 100), 0);
    open_store(0);
    has_lines(1, 2, 2);
    assert_int_equal(keep(1, 9), 0);
    has_lines(2, 2, 4);
}

TEST(lines_that_are_double_or_out_of_order_are_put_right)
{
    open_store(0);
    keep(3, 5);
    robo__store_close(store);
    store = NULL;
    char path[64], text[3 * ROBO__STORE_LINE];
    snprintf(path, sizeof path, "%s/index", folder);
    FILE *f = fopen(path, "r");
    assert_int_equal(fread(text, 1, sizeof text, f), sizeof text);
    fclose(f);
    unlink(path);
    write_file("index", text + 2 * ROBO__STORE_LINE, ROBO__STORE_LINE, O_APPEND);
    write_file("index", text, sizeof text, O_APPEND);
    open_store(0);
    has_lines(3, 1, 3);
}

/* ---- who only reads ---- */

TEST(a_list_has_the_pictures_of_the_index_that_are_there)
{
    int error;
    open_store(0);
    keep(5, 100);
    char path[64];
    snprintf(path, sizeof path, "%s/000000000003.jpg", folder);
    assert_int_equal(unlink(path), 0);
    write_file("index", "half a line", 11, O_APPEND);
    robo_image_list *list = robo_image_list_open(folder, &error, why); /* while the store is open */
    assert_non_null(list);
    assert_int_equal(robo_image_list_count(list), 4);
    assert_int_equal(robo_image_list_at(list, 0)->number, 1);
    assert_int_equal(robo_image_list_at(list, 2)->number, 4);
    assert_int_equal(robo_image_list_at(list, 3)->time, 104);
    assert_string_equal(robo_image_list_at(list, 3)->source, "r/c");
    assert_null(robo_image_list_at(list, 4));
    assert_int_equal(robo_image_list_until(list, 99), ROBO_ENONE);
    assert_int_equal(robo_image_list_until(list, 100), 0);
    assert_int_equal(robo_image_list_until(list, 102), 1);
    assert_int_equal(robo_image_list_until(list, 1000), 3);
    robo_image_list_close(list);
}

TEST(a_list_of_what_is_no_folder_of_pictures_says_where)
{
    int error;
    assert_null(robo_image_list_open(folder, &error, why));
    assert_int_equal(error, ROBO_ESYSTEM);
    assert_non_null(strstr(why, "/index: No such file or directory"));
    assert_null(robo_image_list_open("/nowhere/at/all", &error, why));
    assert_string_equal(why, "/nowhere/at/all: No such file or directory");
}
