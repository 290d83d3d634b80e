/* Ports of serial servos in Lua, for the verbs that set servos up. Its functions wait for answers: it is for the main script alone. */
#include <errno.h>
#include <string.h>

#include "robotalk/servos.h"
#include "runtime.h"

static const char SERVOS[] = "robotalk.servos";
static const char *const packets[] = { "feetech", "dynamixel",
                                       NULL }; /* by enum robo_servo_packets */

static robo_servo_port *check_servos(lua_State *L)
{
    robo_servo_port **box = luaL_checkudata(L, 1, SERVOS);
    luaL_argcheck(L, *box, 1, "the port is closed");
    return *box;
}

static int l_close(lua_State *L)
{
    robo_servo_port **box = luaL_checkudata(L, 1, SERVOS);
    robo_servo_port_close(*box);
    *box = NULL;
    return 0;
}

static int push_port_failure(lua_State *L, int error)
{
    return push_failure(L, error,
                        error == ROBO_EDEVICE ? strerror(errno)
                        : error == ROBO_EBODY
                            ? "its answers are garbled: noise, or two servos with one id"
                            : NULL);
}

/* core.servos(path, baud): a port; core.servos(nil, servos): a simulated bus, as "sts3215:1-6"; nil, message, code. */
static int l_servos(lua_State *L)
{
    const bool is_simulated = lua_isnoneornil(L, 1);
    const char *path = is_simulated ? luaL_checkstring(L, 2) : luaL_checkstring(L, 1);
    const lua_Integer baud = is_simulated ? 0 : luaL_checkinteger(L, 2);
    int error;
    char why[256] = "";
    need_main(L, "servos");
    robo_servo_port **box = lua_newuserdatauv(L, sizeof(*box), 0);
    *box = NULL;
    luaL_setmetatable(L, SERVOS);
    *box = is_simulated ? robo_servo_port_simulate(path, &error, why)
                        : robo_servo_port_open(path, (long)baud, &error);
    if (*box)
        return 1;
    return why[0] ? push_failure(L, error, why) : push_port_failure(L, error);
}

/* servos:set_baud(baud): true; nil, message, code. */
static int l_set_baud(lua_State *L)
{
    const int error = robo_servo_port_set_baud(check_servos(L), (long)luaL_checkinteger(L, 2));
    if (error < 0)
        return push_port_failure(L, error);
    lua_pushboolean(L, 1);
    return 1;
}

static uint8_t check_id(lua_State *L, int arg, int most)
{
    const lua_Integer id = luaL_checkinteger(L, arg);
    luaL_argcheck(L, id >= 0 && id <= most, arg, "want the id of a servo");
    return (uint8_t)id;
}

/* servos:ping(packets, id, seconds): the ids that answered; nil, message, code. */
static int l_ping(lua_State *L)
{
    robo_servo_port *port = check_servos(L);
    const int kind = luaL_checkoption(L, 2, NULL, packets);
    uint8_t ids[ROBO_SERVO_IDS + 1];
    const int count = robo_servo_ping(port, (enum robo_servo_packets)kind,
                                      check_id(L, 3, ROBO_SERVO_ALL), luaL_checknumber(L, 4), ids);
    if (count < 0)
        return push_port_failure(L, count);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushinteger(L, ids[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* servos:identify(packets, id): the number of its model's row; nil, message, code. */
static int l_identify(lua_State *L)
{
    robo_servo_port *port = check_servos(L);
    const int kind = luaL_checkoption(L, 2, NULL, packets);
    int64_t number = 0;
    const int row = robo_servo_identify(port, (enum robo_servo_packets)kind,
                                        check_id(L, 3, ROBO_SERVO_IDS), &number);
    if (row == ROBO_ENONE) {
        lua_pushnil(L);
        lua_pushfstring(L, "its model number, %I, is not in the tables", (LUAI_UACINT)number);
        lua_pushstring(L, "ENONE");
        return 3;
    }
    if (row < 0)
        return push_port_failure(L, row);
    lua_pushinteger(L, row);
    return 1;
}

/* servos:read(row, id, register): a number; nil, message, code. */
static int l_read(lua_State *L)
{
    robo_servo_port *port = check_servos(L);
    int64_t value = 0;
    const int error =
        robo_servo_read(port, (unsigned)luaL_checkinteger(L, 2), check_id(L, 3, ROBO_SERVO_IDS),
                        luaL_checkstring(L, 4), &value);
    if (error < 0)
        return push_port_failure(L, error);
    lua_pushinteger(L, value);
    return 1;
}

/* servos:write(row, id, register, number): true; nil, message, code. */
static int l_write(lua_State *L)
{
    robo_servo_port *port = check_servos(L);
    const int error =
        robo_servo_write(port, (unsigned)luaL_checkinteger(L, 2), check_id(L, 3, ROBO_SERVO_IDS),
                         luaL_checkstring(L, 4), luaL_checkinteger(L, 5));
    if (error < 0)
        return error == ROBO_ERANGE ? push_failure(L, error, "it refuses that value")
                                    : push_port_failure(L, error);
    lua_pushboolean(L, 1);
    return 1;
}

/* core.servo_models(): the rows, from 0 on: { name =, packets =, middle =, tick =, locks =, modes = { position = number, … }, alarms =
 * { by bits from 0 }, rates = { [baud] = number } }. */
static int l_servo_models(lua_State *L)
{
    static const char *const modes[] = { "position", "velocity", "current" };
    struct robo_servo_model m;
    lua_newtable(L);
    for (unsigned row = 0; robo_servo_model(row, &m); row++) {
        lua_createtable(L, 0, 8);
        set_text(L, "name", m.name);
        set_text(L, "packets", packets[m.packets]);
        set_integer(L, "middle", m.middle);
        set_number(L, "tick", m.tick);
        set_flag(L, "locks", m.locks);
        lua_newtable(L);
        for (int i = 0; i < 3; i++)
            if (m.mode[i] >= 0)
                set_integer(L, modes[i], m.mode[i]);
        lua_setfield(L, -2, "modes");
        lua_newtable(L);
        for (int i = 0; i < 8; i++)
            if (m.alarm[i]) {
                lua_pushstring(L, m.alarm[i]);
                lua_rawseti(L, -2, i);
            }
        lua_setfield(L, -2, "alarms");
        lua_newtable(L);
        for (int i = 0; i < ROBO_SERVO_RATES && m.rate[i].baud > 0; i++) {
            lua_pushinteger(L, m.rate[i].number);
            lua_rawseti(L, -2, m.rate[i].baud);
        }
        lua_setfield(L, -2, "rates");
        lua_rawseti(L, -2, (lua_Integer)row);
    }
    return 1;
}

void open_servos(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "set_baud", l_set_baud }, { "ping", l_ping },     { "identify", l_identify },
        { "read", l_read },         { "write", l_write },   { "close", l_close },
        { "__gc", l_close },        { "__close", l_close }, { NULL, NULL },
    };
    define_type(L, SERVOS, methods);
    set_function(L, "servos", l_servos);
    set_function(L, "servo_models", l_servo_models);
}
