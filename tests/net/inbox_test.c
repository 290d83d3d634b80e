/* Questions between threads: askers come and go while they are answered, and either side may go first. The sanitizers
 * see the rest. Nothing here measures time. */
#include <pthread.h>
#include <stdatomic.h>

#include "../test.h"
#include "../patience.h"
#include "net/inbox.h"
#include "net/loop.h"

enum { SERVERS = 2, LIVES = 2400, ASKED = 5 };

static robo_world *world;
static robo_loop *program, *server[SERVERS];
static struct robo__inbox *inbox;
static atomic_int asked, answered, unanswered, farewells, lives;

/* ---- the program: it answers some at once, some a little later, some never ---- */

static uint64_t kept;

static void arrived(struct robo__question *q, void *owner)
{
    static const double value = 1;
    struct robo__question *old = robo__inbox_find(inbox, kept);
    if (q->action[0] == 'g')
        atomic_fetch_add(&farewells, 1);
    else if (q->number % 3 == 0) {
        kept = q->number;
        q = old;
    }
    if (q)
        robo__inbox_answer(q, true, &value, 1);
}

/* ---- a server's thread: askers that live for a few questions, one after another ---- */

struct life {
    struct robo__asker asker;
    struct robo__timer timer;
    robo_loop *loop;
    int left, born;
};

static void on_answer(struct robo__asker *asker, const struct robo__question *q, robo_time now)
{
    atomic_fetch_add(q->answered ? &answered : &unanswered, 1);
}

static void live(struct robo__timer *timer, robo_time now)
{
    struct life *life = robo__container_of(timer, struct life, timer);
    if (life->left-- > 0) {
        if (robo__ask(&life->asker, "a", NULL, NULL, 0, 0) == 0)
            atomic_fetch_add(&asked, 1);
    } else {
        robo__asker_close(&life->asker);
        atomic_fetch_add(&lives, 1);
        life->born++;
        robo__asker_open(&life->asker, &life->loop->host, "test", "", on_answer);
        life->left = life->born % ASKED;
    }
    robo__timer_start(life->loop->host.timers, timer, now + 1000);
}

static void *serve(void *arg)
{
    robo_loop *loop = arg;
    struct life life[3] = { 0 };
    for (int i = 0; i < 3; i++) {
        life[i].loop = loop;
        life[i].timer.fire = live;
        robo__asker_open(&life[i].asker, &loop->host, "test", "", on_answer);
        robo__timer_start(loop->host.timers, &life[i].timer, robo_now(world));
    }
    robo__loop_run(loop);
    for (int i = 0; i < 3; i++) {
        robo__timer_stop(loop->host.timers, &life[i].timer);
        robo__asker_close(&life[i].asker);
    }
    return NULL;
}

static void start(pthread_t *thread)
{
    kept = 0;
    atomic_store(&asked, 0), atomic_store(&answered, 0), atomic_store(&unanswered, 0);
    atomic_store(&farewells, 0), atomic_store(&lives, 0);
    world = robo_open(NULL);
    program = robo_loop_open(world);
    inbox = robo__inbox_open(&program->host, arrived, NULL);
    assert_non_null(inbox);
    for (int i = 0; i < SERVERS; i++) {
        server[i] = robo_loop_open(world);
        robo__host_use_inbox(&server[i]->host, inbox);
        assert_int_equal(pthread_create(&thread[i], NULL, serve, server[i]), 0);
    }
}

static void stop_servers(pthread_t *thread)
{
    for (int i = 0; i < SERVERS; i++)
        robo__loop_end(server[i]);
    for (int i = 0; i < SERVERS; i++) {
        pthread_join(thread[i], NULL);
        robo_loop_close(server[i]);
    }
}

TEST(askers_come_and_go_while_they_are_answered)
{
    pthread_t thread[SERVERS];
    start(thread);
    while (atomic_load(&lives) < LIVES || !atomic_load(&answered) || !atomic_load(&farewells))
        robo__loop_step(program, 1000000);
    stop_servers(thread);
    robo__loop_step(program, 0);
    assert_true(atomic_load(&answered) + atomic_load(&unanswered) <= atomic_load(&asked));
    robo__inbox_close(inbox);
    robo_loop_close(program);
    robo_close(world);
}

TEST(the_program_goes_first)
{
    for (int i = 0; i < 20; i++) {
        pthread_t thread[SERVERS];
        start(thread);
        while (atomic_load(&asked) < 20 * i)
            robo__loop_step(program, 1000000);
        robo__inbox_close(inbox);
        robo_loop_close(program);
        int lived = atomic_load(&lives);
        EVENTUALLY(atomic_load(&lives) > lived);
        stop_servers(thread);
        robo_close(world);
    }
}
