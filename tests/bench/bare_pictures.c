/* libjpeg-turbo beside bare sends: a thread encodes pictures, one writes the newest of them whole to each of some TCP connections,
 * and one reads what comes there and drops it. So as many threads share the cores, and as many bytes are copied through the
 * kernel, as when a camera's pictures go to clients. */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

enum { MOST = 16, BUFFERS = 3 }; /* one is sent, one waits, one is written */

struct bare {
    unsigned count;
    int from[MOST], to[MOST];
    struct limit_jpeg *jpeg[BUFFERS];
    size_t size[BUFFERS];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int sending, waiting; /* buffers; -1: none */
    bool over;
    uint64_t sent; /* pictures, each to all */
    pthread_t sender, reader;
};

static bool connect_one(int listener, const struct sockaddr_in *at, int *from, int *to)
{
    *to = socket(AF_INET, SOCK_STREAM, 0);
    *from = -1;
    if (*to >= 0 && connect(*to, (const struct sockaddr *)at, sizeof *at) == 0)
        *from = accept(listener, NULL, NULL);
    return *from >= 0;
}

static bool connect_all(struct bare *b)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    bool good = listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 &&
                listen(listener, MOST) == 0 &&
                getsockname(listener, (struct sockaddr *)&at, &n) == 0;
    for (unsigned i = 0; i < b->count; i++)
        good = connect_one(listener, &at, &b->from[i], &b->to[i]) && good;
    close(listener);
    return good;
}

static bool send_whole(int fd, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t done = send(fd, bytes, n, MSG_NOSIGNAL);
        if (done <= 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

static void *send_pictures(void *arg)
{
    struct bare *b = arg;
    bool good = true;
    pthread_mutex_lock(&b->lock);
    while (!b->over && good) {
        if (b->waiting < 0) {
            pthread_cond_wait(&b->changed, &b->lock);
            continue;
        }
        const int i = b->sending = b->waiting;
        b->waiting = -1;
        pthread_mutex_unlock(&b->lock);
        for (unsigned k = 0; k < b->count && good; k++)
            good = send_whole(b->from[k], limit_jpeg_bytes(b->jpeg[i]), b->size[i]);
        pthread_mutex_lock(&b->lock);
        b->sending = -1;
        b->sent++;
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void *read_all(void *arg)
{
    struct bare *b = arg;
    static unsigned char bytes[1 << 18];
    struct pollfd ready[MOST];
    unsigned left = b->count;
    for (unsigned i = 0; i < b->count; i++)
        ready[i] = (struct pollfd){ .fd = b->to[i], .events = POLLIN };
    while (left > 0 && poll(ready, b->count, -1) > 0)
        for (unsigned i = 0; i < b->count; i++)
            if (ready[i].revents && recv(ready[i].fd, bytes, sizeof bytes, 0) <= 0) {
                ready[i].fd = -1;
                left--;
            }
    return NULL;
}

/* A buffer that is neither sent nor waits. The lock is held. */
static int free_buffer(const struct bare *b)
{
    int i = 0;
    while (i == b->sending || i == b->waiting)
        i++;
    return i;
}

static void close_all(struct bare *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        if (b->from[i] >= 0)
            close(b->from[i]);
        if (b->to[i] >= 0)
            close(b->to[i]);
    }
    for (int i = 0; i < BUFFERS; i++)
        if (b->jpeg[i])
            limit_jpeg_close(b->jpeg[i]);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
}

/* Encodes until then, and counts from `begin` on. */
static double run(struct bare *b, unsigned char *pixels, robo_time begin, robo_time end)
{
    uint64_t number = 0, before = 0;
    robo_time first = 0, now;
    while ((now = now_ns()) < end) {
        pthread_mutex_lock(&b->lock);
        if (first == 0 && now >= begin) {
            first = now;
            before = b->sent;
        }
        const int i = free_buffer(b);
        pthread_mutex_unlock(&b->lock);
        number++;
        memcpy(pixels, &number, sizeof number);
        b->size[i] = limit_jpeg_encode(b->jpeg[i], pixels);
        pthread_mutex_lock(&b->lock);
        b->waiting = i;
        pthread_cond_signal(&b->changed);
        pthread_mutex_unlock(&b->lock);
    }
    pthread_mutex_lock(&b->lock);
    const uint64_t sent = b->sent - before;
    b->over = true;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return (double)sent * 1e9 / (double)(now - first);
}

double bare_pictures(unsigned char *pixels, unsigned width, unsigned height, int quality,
                     unsigned connections, robo_time span)
{
    struct bare b = { .count = connections < MOST ? connections : MOST,
                      .sending = -1,
                      .waiting = -1 };
    double rate = 0;
    pthread_mutex_init(&b.lock, NULL);
    pthread_cond_init(&b.changed, NULL);
    bool good = connect_all(&b);
    for (int i = 0; i < BUFFERS; i++)
        good = (b.jpeg[i] = limit_jpeg_open(width, height, quality)) != NULL && good;
    if (good && pthread_create(&b.reader, NULL, read_all, &b) == 0) {
        if (pthread_create(&b.sender, NULL, send_pictures, &b) == 0) {
            const robo_time now = now_ns();
            rate = run(&b, pixels, now + span / 4, now + span / 4 + span);
            pthread_join(b.sender, NULL);
        }
        for (unsigned i = 0; i < b.count; i++)
            shutdown(b.from[i], SHUT_RDWR);
        pthread_join(b.reader, NULL);
    }
    close_all(&b);
    return rate;
}
