/* The script's side of a driver in Lua: core.devices, and the calls on a device that it has claimed. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claim/claimed.h"
#include "runtime.h"
#include "robot/robot.h"

/* A device that the script has claimed, and has not heard the end of. */
struct claim {
    struct claim *next; /* of the runtime's */
    struct runtime *rt;
    lua_Integer handle;
    struct robo__claimed *device;
    robo_async *script; /* wakes it */
};

/* The open device that was claimed under that handle, or NULL. */
static struct robo__claimed *device_of(const struct runtime *rt, lua_Integer handle)
{
    struct claim *claim = rt->claims;
    while (claim && claim->handle != handle)
        claim = claim->next;
    return claim && !atomic_load(&claim->device->gone) ? claim->device : NULL;
}

static struct robo__claimed *check_device(lua_State *L)
{
    struct robo__claimed *d = device_of(runtime_of(L), luaL_checkinteger(L, 1));
    luaL_argcheck(L, d, 1, "the device is gone");
    return d;
}

/* ---- claims come and go ---- */

/* Takes it out of the runtime's list and frees it. */
static void drop(struct claim *claim)
{
    struct claim **place = &claim->rt->claims;
    while (*place != claim)
        place = &(*place)->next;
    *place = claim->next;
    if (claim->device)
        robo__claimed_release(claim->device);
    robo_async_close(claim->script);
    free(claim);
}

void close_devices(struct runtime *rt)
{
    while (rt->claims)
        drop(rt->claims);
}

static void on_wakeup(void *owner, robo_time now)
{
    struct claim *claim = owner;
    (void)now;
    if (atomic_load(&claim->device->gone))
        drop(claim);
    else
        runtime_event(claim->rt, EVENT_DEVICE, claim->handle, 0);
}

/* With the robot's mutex held. */
static void wake(void *owner)
{
    robo_async_post(((struct claim *)owner)->script);
}

/* Claims a device that nobody had. false: there is none. */
static bool claim_next(lua_State *L, struct runtime *rt)
{
    struct claim *claim = malloc(sizeof *claim);
    if (!claim)
        return luaL_error(L, "not enough memory");
    *claim = (struct claim){ .next = rt->claims, .rt = rt, .handle = rt->last_handle + 1 };
    rt->claims = claim;
    claim->script = robo_async_open(rt->loop, on_wakeup, claim);
    if (claim->script)
        claim->device = robo__claimed_find(rt->world, wake, claim);
    if (claim->device) {
        rt->last_handle++;
        return true;
    }
    bool full = !claim->script;
    drop(claim);
    return full && luaL_error(L, "not enough memory");
}

/* core.devices(): claims what has no script yet: a list of { handle, robot, options }. */
static int l_devices(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_Integer n = 0;
    lua_newtable(L);
    while (claim_next(L, rt)) {
        const struct robo__claimed *d = rt->claims->device;
        lua_createtable(L, 0, 3);
        set_text(L, "robot", robo_device_description(d->device)->name);
        push_device_options(L, robo_device_binding(d->device));
        lua_setfield(L, -2, "options");
        set_integer(L, "handle", rt->claims->handle);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

/* core.device_next(handle): what there is to do, or nothing:
 *   "over", number: that command is over, its tasks end
 *   "halt", number, why: the device was halted; device_heard tells that the script has dealt with it
 *   "start", number, command: a command begins */
static int l_device_next(lua_State *L)
{
    struct robo__claimed *d = check_device(L);
    robo_robot *robot = d->robot;
    struct robo_cmd cmd = { 0 };
    const char *what = NULL, *why = NULL;
    lua_Integer number = 0;
    robo__robot_lock(robot);
    struct robo__claimed_job *over = robo__claimed_job_first(d, ROBO__JOB_OVER), *next;
    if (over) {
        what = "over";
        number = robo__claimed_job_number(d, over);
        over->phase = ROBO__JOB_NONE;
    } else if (d->halts != d->heard) {
        what = "halt";
        number = -(lua_Integer)d->halts;
        why = d->why;
    } else if (!robo__claimed_is_silent(d) && (next = robo__claimed_take(d)) != NULL) {
        what = "start";
        number = robo__claimed_job_number(d, next);
        cmd = next->cmd;
    }
    robo__robot_unlock(robot);
    if (!what)
        return 0;
    lua_pushstring(L, what);
    lua_pushinteger(L, number);
    lua_pushstring(L, why);
    if (cmd.op == 0)
        return 3;
    lua_pop(L, 1);
    const struct robo_operation *op = robo_operation_find(robo_commands(), cmd.op);
    push_message(L, op->request, &cmd.body);
    set_text(L, "op", op->name);
    return 3;
}

/* core.device_begin(handle, number): the task of that command is about to run: whether it may begin. */
static int l_device_begin(lua_State *L)
{
    struct robo__claimed *d = check_device(L);
    lua_Integer number = luaL_checkinteger(L, 2);
    robo__robot_lock(d->robot);
    bool begins = robo__claimed_begin(d, number);
    robo__robot_unlock(d->robot);
    lua_pushboolean(L, begins);
    return 1;
}

/* The number that has that name; negative: none has. */
static int number_of(const char *(*name_of)(int number), const char *name)
{
    int number = 255;
    while (number >= 0 && strcmp(name_of(number), name) != 0)
        number--;
    return strcmp(name, "unknown") == 0 ? -1 : number;
}

/* core.device_done(handle, number, signal, reason): answers a command; names as in the specification, in small
 * letters. */
static int l_device_done(lua_State *L)
{
    struct robo__claimed *d = check_device(L);
    lua_Integer number = luaL_checkinteger(L, 2);
    const char *signal = luaL_checkstring(L, 3), *reason = luaL_optstring(L, 4, "none");
    int s = number_of(robo_signal_name, signal), r = number_of(robo_reason_name, reason);
    luaL_argcheck(L, s >= 0, 3, "want one of the seven signals");
    luaL_argcheck(L, r >= 0, 4, "want a reason of the specification");
    robo__robot_lock(d->robot);
    struct robo__claimed_job *job = robo__claimed_job_of(d, number);
    if (job)
        robo__claimed_job_answer(d, job, (enum robo_signal)s, (enum robo_reason)r);
    robo__robot_unlock(d->robot);
    return 0;
}

/* core.device_end(handle, number): no task works on that command any more, and it was answered. */
static int l_device_end(lua_State *L)
{
    struct robo__claimed *d = check_device(L);
    lua_Integer number = luaL_checkinteger(L, 2);
    robo__robot_lock(d->robot);
    struct robo__claimed_job *job = robo__claimed_job_of(d, number);
    if (job)
        job->phase = ROBO__JOB_NONE;
    robo__robot_unlock(d->robot);
    return 0;
}

/* core.device_heard(handle, number): the script has handled that halt. */
static int l_device_heard(lua_State *L)
{
    struct robo__claimed *d = check_device(L);
    lua_Integer number = luaL_checkinteger(L, 2);
    robo__robot_lock(d->robot);
    if (number == -(lua_Integer)d->halts)
        d->heard = d->halts;
    robo__robot_unlock(d->robot);
    return 0;
}

/* core.device_close(handle): halts it and takes no further commands: the number of that halt; nothing when the device
 * is gone. */
static int l_device_close(lua_State *L)
{
    struct robo__claimed *d = device_of(runtime_of(L), luaL_checkinteger(L, 1));
    if (!d)
        return 0;
    robo__robot_lock(d->robot);
    d->closing = true;
    robo__claimed_halt(d, "closed");
    lua_Integer number = -(lua_Integer)d->halts;
    robo__robot_unlock(d->robot);
    lua_pushinteger(L, number);
    return 1;
}

/* Greatest number that a device may report; the wire carries it in every unit. */
static const double FARTHEST = 1e9;

/* Copies the numbers of field `name` to out; raises for a value that is no number. unknown: false is one that nobody knows,
 * NAN. */
static void take_list(lua_State *L, const char *name, double *out, size_t most, bool unknown)
{
    lua_getfield(L, 2, name);
    if (!lua_isnil(L, -1) && !lua_istable(L, -1))
        luaL_error(L, "field '%s' wants a list of numbers", name);
    for (size_t i = 0; lua_istable(L, -1) && i < most && i < lua_rawlen(L, -1); i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        const bool none = unknown && lua_isboolean(L, -1) && !lua_toboolean(L, -1);
        if (!none && (lua_type(L, -1) != LUA_TNUMBER || !(fabs(lua_tonumber(L, -1)) <= FARTHEST)))
            luaL_error(L, "field '%s' wants numbers, at most 1e9", name);
        out[i] = none ? NAN : lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* core.device_report(handle, { position = { … }, speed = { … }, force = { … }, pose = { x, y, theta }, twist = { … } }): of this
 * device's dofs, in their order, and of the base if it is the base's. What is left out stays as it was. */
static int l_device_report(lua_State *L)
{
    struct robo__claimed *d = check_device(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    /* only this thread writes them */
    double position[ROBO_MAX_DOFS], speed[ROBO_MAX_DOFS], force[ROBO_MAX_DOFS], pose[3], twist[3];
    const size_t dofs = d->dofs, bytes = dofs * sizeof(double);
    memcpy(pose, d->pose, sizeof pose);
    memcpy(twist, d->twist, sizeof twist);
    memcpy(position, d->position, bytes);
    memcpy(speed, d->speed, bytes);
    memcpy(force, d->force, bytes);
    take_list(L, "position", position, dofs, false);
    take_list(L, "speed", speed, dofs, false);
    take_list(L, "force", force, dofs, true);
    take_list(L, "pose", pose, 3, false);
    take_list(L, "twist", twist, 3, false);
    robo__robot_lock(d->robot);
    memcpy(d->position, position, bytes);
    memcpy(d->speed, speed, bytes);
    memcpy(d->force, force, bytes);
    memcpy(d->pose, pose, sizeof pose);
    memcpy(d->twist, twist, sizeof twist);
    robo__robot_unlock(d->robot);
    return 0;
}

/* core.device_port(handle, port, bytes): from now on what is written to the port passes the device, each write a frame;
 * bytes are what C writes when it is halted: "" for none. true; or nil, message, code. */
static int l_device_port(lua_State *L)
{
    struct robo__claimed *d = check_device(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 3, &n);
    luaL_argcheck(L, n <= ROBO__HALT_BYTES, 3, "want at most 64 bytes");
    int copy = fcntl(port_fd(L, 2), F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return push_failure(L, ROBO_EDEVICE, NULL);
    robo_emergency_remove(&d->emergency);
    robo__robot_lock(d->robot);
    int old = d->out.fd;
    memcpy(d->halt, bytes, n);
    d->emergency = (struct robo_emergency){
        .size = sizeof d->emergency, .fd = copy, .bytes = d->halt, .count = n
    };
    robo__outbox_init(&d->out, copy);
    if (robo__claimed_is_silent(d)) /* it was halted when there was no port yet */
        robo__claimed_halt(d, "panic");
    robo__robot_unlock(d->robot);
    if (old >= 0)
        close(old);
    port_give(L, 2, luaL_checkinteger(L, 1));
    int error = robo_emergency_add(&d->emergency);
    if (error < 0)
        return push_failure(L, error, NULL);
    lua_pushboolean(L, 1);
    return 1;
}

/* core.robo__claimed_fault(handle, reason): the device is lost: its commands are answered ERROR. */
static int l_device_fault(lua_State *L)
{
    struct robo__claimed *d = check_device(L);
    bool link = strcmp(luaL_optstring(L, 2, "device"), "link") == 0;
    robo__robot_lock(d->robot);
    robo__claimed_fault(d, link ? ROBO_WHY_LINK : ROBO_WHY_DEVICE);
    robo__robot_unlock(d->robot);
    return 0;
}

static const char WHOSE[] = "robotalk.whose";

/* core.on_device_write(fn): fn() tells the number of the command, or of the halt, whose task is running; nil: none. */
static int l_on_device_write(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, WHOSE);
    return 0;
}

int device_port_write(lua_State *L, lua_Integer handle, const char *bytes, size_t n)
{
    struct robo__claimed *d = device_of(runtime_of(L), handle);
    lua_Integer number = 0;
    luaL_argcheck(L, n <= ROBO__OUTBOX_BYTES - ROBO__HALT_BYTES, 2,
                  "want at most 4032 bytes: a device's frame");
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, WHOSE) == LUA_TFUNCTION) {
        lua_call(L, 0, 1);
        number = lua_tointeger(L, -1);
    }
    if (!d)
        return push_failure(L, ROBO_EDEVICE, "the device is closed");
    robo__robot_lock(d->robot);
    int written = robo__claimed_write(d, number, bytes, n);
    robo__robot_unlock(d->robot);
    if (written < 0)
        return push_failure(L, written, written == ROBO_ENONE ? "the command is over" : NULL);
    lua_pushinteger(L, written);
    return 1;
}

void open_devices(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "devices", l_devices },
        { "device_next", l_device_next },
        { "device_begin", l_device_begin },
        { "device_done", l_device_done },
        { "device_end", l_device_end },
        { "device_heard", l_device_heard },
        { "device_close", l_device_close },
        { "device_report", l_device_report },
        { "device_port", l_device_port },
        { "device_fault", l_device_fault },
        { "on_device_write", l_on_device_write },
        { NULL, NULL },
    };
    luaL_setfuncs(L, functions, 0);
}
