-- The bridge of paper 003 in simulated time: behaviours of the user's between a client of Gamebots and a robot.
local bridge = require "robotalk.bridge"
local core = require "robotalk.core"
local rt = require "robotalk"
local world = require "robotalk.world"

-- A client of Gamebots: say(line), has(text), cut().
local function join(init, robot)
  local port = assert(core.dial(("gamebots+local:%s?bridge"):format(robot or "pioneer2"), 1))
  local client = { got = "" }
  function client.say(line) port:write(line .. "\r\n") end
  function client.write(bytes) port:write(bytes) end
  function client.has(text)
    local bytes = port:read()
    while bytes and bytes ~= "" do
      client.got = client.got .. bytes
      bytes = port:read()
    end
    return client.got:find(text, 1, true) ~= nil
  end
  function client.cut() port:close() end
  if init ~= false then client.say(("INIT {ClassName USARBot.%s} {Name R1}"):format(robot or "P2AT")) end
  return client
end

-- Runs fn(client, robot, made) with a bridge of those behaviours between the two.
local function with(behaviours, fn)
  local robot <close> = rt.connect "pioneer2"
  local made = bridge.new { behaviours = behaviours }
  local running = rt.spawn("bridge", function() made:run() end)
  rt.sleep(0.05)
  local client = join()
  local _ <close> = setmetatable({}, { __close = function()
    client.cut()
    running:cancel()
    rt.sleep(2)
  end })
  rt.sleep(0.05)
  fn(client, robot, made, running)
end

local STOCK <const> = { bridge.quit, bridge.parse, bridge.drive, bridge.ptz }

local function and_also(...)
  local list = table.move(STOCK, 1, #STOCK, 1, {})
  for _, one in ipairs { ... } do list[#list + 1] = one end
  return list
end

local FAST <const> = 0.165 -- m/s: 2 rad/s of wheels of 0.0825 m

local function speed(robot) return robot:state().velocity.x end

local function drive(client, robot)
  client.say "DRIVE {Left 2} {Right 2}"
  rt.sleep(3)
  expect.near(FAST, speed(robot), 1e-6)
end

local function at_rest(robot)
  rt.sleep(2)
  for _ = 1, 10 do
    rt.sleep(0.1)
    local state = robot:state()
    expect.equal(false, state.moving)
    expect.near(0, state.speed[1], 1e-9)
  end
end

describe("a bridge with the stock behaviours", function()
  it("drives, turns the camera, and answers", function()
    with(STOCK, function(client, robot)
      drive(client, robot)
      client.say "MISPKG {Name CameraPanTilt} {Link 1} {Value -0.5} {Order 0}"
      client.say "GETCONF {Type Robot}"
      client.say "DRIVE {Left 1,5} {Right 1}"
      rt.sleep(3)
      expect.near(0.5, robot:state().joints.head.pan, 0.02)
      expect.truthy(client.has "CONF {Type GroundVehicle} {Name P2AT}")
      expect.truthy(client.has "RES {Type DRIVE} {Name R1} {Status Failed} {Reason Left: ")
      expect.truthy(client.has "STA {Type GroundVehicle}")
    end)
  end)

  it("stops for PAUSE, and goes on by a new line", function()
    with(STOCK, function(client, robot)
      drive(client, robot)
      client.say "PAUSE"
      at_rest(robot)
      drive(client, robot)
    end)
  end)

  it("ends the talk for QUIT, and waits for the next client", function()
    with(STOCK, function(client, robot)
      drive(client, robot)
      client.say "QUIT"
      at_rest(robot)
      client = join()
      rt.sleep(0.1)
      at_rest(robot)
      drive(client, robot)
      client.cut()
    end)
  end)

  it("wishes only what is new", function()
    local open, count = core.bridge, 0
    local _ <close> = setmetatable({}, { __close = function() rawset(core, "bridge", open) end })
    rawset(core, "bridge", function(name)
      local real, handle = open(name)
      local port = { hand_over = function(_, ...)
        count = count + 1
        return real:hand_over(...)
      end }
      local function other(_, method) return function(_, ...) return real[method](real, ...) end end
      return setmetatable(port, { __index = other, __close = function() real:close() end }), handle
    end)
    with(STOCK, function(client, robot)
      drive(client, robot)
      expect.equal(1, count)
    end)
  end)
end)

describe("when the link is cut", function()
  local STATES <const> = {
    { "after INIT", function() end },
    { "while it drives", drive },
    { "while a joint moves", function(client)
      client.say "DRIVE {Name tilt} {Value 0.1} {Order 1}"
      rt.sleep(0.3)
    end },
    { "while the camera turns", function(client, robot)
      client.say "MISPKG {Name CameraPanTilt} {Link 1} {Value 1.5} {Order 0}"
      rt.sleep(0.3)
      expect.truthy(math.abs(robot:state().speed[1]) > 0.1)
    end },
    { "in half a line", function(client, robot)
      drive(client, robot)
      client.write "DRIVE {Left 9} {Ri"
    end },
    { "in a panic", function(client, robot)
      drive(client, robot)
      robot:panic()
      rt.sleep(1)
    end },
  }
  for _, state in ipairs(STATES) do
    it("all movement ceases " .. state[1] .. ", and new commands alone go on", function()
      with(STOCK, function(client, robot)
        state[2](client, robot)
        client.cut()
        at_rest(robot)
        local other = join()
        at_rest(robot)
        robot:reset()
        at_rest(robot)
        drive(other, robot)
        other.cut()
      end)
    end)
  end

  it("all movement ceases while the script is inside a behaviour, which moves nothing afterwards", function()
    local inside, over = false, false
    local slow = { name = "slow", active = false, messages = {} }
    function slow.messages.THINK() slow.active = true end
    function slow:step(b)
      self.active, inside = false, true
      rt.sleep(0.3)
      b:set_speed { x = 0.2 }
      inside, over = false, true
    end
    with(and_also(slow), function(client, robot)
      drive(client, robot)
      client.say "THINK"
      rt.sleep(0.1)
      expect.truthy(inside)
      client.cut()
      local other = join()
      at_rest(robot)
      expect.truthy(over)
      drive(other, robot)
      other.cut()
    end)
  end)

  it("of two user interfaces the other one's cut changes nothing", function()
    with(STOCK, function(client, robot)
      drive(client, robot)
      local other = join()
      rt.sleep(0.1)
      expect.truthy(other.has "{Reason another client has the robot of that name}")
      other.say "DRIVE {Left -2} {Right -2}"
      rt.sleep(1)
      expect.near(FAST, speed(robot), 1e-6)
      other.cut()
      rt.sleep(1)
      expect.near(FAST, speed(robot), 1e-6)
    end)
  end)
end)

describe("a behaviour of the user's", function()
  it("has messages of its own, and answers them", function()
    local horn = { name = "horn", active = false, messages = {} }
    function horn.messages.HORN(self, b, message)
      expect.equal("HORN", message.type)
      self.count = message:number "times"
      b:answer("Horn", message:flag "LOUD" == true, "it is to be loud")
    end
    function horn.step() end
    with(and_also(horn), function(client)
      client.say "horn {Times 3} {Loud false}"
      client.say "HORN {Times 4} {Loud true}"
      rt.sleep(0.1)
      expect.equal(4, horn.count)
      expect.truthy(client.has "RES {Type Horn} {Name R1} {Status Failed} {Reason it is to be loud}\r\n")
      expect.truthy(client.has "RES {Type Horn} {Name R1} {Status OK}\r\n")
    end)
  end)

  it("changes what was told, since those behind it act later", function()
    local half = { name = "half", active = true }
    function half.step(_, b)
      local wished = b.wish.velocity
      if wished then b:set_speed { x = wished.x / 2, theta = wished.theta } end
    end
    with({ bridge.quit, bridge.parse, bridge.drive, half, bridge.ptz }, function(client, robot)
      client.say "DRIVE {Left 2} {Right 2}"
      rt.sleep(3)
      expect.near(FAST / 2, speed(robot), 1e-6)
    end)
  end)

  it("moves joints by their names, and has the state", function()
    local follow = { name = "follow", active = true }
    function follow.step(_, b) b:set_joint("head", { pan = b.state.theta > 0.2 and -0.3 or 0 }) end
    with(and_also(follow), function(client, robot)
      client.say "DRIVE {Left -1} {Right 1}"
      rt.sleep(3)
      expect.near(-0.3, robot:state().joints.head.pan, 0.02)
    end)
  end)

  it("that moves the robot by the robot's own methods is refused, since the client has it", function()
    local word
    local rash = { name = "rash", active = true }
    function rash:step(b)
      self.active = false
      word = b.robot:set_speed { x = 0.1 }
    end
    with(and_also(rash), function(_, robot)
      at_rest(robot)
      expect.equal("BUSY", word)
    end)
  end)

  it("that raises stops the robot, and is told with its line; the next command goes on", function()
    local lines, log = {}, core.log
    local _ <close> = setmetatable({}, { __close = function() core.log = log end })
    core.log = function(text) lines[#lines + 1] = text end
    local bad = { name = "bad", active = true, messages = {} }
    function bad.messages.BREAK(self) self.broken = true end
    function bad:step()
      if self.broken then error "it broke" end
    end
    function bad:stop() self.broken = false end
    with(and_also(bad), function(client, robot)
      drive(client, robot)
      client.say "BREAK"
      rt.sleep(0.1)
      expect.truthy(client.has "RES {Type Bridge} {Name R1} {Status Failed} {Reason bad: ")
      expect.truthy(client.got:find "{Reason bad: bridge_test.lua:%d+: it broke}")
      at_rest(robot)
      local text = table.concat(lines)
      expect.truthy(text:find "bridge: bad: [^\n]*bridge_test.lua:%d+: it broke", text)
      drive(client, robot)
    end)
  end)

  it("that always raises lets nothing move, and is told once", function()
    local bad = { name = "bad", active = true }
    function bad.step() error "always" end
    local log = core.log
    local _ <close> = setmetatable({}, { __close = function() core.log = log end })
    core.log = function() end
    with(and_also(bad), function(client, robot)
      for _ = 1, 20 do
        client.say "DRIVE {Left 2} {Right 2}"
        rt.sleep(0.05)
      end
      at_rest(robot)
      client.has ""
      local _, count = client.got:gsub("RES {Type Bridge} {Name R1} {Status Failed}", "")
      expect.equal(1, count)
    end)
  end)

  it("that raises something else in every other cycle is told once a second", function()
    local bad, lines, log = { name = "bad", active = true, cycles = 0 }, 0, core.log
    function bad:step()
      self.cycles = self.cycles + 1
      if self.cycles % 2 == 0 then error(("%d is too much"):format(self.cycles)) end
    end
    local _ <close> = setmetatable({}, { __close = function() core.log = log end })
    core.log = function(text) lines = lines + (text:find("bridge: bad:", 1, true) and 1 or 0) end
    with(and_also(bad), function(client, robot)
      for _ = 1, 60 do
        client.say "DRIVE {Left 2} {Right 2}"
        rt.sleep(0.05)
      end
      at_rest(robot)
      client.has ""
      local _, count = client.got:gsub("RES {Type Bridge} {Name R1} {Status Failed}", "")
      expect.truthy(count >= 4 and count <= 8, count)
      expect.equal(count, lines)
    end)
  end)

  -- A step that does what is in `next_one`, once; and what the client is told of it.
  local function each_fails(cases)
    local odd, wrong = { name = "odd", active = true }, nil
    function odd.step(_, b)
      local one = wrong
      wrong = nil
      if one then one(b) end
    end
    local log = core.log
    local _ <close> = setmetatable({}, { __close = function() core.log = log end })
    core.log = function() end
    with(and_also(odd), function(client, robot, _, running)
      for _, case in ipairs(cases) do
        drive(client, robot)
        wrong = case[1]
        rt.sleep(0.1)
        expect.truthy(client.has(case[2]), case[2])
        at_rest(robot)
      end
      expect.equal("waiting", running:status())
    end)
  end

  it("that wishes something of a dof that is not there fails, and the bridge goes on", function()
    each_fails {
      { function(b) b:set_dof { dof = 3, value = 1, servo = "speed" } end, "dof: want 1 to 2, got 3" },
      { function(b) b:set_dof { dof = 1, value = 0 / 0, servo = "speed" } end, "value: want a finite number" },
      { function(b) b:set_dof { dof = 1, value = 1, servo = "spin" } end, "want setpoint, speed or force, got spin" },
    }
  end)

  it("that spoils the wishes fails, and the bridge goes on", function()
    each_fails {
      { function(b) b.wish = nil end, "{Reason odd: bridge.wish: want what set_speed, set_dof and stop make of it}" },
      { function(b) b.wish.dofs = 3 end, "bridge.wish: want what set_speed" },
      { function(b) b.wish.velocity = { x = 1 } end, "bridge.wish: velocity.y: want a finite number" },
      { function(b) b.wish.dofs[1] = { dof = 7, value = 1, servo = "speed" } end, "dofs[1]: dof: want 1 to 2, got 7" },
      { function(b) b.port:close() end, "attempt to index a nil value (field 'port')" },
    }
  end)

  it("needs no step when it has messages", function()
    local horn = { name = "horn", messages = { HORN = function(_, b) b:answer("Horn", true) end }, active = true }
    with(and_also(horn), function(client)
      client.say "HORN"
      rt.sleep(0.1)
      expect.truthy(client.has "RES {Type Horn} {Name R1} {Status OK}")
    end)
  end)

  it("that waits for too long has the robot stop", function()
    local slow = { name = "slow", active = false, messages = {} }
    function slow.messages.SLEEP() slow.active = true end
    function slow:step()
      self.active = false
      rt.sleep(5)
    end
    with(and_also(slow), function(client, robot)
      drive(client, robot)
      client.say "SLEEP"
      rt.sleep(2)
      expect.equal(false, robot:state().moving)
      expect.truthy(client.has "{Reason its script does not answer: the robot stops}")
      rt.sleep(4)
      expect.truthy(client.has "RES {Type Bridge} {Name R1} {Status OK}")
      at_rest(robot)
      drive(client, robot)
    end)
  end)
end)

describe("image transfer", function()
  -- Stands in for an image server.
  local function sender(list)
    return function(camera, to, options)
      local one = { camera = camera.name, to = to, rate = options.rate, open = true }
      list[#list + 1] = one
      function one:close() self.open = false end
      return one
    end
  end

  it("begins with a client, at its pace, and ends with it", function()
    local list = {}
    with(and_also(bridge.images { every = 0.5, to = "images://x", send = sender(list) }), function(client, robot)
      rt.sleep(0.1)
      expect.equal(1, #list)
      expect.equal(2.0, list[1].rate)
      expect.equal("images://x", list[1].to)
      drive(client, robot)
      client.say "PAUSE" -- the robot stops, and the pictures go on
      rt.sleep(0.2)
      expect.truthy(list[1].open)
      client.say "IMAGES {Every 0.1}"
      rt.sleep(0.2)
      expect.equal(false, list[1].open)
      expect.equal(10.0, list[2].rate)
      client.say "IMAGES {Every -1}"
      client.say "IMAGES {Every 0} {Active false}"
      rt.sleep(0.2)
      expect.truthy(client.has "{Type Images} {Name R1} {Status Failed} {Reason Every: expected seconds, 0.001 to 3600")
      expect.truthy(list[2].open)
      for _, every in ipairs { "1e-9", "0.0005", "4000" } do
        client.got = ""
        client.say(("IMAGES {Every %s}"):format(every))
        rt.sleep(0.2)
        expect.truthy(client.has "{Type Images} {Name R1} {Status Failed}")
      end
      expect.truthy(list[2].open)
      client.say "IMAGES {Active false}"
      rt.sleep(0.2)
      expect.equal(false, list[2].open)
      client.say "IMAGES {Active true}"
      drive(client, robot)
      expect.truthy(list[3].open)
      client.cut()
      at_rest(robot)
      expect.equal(false, list[3].open)
      expect.equal(3, #list)
    end)
  end)

  it("is tried again when no server is there, and holds nothing up", function()
    local count, log = 0, core.log
    local _ <close> = setmetatable({}, { __close = function() core.log = log end })
    core.log = function() end
    local function send()
      count = count + 1
      rt.sleep(4)
      return nil, "nobody listens", "EADDRESS"
    end
    with(and_also(bridge.images { send = send }), function(client, robot)
      drive(client, robot)
      rt.sleep(10)
      expect.equal(2, count)
      expect.near(FAST, speed(robot), 1e-6)
    end)
  end)

  it("is tried again after a while when it cannot be sent", function()
    local count, lines, log = 0, 0, core.log
    local _ <close> = setmetatable({}, { __close = function() core.log = log end })
    core.log = function() lines = lines + 1 end
    local function send()
      count = count + 1
      error "width: want 1 to 4096"
    end
    with(and_also(bridge.images { send = send }), function()
      rt.sleep(11)
      expect.equal(3, count)
    end)
    expect.truthy(lines < 10)
  end)
end)

it("goes on with a robot that was removed and is there anew", function()
  local drivers = require "robotalk.drivers"
  local rover = assert(require "robotalk.descriptor".load "pioneer2")
  rover.name = "rover"
  local made = bridge.new { behaviours = STOCK, robot = "rover" }
  assert(rt.add_robot(rover))
  local running = rt.spawn("bridge", function() made:run() end)
  rt.sleep(0.1)
  local client = join(nil, "rover")
  rt.sleep(0.1)
  expect.equal("R1", made.user)
  drivers.remove "rover"
  rt.sleep(0.1)
  expect.equal(nil, made.user)
  assert(rt.add_robot(rover))
  client.cut()
  client = join(nil, "rover")
  local robot = rt.connect "local:rover"
  drive(client, robot)
  expect.near(FAST, made.state.velocity.x, 1e-6)
  client.cut()
  running:cancel()
  robot:close()
  rt.sleep(2)
  drivers.remove "rover"
end)

describe("bridge.new", function()
  local function wrong(options)
    local ok, why = pcall(bridge.new, options)
    expect.equal(false, ok)
    return (tostring(why):gsub("^[^ ]*: ", ""))
  end

  it("says what is wrong", function()
    local step = function() end
    expect.equal("bridge.new: behaviours: want a list, got nil", wrong {})
    expect.equal("bridge.new: quit comes first: no behaviour acts before it",
      wrong { behaviours = { bridge.parse, bridge.quit } })
    expect.equal("bridge.new: behaviours[1]: want bridge.images {}, got bridge.images",
      wrong { behaviours = { bridge.images } })
    expect.equal("bridge.new: behaviours[1]: name: want a text, got nil", wrong { behaviours = { { step = step } } })
    expect.equal("bridge.new: behaviours[1] (x): want a function step, or messages",
      wrong { behaviours = { { name = "x" } } })
    expect.equal("bridge.new: behaviours[1] (x): want a function step, or messages, got 'stepp'",
      wrong { behaviours = { { name = "x", stepp = step } } })
    local deaf = "bridge.new: behaviours: none takes the client's lines: want bridge.parse, as a rule"
    expect.equal(deaf, wrong { behaviours = {} })
    expect.equal(deaf, wrong { behaviours = { bridge.quit, bridge.drive, bridge.ptz, bridge.images {} } })
    expect.equal(deaf, wrong { behaviours = { { name = "x", messages = { HORN = step } } } })
    expect.truthy(bridge.new { behaviours = { { name = "x", step = step } } }) -- it may take them by bridge:lines()
    expect.equal("bridge.new: there are two behaviours 'parse'", wrong { behaviours = { bridge.parse, bridge.parse } })
    expect.equal("bridge.new: behaviours[1] (x): messages.Horn: want a type in upper case",
      wrong { behaviours = { { name = "x", step = step, messages = { Horn = step } } } })
  end)
end)

describe("the careful bridge", function()
  it("slows down before a wall, does not touch it, and drives back", function()
    local robot <close> = rt.connect "pioneer2"
    local _ <close> = setmetatable({}, { __close = function() assert(world.open {}) end })
    assert(require "robotalk.world".open { walls = { { points = { { 2, -2 }, { 2, 2 } } } } })
    local made = dofile "scripts/behaviors/careful.lua"
    local running = rt.spawn("bridge", function() made:run() end)
    rt.sleep(0.05)
    local client = join()
    client.say "DRIVE {Left 5} {Right 5}"
    rt.sleep(2)
    expect.near(5 * FAST / 2, speed(robot), 1e-6) -- far from it as it was told
    rt.sleep(3)
    local slow = speed(robot)
    expect.truthy(slow > 0 and slow < 0.2, slow)
    rt.sleep(60)
    local state = robot:state()
    -- the foremost sonars are 0.166 m before its middle
    expect.near(2 - 0.3 - 0.166, state.x, 0.05)
    expect.truthy(math.abs(state.velocity.x) < 0.01)
    client.say "DRIVE {Left -5} {Right -5}"
    rt.sleep(2)
    expect.near(-5 * FAST / 2, speed(robot), 1e-6)
    client.cut()
    rt.sleep(2)
    expect.equal(false, robot:state().moving)
    running:cancel()
  end)
end)
