-- The follower arm of the SO-101, with a camera at its wrist. Positions of the joints, limits, masses, centres of mass,
-- inertias and the torque of its servos: TheRobotStudio/SO-ARM100 fda892c, Simulation/SO101/so101_new_calib.urdf and
-- .xml; sizes of the shapes: those of the parts there. A joint is at 0 in the middle of its range. On metal:
--   return { from = "so101_follower", name = "so101", drivers = {
--     arm = { driver = "servos", port = "/dev/ttyACM0" }, eye = { driver = "v4l2", device = "/dev/video0" } } }
local rad = math.rad

-- A servo turns at 4.7 rad/s without load (its maker: 45 revolutions a minute); two thirds of that, and the
-- acceleration, are estimates. 3.35 N m is the torque in the .xml file; the gripper presses with half of it, as LeRobot
-- sets it.
local SPEED, ACCELERATION, TORQUE = 3.1, 12, 3.35
local YELLOW, BLACK = "#f2b81e", "#202224" -- printed parts, servos
local TILT = 25 -- degrees, of the camera towards the finger tips; its place is an estimate, too

local function part(size, position) return { type = "box", size = size, position = position, colour = YELLOW } end
-- An STS3215: 45.4 x 24.8 x 39.6 mm along some axes.
local function servo(size, position) return { type = "box", size = size, position = position, colour = BLACK } end

local function joint(name, parent, child, position, rest, low, high)
  return { name = name, parent = parent, child = child, driver = "arm", servo = { "setpoint", "speed" },
    position = position, rest = rest,
    dofs = { { limit = { low, high }, speed = SPEED, acceleration = ACCELERATION, force = TORQUE } } }
end

local gripper = joint("gripper", "gripper", "jaw", { 0.0202, 0.0188, -0.0234 }, { rad(90), 0, 0 }, -0.174533, 1.74533)
gripper.dofs[1].force = TORQUE / 2

-- Of the jaw: it leans as those of the parts do, and is parallel to the fixed finger's with 25 mm between them.
local pad = part({ 0.004, 0.036, 0.013 }, { -0.008, -0.0606, 0.0189 })
pad.attitude = { 0, 0, -0.07 }

---@type robotalk.Descriptor
return {
  name = "so101_follower", model = "TheRobotStudio SO-101, follower arm",
  deadman = 0.5,
  panic = "hold",
  links = {
    [0] = { name = "base", mass = 0.147, com = { 0.0137179, -5.19711e-05, 0.0334843 },
      inertia = { 0.000114686, 0.000136117, 0.000130364, -4.59787e-07, 4.97151e-06, 9.75275e-08 },
      shapes = {
        part({ 0.086, 0.111, 0.018 }, { 0.021, 0, 0.009 }),
        part({ 0.036, 0.044, 0.02 }, { -0.004, 0, 0.028 }),
        part({ 0.08, 0.048, 0.031 }, { 0.013, 0, 0.0514 }),
        servo({ 0.0454, 0.0248, 0.0396 }, { 0.0263, 0, 0.0441 }),
        { type = "box", size = { 0.0076, 0.051, 0.042 }, position = { -0.0272, 0, 0.0474 }, colour = "#1d5a3c" },
      } },
    { name = "shoulder", mass = 0.100006, com = { -0.0307604, -1.66727e-05, -0.0252713 },
      inertia = { 8.3759e-05, 8.10403e-05, 2.39783e-05, 7.55525e-08, -1.16342e-06, 1.54663e-07 },
      shapes = {
        servo({ 0.0248, 0.0396, 0.0454 }, { -0.0304, 0, -0.0417 }),
        part({ 0.036, 0.046, 0.03 }, { -0.0316, 0, -0.023 }),
        part({ 0.025, 0.0394, 0.05 }, { -0.0351, 0, 0.017 }),
        part({ 0.06, 0.0394, 0.006 }, { -0.0177, 0, 0.043 }),
        part({ 0.06, 0.0394, 0.006 }, { -0.0177, 0, -0.005 }),
      } },
    { name = "upper_arm", mass = 0.103, com = { -0.0898471, -0.00838224, 0.0184089 },
      inertia = { 4.08002e-05, 0.000147318, 0.000142487, -1.97819e-05, -4.03016e-08, 8.97326e-09 },
      shapes = {
        part({ 0.108, 0.0245, 0.007 }, { -0.042, 0, -0.01 }),
        part({ 0.108, 0.0245, 0.007 }, { -0.042, 0, 0.0464 }),
        part({ 0.047, 0.0245, 0.0564 }, { -0.1067, 0, 0.0182 }),
        servo({ 0.0248, 0.0454, 0.0396 }, { -0.1126, -0.0155, 0.0183 }),
      } },
    { name = "lower_arm", mass = 0.104, com = { -0.0980701, 0.00324376, 0.0182831 },
      inertia = { 2.87438e-05, 0.000159844, 0.00014529, 7.41152e-06, 1.26409e-06, -4.90188e-08 },
      shapes = {
        part({ 0.1, 0.024, 0.007 }, { -0.0379, 0, -0.0085 }),
        part({ 0.1, 0.024, 0.007 }, { -0.0379, 0, 0.0449 }),
        part({ 0.032, 0.034, 0.0564 }, { -0.1, 0.0025, 0.02 }),
        servo({ 0.0454, 0.0248, 0.0396 }, { -0.1224, 0.0052, 0.0183 }),
      } },
    { name = "wrist", mass = 0.079, com = { -0.000103312, -0.0386143, 0.0281156 },
      inertia = { 3.68263e-05, 2.5391e-05, 2.1e-05, 1.7893e-08, -5.28128e-08, 3.6412e-06 },
      shapes = {
        part({ 0.024, 0.05, 0.006 }, { 0, -0.013, -0.006 }),
        part({ 0.024, 0.05, 0.006 }, { 0, -0.013, 0.0422 }),
        part({ 0.031, 0.034, 0.036 }, { 0, -0.042, 0.01 }),
        servo({ 0.0248, 0.0396, 0.0454 }, { 0, -0.0428, 0.0306 }),
      } },
    { name = "gripper", mass = 0.087, com = { 0.000213627, 0.000245138, -0.025187 },
      inertia = { 2.75087e-05, 4.33657e-05, 3.45059e-05, -3.35241e-07, -5.7352e-06, -5.17847e-08 },
      shapes = {
        { type = "cylinder", size = { 0.018, 0.01 }, position = { 0, 0, -0.005 }, colour = YELLOW },
        part({ 0.04, 0.048, 0.026 }, { -0.0152, 0, -0.023 }),
        servo({ 0.0454, 0.0396, 0.0248 }, { 0.0077, 0.0005, -0.0234 }),
        -- the fixed finger, from its root to its tip, and its pad
        part({ 0.02, 0.024, 0.022 }, { -0.0233, 0, -0.046 }),
        part({ 0.0149, 0.017, 0.022 }, { -0.019, 0, -0.067 }),
        part({ 0.009, 0.013, 0.0225 }, { -0.0155, 0, -0.0893 }),
        part({ 0.004, 0.014, 0.039 }, { -0.0125, 0, -0.081 }),
        -- the camera on its arm
        part({ 0.012, 0.034, 0.006 }, { -0.014, -0.041, -0.02 }),
        { type = "box", size = { 0.032, 0.012, 0.032 }, position = { -0.004, -0.062, -0.014 },
          attitude = { rad(TILT - 90), 0, 0 }, colour = BLACK },
      } },
    { name = "jaw", mass = 0.012, com = { -0.00157495, -0.0300244, 0.0192755 },
      inertia = { 6.61427e-06, 1.89032e-06, 5.28738e-06, -3.19807e-07, -5.90717e-09, -1.09945e-07 },
      shapes = {
        part({ 0.019, 0.034, 0.005 }, { 0, -0.007, -0.0026 }),
        part({ 0.019, 0.034, 0.005 }, { 0, -0.007, 0.0404 }),
        part({ 0.016, 0.006, 0.046 }, { 0, -0.0245, 0.0189 }),
        part({ 0.0135, 0.036, 0.016 }, { -0.0015, -0.044, 0.0189 }),
        part({ 0.0085, 0.021, 0.012 }, { -0.0066, -0.0715, 0.0189 }),
        pad,
      } },
  },
  joints = {
    joint("shoulder_pan", "base", "shoulder", { 0.0388353, 0, 0.0624 }, { rad(180), 0, rad(180) }, -1.91986, 1.91986),
    joint("shoulder_lift", "shoulder", "upper_arm", { -0.0303992, -0.0182778, -0.0542 }, { rad(-90), rad(-90), 0 },
      -1.74533, 1.74533),
    joint("elbow_flex", "upper_arm", "lower_arm", { -0.11257, -0.028, 0 }, { 0, 0, rad(90) }, -1.69, 1.69),
    joint("wrist_flex", "lower_arm", "wrist", { -0.1349, 0.0052, 0 }, { 0, 0, rad(-90) }, -1.65806, 1.65806),
    joint("wrist_roll", "wrist", "gripper", { 0, -0.0611, 0.0181 }, { rad(90), 0.0486795, rad(180) }, -2.74385,
      2.84121),
    gripper,
  },
  frames = {
    -- the tip of the fixed finger, as published; the middle between the fingers, 3 mm from that one if 25 mm are
    -- between them; and the camera
    { name = "tip", link = "gripper", position = { -0.0079, -0.000218121, -0.0981274 },
      attitude = { rad(180), 0, rad(180) } },
    { name = "hand", link = "gripper", position = { 0.005, 0, -0.085 }, attitude = { rad(180), 0, rad(180) } },
    { name = "eye", link = "gripper", position = { -0.004, -0.059, -0.0203 },
      attitude = { 0, rad(90 - TILT), rad(90) } },
  },
  sensors = { { name = "gripper", type = "gripper", link = "jaw" } },
  cameras = { { name = "wrist", link = "gripper", position = { -0.004, -0.059, -0.0203 },
    attitude = { 0, rad(90 - TILT), rad(90) }, width = 640, height = 480, fov = rad(65), rate = 30, driver = "eye" } },
  drivers = {
    -- the servos are for the driver of that name: where they are on the bus (spec/servos.md). The gripper is at 0 an
    -- eighth of a turn before the middle of its range
    arm = { driver = "sim", shoulder_pan = "sts3215 id=1", shoulder_lift = "sts3215 id=2", elbow_flex = "sts3215 id=3",
      wrist_flex = "sts3215 id=4", wrist_roll = "sts3215 id=5", gripper = "sts3215 id=6 zero=1536 torque=0.5" },
    eye = { driver = "sim" },
  },
}
