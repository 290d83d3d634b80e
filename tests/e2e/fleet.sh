#!/bin/bash
# The experiment of a fleet, small: each machine is a network namespace, and all end with the program, also by SIGKILL. Where
# namespaces or tap devices are not allowed, this is skipped.
. "${BASH_SOURCE%/*}/lib.sh"

cat >"$work/machine.lua" <<LUA
local net <close> = assert(require "robotalk.lab".open { machines = { "a" }, folder = "$work" })
print(assert(net:run("a", { "sleep", "1000" })).number)
io.stdout:flush()
require "robotalk".sleep(1000)
LUA
"$ROBOTALK" run "$work/machine.lua" >"$work/out" 2>&1 &
program=$!
eventually grep -q . "$work/out"
! grep 'a machine needs\|a machine is' "$work/out" || skip "no machine can be made here: no fleet was tried"
sleeper=$(cat "$work/out")
grep -q sleep "/proc/$sleeper/comm"
kill -KILL "$program"
ended() { ! kill -0 "$sleeper"; }
eventually ended

# limits are of a machine that is not busy with other tests: here each has ten times as long
"$ROBOTALK" experiment fleet --servers 3 --operators 2 --json --out "$work/fleet.d" >"$work/json" 2>"$work/err" || [ $? = 1 ]
cat >"$work/judge.lua" <<'LUA'
local rows, n = {}, 0
for _, r in ipairs(require "robotalk.json".decode(io.read "a").runs) do
  rows[r.name], n = r, n + (r.of and 1 or 0)
  if r.of then
    assert(r.number >= r.of and r.of > 0, r.name)
    assert(not r.limit_s or r.worst_s < 10 * r.limit_s, r.name)
  end
end
assert(n == 10 and rows["a panic latches every robot"].of == 12)
local share = rows["greatest share of acceleration or speed"].worst
assert(share > 0.1 and share < 1.05, share)
for _, group in ipairs { "server", "operator", "switch" } do assert(rows[group].memory_mib > 0.5) end
LUA
"$ROBOTALK" run "$work/judge.lua" <"$work/json"
grep -q '</svg>' "$work/fleet.d/fleet.svg"
grep -q '"what":"rests"' "$work/fleet.d/fleet/1-s1"
refuses '--servers wants a whole number of 3 or more' "$ROBOTALK" experiment fleet --servers 2
refuses 'it has no option --operators' "$ROBOTALK" experiment bodies --operators 2
