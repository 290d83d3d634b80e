/* The driver folder: what it shows when files are bad, and what it says of them in the log. */
#include <sys/stat.h>
#include <unistd.h>

#include "fixture_core.h"
#include "../base_robot.h"
#include "../kept_log.h"
#include "../looks.h"
#include "picture/jpeg.h"
#include "drivers.h"

static robo_world *here;
static robo_robot *reader;
static char folder[64];

static void write_file(const char *name, const uint8_t *bytes, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static void write_good(const char *name)
{
    uint8_t pixels[64] = { 0 }, *jpeg = NULL;
    size_t room = 0;
    const struct robo_picture p = {
        .width = 8, .height = 8, .format = ROBO_GRAY, .size = 64, .bytes = pixels
    };
    const ptrdiff_t n = robo__jpeg_encode(&p, 1, 80, &jpeg, &room);
    assert_true(n > 0);
    write_file(name, jpeg, (size_t)n);
    free(jpeg);
}

static void write_bad(const char *name)
{
    write_file(name, (const uint8_t *)"no", 2);
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/folder_test_XXXXXX");
    forget_log();
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    for (const char *name = "abcdef"; *name; name++)
        remove_file((char[]){ *name, '.', 'j', 'p', 'g', '\0' });
    remove_file("note.txt");
    remove_file(".hidden");
    return rmdir(folder);
}

/* A robot whose camera sees that folder, ten pictures a second. */
static void begin(const char *path)
{
    struct robo_camera camera = { .name = "eye", .width = 8, .height = 8, .rate = 10 };
    const struct robo_option option = { .name = "folder",
                                        .type = ROBO_OPTION_TEXT,
                                        .value.text = path };
    struct robo_description d = base_robot("reader", "folder");
    d.device[0].options = 1;
    d.device[0].option = &option;
    d.cameras = 1;
    d.camera = &camera;
    here = robo_open(&(struct robo_options){
        .size = sizeof(struct robo_options), .virtual_clock = 1, .log = on_log });
    assert_non_null(here);
    assert_int_equal(robo_add_driver(here, &robo_folder_driver), 0);
    assert_int_equal(robo_add(here, &d, &reader), 0);
}

static void end(void)
{
    robo_release(reader);
    robo_close(here);
}

/* The number of the newest picture, or the error, 0.1 s later. */
static int64_t look(void)
{
    robo_advance(here, robo_now(here) + S(0.1));
    return number_seen(reader, ROBO_JPEG, 80);
}

FIXTURE(make_folder, remove_folder);

TEST(what_is_wrong_is_told_once_until_it_was_right)
{
    write_good("a.jpg");
    write_bad("b.jpg");
    write_bad("note.txt");
    write_bad(".hidden");
    begin(folder);
    for (int64_t i = 1; i <= 5; i++)
        assert_int_equal(look(), i);
    assert_int_equal(logged("b.jpg: it is no JPEG, or a damaged one\n"), 1);
    assert_int_equal(logged("note.txt: left out, since its name does not end in .jpg or .jpeg\n"),
                     1);
    assert_int_equal(logged("hidden"), 0);
    remove_file("b.jpg");
    remove_file("note.txt");
    for (int64_t i = 6; i <= 9; i++)
        assert_int_equal(look(), i);
    write_bad("b.jpg");
    for (int64_t i = 10; i <= 14; i++)
        assert_int_equal(look(), i);
    assert_int_equal(logged("b.jpg: it is no JPEG, or a damaged one\n"), 2);
    end();
}

TEST(a_folder_without_pictures_says_so_at_once)
{
    begin("/nowhere");
    assert_int_equal(logged("folder: /nowhere: No such file or directory\n"), 1);
    assert_int_equal(look(), ROBO_EDEVICE);
    end();
    begin(folder);
    assert_int_equal(logged("there are no JPEG files in it\n"), 1);
    assert_int_equal(look(), ROBO_EDEVICE);
    assert_int_equal(logged("\n"), 2);
    end();
}

TEST(it_goes_on_when_the_last_of_a_round_are_bad)
{
    write_good("a.jpg");
    for (const char *name = "bcdef"; *name; name++)
        write_bad((char[]){ *name, '.', 'j', 'p', 'g', '\0' });
    begin(folder);
    int64_t before = 0;
    for (int i = 0; i < 8; i++) {
        const int64_t got = look();
        assert_true(got == before || got == before + 1);
        before = got;
    }
    assert_true(before > 2);
    remove_file("a.jpg");
    for (int i = 0; i < 5; i++)
        before = look();
    assert_int_equal(before, ROBO_EDEVICE);
    end();
}
