-- Views of a world, and films of a run. Pictures themselves are held to theory in tests/unit/physics_sight_test.c.
local core = require "robotalk.core"
local film = require "robotalk.pictures.film"
local rt = require "robotalk"
local views = require "robotalk.pictures.views"
local world = require "robotalk.world"

-- A ball that hangs 1 m above the floor, 2 m ahead, and slides.
local BALL = {
  name = "hung", panic = "hold",
  links = {
    [0] = { name = "base", mass = 1, inertia = { 0.01, 0.01, 0.01 }, position = { 0, 0, 1 } },
    [1] = { name = "ball", mass = 1, inertia = { 0.01, 0.01, 0.01 },
      shapes = { { type = "sphere", size = { 0.2 }, colour = "#ff0000" } } },
  },
  joints = { [1] = { name = "rail", parent = "base", child = "ball", driver = "rail", servo = { "setpoint" },
    position = { 2, 0, 0 }, dofs = { { name = "way", type = "prismatic", axis = { 0, 1, 0 },
      limit = { -1, 1 }, speed = 1, acceleration = 4 } } } },
  drivers = { rail = { driver = "physics" } },
}
local AHEAD = { from = { 0, 0, 1 }, to = { 2, 0, 1 }, width = 64, height = 48 }

local function with(options)
  local all = {}
  for name, value in pairs(AHEAD) do all[name] = value end
  for name, value in pairs(options) do all[name] = value end
  return all
end

-- The robot, until it is closed.
local function hung()
  local name = assert(rt.add_robot(BALL))
  return setmetatable({}, { __close = function() core.remove_robot(name) end })
end

-- The same, and what is seen of it; or nil where there is no OpenGL, and it says so.
local function seen()
  local robot = hung()
  local view, message, code = rt.look(AHEAD)
  if view then return robot, view end
  core.remove_robot "hung"
  expect.equal("ESYSTEM", code, message)
  print("skipped: " .. message)
end

describe("a view of the world", function()
  it("has colours", function()
    local robot <close>, view = seen()
    if not robot then return end
    expect.equal("rgb", view.format)
    expect.equal(64 * 48 * 3, #view.bytes)
    local r, g, b = view:at(32, 24)
    expect.truthy(r > 2 * g and r > 2 * b, ("%d %d %d"):format(r, g, b))
    r, g, b = view:at(2, 2) -- the sky
    expect.truthy(r < g and g < b, ("%d %d %d"):format(r, g, b))
    expect.truthy(view.time <= rt.now())
    expect.raises("at: want a pixel of 64 x 48", function() view:at(64, 0) end)
    expect.raises("at: want a pixel", function() view:at(0.5, 0) end)
  end)

  it("has depths and objects", function()
    local robot <close> = seen()
    if not robot then return end
    local view = assert(rt.look(with { seen = "depth" }))
    expect.truthy(math.abs(view:at(32, 24) - 1.8) < 0.01, view:at(32, 24))
    expect.equal(math.huge, view:at(2, 2))
    expect.raises("save: there is no file for depth", function() view:save "x.png" end)
    view = assert(rt.look(with { seen = "objects", fine = true }))
    expect.equal("hung/ball", view:at(32, 24))
    expect.equal("floor", view:at(2, 47))
    expect.equal(nil, view:at(2, 2))
  end)

  it("has shadows far beside a lamp, too", function()
    local _ <close> = setmetatable({}, { __close = function() assert(world.open {}) end })
    assert(world.open { floor = { colour = "#808080" }, lights = { { position = { 0, 0, 2.4 } } },
      boxes = { { size = { 0.3, 0.3, 0.5 }, position = { 4, 0 } } } }) -- it hides the floor up to x = 5.2
    local robot <close> = seen()
    if not robot then return end
    local function brightness(x, y)
      return (rt.look { from = { x, y, 2 }, to = { x, y, 0 }, width = 20, height = 20, fine = true }:at(10, 10))
    end
    local shadow, light = brightness(4.6, 0), brightness(-4.6, 0)
    expect.truthy(shadow < 0.9 * light, ("%d in the shadow, %d on the other side"):format(shadow, light))
  end)

  it("is saved", function()
    local robot <close>, view = seen()
    if not robot then return end
    local name = os.tmpname()
    for ending, head in pairs { png = "\x89PNG\r\n", jpg = "\xff\xd8", ppm = "P6\n64 48\n255\n" } do
      expect.equal(true, view:save(name .. "." .. ending))
      expect.equal(head, core.read_file(name .. "." .. ending, 1 << 20):sub(1, #head))
      os.remove(name .. "." .. ending)
    end
    os.remove(name)
    expect.raises("ends with .jpg, .jpeg, .png or .ppm, got x.gif", function() view:save "x.gif" end)
    local saved, _, code = view:save "/nowhere/x.png"
    expect.equal(nil, saved)
    expect.equal("ENONE", code)
  end)

  it("wants to know from where", function()
    expect.raises("look: want from and to", function() rt.look {} end)
    expect.raises("look: from: want { x, y, z } in m", function() rt.look { from = { 1, 2 }, to = { 0, 0, 0 } } end)
    expect.raises("look: width: want 1 to 4096 pixels", function() rt.look(with { width = 5000 }) end)
    expect.raises("look: seen: want colour, depth or objects", function() rt.look(with { seen = "heat" }) end)
    expect.raises("look: fov: want rad", function() rt.look(with { fov = 4 }) end)
    local _ <close> = hung()
    local view, message, code = rt.look(with { to = { 0, 0, 1 } })
    expect.equal(nil, view)
    expect.equal("EINVAL", code, message)
  end)

  it_really("is drawn while other tasks go on", function()
    local robot <close> = seen()
    if not robot then return end
    local turns, meanwhile = 0, 0
    local _ <close> = rt.spawn(function()
      while true do
        turns = turns + 1
        rt.sleep(0)
      end
    end)
    expect.eventually("another task runs while it is drawn", function()
      local before = turns
      local view = assert(rt.look(with { fine = true }))
      meanwhile = turns - before
      expect.equal(64 * 48 * 3, #view.bytes)
      return meanwhile > 0
    end)
    local late = rt.spawn(function() rt.look(AHEAD) end)
    rt.sleep(0)
    late:cancel() -- nobody waits for that one
    local _ <close> = setmetatable({}, { __close = function() expect.truthy(rt.look(AHEAD)) end })
  end)

  it("needs a robot with physics", function()
    local view, message, code = rt.look(AHEAD)
    expect.equal(nil, view)
    expect.equal("EDEVICE", code)
    expect.truthy(message:find "^no robot of this world has physics", message)
  end)
end)

describe("a film", function()
  it("has the pictures of so many seconds", function()
    local robot <close> = seen()
    if not robot then return end
    local name = os.tmpname()
    local made = assert(film.begin(name .. ".gif",
      { rate = 10, width = 64, height = 48, from = AHEAD.from, to = AHEAD.to }))
    local t = made:start()
    rt.sleep(1.95)
    t:cancel()
    rt.sleep(0)
    expect.equal(20, made:close())
    local bytes = core.read_file(name .. ".gif", 1 << 20)
    expect.equal("GIF89a" .. ("<I2I2"):pack(64, 48), bytes:sub(1, 10))
    expect.equal("\x3b", bytes:sub(-1))
    local shown = 0
    for hundredths in bytes:gmatch "\x21\xf9\x04\x05(..)\xff\0" do shown = shown + ("<I2"):unpack(hundredths) end
    expect.equal(200, shown)
    os.remove(name)
    os.remove(name .. ".gif")
  end)

  it("shows a picture that takes long to be drawn until the next one begins", function()
    local draw = views.draw
    local _ <close> = setmetatable({}, { __close = function() views.draw = draw end })
    function views.draw()
      rt.sleep(0.25)
      return { bytes = ("\1\2\3"):rep(4 * 3) }
    end
    local name = os.tmpname()
    local made = assert(film.begin(name .. ".gif", { rate = 10, width = 4, height = 3 }))
    local t = made:start()
    rt.sleep(1.01)
    t:cancel()
    rt.sleep(0)
    expect.equal(9, made:close()) -- begun at 0, 0.3 and 0.6 s; that of 0.9 s is not ready
    os.remove(name)
    os.remove(name .. ".gif")
  end)

  it("may be a folder of pictures", function()
    local robot <close> = seen()
    if not robot then return end
    local name = os.tmpname()
    os.remove(name)
    local made = assert(film.begin(name, { rate = 10, width = 64, height = 48 }))
    local t = made:start()
    rt.sleep(0.25)
    t:cancel()
    rt.sleep(0)
    expect.equal(3, made:close())
    expect.truthy(core.read_file(name .. "/00003.png", 1 << 20))
    os.execute("rm -r " .. name)
  end)

  it("of nothing is none", function()
    local name = os.tmpname()
    local made = assert(film.begin(name .. ".gif", {}))
    local t = made:start()
    rt.sleep(0.2)
    t:cancel()
    rt.sleep(0)
    local count, message = made:close()
    expect.equal(nil, count)
    expect.truthy(message:find "physics", message)
    os.remove(name)
    os.remove(name .. ".gif")
    count, message = film.begin("/nowhere/x.gif", {})
    expect.equal(nil, count)
    expect.truthy(message:find "/nowhere/x.gif", message)
  end)
end)
