/* A driver on a thread of its own, which asks what there is to do (spec/drivers.md, section 7). The device hears lines of text.
 *     cc ask.c $(pkg-config --cflags --libs robotalk) -lpthread */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "robotalk.h"
#include "robotalk/claim.h"
#include "robotalk/description.h"

static const robo_time SECOND = 1000000000;

struct ask {
    robo_claim *claim;
    sem_t work;
};

/* Called with the robot's mutex held: it wakes the thread, and that is all. */
static void wake(void *owner)
{
    sem_post(&((struct ask *)owner)->work);
}

static void begin(robo_claim *claim, const struct robo_job *job)
{
    char line[64];
    if (robo_claim_begin(claim, job->number) != 1)
        return; /* it is over already */
    if (job->cmd.op == ROBO_GO_TO) {
        const double pose[] = { job->cmd.body.go_to.x, job->cmd.body.go_to.y, 0 };
        const struct robo_report there = { .size = sizeof there, .pose = { pose, 3 } };
        int n = snprintf(line, sizeof line, "go %g\n", pose[0]);
        robo_claim_write(claim, job->number, line, (size_t)n);
        robo_claim_report(claim, &there);
    } else if (job->cmd.op == ROBO_STOP) {
        robo_claim_write(claim, job->number, "stop\n", 5);
    }
    robo_claim_done(claim, job->number, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_claim_end(claim, job->number); /* nothing more is to be done for it */
}

static void *work(void *arg)
{
    struct ask *ask = arg;
    struct robo_job job;
    int what;
    while ((what = robo_claim_next(ask->claim, &job)) >= 0) {
        if (what == 0)
            sem_wait(&ask->work);
        else if (job.kind == ROBO_JOB_START)
            begin(ask->claim, &job);
        else if (job.kind == ROBO_JOB_HALT) /* the bytes of the halt are out already */
            robo_claim_heard(ask->claim, job.number);
    }
    robo_claim_release(ask->claim); /* the device was closed */
    return NULL;
}

int main(void)
{
    robo_world *world = robo_open(NULL);
    robo_driver driver = *robo_claim_driver();
    int line[2];
    driver.name = "ask";
    if (!world || robo_add_driver(world, &driver) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, line) < 0)
        return 2;

    struct robo_joint root = { .parent = ROBO_WORLD };
    struct robo_description cart = { .name = "cart", .devices = 1, .joints = 1, .joint = &root };
    robo_robot *robot;
    cart.commands = 1 << (ROBO_GO_TO - ROBO_FIRST_OP) | 1 << (ROBO_STOP - ROBO_FIRST_OP);
    cart.device[0] = (struct robo_binding){ .driver = "ask", .base = 1 };
    if (robo_add(world, &cart, &robot) < 0)
        return 1;

    struct ask ask;
    pthread_t thread;
    sem_init(&ask.work, 0, 0);
    ask.claim = robo_claim_open(world, "ask", wake, &ask, NULL);
    if (!ask.claim || robo_claim_port(ask.claim, line[1], "halt\n", 5) < 0 ||
        pthread_create(&thread, NULL, work, &ask) != 0)
        return 1;

    robo_client *client = robo_connect(world, "local:", SECOND, NULL, NULL);
    robo_session_id session = robo_session(client, NULL, SECOND);
    struct robo_cmd cmd = { .op = ROBO_GO_TO, .start = ROBO_AT_ONCE, .body.go_to.x = 3 };
    robo_id id = robo_send(client, session, &cmd, 1);
    struct robo_result result;
    if (robo_wait(client, id, SECOND) == 0 &&
        robo_take(client, id, &result, sizeof result) == 1)
        printf("%s\n", robo_signal_name(result.signal));

    robo_panic(robot);
    char heard[64];
    ssize_t n = read(line[0], heard, sizeof heard);
    printf("%.*s", n > 0 ? (int)n : 0, heard);

    robo_disconnect(client);
    robo_release(robot);
    robo_close(world); /* closes the device, of which the thread hears */
    pthread_join(thread, NULL);
    sem_destroy(&ask.work);
    return 0;
}
