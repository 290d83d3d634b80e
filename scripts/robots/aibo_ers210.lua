-- Sony's AIBO ERS-210, the interface's other model. Order, soft limits and greatest speeds of its joints: Tekkotsu,
-- Shared/ERS210Info.h; neck, camera and tail: Tekkotsu, project/ms/config/ERS-210.kin. That file's legs are the
-- ERS-7's, copied, and no other source has them: so are these, which is a guess. Masses are estimates, except
-- the total, 1.5 kg (Sony). Frames, signs and names are those of aibo_ers7.lua; the head's third joint rolls where
-- the ERS-7's nods.
local rad = math.rad

-- The inertia of a solid box about its middle.
local function box(mass, x, y, z)
  return { mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y) }
end

-- degrees; speed in rad/s. Accelerations are estimates: full speed within a tenth of a second.
local function dof(name, axis, low, high, speed, home)
  return { name = name, type = "revolute", axis = axis, limit = { rad(low), rad(high) }, speed = speed,
    acceleration = 10 * speed, home = home }
end
local UP, DOWN, Z = { 0, -1, 0 }, { 0, 1, 0 }, { 0, 0, 1 } -- turns by these raise, lower, and look left

-- Shoulders are 65 mm before and behind the middle and 62.5 mm to either side; a knee is 69.5 mm below its shoulder
-- and 9 mm further out of the middle. The foot's ball, 11.7 mm in radius, from the knee: its way in mm and its angle.
local ALONG, ASIDE, UPPER, OUT, BALL = 0.065, 0.0625, 0.0695, 0.009, 0.0117
local front = { x = 1, way = 0.065434, angle = rad(-4.4088), rotor = { -117, 117 } }
local back = { x = -1, way = 0.067647, angle = rad(-11.537), rotor = { -117, 117 } }

-- The position of a foot below its shoulder, in the plane of a leg whose outward side is ahead: rotor and knee turn it
-- outwards.
local function foot(leg, rotor, knee)
  local x, z = OUT + leg.way * math.sin(leg.angle + knee), -UPPER - leg.way * math.cos(leg.angle + knee)
  return x * math.cos(rotor) - z * math.sin(rotor), x * math.sin(rotor) + z * math.cos(rotor)
end
-- The rotor that puts it straight below.
local function below(leg, knee)
  local x, z = foot(leg, 0, knee)
  return math.atan(x / z)
end

-- It stands with its front knees bent by 60 degrees, and its back knees so that the body is level.
front.knee = rad(60)
front.home = below(front, front.knee)
local _, floor = foot(front, front.home, front.knee)
local low, high = rad(0), rad(115)
for _ = 1, 60 do
  back.knee = (low + high) / 2
  local _, z = foot(back, below(back, back.knee), back.knee)
  if z < floor then low = back.knee else high = back.knee end
end
back.home = below(back, back.knee)

-- Masses: 1.65 kg in all (Sony), spread by estimate.
local links = {
  [0] = { name = "body", position = { 0, 0, BALL - floor }, mass = 0.64, inertia = box(0.64, 0.2, 0.09, 0.09),
    shapes = { { type = "box", size = { 0.19, 0.085, 0.085 }, colour = "#f4f4f4" } } },
  [1] = { name = "head", mass = 0.2, com = { 0.03, 0, 0 }, inertia = box(0.2, 0.1, 0.07, 0.07),
    shapes = { { type = "box", size = { 0.1, 0.08, 0.07 }, position = { 0.035, 0, 0.01 }, colour = "#f4f4f4" } } },
  [2] = { name = "neck", mass = 0.06, com = { 0, 0, 0.04 }, inertia = box(0.06, 0.03, 0.03, 0.08),
    shapes = { { type = "cylinder", size = { 0.018, 0.07 }, position = { 0, 0, 0.04 }, colour = "#303030" } } },
  [11] = { name = "tail", mass = 0.02, com = { -0.03, 0, 0 }, inertia = box(0.02, 0.06, 0.01, 0.01),
    shapes = { { type = "cylinder", size = { 0.006, 0.07 }, position = { -0.035, 0, 0 }, attitude = { 0, rad(90),
      0 } } } },
  [12] = { name = "jaw", mass = 0.02, com = { 0.02, 0, 0 }, inertia = box(0.02, 0.04, 0.04, 0.01),
    shapes = { { type = "box", size = { 0.045, 0.04, 0.012 }, position = { 0.022, 0, 0 } } } },
}
local joints = {
  [1] = { name = "head", parent = 2, child = 1, position = { 0, 0, 0.048 }, servo = { "setpoint", "speed" },
    dofs = { dof("pan", Z, -89.6, 89.6, 3.011), dof("roll", { 1, 0, 0 }, -29, 29, 3.011) } },
  [2] = { name = "neck", parent = 0, child = 2, position = { 0.075, 0, 0.05 }, servo = { "setpoint", "speed" },
    dofs = { dof("tilt", UP, -82, 43, 2.105) } },
  [11] = { name = "tail", parent = 0, child = 11, position = { -0.0769, 0, 0.053 },
    dofs = { dof("tilt", DOWN, -22, 22, 4.472), dof("pan", Z, -22, 22, 4.472) } },
  [12] = { name = "mouth", parent = 1, child = 12, position = { 0.04, 0, -0.0175 },
    dofs = { dof("mouth", UP, -47, -3, 4.374, rad(-3)) } },
}
local frames = {
  -- the camera looks along x, 66.6 mm ahead of the pan
  { name = "camera", link = 1, position = { 0.0666, 0, 0 } },
  { name = "mouth", link = 12, position = { 0.04, 0, 0 } },
}

-- y: 1 on the left. The link of the upper leg has the joint's number, the lower leg the next.
local function leg(name, kind, y, first, number)
  local out = { 0, -kind.x, 0 }
  links[first] = { name = name .. "_upper", mass = 0.07, com = { 0, 0, -UPPER / 2 }, inertia = box(0.07, 0.03, 0.02,
    UPPER),
    shapes = { { type = "cylinder", size = { 0.014, UPPER }, position = { 0, 0, -UPPER / 2 }, colour = "#f4f4f4" } } }
  links[first + 1] = { name = name .. "_lower", mass = 0.07, com = { 0, 0, -kind.way / 2 }, inertia = box(0.07, 0.03,
    0.02, kind.way),
    shapes = {
      { type = "cylinder", size = { 0.012, kind.way }, colour = "#f4f4f4", attitude = { 0, -kind.x * kind.angle, 0 },
        position = { kind.x * kind.way / 2 * math.sin(kind.angle), y * 0.0047, -kind.way / 2 * math.cos(kind.angle) } },
      { type = "sphere", size = { BALL }, colour = "#303030",
        position = { kind.x * kind.way * math.sin(kind.angle), y * 0.0047, -kind.way * math.cos(kind.angle) } },
    } }
  joints[first] = { name = name, parent = 0, child = first, position = { kind.x * ALONG, y * ASIDE, 0 },
    driver = "legs",
    leg = number, dofs = { dof("rotor", out, kind.rotor[1], kind.rotor[2], 2.814, kind.home),
      dof("elvtr", { y, 0, 0 }, -11, 89, 2.498) } }
  joints[first + 1] = { name = name .. "_knee", parent = first, child = first + 1, position = { kind.x * OUT, 0,
    -UPPER },
    driver = "legs", leg = number, dofs = { dof("knee", out, -27, 147, 2.836, kind.knee) } }
  frames[number + 2] = { name = name .. "_foot", link = first + 1,
    position = { kind.x * kind.way * math.sin(kind.angle), y * 0.0047, -kind.way * math.cos(kind.angle) } }
end
leg("LFr", front, 1, 3, 1)
leg("RFr", front, -1, 5, 2)
leg("LBk", back, 1, 7, 3)
leg("RBk", back, -1, 9, 4)

local function eye(name, low_range, high_range, place)
  return { name = name, type = "infrared", link = 1, unit = "m", range = { low_range, high_range }, position = place }
end

---@type robotalk.Descriptor
return {
  name = "aibo_ers210", model = "Sony AIBO ERS-210",
  deadman = 0.5,
  panic = "hold", -- the emergency stop freezes it where it is
  base = {
    driver = "legs", holonomic = true,
    speed = { x = 0.043, y = 0.037, theta = 0.41 }, -- limits of these legs
    acceleration = { x = 0.36, y = 0.28, theta = 3.6 },
  },
  battery = { capacity = 7.2 * 1.4 * 3600, voltage = 7.2 }, -- estimates
  links = links,
  joints = joints,
  frames = frames,
  cameras = { { name = "camera", link = 1, position = { 0.0666, 0, 0 }, width = 176, height = 144, fov = rad(58),
    rate = 25 } },
  sensors = {
    eye("IRDist", 0.1, 0.9, { 0.066, 0, 0 }),
    { name = "Accel", type = "accelerometer", link = 0, unit = "m/s2", range = { -20, 20 } },
    { name = "Upright", type = "upright", link = 0 },
    { name = "LFrPaw", type = "button", link = 4 }, { name = "RFrPaw", type = "button", link = 6 },
    { name = "LBkPaw", type = "button", link = 8 }, { name = "RBkPaw", type = "button", link = 10 },
    { name = "ChinBut", type = "button", link = 12 }, { name = "BackBut", type = "button", link = 0 },
    { name = "HeadFrBut", type = "button", link = 1, range = { 0, 1 } },
    { name = "HeadBkBut", type = "button", link = 1, range = { 0, 1 } },
  },
  -- slower legs than the ERS-7's: lifted by only 4 mm. With weight the body sinks by as much; with all feet within
  -- 0.44 to 0.46 s they do not drag then, faster or slower they do
  drivers = { legs = { driver = "walk", feet = "LFr_foot RFr_foot LBk_foot RBk_foot", period = 0.44, lift = 0.004 } },
}
