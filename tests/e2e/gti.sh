#!/bin/bash
# robotalk serve --gti: a client that is nothing but bytes asks an AIBO, and a bad one takes nothing with it.
set -eu
work=$(mktemp -d)
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$work"' EXIT
command -v python3 >/dev/null || { echo "no python3 for the raw client"; exit 77; }
"$ROBOTALK" serve aibo_ers7 --listen "unix:$work/robotalk" --gti "unix:$work/gti" --ball 0.6,0.2 --motions tests/mot \
    2>"$work/log" &
server=$!
for _ in $(seq 200); do grep -q "Golog-Tekkotsu interface" "$work/log" && break; sleep 0.05; done
python3 - "$work/gti" <<'PY'
import socket, struct, sys
def connect():
    s = socket.socket(socket.AF_UNIX); s.settimeout(60); s.connect(sys.argv[1]); return s
def receive(s, n):
    got = b""
    while len(got) < n:
        more = s.recv(n - len(got))
        assert more, "closed"
        got += more
    return got
def command(s, type, body):
    s.sendall(struct.pack("<ii", type, len(body))); s.sendall(body)   # two stages
s = connect()
command(s, 0, struct.pack("<iii", 2, 13, 23))
pan, down = struct.unpack("<dd", receive(s, 16))
assert abs(pan) < 1 and abs(down + 9.8) < 1e-6, (pan, down)
command(s, 2, struct.pack("<i", 0))
assert struct.unpack("<i", receive(s, 4)) == (1,)
command(s, 1, struct.pack("<i", 0))
visible, x, y, area = struct.unpack("<i4xddd", receive(s, 32))
assert visible == 1 and abs(x) < 0.2 and area > 0
bad = connect()
bad.sendall(struct.pack("<iI", 5, 2 ** 31))                            # a body of 2 GB is announced
assert bad.recv(1) == b""
command(s, 4, b"nod.mot")
command(s, 5, struct.pack("<ddd", 100, 0, 0))
command(s, 5, struct.pack("<ddd", 0, 0, 0))
command(s, 0, struct.pack("<ii", 1, 13))
receive(s, 8)
PY
kill -0 $server
