/* A driver in Lua (spec/drivers.md, section 4). `start` copies the command into a ring and rings for the runtime
 * that owns the device; the script works on it as a task and reports. Panic needs no script: C writes the stop
 * frame that the script has handed over when it opened the device. */
#include "device.h"

#include <stdlib.h>
#include <string.h>
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

struct lua_device {
    robo_device *device;
    struct runtime *rt; /* NULL: not yet claimed by a script */
    lua_Integer handle;
    struct robo__call call;
    /* under the robot's mutex */
    struct queued ring[RING];
    unsigned first, count;
    struct robo_state state; /* position and speed as last reported, by number of dof */
    uint8_t stop[STOP_BYTES];
    size_t stop_size;
    int stop_fd; /* -1: none */
    struct lua_device *next;
};

/* Devices that are open, so that a script finds its own by name; guarded by the claims of one thread: robots with
 * Lua drivers are added by the runtime that then claims them. */
static struct lua_device *devices;
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_call(struct robo__call *call, robo_time now)
{
    (void)now;
    struct lua_device *d = robo__container_of(call, struct lua_device, call);
    runtime_note(d->rt, NOTE_DEVICE, d->handle, 0);
}

static int open_device(void *state, robo_device *device, robo_time now)
{
    (void)now;
    struct lua_device *d = state;
    d->device = device;
    d->stop_fd = -1;
    d->call.answer = on_call;
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
    if (!d->rt || d->count == RING) {
        robo_done(d->device, ticket, ROBO_ERROR, d->rt ? ROBO_WHY_FULL : ROBO_WHY_DEVICE);
        return;
    }
    d->ring[(d->first + d->count++) % RING] = (struct queued){ *cmd, ticket };
    robo__bell_ring(&d->rt->host->bell, &d->call);
}

static void read_state(const void *state, robo_time now, struct robo_state *out)
{
    (void)now;
    const struct lua_device *d = state;
    const struct robo_description *body = robo_device_description(d->device);
    for (size_t i = 0; i < body->joints; i++) {
        const struct robo_joint *j = &body->joint[i];
        for (size_t k = j->first;
             j->device == robo_device_index(d->device) && k < (size_t)j->first + j->dofs; k++) {
            out->position[k] = d->state.position[k];
            out->speed[k] = d->state.speed[k];
            if (out->speed[k] != 0)
                out->moving = 1;
        }
    }
}

static void halt_device(void *state, robo_time now)
{
    (void)now;
    struct lua_device *d = state;
    d->count = 0;
    if (d->stop_fd >= 0) {
        /* the descriptor does not block; a device that takes no bytes has more troubles than this */
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
    /* robots go on their runtime's thread, so nobody is answering the bell now: this takes our call off it */
    if (d->rt && d->rt->host)
        robo__bell_answer(&d->rt->host->bell, 0);
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
    struct runtime *rt = runtime_of(L);
    lua_Integer handle = luaL_checkinteger(L, 1);
    pthread_mutex_lock(&devices_lock);
    struct lua_device *d = devices;
    while (d && (d->rt != rt || d->handle != handle))
        d = d->next;
    pthread_mutex_unlock(&devices_lock);
    luaL_argcheck(L, d, 1, "the device is gone");
    return d;
}

/* core.devices(): claims what has no script yet: a list of { handle, robot, options, dofs = { first, … } }. */
static int l_devices(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_Integer n = 0;
    lua_newtable(L);
    for (struct lua_device *d = devices; d; d = d->next) {
        if (d->rt || robo_device_world(d->device) != rt->world)
            continue;
        d->rt = rt;
        d->handle = ++rt->last_handle;
        const struct robo_description *body = robo_device_description(d->device);
        lua_createtable(L, 0, 4);
        lua_pushinteger(L, d->handle);
        lua_setfield(L, -2, "handle");
        lua_pushstring(L, body->name);
        lua_setfield(L, -2, "robot");
        lua_pushstring(L, robo_device_binding(d->device)->options);
        lua_setfield(L, -2, "options");
        lua_rawseti(L, -2, ++n);
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

static void take_list(lua_State *L, const char *name, double *out, size_t most)
{
    lua_getfield(L, 2, name);
    for (size_t i = 0; lua_istable(L, -1) && i < most && i < lua_rawlen(L, -1); i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        out[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* core.device_report(handle, { position = { … }, speed = { … } }): of this device's dofs, in their order. */
static int l_device_report(lua_State *L)
{
    struct lua_device *d = check_device(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    const struct robo_description *body = robo_device_description(d->device);
    double position[ROBO_MAX_DOFS] = { 0 }, speed[ROBO_MAX_DOFS] = { 0 };
    take_list(L, "position", position, ROBO_MAX_DOFS);
    take_list(L, "speed", speed, ROBO_MAX_DOFS);
    robo__robot_lock(d->device->robot);
    for (size_t i = 0, n = 0; i < body->joints; i++) {
        const struct robo_joint *j = &body->joint[i];
        for (size_t k = j->first;
             j->device == robo_device_index(d->device) && k < (size_t)j->first + j->dofs; k++) {
            d->state.position[k] = position[n];
            d->state.speed[k] = speed[n++];
        }
    }
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
    int copy = dup(fd);
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
