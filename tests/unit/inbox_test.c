/* Questions of a connection to the program: order, limits, and whoever goes first. In a virtual world, on one thread;
 * tests/net/inbox_test.c has threads. */
#include "fixture_host.h"

#include "net/inbox.h"

static struct robo__inbox *inbox;
static struct robo__asker asker;
static struct {
    uint64_t number, guest;
    char action[16], text[16];
    double value[2];
} came[200];
static int came_count, answered_count;
static struct {
    uint64_t tag;
    bool answered;
    size_t count;
    double first;
} got;

static void arrived(struct robo__question *q, void *owner)
{
    assert_ptr_equal(owner, &came_count);
    assert_string_equal(q->protocol, "test");
    assert_string_equal(q->robot, "rex");
    assert_true(came_count < 200);
    came[came_count].number = q->number;
    came[came_count].guest = q->guest;
    strcpy(came[came_count].action, q->action);
    strcpy(came[came_count].text, q->text);
    for (size_t i = 0; i < q->count && i < 2; i++)
        came[came_count].value[i] = q->value[i];
    came_count++;
}

static void on_answer(struct robo__asker *a, const struct robo__question *q, robo_time now)
{
    assert_ptr_equal(a, &asker);
    answered_count++;
    got.tag = q->tag;
    got.answered = q->answered;
    got.count = q->answers;
    got.first = q->answer[0];
}

static void go_on(void)
{
    robo_advance(world, robo_now(world) + 1);
}

static int begin(void **state)
{
    came_count = answered_count = 0;
    if (open_host(state) < 0)
        return -1;
    inbox = robo__inbox_open(&host, arrived, &came_count);
    if (inbox)
        robo__host_use_inbox(&host, inbox);
    robo__asker_open(&asker, &host, "test", "rex", on_answer);
    return inbox ? 0 : -1;
}

static int end(void **state)
{
    robo__asker_close(&asker);
    if (inbox)
        robo__inbox_close(inbox);
    inbox = NULL;
    go_on();
    assert_int_equal(atomic_load(&world->memory.used), 0);
    return close_host(state);
}

static void answer(int i, bool answered, double value)
{
    struct robo__question *q = robo__inbox_find(inbox, came[i].number);
    assert_non_null(q);
    robo__inbox_answer(q, answered, &value, 1);
}

FIXTURE(begin, end);

TEST(a_question_goes_there_and_back)
{
    const double values[] = { 1.5, -2 };
    assert_int_equal(robo__ask(&asker, "see", "pink", values, 2, 7), 0);
    assert_int_equal(robo__ask(&asker, "hear", NULL, NULL, 0, 8), 0);
    assert_int_equal(came_count, 0); /* nobody is called from inside of the asker */
    go_on();
    assert_int_equal(came_count, 2);
    assert_string_equal(came[0].action, "see");
    assert_string_equal(came[0].text, "pink");
    assert_true(came[0].value[0] == 1.5 && came[0].value[1] == -2);
    assert_string_equal(came[1].action, "hear");
    assert_true(came[0].guest != 0 && came[0].guest == came[1].guest);
    assert_int_equal(asker.open, 2);
    /* in any order, when it suits */
    answer(1, true, 3);
    assert_int_equal(answered_count, 0);
    go_on();
    assert_int_equal(answered_count, 1);
    assert_true(got.tag == 8 && got.answered && got.count == 1 && got.first == 3);
    assert_int_equal(asker.open, 1);
    assert_null(robo__inbox_find(inbox, came[1].number));
    answer(0, false, 0);
    go_on();
    assert_true(answered_count == 2 && got.tag == 7 && !got.answered);
}

TEST(there_are_limits)
{
    static const double values[ROBO__QUESTION_NUMBERS + 1];
    char text[ROBO__QUESTION_TEXT + 2] = "";
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(robo__ask(&asker, "a", text, NULL, 0, 0), ROBO_ERANGE);
    assert_int_equal(robo__ask(&asker, "a", NULL, values, ROBO__QUESTION_NUMBERS + 1, 0),
                     ROBO_ERANGE);
    for (int i = 0; i < ROBO__QUESTIONS; i++)
        assert_int_equal(robo__ask(&asker, "a", NULL, values, 2, 0), 0);
    assert_int_equal(robo__ask(&asker, "a", NULL, NULL, 0, 0), ROBO_ELIMIT);
    go_on();
    assert_int_equal(came_count, ROBO__QUESTIONS);
    assert_int_equal(robo__ask(&asker, "a", NULL, NULL, 0, 0), ROBO_ELIMIT);
    answer(5, true, 0);
    go_on();
    assert_int_equal(robo__ask(&asker, "a", NULL, NULL, 0, 0), 0);
    /* more of an answer than there is room for */
    static double many[ROBO__ANSWER_NUMBERS + 9];
    robo__inbox_answer(robo__inbox_find(inbox, came[6].number), true, many,
                       ROBO__ANSWER_NUMBERS + 9);
    go_on();
    assert_int_equal(got.count, ROBO__ANSWER_NUMBERS);
}

TEST(the_worlds_memory_is_one_of_them)
{
    size_t total = world->memory.total;
    static const double values[ROBO__QUESTION_NUMBERS];
    assert_int_equal(robo__ask(&asker, "a", NULL, values, 1, 0), 0);
    size_t one = atomic_load(&world->memory.used);
    assert_true(one > 0);
    world->memory.total = 3 * one; /* a share is no more than what it leaves */
    assert_int_equal(robo__ask(&asker, "a", NULL, values, ROBO__QUESTION_NUMBERS, 0), ROBO_ENOMEM);
    assert_int_equal(atomic_load(&world->memory.used), one);
    world->memory.total = total;
    go_on();
    answer(0, true, 0);
    go_on();
    assert_int_equal(atomic_load(&world->memory.used), 0);
}

TEST(an_asker_that_goes_is_told_of_once_and_hears_nothing)
{
    assert_int_equal(robo__ask(&asker, "a", NULL, NULL, 0, 0), 0);
    go_on();
    assert_int_equal(robo__ask(&asker, "b", NULL, NULL, 0, 0), 0);
    robo__asker_close(&asker);
    robo__asker_close(&asker); /* a closed one too */
    go_on();
    assert_int_equal(came_count, 3);
    assert_string_equal(came[1].action, "b"); /* it was asked before */
    assert_string_equal(came[2].action, "gone");
    assert_true(came[2].guest == came[0].guest);
    for (int i = 0; i < 3; i++)
        answer(i, true, 1);
    go_on();
    assert_int_equal(answered_count, 0);
    /* who has asked nothing goes without a word */
    robo__asker_open(&asker, &host, "test", "rex", on_answer);
    assert_true(asker.guest > came[2].guest);
    robo__asker_close(&asker);
    go_on();
    assert_int_equal(came_count, 3);
}

TEST(an_inbox_that_closes_answers_all)
{
    assert_int_equal(robo__ask(&asker, "a", NULL, NULL, 0, 1), 0);
    go_on();
    assert_int_equal(robo__ask(&asker, "b", NULL, NULL, 0, 2), 0); /* it is on its way */
    robo__inbox_close(inbox);
    inbox = NULL;
    go_on();
    assert_int_equal(answered_count, 2);
    assert_false(got.answered);
    assert_int_equal(robo__ask(&asker, "c", NULL, NULL, 0, 3), 0);
    go_on();
    assert_true(answered_count == 3 && got.tag == 3 && !got.answered);
    assert_int_equal(came_count, 1);
}

TEST(nobody_may_be_there_at_all)
{
    struct robo__asker alone;
    robo__host_use_inbox(&host, NULL);
    robo__asker_open(&alone, &host, "test", "rex", on_answer);
    assert_int_equal(robo__ask(&alone, "a", NULL, NULL, 0, 0), ROBO_ENONE);
    robo__asker_close(&alone);
}
