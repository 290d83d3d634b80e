-- Checks a script without running it: that it compiles, that its modules exist, that it calls only existing functions
-- of the library, and that the robots that it names exist, with their joints, dofs, control frames and sensors.
local beside = require "robotalk.robot.beside"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local help = require "robotalk.cli.help"
local near = require "robotalk.mistakes.near"
local source = require "robotalk.descriptor.source"

local LARGEST = 16 << 20 -- bytes of a file
local FEW <const> = 12

-- One script: its path, and the fields that it gives to tables itself (`added`).
local Script = {}
Script.__index = Script

function Script:add(line, form, ...)
  self.found[#self.found + 1] = { file = self.path, line = line, message = form:format(...) }
end

-- The text that a call has as its first argument, and its line.
local function text_of(it)
  local text = it.argument
  if text and text.kind == "constant" and type(text.value) == "string" then return text.value, text.line end
end

-- A similar name, for the end of a message; otherwise all names, if these are few.
local function meant(name, names)
  local other = near(name, names)
  if other then return ("; did you mean %s?"):format(other) end
  return #names > 0 and #names <= FEW and "; there are " .. table.concat(names, ", ") or ""
end

-- The fields of commands by their names, besides the names of dofs.
local FIELDS, PLAIN <const> = {}, { go_to = true, set_speed = true, step = true, home = true }
for op, command in pairs(core.spec().commands) do
  FIELDS[op] = { "start" }
  for _, field in ipairs(command.fields) do
    if field.name == "leg" or field.name ~= "value" and field.unit ~= "" then table.insert(FIELDS[op], field.name) end
  end
end
table.insert(FIELDS.set_frame, "straight")
local PARTS <const> = { speed = "set_speed", go_to = "go_to" } -- of a frame's base

local function names_of(class)
  local names = {}
  while class do
    local found, parent = help.class(class)
    for _, list in ipairs { found and found.functions or {}, found and found.fields or {} } do
      for _, row in ipairs(list) do names[#names + 1] = row[1] end
    end
    class = found and parent
  end
  return names
end

-- Former names of the library exist, and are not listed.
local function is_old(class, name)
  return class == "robotalk" and require "robotalk"[name] ~= nil
end

local function has(names, wanted)
  for _, name in ipairs(names) do if name == wanted then return true end end
end

-- ---- values of expressions ----

-- Whether it calls a function of Lua's of that name.
local function calls(it, name)
  local fn = it.kind == "call" and it.callee
  return fn and fn.kind == "name" and fn.name == name and fn.variable.count == 0
end

-- The common result of find for all values of a variable; nil: there is none. A variable that is being examined
-- already has none.
local function common(variable, what, find)
  if variable[what] == nil then
    variable[what] = false
    local same
    for i, value in ipairs(variable.values or {}) do
      local one = find(value)
      if i > 1 and one ~= same then return nil end
      same = one
    end
    variable[what] = same or false
  end
  return variable[what] or nil
end

local class_of

local function find_class(it)
  if calls(it, "require") then
    local module = text_of(it)
    return module and help.class(module) and module
  elseif calls(it, "assert") then
    return class_of(it.argument)
  elseif it.kind == "call" and it.callee.kind == "index" then
    local class = class_of(it.callee.of)
    return class and help.class_from(class, it.callee.key, true)
  elseif it.kind == "method" or it.kind == "index" then
    local class = class_of(it.of)
    return class and help.class_from(class, it.key, it.kind == "method")
  end
end

-- The class of spec/api.lua that an expression is of, when that is known.
function class_of(it)
  if not it then return nil end
  if it.kind == "name" then return common(it.variable, "class", class_of) end
  if it.class == nil then it.class = find_class(it) or false end
  return it.class or nil
end

-- The name of the library's function that a call calls.
local function called(it)
  local fn = it.kind == "call" and it.callee
  return fn and fn.kind == "index" and class_of(fn.of) == "robotalk" and fn.key or nil
end

-- The robot of an expression, by its name in the script.
local function robot_of(it)
  if not it then return nil end
  if it.kind == "name" then return common(it.variable, "robot", robot_of) end
  if calls(it, "assert") then return robot_of(it.argument) end
  -- its sessions, and its methods that raise
  local whole = it.kind == "method" and it.key == "session" or it.kind == "index" and it.key == "must"
  if whole then return robot_of(it.of) end
  local fn = called(it)
  return (fn == "connect" or fn == "try_connect") and text_of(it) or nil
end

-- The robot whose state an expression is.
local function state_of(it)
  if not it then return nil end
  if it.kind == "name" then return common(it.variable, "state", state_of) end
  if calls(it, "assert") then return state_of(it.argument) end
  return it.kind == "method" and it.key == "state" and robot_of(it.of) or nil
end

-- ---- errors ----

local bodies = {} -- by the names of robots: names of joints, of their dofs, frames and sensors, or the error

-- The joints, dofs, control frames and sensors of a robot that a script names; or nil, message.
local function body_of(name)
  if not bodies[name] then
    local made, message = descriptor.open(name)
    local body = { joints = {}, frames = {}, dofs = {}, sensors = {}, message = not made and message or nil }
    for _, joint in ipairs(made and made.records.joint or {}) do
      if joint.dofs > 0 then table.insert(body.joints, joint.name) end
      local dofs = {}
      for k = 1, joint.dofs do dofs[k] = made.records.dof[joint.first + k].name end
      if #dofs == 1 and dofs[1] ~= joint.name then dofs[2] = joint.name end -- the only one has this name, too
      body.dofs[joint.name] = dofs
    end
    for _, key in ipairs { "name", "kind" } do
      for _, sensor in ipairs(made and made.records.sensor or {}) do
        if not has(body.sensors, sensor[key]) then table.insert(body.sensors, sensor[key]) end
      end
    end
    for _, frame in ipairs(made and made.records.frame or {}) do table.insert(body.frames, frame.name) end
    bodies[name] = body
  end
  if bodies[name].message then return nil, bodies[name].message end
  return bodies[name]
end

function Script:check_robot(name, line)
  if name:find "^%a[%w+]*:" then return end -- elsewhere
  local body, message = body_of(name)
  if body then return end
  if not name:find "[./]" then
    self:add(line, "there is no robot '%s'%s", name, meant(name, descriptor.names()))
  else
    for text in message:gmatch "[^\n]+" do
      local file, at, what = text:match "^(.-):(%d+): (.*)$"
      table.insert(self.found, { file = file or self.path, line = tonumber(at) or line, message = what or text })
    end
  end
end

-- The keys of a table, if it is one, in the order of the alphabet.
local function keys_of(given)
  local keys = {}
  for key in pairs(given and given.kind == "table" and given.items or {}) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- Checks that a table has no other keys than those names; numbers and lists pass.
function Script:check_names(given, what, names, more)
  local known = table.move(names, 1, #names, 1, {})
  table.move(more or {}, 1, #(more or {}), #known + 1, known)
  for _, key in ipairs(keys_of(given)) do
    if not key:find "^[%[%d]" and not has(known, key) then
      self:add(given.items[key].line, "%s '%s'%s", what, key, meant(key, known))
    end
  end
end

-- The joint or control frame that a command names.
function Script:find_part(robot, names, kind, part, line)
  if has(names, part) then return true end
  self:add(line, "%s has no %s '%s'%s", robot, kind, part, meant(part, names))
end

-- The values of a command to a joint: names of its dofs, and of the only one also the joint's.
function Script:check_joint(robot, body, op, joint, given, more)
  local dofs, fields = body.dofs[joint], table.move(FIELDS[op], 1, #FIELDS[op], 1, more or {})
  local what = ("%s.%s has no dof"):format(robot, joint)
  self:check_names(given, what, dofs, fields)
  for _, key in ipairs { "velocity", "force" } do
    local item = has(fields, key) and given and given.kind == "table" and given.items[key]
    self:check_names(item and item.value, what, dofs, fields)
  end
end

-- The parts of a move or of a frame.
function Script:check_parts(robot, body, given)
  for _, name in ipairs(keys_of(given)) do
    local item = given.items[name]
    local fields = item.value.kind == "table" and item.value.items or {}
    local function any(...) for _, key in ipairs { ... } do if fields[key] then return true end end end
    local joint, frame = has(body.joints, name), has(body.frames, name)
    local of_frame = frame and (not joint or any("position", "attitude", "linear", "angular", "torque"))
    if name == "base" then
      self:check_names(item.value, "base has no part", { "speed", "go_to", "stop" })
      for part, op in pairs(PARTS) do
        if fields[part] then self:check_names(fields[part].value, op .. " has no field", FIELDS[op]) end
      end
    elseif of_frame then
      local op = any("linear", "angular") and "set_frame_speed" or any("force", "torque") and "set_frame_force"
        or "set_frame"
      self:check_names(item.value, op .. " has no field", FIELDS[op])
    elseif joint then
      self:check_joint(robot, body, "set_joint", name, item.value, { [#FIELDS.set_joint + 1] = "force" })
    elseif name ~= "start" and not name:find "^%[" then
      local names = table.move(body.joints, 1, #body.joints, 1, {})
      table.move(body.frames, 1, #body.frames, #names + 1, names)
      self:find_part(robot, names, "joint or control frame", name, item.line)
    end
  end
end

-- A command by its name and arguments: the part, if it names one, and the values.
function Script:check_command(robot, body, op, first, second)
  local kind = op:find "^set_joint" and "joint" or op:find "^set_frame" and "frame"
  local part = kind and first and first.kind == "constant" and type(first.value) == "string" and first.value
  if part then
    local what = kind == "joint" and kind or "control frame"
    local found = self:find_part(robot, body[kind .. "s"], what, part, first.line)
    if found and kind == "joint" then return self:check_joint(robot, body, op, part, second) end
    if found then self:check_names(second, op .. " has no field", FIELDS[op]) end
  elseif op == "move" then
    self:check_parts(robot, body, first)
  elseif op == "go_to" and first and first.kind == "table" and first.items["[1]"] then
    for _, key in ipairs(keys_of(first)) do
      self:check_names(first.items[key].value, "go_to has no field", FIELDS.go_to)
    end
  elseif PLAIN[op] then
    self:check_names(first, op .. " has no field", FIELDS[op])
  end
end

-- The arguments of a method of a robot or of its sessions.
function Script:check_given(it)
  local robot = robot_of(it.of)
  local body = robot and not robot:find ":" and body_of(robot)
  if not body then
    if PLAIN[it.key] then self:check_command(nil, nil, it.key, it.argument) end
  elseif it.key == "frame" then
    self:check_parts(robot, body, it.second)
  elseif it.key == "begin" then
    local op, line = text_of(it)
    if op and not FIELDS[op] then
      local names = {}
      for name in pairs(FIELDS) do names[#names + 1] = name end
      table.sort(names)
      self:add(line, "begin: there is no command '%s'%s", op, meant(op, names))
    elseif op then
      self:check_command(robot, body, op, it.second, it.third)
    end
  else
    self:check_command(robot, body, it.key, it.argument, it.second)
  end
end

-- A joint of a state, or a dof of one.
function Script:check_reading(it)
  local of, joint = it.of, it.key
  local whole = of.kind == "index" and of.key ~= "joints"
  if whole then of, joint = of.of, of.key end
  local robot = of.kind == "index" and of.key == "joints" and state_of(of.of)
  local body = robot and not robot:find ":" and body_of(robot)
  local names = body and (whole and body.dofs[joint] or not whole and body.joints)
  if not names or joint:find "^%[" or it.key:find "^%[" or self.added[it.key] or has(names, it.key) then return end
  self:add(it.line, "%s has no %s '%s'%s", whole and robot .. "." .. joint or robot, whole and "dof" or "joint", it.key,
    meant(it.key, names))
end

-- The sensors that a method of a robot names.
function Script:check_sensors(it)
  local robot = robot_of(it.of)
  local body = robot and not robot:find ":" and body_of(robot)
  local given = it.argument
  local list = given and given.kind == "table" and given.items or { { value = given or {} } }
  for key, item in pairs(body and list or {}) do
    local name = item.value.kind == "constant" and item.value.value
    if type(name) == "string" and (key == 1 or key == "kind" or key:find "^%[") and not has(body.sensors, name) then
      self:add(it.line, "%s has no sensor '%s'%s", robot, name, meant(name, body.sensors))
    end
  end
end

-- A field of a module, or a method.
function Script:check_member(it)
  if it.kind == "index" then self:check_reading(it) end
  local class = class_of(it.of)
  if not class or it.kind == "index" and not help.class(class).var then return end
  local names = names_of(class)
  -- fields that the script adds exist
  if not (has(names, it.key) or self.added[it.key] or is_old(class, it.key)) then
    self:add(it.line, "%s has no %s '%s'%s", it.of.name or class,
      it.kind == "index" and "function or field" or "method", it.key, meant(it.key, names))
  elseif it.kind == "method" and help.class(class).var then
    self:add(it.line, "%s: call it with a dot: %s.%s", it.key, it.of.name or class, it.key)
  elseif it.kind == "method" then
    self:check_given(it)
    if it.key == "sense" or it.key == "watch" then self:check_sensors(it) end
  end
end

-- A method that is called with a dot, on a value that is certainly no object of its class.
function Script:check_dot(it)
  local fn, first = it.callee, it.argument
  local class = fn.kind == "index" and fn.line and class_of(fn.of)
  if not class or help.class(class).var or self.added[fn.key] then return end
  local sure = not first or first.kind == "constant" or first.kind == "table"
  local method = sure and help.walk(class, function(found)
    for _, row in ipairs(found.functions or {}) do if row[1] == fn.key then return true end end
  end)
  if method then
    local of = fn.of.name or class:match "%w+$":lower()
    self:add(fn.line, "%s: call it with a colon: %s:%s%s", fn.key, of, fn.key,
      not first and "()" or first.kind == "table" and "{…}" or "(…)")
  end
end

-- The file of a module that another file requires, or true when it is not the user's; nil: there is none.
local function find(module, file)
  if package.loaded[module] or package.preload[module] then return true end
  local path = module:gsub("%.", "/")
  if core.script(path .. ".lua") or core.script(path .. "/init.lua") then return true end
  return beside.find(file, path .. ".lua") or beside.find(file, path .. "/init.lua")
    or package.searchpath(module, package.path)
    or (beside.find(file, path .. ".so") or package.searchpath(module, package.cpath)) and true or nil
end

local check

function Script:check_require(it)
  local module, line = text_of(it)
  if not module then return end
  local file = find(module, self.path)
  if not file then
    local names = {}
    for _, name in ipairs(core.scripts()) do
      names[#names + 1] = name:match "^(robotalk/?%l*)%.lua$" and name:sub(1, -5):gsub("/init$", ""):gsub("/", ".")
    end
    self:add(line, "there is no module '%s'%s", module, meant(module, names))
  elseif file ~= true and not self.seen[file] then
    check(file, self.found, self.seen)
  end
end

-- The options that a function of a module is given as a table, when spec/api.lua has them one by one.
function Script:check_options(it)
  local fn, given = it.callee, it.argument
  local class = fn and fn.kind == "index" and given and given.kind == "table" and class_of(fn.of)
  local record = help.walk(class, function(found)
    for _, row in ipairs(found.functions or {}) do
      if row[1] == fn.key and row.params then return row.params[1][2]:match "^{(.*)}$" end
    end
  end)
  if not record then return end
  local names = {}
  for name in record:gmatch "([%a_]+):%s" do names[#names + 1] = name end
  for key, item in pairs(given.items) do
    if not has(names, key) then
      self:add(item.line, "%s.%s has no option '%s'%s", fn.of.name or class, fn.key, key, meant(tostring(key), names))
    end
  end
end

local NAMES_ROBOT = { connect = true, try_connect = true, add_robot = true, model = true }

function Script:check_call(it)
  if calls(it, "require") then return self:check_require(it) end
  self:check_options(it)
  self:check_dot(it)
  if not NAMES_ROBOT[called(it)] then return end
  local name, line = text_of(it)
  if name then self:check_robot(name, line) end
end

---Checks the script at a path, and the user's modules that it requires; seen: checked files. Errors are added to
---a list of { file =, line =, message = }.
function check(path, found, seen)
  seen[path] = true
  local text, why = core.read_file(path, LARGEST)
  if not text then
    found[#found + 1] = { file = path, line = 1, message = why:gsub("^.-: ", "") }
    return
  end
  text = text:gsub("^#[^\n]*", "")
  local fn, trouble = load(text, "@" .. path, "t")
  if not fn then
    local line, what = trouble:match ":(%d+): (.*)$"
    found[#found + 1] = { file = path, line = tonumber(line) or 1, message = what or trouble }
    return
  end
  local uses, added = source.uses(text)
  local script = setmetatable({ path = path, found = found, seen = seen, added = added }, Script)
  local good, failed = pcall(function()
    for _, it in ipairs(uses or {}) do -- none: it is too long to be examined
      if it.kind == "call" then script:check_call(it) else script:check_member(it) end
    end
  end)
  if not good and not tostring(failed):find "stack overflow" then error(failed, 0) end -- otherwise nested too deeply
end

return { check = check }
