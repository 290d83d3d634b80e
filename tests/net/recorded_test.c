/* Clients fetch a recording of a served robot while another one drives it; one leaves in the middle, one is slow. Robots come and go. */
#include "served.h"

#include "robotalk/mcap.h"
#include "robotalk/session.h"

enum { COMMANDS = 100 };

static int fetch(robo_client *c, const char *robot, struct robo_reply_recording *reply)
{
    struct robo_request_recording request = { .rate = 200 };
    snprintf(request.robot, sizeof request.robot, "%s", robot);
    const int64_t id = robo_request(c, 0, ROBO_Q_RECORDING, &request);
    assert_true(id > 0);
    assert_int_equal(robo_wait(c, (uint32_t)id, patience()), 0);
    return robo_take_reply(c, (uint32_t)id, reply, sizeof *reply);
}

static char all[1 << 22];

static unsigned results(size_t n)
{
    static const char success[] = "\"signal\":\"success\"";
    unsigned found = 0;
    for (const char *at = all;
         (at = memmem(at, (size_t)(all + n - at), success, sizeof success - 1)) != NULL; at++)
        found++;
    return found;
}

/* How many messages of the file have that text. */
static unsigned count(const char *path, const char *text)
{
    char why[256];
    unsigned n = 0;
    struct robo_mcap_record r;
    robo_mcap_reader *reader = robo_mcap_open(path, NULL, why);
    assert_non_null(reader);
    int result;
    while ((result = robo_mcap_next(reader, &r, why)) == 1)
        n += r.kind == ROBO_MCAP_MESSAGE && memmem(r.data.at, r.data.size, text, strlen(text));
    assert_int_equal(result, 0);
    robo_mcap_close(reader);
    return n;
}

TEST(all_commands_of_another_client, NULL)
{
    static struct robo_reply_recording reply;
    int64_t drives_by, watches, leaves;
    char path[64], why[256] = "";
    begin("robotalk://127.0.0.1:0");
    robo_client *driver = client(&drives_by), *watcher = client(&watches), *other = client(&leaves);
    assert_int_equal(fetch(watcher, "none", &reply), ROBO_ENONE);
    snprintf(path, sizeof path, "/tmp/robotalk_recorded_%d.mcap", (int)getpid());
    unlink(path);
    robo_mcap_writer *w = robo_mcap_create(path, NULL, NULL, why);
    assert_non_null(w);
    assert_int_equal(fetch(watcher, "robot", &reply), 1);
    for (int i = 0; i < COMMANDS; i++) {
        drives(driver, drives_by);
        if (i == COMMANDS / 2) {
            assert_int_equal(fetch(other, "", &reply), 1);
            robo_disconnect(other);
        }
    }
    const robo_time until = robo_now(on.world) + patience();
    size_t n = 0;
    /* a full reply may end within a record */
    while ((results(n) < COMMANDS || reply.count == sizeof reply.bytes) &&
           robo_now(on.world) < until && n < sizeof all - sizeof reply) {
        assert_int_equal(fetch(watcher, "", &reply), 1);
        assert_int_equal(robo_mcap_feed(w, reply.bytes, reply.count, why), 0);
        assert_int_equal(reply.lost, 0);
        memcpy(all + n, reply.bytes, reply.count);
        n += reply.count;
    }
    robo_disconnect(watcher);
    robo_disconnect(driver);
    end();
    assert_int_equal(robo_mcap_finish(w, why), 0);
    assert_int_equal(count(path, "\"op\":\"set_speed\",\"signal\":\"success\""), COMMANDS);
    unlink(path);
}

/* Fetches until it has that text, which may begin in one reply and end in the next. */
static void fetch_text(robo_client *c, const char *text)
{
    static struct robo_reply_recording reply;
    const size_t length = strlen(text);
    const robo_time until = robo_now(on.world) + patience();
    size_t n = 0;
    const char *found = NULL;
    while (!found && robo_now(on.world) < until) {
        assert_int_equal(fetch(c, "", &reply), 1);
        memcpy(all + n, reply.bytes, reply.count);
        n += reply.count;
        found = memmem(all, n, text, length);
        const size_t kept = n < length ? n : length;
        memmove(all, all + n - kept, kept);
        n = kept;
    }
    assert_non_null(found);
}

/* Each takes memory until it was removed, and all of it is in the recording. A robot for which there is no memory yet, since those before
 * it are still being written, comes later. */
TEST(many_robots_come_and_go, NULL)
{
    enum { ROBOTS = 40 };
    int64_t watches;
    begin("robotalk://127.0.0.1:0");
    robo__world_memory(on.world)->total = 32 << 20;
    robo_client *watcher = client(&watches);
    for (int i = 0; i < ROBOTS; i++) {
        char name[16], topic[32];
        snprintf(name, sizeof name, "robot%d", i);
        add_robot(name);
        snprintf(topic, sizeof topic, "/%s/state", name);
        fetch_text(watcher, topic);
        robo_robot *robot = robo_find(on.world, name);
        robo_remove(robot);
        robo_release(robot);
        snprintf(topic, sizeof topic, "/%s/notice", name);
        fetch_text(watcher, topic);
    }
    robo_disconnect(watcher);
    end();
}
