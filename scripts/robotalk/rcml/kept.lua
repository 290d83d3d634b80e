-- An RCML_Robot as the field `rcml` of a descriptor: its objects and their parameters as in a file (paper 001,
-- 3.4; spec/rcml.md, section 4), by the names of the nodes' fields. A field that has its default is left out.
local check = require "robotalk.descriptor.check"
local core = require "robotalk.core"
local near = require "robotalk.mistakes.near"
local objects = require "robotalk.rcml.objects"
local scene = require "robotalk.rcml.scene"

local kept = {}

-- Types of nodes in a field. If there is only one, a node's table does not name it.
local HOLDS = { server = { "RCML_Server" }, client = { "RCML_Client" }, inputs = {}, outputs = {},
  RCML_ControlInputData = { "RCML_ControlInputData" }, RCML_ControlOutputData = { "RCML_ControlOutputData" } }
for _, kind in ipairs(objects.KINDS) do
  table.insert(HOLDS.inputs, "RCML_" .. kind .. "Input")
  table.insert(HOLDS.outputs, "RCML_" .. kind .. "Output")
end

local kinds -- by name: the fields of a node of RCML, { name =, type =, value = its default }

-- Objects are in inputs and outputs, so that the fields of a robot that the paper names by their types are none here.
local function fields_of(name)
  if not kinds then
    kinds = {}
    for _, kind in ipairs(core.vrml_kinds()) do
      local fields = {}
      for _, field in ipairs(kind.origin == "rcml" and kind.fields or {}) do
        if kind.name ~= "RCML_Robot" or not field.name:find "^RCML_" then fields[#fields + 1] = field end
      end
      kinds[kind.name] = kind.origin == "rcml" and fields or nil
    end
  end
  return kinds[name]
end

local function is_one_of(list, value)
  for _, one in ipairs(list) do if one == value then return true end end
  return false
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do if not same(value, b[key]) then return false end end
  for key in pairs(b) do if a[key] == nil then return false end end
  return true
end

-- ---- from a file ----

local table_of

local function nodes_in(node, field, said)
  local list, out = scene.nodes(node, field), {}
  if node.type == "RCML_Robot" and field:find "puts$" then list = objects.list(node, field:match "^(%l+)s$") end
  for _, one in ipairs(list) do
    if is_one_of(HOLDS[field], one.type) then
      local made = table_of(one, said)
      if #HOLDS[field] > 1 then made.type = one.type end
      out[#out + 1] = made
    else
      said:note(one, "%s is left out of %s", one.type, field)
    end
  end
  return out
end

function table_of(node, said)
  local out, known = {}, {}
  for _, field in ipairs(fields_of(node.type)) do
    known[field.name] = true
    local value = scene.get(node, field.name)
    if HOLDS[field.name] then
      value = nodes_in(node, field.name, said)
      if field.type == "SFNode" then value = value[1] or false end
    end
    if value ~= nil and not same(value, field.value) then out[field.name] = value end
  end
  for name in pairs(node.fields) do
    if not known[name] and not (node.type == "RCML_Robot" and name:find "^RCML_") then
      said:note(node, "%s of %s is left out", name, node.type)
    end
  end
  return out
end

-- Without the server's own data: its node, and the addresses of pictures.
local function without_addresses(robot)
  local out = { name = robot.name, client = robot.client }
  for _, way in ipairs { "inputs", "outputs" } do
    out[way] = {}
    for i, object in ipairs(robot[way] or {}) do
      out[way][i] = {}
      for key, value in pairs(object) do if key ~= "url" then out[way][i][key] = value end end
    end
  end
  return out
end

---The part of a file's RCML_Robot that a descriptor keeps, with a note; nil: it is the one that follows from the robot
---itself, by default. body: the robot's.
function kept.of(node, body, said)
  local found = table_of(node, said)
  if ((found.server or {}).serversoft or ""):find "^robotalk " then
    for _, one in ipairs(core.vrml_read((core.rcml(body))).nodes) do
      if one.type == "RCML_Robot" and same(without_addresses(table_of(one, said)), without_addresses(found)) then
        return nil
      end
    end
  end
  said:note(node, "the objects of this RCML_Robot are kept for files; those of a server follow from the robot")
  return found
end

-- ---- to a file ----

local function node_of(made, type_name)
  local fields = {}
  for name, value in pairs(made) do
    local types = HOLDS[name]
    if name == "server" or name == "client" then
      fields[name] = node_of(value, types[1])
    elseif types then
      fields[name] = {}
      for i, one in ipairs(value) do fields[name][i] = node_of(one, one.type or types[1]) end
    elseif name ~= "type" then
      fields[name] = value
    end
  end
  return { type = type_name, fields = fields }
end

---The text of an RCML_Robot for the file of a robot, with the prototypes that it uses.
function kept.text(made)
  local robot = node_of(made, "RCML_Robot")
  robot.name = "rcml"
  return (core.vrml_write { nodes = { robot } }:gsub("^[^\n]*\n+", ""))
end

-- ---- the field of a descriptor ----

local function is_whole(x) return math.type(x) == "integer" and x >= -0x80000000 and x <= 0x7fffffff end
local function is_float(x) return type(x) == "number" and math.abs(x) <= 3.4e38 end
local function is_text(x) return type(x) == "string" and not x:find "[%z\n]" end
local function all(test, even)
  return function(value)
    if type(value) ~= "table" then return false end
    local count = 0
    for _ in pairs(value) do count = count + 1 end
    for _, x in ipairs(value) do if not test(x) then return false end end
    return count == #value and (not even or count % 2 == 0)
  end
end

-- By the types of VRML97: the description of a value, and its check.
local VALUES = {
  SFString = { "a text", is_text }, SFInt32 = { "a whole number", is_whole }, SFFloat = { "a number", is_float },
  SFBool = { "true or false", function(x) return type(x) == "boolean" end },
  MFString = { "a list of texts", all(is_text) }, MFInt32 = { "a list of whole numbers", all(is_whole) },
  MFFloat = { "a list of numbers", all(is_float) }, MFVec2f = { "a list of pairs of numbers", all(is_float, true) },
}

local look -- (value, type_name, path, report)

local function look_at_nodes(value, field, path, report)
  local types = HOLDS[field.name]
  if type(value) ~= "table" then return report:expected(path, "a table", value) end
  if field.type == "SFNode" then return look(value, types[1], path, report) end
  if not all(function() return true end)(value) then return report:add(path, "expected a list: items without names") end
  for i, one in ipairs(value) do
    local here = ("%s[%d]"):format(path, i)
    local name = type(one) == "table" and (one.type or #types == 1 and types[1])
    if type(one) ~= "table" then report:expected(here, "a table", one)
    elseif not is_one_of(types, name) then
      report:expected(here .. ".type", "one of " .. table.concat(types, ", "), one.type)
    else
      look(one, name, here, report)
    end
  end
end

function look(value, type_name, path, report)
  local known, names = { type = true }, {}
  for i, field in ipairs(fields_of(type_name)) do known[field.name], names[i] = true, field.name end
  for _, key in ipairs(check.keys_of(value, 1000)) do
    if not known[key] then
      local hint = near(key, names)
      report:add(check.join(path, key), "%sexpected one of %s", hint and ("did you mean '%s'? "):format(hint) or "",
        table.concat(names, ", "))
    end
  end
  for _, field in ipairs(fields_of(type_name)) do
    local x, here = value[field.name], check.join(path, field.name)
    if x ~= nil and HOLDS[field.name] then look_at_nodes(x, field, here, report)
    elseif x ~= nil and not VALUES[field.type][2](x) then report:expected(here, VALUES[field.type][1], x) end
  end
end

---Adds the errors of the field `rcml` of a descriptor to its report.
function kept.check(made, path, report)
  local before = #report
  look(made, "RCML_Robot", path, report)
  if #report > before then return end
  local nodes, paths = core.vrml_read("#VRML V2.0 utf8\n" .. kept.text(made)).nodes, {}
  local robot = nodes[#nodes]
  local function place(node, where)
    paths[node] = where
    for name in pairs(HOLDS) do
      for i, one in ipairs(scene.nodes(node, name)) do place(one, ("%s.%s[%d]"):format(where, name, i)) end
    end
  end
  place(robot, path)
  objects.check(robot, { fail = function(_, node, ...) report:add(paths[node] or path, ...) end })
end

return kept
