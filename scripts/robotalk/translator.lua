-- Translators between a device's own format and the standard one (paper 001, 2.4; docs/translators.md): bundled
-- files, a user's own, and those of a robot, which run contained. translator.pair matches devices and objects of a
-- robot.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local fetch = require "robotalk.translator.fetch"
local mistake = require "robotalk.mistakes.mistake"
local near = require "robotalk.mistakes.near"
local links = require "robotalk.translator.link"
local objects_of = require "robotalk.translator.objects"
local opened = require "robotalk.translator.opened"
local pairing = require "robotalk.translator.pairing"
local token = require "robotalk.server.token"

local translator = {}

local LONGEST <const> = require "robotalk.translator.file".LONGEST
local FOLDER <const> = "robotalk/translators"
local added = {}                -- name -> { file =, text = } of custom ones

local function check_name(name, what)
  if type(name) ~= "string" or not name:find "^[%w_]+$" or #name > 63 then
    mistake("%s: want a name of letters, digits and _, at most 63, got %s", what, tostring(name))
  end
end

---The names of all bundled and added ones, in order.
function translator.names()
  local names, there = {}, {}
  for _, name in ipairs(core.scripts(FOLDER)) do there[name] = true end
  for name in pairs(added) do there[name] = true end
  for name in pairs(there) do names[#names + 1] = name end
  table.sort(names)
  return names
end

---The text of a bundled or added one, for clients of a server; nil when there is none of that name.
function translator.source(name)
  check_name(name, "source")
  if added[name] then return added[name].text end
  return core.script(("%s/%s.lua"):format(FOLDER, name))
end

-- The table of a file; nil: there is none of that name.
local function find(name)
  if added[name] then return added[name].file end
  if core.script(("%s/%s.lua"):format(FOLDER, name)) then return require("robotalk.translators." .. name) end
end

---Adds a custom one from a file, under the file's name: the name; or nil, message, code. It takes precedence over a
---bundled one of that name.
function translator.add(path)
  if type(path) ~= "string" then mistake("add: want the path of a file, got %s", type(path)) end
  local name = path:match "([%w_]+)%.lua$"
  if not name then return nil, path .. ": expected a file name such as my_stick.lua", "EINVAL" end
  local text, why, code = core.read_file(path, LONGEST)
  if not text then return nil, why, code end
  local chunk, message = load(text, "@" .. path, "t")
  if not chunk then return nil, message, "EINVAL" end
  local ok, file = pcall(chunk, name)
  if not ok then return nil, tostring(file), "EFAILED" end
  local wrong = opened.wrong(file, path, text)
  if wrong[1] then return nil, table.concat(wrong, "\n"), "EINVAL" end
  added[name] = { file = file, text = text }
  return name
end

-- Whether it uses only the globals of a contained one, as far as its text shows.
local function stands_alone(text) return not text:find "%f[%w_]require%f[^%w_]" end

---Files that servers send at the greeting (paper 001, 4.3.1): bundled ones that need no others, and those of a
---list of added names. A list for core.serve; or nil, message, code.
function translator.files(names)
  local list = {}
  local function add(name)
    local text = translator.source(name)
    if not text then mistake("there is no translator '%s'", tostring(name)) end
    if not stands_alone(text) then return false end
    list[#list + 1] = { path = ("translators/%s.lua"):format(name), type = "text/x-lua; charset=utf-8", bytes = text }
    return true
  end
  for _, name in ipairs(core.scripts(FOLDER)) do
    if not added[name] then add(name) end
  end
  for _, name in ipairs(names or {}) do
    if not add(name) then
      return nil, ("translator %s requires other modules: a client could not run it"):format(name), "EINVAL"
    end
  end
  return list
end

---Opens one by its name, or a table such as its file returns, with a context of its options and of object,
---device and model, which all may have. A translator; or nil, message, code when it refuses. Raises for an unknown
---name.
function translator.open(what, context)
  if type(what) == "table" then return opened.own(what, what.name or "of this script", context or {}) end
  check_name(what, "open")
  local file = find(what)
  if not file then
    local meant = near(what, translator.names())
    mistake("there is no translator '%s'; %s", what, meant and ("did you mean '%s'?"):format(meant)
      or "there are " .. table.concat(translator.names(), ", "))
  end
  return opened.own(file, what, context or {})
end

---Opens an untrusted text, for example a robot's, under a name: it sees arithmetic, texts, lists and the context, and
---each call has a limit of time and memory. A translator; or nil, message, code when the text is invalid.
function translator.contained(text, name, context)
  if type(text) ~= "string" then mistake("contained: want the text of a translator, got %s", type(text)) end
  check_name(name, "contained")
  if #text > LONGEST then
    return nil, ("translator %s: expected at most %d bytes, got %d"):format(name, LONGEST, #text), "ESIZE"
  end
  return opened.contained(text, name, context or {})
end

local FETCH <const> = { names = true, token = true, token_file = true }

---The texts of a robot's translators, from the server of RCTP at that address, by name: for pair, join and contained.
---options: names (all that it has), token or token_file. nil, message, code.
function translator.fetch(url, options)
  if type(url) ~= "string" then mistake("fetch: want an address, got %s", type(url)) end
  options = checked.options(options, FETCH, "fetch")
  if options.names ~= nil and type(options.names) ~= "table" then mistake "fetch: names: want a list" end
  for _, name in ipairs(options.names or {}) do check_name(name, "fetch") end
  local who, message, code
  if not url:find "%+local:" then who, message, code = token.of(options) end
  if message then return nil, message, code end
  return fetch(url, options.names, who)
end

---Matches devices and objects, by type and dofs (paper 001, 4.3.2): a table with pairs, and unmatched devices and
---objects, each with why. texts: of the robot's translators, by name.
function translator.pair(devices, objects, texts)
  local read = {} -- each text is run once, by its name
  return pairing.pair(devices, objects, function(name)
    local file = find(name)
    if file then return file end
    local text = texts and texts[name]
    if text then
      read[name] = read[name] or table.pack(opened.read(text, name))
      return read[name][1], read[name][2]
    end
    return nil, ("there is no translator '%s'"):format(name)
  end)
end

---The objects of a connected robot: those that move, and its cameras.
function translator.objects(robot)
  local body = type(robot) == "table" and robot.body
  if not body then mistake("objects: want a robot, got %s", type(robot)) end
  return objects_of(body)
end

---Joins a pair of translator.pair on a robot: a link, whose put sends the device's values and whose get returns the
---values to show; or nil, message, code. texts: as of pair; these run contained.
function translator.join(pair, robot, texts)
  if type(pair) ~= "table" or type(pair.device) ~= "table" or type(pair.object) ~= "table" then
    mistake "join: want a pair of translator.pair"
  end
  if type(robot) ~= "table" or not robot.body then mistake("join: want a robot, got %s", type(robot)) end
  return links.join(pair, robot, function(name, context)
    if find(name) or not (texts and texts[name]) then return translator.open(name, context) end
    return translator.contained(texts[name], name, context)
  end)
end

return translator
