/* The thread of a connection to a Player server: what is asked, and another connection when that is lost. What comes is hear.c's. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "link.h"
#include "net/socket.h"

static const robo_time SECOND = 1000000000;
static const robo_time LEAST_PAUSE = 200 * 1000000, MOST_PAUSE = 5 * INT64_C(1000000000);
/* TICK: ms between two looks for silence; ROOM: bytes that are read at once */
enum { TICK = 20, ROOM = 1 << 14 };

static void report(struct robo__player_link *p, const char *why)
{
    if (strcmp(p->said, why) == 0)
        return;
    strncpy(p->said, why, sizeof p->said - 1);
    robo_device_log(p->device, ROBO_LOG_WARNING, "%s:%u: %s", p->bind.url.host,
                    (unsigned)p->bind.url.port, why);
}

/* ---- the thread: the connection ---- */

/* What moves is watched: without new data of it nobody knows where it is. */
static bool is_watched(const struct robo__player_link *p)
{
    return p->bind.device[ROBO__FAR_BASE].interf != 0 ||
           p->bind.device[ROBO__FAR_HEAD].interf != 0 ||
           p->bind.device[ROBO__FAR_GRIPPER].interf != 0;
}

/* Sets whether commands can be given; on a loss those under way end. */
static void set_ready(struct robo__player_link *p, bool ready, const char *why)
{
    pthread_mutex_lock(&p->lock);
    const bool was = p->ready;
    p->ready = ready;
    p->tried = true;
    if (!ready)
        memset(p->velocity, 0, sizeof p->velocity);
    pthread_cond_broadcast(&p->woke);
    pthread_mutex_unlock(&p->lock);
    if (atomic_load(&p->closing))
        return; /* who closes has answered what there was */
    if (was && !ready) {
        report(p, why);
        robo_post_fault(p->device, ROBO_WHY_LINK);
    } else if (!was && ready) {
        p->said[0] = 0;
        robo_device_log(p->device, ROBO_LOG_INFO, "%s:%u: connected", p->bind.url.host,
                        (unsigned)p->bind.url.port);
    }
}

int robo__link_put(struct robo__player_link *p, const void *bytes, size_t n)
{
    return p->fd < 0 ? ROBO_ELINK : robo__outbox_put(&p->out, bytes, n, 0);
}

/* Reads what has come; false: the connection is lost. */
static bool receive(struct robo__player_link *p)
{
    if (p->room - p->count < ROOM) {
        const size_t room = p->room ? 2 * p->room : 4 * ROOM;
        uint8_t *more = room <= 2 * ROBO__FAR_MOST + 8 * ROOM ? realloc(p->bytes, room) : NULL;
        if (!more) {
            report(p, "a message needs more memory than there is");
            return false;
        }
        p->bytes = more;
        p->room = room;
    }
    const ssize_t n = recv(p->fd, p->bytes + p->count, p->room - p->count, MSG_DONTWAIT);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    p->count += (size_t)n;
    const ptrdiff_t used = robo__far_feed(&p->far, p->bytes, p->count, robo__time_monotonic());
    if (used < 0)
        return false;
    p->count -= (size_t)used;
    memmove(p->bytes, p->bytes + used, p->count);
    return true;
}

/* Sends the next request; false: there was no reply. A halt that switches motors off comes before it, and then they stay off, or
 * behind it. */
static bool request_next(struct robo__player_link *p, robo_time now)
{
    uint8_t bytes[ROBO__FAR_SENT];
    pthread_mutex_lock(&p->lock);
    p->far.motors = p->bind.motors && !p->dark;
    const ptrdiff_t n = robo__far_next(&p->far, now, bytes);
    if (n > 0)
        robo__link_put(p, bytes, (size_t)n);
    pthread_mutex_unlock(&p->lock);
    return n >= 0;
}

/* The base is to stand: a server whose robot has other clients does not stop it when this one goes. */
static void rest(struct robo__player_link *p, bool at_once)
{
    uint8_t bytes[ROBO__FAR_SENT];
    enum { VEL = 1 };
    if (!p->bind.device[ROBO__FAR_BASE].interf)
        return;
    pthread_mutex_lock(&p->lock);
    if (at_once)
        robo__outbox_drop(&p->out, 0);
    const size_t n = robo__far_message(&p->far, ROBO__FAR_BASE, ROBO__PLAYER_CMD, VEL,
                                       (double[]){ 0, 0, 0, 1 }, 4, bytes);
    robo__link_put(p, bytes, n);
    robo__outbox_flush(&p->out);
    pthread_mutex_unlock(&p->lock);
}

/* Looks whether data are fresh; false: they are so no more. The connection ends then, since the server's robot goes on as long as
 * there is one, and would drive on by itself with the next data. */
static bool look(struct robo__player_link *p, robo_time now)
{
    const robo_time timeout = (robo_time)(p->bind.timeout * 1e9);
    pthread_mutex_lock(&p->lock);
    const bool fresh = !is_watched(p) || (p->heard != 0 && now - p->heard < timeout);
    const bool was = p->ready;
    pthread_mutex_unlock(&p->lock);
    if (was && !fresh)
        rest(p, true);
    if (fresh != was)
        set_ready(p, fresh, "no data for longer than its timeout");
    return fresh || !was;
}

/* Once: a connection that comes again most likely lacks the same. */
static void tell_missing(struct robo__player_link *p)
{
    for (unsigned i = 0; i < ROBO__FAR_ROLES; i++)
        if (p->far.missing >> i & 1 && !(p->missed >> i & 1))
            robo_device_log(p->device, ROBO_LOG_WARNING,
                            "the server has no %s:%u: it goes on without",
                            robo__player_interface_name(p->bind.device[i].interf),
                            (unsigned)p->bind.device[i].index);
    p->missed = p->far.missing;
}

/* Keeps one connection until it is lost; whether its devices were open. again: there was one before, whose end the server may not have
 * seen yet. */
static bool converse(struct robo__player_link *p, bool again)
{
    struct pollfd fds[2] = { { .fd = p->fd }, { .fd = p->wake, .events = POLLIN } };
    bool good = true, told = false;
    robo__far_begin(&p->far);
    p->count = 0;
    while (good && !atomic_load(&p->closing)) {
        pthread_mutex_lock(&p->lock);
        const bool waits = robo__outbox_flush(&p->out);
        pthread_mutex_unlock(&p->lock);
        fds[0].events = (short)(POLLIN | (waits ? POLLOUT : 0));
        poll(fds, 2, TICK);
        good = !(fds[0].revents & (POLLIN | POLLHUP | POLLERR)) || receive(p);
        const robo_time now = robo__time_monotonic();
        good = good && request_next(p, now);
        if (good && p->far.ready && !told) {
            tell_missing(p);
            told = true;
            if (again)
                rest(p, false);
        }
        if (good && p->far.ready)
            good = look(p, now);
    }
    if (!good && p->far.why[0])
        report(p, p->far.why);
    return told;
}

static void pause_for(struct robo__player_link *p, robo_time time)
{
    struct pollfd fd = { .fd = p->wake, .events = POLLIN };
    if (!atomic_load(&p->closing))
        poll(&fd, 1, (int)(time / 1000000));
}

static void *run(void *arg)
{
    struct robo__player_link *p = arg;
    robo_time pause = LEAST_PAUSE;
    bool again = false;
    while (!atomic_load(&p->closing)) {
        char why[256] = "";
        const int fd = robo__socket_connect(&p->bind.url, SECOND, why);
        if (fd < 0) {
            report(p, why[0] ? why : robo_strerror(fd));
            set_ready(p, false, "");
        } else {
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
            pthread_mutex_lock(&p->lock);
            robo__outbox_init(&p->out, fd);
            p->fd = fd;
            p->heard = 0;
            p->by_speeds = p->unsure = p->unsent = false;
            p->grip = 0;
            pthread_mutex_unlock(&p->lock);
            if (converse(p, again)) {
                pause = LEAST_PAUSE;
                again = true;
            }
            pthread_mutex_lock(&p->lock);
            p->fd = -1;
            pthread_mutex_unlock(&p->lock);
            close(fd);
            set_ready(p, false, "the connection is lost");
        }
        pause_for(p, pause);
        pause = 2 * pause < MOST_PAUSE ? 2 * pause : MOST_PAUSE;
    }
    return NULL;
}

/* ---- open and close ---- */

/* Waits for the first connection as long as a turn of that takes: later ones come by themselves. */
static void await(struct robo__player_link *p)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&p->lock);
    while (!p->tried && pthread_cond_clockwait(&p->woke, &p->lock, CLOCK_MONOTONIC, &until) == 0) {
    }
    pthread_mutex_unlock(&p->lock);
}

int robo__link_open(struct robo__player_link *p)
{
    p->far.owner = p;
    p->far.heard = robo__link_hear;
    p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->threaded = p->wake >= 0 && pthread_create(&p->thread, NULL, run, p) == 0;
    if (!p->threaded)
        return ROBO_ESYSTEM;
    await(p);
    return 0;
}

void robo__link_close(struct robo__player_link *p)
{
    atomic_store(&p->closing, true);
    if (p->threaded) {
        const uint64_t one = 1;
        if (write(p->wake, &one, sizeof one) < 0) {
            /* it wakes by itself, later */
        }
        pthread_join(p->thread, NULL);
    }
    if (p->wake >= 0)
        close(p->wake);
    free(p->bytes);
    pthread_cond_destroy(&p->woke);
    pthread_mutex_destroy(&p->lock);
}
