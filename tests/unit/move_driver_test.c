/* What a driver sees of a frame: a start for each part, then one advance, and nothing between them. */
#include <string.h>

#include "../chain.h"
#include "one_robot.h"

enum { DOFS = 4, MOST = 4096 };
static const robo_time SECOND = 1000000000;

/* ---- a driver that writes down its calls ---- */

/* 's', 'a', 'r' and 'h': start, advance, read, halt. */
static char calls[MOST + 1];
static size_t call_count;

/* How each joint's commands end: by themselves at that instant after their start; 0: in start; or they are refused there. */
static struct {
    robo_time after;
    bool refused;
} way[DOFS];

struct limb {
    robo_device *device;
    robo_ticket ticket[DOFS];
    robo_time end[DOFS];
    bool started; /* and not advanced since */
};

static void note(char call)
{
    assert_true(call_count < MOST);
    calls[call_count++] = call;
    calls[call_count] = 0;
}

static void forget_calls(void)
{
    call_count = 0;
    calls[0] = 0;
}

static int limb_open(void *state, robo_device *device, robo_time now)
{
    struct limb *l = state;
    *l = (struct limb){ .device = device };
    return 0;
}

static void limb_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct limb *l = state;
    const unsigned i = cmd->body.servo.joint - 1u;
    note('s');
    l->started = true;
    if (cmd->op == ROBO_STOP) {
        memset(l->ticket, 0, sizeof l->ticket);
        robo_done(l->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    } else if (way[i].refused) {
        robo_done(l->device, ticket, ROBO_ERROR, ROBO_WHY_DEVICE);
    } else if (way[i].after == 0 || cmd->op == ROBO_SET_JOINT_SPEED) {
        robo_done(l->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    } else {
        l->ticket[i] = ticket;
        l->end[i] = now + way[i].after;
    }
}

static robo_time limb_advance(void *state, robo_time now)
{
    struct limb *l = state;
    robo_time next = ROBO_NEVER;
    note('a');
    l->started = false;
    for (int i = 0; i < DOFS; i++) {
        const robo_ticket ticket = l->ticket[i];
        if (ticket && l->end[i] <= now) {
            l->ticket[i] = 0;
            robo_done(l->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
        } else if (ticket && l->end[i] < next) {
            next = l->end[i];
        }
    }
    return next;
}

static void limb_read(const void *state, robo_time now, struct robo_state *out)
{
    const struct limb *l = state;
    note('r');
    assert_false(l->started);
    for (int i = 0; i < DOFS; i++)
        out->position[i] = 0.4;
}

static void limb_halt(void *state, robo_time now)
{
    struct limb *l = state;
    note('h');
    memset(l->ticket, 0, sizeof l->ticket);
}

static void limb_close(void *state)
{
}

static const robo_driver limb_driver = { .size = sizeof(robo_driver),
                                         .name = "limb",
                                         .state_size = sizeof(struct limb),
                                         .open = limb_open,
                                         .start = limb_start,
                                         .advance = limb_advance,
                                         .read = limb_read,
                                         .halt = limb_halt,
                                         .close = limb_close };

static int open_arm(void **state)
{
    static struct robo_description d;
    static const struct robo_options options = { .size = sizeof options,
                                                 .virtual_clock = 1,
                                                 .seed = 1 };
    memset(way, 0, sizeof way);
    make_flat_arm(&d, DOFS, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED, "limb");
    open_world_with(&options, &limb_driver, &d);
    forget_calls();
    return 0;
}

static int close_arm(void **state)
{
    close_world();
    return 0;
}

/* A frame of the first dofs and, maybe, of the tip of the arm. */
static struct robo_cmd frame(unsigned first, unsigned dofs, bool tip)
{
    struct robo__session_move *move = robo__move_make(dofs, tip);
    assert_non_null(move);
    for (unsigned i = 0; i < dofs; i++)
        move->set.dof[i] = (struct robo_move_dof){ .dof = (uint16_t)(first + i),
                                                   .servo = ROBO_SERVO_SETPOINT,
                                                   .value = 1 };
    if (tip)
        move->set.frame[0] =
            (struct robo_move_frame){ .frame = 1, .servo = ROBO_SERVO_SPEED, .value = { 0.1 } };
    return (struct robo_cmd){ .op = ROBO_MOVE,
                              .start = ROBO_AT_ONCE,
                              .revision = (uint8_t)robot->revisions->revision,
                              .body.move = &move->set };
}

static struct robo_result result;
static struct robo_part part[DOFS];
static unsigned parts;

/* Takes the only answer, if there is one. */
static bool take(void)
{
    struct robo_result more[2];
    const size_t n = robo__session_results(session, more, 2);
    assert_in_range(n, 0, 1);
    const struct robo__session_move *move = robo__session_next_move(session);
    parts = move ? robo__move_report(move, part, DOFS) : 0;
    if (n > 0)
        result = more[0];
    return n > 0;
}

/* ---- tests ---- */

FIXTURE(open_arm, close_arm);

TEST(a_command_is_a_start_and_an_advance)
{
    give(go(1, 1));
    assert_string_equal(calls, "sa");
}

TEST(a_frame_is_its_starts_and_one_advance)
{
    for (int i = 0; i < DOFS; i++)
        way[i].after = SECOND / 10;
    uint32_t id = give(frame(0, DOFS, false));
    assert_string_equal(calls, "ssssa");
    assert_false(take());
    run_for(0.2); /* what advance has asked for */
    assert_true(take());
    assert_int_equal(result.id, id);
    assert_int_equal(result.signal, ROBO_SUCCESS);
    assert_int_equal(result.finished - result.executed, SECOND / 10);
    assert_int_equal(robot->axes.taken + robot->axes.held, 0);
}

TEST(parts_may_end_in_start)
{
    way[1].after = way[2].after = SECOND / 10;
    way[2].refused = true;
    uint32_t id = give(frame(0, DOFS, false));
    assert_string_equal(calls, "ssssa");
    assert_false(take());
    run_for(0.2);
    assert_true(take());
    assert_int_equal(result.id, id);
    assert_int_equal(result.signal, ROBO_ERROR);
    assert_int_equal(result.reason, ROBO_WHY_DEVICE);
    assert_int_equal(parts, 1);
    assert_int_equal(part[0].number, 2);
    assert_int_equal(part[0].signal, ROBO_ERROR);
}

TEST(all_parts_may_end_in_start)
{
    give(frame(0, DOFS, false));
    assert_true(take());
    assert_int_equal(result.signal, ROBO_SUCCESS);
    assert_int_equal(robot->axes.taken + robot->axes.held, 0);
    forget_calls();
    give(go(1, 1)); /* a command is what it was before */
    assert_string_equal(calls, "sa");
}

/* What advance ends while the rest of a frame begins is not of that frame. */
TEST(what_ends_meanwhile_is_answered)
{
    way[DOFS - 1].after = SECOND / 10;
    uint32_t before = give(go(DOFS, 1));
    run_for(0.05);
    for (int i = 0; i < DOFS; i++)
        way[i].after = SECOND / 20;
    give(frame(0, DOFS - 1, false));
    run_for(0.2);
    struct robo_result both[3];
    assert_int_equal(robo__session_results(session, both, 3), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(both[i].signal, ROBO_SUCCESS);
        assert_int_equal(both[i].finished - both[i].executed,
                         both[i].id == before ? SECOND / 10 : SECOND / 20);
    }
}

/* A control frame reads the joints, which have started: they are advanced before. So do joints that take over from one. */
TEST(what_has_started_is_advanced_before_it_is_read)
{
    give(frame(0, 0, true));
    run_for(0.01);
    forget_calls();
    give(frame(0, 2, false));
    assert_non_null(strchr(calls, 'r'));
    assert_int_equal(calls[call_count - 1], 'a');
    give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    forget_calls();
    for (int i = 0; i < 20; i++) {
        give(frame(0, 0, true));
        give(frame((unsigned)i % 3, 2, false));
    }
    assert_non_null(strchr(calls, 'r'));
    assert_null(strstr(calls, "sr"));
}

TEST(a_panic_after_a_frame_halts_it)
{
    for (int i = 0; i < DOFS; i++)
        way[i].after = SECOND;
    give(frame(0, DOFS, false));
    robo_panic(robot);
    assert_true(take());
    assert_int_equal(result.signal, ROBO_PANIC);
    forget_calls();
    run_for(2); /* nothing is left of it to be advanced */
    assert_null(strchr(calls, 'a'));
}
