-- Recordings are run again: what becomes of it is equal, and what was changed is found, with its time.
local compare = require "robotalk.mcap.compare"
local descriptor = require "robotalk.descriptor"
local json = require "robotalk.json"
local mcap = require "robotalk.mcap"
local rt = require "robotalk"

local paths = {}
local function new_path()
  paths[#paths + 1] = os.tmpname() .. ".mcap"
  return paths[#paths]
end

-- Records what fn(robot) does.
local function record(path, name, fn, options)
  local robot <close> = rt.connect(name)
  local recorder <close> = assert(robot:record(path, options)) -- luacheck: ignore
  fn(robot)
end

-- Whether it happens again, and how many results, notices and states are equal, or the first difference.
local function compared(path)
  local recording <close>, about = compare.open(path)
  assert(recording, about)
  expect.equal(1, about.seed)
  local same, found = compare.run(recording, about)
  descriptor.dry = false
  return same, found
end

-- A copy with changed messages: change(topic, value) returns whether it has changed the value.
local function changed(path, change)
  local copy, recording <close> = new_path(), mcap.open(path)
  local by_id, kinds = recording:info().by_id, mcap.kinds
  local writer <close> = mcap.create(copy)
  recording.core:range()
  for kind, id, _, _, ns, sent, sequence in recording:records() do
    local topic = kind == kinds.MESSAGE and by_id[id].topic:match "[^/]*$"
    local value = topic and json.decode((recording.core:data()))
    if value and change(topic, value) then
      writer.core:write(kinds.MESSAGE, id, "", "", ns, sent, sequence, 0, json.encode(value))
    elseif kind == kinds.SCHEMA or kind == kinds.CHANNEL or topic or kind == kinds.ATTACHMENT
      or kind == kinds.METADATA then
      recording.core:copy(writer.core)
    end
  end
  return copy
end

local function other_of(name) return rt.connect("local:" .. name, { apart = true, name = "other" }) end

-- What is recorded in a world of its own, and run again in another one.
local CASES = {
  { "commands of two clients, leases, a panic, a cancel and a stop", "pioneer2", function(robot)
    local other <close> = other_of "pioneer2"
    local drive = robot:begin("go_to", { x = 0.3 })
    rt.sleep(0.2)
    other:set_joint("head", { pan = 0.4, tilt = -0.1 })
    expect.equal("BUSY", (other:go_to { x = 1 }))
    drive:wait()
    robot:panic()
    expect.equal("PANIC", (other:go_to { x = 1 }))
    robot:reset()
    local far = robot:begin("go_to", { x = 1 })
    rt.sleep(0.5)
    far:cancel()
    rt.sleep(6)
    expect.equal("SUCCESS", (other:go_to { x = 0.4 }))
    other:stop()
    expect.equal("INTERRUPTED", (robot:go_to { x = 0 }))
    robot:resume()
    robot:override(0.5)
    robot:take()
    other:release()
    rt.sleep(6)
    expect.equal("SUCCESS", (robot:go_to { x = 0.2, y = 0.1 }))
  end },
  { "sequences, one over a bad link, and one whose client falls silent", "pioneer2", function(robot)
    for _, channel in ipairs { false, { latency = 0.02, jitter = 0.06, stall = { 0.01, 0.05 } } } do
      local far <close> = rt.connect("local:pioneer2", { apart = true, channel = channel or nil })
      local tape <close> = far:session { mode = "playback", duration = 1, errors = true }
      for i = 0, 20 do
        tape:frame(i * 0.05, { base = { speed = { x = 0.1 } }, head = { pan = i / 20, velocity = { tilt = 0.1 } } })
        rt.sleep(0.05)
      end
      tape:frame(1.1, { base = { stop = true } })
      tape:finish()
    end
    rt.sleep(6)
    local silent <close> = other_of "pioneer2"
    silent:set_speed { x = 0.1 }
    silent.client.link:cut(true)
    rt.sleep(2)
    robot:state()
  end },
  { "an arm that plays set-points with velocities", "so101_follower", function(robot)
    local tape <close> = robot:session { mode = "playback", duration = 1 }
    for i = 0, 50 do
      local t = i / 50
      tape:frame(t, { shoulder_pan = { [0] = 0.5 * math.sin(3 * t), velocity = { [0] = 1.5 * math.cos(3 * t) } },
        elbow_flex = -0.2 * t })
    end
    tape:finish()
    robot:home()
  end },
  { "packages of one instant, with a stop between them, and a description that changes", "pioneer2", function(robot)
    local drive = robot:begin("go_to", { x = 0.5 })
    robot:stop()
    robot:begin("go_to", { x = 0.2 }):wait()
    drive:wait()
    local slow = require "robotalk.descriptor".load "pioneer2"
    for _, joint in ipairs(slow.joints) do for _, dof in ipairs(joint.dofs) do dof.speed = 0.3 end end
    assert(robot:reload(slow))
    robot:set_joint("head", { pan = 0.5 })
  end },
}

describe("a recording of", function()
  for _, case in ipairs(CASES) do
    local path = new_path()
    it(case[1] .. " is made", function() record(path, case[2], case[3]) end)
    it(case[1] .. " happens again, to the last digit", function()
      local same, found = compared(path)
      expect.truthy(same, found)
      expect.truthy(found.result > 0 and found.state > 50)
    end)
  end
end)

describe("a recording of few states, which has begun before its clients,", function()
  for _, rate in ipairs { 3, 7, 30 } do
    local path = new_path()
    local function drive(robot)
      rt.sleep(1)
      robot:go_to { x = 0.5 }
      rt.sleep(0.5)
    end
    it(("is made, at %d Hz"):format(rate), function() record(path, "pioneer2", drive, { rate = rate }) end)
    it(("is compared whole, at %d Hz"):format(rate), function()
      local same, found = compared(path)
      expect.truthy(same, found)
      expect.truthy(found.state > 2.5 * math.min(rate, 1 / (math.ceil(20 / rate) / 20)), found.state)
    end)
    it(("with states at other times is none of these, at %d Hz"):format(rate), function()
      local same, found = compared(changed(path, function(topic, value)
        value.time = topic == "state" and value.time > 1.5 and value.time + 1e-6 or value.time
        return topic == "state"
      end))
      expect.equal(false, same)
      expect.truthy(found:find "the state: ", found)
    end)
  end
end)

describe("of a recording that was changed", function()
  it("the first changed result is found, with its time", function()
    local n = 0
    local path = changed(paths[1], function(topic, value)
      n = n + (topic == "result" and 1 or 0)
      if n ~= 3 or topic ~= "result" then return false end
      value.signal = "modified"
      return true
    end)
    local same, found = compared(path)
    expect.equal(false, same)
    expect.truthy(found:find "^at %d+%.%d+ s, pioneer2, session 1: the result of go_to %d+: signal: expected modified, "
      .. "got success %(perhaps ", found)
  end)

  it("a digit of a state is found", function()
    local path = changed(paths[1], function(topic, value)
      if topic ~= "state" or math.abs(value.time - 1.42) > 1e-9 then return false end
      value.position[1] = value.position[1] + 1e-15
      return true
    end)
    local same, found = compared(path)
    expect.equal(false, same)
    expect.truthy(found:find "^at 0.420000000 s, pioneer2: the state: position%[0%]: expected 0%.", found)
  end)

  it("a command that is missing is found where it has a result", function()
    local n = 0
    local path = changed(paths[1], function(topic, value)
      n = n + (topic == "command" and 1 or 0)
      if n ~= 2 or topic ~= "command" then return false end
      value.session = 77
      return true
    end)
    local same, found = compared(path)
    expect.equal(false, same)
    expect.truthy(found:find "^at 0.2", found)
  end)

  it("lost records are said to be the cause", function()
    local n = 0
    local path = changed(paths[1], function(topic, value)
      n = n + (topic == "notice" and 1 or 0)
      if n == 2 and topic == "notice" then
        value.notice, value.body = "lost", { records = 7 }
        return true
      end
      return false
    end)
    local same, found = compared(path)
    expect.equal(false, same)
    expect.truthy(found:find "perhaps the recording has lost 7 records before", found)
  end)

  it("one whose robot is there again, and one that is longer than a day, are refused", function()
    local path = new_path()
    local recorder = assert(rt.record(path))
    for _ = 1, 2 do
      local robot <close> = rt.connect "pan_tilt"
      robot:set_joint("head", { pan = 0.1 })
    end
    recorder:close()
    expect.raises("pan_tilt is there again after it was removed", compared, path)
    path = new_path()
    local file = mcap.create(path)
    file:metadata("robotalk", { shift_ns = 0, seed = 1 })
    local channel = file:channel { topic = "/a/session" }
    for _, time in ipairs { 0, 86401 } do file:message(channel, time, { over = 0 }) end
    file:close()
    expect.raises("longer than a day", compared, path)
  end)

  it("one of something else is refused", function()
    local path = new_path()
    mcap.create(path):close()
    local recording, why = compare.open(path)
    expect.equal(nil, recording)
    expect.truthy(why:find "it is no recording of robots$", why)
    for _, name in ipairs(paths) do
      os.remove(name)
      os.remove((name:gsub("%.mcap$", "")))
    end
  end)
end)
