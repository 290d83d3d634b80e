#!/bin/bash
# A dog with weight finds a ball in the living room by its camera alone, walks there and kicks it. Where the ball is, is looked up
# in the physics, from above: the behaviour does not know it.
. "${BASH_SOURCE%/*}/lib.sh"
run=("$ROBOTALK" run --physics --virtual --until 200)
need_opengl "no ball was seen"

# witness.lua WHAT: the behaviour, what somebody does to the dog meanwhile, and how far the ball has come.
cat >"$work/witness.lua" <<'LUA'
local rt = require "robotalk"
local world = require "robotalk.world"
local HIGH, ROWS = 6, 480
local scale = 2 * HIGH * math.tan(math.rad(45) / 2) / ROWS -- m for a pixel, on the floor
local function ball()
  local view = rt.look { from = { 1.5, 0, HIGH }, to = { 1.5001, 0, 0 }, width = 640, height = ROWS, seen = "objects" }
  local x, y, n = 0, 0, 0
  for row = 0, ROWS - 1 do
    for column = 0, 639 do
      if view:at(column, row) == "thing/ball" then x, y, n = x + column, y + row, n + 1 end
    end
  end
  assert(n > 0, "the ball is hidden")
  return x / n * scale, y / n * scale
end

assert(rt.add_robot "aibo_ers7")
local connect = rt.connect
local witness <close> = connect "local:aibo_ers7"
function rt.connect() return connect "local:aibo_ers7" end
rt.sleep(0.1)
local x, y = ball()
if (...) == "is_hit" then
  local fallen = false
  witness:on_notice(function(what, value) fallen = fallen or what == "fallen" and value == 1 end)
  rt.spawn("somebody", function() -- drops 4 kg on its left side until it has fallen
    rt.sleep(3.2)
    while not fallen do
      local room = assert(loadfile "scripts/worlds/living_room.lua")()
      local at = witness:state()
      local c, s = math.cos(at.theta), math.sin(at.theta)
      local ahead, left = 0.06, 0.09 -- it walks 6 cm while the box falls
      table.insert(room.boxes, { size = { 0.1, 0.1, 0.1 }, raised = 0.9, mass = 4,
        position = { at.x + c * ahead - s * left, at.y + s * ahead + c * left } })
      assert(world.open(room))
      rt.sleep(1)
      table.remove(room.boxes)
      assert(world.open(room))
    end
  end)
end
arg[0] = "scripts/behaviors/kick_ball.lua"
local kicked = assert(loadfile(arg[0]))(select(2, ...))
rt.sleep(1)
local to_x, to_y = ball()
print(("the ball is %.2f m from where it was"):format(math.sqrt((to_x - x) ^ 2 + (to_y - y) ^ 2)))
return kicked
LUA

# from the first start of the room, and from another from where it is not seen
if ! brief; then
    sed 's/^  start = .*/  start = { { 2, -1, 0 } },/' scripts/worlds/living_room.lua >"$work/elsewhere.lua"
    for room in living_room "$work/elsewhere.lua"; do
        fails 0 "${run[@]}" --world "$room" "$work/witness.lua" nobody
        says 'kick() .*SUCCESS'
        says 'celebrate() .*SUCCESS'
        says 'the ball was kicked: the dog sees it [01]\.[0-9]* m ahead'
        says 'the ball is \(0\.[3-9]\|[1-9]\).* m from where it was'
        lacks 'falls()'
    done
fi

# a box stands between: it sees the ball over it, and goes around
sed 's/^    -- a carton that may.*/    { size = { 0.2, 0.4, 0.12 }, position = { 0.7, 0.13 } },\n&/' \
    scripts/worlds/living_room.lua >"$work/between.lua"
fails 0 "${run[@]}" --world "$work/between.lua" "$work/witness.lua" nobody
says 'approach() .*ERROR'
says 'go_around() .*SUCCESS'
says 'celebrate() .*SUCCESS'
says 'the ball is \(0\.[3-9]\|[1-9]\).* m from where it was'
lacks 'falls()'

# it is knocked over on its way
fails 0 "${run[@]}" --world living_room "$work/witness.lua" is_hit
says 'approach() .*ERROR'
says 'falls() .*happened'
says 'get_up() .*SUCCESS'
says 'celebrate() .*SUCCESS'
says 'the ball is \(0\.[3-9]\|[1-9]\).* m from where it was'

brief && exit
# there is no ball of that color
fails 1 "${run[@]}" --world living_room "$work/witness.lua" nobody green
says 'the dog gives up'
says 'the ball is 0\.00 m from where it was'
says 'the script has returned false; exit code 1'
