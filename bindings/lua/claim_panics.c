/* Panics of a claimed device that is a robot itself: core.device_alarm, device_panics, device_panic and device_reset. */
#include "claims.h"
#include "runtime.h"
#include "robotalk/claim.h"

/* core.device_alarm(handle, bytes): the bytes that C writes behind the halt's in a panic. true; or nil,
 * message, code. */
static int l_device_alarm(lua_State *L)
{
    robo_claim *device = check_device(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    return push_done(L, check_gone(L, robo_claim_alarm(device, bytes, n)), NULL);
}

/* core.device_panics(handle): { count, given, written, now, given_now } of its robot, as struct robo_panics has it. */
static int l_device_panics(lua_State *L)
{
    struct robo_panics panics;
    check_gone(L, robo_claim_panics(check_device(L), &panics));
    lua_createtable(L, 0, 5);
    set_integer(L, "count", panics.count);
    set_integer(L, "given", panics.given);
    set_integer(L, "written", panics.written);
    set_flag(L, "now", panics.now);
    set_flag(L, "given_now", panics.given_now);
    return 1;
}

/* core.device_panic(handle): the device is in panic, and so is its robot: the panic's number. */
static int l_device_panic(lua_State *L)
{
    uint32_t number = 0;
    check_gone(L, robo_claim_panic(check_device(L), &number));
    lua_pushinteger(L, number);
    return 1;
}

/* core.device_reset(handle, number): ends that panic; whether there was none since or given here, which would go on. */
static int l_device_reset(lua_State *L)
{
    robo_claim *device = check_device(L);
    const lua_Integer number = luaL_checkinteger(L, 2);
    lua_pushboolean(L, check_gone(L, robo_claim_reset(device, (uint32_t)number)) == 0);
    return 1;
}

void open_device_panics(lua_State *L)
{
    set_function(L, "device_alarm", l_device_alarm);
    set_function(L, "device_panics", l_device_panics);
    set_function(L, "device_panic", l_device_panic);
    set_function(L, "device_reset", l_device_reset);
}
