/* The camera of a robot behind another one's Player server: what who looks first has, and who looks when the server has gone. Real
 * sockets, real clocks; nothing here measures time. */
#include "player_served.h"

#include <stdatomic.h>
#include <string.h>

#include "../eye_driver.h"
#include "../looks.h"
#include "camera/test_card.h"

static atomic_bool frozen; /* the server's camera has failed */

/* A test card, unless it is frozen. */
static int take_picture(void *state, robo_device *device, unsigned number, int wanted)
{
    return atomic_load(&frozen) ? ROBO_EDEVICE : robo__card_picture(state, device, number, wanted);
}

/* A base with a camera. */
static struct robo_description sees(const char *driver)
{
    static struct robo_camera eye = { .name = "eye", .width = 32, .height = 24, .rate = 100 };
    struct robo_description d = base_robot("rex", driver);
    d.cameras = 1;
    d.camera = &eye;
    return d;
}

static int begin(void **state)
{
    struct robo_description d = sees("sim");
    struct robo_camera eye = d.camera[0];
    eye.device = 1;
    d.camera = &eye;
    d.devices = 2;
    strcpy(d.device[1].driver, "freezing");
    open_worlds();
    const robo_driver freezing = eye_driver("freezing", NULL, take_picture);
    assert_int_equal(robo_add_driver(far_world, &freezing), 0);
    atomic_store(&frozen, false);
    there = add(far_world, &d);
    serve("player://127.0.0.1:0?rate=50");
    add_here(sees("player"), address, 1);
    return 0;
}

static int end(void **state)
{
    close_world_here();
    close_world_there();
    return 0;
}

/* Waits for the answer: 0, a picture; or the error. */
static int look(void)
{
    struct onlooker o;
    look_at(&o, here, (struct robo__form){ .format = ROBO_JPEG, .quality = 50 });
    EVENTUALLY(is_answered(&o));
    return look_away(&o);
}

FIXTURE(begin, end);

TEST(who_looks_first_waits_for_a_picture_and_has_none_once_the_link_is_lost)
{
    assert_int_equal(look(), 0);
    unserve();
    EVENTUALLY(look() == ROBO_EDEVICE); /* and not what was shown before */
}

TEST(a_camera_that_falls_silent_while_the_base_goes_on_has_no_picture)
{
    assert_int_equal(look(), 0);
    atomic_store(&frozen, true);
    EVENTUALLY(look() == ROBO_EDEVICE);
    atomic_store(&frozen, false);
    EVENTUALLY(look() == 0);
    unserve();
}
