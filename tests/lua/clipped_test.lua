-- Results tell what was clipped, and of which frames of a sequence; what was superseded is another matter.
local with_robot = require "tests.lua.with_robot"

local function pan(robot)
  local joint = robot:describe().joints.head
  return robot:describe().limits.dof[joint.first + joint.index.pan + 1]
end

describe("a result", function()
  it("tells what was asked beyond which limit", with_robot(function(robot)
    local limits = pan(robot)
    local signal, _, result = robot:set_joint("head", { pan = 9, tilt = 0.1 })
    expect.equal("MODIFIED", signal)
    expect.equal(nil, result.superseded)
    expect.equal(1, #result.beyond)
    expect.equal("head", table.concat(result.clipped, " "))
    local c = result.beyond[1]
    expect.equal("head pan 9", ("%s %s %g"):format(c.part, c.what, c.asked))
    expect.near(limits.high, c.limit, 1e-6)
    expect.near(limits.high, robot:state().joints.head.pan, 1e-6)
    c = select(3, robot:set_joint("head", { pan = -0.1, speed = 50 })).beyond
    expect.equal("pan.speed 50", ("%s %g"):format(c[1].what, c[1].asked))
    expect.near(limits.speed, c[1].limit, 1e-6)
    c = select(3, robot:set_speed { x = 9, y = 0.5 }).beyond
    expect.equal("base x 1.8", ("%s %s %g"):format(c[1].part, c[1].what, c[1].limit))
    expect.equal("base y 0", ("%s %s %g"):format(c[2].part, c[2].what, c[2].limit))
    robot:stop()
    c = select(3, robot:go_to { x = 0.1, speed = 3 }).beyond
    expect.equal("base speed 3", ("%s %s %g"):format(c[1].part, c[1].what, c[1].asked))
    expect.equal(nil, select(3, robot:set_joint("head", { pan = 0 })).beyond)
  end))

  it("of a control frame tells at which limits of joints it has ended", function()
    local robot <close> = require "robotalk".connect "puma560"
    local _, _, result = robot:set_frame("hand", { position = { -0.4, 0.1, 0.3 }, attitude = false })
    expect.equal("limit", result.reason)
    local dofs = robot:describe().limits.dof
    local texts = {}
    for i, c in ipairs(result.beyond) do texts[i] = ("%s.%s %.3f %s"):format(c.part, c.what, c.limit, c.asked) end
    local want = {}
    for name, joint in pairs(robot:describe().joints) do
      for k = 1, joint.dofs do
        local at, dof = robot:state().position[joint.first + k], dofs[joint.first + k]
        if name == joint.name and math.min(at - dof.low, dof.high - at) < 1e-3 then
          want[#want + 1] = ("%s.%s %.3f nil"):format(name, joint.names[k], at < 0 and dof.low or dof.high)
        end
      end
    end
    table.sort(want)
    expect.truthy(#want > 0)
    expect.same(want, texts)
    -- out of reach: no joint is at its limit
    expect.same({}, select(3, robot:set_frame("hand", { position = { 2, 0, 0.3 }, attitude = false })).beyond)
  end)

  it("of what was superseded says so, and that nothing was clipped", with_robot(function(robot)
    local m = robot:begin("set_joint", "head", { pan = 9 })
    local other = m:retarget { pan = 0.2 }
    local _, _, result = m:wait()
    expect.equal(true, result.superseded)
    expect.equal(nil, result.beyond)
    expect.equal("SUCCESS", (other:wait()))
    m = robot:begin("set_joint", "head", { pan = 9 })
    expect.equal("pan", select(3, m:wait()).beyond[1].what)
  end))
end)

-- Frames of which two are clipped: one at once, one at its end. The other set-points are superseded by the next.
local function play(robot, errors)
  local tape <close> = robot:session { mode = "playback", duration = 2, errors = errors }
  for i = 0, 20 do
    local x = i == 7 and 9 or i * 0.01
    tape:frame(i * 0.1, { head = { pan = x }, base = { speed = { x = i == 12 and 5 or 0.1 } } })
  end
  tape:frame(2.1, { base = { speed = { x = 0 } }, head = { pan = 9 } })
  local report = tape:finish()
  local texts = {}
  for i, frame in ipairs(report.concerned) do
    local names = {}
    for k, c in ipairs(frame.beyond) do names[k] = ("%s.%s %g"):format(c.part, c.what, c.asked) end
    texts[i] = ("%.1f %s %s"):format(frame.t, frame.signal, table.concat(names, ", "))
  end
  table.sort(texts)
  return report, table.concat(texts, "; ")
end

describe("the report of a sequence", function()
  for _, errors in ipairs { false, true } do
    it("names what was neither done nor superseded" .. (errors and ", told of errors only" or ""),
      with_robot(function(robot)
        local report, concerned = play(robot, errors)
        -- the set-point of 0.7 s was superseded before it got to its limit
        expect.equal("1.2 MODIFIED base.x 5; 2.1 MODIFIED head.pan 9", concerned)
        expect.truthy(report.reasons.MODIFIED.superseded > 0)
        expect.equal(22, (report.signals.SUCCESS or 0) + report.signals.MODIFIED)
      end))
  end
end)
