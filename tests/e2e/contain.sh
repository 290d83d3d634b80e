#!/bin/bash
# Scripts are contained: whatever one does with the processor and the memory, it is ended with its line, by its budget or
# by a signal, and robots are halted.
. "${BASH_SOURCE%/*}/lib.sh"

# small budgets, so that this test does not take long
cat >"$work/hog.lua" <<'LUA'
local rt, core = require "robotalk", require "robotalk.core"
local robot <close> = rt.connect "pioneer2"
core.budget(tonumber(arg[2]) or 0.2, 32)
local function spin()
  while true do end
end
local function long() return (("a"):rep(40):find(("a*"):rep(30) .. "b")) end
local does = {
  spin = spin,
  pcall = function() while true do pcall(spin) end end,
  coroutine = function() while true do pcall(coroutine.wrap(spin)) end end,
  sort = function() table.sort({ 3, 2, 1 }, spin) end,
  close = function() local _ <close> = setmetatable({}, { __close = spin }) spin() end,
  tostring = function() error(setmetatable({}, { __tostring = spin })) end,
  closing = function() while true do pcall(rt.sleep, 0.01) end end,
  pattern = long,
  gc = function() setmetatable({}, { __gc = spin }) collectgarbage() end,
  exit = function() _G.kept = setmetatable({}, { __gc = spin }) end,
  bomb = function()
    local t = {}
    while true do t[#t + 1] = {} end
  end,
  sleep = function() rt.sleep(1e6) end,
  blocked = function() os.execute("echo $$ >" .. arg[3] .. "; exec sleep 1000") end,
  told = function()
    os.execute "kill -INT $PPID"
    rt.sleep(1)
    print "it goes on"
  end,
  slowly = function() -- what the scheduler does with a task that was cut off takes 60 ms
    local match, slow = string.match, true
    function string.match(...)
      local from = os.clock()
      while slow and os.clock() - from < 0.06 do end
      slow = false
      return match(...)
    end
    spin()
  end,
  heeds = function() pcall(rt.sleep, 1e6) spin() end,
}
print "ready"
io.stdout:flush()
does[arg[1]]()
LUA
run() {
    : >"$work/out"
    "$ROBOTALK" run "$work/hog.lua" "$@" >"$work/out" 2>&1 &
}

# by its budget; in simulated time lua/contain_test.lua has it, too
clocks=('')
brief || clocks+=(--virtual)
for clock in "${clocks[@]}"; do
    for what in spin pcall coroutine sort close tostring; do
        run $what $clock
        ends_with 1 $!
        says 'hog.lua:5: it has computed for 0.2 s without waiting and was ended'
    done
    run bomb 10 $clock
    ends_with 1 $!
    says 'hog.lua:21: it wants more than 32 MiB of memory and was ended'
done
# what no hook reaches
for what in pattern gc exit; do
    run $what
    ends_with 3 $!
    says 'hog.lua:[57]: it computes within a function that cannot be interrupted; robots are halted'
done

# by a signal: it has no budget
for clock in "${clocks[@]}"; do
    for what in spin pcall coroutine sort slowly closing; do
        run $what 0 $clock
        eventually says ready
        kill -INT $!
        ends_with 130 $!
        [ $what = closing ] || says 'hog.lua:5: it was ended by SIGINT'
    done
    run pattern 0 $clock
    eventually says ready
    kill -TERM $!
    ends_with 143 $!
    says 'hog.lua:7: it does not end when it is told to; robots are halted'
done
run sleep 0
eventually says ready
kill -TERM $!
ends_with 143 $!
# it has heard of the signal, and computes on
run heeds 0
eventually says ready
kill -INT $!
ends_with 130 $!
says 'hog.lua:5: it has computed too long after it was told to end, and was ended'
# Ctrl-C while another program runs is for the script too
run told 0
ends_with 130 $!

# a second signal ends it at once, whatever it waits for; the same one sent twice is one
run blocked 0 "$work/pid.txt"
blocked=$!
eventually test -s "$work/pid.txt"
told_again() {
    kill -TERM $blocked
    sleep 0.3
    says 'it was told to end twice; robots are halted'
}
eventually told_again
ends_with 143 $blocked
kill "$(cat "$work/pid.txt")" # what it waited for
run sleep 0
eventually says ready
kill -TERM $! $!
ends_with 143 $!
[ "$(grep -c twice "$work/out" || true)" = 0 ]

# modes: the log names each and its line
echo 'return { open = function() while true do end end }' >"$work/endless.lua"
printf '%s\n' 'return { buffered = true, open = function() return { hold = true } end,' \
    'arrived = function() return nope.x end }' >"$work/broken.lua"
"$ROBOTALK" serve pioneer2 --mode "$work/endless.lua" --mode "$work/broken.lua" --listen "unix:$work/m" >"$work/out" 2>&1 &
server=$!
eventually test -S "$work/m"
"$ROBOTALK" repl --connect "unix:$work/m" -e 'robot:session { mode = "endless" }' >"$work/heard"
grep -q 'endless.lua:1: it computes too long' "$work/heard"
eventually says 'mode endless is cut off: endless.lua:1: it computes too long'
"$ROBOTALK" repl --connect "unix:$work/m" -e 'tape = assert(robot:session { mode = "broken" })' \
    -e 'tape:frame(0, { base = { speed = { x = 0.1 } } })' -e 'tape:finish()' >"$work/heard"
grep -q '1 ERROR (1 mode)' "$work/heard"
eventually says 'mode broken has failed: broken.lua:2: attempt to index a nil value'
end_server

# a driver that does so: the clients of the server are told
cat >"$work/driver.lua" <<'LUA'
return {
  open = function(self) self:report { position = { 0 }, speed = { 0 } } return self end,
  start = function() return (("a"):rep(40):find(("a*"):rep(30) .. "b")) end,
}
LUA
cat >"$work/thing.lua" <<LUA
return { name = "thing", joints = { { name = "j", driver = "d", dofs = { {} } } },
  drivers = { d = { script = "$work/driver.lua" } } }
LUA
write_listener 'rt.spawn(function() robot:set_joint("j", { ["0"] = 1 }) end)'
"$ROBOTALK" serve "$work/thing.lua" --listen "unix:$work/s" >"$work/out" 2>&1 &
server=$!
eventually test -S "$work/s"
"$ROBOTALK" run "$work/listen.lua" "unix:$work/s" >"$work/heard" 2>&1 &
listener=$!
ends_with 3 $server
says 'driver.lua:3: it computes within a function that cannot be interrupted; robots are halted'
eventually says panicked heard
kill $listener
ends_with 143 $listener

# descriptors: at the start, and when the file of a robot that is served changes
echo 'while true do end' >"$work/spin.lua"
"$ROBOTALK" serve "$work/spin.lua" >"$work/out" 2>&1 &
ends_with 1 $!
says 'spin.lua:1: it computes too long'
thing() { echo "$1 return { name = 'live', base = {} }" >"$work/new" && mv "$work/new" "$work/live.lua"; }
thing ''
"$ROBOTALK" serve "$work/live.lua" --listen "unix:$work/l" >"$work/out" 2>&1 &
server=$!
eventually test -S "$work/l"
thing 'math.max = function() while true do end end math.huge = 0 string.format = nil'
eventually says 'robot live: described anew'
thing 'while true do end'
eventually says 'robot live goes on as it was: .*live.lua:1: it computes too long'
end_server

# bytecode is refused
"$ROBOTALK" run --virtual /dev/stdin "$work" <<'LUA'
local file = assert(io.open(arg[1] .. "/byte.lua", "wb"))
file:write(string.dump(function() return {} end))
LUA
for verb in 'run' 'run --virtual' 'check' 'test'; do
    fails 1 "$ROBOTALK" $verb "$work/byte.lua"
    says 'binary chunk'
done

brief && exit
# what is typed as an option may compute as long as a script between two waits, and no longer
"$ROBOTALK" repl -e 'local t = os.clock() while os.clock() < t + 3 do end return "three seconds"' >"$work/out" 2>&1
says '^three seconds'
fails 1 "$ROBOTALK" repl -e 'while true do end'
says 'computed for 10.0 s without waiting'
