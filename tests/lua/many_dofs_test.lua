-- Bodies of more dofs than a word has bits, over the wire: a humanoid with hands has 60 to 80, a body may have 512.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local near = require "tests.lua.near"

-- A chain of so many dofs, one a joint, the first one two where `pair` says so; `extra` stands beside the joints.
local function chain(dofs, extra, pair)
  local joints = {}
  for i = 1, pair and dofs - 1 or dofs do
    local dof = "{ name = '%s', axis = { 0, %s }, limit = { -1, 1 }, speed = 2, acceleration = 10, home = 0.25 }"
    local q, p = dof:format("q", "0, 1"), pair and i == 1 and ", " .. dof:format("p", "1, 0") or ""
    local joint = "{ name = 'j%d', parent = %d, inboard = { 0.01, 0, 0 }, servo = { 'setpoint', 'speed' }, %s }"
    joints[i] = joint:format(i, i - 1, ("dofs = { %s%s }"):format(q, p))
  end
  return ("return { name = 'snake', %s joints = { %s } }"):format(extra or "", table.concat(joints, ", "))
end

-- A robot of that source, until the value is closed.
local function make(source)
  assert(rt.add_robot(assert(descriptor.read(source, "snake.lua"))))
  return setmetatable({}, { __close = function() core.remove_robot "snake" end })
end

-- The dofs of a state in their order: positions of j1, j2, …
local function positions(state, dofs)
  local list = {}
  for i = 1, dofs do list[i] = state.joints["j" .. i].q end
  return list
end

local function frame(dofs, value)
  local parts = {}
  for i = 1, dofs do parts["j" .. i] = { q = value(i) } end
  return parts
end

describe("a body of 80 dofs", function()
  it("moves them all by one command", function()
    local _ <close> = make(chain(80))
    local robot <close> = rt.connect "local:snake"
    local function value(i) return (i - 40) / 100 end
    local signal, why, result = robot:move(frame(80, value))
    expect.equal("SUCCESS", signal, why)
    expect.equal("move", result.op)
    expect.equal(nil, result.parts)
    local wanted = {}
    for i = 1, 80 do wanted[i] = value(i) end
    near(positions(robot:state(), 80), wanted, 1e-6, "positions")
  end)

  it("names the last of them: what is clipped, who holds it, what stops", function()
    local _ <close> = make(chain(80))
    local robot <close> = rt.connect "local:snake"
    local signal, why, result = robot:move { j1 = { q = 0.1 }, j80 = { q = 9 } }
    expect.equal("MODIFIED", signal, why)
    expect.equal("j80", table.concat(result.clipped, " "))
    local one <close> = assert(robot:session { mode = "delay", delay = 0 })
    local other <close> = assert(robot:session())
    local high = one:move { j70 = { q = -1 }, j71 = { q = -1 } }
    local low = one:set_joint("j6", { q = -1 })
    rt.sleep(0.05)
    expect.equal("BUSY", other:set_joint("j71", { q = 0 }))
    expect.equal("SUCCESS", other:set_joint("j7", { q = 0.3 }), "it is another's, with the same place in its word")
    expect.equal("SUCCESS", other:stop "j71")
    expect.equal("INTERRUPTED", (one:result(high)))
    local stopped = robot:state().joints.j71.q
    expect.equal("SUCCESS", (one:result(low)))
    expect.near(stopped, robot:state().joints.j71.q, 1e-9)
    expect.near(-1, robot:state().joints.j6.q, 1e-6)
    expect.truthy(stopped > -0.9, "it braked on its way")
  end)

  it("has a hand at its end that goes where it is told", function()
    local _ <close> = make(chain(80, "frames = { { name = 'hand', link = 80, servo = { 'setpoint', 'speed' } } },"))
    local robot <close> = rt.connect "local:snake"
    local at = robot.model:fk(robot:state().position, "hand").position
    local to = { at[1] + 0.02, at[2] - 0.03, at[3] }
    expect.equal("SUCCESS", robot:set_frame("hand", { position = to }))
    near(robot.model:fk(robot:state().position, "hand").position, to, 1e-4, "position")
    expect.equal("SUCCESS", robot:set_frame_speed("hand", { linear = { 0.01, 0, 0 } }))
    rt.sleep(0.2)
    expect.truthy(robot:state().moving)
    expect.equal("SUCCESS", robot:stop "hand")
    rt.sleep(0.5)
    expect.truthy(not robot:state().moving)
  end)

  it("hangs on one bus", function()
    local _ <close> = make(chain(80, "bus = { rate = 4000 },"))
    local robot <close> = rt.connect "local:snake"
    local signal, why = robot:move(frame(80, function(i) return i / 100 end))
    expect.equal("SUCCESS", signal, why)
    local report = assert(robot:bus())
    for i = 1, 80 do expect.truthy(report.joints["j" .. i].q.messages > 0, "dof " .. i) end
  end)

  it("hangs on two CAN buses", function()
    local function wrong(dofs)
      local joints, layouts = {}, {}
      for i = 1, dofs do
        joints[i] = ("{ name = 'j%d', driver = 'arm', servo = { 'speed', 'setpoint' }, dofs = { {} } }"):format(i)
        layouts[i] = ("j%d = 'velocity node=%d scale=1000'"):format(i, i)
      end
      local body = "return { name = 'x', joints = { %s }, drivers = { arm = { driver = 'can', port = 'can0', %s } } }"
      local _, message = descriptor.read(body:format(table.concat(joints, ", "), table.concat(layouts, ", ")), "x.lua")
      return message
    end
    expect.equal(nil, wrong(64))
    expect.truthy(wrong(65):find("drivers.arm: drives at most 64 dofs; a body of more has several buses", 1, true))
  end)

  it("plays a tape", function()
    local _ <close> = make(chain(80))
    local robot <close> = rt.connect "local:snake"
    local session <close> = assert(robot:session { mode = "playback", duration = 0.5 })
    for n = 0, 24 do session:frame(n * 0.02, frame(80, function() return 0.25 + 0.01 * n end)) end
    local report = assert(session:finish())
    expect.equal(25, report.played)
    for _, name in ipairs { "j1", "j80" } do expect.near(0.49, robot:state().joints[name].q, 0.02, name) end
  end)
end)

describe("a body of 512 dofs", function()
  it("moves, tells where it is, and beats", function()
    local _ <close> = make(chain(512, nil, true))
    local robot <close> = rt.connect "local:snake"
    expect.equal(512, #robot:describe().kinematics:home())
    local beats, last = 0
    do
      local watch <close> = robot:broadcast(0.05, function(state) beats, last = beats + 1, state end)
      local _ = watch
      local signal, why = robot:move(frame(511, function(i) return i / 1000 end))
      expect.equal("SUCCESS", signal, why)
      rt.sleep(0.1)
    end
    expect.truthy(beats > 3)
    local state = robot:state()
    expect.equal(512, #state.position)
    for i = 1, 511 do
      expect.near(i / 1000, state.joints["j" .. i].q, 1e-6)
      expect.near(i / 1000, last.joints["j" .. i].q, 1e-6)
    end
    expect.near(0.25, state.joints.j1.p, 1e-6)
    expect.equal("SUCCESS", robot:home())
    expect.near(0.25, robot:state().joints.j511.q, 1e-6)
  end)

  it("is the largest: one more is refused with plain words", function()
    for _, source in ipairs { chain(513), chain(513, nil, true), chain(512) } do
      local body, why = descriptor.read(source, "snake.lua")
      expect.equal(nil, body)
      expect.truthy(why:find "snake.lua" and why:find "51[12]", why)
    end
  end)
end)
