/* Scenes (core/robotalk/rcml.h) as tables of Lua, and back.
 *
 * scene = { nodes = { node, … }, protos = { proto, … }, proto_text = their text, routes = { { from = node, event =, to = node,
 *   to_event = }, … }, errors =, warnings =, notes = { { line =, column =, message = }, … } }
 * node = { type =, name = by DEF, origin = vrml | rcml | proto | externproto, line =, column =, fields = { name = value, … },
 *   order = { name, … }, body = { node, … } and routes = { route, … } of an instance, declared = { declaration, … } of a Script };
 *   USE is the same table.
 *   fields holds what was given; what was not is found by its default, which pairs does not show.
 * proto = { name =, external =, url =, line =, column =, fields = { declaration, … } }
 * declaration = { name =, access = field | exposedField | eventIn | eventOut, type =, value = }
 * Values: numbers, strings and booleans; vectors, colors and rotations, one or many, are one list of numbers, one value behind the
 * other; a node is its table, or false for NULL; a picture { width, height, components, pixels … }. */
#include <string.h>

#include "vrml.h"

static const char SCENE[] = "robotalk.scene";
static const char *const origins[] = { "vrml", "rcml", "proto", "externproto" };
static const char *const accesses[] = { "field", "exposedField", "eventIn", "eventOut", NULL };

enum {
    DEEPEST = 2 * ROBO_SCENE_DEPTH,
    /* About how many bytes of Lua's memory a scene may take: a script that reads an untrusted file must not end by it. And
     * the parts of it for a node, each of its fields, a list and one value. */
    MOST = 128 << 20,
    NODE = 512,
    FIELD = 48,
    LIST = 64,
    VALUE = 16
};

robo_scene **new_scene(lua_State *L)
{
    robo_scene **scene = lua_newuserdatauv(L, sizeof *scene, 0);
    *scene = NULL;
    luaL_setmetatable(L, SCENE);
    return scene;
}

static int collect_scene(lua_State *L)
{
    robo_scene **scene = luaL_checkudata(L, 1, SCENE);
    robo_scene_close(*scene);
    *scene = NULL;
    return 0;
}

/* ---- to tables ---- */

struct giving {
    lua_State *L;
    int nodes,
        kinds; /* stack indices: tables of nodes, and metatables of their fields, by address */
    unsigned depth;
    size_t taken; /* bytes, about */
};

/* Whether there is room for so much more; once there was not, there is none any more. */
static bool takes(struct giving *g, size_t bytes)
{
    g->taken = bytes > MOST || g->taken > MOST - bytes ? (size_t)MOST + 1 : g->taken + bytes;
    return g->taken <= MOST;
}

static void push_node(struct giving *g, const struct robo_scene_node *node);

static void push_value(struct giving *g, const struct robo_scene_value *v)
{
    lua_State *L = g->L;
    const size_t n = (size_t)v->count * robo_scene_type_width(v->type);
    const bool one = v->type < ROBO_MF_COLOR && n == 1 && v->type != ROBO_SF_IMAGE;
    if ((n == 0 && v->type < ROBO_MF_COLOR) ||
        !takes(g, one ? VALUE : LIST + n * VALUE)) { /* IS, or no room */
        lua_pushnil(L);
        return;
    }
    if (!one)
        lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        switch (v->type) {
        case ROBO_SF_BOOL: lua_pushboolean(L, v->integer[i]); break;
        case ROBO_SF_INT32:
        case ROBO_MF_INT32:
        case ROBO_SF_IMAGE: lua_pushinteger(L, v->integer[i]); break;
        case ROBO_SF_TIME:
        case ROBO_MF_TIME: lua_pushnumber(L, v->time[i]); break;
        case ROBO_SF_STRING:
        case ROBO_MF_STRING:
            lua_pushstring(L, takes(g, strlen(v->string[i])) ? v->string[i] : "");
            break;
        case ROBO_SF_NODE:
        case ROBO_MF_NODE:
            if (v->node[i])
                push_node(g, v->node[i]);
            else
                lua_pushboolean(L, false);
            break;
        default: lua_pushnumber(L, (lua_Number)v->number[i]);
        }
        if (!one)
            lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void set_value(struct giving *g, const char *name, const struct robo_scene_value *v)
{
    push_value(g, v);
    lua_setfield(g->L, -2, name);
}

static void push_nodes(struct giving *g, struct robo_scene_node *const *node, uint32_t count)
{
    push_value(g, &(struct robo_scene_value){ ROBO_MF_NODE, count, { .node = node } });
}

static void push_declarations(struct giving *g, const struct robo_scene_declaration *d,
                              uint32_t count)
{
    lua_State *L = g->L;
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++, d++) {
        lua_createtable(L, 0, 4);
        set_text(L, "name", d->name);
        set_text(L, "access", accesses[d->access]);
        set_text(L, "type", robo_scene_type_name(d->value.type));
        if (d->access <= ROBO_SCENE_EXPOSED)
            set_value(g, "value", &d->value);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* The metatable of the fields of nodes of a kind, which finds the defaults. */
static void push_defaults(struct giving *g, const struct robo_scene_kind *kind)
{
    lua_State *L = g->L;
    if (lua_rawgetp(L, g->kinds, kind) != LUA_TNIL)
        return;
    lua_pop(L, 1);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, g->kinds, kind);
    lua_createtable(L, 0, (int)kind->declarations);
    for (uint32_t i = 0; i < kind->declarations; i++)
        if (kind->declaration[i].access <= ROBO_SCENE_EXPOSED && kind->origin != ROBO_SCENE_EXTERN)
            set_value(g, kind->declaration[i].name, &kind->declaration[i].value);
    lua_setfield(L, -2, "__index");
}

static void push_routes(struct giving *g, const struct robo_scene_route *route, uint32_t count)
{
    lua_State *L = g->L;
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++, route++) {
        lua_createtable(L, 0, 4);
        push_node(g, route->from);
        lua_setfield(L, -2, "from");
        push_node(g, route->to);
        lua_setfield(L, -2, "to");
        set_text(L, "event", route->event_out);
        set_text(L, "to_event", route->event_in);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_node(struct giving *g, const struct robo_scene_node *node)
{
    lua_State *L = g->L;
    luaL_checkstack(L, 12, "a scene that nests too deep");
    if (lua_rawgetp(L, g->nodes, node) != LUA_TNIL)
        return;
    lua_pop(L, 1);
    /* deep by Scripts alone: elsewhere the reader allows no more */
    if (g->depth == DEEPEST || !takes(g, NODE + (size_t)node->fields * FIELD)) {
        lua_pushboolean(L, false);
        return;
    }
    g->depth++;
    lua_createtable(L, 0, 8);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, g->nodes, node);
    set_text(L, "type", node->kind->name);
    set_text(L, "origin", origins[node->kind->origin]);
    if (node->name)
        set_text(L, "name", node->name);
    set_integer(L, "line", node->line);
    set_integer(L, "column", node->column);
    lua_createtable(L, (int)node->fields, 0);
    lua_createtable(L, 0, (int)node->fields);
    for (uint32_t i = 0; i < node->fields; i++) {
        lua_pushstring(L, node->field[i].name);
        lua_rawseti(L, -3, (lua_Integer)i + 1);
        set_value(g, node->field[i].name, &node->field[i].value);
    }
    push_defaults(g, node->kind);
    lua_setmetatable(L, -2);
    lua_setfield(L, -3, "fields");
    lua_setfield(L, -2, "order");
    if (node->declarations > 0) {
        push_declarations(g, node->declaration, node->declarations);
        lua_setfield(L, -2, "declared");
    }
    if (node->bodies > 0) {
        push_nodes(g, node->body, node->bodies);
        lua_setfield(L, -2, "body");
    }
    if (node->routes > 0) {
        push_routes(g, node->route, node->routes);
        lua_setfield(L, -2, "routes");
    }
    g->depth--;
}

static void push_protos(struct giving *g, const struct robo_scene_part *whole)
{
    lua_State *L = g->L;
    lua_createtable(L, (int)whole->kinds, 0);
    for (uint32_t i = 0; i < whole->kinds; i++) {
        const struct robo_scene_kind *kind = whole->kind[i];
        lua_createtable(L, 0, 6);
        set_text(L, "name", kind->name);
        set_integer(L, "line", kind->line);
        set_integer(L, "column", kind->column);
        if (kind->origin == ROBO_SCENE_EXTERN) {
            set_flag(L, "external", true);
            set_value(g, "url", &kind->url);
        }
        push_declarations(g, kind->declaration, kind->declarations);
        lua_setfield(L, -2, "fields");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* To the scene's table, which is at the top. */
static void set_problems(lua_State *L, const robo_scene *scene)
{
    static const char *const lists[] = { "errors", "warnings", "notes" };
    const struct robo_scene_problem *p;
    const uint32_t count = robo_scene_problems(scene, &p);
    for (int k = 0; k < 3; k++) {
        lua_Integer n = 0;
        lua_newtable(L);
        for (uint32_t i = 0; i < count; i++) {
            if (p[i].severity != (enum robo_scene_severity)k)
                continue;
            lua_createtable(L, 0, 3);
            set_integer(L, "line", p[i].line);
            set_integer(L, "column", p[i].column);
            set_text(L, "message", p[i].what);
            lua_rawseti(L, -2, ++n);
        }
        lua_setfield(L, -2, lists[k]);
    }
}

/* core.vrml_read(text): the scene of a file, of which parts that are wrong are left out; nil, message when it is too large. */
static int l_vrml_read(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    int error;
    lua_settop(L, 1);
    robo_scene **scene = new_scene(L);
    *scene = robo_scene_read(text, size, &error);
    if (!*scene)
        return luaL_error(L, "not enough memory");
    const struct robo_scene_part *whole = robo_scene_whole(*scene);
    lua_newtable(L);
    lua_newtable(L);
    struct giving g = { .L = L, .nodes = 3, .kinds = 4 };
    lua_createtable(L, 0, 8);
    push_nodes(&g, whole->node, whole->nodes);
    lua_setfield(L, -2, "nodes");
    push_protos(&g, whole);
    lua_setfield(L, -2, "protos");
    push_routes(&g, whole->route, whole->routes);
    lua_setfield(L, -2, "routes");
    set_problems(L, *scene);
    const char *protos = whole->kinds ? robo_scene_kinds_text(*scene, &size, &error) : "";
    if (protos)
        set_text(L, "proto_text", protos);
    robo_scene_close(*scene); /* a large one is not left to the collector */
    *scene = NULL;
    if (g.taken > MOST) {
        lua_pushnil(L);
        lua_pushfstring(L, "its nodes take more than %d MiB of memory", MOST >> 20);
        return 2;
    }
    return 1;
}

/* core.vrml_kinds(): the node types that need no declaration, { { name =, origin =, fields = { declaration, … } }, … }. */
static int l_vrml_kinds(lua_State *L)
{
    lua_settop(L, 0);
    lua_newtable(L);
    lua_newtable(L);
    struct giving g = { .L = L, .nodes = 1, .kinds = 2 };
    const struct robo_scene_kind *kind;
    lua_newtable(L);
    for (unsigned i = 0; (kind = robo_scene_kind_at(i)); i++) {
        lua_createtable(L, 0, 3);
        set_text(L, "name", kind->name);
        set_text(L, "origin", origins[kind->origin]);
        push_declarations(&g, kind->declaration, kind->declarations);
        lua_setfield(L, -2, "fields");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

void open_vrml(lua_State *L)
{
    luaL_newmetatable(L, SCENE);
    set_function(L, "__gc", collect_scene);
    lua_pop(L, 1);
    set_function(L, "vrml_read", l_vrml_read);
    set_function(L, "vrml_kinds", l_vrml_kinds);
    set_function(L, "vrml_write", l_vrml_write);
}
