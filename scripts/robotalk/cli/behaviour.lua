-- Checks a script without running it: that it compiles, that what it requires is there, that it calls nothing of the
-- library that does not exist, and that the robots that it names, with their joints and control frames, are there.
local beside = require "robotalk.beside"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local help = require "robotalk.cli.help"
local near = require "robotalk.near"
local source = require "robotalk.descriptor.source"

local LARGEST = 16 << 20 -- bytes of a file

-- What is known of a script: its tokens; in `classes` of which class of spec/api.lua a name is, and in `robots` which
-- robot; `given` counts how often a name is given a value: of one that is given several, nothing is known.
local Script = {}
Script.__index = Script

function Script:add(line, form, ...)
  self.found[#self.found + 1] = { file = self.path, line = line, message = form:format(...) }
end

function Script:is(i, text)
  local token = self.tokens[i]
  return token and token.text == text
end

-- The text in quotes that a call has as its first argument, when nothing is done with it: the text and its token.
function Script:text_argument(i)
  if self:is(i, "(") then i = i + 1 end
  local token = self.tokens[i]
  if not token or token.kind ~= "text" then return end
  local after = self.tokens[i + 1]
  if after and (after.text == ".." or after.text == ":" or after.text == ".") then return end
  local read = load("return " .. token.text, "=text", "t", {})
  return read and read(), token, i
end

-- What a name of the library's is near to, for the end of a message.
local function meant(name, names)
  local other = near(name, names)
  return other and ("; did you mean %s?"):format(other) or ""
end

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

-- Names that the library had at first are there, and are not told.
local function is_old(class, name)
  return class == "robotalk" and require "robotalk"[name] ~= nil
end

local function has(names, wanted)
  for _, name in ipairs(names) do if name == wanted then return true end end
end

-- ---- what names stand for ----

function Script:give(name) self.given[name] = (self.given[name] or 0) + 1 end

-- `local a, b = require "x", require "y"`: a and b are modules; `local r <close> = rt.connect("x")`: r is a robot.
function Script:read_local(i)
  local names = {}
  repeat
    i = i + 1
    local token = self.tokens[i]
    if not token or token.kind ~= "name" then return end
    names[#names + 1] = token.text
    self:give(token.text)
    i = i + 1
    if self:is(i, "<") then i = i + 3 end
  until not self:is(i, ",")
  if not self:is(i, "=") then return end
  i = i + 1
  for _, name in ipairs(names) do
    local last
    if self:is(i, "assert") and self:is(i + 1, "(") then i = i + 2 end
    if self:is(i, "require") then
      local module
      module, _, last = self:text_argument(i + 1)
      self.classes[name] = module and help.class(module) and module
    elseif self.tokens[i] and self.classes[self.tokens[i].text] == "robotalk"
      and (self:is(i + 2, "connect") or self:is(i + 2, "try_connect")) then
      local robot
      robot, _, last = self:text_argument(i + 3)
      self.classes[name], self.robots[name] = "robotalk.Robot", robot
    end
    if not last then return end
    i = last + 1
    while self:is(i, ")") do i = i + 1 end
    if not self:is(i, ",") then return end
    i = i + 1
  end
end

function Script:read_names()
  for i, token in ipairs(self.tokens) do
    if token.text == "local" then
      self:read_local(i)
    elseif token.text == "function" or token.text == "for" then
      -- its name and parameters; the loop's variables
      local k = i + 1
      while self.tokens[k] and not (self:is(k, ")") or self:is(k, "in") or self:is(k, "=")) do
        if self.tokens[k].kind == "name" and not self:is(k - 1, ".") and not self:is(k - 1, ":") then
          self:give(self.tokens[k].text)
        end
        k = k + 1
      end
    elseif token.kind == "name" and self:is(i + 1, "=") then
      -- a field after a comma is taken for a name too
      local before = self.tokens[i - 1]
      if not (before and (". { ; > local for"):find(before.text, 1, true)) then self:give(token.text) end
    end
  end
end

-- Of which class a name is, when it is known.
function Script:class_of(name) return self.given[name] == 1 and self.classes[name] or nil end

-- ---- what is wrong ----

local bodies = {} -- by the names of robots: names of joints and frames, or what is wrong

-- The joints and control frames of a robot that a script names; or nil, message.
local function body_of(name)
  if not bodies[name] then
    local made, message = descriptor.open(name)
    local body = { joints = {}, frames = {}, message = not made and message or nil }
    for _, joint in ipairs(made and made.records.joint or {}) do
      if joint.dofs > 0 then table.insert(body.joints, joint.name) end
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

-- The joints or control frames that a call to a robot names first.
function Script:check_part(robot, method, i)
  local kind = method:find "^set_joint" and "joint" or method:find "^set_frame" and "frame"
  local part, token = self:text_argument(i)
  if not (kind and part and self.robots[robot]) or self.robots[robot]:find ":" then return end
  local body = body_of(self.robots[robot])
  local names = body and body[kind .. "s"]
  if names and not has(names, part) then
    self:add(token.line, "%s has no %s '%s'%s", self.robots[robot], kind == "joint" and kind or "control frame", part,
      meant(part, names))
  end
end

function Script:check_use(i, token)
  local class = self:class_of(token.text)
  local member = self.tokens[i + 2]
  if not class or not member or self:is(i - 1, ".") or self:is(i - 1, ":") then return end
  local dot, colon = self:is(i + 1, "."), self:is(i + 1, ":")
  if not colon and (not dot or class == "robotalk.Robot") then return end
  local names = names_of(class)
  -- what a script adds itself is there
  if not (has(names, member.text) or self.added[member.text] or is_old(class, member.text)) then
    self:add(member.line, "%s has no %s '%s'%s", token.text, dot and "function or field" or "method", member.text,
      meant(member.text, names))
  elseif class == "robotalk" and has({ "connect", "try_connect", "add_robot", "model" }, member.text) then
    local name, at = self:text_argument(i + 3)
    if name then self:check_robot(name, at.line) end
  elseif class == "robotalk.Robot" and colon then
    self:check_part(token.text, member.text, i + 3)
  end
end

-- The file of a module that another file requires, or true when it is none of the user's; nil: there is none.
local function find(module, file)
  if package.loaded[module] or package.preload[module] then return true end
  local path = module:gsub("%.", "/")
  if core.script(path .. ".lua") or core.script(path .. "/init.lua") then return true end
  return beside.find(file, path .. ".lua") or beside.find(file, path .. "/init.lua")
    or package.searchpath(module, package.path) or package.searchpath(module, package.cpath) and true or nil
end

local check

function Script:check_require(i)
  local module, token = self:text_argument(i + 1)
  if not module or self:is(i - 1, ".") then return end
  local file = find(module, self.path)
  if not file then
    local names = {}
    for _, name in ipairs(core.scripts()) do
      names[#names + 1] = name:match "^(robotalk/?%l*)%.lua$" and name:sub(1, -5):gsub("/init$", ""):gsub("/", ".")
    end
    self:add(token.line, "there is no module '%s'%s", module, meant(module, names))
  elseif file ~= true and not self.seen[file] then
    check(file, self.found, self.seen)
  end
end

---Checks the script at a path, and what it requires of the user's own; seen: files that were. What is wrong is added to
---a list of { file =, line =, message = }.
function check(path, found, seen)
  seen[path] = true
  local text, why = core.read_file(path, LARGEST)
  if not text then
    found[#found + 1] = { file = path, line = 1, message = why:gsub("^.-: ", "") }
    return
  end
  local fn, trouble = load(text:gsub("^#[^\n]*", ""), "@" .. path, "t")
  if not fn then
    local line, what = trouble:match ":(%d+): (.*)$"
    found[#found + 1] = { file = path, line = tonumber(line) or 1, message = what or trouble }
    return
  end
  local good, tokens = pcall(source.tokens, text)
  if not good then return end -- too long to be looked into
  local script = setmetatable({ path = path, tokens = tokens, found = found, seen = seen, classes = {}, robots = {},
    given = {}, added = {} }, Script)
  script:read_names()
  for i, token in ipairs(tokens) do
    if token.kind == "name" and script:is(i + 1, ".") and script:is(i + 3, "=") then
      script.added[tokens[i + 2].text] = true
    end
  end
  for i, token in ipairs(tokens) do
    if token.text == "require" then
      script:check_require(i)
    elseif token.kind == "name" then
      script:check_use(i, token)
    end
  end
end

return { check = check }
