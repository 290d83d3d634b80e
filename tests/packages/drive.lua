local rt = require "robotalk"
local robot <close> = rt.connect("pioneer2")
print(("%s %.2f"):format(robot:go_to { x = 1 }, robot:state().x))
