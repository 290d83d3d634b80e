-- Options of a query for a robot's state, and the names that the core adds to it (bindings/lua/state.c).
local checked = require "robotalk.mistakes.checked"
local keys = require "robotalk.session.keys"
local mistake = require "robotalk.mistakes.mistake"

local states = {}

local MORE = { forces = 1, frames = 2, goals = 4 }

---The optional parts of a state, as a number for the wire, by options of a call that messages name `what`.
function states.more_of(options, what)
  local more = 0
  for name, wanted in pairs(checked.options(options, MORE, what)) do
    if type(wanted) ~= "boolean" then mistake("%s: %s: want true or false, got %s", what, name, type(wanted)) end
    if wanted then more = more | MORE[name] end
  end
  return more
end

local known = setmetatable({}, { __mode = "k" }) -- body -> names

---Updates the names for another revision of the body, in the same list, since a pending answer may use it.
function states.rename(body)
  local names, joints, frames = known[body] or {}, {}, {}
  for name, joint in pairs(body.joints) do
    if #joint.names > 0 then
      joints[#joints + 1] = { name, keys.meta_of(joint), joint.first, table.unpack(joint.names) }
    end
  end
  for name, frame in pairs(body.frames) do frames[frame.number + 1] = name end
  names[1], names[2], names[3] = body.dofs, joints, frames
  known[body] = names
  return names
end

---The names for a state of this body.
function states.names_of(body) return known[body] or states.rename(body) end

return states
