-- What stands around simulated robots: what their sensors see of it, and where they stop.
local rt = require "robotalk"
local drivers = require "robotalk.drivers"
local world = require "robotalk.world"

local function rover(name, x, y, heading)
  return { name = name, base = { speed = { x = 1, theta = 2 }, acceleration = { x = 2, theta = 4 } },
    links = { [0] = { name = "hull", position = { x, y, 0 }, attitude = { 0, 0, heading or 0 },
      shapes = { { type = "cylinder", size = { 0.2, 0.3 }, position = { 0, 0, 0.15 } } } } },
    sensors = { { name = "scan", type = "laser", count = 3, fov = math.pi, link = "hull", position = { 0, 0, 0.2 } },
      { name = "ping", type = "sonar", opening = 0.5, link = "hull", position = { 0.2, 0, 0.2 } },
      { name = "down", type = "infrared", link = "hull", position = { 0, 0, 0.2 }, attitude = { 0, math.pi / 2, 0 } },
      { name = "skin", type = "bumper", count = 4, link = "hull" } } }
end

-- fn(robots…) with rovers at these places in a world, which is empty afterwards.
local function with(what, places, fn)
  local robots = {}
  local _ <close> = setmetatable({}, { __close = function()
    for _, robot in ipairs(robots) do
      robot:close()
      pcall(drivers.remove, robot.body.name) -- unless the test has
    end
    assert(world.open {})
  end })
  for i, place in ipairs(places) do
    local name = assert(rt.add_robot(rover("rover" .. i, table.unpack(place))))
    robots[i] = rt.connect("local:" .. name)
  end
  assert(world.open(what))
  fn(table.unpack(robots))
end

local ROOM = { walls = { { points = { { -2, -1 }, { 3, -1 }, { 3, 1 }, { -2, 1 } }, closed = true } } }

describe("a world", function()
  it("is seen by rays: right, ahead, left, and the floor", function()
    with(ROOM, { { 0, 0 } }, function(robot)
      local scan = robot:sense "scan"
      for i, want in ipairs { 0.95, 2.95, 0.95 } do expect.near(scan.ranges[i], want, 1e-6) end
      expect.near(robot:sense("ping").range, 2.75, 1e-3)
      expect.near(robot:sense("down").range, 0.2, 1e-6)
      expect.equal(robot:sense("skin").pressed, false)
    end)
  end)

  it("has boxes, pillars and balls", function()
    with({ boxes = { { size = { 1, 2, 1 }, position = { 2, 0 }, heading = math.pi / 2 },
        { size = { 1, 1, 1 }, position = { 0, 3 }, raised = 0.5 } },
      pillars = { { radius = 0.25, position = { 0, -2 } } }, balls = { { radius = 0.5, position = { 0, 1.5 } } } },
      { { 0, 0 } }, function(robot)
        local scan = robot:sense "scan"
        expect.near(scan.ranges[1], 1.75, 1e-6)
        expect.near(scan.ranges[2], 1, 1e-6)
        expect.near(scan.ranges[3], 1.5 - 0.4, 1e-6) -- the ball at the height of the scan
      end)
  end)

  it("has capsules, with round ends", function()
    with({ capsules = { { radius = 0.5, length = 1, position = { 2, 0 } },
        { radius = 0.1, length = 2, position = { 0, 1.5 }, attitude = { 0, math.pi / 2, 0 }, raised = 0.1 } } },
      { { 0, 0 } }, function(robot)
        local scan = robot:sense "scan"
        expect.near(scan.ranges[2], 2 - 0.4, 1e-6) -- the lower half ball at the height of the scan
        expect.near(scan.ranges[3], 1.4, 1e-6)     -- the one that lies
        local _, why = robot:go_to { x = 3 }
        expect.equal("something is in the way: a capsule", why)
        expect.near(robot:state().pose[1], 2 - 0.5 - 0.2, 0.01)
      end)
  end)

  it("has robots at the height of their root link", function()
    local raised = rover("raised", 0, 0)
    raised.links[0].position[3] = 0.08
    raised.links[0].shapes[1].position[3] = 0.1
    raised.sensors = { { name = "here", type = "pose", link = "hull", position = { 0, 0, 0.01 } },
      { name = "ping", type = "sonar", opening = 0.02, range = { 0, 3 }, link = "hull", position = { 0.2, 0, 0 } } }
    with({ boxes = { { size = { 0.2, 1, 0.05 }, position = { 1, 0 } },
      { size = { 0.2, 1, 0.5 }, position = { 2, 0 } } } }, {}, function()
      local _ <close> = setmetatable({}, { __close = function() drivers.remove "raised" end })
      local robot <close> = rt.connect("local:" .. assert(rt.add_robot(raised)))
      expect.near(robot:sense("ping").range, 1.7, 1e-3) -- over the box of 5 cm
      robot:go_to { x = 0.3 }
      expect.equal(robot:state().pose[3], 0.08)
      expect.near(robot:sense("here").position[3], 0.09, 1e-9)
    end)
  end)

  it("shows robots to each other", function()
    with({}, { { 0, 0 }, { 1, 0 } }, function(one, other)
      expect.near(one:sense("ping").range, 0.6, 1e-6)
      other:set_speed { x = 0.5 }
      rt.sleep(2)
      local x = other:state().x
      expect.near(one:sense("ping").range, x - 0.4, 1e-3)
      other:stop()
    end)
  end)

  it("stops a base that would drive into it, and its bumper feels that", function()
    with(ROOM, { { 0, 0 } }, function(robot)
      local signal, _, result = robot:go_to { x = 5 }
      expect.equal(signal, "ERROR")
      expect.equal(result.reason, "blocked")
      local state = robot:state()
      expect.truthy(state.x < 2.75001 and state.x > 2.75 - 0.011, state.x)
      expect.equal(state.moving, false)
      rt.sleep(0.1)
      local skin = robot:sense "skin"
      expect.equal(skin.pressed, true)
      local parts = {}
      for i, on in ipairs(skin.switches) do parts[i] = on and "1" or "0" end
      expect.truthy(table.concat(parts) == "0010" or table.concat(parts) == "0100", table.concat(parts))
      -- further it does not go; back it does, and it may turn
      robot:set_speed { x = 0.3 }
      rt.sleep(0.5)
      expect.near(robot:state().x, state.x, 0.011)
      expect.equal((robot:go_to { x = state.x, theta = 1 }), "SUCCESS")
      robot:set_speed { x = -0.3 }
      rt.sleep(1)
      robot:stop()
      expect.truthy(robot:state().x < state.x - 0.05)
      expect.equal(robot:sense("skin").pressed, false)
    end)
  end)

  it("stops robots for each other, and both feel it", function()
    with({}, { { 0, 0 }, { 2, 0, math.pi } }, function(one, other)
      local signal, reason
      local task = rt.spawn(function()
        local _, _, result = other:go_to { x = -2 }
        signal, reason = result.signal, result.reason
      end)
      local _, _, result = one:go_to { x = 4 }
      expect.equal(result.signal .. " " .. result.reason, "ERROR blocked")
      task:wait()
      expect.equal(signal .. " " .. reason, "ERROR blocked")
      local gap = other:state().x - one:state().x - 0.4
      expect.truthy(gap > 0 and gap < 0.012, gap)
      expect.equal(one:sense("skin").pressed, true)
      expect.equal(other:sense("skin").pressed, true)
      one:set_speed { x = -0.5 }
      rt.sleep(1)
      one:stop()
      expect.equal(one:sense("skin").pressed, false)
      expect.truthy(one:state().x < 0.6)
    end)
  end)

  it("stops the one that drives into another, not the one that leaves or stands", function()
    with({}, { { 0, 0 }, { 0.6, 0 }, { 0, 0.45 } }, function(one, other, third)
      other:set_speed { x = 0.3 }
      one:set_speed { x = 1 }
      rt.sleep(3)
      expect.near(other:state().velocity.x, 0.3, 1e-9)
      expect.equal(one:state().velocity.x, 0.0)
      expect.truthy(one:state().x < other:state().x - 0.4)
      expect.equal(third:state().y, 0.45)
      other:stop()
      drivers.remove(other.body.name) -- what is gone is in nobody's way
      expect.equal((one:go_to { x = 3 }), "SUCCESS")
    end)
  end)

  it("stops a body that walks", function()
    local dog <close> = assert(rt.connect "aibo_ers7")
    local _ <close> = setmetatable({}, { __close = function() assert(world.open {}) end })
    assert(world.open { boxes = { { size = { 0.2, 2, 0.5 }, position = { 0.6, 0 } } } })
    local _, _, result = dog:go_to { x = 1 }
    expect.equal(result.signal .. " " .. result.reason, "ERROR blocked")
    local state = dog:state()
    expect.truthy(state.x > 0.2 and state.x < 0.5, state.x)
    expect.equal(state.moving, false)
    expect.equal((dog:go_to { x = state.x - 0.1, theta = state.theta }), "SUCCESS")
    dog:set_speed { x = 0.2 }
    rt.sleep(3)
    expect.near(dog:state().x, state.x, 0.02)
    dog:stop()
  end)

  it("is the same for the same seed, however often it is looked at", function()
    local function run(looks)
      local x
      with(ROOM, { { 0, 0 } }, function(robot)
        robot:set_speed { x = 0.7, theta = 0.1 }
        for _ = 1, looks do rt.sleep(5 / looks) end
        local state = robot:state()
        x = ("%.9f %.9f"):format(state.x, state.y)
      end)
      return x
    end
    expect.equal(run(1), run(50))
  end)

  it("has as many boxes as are said, and at most 1024", function()
    local function boxes(count)
      local list = {}
      for i = 1, count do list[i] = { size = { 0.1, 0.1, 0.1 }, position = { i, 0 } } end
      return { boxes = list }
    end
    for _, count in ipairs { 1001, 1024 } do
      local _, room = world.check(boxes(count))
      expect.equal(#room.things, count)
    end
    local report, room = world.check(boxes(1025))
    expect.equal(room, nil)
    expect.equal(report[1].path .. ": " .. report[1].message, "boxes[1025]: expected at most 1024")
  end)

  it("is a file that is checked as a whole, by its lines", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write("return {\n  walls = { { points = { { 0, 0 } } } },\n"
      .. "  boxes = { { size = { 1, 0, 1 }, position = { 1, 2 } },\n    {} },\n  ball = {},\n}\n")
    file:close()
    local ok, message, code = world.open(path)
    expect.equal(ok, nil)
    expect.equal(code, "EINVAL")
    expect.equal((message:gsub(path, "FILE")),
      "FILE:2: walls[1].points: expected a list of 2 to 256 points { x, y }, got { {…} }\n"
      .. "FILE:3: boxes[1].size: expected three sizes above 0, got { 1.0, 0.0, 1.0 }\n"
      .. "FILE:4: boxes[2].size: expected three numbers { x, y, z }, got nothing\n"
      .. "FILE:4: boxes[2].position: expected two numbers { x, y }, got nothing\n"
      .. "FILE:5: ball: did you mean 'balls'? expected one of floor, walls, boxes, pillars, balls, capsules, ramps, "
      .. "steps, meshes, marks, lights, sky, start, view, gravity, step")
    os.remove(path)
    expect.equal(select(3, world.open "/nowhere/room.lua") ~= nil, true)
    expect.raises("world: want a name, a file or a table, got number", world.open, 5)
    expect.raises("world: boxes%[2%]: expected nothing longer, or farther away, than 1e%+06 m", world.open,
      { boxes = { { size = { 1, 1, 1 }, position = { 1, 2 } }, { size = { 1, 2e6, 1 }, position = { 0, 0 } } } })
    expect.raises("boxes%[1%]", world.open, { boxes = { { size = { 1, 0, 1 }, position = { 1, 2 } } } })
  end)
end)
