/* The ordering of messages on a bus of one's own, through robotalk/order.h alone. What it decides is bus_schedule_test.c's. */
#include <math.h>

#include "../test.h"
#include "robotalk/order.h"

static const robo_time MS = 1000000;

/* Two joints that each move one row. */
static const double JACOBIAN[] = { 1, 0, 0, 1 };

static robo_ordering *open_ordering(struct robo_ordering_options o)
{
    int error = 1;
    o.size = sizeof o;
    robo_ordering *ordering = robo_ordering_open(&o, &error);
    assert_non_null(ordering);
    assert_int_equal(error, 0);
    return ordering;
}

static void refuse(struct robo_ordering_options o)
{
    int error = 1;
    o.size = sizeof o;
    assert_null(robo_ordering_open(&o, &error));
    assert_int_equal(error, ROBO_EINVAL);
}

TEST(the_joint_that_counts_most_is_first)
{
    robo_ordering *o = open_ordering((struct robo_ordering_options){ .joints = 2, .rows = 2 });
    struct robo_ordering_choice choice;
    const double wanted[] = { 0.1, -0.3 };
    assert_true(robo_ordering_size() > 0);
    assert_int_equal(robo_ordering_pick(o, JACOBIAN, wanted, 0, &choice), 0);
    assert_int_equal(choice.kind, ROBO_CHOICE_SEND);
    assert_int_equal(choice.joint, 1);
    assert_true(choice.value == -0.3);
    assert_int_equal(robo_ordering_sent(o, &choice, 0), 0);
    assert_true(robo_ordering_speeds(o)[1] == -0.3 && robo_ordering_speeds(o)[0] == 0);
    assert_int_equal(robo_ordering_choose(o, JACOBIAN, wanted, MS, &choice), 0);
    assert_int_equal(choice.joint, 0);
    assert_int_equal(robo_ordering_sent(o, &choice, MS), 0);
    assert_int_equal(robo_ordering_pick(o, JACOBIAN, wanted, 2 * MS, &choice), 0);
    assert_int_equal(choice.kind, ROBO_CHOICE_NOTHING); /* no message reduces the error */
    assert_int_equal(robo_ordering_lost(o, 1), 0);
    assert_int_equal(robo_ordering_pick(o, JACOBIAN, wanted, 3 * MS, &choice), 0);
    assert_int_equal(choice.kind, ROBO_CHOICE_SEND);
    assert_int_equal(choice.joint, 1); /* it is repeated */
    robo_ordering_close(o);
    robo_ordering_close(NULL);
}

TEST(a_joint_is_due_in_time)
{
    robo_ordering *o = open_ordering((struct robo_ordering_options){ .joints = 2, .rows = 2 });
    assert_true(robo_ordering_due(o) == ROBO_NEVER);
    robo_ordering_close(o);
    o = open_ordering(
        (struct robo_ordering_options){ .joints = 2, .rows = 2, .most_age = 50 * MS });
    const double still[] = { 0, 0 };
    struct robo_ordering_choice choice;
    assert_true(robo_ordering_due(o) == 50 * MS);
    assert_int_equal(robo_ordering_pick(o, JACOBIAN, still, 49 * MS, &choice), 0);
    assert_int_equal(choice.kind, ROBO_CHOICE_NOTHING);
    assert_int_equal(robo_ordering_pick(o, JACOBIAN, still, 50 * MS, &choice), 0);
    assert_int_equal(choice.kind, ROBO_CHOICE_SEND);
    robo_ordering_close(o);

    /* as good as never */
    o = open_ordering(
        (struct robo_ordering_options){ .joints = 2, .rows = 2, .most_age = ROBO_NEVER });
    choice.kind = ROBO_CHOICE_SEND;
    for (choice.joint = 0; choice.joint < 2; choice.joint++)
        assert_int_equal(robo_ordering_sent(o, &choice, 50 * MS), 0);
    assert_true(robo_ordering_due(o) > 50 * MS);
    robo_ordering_close(o);
}

/* How many picks, all taken as sent, until one joint gets a message though nothing has changed; 0: none of 100. */
static int picks_until_repeated(int64_t most_messages)
{
    robo_ordering *o = open_ordering(
        (struct robo_ordering_options){ .joints = 2, .rows = 2, .most_messages = most_messages });
    struct robo_ordering_choice choice;
    int found = 0;
    for (int i = 1; i <= 100 && !found; i++) {
        const double u[] = { i % 2 ? 0.1 : -0.1, 0 }; /* joint 0 alone */
        assert_int_equal(robo_ordering_pick(o, JACOBIAN, u, i * MS, &choice), 0);
        assert_int_equal(choice.kind, ROBO_CHOICE_SEND);
        assert_int_equal(robo_ordering_sent(o, &choice, i * MS), 0);
        if (choice.joint == 1)
            found = i;
    }
    robo_ordering_close(o);
    return found;
}

TEST(ages_are_what_was_asked_for)
{
    assert_int_equal(picks_until_repeated(3), 4);
    assert_int_equal(picks_until_repeated(0), 9); /* 4 messages a joint */
    assert_int_equal(picks_until_repeated(-1), 0);
}

TEST(what_cannot_be_is_refused)
{
    const double bad[] = { 1, NAN }, wanted[] = { 1, 1 };
    struct robo_ordering_choice choice = { .kind = ROBO_CHOICE_SEND, .joint = 2 };
    struct robo_ordering_options o = { .joints = 2, .rows = 2 };
    int error = 0;
    assert_null(robo_ordering_open(&o, &error)); /* no size */
    assert_int_equal(error, ROBO_EINVAL);
    refuse((struct robo_ordering_options){ .rows = 2 });
    refuse((struct robo_ordering_options){ .joints = 513 });
    refuse((struct robo_ordering_options){ .joints = 2, .rows = 97 });
    refuse((struct robo_ordering_options){ .joints = 2, .rows = 2, .weight = bad });
    refuse((struct robo_ordering_options){ .joints = 2, .least = -1 });
    refuse((struct robo_ordering_options){ .joints = 2, .order = 99 });
    refuse((struct robo_ordering_options){ .joints = 11, .order = ROBO_ORDER_PLANNED });

    robo_ordering *ordering = open_ordering(o);
    assert_int_equal(robo_ordering_sent(ordering, &choice, 0), ROBO_EINVAL);
    choice = (struct robo_ordering_choice){ .kind = ROBO_CHOICE_NOTHING };
    assert_int_equal(robo_ordering_sent(ordering, &choice, 0), ROBO_EINVAL);
    assert_int_equal(robo_ordering_lost(ordering, 2), ROBO_EINVAL);
    choice = (struct robo_ordering_choice){ .kind = ROBO_CHOICE_STORE, .joint = 1, .value = NAN };
    assert_int_equal(robo_ordering_sent(ordering, &choice, 0), ROBO_ERANGE);
    /* nothing is written */
    assert_int_equal(robo_ordering_pick(ordering, JACOBIAN, bad, 0, &choice), ROBO_ERANGE);
    assert_int_equal(robo_ordering_choose(ordering, JACOBIAN, bad, 0, &choice), ROBO_ERANGE);
    assert_int_equal(choice.kind, ROBO_CHOICE_STORE);
    assert_int_equal(choice.joint, 1);
    assert_int_equal(robo_ordering_pick(ordering, JACOBIAN, wanted, 0, &choice), 0);
    robo_ordering_close(ordering);

    static double wide[65];
    ordering = open_ordering((struct robo_ordering_options){ .joints = 65, .rows = 1 });
    assert_int_equal(robo_ordering_choose(ordering, wide, wanted, 0, &choice), ROBO_EINVAL);
    robo_ordering_close(ordering);
}

struct looked {
    unsigned sent, parts;
};

static void look(void *owner, double time, const struct robo_ordering_choice *choice,
                 const double *task, double force_error)
{
    struct looked *l = owner;
    assert_true(time >= 0 && time <= 1.001 && isfinite(task[6]) && isfinite(force_error));
    if (choice && choice->kind == ROBO_CHOICE_SEND)
        l->sent++;
    else if (!choice)
        l->parts++;
}

TEST(a_trial_tells_how_well_an_order_does)
{
    struct looked looked = { 0 };
    struct robo_trial_options o = { .size = sizeof o,
                                    .order = ROBO_ORDER_GREATEST,
                                    .rate = 400,
                                    .seconds = 1,
                                    .look = look,
                                    .owner = &looked };
    struct robo_trial_result good, again, poor, elsewhere;
    assert_int_equal(robo_trial_run(&o, &good), 0);
    assert_false(good.lost);
    assert_true(good.task > 0 && good.task < 0.01);
    assert_true(good.messages > 0 && good.messages <= 400);
    assert_int_equal(good.messages, looked.sent);
    assert_true(looked.parts >= 400);
    o.look = NULL;
    assert_int_equal(robo_trial_run(&o, &again), 0);
    assert_memory_equal(&again, &good, sizeof good);
    o.rate = 40;
    assert_int_equal(robo_trial_run(&o, &poor), 0);
    assert_true(poor.lost || poor.task > 2 * good.task);
    o.rate = 400;
    o.shift = (const double[ROBO_TRIAL_JOINTS]){ 0.01 };
    assert_int_equal(robo_trial_run(&o, &elsewhere), 0);
    assert_true(elsewhere.task > good.task);

    o.rate = 0;
    assert_int_equal(robo_trial_run(&o, &poor), ROBO_EINVAL);
    o.rate = 400;
    o.gain = -1;
    assert_int_equal(robo_trial_run(&o, &poor), ROBO_EINVAL);
    o.gain = 0;
    o.weight = (const double[ROBO_TRIAL_JOINTS]){ 1, 1, NAN };
    assert_int_equal(robo_trial_run(&o, &poor), ROBO_EINVAL);
    assert_int_equal(robo_trial_run(NULL, &poor), ROBO_EINVAL);
}
