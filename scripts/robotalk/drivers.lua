-- Drivers in Lua: finds the script of a device that needs one, opens it, and runs a task for each command
-- (spec/drivers.md, section 5).
local beside = require "robotalk.robot.beside"
local check = require "robotalk.descriptor.check"
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"
local ports = require "robotalk.task.ports"
local readings = require "robotalk.session.readings"
local source = require "robotalk.descriptor.source"
local task = require "robotalk.task"
local trace = require "robotalk.mistakes.trace"

local drivers = {}
local SCRIPT = { "script", "text", max = 1023 }
local HALTED_MOST = 2 -- s that a driver's halted, or its reset, may take
local COMPUTES_MOST = 1 -- s of processor time that a task of a driver may take between two waits

local running = {} -- handle -> device
local leaving      -- the halt of a device that is being closed, while its driver is called outside of all tasks

task.handle("device", function(handle) task.wake("device" .. handle) end)

-- The author of bytes to a device: the number of the command, or of the halt, whose task runs.
core.on_device_write(function()
  local t = task.self()
  return leaving or t and t.job
end)

local lost = setmetatable({}, { __mode = "k" }) -- port -> true: it has no more input

---Reads from a port of core.serial or core.pty, waiting: bytes; or nil, message, code. A device that sends without a
---pause does not keep other tasks from running.
function drivers.read(port, timeout)
  local bytes, message, code = ports.read(port, timeout and core.now() + timeout)
  if bytes == false then return nil, "nothing has come in time", "ETIMEOUT" end
  lost[port] = bytes == nil or nil
  return bytes, message, code
end

local FUNCTIONS = { "open", "start", "halted", "reset", "close" }

-- The table of a driver's file with its present functions; false: there is none.
local function functions_of(driver)
  if type(driver) ~= "table" then error(("expected a table of functions, got %s"):format(type(driver)), 0) end
  local made = {}
  for _, name in ipairs(FUNCTIONS) do
    local fn = driver[name]
    if fn ~= nil and type(fn) ~= "function" then
      error(("%s: expected a function, got %s"):format(name, type(fn)), 0)
    end
    made[name] = fn or false
  end
  for _, name in ipairs { "open", "start" } do
    if not made[name] then error(("%s: expected a function, got nothing"):format(name), 0) end
  end
  return setmetatable(made, { __index = driver })
end

-- The function of a driver's script, a bundled one or a file; nil, message.
local function load_script(name)
  local text, chunk = core.script("drivers/" .. name .. ".lua"), "@drivers/" .. name .. ".lua"
  if not text then
    local why
    text, why = core.read_file(name, 1 << 20)
    if not text then return nil, ("there is no driver '%s': %s"):format(name, why) end
    chunk = "@" .. name
  end
  return load(text, chunk, "t")
end
drivers.load = load_script

---The errors in the options of a device for its driver in Lua, which is not run: its rows are read from its text,
---if they are constants. A list of { path =, message = }.
function drivers.wrong_options(device)
  local name, report = device.options.script, check.report()
  local text = core.script("drivers/" .. name .. ".lua") or core.read_file(name, 1 << 20)
  local rows = source.field(text or "", "options")
  if rows then
    pcall(check.fields, device.options, { SCRIPT, table.unpack(rows) }, "drivers." .. device.entry, report)
  end
  return report
end

-- The functions of a driver's script; nil, message.
local function open_script(name)
  local fn, message = load_script(name)
  if not fn then return nil, message end
  local good, driver = pcall(function() return functions_of(beside.run(name, fn)) end)
  if not good then return nil, ("driver %s: %s"):format(name, task.text_of(driver, COMPUTES_MOST)) end
  return driver
end


-- The options of a device for its driver, by the rows of the driver's `options`; all of them if it has no rows. nil,
-- message when one of them is wrong.
local function options_of(driver, device)
  if not driver.options then return device.options end
  local report = check.report()
  local good, options = pcall(function()
    return check.fields(device.options, { SCRIPT, table.unpack(driver.options) }, "", report)
  end)
  local message = report[1] and ("%s: %s"):format(report[1].path, report[1].message)
    or not good and "options: " .. task.text_of(options, COMPUTES_MOST)
  if message then return nil, ("driver %s: %s"):format(device.options.script, message) end
  return options
end

-- The driver of a device that needs a script, and its options; nil, message.
local function driver_of(device)
  local driver, options, message
  driver, message = open_script(device.options.script or "?")
  if not driver then return nil, message end
  options, message = options_of(driver, device)
  if not options then return nil, message end
  return driver, options
end

local Device = {}

---Publishes the dofs' numbers: { position = { … }, speed = { … }, force = { … } } in the order of the device's dofs. A
---force in N or N*m is false when it is not known, as all are that were never reported.
function Device:report(numbers) core.device_report(self.handle, numbers) end

---A reading of a sensor of this device, by its name: a number, a list of them, or values by name; true and false for
---switches, nil for unknown values. time: of the measurement, in seconds of now() (now).
function Device:sensed(name, given, time)
  local sensor = self.sensors[name]
  if not sensor then mistake("sensed: driver %s has no sensor %s", self.config.script or "", tostring(name)) end
  if time ~= nil and type(time) ~= "number" then mistake("sensed: want the time in seconds, got %s", type(time)) end
  core.device_sensed(self.handle, sensor.number, readings.values(sensor, given), time)
end

local function camera_of(self, name, caller)
  return self.cameras[name] or mistake("%s: driver %s has no camera %s", caller, self.config.script or "",
    tostring(name))
end

local PICTURE = { format = true, width = true, height = true, time = true }

---A picture of a camera of this device, by its name: its bytes, a JPEG; or with the option format pixels row by row
---from the top, "rgb", "gray" or "yuyv", of width and height (as described). time: when it was taken, in seconds of
---now() (now). true; or nil, message, code: then it is left out.
function Device:pictured(name, bytes, options)
  local camera = camera_of(self, name, "pictured")
  options = checked.options(options, PICTURE, "pictured")
  if type(bytes) ~= "string" then mistake("pictured: want the bytes of a picture, got %s", type(bytes)) end
  local format, time = options.format or "jpeg", options.time
  if not (format == "jpeg" or format == "rgb" or format == "gray" or format == "yuyv") then
    mistake("pictured: format: want jpeg, rgb, gray or yuyv, got %s", tostring(format))
  end
  for _, key in ipairs { "width", "height" } do
    local n = options[key] or camera[key]
    if not (math.type(n) == "integer" and n >= (format == "jpeg" and 0 or 1) and n <= 65535) then
      mistake("pictured: %s: want pixels, 1 to 65535, got %s", key, tostring(n))
    end
  end
  if time ~= nil and type(time) ~= "number" then mistake("pictured: want the time in seconds, got %s", type(time)) end
  return core.device_pictured(self.handle, camera.number, bytes, format, options.width or camera.width,
    options.height or camera.height, time)
end

---Whether a client watches that camera, or has until 2 s ago: otherwise its pictures need not be taken.
function Device:looked(name) return core.device_looked(self.handle, camera_of(self, name, "looked").number) end

---That camera has no picture now; the one before is not shown any more. Clients wait for the next one; if the camera
---has failed, they get an error until then.
function Device:no_picture(name, failed)
  core.device_no_picture(self.handle, camera_of(self, name, "no_picture").number, failed)
end

---The device is lost: its running commands are answered ERROR, device (or "link"), and end.
function Device:fault(reason) core.device_fault(self.handle, reason) end

local function complain(device, level, form, ...)
  core.log(("robotalk: %s: %s: driver %s: %s\n"):format(level, device.robot, device.config.script,
    form:format(...)))
end

-- A command ends when it was answered and no task works on it any more.
local function settle(device, number)
  local command = device.commands[number]
  if command and command.answered and not next(command.tasks) then
    device.commands[number] = nil
    core.device_end(device.handle, number)
  end
end

local function answer(device, number, signal, reason)
  local command = device.commands[number]
  if not command then return end -- it has ended
  core.device_done(device.handle, number, signal, reason)
  command.answered = true
  settle(device, number)
end

-- A task of the device. It belongs to the command or halt with that number, otherwise to that of the starting task,
-- otherwise to the device itself. A command whose task fails is answered ERROR.
local function go(device, name, fn, number)
  number = number or task.self() and task.self().job
  local command = device.commands[number]
  local tasks, ended, t = command and command.tasks or device.tasks, false, nil
  t = task.spawn(function()
    local _ <close> = setmetatable({}, { __close = function()
      tasks[t] = nil
      if command and not ended then answer(device, number, "error", "device") end
      settle(device, number)
    end })
    fn()
    ended = true
  end)
  t.name, t.background, t.job = ("driver %s: %s"):format(device.config.script, name), true, number
  task.allow(t, COMPUTES_MOST)
  tasks[t] = true
  return t
end

---A task of the command whose task calls this, which ends with it; elsewhere one of the device's own, which ends with
---the robot.
function Device:spawn(name, fn) return go(self, name, fn) end

local function begin(device, driver, number, cmd)
  device.commands[number] = { tasks = {} }
  go(device, cmd.op, function()
    if not core.device_begin(device.handle, number) then return end -- the command has ended, or came too late
    task.wake("device" .. device.handle) -- commands after a stop have waited for it
    if lost[device.behind] then return answer(device, number, "error", "link") end
    driver.start(device, cmd, function(signal, reason) answer(device, number, signal, reason) end)
  end, number)
end

local function give_up(device, number)
  local command = device.commands[number]
  device.commands[number] = nil
  for t in pairs(command and command.tasks or {}) do t:cancel() end
end

-- Calls a function of the driver that it may lack, and waits for it. number: of the halt, if it is of one.
local function tell(device, driver, name, number, ...)
  local fn, given = driver[name], table.pack(...)
  if not fn then return end
  local t = go(device, name, function() fn(device, table.unpack(given)) end, number)
  local ok, message, code = t:wait(HALTED_MOST)
  if ok then return end
  t:cancel()
  complain(device, "error", "%s: %s", name, code == "ETIMEOUT" and "it took too long" or message)
end

-- The device was halted: "panic"; "stop", one that no task has begun in time. Its commands have ended already.
local function hear_halt(device, driver, number, why)
  tell(device, driver, "halted", number, why)
  core.device_heard(device.handle, number)
end

-- Opens the device and returns its driver; if that fails, one that answers each command ERROR, device.
local function open(device, driver)
  local done, message
  local ok, why = go(device, "open", function()
    local opened
    opened, message = driver.open(device, device.config)
    if not opened then return end
    if type(opened) ~= "table" then error(("open: expected a table or nil, got %s"):format(type(opened)), 0) end
    if not (opened.port and opened.halt) and not driver.halted then
      complain(device, "warning", "it has neither halt bytes nor halted: a panic ends its commands, no more")
    end
    done = true
    if opened.sign then core.device_sign(device.handle, opened.sign) end
    if opened.port then
      done, message = core.device_port(device.handle, opened.port, opened.halt or "")
      device.behind = opened.port
    end
  end):wait()
  if ok and done then return driver end
  complain(device, "error", "%s", task.text_of(ok and message or why, COMPUTES_MOST))
  return { start = function(_, _, answered) answered("error", "device") end }
end

local function work(device, driver)
  driver = open(device, driver)
  while true do
    local what, number, more = core.device_next(device.handle)
    if what == "start" then
      begin(device, driver, number, more)
    elseif what == "over" then
      give_up(device, number)
    elseif what == "halt" then
      hear_halt(device, driver, number, more)
    elseif what == "reset" then
      tell(device, driver, "reset")
    else
      task.wait("device" .. device.handle)
    end
  end
end

---Whether the driver scripts that a description names can be loaded: true; or nil, message.
function drivers.check(flat)
  for _, device in ipairs(flat.device) do
    if device.driver == "lua" then
      local driver, message = driver_of(device)
      if not driver then return nil, message end
    end
  end
  return true
end

---Takes over the devices of robots that were just added: true; or nil, message.
function drivers.claim()
  for _, d in ipairs(core.devices()) do
    local driver, config = driver_of(d)
    if not driver then return nil, config end
    local device = setmetatable({ handle = d.handle, number = d.number, robot = d.robot, sensors = d.sensors,
      cameras = d.cameras, config = config, tasks = {}, commands = {} },
      { __index = function(_, key) return Device[key] or driver[key] end })
    running[d.handle] = { device = device, driver = driver }
    core.device_takes(d.handle, driver.parts, driver.bounds, driver.frames ~= false)
    go(device, "work", function() work(device, driver) end)
  end
  return true
end

-- Calls a function of a driver that is being closed: it may not wait, and its failure does not keep other drivers from
-- being closed.
local function call_last(device, name, fn, ...)
  if not fn then return end
  local co = coroutine.create(fn)
  local ok, message = core.resume(co, COMPUTES_MOST, device, ...)
  if not ok then
    complain(device, "error", "%s: %s", name, trace(debug.traceback(co, task.text_of(message, COMPUTES_MOST))))
  end
  core.unwind(co)
end

-- A panic and a reset just before the robot is removed are handled, too: a device that is a remote robot would miss
-- the panic, and a device that stayed in panic could not be opened again.
local function hear_last(device, driver)
  while true do
    local there, what, number, why = pcall(core.device_next, device.handle)
    if there and what == "halt" and why == "panic" then
      leaving = number
      call_last(device, "halted", driver.halted, why)
      core.device_heard(device.handle, number)
    elseif there and what == "reset" then
      call_last(device, "reset", driver.reset)
    elseif not there or what ~= "over" then
      return
    end
  end
end

---Before a robot is removed: halts its devices, ends their tasks, closes their drivers. why: "removed", "changed" or
---"shutdown".
function drivers.release(robot, why)
  local going, before = {}, leaving
  for _, r in pairs(running) do
    if r.device.robot == robot then going[#going + 1] = r end
  end
  table.sort(going, function(a, b) return a.device.handle < b.device.handle end)
  for _, r in ipairs(going) do
    local device, driver = r.device, r.driver
    if running[device.handle] == r then -- a driver's close may remove robots, too
      running[device.handle] = nil
      hear_last(device, driver)
      leaving = core.device_close(device.handle)
      for number in pairs(device.commands) do give_up(device, number) end
      for t in pairs(device.tasks) do t:cancel() end
      if leaving then call_last(device, "halted", driver.halted, why) end
      call_last(device, "close", driver.close)
    end
  end
  leaving = before
end

---Removes a robot from this process, its drivers first.
function drivers.remove(robot)
  drivers.release(robot, "removed")
  core.remove_robot(robot)
end

---Before the program ends: releases them all.
function drivers.shut_down()
  local robots = {}
  for _, r in pairs(running) do robots[r.device.robot] = true end
  for robot in pairs(robots) do drivers.release(robot, "shutdown") end
end

return drivers
