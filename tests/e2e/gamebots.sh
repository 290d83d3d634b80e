#!/bin/bash
# robotalk serve --listen gamebots://: clients that were written from spec/gamebots.md alone, over sockets, with a configuration's own
# classes. Talks are compared in tests/gamebots; here is what takes sockets, a configuration and a flood.
. "${BASH_SOURCE%/*}/lib.sh"
command -v python3 >/dev/null || skip "there is no python3 for the clients"
export ROBOTALK_PATIENCE=${ROBOTALK_PATIENCE:-300}
cat >"$work/config.lua" <<LUA
return {
  robots = { "pioneer2", "pioneer2_fast" },
  listen = { "gamebots+unix:$work/gb", "unix:$work/rt" },
  vehicles = { { class = "Rover", robot = "pioneer2_fast", wheel_radius = 0.1, wheel_separation = 0.5 } },
}
LUA
"$ROBOTALK" check "$work/config.lua"
"$ROBOTALK" serve "$work/config.lua" 2>"$work/log" &
server=$!
eventually says "listening at unix" log
python3 - "$work/gb" <<'PY'
import os, re, socket, sys, time

PATIENCE = float(os.environ["ROBOTALK_PATIENCE"])

class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(sys.argv[1])
        self.rest = b""
        assert self.line().startswith("NFO {Gametype BotDeathMatch}")

    def say(self, text):
        self.socket.sendall(text.encode() + b"\r\n")

    def line(self):
        while b"\r\n" not in self.rest:
            more = self.socket.recv(65536)
            if not more:
                raise EOFError
            self.rest += more
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line.decode()

    def until(self, begin):
        while True:
            line = self.line()
            if line.startswith(begin):
                return line

    def pose(self):
        while True:
            found = re.search(r"{Type Odometry}.*{Pose ([^,]+),([^,]+),([^}]+)}", self.until("SEN "))
            if found:
                return [float(x) for x in found.groups()]

# one class comes along, the other is the configuration's
one, two = Client(), Client()
one.say("INIT {ClassName USARBot.P2DX} {Name R1} {Location 4.5, 1.9, 1.8}")
two.say("INIT {ClassName USARBot.Rover} {Name R2}")
two.say("GETGEO {Type Robot}")
assert "{WheelRadius 0.1000} {WheelSeparation 0.5000}" in two.until("GEO ")
one.until("STA ")

# ahead, and to the right, which is positive there
one.say("DRIVE {Left 4} {Right 3}")
while one.pose()[2] < 0.2:
    pass

# a flood that is cut in mid-line: the newest counts, and then nothing does
flood = b"DRIVE {Left -3} {Right -3}\r\nDRIVE {Left 3} {Right 3}\r\n" * 20000
two.socket.sendall(flood + b"DRIVE {Left 9} {Ri")
while two.pose()[0] < 0.1:
    pass
two.socket.close()
again = Client()
again.say("INIT {ClassName USARBot.Rover} {Name R2}")
before = None
while True: # it has stopped when it is where it was
    pose = again.pose()
    if pose == before:
        break
    before = pose
    time.sleep(0.3)

# who comes again at once, and does not wait for the greeting, has the robot again
for _ in range(10):
    again.socket.close()
    again.socket = socket.socket(socket.AF_UNIX)
    again.socket.settimeout(PATIENCE)
    again.socket.connect(sys.argv[1])
    again.socket.sendall(b"INIT {ClassName USARBot.Rover} {Name R2}\r\n")
    again.rest, line = b"", ""
    while not line.startswith("STA "):
        line = again.line()
        assert not line.startswith("RES {Type INIT}"), line

# a page in a browser: the connection closes, and nothing it says is done
page = socket.socket(socket.AF_UNIX)
page.settimeout(PATIENCE)
page.connect(sys.argv[1])
page.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\nINIT {ClassName P2DX} {Name R3}\r\n")
try:
    while page.recv(4096):
        pass
except ConnectionResetError:
    pass

# what is wrong is answered
one.say("DRIVE {Left 1,5} {Right 1}")
assert "{Reason Left: expected a point as the decimal mark, not a comma}" in one.until("RES ")
late = Client()
late.say("INIT {ClassName USARBot.P2DX} {Name R4}")
assert "{Status Failed}" in late.until("RES ")
PY
end_server
lacks "error" log
