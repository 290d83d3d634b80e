-- A script's mistakes are told with its own line, whatever part of the library finds them.
local rt = require "robotalk"

describe("a mistake", function()
  it("is told with the line of the script that makes it", function()
    local robot <close> = rt.connect "pioneer2"
    local tape <close> = assert(robot:session { mode = "playback", duration = 1 })
    for name, fn in pairs {
      ["a mode"] = function() robot:session { mode = 5 } end,
      ["a deadman time"] = function() robot:session { deadman = "x" } end,
      ["a delay"] = function() robot:session { mode = "delay", delay = 0 / 0 } end,
      ["a stop's start"] = function() robot:stop { start = "a" } end,
      ["a start"] = function() robot:go_to { x = 1, start = 1e300 } end,
      ["a dof"] = function() robot:set_joint("head", { nod = 1 }) end,
      ["no dof"] = function() robot:set_joint("head", {}) end,
      ["a command"] = function() robot:send { { op = "fly" } } end,
      ["no command"] = function() robot:send {} end,
      ["no list of commands"] = function() robot:send() end,
      ["no commands"] = function() robot:send { 5 } end,
      ["a stop"] = function() robot:stop(5) end,
      ["a way home"] = function() robot:home(true) end,
      ["a probe"] = function() robot:session { mode = "playback", probe = "x" } end,
      ["no ticket"] = function() robot:result(-1) end,
      ["a time to wait"] = function() rt.wait("key", 0 / 0) end,
      ["a field"] = function() robot:send { { op = "go_to", z = 1 } } end,
      ["a ticket"] = function() robot:result "x" end,
      ["another ticket"] = function() robot:cancel "x" end,
      ["a base"] = function() tape:frame(0, { base = 5 }) end,
      ["two commands for a base"] = function() tape:frame(0, { base = { speed = {}, go_to = {} } }) end,
      ["a joint"] = function() tape:frame(0, { head = 5 }) end,
      ["nothing to call"] = function() robot:broadcast(0.1) end,
      ["nobody to tell"] = function() robot:on_notice() end,
      ["a task"] = function() rt.spawn(5) end,
      ["a key"] = function() rt.wait() end,
      ["a sleep"] = function() rt.sleep "x" end,
      ["a time"] = function() rt.run "x" end,
      ["options"] = function() rt.connect("pioneer2", 5) end,
      ["a timeout"] = function() rt.connect("pioneer2", { timeout = "x" }) end,
      ["a robot"] = function() rt.add_robot(5) end,
      ["a model"] = function() rt.model(5) end,
      ["a server"] = function() rt.serve(5) end,
      ["a server in simulated time"] = function() rt.serve() end,
      ["a command to begin"] = function() robot:begin("goto", {}) end,
      ["a file"] = function() rt.add_mode(5) end,
    } do
      local ok, message = pcall(fn)
      expect.truthy(not ok, name .. " is taken")
      expect.truthy(message:find "^tests/lua/mistakes_test.lua:%d+: %l", name .. ": " .. message)
    end
  end)

  it_really("in what a server shall do is told so, too", function()
    for words, options in pairs {
      ["listen: want a list of 1 to 8 addresses"] = { listen = "unix:x" }, ["want addresses as texts, got number"] = {
        listen = { 5 } }, ["most: want a whole number, 0 or more"] = { most = "x" }, ["stall"] = { stall = 5 } } do
      local ok, message = pcall(function() rt.serve(options) end)
      expect.truthy(not ok and message:find "^tests/lua/mistakes_test.lua:%d+: ", message)
      expect.truthy(message:find(words, 1, true), message)
    end
  end)

  it("is told with that line also where the library is called by a function of C", function()
    local ok, message = pcall(rt.spawn, 5)
    expect.equal(false, ok)
    expect.truthy(message:find "^tests/lua/mistakes_test.lua:%d+: spawn: want a function", message)
  end)

  it("in one part of a frame leaves out all of it", function()
    local robot <close> = rt.connect "pioneer2"
    local tape <close> = assert(robot:session { mode = "delay", delay = 0 })
    expect.raises("has no dof 'nod'", tape.frame, tape, 0, { base = { speed = { x = 1 } }, head = { nod = 1 } })
    rt.sleep(1)
    expect.truthy(not robot:state().moving)
    assert(tape:frame(0, { base = { speed = { x = 1 } } }))
    rt.sleep(0.1)
    expect.truthy(robot:state().moving)
  end)
end)
