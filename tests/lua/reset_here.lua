-- reset_here(robot): ends the panic of a robot behind RCTP here, and does not wait for what the robot there answers.
local entries = require "robotalk.robot.far"

return function(robot)
  local name = robot.client.here
  local entry = entries.get(name)
  entries.set(name, nil)
  robot:reset()
  entries.set(name, entry)
end
