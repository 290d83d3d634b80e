/* A sender of pictures and the server that keeps them, in one virtual world: the connection between them is in memory, and can be cut. */
#include "fixture_images.h"

#include "net/loop.h"

static robo_loop *loop;
static robo_image_sender *sender;
static uint8_t jpeg[1000];
static int changes;

static void on_changed(void *owner)
{
    changes++;
}

static int open_loop(void **state)
{
    make_jpeg(jpeg, sizeof jpeg, 7);
    changes = 0;
    sender = NULL;
    if (open_fixture_with(false, 1) < 0 || open_images_in(world) < 0)
        return -1;
    loop = robo_loop_open(world);
    return loop && robo_loop_use_images(loop, images) == 0 ? 0 : -1;
}

static int close_loop(void **state)
{
    robo_image_sender_close(sender);
    robo_loop_close(loop);
    const int error = close_fixture(state);
    close_images();
    return error;
}

static void dial(const char *url, int lossless, unsigned window)
{
    const struct robo_image_sender_options options = {
        .size = sizeof options, .lossless = lossless, .window = window, .changed = on_changed
    };
    char why[256];
    sender = robo_image_sender_open(loop, url, &options, NULL, why);
    assert_non_null(sender);
}

static struct robo_image_sender_state look(void)
{
    struct robo_image_sender_state s;
    robo_image_sender_look(sender, &s);
    return s;
}

static int put(void)
{
    return robo_image_sender_put(sender, jpeg, sizeof jpeg, NULL);
}

/* The server's pictures are kept by nobody from now on, or again: it hangs up on who comes. */
static void server_is_there(bool there)
{
    assert_int_equal(robo_loop_use_images(loop, there ? images : NULL), 0);
}

FIXTURE(open_loop, close_loop);

TEST(a_picture_goes_and_is_answered)
{
    dial("images://host/pioneer2/camera", 0, 0);
    assert_true(look().up);
    assert_int_equal(put(), 0);
    run_for(0.1);
    assert_int_equal(look().sent, 1);
    assert_int_equal(look().kept, 1);
    assert_int_equal(look().waiting, 0);
    assert_string_equal(newest().source, "pioneer2/camera");
    assert_int_equal(newest().size, sizeof jpeg);
}

TEST(a_name_goes_before_the_picture_that_it_is_new_for)
{
    dial("images://host", 0, 0);
    put();
    run_for(0.1);
    assert_string_equal(newest().source, "unknown");
    assert_int_equal(robo_image_sender_put(sender, jpeg, sizeof jpeg, "a/b"), 0);
    run_for(0.1);
    assert_string_equal(newest().source, "a/b");
    put();
    run_for(0.1);
    assert_string_equal(newest().source, "a/b");
    assert_int_equal(robo_image_sender_put(sender, jpeg, sizeof jpeg, "a b"), ROBO_EINVAL);
    assert_int_equal(robo_image_sender_put(sender, jpeg, 0, NULL), ROBO_ESIZE);
    assert_int_equal(counts().kept, 3);
}

TEST(what_is_no_jpeg_counts_as_refused)
{
    dial("images://host", 0, 0);
    assert_int_equal(robo_image_sender_put(sender, "GIF8", 4, NULL), 0);
    run_for(0.1);
    assert_int_equal(look().refused, 1);
    assert_int_equal(look().kept, 0);
}

TEST(while_nobody_is_there_the_newest_waits)
{
    server_is_there(false);
    dial("images://host", 0, 0);
    for (int i = 0; i < 5; i++)
        put();
    run_for(1);
    assert_false(look().up);
    assert_int_equal(look().skipped, 4);
    assert_int_equal(look().waiting, 1);
    assert_int_equal(look().error, ROBO_ENONE);
    server_is_there(true);
    run_for(10);
    assert_int_equal(look().kept, 1);
    assert_int_equal(look().error, 0);
    assert_int_equal(counts().kept, 1);
}

TEST(a_lossless_one_leaves_out_none)
{
    server_is_there(false);
    dial("images://host", 1, 3);
    assert_int_equal(put(), 0);
    assert_int_equal(put(), 0);
    assert_int_equal(put(), 0);
    assert_int_equal(put(), ROBO_EFULL);
    server_is_there(true);
    run_for(10);
    assert_int_equal(look().kept, 3);
    assert_int_equal(look().skipped, 0);
    assert_int_equal(put(), 0);
    run_for(0.1);
    assert_int_equal(counts().kept, 4);
}

TEST(a_lossless_one_has_no_more_than_64_mib)
{
    static uint8_t large[ROBO_IMAGE_MOST];
    server_is_there(false);
    dial("images://host", 1, 64);
    for (int i = 0; i < 4; i++)
        assert_int_equal(robo_image_sender_put(sender, large, sizeof large, NULL), 0);
    assert_int_equal(put(), ROBO_EFULL); /* nor one that is small */
    assert_int_equal(look().waiting, 4);
}

TEST(it_tells_when_something_has_moved_last)
{
    dial("images://host", 1, 4);
    run_for(5);
    put();
    const robo_time went = robo_now(world);
    assert_true(look().moved == went);
    run_for(0.1);
    assert_int_equal(look().kept, 1);
    const robo_time answered = look().moved;
    assert_true(answered >= went && answered <= robo_now(world));
    run_for(5);
    assert_true(look().moved == answered);
}

TEST(attempts_to_connect_become_fewer)
{
    server_is_there(false);
    dial("images://host", 0, 0);
    run_for(60);
    /* 0.1, 0.2, … 3.2 s apart, then 5 s: each has a line in the server's log */
    assert_in_range(logs, 15, 20);
}

TEST(changes_are_told_once_until_somebody_looks)
{
    dial("images://host", 0, 0);
    const int before = changes;
    for (int i = 0; i < 5; i++) {
        put();
        run_for(0.1);
    }
    assert_in_range(changes - before, 0, 1);
    look();
    put();
    run_for(0.1);
    assert_in_range(changes - before, 1, 2);
}

TEST(addresses_of_others_are_none)
{
    const struct robo_image_sender_options options = { .size = sizeof options };
    char why[256];
    int error;
    assert_null(robo_image_sender_open(loop, "robotalk://host", &options, &error, why));
    assert_int_equal(error, ROBO_EURL);
    assert_non_null(strstr(why, "expected an address of an image server, images://HOST"));
    assert_null(robo_image_sender_open(loop, "nowhere://host", &options, &error, why));
    assert_int_equal(error, ROBO_EURL);
    assert_null(robo_image_sender_open(loop, "images://host/ro bot/cam", &options, &error, why));
    assert_int_equal(error, ROBO_EURL);
    assert_string_equal(why, "ro bot/cam: a source's name has 1 to 79 letters, no blanks");
    const struct robo_image_sender_options named = { .size = sizeof named, .name = "a b" };
    assert_null(robo_image_sender_open(loop, "images://host", &named, &error, why));
    assert_int_equal(error, ROBO_EINVAL);
    assert_string_equal(why, "name: a source's name has 1 to 79 letters, no blanks");
}
