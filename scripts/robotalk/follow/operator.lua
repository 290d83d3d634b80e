-- The motion of a hand that moves a leader, from a seed: reaches between random postures with the smoothest speed
-- (minimum jerk: Flash and Hogan, 1985), and pauses. Estimates, not measured: speeds and times.
local core = require "robotalk.core"
local task = require "robotalk.task"
local weather = require "robotalk.weather"

local FAST <const> = 1.5                     -- rad/s, the greatest speed of a reach
local SHORTEST <const>, PAUSE <const> = 0.4, 0.4 -- s of a reach, of a pause at most
local RANGE <const> = 0.6                    -- of a dof's range, about its middle
local PERIOD <const> = 0.01                  -- s between two set-points
local PEAK <const> = 15 / 8                  -- the greatest speed of such a reach by its mean speed

-- dofs: { { joint =, dof =, low =, high =, at = where it begins }, … }. A function of the time, s from 0 on, which does
-- not go back: lists of positions and velocities in the order of the dofs.
local function motion(dofs, seed)
  local random, from, to, began, ends, pause = weather.random(seed or 1), {}, {}, 0, 0, 0
  for i, d in ipairs(dofs) do to[i] = d.at end
  return function(t)
    while t >= ends + pause do
      began, ends = ends + pause, ends + pause + SHORTEST
      for i, d in ipairs(dofs) do
        from[i] = to[i]
        to[i] = (d.low + d.high) / 2 + RANGE * (d.high - d.low) * (random() - 0.5)
        ends = math.max(ends, began + PEAK * math.abs(to[i] - from[i]) / FAST)
      end
      pause = PAUSE * random()
    end
    local span, positions, velocities = ends - began, {}, {}
    local u = math.min(1, (t - began) / span)
    for i = 1, #dofs do
      local way = to[i] - from[i]
      positions[i] = from[i] + way * u ^ 3 * (10 - 15 * u + 6 * u * u)
      velocities[i] = way * 30 * (u * (1 - u)) ^ 2 / span
    end
    return positions, velocities
  end
end

local operator = {}

---Moves all bounded dofs of a simulated robot in this way, from where it is: a task, to be cancelled.
function operator.move(robot, seed)
  local dofs, here = {}, assert(robot:state()).joints
  for name, joint in pairs(robot:describe().joints) do
    for k, dof in ipairs(joint.names) do
      local limits = robot:describe().limits.dof[joint.first + k]
      if limits.low < limits.high then
        dofs[#dofs + 1] = { joint = name, dof = dof, low = limits.low, high = limits.high, at = here[name][dof],
          place = joint.first + k }
      end
    end
  end
  table.sort(dofs, function(a, b) return a.place < b.place end)
  local at = motion(dofs, seed)
  return task.spawn("operator", function()
    local began, before = core.now(), nil
    while true do
      local parts, positions, velocities = {}, at(core.now() - began)
      for i, d in ipairs(dofs) do
        local part = parts[d.joint] or { velocity = {} }
        part[d.dof], part.velocity[d.dof] = positions[i], velocities[i]
        parts[d.joint] = part
      end
      local moves = robot:begin("move", parts)
      task.sleep(PERIOD)
      if before then before:wait(0) end -- its answer has come
      before = moves
    end
  end)
end

return operator
