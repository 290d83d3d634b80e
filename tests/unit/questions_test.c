/* A C host answers what clients' protocols ask the program, through robotalk.h alone: here, that a client's description of
 * the robot be taken on. */
#include <math.h>
#include <string.h>

#include "../test.h"
#include "robotalk.h"
#include "robotalk/description.h"
#include "robotalk/questions.h"
#include "robotalk/session.h"
#include "../ids.h"

#define S(seconds) ((robo_time)((seconds)*1e9))

static robo_world *world;
static robo_loop *loop;
static robo_questions *questions;
static robo_body *body;
static robo_client *client;
static uint32_t session;

/* Of the questions that have come. */
static uint64_t number[8];
static int came;

static void on_question(void *owner, uint64_t n)
{
    assert_ptr_equal(owner, &came);
    assert_true(came < 8);
    number[came++] = n;
}

static int begin(void **state)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    struct robo_link link = { .name = "base" };
    struct robo_joint root = { .name = "root", .parent = ROBO_WORLD };
    struct robo_description cart = {
        .name = "cart", .devices = 1, .links = 1, .link = &link, .joints = 1, .joint = &root
    };
    cart.commands = 1 << (ROBO_SET_SPEED - ROBO_FIRST_OP) | 1 << (ROBO_STOP - ROBO_FIRST_OP);
    cart.device[0] = (struct robo_binding){ .driver = "sim", .base = 1 };
    came = 0;
    questions = NULL;
    client = NULL;
    body = NULL;
    loop = NULL;
    world = robo_open(&options);
    return world && robo_add_drivers(world) == 0 && robo_body_make(&cart, &body, NULL) == 0 &&
                   robo_add_body(world, body, NULL) == 0 &&
                   (loop = robo_loop_open(world)) != NULL &&
                   (questions = robo_questions_open(loop, on_question, &came)) != NULL
               ? 0
               : -1;
}

static int end(void **state)
{
    robo_disconnect(client);
    robo_questions_close(questions);
    robo_loop_close(loop);
    robo_close(world);
    robo_body_release(body);
    return 0;
}

/* A client on that loop, which asks for a reload; the query's id. */
static uint32_t ask(robo_loop *on)
{
    client = robo_client_open(on, "local:", NULL, NULL, NULL);
    assert_non_null(client);
    assert_int_equal(robo_client_wait(client, S(5), NULL), 0);
    int64_t id = robo_session(client, NULL, S(5));
    assert_true(id > 0);
    session = (uint32_t)id;
    id = robo_client_reload(client, session, body);
    assert_true(id > 0);
    assert_int_equal(robo_advance(world, robo_now(world) + S(1)), 0);
    return (uint32_t)id;
}

static int reply_to(uint32_t id, struct robo_reply_reload *reply)
{
    assert_int_equal(robo_wait(client, id, S(5)), 0);
    return robo_take_reply(client, id, reply, sizeof *reply);
}

FIXTURE(begin, end);

TEST(a_question_is_answered)
{
    struct robo_reply_reload reply;
    struct robo_asked asked;
    uint32_t id = ask(loop);
    assert_int_equal(came, 1);
    assert_int_equal(robo_questions_look(questions, number[0], &asked), 0);
    assert_int_equal(asked.number, number[0]);
    assert_true(asked.guest > 0);
    assert_string_equal(asked.protocol, "robotalk");
    assert_string_equal(asked.action, "reload");
    assert_string_equal(asked.robot, "");
    assert_string_equal(asked.text, "");
    assert_int_equal(asked.count, 0);
    assert_string_equal(robo_body_description(asked.body)->name, "cart");

    robo_robot *robot = robo_find(world, "cart");
    struct robo_reload_report report;
    assert_int_equal(robo_reload_body(robot, asked.body, &report), 0);
    robo_release(robot);
    assert_int_equal(robo_take_reply(client, id, &reply, sizeof reply), 0); /* it waits */
    const double values[ROBO_MAX_ANSWER + 1] = { 0, 5, 6 };
    assert_int_equal(
        robo_questions_answer(questions, number[0], 1, values, ROBO_MAX_ANSWER + 1, NULL),
        ROBO_ERANGE);
    assert_int_equal(robo_questions_answer(questions, number[0], 1, values, 3, NULL), 0);
    assert_int_equal(reply_to(id, &reply), 1);
    assert_true(reply.kept == 5 && reply.dropped == 6 && reply.revision == 1);
    /* it is over */
    assert_int_equal(robo_questions_look(questions, number[0], &asked), ROBO_ENONE);
    assert_int_equal(robo_questions_answer(questions, number[0], 1, NULL, 0, NULL), ROBO_ENONE);
}

TEST(the_client_hears_why_not)
{
    struct robo_reply_reload reply;
    uint32_t id = ask(loop);
    const double refused[] = { -ROBO_EROLE, 0, 0 };
    assert_int_equal(robo_questions_answer(questions, number[0], 1, refused, 3, "not on Sundays"),
                     0);
    assert_int_equal(reply_to(id, &reply), ROBO_EROLE);
    assert_non_null(strstr(robo_client_why(client), "not on Sundays"));
}

/* With its sign. What is no number of an error is not taken for success. */
TEST(errors_are_as_the_library_has_them)
{
    struct robo_reply_reload reply;
    const double refused[][3] = { { ROBO_EROLE }, { NAN }, { 1e300 } };
    const int heard[] = { ROBO_EROLE, ROBO_EDEVICE, ROBO_EDEVICE };
    for (int i = 0; i < 3; i++) {
        uint32_t id = ask(loop);
        assert_int_equal(came, 2 * i + 1);
        assert_int_equal(robo_questions_answer(questions, number[2 * i], 1, refused[i], 3, NULL),
                         0);
        assert_int_equal(reply_to(id, &reply), heard[i]);
        robo_disconnect(client);
        client = NULL;
        assert_int_equal(robo_advance(world, robo_now(world) + S(1)), 0);
        assert_int_equal(came, 2 * i + 2); /* that it has gone */
        assert_int_equal(robo_questions_answer(questions, number[2 * i + 1], 1, NULL, 0, NULL), 0);
    }
}

TEST(nobody_knows)
{
    struct robo_reply_reload reply;
    uint32_t id = ask(loop);
    assert_int_equal(robo_questions_answer(questions, number[0], 0, NULL, 0, NULL), 0);
    assert_int_equal(reply_to(id, &reply), ROBO_EDEVICE);
}

TEST(a_client_that_leaves_is_told_of)
{
    struct robo_asked first, last;
    ask(loop);
    assert_int_equal(robo_questions_look(questions, number[0], &first), 0);
    uint64_t guest = first.guest;
    robo_disconnect(client);
    client = NULL;
    assert_int_equal(robo_advance(world, robo_now(world) + S(1)), 0);
    assert_int_equal(came, 2);
    assert_int_equal(robo_questions_look(questions, number[1], &last), 0);
    assert_string_equal(last.action, "gone");
    assert_int_equal(last.guest, guest);
    for (int i = 0; i < 2; i++)
        assert_int_equal(robo_questions_answer(questions, number[i], 1, NULL, 0, NULL), 0);
}

TEST(who_closes_answers_all)
{
    struct robo_reply_reload reply;
    uint32_t id = ask(loop);
    robo_questions_close(questions);
    questions = NULL;
    assert_int_equal(reply_to(id, &reply), ROBO_EDEVICE);
    robo_questions_close(NULL);
}

TEST(other_loops_ask_when_they_are_told)
{
    struct robo_reply_reload reply;
    robo_loop *other = robo_loop_open(world);
    assert_non_null(other);
    uint32_t id = ask(other); /* nobody to ask: the robot is reloaded at once */
    assert_int_equal(came, 0);
    assert_int_equal(reply_to(id, &reply), 1);
    robo_disconnect(client);
    robo_questions_take(questions, other);
    id = ask(other);
    assert_int_equal(came, 1);
    assert_int_equal(robo_questions_answer(questions, number[0], 0, NULL, 0, NULL), 0);
    assert_int_equal(reply_to(id, &reply), ROBO_EDEVICE);
    robo_loop_close(other);
}
