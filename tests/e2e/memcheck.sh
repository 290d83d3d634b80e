#!/bin/bash
# Nothing is read that was never written: valgrind sees what no sanitizer does. Robots of all kinds move with weight and without, in
# virtual time; a value out of nowhere would make a run another one, according to what ran before it.
. "${BASH_SOURCE%/*}/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
! grep -qE '__(asan|tsan)_init' "$ROBOTALK" || skip "a program with a sanitizer cannot run in valgrind"
cat >"$work/move.lua" <<'LUA'
local rt = require "robotalk"
for _, name in ipairs { "aibo_ers7", "aibo_ers210", "asimo", "pioneer2_gripper", "flyer", "puma560" } do
  local robot <close> = rt.connect(name)
  if robot:describe().descriptor.base then robot:set_speed { x = 0.05 } end
  rt.sleep(0.4)
  print(name, robot:stop())
end
LUA
for physics in "" --physics; do
    # shellcheck disable=SC2086 # none or one argument
    fails 0 valgrind -q --error-exitcode=9 "$ROBOTALK" run --virtual $physics "$work/move.lua"
    lacks 'uninitialised'
    says 'puma560'
done
