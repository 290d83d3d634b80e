/* The client's side of Player's protocol, by bytes as the specification has them: a stand-in for a server that says what a test wants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "player/far.h"

#define S(seconds) ((robo_time)((seconds)*1e9))

static const char BANNER[32] = "Player v.3.1.1-dev";

static struct {
    int count;
    enum robo__far_role role;
    uint8_t type, subtype;
    struct robo__player_body body;
} told;

static void heard(void *owner, enum robo__far_role role, const struct robo__player_header *header,
                  const struct robo__player_body *body)
{
    assert_ptr_equal(owner, &told);
    told.count++;
    told.role = role;
    told.type = header->type;
    told.subtype = header->subtype;
    told.body = *body;
}

static struct robo__far far_with(bool base, bool head)
{
    struct robo__far far = { .motors = true, .owner = &told, .heard = heard };
    memset(&told, 0, sizeof told);
    if (base)
        far.device[ROBO__FAR_BASE] = (struct robo__far_device){ 4, 0 };
    if (head)
        far.device[ROBO__FAR_HEAD] = (struct robo__far_device){ 8, 2 };
    robo__far_begin(&far);
    return far;
}

static size_t bytes_of(const char *hex, uint8_t *out)
{
    size_t n = 0;
    unsigned x;
    int used;
    while (sscanf(hex, " %2x%n", &x, &used) == 1) {
        out[n++] = (uint8_t)x;
        hex += used;
    }
    return n;
}

static ptrdiff_t feed(struct robo__far *far, const char *hex)
{
    static uint8_t bytes[1024];
    const size_t n = bytes_of(hex, bytes);
    return robo__far_feed(far, bytes, n, S(1));
}

/* The next thing that it asks is these bytes; "": nothing. */
static void expect_asked(struct robo__far *far, robo_time now, const char *hex)
{
    uint8_t out[ROBO__FAR_SENT], golden[ROBO__FAR_SENT];
    const size_t n = bytes_of(hex, golden);
    assert_int_equal(robo__far_next(far, now, out), n);
    assert_memory_equal(out, golden, n);
}

/* host, robot; interface, index, type, subtype; timestamp; seq; size */
#define HEAD(interf, index, type, subtype, size)                                       \
    "0100007f 00001a09 000000" interf " 000000" index " 000000" type " 000000" subtype \
    " 41da000000000000 00000000 000000" size " "
#define ASKED(interf, index, type, subtype, size)                                      \
    "00000000 00000000 000000" interf " 000000" index " 000000" type " 000000" subtype \
    " 0000000000000000 00000000 000000" size " "
/* a driver's name is p2os; its NUL counts */
#define OPENED(interf, index)                         \
    HEAD("01", "00", "04", "03", "24")                \
    "0100007f 00001a09 000000" interf " 000000" index \
    " 00000001 00000005 00000005 70326f73 00000000"

static void test_devices_are_opened_one_after_the_other_and_then_the_motors(void **state)
{
    (void)state;
    struct robo__far far = far_with(true, true);
    expect_asked(&far, S(1), ""); /* nothing before the banner */
    assert_int_equal(robo__far_feed(&far, (const uint8_t *)BANNER, 31, S(1)), 0);
    assert_int_equal(robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1)), 32);
    expect_asked(&far, S(1),
                 ASKED("01", "00", "03", "03",
                       "1c") "00000000 00000000 00000004 00000000 00000001 00000000 00000000");
    expect_asked(&far, S(2), ""); /* one request at a time */
    feed(&far, OPENED("04", "00"));
    expect_asked(&far, S(2),
                 ASKED("01", "00", "03", "03",
                       "1c") "00000000 00000000 00000008 00000002 00000001 00000000 00000000");
    feed(&far, OPENED("08", "02"));
    expect_asked(&far, S(2), ASKED("04", "00", "03", "02", "04") "00000001");
    feed(&far, HEAD("04", "00", "04", "02", "00"));
    expect_asked(&far, S(2), ASKED("04", "00", "03", "01", "00"));
    assert_false(far.ready);
    feed(&far, HEAD("04", "00", "06", "01", "00")); /* no geometry: that does not matter */
    expect_asked(&far, S(2), "");
    assert_true(far.ready);
}

static void test_a_reply_that_does_not_come_ends_what_cannot_do_without(void **state)
{
    (void)state;
    struct robo__far far = far_with(true, false);
    uint8_t out[ROBO__FAR_SENT];
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    assert_true(robo__far_next(&far, S(1), out) > 0);
    assert_int_equal(robo__far_next(&far, S(5.9), out), 0);
    assert_int_equal(robo__far_next(&far, S(6), out), -1);
    assert_string_equal(far.why, "no reply to the subscription of position2d:0");
    far = far_with(true, false);
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    robo__far_next(&far, S(1), out);
    feed(&far, OPENED("04", "00"));
    assert_true(robo__far_next(&far, S(1), out) > 0); /* motors */
    assert_true(robo__far_next(&far, S(7), out) > 0); /* geometry */
    assert_int_equal(robo__far_next(&far, S(13), out), 0);
    assert_true(far.ready);
}

static void test_a_device_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct robo__far far = far_with(true, false);
    uint8_t out[ROBO__FAR_SENT];
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    robo__far_next(&far, S(1), out);
    /* refused: the body is the request with access 3 */
    assert_int_equal(
        feed(&far, HEAD("01", "00", "06", "03",
                        "1c") "0100007f 00001a09 00000004 00000000 00000003 00000000 00000000"),
        -1);
    assert_string_equal(far.why, "the server has no position2d:0");
    far = far_with(true, false);
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    robo__far_next(&far, S(1), out);
    assert_int_equal(
        feed(&far, HEAD("01", "00", "04", "03",
                        "1c") "0100007f 00001a09 00000004 00000000 00000003 00000000 00000000"),
        -1);
    assert_string_equal(far.why, "the server cannot open position2d:0");
}

static void test_without_a_sensor_it_goes_on(void **state)
{
    (void)state;
    struct robo__far far = far_with(true, false);
    uint8_t out[ROBO__FAR_SENT];
    far.motors = false;
    far.device[ROBO__FAR_SONAR] = (struct robo__far_device){ 5, 0 };
    far.device[ROBO__FAR_POWER] = (struct robo__far_device){ 2, 0 };
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    robo__far_next(&far, S(1), out);
    feed(&far, OPENED("04", "00"));
    assert_true(robo__far_next(&far, S(1), out) > 0); /* sonar */
    feed(&far, HEAD("01", "00", "06", "03",
                    "1c") "0100007f 00001a09 00000005 00000000 00000003 00000000 00000000");
    assert_true(robo__far_next(&far, S(1), out) > 0); /* power: no reply */
    assert_true(robo__far_next(&far, S(7), out) > 0); /* geometry */
    feed(&far, HEAD("04", "00", "06", "01", "00"));
    assert_int_equal(robo__far_next(&far, S(7), out), 0);
    assert_true(far.ready);
    assert_int_equal(far.missing, 1 << ROBO__FAR_SONAR | 1 << ROBO__FAR_POWER);
    assert_int_equal(far.opened, 1 << ROBO__FAR_BASE);
}

/* 1 m, 2 m, 0.5 rad; 0.25 m/s; no stall */
static const char DATA[] = HEAD("04", "00", "01", "01",
                                "34") "3ff0000000000000 4000000000000000 3fe0000000000000"
                                      "3fd0000000000000 0000000000000000 0000000000000000 00000000";

static void test_data_are_handed_on_wherever_they_are_cut(void **state)
{
    (void)state;
    uint8_t bytes[256];
    const size_t n = bytes_of(DATA, bytes);
    for (size_t cut = 0; cut <= n; cut++) {
        struct robo__far far = far_with(true, false);
        robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
        const ptrdiff_t used = robo__far_feed(&far, bytes, cut, S(1));
        assert_int_equal(used, cut == n ? n : 0);
        assert_int_equal(robo__far_feed(&far, bytes + used, n - (size_t)used, S(1)), n - used);
        assert_int_equal(told.count, 1);
        assert_int_equal(told.role, ROBO__FAR_BASE);
        assert_true(told.body.value[1] == 2 && told.body.value[3] == 0.25);
    }
}

static void test_what_is_for_nobody_or_malformed_is_counted(void **state)
{
    (void)state;
    struct robo__far far = far_with(true, false);
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    assert_true(feed(&far, HEAD("07", "00", "01", "01", "04") "00000001") > 0); /* blobfinder */
    assert_true(feed(&far, HEAD("04", "00", "01", "01", "04") "00000001") > 0); /* too short */
    assert_int_equal(far.ignored, 2);
    assert_true(feed(&far, HEAD("04", "01", "01", "02", "00")) > 0); /* position2d:1 */
    assert_int_equal(told.count, 0);
}

static void test_what_is_no_server_of_player_is_told_from_one(void **state)
{
    (void)state;
    struct robo__far far = far_with(true, false);
    assert_int_equal(robo__far_feed(&far, (const uint8_t *)"SSH-2.0-x\r\n", 11, S(1)), -1);
    assert_string_equal(far.why, "it does not begin as a server of Player does");
    far = far_with(true, false);
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    assert_int_equal(feed(&far, "00000000 00000000 00000028 00000000 00000001 00000001"
                                "0000000000000000 00000000 00800000"),
                     -1);
    assert_string_equal(far.why, "a header: byte 36: expected a body of at most 4 MiB");
}

static void test_devices_are_written_as_in_player(void **state)
{
    (void)state;
    struct robo__far_device d;
    assert_true(robo__far_parse(ROBO__FAR_SONAR, "ranger:3", &d));
    assert_true(d.interf == 62 && d.index == 3);
    assert_true(robo__far_parse(ROBO__FAR_BASE, "position2d", &d));
    assert_true(d.interf == 4 && d.index == 0);
    static const char *const wrong[] = { "",
                                         "ptz:0",
                                         "position2d:",
                                         "position2d:x",
                                         "position2d:-1",
                                         "position2d:65536",
                                         "position2d:1 ",
                                         ":1",
                                         "sonar:0" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(robo__far_parse(ROBO__FAR_BASE, wrong[i], &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices_are_opened_one_after_the_other_and_then_the_motors),
        cmocka_unit_test(test_a_reply_that_does_not_come_ends_what_cannot_do_without),
        cmocka_unit_test(test_a_device_that_is_not_there_is_named),
        cmocka_unit_test(test_without_a_sensor_it_goes_on),
        cmocka_unit_test(test_data_are_handed_on_wherever_they_are_cut),
        cmocka_unit_test(test_what_is_for_nobody_or_malformed_is_counted),
        cmocka_unit_test(test_what_is_no_server_of_player_is_told_from_one),
        cmocka_unit_test(test_devices_are_written_as_in_player),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
