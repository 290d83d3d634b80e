-- The programs of `robotalk experiment fleet`: an operator, and a script within each server. Each prints its
-- observations, one JSON object a line, with the instant `at` of the machine's clock, which all processes share.
local core = require "robotalk.core"
local json = require "robotalk.json"
local rt = require "robotalk"

local trial = {}

local LOOK <const> = 0.05    -- s between states of a robot at its server
local COMMAND <const> = 0.05 -- s between commands

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

---Observes the robots of the server that runs this: panicked, reset, moves, rests, free (nobody has a lease of it any
---more), and once a second the greatest `share` of all.
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
        say("rests", { robot = name, at = state.time })
        rt.spawn(function()
          while (robot:holders() or {})[1] do rt.sleep(LOOK) end
          say("free", { robot = name })
        end)
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

-- Waits until the robot is driven, and until nobody has its lease, asks for it, and drives it then.
local function stand_by(fleet, e)
  while not e.leases[1] do rt.sleep(2 * COMMAND) end
  local robot = assert(fleet:stand_by(e))
  say("has", { robot = e.name })
  drive(robot, e.name)
end

---options: url of the domain; drives, standby: sets of names; orders, a file to which orders are added, a line each:
---panic, reset.
function trial.operate(options)
  local fleet <close> = assert(rt.fleet(options.url))
  local begun, orders = {}, {}
  fleet:on_join(function(e)
    say("join", { robot = e.name })
    if begun[e.name] then return end
    begun[e.name] = true
    if options.drives[e.name] then drive(assert(fleet:connect(e, { timeout = 20 })), e.name) end
    if options.standby[e.name] then stand_by(fleet, e) end
  end)
  fleet:on_leave(function(e) say("leave", { robot = e.name }) end)
  function orders.panic()
    say "panic"
    say("latched", { all = fleet:panic() })
  end
  function orders.reset() say("over", { all = fleet:reset() }) end
  local done = 0
  while true do
    rt.sleep(0.02)
    local file <close> = io.open(options.orders)
    if file then
      file:seek("set", done)
      for order in file:lines() do
        done = file:seek()
        rt.spawn(orders[order])
      end
    end
  end
end

return trial
