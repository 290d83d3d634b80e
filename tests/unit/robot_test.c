/* The monitor: the order in which commands run, the bounds of its queue, coming and going of robots. */
#include "fixture_sessions.h"

#include <pthread.h>

#include "base/random.h"

/* ---- order (RoboTalk IV.A) ---- */

FIXTURE(open_one, close_one);

/* Any starts in any order of arrival: they run sorted by start, ties as they arrived; a stable sort of what
 * was sent is the model. */
struct sent {
    robo_time start;
    uint32_t id;
};

static int by_start(const void *x, const void *y)
{
    const struct sent *s = x, *t = y;
    if (s->start != t->start)
        return s->start < t->start ? -1 : 1;
    return s->id < t->id ? -1 : s->id > t->id; /* ids count arrivals */
}

TEST(order_against_a_stable_sort)
{
    enum { COMMANDS = 2000 };
    static struct sent sent[COMMANDS];
    struct robo__random random;
    robo__random_seed(&random, 7);
    robot->revisions->body->description.deadman = 0;
    struct robo__session *s[3];
    for (int i = 0; i < 3; i++)
        s[i] = open_session(NULL, NULL);
    for (int i = 0; i < COMMANDS; i++) {
        /* a hundred instants for two thousand commands: many ties, over three sessions */
        double start = 2 + (double)(robo__random_u64(&random) % 100) * 0.01;
        sent[i].start = S(start);
        sent[i].id = send_cmd(s[robo__random_u64(&random) % 3], set_speed(start, i));
    }
    qsort(sent, COMMANDS, sizeof sent[0], by_start);
    run_until(10);
    assert_int_equal(heard(0), COMMANDS);
    for (int i = 0; i < COMMANDS; i++) {
        assert_int_equal(heard_log[i].id, sent[i].id);
        assert_int_equal(heard_log[i].at, sent[i].start);
    }
    for (int i = 0; i < 3; i++)
        robo__session_close(s[i]);
}

/* What is due runs before what has just come, whoever is awake first. */
TEST(due_before_new)
{
    uint32_t due = send_cmd(a, set_speed(1.2, 1));
    struct robo_cmd cmd = set_speed(0, 2);
    cmd.id = ++last_id;
    /* an admission that is told a later time than the timers have come to */
    robo__session_commands(a, &cmd, 1, (struct robo__known){ 0 }, S(1.3), S(1.3));
    assert_true(heard_id(due) && heard_id(cmd.id) && heard_id(due) < heard_id(cmd.id));
    take_answers(a);
    assert_int_equal(answer_to(due)->executed - answer_to(due)->scheduled,
                     S(0.1)); /* its lateness */
}

/* ---- the queue's bounds ---- */

TEST(full_queue_keeps_what_it_has)
{
    robot->revisions->body->description.deadman = 0;
    enum { BATCH = ROBO__SESSION_MOST, GREEDY = 24 };
    struct robo__session *s[GREEDY];
    struct robo_cmd *cmds = calloc(BATCH, sizeof *cmds);
    uint32_t id = 0;
    for (int k = 0; k < GREEDY; k++) {
        s[k] = open_session(NULL, NULL);
        for (int i = 0; i < BATCH; i++) {
            cmds[i] = set_speed(5, 1);
            cmds[i].id = ++id;
        }
        size_t n = robo__session_commands(s[k], cmds, BATCH, (struct robo__known){ 0 }, S(1), S(1));
        assert_int_equal(n, BATCH);
        assert_in_range(s[k]->mover.queued.count, ROBO__SESSION_GRANTED + 1, ROBO__SESSION_MOST);
    }
    /* those that take all they can get leave room for others */
    uint32_t filled = robot->timeline.queue.count;
    assert_in_range(robot->timeline.queue.beyond, ROBO__QUEUE_COMMON * 3 / 4,
                    ROBO__QUEUE_COMMON - 1);
    assert_int_equal(s[0]->mover.queued.count, ROBO__SESSION_MOST);
    uint32_t mine = send_cmd(a, set_speed(1.2, 1));
    assert_int_equal(take_answers(a), 0);
    /* at once needs no room in the queue */
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(5);
    take_answers(a);
    expect_signal(mine, ROBO_SUCCESS, ROBO_WHY_NONE);
    size_t done = 0;
    for (int i = 0; i < GREEDY; i++) {
        assert_int_equal(take_answers(s[i]), BATCH);
        for (size_t k = 0; k < answer_count; k++) {
            done += answers[k].signal == ROBO_SUCCESS;
            assert_true(answers[k].signal == ROBO_SUCCESS || answers[k].reason == ROBO_WHY_FULL);
        }
    }
    assert_int_equal(done, filled);
    assert_int_equal(heard(0), FIXTURE_LOG); /* as many as it writes down */
    for (int i = 0; i < GREEDY; i++)
        robo__session_close(s[i]);
    free(cmds);
}

/* Whatever the others do, each session finds its own 256 places; so there is a bound to sessions, too. */
TEST(a_session_finds_the_places_that_are_its_own)
{
    robot->revisions->body->description.deadman = 0;
    static struct robo__session *s[ROBO__SESSIONS];
    struct robo_cmd *cmds = calloc(ROBO__SESSION_MOST, sizeof *cmds);
    for (uint32_t i = 0; i < ROBO__SESSION_MOST; i++)
        cmds[i] = (struct robo_cmd){ .op = ROBO_SET_SPEED, .id = i + 1, .start = S(5) };
    uint32_t count = robot->movers.count;
    for (unsigned k = 0; k < ROBO__SESSIONS - count; k++) {
        const uint32_t wanted = k < 30 ? ROBO__SESSION_MOST : 2 * ROBO__SESSION_GRANTED;
        s[k] = open_session(NULL, NULL);
        robo__session_commands(s[k], cmds, wanted, (struct robo__known){ 0 }, S(1), S(1));
        assert_in_range(s[k]->mover.queued.count, ROBO__SESSION_GRANTED,
                        ROBO__SESSION_MOST + ROBO__SESSION_URGENT);
    }
    assert_true(robot->timeline.queue.count <= robot->timeline.queue.capacity);
    struct robo__session *more = NULL;
    char text[128];
    static const struct robo__session_request direct;
    assert_int_equal(robo__session_open(robot, NULL, &direct, NULL, NULL, S(1), &more, text),
                     ROBO_ELIMIT);
    for (unsigned k = 0; k < ROBO__SESSIONS - count; k++)
        robo__session_close(s[k]);
    assert_int_equal(robot->timeline.queue.beyond + robot->timeline.queue.count, 0);
    free(cmds);
}

TEST(no_world_goes_on_for_ever)
{
    const robo_time now = robo_now(world);
    assert_int_equal(robo_advance(world, INT64_MAX), ROBO_EINVAL);
    assert_int_equal(robo_advance(world, now - 1), ROBO_EINVAL);
    assert_int_equal(robo_now(world), now);
}

/* ---- robots come and go ---- */

TEST(descriptions_are_checked)
{
    struct robo_description good = make_description("x", false), d = { .link = NULL };
    robo_robot *r;
    copy_description(&d, &good), d.name[0] = 0;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), memset(d.name, 'x', sizeof d.name);
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), d.joints = ROBO_MAX_JOINTS + 1;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), d.devices = ROBO_MAX_DEVICES + 1;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), d.dofs = ROBO_MAX_DOFS + 1;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), d.dofs = 3;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    /* times that cannot be, or overflow in a sum */
    robo_time *const times[] = { &d.deadman, &d.deadman_limit, &d.gap_limit, &d.bus_age };
    for (size_t i = 0; i < 4; i++) {
        copy_description(&d, &good), *times[i] = -1;
        assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
        copy_description(&d, &good), *times[i] = INT64_MAX;
        assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    }
    copy_description(&d, &good), d.joint[1].dofs = ROBO_JOINT_DOFS + 1;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), d.joint[1].dofs = 0;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), d.joint[2].first = 2;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), d.joint[2].device = 2;
    assert_int_equal(robo_add(world, &d, &r), ROBO_EINVAL);
    copy_description(&d, &good), strcpy(d.device[1].driver, "none such");
    assert_int_equal(robo_add(world, &d, &r), ROBO_EDEVICE);
    copy_description(&d, &good), strcpy(d.name, "r");
    assert_int_equal(robo_add(world, &d, &r), ROBO_EEXISTS);
    assert_int_equal(robo_add(world, &good, &r), 0);
    robo_robot *x = robo_find(world, "x"), *first = robo_find(world, "");
    assert_ptr_equal(x, r);
    assert_ptr_equal(first, robot);
    assert_null(robo_find(world, "y"));
    robo_release(x);
    robo_release(first);
    robo_release(r);
}

static int failing_opens, failing_closes;
static int fail_open(void *state, robo_device *device, robo_time now)
{
    failing_opens++;
    return ROBO_ETIMEOUT;
}
static void count_close(void *state)
{
    failing_closes++;
}

TEST(driver_that_does_not_open)
{
    robo_driver failing = actor_driver;
    failing.name = "failing";
    failing.open = fail_open;
    failing.close = count_close;
    failing_opens = failing_closes = 0;
    assert_int_equal(robo_add_driver(world, &failing), 0);
    struct robo_description d = make_description("x", false);
    strcpy(d.device[1].driver, "failing");
    robo_robot *r;
    assert_int_equal(robo_add(world, &d, &r), ROBO_ETIMEOUT);
    assert_int_equal(failing_opens, 1);
    assert_int_equal(failing_closes, 1); /* close follows a failed open too */
    assert_null(robo_find(world, "x"));
    /* the name may be given to another driver by nobody */
    robo_driver twin = failing;
    assert_int_equal(robo_add_driver(world, &twin), ROBO_EEXISTS);
    assert_int_equal(robo_add_driver(world, &failing), 0);
    twin.name = "twin", twin.halt = NULL;
    assert_int_equal(robo_add_driver(world, &twin), ROBO_EINVAL);
}

/* A robot may go while sessions are open: they are answered, told, and closed when their owner likes. The
 * recording driver fails the test if it is called after its close. */
TEST(remove_with_open_sessions)
{
    acting.goal = S(10);
    robo_robot *first = robot;
    robot = add_robot("second", false);
    struct robo__session *s = open_counting();
    uint32_t drive = send_cmd(s, go_to(0, 1)), later = send_cmd(s, go_to(1.2, 1));
    struct robo_state before, after;
    robo_read(robot, &before, sizeof before);
    wakes = 0;
    robo_remove(robot);
    assert_int_equal(heard_halts(), 2);
    assert_true(wakes > 0 && robo__session_gone(s));
    assert_null(robo_find(world, "second"));
    take_answers(s);
    expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    expect_signal(later, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    /* everything that an owner who has not looked yet may still do */
    robo_read(robot, &after, sizeof after);
    assert_memory_equal(&before.pose, &after.pose, sizeof before.pose);
    struct robo_cmd cmd = set_speed(0, 1);
    assert_int_equal(robo__session_commands(s, &cmd, 1, (struct robo__known){ 0 }, S(1), S(1)), 0);
    assert_int_equal(robo__session_cancel(s, 0, S(1)), 0);
    robo__session_heard(s, 0, ROBO_NO_TIME, S(1));
    robo_panic(robot);
    robo_reset(robot);
    assert_int_equal(heard_halts(), 2);
    run_until(30);
    robo__session_close(s);
    robot = first;
}

/* ---- a driver that errs ---- */

static robo_time advance_always_now(void *state, robo_time now)
{
    return now; /* wants to be called again at once, for ever */
}

TEST(driver_that_wants_every_instant)
{
    robo_driver busy = actor_driver;
    busy.name = "busy";
    busy.advance = advance_always_now;
    assert_int_equal(robo_add_driver(world, &busy), 0);
    struct robo_description d = make_description("x", true);
    strcpy(d.device[0].driver, "busy");
    robo_robot *first = robot;
    assert_int_equal(robo_add(world, &d, &robot), 0);
    struct robo__session *s = open_session(NULL, NULL);
    expect_answer(s, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(robo_advance(world, robo_now(world) + 1000), 0); /* it comes back */
    robo__session_close(s);
    robo_remove(robot);
    robo_release(robot);
    robot = first;
}

/* ---- the published state, by threads (what the thread sanitizer watches) ---- */

static atomic_bool reading;

static void *read_states(void *arg)
{
    robo_robot *r = arg;
    struct robo_state state;
    robo_time last = 0;
    while (atomic_load(&reading)) {
        robo_read(r, &state, sizeof state);
        assert_true(state.time >= 0);
        assert_true(state.dofs == 4);
        last = state.time;
    }
    (void)last;
    return NULL;
}

TEST(readers_and_writers, NULL)
{
    open_fixture_of(NULL, false);
    struct robo__session *s = open_session(NULL, NULL);
    atomic_store(&reading, true);
    pthread_t reader[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&reader[i], NULL, read_states, robot), 0);
    for (int i = 0; i < 2000; i++) {
        robo_time now = robo_now(world);
        struct robo_cmd cmds[2] = { set_speed(0, i), set_speed(0, i) };
        cmds[0].id = 2 * (uint32_t)i + 1, cmds[1].id = cmds[0].id + 1;
        cmds[1].start = now + 200000; /* runs on the robot's own thread */
        assert_int_equal(
            robo__session_commands(
                s, cmds, 2,
                (struct robo__known){ .epoch = (uint16_t)robo__robot_alarm(robot).epoch }, now,
                now),
            2);
        if (i % 500 == 499) {
            robo_panic(robot);
            robo_reset(robot);
        }
        take_answers(s);
    }
    atomic_store(&reading, false);
    for (int i = 0; i < 2; i++)
        pthread_join(reader[i], NULL);
    robo_panic(robot);
    take_answers(s);
    assert_int_equal(s->mover.unanswered, 0);
    robo__session_close(s);
    robo_close(world);
}
