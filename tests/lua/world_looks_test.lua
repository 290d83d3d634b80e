-- What worlds look like: sky, floor and light, as cameras see them.
local core = require "robotalk.core"
local rt = require "robotalk"
local world = require "robotalk.world"

local POST = { name = "post", links = { [0] = { name = "base", mass = 1, inertia = { 0.01, 0.01, 0.01 },
    position = { 9, 9, 0 } }, [1] = { name = "top", mass = 1, inertia = { 0.01, 0.01, 0.01 } } },
  joints = { [1] = { name = "way", parent = "base", child = "top", driver = "way", servo = { "setpoint" },
    dofs = { { name = "up", type = "prismatic", axis = { 0, 0, 1 }, limit = { 0, 1 } } } } },
  drivers = { way = { driver = "physics" } } }

-- What is seen of a world; nil where there is no OpenGL, and it says so.
local function seen(room, from, to, fine)
  assert(world.open(room))
  local name = assert(rt.add_robot(POST))
  local _ <close> = setmetatable({}, { __close = function()
    core.remove_robot(name)
    assert(world.open {})
  end })
  local view, message, code = rt.look { from = from, to = to, width = 64, height = 48, fine = fine }
  if view then return view end
  expect.equal("ESYSTEM", code, message)
  print("skipped: " .. message)
end

-- The darkest and the brightest of the greatest components of pixels.
local function range(view)
  local least, most = 255, 0
  for y = 0, 47 do
    for x = 0, 63 do
      local bright = math.max(view:at(x, y))
      least, most = math.min(least, bright), math.max(most, bright)
    end
  end
  return least, most
end

local LEVEL = { 0, 0, 1 }

describe("a world of which nothing is said", function()
  it("has a light sky, which is paler at the horizon and has the name of no colour", function()
    local view = seen({}, LEVEL, { 2, 0, 1 })
    if not view then return end
    local paleness = {}
    for i, y in ipairs { 1, 12, 22 } do
      local r, g, b = view:at(32, y)
      expect.truthy(r > 130 and r < g and g < b, ("%d %d %d"):format(r, g, b))
      paleness[i] = r / b
      expect.truthy(1 - r / b > 0.15 and 1 - r / b < 0.35, r / b) -- neither white nor blue (docs/cameras.md)
    end
    expect.truthy(paleness[1] < paleness[2] and paleness[2] < paleness[3])
  end)

  it("has a floor of squares, and one of one colour if that alone is said", function()
    -- by how much red differs between neighbours
    local function steepest(room)
      local view, most = seen(room, { 0, 0, 3 }, { 0.1, 0, 0 }), 0
      if not view then return end
      for x = 0, 62 do most = math.max(most, math.abs((view:at(x, 24)) - (view:at(x + 1, 24)))) end
      return most
    end
    local most = steepest {}
    if not most then return end
    expect.truthy(most > 10, most)
    expect.truthy(steepest { floor = { friction = 0.5 } } > 10)
    expect.truthy(steepest { floor = { colour = "#ff0000", other = "#000000" } } > 100)
    expect.truthy(steepest { floor = { colour = "#808080" } } < 4)
    expect.truthy(steepest { floor = { texture = "plain" } } < 4)
  end)
end)

describe("a world", function()
  it("has a black sky where it says one, also with the alpha of nothing", function()
    for _, black in ipairs { "#000000", "#00000000" } do
      local view = seen({ sky = { top = black } }, LEVEL, { 2, 0, 1 })
      if not view then return end
      local r, g, b = view:at(32, 4)
      expect.truthy(r < 8 and g < 8 and b < 8, ("%d %d %d"):format(r, g, b))
    end
  end)

  it("has the sky that it says", function()
    local view = seen({ sky = { top = "#200040", horizon = "#ff8000" } }, LEVEL, { 2, 0, 1 })
    if not view then return end
    local r, g, b = view:at(32, 23)
    expect.truthy(r > 240 and g > 110 and g < 140 and b < 20, ("%d %d %d"):format(r, g, b))
    local r2, _, b2 = seen({ sky = { top = "#200040", horizon = "#ff8000" } }, LEVEL, { 0.01, 0, 2 }):at(32, 24)
    expect.truthy(math.abs(r2 - 0x20) < 8 and math.abs(b2 - 0x40) < 8, ("%d %d"):format(r2, b2))
    r, g, b = seen({ sky = { top = "#102030" } }, LEVEL, { 2, 0, 1 }):at(32, 23)
    expect.equal(("%02x%02x%02x"):format(r, g, b), "102030")
  end)

  local ROOM <const> = { { points = { { -2, -2 }, { 2, -2 }, { 2, 2 }, { -2, 2 } }, closed = true, height = 2.5,
    colour = "#c0c0c0" } }

  it("is filled with light by one lamp", function()
    local white = { { position = { 0, 0, 2.4 } } }
    for _, fine in ipairs { false, true } do
      local view = seen({ walls = ROOM, floor = { colour = "#c0c0c0" }, lights = white }, { -1.8, -1.8, 1.8 },
        { 1, 1, 0.3 }, fine)
      if not view then return end
      local least, most = range(view)
      -- of 192: half of it is the least that is plausible in a corner
      expect.truthy(least >= 96 and most < 250, ("%d to %d"):format(least, most))
    end
  end)

  it("is not overexposed by as many lamps as there may be", function()
    local lights = {}
    for i = 1, 16 do lights[i] = { position = { (i - 1) // 4 - 1.5, (i - 1) % 4 - 1.5, 2.4 } } end
    for _, fine in ipairs { false, true } do
      local view = seen({ walls = ROOM, floor = { colour = "#f0f0f0" }, lights = lights }, { -1.8, -1.8, 1.8 },
        { 1, 1, 0.3 }, fine)
      if not view then return end
      local least, most = range(view)
      expect.truthy(least >= 80 and most < 255, ("%d to %d"):format(least, most))
    end
  end)

  it("is lit by the lamps that are near", function()
    local lights = {}
    for i = 1, 16 do
      lights[i] = { position = { 3.5 * i - 28, 0, 1 }, colour = i % 2 == 0 and "#ff0000" or "#0000ff" }
    end
    local function below(i)
      local view = seen({ floor = { colour = "#ffffff" }, lights = lights }, { 3.5 * i - 29, 0, 1.5 },
        { 3.5 * i - 28, 0, 0 })
      if not view then return end
      local r, _, b = view:at(32, 24)
      return r - b
    end
    if not below(1) then return end
    expect.truthy(below(1) < -15 and below(2) > 15 and below(16) > 15)
  end)
end)
