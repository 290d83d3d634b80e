/* The client's side of Player's protocol, by bytes as the specification has them: a stand-in for a server that says what a test wants. */
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "../hex.h"
#include "player/client_wire.h"

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

static unsigned malformed_count;

static void malformed(void *owner, enum robo__far_role role,
                      const struct robo__player_header *header,
                      const struct robo__player_mistake *mistake)
{
    assert_ptr_equal(owner, &told);
    assert_int_equal(role, ROBO__FAR_BASE);
    assert_true(header->interf == 4 && header->index == 0);
    assert_int_equal(mistake->at, 0);
    assert_string_equal(mistake->why, "expected 8 more bytes");
    malformed_count++;
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

TEST(devices_are_opened_one_after_the_other_and_then_the_motors)
{
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

TEST(a_late_answer_to_a_subscription_changes_nothing)
{
    static const char *const late[] = {
        HEAD("01", "00", "06", "03", "1c") "0100007f 00001a09 00000004 00000000 00000003 00000000 "
                                           "00000000",
        HEAD("01", "00", "06", "03", "00"),
        OPENED("04", "00"),
    };
    for (size_t i = 0; i < sizeof late / sizeof late[0]; i++) {
        struct robo__far far = far_with(true, false);
        far.device[ROBO__FAR_SONAR] = (struct robo__far_device){ 5, 0 };
        uint8_t out[ROBO__FAR_SENT];
        robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
        assert_true(robo__far_next(&far, S(1), out) > 0);
        feed(&far, OPENED("04", "00"));
        assert_true(robo__far_next(&far, S(1), out) > 0); /* sonar */
        feed(&far, OPENED("05", "00"));
        assert_true(robo__far_next(&far, S(1), out) > 0); /* motors */
        assert_true(feed(&far, late[i]) > 0);             /* behind the last device */
        assert_int_equal(robo__far_next(&far, S(1), out), 0);
        feed(&far, HEAD("04", "00", "04", "02", "00"));
        assert_true(robo__far_next(&far, S(1), out) > 0); /* geometry */
        feed(&far, HEAD("04", "00", "06", "01", "00"));
        assert_int_equal(robo__far_next(&far, S(1), out), 0);
        assert_true(feed(&far, late[i]) > 0); /* behind all requests */
        assert_true(far.ready);
        assert_int_equal(far.opened, 1 << ROBO__FAR_BASE | 1 << ROBO__FAR_SONAR);
        assert_int_equal(far.missing, 0);
    }
}

/* Whether or not they are to be switched on at other times. */
TEST(motors_that_a_panic_has_switched_off_are_switched_off_anew)
{
    struct robo__far far = far_with(true, false);
    far.motors = false;
    far.limp = true;
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    expect_asked(&far, S(1),
                 ASKED("01", "00", "03", "03",
                       "1c") "00000000 00000000 00000004 00000000 00000001 00000000 00000000");
    feed(&far, OPENED("04", "00"));
    expect_asked(&far, S(1), ASKED("04", "00", "03", "02", "04") "00000000");
}

/* Where a device that must be there is named, or said not to be. */
#define ELSEWHERE \
    "; position in the driver's table of the descriptor names another one, or \"\" for none"

TEST(a_reply_that_does_not_come_ends_what_cannot_do_without)
{
    struct robo__far far = far_with(true, false);
    uint8_t out[ROBO__FAR_SENT];
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    assert_true(robo__far_next(&far, S(1), out) > 0);
    assert_int_equal(robo__far_next(&far, S(5.9), out), 0);
    assert_int_equal(robo__far_next(&far, S(6), out), -1);
    assert_string_equal(far.why, "no reply to the subscription of position2d:0" ELSEWHERE);
    far = far_with(true, false);
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    robo__far_next(&far, S(1), out);
    feed(&far, OPENED("04", "00"));
    assert_true(robo__far_next(&far, S(1), out) > 0); /* motors */
    assert_true(robo__far_next(&far, S(7), out) > 0); /* geometry */
    assert_int_equal(robo__far_next(&far, S(13), out), 0);
    assert_true(far.ready);
}

/* It may be anything that takes connections. */
TEST(a_server_that_does_not_greet_is_given_up)
{
    struct robo__far far = far_with(true, false);
    uint8_t out[ROBO__FAR_SENT];
    assert_int_equal(robo__far_next(&far, S(1), out), 0);
    assert_int_equal(robo__far_feed(&far, (const uint8_t *)BANNER, 31, S(5)), 0);
    assert_int_equal(robo__far_next(&far, S(5.9), out), 0);
    assert_int_equal(robo__far_next(&far, S(6), out), -1);
    assert_string_equal(far.why, "it does not greet as a server of Player does");
    far = far_with(true, false);
    assert_int_equal(robo__far_next(&far, S(1), out), 0);
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(5));
    assert_true(robo__far_next(&far, S(7), out) > 0);
    assert_int_equal(robo__far_next(&far, S(11.9), out), 0); /* the subscription has its own time */
}

TEST(a_device_that_is_not_there_is_named)
{
    struct robo__far far = far_with(true, false);
    uint8_t out[ROBO__FAR_SENT];
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    robo__far_next(&far, S(1), out);
    /* refused: the body is the request with access 3 */
    assert_int_equal(
        feed(&far, HEAD("01", "00", "06", "03",
                        "1c") "0100007f 00001a09 00000004 00000000 00000003 00000000 00000000"),
        -1);
    assert_string_equal(far.why, "the server has no position2d:0" ELSEWHERE);
    far = far_with(true, false);
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    robo__far_next(&far, S(1), out);
    assert_int_equal(
        feed(&far, HEAD("01", "00", "04", "03",
                        "1c") "0100007f 00001a09 00000004 00000000 00000003 00000000 00000000"),
        -1);
    assert_string_equal(far.why, "the server cannot open position2d:0" ELSEWHERE);
}

TEST(without_a_sensor_it_goes_on)
{
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
    assert_int_equal(far.unanswered, 1 << ROBO__FAR_POWER);
    assert_int_equal(far.opened, 1 << ROBO__FAR_BASE);
}

/* 1 m, 2 m, 0.5 rad; 0.25 m/s; no stall */
static const char DATA[] = HEAD("04", "00", "01", "01",
                                "34") "3ff0000000000000 4000000000000000 3fe0000000000000"
                                      "3fd0000000000000 0000000000000000 0000000000000000 00000000";

TEST(data_are_handed_on_wherever_they_are_cut)
{
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

/* Of each device: what is asked to open it, and a message of data; layouts and codes as in spec/player.md. */
static const struct {
    enum robo__far_role role;
    uint16_t interf;
    const char *asked, *data;
    unsigned value, array, item; /* which is looked at */
    double is;
} devices[] = {
#define OPENS(interf)                   \
    ASKED("01", "00", "03", "03", "1c") \
    "00000000 00000000 "                \
    "000000" interf " 00000001 00000001 00000000 00000000"
    /* -1 to 1 rad, 1 apart, up to 8 m; 0.5, 2 and 4 m; no intensities; the 7th */
    { ROBO__FAR_LASER, 6, OPENS("06"),
      HEAD("06", "01", "01", "01", "30") "bf800000 3f800000 3f800000 41000000 00000003 00000003 "
                                         "3f000000 40000000 40800000 00000000 00000000 00000007",
      3, 0, 2, 4 },
    /* the same with its pose, which is left aside */
    { ROBO__FAR_LASER, 6, OPENS("06"),
      HEAD("06", "01", "01", "02", "48") "bf800000 3f800000 3f800000 41000000 00000003 00000003 "
                                         "3f000000 40000000 40800000 00000000 00000000 00000007 "
                                         "3ff0000000000000 4000000000000000 0000000000000000",
      3, 0, 2, 4 },
    /* 0.5 m; no geometry; a setting: -1 to 1 rad, 1 apart, 0 to 8 m */
    { ROBO__FAR_LASER, 62, OPENS("3e"),
      HEAD("3e", "01", "01", "02",
           "a8") "00000001 00000001 3fe0000000000000 00000000 0000000000000000 0000000000000000 "
                 "0000000000000000 0000000000000000 0000000000000000 0000000000000000 "
                 "0000000000000000 0000000000000000 0000000000000000 00000000 00000000 00000000 "
                 "00000000 00000001 bff0000000000000 3ff0000000000000 3ff0000000000000 "
                 "0000000000000000 4020000000000000 0000000000000000 0000000000000000",
      15, 9, 0, 8 },
    /* 0.5 and 2 m */
    { ROBO__FAR_LASER, 62, OPENS("3e"),
      HEAD("3e", "01", "01", "01", "18") "00000002 00000002 3fe0000000000000 4000000000000000", 0,
      0, 1, 2 },
    { ROBO__FAR_SONAR, 5, OPENS("05"),
      HEAD("05", "01", "01", "01", "10") "00000002 00000002 3f000000 40000000", 0, 0, 0, 0.5 },
    /* no voltages, 0.5 m */
    { ROBO__FAR_SONAR, 22, OPENS("16"),
      HEAD("16", "01", "01", "01", "14") "00000000 00000000 00000001 00000001 3f000000", 0, 1, 0,
      0.5 },
    /* volts, watts and percent are valid: 12 V, 50 %, 6 W */
    { ROBO__FAR_POWER, 2, OPENS("02"),
      HEAD("02", "01", "01", "01", "18") "0000000b 41400000 42480000 00000000 40c00000 00000000", 4,
      9, 0, 6 },
    /* closed, with something in its inner beam */
    { ROBO__FAR_GRIPPER, 3, OPENS("03"),
      HEAD("03", "01", "01", "01", "0c") "00000002 00000008 00000000", 1, 9, 0, 8 },
};

TEST(each_kind_of_device_is_opened_and_heard)
{
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        struct robo__far far = far_with(false, false);
        far.device[devices[i].role] = (struct robo__far_device){ devices[i].interf, 1 };
        robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
        expect_asked(&far, S(1), devices[i].asked);
        assert_true(feed(&far, devices[i].data) > 0);
        assert_int_equal(told.count, 1);
        assert_int_equal(told.role, devices[i].role);
        assert_true(devices[i].array == 9 ? told.body.value[devices[i].value] == devices[i].is
                                          : robo__player_item(&told.body.array[devices[i].array],
                                                              devices[i].item, 0) == devices[i].is);
        assert_int_equal(far.ignored, 0);
    }
}

/* Also behind the handshake, where the next command switches on what a panic has switched off. */
TEST(it_is_told_on_that_motors_are_not_switched)
{
    struct robo__far far = far_with(true, false);
    uint8_t out[ROBO__FAR_SENT];
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    robo__far_next(&far, S(1), out);
    feed(&far, OPENED("04", "00"));
    assert_true(robo__far_next(&far, S(1), out) > 0); /* motors */
    feed(&far, HEAD("04", "00", "06", "02", "00"));
    assert_int_equal(told.count, 1);
    assert_true(told.type == ROBO__PLAYER_NACK && told.subtype == 2);
    assert_true(robo__far_next(&far, S(1), out) > 0); /* geometry: it goes on */
    feed(&far, HEAD("04", "00", "06", "01", "00"));
    assert_int_equal(robo__far_next(&far, S(1), out), 0);
    feed(&far, HEAD("04", "00", "06", "02", "00"));
    assert_int_equal(told.count, 2);
}

/* A laser's data have the angles with them. */
TEST(a_ranger_that_scans_is_asked_for_its_setting)
{
    struct robo__far far = far_with(false, false);
    far.device[ROBO__FAR_LASER] = (struct robo__far_device){ 62, 1 };
    uint8_t out[ROBO__FAR_SENT];
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    assert_true(robo__far_next(&far, S(1), out) > 0);
    feed(&far, OPENED("3e", "01"));
    expect_asked(&far, S(1), ASKED("3e", "01", "03", "05", "00"));
    assert_false(far.ready);
    /* -1 to 1 rad, 1 apart, 0 to 8 m, 10 Hz */
    feed(&far, HEAD("3e", "01", "04", "05", "38") "bff0000000000000 3ff0000000000000 "
                                                  "3ff0000000000000 0000000000000000 "
                                                  "4020000000000000 0000000000000000 "
                                                  "4024000000000000");
    assert_int_equal(told.count, 1);
    assert_true(told.role == ROBO__FAR_LASER && told.type == ROBO__PLAYER_ACK);
    assert_true(told.body.value[0] == -1 && told.body.value[4] == 8);
    expect_asked(&far, S(1), "");
    assert_true(far.ready);
}

TEST(a_ranger_that_does_not_tell_its_setting_is_there_all_the_same)
{
    uint8_t out[ROBO__FAR_SENT];
    for (unsigned refused = 0; refused < 2; refused++) {
        struct robo__far far = far_with(false, false);
        far.device[ROBO__FAR_LASER] = (struct robo__far_device){ 62, 1 };
        robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
        assert_true(robo__far_next(&far, S(1), out) > 0);
        feed(&far, OPENED("3e", "01"));
        assert_true(robo__far_next(&far, S(1), out) > 0);
        if (refused)
            feed(&far, HEAD("3e", "01", "06", "05", "00"));
        expect_asked(&far, refused ? S(1) : S(6), "");
        assert_true(far.ready && told.count == 0);
    }
}

TEST(bumpers_and_pictures_are_bytes)
{
    static const uint8_t pressed[] = { 0, 1, 1 }, pixels[] = { 1, 2, 3, 4, 5, 6 };
    struct robo__far far = far_with(false, false);
    far.device[ROBO__FAR_BUMPER] = (struct robo__far_device){ 14, 0 };
    far.device[ROBO__FAR_CAMERA] = (struct robo__far_device){ 40, 0 };
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    feed(&far, HEAD("0e", "00", "01", "01", "0c") "00000003 00000003 00010100");
    assert_int_equal(told.role, ROBO__FAR_BUMPER);
    assert_int_equal(told.body.array[0].count, 3);
    assert_memory_equal(told.body.array[0].raw, pressed, 3);
    /* 2 x 1 pixels of 24 bits, RGB888, as they are */
    feed(&far, HEAD("28", "00", "01", "01",
                    "28") "00000002 00000001 00000018 00000005 00000001 00000000 00000006 00000006 "
                          "01020304 05060000");
    assert_int_equal(told.role, ROBO__FAR_CAMERA);
    assert_true(told.body.value[0] == 2 && told.body.value[3] == 5 && told.body.value[5] == 0);
    assert_memory_equal(told.body.array[0].raw, pixels, 6);
    assert_int_equal(told.count, 2);
}

TEST(a_gripper_is_told_to_open_to_close_and_to_stop)
{
    struct robo__far far = far_with(false, false);
    far.device[ROBO__FAR_GRIPPER] = (struct robo__far_device){ 3, 0 };
    static const char *const golden[] = { ASKED("03", "00", "02", "01", "00"),
                                          ASKED("03", "00", "02", "02", "00"),
                                          ASKED("03", "00", "02", "03", "00") };
    for (unsigned i = 0; i < 3; i++) {
        uint8_t out[ROBO__FAR_SENT], bytes[ROBO__FAR_SENT];
        const size_t n = bytes_of(golden[i], bytes);
        assert_int_equal(
            robo__far_message(&far, ROBO__FAR_GRIPPER, ROBO__PLAYER_CMD, i + 1, NULL, 0, out), n);
        assert_memory_equal(out, bytes, n);
    }
}

TEST(what_is_for_nobody_or_malformed_is_counted)
{
    struct robo__far far = far_with(true, false);
    far.malformed = malformed;
    robo__far_feed(&far, (const uint8_t *)BANNER, 32, S(1));
    assert_true(feed(&far, HEAD("07", "00", "01", "01", "04") "00000001") > 0); /* blobfinder */
    assert_true(feed(&far, HEAD("04", "00", "01", "01", "04") "00000001") > 0); /* too short */
    assert_int_equal(far.ignored, 2);
    assert_int_equal(malformed_count, 1); /* of what is for nobody it says nothing */
    assert_true(feed(&far, HEAD("04", "01", "01", "02", "00")) > 0); /* position2d:1 */
    assert_int_equal(told.count, 0);
}

TEST(what_is_no_server_of_player_is_told_from_one)
{
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

TEST(devices_are_written_as_in_player)
{
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
