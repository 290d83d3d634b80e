-- Contained chunks: Lua text of somebody else cannot take time or memory without end, reach the system, or reach the
-- script that calls it.
local core = require "robotalk.core"

local function open(text, context) return core.contained(text, "guest", context or {}) end

describe("a contained chunk", function()
  it("computes with copies of what it is given, and gives copies", function()
    local box <close> = open "return { double = function(x, context) x[1] = 2 * x[1] return x, context.now end }"
    local given = { 21 }
    local list = box:call("double", { now = 1.5 }, given)
    expect.same({ { 42 }, 1.5 }, list)
    expect.same({ 21 }, given)
  end)

  it("keeps what it remembers from call to call", function()
    local box <close> = open "local n = 0 return { count = function() n = n + 1 return n end }"
    box:call("count", {})
    expect.equal(2, box:call("count", {})[1])
  end)

  it("has the context that it was opened with, and what calls add to it", function()
    local box <close> = open("return { sum = function(context) return context.a + context.b end }", { a = 1 })
    expect.equal(3, box:call("sum", { b = 2 })[1])
    expect.equal(3, box:call("sum", {})[1])
  end)

  it("says on which lines its functions begin", function()
    local box <close>, list = open "return {\n  f = function() end,\n  n = 1 }"
    expect.same({ f = 2 }, list[2])
    expect.equal("function", type(list[1].f))
    expect.truthy(box)
  end)

  it("is told no address: a table and a function have the text of their type", function()
    local box <close> = open [[return { f = function(x)
      return { tostring(x), tostring(math.sin), ("%s %s"):format(x, tostring), ("%%p %5.1f%%"):format(1),
        tostring(1.5) }
    end, g = function(x) return ("%d\0%5p"):format(1, x) end }]]
    expect.same({ "table", "function", "table function", "%p   1.0%", "1.5" }, box:call("f", {}, {})[1])
    expect.truthy(select(2, box:call("g", {}, "x")):find "want no %%p here")
  end)

  it("has texts of 64 KiB, and none that is longer", function()
    local box <close> = open "return { f = function(x) return #x end, g = function(x) return #(x .. x) end }"
    local text = ("\0"):rep((1 << 16) - 100)
    expect.equal(#text, box:call("f", {}, text)[1])
    local list, why = box:call("g", {}, text)
    expect.equal(nil, list)
    expect.equal("guest.lua:1: it makes a text of more than 65536 bytes", why)
  end)

  it("does not see the system, files, modules or other scripts", function()
    local box <close> = open [[return { seen = function()
      local list = {}
      for _, name in ipairs { "io", "os", "require", "load", "loadstring", "dofile", "loadfile", "debug", "package",
          "coroutine", "setmetatable", "getmetatable", "rawset", "rawget", "collectgarbage", "pcall", "print", "_G",
          "string.dump", "string.rep", "string.gsub" } do
        local library, field = nil, nil
        if name == "string.dump" then library, field = string, "dump" end
        if name == "string.rep" then library, field = string, "rep" end
        if name == "string.gsub" then library, field = string, "gsub" end
        if library and library[field] ~= nil then list[#list + 1] = name end
        if not library and _ENV[name] ~= nil then list[#list + 1] = name end
      end
      return list
    end }]]
    expect.same({}, box:call("seen", {})[1])
  end)

  it("is Lua text, never bytecode", function()
    local box, why = open(string.dump(function() return {} end))
    expect.equal(nil, box)
    expect.truthy(why:find "binary chunk", why)
  end)
end)

describe("a contained chunk that is wrong", function()
  local function refused(text, pattern)
    it(("is refused: %s"):format(pattern), function()
      local box, why = open(text)
      expect.equal(nil, box)
      expect.truthy(why:find(pattern), why)
    end)
  end
  refused("return {", "guest.lua:1: .*expected")
  refused("return 5", "guest.lua: want a table, got number")
  refused("\nerror 'not today'", "guest.lua:2: not today")
  refused("\n\nwhile true do end", "guest.lua:3: it computes too long")
  refused("local t = {}\nwhile true do t[#t + 1] = {} end", "guest.lua:2: it wants more than 1 MiB of memory")

  -- What is called: a pattern of what it is told, and whether it was cut off.
  local function ended(what, text, pattern, cut)
    it(what, function()
      local box <close> = assert(open(("local t = {}\nreturn { f = function(x, context)\n%s end }"):format(text)))
      local list, why, over = box:call("f", {}, { 1 })
      expect.equal(nil, list)
      expect.truthy(why:find(pattern), why)
      expect.equal(cut, over)
      if cut then
        expect.truthy(select(2, box:call("f", {}, { 1 })):find "it was cut off", "it is not called again")
      end
    end)
  end
  ended("and computes without end is cut off with its line", "while true do end",
    "^guest.lua:3: it computes too long", true)
  ended("and calls itself without end is cut off with its line",
    "local function g() return 1 + g() end return g()", "^guest.lua:3: it wants more than 1 MiB", true)
  ended("and collects without end is cut off with its line", "while true do t[#t + 1] = { 1, 2, 3 } end",
    "^guest.lua:3: it wants more than 1 MiB", true)
  ended("and makes longer and longer texts is cut off", "local s = 'x' while true do s = s .. s end",
    "^guest.lua:3: it makes a text of more than 65536 bytes", true)
  ended("and gives more texts than 64 KiB has failed",
    "local s = 'xxxxxxxx' for i = 1, 10 do s = s .. s end for i = 1, 100 do t[i] = s end return t",
    "at most 64 KiB of texts", false)
  ended("and gives tables within tables without end has failed",
    "local one = t for i = 1, 200 do one.t = {} one = one.t end return t", "to a depth of 100", false)
  ended("and raises a table has failed, without a text", "error(t)", "it raised no text", false)
  ended("and raises a text has failed with that and its line", "error 'too hot'", "^guest.lua:3: too hot", false)

  it("and gives what refers to itself gives a copy that does so, too", function()
    local box <close> = open "return { f = function() local t = {} t.t = t return t end }"
    local t = box:call("f", {})[1]
    expect.truthy(t.t == t)
  end)

  it("and gives functions gives ones that do nothing", function()
    local box <close> = open "return { f = function() return function() return 5 end end }"
    local fn = box:call("f", {})[1]
    expect.equal(0, select("#", fn()))
  end)

  it("and is given more than it has room for has failed, and the script goes on", function()
    local box <close> = open "return { f = function(x) return #x end }"
    local list, why = box:call("f", {}, { ("x"):rep(1 << 17) })
    expect.equal(nil, list)
    expect.truthy(why:find "64 KiB", why)
    local much = {}
    for i = 1, 1 << 17 do much[i] = i end
    list, why = box:call("f", {}, much)
    expect.equal(nil, list)
    expect.truthy(why:find "1 MiB", why)
  end)

  it("leaves the same result at each run of a virtual world", function()
    local seen
    for _ = 1, 3 do
      local box <close> = open "return { f = function(_, c) local n = 0 for i = 1, 9e9 do n = i c.n = n end end }"
      local _, why = box:call("f", {}, {})
      seen = seen or why
      expect.equal(seen, why)
    end
  end)

  it("counts as memory of the script until it is closed", function()
    for _ = 1, 2000 do -- 2000 MiB, if they were kept
      local box <close> = open "return {}"
      expect.truthy(box)
    end
    local boxes = {}
    expect.raises("memory", function() while true do boxes[#boxes + 1] = open "return {}" end end)
    for _, box in ipairs(boxes) do box:close() end
    local box <close> = open "return {}"
    expect.truthy(box)
  end)
end)

describe("kinematics of a contained chunk", function()
  local model = require "robotalk".model "puma560"

  it("are those of the script", function()
    local box <close> = core.contained([[return { f = function(q, c)
      local pose = c.model:fk(q, "hand")
      return c.model:ik("hand", { position = pose.position, attitude = pose.attitude }, q)
    end }]], "guest", {}, model)
    local home = model:home()
    local posture = assert(box:call("f", {}, home))[1]
    for i = 1, 6 do expect.near(home[i], posture[i], 1e-6) end
  end)

  it("search only so often, and with no options", function()
    local box <close> = core.contained([[return {
      often = function(_, c) for _ = 1, 5 do c.model:ik("hand", { position = { 9, 9, 9 } }) end end,
      long = function(_, c) c.model:ik("hand", { position = { 9, 9, 9 } }, nil, { attempts = 1e4 }) end,
    }]], "guest", {}, model)
    expect.truthy(select(2, box:call("often", {}, 0)):find "at most 4 calls")
    expect.truthy(select(2, box:call("long", {}, 0)):find "want no options here")
  end)

  it("outlast the script's own", function()
    local text = "return { f = function(q, c) return c.model:fk(q, 'hand').position end }"
    local box <close> = core.contained(text, "guest", {}, (require "robotalk".model "puma560"))
    collectgarbage()
    collectgarbage()
    expect.equal(3, #box:call("f", {}, model:home())[1])
  end)
end)
