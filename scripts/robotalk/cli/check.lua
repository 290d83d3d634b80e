local core = require "robotalk.core"
local script = require "robotalk.cli.script"
local descriptor = require "robotalk.descriptor"

return {
  summary = "checks descriptors of robots and other Lua files: file:line: message",
  usage = "FILE …",
  options = {},
  example = "robotalk check my_robot.lua",
  exits = "0 all are good, 1 something is wrong, 2 wrong usage",
  main = function(args)
    if #args == 0 then
      script.complain("check: which files?")
      return 2
    end
    local status = 0
    for _, path in ipairs(args) do
      local ok, message = descriptor.load(path)
      if ok then
        core.say("out", ("%s: a robot, %s\n"):format(path, ok.name))
      else
        core.say("err", message .. "\n")
        status = 1
      end
    end
    return status
  end,
}
