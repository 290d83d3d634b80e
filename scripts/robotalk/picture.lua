-- A picture as programs hold it (docs/cameras.md).
local core = require "robotalk.core"
local mistake = require "robotalk.mistake"

local picture = {}

-- Endings of the names of files: the format of a picture that may be written there.
local ENDINGS = { jpg = "jpeg", jpeg = "jpeg", ppm = "rgb", pgm = "gray" }
local ENDINGS_OF = { jpeg = ".jpg or .jpeg", rgb = ".ppm", gray = ".pgm" }

local Picture = {}
Picture.__index = Picture

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
  if self.format == "jpeg" then
    local bytes, width, height = core.jpeg_pixels(self.bytes, format)
    if not bytes then return nil, width, height end
    return bytes, format, width, height
  end
  if format ~= self.format then mistake("pixels: the picture is %s", self.format) end
  return self.bytes, format, self.width, self.height
end

---Writes it to a file: of a JPEG as it is, of pixels PPM or PGM. A name with another ending raises; one without an
---ending says nothing of the format. true; or nil, message, code.
function Picture:save(path)
  if type(path) ~= "string" then mistake("save: want the name of a file, got %s", type(path)) end
  local ending = path:match "[^/]%.([^./]*)$"
  if ending and ENDINGS[ending:lower()] ~= self.format then
    mistake("save: the picture is %s: want a file that ends with %s, got %s", self.format, ENDINGS_OF[self.format],
      path)
  end
  local head = ""
  if self.format ~= "jpeg" then
    head = ("%s\n%d %d\n255\n"):format(self.format == "rgb" and "P6" or "P5", self.width, self.height)
  end
  return core.write_file(path, head .. self.bytes)
end

---Which picture of a test card it shows, and when that was drawn, s; nil when it shows none.
function Picture:card()
  local bytes, format, width, height = self:pixels()
  if not bytes then return nil end
  return core.test_card(bytes, width, height, format)
end

---A picture of its fields: camera, number, time, age, width, height, format, bytes.
function picture.new(fields) return setmetatable(fields, Picture) end

---Whether something is one.
function picture.is(x) return getmetatable(x) == Picture end

return picture
