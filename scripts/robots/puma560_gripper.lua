-- A PUMA 560 with a parallel gripper of two fingers on its flange, and a camera on a mast that looks down on the table.
-- The gripper has sizes, mass and forces of the Franka Hand (its maker's data sheet and description): 0.73 kg with its
-- fingers, 58.4 mm from the flange to where they begin, 103.4 mm to the middle between their pads, 80 mm open, 50 mm/s
-- each, 70 N from each side. It holds by friction, in the physics (docs/physics.md).
local rad = math.rad

local FLANGE = 0.0563              -- m: from the wrist's middle, where the flange's frame is
local PALM, GRASP = 0.0584, 0.1034 -- m from the flange: where fingers begin, and the middle between their pads
local FINGER = 0.15                -- kg: a finger with its carriage and half of the drive, an estimate
local TABLE, UP = 0.75, 1.6        -- m: height of the table; of the camera above it

-- The flange and the palm are one link: masses, and moments about their common centre.
local mass, palm = 0.09, 0.73 - 2 * FINGER
local whole = mass + palm
local com = (mass * 0.032 + palm * (FLANGE + 0.03)) / whole
local function moment(own, added) return own + added + mass * (com - 0.032) ^ 2 + palm * (com - FLANGE - 0.03) ^ 2 end

local function finger(name, side)
  return { name = name, mass = FINGER, com = { 0, 0.01 * side, 0.03 }, inertia = { 2.4e-5, 2.4e-5, 7.5e-6 },
    shapes = {
      { type = "box", size = { 0.02, 0.018, 0.025 }, position = { 0, 0.016 * side, 0.0125 }, colour = "#e8e8e6" },
      { type = "box", size = { 0.02, 0.01, 0.0538 }, position = { 0, 0.005 * side, 0.0269 }, colour = "#3c4046" },
    } }
end

---@type robotalk.Descriptor
return {
  from = "puma560",
  name = "puma560_gripper", model = "Unimate PUMA 560 on a table, with a gripper and a camera above",
  links = {
    [6] = { name = "flange", mass = whole, com = { 0, 0, com },
      inertia = { moment(0.15e-3, 0.001), moment(0.15e-3, 0.0025), 0.04e-3 + 0.0017 },
      shapes = {
        { type = "cylinder", size = { 0.03, 0.05 }, position = { 0, 0, 0.03 }, colour = "#d8c89a" },
        { type = "box", size = { 0.063, 0.204, PALM }, position = { 0, 0, FLANGE + PALM / 2 }, colour = "#e8e8e6" },
      } },
    [8] = finger("left_finger", 1),
    [9] = finger("right_finger", -1),
    [10] = { name = "mast", position = { 0.5, 0.58, TABLE },
      shapes = {
        { type = "cylinder", size = { 0.015, UP + 0.04 }, position = { 0, 0, UP / 2 + 0.02 }, colour = "#70757c" },
        { type = "box", size = { 0.03, 0.6, 0.02 }, position = { 0, -0.28, UP + 0.04 }, colour = "#70757c" },
        { type = "box", size = { 0.06, 0.06, 0.04 }, position = { 0, -0.58, UP + 0.02 }, colour = "#202428" },
      } },
  },
  joints = {
    [6] = { name = "flange", outboard = { 0, 0, -com } },
    [7] = { name = "gripper", parent = "flange", child = "left_finger", driver = "arm",
      servo = { "setpoint", "speed", "force" }, position = { 0, 0, FLANGE + PALM },
      dofs = { { type = "prismatic", axis = { 0, 1, 0 }, limit = { 0, 0.04 }, speed = 0.05, acceleration = 0.5,
        force = 140, home = 0.04 } } },
    [8] = { name = "right_finger", parent = "flange", child = "right_finger", driver = "arm",
      servo = { "setpoint", "speed", "force" }, position = { 0, 0, FLANGE + PALM },
      dofs = { { type = "prismatic", axis = { 0, -1, 0 }, limit = { 0, 0.04 }, mimic = { joint = "gripper" } } } },
  },
  frames = { { name = "hand", position = { 0, 0, FLANGE + GRASP } } },
  sensors = { { name = "gripper", type = "gripper", link = "left_finger", range = { 0, 0.08 } } },
  cameras = {
    -- the picture's right side is the table's right side, y < 0, and its upper side is far from the arm
    { name = "above", link = "mast", position = { 0, -0.58, UP }, attitude = { 0, rad(90), 0 }, width = 1280,
      height = 960, rate = 5, fov = rad(40) },
  },
}
