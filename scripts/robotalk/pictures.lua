-- Cameras of robots, and their pictures (docs/cameras.md).
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local broadcast = require "robotalk.session.broadcast"
local checked = require "robotalk.mistakes.checked"
local missing = require "robotalk.mistakes.missing"
local mistake = require "robotalk.mistakes.mistake"
local picture = require "robotalk.pictures.picture"

local pictures = {}

local FORMATS = { jpeg = 1, rgb = 2, gray = 3 } -- numbers of the query `picture`
local QUALITY, WINDOW, WAIT = 80, 1 << 16, 5
local LEAST, MOST = 1 / 3600, 1000 -- times a second
local OPTIONS = { width = true, height = true, format = true, quality = true, window = true }

local function made(camera, answer)
  answer.camera, answer.age = camera, math.max(0.0, core.now() - answer.time)
  return picture.new(answer)
end

-- ---- cameras ----

local Camera = {}
Camera.__index = Camera

local function whole(options, name, least, most, caller)
  local x = options[name]
  if x == nil then return nil end
  if math.type(x) ~= "integer" or x < least or x > most then
    mistake("%s: %s: want a whole number from %d to %d, got %s", caller, name, least, most, tostring(x))
  end
  return x
end

-- The query to a server; nil, message, code when the robot has no such camera any more.
local function request(camera, body, options, caller)
  local record = body.cameras[camera.name]
  if not record then return nil, ("robot %s has no camera %s"):format(body.name, camera.name), "NA" end
  local format = options.format or "jpeg"
  if not FORMATS[format] then mistake("%s: format: want jpeg, rgb or gray, got %s", caller, tostring(format)) end
  return { camera = record.number, format = FORMATS[format], after = 0, period = 0,
    quality = whole(options, "quality", 1, 100, caller) or QUALITY,
    width = whole(options, "width", 1, 65535, caller) or 0, height = whole(options, "height", 1, 65535, caller) or 0,
    window = whole(options, "window", 16384, 1 << 24, caller) or WINDOW }
end

-- The message for scripts when a server has no picture of a camera.
local function excuse(camera, message, code)
  local form = code == "ENONE" and "camera %s of robot %s: nobody gives its pictures"
    or code == "EDEVICE" and "camera %s of robot %s gives no picture"
  if not form then return nil, message, code end
  return nil, form:format(camera.name, camera.session.body.name), "NA"
end

local FRAME = { timeout = true, newer = true }
for name in pairs(OPTIONS) do FRAME[name] = true end

---The newest picture. options: width, height (pixels at most; it is divided by a whole number), format (jpeg, rgb,
---gray), quality (of JPEG, 1 to 100), newer (a picture: one that is newer than it), timeout (5 s). nil, message, code:
---NA when there is none.
function Camera:frame(options)
  options = checked.options(options, FRAME, "frame")
  local timeout, newer = options.timeout or WAIT, options.newer
  if not (type(timeout) == "number" and timeout >= 0) then mistake "frame: timeout: want seconds" end
  if newer ~= nil and not picture.is(newer) then mistake "frame: newer: want a picture" end
  local session = self.session
  local fields, message, code = request(self, session.body, options, "frame")
  if not fields then return nil, message, code end
  fields.after = newer and newer.number or 0
  local id, answer
  id, message, code = session.client.link:request(session.number, "picture", fields)
  if not id then return nil, message, code end
  answer, message, code = session.client:await(id, timeout, session)
  if answer then return made(self.name, answer) end
  if code == "ETIMEOUT" then
    session.client:tell(session, "broadcast_cancel", { broadcast = id })
    return nil, ("no picture has come from camera %s in time"):format(self.name), code
  end
  return excuse(self, message, code)
end

local WATCH = { rate = true }
for name in pairs(OPTIONS) do WATCH[name] = true end

---Calls fn with each new picture, in a task of its own, until the handle's cancel; of several new ones the
---newest. options: rate, times a second at most (default: that of the camera); otherwise as of frame. Without fn the
---handle's next(timeout) waits for them.
function Camera:watch(options, fn)
  if type(options) == "function" and fn == nil then options, fn = nil, options end
  options = checked.options(options, WATCH, "watch")
  if fn ~= nil and type(fn) ~= "function" then mistake("watch: want a function, got %s", type(fn)) end
  local rate = options.rate
  if rate ~= nil and not (type(rate) == "number" and rate >= LEAST and rate <= MOST) then
    mistake("watch: rate: want times a second, at most %d, got %s", MOST, tostring(rate))
  end
  if self.session.closed then return nil, "the session is closed", "ECLOSED" end
  local handle, message, code = broadcast.watch(self.session, "view", function(body)
    local fields, why, what = request(self, body, options, "watch")
    if not fields then return nil, why, what end
    fields.period = rate and 1 / rate or 0.001
    return fields
  end, function(_, answer) return made(self.name, answer) end, fn)
  if not handle then return excuse(self, message, code) end
  return handle
end

colon.methods(Camera, "camera")

---Adds its cameras to a robot's body, from the records of its description, by number and by name.
function pictures.describe(body, records)
  body.cameras = {}
  for i, camera in ipairs(records) do
    camera.number = i - 1
    body.cameras[i], body.cameras[camera.name] = camera, camera
  end
end

-- Adds it to the class of sessions.
function pictures.add(Session)
  ---A camera by its name, or the first: width, height, rate, fov as described; frame and watch have its pictures. nil,
  ---message, "NA" when the robot has none of that name.
  function Session:camera(name)
    if name ~= nil and type(name) ~= "string" then mistake("camera: want the name of a camera, got %s", type(name)) end
    local record = self.body.cameras[name or 1]
    if not record then
      local names = {}
      for i, camera in ipairs(self.body.cameras) do names[i] = camera.name end
      return nil, ("robot %s has no camera%s%s"):format(self.body.name, name and " " .. name or "",
        missing(name, names)), "NA"
    end
    return setmetatable({ session = self, name = record.name, width = record.width, height = record.height,
      rate = record.rate, fov = record.fov }, Camera)
  end
end

return pictures
