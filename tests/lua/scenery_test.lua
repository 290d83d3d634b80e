-- What worlds are made of, what is wrong with some, and where robots are put in them.
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local world = require "robotalk.world"

-- The things of a table; or fails with what is wrong.
local function things(what, file)
  local report, room = world.check(what, file)
  if not room then error(report[1].path .. ": " .. report[1].message) end
  return room.things, room
end

-- What is wrong with a table, as "path: message" in lines.
local function wrong(what, file)
  local lines = {}
  for i, one in ipairs((world.check(what, file))) do lines[i] = one.path .. ": " .. one.message end
  return table.concat(lines, "\n")
end

local function near(want, got)
  expect.equal(#got, #want)
  for i, x in ipairs(want) do expect.near(got[i], x, 1e-9) end
end

-- A file in a folder that goes with the test.
local function written(name, text)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("mkdir '%s'"):format(folder)))
  local path = folder .. "/" .. name
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(text))
  return path, folder, setmetatable({}, { __close = function() os.execute(("rm -r '%s'"):format(folder)) end })
end

local CORNER = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

describe("the things of a world", function()
  it("lie with their lowest point on the floor, or as high as they are raised", function()
    local list = things { boxes = { { size = { 1, 2, 3 }, position = { 4, 5 }, raised = 0.5, heading = 0.1 } },
      pillars = { { radius = 0.2, height = 2, position = { 0, 0 }, attitude = { math.pi / 2, 0, 0 } } },
      balls = { { radius = 0.1, position = { 9, 0 }, name = "ball", mass = 0.5, colour = "#ff69b4", friction = 0.4 } } }
    near({ 4, 5, 2 }, list[1].position)
    near({ 0, 0, 0.1 }, list[1].attitude)
    near({ 0, 0, 0.2 }, list[2].position) -- it lies on its side
    local ball = list[3]
    near({ 9, 0, 0.1 }, ball.position)
    expect.equal(("%s %g %x %g"):format(ball.name, ball.mass, ball.colour, ball.friction), "ball 0.5 ff69b4ff 0.4")
  end)

  it("have ramps whose faces go from their lower edge to their height", function()
    local ramp = things { ramps = { { position = { 1, 2 }, heading = math.pi / 2, length = 4, height = 3, width = 0.5,
      thickness = 0.2, raised = 0.1 } } }[1]
    near({ 5, 0.5, 0.2 }, ramp.size) -- 3, 4, 5
    near({ 0, -math.atan(3, 4), math.pi / 2 }, ramp.attitude)
    -- the middle of its face is 2 m ahead, which is along y, 1.5 m up; the plate is 0.1 m deep below it
    near({ 1, 2 + 2 + 0.1 * 3 / 5, 0.1 + 1.5 - 0.1 * 4 / 5 }, ramp.position)
  end)

  it("have steps, walls that are closed, and marks that are painted", function()
    local stairs = things { steps = { { position = { 0, 0 }, count = 3, rise = 0.2, depth = 0.3, width = 2 } } }
    expect.equal(#stairs, 3)
    near({ 0.3, 2, 0.6 }, stairs[3].size)
    near({ 0.75, 0, 0.3 }, stairs[3].position)
    local square = { { 0, 0 }, { 1, 0 }, { 1, 1 } }
    expect.equal(#things { walls = { { points = square } } }, 2)
    expect.equal(#things { walls = { { points = square, closed = true } } }, 3)
    local mark = things { marks = { { points = square, width = 0.1 } } }[1]
    expect.equal(mark.painted, true)
    near({ 1.1, 0.1, 0.004 }, mark.size)
  end)

  it("are meshes from files beside the world's", function()
    local path, folder, _ <close> = written("corner.obj", CORNER)
    local list = things({ meshes = { { file = "corner.obj", position = { 1, 1 }, scale = 2, raised = 0.5 } } },
      folder .. "/world.lua")
    near({ 2, 2, 2 }, list[1].size)
    near({ 1, 1, 0.5 }, list[1].position)
    expect.equal(#things { meshes = { { file = path, position = { 0, 0 }, attitude = { math.pi, 0, 0 } } } }, 1)
    expect.equal(wrong({ meshes = { { file = "edge.obj", position = { 0, 0 } } } }, folder .. "/world.lua"),
      "meshes[1].file: edge.obj: there is no such file beside the world's")
    local flat, _, _ <close> = written("flat.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n")
    expect.equal(wrong { meshes = { { file = flat, position = { 0, 0 } } } },
      "meshes[1].file: " .. flat .. ": line 3: expected the number of one of the 2 vertices before, got 3")
  end)
end)

describe("what is wrong with a world", function()
  it("is that a size is 0, or NaN, or a mass absurd, all at once", function()
    expect.equal(wrong { boxes = { { size = { 1, 0, 1 }, position = { 0, 0 } },
        { size = { 1, 1, 1 }, position = { 0, 0 }, heading = 1, attitude = { 0, 0, 1 } } } },
      "boxes[1].size: expected three sizes above 0, got { 1.0, 0.0, 1.0 }\n"
      .. "boxes[2].heading: expected heading or attitude, got both")
    expect.equal(wrong { balls = { { radius = 0, position = { 0, 0 } }, { radius = 0.1, position = { 0 / 0, 0 } },
        { radius = 0.1, position = { 0, 0 }, mass = -1 }, { radius = 0.1, position = { 1, 0 }, mass = 1e6 } },
        step = 1, gravity = -3, floor = { texture = "marble" } },
      "floor.texture: expected \"plain\", \"checker\" or \"stripes\", got \"marble\"\n"
      .. "balls[1].radius: expected a number in m, 0.001 to 1000, got 0\n"
      .. "balls[2].position: expected two numbers { x, y } in m, got { NaN, 0 }\n"
      .. "balls[3].mass: expected a number in kg, 0.0001 to 100000, got -1\n"
      .. "balls[4].mass: expected a number in kg, 0.0001 to 100000, got 1000000.0\n"
      .. "gravity: expected a number in m/s2, 0 to 1000, got -3\n"
      .. "step: expected a number in s, 0.0001 to 0.02, got 1")
    -- a cube of 0.1 m of a hundred times what gold weighs, and a ball of 2 m of 1 g
    expect.equal(wrong { boxes = { { size = { 0.1, 0.1, 0.1 }, position = { 0, 0 }, mass = 1930 } },
        balls = { { radius = 1, position = { 9, 0 }, mass = 0.001 } } },
      "boxes[1].mass: expected 0.1 to 25000 kg for each cubic metre, got 1.93e+06\n"
      .. "balls[1].mass: expected 0.1 to 25000 kg for each cubic metre, got 0.000239")
    expect.equal(wrong { view = { from = { 1, 2, 3 }, to = { 1, 2, 3 } } },
      "view.to: expected another place than from, got { 1.0, 2.0, 3.0 }")
    expect.equal(wrong { start = { { 1 }, { 1, 2 } } },
      "start[1]: expected two to four numbers { x, y, heading, height }, got { 1 }")
    expect.equal(wrong { balls = { { radius = 0.1, position = { 0, 0 }, name = "b" } },
        pillars = { { radius = 0.1, position = { 2, 0 }, name = "b" } } },
      "balls[1].name: expected a name of its own, got that of pillars[1]")
  end)

  it("is that a thing which could move begins inside of another", function()
    local function cube(x, z, mass) return { size = { 1, 1, 1 }, position = { x, 0 }, raised = z, mass = mass } end
    expect.equal(wrong { boxes = { cube(0, 0, 100), cube(0.9, 0, 100), cube(0, 1, 100) } },
      "boxes[2]: it begins inside of boxes[1]: expected things that move to be free of others")
    expect.equal(wrong { boxes = { cube(0, 0), cube(0.9, 0) } }, "") -- what stands fast may
    expect.equal(wrong { boxes = { cube(0, 0), cube(0.9, 0.5, 100) } },
      "boxes[2]: it begins inside of boxes[1]: expected things that move to be free of others")
    -- they touch, in a row and in a stack, or are inside by less than 1 mm
    expect.equal(wrong { boxes = { cube(0, 0, 100), cube(1, 0, 100), cube(1.9995, 0, 100), cube(0.3, 1, 100) } }, "")
    local ball = { radius = 0.1, position = { 0, 0 }, raised = 0.05, mass = 1 }
    local wall = { points = { { -1, 0.14 }, { 1, 0.14 } }, thickness = 0.1 }
    expect.equal(wrong { balls = { ball }, walls = { wall } },
      "balls[1]: it begins inside of walls[1]: expected things that move to be free of others")
    wall.points[1][2], wall.points[2][2] = 0.1501, 0.1501
    expect.equal(wrong { balls = { ball }, walls = { wall } }, "")
    -- on a ramp of 45 degrees: a cylinder that leans as it does, 1 m up the slope
    local ramp = { position = { 0, 0 }, length = 2, height = 2, thickness = 0.1 }
    local function pillar(raised)
      return { radius = 0.1, height = 0.4, position = { 1 - 0.2 * math.sqrt(0.5), 0 }, mass = 5, raised = raised,
        attitude = { 0, -math.pi / 4, 0 } }
    end
    local lowest = 1 - 0.1 * math.sqrt(0.5) -- of the edge of its lower end, when it stands on the face
    expect.equal(wrong { ramps = { ramp }, pillars = { pillar(lowest) } }, "")
    expect.equal(wrong { ramps = { ramp }, pillars = { pillar(lowest - 0.01) } },
      "pillars[1]: it begins inside of ramps[1]: expected things that move to be free of others")
  end)

  it("is found soon also in a world of thousands of things", function()
    local balls = {}
    for i = 1, 1000 do balls[i] = { radius = 0.1, position = { i // 32, i % 32 }, mass = 1 } end
    balls[1000].position = { 0.05, 1 }
    expect.equal(wrong { balls = balls },
      "balls[1000]: it begins inside of balls[1]: expected things that move to be free of others")
  end)
end)

-- What is wrong with a file, with its lines.
local function told(text)
  local value = assert(load(text, "=shed", "t", {}))()
  return table.concat((world.errors(value, "shed.lua", text)), "\n")
end

describe("mistakes of a world", function()
  it("are told in one turn, whatever they are about, in the order of the file", function()
    expect.equal(told [[return {
  boxes = {
    { size = { 1, 0, 1 }, position = { 9, 9 }, name = "crate" },
    { size = { 1, 1, 1 }, position = { 0, 0 }, mass = 100, name = "crate", colour = 5 },
    { size = { 1, 1, 1 }, position = { 5, 5 }, mass = 1e5 },
    { size = { 1, 1, 1 }, position = { 2e6, 0 }, mass = 100 },
  },
  balls = { { radius = 0.1, position = { 0.2, 0.1 }, colr = "#aabbcc" } },
  meshes = { { file = "gone.stl", position = { 0, 0 } } },
  light = {},
  start = { { 1 } },
} ]],
      "shed.lua:3: boxes[1].size: expected three sizes above 0, got { 1.0, 0.0, 1.0 }\n"
      .. "shed.lua:4: boxes[2].colour: expected \"#rrggbb\" or \"#rrggbbaa\", got 5\n"
      .. "shed.lua:4: boxes[2].name: expected a name of its own, got that of boxes[1]\n"
      .. "shed.lua:4: boxes[2]: it begins inside of balls[1]: expected things that move to be free of others\n"
      .. "shed.lua:5: boxes[3].mass: expected 0.1 to 25000 kg for each cubic metre, got 1e+05\n"
      .. "shed.lua:6: boxes[4]: expected nothing longer, or farther away, than 1e+06 m\n"
      .. "shed.lua:8: balls[1].colr: expected one of radius, position, raised, heading, attitude, name, colour, mass, "
      .. "friction\n"
      .. "shed.lua:9: meshes[1].file: gone.stl: there is no such file beside the world's\n"
      .. "shed.lua:10: light: did you mean 'lights'? expected one of floor, walls, boxes, pillars, balls, "
      .. "capsules, ramps, steps, meshes, marks, lights, sky, start, view, gravity, step\n"
      .. "shed.lua:11: start[1]: expected two to four numbers { x, y, heading, height }, got { 1 }")
  end)

  it("tell each bound once, and every one", function()
    for text, want in pairs {
      ["balls = { { radius = 3e6, position = { 0, 0 } } }"] = "balls[1].radius: expected a number in m, 0.001 to 1000",
      ["balls = { { radius = 1, position = { 0, 3e6 } } }"] =
        "balls[1].position: expected two numbers { x, y } in m, none beyond 2e+06",
      ["balls = { { radius = 1, position = { 0, math.huge } } }"] =
        "balls[1].position: expected two numbers { x, y } in m, none beyond 2e+06",
      ["meshes = { { file = 'a.stl', position = { 0, 0 }, scale = 1e7 } }"] =
        "meshes[1].scale: expected one to three numbers, 0 or more, none beyond 2e+06",
      ["steps = { { position = { 0, 0 }, count = 1e9 } }"] = "steps[1].count: expected a whole number, 1 to 64",
    } do
      local value = assert(load("return { " .. text .. " }", "=shed", "t", { math = math }))()
      local report = world.check(value)
      expect.equal(report[1].path .. ": " .. report[1].message:gsub(", got .*", ""), want)
    end
  end)

  it("are lengths that nothing has", function()
    for text, want in pairs {
      ["boxes = { { size = { 1, 1, 1e-300 }, position = { 0, 0 }, mass = 1 } }"] =
        "boxes[1]: expected no side, and no radius, shorter than 1e-05 m, got 1e-300",
      ["boxes = { { size = { 1, 1.5e6, 1 }, position = { 0, 0 } } }"] =
        "boxes[1]: expected nothing longer, or farther away, than 1e+06 m",
    } do
      expect.equal(told("return { " .. text .. " }"), "shed.lua:1: " .. want)
    end
    expect.equal(told "return { boxes = { { size = { 1e6, 1, 1e-5 }, position = { 1e6, 0 } } } }", "")
  end)

  it("are names that begin as those of things without one", function()
    expect.equal(told '\nreturn { balls = { { radius = 0.1, position = { 0, 0 }, name = "#1" } } }',
      "shed.lua:2: balls[1].name: expected a name that does not begin with #, as those of things without one do")
  end)

  it("hide those alone that cannot be judged without what they are about", function()
    -- where the ball is meant to be is not known; what the crate weighs does not matter, if anything
    local function shed(ball, mass)
      local text = ("return { boxes = { { size = { 1, 1, 1 }, position = { 0, 0 }, mass = %s } }, balls = { %s } }")
        :format(mass, ball)
      local count = select(2, told(text):gsub("begins inside", ""))
      return count
    end
    expect.equal(shed("{ radius = 0.1, position = { 0, 0 } }", "100"), 1)
    for _, ball in ipairs { "{ radius = 0.1, position = { 0, 0 }, raised = true }",
      "{ radius = -1, position = { 0, 0 } }",
      "{ radius = 0.1, position = { 0, 0 }, raisd = 3 }", "{ radius = 0.1, position = { 0 } }" } do
      expect.equal(shed(ball, "100"), 0)
    end
    local ball = "{ radius = 0.1, position = { 0, 0 } }"
    expect.equal(shed(ball, "1e9") .. shed(ball, "true"), "11") -- it is to move
    expect.equal(shed(ball, "0"), 0)                            -- perhaps it is not
    -- what a thing weighs is judged wherever it is
    local size = "size = { 1, 1, 1 }, mass = 1e5"
    for said, want in pairs {
      ["position = { 0, 0 }, heading = 1, attitude = { 0, 0, 0 }"] = "heading: expected heading or attitude, got both",
      ["position = { 0 }"] = "position: expected two numbers { x, y } in m, got { 0 }",
      ["raised = 1"] = "position: expected two numbers { x, y }, got nothing",
    } do
      expect.equal(told(("return { boxes = { { %s, %s } } }"):format(size, said)), "shed.lua:1: boxes[1]." .. want
        .. "\nshed.lua:1: boxes[1].mass: expected 0.1 to 25000 kg for each cubic metre, got 1e+05")
    end
  end)

  it("are told of the first things where there are too many", function()
    local boxes, balls, pillars, walls = {}, {}, {}, {}
    for i = 1, 1024 do
      boxes[i] = { size = { 0.1, 0.1, 0.1 }, position = { i, 0 }, mass = 1 }
      balls[i] = { radius = 0.1, position = { i, 2 } }
      pillars[i] = { radius = 0.1, position = { i, 4 } }
    end
    local points = {}
    for i = 1, 256 do points[i] = { i, 8 } end
    for i = 1, 10 do walls[i] = { points = points } end
    boxes[1025], boxes[2].position[1] = {}, 1.05
    expect.equal(wrong { boxes = boxes, balls = balls, pillars = pillars, walls = walls },
      "boxes[1025]: expected at most 1024\n"
      .. ": expected at most 4096 things in all, a wall counts one for each part\n"
      .. "boxes[2]: it begins inside of boxes[1]: expected things that move to be free of others")
  end)

  it("do not make a robot of it", function()
    expect.equal(world.is { name = "shed", walls = {} }, true)
    expect.equal(world.is { wals = {} }, true)
    expect.equal(world.is { links = {}, walls = {} }, false)
    expect.equal(world.is { name = "rover", base = {} }, false)
    expect.equal(world.is {}, false)
    local many, steps = {}, 0
    for i = 1, 20000 do many["key" .. i] = 1 end
    debug.sethook(function() steps = steps + 1 end, "", 100000)
    expect.equal(world.is(many), false)
    debug.sethook()
    expect.truthy(steps < 300, steps) -- it compares a thousand of them, and takes 3,000 for all
  end)
end)

describe("a robot without a position", function()
  local function rover(name, root)
    root = root or {}
    root.name = "hull"
    return { name = name, base = {}, links = { [0] = root } }
  end

  it("is put where the world says, one after the other", function()
    local _ <close> = setmetatable({}, { __close = function()
      for _, name in ipairs(core.robots()) do drivers.remove(name) end
      assert(world.open {})
    end })
    assert(world.open { start = { { 1, 2, math.pi / 2 }, { 3, 4 } } })
    local function place(name, root)
      assert(rt.add_robot(rover(name, root)))
      local robot <close> = rt.connect("local:" .. name)
      local state = robot:state()
      return ("%g %g %.3f"):format(state.x, state.y, state.theta)
    end
    expect.equal(place "one", "1 2 1.571")
    expect.equal(place("two", { position = { 7, 7, 0 } }), "7 7 0.000") -- it has one
    -- one that is not simulated is where it is
    local real = rover "real"
    real.base = { driver = "metal" }
    real.drivers = { metal = { driver = "claim" } }
    expect.equal(require "robotalk.descriptor.start".placed { descriptor = real, records = { name = "real" } }, nil)
    expect.equal(place "three", "3 4 0.000")
    expect.equal(place "four", "3 4.6 0.000") -- there are no more: at the left of the last one
    drivers.remove "one"
    expect.equal(place "five", "1 2 1.571")
    local robot <close> = rt.connect "local:five"
    expect.equal((robot:go_to { x = 1, y = 3, theta = math.pi / 2 }), "SUCCESS")
    assert(require "robotalk.server.reload".now("five", rover "five"))         -- described anew, it stays where it is
    expect.near(robot:state().y, 3, 1e-6)
  end)

  it("may come along, or from another", function()
    local _ <close> = setmetatable({}, { __close = function()
      pcall(drivers.remove, "pioneer2_gripper")
      assert(world.open {})
    end })
    assert(world.open { start = { { -1, 0.5, 0.25 } } })
    local robot <close> = rt.connect "pioneer2_gripper"
    expect.near(robot:state().x, -1, 1e-9)
    expect.near(robot:state().theta, 0.25, 1e-9)
  end)

  it("has a height of its own there, as a dog on its legs", function()
    local _ <close> = setmetatable({}, { __close = function()
      for _, name in ipairs(core.robots()) do drivers.remove(name) end
      assert(world.open {})
    end })
    assert(world.open "soccer") -- its ball is at 0, 0
    for _, place in ipairs { { -1, 0.5, 0, name = "aibo_ers7" }, { 1, 0.5, math.pi, name = "aibo_ers210" } } do
      assert(rt.add_robot(place.name))
      local robot <close> = rt.connect("local:" .. place.name)
      local state = robot:state()
      expect.near(place[1], state.x, 1e-9)
      expect.near(place[2], state.y, 1e-9)
      expect.near(math.cos(state.theta - place[3]), 1, 1e-9)
      expect.truthy(state.z > 0.1)
    end
    assert(world.open { start = { { 1, 2 }, { 3, 4 } } })
    for _, own in ipairs { { 0, 0, 0 }, { 0.1, 0, 0.5 } } do
      assert(rt.add_robot(rover("own" .. own[1], { position = own })))
      local robot <close> = rt.connect("local:own" .. own[1])
      expect.near(robot:state().x, own[1], 1e-9)
    end
  end)
end)

describe("worlds that come along", function()
  for _, name in ipairs(world.names()) do
    it("are good: " .. name, function()
      local room, message = world.read(name)
      if not room then error(message) end
      expect.truthy(#room.things > 0 and #room.start > 0)
      local svg = require "robotalk.svg.scenery".svg(room, name)
      expect.truthy(svg:find "^<svg" and svg:find "</svg>\n$" and not svg:find "nan")
    end)
  end

  it("are found by their names", function()
    local room, message, code = world.read "maz"
    expect.equal(room, nil)
    expect.equal(code, "ENONE")
    expect.truthy(message:find("there is no world 'maz', did you mean maze? Those that come along: ", 1, true), message)
  end)
end)
