-- Converts the records of a description back to the written form: the descriptor that a client rebuilds from a
-- configuration block, which has no drivers. Single fields are made by fields.lua.
local check = require "robotalk.descriptor.check"
local fields = require "robotalk.descriptor.fields"
local sensors = require "robotalk.descriptor.sensors"
local spec = require "robotalk.core".spec()

local WORLD, NOTHING = check.WORLD, check.NOTHING

local function shape(record)
  local kind = check.words.shape[record.kind + 1]
  return fields.written("shape", record, { size = table.move(record.size, 1, kind.sizes, 1, {}) })
end

-- The joint that a dof is of, by its place in the list of all.
local function joint_of(flat, number)
  for _, j in ipairs(flat.joint) do
    if number > j.first and number <= j.first + j.dofs then return j end
  end
end

local function dof(flat, record)
  local out = fields.written("dof", record, { name = record.name, home = fields.out("dof", "home", record.home) })
  -- 0 outside the limits is moved to their edge unless the descriptor has a home position
  if out.limit and (out.limit[1] > 0 or out.limit[2] < 0) then out.home = record.home end
  local leader = record.mimics > 0 and joint_of(flat, record.mimics)
  if leader then
    out.mimic = fields.written("mimic", record, { joint = leader.name, dof = flat.dof[record.mimics].name })
  end
  return out
end

local function joint(flat, record)
  local out = fields.written("joint", record, { child = record.child,
    parent = record.parent == WORLD and "world" or record.parent,
    inboard = fields.out("joint", "inboard", record.inboard),
    outboard = fields.out("joint", "outboard", record.outboard) })
  if not out.inboard and not out.outboard then out.inboard = { 0, 0, 0 } end
  if record.dofs > 0 then
    out.servo, out.dofs = fields.word(check.words.servo, record.servo), {}
    for k = 1, record.dofs do out.dofs[k] = dof(flat, flat.dof[record.first + k]) end
  end
  return out
end

local function panic(flat)
  local word = fields.out("robot", "panic", flat.panic)
  if word ~= "retreat" then return word end
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

local function commands(bits)
  local names = {}
  for name, command in pairs(spec.commands) do
    if bits >> (command.number - 256) & 1 == 1 then names[#names + 1] = name end
  end
  table.sort(names, function(a, b) return spec.commands[a].number < spec.commands[b].number end)
  return names
end

-- The bus; nil when the description has none.
local function bus(flat, out)
  if not out and flat.bus_order == 0 and flat.bus_weight[1] == 0 then return nil end
  local weights = {}
  for i, field in ipairs(check.kinds.weights) do
    if flat.bus_weight[i] ~= field.default then weights[field[1]] = flat.bus_weight[i] end
  end
  out = out or {}
  out.order, out.weights = fields.word(check.words.order, flat.bus_order), next(weights) and weights or nil
  return out
end

local function frame(_, record)
  return fields.written("frame", record, { servo = fields.word(check.words.servo, record.servo) })
end

local function camera(_, record) return fields.written("camera", record, {}) end
local function sensor(_, record) return sensors.written(record) end

local function widget(flat, record)
  local out = fields.written("widget", record, { range = fields.out("widget", "range", { record.low, record.high }) })
  local j = record.joint ~= WORLD and flat.joint[record.joint + 1]
  if j then
    local d = record.dof ~= NOTHING and flat.dof[j.first + record.dof + 1]
    out.joint, out.dof = j.name, d and d.name or nil
  end
  return out
end

-- The results for records from `first` on, by number; nil when there are none.
local function list(flat, records, make, first)
  local out = {}
  for i = first or 1, #records do out[i + 1 - (first or 1)] = make(flat, records[i]) end
  return #out > 0 and out or nil
end

---The descriptor of a description's records. For a description from the wire, only the commands show whether a base
---moves the root over the floor.
return function(flat)
  local out = fields.written("robot", flat, { panic = panic(flat), commands = commands(flat.commands), links = {},
    joints = {} })
  local walks = flat.commands >> 1 & 1 == 1 and flat.joint[1].dofs == 0
  out.base, out.bus = out.base or walks and {} or nil, bus(flat, out.bus)
  if out.base and flat.base_translator ~= "" then out.base.translator = flat.base_translator end
  for i, l in ipairs(flat.link) do
    local shapes = {}
    for _, s in ipairs(flat.shape) do if s.link == i - 1 then shapes[#shapes + 1] = shape(s) end end
    out.links[i - 1] = fields.written("link", l, { shapes = #shapes > 0 and shapes or nil })
  end
  for i, j in ipairs(flat.joint) do
    if i > 1 or j.dofs > 0 or j.name ~= "root" then out.joints[i - 1] = joint(flat, j) end
  end
  out.frames = list(flat, flat.frame, frame, 2)
  out.cameras, out.sensors = list(flat, flat.camera, camera), list(flat, flat.sensor, sensor)
  out.widgets = list(flat, flat.widget, widget)
  return out
end
