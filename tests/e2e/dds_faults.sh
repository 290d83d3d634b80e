#!/bin/bash
# Faults in a domain of DDS: an operator that is stopped, two robots of one name, samples that are none of ours, topics with other types. A server and
# its other operators go on.
. "${BASH_SOURCE%/*}/lib.sh"
domain=$(($$ % 200 + 20)) long=${ROBOTALK_PATIENCE:-300}
cd "$work"
sed "s/deadman = 0.5/deadman = $long/" "$here/scripts/robots/pioneer2.lua" >pioneer2.lua
"$ROBOTALK" serve pioneer2.lua --listen "dds://$domain/site" 2>server &
server=$!
cat >drives.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1] .. "/pioneer2", { expiry = false })
local n = 0
while not arg[2] or n < tonumber(arg[2]) do
  n = n + 1
  print(robot:set_joint("head", { pan = 0.1 * (n % 2) }))
end
LUA
eventually says "listening" server

# an operator that asks for much and reads nothing: it holds up nobody
cat >asks.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1] .. "/pioneer2", { expiry = false })
print "asks"
io.flush()
for _ = 1, 100 do rt.spawn(function() while true do robot:holders() end end) end
rt.sleep(1e6)
LUA
"$ROBOTALK" run asks.lua "dds://$domain/site" >asks 2>asked &
asks=$!
eventually says asks asks
kill -STOP "$asks"
"$ROBOTALK" run drives.lua "dds://$domain/site" 3 >out
[ "$(grep -c SUCCESS out)" = 3 ]

# bytes that are no samples of ours, to the topics of all servers, and to the server's own
cat >hostile.lua <<'LUA'
local core, rt = require "robotalk.core", require "robotalk"
local samples = require "robotalk.fleet.samples"
local fleet <close> = assert(rt.fleet(arg[1]))
fleet:await(1, tonumber(arg[2]))
math.randomseed(1)
local function bytes(n)
  local list = {}
  for i = 1, n do list[i] = string.char(math.random(0, 255)) end
  return table.concat(list)
end
local server
local robots <close> = samples.listen(arg[1], samples.form("robots", "Robot", true), "Robot", function(_, _, m) server = m and m.server or server end)
while not server do rt.sleep(0.05) end
local hex = server:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
for _, name in ipairs { "robots", "states", "leases", "standbys", "up", "odd" } do
  local form = samples.form(name, ({ robots = "Robot", states = "States", leases = "Leases", standbys = "Panic", up = "Bytes" })[name] or "Odd",
    name == "robots" or name == "leases")
  if name == "up" then form.partition, form.reliable, form.depth = hex, true, nil end
  local topic <close> = assert(samples.open(arg[1], form, "write"))
  local late = core.uptime() + 5
  while name ~= "odd" and topic:readers() == 0 and core.uptime() < late do rt.sleep(0.05) end
  for i = 1, 500 do
    local length = math.random(20, 200)
    topic:put(i % 2 == 0 and bytes(length) or "\0\1\0\0" .. bytes(length))
  end
  -- a channel that is opened, and whose bytes are no RoboTalk
  if name == "up" then topic:put("\0\1\0\0" .. bytes(16) .. ("\0"):rep(4) .. "\1\0\0\0" .. "\20\0\0\0" .. bytes(20)) end
  rt.sleep(0.2)
end
local wrong <close> = assert(samples.open(arg[1], samples.form("states", "Robot", false), "write"))
wrong:put("\0\1\0\0" .. bytes(60))
print(#fleet:robots { name = "pioneer2" })
LUA
"$ROBOTALK" run hostile.lua "dds://$domain/site" "$long" >out 2>said
says '^1$'
"$ROBOTALK" run drives.lua "dds://$domain/site" 3 >out
[ "$(grep -c SUCCESS out)" = 3 ]

# two robots of one name: each is listed, and none is connected to by it
"$ROBOTALK" serve pioneer2.lua --listen "dds://$domain/site" 2>other &
other=$!
cat >twice.lua <<'LUA'
local rt = require "robotalk"
local fleet <close> = assert(rt.fleet(arg[1]))
local list = assert(fleet:await(2, tonumber(arg[2])))
print(#list, list[1].duplicate, list[2].duplicate)
print(fleet:connect "pioneer2")
print("panic", fleet:panic(nil, tonumber(arg[2])))
LUA
"$ROBOTALK" run twice.lua "dds://$domain/site" "$long" >out
says '^2	true	true$'
says '2 robots are called pioneer2'
says '^panic	true	2$'

kill -CONT "$asks"
kill -KILL "$asks" "$other"
end_server
