-- Scripts are contained: a task that computes too long is cut off with its line, whatever it does, and the others go
-- on. What takes a process to show is in tests/e2e/contain.sh.
local rt = require "robotalk"
local core = require "robotalk.core"

local function spin()
  while true do end
end
local LINE = "contain_test.lua:7: "

describe("a task with a budget", function()
  before_each(function() core.budget(0.2) end)

  it("has no hook, with which Lua would be half as fast, before it is cut off", function()
    expect.equal(nil, (debug.gethook()))
    local seen
    local co = coroutine.create(function() seen = debug.gethook() end)
    coroutine.resume(co)
    expect.equal(nil, seen)
    rt.spawn(function() while true do pcall(spin) end end):wait()
    local ok, hook = rt.spawn(function() return (debug.gethook()) end):wait()
    expect.truthy(ok)
    expect.equal(nil, hook)
  end)
end)

describe("a task without an end", function()
  before_each(function() core.budget(0.2) end)

  local function ended(fn)
    local beats = 0
    local other = rt.spawn(function() while true do rt.sleep(1) beats = beats + 1 end end)
    local ok, why, code = rt.spawn(fn):wait()
    rt.sleep(3)
    expect.truthy(beats >= 2, "the others go on")
    other:cancel()
    rt.sleep(0)
    expect.equal(nil, ok)
    expect.equal("EFAILED", code)
    return why
  end

  for what, fn in pairs {
    ["in a loop"] = spin,
    ["within pcall"] = function() while true do pcall(spin) end end,
    ["within xpcall"] = function() while true do xpcall(spin, spin) end end,
    ["within a coroutine"] = function() while true do pcall(coroutine.wrap(spin)) end end,
    ["within a coroutine of a coroutine"] = function()
      coroutine.wrap(function() coroutine.resume(coroutine.create(spin)) end)()
    end,
    ["in a coroutine that is closed"] = function()
      local co = coroutine.create(function()
        local _ <close> = setmetatable({}, { __close = spin })
        coroutine.yield()
      end)
      coroutine.resume(co)
      while true do coroutine.close(co) end
    end,
    ["below a function of C"] = function() while true do pcall(table.sort, { 3, 2, 1 }, spin) end end,
    ["in a metamethod"] = function() return setmetatable({}, { __index = spin }).x end,
    ["in __close"] = function() local _ <close> = setmetatable({}, { __close = spin }) end,
    ["in what loads a chunk"] = function() load(spin) end,
  } do
    it(what .. " is cut off with its line", function()
      local why = ended(fn)
      expect.equal(LINE .. "it has computed for 0.2 s without waiting and was ended", why:match "[^/\n]*%.lua:[^\n]*")
    end)
  end

  it("in __tostring of what it has raised is told as well", function()
    local why = ended(function() error(setmetatable({}, { __tostring = spin })) end)
    expect.truthy(why:find(LINE .. "it has computed", 1, true), why)
  end)

  it("that raises what cannot be told is told as well", function()
    local untold = setmetatable({}, { __tostring = function(self) error(self, 0) end })
    expect.equal("an error that cannot be told: table", ended(function() error(untold) end))
  end)

  it("that takes memory without end is ended with its line, once it has caught that", function()
    collectgarbage()
    core.budget(5, collectgarbage "count" // 1024 + 8)
    local caught
    local why = ended(function()
      local t = {}
      caught = pcall(function() while true do t[#t + 1] = {} end end)
      while true do t[#t + 1] = {} end
    end)
    expect.equal(false, caught)
    expect.truthy(why:find "contain_test.lua:%d+: it wants more than %d+ MiB of memory and was ended", why)
  end)

  it("whose results find no memory any more has failed, and the others go on", function()
    local list, filler = {}, nil
    for i = 1, 10000 do list[i] = i end
    collectgarbage()
    local t = rt.spawn(function(...)
      rt.sleep(0.01)
      filler = ("x"):rep(4 << 20)
      core.budget(0, collectgarbage "count" // 1024 - 2) -- it has more by now than it may
      return ...
    end, table.unpack(list))
    local ok, why = t:wait()
    core.budget(0)
    expect.equal(4 << 20, #filler)
    expect.equal(nil, ok)
    expect.equal("not enough memory", why)
  end)

  it("lets go of what it holds by <close>, also when something of that never ends", function()
    local closed = {}
    local function holder(name, and_then)
      return setmetatable({}, { __close = function() closed[#closed + 1] = name and_then() end })
    end
    ended(function()
      local _ <close> = holder("first", function() end)
      local _ <close> = holder("second", spin)
      spin()
    end)
    expect.equal("second first", table.concat(closed, " "))
  end)

  it("that waits now and then is none", function()
    local ok, sum = rt.spawn(function()
      local n = 0
      for _ = 1, 50 do
        for _ = 1, 1e5 do n = n + 1 end
        rt.sleep(0.001)
      end
      return n
    end):wait()
    expect.truthy(ok)
    expect.equal(50e5, sum)
  end)
end)

describe("coroutines of a script", function()
  it("do what those of Lua do", function()
    local function numbers(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
    local sum = 0
    for i in numbers(4) do sum = sum + i end
    expect.equal(10, sum)
    expect.raises("contain_test.lua:%d+: %S*contain_test.lua:%d+: no", function()
      local fails = coroutine.wrap(function() error "no" end)
      fails()
    end)
    local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) error { b } end)
    expect.equal(2, select(2, coroutine.resume(co, 1)))
    local ok, raised = coroutine.resume(co, 7)
    expect.truthy(not ok)
    expect.equal(7, raised[1])
    expect.equal("dead", coroutine.status(co))
    expect.equal("cannot resume dead coroutine", select(2, coroutine.resume(co)))
    local closed
    co = coroutine.create(function()
      local _ <close> = setmetatable({}, { __close = function() closed = true error "late" end })
      coroutine.yield()
    end)
    coroutine.resume(co)
    ok, raised = coroutine.close(co)
    expect.truthy(not ok and closed and raised:find "late")
    expect.truthy(coroutine.close(co))
    expect.raises("cannot close a coroutine that is running", coroutine.close, coroutine.running())
  end)
end)

describe("bytecode", function()
  local code = string.dump(function() return 7 end)

  it("is refused by load, whatever mode is asked for", function()
    for _, mode in ipairs { "b", "bt" } do
      local fn, why = load(code, "code", mode)
      expect.equal(nil, fn)
      expect.truthy(why:find "binary chunk")
    end
    expect.equal(7, load("return x", "text", nil, { x = 7 })())
    expect.equal(7, load("return x", "text", "t", { x = 7 })())
    expect.equal(nil, load("return x")())
  end)

  it("is refused by loadfile, dofile and require", function()
    local path = os.tmpname()
    local function write(text)
      local file = assert(io.open(path, "wb"))
      file:write(text)
      file:close()
    end
    write "return ..., x"
    expect.equal(7, select(2, assert(loadfile(path, "bt", { x = 7 }))()))
    write "return 1, 2"
    expect.equal(2, select(2, dofile(path)))
    write(code)
    expect.truthy(select(2, loadfile(path)):find "binary chunk")
    expect.raises("binary chunk", dofile, path)
    local before = package.path
    package.path = path:gsub("lua_[^/]*$", "?")
    expect.raises("binary chunk", require, path:match "lua_[^/]*$")
    package.path = before
    os.remove(path)
  end)
end)
