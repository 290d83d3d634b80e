-- Getting up of a dog on four legs after a fall: a sequence of postures that depends on the attitude of its
-- body. From its back it throws itself onto a side. On its side it turns the legs below it to its back, presses
-- them on the floor and so rolls over them; then it draws all legs in, and stands up. Legs are those of Tekkotsu's ERS
-- robots, angles in degrees.
local core = require "robotalk.core"
local task = require "robotalk.task"

local rise = {}

local UP = math.cos(math.rad(30))   -- of the body's z axis, when it is upright
local LIES = math.cos(math.rad(60))
local ON_BACK = math.cos(math.rad(130))
local ATTEMPTS = 4
local STILL = 0.6                   -- s for which it has to be upright

-- Rotor, elevator, knee.
local ASIDE, PRESS = { 110, -5, 0 }, { 110, 80, 0 }
local DRAWN, SPREAD, CROUCH = { 0, -10, 60 }, { 0, 60, 0 }, { -60, 10, 110 }

-- Of the side that pushes, before its rotors turn outwards until the feet meet the floor; and of the other one.
local READY, AWAY = { 0, -10, 40 }, { 0, 10, 0 }

-- cos of the angle between its z axis and up; and the side on which it lies.
local function lean(robot)
  local state = robot:state()
  if not state then return nil end
  local roll, pitch = state.attitude[1], state.attitude[2]
  return math.cos(roll) * math.cos(pitch), roll < 0 and "l" or "r"
end

-- Both legs of a side, for move_joints.
local function add(list, side, posture, speed)
  for _, leg in ipairs { "Fr", "Bk" } do
    for i, part in ipairs { "Rotor", "Elevator", "Knee" } do
      list[#list + 1] = { side .. leg .. part, posture[i], speed = speed }
    end
  end
end

-- Notices, caused by any client or by the robot, after which it stays as it lies.
local ENDS <const> = { stopped = "the robot was stopped", deadman = "a client was not heard: the robot was stopped",
  panicked = "the robot was in panic", changed = "the robot was described anew" }

-- Watches for an end of getting up, from now until it is closed: call it for the signal and why, nil: none yet.
local function listen(robot)
  local listeners, stops, word, why = robot.client.listeners, robot.stops, nil, nil
  local function hear(what, session)
    if session ~= robot.number or not ENDS[what] or word == "PANIC" then return end
    word, why = what == "panicked" and "PANIC" or "INTERRUPTED", ENDS[what]
  end
  table.insert(listeners, hear)
  return setmetatable({}, {
    __call = function()
      if not word and robot.stops ~= stops then word, why = "INTERRUPTED", ENDS.stopped end
      return word, why
    end,
    __close = function()
      for i, one in ipairs(listeners) do
        if one == hear then return table.remove(listeners, i) end
      end
    end,
  })
end

-- A posture of each side, as far as the floor lets it.
local function take(dog, ended, side, below, above, speed)
  local list = {}
  add(list, side, below, speed)
  add(list, side == "l" and "r" or "l", above, speed)
  local word, why = dog:move_joints(list)
  task.sleep(0.2)
  if ended() then return false, ended() end
  return word ~= "PANIC" and word ~= "NA", word, why
end

local function roll_over(dog, ended, side)
  for _, pair in ipairs { { ASIDE, DRAWN }, { PRESS, DRAWN }, { PRESS, SPREAD } } do
    local goes, word, why = take(dog, ended, side, pair[1], pair[2], 80)
    if not goes then return false, word, why end
  end
  return true
end

-- From its back onto its side: the legs of the other side push it over, and the head, which lay flat until then, draws
-- it down.
local function throw_over(dog, ended, side)
  local other = side == "l" and "r" or "l"
  local ready = { { "neckTilt1", -40 }, { "neckTilt2", -15 } }
  add(ready, side, READY)
  add(ready, other, AWAY)
  local push = { { side .. "FrRotor", 130 }, { side .. "BkRotor", 115 } }
  local drawn = { { other .. "FrElevator", -10 }, { other .. "BkElevator", -10 }, { "neckTilt1", 0 },
    { "neckTilt2", 40 } }
  for _, list in ipairs { ready, push, drawn } do
    local word, why = dog:move_joints(list)
    if word == "PANIC" or word == "NA" then return false, word, why end
    task.sleep(0.4)
    if ended() then return false, ended() end
  end
  return true
end

-- Whether it stays upright.
local function stays_up(robot)
  local till = core.now() + STILL
  repeat
    local up = lean(robot)
    if not up or up < UP then return false end
    task.sleep(0.1)
  until core.now() >= till
  return true
end

---Gets it up: SUCCESS; PANIC or NA and why when its legs do not move; INTERRUPTED when a client has stopped it, or its
---description has changed; ERROR and why when it still lies after four attempts.
function rise.up(dog)
  local robot = dog.robot
  local ended <close> = listen(robot)
  for attempt = 1, ATTEMPTS do
    local up, side = lean(robot)
    if not up then return "ERROR", "its state is not known" end
    local goes, word, why = true, nil, nil
    if up < ON_BACK then
      goes, word, why = throw_over(dog, ended, attempt % 2 == 1 and "l" or "r")
      up, side = lean(robot)
    end
    if goes and (up or 0) < LIES then goes, word, why = roll_over(dog, ended, side) end
    if goes then goes, word, why = take(dog, ended, side, CROUCH, CROUCH, 40) end
    if not goes then return word, why end
    if (lean(robot) or 0) >= LIES then
      robot:home { speed = 1 }
      local up_again = stays_up(robot)
      if ended() then return ended() end
      if up_again then return "SUCCESS" end
    end
  end
  return "ERROR", "it does not get up"
end

return rise
