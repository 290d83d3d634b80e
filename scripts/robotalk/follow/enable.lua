-- Enabling devices of a follower: a key, a button, or none. Each is a value to be closed; its field `held` is the
-- function that follow.run takes: (now, self) -> boolean, or nil, why, at its end.
local gamepad = require "robotalk.gamepad"
local hands = require "robotalk.drive.hand"
local screens = require "robotalk.screen"
local task = require "robotalk.task"

local KEY <const>, FRAME <const> = "e", 0.1 -- s between two pictures

local enable = {}

---Always held, until something ends that: only for robots that are simulated.
function enable.always()
  local pressed = 0
  return setmetatable({ held = function(_, self)
    pressed = pressed + 1
    if pressed > 2 and self.state == "disabled" then return nil, self.why end
    return pressed > 1 -- it is pressed now
  end }, { __close = function() end })
end

---The key e at a terminal, as keys of drive are held; space panics, r resets, g resumes after a stop, q or Ctrl-C ends.
---given: a screen in place of the terminal's. To be closed; nil, message, code.
function enable.key(given)
  local screen, message, code = given, nil, nil
  if not screen then screen, message, code = screens.open() end
  if not screen then return nil, message, code end
  local hand, news, next_picture = hands.new(os.getenv "SSH_CONNECTION" ~= nil), {}, 0
  local self = setmetatable({}, { __close = function()
    screen:drain()
    screen:close()
  end })
  local function take(event, of)
    local key = event.key
    if event.kitty then hand.releases = event.kitty & 2 ~= 0 end
    if event.focus == false or event.resumed then hand:clear() end
    if key == KEY and event.kind == "release" then hand:release(KEY, news.now)
    elseif key == KEY then hand:press(KEY, news.now)
    elseif event.kind == "release" then return
    elseif key == "space" then of.follower:panic()
    elseif key == "g" then task.spawn(function() of.follower:resume() end).background = true
    elseif key == "r" then task.spawn(function() of.follower:reset() end).background = true
    elseif key == "q" or key == "ctrl-c" or key == "ctrl-d" then news.over = "the user has ended it" end
    if event.gone then news.over = "the terminal is gone" end
  end
  function self.held(now, of)
    news.now = now
    for _, event in ipairs(screen:next(now)) do take(event, of) end
    if now >= next_picture then
      next_picture = now + FRAME
      screen:show { of.why and ("%s: %s"):format(of.state, of.why) or of.state,
        "hold e to follow; space: panic; r: reset; g: resume; q: end" }
    end
    if news.over then return nil, news.over end
    return hand:holds(KEY, now), "released"
  end
  return self
end

---A button of a gamepad or a pedal: by default R1, or a joystick's trigger; east panics unless it is that one. To be
---closed; nil, message, code.
function enable.pad(path, button)
  local pad, message, code = gamepad.open(path)
  if not pad then return nil, message, code end
  local wanted = button and { button } or gamepad.HELD
  local held = pad:first(wanted)
  if not held then
    pad:close()
    return nil, ("%s has no button %s"):format(pad.name, table.concat(wanted, ", ")), "ENONE"
  end
  local gone, of, panicked
  local reader = task.spawn(function()
    repeat
      local ok, why = pad:wait()
      local panics = pad.buttons[gamepad.PANIC] and held ~= gamepad.PANIC
      if panics and not panicked and of then of.follower:panic() end
      panicked = panics
      if of then task.wake(of) end
      gone = not ok and why
    until gone
  end)
  reader.background = true
  return setmetatable({ held = function(_, self)
    of = self
    if gone then return nil, gone end
    return pad.buttons[held] or false, "released"
  end }, { __close = function()
    reader:cancel()
    pad:close()
  end })
end

return enable
