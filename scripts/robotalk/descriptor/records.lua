-- From a checked descriptor to its records, which the core and the wire know. Fields are those of spec/descriptor.lua,
-- by fields.lua; this module handles values of several fields. Records are numbered from 0, lists from 1.
local beside = require "robotalk.robot.beside"
local core = require "robotalk.core"
local check = require "robotalk.descriptor.check"
local fields = require "robotalk.descriptor.fields"
local names_of_dofs = require "robotalk.descriptor.dofs"
local sensors = require "robotalk.descriptor.sensors"
local tree = require "robotalk.descriptor.tree"

local records = { physical = false }
local spec = core.spec()

local kinds = check.kinds
local NONE = { 0.0, 0.0, 0.0 }
local WORLD, NOTHING = check.WORLD, check.NOTHING

local function minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end
local function negative(a) return { -a[1], -a[2], -a[3] } end

-- ---- drivers ----

-- The options of an entry of drivers: all except those that the core itself reads.
local function options_of(entry)
  local options = {}
  for name, value in pairs(entry) do
    if name ~= "driver" then options[name] = value end
  end
  return options
end

-- A driver that is a shared object: its path, relative to the descriptor.
local function path_of(make, path)
  if path:sub(1, 1) == "/" or not make.file then return path end
  return beside.find(make.file, path) or (make.file:match "^.*/" or "") .. path:gsub("^%./", "")
end

-- A driver's script: the name of a bundled one; its path next to the descriptor; or the text as given, which is then
-- relative to the folder in which the program was started.
local function script_of(make, name)
  if type(name) ~= "string" or not make.file or core.script("drivers/" .. name .. ".lua") then return name end
  return beside.find(make.file, name) or beside.find(make.file, name .. ".lua") or name
end

-- The number of the device of an entry of `drivers`; one for each entry that is named.
local function device_of(make, name, path)
  name = name or "sim"
  local number = make.devices[name]
  if number then return number end
  number = #make.out.device
  make.devices[name] = number
  if number == kinds.driver.max then
    make.report:add(path, "expected at most %d drivers", kinds.driver.max)
    return 0
  end
  local entry = (make.d.drivers or {})[name] or {}
  local driver, options = entry.driver or (entry.script and "lua") or name, options_of(entry)
  if driver:find "/" then driver, options.file = "file", path_of(make, driver) end
  options.script = script_of(make, options.script)
  make.out.device[number + 1] = { driver = driver, options = options, base = false, entry = name }
  return number
end

-- ---- links, joints, dofs ----

-- A wheel is a cylinder of the root link, a caster a sphere.
local ROUND <const> = { wheel = "cylinder", omni = "cylinder", caster = "sphere" }

local STEEP <const> = 0.1 -- the level part of an axle's direction

local function check_roll(make, link, path, shape)
  local wanted = ROUND[shape.roll]
  if not wanted then return end
  if link ~= 0 then
    make.report:expected(path .. ".roll", "none, since only shapes of link 0 carry the robot", shape.roll)
  elseif shape.type ~= wanted then
    make.report:expected(path .. ".roll", ("none of a %s: a %s is a %s"):format(shape.type, shape.roll, wanted),
      shape.roll)
  elseif wanted == "cylinder" then
    local angles = shape.attitude or NONE
    -- the cylinder's axis is its z: as in drivers/wheels.c, one that is this near to upright rolls nowhere
    local upright = math.cos(angles[1]) * math.cos(angles[2])
    if 1 - upright * upright <= STEEP * STEEP then
      make.report:add(shape.attitude and path .. ".attitude" or path .. ".roll",
        "expected an axle that lies, as with attitude = { math.pi / 2, 0, 0 }: this one is upright, and rolls nowhere")
    end
  end
end

local function add_links(make)
  for _, number in tree.sorted(make.links) do
    local l = make.links[number]
    make.out.link[number + 1] = fields.record("link", l, {})
    for i, shape in ipairs(l.shapes or {}) do
      if shape and shape.type then
        local size, count = fields.shape_size(shape)
        local path = ("links[%d].shapes[%d]"):format(number, i)
        check_roll(make, number, path, shape)
        if shape.size and not size then
          make.report:expected(path .. ".size",
            count == 1 and "one number" or ("%d numbers"):format(count), shape.size)
        end
        size = size or {}
        table.insert(make.out.shape,
          fields.record("shape", shape, { link = number, size = { size[1] or 0, size[2] or 0, size[3] or 0 } }))
      end
    end
  end
end

local function add_dof(make, joint, k, dof, name)
  local path = ("%s.dofs[%d]"):format(joint.path, k)
  local limit = dof.limit
  local home = dof.home or (limit and math.min(math.max(0.0, limit[1]), limit[2])) or 0.0
  if limit and dof.home and (home < limit[1] or home > limit[2]) then
    make.report:add(path .. ".home", "expected a position within its limit, got %g", home)
  end
  local record = { name = name, home = home, retreats = 0, retreat = 0, mimics = 0 }
  table.insert(make.out.dof, fields.record("mimic", dof.mimic, fields.record("dof", dof, record)))
  if dof.mimic then make.mimics[#make.mimics + 1] = { path = path .. ".mimic", from = dof.mimic,
    dof = #make.out.dof } end
end

-- The position of a joint, from its parent's and its child's centres of mass.
local function joint_places(make, joint)
  local parent, child = make.links[joint.parent_link], make.links[joint.child_link]
  if joint.position and (joint.inboard or joint.outboard) then
    make.report:add(joint.path .. ".position", "expected either a position or inboard and outboard, got both")
  end
  if joint.inboard or joint.outboard then return joint.inboard or NONE, joint.outboard or NONE end
  return minus(joint.position or NONE, parent and parent.com or NONE), negative(child and child.com or NONE)
end

-- Drivers that carry out speeds of every joint, so that a joint of theirs takes them unless its `servo` says otherwise.
local SPEEDS = { sim = true, physics = true, walk = true }

local function servo_of(make, joint, device)
  if #joint.dofs == 0 then return 0 end
  local driver = make.out.device[device + 1]
  return fields.into("joint", "servo",
    joint.servo or driver and SPEEDS[driver.driver] and { "setpoint", "speed" } or { "setpoint" })
end

local function add_joints(make)
  for _, number in tree.sorted(make.joints) do
    local j = make.joints[number]
    local first = #make.out.dof
    local seen, names = {}, names_of_dofs(j)
    for k, dof in ipairs(j.dofs) do
      local name = names[k]
      if dof then
        add_dof(make, j, k, dof, name)
        if seen[name] then
          make.report:add(("%s.dofs[%d].name"):format(j.path, k), "expected a name of its own: dof %d is called %q too",
            seen[name], name)
        end
        seen[name] = k
      end
    end
    local inboard, outboard = joint_places(make, j)
    local device = (#j.dofs > 0 or number > 0) and not j.implied and device_of(make, j.driver, j.path .. ".driver") or 0
    make.out.joint[number + 1] = fields.record("joint", j, { child = j.child_link or 0,
      parent = j.parent_link == "world" and WORLD or j.parent_link or 0,
      servo = servo_of(make, j, device), first = first,
      dofs = #make.out.dof - first, inboard = inboard, outboard = outboard, device = device })
  end
end

-- The place of a dof in the list of all, from the names of its joint and itself, or its number in that, from 0; nil
-- after a report.
local function find_dof(make, joint, dof, path)
  for _, j in ipairs(make.out.joint) do
    if j.name == joint then
      for k = j.first + 1, j.first + j.dofs do
        if not dof or make.out.dof[k].name == dof then return k, j end
      end
      local number = math.tointeger(tonumber(dof))
      if number and number >= 0 and number < j.dofs then return j.first + number + 1, j end
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
      out.mimics = leader
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
    make.out.panic = fields.into("robot", "panic", panic or "hold")
    return
  end
  make.out.panic = fields.into("robot", "panic", "retreat")
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

-- ---- parts that are fixed to links ----

-- The dofs of every joint between a link and its root; and the servo types that all of them have.
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
    number = j.parent ~= WORLD and make.joint_of[j.parent] or nil
  end
  return dofs > 0 and (servo & 2 ~= 0 and servo | 1 or servo) or 0
end

local function add_frames(make)
  local frames = make.d.frames or {}
  make.out.frame[1] = fields.record("frame", { name = "root" }, { servo = chain_servo(make, 0) & 3 })
  local names = { [0] = { name = "root" } }
  for _, number in tree.sorted(frames) do
    local f = frames[number] or {}
    local path = ("frames[%d]"):format(number)
    local record = fields.record("frame", f, {}, path, make)
    local possible = chain_servo(make, record.link)
    local servo = f.servo and fields.into("frame", "servo", f.servo) or possible & 3
    if servo & ~possible ~= 0 then
      make.report:add(path .. ".servo", possible == 0 and "expected none: no dof moves this control frame"
        or "expected what every joint on its way to the root takes: %s",
        table.concat(fields.word(check.words.servo, possible), ", "))
    end
    record.servo = servo & possible
    make.out.frame[number + 1] = record
    names[number] = f
  end
  tree.twice(names, "frames", "frames", make.report)
end

-- The driver of readings and pictures: that of the base, or else of the first joint with dofs, unless a sensor or a
-- camera names one. nil: there is none.
local function first_device(make)
  local device
  for i = #make.out.joint, 1, -1 do
    if make.out.joint[i].dofs > 0 then device = make.out.joint[i].device end
  end
  for i, d in ipairs(make.out.device) do if d.base then device = i - 1 end end
  return device
end

local function add_cameras(make)
  local device = first_device(make) or sensors.NOBODY
  for i, item in ipairs(make.d.cameras or {}) do
    local path = ("cameras[%d]"):format(i)
    local record = fields.record("camera", item or {}, {}, path, make)
    record.device = item and item.driver and device_of(make, item.driver, path .. ".driver") or device
    make.out.camera[i] = record
  end
  tree.twice(make.d.cameras or {}, "cameras", "cameras", make.report)
end

local function add_sensors(make)
  sensors.add(make, first_device(make), function(name, path) return device_of(make, name, path) end)
end

local function add_widgets(make)
  for i, w in ipairs(make.d.widgets or {}) do
    local path, joint, dof, range = ("widgets[%d]"):format(i), WORLD, NOTHING, w.range
    if w.command and w.command ~= "" and not spec.commands[w.command] then
      make.report:expected(path .. ".command", "the name of a command", w.command)
    end
    if w.joint then
      local number, j = find_dof(make, w.joint, w.dof, path)
      if number then
        for k, other in ipairs(make.out.joint) do if other == j then joint = k - 1 end end
        dof = w.dof and number - 1 - j.first or NOTHING
        local own = make.out.dof[number]
        if w.dof and not range and own.low <= own.high then range = { own.low, own.high } end
      end
    end
    range = range or { 0.0, 0.0 }
    make.out.widget[i] = fields.record("widget", w or {}, { joint = joint, dof = dof, low = range[1], high = range[2] })
  end
end

-- ---- the whole ----

-- The commands that such a body accepts.
local function commands_of(make)
  local joints, frames, legs = 0, 0, false
  for i, j in ipairs(make.out.joint) do
    if j.dofs > 0 then joints = joints | j.servo end
    if i > 1 and j.leg > 0 then legs = true end
  end
  for _, f in ipairs(make.out.frame) do frames = frames | f.servo end
  local base, names = make.d.base, {}
  -- servo commands of each part, 7: all; a joint with one of them accepts them all, if only to refuse them
  local takes = {
    root = (base or make.out.joint[1].dofs > 0) and 7 or 0, leg = base and legs and 7 or 0,
    joint = joints ~= 0 and 7 or 0, joints = joints, frame = frames,
  }
  for name, kind in pairs(spec.commands) do
    local any = kind.moves == "all" or kind.moves == "parts"
    if any or takes[kind.moves] & kind.servo ~= 0 then names[#names + 1] = name end
  end
  return names
end

local PLANNABLE = 10 -- dofs that the order `planned` takes: ROBO__PLANNABLE in C

-- Dofs that can be on a bus: all except those that the base's device moves.
local function bus_dofs(out)
  local dofs = 0
  for _, joint in ipairs(out.joint) do
    local device = out.device[joint.device + 1]
    dofs = dofs + (device and device.base and 0 or joint.dofs)
  end
  return dofs
end

local function add_bus(make, bus)
  local out, dofs = make.out, bus_dofs(make.out)
  local unsaid = bus.rate and (dofs <= PLANNABLE and "planned" or "optimal") or "none"
  out.bus_order = fields.into("bus", "order", bus.order or unsaid)
  out.bus_weight = {}
  for i, field in ipairs(kinds.weights) do
    out.bus_weight[i] = not make.d.bus and 0.0 or (bus.weights or {})[field[1]] or field.default
  end
  if out.bus_order > 0 and out.bus_rate == 0 then
    make.report:add("bus.order", "expected a rate too: messages a second that the bus carries")
  end
  if bus.order == "planned" and dofs > PLANNABLE then
    make.report:add("bus.order", "expected at most %d dofs for planned, got %d", PLANNABLE, dofs)
  end
end

local function add_whole(make)
  local d, out = make.d, make.out
  fields.record("robot", d, out)
  out.base_translator = d.base and d.base.translator or ""
  if d.base then out.device[device_of(make, d.base.driver, "base.driver") + 1].base = true end
  add_bus(make, d.bus or {})
  out.commands = 0
  for _, name in ipairs(d.commands or commands_of(make)) do
    local number = spec.commands[name] and spec.commands[name].number
    if number then out.commands = out.commands | 1 << (number - 256) end
  end
end

-- ---- translators ----

-- Those that a descriptor names: a list of { name =, path =, file = }, the file next to the descriptor; nil: there is
-- none, or it is bundled.
local function find_translators(make)
  local d, list = make.d, {}
  local function add(holder, path)
    local name = holder and holder.translator
    if not name or name == "" then return end
    path = path .. ".translator"
    if not name:find "^[%w_]+$" then
      make.report:add(path, "expected the name of a translator: letters, digits and _, got %s", check.show(name))
      return
    end
    list[#list + 1] = { name = name, path = path,
      file = make.file and not core.script(("robotalk/translators/%s.lua"):format(name))
        and beside.find(make.file, name .. ".lua") or nil }
  end
  add(d.base, "base")
  for _, field in ipairs { "joints", "frames", "cameras", "sensors" } do
    for _, key in ipairs(check.keys_of(d[field] or {})) do add(d[field][key], ("%s[%s]"):format(field, key)) end
  end
  return list
end

-- Whether physics can move it: simulated devices, and legs of which more than two stand, or that balance.
local function is_physical(device)
  if device.driver ~= "walk" then return device.driver == "sim" end
  local _, feet = tostring(device.options.feet):gsub("%S+", "")
  return feet > 2 or device.options.gait == "preview"
end

-- Simulated devices have physics from now on, except on a base with another driver, which physics does not know.
local function give_weight(devices)
  for _, device in ipairs(devices) do
    if device.base and not is_physical(device) then return end
  end
  for _, device in ipairs(devices) do
    if is_physical(device) then device.driver = "physics" end
  end
end

---Records of a descriptor that check.descriptor has checked; errors are added to its report. file: that of the
---descriptor, or of the script with its table. Second, the translators that it names.
function records.make(d, report, file)
  local out = { link = {}, joint = {}, dof = {}, frame = {}, shape = {}, camera = {}, sensor = {}, widget = {},
    device = {} }
  local make = { d = d, report = report, out = out, devices = {}, mimics = {}, file = file }
  make.links, make.joints, make.joint_of = tree.make(d, report)
  add_links(make)
  add_joints(make)
  add_mimics(make)
  add_panic(make)
  add_frames(make)
  add_widgets(make)
  add_whole(make) -- before those that take the base's driver
  add_cameras(make)
  add_sensors(make)
  if records.physical then give_weight(out.device) end
  local translators = find_translators(make)
  for _, noun in ipairs { "link", "joint", "dof", "shape" } do
    local count, most = #out[noun], kinds[noun].max
    if count > most then
      local where = noun == "dof" and "joints" or noun == "shape" and "links" or noun .. "s"
      report:add(where, "expected at most %d %ss%s, got %d", most, noun, noun == "dof" and " in all" or "", count)
    end
  end
  return out, translators
end

return records
