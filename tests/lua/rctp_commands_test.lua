-- Which command a status of RCTP ends (spec/rctp.md, Status), and the words of a stop.
local rt = require "robotalk"
local rctp_commands = require "robotalk.rctp.commands"
local rctp_parts = require "robotalk.rctp.parts"

-- Commands of one object, and what became of them: add(name, fields), hear(code, stamp, text); ended: words of the
-- ends since it was read last, as "NAME signal reason".
local function stage(object)
  object.id = 1
  local pending, ends = rctp_commands.new(), {}
  local self = { pending = pending }
  function self.add(name, command)
    command = command or {}
    function command.done(signal, reason)
      ends[#ends + 1] = name .. " " .. signal .. (reason and " " .. reason or "")
    end
    pending:add(object, command)
  end
  function self.hear(code, text, stamp)
    pending:hear { subject = 1, code = code, text = text or "", stamp = stamp or 0 }
    local all = table.concat(ends, ", ")
    ends = {}
    return all
  end
  function self.give_up(rests)
    pending:give_up(rests)
    return self.hear(100)
  end
  return self
end

describe("a status of RCTP", function()
  it("names its command by the stamp, in whatever order they end", function()
    local s = stage { stamp_size = 2 }
    s.add("go_to", { goal = true, stamp = 7 })
    s.add("home", { goal = true, stamp = 8 })
    s.add("reset", { stamp = 9 })
    expect.equal(s.hear(200, "", 9), "reset success")
    expect.equal(s.hear(200, "", 5), "") -- of a command that was given up
    expect.equal(s.hear(200, "", 8), "home success")
    expect.equal(s.hear(409, "stopped: by a stop", 7), "go_to interrupted stopped")
  end)

  it("without stamps, refuses the newest goal while older ones go on", function()
    for _, code in ipairs { 400, 403, 404, 409, 413, 425, 429, 501 } do
      local s = stage { masked = true }
      s.add("older", { goal = true, dofs = 1 })
      s.add("newer", { goal = true, dofs = 2 })
      expect.truthy(s.hear(code):find "^newer ")
      expect.equal(s.hear(200), "older success")
    end
  end)

  it("without stamps, refuses what is answered at once in order", function()
    local s = stage {}
    s.add "first"
    s.add "second"
    expect.equal(s.hear(400), "first error range")
    expect.equal(s.hear(200), "second success")
  end)

  it("without stamps, refuses a reset beside a motion", function()
    local s = stage {}
    s.add("go_to", { goal = true })
    s.add "reset"
    expect.equal(s.hear(403), "reset error role")
    expect.equal(s.hear(200), "go_to success")
  end)

  it("without stamps, ends a motion by the stop behind it before the stop", function()
    local s = stage {}
    s.add("go_to", { goal = true })
    s.add("stop", { goal = true })
    expect.equal(s.hear(409, "stopped: a stop has ended it"), "go_to interrupted stopped")
    expect.equal(s.hear(200), "stop success")
  end)

  it("without stamps, answers a panic before the motion that it ends", function()
    local s = stage {}
    s.add("home", { goal = true })
    s.add "panic"
    expect.equal(s.hear(200), "panic success")
    expect.equal(s.hear(503, "panic: until the reset"), "home panic panic")
  end)

  it("without stamps, supersedes what a later command takes a dof from", function()
    local s = stage { masked = true }
    s.add("pan", { goal = true, dofs = 1 })
    s.add("tilt", { goal = true, dofs = 2 })
    s.add("tilt again", { goal = true, dofs = 2 })
    expect.equal(s.hear(205), "tilt modified superseded")
    expect.equal(s.hear(200), "pan success")
    expect.equal(s.hear(200), "tilt again success")
  end)

  it("does not end a goal that a later message without a mask carries along", function()
    for _, stamp_size in ipairs { 0, 4 } do
      local s = stage { stamp_size = stamp_size }
      s.add("pan", { goal = true, dofs = 1, stamp = 1 })
      s.add("tilt", { goal = true, dofs = 2, stamp = 2 })
      expect.equal(s.hear(205, "superseded:", 1), "")
      s.add("tilt again", { goal = true, dofs = 2, stamp = 3 })
      expect.equal(s.hear(205, "superseded:", 2), "tilt modified superseded")
      expect.equal(s.hear(200, "", 3), "tilt again success, pan success")
    end
  end)

  it("of a later message on the same dofs does end it", function()
    local s = stage {}
    s.add("pan", { goal = true, dofs = 1 })
    s.add("pan again", { goal = true, dofs = 1 })
    expect.equal(s.hear(205), "pan modified superseded")
  end)

  it("of which there is no command is passed over", function()
    local s = stage {}
    expect.equal(s.hear(200), "")
    s.add "stop"
    expect.equal(s.hear(100), "")
  end)
end)

describe("a command of RCTP without a status", function()
  it("is given up after 5 s, when it should have been answered at once", function()
    local s = stage {}
    s.add "speed"
    rt.sleep(4)
    expect.equal(s.give_up(0), "")
    rt.sleep(2)
    expect.equal(s.give_up(rt.now()), "speed error link")
  end)

  it("is given up when the robot has rested for 10 s: its state says whether it was reached", function()
    local s, there = stage {}, false
    s.add("near", { goal = true, reached = function() return there end })
    s.add("far", { goal = true })
    rt.sleep(60)
    expect.equal(s.give_up(rt.now() - 9), "")
    there = true
    expect.equal(s.give_up(rt.now() - 11), "far error link, near success")
  end)

  it("is waited for as long as it lasts, where the server tells of ends", function()
    local s = stage {}
    s.add "stop"
    expect.equal(s.hear(200), "stop success")
    s.add("go_to", { goal = true })
    rt.sleep(1000)
    expect.equal(s.give_up(0), "")
    expect.equal(s.hear(200), "go_to success")
  end)
end)

describe("a stop of some of a robot behind RCTP", function()
  -- Dofs 0 and 1, and dof 2, which takes no commands.
  local robot = { has_base = true, joints = { { name = "head", first = 0, dofs = { 1, 2 }, names = { "pan", "tilt" } },
    { name = "caster", first = 2, dofs = {}, names = { "caster" } } } }
  for _, case in ipairs {
    { "everything", {}, "stop" },
    { "a base", { base = 1, mask = "\0" }, "stop base" },
    { "a joint", { base = 0, mask = "\3" }, "stop head" },
    { "a dof", { base = 0, mask = "\2" }, "stop head.tilt" },
    { "a dof, beside one that takes no commands", { base = 0, mask = "\5" }, "stop head.pan" },
    { "all that takes commands", { base = 1, mask = "\3" }, "stop base head" },
    { "all that this one moves", { own = true }, "stop own" },
    { "what takes no commands", { base = 0, mask = "\4" }, nil },
  } do
    it("says so: " .. case[1], function() expect.equal(case[3], (rctp_parts.of(robot, case[2]))) end)
  end
end)
