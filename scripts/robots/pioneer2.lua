-- A Pioneer 2-DX that wears a Sony EVI-D30 camera as its head (paper 000, section VI). A descriptor is data: text
-- only, read in an environment with only math. SI units; x ahead, y left, z up; the keys of `links`, `joints` and
-- `frames` are the numbers on the wire: the head is joint 1. The base's frame lies on the floor, midway between the
-- driven wheels.
local rad = math.rad

-- The moments of a solid box about its middle.
local function box(mass, x, y, z)
  return { mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y) }
end

-- The ring of 16 sonars: x, y in mm and heading in degrees, as in Player's p2os driver (robot_params.cc); 0.1 to
-- 5 m, 15 degrees wide. Their height is an estimate.
local ring = {
  { 69, 136, 90 }, { 114, 119, 50 }, { 148, 78, 30 }, { 166, 27, 10 },
  { 166, -27, -10 }, { 148, -78, -30 }, { 114, -119, -50 }, { 69, -136, -90 },
  { -157, -136, -90 }, { -203, -119, -130 }, { -237, -78, -150 }, { -255, -27, -170 },
  { -255, 27, 170 }, { -237, 78, 150 }, { -203, 119, 130 }, { -157, 136, 90 },
}
local sensors = {}
for i = 1, #ring do
  local place = ring[i]
  sensors[i] = { name = "sonar" .. i - 1, type = "sonar", link = "base", unit = "m", range = { 0.1, 5 },
    opening = rad(15),
    position = { place[1] / 1000, place[2] / 1000, 0.18 }, attitude = { 0, 0, rad(place[3]) } }
end

-- The bumpers before and behind, of five pads each; the outermost of them look 52 degrees aside (Stage, pioneer.inc).
sensors[17] = { name = "front_bumper", type = "bumper", link = "base", count = 5, opening = rad(130) }
sensors[18] = { name = "rear_bumper", type = "bumper", link = "base", count = 5, opening = rad(130),
  attitude = { 0, 0, rad(180) } }

---@type robotalk.Descriptor
return {
  name = "pioneer2", model = "ActivMedia Pioneer 2-DX with a Sony EVI-D30",
  deadman = 0.5,
  panic = "hold", -- its wheels are stopped as hard as the motors can

  base = {
    driver = "sim",
    -- 1.8 m/s and 360 deg/s of the data sheet; 0.3 m/s2 and 100 deg/s2 are the firmware's defaults
    speed = { x = 1.8, theta = rad(360) },
    acceleration = { x = 0.3, theta = rad(100) },
  },

  -- three lead batteries of 12 V and 7 Ah
  battery = { capacity = 3 * 12 * 7 * 3600, voltage = 12.6 },

  links = {
    [0] = {
      -- 9 kg (data sheet); 0.44 x 0.38 x 0.22 m, 0.04 m behind the axle (Stage, pioneer.inc); where the mass lies
      -- within is an estimate
      name = "base", mass = 9, com = { -0.06, 0, 0.13 }, inertia = box(9, 0.44, 0.38, 0.22),
      shapes = {
        { type = "box", size = { 0.44, 0.3, 0.18 }, position = { -0.04, 0, 0.15 }, colour = "#b3241c" },
        -- wheels of 165 mm, 0.33 m apart
        { type = "cylinder", size = { 0.0825, 0.04 }, position = { 0, 0.165, 0.0825 }, attitude = { rad(90), 0, 0 },
          colour = "#202020", roll = "wheel" },
        { type = "cylinder", size = { 0.0825, 0.04 }, position = { 0, -0.165, 0.0825 }, attitude = { rad(90), 0, 0 },
          colour = "#202020", roll = "wheel" },
        { type = "sphere", size = { 0.0375 }, position = { -0.2, 0, 0.0375 }, colour = "#202020", roll = "caster" },
      },
    },
    [1] = {
      -- 1.2 kg, 142 x 109 x 164 mm (data sheet)
      name = "camera", mass = 1.2, com = { 0, 0, 0.03 }, inertia = box(1.2, 0.164, 0.142, 0.109),
      shapes = { { type = "box", size = { 0.164, 0.142, 0.07 }, position = { 0, 0, 0.035 }, colour = "#c8c8c8" } },
    },
  },

  joints = {
    [1] = { -- a client that commands joint 1 of a humanoid need not know the difference
      name = "head", parent = "base", child = "camera", driver = "camera", servo = { "setpoint", "speed" },
      -- in the middle of the camera's foot on the top plate, 0.24 m above the floor
      position = { 0.12, 0, 0.28 },
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

  frames = { { name = "gaze", link = "camera", position = { 0.082, 0, 0.035 } } },

  -- 48.8 degrees at the wide end of its zoom
  cameras = { { name = "camera", link = "camera", position = { 0.082, 0, 0.035 }, width = 320, height = 240,
    fov = rad(48.8), rate = 25 } },
  sensors = sensors,
  widgets = {
    { name = "drive", type = "pad", command = "set_speed", range = { -0.5, 0.5 } },
    { name = "pan", type = "slider", command = "set_joint", joint = "head", dof = "pan" },
    { name = "tilt", type = "slider", command = "set_joint", joint = "head", dof = "tilt" },
    { name = "home", type = "button", command = "home" },
    { name = "stop", type = "button", command = "stop" },
  },

  drivers = { camera = { driver = "sim" } },
}
