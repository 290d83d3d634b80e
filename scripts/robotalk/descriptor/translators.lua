-- The translators that descriptors name (docs/translators.md): bundled ones, ones that the user has added, or files
-- of their names next to the descriptor, which a server sends to clients of RCTP. A list of them is as
-- of descriptor.check: { name =, path =, file = }.
local core = require "robotalk.core"
local near = require "robotalk.mistakes.near"
local translator = require "robotalk.translator"
local translator_file = require "robotalk.translator.file"

local translators = {}

local given = {} -- name of a robot of this process -> names of those next to its descriptor
local file_of = {} -- name of a translator -> the real path of its file, from a robot

local function unknown(name)
  local meant = near(name, translator.names())
  return ("there is no translator '%s' that comes along, and no %s.lua beside this file%s"):format(name, name,
    meant and ("; did you mean '%s'?"):format(meant) or "")
end

---The errors of those of a list, as { path =, message = }. known: names of future ones; nil: none.
function translators.wrong(list, known)
  local wrong = {}
  for _, one in ipairs(list) do
    local told
    if one.file then told = translator_file.wrong(one.file)
    elseif not (known and known[one.name]) and not translator.source(one.name) then told = unknown(one.name) end
    for _, why in ipairs(type(told) == "string" and { told } or told or {}) do -- a line, or a list of lines
      wrong[#wrong + 1] = { path = one.path, message = why }
    end
  end
  return wrong
end

---Adds those next to a robot's descriptor: their names; or nil, message, code. A translator of the user by that name
---takes precedence.
function translators.add(list)
  local names = {}
  for _, one in ipairs(list) do
    local real = one.file and (core.real_path(one.file) or one.file)
    if real and file_of[one.name] and file_of[one.name] ~= real then
      return nil, ("%s: translator '%s' is the file %s of another robot"):format(one.path, one.name,
        file_of[one.name]), "EEXISTS"
    elseif real and not translator.source(one.name) then
      local name, message, code = translator.add(one.file)
      if not name then return nil, ("%s: %s"):format(one.path, message), code end
      file_of[name] = real
    end
    if real then names[#names + 1] = one.name end
  end
  return names
end

---Records that an added robot has translators of these names.
function translators.note(robot, names) given[robot] = names end

---Names of the translators of this process's robots, each once, with the names of a list.
function translators.names(more)
  local names, there = {}, {}
  local function add(list)
    for _, name in ipairs(list or {}) do
      if not there[name] then names[#names + 1], there[name] = name, true end
    end
  end
  add(more)
  for _, robot in ipairs(core.robots()) do add(given[robot]) end
  return names
end

return translators
