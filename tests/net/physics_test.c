/* The physics in real time: a thread makes the steps while robots come and go, are commanded, panic, and somebody looks at all of
 * it. Nothing here measures time: what is expected is waited for. Under the thread sanitizer this is the test of its locks. */
#include "../unit/physics_robot.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../patience.h"

static const double ACROSS[1][3] = { { 0, 1, 0 } };

enum { GUESTS = 4 };

static struct robo_description body, guest;
static atomic_bool over;

static void *come_and_go(void *context)
{
    for (int i = 0; i < GUESTS; i++) {
        robo_robot *one;
        if (robo_add(world, &guest, &one) < 0)
            return "a guest is not let in";
        if (i % 2)
            robo_panic(one);
        robo_remove(one);
        robo_release(one);
    }
    return NULL;
}

static void *look(void *context)
{
    struct robo__simulation *s = robo__simulation_of(world);
    while (!atomic_load(&over)) {
        const struct robo__mechanics *now = robo__simulation_lock(s);
        const int link = robo__simulation_find(now, mjOBJ_BODY, "arm", "link1");
        const bool there = link > 0 && isfinite(now->data->xpos[3 * link]);
        robo__simulation_unlock(s);
        if (!there || !(robo__simulation_share(s) >= 0))
            return "the arm is gone";
        nanosleep(&(struct timespec){ .tv_nsec = 100000 },
                  NULL); /* the others want the lock, too */
    }
    return NULL;
}

static bool has_ended(uint32_t id)
{
    const size_t n = robo__session_results(session, answers, 16);
    for (size_t i = 0; i < n; i++)
        if (answers[i].id == id)
            return true;
    return false;
}

TEST(all_goes_on_at_once)
{
    pthread_t one, two;
    void *wrong;
    body = make_arm(1, ACROSS);
    guest = make_arm(1, ACROSS);
    strcpy(guest.name, "guest");
    guest.link[0].position[0] = 20;
    open_world_with(NULL, NULL, &body);
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&one, NULL, come_and_go, NULL), 0);
    assert_int_equal(pthread_create(&two, NULL, look, NULL), 0);
    for (int i = 0; i < 4; i++) {
        const uint32_t id = give(go(1, i % 2 ? 0.2 : -0.2));
        EVENTUALLY(has_ended(id));
        robo_panic(robot);
        robo_reset(robot);
    }
    assert_int_equal(pthread_join(one, &wrong), 0);
    assert_null(wrong);
    atomic_store(&over, true);
    assert_int_equal(pthread_join(two, &wrong), 0);
    assert_null(wrong);
    close_world();
}

/* When the last robot has gone there is no thread any more, and with the next there is one again. */
TEST(a_world_that_was_empty_goes_on)
{
    body = make_arm(1, ACROSS);
    open_world_with(NULL, NULL, &body);
    robo__session_close(session);
    robo_remove(robot);
    robo_release(robot);
    static const struct robo__session_request direct;
    char why[128];
    assert_int_equal(robo_add(world, &body, &robot), 0);
    assert_int_equal(
        robo__session_open(robot, NULL, &direct, NULL, NULL, robo_now(world), &session, why), 0);
    const uint32_t id = give(go(1, 0.1));
    EVENTUALLY(has_ended(id));
    assert_float_equal(seen().position[0], 0.1, 0.03);
    close_world();
}
