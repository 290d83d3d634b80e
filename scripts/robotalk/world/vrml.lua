-- Worlds in VRML97, from robotalk convert or other programs: all shapes are fixed. A shape
-- below the floor gives the floor its colour, and a shape as thin as paint on it becomes a mark.
local core = require "robotalk.core"
local things = require "robotalk.world.things"

local vrml = {}

local MADE <const> = "# What stands around robots." -- the second line of a file of ours (protocols/rcml/scenery.c)

---Whether a file is of VRML97, by its name and its first bytes, compressed or not.
function vrml.is(name, bytes)
  local lower = name:lower()
  return lower:find "%.wr[lz]$" ~= nil or lower:find "%.wrl%.gz$" ~= nil or bytes:find "^#VRML" ~= nil
end

---Whether it is marked as a world; others without joints may be robots of one link.
function vrml.says_so(bytes) return bytes:find("^#VRML[^\n]*\n" .. MADE:gsub("%p", "%%%0")) ~= nil end

local function number_of(colour) return colour and require "robotalk.descriptor.check".colour(colour) end

-- The sky of a Background, by its first colour and its last; nil: there is none.
local function sky_of(nodes)
  for _, node in ipairs(nodes) do
    local list = node.type == "Background" and node.fields.skyColor
    if list and #list >= 3 then
      local function at(from)
        local out = 0
        for i = from, from + 2 do out = out << 8 | math.floor(math.min(math.max(list[i], 0), 1) * 255 + 0.5) end
        return out << 8 | 0xff
      end
      return { top = at(1), horizon = at(#list - 2) }
    end
  end
end

-- A shape of a descriptor as an object; nil: it is none.
local function thing_of(shape, node)
  local size = type(shape.size) == "table" and shape.size or { shape.size }
  if shape.type == "mesh" then return nil end
  return { shape = shape.type, size = { size[1], size[2] or 0, size[3] or 0 }, position = shape.position or { 0, 0, 0 },
    attitude = shape.attitude or { 0, 0, 0 }, colour = number_of(shape.colour),
    path = ("%d:%d"):format(node and node.line or 1, node and node.column or 1) }
end

-- Whether it is an upright box with its top below that height.
local function is_below(thing, height)
  return thing.shape == "box" and thing.attitude[1] == 0 and thing.attitude[2] == 0
    and thing.position[3] + thing.size[3] / 2 < height + 1e-6
end

---The same results as world/mjcf.lua: the room, a list of errors, and of notes on omitted parts.
function vrml.read(bytes, file)
  local out, said, nodes, robot = require "robotalk.rcml".read(bytes, file, {})
  if not out then return nil, said end
  local room = { things = {}, lights = {}, start = {}, names = {}, floor = { texture = "checker" },
    sky = sky_of(core.vrml_read(bytes).nodes) }
  local shapes, most = out.links[0] and out.links[0].shapes or {}, require "robotalk.rcml.shapes".MOST
  local function refused(form, ...) return nil, { { line = 1, column = 1, message = form:format(...) } } end
  if robot or #out.joints > 0 then return refused "expected what stands around robots, got a robot" end
  if #shapes >= most then return refused("expected less than %d shapes", most) end
  for _, shape in ipairs(shapes) do
    local node = nodes[shape]
    local thing = thing_of(shape, node)
    if not thing then
      table.insert(said, { line = node and node.line or 1, column = node and node.column or 1,
        message = ("%s is left out: expected what is drawn in this file"):format(shape.file) })
    elseif is_below(thing, 0) then
      room.floor = { texture = "plain", colour = thing.colour }
    else
      thing.painted = is_below(thing, things.PAINT) or nil
      table.insert(room.things, thing)
    end
  end
  return room, {}, said
end

return vrml
