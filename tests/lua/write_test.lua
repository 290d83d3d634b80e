-- Descriptors as Lua files: what is written loads to an equal table, number for number, whatever stands in it.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local write = require "robotalk.descriptor.write".write

-- Where two values differ; nil if nowhere. Numbers are equal when they are the same double.
local function difference(a, b, path)
  if type(a) ~= "table" or type(b) ~= "table" then return a ~= b and ("%s: %s, %s"):format(path, a, b) or nil end
  for key, value in pairs(a) do
    local where = difference(value, b[key], path .. "/" .. tostring(key))
    if where then return where end
  end
  for key in pairs(b) do if a[key] == nil then return path .. "/" .. tostring(key) .. " is new" end end
end

-- The text of a descriptor, which must come back from it; a file of a descriptor sees math and nothing else.
local function written(d, notes)
  local text = write(d, notes)
  local fn, why = load(text, "=text", "t", { math = math })
  expect.truthy(fn, tostring(why) .. "\n" .. text)
  local where = difference(d, fn(), "")
  expect.truthy(not where, tostring(where) .. "\n" .. text)
  return text
end

local function has(text, ...)
  for _, part in ipairs { ... } do expect.truthy(text:find(part, 1, true), "no " .. part .. " in\n" .. text) end
end

-- Every field of every kind with a value of its type: what the specification has can be written.
local function complete(random)
  local kinds = require "robotalk.descriptor.check".kinds
  local values
  local function record(kind, depth)
    local out = {}
    for _, field in ipairs(kinds[kind]) do
      local how, inner = field[2]:match("^(%l+) (%l+)$")
      if not how then
        out[field[1]] = values[field[2]](field)
      elseif depth < 6 then
        local function one() return record(inner, depth + 1) end
        out[field[1]] = how == "one" and one() or how == "named" and { ["a b"] = one(), ["end"] = one() }
          or how == "list" and { one(), one() } or { [field.first] = one(), [field.first + 1] = one() }
      end
    end
    return out
  end
  local function numbers(n)
    local out = {}
    for i = 1, n do out[i] = random() end
    return out
  end
  values = {
    text = function(field) return field[1] .. "\r\n\"\\\n\0 ]] --" end, number = random,
    flag = function() return random() > 0 end, whole = function() return 7 end,
    place = function() return numbers(3) end, angles = function() return numbers(3) end,
    turn = function() return { numbers(3), numbers(3), numbers(3) } end, direction = function() return numbers(3) end,
    range = function() return numbers(2) end, tensor = function() return numbers(6) end,
    plane = function() return { x = random(), y = random(), theta = random() } end, greatest = random,
    word = function(field) return field.words[1] end, words = function(field) return field.words end,
    each = function() return numbers(2) end,
    link = function() return "link" end, colour = function() return "#010203" end,
    size = function() return numbers(2) end, commands = function() return { "go_to" } end,
    rcml = function() return { name = "a\"\n", inputs = { { type = "RCML_TextInput", url = { "b" } }, {} } } end,
    panic = function() return { ["r.knee"] = { ["dof 1"] = random() } } end,
  }
  return record("robot", 0)
end

describe("a written descriptor", function()
  it("is equal to what it was made of, field for field", function()
    math.randomseed(11)
    for _ = 1, 20 do
      written(complete(function()
        local way = math.random(6)
        if way == 1 then return math.random(-1000, 1000) end
        if way == 2 then return math.rad(math.random(-720, 720) / 4) end
        if way == 3 then return math.random(-24, 24) * math.pi / math.random(12) end
        if way == 4 then return (math.random() - 0.5) * 10.0 ^ math.random(-300, 300) end
        return math.random() * 4 - 2
      end))
    end
    for _, name in ipairs(descriptor.names()) do written(assert(descriptor.load(name))) end
  end)
  it("has its fields in the order of the specification, always the same", function()
    local d = { widgets = {}, joints = { { dofs = { {} }, name = "j" } }, name = "x",
      links = { [0] = { mass = 1, name = "a" }, { name = "b" } }, base = { speed = { theta = 2, x = 1 } } }
    local text = written(d)
    expect.equal(text, write(d))
    expect.equal([[
-- x. SI units; x ahead, y left, z up; angles in radians.
---@type robotalk.Descriptor
return {
  name = "x",
  base = { speed = { x = 1, theta = 2 } },
  links = {
    [0] = { name = "a", mass = 1 }, -- mass kg
    [1] = { name = "b" },
  },
  joints = {
    [1] = { name = "j", dofs = { {} } },
  },
  widgets = {},
}
]], text)
  end)
  it("refuses what is no field of a descriptor", function()
    for _, d in ipairs { { colour = 1 }, { links = { { weight = 1 } } }, { joints = { { dofs = { { angle = 1 } } } } },
      { base = { [1] = 2 } }, { frames = { { position = { 0, 0, 0 }, [true] = 1 } } } } do
      expect.raises("^a descriptor's %l+ has no field '", write, d)
    end
    written { drivers = { camera = { driver = "evid30", port = "/dev/x", ["anything at all"] = true } } }
  end)
end)

describe("numbers", function()
  local function home(x, type)
    return write { joints = { { dofs = { { home = x, type = type } } } } }:match("home = (.-) }")
  end
  it("have the fewest digits that read back equal", function()
    for text, x in pairs { ["0.1"] = 0.1, ["0.30000000000000004"] = 0.1 + 0.2, ["3"] = 3.0, ["-2"] = -2,
      ["1e-07"] = 1e-7, ["0.3333333333333333"] = 1 / 3, ["1e+15"] = 1e15, ["1e+22"] = 1e22,
      ["9007199254740993"] = 2 ^ 53 | 1 } do
      expect.equal(text, home(x))
    end
  end)
  it("that are angles are shares of a turn, when these are the very same double", function()
    for text, x in pairs { ["rad(90)"] = math.pi / 2, ["rad(-120)"] = -2 * math.pi / 3, ["rad(12.3)"] = math.rad(12.3),
      ["0.21467549799530258"] = math.rad(12.3) + 2 ^ -55, ["math.pi / 7"] = math.pi / 7,
      ["-3 * math.pi / 7"] = -3 * math.pi / 7, ["0.5"] = 0.5 } do
      expect.equal(text, home(x))
    end
    expect.equal("1.5707963267948966", home(math.pi / 2, "prismatic"))
    has(write { links = { [0] = { mass = math.pi } } }, "mass = 3.141592653589793 }")
    has(write { base = { speed = { x = math.pi, theta = math.pi } } }, "{ x = 3.141592653589793, theta = rad(180) }")
  end)
  it("that are infinite can be loaded", function() written { deadman = math.huge, bus = { rate = -math.huge } } end)
end)

describe("units", function()
  it("stand at the first use, those of dofs by what they do", function()
    local long = ("long"):rep(30)
    local text = written { links = { [0] = { name = long, mass = 1, com = { 0, 0, 0 }, inertia = { 1, 1, 1 } },
      { name = long, mass = 2 } }, battery = { capacity = 1, voltage = 2 },
      joints = { { dofs = { { limit = { 0, 1 }, force = 1 }, { type = "prismatic", limit = { 0, 1 }, force = 1 } } } } }
    has(text, "mass = 1, -- kg\n", "mass = 2,\n", "inertia = { 1, 1, 1 }, -- kg m^2\n", "-- capacity J, voltage V\n")
    text = written { joints = { { dofs = { { limit = { 0, 1 }, force = 1 } } } } }
    has(text, "-- limit rad, force N m\n")
    text = written { joints = { { dofs = { { type = "prismatic", limit = { 0, 1 }, speed = 1 } } } } }
    has(text, "-- limit m, speed m/s\n")
  end)
end)

describe("remarks", function()
  local d = { name = "x", links = { [0] = { mass = 1, shapes = { { type = "box", size = { 1, 2, 3 } } } } },
    joints = { { dofs = { { home = 1 } } } } }
  it("stand on the line of their field, those on nothing at the head", function()
    local text = written(d, { { path = "links[0].mass", message = "of its volume", guess = true },
      { path = "joints[1].dofs[1].home", message = "middle", guess = true }, { path = "joints[1].dofs[1].home",
      message = "it had none" }, { message = "first" }, { message = "second", guess = true }, { path = "",
      message = "third" }, { path = "links[9].com", message = "lost", guess = true } })
    has(text, "\n      mass = 1, -- guess: of its volume\n", "home = 1, -- guess: middle; it had none\n",
      "\n-- first\n-- guess: second\n-- third\n-- links[9].com: guess: lost\n---@type")
  end)
  it("and names stay in their comments, whatever is in them", function()
    local evil = "a\rb()\n]]--[[\0---@type local rad\xff"
    local text = written({ name = evil, model = evil, links = d.links, deadman = 0.5, joints =
      { { dofs = { { home = math.pi } } } } }, { { message = evil }, { path = evil, message = evil },
      { path = "deadman", message = evil } })
    has(text, "\nlocal rad = math.rad\n")
  end)
end)

describe("lines", function()
  it("are at most 120 characters long where no text of the author's is longer", function()
    local names = {}
    for name in pairs(core.spec().commands) do names[#names + 1] = name end
    table.sort(names)
    local texts = { written { name = ("n"):rep(31), model = ("m"):rep(63), commands = names } }
    for _, name in ipairs(descriptor.names()) do texts[#texts + 1] = written(assert(descriptor.load(name))) end
    for _, text in ipairs(texts) do
      for line in text:gmatch("[^\n]+") do expect.truthy(#line <= 120, line) end
    end
  end)
end)
