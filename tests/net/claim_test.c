/* Drivers that ask, on threads of their own, while robots come, go, panic and are described anew. What is asserted is that
 * every command is answered and every device closed; the sanitizers see the rest. Nothing here measures time. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "../patience.h"
#include "../scenery.h"
#include "robotalk.h"
#include "robotalk/claim.h"
#include "robotalk/description.h"
#include "robotalk/session.h"
#include "results.h"
#include "../ids.h"

enum { WORKERS = 3, JOINTS = 3, COMMANDS = 12 };

static robo_world *world;
static robo_driver driver;
static int line[2];
static atomic_bool stop;
static atomic_int begun, answered, claimed, halted, stale;

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = nanoseconds }, NULL);
}

/* ---- the robot: a base and joints of one dof, all of one device ---- */

static void describe(struct robo_description *d, unsigned joints)
{
    begin_description(d, JOINTS + 1,
                      (struct robo_description){ .name = "thing",
                                                 .devices = 1,
                                                 .joints = (uint16_t)(joints + 1),
                                                 .dofs = (uint16_t)joints,
                                                 .commands = UINT64_MAX });
    strcpy(d->device[0].driver, "mine");
    d->device[0].base = 1;
    d->joint[0].parent = ROBO_WORLD;
    for (unsigned i = 1; i <= joints; i++)
        d->joint[i] = (struct robo_joint){
            .name = { 'j', (char)('0' + i) }, .first = (uint16_t)(i - 1), .dofs = 1, .servo = 7
        };
}

/* ---- drivers ---- */

struct worker {
    sem_t work;
    unsigned seed;
    bool leaves; /* lets the device go now and then */
    pthread_t thread;
};
static struct worker worker[WORKERS];

/* A claim that two threads use: the one that works, and one that disturbs it. */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static robo_claim *shared;

static void share(robo_claim *claim)
{
    pthread_mutex_lock(&shared_lock);
    robo_claim *old = shared;
    shared = claim ? robo_claim_hold(claim) : NULL;
    pthread_mutex_unlock(&shared_lock);
    robo_claim_release(old);
}

static void wake(void *owner)
{
    sem_post(&((struct worker *)owner)->work);
}

static void report(robo_claim *claim)
{
    const double some[JOINTS] = { 1, 2, 3 };
    const struct robo_report now = { .size = sizeof now,
                                     .position = { some, robo_claim_dofs(claim) },
                                     .pose = { some, 3 } };
    robo_claim_report(claim, &now);
}

static void begin_job(robo_claim *claim, const struct robo_job *job, struct worker *w)
{
    static const char bytes[100];
    if (robo_claim_begin(claim, job->number) != 1)
        return;
    atomic_fetch_add(&begun, 1);
    robo_claim_write(claim, job->number, bytes, sizeof bytes);
    report(claim);
    if (rand_r(&w->seed) % 4 == 0)
        return; /* it stays under way, until something ends it */
    if (robo_claim_done(claim, job->number, ROBO_SUCCESS, ROBO_WHY_NONE) == 0)
        atomic_fetch_add(&answered, 1);
    if (robo_claim_done(claim, job->number, ROBO_SUCCESS, ROBO_WHY_NONE) == 0)
        atomic_fetch_add(&stale, 1);
    robo_claim_end(claim, job->number);
    if (robo_claim_write(claim, job->number, bytes, 1) > 0)
        atomic_fetch_add(&stale, 1);
}

/* Until the device is closed, or is let go. */
static void serve(robo_claim *claim, struct worker *w)
{
    struct robo_job job;
    int what;
    while ((what = robo_claim_next(claim, &job)) >= 0 && !atomic_load(&stop)) {
        if (what == 0)
            sem_wait(&w->work);
        else if (job.kind == ROBO_JOB_START)
            begin_job(claim, &job, w);
        else if (job.kind == ROBO_JOB_HALT && robo_claim_heard(claim, job.number) == 0)
            atomic_fetch_add(&halted, 1);
        if (w->leaves && rand_r(&w->seed) % 64 == 0)
            return;
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;
    while (!atomic_load(&stop)) {
        robo_claim *claim = robo_claim_open(world, "mine", wake, w, NULL);
        if (!claim) {
            pause_for(20000);
            continue;
        }
        atomic_fetch_add(&claimed, 1);
        robo_claim_port(claim, line[1], "halt", 4);
        share(claim);
        serve(claim, w);
        robo_claim_release(claim);
    }
    return NULL;
}

/* Says what is not so: answers of others' commands, of old ones and of none, reports and ports at any time. */
static void *disturb(void *arg)
{
    unsigned seed = 7;
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&shared_lock);
        robo_claim *claim = shared ? robo_claim_hold(shared) : NULL;
        pthread_mutex_unlock(&shared_lock);
        if (claim) {
            const int64_t number = rand_r(&seed) % 2000 - 20;
            robo_claim_done(claim, number, ROBO_SUCCESS, ROBO_WHY_NONE);
            robo_claim_end(claim, number);
            robo_claim_heard(claim, number);
            robo_claim_write(claim, number, "x", 1);
            report(claim);
            if (rand_r(&seed) % 16 == 0)
                robo_claim_port(claim, line[1], "halt", 4);
            if (rand_r(&seed) % 64 == 0)
                robo_claim_fault(claim, ROBO_WHY_DEVICE);
            robo_claim_state(claim);
            robo_claim_release(claim);
        }
        pause_for(10000);
    }
    return NULL;
}

/* The device: it reads what comes, so that the line has room. */
static void *listen_to_line(void *arg)
{
    char text[4096];
    while (read(line[0], text, sizeof text) > 0)
        ;
    return NULL;
}

/* ---- the others ---- */

/* Robots come and go. */
static void *rule(void *arg)
{
    struct robo_description d[2] = { { .link = NULL }, { .link = NULL } };
    unsigned seed = 3;
    describe(&d[0], JOINTS);
    describe(&d[1], JOINTS - 1);
    while (!atomic_load(&stop)) {
        robo_robot *robot = NULL;
        if (robo_add(world, &d[0], &robot) < 0)
            continue;
        for (int i = 0; i < 10 && !atomic_load(&stop); i++) {
            pause_for(200000);
            switch (rand_r(&seed) % 4) {
            case 0: robo_panic(robot); break;
            case 1: robo_reload(robot, &d[i % 2], NULL); break;
            default: robo_reset(robot); break;
            }
        }
        robo_remove(robot);
        robo_release(robot);
    }
    return NULL;
}

static struct robo_cmd some_command(unsigned *seed)
{
    const unsigned joint = 1 + (unsigned)rand_r(seed) % (JOINTS - 1);
    switch (rand_r(seed) % 6) {
    case 0: return (struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    case 1:
        return (struct robo_cmd){ .op = ROBO_STOP,
                                  .start = ROBO_AT_ONCE,
                                  .body.stop = { .bytes = 1, .mask = { 1 } } };
    case 2: return (struct robo_cmd){ .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE };
    default:
        return (struct robo_cmd){ .op = ROBO_SET_JOINT,
                                  .start = ROBO_AT_ONCE,
                                  .body.servo = {
                                      .joint = (uint16_t)joint, .mask = 1, .value = { 1 } } };
    }
}

/* Commands, and says goodbye; what is unanswered then is answered by the client. */
static void visit(unsigned *seed)
{
    const struct robo_session_options options = { .size = sizeof options };
    robo_client *client = robo_connect(world, "local:", patience(), NULL, NULL);
    int64_t session = client ? robo_session(client, &options, patience()) : -1;
    int64_t id[COMMANDS];
    for (int i = 0; session > 0 && i < COMMANDS; i++) {
        struct robo_cmd cmd = some_command(seed);
        id[i] = robo_send(client, (uint32_t)session, &cmd, 1);
        robo_poll(client, 20000);
    }
    if (session > 0) {
        robo_request(client, (uint32_t)session, ROBO_Q_CLOSE, NULL);
        for (int i = 0; i < COMMANDS; i++)
            if (id[i] > 0)
                result_of(client, id[i]);
    }
    robo_disconnect(client);
}

static int open_all(void **state)
{
    atomic_store(&stop, false);
    driver = *robo_claim_driver();
    driver.name = "mine";
    driver.parts = 1;
    world = robo_open(NULL);
    return !world || robo_add_driver(world, &driver) < 0 ||
           socketpair(AF_UNIX, SOCK_STREAM, 0, line) < 0 ||
           (fcntl(line[1], F_SETFL, O_NONBLOCK) < 0);
}

static int close_all(void **state)
{
    robo_close(world);
    close(line[0]);
    close(line[1]);
    return 0;
}

static void start_worker(struct worker *w, unsigned seed, bool leaves)
{
    w->seed = seed;
    w->leaves = leaves;
    sem_init(&w->work, 0, 0);
    assert_int_equal(pthread_create(&w->thread, NULL, work, w), 0);
}

static void join_worker(struct worker *w)
{
    sem_post(&w->work);
    pthread_join(w->thread, NULL);
}

static pthread_t start_thread(void *(*run)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
    return thread;
}

FIXTURE(open_all, close_all);

/* Claims come and go while their robots do, two want each device, and somebody disturbs them. */
TEST(life_and_death)
{
    unsigned seed = 1;
    pthread_t device = start_thread(listen_to_line), noise = start_thread(disturb),
              ruler = start_thread(rule);
    for (unsigned i = 0; i < WORKERS; i++)
        start_worker(&worker[i], i, i > 0);
    REPEAT_UNTIL(atomic_load(&begun) > 200 && atomic_load(&answered) > 100 &&
                     atomic_load(&claimed) > 50 && atomic_load(&halted) > 20,
                 visit(&seed));
    atomic_store(&stop, true);
    pthread_join(ruler, NULL);
    pthread_join(noise, NULL);
    for (unsigned i = 0; i < WORKERS; i++)
        join_worker(&worker[i]);
    share(NULL);
    shutdown(line[1], SHUT_RDWR);
    pthread_join(device, NULL);
    assert_int_equal(atomic_load(&stale), 0);
    for (unsigned i = 0; i < WORKERS; i++)
        sem_destroy(&worker[i].work);
}

/* The one command that a driver works on all the time, and a panic at any moment of it: the halt's bytes come, and nothing
 * after them. */
static void *write_on(void *arg)
{
    struct worker *w = arg;
    struct robo_job job;
    robo_claim *claim = robo_claim_open(world, "mine", wake, w, NULL);
    int what = robo_claim_port(claim, line[1], "H", 1);
    atomic_fetch_add(&claimed, 1);
    while (what >= 0 && (what = robo_claim_next(claim, &job)) >= 0) {
        if (what == 0)
            sem_wait(&w->work);
        else if (job.kind == ROBO_JOB_HALT)
            robo_claim_heard(claim, job.number);
        else if (job.kind == ROBO_JOB_START && robo_claim_begin(claim, job.number) == 1)
            while (robo_claim_write(claim, job.number, ".", 1) >= 0)
                atomic_fetch_add(&begun, 1);
    }
    robo_claim_release(claim);
    return NULL;
}

/* What has come: the last byte of it, or 0. */
static char read_all(void)
{
    char text[4096], last = 0;
    for (ssize_t n; (n = read(line[0], text, sizeof text)) > 0;)
        last = text[n - 1];
    return last;
}

TEST(nothing_follows_a_halt)
{
    struct robo_description d = { .link = NULL };
    robo_robot *robot;
    describe(&d, JOINTS);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    atomic_store(&claimed, 0);
    sem_init(&worker[0].work, 0, 0);
    assert_int_equal(pthread_create(&worker[0].thread, NULL, write_on, &worker[0]), 0);
    EVENTUALLY(atomic_load(&claimed) > 0);
    robo_client *client = robo_connect(world, "local:", patience(), NULL, NULL);
    int64_t session = robo_session(client, NULL, patience());
    fcntl(line[0], F_SETFL, O_NONBLOCK);
    for (int round = 0; round < 50; round++) {
        struct robo_cmd go = { .op = ROBO_SET_JOINT,
                               .start = ROBO_AT_ONCE,
                               .body.servo = { .joint = 1, .mask = 1, .value = { 1 } } };
        atomic_store(&begun, 0);
        int64_t id = robo_send(client, (uint32_t)session, &go, 1);
        REPEAT_UNTIL(atomic_load(&begun) > round, robo_poll(client, 20000), read_all());
        robo_panic(robot);
        EVENTUALLY(read_all() == 'H');
        assert_int_equal(result_of(client, id).signal, ROBO_PANIC);
        pause_for(100000);
        assert_int_equal(read_all(), 0); /* not a byte more */
        robo_reset(robot);
        struct robo_session_news news = { .panic = 1 };
        REPEAT_UNTIL(robo_session_news(client, (uint32_t)session, &news) == 0 && !news.panic,
                     robo_poll(client, 100000));
    }
    robo_disconnect(client);
    robo_remove(robot);
    robo_release(robot);
    pthread_join(worker[0].thread, NULL);
    sem_destroy(&worker[0].work);
}

/* Begins to read when the device was halted, and reads to the end: the last byte. */
static void *listen_late(void *arg)
{
    static char last;
    char text[4096];
    while (sem_wait(&worker[0].work) < 0)
        ;
    pause_for(20000000);
    for (ssize_t n; (n = read(line[0], text, sizeof text)) > 0;)
        last = text[n - 1];
    return &last;
}

/* A line that takes nothing when the robot is removed, and a little later does. */
TEST(the_last_halt_goes_out)
{
    static const char bytes[1000];
    struct robo_description d = { .link = NULL };
    robo_robot *robot;
    void *last;
    describe(&d, JOINTS);
    sem_init(&worker[0].work, 0, 0);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    robo_claim *claim = robo_claim_open(world, "mine", wake, &worker[0], NULL);
    assert_non_null(claim);
    assert_int_equal(robo_claim_port(claim, line[1], "H", 1), 0);
    while (robo_claim_write(claim, 0, bytes, sizeof bytes) > 0)
        ;
    pthread_t device = start_thread(listen_late);
    robo_remove(robot);
    robo_claim_release(claim);
    robo_release(robot);
    shutdown(line[1], SHUT_RDWR);
    pthread_join(device, &last);
    assert_int_equal(*(char *)last, 'H');
    sem_destroy(&worker[0].work);
}

/* Begins to read when what is written goes to another port. The full line was taken out: how much it gave. */
static void *listen_when_replaced(void *arg)
{
    static size_t all;
    char text[4096];
    while (robo_claim_write(arg, 0, "x", 1) == 0)
        pause_for(100000);
    for (ssize_t n; (n = read(line[0], text, sizeof text)) > 0;)
        all += (size_t)n;
    return &all;
}

/* Frames that wait for a line are not for the next one, nor sent behind its back. */
TEST(what_waits_for_a_port_goes_with_it)
{
    static const char bytes[1000];
    struct robo_description d = { .link = NULL };
    robo_robot *robot;
    pthread_t device;
    void *all;
    int other[2];
    size_t given = 0;
    describe(&d, JOINTS);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, other), 0);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    robo_claim *claim = robo_claim_open(world, "mine", NULL, NULL, NULL);
    assert_non_null(claim);
    assert_int_equal(robo_claim_port(claim, line[1], "H", 1), 0);
    while (robo_claim_write(claim, 0, bytes, sizeof bytes) > 0)
        given += sizeof bytes;
    while (robo_claim_write(claim, 0, bytes, 1) > 0)
        given++;
    assert_int_equal(pthread_create(&device, NULL, listen_when_replaced, claim), 0);
    assert_int_equal(robo_claim_port(claim, other[1], "H", 1), 0);
    shutdown(line[1], SHUT_RDWR);
    pthread_join(device, &all);
    assert_true(*(size_t *)all < given);
    char got[2];
    assert_int_equal(read(other[0], got, sizeof got), 1);
    assert_int_equal(got[0], 'x');
    robo_remove(robot);
    robo_claim_release(claim);
    robo_release(robot);
    close(other[0]);
    close(other[1]);
}
