-- Reports of a gamepad become shares for the pilot, by a mapping: only while its button is held, and of each stick only
-- after it was in its middle since then. It commands nothing itself and has no clock.
local core = require "robotalk.core"
local checked = require "robotalk.mistakes.checked"
local gamepad = require "robotalk.gamepad"

local Stick = {}
Stick.__index = Stick

local stick = {}

local LONGEST <const> = 1 << 20 -- bytes of a mapping's file
local PARTS <const> = { x = true, y = true, theta = true, pan = true, tilt = true, chosen = true, joints = true }
local FIELDS <const> = { enable = true, panic = true, dead = gamepad.dead, map = checked.fn }
-- A stick is in its middle with both of its axes.
local PARTNER <const> = { left_x = "left_y", left_y = "left_x", right_x = "right_y", right_y = "right_x" }

-- Without a mapping: of a gamepad with two sticks; a joystick has the first.
local TWIN <const> = {
  enable = gamepad.HELD, panic = gamepad.PANIC,
  map = function(axes)
    return { x = -axes.left_y, theta = -axes.left_x, y = -axes.dpad_x, pan = -axes.right_x, tilt = -axes.right_y,
      chosen = -axes.dpad_y }
  end,
}

---The mapping of a file, which returns a function or a table; nil: that for two sticks. nil, message, code.
function stick.mapping(path)
  if not path then return TWIN end
  local text, why, code = core.read_file(path, LONGEST)
  if not text then return nil, why, code end
  local chunk, message = load(text, "@" .. path, "t")
  if not chunk then return nil, message, "EINVAL" end
  local ok, mapping = pcall(chunk)
  if ok and type(mapping) == "function" then mapping = { map = mapping } end
  local wrong = not ok and tostring(mapping)
    or type(mapping) ~= "table" and ("%s: expected a function or a table, got %s"):format(path, type(mapping))
  if wrong then return nil, wrong, "EINVAL" end
  ok, message = pcall(checked.options, mapping, FIELDS, path)
  if ok and not mapping.map then ok, message = false, path .. ": expected a function map" end
  if not ok then return nil, message, "EINVAL" end
  local enable = mapping.enable or TWIN.enable
  return { enable = type(enable) == "table" and enable or { enable }, panic = mapping.panic or nil,
    dead = mapping.dead, map = mapping.map }
end

-- barred: nothing moves until the button is released.
function stick.new(mapping) return setmetatable({ mapping = mapping, ready = {}, held = {}, barred = true }, Stick) end

---Of that gamepad the button that is held to drive; nil, message, code: it lacks a button of the mapping.
function Stick:enable_of(pad)
  local mapping = self.mapping
  if mapping.panic and mapping ~= TWIN and not pad:first { mapping.panic } then
    return nil, ("%s has no button %s, the mapping's for a panic"):format(pad.name, mapping.panic), "ENONE"
  end
  local held = pad:first(mapping.enable)
  if held then return held end
  return nil, ("%s has no button %s, which is held to drive; a mapping can name another"):format(pad.name,
    table.concat(mapping.enable, ", ")), "ENONE"
end

local function is_held(names, buttons)
  for _, name in ipairs(names) do if buttons[name] then return true end end
  return false
end

local function number(x, name)
  if type(x) ~= "number" or x - x ~= 0 then
    error(("the mapping: %s: want a number from -1 to 1, got %s"):format(name, tostring(x)), 0)
  end
  return math.floor(math.max(-1, math.min(1, x)) * 100 + 0.5) / 100 -- noise of a stick is no command
end

-- The shares that a mapping wants, by the names of a pilot's axes; dofs: by joint and dof. Raises.
local function shares_of(wants)
  local shares = { dofs = {} }
  for name, x in pairs(checked.options(wants, PARTS, "the mapping")) do
    if name ~= "joints" then shares[name == "theta" and "turn" or name] = number(x, name) end
  end
  for joint, dofs in pairs(wants and wants.joints or {}) do
    if type(dofs) ~= "table" then error(("the mapping: joints.%s: want a table of its dofs"):format(joint), 0) end
    for dof, x in pairs(dofs) do
      local name = ("%s.%s"):format(joint, dof)
      shares.dofs[name] = number(x, name)
    end
  end
  return shares
end

---Nothing moves until the button was released.
function Stick:bar() self.barred = true end

---A report of the device: the shares that it wants now, nil while the button is not held; whether the button for a
---panic was pressed; and why the mapping has failed, once. waits: a stick that the mapping reads has to be let go.
function Stick:take(axes, buttons)
  local panic = self.mapping.panic and buttons[self.mapping.panic] and not self.held[self.mapping.panic]
  self.held, self.waits = buttons, false
  if not is_held(self.mapping.enable, buttons) then
    self.ready, self.stale, self.barred = {}, nil, false
    return nil, panic
  end
  if self.barred then return nil, panic end
  for name, value in pairs(axes) do
    if value == 0 and (axes[PARTNER[name]] or 0) == 0 then self.ready[name] = true end
  end
  local stale, pressed, pushed = {}, {}, {}
  for name in pairs(self.stale or buttons) do stale[name] = buttons[name] end -- held since before
  self.stale = stale
  for name in pairs(buttons) do pressed[name] = not stale[name] or nil end
  for name, value in pairs(axes) do pushed[name] = self.ready[name] and value or nil end
  setmetatable(pushed, { __index = function(_, name) -- not ready, or not of this device
    if not gamepad.is_axis(name) then checked.refuse("a gamepad", "axis", name, gamepad.axes()) end
    self.waits = self.waits or axes[name] ~= nil
    return 0.0
  end })
  -- a coroutine that is no task: the mapping cannot wait, while the robot moves as before
  local calling = coroutine.create(function() return shares_of(self.mapping.map(pushed, pressed)) end)
  local ok, shares = coroutine.resume(calling)
  if ok and coroutine.status(calling) == "dead" then return shares, panic end
  self:bar()
  return nil, panic, ok and "the mapping yields" or tostring(shares)
end

return stick
