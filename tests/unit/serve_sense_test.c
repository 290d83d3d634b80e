/* The server's side of readings: watches of clients that do not read, records, and what cannot be asked for. */
#include <math.h>

#include "session_peer.h"
#include "../idle_driver.h"
#include "../scenery.h"

enum { VALUES = 181 };

static robo_device *eyes;

static int open_eyes(void *state, robo_device *device, robo_time now)
{
    eyes = device;
    return 0;
}

static int enter_eyes(void **state)
{
    static struct robo_description d;
    const robo_driver driver = { .size = sizeof driver,
                                 .name = "eyes",
                                 .open = open_eyes,
                                 .start = idle_start,
                                 .read = idle_read,
                                 .halt = idle_halt,
                                 .close = idle_close };
    const struct robo_request_open how = { .robot = "eyes" };
    enter(state);
    begin_description(
        &d, 2, (struct robo_description){ .devices = 1, .links = 1, .joints = 1, .sensors = 2 });
    strcpy(d.name, "eyes");
    strcpy(d.device[0].driver, "eyes");
    d.device[0].base = 1;
    d.commands = 7;
    d.sensor[0] = (struct robo_sensor){ .name = "scan", .kind = "laser", .count = VALUES };
    d.sensor[1] = (struct robo_sensor){ .name = "heat", .kind = "temperature" };
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    peer_enter(p, &how);
    return 0;
}

static void tell(double x)
{
    double value[VALUES];
    for (int i = 0; i < VALUES; i++)
        value[i] = x;
    assert_int_equal(robo_sensed(eyes, 0, ROBO_NO_TIME, value, VALUES), 0);
}

/* The newest answer to a watch among what was read; how many there are. */
static size_t readings_of(const struct peer *of, uint32_t id,
                          const struct robo_reply_sense **newest)
{
    size_t n = 0;
    for (size_t i = 0; i < of->received_count; i++)
        if (of->received[i].header.type == ROBO_TYPE_REPLY && of->received[i].entry.id == id) {
            *newest = &of->received[i].as.sense;
            n++;
        }
    return n;
}

FIXTURE(enter_eyes, leave);

/* What a client leaves unread is bounded, others get all, and when it reads again the newest comes. */
TEST(who_does_not_read_gets_the_newest)
{
    const struct robo_request_watch watch = { .period = 1000000, .bytes = 1, .mask = { 1 } };
    const struct robo_request_open how = { .robot = "eyes" };
    const struct robo_reply_sense *newest = NULL;
    struct peer *reader = peer_open();
    reader->lease = 2;
    peer_enter(reader, &how);
    const uint32_t id = peer_request(p, ROBO_Q_WATCH, &watch),
                   other = peer_request(reader, ROBO_Q_WATCH, &watch);
    assert_int_equal(readings_of(p, id, &newest), 1);
    assert_int_equal(newest->number[0], 0); /* none has come yet */
    size_t most = 0, got = 0;
    for (int i = 1; i <= 10000; i++) {
        size_t waiting;
        tell(i * 1e-3);
        run_for(0.001);
        robo__conn_output(&p->conn, &waiting);
        most = waiting > most ? waiting : most;
        peer_listen(reader);
        got += readings_of(reader, other, &newest);
    }
    assert_int_equal(got, 10000);
    assert_true(most > 0 && most <= ROBO__CONN_BUSY + VALUES * sizeof(double) + 128);
    assert_false(p->conn.closing);
    peer_listen(p); /* what was kept: some of the first */
    assert_true(readings_of(p, id, &newest) < 40);
    run_for(0.002);
    peer_listen(p);
    assert_int_equal(readings_of(p, id, &newest), 1);
    assert_int_equal(newest->number[0], 10000);
    assert_float_equal(newest->value[0], 10, 1e-6);
    run_for(1); /* nothing new: nothing is sent */
    peer_listen(p);
    assert_int_equal(p->received_count, 0);
    peer_close(reader);
}

/* A record tells all that is kept, by numbers that show what was lost. */
TEST(record_is_bounded)
{
    const struct robo_reply_sense *a = NULL;
    struct robo_request_record after = { .sensor = 0, .after = 0 };
    for (int i = 1; i <= 1000; i++)
        tell(i * 1e-3);
    uint64_t last = 0, lost = 0, taken = 0;
    for (int round = 0; round < 100; round++) {
        after.after = last;
        const uint32_t id = peer_request(p, ROBO_Q_RECORD, &after);
        assert_int_equal(readings_of(p, id, &a), 1);
        if (a->readings == 0)
            break;
        for (unsigned i = 0; i < a->readings; i++) {
            assert_true(a->number[i] > last);
            assert_float_equal(a->value[i * VALUES], (double)a->number[i] * 1e-3, 1e-6);
            lost += a->number[i] - last - 1;
            last = a->number[i];
            taken++;
        }
    }
    assert_int_equal(last, 1000);
    assert_int_equal(lost + taken, 1000);
    assert_true(taken >= 3);
    after.after = UINT64_MAX;
    peer_request(p, ROBO_Q_RECORD, &after);
    expect_fault(p, ROBO_ENONE, true);
    after = (struct robo_request_record){ .sensor = 2 };
    peer_request(p, ROBO_Q_RECORD, &after);
    expect_fault(p, ROBO_ENONE, true);
}

TEST(what_cannot_be_watched)
{
    struct robo_request_watch watch = { .period = 900000, .bytes = 1, .mask = { 1 } };
    peer_request(p, ROBO_Q_WATCH, &watch);
    expect_fault(p, ROBO_ERANGE, true);
    watch.period = S(3601);
    peer_request(p, ROBO_Q_WATCH, &watch);
    expect_fault(p, ROBO_ERANGE, true);
    watch = (struct robo_request_watch){ .period = S(1), .bytes = 1, .mask = { 4 } };
    peer_request(p, ROBO_Q_WATCH, &watch);
    expect_fault(p, ROBO_ENONE, true);
    watch.mask[0] = 1;
    for (int i = 0; i < 8; i++)
        peer_request(p, ROBO_Q_WATCH, &watch);
    peer_request(p, ROBO_Q_WATCH, &watch);
    expect_fault(p, ROBO_ELIMIT, true);
    still_alive();
}
