-- luacheck: no max line length
-- Pictures of bodies: three views in one scale, the same text every time.
local descriptor = require "robotalk.descriptor"
local drawing = require "robotalk.svg.body"

local function draw(d)
  local made = descriptor.made(d)
  return drawing.svg(made.records, descriptor.poses(made.body, made.records))
end

describe("a picture of a body", function()
  -- a cube of 1 m on the floor, 2 m ahead of it a ball of 0.5 m radius on a slide
  local cube = { name = "cube & ball", model = "<test>", base = {},
    links = { [0] = { mass = 1, com = { 0, 0, 0.5 }, shapes = { { type = "box", size = { 1, 1, 1 }, position = { 0, 0, 0.5 } } } },
      [1] = { shapes = { { type = "sphere", size = { 0.5 }, colour = "#102030" } } } },
    joints = { { name = "slide", position = { 2, 0, 0.5 }, dofs = { { type = "prismatic", axis = { 1, 0, 0 } } } } },
    frames = { { name = "tip", link = 1, position = { 0.5, 0, 0 } } } }
  local svg = draw(cube)

  it("is an SVG that says what it shows", function()
    expect.truthy(svg:find("^<svg xmlns=\"http://www.w3.org/2000/svg\"") and svg:find("</svg>\n$"))
    expect.truthy(svg:find(">cube &amp; ball</text>", 1, true) and svg:find(">&lt;test&gt;</text>", 1, true))
    for _, word in ipairs { "front", "side", "top", "slide", "tip", "2 links, 1 dofs" } do
      expect.truthy(svg:find(word, 1, true), word)
    end
    expect.equal(draw(cube), svg)
  end)
  it("draws shapes in the scale of its bar", function()
    local bar, metres = tonumber(svg:match("v%-8m0 4h([%d.]+)m0 %-4v8")), tonumber(svg:match(">([%d.]+) m</text>"))
    local scale = bar / metres
    -- the first polygon is the cube seen from the front or, behind it, the ball: one of them a metre wide and high
    local found = 0
    for points in svg:gmatch('<polygon points="([^"]*)"') do
      local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
      for x, y in points:gmatch("([%d.]+),([%d.]+)") do
        x, y = tonumber(x), tonumber(y)
        x0, x1, y0, y1 = math.min(x0, x), math.max(x1, x), math.min(y0, y), math.max(y1, y)
      end
      expect.truthy(math.abs(x1 - x0 - scale) < 0.3 and math.abs(y1 - y0 - scale) < 0.3)
      found = found + 1
    end
    expect.equal(found, 6)
    expect.truthy(svg:find('fill="#102030"', 1, true))
  end)
  -- the outlines of an SVG, { x0, x1, y0, y1, corners = }, view after view
  local function outlines(text)
    local list = {}
    for points in text:gmatch('<polygon points="([^"]*)"') do
      local b = { math.huge, -math.huge, math.huge, -math.huge, corners = {} }
      for x, y in points:gmatch("([%d.]+),([%d.]+)") do
        x, y = tonumber(x), tonumber(y)
        b[1], b[2], b[3], b[4] = math.min(b[1], x), math.max(b[2], x), math.min(b[3], y), math.max(b[4], y)
        b.corners[#b.corners + 1] = { x, y }
      end
      list[#list + 1] = b
    end
    return list
  end
  it("shows a ball round from everywhere, however it is turned", function()
    local list = outlines(draw { name = "ball", links = { [0] = { attitude = { 0.7, -0.4, 1.1 }, shapes = {
      { type = "sphere", size = { 0.5 }, attitude = { 0.3, 0.6, -0.2 } } } } } })
    expect.equal(3, #list)
    for _, b in ipairs(list) do
      local x, y, r = (b[1] + b[2]) / 2, (b[3] + b[4]) / 2, (b[2] - b[1]) / 2
      for _, p in ipairs(b.corners) do expect.near(r, math.sqrt((p[1] - x) ^ 2 + (p[2] - y) ^ 2), 0.2) end
      expect.truthy(#b.corners >= 48)
    end
  end)
  it("shows a capsule as long as its ends reach, and round from above", function()
    local list = outlines(draw { name = "pill", links = { [0] = { shapes = { { type = "capsule", size = { 0.5, 2 } } } } } })
    for i = 1, 2 do expect.near((list[i][4] - list[i][3]) / (list[i][2] - list[i][1]), 3, 0.02) end
    expect.near((list[3][4] - list[3][3]) / (list[3][2] - list[3][1]), 1, 0.02)
  end)
  it("has what is at one height there in the views from the front and the side", function()
    -- long along x only, and away from the middle: each view for itself would have margins of its own
    local list = outlines(draw { name = "plank", links = { [0] = { shapes = { { type = "box", size = { 3, 0.2, 0.1 },
      position = { 1, 0.3, 0.4 } } } } } })
    expect.near(list[1][3], list[2][3], 0.11)
    expect.near(list[1][4], list[2][4], 0.11)
    -- and what is at one place across there from the front and above, mirrored
    expect.near(list[1][2] - list[1][1], list[3][2] - list[3][1], 0.21)
  end)
  it("shows shapes for collisions only of links that have no others", function()
    local function boxes(...)
      local shapes = { ... }
      for i, solid in ipairs(shapes) do shapes[i] = { type = "box", size = { 1, 1, i }, solid = solid } end
      return #outlines(draw { name = "x", links = { [0] = { shapes = shapes } } })
    end
    expect.equal(3, boxes(true))
    expect.equal(3, boxes(true, false))
    expect.equal(6, boxes(true, true))
  end)
  it("names links where the name lies within their shape", function()
    local function named(size, attitude)
      return draw({ name = "x", links = { [0] = { name = "chassis", attitude = attitude, shapes = { { type = "box", size = size } } } } })
        :find(">chassis</text>", 1, true) ~= nil
    end
    expect.truthy(named { 1, 1, 1 })
    -- a rod along a diagonal: its outline is far from the corners of the rectangle around it
    expect.truthy(not named({ 0.02, 0.02, 3 }, { 0.8, 0.6, 0 }))
  end)
  it("is XML whatever the names are", function()
    local text = draw { name = "a\xff<b>&\"", model = "\u{FFFE}é", base = {} }
    expect.truthy(text:find(">a?&lt;b&gt;&amp;&quot;</text>", 1, true) and text:find(">?é</text>", 1, true))
    expect.truthy(utf8.len(text) and not text:find("[%z\1-\8\11-\31]"))
  end)
  it("is drawn of every body that comes along, and of sticks alone", function()
    for _, name in ipairs(descriptor.names()) do expect.truthy(draw(assert(descriptor.load(name))):find("</svg>", 1, true)) end
    expect.truthy(draw { name = "stone" }:find("0 dofs", 1, true))
  end)
end)
