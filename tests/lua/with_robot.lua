-- with_robot(fn): a case that does fn(robot) with a connection to a Pioneer 2 of its own.
local rt = require "robotalk"

return function(fn)
  return function()
    local robot <close> = rt.connect "pioneer2"
    fn(robot)
  end
end
