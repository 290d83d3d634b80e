#!/bin/bash
# What the program writes: files whole or not at all, an output that cannot be written is an error, and a log that nobody
# reads holds up nobody. Few file descriptors are an error in words.
. "${BASH_SOURCE%/*}/lib.sh"
# fill FD: writes to a pipe as long as there is room
fill() {
    dd if=/dev/zero bs=4096 count=1000 oflag=nonblock 2>/dev/null >&"$1" || true
}

# ---- the output ----
full() { "$@" >/dev/full; }
for words in --help --version "check asimo" "convert asimo -" "experiment bodies --json --out $work/bodies"; do
    # shellcheck disable=SC2086
    fails 1 full "$ROBOTALK" $words
    says 'No space left on device'
done
for status in 0 3; do
    echo "print 'it leaves' os.exit($status)" >"$work/leaves.lua"
    fails $((status ? status : 1)) full "$ROBOTALK" run "$work/leaves.lua"
    says 'robotalk: error: the output cannot be written: No space left on device'
done
fails 1 "$ROBOTALK" check asimo --svg /dev/full
"$ROBOTALK" check asimo --svg /dev/stdout | grep -q '</svg>'

# ---- files: the system refuses to write beyond 4 KiB; what was there before stays ----
limited() (
    ulimit -f 4
    exec "$@"
)
mkdir "$work/files" && cd "$work/files"
for verb in "convert asimo asimo.lua" "convert asimo asimo.urdf" "check asimo --svg asimo.svg"; do
    file=${verb##* }
    fails 1 limited "$ROBOTALK" $verb
    says "$file: File too large"
    [ -z "$(ls -A)" ] # nor a part of it, nor the file that it was written to
    echo before >"$file"
    fails 1 limited "$ROBOTALK" $verb
    [ "$(cat "$file")" = before ]
    "$ROBOTALK" $verb >/dev/null 2>&1
    [ "$(wc -c <"$file")" -gt 5000 ]
    rm "$file"
done
fails 1 limited "$ROBOTALK" experiment bodies --out out
[ -z "$(find out -type f -size +4k; find out -name '.*' -type f)" ]
# the file keeps its mode, a link stays a link
echo before >real.lua
chmod 640 real.lua
ln -s real.lua link.lua
"$ROBOTALK" convert pioneer2 link.lua 2>/dev/null
[ -L link.lua ] && [ "$(stat -c %a real.lua)" = 640 ] && grep -q pioneer2 real.lua
(umask 077; "$ROBOTALK" convert pioneer2 new.lua 2>/dev/null; [ "$(stat -c %a new.lua)" = 600 ])
fails 1 "$ROBOTALK" convert pioneer2 "$work/nowhere/x.lua"

# ---- what is no file is not read ----
mkfifo pipe.lua pipe.mot
for path in pipe.lua pipe.mot /dev/zero .; do
    fails 1 "$ROBOTALK" check "$path"
    says 'expected a file'
done
cd - >/dev/null

# ---- few file descriptors ----
# few N COMMAND…: with that many at most, and none inherited but the first three
few() (
    for fd in /proc/self/fd/*; do
        [ "${fd##*/}" -le 2 ] || eval "exec ${fd##*/}>&-"
    done
    ulimit -n "$1"
    exec "${@:2}"
)
for n in 4 5 6 7 8 9; do
    for words in "serve pioneer2 --listen unix:$work/s" "ping unix:$work/nobody"; do
        # shellcheck disable=SC2086
        fails 1 few $n "$ROBOTALK" $words
        [ "$(grep -c traceback "$work/out" || true)" = 0 ]
    done
done

# ---- the log: a pipe that is full ----
mkfifo "$work/log"
exec 7<>"$work/log"
fill 7
"$ROBOTALK" serve pioneer2 flyer --listen "unix:$work/s" 2>"$work/log" &
server=$!
eventually test -S "$work/s"
cat >"$work/flip.lua" <<'LUA'
local rt = require "robotalk"
for _, name in ipairs { "pioneer2", "flyer" } do
  local robot <close> = rt.connect(arg[1] .. "#" .. name)
  for _ = 1, 50 do
    robot:panic()
    assert(robot:reset())
    assert(robot:set_speed { x = 0 } == "SUCCESS") -- the first command after a reset is not refused
  end
end
LUA
"$ROBOTALK" run "$work/flip.lua" "unix:$work/s"
cat <&7 >/dev/null 2>&1 || true # now somebody reads; a pipe that is empty is an error here
"$ROBOTALK" run "$work/flip.lua" "unix:$work/s"
end_server
cat <&7 >"$work/read" 2>/dev/null || true
says 'lines of the log were left out: nobody read it' read
says 'signal 15: halting robots' read
# every robot is in the log, however many there are, and none fills it
"$ROBOTALK" serve pioneer2 flyer --listen "unix:$work/t" 2>"$work/read" &
server=$!
eventually test -S "$work/t"
# a busy machine tells of several panics by the last of them, so it may take more of them until there are too many
floods() {
    "$ROBOTALK" run "$work/flip.lua" "unix:$work/t" && says 'more lines of this kind were left out' read
}
eventually floods
eventually says 'robot flyer: panicked' read
eventually says 'robot pioneer2: panicked' read
end_server
[ "$(wc -l <"$work/read")" -lt 100 ]
# a pipe that is full holds up no signal
mkfifo "$work/full"
exec 9<>"$work/full"
fill 9
"$ROBOTALK" serve pioneer2 --listen "unix:$work/u" 2>"$work/full" &
server=$!
eventually test -S "$work/u"
end_server
# nor does a file that may not grow end the server
head -c 4096 /dev/zero >"$work/grown.log"
(ulimit -f 4; exec "$ROBOTALK" serve pioneer2 flyer --listen "unix:$work/v" 2>>"$work/grown.log") &
server=$!
eventually test -S "$work/v"
"$ROBOTALK" run "$work/flip.lua" "unix:$work/v"
end_server
