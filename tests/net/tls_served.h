/* Servers that are reached by TLS, and clients of them: for tests with real threads and sockets. Certificates are made when a test
 * begins; there is a robot that counts what starts and halts, and what the log has said. */
#pragma once

#include <stdint.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "../base_robot.h"
#include "../certificates.h"
#include "../idle_driver.h"
#include "../kept_log.h"
#include "../memory.h"
#include "../patience.h"
#include "net/known_servers.h"
#include "net/server.h"
#include "net/tls.h"
#include "protocols.h"
#include "robot/robot.h"
#include "robotalk/client.h"
#include "robotalk/server.h"
#include "results.h"
#include "robotalk/description.h"
#include "robotalk/access.h"
#include "../ids.h"

/* ---- a protocol that sends back what comes, and need not be greeted for long ---- */

struct echo {
    struct robo__conn *conn;
};

static atomic_size_t echoed; /* bytes that have come */

static inline int echo_open(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    ((struct echo *)state)->conn = conn;
    return 0;
}

static inline size_t echo_feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__conn *conn = ((struct echo *)state)->conn;
    robo__conn_greeted(conn);
    uint8_t *out = robo__conn_full(conn) ? NULL : robo__conn_reserve(conn, n);
    if (!out)
        return 0;
    memcpy(out, in, n);
    robo__conn_commit(conn, n);
    atomic_fetch_add(&echoed, n);
    return n;
}

static inline void echo_close(void *state)
{
}

static const struct robo__protocol echo = { .name = "echo",
                                            .port = 7,
                                            .size = sizeof(struct echo),
                                            .open = echo_open,
                                            .feed = echo_feed,
                                            .close = echo_close },
                                   hasty = { .name = "hasty",
                                             .port = 8,
                                             .size = sizeof(struct echo),
                                             .greeting = { .bytes = 64, .within = 1000000 },
                                             .open = echo_open,
                                             .feed = echo_feed,
                                             .close = echo_close };
static const struct robo__protocol *const protocols[] = { &robo__robotalk, &echo, &hasty, NULL };

/* ---- the robot ---- */

static atomic_int starts, halts;

static inline void start_body(void *state, const struct robo_cmd *cmd, robo_ticket ticket,
                              robo_time now)
{
    atomic_fetch_add(&starts, 1);
    robo_done(*(robo_device **)state, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static inline void halt_body(void *state, robo_time now)
{
    atomic_fetch_add(&halts, 1);
}

static const robo_driver body_driver = { .size = sizeof(robo_driver),
                                         .name = "body",
                                         .state_size = sizeof(robo_device *),
                                         .open = idle_open_remembering,
                                         .start = start_body,
                                         .read = idle_read,
                                         .halt = halt_body,
                                         .close = idle_close };

/* ---- the world ---- */

static robo_world *world;
static robo_robot *robot;
static char folder[] = "/tmp/robotalk-tls-XXXXXX";
static struct certificate server_cert = { .name = "server" }, client_cert = { .name = "client" },
                          other_cert = { .name = "other" },
                          expired_cert = { .name = "expired", .from = -7200, .to = -3600 },
                          ca_cert = { .name = "ca", .signs = true },
                          named_cert = { .name = "named",
                                         .host = "IP:127.0.0.1",
                                         .signer = &ca_cert },
                          away_cert = { .name = "away",
                                        .host = "DNS:elsewhere",
                                        .signer = &ca_cert };
static struct certificate *const certs[] = { &server_cert, &client_cert, &other_cert, &expired_cert,
                                             &ca_cert,     &named_cert,  &away_cert };
enum { CERTS = sizeof certs / sizeof certs[0] };

/* How many were dropped, as the log tells. */
static inline int complaints(const char *why)
{
    int n = 0;
    pthread_mutex_lock(&log_lock);
    for (char *at = log_text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = 0;
        if (strstr(at, " is dropped: ") && strstr(at, why))
            n += strstr(at, " more; the last: ") ? atoi(at) : 1;
        *end = '\n';
    }
    pthread_mutex_unlock(&log_lock);
    return n;
}

static inline int begin(void **state)
{
    const struct robo_options options = { .size = sizeof options, .log = on_log };
    const struct robo_description d = base_robot("rex", "body");
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    forget_log();
    atomic_store(&starts, 0);
    atomic_store(&halts, 0);
    atomic_store(&echoed, 0);
    world = robo_open(&options);
    bool made = world && mkdtemp(folder) && setenv("XDG_CONFIG_HOME", folder, 1) == 0;
    for (int i = 0; made && i < CERTS; i++)
        made = certificate_make(certs[i], folder);
    return !made || robo_add_driver(world, &body_driver) < 0 || robo_add(world, &d, &robot) < 0;
}

static inline int end(void **state)
{
    for (int i = 0; i < CERTS; i++)
        certificate_free(certs[i], folder);
    robo_release(robot);
    robo_close(world);
    return rmdir(folder);
}

/* An address whose % are the folder. */
static inline void write_address(char out[1024], const char *text)
{
    for (; *text; text++)
        out += *text == '%' ? sprintf(out, "%s", folder) : sprintf(out, "%c", *text);
}

static inline int parse(struct robo__url *url, const char *text, char why[256])
{
    char address[1024];
    write_address(address, text);
    return robo__url_parse(address, protocols, url, why);
}

struct served {
    robo_loop *loop;
    robo_server *server;
    struct robo__url url; /* where it is now */
};

static inline void serve_with(struct served *s, const char *address,
                              const struct robo_serve_options *options)
{
    char why[256];
    s->loop = robo_loop_open(world);
    assert_non_null(s->loop);
    assert_int_equal(parse(&s->url, address, why), 0);
    if (robo__server_open(s->loop, &s->url, options, &s->server, why) < 0)
        fail_msg("%s", why);
    assert_int_equal(robo_loop_start(s->loop), 0);
}

static inline void serve(struct served *s, const char *address)
{
    serve_with(s, address, NULL);
}

static inline void serve_no_more(struct served *s)
{
    robo_loop_stop(s->loop);
    robo_unserve(s->server);
    robo_loop_close(s->loop);
}

static const char SERVER[] = "robotalk+tls://127.0.0.1:0?cert=%/server.pem&key=%/server.key",
                  ECHO[] = "echo+tls://127.0.0.1:0?cert=%/server.pem&key=%/server.key",
                  LISTED[] = "&clients=%/client.pem", TRUST[] = "?trust=%/server.pem",
                  CLIENT[] = "&cert=%/client.pem&key=%/client.key";

static inline const char *join(char out[512], const char *a, const char *b)
{
    snprintf(out, 512, "%s%s", a, b);
    return out;
}

/* A client of the server at that scheme, with these options. */
static inline robo_client *connect_by(const struct served *s, const char *scheme,
                                      const char *options, char why[256])
{
    int error;
    char text[600], address[1024];
    snprintf(text, sizeof text, "%s://127.0.0.1:%u%s", scheme, s->url.port, options);
    write_address(address, text);
    return robo_connect(world, address, patience(), &error, why);
}

static inline int64_t open_session(robo_client *c)
{
    const struct robo_session_options options = { .size = sizeof options,
                                                  .robot = "rex",
                                                  .expiry = patience() };
    return robo_session(c, &options, patience());
}

static inline void command(robo_client *c, int64_t session)
{
    const struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE };
    assert_int_equal(carry_out(c, session, cmd).signal, ROBO_SUCCESS);
    forget_events(c);
}

/* The other end by hand. */
static inline struct robo__tls *dial(const struct served *s, const char *options)
{
    char text[600], why[256];
    struct robo__url url;
    struct robo__tls *tls;
    snprintf(text, sizeof text, "%s+tls://127.0.0.1:%u%s", s->url.protocol->name, s->url.port,
             options);
    assert_int_equal(parse(&url, text, why), 0);
    if (robo__tls_connect(&url, patience(), &tls, why) < 0)
        fail_msg("%s", why);
    return tls;
}

static inline int dial_plain(const struct served *s)
{
    char why[256];
    struct robo__url url = s->url;
    url.medium = ROBO__TCP;
    int fd = robo__socket_connect(&url, patience(), why);
    assert_true(fd >= 0);
    return fd;
}

/* Waits for the next bytes, or the end. */
static inline ptrdiff_t hear(struct robo__tls *tls, uint8_t *out, size_t n)
{
    ptrdiff_t got;
    do {
        struct pollfd p = { .fd = tls->fd, .events = POLLIN };
        tls->turn = 1 << 16;
        got = robo__tls_read(tls, out, n);
        if (got == 0)
            assert_int_equal(poll(&p, 1, (int)(patience() / 1000000)), 1);
    } while (got == 0);
    return got;
}

/* Reads a plain socket until the other side has hung up. */
static inline void await_end(int fd)
{
    char bytes[256];
    struct pollfd p = { .fd = fd, .events = POLLIN };
    while (poll(&p, 1, (int)(patience() / 1000000)) == 1 && recv(fd, bytes, sizeof bytes, 0) > 0)
        ;
    close(fd);
}

/* ---- lists ---- */

static const char ALLOW[] = "&allow=%/allow";

/* A list in the folder, of the hashes of these tokens and of the client's key, as far as they are there. */
static inline void allow(const char *drives, const char *operates, bool key)
{
    char path[256], hash[ROBO_HASH_TEXT], why[256];
    uint8_t bytes[ROBO__HASH];
    snprintf(path, sizeof path, "%s/allow", folder);
    FILE *f = fopen(path, "w");
    chmod(path, 0600);
    const char *token[] = { drives, operates };
    for (int i = 0; i < 2; i++) {
        if (!token[i])
            continue;
        assert_true(robo__secret_hash(token[i], strlen(token[i]), bytes));
        robo__secret_write_hash(bytes, hash);
        fprintf(f, "guest %s token %s\n", i ? "operate" : "drive", hash);
    }
    assert_int_equal(robo_key_hash(certificate_file(path, folder, "client", "pem"), hash, why), 0);
    if (key)
        fprintf(f, "client watch key %s\n", hash);
    fclose(f);
}

static inline robo_client *connect_with(const struct served *s, const char *options,
                                        const char *token, char why[256])
{
    int error;
    char text[600], address[1024];
    snprintf(text, sizeof text, "%s://127.0.0.1:%u%s",
             s->url.medium == ROBO__TLS ? "robotalk+tls" : "robotalk", s->url.port, options);
    write_address(address, text);
    const struct robo_client_options o = { .size = sizeof o, .apart = 1, .token = token };
    robo_loop *loop = robo_loop_open(world);
    robo_client *c = robo_client_open(loop, address, &o, &error, why);
    robo_loop_close(loop);
    if (!c || robo_client_wait(c, patience(), why) == 0)
        return c;
    robo_disconnect(c);
    return NULL;
}

static inline void await_loss(robo_client *c)
{
    while (robo_client_state(c) == 1)
        robo_poll(c, 10000000);
}

/* The begin of a handshake. */
static const uint8_t HELLO[] = { 0x16, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xfc }; /* 16 KiB are announced */
