-- A robot that a driver of the test moves, and ways to look at what reaches that driver.
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local task = require "robotalk.task"

-- Fields of a driver whose commands run until they are cancelled. It writes down what happens, a word each, and counts
-- the steps of a loop that a command has begun.
local function recorder()
  local heard = { steps = 0 }
  return {
    open = function() return {} end,
    start = function(_, cmd, done)
      heard[#heard + 1] = cmd.op
      if cmd.op == "stop" then return done "success" end
      local _ <close> = setmetatable({}, { __close = function() heard[#heard + 1] = cmd.op .. " ends" end })
      while true do
        rt.sleep(0.01)
        heard.steps = heard.steps + 1
      end
    end,
    halted = function(_, why) heard[#heard + 1] = "halted: " .. why end,
    close = function() heard[#heard + 1] = "close" end,
  }, heard
end

-- fn(robot, log, descriptor) with a robot that this driver moves: a base, and a head with two dofs. log: what was said.
-- patience: in real time, seconds of silence or lateness that are no reason to stop it or to refuse a command.
local function with(driver, fn, config, patience)
  local path, say, on_failure, log = os.tmpname(), core.log, task.on_failure, {}
  local file = assert(io.open(path, "w"))
  file:write "return DRIVER_OF_TEST"
  file:close()
  rawset(_G, "DRIVER_OF_TEST", driver)
  core.log = function(text) log[#log + 1] = text end
  task.on_failure = function(_, message) log[#log + 1] = message end
  local _ <close> = setmetatable({}, { __close = function()
    core.log, task.on_failure = say, on_failure
    rawset(_G, "DRIVER_OF_TEST", nil)
    os.remove(path)
  end })
  local device = { script = path }
  for key, value in pairs(config or {}) do device[key] = value end
  local descriptor = { name = "thing", deadman = patience, base = { driver = "all", speed = { x = 1, theta = 1 } },
    joints = { { name = "head", driver = "all", servo = { "setpoint", "speed" },
      dofs = { { name = "pan" }, { name = "tilt" } } } },
    drivers = { all = device } }
  assert(rt.add_robot(descriptor))
  local options = { reconnect = false }
  if patience then options.expiry = false end
  local robot = rt.connect("local:thing", options)
  rt.sleep(0.01) -- the driver opens
  fn(robot, log, descriptor)
  robot:close()
  if core.robots()[1] then drivers.remove "thing" end
  rt.sleep(0.01) -- its tasks end
end

-- Calls fn(...) as a task: a function that waits for what it returns, and the task.
local function begin(fn, ...)
  local t = rt.spawn(fn, ...)
  rt.sleep(0.1)
  return function() return select(2, t:wait(300)) end, t
end

-- For a second nothing that a command began goes on.
local function rests(heard)
  local steps = heard.steps
  rt.sleep(1)
  assert(steps == heard.steps, "it goes on")
end

local function words(heard) return table.concat(heard, ", ") end

return { recorder = recorder, with = with, begin = begin, rests = rests, words = words }
