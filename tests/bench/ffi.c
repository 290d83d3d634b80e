/* Direct commands from LuaJIT through bindings/ffi/robotalk.lua, beside the same in plain C: calls a second. */
#include <stdio.h>

#include "bench.h"
#include "../ids.h"

enum { TURNS = 4, BLOCKS = 5, ROUNDS = 2000 };

static void plain(const struct fixture *fixture, robo_client *c, uint32_t session,
                  struct samples *s)
{
    robo_time begin = robo_now(fixture->world);
    for (int i = 0; i < ROUNDS; i++) {
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED,
                                .start = ROBO_AT_ONCE,
                                .body.set_speed.x = 0.1 * (i & 1) };
        struct robo_result result;
        struct robo_event event;
        int64_t id = robo_send(c, session, &cmd, 1);
        if (id < 0 || robo_wait(c, (uint32_t)id, 5000000000) < 0 ||
            robo_take(c, (uint32_t)id, &result, sizeof result) != 1)
            return;
        while (robo_next_event(c, &event, sizeof event))
            ;
    }
    samples_add(s, ROUNDS * 1e9 / (double)(robo_now(fixture->world) - begin));
}

static bool from_luajit(const struct fixture *fixture, struct samples *s)
{
    char command[1024];
    double value;
    snprintf(command, sizeof command,
             "LUA_PATH='%s/bindings/ffi/?.lua;%s/ffi/?.lua' ROBOTALK_LIBRARY='%s/librobotalk.so' "
             "luajit %s/tests/bench/ffi.lua %s %d %d",
             ROBOTALK_SOURCE, ROBOTALK_BUILD, ROBOTALK_BUILD, ROBOTALK_SOURCE, fixture->url, BLOCKS,
             ROUNDS);
    FILE *pipe = popen(command, "r");
    while (pipe && fscanf(pipe, "%lf", &value) == 1)
        samples_add(s, value);
    return pipe && pclose(pipe) == 0;
}

void bench_ffi(reporter *report)
{
    struct fixture fixture;
    struct samples ours = { 0 }, limit = { 0 };
    uint32_t session;
    bool good = true;
    fixture_open(&fixture, 0, false);
    pin(1);
    robo_client *c = fixture_client(&fixture, &session);
    for (int i = 0; i < TURNS && good; i++) {
        for (int k = 0; k < BLOCKS; k++)
            plain(&fixture, c, session, &limit);
        good = from_luajit(&fixture, &ours);
    }
    robo_disconnect(c);
    fixture_close(&fixture);
    struct row row = { .name = "ffi",
                       .what = "direct calls from LuaJIT, beside plain C",
                       .unit = "/s",
                       .goal = 0.9,
                       .of = "p50",
                       .more_is_better = true };
    row_fill(&row, &ours, &limit);
    row.ratio = ratio_of(row.ours[0], row.limit[0]);
    if (good)
        report(&row);
    else
        fprintf(stderr, "robotalk-bench: ffi: luajit tests/bench/ffi.lua failed\n");
    samples_free(&ours);
    samples_free(&limit);
    pin(-1);
}
