-- The start positions of robots of this process without a position of their own: those of the world
-- (docs/worlds.md), and next to them when these are occupied.
local check = require "robotalk.descriptor.check"
local copy = require "robotalk.descriptor.copy"
local core = require "robotalk.core"
local extent = require "robotalk.descriptor.extent"
local free = require "robotalk.world.free"
local log = require "robotalk.log"
local spatial = require "robotalk.robot.spatial"

local start = {}

local MIDDLE <const> = { 0.0, 0.0, 0.0 }
local places, stands = { MIDDLE }, {} -- those of the world, { x, y, heading, height }; its objects
local is_said = false                 -- a world with objects or start positions was opened
local given = {}                      -- name of a robot -> its assigned place
local extents = {}                    -- name of a simulated robot -> its extent, and its place, if it has no base

---Sets the start positions and the objects from now on. Existing robots stay where they are.
function start.set(list, things)
  places, stands, is_said = #list > 0 and list or { MIDDLE }, things, #list + #things > 0
end

local SIMULATORS <const> = { sim = true, walk = true, simbus = true, physics = true }

-- Whether simulators move all of it: the position of real robots does not come from a file.
local function is_simulated(description)
  if require "robotalk.descriptor".dry then return true end
  local function by(holder)
    local name = holder and holder.driver or "sim"
    local entry = (description.drivers or {})[name]
    return SIMULATORS[entry and (entry.driver or entry.script and "lua") or name]
  end
  for _, joint in pairs(description.joints or {}) do if not by(joint) then return false end end
  return by(description.base)
end

-- Whether a description has the position of its robot. A position of 0, 0 and some height is only the height, for
-- example of a robot on legs.
local function has_place(root)
  local at = root.position
  return root.attitude or at and (at[1] ~= 0 or at[2] ~= 0 or at[3] == 0)
end

---Whether a simulation with physics moves a part of a robot. flat: its records.
function start.has_physics(flat)
  for _, device in ipairs(flat.device) do if device.driver == "physics" then return true end end
  return false
end

-- The parts of the existing simulated robots at their present positions, and their assigned places. heavy: only of
-- those that have physics.
local function others(heavy)
  local parts, taken = {}, {}
  for _, name in ipairs(core.robots()) do
    local one = extents[name]
    if one and (one.has_physics or not heavy) then
      local state = one.stands or core.robot_state(name)
      for _, part in ipairs(extent.at(one, state.pose, state.attitude)) do parts[#parts + 1] = part end
      if given[name] then taken[given[name]] = true end
    end
  end
  return parts, taken
end

-- How high a description's root link is at a place, of which one without a base has the height unless it has its own.
local function height_at(place, description)
  local root = (description.links or {})[0]
  if root and root.position then return root.position[3] end
  return not description.base and place[4] or 0
end

-- A place for a robot of that extent; the second: it is no start position.
local function place_for(one, description)
  -- without a world robots without physics do not collide
  local parts, taken = others(not is_said)
  for _, place in ipairs(places) do
    local there = extent.at(one, { place[1], place[2], height_at(place, description) }, { 0, 0, place[3] or 0 })
    if not taken[place] and not free.meet(there, parts) then return place end
  end
  local last = places[#places]
  local beside = free.beside(last, one, height_at(last, description), stands, parts)
  if beside then beside[4] = last[4] end
  return beside, true
end

-- The links of a description without a parent, moved so that the root link is at a place.
local function moved(made, place)
  local links, held = copy(made.descriptor.links or {}), {}
  local root = made.records.link[1]
  local raised = height_at(place, made.descriptor) - (root and root.position[3] or 0)
  local turn = { p = { place[1], place[2], raised }, r = spatial.from_angles { 0, 0, place[3] or 0 } }
  for _, joint in ipairs(made.records.joint) do
    held[joint.child] = held[joint.child] or joint.parent ~= check.WORLD
  end
  for i, link in ipairs(made.records.link) do
    if not held[i - 1] then
      local there = spatial.compose(turn, { p = link.position, r = spatial.from_angles(link.attitude) })
      links[i - 1] = copy(links[i - 1] or {})
      links[i - 1].position, links[i - 1].attitude = there.p, spatial.to_angles(there.r)
    end
  end
  return links
end

---The description of a robot at its place: another table; nil: it stays unchanged. made: the result of
---descriptor.check. again: it is that of an existing robot.
function start.placed(made, again)
  local description, name = made.descriptor, made.records.name
  local root = (description.links or {})[0] or {}
  for _, there in ipairs(again and {} or core.robots()) do
    if there == name then return nil end -- it will be refused
  end
  extents[name], given[name] = nil, again and given[name] or nil
  if not is_simulated(description) then return nil end
  local one, link = extent.of(made), made.records.link[1]
  one.has_physics = start.has_physics(made.records)
  one.stands = not description.base and link and { pose = link.position, attitude = link.attitude } or nil
  extents[name] = one
  if has_place(root) or not (is_said or one.has_physics) then return nil end
  local place, beside = given[name], false
  if not again then place, beside = place_for(one, description) end
  given[name] = place
  if not place or place == MIDDLE then
    if beside then
      log.say("warning", "%s begins at 0, 0, where others stand: there is no free place near", name)
    end
    return nil
  end
  if beside then
    log.say("info", "%s begins at %.2f, %.2f: the places for robots are taken", name, place[1], place[2])
  end
  if one.stands then
    one.stands = { pose = { place[1], place[2], height_at(place, description) }, attitude = { 0, 0, place[3] or 0 } }
  end
  local out = copy(description)
  out.links = moved(made, place)
  return out
end

return start
