-- Gamepads, joysticks and pedals (docs/drive.md): found by their kind, and read as axes and buttons that have names. An
-- axis is a number from -1, left or up, to 1, a trigger from 0 to 1; 0.0 is at rest. A button that is held is true.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

require "robotalk.task.ports" -- it handles "readable"

local FOLDER <const>, MOST <const> = "/dev/input", 255
local DEAD <const> = 0.15 -- of the way of an axis: no stick returns to its middle exactly
local HASTY <const> = 16  -- reports in a row after which other tasks run

-- Names by the codes of <linux/input.h>: of each run its first code, and words; - has none.
local function named(runs)
  local names = {}
  for code, words in pairs(runs) do
    for word in words:gmatch "%S+" do
      names[code], code = word ~= "-" and word or nil, code + 1
    end
  end
  return names
end

-- Of Z and RZ see name_of_axis.
local AXES <const> = named { [0] = "left_x left_y l2 right_x right_y r2 throttle rudder wheel gas brake",
  [0x10] = "dpad_x dpad_y", [0x14] = "r2 l2" }
local BUTTONS <const> = named { [0x120] = "trigger thumb",
  [0x130] = "south east - north west - l1 r1 l2 r2 select start mode l3 r3",
  [0x220] = "dpad_up dpad_down dpad_left dpad_right" }

local AXIS <const> = {} -- the names
for _, name in pairs(AXES) do AXIS[name] = true end

local Pad = {}
Pad.__index = Pad
Pad.__name = "robotalk.Gamepad"

-- The buttons that are used without a mapping: one that is held to move anything, and one for a panic.
local gamepad = { HELD = { "r1", "trigger" }, PANIC = "east" }

-- Where there are no axes 3 and 4, the codes of triggers are those of the right stick.
local function name_of_axis(code, has)
  if not (has[3] and has[4]) and (code == 2 or code == 5) then return code == 2 and "right_x" or "right_y" end
  return AXES[code] or "axis_" .. code
end

local function names_of(codes, name)
  local has, names = {}, {}
  for _, code in ipairs(codes) do has[code] = true end
  for _, code in ipairs(codes) do names[code] = name(code, has) end
  return names
end

local function name_of_button(code) return BUTTONS[code] or "button_" .. code end

-- Takes the state of the device.
local function look(self)
  local state = self.input:state()
  self.axes, self.buttons = {}, {}
  for code, name in pairs(self.axis_names) do
    local value = state.axes[code + 1]
    local off = math.abs(value) - self.dead
    self.axes[name] = off <= 0 and 0.0 or off / (1 - self.dead) * (value < 0 and -1 or 1)
  end
  for _, code in ipairs(state.buttons) do self.buttons[self.button_names[code]] = true end
  if self.keyed then
    local function way(more, less) return (self.buttons[more] and 1.0 or 0.0) - (self.buttons[less] and 1.0 or 0.0) end
    self.axes.dpad_x, self.axes.dpad_y = way("dpad_right", "dpad_left"), way("dpad_down", "dpad_up")
  end
end

local function open(path, dead)
  local input, message, code = core.input(path)
  if not input then return nil, message, code end
  local about = input:describe()
  local self = setmetatable({ input = input, path = path, name = about.name, kind = about.kind, dead = dead,
    recording = about.recording, axis_names = names_of(about.axes, name_of_axis),
    button_names = names_of(about.buttons, name_of_button), row = 0 }, Pad)
  self.keyed = self.button_names[0x220] ~= nil and self.axis_names[16] == nil
  look(self)
  return self
end

---The devices that there are, a list of { path, name, kind } or of { path, why }: those that may not be read.
function gamepad.list(folder)
  local list = {}
  for n = 0, MOST do
    local path = ("%s/event%d"):format(folder or FOLDER, n)
    local pad <close>, why, code = open(path, DEAD)
    if pad then list[#list + 1] = { path = path, name = pad.name, kind = pad.kind }
    elseif code ~= "ENONE" then list[#list + 1] = { path = path, why = why } end
  end
  return list
end

-- The path of the first gamepad, or otherwise joystick.
local function find(folder)
  local list, closed = gamepad.list(folder), nil
  for _, kind in ipairs { "gamepad", "joystick" } do
    for _, row in ipairs(list) do
      if row.kind == kind then return row.path end
      closed = closed or row.why
    end
  end
  return nil, ("there is no gamepad in %s%s"):format(folder or FOLDER, closed and "; " .. closed or ""), "ENONE"
end

-- As a check of mistakes/checked.
function gamepad.dead(x) return not (type(x) == "number" and x >= 0 and x < 1) and "a number from 0, less than 1" end

local OPTIONS <const> = { folder = checked.text, dead = gamepad.dead }

---Opens one: a path, also of a recording, or "auto", the first gamepad or joystick. options: dead, the part of the way
---about the middle of an axis that counts as the middle (0.15). nil, message, code.
function gamepad.open(where, options)
  if where ~= nil and type(where) ~= "string" then mistake("open: want a path or 'auto', got %s", type(where)) end
  options = checked.options(options, OPTIONS, "open")
  local path, message, code = where, nil, nil
  if where == nil or where == "auto" then path, message, code = find(options.folder) end
  if not path then return nil, message, code end
  return open(path, options.dead or DEAD)
end

---Waits until axes or buttons have changed, for at most that long, s: true; false: they have not; nil, message, code:
---the device is gone, and its axes and buttons are at rest.
function Pad:wait(seconds)
  local late = seconds and core.now() + seconds
  self.row = self.row + 1
  if self.row > HASTY then
    task.sleep(0)
    self.row = 0
  end
  while true do
    local more, message, code = self.input:read()
    if more ~= false and code ~= "ECLOSED" then look(self) end
    if more then return true end
    if more == nil then return nil, ("%s: %s"):format(self.name, message), code end
    local left = late and late - core.now()
    if left and left <= 0 then return false end
    task.wait("readable" .. self.input:handle(), left)
    self.row = 0
  end
end

---Whether devices may have an axis of that name, and the names of usual ones.
function gamepad.is_axis(name) return AXIS[name] or tostring(name):find "^axis_%d+$" ~= nil end

function gamepad.axes() return checked.names(AXIS) end

---The names of its axes and buttons, in order.
function Pad:names()
  local axes, buttons = {}, {}
  for name in pairs(self.axes) do axes[#axes + 1] = name end
  for _, name in pairs(self.button_names) do buttons[#buttons + 1] = name end
  table.sort(axes)
  table.sort(buttons)
  return axes, buttons
end

---The first of these names that is one of its buttons, or nil.
function Pad:first(names)
  local has = {}
  for _, name in pairs(self.button_names) do has[name] = true end
  for _, name in ipairs(names) do if has[name] then return name end end
end

function Pad:close() self.input:close() end
Pad.__close = Pad.close

return gamepad
