-- Panics here and behind RCTP that come together, and resets that were made before word of them: none is ended by
-- somebody who cannot have heard of it (spec/rctp.md).
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local late_link = require "tests.lua.late"
local rctp = require "robotalk.rctp"
local reset_here = require "tests.lua.reset_here"

-- A robot of this process and one here that stands for it: fn(far, real, away). away(true) cuts the link and lets none
-- come back before away(false). late: s that the link takes each way; options: of rt.connect.
local function with_far(fn, late, options)
  local dial, log, newest, gone = rctp.dial, core.log, nil, false
  rctp.dial = function(...)
    if gone then return nil, "the network is unreachable", "EADDRESS" end
    local client, message, code = dial(...)
    newest = client and late and late_link(client, late) or client
    return newest, message, code
  end
  core.log = function() end
  local _ <close> = setmetatable({}, { __close = function()
    rctp.dial, core.log = dial, log
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
    if late then rt.sleep(1) end -- what is on its way arrives
  end })
  assert(rt.add_robot "pioneer2")
  local far <close> = rt.connect("rctp+local:pioneer2", options)
  local real <close> = rt.connect "local:pioneer2"
  fn(far, real, function(is)
    gone = is
    if is then newest.port:close() end
  end)
end

-- A robot of that name behind "pioneer2", by its driver in a descriptor: a connection to it, and its descriptor.
local function behind(name)
  local d = assert(descriptor.load "pioneer2")
  for _, joint in pairs(d.joints) do joint.driver = "body" end
  d.name, d.base.driver, d.drivers = name, "body", { body = { script = "rctp", url = "rctp+local:pioneer2" } }
  d.sensors, d.cameras, d.widgets = nil, nil, nil
  assert(rt.add_robot(d))
  return rt.connect("local:" .. name), d
end

local function both(far, real)
  return ("here %s, there %s"):format(far:state().panic and "panic" or "free", real:state().panic and "panic" or "free")
end

-- How many panics a robot has had, as its clients are told: a reset that knows of fewer is too old.
local function count(robot) return robot:state().epoch end

describe("a panic that was given here", function()
  for _, pause in ipairs { 0, 0.02, 0.09, 0.2 } do
    it(("%g s after one there outlasts its reset there"):format(pause), function()
      with_far(function(far, real)
        real:panic()
        rt.sleep(pause)
        far:panic()
        rt.sleep(0.5)
        real:reset()
        rt.sleep(0.5)
        expect.truthy(far:state().panic)
        far:reset()
        rt.sleep(0.5)
        expect.equal(both(far, real), "here free, there free")
        expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
      end)
    end)
  end

  it("and reset here keeps no later one there from ending with its reset there", function()
    with_far(function(far, real)
      far:panic()
      rt.sleep(0.5)
      far:reset()
      rt.sleep(0.5)
      real:panic()
      rt.sleep(0.5)
      expect.equal(both(far, real), "here panic, there panic")
      real:reset()
      rt.sleep(0.5)
      expect.equal(both(far, real), "here free, there free")
    end)
  end)

  it("and reset before its number is told is over there, too", function()
    with_far(function(far, real)
      far:panic()
      reset_here(far)
      rt.sleep(0.5)
      expect.equal(both(far, real), "here free, there free")
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
    end, 0.02)
  end)

  it("beside one there while the link was lost outlasts its reset there", function()
    with_far(function(far, real, away)
      away(true)
      rt.sleep(0.1)
      far:panic()
      real:panic()
      rt.sleep(0.1)
      away(false)
      rt.sleep(3)
      real:reset()
      rt.sleep(0.5)
      expect.truthy(far:state().panic)
      far:reset()
      rt.sleep(0.5)
      expect.equal(both(far, real), "here free, there free")
    end)
  end)

  for _, case in ipairs {
    { "while the link was lost is said when it is back", true, 1 },
    { "before the link was lost is not said again", false, 0 },
  } do
    it(case[1] .. " to a robot that is in panic", function()
      with_far(function(far, real, away)
        real:panic()
        rt.sleep(0.3)
        if not case[2] then far:panic() end
        rt.sleep(0.3)
        away(true)
        rt.sleep(0.1)
        if case[2] then far:panic() end
        local before = count(real)
        away(false)
        rt.sleep(3)
        expect.equal(count(real), before + case[3])
        far:reset()
        rt.sleep(0.5)
        expect.equal(both(far, real), "here free, there free")
      end)
    end)
  end

  for _, case in ipairs {
    { "", function() end },
    { " that is in panic, too", function(real) real:panic() end },
  } do
    it("before there was a connection is said, once, to a robot there" .. case[1], function()
      with_far(function(_, real, away)
        away(true)
        local here <close> = behind "here"
        rt.sleep(0.1)
        here:panic()
        case[2](real)
        rt.sleep(0.1)
        local before = count(real)
        away(false)
        rt.sleep(3)
        expect.equal(count(real), before + 1)
        here:stop()
        expect.equal(both(here, real), "here panic, there panic")
        here:reset()
        rt.sleep(0.5)
        expect.equal(both(here, real), "here free, there free")
      end)
    end)
  end

  it("and was reset before one there was heard leaves that to its reset there", function()
    with_far(function(far, real)
      far:panic()
      rt.sleep(0.5)
      real:panic()
      far:reset()
      rt.sleep(0.5)
      expect.equal(both(far, real), "here panic, there panic")
      real:reset()
      rt.sleep(0.5)
      expect.equal(both(far, real), "here free, there free")
    end)
  end)

  it("and reset there is not said again when this program gives the robot back", function()
    with_far(function(far, real)
      far:panic()
      rt.sleep(0.5)
      real:reset()
      rt.sleep(0.5)
      expect.truthy(far:release())
      rt.sleep(0.5)
      expect.equal(both(far, real), "here panic, there free")
    end)
  end)

  it("in the instant of a reset there is not ended by it", function()
    with_far(function(far, real)
      real:panic()
      rt.sleep(0.5)
      real:reset()
      far:panic()
      rt.sleep(0.5)
      expect.equal(both(far, real), "here panic, there panic")
    end)
  end)

  it("stays one when this robot is described anew", function()
    with_far(function(_, real)
      local here, d = behind "here"
      local _ <close> = here
      rt.sleep(0.2)
      here:panic()
      rt.sleep(0.2)
      d.drivers.body.rate = 30
      assert(here:reload(d))
      rt.sleep(1)
      real:reset()
      rt.sleep(1)
      expect.truthy(here:state().panic)
    end)
  end)
end)

describe("a reset of a robot behind RCTP", function()
  -- What far:reset() returns, as one text.
  local function told(far)
    local ok, message, code = far:reset()
    return ok and "true" or ("%s, %s"):format(code, message)
  end

  it("is told when the one there is free", function()
    with_far(function(far, real)
      real:panic()
      rt.sleep(0.5)
      expect.equal(told(far), "true")
      expect.equal(both(far, real), "here free, there free")
      expect.equal(told(far), "true") -- there is none to end
    end, 0.1)
  end)

  it("is refused after another panic there, which is one here", function()
    with_far(function(far, real)
      real:panic()
      rt.sleep(0.5)
      real:panic() -- of which nothing is known here yet
      expect.equal(told(far), "EPANIC, there was another panic meanwhile")
      rt.sleep(0.5)
      expect.equal(both(far, real), "here panic, there panic")
      expect.equal(told(far), "true")
    end, 0.1)
  end)

  it("waits for no link that is lost, before or meanwhile", function()
    with_far(function(far, real, away)
      real:panic()
      rt.sleep(0.5)
      local word
      local waits = rt.spawn(function() word = told(far) end)
      rt.sleep(0.05)
      away(true)
      rt.sleep(0.5)
      expect.truthy(waits:wait(0.1))
      expect.equal(word, "ELINK, the link to the robot there is lost")
      far:panic()
      local before = rt.now()
      expect.equal(told(far), "ELINK, the link to the robot there is lost")
      expect.truthy(rt.now() - before < 0.2)
    end, 0.1)
  end)
end)

describe("a panic that is the last word of a script", function()
  it("is one there", function()
    assert(rt.add_robot "pioneer2")
    do
      local real <close> = rt.connect "local:pioneer2"
      do
        local far <close> = rt.connect "rctp+local:pioneer2"
        far:panic()
      end
      rt.sleep(0.1)
      expect.truthy(real:state().panic)
    end
    drivers.remove "pioneer2"
  end)
end)

describe("a panic there", function()
  it("is one here as soon as it is told", function()
    with_far(function(far, real)
      local way = far:begin("go_to", { x = 5 })
      rt.sleep(0.3)
      real:panic()
      expect.equal((way:wait()), "PANIC")
      expect.truthy(far:state().panic)
      far:reset()
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
      expect.equal(both(far, real), "here free, there free")
    end)
  end)

  it("after a reset here that had not been heard lasts", function()
    with_far(function(far, real)
      real:panic()
      rt.sleep(0.5)
      reset_here(far)
      real:panic()
      rt.sleep(0.5)
      expect.equal(both(far, real), "here panic, there panic")
      far:reset()
      rt.sleep(0.5)
      expect.equal(both(far, real), "here free, there free")
    end)
  end)

  for _, pause in ipairs { 0.005, 0.03 } do
    it(("%g s after a reset on its way can be reset, too"):format(pause), function()
      with_far(function(far, real)
        real:panic()
        rt.sleep(0.5)
        reset_here(far)
        rt.sleep(pause)
        real:panic()
        rt.sleep(1)
        expect.equal(both(far, real), "here panic, there panic")
        far:reset()
        rt.sleep(1)
        expect.equal(both(far, real), "here free, there free")
      end, 0.02)
    end)
  end

  it("while another one lasts is a new one here", function()
    with_far(function(far, real)
      real:panic()
      rt.sleep(0.5)
      local before = count(far)
      real:panic()
      rt.sleep(0.5)
      expect.equal(count(far), before + 1)
    end)
  end)

  for _, case in ipairs {
    { "that lasts is the same one here by another connection", function() end, 0 },
    { "that lasts is a new one here when it was reset while the link was lost", function(far) far:reset() end, 1 },
    { "while the link is lost is a new one here", function(_, real) real:panic() end, 1 },
  } do
    it(case[1], function()
      with_far(function(far, real, away)
        real:panic()
        rt.sleep(0.5)
        local before = count(far)
        away(true)
        rt.sleep(0.2)
        case[2](far, real)
        away(false)
        rt.sleep(3)
        expect.equal(both(far, real), "here panic, there panic")
        expect.equal(count(far), before + case[3])
        far:reset()
        rt.sleep(0.5)
        expect.equal(both(far, real), "here free, there free")
      end)
    end)
  end

  for _, is in ipairs { "panic", "free" } do
    it("lasts here for who only watches, as there, when a lost link is back: " .. is, function()
      with_far(function(far, real, away)
        real:panic()
        rt.sleep(0.5)
        away(true)
        rt.sleep(0.2)
        if is == "free" then real:reset() end
        away(false)
        rt.sleep(3)
        expect.equal(both(far, real), ("here %s, there %s"):format(is, is))
      end, nil, { role = "watch" })
    end)
  end

  it("that ends with its server is none here", function()
    with_far(function(far, real)
      real:panic()
      rt.sleep(0)
      drivers.remove "pioneer2"
      rt.sleep(0.5)
      expect.equal(far:state().panic, false)
    end)
  end)
end)

describe("who takes or gives a robot that has never had a connection", function()
  it("is told that there is none", function()
    local dial, log = rctp.dial, core.log
    rctp.dial = function() return nil, "the network is unreachable", "EADDRESS" end
    core.log = function() end
    local _ <close> = setmetatable({}, { __close = function() rctp.dial, core.log = dial, log end })
    local d = assert(descriptor.load "pioneer2")
    for _, joint in pairs(d.joints) do joint.driver = "body" end
    d.name, d.base.driver, d.drivers = "here", "body", { body = { script = "rctp", url = "rctp+local:nobody" } }
    d.sensors, d.cameras, d.widgets = nil, nil, nil
    assert(rt.add_robot(d))
    do
      local here <close> = rt.connect "local:here"
      rt.sleep(0.3)
      expect.equal((select(3, here:take())), "ELINK")
      expect.equal((select(3, here:release())), "ELINK")
    end
    drivers.remove "here"
  end)
end)
