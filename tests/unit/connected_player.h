/* The driver of a robot behind a Player server in a virtual world, on a connection that stands: the server is what a test reads of a
 * socket, and what it lets the driver hear. The robot has a base, a head and a gripper. */
#pragma once

#include "fixture_core.h"
#include "../base_robot.h"
#include "../head_and_gripper.h"

#include <sys/socket.h>
#include <unistd.h>

#include "player/link.h"
#include "drivers.h"

enum { BASE = ROBO__PLAYER_POSITION2D, HEAD = ROBO__PLAYER_PTZ, CLAW = ROBO__PLAYER_GRIPPER };
enum { CMD = ROBO__PLAYER_CMD, REQ = ROBO__PLAYER_REQ, MOST = 256 };

static struct robo__player_link *link_; /* of the robot's device */
static int far_end;
static struct robo__session *session;

/* ---- the server ---- */

static struct said {
    unsigned interf, type, subtype;
    double value[8];
} said[MOST];
static unsigned saids;

/* Notes the whole messages among those bytes; how many bytes they were. */
UNUSED static size_t note_said(const uint8_t *in, size_t n)
{
    struct robo__player_header h;
    const char *why;
    size_t at = 0;
    for (; n - at >= ROBO__PLAYER_HEADER; at += ROBO__PLAYER_HEADER + h.size) {
        struct robo__player_body body = { .values = 0 };
        struct robo__player_mistake mistake;
        assert_true(robo__player_get_header(in + at, &h, &why));
        if (n - at - ROBO__PLAYER_HEADER < h.size)
            break;
        const struct robo__player_kind *kind = robo__player_kind_of(h.interf, h.type, h.subtype);
        assert_true(kind && robo__player_decode(kind->body, in + at + ROBO__PLAYER_HEADER, h.size,
                                                &body, &mistake));
        assert_true(saids < MOST);
        said[saids] = (struct said){ .interf = h.interf, .type = h.type, .subtype = h.subtype };
        memcpy(said[saids++].value, body.value, sizeof said[0].value);
    }
    return at;
}

/* All that was said since the last time, what waits for the server too. */
UNUSED static void read_said(void)
{
    uint8_t in[1 << 12];
    size_t count = 0;
    ssize_t n;
    saids = 0;
    while ((n = recv(far_end, in + count, sizeof in - count, MSG_DONTWAIT)) > 0) {
        count += (size_t)n;
        const size_t used = note_said(in, count);
        count -= used;
        memmove(in, in + used, count);
        robo__outbox_flush(&link_->out);
    }
    assert_true(count == 0 && link_->out.frames == 0);
}

/* The newest of those messages; NULL: there is none. */
UNUSED static const struct said *newest(unsigned interf, unsigned type, unsigned subtype)
{
    const struct said *found = NULL;
    for (unsigned i = 0; i < saids; i++)
        if (said[i].interf == interf && said[i].type == type && said[i].subtype == subtype)
            found = &said[i];
    return found;
}

UNUSED static void tell(enum robo__far_role role, unsigned interf, struct robo__player_body body)
{
    const struct robo__player_header header = { .interf = (uint16_t)interf,
                                                .type = ROBO__PLAYER_DATA,
                                                .subtype = 1 };
    robo__link_hear(link_, role, &header, &body);
}

UNUSED static void tell_base(double x, double y, double theta)
{
    tell(ROBO__FAR_BASE, BASE, (struct robo__player_body){ .value = { x, y, theta } });
}

UNUSED static void tell_head(double pan, double tilt, double zoom)
{
    tell(ROBO__FAR_HEAD, HEAD, (struct robo__player_body){ .value = { pan, tilt, zoom } });
}

UNUSED static void tell_gripper(unsigned state, unsigned beams)
{
    tell(ROBO__FAR_GRIPPER, CLAW, (struct robo__player_body){ .value = { state, beams } });
}

/* ---- the robot ---- */

/* A connection that stands already, without a thread. */
UNUSED static int open_connected(void *state, robo_device *device, robo_time now)
{
    const struct robo_description *d = robo_device_description(device);
    char why[128];
    int ends[2];
    const int least = 1; /* the server has as little room as can be */
    link_ = state;
    link_->device = device;
    link_->wake = -1;
    link_->ready = link_->tried = true;
    pthread_mutex_init(&link_->lock, NULL);
    pthread_cond_init(&link_->woke, NULL);
    assert_int_equal(robo__bind_read(d, 0, &link_->bind, why), 0);
    memcpy(link_->far.device, link_->bind.device, sizeof link_->far.device);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof least), 0);
    link_->fd = ends[0];
    far_end = ends[1];
    robo__outbox_init(&link_->out, link_->fd);
    return 0;
}

/* What it has said last can still be looked at. */
UNUSED static void close_connected(void *state)
{
    read_said();
    close(link_->fd);
    close(far_end);
    robo__link_close(state);
}

/* A base, a head and a gripper. bare: none of the server's devices is wanted for them. */
UNUSED static int begin_with(bool bare)
{
    static robo_driver driver;
    const struct robo_option option[] = {
        { .name = "url", .type = ROBO_OPTION_TEXT, .value.text = "player://nowhere" },
        { .name = "position", .type = ROBO_OPTION_TEXT, .value.text = "" },
        { .name = "head", .type = ROBO_OPTION_TEXT, .value.text = "" },
        { .name = "gripper", .type = ROBO_OPTION_TEXT, .value.text = "" },
    };
    struct robo_description d = base_robot("rex", "connected");
    const struct robo_options options = virtual_options(1);
    wear_head_and_gripper(&d);
    d.device[0].option = option;
    d.device[0].options = bare ? 4 : 1;
    driver = robo_player_driver;
    driver.name = "connected";
    driver.open = open_connected;
    driver.close = close_connected;
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    session = open_session(NULL, NULL);
    return 0;
}

UNUSED static int begin(void **state)
{
    return begin_with(false);
}

UNUSED static int begin_bare(void **state)
{
    return begin_with(true);
}

UNUSED static int end(void **state)
{
    robo__session_close(session);
    robo_release(robot);
    return close_fixture(state);
}

UNUSED static const struct robo_cmd HEAD_UP = { .op = ROBO_SET_JOINT,
                                                .start = ROBO_AT_ONCE,
                                                .body.servo = { .joint = 1,
                                                                .mask = 3,
                                                                .value = { 0.5, 0.25 } } },
                                    HOME = { .op = ROBO_HOME, .start = ROBO_AT_ONCE },
                                    GRASP = { .op = ROBO_SET_JOINT,
                                              .start = ROBO_AT_ONCE,
                                              .body.servo = { .joint = 2, .mask = 1 } };

/* What was heard goes by the real clock: as if it had come so much earlier. */
UNUSED static const robo_time SILENCE = 10 * INT64_C(1000000000);
