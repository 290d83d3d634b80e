/* A driver in Lua (spec/drivers.md, section 4). `start` copies the command into a ring and rings for the runtime
 * that has claimed the device; the script works on it as a task and reports. Panic needs no script: C writes the
 * stop frame that the script has handed over when it opened the device. */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "robot.h"
#include "runtime.h"
#include "status.h"
#include "time.h"

enum { RING = 64, STOP_BYTES = 64 };

struct queued {
    struct robo_cmd cmd;
    robo_ticket ticket;
};

/* What a device rings with. It outlives its device when it is closed between the ring and the answer. */
struct ringer {
    struct robo__call call;
    struct runtime *rt;
    struct ringer *next; /* of the runtime's */
    lua_Integer handle;
    bool over; /* its device is closed */
};

struct lua_device {
    robo_device *device;
    struct lua_device *next; /* of the open ones, under their lock */
    /* under the robot's mutex */
    struct ringer *ringer; /* NULL: no script has claimed it yet */
    struct queued ring[RING];
    unsigned first, count;
    double position[ROBO_MAX_DOFS],
        speed[ROBO_MAX_DOFS]; /* as reported; in the order of its dofs */
    double pose[3], twist[3]; /* of the base: x, y, theta; as reported */
    uint8_t stop[STOP_BYTES];
    size_t stop_size;
    int stop_fd; /* -1: none */
};

/* Devices that are open, for the scripts to find theirs. */
static struct lua_device *devices;
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

static void free_ringer(struct ringer *ringer)
{
    for (struct ringer **p = &ringer->rt->ringers; *p; p = &(*p)->next) {
        if (*p == ringer) {
            *p = ringer->next;
            break;
        }
    }
    free(ringer);
}

void free_devices(struct runtime *rt)
{
    while (rt->ringers)
        free_ringer(rt->ringers);
}

static void on_call(struct robo__call *call, robo_time now)
{
    (void)now;
    struct ringer *ringer = robo__container_of(call, struct ringer, call);
    if (ringer->over)
        free_ringer(ringer);
    else
        runtime_note(ringer->rt, NOTE_DEVICE, ringer->handle, 0);
}

static int open_device(void *state, robo_device *device, robo_time now)
{
    (void)now;
    struct lua_device *d = state;
    d->device = device;
    d->stop_fd = -1;
    pthread_mutex_lock(&devices_lock);
    d->next = devices;
    devices = d;
    pthread_mutex_unlock(&devices_lock);
    return 0;
}

static void start_command(void *state, const struct robo_cmd *cmd, robo_ticket ticket,
                          robo_time now)
{
    (void)now;
    struct lua_device *d = state;
    /* a stop does not wait behind what it is to stop */
    for (; cmd->op == ROBO_STOP && d->count > 0; d->count--) {
        robo_done(d->device, d->ring[d->first].ticket, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
        d->first = (d->first + 1) % RING;
    }
    if (!d->ringer || d->count == RING) {
        robo_done(d->device, ticket, ROBO_ERROR, d->ringer ? ROBO_WHY_FULL : ROBO_WHY_DEVICE);
        return;
    }
    d->ring[(d->first + d->count++) % RING] = (struct queued){ *cmd, ticket };
    robo__bell_ring(&d->ringer->rt->host->bell, &d->ringer->call);
}

/* The number of the nth of this device's dofs in the robot's state; -1: there is none. */
static int dof_of(const struct lua_device *d, size_t n)
{
    const struct robo_description *body = robo_device_description(d->device);
    for (size_t i = 0; i < body->joints; i++) {
        const struct robo_joint *j = &body->joint[i];
        if (j->device != robo_device_index(d->device))
            continue;
        if (n < j->dofs)
            return (int)(j->first + n);
        n -= j->dofs;
    }
    return -1;
}

static void read_state(const void *state, robo_time now, struct robo_state *out)
{
    (void)now;
    const struct lua_device *d = state;
    int dof;
    if (robo_device_binding(d->device)->base) {
        out->pose[0] = d->pose[0];
        out->pose[1] = d->pose[1];
        out->attitude[2] = d->pose[2];
        out->twist[0] = d->twist[0];
        out->twist[1] = d->twist[1];
        out->spin[2] = d->twist[2];
        if (d->twist[0] != 0 || d->twist[1] != 0 || d->twist[2] != 0)
            out->moving = 1;
    }
    for (size_t n = 0; (dof = dof_of(d, n)) >= 0; n++) {
        out->position[dof] = d->position[n];
        out->speed[dof] = d->speed[n];
        if (d->speed[n] != 0)
            out->moving = 1;
    }
}

static void halt_device(void *state, robo_time now)
{
    (void)now;
    struct lua_device *d = state;
    d->first = d->count = 0;
    if (d->stop_fd < 0)
        return;
    /* the descriptor does not block; if it is full of what was to be done, that need not be done any more */
    if (write(d->stop_fd, d->stop, d->stop_size) < 0 && errno == EAGAIN &&
        tcflush(d->stop_fd, TCOFLUSH) == 0) {
        ssize_t n = write(d->stop_fd, d->stop, d->stop_size);
        (void)n;
    }
}

static void close_device(void *state)
{
    struct lua_device *d = state;
    pthread_mutex_lock(&devices_lock);
    for (struct lua_device **p = &devices; *p; p = &(*p)->next) {
        if (*p == d) {
            *p = d->next;
            break;
        }
    }
    pthread_mutex_unlock(&devices_lock);
    if (d->stop_fd >= 0)
        close(d->stop_fd);
    if (!d->ringer)
        return;
    /* a robot goes on the thread of its runtime, which also answers the bell */
    d->ringer->over = true;
    if (!atomic_load(&d->ringer->call.rung))
        free_ringer(d->ringer);
}

const robo_driver lua_driver = { .name = "lua",
                                 .size = sizeof(struct lua_device),
                                 .open = open_device,
                                 .start = start_command,
                                 .read = read_state,
                                 .halt = halt_device,
                                 .close = close_device };

/* ---- the script's side ---- */

static struct lua_device *check_device(lua_State *L)
{
    const struct runtime *rt = runtime_of(L);
    lua_Integer handle = luaL_checkinteger(L, 1);
    pthread_mutex_lock(&devices_lock);
    struct lua_device *d = devices;
    while (d && (!d->ringer || d->ringer->rt != rt || d->ringer->handle != handle))
        d = d->next;
    pthread_mutex_unlock(&devices_lock);
    luaL_argcheck(L, d, 1, "the device is gone");
    return d;
}

/* A device of this world that no script has claimed, or NULL. */
static struct lua_device *find_unclaimed(const struct runtime *rt)
{
    pthread_mutex_lock(&devices_lock);
    struct lua_device *d = devices;
    while (d && (d->ringer || robo_device_world(d->device) != rt->world))
        d = d->next;
    pthread_mutex_unlock(&devices_lock);
    return d;
}

/* core.devices(): claims what has no script yet: a list of { handle, robot, options }. */
static int l_devices(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_Integer n = 0;
    lua_newtable(L);
    for (struct lua_device *d; (d = find_unclaimed(rt)) != NULL;) {
        lua_createtable(L, 0, 3);
        lua_pushstring(L, robo_device_description(d->device)->name);
        lua_setfield(L, -2, "robot");
        lua_pushstring(L, robo_device_binding(d->device)->options);
        lua_setfield(L, -2, "options");
        lua_pushinteger(L, rt->last_handle + 1);
        lua_setfield(L, -2, "handle");
        lua_rawseti(L, -2, ++n);

        struct ringer *ringer = calloc(1, sizeof *ringer);
        if (!ringer)
            return luaL_error(L, "not enough memory");
        *ringer = (struct ringer){ .call.answer = on_call, .rt = rt, .next = rt->ringers };
        ringer->handle = ++rt->last_handle;
        rt->ringers = ringer;
        robo__robot_lock(d->device->robot);
        d->ringer = ringer;
        robo__robot_unlock(d->device->robot);
    }
    return 1;
}

/* core.device_next(handle): the oldest command as a table with its ticket, or nil. */
static int l_device_next(lua_State *L)
{
    struct lua_device *d = check_device(L);
    struct queued q = { 0 };
    robo_robot *robot = d->device->robot;
    robo__robot_lock(robot);
    bool any = d->count > 0;
    if (any) {
        q = d->ring[d->first];
        d->first = (d->first + 1) % RING;
        d->count--;
    }
    robo__robot_unlock(robot);
    if (!any)
        return 0;
    const struct robo__op *op = robo__op_find(robo__commands, q.cmd.op);
    push_message(L, op->ask, &q.cmd.body);
    lua_pushstring(L, op->name);
    lua_setfield(L, -2, "op");
    lua_pushinteger(L, q.ticket);
    lua_setfield(L, -2, "ticket");
    return 1;
}

/* core.device_done(handle, ticket, signal, reason): names as in the specification, in small letters. */
static int l_device_done(lua_State *L)
{
    struct lua_device *d = check_device(L);
    robo_ticket ticket = (robo_ticket)luaL_checkinteger(L, 2);
    const char *signal = luaL_checkstring(L, 3), *reason = luaL_optstring(L, 4, "none");
    const struct robo__word *s = robo__signal_words, *r = robo__reason_words;
    while (s->name && strcmp(s->name, signal) != 0)
        s++;
    while (r->name && strcmp(r->name, reason) != 0)
        r++;
    luaL_argcheck(L, s->name, 3, "want one of the seven signals");
    luaL_argcheck(L, r->name, 4, "want a reason of the specification");
    robo_post_done(d->device, ticket, (enum robo_signal)s->number, (enum robo_reason)r->number);
    return 0;
}

/* The numbers of field `name` into out, as far as they go; raises for what is no number. */
static void take_list(lua_State *L, const char *name, double *out, size_t most)
{
    lua_getfield(L, 2, name);
    if (!lua_isnil(L, -1) && !lua_istable(L, -1))
        luaL_error(L, "field '%s' wants a list of numbers", name);
    for (size_t i = 0; lua_istable(L, -1) && i < most && i < lua_rawlen(L, -1); i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1)))
            luaL_error(L, "field '%s' wants finite numbers", name);
        out[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* core.device_report(handle, { position = { … }, speed = { … }, pose = { x, y, theta }, twist = { … } }): of this
 * device's dofs, in their order, and of the base if it is the base's. What is left out stays as it was. */
static int l_device_report(lua_State *L)
{
    struct lua_device *d = check_device(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    /* only this thread writes them */
    double position[ROBO_MAX_DOFS], speed[ROBO_MAX_DOFS], pose[3], twist[3];
    memcpy(pose, d->pose, sizeof pose);
    memcpy(twist, d->twist, sizeof twist);
    memcpy(position, d->position, sizeof position);
    memcpy(speed, d->speed, sizeof speed);
    take_list(L, "position", position, ROBO_MAX_DOFS);
    take_list(L, "speed", speed, ROBO_MAX_DOFS);
    take_list(L, "pose", pose, 3);
    take_list(L, "twist", twist, 3);
    robo__robot_lock(d->device->robot);
    memcpy(d->position, position, sizeof position);
    memcpy(d->speed, speed, sizeof speed);
    memcpy(d->pose, pose, sizeof pose);
    memcpy(d->twist, twist, sizeof twist);
    robo__robot_unlock(d->device->robot);
    return 0;
}

/* core.device_halt(handle, bytes, fd): what C writes on panic, to a duplicate of that descriptor. */
static int l_device_halt(lua_State *L)
{
    struct lua_device *d = check_device(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    int fd = (int)luaL_checkinteger(L, 3);
    luaL_argcheck(L, n <= STOP_BYTES, 2, "want at most 64 bytes");
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return push_failure(L, ROBO_EDEVICE, NULL);
    robo__robot_lock(d->device->robot);
    int old = d->stop_fd;
    memcpy(d->stop, bytes, n);
    d->stop_size = n;
    d->stop_fd = copy;
    robo__robot_unlock(d->device->robot);
    if (old >= 0)
        close(old);
    lua_pushboolean(L, 1);
    return 1;
}

/* core.device_fault(handle, reason): the device is lost: what it runs is answered ERROR. */
static int l_device_fault(lua_State *L)
{
    struct lua_device *d = check_device(L);
    robo_post_fault(d->device, strcmp(luaL_optstring(L, 2, "device"), "link") == 0
                                   ? ROBO_WHY_LINK
                                   : ROBO_WHY_DEVICE);
    return 0;
}

void open_devices(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "devices", l_devices },
        { "device_next", l_device_next },
        { "device_done", l_device_done },
        { "device_report", l_device_report },
        { "device_halt", l_device_halt },
        { "device_fault", l_device_fault },
        { NULL, NULL },
    };
    luaL_setfuncs(L, functions, 0);
}
