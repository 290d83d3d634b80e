-- The behaviours of paper 003's bridge: quit, command parse, drive, PTZ, image transfer. Each is a table with a name,
-- whether it is active, step(self, bridge, now), which is called in each cycle while it is, and stop(self, bridge).
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local log = require "robotalk.log"
local parse_line = require "robotalk.bridge.message"
local task = require "robotalk.task"

local stock = {}

-- ---- quit ----

---QUIT: all commands end, and the client's connection. The bridge waits for the next one.
stock.quit = { name = "quit", active = false, messages = {} }

function stock.quit.messages.QUIT(self) self.active = true end

function stock.quit:step(bridge)
  self.active = false
  bridge:quit()
end

function stock.quit:stop() self.active = false end

-- ---- command parse ----

---Takes new lines. A behaviour with a function for a message (its `messages`, by type) handles it; lines that move
---the robot set the commands of drive and ptz; the server answers all others.
stock.parse = { name = "parse", active = true }

-- Gives each motion that a line commands to its behaviour.
local function set(bridge, wish)
  local drive, ptz = bridge:find "drive", bridge:find "ptz"
  if wish.stops then
    if drive then drive:stop() end
    if ptz then ptz:stop() end
    bridge:stop()
  end
  if drive and wish.velocity then drive.velocity, drive.active = wish.velocity, true end
  for _, one in ipairs(wish) do
    local whose = one.camera and ptz or drive
    if whose then whose.goals[one.dof], whose.active = one, true end
  end
end

function stock.parse.step(_, bridge)
  for line in bridge:lines() do
    local message = parse_line(line)
    if message then
      local taker = bridge:taker(message.type)
      if taker then
        bridge:deliver(taker, message)
      else
        local wish, said = bridge:mean(line)
        if wish then set(bridge, wish) else bridge:pass(line) end
        if said and said ~= "" then bridge:say(said) end
      end
    end
  end
end

-- ---- drive ----

local function hand_on(self, bridge)
  for _, goal in pairs(self.goals) do bridge:set_dof(goal) end
end

---Copies the client's commands to the robot: velocity = { x, y, z, theta } of the base, m/s and rad/s, nil: none;
---goals, of joints except the camera's, by the number of their dof.
stock.drive = { name = "drive", active = false }

function stock.drive:begin() self.goals = {} end

function stock.drive:step(bridge)
  if self.velocity then bridge:set_speed(self.velocity) end
  hand_on(self, bridge)
end

function stock.drive:stop()
  self.active, self.velocity, self.goals = false, nil, {}
end

-- ---- PTZ ----

---The same for the joints that carry a camera.
stock.ptz = { name = "ptz", active = false }

function stock.ptz:begin() self.goals = {} end

stock.ptz.step = hand_on

function stock.ptz:stop() self.active, self.goals = false, {} end

-- ---- image transfer ----

local Images = { name = "images", active = true }
Images.__index = Images
stock.Images = Images

-- The rate for camera:watch.
local function every_of(x)
  return not (type(x) == "number" and x >= 0.001 and x <= 3600) and "seconds, 0.001 to 3600"
end

local OPTIONS <const> = { every = every_of, to = checked.text, camera = checked.text, width = true, height = true,
  quality = true, send = checked.fn }
local AGAIN <const> = 5 -- s until an unreachable image server is tried again

-- In a task of its own: connecting waits, and the cycles do not.
local function begin(self, bridge)
  self.starting = task.spawn("images to " .. self.to, function()
    local _ <close> = setmetatable({}, { __close = function() self.starting = nil end })
    local camera, why = bridge.robot:camera(self.camera)
    local sending
    if camera then
      local ok
      ok, sending, why = pcall(self.send, camera, self.to,
        { rate = 1 / self.every, width = self.width, height = self.height, quality = self.quality })
      if not ok and task.is_cancelling(sending) then error(sending, 0) end
      if not ok then sending, why = nil, tostring(sending) end
    end
    if sending then
      self.sending, self.told = sending, nil
    else
      self.again = core.now() + AGAIN
      if why ~= self.told then log.say("warning", "bridge: images to %s: %s", self.to, why) end
      self.told = why
    end
  end)
  self.starting.background = true
end

local function finish(self)
  if self.starting then self.starting:cancel() end
  if self.sending then self.sending:close() end
  self.starting, self.sending, self.again = nil, nil, nil
end

-- A worker compresses the newest frame, and the sender takes it: figure 4 of the paper. This behaviour
-- only starts it, changes its rate, and ends it with its client; a stop of the robot does not end it.
function Images:step(bridge, now)
  if self.pace ~= self.every then
    finish(self)
    self.pace = self.every
  end
  self.whose = bridge.view.user
  if not self.sending and not self.starting and now >= (self.again or now) then begin(self, bridge) end
end

function Images:stop(bridge)
  if bridge.view and bridge.view.user == self.whose then return end
  finish(self)
  self.active = true
end

Images.messages = {}

---{Active false} ends them, {Every 0.5} changes the period.
function Images.messages.IMAGES(self, bridge, message)
  local active, every = message:flag "Active", message:number "Every"
  local wrong = every and every_of(every)
  if wrong then return bridge:answer("Images", false, "Every: expected " .. wrong) end
  self.every = every or self.every
  if active ~= nil then self.active = active end
  if not self.active then finish(self) end
  bridge:answer("Images", active ~= nil or every ~= nil, "expected Active, true or false, or Every, seconds")
end

---Image transfer: the newest picture of a camera each `every` seconds (0.1) to an image server `to`
---(images://localhost). camera: its name; default: the first; width, height, quality as of camera:watch.
function stock.images(options)
  options = checked.options(options, OPTIONS, "bridge.images")
  return setmetatable({ every = options.every or 0.1, to = options.to or "images://localhost", camera = options.camera,
    width = options.width, height = options.height, quality = options.quality,
    send = options.send or require "robotalk.images".send }, Images)
end

return stock
