/* Queries about the scripts and the episodes of a server: the program answers them, each in its own time, and the connection tells what it was
 * told; who may ask for what, and what becomes of a question when one of the two has gone. */
#include <math.h>

#include "net/inbox.h"
#include "session_peer.h"

enum { MOST = 70 };

static struct robo__inbox *inbox;
static struct robo__question *came[MOST];
static int count;

static void arrived(struct robo__question *question, void *owner)
{
    assert_true(count < MOST);
    came[count++] = question;
}

/* The question that came as that one; the test fails when there is none. */
static struct robo__question *asked(int i)
{
    assert_true(i < count);
    return came[i];
}

static void go_on(void)
{
    run_for(0.001);
    peer_listen(p);
}

static int enter_program(void **state)
{
    count = 0;
    open_host(state);
    inbox = robo__inbox_open(&host, arrived, NULL);
    robo__host_use_inbox(&host, inbox);
    p = peer_open();
    peer_enter(p, NULL);
    p->session = 0; /* they need none */
    return 0;
}

static int leave_program(void **state)
{
    robo__inbox_close(inbox);
    run_for(0.001);
    return leave(state);
}

static uint32_t list(uint16_t index)
{
    uint32_t id = peer_request(p, ROBO_Q_SCRIPT, &(struct robo_request_script){ .index = index });
    go_on();
    return id;
}

static uint32_t start(const char *name)
{
    struct robo_request_script_start request = { 0 };
    strcpy(request.name, name);
    uint32_t id = peer_request(p, ROBO_Q_SCRIPT_START, &request);
    go_on();
    return id;
}

/* The program answers the question with words and so many numbers. */
static void say(struct robo__question *question, const char *words, const double *values, size_t n)
{
    snprintf(question->text, sizeof question->text, "%s", words);
    robo__inbox_answer(question, true, values, n);
    go_on();
}

FIXTURE(enter_program, leave_program);

TEST(lists_one_by_one)
{
    uint32_t id = list(7);
    assert_int_equal(count, 1);
    assert_string_equal(asked(0)->protocol, "robotalk");
    assert_string_equal(asked(0)->action, "script");
    assert_int_equal(asked(0)->count, 1);
    assert_true(asked(0)->value[0] == 7);
    say(asked(0), "patrol\nfailed\nalways\na/patrol.lua\npatrol.lua:3: oh",
        (double[]){ 0, 3, 1.5, 1e12, 0.25 }, 5);
    const struct robo_reply_script *script = &the_received(p, ROBO_TYPE_REPLY, id)->as.script;
    assert_string_equal(script->name, "patrol");
    assert_string_equal(script->state, "failed");
    assert_string_equal(script->restart, "always");
    assert_string_equal(script->file, "a/patrol.lua");
    assert_string_equal(script->why, "patrol.lua:3: oh");
    assert_int_equal(script->starts, 3);
    assert_int_equal(script->since, S(1.5));
    assert_int_equal(script->memory, 1000000000000);
    assert_int_equal(script->seconds, S(0.25));

    id = list(8);
    say(asked(1), "", (double[]){ 4, 0, 0, 0, 0 }, 5);
    expect_fault(p, ROBO_ENONE, true);
    assert_int_equal(told_fault(p)->query, id);
}

/* Whatever it says, and as little, is an answer that the client can read. */
TEST(an_answer_may_be_poor)
{
    char words[ROBO__QUESTION_TEXT + 1];
    memset(words, 'x', sizeof words);
    words[sizeof words - 1] = 0;
    uint32_t id = list(0);
    say(asked(0), words, (double[]){ 0, 1, 1, 1, 1 }, 5);
    assert_int_equal(strlen(the_received(p, ROBO_TYPE_REPLY, id)->as.script.name), 31);
    id = list(0);
    say(asked(1), "", (double[]){ 0, -1, NAN, -1e30, INFINITY }, 5);
    assert_true(received_of(p, ROBO_TYPE_REPLY, id) || told_fault(p)->query == id);
    id = list(0);
    say(asked(2), "oh", (double[]){ 0 }, 1);
    expect_fault(p, ROBO_ENONE, true);
    id = start("x");
    say(asked(3), "oh", (double[]){ -1e9 }, 1);
    expect_fault(p, ROBO_ESYSTEM, true);
    id = start("x");
    robo__inbox_answer(asked(4), false, NULL, 0);
    go_on();
    expect_fault(p, ROBO_ENONE, true);
    assert_int_equal(told_fault(p)->query, id);
}

TEST(each_is_answered_in_its_own_time)
{
    static const enum robo_query queries[] = { ROBO_Q_SCRIPT_START, ROBO_Q_SCRIPT_STOP,
                                               ROBO_Q_SCRIPT_RELOAD };
    static const char *const actions[] = { "script_start", "script_stop", "script_reload" };
    uint32_t id[3];
    for (int i = 0; i < 3; i++) {
        id[i] =
            peer_request(p, queries[i], &(struct robo_request_script_start){ .name = "patrol" });
        go_on();
        assert_string_equal(asked(i)->action, actions[i]);
        assert_string_equal(asked(i)->text, "patrol\ntest 1"); /* which script, and who asks */
    }
    say(asked(1), "", (double[]){ 0 }, 1);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id[1]));
    say(asked(2), "patrol.lua:1: nonsense", (double[]){ 1 }, 1);
    expect_fault(p, ROBO_EINVAL, true);
    assert_int_equal(told_fault(p)->query, id[2]);
    assert_non_null(strstr(told_fault(p)->text, "patrol.lua:1: nonsense"));
    say(asked(0), "", (double[]){ 0 }, 1);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id[0]));
}

TEST(an_episode_begins_and_is_looked_at)
{
    const struct robo_request_episode begin = { .action = 1, .task = "pick" };
    const uint32_t id = peer_request(p, ROBO_Q_EPISODE, &begin);
    go_on();
    assert_string_equal(asked(0)->action, "episode");
    assert_string_equal(asked(0)->text, "pick\ntest 1");
    assert_true(asked(0)->value[0] == 1);
    say(asked(0), "arm\nepisode 2: 90 frames", (double[]){ 0, 1, 3, 270, 1.5 }, 5);
    const struct robo_reply_episode *reply = &the_received(p, ROBO_TYPE_REPLY, id)->as.episode;
    assert_int_equal(reply->recording, 1);
    assert_int_equal(reply->episodes, 3);
    assert_int_equal(reply->frames, 270);
    assert_true(reply->length == 1500000000);
    assert_string_equal(reply->robot, "arm");
    assert_string_equal(reply->note, "episode 2: 90 frames");
}

TEST(only_who_operates_changes_any)
{
    peer_close(p);
    p = peer_open();
    peer_request(p, ROBO_Q_HELLO,
                 &(struct robo_request_hello){
                     .lowest = ROBO_VERSION, .highest = ROBO_VERSION, .role = ROBO_ROLE_DRIVE });
    uint32_t id = list(0);
    say(asked(0), "a", (double[]){ 0, 0, 0, 0, 0 }, 5);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, id));
    peer_request(p, ROBO_Q_SCRIPT_STOP, &(struct robo_request_script_start){ .name = "a" });
    expect_fault(p, ROBO_EROLE, true);
    assert_int_equal(count, 1);
}

TEST(a_client_that_has_gone_gets_no_answer)
{
    size_t used = world->memory.used;
    start("a");
    peer_close(p);
    p = peer_open();
    run_for(0.001);
    assert_string_equal(asked(1)->action, "gone");
    robo__inbox_answer(asked(0), true, (double[]){ 0 }, 1);
    robo__inbox_answer(asked(1), false, NULL, 0);
    run_for(0.001);
    assert_true(world->memory.used <= used);
}

TEST(so_many_wait_and_no_more)
{
    for (int i = 0; i < ROBO__QUESTIONS; i++)
        list(0);
    assert_int_equal(count, ROBO__QUESTIONS);
    peer_request(p, ROBO_Q_SCRIPT, &(struct robo_request_script){ 0 });
    expect_fault(p, ROBO_ELIMIT, true);
}

TEST(a_server_without_scripts_has_none, enter, leave)
{
    peer_request(p, ROBO_Q_SCRIPT, &(struct robo_request_script){ 0 });
    expect_fault(p, ROBO_ENONE, true);
    still_alive();
}
