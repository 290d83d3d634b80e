-- A free-flying body with all six degrees of freedom: joint 0, between the world and the root link, has six dofs (paper
-- 000, III.B: "a maximum of six dofs per joint for a fully unconstrained rigid transformation on a link"). No base: the
-- dofs of the root move it, and go_to and set_speed are answered through them. A body of our own: an inspection robot
-- of the size of a football in a room of ten metres; every number is chosen.
local rad = math.rad

local MASS, RADIUS = 6, 0.16
local moment = 2 / 5 * MASS * RADIUS ^ 2 -- of a solid ball

local function slide(name, axis, low, high)
  return { name = name, type = "prismatic", axis = axis, limit = { low, high }, speed = 1, acceleration = 1,
    force = 20 }
end
local function turn(name, axis, limit)
  return { name = name, type = "revolute", axis = axis, limit = limit, speed = rad(90), acceleration = rad(180),
    force = 2 }
end

---@type robotalk.Descriptor
return {
  name = "flyer", model = "a free-flying inspection robot",
  deadman = 0.5,
  panic = "hold",
  links = {
    -- its start position: its dofs count from here
    [0] = { name = "body", position = { 0, 0, 1.5 }, mass = MASS, inertia = { moment, moment, moment },
      shapes = { { type = "sphere", size = { RADIUS }, colour = "#e8e8f0" } } },
    [1] = { name = "camera", mass = 0.2, inertia = { 1e-4, 1e-4, 1e-4 },
      shapes = { { type = "box", size = { 0.06, 0.05, 0.05 }, position = { 0.03, 0, 0 }, colour = "#303030" } } },
  },
  joints = {
    [0] = {
      name = "flight", parent = "world", child = "body", servo = { "setpoint", "speed" },
      dofs = {
        slide("x", { 1, 0, 0 }, -5, 5), slide("y", { 0, 1, 0 }, -5, 5), slide("z", { 0, 0, 1 }, -1.3, 1.3),
        turn("yaw", { 0, 0, 1 }), turn("pitch", { 0, 1, 0 }, { rad(-80), rad(80) }), turn("roll", { 1, 0, 0 }),
      },
    },
    [1] = {
      name = "head", parent = "body", child = "camera", servo = { "setpoint", "speed" }, position = { RADIUS, 0, 0 },
      dofs = {
        { name = "pan", axis = { 0, 0, 1 }, limit = { rad(-100), rad(100) }, speed = rad(90), acceleration = rad(500) },
        { name = "tilt", axis = { 0, -1, 0 }, limit = { rad(-60), rad(60) }, speed = rad(90), acceleration = rad(500) },
      },
    },
  },
  frames = { { name = "gaze", link = "camera", position = { 0.06, 0, 0 }, speed = 0.8, turn = rad(60) } },
  cameras = { { name = "eye", link = "camera", position = { 0.06, 0, 0 }, width = 640, height = 480, fov = rad(70),
    rate = 30 } },
}
