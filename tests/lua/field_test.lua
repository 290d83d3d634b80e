-- Balls on the floor, what cameras see of them, the actions of paper 002, and the dog that kicks.
local rt = require "robotalk"
local core = require "robotalk.core"
local aibo = require "robotalk.aibo"
local fields = require "robotalk.field"
local near = require "tests.lua.near"

-- A robot with a camera alone, 0.5 m high, that looks ahead: 200 by 100 pixels, 90 degrees wide; given to fn with a
-- field.
local function with_camera(balls, fn, options)
  assert(rt.add_robot { name = "eye", joints = { { name = "head", parent = 0, dofs = { { name = "pan", limit = { -3,
    3 } } } } },
    cameras = { { name = "camera", link = 1, position = { 0, 0, 0.5 }, width = 200, height = 100, fov = math.pi / 2,
      rate = 30 } } })
  options = options or {}
  options.balls = balls
  do
    local robot <close> = rt.connect "local:eye"
    local field <close> = fields.open(options)
    fn(field, robot)
  end
  core.remove_robot "eye"
end

describe("a camera", function()
  it("sees a ball where its picture is", function()
    -- a ball of 0.2 m, 1 m ahead, its middle 0.4 m below the camera: half the horizontal angle is atan(1) so focal =
    -- 1. The edges: along x the ball is 1 m away, asin(0.1 / 1) to both sides; along y it is sqrt(1 + 0.16) away, at
    -- atan(0.4), and asin(0.1 / sqrt(1.16)) to both sides; the box runs from tan(middle - half) to tan(middle + half)
    with_camera({ { color = "pink", diameter = 0.2, position = { 1, 0 } } }, function(field, robot)
      local seen = field:see(robot, "pink")
      local half = math.tan(math.asin(0.1))
      local top = math.tan(math.atan(0.4) - math.asin(0.1 / math.sqrt(1.16)))
      local bottom = math.tan(math.atan(0.4) + math.asin(0.1 / math.sqrt(1.16)))
      expect.truthy(seen.visible and not seen.clipped == (bottom <= 0.5))
      near(seen.x, 0)
      near(seen.width, 2 * half, 1e-6) -- the field of view has travelled as microradians
      near(seen.y, (top + math.min(bottom, 0.5)) / 2, 1e-6)
      near(seen.distance, 0.2 / (2 * half), 1e-5)
      local pixels = field:see(robot, "pink", { pixels = true })
      near(pixels.x, 99.5)
      near(pixels.y, (seen.y + 0.5) * 99)
    end)
  end)
  it("sees to the side, cut off at the edge, and not behind", function()
    with_camera({ { color = "left", diameter = 0.2, position = { 3, 1 } }, { color = "edge", diameter = 0.4,
      position = { 3, -3 } },
      { color = "behind", position = { -2, 0 } }, { color = "far", diameter = 0.04, position = { 30, 0 } },
      { color = "beside", position = { 0, 1 } } }, function(field, robot)
      local seen = field:see(robot, "left")
      -- at atan(1 / 3) to the left, so at negative x; sqrt(10) away, half its angle is asin(0.1 / sqrt(10))
      local middle, half = -math.atan(1 / 3), math.asin(0.1 / math.sqrt(10))
      near(seen.x, (math.tan(middle - half) + math.tan(middle + half)) / 2, 1e-6)
      near(seen.area, math.pi / 4 * seen.width * seen.height)
      seen = field:see(robot, "edge")
      expect.truthy(seen.visible and seen.clipped and seen.x > 0.9 and seen.x < 1)
      -- its middle lies on the edge: half of it is seen
      local b = math.asin(0.2 / math.sqrt(18))
      local whole = math.tan(math.pi / 4 + b) - math.tan(math.pi / 4 - b)
      near(seen.area / (math.pi / 4 * whole * seen.height), 0.5, 0.06)
      for _, color in ipairs { "behind", "far", "beside", "none" } do
        expect.equal(field:see(robot, color).visible, false)
      end
      robot:set_joint("head", { pan = math.pi })
      rt.sleep(0.1)
      expect.truthy(not field:see(robot, "left").visible)
    end)
  end)
  it("gives one picture every 30th of a second, with noise that the seed tells", function()
    local function look(seed)
      local list = {}
      with_camera({ { color = "pink", position = { 1, 0 } } }, function(field, robot)
        local a = field:see(robot, "pink")
        for i = 1, 30 do
          rt.sleep(0.01)
          list[i] = field:see(robot, "pink").x
        end
        expect.truthy(a.visible)
      end, { noise = 1, seed = seed })
      return list
    end
    local a, b, c = look(1), look(1), look(2)
    local changes, same, other, sum = 0, true, false, 0
    for i = 1, #a do
      if i > 1 and a[i] ~= a[i - 1] then changes = changes + 1 end
      same, other, sum = same and a[i] == b[i], other or a[i] ~= c[i], sum + a[i]
    end
    expect.truthy(changes >= 8 and changes <= 10, changes)
    expect.truthy(same and other)
    near(sum / #a, 0, 0.02)
  end)
end)

describe("a ball", function()
  it("rolls until the floor has stopped it", function()
    with_camera({ { color = "pink", position = { 0, 0 } } }, function(field)
      local ball = field.balls.pink
      ball.vx = 0.5
      rt.sleep(10)
      near(field:ball("pink").x, 0.5 ^ 2 / (2 * 0.25), 1e-6) -- v^2 / 2a
      near(field:ball("pink").rolled, 0.5, 1e-6)
      near(field:ball("pink").speed, 0)
    end)
    with_camera({ { color = "pink", position = { 0, 0 } } }, function(field)
      field.balls.pink.vx, field.balls.pink.vy = 3, 1
      rt.sleep(20)
      local ball = field:ball "pink"
      expect.truthy(math.abs(ball.x) <= 0.46 and math.abs(ball.y) <= 0.46 and ball.rolled > 1)
    end, { walls = { -0.5, -0.5, 0.5, 0.5 } })
    expect.equal(pcall(fields.open, { balls = { { color = "a", position = { 0, 0 } }, { color = "a", position = { 1,
      0 } } } }), false)
  end)
  it("is pushed by what drives into it", function()
    local robot <close> = rt.connect "pioneer2"
    local field <close> = fields.open { balls = { { color = "pink", diameter = 0.2, position = { 0.6, 0.02 } } } }
    field:add(robot)
    robot:go_to { x = 0.5, y = 0, theta = 0 }
    expect.truthy(field:ball("pink").x > 0.65, field:ball("pink").x)
  end)
end)

describe("the actions of paper 002", function()
  local function with_dog(fn, x, y)
    local robot <close> = rt.connect "aibo_ers7"
    local field <close> = fields.open { balls = { { color = "pink", position = { x or 0.6, y or 0.3 } } } }
    fn(aibo.new(robot, { field = field, motions = "tests/mot" }), robot, field)
  end
  it("ask for sensors and joints in the order of the names", function()
    with_dog(function(dog, robot)
      robot:set_joint("head", { pan = 0.5, nod = 0.1 })
      local v = dog:query_sensors({ "neckPan", "NECK:nod", "dAccel", "PowerRemain", "nearIRDist", "chinBut" },
        rt.now() + 1)
      near(v[1], math.deg(0.5), 1e-4)
      near(v[2], math.deg(0.1), 1e-4)
      near(v[3], -9.80665, 1e-6)
      expect.truthy(v[4] > 0.9 and v[4] <= 1)
      near(v[5], 500)
      near(v[6], 0)
      local ok, why = pcall(dog.query_sensors, dog, { "wing" })
      expect.truthy(not ok and why:find "there is no sensor or joint wing")
    end)
  end)
  it("search for a ball, and point at it", function()
    with_dog(function(dog, robot)
      expect.equal(dog:query_ball "pink", false)
      expect.equal(dog:search_ball "pink", true)
      local visible, x, y, area = dog:query_ball "pink"
      expect.truthy(visible and math.abs(x) < 0.06 and math.abs(y) < 0.06 and area > 0)
      local ahead, left = dog:place_of_ball "pink"
      near(ahead, 0.6, 0.01)
      near(left, 0.3, 0.01)
      expect.equal(dog:search_ball "green", false)
      expect.truthy(not robot:state().panic)
    end)
    with_dog(function(dog) expect.equal(dog:search_ball "pink", false) end, -1, 0) -- it does not look behind itself
  end)
  it("move joints, play motions and walk, at their time", function()
    with_dog(function(dog, robot)
      local begin = rt.now()
      expect.equal(dog:move_joints({ { "neckPan", 30 }, { "lFrKnee", 80, speed = 50 } }, begin + 2), "SUCCESS")
      expect.truthy(rt.now() > begin + 2)
      near(robot:state().joints.head.pan, math.rad(30), 1e-6)
      near(robot:state().joints.LFr_knee.knee, math.rad(80), 1e-6)
      expect.equal(dog:move_joints { { "neckPan", 500 } }, "MODIFIED")
      expect.equal(dog:motion "nod.mot", "SUCCESS")
      local word, why = dog:motion "none.mot"
      expect.equal(word, "NA")
      expect.truthy(why:find "No such file")
      expect.equal(dog:walk(1000, 0, 0), "MODIFIED") -- clipped to what Tekkotsu walks, and what these legs do
      rt.sleep(3)
      near(robot:state().twist[1], 0.135, 0.05)
      expect.equal(dog:stop_walk(), "SUCCESS")
      local x = robot:state().x
      expect.equal(dog:walk_for(-100, 0, 0, 2), "SUCCESS")
      expect.truthy(robot:state().x < x - 0.1)
      robot:panic()
      expect.equal(dog:walk(100, 0, 0), "PANIC")
      robot:reset()
    end)
  end)
  it("are there for other bodies, as far as they go", function()
    local robot <close> = rt.connect "pioneer2"
    local field <close> = fields.open { balls = { { color = "pink", diameter = 0.15, position = { 1, 1 } } } }
    local rover = aibo.new(robot, { field = field })
    expect.equal(rover:search_ball "pink", true)
    expect.equal(rover:walk(100, 0, 0.1), "SUCCESS")
    expect.equal(rover:move_joints { { "tailPan", 10 } }, "NA")
    expect.equal(rover:query_sensors { "lFrKnee" }[1], 0)
  end)
end)

describe("the dog", function()
  -- What it returns, what it prints, and how far the ball has rolled.
  local function play(x, y)
    local said = {}
    local quiet = setmetatable({ print = function(text) said[#said + 1] = tostring(text) end }, { __index = _G })
    local kicked = assert(loadfile("scripts/behaviors/kick_ball.lua", "t", quiet))(x, y)
    said = table.concat(said, "\n")
    return kicked, said, tonumber(said:match "has rolled ([%d.]+) m")
  end
  it("finds the ball, goes there, kicks it and celebrates, wherever it lies", function()
    for _, place in ipairs { { 0.8, 0.5 }, { 0.3, -0.5 }, { -0.6, 0.3 } } do
      local kicked, said, rolled = play(place[1], place[2])
      expect.truthy(kicked and rolled >= 0.5, said)
    end
  end)
  it("comes to an end when the ball lies below its chest, or nowhere", function()
    local kicked, said, rolled = play(0.15, 0)
    expect.truthy(kicked and rolled > 0.3, said)
    kicked, said, rolled = play(10, 10)
    expect.equal(false, kicked)
    expect.equal(0, rolled)
    expect.truthy(said:find "gives up")
  end)
end)
