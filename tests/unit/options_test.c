/* Options of drivers: typed, copied by the body that they are of, and read by the driver's table. */

#include <math.h>
#include <string.h>

#include "../test.h"
#include "../chain.h"
#include "driver_options.h"
#include "options.h"
#include "robotalk/description.h"

struct wanted {
    bool loud;
    int64_t times;
    double share;
    const char *path, *name;
};

static const struct robo__option_row ROWS[] = {
    { "loud", ROBO_OPTION_FLAG, offsetof(struct wanted, loud), .otherwise = 1 },
    { "times", ROBO_OPTION_INTEGER, offsetof(struct wanted, times), 3, .least = 1, .most = 10 },
    { "share", ROBO_OPTION_REAL, offsetof(struct wanted, share), 0.5, .least = 0, .most = 1 },
    { "path", ROBO_OPTION_TEXT, offsetof(struct wanted, path), .needed = "the path of a line" },
    { .name = "name", ROBO_OPTION_TEXT, offsetof(struct wanted, name) },
};

static bool reads(const struct robo_description *d, unsigned device, const char *name)
{
    return strcmp(name, d->joint[1].name) == 0;
}

static const struct robo__option_table TABLE = { ROWS, sizeof ROWS / sizeof ROWS[0], reads };

static struct robo_description arm;
static struct wanted got;
static char why[128];

static int make_arm(void **state)
{
    make_flat_arm(&arm, 3, ROBO_SERVO_SETPOINT, "sim");
    memset(&got, 0, sizeof got);
    why[0] = 0;
    return 0;
}

static int read_these(const struct robo_option *option, unsigned count)
{
    arm.device[0].option = option;
    arm.device[0].options = (uint16_t)count;
    return robo__options_read(&TABLE, &arm, 0, &got, why);
}

#define READ(...)                                           \
    read_these((const struct robo_option[]){ __VA_ARGS__ }, \
               sizeof((const struct robo_option[]){ __VA_ARGS__ }) / sizeof(struct robo_option))

FIXTURE(make_arm, NULL);

TEST(what_is_not_given_has_its_default)
{
    assert_int_equal(READ(TEXT("path", "a,b=c d")), 0);
    assert_true(got.loud);
    assert_int_equal(got.times, 3);
    assert_true(got.share == 0.5);
    assert_string_equal(got.path, "a,b=c d");
    assert_null(got.name);
}

TEST(values_come_as_they_are)
{
    assert_int_equal(READ(FLAG("loud", 0), REAL("times", 7), INTEGER("share", 1), TEXT("path", "p"),
                          TEXT("name", ""), TEXT(arm.joint[1].name, "whatever")),
                     0);
    assert_false(got.loud);
    assert_int_equal(got.times, 7); /* a real without a fraction is a whole number */
    assert_true(got.share == 1);
    assert_string_equal(got.name, "");
}

TEST(what_is_wrong_is_told)
{
#define WRONG(text, ...)                                  \
    do {                                                  \
        assert_int_equal(READ(__VA_ARGS__), ROBO_EINVAL); \
        assert_string_equal(why, text);                   \
    } while (0)
    WRONG("path: expected the path of a line, got nothing", FLAG("loud", 1));
    WRONG("path: expected the path of a line, got \"\"", TEXT("path", ""));
    WRONG("path: expected the path of a line, got 5", INTEGER("path", 5));
    WRONG("name: expected a text, got true", TEXT("path", "p"), FLAG("name", 1));
    WRONG("loud: expected true or false, got 1", INTEGER("loud", 1));
    WRONG("times: expected a whole number, 1 to 10, got 2.5", REAL("times", 2.5));
    WRONG("times: expected a whole number, 1 to 10, got 11", INTEGER("times", 11));
    WRONG("times: expected a whole number, 1 to 10, got \"3\"", TEXT("times", "3"));
    WRONG("share: expected a number, 0 to 1, got -0.5", REAL("share", -0.5));
    WRONG("shares: did you mean 'share'? expected one of loud, times, share, path, name",
          REAL("shares", 0.5));
    WRONG("zoom: expected a dof, as joint1, or one of loud, times, share, path, name",
          REAL("zoom", 0.5));
#undef WRONG
}

TEST(a_driver_may_have_none)
{
    static const struct robo__option_table none = { .rows = 0 };
    static const struct robo_option rate = INTEGER("rate", 5);
    assert_int_equal(robo__options_read(&none, &arm, 0, NULL, why), 0);
    arm.device[0].option = &rate;
    arm.device[0].options = 1;
    assert_int_equal(robo__options_read(&none, &arm, 0, NULL, why), ROBO_EINVAL);
    assert_string_equal(why, "rate: this driver has no options");
}

TEST(a_body_copies_them)
{
    char name[] = "path", text[] = "a,b=c";
    struct robo_option option[] = { TEXT(name, text), REAL("share", 0.25) };
    const struct robo_option other[] = { INTEGER("times", 7) };
    robo_body *body;
    arm.devices = 2;
    TAKES(arm.device[0], option);
    TAKES(arm.device[1], other);
    assert_int_equal(robo_body_make(&arm, &body, why), 0);
    memset(name, 'x', sizeof name - 1);
    memset(text, 'x', sizeof text - 1);
    memset(option, 0, sizeof option);
    const struct robo_binding *b = robo_body_description(body)->device;
    assert_int_equal(b[0].options, 2);
    assert_string_equal(b[0].option[0].name, "path");
    assert_string_equal(b[0].option[0].value.text, "a,b=c");
    assert_true(b[0].option[1].value.real == 0.25);
    assert_string_equal(b[1].option[0].name, "times");
    assert_int_equal(b[1].option[0].value.integer, 7);
    robo_body_release(body);
}

TEST(a_body_has_none_that_cannot_be)
{
    char longest[ROBO_MAX_OPTION_TEXT + 2];
    robo_body *body = NULL;
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    const struct robo_option bad[] = {
        { .name = NULL },      FLAG("", 1),
        FLAG("loud", 2),       REAL("share", NAN),
        TEXT("path", NULL),    TEXT("path", longest),
        TEXT(longest, "text"), { .name = "n", .type = 9 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        arm.device[0].option = &bad[i];
        arm.device[0].options = 1;
        assert_int_equal(robo_body_make(&arm, &body, why), ROBO_EINVAL);
        assert_non_null(strstr(why, "option 0"));
        assert_null(body);
    }
}
