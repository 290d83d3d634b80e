-- Where the robots of this process are put that come without a position of their own: what the world says
-- (docs/worlds.md).
local core = require "robotalk.core"

local start = {}

local places = {} -- those of the world: { x, y, heading }
local taken = {}  -- name of a robot -> the number of its place

---These are the places from now on. Robots that are there already stay where they are.
function start.set(list) places, taken = list, {} end

local function copy(t)
  local out = {}
  for key, value in pairs(t) do out[key] = value end
  return out
end

-- The first place that no robot has that is still there.
local function free()
  local has = {}
  for _, name in ipairs(core.robots()) do
    if taken[name] then has[taken[name]] = true end
  end
  for i in ipairs(places) do if not has[i] then return i end end
end

local SIMULATORS <const> = { sim = true, walk = true, simbus = true, physics = true }

-- Whether simulators move all of it: where others are is not for a file to say.
local function is_simulated(description)
  local function by(holder)
    local name = holder and holder.driver or "sim"
    local entry = (description.drivers or {})[name]
    return SIMULATORS[entry and (entry.driver or entry.script and "lua") or name]
  end
  for _, joint in pairs(description.joints or {}) do if not by(joint) then return false end end
  return by(description.base)
end

-- Whether a description says where its robot is. A position of 0, 0 and some height says how high it stands, as that of
-- a robot on legs.
local function has_place(root)
  local at = root.position
  return root.attitude or at and (at[1] ~= 0 or at[2] ~= 0 or at[3] == 0)
end

---The description of a robot at its place: another table; nil: it is to stay as it is. name: the robot's. again: it is
---the description of a robot that is there already.
function start.placed(description, name, again)
  local root = (description.links or {})[0] or {}
  if #places == 0 or has_place(root) or not is_simulated(description) then return nil end
  local number = again and taken[name] or not again and free()
  local place = number and places[number]
  if not place then return nil end
  taken[name] = number
  local out = copy(description)
  out.links = copy(out.links or {})
  out.links[0] = copy(root)
  out.links[0].position = { place[1], place[2], root.position and root.position[3] or 0 }
  out.links[0].attitude = { 0, 0, place[3] or 0 }
  return out
end

return start
