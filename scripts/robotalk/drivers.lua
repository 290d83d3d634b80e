-- Drivers in Lua: finds the script of a device that wants one, opens it, and runs a task for each command
-- (spec/drivers.md, section 4).
local core = require "robotalk.core"
local task = require "robotalk.task"

local drivers = {}
local running = {} -- handle -> { robot =, tasks =, driver = }

task.handle("device", function(handle) task.wake("device" .. handle) end)
task.handle("readable", function(handle) task.wake("readable" .. handle) end)

---Reads from a port of core.serial or core.pty, waiting: bytes; or nil, message, code.
function drivers.read(port, timeout)
  local until_ = timeout and core.now() + timeout
  while true do
    local bytes, message, code = port:read()
    if bytes ~= false then return bytes, message, code end
    local left = until_ and until_ - core.now()
    if left and left <= 0 then return nil, "nothing has come in time", "ETIMEOUT" end
    task.wait("readable" .. port:handle(), left)
  end
end

local function load_script(name)
  local text, chunk = core.script("drivers/" .. name .. ".lua"), "@drivers/" .. name .. ".lua"
  if not text then
    local file, why = io.open(name, "rb")
    if not file then return nil, ("there is no driver '%s': %s"):format(name, why) end
    text, chunk = file:read("a"), "@" .. name
    file:close()
  end
  local fn, message = load(text, chunk, "t")
  if not fn then return nil, message end
  return fn()
end

local Device = {}

---Publishes the dofs' numbers: { position = { … }, speed = { … } } in the order of the device's dofs.
function Device:report(numbers) core.device_report(self.handle, numbers) end

---The device is lost: what it runs is answered ERROR, device (or "link").
function Device:fault(reason) core.device_fault(self.handle, reason) end

-- A task of the device's own; it ends with the robot.
local function go(device, name, fn)
  local t = task.spawn(fn)
  t.name, t.background = ("driver %s: %s"):format(device.config.script, name), true
  device.tasks[t] = true
  return t
end
Device.spawn = go

local function work(device, driver)
  local opened, message = driver.open(device, device.config)
  if not opened then
    core.say("err", ("robotalk: error: %s: driver %s: %s\n"):format(device.robot, device.config.script, message))
    while true do -- every command is told so
      local cmd = core.device_next(device.handle)
      if cmd then
        core.device_done(device.handle, cmd.ticket, "error", "device")
      else
        task.wait("device" .. device.handle)
      end
    end
  end
  if opened.halt then core.device_halt(device.handle, opened.halt, opened.port:fd()) end
  while true do
    local cmd = core.device_next(device.handle)
    if cmd then
      local t
      t = go(device, cmd.op, function()
        driver.start(device, cmd, function(signal, reason)
          core.device_done(device.handle, cmd.ticket, signal, reason)
        end)
        device.tasks[t] = nil
      end)
    else
      task.wait("device" .. device.handle)
    end
  end
end

---Whether the scripts that a description names for its drivers load: true; or nil, message.
function drivers.check(flat)
  for _, device in ipairs(flat.device) do
    if device.driver == "lua" then
      local driver, message = load_script(device.options:match("script=([^,]*)") or "?")
      if not driver then return nil, message end
    end
  end
  return true
end

---Takes over the devices of robots that were just added: true; or nil, message.
function drivers.claim()
  for _, d in ipairs(core.devices()) do
    local config = {}
    for name, value in d.options:gmatch("([^,=]+)=([^,]*)") do config[name] = tonumber(value) or value end
    local driver, message = load_script(config.script or "?")
    if not driver then return nil, message end
    local device = setmetatable({ handle = d.handle, robot = d.robot, config = config, tasks = {} },
      { __index = function(_, key) return Device[key] or driver[key] end })
    running[d.handle] = { robot = d.robot, device = device, driver = driver }
    go(device, "open", function() work(device, driver) end)
  end
  return true
end

---Before a robot goes: ends its drivers' tasks and lets them close.
function drivers.release(robot)
  for handle, r in pairs(running) do
    if r.robot == robot then
      running[handle] = nil
      for t in pairs(r.device.tasks) do t:cancel() end
      if r.driver.close then r.driver.close(r.device) end
    end
  end
end

return drivers
