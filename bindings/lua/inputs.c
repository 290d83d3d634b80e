/* Gamepads, joysticks and pedals in Lua. Reading never waits: an event "readable" comes when there is a report, also from a
 * recording, whose time is the world's. */
#include "robotalk/host.h"
#include "robotalk/input.h"
#include "robotalk/watchers.h"
#include "runtime.h"

static const char INPUT[] = "robotalk.input";
static const char *const kinds[] = { "other", "keys", "joystick",
                                     "gamepad" }; /* by enum robo_input_kind */

struct input {
    struct runtime *rt;
    struct input *next; /* of the open ones */
    robo_input *device; /* NULL: closed */
    lua_Integer handle;
    robo_io *io;           /* of a device */
    robo_timeout *timeout; /* of a recording */
};

static struct input *check_input(lua_State *L)
{
    return luaL_checkudata(L, 1, INPUT);
}

static void close_input(struct input *in)
{
    robo_io_close(in->io);
    robo_timeout_close(in->timeout);
    robo_input_close(in->device);
    in->io = NULL;
    in->timeout = NULL;
    in->device = NULL;
    TAKE_OUT(in->rt->inputs, in);
}

void close_inputs(struct runtime *rt)
{
    while (rt->inputs)
        close_input(rt->inputs);
}

static int l_gc(lua_State *L)
{
    close_input(check_input(L));
    return 0;
}

/* input:close(): wakes a task that waits for a report. */
static int l_close(lua_State *L)
{
    struct input *in = check_input(L);
    if (in->device)
        runtime_event(in->rt, EVENT_READABLE, in->handle, 0);
    close_input(in);
    return 0;
}

static void on_readable(void *owner)
{
    struct input *in = owner;
    robo_io_stop(in->io); /* once; the next read without a report asks again */
    runtime_event(in->rt, EVENT_READABLE, in->handle, 0);
}

static void on_due(void *owner, robo_time now)
{
    struct input *in = owner;
    (void)now;
    runtime_event(in->rt, EVENT_READABLE, in->handle, 0);
}

/* core.input(path): a device, or a recording in its place; nil, message, code. */
static int l_input(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct runtime *rt = runtime_of(L);
    char why[256];
    int error;
    runtime_need_world(L);
    struct input *in = lua_newuserdatauv(L, sizeof *in, 0);
    *in = (struct input){ .rt = rt, .handle = ++rt->last_handle };
    luaL_setmetatable(L, INPUT);
    in->device = robo_input_open(path, robo_now(rt->world), &error, why);
    if (!in->device)
        return push_failure(L, error, why);
    const int fd = robo_input_fd(in->device);
    in->next = rt->inputs;
    rt->inputs = in;
    if (fd < 0) {
        in->timeout = robo_timeout_open(rt->loop, on_due, in);
    } else if (robo_is_virtual(rt->world)) {
        close_input(in);
        return push_failure(L, ROBO_EDEVICE,
                            "a virtual world has no devices, only recordings of them");
    } else {
        in->io = robo_io_open(rt->loop, fd, ROBO_IO_READ, on_readable, in);
    }
    if (!in->timeout && !in->io) {
        close_input(in);
        return push_failure(L, ROBO_ENOMEM, NULL);
    }
    return 1;
}

/* Sets the list of the codes whose bits are set. */
static void set_codes(lua_State *L, const char *name, const uint8_t *bits, int size)
{
    lua_newtable(L);
    for (int i = 0, n = 0; i < size; i++)
        if (bits[i / 8] >> i % 8 & 1) {
            lua_pushinteger(L, i);
            lua_rawseti(L, -2, ++n);
        }
    lua_setfield(L, -2, name);
}

/* input:describe(): { name =, kind =, recording =, axes = { code, … }, buttons = { code, … } }. */
static int l_describe(lua_State *L)
{
    const struct input *in = check_input(L);
    luaL_argcheck(L, in->device, 1, "the device is closed");
    const struct robo_input_state *state = robo_input_state(in->device);
    lua_createtable(L, 0, 5);
    set_text(L, "name", state->name);
    set_text(L, "kind", kinds[state->kind]);
    set_flag(L, "recording", in->timeout != NULL);
    set_codes(L, "axes", state->has_axis, ROBO_INPUT_AXES);
    set_codes(L, "buttons", state->has_button, ROBO_INPUT_BUTTONS);
    return 1;
}

/* input:read(): true: there is a newer report; false: none yet, an event "readable" will come; nil, message, code: the device is
 * gone. */
static int l_read(lua_State *L)
{
    struct input *in = check_input(L);
    if (!in->device)
        return push_failure(L, ROBO_ECLOSED, "the device is closed");
    const int result = robo_input_read(in->device, robo_now(in->rt->world));
    if (result < 0)
        return push_failure(L, result, "it was unplugged");
    if (result == 0 && in->io)
        robo_io_start(in->io);
    else if (result == 0)
        robo_timeout_set(in->timeout, robo_input_due(in->device));
    lua_pushboolean(L, result);
    return 1;
}

/* input:state(): { axes = numbers, from code 0 on as the first, buttons = { code, … } of those that are held }. */
static int l_state(lua_State *L)
{
    const struct input *in = check_input(L);
    luaL_argcheck(L, in->device, 1, "the device is closed");
    const struct robo_input_state *state = robo_input_state(in->device);
    lua_createtable(L, 0, 2);
    set_numbers(L, "axes", state->axis, ROBO_INPUT_AXES);
    set_codes(L, "buttons", state->button, ROBO_INPUT_BUTTONS);
    return 1;
}

static int l_handle(lua_State *L)
{
    lua_pushinteger(L, check_input(L)->handle);
    return 1;
}

void open_inputs(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "describe", l_describe }, { "read", l_read },   { "state", l_state },
        { "handle", l_handle },     { "close", l_close }, { "__gc", l_gc },
        { "__close", l_close },     { NULL, NULL },
    };
    define_type(L, INPUT, methods);
    set_function(L, "input", l_input);
}
