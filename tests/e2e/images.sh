#!/bin/bash
# robotalk images: keeps pictures and rewinds them; killed at any instant it leaves no picture that is cut and loses none that it
# has answered. The sender was written from spec/images.md alone.
. "${BASH_SOURCE%/*}/lib.sh"
command -v python3 >/dev/null || skip "there is no python3 for the sender"
export ROBOTALK_PATIENCE=${ROBOTALK_PATIENCE:-300}
cd "$work"
write_take
cat >sender.py <<'PY'
import os, random, signal, socket, struct, subprocess, sys, time, zlib
from take import take

PATIENCE = float(os.environ["ROBOTALK_PATIENCE"])
HEAD = bytes([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 17, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0])

def jpeg(number, size):
    """Whole by its structure; its data tell its number, again and again."""
    word = b"%08d" % number
    return HEAD + (word * (size // 8 + 1))[:size] + b"\xff\xd9"

class Sender:
    def __init__(self, path):
        end = time.monotonic() + PATIENCE
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(PATIENCE)
            try:
                self.socket.connect(path)
                break
            except OSError:
                assert time.monotonic() < end, "nobody listens"
                time.sleep(0.01)
        self.socket.sendall(b"OK" + struct.pack(">BI", 255, 3) + b"r/c")
        assert self.take(2) == b"OK"

    def take(self, n):
        return take(self.socket, n)

    def put(self, picture):
        self.socket.sendall(struct.pack(">BI", 2, len(picture)) + picture)

def lines(folder):
    """The index, as spec/images.md has it: number, time, size, source of each line, and all of them whole."""
    text = open(folder + "/index", "rb").read()
    found = []
    for at in range(0, len(text) - 127, 128):
        line = text[at:at + 128]
        assert line[127:] == b"\n" and int(line[119:127], 16) == zlib.crc32(line[:119]), line
        number, when, size, source = line[:119].split()
        found.append((int(number), int(when), int(size), source.decode()))
    return found, len(text) % 128
PY
cat >kill.py <<'PY'
from sender import *

folder, rounds, program = "killed.d", int(sys.argv[1]), sys.argv[2]
chance = random.Random(1)
answered, number = set(), 0
for round in range(rounds):
    server = subprocess.Popen([program, "images", folder, "--listen", "images+unix:killed.sock"], stderr=subprocess.DEVNULL)
    sender = Sender("killed.sock")
    os.unlink("killed.sock")
    start = time.monotonic()
    end, sent = start + chance.random() ** 2 * 0.1, []
    try:
        while time.monotonic() < end:
            number += 1
            sent.append(number)
            sender.put(jpeg(number, chance.choice((40, 4000, 40000, 200000))))
            if len(sent) > chance.randrange(4):
                word = sender.take(2)
                assert word == b"OK", word
                answered.add(sent.pop(0))
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
    try: # what was answered before the kill
        while True:
            assert sender.take(2) == b"OK"
            answered.add(sent.pop(0))
    except (EOFError, ConnectionError):
        pass
    # what the index tells is whole, without any repair; a picture that had no line yet when the last server was killed was taken in
    # without its source, and was never answered
    kept = set()
    for entry in lines(folder)[0]:
        data = open("%s/%012d.jpg" % (folder, entry[0]), "rb").read()
        which = int(data[len(HEAD):len(HEAD) + 8])
        assert len(data) == entry[2] and data == jpeg(which, len(data) - len(HEAD) - 2), entry
        assert entry[1] > 1600000000000000 and entry[3] == ("r/c" if which in answered else entry[3]), entry
        assert entry[3] in ("r/c", "unknown"), entry
        kept.add(which)
    assert answered <= kept, answered - kept
# the next one takes in what had no line yet, and leaves no temporary file
server = subprocess.Popen([program, "images", folder, "--listen", "images+unix:killed.sock"], stderr=subprocess.DEVNULL)
Sender("killed.sock")
server.send_signal(signal.SIGTERM)
server.wait()
names = [name for name in os.listdir(folder) if name.endswith(".jpg")]
assert not [name for name in os.listdir(folder) if name.endswith(".part")]
found, rest = lines(folder)
assert rest == 0 and len(found) == len(names) >= len(answered), (rest, len(found), len(names))
print("%d kills, %d answered, %d kept" % (rounds, len(answered), len(found)))
PY
python3 kill.py "${ROBOTALK_KILLS:-25}" "$ROBOTALK" >killed
says '25 kills\|kills, ' killed

# a camera's pictures, and the verb that tells of them
cat >send.lua <<'LUA'
local rt, images = require "robotalk", require "robotalk.images"
local robot <close> = rt.connect "pioneer2"
local sending <close> = assert(images.send(robot:camera(), "images+unix:kept.sock", { rate = 50 }))
repeat rt.sleep(0.02) until sending:counts().kept >= 5
LUA
"$ROBOTALK" images kept.d --listen images+unix:kept.sock --listen 'images+unix:watch.sock?role=watch' --most 10MB 2>log &
server=$!
eventually test -S watch.sock
"$ROBOTALK" run send.lua
fails 0 curl -sS --unix-socket kept.sock http://localhost/000000000003.jpg -o web.jpg
cmp web.jpg kept.d/000000000003.jpg
fails 0 curl -sS --unix-socket kept.sock 'http://localhost/pioneer2/camera?at=2100-01-01T00:00:00Z&step=-1'
fails 0 curl -sS --unix-socket kept.sock 'http://localhost/?source=pioneer2/camera'
python3 -c 'import json, sys; assert len(json.load(sys.stdin)) >= 5' <out
# who may only watch looks back, and sends nothing
fails 0 curl -sS --unix-socket watch.sock http://localhost/pioneer2/camera -o watched.jpg
fails 1 python3 -c 'from sender import *; Sender("watch.sock")'
says '^EOFError'
eventually grep -q 'is dropped: it may not drive, and so sends no pictures' log
fails 0 "$ROBOTALK" images kept.d --list # while the server has it
says '^20[0-9-]*T[0-9:.]*Z  *[0-9]* bytes  kept.d/000000000001.jpg  pioneer2/camera$'
[ "$(wc -l <out)" -ge 5 ]
fails 1 "$ROBOTALK" images kept.d --listen images+unix:other.sock
says 'kept.d: another server keeps pictures there'
end_server
says 'images: [5-9] kept\|images: [1-9][0-9]* kept' log
third=$("$ROBOTALK" images kept.d --list | sed -n '3s/ .*//p')
fails 0 "$ROBOTALK" images kept.d --at "$third" --out third.jpg
says 'kept.d/000000000003.jpg'
cmp third.jpg kept.d/000000000003.jpg
fails 0 "$ROBOTALK" images kept.d --at "$third" --step -2
says 'kept.d/000000000001.jpg'
fails 0 "$ROBOTALK" images kept.d --to "$third" --json
[ "$(wc -l <out)" = 3 ]
fails 0 "$ROBOTALK" images kept.d --to "$third" --source pioneer2/camera --out copies.d
cmp copies.d/000000000002.jpg kept.d/000000000002.jpg
fails 1 "$ROBOTALK" images kept.d --list --source nobody
says 'kept.d: there is no picture of nobody; there are those of .*pioneer2/camera'
fails 1 "$ROBOTALK" images kept.d --at 1999-12-31
says 'kept.d: there is no picture so far back: the oldest is of 20'
fails 1 "$ROBOTALK" images nowhere.d --list
says 'nowhere.d: No such file or directory'
fails 1 "$ROBOTALK" images kept.d --step 0 --out nowhere.d/x.jpg
says 'nowhere.d/x.jpg: No such file or directory'
"$ROBOTALK" images kept.d --at "$third" --out - >piped.jpg
cmp piped.jpg kept.d/000000000003.jpg
[ ! -e - ]
refuses 'expected a folder for the pictures of a range, got -' "$ROBOTALK" images kept.d --list --out -
fails 1 "$ROBOTALK" images kept.d --list --out third.jpg
says '^robotalk: error: third.jpg: File exists$'
lacks mkdir
refuses '^robotalk: error: --from 2026-11-24 is later than --to 2026-11-23$' "$ROBOTALK" images kept.d --from 2026-11-24 --to 2026-11-23
fails 1 "$ROBOTALK" images none.d --listen gamebots+unix:none.sock
says 'gamebots+unix:none.sock: expected an address of an image server, images://HOST'
fails 1 "$ROBOTALK" images none.d --listen images+unix:nowhere/none.sock
[ ! -e none.d ]
refuses '^robotalk: error: --at: expected a time as 2026' "$ROBOTALK" images kept.d --at yesterday
refuses '^robotalk: error: --most: expected bytes, as 10GB' "$ROBOTALK" images kept.d --most 5x
refuses 'at least 4480 for one picture, got 100' "$ROBOTALK" images kept.d --most 100
fails 2 "$ROBOTALK" images kept.d --list --most 5GB
fails 2 "$ROBOTALK" images kept.d --at 1999 --from 2000
fails 2 "$ROBOTALK" images kept.d --json
fails 2 "$ROBOTALK" images
fails 2 "$ROBOTALK" images kept.d --discard
"$ROBOTALK" images --discard --listen images+unix:gone.sock 2>gone &
server=$!
python3 -c 'from sender import *; s = Sender("gone.sock"); s.put(jpeg(1, 100)); assert s.take(2) == b"OK"; s.put(b"GIF8"); assert s.take(2) == b"NO"'
end_server
says 'images: 1 kept, 1 refused, 0 removed; 0 are there' gone
fails 1 "$ROBOTALK" images doors.d --listen images://0.0.0.0
says 'other machines can reach it: that takes TLS.* && robotalk images doors.d --listen images+tls://0.0.0.0:5004$'
fails 1 "$ROBOTALK" serve pioneer2 --listen images://0.0.0.0

# a disk that is full: of 1 MiB, where this user may mount one
unshare -rm true 2>/dev/null || exit 0
cat >full.py <<'PY'
from sender import *

sender, said, n = Sender("full.sock"), {b"OK": 0, b"NO": 0}, 0
for number in range(300):
    sender.put(jpeg(number, 10000))
    said[sender.take(2)] += 1
assert said == {b"OK": 300, b"NO": 0}, said
blocker = open("full.d/other", "wb")
try:
    while blocker.write(b"x" * 4096):
        blocker.flush()
except OSError:
    pass
for number in range(300):
    sender.put(jpeg(number, 10000))
    said[sender.take(2)] += 1
os.unlink("full.d/other") # which has the disk no more
sender.put(jpeg(7, 10000))
assert sender.take(2) == b"OK"
found, rest = lines("full.d")
there = [entry for entry in found if os.path.exists("full.d/%012d.jpg" % entry[0])]
assert rest == 0 and there, (rest, len(found))
for entry in there:
    data = open("full.d/%012d.jpg" % entry[0], "rb").read()
    assert len(data) == entry[2] == len(HEAD) + 10002 and data[-2:] == b"\xff\xd9"
PY
mkdir full.d
unshare -rm bash -ec 'mount -t tmpfs -o size=1m none full.d
    "$ROBOTALK" images full.d --listen images+unix:full.sock 2>full &
    python3 full.py
    kill $!'
[ "$(grep -c 'full.d: the disk is full: the oldest tenth goes' full)" = 1 ]
