-- Frames as one command: the base, joints and control frames together, with one result.
local rt = require "robotalk"

describe("a frame", function()
  it("moves all its parts and has one result", function()
    local robot <close> = rt.connect("asimo")
    local signal, why, result = robot:move { skullbase = { pan = 0.3 }, r_elbow = { pitch = 0.4 },
      base = { speed = { x = 0.1 } } }
    expect.equal("SUCCESS", signal, why)
    expect.equal("move", result.op)
    expect.equal(nil, result.parts)
    local state = robot:state()
    expect.near(0.3, state.joints.skullbase.pan, 1e-6)
    expect.near(0.4, state.joints.r_elbow.pitch, 1e-6)
    expect.truthy(state.x > 0)
    robot:stop()
  end)

  it("with one part is the plain command", function()
    local robot <close> = rt.connect("asimo")
    local _, _, result = robot:move { skullbase = { pan = 0.3 } }
    expect.equal("set_joint", result.op)
    expect.raises("at least one part", function() robot:move {} end)
    expect.raises("no joint 'tail'", function() robot:move { tail = { wag = 1 } } end)
  end)

  it("moves a control frame that has the name of a joint, in a move, a frame and a tape", function()
    for _, case in ipairs {
      { "asimo", "l_hand", { l_shoulder = { pitch = -0.5, roll = 0.3 }, l_elbow = { pitch = 1.3 } }, 0.1 },
      { "aibo_ers7", "mouth", { neck = -0.7, mouth = -0.4 }, -0.1 } } do
      local name <const>, frame <const>, start <const>, there <const> = table.unpack(case)
      local robot <close> = rt.connect(name)
      robot:move(start)
      local function at() return robot.model:fk(robot:state().position, frame).position end
      local p, dof = at(), robot:describe().joints[frame].names[1]
      local function pose(by) return { position = { p[1], p[2], p[3] + by }, attitude = false } end
      expect.equal("set_frame", select(3, robot:move { [frame] = pose(0.01) }).op)
      expect.near(p[3] + 0.01, at()[3], 2e-4)
      local _, _, result = robot:move { [frame] = pose(0), base = { speed = { x = 0.01 } } }
      expect.equal("SUCCESS", result.signal:upper())
      expect.near(p[3], at()[3], 2e-4)
      robot:stop()
      local tape <close> = robot:session { mode = "playback", duration = 1 }
      tape:frame(0, { [frame] = pose(0.01) })
      tape:finish()
      rt.sleep(2)
      expect.near(p[3] + 0.01, at()[3], 2e-4)
      tape:close()
      expect.equal("SUCCESS", robot:move { [frame] = { [dof] = there } }) -- the joint, by its dofs
      expect.equal("set_frame_speed", select(3, robot:move { [frame] = { linear = { 0, 0, 0.01 } } }).op)
      robot:stop()
    end
  end)

  it("leaves out what the body lacks, and says what", function()
    local robot <close> = rt.connect("puma560")
    local signal, _, result = robot:move { base = { speed = { x = 0.1 } }, waist = { q = 0.2 } }
    expect.equal("MODIFIED", signal)
    expect.equal("base", table.concat(result.left_out, " "))
    expect.equal("unsupported", result.reason)
    expect.equal("NA", result.parts[1].signal)
    expect.near(0.2, robot:state().joints.waist.q, 1e-6)
  end)

  it("names what was clipped", function()
    local robot <close> = rt.connect("asimo")
    local signal, _, result = robot:move { skullbase = { pan = 9 }, r_elbow = { pitch = 0.3 } }
    expect.equal("MODIFIED", signal)
    expect.equal("limit", result.reason)
    expect.equal("skullbase", table.concat(result.clipped, " "))
    expect.equal(nil, result.left_out)
  end)

  it("keeps the speed of some joints beside those that have none", function()
    local robot <close> = rt.connect("asimo")
    local signal, _, result = robot:move { vl5 = { yaw = 0.1 }, r_elbow = { pitch = 0.3, speed = 0.1 },
      skullbase = { pan = 0.1, roll = 0.1, speed = 0.05 }, l_elbow = { pitch = 0.2 } }
    expect.equal("SUCCESS", signal)
    expect.truthy(result.finished - result.executed > 3)
    local joints = robot:state().joints
    expect.near(0.1, joints.vl5.yaw, 1e-6)
    expect.near(0.3, joints.r_elbow.pitch, 1e-6)
    expect.near(0.2, joints.l_elbow.pitch, 1e-6)
    expect.near(0.1, joints.skullbase.pan, 1e-6)
    expect.near(0, joints.skullbase.tilt, 1e-6)
    expect.near(0.1, joints.skullbase.roll, 1e-6)
  end)

  it("tells of each part that another frame took over", function()
    local robot <close> = rt.connect("asimo")
    local session <close> = assert(robot:session { mode = "delay", delay = 0 })
    local ticket = session:move { skullbase = { pan = 0.3, roll = 0.1 }, r_elbow = { pitch = 0.3 } }
    local next_ = session:move { skullbase = { pan = 0.1, roll = 0.1 }, vl5 = { yaw = 0.1 } }
    local signal, _, result = session:result(ticket)
    expect.equal("MODIFIED", signal)
    expect.equal("superseded", result.reason)
    local taken = {}
    for i, part in ipairs(result.parts) do taken[i] = ("%s.%s %s"):format(part.part, part.dof, part.reason) end
    expect.equal("skullbase.pan superseded, skullbase.roll superseded", table.concat(taken, ", "))
    expect.equal("SUCCESS", (session:result(next_)))
  end)

  it("is one command of a sequence, also with a hand", function()
    local robot <close> = rt.connect("asimo")
    local session <close> = assert(robot:session { mode = "playback", duration = 0.4 })
    for i = 0, 4 do
      session:frame(i * 0.1, { skullbase = { pan = 0.02 * i }, r_elbow = { pitch = 0.02 * i },
        base = { speed = { x = 0.01 } } })
    end
    local report = assert(session:finish())
    expect.equal(5, report.frames)
    expect.equal(5, report.played)
    expect.equal(5, (report.signals.SUCCESS or 0) + (report.signals.MODIFIED or 0))
  end)

  it("tells in the end what no body could do", function()
    local robot <close> = rt.connect("puma560")
    local session <close> = assert(robot:session { mode = "playback", duration = 0.2 })
    for i = 0, 2 do session:frame(i * 0.1, { base = { speed = { x = 0.1 } }, waist = { q = 0.02 * i } }) end
    local report = assert(session:finish())
    expect.equal(3, report.left_out.base)
    expect.equal(nil, next(report.clipped))
    expect.truthy(tostring(report):find("left out: 3 base", 1, true))
  end)

  it("with a stop is a stop and the rest", function()
    local robot <close> = rt.connect("asimo")
    robot:set_speed { x = 0.2 }
    local signal = robot:move { base = { stop = true }, skullbase = { pan = 0.1 }, r_elbow = { pitch = 0.1 },
      start = rt.now() + 0.1 }
    expect.equal("SUCCESS", signal)
    expect.equal(0, robot:state().twist[1])
  end)
end)

describe("the tables of a move", function()
  it("are checked", function()
    local robot <close> = rt.connect("puma560")
    local function send(move)
      move.op = "move"
      return function() robot:send { move } end
    end
    expect.raises("no field 'dofs'", send { dofs = { 1 } })
    expect.raises("'setpoints' wants a table", send { setpoints = 1 })
    expect.raises("value for each dof", send { setpoints = { dofs = { 1 } } })
    expect.raises("as many numbers", send { setpoints = { dofs = { 1 }, value = { 1, 2 } } })
    expect.raises("finite numbers", send { setpoints = { dofs = { 1 }, value = { 0 / 0 } } })
    expect.raises("whole number", send { speeds = { dofs = { 1.5 }, value = { 0 } } })
    expect.raises("x, y, theta", send { place = { 1, 2 } })
    expect.raises("x, y, theta", send { place = { 1, 2, 3 }, speed = { 1, 2, 3 } })
    expect.raises("wants tables", send { frames = { 1 } })
    expect.raises("six numbers", send { frames = { { frame = 1, servo = 1, values = { 1 } } } })
    expect.raises("0 to 3", send { frames = { { frame = 1, servo = 1, free = 4, values = { 0, 0, 0, 0, 0, 0 } } } })
    local id, _, code = robot:send { { op = "move", setpoints = { dofs = { 2, 1 }, value = { 0, 0 } } } }
    expect.equal(nil, id) -- not in the order of their numbers
    expect.equal("ERANGE", code)
    id = robot:send { { op = "move",
      setpoints = { dofs = { 0, 1 }, value = { 0.1, 0.1 }, velocity = { 0, 0 }, limit = { 0.5, 0 } } } }
    expect.equal("SUCCESS", (robot:result(id)))
  end)
end)
