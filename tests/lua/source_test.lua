-- Places in a descriptor's text. Lines and columns are counted by eye in the texts below, whose first line follows [[.
local source = require "robotalk.descriptor.source"

local extent = require "tests.lua.extent"
-- The place of a path as "line:column".
local function at(text, path) return ("%d:%d"):format(source.lines(text)(path)) end

local function all(text, places)
  local place = source.lines(text)
  for path, want in pairs(places) do expect.equal(want, ("%d:%d"):format(place(path)), path) end
end

describe("a path in a descriptor's text", function()
  it("leads to the name, the bracket or the first token of its item", function()
    all([[
return {
  name = "x", base = { speed = { x = 1,
    theta = 2 } },
  links = { [0] = { mass = 1 }, { mass = 2 },
    [0x2] = { ["mass"] = 3 }, [3.0] = {}; },
  joints = { { dofs = { {}, { limit = { 0,
    1 } } } } },
  panic = { ["r.knee"] = { ["a b"] = 1,
    ["a[1]"] = 2 } },
}]], { [""] = "1:8", name = "2:3", ["base.speed.x"] = "2:34", ["base.speed.theta"] = "3:5", ["links[0]"] = "4:13",
      ["links[0].mass"] = "4:21", ["links[1]"] = "4:33", ["links[1].mass"] = "4:35", ["links[2].mass"] = "5:15",
      ["links[3]"] = "5:31", ["joints[1].dofs[2].limit[1]"] = "6:41", ["joints[1].dofs[2].limit[2]"] = "7:5",
      ["panic.r.knee"] = "8:13", ["panic.r.knee.a b"] = "8:28", ["panic.r.knee.a[1]"] = "9:5" })
  end)
  it("that is not there leads to what is around it", function()
    local text = "return {\n links = {\n  { mass = 1 } } }"
    all(text, { nothing = "1:8", ["links[2].mass"] = "2:2", ["links[1].com[1]"] = "3:3", ["links.x.y"] = "2:2" })
  end)
  it("goes by what Lua keeps where a key comes twice", function()
    all("return {\n a = 1,\n a = 2,\n 'first',\n [1] = 'lost' }", { a = "3:2", ["[1]"] = "4:2" })
  end)
end)

describe("what leads astray who does not know Lua", function()
  it("are texts, comments and numbers", function()
    for _, value in ipairs { [["x\\\"y, a = {"]], [['it''s']], "'\\\n'", '"\\z\n  } "', "[[\n]=] ]]",
      "[==[]]\n]=] ]==]",
      "--[[ a = ]] 1", "--[==[ ]]\n ]==] 1",
      "-- a = {\n 1", "--[ a\n 1", "0x1e-3", "1e-3", "0xA.8p-1", ".5e+2",
      "3 // 2", "1 << 2", "a ~= b and c == d", "...", "#a .. -b" } do
      if load("return " .. value) then
        local _, ends = value:gsub("\n", "")
        expect.equal(("%d:2"):format(ends + 2), at("return { x = " .. value .. ",\n a = 1 }", "a"), value)
      else
        expect.equal("'it''s'", value) -- the only one that is no Lua
      end
    end
  end)
  it("are functions with blocks of all kinds", function()
    expect.equal("9:2", at([[
return { x = (function(a, ...)
 for i = 1, 2 do end for k, v in pairs(a) do end
 while a do break end
 repeat local b until b
 if a then elseif b then goto out else end
 ::out:: do end
 function a.b.c:d() return self end
 return { a = 1 } end)(),
 a = 2 }]], "a"))
  end)
  it("are keys with escapes, and keys that are computed", function()
    all("return {\n ['a\\x62\\99\\u{64}'] = 1,\n [ [[\nlong]] ] = 2,\n [1 + 1] = 3,\n {},\n [-1] = 4 }",
      { abcd = "2:2", long = "3:2", ["[1]"] = "6:2", ["[2]"] = "1:8", ["[-1]"] = "7:2" })
  end)
  it("are ends of lines of any system, and tabs", function()
    all("return {\r\n a = 1,\r\tb = 2,\n\rc = 3 }", { a = "2:2", b = "3:2", c = "4:1" })
  end)
end)

describe("a name", function()
  it("leads to its only value", function()
    all("local a <const>, b = {\n x = 1 }, {\n x = 2 }\nlocal d = { a = a,\n b = b }\nreturn d",
      { ["a.x"] = "2:2", ["b.x"] = "3:2", a = "4:13", b = "5:2" })
    expect.equal("1:8", at("return (({ a = 1 }))", ""))
  end)
  it("of several values leads nowhere", function()
    expect.equal("5:10", at("local a = {\n x = 1 }\na = {\n x = 2 }\nreturn { a = a }", "a.x"))
    expect.equal("3:10", at("local a = {\n x = 1 }\nreturn { a = a or {\n x = 2 } }", "a.x"))
    expect.equal("1:30", at("local function f(a) return { a = a } end return f { a = { x = 1 } }", "a.x"))
  end)
  it("is that of its scope", function()
    all("local a = {\n x = 1 }\nlocal function f()\n local a = {\n x = 2 }\n return a end\n"
      .. "do local a = {\n x = 3 } end\nfor a = 1, 2 do end\nreturn { a = a, f = f() }",
      { ["a.x"] = "2:2", ["f.x"] = "5:2" })
  end)
  it("is followed into its items, and those that come later", function()
    all("local parts = { arm = {\n x = 1 } }\nlocal d = { arm = parts.arm }\nd.legs = {\n x = 2 }\n"
      .. "d.legs[1] = {\n x = 3 }\nd.arm = 7\nreturn d",
      { ["arm.x"] = "2:2", ["legs.x"] = "5:2", ["legs[1]"] = "6:1", ["legs[1].x"] = "7:2", arm = "3:13" })
  end)
end)

describe("a call", function()
  it("leads to what the function ends with", function()
    all([[
local function leg(n)
  if n > 7 then return {
    mass = 7 } end
  local function inner() return 1 end
  local it = {
    mass = n, inner = inner }
  return it
end
local arm = function() return {
  mass = 1 } end
function hand() return {
  mass = 2 } end
return { leg(1),
  leg(2), arm "x", hand {
  mass = 3 } }]], { ["[1].mass"] = "6:5", ["[2]"] = "14:3", ["[2].mass"] = "6:5", ["[3].mass"] = "10:3",
      ["[4].mass"] = "12:3" })
  end)
  it("of what nobody knows leads nowhere", function()
    all("local t = {}\nfunction t:f() return {\n x = 1 } end\nreturn { a = t:f(), b = math.max(1),\n c = f()().x }",
      { ["a.x"] = "4:10", ["b.x"] = "4:21", ["c.x"] = "5:2" })
  end)
end)

describe("any text", function()
  it("has places, if only the first line", function()
    local paths = { "", "a", "a.b[1]", "[1]", "[", "]", "..", ".", "a..b", "[1e999]", ("a."):rep(1000) }
    for _, text in ipairs { "", "return", "return nil", "return 1, {}", "return {", "return {[", "--[[", "return '\\",
      "\0\255", "#!shebang\nreturn { a = 1 }", "return {[0x]=1}", "local x = x return x", "x = x return x",
      "x = y y = x return x", "local function f() return f() end return f()", "local t = { a = t } t.a = t return t",
      "x = { a = y.a } y = { a = x.a } return x", "return " .. ("{"):rep(150) .. ("}"):rep(150),
      "return " .. ("{"):rep(1e4), "return f" .. ("()"):rep(1e4) } do
      local place = source.lines(text)
      for _, path in ipairs(paths) do
        local line, column = place(path)
        expect.truthy(math.type(line) == "integer" and line >= 1 and math.type(column) == "integer" and column >= 1)
        if not load(text) then expect.equal("1:1", line .. ":" .. column, text) end
      end
    end
  end)
  it("that is cut and mixed up, too", function()
    local seed = require "robotalk.core".script "robots/asimo.lua"
    math.randomseed(4)
    local times, good = extent(300, 75), 0
    for _ = 1, times do
      local a, b = math.random(#seed), math.random(#seed)
      local text
      local way = math.random(3)
      if way == 1 then
        text = seed:sub(1, a - 1) .. seed:sub(a + math.random(3))
      elseif way == 2 then
        text = seed:sub(1, a) .. seed:sub(b, b + math.random(6)) .. seed:sub(a + 1)
      else
        text = seed:sub(1, a - 1) .. string.char(math.random(0, 255)) .. seed:sub(a + 1)
      end
      local line = source.lines(text)("name")
      -- what compiles is read to its end: the name stands in the last third of that file
      if load(text) and text:find("\n  name = ", 1, true) then
        good = good + 1
        expect.truthy(line > 60, text)
      end
    end
    expect.truthy(good > times / 6)
  end)
end)
