-- A Pioneer 2-DX that carries a laser scanner, SICK's LMS 200, with the camera on top of it: 4.5 kg, 156 x 155 x 210
-- mm, 180 degrees in steps of 1 degree (data sheet); as far as it reads in millimetres, about 8 m. Its position on
-- the top plate and the height of its plane are estimates.
local rad = math.rad

local BODY, LASER = 9, 4.5 -- kg
local HIGH, LOW = 0.345, 0.13 -- m: the middles of the laser and of the body
local MIDDLE = (BODY * LOW + LASER * HIGH) / (BODY + LASER)

-- The moments of a solid box whose middle is that far above or below MIDDLE.
local function box(mass, x, y, z, away)
  return { mass * ((y * y + z * z) / 12 + away ^ 2), mass * ((x * x + z * z) / 12 + away ^ 2),
    mass * (x * x + y * y) / 12 }
end
local body, laser = box(BODY, 0.44, 0.38, 0.22, LOW - MIDDLE), box(LASER, 0.156, 0.155, 0.21, HIGH - MIDDLE)

---@type robotalk.Descriptor
return {
  from = "pioneer2",
  name = "pioneer2_laser", model = "ActivMedia Pioneer 2-DX with a SICK LMS 200 and a Sony EVI-D30",
  links = {
    [0] = {
      mass = BODY + LASER, com = { -0.06, 0, MIDDLE },
      inertia = { body[1] + laser[1], body[2] + laser[2], body[3] + laser[3] },
      shapes = {
        { type = "box", size = { 0.44, 0.3, 0.18 }, position = { -0.04, 0, 0.15 }, colour = "#b3241c" },
        { type = "cylinder", size = { 0.0825, 0.04 }, position = { 0, 0.165, 0.0825 }, attitude = { rad(90), 0, 0 },
          colour = "#202020", roll = "wheel" },
        { type = "cylinder", size = { 0.0825, 0.04 }, position = { 0, -0.165, 0.0825 }, attitude = { rad(90), 0, 0 },
          colour = "#202020", roll = "wheel" },
        { type = "sphere", size = { 0.0375 }, position = { -0.2, 0, 0.0375 }, colour = "#202020", roll = "caster" },
        { type = "box", size = { 0.156, 0.155, 0.21 }, position = { -0.06, 0, HIGH }, colour = "#2a56a5" },
      },
    },
  },
  joints = { { name = "head", position = { -0.06, 0, 0.49 } } },
  sensors = { { name = "laser", type = "laser", link = "base", position = { -0.02, 0, 0.36 }, count = 181,
    fov = rad(180), range = { 0.05, 8 }, unit = "m" } },
}
