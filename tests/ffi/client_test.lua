-- A LuaJIT program as a client of a running server.
local robotalk = require "robotalk"

local passed = 0
local function check(ok, what)
  passed = passed + 1
  if not ok then error(what or "not so", 2) end
end
local function fails(code, value, message, got)
  check(value == nil and type(message) == "string" and got == code, ("%s instead of %s: %s"):format(got, code, message))
end
local function raises(pattern, fn, ...)
  local ok, message = pcall(fn, ...)
  check(not ok and message:find(pattern), message)
end

-- ---- a server, until the test has ended ----

local function line_of(command)
  local pipe = assert(io.popen(command))
  local line = pipe:read "*l"
  pipe:close()
  return line
end
local program, folder = assert(os.getenv "ROBOTALK"), line_of "mktemp -d"
local url = "unix:" .. folder .. "/r"
local pid = line_of(("'%s' serve pioneer2 aibo_ers7 --listen %s >%s/log 2>&1 & echo $!"):format(program, url, folder))
local patience = tonumber(os.getenv "ROBOTALK_PATIENCE" or 300)

-- What sensors tell.
local function test_readings(client, uncertainty)
  local watcher = assert(client:session({ robot = "pioneer2" }, patience))
  local sensed = assert(watcher:sense({ 3, 12 }, patience))
  check(#sensed == 2 and sensed[2].sensor == 12 and sensed[1].number >= 1 and sensed[1].value[1] == 5)
  check(sensed[1].time > 0 and sensed[1].time <= robotalk.now() + uncertainty + 1)
  local watch, told = assert(watcher:watch({ 3 }, 50)), 0
  local last = robotalk.now() + patience
  while told < 3 and robotalk.now() < last do
    for kind, what, of in client:events(1) do
      local answer = kind == "reply" and what == "watch" and of == watch and client:reply(of, "watch")
      if answer then
        local reading = robotalk.readings(answer)[1]
        check(reading.sensor == 3 and reading.value[1] == 5)
        told = told + 1
      end
    end
  end
  check(told == 3)
  check(watcher:ask("broadcast_cancel", { broadcast = watch }, patience))
  fails("ENONE", watcher:sense({ 200 }, patience))
  watcher:close()
end

-- What cameras see.
local function test_pictures(client)
  local watcher = assert(client:session({ robot = "pioneer2" }, patience))
  local jpeg = assert(watcher:picture(0, nil, patience))
  check(jpeg.format == "jpeg" and jpeg.width == 320 and jpeg.height == 240 and jpeg.bytes:sub(1, 2) == "\255\216")
  local gray = assert(watcher:picture(0, { format = "gray", width = 80, after = jpeg.number }, patience))
  check(gray.format == "gray" and gray.width == 80 and #gray.bytes == 80 * 60 and gray.number > jpeg.number)
  fails("ENONE", watcher:picture(7, nil, patience))
  raises("a picture has no field 'size'", watcher.picture, watcher, 0, { size = 1 })
  raises("format: want jpeg, rgb or gray", watcher.picture, watcher, 0, { format = "png" })
  local view, seen = assert(watcher:view(0, { width = 80 })), 0
  local last = robotalk.now() + patience
  while seen < 3 and robotalk.now() < last do
    for kind, what, of in client:events(1) do
      local picture = kind == "reply" and what == "view" and of == view and client:reply(of, "view")
      if picture then
        check(picture.width == 80 and picture.number >= gray.number)
        seen = seen + 1
      end
    end
  end
  check(seen >= 3)
  check(watcher:ask("broadcast_cancel", { broadcast = view }, patience))
  watcher:close()
end

local function test()
  local client, why
  local given_up = robotalk.now() + patience
  repeat client, why = robotalk.connect(url, patience) until client or robotalk.now() > given_up
  assert(client, why)
  check(client:link() == "up")
  local offset, uncertainty = client:clock()
  check(offset and uncertainty < patience)

  test_readings(client, uncertainty)
  test_pictures(client)

  -- what fails is nil, a message and a code; what is wrong raises
  fails("EURL", robotalk.connect "http://x")
  fails("EADDRESS", robotalk.connect("unix:" .. folder .. "/nobody"))
  fails("EMODE", client:session{ mode = "waltz" })
  fails("ENONE", client:session{ robot = "nobody" })
  raises("connect has no option 'rule'", robotalk.connect, url, patience, { rule = "watch" })
  raises("there is no role 'king'", robotalk.connect, url, patience, { role = "king" })
  raises("session has no field 'mod'", client.session, client, { mod = "direct" })

  -- commands, each a method of the session, and what became of them
  local session = assert(client:session({ robot = "pioneer2", deadman = 2 }, patience))
  local id = assert(session:set_speed{ x = 0.1 })
  local signal, reason, result = client:result(id, patience)
  check(signal == "SUCCESS" and reason == "none" and result.id == id, signal)
  check(result:time "executed" > 0 and result:time "executed" <= robotalk.now() + uncertainty + 1)
  fails("ENONE", client:take(id)) -- it was taken
  check(client:result(assert(session:stop()), patience) == "SUCCESS")
  check(client:result(assert(session:step{ leg = 1 }), patience) == "NA")
  check(client:result(assert(session:set_joint{ joint = 99, mask = 1, value = { 0.5 } }), patience) == "ERROR")
  check(client:result(assert(session:stop{ mask = { 1 } }), patience) == "SUCCESS")
  local _, _, never = client:result(assert(session:step{ leg = 1 }), patience)
  check(never:time "executed" == nil)
  local long = {}
  for i = 1, 10000 do long[i] = 1 end
  raises("field 'mask' is too long", session.stop, session, { mask = long })
  raises("go_to has no field 'z'", session.go_to, session, { z = 1 })
  for _, name in ipairs(robotalk.commands) do check(type(session[name]) == "function", name) end

  -- a frame: what the body lacks is left out
  local frame = assert(session:move{ speed = { 0.05 }, dofs = { { dof = 1, value = 0.2 }, { dof = 0, value = 0.1 },
    { dof = 9, value = 1 } } })
  assert(client:wait(frame, patience))
  local parts = assert(client:parts(frame))
  check(#parts == 1 and parts[1].kind == "dof" and parts[1].number == 9 and parts[1].signal == "NA")
  check(client:take(frame) == "MODIFIED")
  fails("ENONE", client:parts(frame))
  raises("move has no field 'arms'", session.move, session, { arms = {} })
  raises("there is no servo 'spring'", session.move, session, { dofs = { { dof = 0, value = 1, servo = "spring" } } })

  -- several in one package, later; events are pulled
  local first = assert(session:send{ { command = "set_speed", x = 0.05, start = robotalk.now() + 0.05 },
    { command = "set_speed", start = robotalk.now() + 0.1 } })
  local seen = {}
  while not (seen[first] and seen[first + 1]) do
    for kind, what, of, number in client:events(patience) do
      if kind == "result" then
        seen[of] = client:take(of)
        check(number == session.number and what and (of < first or what == "set_speed"))
      end
    end
  end
  check(seen[first] == "SUCCESS" and seen[first + 1] == "SUCCESS")
  raises("there is no command 'dance'", session.send, session, { { command = "dance" } })

  -- queries
  local state = assert(session:state(patience))
  check(#state.pose == 3 and state.panic == 0 and state.time > 0)
  check(#state.force == 0 and #state.x == 0) -- they were not asked for
  local more = assert(session:ask("state", { more = 3 }, patience)) -- forces and control frames
  check(more.forces == more.dofs and #more.known == more.dofs and #more.force == more.dofs)
  check(more.frames > 0 and #more.x == more.frames and #more.yaw == more.frames)
  check(client:ask("robot", { index = 1 }, patience).name == "aibo_ers7")
  fails("ENONE", client:ask("robot", { index = 7 }, patience))
  check(session:ask("status", nil, patience).executed >= 3)
  local broadcast, times = assert(session:request("broadcast", { period = 0.01 })), 0
  while times < 3 do
    for kind, what, of in client:events(patience) do
      if kind == "reply" and what == "broadcast" and of == broadcast then
        check(client:reply(of, what).dofs == 2)
        times = times + 1
      end
    end
  end
  assert(session:ask("broadcast_cancel", { broadcast = broadcast }, patience))
  raises("there is no query 'weather'", client.request, client, "weather")

  -- panic and reset
  assert(session:panic())
  while session:state(patience).panic == 0 do end
  check(client:result(assert(session:set_speed{ x = 1 }), patience) == "PANIC")
  assert(session:reset())
  while session:state(patience).panic == 1 do end

  -- one that may only watch; one that is told of errors only
  local watcher = assert(robotalk.connect(url, patience, { role = "watch" }))
  check(watcher:clock())
  local watching = assert(watcher:session({ robot = "pioneer2" }, patience))
  signal, reason = watcher:result(assert(watching:set_speed{ x = 0.1 }), patience)
  check(signal == "ERROR" and reason:find "role", reason)
  watcher:close()
  local quiet = assert(client:session({ robot = "pioneer2", mode = "delay", delay = 0.01, errors_only = true },
    patience))
  local good, bad = assert(quiet:set_speed{}), assert(quiet:step{ leg = 1 })
  assert(quiet:request "finish")
  local settled
  while not (settled and seen[bad]) do
    for kind, what, of, number in client:events(patience) do
      if kind == "result" and number == quiet.number then seen[of] = client:take(of) end
      settled = settled or kind == "notice" and what == "settled"
    end
  end
  check(seen[bad] == "NA" and seen[good] == nil)
  quiet:close()
  local stream = assert(client:session({ robot = "pioneer2", mode = "broadcast", newest = true }, patience))
  check(client:result(assert(stream:set_speed{}), patience) == "SUCCESS")
  stream:close()

  -- a descriptor for another loop
  check(client:fd() > 2)
  check(client:result(assert(session:set_speed{ x = 0 }), patience) == "SUCCESS")

  -- the end of it, by hand and by the collector
  session:close()
  fails("ENONE", session:stop())
  client:close()
  fails("ECLOSED", client:link())
  fails("ECLOSED", session:stop())
  check(client:next() == nil)
  client:close()
  for _ = 1, 20 do assert(robotalk.connect(url, patience)) end
  collectgarbage()
  collectgarbage()
end

local ok, message = xpcall(test, debug.traceback)
os.execute(("kill %s; rm -rf '%s'"):format(pid, folder))
assert(ok, message)
print(passed .. " passed, 0 failed")
