-- Panics here and behind RCTP that come together, and resets that were made before word of them: none is ended by
-- somebody who cannot have heard of it (spec/rctp.md).
local rt = require "robotalk"
local double = require "tests.lua.double"
local drivers = require "robotalk.drivers"
local reset_here = require "tests.lua.reset_here"

-- What there is half a second later.
local function expect_soon(far, real, panics)
  rt.sleep(0.5)
  expect.equal(double.panics(far, real), panics)
end

-- How many panics a robot has had, as its clients are told: a reset that knows of fewer is too old.
local function count(robot) return robot:state().epoch end

describe("a panic that was given here", function()
  for _, pause in ipairs { 0, 0.02, 0.09, 0.2 } do
    it(("%g s after one there outlasts its reset there"):format(pause), function()
      double.with(function(far, real)
        real:panic()
        rt.sleep(pause)
        far:panic()
        rt.sleep(0.5)
        real:reset()
        rt.sleep(0.5)
        expect.truthy(far:state().panic)
        far:reset()
        expect_soon(far, real, "here free, there free")
        expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
      end)
    end)
  end

  it("and reset here keeps no later one there from ending with its reset there", function()
    double.with(function(far, real)
      far:panic()
      rt.sleep(0.5)
      far:reset()
      rt.sleep(0.5)
      real:panic()
      expect_soon(far, real, "here panic, there panic")
      real:reset()
      expect_soon(far, real, "here free, there free")
    end)
  end)

  it("and reset before its number is told is over there, too", function()
    double.with(function(far, real)
      far:panic()
      reset_here(far)
      expect_soon(far, real, "here free, there free")
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
    end, { late = 0.02 })
  end)

  it("beside one there while the link was lost outlasts its reset there", function()
    double.with(function(far, real, links)
      links.away(true)
      rt.sleep(0.1)
      far:panic()
      real:panic()
      rt.sleep(0.1)
      links.away(false)
      rt.sleep(3)
      real:reset()
      rt.sleep(0.5)
      expect.truthy(far:state().panic)
      far:reset()
      expect_soon(far, real, "here free, there free")
    end)
  end)

  for _, case in ipairs {
    { "while the link was lost is said when it is back", true, 1 },
    { "before the link was lost is not said again", false, 0 },
  } do
    it(case[1] .. " to a robot that is in panic", function()
      double.with(function(far, real, links)
        real:panic()
        rt.sleep(0.3)
        if not case[2] then far:panic() end
        rt.sleep(0.3)
        links.away(true)
        rt.sleep(0.1)
        if case[2] then far:panic() end
        local before = count(real)
        links.away(false)
        rt.sleep(3)
        expect.equal(count(real), before + case[3])
        far:reset()
        expect_soon(far, real, "here free, there free")
      end)
    end)
  end

  for _, case in ipairs {
    { "", function() end },
    { " that is in panic, too", function(real) real:panic() end },
  } do
    it("before there was a connection is said, once, to a robot there" .. case[1], function()
      double.with(function(_, real, links)
        links.away(true)
        local here <close> = double.behind("here", "pioneer2")
        rt.sleep(0.1)
        here:panic()
        case[2](real)
        rt.sleep(0.1)
        local before = count(real)
        links.away(false)
        rt.sleep(3)
        expect.equal(count(real), before + 1)
        here:stop()
        expect.equal(double.panics(here, real), "here panic, there panic")
        here:reset()
        expect_soon(here, real, "here free, there free")
      end)
    end)
  end

  it("and was reset before one there was heard leaves that to its reset there", function()
    double.with(function(far, real)
      far:panic()
      rt.sleep(0.5)
      real:panic()
      far:reset()
      expect_soon(far, real, "here panic, there panic")
      real:reset()
      expect_soon(far, real, "here free, there free")
    end)
  end)

  it("and reset there is not said again when this program gives the robot back", function()
    double.with(function(far, real)
      far:panic()
      rt.sleep(0.5)
      real:reset()
      rt.sleep(0.5)
      expect.truthy(far:release())
      expect_soon(far, real, "here panic, there free")
    end)
  end)

  it("in the instant of a reset there is not ended by it", function()
    double.with(function(far, real)
      real:panic()
      rt.sleep(0.5)
      real:reset()
      far:panic()
      expect_soon(far, real, "here panic, there panic")
    end)
  end)

  it("stays one when this robot is described anew", function()
    double.with(function(_, real)
      local here, d = double.behind("here", "pioneer2")
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
    double.with(function(far, real)
      real:panic()
      rt.sleep(0.5)
      expect.equal(told(far), "true")
      expect.equal(double.panics(far, real), "here free, there free")
      expect.equal(told(far), "true") -- there is none to end
    end, { late = 0.1 })
  end)

  it("is refused after another panic there, which is one here", function()
    double.with(function(far, real)
      real:panic()
      rt.sleep(0.5)
      real:panic() -- of which nothing is known here yet
      expect.equal(told(far), "EPANIC, there was another panic meanwhile")
      expect_soon(far, real, "here panic, there panic")
      expect.equal(told(far), "true")
    end, { late = 0.1 })
  end)

  it("waits for no link that is lost, before or meanwhile", function()
    double.with(function(far, real, links)
      real:panic()
      rt.sleep(0.5)
      local word
      local waits = rt.spawn(function() word = told(far) end)
      rt.sleep(0.05)
      links.away(true)
      rt.sleep(0.5)
      expect.truthy(waits:wait(0.1))
      expect.equal(word, "ELINK, the link to the robot there is lost")
      far:panic()
      local before = rt.now()
      expect.equal(told(far), "ELINK, the link to the robot there is lost")
      expect.truthy(rt.now() - before < 0.2)
    end, { late = 0.1 })
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
    double.with(function(far, real)
      local way = far:begin("go_to", { x = 5 })
      rt.sleep(0.3)
      real:panic()
      expect.equal((way:wait()), "PANIC")
      expect.truthy(far:state().panic)
      far:reset()
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
      expect.equal(double.panics(far, real), "here free, there free")
    end)
  end)

  it("after a reset here that had not been heard lasts", function()
    double.with(function(far, real)
      real:panic()
      rt.sleep(0.5)
      reset_here(far)
      real:panic()
      expect_soon(far, real, "here panic, there panic")
      far:reset()
      expect_soon(far, real, "here free, there free")
    end)
  end)

  for _, pause in ipairs { 0.005, 0.03 } do
    it(("%g s after a reset on its way can be reset, too"):format(pause), function()
      double.with(function(far, real)
        real:panic()
        rt.sleep(0.5)
        reset_here(far)
        rt.sleep(pause)
        real:panic()
        rt.sleep(1)
        expect.equal(double.panics(far, real), "here panic, there panic")
        far:reset()
        rt.sleep(1)
        expect.equal(double.panics(far, real), "here free, there free")
      end, { late = 0.02 })
    end)
  end

  it("while another one lasts is a new one here", function()
    double.with(function(far, real)
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
      double.with(function(far, real, links)
        real:panic()
        rt.sleep(0.5)
        local before = count(far)
        links.away(true)
        rt.sleep(0.2)
        case[2](far, real)
        links.away(false)
        rt.sleep(3)
        expect.equal(double.panics(far, real), "here panic, there panic")
        expect.equal(count(far), before + case[3])
        far:reset()
        expect_soon(far, real, "here free, there free")
      end)
    end)
  end

  for _, is in ipairs { "panic", "free" } do
    it("lasts here for who only watches, as there, when a lost link is back: " .. is, function()
      double.with(function(far, real, links)
        real:panic()
        rt.sleep(0.5)
        links.away(true)
        rt.sleep(0.2)
        if is == "free" then real:reset() end
        links.away(false)
        rt.sleep(3)
        expect.equal(double.panics(far, real), ("here %s, there %s"):format(is, is))
      end, { connect = { role = "watch" } })
    end)
  end

  it("that ends with its server is none here", function()
    double.with(function(far, real)
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
    local links <close> = double.links()
    links.away(true)
    local here <close> = double.behind("here", "nobody")
    rt.sleep(0.3)
    expect.equal((select(3, here:take())), "ELINK")
    expect.equal((select(3, here:release())), "ELINK")
  end)
end)
