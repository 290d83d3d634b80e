#!/bin/bash
# Scripts of a server that do not want to end, and those that do what harms others: what they drive is stopped, others go on.
. "${BASH_SOURCE%/*}/lib.sh"

socket=$work/socket.s
scripts() { "$ROBOTALK" scripts "unix:$socket" "$@" >"$work/heard" 2>&1; }
robot() { "$ROBOTALK" repl --connect "unix:$socket" -e "$1" >"$work/heard"; }
server=
serve() {
    rm -f "$socket"
    "$ROBOTALK" serve "$@" --listen "unix:$socket" >"$work/out" 2>&1 &
    server=$!
}
# says_first A B: A stands in an earlier line of the log than B
says_first() {
    says "$1" && says "$2" && [ "$(grep -n -m1 "$1" "$work/out" | cut -d: -f1)" -lt "$(grep -n -m1 "$2" "$work/out" | cut -d: -f1)" ]
}

# one without a deadman, so that nothing else stops it
cat >"$work/cart.lua" <<'LUA'
return {
  name = "cart", deadman = 0, links = { [0] = { name = "base" } },
  joints = { [0] = { name = "base", child = 0, driver = "sim", servo = "speed", dofs = {
    { type = "prismatic", axis = { 1, 0, 0 }, speed = { -2, 2 } },
    { type = "revolute", axis = { 0, 0, 1 }, speed = { -3, 3 } } } } },
}
LUA

# what moves is stopped when a stop is asked for, though the script does nothing that could be ended
cat >"$work/blocked.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect()
robot:set_speed { x = 0.1 }
os.execute "exec sleep 1000"
LUA
serve "$work/cart.lua" --run "$work/blocked.lua"
eventually robot 'assert(robot:state().velocity.x > 0)'
child=$(eventually pgrep -f -P "$server" 'sleep 1000')
fails 1 "$ROBOTALK" scripts "unix:$socket" stop blocked
says 'script blocked does not end when it is told to'
"$ROBOTALK" repl --connect "unix:$socket" -e 'assert(robot:state().velocity.x == 0)' -e 'assert(robot:set_speed { x = 0 } == "SUCCESS")' >"$work/heard"
kill -0 "$child" # and all the time it was blocked
kill "$child"
stopped() { scripts && says '^blocked  stopped' heard; }
eventually stopped
kill -TERM "$server" && wait "$server" || true

# one that is told to end commands nothing more, neither behind pcall nor in its <close> handlers, and may tidy up
cat >"$work/refuses.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect()
local other <close> = rt.connect()
local tidies <close> = setmetatable({}, { __close = function()
  local f <close> = io.open(arg[1], "w")
  f:write(tostring(robot:set_speed { x = 0.2 }), " ", select(2, other:set_speed { x = 0.2 }), " ",
    select(3, rt.try_connect()), "\n")
end })
print "first"
while true do
  pcall(function() robot:set_speed { x = 0.2 } rt.sleep(0.01) end)
end
LUA
printf 'return { robots = { "cart.lua" }, scripts = { { file = "refuses.lua", args = { "%s" }, restart = "always" } } }\n' "$work/tidied" >"$work/config.lua"
serve "$work/config.lua"
eventually says 'refuses: first'
says_first 'script refuses: started' 'refuses: first'
for action in 'stop refuses' 'reload refuses'; do
    ! holds_signals_back || break # from a thread that only computes
    rm -f "$work/tidied"
    eventually robot 'assert(robot:state().velocity.x > 0)'
    scripts $action || eventually says 'refuses: stopped\|for the 2. time'
    eventually says '^nil the script is to end ECLOSED' tidied
    if [ "$action" = 'stop refuses' ]; then
        robot 'assert(robot:state().velocity.x == 0)'
        scripts stop refuses # it is already
        says 'script refuses is stopped' heard
        scripts reload refuses # which starts it
        eventually says 'script refuses: started, for the 2. time'
    fi
done
# one whose name cannot be
name=$(printf 'x%.0s' {1..40})
fails 1 "$ROBOTALK" scripts "unix:$socket" stop "$name"
[ "$(wc -l <"$work/out")" = 1 ]
says 'there is no script of a name of 40 bytes'
kill -TERM "$server" && wait "$server" || true

# nothing is begun before all can be
echo 'print "begun"' >"$work/good.lua"
cp "$work/good.lua" "$work/$name.lua"
echo 'return =' >"$work/wrong.lua"
for file in "$name" wrong nowhere; do
    fails 1 "$ROBOTALK" serve pioneer2 --listen "unix:$socket" --run "$work/good.lua" --run "$work/$file.lua"
    lacks begun
    lacks listening
done

# os.exit ends the script, wherever it is called from
cat >"$work/exits.lua" <<'LUA'
local rt = require "robotalk"
local function leave(code) while true do pcall(os.exit, code) end end
local ways = {
  pcall = function() leave(0) end,
  gsub = function() ("x"):gsub("x", function() leave(1) end) end,
  coroutine = function() pcall(coroutine.wrap(leave), false) end,
  task = function() rt.spawn(leave, true) pcall(rt.sleep, 1e6) end,
  twice = function() rt.spawn(leave, 3) rt.spawn(leave, 0) rt.sleep(1e6) end,
}
ways[arg[1]]()
if arg[1] ~= "task" then print "went on" end
LUA
{
    echo 'return { scripts = {'
    for way in pcall gsub coroutine task twice; do printf '{ file = "exits.lua", name = "%s", args = { "%s" } },\n' $way $way; done
    echo '} }'
} >"$work/config.lua"
serve "$work/config.lua"
eventually says 'script pcall: ended'
eventually says 'script gsub: failed: it has called os.exit(1)'
eventually says 'script coroutine: failed: it has called os.exit(false)'
eventually says 'script task: ended'
eventually says 'script twice: failed: it has called os.exit(3)'
lacks 'went on'
end_server

# whatever they do, the others go on, and a panic acts: so many ways to be in the way, all at once
cat >"$work/attacks.lua" <<'LUA'
local rt = require "robotalk"
local attacks = {}
function attacks.execute() os.execute "exec sleep 1000" end
function attacks.popen() io.popen("exec sleep 1000"):read "a" end
function attacks.reads() io.open(arg[2]):read "a" end
function attacks.rep() while true do local _ = pcall(string.rep, "x", 1 << 40) end end
function attacks.concat()
  local t = {}
  for i = 1, 1e5 do t[i] = "0123456789" end
  while true do pcall(table.concat, t) end
end
function attacks.pattern() return (("a"):rep(40):find(("a*"):rep(30) .. "b")) end
function attacks.coroutines()
  local t = {}
  for i = 1, 1e6 do
    t[i] = coroutine.create(print)
    coroutine.resume(t[i])
  end
end
function attacks.sethook()
  debug.sethook(function() while true do end end, "", 1)
end
function attacks.collects()
  collectgarbage "stop"
  while true do local _ = { {} } end
end
function attacks.globals()
  setmetatable(_G, { __index = function() while true do end end, __newindex = function() while true do end end })
  return nowhere
end
function attacks.tostring()
  error(setmetatable({}, { __tostring = function() while true do end end }))
end
function attacks.gc()
  for _ = 1, 10 do setmetatable({}, { __gc = function() while true do end end }) end
  collectgarbage()
end
function attacks.last()
  last = setmetatable({}, { __gc = function() while true do end end })
end
function attacks.bytecode()
  print(load(string.dump(function() end)))
  print(load(string.dump(function() end), "x", "b"))
end
function attacks.closes()
  local function again() return setmetatable({}, { __close = function() while true do pcall(error) end end }) end
  local _ <close> = again()
  local _ <close> = again()
  local _ <close> = again()
  while true do pcall(error) end
end
function attacks.spawns()
  local function more() rt.spawn(more) rt.spawn(more) end
  more()
  rt.sleep(1e6)
end
function attacks.prints() while true do print(("x"):rep(1000)) end end
attacks[arg[1]]()
LUA
cat >"$work/beats.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect()
while true do
  print("beat", robot:set_joint("head", { pan = 0.1 }), robot:describe().name)
  rt.sleep(0.1)
end
LUA
mkfifo "$work/pipe.f"
{
    echo 'return { scripts = { "beats.lua",'
    for way in $(sed -n 's/^function attacks\.\([a-z]*\).*/\1/p' "$work/attacks.lua"); do
        [ "$way" != prints ] || continue # it would make this log long
        printf '{ file = "attacks.lua", name = "%s", args = { "%s", "%s" }, seconds = 0.1, memory = 32 },\n' $way $way "$work/pipe.f"
    done
    echo '} }'
} >"$work/config.lua"
if ! holds_signals_back; then
    serve "$work/config.lua"
    ended() { scripts && says "^$1  *\(ended\|failed\|stuck\)" heard; }
    for way in rep concat pattern coroutines sethook collects globals tostring gc last bytecode closes; do eventually ended $way; done
    eventually says 'script sethook: failed: .*sethook: script sethook lives in a server'
    eventually says 'script last: .* it computes within a function that cannot be interrupted'
    eventually says 'script tostring: failed: an error that cannot be told'
    stops() { scripts stop "$1" || true; scripts && says "^$1  *stopped" heard; }
    eventually says 'spawns: task .* it wants more than 32 MiB'
    eventually stops spawns
    eventually says 'bytecode: nil.attempt to load a binary chunk'
    beats() { grep -c 'beats: beat.SUCCESS' "$work/out" || true; }
    more_beats() { [ "$(beats)" -gt "$1" ]; }
    eventually more_beats "$(beats)"
    robot 'robot:panic()'
    eventually says 'beats: beat.PANIC'
    for child in $(pgrep -P "$server"); do kill "$child"; done
    : >"$work/pipe.f" & # who waits for it has its end
    eventually ended execute
    eventually ended popen
    eventually ended reads
    end_server 3 # since no hook reaches pattern and gc
fi

# a panic waits for none of them: when the server has told of it, no further command of anybody runs
cat >"$work/holds.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect()
local t = {}
while collectgarbage "count" < (os.getenv "ROBOTALK_BRIEF" and 100 or 500) * 1024 do
  for i = #t + 1, #t + 1000 do t[i] = { i, { i } } end
  rt.sleep(0)
end
print("holds", #t)
while true do
  t[math.random(#t)] = { 1, { 1 } }
  print("beat", robot:set_joint("head", { tilt = 0.1 }))
  rt.sleep(0.02)
end
LUA
echo 'while true do end' >"$work/spins.lua"
sed 's/0\.1)$/0.01)/' "$work/beats.lua" >"$work/quick.lua"
{
    echo 'return { scripts = { "quick.lua", { file = "holds.lua", memory = 700, seconds = 1000 },'
    for i in 1 2 3 4; do echo '{ file = "spins.lua", name = "spins'$i'", seconds = 1000 },'; done
    echo '} }'
} >"$work/config.lua"
if ! holds_signals_back; then
    serve "$work/config.lua"
    eventually says 'holds: beat.SUCCESS'
    robot 'robot:panic() assert(robot:state().panic)'
    # an answer that came before may be in the log after it, one of each script
    done_before=$(grep -c 'beat.SUCCESS' "$work/out")
    for who in quick holds; do eventually says "$who: beat.PANIC"; done
    many() { [ "$(grep -c 'quick: beat.PANIC' "$work/out")" -gt 20 ]; }
    eventually many
    [ "$(grep -c 'beat.SUCCESS' "$work/out")" -le $((done_before + 2)) ]
    end_server
fi
