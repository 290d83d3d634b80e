local core = require "robotalk.core"
local names_of_dofs = require "robotalk.descriptor.dofs"
local script = require "robotalk.cli.script"
local descriptor = require "robotalk.descriptor"
local kind_of = require "robotalk.cli.kind"
local token = require "robotalk.server.token"
local world = require "robotalk.world"

-- Gives dofs without a name their default names.
local function name_dofs(description)
  for n, joint in pairs(description.joints or {}) do
    local names = names_of_dofs { name = joint.name or ("joint%d"):format(n), dofs = joint.dofs }
    for k, dof in ipairs(joint.dofs or {}) do dof.name = names[k] end
  end
end

local function ending(path) return path:lower():match("%.(%w+)$") end
local ENDINGS <const> = { lua = true, wrl = true, urdf = "no RCML", block = "no RCML", glb = true }

-- The descriptor of a robot on a server; then notes, or why there is none. For a robot behind RCTP its RCML file is
-- read, which is complete.
local function fetch(url, meshes, options)
  if not script.open {} then return nil end -- the reason was printed
  local description, why
  local ok, message = script.main(function()
    if url:find "^rctp[+:]" then
      local who
      who, why = token.of {}
      if why then return end
      description, why = require "robotalk.rctp.robot".descriptor(url, { token = who, meshes = meshes })
      return
    elseif url:find "^ros2:" or url:find "^dds:.*/robot_description" then
      local text
      text, why = require "robotalk.ros2.topics".description(url)
      if text then description, why = require "robotalk.descriptor".of_urdf(text, url, options) end
      description = description and description.descriptor
      return
    end
    local robot
    robot, why = require "robotalk".try_connect(url, { reconnect = false, role = "watch" })
    if not robot then return end
    description = robot:describe().descriptor
    robot:close()
  end)
  core.close()
  return description, why or (not ok and message) or nil
end

-- Saves the shapes of a VRML97 file that are drawn by faces in files beside OUT; nil: there is no place for them.
local function keeper(from, to)
  if to == "-" or ending(to) == "block" then return nil end
  local folder, name = to:match "^(.-)([^/]*)%.%w+$"
  local source, target = core.real_path(from), core.real_path(to)
  local meshes = require "robotalk.rcml.meshes".new(name, function(mesh, text)
    local real = core.real_path(folder .. mesh)
    if folder .. mesh == to or real ~= nil and (real == source or real == target) then return true end
    return real ~= nil and core.read_file(real, #text) ~= text -- another file, perhaps one that IN shows
  end)
  local function real_folder(path) return core.real_path(path:match "^(.*/)" or ".") end
  meshes.elsewhere = source ~= nil and real_folder(from) ~= real_folder(to)
  return meshes, folder
end

-- Writes the saved shapes; nil, message.
local function write_meshes(meshes, folder)
  for _, file in ipairs(meshes and meshes.files or {}) do
    local ok, why = core.write_file(folder .. file.name, file.text)
    if not ok then return nil, why end
  end
  return true
end

-- A world has one other form: a file of VRML97.
local function convert_world(from, to)
  local room, why = world.read(from)
  if not room then
    core.say("err", why .. "\n")
    return 1
  end
  if ending(to) ~= "wrl" then
    script.complain(("convert: %s: a world becomes a .wrl file: expected a name that ends so"):format(to))
    return 2
  end
  local ok
  ok, why = core.write_file(to, core.rcml_room(room))
  if ok then return 0 end
  script.complain(why)
  return 1
end

return {
  usage = "IN OUT [--package-path DIR] [--fold]",
  details = "IN: a .lua, .urdf or .wrl file (VRML97, RCML), the name of a descriptor that comes along, or the\n"
    .. "address of a robot (robotalk://host/robot, rctp://host/robot, or of ROS 2\n"
    .. "ros2://DOMAIN[/NAMESPACE]/robot_description, its topic). OUT: a .lua, .urdf or .wrl file, - for Lua\n"
    .. "to the output, a .glb file (glTF 2.0: its looks, and joints as nodes), or a .block file, which programs in C\n"
    .. "read. What had to be guessed is marked in the Lua file. What a .wrl file draws by faces is kept in files\n"
    .. "beside OUT, OUT_1.wrl and so on; others of these names stay as they are. A world (docs/worlds.md), or the\n"
    .. "name of one that comes along, becomes a .wrl file.",
  options = {
    { "package-path", "DIR", "folder in which package:// of a URDF file is searched; may be repeated", many = true },
    { "fold", nil, "URDF: dofs that meet in one point become one joint of several dofs" },
    token.option,
  },
  names = function() return core.scripts "robots" end,
  example = "robotalk convert my_robot.urdf my_robot.lua",
  exits = "0 done, 1 the input is wrong or a file cannot be written, 2 wrong usage",
  main = function(args)
    token.file = args["token-file"]
    local from, to = args[1], args[2]
    if not from or not to or #args > 2 then
      script.complain("convert: want two names: from what, to what")
      return 2
    end
    if to ~= "-" and not ENDINGS[ending(to)] then
      script.complain(("convert: %s: expected a name that ends in .lua, .urdf, .wrl, .glb or .block, or -"):format(to))
      return 2
    end
    local real = core.real_path(from)
    if real and real == core.real_path(to) then
      script.complain(("convert: want another file for the result: %s is the input"):format(to))
      return 2
    end
    if kind_of(from) == "world" then return convert_world(from, to) end
    local description, notes
    local meshes, folder = keeper(from, to)
    if from:find("^%w[%w+]*:") and not from:find("^%a:[/\\]") then
      description, notes = fetch(from, meshes, { package_paths = args["package-path"], fold = args.fold })
    else
      description, notes = descriptor.load(from, { package_paths = args["package-path"], fold = args.fold,
        meshes = meshes })
    end
    if not description then
      if notes and from:find "://" then
        script.complain(tostring(notes))
      elseif notes then
        core.say("err", tostring(notes) .. "\n")
      end
      return 1
    end
    notes = type(notes) == "table" and notes or {}
    if description.rcml and ENDINGS[ending(to)] == "no RCML" then
      notes[#notes + 1] = { message = "the objects of RCML (rcml) are left out" }
    end
    name_dofs(description)
    local text
    if ending(to) == "urdf" then
      local more
      text, more = require "robotalk.urdf".write(description)
      table.move(more or {}, 1, #(more or {}), #notes + 1, notes)
    elseif ending(to) == "block" then
      text = descriptor.configuration(description)
    elseif ending(to) == "glb" then
      local more
      text, more = descriptor.gltf(description, from)
      table.move(more, 1, #more, #notes + 1, notes)
    elseif ending(to) == "wrl" then
      text = descriptor.rcml(description)
      local back = require "robotalk.rcml".read(text, to, {})
      local more = back and require "robotalk.descriptor.left_out".compare(description, back, "RCML") or {}
      table.move(more, 1, #more, #notes + 1, notes)
    else
      text = require "robotalk.descriptor.write".write(description, notes)
    end
    for _, note in ipairs(notes) do
      core.say("err", ("%s:%d: note: %s\n"):format(from, note.line or 1, note.message))
    end
    if to == "-" then
      core.say("out", text)
      return 0
    end
    local ok, why = write_meshes(meshes, folder)
    if ok then ok, why = core.write_file(to, text) end
    if not ok then script.complain(why) end
    return ok and 0 or 1
  end,
}
