-- What robots do, recorded: what clients command and what comes of it, in order, each answered once; states, readings,
-- pictures.
local core = require "robotalk.core"
local mcap = require "robotalk.mcap"
local rt = require "robotalk"

local path = os.tmpname() .. ".mcap"

-- Records what fn(robot) does: the messages by topics, without the robot's name, and all in order.
local function record(fn, options)
  os.remove(path)
  do
    local robot <close> = rt.connect "pioneer2"
    local recorder = assert(robot:record(path, options))
    fn(robot, recorder)
    assert(recorder:close())
  end
  local by, all = {}, {}
  local file <close> = mcap.open(path)
  expect.truthy(file:info().finished)
  for m in file:messages() do
    local topic = m.topic:gsub("^/pioneer2/", "")
    by[topic] = by[topic] or {}
    table.insert(by[topic], m.value)
    all[#all + 1] = { topic = topic, value = m.value, time = m.time }
  end
  os.remove(path)
  return by, all
end

local function names(list, field)
  local words = {}
  for i, value in ipairs(list or {}) do words[i] = value[field] end
  return table.concat(words, " ")
end

describe("a recording of a robot", function()
  it("has commands and their results, in order", function()
    local by, all = record(function(robot)
      robot:go_to { x = 0.2 }
      robot:set_speed { x = 0.1 }
      robot:panic()
      robot:go_to { x = 1 }
      robot:reset()
      robot:set_joint("head", { pan = 0.125 }, { start = rt.now() + 1, wait = false })
      robot:stop()
    end)
    expect.equal("go_to set_speed go_to set_joint stop", names(by.command, "op"))
    expect.equal("panicked reset latched", names(by.notice, "notice"):gsub("leases h", "h"):gsub("holder ", ""))
    local answers = {}
    for _, m in ipairs(all) do
      if m.topic == "command" then
        expect.equal(nil, answers[m.value.id])
        answers[m.value.id] = 0
      elseif m.topic == "result" then
        answers[m.value.id] = answers[m.value.id] + 1
      end
    end
    for id, n in pairs(answers) do expect.equal(n, 1, "command " .. id) end
    expect.equal("success", by.result[1].signal)
    expect.near(by.command[1].time, by.result[1].executed, 1e-9)
    expect.equal("panic", by.result[3].signal)
    expect.equal(0.125, by.command[4].body.value[1])
    expect.equal("panicked reset latched", names(by.log, "message"))
  end)

  it("has frames with all their parts", function()
    local by = record(function(robot)
      local tape <close> = robot:session { mode = "playback", duration = 0.2 }
      for i = 0, 2 do tape:frame(i * 0.1, { base = { speed = { x = 0.1 } }, head = { pan = i / 4 } }) end
      tape:finish()
    end)
    local moves, results = {}, 0
    for _, c in ipairs(by.command) do if c.op == "move" then moves[#moves + 1] = c end end
    for _, r in ipairs(by.result) do if r.op == "move" then results = results + 1 end end
    expect.equal(3, #moves)
    expect.equal(3, results)
    expect.equal(0.25, moves[2].body.dofs[1].value)
    expect.equal(0.1, moves[2].body.base[1])
    expect.equal("playback", by.request[2].body.mode)
    expect.equal("close", by.request[#by.request].request)
  end)

  it("has the pauses of a sequence and its end", function()
    local by = record(function(robot)
      local tape <close> = robot:session { mode = "playback" }
      for i = 0, 10 do tape:frame(i * 0.1, { base = { speed = { x = 0.1 } } }) end
      rt.sleep(2)
      for i = 11, 20 do tape:frame(i * 0.1, { base = { speed = { x = 0.1 } } }) end
      tape:finish()
    end)
    local list = {}
    for _, n in ipairs(by.notice) do
      if n.session then list[#list + 1] = ("%s %d"):format(n.notice, n.body.count) end
    end
    expect.equal("paused 1 resumed 1", table.concat(list, " "))
    expect.truthy(names(by.request, "request"):find "finish close")
    expect.truthy(by.arrival[2].package > by.arrival[1].package)
  end)

  it("has states and readings, each once", function()
    local by = record(function(robot)
      robot:go_to { x = 0.1 }
      rt.sleep(1)
    end, { rate = 20 })
    local numbers = {}
    for _, r in ipairs(by["sensor/sonar3"]) do
      expect.equal(nil, numbers[r.number])
      numbers[r.number] = true
    end
    local last = by.state[#by.state]
    expect.near(0.1, last.pose[1], 1e-3)
    expect.near(last.pose[1], by.odometry[#by.odometry].pose.position.x, 0)
    expect.equal("head.pan", by.joints[1].joints[1].name)
    expect.equal("pioneer2/base", by.frames[1].transforms[1].child_frame_id)
    expect.truthy(#by.state > 20 and #by.state < 60)
  end)

  it("has pictures of cameras where these are wanted", function()
    local by = record(function() rt.sleep(1) end, { images = 5 })
    local pictures = by["camera/camera"]
    expect.truthy(#pictures >= 4 and #pictures <= 6)
    expect.equal("jpeg", pictures[1].format)
    expect.equal("/9j/", pictures[1].data:sub(1, 4))
    expect.equal(nil, record(function() rt.sleep(1) end)["camera/camera"])
  end)

  it("says what is wrong with a file", function()
    local robot <close> = rt.connect "pioneer2"
    local _, message, code = robot:record "/nowhere/x.mcap"
    expect.equal("ESYSTEM", code)
    expect.truthy(message:find "No such file")
    expect.raises("1 to 1000 a second", function() robot:record("x.mcap", { rate = 0 }) end)
    expect.raises("did you mean 'rate'", function() robot:record("x.mcap", { rates = 1 }) end)
    local first <close> = assert(robot:record(path))
    _, _, code = robot:record(path)
    expect.equal("EEXISTS", code)
    rt.sleep(0.1)
    expect.truthy(first:counts() > 4)
    assert(first:close())
    assert(first:close())
    expect.equal(0, select(2, first:counts()))
    os.remove(path)
  end)

  it("has all robots, also later ones, and what others record, too", function()
    os.remove(path)
    local other = os.tmpname() .. ".mcap"
    do
      local _ <close> = assert(rt.record(path))
      local robot <close> = rt.connect "pioneer2"
      local _ <close> = assert(robot:record(other))
      robot:set_speed { x = 0.1 }
      local arm <close> = rt.connect "so101_follower"
      arm:home()
      robot:reload()
      rt.sleep(0.1)
    end
    local info
    do
      local file <close> = mcap.open(path)
      info = file:info()
    end
    local topics = {}
    for _, channel in ipairs(info.channels) do topics[channel.topic] = channel.messages end
    expect.equal(1, topics["/pioneer2/command"])
    expect.equal(1, topics["/so101_follower/command"])
    expect.equal("pioneer2.0.block so101_follower.0.block pioneer2.1.block", table.concat(info.attachments, " "))
    local file <close> = mcap.open(other)
    for _, channel in ipairs(file:info().channels) do
      if channel.topic == "/pioneer2/command" then expect.equal(1, channel.messages) end
    end
    os.remove(path)
    os.remove(other)
  end)
end)

describe("a recording that is fetched", function()
  it("has what the server's own has, and is finished without it", function()
    os.remove(path)
    local recorder = require "robotalk.recorder"
    local messages, other = {}, os.tmpname() .. ".mcap"
    do
      local robot <close> = rt.connect "pioneer2"
      local own <close> = assert(robot:record(other))
      local fetched = assert(recorder.fetch("local:pioneer2", path, { rate = 50, images = 2 }))
      local looks = rt.spawn(function()
        while fetched:next() do end
      end)
      robot:go_to { x = 0.2 }
      rt.sleep(0.5)
      looks:cancel()
      assert(fetched:close())
      expect.equal(0, fetched.lost)
      assert(own:close())
    end
    for i, name in ipairs { path, other } do
      local file <close> = mcap.open(name)
      expect.truthy(file:info().finished)
      messages[i] = {}
      for m in file:messages() do
        if m.topic:find "command$" or m.topic:find "result$" then table.insert(messages[i], m.bytes) end
      end
      os.remove(name)
    end
    expect.equal(table.concat(messages[2], "\n"), table.concat(messages[1], "\n"))
    expect.equal(2, #messages[1])
  end)

  it("says why there is none", function()
    local robot <close> = rt.connect "pioneer2"
    local recorder = require "robotalk.recorder"
    local _, _, code = recorder.fetch("local:pioneer2", "/nowhere/x.mcap", { rate = 50, images = 0 })
    expect.equal("ESYSTEM", code)
    expect.truthy(robot:state())
  end)
end)

describe("the world of a recording", function()
  it("has no more robots than before", function() expect.equal(#core.robots(), 0) end)
end)
