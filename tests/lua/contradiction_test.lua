-- A frame whose parts contradict each other raises: the server would refuse all of it, or leave out a part.
local drivers = require "robotalk.drivers"
local rt = require "robotalk"

local HAND = { name = "gripper", joints = {
  { name = "arm", dofs = { { name = "lift" } } },
  { name = "fingers", dofs = { { name = "left" }, { name = "right", mimic = { joint = "fingers", dof = "left" } } } },
  { name = "thumb", parent = 1, dofs = { { mimic = { joint = "fingers", dof = "left", ratio = -1 } } } } },
  frames = { { name = "tip", link = 2 }, { name = "nail", link = 3 } } }

local function raises(robot, words, parts)
  expect.raises("contradiction_test.lua:%d+: frame: " .. words, function() robot:move(parts) end)
  local tape <close> = assert(robot:session { mode = "delay", delay = 0 })
  expect.raises("contradiction_test.lua:%d+: frame: " .. words, function() tape:frame(0, parts) end)
  rt.sleep(0.1)
  expect.truthy(not robot:state().moving)
end

describe("a frame raises", function()
  it("for a control frame and a joint that moves it", function()
    local robot <close> = rt.connect "puma560"
    local pose = { position = { 0.5, 0.2, 0.6 } }
    raises(robot, "waist.q and hand both move waist.q", { hand = pose, waist = 0.3 })
    raises(robot, "%a+%.?%a* and %a+%.?%a* both move waist.q", -- also when a part is no part of the one command
      { hand = { position = { 0.5, 0.2, 0.6 }, speed = 0.1 }, waist = 0.3 })
    raises(robot, "%a+%.?%a* and %a+%.?%a* both move waist.q",
      { hand = pose, waist = { q = 0.3, acceleration = 1 } })
    expect.equal("SUCCESS", (robot:move { hand = pose }))
  end)

  it("for two control frames that have a dof in common", function()
    local name = rt.add_robot(HAND)
    local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
    local robot <close> = rt.connect(name)
    local pose = { position = { 0, 0, 0 }, attitude = false }
    raises(robot, "tip and nail both move arm.lift", { tip = pose, nail = pose })
  end)

  it("for the base and a dof that moves the root", function()
    local robot <close> = rt.connect "flyer"
    raises(robot, "flight.z and base both move flight.z", { base = { speed = { x = 0.1 } }, flight = { z = 1 } })
    raises(robot, "base and flight.z both move flight.z",
      { base = { go_to = { x = 0.1, speed = 0.1 } }, flight = { z = 1 } })
    expect.truthy(pcall(robot.move, robot, { base = { stop = true }, head = { pan = 0.1 } }))
  end)

  it("for a dof and the one that it mimics", function()
    local name = rt.add_robot(HAND)
    local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
    local robot <close> = rt.connect(name)
    raises(robot, "thumb follows fingers.left, and cannot be moved beside it",
      { thumb = 0.1, fingers = { left = 0.1 } })
    raises(robot, "fingers.right follows fingers.left", { fingers = { left = 0.1, right = 0.1 }, arm = 0.2 })
    raises(robot, "fingers.right follows fingers.left", { fingers = { left = 0.1, right = 0.1 } })
    raises(robot, "arm.lift and tip both move arm.lift",
      { arm = 0.1, tip = { position = { 0, 0, 0 } } })
    expect.equal("SUCCESS", (robot:move { fingers = { left = 0.1 }, arm = 0.2 }))
  end)

  it("for two words on the base, and a dof by name and by number", function()
    local robot <close> = rt.connect "pioneer2"
    expect.raises("wants one of speed", function() robot:move { base = { speed = { x = 1 }, go_to = { x = 1 } } } end)
    expect.raises("wants one of speed", function() robot:move { base = { speed = { x = 1 }, stop = true } } end)
    expect.raises("head: 'pan' is there twice", function() robot:move { head = { pan = 0.1, [0] = 0.1 } } end)
    expect.raises("head: 'pan' is there twice",
      function() robot:move { head = { pan = 0.1, ["0"] = 0.1 }, base = { speed = { x = 1 } } } end)
    expect.truthy(not robot:state().moving)
  end)
end)
