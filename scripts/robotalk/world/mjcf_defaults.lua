-- Classes of defaults in MJCF: values of attributes that elements lack. They are filled in before an
-- element is read, with the origin of each, so that a mistake in a default is reported there, and once.
local defaults = {}

local function words(text)
  local set = {}
  for word in text:gmatch "%S+" do set[word] = true end
  return set
end

-- Elements that are read, whose defaults count; others change nothing here, or are refused in place.
local READ <const> = words "geom mesh material light"
local PASSED <const> = words("joint site camera skin pair equality tendon general motor position velocity intvelocity "
  .. "damper cylinder muscle adhesion")

-- The number of values in attributes of defaults.
local COUNTS <const> = {
  geom = { size = { 1, 3 }, fromto = { 6, 6 }, pos = { 3, 3 }, quat = { 4, 4 }, euler = { 3, 3 }, axisangle = { 4, 4 },
    xyaxes = { 6, 6 }, zaxis = { 3, 3 }, rgba = { 4, 4 }, mass = { 1, 1 }, density = { 1, 1 }, friction = { 1, 3 },
    contype = { 1, 1 }, conaffinity = { 1, 1 } },
  mesh = { scale = { 3, 3 } },
  material = { rgba = { 4, 4 } },
  light = { pos = { 3, 3 }, dir = { 3, 3 }, diffuse = { 3, 3 } },
}

-- An element with one form of orientation has no default of another form.
local TURNS <const> = words "quat euler axisangle xyaxes zaxis"

-- A copy of a class: kind of element -> attribute -> { its text, the element that has it }.
local function copy(class)
  local out = {}
  for kind, attributes in pairs(class) do
    out[kind] = {}
    for name, said in pairs(attributes) do out[kind][name] = said end
  end
  return out
end

-- A class from the attributes of its element and of the enclosing class; inner classes follow.
local function read_class(reader, node, class, name)
  reader.classes[name] = class
  for _, child in ipairs(node.children) do
    local kind = child.name
    if READ[kind] then
      reader:check(child)
      for attribute, text in pairs(child.attributes) do
        local count = (COUNTS[kind] or {})[attribute]
        if count then reader:numbers(child, attribute, count[1], count[2]) end
        class[kind] = class[kind] or {}
        class[kind][attribute] = { text, child }
      end
    elseif kind ~= "default" and not PASSED[kind] then
      reader:fail(child, "<%s> in <default>: expected geom, mesh, material, light, or what is left out here", kind)
    end
  end
  for _, child in ipairs(node.children) do
    local inner = child.attributes.class
    if child.name == "default" then
      if not inner then
        reader:fail(child, "<default>: expected a class")
      elseif reader.classes[inner] then
        reader:fail(child, "<default class='%s'>: expected a class of its own", inner)
      else
        read_class(reader, child, copy(class), inner)
      end
    end
  end
end

---Reads an element of defaults in the root.
function defaults.read(reader, node)
  reader.main = reader.main or node.attributes.class or "main"
  read_class(reader, node, reader.classes[reader.main] or {}, reader.main)
end

---Whether there is a class of that name; an error at the element when there is none, once for each name.
function defaults.has(reader, node, attribute)
  local name = node.attributes[attribute]
  if reader.classes[name] or name == "main" then return true end
  if not reader.missing[name] then
    reader:fail(node, "<%s %s='%s'>: there is no such class among the defaults", node.name, attribute, name)
  end
  reader.missing[name] = true
  return false
end

---Fills in the missing attributes of an element. class: that of the bodies around it, nil: none. false: the class
---that it names does not exist.
function defaults.fill(reader, node, class)
  if node.attributes.class and not defaults.has(reader, node, "class") then return false end
  class = node.attributes.class or class
  local turns = false
  for name in pairs(node.attributes) do turns = turns or TURNS[name] end
  node.from = {}
  for name, said in pairs((reader.classes[class or reader.main or "main"] or {})[node.name] or {}) do
    if not node.attributes[name] and not (turns and TURNS[name]) and name ~= "class" and name ~= "name" then
      node.attributes[name], node.from[name] = said[1], said[2]
    end
  end
  return true
end

return defaults
