/* The thread of a connection to a Player server: its requests, and another connection when it is lost. client_messages.c has the replies. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/sockios.h>
#include <unistd.h>

#include "base/time.h"
#include "link.h"
#include "net/socket.h"

static const robo_time SECOND = 1000000000;
static const robo_time LEAVING = 200 * 1000000; /* at most, for the server to read the last bytes */
static const robo_time LEAST_PAUSE = 200 * 1000000, MOST_PAUSE = 5 * INT64_C(1000000000);
/* TICK: ms between two looks for silence; ROOM: bytes that are read at once */
enum { TICK = 20, ROOM = 1 << 14 };

/* Once as long as it stays the same. place: "", or the server's, where `why` does not say that. */
static void report_at(struct robo__player_link *p, const char *place, const char *why)
{
    if (strcmp(p->said, why) == 0)
        return;
    snprintf(p->said, sizeof p->said, "%s", why);
    robo_device_log(p->device, ROBO_LOG_WARNING, "%s%s%s", place, *place ? ": " : "", why);
}

static void report(struct robo__player_link *p, const char *why)
{
    char place[sizeof p->bind.url.host + 8];
    snprintf(place, sizeof place, "%s:%u", p->bind.url.host, (unsigned)p->bind.url.port);
    report_at(p, place, why);
}

/* ---- what is sent, with the lock ---- */

static void put(struct robo__player_link *p, enum robo__link_sender sender, const uint8_t *bytes,
                size_t n)
{
    if (p->fd >= 0 && robo__outbox_put(&p->out, bytes, n, sender) == 0)
        return;
    p->unsent = true;
    if (p->fd >= 0)
        shutdown(p->fd, SHUT_RDWR);
}

void robo__link_tell(struct robo__player_link *p, enum robo__link_sender sender,
                     enum robo__far_role role, unsigned type, unsigned subtype, const double *value,
                     unsigned values)
{
    uint8_t bytes[ROBO__FAR_SENT];
    put(p, sender, bytes, robo__far_message(&p->far, role, type, subtype, value, values, bytes));
}

/* Stops that were sent may not have reached the server: the parts may move on. */
static void miss_stops(struct robo__player_link *p)
{
    p->moves |= p->rests;
    p->rests = 0;
}

void robo__link_drop(struct robo__player_link *p, enum robo__link_sender sender)
{
    if (p->fd < 0 || robo__outbox_drop(&p->out, sender) == 0)
        return;
    p->unsure = true; /* perhaps a request was among it, or a stop */
    p->dark |= p->bind.motors;
    miss_stops(p);
}

void robo__link_note(struct robo__player_link *p, enum robo__far_role role, bool moves)
{
    const uint16_t bit = (uint16_t)(1u << role);
    if (moves) {
        p->moves |= bit;
        p->rests &= (uint16_t)~bit;
    } else if (p->ready) {
        p->rests |= p->moves & bit;
    }
}

bool robo__link_knows_head(const struct robo__player_link *p, robo_time now)
{
    const robo_time timeout = (robo_time)(p->bind.timeout * 1e9); /* the base's may be shorter */
    return p->head_heard != 0 && now - p->head_heard < (timeout > SECOND ? timeout : SECOND);
}

/* Stops the head. Where its position is unknown it is stopped by speeds, for which the position does not matter; then a head
 * that this client does not move is left alone: false. */
static bool rest_head(struct robo__player_link *p, enum robo__link_sender sender)
{
    const bool knows = robo__link_knows_head(p, robo__time_monotonic());
    memset(p->turns, 0, sizeof p->turns);
    if (!knows && !(p->moves >> ROBO__FAR_HEAD & 1) && !p->head_goal.ticket)
        return false;
    if (!p->ready || !knows) {
        robo__link_tell(p, sender, ROBO__FAR_HEAD, ROBO__PLAYER_REQ, PTZ_MODE, (double[]){ 0 }, 1);
        p->by_speeds = true;
        p->unsure = false;
    }
    robo__link_tell(p, sender, ROBO__FAR_HEAD, ROBO__PLAYER_CMD, PTZ_STATE,
                    (double[]){ p->head[0], p->head[1], p->zoom, 0, 0 }, 5);
    return true;
}

uint16_t robo__link_rest(struct robo__player_link *p, enum robo__link_sender sender, uint16_t roles)
{
    static const uint8_t order[] = { ROBO__FAR_BASE, ROBO__FAR_HEAD, ROBO__FAR_GRIPPER };
    const double motors = !p->dark && !p->limp;
    uint16_t told = 0;
    for (unsigned i = 0; i < sizeof order; i++) {
        const enum robo__far_role role = order[i];
        if (!(roles >> role & 1) || !p->bind.device[role].interf ||
            (role == ROBO__FAR_HEAD && !rest_head(p, sender)))
            continue;
        told |= (uint16_t)(1u << role);
        if (role == ROBO__FAR_BASE)
            robo__link_tell(p, sender, role, ROBO__PLAYER_CMD, VEL, (double[]){ 0, 0, 0, motors },
                            4);
        else if (role == ROBO__FAR_GRIPPER)
            robo__link_tell(p, sender, role, ROBO__PLAYER_CMD, GRIP_STOP, NULL, 0);
    }
    if (p->ready)
        p->rests |= told;
    return told;
}

/* As long as no commands can be given, the parts that this client has moved are stopped, each once it is open and before motors
 * are switched on: a server whose robot has other clients does not stop it when one disconnects. Parts that others move go on. */
static void settle(struct robo__player_link *p)
{
    /* a panic that came while there was no connection */
    const uint16_t panic = robo_device_in_panic(p->device) ? (uint16_t)~p->calmed : 0;
    if (p->ready)
        return;
    robo__link_drop(p, ROBO__LINK_COMMANDS);
    const uint16_t left = ((p->moves & (uint16_t)~p->rests) | panic) & p->far.opened;
    p->calmed |= left;
    p->rests |= robo__link_rest(p, ROBO__LINK_HALTS, left);
}

/* Stops were delivered once the server's machine has received all bytes. */
static void note_arrival(struct robo__player_link *p)
{
    int left;
    if (!p->rests || p->unsent || p->out.frames > 0 || ioctl(p->fd, SIOCOUTQ, &left) < 0 ||
        left > 0)
        return;
    p->moves &= (uint16_t)~p->rests;
    p->rests = 0;
}

/* ---- the thread: the connection ---- */

/* Moving parts are watched: without new data their position is unknown. */
static bool is_watched(const struct robo__player_link *p)
{
    return p->bind.device[ROBO__FAR_BASE].interf != 0 ||
           p->bind.device[ROBO__FAR_HEAD].interf != 0 ||
           p->bind.device[ROBO__FAR_GRIPPER].interf != 0;
}

/* Sets whether commands can be given; on a loss those under way end. */
static void set_ready(struct robo__player_link *p, bool ready, const char *why)
{
    const bool sees = ready && p->far.opened >> ROBO__FAR_CAMERA & 1;
    /* before the opener, which waits for the first connection, goes on; only this thread writes these. Pictures come before
     * the base has reported, too */
    if (p->ready != ready || !p->tried || (!ready && !p->fails))
        robo__link_set_camera(p, sees, robo__time_monotonic());
    pthread_mutex_lock(&p->lock);
    const bool was = p->ready;
    p->ready = ready;
    p->tried = true;
    if (!ready)
        memset(p->velocity, 0, sizeof p->velocity);
    pthread_cond_broadcast(&p->woke);
    pthread_mutex_unlock(&p->lock);
    if (atomic_load(&p->closing))
        return; /* the closing thread has answered what there was */
    if (was && !ready) {
        report(p, why);
        robo_post_fault(p->device, ROBO_WHY_LINK);
    } else if (!was && ready) {
        p->said[0] = 0;
        robo_device_log(p->device, ROBO_LOG_INFO, "%s:%u: connected", p->bind.url.host,
                        (unsigned)p->bind.url.port);
    }
}

/* Reads the received bytes; false: the connection is lost. */
static bool receive(struct robo__player_link *p)
{
    if (p->room - p->count < ROOM) {
        const size_t room = p->room ? 2 * p->room : 4 * ROOM;
        uint8_t *more = room <= 2 * ROBO__FAR_MOST + 8 * ROOM ? realloc(p->bytes, room) : NULL;
        if (!more) {
            snprintf(p->far.why, sizeof p->far.why, "a message needs more memory than there is");
            return false;
        }
        p->bytes = more;
        p->room = room;
    }
    const ssize_t n = recv(p->fd, p->bytes + p->count, p->room - p->count, MSG_DONTWAIT);
    p->ended |= n == 0;
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    p->count += (size_t)n;
    p->came = robo__time_monotonic();
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
    /* a panic since the connection was made; motors that are on by then are switched on again by the next command */
    p->dark |= p->bind.motors && !p->far.ready && robo_device_in_panic(p->device);
    settle(p);
    p->far.motors = p->bind.motors && !p->dark;
    p->far.limp = p->limp;
    const ptrdiff_t n = robo__far_next(&p->far, now, bytes);
    if (n > 0)
        put(p, ROBO__LINK_REQUESTS, bytes, (size_t)n);
    pthread_mutex_unlock(&p->lock);
    return n >= 0;
}

/* Watched parts have not reported their position since all was opened; false: long enough. Other clients may use cameras and sensors
 * meanwhile, and the server may wait for its robot; but a server that sends nothing at all may have died silently. */
static bool waits_for_data(struct robo__player_link *p, robo_time opened, robo_time now)
{
    const robo_time timeout = (robo_time)(p->bind.timeout * 1e9),
                    most = timeout > SECOND ? timeout : SECOND;
    const struct robo__far_device *d = p->bind.device;
    char why[96];
    if (now - opened < most)
        return true;
    while (d->interf == 0)
        d++; /* the first that moves: without any there is nothing to wait for */
    snprintf(why, sizeof why, "%s:%u has told nothing for longer than its timeout",
             robo__player_interface_name(d->interf), (unsigned)d->index);
    report(p, why);
    return now - p->came < most;
}

/* Checks whether data are fresh; false: not any more. The connection ends then, since the server's robot goes on as long as there
 * is one, and would drive on by itself with the next data. A head has as long to report its position, from when all was open. */
static bool look(struct robo__player_link *p, robo_time opened, robo_time now)
{
    const robo_time timeout = (robo_time)(p->bind.timeout * 1e9);
    pthread_mutex_lock(&p->lock);
    const bool was = p->ready,
               told = was || p->head_heard != 0 || !p->bind.device[ROBO__FAR_HEAD].interf ||
                      now - opened >= timeout,
               fresh = !is_watched(p) || (p->heard != 0 && now - p->heard < timeout && told);
    pthread_mutex_unlock(&p->lock);
    if (fresh != was)
        set_ready(p, fresh, "no data for longer than its timeout");
    return fresh || (!was && waits_for_data(p, opened, now));
}

/* Once: a connection that comes again most likely lacks the same. */
static void tell_missing(struct robo__player_link *p)
{
    for (unsigned i = 0; i < ROBO__FAR_ROLES; i++)
        if (p->far.missing >> i & 1 && !(p->missed >> i & 1))
            robo_device_log(p->device, ROBO_LOG_WARNING, "%s %s:%u: it goes on without",
                            p->far.unanswered >> i & 1 ? "no reply to the subscription of"
                                                       : "the server has no",
                            robo__player_interface_name(p->bind.device[i].interf),
                            (unsigned)p->bind.device[i].index);
    p->missed = p->far.missing;
}

/* Keeps one connection until it is lost; whether commands could be given. */
static bool converse(struct robo__player_link *p)
{
    struct pollfd fds[2] = { { .fd = p->fd }, { .fd = p->wake, .events = POLLIN } };
    bool good = true, told = false, served = false;
    robo_time opened = 0;
    p->count = 0;
    while (good && !atomic_load(&p->closing)) {
        pthread_mutex_lock(&p->lock);
        const bool waits = robo__outbox_flush(&p->out);
        note_arrival(p);
        pthread_mutex_unlock(&p->lock);
        fds[0].events = (short)(POLLIN | (waits ? POLLOUT : 0));
        poll(fds, 2, TICK);
        good = !(fds[0].revents & (POLLIN | POLLHUP | POLLERR)) || receive(p);
        const robo_time now = robo__time_monotonic();
        good = good && request_next(p, now);
        if (good && p->far.ready && !told) {
            tell_missing(p);
            told = true;
            opened = now;
        }
        if (good && p->far.ready)
            good = look(p, opened, now);
        served |= p->ready; /* only this thread writes that */
        if (good && p->far.ready)
            robo__link_watch_camera(p, now);
    }
    if (!good && p->far.why[0])
        report(p, p->far.why);
    else if (!good && !told)
        report(p, "it has ended the connection before its devices were open");
    return served;
}

/* Lets a connection go. The server reads the last bytes in it: closing while there are bytes to read would discard them. */
static void leave(struct robo__player_link *p)
{
    const robo_time until = robo__time_monotonic() + LEAVING;
    char bytes[4096];
    bool waits = true, there = true;
    ssize_t n = -1; /* 0: the server has read all, and then the end */
    struct pollfd fd = { .fd = p->fd, .events = POLLIN };
    pthread_mutex_lock(&p->lock);
    settle(p);
    pthread_mutex_unlock(&p->lock);
    while (there && robo__time_monotonic() < until) {
        if (waits) {
            pthread_mutex_lock(&p->lock);
            waits = robo__outbox_flush(&p->out);
            pthread_mutex_unlock(&p->lock);
            if (!waits)
                shutdown(p->fd, SHUT_WR);
        }
        poll(&fd, 1, TICK);
        n = recv(p->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        there = n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
    }
    pthread_mutex_lock(&p->lock);
    if (n == 0 && !p->ended) /* a server that has ended its side before may not have read it */
        note_arrival(p);
    const int gone = p->fd;
    p->fd = -1;
    pthread_mutex_unlock(&p->lock);
    close(gone);
}

/* On a connection that has just been made. */
static bool keep(struct robo__player_link *p, int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    robo__far_begin(&p->far);
    p->scan = (struct robo__scan){ .most = 0 };
    pthread_mutex_lock(&p->lock);
    robo__outbox_init(&p->out, fd);
    p->out.goes_on = true; /* a prepared stop would tear a message that was sent in part */
    p->fd = fd;
    p->heard = 0;
    p->complained_silence = p->complained_motors = false;
    p->unsure = true; /* the mode is the device's, as whoever was there before has left it */
    p->by_speeds = p->unsent = false;
    miss_stops(p);
    p->calmed = 0;
    p->dark |= p->bind.motors && robo_device_in_panic(p->device); /* nothing is switched on */
    p->grip = 0;
    p->head_heard = 0;
    p->ended = false;
    pthread_mutex_unlock(&p->lock);
    const bool good = converse(p);
    set_ready(p, false, "the connection is lost");
    leave(p);
    return good;
}

static void pause_for(struct robo__player_link *p, robo_time time)
{
    struct pollfd fd = { .fd = p->wake, .events = POLLIN };
    if (!atomic_load(&p->closing))
        poll(&fd, 1, (int)(time / 1000000));
}

static void *run(void *arg)
{
    pthread_setname_np(pthread_self(), "player");
    struct robo__player_link *p = arg;
    robo_time pause = LEAST_PAUSE;
    while (!atomic_load(&p->closing)) {
        char why[256] = "";
        const int fd = robo__socket_connect(&p->bind.url, SECOND, why);
        if (fd < 0) {
            report_at(p, "", why);
            set_ready(p, false, "");
        } else if (keep(p, fd)) {
            pause = LEAST_PAUSE;
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
    p->far.malformed = robo__link_malformed;
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
