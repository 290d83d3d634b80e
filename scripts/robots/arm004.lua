-- The seven-dof arm on which paper 004 orders its commands: table I, Craig's modified Denavit-Hartenberg parameters. A
-- joint's rest matrix is Rx(alpha) Rz(theta at q = 0), its place a along x, and d lies between the joint and its link's
-- frame; all angles are quarter turns, so that the matrices are exact.
--
-- The first row's a is -0.274 here: with the printed +0.274, the trajectory (13) of the paper is out of reach
-- (its wrist 0.587 m from the shoulder, which reaches 0.5795 m).
local rad = math.rad

-- Rx(-90 deg) Rz(180 deg), of every joint but the first.
local FOLDED = { { -1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } }

-- Masses and limits are not in the paper: a slim link of 2 kg a joint, and limits that include its trajectories.
local links, joints = {
  [0] = { name = "base", shapes = { { type = "box", size = { 0.12, 0.12, 0.1 }, position = { -0.274, 0, 0 } } } },
}, {}
local length = { 0, 0, 0.313, 0, 0.2665, 0, 0 } -- d of each joint
for i = 1, 7 do
  local d = length[i]
  links[i] = { name = "link" .. i, mass = 2, com = { 0, 0, -d / 2 },
    inertia = { 0.004 + d * d / 6, 0.004 + d * d / 6, 0.004 },
    shapes = { { type = "cylinder", size = { 0.03, math.max(d, 0.06) }, position = { 0, 0, -d / 2 } } } }
  joints[i] = { name = "joint" .. i, driver = "arm", servo = { "setpoint", "speed" },
    inboard = { 0, 0, i > 1 and length[i - 1] / 2 or 0 }, outboard = { 0, 0, -d / 2 }, rest = FOLDED,
    -- 100 rad/s2 of constant acceleration and no speed limit in the paper's simulation
    dofs = { { name = "q", axis = { 0, 0, 1 }, limit = { rad(-180), rad(180) }, speed = 20, acceleration = 100 } } }
end
-- the two rows of the base: Tx(-0.274) Rz(90 deg) Rx(90 deg), before joint 1
joints[1].inboard = { -0.274, 0, 0 }
joints[1].rest = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } }

-- where the paper's line begins (13): p = (x, y, z) on the far side of the base; elbow up
local home = { -0.5033, -0.9055, 0.0, 1.2, 0.0, 0.6, 0.0 }
for i = 1, 7 do joints[i].dofs[1].home = home[i] end

---@type robotalk.Descriptor
return {
  name = "arm004", model = "the 7-dof arm of paper 004 (KTH)",
  deadman = 0.5,
  panic = "brake",
  links = links,
  joints = joints,
  frames = {
    { name = "tool", link = "link7", position = { 0, 0, 0.42 }, servo = { "setpoint", "speed" }, speed = 0.5,
      turn = 1.5 },
  },
  -- CAN at 500 kbaud: at most 1200 commands a second (section IV)
  bus = { rate = 1200, max_age = 0.2 },
  drivers = { arm = { driver = "simbus", rate = 1200, watchdog = 0.5 } },
}
