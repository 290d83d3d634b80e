-- The life of a connection to a robot behind RCTP: who controls it, how it is lost, and how it comes back. Within this
-- process, in simulated time.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local rctp = require "robotalk.rctp"

local URL <const> = "rctp+local:pioneer2"

-- Notices of a robot, in the order in which they come.
local function listen(robot)
  local heard = {}
  robot:on_notice(function(op) heard[#heard + 1] = op end)
  return heard
end

-- Runs fn without its log, which it returns.
local function quiet(fn)
  local log, said = core.log, ""
  core.log = function(text) said = said .. text end
  local ok, why = pcall(fn)
  core.log = log
  if not ok then error(why, 0) end
  return said
end

local function word_of(robot, speed)
  local word, why, result = robot:set_speed { x = speed or 0.1 }
  return word, result and result.reason, result and result.holder, why
end

describe("a link to a robot behind RCTP", function()
  before_each(function() assert(rt.add_robot "pioneer2") end)
  after_each(function()
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
  end)

  it("is lost with its server, and comes back with it", function()
    local far <close> = rt.connect(URL)
    expect.equal("SUCCESS", (word_of(far, 0.2)))
    local moves = far:begin("go_to", { x = 5 })
    rt.sleep(0.5)
    local said = quiet(function()
      drivers.remove "pioneer2"
      rt.sleep(3)
    end)
    expect.truthy(moves:wait() ~= "SUCCESS")
    local word, reason = word_of(far)
    expect.equal("ERROR link", word .. " " .. reason)
    expect.truthy(said:find("pioneer2_2: rctp: gone: the robot was removed", 1, true))
    -- what keeps it away is said once, however often it is tried
    local _, times = said:gsub("there is no such robot", "")
    expect.equal(1, times)
    assert(rt.add_robot "pioneer2")
    said = quiet(function() rt.sleep(5.1) end)
    expect.truthy(said:find "pioneer2_2: rctp: connected again after %d%.%d s", said)
    expect.equal("SUCCESS", (word_of(far, 0.2)))
    local real <close> = rt.connect "local:pioneer2"
    rt.sleep(0.5)
    expect.truthy(real:state().twist[1] > 0.1)
  end)

  it("sends nothing old when it comes back", function()
    local far <close> = rt.connect(URL)
    expect.equal("SUCCESS", (far:set_joint("head", { pan = 0.5 })))
    far:set_speed { x = 0.3 }
    quiet(function()
      drivers.remove "pioneer2"
      assert(rt.add_robot "pioneer2")
      rt.sleep(6)
    end)
    local real <close> = rt.connect "local:pioneer2"
    expect.near(0, real:state().x, 1e-9)
    expect.equal("SUCCESS", (far:set_joint("head", { tilt = 0.1 })))
    expect.near(0, real:state().joints.head.pan, 1e-6) -- as it is, not as it was commanded before
  end)

  it("stays lost when the robot there has become another one, and says so", function()
    local far <close> = rt.connect(URL)
    local said = quiet(function()
      drivers.remove "pioneer2"
      local d = assert(descriptor.load "pioneer2")
      for _, joint in pairs(d.joints) do if joint.name == "head" then joint.dofs[2] = nil end end
      d.widgets = nil
      assert(rt.add_robot(d))
      rt.sleep(10)
    end)
    expect.truthy(said:find("the robot there has other objects than before: head: control f stamp=0 mask=false, was "
      .. "control ff", 1, true) or said:find("head: it has 1 parameters: expected 2", 1, true), said)
    local word, reason = word_of(far)
    expect.equal("ERROR link", word .. " " .. reason)
  end)

  it("answers who asks for the robot there while it is lost", function()
    local far <close> = rt.connect(URL)
    local other <close> = rt.connect(URL)
    quiet(function()
      local answers = {}
      local taking <close> = rt.spawn(function() answers.take = { other:take() } end)
      local giving <close> = rt.spawn(function() answers.release = { far:release() } end)
      drivers.remove "pioneer2"
      rt.sleep(1)
      expect.truthy(answers.take[2]:find("there is no such robot", 1, true))
      expect.equal("ENONE", answers.release[3])
      expect.equal("ELINK", (select(3, other:take(nil, { timeout = 1 }))))
      expect.equal("done done", taking:status() .. " " .. giving:status())
    end)
  end)

  it("drives as soon as it is told that the robot there is free", function()
    local far <close> = rt.connect(URL)
    local other <close> = rt.connect(URL)
    expect.equal("SUCCESS", (word_of(far)))
    rt.sleep(1.5)
    expect.equal("BUSY", (word_of(other))) -- the next look would be seconds from now
    assert(far:release())
    rt.sleep(0.1)
    expect.equal("SUCCESS", (other:set_joint("head", { pan = 0 })))
  end)

  it("of who was refused and gives back what it has here stops nobody there", function()
    local far <close> = rt.connect(URL)
    local other <close> = rt.connect "local:pioneer2"
    assert(far:release())
    expect.equal("SUCCESS", (word_of(other, 0.3)))
    local notices = listen(other)
    expect.equal("BUSY", (word_of(far)))
    rt.sleep(1)
    far:release()
    rt.sleep(0.5)
    expect.near(0.3, other:state().twist[1], 1e-6)
    expect.equal(nil, table.concat(notices, " "):match "stopped")
    far:stop() -- but who says so stops
    rt.sleep(1.5)
    expect.equal(0, other:state().twist[1])
  end)

  it("is not looked for again where that is not wanted", function()
    local far <close> = rt.connect(URL, { reconnect = false })
    quiet(function()
      drivers.remove "pioneer2"
      assert(rt.add_robot "pioneer2")
      rt.sleep(10)
    end)
    expect.equal("ERROR", (word_of(far)))
  end)

  it("is lost when nothing comes any more, as from a cable that is pulled", function()
    local far <close> = rt.connect(URL)
    local read, dial = nil, rctp.dial
    rctp.dial = function() return nil, "the network is unreachable", "EADDRESS" end
    local said = quiet(function()
      read = require "robotalk.http".read
      require "robotalk.http".read = function(_, late)
        rt.sleep(late and late - core.now() or 1e6)
        return nil, "no answer in time", "ETIMEOUT"
      end
      rt.sleep(4)
    end)
    require "robotalk.http".read = read
    rctp.dial = dial
    expect.truthy(said:find("pioneer2_2: rctp: no answer in time (rctp+local:pioneer2)", 1, true), said)
    expect.equal("ERROR", (word_of(far)))
    quiet(function() rt.sleep(5.1) end)
    -- the server still thinks that the first connection controls the robot, until its lease is over
    expect.equal("SUCCESS", (word_of(far)))
  end)

  it("watches while another client drives, and drives when that has gone", function()
    local far <close> = rt.connect(URL, { name = "patrol.lua" })
    do
      local other <close> = rt.connect(URL)
      local word, reason, holder, why = word_of(other)
      expect.equal("BUSY lease", word .. " " .. reason)
      expect.truthy(holder:find "^patrol%.lua %d+$", holder)
      expect.truthy(why:find("another client holds the lease of what the command moves: patrol.lua", 1, true), why)
      local holders = assert(other:holders())
      expect.equal(holder, holders[1].holder)
      expect.equal(false, holders[1].own)
      expect.same({ "base", "head" }, holders[1].parts)
      expect.truthy(holders[1].left > 0)
      -- it sees, stops and panics
      expect.equal("SUCCESS", (word_of(far, 0.2)))
      rt.sleep(1)
      expect.truthy(other:state().x > 0.1)
      local _, message, code = other:take()
      expect.equal("ELEASE", code)
      expect.equal(holder .. " has it, and cannot be asked for it by RCTP", message)
      expect.equal("SUCCESS", (other:stop()))
      rt.sleep(0.2)
      expect.equal(false, far:state().moving)
      -- the stop holds what it has stopped, until that one resumes
      expect.equal("INTERRUPTED stopped", ("%s %s"):format(word_of(far, 0.2)))
      expect.truthy(far:stopped().by:find "%d$", far:stopped().by)
      expect.equal(true, far:resume())
      expect.equal(nil, far:stopped())
      expect.equal("SUCCESS", (word_of(far, 0.2)))
      far:close()
      rt.sleep(10)
      expect.equal("SUCCESS", (word_of(other)))
      expect.equal(true, other:holders()[1].own)
    end
  end)

  it("says what keeps it from giving back what it has, and keeps it", function()
    local far <close> = rt.connect(URL)
    local dial = rctp.dial
    rctp.dial = function() return nil, "too many connections", "ELIMIT" end
    local given, message, code = far:release()
    rctp.dial = dial
    expect.equal("nil too many connections ELIMIT", ("%s %s %s"):format(given, message, code))
    expect.equal("SUCCESS", (word_of(far)))
    assert(far:release())
  end)

  it("tells that a goal under way was interrupted by who takes control", function()
    for _, way in ipairs { "", "?stamp=4" } do
      local far <close> = rt.connect(URL .. way)
      local other <close> = rt.connect "local:pioneer2"
      local goal = far:begin("go_to", { x = 20, speed = 0.5 })
      rt.sleep(0.2)
      assert(other:take(nil, { timeout = 10 })) -- nobody keeps it from having that
      local word, _, result = goal:wait()
      expect.equal("INTERRUPTED lease", word .. " " .. result.reason)
    end
  end)

  it("says what keeps it from taking what it gave back", function()
    local far <close> = rt.connect(URL)
    assert(far:release())
    local dial = rctp.dial
    rctp.dial = function() return nil, "too many connections", "ELIMIT" end
    local taken, message, code = far:take()
    rctp.dial = dial
    expect.equal("nil too many connections ELIMIT", ("%s %s %s"):format(taken, message, code))
    assert(far:take())
  end)

  it("says who has what was free when it was looked at just before", function()
    local far <close> = rt.connect(URL)
    assert(far:release())
    expect.equal(0, #far:holders())
    local _ <close> = rt.connect(URL, { name = "patrol.lua" })
    local taken, message, code = far:take()
    expect.equal("nil ELEASE", ("%s %s"):format(taken, code))
    expect.truthy(message:find "^patrol%.lua %d+ has it", message)
  end)

  it("begins anew, whatever became of an earlier robot of its name", function()
    require "robotalk.rctp.robot".told("pioneer2_2", nil, "of before", "ELINK")
    local far <close> = rt.connect(URL)
    expect.equal("SUCCESS", (word_of(far)))
  end)

  it("takes control at once when it is told to, and gives it back", function()
    local far <close> = rt.connect(URL)
    local other <close> = rt.connect(URL)
    expect.equal("BUSY", (word_of(other)))
    assert(far:release())
    assert(other:take())
    expect.equal("SUCCESS", (word_of(other)))
    expect.equal("BUSY", (word_of(far)))
    local taken
    local waits = rt.spawn(function() taken = far:take(nil, { timeout = 20 }) end)
    rt.sleep(2)
    other:close()
    waits:wait(20)
    expect.equal(true, taken)
    expect.equal("SUCCESS", (word_of(far)))
  end)

  it("tells a client that only looks on who drives the robot", function()
    local looks <close> = rt.connect(URL, { role = "watch" })
    expect.same({}, looks:holders())
    do
      local far <close> = rt.connect(URL) -- who comes to a free robot has it, also without a command
      local own = far:holders()
      expect.equal("this program", own[1].holder)
      expect.equal(true, own[1].own)
      expect.same({ "base", "head" }, own[1].parts)
      rt.sleep(1)
      local seen = looks:holders()
      expect.truthy(seen[1].holder:find "^%S.* %d+$", seen[1].holder)
      expect.same({ "base", "head" }, seen[1].parts)
      expect.equal(false, seen[1].own)
    end
    rt.sleep(7)
    expect.same({}, looks:holders())
  end)

  it("tells that another client has taken the robot, as a RoboTalk client is told", function()
    local far <close> = rt.connect(URL)
    local heard = listen(far)
    expect.equal("SUCCESS", (word_of(far, 0.2)))
    local real <close> = rt.connect("local:pioneer2", { name = "anna" })
    assert(real:take()) -- who does not answer for 5 s has given it
    expect.equal("lost stopped", table.concat(heard, " "))
    local word, reason, holder = word_of(far)
    expect.equal("BUSY lease", word .. " " .. reason)
    expect.truthy(holder:find "^anna %d+$", holder)
    expect.equal(holder, far:holders()[1].holder)
    expect.equal("SUCCESS", (far:stop()))
  end)

  it("only watches when it is told to", function()
    local watcher <close> = rt.connect(URL, { role = "watch" })
    local far <close> = rt.connect(URL)
    expect.equal("SUCCESS", (word_of(far, 0.2)))
    rt.sleep(1)
    expect.truthy(watcher:state().x > 0.1)
    local word, reason = word_of(watcher)
    expect.equal("ERROR role", word .. " " .. reason)
    expect.equal("SUCCESS", (watcher:stop()))
    rt.sleep(0.2)
    expect.equal(false, far:state().moving)
  end)

  it("stops nobody when a connection ends that only watched", function()
    for _, role in ipairs { "watch", "operate" } do
      local real = rt.connect("local:pioneer2", { name = "anna" })
      local goes = real:begin("go_to", { x = 1 + real:state().x })
      rt.sleep(0.1)
      local watcher = rt.connect(URL, { role = role })
      expect.equal(true, watcher:state().moving)
      watcher:close()
      expect.equal("SUCCESS", (goes:wait()))
      real:close()
      rt.sleep(6) -- its lease
    end
  end)

  it("stops nobody when a connection ends that another client has taken over", function()
    local far = rt.connect(URL)
    expect.equal("SUCCESS", (word_of(far, 0.2)))
    local real <close> = rt.connect("local:pioneer2", { name = "anna" })
    assert(real:take())
    local goes = real:begin("go_to", { x = 1 + real:state().x })
    rt.sleep(0.1)
    far:close()
    expect.equal("SUCCESS", (goes:wait()))
  end)

  it("halts the robot that others drive by a panic of who only watches", function()
    local real <close> = rt.connect("local:pioneer2", { name = "anna" })
    local goes = real:begin("go_to", { x = 1 })
    rt.sleep(0.1)
    local watcher <close> = rt.connect(URL, { role = "watch" })
    watcher:panic()
    expect.equal("PANIC", (goes:wait()))
    expect.equal(true, real:state().panic)
  end)

  it("is in panic as long as the robot there, also for who only watches", function()
    local real <close> = rt.connect("local:pioneer2", { name = "anna" })
    real:panic()
    for _, role in ipairs { "watch", "drive" } do
      local far <close> = rt.connect(URL, { role = role })
      rt.sleep(0.2)
      expect.equal(true, far:state().panic)
      for _ = 1, 2 do
        real:reset()
        rt.sleep(0.2)
        expect.equal(false, far:state().panic)
        if role == "drive" then expect.equal("SUCCESS", (far:set_speed { x = 0.1 })) end
        real:panic()
        rt.sleep(0.2)
        expect.equal(true, far:state().panic)
      end
    end
    real:reset()
  end)

  it("hears of a panic there that is reset at once, and goes on", function()
    local real <close> = rt.connect("local:pioneer2", { name = "anna" })
    local far <close> = rt.connect(URL)
    for _, pause in ipairs { 0, 0.03, 0.09, 0.11, 0.15 } do
      real:panic()
      rt.sleep(pause)
      real:reset()
      rt.sleep(0.4)
      expect.equal(false, far:state().panic)
      expect.equal("SUCCESS", (far:set_speed { x = 0.1 }))
    end
  end)

  it("says no panic there that was the robot's own, when it comes back", function()
    for _, role in ipairs { "watch", "drive" } do
      local far <close> = rt.connect(URL, { role = role })
      local real = rt.connect "local:pioneer2"
      real:panic()
      rt.sleep(0.3)
      real:close()
      quiet(function()
        drivers.remove "pioneer2"
        rt.sleep(0.1)
        assert(rt.add_robot "pioneer2")
        rt.sleep(6)
      end)
      real = rt.connect "local:pioneer2"
      expect.equal(false, real:state().panic)
      expect.equal(false, far:state().panic)
      real:close()
    end
  end)

  it("stays in a panic of its own, whoever resets the robot there", function()
    local real <close> = rt.connect("local:pioneer2", { name = "anna" })
    local far <close> = rt.connect(URL)
    for _, first in ipairs { false, true } do
      if first then real:panic() end -- and the one here is given in the midst of that one
      rt.sleep(0.2)
      far:panic()
      rt.sleep(0.2)
      real:reset()
      rt.sleep(0.2)
      expect.equal(false, real:state().panic)
      expect.equal(true, far:state().panic)
      assert(far:reset())
      expect.equal("SUCCESS", (far:set_speed { x = 0.1 }))
    end
  end)

  it("finds a robot in panic, and resets it", function()
    local real <close> = rt.connect "local:pioneer2"
    real:panic()
    local far <close> = rt.connect(URL)
    expect.truthy(far:state().panic)
    expect.equal("PANIC", (word_of(far)))
    assert(far:reset())
    expect.equal("SUCCESS", (word_of(far)))
    expect.equal(false, real:state().panic)
  end)

  it("brings a panic along that came while it was lost, and none that is over", function()
    local far <close> = rt.connect(URL)
    for _, over in ipairs { false, true } do
      quiet(function()
        drivers.remove "pioneer2"
        far:panic()
        rt.sleep(0.1)
        if over then expect.equal("ELINK", (select(3, far:reset()))) end -- which is over here
        assert(rt.add_robot "pioneer2")
        rt.sleep(6)
      end)
      local real <close> = rt.connect "local:pioneer2"
      expect.equal(not over, real:state().panic)
      if not over then assert(far:reset()) end
      expect.equal("SUCCESS", (word_of(far)))
      expect.equal(false, real:state().panic)
    end
  end)

  it("takes the end of its server for a lost link, and no panic", function()
    local far <close> = rt.connect(URL)
    quiet(function()
      -- as a server does that ends: it halts its robots, and says that it closes
      local real <close> = rt.connect "local:pioneer2"
      real:panic()
      rt.sleep(0.01)
      drivers.remove "pioneer2"
      rt.sleep(0.3)
    end)
    expect.equal(false, far:state().panic)
    local word, reason = word_of(far)
    expect.equal("ERROR link", word .. " " .. reason)
  end)

  it("leaves nothing when it fails or is closed, a hundred times", function()
    local first <close> = rt.connect(URL)
    for i = 1, 100 do
      if i % 2 == 0 then
        local robot <close> = rt.connect(URL)
        expect.equal("pioneer2_3", robot:describe().name)
      else
        expect.equal(nil, (rt.try_connect("rctp+local:nobody")))
        local waits = rt.spawn(function() rt.connect(URL) end)
        rt.sleep(0)
        waits:cancel()
        rt.sleep(0.1)
      end
      expect.equal(2, #core.robots())
    end
    rt.sleep(0.2) -- the last that was closed has stopped the robot: what comes right behind that is refused
    expect.equal("SUCCESS", (word_of(first)))
  end)
end)
