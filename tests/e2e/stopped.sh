#!/bin/bash
# A stop by another client ends each bundled behaviour that drives: nothing that it moves moves on, and it does not loop on.
. "${BASH_SOURCE%/*}/lib.sh"
need_opengl "no behaviour that sees by a camera was stopped"
cat >"$work/stopper.lua" <<'LUA'
local rt = require "robotalk"
local name, body, seconds = ...
arg[0] = "scripts/behaviors/" .. name .. ".lua"
local robot <close> = rt.connect(body, { apart = true, name = "stopper" })
local task = rt.spawn(assert(loadfile(arg[0])))
task.watched = true

local function places()
  local state = robot:state()
  local list = { ("%.3f %.3f %.3f"):format(state.x, state.y, state.theta) }
  for joint, dofs in pairs(state.joints) do
    for dof, q in pairs(type(dofs) == "table" and dofs or { q = dofs }) do
      list[#list + 1] = ("%s.%s %.3f"):format(joint, dof, q)
    end
  end
  table.sort(list)
  return table.concat(list, "\n")
end

local before = places()
rt.sleep(tonumber(seconds))
assert(before ~= places(), "it has moved nothing")
local signal = robot:stop()
assert(signal == "SUCCESS" or signal == "MODIFIED", signal) -- MODIFIED: the behaviour has stopped what it moves, too
rt.sleep(0.5)
local at = places()
rt.sleep(10)
assert(at == places(), "it moves on")
assert(task:status() == "done" or task:status() == "failed", "it is " .. task:status())
print(task:wait())
LUA

# BEHAVIOUR ROBOT SECONDS WHAT-IT-SAYS OPTION…
while read -r name body seconds said options; do
    fails 0 "$ROBOTALK" run --virtual $options "$work/stopper.lua" "$name" "$body" "$seconds"
    says "${said//_/ }" || { echo "$name does not say that it was stopped" >&2; false; }
done <<'END'
square pioneer2 3 corner_4:_INTERRUPTED,_stopped_by_stopper
patrol pioneer2 3 stopped_by_stopper
watchman pioneer2 3 stopped_by_stopper
kick_ball aibo_ers7 1 stopped_by_stopper
kick_ball aibo_ers7 4 stopped_by_stopper
follow_wall pioneer2 5 ^stopped_by_stopper --physics --world living_room
leave_maze pioneer2_laser 5 ^stopped_by_stopper --physics --world maze
push_ball pioneer2 1 gives_up_after_._s:_stopped_by_stopper --physics --world living_room
push_ball pioneer2 3 the_ball_is_near --physics --world living_room
so101_pick so101_follower 1 gives_up:_stopped_by_stopper --physics --world table
stack_cubes puma560_gripper 2 gives_up:_take.*stopped_by_stopper --physics --world table
END
