-- Sony's AIBO ERS-7. Order, limits and greatest speeds of its joints: Tekkotsu, Shared/ERS7Info.h; geometry: Tekkotsu,
-- project/ms/config/ERS-7.kin, whose chains of axes are turned into ours here. All frames stand upright when all dofs
-- are 0: legs straight down, looking ahead; the root is the body,
-- midway between the four shoulders. Signs are Tekkotsu's.
--
-- Tekkotsu's names here: LFr:rotor, LFr:elvtr are shoulder joint LFr, dofs rotor, elvtr; LFr:knee is joint LFr_knee,
-- dof
-- knee; so for RFr, LBk, RBk. NECK:tilt is joint neck, NECK:pan and NECK:nod are joint head (joint 1, so that a client
-- pans joint 1 of every body), dofs pan, nod. TAIL:tilt, TAIL:pan are joint tail; MOUTH is joint mouth. The ears are
-- switches and the LEDs are no joints: they are left out.
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

-- Shoulders are 65 mm before and behind the middle and 62.5 mm to either side; a knee is 69.5 mm below its shoulder and
-- 9 mm further out of the middle. The foot's ball, 11.7 mm in radius, from the knee: its way in mm and its angle.
local ALONG, ASIDE, UPPER, OUT, BALL = 0.065, 0.0625, 0.0695, 0.009, 0.0117
local front = { x = 1, way = 0.065434, angle = rad(-4.4088), rotor = { -115, 130 } }
local back = { x = -1, way = 0.067647, angle = rad(-11.537), rotor = { -130, 115 } }

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
  [0] = { name = "body", position = { 0, 0, BALL - floor }, mass = 0.79, inertia = box(0.79, 0.2, 0.09, 0.09),
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
local MOUTH = rad(23.629) -- the mouth's axis is 43.66 mm ahead and downwards of the nod's by that angle
local joints = {
  -- the nod's axis is 80 mm up the pan's: there both meet
  [1] = { name = "head", parent = 2, child = 1, position = { 0, 0, 0.08 }, servo = { "setpoint", "speed" },
    dofs = { dof("pan", Z, -88, 88, 10.057), dof("nod", UP, -15, 45, 5.781) } },
  [2] = { name = "neck", parent = 0, child = 2, position = { 0.0675, 0, 0.0195 }, servo = { "setpoint", "speed" },
    dofs = { dof("tilt", UP, -75, 0, 3.185) } },
  [11] = { name = "tail", parent = 0, child = 11, position = { -0.102, 0, 0.033 },
    dofs = { dof("tilt", DOWN, 5, 60, 15.163, rad(30)), dof("pan", Z, -45, 45, 15.163) } },
  [12] = { name = "mouth", parent = 1, child = 12,
    position = { 0.04366 * math.cos(MOUTH), 0, -0.04366 * math.sin(MOUTH) }, dofs = { dof("mouth", UP, -55, -3,
      10.145, rad(-3)) } },
}
local frames = {
  -- the camera looks along x, 81.06 mm ahead and 14.6 mm below the nod
  { name = "camera", link = 1, position = { 0.08106, 0, -0.0146 } },
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
    leg = number, dofs = { dof("rotor", out, kind.rotor[1], kind.rotor[2], 4.865, kind.home),
      dof("elvtr", { y, 0, 0 }, -10, 88, 5.280) } }
  joints[first + 1] = { name = name .. "_knee", parent = first, child = first + 1, position = { kind.x * OUT, 0,
    -UPPER },
    driver = "legs", leg = number, dofs = { dof("knee", out, -25, 122, 5.280, kind.knee) } }
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
  name = "aibo_ers7", model = "Sony AIBO ERS-7",
  deadman = 0.5,
  panic = "hold", -- the emergency stop freezes it where it is
  base = {
    driver = "legs", holonomic = true,
    -- limits of these legs in a trot; Tekkotsu (CMPackWalkMC) demands up to 0.18, 0.14 and 1.8 of its gaits
    speed = { x = 0.14, y = 0.087, theta = 1.19 },
    -- its accelerations are Tekkotsu's: twice the greatest speed there
    acceleration = { x = 0.36, y = 0.28, theta = 3.6 },
  },
  battery = { capacity = 7.4 * 2.2 * 3600, voltage = 8.265 }, -- 2200 mAh; a logged voltage of the full battery
  links = links,
  joints = joints,
  frames = frames,
  cameras = { { name = "camera", link = 1, position = { 0.08106, 0, -0.0146 }, width = 208, height = 160,
    fov = rad(56.9),
    rate = 30 } },
  sensors = {
    eye("NearIRDist", 0.05, 0.5, { 0.07692, 0, -0.0028 }), eye("FarIRDist", 0.2, 1.5, { 0.07691, 0, 0.0081 }),
    { name = "ChestIRDist", type = "infrared", link = 0, unit = "m", range = { 0.1, 0.9 }, position = { 0.109, 0,
      -0.0034 },
      attitude = { 0, rad(60), 0 } },
    { name = "Accel", type = "accelerometer", link = 0, unit = "m/s2", range = { -20, 20 } },
    { name = "Upright", type = "upright", link = 0 },
    { name = "LFrPaw", type = "button", link = 4 }, { name = "RFrPaw", type = "button", link = 6 },
    { name = "LBkPaw", type = "button", link = 8 }, { name = "RBkPaw", type = "button", link = 10 },
    { name = "ChinBut", type = "button", link = 12 }, { name = "HeadBut", type = "button", link = 1 },
    { name = "FrontBackBut", type = "button", link = 0 }, { name = "MiddleBackBut", type = "button", link = 0 },
    { name = "RearBackBut", type = "button", link = 0 },
  },
  widgets = {
    { name = "walk", type = "pad", command = "set_speed", range = { -0.14, 0.14 } },
    { name = "pan", type = "slider", command = "set_joint", joint = "head", dof = "pan" },
    { name = "nod", type = "slider", command = "set_joint", joint = "head", dof = "nod" },
    { name = "home", type = "button", command = "home" },
    { name = "stop", type = "button", command = "stop" },
  },
  -- a trot: all feet within 0.4 s, lifted by 8 mm
  drivers = { legs = { driver = "walk", feet = "LFr_foot RFr_foot LBk_foot RBk_foot", period = 0.4, lift = 0.008 } },
}
