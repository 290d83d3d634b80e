/* Network namespaces as machines, and the Ethernet between them (core/robotalk/test.h). Each machine has one tap device; its other end is
 * read here. The thread owns taps and frames under way; groups and counts are atomic, and the caller's thread owns the rest. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sized.h"
#include "base/thread.h"
#include "base/time.h"
#include "link_delay.h"

enum { FRAME = 1514, HEADER = 14, LAST = 5, NOTHING_NEW = -2, TURN = 64 };
static const size_t WINDOW = 1 << 20;
static const unsigned OFF = ~0u; /* a group that no frame leaves or enters */

struct port {
    /* the thread's */
    int tap; /* -1: no machine */
    struct robo__lag lag;
    /* anybody's */
    atomic_int next; /* a tap that replaces this one; -1: none does; NOTHING_NEW */
    atomic_uint group;
    /* the caller's */
    int space;    /* of its network; -1: no machine */
    pid_t leader; /* of the group of its programs; 0: none has been started */
};

struct robo_test_lan {
    struct robo_test_lag lag; /* without losses: those of TCP are not an Ethernet's */
    double loss;
    struct robo__random random;
    int wake;
    atomic_bool ends;
    pthread_t thread;
    struct port port[ROBO_TEST_MACHINES];
    _Atomic uint64_t frames, lost, cut;
};

/* ---- the thread ---- */

static void free_port(struct port *p)
{
    robo__lag_free(&p->lag);
    if (p->tap >= 0)
        close(p->tap);
    p->tap = -1;
}

static void take_new_taps(robo_test_lan *l)
{
    for (int i = 0; i < ROBO_TEST_MACHINES; i++) {
        const int next = atomic_exchange(&l->port[i].next, NOTHING_NEW);
        if (next == NOTHING_NEW)
            continue;
        free_port(&l->port[i]);
        l->port[i].tap = next;
        robo__lag_init(&l->port[i].lag, &l->lag, (uint64_t)i);
    }
}

static void put(robo_test_lan *l, struct port *to, const uint8_t *frame, size_t n, robo_time now)
{
    const bool lost = l->loss > 0 && robo__random_uniform(&l->random) < l->loss;
    if (lost || to->lag.waiting + n > l->lag.window || robo__lag_put(&to->lag, frame, n, now) < 0)
        atomic_fetch_add(&l->lost, 1);
}

/* An address of a group, whose lowest bit is 1, is for all machines; else its last byte is the machine's number and one. */
static void forward(robo_test_lan *l, struct port *from, const uint8_t *frame, size_t n,
                    robo_time now)
{
    const unsigned group = atomic_load(&from->group);
    for (int i = 0; i < ROBO_TEST_MACHINES; i++) {
        struct port *to = &l->port[i];
        if (to->tap < 0 || to == from || (!(frame[0] & 1) && frame[LAST] != i + 1))
            continue;
        if (group == OFF || atomic_load(&to->group) != group)
            atomic_fetch_add(&l->cut, 1);
        else
            put(l, to, frame, n, now);
    }
    atomic_fetch_add(&l->frames, 1);
}

static void read_some(robo_test_lan *l, struct port *p, robo_time now)
{
    uint8_t frame[FRAME];
    for (int i = 0; i < TURN; i++) { /* then others have their turn */
        const ssize_t n = read(p->tap, frame, sizeof frame);
        if (n < HEADER)
            return;
        forward(l, p, frame, (size_t)n, now);
    }
}

/* A machine that takes no more loses the frame. */
static void deliver(robo_test_lan *l, struct port *p, robo_time now)
{
    const uint8_t *frame;
    size_t n;
    while ((n = robo__lag_arrived(&p->lag, now, &frame)) > 0) {
        if (atomic_load(&p->group) != OFF && write(p->tap, frame, n) < 0)
            atomic_fetch_add(&l->lost, 1);
        robo__lag_drop(&p->lag, n);
    }
}

static void *run(void *arg)
{
    pthread_setname_np(pthread_self(), "lan");
    robo__thread_hurry();
    robo_test_lan *l = arg;
    struct pollfd ready[ROBO_TEST_MACHINES + 1];
    while (!atomic_load(&l->ends)) {
        robo_time due = ROBO_NEVER, now = robo__time_monotonic();
        for (int i = 0; i < ROBO_TEST_MACHINES; i++) {
            ready[i] = (struct pollfd){ .fd = l->port[i].tap, .events = POLLIN };
            const robo_time arrives = robo__lag_due(&l->port[i].lag);
            due = arrives < due ? arrives : due;
        }
        ready[ROBO_TEST_MACHINES] = (struct pollfd){ .fd = l->wake, .events = POLLIN };
        const struct timespec wait = robo__timespec(due > now ? due - now : 0);
        ppoll(ready, ROBO_TEST_MACHINES + 1, due == ROBO_NEVER ? NULL : &wait, NULL);
        now = robo__time_monotonic();
        for (int i = 0; i < ROBO_TEST_MACHINES; i++)
            if (ready[i].revents)
                read_some(l, &l->port[i], now);
        for (int i = 0; i < ROBO_TEST_MACHINES; i++)
            deliver(l, &l->port[i], now);
        uint64_t times;
        if (ready[ROBO_TEST_MACHINES].revents && read(l->wake, &times, sizeof times) > 0)
            take_new_taps(l);
    }
    return NULL;
}

static void wake(robo_test_lan *l)
{
    const uint64_t one = 1;
    while (write(l->wake, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

/* ---- machines ---- */

static struct sockaddr address_of(unsigned machine)
{
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(0x0a230000 + machine + 1) };
    struct sockaddr address;
    memcpy(&address, &at, sizeof address);
    return address;
}

static struct sockaddr hardware_of(unsigned machine)
{
    return (struct sockaddr){ ARPHRD_ETHER, { 2, [LAST] = (char)(machine + 1) } };
}

/* Writes the addresses of all machines down. A table of neighbours that it asks for has 1024 rows for all namespaces together. */
static bool know_all(int fd)
{
    struct arpreq row = { .arp_flags = ATF_PERM | ATF_COM, .arp_dev = "eth0" };
    bool good = true;
    for (unsigned i = 0; i < ROBO_TEST_MACHINES && good; i++) {
        row.arp_pa = address_of(i);
        row.arp_ha = hardware_of(i);
        good = ioctl(fd, SIOCSARP, &row) == 0;
    }
    return good;
}

/* Makes the interfaces in the network of this thread. The tap, or -1. */
static int make_tap(unsigned machine)
{
    struct ifreq link = { .ifr_name = "eth0", .ifr_flags = IFF_TAP | IFF_NO_PI }, own = link,
                 mask = link, hardware = link, up = link,
                 lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
    own.ifr_addr = mask.ifr_netmask = address_of(machine);
    memset(mask.ifr_netmask.sa_data + 2, 0xff, 2); /* behind the port: 255.255.0.0 */
    memset(mask.ifr_netmask.sa_data + 4, 0, 2);
    hardware.ifr_hwaddr = hardware_of(machine);
    up.ifr_flags = IFF_UP | IFF_MULTICAST;
    const int tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool made = tap >= 0 && fd >= 0 && ioctl(tap, TUNSETIFF, &link) == 0 &&
                      ioctl(fd, SIOCSIFHWADDR, &hardware) == 0 &&
                      ioctl(fd, SIOCSIFADDR, &own) == 0 && ioctl(fd, SIOCSIFNETMASK, &mask) == 0 &&
                      ioctl(fd, SIOCSIFFLAGS, &lo) == 0 && ioctl(fd, SIOCSIFFLAGS, &up) == 0 &&
                      know_all(fd);
    const int error = errno;
    if (fd >= 0)
        close(fd);
    if (!made && tap >= 0)
        close(tap);
    errno = error;
    return made ? tap : -1;
}

static void hand_over(robo_test_lan *l, struct port *p, int tap)
{
    const int unseen = atomic_exchange(&p->next, tap);
    if (unseen >= 0)
        close(unseen);
    wake(l);
}

/* A thread that makes a machine leaves the network of this process for it, and does not come back. */
struct making {
    unsigned machine;
    int space, tap, error;
};

static void *make(void *arg)
{
    struct making *m = arg;
    m->space = m->tap = -1;
    if (unshare(CLONE_NEWNET) == 0) {
        m->space = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
        m->tap = m->space < 0 ? -1 : make_tap(m->machine);
    }
    m->error = errno;
    return NULL;
}

int robo_test_lan_plug(robo_test_lan *l, unsigned machine)
{
    struct making m = { .machine = machine };
    pthread_t thread;
    if (machine >= ROBO_TEST_MACHINES)
        return ROBO_EINVAL;
    struct port *p = &l->port[machine];
    if (p->space >= 0)
        return ROBO_EEXISTS;
    if ((errno = robo__thread_create(&thread, make, &m)) != 0)
        return ROBO_ESYSTEM;
    pthread_join(thread, NULL);
    if (m.tap >= 0) {
        p->space = m.space;
        atomic_store(&p->group, 0);
        hand_over(l, p, m.tap);
        return 0;
    }
    if (m.space >= 0)
        close(m.space);
    errno = m.error;
    return errno == ENOENT || errno == ENXIO || errno == ENODEV ? ROBO_EDEVICE
           : errno == EPERM || errno == EACCES                  ? ROBO_EROLE
                                                                : ROBO_ESYSTEM;
}

/* Into the group of a machine's programs, or one of its own. Both processes do it: nobody knows which comes first. */
static void group_with(pid_t leader, pid_t process)
{
    if (!leader || setpgid(process, leader) < 0)
        setpgid(process, process);
}

/* In the child: nothing here may allocate. */
static void become(const struct port *p, pid_t parent, char *const argv[], int out)
{
    sigset_t none;
    group_with(p->leader, getpid());
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    const int in = open("/dev/null", O_RDONLY);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
        setns(p->space, CLONE_NEWNET) == 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 &&
        dup2(out, 2) == 2)
        execvp(argv[0], argv);
    _exit(127);
}

int robo_test_lan_run(robo_test_lan *l, unsigned machine, char *const argv[], int out)
{
    if (machine >= ROBO_TEST_MACHINES || l->port[machine].space < 0)
        return ROBO_EINVAL;
    struct port *p = &l->port[machine];
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        become(p, parent, argv, out);
    if (child < 0)
        return ROBO_ESYSTEM;
    group_with(p->leader, child);
    p->leader = getpgid(child);
    return child;
}

int robo_test_lan_signal(int process, int number)
{
    return waitpid(process, NULL, WNOHANG) == 0 && kill(process, number) == 0 ? 0 : ROBO_ENONE;
}

void robo_test_lan_unplug(robo_test_lan *l, unsigned machine)
{
    if (machine >= ROBO_TEST_MACHINES || l->port[machine].space < 0)
        return;
    struct port *p = &l->port[machine];
    atomic_store(&p->group, OFF); /* first: no frame reports that its sockets are closed */
    if (p->leader > 0) {
        kill(-p->leader, SIGKILL);
        while (waitpid(-p->leader, NULL, 0) > 0)
            ;
    }
    p->leader = 0;
    close(p->space);
    p->space = -1;
    hand_over(l, p, -1);
}

void robo_test_lan_group(robo_test_lan *l, unsigned machine, unsigned group)
{
    if (machine < ROBO_TEST_MACHINES && l->port[machine].space >= 0 && group != OFF)
        atomic_store(&l->port[machine].group, group);
}

/* ---- its life ---- */

int robo_test_lan_open(const struct robo_test_lag *lag, robo_test_lan **lan)
{
    struct robo_test_lag own;
    if (robo__sized_take(&own, sizeof own, lag) < 0 || robo__lag_check(&own) < 0)
        return ROBO_EINVAL;
    robo_test_lan *l = calloc(1, sizeof *l);
    if (!l)
        return ROBO_ENOMEM;
    l->lag = own;
    l->loss = own.loss;
    l->lag.loss = 0;
    l->lag.window = own.window > 0 ? own.window : WINDOW;
    robo__random_seed(&l->random, own.seed);
    for (int i = 0; i < ROBO_TEST_MACHINES; i++) {
        l->port[i].tap = l->port[i].space = -1;
        atomic_store(&l->port[i].next, NOTHING_NEW);
    }
    l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->wake < 0 || robo__thread_create(&l->thread, run, l) != 0) {
        if (l->wake >= 0)
            close(l->wake);
        free(l);
        return ROBO_ESYSTEM;
    }
    *lan = l;
    return 0;
}

void robo_test_lan_count(const robo_test_lan *l, struct robo_test_lan_counts *counts)
{
    counts->frames = atomic_load(&l->frames);
    counts->lost = atomic_load(&l->lost);
    counts->cut = atomic_load(&l->cut);
}

void robo_test_lan_close(robo_test_lan *l)
{
    if (!l)
        return;
    for (unsigned i = 0; i < ROBO_TEST_MACHINES; i++)
        robo_test_lan_unplug(l, i);
    atomic_store(&l->ends, true);
    wake(l);
    pthread_join(l->thread, NULL);
    take_new_taps(l);
    for (int i = 0; i < ROBO_TEST_MACHINES; i++)
        free_port(&l->port[i]);
    close(l->wake);
    free(l);
}
