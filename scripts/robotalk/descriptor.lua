-- Descriptors: Lua files that return a table and see nothing but math. Found among the embedded ones by name, or
-- by path.
local core = require "robotalk.core"

local descriptor = {}

---Loads a descriptor's table: by the name of an embedded one ("pioneer2") or by the path of a file.
---nil, message, code with the file and line of what is wrong.
function descriptor.load(name)
  local text, chunk = core.script("robots/" .. name .. ".lua"), "@robots/" .. name .. ".lua"
  if not text then
    if not name:find("[./]") then
      return nil, ("there is no robot '%s'; those that come along: %s"):format(name,
        table.concat(descriptor.names(), ", ")), "ENONE"
    end
    local file, why = io.open(name, "rb")
    if not file then return nil, why, "ENONE" end
    text = file:read("a")
    chunk = "@" .. name
    file:close()
  end
  local fn, message = load(text, chunk, "t", { math = math })
  if not fn then return nil, message, "EINVAL" end
  local ok, result = pcall(fn)
  if not ok then return nil, tostring(result), "EINVAL" end
  if type(result) ~= "table" then
    return nil, ("%s:1: expected the file to return a table, got %s"):format(chunk:sub(2), type(result)), "EINVAL"
  end
  local good, why = core.check_description(result)
  if not good then return nil, ("%s: %s"):format(descriptor.place(text, chunk:sub(2), why), why), "EINVAL" end
  return result
end

-- The line where the last key of a path such as "joints[1].dofs[2].limit" stands, as far as the text tells.
function descriptor.place(text, file, why)
  local path = why:match("^([%w_%.%[%]]+):")
  local key = path and path:match("([%a_][%w_]*)[%[%]%d]*$")
  local number = 0
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    if key and line:find("%f[%w_]" .. key .. "%f[^%w_]%s*=") then return ("%s:%d"):format(file, number) end
  end
  return file .. ":1"
end

---Adds a robot to this process: a name, a path or a descriptor table. Its name; or nil, message, code.
function descriptor.add(what)
  local description = what
  if type(what) == "string" then
    local message, code
    description, message, code = descriptor.load(what)
    if not description then return nil, message, code end
  end
  if descriptor.dry then
    -- no table of drivers that could reach anything: all of them are the simulator
    description.drivers = nil
    if description.base then description.base.driver = "sim" end
    for _, joint in ipairs(description.joints or {}) do joint.driver = "sim" end
  end
  local name, message, code = core.add_robot(description)
  if not name then return nil, message, code end
  local ok, why = require "robotalk.drivers".claim()
  if not ok then
    core.remove_robot(name)
    return nil, why, "EDEVICE"
  end
  return name
end

---Names of the embedded descriptors.
function descriptor.names()
  local names = {}
  for _, script in ipairs(core.scripts()) do
    local name = script:match("^robots/([%w_]+)%.lua$")
    if name then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

return descriptor
