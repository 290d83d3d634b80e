/* A recording in C: what a full journal leaves out is in the file as a number; JSON of values that are none. What a recording has is in
 * tests/lua/recorder_test.lua. */
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fixture_sessions.h"

#include "recording/recording.h"
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

static void limit_file(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int lift_limit(void **state)
{
    limit_file(RLIM_INFINITY);
    signal(SIGXFSZ, SIG_DFL);
    return close_one(state);
}

/* How many records of that kind have that text. */
static unsigned count_of(int kind, const char *text)
{
    int error;
    unsigned n = 0;
    struct robo_mcap_record r;
    robo_mcap_reader *reader = robo_mcap_open(path, &error, why);
    assert_non_null(reader);
    while (robo_mcap_next(reader, &r, why) == 1)
        n += r.kind == kind &&
             ((r.name.size && memmem(r.name.at, r.name.size, text, strlen(text))) ||
              (r.data.size && memmem(r.data.at, r.data.size, text, strlen(text))));
    robo_mcap_close(reader);
    return n;
}

static unsigned count(const char *text)
{
    return count_of(ROBO_MCAP_MESSAGE, text);
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
    assert_true(counts.lost > 20);
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

TEST(a_robot_that_was_removed_is_free_once_all_is_written, open_one, close_fixture)
{
    robo_recording *recording = record(0);
    run_until(1.1);
    robo_remove(robot);
    run_until(1.2);
    assert_int_equal(robo__recording_ended(recording), 0); /* a has its session */
    robo__session_close(a);
    run_until(1.3);
    assert_int_equal(robo__recording_ended(recording), 1);
    assert_int_equal(robo__recording_ended(recording), 0);
    assert_null(atomic_load(&recording->tracks)->robot);
    assert_int_equal(robo_record_close(recording, why), 0);
    assert_int_equal(count("\"notice\":\"removed\""), 1);
    assert_int_equal(count("\"over\":1"), 1);
    unlink(path);
}

TEST(what_a_full_disk_has_refused_is_described_when_there_is_room, open_one, lift_limit)
{
    signal(SIGXFSZ, SIG_IGN);
    limit_file(150);
    robo_recording *recording = record(0);
    run_until(3);
    limit_file(1 << 20);
    run_until(5);
    assert_int_equal(robo_record_close(recording, why), ROBO_ESYSTEM);
    assert_string_equal(why, "the recording is not written: File too large");
    assert_int_equal(count_of(ROBO_MCAP_ATTACHMENT, ".0.block"), 1);
    assert_int_equal(count_of(ROBO_MCAP_METADATA, "robotalk"), 1);
    assert_true(count("\"moving\"") > 40);
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

/* Each is read back as it was, and has no more than 17 digits. */
TEST(numbers, NULL)
{
    static const double some[] = { 0,
                                   -0.0,
                                   1,
                                   -17,
                                   0.1,
                                   0.3,
                                   1 / 3.0,
                                   2 / 3e6,
                                   1e-6,
                                   9.999999999999999,
                                   0.09999999999999999,
                                   1e15,
                                   123456789012345.6,
                                   0.001,
                                   9.99999999999999e-4,
                                   5e-324,
                                   1.7e308,
                                   M_PI,
                                   1e22 };
    uint64_t seed = 1;
    struct robo__json j = { NULL };
    for (size_t i = 0; i < 200000; i++) {
        double x = i < sizeof some / sizeof *some ? some[i] : 0;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (x == 0 && i > 1)
            x = i % 2 ? ldexp((double)(int64_t)seed, (int)(i % 80) - 100)
                      : (double)(seed >> 40) / 1e4;
        j.used = 0;
        robo__json_double(&j, x);
        robo__json_put(&j, "\n");
        assert_false(j.failed);
        const double y = strtod(j.at, NULL);
        assert_memory_equal(&x, &y, sizeof x);
        assert_true(j.used <= 26);
    }
    robo__json_free(&j);
}

TEST(numbers_have_as_few_digits_as_it_takes, NULL)
{
    static const double some[] = { 0.5,     -0.25,   1e-6,     0.0000015,   0.1 + 0.2,
                                   1 / 3.0, 2 / 3e5, 123456.7, 12345678.25, 99999999,
                                   1e8,     1e14,    1e14 + .5 };
    struct robo__json j = { NULL };
    robo__json_numbers(&j, some, sizeof some / sizeof *some);
    robo__json_count(&j, " ", 12345678901234567890u);
    robo__json_count(&j, " ", 10);
    j.at[j.used] = '\0';
    assert_string_equal(
        j.at, "[0.5,-0.25,0.000001,0.0000015,0.30000000000000004,0.33333333333333331,"
              "0.0000066666666666666666,123456.7,12345678.25,99999999,100000000,100000000000000,"
              "100000000000000.5] 12345678901234567890 10");
    robo__json_free(&j);
}

TEST(json, NULL)
{
    struct robo__json j = { NULL };
    robo__json_numbers(&j, (double[]){ 0.1, NAN, -INFINITY, 1e300 }, 4);
    robo__json_text(&j, "a\"\\\n\xff\xc3\xbc");
    robo__json_instant(&j, -1500000000);
    robo__json_time(&j, " ", ROBO_NO_TIME);
    robo__json_base64(&j, (const uint8_t *)"abcd", 4);
    assert_false(j.failed);
    assert_int_equal(
        j.used,
        strlen(
            "[0.1,null,null,1.0000000000000001e+300]\"a\\\"\\\\??\xc3\xbc\"-1.500000000 null\"YWJjZA==\""));
    j.at[j.used] = '\0';
    assert_string_equal(
        j.at,
        "[0.1,null,null,1.0000000000000001e+300]\"a\\\"\\\\??\xc3\xbc\"-1.500000000 null\"YWJjZA==\"");
    robo__json_free(&j);
}
