-- From a checked descriptor to the records of spec/description.lua, which the core and the wire know, and back to what
-- people write. Records are numbered from 0, lists from 1.
local core = require "robotalk.core"
local check = require "robotalk.descriptor.check"
local tree = require "robotalk.descriptor.tree"

local records = {}
local spec = core.spec()

local SERVO = { setpoint = 1, speed = 2, force = 4 }
local PANIC = { hold = 0, brake = 1, limp = 2, retreat = 3 }
local ORDER = { none = 0, sequential = 1, updated = 2, synchronised = 3, predictive = 4, greatest = 5, optimal = 6,
  planned = 7 }
-- of a bus: what counts how much unless said
local WEIGHTS = { { "x", 1.0 }, { "y", 1.0 }, { "z", 1.0 }, { "roll", 0.4 }, { "pitch", 0.4 }, { "yaw", 0.4 },
  { "joints", 0.4 } }
local SHAPE = { box = 0, cylinder = 1, sphere = 2, mesh = 3 }
local DOF = { revolute = 0, prismatic = 1 }
local NONE = { 0.0, 0.0, 0.0 }
local IDENTITY = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 }
local MOST_DOFS, MOST_DEVICES = 64, 8

local function servo_bits(words, otherwise)
  local bits = 0
  for _, word in ipairs(words or otherwise) do bits = bits | SERVO[word] end
  return bits
end

local function minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end
local function negative(a) return { -a[1], -a[2], -a[3] } end

-- ---- who drives ----

-- The options of an entry of drivers: all but what the core itself reads.
local function options_of(entry)
  local options = {}
  for name, value in pairs(entry) do
    if name ~= "driver" then options[name] = value end
  end
  return options
end

-- The number of the device that an entry of `drivers` stands for; one for each entry that is named.
local function device_of(make, name, path)
  name = name or "sim"
  local number = make.devices[name]
  if number then return number end
  number = #make.out.device
  make.devices[name] = number
  if number == MOST_DEVICES then
    make.report:add(path, "expected at most %d drivers", MOST_DEVICES)
    return 0
  end
  local entry = (make.d.drivers or {})[name] or {}
  make.out.device[number + 1] = { driver = entry.driver or (entry.script and "lua") or name,
    options = options_of(entry), base = false, entry = name }
  return number
end

-- ---- links, joints, dofs ----

local function add_links(make)
  for _, number in tree.sorted(make.links) do
    local l = make.links[number]
    make.out.link[number + 1] = { name = l.name, mass = l.mass or 0, com = l.com or NONE,
      inertia = l.inertia or { 0, 0, 0, 0, 0, 0 }, position = l.position or NONE, attitude = l.attitude or NONE }
    for _, s in ipairs(l.shapes or {}) do
      if s and s.type then
        local size = s.size or (s.type == "mesh" and { 1.0, 1.0, 1.0 }) or {}
        make.out.shape[#make.out.shape + 1] = { link = number, kind = SHAPE[s.type], solid = s.solid and 1 or 0,
          size = { size[1] or 0, size[2] or 0, size[3] or 0 }, position = s.position or NONE,
          attitude = s.attitude or NONE, colour = s.colour or 0, file = s.file or "" }
      end
    end
  end
  if #make.out.shape > 160 then make.report:add("links", "expected at most 160 shapes, got %d", #make.out.shape) end
end

local function add_dof(make, joint, k, dof)
  local path = ("%s.dofs[%d]"):format(joint.path, k)
  local limit = dof.limit
  local home = dof.home or (limit and math.min(math.max(0.0, limit[1]), limit[2])) or 0.0
  if limit and dof.home and (home < limit[1] or home > limit[2]) then
    make.report:add(path .. ".home", "expected a position within its limit, got %g", home)
  end
  make.out.dof[#make.out.dof + 1] = { name = dof.name or tostring(k - 1), kind = DOF[dof.type or "revolute"],
    axis = dof.axis or { 0.0, 0.0, 1.0 }, low = limit and limit[1] or 1.0, high = limit and limit[2] or -1.0,
    speed = dof.speed or 0, acceleration = dof.acceleration or 0, force = dof.force or 0, home = home,
    retreats = 0, retreat = 0, mimics = 0, ratio = 0, shift = 0 }
  if dof.mimic then make.mimics[#make.mimics + 1] = { path = path .. ".mimic", from = dof.mimic,
    dof = #make.out.dof } end
end

-- Where a joint is, from its parent's and its child's centres of mass.
local function joint_places(make, joint)
  local parent, child = make.links[joint.parent_link], make.links[joint.child_link]
  if joint.position and (joint.inboard or joint.outboard) then
    make.report:add(joint.path .. ".position", "expected either a position or inboard and outboard, got both")
  end
  if joint.inboard or joint.outboard then return joint.inboard or NONE, joint.outboard or NONE end
  return minus(joint.position or NONE, parent and parent.com or NONE), negative(child and child.com or NONE)
end

local function add_joints(make)
  for _, number in tree.sorted(make.joints) do
    local j = make.joints[number]
    local first = #make.out.dof
    local seen = {}
    for k, dof in ipairs(j.dofs) do
      if dof then
        add_dof(make, j, k, dof)
        local name = make.out.dof[#make.out.dof].name
        if seen[name] then
          make.report:add(("%s.dofs[%d].name"):format(j.path, k), "expected a name of its own: dof %d is called %q too",
            seen[name], name)
        end
        seen[name] = k
      end
    end
    local inboard, outboard = joint_places(make, j)
    local device = (#j.dofs > 0 or number > 0) and not j.implied and device_of(make, j.driver, j.path .. ".driver") or 0
    make.out.joint[number + 1] = { name = j.name, parent = j.parent_link == "world" and 65535 or j.parent_link or 0,
      child = j.child_link or 0, servo = #j.dofs > 0 and servo_bits(j.servo, { "setpoint" }) or 0, first = first,
      dofs = #make.out.dof - first, leg = j.leg or 0, inboard = inboard, outboard = outboard, rest = j.rest or IDENTITY,
      device = device }
  end
  if #make.out.dof > MOST_DOFS then
    make.report:add("joints", "expected at most %d dofs in all, got %d", MOST_DOFS, #make.out.dof)
  end
end

-- The place of a dof in the list of all, from the names of its joint and itself; nil after a report.
local function find_dof(make, joint, dof, path)
  for _, j in ipairs(make.out.joint) do
    if j.name == joint then
      for k = j.first + 1, j.first + j.dofs do
        if not dof or make.out.dof[k].name == dof then return k, j end
      end
      make.report:add(path .. ".dof", "expected a dof of joint '%s', got %s", joint, check.show(dof))
      return nil
    end
  end
  make.report:add(path .. ".joint", "expected the name of a joint, got %s", check.show(joint))
end

local function add_mimics(make)
  for _, m in ipairs(make.mimics) do
    local leader = find_dof(make, m.from.joint, m.from.dof, m.path)
    local out = make.out.dof[m.dof]
    if leader == m.dof then
      make.report:add(m.path, "expected another dof than itself")
    elseif m.from.ratio == 0 then
      make.report:add(m.path .. ".ratio", "expected a number that is not 0")
    elseif leader then
      out.mimics, out.ratio, out.shift = leader, m.from.ratio or 1.0, m.from.shift or 0.0
    end
  end
  for _, m in ipairs(make.mimics) do
    local leader = make.out.dof[make.out.dof[m.dof].mimics]
    if leader and leader.mimics > 0 then
      make.report:add(m.path, "expected a dof that moves by itself; %q mimics another", leader.name)
    end
  end
end

local function add_panic(make)
  local panic = make.d.panic
  if type(panic) ~= "table" then
    make.out.panic = PANIC[panic or "hold"]
    return
  end
  make.out.panic = PANIC.retreat
  for _, joint in ipairs(check.keys_of(panic)) do
    for _, name in ipairs(type(panic[joint]) == "table" and check.keys_of(panic[joint]) or {}) do
      local number = find_dof(make, joint, name, "panic." .. joint)
      local x = panic[joint][name]
      if number and type(x) == "number" then
        local dof = make.out.dof[number]
        if dof.low <= dof.high and (x < dof.low or x > dof.high) then
          make.report:add(("panic.%s.%s"):format(joint, name), "expected a position within its limit, got %g", x)
        end
        dof.retreats, dof.retreat = 1, x
      end
    end
  end
end

-- ---- what is fixed to links ----

-- The dofs of every joint between a link and its root; and what servos all of them take.
local function chain_servo(make, link)
  local servo, dofs, steps = 7, 0, 0
  local number = make.joint_of[link]
  while number and steps < 256 do
    local j = make.out.joint[number + 1]
    if j.dofs > 0 then
      dofs = dofs + j.dofs
      servo = servo & (j.servo & 1 ~= 0 and j.servo | 2 or j.servo) -- set-points in quick succession are a speed
    end
    steps = steps + 1
    number = j.parent ~= 65535 and make.joint_of[j.parent] or nil
  end
  return dofs > 0 and (servo & 2 ~= 0 and servo | 1 or servo) or 0
end

local function add_frames(make)
  local frames = make.d.frames or {}
  local possible = chain_servo(make, 0)
  make.out.frame[1] = { name = "root", link = 0, servo = possible & 3, position = NONE, attitude = NONE, speed = 0,
    turn = 0 }
  local names = { [0] = { name = "root" } }
  for _, number in tree.sorted(frames) do
    local f = frames[number] or {}
    local path = ("frames[%d]"):format(number)
    local link = f.link and tree.link(make.links, f.link, path .. ".link", make.report) or 0
    possible = chain_servo(make, link)
    local servo = f.servo and servo_bits(f.servo) or possible & 1
    if servo & ~possible ~= 0 then
      make.report:add(path .. ".servo", possible == 0 and "expected none: no dof moves this control frame"
        or "expected what every joint on its way to the root takes: %s",
        table.concat(records.servo_words(possible), ", "))
    end
    make.out.frame[number + 1] = { name = f.name or "", link = link, servo = servo & possible,
      position = f.position or NONE, attitude = f.attitude or NONE, speed = f.speed or 0, turn = f.turn or 0 }
    names[number] = f
  end
  tree.twice(names, "frames", "frames", make.report)
end

local function mounted(make, item, path)
  local link = item.link and tree.link(make.links, item.link, path .. ".link", make.report) or 0
  return { name = item.name or "", link = link, position = item.position or NONE, attitude = item.attitude or NONE }
end

local function add_mounted(make)
  for i, c in ipairs(make.d.cameras or {}) do
    local out = mounted(make, c or {}, ("cameras[%d]"):format(i))
    out.width, out.height, out.fov, out.rate = c.width or 0, c.height or 0, c.fov or 0, c.rate or 0
    make.out.camera[i] = out
  end
  for i, s in ipairs(make.d.sensors or {}) do
    local out = mounted(make, s or {}, ("sensors[%d]"):format(i))
    local range = s.range or { 0, 0 }
    out.kind, out.low, out.high, out.opening, out.unit = s.type or "", range[1], range[2], s.opening or 0, s.unit or ""
    make.out.sensor[i] = out
  end
  tree.twice(make.d.cameras or {}, "cameras", "cameras", make.report)
  tree.twice(make.d.sensors or {}, "sensors", "sensors", make.report)
end

local function add_widgets(make)
  for i, w in ipairs(make.d.widgets or {}) do
    local path, joint, dof, range = ("widgets[%d]"):format(i), 65535, 255, w.range
    if w.command and w.command ~= "" and not spec.commands[w.command] then
      make.report:expected(path .. ".command", "the name of a command", w.command)
    end
    if w.joint then
      local number, j = find_dof(make, w.joint, w.dof, path)
      if number then
        for k, other in ipairs(make.out.joint) do if other == j then joint = k - 1 end end
        dof = w.dof and number - 1 - j.first or 255
        local own = make.out.dof[number]
        if w.dof and not range and own.low <= own.high then range = { own.low, own.high } end
      end
    end
    range = range or { 0.0, 0.0 }
    make.out.widget[i] = { name = w.name or "", kind = w.type or "", command = w.command or "", joint = joint,
      dof = dof,
      low = range[1], high = range[2], step = w.step or 0 }
  end
end

-- ---- the whole ----

-- The commands that such a body understands.
local function commands_of(make)
  local joints, frames, legs = 0, 0, false
  for i, j in ipairs(make.out.joint) do
    if j.dofs > 0 then joints = joints | j.servo end
    if i > 1 and j.leg > 0 then legs = true end
  end
  for _, f in ipairs(make.out.frame) do frames = frames | f.servo end
  local base, names = make.d.base, {}
  -- which servo commands each part takes, 7: all; a joint that takes one understands them all, if only to say so
  local takes = {
    root = (base or make.out.joint[1].dofs > 0) and 7 or 0, leg = base and legs and 7 or 0,
    joint = joints ~= 0 and 7 or 0, joints = joints, frame = frames,
  }
  for name, kind in pairs(spec.commands) do
    if kind.moves == "all" or takes[kind.moves] & kind.servo ~= 0 then names[#names + 1] = name end
  end
  return names
end

local function add_bus(make, bus)
  local out = make.out
  out.bus_rate, out.bus_age = bus.rate or 0, bus.max_age or 0
  out.bus_order = ORDER[bus.order or bus.rate and "optimal" or "none"]
  out.bus_weight = { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 }
  if out.bus_order > 0 and out.bus_rate == 0 then
    make.report:add("bus.order", "expected a rate too: messages a second that the bus carries")
  end
  local dofs = 0
  for _, joint in ipairs(out.joint) do
    local device = out.device[joint.device + 1]
    dofs = dofs + (device and device.base and 0 or joint.dofs)
  end
  if bus.order == "planned" and dofs > 10 then
    make.report:add("bus.order", "expected at most 10 dofs for planned, got %d", dofs)
  end
  if not make.d.bus then return end
  for i, weight in ipairs(WEIGHTS) do out.bus_weight[i] = (bus.weights or {})[weight[1]] or weight[2] end
end

local function add_whole(make)
  local d, out = make.d, make.out
  local base, battery, bus = d.base or {}, d.battery or {}, d.bus or {}
  out.name, out.model = d.name or "", d.model or ""
  out.deadman = d.deadman or 0.5
  out.deadman_limit, out.gap_limit = d.deadman_limit or 0, d.gap_limit or 0
  out.holonomic = base.holonomic and 1 or 0
  out.base_speed, out.base_acceleration = base.speed or NONE, base.acceleration or NONE
  out.battery, out.voltage = battery.capacity or 0, battery.voltage or 0
  if d.base then out.device[device_of(make, base.driver, "base.driver") + 1].base = true end
  add_bus(make, bus)
  out.commands = 0
  for _, name in ipairs(d.commands or commands_of(make)) do
    local number = spec.commands[name] and spec.commands[name].number
    if number then out.commands = out.commands | 1 << (number - 256) end
  end
end

---Records of a descriptor that check.descriptor has seen; what is wrong is added to its report.
function records.make(d, report)
  local out = { link = {}, joint = {}, dof = {}, frame = {}, shape = {}, camera = {}, sensor = {}, widget = {},
    device = {} }
  local make = { d = d, report = report, out = out, devices = {}, mimics = {} }
  make.links, make.joints, make.joint_of = tree.make(d, report)
  add_links(make)
  add_joints(make)
  add_mimics(make)
  add_panic(make)
  add_frames(make)
  add_mounted(make)
  add_widgets(make)
  add_whole(make)
  for noun, most in pairs { link = 72, joint = 72 } do
    if #out[noun] > most then report:add(noun .. "s", "expected at most %d, got %d", most, #out[noun]) end
  end
  return out
end

---The name of a bus's order.
function records.order_word(number)
  for word, n in pairs(ORDER) do if n == number then return word end end
end

---The descriptor's bus of a description's; nil when it says nothing.
function records.bus_of(flat)
  if flat.bus_rate == 0 and flat.bus_age == 0 and flat.bus_order == 0 and flat.bus_weight[1] == 0 then return nil end
  local bus, weights = { rate = flat.bus_rate ~= 0 and flat.bus_rate or nil,
    max_age = flat.bus_age ~= 0 and flat.bus_age or nil }, {}
  bus.order = records.order_word(flat.bus_order)
  for i, weight in ipairs(WEIGHTS) do
    if flat.bus_weight[i] ~= weight[2] then weights[weight[1]] = flat.bus_weight[i] end
  end
  if next(weights) then bus.weights = weights end
  return bus
end

---The words of servo bits.
function records.servo_words(bits)
  local words = {}
  for _, word in ipairs { "setpoint", "speed",
    "force" } do if bits & SERVO[word] ~= 0 then words[#words + 1] = word end end
  return words
end

return records
