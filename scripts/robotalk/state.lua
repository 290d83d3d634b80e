-- A robot's state as a script sees it, with names on it: x, y, theta; joints.head.pan; battery.
local checked = require "robotalk.checked"
local keys = require "robotalk.keys"
local mistake = require "robotalk.mistake"

local MORE = { forces = 1, frames = 2 }

-- What a state shall tell more, by options of a call that messages name `what`: as the wire has it.
local function more_of(options, what)
  local more = 0
  for name, wanted in pairs(checked.options(options, MORE, what)) do
    if type(wanted) ~= "boolean" then mistake("%s: %s: want true or false, got %s", what, name, type(wanted)) end
    if wanted then more = more | MORE[name] end
  end
  return more
end

-- forces.head.pan, as far as they are known.
local function name_forces(body, state)
  local forces, known = {}, state.known
  for name, joint in pairs(body.joints) do
    if type(name) == "string" and #joint.names > 0 then
      local values = keys.values_of(joint)
      for i, dof in ipairs(joint.names) do
        local n = joint.first + i
        if known:byte(n) == 1 then values[dof] = state.force[n] end
      end
      forces[name] = values
    end
  end
  return forces
end

-- frames.hand: position and attitude.
local function name_frames(body, state)
  local poses = {}
  for name, frame in pairs(body.frames) do
    local n = frame.number + 1
    if state.x[n] then
      poses[name] = { position = { state.x[n], state.y[n], state.z[n] },
        attitude = { state.roll[n], state.pitch[n], state.yaw[n] } }
    end
  end
  return poses
end

-- What the answer says beside the state itself, by name.
local function name_more(body, state, more)
  state.forces = more & MORE.forces ~= 0 and name_forces(body, state) or nil
  state.frames = more & MORE.frames ~= 0 and name_frames(body, state) or nil
  state.known, state.force = nil, nil
  state.roll, state.pitch, state.yaw = nil, nil, nil
end

-- Puts names on a state of this body, and on what more was asked for. nil, message, code when it is of another body, as
-- between a robot's being described anew and our hearing of it.
local function name_state(body, state, more)
  if #state.position < body.dofs then return nil, "the state is of fewer dofs than the robot has", "EBODY" end
  if more then name_more(body, state, more) end
  state.panic = state.panic ~= 0
  state.moving = state.moving ~= 0
  state.x, state.y, state.z = state.pose[1], state.pose[2], state.pose[3]
  state.theta = state.attitude[3]
  state.velocity = { x = state.twist[1], y = state.twist[2], theta = state.spin[3] }
  state.battery, state.charge, state.dofs = state.charge, nil, nil -- the last says how many numbers there are
  state.joints = {}
  for name, joint in pairs(body.joints) do
    if type(name) == "string" and #joint.names > 0 then
      local values = keys.values_of(joint)
      for i, dof in ipairs(joint.names) do values[dof] = state.position[joint.first + i] end
      state.joints[name] = values
    end
  end
  return state
end

return { more_of = more_of, name = name_state }
