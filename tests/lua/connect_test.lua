-- A connection that cannot be is told of at once: connect raises, try_connect returns.
local core = require "robotalk.core"
local rt = require "robotalk"

describe("connect", function()
  it("raises what keeps it from a robot, with the script's line, a message and a code", function()
    for name, code in pairs { pioneer3 = "ENONE", ["http://localhost"] = "EURL", ["local:none"] = "ENONE",
      ["./none.lua"] = "ENONE" } do
      local ok, trouble = pcall(function() return rt.connect(name) end)
      expect.equal(false, ok, name)
      local robot, message, same = rt.try_connect(name)
      expect.equal(nil, robot, name)
      expect.equal(code, same, name)
      expect.equal(code, trouble.code, name)
      expect.equal(message, trouble.message, name)
      expect.truthy(tostring(trouble):find("^tests/lua/connect_test.lua:%d+: "), tostring(trouble))
      expect.equal("why: " .. tostring(trouble), "why: " .. trouble)
    end
    expect.equal(0, #core.robots())
  end)

  it("names what addresses there are", function()
    local _, message = rt.try_connect "http://localhost"
    local expected = "expected robotalk://host[:port]/robot, rctp://host[:port]/robot, dds://, unix:PATH"
    expect.truthy(message:find(expected, 1, true), message)
    for url, name in pairs { ["rctp://localhost"] = "RCTP", ["gti+local:x"] = "GTI" } do
      local c, why, code = require "robotalk.robot.client".connect(url, {})
      expect.equal(nil, c)
      expect.equal("EURL", code)
      expect.truthy(why:find("^expected an address of RoboTalk, .* got one of " .. name .. "$"), why)
    end
  end)

  it("to a robot elsewhere fails in a virtual world as where nobody listens", function()
    local robot, message, code = rt.try_connect "rctp://localhost/asimo"
    expect.equal(nil, robot)
    expect.equal("a virtual world has no sockets", message)
    expect.equal("EADDRESS", code)
  end)

  it("raises what the server refuses, and leaves no robot behind", function()
    expect.raises("connect_test.lua:%d+: ", function() local _ <close> = rt.connect("pioneer2", { expiry = -5 }) end)
    expect.equal(0, #core.robots())
  end)

  it("fails the task that cannot do without, with its line", function()
    local t = rt.spawn(function() local _ <close> = rt.connect "pioneer3" end)
    local ok, message, code = t:wait()
    expect.equal(nil, ok)
    expect.equal("EFAILED", code)
    expect.truthy(message:find("connect_test.lua:%d+: there is no robot 'pioneer3'"), message)
  end)

  it("says of addresses of other protocols how a robot there is one here", function()
    for url, driver in pairs {
      ["player://there:7"] = 'driver = "player"', ["gamebots+unix:x"] = 'script = "gamebots"',
      ["gti://there"] = 'script = "gti"',
    } do
      local robot, message, code = rt.try_connect(url)
      expect.equal(nil, robot)
      expect.equal("EURL", code)
      expect.truthy(message:find(("drivers = { NAME = { %s, url = %q } }"):format(driver, url), 1, true), message)
    end
  end)

  it("raises mistakes in both forms", function()
    for _, connect in ipairs { rt.connect, rt.try_connect } do
      expect.raises("connect_test.lua:%d+: connect: want a robot's name", function() connect(5) end)
      expect.raises("connect_test.lua:%d+: connect has no option 'chanel'",
        function() connect("pioneer2", { chanel = {} }) end)
    end
  end)

  it_really("to a robot of a UNIX socket by a path says how it is named", function()
    local path = os.tmpname()
    os.remove(path)
    local name = rt.add_robot "pioneer2"
    local server = assert(rt.serve { listen = { "unix:" .. path } })
    expect.raises("a robot of a server is named behind #: unix:PATH#ROBOT",
      function() rt.connect("unix:" .. path .. "/pioneer2") end)
    local robot <close> = rt.connect("unix:" .. path .. "#pioneer2")
    robot:close()
    server:close()
    require "robotalk.drivers".remove(name)
  end)

  -- A server that starts again has the same revision, 0, of perhaps another description.
  it_really("to a server that starts again moves the joint that has the name there", function()
    local drivers = require "robotalk.drivers"
    local path = os.tmpname()
    os.remove(path)
    local function served(first, second)
      local d = { name = "limbs", joints = {} }
      for i, name in ipairs { first, second } do
        d.joints[i] = { name = name, driver = "sim", servo = { "setpoint" },
          dofs = { { name = "a", speed = 10, acceleration = 100 } } }
      end
      return assert(rt.add_robot(d)), assert(rt.serve { listen = { "unix:" .. path } })
    end
    local name, server = served("arm", "leg")
    local robot <close> = rt.connect("unix:" .. path)
    expect.equal("SUCCESS", robot:set_joint("arm", { a = 0.1 }))
    for _, order in ipairs { { "leg", "arm" }, { "leg", "arm" }, { "arm", "leg" } } do
      server:close()
      drivers.remove(name)
      name, server = served(table.unpack(order))
      expect.eventually("the link is back", function() return robot:set_joint("arm", { a = 0.2 }) == "SUCCESS" end)
      expect.near(0.2, robot:state().joints.arm.a, 1e-3)
      expect.equal("SUCCESS", (robot:move { arm = { a = 0.3 } }))
      local here <close> = rt.connect("local:limbs")
      expect.near(0.3, here:state().joints.arm.a, 1e-3)
      expect.near(0, here:state().joints.leg.a, 1e-3)
    end
    server:close()
    drivers.remove(name)
  end)

  it("with a script in place of a description says so", function()
    local path = os.tmpname() .. ".lua"
    local file <close> = assert(io.open(path, "w"))
    file:write "local rt = require 'robotalk' rt.connect 'pioneer2'"
    file:flush()
    expect.raises("'require'.*if this is a script, robotalk run " .. path, function() rt.connect(path) end)
    os.remove(path)
  end)
end)
