-- Driving by keys, with a screen whose keys are typed by the test: that the robot does it.
local core = require "robotalk.core"
local rt = require "robotalk"

describe("a driven robot", function()
  local function drive(fn)
    local drives = require "robotalk.drive"
    local robot <close> = rt.connect "pioneer2"
    local typed, clock = {}, core.now
    -- a screen whose keys are typed by the test
    local screen = { style = { utf8 = false, color = false }, shown = {} }
    function screen.size() return 80, 24 end
    function screen:show(lines) self.shown = lines end
    function screen:next(until_)
      if #typed == 0 and until_ > clock() then rt.wait(self, until_ - clock()) end
      local events = typed
      typed = {}
      return events
    end
    function screen:pause() self.paused = true end
    function screen.drain() end
    setmetatable(screen, { __close = function() end })
    local function key(name)
      typed[#typed + 1] = { key = name, kind = "press" }
      rt.wake(screen)
    end
    local driving = rt.spawn(function() return drives.run(robot, nil, screen) end)
    rt.sleep(0.5)
    fn(robot, key, screen)
    key "ctrl-c"
    expect.equal(true, (driving:wait(5)))
  end
  -- A key that repeats as of a keyboard, for so long; on: it is held already.
  local function hold(key, name, seconds, on)
    local until_ = rt.now() + seconds
    key(name)
    if not on then rt.sleep(0.5) end
    while rt.now() < until_ do
      key(name)
      rt.sleep(0.033)
    end
  end

  it("goes while a key is held, and stands after it", function()
    drive(function(robot, key, screen)
      hold(key, "w", 3)
      expect.near(0.3, robot:state().velocity.x, 1e-6)
      rt.sleep(0.5 + 0.3 / 0.3 + 0.1) -- until no repeat can be missing, and braking
      expect.equal(false, robot:state().moving)
      expect.equal(true, table.concat(screen.shown, "\n"):find("speed 0.30 m/s", 1, true) ~= nil)
    end)
  end)
  it("has a help of the keys that move something", function()
    local face = require "robotalk.drive.face"
    local pilots = require "robotalk.drive.pilot"
    local spec = core.spec()
    for name, words in pairs {
      pioneer2 = { "arrows, WASD: drive .*Q, E: curves; I K J L: head", "U, O: move it", "Q turns" },
      so101_follower = { "left, right, A, D: move the joint while held *$", "U, O: move it", "Ctrl%-C: end; %?" },
      lekiwi = { ", %.: sideways *$", "1%-9, Tab" } } do
      local robot <close> = rt.connect(name)
      local pilot = pilots.new(pilots.parts(robot:describe(), spec.commands))
      local lines = face({ pilot = pilot, message = "", screen = { style = {} }, connecting = name }, 200, 24, 0)
      local shown = table.concat(lines, "\n", #lines - 2)
      for i, line in ipairs { lines[#lines - 2], lines[#lines - 1], lines[#lines] } do
        expect.truthy(not words[i] or line:find(words[i]), shown)
      end
    end
  end)
  it("panics on the space bar, and is reset when the user is sure", function()
    drive(function(robot, key, screen)
      key "w"
      rt.sleep(0.2)
      key "space"
      rt.sleep(0.05)
      expect.equal(true, robot:state().panic)
      key "r"
      rt.sleep(0.2)
      expect.equal(true, robot:state().panic)
      expect.equal(true, table.concat(screen.shown, "\n"):find("Sure?", 1, true) ~= nil)
      key "y"
      rt.sleep(0.2)
      expect.equal(false, robot:state().panic)
      expect.equal(false, robot:state().moving)
    end)
  end)
  it("does not go on when another has stopped it", function()
    drive(function(robot, key)
      local other <close> = rt.connect("local:pioneer2", { apart = true })
      hold(key, "w", 1)
      rt.spawn(other.stop, other)
      hold(key, "w", 1, true)
      expect.equal(0.0, robot:state().velocity.x)
    end)
  end)
  it("stops by itself when the link is cut, and does not go on when it is back", function()
    drive(function(robot, key, screen)
      local other <close> = rt.connect("local:pioneer2", { apart = true })
      hold(key, "w", 2)
      expect.near(0.3, other:state().velocity.x, 1e-6)
      robot.client.link:cut(true)
      local cut = rt.now()
      local holding = rt.spawn(hold, key, "w", 3, true)
      while other:state().velocity.x > 0.299 do rt.sleep(0.01) end
      expect.equal(true, rt.now() - cut <= 0.6)
      rt.sleep(0.5)
      robot.client.link:cut(false)
      holding:wait()
      expect.equal(0.0, other:state().velocity.x)
      expect.equal(true, table.concat(screen.shown, "\n"):find("let go of the keys", 1, true) ~= nil)
      rt.sleep(1)
      hold(key, "w", 1)
      expect.equal(true, other:state().velocity.x > 0)
    end)
  end)
  it("is stopped by Esc, whoever moves it, until G resumes", function()
    drive(function(robot, key, screen)
      local function says(pattern)
        rt.sleep(0.5)
        local shown = table.concat(screen.shown, "\n")
        expect.truthy(shown:find(pattern), shown)
      end
      key "escape"
      says "everything is stopped; nobody else has moved the robot"
      local other <close> = rt.connect("local:pioneer2", { apart = true, name = "olga" })
      other:set_speed { x = 0.1 }
      rt.sleep(0.5)
      key "escape"
      says "everything is stopped; olga %d+: no motion until g resumes"
      expect.equal(0.0, robot:state().velocity.x)
      expect.equal("INTERRUPTED", (other:set_speed { x = 0.1 }))
      key "g"
      says "the stop is over"
      expect.equal("SUCCESS", (other:set_speed { x = 0.1 }))
      key "g"
      says "no stop holds anybody"
    end)
  end)
  it("goes on at the end when another moves it", function()
    local other <close> = rt.connect("pioneer2", { apart = true })
    drive(function() other:set_speed { x = 0.1 } end)
    expect.equal("SUCCESS", (other:set_speed { x = 0.2 }))
  end)
  it("is told who drives it", function()
    drive(function(_, key, screen)
      local other <close> = rt.connect("local:pioneer2", { apart = true, name = "olga" })
      other:set_speed { theta = 0.1 }
      key "w"
      rt.sleep(1.2)
      local shown = table.concat(screen.shown, "\n")
      expect.equal(true, shown:find("BUSY: .*olga") ~= nil, shown)
      expect.near(0.1, other:state().velocity.theta, 1e-6)
    end)
  end)
  it("does not keep its keys waiting while its session is opened", function()
    local drives = require "robotalk.drive"
    local robot <close> = rt.connect "pioneer2"
    local ends = { { key = "ctrl-c", kind = "press" } }
    local screen = setmetatable({ style = { utf8 = false, color = false }, size = function() return 80, 24 end,
      show = function() end, drain = function() end }, { __close = function() end })
    function screen:next(until_)
      if core.now() < 2 and until_ > core.now() then rt.sleep(until_ - core.now()) end
      return ends
    end
    local open, opened = robot.session, nil
    robot.session = function(...)
      rt.sleep(3)
      opened = open(...)
      return opened
    end
    local begin = rt.now()
    expect.equal(true, (drives.run(robot, nil, screen)))
    expect.equal(true, rt.now() - begin < 2)
    rt.sleep(4)
    expect.truthy(opened.closed)
  end)
  it("stands before the program is stopped", function()
    drive(function(robot, key, screen)
      key "a"
      rt.sleep(0.3)
      key "ctrl-z"
      rt.sleep(1)
      expect.equal(true, screen.paused)
      expect.equal(false, robot:state().moving)
    end)
  end)
end)
