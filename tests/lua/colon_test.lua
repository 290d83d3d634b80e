-- A dot for a colon, and a colon for a dot, are told in words, at the script's line.
local rt = require "robotalk"

local function says(words, fn)
  local ok, message = pcall(fn)
  expect.truthy(not ok, words .. ": it is taken")
  expect.truthy(tostring(message):find "^tests/lua/colon_test.lua:%d+: ", message)
  expect.truthy(tostring(message):find(words, 1, true), message)
end

describe("a dot for a colon", function()
  it("is told of a robot and its sessions", function()
    local robot <close> = rt.connect "pioneer2"
    says("stop: call it with a colon: robot:stop()", function() robot.stop() end)
    says("go_to: call it with a colon: robot:go_to{…}", function() robot.go_to { x = 1 } end)
    says("sense: call it with a colon: robot:sense(…)", function() robot.sense "laser" end)
    says("set_joint: call it with a colon: robot:set_joint(…)", function() robot.set_joint("head", { pan = 1 }) end)
    says("describe: call it with a colon: robot:describe()", function() robot.describe() end)
    says("override: call it with a colon: robot:override(…)", function() robot.override(0.5) end)
    local tape <close> = robot:session { mode = "playback" }
    says("frame: call it with a colon", function() tape.frame(0, {}) end)
    expect.equal("SUCCESS", (robot.stop(robot))) -- with its object a dot is as good
    expect.equal("SUCCESS", robot:begin("set_joint", "head", { pan = 0.1 }):wait())
  end)
  it("is told of a task, a motion, a camera, a watch and a picture", function()
    local robot <close> = rt.connect "pioneer2"
    local t <close> = rt.spawn(function() rt.sleep(1000) end)
    says("cancel: call it with a colon: task:cancel()", function() t.cancel() end)
    says("wait: call it with a colon: task:wait(…)", function() t.wait(robot) end) -- an object of another class
    local motion <close> = robot:begin("set_joint", "head", { pan = 0.5 })
    says("done: call it with a colon: motion:done()", function() motion.done() end)
    local w <close> = robot:watch "sonar"
    says("next: call it with a colon: watch:next(…)", function() w.next(1) end)
    local b <close> = robot:broadcast(1, function() end)
    says("cancel: call it with a colon", function() b.cancel() end)
    says("frame: call it with a colon: camera:frame()", function() robot:camera().frame() end)
    local picture = rt.picture { bytes = "abc", width = 1, height = 1 }
    says("pixel: call it with a colon: picture:pixel(…)", function() picture.pixel(0, 0) end)
    says("at: call it with a colon: view:at(…)", function() require "robotalk.pictures.views".View.at(1, 1) end)
  end)
end)

describe("a colon for a dot", function()
  it("is told of the module's functions", function()
    says("look: call it with a dot: rt.look{…}", function() rt:look { from = { 0, 0, 1 } } end)
    says("sleep: call it with a dot: rt.sleep(…)", function() rt:sleep(1) end)
    says("now: call it with a dot: rt.now()", function() rt:now() end)
  end)
end)
