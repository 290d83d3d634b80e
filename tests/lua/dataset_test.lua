-- Data sets: episodes that are recorded, kept, dropped and continued, of both versions, and what is read of them. Other
-- programs: tests/e2e/dataset.sh.
local core = require "robotalk.core"
local dataset = require "robotalk.dataset"
local json = require "robotalk.json"
local rt = require "robotalk"
local summary = require "robotalk.dataset.summary"

local folder

before_each(function()
  folder = os.tmpname()
  os.remove(folder)
end)
after_each(function() os.execute("rm -rf " .. folder) end)

local function create(robot, options)
  options = options or {}
  options.robot, options.cameras = robot, options.cameras or {}
  return dataset.create(folder, options)
end

local function info_of(name) return json.decode(core.read_file(("%s/meta/%s.json"):format(folder, name), 1 << 20)) end

-- An episode: the shoulder goes there.
local function teach(set, robot, goal)
  assert(set:begin())
  robot:set_joint("shoulder_pan", goal)
  return assert(set:keep())
end

local function frames_of(set, index)
  local frames = {}
  for frame in assert(set:episode(index)) do frames[#frames + 1] = frame end
  return frames
end

describe("a data set", function()
  for _, version in ipairs { "3.0", "2.1" } do
    it("of version " .. version .. " has what a robot did, and what it was told", function()
      local robot <close> = rt.connect "so101_follower"
      do
        local set <close> = assert(create(robot, { version = version, task = "to the left" }))
        local about = teach(set, robot, 0.5)
        expect.equal(0, about.index)
        expect.truthy(about.skew < 1e-6, about.skew)
        set:task "back"
        assert(set:begin())
        robot:set_joint("shoulder_pan", 1)
        set:drop()
        teach(set, robot, 0)
      end
      local set <close> = assert(create(robot, { version = version, task = "to the left" }))
      teach(set, robot, -0.5)

      local read <close> = assert(dataset.open(folder))
      expect.equal("so101_follower 30 3", ("%s %d %d"):format(read.robot, read.fps, #read.episodes))
      expect.equal("to the left,back", table.concat(read.tasks, ","))
      expect.equal("shoulder_pan.pos gripper.pos", read.names.action[1] .. " " .. read.names["observation.state"][6])
      local tasks, from = { "to the left", "back", "to the left" }, { 0, math.deg(1), 0 }
      for index, goal in ipairs { 0.5, 0, -0.5 } do
        local frames = frames_of(read, index - 1)
        expect.equal(read.episodes[index].length, #frames)
        expect.near(from[index], frames[1].state["shoulder_pan.pos"], 1e-4)
        for k, frame in ipairs(frames) do
          expect.near(math.deg(goal), frame.action["shoulder_pan.pos"], 1e-4)
          expect.near((k - 1) / 30, frame.time, 1e-5)
          expect.equal(k - 1, frame.index)
          expect.equal(tasks[index], frame.task)
          expect.near(100 * 0.174533 / (1.74533 + 0.174533), frame.state["gripper.pos"], 1e-3)
        end
        expect.truthy(math.abs(frames[#frames].state["shoulder_pan.pos"] - math.deg(goal)) < 1)
        if index == 2 then break end
        expect.truthy(frames[2].state["shoulder_pan.pos"] ~= frames[1].state["shoulder_pan.pos"])
      end
      local _, message, code = read:episode(3)
      expect.equal("ENONE", code, message)
    end)
  end

  it("has statistics of all episodes", function()
    local robot <close> = rt.connect "so101_follower"
    local set <close> = assert(create(robot))
    local n = teach(set, robot, 0.5).length + teach(set, robot, 0).length
    local stats, all = info_of "stats", {}
    local read <close> = assert(dataset.open(folder))
    for index = 0, 1 do
      for _, frame in ipairs(frames_of(read, index)) do all[#all + 1] = frame.state["shoulder_pan.pos"] end
    end
    local whole, got = summary.of { all }, stats["observation.state"]
    expect.equal(n, got.count[1])
    for _, name in ipairs { "min", "max", "mean", "std" } do expect.near(whole[name][1], got[name][1], 1e-4, name) end
    expect.near((n - 1) / 2, stats.index.mean[1], 1e-9)
    expect.equal("0:2", info_of "info".splits.train)
  end)

  it("says where a dof without a goal goes: where it is next", function()
    local robot <close> = rt.connect "so101_follower"
    local set <close> = assert(create(robot, { fps = 50 }))
    assert(set:begin())
    robot:set_joint_speed("elbow_flex", 0.2)
    rt.sleep(1)
    assert(set:keep())
    local read <close> = assert(dataset.open(folder))
    local frames = frames_of(read, 0)
    for k = 1, #frames do
      local after = frames[k + 1] or frames[k]
      expect.equal(after.state["elbow_flex.pos"], frames[k].action["elbow_flex.pos"])
    end
    expect.truthy(frames[20].action["elbow_flex.pos"] > frames[20].state["elbow_flex.pos"])
  end)

  it("has the velocity of a base, and pictures that are not older than a period of the camera", function()
    local robot <close> = rt.connect "lekiwi"
    local set <close> = assert(create(robot, { cameras = { "wrist" }, task = "turn" }))
    local dropped = rt.spawn(function() return select(3, set:begin()) end)
    rt.sleep(0) -- it waits for a picture
    expect.equal("EBUSY", select(3, set:begin()))
    set:drop()
    expect.equal("ENONE", select(2, dropped:wait()))
    assert(set:begin())
    robot:set_speed { theta = 0.5 }
    rt.sleep(1)
    local about = assert(set:keep())
    expect.truthy(about.age <= 1 / 30 + 1e-3, about.age)
    local read <close> = assert(dataset.open(folder))
    expect.equal("x.vel y.vel theta.vel", table.concat(read.names.action, " ", 7))
    local frames = frames_of(read, 0)
    expect.near(math.deg(0.5), frames[#frames].action["theta.vel"], 1e-3)
    robot:stop()
    local before = robot:state().theta
    assert(require "robotalk.mcap.play".run(robot, folder, { episode = 0, base = true }))
    expect.near(0.5, robot:state().theta - before, 0.1)
    if set.films then return end
    local picture = assert(rt.picture(frames[#frames].pictures.wrist.file))
    local _, time = picture:card()
    expect.truthy(time > 0)
  end)

  it("is played", function()
    local robot <close> = rt.connect "so101_follower"
    local play = require "robotalk.mcap.play".run
    local set <close> = assert(create(robot))
    for _, goal in ipairs { 0.5, -0.5 } do
      assert(set:begin())
      robot:set_joint("shoulder_pan", { goal, speed = 0.5 })
      robot:set_joint("gripper", goal + 0.6)
      assert(set:keep())
    end
    robot:home()
    local report = assert(play(robot, folder, { episode = 0 }))
    expect.truthy(report.frames > 30 and report.underruns == 0)
    expect.near(0.5, robot:state().joints.shoulder_pan.shoulder_pan, 0.01)
    expect.near(1.1, robot:state().joints.gripper.gripper, 0.01)
    expect.equal("ENONE", select(3, play(robot, folder, { episode = 2 })))
    local _, message = play(robot, folder)
    expect.truthy(message:find "want its number", message)
  end)

  it("is refused where it cannot be recorded or continued", function()
    local robot <close> = rt.connect "so101_follower"
    local set <close> = assert(create(robot))
    expect.equal("ENONE", select(3, set:keep()))
    teach(set, robot, 0.1)
    assert(set:begin())
    expect.equal("EBUSY", select(3, set:begin()))
    local _, message, code = create(robot, { fps = 25 })
    expect.equal("EEXISTS", code)
    expect.truthy(message:find "it has fps 30, not 25", message)
    expect.raises("fps: want a whole number", function() create(robot, { fps = 0.5 }) end)
    expect.raises("want a robot", function() create(nil) end)
    local turret <close> = rt.connect "pioneer2"
    expect.equal("EEXISTS", select(3, create(turret)))
    expect.equal("ENONE", select(3, dataset.open(folder .. "/none")))
  end)

  it("that is damaged gives errors", function()
    local robot <close> = rt.connect "so101_follower"
    local set <close> = assert(create(robot))
    teach(set, robot, 0.1)
    local function spoil(name, text, pattern)
      local path = ("%s/%s"):format(folder, name)
      local was = core.read_file(path, 1 << 20)
      assert(core.write_file(path, text))
      local read, message, code = dataset.open(folder)
      if read then read, message, code = read:episode(0) end
      expect.equal("EBODY", not read and code, message)
      expect.truthy(message:find(pattern), message)
      assert(core.write_file(path, was))
    end
    local good = core.read_file(folder .. "/meta/info.json", 1 << 20)
    for name, text in pairs { fps = '"x"', features = "null", data_path = "[]", codebase_version = '"v9"',
      ["features%.action"] = "7", total_frames = "0.5", splits = "null" } do
      local key = name:match "[^.]*$"
      local damaged = good:gsub(('"%s":'):format(key), ('%%0%s,"was":'):format(text), 1)
      assert(core.write_file(folder .. "/meta/info.json", damaged))
      local _, message, code = create(robot)
      expect.equal("EBODY", code, message)
      expect.truthy(message:find("/meta/info%.json: " .. name .. ": expected "), message)
    end
    for _, text in ipairs { "../x", "x-{nothing}" } do
      assert(core.write_file(folder .. "/meta/info.json", (good:gsub('"data_path":"', "%0" .. text))))
      local other <close> = assert(create(robot))
      assert(other:begin())
      rt.sleep(0.2)
      local about, message, code = other:keep()
      expect.equal("EBODY", not about and code, message)
      expect.truthy(message:find "/meta/info.json: expected paths of files below it, got ", message)
    end
    assert(core.write_file(folder .. "/meta/info.json", good))
    spoil("meta/info.json", "{", "byte")
    spoil("meta/info.json", "[]", "version")
    spoil("meta/info.json", (good:gsub('"fps":30', '"fps":"x"')), "fps")
    spoil("meta/info.json", (good:gsub("data/chunk", "../chunk")), "path in the data set")
    spoil("meta/tasks.parquet", "PAR1PAR1", "byte")
    spoil("data/chunk-000/file-000.parquet", "PAR1", "byte")
  end)
end)
