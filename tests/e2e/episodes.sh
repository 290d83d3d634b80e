#!/bin/bash
# Episodes by keys at a terminal: a script teaches a simulated SO-101; one of a server is recorded while another program moves it.
. "${BASH_SOURCE%/*}/lib.sh"
command -v script >/dev/null || skip "there is no script(1) here"

refuses 'no terminal' "$ROBOTALK" record so101_follower --episodes "$work/set" </dev/null
refuses 'want --episodes DIR, too' "$ROBOTALK" record so101_follower --leader so101_leader
refuses 'want one teacher' "$ROBOTALK" record so101_follower --episodes "$work/set" --leader so101_leader --gamepad

cat >"$work/wave.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect((...))
for _ = 1, 10 do
  robot:set_joint("shoulder_pan", { 0.3, speed = 1 })
  robot:set_joint("shoulder_pan", { 0, speed = 1 })
end
LUA
cat >"$work/look.lua" <<'LUA'
local set <close> = assert(require "robotalk.dataset".open(arg[1]))
for _, episode in ipairs(set.episodes) do
  local least, most = math.huge, -math.huge
  for frame in assert(set:episode(episode.index)) do
    local x = frame.state["shoulder_pan.pos"]
    least, most = math.min(least, x), math.max(most, x)
  end
  print(episode.index, episode.tasks[1], most - least > 5 and "moves" or "stands", episode.length > 10 and "long" or "short")
end
LUA

# begins NAME ARGUMENT…: record at a terminal of its own, whose keys are of descriptor 8
export LC_ALL=C.UTF-8
mkfifo "$work/keys.fifo"
exec 8<>"$work/keys.fifo"
begins() {
    printf -v command '%q ' "$(realpath "$ROBOTALK")" record "${@:2}"
    script -qfc "exec bash -c $(printf %q "$command; echo \"status \$?\"")" /dev/null <"$work/keys.fifo" >"$work/$1" &
    terminal=$!
    eventually says 'not recording' "$1"
}
ends() {
    printf '\003' >&8
    eventually says 'status 0' "$1"
    wait $terminal
}

begins scripted so101_follower --episodes "$work/set" --script "$work/wave.lua" --task wave
printf b >&8
eventually says 'recording, [1-9]' scripted
printf '\177' >&8 # again
eventually says 'recording, 0' scripted
sleep 1
printf '\r' >&8
eventually says 'episode 0: ' scripted
printf 'xnod it\r' >&8
eventually says 'task: nod it' scripted
printf b >&8
eventually says ' 1 episodes, [0-9]* frames; recording, 1' scripted
printf '\r' >&8
eventually says 'episode 1: ' scripted
ends scripted
says '2 episodes, ' scripted
"$ROBOTALK" run "$work/look.lua" "$work/set" >"$work/out"
says '^0	wave	moves	long$'
says '^1	nod it	moves	long$'
"$ROBOTALK" play "$work/set" --episode 1 --virtual >"$work/out"
says ' frames, worst lateness '
"$ROBOTALK" play "$work/set" >"$work/out"
says 'set: version 3.0 of so101_follower, 30 frames a second, 2 episodes$'
says '^episode 1: [0-9]* frames, .* ms off their instants, pictures at most [0-9]* ms old; nod it$'
mkdir "$work/empty"
fails 1 "$ROBOTALK" play "$work/empty" --episode 0
says 'empty: there is no data set, which has a meta/info.json$'

# a signal: what was kept stays, and is counted
echo 'local rt = require "robotalk" rt.sleep(select(2, ...) == 0 and 0.1 or 100)' >"$work/waits.lua"
"$ROBOTALK" record so101_follower --episodes "$work/cut" --script "$work/waits.lua" --count 9 >"$work/cut.out" 2>&1 &
one=$!
eventually says 'episode 0: ' cut.out
kill -INT $one
ends_with 130 $one
says 'cut: 1 episodes, ' cut.out

"$ROBOTALK" serve so101_follower --listen "unix:$work/r.sock" >"$work/served" 2>&1 &
server=$!
eventually test -S "$work/r.sock"
begins remote "unix:$work/r.sock" --episodes "$work/far" --task far
printf b >&8
eventually says 'frames; recording, ' remote
"$ROBOTALK" repl --connect "unix:$work/r.sock" -e 'robot:set_joint("shoulder_pan", 0.5)' >"$work/out"
says SUCCESS
printf '\r' >&8
eventually says 'episode 0: ' remote
ends remote
end_server
"$ROBOTALK" run "$work/look.lua" "$work/far" >"$work/out"
says '^0	far	moves	long$'
