-- A bad link between processes, as experiments open it: core.relay.
local core = require "robotalk.core"
local rt = require "robotalk"

describe("a relay", function()
  it_really("passes a robot's connection on, late", function()
    local name = rt.add_robot "pioneer2"
    local server = assert(rt.serve { listen = { "robotalk://127.0.0.1:0" } })
    local relay = core.relay { to = tonumber(server:urls()[1]:match ":(%d+)"), delay = 0.01, jitter = 0.005,
      loss = 0.1, again = 0.02, seed = 4 }
    local robot = assert(rt.connect(("robotalk://127.0.0.1:%d/pioneer2"):format(relay:port())))
    local begin = core.now()
    for _ = 1, 10 do expect.truthy(robot:set_speed { x = 0 }) end
    expect.truthy(core.now() - begin >= 10 * 0.02)
    local counts = relay:counts()
    expect.equal(1, counts.connections)
    expect.truthy(counts.segments >= 20 and counts.bytes > counts.segments)
    relay:cut()
    local signal, _, code = robot:set_speed { x = 0 }
    while signal do signal, _, code = robot:set_speed { x = 0 } end -- until it has heard
    expect.equal("ELINK", code)
    robot:close()
    relay:close()
    server:close()
    require "robotalk.drivers".remove(name)
  end)
  it("refuses what no link can be", function()
    expect.raises("want a port", core.relay, { to = 0 })
    expect.raises("want a link that can be", core.relay, { to = 80, loss = 1 })
    expect.raises("want a link that can be", core.relay, { to = 80, delay = -1 })
    expect.raises("want finite numbers", core.relay, { to = 80, rate = 0 / 0 })
  end)
  it("is closed once", function()
    local relay = core.relay { to = 80 }
    relay:close()
    relay:close()
    expect.raises("it is closed", relay.port, relay)
  end)
end)
