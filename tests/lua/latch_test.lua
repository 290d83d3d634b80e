-- A stop by another client holds until the program that it stopped resumes: what scripts see of it.
local golog = require "robotalk.golog"
local rt = require "robotalk"
local tree = require "robotalk.tree"

-- Calls fn with two clients of a robot.
local function pair(fn)
  return function()
    local robot <close> = rt.connect("pioneer2", { name = "streamer", apart = true })
    local other <close> = rt.connect("local:pioneer2", { name = "stopper", apart = true })
    fn(robot, other)
  end
end

-- How far the robot moves in that many seconds of a loop.
local function way(robot, seconds, command)
  local from, till = robot:state().x, rt.now() + seconds
  while rt.now() < till do
    command(robot)
    rt.sleep(0.03)
  end
  return robot:state().x - from
end

local function stream(robot) return robot:set_speed { x = 0.3 } end

describe("a stop by another client", function()
  it("is not undone by a loop that sends on", pair(function(robot, other)
    expect.truthy(way(robot, 1, stream) > 0.1)
    expect.equal("SUCCESS", (other:stop()))
    expect.equal(0, way(robot, 3, stream))
    local signal, why, result = stream(robot)
    expect.equal("INTERRUPTED", signal)
    expect.truthy(why:find "^stopped by stopper %d+$", why)
    expect.truthy(result.by:find "^stopper %d+$")
    expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
    expect.equal("SUCCESS", (other:go_to { x = 0.1 }))
  end))

  it("is over when the program says so, which has been told of it", pair(function(robot, other)
    stream(robot)
    expect.equal(nil, robot:stopped())
    local told
    robot:on_stopped(function(by) told = by end)
    other:stop()
    other:stop()
    rt.sleep(0.1)
    expect.truthy(told.by:find "^stopper %d+$")
    expect.truthy(math.abs(rt.now() - robot:stopped().since) < 2)
    expect.equal(true, robot:resume())
    expect.equal(nil, robot:stopped())
    expect.equal("SUCCESS", (stream(robot)))
    local ok, message, code = robot:resume()
    expect.equal(nil, ok)
    expect.equal("ENONE", code)
    expect.truthy(message:find "^no stop holds this client", message)
    expect.equal("ENONE", (select(3, other:resume())))
    expect.equal("ENONE", (select(3, other:resume { all = true })))
  end))

  it("is not over for a program that has not been told of the newest one", pair(function(robot, other)
    stream(robot)
    other:stop()
    rt.sleep(0.1)
    local ok, message, code = robot:resume()
    expect.equal(nil, ok)
    expect.truthy(message:find "^stopper %d+ has stopped the robot$", message)
    expect.equal("ESTOPPED", code)
    other:stop()
    rt.sleep(0.1)
    expect.equal("ESTOPPED", (select(3, robot:resume())))
    expect.equal(true, robot:resume())
  end))

  it("is over for all by the stopper, and by who operates", pair(function(robot, other)
    local third <close> = rt.connect("local:pioneer2", { name = "third", apart = true, role = "drive" })
    stream(robot)
    other:stop()
    local rows = third:latches()
    expect.equal(1, #rows)
    expect.truthy(rows[1].name:find "^streamer" and rows[1].by:find "^stopper")
    expect.truthy(rows[1].connected and not rows[1].own)
    expect.equal("EROLE", (select(3, third:resume { all = true })))
    expect.equal(true, other:resume { all = true })
    rt.sleep(0.1)
    expect.equal("SUCCESS", (stream(robot)))
    third:stop()
    expect.equal(true, other:resume { client = rows[1].client })
    rt.sleep(0.1)
    expect.equal("SUCCESS", (stream(robot)))
  end))

  it("ends no program of the same client, and is no stop of one's own motion", pair(function(robot, other)
    stream(robot)
    local session <close> = robot:session()
    session:stop()
    rt.sleep(0.1)
    expect.equal("SUCCESS", (stream(robot)))
    other:stop { own = true }
    other:stop "base"
    expect.equal("SUCCESS", (stream(robot)))
  end))

  it("is none of the library's own at the end of a task", pair(function(robot, other)
    stream(robot)
    rt.sleep(0.1)
    rt.spawn(function()
      other:set_joint_speed("head", { pan = 0.1 })
      error "oops"
    end):wait()
    expect.equal("SUCCESS", (stream(robot)))
  end))

  it("is none at the end of a task that has lost the base to another client", pair(function(robot, other)
    local task = rt.spawn(function()
      stream(robot)
      rt.sleep(100)
    end)
    rt.sleep(0.5)
    other:stop "base"
    rt.sleep(7)
    stream(other)
    task:cancel()
    local from = robot:state().x
    rt.sleep(1)
    expect.truthy(robot:state().x > from + 0.1)
  end))

  it("ends a tree, and nothing is tried again", pair(function(robot, other)
    local runs = 0
    local function go()
      runs = runs + 1
      return robot:go_to { x = robot:state().x + 1 }
    end
    local node = tree.retry { pause = 0.1, tree.fallback { tree.invert { tree.succeed { go } }, go } }
    local task = rt.spawn(function() return node:run() end)
    rt.sleep(1)
    other:stop()
    local _, ok, why = task:wait()
    expect.equal(false, ok)
    expect.truthy(why:find "stopped by stopper %d+$", why)
    expect.equal(1, runs)
  end))

  it("ends a tree whose leaf has waited for a task, or has cleaned up since", pair(function(robot, other)
    local function go() return (robot:go_to { x = robot:state().x + 1 }) end
    local leaves = {
      function() return (select(2, rt.spawn(go):wait())) == "SUCCESS" end,
      function()
        local _, signal = rt.all(go, go)
        return signal == "SUCCESS"
      end,
      function()
        local signal = go()
        robot:stop { own = true }
        return signal == "SUCCESS"
      end }
    for i, leaf in ipairs(leaves) do
      local task = rt.spawn(function() return tree.retry { pause = 0.1, leaf }:run() end)
      rt.sleep(1)
      other:stop()
      rt.sleep(1)
      expect.equal("done", task:status(), i)
      task:cancel()
      other:resume { all = true }
      rt.sleep(0.1)
    end
  end))

  it("may be waited for by a tree", pair(function(robot, other)
    local node = tree.retry { on_stop = "wait", function() return robot:go_to { x = 0.5 } end }
    local task = rt.spawn(function() return node:run() end)
    rt.sleep(0.5)
    other:stop()
    rt.sleep(3)
    expect.truthy(robot:state().x < 0.4)
    other:resume { all = true }
    expect.equal(true, (select(2, task:wait())))
    expect.near(0.5, robot:state().x, 0.01)
  end))

  it("ends a Golog program whatever its action makes of it, or is waited for", function()
    for i = 1, 4 do pair(function(robot, other)
      local on_stop = i % 2 == 0 and "wait" or "fail"
      local d = golog.domain()
      local far = d:fluent("far", true)
      local function done(word) if word == "SUCCESS" then far:set(false) end end
      local go = d:action("go", i < 3 and { command = function() return "go_to", { x = 1 } end, outcome = done }
        or { sense = function(it) return (it:go_to { x = 1 }) end, effect = done })
      local task = rt.spawn(function()
        return d:run(golog.loop(far, go()), { robot = robot, on_stop = on_stop })
      end)
      rt.sleep(1)
      other:stop()
      rt.sleep(1)
      if on_stop == "wait" then other:resume { all = true } end
      local _, report = task:wait()
      if on_stop == "wait" then
        expect.truthy(report.done, tostring(report))
      else
        expect.equal("INTERRUPTED", report.word)
        expect.truthy(report.why:find "stopped by stopper %d+$", report.why)
        expect.equal(1, report.actions)
      end
    end)() end
  end)

  it("holds the head that a loop of a task moves without a look at results", pair(function(robot, other)
    local task <close> = rt.spawn(function()
      while true do
        robot:set_joint("head", { pan = 0.5 })
        robot:set_joint("head", { pan = -0.5 })
      end
    end)
    rt.sleep(2)
    expect.equal("SUCCESS", (other:stop()))
    local at = robot:state().joints.head.pan
    rt.sleep(30)
    expect.equal(at, robot:state().joints.head.pan)
    expect.equal("waiting", task:status())
  end))
end)
