-- A Unimate PUMA 560 on a table (paper 000, III.A: "for a PUMA arm mounted on a table the GOTO command is
-- non-existent"). Denavit-Hartenberg parameters in the standard form, limits, masses and inertias: robotics-toolbox-
-- python, models/DH/Puma560.py, after Armstrong, Khatib and Burdick (1986). A link's frame is its DH frame: the joint's
-- rest matrix is Rx(alpha), its axis is z as that frame sees it, and the frame lies (a, 0, d) from the joint.
local rad = math.rad

-- Rows of Rx(alpha) for quarter turns, without rounding.
local function rest(quarters)
  return { { 1, 0, 0 }, { 0, quarters == 0 and 1 or 0, -quarters }, { 0, quarters, quarters == 0 and 1 or 0 } }
end

-- d, a, alpha in quarter turns, limits in degrees (the ones of the arm itself, "alternative" in that file); mass,
-- centre of mass, moments; greatest speed in deg/s (Unimate) and
-- torque in N m (Armstrong and others, from memory); q of home in degrees: elbow up, the hand over the table
local rows = {
  -- d: 26.45 inches from the foot to the shoulder. Of link 1 only the moment about its axis is known, so it has none
  -- here
  { d = 0.67183, a = 0, alpha = 1, low = -160, high = 160, speed = 82, force = 97.6, home = 0 },
  { d = 0, a = 0.4318, alpha = 0, low = -45, high = 225, mass = 17.4, com = { -0.3638, 0.006, 0.2275 },
    inertia = { 0.13, 0.524, 0.539 }, speed = 54, force = 186.4, home = 45 },
  { d = 0.15005, a = 0.0203, alpha = -1, low = -225, high = 45, mass = 4.8, com = { -0.0203, -0.0141, 0.070 },
    inertia = { 0.066, 0.086, 0.0125 }, speed = 122, force = 89.4, home = -180 },
  { d = 0.4318, a = 0, alpha = 1, low = -110, high = 170, mass = 0.82, com = { 0, 0.019, 0 },
    inertia = { 1.8e-3, 1.3e-3, 1.8e-3 }, speed = 228, force = 24.2, home = 0 },
  { d = 0, a = 0, alpha = -1, low = -100, high = 100, mass = 0.34, com = { 0, 0, 0 }, inertia = { 0.3e-3, 0.4e-3,
    0.3e-3 },
    speed = 241, force = 20.1, home = 45 },
  { d = 0, a = 0, alpha = 0, low = -266, high = 266, mass = 0.09, com = { 0, 0, 0.032 }, inertia = { 0.15e-3, 0.15e-3,
    0.04e-3 },
    speed = 228, force = 21.3, home = 0 },
}
local names = { "waist", "shoulder", "elbow", "wrist_roll", "wrist_bend", "flange" }

local TABLE = 0.75 -- height of the table, an estimate
local links = {
  [0] = { name = "foot", position = { 0, 0, TABLE },
    shapes = { { type = "cylinder", size = { 0.1, 0.6 }, position = { 0, 0, 0.3 }, colour = "#d8c89a" } } },
  -- a second root, which nothing moves
  [7] = { name = "table", position = { 0, 0, 0 },
    shapes = { { type = "box", size = { 1.6, 1.2, 0.05 }, position = { 0.3, 0, TABLE - 0.025 },
      colour = "#8a6a48" } } },
}
-- estimates, for pictures only
local shapes = {
  { { type = "cylinder", size = { 0.1, 0.35 }, attitude = { 0, 0, 0 } } },
  { { type = "box", size = { 0.55, 0.16, 0.1 }, position = { -0.21, 0, 0.2 } } },
  { { type = "cylinder", size = { 0.06, 0.45 }, position = { 0, 0, 0.2 } } },
  { { type = "cylinder", size = { 0.05, 0.1 } } },
  { { type = "sphere", size = { 0.045 } } },
  { { type = "cylinder", size = { 0.03, 0.05 }, position = { 0, 0, 0.03 } } },
}
local joints = {}
local before = { 0, 0, 0 } -- centre of mass of the link before
for i = 1, #rows do
  local row = rows[i]
  local com, sine, cosine = row.com or { 0, 0, 0 }, row.alpha, row.alpha == 0 and 1 or 0
  links[i] = { name = names[i], mass = row.mass, com = row.com, inertia = row.inertia, shapes = shapes[i] }
  shapes[i][1].colour = "#d8c89a"
  joints[i] = {
    name = names[i], parent = i - 1, child = i, driver = "arm", servo = { "setpoint", "speed", "force" },
    inboard = { -before[1], -before[2], -before[3] },
    outboard = { -row.a - com[1], -row.d * sine - com[2], -row.d * cosine - com[3] },
    rest = rest(row.alpha),
    dofs = {
      -- accelerations are estimates: full speed within a quarter of a second
      { name = "q", axis = { 0, sine, cosine }, limit = { rad(row.low), rad(row.high) }, speed = rad(row.speed),
        acceleration = 4 * rad(row.speed), force = row.force, home = rad(row.home) },
    },
  }
  before = com
end

---@type robotalk.Descriptor
return {
  name = "puma560", model = "Unimate PUMA 560 on a table",
  deadman = 0.5,
  panic = "brake",
  links = links,
  joints = joints,
  frames = {
    -- the flange is 56.3 mm from the wrist's middle
    { name = "hand", link = "flange", position = { 0, 0, 0.0563 }, servo = { "setpoint", "speed", "force" },
      speed = 0.5,
      turn = 1.5 },
  },
  widgets = {
    { name = "waist", type = "knob", command = "set_joint", joint = "waist", dof = "q" },
    { name = "shoulder", type = "slider", command = "set_joint", joint = "shoulder", dof = "q" },
    { name = "elbow", type = "slider", command = "set_joint", joint = "elbow", dof = "q" },
    { name = "home", type = "button", command = "home" },
  },
  drivers = { arm = { driver = "sim" } },
}
