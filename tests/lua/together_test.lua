-- Waiting for the first of several tasks, and for all; names of tasks.
local rt = require "robotalk"

local function after(seconds, ...)
  local values = table.pack(...)
  return function()
    rt.sleep(seconds)
    return table.unpack(values, 1, values.n)
  end
end

describe("any", function()
  it("tells who was first, and what it returned", function()
    local begin = rt.now()
    local i, a, b = rt.any(after(3, "slow"), after(1, "quick", 2), after(2))
    expect.equal("2 quick 2", ("%s %s %s"):format(i, a, b))
    expect.near(1, rt.now() - begin, 1e-6)
  end)

  it("ends the others, who let go of what they hold before it returns", function()
    local closed, went_on
    local other = rt.spawn(function()
      local _ <close> = setmetatable({}, { __close = function() closed = true end })
      rt.sleep(10)
      went_on = true
    end)
    expect.equal(1, (rt.any(after(1), other)))
    expect.truthy(closed)
    expect.equal("cancelled", other:status())
    rt.sleep(20)
    expect.equal(nil, went_on)
  end)

  it("keeps tasks if told so, but not functions, and no list grows by it", function()
    local other, mine = rt.spawn(after(10, "x")), false
    for _ = 1, 5 do
      rt.any(after(1), other, function() rt.sleep(5) mine = true end, { keep = true })
    end
    expect.equal("waiting", other:status())
    expect.equal(0, #(other.told or {}))
    expect.equal("x", select(2, other:wait()))
    expect.equal(false, mine)
  end)

  it("tells of one that failed, or was cancelled, before another came to its end", function()
    local ok, why, code, place = rt.any(after(5), function() error "no luck" end)
    expect.equal(nil, ok)
    expect.truthy(why:find "together_test.lua:%d+: no luck", why)
    expect.equal("EFAILED 2", code .. " " .. place)
    local t = rt.spawn("sleeper", after(5))
    rt.spawn(function() rt.sleep(1) t:cancel() end)
    ok, why, code = rt.any(after(9), t)
    expect.equal("nil task sleeper: the task was cancelled ECANCELLED", ("%s %s %s"):format(ok, why, code))
  end)

  it("has a limit", function()
    local begin = rt.now()
    local ok, _, code = rt.any(after(5), after(6), { timeout = 2 })
    expect.equal(nil, ok)
    expect.equal("ETIMEOUT", code)
    expect.near(2, rt.now() - begin, 1e-6)
  end)

  it("takes them, and its options, in one table", function()
    expect.equal("2 quick", table.concat({ rt.any { after(3), after(1, "quick") } }, " "))
    expect.equal("ETIMEOUT", select(3, rt.any { after(3), after(2), timeout = 1 }))
    expect.equal("true a b", ("%s %s %s"):format(rt.all { after(2, "a"), after(1, "b") }))
    expect.raises("any: argument 2: want a task or a function, got nil", rt.any, { after(1), nil, after(2) })
    expect.raises("all has no option 'timout'", rt.all, { after(1), timout = 2 })
  end)

  it("knows who has ended before", function()
    local t = rt.spawn(after(1, "early"))
    rt.sleep(2)
    expect.equal("early", select(2, rt.any(after(1), t)))
  end)

  it("ends all with the task that waits", function()
    local ended = 0
    local function hold()
      local _ <close> = setmetatable({}, { __close = function() ended = ended + 1 end })
      rt.sleep(100)
    end
    local t = rt.spawn(function() rt.any(hold, function() rt.all(hold, hold) end) end)
    rt.sleep(1)
    t:cancel()
    rt.sleep(0)
    rt.sleep(0)
    expect.equal(3, ended)
  end)

  it("goes on when all have let go, however deep they are", function()
    local closed = 0
    local function nested(depth)
      local _ <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
      if depth == 0 then return rt.sleep(100) end
      rt.any(function() nested(depth - 1) end, function() nested(depth - 1) end)
    end
    rt.any(after(1), function() nested(5) end)
    expect.equal(63, closed)
    expect.equal(1, #rt.tasks())
  end)

  it("stops the motion of who was not first", function()
    local robot <close> = assert(rt.connect "pioneer2")
    local i = rt.any(function() robot:go_to { x = 50 } end, after(2))
    expect.equal(2, i)
    rt.sleep(2)
    local x = robot:state().x
    expect.truthy(x > 0.1 and x < 10, x)
    expect.equal("SUCCESS", (robot:go_to { x = 0 }))
    expect.near(0, robot:state().x, 0.01)
  end)

  it("has what a function has set going stop with the task that waited for it", function()
    local robot <close> = assert(rt.connect "pioneer2")
    local head
    local t = rt.spawn(function()
      rt.any(function() robot:set_speed { x = 0.2 } end, after(5))
      rt.all(function() head = robot:begin("set_joint", "head", { pan = 1.5, speed = 0.1 }) end, after(1))
      rt.sleep(100)
    end)
    rt.sleep(3)
    expect.truthy(robot:state().moving)
    t:cancel()
    rt.sleep(1)
    expect.equal(false, robot:state().moving)
    expect.truthy(robot:state().x < 0.8, robot:state().x)
    expect.equal("INTERRUPTED", (head:wait()))
  end)

  it("does not swallow another's error", function()
    local task = require "robotalk.task"
    local heard
    local before = task.on_failure
    task.on_failure = function(_, message) heard = message end
    rt.any(after(1), function() rt.sleep(1) error "lost" end)
    task.on_failure = before
    expect.truthy(heard and heard:find "lost", heard)
  end)
end)

describe("all", function()
  it("gives what they returned, in the order in which they were given", function()
    local t = rt.spawn(after(2, "b", "not this"))
    local ok, a, b, c, d = rt.all(after(3, "a"), t, after(1), after(0, false))
    expect.equal("true a b nil false", ("%s %s %s %s %s"):format(ok, a, b, c, d))
    expect.equal(true, (rt.all()))
  end)

  it("ends with the first that fails", function()
    local begin = rt.now()
    local t = rt.spawn(after(9))
    local ok, why, code, place = rt.all(t, function() rt.sleep(1) error "broken" end)
    expect.equal(nil, ok)
    expect.truthy(why:find "broken", why)
    expect.equal("EFAILED 2 cancelled", ("%s %s %s"):format(code, place, t:status()))
    expect.near(1, rt.now() - begin, 1e-6)
  end)

  it("has a limit for the whole", function()
    local begin = rt.now()
    local ok, _, code = rt.all(after(1), after(3), after(9), { timeout = 4 })
    expect.equal(nil, ok)
    expect.equal("ETIMEOUT", code)
    expect.near(4, rt.now() - begin, 1e-6)
  end)

  it("waits for ten thousand", function()
    local list = {}
    for i = 1, 10000 do list[i] = function() rt.sleep(i % 7) return i end end
    local values = { rt.all(table.unpack(list)) }
    expect.equal(10000, values[10001])
  end)
end)

describe("both", function()
  it("take no misspelt option, nothing else than tasks, and not who waits", function()
    expect.raises(
      "together_test.lua:%d+: any has no option 'timout'; did you mean 'timeout'", rt.any, after(1), { timout = 3 })
    expect.raises("all: timeout: want a number, got string", rt.all, after(1), { timeout = "3" })
    expect.raises("any: argument 2: want a task or a function, got string", rt.any, after(1), "x")
    expect.raises("any: want tasks or functions", rt.any)
    expect.raises("any: argument 1 is the task that would wait", rt.any, rt.current())
    expect.equal(1, #rt.tasks())
  end)
end)

describe("a task that ends at the instant when the time is over", function()
  -- its alarm was set before the one of who waits for it
  local function ends(fn)
    local t = rt.spawn("one", fn)
    rt.sleep(0)
    return t
  end
  it("has ended in time, and its error is told", function()
    expect.equal("1 fine", ("%s %s"):format(rt.any(ends(function() rt.sleep(1) return "fine" end), { timeout = 1 })))
    expect.equal("true fine", ("%s %s"):format(rt.all(ends(function() rt.sleep(1) return "fine" end), { timeout = 1 })))
    expect.equal("true fine", ("%s %s"):format(ends(function() rt.sleep(1) return "fine" end):wait(1)))
    local _, why, code, place = rt.any(ends(function() rt.sleep(1) error "boom" end), { timeout = 1 })
    expect.truthy(why:find "boom", why)
    expect.equal("EFAILED 1", ("%s %d"):format(code, place))
  end)
end)

describe("names of tasks", function()
  it("stand in their text, in the list of tasks, and in what is said of their errors", function()
    local task = require "robotalk.task"
    local a = rt.spawn("watch", function(x) rt.sleep(x) end, 3)
    local b = rt.spawn(function(x) rt.sleep(x) end, 3)
    expect.equal("task watch (ready)", tostring(a))
    rt.sleep(0)
    expect.equal("watch", a.name)
    expect.truthy(b.name:find "together_test.lua:%d+$", b.name)
    local names = {}
    for i, t in ipairs(rt.tasks()) do names[i] = t.name end
    expect.equal("watch", names[#names - 1])
    expect.equal(b.name, names[#names])
    rt.run()
    local heard
    local before = task.on_failure
    task.on_failure = function(t, message) heard = t.name .. ": " .. message end
    rt.spawn("watch", error, "x")
    rt.sleep(0)
    task.on_failure = before
    expect.equal("watch: x", heard:match "^[^\n]*")
  end)

  it("are texts, and what is started is a function", function()
    expect.raises("spawn: want a function, got nil", rt.spawn, "name")
    expect.raises("spawn: want a function, got number", rt.spawn, 3)
  end)
end)
