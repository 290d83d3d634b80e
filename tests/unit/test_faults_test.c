/* What a client without inner headers sees: its answers, its link, its sessions; and failures made to order. */
#include <stdbool.h>
#include <string.h>

#include "../test.h"
#include "../base_robot.h"
#include "../described.h"
#include "robotalk.h"
#include "robot/reports.h"
#include "robotalk/test.h"
#include "robotalk/description.h"
#include "robotalk/link.h"
#include "robotalk/session.h"
#include "robotalk/words.h"
#include "../ids.h"

#define S(seconds) ((robo_time)((seconds)*1e9))

static robo_world *world;
static robo_loop *loop;
static robo_client *client;
static uint32_t session;

static int open_all(void **state)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    struct robo_description cart = base_robot("cart", "sim");
    cart.commands = 1 << (ROBO_SET_SPEED - ROBO_FIRST_OP) | 1 << (ROBO_STOP - ROBO_FIRST_OP);
    world = robo_open(&options);
    if (!world || robo_add_drivers(world) < 0 || robo_add(world, &cart, NULL) < 0 ||
        (loop = robo_loop_open(world)) == NULL)
        return -1;
    const struct robo_channel channel = { .size = sizeof channel, .latency = S(0.01) };
    const struct robo_client_options o = {
        .size = sizeof o, .reconnect = 1, .channel = &channel, .role = ROBO_ROLE_DRIVE
    };
    client = robo_client_open(loop, "local:", &o, NULL, NULL);
    if (!client || robo_client_wait(client, S(5), NULL) < 0)
        return -1;
    int64_t number = robo_session(client, NULL, S(5));
    session = (uint32_t)number;
    return number > 0 ? 0 : -1;
}

static int close_all(void **state)
{
    robo_disconnect(client);
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

static uint32_t send_speed(double x)
{
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed.x = x };
    int64_t id = robo_send(client, session, &cmd, 1);
    assert_true(id > 0);
    return (uint32_t)id;
}

/* Whether the link is told to be down, or up, within so long. */
static bool tells(bool up, double seconds)
{
    struct robo_event event;
    const robo_time until = robo_now(world) + S(seconds);
    while (robo_now(world) < until) {
        while (robo_next_event(client, &event, sizeof event))
            if (event.kind == ROBO_EVENT_LINK && (event.op == 0) == up)
                return true;
        robo_poll(client, until - robo_now(world));
    }
    return false;
}

FIXTURE(open_all, close_all);

TEST(answers_are_looked_at)
{
    struct robo_answer answer;
    uint32_t id = send_speed(0.1);
    assert_int_equal(robo_look(client, id, &answer), 0);
    robo_drop(client, id); /* it has not come: it is awaited on */
    assert_int_equal(robo_wait(client, id, S(1)), 0);
    assert_int_equal(robo_look(client, id, &answer), 1);
    assert_int_equal(answer.query, 0);
    assert_int_equal(answer.op, ROBO_SET_SPEED);
    assert_int_equal(answer.result->signal, ROBO_SUCCESS);
    assert_int_equal(answer.parts, 0);
    robo_drop(client, id);
    assert_int_equal(robo_look(client, id, &answer), ROBO_ENONE);

    id = (uint32_t)robo_request(client, session, ROBO_Q_STATE, NULL);
    assert_int_equal(robo_wait(client, id, S(1)), 0);
    assert_int_equal(robo_look(client, id, &answer), 1);
    assert_true(answer.query && answer.op == ROBO_Q_STATE && answer.error == 0);
    assert_true(((const struct robo_state *)answer.reply)->time > 0);
    robo_drop(client, id);

    const struct robo_request_robot nobody = { .index = 7 };
    id = (uint32_t)robo_request(client, 0, ROBO_Q_ROBOT, &nobody);
    assert_int_equal(robo_wait(client, id, S(1)), 0);
    assert_int_equal(robo_look(client, id, &answer), 1);
    assert_true(answer.query && answer.error == ROBO_ENONE && !answer.reply);
    robo_drop(client, id);
    assert_string_equal(robo_query_name(ROBO_Q_ROBOT), "robot");
    assert_string_equal(robo_notice_name(ROBO_N_SETTLED), "settled");
    assert_string_equal(robo_query_name(9999), "unknown");
}

TEST(what_a_client_knows)
{
    struct robo_session_news news;
    struct robo_timing timing;
    assert_int_equal(robo_client_role(client), ROBO_ROLE_DRIVE);
    assert_int_equal(robo_session_news(client, session, &news), 0);
    assert_true(news.open && news.blocking && !news.panic);
    assert_int_equal(robo_session_news(client, session + 1, &news), ROBO_ENONE);
    assert_int_equal(robo_client_panic(client, session), 0);
    robo_poll(client, S(0.1));
    robo_poll(client, S(0.1));
    assert_int_equal(robo_session_news(client, session, &news), 0);
    assert_true(news.panic && news.epoch == 1);
    assert_int_equal(robo_client_timing(client, &timing), 0);
    assert_int_equal(timing.least, S(0.02));
    assert_int_equal(timing.offset, 0);
    assert_true(timing.exchanges > 0 && timing.probing == 0);
    assert_true(robo_session(client,
                             &(struct robo_session_options){
                                 .size = sizeof(struct robo_session_options), .mode = "waltz" },
                             S(1)) == ROBO_EMODE);
    assert_non_null(strstr(robo_client_why(client), "no such command mode"));
}

TEST(a_link_is_lost)
{
    struct robo_session_news news;
    assert_int_equal(robo_test_lose(client), 0);
    assert_true(tells(false, 1));
    assert_int_equal(robo_test_lose(client), ROBO_ELINK);
    assert_int_equal(robo_test_cut(client, 1), ROBO_ELINK);
    assert_true(tells(true, 5)); /* it reconnects, with its session */
    for (int i = 0; i < 100 && (robo_session_news(client, session, &news) < 0 || !news.open); i++)
        robo_poll(client, S(0.1));
    assert_true(news.open);
    uint32_t id = send_speed(0);
    assert_int_equal(robo_wait(client, id, S(1)), 0);
}

TEST(a_link_is_half_open)
{
    struct robo_result result;
    assert_int_equal(robo_test_cut(client, 1), 0);
    uint32_t id = send_speed(0.1);
    assert_int_equal(robo_wait(client, id, S(0.5)), ROBO_ETIMEOUT);
    assert_true(tells(false, 600)); /* the silence */
    assert_int_equal(robo_take(client, id, &result, sizeof result), 1);
    assert_int_equal(result.reason, ROBO_WHY_LINK);
}

TEST(a_server_is_slow)
{
    assert_int_equal(robo_test_stall(client, S(2), S(1)), ROBO_EINVAL);
    assert_int_equal(robo_test_stall(client, S(0.3), S(0.3)), 0);
    robo_time began = robo_now(world);
    assert_int_equal(robo_wait(client, send_speed(0.1), S(2)), 0);
    assert_true(robo_now(world) - began >= S(0.32));
}

TEST(a_world_is_walked_through)
{
    struct robo_description second;
    uint64_t cursor = 0;
    assert_int_equal(robo_is_virtual(world), 1);
    robo_robot *first = robo_next_robot(world, &cursor);
    assert_string_equal(robo_robot_name(first), "cart");
    second = *described(first);
    strcpy(second.name, "second");
    assert_null(robo_next_robot(world, &cursor));
    assert_int_equal(robo_add(world, &second, NULL), 0);
    robo_remove(first); /* the walk goes on behind it */
    robo_robot *next = robo_next_robot(world, &cursor);
    assert_string_equal(robo_robot_name(next), "second");
    robo_release(next);
    robo_release(first);
    /* the signs of life of the client fall due, one after the other */
    robo_time due = robo_next_due(world);
    assert_true(due >= robo_now(world) && due < ROBO_NEVER);
    assert_int_equal(robo_loop_dispatch(loop, ROBO_NEVER), 0);
    assert_int_equal(robo_now(world), due);
    assert_string_equal(robo_error_name(ROBO_ELINK), "ELINK");
}
