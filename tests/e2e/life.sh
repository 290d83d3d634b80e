#!/bin/bash
# A script closes its robot while a remote session is open, and ends: with status 0, five times of five.
. "${BASH_SOURCE%/*}/lib.sh"
cat >"$work/server.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect("pioneer2")
local server = assert(rt.serve { listen = { "unix:" .. arg[1] } })
while not io.open(arg[1] .. ".session") do rt.sleep(0.01) end
LUA
cat >"$work/client.lua" <<'LUA'
local rt = require "robotalk"
local far
repeat rt.sleep(0.01) far = rt.try_connect("unix:" .. arg[1]) until far
far:stop()
io.open(arg[1] .. ".session", "w"):close()
rt.sleep(1e6)
LUA
for n in 1 2 3 4 5; do
    "$ROBOTALK" run "$work/client.lua" "$work/$n" &
    "$ROBOTALK" run "$work/server.lua" "$work/$n"
    kill $!
    ends_with 143 $!
done
