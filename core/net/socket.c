/* Sockets that connect and listen. */
#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/time.h"

enum { BACKLOG = 4096 };

/* Writes an error message; the first part is cut when both do not fit. */
static int fail(char why[256], int error, const char *about, const char *what)
{
    snprintf(why, 256, "%.*s%s%s", (int)(250 - strlen(what)), about, about[0] ? ": " : "", what);
    return error;
}

/* Why listening or connecting at a host's port has failed. */
static int fail_at(char why[256], const struct robo__url *url, int system_error)
{
    char place[sizeof url->host + 16];
    snprintf(place, sizeof place, "%s, port %d", url->host, (int)url->port);
    return fail(why, ROBO_EADDRESS, place, strerror(system_error));
}

static struct addrinfo *resolve(const struct robo__url *url, char why[256])
{
    /* no name: ::1 and 127.0.0.1, also where nothing resolves localhost */
    const char *name = robo__url_is_localhost(url) ? NULL : url->host;
    char port[8];
    snprintf(port, sizeof port, "%u", url->port);
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM }, *list = NULL;
    int error = getaddrinfo(name, port, &hints, &list);
    if (error != 0) {
        fail(why, 0, url->host, gai_strerror(error));
        return NULL;
    }
    return list;
}

static struct sockaddr_un unix_address(const char *path)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    /* robo__url_parse has checked the length */
    memcpy(a.sun_path, path, strnlen(path, sizeof a.sun_path - 1));
    return a;
}

/* Connects without blocking beyond that instant; 0 or an errno. */
static int connect_until(int fd, const struct sockaddr *address, socklen_t size, robo_time until)
{
    while (connect(fd, address, size) < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            if (errno == EINPROGRESS)
                break;
            return errno;
        }
        /* a unix socket whose backlog is full: there is no event when it has room again */
        if (robo__time_monotonic() >= until)
            return ETIMEDOUT;
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    for (;;) {
        robo_time left = until - robo__time_monotonic();
        struct timespec wait = robo__timespec(left);
        int n = left > 0 ? ppoll(&p, 1, &wait, NULL) : 0;
        if (n == 0)
            return ETIMEDOUT;
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0)
            break;
    }
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? errno : error;
}

/* A connected descriptor in *fd and 0, or an errno. */
static int connect_unix(const char *path, robo_time until, int *fd)
{
    struct sockaddr_un a = unix_address(path);
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int error = *fd < 0 ? errno : connect_until(*fd, (struct sockaddr *)&a, sizeof a, until);
    if (error != 0 && *fd >= 0)
        close(*fd);
    return error;
}

void robo__socket_tune(int fd)
{
    static const struct {
        int level, name, value;
    } option[] = {
        { IPPROTO_TCP, TCP_NODELAY, 1 },
        { SOL_SOCKET, SO_KEEPALIVE, 1 },
        { IPPROTO_TCP, TCP_KEEPIDLE, 10 }, /* s of silence before the first keepalive probe */
        { IPPROTO_TCP, TCP_KEEPINTVL, 5 },
        { IPPROTO_TCP, TCP_KEEPCNT, 3 },
        { IPPROTO_TCP, TCP_USER_TIMEOUT,
          25000 }, /* ms that bytes may wait for their acknowledgement */
        { IPPROTO_TCP, TCP_NOTSENT_LOWAT, ROBO__UNSENT },
    };
    for (size_t i = 0; i < sizeof option / sizeof option[0]; i++)
        setsockopt(fd, option[i].level, option[i].name, &option[i].value, sizeof(int));
}

/* Blocking again, so that a waiting client can sleep inside recv; everything else says MSG_DONTWAIT. */
static void settle(int fd, bool tcp)
{
    if (tcp)
        robo__socket_tune(fd);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    struct timeval nap = { .tv_usec = ROBO__NAP / 1000 };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &nap, sizeof nap);
}

int robo__socket_connect(const struct robo__url *url, robo_time timeout, char why[256])
{
    const int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    robo_time until = robo__time_monotonic() + robo__time_cut(timeout);
    if (url->medium == ROBO__UNIX) {
        int fd, error = connect_unix(url->host, until, &fd);
        if (error == 0) {
            settle(fd, false);
            return fd;
        }
        return fail(why, error == ETIMEDOUT ? ROBO_ETIMEOUT : ROBO_EADDRESS, url->host,
                    strerror(error));
    }

    struct addrinfo *list = resolve(url, why);
    int error = list ? 0 : ENOENT;
    for (struct addrinfo *a = list; a; a = a->ai_next) {
        int fd = socket(a->ai_family, type, 0);
        error = fd < 0 ? errno : connect_until(fd, a->ai_addr, a->ai_addrlen, until);
        if (error == 0) {
            freeaddrinfo(list);
            settle(fd, true);
            return fd;
        }
        if (fd >= 0)
            close(fd);
    }
    if (list) {
        freeaddrinfo(list);
        fail_at(why, url, error);
    }
    return error == ETIMEDOUT ? ROBO_ETIMEOUT : ROBO_EADDRESS;
}

void robo__socket_keep_back(int fd, int bytes)
{
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

void robo__socket_peer(int fd, char text[64])
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    char host[48] = "", port[8] = "";
    text[0] = 0;
    if (getpeername(fd, (struct sockaddr *)&peer, &size) < 0 || peer.ss_family == AF_UNIX ||
        getnameinfo((struct sockaddr *)&peer, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    snprintf(text, 64, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

void robo__socket_origin(int fd, uint8_t origin[ROBO__ORIGIN])
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage all;
    } peer;
    socklen_t size = sizeof peer;
    memset(origin, 0, ROBO__ORIGIN);
    if (getpeername(fd, &peer.any, &size) < 0)
        return;
    if (peer.any.sa_family == AF_INET)
        memcpy(origin, &peer.v4.sin_addr, 4);
    else if (peer.any.sa_family == AF_INET6)
        memcpy(origin,
               peer.v6.sin6_addr.s6_addr + (IN6_IS_ADDR_LINKLOCAL(&peer.v6.sin6_addr) ? 8 : 0),
               ROBO__ORIGIN);
    else if (peer.any.sa_family == AF_UNIX) {
        struct ucred who;
        size = sizeof who;
        origin[3] = 1;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0)
            memcpy(origin + 4, &who.uid, 4);
    }
}

/* Whether everybody may put a socket of theirs in the place of one in that folder: no file's permissions would count. */
static bool is_everybodys(const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    char folder[sizeof((struct sockaddr_un *)0)->sun_path + 1];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return stat(folder, &st) == 0 && (st.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH;
}

static int listen_unix(struct robo__url *url, int *fds, char why[256])
{
    if (is_everybodys(url->host))
        return fail(why, ROBO_EADDRESS, url->host,
                    "everybody may write its folder, and put another socket there (chmod o-w)");
    /* a socket without a listener was left by a crash and is removed; one with a listener is in use, and a file that is
       no socket is not ours */
    struct stat st;
    if (lstat(url->host, &st) == 0) {
        if (!S_ISSOCK(st.st_mode))
            return fail(why, ROBO_EADDRESS, url->host, "exists and is no socket");
        int other, error = connect_unix(url->host, robo__time_monotonic() + 100 * 1000000, &other);
        if (error == 0)
            close(other);
        if (error == 0 || error == ETIMEDOUT)
            return fail(why, ROBO_EADDRESS, url->host, "somebody listens there already");
        if (error != ECONNREFUSED)
            return fail(why, ROBO_EADDRESS, url->host, strerror(error));
        unlink(url->host);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_un a = unix_address(url->host);
    /* only this user may connect; set before bind, so that others can at no moment */
    mode_t old = umask(0077);
    int bound = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&a, sizeof a);
    umask(old);
    if (bound < 0 || listen(fd, BACKLOG) < 0) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return fail(why, ROBO_EADDRESS, url->host, strerror(error));
    }
    fds[0] = fd;
    return 1;
}

int robo__socket_listen(struct robo__url *url, int *fds, int n, char why[256])
{
    if (url->medium == ROBO__UNIX)
        return listen_unix(url, fds, why);
    struct addrinfo *list = resolve(url, why);
    if (!list)
        return ROBO_EADDRESS;
    int count = 0, error = 0;
    for (struct addrinfo *a = list; a && count < n; a = a->ai_next) {
        int one = 1, fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            error = errno;
            continue; /* a machine without IPv6 still has IPv4 */
        }
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (a->ai_family == AF_INET6)
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
        /* every family gets the port that the first was given */
        if (a->ai_family == AF_INET6)
            ((struct sockaddr_in6 *)a->ai_addr)->sin6_port = htons(url->port);
        else
            ((struct sockaddr_in *)a->ai_addr)->sin_port = htons(url->port);
        if (bind(fd, a->ai_addr, a->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
            error = errno;
            close(fd);
            continue;
        }
        struct sockaddr_storage got;
        socklen_t size = sizeof got;
        getsockname(fd, (struct sockaddr *)&got, &size);
        url->port = ntohs(got.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&got)->sin6_port
                                                    : ((struct sockaddr_in *)&got)->sin_port);
        fds[count++] = fd;
    }
    freeaddrinfo(list);
    if (count == 0)
        return fail_at(why, url, error);
    return count;
}
