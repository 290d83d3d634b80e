-- Driving by keys: what a pilot wants to be sent.
local pilots = require "robotalk.drive.pilot"
local core = require "robotalk.core"
local rt = require "robotalk"
local spec = core.spec()

-- Of a robot: its pilot, which is ready.
local function pilot_of(name)
  local robot <close> = rt.connect(name)
  local pilot = pilots.new(pilots.parts(robot:describe(), spec.commands))
  pilot:step(0)
  return pilot
end

local function press(pilot, key, now, kind) return pilot:take({ { key = key, kind = kind or "press" } }, now) end

-- What is to be sent, as a text.
local function sent(pilot, now, trouble)
  local words = {}
  for _, action in ipairs(pilot:step(now, trouble)) do
    words[#words + 1] = action.op == "speed" and ("x %g y %g turn %g"):format(action.x, action.y, action.turn)
      or action.op == "dof" and ("%s %g"):format(pilot.parts.dofs[action.number].dof, action.speed) or action.op
  end
  return table.concat(words, ", ")
end

describe("a pilot", function()
  it("drives while a key is held, and stops", function()
    local pilot = pilot_of "pioneer2"
    press(pilot, "w", 0)
    expect.equal("x 0.3 y 0 turn 0", sent(pilot, 0))
    expect.equal("", sent(pilot, 0.6)) -- nothing new
    expect.near(0.7, pilot:due(0.6), 1e-9)
    expect.equal("stop", sent(pilot, 0.7))
    expect.equal("", sent(pilot, 0.8))
  end)
  it("has the opposite key end the first one, and other keys add to it", function()
    local pilot = pilot_of "pioneer2"
    press(pilot, "up", 0)
    press(pilot, "down", 0.1)
    expect.equal("x -0.3 y 0 turn 0", sent(pilot, 0.1))
    press(pilot, "a", 0.2)
    expect.equal("x -0.3 y 0 turn 0.8", sent(pilot, 0.2))
    expect.equal("x 0 y 0 turn 0.8", sent(pilot, 0.85))
    expect.equal("stop", sent(pilot, 1))
    press(pilot, "e", 2)
    expect.equal("x 0.3 y 0 turn -0.8", sent(pilot, 2))
  end)
  it("knows of both keys where the terminal tells of releases", function()
    local pilot = pilot_of "pioneer2"
    pilot:take({ { kitty = 11 } }, 0)
    press(pilot, "w", 0)
    press(pilot, "s", 0.1)
    expect.equal("", sent(pilot, 0.1)) -- they cancel each other
    press(pilot, "s", 0.2, "release")
    expect.equal("x 0.3 y 0 turn 0", sent(pilot, 0.2))
    press(pilot, "w", 0.3, "release")
    expect.equal("stop", sent(pilot, 0.3))
  end)
  it("moves the head the way that its axes have it, and the joint that was chosen", function()
    local pilot = pilot_of "pioneer2"
    press(pilot, "j", 0)
    press(pilot, "i", 0)
    expect.equal("pan 0.5, tilt 0.5", sent(pilot, 0))
    press(pilot, "2", 0.1) -- what moves ends with the choice
    expect.equal("stop", sent(pilot, 0.1))
    press(pilot, "u", 0.2)
    expect.equal("tilt -0.5", sent(pilot, 0.2))
    local arm = pilot_of "puma560"
    press(arm, "3", 0)
    press(arm, "left", 0)
    expect.equal("q -0.5", sent(arm, 0))
    press(arm, "w", 0.1)
    expect.equal("", sent(arm, 0.1)) -- it has no base
  end)
  it("keeps within the limits of the body", function()
    local pilot = pilot_of "pioneer2"
    for _ = 1, 30 do press(pilot, "+", 0) end
    press(pilot, "w", 0)
    press(pilot, "k", 0)
    expect.equal("x 1.8 y 0 turn 0, tilt -0.872665", sent(pilot, 0))
    for _ = 1, 60 do press(pilot, "-", 0) end
    expect.equal("x 0.03 y 0 turn 0, tilt -0.05", sent(pilot, 0))
  end)
  it("does not go on by itself after it was blocked", function()
    local pilot = pilot_of "pioneer2"
    press(pilot, "w", 0)
    sent(pilot, 0)
    press(pilot, "w", 0.5)
    pilot:block "another client stopped the robot"
    expect.equal("stop", sent(pilot, 0.5))
    for i = 1, 30 do
      press(pilot, "w", 0.5 + i * 0.033) -- still held
      expect.equal("", sent(pilot, 0.5 + i * 0.033))
    end
    expect.equal("", sent(pilot, 3))
    press(pilot, "w", 3.1)
    expect.equal("x 0.3 y 0 turn 0", sent(pilot, 3.1))
  end)
  it("wants nothing while the robot cannot be driven, nor after that from a key that is still held", function()
    local pilot = pilot_of "pioneer2"
    press(pilot, "w", 0)
    sent(pilot, 0)
    expect.equal("stop", sent(pilot, 0.1, "the link is lost"))
    expect.equal("", sent(pilot, 0.2))
    expect.equal("", sent(pilot, 1))
    press(pilot, "w", 1.1)
    expect.equal("x 0.3 y 0 turn 0", sent(pilot, 1.1))
    expect.equal("stop", sent(pilot, 1.2, "stopped"))
    pilot:take({ { focus = false } }, 1.3)
    expect.equal("", sent(pilot, 1.3))
  end)
  it("moves no head that is not there", function()
    for _, key in ipairs { "j", "l", "i", "k" } do
      local pilot = pilot_of "so101_follower"
      press(pilot, key, 0)
      expect.equal("", sent(pilot, 0))
    end
  end)
  it("gives a panic back first, whatever came with it, and drives by no paste", function()
    local pilot = pilot_of "pioneer2"
    local events = {}
    for key in ("wasdr"):gmatch "." do events[#events + 1] = { key = key, kind = "press" } end
    events[#events + 1] = { key = "space", kind = "press" }
    local rest = pilot:take(events, 0)
    expect.equal("space", rest[1].key)
    expect.equal("", sent(pilot, 0))
  end)
end)
