-- Raises a failure of the world, like a mistake: an object with its message and code. As text it begins with
-- the line of the script that has called into this library.
local caller = require "robotalk.mistakes.caller"

local Failure = { __name = "robotalk.Failure" }

function Failure:__tostring() return self.place .. self.message end
function Failure.__concat(a, b) return tostring(a) .. tostring(b) end

return function(message, code)
  local _, place = caller()
  error(setmetatable({ message = message, code = code, place = place }, Failure), 0)
end
