-- Angles of joints against the pose of a control frame: the library's kinematics of the device's own body, which the
-- context has as `model`: of an arm that a user holds, or of the robot. The pose is that of model:fk: x, y, z in m
-- and roll, pitch, yaw in rad (the rotation Rz(yaw) Ry(pitch) Rx(roll)) in the frame of the root link.
local MOVED = 1e-9 -- rad or m

-- The places of the device's dofs in a posture of the body: `places`, by default all.
local function places_of(context)
  if context.places then return context.places end
  local places = {}
  for i = 1, #context.model:home() do places[i] = i end
  return places
end

-- A whole posture with these values at the device's places; the rest as it is now, or at home.
local function posture_of(values, context)
  local posture = context.model:home()
  for i, place in ipairs(places_of(context)) do posture[place] = values[i] end
  return posture
end

return {
  name = "pose",
  options = { frame = "the control frame", places = "of the device's dofs in a posture, unless it has all of them" },
  from = { type = "control", unit = "rad" },
  to = { type = "control", dofs = { { name = "x", unit = "m" }, { name = "y", unit = "m" }, { name = "z", unit = "m" },
    { name = "roll", unit = "rad" }, { name = "pitch", unit = "rad" }, { name = "yaw", unit = "rad" } } },

  open = function(context)
    if not context.model then return nil, "model: expected the kinematics of the device, as robot.model" end
    local kind = type(context.frame)
    if kind ~= "string" and kind ~= "number" then return nil, "frame: expected the name of a control frame" end
    local home = context.model:home()
    context.model:fk(home, context.frame) -- raises when there is no such frame
    for _, place in ipairs(places_of(context)) do
      if not home[place] then return nil, "places: expected places in a posture of " .. #home .. " dofs" end
    end
    return true
  end,

  to_standard = function(values, context)
    local dofs = #places_of(context)
    if #values ~= dofs then return nil, ("expected %d values, got %d"):format(dofs, #values) end
    local pose = context.model:fk(posture_of(values, context), context.frame)
    local p, a = pose.position, pose.attitude
    return { p[1], p[2], p[3], a[1], a[2], a[3] }
  end,

  -- Begins to search where the device is: the posture that is found is near it.
  from_standard = function(pose, context)
    local places, start = places_of(context), context.model:home()
    for i, place in ipairs(places) do start[place] = context.present and context.present[i] or start[place] end
    local posture, why = context.model:ik(context.frame, { position = { pose[1], pose[2], pose[3] },
      attitude = { pose[4], pose[5], pose[6] } }, start)
    if not posture then return nil, why end
    local values = {}
    for i, place in ipairs(places) do
      values[i], start[place] = posture[place], posture[place]
    end
    for i = 1, #start do
      if math.abs(start[i] - posture[i]) > MOVED then
        return nil, "the pose takes dofs that the device does not have"
      end
    end
    return values
  end,
}
