-- What is wrong with a world, all of it in one turn: one mistake hides another only where that cannot be judged without
-- what the first one is about.
local beside = require "robotalk.beside"
local check = require "robotalk.descriptor.check"
local core = require "robotalk.core"
local near = require "robotalk.near"
local overlap = require "robotalk.world.overlap"
local things_of = require "robotalk.world.things"
local triangles = require "robotalk.triangles"

local mistakes = {}

local MOST = 4096    -- things
local LONGEST = 63   -- characters of a name
local FARTHEST, FINEST = core.farthest, core.finest -- m, that a thing may be long, or away; and a side of it at least
local LIGHTEST, HEAVIEST = things_of.LIGHTEST, things_of.HEAVIEST

-- Fields that say neither where a thing is nor how large, and those that say only where.
local ASIDE = { name = true, colour = true, friction = true, mass = true }
local PLACE = { position = true, raised = true, heading = true, attitude = true }

-- ---- of things, whatever file they come from ----

local SIDES = { box = 3, mesh = 3, cylinder = 2, sphere = 1 }

-- What is wrong of how long a thing is, or how far away; nil: nothing.
local function length_of(thing)
  local size = thing.shape == "mesh" and things_of.box(thing) or thing.size
  for k = 1, 3 do
    if not (size[k] <= FARTHEST and math.abs(thing.position[k]) <= FARTHEST) then -- nor NaN
      return ("expected nothing longer, or farther away, than %g m"):format(FARTHEST)
    end
  end
  for k = 1, SIDES[thing.shape] do
    if size[k] < FINEST then
      return ("expected no side, and no radius, shorter than %g m, got %g"):format(FINEST, size[k])
    end
  end
end

---Reports things that are too far away, too small, of an absurd mass, or begin inside of others. Things that are
---`unsure` are not judged: something about how large they are is wrong; nor are those that are `lost`, but for their
---mass: something about where they are is. What `moves` has a mass that is not known.
function mistakes.of_things(things, report)
  if #things > MOST then
    report:add("", "expected at most %d things in all, a wall counts one for each part", MOST)
    things = table.move(things, 1, MOST, 1, {})
  end
  local last -- that something was told of: several things may be made of one
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

---Reports names that two things have. list: { { name =, path =, said = where a mistake is told }, … }.
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

-- ---- of a table ----

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

-- Sizes that are 0, and what says its attitude twice.
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
  for _, list in ipairs { "boxes", "pillars", "balls", "meshes" } do
    for i, d in ipairs(good[list] or {}) do
      if d and d.heading and d.attitude then
        report:add(("%s[%d].heading"):format(list, i), "expected heading or attitude, got both")
      end
    end
  end
end

-- A view of what is where it is taken from.
local function check_view(view, report)
  local from, to = view and view.from, view and view.to
  if from and to and from[1] == to[1] and from[2] == to[2] and from[3] == to[3] then
    report:expected("view.to", "another place than from", to)
  end
end

-- The fields that each kind of thing has, and their names in their order.
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

-- Marks what a mistake leaves unknown: an entry is `lost` if one is about where it is, `unsure` if one may be about how
-- large it is; it `moves` if one is about its mass.
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

-- The names of things, in the order of their lists.
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

-- A floor of which no look is said has squares, by which motion and size are seen.
local function floor_of(floor)
  floor = floor or {}
  if not floor.texture and (floor.other or not floor.colour) then floor.texture = "checker" end
  return floor
end

-- The room of what is good of a table, as the core has it.
local function room_of(good, things)
  local lights = {}
  for i, light in ipairs(good.lights or {}) do
    lights[i] = { position = light.position, direction = light.direction or { 0, 0, -1 }, sun = light.sun,
      colour = light.colour }
  end
  return { things = things, lights = lights, floor = floor_of(good.floor), sky = good.sky, step = good.step,
    start = good.start or {}, view = good.view, gravity = good.gravity == 0 and -1 or good.gravity }
end

---What is wrong with a table as a world's file returns it: a report of descriptor.check; and its room, nil when
---anything is wrong. file: whose table it is.
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

---Adds to a report the angles of a world's table that are more than a turn, and may be meant in degrees.
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
