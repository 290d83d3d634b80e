-- Positions and rotations in space: vectors { x, y, z }; rotations, three rows that turn a frame's axes into those of
-- the frame it stands in; poses { p = vector, r = rotation }; inertias, symmetric matrices of three rows.
local spatial = {}

---The identity rotation.
function spatial.identity() return { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } end

---The identity pose.
function spatial.nowhere() return { p = { 0, 0, 0 }, r = spatial.identity() } end

function spatial.add(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end
function spatial.sub(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end
function spatial.scale(a, k) return { a[1] * k, a[2] * k, a[3] * k } end
function spatial.dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
function spatial.cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

---The length of a vector; no intermediate result overflows unless the length itself does.
function spatial.length(a)
  local most = math.max(math.abs(a[1]), math.abs(a[2]), math.abs(a[3]))
  if most == 0 then return 0 end
  local x, y, z = a[1] / most, a[2] / most, a[3] / most
  return most * math.sqrt(x * x + y * y + z * z)
end

---A vector of length 1 along `a`, which must not be 0.
function spatial.unit(a)
  -- first divide by the largest component: the length of tiny or huge vectors would under- or overflow
  local most = math.max(math.abs(a[1]), math.abs(a[2]), math.abs(a[3]))
  local b = { a[1] / most, a[2] / most, a[3] / most }
  local n = spatial.length(b)
  return { b[1] / n, b[2] / n, b[3] / n }
end

---A matrix times a vector.
function spatial.turn(m, v)
  return { spatial.dot(m[1], v), spatial.dot(m[2], v), spatial.dot(m[3], v) }
end

function spatial.transpose(m)
  return { { m[1][1], m[2][1], m[3][1] }, { m[1][2], m[2][2], m[3][2] }, { m[1][3], m[2][3], m[3][3] } }
end

---The product of two matrices.
function spatial.multiply(a, b)
  local t, out = spatial.transpose(b), {}
  for i = 1, 3 do out[i] = spatial.turn(t, a[i]) end
  return out
end

---The rotation of roll, pitch, yaw (rad) about the fixed axes x, y, z.
function spatial.from_angles(angles)
  local cr, sr = math.cos(angles[1]), math.sin(angles[1])
  local cp, sp = math.cos(angles[2]), math.sin(angles[2])
  local cy, sy = math.cos(angles[3]), math.sin(angles[3])
  return {
    { cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr },
    { sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr },
    { -sp, cp * sr, cp * cr },
  }
end

---Roll, pitch, yaw of a rotation; pitch within a quarter turn. Where pitch is a quarter turn, roll is 0.
function spatial.to_angles(r)
  local level = math.sqrt(r[1][1] * r[1][1] + r[2][1] * r[2][1])
  local pitch = math.atan(-r[3][1], level)
  if level < 1e-12 then return { 0, pitch, math.atan(-r[1][2], r[2][2]) } end
  local yaw = math.atan(r[2][1], r[1][1])
  local c, s = math.cos(yaw), math.sin(yaw)
  -- from the rest without the yaw, so that near a quarter turn both errors cancel
  return { math.atan(s * r[1][3] - c * r[2][3], c * r[2][2] - s * r[1][2]), pitch, yaw }
end

---Brings a pose from a frame whose pose is `a` to the frame around it.
function spatial.compose(a, b)
  return { p = spatial.add(a.p, spatial.turn(a.r, b.p)), r = spatial.multiply(a.r, b.r) }
end

---Brings a position from a frame of the given pose to the frame around it.
function spatial.place(pose, v) return spatial.add(pose.p, spatial.turn(pose.r, v)) end

---The matrix of { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or of three rows.
function spatial.tensor(t)
  if type(t[1]) == "table" then return t end
  local xy, xz, yz = t[4] or 0, t[5] or 0, t[6] or 0
  return { { t[1], xy, xz }, { xy, t[2], yz }, { xz, yz, t[3] } }
end

---{ xx, yy, zz } of a matrix, and { …, xy, xz, yz } unless these are 0.
function spatial.components(m)
  local out = { m[1][1], m[2][2], m[3][3] }
  if m[1][2] ~= 0 or m[1][3] ~= 0 or m[2][3] ~= 0 then out[4], out[5], out[6] = m[1][2], m[1][3], m[2][3] end
  return out
end

function spatial.trace(m) return m[1][1] + m[2][2] + m[3][3] end

---An inertia along the axes of the frame around.
function spatial.turn_inertia(r, inertia)
  local m = spatial.multiply(spatial.multiply(r, inertia), spatial.transpose(r))
  -- make it symmetric again after rounding
  for i = 1, 2 do
    for k = i + 1, 3 do
      m[i][k] = (m[i][k] + m[k][i]) / 2
      m[k][i] = m[i][k]
    end
  end
  return m
end

---The inertia of a point mass at distance `v` (the parallel axis theorem).
function spatial.point_inertia(mass, v)
  local x, y, z = v[1], v[2], v[3]
  return {
    { mass * (y * y + z * z), -mass * x * y, -mass * x * z },
    { -mass * x * y, mass * (x * x + z * z), -mass * y * z },
    { -mass * x * z, -mass * y * z, mass * (x * x + y * y) },
  }
end

---The sum of two matrices.
function spatial.sum(a, b)
  return { spatial.add(a[1], b[1]), spatial.add(a[2], b[2]), spatial.add(a[3], b[3]) }
end

---The principal moments of an inertia, the least first, and the direction of the greatest, by Jacobi's rotations.
function spatial.principal(inertia)
  local m, v = spatial.sum(inertia, spatial.tensor { 0, 0, 0 }), spatial.identity() -- rows of v are directions
  local small = 1e-16 * spatial.trace(m)
  for _ = 1, 30 do
    -- the largest element off the diagonal becomes 0
    local i, k = 1, 2
    if math.abs(m[1][3]) > math.abs(m[i][k]) then i, k = 1, 3 end
    if math.abs(m[2][3]) > math.abs(m[i][k]) then i, k = 2, 3 end
    if math.abs(m[i][k]) <= small then break end
    local turn = math.atan(2 * m[i][k], m[k][k] - m[i][i]) / 2
    local c, s, r = math.cos(turn), math.sin(turn), spatial.identity()
    r[i][i], r[k][k], r[i][k], r[k][i] = c, c, -s, s
    m, v = spatial.turn_inertia(r, m), spatial.multiply(r, v)
  end
  local order = { 1, 2, 3 }
  table.sort(order, function(a, b) return m[a][a] < m[b][b] end)
  return { m[order[1]][order[1]], m[order[2]][order[2]], m[order[3]][order[3]] }, v[order[3]]
end

spatial.SLIGHT = 1e-6 -- a triangle_defect that may be rounding

---The fraction by which the greatest principal moment exceeds the sum of the other two. 0 or less in every body (the
---triangle inequality).
function spatial.triangle_defect(inertia)
  local moments = spatial.principal(inertia)
  return moments[3] / (moments[1] + moments[2]) - 1
end

---The nearest physical inertia, by a small margin; unchanged if it is physical. The two lesser principal
---moments become greater by the same amount: that of a flat body.
function spatial.balance(inertia)
  local moments, axis = spatial.principal(inertia)
  local a, b, c = moments[1], moments[2], moments[3]
  if a + b >= c * (1 + 1e-10) then return inertia end
  local more, out = (c * (1 + 1e-9) - a - b) / 2, {}
  for i = 1, 3 do
    out[i] = {}
    for k = 1, 3 do out[i][k] = inertia[i][k] + more * ((i == k and 1 or 0) - axis[i] * axis[k]) end
  end
  return out
end

---Whether a symmetric matrix is positive definite, by its leading minors (Sylvester).
function spatial.is_definite(m)
  local xx, yy, zz, xy, xz, yz = m[1][1], m[2][2], m[3][3], m[1][2], m[1][3], m[2][3]
  return xx > 0 and xx * yy - xy * xy > 0 and
    xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz) > 0
end

return spatial
