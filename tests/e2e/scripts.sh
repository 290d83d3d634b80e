#!/bin/bash
# Scripts that live in a server: each on its own, ended with its name and line, started again, and never in the way of robots
# and of others.
. "${BASH_SOURCE%/*}/lib.sh"

cat >"$work/hog.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect()
local function spin()
  while true do end
end
local does = {
  spin = spin,
  pcall = function() while true do pcall(spin) end end,
  bomb = function()
    local t = {}
    while true do t[#t + 1] = {} end
  end,
  raise = function() error "oh" end,
  exit = function() pcall(os.exit, 3) rt.sleep(1e6) end,
  moves = function() robot:set_speed { x = 0.1 } spin() end,
  pattern = function() return (("a"):rep(40):find(("a*"):rep(30) .. "b")) end,
  another = function() rt.connect "nao" end,
  serves = function() rt.serve() end,
  locale = function() assert(not os.setlocale "C" and os.setlocale()) print(arg[0], arg[1]) end,
  blocked = function() os.execute "exec sleep 1000" end,
  task = function() rt.spawn(spin) rt.sleep(1) end,
  tasks = function()
    for i = 1, 500 do rt.spawn(error, "lost " .. i) end
    rt.sleep(0.1)
    print "they are lost"
    rt.sleep(1e6)
  end,
}
does[arg[1]]()
LUA
cat >"$work/beats.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
while true do
  print("beat", robot:set_joint("head", { pan = 0.1 }))
  rt.sleep(0.1)
end
LUA
# serve NAME OPTION…: a server with those options of one script, hog.lua
server= socket=$work/socket.s
serve() {
    local what=$1
    printf 'return { listen = { "unix:%s" }, scripts = { "beats.lua", { file = "hog.lua", name = "hog", args = { "%s" }, seconds = 0.2, memory = 32, %s } } }\n' \
        "$socket" "$what" "${*:2}" >"$work/config.lua"
    rm -f "$socket"
    "$ROBOTALK" serve "$work/config.lua" >"$work/out" 2>&1 &
    server=$!
}
# told TEXT: of hog, while beats goes on
beats() { grep -c 'beats: beat.SUCCESS' "$work/out" || true; }
more_beats() { [ "$(beats)" -gt "$1" ]; }
told() {
    eventually says "$1"
    eventually more_beats "$(beats)"
}

if ! holds_signals_back; then # from a thread that only computes
    for what in spin pcall; do
        serve $what
        told 'script hog: failed: .*hog.lua:4: it has computed for 0.2 s without waiting and was ended'
        end_server
    done
    serve moves
    told 'script hog: failed: .*hog.lua:4: it has computed'
    # its connection is closed
    eventually "$ROBOTALK" repl --connect "unix:$socket" -e 'assert(robot:state().velocity.x == 0)' >"$work/heard"
    end_server
    serve task
    told 'hog: task .*hog.lua:3: .*hog.lua:4: it has computed'
    told 'script hog: failed: 1 task of it has failed'
    end_server
    # what no hook reaches is told, and is in nobody's way until the end
    serve pattern
    told 'script hog: .*hog.lua:16: it computes within a function that cannot be interrupted; it is cut off when that returns'
    end_server 3
    says 'script hog does not end when it is told to; robots are halted'
fi
serve bomb
told 'script hog: failed: .*hog.lua:11: it \(wants more than 32 MiB of memory\|has computed for 0.2 s without waiting\) and was ended'
end_server
serve raise 'restart = "failure"'
told 'script hog: failed: .*hog.lua:13: oh'
told 'script hog: is started again in 1 s'
told 'script hog: started, for the 2. time'
told 'script hog: is started again in 2 s'
end_server
serve exit
told 'script hog: failed: it has called os.exit(3)'
end_server
serve another
told "script hog: failed: .*hog.lua:17: the server has no robot 'nao'; its robots are: pioneer2"
end_server
serve serves
told 'script hog: failed: .*hog.lua:18: serve: script hog lives in a server, whose this is'
end_server
serve tasks
told 'hog: they are lost'
[ "$(grep -c 'hog: task .*lost' "$work/out")" = 10 ] # of 500; the others are counted
# its threads are known by their names
for thread in beats loop timekeeper watchdog; do grep -qx $thread /proc/$server/task/*/comm; done
end_server
serve locale 'restart = "always"'
told "hog: $work/hog.lua.locale"
told 'script hog: ended'
told 'script hog: started, for the 2. time'
end_server
# what waits for another program is ended with the server
serve blocked
eventually says 'script hog: started'
blocked=$(eventually pgrep -f -P "$server" 'sleep 1000')
end_server 3
kill "$blocked"

# files that are wrong are told at the start, and by check
echo 'return = 1' >"$work/wrong.lua"
fails 1 "$ROBOTALK" serve pioneer2 --listen "unix:$socket" --run "$work/wrong.lua"
says 'wrong.lua:1: '
fails 1 "$ROBOTALK" serve pioneer2 --listen "unix:$socket" --run "$work/nowhere.lua"
says 'nowhere.lua'
refuses 'restart: expected never, failure, always' "$ROBOTALK" serve pioneer2 --run "$work/beats.lua" --restart now
printf 'return { scripts = { "wrong.lua",\n { file = "beats.lua", restart = "now" },\n { file = "beats.lua", nme = "x" } } }\n' >"$work/bad.lua"
fails 1 "$ROBOTALK" check "$work/bad.lua"
says 'bad.lua:2: scripts\[2\].restart: expected never, failure, always'
says "bad.lua:3: scripts\[3\].nme: did you mean 'name'? "
printf 'return { scripts = { "wrong.lua" } }\n' >"$work/bad.lua"
fails 1 "$ROBOTALK" check "$work/bad.lua"
says 'wrong.lua:1: '
fails 1 "$ROBOTALK" serve pioneer2 --listen "unix:$socket" --run "$work/beats.lua" --run "$work/beats.lua"
says "there is a script 'beats' already"

# from outside: listed, ended, started and replaced, by who may, while the other goes on
cat >"$work/turns.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect()
print("first")
robot:set_speed { x = 0.1 }
while true do rt.sleep(1) end
LUA
printf 'return { listen = { "unix:%s" }, scripts = { "beats.lua", { file = "turns.lua", restart = "always" } } }\n' "$socket" >"$work/config.lua"
rm -f "$socket"
"$ROBOTALK" serve "$work/config.lua" >"$work/out" 2>&1 &
server=$!
told 'turns: first'
scripts() { "$ROBOTALK" scripts "unix:$socket" "$@" >"$work/heard"; }
scripts
says '^beats  running  1       never ' heard
says '^turns  running  1       always ' heard
eventually "$ROBOTALK" repl --connect "unix:$socket" -e 'assert(robot:state().velocity.x > 0)' >"$work/heard"
sed -i 's/first/second/' "$work/turns.lua"
scripts reload turns
says 'script turns is replaced' heard
told 'turns: second'
eventually says 'script turns: reload, as .* (scripts) [0-9]* asks'
# one that fails at once is no success; the old one has gone
echo 'error "oh"' >"$work/turns.lua"
"$ROBOTALK" scripts "unix:$socket" reload turns 2>"$work/heard" && false
says 'script turns has begun, and failed: .*turns.lua:1: oh' heard
eventually says 'warning: script turns: reload has failed: script turns has begun, and failed: .*turns.lua:1: oh'
printf 'local rt = require "robotalk"\nprint "third"\nrt.sleep(1e6)\n' >"$work/turns.lua"
told 'turns: third'
echo 'return =' >"$work/turns.lua"
"$ROBOTALK" scripts "unix:$socket" reload turns 2>"$work/heard" || true
says 'turns.lua:1: ' heard
rm "$work/turns.lua"
"$ROBOTALK" scripts "unix:$socket" reload turns 2>"$work/heard" || true
says 'turns.lua: No such file or directory' heard
eventually says 'warning: script turns: reload has failed: .*turns.lua: No such file or directory'
"$ROBOTALK" scripts "unix:$socket" start turns 2>"$work/heard" || true
says 'script turns runs already' heard
eventually says 'warning: script turns: start has failed: script turns runs already'
scripts list --json
# the failed one may have been started again before the third was there
says '"name":"turns","restart":"always".*"starts":\([4-9]\|[1-9][0-9]\),"state":"running"' heard
echo 'return =' >"$work/turns.lua"
scripts stop turns
eventually "$ROBOTALK" repl --connect "unix:$socket" -e 'assert(robot:state().velocity.x == 0)' >"$work/heard"
scripts list
says '^turns  stopped' heard
"$ROBOTALK" scripts "unix:$socket" start turns 2>"$work/heard" || true
says 'turns.lua:1: ' heard
"$ROBOTALK" scripts "unix:$socket" start truns 2>"$work/heard" || true
says "s: there is no script 'truns', did you mean 'turns'? Scripts are: beats, turns$" heard
"$ROBOTALK" repl --connect "unix:$socket" --role drive -e 'return rt.scripts(robot):stop "beats"' -e 'return #rt.scripts(robot):list()' >"$work/heard"
says EROLE heard
says '^2' heard
# at a prompt, the same
"$ROBOTALK" repl --connect "unix:$socket" -e 'local s = rt.scripts(robot)' -e 'return rt.scripts(robot):stop "beats"' \
    -e 'return rt.scripts(robot):list()[1].state' -e 'return rt.scripts(robot):reload "beats"' -e 'return rt.scripts(robot):list()[1].state' >"$work/heard"
says '^stopped' heard
says '^running' heard
for words in 'begin turns' 'stop' 'list turns' 'stop turns beats'; do
    fails 2 "$ROBOTALK" scripts "unix:$socket" $words
done
# two scripts are two clients: one is not in the other's way without a word
cat >"$work/turns.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect()
local other <close> = rt.connect()
print("base", robot:set_speed { x = 0.1 }, other:set_speed { x = 0 })
local word, _, result = robot:set_joint("head", { pan = 0.2 })
print("head", word, result.reason, result.holder)
LUA
eventually more_beats "$(beats)" # the other has the head before this one comes
scripts start turns
told 'turns: base.SUCCESS.*SUCCESS'
told 'turns: head.BUSY.lease.*beats'
scripts stop turns
# a script asks its own server, and may end itself
cat >"$work/turns.lua" <<'LUA'
local rt = require "robotalk"
local list = assert(rt.scripts():list())
print("own", #list, list[2].name, list[2].state)
rt.scripts():stop "turns"
LUA
scripts start turns
told 'turns: own.2.turns.running'
told 'script turns: stop, as script turns [0-9]* asks'
told 'script turns: stopped'
end_server
lacks panicked # it says itself that it halts the robots
fails 1 "$ROBOTALK" scripts "unix:$socket"

# A stop by another client holds a script by its name, through its restarts, until somebody resumes it.
cat >"$work/roams.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
while true do
  robot:set_speed { x = 0.1 }
  rt.sleep(0.05)
end
LUA
rm -f "$socket"
"$ROBOTALK" serve pioneer2 --listen "unix:$socket" --run "$work/roams.lua" >"$work/out" 2>&1 &
server=$!
moves() { "$ROBOTALK" repl --connect "unix:$socket" -e "assert(robot:state().velocity.x $1 0)" >"$work/heard" 2>&1; }
eventually moves '>'
"$ROBOTALK" repl --connect "unix:$socket" -e 'print(robot:stop())' >"$work/heard"
moves '=='
"$ROBOTALK" scripts "unix:$socket" list --json | grep -q '"stopped":{"pioneer2":{"age":[0-9.]*,"by":'
"$ROBOTALK" scripts "unix:$socket" reload roams
"$ROBOTALK" scripts "unix:$socket" >"$work/heard"
grep -q 'pioneer2: stopped by .* ago, waits for resume' "$work/heard"
moves '=='
# the log names whom a stop holds, the runs of a script once, and who resumes whom
"$ROBOTALK" repl --connect "unix:$socket" -e 'print(robot:stop())' >"$work/heard"
eventually says 'robot pioneer2: stopped by [^ ]* [0-9]*; wait for resume: script roams [0-9]*$'
lacks 'wait for resume: .*,'
"$ROBOTALK" scripts "unix:$socket" resume roams
eventually moves '>'
says 'robot pioneer2: .* [0-9]* resumes script roams [0-9]*$'
fails 1 "$ROBOTALK" scripts "unix:$socket" resume roams
says "no stop holds the script 'roams'"
end_server

# Two scripts of one file, of which one has a client with a name of its own: each is resumed by itself, and no other program is.
sed 's/connect "pioneer2"/connect("pioneer2", { name = (...) })/' "$work/roams.lua" >"$work/two.lua"
cat >"$work/pair.lua" <<'LUA'
return { robots = { "pioneer2" }, scripts = { { file = "two.lua", name = "base" },
  { file = "two.lua", name = "head", args = { "patrol" } } } }
LUA
rm -f "$socket"
"$ROBOTALK" serve "$work/pair.lua" --listen "unix:$socket" >"$work/out" 2>&1 &
server=$!
eventually moves '>'
"$ROBOTALK" repl --connect "unix:$socket" -e 'print(robot:stop())' >"$work/heard"
listed() { "$ROBOTALK" scripts "unix:$socket" >"$work/heard"; [ "$(grep -c 'waits for resume' "$work/heard")" = "$1" ]; }
eventually listed 2
"$ROBOTALK" scripts "unix:$socket" resume base
says 'resumes script base [0-9]*$'
lacks 'resumes patrol'
eventually listed 1
"$ROBOTALK" scripts "unix:$socket" resume head
says 'resumes patrol (script head) [0-9]*$'
eventually listed 0
end_server
