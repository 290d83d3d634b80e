/* The script's side of a driver in Lua: core.devices, and the calls on a device that it has claimed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "runtime.h"
#include "robotalk/claim.h"
#include "robotalk/device.h"
#include "robotalk/watchers.h"

/* A device that the script has claimed, and that has not ended for it. */
struct claim {
    struct claim *next; /* of the runtime's */
    struct runtime *rt;
    lua_Integer handle;
    robo_claim *device; /* NULL: none was there */
    robo_async *script; /* wakes it */
};

/* The claim of that handle, or NULL. */
static robo_claim *device_of(const struct runtime *rt, lua_Integer handle)
{
    struct claim *claim = rt->claims;
    while (claim && claim->handle != handle)
        claim = claim->next;
    return claim ? claim->device : NULL;
}

robo_claim *check_device(lua_State *L)
{
    robo_claim *device = device_of(runtime_of(L), luaL_checkinteger(L, 1));
    luaL_argcheck(L, device, 1, "the device is gone");
    return device;
}

int check_gone(lua_State *L, int result)
{
    luaL_argcheck(L, result != ROBO_ECLOSED, 1, "the device is gone");
    return result;
}

/* ---- claims come and go ---- */

/* Takes it out of the runtime's list and frees it. */
static void drop(struct claim *claim)
{
    TAKE_OUT(claim->rt->claims, claim);
    robo_claim_release(claim->device);
    robo_async_close(claim->script);
    free(claim);
}

void halt_devices(struct runtime *rt)
{
    for (struct claim *claim = rt->claims; claim; claim = claim->next)
        robo_claim_halt(claim->device);
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
    if (robo_claim_state(claim->device) == ROBO_ECLOSED)
        drop(claim);
    else
        runtime_event(claim->rt, EVENT_DEVICE, claim->handle, 0);
}

/* With the robot's mutex held. */
static void wake(void *owner)
{
    robo_async_post(((struct claim *)owner)->script);
}

/* Claims an unclaimed device. false: there is none. */
static bool claim_next(lua_State *L, struct runtime *rt)
{
    int error = ROBO_ENOMEM;
    struct claim *claim = malloc(sizeof *claim);
    if (!claim)
        return luaL_error(L, "not enough memory");
    *claim = (struct claim){ .next = rt->claims, .rt = rt, .handle = rt->last_handle + 1 };
    rt->claims = claim;
    claim->script = robo_async_open(rt->loop, on_wakeup, claim);
    if (claim->script)
        claim->device = robo_claim_open(rt->world, "lua", wake, claim, &error);
    if (claim->device) {
        rt->last_handle++;
        return true;
    }
    drop(claim);
    return error == ROBO_ENOMEM && luaL_error(L, "not enough memory");
}

/* The device's sensors by their names: their records, and their numbers. */
static void push_sensors(lua_State *L, const robo_device *device)
{
    const struct robo_description *d = robo_device_description(device);
    lua_newtable(L);
    for (int i = 0; i < d->sensors; i++) {
        if (d->sensor[i].device != robo_device_index(device))
            continue;
        push_message(L, robo_message_named("robo_sensor"), &d->sensor[i]);
        set_integer(L, "number", i);
        lua_setfield(L, -2, d->sensor[i].name);
    }
}

/* The same for its cameras: { name, number, width, height, rate }; 0: it is not described. */
static void push_cameras(lua_State *L, const robo_device *device)
{
    const struct robo_description *d = robo_device_description(device);
    lua_newtable(L);
    for (int i = 0; i < d->cameras; i++) {
        if (d->camera[i].device != robo_device_index(device))
            continue;
        lua_createtable(L, 0, 5);
        set_text(L, "name", d->camera[i].name);
        set_integer(L, "number", i);
        set_number(L, "rate", d->camera[i].rate);
        set_integer(L, "width", d->camera[i].width);
        set_integer(L, "height", d->camera[i].height);
        lua_setfield(L, -2, d->camera[i].name);
    }
}

/* core.devices(): claims all unclaimed devices: a list of { handle, number, robot, options, sensors, cameras }. */
static int l_devices(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_Integer n = 0;
    lua_newtable(L);
    while (claim_next(L, rt)) {
        const robo_device *device = robo_claim_device(rt->claims->device);
        lua_createtable(L, 0, 6);
        push_sensors(L, device);
        lua_setfield(L, -2, "sensors");
        push_cameras(L, device);
        lua_setfield(L, -2, "cameras");
        set_text(L, "robot", robo_device_description(device)->name);
        push_device_options(L, robo_device_binding(device));
        lua_setfield(L, -2, "options");
        set_integer(L, "handle", rt->claims->handle);
        set_integer(L, "number", robo_device_index(device));
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

/* core.device_next(handle): the next job, or nothing:
 *   "over", number: that command is over, its tasks end
 *   "halt", number, why: the device was halted; device_heard confirms that the script has handled it
 *   "reset", 0: the panic of the last halt was reset
 *   "start", number, command: a command begins; with `own`, a stop that no client has given, as when a lease goes */
static int l_device_next(lua_State *L)
{
    static const char *const kinds[] = { [ROBO_JOB_START] = "start",
                                         [ROBO_JOB_OVER] = "over",
                                         [ROBO_JOB_HALT] = "halt",
                                         [ROBO_JOB_RESET] = "reset" };
    static const char *const causes[] = { [ROBO_HALT_PANIC] = "panic",
                                          [ROBO_HALT_STOP] = "stop",
                                          [ROBO_HALT_CLOSE] = "closed",
                                          [ROBO_HALT_LEFT] = "left" };
    struct robo_job job;
    if (!check_gone(L, robo_claim_next(check_device(L), &job)))
        return 0;
    lua_pushstring(L, kinds[job.kind]);
    lua_pushinteger(L, job.number);
    if (job.kind == ROBO_JOB_START) {
        push_command(L, &job.cmd);
        set_flag(L, "own", job.cmd.id == 0);
    } else {
        lua_pushstring(L, causes[job.why]);
    }
    return 3;
}

/* core.device_begin(handle, number): the task of that command is about to run: whether it may begin. */
static int l_device_begin(lua_State *L)
{
    robo_claim *device = check_device(L);
    lua_pushboolean(L, check_gone(L, robo_claim_begin(device, luaL_checkinteger(L, 2))));
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
    robo_claim *device = check_device(L);
    lua_Integer number = luaL_checkinteger(L, 2);
    const char *signal = luaL_checkstring(L, 3), *reason = luaL_optstring(L, 4, "none");
    int s = number_of(robo_signal_name, signal), r = number_of(robo_reason_name, reason);
    luaL_argcheck(L, s >= 0, 3, "want one of the seven signals");
    luaL_argcheck(L, r >= 0, 4, "want a reason of the specification");
    check_gone(L, robo_claim_done(device, number, (enum robo_signal)s, (enum robo_reason)r));
    return 0;
}

/* core.device_end(handle, number): no task works on that command any more, and it was answered. */
static int l_device_end(lua_State *L)
{
    robo_claim *device = check_device(L);
    check_gone(L, robo_claim_end(device, luaL_checkinteger(L, 2)));
    return 0;
}

/* core.device_heard(handle, number): the script has handled that halt. */
static int l_device_heard(lua_State *L)
{
    robo_claim *device = check_device(L);
    check_gone(L, robo_claim_heard(device, luaL_checkinteger(L, 2)));
    return 0;
}

/* core.device_close(handle): halts it and takes no further commands: the number of that halt; nothing when the device
 * is gone. */
static int l_device_close(lua_State *L)
{
    robo_claim *device = device_of(runtime_of(L), luaL_checkinteger(L, 1));
    int64_t number = device ? robo_claim_halt(device) : ROBO_ECLOSED;
    if (number == ROBO_ECLOSED)
        return 0;
    lua_pushinteger(L, number);
    return 1;
}

/* Greatest number that a device may report. */
static const double FARTHEST = 1e9;

/* The numbers of field `name`, at most as many as out has room for; raises for a value that is no number. unknown: false
 * is an unknown number, NAN. */
static struct robo_numbers take_list(lua_State *L, const char *name, double *out, size_t most,
                                     bool unknown)
{
    struct robo_numbers list = { .value = out };
    lua_getfield(L, 2, name);
    if (!lua_isnil(L, -1) && !lua_istable(L, -1))
        luaL_error(L, "field '%s' wants a list of numbers", name);
    while (lua_istable(L, -1) && list.count < most && list.count < lua_rawlen(L, -1)) {
        lua_rawgeti(L, -1, (lua_Integer)list.count + 1);
        const bool none = unknown && lua_isboolean(L, -1) && !lua_toboolean(L, -1);
        if (!none && (lua_type(L, -1) != LUA_TNUMBER || !(fabs(lua_tonumber(L, -1)) <= FARTHEST)))
            luaL_error(L, "field '%s' wants numbers, at most 1e9", name);
        out[list.count++] = none ? NAN : lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return list;
}

/* core.device_report(handle, { position = { … }, speed = { … }, force = { … }, pose = { x, y, theta }, twist = { … } }): of
 * this device's dofs, in their order, and of the base if it is the base's. Missing fields stay as they were. */
static int l_device_report(lua_State *L)
{
    robo_claim *device = check_device(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    double position[ROBO_MAX_DOFS], speed[ROBO_MAX_DOFS], force[ROBO_MAX_DOFS], pose[3], twist[3];
    const size_t dofs = robo_claim_dofs(device);
    const struct robo_report report = { .size = sizeof report,
                                        .position = take_list(L, "position", position, dofs, false),
                                        .speed = take_list(L, "speed", speed, dofs, false),
                                        .force = take_list(L, "force", force, dofs, true),
                                        .pose = take_list(L, "pose", pose, 3, false),
                                        .twist = take_list(L, "twist", twist, 3, false) };
    check_gone(L, robo_claim_report(device, &report));
    return 0;
}

/* core.device_sensed(handle, number, values, time): a reading of that sensor, which held at that time, or now; NaN in it is
 * not known. Of several at once the later one counts. */
static int l_device_sensed(lua_State *L)
{
    robo_claim *device = check_device(L);
    const lua_Integer sensor = luaL_checkinteger(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    const robo_time time = lua_isnoneornil(L, 4) ? ROBO_NO_TIME : check_time(L, 4);
    const size_t count = lua_rawlen(L, 3);
    double value[ROBO_MAX_READING];
    luaL_argcheck(L, sensor >= 0 && sensor < ROBO_MAX_SENSORS, 2, "want the number of a sensor");
    luaL_argcheck(L, count <= ROBO_MAX_READING, 3, "want at most 2048 values");
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 3, (lua_Integer)i + 1);
        value[i] = lua_tonumber(L, -1);
        luaL_argcheck(L, isnan(value[i]) || value[i] == HUGE_VAL || fabs(value[i]) <= FARTHEST, 3,
                      "want numbers, at most 1e9");
        lua_pop(L, 1);
    }
    robo_claim_sensed(device, (unsigned)sensor, time, value, count);
    return 0;
}

static unsigned check_pixels(lua_State *L, int index)
{
    const lua_Integer pixels = luaL_checkinteger(L, index);
    luaL_argcheck(L, pixels >= 1 && pixels <= UINT16_MAX, index, "want pixels, 1 to 65535");
    return (unsigned)pixels;
}

/* core.device_pictured(handle, number, bytes, format, width, height, time): a picture of that camera; a JPEG has its size in
 * the file, and width and height are ignored. true; or nil, message, code. */
static int l_device_pictured(lua_State *L)
{
    robo_claim *device = check_device(L);
    size_t n;
    const lua_Integer camera = luaL_checkinteger(L, 2);
    const char *bytes = luaL_checklstring(L, 3, &n);
    const enum robo_picture_format format = check_picture_format(L, 4);
    unsigned width = format == ROBO_JPEG ? 0 : check_pixels(L, 5),
             height = format == ROBO_JPEG ? 0 : check_pixels(L, 6);
    const robo_time time = lua_isnoneornil(L, 7) ? ROBO_NO_TIME : check_time(L, 7);
    int error =
        format == ROBO_JPEG ? robo_jpeg_size((const uint8_t *)bytes, n, &width, &height) : 0;
    if (error == 0 && (width > UINT16_MAX || height > UINT16_MAX))
        error = ROBO_EBODY;
    if (error < 0)
        return push_failure(L, error, error == ROBO_EBODY ? "it is no JPEG, or too large" : NULL);
    struct robo_picture *p = camera >= 0 && camera <= UINT16_MAX
                                 ? robo_claim_picture_open(device, (unsigned)camera, n)
                                 : NULL;
    if (!p)
        return push_failure(L, ROBO_EFULL, "there is no room for the picture");
    memcpy(p->bytes, bytes, n);
    p->format = (uint8_t)format;
    p->width = (uint16_t)width;
    p->height = (uint16_t)height;
    p->size = n;
    error = robo_pictured(p, time);
    return push_done(L, error, error == ROBO_EINVAL ? "its bytes are not those of its size" : NULL);
}

/* core.device_looked(handle, number): whether a client watches that camera. */
static int l_device_looked(lua_State *L)
{
    robo_claim *device = check_device(L);
    lua_pushboolean(L, robo_claim_picture_wanted(device, (unsigned)luaL_checkinteger(L, 2)));
    return 1;
}

/* core.device_no_picture(handle, number, failed): that camera has none now. */
static int l_device_no_picture(lua_State *L)
{
    robo_claim *device = check_device(L);
    robo_claim_picture_none(device, (unsigned)luaL_checkinteger(L, 2),
                            lua_toboolean(L, 3) ? ROBO_EDEVICE : 0);
    return 0;
}

/* core.device_port(handle, port, bytes): from now on writes to the port pass the device, each write a frame; bytes
 * are written by C when it is halted: "" for none. true; or nil, message, code. */
static int l_device_port(lua_State *L)
{
    robo_claim *device = check_device(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 3, &n);
    luaL_argcheck(L, n <= ROBO_MAX_HALT_BYTES, 3, "want at most 64 bytes");
    const int error = check_gone(L, robo_claim_port(device, port_fd(L, 2), bytes, n));
    if (error >= 0)
        port_give(L, 2, luaL_checkinteger(L, 1));
    return push_done(L, error, NULL);
}

/* core.device_sign(handle, bytes): a frame that is written to its port also in a panic, since it moves nothing. */
static int l_device_sign(lua_State *L)
{
    robo_claim *device = check_device(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    luaL_argcheck(L, n <= ROBO_MAX_SIGN_BYTES, 2, "want at most 32 bytes");
    check_gone(L, robo_claim_sign(device, bytes, n));
    return 0;
}

/* core.device_takes(handle, parts, bounds, frames): whether it takes stops of some of its axes, goals with bounds, and the
 * speeds by which control frames are moved. */
static int l_device_takes(lua_State *L)
{
    robo_claim *device = check_device(L);
    check_gone(
        L, robo_claim_takes(device, lua_toboolean(L, 2), lua_toboolean(L, 3), lua_toboolean(L, 4)));
    return 0;
}

/* core.device_fault(handle, reason): the device is lost: its commands are answered ERROR. */
static int l_device_fault(lua_State *L)
{
    robo_claim *device = check_device(L);
    bool link = strcmp(luaL_optstring(L, 2, "device"), "link") == 0;
    check_gone(L, robo_claim_fault(device, link ? ROBO_WHY_LINK : ROBO_WHY_DEVICE));
    return 0;
}

static const char WHOSE[] = "robotalk.whose";

/* core.on_device_write(fn): fn() returns the number of the command, or of the halt, whose task is running; nil: none. */
static int l_on_device_write(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, WHOSE);
    return 0;
}

int device_port_write(lua_State *L, lua_Integer handle, const char *bytes, size_t n)
{
    robo_claim *device = device_of(runtime_of(L), handle);
    lua_Integer number = 0;
    luaL_argcheck(L, n <= ROBO_MAX_FRAME_BYTES, 2, "want at most 4032 bytes: a device's frame");
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, WHOSE) == LUA_TFUNCTION) {
        lua_call(L, 0, 1);
        number = lua_tointeger(L, -1);
    }
    int written = device ? robo_claim_write(device, number, bytes, n) : ROBO_ECLOSED;
    if (written == ROBO_ECLOSED)
        return push_failure(L, ROBO_EDEVICE, "the device is closed");
    if (written < 0)
        return push_failure(L, written, written == ROBO_ENONE ? "the command is over" : NULL);
    lua_pushinteger(L, written);
    return 1;
}

void open_devices(lua_State *L)
{
    set_function(L, "devices", l_devices);
    set_function(L, "device_next", l_device_next);
    set_function(L, "device_begin", l_device_begin);
    set_function(L, "device_done", l_device_done);
    set_function(L, "device_end", l_device_end);
    set_function(L, "device_heard", l_device_heard);
    set_function(L, "device_close", l_device_close);
    set_function(L, "device_report", l_device_report);
    set_function(L, "device_port", l_device_port);
    set_function(L, "device_sign", l_device_sign);
    set_function(L, "device_fault", l_device_fault);
    set_function(L, "device_takes", l_device_takes);
    set_function(L, "device_sensed", l_device_sensed);
    set_function(L, "device_pictured", l_device_pictured);
    set_function(L, "device_looked", l_device_looked);
    set_function(L, "device_no_picture", l_device_no_picture);
    set_function(L, "on_device_write", l_on_device_write);
    open_device_panics(L);
}
