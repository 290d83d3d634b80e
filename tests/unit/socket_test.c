/* Sockets that connect and listen (core/net/socket.h). */
#include <stdint.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "protocols.h"
#include "net/socket.h"

/* ---- TCP ---- */

static void parse(const char *text, struct robo__url *url)
{
    char why[256];
    assert_int_equal(robo__url_parse(text, robo__protocols, url, why), 0);
}

TEST(tcp, NULL)
{
    const char *urls[] = { "robotalk://127.0.0.1:0", "robotalk://[::1]:0" };
    for (int i = 0; i < 2; i++) {
        struct robo__url url;
        int fds[8];
        char why[256];
        parse(urls[i], &url);
        int n = robo__socket_listen(&url, fds, 8, why);
        if (n == ROBO_EADDRESS && i == 1) {
            print_message("skipped: this machine has no IPv6: %s\n", why);
            continue;
        }
        assert_int_equal(n, 1);
        assert_int_not_equal(url.port, 0); /* the one that was picked is told */
        int fd = robo__socket_connect(&url, 1000000000, why);
        assert_true(fd >= 0);
        uint8_t origin[ROBO__ORIGIN];
        static const uint8_t origins[][ROBO__ORIGIN] = { { 127, 0, 0, 1 }, { 0 } };
        robo__socket_origin(fd, origin);
        assert_memory_equal(origin, origins[i], ROBO__ORIGIN);
        close(fd);
        /* the same port again: taken, and said so in words */
        int again[8];
        assert_int_equal(robo__socket_listen(&url, again, 8, why), ROBO_EADDRESS);
        assert_non_null(strstr(why, strerror(EADDRINUSE)));
        char port[16];
        snprintf(port, sizeof port, "port %d: ", (int)url.port);
        assert_non_null(strstr(why, port));
        close(fds[0]);
        /* nobody there any more */
        assert_int_equal(robo__socket_connect(&url, 1000000000, why), ROBO_EADDRESS);
        assert_non_null(strstr(why, strerror(ECONNREFUSED)));
        assert_non_null(strstr(why, port));
    }
}

/* In place of the C library's: no name resolves while nothing is there to look it up in. */
static bool nothing_resolves;

int __real_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **result);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **result);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **result)
{
    return name && nothing_resolves ? EAI_AGAIN : __real_getaddrinfo(name, service, hints, result);
}

TEST(localhost_needs_no_resolver, NULL)
{
    struct robo__url url;
    int fds[8];
    char why[256];
    nothing_resolves = true;
    parse("robotalk://localhost:0", &url);
    int n = robo__socket_listen(&url, fds, 8, why);
    assert_in_range(n, 1, 2); /* IPv6, where there is any, and IPv4 */
    int fd = robo__socket_connect(&url, 1000000000, why);
    assert_true(fd >= 0);
    close(fd);
    while (n > 0)
        close(fds[--n]);
    nothing_resolves = false;
}

TEST(names_that_are_none, NULL)
{
    struct robo__url url;
    int fds[8];
    char why[256];
    nothing_resolves = true;
    parse("robotalk://no-such-host:7600", &url);
    assert_int_equal(robo__socket_connect(&url, 1000000000, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "no-such-host"));
    assert_int_equal(robo__socket_listen(&url, fds, 8, why), ROBO_EADDRESS);
    nothing_resolves = false;
    parse("robotalk://192.0.2.1:7600", &url); /* RFC 5737: nobody's, certainly not ours */
    assert_int_equal(robo__socket_listen(&url, fds, 8, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "192.0.2.1"));
}

/* ---- UNIX sockets ---- */

static char path[80], text[100];

static int make_path(void **state)
{
    snprintf(path, sizeof path, "/tmp/robotalk-socket-test-%d", (int)getpid());
    snprintf(text, sizeof text, "unix:%s", path);
    unlink(path);
    return 0;
}

static int remove_path(void **state)
{
    unlink(path);
    return 0;
}

FIXTURE(make_path, remove_path);

static struct sockaddr_un address(void)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    strcpy(a.sun_path, path);
    return a;
}

static int listen_there(int *fd, char why[256])
{
    struct robo__url url;
    parse(text, &url);
    return robo__socket_listen(&url, fd, 1, why);
}

TEST(dead_socket_is_taken_over)
{
    char why[256];
    int fd, dead = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un a = address();
    assert_int_equal(bind(dead, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(dead, 1), 0);
    close(dead); /* as a crash leaves it: the file is there, nobody listens */
    assert_int_equal(listen_there(&fd, why), 1);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 077, 0); /* only this user drives */
    close(fd);
}

TEST(living_socket_is_refused)
{
    char why[256];
    int fd, other;
    assert_int_equal(listen_there(&fd, why), 1);
    assert_int_equal(listen_there(&other, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "somebody listens there already"));
    struct stat st;
    assert_int_equal(stat(path, &st), 0); /* and left alone */
    struct robo__url url;
    parse(text, &url);
    int c = robo__socket_connect(&url, 1000000000, why);
    assert_true(c >= 0);
    close(c);
    close(fd);
}

/* Alive and of another kind: connecting fails, but not since nobody is there. */
TEST(living_socket_of_another_kind)
{
    char why[256];
    int other, alive = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct sockaddr_un a = address();
    assert_int_equal(bind(alive, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen_there(&other, why), ROBO_EADDRESS);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    close(alive);
}

TEST(what_is_no_socket_is_refused)
{
    char why[256];
    int fd;
    FILE *f = fopen(path, "w");
    fputs("precious", f);
    fclose(f);
    assert_int_equal(listen_there(&fd, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, "no socket"));
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 8);
    unlink(path);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(listen_there(&fd, why), ROBO_EADDRESS);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(listen_there(&fd, why), ROBO_EADDRESS);
    rmdir(path);
    struct robo__url url;
    parse("unix:/nowhere/at/all", &url);
    assert_int_equal(robo__socket_listen(&url, &fd, 1, why), ROBO_EADDRESS);
    assert_non_null(strstr(why, strerror(ENOENT)));
    assert_int_equal(robo__socket_connect(&url, 1000000000, why), ROBO_EADDRESS);
}

/* The permissions of a socket say who may connect; they do while its folder keeps others from putting theirs in its place. */
TEST(permissions_count)
{
    static const struct {
        mode_t folder;
        bool good;
    } cases[] = {
        { 0700, true }, { 0755, true }, { 0775, true }, { 01777, true }, { 0777, false }
    };
    char why[256], folder[100];
    struct stat st;
    strcpy(folder, path);
    assert_int_equal(mkdir(folder, 0700), 0);
    strcat(path, "/s");
    strcat(text, "/s");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int fd = -1;
        mode_t before = umask(0);
        assert_int_equal(chmod(folder, cases[i].folder), 0);
        assert_int_equal(listen_there(&fd, why), cases[i].good ? 1 : ROBO_EADDRESS);
        assert_int_equal(umask(before), 0); /* what others make meanwhile is as before */
        if (!cases[i].good) {
            assert_non_null(strstr(why, "everybody may write its folder"));
            assert_non_null(strstr(why, "chmod o-w"));
            assert_int_equal(stat(path, &st), -1);
            continue;
        }
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0700); /* whatever the umask */
        close(fd);
        unlink(path);
    }
    /* without a folder in its name it is in this one */
    char here[256];
    int fd;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    strcpy(text, "unix:s");
    assert_int_equal(listen_there(&fd, why), ROBO_EADDRESS);
    assert_int_equal(chdir(here), 0);
    rmdir(folder);
}

/* In place of the C library's: a clock that goes on with each sleep alone, and the sleeps until somebody has lost patience. */
static bool own_clock;
static struct timespec clock_now;
static int naps_left;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    if (!own_clock)
        return __real_clock_gettime(id, t);
    *t = clock_now;
    return 0;
}

int __real_nanosleep(const struct timespec *span, struct timespec *left);
int __wrap_nanosleep(const struct timespec *span, struct timespec *left);
int __wrap_nanosleep(const struct timespec *span, struct timespec *left)
{
    if (!own_clock)
        return __real_nanosleep(span, left);
    assert_true(naps_left-- > 0);
    clock_now.tv_nsec += span->tv_nsec;
    clock_now.tv_sec += span->tv_sec + clock_now.tv_nsec / 1000000000;
    clock_now.tv_nsec %= 1000000000;
    return 0;
}

/* A server that does not accept: its backlog fills, and connecting then fails instead of pretending, after the time given. */
TEST(full_backlog)
{
    enum { MOST = 64 };
    char why[256];
    int busy = socket(AF_UNIX, SOCK_STREAM, 0), fd[MOST], n = 0;
    struct sockaddr_un a = address();
    struct robo__url url;
    assert_int_equal(bind(busy, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(busy, 1), 0);
    parse(text, &url);
    int last = 0;
    clock_now = (struct timespec){ .tv_sec = 7, .tv_nsec = 600000000 };
    naps_left = 10000;
    own_clock = true;
    while (n < MOST && (last = robo__socket_connect(&url, 1500000000, why)) >= 0)
        fd[n++] = last;
    assert_in_range(n, 1, 4);
    assert_int_equal(last, ROBO_ETIMEOUT);
    assert_int_equal(clock_now.tv_sec, 9);
    assert_in_range(clock_now.tv_nsec, 100000000, 110000000);
    /* full is alive */
    int other;
    assert_int_equal(listen_there(&other, why), ROBO_EADDRESS);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    own_clock = false;
    while (n > 0)
        close(fd[--n]);
    close(busy);
}

/* An end that is gone without a word is asked for a sign of life, and given up when bytes stay unacknowledged. */
TEST(tuned, NULL)
{
    char why[256];
    int listener[4], value;
    socklen_t size = sizeof value;
    struct robo__url url;
    assert_int_equal(robo__url_parse("robotalk://127.0.0.1:0", robo__protocols, &url, why), 0);
    assert_int_equal(robo__socket_listen(&url, listener, 4, why), 1);
    int fd = robo__socket_connect(&url, 1000000000, why);
    assert_true(fd >= 0);
    static const struct {
        int level, name, value;
    } expected[] = { { IPPROTO_TCP, TCP_NODELAY, 1 },   { SOL_SOCKET, SO_KEEPALIVE, 1 },
                     { IPPROTO_TCP, TCP_KEEPIDLE, 10 }, { IPPROTO_TCP, TCP_KEEPINTVL, 5 },
                     { IPPROTO_TCP, TCP_KEEPCNT, 3 },   { IPPROTO_TCP, TCP_USER_TIMEOUT, 25000 } };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(getsockopt(fd, expected[i].level, expected[i].name, &value, &size), 0);
        assert_int_equal(value, expected[i].value);
    }
    close(fd);
    close(listener[0]);
}
