/* The camera of a robot behind a Player server that shows pictures and tells nothing of the base: no commands can be given then, and who
 * looks sees, or hears that there is nothing to be seen. Real sockets, real clocks; nothing here measures time. */
#include "player_stand_in.h"

#include "../kept_log.h"
#include "../looks.h"

/* Of a camera that is silent. */
static int complaints(void)
{
    return logged("its camera has given no picture");
}

/* The server tells nothing of the base from the first. timeout: of data, s. */
static void enter(double timeout)
{
    static struct robo_camera eye = { .name = "eye", .width = 2, .height = 2, .rate = 100 };
    struct robo_description d = wears_all();
    d.cameras = 1;
    d.camera = &eye;
    const struct robo_options options = { .size = sizeof options, .log = on_log };
    forget_log();
    atomic_store(&tells, false);
    world = robo_open(&options);
    assert_int_equal(robo_add_drivers(world), 0);
    add_here(d, url, timeout);
}

/* It ends the first connection at once: who enters waits for no more. */
static void begin_by_the_second_connection(double timeout)
{
    open_stand_in();
    atomic_store(&away, true);
    enter(timeout);
    atomic_store(&shows, true);
    atomic_store(&away, false);
}

static int begin(void **state)
{
    begin_by_the_second_connection(600);
    return 0;
}

static int begin_impatient(void **state)
{
    begin_by_the_second_connection(0.2);
    return 0;
}

/* Who enters waits for the base as long as the driver does. */
static int begin_at_once(void **state)
{
    open_stand_in();
    enter(30);
    return 0;
}

/* 0, a picture; or the error. */
static int look(void)
{
    struct onlooker o;
    look_at(&o, here, (struct robo__form){ .format = ROBO_RGB });
    EVENTUALLY(is_answered(&o));
    return look_away(&o);
}

FIXTURE(begin_impatient, end);

TEST(a_camera_whose_base_tells_nothing_has_no_picture_once_the_link_is_lost, begin, end)
{
    EVENTUALLY(look() == 0);
    assert_false(is_ready());
    atomic_store(&away, true);
    atomic_store(&cuts, true);
    EVENTUALLY(look() == ROBO_EDEVICE); /* and not what was shown before */
}

TEST(a_camera_that_falls_silent_while_the_base_tells_nothing_has_no_picture)
{
    EVENTUALLY(look() == 0);
    atomic_store(&shows, false);
    EVENTUALLY(look() == ROBO_EDEVICE);
    EVENTUALLY(complaints() == 1);
    atomic_store(&shows, true);
    EVENTUALLY(look() == 0);
    assert_false(is_ready());
}

TEST(nobody_complains_of_a_camera_that_has_just_been_opened, begin_at_once, end)
{
    EVENTUALLY(newest() > 0); /* all is open */
    atomic_store(&shows, true);
    EVENTUALLY(look() == 0);
    assert_int_equal(complaints(), 0);
}

static const char NOTHING[] = "position2d:0 has told nothing for longer than its timeout";

TEST(a_base_that_tells_nothing_is_waited_for_which_is_said_once)
{
    EVENTUALLY(logged(NOTHING) == 1);
    const unsigned c = newest();
    EVENTUALLY(look() == 0); /* the same connection goes on, for who looks */
    assert_int_equal(newest(), c);
    atomic_store(&tells, true);
    EVENTUALLY(is_ready());
    assert_int_equal(newest(), c);
    assert_int_equal(logged(NOTHING), 1);
}

/* As one that has gone without a word, behind a link that was cut. */
TEST(a_server_that_tells_nothing_at_all_is_left_and_connected_to_anew)
{
    atomic_store(&mum, true);
    atomic_store(&shows, false);
    atomic_store(&tells_head, false);
    EVENTUALLY(newest() > 2);
    assert_int_equal(logged(NOTHING), 1);
    atomic_store(&tells, true);
    atomic_store(&tells_head, true);
    EVENTUALLY(is_ready());
}
