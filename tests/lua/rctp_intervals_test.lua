-- A robot behind servers of RCTP that want commands neither too early nor too late (spec/rctp.md, Time).
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"

-- fn(far, real, said): a robot here and its double behind RCTP, by these options of the server's address; said(): what
-- was logged. change(d): of its descriptor.
local function with_far(options, fn, change)
  local log, said = core.log, ""
  core.log = function(text) said = said .. text end
  local _ <close> = setmetatable({}, { __close = function() core.log = log end })
  local d = assert(descriptor.load "pioneer2")
  if change then change(d) end
  assert(rt.add_robot(d))
  do
    local far <close> = rt.connect("rctp+local:pioneer2" .. options, { reconnect = false })
    local real <close> = rt.connect "local:pioneer2"
    fn(far, real, function() return said end)
  end
  drivers.remove "pioneer2"
end

local TIMELY = { "?least=20&most=500", "?least=20&most=500&mask", "?least=20&most=500&stamp=4" }
local WAYS = { "?event&least=20&most=500", "?event&least=100&most=700&mask", "?lock", "?lock&mask&stamp=2",
  table.unpack(TIMELY) }

describe("a robot behind RCTP with rules of time", function()
  for _, way in ipairs(WAYS) do
    it("is commanded as any other, however fast: " .. way, function()
      with_far(way, function(far, real, said)
        local words = {}
        for i = 1, 50 do
          words[i] = far:begin("set_joint", "head", { pan = 0.01 * i })
          words[50 + i] = far:begin("set_speed", { x = 0.001 * i })
          rt.sleep(i % 3 * 0.004)
        end
        for i, command in ipairs(words) do
          local word = command:wait()
          expect.truthy(word == "SUCCESS" or word == "MODIFIED", i .. " " .. word)
        end
        expect.equal((words[50]:wait()), "SUCCESS")
        expect.equal((words[100]:wait()), "SUCCESS")
        expect.near(real:state().joints.head.pan, 0.5, 1e-2)
        expect.near(real:state().twist[1], 0.05, 1e-6)
        expect.equal((far:stop()), "SUCCESS")
        expect.equal(said(), "")
      end)
    end)
  end

  for _, way in ipairs(TIMELY) do
    it("rests, and goes on, while nothing is commanded: " .. way, function()
      with_far(way, function(far, real, said)
        rt.sleep(5)
        expect.near(real:state().x, 0, 1e-9)
        expect.near(real:state().joints.head.pan, 0, 1e-9)
        expect.equal((far:go_to { x = 1 }), "SUCCESS") -- longer than the greatest interval
        expect.equal((far:set_speed { x = 0.2 }), "SUCCESS")
        expect.equal((far:set_joint("head", { pan = 0.5 })), "SUCCESS")
        expect.equal((far:home()), "SUCCESS") -- of the joints
        rt.sleep(5)
        expect.near(real:state().twist[1], 0.2, 1e-6)
        expect.equal((far:stop()), "SUCCESS")
        rt.sleep(1) -- it brakes
        local x = real:state().x
        rt.sleep(5)
        expect.near(real:state().x, x, 1e-6)
        expect.near(real:state().twist[1], 0, 1e-9)
        expect.equal((far:home()), "SUCCESS")
        expect.equal(said(), "")
      end)
    end)
  end

  for _, way in ipairs { TIMELY[1], TIMELY[2], TIMELY[3], "?least=20&most=500&mask&lock" } do
    it("keeps its connection in a panic: " .. way, function()
      with_far(way, function(far, real, said)
        far:panic()
        rt.sleep(3)
        far:reset()
        expect.equal((far:set_speed { x = 0.2 }), "SUCCESS")
        real:panic()
        rt.sleep(3)
        real:reset()
        rt.sleep(3)
        expect.equal((far:set_speed { x = 0.2 }), "SUCCESS")
        expect.equal(said(), "")
      end)
    end)
  end

  it("is not set going again after a stop by somebody else", function()
    with_far(TIMELY[1], function(far, real)
      far:set_speed { x = 0.2 }
      rt.sleep(1)
      real:stop()
      rt.sleep(2)
      expect.near(real:state().twist[1], 0, 1e-9)
    end)
  end)

  it("without a base keeps its joints where they are", function()
    with_far(TIMELY[1], function(far, real, said)
      rt.sleep(3)
      expect.near(real:state().joints.head.pan, 0, 1e-6)
      expect.equal((far:set_joint("head", { pan = 1 })), "SUCCESS")
      rt.sleep(3)
      expect.near(real:state().joints.head.pan, 1, 1e-6)
      local back = far:begin("set_joint", "head", { pan = -1 })
      rt.sleep(0.2)
      far:stop()
      expect.equal((back:wait()), "INTERRUPTED")
      rt.sleep(0.5)
      local pan = real:state().joints.head.pan
      rt.sleep(3)
      expect.near(real:state().joints.head.pan, pan, 1e-2)
      expect.equal(said(), "")
    end, function(d) d.base, d.sensors, d.commands = nil, nil, nil end)
  end)
end)
