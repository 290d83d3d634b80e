#!/bin/bash
# A driver that blocks has who calls it wait, and nobody else: scripts of a server are given up, cut off and told to end meanwhile.
. "${BASH_SOURCE%/*}/lib.sh"

plugin=$(dirname "$(realpath "$ROBOTALK")")/tests/plugins/blocks.so
socket=$work/socket.s
mkfifo "$work/until.pipe"
cat >"$work/cart.lua" <<LUA
return { name = "cart", base = { driver = "cart" }, commands = { "stop", "set_speed" },
  drivers = { cart = { driver = "$plugin", pipe = "$work/until.pipe" } } }
LUA
# what moves the cart waits in its driver
cat >"$work/blocks.lua" <<'LUA'
local rt = require "robotalk"
local cart <close> = rt.connect "cart"
while not io.open(arg[1]) do rt.sleep(0.05) end
cart:set_speed { x = 0.1 }
LUA
# this one is given up, while it has a session with the cart; it does not wait for it, since it computes by then
cat >"$work/pattern.lua" <<'LUA'
local rt = require "robotalk"
local cart <close> = rt.connect "cart"
print "computes"
return (("a"):rep(40):find(("a*"):rep(30) .. "b"))
LUA
# a task of this one is cut off after that
cat >"$work/spins.lua" <<'LUA'
local rt = require "robotalk"
while not io.open(arg[1]) do rt.sleep(0.05) end
rt.spawn(function() while true do os.time() end end) -- calls, in which a sanitizer lets signals pass
rt.sleep(0.01)
print "goes on"
LUA
cat >"$work/config.lua" <<LUA
return { listen = { "unix:$socket" }, robots = { "pioneer2", "$work/cart.lua" },
  scripts = { { file = "blocks.lua", args = { "$work/a.go" } }, { file = "pattern.lua", seconds = 2 },
    { file = "spins.lua", args = { "$work/b.go" }, seconds = 0.2 } } }
LUA
"$ROBOTALK" serve "$work/config.lua" >"$work/out" 2>&1 &
server=$!
eventually says 'pattern: computes'
touch "$work/a.go"
exec 3>"$work/until.pipe" # returns when the driver has opened its end, and so is in a call
eventually says 'script pattern: .*it computes within a function that cannot be interrupted'
touch "$work/b.go"
eventually says 'spins: goes on'
if holds_signals_back; then # from a thread that waits for a mutex
    lacks 'WARNING: ThreadSanitizer'
    exit
fi
# the main script gives up the one that does not end, and ends the program
kill -TERM $server
got=0
wait $server || got=$?
[ $got = 3 ]
exec 3>&-
