/* Tokens, keys and the user's own files in Lua. */
#include <sys/stat.h>
#include <unistd.h>

#include "runtime.h"
#include "robotalk/access.h"

/* core.config_path(name): a path of the user's own files; nil: there is no home. */
static int l_config_path(lua_State *L)
{
    char path[256];
    if (robo_config_path(luaL_checkstring(L, 1), path) < 0)
        return 0;
    lua_pushstring(L, path);
    return 1;
}

/* core.token_of(file): the token in it; nil, message, code. */
static int l_token_of(lua_State *L)
{
    char token[ROBO_TOKEN_SIZE], why[256];
    int error = robo_token_read(luaL_checkstring(L, 1), token, why);
    if (error < 0)
        return push_failure(L, error, why);
    lua_pushstring(L, token);
    return 1;
}

/* core.make_token(): a new token and its hash; nil, message, code. */
static int l_make_token(lua_State *L)
{
    char token[ROBO_TOKEN_SIZE], hash[ROBO_HASH_TEXT], why[256];
    int error = robo_token_make(token, hash, why);
    if (error < 0)
        return push_failure(L, error, why);
    lua_pushstring(L, token);
    lua_pushstring(L, hash);
    return 2;
}

/* core.make_key(name, hosts or nil, cert, key[, days, signs, signer_cert, signer_key]): the hash of the key in two new files; nil, message, code. */
static int l_make_key(lua_State *L)
{
    const struct robo_key_options options = { .size = sizeof options,
                                              .name = luaL_checkstring(L, 1),
                                              .hosts = luaL_optstring(L, 2, NULL),
                                              .cert = luaL_checkstring(L, 3),
                                              .key = luaL_checkstring(L, 4),
                                              .days = (int)luaL_optinteger(L, 5, 0),
                                              .signs = lua_toboolean(L, 6),
                                              .signer_cert = luaL_optstring(L, 7, NULL),
                                              .signer_key = luaL_optstring(L, 8, NULL) };
    char hash[ROBO_HASH_TEXT], why[256];
    int error = robo_key_make(&options, hash, why);
    if (error < 0)
        return push_failure(L, error, why);
    lua_pushstring(L, hash);
    return 1;
}

/* core.key_hash(cert): the hash of its key; nil, message, code. */
static int l_key_hash(lua_State *L)
{
    char hash[ROBO_HASH_TEXT], why[256];
    int error = robo_key_hash(luaL_checkstring(L, 1), hash, why);
    if (error < 0)
        return push_failure(L, error, why);
    lua_pushstring(L, hash);
    return 1;
}

/* core.sign_text(text, cert, key, file): writes it with its signature to a new file: true; nil, message, code. */
static int l_sign_text(lua_State *L)
{
    char why[256];
    int error = robo_text_sign(luaL_checkstring(L, 1), luaL_checkstring(L, 2),
                               luaL_checkstring(L, 3), luaL_checkstring(L, 4), why);
    if (error < 0)
        return push_failure(L, error, why);
    lua_pushboolean(L, true);
    return 1;
}

/* core.file_access(path): the bits of its mode, and whether it is this user's, or root's; nothing: there is no such file. */
static int l_file_access(lua_State *L)
{
    struct stat st;
    if (stat(luaL_checkstring(L, 1), &st) < 0)
        return 0;
    lua_pushinteger(L, st.st_mode & 07777);
    lua_pushboolean(L, st.st_uid == geteuid() || st.st_uid == 0);
    return 2;
}

/* core.make_private(path): only its owner may read that file from now on: true; nil, message. */
static int l_make_private(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    return luaL_fileresult(L, chmod(path, 0600) == 0, path);
}

void open_secrets(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "config_path", l_config_path },
        { "token_of", l_token_of },
        { "make_token", l_make_token },
        { "make_key", l_make_key },
        { "key_hash", l_key_hash },
        { "file_access", l_file_access },
        { "make_private", l_make_private },
        { "sign_text", l_sign_text },
        { NULL, NULL },
    };
    luaL_setfuncs(L, functions, 0);
}
