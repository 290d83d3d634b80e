/* Serial ports, pseudo-terminals and streams in Lua, for drivers and small servers written there. Reading never waits: a
 * event "readable" tells when there is something. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "device.h"
#include "net/socket.h"
#include "protocols.h"
#include "base/time.h"

static const char PORT[] = "robotalk.port";

struct port {
    struct runtime *rt;
    struct port *next; /* of the open ones */
    int fd;            /* -1: closed */
    lua_Integer handle;
    lua_Integer device; /* whose port it is, and who decides what is written; 0: nobody's */
    struct robo__watch watch;
};

static struct port *check_port(lua_State *L)
{
    return luaL_checkudata(L, 1, PORT);
}

/* The answer of a port that was closed, which another task may do at any time. */
static int closed(lua_State *L)
{
    return push_failure(L, ROBO_ECLOSED, "the port is closed");
}

int port_fd(lua_State *L, int arg)
{
    struct port *port = luaL_checkudata(L, arg, PORT);
    luaL_argcheck(L, port->fd >= 0, arg, "the port is closed");
    return port->fd;
}

void port_give(lua_State *L, int arg, lua_Integer device)
{
    struct port *port = luaL_checkudata(L, arg, PORT);
    port->device = device;
}

static void on_readable(struct robo__watch *watch)
{
    struct port *port = robo__container_of(watch, struct port, watch);
    robo__watch_stop(watch); /* once; the next read that finds nothing asks again */
    runtime_event(port->rt, EVENT_READABLE, port->handle, 0);
}

static void close_port(struct port *port)
{
    if (port->fd < 0)
        return;
    robo__watch_stop(&port->watch);
    shutdown(port->fd, SHUT_RDWR); /* of a socket: a device's halt bytes have a copy of it */
    close(port->fd);
    port->fd = -1;
    for (struct port **p = &port->rt->ports; *p; p = &(*p)->next) {
        if (*p == port) {
            *p = port->next;
            break;
        }
    }
}

void close_ports(struct runtime *rt)
{
    while (rt->ports)
        close_port(rt->ports);
}

static int l_gc(lua_State *L)
{
    close_port(check_port(L));
    return 0;
}

/* port:close(): who waits for it to be readable is woken. */
static int l_close(lua_State *L)
{
    struct port *port = check_port(L);
    if (port->fd >= 0)
        runtime_event(port->rt, EVENT_READABLE, port->handle, 0);
    close_port(port);
    return 0;
}

/* A port on the stack that is not open yet. */
static struct port *push_port(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    luaL_argcheck(L, rt->loop, 1, "a virtual world has no ports");
    struct port *port = lua_newuserdatauv(L, sizeof *port, 0);
    *port = (struct port){ .rt = rt, .fd = -1, .handle = ++rt->last_handle };
    luaL_setmetatable(L, PORT);
    return port;
}

static int push_errno(lua_State *L, const char *path)
{
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, strerror(errno));
    lua_pushliteral(L, "EDEVICE");
    return 3;
}

static void adopt(struct port *port, int fd)
{
    port->fd = fd;
    port->next = port->rt->ports;
    port->rt->ports = port;
    robo__watch_init(&port->watch, port->rt->loop, fd, ROBO__READABLE, on_readable);
}

static speed_t baud_of(lua_Integer baud)
{
    static const struct {
        lua_Integer number;
        speed_t speed;
    } table[] = { { 1200, B1200 },     { 2400, B2400 },     { 4800, B4800 },
                  { 9600, B9600 },     { 19200, B19200 },   { 38400, B38400 },
                  { 57600, B57600 },   { 115200, B115200 }, { 230400, B230400 },
                  { 460800, B460800 }, { 921600, B921600 }, { 1000000, B1000000 } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].number == baud)
            return table[i].speed;
    return B0;
}

/* core.serial(path, baud): a port, raw, 8 bits, no parity, no flow control. */
static int l_serial(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    speed_t speed = baud_of(luaL_optinteger(L, 2, 9600));
    luaL_argcheck(L, speed != B0, 2, "want a usual number of baud");
    struct port *port = push_port(L);
    int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return push_errno(L, path);
    adopt(port, fd);
    struct termios t;
    bool ok = tcgetattr(fd, &t) == 0;
    if (ok) {
        cfmakeraw(&t);
        cfsetspeed(&t, speed);
        t.c_cflag |= CLOCAL | CREAD;
        ok = tcsetattr(fd, TCSANOW, &t) == 0;
    }
    if (ok)
        return 1;
    push_errno(L, path);
    close_port(port);
    return 3;
}

/* core.pty(): the master's port and the path of the slave; a stand-in for a serial device. */
static int l_pty(lua_State *L)
{
    struct port *port = push_port(L);
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0) {
        if (fd >= 0)
            close(fd);
        return push_errno(L, "pty");
    }
    adopt(port, fd);
    char path[64];
    if (ptsname_r(fd, path, sizeof path) != 0) {
        push_errno(L, "pty");
        close_port(port);
        return 3;
    }
    lua_pushstring(L, path);
    return 2;
}

/* core.listen(url): ports that listen, and the address as it is now; nil, message, code. Only addresses of this machine:
 * what is served there knows no tokens. */
static int l_listen(lua_State *L)
{
    struct robo__url url;
    char why[256];
    int fds[8];
    int error = robo__url_parse(luaL_checkstring(L, 1), robo__protocols, &url, why);
    if (error == 0 && !robo__url_is_loopback(&url)) {
        error = ROBO_EADDRESS;
        snprintf(why, sizeof why, "%s: only this machine may connect: let others in by ssh -L",
                 luaL_checkstring(L, 1));
    }
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    luaL_argcheck(L, rt->loop, 1, "a virtual world has no sockets");
    int n = error < 0 ? error : robo__socket_listen(&url, fds, 8, why);
    if (n < 0)
        return push_failure(L, n, why);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        adopt(push_port(L), fds[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushinteger(L, url.port);
    return 2;
}

/* port:accept() of one that listens: a port; false: nobody yet, an event "readable" will tell; nil, message, code. */
static int l_accept(lua_State *L)
{
    struct port *port = check_port(L);
    if (port->fd < 0)
        return closed(L);
    int fd = accept4(port->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        robo__socket_tune(fd);
        adopt(push_port(L), fd);
        return 1;
    }
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        return push_errno(L, "accept");
    robo__watch_start(&port->watch);
    lua_pushboolean(L, 0);
    return 1;
}

/* core.dial(url, seconds): a port to what listens there, in this machine or beside it; waits for at most that long. nil,
 * message, code. */
static int l_dial(lua_State *L)
{
    struct robo__url url;
    char why[256];
    double seconds = luaL_optnumber(L, 2, 1);
    luaL_argcheck(L, seconds > 0 && seconds <= 10, 2, "want seconds, up to 10");
    int fd = robo__url_parse(luaL_checkstring(L, 1), robo__protocols, &url, why);
    struct port *port = push_port(L);
    if (fd == 0)
        fd = robo__socket_connect(&url, (robo_time)(seconds * 1e9), why);
    if (fd < 0)
        return push_failure(L, fd, why);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    adopt(port, fd);
    return 1;
}

/* port:write(bytes): how many were taken; nil, message, code. A device's port takes all, as one frame, or none. */
static int l_write(lua_State *L)
{
    struct port *port = check_port(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    if (port->fd < 0)
        return closed(L);
    if (port->device)
        return device_port_write(L, port->device, bytes, n);
    ssize_t written = write(port->fd, bytes, n);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
        return push_errno(L, "write");
    lua_pushinteger(L, written < 0 ? 0 : written);
    return 1;
}

/* port:read(): what is there; false: nothing yet, an event "readable" will tell; nil, message, code. */
static int l_read(lua_State *L)
{
    struct port *port = check_port(L);
    char bytes[1024];
    if (port->fd < 0)
        return closed(L);
    ssize_t n = read(port->fd, bytes, sizeof bytes);
    if (n > 0) {
        lua_pushlstring(L, bytes, (size_t)n);
        return 1;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        errno = n == 0 ? EIO : errno;
        return push_errno(L, "read");
    }
    robo__watch_start(&port->watch);
    lua_pushboolean(L, 0);
    return 1;
}

static int l_handle(lua_State *L)
{
    lua_pushinteger(L, check_port(L)->handle);
    return 1;
}

void open_ports(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "write", l_write }, { "read", l_read }, { "handle", l_handle }, { "accept", l_accept },
        { "close", l_close }, { "__gc", l_gc },   { "__close", l_close }, { NULL, NULL },
    };
    if (luaL_newmetatable(L, PORT)) {
        luaL_setfuncs(L, methods, 0);
        lua_pushvalue(L, -1);
        lua_setfield(L, -2, "__index");
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, l_serial);
    lua_setfield(L, -2, "serial");
    lua_pushcfunction(L, l_pty);
    lua_setfield(L, -2, "pty");
    lua_pushcfunction(L, l_listen);
    lua_setfield(L, -2, "listen");
    lua_pushcfunction(L, l_dial);
    lua_setfield(L, -2, "dial");
}
