-- luacheck: no max line length
-- A robot that is described anew while it lives: sessions, queues and positions stay; what is wrong leaves it alone.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"

local function text_of(joints, extra)
  return ("return { name = 'thing', base = {}, %s joints = { %s } }"):format(extra or "", joints)
end
local function joint(name, dofs) return ("{ name = '%s', parent = 0, servo = { 'setpoint', 'speed' }, dofs = { %s } }"):format(name, dofs) end
local PAN = "{ name = 'pan', limit = { -2, 2 }, speed = 1, acceleration = 10 }"
local TILT = "{ name = 'tilt', limit = { -1, 1 }, speed = 1, acceleration = 10 }"

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- A driver in Lua of one dof, which is at its option `at`, and then at each set-point at once; its path.
local function write_driver()
  local path = os.tmpname() .. ".lua"
  write(path, [[
    return {
      open = function(self, config) self:report { position = { config.at }, speed = { 0 } } return {} end,
      start = function(self, cmd, done)
        self:report { position = { cmd.value[1] }, speed = { 0 } }
        done("success")
      end,
    }]])
  return path
end

-- A case with a robot `thing`, which is gone afterwards.
local function with_thing(what, fn)
  it(what, function()
    fn()
    core.remove_robot("thing")
  end)
end

describe("a robot that is described anew", function()
  with_thing("keeps queued commands whose names are still there, under their new numbers", function()
    local d = assert(descriptor.read(text_of(joint("head", PAN .. "," .. TILT) .. "," .. joint("tail", TILT)), "a.lua"))
    assert(rt.add_robot(d))
    local robot <close> = rt.connect("local:thing")
    local session <close> = assert(robot:session { mode = "delay", delay = 0 })
    robot:set_joint("head", { pan = 0.5, tilt = 0.2 })
    local now = rt.now()
    local pan = session:set_joint("head", { pan = 1, start = now + 2 })
    local tail = session:set_joint("tail", { tilt = 0.4, start = now + 2 })
    local go = session:go_to { x = 0.1, y = 0, theta = 0, start = now + 3 }
    rt.sleep(0.1)
    -- the head is joint 2 now, its dofs the other way round; the tail is gone
    local report, message = robot:reload(assert(descriptor.read(text_of(joint("arm", PAN) .. "," .. joint("head", TILT .. "," .. PAN)), "b.lua")))
    expect.truthy(report, message)
    expect.equal(report.kept, 2)
    expect.equal(report.dropped, 1)
    local word, why = session:result(tail)
    expect.equal(word, "ERROR")
    expect.truthy(why:find("described anew", 1, true), why)
    local state = robot:state()
    expect.equal(state.joints.head.pan, 0.5) -- where it was
    expect.equal(state.joints.head.tilt, 0.2)
    expect.equal(state.joints.arm.pan, 0)
    expect.equal(session:result(pan), "SUCCESS")
    expect.equal(robot:state().joints.head.pan, 1)
    expect.equal(session:result(go), "SUCCESS")
    expect.equal(session:set_joint("arm", { pan = 0.1 }) ~= nil, true)
  end)
  with_thing("is told to a broadcast that goes on, also by a client that has not heard of it", function()
    local one, two = joint("head", PAN), joint("head", PAN .. "," .. TILT)
    assert(rt.add_robot(assert(descriptor.read(text_of(two), "a.lua"))))
    local robot <close> = rt.connect("local:thing")
    local far <close> = rt.connect("local:thing", { channel = { latency = 0.05 } })
    local seen, newest = 0, nil
    local watch <close> = far:broadcast(0.01, function(state) seen, newest = seen + 1, state end)
    local _ = watch
    rt.sleep(0.5)
    expect.equal(newest.joints.head.tilt, 0)
    assert(robot:reload(assert(descriptor.read(text_of(one), "b.lua"))))
    -- the first states with one dof come before the description: nobody is told of those
    local t = rt.spawn(function() return far:state() end)
    rt.sleep(2)
    local before = seen
    rt.sleep(0.5)
    expect.truthy(seen > before, "it goes on")
    expect.equal(newest.joints.head.tilt, nil)
    expect.equal(#newest.position, 1)
    local ok, state, _, code = t:wait()
    expect.truthy(ok)
    expect.truthy(state and #state.position == 1 or code == "EBODY", code)
  end)
  with_thing("interrupts what moves, and goes on from there", function()
    assert(rt.add_robot(assert(descriptor.read(text_of(joint("head", PAN)), "a.lua"))))
    local robot <close> = rt.connect("local:thing")
    local session <close> = assert(robot:session { mode = "delay", delay = 0 })
    local ticket = session:set_joint("head", { pan = 1 })
    rt.sleep(0.5)
    assert(robot:reload(assert(descriptor.read(text_of(joint("head", PAN), "deadman = 1,"), "b.lua"))))
    local word, why = session:result(ticket)
    expect.equal(word, "INTERRUPTED")
    expect.truthy(why:find("described anew", 1, true), why)
    local x = robot:state().joints.head.pan
    expect.truthy(x > 0.3 and x < 0.6, ("at %g"):format(x))
    expect.equal(robot:describe().deadman, 1)
  end)
  with_thing("translates what a client sends before it knows", function()
    assert(rt.add_robot(assert(descriptor.read(text_of(joint("head", PAN) .. "," .. joint("tail", TILT)), "a.lua"))))
    local robot <close> = rt.connect("local:thing")
    local other <close> = rt.connect("local:thing")
    local ticket
    -- the other client's package is under way while the robot is described anew
    local old = other.body.revision
    assert(robot:reload(assert(descriptor.read(text_of(joint("tail", TILT) .. "," .. joint("head", PAN)), "b.lua"))))
    ticket = assert(other.client.link:send(other.number, { { op = "set_joint", joint = 1, mask = 1, value = { 0.7, 0, 0, 0, 0, 0 } } }, old))
    expect.equal(other:result(ticket), "SUCCESS")
    expect.equal(robot:state().joints.head.pan, 0.7)
    expect.equal(robot:state().joints.tail.tilt, 0)
  end)
  with_thing("goes on as it was when the new description is wrong", function()
    assert(rt.add_robot(assert(descriptor.read(text_of(joint("head", PAN)), "a.lua"))))
    local robot <close> = rt.connect("local:thing")
    local path = os.tmpname() .. ".lua"
    write(path, "return {\n  name = 'thing',\n  base = { speed = 7 },\n}")
    local report, message, code = robot:reload(path)
    local _
    expect.truthy(not report)
    expect.equal(code, "EINVAL")
    expect.equal(message, path .. ":3: base.speed: expected { x =, y =, theta = }, got 7")
    write(path, "return { name = 'other', base = {} }")
    report, message = robot:reload(path)
    expect.truthy(not report)
    expect.equal(message, "expected the description of thing, got that of other")
    local bad = assert(descriptor.read(text_of(joint("head", PAN)):gsub("base = {}", "base = { driver = 'nobody' }"), "c.lua"))
    report, _, code = robot:reload(bad)
    expect.truthy(not report)
    expect.equal(code, "EDEVICE")
    os.remove(path)
    expect.equal(robot:set_joint("head", { pan = 0.3 }), "SUCCESS")
    expect.equal(robot:go_to { x = 0.2, y = 0, theta = 0 }, "SUCCESS")
  end)
  with_thing("is told by its file", function()
    local path = os.tmpname() .. ".lua"
    write(path, text_of(joint("head", PAN)))
    assert(rt.add_robot(path))
    local robot <close> = rt.connect("local:thing")
    local watch = require "robotalk.server.reload".watch("thing", 0.5)
    local told
    robot:on_notice(function(what, value) if what == "changed" then told = value end end)
    rt.sleep(1)
    write(path, text_of(joint("head", PAN) .. "," .. joint("tail", TILT)))
    rt.sleep(2)
    expect.equal(told, 1)
    expect.equal(robot:set_joint("tail", { tilt = 0.5 }), "SUCCESS")
    -- a script that raises, or never ends, while it is loaded is not the end of watching
    core.budget(1) -- beside instructions it is processor time, of which a busy machine gives a description more
    local script = os.tmpname() .. ".lua"
    for _, bad in ipairs { "error 'no'", "while true do end" } do
      write(script, bad)
      write(path, text_of(joint("head", PAN), ("drivers = { sim = { script = '%s' } },"):format(script)))
      rt.sleep(2)
    end
    write(path, text_of(joint("head", PAN)))
    rt.sleep(2)
    expect.equal(told, 2)
    os.remove(script)
    watch:cancel()
    os.remove(path)
  end)
  with_thing("sees what was changed before it is watched", function()
    local path = os.tmpname() .. ".lua"
    write(path, text_of(joint("head", PAN)))
    assert(rt.add_robot(path))
    write(path, text_of(joint("head", PAN) .. "," .. joint("tail", TILT)))
    local watch = require "robotalk.server.reload".watch("thing", 0.5)
    local robot <close> = rt.connect("local:thing")
    rt.sleep(2)
    expect.equal(robot:set_joint("tail", { tilt = 0.5 }), "SUCCESS")
    watch:cancel()
    os.remove(path)
  end)
  with_thing("takes its drivers in Lua along, and brings the old ones back", function()
    local path = write_driver()
    local function with(at, script)
      return assert(descriptor.read(("return { name = 'thing', joints = { { name = 'head', driver = 'x', dofs = { { name = 'pan' } } } },"
        .. " drivers = { x = { script = '%s', at = %g } } }"):format(script, at), "a.lua"))
    end
    assert(rt.add_robot(with(0.25, path)))
    local robot <close> = rt.connect("local:thing")
    expect.equal(robot:set_joint("head", { pan = 0.75 }), "SUCCESS")
    expect.equal(robot:state().joints.head.pan, 0.75)
    assert(robot:reload(with(0.5, path)))
    rt.sleep(0.1)
    expect.equal(robot:state().joints.head.pan, 0.5)
    expect.equal(robot:set_joint("head", { pan = 0.125 }), "SUCCESS")
    local report, message = robot:reload(with(0.5, "nowhere.lua"))
    expect.truthy(not report and message:find("nowhere.lua", 1, true), message)
    expect.equal(robot:set_joint("head", { pan = 0.375 }), "SUCCESS")
    expect.equal(robot:state().joints.head.pan, 0.375)
    os.remove(path)
  end)
  -- A robot that seems to be served elsewhere: what describes it anew goes over the wire.
  local function elsewhere(options)
    local robot = rt.connect("local:thing", options)
    robot.in_process = false
    return robot
  end
  with_thing("is described over the wire, and keeps its drivers", function()
    assert(rt.add_robot(assert(descriptor.read(text_of(joint("head", PAN) .. "," .. joint("tail", TILT)), "a.lua"))))
    local robot <close> = elsewhere()
    local other <close> = elsewhere()
    local session <close> = assert(other:session { mode = "delay", delay = 0 })
    robot:set_joint("head", { pan = 0.5 })
    local pan = session:set_joint("head", { pan = 1, start = rt.now() + 2 })
    local tail = session:set_joint("tail", { tilt = 0.4, start = rt.now() + 2 })
    local report, message, code = robot:reload()
    expect.truthy(not report and message:find("want a file or a descriptor", 1, true), message)
    expect.equal(code, "ENONE")
    -- many joints, so that the block comes in several pieces
    local more = {}
    for i = 1, 50 do more[i] = joint("more" .. i, PAN) end
    local large = assert(descriptor.read(text_of(table.concat(more, ",") .. "," .. joint("head", PAN)), "b.lua"))
    report, message = robot:reload(large)
    expect.truthy(report, message)
    expect.equal(report.kept, 1)
    expect.equal(report.dropped, 1)
    expect.equal(session:result(pan), "SUCCESS")
    expect.equal((session:result(tail)), "ERROR")
    expect.equal(robot:state().joints.head.pan, 1)
    expect.equal(robot:set_joint("more50", { pan = 0.3 }), "SUCCESS")
    expect.equal(other:set_joint("more1", { pan = 0.3 }), "SUCCESS") -- the others are told
  end)
  with_thing("is described over the wire by who may, and in panic, too", function()
    local d = assert(descriptor.read(text_of(joint("head", PAN)), "a.lua"))
    assert(rt.add_robot(d))
    local robot <close> = elsewhere()
    local driver <close> = elsewhere { role = "drive" }
    local _, report, message, code
    report, _, code = driver:reload(d)
    expect.truthy(not report)
    expect.equal(code, "EROLE")
    report, message = robot:reload(assert(descriptor.read("return { name = 'other', base = {} }", "c.lua")))
    expect.truthy(not report)
    expect.equal(message, "expected the description of thing, got that of other")
    robot:panic()
    rt.sleep(0.1)
    assert(robot:reload(d))
    expect.equal(robot:state().panic, true)
    expect.equal(robot:describe().revision, 1)
  end)
  with_thing("takes its drivers in Lua along over the wire", function()
    local path = write_driver()
    local function with(joints, drivers)
      return assert(descriptor.read(("return { name = 'thing', joints = { %s }, drivers = { %s } }"):format(joints, drivers), "a.lua"))
    end
    assert(rt.add_robot(with("{ name = 'head', driver = 'x', dofs = { { name = 'pan' } } }", ("x = { script = '%s', at = 0.25 }"):format(path))))
    local robot <close> = elsewhere()
    expect.equal(robot:set_joint("head", { pan = 0.75 }), "SUCCESS")
    assert(robot:reload(with("{ name = 'head', dofs = { { name = 'pan', limit = { -0.5, 0.5 } } } }", "")))
    rt.sleep(0.1)
    expect.equal(robot:state().joints.head.pan, 0.25)
    expect.equal(robot:set_joint("head", { pan = 0.125 }), "SUCCESS")
    expect.equal(robot:state().joints.head.pan, 0.125)
    -- its script is gone: the robot goes on as it was
    os.remove(path)
    local report, message, code = robot:reload(with("{ name = 'head', dofs = { { name = 'pan' } } }", ""))
    expect.truthy(not report and message:find(path, 1, true), message)
    expect.equal(code, "EDEVICE")
    expect.equal(robot:set_joint("head", { pan = 0.375 }), "SUCCESS")
  end)
  it("stays in panic, and its walk goes on where it stood", function()
    local name = assert(rt.add_robot("asimo"))
    local robot <close> = rt.connect("local:" .. name)
    robot:go_to { x = 0.4, y = 0, theta = 0 }
    robot:panic()
    rt.sleep(0.1)
    assert(robot:reload("asimo"))
    local state = robot:state()
    expect.truthy(state.panic)
    expect.truthy(math.abs(state.x - 0.4) < 1e-6)
    robot:reset()
    rt.sleep(0.1)
    expect.equal(robot:go_to { x = 0, y = 0, theta = 0 }, "SUCCESS")
    core.remove_robot(name)
  end)
end)
