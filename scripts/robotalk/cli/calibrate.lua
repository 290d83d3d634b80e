-- The verb calibrate: where the joints of a robot's servos are at 0, and their limits, as they are moved by hand, in a
-- file beside the descriptor.
local calibration = require "robotalk.servos_calibration"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local script = require "robotalk.cli.script"
local servos = require "robotalk.servos"

local FRAME <const> = 0.02 -- s between two readings, besides what they take
local MISSED <const> = 50  -- readings one after the other without an answer: the servo is lost
local ENDS <const> = { ["ctrl-c"] = true, ["ctrl-d"] = true, q = true, escape = true }
local ROW <const> = "%-20s %4s  %8s  %8s  %8s"

-- Reads all joints again and again, until Enter.
local function follow(screen, port, joints, text)
  while true do
    local lines = { text, "", ROW:format("joint", "id", "least", "now", "most") }
    for _, joint in ipairs(joints) do
      local ticks, why = port:read(joint.servo, "position")
      joint.missed = ticks and 0 or (joint.missed or 0) + 1
      if joint.missed > MISSED then script.fail(("%s: %s"):format(joint.name, why)) end
      if ticks then calibration.take(joint, ticks) end
      lines[#lines + 1] = ROW:format(joint.name, joint.id, joint.least or "-", joint.now or "-", joint.most or "-")
    end
    lines[#lines + 1] = ""
    lines[#lines + 1] = "Enter goes on; Q ends, and writes nothing."
    screen:show(lines)
    for _, event in ipairs(screen:next(core.now() + FRAME)) do
      if event.gone or ENDS[event.key] and event.kind ~= "release" then script.fail "ended; nothing was written" end
      if event.key == "enter" and event.kind == "press" then return end
    end
  end
end

-- The servo of each joint, on its device's port.
local function find(port, joints)
  local ids, by_id = {}, {}
  for i, joint in ipairs(joints) do ids[i] = joint.id end
  local list, why = port:choose(ids, function() end)
  if not list then script.fail(why) end
  for _, one in ipairs(list) do by_id[one.id] = one end
  for _, joint in ipairs(joints) do
    joint.servo = by_id[joint.id]
    if joint.servo.model.name ~= joint.model.name then
      script.fail(("%s: servo %d is an %s, and the descriptor has %s"):format(joint.name, joint.id,
        joint.servo.model.name, joint.model.name))
    end
  end
end

local function by_hand(bus, title)
  local joints, options = bus.joints, bus.device.options
  if options.port == "simulated" then script.fail(title .. "its servos are simulated: they need no calibration") end
  local port <close>, why = servos.open(options.port, nil, options.baud or 1000000)
  if not port then script.fail(why) end
  find(port, joints)
  local screen <close>, none = require "robotalk.screen".open()
  if not screen then script.fail(none) end
  follow(screen, port, joints, title .. "Hold the robot: with Enter its servos lose their torque.")
  for _, joint in ipairs(joints) do
    local ok, refused = port:release(joint.servo)
    if not ok then script.fail(refused) end
  end
  follow(screen, port, joints, title .. "Move each joint to the middle of its range, then press Enter.")
  for _, joint in ipairs(joints) do
    joint.middle, joint.least, joint.most, joint.crossed = joint.now, joint.now, joint.now, nil
  end
  follow(screen, port, joints, title .. "Move all joints through their whole ranges, then press Enter.")
end

local function from_file(joints, path)
  local text, why = core.read_file(path, 1 << 20)
  if not text then script.fail(why) end
  local ok, wrong = calibration.from_lerobot(joints, text)
  if not ok then script.fail(("%s: %s"):format(path, wrong)) end
end

-- The buses of a robot that have joints with ranges.
local function buses_of(path)
  local made, why = descriptor.open(path, { uncalibrated = true })
  if not made then script.fail(why) end
  local models, list = {}, {}
  for _, model in pairs(core.servo_models()) do models[model.name] = model end
  for _, bus in ipairs(calibration.buses(made, models)) do
    if bus.wheels[1] then
      core.say("out", ("drivers.%s: %s: without a range, as wheels are: nothing to calibrate\n"):format(
        bus.device.entry, table.concat(bus.wheels, ", ")))
    end
    if bus.joints[1] then list[#list + 1] = bus end
  end
  if not list[1] then script.fail(path .. ": no joint of it takes set-points by the driver servos") end
  return list
end

-- All buses, one after the other; then all files are written.
local function calibrate(path, from)
  local buses = buses_of(path)
  local several = #buses > 1
  if from and several then script.fail(path .. ": it has several buses, and a file of LeRobot is that of one") end
  for _, bus in ipairs(buses) do
    if from then from_file(bus.joints, from)
    else by_hand(bus, several and ("drivers.%s: "):format(bus.device.entry) or "") end
    local text, refused = calibration.text(bus.joints, ("-- Where the servos of %s are at 0, and their limits: "
      .. "robotalk calibrate%s"):format(path:match "[^/]*$", from and " --from " .. from:match "[^/]*$" or ""))
    if not text then script.fail(from and refused:gsub("%f[^\n\0]", from .. ": ") or refused) end
    bus.text = text
  end
  for _, bus in ipairs(buses) do
    local entry, count = bus.device.entry, #bus.joints
    local file = ("%s%s.calibration.lua"):format((path:gsub("%.%w+$", "")), several and "." .. entry or "")
    local ok, trouble = core.write_file(file, bus.text)
    if not ok then script.fail(trouble) end
    core.say("out", ("%s: %d joint%s. drivers.%s of %s reads it with\n  calibration = %q\n"):format(file, count,
      count == 1 and "" or "s", entry, path, file:match "[^/]*$"))
  end
end

return {
  usage = "ROBOT.lua [--from LEROBOT.json]",
  details = "For a robot whose joints have the driver servos. Its servos lose their torque; then its joints are\n"
    .. "moved to the middle of their ranges, and through them. ROBOT.calibration.lua has zero, sign and limits of\n"
    .. "each, which the driver's entry reads by its option calibration. The middle of a range is that of the\n"
    .. "described limits. Several buses are calibrated one after the other; wheels have no range. Refused are a\n"
    .. "range of nothing, a joint that was not moved, a servo that does not answer. No EEPROM is written.",
  options = {
    { "from", "FILE", "takes the ranges of a calibration of LeRobot instead, without the servos" },
  },
  example = "robotalk calibrate my_so101.lua",
  exits = "0 the file is written, 1 refused or failed, 2 wrong usage or no terminal",
  main = function(args)
    if #args ~= 1 or not args[1]:find "%.lua$" then
      script.complain "calibrate: want the file of one robot, in Lua"
      return 2
    end
    if not args.from and not (core.is_terminal(0) and core.is_terminal(1)) then
      script.complain "calibrate: this is no terminal; --from reads a file of LeRobot without one"
      return 2
    end
    if not script.open {} then return 1 end
    local ok, message = script.main(function() calibrate(args[1], args.from) end)
    if not ok then script.complain(message) end
    return ok and 0 or 1
  end,
}
