#!/bin/bash
# However the program ends, each robot is told to stand, whatever is between: a socket, a serial line, a CAN bus, the servers of Player and
# of Gamebots. The far sides are stand-ins that only listen; nothing but the program's end stops what moves.
. "${BASH_SOURCE%/*}/lib.sh"
command -v python3 >/dev/null || skip "there is no python3 for the far sides"

# what lies behind a port; `leaves`: how it ends the program by itself
cat >"$work/talks.lua" <<'LUA'
local core = require "robotalk.core"
return {
  open = function(self, config)
    self.leaves = config.leaves
    self.port = assert((config.port:find "^/" and core.serial or core.dial)(config.port))
    return { halt = "halt ", port = self.port }
  end,
  start = function(self, cmd, done)
    self.port:write "move "
    done "success"
  end,
  halted = function(self) if self.leaves == "halted" then os.exit(9) end end,
  close = function(self)
    if self.leaves == "close" then os.exit(9) end
    self.port:write "bye "
  end,
}
LUA
cat >"$work/hangs.lua" <<'LUA'
require "robotalk".sleep(0.1)
return (("a"):rep(40):find(("a*"):rep(30) .. "b"))
LUA
cat >"$work/waits.lua" <<LUA
os.execute "until [ -e '$work/stand.s' ]; do sleep 0.05; done" -- all stand
LUA
cat >"$work/drives.lua" <<LUA
local rt, robots = require "robotalk", {}
for _, name in ipairs { "rex", "rover" } do
  robots[name] = rt.connect("unix:$work/served.s#" .. name)
  assert(robots[name]:set_speed { x = 0.2 } == "SUCCESS")
end
io.open("$work/driven.s", "w"):close()
rt.sleep(60) -- nobody ends it: it is no child of the test
LUA
cat >"$work/does.lua" <<'LUA'
local rt = require "robotalk"
local way, folder = arg[1], arg[2]
local moves = {
  arm = function(robot) return robot:set_joint("head", { ["0"] = 1 }) end,
  wheel = function(robot) return robot:set_joint_speed("spin", { ["0"] = 1 }) end,
  rover = function(robot) return robot:set_speed { x = 0.1 } end,
  bird = function(robot) return robot:set_joint_speed("flight", { z = 0.2 }) end,
  rex = function(robot)
    local base = robot:set_speed { x = 0.1 }
    return robot:set_joint_speed("head", { pan = 0.2 }) == "SUCCESS" and base
  end,
}
local kind = { line = "arm", other = "arm" }
robots = {}
for i = 3, #arg do
  robots[i] = rt.connect(folder .. "/" .. arg[i] .. ".lua")
  while moves[kind[arg[i]] or arg[i]](robots[i]) ~= "SUCCESS" do rt.sleep(0.05) end -- until its far side is there
end
collectgarbage()
repeat rt.sleep(0.1) until io.open(folder .. "/moves.s") -- all do
local function hang() return (("a"):rep(40):find(("a*"):rep(30) .. "b")) end
local function kill(signal) os.execute("kill -" .. signal .. " $PPID") end
local function deep() -- until no function can be called any more
  return (("x"):gsub("x", function()
    if not pcall(deep) then os.exit(5) end
  end))
end
local does = {
  returns = function() end,
  fails = function() error "no light" end,
  leaves = function() os.exit(5) end,
  leaves_elsewhere = function()
    rt.spawn(coroutine.wrap(os.exit), 5)
    rt.sleep(1e6)
  end,
  leaves_deep = deep,
  leaves_late = function() -- all memory is used up
    local t
    for bits = 26, 6, -1 do
      pcall(function() while true do t = { t, ("x"):rep(1 << bits) } end end)
    end
    pcall(function() while true do t = { t } end end)
    os.exit(5)
  end,
  leaves_playing = function(mode)
    local parts = { arm = { head = { ["0"] = 0.5 } }, wheel = { spin = { ["0"] = 0.5 } }, rover = { base = { speed = { x = 0.2 } } } }
    for i = 3, #arg do
      local tape = robots[i]:session { mode = mode, duration = 9, delay = mode == "delay" and 0.1 or nil }
      for k = 0, 90 do tape:frame(k * 0.1, parts[arg[i]] or { base = { speed = { x = 0.2 } } }) end
    end
    rt.sleep(0.5)
    os.exit(5)
  end,
  leaves_serving = function()
    local server = rt.serve { listen = { "unix:" .. folder .. "/served.s" } }
    for i = 3, #arg do robots[i]:release() end -- for another program to move them
    os.execute(("'%s' run %s/drives.lua >/dev/null 2>&1 &"):format(os.getenv "ROBOTALK", folder))
    repeat rt.sleep(0.1) until io.open(folder .. "/driven.s")
    os.exit(server and 5)
  end,
  breaks = function() require "robotalk.task".cancel_all = nil end, -- the library itself
  breaks_later = function()
    require "robotalk.task".on_failure = function() error "no" end
    rt.spawn(error, "x")
    rt.sleep(1e6)
  end,
  killed = function(signal)
    kill(signal)
    rt.sleep(1e6)
  end,
  killed_twice = function()
    os.execute "kill -TERM $PPID; (sleep 0.4; kill -TERM $PPID) >/dev/null 2>&1 &"
    hang()
  end,
  hangs = function(signal)
    if signal then kill(signal) end
    hang()
  end,
  hosts = function(file) -- until it hangs
    assert(rt.add_script { file = ("%s/%s.lua"):format(folder, file) })
    rt.sleep(0.5)
  end,
  leaves_others = function(file)
    assert(rt.add_script { file = ("%s/%s.lua"):format(folder, file) })
    rt.sleep(0.5)
    os.exit(5)
  end,
}
local name, word = way:match "^(%w[%l_]*)%-?(%w*)$"
return does[name](word ~= "" and word or nil)
LUA

cat >"$work/far.py" <<'PY'
# far.py FOLDER ROBOTS WAY PROGRAM …: plays the far sides of these robots until the program ends; says of each whether it stands.
import os, select, socket, struct, subprocess, sys, time, tty
folder, robots, way, *program = sys.argv[1:]
ARM = """return { name = "%s", deadman = 300, joints = { { name = "head", driver = "head", servo = { "setpoint" }, dofs = { {} } } },
  drivers = { head = { script = "%s/talks.lua", port = "%s"%s } } }"""
WHEEL = """return { name = "wheel", deadman = 300, joints = { { name = "spin", driver = "bus", servo = "speed", dofs = { { speed = 10 } } } },
  drivers = { bus = { driver = "can", port = "%s", spin = "generic set=0x201:i32@0*1000 halt=0x201:00000000" } } }"""
REX = """return { from = "pioneer2_player", name = "rex", deadman = 300,
  drivers = { p2os = { url = "player://%s", sonar = "", bumper = "", power = "", camera = "", timeout = 300 } } }"""
GAMEBOTS = """return { name = "%s", deadman = 300, links = { [0] = { name = "hull" } }, %s,
  drivers = { far = { script = "gamebots", url = "gamebots://%s/P2AT" } } }"""
BASE = 'base = { driver = "far", speed = { x = 1, theta = 2 } }'
FLIGHT = """joints = { [0] = { name = "flight", parent = "world", child = "hull", driver = "far", servo = "speed", dofs = {
  { name = "x", type = "prismatic", axis = { 1, 0, 0 }, speed = 1 }, { name = "y", type = "prismatic", axis = { 0, 1, 0 }, speed = 1 },
  { name = "z", type = "prismatic", axis = { 0, 0, 1 }, speed = 1 }, { name = "yaw", axis = { 0, 0, 1 }, speed = 1 } } } }"""

class Far:
    moved = stands = False
    closed = "stands" # what of that is said
    def told(self, moves):
        self.moved |= moves
        self.stands = not moves
    def take(self, fd): # the bytes that have come; none: it is over
        try: return os.read(fd, 65536)
        except OSError: return b""
    def tick(self): pass
    def verdict(self): return self.closed if self.moved and self.stands else "moves on" if self.moved else "has never moved"

class Stream(Far):
    def listen(self, family, at):
        self.listener, self.fd, self.heard = socket.socket(family), None, b""
        self.listener.bind(at)
        self.listener.listen(1)
        self.fds = [self.listener.fileno()]
        return "%s:%d" % self.listener.getsockname() if family == socket.AF_INET else at
    def ready(self, fd):
        if self.fd is None:
            self.peer, _ = self.listener.accept()
            self.fd = self.peer.fileno()
            self.fds = [self.fd]
            return self.greet()
        got = self.take(fd)
        if not got: self.fds = []
        self.heard += got
        self.look()
    def say(self, bytes):
        try: self.peer.sendall(bytes)
        except OSError: pass
    def greet(self): pass

class Words: # of talks.lua
    def look(self):
        for word in self.heard.split():
            if word in (b"move", b"halt"): self.told(word == b"move")
            if word == b"bye": self.closed = "stands, and is closed"

class Arm(Words, Stream):
    def __init__(self, name):
        at = self.listen(socket.AF_UNIX, folder + "/" + name + ".s")
        leaves = ', leaves = "%s"' % way[5:] if way.startswith("when-") and name == "arm" else ""
        self.text = ARM % (name, folder, "unix:" + at, leaves)

class Line(Far):
    def __init__(self, name):
        self.fd, self.other = os.openpty()
        tty.setraw(self.other)
        self.heard, self.fds = b"", [self.fd]
        self.text = self.describe(name, os.ttyname(self.other))
    def ready(self, fd):
        got = self.take(fd)
        if not got: self.fds = []
        self.heard += got
        self.look()
    def end(self): os.close(self.other)

class Serial(Words, Line):
    def describe(self, name, path): return ARM % (name, folder, path, "")

class Wheel(Line): # frames t201…, as an adapter writes them
    def describe(self, name, path): return WHEEL % path
    def look(self):
        *lines, self.heard = self.heard.split(b"\r")
        for line in lines:
            if line.startswith(b"t201"): self.told(line[5:].strip(b"0") != b"")
            if self.fds: os.write(self.fd, b"\r")

class Player(Stream):
    POSITION, PTZ, DATA, CMD, REQ, ACK = 4, 8, 1, 2, 3, 4
    def __init__(self, name):
        self.open, self.last = set(), {}
        self.text = REX % self.listen(socket.AF_INET, ("127.0.0.1", 0))
    def send(self, interf, kind, subtype, body):
        self.say(struct.pack(">6IdII", 0, 0, interf, 0, kind, subtype, 0, 0, len(body)) + body)
    def greet(self): self.say(b"Player v.3.1.1".ljust(32, b"\0"))
    def tick(self):
        if self.POSITION in self.open: self.send(self.POSITION, self.DATA, 1, bytes(52))
        if self.PTZ in self.open: self.send(self.PTZ, self.DATA, 1, bytes(24))
    def look(self):
        while len(self.heard) >= 40:
            _, _, interf, _, kind, subtype, _, _, n = struct.unpack(">6IdII", self.heard[:40])
            if len(self.heard) < 40 + n: return
            body, self.heard = self.heard[40:40 + n], self.heard[40 + n:]
            if (interf, kind, subtype) == (self.POSITION, self.CMD, 1): self.last[interf] = any(struct.unpack(">3d", body[:24]))
            if (interf, kind, subtype) == (self.PTZ, self.CMD, 1): self.last[interf] = any(struct.unpack(">2f", body[12:]))
            if kind == self.REQ and interf == 1 and subtype == 3: self.open.add(struct.unpack(">I", body[8:12])[0])
            if kind == self.REQ: self.send(interf, self.ACK, subtype, body if interf == 1 else bytes(72) if subtype == 1 else b"")
            self.moved |= len(self.last) == 2 and all(self.last.values())
            self.stands = not any(self.last.values())

class Gamebots(Stream):
    def __init__(self, name):
        self.flies = name == "bird"
        self.text = GAMEBOTS % (name, FLIGHT if self.flies else BASE, self.listen(socket.AF_INET, ("127.0.0.1", 0)))
    def line(self, text): self.say(text.encode() + b"\r\n")
    def greet(self): self.line("NFO {Gametype USARSim} {Level x} {TimeLimit 0}")
    def tick(self):
        if self.fd is not None: self.line("STA {Type GroundVehicle} {Time 1} {Battery 100}")
    def look(self):
        *lines, self.heard = self.heard.split(b"\r\n")
        for line in lines:
            line = line.decode()
            if line.startswith("GETCONF {Type Robot"):
                self.line("CONF {Type %s} {Name r} {SteeringType SkidSteered} {MaxSpeed 100}" % ("AerialVehicle" if self.flies else "GroundVehicle"))
            if line.startswith("GETGEO {Type Robot"):
                self.line("GEO {Type GroundVehicle} {Name r} {Dimensions 1,1,1} {WheelRadius 0.1} {WheelSeparation 0.4} {WheelBase 0.4}")
            if line.startswith("DRIVE {LinearVelocity" if self.flies else "DRIVE {Left"):
                self.told(any(float(x) for x in line.replace("}", "").split() if x.lstrip("-").replace(".", "").isdigit()))

kinds = { "arm": Arm, "other": Arm, "line": Serial, "wheel": Wheel, "rex": Player, "rover": Gamebots, "bird": Gamebots }
far = { name: kinds[name](name) for name in robots.split() }
for name, one in far.items():
    with open("%s/%s.lua" % (folder, name), "w") as file: file.write(one.text)
run = subprocess.Popen(program + [folder + "/does.lua", way if not way.startswith("when-") else "leaves", folder, *far], stdin=subprocess.DEVNULL)
over, tick = None, 0
while True:
    fds = { fd: one for one in far.values() for fd in one.fds }
    for fd in select.select(fds, [], [], 0.05)[0]: fds[fd].ready(fd)
    if time.monotonic() - tick > 0.05:
        tick = time.monotonic()
        for one in far.values(): one.tick()
    if over is None and run.poll() is not None: # all is there that it has sent
        over = time.monotonic()
        for one in far.values():
            if isinstance(one, Line): one.end()
    for file, stand in ("/moves.s", False), ("/stand.s", True):
        if all(one.moved and one.stands == stand for one in far.values()): open(folder + file, "w").close()
        elif os.path.exists(folder + file): os.remove(folder + file)
    if over is not None and (not any(one.fds for one in far.values()) or time.monotonic() - over > 5): break
for name, one in far.items(): print(name, one.verdict())
print("status", run.returncode if run.returncode >= 0 else 128 - run.returncode)
PY

# ends STATUS WAY ROBOTS…: a run that ends so, and all of these stand
ends() {
    local robot
    rm -f "$work"/*.s
    python3 "$work/far.py" "$work" "${*:3}" "$2" "$ROBOTALK" run >"$work/out" 2>&1
    says "^status $1$"
    for robot in "${@:3}"; do says "^$robot stands"; done
}
all=(arm other line wheel rex rover bird)
ways=("1 fails" "5 leaves_elsewhere" "5 leaves_late" "5 leaves_serving" "5 leaves_playing-playback" "70 breaks" "143 killed-TERM" "9 when-halted")
brief || ways+=("0 returns" "5 leaves" "5 leaves_deep" "5 leaves_playing-delay" "70 breaks_later" "129 killed-HUP" "130 killed-INT"
    "131 killed-QUIT" "9 when-close")
for way in "${ways[@]}"; do
    ends ${way% *} ${way#* } "${all[@]}"
    for robot in other line; do says "^$robot stands, and is closed$"; done
done
# what is cut off runs no driver that is a script: those halt by their bytes, which flying robots behind Gamebots do not have
all=(arm other line wheel rex rover)
for way in "143 hangs-TERM" "143 killed_twice" "3 hosts-hangs" "3 leaves_others-hangs"; do
    ends ${way% *} ${way#* } "${all[@]}"
done
for signal in "SEGV 139" "USR1 138"; do ends ${signal#* } killed-${signal% *} arm other line wheel rover; done # nor has a robot behind Player
# nobody waits for a script of a server before robots stand: it could not end
for way in "0 hosts-waits" "5 leaves_others-waits"; do ends ${way% *} ${way#* } "${all[@]}" bird; done
