#!/bin/bash
# A PUMA with weight stacks cubes that its camera sees. Places are those of scripts/worlds/table.lua; what has become of the cubes
# is looked up in the physics, from above: what is nearest to a camera at 2.2 m, and how far below it that is.
. "${BASH_SOURCE%/*}/lib.sh"
run=("$ROBOTALK" run --physics --virtual --until 300)
need_opengl "no cube was seen"

# What there is not is said, and nothing is moved.
fails 1 "${run[@]}" --world table scripts/behaviors/stack_cubes.lua pink
says 'no cube is pink; there are blue, green, red, yellow'
fails 1 "${run[@]}" --world table scripts/behaviors/stack_cubes.lua red 9
says 'expected a tower of 1 to 4 cubes, got 9'
lacks 'take('

# The table of the library, where the yellow cube stands on the green one.
yellow='{ name = "yellow", size = { 0.05, 0.05, 0.05 }, position = { 0.55, -0.15 }, raised = TOP + 0.05, heading = 0.4, mass = 0.08,
    colour = "#e2c22f", friction = 1 },'
sed "s/cube(\"yellow\".*/${yellow//$'\n'/ }/" scripts/worlds/table.lua >"$work/other.lua"
"$ROBOTALK" check "$work/other.lua" >"$work/out"

# somebody.lua WHAT: the behaviour, and somebody who reaches into it with a stick; then what is true.
cat >"$work/somebody.lua" <<'LUA'
local rt = require "robotalk"

local function slide(name, axis)
  return { name = name, type = "prismatic", axis = axis, limit = { -2, 2 }, speed = 1, acceleration = 5, force = 60 }
end
-- A stick that begins at 0.7, -0.9, 0.78 and goes wherever it is told.
local ways = {
  nobody = {},
  takes_away = { { 2.5, 0, 1.05, 0 }, { 4.5, 0, 0, 0 } }, -- along y, where the blue cube lies
  knocks_down = { { 18, -0.15, 0, 0.05 }, { 19, -0.15, 0.85, 0.05 }, { 21, -0.15, 0, 0.05 } }, -- above the green one
}
local what = ...
assert(rt.add_robot { name = "stick", deadman = 0.5,
  links = { [0] = { name = "tip", position = { 0.7, -0.9, 0.78 }, mass = 1, inertia = { 1e-3, 1e-3, 1e-3 },
    shapes = { { type = "box", size = { 0.03, 0.05, 0.04 }, colour = "#888888" } } } },
  joints = { [0] = { name = "arm", parent = "world", child = "tip", servo = { "setpoint" }, driver = "hand",
    dofs = { slide("x", { 1, 0, 0 }), slide("y", { 0, 1, 0 }), slide("z", { 0, 0, 1 }) } } },
  drivers = { hand = { driver = "physics" } } })
local stick <close> = rt.connect "local:stick"
rt.spawn("somebody", function()
  local begin = rt.now()
  for _, way in ipairs(ways[what]) do
    rt.sleep(begin + way[1] - rt.now())
    stick:set_joint("arm", { x = way[2], y = way[3], z = way[4] })
  end
end)

local tower = assert(loadfile "scripts/behaviors/stack_cubes.lua")()

-- Where the middle of a thing is in a picture from above, and how high its top is.
local function truth(name)
  local view = { from = { 0.5, 0, 2.2 }, to = { 0.5001, 0, 0 }, width = 320, height = 240 }
  local far = rt.look { from = view.from, to = view.to, width = 320, height = 240, seen = "depth" }
  view.seen = "objects"
  local things, x, y, n, top = rt.look(view), 0, 0, 0, 0
  for row = 0, 239 do
    for column = 0, 319 do
      if things:at(column, row) == "thing/" .. name then
        x, y, n, top = x + column, y + row, n + 1, math.max(top, 2.2 - far:at(column, row))
      end
    end
  end
  return n > 0 and x / n, y / n, top
end
rt.sleep(1)
local x, y, top = truth "red"
print(("red is at %.3f m, above %d cubes"):format(top, tower and #tower - 1 or 0))
rt.sleep(30)
local later_x, later_y, later = truth "red"
print(x == later_x and y == later_y and top == later and "and rests" or "and moves")
LUA

if ! brief; then
    fails 0 "${run[@]}" --world table "$work/somebody.lua" nobody
    says 'take(blue) .*SUCCESS'
    says 'the tower stands: red on blue on green'
    says 'red is at 0\.\(900\|899\) m, above 2 cubes'
    says 'and rests'
fi

# Another layout, another plan: one cube is moved, and not three.
fails 0 "${run[@]}" --world "$work/other.lua" "$work/somebody.lua" nobody
says 'done in .*, 5 actions'
says 'the tower stands: red on yellow on green'
says 'red is at 0\.\(900\|899\) m, above 2 cubes'
says 'and rests'

# The blue cube is shoved aside while the hand comes down: it has nothing, looks, and tries again.
if ! brief; then
    fails 0 "${run[@]}" --world table "$work/somebody.lua" takes_away
    [ "$(grep -c 'take(blue)' "$work/out")" -ge 2 ]
    says 'the tower stands: red on '
    says 'red is at 0\.\(900\|899\) m, above 2 cubes'
    says 'and rests'
fi

# The blue cube is knocked off the green one: a new plan begins with where it lies now.
fails 0 "${run[@]}" --world table "$work/somebody.lua" knocks_down
says 'put(green) .*SUCCESS'
says 'the tower stands: red on '
says 'done in .*, 1[0-9] actions'
says 'red is at 0\.\(900\|899\) m, above 2 cubes'
says 'and rests'
