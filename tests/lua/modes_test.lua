-- The four modes of paper 000, section V, and a fifth from a file.
local rt = require "robotalk"
local core = require "robotalk.core"

-- Frames every 0.1 s: drives a little arc; true positions come from the ideal link.
local function drive(session, frames, paced)
  local begin = rt.now()
  for i = 0, frames do
    if paced and begin + i * 0.1 > rt.now() then rt.sleep(begin + i * 0.1 - rt.now()) end
    assert(session:frame(i * 0.1, { base = { speed = { x = i < frames and 0.2 or 0, theta = 0.1 * (i % 3) } } }))
  end
  return session:finish(600)
end

describe("delay mode", function()
  it("runs everything later by its delay, with the times between kept", function()
    local robot <close> = rt.connect("pioneer2")
    local session <close> = robot:session { mode = "delay", delay = 2 }
    local report = assert(drive(session, 20))
    expect.near(2, report.delay, 1e-6)
    expect.near(0, report.worst, 1e-9)
    expect.equal(0, report.underruns)
  end)

  it("refuses a delay below 0 in words", function()
    local robot <close> = rt.connect("pioneer2")
    local session, why, code = robot:session { mode = "delay", delay = -1 }
    expect.equal(nil, session)
    expect.truthy(why:find "delay: expected seconds, 0 to 3600")
    expect.equal("ERANGE", code)
  end)
end)

describe("playback mode", function()
  -- paper 000, VI.B, at several seeds: exact under stalls of up to ten times the frame spacing
  for _, stall in ipairs { 0, 0.05, 0.1, 0.4, 1.0 } do
    it(("plays every frame on time with stalls of 0 to %g s"):format(stall), function()
      local robot <close> = rt.connect("pioneer2", { channel = { stall = { 0, stall } }, timeout = 60 })
      local session <close> = assert(robot:session { mode = "playback", duration = 20, spacing = 0.1 })
      local report = assert(drive(session, 200, true))
      expect.equal(0, report.underruns)
      expect.near(0, report.worst, 1e-9)
      expect.equal(201, report.signals.SUCCESS)
      expect.truthy(report.delay >= report.needed)
    end)
  end

  it("needs no delay when the whole sequence is there at once", function()
    local robot <close> = rt.connect("pioneer2")
    local session <close> = robot:session { mode = "playback", duration = 5 }
    local report = assert(drive(session, 50))
    expect.truthy(report.delay < 0.01)
  end)

  it("answers PANIC to every frame, at whatever moment panic comes", function()
    for moment = 0, 12 do
      local robot <close> = rt.connect("pioneer2")
      local session <close> = robot:session { mode = "playback", duration = 2, spacing = 0.1 }
      for i = 0, 10 do session:frame(i * 0.1, { base = { speed = { x = 0.1 } } }) end
      rt.sleep(moment * 0.1)
      robot:panic()
      robot:reset()
      local x = core.robot_state("pioneer2").pose[1]
      local report = assert(session:finish(60))
      local total = 0
      for signal, n in pairs(report.signals) do
        expect.truthy(signal == "PANIC" or signal == "SUCCESS", signal)
        total = total + n
      end
      expect.equal(11, total)
      rt.sleep(3)
      expect.equal(x, core.robot_state("pioneer2").pose[1], "nothing from before a panic moves the robot")
    end
  end)
end)

describe("broadcast", function()
  it("brings the state every period until cancelled", function()
    local robot <close> = rt.connect("pioneer2")
    local times = {}
    do
      local handle = robot:broadcast(0.05, function(state) times[#times + 1] = state.time end)
      rt.sleep(1.01)
      handle:cancel()
    end
    expect.equal(21, #times) -- one at once, then 20 in a second
    for i = 2, #times do expect.near(0.05, times[i] - times[i - 1], 1e-6) end
    rt.sleep(1)
    expect.equal(21, #times)
  end)

  it("leaves the period to be 1 ms or more", function()
    local robot <close> = rt.connect("pioneer2")
    local got = robot.client:query(robot.number, "broadcast", { period = 1e-4 })
    expect.equal(nil, got)
  end)
end)

describe("a mode of one's own", function()
  local function mode_file(text)
    local path = os.tmpname()
    local name = path .. "_mode.lua"
    os.remove(path)
    local file = assert(io.open(name, "w"))
    file:write(text)
    file:close()
    return name
  end

  it("is chosen by the name of its file", function()
    local path = mode_file [[
      -- twice as late as asked
      return { name = "double", blocking = false, buffered = true,
        open = function(request) return { shift = 2 * tonumber(request.options.wait) } end }]]
    local name = assert(rt.add_mode(path))
    os.remove(path)
    local robot <close> = rt.connect("pioneer2")
    local session <close> = assert(robot:session { mode = name, wait = 0.75 })
    local report = assert(drive(session, 5))
    expect.near(1.5, report.delay, 1e-6)
  end)

  local function opened(text)
    local path = mode_file(text)
    local name = assert(rt.add_mode(path))
    os.remove(path)
    local robot <close> = rt.connect("pioneer2")
    local session, why, code = robot:session { mode = name }
    if session then session:close() end
    return session, why, code, name, robot
  end

  it("that never returns is ended, and the session refused", function()
    local session, why, code = opened "return { name = 'loop', open = function() while true do end end }"
    expect.equal(nil, session)
    expect.equal("EMODE", code)
    expect.truthy(why:find "too long")
  end)

  it("that was cut off is not asked again", function()
    local path = mode_file "local n = 0 return { open = function() n = n + 1 while n == 1 do end return {} end }"
    local name = assert(rt.add_mode(path))
    os.remove(path)
    local robot <close> = rt.connect("pioneer2")
    expect.equal(nil, (robot:session { mode = name }))
    local session, why = robot:session { mode = name }
    expect.equal(nil, session)
    expect.truthy(why:find "the mode was cut off", why)
  end)

  it("has a mebibyte of memory", function()
    local _, why = opened "return { open = function() local s = 'x' while true do s = s .. s end end }"
    expect.truthy(why:find ":1: it wants more than 1 MiB of memory", why)
  end)

  it("cannot work long within one instruction", function()
    local _, why = opened [[return { open = function()
      local t = {}
      for i = 1, 10000 do t[i] = 0 end
      for _ = 1, 20000 do table.insert(t, 1, 0) table.remove(t, 1) end
    end }]]
    expect.truthy(why:find ":4: bad argument #1 to 'insert'", why)
  end)

  it_really("has a few milliseconds of processor time, whatever it does with them", function()
    -- few instructions, each long: 20,000 texts of 250,000 characters
    local _, why = opened [[local s = "x"
      for _ = 1, 18 do s = s .. s end -- while the file is read, which has more time
      return { open = function()
      for i = 1, 20000 do local t = s .. i end
      return {}
    end }]]
    expect.truthy(why and why:find ":4: it computes too long", why)
  end)

  it("that raises while it decides answers all, and its line is told", function()
    local path = mode_file [[return { buffered = true, open = function() return { hold = true } end,
      arrived = function() return nope.x end }]]
    local name = assert(rt.add_mode(path))
    os.remove(path)
    local robot <close> = rt.connect("pioneer2")
    local told
    robot:on_notice(function(what, _, words) if what == "fault" then told = words end end)
    local session <close> = assert(robot:session { mode = name })
    expect.equal(4, assert(drive(session, 3)).reasons.ERROR.mode)
    expect.eventually("a fault is told", function() return told end)
    expect.truthy(told:find ":2: attempt to index a nil value %(global 'nope'%)", told)
  end)

  it("holds only when it is buffered and has a function arrived", function()
    for _, rest in ipairs { "buffered = true", "arrived = function() end" } do
      local session, why = opened("return { open = function() return { hold = true } end, " .. rest .. " }")
      expect.equal(nil, session)
      expect.truthy(why:find("a mode that holds needs buffered = true and a function 'arrived'", 1, true), why)
    end
  end)

  it("has no fields but those of modes, and they are what they should be", function()
    for text, words in pairs {
      ["{ arived = function() end }"] = "arived: expected one of name, blocking, ",
      ["{ expiry = '1' }"] = "expiry: want a number, got string",
      ["{ open = {} }"] = "open: want a function, got table",
      ["{ {} }"] = "number: expected one of name, ",
    } do
      local path = mode_file("return " .. text)
      local name, why, code = rt.add_mode(path)
      os.remove(path)
      expect.equal(nil, name)
      expect.equal("EMODE", code)
      expect.truthy(why:find(words, 1, true), why)
    end
  end)

  it("is a sandbox of its own: what one does to math, others do not see", function()
    local spoilt = assert(opened "math.max = nil string.upper = nil return { open = function() return {} end }")
    expect.truthy(spoilt)
    local robot <close> = rt.connect("pioneer2")
    local session <close> = robot:session { mode = "playback", duration = 1 }
    expect.truthy(drive(session, 10))
  end)

  it_really("does not keep a panic of another client from being acted on", function()
    local path = mode_file [[return { buffered = true, open = function() return { hold = true } end,
      arrived = function()
        local t = {}
        for i = 1, 4000 do t[i] = 0 end
        for _ = 1, 30000 do table.insert(t, 1, 0) table.remove(t, 1) end
        return { hold = true, again = 0 }
      end }]]
    local name = assert(rt.add_mode(path))
    os.remove(path)
    local socket = os.tmpname()
    os.remove(socket)
    rt.add_robot "pioneer2"
    local server = assert(rt.serve { listen = { "unix:" .. socket } })
    do
      local slow <close> = rt.connect("unix:" .. socket)
      local other <close> = rt.connect("unix:" .. socket)
      local session <close> = assert(slow:session { mode = name })
      local told = {}
      slow:on_notice(function(what) told[what] = true end)
      for i = 1, 50 do session:frame(i * 0.1, { base = { speed = { x = 0.1 } } }) end
      session:flush() -- else the question would overtake the frames
      assert(session:status()) -- the server answers when it has read them, and asked the mode
      other:panic()
      expect.truthy(assert(other:state()).panic)
      -- the mode is cut off: its session is told, and each command gets its word
      local signals = assert(session:finish(60)).signals
      expect.equal(50, (signals.ERROR or 0) + (signals.PANIC or 0))
      expect.eventually("both are told", function() return told.fault and told.panicked end)
      local _, why = slow:session { mode = name }
      expect.truthy(why:find "cut off", why)
    end
    server:close()
    core.remove_robot "pioneer2"
  end)

  it("sees neither files nor the system", function()
    local path = mode_file "assert(io == nil and os == nil and require == nil and pcall == nil) return { name = 'm' }"
    expect.truthy(rt.add_mode(path))
    os.remove(path)
  end)

  it("that is no Lua gets its line named", function()
    local path = mode_file "return {\n name = = }"
    local ok, why, code = rt.add_mode(path)
    os.remove(path)
    expect.equal(nil, ok)
    expect.equal("EMODE", code)
    expect.truthy(why:find ":2:")
  end)
end)
