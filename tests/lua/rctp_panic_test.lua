-- Panics and resets of a robot behind RCTP, here and there (spec/rctp.md).
local rt = require "robotalk"
local double = require "tests.lua.double"
local drivers = require "robotalk.drivers"
local reset_here = require "tests.lua.reset_here"

local WAYS = { "", "?stamp=4" } -- without stamps and with

describe("a reset of a robot behind RCTP", function()
  it("goes out at once, without a command", function()
    double.with(function(far, real)
      for _ = 1, 2 do -- the second panic is sent, too
        far:panic()
        rt.sleep(0.1)
        expect.equal(real:state().panic, true)
        far:reset()
        rt.sleep(0.1)
        expect.equal(double.panics(far, real), "here free, there free")
      end
    end)
  end)

  it("leaves a robot to which one can connect again", function()
    assert(rt.add_robot "pioneer2")
    do
      local far <close> = rt.connect "rctp+local:pioneer2"
      far:panic()
      rt.sleep(0.1)
      reset_here(far)
    end
    do
      local again <close> = rt.connect "rctp+local:pioneer2"
      expect.equal((again:set_speed { x = 0.1 }), "SUCCESS")
    end
    drivers.remove "pioneer2"
  end)

  for _, name in ipairs { "pioneer2", "asimo" } do
    for _, way in ipairs(WAYS) do
      it(("just behind a panic lets the next command of %s begin: %s"):format(name, way), function()
        double.with(function(far, real)
          for _ = 1, 3 do
            far:panic()
            reset_here(far)
            local word
            local stop = rt.spawn(function() word = far:stop() end)
            expect.truthy(stop:wait(5))
            expect.equal(word, "SUCCESS")
            far:panic()
            rt.sleep(0)
            reset_here(far)
            expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
            rt.sleep(0.2)
            expect.equal(double.panics(far, real), "here free, there free")
          end
        end, { robot = name, options = way })
      end)
    end
  end

  it("that the one there does not take is none here", function()
    double.with(function(far, real)
      far:panic()
      rt.sleep(0.1)
      real:reset()
      rt.sleep(0.1)
      reset_here(far)
      real:panic() -- before that reset is there
      rt.sleep(0.2)
      expect.equal(double.panics(far, real), "here panic, there panic")
      far:reset()
      rt.sleep(0.1)
      expect.equal(double.panics(far, real), "here free, there free")
    end)
  end)
end)

describe("a panic of the robot behind RCTP", function()
  for _, way in ipairs(WAYS) do
    it("ends commands that are under way, and those that come before it is heard: " .. way, function()
      double.with(function(far, real)
        local words = {}
        local drive = rt.spawn(function() words[1] = far:go_to { x = 3 } end)
        local look = rt.spawn(function() words[2] = far:set_joint("head", { pan = 1.5 }) end)
        rt.sleep(0.2)
        real:panic()
        words[3] = far:set_joint("head", { tilt = 0.1 }) -- nobody here knows of it yet
        drive:wait(1)
        look:wait(1)
        expect.equal(table.concat(words, " "), "PANIC PANIC PANIC")
        rt.sleep(0.1)
        expect.equal(far:state().panic, true)
        far:reset()
        expect.equal((far:home()), "SUCCESS")
        expect.equal(real:state().panic, false)
      end, { options = way })
    end)
  end
end)

describe("a panic behind RCTP while the link is lost and found", function()
  it("is said there when it is back, and ends with a reset at once", function()
    double.with(function(far, real, links)
      links.cut()
      rt.sleep(0.1)
      far:panic()
      while not real:state().panic do rt.sleep(0.01) end
      rt.sleep(0.03)
      far:reset()
      rt.sleep(1)
      expect.equal(double.panics(far, real), "here free, there free")
    end)
  end)

  it("which was told just before it was lost is one here when it is back", function()
    double.with(function(far, real, links)
      real:panic()
      rt.sleep(0.05)
      links.cut()
      rt.sleep(3)
      expect.equal(far:state().panic, true)
      far:reset()
      rt.sleep(1)
      expect.equal(real:state().panic, false)
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
    end)
  end)
end)

describe("a panic of a robot that was described anew before its link came back", function()
  it("is one there, too", function()
    local links <close> = double.links()
    assert(rt.add_robot "pioneer2")
    local here, d = double.behind("here", "pioneer2")
    local _ <close> = here
    local real <close> = rt.connect "local:pioneer2"
    rt.sleep(0.2)
    links.away(true)
    rt.sleep(0.2)
    here:panic()
    d.drivers.body.rate = 30
    assert(here:reload(d))
    rt.sleep(0.2)
    links.away(false)
    rt.sleep(3)
    expect.equal(double.panics(here, real), "here panic, there panic")
    here:reset()
    rt.sleep(1)
    expect.equal(real:state().panic, false)
    expect.equal((here:set_speed { x = 0.1 }), "SUCCESS")
  end)
end)

describe("two commands behind RCTP", function()
  for _, way in ipairs(WAYS) do
    it("of words end each by its own status: " .. way, function()
      double.with(function(far)
        local words = {}
        expect.equal((far:set_joint("head", { pan = 1.5 })), "SUCCESS")
        local drive = rt.spawn(function() words.go_to = far:go_to { x = 2 } end)
        rt.sleep(0.1)
        local stop = rt.spawn(function() words.stop = far:stop() end)
        drive:wait(5)
        stop:wait(5)
        expect.equal(words.go_to .. " " .. words.stop, "INTERRUPTED SUCCESS")
      end, { options = way })
    end)
  end

  it("of words that are under way together end each at its own time", function()
    double.with(function(far, real)
      expect.equal((far:set_joint("head", { pan = 1 })), "SUCCESS")
      local drive = far:begin("go_to", { x = 2 })
      expect.equal((far:home()), "SUCCESS")
      expect.near(real:state().joints.head.pan, 0, 1e-2)
      expect.truthy(real:state().x < 1.5)
      expect.equal((drive:wait()), "SUCCESS")
      expect.near(real:state().x, 2, 0.05)
    end)
  end)

  for _, way in ipairs { "", "?stamp=4", "?mask", "?mask&stamp=4" } do
    it("on two dofs of a joint both reach their places: " .. way, function()
      double.with(function(far, real)
        local words = {}
        local pan = rt.spawn(function() words.pan = far:set_joint("head", { pan = 1.2 }) end)
        rt.sleep(0.05)
        local tilt = rt.spawn(function() words.tilt = far:set_joint("head", { tilt = 0.1 }) end)
        pan:wait(5)
        tilt:wait(5)
        expect.equal(words.pan .. " " .. words.tilt, "SUCCESS SUCCESS")
        expect.near(real:state().joints.head.pan, 1.2, 1e-2)
        expect.near(real:state().joints.head.tilt, 0.1, 1e-2)
      end, { options = way })
    end)
  end

  it("of which the first was refused leave its dof where it was", function()
    double.with(function(far, real)
      expect.equal((far:set_joint("head", { pan = 9 })), "MODIFIED") -- as far as it can
      expect.equal((far:set_joint("head", { tilt = 0.1 })), "SUCCESS") -- and that is not asked for again
      local pan = real:state().joints.head.pan
      far:panic()
      rt.sleep(0.1)
      expect.equal((far:set_joint("head", { pan = 0 })), "PANIC")
      far:reset()
      expect.equal((far:set_joint("head", { tilt = 0 })), "SUCCESS")
      expect.near(real:state().joints.head.pan, pan, 1e-2)
    end)
  end)
end)
