-- Suggestions for a sensor or camera that a robot lacks.
local near = require "robotalk.mistakes.near"

local MOST = 8 -- names in a message

---The text after "has no sensor NAME": "; did you mean …? It has …", from a list of names.
return function(name, names)
  if #names == 0 then return "" end
  local meant = name and near(name, names)
  local there = table.concat(names, ", ", 1, math.min(#names, MOST))
  if #names > MOST then there = ("%s and %d more"):format(there, #names - MOST) end
  return meant and ("; did you mean %s? It has %s"):format(meant, there) or "; it has " .. there
end
