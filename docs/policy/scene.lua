-- What teach.lua and pick.lua share: a cube somewhere on a table, an arm that looks there, and what the network sees.
local rt = require "robotalk"

local TOP <const> = 0.75 -- m
local scene = { OPEN = 0.6, AXIS = 0.0388, -- rad of the gripper; x of the axis about which the arm pans, m
  JOINTS = { "shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper" } }

-- A new world: the arm, looking at the table more or less, and the place of the cube. To be closed: the arm.
function scene.start(random)
  local far, angle = 0.17 + 0.09 * random(), random() - 0.5
  local cube = { x = scene.AXIS + far * math.cos(angle), y = far * math.sin(angle) }
  assert(rt.world {
    boxes = {
      { name = "table", size = { 1.6, 1.2, 0.05 }, position = { 0.3, 0 }, raised = TOP - 0.05, colour = "#a9835a" },
      { name = "cube", size = { 0.025, 0.025, 0.025 }, position = { cube.x, cube.y }, raised = TOP, mass = 0.016,
        friction = 1, heading = angle + 0.6 * (random() - 0.5), colour = "#1fb8c9" } },
    lights = { { position = { 0.4, -0.8, 2.2 }, direction = { 0, 0.4, -1 }, colour = "#707070" },
      { position = { 0.4, 0.8, 2.2 }, direction = { 0, -0.4, -1 }, colour = "#707070" } },
    start = { { 0, 0, 0, TOP - 0.001 } } })
  local robot, parts = rt.connect "./arm.lua", {}
  for j, x in ipairs { 0, -0.43, 0.15, 1.66, 0.05 } do parts[scene.JOINTS[j]] = x + 0.1 * (random() - 0.5) end
  parts.gripper = scene.OPEN
  robot:move(parts)
  return robot, cube
end

-- The joints; and of the blob of the cube whether it is there, its middle and its size, by the width of the picture.
function scene.features(seen)
  local blob, row, half = seen.wrist:blob("cyan", { least = 9 }), { table.unpack(seen.position) }, seen.wrist.width / 2
  for _, x in ipairs { blob and 1 or 0, blob and blob.x / half - 1 or 0, blob and blob.y / half - 0.75 or 0,
    blob and 2 * math.sqrt(blob.area) / half or 0 } do row[#row + 1] = x end
  return row
end

function scene.picked() return rt.thing("cube").position[3] > TOP + 0.05 end

return scene
