-- A copy of a table, whose parts it shares.
return function(t)
  local out = {}
  for key, value in pairs(t) do out[key] = value end
  return out
end
