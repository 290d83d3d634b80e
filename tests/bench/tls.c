/* A direct command's round trip by TLS, of who has told a token, beside an echo of the same bytes by TLS: OpenSSL with nothing above it. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../certificates.h"
#include "bench.h"
#include "robotalk/access.h"

enum { ASK = 72, ANSWER = 66, BLOCKS = 20, ROUNDS = 500 }; /* bytes: as those of bench_direct */

/* ---- the echo, of one caller ---- */

struct tls_echo {
    SSL_CTX *context;
    int listener, cpu;
    uint16_t port;
    pthread_t thread;
};

static SSL_CTX *open_context(const char *folder)
{
    char file[256];
    SSL_CTX *c = SSL_CTX_new(TLS_method());
    SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION);
    SSL_CTX_set_read_ahead(c, 1);
    SSL_CTX_set_num_tickets(c, 0);
    SSL_CTX_use_certificate_file(c, certificate_file(file, folder, "bench", "pem"),
                                 SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(c, certificate_file(file, folder, "bench", "key"),
                                SSL_FILETYPE_PEM);
    return c;
}

static void *tls_echo_thread(void *arg)
{
    struct tls_echo *echo = arg;
    pin(echo->cpu);
    uint8_t bytes[4096] = { 0 };
    struct epoll_event e = { .events = EPOLLIN };
    int ep = epoll_create1(EPOLL_CLOEXEC), one = 1,
        fd = accept4(echo->listener, NULL, NULL, SOCK_CLOEXEC);
    SSL *ssl = SSL_new(echo->context);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    SSL_set_fd(ssl, fd);
    SSL_accept(ssl);
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e); /* it waits as a server of many would */
    while (epoll_wait(ep, &e, 1, -1) == 1 && SSL_read(ssl, bytes, sizeof bytes) > 0)
        SSL_write(ssl, bytes, ANSWER);
    SSL_free(ssl);
    close(fd);
    close(ep);
    return NULL;
}

static void tls_echo_open(struct tls_echo *echo, int cpu, const char *folder)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof a;
    *echo = (struct tls_echo){ .context = open_context(folder), .cpu = cpu };
    echo->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bind(echo->listener, (struct sockaddr *)&a, sizeof a);
    getsockname(echo->listener, (struct sockaddr *)&a, &size);
    listen(echo->listener, 1);
    echo->port = ntohs(a.sin_port);
    pthread_create(&echo->thread, NULL, tls_echo_thread, echo);
}

static void tls_echo_close(struct tls_echo *echo)
{
    pthread_join(echo->thread, NULL);
    close(echo->listener);
    SSL_CTX_free(echo->context);
}

static void echoes(SSL *ssl, struct samples *s, int rounds)
{
    uint8_t bytes[ASK] = { 0 };
    for (int i = 0; i < rounds; i++) {
        robo_time begin = now_ns();
        SSL_write(ssl, bytes, ASK);
        SSL_read(ssl, bytes, ANSWER);
        samples_add(s, (double)(now_ns() - begin) / 1e3);
    }
}

/* ---- both ---- */

static void placed(reporter *report, const char *folder, const char *what, int server_cpu,
                   int client_cpu)
{
    struct fixture fixture;
    struct tls_echo echo;
    struct samples a = { 0 }, b = { 0 };
    char address[256], trust[256];
    uint32_t session;
    snprintf(address, sizeof address,
             "robotalk+tls://127.0.0.1:0?cert=%s/bench.pem&key=%s/bench.key&allow=%s/allow", folder,
             folder, folder);
    snprintf(trust, sizeof trust, "?trust=%s/bench.pem&token=%s/token", folder, folder);
    stage_open_at(&fixture, server_cpu, false, address, trust);
    tls_echo_open(&echo, server_cpu, folder);
    pin(client_cpu);
    robo_client *c = fixture_client(&fixture, &session);
    int fd = connect_to(echo.port);
    SSL *ssl = SSL_new(echo.context);
    SSL_set_fd(ssl, fd);
    SSL_connect(ssl);
    direct_rounds(c, session, &a, ROUNDS);
    echoes(ssl, &b, ROUNDS);
    a.count = b.count = 0; /* warm now */
    for (int i = 0; i < BLOCKS; i++) {
        direct_rounds(c, session, &a, ROUNDS);
        echoes(ssl, &b, ROUNDS);
    }
    struct row row = { .name = "tls", .what = what, .unit = "us", .goal = 1.2, .of = "p50" };
    row_report(&row, report, &a, &b);
    SSL_free(ssl);
    close(fd);
    robo_disconnect(c);
    tls_echo_close(&echo);
    fixture_close(&fixture);
    pin(-1);
}

/* A token, and the list in which it stands; false: they cannot be made. */
static bool make_token(const char *folder)
{
    char token[ROBO_TOKEN_SIZE], hash[ROBO_HASH_TEXT], why[256], path[128];
    if (robo_token_make(token, hash, why) < 0)
        return false;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i ? "token" : "allow");
        FILE *f = fopen(path, "w");
        if (!f)
            return false;
        if (i)
            fprintf(f, "%s\n", token);
        else
            fprintf(f, "bench operate token %s\n", hash);
        if (chmod(path, 0600) < 0 || fclose(f) != 0)
            return false;
    }
    return true;
}

static void remove_token(const char *folder)
{
    char path[128];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i ? "token" : "allow");
        unlink(path);
    }
}

void bench_tls(reporter *report)
{
    char folder[] = "/tmp/robotalk-bench-XXXXXX";
    struct certificate cert = { .name = "bench" };
    if (!mkdtemp(folder) || !certificate_make(&cert, folder) || !make_token(folder)) {
        fprintf(stderr, "robotalk-bench: tls: a certificate cannot be made here\n");
        return;
    }
    placed(report, folder, "direct round trip with a token by TLS, both ends on one core", 0, 0);
    placed(report, folder, "direct round trip with a token by TLS, on two cores", 0, 1);
    certificate_free(&cert, folder);
    remove_token(folder);
    rmdir(folder);
}
