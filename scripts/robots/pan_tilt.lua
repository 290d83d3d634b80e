-- A camera on two DYNAMIXEL XL430-W250, one that pans and one that tilts. Torque and speed at 12 V: ROBOTIS e-manual,
-- 1.5 N m and 61 revolutions a minute, of which two thirds are taken; the weight and size of a servo, 57 g and
-- 28.5 x 46.5 x 34 mm, are from memory; brackets, foot and camera are estimates. On metal, with servos as they come
-- except for their ids:
--   return { from = "pan_tilt", name = "eyes", drivers = {
--     neck = { driver = "servos", port = "/dev/ttyUSB0", baud = 57600 },
--     eye = { driver = "v4l2", device = "/dev/video0" } } }
local rad = math.rad
local BLACK, WHITE, STEEL = "#24262a", "#e6e6e2", "#9aa0a6"

---@type robotalk.Descriptor
return {
  name = "pan_tilt", model = "a camera on two DYNAMIXEL XL430-W250",
  deadman = 0.5,
  panic = "hold",
  links = {
    [0] = { name = "foot", mass = 0.4, com = { 0, 0, 0.02 }, inertia = { 5e-4, 5e-4, 8e-4 },
      shapes = {
        { type = "cylinder", size = { 0.06, 0.008 }, position = { 0, 0, 0.004 }, colour = STEEL },
        { type = "box", size = { 0.0465, 0.0285, 0.034 }, position = { -0.012, 0, 0.025 }, colour = BLACK },
      } },
    -- both turn it: the second servo is on the bracket that pans
    { name = "head", mass = 0.12, com = { 0.008, 0, 0.002 }, inertia = { 4e-5, 4e-5, 4e-5 },
      shapes = {
        { type = "box", size = { 0.034, 0.0285, 0.0465 }, position = { 0, 0, 0 }, colour = BLACK },
        { type = "box", size = { 0.024, 0.003, 0.05 }, position = { 0.008, 0.02, 0.006 }, colour = STEEL },
        { type = "box", size = { 0.024, 0.003, 0.05 }, position = { 0.008, -0.02, 0.006 }, colour = STEEL },
        { type = "box", size = { 0.016, 0.07, 0.03 }, position = { 0.03, 0, 0.01 }, colour = WHITE },
        { type = "cylinder", size = { 0.009, 0.012 }, position = { 0.043, 0, 0.01 }, attitude = { 0, rad(90), 0 },
          colour = BLACK },
      } },
  },
  joints = {
    { name = "head", parent = "foot", child = "head", driver = "neck", servo = { "setpoint", "speed" },
      position = { 0, 0, 0.078 }, dofs = {
        { name = "pan", axis = { 0, 0, 1 }, limit = { rad(-150), rad(150) }, speed = 4.2, acceleration = 20,
          force = 1.5 },
        { name = "tilt", axis = { 0, -1, 0 }, limit = { rad(-60), rad(60) }, speed = 4.2, acceleration = 20,
          force = 1.5 },
      } },
  },
  frames = { { name = "gaze", link = "head", position = { 0.05, 0, 0.01 } } },
  cameras = { { name = "camera", link = "head", position = { 0.05, 0, 0.01 }, width = 640, height = 480, fov = rad(60),
    rate = 30, driver = "eye" } },
  widgets = {
    { name = "pan", type = "slider", command = "set_joint", joint = "head", dof = "pan" },
    { name = "tilt", type = "slider", command = "set_joint", joint = "head", dof = "tilt" },
    { name = "home", type = "button", command = "home" },
  },
  drivers = {
    neck = { driver = "sim", ["head.pan"] = "xl430 id=1", ["head.tilt"] = "xl430 id=2" },
    eye = { driver = "sim" },
  },
}
