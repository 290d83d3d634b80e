-- Help at the prompt: the text of spec/api.lua on a function, a class or a name.
local core = require "robotalk.core"
local near = require "robotalk.mistakes.near"

local FIRST = [[
robot:go_to{ x = 1, y = 0, theta = 0 }     drives to a place in the world
robot:set_speed{ x = 0.2, theta = 0.1 }    drives on until the next command
robot:set_joint("head", { pan = 0.4 })     moves a joint
robot:stop()   robot:state()   robot:panic()   robot:reset()
snapshot()   snapshot "world"              saves a picture by its camera, or of the world
robot:describe().joints                    what there is to be moved
help(robot.go_to), help "go_to"            what that does, takes and returns
help(robot), help(rt)                      all that there is
Tab completes. Ctrl-C ends what lines have begun and stops what they move. quit or Ctrl-D ends.]]

local call = require "spec.call"

local help = {}
local classes

local function api()
  classes = classes or require "spec.api".classes
  return classes
end

---A class of spec/api.lua by its name, as "robotalk.Robot"; and the class that it is derived from.
function help.class(name)
  for _, class in ipairs(api()) do
    if class.name:match("[%w.]+") == name then return class, class.name:match(":%s*([%w.]+)") end
  end
end

---The classes of a class, its own first: fn(class) for each until that returns something.
function help.walk(name, fn)
  while name do
    local class, parent = help.class(name)
    if not class then return end
    local found = fn(class)
    if found then return found end
    name = parent
  end
end

---The class, by its name, of the value of a field, or, called, of the result of a function; nil: of none.
function help.class_from(name, member, called)
  return help.walk(name, function(class)
    for _, row_ in ipairs(called and class.functions or not called and class.fields or {}) do
      local kind = called and ((row_.returns or {})[1] or {})[1] or row_[2]
      if row_[1] == member then return type(kind) == "string" and kind:match "^(robotalk[%w.]*)%??$" or nil end
    end
  end)
end

-- Modules by the names of their classes.
local function modules()
  local rt = require "robotalk"
  return { robotalk = rt, ["robotalk.wire"] = rt.wire, ["robotalk.ordering"] = rt.ordering,
    ["robotalk.golog"] = package.loaded["robotalk.golog"], ["robotalk.tree"] = package.loaded["robotalk.tree"] }
end

---The class of a value, by its name; nil: it is of none.
function help.class_of(x)
  for name, module in pairs(modules()) do
    if rawequal(x, module) then return name end
  end
  local meta = getmetatable(x)
  local name = type(meta) == "table" and rawget(meta, "__name")
  if name == "robotalk.model" then return "robotalk.Model" end
  return type(name) == "string" and help.class(name) and name or nil
end

-- Text in lines of at most 100 columns, each behind the margin; the first behind the head.
local function wrap(head, margin, text)
  local lines, line = {}, head
  for word in text:gmatch("%S+") do
    if utf8.len(line .. word) > 99 and line:find("%S") then
      lines[#lines + 1], line = line, margin
    end
    line = (line == head or line == margin) and line .. word or line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

-- A row of a table: a name, its type and its description.
local function row(indent, width, name, kind, doc)
  local head = (" "):rep(indent) .. ("%-" .. width .. "s "):format(name)
  return wrap(head, (" "):rep(#head), kind .. (doc ~= "" and ": " .. doc or ""))
end

local function about_function(class, fn)
  local lines = { call(class, fn), wrap("  ", "  ", fn.doc) }
  for _, param in ipairs(fn.params or {}) do
    lines[#lines + 1] = row(4, 10, (param[1]:gsub("%?$", "")), param[2], param[3] or "")
  end
  for _, value in ipairs(fn.returns or {}) do lines[#lines + 1] = row(4, 10, "returns", value[1], value[2] or "") end
  return table.concat(lines, "\n")
end

local function about_class(name)
  local lines = {}
  while name do
    local class, parent = help.class(name)
    if not class then break end
    lines[#lines + 1] = wrap("", "", class.doc)
    for _, field in ipairs(class.fields or {}) do
      lines[#lines + 1] = row(2, 18, "." .. field[1], field[2], field[3] or "")
    end
    for _, fn in ipairs(class.functions or {}) do
      local sentence = (fn.doc .. " "):match("^(.-%.)%s") or fn.doc
      lines[#lines + 1] = row(2, 18, (class.var and "." or ":") .. fn[1], sentence, "")
    end
    name = parent
  end
  return table.concat(lines, "\n")
end

-- The texts on all functions of that name.
local function functions(name)
  local found = {}
  for _, class in ipairs(api()) do
    for _, fn in ipairs(class.functions or {}) do
      if fn[1] == name then found[#found + 1] = about_function(class, fn) end
    end
  end
  return found
end

local MOST_MENTIONS <const> = 8

-- The functions whose text has that word, a line each with the first sentence; nil: none has.
local function mentions(word)
  word = "%f[%w]" .. word:lower():gsub("%W", "%%%0")
  local lines = {}
  for _, class in ipairs(api()) do
    for _, fn in ipairs(class.functions or {}) do
      local text = { fn.doc }
      for _, param in ipairs(fn.params or {}) do text[#text + 1] = param[3] end
      if table.concat(text, " "):lower():find(word) then
        lines[#lines + 1] = wrap("  ", "    ", call(class, fn) .. ": " .. ((fn.doc .. " "):match "^(.-%.)%s" or fn.doc))
      end
    end
  end
  if #lines > MOST_MENTIONS then
    local more = ("  … and %d more"):format(#lines - MOST_MENTIONS)
    lines = table.move(lines, 1, MOST_MENTIONS, 1, {})
    lines[#lines + 1] = more
  end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

---The names of all functions, sorted.
function help.function_names()
  local names = {}
  for _, class in ipairs(api()) do
    for _, fn in ipairs(class.functions or {}) do names[#names + 1] = fn[1] end
  end
  table.sort(names)
  return names
end

-- The name of a function of the library, and its class.
local function named(fn)
  local owners = modules()
  owners["robotalk.Session"] = require "robotalk.session".Session
  owners["robotalk.Robot"] = require "robotalk.robot".Robot
  for name, owner in pairs(owners) do
    for key, value in pairs(owner) do
      if rawequal(value, fn) then
        local class = help.class(name)
        for _, fn_row in ipairs(class.functions) do
          if fn_row[1] == key then return class, fn_row end
        end
      end
    end
  end
end

---The text on x: a function, an object, a module, or a name.
function help.about(x)
  if x == nil then return FIRST end
  local name = help.class_of(x)
  if name then return about_class(name) end
  if type(x) == "function" then
    local class, fn = named(x)
    return class and about_function(class, fn)
      or 'There is no text on this function; help "NAME" finds methods of all objects.'
  end
  if type(x) == "string" then
    local found = functions(x:match("([%w_]+)%(?%)?$") or x)
    if #found > 0 then return table.concat(found, "\n") end
    if help.class(x) then return about_class(x) end
    if help.class("robotalk." .. x) then return about_class("robotalk." .. x) end
    for _, kind in ipairs(require "spec.sensors".kinds) do
      if kind[1] == x then
        return ('%s, a kind of sensor: %s. robot:sense "%s"; docs/sensors.md'):format(x, kind.doc, x)
      end
    end
    local said = x:find "^%w%w[%w ]*$" and mentions(x)
    if said then return ("These speak of '%s':\n%s"):format(x, said) end
    local meant = near(x:match("([%w_]+)%(?%)?$") or x, help.function_names())
    return ("There is nothing named '%s'%s help shows where to begin."):format(x,
      meant and ("; did you mean '%s'?"):format(meant) or ".")
  end
  return ("A %s of this prompt. help(robot) and help(rt) tell what the library has."):format(type(x))
end

---The value of `help` at the prompt: printed, it is the first page; called, it describes its argument.
function help.page()
  return setmetatable({}, {
    __tostring = function() return FIRST end,
    __call = function(_, x) core.say("out", help.about(x) .. "\n") end,
  })
end

return help
