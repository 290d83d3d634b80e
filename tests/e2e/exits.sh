#!/bin/bash
# What `robotalk run` tells whoever has started it: the exit code, the signal, and one line that says so.
. "${BASH_SOURCE%/*}/lib.sh"

cat >"$work/does.lua" <<'LUA'
local rt = require "robotalk"
local function look(robot) robot:set_joint("hed", { pan = 1 }) end
local does = {
  ends = function() end,
  gives_up = function() return false end,
  has_nothing = function() return nil, "nothing" end,
  fails = function()
    local robot <close> = rt.connect "pioneer2"
    look(robot)
  end,
  task = function()
    rt.spawn("lamp", error, "no light")
    rt.spawn(function() error "nor here" end)
    rt.sleep(0.1)
  end,
  awaited = function() print(rt.spawn(error, "x"):wait()) end,
  awaited_late = function()
    local lamp = rt.spawn("lamp", error, "no light")
    while lamp:status() ~= "failed" do rt.sleep(0.1) end
    print(lamp:wait())
  end,
  cancelled = function() rt.spawn(rt.sleep, 5):cancel() end,
  late = function() rt.sleep(100) end,
  leaves = function()
    local robot = rt.connect "pioneer2"
    robot:set_speed { x = 0.1 }
    for i = 1, 6 do
      rt.spawn(function()
        for _ = 1, 100 do rt.look { from = { i, 1, 1 }, to = { 0, 0, 0 }, width = 320, height = 240 } end
      end)
    end
    rt.sleep(0.2)
    io.write "it leaves"
    os.exit(tonumber(arg[2]) or arg[2] == "true")
  end,
  killed = function()
    os.execute("kill -" .. arg[2] .. " $PPID")
    rt.sleep(1e6)
  end,
  stuck = function()
    os.execute("kill -" .. arg[2] .. " $PPID")
    return (("a"):rep(40):find(("a*"):rep(30) .. "b"))
  end,
  deaf = function() -- each task is cut off, one after the other
    for _ = 1, 20 do rt.spawn(function() while true do pcall(rt.sleep, 0.01) end end) end
    os.execute("kill -" .. arg[2] .. " $PPID")
    rt.sleep(1e6)
  end,
}
return (does[arg[1]]())
LUA
run() { "$ROBOTALK" run "$work/does.lua" "$@" --virtual; }

fails 0 run ends
fails 1 run gives_up
says 'run: the script has returned false; exit code 1'
fails 1 "$ROBOTALK" run scripts/behaviors/careful.lua
says 'run: the script has returned a bridge, which a server runs: .* --bridge scripts/behaviors/careful.lua'
fails 0 run has_nothing
for status in 3 4 5 6; do # while pictures are drawn
    fails $status "$ROBOTALK" run --physics --world living_room "$work/does.lua" leaves $status
    says '^it leaves$'
done
fails 0 run leaves true
fails 1 run leaves false
fails 0 run awaited
fails 0 run awaited_late
fails 0 run cancelled
fails 0 run late --until 3
fails 1 run fails
says "does.lua:2: pioneer2 has no joint 'hed'; did you mean 'head'? It has head, root"
says '  called at .*does.lua:9$'
[ "$(wc -l <"$work/out")" = 3 ]
fails 4 run task
says 'error: task lamp: no light'
says 'error: task .*does.lua:13: .*does.lua:13: nor here'
says 'run: 2 tasks have failed; exit code 4'
fails 1 "$ROBOTALK" run "$work/nowhere.lua"
fails 2 "$ROBOTALK" run
"$ROBOTALK" run --help | grep -q '4 it has ended, but a task'

# the program dies by the signal, which is more than an exit code of 128 + its number
cat >"$work/how.lua" <<'LUA'
print(select(2, os.execute(("exec '%s' run '%s' %s %s"):format(table.unpack(arg)))))
LUA
for signal in "HUP 1" "INT 2" "QUIT 3" "TERM 15"; do
    fails 0 lua5.4 "$work/how.lua" "$ROBOTALK" "$work/does.lua" killed "${signal% *}"
    says "^signal.${signal#* }$"
    says "robotalk: info: run: ended by SIG${signal% *}$"
done
# also when it has to be cut off
for way in stuck deaf; do
    fails 0 lua5.4 "$work/how.lua" "$ROBOTALK" "$work/does.lua" $way TERM
    says '^signal.15$'
    says 'it does not end when it is told to; robots are halted'
done

# a driver that is a script halts its device, also behind a socket, and closes before the program leaves
command -v python3 >/dev/null || skip "there is no python3"
write_thing "core.dial(config.port, 10)" "unix:$work/arm" 'close = function(self) self.port:write "bye " end,'
cat >"$work/leaves.lua" <<'LUA'
require "robotalk".connect(arg[1]):set_joint("head", { ["0"] = 1 })
local does = { leaves = os.exit, breaks = function() require "robotalk.task".cancel_all = nil end } -- the library itself
does[arg[2]](7)
LUA
cat >"$work/device.py" <<'PY'
import socket, subprocess, sys
work, program, does = sys.argv[1:]
listener = socket.socket(socket.AF_UNIX)
listener.bind(work + "/arm")
listener.listen(1)
run = subprocess.Popen([program, "run", work + "/leaves.lua", work + "/robot.lua", does])
device, _ = listener.accept()
heard = b""
while (bytes := device.recv(4096)):
    heard += bytes
print("the device heard:", heard.decode(), "and the program left with", run.wait())
PY
device() { python3 "$work/device.py" "$work" "$ROBOTALK" "$1"; }
fails 0 device leaves
says 'the device heard: open set_joint halt bye .*left with 7'
rm "$work/arm"
fails 0 device breaks
says 'the device heard: open set_joint halt bye .*left with 70'
says "robotalk: .*attempt to call a nil value (field 'cancel_all')"

# where stacks are too small, a program says so; where they may grow, they do
if command -v prlimit >/dev/null && ! grep -qE '__(asan|tsan)_init' "$ROBOTALK"; then
    fails 1 prlimit --stack=65536:65536 "$ROBOTALK" repl -e 1
    says 'error: the stack is limited to less than 1 MiB'
    fails 0 prlimit --stack=65536: "$ROBOTALK" repl -e 1
fi
