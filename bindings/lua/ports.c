/* Serial ports, pseudo-terminals and streams in Lua, for drivers and small servers written there. Reading never waits:
 * an event "readable" comes when there is input. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime.h"
#include "robotalk/host.h"
#include "robotalk/link.h"
#include "robotalk/serial.h"
#include "robotalk/socket.h"
#include "robotalk/watchers.h"

static const char PORT[] = "robotalk.port";

enum { IN_MOST = 1 << 16 }; /* bytes that wait to be read before no more is taken from a socket */

struct port {
    struct runtime *rt;
    struct port *next; /* of the open ones */
    int fd;            /* -1: closed */
    lua_Integer handle;
    lua_Integer device; /* the device that owns the port and filters its writes; 0: none */
    robo_io *io;        /* of fd */

    robo_socket *connection; /* in memory, or by TLS; NULL: it has a descriptor */
    char *in;                /* input that was not read yet */
    size_t in_count, in_size;
    bool waits, over; /* a task waits for more; the end was received */
};

static struct port *check_port(lua_State *L)
{
    return luaL_checkudata(L, 1, PORT);
}

/* The error of a closed port; another task may close it at any time. */
static int closed(lua_State *L)
{
    return push_failure(L, ROBO_ECLOSED, "the port is closed");
}

int port_fd(lua_State *L, int arg)
{
    struct port *port = luaL_checkudata(L, arg, PORT);
    luaL_argcheck(L, !port->connection, arg, "want a serial port or a socket, without TLS");
    luaL_argcheck(L, port->fd >= 0, arg, "the port is closed");
    return port->fd;
}

void port_give(lua_State *L, int arg, lua_Integer device)
{
    struct port *port = luaL_checkudata(L, arg, PORT);
    port->device = device;
}

static void on_readable(void *owner)
{
    struct port *port = owner;
    robo_io_stop(port->io); /* once; the next read without input asks again */
    runtime_event(port->rt, EVENT_READABLE, port->handle, 0);
}

static bool is_open(const struct port *port)
{
    return port->fd >= 0 || port->connection;
}

static void close_port(struct port *port)
{
    if (!is_open(port))
        return;
    if (port->connection) {
        robo_socket_close(port->connection);
        free(port->in);
    } else {
        robo_io_close(port->io);
        shutdown(port->fd, SHUT_RDWR); /* of a socket: a device's halt bytes have a copy of it */
        close(port->fd);
    }
    port->connection = NULL;
    port->fd = -1;
    TAKE_OUT(port->rt->ports, port);
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

/* port:close(): wakes a task that waits for input. */
static int l_close(lua_State *L)
{
    struct port *port = check_port(L);
    if (is_open(port))
        runtime_event(port->rt, EVENT_READABLE, port->handle, 0);
    close_port(port);
    return 0;
}

/* Pushes a port that is not open yet. */
static struct port *push_port(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
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

static void enlist(struct port *port)
{
    port->next = port->rt->ports;
    port->rt->ports = port;
}

/* Raises in a virtual world, which has no ports but connections within the process. */
static void check_real(lua_State *L)
{
    runtime_need_world(L);
    luaL_argcheck(L, !robo_is_virtual(runtime_of(L)->world), 1, "a virtual world has no ports");
}

/* The port has the descriptor from now on. Raises, and closes it, when there is no memory. */
static void adopt(lua_State *L, struct port *port, int fd)
{
    port->io = robo_io_open(port->rt->loop, fd, ROBO_IO_READ, on_readable, port);
    if (!port->io) {
        close(fd);
        luaL_error(L, "not enough memory");
    }
    port->fd = fd;
    enlist(port);
}

/* core.serial(path, baud): a port, raw, 8 bits, no parity, no flow control. */
static int l_serial(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    const long baud = (long)luaL_optinteger(L, 2, 9600);
    luaL_argcheck(L, robo_serial_has_baud(baud), 2, "want a usual number of baud");
    check_real(L);
    struct port *port = push_port(L);
    int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return push_errno(L, path);
    adopt(L, port, fd);
    if (robo_serial_set(fd, baud) == 0)
        return 1;
    push_errno(L, path);
    close_port(port);
    return 3;
}

/* core.pty(): the master's port and the path of the slave; a stand-in for a serial device. */
static int l_pty(lua_State *L)
{
    check_real(L);
    struct port *port = push_port(L);
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0) {
        if (fd >= 0)
            close(fd);
        return push_errno(L, "pty");
    }
    adopt(L, port, fd);
    char path[64];
    if (ptsname_r(fd, path, sizeof path) != 0) {
        push_errno(L, "pty");
        close_port(port);
        return 3;
    }
    lua_pushstring(L, path);
    return 2;
}

/* ---- connections ---- */

static void tell_readable(struct port *port)
{
    if (port->waits)
        runtime_event(port->rt, EVENT_READABLE, port->handle, 0);
    port->waits = false;
}

static void on_received(void *owner, const void *bytes, size_t n)
{
    struct port *port = owner;
    if (port->in_count + n > port->in_size) {
        size_t size = 2 * (port->in_count + n);
        char *in = realloc(port->in, size);
        port->over |= !in;
        if (!in)
            return;
        port->in = in;
        port->in_size = size;
    }
    memcpy(port->in + port->in_count, bytes, n);
    port->in_count += n;
    if (port->in_count >= IN_MOST && port->connection)
        robo_socket_want(port->connection, 0, 0);
    tell_readable(port);
}

static void on_lost(void *owner, int error, const char *why)
{
    struct port *port = owner;
    (void)error, (void)why;
    port->over = true;
    tell_readable(port);
}

/* The options of the address's protocol by name; those of a flag are booleans. */
static void push_options(lua_State *L, const robo_socket *connection)
{
    struct robo_scheme scheme;
    robo_socket_scheme(connection, &scheme);
    lua_newtable(L);
    for (const struct robo_scheme_option *o = scheme.option; o->name; o++) {
        const double value = robo_socket_option(connection, o->name);
        if (o->kind == ROBO_SCHEME_FLAG)
            set_flag(L, o->name, value != 0);
        else
            set_number(L, o->name, value);
    }
}

/* core.dial(url, seconds, channel): a port to that address, in this machine or beside it, and the options of the address;
 * waits for at most that long. channel: a bad link, of SCHEME+local: alone. SCHEME+local: is a connection within this process, of virtual worlds too. SCHEME+tls:
 * has all that it needs in its options. nil, message, code. */
static int l_dial(lua_State *L)
{
    const char *url = luaL_checkstring(L, 1);
    const double seconds = luaL_optnumber(L, 2, 1);
    char why[256];
    int error;
    luaL_argcheck(L, seconds > 0 && seconds <= 10, 2, "want seconds, up to 10");
    struct robo_channel channel = { .size = sizeof channel };
    if (!lua_isnoneornil(L, 3))
        check_channel(L, 3, &channel);
    struct port *port = push_port(L);
    const struct robo_dial_options options = { .size = sizeof options,
                                               .received = on_received,
                                               .lost = on_lost,
                                               .owner = port,
                                               .channel = &channel };
    port->connection =
        robo_dial(port->rt->loop, url, (robo_time)(seconds * 1e9), &options, &error, why);
    if (!port->connection) /* a virtual world has no listeners */
        return push_failure(L, error == ROBO_EINVAL ? ROBO_EADDRESS : error, why);
    push_options(L, port->connection);
    int fd = robo_socket_take_fd(port->connection);
    if (fd >= 0) {
        port->connection = NULL;
        adopt(L, port, fd);
    } else {
        enlist(port);
    }
    return 2;
}

/* port:write(bytes): how many were taken; nil, message, code. A device's port takes all, as one frame, or none. */
static int l_write(lua_State *L)
{
    struct port *port = check_port(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    if (!is_open(port))
        return closed(L);
    if (port->over) {
        errno = EPIPE;
        return push_errno(L, "write");
    }
    if (port->connection) {
        ptrdiff_t taken = robo_socket_write(port->connection, bytes, n);
        if (taken < 0)
            return push_errno(L, "write");
        lua_pushinteger(L, taken);
        return 1;
    }
    if (port->device)
        return device_port_write(L, port->device, bytes, n);
    ssize_t written = write(port->fd, bytes, n);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
        return push_errno(L, "write");
    lua_pushinteger(L, written < 0 ? 0 : written);
    return 1;
}

/* Pushes the input of a connection. */
static int read_connection(lua_State *L, struct port *port)
{
    if (port->in_count == 0 && port->over) {
        errno = EIO;
        return push_errno(L, "read");
    }
    if (port->in_count == 0) {
        port->waits = true;
        lua_pushboolean(L, 0);
        return 1;
    }
    lua_pushlstring(L, port->in, port->in_count);
    port->in_count = 0;
    robo_socket_want(port->connection, 1, 0);
    return 1;
}

/* port:read(): the input; false: none yet, an event "readable" will come; nil, message, code. */
static int l_read(lua_State *L)
{
    struct port *port = check_port(L);
    char bytes[1024];
    if (!is_open(port))
        return closed(L);
    if (port->connection)
        return read_connection(L, port);
    ssize_t n = read(port->fd, bytes, sizeof bytes);
    if (n > 0) {
        lua_pushlstring(L, bytes, (size_t)n);
        return 1;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        errno = n == 0 ? EIO : errno;
        return push_errno(L, "read");
    }
    robo_io_start(port->io);
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
        { "write", l_write }, { "read", l_read },     { "handle", l_handle }, { "close", l_close },
        { "__gc", l_gc },     { "__close", l_close }, { NULL, NULL },
    };
    define_type(L, PORT, methods);
    set_function(L, "serial", l_serial);
    set_function(L, "pty", l_pty);
    set_function(L, "dial", l_dial);
}
