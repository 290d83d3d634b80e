/* Folders of pictures and their senders in Lua: scripts/robotalk/images.lua has the interface for scripts. */
#include <string.h>

#include "robotalk/images.h"
#include "runtime.h"

static const char FOLDER[] = "robotalk.image_folder", SENDER[] = "robotalk.image_sender",
                  LIST[] = "robotalk.image_list";

struct folder {
    struct runtime *rt;
    struct folder *next; /* of the open ones */
    robo_images *images; /* NULL: closed */
};

struct sender {
    struct runtime *rt;
    struct sender *next; /* of the open ones */
    robo_image_sender *sender;
    lua_Integer handle;
};

/* ---- folders ---- */

/* core.image_folder(path, most): a folder that servers keep pictures in; path nil: nowhere. nil, message, code. */
static int l_folder(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL);
    const lua_Integer most = luaL_optinteger(L, 2, 0);
    luaL_argcheck(L, most >= 0, 2, "want bytes");
    need_main(L, "images");
    runtime_need_world(L);
    struct folder *f = lua_newuserdatauv(L, sizeof *f, 0);
    *f = (struct folder){ .rt = runtime_of(L) };
    luaL_setmetatable(L, FOLDER);
    const struct robo_images_options options = { .size = sizeof options,
                                                 .folder = path,
                                                 .most = (uint64_t)most };
    char why[256];
    int error;
    f->images = robo_images_open(f->rt->world, &options, &error, why);
    if (!f->images)
        return push_failure(L, error, why);
    f->next = f->rt->folders;
    f->rt->folders = f;
    return 1;
}

robo_images *check_image_folder(lua_State *L, int arg)
{
    struct folder *f = luaL_checkudata(L, arg, FOLDER);
    luaL_argcheck(L, f->images, arg, "the folder is closed");
    return f->images;
}

static int l_folder_counts(lua_State *L)
{
    struct robo_images_counts counts;
    robo_images_counts(check_image_folder(L, 1), &counts);
    lua_createtable(L, 0, 6);
    set_integer(L, "frames", (lua_Integer)counts.frames);
    set_integer(L, "kept", (lua_Integer)counts.kept);
    set_integer(L, "refused", (lua_Integer)counts.refused);
    set_integer(L, "removed", (lua_Integer)counts.removed);
    set_integer(L, "pictures", (lua_Integer)counts.pictures);
    set_integer(L, "bytes", (lua_Integer)counts.bytes);
    return 1;
}

static void close_folder(struct folder *f)
{
    if (!f->images)
        return;
    robo_images_close(f->images);
    f->images = NULL;
    TAKE_OUT(f->rt->folders, f);
}

/* After the servers that use it. */
static int l_folder_close(lua_State *L)
{
    close_folder(luaL_checkudata(L, 1, FOLDER));
    return 0;
}

/* ---- senders ---- */

static void on_changed(void *owner)
{
    struct sender *s = owner;
    runtime_event(s->rt, EVENT_IMAGES, s->handle, 0);
}

static void close_sender(struct sender *s)
{
    if (!s->sender)
        return;
    robo_image_sender_close(s->sender);
    s->sender = NULL;
    TAKE_OUT(s->rt->senders, s);
}

void close_images(struct runtime *rt)
{
    while (rt->senders)
        close_sender(rt->senders);
    while (rt->folders)
        close_folder(rt->folders);
}

static struct sender *check_sender(lua_State *L)
{
    return luaL_checkudata(L, 1, SENDER);
}

static int closed(lua_State *L)
{
    return push_failure(L, ROBO_ECLOSED, "the sender is closed");
}

/* core.image_sender(url, window, name): a sender; window 0: the newest picture wins, else it is lossless. nil, message, code. */
static int l_sender(lua_State *L)
{
    const char *url = luaL_checkstring(L, 1), *name = luaL_optstring(L, 3, NULL);
    const lua_Integer window = luaL_checkinteger(L, 2);
    luaL_argcheck(L, window >= 0 && window <= ROBO_IMAGE_WINDOW, 2, "want 0 to 64");
    runtime_need_world(L);
    struct runtime *rt = runtime_of(L);
    struct sender *s = lua_newuserdatauv(L, sizeof *s, 0);
    *s = (struct sender){ .rt = rt, .handle = ++rt->last_handle };
    luaL_setmetatable(L, SENDER);
    const struct robo_image_sender_options options = { .size = sizeof options,
                                                       .lossless = window > 0,
                                                       .window = (unsigned)window,
                                                       .name = name,
                                                       .changed = on_changed,
                                                       .owner = s };
    char why[256];
    int error;
    s->sender = robo_image_sender_open(rt->loop, url, &options, &error, why);
    if (!s->sender)
        return push_failure(L, error, why);
    s->next = rt->senders;
    rt->senders = s;
    return 1;
}

/* sender:put(bytes, name): true; false: its window is full; nil, message, code. */
static int l_put(lua_State *L)
{
    struct sender *s = check_sender(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n), *name = luaL_optstring(L, 3, NULL);
    if (!s->sender)
        return closed(L);
    const int error = robo_image_sender_put(s->sender, bytes, n, name);
    if (error < 0 && error != ROBO_EFULL)
        return push_failure(L, error,
                            error == ROBO_EINVAL  ? "a source's name has 1 to 79 letters, no blanks"
                            : error == ROBO_ESIZE ? "a picture has 1 byte to 16 MiB"
                                                  : NULL);
    lua_pushboolean(L, error == 0);
    return 1;
}

static int l_look(lua_State *L)
{
    struct sender *s = check_sender(L);
    struct robo_image_sender_state state;
    if (!s->sender)
        return closed(L);
    robo_image_sender_look(s->sender, &state);
    lua_createtable(L, 0, 12);
    set_time(L, "moved", state.moved);
    set_flag(L, "up", state.up);
    set_integer(L, "given", (lua_Integer)state.given);
    set_integer(L, "sent", (lua_Integer)state.sent);
    set_integer(L, "kept", (lua_Integer)state.kept);
    set_integer(L, "refused", (lua_Integer)state.refused);
    set_integer(L, "skipped", (lua_Integer)state.skipped);
    set_integer(L, "links", (lua_Integer)state.links);
    set_integer(L, "waiting", state.waiting);
    if (state.error == 0)
        return 1;
    push_failure(L, state.error, state.why); /* nil, message, code */
    lua_remove(L, -3);
    return 3;
}

static int l_handle(lua_State *L)
{
    lua_pushinteger(L, check_sender(L)->handle);
    return 1;
}

static int l_sender_close(lua_State *L)
{
    struct sender *s = check_sender(L);
    if (s->sender)
        on_changed(s); /* the task that waits for it goes on */
    close_sender(s);
    return 0;
}

static int l_sender_gc(lua_State *L)
{
    close_sender(check_sender(L));
    return 0;
}

/* ---- what a folder has ---- */

struct list {
    robo_image_list *list; /* NULL: freed */
};

/* core.image_list(path): the pictures of a folder; nil, message, code. */
static int l_list(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    char why[256];
    int error;
    struct list *l = lua_newuserdatauv(L, sizeof *l, 0);
    l->list = NULL;
    luaL_setmetatable(L, LIST);
    l->list = robo_image_list_open(path, &error, why);
    return l->list ? 1 : push_failure(L, error, why);
}

static const robo_image_list *check_list(lua_State *L)
{
    const struct list *l = luaL_checkudata(L, 1, LIST);
    luaL_argcheck(L, l->list, 1, "the list is gone");
    return l->list;
}

static int l_list_count(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)robo_image_list_count(check_list(L)));
    return 1;
}

static int push_entry(lua_State *L, const struct robo_image_entry *e)
{
    lua_pushinteger(L, (lua_Integer)e->number);
    lua_pushinteger(L, e->time);
    lua_pushinteger(L, e->size);
    lua_pushstring(L, e->source);
    return 4;
}

/* list:entry(place): number, time in us of the epoch, size, source, of the place from 1; nothing: there are fewer. */
static int l_list_entry(lua_State *L)
{
    const robo_image_list *list = check_list(L);
    const lua_Integer place = luaL_checkinteger(L, 2);
    const struct robo_image_entry *e =
        place < 1 ? NULL : robo_image_list_at(list, (size_t)place - 1);
    return e ? push_entry(L, e) : 0;
}

/* core.image_find(path, time, number, step, source): the entry of the picture that is so many steps on from that number, or from the
 * newest of that time or before, in us; number 0: by the time; time, source nil: any. nil, message, code. */
static int l_find(lua_State *L)
{
    const struct robo_image_question question = { .size = sizeof question,
                                                  .time = luaL_optinteger(L, 2, INT64_MAX),
                                                  .number = (uint64_t)luaL_optinteger(L, 3, 0),
                                                  .step = luaL_optinteger(L, 4, 0),
                                                  .source = luaL_optstring(L, 5, NULL) };
    struct robo_image_entry entry;
    char why[256];
    const int error = robo_image_find(luaL_checkstring(L, 1), &question, &entry, why);
    return error < 0 ? push_failure(L, error, why) : push_entry(L, &entry);
}

static int l_list_gc(lua_State *L)
{
    struct list *l = luaL_checkudata(L, 1, LIST);
    robo_image_list_close(l->list);
    l->list = NULL;
    return 0;
}

void open_images(lua_State *L)
{
    static const luaL_Reg folders[] = {
        { "counts", l_folder_counts },
        { "close", l_folder_close },
        { "__gc", l_folder_close },
        { "__close", l_folder_close },
        { NULL, NULL },
    };
    static const luaL_Reg senders[] = {
        { "put", l_put },        { "look", l_look },
        { "handle", l_handle },  { "close", l_sender_close },
        { "__gc", l_sender_gc }, { "__close", l_sender_close },
        { NULL, NULL },
    };
    static const luaL_Reg lists[] = {
        { "count", l_list_count },
        { "entry", l_list_entry },
        { "__gc", l_list_gc },
        { NULL, NULL },
    };
    define_type(L, FOLDER, folders);
    define_type(L, SENDER, senders);
    define_type(L, LIST, lists);
    set_function(L, "image_list", l_list);
    set_function(L, "image_find", l_find);
    set_function(L, "image_folder", l_folder);
    set_function(L, "image_sender", l_sender);
}
