/* A link of 20 kB/s with a relay that keeps what it has not sent on, as a tunnel does: how old the states of a humanoid are when they come,
 * and how long the answer to a stop takes beside them. The limits are the specification's (section 3). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chain.h"
#include "bench.h"
#include "robotalk/test.h"
#include "robotalk/description.h"
#include "../ids.h"

enum { DOFS = 34, STOPS = 20 };
static const robo_time PERIOD = 10000000, SPAN = 8000000000, PATIENCE = 10000000000;
static const double AGE = 400, ANSWER = 500; /* ms */

static void fail(const char *what)
{
    fprintf(stderr, "robotalk-bench: slow: %s\n", what);
    exit(1);
}

static void listen(robo_client *c, robo_time span, uint32_t beat, struct samples *ages)
{
    struct robo_event e;
    struct robo_state state;
    for (const robo_time end = now_ns() + span; now_ns() < end;) {
        robo_poll(c, PERIOD);
        while (robo_next_event(c, &e, sizeof e))
            if (e.kind == ROBO_EVENT_REPLY && e.id.value == beat &&
                robo_take_reply(c, beat, &state, sizeof state) == 1)
                samples_add(ages, (double)(now_ns() - state.time) / 1e6);
    }
}

static void stop(robo_client *c, uint32_t session, struct samples *answers)
{
    struct robo_cmd command = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    struct robo_result result;
    const robo_time sent = now_ns();
    const int64_t id = robo_send(c, session, &command, 1);
    if (id <= 0 || robo_wait(c, (uint32_t)id, PATIENCE) != 0)
        fail("a stop has no answer");
    robo_take(c, (uint32_t)id, &result, sizeof result);
    samples_add(answers, (double)(now_ns() - sent) / 1e6);
}

static void tell(reporter *report, const char *what, struct samples *ours, double most)
{
    struct row row = { .name = "slow", .what = what, .unit = "ms", .goal = 1, .of = "p99.9" };
    struct samples limit = { 0 };
    samples_add(&limit, most);
    row_report(&row, report, ours, &limit);
}

void bench_slow(reporter *report)
{
    static struct robo_description d;
    static const struct robo_test_lag lag = { .size = sizeof lag, .rate = 20000, .delay = 5000000 };
    const struct robo_session_options humanoid = { .size = sizeof humanoid, .robot = "humanoid" };
    const struct robo_request_broadcast every = { .period = PERIOD };
    struct samples ages = { 0 }, answers = { 0 };
    struct fixture f;
    robo_test_relay *relay;
    char url[64], why[256];
    int error;
    fixture_open(&f, -1, false);
    make_flat_arm(&d, DOFS, ROBO_SERVO_SETPOINT, "nothing");
    strcpy(d.name, "humanoid");
    if (robo_add(f.world, &d, NULL) < 0 || robo_test_relay_open(f.port, &lag, &relay) < 0)
        fail("no link");
    snprintf(url, sizeof url, "robotalk://127.0.0.1:%u", robo_test_relay_port(relay));
    robo_client *c = robo_connect(f.world, url, PATIENCE, &error, why);
    const int64_t session = c ? robo_session(c, &humanoid, PATIENCE) : -1,
                  beat = session > 0 ? robo_request(c, (uint32_t)session, ROBO_Q_BROADCAST, &every)
                                     : -1;
    if (beat <= 0)
        fail("no session");
    listen(c, SPAN, (uint32_t)beat, &ages);
    for (int i = 0; i < STOPS; i++) {
        stop(c, (uint32_t)session, &answers);
        listen(c, PERIOD * 10, (uint32_t)beat, &ages);
    }
    tell(report, "age of a humanoid's state at 20 kB/s; 0.4 s", &ages, AGE);
    tell(report, "a stop beside them; 0.5 s", &answers, ANSWER);
    robo_disconnect(c);
    robo_test_relay_close(relay);
    fixture_close(&f);
}
