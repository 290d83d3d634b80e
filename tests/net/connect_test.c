/* Connecting while the look-up of a name does not come back: nobody waits longer than asked, and what the look-up finds
 * later is let go of by whoever is left. */
#include <netdb.h>
#include <semaphore.h>
#include <stdbool.h>

#include "../test.h"
#include "robotalk.h"

static sem_t begun, may_return, returned;

static bool hangs;

int __real_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **result);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **result);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **result)
{
    if (!hangs)
        return __real_getaddrinfo(name, service, hints, result);
    sem_post(&begun);
    sem_wait(&may_return);
    sem_post(&returned);
    return EAI_FAIL;
}

static robo_world *world;

static int open_world(void **state)
{
    hangs = true;
    sem_init(&begun, 0, 0);
    sem_init(&may_return, 0, 0);
    sem_init(&returned, 0, 0);
    world = robo_open(&(struct robo_options){ .size = sizeof(struct robo_options) });
    return world ? 0 : -1;
}

static void times(int n, int (*act)(sem_t *), sem_t *semaphore)
{
    while (n-- > 0)
        act(semaphore);
}

static void connect_in_vain(void)
{
    int error = 0;
    char why[256] = "";
    assert_null(robo_connect(world, "robotalk://somewhere", 1000000, &error, why));
    assert_int_equal(error, ROBO_ETIMEOUT);
}

FIXTURE(open_world, NULL);

/* Would hang if it waited for the look-up, which does not return before the end. */
TEST(returns_while_the_look_up_is_under_way)
{
    for (int i = 0; i < 20; i++)
        connect_in_vain();
    robo_close(world);
    times(20, sem_wait, &begun);
    times(20, sem_post, &may_return);
    times(20, sem_wait, &returned);
}

/* Threads that come back while others connect, disconnect, and close the world. */
TEST(comes_back_at_any_moment)
{
    for (int i = 0; i < 200; i++) {
        sem_post(&may_return);
        int error = 0;
        assert_null(robo_connect(world, "robotalk://somewhere", i % 4 * 20000, &error, NULL));
        assert_true(error < 0);
    }
    robo_close(world);
    times(200, sem_wait, &begun);
    times(200, sem_wait, &returned);
}
