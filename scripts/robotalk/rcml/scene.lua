-- Nodes of a VRML97 file in the form of bindings/lua/vrml.c: their fields, given or not, with numbers as they were
-- written, and their places.
local spatial = require "robotalk.robot.spatial"

local scene = {}

-- A number of a file is a float; the shortest decimal that reads as the same float is what was written, as a rule.
local function written(x)
  if x ~= x or x == math.huge or x == -math.huge or x == math.floor(x) then return x end
  for digits = 6, 8 do
    local short = tonumber(("%." .. digits .. "g"):format(x))
    if string.unpack("f", string.pack("f", short)) == x then return short end
  end
  return x
end

---Nine digits: a sum of decimals is a decimal again.
function scene.round(x)
  if math.abs(x) < 1e-9 then return 0.0 end
  return tonumber(("%.9g"):format(x)) + 0.0
end

function scene.round_all(v)
  local out = {}
  for i, x in ipairs(v) do out[i] = scene.round(x) end
  return out
end

---Rounds angles to whole degrees if only the precision of floats differs.
function scene.angle(x)
  local whole = math.floor(math.deg(x) + 0.5)
  if math.abs(math.deg(x) - whole) < 3e-5 then return math.rad(whole) end
  return scene.round(x)
end

---A number of radians of a file: whole degrees if they are the same float.
function scene.radians(x)
  local whole = math.rad(math.floor(math.deg(x) + 0.5))
  return math.abs(x) < 1e6 and string.pack("f", whole) == string.pack("f", x) and whole or x
end

---Roll, pitch, yaw of a rotation; nil: none.
function scene.angles(r)
  local out, any = {}, false
  for i, x in ipairs(spatial.to_angles(r)) do
    out[i] = scene.angle(x)
    any = any or out[i] ~= 0
  end
  return any and out or nil
end

---The value of a field, given or by default; nil: the node has no such field, or there is no node.
function scene.get(node, field)
  local value = node.fields[field]
  if type(value) == "number" then return written(value) end
  if type(value) == "table" and type(value[1]) == "number" then
    local out = {}
    for i, x in ipairs(value) do out[i] = written(x) end
    return out
  end
  return value
end

---The value of a field that was given in the file; nil: it was not.
function scene.given(node, field)
  if rawget(node.fields, field) == nil then return nil end
  return scene.get(node, field)
end

---The nodes of a field, one or several; an empty list: none.
function scene.nodes(node, field)
  local value = node.fields[field]
  if type(value) ~= "table" then return {} end
  return value.type and { value } or value
end

---A text that is not empty, or nil.
function scene.text(node, field)
  local value = node.fields[field]
  return type(value) == "string" and value ~= "" and value or nil
end

---A list of n numbers, or nil.
function scene.vector(node, field, n)
  local value = scene.get(node, field)
  return type(value) == "table" and #value == n and type(value[1]) == "number" and value or nil
end

---The rotation of an axis and an angle, row by row.
function scene.rotation(value)
  if not value or #value ~= 4 then return spatial.identity() end
  local angle = scene.angle(value[4])
  if angle == 0 or spatial.length(value) == 0 then return spatial.identity() end
  local a = spatial.unit(value)
  local c, s, out = math.cos(angle), math.sin(angle), {}
  local cross = { { 0, -a[3], a[2] }, { a[3], 0, -a[1] }, { -a[2], a[1], 0 } }
  for i = 1, 3 do
    out[i] = {}
    for k = 1, 3 do out[i][k] = (i == k and c or 0) + s * cross[i][k] + (1 - c) * a[i] * a[k] end
  end
  return out
end

---The transform of a node with translation, center and rotation.
function scene.pose(node)
  local r = scene.rotation(scene.vector(node, "rotation", 4))
  local translation = scene.vector(node, "translation", 3) or { 0, 0, 0 }
  local center = scene.vector(node, "center", 3) or { 0, 0, 0 }
  return { p = spatial.sub(spatial.add(translation, center), spatial.turn(r, center)), r = r }
end

return scene
