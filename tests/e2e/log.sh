#!/bin/bash
# Each line of the log has a time: UTC in real time, the world's in simulated time, in the same form everywhere.
. "${BASH_SOURCE%/*}/lib.sh"
stamp='[0-9]\{4\}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]\{3\}Z'
# dated [FILE]: every line is one of the log or goes on with the one before
dated() { ! grep -v -e "^$stamp robotalk: \(info\|warning\|error\): ." -e '^[[:blank:]]' "$work/${1-out}" >&2; }

cat >"$work/lines.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
rt.sleep(1.25)
robot:log("lap", 1)
robot:log("two\nlines")
rt.spawn(function() error "no light" end)
rt.sleep(100)
robot:log "late"
LUA

# ---- simulated time ----
fails 4 "$ROBOTALK" run --virtual "$work/lines.lua"
says '^+2\.25[0-9]* robotalk: info: pioneer2: lap 1$'
says '^  lines$'
says '^+2\.25[0-9]* robotalk: error: task .*: no light'
says '^+102\.25[0-9]* robotalk: info: pioneer2: late$'

# ---- real time: run, the prompt, the server ----
sed -i 's/sleep(100)/sleep(0.1)/' "$work/lines.lua"
before=$(date -u +%FT%T)
fails 4 "$ROBOTALK" run "$work/lines.lua"
after=$(date -u +%FT%T)
grep robotalk: "$work/out" | grep -v 'exit code' >"$work/lines"
dated lines
said=$(sed -n 's/\..*lap 1$//p' "$work/lines")
[[ ! $said < $before && ! $said > $after ]]

printf 'robot:log "hello"\n' | "$ROBOTALK" >"$work/said" 2>"$work/out"
dated
says 'pioneer2: hello$'

"$ROBOTALK" serve pioneer2 --listen "unix:$work/s" 2>"$work/log" &
server=$!
eventually test -S "$work/s"
"$ROBOTALK" repl --connect "unix:$work/s" -e 'robot:panic()' >"$work/said" # the server itself tells of that
eventually says 'robot pioneer2: panicked' log
"$ROBOTALK" repl --connect "unix:$work/s" -e 'robot:reset()' >"$work/said"
printf 'local rt = require "robotalk"\nlocal robot <close> = rt.connect(...)\nrobot:stop()\n' >"$work/halter.lua"
"$ROBOTALK" run "$work/halter.lua" "unix:$work/s" >"$work/said"
eventually says 'info: robot pioneer2: stopped by .*(halter.lua) [1-9]' log # it rested
"$ROBOTALK" repl --connect "unix:$work/s" -e 'robot:set_speed{ x = 0.1 }' -e 'print "drives"' -e 'rt.sleep(60)' \
    >"$work/driven" &
driver=$!
eventually says drives driven
"$ROBOTALK" run "$work/halter.lua" "unix:$work/s" >"$work/said"
eventually says 'warning: robot pioneer2: stopped by .*(halter.lua) [1-9]' log # that was another's
kill $driver
end_server
dated log
says 'listening at unix:' log
says 'info: serve: ended by SIGTERM' log

# a clock that stands before 1970
if command -v cc >/dev/null && ! grep -qE '__(asan|tsan)_init' "$ROBOTALK"; then
    cat >"$work/old.c" <<'C'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *t)
{
    if (id != CLOCK_REALTIME)
        return (int)syscall(SYS_clock_gettime, id, t);
    *t = (struct timespec){ -4441194, 106000000 };
    return 0;
}
C
    cc -shared -fPIC -o "$work/old.so" "$work/old.c"
    LD_PRELOAD=$work/old.so fails 4 "$ROBOTALK" run "$work/lines.lua"
    says '^1969-11-10T14:20:06\.106Z robotalk: info: pioneer2: lap 1$'
fi

# ---- for programs and for systemd's journal ----
cat >"$work/read.lua" <<'LUA'
local strict = dofile "tests/json.lua"
for line in io.lines(arg[1]) do
  local o = strict.read(line)
  print(o.time, o.level, o.robot, o.client, (o.text:gsub("\n", "|")))
end
LUA
sed -i 's/two/t\\"wo/; s/no light/no \\xfflight/' "$work/lines.lua"
fails 4 "$ROBOTALK" run "$work/lines.lua" --virtual --log-format json
lua5.4 "$work/read.lua" "$work/out" >"$work/read"
says '^+2\.25[0-9]*	info	pioneer2	nil	pioneer2: lap 1$' read
says '	info	pioneer2	nil	pioneer2: t"wo|  lines$' read
says '	error	nil	nil	task .*: no �light$' read
printf 'return { name = "box", base = { driver = "base" }, drivers = { base = { driver = "file", file = "./no" } } }\n' >"$work/broken.lua"
fails 1 "$ROBOTALK" serve "$work/broken.lua" --log-format json --listen "unix:$work/s"
lua5.4 "$work/read.lua" "$work/out" >"$work/read"
says '	error	box	nil	box: file: ' read
refuses 'expected text, journal or json, got xml' "$ROBOTALK" run "$work/lines.lua" --log-format xml

# the journal's own stream alone
: >"$work/out"
JOURNAL_STREAM=$(stat -c %d:%i "$work/out") fails 4 "$ROBOTALK" run "$work/lines.lua"
! grep -v '^<[346]>.' "$work/out"
says '^<6>pioneer2: lap 1$'
says '^<6>  lines$'
says '^<3>task '
JOURNAL_STREAM=1:1 fails 4 "$ROBOTALK" run "$work/lines.lua"
says "^$stamp robotalk: info: pioneer2: lap 1$"

"$ROBOTALK" serve pioneer2 --listen "unix:$work/s" --listen robotalk://localhost:0 --log-format json 2>"$work/log" &
server=$!
eventually test -S "$work/s"
"$ROBOTALK" run "$work/halter.lua" "unix:$work/s" >"$work/said"
"$ROBOTALK" repl --connect "unix:$work/s" -e 'robot:panic()' >"$work/said"
port=$(sed -n 's/.*robotalk:\/\/localhost:\([0-9]*\).*/\1/p' "$work/log")
curl -s "http://localhost:$port/" >"$work/said" || true
eventually says 'is dropped' log
end_server
lua5.4 "$work/read.lua" "$work/log" >"$work/read"
says '^20[^	]*	info	pioneer2	[^	]*(halter.lua) [0-9]*	robot pioneer2: stopped by' read
says '	warning	pioneer2	[^	]*	robot pioneer2: panicked by ' read
says '	warning	nil	[^ 	]*:[0-9]*	[^	]* is dropped: it speaks HTTP' read
