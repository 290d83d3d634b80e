-- When commands go out to a server of RCTP (spec/rctp.md, Time).
local rt = require "robotalk"
local rctp_commands = require "robotalk.rctp.commands"
local rctp_sender = require "robotalk.rctp.sender"

-- A sender by these rules, whose client notes frames: each "NAME=VALUE …". send(name, value, dofs); ended: words of the
-- ends so far.
local function stage(rules, masked)
  local frames, ends, full = {}, {}, false
  local client = {}
  function client.controls(_, list)
    if full then return nil, "there is no room", "EFULL" end
    local words = {}
    for i, one in ipairs(list) do
      words[i], one.stamp = ("%s=%g"):format(one.object.name, one.values[1]), 0
      one.code = one.values[1] > 1e9 and "ERANGE" or nil
    end
    frames[#frames + 1] = table.concat(words, " ")
    return true
  end
  local objects = { pan = { id = 1, name = "pan", masked = masked }, base = { id = 2, name = "base" } }
  local self = { pending = rctp_commands.new(), frames = frames, fill = function(is) full = is end }
  self.sender = rctp_sender.new(client, self.pending, rules)
  function self.send(name, value, dofs)
    self.sender:send(objects[name], { value }, { dofs = dofs, goal = name == "pan", done = function(signal, reason)
      ends[#ends + 1] = ("%s=%g %s %s"):format(name, value, signal, reason or "")
    end })
  end
  function self.hear(code) self.pending:hear { subject = 1, code = code, stamp = 0, text = "" } end
  function self.sent() return table.concat(frames, ", ") end
  function self.ended() return table.concat(ends, ", ") end
  self.pan = objects.pan
  return self
end

describe("a sender of RCTP", function()
  it("waits for no permission after a frame of which nothing went out", function()
    local s = stage { lock = true }
    s.send("pan", 2e9)
    expect.equal(s.ended(), "pan=2e+09 error range")
    s.send("pan", 1)
    expect.equal(s.sent(), "pan=2e+09, pan=1")
    s.send("pan", 2)
    expect.equal(s.sent(), "pan=2e+09, pan=1") -- that one is to be permitted
  end)

  it("sends each message at once where there is no rule", function()
    local s = stage {}
    for i = 1, 3 do s.send("pan", i) end
    expect.equal(s.sent(), "pan=1, pan=2, pan=3")
    expect.equal(s.sender:pause(0.15), 0.15)
    rt.sleep(100)
    expect.equal(s.sender:is_due(), false)
  end)

  it("keeps the least interval: the newest of an object goes, together with others", function()
    local s = stage { least = 0.02, most = 0.5, event = true }
    s.send("pan", 1)
    for i = 2, 4 do s.send("pan", i) end
    s.send("base", 5)
    expect.equal(s.sent(), "pan=1")
    expect.equal(s.ended(), "pan=2 modified superseded, pan=3 modified superseded")
    expect.near(s.sender:pause(0.15), 0.021, 1e-9)
    rt.sleep(0.02)
    s.sender:flush()
    expect.equal(s.sent(), "pan=1")
    rt.sleep(0.002)
    s.sender:flush()
    expect.equal(s.sent(), "pan=1, pan=4 base=5")
  end)

  it("carries along what a newer message without a mask has of other dofs", function()
    local s = stage { least = 0.02 }
    s.send("base", 0)
    s.send("pan", 1, 1)
    s.send("pan", 2, 2)
    rt.sleep(0.1)
    s.sender:flush()
    expect.equal(s.sent(), "base=0, pan=2")
    s.hear(200)
    expect.equal(s.ended(), "pan=2 success , pan=1 success ")
  end)

  it("sends two messages with masks for two dofs", function()
    local s = stage({ least = 0.02 }, true)
    s.send("base", 0)
    s.send("pan", 1, 1)
    s.send("pan", 2, 2)
    rt.sleep(0.1)
    s.sender:flush()
    expect.equal(s.sent(), "base=0, pan=1 pan=2")
  end)

  it("sends again what came too early all the same, three times, unless there is a newer one", function()
    local s = stage { least = 0.02 }
    s.send("pan", 1)
    for _ = 1, 3 do
      s.hear(425)
      rt.sleep(0.1)
      s.sender:flush()
    end
    expect.equal(s.ended(), "")
    expect.equal(s.sent(), "pan=1, pan=1, pan=1, pan=1")
    s.hear(425)
    expect.equal(s.ended(), "pan=1 busy axis")
    s.send("pan", 2)
    s.send("pan", 3)
    s.hear(425)
    expect.equal(s.ended(), "pan=1 busy axis, pan=2 modified superseded")
  end)

  it("waits with control_lock until the server permits the next frame", function()
    local s = stage { lock = true }
    s.send("pan", 1)
    s.send("pan", 2)
    s.send("pan", 3)
    rt.sleep(4)
    s.sender:flush()
    expect.equal(s.sent(), "pan=1")
    s.sender:permit()
    expect.equal(s.sent(), "pan=1, pan=3")
  end)

  it("does not wait for a permission that does not come", function()
    local s = stage { lock = true, least = 0.02 }
    s.send("pan", 1)
    s.hear(425) -- it was refused whole
    rt.sleep(0.1)
    s.sender:flush()
    expect.equal(s.sent(), "pan=1, pan=1")
    s.send("pan", 2)
    rt.sleep(6)
    s.sender:flush()
    expect.equal(s.sent(), "pan=1, pan=1, pan=2")
  end)

  it("sends nothing of what was dropped", function()
    local s = stage { least = 0.02 }
    s.send("base", 0)
    s.send("base", 1)
    s.send("pan", 1)
    s.sender:drop(s.pan)
    expect.equal(s.ended(), "pan=1 interrupted stopped")
    rt.sleep(1)
    s.sender:flush()
    expect.equal(s.sent(), "base=0, base=1")
  end)

  it("does not send again what was dropped while the server found it too early", function()
    local s = stage { least = 0.02 }
    s.send("pan", 1)
    s.sender:drop(s.pan)
    s.hear(425)
    rt.sleep(1)
    s.sender:flush()
    expect.equal(s.sent(), "pan=1")
    expect.equal(s.ended(), "pan=1 busy axis")
    s.send("pan", 2) -- a command of after that goes again
    s.hear(425)
    rt.sleep(1)
    s.sender:flush()
    expect.equal(s.sent(), "pan=1, pan=2, pan=2")
  end)

  it("wants a frame in each third of the greatest interval, where the server is time driven", function()
    local s = stage { least = 0, most = 0.3 }
    expect.near(s.sender:pause(0.15), 0.1, 1e-9)
    expect.equal(s.sender:is_due(), false)
    rt.sleep(0.11)
    expect.equal(s.sender:is_due(), true)
    s.send("base", 0)
    expect.equal(s.sender:is_due(), false)
    local event = stage { least = 0, most = 0.3, event = true }
    rt.sleep(1)
    expect.equal(event.sender:is_due(), false)
  end)

  it("says what could not be sent", function()
    local s = stage {}
    s.send("pan", 1e10)
    expect.equal(s.ended(), "pan=1e+10 error range")
    s.fill(true)
    s.send("base", 1)
    expect.equal(s.ended(), "pan=1e+10 error range, base=1 error full")
    s.fill(false)
    s.send("base", 2)
    expect.equal(s.sent(), "pan=1e+10, base=2")
  end)
end)
