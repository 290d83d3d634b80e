-- What tests/memory_program.sh runs with each allocation failing: much of what a script can do, in one second. What
-- fails may raise or give nil; the program must end in good order whatever comes.
local rt = require "robotalk"

local robot <close> = rt.connect("pioneer2")
local path = os.tmpname()
os.remove(path)
local server = rt.now() and rt.serve { listen = { "unix:" .. path } }
local far = server and rt.try_connect("unix:" .. path)

rt.spawn(function()
  for _ = 1, 5 do
    robot:state()
    rt.sleep(0.01)
  end
end)
robot:set_speed { x = 0.1 }
local tape <close> = assert(robot:session { mode = "playback", duration = 0.1 })
for i = 0, 40 do tape:frame(i * 0.002, { head = { pan = 0.01 * i } }) end
tape:finish()
if far then
  far:set_joint("head", { pan = 0.2 })
  far:panic()
  far:reset()
  far:close()
end
robot:stop()
if server then server:close() end

local core = require "robotalk.core"
local scene = core.vrml_read("#VRML V2.0 utf8\nPROTO P [ field MFNode c [ ] ] { Group { children IS c } }\n"
  .. "P { c DEF A Shape { } } USE A")
core.vrml_write(scene)
