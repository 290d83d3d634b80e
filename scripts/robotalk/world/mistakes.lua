-- The errors of a world, all at once: an error hides another only if that cannot be checked without the
-- value of the first one.
local beside = require "robotalk.robot.beside"
local check = require "robotalk.descriptor.check"
local core = require "robotalk.core"
local near = require "robotalk.mistakes.near"
local overlap = require "robotalk.world.overlap"
local shape = require "robotalk.shape"
local things_of = require "robotalk.world.things"
local triangles = require "robotalk.pictures.triangles"

local mistakes = {}

local MOST = 4096    -- things
local LONGEST = 63   -- characters of a name
local FARTHEST, FINEST = core.farthest, core.finest -- m, of an object: greatest length and distance; shortest side
local LIGHTEST, HEAVIEST = things_of.LIGHTEST, things_of.HEAVIEST

-- Fields that set neither the place nor the size of an object, and those that set only the place.
local ASIDE = { name = true, colour = true, friction = true, mass = true }
local PLACE = { position = true, raised = true, heading = true, attitude = true }

-- ---- errors of objects, from any kind of file ----

-- The error in the length or the distance of an object; nil: none.
local function length_of(thing)
  local size = thing.shape == "mesh" and things_of.box(thing) or thing.size
  for k = 1, 3 do
    if not (size[k] <= FARTHEST and math.abs(thing.position[k]) <= FARTHEST) then -- nor NaN
      return ("expected nothing longer, or farther away, than %g m"):format(FARTHEST)
    end
  end
  for k = 1, shape.kinds[thing.shape].sizes do
    if size[k] < FINEST then
      return ("expected no side, and no radius, shorter than %g m, got %g"):format(FINEST, size[k])
    end
  end
end

---Reports objects that are too far away, too small, of an absurd mass, or begin inside of others. Objects that are
---`unsure` are not checked, since their size has an error; of those that are `lost` only the mass is checked,
---since their place has an error. An object that `moves` has an unknown mass.
function mistakes.of_things(things, report)
  if #things > MOST then
    report:add("", "expected at most %d things in all, a wall counts one for each part", MOST)
    things = table.move(things, 1, MOST, 1, {})
  end
  local last -- with a report: several objects may be made of one
  for _, thing in ipairs(things) do
    local wrong = not thing.unsure and length_of(thing)
    if wrong then
      thing.unsure = true
      if last ~= thing.path then report:add(thing.path, "%s", wrong) end
      last = thing.path
    end
    local density = not thing.unsure and thing.mass and thing.mass / things_of.volume(thing)
    if density and (density > HEAVIEST or density < LIGHTEST and not thing.mesh) and last ~= thing.path then
      last = thing.path
      report:add(thing.path .. ".mass", "expected %g to %g kg for each cubic metre, got %.3g", LIGHTEST, HEAVIEST,
        density)
    end
  end
  local movers, into = overlap.find(things)
  for i, mover in ipairs(movers) do
    report:add(things[mover].path, "it begins inside of %s: expected things that move to be free of others",
      things[into[i]].path)
  end
end

---Reports duplicate names of objects. list: { { name =, path =, said = the place for a mistake }, … }.
function mistakes.of_names(list, report)
  local first = {}
  for _, one in ipairs(list) do
    if one.name:find "^#" then
      report:add(one.said or one.path, "expected a name that does not begin with #, as those of things without one do")
    end
    if #one.name > LONGEST then
      report:add(one.said or one.path, "expected a name of at most %d characters", LONGEST)
    end
    if first[one.name] then
      report:add(one.said or one.path, "expected a name of its own, got that of %s", first[one.name])
    end
    first[one.name] = first[one.name] or one.path
  end
end

-- ---- errors of a table ----

-- Reads the files of meshes into them. file: that of the world.
local function read_meshes(good, file, report)
  local read = triangles.reader()
  for i, d in ipairs(good.meshes or {}) do
    local at = ("meshes[%d].file"):format(i)
    local path = d and d.file and (file and beside.find(file, d.file) or not file and d.file)
    if path then
      local mesh, why = read(path, d.file)
      d.mesh = mesh
      if not mesh then report:add(at, "%s", why) end
    elseif d and d.file then
      report:add(at, "%s: there is no such file beside the world's", d.file)
    end
  end
end

-- The fields of each kind of object, and their names in their order.
local KINDS = {}
for _, field in ipairs(check.kinds.world) do
  local kind = field[2]:match "^list (%l+)$"
  local names = {}
  for i, row in ipairs(kind and check.kinds[kind] or {}) do
    names[i] = row[1]
    names[row[1]] = true
  end
  if kind then KINDS[field[1]] = names end
end

-- Sizes that are 0, and objects with two attitudes.
local function check_sizes(good, report)
  local function above(list, field, what)
    for i, d in ipairs(good[list] or {}) do
      for _, side in ipairs(d and d[field] or {}) do
        if side <= 0 then report:expected(("%s[%d].%s"):format(list, i, field), what, d[field]) break end
      end
    end
  end
  above("boxes", "size", "three sizes above 0")
  above("meshes", "scale", "one to three numbers above 0")
  for _, list in ipairs(things_of.LISTS) do
    for i, d in ipairs(KINDS[list].attitude and good[list] or {}) do
      if d and d.heading and d.attitude then
        report:add(("%s[%d].heading"):format(list, i), "expected heading or attitude, got both")
      end
    end
  end
end

-- A view whose viewpoint is its target.
local function check_view(view, report)
  local from, to = view and view.from, view and view.to
  if from and to and from[1] == to[1] and from[2] == to[2] and from[3] == to[3] then
    report:expected("view.to", "another place than from", to)
  end
end

-- Marks values that a mistake leaves unknown: an entry is `lost` if one concerns its place, `unsure` if one may concern
-- its size; it `moves` if one concerns its mass.
local function mark(good, value, report)
  for _, one in ipairs(report) do
    local list, number, field = one.path:match "^(%l+)%[(%d+)%]%.?([^.[]*)"
    local names, d = KINDS[list], good[list] and good[list][tonumber(number)]
    if names and not names[field] then field = near(field, names) end -- a word for another that was meant
    if names and d and PLACE[field] then d.lost = true end
    if names and d and field and not ASIDE[field] and not PLACE[field] then d.unsure = true end
    if names and d and field == "mass" then
      local given = value[list][tonumber(number)]
      d.moves = d.moves or given.mass ~= 0
    end
  end
end

-- The names of objects, in the order of their lists.
local function names_of(good)
  local out = {}
  for _, list in ipairs(things_of.LISTS) do
    for i, d in ipairs(good[list] or {}) do
      local path = ("%s[%d]"):format(list, i)
      if d and d.name then out[#out + 1] = { name = d.name, path = path, said = path .. ".name" } end
    end
  end
  return out
end

-- A floor without colour and texture has squares, which make motion and size visible.
local function floor_of(floor)
  floor = floor or {}
  if not floor.texture and (floor.other or not floor.colour) then floor.texture = "checker" end
  return floor
end

-- The room of the valid parts of a table, for the core.
local function room_of(good, things)
  local lights = {}
  for i, light in ipairs(good.lights or {}) do
    lights[i] = { position = light.position, direction = light.direction or { 0, 0, -1 }, sun = light.sun,
      colour = light.colour }
  end
  return { things = things, lights = lights, floor = floor_of(good.floor), sky = good.sky, step = good.step,
    start = good.start or {}, view = good.view, gravity = good.gravity == 0 and -1 or good.gravity }
end

---The errors of a table of a world's file: a report of descriptor.check; and its room, nil on
---any error. file: that of the table.
function mistakes.of(value, file)
  local report, room = check.report(), nil
  local ok, trouble = pcall(function()
    local good = check.world(value, report)
    if not good then return end
    check_sizes(good, report)
    check_view(good.view, report)
    read_meshes(good, file, report)
    mark(good, value, report)
    mistakes.of_names(names_of(good), report)
    local things = things_of.of(good)
    mistakes.of_things(things, report)
    if #report == 0 then room = room_of(good, things) end
  end)
  if not ok and trouble ~= check.FULL then error(trouble, 0) end
  return report, room
end

---Adds the angles of a world's table that are more than a turn, and may be in degrees, to a report.
function mistakes.note_degrees(value, report)
  local function note(path, angle)
    if type(angle) == "number" and math.abs(angle) > 2 * math.pi then
      report:add(path, "%.4g rad are %.1f turns: are these degrees?", angle, angle / (2 * math.pi))
    end
  end
  local function each(list, fn)
    for i, d in ipairs(type(list) == "table" and list or {}) do if type(d) == "table" then fn(i, d) end end
  end
  for _, name in ipairs(things_of.LISTS) do
    each(value[name], function(i, d)
      note(("%s[%d].heading"):format(name, i), d.heading)
      for k = 1, type(d.attitude) == "table" and 3 or 0 do
        note(("%s[%d].attitude[%d]"):format(name, i, k), d.attitude[k])
      end
    end)
  end
  each(value.start, function(i, place) note(("start[%d]"):format(i), place[3]) end)
end

return mistakes
