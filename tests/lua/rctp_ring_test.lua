-- Robots that are behind one another by RCTP, as by a wrong address in a descriptor (docs/network.md).
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local late_link = require "tests.lua.late"
local rctp = require "robotalk.rctp"

-- A Pioneer 2 of that name behind another robot of this process.
local function behind(name, other)
  local d = assert(descriptor.load "pioneer2")
  for _, joint in pairs(d.joints) do joint.driver = "body" end
  d.name, d.base.driver = name, "body"
  d.drivers = { body = { script = "rctp", url = "rctp+local:" .. other } }
  d.sensors, d.cameras, d.widgets = nil, nil, nil
  return assert(rt.add_robot(d))
end

-- fn(robots): a ring of robots of these names, each behind the next, and connections to them; what the log says.
-- late: s that each link takes each way.
local function with_ring(names, fn, late)
  local log, dial, said = core.log, rctp.dial, {}
  rctp.dial = function(...)
    local client, message, code = dial(...)
    return client and late and late_link(client, late) or client, message, code
  end
  core.log = function(text) said[#said + 1] = text end
  local _ <close> = setmetatable({}, { __close = function()
    core.log, rctp.dial = log, dial
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
    if late then rt.sleep(1) end -- what is on its way arrives
  end })
  for i, name in ipairs(names) do behind(name, names[i % #names + 1]) end
  local robots = {}
  for i, name in ipairs(names) do robots[i] = rt.connect("local:" .. name) end
  rt.sleep(8) -- until the links are there
  fn(robots, function() return table.concat(said) end)
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
      with_ring(names, function(robots, said)
        robots[1]:panic()
        rt.sleep(1)
        expect.equal(panics(robots), n)
        local count = robots[1]:state().epoch
        rt.sleep(1)
        expect.equal(robots[1]:state().epoch, count)
        expect.truthy(said():find("seems to be behind this one, too, or somebody says many (rctp+local:", 1, true))
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
        expect.truthy(said():find("connected again", 1, true))
      end)
    end)
  end

  it("are found also by links that take 20 ms each way", function()
    with_ring({ "a", "b" }, function(robots, said)
      robots[1]:panic()
      rt.sleep(5) -- 100 rounds of 40 ms, and some more
      local count = robots[1]:state().epoch
      rt.sleep(2)
      expect.equal(robots[1]:state().epoch, count)
      expect.truthy(said():find("100 panics without a pause of 1 s", 1, true))
      for _, robot in ipairs(robots) do robot:reset() end
      rt.sleep(1)
      expect.equal(panics(robots), 0)
    end, 0.02)
  end)
end)

describe("a link that was cut by somebody who says many panics", function()
  it("comes back for a panic that is given here, which is said at once", function()
    assert(rt.add_robot "pioneer2")
    local log, said = core.log, ""
    core.log = function(text) said = said .. text end
    do
      local far <close> = rt.connect "rctp+local:pioneer2"
      local real <close> = rt.connect "local:pioneer2"
      rt.sleep(0.5)
      for _ = 1, 110 do
        real:panic()
        rt.sleep(0.002)
      end
      expect.truthy(said:find("somebody says many", 1, true))
      real:reset()
      far:reset()
      rt.sleep(5)
      expect.equal((real:set_speed { x = 0.1 }), "SUCCESS") -- another drives there
      expect.equal(said:find("connected again", 1, true), nil)
      far:panic()
      rt.sleep(0.1)
      expect.truthy(real:state().panic)
      expect.truthy(said:find("connected again", 1, true))
      far:reset()
      rt.sleep(0.1)
      expect.equal(real:state().panic, false)
    end
    core.log = log
    drivers.remove "pioneer2"
  end)
end)

describe("a robot that panics often, but not without end,", function()
  it("keeps its link", function()
    assert(rt.add_robot "pioneer2")
    do
      local far <close> = rt.connect "rctp+local:pioneer2"
      local real <close> = rt.connect "local:pioneer2"
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
    end
    drivers.remove "pioneer2"
  end)
end)
