-- Angles and numbers in messages of ROS 2.
local angles = {}

---Roll, pitch and yaw of a quaternion of about length 1: about the fixed axes x, y, z.
function angles.of(q)
  return math.atan(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y)),
    math.asin(math.max(-1, math.min(1, 2 * (q.w * q.y - q.z * q.x)))),
    math.atan(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
end

---Whether a list has only numbers that a robot can have.
function angles.finite(list)
  for _, x in ipairs(list) do if x ~= x or math.abs(x) >= 1e9 then return false end end
  return true
end

return angles
