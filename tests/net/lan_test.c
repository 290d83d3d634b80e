/* Machines in one process: sockets are made in their networks, and the Ethernet is between. Where namespaces are not allowed these tests
 * are skipped. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "base/time.h"
#include "robotalk/test.h"

enum { MS = 1000000, MACHINES = 4, PORT = 5000 };

static robo_test_lan *lan;
static pid_t program[MACHINES];
static int end[MACHINES]; /* a socket of each */

static void address_of(unsigned machine, char address[static 16])
{
    snprintf(address, 16, "10.35.0.%u", machine + 1);
}

static struct sockaddr_in at(const char *address)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    assert_int_equal(inet_pton(AF_INET, address, &to.sin_addr), 1);
    return to;
}

/* A thread of the machine; its program, whose network this is, has begun when its output is there. */
static void *make_socket(void *arg)
{
    const unsigned machine = *(unsigned *)arg;
    char text[64], own[16];
    snprintf(text, sizeof text, "/proc/%d/ns/net", program[machine]);
    const int space = open(text, O_RDONLY | O_CLOEXEC), on = 1;
    assert_int_equal(setns(space, CLONE_NEWNET), 0);
    close(space);
    address_of(machine, own);
    const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) },
                             here = at(own);
    const int fd = end[machine] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq link = { .ifr_name = "eth0" };
    assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &link), 0);
    assert_true(link.ifr_flags & IFF_MULTICAST); /* engines of DDS look for it */
    const struct ip_mreq group = { at("239.255.0.1").sin_addr, here.sin_addr };
    assert_int_equal(bind(fd, (const struct sockaddr *)&any, sizeof any), 0);
    assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group), 0);
    assert_int_equal(
        setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &here.sin_addr, sizeof here.sin_addr), 0);
    assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_MULTICAST_LOOP, &(int){ 0 }, sizeof on), 0);
    return NULL;
}

static void boot(unsigned machine)
{
    char *const argv[] = { "sh", "-c", "echo; exec sleep 1000", NULL };
    char byte;
    pthread_t thread;
    int out[2];
    const int error = robo_test_lan_plug(lan, machine);
    if (error == ROBO_EROLE || error == ROBO_EDEVICE) {
        printf("skipped: network namespaces and /dev/net/tun: %s\n", strerror(errno));
        robo_test_lan_close(lan);
        lan = NULL;
        skip();
    }
    assert_int_equal(error, 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    program[machine] = robo_test_lan_run(lan, machine, argv, out[1]);
    assert_true(program[machine] > 0);
    assert_int_equal(read(out[0], &byte, 1), 1);
    close(out[0]);
    close(out[1]);
    assert_int_equal(pthread_create(&thread, NULL, make_socket, &machine), 0);
    pthread_join(thread, NULL);
}

static void open_lan(const struct robo_test_lag *lag)
{
    memset(end, -1, sizeof end);
    assert_int_equal(robo_test_lan_open(lag, &lan), 0);
    for (unsigned i = 0; i < MACHINES; i++)
        boot(i);
}

static int close_lan(void **state)
{
    (void)state;
    for (int i = 0; i < MACHINES && lan; i++)
        close(end[i]);
    robo_test_lan_close(lan);
    lan = NULL;
    return 0;
}

FIXTURE(NULL, close_lan);

static void say(int from, const char *to, char what)
{
    const struct sockaddr_in there = at(to);
    sendto(end[from], &what, 1, 0, (const struct sockaddr *)&there, sizeof there);
}

/* What arrives there, or 0 when nothing does in that time, ms. */
static char hear(int machine, int most)
{
    struct pollfd ready = { .fd = end[machine], .events = POLLIN };
    char what = 0;
    if (poll(&ready, 1, most) > 0)
        assert_int_equal(recv(end[machine], &what, 1, 0), 1);
    return what;
}

TEST(machines_hear_each_other_late_and_a_multicast_reaches_all)
{
    static const struct robo_test_lag lag = { .size = sizeof lag,
                                              .delay = 20 * MS,
                                              .jitter = 5 * MS };
    open_lan(&lag);
    const robo_time begin = robo__time_monotonic();
    say(0, "10.35.0.2", 'b');
    assert_int_equal(hear(1, 10000), 'b');
    say(1, "10.35.0.1", 'c');
    assert_int_equal(hear(0, 10000), 'c');
    assert_true(robo__time_monotonic() - begin >= 2 * lag.delay);
    say(0, "239.255.0.1", 'd');
    for (int i = 1; i < MACHINES; i++)
        assert_int_equal(hear(i, 10000), 'd');
    assert_int_equal(hear(0, 0), 0);
}

TEST(a_share_of_the_frames_is_lost)
{
    static const struct robo_test_lag lag = { .size = sizeof lag, .loss = 0.3, .seed = 7 };
    enum { SENT = 300 };
    int arrived = 0;
    open_lan(&lag);
    for (int i = 0; i < SENT; i++) {
        say(0, "239.255.0.1", 'x');
        arrived += hear(1, 20) != 0;
    }
    assert_in_range(arrived, SENT / 2, SENT - SENT / 10);
}

TEST(a_cut_holds_until_it_is_healed)
{
    static const struct robo_test_lag lag = { .size = sizeof lag };
    struct robo_test_lan_counts counts;
    open_lan(&lag);
    robo_test_lan_group(lan, 0, 1);
    robo_test_lan_group(lan, 1, 1);
    say(0, "239.255.0.1", 'a');
    say(2, "239.255.0.1", 'b');
    assert_int_equal(hear(1, 10000), 'a');
    assert_int_equal(hear(3, 10000), 'b');
    for (int i = 0; i < MACHINES; i++)
        assert_int_equal(hear(i, 50), 0);
    robo_test_lan_count(lan, &counts);
    assert_true(counts.frames >= 2 && counts.cut >= 4);
    robo_test_lan_group(lan, 0, 0);
    say(0, "239.255.0.1", 'c');
    assert_int_equal(hear(3, 10000), 'c');
    assert_int_equal(hear(1, 50), 0);
}

/* A machine that is gone says nothing more, not even that its programs have ended. The same number is another machine then. */
TEST(a_machine_dies_with_its_programs)
{
    static const struct robo_test_lag lag = { .size = sizeof lag };
    open_lan(&lag);
    assert_int_equal(robo_test_lan_plug(lan, 1), ROBO_EEXISTS);
    assert_int_equal(robo_test_lan_signal(program[1], 0), 0);
    robo_test_lan_unplug(lan, 1);
    assert_int_equal(kill(program[1], 0), -1);
    assert_int_equal(robo_test_lan_signal(program[1], SIGTERM), ROBO_ENONE);
    assert_int_equal(robo_test_lan_run(lan, 1, (char *[]){ "true", NULL }, 1), ROBO_EINVAL);
    say(1, "239.255.0.1", 'a');
    assert_int_equal(hear(0, 50), 0);
    close(end[1]);
    boot(1);
    say(1, "239.255.0.1", 'b');
    assert_int_equal(hear(0, 10000), 'b');
    /* a program that cannot be started has ended, and one that is stopped in another way, too */
    const pid_t none = robo_test_lan_run(lan, 0, (char *[]){ "/none", NULL }, 1);
    assert_true(none > 0);
    assert_int_equal(robo_test_lan_signal(program[0], SIGKILL), 0);
    while (robo_test_lan_signal(none, 0) == 0 || robo_test_lan_signal(program[0], 0) == 0)
        usleep(1000);
}

TEST(a_lan_that_cannot_be_is_refused)
{
    static const struct robo_test_lag lag = { .size = sizeof lag },
                                      lost = { .size = sizeof lost, .loss = 1 };
    assert_int_equal(robo_test_lan_open(&lost, &lan), ROBO_EINVAL);
    assert_int_equal(robo_test_lan_open(&lag, &lan), 0);
    assert_int_equal(robo_test_lan_plug(lan, ROBO_TEST_MACHINES), ROBO_EINVAL);
    robo_test_lan_close(NULL);
}
