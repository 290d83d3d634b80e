-- Configurations of servers: Lua files that return { robots = { … }, listen = { … }, modes = { … }, translators =
-- { … }, scripts = { … }, vehicles = { … }, world = "FILE", lease = seconds }.
local beside = require "robotalk.robot.beside"
local check = require "robotalk.descriptor.check"
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local gamebots = require "robotalk.gamebots"
local supervisor = require "robotalk.server.supervisor"
local near = require "robotalk.mistakes.near"
local source = require "robotalk.descriptor.source"
local translator = require "robotalk.translator.file"
local world = require "robotalk.world"

local FIELDS = { "robots", "listen", "modes", "translators", "scripts", "vehicles", "world", "lease" }

local config = {}

---Whether the value of a data file is a configuration, and no description of a robot.
function config.is(value)
  if type(value) ~= "table" or value.name ~= nil then return false end
  for _, field in ipairs(FIELDS) do if value[field] ~= nil then return true end end
  return false
end

-- An entry of a list: a text; of robots also a description, of scripts also their options, of vehicles only their row.
local function is_entry(field, entry)
  local tables = field == "robots" or field == "scripts" or field == "vehicles"
  return type(entry) == "string" and field ~= "vehicles" or tables and type(entry) == "table"
end

local function is_field(key)
  for _, field in ipairs(FIELDS) do if key == field then return true end end
  return false
end

-- Adds errors of its form to a report.
local function check_form(value, wrong)
  local function add(path, form, ...) wrong:add(path, form, ...) end
  for _, key in ipairs(check.keys_of(value, 1000)) do
    local list = value[key]
    if not is_field(key) then
      local meant = near(key, FIELDS)
      local hint = meant and ("did you mean '%s'? "):format(meant) or ""
      add(tostring(key), "%sexpected robots, listen, modes, translators, scripts, vehicles, world or lease", hint)
    elseif key == "world" then
      if type(list) ~= "string" and type(list) ~= "table" then
        add(key, "expected the path of a file, got %s", type(list))
      end
    elseif key == "lease" then
      local want = checked.lease(list)
      if want then add(key, "expected %s, got %s", want, tostring(list)) end
    elseif type(list) ~= "table" then
      add(key, "expected a list, got %s", type(list))
    else
      for i, entry in pairs(list) do
        local path = ("%s[%s]"):format(key, tostring(i))
        if math.type(i) ~= "integer" or not is_entry(key, entry) then
          add(path, "expected a list of %s, got %s", key == "vehicles" and "tables" or "texts", type(entry))
        elseif key == "vehicles" then
          local field, why = gamebots.wrong(entry)
          if field then add(path .. "." .. field, "%s", why) end
        elseif key == "scripts" then
          local option, why = supervisor.wrong(type(entry) == "string" and { file = entry } or entry)
          if option then add(path .. "." .. option, "%s", why) end
        end
      end
    end
  end
end

-- Makes names of files next to the configuration's file paths that lead there.
local function place(value, file)
  local function placed(path) return path:find "[./]" and beside.find(file, path) or path end
  if type(value.world) == "string" then value.world = placed(value.world) end
  for key, list in pairs(value) do
    for i, entry in ipairs(type(list) == "table" and key ~= "listen" and key ~= "world" and list or {}) do
      if type(entry) == "string" then list[i] = placed(entry)
      elseif key == "scripts" then entry.file = placed(entry.file) end
    end
  end
end

-- The reason why an address cannot be listened at, as far as it is known without trying.
local function wrong_address(address)
  local scheme = address:match "^([%w+]+):"
  local names = { "unix" }
  for _, protocol in ipairs((core.protocols())) do
    for _, wire in ipairs { "", "+unix", "+tls", "+udp" } do names[#names + 1] = protocol.name .. wire end
  end
  for _, name in ipairs(names) do if name == scheme then return end end
  local meant = near(scheme, names)
  return ("expected an address as robotalk://localhost:7600 or unix:PATH%s, got %q"):format(
    meant and (" (did you mean %s?)"):format(meant) or "", address)
end

-- Adds the errors of a robot; returns its name. file: in which it is named. also: as of descriptor.missing.
local function examine_robot(robot, file, path, wrong, also)
  if type(robot) == "table" then
    local report, made = descriptor.check(robot, file)
    for _, one in ipairs(report or descriptor.missing(made, also)) do
      wrong:add(one.path == "" and path or path .. "." .. one.path, "%s", one.message)
    end
    return robot.name
  end
  local made, message = descriptor.open(robot)
  local missing = made and made.missing and table.concat(made.missing(also), "\n") or ""
  if made and missing == "" then return made.records.name end
  for line in (message or missing):gmatch "[^\n]+" do wrong:add(path, "%s", line) end
end

-- Adds the errors of its world.
local function examine_world(what, file, wrong)
  if type(what) == "string" then
    local good, message = world.read(what)
    for line in (good and "" or message):gmatch "[^\n]+" do wrong:add("world", "%s", line) end
    return
  end
  for _, one in ipairs((world.check(what, file))) do
    wrong:add(one.path == "" and "world" or "world." .. one.path, "%s", one.message)
  end
end

-- Adds the errors of the configuration and of its robots, addresses and modes.
local function examine(value, file, folders, wrong)
  check_form(value, wrong)
  if #wrong > 0 then return end
  place(value, file)
  local names = {}
  local function add(path, form, ...) wrong:add(path, form, ...) end
  local translators = {}
  for _, path in ipairs(value.translators or {}) do translators[path:match "([%w_]+)%.lua$" or path] = true end
  for i, robot in ipairs(value.robots or {}) do
    local path = ("robots[%d]"):format(i)
    local name = examine_robot(robot, file, path, wrong, { translators = translators, folders = folders })
    if name and names[name] then add(path, "the name %s is taken by robots[%d]", name, names[name]) end
    if name then names[name] = names[name] or i end
  end
  for i, address in ipairs(value.listen or {}) do
    local why = wrong_address(address)
    if why then add(("listen[%d]"):format(i), "%s", why) end
  end
  if value.world then examine_world(value.world, file, wrong) end
  for i, path in ipairs(value.modes or {}) do
    local text, why = core.read_file(path, 1 << 20)
    if text then why = select(2, load(text, "@" .. path, "t", {})) end
    if why then add(("modes[%d]"):format(i), "%s", why) end
  end
  for i, path in ipairs(value.translators or {}) do
    for _, why in ipairs(translator.wrong(path)) do add(("translators[%d]"):format(i), "%s", why) end
  end
  for i, entry in ipairs(value.scripts or {}) do
    local _, why = loadfile(type(entry) == "table" and entry.file or entry, "t")
    if why then add(("scripts[%d]"):format(i), "%s", why) end
  end
end

---The errors of a file's configuration and of the files that it names, as lines: file:line: field: what. Its paths
---are then relative to the file. text: the file's; folders: as of descriptor.missing.
function config.errors(value, file, text, folders)
  local line_of, wrong, lines = source.lines(text), check.report(), {}
  local ok, trouble = pcall(examine, value, file, folders, wrong)
  if not ok and trouble ~= check.FULL then error(trouble, 0) end
  for i, one in ipairs(wrong) do one.line, one.order = line_of(one.path), i end
  table.sort(wrong, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.order < b.order
  end)
  for i, one in ipairs(wrong) do lines[i] = ("%s:%d: %s: %s"):format(file, one.line, one.path, one.message) end
  if wrong.more then lines[#lines + 1] = file .. ": there are more; these are the first" end
  return lines
end

return config
