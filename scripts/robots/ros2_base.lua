-- A robot behind ROS 2 (docs/from_ros2.md): a TurtleBot3 Burger, whose node takes cmd_vel and publishes odom, scan, imu
-- and battery_state in domain 0, on this machine. Size, mass, greatest speeds and the laser: ROBOTIS's e-manual. For
-- another address: a descriptor with from = "ros2_base" and drivers = { ros = { url = "dds://30?multicast" } }; for
-- one of ROS 2 Jazzy, whose cmd_vel is a TwistStamped, drivers = { ros = { stamped = true } }.
local function wheel(y)
  return { type = "cylinder", size = { 0.033, 0.018 }, position = { 0, y, 0.033 }, attitude = { math.pi / 2, 0, 0 },
    roll = "wheel" }
end

---@type robotalk.Descriptor
return {
  name = "ros2_base", model = "ROBOTIS TurtleBot3 Burger, behind ROS 2",
  base = { driver = "ros", speed = { x = 0.22, theta = 2.84 }, acceleration = { x = 1, theta = 8 } },
  links = { [0] = { name = "base", mass = 1, com = { 0, 0, 0.07 }, inertia = { 0.004, 0.004, 0.005 }, shapes = {
    { type = "box", size = { 0.138, 0.12, 0.14 }, position = { -0.032, 0, 0.09 }, colour = "#202224" },
    wheel(0.08), wheel(-0.08), { type = "sphere", size = { 0.015 }, position = { -0.081, 0, 0.015 }, roll = "caster" },
  } } },
  sensors = {
    { name = "laser", type = "laser", link = "base", position = { -0.032, 0, 0.182 }, count = 360,
      fov = math.rad(359), range = { 0.12, 3.5 }, rate = 5 },
    { name = "imu", type = "imu", link = "base" },
    { name = "battery", type = "battery", link = "base" },
  },
  drivers = { ros = { script = "ros2", url = "dds://0" } },
}
