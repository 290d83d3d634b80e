-- The kind of a file, by its text and its value: a robot's description, the configuration of a server, a
-- command mode, a translator, a script, a world around robots, a motion of Tekkotsu's, or a recording of a gamepad.
local config = require "robotalk.cli.config"
local core = require "robotalk.core"
local source = require "robotalk.descriptor.source"
local vrml = require "robotalk.world.vrml"
local world = require "robotalk.world"

local LARGEST = 16 << 20 -- bytes

-- Globals of Lua that descriptions and configurations do not have.
local OF_SCRIPTS = {}
for word in ("require print pcall xpcall setmetatable getmetatable load loadfile dofile rawget rawset rawequal next "
  .. "coroutine io os debug package utf8 arg describe it"):gmatch "%w+" do OF_SCRIPTS[word] = true end

-- Whether a text uses globals that only scripts have.
local function is_script(text)
  local good, tokens = pcall(source.tokens, text)
  for i, token in ipairs(good and tokens or {}) do
    local before, after = tokens[i - 1], tokens[i + 1]
    if OF_SCRIPTS[token.text] and token.kind == "name" and not (before and (before.text == "." or before.text == ":"))
      and not (after and after.text == "=") then
      return true
    end
  end
  return false
end

---"robot", "configuration", "mode", "translator", "script", "world", "motion" or "recording"; and the value of a
---configuration, a mode or a world, with the text. A file that cannot be read is a robot, and so is a name that is not
---that of a bundled world.
return function(path)
  if path:find "%.mot$" or path:find "%.pos$" then return "motion" end
  if path:find "%.evemu$" then return "recording" end
  if not path:find "[./]" and core.script(("worlds/%s.lua"):format(path)) then
    local text, file = world.text(path)
    return "world", core.data(text, "@" .. file), text
  end
  if path:lower():find "%.xml$" then
    local text = core.read_file(path, LARGEST)
    if text and world.is_mjcf(path, text) then return "world", nil, text end
  end
  if path:lower():find "%.wrl$" then
    local text = core.read_file(path, LARGEST)
    if text and vrml.says_so(text) then return "world", nil, text end
  end
  local text = path:lower():find "%.lua$" and core.read_file(path, LARGEST)
  if not text then return "robot" end
  local value = core.data(text, "@" .. path)
  if config.is(value) then return "configuration", value, text end
  if world.is(value) then return "world", value, text end
  if type(value) == "table" then
    if value.blocking ~= nil or value.buffered ~= nil or value.arrived ~= nil then return "mode", value, text end
    if value.to_standard ~= nil or value.from_standard ~= nil or value.from ~= nil and value.to ~= nil then
      return "translator", value, text
    end
    -- one that is not finished, or misspelt; a robot's `from` is the name or the file of another one
    local is_named = type(value.from) == "string" and value.to == nil
    if not is_named and (value.from ~= nil or value.to ~= nil) then return "translator", value, text end
    for _, field in pairs(value) do
      if type(field) == "function" then return "script" end
    end
    return "robot"
  end
  return is_script(text) and "script" or "robot"
end
