/* Scenes from tables of Lua, as bindings/lua/vrml.c makes them, and their text. A fault of a table is raised with its path:
 * nodes[1].children[2].size. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vrml.h"

/* Where one is in the tables. */
struct step {
    const struct step *up;
    const char *field;  /* NULL: it is the number alone */
    lua_Integer number; /* 0: none */
};

struct taking {
    lua_State *L;
    robo_scene *scene;
    int nodes; /* stack index: nodes by their tables, as light userdata */
    unsigned depth;
};

static int path_of(const struct step *step, char *out, size_t size)
{
    if (!step || size < 80) {
        out[0] = 0;
        return 0;
    }
    int n = path_of(step->up, out, size - 80);
    if (step->field)
        n += snprintf(out + n, 60, "%s%.50s", n ? "." : "", step->field);
    if (step->number)
        n += snprintf(out + n, 20, "[%lld]", (long long)step->number % 1000000000);
    return n;
}

static _Noreturn void refuse(const struct taking *t, const struct step *step, const char *what)
{
    char path[1200];
    path_of(step, path, sizeof path);
    luaL_error(t->L, "%s: %s", path, what);
    abort();
}

static void check_status(const struct taking *t, const struct step *step, int error)
{
    if (error == ROBO_ENOMEM)
        luaL_error(t->L, "not enough memory");
    if (error < 0)
        refuse(t, step, "what is no value of its type, or longer than a file may have it");
}

static struct robo_scene_node *take_node(struct taking *t, const struct step *step);

/* One element at the top of the stack, which it pops, into the list. */
static void take_element(struct taking *t, const struct step *step,
                         const struct robo_scene_value *v, void *list, size_t i)
{
    lua_State *L = t->L;
    int is = 1;
    lua_Integer n = 0;
    switch (v->type) {
    case ROBO_SF_BOOL:
        if (!lua_isboolean(L, -1))
            refuse(t, step, "expected a boolean");
        ((int32_t *)list)[i] = lua_toboolean(L, -1);
        break;
    case ROBO_SF_INT32:
    case ROBO_MF_INT32:
    case ROBO_SF_IMAGE:
        n = lua_tointegerx(L, -1, &is);
        if (!is || n < INT32_MIN || n > UINT32_MAX)
            refuse(t, step, "expected an integer of 32 bits");
        ((int32_t *)list)[i] = (int32_t)(uint32_t)n;
        break;
    case ROBO_SF_STRING:
    case ROBO_MF_STRING:
        if (lua_type(L, -1) != LUA_TSTRING || strlen(lua_tostring(L, -1)) != lua_rawlen(L, -1))
            refuse(t, step, "expected a string, without zeros");
        ((const char **)list)[i] = lua_tostring(L, -1); /* the table keeps it */
        break;
    case ROBO_SF_NODE:
    case ROBO_MF_NODE: ((struct robo_scene_node **)list)[i] = take_node(t, step); break;
    case ROBO_SF_TIME:
    case ROBO_MF_TIME:
        ((double *)list)[i] = lua_tonumberx(L, -1, &is);
        if (!is)
            refuse(t, step, "expected a number");
        break;
    default:
        ((float *)list)[i] = (float)lua_tonumberx(L, -1, &is);
        if (!is)
            refuse(t, step, "expected a number");
    }
    lua_pop(L, 1);
}

/* The value at the top of the stack. Its elements are in a userdatum that takes its place. */
static void take_value(struct taking *t, const struct step *step, struct robo_scene_value *v)
{
    lua_State *L = t->L;
    const unsigned width = robo_scene_type_width(v->type);
    const bool many = v->type >= ROBO_MF_COLOR;
    const bool node = v->type == ROBO_SF_NODE;
    size_t n = 1;
    const bool list =
        lua_istable(L, -1) && !node && (many || width > 1 || v->type == ROBO_SF_IMAGE);
    if (list)
        n = lua_rawlen(L, -1);
    else if (width > 1 || v->type == ROBO_MF_NODE || v->type == ROBO_SF_IMAGE)
        refuse(t, step, "expected a list");
    if (list && (n % width != 0 || n > INT_MAX))
        refuse(t, step,
               width > 1 ? "expected as many numbers as its type has, or a multiple"
                         : "a list that is too long");
    /* of 8 bytes each, which is enough for all types */
    void *elements = lua_newuserdatauv(L, n * sizeof(double) + 1, 0);
    lua_insert(L, -2);
    for (size_t i = 0; i < n; i++) {
        struct step here = { step, NULL, (lua_Integer)i + 1 };
        if (list)
            lua_rawgeti(L, -1, (lua_Integer)i + 1);
        else
            lua_pushvalue(L, -1);
        take_element(t, list ? &here : step, v, elements, i);
    }
    lua_pop(L, 1);
    v->count = (uint32_t)(many ? n / width : v->type == ROBO_SF_IMAGE ? n : 1);
    if (list && !many && v->type != ROBO_SF_IMAGE && n != width)
        refuse(t, step, "expected as many numbers as its type has");
    v->number = elements;
}

/* A field of the table of fields at the top of the stack, when it has it; true: it had. */
static bool take_field(struct taking *t, const struct step *step, struct robo_scene_node *node,
                       const struct robo_scene_declaration *d)
{
    lua_State *L = t->L;
    const struct step here = { step, d->name, 0 };
    struct robo_scene_value v = { .type = d->value.type };
    lua_pushstring(L, d->name);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    if (d->access > ROBO_SCENE_EXPOSED)
        refuse(t, &here, "an event has no value");
    take_value(t, &here, &v);
    check_status(t, &here, robo_scene_give(t->scene, node, d->name, &v));
    lua_pop(L, 1);
    return true;
}

/* All of them, in the order of the list `order` of the node, where it has one, and that of the node type. The node is at the top
 * of the stack. */
static void take_fields(struct taking *t, const struct step *step, struct robo_scene_node *node)
{
    lua_State *L = t->L;
    if (lua_getfield(L, -1, "fields") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    if (!lua_istable(L, -1))
        refuse(t, step, "fields: expected a table");
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pop(L, 1);
        const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "?";
        const struct step here = { step, name, 0 };
        const struct robo_scene_declaration *d = robo_scene_declared(node->kind, name);
        if (!d || strcmp(d->name, name) != 0) {
            /* a field of a Script's own is among its declarations */
            lua_pushfstring(L, "%s has no such field", node->kind->name);
            refuse(t, &here, lua_tostring(L, -1));
        }
    }
    lua_getfield(L, -2, "order");
    lua_insert(L, -2);
    const lua_Integer ordered = lua_istable(L, -2) ? (lua_Integer)lua_rawlen(L, -2) : 0;
    for (lua_Integer i = 1; i <= ordered && i <= ROBO_SCENE_FIELDS; i++) {
        const bool is_name = lua_rawgeti(L, -2, i) == LUA_TSTRING;
        const struct robo_scene_declaration *d =
            is_name ? robo_scene_declared(node->kind, lua_tostring(L, -1)) : NULL;
        lua_pop(L, 1);
        if (d)
            take_field(t, step, node, d);
    }
    const uint32_t given = node->fields;
    for (uint32_t i = 0; i < node->kind->declarations; i++) {
        const struct robo_scene_declaration *d = node->kind->declaration + i;
        bool is_given = false;
        for (uint32_t k = 0; k < given; k++)
            is_given = is_given || node->field[k].name == d->name;
        if (!is_given)
            take_field(t, step, node, d);
    }
    lua_pop(L, 2);
}

static const char *text_field(const struct taking *t, const struct step *step, const char *name,
                              bool needed)
{
    const struct step here = { step, name, 0 };
    lua_getfield(t->L, -1, name);
    if ((needed || !lua_isnil(t->L, -1)) && lua_type(t->L, -1) != LUA_TSTRING)
        refuse(t, &here, "expected a string");
    const char *text = lua_tostring(t->L, -1);
    lua_pop(t->L, 1); /* the table keeps it */
    return text;
}

/* The declarations of a Script, which is at the top of the stack. */
static void take_declared(struct taking *t, const struct step *step, struct robo_scene_node *node)
{
    static const char *const accesses[] = { "field", "exposedField", "eventIn", "eventOut" };
    lua_State *L = t->L;
    if (lua_getfield(L, -1, "declared") != LUA_TTABLE) {
        lua_pop(L, 1);
        return;
    }
    const lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= n; i++) {
        const struct step here = { step, "declared", i };
        struct robo_scene_declaration d = { .access = ROBO_SCENE_FIELD };
        if (lua_rawgeti(L, -1, i) != LUA_TTABLE)
            refuse(t, &here, "expected a table");
        d.name = text_field(t, &here, "name", true);
        const char *access = text_field(t, &here, "access", true);
        const char *type = text_field(t, &here, "type", true);
        while (d.access <= ROBO_SCENE_EVENT_OUT && strcmp(accesses[d.access], access) != 0)
            d.access++;
        while (d.value.type < ROBO_SCENE_TYPES &&
               strcmp(robo_scene_type_name(d.value.type), type) != 0)
            d.value.type++;
        if (d.access > ROBO_SCENE_EVENT_OUT || d.value.type == ROBO_SCENE_TYPES)
            refuse(t, &here, "expected access and type of a field or an event");
        lua_getfield(L, -1, "value");
        if (d.access <= ROBO_SCENE_EXPOSED)
            take_value(t, &here, &d.value);
        check_status(t, &here, robo_scene_declare(t->scene, node, &d));
        lua_pop(L, 2);
    }
    lua_pop(L, 1);
}

/* The node of the table at the top of the stack, which stays; NULL: false. */
static struct robo_scene_node *take_node(struct taking *t, const struct step *step)
{
    lua_State *L = t->L;
    luaL_checkstack(L, 24, "nodes nest too deep");
    if (lua_isboolean(L, -1) && !lua_toboolean(L, -1))
        return NULL;
    if (!lua_istable(L, -1))
        refuse(t, step, "expected a node");
    lua_pushvalue(L, -1);
    if (lua_rawget(L, t->nodes) != LUA_TNIL) {
        struct robo_scene_node *node = lua_touserdata(L, -1);
        lua_pop(L, 1);
        return node;
    }
    lua_pop(L, 1);
    if (t->depth == ROBO_SCENE_DEPTH)
        refuse(t, NULL, "nodes nest too deep");
    t->depth++;
    const char *type = text_field(t, step, "type", true);
    const struct robo_scene_kind *kind = robo_scene_kind_named(t->scene, type);
    const struct step here = { step, "type", 0 }, name = { step, "name", 0 };
    int error;
    if (!kind) {
        lua_pushfstring(L, "there is no node type %s", type);
        refuse(t, &here, lua_tostring(L, -1));
    }
    struct robo_scene_node *node =
        robo_scene_add(t->scene, kind, text_field(t, step, "name", false), &error);
    if (!node && error == ROBO_EINVAL)
        refuse(t, &name, "expected a name as VRML97 has them");
    if (!node)
        luaL_error(L, "not enough memory");
    lua_pushvalue(L, -1);
    lua_pushlightuserdata(L, node);
    lua_rawset(L, t->nodes);
    take_fields(t, step, node);
    take_declared(t, step, node);
    t->depth--;
    return node;
}

static void take_nodes(struct taking *t)
{
    lua_State *L = t->L;
    if (lua_getfield(L, 1, "nodes") != LUA_TTABLE)
        luaL_error(L, "nodes: expected a list");
    const lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= n; i++) {
        const struct step here = { NULL, "nodes", i };
        lua_rawgeti(L, -1, i);
        struct robo_scene_node *node = take_node(t, &here);
        if (!node)
            refuse(t, &here, "expected a node");
        check_status(t, &here, robo_scene_put(t->scene, node));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void take_routes(struct taking *t)
{
    lua_State *L = t->L;
    const bool any = lua_getfield(L, 1, "routes") == LUA_TTABLE;
    const lua_Integer n = any ? (lua_Integer)lua_rawlen(L, -1) : 0;
    for (lua_Integer i = 1; i <= n; i++) {
        const struct step here = { NULL, "routes", i };
        struct robo_scene_route route = { 0 };
        if (lua_rawgeti(L, -1, i) != LUA_TTABLE)
            refuse(t, &here, "expected a table");
        lua_getfield(L, -1, "from");
        route.from = take_node(t, &here);
        lua_getfield(L, -2, "to");
        route.to = take_node(t, &here);
        lua_pop(L, 2);
        route.event_out = text_field(t, &here, "event", true);
        route.event_in = text_field(t, &here, "to_event", true);
        if (!route.from || !route.to)
            refuse(t, &here, "expected two nodes");
        const int error = robo_scene_route_add(t->scene, &route);
        if (error == ROBO_EINVAL)
            refuse(t, &here, "expected events of one type");
        check_status(t, &here, error);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* A scene with the PROTOs that are given as text. */
static void open_scene(lua_State *L, robo_scene **scene)
{
    const struct robo_scene_problem *p;
    if (lua_getfield(L, 1, "proto_text") == LUA_TNIL) {
        *scene = robo_scene_open();
    } else {
        size_t size;
        if (lua_type(L, -1) != LUA_TSTRING)
            luaL_error(L, "proto_text: expected a string");
        lua_pushliteral(L, "#VRML V2.0 utf8\n");
        lua_insert(L, -2);
        lua_concat(L, 2);
        const char *text = lua_tolstring(L, -1, &size);
        *scene = robo_scene_read(text, size, NULL);
    }
    if (!*scene)
        luaL_error(L, "not enough memory");
    if (robo_scene_errors(*scene) > 0) {
        robo_scene_problems(*scene, &p);
        while (p->severity != ROBO_SCENE_ERROR)
            p++;
        luaL_error(L, "proto_text:%d:%d: %s", (int)p->line - 1, (int)p->column, p->what);
    }
    lua_pop(L, 1);
}

/* core.vrml_write(scene): its text. nodes, and if there are routes, proto_text and comment, lines for people. */
int l_vrml_write(lua_State *L)
{
    size_t size;
    int error;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    robo_scene **scene = new_scene(L);
    open_scene(L, scene);
    lua_newtable(L);
    struct taking t = { .L = L, .scene = *scene, .nodes = 3 };
    take_nodes(&t);
    take_routes(&t);
    const char *comment = NULL;
    if (lua_getfield(L, 1, "comment") != LUA_TNIL)
        comment = luaL_checkstring(L, -1);
    const char *text = robo_scene_text(*scene, &size, &error);
    if (!text)
        return luaL_error(L, error == ROBO_ENOMEM ? "not enough memory"
                                                  : "the scene is too long for a file, or a node "
                                                    "stands in itself");
    const size_t first = (size_t)(strchr(text, '\n') + 1 - text);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    luaL_addlstring(&b, text, first);
    while (comment && *comment) {
        const size_t n = strcspn(comment, "\r\n");
        luaL_addstring(&b, "# ");
        luaL_addlstring(&b, comment, n);
        luaL_addchar(&b, '\n');
        comment += n + (comment[n] != 0);
    }
    luaL_addlstring(&b, text + first, size - first);
    luaL_pushresult(&b);
    robo_scene_close(*scene);
    *scene = NULL;
    return 1;
}
