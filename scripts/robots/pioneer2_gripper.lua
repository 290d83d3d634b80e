-- A Pioneer 2-DX with its camera and the two-fingered gripper of the same maker: a lift that carries two paddles, and
-- two beams across the gap between them. Sizes as in Player's p2os driver (p2os.cc: 0.315 m wide, 0.195 m
-- long and 0.035 m high; 0.205 m between open paddles, which are 0.095 m deep); the lift's 2 cm/s and the two beams of
-- ActivMedia's manual of the gripper. The lift's travel, the paddles' speed and all heights are estimates.
local rad = math.rad

local GAP, DEPTH, HEIGHT = 0.205, 0.095, 0.035
local FRONT = 0.195 - DEPTH -- of the carriage, before its joint

-- Its inner side is in the plane of its joint, where the gap ends.
local function paddle(name, side)
  return { name = name, mass = 0.1, inertia = { 1e-4, 1e-4, 1e-4 },
    shapes = { { type = "box", size = { DEPTH, 0.01, HEIGHT }, position = { DEPTH / 2, 0.005 * side, 0 },
      colour = "#404040" } } }
end

-- A beam from the left to the right, that far before the carriage. Its light goes between the paddles where they are
-- open; it stays there when they close.
local function beam(name, ahead)
  return { name = name, type = "beam", link = "carriage", range = { 0, GAP }, position = { FRONT + ahead, GAP / 2, 0 },
    attitude = { 0, 0, rad(-90) } }
end

---@type robotalk.Descriptor
return {
  from = "pioneer2",
  name = "pioneer2_gripper", model = "ActivMedia Pioneer 2-DX with a Sony EVI-D30 and a gripper",
  links = {
    [2] = { name = "carriage", mass = 1, com = { 0.05, 0, 0 }, inertia = { 0.01, 0.01, 0.01 },
      shapes = { { type = "box", size = { FRONT, 0.315, HEIGHT }, position = { FRONT / 2, 0, 0 },
        colour = "#303030" } } },
    [3] = paddle("left_paddle", 1),
    [4] = paddle("right_paddle", -1),
  },
  joints = {
    [2] = { name = "lift", parent = "base", child = "carriage", driver = "gripper", servo = { "setpoint", "speed" },
      position = { 0.18, 0, 0.03 }, -- at the body's front
      dofs = { { type = "prismatic", axis = { 0, 0, 1 }, limit = { 0, 0.08 }, speed = 0.02, acceleration = 0.2 } } },
    [3] = { name = "gripper", parent = "carriage", child = "left_paddle", driver = "gripper",
      servo = { "setpoint", "speed" }, position = { FRONT, 0, 0 },
      dofs = { { type = "prismatic", axis = { 0, 1, 0 }, limit = { 0, GAP / 2 }, speed = 0.05, acceleration = 0.5 } } },
    [4] = { name = "right_paddle", parent = "carriage", child = "right_paddle", driver = "gripper",
      servo = { "setpoint", "speed" }, position = { FRONT, 0, 0 },
      dofs = { { type = "prismatic", axis = { 0, -1, 0 }, limit = { 0, GAP / 2 }, mimic = { joint = "gripper" } } } },
  },
  sensors = {
    { name = "gripper", type = "gripper", link = "left_paddle", range = { 0, GAP }, driver = "gripper" },
    beam("outer_beam", 0.075),
    beam("inner_beam", 0.03),
  },
  drivers = { gripper = { driver = "sim" } },
}
