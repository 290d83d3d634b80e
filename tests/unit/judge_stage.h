/* Where the scenes of the judge's test are played, and what happens there. */
#pragma once

#include <math.h>

#include "robotalk/client_internal.h"
#include "run.h"
#include "robot/robot.h"
#include "fixture_core.h"
#include "base/time.h"

/* ---- the stage: one robot that shows what it is told to, and one client's two sessions with it ---- */

static struct robo_state shown;

static int puppet_open(void *state, robo_device *device, robo_time now)
{
    return 0;
}

static void puppet_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
}

static void puppet_read(const void *state, robo_time now, struct robo_state *out)
{
    out->position[0] = shown.position[0];
    out->speed[0] = shown.speed[0];
    out->moving = shown.speed[0] != 0;
}

static void puppet_halt(void *state, robo_time now)
{
}

static void puppet_close(void *state)
{
}

static const robo_driver puppet = { .size = sizeof(robo_driver),
                                    .name = "puppet",
                                    .state_size = 1,
                                    .open = puppet_open,
                                    .start = puppet_start,
                                    .read = puppet_read,
                                    .halt = puppet_halt,
                                    .close = puppet_close };

enum { WIRE = 7, OTHER = 8 };

static struct robo__run run;
static struct robo_test_report report;
static struct robo_client client;
static struct robo__loopback link_up;

static void add_visit(uint32_t wire)
{
    run.visit[run.visits++] = (struct robo__visit){ .life = 1,
                                                    .number = wire,
                                                    .wire = wire,
                                                    .expiry = S(1),
                                                    .deadman = S(0.5),
                                                    .gap = S(3), /* of buffered modes alone */
                                                    .heard = robo_now(world) };
}

static void open_scene(void)
{
    world = robo_open(
        &(struct robo_options){ .size = sizeof(struct robo_options), .virtual_clock = 1 });
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &puppet), 0);
    struct robo_description d = make_description("r", true);
    strcpy(d.device[0].driver, "puppet");
    d.dof[0].low = -1;
    d.dof[0].high = 1;
    assert_int_equal(robo_add(world, &d, &robot), 0);
    memset(&shown, 0, sizeof shown);
    memset(&run, 0, sizeof run);
    memset(&report, 0, sizeof report);
    memset(&client, 0, sizeof client);
    client.world = world;
    run.world = world;
    run.report = &report;
    run.robots = run.users = run.lines = 1;
    run.robot[0] = (struct robo__run_robot){ .robot = robot, .life = 1, .share = 1 };
    run.user[0].run = &run;
    run.user[0].role = ROBO_ROLE_OPERATE;
    run.user[0].client = &client;
    run.line[0].loopback = &link_up;
    add_visit(WIRE);
    add_visit(OTHER);
}

static void close_scene(void)
{
    robo_release(robot);
    robo_close(world);
}

/* ---- what happens there ---- */

static struct robo__errand *sends_in(uint16_t visit, struct robo_cmd cmd, bool frame)
{
    uint32_t id = run.errands + 1;
    robo__ledger_sends(&run, visit, &cmd, id, frame);
    return robo__ledger_errand(&run, id);
}

static struct robo__errand *sends(struct robo_cmd cmd)
{
    return sends_in(0, cmd, false);
}

static void arrives(struct robo__errand *e)
{
    e->arrived_turn = ++run.turn;
    e->arrived = robo_now(world);
}

/* A stop in a package of that id, which the server works on or not. begins: on so many devices. */
static void stop_comes(const struct robo__errand *e, uint32_t id, unsigned begins)
{
    const struct robo_cmd cmd = { .op = ROBO_STOP, .start = ROBO_AT_ONCE, .id = e->id };
    struct robo_header header = { .type = ROBO_TYPE_COMMAND, .session = WIRE, .id = id };
    struct robo_package p;
    uint8_t bytes[256];
    robo_package_begin(&p, bytes, sizeof bytes);
    robo_package_add_command(&p, &cmd);
    robo_package_end(&p, &header);
    assert_int_equal(robo_header_decode(bytes, &header), 0);
    robo__judge_package(&run, 0, &header, bytes + ROBO_HEADER_SIZE, robo_now(world));
    for (unsigned device = 0; device < begins; device++)
        robo__judge_begins(&run, 0, device, &cmd, robo_now(world));
    robo__judge_worked(&run, 0, &header, bytes + ROBO_HEADER_SIZE, robo_now(world));
}

static void begins(const struct robo__errand *e)
{
    const struct robo_cmd cmd = { .op = e->op, .start = ROBO_AT_ONCE, .id = e->id };
    robo__judge_begins(&run, 0, 0, &cmd, robo_now(world));
}

static struct robo_result word(const struct robo__errand *e, enum robo_signal signal,
                               enum robo_reason why)
{
    return (struct robo_result){ .id = e->id,
                                 .op = e->op,
                                 .signal = (uint8_t)signal,
                                 .reason = (uint8_t)why,
                                 .executed = e->begun ? e->begun_at : ROBO_NO_TIME,
                                 .scheduled = e->begun_at,
                                 .finished = robo_now(world) };
}

static void answered(const struct robo__errand *e, enum robo_signal signal, enum robo_reason why)
{
    struct robo_result result = word(e, signal, why);
    robo__answer_on_wire(&run, 0, &result);
}

static void told(const struct robo__errand *e, enum robo_signal signal, enum robo_reason why)
{
    struct robo_result result = word(e, signal, why);
    robo__answer_to_client(&run, &run.user[0], &result);
}

static void looks(void)
{
    robo__look(&run, 0, robo_now(world));
}
