-- Mode files: the known ones, and adding custom ones.
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"

local modes = { added = {} }

---Whether a mode of that name is bundled, and was not replaced by a custom one.
function modes.comes_along(name)
  return not modes.added[name] and core.script(("robotalk/modes/%s.lua"):format(name)) ~= nil
end

---Texts of all modes by name: bundled and added ones.
function modes.texts()
  local texts = {}
  for _, name in ipairs(core.scripts "robotalk/modes") do
    texts[name] = core.script("robotalk/modes/" .. name .. ".lua")
  end
  for name, text in pairs(modes.added) do texts[name] = text end
  return texts
end

---Adds the mode of a file under the file's name: the name; or nil, message, code.
function modes.add(path)
  if type(path) ~= "string" then mistake("mode: want the path of a file, got %s", type(path)) end
  local text, why, wrong = core.read_file(path, 1 << 20)
  if not text then return nil, why, wrong end
  local name = path:match("([%w_]+)%.lua$")
  if not name then return nil, path .. ": expected a file name such as my_mode.lua", "EINVAL" end
  local ok, message, code = core.modes { [name] = text }
  if not ok then return nil, message, code end
  modes.added[name] = text
  return name
end

---Sets the modes for connections within this process.
function modes.install()
  assert(core.modes(modes.texts()))
  modes.installed = true
end

---The same, unless they are set; called by each connection.
function modes.need()
  if not modes.installed then modes.install() end
end

return modes
