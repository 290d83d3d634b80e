#!/bin/bash
# robotalk serve --listen upis://: clients of USARSim's image server that were written from spec/images.md alone, over sockets.
. "${BASH_SOURCE%/*}/lib.sh"
command -v python3 >/dev/null || skip "there is no python3 for the clients"
export ROBOTALK_PATIENCE=${ROBOTALK_PATIENCE:-300}
cd "$work"
"$ROBOTALK" serve pioneer2 --listen "upis+unix:jpeg#pioneer2/camera" --listen "upis+unix:old?legacy,type=0,width=80" \
    --listen "upis+unix:watch?role=watch" --listen "gamebots+unix:gb?role=watch" \
    --listen "upis+unix:none#pioneer2/nose" 2>log &
server=$!
eventually test -S none
write_take
python3 - <<'PY'
import os, socket, struct
from take import take

PATIENCE = float(os.environ["ROBOTALK_PATIENCE"])

class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)

    def take(self, n):
        return take(self.socket, n)

    def frame(self):
        kind, size = struct.unpack(">BI", self.take(5))
        return kind, self.take(size)

    def nothing(self):
        self.socket.settimeout(0.3)
        try:
            assert self.socket.recv(1) == b"?", "nothing was asked for"
        except socket.timeout:
            pass
        self.socket.settimeout(PATIENCE)

# whole pictures, by any spelling of the request
new = Client("jpeg")
new.nothing()
for ask in (b"OK", b"OK\r\n", b"go OOK\n"):
    new.socket.sendall(ask)
    kind, data = new.frame()
    assert kind == 2 and data[:2] == b"\xff\xd8" and data[-2:] == b"\xff\xd9", (kind, data[:4])
new.nothing()

# a rectangle of it
new.socket.sendall(b"U" + struct.pack(">4I", 10, 20, 33, 7))
kind, data = new.frame()
assert kind == 0 and data[:4] == struct.pack(">HH", 33, 7) and len(data) == 4 + 100 * 7

# the older server's first picture comes by itself
old = Client("old")
kind, data = old.frame()
assert kind == 0 and data[:4] == struct.pack(">HH", 80, 60) and len(data) == 4 + 240 * 60
old.nothing()

# one that asks and never reads, and one that goes in the middle
for path in ("jpeg", "old"):
    for _ in range(20):
        deaf = Client(path)
        deaf.socket.sendall(b"OK" * 1000)
deaf = Client("old")
deaf.socket.sendall(b"OK" * 1000)
for _ in range(10):
    new.socket.sendall(b"OK")
    assert new.frame()[0] == 2

# who may only watch may do that
watcher = Client("watch")
watcher.socket.sendall(b"OK")
assert watcher.frame()[0] == 2
driver = Client("gb")
driver.socket.sendall(b"INIT {ClassName P2AT}\r\n")
assert b"STA " not in driver.socket.recv(1000)

# a camera that is not there
nobody = Client("none")
nobody.socket.sendall(b"OK")
assert nobody.socket.recv(1) == b""

# a page in a browser
page = Client("jpeg")
page.socket.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: OKOK\r\n\r\n")
try:
    assert page.socket.recv(1) == b""
except ConnectionResetError:
    pass
PY
eventually says "upis: the robot has no such camera: the connection is closed" log
end_server

# where nobody has a camera it says so at once
"$ROBOTALK" serve puma560 --listen upis+unix:none --listen "upis+unix:other#rover" 2>none.log &
server=$!
eventually grep -q 'listening at upis+unix:other' none.log
eventually grep -q 'upis+unix:none: robot puma560 has no camera: its clients are sent away' none.log
eventually grep -q 'upis+unix:other#rover: there is no robot rover: its clients are sent away' none.log
end_server
