-- Robots that walk with weight: what legs do to a body, and what becomes of it.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local weight = require "tests.lua.weight"
local physical, watch, way = weight.add, weight.watch, weight.way

describe("an AIBO with weight", function()
  it("stands for ten seconds where it is", function()
    local robot <close> = physical "aibo_ers7"
    rt.sleep(1)
    local from = robot:state()
    expect.truthy(watch(robot, 10) < math.rad(1))
    local to = robot:state()
    local x, y, turn = way(from, to)
    expect.truthy(math.abs(x) < 1e-3 and math.abs(y) < 1e-3 and math.abs(turn) < 2e-3, x)
    expect.near(from.z, to.z, 1e-3)
    core.remove_robot "aibo_ers7"
  end)

  it("walks a metre ahead, and straight", function()
    local robot <close> = physical "aibo_ers7"
    rt.sleep(1)
    local from = robot:state()
    expect.equal("SUCCESS", (robot:set_speed { x = 0.12 }))
    expect.truthy(watch(robot, 9) < math.rad(10))
    local x, y, turn = way(from, robot:state())
    expect.truthy(x > 0.95 and x < 1.1, x)
    expect.near(0, y, 0.03)
    expect.near(0, turn, math.rad(5))
    expect.equal("SUCCESS", (robot:stop()))
    rt.sleep(1)
    from = robot:state()
    watch(robot, 2)
    x, y, turn = way(from, robot:state())
    expect.truthy(math.abs(x) < 2e-3 and math.abs(y) < 2e-3 and math.abs(turn) < 5e-3, x)
    core.remove_robot "aibo_ers7"
  end)

  it("walks back, sideways and turns as fast as it is told", function()
    local robot <close> = physical "aibo_ers7"
    rt.sleep(1)
    for _, v in ipairs { { x = -0.1 }, { y = 0.06 }, { y = -0.06 }, { theta = 0.6 }, { theta = -0.6 } } do
      robot:set_speed(v)
      rt.sleep(1)
      local from = robot:state()
      expect.truthy(watch(robot, 4) < math.rad(12))
      local x, y, turn = way(from, robot:state())
      expect.near(4 * (v.x or 0), x, 0.04)
      expect.near(4 * (v.y or 0), y, 0.04)
      expect.near(4 * (v.theta or 0), turn, 0.1)
      expect.equal("SUCCESS", (robot:stop()))
    end
    core.remove_robot "aibo_ers7"
  end)

  it("goes to a place, and looks where it should", function()
    local robot <close> = physical "aibo_ers7"
    rt.sleep(1)
    expect.equal("SUCCESS", (robot:go_to { x = 0.6, y = 0.3, theta = math.pi / 2 }))
    local s = robot:state()
    expect.near(0.6, s.x, 0.03)
    expect.near(0.3, s.y, 0.03)
    expect.near(math.pi / 2, s.theta, 0.05)
    core.remove_robot "aibo_ers7"
  end)

  it("walks on when it is held no more, and so does what was told to go meanwhile", function()
    local robot <close> = physical "aibo_ers7"
    rt.sleep(1)
    robot:set_speed { x = 0.1 }
    rt.sleep(2)
    for _ = 1, 2 do
      robot:override(0)
      rt.sleep(2)
      local held = robot:state().x
      rt.sleep(1)
      expect.near(held, robot:state().x, 0.002)
      robot:override(1)
      rt.sleep(2)
      expect.near(held + 0.19, robot:state().x, 0.04)
      robot:stop()
      robot:override(0)
      robot:set_speed { x = 0.1 }
    end
    rt.sleep(2)
    robot:stop() -- it stands already, and what was told to go is over
    robot:override(1)
    local from = robot:state().x
    rt.sleep(2)
    expect.near(from, robot:state().x, 0.005)
    core.remove_robot "aibo_ers7"
  end)

  it("stands in a panic, whatever the override becomes", function()
    local body = descriptor.load "aibo_ers7"
    body.panic = "brake"
    local robot <close> = physical(body)
    rt.sleep(1)
    robot:set_speed { x = 0.15 }
    rt.sleep(2)
    robot:panic()
    robot:override(0.5)
    local from = robot:state()
    for _ = 1, 40 do
      rt.sleep(0.05)
      for i, q in ipairs(robot:state().position) do expect.near(from.position[i], q, 0.05, i) end
    end
    core.remove_robot "aibo_ers7"
  end)

  it("has legs of its own again when it stands, and not before", function()
    local robot <close> = physical "aibo_ers7"
    rt.sleep(1)
    expect.equal("SUCCESS", (robot:set_joint("LFr", { rotor = -0.4, elvtr = 0.1 })))
    robot:set_speed { x = 0.1 }
    rt.sleep(0.5)
    local signal, why = robot:set_joint("LFr", { rotor = -0.4, elvtr = 0.1 })
    expect.equal("BUSY", signal)
    expect.truthy(why)
    expect.equal("SUCCESS", (robot:stop()))
    expect.near(0, robot:state().joints.LFr.elvtr, 0.02) -- as at home
    expect.equal("SUCCESS", (robot:set_joint("LFr", { rotor = -0.4, elvtr = 0.1 })))
    core.remove_robot "aibo_ers7"
  end)
end)

-- An AIBO that has stood for a second, and 4 kg begin to fall onto that place of it; and what it says of its falls.
local function hit_at(place)
  local robot = physical "aibo_ers7"
  local heard = weight.falls_of(robot)
  rt.sleep(1)
  weight.drop_at(place)
  return robot, heard
end

local LEFT = { 0.05, 0.09 } -- onto its left side

local function expect_on_its_feet(state)
  expect.truthy(math.abs(state.attitude[1]) < 0.1 and math.abs(state.attitude[2]) < 0.1)
  expect.near(0.135, state.z, 0.005)
end

describe("an AIBO that is hit", function()
  it("falls, says so, and takes no commands for its base", function()
    local robot <close>, heard = hit_at(LEFT)
    expect.equal(true, robot:sense "Upright".upright)
    robot:set_speed { x = 0.1 }
    rt.sleep(3)
    expect.same({ 1 }, heard)
    expect.equal(false, robot:sense "Upright".upright)
    expect.near(0, robot:state().velocity.x, 0.01)
    local signal, why = robot:set_speed { x = 0.1 }
    expect.equal("ERROR", signal)
    expect.equal("the body has fallen over: it has to get up first", why)
    expect.equal("ERROR", (robot:go_to { x = 1 }))
    expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
    core.remove_robot "aibo_ers7"
    weight.tidy_up()
  end)

  it("is upright again when it is described anew without weight", function()
    local robot <close>, heard = hit_at(LEFT)
    rt.sleep(3)
    expect.same({ 1 }, heard)
    assert(robot:reload "aibo_ers7")
    rt.sleep(0.2)
    expect.same({ 1, 0 }, heard)
    local other <close> = rt.connect "local:aibo_ers7"
    other:on_notice(function(what) if what == "fallen" then heard[#heard + 1] = "again" end end)
    rt.sleep(0.2)
    expect.same({ 1, 0 }, heard)
    core.remove_robot "aibo_ers7"
    weight.tidy_up()
  end)

  it("ends what it was at with ERROR", function()
    local robot <close> = hit_at(LEFT)
    local signal, why = robot:go_to { x = 2 }
    expect.equal("ERROR", signal)
    expect.equal("the body has fallen over: it has to get up first", why)
    core.remove_robot "aibo_ers7"
    weight.tidy_up()
  end)

  it("has fallen for who comes later, too", function()
    local robot <close> = hit_at(LEFT)
    robot:set_speed { x = 0.1 }
    rt.sleep(3)
    local other <close> = rt.connect "local:aibo_ers7"
    local heard
    other:on_notice(function(what, value) heard = what == "fallen" and value end)
    rt.sleep(0.2)
    expect.equal(1, heard)
    core.remove_robot "aibo_ers7"
    weight.tidy_up()
  end)
end)

describe("an AIBO that has fallen", function()
  local aibo = require "robotalk.aibo"

  -- Where 4 kg hit it from 0.9 m, as it stands.
  local places = { ahead = { 0.05, 0.09 }, left = { 0, 0.1 }, right = { -0.02, -0.1 }, behind = { -0.09, 0.03 } }
  for where, place in pairs(places) do
    it("gets up and walks on, when it was hit " .. where, function()
      local robot <close>, heard = hit_at(place)
      local dog = aibo.new(robot)
      robot:set_speed { x = 0.05 }
      rt.sleep(2)
      expect.same({ 1 }, heard)
      weight.tidy_up()
      expect.equal("SUCCESS", (dog:get_up()))
      expect.same({ 1, 0 }, heard)
      local state = robot:state()
      expect_on_its_feet(state)
      expect.equal("SUCCESS", (robot:set_speed { x = 0.1 }))
      rt.sleep(2)
      local there = robot:state()
      expect.truthy(math.sqrt((there.x - state.x) ^ 2 + (there.y - state.y) ^ 2) > 0.12)
      core.remove_robot "aibo_ers7"
    end)
  end

  -- Roll and pitch, degrees, in which it comes down from 0.2 m. On its back it lies on its neck.
  local poses = { ["its left side"] = { -90, 0 }, ["its right side"] = { 90, 0 }, ["its back"] = { 180, 0 },
    ["its back, turned"] = { -170, 10 }, ["its nose"] = { 0, 80 }, ["its tail"] = { 0, -80 } }
  for name, pose in pairs(poses) do
    it("gets up from " .. name, function()
      local body = assert(require "robotalk.descriptor".load "aibo_ers7")
      body.links[0].position = { 0, 0, 0.2 }
      body.links[0].attitude = { math.rad(pose[1]), math.rad(pose[2]), 0 }
      local robot <close> = physical(body)
      local dog = aibo.new(robot)
      rt.sleep(2)
      expect.equal(false, robot:sense "Upright".upright)
      expect.equal("SUCCESS", (dog:get_up()))
      expect_on_its_feet(robot:state())
      core.remove_robot "aibo_ers7"
    end)
  end

  it("lies where it is when somebody stops it as it gets up, or describes it anew", function()
    for _, act in ipairs { "stop", "reload" } do
      local robot <close> = physical "aibo_ers7"
      local other <close> = rt.connect("local:aibo_ers7", { deadman = 1000 })
      local dog = aibo.new(robot)
      rt.sleep(1)
      weight.drop_at { 0, 0.1 }
      rt.sleep(2)
      local word
      local task = rt.spawn(function() word = dog:get_up() end)
      rt.sleep(0.5)
      other[act](other)
      rt.sleep(1)
      local from = robot:state().joints.LFr.rotor
      rt.sleep(2)
      expect.equal("INTERRUPTED", word)
      expect.near(from, robot:state().joints.LFr.rotor, 0.01)
      task:wait()
      core.remove_robot "aibo_ers7"
      weight.tidy_up()
    end
  end)

  it("says when it does not get up", function()
    local robot <close> = hit_at { 0, 0.1 }
    local dog = aibo.new(robot)
    rt.sleep(2)
    robot:panic()
    expect.equal("PANIC", (dog:get_up()))
    core.remove_robot "aibo_ers7"
    weight.tidy_up()
  end)
end)

describe("an AIBO without weight", function()
  it("is always upright", function()
    assert(rt.add_robot "aibo_ers7")
    local robot <close> = rt.connect "local:aibo_ers7"
    robot:set_speed { x = 0.1 }
    rt.sleep(2)
    expect.equal(true, robot:sense "Upright".upright)
    core.remove_robot "aibo_ers7"
  end)
end)

describe("a ball before an AIBO's foot", function()
  -- A post that feels what hits it.
  local post = { name = "post", links = { [0] = { name = "ground", position = { 0.6, 0.067, 0 } },
    [1] = { name = "post", mass = 1, inertia = { 0.01, 0.01, 0.01 },
      shapes = { { type = "box", size = { 0.02, 0.5, 0.2 }, position = { 0, 0, 0.1 } } } } },
    joints = { { name = "hinge", parent = 0, child = 1, driver = "motor",
      dofs = { { name = "turn", axis = { 0, 0, 1 }, limit = { -1, 1 }, speed = 1 } } } },
    sensors = { { name = "hit", type = "contact", link = 1, driver = "motor", rate = 100 } },
    drivers = { motor = { driver = "physics" } } }

  it("is kicked away", function()
    local world = require "robotalk.world"
    assert(world.open { balls = { { radius = 0.04, position = { 0.15, 0.067 }, mass = 0.05 } } })
    assert(rt.add_robot(post))
    local target <close> = rt.connect "local:post"
    local robot <close> = physical "aibo_ers7"
    rt.sleep(1)
    expect.equal(false, target:sense "hit".pressed)
    local rest = robot:state().joints.LFr.rotor
    expect.equal("SUCCESS", (robot:set_joint("LFr", { rotor = 0.6, elvtr = 0 })))
    expect.equal("SUCCESS", (robot:set_joint("LFr", { rotor = rest, elvtr = 0 })))
    local hit = false
    for _ = 1, 200 do
      rt.sleep(0.01)
      hit = hit or target:sense "hit".pressed
    end
    expect.truthy(hit)
    expect.equal(true, robot:sense "Upright".upright)
    core.remove_robot "aibo_ers7"
    core.remove_robot "post"
    weight.tidy_up()
  end)
end)

describe("an ERS-210 with weight", function()
  it("walks, turns and does not fall", function()
    local robot <close> = physical "aibo_ers210"
    rt.sleep(1)
    local from = robot:state()
    robot:set_speed { x = 0.043 }
    expect.truthy(watch(robot, 10) < math.rad(10))
    local x, y, turn = way(from, robot:state())
    expect.truthy(x > 0.36 and x < 0.47, x)
    expect.near(0, y, 0.05)
    expect.near(0, turn, math.rad(10))
    robot:set_speed { theta = 0.4 }
    rt.sleep(1)
    from = robot:state()
    expect.truthy(watch(robot, 5) < math.rad(10))
    x, y, turn = way(from, robot:state())
    expect.truthy(turn > 1.6, turn)
    expect.truthy(math.abs(x) < 0.06 and math.abs(y) < 0.06, x)
    core.remove_robot "aibo_ers210"
  end)
end)
