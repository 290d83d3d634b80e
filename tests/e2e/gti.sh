#!/bin/bash
# robotalk serve --listen gti+unix: a client that was written from spec/gti.md alone drives an AIBO by commands that
# overlap, and a bad one takes nothing with it.
. "${BASH_SOURCE%/*}/lib.sh"
command -v python3 >/dev/null || skip "there is no python3 for the client"
export ROBOTALK_PATIENCE=${ROBOTALK_PATIENCE:-300}
cp -r tests/mot "$work/motions"
cat >"$work/motions/long.mot" <<'MOT'
#MSq
# looks to the left with its tail held there for minutes, so that it is under way whenever somebody looks
radians
setTime 0
NECK:pan 0
TAIL:pan 0
advanceTime 1200
NECK:pan 0.8
TAIL:pan 0.6
delay 600000
NECK:pan 0
TAIL:pan 0
#END
MOT
# a busy machine is no silence: neither for the interface, whose clients are slow, nor for the dog, which it moves
sed "s/^  deadman = .*/  deadman = $ROBOTALK_PATIENCE,/" scripts/robots/aibo_ers7.lua >"$work/dog.lua"
grep -q "^  deadman = $ROBOTALK_PATIENCE,$" "$work/dog.lua"
"$ROBOTALK" serve "$work/dog.lua" --listen "unix:$work/robotalk" --listen "gti+unix:$work/gti" \
    --gti-deadman "$ROBOTALK_PATIENCE" --ball 0.6,0.2 --ball 0.8,-0.3,green --motions "$work/motions" 2>"$work/log" &
server=$!
eventually says "Golog-Tekkotsu interface" log
python3 - "$work/gti" <<'PY'
import os, signal, socket, struct, sys, time

QUERY_SENSORS, QUERY_BALL, SEARCH_BALL, MOVE_JOINTS, MOTION, WALK, WALK_FOR = range(7)
PINK, ORANGE, YELLOW, GREEN = range(4)
LFR_ROTOR, LFR_KNEE, RFR_ROTOR, NECK_PAN, TAIL_PAN, D_ACCEL = 0, 2, 3, 13, 16, 18 + 5

TAIL_SPEED = 5 # percent: 80 degrees take it more than 1.5 s
PATIENCE = float(os.environ["ROBOTALK_PATIENCE"])

class Client:
    def __init__(self):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(PATIENCE)
        self.s.connect(sys.argv[1])
    def send(self, type, body):             # two stages
        self.s.sendall(struct.pack("<ii", type, len(body)))
        self.s.sendall(body)
    def receive(self, n):
        got = b""
        while len(got) < n:
            more = self.s.recv(n - len(got))
            assert more, "the server has hung up"
            got += more
        return got
    def sensors(self, *places):
        self.send(QUERY_SENSORS, struct.pack("<i%di" % len(places), len(places), *places))
        return struct.unpack("<%dd" % len(places), self.receive(8 * len(places)))
    def ball(self, color):
        self.send(QUERY_BALL, struct.pack("<i", color))
        return struct.unpack("<i4xddd", self.receive(32))
    def ask_for(self, color): self.send(SEARCH_BALL, struct.pack("<i", color))
    def found(self): return struct.unpack("<i", self.receive(4))[0]
    def search(self, color):
        self.ask_for(color)
        return self.found()
    def joints(self, *list):
        self.send(MOVE_JOINTS, struct.pack("<i4x", len(list)) + b"".join(struct.pack("<i4xdd", *one) for one in list))
    def motion(self, name): self.send(MOTION, name)
    def walk(self, dx, dy=0.0, da=0.0): self.send(WALK, struct.pack("<dddd", dx, dy, da, 0))
    def walk_for(self, dx, seconds): self.send(WALK_FOR, struct.pack("<dddd", dx, 0, 0, seconds))
    def close(self): self.s.close()

def until(what, happens):
    late = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < late, "never so: " + what
        time.sleep(0.05)

# Whether the dog walks, as its legs tell.
def walks(c):
    seen = []
    for _ in range(8):
        seen.append(c.sensors(LFR_ROTOR, RFR_ROTOR))
        time.sleep(0.05)
    return any(max(one) - min(one) > 1 for one in zip(*seen))
def stands(c): return not walks(c)

def rests(place):
    before = eye.sensors(place)
    time.sleep(0.05)
    return eye.sensors(place) == before

c, eye = Client(), Client()
# what there is to ask
pan, down, none, negative = c.sensors(NECK_PAN, D_ACCEL, 39, -1)
assert abs(pan) < 1 and abs(down + 9.80665) < 1e-6 and none == 0 and negative == 0, (pan, down, none, negative)
# who looks seldom, as on a busy machine, may look past a ball
until("the pink ball is found", lambda: c.search(PINK) == 1)
visible, x, y, area = c.ball(PINK)
assert visible == 1 and abs(x) < 0.2 and area > 0
until("the green ball is found", lambda: c.search(GREEN) == 1)

# what is none ends that connection, and no other
bad = Client()
bad.s.sendall(struct.pack("<iI", WALK, 2 ** 31))
assert bad.s.recv(1) == b""

# a motion follows a search at once, and a joint is taken from it
c.search(PINK)
c.motion(b"long.mot")
until("the tail wags", lambda: abs(eye.sensors(TAIL_PAN)[0]) > 10)
c.joints((TAIL_PAN, -40, 0))
until("the pan pans", lambda: abs(eye.sensors(NECK_PAN)[0]) > 30)
until("the tail is where it was told to be", lambda: abs(eye.sensors(TAIL_PAN)[0] + 40) < 1)

# both lengths of a walk; legs move when the dog stands; an old walk's time ends no newer one
c.send(WALK, struct.pack("<ddd", 60, 0, 0))
until("it walks", lambda: walks(eye))
c.walk(0)
c.joints((LFR_KNEE, 80, 0))
until("the knee is bent", lambda: abs(eye.sensors(LFR_KNEE)[0] - 80) < 1)
c.walk_for(60, 1)
c.walk(100)
c.joints((TAIL_PAN, 40, TAIL_SPEED))
until("the tail is there, and the time of the old walk has passed", lambda: abs(eye.sensors(TAIL_PAN)[0] - 40) < 1)
assert walks(eye)

# a stop counts while the head searches; replies keep their order
c.ask_for(YELLOW)
c.walk(0)
until("it stands", lambda: stands(eye))
c.send(QUERY_SENSORS, struct.pack("<ii", 1, D_ACCEL))
assert c.found() == 0 and abs(struct.unpack("<d", c.receive(8))[0] + 9.80665) < 1e-6

# two search at once, and one moves the other's head
other = Client()
def each_gets_its_own():
    c.ask_for(YELLOW)
    other.ask_for(PINK)
    assert c.found() == 0
    return other.found() == 1
until("each of two gets its own answer", each_gets_its_own)
c.ask_for(YELLOW)
until("the head searches", lambda: abs(eye.sensors(NECK_PAN)[0]) > 1)
other.joints((NECK_PAN, 0, 0))
assert c.found() == 0

# a client that goes, alone or killed, in the worst state; another's walk goes on
for kill in (False, True):
    child = os.fork()
    if child == 0:
        mine = Client()
        mine.walk(60)
        mine.motion(b"pan.mot")
        mine.ask_for(YELLOW)
        time.sleep(0 if not kill else 1000)
        os._exit(0)
    if kill:
        try: until("it walks", lambda: walks(eye))
        finally: os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    until("it stands", lambda: stands(eye))
c.walk(60)
until("it walks", lambda: walks(eye))
other.walk(100)
other.sensors(TAIL_PAN)
c.joints((TAIL_PAN, -40, 1))
until("the tail moves", lambda: eye.sensors(TAIL_PAN)[0] < 39)
c.close()
until("the tail stands, since its client has gone", lambda: rests(TAIL_PAN))
assert walks(eye)
other.close()
until("it stands", lambda: stands(eye))
eye.motion(b"none.mot")
eye.joints((18, 1, 0))
eye.sensors(NECK_PAN)
PY
kill -0 $server
for line in 'longer than any: the connection is closed' 'there is no sensor 39' 'there is no sensor -1' \
    'there is no joint 18' 'search_ball: ' 'motion none.mot: NA: .*No such file'; do
    eventually says "robotalk: warning: gti: .*$line" log
done
