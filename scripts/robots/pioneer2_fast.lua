-- The Pioneer 2 as the experiments of paper 000 had it: "motor speeds and accelerations set very high" (VI, footnote
-- 3). Player's hard caps for a P2DX are 2.2 m/s and 500 deg/s; the accelerations are what makes 0.2 m/s a matter of
-- 10 ms.
local rad = math.rad

---@type robotalk.Descriptor
return {
  name = "pioneer2_fast", model = "ActivMedia Pioneer 2-DX, speeds and accelerations set very high",
  deadman = 0.5,
  base = {
    driver = "sim",
    speed = { x = 2.2, theta = rad(500) },
    acceleration = { x = 20, theta = rad(4000) },
  },
  joints = {
    [1] = {
      name = "head", parent = 0, child = 1, driver = "camera", servo = { "setpoint", "speed" },
      dofs = {
        { name = "pan", type = "revolute", axis = { 0, 0, 1 }, limit = { rad(-100), rad(100) }, speed = rad(80),
          acceleration = rad(500) },
        { name = "tilt", type = "revolute", axis = { 0, -1, 0 }, limit = { rad(-25), rad(25) }, speed = rad(50),
          acceleration = rad(500) },
      },
    },
  },
  drivers = { camera = { driver = "sim" } },
}
