-- The features of a robot in a data set, with LeRobot's names and units: joints as NAME.pos, in degrees from the
-- middle of the dof's range, a gripper from 0, closed, to 100; sliding dofs in m; the velocity of a base as x.vel,
-- y.vel, m/s, and theta.vel, degrees a second.
local dofs = require "robotalk.robot.dofs"

local features = {}

local REVOLUTE <const> = 0 -- kind of a dof

---The features of a robot's description, in the order of its dofs, the base's last. A dof's number in a data set is
---(x - zero) * scale.
function features.of(body)
  local list, base = {}, body.limits.base_speed
  for i, dof in ipairs(dofs(body)) do
    local low, high, zero, scale = dof.limits.low, dof.limits.high, 0.0, 1.0
    if dof.joint:find "gripper" and low < high then
      zero, scale = low, 100 / (high - low)
    elseif dof.limits.kind == REVOLUTE then
      zero, scale = low < high and (low + high) / 2 or 0.0, math.deg(1)
    end
    list[i] = { name = dof.name .. ".pos", joint = dof.joint, dof = dof.dof, place = dof.place, zero = zero,
      scale = scale }
  end
  for i, axis in ipairs(base and (base[1] > 0 or base[3] > 0) and { "x", "y", "theta" } or {}) do
    if base[i] > 0 and (axis ~= "y" or body.limits.holonomic ~= 0) then
      list[#list + 1] = { name = axis .. ".vel", base = axis, zero = 0.0,
        scale = axis == "theta" and math.deg(1) or 1.0 }
    end
  end
  return list
end

function features.names(list)
  local names = {}
  for i, row in ipairs(list) do names[i] = row.name end
  return names
end

---The numbers of a state: what is, and what was asked for: false where no goal is in force; nil: it is of another body.
function features.read(list, state)
  local is, asked = {}, {}
  for i, row in ipairs(list) do
    local x = row.base and state.velocity[row.base] or state.position[row.place]
    local goals = row.joint and state.goals[row.joint]
    if not x or row.joint and not goals then return nil end
    local goal = row.joint and goals[row.dof]
    is[i] = (x - row.zero) * row.scale
    asked[i] = goal and (goal - row.zero) * row.scale or false
  end
  return is, asked
end

---A feature's number as the robot takes it, rad, m, or of a base's velocity.
function features.value(row, number) return number / row.scale + row.zero end

return features
