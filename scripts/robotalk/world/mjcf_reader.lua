-- Attributes of MJCF elements: the known ones, numbers, positions and orientations.
local keys_of = require("robotalk.descriptor.check").keys_of
local spatial = require "robotalk.robot.spatial"

local function words(text)
  local set = {}
  for word in text:gmatch "%S+" do set[word] = true end
  return set
end

-- Attributes that are read, or that change nothing here.
local KNOWN = {
  mujoco = words "model",
  compiler = words "angle autolimits meshdir texturedir eulerseq",
  option = words("timestep gravity integrator cone iterations solver tolerance impratio jacobian ls_iterations "
    .. "noslip_iterations mpr_iterations"),
  mesh = words "name file scale class smoothnormal",
  material = words "name rgba texture texuniform texrepeat specular shininess reflectance emission class",
  light = words "name pos dir directional diffuse ambient specular castshadow active attenuation cutoff exponent class",
  body = words "name pos quat euler axisangle xyaxes zaxis childclass",
  freejoint = words "name group",
  joint = words "name type group damping limited class",
  geom = words("name type size fromto pos quat euler axisangle xyaxes zaxis rgba material mesh mass density friction "
    .. "contype conaffinity group condim solref solimp margin gap priority solmix class"),
}

local Reader = {}
Reader.__index = Reader

function Reader:fail(node, form, ...)
  self.failures = self.failures + 1
  self.said:fail(node, form, ...)
end

-- The same for an attribute, at the default that it came from, and there once.
function Reader:wrong(node, name, form, ...)
  local source = node.from and node.from[name] or node
  local known = self.told[source] or {}
  self.told[source] = known
  self.failures = self.failures + 1
  if not known[name] then self.said:fail(source, form, ...) end
  known[name] = true
end

-- Refuses attributes that are not known. false: there are some.
function Reader:check(node)
  local good = true
  for _, name in ipairs(keys_of(node.attributes, 100)) do
    if not KNOWN[node.name][name] then
      self:fail(node, "<%s %s>: expected none: it is not read here", node.name, name)
      good = false
    end
  end
  return good
end

-- The numbers of an attribute, `least` to `most` of them; otherwise: its value when it is missing.
function Reader:numbers(node, name, least, most, otherwise)
  local text, out = node.attributes[name], {}
  if not text then return otherwise end
  for word in text:gmatch "%S+" do
    local x = tonumber(word)
    if not x or x - x ~= 0 or word:find "[xX]" or #out == most then out = {} break end
    out[#out + 1] = x + 0.0
  end
  if #out >= least then return out end
  local want = least == most and ("%d number%s"):format(least, least == 1 and "" or "s")
    or ("%d to %d numbers"):format(least, most)
  self:wrong(node, name, "<%s %s='%s'>: expected %s", node.name, name, text, want)
  return otherwise
end

function Reader:number(node, name, otherwise)
  local list = self:numbers(node, name, 1, 1)
  return list and list[1] or otherwise
end

-- nil: it has no length.
local function unit(v) return spatial.length(v) > 1e-12 and spatial.unit(v) or nil end

-- A rotation about an axis (Rodrigues).
local function about(axis, angle)
  local a = unit(axis)
  if not a then return spatial.identity() end
  local c, s = math.cos(angle), math.sin(angle)
  local x, y, z = a[1], a[2], a[3]
  return { { c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s },
    { y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s },
    { z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c) } }
end

local function from_columns(x, y, z)
  return { { x[1], y[1], z[1] }, { x[2], y[2], z[2] }, { x[3], y[3], z[3] } }
end

-- The smallest rotation that turns z into a direction, as in MuJoCo.
local function towards(direction)
  local z = unit(direction)
  if not z then return spatial.identity() end
  local axis = spatial.cross({ 0, 0, 1 }, z)
  local length = spatial.length(axis)
  if length < 1e-10 then axis = { 1, 0, 0 } end
  return about(axis, math.atan(length, z[3]))
end

local AXES <const> = { x = { 1, 0, 0 }, y = { 0, 1, 0 }, z = { 0, 0, 1 } }

-- Whether numbers are no direction, which is reported.
function Reader:is_none(node, name, numbers)
  for _, x in ipairs(numbers) do
    if math.abs(x) > 1e-12 then return false end
  end
  self:wrong(node, name, "<%s %s='%s'>: expected a direction, not all 0", node.name, name, node.attributes[name])
  return true
end

-- The orientation of an element.
function Reader:rotation(node)
  local q = self:numbers(node, "quat", 4, 4)
  if q then
    if self:is_none(node, "quat", q) then return spatial.identity() end
    local angle = 2 * math.atan(math.sqrt(q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2), q[1])
    return about({ q[2], q[3], q[4] }, angle)
  end
  local e = self:numbers(node, "euler", 3, 3)
  if e then
    local out = spatial.identity()
    for i = 1, 3 do
      local letter = self.sequence:sub(i, i)
      local turn = about(AXES[letter:lower()], e[i] * self.angle)
      -- small letters: about axes that turn along
      out = letter:lower() == letter and spatial.multiply(out, turn) or spatial.multiply(turn, out)
    end
    return out
  end
  local a = self:numbers(node, "axisangle", 4, 4)
  if a then
    self:is_none(node, "axisangle", { a[1], a[2], a[3] })
    return about({ a[1], a[2], a[3] }, a[4] * self.angle)
  end
  local xy = self:numbers(node, "xyaxes", 6, 6)
  if xy then
    local x = unit { xy[1], xy[2], xy[3] }
    local y = x and { xy[4], xy[5], xy[6] }
    y = y and unit(spatial.sub(y, spatial.scale(x, spatial.dot(x, y))))
    if y then return from_columns(x, y, spatial.cross(x, y)) end
    self:wrong(node, "xyaxes", "<%s xyaxes='%s'>: expected two axes", node.name, node.attributes.xyaxes)
  end
  local z = self:numbers(node, "zaxis", 3, 3)
  if z then self:is_none(node, "zaxis", z) end
  return z and towards(z) or spatial.identity()
end

function Reader:pose(node) return { p = self:numbers(node, "pos", 3, 3, { 0, 0, 0 }), r = self:rotation(node) } end

return { Reader = Reader, towards = towards, words = words }
