-- Gamepads by recordings: what is read of them, and that a robot does it.
local gamepad = require "robotalk.gamepad"
local rt = require "robotalk"
local pads = dofile "tests/lua/pads.lua"
local axis, button = pads.axis, pads.button
local R1 <const>, EAST <const>, LEFT_X <const>, LEFT_Y <const>, RIGHT_X <const> = 0x137, 0x131, 0, 1, 3

describe("a gamepad", function()
  it("is read as axes and buttons with names, when they change", function()
    local file <close> = pads.file(pads.text(pads.twin { axis(1, LEFT_Y, -32768), button(1.5, R1, 1), axis(2, 2, 255),
      button(2.5, R1, 0) }, 3))
    local pad <close> = assert(gamepad.open(file.path))
    local begin = rt.now()
    expect.equal("Twin Sticks", pad.name)
    expect.equal("gamepad", pad.kind)
    expect.same({ left_x = 0.0, left_y = 0.0, l2 = 0.0, right_x = 0.0, right_y = 0.0, r2 = 0.0, dpad_x = 0.0,
      dpad_y = 0.0 }, pad.axes)
    expect.equal(false, (pad:wait(0.5)))
    expect.equal(true, pad:wait())
    expect.near(1, rt.now() - begin, 1e-6)
    expect.equal(-1.0, pad.axes.left_y)
    expect.equal(true, pad:wait())
    expect.same({ r1 = true }, pad.buttons)
    expect.equal(true, pad:wait())
    expect.equal(1.0, pad.axes.l2)
    expect.equal(true, pad:wait())
    expect.same({}, pad.buttons)
    local ok, why, code = pad:wait()
    expect.equal(nil, ok)
    expect.equal("Twin Sticks: it was unplugged", why)
    expect.equal("EDEVICE", code)
    expect.equal(0.0, pad.axes.left_y)
  end)

  local function open(device, options)
    local file <close> = pads.file(pads.text(device))
    return gamepad.open(file.path, options)
  end
  it("has a dead zone, behind which its axes begin with 0", function()
    local pad <close> = open(pads.twin { axis(0, LEFT_X, 4000), axis(1, LEFT_X, -18842), axis(2, LEFT_X, 32767) })
    local seen = {}
    while pad:wait() do seen[#seen + 1] = ("%.3f"):format(pad.axes.left_x) end
    expect.same({ "0.000", "-0.500", "1.000" }, seen)
    local fine <close> = open(pads.twin { axis(0, LEFT_X, 16384) }, { dead = 0 })
    fine:wait()
    expect.near(0.5, fine.axes.left_x, 1e-4)
  end)
  it("has the same names where its D-pad is of buttons, and Z and RZ are a stick", function()
    local pad <close> = open { name = "old", axes = { [0] = { 0, 255 }, { 0, 255 }, { 0, 255 }, [5] = { 0, 255 } },
      buttons = { 0x130, 0x220, 0x221, 0x222, 0x223, 30, 0x2c0 }, events = { axis(0, 5, 0), button(0, 0x223, 1),
        button(0, 0x220, 1) } }
    while pad:wait(0.1) do end
    local axes, buttons = pad:names()
    expect.same({ "dpad_x", "dpad_y", "left_x", "left_y", "right_x", "right_y" }, axes)
    expect.same({ "button_30", "button_704", "dpad_down", "dpad_left", "dpad_right", "dpad_up", "south" }, buttons)
    expect.equal(-1.0, pad.axes.right_y)
    expect.equal(1.0, pad.axes.dpad_x)
    expect.equal(-1.0, pad.axes.dpad_y)
  end)
  it("lets other tasks run, however fast its reports come", function()
    local events = {}
    for i = 1, 200 do events[i] = button(0, R1, i % 2) end
    local pad <close> = open(pads.twin(events))
    local other, seen = 0, 0
    local t <close> = rt.spawn(function()
      while true do
        other = other + 1
        rt.sleep(0)
      end
    end)
    while pad:wait() do seen = seen + 1 end
    expect.equal(200, seen) -- each press and each release
    expect.equal(true, other >= 10)
    t:cancel()
  end)
  it("ends a wait when it is closed", function()
    local pad <close> = open(pads.twin { axis(9, 0, 1) })
    local waiting = rt.spawn(function() return pad:wait() end)
    rt.sleep(0.1)
    pad:close()
    local _, ok, why, code = waiting:wait()
    expect.equal(nil, ok)
    expect.equal("ECLOSED", code, why)
  end)
  it("is found by its kind", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute(("mkdir '%s'"):format(folder)))
    local function put(n, device) return pads.file(pads.text(device), ("%s/event%d"):format(folder, n)) end
    local none, why, code = gamepad.open("auto", { folder = folder })
    expect.equal(nil, none)
    expect.equal("ENONE", code, why)
    do
      local keys <close> = put(0, { name = "keys", types = { 0, 1 }, buttons = { 30 } })
      local stick <close> = put(2, { name = "stick", axes = { [0] = { 0, 255 }, { 0, 255 } }, buttons = { 0x120 } })
      local broken <close> = pads.file("no recording", folder .. "/event3")
      local pad <close> = assert(gamepad.open("auto", { folder = folder }))
      expect.equal("stick", pad.name)
      do
        local twin <close> = put(12, pads.twin())
        local other <close> = assert(gamepad.open(nil, { folder = folder }))
        expect.equal("Twin Sticks", other.name)
        local list = gamepad.list(folder)
        expect.same({ "keys", "joystick", nil, "gamepad" }, { list[1].kind, list[2].kind, list[3].kind, list[4].kind })
        expect.truthy(list[3].why:find "event3: line 1: expected a recording of evemu%-record")
        expect.truthy(twin.path == list[4].path and keys.path == list[1].path and stick and broken)
      end
    end
    os.execute(("rmdir '%s'"):format(folder))
  end)
  it("names the mistakes of its caller", function()
    expect.raises("gamepad_test.*open: want a path or 'auto', got number", gamepad.open, 3)
    expect.raises("open: dead: want a number from 0, less than 1, got 1", gamepad.open, "x", { dead = 1 })
    expect.raises("open has no option 'deed'; did you mean 'dead'", gamepad.open, "x", { deed = 1 })
    expect.same({ n = 3, [2] = "/nowhere: No such file or directory", [3] = "ENONE" },
      table.pack(gamepad.open "/nowhere"))
  end)
end)

-- Drives a Pioneer by events, with a mapping's text; fn(robot, screen, key).
local function drive(events, fn, mapping)
  local drives = require "robotalk.drive"
  local file <close> = pads.file(pads.text(pads.twin(events, events.ends)))
  local script <close> = pads.file(mapping or "")
  local robot <close> = rt.connect "pioneer2"
  local screen = { style = { utf8 = false, color = false }, shown = {}, events = {} }
  function screen.size() return 160, 24 end
  function screen:show(lines) self.shown = lines end
  function screen:post(event)
    table.insert(self.events, event)
    rt.wake(self)
  end
  function screen:next(until_)
    if #self.events == 0 and until_ > rt.now() then rt.wait(self, until_ - rt.now()) end
    local events_ = self.events
    self.events = {}
    return events_
  end
  function screen.drain() end
  setmetatable(screen, { __close = function() end })
  local driving = rt.spawn(function()
    return drives.run(robot, { gamepad = file.path, mapping = mapping and script.path }, screen)
  end)
  local function says(pattern)
    local shown = table.concat(screen.shown, "\n")
    expect.truthy(shown:find(pattern), shown)
  end
  fn(robot, says, screen)
  screen:post { key = "ctrl-c", kind = "press" }
  expect.equal(true, (driving:wait(5)))
end

describe("a robot driven by a gamepad", function()
  it("goes while the button is held, and stops within 0.2 s", function()
    drive({ axis(1, LEFT_Y, -32768), axis(2, LEFT_Y, 0), button(3, R1, 1), axis(4, LEFT_Y, -32768), button(6, R1, 0),
      axis(20, LEFT_Y, 0) }, function(robot, says)
      rt.sleep(1.5)
      says "hold r1 to drive"
      expect.equal(0.0, robot:state().velocity.x) -- no button, no motion
      rt.sleep(4.4)
      says "Twin Sticks: drives"
      expect.near(0.3, robot:state().velocity.x, 1e-6)
      rt.sleep(0.3) -- 0.2 s after the release it brakes
      expect.equal(true, robot:state().velocity.x < 0.28)
      rt.sleep(2)
      expect.equal(false, robot:state().moving)
    end)
  end)
  it("is not moved by a stick that was pushed before the button was", function()
    drive({ axis(1, LEFT_Y, -32768), button(2, R1, 1), axis(3, LEFT_X, -20000), axis(4, LEFT_Y, 0), axis(5, LEFT_X, 0),
      axis(6, LEFT_X, -32768), axis(20, LEFT_X, 0) }, function(robot, says)
      rt.sleep(4.5) -- its other axis was not let go
      says "let go of the stick"
      expect.equal(0.0, robot:state().velocity.x)
      expect.equal(0.0, robot:state().velocity.theta)
      rt.sleep(3)
      expect.near(0.8, robot:state().velocity.theta, 1e-6)
    end)
  end)
  it("stops when the gamepad is unplugged, and is driven by keys", function()
    drive({ button(1, R1, 1), axis(2, LEFT_Y, -32768), ends = 4 }, function(robot, says, screen)
      rt.sleep(3.9)
      expect.near(0.3, robot:state().velocity.x, 1e-6)
      rt.sleep(0.3)
      expect.equal(true, robot:state().velocity.x < 0.28)
      rt.sleep(3)
      says "stopped: Twin Sticks: it was unplugged"
      expect.equal(false, robot:state().moving) -- a recording is not played again
      screen:post { key = "a", kind = "press" }
      rt.sleep(0.5)
      expect.equal(true, robot:state().velocity.theta > 0)
    end)
  end)
  it("panics on its button, whether it is driven or not", function()
    drive({ button(1, EAST, 1), axis(3, LEFT_X, 9999), button(5, EAST, 0), button(6, EAST, 1) }, function(robot)
      rt.sleep(0.9)
      expect.equal(false, robot:state().panic)
      rt.sleep(0.5)
      expect.equal(true, robot:state().panic)
      robot:reset()
      rt.sleep(3)
      expect.equal(false, robot:state().panic) -- it is held, and not pressed again
      rt.sleep(2)
      expect.equal(true, robot:state().panic)
    end)
  end)
  it("does not go on when another has stopped it", function()
    drive({ button(1, R1, 1), axis(2, LEFT_Y, -32768), axis(5, LEFT_Y, -30000), axis(7.5, LEFT_Y, -32768),
      button(9, R1, 0), axis(9.5, LEFT_Y, 0), button(10, R1, 1), axis(10.5, LEFT_Y, -32768)
    }, function(robot, _, screen)
      local other <close> = rt.connect("local:pioneer2", { apart = true })
      rt.sleep(3)
      other:stop()
      rt.sleep(2.5)
      expect.equal(0.0, robot:state().velocity.x)
      screen:post { key = "g", kind = "press" }
      rt.sleep(1.5)
      expect.equal(0.0, robot:state().velocity.x) -- the button was not released
      rt.sleep(4)
      expect.near(0.3, robot:state().velocity.x, 1e-6)
    end)
  end)
  it("moves its head and its joints by shares, as a mapping has it", function()
    drive({ button(1, 0x136, 1), axis(2, RIGHT_X, 32767), axis(2, 5, 255), axis(20, 0, 9) }, function(robot, says)
      rt.sleep(3)
      says "Twin Sticks: drives"
      local head = robot:state().joints.head
      expect.equal(true, head.pan > 0.1 and head.tilt < -0.1, ("%g %g"):format(head.pan, head.tilt))
      expect.near(0.15, robot:state().velocity.x, 1e-3)
    end, [[
      return { enable = { "l1" }, dead = 0, map = function(axes, buttons)
        local x = axes.rudder == 0 and not buttons.l1 and 0.5
        return { x = x, pan = axes.right_x, joints = { head = { tilt = -axes.r2 } } }
      end }]])
  end)

  it("is not moved by a button that is held from the start, nor by a lever that it does not use", function()
    local held = button(0, R1, 1)
    held.lost = true
    local lever = axis(0, 2, 255)
    lever.lost = true
    drive({ held, lever, axis(1, LEFT_Y, -32768), axis(1.5, LEFT_Y, 0), axis(2, LEFT_Y, -32768), button(4, R1, 0),
      axis(4, LEFT_Y, 0), button(5, R1, 1), axis(5.5, LEFT_Y, -32768) }, function(robot, says)
      rt.sleep(3.5)
      says "Twin Sticks: release r1"
      expect.equal(false, robot:state().moving)
      rt.sleep(3.5)
      says "Twin Sticks: drives"
      expect.near(0.3, robot:state().velocity.x, 1e-6)
    end)
  end)
  it("is driven by the mapping of the documentation", function()
    local f <close> = assert(io.open "docs/drive.md")
    local mapping = f:read "a":match "\n```lua\n(%-%- gripper_pad.lua\n.-)\n```"
    drive({ button(1, 0x136, 1), axis(2, LEFT_Y, -32768), axis(2, 2, 255), button(4, 0x13d, 1), button(6, 0x13a, 1) },
      function(robot)
        rt.sleep(3.9)
        expect.near(0.3, robot:state().velocity.x, 1e-6)
        expect.equal(true, robot:state().joints.head.pan > 0.1)
        rt.sleep(1.5)
        expect.near(0.09, robot:state().velocity.x, 1e-6)
        rt.sleep(1)
        expect.equal(true, robot:state().panic)
      end, mapping)
  end)

  -- The screen says that, and nothing moves while the button is held.
  local function fails(mapping, pattern)
    it("is stopped by a mapping that is wrong: " .. pattern, function()
      drive({ button(1, R1, 1), axis(2, LEFT_Y, -32768), axis(4, LEFT_Y, -30000) }, function(robot, says)
        rt.sleep(3.5)
        says("the gamepad moves nothing: .*" .. pattern)
        rt.sleep(1)
        expect.equal(false, robot:state().moving)
      end, mapping)
    end)
  end
  local PUSHED <const> = "return function(axes) if axes.left_y == 0 then return { x = 0 } end "
  fails(PUSHED .. "return { x = axes.left_x.x } end", ":1: attempt to index")
  fails(PUSHED .. "return { x = 0 / 0 } end", "x: want a number from %-1 to 1, got .*nan")
  fails(PUSHED .. "return { xx = 1 } end", "has no option 'xx'")
  fails(PUSHED .. "return { x = axes.left_z } end", "a gamepad has no axis 'left_z'; did you mean 'left_[xy]'")
  fails("local rt = require 'robotalk' " .. PUSHED .. "rt.sleep(9) return { x = 1 } end", "cannot wait here")
  fails(PUSHED .. "coroutine.yield { dofs = {} } return { x = 1 } end", "the mapping yields")
  fails(PUSHED .. "return 1 end", "want a table of options, got number")
  fails(PUSHED .. "return { joints = { hed = { pan = 1 } } } end", "the robot has no hed%.pan")
  fails(PUSHED .. "return { joints = { head = 1 } } end", "joints%.head: want a table of its dofs")

  it("is not driven by what cannot drive", function()
    local drives = require "robotalk.drive"
    local robot <close> = rt.connect "pioneer2"
    local screen = setmetatable({}, { __close = function() end })
    local file <close> = pads.file(pads.text { name = "Pedals", types = { 0, 1 }, buttons = { 30 } })
    local script <close> = pads.file "return { enable = 'button_30' }"
    local function why(options) return select(2, drives.run(robot, options, screen)) end
    expect.equal("Pedals has no button r1, trigger, which is held to drive; a mapping can name another",
      why { gamepad = file.path })
    expect.truthy(why { gamepad = file.path, mapping = script.path }:find "expected a function map")
    local panics <close> = pads.file "return { enable = 'button_30', panic = 'button_31', map = print }"
    expect.equal("Pedals has no button button_31, the mapping's for a panic",
      why { gamepad = file.path, mapping = panics.path })
    expect.truthy(why { gamepad = "/nowhere" }:find "/nowhere: No such file")
    expect.truthy(why { gamepad = file.path, mapping = "/nowhere.lua" }:find "/nowhere.lua: No such file")
  end)
end)

describe("a pilot with a stick", function()
  it("changes speeds 50 times a second at most, and stops at once", function()
    local pilots = require "robotalk.drive.pilot"
    local spec = require "robotalk.core".spec()
    local robot <close> = rt.connect "pioneer2"
    local pilot = pilots.new(pilots.parts(robot:describe(), spec.commands))
    pilot:step(0)
    local sent = 0
    for i = 1, 1000 do -- a report each millisecond
      pilot:push { x = i / 1000, dofs = {} }
      sent = sent + #pilot:step(i / 1000)
    end
    expect.equal(true, sent >= 49 and sent <= 51, sent)
    pilot:push { x = 0.5, dofs = {} }
    expect.equal(0, #pilot:step(1.0001))
    expect.equal(true, pilot:due(1.0001) <= 1.02) -- it will be sent
    expect.near(0.15, pilot:step(1.02)[1].x, 1e-9)
    pilot:push(nil)
    expect.equal("stop", pilot:step(1.0201)[1].op)
  end)
end)
