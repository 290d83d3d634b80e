-- Robots go while remote sessions are open. In real time: a simulated world has no sockets.
local rt = require "robotalk"

describe("a robot that goes while a remote session is open", function()
  it_really("is gone for that session too, and the next of its name is another", function()
    local path = os.tmpname()
    os.remove(path)
    local _ <close> = assert(rt.serve { listen = { "unix:" .. path } })
    for _ = 1, 20 do
      local near = rt.connect("pioneer2")
      local far <close> = rt.connect("unix:" .. path)
      expect.equal("SUCCESS", (far:stop()))
      near:close()
      expect.truthy(far:stop() ~= "SUCCESS")
    end
  end)
end)
