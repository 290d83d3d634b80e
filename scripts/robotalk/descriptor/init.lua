-- Descriptors: Lua files that only compute and return a table, URDF, or VRML97. They are found by name among the
-- embedded ones, or by path, and checked as a whole, so that all errors are reported at once.
local core = require "robotalk.core"
local calibration = require "robotalk.descriptor.calibration"
local check = require "robotalk.descriptor.check"
local derive = require "robotalk.descriptor.derive"
local log = require "robotalk.log"
local meshes = require "robotalk.descriptor.meshes"
local mistake = require "robotalk.mistakes.mistake"
local near = require "robotalk.mistakes.near"
local records = require "robotalk.descriptor.records"
local source = require "robotalk.descriptor.source"
local shape = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"
local things = require "robotalk.world.things"

local descriptor = {
  origin = {}, -- name of a robot of this process -> the file it came from
  stamp = {},  -- the same -> that file's stamp, from before it was read
  dry = false, -- a dry run: nothing reaches hardware or another machine
}

-- Drivers of a dry run: all are simulators, and reach no hardware. description: one that was checked.
local function tame(description)
  local simulators = { sim = true, walk = true }
  local drivers = {}
  for name, entry in pairs(description.drivers or {}) do
    if simulators[entry.driver or (entry.script and "lua") or name] then drivers[name] = entry end
  end
  local function safe(holder)
    local driver = holder and holder.driver
    if driver and not drivers[driver] and not simulators[driver] then holder.driver = "sim" end
  end
  description.drivers = drivers
  safe(description.base)
  for _, joint in pairs(description.joints or {}) do safe(joint) end
  return description
end

-- The path of a driver's refusal: the option that its message begins with, or a field of a link.
local function report_driver(device, message, links, report)
  local path, option, rest = "drivers." .. device.entry, message:match("^([^:]+): (.*)$")
  if option and device.options[option] ~= nil then path, message = check.join(path, option), rest end
  local name, field, wrong = message:match "^link ([^:]+): (%l+): (.*)$"
  for i, link in ipairs(links) do
    if link.name == name then path, message = ("links[%d].%s"):format(i - 1, field), wrong end
  end
  report:add(path, "%s", message)
end

---The errors of a descriptor: nil if none, else a list of { path =, message = }. Then the result for other
---modules: { descriptor =, records =, body =, translators =, triangles =, origin = }, the body of the core,
---and its records; origin: as derive.whole returns it, also a field of the list; in a dry run those of a simulated
---robot; the translators that it names: { name =, path =, file = }; meshes
---by the number of their shape. file: next to which its drivers and translators are, that of the descriptor or of the
---script with its table; nil: drivers are where the program was started. uncalibrated: without the files of servos'
---calibrations.
function descriptor.check(description, file, uncalibrated)
  local report, good, flat, body, translators, origin = check.report(), nil, nil, nil, nil, nil
  local triangles, absent, unread, new
  local ok, trouble = pcall(function()
    description, origin, report.lists, new = derive.whole(description, file, report)
    report.origin, report.new = origin, new
    description = calibration.apply(description, file, report, uncalibrated)
    if #report > 0 then return end
    good = check.descriptor(description, report)
    if good then flat, translators = records.make(good, report, file) end
    if #report > 0 then return end
    triangles, absent, unread = meshes.read(flat, file, report)
    if #report > 0 then return end
    local made, result = pcall(core.body, flat, triangles) -- raises for a description that the core rejects
    if not made then
      report:add("name", "%s", result)
      return
    end
    body = result
    for _, wrong in ipairs((core.check_drivers(body))) do
      report_driver(flat.device[wrong[1]], wrong[2], flat.link, report)
    end
  end)
  if not ok and trouble ~= check.FULL then error(trouble, 0) end
  if #report > 0 then return report end
  if descriptor.dry then
    flat = records.make(tame(good), report, file)
    body = core.body(flat, triangles)
  end
  return nil, { descriptor = description, records = flat, body = body, translators = translators, absent = absent,
    unread = unread, triangles = triangles, origin = origin, new = new }
end

-- The result of a valid descriptor; raises for an invalid one.
local function need(description, file)
  local report, made = descriptor.check(description, file)
  if report then
    local one = report[1]
    mistake("%s: %s", one.path == "" and "descriptor" or one.path, one.message)
  end
  return made
end

---The records of a valid descriptor; raises for an invalid one.
function descriptor.records(description) return need(description).records end

---Poses of all links in the world, [1] is link 0, at the posture of home or at q: for pictures.
function descriptor.poses(model, flat, q)
  local poses, root_of = model:fk(q or model:home()), {}
  local function root(link)
    for _, j in ipairs(root_of[link] and {} or flat.joint) do
      if j.child == link then root_of[link] = j.parent == check.WORLD and link or root(j.parent) end
    end
    return root_of[link]
  end
  for i, pose in ipairs(poses) do
    local place = flat.link[root(i - 1) + 1]
    local r = pose.rotation
    local there = spatial.compose({ p = place.position, r = spatial.from_angles(place.attitude) },
      { p = pose.position, r = { { r[1], r[2], r[3] }, { r[4], r[5], r[6] }, { r[7], r[8], r[9] } } })
    poses[i] = { position = there.p, rotation = table.move(there.r[3], 1, 3, 7, table.move(there.r[2], 1, 3, 4,
      { table.unpack(there.r[1]) })) }
  end
  return poses
end

---Kinematics of a descriptor: a model with fk, jacobian, ik, index, home.
function descriptor.model(description) return need(description).body end

---The configuration block of a descriptor: the description that clients get.
function descriptor.configuration(description) return core.configuration(need(description).body) end

---The RCML file of a descriptor: a world of VRML97 with its inputs and outputs (spec/rcml.md).
function descriptor.rcml(description)
  local made = need(description)
  local rcml = made.descriptor.rcml
  return core.rcml(made.body, { robot = rcml and require "robotalk.rcml.kept".text(rcml) })
end

local GLTF <const> = {} -- fields that a file of glTF has
for field in ([[robot.name robot.links robot.joints robot.frames link.name link.com link.shapes joint.name joint.parent
  joint.child joint.dofs dof.name dof.type dof.axis dof.limit dof.mimic mimic.joint mimic.dof mimic.ratio mimic.shift
  frame.name frame.link shape.type shape.size shape.colour shape.file]]):gmatch "%S+" do GLTF[field] = true end

---The file of a descriptor as glTF, binary (docs/robots.md), and notes { message } of fields that it has not. file: the
---descriptor's, beside which meshes are.
function descriptor.gltf(description, file)
  local bytes, missing = core.gltf(need(description, file).body)
  local notes = require "robotalk.descriptor.left_out".outside(description, GLTF, "glTF")
  if missing > 0 then
    notes[#notes + 1] = { message = ("meshes without triangles of STL or OBJ are left out: %d"):format(missing) }
  end
  return bytes, notes
end

---The descriptor of a configuration block; nil, message, code for invalid bytes.
function descriptor.from_configuration(bytes)
  local body, message, code = core.read_body(bytes)
  if not body then return nil, message, code end
  local flat = core.records(body)
  return require "robotalk.descriptor.user"(flat), flat
end

---Whether two descriptors describe the same robot for clients: their blocks are equal byte for byte.
function descriptor.same(a, b) return descriptor.configuration(a) == descriptor.configuration(b) end

-- A function from a path in a descriptor to its line and its file. origin: of the descriptor, or nil.
local function places(text, file, origin)
  local found = {} -- by the text of a file
  return function(path)
    local other, other_text
    if origin then path, other, other_text = origin(path) end
    local its = other_text or text
    found[its] = found[its] or source.lines(its)
    return path == "" and 1 or found[its](path), other_text and other or file
  end
end

-- What follows an error at a line of an inherited file: where a list was replaced of a record that the error names.
local function since(message, lists, place)
  for _, list in ipairs(lists or {}) do
    local name = list.name
    if name and (message:find(("'%s'"):format(name), 1, true) or message:find(("%q"):format(name), 1, true)) then
      local line, where = place(list.path)
      return ("; since %s:%d replaces the list %s as a whole"):format(where, line, list.path)
    end
  end
  return ""
end

local SLIP <const> = "'%s' is new: did you mean '%s'?"

-- What follows an error in a new record whose name is nearly an inherited one.
local function slip(path, new)
  for _, one in ipairs(new or {}) do
    if path:sub(1, #one.path) == one.path then return "; " .. SLIP:format(one.name, one.meant) end
  end
  return ""
end

-- The errors as lines "file:line: path: message", in the order of the file.
local function lines_of(report, text, file, origin)
  local place = places(text, file, origin or report.origin)
  local lines = {}
  for i, one in ipairs(report) do
    local line, where = place(one.path)
    lines[i] = { line = line, order = i, file = where, text = ("%s:%d: %s%s%s"):format(where, line,
      one.path ~= "" and one.path .. ": " or "", one.message,
      where ~= file and since(one.message, report.lists, place) or slip(one.path, report.new)) }
  end
  table.sort(lines, function(a, b)
    if a.file ~= b.file then return a.file == file or b.file ~= file and a.file < b.file end
    if a.line ~= b.line then return a.line < b.line end
    return a.order < b.order
  end)
  for i, one in ipairs(lines) do lines[i] = one.text end
  if report.more then lines[#lines + 1] = file .. ": there are more; these are the first" end
  return lines
end

descriptor.lines_of = lines_of

local LIGHTEST <const>, HEAVIEST <const> = things.LIGHTEST, things.HEAVIEST
local INACCURATE <const> = 0.1 -- a triangle_defect that may come from measuring (those of puma560: within 10 %)
local MANY_TURNS = 4 * math.pi -- a limit beyond them may be in degrees
local FAST <const> = 8 * math.pi -- rad/s; faster, a base, or a joint of narrow limits, may be in degrees

local IDLE <const> = "nothing names it: expected driver = \"%s\" in the base, in joints, sensors or cameras; else they "
  .. "are simulated"

-- Names of unused entries of drivers.
local function idle_drivers(made)
  local used, idle = {}, {}
  for _, device in ipairs(made.records.device) do used[device.entry] = true end
  for name in pairs(not descriptor.dry and made.descriptor.drivers or {}) do
    if not used[name] then idle[#idle + 1] = name end
  end
  table.sort(idle)
  return idle
end

-- Notes masses that are impossible for the size of the shapes.
local function note_masses(flat, note)
  local volume = {} -- m3 by the link from 0; NaN: not known
  for _, one in ipairs(flat.shape) do
    volume[one.link] = (volume[one.link] or 0) + shape.volume(shape.kinds[one.kind + 1][1], one.size)
  end
  for i, link in ipairs(flat.link) do
    local density = link.mass / (volume[i - 1] or 0)
    if link.mass > 0 and density < math.huge and (density < LIGHTEST or density > HEAVIEST) then
      note(("links[%d].mass"):format(i - 1), "%.3g kg are %.3g kg for each cubic metre of its shapes: "
        .. "expected %g to %g", link.mass, density, LIGHTEST, HEAVIEST)
    end
  end
end

-- Notes angles that are probably degrees.
local function note_degrees(description, flat, note)
  local function turns(path, angle, unit)
    note(path, "%.4g rad%s are %.2g turns: are these degrees?", angle, unit or "", angle / (2 * math.pi))
  end
  local base = description.base
  local theta = base and type(base.speed) == "table" and base.speed.theta
  if theta and theta > FAST then turns("base.speed.theta", theta, "/s") end
  for i, joint in ipairs(flat.joint) do
    for k = 1, joint.dofs do
      local dof, path = flat.dof[joint.first + k], ("joints[%d].dofs[%d]"):format(i - 1, k)
      local most = dof.low <= dof.high and math.max(-dof.low, dof.high) or 0
      if dof.kind == 0 and most > MANY_TURNS then
        turns(path .. ".limit", most)
      elseif dof.kind == 0 and most > 0 and dof.speed > math.max(FAST, 10 * (dof.high - dof.low)) then
        turns(path .. ".speed", dof.speed, "/s")
      end
    end
  end
  for _, list in ipairs { "links", "joints", "frames", "cameras", "sensors" } do
    for _, key in ipairs(description[list] and check.keys_of(description[list]) or {}) do
      local attitude = description[list][key].attitude
      for i = 1, attitude and 3 or 0 do
        local angle = tonumber(attitude[i]) or 0
        if math.abs(angle) > 2 * math.pi + 1e-6 then turns(("%s[%s].attitude"):format(list, key), angle) break end
      end
    end
  end
end

-- Warnings about valid but unlikely values: a list of { file =, line =, message = }.
local function notes_of(made, text, file)
  local place, flat, notes = places(text, file, made.origin), made.records, {}
  local function note(path, form, ...)
    local line, where = place(path)
    notes[#notes + 1] = { file = where, line = line, message = path .. ": " .. form:format(...) }
  end
  for _, name in ipairs(idle_drivers(made)) do note("drivers." .. name, IDLE, name) end
  for _, one in ipairs(made.absent) do
    note(one.path, "%s is not beside the descriptor: nothing touches it", one.name)
  end
  local first, unread = meshes.of_unread(made.unread)
  if first then note(first, "%s", unread) end
  for i, link in ipairs(flat.link) do
    local inertia = spatial.tensor(link.inertia)
    local defect = spatial.trace(inertia) > 0 and spatial.triangle_defect(inertia) or 0
    if defect > INACCURATE then
      note(("links[%d].inertia"):format(i - 1), "no body has it: its greatest principal moment is %.3g %% larger than "
        .. "the other two together", 100 * defect)
    end
  end
  note_masses(flat, note)
  for _, one in ipairs(made.new or {}) do
    note(one.path, SLIP, one.name, one.meant)
  end
  note_degrees(made.descriptor, flat, note)
  local hang = flat.bus_order == 0
  for _, joint in ipairs(flat.joint) do
    hang = hang or joint.dofs > 0 and not flat.device[joint.device + 1].base
  end
  if not hang then
    note("bus", "no joint hangs on it, since the base's device moves them all: they want a driver of their own")
  end
  return notes
end

---The missing or invalid drivers, scripts of drivers and translators of a checked descriptor,
---and options that a driver in Lua does not have: a list of { path =, message = }. also: { translators = names of
---future ones; folders = true for those of cameras, too, which may still be made while the robot exists }.
function descriptor.missing(made, also)
  also = also or {}
  local missing = require "robotalk.descriptor.translators".wrong(made.translators, also.translators)
  local drivers = require "robotalk.drivers"
  for _, number in ipairs(select(2, core.check_drivers(made.body))) do
    local device = made.records.device[number]
    missing[#missing + 1] = { path = "drivers." .. device.entry,
      message = ("there is no driver '%s'; the path of a shared object has a slash"):format(device.driver) }
  end
  for _, device in ipairs(made.records.device) do
    local why = device.driver == "lua" and select(2, drivers.load(device.options.script))
    if why then missing[#missing + 1] = { path = ("drivers.%s.script"):format(device.entry), message = why } end
    local wrong = device.driver == "lua" and not why and drivers.wrong_options(device) or {}
    table.move(wrong, 1, #wrong, #missing + 1, missing)
    local folder = also.folders and device.driver == "folder" and device.options.folder
    if type(folder) == "string" and (not core.real_path(folder) or core.file_stamp(folder)) then
      missing[#missing + 1] = { path = ("drivers.%s.folder"):format(device.entry),
        message = ("there is no folder '%s', as seen from here"):format(folder) }
    end
  end
  return missing
end

local LARGEST = 16 << 20 -- bytes of a description's file
local LARGEST_VRML = 64 << 20 -- bytes of a VRML97 file

-- The result for the text of a Lua file; nil, message (a line for each error), code.
local function read(text, file, uncalibrated)
  local result, message = core.data(text, "@" .. file)
  if message then
    if message:find "global 'require'" then
      message = ("%s; a description only computes: if this is a script, robotalk run %s runs it"):format(message, file)
    end
    -- some errors of the compiler have no line
    if not message:find(file:sub(-20), 1, true) then message = ("%s:1: %s"):format(file, message) end
    return nil, message, "EINVAL"
  end
  if type(result) ~= "table" then
    return nil, ("%s:1: expected the file to return a table, got %s"):format(file, type(result)), "EINVAL"
  end
  local report, made = descriptor.check(result, file, uncalibrated)
  if report then return nil, table.concat(lines_of(report, text, file), "\n"), "EINVAL" end
  made.notes = function() return notes_of(made, text, file) end
  made.missing = function(also) return lines_of(descriptor.missing(made, also), text, file, made.origin) end
  return made
end

---A descriptor from the text of a Lua file; nil, message (a line for each error), code.
function descriptor.read(text, file)
  local made, message, code = read(text, file)
  if not made then return nil, message, code end
  return made.descriptor
end

-- The result for a file that another module reads, with its notes. nodes: the places of the file that parts of the
-- descriptor came from, by their paths; nil: they are not known.
local function made_of(path, result, notes, nodes)
  if not result then
    local lines = {}
    for i, one in ipairs(notes) do -- line 0: it has no place in the text
      lines[i] = one.line == 0 and ("%s: %s"):format(path, one.message)
        or ("%s:%d:%d: %s"):format(path, one.line or 1, one.column or 1, one.message)
    end
    return nil, table.concat(lines, "\n"), "EINVAL"
  end
  local report, made = descriptor.check(result, path)
  if report then
    local lines = {}
    for i, one in ipairs(report) do
      local node = nodes and nodes[one.path:match "^%a+%[%d+%]"]
      local place = nodes and ("%d:%d"):format(node and node.line or 1, node and node.column or 1) or "1"
      lines[i] = ("%s:%s: as a descriptor, %s: %s"):format(path, place, one.path, one.message)
    end
    return nil, table.concat(lines, "\n"), "EINVAL"
  end
  local first, unread = meshes.of_unread(made.unread)
  if first then
    local node = nodes and nodes[first:match "^%a+%[%d+%]"]
    notes[#notes + 1] = { line = node and node.line, column = node and node.column, message = first .. ": " .. unread }
  end
  return made, notes
end

---The result for the text of a URDF file, as of descriptor.open. options: package_paths, fold.
function descriptor.of_urdf(text, path, options)
  local settings = { folder = path:match("^(.*)/[^/]*$") or ".", package_paths = options and options.package_paths,
    fold = options and options.fold }
  return made_of(path, require "robotalk.urdf".read(text, path, settings))
end

---The result for the bytes of a VRML97 file, as of descriptor.open. options: meshes.
function descriptor.of_rcml(bytes, path, options)
  local result, notes, nodes, robot = require "robotalk.rcml".read(bytes, path, {
    folder = path:match("^(.*)/[^/]*$") or ".", meshes = options and options.meshes })
  local made, message, code = made_of(path, result, notes, nodes)
  if not made or not robot then return made, message, code end
  local said = { note = function(_, node, form, ...)
    notes[#notes + 1] = { line = node.line, column = node.column, message = form:format(...) }
  end }
  made.descriptor.rcml = require "robotalk.rcml.kept".of(robot, made.body, said)
  return made, notes
end

-- Whether a file is of VRML97, compressed or not: by its name, or by its first bytes.
local function is_vrml_name(name)
  local ending = name:lower():match "%.(%w+)$"
  return ending == "wrl" or ending == "wrz" or ending == "vrml" or name:lower():find "%.wrl%.gz$" ~= nil
end
local function is_vrml(bytes) return bytes:find "^\xEF?\xBB?\xBF?#VRML" ~= nil or bytes:sub(1, 2) == "\x1f\x8b" end

---The result for a descriptor, as of descriptor.check: of an embedded one by its name ("pioneer2"), of a file,
---Lua, URDF or VRML97, by its path. options: package_paths, fold (URDF), meshes (VRML97: rcml/meshes.lua),
---uncalibrated (Lua: as of descriptor.check). The second result is a list of notes on parts that were left out or
---guessed. nil, message, code; the message has a line "file:line: what, expected what" for each error.
function descriptor.open(name, options)
  local text, file = core.script("robots/" .. name .. ".lua"), "robots/" .. name .. ".lua"
  if not text then
    if not name:find("[./]") then
      local meant = near(name, descriptor.names())
      local hint = meant and (", did you mean %s? Those"):format(meant) or "; those"
      return nil, ("there is no robot '%s'%s that come along: %s"):format(name, hint,
        table.concat(descriptor.names(), ", ")), "ENONE"
    end
    local why, code
    text, why, code = core.read_file(name, is_vrml_name(name) and LARGEST_VRML or LARGEST)
    if not text then return nil, why, code end
    file = name
  end
  local ending = name:lower():match("%.([%w]+)$")
  if ending == "urdf" or ending == "xacro" then return descriptor.of_urdf(text, name, options) end
  if is_vrml_name(name) or is_vrml(text) then return descriptor.of_rcml(text, name, options) end
  return read(text, file, options and options.uncalibrated)
end

---A descriptor's table, which the caller may change; otherwise as descriptor.open.
function descriptor.load(name, options)
  local made, message, code = descriptor.open(name, options)
  return made and made.descriptor, message, code
end

---The same for a name, a path or a descriptor's table; raises for an invalid table. file: that of the table.
function descriptor.made(what, file)
  if type(what) == "string" then return descriptor.open(what) end
  return need(what, file)
end

---The result for a descriptor, at the place where the world puts its robot, unless it has one. again: the robot
---exists already. what, file: as of descriptor.made.
function descriptor.placed(made, what, file, again)
  local there = require "robotalk.descriptor.start".placed(made, again)
  if there then
    local embedded = type(what) == "string" and ("robots/%s.lua"):format(what)
    file = embedded and (core.script(embedded) and embedded or what) or file
    local report, other = descriptor.check(there, file)
    if report then mistake("%s: %s", report[1].path, report[1].message) end
    for key, value in pairs(other) do made[key] = value end
  end
  return made
end

-- What check says of a robot that cannot start, with the line; nil: nothing, or it is not from a file.
local function missing_of(made)
  local missing = made.missing and made.missing {} or {}
  return #missing > 0 and table.concat(missing, "\n") or nil
end

---Adds a robot to this process: a name, a path or a descriptor table. Its name; or nil, message, code. file: that of
---the table.
function descriptor.add(what, file)
  if core.hosted() then
    local name = type(what) == "table" and what.name or what
    return nil, ("the server has no robot '%s'; its robots are: %s"):format(tostring(name),
      table.concat(core.robots(), ", ")), "ENONE"
  end
  local stamp = type(what) == "string" and core.file_stamp(what) or nil
  local made, message, code = descriptor.made(what, file)
  if not made then return nil, message, code end
  made = descriptor.placed(made, what, file)
  local flat, translators = made.records, require "robotalk.descriptor.translators"
  if #flat.device == 0 then return nil, flat.name .. ": nothing of it moves: expected a base or joints", "EINVAL" end
  local given
  given, message, code = translators.add(made.translators)
  if not given then return nil, message, code end
  for _, idle in ipairs(idle_drivers(made)) do
    log.say("warning", "%s: drivers.%s: %s", flat.name, idle, IDLE:format(idle))
  end
  local first, unread = meshes.of_unread(made.unread)
  if first and require "robotalk.descriptor.start".has_physics(flat) then
    log.say("warning", "%s: %s: %s", flat.name, first, unread)
  end
  for _, one in ipairs(type(what) == "string" and translators.wrong(made.translators) or {}) do
    log.say("warning", "%s: %s: %s", flat.name, one.path, one.message)
  end
  local name
  name, message, code = core.add_robot(made.body)
  if not name then
    for _, device in ipairs(code == "EDEVICE" and flat.device or {}) do
      local port = device.options.port
      message = message .. (type(port) == "string" and require "robotalk.holders".of(port) or "")
    end
    return nil, code == "EEXISTS" and ("the name %s is taken"):format(flat.name) or missing_of(made) or message, code
  end
  translators.note(name, given)
  meshes.note(name, flat, type(what) == "string" and what or file)
  local drivers = require "robotalk.drivers"
  local ok, why = drivers.claim()
  if not ok then
    drivers.remove(name)
    return nil, missing_of(made) or why, "EDEVICE"
  end
  descriptor.origin[name], descriptor.stamp[name] = type(what) == "string" and what or nil, stamp
  return name
end

---Names of the embedded descriptors.
function descriptor.names() return core.scripts "robots" end

return descriptor
