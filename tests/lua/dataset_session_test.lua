-- Episodes by keys, with a screen whose keys are typed by the test: while a script, a leader, or keys move an arm.
local core = require "robotalk.core"
local dataset = require "robotalk.dataset"
local enable = require "robotalk.follow.enable"
local follow = require "robotalk.follow"
local rt = require "robotalk"
local session = require "robotalk.dataset.session"

local folder

before_each(function()
  folder = os.tmpname()
  os.remove(folder)
end)
after_each(function() os.execute("rm -rf " .. folder) end)

-- A screen for the test, and a function that presses keys of it.
local function typed_screen()
  local typed = {}
  local screen = { style = { utf8 = false, color = false }, shown = {} }
  function screen.size() return 80, 24 end
  function screen:show(lines) self.shown = lines end
  function screen:next(until_)
    if #typed == 0 and until_ > core.now() then rt.wait(self, until_ - core.now()) end
    local events = typed
    typed = {}
    return events
  end
  function screen.drain() end
  function screen.close() end
  return screen, function(...)
    for _, name in ipairs { ... } do
      typed[#typed + 1] = { key = name, kind = "press" }
      rt.wake(screen)
      rt.sleep(0.2)
    end
  end
end

local function says(screen, text)
  local all = table.concat(screen.shown, "\n")
  expect.truthy(all:find(text), all)
end

-- fn(press, screen, set, robot) while run(keys, robot) runs.
local function with_keys(run, teach, fn)
  local robot <close> = rt.connect "so101_follower"
  local set <close> = assert(dataset.create(folder, { robot = robot, cameras = {}, task = "wave" }))
  local screen, press = typed_screen()
  local keys = session.new(set, screen, teach and teach(robot))
  local running = rt.spawn(function() return run(keys, robot) end)
  rt.sleep(0.5)
  fn(press, screen, set, robot)
  press "ctrl-c"
  running:wait(5)
  keys:finish()
end

local function length(index)
  local set <close> = assert(dataset.open(folder))
  return set.episodes[index + 1].length, set.episodes[index + 1].tasks[1], #set.episodes
end

describe("episodes by keys", function()
  it("are begun, kept and done again while a script teaches", function()
    local begun = {}
    local function teach(robot)
      return function(index)
        begun[#begun + 1] = index
        return rt.spawn(function()
          robot:set_joint("shoulder_pan", 0.5)
          robot:set_joint("shoulder_pan", 0)
        end)
      end
    end
    with_keys(session.run, teach, function(press, screen)
      says(screen, "0 episodes, 0 frames; not recording")
      press "enter" -- nothing is to be kept
      press("b", "b")
      rt.sleep(1)
      says(screen, "recording, 1.%d s")
      press "enter"
      says(screen, "1 episodes, .*episode 0: %d+ frames, [%d.]+ s, at most 0.0 ms off their instants\n")
      press("x", "p", "i", "k", "backspace", "c", "k", "space", "i", "t", "enter")
      says(screen, "task: pick it")
      press "b"
      rt.sleep(3)
      press "backspace"
      rt.sleep(0.3)
      press "enter"
      press "b"
    end)
    local n, task, count = length(1)
    expect.equal("pick it 2", ("%s %d"):format(task, count))
    expect.truthy(n < 30, n)
    expect.equal("0 1 1 2", table.concat(begun, " "))
  end)

  it("are recorded while a leader is followed", function()
    local leader <close> = rt.connect "so101_leader"
    with_keys(function(keys, robot)
      local source <close> = enable.key(keys)
      return follow.run(leader, robot, source.held)
    end, nil, function(press)
      local function hold(seconds)
        for _ = 1, seconds / 0.2 do press "e" end
      end
      press "b"
      hold(1)
      local swing = rt.spawn(function() leader:set_joint("shoulder_pan", { shoulder_pan = 0.4, speed = 0.4 }) end)
      hold(3)
      press "enter"
      swing:wait(1)
    end)
    local set <close> = assert(dataset.open(folder))
    local moved, ahead = 0, 0
    for frame in assert(set:episode(0)) do
      local is, asked = frame.state["shoulder_pan.pos"], frame.action["shoulder_pan.pos"]
      moved, ahead = math.max(moved, is), math.max(ahead, asked - is)
    end
    expect.near(math.deg(0.4), moved, 1)
    expect.truthy(ahead > 0.05 and ahead < 10, ahead) -- what is asked for is where the leader is
  end)

  it("are recorded while keys drive, whose own keys stay theirs", function()
    with_keys(function(keys, robot) return require "robotalk.drive".run(robot, nil, keys) end, nil,
      function(press, screen, _, robot)
        press "b"
        press "1"
        for _ = 1, 10 do press "right" end
        rt.sleep(1)
        expect.truthy(math.abs(robot:state().position[1]) > 0.1)
        press "enter"
        says(screen, "episode 0: ")
        press "space"
        rt.sleep(0.2)
        expect.equal(true, robot:state().panic)
        robot:reset()
      end)
    expect.equal(1, select(3, length(0)))
  end)
end)
