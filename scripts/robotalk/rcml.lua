-- RCML and VRML97 files as robots, and robots as such files (spec/rcml.md).
local add_inputs = require "robotalk.rcml.inputs"
local body = require "robotalk.rcml.body"
local core = require "robotalk.core"
local describe = require "robotalk.rcml.describe"
local objects = require "robotalk.rcml.objects"
local report = require "robotalk.urdf.report"
local scene = require "robotalk.rcml.scene"
local spatial = require "robotalk.robot.spatial"
local walker = require "robotalk.rcml.walk"

local rcml = {}

-- The robot's own name: that of its Humanoid, otherwise of its RCML_Robot, otherwise of its file.
local function name_of(robot, file)
  local node = robot.human
  local said = node and type(node.fields.name) == "string" and node.fields.name or ""
  if said == "" then said = node and node.name and node.name:gsub("^hanim_", "") or "" end
  if said == "" then said = robot.rcml and scene.text(robot.rcml, "name") or "" end
  if said == "" then said = (file:match "([^/]+)$" or file):gsub("%.%w+$", "") end
  return said:sub(1, 31)
end

-- A file without joints: one link with all visible shapes, and the inputs of its RCML_Robot.
local function gather_world(nodes, said, options)
  local robot = body.new(said)
  local walk = walker.new(robot, said, options.folder, options.meshes)
  local link = { shapes = {}, name = "world", com = { 0, 0, 0 }, mass = 0 }
  robot.list[1] = { name = "root", dofs = {}, child_link = link, at = { 0, 0, 0 }, center = { 0, 0, 0 },
    rest = spatial.identity(), node = nodes[1] or {} }
  walk:nodes(nodes, walker.root(link, walker.HOUSE))
  if robot.rcml then add_inputs(robot, link, said) end
  return robot
end

local function gather(nodes, said, options)
  local robot = body.new(said)
  local walk = walker.new(robot, said, options.folder, options.meshes)
  walk:nodes(nodes, { pose = spatial.nowhere(), by = { 1, 1, 1 }, base = spatial.identity() })
  if #robot.list > 0 or #said.errors > 0 then return robot end
  return gather_world(nodes, said, options)
end

---A file's bytes as a descriptor's table, and a list of notes; or nil and a list of errors. Both have line, column,
---message. Third, the nodes that parts of the descriptor came from, by their paths, and of shapes by these; fourth, the
---RCML_Robot, if any. file: its name, if the robot has none. options: folder, of the file itself; meshes, the store of
---shapes drawn by faces (rcml/meshes.lua).
function rcml.read(bytes, file, options)
  local said = report.new()
  local read, message = core.vrml_read(bytes)
  if not read then return nil, { { line = 1, column = 1, message = message } } end
  local function whole(text) return (text:gsub("%%", "%%%%")) end
  for _, problem in ipairs(read.errors) do said:fail(problem, whole(problem.message)) end
  for _, problem in ipairs(read.warnings) do said:note(problem, whole(problem.message)) end
  if #read.nodes == 0 and #said.errors == 0 then
    said:fail({ line = 1, column = 1 }, "there is nothing in this file, expected a node")
  end
  if #said.errors > 0 then return nil, said:sorted(said.errors) end
  options = options or {}
  if options.meshes then options.meshes.protos = read.proto_text end
  local robot = gather(read.nodes, said, options)
  if robot.rcml then objects.check(robot.rcml, said) end
  local out, nodes = describe(robot, name_of(robot, file), said)
  if #said.errors > 0 then return nil, said:sorted(said.errors) end
  for shape, node in pairs(robot.drawn) do nodes[shape] = node end
  return out, said:sorted(said.notes), nodes, robot.rcml
end

return rcml
