-- Completion at the prompt: the completions of the word before the cursor. No function is called: spec/api.lua has the
-- class of each result.
local core = require "robotalk.core"
local help = require "robotalk.cli.help"
local modes = require "robotalk.modes"

local KEYWORDS = { "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
  "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while" }

-- A known object: a value, or only its class, as for the result of a call.
local function known(value) return { value = value, class = help.class_of(value) } end

-- The result of a field, method or call of a known object.
local function step(thing, name, called)
  if thing.class then
    local value = not called and type(thing.value) == "table" and rawget(thing.value, name) or nil
    return { class = help.class_from(thing.class, name, called), value = value }
  end
  if not called and type(thing.value) == "table" then
    local value = rawget(thing.value, name)
    if value ~= nil then return known(value) end
  end
end

-- A global of the prompt.
local function global(env, name)
  local value = rawget(env, name)
  if value == nil then value = rawget(_G, name) end
  return value
end

-- The expression before a dot or colon: a name and fields and calls behind it; nil: not known.
local function resolve(env, text)
  local thing, rest
  local first = text:match("^[%a_][%w_]*")
  if not first then return end
  thing, rest = known(global(env, first)), text:sub(#first + 1)
  while rest ~= "" and thing do
    local name, after = rest:match("^[.:]([%a_][%w_]*)(.*)$")
    if not name then return end
    local call = after:match("^%b()") or after:match("^%b{}") or after:match('^"[^"]*"')
    thing, rest = step(thing, name, call ~= nil), call and after:sub(#call + 1) or after
  end
  return thing
end

-- The end of the text that is an expression as above. It is found from its end, brackets and strings as a whole.
local function expression(text)
  local at = #text
  while at > 0 do
    local c = text:sub(at, at)
    if c == ")" or c == "}" then
      local depth, from = 0, at
      while from > 0 do
        local d = text:sub(from, from)
        if d == ")" or d == "}" then depth = depth + 1 elseif d == "(" or d == "{" then depth = depth - 1 end
        if depth == 0 then break end
        from = from - 1
      end
      at = from - 1
    elseif c:find("[%w_.:]") then
      at = at - 1
    else
      break
    end
  end
  return text:sub(at + 1)
end

-- Names after an object's dot (or, calls, colon).
local function members(thing, colon)
  local names = {}
  if thing.class then
    help.walk(thing.class, function(class)
      for _, row in ipairs(class.functions or {}) do
        if colon or class.var then names[#names + 1] = row[1] end
      end
      for _, row in ipairs(not colon and class.fields or {}) do names[#names + 1] = row[1] end
    end)
    return names
  end
  local where, depth = thing.value, 0
  while type(where) == "table" and depth < 5 do
    for key, value in next, where do
      if type(key) == "string" and not key:find("^_") and (not colon or type(value) == "function") then
        names[#names + 1] = key
      end
    end
    local meta = getmetatable(where)
    local index = type(meta) == "table" and rawget(meta, "__index")
    where = type(index) == "table" and index or nil
    depth = depth + 1
  end
  return names
end

local ROLES = { "watch", "drive", "operate" }

local function keys(set)
  local names = {}
  for name in pairs(set) do if type(name) == "string" then names[#names + 1] = name end end
  return names
end

-- The names of a body's joints that have dofs.
local function joints(body)
  local names = {}
  for name, joint in pairs(body.joints) do
    if type(name) == "string" and joint.dofs > 0 then names[#names + 1] = name end
  end
  return names
end

-- Names inside of a string: joints, control frames, commands, modes, roles, and robots to connect to.
local function quoted(env, before)
  local option = before:match "[{,]%s*([%a_]+)%s*=%s*$"
  if option == "mode" then return keys(modes.texts()) end
  if option == "role" then return ROLES end
  local method = before:match("[.:]([%w_]+)%s*%(?%s*$") or before:match("([%w_]+)%s*%(?%s*$")
  local robot = global(env, before:match("([%a_][%w_]*)[.:][%w_]+%s*%(?%s*$"))
  local body = type(robot) == "table" and rawget(robot, "body")
  if type(body) == "table" and method then
    if method == "begin" then return keys(core.spec().commands) end
    if method:find "^set_frame" then return keys(body.frames) end
    if method:find "^set_joint" then return joints(body) end
    if method == "stop" then
      local names, frames = joints(body), keys(body.frames)
      names[#names + 1] = body.descriptor.base and "base" or nil
      return table.move(frames, 1, #frames, #names + 1, names)
    end
  end
  if method == "help" then return help.function_names() end
  if method == "connect" or method == "try_connect" or method == "robot" or method == "model" then
    return core.scripts "robots"
  end
  return {}
end

---All completions of the word at the end of the line so far.
return function(env, line, word)
  local before = line:sub(1, #line - #word)
  local names, head, last
  local _, quotes = before:gsub('"', '"')
  if quotes % 2 == 1 then
    names, head, last = quoted(env, before:match('^(.*)"')), "", word
  else
    local path, mark = expression(line):match("^(.*)([.:])[%w_]*$")
    last = line:match("[%w_]*$")
    head = word:sub(1, #word - #last)
    if path then
      local thing = resolve(env, path)
      names = thing and members(thing, mark == ":") or {}
    else
      names = members({ value = env }, false)
      for key in pairs(_G) do names[#names + 1] = key end
      table.move(KEYWORDS, 1, #KEYWORDS, #names + 1, names)
    end
  end
  local found, seen = {}, {}
  for _, name in ipairs(names) do
    if name:sub(1, #last) == last and not seen[name] then
      seen[name] = true
      found[#found + 1] = head .. name
    end
  end
  table.sort(found)
  return found
end
