-- The scripts of a server: when they are started again, stopped and replaced. The machine that runs them is one of this
-- test; the real one is tried in tests/e2e/scripts.sh.
local core = require "robotalk.core"
local rt = require "robotalk"
local keeper = require "robotalk.server.supervisor"

local states -- of the machine, by handle: { phase =, failed =, why =, name =, given = }
local wrong  -- why the next files cannot be loaded, or nil
local deaf   -- whether states do not end when they are told to
local handles = 0

local function become(handle, phase, why)
  local state = states[handle]
  state.phase, state.failed, state.why = phase, state.failed or why ~= nil, why or state.why
  keeper.heard(handle)
end

local function finish(handle, why)
  become(handle, "left", why)
  become(handle, "gone")
  keeper.heard(handle) -- events may come late
end

local machine = {
  host = function(name, given)
    handles = handles + 1
    local handle, why = handles, wrong
    states[handle] = { name = name, given = given, phase = "building", failed = false, why = "" }
    rt.spawn(function()
      rt.sleep(0.01)
      if why then finish(handle, why) else become(handle, "built") end
    end)
    return handle
  end,
  go = function(handle) become(handle, "running") end,
  stop = function(handle) if not deaf then rt.spawn(finish, handle) end end,
  state = function(handle)
    local s = states[handle]
    if s.closed then return end
    return s.phase, s.failed, s.why, 1000, 0.5, deaf and "it spins" or nil
  end,
  close = function(handle) states[handle].closed = true end,
}

local names = 0
local function add(options)
  names = names + 1
  options.name = "script" .. names
  return assert(keeper.add(options))
end

local function row(name)
  for _, one in ipairs(keeper.list()) do if one.name == name then return one end end
end

describe("a script of a server", function()
  local before, log, lines
  before_each(function()
    states, wrong, deaf, lines = {}, nil, false, {}
    before, keeper.machine = keeper.machine, machine
    log, core.log = core.log, function(line) lines[#lines + 1] = line end
  end)
  after_each(function()
    deaf = false
    keeper.stop_all()
    keeper.machine, core.log = before, log
    for _, state in pairs(states) do expect.truthy(state.phase ~= "gone" or state.closed, "is closed in the end") end
  end)

  it("is started, ends and may be started anew", function()
    local name = add { file = "x.lua", args = { "a", "b\n\0" }, memory = 64 }
    expect.equal("stopped", row(name).state)
    expect.equal(true, (keeper.start(name)))
    rt.sleep(1)
    local given = load(states[handles].given, "", "t", {})()
    expect.equal("x.lua", given.file)
    expect.equal("b\n\0", given.args[2])
    expect.equal(64, given.memory)
    expect.equal(10, given.seconds)
    expect.equal("running", row(name).state)
    expect.equal(1000, row(name).memory)
    expect.equal(0.5, row(name).seconds)
    local _, why, code = keeper.start(name)
    expect.equal("EEXISTS", code, why)
    finish(handles)
    rt.sleep(0)
    expect.equal("ended", row(name).state)
    rt.sleep(1000)
    expect.equal(1, row(name).starts, "and is not started again")
    expect.equal(true, (keeper.start(name)))
    rt.sleep(1)
    expect.equal(2, row(name).starts)
  end)

  it("whose file is wrong is not started", function()
    wrong = "x.lua:3: nonsense"
    local name = add { file = "x.lua", restart = "always" }
    local ok, why, code = keeper.start(name)
    expect.equal(nil, ok)
    expect.equal(wrong, why)
    expect.equal("EINVAL", code)
    expect.equal("failed", row(name).state)
    expect.equal(wrong, row(name).why)
  end)

  it("that fails is started again later and later, and at once when it has run long", function()
    local name = add { file = "x.lua", restart = "failure" }
    keeper.start(name)
    local begun = {}
    for i = 1, 9 do
      rt.sleep(0)
      while row(name).state ~= "running" do rt.sleep(0.05) end
      begun[i] = rt.now()
      if i == 8 then rt.sleep(100) end
      finish(handles, "x.lua:1: oh")
      rt.sleep(0)
      expect.equal("waiting", row(name).state)
      expect.equal("x.lua:1: oh", row(name).why)
    end
    for i, pause in ipairs { 1, 2, 4, 8, 16, 32, 60, 101 } do
      expect.near(pause, begun[i + 1] - begun[i], 0.2)
    end
  end)

  it("that ends well is started again only if it always is", function()
    local one, other = add { file = "x.lua", restart = "failure" }, add { file = "y.lua", restart = "always" }
    keeper.start(one)
    finish(handles)
    keeper.start(other)
    finish(handles)
    rt.sleep(5)
    expect.equal("ended", row(one).state)
    expect.equal("running", row(other).state)
  end)

  it("that waits to be started again is started, stopped and replaced at once", function()
    local name = add { file = "x.lua", restart = "always" }
    local function fail()
      while row(name).state ~= "running" do rt.sleep(0.01) end
      finish(handles, "oh")
      rt.sleep(0)
      expect.equal("waiting", row(name).state)
    end
    keeper.start(name)
    fail()
    local at = rt.now()
    expect.equal(true, (keeper.start(name)))
    fail()
    expect.equal(true, (keeper.reload(name)))
    fail()
    expect.equal(true, (keeper.stop(name)))
    expect.truthy(rt.now() - at < 0.5, "all at once")
    expect.equal("stopped", row(name).state)
    rt.sleep(100)
    expect.equal("stopped", row(name).state)
  end)

  it("that is stopped is not started again", function()
    local name = add { file = "x.lua", restart = "always" }
    keeper.start(name)
    expect.equal(true, (keeper.stop(name)))
    expect.equal("stopped", row(name).state)
    rt.sleep(100)
    expect.equal("stopped", row(name).state)
    expect.equal(true, (keeper.stop(name)), "twice is once")
  end)

  it("is replaced when the new state is built, and goes on when that cannot be", function()
    local name = add { file = "x.lua" }
    keeper.start(name)
    local old = handles
    wrong = "x.lua:1: nonsense"
    local ok, why = keeper.reload(name)
    expect.equal(nil, ok)
    expect.equal(wrong, why)
    expect.equal("running", states[old].phase)
    wrong = nil
    local stop = machine.stop
    local built
    machine.stop = function(handle)
      built = states[handles].phase
      return stop(handle)
    end
    ok, why = keeper.reload(name)
    machine.stop = stop
    expect.equal(true, ok, why)
    expect.equal("built", built)
    expect.equal("gone", states[old].phase)
    expect.equal("running", states[handles].phase)
    expect.equal(2, row(name).starts)
  end)

  it("that does not end is told of, and has no successor beside it", function()
    local name = add { file = "x.lua" }
    keeper.start(name)
    local old = handles
    deaf = true
    local _, why, code = keeper.reload(name)
    expect.equal("ETIMEOUT", code, why)
    expect.equal("stuck", row(name).state)
    expect.equal("it spins", row(name).why)
    expect.equal("built", states[handles].phase)
    deaf = false
    finish(handles) -- what was built and did not begin
    finish(old)
    rt.sleep(0)
    expect.equal("stopped", row(name).state)
  end)

  it("that fails at once is told of to who has started or replaced it", function()
    local name = add { file = "x.lua" }
    local go = machine.go
    machine.go = function(handle)
      go(handle)
      rt.spawn(function() rt.sleep(0.1) finish(handle, "x.lua:3: oh") end)
    end
    for _, action in ipairs { keeper.start, keeper.reload } do
      local ok, why, code = action(name)
      expect.equal(nil, ok)
      expect.equal(("script %s has begun, and failed: x.lua:3: oh"):format(name), why)
      expect.equal("EINVAL", code)
      expect.equal("failed", row(name).state)
    end
    machine.go = go
    expect.equal(true, (keeper.start(name)))
    expect.equal(true, (keeper.stop(name)))
  end)

  it("is ending until it has ended", function()
    local name = add { file = "x.lua" }
    keeper.start(name)
    for _, action in ipairs { keeper.reload, keeper.stop } do
      local stop, told = machine.stop, nil
      machine.stop = function(handle) told = handle end
      local t = rt.spawn(action, name)
      rt.sleep(1)
      expect.equal("ending", row(name).state)
      machine.stop = stop
      finish(told)
      expect.equal(true, (t:wait()))
    end
    expect.equal("stopped", row(name).state)
  end)

  it("has one command at a time", function()
    local name = add { file = "x.lua" }
    local t = rt.spawn(keeper.start, name)
    rt.sleep(0)
    local _, why, code = keeper.stop(name)
    expect.equal("EEXISTS", code, why)
    t:wait()
    expect.equal(true, (keeper.stop(name)))
  end)

  it("that nobody has added is named with what was meant", function()
    local name = add { file = "x.lua" }
    local _, why, code = keeper.start(name .. "s")
    expect.equal("ENONE", code)
    expect.truthy(why:find("did you mean '" .. name .. "'? Scripts are: ", 1, true), why)
  end)

  it("that is a bridge is started again after a failure, and computes for 1 s at most", function()
    local name = add { file = "x.lua", bridge = true }
    keeper.start(name)
    expect.equal("failure", row(name).restart)
    expect.truthy(states[handles].given:find("seconds = 1, .*bridge = true"))
    name = add { file = "x.lua", bridge = true, restart = "never", seconds = 3 }
    keeper.start(name)
    expect.equal("never", row(name).restart)
    expect.truthy(states[handles].given:find "seconds = 3,")
    keeper.start(add { file = "x.lua" })
    expect.truthy(states[handles].given:find("seconds = 10, .*bridge = false"))
  end)

  it("has options that are checked", function()
    local wrongs = { file = 1, name = "a b", args = { 1 }, restart = "now", seconds = 1e6, memory = 1.5, nme = 1,
      bridge = "yes" }
    for option, value in pairs(wrongs) do
      local options = { file = "x.lua", [option] = value }
      expect.equal(option, (keeper.wrong(options)), option)
      expect.raises(option, keeper.add, options)
    end
    expect.equal(nil, (keeper.wrong { file = "dir/x.lua" }))
    expect.equal("name", (keeper.wrong { file = "a script.lua" }))
  end)
end)
