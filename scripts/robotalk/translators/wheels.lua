-- Two driven wheels on one axle, left and right, against the velocity of the base between them. Wheels that turn ahead
-- have positive speeds; x is ahead, theta counterclockwise seen from above.
local function length(x, name)
  if not (type(x) == "number" and x > 0 and x < math.huge) then return name .. ": expected m, more than 0" end
end

return {
  name = "wheels",
  options = { radius = "of a wheel, m", track = "from wheel to wheel, m" },
  from = { type = "control", dofs = { { name = "left", unit = "rad/s" }, { name = "right", unit = "rad/s" } } },
  to = { type = "control", dofs = { { name = "x", unit = "m/s" }, { name = "theta", unit = "rad/s" } } },

  open = function(context)
    local wrong = length(context.radius, "radius") or length(context.track, "track")
    if wrong then return nil, wrong end
    return true
  end,

  to_standard = function(wheels, context)
    local left, right = wheels[1] * context.radius, wheels[2] * context.radius -- m/s of their rims
    return { (left + right) / 2, (right - left) / context.track }
  end,

  from_standard = function(velocity, context)
    local x, turn = velocity[1], velocity[2] * context.track / 2
    return { (x - turn) / context.radius, (x + turn) / context.radius }
  end,
}
