-- A robot behind servers of RCTP that do not do what spec/rctp.md says. They are our own server, of which a client that
-- stands between passes on only a part.
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local rctp = require "robotalk.rctp"
local task = require "robotalk.task"

-- fn(far, real, said): a robot behind a connection whose receive(client) is that one, given the one of the client;
-- said(): what was logged.
local function with_far(receive, fn)
  local dial, log, said = rctp.dial, core.log, ""
  core.log = function(text) said = said .. text end
  rctp.dial = function(...)
    local client, message, code = dial(...)
    if not client then return nil, message, code end
    local before = client.receive
    function client.receive(self, timeout) return receive(self, function() return before(self, timeout) end) end
    return client
  end
  local _ <close> = setmetatable({}, { __close = function() rctp.dial, core.log = dial, log end })
  assert(rt.add_robot "pioneer2")
  do
    local far <close> = rt.connect("rctp+local:pioneer2", { reconnect = false })
    local real <close> = rt.connect "local:pioneer2"
    fn(far, real, function() return said end)
  end
  drivers.remove "pioneer2"
end

-- Passes on all but the statuses of commands.
local function silent(_, receive)
  local list, message, code = receive()
  for i = list and #list or 0, 1, -1 do
    if list[i].code and list[i].subject ~= 0 then table.remove(list, i) end
  end
  return list, message, code
end

describe("a server of RCTP that tells no statuses", function()
  it("leaves no command waiting for ever: its state says what was reached", function()
    with_far(silent, function(far, real)
      local from = rt.now()
      expect.equal((far:set_joint("head", { pan = 0.5 })), "SUCCESS")
      expect.near(real:state().joints.head.pan, 0.5, 1e-2)
      expect.equal((far:go_to { x = 0.5, y = 0.1 }), "SUCCESS")
      expect.near(real:state().x, 0.5, 0.05)
      expect.equal((far:stop()), "SUCCESS")
      expect.truthy(rt.now() - from < 50)
      local word, _, result = far:set_joint("head", { pan = 9 }) -- further than it can
      expect.equal(word .. " " .. result.reason, "ERROR link")
      word, _, result = far:set_speed { x = 0.1 } -- of which nothing tells
      expect.equal(word .. " " .. result.reason, "ERROR link")
    end)
  end)

  it("does not end a goal while its robot moves", function()
    with_far(silent, function(far)
      local from = rt.now()
      expect.equal((far:go_to { x = 30 }), "SUCCESS") -- this takes its time
      expect.truthy(rt.now() - from > 20)
    end)
  end)
end)

describe("a server of RCTP that sends without a pause", function()
  it("lets other tasks run, and its commands end", function()
    local floods = false
    with_far(function(_, receive)
      if not floods then return receive() end
      floods = floods > 1 and floods - 1
      return { { id = 99, values = { 1 } } } -- at once
    end, function(far)
      local turns = 0
      local other = rt.spawn(function()
        while true do
          task.sleep(0)
          if floods then turns = turns + 1 end
        end
      end)
      rt.sleep(0)
      floods = 1000
      while floods do task.sleep(0) end
      other:cancel()
      expect.truthy(turns > 500)
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
    end)
  end)
end)

describe("a connection to which nobody listens any more", function()
  it("is over, however its reader ends: the robot does not move on", function()
    local fails = false
    with_far(function(_, receive)
      if fails then error "broken" end
      return receive()
    end, function(far, real, said)
      far:set_speed { x = 0.2 }
      local on_failure, failed = task.on_failure, 0
      task.on_failure = function() failed = failed + 1 end
      fails = true
      rt.sleep(1)
      task.on_failure = on_failure
      expect.equal(failed, 1)
      expect.truthy(said():find("rctp: watch has failed", 1, true))
      expect.equal(real:state().twist[1], 0)
      local word, _, result = far:set_speed { x = 0.2 }
      expect.equal(word .. " " .. result.reason, "ERROR link")
    end)
  end)
end)

describe("a robot behind RCTP", function()
  it("tells of no battery, since no message does", function()
    with_far(silent, function(far, real)
      expect.equal(far:describe().descriptor.battery, nil)
      expect.equal(far:state().voltage, 0) -- spec/messages.lua: no battery
      expect.truthy(real:state().voltage > 0)
    end)
  end)
end)
