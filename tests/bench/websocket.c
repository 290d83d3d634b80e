/* The round trip of a direct command by a WebSocket, beside an echo of messages of the same sizes by libwslay over epoll, and nothing else:
 * alone, and among 100 pages that have the state 30 times a second and give as many signs of life. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>
#include <wslay/wslay.h>

#include "bench.h"
#include "robotalk/wire.h"

/* ASK, ANSWER: bytes of a message. HEAD: of a frame's head, with its mask. */
enum { ASK = 72, ANSWER = 66, HEAD = 6, BLOCKS = 20, ROUNDS = 400, PAGES = 100, RATE = 30 };

static void fail(const char *what)
{
    fprintf(stderr, "robotalk-bench: websocket: %s\n", what);
    exit(1);
}

/* ---- a client ---- */

struct page {
    int fd;
    uint32_t next; /* id */
    uint8_t in[1 << 14];
    size_t have;
};

static void say(struct page *page, const uint8_t *message, size_t n)
{
    static const uint8_t mask[4] = { 0x9d, 0x31, 0xc7, 0x5a };
    uint8_t out[512] = { 0x82, (uint8_t)(0x80 | n) };
    size_t at = 2;
    if (n > 125) {
        out[1] = 0x80 | 126;
        out[2] = (uint8_t)(n >> 8);
        out[3] = (uint8_t)n;
        at = 4;
    }
    memcpy(out + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < n; i++)
        out[at++] = message[i] ^ mask[i & 3];
    if (send(page->fd, out, at, MSG_NOSIGNAL) != (ssize_t)at)
        fail("the connection is lost");
}

/* Reads messages until one of that size is there, or, for 0, until one begins a package of that type. */
static void hear(struct page *page, size_t size, uint8_t type)
{
    for (;;) {
        for (;;) {
            const uint8_t *in = page->in;
            const bool is_long = page->have > 4 && in[1] == 126;
            const size_t head = is_long ? 4 : 2, n = is_long          ? (size_t)(in[2] << 8 | in[3])
                                                     : page->have > 1 ? in[1]
                                                                      : 0;
            if (page->have < 2 || page->have < head + n)
                break;
            const bool found = size ? n == size : n >= ROBO_HEADER_SIZE && in[head + 4] == type;
            page->have -= head + n;
            memmove(page->in, page->in + head + n, page->have);
            if (found)
                return;
        }
        const ssize_t n = recv(page->fd, page->in + page->have, sizeof page->in - page->have, 0);
        if (n <= 0)
            fail("the connection is lost");
        page->have += (size_t)n;
    }
}

static void shake_hands(struct page *page, uint16_t port)
{
    static const char hello[] =
        "GET /robotalk HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    *page = (struct page){ .fd = connect_to(port), .next = 10 };
    send(page->fd, hello, sizeof hello - 1, MSG_NOSIGNAL);
    while (!memmem(page->in, page->have, "\r\n\r\n", 4)) {
        const ssize_t n = recv(page->fd, page->in + page->have, sizeof page->in - page->have, 0);
        if (n <= 0)
            fail("no WebSocket");
        page->have += (size_t)n;
    }
    page->have = 0;
}

static void query(struct page *page, uint16_t op, uint32_t session, const void *request)
{
    struct robo_package p;
    uint8_t out[256];
    struct robo_header header = {
        .type = ROBO_TYPE_QUERY, .id = page->next++, .session = session, .stamp = ROBO_NO_TIME
    };
    robo_package_begin(&p, out, sizeof out);
    if (op == ROBO_Q_HELLO)
        add_hello(&p);
    else
        robo_package_add(&p, op, page->next++, NULL, NULL,
                         robo_operation_find(robo__queries, op)->request, request);
    say(page, out, (size_t)robo_package_end(&p, &header));
    hear(page, 0, ROBO_TYPE_REPLY);
}

/* With a session, whose number is 1. */
static void come(struct page *page, uint16_t port)
{
    const struct robo_request_open open = { .mode = "direct" };
    shake_hands(page, port);
    query(page, ROBO_Q_HELLO, 0, NULL);
    query(page, ROBO_Q_OPEN, 0, &open);
}

static void commands(struct page *page, struct samples *s)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct robo_package p;
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .id = page->next++ };
        struct robo_header header = {
            .type = ROBO_TYPE_COMMAND, .id = page->next, .session = 1, .stamp = ROBO_NO_TIME
        };
        uint8_t out[ASK];
        const robo_time begin = now_ns();
        cmd.body.set_speed.x = 0.1 * (i & 1);
        robo_package_begin(&p, out, sizeof out);
        robo_package_add_command(&p, &cmd);
        say(page, out, (size_t)robo_package_end(&p, &header));
        hear(page, 0, ROBO_TYPE_SIGNAL);
        samples_add(s, (double)(now_ns() - begin) / 1e3);
    }
}

/* ---- the limit ---- */

struct bare {
    int listener, fd, cpu;
    uint16_t port;
    bool empty; /* all that has come is read */
    uint8_t out[512];
    size_t waiting; /* bytes there: a frame's head and its contents go out together */
    pthread_t thread;
};

static ssize_t read_bare(wslay_event_context_ptr w, uint8_t *out, size_t n, int flags, void *owner)
{
    struct bare *bare = owner;
    (void)flags;
    const ssize_t got = bare->empty ? -1 : recv(bare->fd, out, n, MSG_DONTWAIT);
    bare->empty = got < (ssize_t)n;
    if (got <= 0)
        wslay_event_set_error(w, got < 0 ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
    return got > 0 ? got : -1;
}

static ssize_t write_bare(wslay_event_context_ptr w, const uint8_t *bytes, size_t n, int flags,
                          void *owner)
{
    struct bare *bare = owner;
    (void)w, (void)flags;
    if (n > sizeof bare->out - bare->waiting)
        fail("an echo is too long");
    memcpy(bare->out + bare->waiting, bytes, n);
    bare->waiting += n;
    return (ssize_t)n;
}

static void answer_bare(wslay_event_context_ptr w, const struct wslay_event_on_msg_recv_arg *ask,
                        void *owner)
{
    const struct wslay_event_msg answer = { WSLAY_BINARY_FRAME, ask->msg, ANSWER };
    (void)owner;
    if (ask->msg_length == ASK)
        wslay_event_queue_msg(w, &answer);
}

static void *echo_bare(void *arg)
{
    static const struct wslay_event_callbacks callbacks = { .recv_callback = read_bare,
                                                            .send_callback = write_bare,
                                                            .on_msg_recv_callback = answer_bare };
    static const char yes[] = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
    struct bare *bare = arg;
    struct epoll_event event = { .events = EPOLLIN };
    const int poll = epoll_create1(EPOLL_CLOEXEC), one = 1;
    wslay_event_context_ptr w;
    char in[1024];
    pin(bare->cpu);
    bare->fd = accept(bare->listener, NULL, NULL);
    setsockopt(bare->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (recv(bare->fd, in, sizeof in, 0) <= 0 ||
        wslay_event_context_server_init(&w, &callbacks, bare))
        fail("no echo");
    send(bare->fd, yes, sizeof yes - 1, MSG_NOSIGNAL);
    epoll_ctl(poll, EPOLL_CTL_ADD, bare->fd, &event);
    for (int error = 0; error == 0;) {
        epoll_wait(poll, &event, 1, -1);
        bare->empty = false;
        error = wslay_event_recv(w);
        if (error == 0 && wslay_event_want_write(w))
            error = wslay_event_send(w);
        if (bare->waiting > 0)
            send(bare->fd, bare->out, bare->waiting, MSG_NOSIGNAL);
        bare->waiting = 0;
    }
    wslay_event_context_free(w);
    close(bare->fd);
    close(poll);
    return NULL;
}

static void bare_open(struct bare *bare, int cpu)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof a;
    *bare = (struct bare){ .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .cpu = cpu };
    if (bind(bare->listener, (struct sockaddr *)&a, sizeof a) < 0 ||
        listen(bare->listener, 1) < 0 ||
        getsockname(bare->listener, (struct sockaddr *)&a, &size) < 0 ||
        pthread_create(&bare->thread, NULL, echo_bare, bare) != 0)
        fail("no echo");
    bare->port = ntohs(a.sin_port);
}

static void echoes(struct page *page, struct samples *s)
{
    uint8_t ask[ASK] = { 0 };
    for (int i = 0; i < ROUNDS; i++) {
        const robo_time begin = now_ns();
        ask[0] = (uint8_t)i;
        say(page, ask, sizeof ask);
        hear(page, ANSWER, 0);
        samples_add(s, (double)(now_ns() - begin) / 1e3);
    }
}

static void placed(reporter *report, const char *what, int server_cpu, int client_cpu)
{
    static struct page ours, limit;
    struct fixture fixture;
    struct bare bare;
    struct trial t = { 0 };
    stage_open_at(&fixture, server_cpu, false, "rctp://127.0.0.1:0", "");
    bare_open(&bare, server_cpu);
    pin(client_cpu);
    come(&ours, fixture.port);
    shake_hands(&limit, bare.port);
    for (int i = -1; i < BLOCKS; i++) {
        commands(&ours, &t.ours);
        echoes(&limit, &t.limit);
        if (i < 0)
            t.ours.count = t.limit.count = 0; /* warm now */
        else
            trial_block(&t);
    }
    struct row row = { .name = "websocket", .what = what, .unit = "us", .goal = 1.2, .of = "p50" };
    trial_report(&t, &row, report);
    trial_free(&t);
    close(ours.fd);
    close(limit.fd);
    pthread_join(bare.thread, NULL);
    close(bare.listener);
    fixture_close(&fixture);
    pin(-1);
}

/* ---- among others ---- */

struct pages {
    struct page page[PAGES];
    atomic_bool stop;
    _Atomic long heard; /* bytes */
};

/* Others of that core come first, as if these were on other machines. */
static void *keep_pages(void *arg)
{
    struct pages *pages = arg;
    struct robo_package p;
    struct robo_header header = { .type = ROBO_TYPE_NONE, .stamp = ROBO_NO_TIME };
    uint8_t out[ROBO_HEADER_SIZE], in[8192];
    pin(1);
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
    for (int i = 0; !atomic_load(&pages->stop); i = (i + 1) % PAGES) {
        struct page *page = &pages->page[i];
        const ssize_t n = recv(page->fd, in, sizeof in, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            fail("a page is closed");
        atomic_fetch_add(&pages->heard, n > 0 ? n : 0);
        header.id = page->next++;
        robo_package_begin(&p, out, sizeof out);
        say(page, out, (size_t)robo_package_end(&p, &header));
        usleep(1000000 / RATE / PAGES);
    }
    return NULL;
}

static void among(reporter *report)
{
    static struct pages pages;
    static struct page one, other;
    const struct robo_request_broadcast broadcast = { .period = 1000000000 / RATE };
    struct fixture crowd, alone;
    struct trial t = { 0 };
    pthread_t thread;
    stage_open_at(&crowd, 0, false, "rctp://127.0.0.1:0", "");
    stage_open_at(&alone, 0, false, "rctp://127.0.0.1:0", "");
    for (int i = 0; i < PAGES; i++) {
        come(&pages.page[i], crowd.port);
        query(&pages.page[i], ROBO_Q_BROADCAST, 1, &broadcast);
    }
    if (pthread_create(&thread, NULL, keep_pages, &pages) != 0)
        fail("no thread");
    pin(1);
    come(&one, crowd.port);
    come(&other, alone.port);
    const robo_time begin = now_ns();
    for (int i = -1; i < BLOCKS; i++) {
        commands(&one, &t.ours);
        commands(&other, &t.limit);
        usleep(100000); /* the pages have their turn */
        if (i < 0)
            t.ours.count = t.limit.count = 0;
        else
            trial_block(&t);
    }
    atomic_store(&pages.stop, true);
    pthread_join(thread, NULL);
    const double seconds = (double)(now_ns() - begin) / 1e9;
    if ((double)atomic_load(&pages.heard) / seconds <
        PAGES * RATE * 100.0) /* bytes of a state, at least */
        fprintf(stderr, "robotalk-bench: websocket: the pages had less than %d states a second\n",
                RATE);
    struct row row = { .name = "websocket",
                       .what = "the same among 100 pages at 30 Hz, two cores",
                       .unit = "us",
                       .goal = 1.2,
                       .of = "p50" };
    trial_report(&t, &row, report);
    trial_free(&t);
    for (int i = 0; i < PAGES; i++)
        close(pages.page[i].fd);
    close(one.fd);
    close(other.fd);
    fixture_close(&alone);
    fixture_close(&crowd);
    pin(-1);
}

void bench_websocket(reporter *report)
{
    placed(report, "command by a WebSocket, both ends on one core", 0, 0);
    placed(report, "command by a WebSocket, on two cores", 0, 1);
    among(report);
}
