-- Balls that are found in a camera's pictures. A driver of the test draws them where a pinhole camera has them, so that
-- what is found can be held against the field, which computes it.
local rt = require "robotalk"
local core = require "robotalk.core"
local aibo = require "robotalk.aibo"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local eye = require "robotalk.tekkotsu.eye"
local fields = require "robotalk.field"
local near = require "tests.lua.near"
local spatial = require "robotalk.robot.spatial"

local CARPET <const>, PINK <const>, DARK <const> = "\50\120\60", "\230\40\130", "\140\22\80"

-- The rows of a picture of a sphere, whose middle is there in the camera's frame: x ahead, y to the left, z up. A pixel
-- shows it when the ray through its middle, (1, -u, -v), hits it: (ray . middle)^2 >= ray^2 (middle^2 - radius^2), a
-- quadratic inequality of u in each row. Its lower half lies in the shade.
local function draw(camera, middle, radius)
  local x, y, z = table.unpack(middle)
  local width, height = camera.width, camera.height
  local tangent, rows = math.tan(camera.fov / 2), {}
  local k = x * x + y * y + z * z - radius * radius
  for j = 1, height do
    local v = ((2 * j - 1) - height) / width * tangent
    local p, a = x - v * z, k - y * y
    local inside = y * y * p * p + a * (p * p - k * (1 + v * v))
    local first, last = 1, 0
    if inside > 0 and x > 0 and a > 0 then
      local function pixel(u) return (u / tangent + 1) / 2 * width + 0.5 end -- from 1, at its middle
      first = math.max(1, math.ceil(pixel((-y * p - math.sqrt(inside)) / a)))
      last = math.min(width, math.floor(pixel((-y * p + math.sqrt(inside)) / a)))
    end
    if last < first then
      rows[j] = CARPET:rep(width)
    else
      rows[j] = CARPET:rep(first - 1) .. (v > -z / x and DARK or PINK):rep(last - first + 1)
        .. CARPET:rep(width - last)
    end
  end
  return table.concat(rows)
end

-- A robot whose first camera is a driver's of this test, on a field with a pink ball: fn(robot, field). pose(robot) is
-- where the camera is in the world.
local function with_eyes(d, pose, fn)
  local path = os.tmpname()
  assert(core.write_file(path, "return EYES_OF_TEST"))
  d.cameras[1].driver, d.drivers = "eyes", d.drivers or {}
  d.drivers.eyes = { script = path }
  local field <close> = fields.open { balls = { { color = "pink", position = { 1, 0 } } } }
  local robot
  local function take(self)
    local camera = d.cameras[1]
    self:spawn("take", function()
      while true do
        if robot and self:looked(camera.name) then
          local at, ball = pose(robot), field:ball "pink"
          local away = spatial.sub({ ball.x, ball.y, ball.diameter / 2 }, at.p)
          self:pictured(camera.name, draw(camera, spatial.turn(spatial.transpose(at.r), away), ball.diameter / 2),
            { format = "rgb" })
        end
        rt.sleep(1 / camera.rate)
      end
    end)
    self:no_picture(camera.name)
    return {}
  end
  rawset(_G, "EYES_OF_TEST", { open = take, start = function(_, _, done) done "na" end, halted = function() end })
  local name = assert(rt.add_robot(d))
  local _ <close> = setmetatable({}, { __close = function()
    drivers.remove(name)
    rawset(_G, "EYES_OF_TEST", nil)
    os.remove(path)
  end })
  local connected <close> = rt.connect("local:" .. name)
  robot = connected
  fn(robot, field)
end

-- A camera 0.3 m high on a head that pans, with the resolution and field of view of the ERS-7.
local function with_head(fn)
  with_eyes({ name = "watcher", base = {},
    joints = { { name = "head", parent = 0, dofs = { { name = "pan", limit = { -3, 3 } } } } },
    cameras = { { name = "camera", link = 1, position = { 0, 0, 0.3 }, width = 208, height = 160, fov = math.rad(56.9),
      rate = 30 } } },
    function(robot)
      return { p = { 0, 0, 0.3 }, r = spatial.from_angles { 0, 0, robot:state().joints.head.pan } }
    end, fn)
end

-- The head of an AIBO; its nose sees.
local function with_dog(fn)
  local d = assert(descriptor.load "aibo_ers7")
  local camera = d.cameras[1]
  with_eyes(d, function(robot)
    local state = robot:state()
    local pose = robot.model:fk(state.position)[camera.link + 1]
    local r = pose.rotation
    local root = { p = state.pose, r = spatial.from_angles(state.attitude) }
    local link = spatial.compose(root, { p = pose.position, r = { { r[1], r[2], r[3] }, { r[4], r[5], r[6] }, { r[7],
      r[8], r[9] } } })
    return spatial.compose(link, { p = camera.position, r = spatial.identity() })
  end, fn)
end

-- Puts the ball somewhere; the next pictures show it.
local function put(field, x, y)
  field.balls.pink.x, field.balls.pink.y = x, y
  rt.sleep(0.1)
end

local PIXEL <const> = 2 / 208

describe("a ball in a camera's pictures", function()
  it("is where the oracle has it, within a pixel", function()
    with_head(function(robot, field)
      local sees, knows = aibo.new(robot, { camera = true }), aibo.new(robot, { field = field })
      local looked = 0
      for _, pan in ipairs { 0, 0.8, -2 } do
        expect.equal("SUCCESS", robot:set_joint("head", { pan = pan }))
        for _, far in ipairs { 0.85, 1, 1.4, 2.5 } do
          for _, aside in ipairs { -0.38, -0.2, 0, 0.3, 0.4 } do
            put(field, far * math.cos(pan + aside), far * math.sin(pan + aside))
            local where = ("%g m, %g rad aside"):format(far, aside)
            local visible, x, y, area = knows:query_ball "pink"
            expect.equal(true, visible, where)
            local got, gx, gy, garea = sees:query_ball "pink"
            expect.equal(true, got, where)
            near(gx, x, PIXEL, where)
            near(gy, y, PIXEL, where)
            -- by as much as a pixel more of radius adds
            local r = math.sqrt(area / math.pi)
            near(garea, area, math.pi * ((r + PIXEL) ^ 2 - r ^ 2), where)
            local _, px, py = sees:query_ball("pink", 0, { pixels = true })
            local _, qx, qy = knows:query_ball("pink", 0, { pixels = true })
            near(px, qx, 1, where)
            near(py, qy, 1, where)
            local known, seen = field:see(robot, "pink"), sees.eyes:see(robot, "pink")
            expect.equal(false, known.clipped or seen.clipped, where)
            near(seen.width, known.width, 2 * PIXEL, where)
            near(seen.height, known.height, 2 * PIXEL, where)
            near(seen.distance / known.distance, 1, 2 * PIXEL / known.width, where)
            looked = looked + 1
          end
        end
      end
      expect.equal(60, looked)
    end)
  end)
  it("is there in a JPEG, too, as it comes over a network", function()
    with_head(function(robot, field)
      local far = setmetatable({ in_process = false, camera = function(_, name) return robot:camera(name) end },
        { __index = robot })
      for _, at in ipairs { { 0.7, 0 }, { 1, 0.4 }, { 1.5, -0.6 }, { 2.4, 0.3 } } do
        put(field, at[1], at[2])
        local known, seen = field:see(robot, "pink"), eye.open():see(far, "pink")
        near(seen.x, known.x, PIXEL)
        near(seen.y, known.y, PIXEL)
      end
    end)
  end)
  it("is cut off at an edge as the oracle says", function()
    with_head(function(robot, field)
      local edge = math.rad(56.9) / 2
      for _, aside in ipairs { edge, -edge, edge + 0.02, -edge - 0.02 } do
        put(field, math.cos(aside), math.sin(aside))
        local known, seen = field:see(robot, "pink"), eye.open "camera":see(robot, "pink")
        expect.equal(true, known.visible and known.clipped)
        expect.equal(true, seen.visible and seen.clipped)
        -- the oracle cuts the box of the whole ball; in the picture the ball's lowest or highest point may be cut off
        near(seen.x, known.x, 2 * PIXEL)
        near(seen.y, known.y, 2 * PIXEL)
      end
    end)
  end)
  it("is not seen behind the camera, beside it, too far, or in another color", function()
    with_head(function(robot, field)
      local sees = eye.open()
      for _, at in ipairs { { -1, 0 }, { 0.5, 1 }, { 30, 0 } } do
        put(field, at[1], at[2])
        expect.equal(false, field:see(robot, "pink").visible)
        expect.equal(false, sees:see(robot, "pink").visible)
      end
      put(field, 1, 0)
      expect.equal(true, sees:see(robot, "pink").visible)
      expect.equal(false, sees:see(robot, "orange").visible)
    end)
  end)
  it("has at least the pixels of a ball that the oracle sees", function()
    with_head(function(robot, field)
      local farthest = { knows = 0, sees = 0 }
      for far = 1, 12, 0.25 do
        put(field, far, 0)
        if field:see(robot, "pink").visible then farthest.knows = far end
        if eye.open():see(robot, "pink").visible then farthest.sees = far end
      end
      -- 3 pixels of 208, which are 2 tan(28.45 degrees) m wide at 1 m: 0.08 * 208 / 3 / 1.084 = 5.1 m
      expect.truthy(farthest.knows >= 5 and farthest.knows <= 5.25, farthest.knows)
      -- a ball of 3 pixels may cover the middles of 2 or of 4
      expect.truthy(farthest.sees >= farthest.knows * 0.7 and farthest.sees <= farthest.knows * 1.4, farthest.sees)
    end)
  end)
end)

describe("a dog that sees by its camera", function()
  it("finds the ball, and tells where it lies", function()
    with_dog(function(robot, field)
      local dog = aibo.new(robot, { camera = "camera", motions = "tests/mot" })
      for _, at in ipairs { { 0.7, 0.4 }, { 0.6, -0.5 } } do
        put(field, at[1], at[2])
        expect.equal(true, dog:search_ball "pink")
        local seen = field:see(robot, "pink") -- the head points at it indeed
        expect.truthy(math.abs(seen.x) < 0.1 and math.abs(seen.y) < 0.1, seen.x)
        rt.sleep(0.1)
        local ahead, left = dog:another():place_of_ball "pink"
        local state = robot:state()
        near(ahead, at[1] - state.x, 0.03)
        near(left, at[2] - state.y, 0.02)
      end
      put(field, -1, 0)
      expect.equal(false, dog:search_ball "pink")
    end)
  end)
  it("tells where the ball lies when its body leans", function()
    local robot <close> = rt.connect "aibo_ers7"
    local roll, pitch = 0.3, 0.4
    local leaning = setmetatable({ state = function()
      local state = robot:state()
      state.attitude = { roll, pitch, 0 }
      return state
    end }, { __index = function(_, key)
      if type(robot[key]) ~= "function" then return robot[key] end
      return function(_, ...) return robot[key](robot, ...) end
    end })
    local dog = aibo.new(leaning)
    dog.eyes = { see = function() return { visible = true, x = 0, y = 0 } end }
    -- the lens, in the body, by the descriptor, at home; it looks along x
    local x, z = 0.0675 + 0.08106, 0.0195 + 0.08 - 0.0146
    local high = robot:state().z - x * math.sin(pitch) + z * math.cos(roll) * math.cos(pitch)
    local ahead, left = dog:place_of_ball "pink"
    near(ahead, x * math.cos(pitch) + z * math.cos(roll) * math.sin(pitch) + (high - 0.04) / math.tan(pitch), 1e-6)
    near(left, -z * math.sin(roll), 1e-6)
  end)
  it("follows a ball that rolls", function()
    with_dog(function(robot, field)
      local dog = aibo.new(robot, { camera = true })
      put(field, 0.8, 0.3)
      expect.equal(true, dog:search_ball "pink")
      field.balls.pink.vy = -0.3 -- it stops 0.18 m farther to the right
      for _ = 1, 40 do
        expect.equal(true, dog:track("pink").visible)
        rt.sleep(1 / 15)
      end
      near(dog:track("pink").x, 0, 0.1)
      near(field:ball("pink").y, 0.12, 0.01)
    end)
  end)
  it("says so when the camera gives no picture", function()
    local robot <close> = rt.connect "pioneer2"
    local dog = aibo.new(robot, { camera = "nose" })
    local found, why, code = dog:query_ball "pink"
    expect.equal("false, robot pioneer2 has no camera nose; it has camera, NA",
      ("%s, %s, %s"):format(found, why, code))
    found, why = dog:search_ball "pink"
    expect.equal(false, found)
    expect.truthy(why:find "no camera nose")
    expect.equal(nil, dog:place_of_ball "pink")
  end)
  it("has one kind of eyes, and none unless it is told which", function()
    local robot <close> = rt.connect "pioneer2"
    local field <close> = fields.open {}
    expect.raises("eye_test.*aibo: want a field or a camera, got both", aibo.new, robot,
      { field = field, camera = true })
    expect.raises("aibo: camera: want its name, or true, got number", aibo.new, robot, { camera = 1 })
    expect.equal(false, aibo.new(robot):query_ball "pink")
    expect.equal(false, aibo.new(robot, { camera = false }):search_ball "pink")
  end)
end)
