-- Pictures of this process's simulated world, from any viewpoint (docs/cameras.md).
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local checked = require "robotalk.mistakes.checked"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local views = {}

local ASK = 0.002 -- s between two checks whether a view is drawn

local function place(x)
  local good = type(x) == "table" and #x == 3
  for i = 1, good and 3 or 0 do good = good and type(x[i]) == "number" and x[i] - x[i] == 0 end
  return not good and "{ x, y, z } in m"
end

local function pixels(x) return not (math.type(x) == "integer" and x >= 1 and x <= 4096) and "1 to 4096 pixels" end

local SEEN = { colour = true, depth = true, objects = true }
local ENDINGS = { jpg = "jpeg", jpeg = "jpeg", png = "png", ppm = "ppm" }
local OPTIONS = { from = place, to = place, width = pixels, height = pixels, fine = checked.flag,
  fov = function(x) return not (type(x) == "number" and x > 0 and x < math.pi) and "rad, between 0 and pi" end,
  seen = function(x) return not SEEN[x] and "colour, depth or objects" end }

local View = {}
View.__index = View

function View:__tostring() return ("view of the world, %d x %d, %s"):format(self.width, self.height, self.format) end

---The value of a pixel, x from the left and y from the top, both from 0: red, green, blue, 0 to 255; or m ahead of
---the viewpoint, math.huge without an object; or the name of an object, nil without one.
function View:at(x, y)
  local function within(a, most) return math.type(a) == "integer" and a >= 0 and a < most end
  if not (within(x, self.width) and within(y, self.height)) then
    mistake("at: want a pixel of %d x %d, from 0, 0; got %s, %s", self.width, self.height, tostring(x), tostring(y))
  end
  local i = y * self.width + x
  if self.format == "rgb" then return self.bytes:byte(3 * i + 1, 3 * i + 3) end
  if self.format == "depth" then return (("<f"):unpack(self.bytes, 4 * i + 1)) end
  return core.world_object((("<i4"):unpack(self.bytes, 4 * i + 1)))
end

---Writes colours to a file: .jpg, .png or .ppm. true and the number of bytes; or nil, message, code.
function View:save(path)
  if type(path) ~= "string" then mistake("save: want the name of a file, got %s", type(path)) end
  if self.format ~= "rgb" then mistake("save: there is no file for %s", self.format) end
  local kind = ENDINGS[(path:match "%.(%w+)$" or ""):lower()]
  if not kind then mistake("save: want a file that ends with .jpg, .jpeg, .png or .ppm, got %s", path) end
  local bytes, message, code
  if kind == "jpeg" then
    bytes, message, code = core.remake_picture(self, "jpeg", 90)
  elseif kind == "png" then
    bytes, message, code = core.picture_png(self.bytes, self.width, self.height, "rgb")
  else
    bytes = ("P6\n%d %d\n255\n%s"):format(self.width, self.height, self.bytes)
  end
  if not bytes then return nil, message, code end
  local ok, why, number = core.write_file(path, bytes)
  if not ok then return nil, why, number end
  return true, #bytes
end

colon.methods(View, "view")

---The result of core.look for that view. In real time it is drawn on another thread while other tasks continue; a value
---that is being closed waits.
function views.draw(view)
  if core.is_virtual() or not task.can_wait() then return core.look(view) end
  local look, message, code = core.begin_look(view)
  local drawn
  while look and not (drawn or message) do
    task.sleep(ASK)
    drawn, message, code = look:take()
  end
  return drawn, message, code
end

---The present world from a viewpoint: { from = { x, y, z }, to = point in the middle, fov = rad (60 degrees),
---width = 320, height = 240, seen = "colour", "depth" or "objects", fine = with shadows }. nil, message, code.
function views.look(options)
  options = checked.options(options, OPTIONS, "look")
  if not (options.from and options.to) then mistake "look: want from and to, { x, y, z } each" end
  local view, message, code = views.draw { from = options.from, to = options.to, fov = options.fov,
    width = options.width or 320, height = options.height or 240, seen = options.seen, fine = options.fine }
  if not view then return nil, message, code end
  return setmetatable(view, View)
end

views.View = View
return views
