/* What a robot behind a Player server tells that when their connection is lost: a server whose robot has other clients does not stop it
 * when one goes. The server is a stand-in, which notes what it hears, tells what a test wants, and never moves or stops anything by
 * itself. Real sockets, real clocks; nothing here measures time. */
#include "player_robot.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BASE = ROBO__PLAYER_POSITION2D, HEAD = ROBO__PLAYER_PTZ, CLAW = ROBO__PLAYER_GRIPPER };
enum { CMD = ROBO__PLAYER_CMD, REQ = ROBO__PLAYER_REQ, MOST = 1 << 17, SOME = 20 };

/* ---- the server ---- */

/* It reads, it tells of the base, it is to end its connection, it ends each new one at once, it is over. */
static atomic_bool reads, tells, cuts, away, over;
static atomic_uint grip_state; /* state of the gripper that it tells, as Player has it */
static pthread_t stand_in;
static int listener;
static char url[64];

struct said {
    unsigned connection, interf, type, subtype;
    double value[8];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what was said */
static struct said said[MOST];
static unsigned saids, connections;
static bool torn; /* a connection ended otherwise than by its client's last byte */

static void send_message(int fd, struct robo__player_header h, const char *layout,
                         const struct robo__player_body *body)
{
    uint8_t out[256];
    h.size = layout ? (uint32_t)robo__player_encode(layout, body, out + ROBO__PLAYER_HEADER,
                                                    sizeof out - ROBO__PLAYER_HEADER)
                    : 0;
    robo__player_put_header(&h, out);
    if (send(fd, out, ROBO__PLAYER_HEADER + h.size, MSG_NOSIGNAL) < 0)
        torn = true; /* with the lock */
}

static void tell(int fd, unsigned interf, const char *layout)
{
    const struct robo__player_body still = { .value = { interf == CLAW ? atomic_load(&grip_state)
                                                                       : 0 } };
    send_message(fd,
                 (struct robo__player_header){
                     .interf = (uint16_t)interf, .type = ROBO__PLAYER_DATA, .subtype = 1 },
                 layout, &still);
}

/* Notes a message, and grants what is asked for. */
static void take(int fd, const struct robo__player_header *h, const uint8_t *bytes)
{
    const struct robo__player_kind *kind = robo__player_kind_of(h->interf, h->type, h->subtype);
    struct robo__player_body body = { .values = 0 };
    struct robo__player_mistake mistake;
    if (saids == MOST || !kind || !robo__player_decode(kind->body, bytes, h->size, &body, &mistake))
        abort(); /* cmocka's own are of the test's thread */
    said[saids] = (struct said){
        .connection = connections, .interf = h->interf, .type = h->type, .subtype = h->subtype
    };
    memcpy(said[saids++].value, body.value, sizeof said[0].value);
    if (h->type != REQ)
        return;
    struct robo__player_header reply = *h;
    reply.type = ROBO__PLAYER_ACK;
    const bool opens = h->interf == ROBO__PLAYER_PLAYER;
    body.arrays = opens ? 1 : 0;
    body.array[0] = (struct robo__player_array){ .count = 1, .raw = (const uint8_t *)"" };
    send_message(fd, reply, opens ? kind->reply : NULL, &body);
}

/* Until it ends: two messages of the head's before each look, of which the second fails if the client has closed without reading. */
static void converse(int fd)
{
    char banner[ROBO__PLAYER_BANNER] = "Player v.3.1.1";
    uint8_t in[1 << 14];
    size_t count = 0;
    bool good = send(fd, banner, sizeof banner, MSG_NOSIGNAL) > 0;
    while (good && !atomic_load(&over) && !atomic_exchange(&cuts, false)) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        pthread_mutex_lock(&lock);
        tell(fd, HEAD, "5fu");
        tell(fd, HEAD, "5fu");
        if (atomic_load(&tells))
            tell(fd, BASE, "6db");
        tell(fd, CLAW, "bub");
        pthread_mutex_unlock(&lock);
        poll(&p, atomic_load(&reads) ? 1 : 0, 2);
        if (!atomic_load(&reads) || !p.revents)
            continue;
        const ssize_t n = recv(fd, in + count, sizeof in - count, 0);
        pthread_mutex_lock(&lock);
        torn |= n < 0;
        good = n > 0;
        count += good ? (size_t)n : 0;
        size_t at = 0;
        struct robo__player_header h;
        const char *why;
        for (; count - at >= ROBO__PLAYER_HEADER; at += ROBO__PLAYER_HEADER + h.size) {
            if (!robo__player_get_header(in + at, &h, &why))
                abort();
            if (count - at - ROBO__PLAYER_HEADER < h.size)
                break;
            take(fd, &h, in + at + ROBO__PLAYER_HEADER);
        }
        memmove(in, in + at, count - at);
        count -= at;
        pthread_mutex_unlock(&lock);
    }
    close(fd);
}

static void *run(void *arg)
{
    (void)arg;
    while (!atomic_load(&over)) {
        struct pollfd p = { .fd = listener, .events = POLLIN };
        if (poll(&p, 1, 5) <= 0)
            continue;
        if (atomic_load(&away)) {
            close(accept(listener, NULL, NULL));
            continue;
        }
        pthread_mutex_lock(&lock);
        connections++;
        pthread_mutex_unlock(&lock);
        converse(accept(listener, NULL, NULL));
    }
    return NULL;
}

/* The newest connection on which all was asked for that comes before commands: the geometry is the last. */
static unsigned newest(void)
{
    unsigned n = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < saids; i++)
        if (said[i].interf == BASE && said[i].type == REQ && said[i].subtype == 1)
            n = said[i].connection;
    pthread_mutex_unlock(&lock);
    return n;
}

/* The place of the nth such message, from 1, of a connection; 0: there were not as many. */
static unsigned nth(unsigned n, unsigned connection, unsigned interf, unsigned type,
                    unsigned subtype, struct said *out)
{
    unsigned place = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < saids && place == 0; i++) {
        const struct said *s = &said[i];
        if (s->connection != connection || s->interf != interf || s->type != type ||
            s->subtype != subtype || --n > 0)
            continue;
        place = i + 1;
        *out = *s;
    }
    pthread_mutex_unlock(&lock);
    return place;
}

static unsigned first(unsigned connection, unsigned interf, unsigned type, unsigned subtype,
                      struct said *out)
{
    return nth(1, connection, interf, type, subtype, out);
}

/* Whether there was such a message of a connection, and the last of them. */
static bool last(unsigned connection, unsigned interf, unsigned type, unsigned subtype,
                 struct said *out)
{
    unsigned n = 1;
    while (nth(n, connection, interf, type, subtype, out) > 0)
        n++;
    return n > 1;
}

/* ---- the robot ---- */

/* A base, a head and a gripper. */
static struct robo_description wears_all(void)
{
    static struct robo_link link[] = { { .name = "base" }, { .name = "eye" }, { .name = "claw" } };
    static struct robo_dof dof[] = {
        { .name = "pan",
          .axis = { 0, 0, 1 },
          .low = -1,
          .high = 1,
          .speed = 10,
          .acceleration = 9 },
        { .name = "tilt",
          .axis = { 0, 1, 0 },
          .low = -1,
          .high = 1,
          .speed = 10,
          .acceleration = 9 },
        { .name = "width",
          .kind = ROBO_PRISMATIC,
          .axis = { 0, 1, 0 },
          .high = 1,
          .speed = 1,
          .acceleration = 9 },
    };
    enum { SERVO = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED };
    static struct robo_joint joint[] = {
        { .name = "root", .parent = ROBO_WORLD },
        { .name = "head", .child = 1, .dofs = 2, .servo = SERVO },
        { .name = "gripper", .child = 2, .dofs = 1, .first = 2, .servo = SERVO },
    };
    struct robo_description d = quick_base("player");
    d.links = d.joints = d.dofs = 3;
    d.link = link;
    d.joint = joint;
    d.dof = dof;
    d.panic = ROBO_LIMP;
    return d;
}

/* timeout: of data, s. */
static void begin_by(double timeout)
{
    listener = listen_narrowly(url);
    saids = connections = 0;
    torn = false;
    atomic_store(&grip_state, ROBO__GRIPPER_CLOSED);
    atomic_store(&reads, true);
    atomic_store(&tells, true);
    atomic_store(&cuts, false);
    atomic_store(&away, false);
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&stand_in, NULL, run, NULL), 0);
    open_world_here();
    add_here(wears_all(), url, timeout);
    come();
}

static int begin(void **state)
{
    (void)state;
    begin_by(600);
    return 0;
}

static int begin_impatient(void **state)
{
    (void)state;
    begin_by(2);
    return 0;
}

static int end(void **state)
{
    (void)state;
    close_world_here();
    atomic_store(&over, true);
    pthread_join(stand_in, NULL);
    close(listener);
    return 0;
}

static bool taken(struct robo_cmd cmd)
{
    return result(cmd) <= ROBO_MODIFIED;
}

static const struct robo_cmd drive = { .op = ROBO_SET_SPEED, .body.set_speed = { 0.5, 0, 0 } },
                             stop = { .op = ROBO_STOP },
                             pan = { .op = ROBO_SET_JOINT_SPEED,
                                     .body.servo = { .joint = 1, .mask = 1, .value = { 0.2 } } },
                             grip = { .op = ROBO_SET_JOINT_SPEED,
                                      .body.servo = { .joint = 2, .mask = 1, .value = { 0.2 } } };

/* Whether the server has all that was told to stand. */
static bool rests(void)
{
    struct robo__player_link *p = link_here();
    pthread_mutex_lock(&p->lock);
    const bool rest = p->moves == 0 && p->rests == 0;
    pthread_mutex_unlock(&p->lock);
    return rest;
}

/* The server ends the connection; there is the next one. */
static unsigned lose(void)
{
    const unsigned before = newest();
    atomic_store(&cuts, true);
    EVENTUALLY(newest() > before && is_ready());
    return newest();
}

/* The server reads no more, until commands wait here. */
static void fill(void)
{
    size_t held = 0;
    atomic_store(&reads, false);
    for (int i = 0; i < 1 << 20 && held < SOME; i++) {
        assert_true(taken(drive));
        held = waiting();
    }
    assert_true(held >= SOME);
}

/* ---- tests ---- */

static void test_the_next_connection_says_that_the_base_stands_before_its_motors_go_on(void **state)
{
    (void)state;
    struct said vel = { .value = { 1 } }, motors;
    EVENTUALLY(taken(drive));
    const unsigned c = lose(), at = first(c, BASE, CMD, VEL, &vel);
    assert_true(at > 0);
    assert_true(vel.value[0] == 0 && vel.value[1] == 0 && vel.value[2] == 0);
    assert_true(at < first(c, BASE, REQ, MOTORS, &motors));
    assert_true(motors.value[0] == 1);
}

static void test_a_base_that_others_drive_is_left_to_them(void **state)
{
    (void)state;
    struct said vel;
    EVENTUALLY(is_ready());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0); /* it was never moved */
    EVENTUALLY(taken(drive));
    assert_true(first(lose(), BASE, CMD, VEL, &vel) > 0);
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0); /* that was told */
    EVENTUALLY(taken(drive));
    assert_true(taken(stop));
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0);
}

/* It stands there by itself; the stand-in's base is at the origin. */
static void test_a_base_that_has_come_to_its_place_is_left_to_others(void **state)
{
    (void)state;
    struct said vel;
    const struct robo_cmd go = { .op = ROBO_GO_TO };
    EVENTUALLY(is_ready());
    assert_int_equal(result(go), ROBO_SUCCESS);
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0);
}

/* What goes with the connection has not stopped anything. */
static void test_a_stop_that_is_lost_with_its_connection_is_said_again(void **state)
{
    (void)state;
    struct said vel = { .value = { 1 } };
    EVENTUALLY(taken(drive));
    fill();
    assert_true(taken(stop));
    assert_false(rests());
    const unsigned before = newest();
    atomic_store(&cuts, true); /* with all that it has not read */
    atomic_store(&reads, true);
    EVENTUALLY(newest() > before && is_ready());
    assert_true(first(newest(), BASE, CMD, VEL, &vel) > 0);
    assert_true(vel.value[0] == 0);
}

static void test_a_head_and_a_gripper_that_move_by_speeds_are_told_to_stand(void **state)
{
    (void)state;
    struct said mode = { .value = { 1 } }, head, claw, vel;
    EVENTUALLY(taken(pan));
    assert_true(taken(grip));
    const unsigned c = lose(), at = first(c, HEAD, CMD, PTZ_STATE, &head);
    assert_true(at > 0);
    assert_true(head.value[3] == 0 && head.value[4] == 0);
    const unsigned by = first(c, HEAD, REQ, PTZ_MODE, &mode);
    assert_true(by > 0 && by < at); /* by speeds: it does not turn to where it was */
    assert_true(mode.value[0] == 0);
    assert_true(first(c, CLAW, CMD, GRIP_STOP, &claw) > 0);
    assert_int_equal(first(c, BASE, CMD, VEL, &vel), 0);
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), HEAD, CMD, PTZ_STATE, &head), 0);
}

/* The device that knew what it had moved is closed by then. */
static void test_a_robot_described_anew_while_the_server_is_away_is_told_to_stand(void **state)
{
    (void)state;
    struct said vel = { .value = { 1 } }, motors, claw;
    EVENTUALLY(taken(drive));
    assert_true(taken(grip));
    const unsigned before = newest();
    atomic_store(&away, true);
    atomic_store(&cuts, true);
    EVENTUALLY(!is_ready());
    struct robo_description d = *robo_robot_description(here);
    d.deadman += 1000000;
    assert_int_equal(robo_reload(here, &d, NULL), 0);
    atomic_store(&away, false);
    EVENTUALLY(newest() > before && is_ready());
    const unsigned c = newest(), at = first(c, BASE, CMD, VEL, &vel);
    assert_true(at > 0);
    assert_true(vel.value[0] == 0 && vel.value[1] == 0 && vel.value[2] == 0);
    assert_true(at < first(c, BASE, REQ, MOTORS, &motors));
    assert_true(first(c, CLAW, CMD, GRIP_STOP, &claw) > 0);
    EVENTUALLY(rests());
    assert_int_equal(first(lose(), BASE, CMD, VEL, &vel), 0); /* that was told */
}

/* The server reads all of it, and then the end: it is not torn from it with what it has not read yet. */
static void test_late_data_stop_what_moves_and_end_the_connection_in_order(void **state)
{
    (void)state;
    struct said vel;
    EVENTUALLY(taken(drive));
    const unsigned c = newest();
    atomic_store(&tells, false);
    EVENTUALLY(newest() > c);
    const unsigned next = newest();
    assert_true(last(c, BASE, CMD, VEL, &vel));
    assert_true(vel.value[0] == 0);
    pthread_mutex_lock(&lock);
    const bool in_order = !torn;
    pthread_mutex_unlock(&lock);
    assert_true(in_order);
    assert_int_equal(first(next, BASE, CMD, VEL, &vel), 0); /* so it is not said again */
}

/* The way is full, and so a limp halt waits when the data come late. */
static void test_a_limp_halt_outlives_the_connection_on_which_it_waits(void **state)
{
    (void)state;
    struct said motors = { .value = { 1 } }, vel = { .value = { 1 } };
    EVENTUALLY(taken(drive));
    const unsigned before = newest();
    fill();
    robo_panic(here);
    atomic_store(&tells, false);
    EVENTUALLY(!is_ready());
    atomic_store(&reads, true);
    atomic_store(&tells, true);
    EVENTUALLY(newest() > before && is_ready());
    const unsigned c = newest();
    for (unsigned i = before; i <= c; i++) /* on the one on which it waited, or a later one */
        last(i, BASE, CMD, VEL, &vel);
    assert_true(vel.value[0] == 0);
    assert_true(vel.value[3] == 0); /* its motors are to be off */
    assert_true(first(c, BASE, REQ, MOTORS, &motors) > 0);
    assert_true(motors.value[0] == 0);
    robo_reset(here);
    robo_disconnect(client); /* what it knows is of before the panic */
    come();
    EVENTUALLY(taken(drive));
    EVENTUALLY(nth(2, c, BASE, REQ, MOTORS, &motors) > 0);
    assert_true(motors.value[0] == 1);
}

/* Not a loss: the head is there at once, and the gripper takes its time. */
static void test_it_is_home_when_head_and_gripper_are(void **state)
{
    (void)state;
    struct robo__player_link *p = link_here();
    EVENTUALLY(taken(stop));
    atomic_store(&grip_state, ROBO__GRIPPER_MOVING);
    bool moves = false;
    REPEAT_UNTIL(moves, {
        pthread_mutex_lock(&p->lock);
        moves = p->grip == ROBO__GRIPPER_MOVING;
        pthread_mutex_unlock(&p->lock);
    });
    const struct robo_cmd home = { .op = ROBO_HOME };
    const uint32_t id = give(home);
    bool turned = false;
    REPEAT_UNTIL(turned, {
        pthread_mutex_lock(&p->lock);
        turned = p->grip_goal.ticket != 0 && p->head_goal.ticket == 0;
        pthread_mutex_unlock(&p->lock);
    });
    assert_int_equal(robo_wait(client, id, 0), ROBO_ETIMEOUT);
    atomic_store(&grip_state, ROBO__GRIPPER_CLOSED);
    assert_int_equal(answer_to(id).signal, ROBO_SUCCESS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, begin, end)
#define LATE(name) cmocka_unit_test_setup_teardown(test_##name, begin_impatient, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_next_connection_says_that_the_base_stands_before_its_motors_go_on),
        TEST(a_base_that_others_drive_is_left_to_them),
        TEST(a_base_that_has_come_to_its_place_is_left_to_others),
        TEST(a_stop_that_is_lost_with_its_connection_is_said_again),
        TEST(a_head_and_a_gripper_that_move_by_speeds_are_told_to_stand),
        TEST(a_robot_described_anew_while_the_server_is_away_is_told_to_stand),
        TEST(it_is_home_when_head_and_gripper_are),
        LATE(late_data_stop_what_moves_and_end_the_connection_in_order),
        LATE(a_limp_halt_outlives_the_connection_on_which_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
