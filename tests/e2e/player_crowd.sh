#!/bin/bash
# Ten thousand clients of one Player server, where Player's own exits at 1,014: each subscribes to the base, one drives it, and all see it
# go. How much memory of the server each of them takes is told.
. "${BASH_SOURCE%/*}/lib.sh"
command -v python3 >/dev/null || skip "there is no python3 for the clients"
clients=10000
# descriptors of the server, and of the clients, each a process of its own
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge $((clients + 100)) ] ||
    skip "ulimit -n is $(ulimit -Hn): $clients clients need $((clients + 100))"
ulimit -n $((clients + 100))
export ROBOTALK_PATIENCE=${ROBOTALK_PATIENCE:-300}
# a busy machine is no silence
sed "s/deadman = 0.5/deadman = $ROBOTALK_PATIENCE/" scripts/robots/pioneer2.lua >"$work/p2.lua"
"$ROBOTALK" serve "$work/p2.lua" --listen "player+unix:$work/player?rate=1" 2>"$work/log" &
server=$!
eventually test -S "$work/player"
python3 - "$work/player" $clients $server >"$work/out" <<'PY'
import os, select, socket, struct, sys, time

path, count, server = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
PATIENCE = float(os.environ["ROBOTALK_PATIENCE"])
HEADER = struct.Struct(">6IdII")  # host, robot, interface, index, type, subtype, time, sequence, size
PLAYER, POSITION2D = 1, 4
DATA, CMD, REQ, ACK = 1, 2, 3, 4

def message(interface, type, subtype, body):
    return HEADER.pack(0, 0, interface, 0, type, subtype, 0, 0, len(body)) + body

SUBSCRIBE = message(PLAYER, REQ, 3, struct.pack(">7I", 0, 0, POSITION2D, 0, 1, 0, 0))
AHEAD = message(POSITION2D, CMD, 1, struct.pack(">3dI", 0.5, 0, 0, 1))

def memory():
    for line in open("/proc/%d/status" % server):
        if line.startswith("VmRSS:"):
            return int(line.split()[1])

class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path) # waits for room
        self.socket.settimeout(PATIENCE)
        self.rest, self.opened, self.data, self.x = b"", False, 0, 0

    def take(self):
        more = self.socket.recv(65536)
        assert more, "the server has closed a connection"
        self.rest += more
        while self.rest:
            if self.rest.startswith(b"Player v."):
                size = 32
            elif len(self.rest) >= HEADER.size:
                _, _, interface, _, type, subtype, _, _, n = HEADER.unpack_from(self.rest)
                size = HEADER.size + n
            else:
                return
            if len(self.rest) < size:
                return
            if size > 32 and interface == PLAYER and type == ACK:
                self.opened = True
            elif size > 32 and type == DATA:
                self.data += 1
                self.x = struct.unpack_from(">d", self.rest, HEADER.size)[0]
            self.rest = self.rest[size:]

before = memory()
clients, poll = {}, select.epoll()
for _ in range(count):
    c = Client()
    clients[c.socket.fileno()] = c
    poll.register(c.socket, select.EPOLLIN)
everybody = list(clients.values())

def until(what, so):
    left, late = [c for c in everybody if not so(c)], time.monotonic() + PATIENCE
    while left:
        for fd, _ in poll.poll(1):
            clients[fd].take()
        left = [c for c in left if not so(c)]
        assert time.monotonic() < late, "%s: not for %d clients" % (what, len(left))

for c in everybody:
    c.socket.sendall(SUBSCRIBE)
until("a subscription", lambda c: c.opened)
until("data", lambda c: c.data >= 2)
each = (memory() - before) * 1024 / count
everybody[0].socket.sendall(AHEAD)
until("the base goes", lambda c: c.x > 0.05)
print("%d clients, %d bytes of the server's memory each" % (count, each))
assert each < 8192
PY
cat "$work/out"
says "^$clients clients, "
# they have gone all at once; who comes then is greeted
python3 - "$work/player" >"$work/banner" <<'PY'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(s.recv(32, socket.MSG_WAITALL).rstrip(b"\0").decode())
PY
says '^Player v.3.1.1' banner
end_server
