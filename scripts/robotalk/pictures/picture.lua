-- The picture object of programs (docs/cameras.md).
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local colours = require "robotalk.pictures.colours"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"

local picture = {}

-- Endings of the names of files: the format of a picture that may be written there; .png: of every one.
local ENDINGS = { jpg = "jpeg", jpeg = "jpeg", ppm = "rgb", pgm = "gray" }
local ENDINGS_OF = { jpeg = ".jpg, .jpeg or .png", rgb = ".ppm or .png", gray = ".pgm or .png" }

local QUALITY = 80 -- of a JPEG that is made from pixels
local MOST, SIDE = 1 << 26, 65535 -- bytes of a picture or of its pixels; pixels of its width and height

local Picture = {}
Picture.__index = Picture

local decoded = setmetatable({}, { __mode = "k" }) -- decoded pixels of JPEGs

function Picture:__tostring()
  return ("picture %d of %s, %d x %d, %s, %d bytes"):format(self.number, self.camera, self.width, self.height,
    self.format, #self.bytes)
end

---Its pixels, row by row from the top, and their format: "rgb", 3 bytes each, or "gray", 1 byte; width, height. nil,
---message, code: it is damaged.
function Picture:pixels(format)
  if format ~= nil and format ~= "rgb" and format ~= "gray" then
    mistake("pixels: want rgb or gray, got %s", tostring(format))
  end
  format = format or self.format ~= "jpeg" and self.format or "rgb"
  if self.format ~= "jpeg" and format ~= self.format then mistake("pixels: the picture is %s", self.format) end
  local bytes, width, height = self.bytes, self.width, self.height
  if self.format == "jpeg" then
    bytes = format == "rgb" and decoded[self]
    if not bytes then bytes, width, height = core.jpeg_pixels(self.bytes, format) end
    if not bytes then return nil, width, height end
  end
  -- its sender may have reported another size
  if width ~= self.width or height ~= self.height or #bytes ~= width * height * (format == "rgb" and 3 or 1) then
    return nil, ("it has not the %d x %d pixels that it says"):format(self.width, self.height), "EBODY"
  end
  if self.format == "jpeg" and format == "rgb" then decoded[self] = bytes end
  return bytes, format, width, height
end

---A pixel's red, green and blue, 0 to 255; 0, 0 is the top left. Raises for a point outside. nil, message, code: the
---picture is damaged.
function Picture:pixel(x, y)
  if not (math.type(x) == "integer" and x >= 0 and x < self.width) then
    mistake("pixel: x: want a whole number from 0 to %d, got %s", self.width - 1, tostring(x))
  end
  if not (math.type(y) == "integer" and y >= 0 and y < self.height) then
    mistake("pixel: y: want a whole number from 0 to %d, got %s", self.height - 1, tostring(y))
  end
  local bytes, format, code = self:pixels()
  if not bytes then return nil, format, code end
  local at = y * self.width + x
  if format == "rgb" then return bytes:byte(3 * at + 1, 3 * at + 3) end
  local gray = bytes:byte(at + 1)
  return gray, gray, gray
end

local BLOB = { tolerance = true, least = checked.count }

---The largest connected region of a color, a name or "#rrggbb": x, y, the middle of its pixels; left, top, width,
---height, the box around it; area, its number of pixels; regions, the number of regions of that color. nil: there is
---none; nil, message, code: the picture is damaged. options: tolerance { hue (degrees), saturation, value } around
---"#rrggbb"; least: regions of fewer pixels do not count (1).
function Picture:blob(color, options)
  options = checked.options(options, BLOB, "blob")
  local bounds = colours.bounds(color, options.tolerance, "blob")
  local bytes, format, width, height = self:pixels()
  if not bytes then return nil, format, width end
  return core.blob(bytes, width, height, format, bounds, options.least or 1)
end

---The bytes of a JPEG of it: its own, when it is one and no quality (1 to 100) is given; otherwise it is encoded
---(default 80), a JPEG again, with a loss. nil, message, code.
function Picture:jpeg(quality)
  if quality ~= nil and not (math.type(quality) == "integer" and quality >= 1 and quality <= 100) then
    mistake("jpeg: want a quality from 1 to 100, got %s", tostring(quality))
  end
  if self.format == "jpeg" and not quality then return self.bytes end
  local bytes, format, width, height = self:pixels()
  if not bytes then return nil, format, width end
  local made, message, code = core.remake_picture({ bytes = bytes, format = format, width = width, height = height },
    "jpeg", quality or QUALITY)
  if not made then return nil, message, code end
  return made
end

local function write(path, bytes)
  local ok, message, code = core.write_file(path, bytes)
  if not ok then return nil, message, code end
  return true, #bytes
end

---Writes it to a file: a JPEG unchanged, pixels as PPM or PGM; pixels of each as PNG if the name ends with .png. A
---name with another ending raises; one without an ending does not select a format. true, and the size of the file in
---bytes; or nil, message, code.
function Picture:save(path)
  if type(path) ~= "string" then mistake("save: want the name of a file, got %s", type(path)) end
  local ending = path:match "[^/]%.([^./]*)$"
  ending = ending and ending:lower()
  if ending == "png" then
    local bytes, format, width, height = self:pixels()
    if not bytes then return nil, format, width end
    local png, message, code = core.picture_png(bytes, width, height, format)
    if not png then return nil, message, code end
    return write(path, png)
  end
  if ending and ENDINGS[ending] ~= self.format then
    mistake("save: the picture is %s: want a file that ends with %s, got %s", self.format, ENDINGS_OF[self.format],
      path)
  end
  local head = ""
  if self.format ~= "jpeg" then
    head = ("%s\n%d %d\n255\n"):format(self.format == "rgb" and "P6" or "P5", self.width, self.height)
  end
  return write(path, head .. self.bytes)
end

---The number of the test card in it, and the time at which that was drawn, s; nil when it shows none.
function Picture:card()
  local bytes, format, width, height = self:pixels()
  if not bytes then return nil end
  return core.test_card(bytes, width, height, format)
end

colon.methods(Picture, "picture")

-- A picture that no camera took.
local function found(name, bytes, format, width, height)
  return setmetatable({ camera = name, number = 0, time = core.now(), age = 0.0, width = width, height = height,
    format = format, bytes = bytes }, Picture)
end

local function bad(name, form, ...) return nil, ("%s: "):format(name) .. form:format(...), "EBODY" end

-- Whether that size is allowed.
local function fits(width, height, format)
  return width >= 1 and width <= SIDE and height >= 1 and height <= SIDE
    and width * height * (format == "rgb" and 3 or 1) <= MOST
end

-- A PPM or PGM of 8 bits, as save writes them.
local function of_pnm(bytes, name)
  local kind, width, height, at = bytes:match "^P([56])%s+(%d%d?%d?%d?%d?)%s+(%d%d?%d?%d?%d?)%s+255%s()"
  if not kind then return bad(name, "byte 2: expected width, height and 255, as a PPM or PGM of 8 bits has them") end
  local format = kind == "6" and "rgb" or "gray"
  width, height = math.tointeger(width), math.tointeger(height)
  if not fits(width, height, format) then return bad(name, "byte 2: expected pixels of at most %d bytes", MOST) end
  local size = width * height * (format == "rgb" and 3 or 1)
  if #bytes - at + 1 < size then
    return bad(name, "byte %d: expected %d bytes of pixels, and there are %d", at - 1, size, #bytes - at + 1)
  end
  return found(name, bytes:sub(at, at + size - 1), format, width, height)
end

local function of_bytes(bytes, name)
  if bytes:find "^P[56]%s" then return of_pnm(bytes, name) end
  local width, height, code = core.jpeg_size(bytes)
  if not width then return nil, ("%s: %s"):format(name, height), code end
  return found(name, bytes, "jpeg", width, height)
end

local PIXELS = { bytes = checked.text, width = checked.count, height = checked.count, format = checked.text }

---A picture of a file, JPEG, PPM or PGM; of the bytes of one; or of pixels: { bytes, width, height, format = "rgb" or
---"gray" }. nil, message, code: it cannot be read, or is damaged.
function picture.read(what)
  if type(what) == "table" then
    local from = checked.options(what, PIXELS, "picture")
    local format = from.format or "rgb"
    if format ~= "rgb" and format ~= "gray" then mistake("picture: format: want rgb or gray, got %s", format) end
    if not (from.bytes and from.width and from.height) then mistake "picture: want bytes, width and height" end
    if not fits(from.width, from.height, format) then
      mistake("picture: want at most %d bytes of pixels, got %d x %d pixels", MOST, from.width, from.height)
    end
    local size = from.width * from.height * (format == "rgb" and 3 or 1)
    if #from.bytes ~= size then mistake("picture: want %d bytes of pixels, got %d", size, #from.bytes) end
    return found("pixels", from.bytes, format, math.tointeger(from.width), math.tointeger(from.height))
  end
  if type(what) ~= "string" then
    mistake("picture: want a file, the bytes of one, or pixels, got %s", type(what))
  end
  if what:find "^\xff\xd8" or what:find "^P[56]%s" then return of_bytes(what, "bytes") end
  local bytes, message, code = core.read_file(what, MOST + 64)
  if not bytes then return nil, message, code end
  return of_bytes(bytes, what)
end

---A picture of its fields: camera, number, time, age, width, height, format, bytes.
function picture.new(fields) return setmetatable(fields, Picture) end

---Whether a value is a picture.
function picture.is(x) return getmetatable(x) == Picture end

return picture
