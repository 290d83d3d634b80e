-- Fields that a file format cannot hold, by spec/descriptor.lua: so a new field is never dropped silently.
local kinds = require "robotalk.descriptor.check".kinds

-- Poses, which a file may hold in the pose of another part.
local POSES <const> = { position = true, attitude = true, inboard = true, outboard = true, rest = true }

-- Calls fn(kind, field's name, value) for each field of a table of that kind, and of its parts where fn returns true.
local function walk(kind, t, fn)
  for _, field in ipairs(kinds[kind]) do
    local name, value = field[1], t[field[1]]
    if value ~= nil and fn(kind, name, value) then
      local form, part = field[2]:match "^(%a+) (%a+)$"
      if form == "one" then
        walk(part, value, fn)
      elseif form then
        for _, one in pairs(value) do walk(part, one, fn) end
      end
    end
  end
end

local left_out = {}

---The text of a note.
function left_out.says(name, kind, format)
  return ("%s of a %s has no place in %s and is left out"):format(name, kind, format)
end

---The names of the fields of a table of that kind that are not in keeps, a set, in the order of the specification.
function left_out.beside(kind, t, keeps)
  local names = {}
  walk(kind, t, function(_, name)
    if not keeps[name] then names[#names + 1] = name end
  end)
  return names
end

---A note { message }, or none, of the fields of a descriptor that are not in kept, a set of "kind.field", but poses.
function left_out.outside(descriptor, kept, format)
  local said, names = {}, {}
  walk("robot", descriptor, function(kind, name)
    local field = kind .. "." .. name
    if kept[field] or POSES[name] then return true end
    if not said[field] then names[#names + 1] = ("%s of a %s"):format(name, kind) end
    said[field] = true
  end)
  local words = "left out, since %s has no place for it: %s"
  return { names[1] and { message = words:format(format, table.concat(names, ", ")) } }
end

---The same of those that are lost when it is read back from a file of that format.
function left_out.compare(descriptor, back, format)
  local kept = {}
  walk("robot", back, function(kind, name)
    kept[kind .. "." .. name] = true
    return true
  end)
  return left_out.outside(descriptor, kept, format)
end

return left_out
