-- What stands around simulated robots: a Lua file that only computes and returns a table, checked like a descriptor
-- (docs/worlds.md), or MJCF (world/mjcf.lua). They are found by name among the embedded ones, or by path.
local beside = require "robotalk.beside"
local core = require "robotalk.core"
local check = require "robotalk.descriptor.check"
local descriptor = require "robotalk.descriptor"
local mistake = require "robotalk.mistake"
local near = require "robotalk.near"
local overlap = require "robotalk.world.overlap"
local things_of = require "robotalk.world.things"
local triangles = require "robotalk.triangles"

local world = {}

local LARGEST = 1 << 20               -- bytes of a file
local MOST = 4096                     -- things
local FARTHEST = 1e6                  -- m, that a thing may be long, or away
local LIGHTEST, HEAVIEST = 0.1, 25000 -- kg/m3: thin foam, and more than any metal

-- Reads the files of meshes into them. file: that of the world.
local function read_meshes(good, file, report)
  local read = triangles.reader()
  for i, d in ipairs(good.meshes or {}) do
    local at = ("meshes[%d].file"):format(i)
    local path = d and (file and beside.find(file, d.file) or not file and d.file)
    if d and not path then
      report:add(at, "%s: there is no such file beside the world's", d.file)
    elseif d then
      local mesh, why = read(path, d.file)
      d.mesh = mesh
      if not mesh then report:add(at, "%s", why) end
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

-- Of things: what is too far away, of an absurd mass, or begins inside of another.
local function check_things(things, report)
  local names = {}
  for _, thing in ipairs(things) do
    for k = 1, 3 do
      if not (thing.size[k] <= FARTHEST and math.abs(thing.position[k]) <= FARTHEST) then -- nor NaN
        return report:add(thing.path, "expected nothing longer, or farther away, than %g m", FARTHEST)
      end
    end
    if thing.name and names[thing.name] then
      report:add(thing.path .. ".name", "expected a name of its own, got that of %s", names[thing.name])
    end
    if thing.name then names[thing.name] = names[thing.name] or thing.path end
    local density = thing.mass and thing.mass / things_of.volume(thing)
    if density and (density > HEAVIEST or density < LIGHTEST and not thing.mesh) then
      report:add(thing.path .. ".mass", "expected %g to %g kg for each cubic metre, got %.3g", LIGHTEST, HEAVIEST,
        density)
    end
  end
  if #things > MOST then
    return report:add("", "expected at most %d things in all, a wall counts one for each part", MOST)
  end
  local movers, into = overlap.find(things)
  for i, mover in ipairs(movers) do
    report:add(things[mover].path, "it begins inside of %s: expected things that move to be free of others",
      things[into[i]].path)
  end
end

-- The room of a table, as the core has it, and a report of what is wrong with it. file: whose table it is.
local function examine(value, file)
  local report, room = check.report(), nil
  local ok, trouble = pcall(function()
    local good = check.world(value, report)
    if #report > 0 then return end
    check_sizes(good, report)
    read_meshes(good, file, report)
    if #report > 0 then return end
    local things = things_of.of(good)
    check_things(things, report)
    local lights = {}
    for i, light in ipairs(good.lights or {}) do
      lights[i] = { position = light.position, direction = light.direction or { 0, 0, -1 }, sun = light.sun,
        colour = light.colour }
    end
    room = { things = things, lights = lights, floor = good.floor, step = good.step, start = good.start or {},
      view = good.view, gravity = good.gravity == 0 and -1 or good.gravity }
  end)
  if not ok and trouble ~= check.FULL then error(trouble, 0) end
  return room, report
end

---Whether a file is a world in MJCF, by its name and its text.
function world.is_mjcf(name, text) return name:lower():find "%.xml$" ~= nil and text:find("<mujoco", 1, true) ~= nil end

-- The room of a text in MJCF; what is wrong with it, as lines.
local function read_mjcf(text, file)
  local lines, report = {}, check.report()
  local room, errors = require "robotalk.world.mjcf".read(text, file)
  for i, one in ipairs(errors or {}) do
    lines[i] = ("%s:%d:%d: %s"):format(file, one.line, one.column, one.message)
  end
  if not room then return nil, lines end
  local ok, trouble = pcall(check_things, room.things, report)
  if not ok and trouble ~= check.FULL then error(trouble, 0) end
  for i, one in ipairs(report) do
    lines[i] = ("%s:%s: %s"):format(file, one.path == "" and "1" or one.path, one.message)
  end
  return #lines == 0 and room or nil, lines
end

---Whether what a data file returns is a world, and no robot.
function world.is(value)
  if type(value) ~= "table" or value.name ~= nil or value.links ~= nil then return false end
  for _, field in ipairs(check.kinds.world) do if value[field[1]] ~= nil then return true end end
  return false
end

---What is wrong with a table as a file returns it: a list of { path =, message = }, with `more` when there is more of
---it; and its room, nil when anything is wrong: { things =, lights =, floor =, start =, view =, gravity =, step = }.
---file: beside which its meshes are.
function world.check(value, file)
  local room, report = examine(value, file)
  return report, #report == 0 and room or nil
end

---What is wrong with what a file returns, as lines "file:line: what, expected what"; text: the file's, which is all
---there is of MJCF. Then its room.
function world.errors(value, file, text)
  if world.is_mjcf(file, text) then
    local room, lines = read_mjcf(text, file)
    return lines, room
  end
  if type(value) ~= "table" then
    return { ("%s:1: expected the file to return a table, got %s"):format(file, type(value)) }
  end
  local report, room = world.check(value, file)
  return descriptor.lines_of(report, text, file), room
end

---Names of the embedded worlds.
function world.names() return core.scripts "worlds" end

---The text of an embedded world or a file, and its path; nil, message, code.
function world.text(name)
  local path = "worlds/" .. name .. ".lua"
  local text = core.script(path)
  if text then return text, path end
  if name:find "[./]" then
    local why, code
    text, why, code = core.read_file(name, LARGEST)
    if not text then return nil, why, code end
    return text, name
  end
  local meant = near(name, world.names())
  return nil, ("there is no world '%s'%s that come along: %s"):format(name,
    meant and (", did you mean %s? Those"):format(meant) or "; those", table.concat(world.names(), ", ")), "ENONE"
end

---Reads a file, or an embedded world: its room; nil, message with a line for everything that is wrong, code.
function world.read(name)
  local text, file, code = world.text(name)
  if not text then return nil, file, code end
  local value, message
  if not world.is_mjcf(file, text) then value, message = core.data(text, "@" .. file) end
  if message then return nil, message, "EINVAL" end
  local errors, room = world.errors(value, file, text)
  if #errors > 0 then return nil, table.concat(errors, "\n"), "EINVAL" end
  return room
end

---Sets up what stands in this process's world: a name, a file, or a table as such a file returns; file: whose table it
---is. true; nil, message, code as of read.
function world.open(what, file)
  local room
  if type(what) == "string" then
    local message, code
    room, message, code = world.read(what)
    if not room then return nil, message, code end
  elseif type(what) == "table" then
    local report
    report, room = world.check(what, file)
    if #report > 0 then mistake("world: %s: %s", report[1].path, report[1].message) end
  else
    mistake("world: want a name, a file or a table, got %s", type(what))
  end
  local ok, message, code = core.surround(room)
  if ok then
    require "robotalk.descriptor.start".set(room.start)
    require "robotalk.film".view = room.view
  end
  return ok, message, code
end

return world
