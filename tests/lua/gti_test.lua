-- The Golog-Tekkotsu interface: bytes that Lua reads and writes, our server with golden bytes and with our client.
-- Over a connection of this world, in simulated time; what wants sockets runs in real time.
local rt = require "robotalk"
local core = require "robotalk.core"
local aibo = require "robotalk.aibo"
local fields = require "robotalk.field"
local drivers = require "robotalk.drivers"
local gti = require "robotalk.gti"
local task = require "robotalk.task"

-- ---- a connection of this world ----

local Port = {}
Port.__index = Port
function Port:handle() return tostring(self) end
function Port:read()
  local bytes = self.bytes:sub(1, 1024)
  self.bytes = self.bytes:sub(1025)
  if bytes ~= "" then return bytes end
  if self.over then return nil, "read: end", "EDEVICE" end
  return false
end
function Port:write(bytes)
  if self.closed then error "the port is closed" end
  if self.over then return nil, "write: broken pipe", "EDEVICE" end
  bytes = bytes:sub(1, math.max(0, 65536 - #self.other.bytes)) -- as much as there is room for
  self.other.bytes = self.other.bytes .. bytes
  task.wake("readable" .. self.other:handle())
  return #bytes
end
function Port:close()
  if self.closed then return end
  self.closed, self.other.over = true, true
  task.wake("readable" .. self.other:handle())
end
Port.__close = Port.close

-- Both ends of one.
local function connection()
  local a, b = setmetatable({ bytes = "" }, Port), setmetatable({ bytes = "" }, Port)
  a.other, b.other = b, a
  return a, b
end

-- Reads that many bytes. seconds: how long each may take (1).
local rest = setmetatable({}, { __mode = "k" }) -- port -> what was read beyond that
local function receive(port, n, seconds)
  local bytes = rest[port] or ""
  while #bytes < n do
    local more, why = drivers.read(port, seconds or 1)
    if not more then return nil, why end
    bytes = bytes .. more
  end
  rest[port] = bytes:sub(n + 1)
  return bytes:sub(1, n)
end

-- What the program says on its error channel while fn runs.
local function said(fn)
  local say, list = core.log, {}
  core.log = function(text) list[#list + 1] = text end
  local _ <close> = setmetatable({}, { __close = function() core.log = say end })
  fn()
  return table.concat(list)
end

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
  -- A server of a dog on a field with a pink ball; dial() gives connections to it, within this process. What it logs of
  -- them is C's (tests/unit/gti_serve_test.c); what the actions come to is logged here.
  local function with_server(fn, options)
    local robot <close> = rt.connect "aibo_ers7"
    local field <close> = fields.open { balls = { { color = "pink", position = { 0.6, 0 } } } }
    local dog = aibo.new(robot, { field = field, motions = "tests/mot" })
    local server <close> = assert(gti.serve(dog, { listen = false, alone = true }))
    local ports = {}
    fn(function()
      local port = assert(core.dial(gti.address("gti+local:", robot:describe().name, options or {})))
      ports[#ports + 1] = port
      return port
    end, robot, server)
    for _, port in ipairs(ports) do port:close() end
    rt.sleep(0.1) -- whatever was begun for them is done
  end
  local function client(dial) return gti.client(dial()) end
  local function stands(robot)
    rt.sleep(1)
    return not robot:state().moving
  end

  it("answers golden bytes", function()
    with_server(function(dial, robot)
      robot:set_joint("head", { pan = math.rad(30) })
      local port <close> = dial()
      -- NECK:pan and DAccel: places 13 and 18 + 5; 30 degrees as the simulator has it, gravity
      port:write(hex "00000000 0C000000 02000000 0D000000 17000000")
      local pan, down = string.unpack("<dd", assert(receive(port, 16)))
      expect.truthy(math.abs(pan - 30) < 1e-3 and math.abs(down + 9.80665) < 1e-6, pan)
      port:write(hex "01000000 04000000 03000000") -- a green ball: there is none
      expect.equal(("\0"):rep(32), receive(port, 32))
      -- what is none ends the connection, after what came before it, and no other
      local other <close> = dial()
      port:write(hex("00000000 08000000 01000000 0D000000"):rep(3) .. hex "63000000 00000000")
      expect.equal(24, #receive(port, 24))
      expect.equal(nil, (receive(port, 1)))
      other:write(hex "02000000 04000000 03000000")
      expect.equal(("\0"):rep(4), receive(other, 4, 10))
    end)
  end)
  it("serves our client", function()
    with_server(function(dial, robot)
      local far = client(dial)
      local values = assert(far:query_sensors { "neckTilt1", "neckPan", "dAccel", "chinBut" })
      expect.equal(4, #values)
      expect.near(-9.80665, values[3], 1e-6)
      expect.equal(true, far:search_ball "pink")
      local visible, x, _, area = far:query_ball "pink"
      expect.truthy(visible and math.abs(x) < 0.2 and area > 0)
      expect.equal(false, far:query_ball "yellow")
      expect.equal(true, far:move_joints { { "tailPan", 20, speed = 100 } })
      expect.equal(true, far:motion "../secret.mot") -- it is refused, and there is no reply that could say so
      expect.equal(true, far:walk(100, 0, 0))
      far:query_sensors { "neckPan" }
      expect.truthy(robot:state().moving)
      expect.raises("wing", far.query_sensors, far, { "wing" })
      far:close() -- nobody is there any more: it stands
      expect.truthy(stands(robot))
    end)
  end)
  it("gives 0 for a place that does not exist, and lives", function()
    with_server(function(dial, robot)
      robot:set_joint("LFr", { rotor = math.rad(10) })
      local port <close> = dial()
      local log = said(function()
        port:write(hex "00000000 14000000 04000000 27000000 00000000 FFFFFFFF FFFFFF7F")
        local none, rotor, negative, huge = string.unpack("<dddd", assert(receive(port, 32)))
        expect.equal("0.0 0.0 0.0", ("%s %s %s"):format(none, negative, huge))
        expect.near(10, rotor, 1e-3)
        -- joints -1 and 18: none is moved
        port:write(hex "03000000 20000000 01000000 00000000 FFFFFFFF 00000000 0000000000003E40 0000000000000000")
        port:write(hex "03000000 20000000 01000000 00000000 12000000 00000000 0000000000003E40 0000000000000000")
        port:write(hex "00000000 08000000 01000000 0D000000")
        expect.equal(0.0, (string.unpack("<d", assert(receive(port, 8)))))
      end)
      expect.truthy(log:find "there is no sensor 39" and log:find "there is no sensor %-1")
    end)
  end)
  it("tells joints in radians, if so set, and nothing else", function()
    with_server(function(dial, robot)
      robot:set_joint("head", { pan = 0.5 })
      local far, plain = gti.client(dial(), { radians = true }), client(dial)
      expect.near(math.deg(0.5), far:query_sensors({ "dAccel", "neckPan" })[2], 1e-4)
      expect.near(-9.80665, far:query_sensors({ "dAccel" })[1], 1e-6)
      expect.near(0.5, plain:query_sensors({ "neckPan" })[1], 1e-6)
      far:close()
      plain:close()
    end, { radians = true })
  end)
  it("reads on while a head searches, and answers in order", function()
    with_server(function(dial, robot)
      local port <close> = dial()
      port:write(hex "02000000 04000000 03000000" -- searchBall(green)
        -- walkFor(100, 0, 0, 200)
        .. hex "06000000 20000000 0000000000005940" .. ("\0"):rep(16) .. hex "0000000000006940"
        .. hex "00000000 08000000 01000000 0D000000") -- querySensors([neckPan])
      rt.sleep(1)
      expect.near(0.1, robot:state().twist[1], 1e-6)
      port:write(hex "05000000 18000000" .. ("\0"):rep(24)) -- stopWalk, while it searches still
      rt.sleep(1)
      expect.near(0, robot:state().twist[1], 1e-6)
      expect.equal(false, port:read())
      local found, pan = string.unpack("<id", assert(receive(port, 12, 10)))
      expect.equal(0, found)
      expect.near(math.deg(robot:state().joints.head.pan), pan, 1) -- asked when its turn has come
    end)
  end)
  it("has no bound for queries without a search", function()
    with_server(function(dial)
      local port <close> = dial()
      port:write(hex("00000000 08000000 01000000 0D000000"):rep(1000))
      expect.truthy(receive(port, 8000))
    end)
  end)
  it("lets the dog stand when its client goes, in every state", function()
    for name, act in pairs {
      ["a walk"] = function(far) far:walk(100, 0, 0) end,
      ["a walk and a search"] = function(far)
        far:walk(100, 0, 0)
        rt.spawn(function() far:search_ball "green" end)
      end,
      -- one client, only lawful commands: a motion has the head, a search takes it
      ["a walk, a motion and a search"] = function(far)
        far:walk(60, 0, 0)
        far:motion "pan.mot"
        rt.spawn(function() far:search_ball "green" end)
      end,
      ["a walk for an hour"] = function(far) far:walk_for(100, 0, 0, 3600) end,
      ["a motion"] = function(far) far:motion "pan.mot" end,
      ["a slow joint"] = function(far) far:move_joints { { "neckPan", 80, speed = 1 } } end,
      ["half a command"] = function(far)
        far:walk(100, 0, 0)
        far.port:write "\1\0\0"
      end,
      ["a query and a walk that are not read yet"] = function(far)
        for _ = 1, 50 do far.port:write(hex "00000000 08000000 01000000 0D000000") end
        far:walk(100, 0, 0)
      end,
    } do
      with_server(function(dial, robot)
        for _, pause in ipairs { 0, 0.5 } do
          local far = client(dial)
          act(far)
          rt.sleep(pause)
          far:close()
          expect.truthy(stands(robot), name)
        end
      end)
    end
  end)
  it("tells the log of each refusal", function()
    with_server(function(dial, robot)
      local far <close> = client(dial)
      local log = said(function()
        far:motion "none.mot"
        rt.sleep(0.1)
        robot:panic()
        rt.sleep(0.1)
        far:walk(60, 0, 0)
        far:move_joints { { "neckPan", 10 } }
        far:motion "nod.mot"
        rt.sleep(0.1)
        expect.equal(false, far:search_ball "pink")
        robot:reset()
      end)
      for _, what in ipairs { "motion none.mot: NA", "move_joints: PANIC", "motion nod.mot: PANIC", "search_ball: " } do
        local _, count = log:gsub(what, "")
        expect.equal(1, count, what .. " in " .. log)
      end
    end)
  end)
  it("knows whose walk it is", function()
    with_server(function(dial, robot)
      local a, b = client(dial), client(dial)
      local function speed()
        rt.sleep(0.7)
        return robot:state().twist[1]
      end
      a:walk_for(60, 0, 0, 2)
      rt.sleep(0.1)
      b:walk(100, 0, 0)
      rt.sleep(3) -- the time of a's walk has passed
      expect.near(0.1, speed(), 1e-6)
      a:close()
      expect.near(0.1, speed(), 1e-6)
      b:close()
      expect.near(0, speed(), 1e-6)
    end)
  end)
  it("moves nothing after a stop by another client until it has stopped or is a new one", function()
    with_server(function(dial, robot)
      local other <close> = rt.connect("local:" .. robot:describe().name, { name = "other", apart = true })
      local function moved(far)
        local before = robot:state()
        far:walk(100, 0, 0)
        far:move_joints { { "neckPan", before.joints.head.pan > 0 and -20 or 20 } }
        rt.sleep(2)
        local now = robot:state()
        return now.x - before.x > 0.1, math.abs(now.joints.head.pan - before.joints.head.pan) > 0.1
      end
      local function both(want, far)
        local walked, turned = moved(far)
        expect.equal(want, walked)
        expect.equal(want, turned)
      end
      local far, late = client(dial), client(dial)
      both(true, far)
      for i = 1, 3 do
        expect.equal("SUCCESS", (other:stop()))
        both(false, far)
        both(false, far)
        if i == 1 then
          far:stop_walk()
          rt.sleep(1)
        elseif i == 2 then
          both(true, late) -- one that a stop has not met
          late:stop_walk()
          rt.sleep(5)
        else
          far:close()
          far = client(dial)
        end
        both(true, far)
      end
      far:close()
      late:close()
    end)
  end)
  it("lets a dog stand that walks for a client of whom nothing is heard", function()
    with_server(function(dial, robot)
      local far, other = client(dial), client(dial)
      do
        far:walk(60, 0, 0)
        for _ = 1, 4 do
          rt.sleep(1.5)
          other:query_sensors { "neckPan" } -- another client's word counts for nothing
          if far then far:query_sensors { "neckPan" } end
        end
        expect.near(0.06, robot:state().twist[1], 1e-6)
        rt.sleep(3)
        expect.near(0, robot:state().twist[1], 1e-6)
        expect.truthy(far:query_sensors { "neckPan" }) -- the connection is there
        far:walk_for(60, 0, 0, 100)
        rt.sleep(3)
        expect.near(0, robot:state().twist[1], 1e-6)
      end
      far:close()
      other:close()
    end, { deadman = 2 })
  end)
end)

describe("the client", function()
  -- A server of its own that answers queries with their numbers, the first after so long.
  local function slow(seconds)
    local here, there = connection()
    local server = rt.spawn(function()
      local n = 0
      while true do
        local header = receive(there, 8, 100)
        if not header then return end
        local kind, length = string.unpack("<ii", header)
        if length > 0 then receive(there, length, 100) end
        if kind == 0 then
          n = n + 1
          if n == 1 then rt.sleep(seconds) end
          if there.over then return end
          there:write(string.pack("<d", 100 + n))
        end
      end
    end)
    server.background = true
    return gti.client(here), here
  end
  it("takes no late reply for another command's: a time-out ends the connection", function()
    local far, port = slow(11)
    local values, why, code = far:query_sensors { "neckPan" }
    expect.equal(nil, values)
    expect.equal("no reply has come for 10 s", why)
    expect.equal("ELINK", code)
    expect.truthy(port.closed)
    rt.sleep(5)
    values, why, code = far:query_sensors { "neckPan" }
    expect.equal(nil, values)
    expect.equal("no reply has come for 10 s", why)
    expect.equal("ELINK", code)
    expect.equal("ELINK", select(3, far:walk(1, 0, 0)))
  end)
  it("takes a reply in time", function()
    local far <close> = slow(9)
    expect.equal(101.0, far:query_sensors { "neckPan" }[1])
    expect.equal(102.0, far:query_sensors { "neckPan" }[1])
  end)
  it("sends a walk while it waits for a reply", function()
    local far <close>, port = slow(5)
    local asking = rt.spawn(function() return far:query_sensors { "neckPan" } end)
    rt.sleep(0.1)
    local begin = rt.now()
    expect.equal(true, far:stop_walk())
    expect.equal(begin, rt.now())
    expect.truthy(port ~= nil and asking:wait(6))
  end)
  it("ends the connection when a task that waits for a reply is ended", function()
    local far, port = slow(5)
    local asking = rt.spawn(function() return far:query_sensors { "neckPan" } end)
    local next_one = rt.spawn(function() return far:query_sensors { "neckPan" } end)
    rt.sleep(0.1)
    asking:cancel()
    local _, values, why = next_one:wait(1)
    expect.equal(nil, values)
    expect.equal("a command was broken off", why)
    expect.truthy(port.closed)
    rt.sleep(6) -- the server notices
  end)
  it("refuses what it cannot send", function()
    local far <close> = slow(0)
    expect.raises("finite", far.walk, far, 0 / 0, 0, 0)
    expect.raises("finite", far.move_joints, far, { { "neckPan", math.huge } })
    expect.equal(101.0, far:query_sensors { "neckPan" }[1])
  end)
end)

describe("the driver for real ones", function()
  -- A robot that it drives, whose server gives these angles for any joints, in degrees; what is sent there.
  local function with_far(angle, fn)
    local sent = {}
    local function send(what) return function() sent[#sent + 1] = what return true end end
    local far = { side = { encode = function() end }, walk = send "walk", move_joints = send "move",
      close = send "close" }
    function far:query_sensors(list)
      local values = {}
      for i in ipairs(list) do values[i] = angle end
      return values
    end
    local connect <const> = gti.connect
    local _ <close> = setmetatable({}, { __close = function() gti.connect = connect end })
    gti.connect = function() return far end
    assert(rt.add_robot { name = "far_dog", joints = { { name = "neck", dofs = { { name = "tilt", limit = { -1, 1 } } },
      driver = "body" } }, drivers = { body = { script = "gti", url = "unix:nowhere" } } })
    do
      local robot <close> = rt.connect "local:far_dog"
      rt.sleep(0.5)
      fn(robot, sent)
    end
    drivers.remove "far_dog"
  end

  it("gives up a server that tells where no joint can be", function()
    with_far(1e300, function(robot)
      local word, _, result = robot:set_joint("neck", { tilt = 0.1 })
      expect.equal("ERROR", word)
      expect.equal("link", result.reason)
    end)
  end)

  it("holds the joints where they are when a stop comes too late for it", function()
    with_far(10, function(robot, sent)
      local next_event = core.device_next
      core.device_next = function() end -- it is too busy to hear of the stop, which is made a halt
      rt.spawn(robot.stop, robot)
      rt.sleep(0.6)
      core.device_next = next_event
      expect.equal("SUCCESS", (robot:set_joint("neck", { tilt = math.rad(10) })))
      expect.equal("move move", table.concat(sent, " ")) -- the first holds them
    end)
  end)
end)

describe("in real time, over sockets, the server", function()
  -- The descriptor of a dog that is as patient as the test is: a busy machine is no silence of its client's.
  local function patient_dog()
    local d = assert(require "robotalk.descriptor".load "aibo_ers7")
    d.deadman = expect.patience
    return d
  end
  local function with_server(fn)
    local name = assert(rt.add_robot(patient_dog()))
    do
      local robot <close> = rt.connect("local:" .. name, { expiry = false })
      local dog = aibo.new(robot, { motions = "tests/mot" })
      local path = os.tmpname()
      os.remove(path)
      local server <close> = assert(gti.serve(dog, { listen = "gti+unix:" .. path }))
      fn(server, "unix:" .. path, robot)
    end
    drivers.remove(name)
  end
  it_really("is driven as a robot of its own, by the driver for real ones", function()
    with_server(function(_, url, real)
      local d = patient_dog()
      d.name = "far_dog"
      for _, joint in pairs(d.joints) do joint.driver, joint.leg = "body", nil end
      d.base.driver, d.drivers, d.frames = "body", { body = { script = "gti", url = url } }, nil
      assert(rt.add_robot(d))
      local robot = rt.connect("local:far_dog", { expiry = false })
      expect.equal(robot:set_joint("head", { pan = 0.5, nod = 0.2 }), "SUCCESS")
      expect.truthy(math.abs(real:state().joints.head.pan - 0.5) < 0.05)
      expect.equal(robot:set_joint("tail", { pan = 2 }), "MODIFIED") -- clipped
      expect.equal(robot:go_to { x = 1, y = 0, theta = 0 }, "NA") -- nobody tells it where it is
      -- what it senses comes from there, too
      local felt = robot:sense { "NearIRDist", "Accel", "ChinBut" }
      expect.near(felt[1].range, 0.5, 1e-4)
      expect.near(felt[2].acceleration[3], 9.80665, 0.5)
      expect.equal(felt[3].pressed, false)
      local dog = aibo.new(robot)
      expect.near(dog:query_sensors({ "DAccel" })[1], -9.80665, 0.5)
      local function head() return real:state().joints.head end
      local function walks() return real:state().twist[1] > 0.05 end
      local function stands() return not real:state().moving end
      -- a joint that is refused there is no limit of the body
      do
        expect.eventually("it stands", stands)
        local other <close> = rt.connect("local:" .. real:describe().name)
        local slow <close> = rt.spawn(function() other:set_joint("head", { nod = -0.2, speed = 0.01 }) end)
        expect.eventually("the head nods", function() return real:state().moving end)
        expect.equal("ERROR", robot:set_joint("head", { nod = 0.6 }))
        expect.equal("waiting", slow:status())
      end
      -- a stop is one of joints, too
      local pan = rt.spawn(function() return robot:set_joint("head", { pan = -1.5, speed = 0.05 }) end)
      expect.eventually("the head pans", function() return head().pan < 0.45 end)
      expect.equal("SUCCESS", robot:stop())
      expect.equal("INTERRUPTED", select(2, pan:wait()))
      expect.eventually("it stands", stands)
      expect.truthy(head().pan > -1, head().pan)
      local begun = rt.now()
      expect.equal(robot:set_speed { x = 0.1 }, "SUCCESS")
      expect.eventually("it walks", walks)
      expect.equal("BUSY", robot:set_joint("LFr_knee", { knee = 0.5 }))
      expect.eventually("it comes ahead", function() return robot:state().x > 0.03 end)
      local state = robot:state()
      expect.truthy(state.moving and state.x < 0.1 * (rt.now() - begun) + 0.02, state.x)
      local before = head().pan
      local far = rt.spawn(function() return robot:set_joint("head", { pan = 1.5, speed = 0.05 }) end)
      expect.eventually("the head pans back", function() return head().pan > before + 0.02 end)
      robot:panic() -- that it stands is written by C, without a script; that its joints do, by the driver
      expect.eventually("it stands", stands)
      expect.truthy(head().pan < 1.4, head().pan)
      expect.equal("PANIC", select(2, far:wait()))
      robot:reset()
      expect.equal(robot:set_joint("head", { pan = 0 }), "SUCCESS")
      robot:set_speed { x = 0.1 }
      expect.eventually("it walks", walks)
      robot:set_speed { x = 0 }
      expect.equal("SUCCESS", robot:set_joint("LFr_knee", { knee = 0.8 })) -- when the dog stands
      expect.near(0.8, real:state().joints.LFr_knee.knee, 0.05)
      robot:set_speed { x = 0.1 }
      expect.eventually("it walks", walks)
      robot:close()
      drivers.remove "far_dog" -- hangs up: the real one stands
      expect.eventually("it stands", stands)
    end)
  end)
  it_really("listens to this machine alone", function()
    for _, url in ipairs { "robotalk://0.0.0.0:0", "gti://0.0.0.0:0", "robotalk+tls://0.0.0.0:0?cert=a&key=b" } do
      local listening, why, code = rt.serve { listen = { url } }
      expect.equal(nil, listening)
      expect.equal("EADDRESS", code)
      expect.truthy(why:find "other machines can reach it: that takes TLS")
    end
    expect.truthy(select(2, rt.serve { listen = { "gti://localhost:0?pakced" } }):find "did you mean 'packed'")
    local port, message = gti.connect "gti+unix:/tmp/no-such-socket"
    expect.equal(port, nil)
    expect.truthy(message)
  end)
end)
