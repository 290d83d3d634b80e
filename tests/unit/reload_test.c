/* A robot is described anew while others command it, read it and panic it from other threads. */

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "../scenery.h"
#include "../described.h"
#include "body/body.h"
#include "robot/robot.h"
#include "robot/sessions/session.h"
#include "robotalk/description.h"

/* A base and joints of one dof with these names; a name of "" ends them. */
static void make(struct robo_description *d, const char *const *names)
{
    begin_description(d, 4, (struct robo_description){ .name = "thing" });
    d->devices = 1;
    d->commands = UINT64_MAX;
    strcpy(d->device[0].driver, "sim");
    d->device[0].base = 1;
    strcpy(d->link[0].name, "base");
    strcpy(d->joint[0].name, "root");
    strcpy(d->frame[0].name, "root");
    d->joint[0].parent = ROBO_WORLD;
    d->links = d->joints = d->frames = 1;
    for (; **names; names++, d->links++, d->joints++, d->dofs++) {
        snprintf(d->link[d->links].name, 32, "link %s", *names);
        d->joint[d->joints] = (struct robo_joint){ .child = d->links,
                                                   .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
                                                   .first = d->dofs,
                                                   .dofs = 1 };
        snprintf(d->joint[d->joints].name, 32, "%s", *names);
        strcpy(d->dof[d->dofs].name, "q");
        d->dof[d->dofs].axis[2] = 1;
        d->dof[d->dofs].low = -2;
        d->dof[d->dofs].high = 2;
    }
}

static const char *const one[] = { "head", "tail", "" }, *const other[] = { "ear", "head", "" };

struct shared {
    robo_robot *robot;
    atomic_bool stop;
    atomic_uint answered;
};

static void *command(void *arg)
{
    struct shared *s = arg;
    const struct robo__session_request request = { .name = "direct", .deadman = 1000000000 };
    struct robo__session *session;
    char why[128];
    assert_int_equal(robo__session_open(s->robot, NULL, &request, NULL, NULL,
                                        robo__robot_now(s->robot), &session, why),
                     0);
    uint32_t id = 0;
    while (!atomic_load(&s->stop)) {
        struct robo_cmd cmd = { .op = ++id % 3 ? ROBO_SET_JOINT : ROBO_SET_SPEED,
                                .start = ROBO_AT_ONCE,
                                .id = id };
        robo_time now = robo__robot_now(s->robot);
        if (cmd.op == ROBO_SET_JOINT)
            cmd.body.servo =
                (struct robo_servo_command){ .joint = 1, .mask = 1, .value = { id % 2 } };
        cmd.start = id % 5 ? 0 : now + 300000;
        struct robo_state state;
        robo_read(s->robot, &state, sizeof state);
        if (!robo__session_commands(session, &cmd, 1,
                                    (struct robo__known){ .epoch = (uint16_t)state.epoch },
                                    ROBO_NO_TIME, now))
            break;
        struct robo_result result[64];
        atomic_fetch_add(&s->answered, (unsigned)robo__session_results(session, result, 64));
    }
    robo__session_close(session);
    return NULL;
}

static void *panic(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load(&s->stop)) {
        struct robo_state state;
        robo_panic(s->robot);
        robo_read(s->robot, &state, sizeof state);
        robo_reset(s->robot);
        struct timespec t = { .tv_nsec = 200000 };
        nanosleep(&t, NULL);
    }
    return NULL;
}

TEST(from_many_threads)
{
    static struct robo_description a, b;
    const struct robo_options options = { .size = sizeof options };
    robo_world *world = robo_open(&options);
    assert_non_null(world);
    make(&a, one);
    make(&b, other);
    assert_int_equal(robo_add_drivers(world), 0);
    struct shared s = { 0 };
    assert_int_equal(robo_add(world, &a, &s.robot), 0);
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, command, &s);
    pthread_create(&thread[1], NULL, command, &s);
    pthread_create(&thread[2], NULL, panic, &s);
    for (int i = 0; i < 100 || atomic_load(&s.answered) < 100; i++) {
        struct robo_reload_report report;
        assert_int_equal(robo_reload(s.robot, i % 2 ? &a : &b, &report), 0);
        assert_int_equal(described(s.robot)->dofs, 2);
        assert_false(report.lost);
    }
    atomic_store(&s.stop, true);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    robo_release(s.robot);
    robo_close(world);
}

/* ---- what a driver sees of it ---- */

static int opens, closes, refuse;
static double found, found_speed;

static int open_fussy(void *place, robo_device *device, robo_time now)
{
    const struct robo_state *before = robo_device_before(device);
    found = before ? before->position[0] : -1;
    found_speed = before ? before->speed[0] : 0;
    opens++;
    return refuse-- > 0 ? ROBO_EDEVICE : 0;
}

static void start_fussy(void *place, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
}

static void read_fussy(const void *place, robo_time now, struct robo_state *out)
{
    out->position[0] = 0.25;
    out->position[1] = 0.75;
    out->speed[0] = 0.5; /* what is halted may coast */
}

static void halt_fussy(void *place, robo_time now)
{
}

static void close_fussy(void *place)
{
    closes++;
}

static const robo_driver fussy = { .size = sizeof(robo_driver),
                                   .name = "fussy",
                                   .state_size = 1,
                                   .open = open_fussy,
                                   .start = start_fussy,
                                   .read = read_fussy,
                                   .halt = halt_fussy,
                                   .close = close_fussy };

TEST(drivers)
{
    static struct robo_description a, b;
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1 };
    struct robo_reload_report report;
    struct robo_state s;
    robo_robot *robot;
    robo_world *world = robo_open(&options);
    assert_non_null(world);
    make(&a, one);
    make(&b, other);
    strcpy(a.device[0].driver, "fussy");
    strcpy(b.device[0].driver, "fussy");
    robo_add_driver(world, &fussy);
    opens = closes = refuse = 0;
    assert_int_equal(robo_add(world, &a, &robot), 0);
    assert_true(found == -1); /* a new robot goes on from nothing */

    /* the head was dof 0 and is dof 1; the ear was not there */
    assert_int_equal(robo_reload(robot, &b, &report), 0);
    assert_int_equal(opens, 2);
    assert_int_equal(closes, 1);
    assert_true(isnan(found));
    assert_true(found_speed == 0);
    assert_int_equal(robot->revisions->revision, 1);

    /* a new one that does not open leaves the old one running, which is opened again */
    refuse = 1;
    assert_int_equal(robo_reload(robot, &a, &report), ROBO_EDEVICE);
    assert_false(report.lost);
    assert_int_equal(opens, 4);
    assert_int_equal(closes, 3);
    assert_true(found == 0.25);
    assert_string_equal(described(robot)->joint[1].name, "ear");
    assert_int_equal(robot->revisions->revision, 1);

    /* neither opens: the robot is without devices, says so, and a better description brings it back */
    refuse = 2;
    assert_int_equal(robo_reload(robot, &a, &report), ROBO_EDEVICE);
    assert_true(report.lost);
    robo_read(robot, &s, sizeof s);
    assert_true(s.position[0] == 0.25); /* as it was last seen, and at rest */
    assert_true(s.speed[0] == 0 && !s.moving);
    robo_panic(robot);
    robo_reset(robot);

    /* another robot's, and nonsense, are refused before anything is touched */
    strcpy(b.name, "other");
    assert_int_equal(robo_reload(robot, &b, NULL), ROBO_EINVAL);
    a.joint[1].first = 7;
    assert_int_equal(robo_reload(robot, &a, NULL), ROBO_EINVAL);
    robo_release(robot);
    robo_close(world);
    assert_int_equal(opens, closes);
}

/* However often a robot is described anew, it keeps a few of its bodies, and no device that is closed. */
TEST(what_it_was_is_forgotten)
{
    static struct robo_description a;
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1 };
    robo_world *world = robo_open(&options);
    robo_robot *robot;
    assert_non_null(world);
    make(&a, one);
    assert_int_equal(robo_add_drivers(world), 0);
    assert_int_equal(robo_add(world, &a, &robot), 0);
    robo_body *first = robo_robot_body(robot);
    for (unsigned i = 1; i < ROBO__REVISIONS; i++)
        assert_int_equal(robo_reload(robot, &a, NULL), 0);
    assert_int_equal(first->holders, 2);
    assert_int_equal(robo_reload(robot, &a, NULL), 0);
    assert_int_equal(first->holders, 1);
    robo_body_release(first);

    /* while somebody reads, he may look at it */
    robo__reading_begin();
    first = described_body(robot);
    for (unsigned i = 0; i < 2 * ROBO__REVISIONS; i++)
        assert_int_equal(robo_reload(robot, &a, NULL), 0);
    assert_int_equal(first->holders, 1);
    robo_release(robot);
    robo_close(world);
}

/* Without devices a command is told so, and the robot comes back. */
TEST(lost_and_found)
{
    static struct robo_description a;
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1 };
    const struct robo__session_request request = { .name = "direct" };
    struct robo_reload_report report;
    struct robo__session *session;
    struct robo_result result;
    robo_robot *robot;
    char why[128];
    robo_world *world = robo_open(&options);
    assert_non_null(world);
    make(&a, one);
    strcpy(a.device[0].driver, "fussy");
    robo_add_driver(world, &fussy);
    opens = closes = refuse = 0;
    assert_int_equal(robo_add(world, &a, &robot), 0);
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &session, why), 0);
    refuse = 2;
    assert_int_equal(robo_reload(robot, &a, &report), ROBO_EDEVICE);
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .id = 1 };
    assert_int_equal(robo__session_commands(session, &cmd, 1, (struct robo__known){ 0 },
                                            ROBO_NO_TIME, robo_now(world)),
                     1);
    assert_int_equal(robo__session_results(session, &result, 1), 1);
    assert_int_equal(result.signal, ROBO_BUSY);
    assert_int_equal(result.reason, ROBO_WHY_CHANGED);
    assert_int_equal(robo_reload(robot, &a, &report), 0);
    assert_false(report.lost);
    assert_int_equal(robo__session_commands(session, &cmd, 1, (struct robo__known){ 0 },
                                            ROBO_NO_TIME, robo_now(world)),
                     1);
    assert_int_equal(robo__session_results(session, &result, 1), 0); /* under way */
    robo__session_close(session);
    robo_release(robot);
    robo_close(world);
    assert_int_equal(opens, closes);
}
