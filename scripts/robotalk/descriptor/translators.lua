-- The translators that descriptors name (docs/translators.md): ones that come along, that the user has added, or files
-- of their names beside the descriptor, which a server gives to clients of RCTP. A list of them is as
-- descriptor.check has it: { name =, path =, file = }.
local core = require "robotalk.core"
local near = require "robotalk.near"
local translator = require "robotalk.translator"
local translator_file = require "robotalk.translator.file"

local translators = {}

local given = {} -- name of a robot of this process -> names of those that stand beside its descriptor
local file_of = {} -- name of a translator -> the real path of the file that a robot gave it by

local function unknown(name)
  local meant = near(name, translator.names())
  return ("there is no translator '%s' that comes along, and no %s.lua beside this file%s"):format(name, name,
    meant and ("; did you mean '%s'?"):format(meant) or "")
end

---What is wrong with those of a list, as { path =, message = }. known: names of others that there will be; nil: none.
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

---Adds those that stand beside a robot's descriptor: their names; or nil, message, code. What the user has added by
---that name goes before.
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

---A robot that was added gives translators of these names.
function translators.note(robot, names) given[robot] = names end

---Names of those that this process's robots give, each once, with the names of a list.
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
