#!/bin/bash
# A script, a configuration and a descriptor find what stands beside them from any folder, and through symbolic links.
. "${BASH_SOURCE%/*}/lib.sh"
program=$(realpath "$ROBOTALK")
mkdir "$work/project" "$work/project/robots" "$work/links" "$work/elsewhere"
cat >"$work/project/main.lua" <<'LUA'
local rt = require "robotalk"
print("util is " .. require "util")
local robot <close> = rt.connect(assert(arg[1]))
print(robot:set_joint("head", 0.2))
print(robot:state().joints.head.head)
LUA
echo 'return "beside main"' >"$work/project/util.lua"
cat >"$work/project/robots/lamp.lua" <<'LUA'
return { name = "lamp", joints = { { name = "head", driver = "bulb", dofs = { {} } } },
  drivers = { bulb = { script = "bulb.lua" } } }
LUA
cat >"$work/project/robots/bulb.lua" <<'LUA'
local gain = require "gain"
return { start = function(self, cmd, done) self:report { position = { gain * cmd.value[1] } } done "success" end,
  open = function() return {} end, halted = function() end }
LUA
echo 'return 2' >"$work/project/robots/gain.lua"
cat >"$work/project/serve.lua" <<'LUA'
return { robots = { "robots/lamp.lua", { name = "second",
  joints = { { name = "head", driver = "bulb", dofs = { {} } } }, drivers = { bulb = { script = "robots/bulb.lua" } } } } }
LUA
ln -s ../project/main.lua ../project/serve.lua ../project/robots/lamp.lua "$work/links/"

for folder in project elsewhere links /; do
    for place in project links; do
        lamp=$work/links/lamp.lua
        (cd "$work/$folder" && "$program" run "$work/$place/main.lua" "$lamp") >"$work/out" 2>&1
        says 'util is beside main'
        says SUCCESS
        says '^0.4'
    done
done

for place in project links; do
    (cd "$work/elsewhere" && exec "$program" serve "../$place/serve.lua" --listen "unix:$work/s.$place") 2>"$work/log" &
    server=$!
    eventually test -S "$work/s.$place"
    for robot in lamp second; do
        "$program" run "$work/project/main.lua" "unix:$work/s.$place#$robot" >"$work/out" 2>&1
        says '^0.4'
    done
    end_server
done

# a module in C, which is found from any folder
if command -v cc >/dev/null && pkg-config --exists lua5.4 && ! grep -qE '__(asan|tsan)_init' "$program"; then
    printf '#include <lua.h>\nint luaopen_part_seven(lua_State *L) { return lua_pushinteger(L, 7), 1; }\n' >"$work/seven.c"
    mkdir "$work/project/part"
    cc -shared -fPIC $(pkg-config --cflags lua5.4) -o "$work/project/part/seven.so" "$work/seven.c"
    echo 'print("it is " .. require "part.seven")' >"$work/project/seven.lua"
    (cd / && "$program" run "$work/project/seven.lua" && "$program" check "$work/project/seven.lua") >"$work/out" 2>&1
    says '^it is 7$'
    (cd "$work/project" && "$program" run seven.lua) >"$work/out" 2>&1
    says '^it is 7$'
fi

cd "$work/elsewhere"
"$program" check ../links/lamp.lua ../links/serve.lua >"$work/out"
[ "$(grep -c good "$work/out")" = 2 ]
rm "$work/project/robots/bulb.lua"
fails 1 "$program" check ../project/robots/lamp.lua
says "lamp.lua:2: drivers.bulb.script: there is no driver 'bulb.lua'"
fails 1 "$program" check --json ../project/robots/lamp.lua
says '"good":false'
fails 1 "$program" check ../project/serve.lua
says "serve.lua:1: robots.1.: .*lamp.lua:2: drivers.bulb.script: there is no driver 'bulb.lua'"
says "serve.lua:2: robots.2..drivers.bulb.script: there is no driver 'robots/bulb.lua'"
