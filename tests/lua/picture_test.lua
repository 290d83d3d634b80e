-- luacheck: no max line length
-- Pictures of bodies: three views in one scale, the same text every time.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local picture = require "robotalk.picture"

local function draw(d)
  local flat = descriptor.records(d)
  return picture.svg(flat, descriptor.poses(core.model(flat), flat))
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
  it("is drawn of every body that comes along, and of sticks alone", function()
    for _, name in ipairs(descriptor.names()) do expect.truthy(draw(assert(descriptor.load(name))):find("</svg>", 1, true)) end
    expect.truthy(draw { name = "stone" }:find("0 dofs", 1, true))
  end)
end)
