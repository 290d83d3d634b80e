/* A stand-in for a Player server whose robot has other clients: it notes what it hears, tells what a test wants, and never moves or stops
 * anything by itself. Behind it is a robot with a base, a head and a gripper. */
#pragma once

#include "../head_and_gripper.h"
#include "player_robot.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BASE = ROBO__PLAYER_POSITION2D, HEAD = ROBO__PLAYER_PTZ, CLAW = ROBO__PLAYER_GRIPPER };
enum { CMD = ROBO__PLAYER_CMD, REQ = ROBO__PLAYER_REQ, MOST = 1 << 17, SOME = 20 };

/* ---- the server ---- */

/* It reads, it tells of the base, and of the head, and pictures, or nothing at all but replies; it is to end its connection, or its side of that alone; it ends each new one at once,
 * it is over. */
static atomic_bool reads, tells, tells_head, shows, mum, cuts, halves, away, over;
static atomic_uint grip_state; /* state of the gripper that it tells, as Player has it */
static pthread_t stand_in;
static int listener;
static char url[64];

struct said {
    unsigned connection, interf, type, subtype;
    double value[8];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what was said */
static struct said said[MOST];
static unsigned saids, connections;
static bool torn; /* a connection ended otherwise than by its client's last byte */

static inline void send_message(int fd, struct robo__player_header h, const char *layout,
                                const struct robo__player_body *body)
{
    uint8_t out[256];
    h.size = layout ? (uint32_t)robo__player_encode(layout, body, out + ROBO__PLAYER_HEADER,
                                                    sizeof out - ROBO__PLAYER_HEADER)
                    : 0;
    robo__player_put_header(&h, out);
    if (send(fd, out, ROBO__PLAYER_HEADER + h.size, MSG_NOSIGNAL) < 0)
        torn = true; /* with the lock */
}

static inline void send_data(int fd, unsigned interf, const char *layout,
                             const struct robo__player_body *body)
{
    send_message(fd,
                 (struct robo__player_header){
                     .interf = (uint16_t)interf, .type = ROBO__PLAYER_DATA, .subtype = 1 },
                 layout, body);
}

static inline void tell(int fd, unsigned interf, const char *layout)
{
    const struct robo__player_body still = { .value = { interf == CLAW ? atomic_load(&grip_state)
                                                                       : 0 } };
    send_data(fd, interf, layout, &still);
}

/* A picture: 2 x 2 pixels of 24 bits, RGB888, not compressed. */
static inline void show(int fd)
{
    static const uint8_t pixels[2 * 2 * 3];
    const struct robo__player_body picture = {
        .value = { 2, 2, 24, 5, 1, 0 }, .array = { { .count = sizeof pixels, .raw = pixels } }
    };
    send_data(fd, ROBO__PLAYER_CAMERA, "6ux", &picture);
}

/* Notes a message, and grants what is asked for. */
static inline void take(int fd, const struct robo__player_header *h, const uint8_t *bytes)
{
    const struct robo__player_kind *kind = robo__player_kind_of(h->interf, h->type, h->subtype);
    struct robo__player_body body = { .values = 0 };
    struct robo__player_mistake mistake;
    if (saids == MOST || !kind || !robo__player_decode(kind->body, bytes, h->size, &body, &mistake))
        abort(); /* cmocka's own are of the test's thread */
    said[saids] = (struct said){
        .connection = connections, .interf = h->interf, .type = h->type, .subtype = h->subtype
    };
    memcpy(said[saids++].value, body.value, sizeof said[0].value);
    if (h->type != REQ)
        return;
    struct robo__player_header reply = *h;
    reply.type = ROBO__PLAYER_ACK;
    const bool opens = h->interf == ROBO__PLAYER_PLAYER;
    body.arrays = opens ? 1 : 0;
    body.array[0] = (struct robo__player_array){ .count = 1, .raw = (const uint8_t *)"" };
    send_message(fd, reply, opens ? kind->reply : NULL, &body);
}

/* Ends its side, and reads no more: what the client says then is thrown away with the connection once it has ended its own. */
static inline void end_half(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLRDHUP };
    shutdown(fd, SHUT_WR);
    while (!atomic_load(&over) && poll(&p, 1, 5) == 0) {
    }
}

/* Until it ends: two messages of the head's before each look, of which the second fails if the client has closed without reading. */
static inline void converse(int fd)
{
    char banner[ROBO__PLAYER_BANNER] = "Player v.3.1.1";
    uint8_t in[1 << 14];
    size_t count = 0;
    bool good = send(fd, banner, sizeof banner, MSG_NOSIGNAL) > 0;
    while (good && !atomic_load(&over) && !atomic_exchange(&cuts, false) && !atomic_load(&halves)) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        pthread_mutex_lock(&lock);
        for (int i = 0; i < 2 && atomic_load(&tells_head); i++)
            tell(fd, HEAD, "5fu");
        if (atomic_load(&tells))
            tell(fd, BASE, "6db");
        if (!atomic_load(&mum))
            tell(fd, CLAW, "bub");
        if (atomic_load(&shows))
            show(fd);
        pthread_mutex_unlock(&lock);
        poll(&p, atomic_load(&reads) ? 1 : 0, 2);
        if (!atomic_load(&reads) || !p.revents)
            continue;
        const ssize_t n = recv(fd, in + count, sizeof in - count, 0);
        pthread_mutex_lock(&lock);
        torn |= n < 0;
        good = n > 0;
        count += good ? (size_t)n : 0;
        size_t at = 0;
        struct robo__player_header h;
        const char *why;
        for (; count - at >= ROBO__PLAYER_HEADER; at += ROBO__PLAYER_HEADER + h.size) {
            if (!robo__player_get_header(in + at, &h, &why))
                abort();
            if (count - at - ROBO__PLAYER_HEADER < h.size)
                break;
            take(fd, &h, in + at + ROBO__PLAYER_HEADER);
        }
        memmove(in, in + at, count - at);
        count -= at;
        pthread_mutex_unlock(&lock);
    }
    if (atomic_exchange(&halves, false))
        end_half(fd);
    close(fd);
}

static inline void *run(void *arg)
{
    while (!atomic_load(&over)) {
        struct pollfd p = { .fd = listener, .events = POLLIN };
        if (poll(&p, 1, 5) <= 0)
            continue;
        if (atomic_load(&away)) {
            close(accept(listener, NULL, NULL));
            continue;
        }
        pthread_mutex_lock(&lock);
        connections++;
        pthread_mutex_unlock(&lock);
        converse(accept(listener, NULL, NULL));
    }
    return NULL;
}

/* The newest connection on which all was asked for that comes before commands: the geometry is the last. */
static inline unsigned newest(void)
{
    unsigned n = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < saids; i++)
        if (said[i].interf == BASE && said[i].type == REQ && said[i].subtype == 1)
            n = said[i].connection;
    pthread_mutex_unlock(&lock);
    return n;
}

/* The place of the nth such message, from 1, of a connection; 0: there were not as many. */
static inline unsigned nth(unsigned n, unsigned connection, unsigned interf, unsigned type,
                           unsigned subtype, struct said *out)
{
    unsigned place = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < saids && place == 0; i++) {
        const struct said *s = &said[i];
        if (s->connection != connection || s->interf != interf || s->type != type ||
            s->subtype != subtype || --n > 0)
            continue;
        place = i + 1;
        *out = *s;
    }
    pthread_mutex_unlock(&lock);
    return place;
}

static inline unsigned first(unsigned connection, unsigned interf, unsigned type, unsigned subtype,
                             struct said *out)
{
    return nth(1, connection, interf, type, subtype, out);
}

/* Whether there was such a message of a connection, and the last of them. */
static inline bool last(unsigned connection, unsigned interf, unsigned type, unsigned subtype,
                        struct said *out)
{
    unsigned n = 1;
    while (nth(n, connection, interf, type, subtype, out) > 0)
        n++;
    return n > 1;
}

/* How many such messages there were on all connections. */
static inline unsigned count_said(unsigned interf, unsigned type, unsigned subtype)
{
    unsigned n = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < saids; i++)
        n += said[i].interf == interf && said[i].type == type && said[i].subtype == subtype;
    pthread_mutex_unlock(&lock);
    return n;
}

/* ---- the robot ---- */

/* A base, a head and a gripper. */
static inline struct robo_description wears_all(void)
{
    struct robo_description d = quick_base("player");
    wear_head_and_gripper(&d);
    return d;
}

/* All but pictures is told, and read. */
static inline void open_stand_in(void)
{
    listener = listen_narrowly(url);
    saids = connections = 0;
    torn = false;
    atomic_store(&grip_state, ROBO__GRIPPER_CLOSED);
    atomic_store(&reads, true);
    atomic_store(&tells, true);
    atomic_store(&tells_head, true);
    atomic_store(&shows, false);
    atomic_store(&mum, false);
    atomic_store(&cuts, false);
    atomic_store(&halves, false);
    atomic_store(&away, false);
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&stand_in, NULL, run, NULL), 0);
}

/* timeout: of data, s; panic: what that means to the robot. */
static inline void begin_by(double timeout, enum robo_halt panic)
{
    struct robo_description d = wears_all();
    d.panic = panic;
    open_stand_in();
    open_world_here();
    add_here(d, url, timeout);
    come();
}

static inline int end(void **state)
{
    close_world_here();
    atomic_store(&over, true);
    pthread_join(stand_in, NULL);
    close(listener);
    return 0;
}

static inline bool taken(struct robo_cmd cmd)
{
    return result(cmd) <= ROBO_MODIFIED;
}

static const struct robo_cmd drive = { .op = ROBO_SET_SPEED, .body.set_speed = { 0.5, 0, 0 } },
                             stop = { .op = ROBO_STOP },
                             pan = { .op = ROBO_SET_JOINT_SPEED,
                                     .body.servo = { .joint = 1, .mask = 1, .value = { 0.2 } } },
                             grip = { .op = ROBO_SET_JOINT_SPEED,
                                      .body.servo = { .joint = 2, .mask = 1, .value = { 0.2 } } };

/* Whether the server has all that was told to stand. */
static inline bool rests(void)
{
    struct robo__player_link *p = link_here();
    pthread_mutex_lock(&p->lock);
    const bool rest = p->moves == 0 && p->rests == 0;
    pthread_mutex_unlock(&p->lock);
    return rest;
}

/* The server ends the connection; there is the next one. */
static inline unsigned lose(void)
{
    const unsigned before = newest();
    atomic_store(&cuts, true);
    EVENTUALLY(newest() > before && is_ready());
    return newest();
}

/* The server reads no more, until commands wait here. */
static inline void fill(void)
{
    size_t held = 0;
    atomic_store(&reads, false);
    for (int i = 0; i < 1 << 20 && held < SOME; i++) {
        assert_true(taken(drive));
        held = waiting();
    }
    assert_true(held >= SOME);
}
