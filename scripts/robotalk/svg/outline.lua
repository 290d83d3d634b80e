-- The convex outline of points { u, v }, which it sorts: those on it, counter-clockwise (Andrew's monotone chain).
return function(points)
  table.sort(points, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  local function half(from, to, step)
    local chain = {}
    for i = from, to, step do
      local p = points[i]
      while #chain >= 2 do
        local a, b = chain[#chain - 1], chain[#chain]
        if (b[1] - a[1]) * (p[2] - a[2]) - (b[2] - a[2]) * (p[1] - a[1]) > 0 then break end
        chain[#chain] = nil
      end
      chain[#chain + 1] = p
    end
    chain[#chain] = nil
    return chain
  end
  local lower, upper = half(1, #points, 1), half(#points, 1, -1)
  return table.move(upper, 1, #upper, #lower + 1, lower)
end
