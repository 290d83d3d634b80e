/* Messages of ROS: the vectors of tests/ros, whose bytes are those of another implementation (vectors.mjs), and bytes that are none. Any bytes:
 * tests/fuzz/ros_message_fuzz.c. */
#include <stdlib.h>

#include "../hex.h"
#include "../ros/copy.h"
#include "../test.h"

struct vector {
    const struct robo__ros_message *message;
    bool big;
    char *json;
    uint8_t bytes[2048];
    size_t n;
};

static void each_vector(void (*run)(const struct vector *v, struct robo__json *out))
{
    static struct vector v;
    static char line[3][8192];
    struct robo__json out = { NULL };
    FILE *f = fopen("tests/ros/vectors.txt", "r");
    int count = 0;
    assert_non_null(f);
    for (; fgets(line[0], sizeof line[0], f); count++) {
        assert_non_null(fgets(line[1], sizeof line[1], f));
        assert_non_null(fgets(line[2], sizeof line[2], f));
        line[0][strcspn(line[0], "\n")] = line[1][strcspn(line[1], "\n")] = 0;
        v.big = strncmp(line[0], "big ", 4) == 0;
        v.message = robo__ros_message(line[0] + (v.big ? 4 : 0));
        assert_non_null(v.message);
        v.json = line[1];
        v.n = bytes_of(line[2], v.bytes);
        run(&v, &out);
    }
    assert_true(count > 30);
    fclose(f);
    robo__json_free(&out);
}

static void means(const struct vector *v, struct robo__json *out)
{
    struct robo__ros_in in;
    out->used = 0;
    assert_true(copy_message(v->message, &in, v->bytes, v->n, out, ROBO__ROS_JSON));
    robo__json_bytes(out, "", 1);
    assert_string_equal(out->at, v->json);
    out->used = 1; /* wherever it begins */
    assert_true(copy_message(v->message, &in, v->bytes, v->n, out, ROBO__ROS_CDR));
    assert_int_equal(out->used, v->n + 1);
    if (!v->big)
        assert_memory_equal(out->at + 1, v->bytes, v->n);
}

TEST(vectors)
{
    each_vector(means);
}

/* Every vector that is cut off is refused, and so is one with more bytes than padding. */
static void ends(const struct vector *v, struct robo__json *out)
{
    struct robo__ros_in in;
    char why[128];
    uint8_t *bytes = malloc(v->n + 4);
    assert_non_null(bytes);
    for (size_t n = 0; n < v->n + 5; n += n == v->n - 1 ? 1 + 4 : 1) {
        memset(bytes, 0, v->n + 4);
        memcpy(bytes, v->bytes, n < v->n ? n : v->n);
        out->used = 0;
        assert_false(copy_message(v->message, &in, bytes, n, out, ROBO__ROS_JSON));
        robo__ros_why(&in, why, sizeof why);
        assert_non_null(strstr(why, ": expected "));
    }
    free(bytes);
}

TEST(cut_off)
{
    each_vector(ends);
}

static void refuse(const char *type, const char *hex, const char *why)
{
    struct robo__ros_in in;
    uint8_t bytes[256];
    char text[128];
    assert_true(!robo__ros_open(&in, bytes, bytes_of(hex, bytes), robo__ros_message(type)) ||
                !robo__ros_close(&in));
    robo__ros_why(&in, text, sizeof text);
    assert_string_equal(text, why);
}

TEST(places)
{
    refuse("std_msgs/msg/String", "00070000 01000000 00",
           "data, byte 0: expected a header of CDR, 00 00 or 00 01, and two bytes");
    refuse("std_msgs/msg/String", "00010000 02000000 41 42",
           "data, byte 10: expected a text with one NUL, at its end");
    refuse("std_msgs/msg/String", "00010000 03000000 41 00 00",
           "data, byte 11: expected a text with one NUL, at its end");
    refuse("std_msgs/msg/String", "00010000 ffffffff 41 00", "data, byte 8: expected more bytes");
    refuse("std_msgs/msg/String", "00010000 01000000 00 00000000",
           "byte 9: expected the end of the message");
    refuse("std_srvs/srv/Trigger_Response", "00010000 02 00 00 00 01000000 00",
           "success, byte 5: expected 0 or 1");
    refuse("action_msgs/msg/GoalStatusArray", "00010000 ffffffff 00",
           "status_list, byte 8: expected a count of no more elements than follow");
    refuse(
        "trajectory_msgs/msg/JointTrajectory",
        "00010000 00000000 00000000 01000000 00 000000 00000000 02000000 00000000 00000000 00000000 "
        "00000000 00000000 00000000 03000000 00000000 00000000 00000000 00000000 00000000",
        "points[1].positions, byte 56: expected a count of no more elements than follow");
}

/* Another order than that of the table is an error, which lasts. */
TEST(misuse)
{
    struct robo__json bytes = { NULL };
    struct robo__ros_out out;
    struct robo__ros_in in;
    uint32_t n;
    const struct robo__ros_message *header = robo__ros_message("std_msgs/msg/Header");
    assert_null(robo__ros_message("std_msgs/msg/Heade"));
    robo__ros_begin(&out, &bytes, ROBO__ROS_CDR, header);
    robo__ros_put_number(&out, 1e99); /* the greatest of an int32 */
    robo__ros_put_number(&out, -1);
    assert_false(robo__ros_end(&out)); /* a text is to come */
    robo__ros_put_text(&out, "%s/%s", "a", "b");
    assert_false(robo__ros_end(&out)); /* it was looked at too early */
    assert_true(robo__ros_open(&in, "\0\1\0\0\377\377\377\177\0\0\0\0\4\0\0\0a/b", 20, header));
    assert_true(robo__ros_get_time(&in) == 2147483647000000000);
    assert_string_equal(robo__ros_get_text(&in), "a/b");
    assert_true(robo__ros_close(&in));
    robo__ros_open(&in, "\0\1\0\0\1\0\0\0\0\0\0\0\4\0\0\0a/b", 20, header);
    assert_null(robo__ros_get_octets(&in, &n));
    assert_true(n == 0 && robo__ros_get_number(&in) == 0 && robo__ros_get_count(&in) == 0);
    assert_string_equal(robo__ros_get_text(&in), "");
    assert_false(robo__ros_close(&in));
    robo__json_free(&bytes);
}

/* A call of rmw_cyclonedds, a member that is skipped, and the rest. */
TEST(skip)
{
    struct robo__json bytes = { NULL };
    struct robo__ros_out out;
    struct robo__ros_in in;
    uint64_t call[2] = { 0x0123456789abcdef, 7 }, again[2];
    double linear[3];
    const struct robo__ros_message *twist = robo__ros_message("geometry_msgs/msg/TwistStamped");
    robo__ros_begin(&out, &bytes, ROBO__ROS_CDR, twist);
    robo__ros_put_call(&out, call);
    robo__ros_put_time(&out, 5);
    robo__ros_put_text(&out, "base");
    robo__ros_put_numbers(&out, (const double[]){ 1, 2, 3, 4, 5, 6 }, 6);
    assert_true(robo__ros_end(&out));
    robo__ros_open(&in, bytes.at, bytes.used, twist);
    robo__ros_get_call(&in, again);
    assert_memory_equal(call, again, sizeof call);
    robo__ros_skip(&in, "header");
    robo__ros_get_numbers(&in, linear, 3);
    assert_true(linear[0] == 1 && linear[2] == 3);
    robo__ros_skip(&in, "x");
    assert_true(robo__ros_get_number(&in) == 5 && robo__ros_close(&in));
    robo__ros_open(&in, bytes.at, bytes.used, twist);
    robo__ros_skip(&in, "twist"); /* it is not next */
    assert_false(robo__ros_close(&in));
    robo__json_free(&bytes);
}
