#!/bin/bash
# Translators by real sockets: robotalk serve gives them to clients of RCTP; curl gets one, and a script of another program fetches
# it, runs it contained and drives the robot by it. A hostile one ends with its line.
. "${BASH_SOURCE%/*}/lib.sh"
command -v curl >/dev/null || skip "there is no curl for the greeting"
cd "$work"
cat >periscope.lua <<'LUA'
return { from = { type = "control", dofs = 1 }, to = { type = "control", dofs = 2 },
  to_standard = function(values) return { values[1], values[1] / 4 } end }
LUA
cat >hostile.lua <<'LUA'
return { to_standard = function(values)
  while true do end
end }
LUA
echo 'return { robots = { "pioneer2" }, translators = { "periscope.lua" } }' >server.lua
printf 'return { from = 3, to_standrd = 1 }' >ugly.lua
fails 1 "$ROBOTALK" check ugly.lua
says "expected a function to_standard or from_standard" out
"$ROBOTALK" check periscope.lua hostile.lua server.lua >checked
[ "$(grep -c good checked)" = 3 ]
"$ROBOTALK" serve server.lua --translator hostile.lua --listen rctp://127.0.0.1:0 --listen "unix:$work/robotalk" 2>log &
server=$!
eventually says "at rctp://127.0.0.1:" log
url=$(grep -o 'rctp://127[0-9.:]*' log)

# the greeting by any client of HTTP
curl -fsS "${url/rctp/http}/" >list
says "^/pioneer2.wrl$" list
says "^/translators/periscope.lua$" list
says "^/translators/wheels.lua$" list
lacks gray list
curl -fsSi "${url/rctp/http}/translators/periscope.lua" >got
says "^Content-Type: text/x-lua" got
curl -fsS "${url/rctp/http}/translators/periscope.lua" | cmp - periscope.lua
[ "$(curl -sS -o none -w '%{http_code}' "${url/rctp/http}/translators/nobody.lua")" = 404 ]
[ "$(curl -sS -o none -w '%{http_code}' -H 'Host: evil.example' "${url/rctp/http}/translators/periscope.lua")" = 421 ]

# a client that drives by them
cat >client.lua <<'LUA'
local rt = require "robotalk"
local translator = require "robotalk.translator"
local url, where, turn = ...
local texts = assert(translator.fetch(url))
local robot <close> = rt.connect(where)
for _, name in ipairs { "periscope", "hostile" } do
  local device = { name = "knob", type = "control", dofs = name == "hostile" and 2 or 1, translator = name, object = "head" }
  local pair = assert(translator.pair({ device }, translator.objects(robot), texts).pairs[1])
  local knob <close> = assert(translator.join(pair, robot, texts))
  print(name, knob:put(name == "hostile" and { 1, 1 } or { tonumber(turn) }))
end
local head
repeat -- over RCTP the state is told some times a second
  head = robot:state().joints.head
until math.abs(head.pan - turn) < 4e-4 and math.abs(head.tilt - turn / 4) < 4e-4 or rt.sleep(0.05)
print(("%.3f %.3f"):format(head.pan, head.tilt))
LUA
"$ROBOTALK" run client.lua "$url" "unix:$work/robotalk#pioneer2" 0.2 >out
says "^periscope	SUCCESS" out
says "^hostile	nil	translator hostile: hostile.lua:2: it computes too long	EFAILED" out
says "^0.200 0.050$" out
# and all of it by RCTP alone: the greeting gives the body and the translators, the session takes the commands
"$ROBOTALK" run client.lua "$url" "$url/pioneer2" 0.4 >out
says "^periscope	SUCCESS" out
says "^hostile	nil	translator hostile: hostile.lua:2: it computes too long	EFAILED" out
says "^0.400 0.100$" out

# one that a descriptor names and that stands beside it: it is given without more, and found by what the device's dofs mean
mkdir robots
cat >robots/mast.lua <<'LUA'
return { name = "mast", joints = { { name = "top", translator = "lever",
  dofs = { { name = "pan" }, { name = "tilt", axis = { 0, -1, 0 } } } } } }
LUA
cat >robots/lever.lua <<'LUA'
return { from = { type = "control", dofs = { { name = "lever", unit = "rad" } } }, to = { type = "control", dofs = { "pan", "tilt" } },
  to_standard = function(values) return { values[1], values[1] / 2 } end }
LUA
"$ROBOTALK" check robots/mast.lua
sed 's/lever/leaver/' robots/mast.lua >robots/wrong.lua
fails 1 "$ROBOTALK" check robots/wrong.lua
says "wrong.lua:1: joints.1..translator: there is no translator 'leaver' that comes along, and no leaver.lua beside this file"
"$ROBOTALK" serve robots/mast.lua --listen rctp://127.0.0.1:0 --listen "unix:$work/mast" 2>mast.log &
mast=$!
eventually says "at rctp://127.0.0.1:" mast.log
at=$(grep -o 'rctp://127[0-9.:]*' mast.log)
curl -fsS "${at/rctp/http}/mast.wrl" >mast.wrl
says 'translator "lever"' mast.wrl
curl -fsS "${at/rctp/http}/translators/lever.lua" | cmp - robots/lever.lua
cat >lever.lua <<'LUA'
local rt = require "robotalk"
local translator = require "robotalk.translator"
local url, where = ...
local texts = assert(translator.fetch(url))
local robot <close> = rt.connect(where)
local device = { name = "knob", type = "control", dofs = { { name = "lever", unit = "rad" } } }
local pair = assert(translator.pair({ device }, translator.objects(robot), texts).pairs[1])
local knob <close> = assert(translator.join(pair, robot, texts))
print(pair.object.name, pair.translator, knob:put { 0.4 })
print(("%.3f %.3f"):format(robot:state().joints.top.pan, robot:state().joints.top.tilt))
LUA
"$ROBOTALK" run lever.lua "$at" "unix:$work/mast#mast" >out
says "^top	lever	SUCCESS" out
says "^0.400 0.200$" out
kill "$mast"
ends_with 143 "$mast"
cp robots/lever.lua lever.kept
echo 'return { to_standard = 5 }' >robots/lever.lua
fails 1 "$ROBOTALK" check robots/mast.lua
says "mast.lua:1: joints.1..translator: .*lever.lua:1: to_standard: expected a function, got number"
mv lever.kept robots/lever.lua
mkdir others
sed 's/"mast"/"boom"/' robots/mast.lua >others/boom.lua
cp robots/lever.lua others/
fails 1 "$ROBOTALK" serve robots/mast.lua others/boom.lua --listen "unix:$work/both"
says "joints.1..translator: translator 'lever' is the file .*robots/lever.lua of another robot"
echo 'return { robots = { "robots/wrong.lua" } }' >missing.lua
fails 1 "$ROBOTALK" check missing.lua
cp robots/lever.lua leaver.lua
echo 'return { robots = { "robots/wrong.lua" }, translators = { "leaver.lua" } }' >there.lua
"$ROBOTALK" check there.lua

# what cannot be given is refused at the start
echo 'return { to_standard = 5 }' >none.lua
if "$ROBOTALK" serve pioneer2 --translator none.lua --listen "unix:$work/other" 2>refused; then exit 1; fi
says "none.lua:1: to_standard: expected a function, got number" refused
# one that is wrong in several ways says so at once; one that computes without end holds up no start
printf 'return {\n  from = 5,\n  to = { type = "smell" },\n}\n' >several.lua
fails 1 "$ROBOTALK" check several.lua
says '^several.lua:1: expected a function to_standard or from_standard$'
says '^several.lua:2: from: expected a table, got number$'
says '^several.lua:3: to.type: expected control, video, audio, text or binary, got smell$'
printf 'local n = 0\nwhile true do n = n + 1 end\nreturn { to_standard = function(v) return v end }\n' >endless.lua
fails 1 timeout -s KILL "${ROBOTALK_PATIENCE:-300}" "$ROBOTALK" serve pioneer2 --translator endless.lua --listen "unix:$work/other"
says 'endless.lua:2: it computes too long'
printf '\nlocal rt = require "robotalk"\nreturn { to_standard = function(v) return v end }\n' >needy.lua
fails 1 "$ROBOTALK" serve pioneer2 --translator needy.lua --listen "unix:$work/other"
says 'needy.lua:2: it requires other modules: a client could not run it'
end_server
