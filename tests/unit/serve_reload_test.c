/* A client describes a robot anew over the wire: the configuration block in pieces, who may, and what is refused. */
#include "robotalk/configuration.h"
#include "../described.h"
#include "session_peer.h"

enum { MANY = 40 };

/* A base on device 0, and an arm of as many joints as there are names, in a row, on device 1. */
static void make_thing(struct robo_description *d, const char *const *names)
{
    begin_description(d, MANY + 2, (struct robo_description){ .name = "thing" });
    d->devices = 2;
    d->commands = UINT64_MAX;
    d->deadman = S(0.5);
    strcpy(d->device[0].driver, "actor");
    strcpy(d->device[1].driver, "actor");
    d->device[0].base = 1;
    strcpy(d->link[0].name, "base");
    strcpy(d->joint[0].name, "root");
    d->joint[0].parent = ROBO_WORLD;
    for (d->links = d->joints = 1; *names; names++, d->links++, d->joints++, d->dofs++) {
        snprintf(d->link[d->links].name, 32, "link %s", *names);
        d->joint[d->joints] = (struct robo_joint){ .parent = (uint16_t)(d->links - 1),
                                                   .child = d->links,
                                                   .servo = ROBO_SERVO_SETPOINT,
                                                   .device = 1,
                                                   .first = d->dofs,
                                                   .dofs = 1 };
        snprintf(d->joint[d->joints].name, 32, "%s", *names);
        strcpy(d->dof[d->dofs].name, "q");
        d->dof[d->dofs].axis[2] = 1;
        d->dof[d->dofs].low = -2;
        d->dof[d->dofs].high = 2;
    }
}

static const char *const HEAD_TAIL[] = { "head", "tail", NULL };
static const char *const EAR_HEAD[] = { "ear", "head", NULL };

static struct robo_description thing;
static uint8_t block[1 << 16];
static size_t block_size;

static void write_block(const char *const *names)
{
    make_thing(&thing, names);
    ptrdiff_t size = robo__configuration_encode(&thing, block, sizeof block, NULL);
    assert_true(size > 0);
    block_size = (size_t)size;
}

static int enter_thing(void **state)
{
    open_host(state);
    make_thing(&thing, HEAD_TAIL);
    assert_int_equal(robo_add(world, &thing, &robot), 0);
    robo_release(robot);
    p = peer_open();
    peer_enter(p, &(struct robo_request_open){ .robot = "thing" });
    write_block(EAR_HEAD);
    return 0;
}

/* A piece that says so; its query. */
static uint32_t send_piece(size_t size, size_t offset, const uint8_t *bytes, size_t count)
{
    struct robo_request_reload piece = { .size = (uint32_t)size,
                                         .offset = (uint32_t)offset,
                                         .count = (uint16_t)count };
    memcpy(piece.bytes, bytes, count);
    return peer_request(p, ROBO_Q_RELOAD, &piece);
}

static uint32_t send_all(size_t bytes)
{
    uint32_t id = 0;
    for (size_t at = 0; at < block_size; at += bytes) {
        size_t count = block_size - at < bytes ? block_size - at : bytes;
        id = send_piece(block_size, at, block + at, count);
        if (at + bytes < block_size)
            assert_int_equal(the_received(p, ROBO_TYPE_REPLY, id)->as.reload.received, at + count);
    }
    return id;
}

static void expect_old(void)
{
    assert_int_equal(robot->revisions->revision, 0);
    assert_string_equal(described(robot)->joint[1].name, "head");
}

static void expect_refused(uint32_t id, int error)
{
    expect_fault(p, error, true);
    assert_int_equal(told_fault(p)->query, id);
    expect_old();
}

FIXTURE(enter_thing, leave);

TEST(describes_anew)
{
    for (size_t bytes = 1; bytes <= 1 << 14; bytes = bytes * 7 + 100) {
        write_block(EAR_HEAD);
        uint32_t before = robot->revisions->revision;
        uint32_t id = send_all(bytes);
        const struct robo_reply_reload *reply = &the_received(p, ROBO_TYPE_REPLY, id)->as.reload;
        assert_int_equal(reply->received, block_size);
        assert_int_equal(reply->revision, before + 1);
        assert_int_equal(robot->revisions->revision, before + 1);
        const struct robo_description *d = described(robot);
        assert_string_equal(d->joint[1].name, "ear");
        assert_string_equal(d->device[1].driver, "actor");
        assert_int_equal(d->device[0].base, 1);
        run_for(0.01); /* all sessions are told */
        peer_listen(p);
        assert_int_equal(told_notices(p, ROBO_N_CHANGED), 1);
    }
}

/* The ear holds the head, whose device is known; the root's device is the base's. */
TEST(new_joints_have_the_driver_of_what_holds_them)
{
    static const char *const names[] = { "neck", "head", "ear", "tip", NULL };
    write_block(names);
    send_all(1 << 14);
    const struct robo_description *d = described(robot);
    assert_int_equal(d->joints, 5);
    const uint8_t devices[] = { 0, 0, 1, 1, 1 };
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(d->joint[i].device, devices[i]);
}

TEST(queued_commands_go_on_by_name)
{
    uint32_t head = peer_cmd(p, set_joint(5, 1, 1, 0.5));
    uint32_t tail = peer_cmd(p, set_joint(5, 2, 1, 1));
    uint32_t id = send_all(1 << 14);
    const struct robo_reply_reload *reply = &the_received(p, ROBO_TYPE_REPLY, id)->as.reload;
    assert_int_equal(reply->kept, 1);
    assert_int_equal(reply->dropped, 1);
    assert_null(received_of(p, ROBO_TYPE_SIGNAL, head));
    expect_told(p, tail, ROBO_ERROR, ROBO_WHY_CHANGED);
    run_until(4.8);
    peer_flag(p, 0, 0); /* it is still there */
    run_until(5.1);
    assert_int_equal(heard(ROBO_SET_JOINT), 1);
}

TEST(only_who_operates)
{
    for (uint8_t role = ROBO_ROLE_WATCH; role < ROBO_ROLE_OPERATE; role++) {
        peer_close(p);
        p = peer_open();
        peer_request(p, ROBO_Q_HELLO,
                     &(struct robo_request_hello){
                         .lowest = ROBO_VERSION, .highest = ROBO_VERSION, .role = role });
        uint32_t open =
            peer_request(p, ROBO_Q_OPEN, &(struct robo_request_open){ .robot = "thing" });
        p->session = the_received(p, ROBO_TYPE_REPLY, open)->as.open.session;
        expect_refused(send_piece(block_size, 0, block, 100), ROBO_EROLE);
    }
}

TEST(in_panic_too_and_it_stays_in_panic)
{
    send_piece(block_size, 0, block, 100);
    robo_panic(robot);
    uint32_t last = send_piece(block_size, 100, block + 100, block_size - 100);
    assert_int_equal(the_received(p, ROBO_TYPE_REPLY, last)->as.reload.revision, 1);
    struct robo_state now;
    robo_read(robot, &now, sizeof now);
    assert_int_equal(now.panic, 1);
}

TEST(pieces_come_in_order)
{
    expect_refused(send_piece(block_size, 100, block, 10), ROBO_ERANGE);
    send_piece(block_size, 0, block, 100);
    expect_refused(send_piece(block_size, 99, block + 99, 10), ROBO_ERANGE);
    /* what was refused is forgotten */
    expect_refused(send_piece(block_size, 100, block + 100, 10), ROBO_ERANGE);
    send_piece(block_size, 0, block, 100);
    expect_refused(send_piece(block_size + 1, 100, block + 100, 10), ROBO_ERANGE);
    expect_refused(send_piece(99, 0, block, 100), ROBO_ERANGE);
    expect_refused(send_piece(UINT32_MAX, 0, block, 100), ROBO_ERANGE);
    expect_refused(send_piece(0, 0, block, 0), ROBO_EBODY);
    /* 0 begins anew, also for another session */
    send_piece(block_size, 0, block, 100);
    uint32_t first = p->session;
    peer_enter(p, &(struct robo_request_open){ .robot = "thing" });
    assert_true(p->session != first);
    expect_refused(send_piece(block_size, 100, block + 100, 10), ROBO_ERANGE);
    uint32_t id = send_all(300);
    assert_int_equal(the_received(p, ROBO_TYPE_REPLY, id)->as.reload.revision, 1);
}

TEST(what_is_no_body_is_refused)
{
    block[0] ^= 1;
    expect_refused(send_all(1 << 14), ROBO_EBODY);
    assert_non_null(strstr(told_fault(p)->text, "RTCB"));
    make_thing(&thing, EAR_HEAD);
    thing.joint[1].parent = 9;
    block_size = (size_t)robo__configuration_encode(&thing, block, sizeof block, NULL);
    expect_refused(send_all(1 << 14), ROBO_EBODY);
    make_thing(&thing, EAR_HEAD);
    strcpy(thing.name, "other");
    block_size = (size_t)robo__configuration_encode(&thing, block, sizeof block, NULL);
    expect_refused(send_all(1 << 14), ROBO_EINVAL);
    assert_non_null(strstr(told_fault(p)->text, "other"));
}

/* A large body takes several pieces; and one that is not finished goes with its connection, with its memory. */
TEST(the_rest_may_never_come)
{
    static char room[MANY][8];
    static const char *names[MANY + 1];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(room[i], sizeof room[i], "j%zu", i);
        names[i] = room[i];
    }
    write_block(names);
    assert_true(block_size > 1 << 14);
    size_t used = world->memory.used;
    send_piece(block_size, 0, block, 1 << 14);
    assert_int_equal(world->memory.used, used + block_size);
    peer_close(p);
    p = peer_open();
    assert_true(world->memory.used <= used);
    peer_enter(p, &(struct robo_request_open){ .robot = "thing" });
    uint32_t id = send_all(1 << 14);
    assert_int_equal(the_received(p, ROBO_TYPE_REPLY, id)->as.reload.revision, 1);
    assert_int_equal(described(robot)->joints, MANY + 1);
}
