/* A recording in C: what a full journal leaves out is in the file as a number; JSON of values that are none. What a recording has is in
 * tests/lua/recorder_test.lua. */
#include <math.h>
#include <unistd.h>

#include "fixture_sessions.h"

#include "recording/json.h"
#include "robotalk/mcap.h"
#include "robotalk/record.h"

FIXTURE(open_one, close_one);

static char path[64], why[256];

static robo_recording *record(size_t bytes)
{
    const struct robo_record_options options = { .size = sizeof options, .journal = bytes };
    int error;
    snprintf(path, sizeof path, "/tmp/robotalk_record_%d.mcap", (int)getpid());
    unlink(path);
    robo_recording *recording = robo_record_open(world, path, &options, &error, why);
    assert_non_null(recording);
    assert_int_equal(robo_record_robot(recording, robot), 0);
    assert_int_equal(robo_record_robot(recording, robot), ROBO_EEXISTS);
    return recording;
}

/* How many messages have that text. */
static unsigned count(const char *text)
{
    int error;
    unsigned n = 0;
    struct robo_mcap_record r;
    robo_mcap_reader *reader = robo_mcap_open(path, &error, why);
    assert_non_null(reader);
    while (robo_mcap_next(reader, &r, why) == 1)
        n += r.kind == ROBO_MCAP_MESSAGE && memmem(r.data.at, r.data.size, text, strlen(text));
    robo_mcap_close(reader);
    return n;
}

TEST(a_full_journal_is_said_in_the_file)
{
    struct robo_record_counts counts;
    robo_recording *recording = record(2048);
    run_until(1.1);
    for (int i = 0; i < 20; i++)
        send_cmd(a, set_speed(0, 1));
    run_until(1.2);
    send_cmd(a, set_speed(0, 1));
    robo_record_counts(recording, &counts);
    assert_true(counts.lost > 40);
    assert_int_equal(robo_record_close(recording, why), 0);
    assert_true(count("\"notice\":\"lost\",\"body\":{\"records\":") > 0);
    const unsigned commands = count("\"op\":\"set_speed\",\"body\"");
    assert_true(commands > 0 && commands < 21);
    unlink(path);
}

TEST(all_of_a_large_one_is_there)
{
    struct robo_record_counts counts;
    robo_recording *recording = record(1 << 20);
    for (int i = 0; i < 1000; i++)
        send_cmd(a, set_speed(0, 1));
    robo_record_counts(recording, &counts);
    assert_int_equal(counts.lost, 0);
    assert_int_equal(robo_record_close(recording, why), 0);
    assert_int_equal(count("\"op\":\"set_speed\",\"body\""), 1000);
    assert_int_equal(count("\"op\":\"set_speed\",\"signal\":\"success\""), 1000);
    unlink(path);
}

TEST(options)
{
    int error;
    const struct robo_record_options fast = { .size = sizeof fast, .rate = 2000 },
                                     many = { .size = sizeof many, .images = -1 };
    assert_null(robo_record_open(world, "/tmp/robotalk_none.mcap", &fast, &error, why));
    assert_int_equal(error, ROBO_EINVAL);
    assert_string_equal(why, "rate: expected states a second, 1 to 1000");
    assert_null(robo_record_open(world, "/tmp/robotalk_none.mcap", &many, &error, why));
    assert_int_equal(error, ROBO_EINVAL);
    assert_null(robo_record_open(world, "/nowhere/x.mcap", NULL, &error, why));
    assert_int_equal(error, ROBO_ESYSTEM);
    assert_int_equal(robo_record_close(NULL, why), 0);
}

TEST(json, NULL)
{
    struct robo__json j = { NULL };
    robo__json_numbers(&j, (double[]){ 0.1, NAN, -INFINITY, 1e300 }, 4);
    robo__json_text(&j, "a\"\\\n\xff\xc3\xbc");
    robo__json_time(&j, -1500000000);
    robo__json_put(&j, " ");
    robo__json_time(&j, ROBO_NO_TIME);
    robo__json_base64(&j, (const uint8_t *)"abcd", 4);
    assert_int_equal(
        j.used,
        strlen(
            "[0.10000000000000001,null,null,1.0000000000000001e+300]\"a\\\"\\\\??\xc3\xbc\"-1.500000000 null\"YWJjZA==\""));
    j.at[j.used] = '\0';
    assert_string_equal(
        j.at,
        "[0.10000000000000001,null,null,1.0000000000000001e+300]\"a\\\"\\\\??\xc3\xbc\"-1.500000000 null\"YWJjZA==\"");
    robo__json_free(&j);
}
