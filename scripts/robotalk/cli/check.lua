local core = require "robotalk.core"
local json = require "robotalk.json"
local script = require "robotalk.cli.script"
local descriptor = require "robotalk.descriptor"
local fields = require "robotalk.descriptor.fields"
local words = require("robotalk.descriptor.check").words

-- A valid descriptor, summed up in one line.
local function summary(flat)
  local mass = 0
  for _, link in ipairs(flat.link) do mass = mass + link.mass end
  local moves = {}
  if flat.commands >> 1 & 1 == 1 then moves[1] = "it goes over the floor" end
  if #flat.frame > 1 then moves[#moves + 1] = ("%d control frames"):format(#flat.frame - 1) end
  if mass > 0 then moves[#moves + 1] = ("%.4g kg"):format(mass) end
  if flat.bus_order > 0 then
    moves[#moves + 1] = ("a bus of %.4g messages a second, order %s"):format(flat.bus_rate,
      fields.word(words.order, flat.bus_order))
  end
  return ("%s: %d links, %d dofs%s"):format(flat.name, #flat.link, #flat.dof,
    #moves > 0 and ", " .. table.concat(moves, ", ") or "")
end

local function write_picture(path, made)
  local poses = descriptor.poses(made.body, made.records)
  return core.write_file(path, require "robotalk.svg.body".svg(made.records, poses))
end

-- A motion sequence or a posture of Tekkotsu's: whether it is good.
local function check_motion(path, args)
  local text, why = core.read_file(path, 1 << 20)
  if not text then
    core.say("err", why .. "\n")
    return false
  end
  local sequence, report = require "robotalk.tekkotsu.motion".read(text, path)
  local good, outputs, errors = not report.errors, 0, {}
  for _ in pairs(sequence.keys) do outputs = outputs + 1 end
  for _, one in ipairs(report) do
    local line = ("%s:%d: %s%s"):format(one.file, one.line, one.level == "error" and "" or "note: ", one.message)
    errors[#errors + 1] = one.level == "error" and line or nil
    if not args.json and (one.level == "error" or not args.quiet) then core.say("err", line .. "\n") end
  end
  if args.json then
    core.say("out", json.encode { file = path, good = good, errors = errors, outputs = outputs,
      seconds = sequence.seconds } .. "\n")
  elseif good then
    core.say("out", ("%s: good; %d outputs, %.3f s\n"):format(path, outputs, sequence.seconds))
  end
  return good
end

return {
  usage = "FILE … [--svg OUT.svg] [--package-path DIR] [--fold] [--json]",
  details = "FILE: a descriptor's path, or the name of one that comes along (pioneer2); or a motion (.mot) or posture "
    .. "(.pos) of Tekkotsu's.",
  options = {
    { "svg", "OUT.svg", "draws the body at rest from the front, the side and the top" },
    { "package-path", "DIR", "where package:// of a URDF file is looked for; several times for several", many = true },
    { "fold", nil, "URDF: dofs that meet in one point become one joint" },
    { "quiet", nil, "says nothing of what was left out or guessed, or may not be meant" },
    { "json", nil, "one line of JSON a file" },
  },
  example = "robotalk check my_robot.lua --svg my_robot.svg",
  exits = "0 all are good, 1 something is wrong, 2 wrong usage",
  main = function(args)
    if #args == 0 or (args.svg and #args > 1) then
      script.complain(#args == 0 and "check: which files?" or "check: --svg wants one file")
      return 2
    end
    local status = 0
    for _, path in ipairs(args) do
      if path:find "%.mot$" or path:find "%.pos$" then
        if not check_motion(path, args) then status = 1 end
        goto continue
      end
      local made, notes = descriptor.open(path, { package_paths = args["package-path"], fold = args.fold })
      local missing = made and made.missing and made.missing() or {}
      if #missing > 0 then made, notes = nil, table.concat(missing, "\n") end
      local flat = made and made.records
      if not made then status = 1 end
      if args.json then
        local errors = {}
        for line in (flat and "" or notes):gmatch("[^\n]+") do errors[#errors + 1] = line end
        core.say("out", json.encode(json.record({ "name", "links", "dofs" }, { file = path, good = flat ~= nil,
          name = flat and flat.name, errors = errors, links = flat and #flat.link, dofs = flat and #flat.dof }))
          .. "\n")
      elseif flat then
        core.say("out", ("%s: good; %s\n"):format(path, summary(flat)))
        for _, note in ipairs(args.quiet and {} or notes or made.notes()) do
          core.say("err", ("%s:%d: note: %s\n"):format(path, note.line or 1, note.message))
        end
      else
        core.say("err", notes .. "\n")
      end
      if flat and args.svg then
        local ok, why = write_picture(args.svg, made)
        if not ok then
          script.complain(why)
          status = 1
        end
      end
      ::continue::
    end
    return status
  end,
}
