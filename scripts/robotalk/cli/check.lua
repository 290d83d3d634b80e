local behaviour = require "robotalk.cli.behaviour"
local config = require "robotalk.cli.config"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local fields = require "robotalk.descriptor.fields"
local json = require "robotalk.json"
local kind_of = require "robotalk.cli.kind"
local script = require "robotalk.cli.script"
local sensors = require "robotalk.descriptor.sensors"
local words = require("robotalk.descriptor.check").words
local translators = require "robotalk.translator.file"
local world = require "robotalk.world"

local function counted(n, noun) return ("%d %s%s"):format(n, noun, n == 1 and "" or "s") end

-- A valid descriptor, summed up in one line.
local function summary(flat)
  local mass = 0
  for _, link in ipairs(flat.link) do mass = mass + link.mass end
  local moves, kinds, seen = {}, {}, {}
  for _, sensor in ipairs(flat.sensor) do
    seen[sensor.kind] = (seen[sensor.kind] or 0) + 1
    if seen[sensor.kind] == 1 then kinds[#kinds + 1] = sensor.kind end
  end
  for i, kind in ipairs(kinds) do kinds[i] = ("%d %s"):format(seen[kind], kind) end
  if flat.commands >> 1 & 1 == 1 then moves[1] = "it goes over the floor" end
  if #flat.frame > 1 then moves[#moves + 1] = counted(#flat.frame - 1, "control frame") end
  if mass > 0 then moves[#moves + 1] = ("%.4g kg"):format(mass) end
  if flat.bus_order > 0 then
    moves[#moves + 1] = ("a bus of %.4g messages a second, order %s"):format(flat.bus_rate,
      fields.word(words.order, flat.bus_order))
  end
  if #kinds > 0 then moves[#moves + 1] = "sensors: " .. table.concat(kinds, ", ") end
  return ("%s: %s, %s%s"):format(flat.name, counted(#flat.link, "link"), counted(#flat.dof, "dof"),
    #moves > 0 and ", " .. table.concat(moves, ", ") or "")
end

-- The numbers of joints, dofs, control frames and sensors on the wire and in C, and the values of sensors.
-- first: the number of a joint's first dof, names: those of its dofs.
local function numbers_of(flat)
  local joints, frames, senses = {}, {}, {}
  for i, j in ipairs(flat.joint) do
    local names = {}
    for k = 1, j.dofs do names[k] = flat.dof[j.first + k].name end
    joints[i] = { number = i - 1, name = j.name, first = j.first, names = names }
  end
  for i, frame in ipairs(flat.frame) do frames[i] = { number = i - 1, name = frame.name } end
  for i, record in ipairs(flat.sensor) do
    local sensor = sensors.known(record, i - 1, flat.link)
    senses[i] = json.record({ "unit", "range" }, { name = sensor.name, number = sensor.number, type = sensor.type,
      unit = sensor.unit, range = sensor.range, rate = sensor.rate, link = sensor.link, position = sensor.position,
      attitude = sensor.attitude, values = sensor.values })
  end
  return joints, frames, senses
end

-- The numbers of cameras. width, height: 0, as the driver sets them.
local function cameras_of(flat)
  local list = {}
  for i, camera in ipairs(flat.camera) do
    list[i] = { number = i - 1, name = camera.name, width = camera.width, height = camera.height, rate = camera.rate }
  end
  return list
end

local function write_picture(path, made)
  local poses = descriptor.poses(made.body, made.records)
  return core.write_file(path, require "robotalk.svg.body".svg(made.records, poses))
end

-- The result for a file: good, errors and notes, both as lines; about: its kind, for people; further fields are
-- for JSON.

local function check_motion(path)
  local text, why = core.read_file(path, 1 << 20)
  if not text then return { good = false, errors = { why }, notes = {} } end
  local sequence, report = require "robotalk.tekkotsu.motion".read(text, path)
  local outputs, errors, notes = 0, {}, {}
  for _ in pairs(sequence.keys) do outputs = outputs + 1 end
  for _, one in ipairs(report) do
    local wrong = one.level == "error"
    table.insert(wrong and errors or notes, ("%s:%d: %s%s"):format(one.file, one.line, wrong and "" or "note: ",
      one.message))
  end
  return { good = not report.errors, errors = errors, notes = notes, outputs = outputs, seconds = sequence.seconds,
    about = ("%d outputs, %.3f s"):format(outputs, sequence.seconds) }
end

local function check_recording(path)
  local pad <close>, why = require "robotalk.gamepad".open(path)
  return { good = pad ~= nil, errors = { why }, notes = {},
    about = pad and ("a recording of an input device (%s: %s)"):format(pad.kind, pad.name) }
end

local function check_robot(path, args)
  local made, notes = descriptor.open(path, { package_paths = args["package-path"], fold = args.fold })
  local missing = made and made.missing and made.missing { folders = true } or {}
  if #missing > 0 then return { good = false, errors = missing, notes = {} } end
  if not made then
    local errors = {}
    for line in notes:gmatch "[^\n]+" do errors[#errors + 1] = line end
    return { good = false, errors = errors, notes = {} }
  end
  local flat, lines = made.records, {}
  for i, note in ipairs(notes or made.notes()) do
    lines[i] = ("%s:%d: note: %s"):format(note.file or path, note.line or 1, note.message)
  end
  if args.svg then
    local ok, why = write_picture(args.svg, made)
    if not ok then return { good = false, errors = { why }, notes = {} } end
  end
  local joints, frames, senses = numbers_of(flat)
  return { good = true, errors = {}, notes = lines, about = summary(flat), name = flat.name, links = #flat.link,
    dofs = #flat.dof, joints = joints, frames = frames, sensors = senses, cameras = cameras_of(flat) }
end

local function check_configuration(path, _, value, text)
  local errors = config.errors(value, path, text, true)
  local good = #errors == 0
  return { good = good, errors = errors, notes = {},
    about = good and "a configuration of " .. counted(#(value.robots or {}), "robot") or nil }
end

local function check_script(path)
  local found, lines = {}, {}
  behaviour.check(path, found, {})
  for i, one in ipairs(found) do lines[i] = ("%s:%d: %s"):format(one.file, one.line, one.message) end
  return { good = #lines == 0, errors = lines, notes = {}, about = "a script" }
end

-- The number of its objects that could move.
local function moving(room)
  local count = 0
  for _, thing in ipairs(room.things) do
    if thing.mass and not thing.part_of then count = count + 1 end
  end
  return count
end

local function about_room(room)
  local out, moves = "a world of " .. counted(#room.things, "thing"), moving(room)
  if moves > 0 then out = ("%s, %d of them to be moved"):format(out, moves) end
  if #room.start > 0 then out = ("%s, and %s to start from"):format(out, counted(#room.start, "place")) end
  return out
end

local function check_world(path, args, value, text)
  local errors, room, notes = world.errors(value, path, text)
  if #errors == 0 and args.svg then
    local ok, why = core.write_file(args.svg, require "robotalk.svg.scenery".svg(room, path))
    if not ok then errors[1] = why end
  end
  return { good = #errors == 0, errors = errors, notes = notes or {}, about = room and about_room(room) or nil,
    things = room and #room.things, moving = room and moving(room) }
end

local function check_mode(path, _, _, text)
  local name = path:match "([%w_]+)%.lua$"
  local ok, why = core.modes { [name or "mode"] = text }
  local errors = not ok and { why:find(path, 1, true) and why or ("%s:1: %s"):format(path, why) } or {}
  return { good = ok, errors = errors, notes = {}, about = "a command mode" }
end

local function check_translator(path)
  local wrong = translators.wrong(path)
  return { good = not wrong[1], errors = wrong, notes = {}, about = "a translator" }
end

local CHECKS = { mode = check_mode, translator = check_translator, configuration = check_configuration,
  motion = check_motion, recording = check_recording, robot = check_robot, script = check_script, world = check_world }

local function check(path, args)
  local kind, value, text = kind_of(path)
  local row = CHECKS[kind](path, args, value, text)
  if args.svg and row.good and kind ~= "robot" and kind ~= "world" then
    row.good, row.errors = false, { ("%s: --svg draws robots and worlds; this is %s"):format(path, row.about) }
  end
  row.file, row.kind = path, kind
  return row
end

return {
  usage = "FILE … [--svg OUT.svg] [--package-path DIR] [--fold] [--json]",
  details = "FILE: a descriptor of a robot, Lua, URDF or VRML97 (RCML), or the name of one that comes along\n"
    .. "(pioneer2); a server's configuration, whose robots are checked too; a script, which is not run: it is\n"
    .. "compiled, and the modules, functions of the library, robots, joints, dofs, fields, control frames and\n"
    .. "sensors that it names must be there; a command mode; a translator; a world that stands around robots\n"
    .. "(docs/worlds.md), or the name of one that comes along (maze); a motion (.mot) or posture (.pos) of\n"
    .. "Tekkotsu's; or a recording of a gamepad (.evemu).\n"
    .. "What it is is told by the file itself.",
  options = {
    { "svg", "OUT.svg", "draws a robot at rest from the front, the side and the top; a world from above" },
    { "package-path", "DIR", "folder in which package:// of a URDF file is searched; may be repeated", many = true },
    { "fold", nil, "URDF: dofs that meet in one point become one joint" },
    { "quiet", nil, "prints no notes on parts that were left out or guessed, or may not be meant" },
    { "json", nil, "one line of JSON a file: file, kind, good, errors; of a robot its name, how many links and\n"
      .. (" "):rep(25) .. "dofs there are, the numbers of joints, of their first dofs, of control frames\n"
      .. (" "):rep(25) .. "of sensors, with type, unit, range, rate, values and place of these, and of cameras;\n"
      .. (" "):rep(25) .. "of a world how many things there are, and how many of them could move" },
  },
  names = function()
    local names, worlds = core.scripts "robots", world.names()
    return table.move(worlds, 1, #worlds, #names + 1, names)
  end,
  example = "robotalk check my_robot.lua --svg my_robot.svg",
  exits = "0 all are good, 1 something is wrong, 2 wrong usage",
  main = function(args)
    if #args == 0 or (args.svg and #args > 1) then
      script.complain(#args == 0 and "check: which files?" or "check: --svg wants one file")
      return 2
    end
    local status = 0
    for _, path in ipairs(args) do
      local row = check(path, args)
      if not row.good then status = 1 end
      if args.json then
        local about, notes = row.about, row.notes
        row.about, row.notes = nil, nil
        core.say("out", json.encode(json.record({ "name", "links", "dofs" }, row)) .. "\n")
        row.about, row.notes = about, notes
      else
        if row.good then core.say("out", ("%s: good; %s\n"):format(path, row.about)) end
        for _, line in ipairs(row.errors) do core.say("err", line .. "\n") end
        for _, line in ipairs(args.quiet and {} or row.notes) do core.say("err", line .. "\n") end
      end
    end
    return status
  end,
}
