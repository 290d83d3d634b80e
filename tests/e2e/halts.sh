#!/bin/bash
# Robots halt first at a signal, whatever the script does. The instant is told by where the robot stands: it drives at a constant
# speed and stops within a tick. What is allowed is 50 ms beyond the worst wake-up of a bare sleeper in the same run: with real-time
# priority for robots of this process, and without for those behind a server, whose thread has none.
. "${BASH_SOURCE%/*}/lib.sh"
command -v python3 >/dev/null || skip "there is no python3 to send signals and to look at the clock"

cat >"$work/cart.lua" <<'LUA'
return {
  name = "cart", deadman = 0, links = { [0] = { name = "base" } }, -- no silence stops it
  joints = { [0] = { name = "base", child = 0, driver = "sim", servo = "speed", dofs = {
    { type = "prismatic", axis = { 1, 0, 0 }, speed = { -2, 2 } },
    { type = "revolute", axis = { 0, 0, 1 }, speed = { -3, 3 } } } } },
}
LUA
cat >"$work/drives.lua" <<'LUA'
local rt = require "robotalk"
local way, url, serves = arg[1], arg[2], arg[3]
local robot <close> = rt.connect(url)
if serves then rt.serve { listen = { "unix:" .. serves } } end
local function spin() while true do end end
local does = {
  sleep = function() rt.sleep(1e6) end,
  execute = function() os.execute "exec sleep 12" end,
  popen = function() io.popen("exec sleep 12"):read() rt.sleep(1e6) end,
  spin = spin,
  protected = function() while true do pcall(spin) end end,
  waits = function() while true do pcall(rt.sleep, 0.01) end end,
  pattern = function() return (("a"):rep(40):find(("a*"):rep(30) .. "b")) end,
  sort = function()
    local t = {}
    for i = 1, 1e6 do t[i] = i * 7919 % 1000003 end
    while true do table.sort(t, function(a, b) return a < b end) table.sort(t, function(a, b) return a > b end) end
  end,
  gc = function() setmetatable({}, { __gc = spin }) collectgarbage() end,
  drives_on = function() -- in a loop, and when it is closed
    local _ <close> = setmetatable({}, { __close = function()
      local signal, _, result = robot:result(robot:set_speed { x = 0.3 }, 0)
      print("later", signal, result and result.reason)
      local till = os.clock() + 0.2
      while os.clock() < till do robot:set_speed { x = 0.3 } end
    end })
    while true do pcall(robot.set_speed, robot, { x = 0.3 }) pcall(rt.sleep, 0.001) end
  end,
  watches = function() rt.sleep(1e6) end,
}
if way ~= "watches" then assert(robot:set_speed { x = 0.3 } == "SUCCESS") end
print "begins"
io.stdout:flush()
does[way]()
LUA
cat >"$work/hosts.lua" <<LUA
return { robots = { "$work/cart.lua" }, listen = { "unix:$work/hosts.sock" },
  scripts = { { file = "$work/drives.lua", args = { "execute", "unix:$work/far.sock" } } } }
LUA
cat >"$work/looks.lua" <<'LUA'
local rt = require "robotalk"
local robot = rt.connect("unix:" .. arg[1], { reconnect = false })
robot:broadcast(0.01, function(state)
  print(("%.6f %.9f %.9f"):format(state.time, state.x, state.velocity.x))
  io.stdout:flush()
end)
rt.sleep(1e6)
LUA
cat >"$work/when.py" <<'PY'
import multiprocessing, os, signal, subprocess, sys, threading, time
folder, program = sys.argv[1], sys.argv[2]
SPEED, MARGIN = 0.3, 0.05

def sleeper(worst, preferred):
    try:
        if preferred: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5))
    except PermissionError: pass # nor has the program it then
    while os.getppid() == parent:
        due = time.monotonic() + 0.002
        time.sleep(0.002)
        worst.value = max(worst.value, time.monotonic() - due)

parent = os.getpid()
worst = { preferred: multiprocessing.Value("d", 0.0, lock=False) for preferred in (True, False) }
for preferred in worst: multiprocessing.Process(target=sleeper, args=(worst[preferred], preferred), daemon=True).start()

def run(script, *arguments, **options):
    return subprocess.Popen([program, "run", folder + "/" + script, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options)

def says(run, begin):
    for line in run.stdout:
        if line.startswith(begin): return
    raise SystemExit("it has not said: " + begin)

class Looks:
    def __init__(self, socket):
        self.seen, self.run = [], run("looks.lua", socket, stderr=subprocess.DEVNULL)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
    def read(self):
        for line in self.run.stdout: self.seen.append([float(x) for x in line.split()])
    def moving(self): # the last time and place while it drove
        while not self.seen or self.seen[-1][2] < 0.99 * SPEED:
            if self.run.poll() is not None: raise SystemExit("nothing to be seen")
            time.sleep(0.01)
        return self.seen[-1]
    def end(self):
        self.run.kill()
        self.run.wait()
        self.thread.join()

def when(drives, number, socket, here):
    """How long after the signal the robot has stopped, s (None: it was not seen to stop); the program's status, and what it has said."""
    looks = Looks(socket)
    at, place, _ = looks.moving()
    sent = time.monotonic()
    drives.send_signal(number)
    texts = []
    said = threading.Thread(target=lambda: texts.append(drives.stdout.read()))
    said.start()
    status = drives.wait()
    said.join() # a program that it has started holds the pipe
    if not here: time.sleep(0.1)
    looks.end()
    _, last, speed = looks.seen[-1]
    return None if speed else at + (last - place) / SPEED - sent, status, texts[0]

class Prompt:
    """A prompt at a terminal, and what it shows."""
    def __init__(self, robot):
        self.keys, terminal = os.openpty()
        self.run = subprocess.Popen([program, "repl", robot], stdin=terminal, stdout=terminal, stderr=terminal,
            env={ **os.environ, "XDG_STATE_HOME": folder })
        os.close(terminal)
        self.shown = b""
        threading.Thread(target=self.read, daemon=True).start()
    def read(self):
        try:
            while True: self.shown += os.read(self.keys, 4096)
        except OSError: pass # it has ended
    def types(self, line): os.write(self.keys, line.encode() + b"\r")
    def shows(self, text):
        while text not in self.shown:
            if self.run.poll() is not None: raise SystemExit("the prompt has ended: %s" % self.shown)
            time.sleep(0.02)

wrong = 0
def judge(name, ok, words):
    global wrong
    wrong += not ok
    print("good" if ok else "BAD", name, words, flush=True)

signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
ways = "execute pattern sort gc protected waits spin popen drives_on sleep"
far = subprocess.Popen([program, "serve", folder + "/cart.lua", "--listen", "unix:" + folder + "/far.sock"], stderr=subprocess.DEVNULL)
while not os.path.exists(folder + "/far.sock"): time.sleep(0.02)
for here in (True, False):
    for i, way in enumerate(ways.split()):
        if "ROBOTALK_BRIEF" in os.environ and i % 2 == here: continue
        number = signals[i % 3]
        name = "%s, %s, %s" % (way, number.name, "here" if here else "elsewhere")
        socket = folder + ("/%s.sock" % way if here else "/far.sock")
        drives = run("drives.lua", way, *((folder + "/cart.lua", socket) if here else ("unix:" + socket,)))
        says(drives, "begins")
        delay, status, said = when(drives, number, socket, here)
        if delay is None: # a process that is gone shows nothing more: it was gone in time
            judge(name, here and way in ("sleep", "waits", "popen"), "was not seen to stop")
        else:
            allowed = MARGIN + worst[here].value
            judge(name, delay <= allowed, "stopped after %.0f ms, allowed %.0f ms" % (1e3 * delay, 1e3 * allowed))
        judge(name, status == -number, "status %d" % status)
        if way == "drives_on": judge(name, "later\tINTERRUPTED\tclosed" in said, repr(said))

# scripts of a server, which drive elsewhere
hosts = subprocess.Popen([program, "serve", folder + "/hosts.lua"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
delay, status, said = when(hosts, signal.SIGTERM, folder + "/far.sock", False)
allowed = MARGIN + worst[False].value
judge("hosted", delay is not None and delay <= allowed, "stopped after %.0f ms, allowed %.0f ms" % (1e3 * (delay or 0), 1e3 * allowed))

# at the prompt Ctrl-C ends the line, and the program lives
prompt, socket = Prompt(folder + "/cart.lua"), folder + "/prompt.sock"
prompt.shows(b"quit ends")
prompt.types('rt.serve{ listen = { "unix:%s" } }' % socket)
while not os.path.exists(socket): time.sleep(0.02)
for line in ("while true do pcall(rt.sleep, 0.01) end", "while true do end"):
    prompt.types("robot:set_speed{ x = %g } %s" % (SPEED, line))
    looks = Looks(socket)
    at, place, _ = looks.moving()
    stops = prompt.shown.count(b"stop: ")
    sent = time.monotonic()
    prompt.run.send_signal(signal.SIGINT)
    while prompt.shown.count(b"stop: ") == stops: time.sleep(0.02)
    while looks.seen[-1][2]: time.sleep(0.02)
    delay, allowed = at + (looks.seen[-1][1] - place) / SPEED - sent, MARGIN + worst[True].value
    judge("prompt, " + line, delay <= allowed, "stopped after %.0f ms, allowed %.0f ms" % (1e3 * delay, 1e3 * allowed))
    looks.end()
prompt.types('return robot:set_speed{ x = 0 } == "SUCCESS" and "it " .. "lives"')
prompt.shows(b"it lives")
prompt.run.terminate()
judge("prompt", prompt.run.wait() == -signal.SIGTERM, "ends")

# a program that watches stops nobody when it ends, nor does one that drives stop another's robot
other = run("drives.lua", "sleep", "unix:" + folder + "/far.sock")
says(other, "begins")
watches = run("drives.lua", "watches", "unix:" + folder + "/far.sock")
says(watches, "begins")
looks = Looks(folder + "/far.sock")
looks.moving()
watches.send_signal(signal.SIGTERM)
watches.wait()
before = len(looks.seen)
while len(looks.seen) < before + 20: time.sleep(0.02)
judge("watches", all(abs(speed - SPEED) < 0.01 * SPEED for _, _, speed in looks.seen[before:]), "the other drives on")
other.kill()
looks.end()
far.terminate()
far.wait()
sys.exit(wrong > 0)
PY
python3 "$work/when.py" "$work" "$ROBOTALK" >"$work/out" 2>&1
