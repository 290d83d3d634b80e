-- Robots that are behind one another by RCTP, as by a wrong address in a descriptor (docs/network.md).
local rt = require "robotalk"
local double = require "tests.lua.double"

-- fn(robots, links): a ring of robots of these names, each behind the next, and connections to them.
-- late: s that each link takes each way.
local function with_ring(names, fn, late)
  local links <close> = double.links(late)
  local robots = {}
  for i, name in ipairs(names) do robots[i] = double.behind(name, names[i % #names + 1]) end
  rt.sleep(8) -- until the links are there
  fn(robots, links)
  for _, robot in ipairs(robots) do robot:close() end
end

-- How many of them are in panic.
local function panics(robots)
  local n = 0
  for _, robot in ipairs(robots) do n = n + (robot:state().panic and 1 or 0) end
  return n
end

describe("robots behind one another", function()
  for _, names in ipairs { { "a", "b" }, { "a", "b", "c" } } do
    local n = #names
    it(("come to rest after a panic, and each is reset: %d of them"):format(n), function()
      with_ring(names, function(robots, links)
        robots[1]:panic()
        rt.sleep(1)
        expect.equal(panics(robots), n)
        local count = robots[1]:state().epoch
        rt.sleep(1)
        expect.equal(robots[1]:state().epoch, count)
        local many = "seems to be behind this one, too, or somebody says many (rctp+local:"
        expect.truthy(links.said():find(many, 1, true))
        for _, robot in ipairs(robots) do robot:reset() end
        rt.sleep(1)
        expect.equal(panics(robots), 0)
        robots[1]:panic() -- the links that were given up come back for it, and are given up again
        rt.sleep(1)
        expect.equal(panics(robots), n)
        count = robots[1]:state().epoch
        rt.sleep(5)
        expect.equal(robots[1]:state().epoch, count)
        for _, robot in ipairs(robots) do robot:reset() end
        rt.sleep(1)
        expect.equal(panics(robots), 0)
        rt.sleep(61) -- until they look for each other again
        expect.equal(panics(robots), 0)
        expect.truthy(links.said():find("connected again", 1, true))
      end)
    end)
  end

  it("are found also by links that take 20 ms each way", function()
    with_ring({ "a", "b" }, function(robots, links)
      robots[1]:panic()
      rt.sleep(5) -- 100 rounds of 40 ms, and some more
      local count = robots[1]:state().epoch
      rt.sleep(2)
      expect.equal(robots[1]:state().epoch, count)
      expect.truthy(links.said():find("100 panics without a pause of 1 s", 1, true))
      for _, robot in ipairs(robots) do robot:reset() end
      rt.sleep(1)
      expect.equal(panics(robots), 0)
    end, 0.02)
  end)
end)

describe("a link that was cut by somebody who says many panics", function()
  it("comes back for a panic that is given here, which is said at once", function()
    double.with(function(far, real, links)
      rt.sleep(0.5)
      for _ = 1, 110 do
        real:panic()
        rt.sleep(0.002)
      end
      expect.truthy(links.said():find("somebody says many", 1, true))
      real:reset()
      far:reset()
      rt.sleep(5)
      expect.equal((real:set_speed { x = 0.1 }), "SUCCESS") -- another drives there
      expect.equal(links.said():find("connected again", 1, true), nil)
      far:panic()
      rt.sleep(0.1)
      expect.truthy(real:state().panic)
      expect.truthy(links.said():find("connected again", 1, true))
      far:reset()
      rt.sleep(0.1)
      expect.equal(real:state().panic, false)
    end)
  end)
end)

describe("a robot that panics often, but not without end,", function()
  it("keeps its link", function()
    double.with(function(far, real)
      for _ = 1, 20 do
        real:panic()
        rt.sleep(0.05)
        real:reset()
        far:panic()
        rt.sleep(0.05)
        far:reset()
      end
      rt.sleep(0.5)
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
    end)
  end)
end)
