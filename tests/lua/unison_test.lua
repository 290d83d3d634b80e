-- Sequences of several robots that begin at one instant, or not at all.
local rt = require "robotalk"

-- Robots of this process, each behind a link of its own.
local function robots_of(channels)
  local list = setmetatable({}, { __close = function(self) for _, robot in ipairs(self) do robot:close() end end })
  for i, channel in ipairs(channels) do
    local d = assert(require "robotalk.descriptor".load "pioneer2")
    d.name = "dancer" .. i
    list[i] = rt.connect("local:" .. rt.add_robot(d), { channel = channel, timeout = 60 })
  end
  return list
end

local function ahead(session)
  for i = 0, 20 do session:frame(i * 0.1, { base = { speed = { x = i < 20 and 0.2 or 0 } } }) end
end

local function standing(robots)
  for _, robot in ipairs(robots) do
    local state = robot:state()
    expect.near(0, state.x, 1e-9)
    expect.equal(false, state.moving)
  end
end

-- Nobody begins: the code. during: runs in the meantime.
local function refused(robots, options, during)
  local t = during and rt.spawn(during)
  local good, message, code = rt.unison(robots, options, ahead)
  expect.equal(nil, good)
  expect.truthy(message:find "^dancer2: ", message)
  rt.sleep(4)
  standing(robots)
  if t then t:wait() end
  return code, message
end

describe("robots in unison", function()
  it("begin at the instant, also over links of which no two are alike", function()
    local robots <close> = robots_of { { latency = 0.001 }, { latency = 0.1, jitter = 0.002 }, { latency = 0.01 } }
    local dance <close> = assert(rt.unison(robots, { lead = 3, within = 0.12 }, ahead))
    expect.near(dance.at, rt.now(), 0.4)
    for i, session in ipairs(dance.sessions) do
      expect.truthy(dance.uncertainty[i] <= 0.12)
      expect.near(0, dance.late[i], 1e-9)
      -- this world has one clock: the instant is missed by the error of the estimate alone
      local _, _, result = assert(session:result(session.tickets[1]))
      expect.near(dance.at, result.executed, 2 * dance.uncertainty[i])
      expect.equal(21, assert(session:finish()).played)
      expect.truthy(robots[i]:state().x > 0.2)
    end
  end)

  it("do not begin when a clock is not known well enough", function()
    local robots <close> = robots_of { {}, { latency = 0.05, jitter = 0.1 } }
    local code, message = refused(robots, { within = 0.001 })
    expect.equal("ERANGE", code)
    expect.truthy(message:find "its clock is known to [%d.]+ ms, not within 1 ms", message)
  end)

  it("do not begin when one is in panic, or is so or stopped before the instant", function()
    local robots <close> = robots_of { {}, {}, {} }
    local other <close> = rt.connect "local:dancer2"
    other:panic()
    expect.equal("EPANIC", (refused(robots)))
    assert(other:reset())
    expect.equal("EPANIC", (refused(robots, { lead = 3 }, function()
      rt.sleep(2)
      other:panic()
    end)))
    assert(other:reset())
    expect.equal("ESTOPPED", (refused(robots, { lead = 3 }, function()
      rt.sleep(2)
      other:stop()
    end)))
  end)

  it("do not begin when another client drives one, or one is gone", function()
    local robots <close> = robots_of { {}, {}, {} }
    local other <close> = rt.connect("local:dancer2", { apart = true })
    assert(other:set_speed { x = 0, theta = 0.1 })
    local good, message, code = rt.unison(robots, {}, ahead)
    expect.equal("nil ELEASE", ("%s %s"):format(good, code))
    expect.truthy(message:find "^dancer2: BUSY", message)
    standing { robots[1], robots[3] }
    other:stop { own = true }
    other:close()
    robots[2]:close()
    expect.equal("ECLOSED", select(3, rt.unison(robots, {}, ahead)))
  end)

  it("brake when one of them panics at the instant, too late for a word to the others", function()
    local robots <close> = robots_of { {}, { latency = 0.2 } }
    local other <close> = rt.connect "local:dancer2"
    local at = rt.now() + 10
    local t = rt.spawn(function()
      rt.sleep(at - 0.01 - rt.now())
      other:panic()
    end)
    local good, _, code = rt.unison(robots, { at = at, within = 1 }, ahead)
    expect.equal("nil EPANIC", ("%s %s"):format(good, code))
    t:wait()
    rt.sleep(2)
    expect.equal(false, robots[1]:state().moving)
    expect.truthy(robots[1]:state().x < 0.1)
    expect.near(0, robots[2]:state().x, 1e-9)
  end)

  it("are too late for frames that arrive after the instant, and need frames", function()
    local robots <close> = robots_of { {}, { latency = 0.3 } }
    expect.equal("ETIMEOUT", (refused(robots, { lead = 0.4, within = 1 })))
    expect.raises("unison: there is no frame for dancer1", rt.unison, robots, {}, function() end)
    expect.raises("unison: want a list of robots", rt.unison, {}, {}, ahead)
    expect.raises("unison has no option 'withn'; did you mean 'within'", rt.unison, robots, { withn = 1 }, ahead)
  end)
end)
