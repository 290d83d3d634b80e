-- The Golog-Tekkotsu interface: bytes that Lua reads and writes, our server with golden bytes and with our client. In
-- real time: sockets cannot be simulated here.
local rt = require "robotalk"
local core = require "robotalk.core"
local aibo = require "robotalk.aibo"
local arena = require "robotalk.arena"
local drivers = require "robotalk.drivers"
local gti = require "robotalk.gti"

local function hex(text) return (text:gsub("%s", ""):gsub("%x%x", function(byte) return string.char(tonumber(byte,
  16)) end)) end

describe("bytes of the interface", function()
  it("are read and written in all formats", function()
    for _, format in ipairs { {}, { packed = true }, { byte_order = "big" }, { byte_order = "big", packed = true } } do
      local client, server = core.gti(format), core.gti(format)
      local list = { { type = "query_sensors", list = { 0, 12, 38 } }, { type = "query_ball", color = 2 },
        { type = "move_joints", list = { { joint = 13, angle = -30, speed = 50 } } }, { type = "motion",
          file = "nod.mot" },
        { type = "walk_for", dx = 100, dy = -50, da = 0.5, seconds = 2 } }
      local all = ""
      for _, request in ipairs(list) do all = all .. client:encode(request) end
      local got = {}
      for i = 1, #all do -- a byte at a time
        for _, request in ipairs(server:feed(all:sub(i, i))) do got[#got + 1] = request end
      end
      expect.equal(#got, #list)
      expect.equal(got[1].list[3], 38)
      expect.equal(got[2].color, 2)
      expect.equal(got[3].list[1].angle, -30)
      expect.equal(got[4].file, "nod.mot")
      expect.equal(got[5].seconds, 2)
      local reply = client:read_reply(list[2], server:reply("query_ball", true, 0.5, -0.25, 3))
      expect.truthy(reply.visible and reply.x == 0.5 and reply.y == -0.25 and reply.area == 3)
      expect.equal(client:read_reply(list[1], server:reply("query_sensors", { 1, 2, 3 })).value[3], 3)
    end
    local side = core.gti {}
    local requests, why = side:feed(hex "01000000 04000000 00000000 00000000 00000080")
    expect.equal(#requests, 1)
    expect.equal(why, "a body is announced that is longer than any")
    expect.equal(pcall(side.encode, side, { type = "motion" }), false)
    expect.equal(pcall(core.gti, { byte_order = "middle" }), false)
  end)
end)

describe("the server", function()
  local function with_server(fn)
    local robot <close> = assert(rt.connect "aibo_ers7")
    local field <close> = arena.open { balls = { { color = "pink", position = { 0.6, 0 } } } }
    local dog = aibo.new(robot, { field = field, motions = "tests/mot" })
    local path = os.tmpname()
    os.remove(path)
    local server <close> = assert(gti.serve(dog, { listen = "unix:" .. path }))
    fn(server, "unix:" .. path, robot)
  end
  it_really("answers golden bytes", function()
    with_server(function(_, url, robot)
      robot:set_joint("head", { pan = math.rad(30) })
      local port <close> = assert(core.dial(url))
      -- NECK:pan and DAccel: places 13 and 18 + 5; 30 degrees as the simulator has it, gravity
      port:write(hex "00000000 0C000000 02000000 0D000000 17000000")
      local bytes = ""
      while #bytes < 16 do bytes = bytes .. assert(drivers.read(port, 10)) end
      local pan, down = string.unpack("<dd", bytes)
      expect.truthy(math.abs(pan - 30) < 1e-3 and math.abs(down + 9.8) < 1e-9, pan)
      port:write(hex "01000000 04000000 03000000") -- a green ball: there is none
      bytes = ""
      while #bytes < 32 do bytes = bytes .. assert(drivers.read(port, 10)) end
      expect.equal(bytes, ("\0"):rep(32))
      -- what is none ends the connection, and no other
      local other <close> = assert(core.dial(url))
      port:write(hex "63000000 00000000")
      expect.equal(drivers.read(port, 10), nil)
      other:write(hex "02000000 04000000 03000000")
      expect.equal(#assert(drivers.read(other, 60)), 4)
    end)
  end)
  it_really("serves our client", function()
    with_server(function(server, url, robot)
      local client = assert(gti.connect(url))
      local values = assert(client:query_sensors { "neckTilt1", "neckPan", "dAccel", "chinBut" })
      expect.equal(#values, 4)
      expect.truthy(math.abs(values[3] + 9.8) < 1e-9)
      expect.equal(client:search_ball "pink", true)
      local visible, x, _, area = client:query_ball "pink"
      expect.truthy(visible and math.abs(x) < 0.2 and area > 0)
      expect.equal(client:query_ball "yellow", false)
      expect.equal(client:move_joints { { "tailPan", 20, speed = 100 } }, true)
      expect.equal(client:motion "../secret.mot", true) -- it is refused, and there is no reply that could say so
      client:query_sensors { "neckPan" }
      expect.equal(server.errors, 1)
      expect.equal(client:walk(100, 0, 0), true)
      client:query_sensors { "neckPan" }
      expect.truthy(robot:state().moving)
      expect.equal(pcall(client.query_sensors, client, { "wing" }), false)
      client:close() -- nobody is there any more: it stands
      for _ = 1, 200 do
        if not robot:state().moving then break end
        rt.sleep(0.02)
      end
      expect.truthy(not robot:state().moving)
    end)
  end)
  it_really("is driven as a robot of its own, by the driver for real ones", function()
    with_server(function(_, url, real)
      local d = assert(require "robotalk.descriptor".load "aibo_ers7")
      d.name, d.deadman = "far_dog", 5
      for _, joint in pairs(d.joints) do joint.driver, joint.leg = "body", nil end
      d.base.driver, d.drivers, d.frames = "body", { body = { script = "gti", url = url } }, nil
      assert(rt.robot(d))
      local robot = assert(rt.connect "local:far_dog")
      expect.equal(robot:set_joint("head", { pan = 0.5, nod = 0.2 }), "SUCCESS")
      expect.truthy(math.abs(real:state().joints.head.pan - 0.5) < 0.05)
      expect.equal(robot:set_joint("tail", { pan = 2 }), "MODIFIED") -- clipped
      expect.equal(robot:go_to { x = 1, y = 0, theta = 0 }, "NA") -- nobody tells it where it is
      expect.equal(robot:set_speed { x = 0.1 }, "SUCCESS")
      rt.sleep(0.8)
      expect.truthy(real:state().twist[1] > 0.05)
      local state = robot:state()
      expect.truthy(state.moving and state.x > 0.03 and state.x < 0.15, state.x)
      robot:panic() -- written by C, without a script
      for _ = 1, 200 do
        if not real:state().moving then break end
        rt.sleep(0.02)
      end
      expect.truthy(not real:state().moving)
      robot:reset()
      expect.equal(robot:set_joint("head", { pan = 0 }), "SUCCESS")
      robot:close()
      drivers.release "far_dog"
      core.remove_robot "far_dog"
    end)
  end)
  it_really("listens to this machine alone", function()
    local listening, why, code = core.listen "robotalk://0.0.0.0:0"
    expect.equal(listening, nil)
    expect.equal(code, "EADDRESS")
    expect.truthy(why:find "only this machine may connect")
    local port, message = gti.connect "unix:/tmp/no-such-socket"
    expect.equal(port, nil)
    expect.truthy(message)
  end)
end)
