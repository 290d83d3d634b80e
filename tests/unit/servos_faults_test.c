/* Serial servos with faults at random, in an hour of virtual time: nothing moves that was not commanded, nothing moves after a panic, nothing jumps, and
 * each command is answered once. */
#include "servos_arm.h"

#include "base/random.h"

enum { MOST = 16384, KINDS = 7 };
static const char *const KIND[KINDS] = { "silent",  "checksum", "noise", "overload",
                                         "voltage", "restart",  "cable" };
static const double STEP = 0.002;
/* rad/s: a quarter above the dofs', and what the simulated motor overshoots */
static const double FASTEST = 2.7;

static struct robo__random dice;
static uint8_t answers[MOST]; /* by id */
static uint32_t last;         /* id of the newest command */
static unsigned panics;

static double draw(double most)
{
    return most * robo__random_uniform(&dice);
}

static unsigned pick(unsigned n)
{
    return (unsigned)(robo__random_u64(&dice) % n);
}

static void take_answers(void)
{
    struct robo_result results[64];
    for (size_t n; (n = robo__session_results(session, results, 64)) > 0;)
        for (size_t i = 0; i < n; i++)
            if (results[i].id < MOST)
                answers[results[i].id]++;
}

static bool all_answered(uint32_t first)
{
    for (uint32_t id = first; id <= last; id++)
        if (answers[id] == 0)
            return false;
    return true;
}

/* Where each shaft has to stay. A servo that has lost its line goes on to its last goal: it is watched from its reconnection on. */
static struct {
    double angle; /* NAN: anywhere */
    bool lost;
    robo_time
        loaded; /* until when an obstacle may have kept it from its goal, by a tenth of a radian */
} place[SERVOS];

/* A moment in the life of an arm: something happens about once in a second. */
static void live(void)
{
    if (draw(1) < 0.5 * STEP) {
        const unsigned servo = pick(SERVOS), kind = pick(KINDS);
        fault(KIND[kind], servo, draw(1) < 0.5 ? 0 : draw(2));
        if (strcmp(KIND[kind], "overload") == 0)
            place[servo].loaded = robo_now(world) + 5 * (robo_time)1000000000;
    }
    if (draw(1) < 0.05 * STEP)
        arm->port.unplugged = true;
    if (arm->port.unplugged && draw(1) < 0.5 * STEP)
        arm->port.unplugged = false;
    if (in_panic() && draw(1) < STEP)
        robo_reset(robot);
    if (draw(1) < 0.02 * STEP)
        robo_panic(robot);
    if (last < MOST - 1 && draw(1) < STEP)
        last = give(draw(1) < 0.2 ? (struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE }
                                  : go((uint8_t)(1 + pick(SERVOS)), draw(4) - 2));
}

static void watch(bool still)
{
    for (unsigned i = 0; i < SERVOS; i++) {
        const bool was_lost = place[i].lost;
        place[i].lost = arm->port.unplugged || arm->joint[i].stage == ROBO__SERVOS_ABSENT;
        assert_true(fabs(seen(i).speed) < FASTEST);
        const bool freed = place[i].loaded && robo_now(world) >= place[i].loaded;
        if (freed)
            place[i].loaded = 0;
        /* a blocked goal goes on when the obstacle is gone, unless there is a panic */
        if (!still || place[i].lost || freed || (place[i].loaded && !in_panic()))
            place[i].angle = NAN;
        else if (isnan(place[i].angle) || was_lost)
            place[i].angle = angle_of(i);
        assert_false(fabs(angle_of(i) - place[i].angle) > (place[i].loaded ? 0.1 : 2 * A_TICK));
    }
}

static void live_for(double seconds)
{
    double panicked = -1, rested = -1; /* since when there is a panic, and no command */
    uint32_t first = last + 1;
    for (double t = 0; t < seconds; t += STEP) {
        live();
        run_for(STEP);
        take_answers();
        panics += in_panic() && panicked < 0;
        panicked = !in_panic() ? -1 : panicked < 0 ? t : panicked;
        rested = !all_answered(first) ? -1 : rested < 0 ? t : rested;
        if (all_answered(first))
            first = last + 1;
        /* 0.3 s for what was on its way, and for the last set-point to be reached */
        watch((panicked >= 0 && t - panicked > 0.3) || (rested >= 0 && t - rested > 0.3));
    }
}

static void live_as(void (*open)(uint8_t panic), uint64_t seed)
{
    robo__random_seed(&dice, seed);
    memset(answers, 0, sizeof answers);
    memset(place, 0, sizeof place);
    panics = 0;
    open(ROBO_HOLD);
    const uint32_t first = last + 1;
    live_for(300);
    run_for(30); /* all faults end, and all commands */
    take_answers();
    for (uint32_t id = first; id <= last; id++)
        assert_int_equal(answers[id], 1);
    assert_true(last > first + 100 && panics > 20);
    close_world();
}

TEST(feetech_servos_with_faults_at_random)
{
    for (uint64_t seed = 1; seed <= 6; seed++)
        live_as(open_arm, seed);
}

TEST(dynamixel_servos_with_faults_at_random)
{
    for (uint64_t seed = 1; seed <= 6; seed++)
        live_as(open_dynamixels, seed);
}
