-- From the records of a description back to what people write: the descriptor that a client rebuilds from a
-- configuration block. Drivers are not in one.
local records = require "robotalk.descriptor.records"

local PANIC = { [0] = "hold", "brake", "limp", "retreat" }
local SHAPE = { [0] = "box", "cylinder", "sphere", "mesh" }
local SIZES = { box = 3, cylinder = 2, sphere = 1, mesh = 3 }
local DOF = { [0] = "revolute", "prismatic" }
local spec = require "robotalk.core".spec()

-- A list unless all of it is 0.
local function unless_zero(list)
  for _, x in ipairs(list) do if x ~= 0 then return list end end
end

local function positive(x) return x > 0 and x or nil end
local function text(s) return s ~= "" and s or nil end

local function is_identity(r)
  for i = 1, 9 do if r[i] ~= ((i - 1) % 4 == 0 and 1 or 0) then return false end end
  return true
end

local function matrix(r)
  return { { r[1], r[2], r[3] }, { r[4], r[5], r[6] }, { r[7], r[8], r[9] } }
end

local function tensor(i)
  if i[4] == 0 and i[5] == 0 and i[6] == 0 then return unless_zero { i[1], i[2], i[3] } end
  return i
end

local function place(out, record)
  out.position, out.attitude = unless_zero(record.position), unless_zero(record.attitude)
  return out
end

local function mounted(record)
  return place({ name = record.name, link = record.link }, record)
end

local function shape(record)
  local kind = SHAPE[record.kind]
  return place({ type = kind, size = table.move(record.size, 1, SIZES[kind], 1, {}), file = text(record.file),
    colour = record.colour ~= 0 and ("#%08x"):format(record.colour) or nil, solid = record.solid == 1 or nil }, record)
end

local function dof(flat, record)
  local out = { name = record.name, type = DOF[record.kind], axis = record.axis, speed = positive(record.speed),
    acceleration = positive(record.acceleration), force = positive(record.force),
    home = record.home ~= 0 and record.home or nil }
  if record.low <= record.high then out.limit = { record.low, record.high } end
  -- 0 outside the limits is brought to their edge unless the descriptor says where home is
  if out.limit and (out.limit[1] > 0 or out.limit[2] < 0) then out.home = record.home end
  if record.mimics > 0 then
    for _, j in ipairs(flat.joint) do
      if record.mimics - 1 >= j.first and record.mimics - 1 < j.first + j.dofs then
        out.mimic = { joint = j.name, dof = flat.dof[record.mimics].name, ratio = record.ratio,
          shift = record.shift ~= 0 and record.shift or nil }
      end
    end
  end
  return out
end

local function joint(flat, record)
  local out = { name = record.name, child = record.child, parent = record.parent == 65535 and "world" or record.parent,
    leg = positive(record.leg), inboard = unless_zero(record.inboard), outboard = unless_zero(record.outboard) }
  if not is_identity(record.rest) and unless_zero(record.rest) then out.rest = matrix(record.rest) end
  if not out.inboard and not out.outboard then out.inboard = { 0, 0, 0 } end
  if record.dofs > 0 then
    out.servo, out.dofs = records.servo_words(record.servo), {}
    for k = 1, record.dofs do out.dofs[k] = dof(flat, flat.dof[record.first + k]) end
  end
  return out
end

local function panic(flat)
  if flat.panic ~= 3 then return flat.panic > 0 and PANIC[flat.panic] or nil end
  local posture = {}
  for _, j in ipairs(flat.joint) do
    for k = j.first + 1, j.first + j.dofs do
      local d = flat.dof[k]
      if d.retreats == 1 then
        posture[j.name] = posture[j.name] or {}
        posture[j.name][d.name] = d.retreat
      end
    end
  end
  return posture
end

local function plane(list)
  return unless_zero(list) and { x = list[1], y = list[2], theta = list[3] }
end

local function commands(bits)
  local names = {}
  for name, command in pairs(spec.commands) do
    if bits >> (command.number - 256) & 1 == 1 then names[#names + 1] = name end
  end
  table.sort(names, function(a, b) return spec.commands[a].number < spec.commands[b].number end)
  return names
end

local function widget(flat, record)
  local out = { name = record.name, type = record.kind, command = text(record.command), step = positive(record.step) }
  local j = flat.joint[record.joint + 1]
  if j and record.joint ~= 65535 then
    out.joint = j.name
    local d = record.dof ~= 255 and flat.dof[j.first + record.dof + 1]
    out.dof = d and d.name or nil
  end
  if record.low ~= 0 or record.high ~= 0 then out.range = { record.low, record.high } end
  return out
end

local function list(items, make)
  local out = {}
  for i, item in ipairs(items) do out[i] = make(item) end
  return #out > 0 and out or nil
end

---The descriptor of a description's records. has_base: whether something moves the root over the floor, which only the
---commands tell of what came over the wire.
return function(flat)
  local walks = flat.commands >> 1 & 1 == 1 and flat.joint[1].dofs == 0
  local out = { name = flat.name, model = text(flat.model), deadman = flat.deadman,
    deadman_limit = positive(flat.deadman_limit), gap_limit = positive(flat.gap_limit), panic = panic(flat),
    commands = commands(flat.commands), links = {}, joints = {} }
  if walks or unless_zero(flat.base_speed) then
    out.base = { holonomic = flat.holonomic == 1 or nil, speed = plane(flat.base_speed),
      acceleration = plane(flat.base_acceleration) }
  end
  if flat.battery > 0 or flat.voltage > 0 then out.battery = { capacity = flat.battery, voltage = flat.voltage } end
  out.bus = records.bus_of(flat)
  for i, l in ipairs(flat.link) do
    local shapes = {}
    for _, s in ipairs(flat.shape) do if s.link == i - 1 then shapes[#shapes + 1] = shape(s) end end
    out.links[i - 1] = place({ name = l.name, mass = positive(l.mass), com = unless_zero(l.com),
      inertia = tensor(l.inertia), shapes = #shapes > 0 and shapes or nil }, l)
  end
  for i, j in ipairs(flat.joint) do
    if i > 1 or j.dofs > 0 or j.name ~= "root" then out.joints[i - 1] = joint(flat, j) end
  end
  if #flat.frame > 1 then
    out.frames = {}
    for i = 2, #flat.frame do
      local f = flat.frame[i]
      local one = mounted(f)
      one.servo, one.speed, one.turn = records.servo_words(f.servo), positive(f.speed), positive(f.turn)
      out.frames[i - 1] = one
    end
  end
  out.cameras = list(flat.camera, function(c)
    local one = mounted(c)
    one.width, one.height, one.fov, one.rate = c.width, c.height, c.fov, c.rate
    return one
  end)
  out.sensors = list(flat.sensor, function(s)
    local one = mounted(s)
    one.type, one.opening, one.unit = s.kind, positive(s.opening), text(s.unit)
    if s.low ~= 0 or s.high ~= 0 then one.range = { s.low, s.high } end
    return one
  end)
  out.widgets = list(flat.widget, function(w) return widget(flat, w) end)
  return out
end
