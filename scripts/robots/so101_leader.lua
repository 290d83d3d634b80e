-- The leader arm of the SO-101, which a hand moves and an arm as so101_follower follows: the same arm with a handle and
-- a trigger in place of the gripper, and with gears that turn easily. Masses, inertias and the trigger's range:
-- TheRobotStudio/SO-ARM100 02aab7d, Simulation/SO101/so101_leader_new_calib.urdf, by which they are provisional; gears:
-- LeRobot, docs/source/so101.mdx; the shapes of handle and trigger are estimates. On metal its servos have no torque:
--   return { from = "so101_leader", name = "leader", drivers = {
--     arm = { driver = "servos", port = "/dev/ttyACM1", torque = false } } }
local rad = math.rad

-- Speed and force of the follower's gears, 1 : 345; others turn faster by their ratio, and are weaker by it.
local SPEED, ACCELERATION, TORQUE = 3.1, 12, 3.35

local function joint(name, low, high, gear)
  return { name = name, dofs = { { limit = { low, high }, speed = SPEED * 345 / gear, acceleration = ACCELERATION,
    force = TORQUE * gear / 345 } } }
end

local function part(size, position, turn)
  return { type = "box", size = size, position = position, attitude = { 0, turn or 0, 0 }, colour = "#f2b81e" }
end

-- With them a client sees how old a position is.
local function encoder(of, link) return { name = of .. "_encoder", type = "encoder", link = link } end

---@type robotalk.Descriptor
return {
  from = "so101_follower",
  name = "so101_leader", model = "TheRobotStudio SO-101, leader arm",
  links = {
    { name = "gripper", mass = 0.11759351, com = { -0.01463933706, 0.0002370558212, -0.03716427729 },
      inertia = { 7.859176784e-05, 0.000178854821, 0.0001218796153, -6.681173168e-07, -7.050604632e-05,
        -3.231463563e-07 },
      shapes = {
        { type = "cylinder", size = { 0.018, 0.01 }, position = { 0, 0, -0.005 }, colour = "#f2b81e" },
        part({ 0.04, 0.048, 0.026 }, { -0.0152, 0, -0.023 }),
        { type = "box", size = { 0.0454, 0.0396, 0.0248 }, position = { 0.0077, 0.0005, -0.0234 }, colour = "#202224" },
        part({ 0.024, 0.03, 0.1 }, { -0.0435, 0, -0.075 }, rad(15)),
      } },
    { name = "jaw", mass = 0.006482134179, com = { -0.005619805153, -0.02459451886, 0.009867440284 },
      inertia = { 2.350989358e-06, 1.421821883e-06, 2.203508731e-06, -3.4844179e-07, 1.776125872e-07, 8.591511074e-07 },
      shapes = {
        { type = "cylinder", size = { 0.011, 0.004 }, position = { 0, 0, -0.002 }, colour = "#f2b81e" },
        { type = "box", size = { 0.006, 0.05, 0.022 }, position = { -0.006, -0.03, 0.011 }, colour = "#f2b81e" },
      } },
  },
  joints = {
    joint("shoulder_pan", -1.91986, 1.91986, 191),
    joint("shoulder_lift", -1.74533, 1.74533, 345),
    joint("elbow_flex", -1.69, 1.69, 191),
    joint("wrist_flex", -1.65806, 1.65806, 147),
    joint("wrist_roll", -2.74385, 2.84121, 147),
    joint("gripper", 0, rad(45), 147),
  },
  frames = { { name = "hand", position = { -0.035, 0, -0.06 } }, [3] = false },
  sensors = {
    encoder("shoulder_pan", "shoulder"), encoder("shoulder_lift", "upper_arm"), encoder("elbow_flex", "lower_arm"),
    encoder("wrist_flex", "wrist"), encoder("wrist_roll", "gripper"), encoder("gripper", "jaw"),
  },
  cameras = false,
  drivers = { arm = { gripper = "sts3215 id=6" }, eye = false },
}
