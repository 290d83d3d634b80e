-- Recordings are played: the joints come by the recorded positions at the recorded times, and nothing moves where the
-- way to the first pose is long.
local mcap = require "robotalk.mcap"
local play = require "robotalk.mcap.play"
local rt = require "robotalk"

local paths = {}
local function new_path()
  paths[#paths + 1] = os.tmpname() .. ".mcap"
  return paths[#paths]
end

local function clean()
  for i, path in ipairs(paths) do
    os.remove(path)
    os.remove((path:gsub("%.mcap$", "")))
    paths[i] = nil
  end
end

-- The path of a recording of what fn(robot) does.
local function record(name, fn, options)
  local path = new_path()
  local robot <close> = rt.connect(name)
  local recorder = assert(robot:record(path, options))
  fn(robot)
  assert(recorder:close())
  return path
end

local function wave(robot)
  robot:set_joint("head", { pan = 0.4, tilt = -0.1 })
  robot:set_joint("head", { pan = -0.3, tilt = 0.2, speed = 0.3 })
end

-- The states of a recording, { t, joints }, and when its first sequence began.
local function track(path)
  local file <close>, list, session, began = mcap.open(path), {}, nil, nil
  for m in file:messages() do
    local value, topic = m.value, m.topic:match "[^/]*$"
    if topic == "request" and value.body.mode == "playback" then session = session or value.session end
    if topic == "result" and session and value.session == session then began = began or value.executed end
    if topic == "joints" then
      list[#list + 1] = { t = value.timestamp.sec + value.timestamp.nsec / 1e9, joints = value.joints }
    end
  end
  return list, began
end

-- The position of a joint at a time of a track, on a straight line between two states.
local function at(list, t, k)
  for i = 2, #list do
    local a, b = list[i - 1], list[i]
    if b.t >= t then
      return a.joints[k].position + (t - a.t) / (b.t - a.t) * (b.joints[k].position - a.joints[k].position)
    end
  end
  return list[#list].joints[k].position
end

-- The greatest difference of what was played to the recording.
local function difference(path, played, rate)
  local want, worst = track(path), 0
  local got, begin = track(played)
  for _, state in ipairs(want) do
    for k, joint in ipairs(state.joints) do
      worst = math.max(worst, math.abs(joint.position - at(got, begin + (state.t - want[1].t) / rate, k)))
    end
  end
  return worst
end

-- What a robot of that name does while a recording is played: its recording, and what play has returned.
local function play_on(name, path, options)
  local results
  local played = record(name, function(robot) results = table.pack(play.run(robot, path, options)) end, { rate = 200 })
  return played, table.unpack(results)
end

describe("a recording is played", function()
  after_each(clean)

  it("by the positions of a head at their times", function()
    local path = record("pioneer2", wave)
    local played, report = play_on("pioneer2", path)
    expect.equal(0, report.refused)
    expect.near(0, difference(path, played, 1), 1e-4)
  end)

  it("by the positions of an arm that moves fast and slowly", function()
    local path = record("so101_follower", function(robot)
      robot:move { shoulder_pan = 0.5, elbow_flex = -0.4, gripper = 0.5 }
      robot:move { shoulder_pan = { 0, speed = 0.2 }, elbow_flex = { 0, speed = 0.3 }, gripper = 0.1 }
    end)
    expect.near(0, difference(path, (play_on("so101_follower", path)), 1), 1e-4)
  end)

  it("twice as fast, and at half the rate, with the times between", function()
    local path = record("pioneer2", function(robot)
      robot:set_joint("head", { pan = 0.5, speed = 0.2, acceleration = 0.5 })
    end)
    for _, rate in ipairs { 2, 0.5 } do
      local before = rt.now()
      local played = play_on("pioneer2", path, { rate = rate })
      local file <close> = mcap.open(path)
      expect.near(file:info().duration / rate, rt.now() - before, 0.3)
      expect.near(0, difference(path, played, rate), 1e-3)
    end
  end)

  it("and a joint that cannot follow is named once, with its limit", function()
    local path, notes = record("pioneer2", wave), {}
    play_on("pioneer2", path, { rate = 3, on_note = function(line) notes[#notes + 1] = line end })
    local said = table.concat(notes, "\n")
    expect.truthy(said:find "head%.tilt comes later, .* at 0%.02 s .* at 1%.05 rad/s, and it can do 0%.87 rad/s", said)
    expect.equal(2, select(2, said:gsub(" comes later", ""))) -- the other one is pan
    expect.equal(3, #notes)
  end)

  it("in a part, which begins slowly", function()
    local path = record("pioneer2", wave)
    local notes = {}
    local played = play_on("pioneer2", path, { from = 0.4, on_note = function(line) notes[#notes + 1] = line end })
    expect.truthy(notes[1]:find "^to the first pose, 0.%d%d away$", notes[1])
    local file <close>, most = mcap.open(played), 0
    for m in file:messages { topic = "/pioneer2/joints", to = 0.4 } do
      most = math.max(most, math.abs(m.value.joints[1].velocity))
    end
    expect.near(0.5, most, 1e-6)
  end)

  it("not at all when its first pose is far away, and the distance is said", function()
    local path = record("pioneer2", wave)
    local played, report, why, code = play_on("pioneer2", path, { from = 0.4, max_distance = 0.1 })
    expect.equal(nil, report)
    expect.equal("ERANGE", code)
    expect.truthy(why:find "head.pan is 0.%d%d away %(at most 0.1%) from where it begins$", why)
    local file <close> = mcap.open(played)
    for m in file:messages() do expect.truthy(not m.topic:find "/command$") end
  end)

  it("with some joints only, on another robot that has them", function()
    local path = record("so101_follower", function(robot) robot:move { shoulder_pan = 0.5, elbow_flex = -0.4 } end)
    record("so101_leader", function(robot)
      assert(play.run(robot, path, { joints = { "shoulder_pan" } }))
      local joints = robot:state().joints
      expect.near(0.5, joints.shoulder_pan[1] or select(2, next(joints.shoulder_pan)), 1e-3)
      expect.near(0, joints.elbow_flex[1] or select(2, next(joints.elbow_flex)), 1e-6)
      expect.raises("no joint 'elbow'", play.run, robot, path, { joints = { "elbow" } })
    end)
    local notes = {}
    local _, report, why = play_on("pan_tilt", path, { on_note = function(line) notes[#notes + 1] = line end })
    expect.equal(nil, report)
    expect.truthy(why:find "it has no joint of pan_tilt", why)
    expect.equal(1, #notes)
    path = record("pioneer2", wave)
    _, report, why = play_on("aibo_ers7", path, { of = "pioneer2" })
    expect.truthy(report, why)
  end)

  it("again and again, with a slow way between, until it is stopped", function()
    local path = record("pioneer2", wave)
    local robot <close> = rt.connect "pioneer2"
    local other <close> = rt.connect("local:pioneer2", { apart = true, name = "helper" })
    local played = rt.spawn(function() return play.run(robot, path, { loop = true }) end)
    local rounds, before = 0, 0
    local _ <close> = robot:broadcast(0.02, function(state)
      local pan = state.joints.head.pan
      if before < 0.35 and pan >= 0.35 then rounds = rounds + 1 end
      expect.truthy(math.abs(pan - before) < 0.05)
      before = pan
    end)
    rt.sleep(30)
    expect.truthy(rounds >= 5, rounds)
    other:stop()
    local _, report, why, code = played:wait()
    expect.equal(nil, report)
    expect.equal("ESTOPPED", code)
    expect.truthy(why:find "INTERRUPTED: stopped by helper", why)
  end)

  -- A recording of another program: rows of a time, and a message or text.
  local function made(rows)
    local path = new_path()
    local file <close> = assert(mcap.create(path))
    local channel = assert(file:channel { topic = "/pioneer2/joints", schema = "foxglove.JointStates" })
    for _, row in ipairs(rows) do
      assert(file:message(channel, row[1], row[2] or { joints = { { name = "head.pan", position = row.pan,
        velocity = row.velocity } } }))
    end
    return path
  end

  it("on a straight line where the recording has a hole, unless the way is long", function()
    local rows = {}
    for i = 0, 200 do
      local t = i * 0.02
      if t < 1 or t > 3 then rows[#rows + 1] = { t, pan = t < 1 and 0 or 0.8, velocity = 0 } end
    end
    local path = made(rows)
    local file <close>, most = mcap.open((play_on("pioneer2", path))), 0
    for m in file:messages { topic = "/pioneer2/joints" } do
      most = math.max(most, math.abs(m.value.joints[1].velocity))
    end
    expect.truthy(most > 0.39 and most < 0.8, most) -- 0.4 on the line; 4.2 is what the head can
    local _, report, why, code = play_on("pioneer2", path, { max_distance = 0.5 })
    expect.equal(nil, report)
    expect.equal("ERANGE", code)
    expect.truthy(why:find "between 0.98 and 3.02 s it has nothing, and then head.pan is 0.80 away", why)
  end)

  it("without messages that have no positions", function()
    local null = require "robotalk.json".null
    local path = made { { 0, pan = 0 }, { 0.5, "no JSON" }, { 1, {} }, { 1.5, { joints = { 3, { name = "head.pan",
      position = null } } } }, { 2, pan = 0.2, velocity = null } }
    local _, report = play_on("pioneer2", path)
    expect.equal(0, report and report.refused)
    local _, none, why, code = play_on("pioneer2", made { { 0, "no JSON" } })
    expect.equal(nil, none)
    expect.equal("ERANGE", code)
    expect.truthy(why:find "it has no joint of pioneer2", why)
  end)

  it("with the velocities of a base", function()
    local path = record("pioneer2", function(robot) robot:go_to { x = 0.5 } end)
    record("pioneer2", function(robot)
      assert(play.run(robot, path, { base = true }))
      expect.near(0.5, robot:state().x, 0.01)
      assert(play.run(robot, path))
      expect.near(0.5, robot:state().x, 0.01)
    end)
  end)
end)
