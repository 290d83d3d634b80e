-- Robots that nothing has said a place for are put where nobody stands.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local world = require "robotalk.world"

-- fn in a world, which is empty afterwards, of things and of robots.
local function within(what, fn)
  local _ <close> = setmetatable({}, { __close = function()
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
    assert(world.open {})
  end })
  assert(world.open(what))
  fn()
end

-- Adds a robot: its x, y and heading in a text.
local function place(what, name)
  if type(what) == "string" then what = descriptor.load(what) end
  what.name = name or what.name
  assert(rt.add_robot(what))
  local state = core.robot_state(what.name)
  return ("%.2f %.2f %.2f"):format(state.pose[1], state.pose[2], state.attitude[3])
end

-- A robot on wheels of a given half width, in the middle of which its root link is.
local function rover(name, half, position)
  half = half or 0.2
  return { name = name, base = {}, links = { [0] = { name = "hull", position = position,
    shapes = { { type = "cylinder", size = { half, 0.2 }, position = { 0, 0, 0.1 } } } } } }
end

describe("robots beyond the places of a world", function()
  -- 0.2 m and the 0.1 m of air around a robot that is put there: places are tried on rings of 0.15 m, 0.3 m and so on,
  -- of which the one of 0.6 m is the first that leaves two robots of 0.2 m and the air between them
  it("stand beside the last one: at its left, its right, and then around", function()
    within({ start = { { 0, 0 }, { 2, 1, math.pi / 2 } } }, function()
      expect.equal(place(rover "one"), "0.00 0.00 0.00")
      expect.equal(place(rover "two"), "2.00 1.00 1.57")
      expect.equal(place(rover "three"), "1.40 1.00 1.57")
      expect.equal(place(rover "four"), "2.60 1.00 1.57")
      expect.equal(place(rover "five"), "1.67 0.50 1.57")
    end)
  end)

  it("stand on the table of their place, if they have no base and no height of their own", function()
    within({ start = { { 1, 0, 0, 0.7 } } }, function()
      local function height(what)
        place(what)
        local robot <close> = rt.connect("local:" .. what.name)
        return robot:describe().descriptor.links[0].position[3]
      end
      local function arm(name, position)
        local it = rover(name, 0.1, position)
        it.base, it.joints = nil, { { name = "waist", dofs = { {} } } }
        return it
      end
      expect.equal(height(rover("rover", 0.1)), 0)
      drivers.remove "rover"
      expect.equal(height(arm "arm"), 0.7)
      expect.equal(height(arm "beside"), 0.7)
      expect.equal(height(arm("high", { 0, 0, 0.2 })), 0.2)
    end)
  end)

  it("stand there in a dry run, too, whatever drives them", function()
    local _ <close> = setmetatable({}, { __close = function() descriptor.dry = false end })
    within({ start = { { 1, 0, 0, 0.7 } } }, function()
      descriptor.dry = true
      place { name = "arm", joints = { { name = "elbow", driver = "bus", servo = "setpoint", dofs = { {} } } },
        drivers = { bus = { driver = "servos", port = "/dev/none", elbow = "sts3215 id=1" } } }
      local robot <close> = rt.connect "local:arm"
      expect.same({ 1, 0, 0.7 }, robot:describe().descriptor.links[0].position)
    end)
  end)

  it("are as far from each other as they are large", function()
    within({ start = { { 0, 0 } } }, function()
      place(rover("small", 0.1))
      expect.equal(place(rover("large", 1)), "0.00 1.65 0.00")
      expect.equal(place(rover("small_too", 0.1)), "0.00 0.30 0.00") -- between them
    end)
  end)

  it("leave free what stands there, and go behind no wall", function()
    local wall = { points = { { -3, 0.4 }, { 3, 0.4 } }, thickness = 0.1, height = 0.5 }
    local crate = { size = { 0.4, 0.4, 0.4 }, position = { 0, -0.6 }, mass = 2 }
    within({ walls = { wall }, boxes = { crate } }, function()
      place(rover "one")
      expect.equal(place(rover "two"), "-0.50 -0.33 0.00")
    end)
    -- what is painted, and what is as low as a carpet, is no obstacle
    within({ marks = { { points = { { -3, 0.5 }, { 3, 0.5 } } } },
      boxes = { { size = { 4, 4, 0.004 }, position = { 0, 0 } } } }, function()
      place(rover "one")
      expect.equal(place(rover "two"), "0.00 0.60 0.00")
    end)
  end)

  it("go behind a wall rather than into it", function()
    local cell = { points = { { -0.4, -0.4 }, { 0.4, -0.4 }, { 0.4, 0.4 }, { -0.4, 0.4 } }, closed = true, height = 1 }
    within({ walls = { cell } }, function()
      place(rover "one")
      expect.equal(place(rover "two"), "0.00 0.75 0.00")
    end)
  end)

  it("keep away from who has come to a place of its own", function()
    within({ start = { { 1, 0 } } }, function()
      expect.equal(place(rover("own", 0.2, { 1, 0.1, 0 })), "1.00 0.10 0.00")
      expect.equal(place(rover "two"), "1.00 -0.45 0.00") -- the only start is not free
      expect.equal(place(rover("other", 0.2, { 1, 0.1, 0 })), "1.00 0.10 0.00") -- what it says holds
    end)
  end)

  it("begin where others were before they went away", function()
    within({ start = { { 0, 0 } } }, function()
      place(rover "one")
      expect.equal(place(rover "two"), "0.00 0.60 0.00")
      local two <close> = rt.connect "local:two"
      expect.equal((two:go_to { x = 5, y = 0.6, theta = 0 }), "SUCCESS")
      expect.equal(place(rover "three"), "0.00 0.60 0.00")
    end)
  end)

  it("are two arms, each on a table of its own", function()
    within("table", function()
      expect.equal(place("puma560", "first"), "0.00 0.00 0.00")
      place("puma560", "second")
      -- its table is 1.1 m long ahead and 0.6 m wide at the side, which is 1.25 m aslant: rings of 0.68 m
      local arm = descriptor.load "puma560"
      arm.name = "second"
      local body = assert(require "robotalk.server.reload".body("second", arm)) -- described anew, it stays
      local link = core.records(body).link
      expect.near(link[1].position[2], 2.03, 0.01)
      expect.equal(link[8].name, "table")
      expect.near(link[8].position[2], 2.03, 0.01)
    end)
  end)

  it("take what a descriptor stands on along", function()
    within({ start = { { 3, 1, math.pi / 2 } } }, function()
      local arm = descriptor.load "puma560"
      local there = descriptor.placed(descriptor.made(arm), arm)
      local link = there.records.link
      expect.equal(link[8].name, "table")
      expect.near(link[8].position[1], 3, 1e-9)
      expect.near(link[8].position[2], 1, 1e-9)
      expect.near(link[8].attitude[3], math.pi / 2, 1e-9)
      expect.near(link[1].position[3], 0.75, 1e-9)
    end)
  end)

  it("are told", function()
    local lines = {}
    local log = require "robotalk.log"
    local say = log.say
    local _ <close> = setmetatable({}, { __close = function() log.say = say end })
    log.say = function(level, form, ...) lines[#lines + 1] = level .. ": " .. form:format(...) end
    within({ start = { { 0, 0 } } }, function()
      place(rover "one")
      expect.equal(#lines, 0)
      place(rover "two")
      expect.equal(lines[1], "info: two begins at 0.00, 0.60: the places for robots are taken")
    end)
    -- a hall that is full
    within({ boxes = { { size = { 40, 40, 1 }, position = { 0, 0 }, raised = 0.1 } } }, function()
      place(rover "one")
      place(rover "two")
      expect.equal(lines[2], "warning: two begins at 0, 0, where others stand: there is no free place near")
    end)
  end)
end)

describe("robots with weight", function()
  it("have a warning for a mesh that physics cannot read", function()
    local lines, log = {}, require "robotalk.log"
    local say = log.say
    local _ <close> = setmetatable({}, { __close = function() log.say = say end })
    log.say = function(_, form, ...) lines[#lines + 1] = form:format(...) end
    for _, driver in ipairs { "sim", "physics" } do
      assert(rt.add_robot { name = driver, drivers = { body = { driver = driver } },
        base = { driver = "body", speed = { x = 1 }, acceleration = { x = 1 } }, links = { [0] = { name = "hull",
          mass = 1, shapes = { { type = "box", size = { 1, 1, 1 } }, { type = "mesh", file = "a.dae" } } } } })
      require "robotalk.drivers".remove(driver)
    end
    expect.equal(1, #lines)
    expect.equal("physics: links[0].shapes[2].file: a.dae is neither STL nor OBJ: with physics nothing touches it, "
      .. "and cameras do not see it", lines[1])
  end)

  it("are not thrown apart where several of one kind come", function()
    for _, name in ipairs { "pioneer2", "aibo_ers7", "puma560" } do
      within({ start = { { 0, 0 } } }, function()
        local where = {}
        for i = 1, 3 do
          local what = descriptor.load(name)
          local entries = { sim = true, walk = true }
          for _, driver in pairs(what.drivers or {}) do
            if entries[driver.driver] then driver.driver = "physics" end
          end
          if what.base and not (what.drivers or {})[what.base.driver] then what.base.driver = "physics" end
          place(what, "robot" .. i)
        end
        for i = 1, 3 do where[i] = core.robot_state("robot" .. i).pose end
        rt.sleep(1)
        for i = 1, 3 do
          local now = core.robot_state("robot" .. i).pose
          for k = 1, 3 do expect.near(now[k], where[i][k], 0.03) end
        end
      end)
    end
  end)
end)
