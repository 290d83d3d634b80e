-- LeKiwi: an SO-101 on a base of three omni wheels. Heights and positions: SIGRobotics-UIUC/LeKiwi d8febef,
-- URDF/LeKiwi.urdf, whose masses are those of solid parts and are not taken; the wheels' radius and their distance from
-- the middle: LeRobot, 50 and 125 mm. The base's mass is an estimate: 0.22 kg of plates, 0.36 of wheels, 0.17 of
-- servos, 0.3 of a battery and 0.35 of mounts and a computer. On metal, where the servos of the wheels (ids and
-- directions: LeRobot) are in the mode for speeds:
--   return { from = "lekiwi", name = "kiwi", drivers = {
--     arm = { driver = "servos", port = "/dev/ttyACM0" }, eye = { driver = "v4l2", device = "/dev/video0" } } }
local rad = math.rad
local RADIUS, REACH, WIDTH = 0.05, 0.125, 0.032 -- m: of a wheel, from the middle to it, of its rim
local ARM = { 0.028, 0, 0.089 }                 -- m: the arm's foot, on the upper plate
local YELLOW, BLACK = "#f2b81e", "#202224"

local function box(size, x, z, colour)
  return { type = "box", size = size, position = { ARM[1] + x, 0, ARM[3] + z }, colour = colour }
end
local shapes = {
  { type = "cylinder", size = { 0.11, 0.007 }, position = { 0, 0, 0.0285 }, colour = "#f4f4f0" },
  { type = "cylinder", size = { 0.11, 0.007 }, position = { 0, 0, 0.0855 }, colour = "#f4f4f0" },
  { type = "box", size = { 0.06, 0.1, 0.04 }, position = { -0.02, 0, 0.052 }, colour = BLACK }, -- the battery
  -- the foot of the arm, as so101_follower has it
  box({ 0.086, 0.111, 0.018 }, 0.021, 0.009, YELLOW),
  box({ 0.036, 0.044, 0.02 }, -0.004, 0.028, YELLOW),
  box({ 0.08, 0.048, 0.031 }, 0.013, 0.0514, YELLOW),
  box({ 0.0454, 0.0248, 0.0396 }, 0.0263, 0.0441, BLACK),
}
for _, degrees in ipairs { 60, 180, -60 } do -- left, back, right
  local angle = rad(degrees)
  local x, y = math.cos(angle), math.sin(angle)
  shapes[#shapes + 1] = { type = "cylinder", size = { RADIUS, WIDTH }, position = { REACH * x, REACH * y, RADIUS },
    attitude = { rad(90), 0, angle - rad(90) }, colour = BLACK, roll = "omni" }
  shapes[#shapes + 1] = { type = "cylinder", size = { 0.004, 0.05 }, position = { 0.09 * y, -0.09 * x, 0.057 },
    colour = "#9aa0a6" } -- a standoff between the plates
end

---@type robotalk.Descriptor
return {
  from = "so101_follower",
  name = "lekiwi", model = "SIGRobotics LeKiwi: an SO-101 on three omni wheels",
  base = { driver = "arm", holonomic = true,
    -- LeRobot drives the wheels at 3000 steps a second, 4.6 rad/s, at most; the acceleration is an estimate
    speed = { x = 0.23, y = 0.23, theta = 1.8 }, acceleration = { x = 0.5, y = 0.5, theta = 4 } },
  links = { [0] = { name = "base", mass = 1.547, com = { 0.004, 0, 0.065 }, inertia = { 0.0095, 0.0095, 0.014 },
    shapes = shapes } },
  joints = { { name = "shoulder_pan", position = { ARM[1] + 0.0388353, 0, ARM[3] + 0.0624 } } },
  cameras = { { name = "front", link = "base", position = { 0.115, 0, 0.06 }, attitude = { 0, rad(10), 0 }, width = 640,
    height = 480, fov = rad(65), rate = 30, driver = "eye" } },
  drivers = { arm = { wheel1 = "sts3215 id=7", wheel2 = "sts3215 id=8", wheel3 = "sts3215 id=9" } },
  widgets = {
    { name = "drive", type = "pad", command = "set_speed", range = { -0.2, 0.2 } },
    { name = "home", type = "button", command = "home" },
    { name = "stop", type = "button", command = "stop" },
  },
}
