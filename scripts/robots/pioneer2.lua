-- A Pioneer 2-DX that wears a Sony EVI-D30 camera as its head (paper 000, section VI). A descriptor is data: text
-- only, read where nothing but math is to be seen. SI units; x ahead, y left, z up; the keys of `joints` are the
-- numbers on the wire: the head is joint 1.
local rad = math.rad

---@type robotalk.Descriptor
return {
  name = "pioneer2", model = "ActivMedia Pioneer 2-DX with a Sony EVI-D30",
  deadman = 0.5,

  base = {
    driver = "sim",
    -- 1.8 m/s and 360 deg/s of the data sheet; 0.3 m/s2 and 100 deg/s2 are the firmware's defaults
    speed = { x = 1.8, theta = rad(360) },
    acceleration = { x = 0.3, theta = rad(100) },
  },

  -- three lead batteries of 12 V and 7 Ah
  battery = { capacity = 3 * 12 * 7 * 3600, voltage = 12.6 },

  joints = {
    [1] = { -- who sends to joint 1 of a humanoid need not know the difference
      name = "head", parent = 0, child = 1, driver = "camera", servo = { "setpoint", "speed" },
      dofs = {
        -- Sony D30: pan ±100 deg at up to 80 deg/s, tilt ±25 deg at up to 50 deg/s. Its acceleration is not
        -- published: 500 deg/s2 is an estimate
        { name = "pan", type = "revolute", axis = { 0, 0, 1 }, limit = { rad(-100), rad(100) }, speed = rad(80),
          acceleration = rad(500) },
        { name = "tilt", type = "revolute", axis = { 0, -1, 0 }, limit = { rad(-25), rad(25) }, speed = rad(50),
          acceleration = rad(500) },
      },
    },
  },

  drivers = { camera = { driver = "sim" } },
}
