-- Honda's ASIMO, the model of 2005: 34 degrees of freedom, 1.30 m, 54 kg (Honda's pages of that year). Honda has
-- published neither the lengths of its links nor its limits and masses: all of these are estimates, a person's
-- proportions brought to 1.30 m. Joint names are those of H-Anim. All frames stand upright when all dofs are 0, x
-- ahead,
-- y left, z up; angles count by the right hand about their axes, so a hip that swings the leg ahead and a foot that
-- points up are negative.
--
-- The root is the pelvis, midway between the hips. It goes over the floor by walking (driver "walk"): go_to and
-- set_speed move the legs, and the arms and the head are free meanwhile.
local rad = math.rad

local ANKLE, SHANK, THIGH, HIP = 0.065, 0.245, 0.255, 0.0625 -- sole to ankle, its links, half the way between the hips
local WAIST, SHOULDERS, NECK, HEAD = 0.10, 0.275, 0.07, 0.29 -- upwards, each from the one before
local SHOULDER, UPPER, FORE, PALM = 0.165, 0.20, 0.17, 0.08

-- It stands with bent knees: the thigh leans ahead by BEND, the shank back so that the ankle is below the hip.
local BEND = 0.35
local LEAN = math.asin(THIGH / SHANK * math.sin(BEND))
local HEIGHT = THIGH * math.cos(BEND) + SHANK * math.cos(LEAN) + ANKLE

-- A link that is a box: its middle at `middle`.
local function link(name, mass, size, middle, colour)
  local x, y, z = size[1] ^ 2, size[2] ^ 2, size[3] ^ 2
  return { name = name, mass = mass, com = middle, inertia = { mass / 12 * (y + z), mass / 12 * (x + z),
    mass / 12 * (x + y) },
    shapes = { { type = "box", size = size, position = middle, colour = colour or "#f0f0f0" } } }
end

-- A dof: degrees and degrees a second. Accelerations: full speed within a fifth of a second.
local X, Y, Z, UP = { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, -1, 0 }
local function dof(name, axis, low, high, speed, home)
  return { name = name, type = "revolute", axis = axis, limit = { rad(low), rad(high) }, speed = rad(speed),
    acceleration = 5 * rad(speed), home = home }
end

local links = {
  [0] = link("pelvis", 9, { 0.16, 0.22, 0.14 }, { 0, 0, 0.03 }),
  [1] = link("head", 2, { 0.2, 0.2, HEAD - 0.05 }, { 0.01, 0, (HEAD + 0.05) / 2 }),
  [2] = link("torso", 24, { 0.2, 0.28, 0.3 }, { -0.03, 0, 0.15 }),
}
links[0].position = { 0, 0, HEIGHT }
-- what one knows it by: a dark visor, a neck, and its battery on its back
table.insert(links[1].shapes, { type = "box", size = { 0.02, 0.16, 0.1 }, position = { 0.1005, 0, 0.17 },
  colour = "#202028" })
table.insert(links[1].shapes, { type = "cylinder", size = { 0.045, 0.11 }, position = { 0, 0, 0.005 },
  colour = "#404040" })
table.insert(links[2].shapes, { type = "box", size = { 0.12, 0.26, 0.28 }, position = { -0.19, 0, 0.17 },
  colour = "#d0d0d8" })
local joints = {
  -- 1: the head, so that a client pans joint 1 of every body (paper 000, figure 10)
  [1] = { name = "skullbase", parent = 2, child = 1, position = { 0, 0, SHOULDERS + NECK }, servo = { "setpoint",
    "speed" },
    dofs = { dof("pan", Z, -70, 70, 180), dof("tilt", UP, -30, 30, 120), dof("roll", X, -20, 20, 120) } },
  [2] = { name = "vl5", parent = 0, child = 2, position = { 0, 0, WAIST }, dofs = { dof("yaw", Z, -30, 30, 90) } },
}

-- y: 1 on the left, -1 on the right. A dof that turns outwards on the left does so on the right with the other sign.
local function outward(name, axis, low, high, speed, y)
  if y > 0 then return dof(name, axis, low, high, speed) end
  return dof(name, axis, -high, -low, speed)
end

local function arm(side, y, first)
  local both = { "setpoint", "speed" }
  links[first] = link(side .. "_upperarm", 1.2, { 0.08, 0.08, UPPER }, { 0, 0, -UPPER / 2 })
  links[first + 1] = link(side .. "_forearm", 0.9, { 0.07, 0.07, FORE }, { 0, 0, -FORE / 2 })
  links[first + 2] = link(side .. "_palm", 0.5, { 0.03, 0.07, PALM }, { 0, 0, -PALM / 2 }, "#404040")
  links[first + 3] = link(side .. "_fingers", 0.2, { 0.03, 0.06, 0.07 }, { 0, 0, -0.035 }, "#404040")
  joints[first] = { name = side .. "_shoulder", parent = 2, child = first, position = { 0, y * SHOULDER, SHOULDERS },
    servo = both,
    dofs = { dof("pitch", Y, -170, 60, 180), outward("roll", X, -10, 100, 180, y), dof("yaw", Z, -90, 90, 180) } }
  joints[first + 1] = { name = side .. "_elbow", parent = first, child = first + 1, position = { 0, 0, -UPPER },
    servo = both,
    dofs = { dof("pitch", UP, 0, 120, 180) } }
  joints[first + 2] = { name = side .. "_wrist", parent = first + 1, child = first + 2, position = { 0, 0, -FORE },
    servo = both,
    dofs = { dof("yaw", Z, -60, 60, 180), dof("roll", X, -60, 60, 180), dof("pitch", Y, -60, 60, 180) } }
  -- the thumb has a dof of its own; its link is left out
  joints[first + 3] = { name = side .. "_hand", parent = first + 2, child = first + 3, position = { 0, 0, -PALM },
    dofs = { dof("fingers", UP, 0, 90, 180), dof("thumb", Z, -45, 45, 180) } }
end

local function leg(side, y, first, number)
  links[first] = link(side .. "_thigh", 3.2, { 0.11, 0.1, THIGH }, { 0, 0, -THIGH / 2 })
  links[first + 1] = link(side .. "_shank", 2.1, { 0.1, 0.09, SHANK }, { 0, 0, -SHANK / 2 })
  links[first + 2] = link(side .. "_foot", 1.2, { 0.22, 0.11, 0.05 }, { 0.03, 0, -ANKLE + 0.025 }, "#d0d0d8")
  joints[first] = { name = side .. "_hip", parent = 0, child = first, position = { 0, y * HIP, 0 }, driver = "legs",
    leg = number,
    dofs = { outward("yaw", Z, -30, 30, 360, y), outward("roll", X, -25, 25, 360, y), dof("pitch", Y, -80, 35, 540,
      -BEND) } }
  joints[first + 1] = { name = side .. "_knee", parent = first, child = first + 1, position = { 0, 0, -THIGH },
    driver = "legs",
    leg = number, dofs = { dof("pitch", Y, 0, 120, 540, BEND + LEAN) } }
  joints[first + 2] = { name = side .. "_ankle", parent = first + 1, child = first + 2, position = { 0, 0, -SHANK },
    driver = "legs",
    leg = number, dofs = { dof("pitch", Y, -50, 35, 540, -LEAN), dof("roll", X, -20, 20, 360) } }
end

arm("l", 1, 3)
arm("r", -1, 7)
leg("l", 1, 11, 1)
leg("r", -1, 14, 2)

---@type robotalk.Descriptor
return {
  name = "asimo", model = "Honda ASIMO (2005)",
  deadman = 0.5,
  panic = "hold", -- its servos hold it: limp, it would fall
  base = {
    driver = "legs", holonomic = true,
    -- limits of these legs; Honda says 2.7 km/h, 0.75 m/s. Sideways, turning and accelerations are estimates
    speed = { x = 0.67, y = 0.2, theta = 0.8 },
    acceleration = { x = 0.5, y = 0.3, theta = 1.5 },
  },
  -- Li-ion, 51.8 V, 6 kg, 40 to 60 minutes; 10 Ah is an estimate
  battery = { capacity = 51.8 * 10 * 3600, voltage = 51.8 },
  links = links,
  joints = joints,
  frames = {
    { name = "l_hand", link = "l_fingers", speed = 0.4, turn = 1.5 },
    { name = "r_hand", link = "r_fingers", speed = 0.4, turn = 1.5 },
    -- on the floor below the ankles
    { name = "l_sole", link = "l_foot", position = { 0, 0, -ANKLE } },
    { name = "r_sole", link = "r_foot", position = { 0, 0, -ANKLE } },
    { name = "gaze", link = "head", position = { 0.11, 0, 0.16 } },
    { name = "crown", link = "head", position = { 0, 0, HEAD } },
  },
  cameras = { { name = "eyes", link = "head", position = { 0.11, 0, 0.16 }, width = 640, height = 480, fov = rad(60),
    rate = 30 } },
  -- gyroscopes and accelerometers in its body and forces along six axes in its feet, as its predecessor P2 has them
  -- (Hirai and others, ICRA 1998); where in the body is an estimate
  sensors = {
    { name = "imu", type = "imu", link = "torso", position = { 0, 0, 0.1 } },
    { name = "upright", type = "upright", link = "pelvis" },
    { name = "l_foot_force", type = "force", link = "l_foot" },
    { name = "r_foot_force", type = "force", link = "r_foot" },
  },
  widgets = {
    { name = "walk", type = "pad", command = "set_speed", range = { -0.5, 0.5 } },
    { name = "pan", type = "slider", command = "set_joint", joint = "skullbase", dof = "pan" },
    { name = "tilt", type = "slider", command = "set_joint", joint = "skullbase", dof = "tilt" },
    { name = "home", type = "button", command = "home" },
    { name = "stop", type = "button", command = "stop" },
  },
  -- a step of each foot in 0.8 s; they are lifted by 4 cm, the body sways by 3 cm to either side. With weight
  -- (--physics) it sways as its balance requires: by preview control of the zero moment point
  drivers = {
    legs = { driver = "walk", feet = "l_sole r_sole", gait = "preview", period = 0.8, lift = 0.04, sway = 0.03 },
  },
}
