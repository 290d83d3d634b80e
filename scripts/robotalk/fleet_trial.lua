-- The programs of `robotalk experiment fleet`: an operator, and a script within each server. Each prints its
-- observations, one JSON object a line, with the instant `at` of the machine's clock, which all processes share.
local core = require "robotalk.core"
local json = require "robotalk.json"
local rt = require "robotalk"

local trial = {}

local LOOK <const> = 0.05                       -- s between states of a robot at its server
local PERIOD <const>, SILENCE <const> = 0.2, 0.8 -- s between signs of life of a server; after which it is gone
local COMMAND <const>, ASK <const> = 0.05, 0.1  -- s between commands; between questions who holds a robot

---What a robot is, and how it is driven.
trial.SPEED, trial.ACCELERATION = { x = 0.5, theta = 1 }, { x = 1, theta = 3 }
local DRIVE <const> = { x = 0.3, theta = 0.5 }

local function say(what, fields)
  fields = fields or {}
  fields.what, fields.at = what, fields.at or core.uptime()
  print(json.encode(fields))
  io.stdout:flush()
end

-- ---- within a server ----

-- The greatest of a robot's accelerations and speeds between two states, as a share of what its body can.
local function share(a, b)
  local dt, most = b.time - a.time, 0
  for _, axis in ipairs { "x", "theta" } do
    most = math.max(most, math.abs(b.velocity[axis] - a.velocity[axis]) / dt / trial.ACCELERATION[axis])
  end
  return math.max(most, math.sqrt((b.x - a.x) ^ 2 + (b.y - a.y) ^ 2) / dt / trial.SPEED.x,
    math.abs(b.theta - a.theta) / dt / trial.SPEED.theta)
end

---Observes the robots of the server that runs this: panicked, reset, moves, rests (with the end of the lease of its
---driver), and once a second the greatest `share` of all.
function trial.watch(names)
  local most = 0
  for _, name in ipairs(names) do
    local robot, last = rt.connect(name), nil
    robot:on_notice(function(what)
      if what == "panicked" or what == "reset" then say(what, { robot = name }) end
    end)
    robot:broadcast(LOOK, function(state)
      local before = last or { moving = false }
      last = state
      -- in a panic it brakes as hard as it can
      if not (state.panic or before.panic) and state.time > (before.time or math.huge) then
        most = math.max(most, share(before, state))
      end
      if state.moving and not before.moving then say("moves", { robot = name, at = state.time }) end
      if before.moving and not state.moving then
        local ends
        for _, holder in ipairs(robot:holders() or {}) do
          ends = math.max(ends or 0, core.uptime() + holder.left)
        end
        say("rests", { robot = name, at = state.time, ends = ends })
      end
    end)
  end
  say "ready"
  while true do
    rt.sleep(1)
    say("most", { share = most })
    most = 0
  end
end

-- ---- a fleet ----
-- The functions of a fleet that an operator uses, over a connection to each server. On DDS it is rt.fleet's.

local Fleet = {}
Fleet.__index = Fleet

-- Finds the robots of a server, and loses them, for ever.
local function follow(self, url)
  local link = rt.try_connect(url, { token_file = self.token_file, reconnect = false, timeout = 1 })
  if not link then return rt.sleep(0.2) end
  local heard, names = core.now(), {}
  link:broadcast(PERIOD, function() heard = core.now() end)
  self.links[url] = link
  for index = 0, math.huge do
    local one = link.client:query(0, "robot", { index = index }, SILENCE)
    if not one then break end
    names[#names + 1] = one.name
    self.urls[one.name] = url:gsub("%?", "/" .. one.name .. "?")
    for _, fn in ipairs(self.joins) do fn(one.name) end
  end
  while core.now() - heard < SILENCE do rt.sleep(LOOK) end
  self.links[url] = nil
  for _, name in ipairs(names) do
    self.urls[name] = nil
    for _, fn in ipairs(self.leaves) do fn(name) end
  end
  rt.spawn(link.close, link)
end

local function open(urls, token_file)
  local self = setmetatable({ urls = {}, links = {}, joins = {}, leaves = {}, token_file = token_file }, Fleet)
  for _, url in ipairs(urls) do
    rt.spawn("follow " .. url, function() while true do follow(self, url) end end)
  end
  return self
end

function Fleet:on_join(fn) table.insert(self.joins, fn) end
function Fleet:on_leave(fn) table.insert(self.leaves, fn) end
function Fleet:names() return self.urls end

---A robot that is known, as rt.connect returns it.
function Fleet:robot(name) return rt.connect(self.urls[name], { token_file = self.token_file, timeout = 60 }) end

function Fleet:panic()
  for _, link in pairs(self.links) do link.client.link:flag(0, "panic") end
end

-- ---- an operator ----

local function drive(robot, name)
  local works
  while true do
    local begin = core.now()
    local word, why, result = robot:set_speed(DRIVE)
    local refused = not rt.ok(word) and (word or tostring(result)) or false
    if refused ~= works then say(refused and "refused" or "drives", { robot = name, why = refused and why or nil }) end
    works = refused
    rt.sleep(math.max(0, begin + COMMAND - core.now()))
  end
end

-- Asks for the robot when its driver's lease has ended, and drives it then. After a panic nobody has a lease, and the
-- driver goes first.
local function stand_by(robot, name)
  local held, vacant = false, 0
  while vacant < 2 or not robot:take() do
    local holders, state = robot:holders(), robot:state()
    held = held or holders and holders[1] ~= nil
    vacant = held and holders and not holders[1] and state and not state.panic and vacant + 1 or 0
    rt.sleep(ASK)
  end
  say("has", { robot = name })
  drive(robot, name)
end

---options: urls of servers; token_file; drives, standby: sets of names; orders, a file to which orders are added, a
---line each: panic, reset.
function trial.operate(options)
  local fleet = open(options.urls, options.token_file)
  local begun, orders = {}, {}
  fleet:on_join(function(name)
    say("join", { robot = name })
    local act = options.drives[name] and drive or options.standby[name] and stand_by
    if not act or begun[name] then return end
    begun[name] = true
    rt.spawn(name, function() act(fleet:robot(name), name) end)
  end)
  fleet:on_leave(function(name) say("leave", { robot = name }) end)
  function orders.panic()
    say "panic"
    fleet:panic()
  end
  function orders.reset()
    for name in pairs(fleet:names()) do
      rt.spawn(function()
        local robot <close> = fleet:robot(name)
        robot:reset()
      end)
    end
  end
  local done = 0
  while true do
    rt.sleep(0.02)
    local file <close> = io.open(options.orders)
    if file then
      file:seek("set", done)
      for order in file:lines() do
        done = file:seek()
        orders[order]()
      end
    end
  end
end

return trial
