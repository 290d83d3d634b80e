-- An SO-101 finds a cube of 25 mm by the camera at its wrist, takes it, and lifts it. Where a pixel lies on the table
-- follows from the pose of the camera; inverse kinematics finds the postures. The arm has five dofs: the hand is where
-- it should be, and points downwards as far as the arm reaches that way.
--   robotalk run --physics --virtual --world table scripts/behaviors/so101_pick.lua [COLOUR [ROBOT]]
-- (cyan, so101_follower; one of metal is a descriptor of its own: docs/robots.md)
local rt = require "robotalk"

local colour, body = ...
colour, body = colour or "cyan", body or "so101_follower"
-- Places are in the frame of the arm's base: m, and 0 is the height of the table.
local CUBE = 0.025
local AXIS = 0.0388                        -- x of the axis about which the arm pans
local HIGH, ABOVE, LOW, UP = 0.13, 0.08, 0.024, 0.2 -- of the hand: it looks around, looks again, grasps, has lifted
local FAR, PANS = 0.17, { 0, 0.7, -0.7, 1.4, -1.4 } -- where it looks around: m from the axis, rad
local OPEN, CLOSED, HELD = 0.6, -0.17, 0.05 -- rad of the gripper; it holds something if it is wider than the last
local LEAST = 150     -- pixels of a region that may be the cube
local CLOSE = 0.003   -- m that a posture may miss its place by
local TRIES = 3

local robot <close> = rt.connect(body, { deadman = 1 })
local eye, model = robot:camera "wrist", robot.model
local ARM = { "shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll" }

-- ---- vision ----

-- The place of a pixel at that height, as the camera stands.
local function place_of(pose, x, y, height)
  local scale, r = 2 * math.tan(eye.fov / 2) / eye.width, pose.rotation -- the camera looks along x; y is left, z up
  local left, up = ((eye.width - 1) / 2 - x) * scale, ((eye.height - 1) / 2 - y) * scale
  local along = {}
  for i = 1, 3 do along[i] = r[3 * i - 2] + left * r[3 * i - 1] + up * r[3 * i] end
  local far = (height - pose.position[3]) / along[3]
  return pose.position[1] + far * along[1], pose.position[2] + far * along[2]
end

-- The cube: the middle and the heading of its top face, or nil. A square is the same after a quarter turn, so its
-- pixels count by four times their angle; the corners, which are farthest, count most.
local function look()
  rt.sleep(0.2) -- the arm comes to rest, and the camera takes a picture
  local picture = assert(eye:frame { format = "rgb" })
  local blob = picture:blob(colour, { least = LEAST })
  if not blob then return nil end
  local pose = model:fk(robot:state().position, "eye")
  local red, green, blue = picture:pixel(math.floor(blob.x), math.floor(blob.y))
  local x, y, spots = 0, 0, {}
  for row = blob.top, blob.top + blob.height - 1 do
    for column = blob.left, blob.left + blob.width - 1 do
      local r, g, b = picture:pixel(column, row)
      if math.abs(r - red) + math.abs(g - green) + math.abs(b - blue) < 40 then -- the sides are darker
        local spot = { place_of(pose, column, row, CUBE) }
        spots[#spots + 1] = spot
        x, y = x + spot[1], y + spot[2]
      end
    end
  end
  x, y = x / #spots, y / #spots
  local cosine, sine = 0, 0
  for _, spot in ipairs(spots) do
    local dx, dy = spot[1] - x, spot[2] - y
    local far, angle = (dx * dx + dy * dy) ^ 2, 4 * math.atan(dy, dx)
    cosine, sine = cosine + far * math.cos(angle), sine + far * math.sin(angle)
  end
  return { x, y, math.atan(-sine, -cosine) / 4 }
end

-- ---- motions ----

-- Of the ways to grasp a cube, the one for which the wrist turns least.
local function heading_of(cube)
  local straight = math.atan(cube[2], cube[1] - AXIS) + math.pi -- that of the hand while the wrist is not turned
  return straight + (cube[3] - straight + math.pi / 4) % (math.pi / 2) - math.pi / 4
end

-- Moves the hand to a place, pointing downwards.
local function reach(x, y, z, heading)
  local pan = -math.atan(y, x - AXIS) -- the joint turns clockwise
  local posture, _, _, report = model:ik("hand", { position = { x, y, z }, attitude = { math.pi, 0, heading } },
    { pan, 0, 0.3, 1.2, 0, 0 }, { rotation_weight = 0.01, attempts = 1 })
  if not posture and report.position_error < CLOSE then posture = report.posture end
  if not posture then return nil, ("%.3f, %.3f, %.3f is out of reach"):format(x, y, z) end
  local parts = {}
  for i, name in ipairs(ARM) do parts[name] = posture[i] end
  local word, why = robot:move(parts)
  return rt.ok(word), why
end

local function search()
  local picture = assert(eye:frame { format = "rgb" })
  if picture:card() then return nil, "its camera shows a test card: it needs a camera, or --physics" end
  robot:set_joint("gripper", OPEN)
  for _, pan in ipairs(PANS) do
    local moved, why = reach(AXIS + FAR * math.cos(pan), FAR * math.sin(pan), HIGH, pan + math.pi)
    if not moved then return nil, why end
    local cube = look()
    if cube then return cube end
  end
  return nil, "nothing " .. colour .. " is in sight"
end

local function pick(cube)
  for _, z in ipairs { ABOVE, LOW } do
    local moved, why = reach(cube[1], cube[2], z, heading_of(cube))
    if not moved then return nil, why end
    cube = z == ABOVE and look() or cube -- from near by it is seen better
  end
  print(("%s cube at %.3f, %.3f m, turned by %.0f degrees"):format(colour, cube[1], cube[2], math.deg(cube[3])))
  robot:set_joint("gripper", CLOSED) -- until the cube is between the fingers
  local moved, why = reach(cube[1], cube[2], UP, heading_of(cube))
  if not moved then return nil, why end
  rt.sleep(0.5) -- it would slip now
  local wide = robot:state().joints.gripper.gripper
  if wide < HELD + CLOSED then return nil, "the gripper is empty" end
  return ("lifted, the gripper holds it %.2f rad open"):format(wide - CLOSED)
end

local done, why
for _ = 1, TRIES do
  local cube
  cube, why = search()
  if cube then done, why = pick(cube) end
  if not cube or done or robot:stopped() then break end
  print(why .. ": once more")
end
local stopped = robot:stopped()
print(done or ("it gives up: %s"):format(stopped and "stopped by " .. stopped.by or why))
return done and true or false
