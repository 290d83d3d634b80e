-- Runs what a recording has of robots' clients again, in simulated time, and compares what becomes of it
-- (docs/recordings.md). It needs a simulated world with the recording's seed that is no older than its first message.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local difference = require "robotalk.difference"
local drivers = require "robotalk.drivers"
local json = require "robotalk.json"
local mcap = require "robotalk.mcap"
local guarded = require "robotalk.mistakes.guarded"
local recorder = require "robotalk.recorder"
local task = require "robotalk.task"

local GIVEN <const> = { "session", "mode", "arrival", "command", "request", "notice" }
local GROUPS <const> = { [1] = "setpoints", [2] = "speeds", [4] = "forces" }
local PLACE <const>, SPEED <const>, VELOCITIES <const>, LIMITS <const> = 1, 2, 8, 16 -- parts of a frame
-- Of a real clock: s by which instants may differ, rad and m by which places may, states a second to find them among.
local LATE <const>, OFF <const>, FINE <const> = 0.02, 0.05, 500
local ROUNDED <const> = 1e-6 -- s, rad, m …: of a robot whose description is that of the file, which has nine decimals
local TICK <const> = 0.05 -- s between two looks of a recorder, at most; states are taken then
local LONGEST <const> = 86400 -- s of a recording

local need <const> = guarded.need

local compare = {}

-- ---- what a recording has ----

---Opens a recording of robots: it, and what these need: seed; real, whether its clock was one; rate, states a second;
---shift, ns by which its times are ahead of the robots'; first, s of the robots' clock at its first message; blocks,
---their bodies, by names of attachments. nil, message, code.
compare.open = guarded.by(function(path)
  local recording = need(mcap.open(path))
  local blocks, metadata = recording:extras()
  local said = metadata.robotalk or {}
  local shift = math.tointeger(said.shift_ns)
  if not shift then
    recording:close()
    guarded.fail("EBODY", "%s: it is no recording of robots", path)
  end
  return recording, { blocks = blocks, seed = math.tointeger(said.seed), real = said.clock ~= "virtual",
    rate = tonumber(said.rate) or 50, shift = shift, first = (recording:info().first - shift) / 1e9 }
end)

-- An iterator over a robot's messages of some topics: each also has `what`, its topic, and `at`, s of the robot's
-- clock.
local function read(path, shift, robot, topics)
  local recording, whole = need(mcap.open(path)), {}
  for i, topic in ipairs(topics) do whole[i] = ("/%s/%s"):format(robot, topic) end
  local following = recording:messages { topic = whole }
  return function()
    local m = following and following()
    if m then
      m.at, m.what = (m.ns - shift) / 1e9, m.topic:match "[^/]*$"
      return m
    end
    following = nil
    recording:close()
  end
end

-- ---- commands and requests as the library takes them ----

-- A value of JSON, with false for null, and the bytes of a mask as one text.
local function plain(x)
  if x == json.null then return false end
  for key, value in pairs(type(x) == "table" and x or {}) do
    x[key] = key == "mask" and type(value) == "table" and string.char(table.unpack(value)) or plain(value)
  end
  return x
end

-- A frame, by the groups of its dofs.
local function move_of(body)
  local parts, move = body.parts, body.frames[1] and { frames = {} } or {}
  move[parts & PLACE ~= 0 and "place" or parts & SPEED ~= 0 and "speed" or ""] = body.base
  move[""] = nil
  for _, dof in ipairs(body.dofs) do
    local name = GROUPS[dof.servo]
    local group = move[name] or { dofs = {}, value = {}, velocity = dof.servo == 1 and parts & VELOCITIES ~= 0 and {}
      or nil, limit = dof.servo == 1 and parts & LIMITS ~= 0 and {} or nil }
    move[name] = group
    table.insert(group.dofs, dof.dof)
    for column, list in pairs(group) do if column ~= "dofs" then table.insert(list, dof[column]) end end
  end
  for i, frame in ipairs(body.frames) do
    move.frames[i] = { frame = frame.frame, servo = frame.servo, free = frame.free, values = frame.value }
  end
  return move
end

local function command_of(value)
  local command = value.op == "move" and move_of(value.body) or value.body
  command.op, command.start = value.op, value.start or nil
  return { id = value.id, revision = value.revision, parts = value.body.parts, command = command }
end

-- ---- giving it to a robot ----

local give = {} -- by topics: functions of a robot's run, a message, all of its instant, and its place there

function give.session(run, m)
  local number = m.value.session
  if m.value.over == 0 then
    if run.over then
      error(("at %.3f s %s is there again after it was removed, which cannot be run again"):format(
        m.at - run.about.first, run.name), 0)
    end
    run.clients[number] = m.value
  elseif run.sessions[number] then
    run.sessions[number]:close()
    run.sessions[number] = nil
  end
end

function give.mode() end -- as its session opens, or before all of the instant

function give.arrival(run, m)
  local session = run.sessions[m.value.session]
  if session then session:heard(m.value.stamp or nil) end
end

-- The commands of a package, with the first of them.
function give.command(run, m, batch, i)
  local first, list = m.value, {}
  local function is_of(other)
    local of = other and other.what == "command" and other.value
    return of and of.session == first.session and of.stamp == first.stamp and of.epoch == first.epoch
      and of.stops == first.stops
  end
  if is_of(batch[i - 1]) or not run.sessions[first.session] then return end
  while is_of(batch[i]) do
    list[#list + 1] = command_of(batch[i].value)
    i = i + 1
  end
  need(run.sessions[first.session]:commands(list, first.epoch, first.stops, first.stamp or nil))
end

local function decide(session, decisions, from)
  for i = from, #decisions do need(session:decide(decisions[i])) end
end

function give.request(run, m)
  local number, request, body = m.value.session, m.value.request, m.value.body
  local session, decisions = run.sessions[number], run.decisions[number]
  if request == "open" then
    if body.mode == "" then run.cause = ("session %d was open before, and its mode is not known"):format(number) end
    run.sessions[number] = need(core.replay(run.name, run.clients[number], body, decisions[1]))
    table.insert(run.opened, number)
    decide(run.sessions[number], decisions, 2)
  elseif session then
    need(session:request(request, body))
  end
end

function give.notice(run, m)
  local notice, body, _, session = m.value.notice, m.value.body, next(run.sessions)
  if notice == "panicked" or notice == "reset" then
    core.robot_panic(run.name, notice == "panicked")
  elseif notice == "override" and session then
    need(session:request(notice, { share = body.share }))
  elseif notice == "changed" then
    run.bodies, run.rounded = run.bodies + 1, true
    local block = run.about.blocks[("%s.%d.block"):format(run.name, run.bodies)]
    if block then need(require "robotalk.server.reload".now(run.name, (descriptor.from_configuration(block)))) end
  elseif notice == "removed" then
    drivers.remove(run.name)
    run.over, run.sessions = true, {}
  elseif notice == "lost" then
    run.cause = ("the recording has lost %d records before"):format(body.records)
  end
end

-- A table whose missing values are new lists.
local function lists()
  return setmetatable({}, { __index = function(self, key)
    self[key] = {}
    return self[key]
  end })
end

local function give_all(run, batch)
  local decisions = lists()
  run.decisions = decisions
  for _, m in ipairs(batch) do
    if m.what == "mode" then table.insert(decisions[m.value.session], m.value) end
  end
  for number, session in pairs(run.sessions) do decide(session, decisions[number], 1) end
  for i, m in ipairs(batch) do give[m.what](run, m, batch, i) end
end

-- Runs one robot's clients again. It gets the drivers of its file, if that describes the same robot.
local function play(run)
  local m, block = run.first, run.about.blocks[run.name .. ".0.block"]
  local made = descriptor.made(run.name)
  local is_known = made and descriptor.configuration(made.descriptor) == block
  run.rounded = not is_known
  task.sleep(math.max(0, m.at - core.now()))
  need(require "robotalk".add_robot(is_known and run.name or need(descriptor.from_configuration(block))))
  while m do
    local batch, at = {}, m.at
    repeat
      batch[#batch + 1], m.value = m, plain(m.value)
      m = run.following()
    until not m or m.at ~= at
    task.sleep(math.max(0, at - core.now()))
    give_all(run, batch)
  end
end

-- Runs all of it again, into a new recording: the robots' runs.
local function again(recording, about, path)
  local runs, begin, state, was = {}, math.huge, nil, descriptor.dry
  local _ <close> = setmetatable({}, { __close = function() descriptor.dry = was end })
  descriptor.dry = true
  for _, channel in ipairs(recording:info().channels) do
    local name = channel.topic:match "^/([^/]*)/session$"
    if name then
      local run = { name = name, about = about, clients = {}, sessions = {}, opened = {}, bodies = 0 }
      run.following = read(recording.path, about.shift, name, GIVEN)
      run.first = run.following()
      begin, state = math.min(begin, run.first.at), state or read(recording.path, about.shift, name, { "state" })()
      runs[#runs + 1] = run
    end
  end
  if not runs[1] then error("it has no clients", 0) end
  -- its states are looked at when those of the recording were: at ticks of the recorder
  local tick = math.min(1 / about.rate, TICK)
  local spacing = math.ceil(1 / about.rate / tick - 1e-6) * tick
  local looks = state and state.at - math.ceil((state.at - begin) / spacing - 1e-6) * spacing or begin
  task.sleep(math.max(0, looks - core.now()))
  local made = need(recorder.begin(path, nil, { rate = about.real and FINE or about.rate }))
  for _, run in ipairs(runs) do
    run.task = task.spawn(play, run)
    run.task.watched = true
  end
  for _, run in ipairs(runs) do
    local ok, why = run.task:wait()
    if not ok then error(why, 0) end
  end
  task.sleep(math.max(0, (recording:info().last - about.shift) / 1e9 - core.now()))
  need(made:close())
  for _, run in ipairs(runs) do
    for _, session in pairs(run.sessions) do session:close() end
    if not run.over then drivers.remove(run.name) end
  end
  return runs
end

-- ---- comparing ----

-- A function that reports whether two values that differ are the same for a robot. Of a real clock pose and position
-- alone count in states.
local function sameness(run, is_state)
  local real = run.about.real
  local most = real and (is_state and OFF or LATE) or run.rounded and ROUNDED or 0
  return function(path, want, got)
    return real and is_state and not path:find "^po%a+%["
      or type(want) == "number" and type(got) == "number" and math.abs(want - got) <= most
  end
end

-- The charge of a battery is that since the robot was made, which may have been before the recording. A replay's panics
-- are of no client.
local function values_of(m)
  m.value.voltage, m.value.charge = nil, nil
  if m.value.notice == "panicked" or m.value.notice == "reset" then m.value.body.name = nil end
  return m.value
end

-- Both: iterators over pairs of messages that are to be equal; one of a pair may be missing.

-- Those of the same instant, or of the next one of a real clock.
local function by_time(wants, gots, run)
  local got
  return function()
    local want = wants()
    while want and not (got and got.at > want.at - 1e-9) do
      got = gots()
      if not got then return want end
    end
    return want, (run.about.real or want and got.at - want.at < 1e-9) and got
  end
end

-- Those of each session in their order.
local function by_session(wants, gots, run)
  local waiting = lists()
  return function()
    local want = wants()
    local number = want and want.value.session or 0
    while not (want and waiting[number][1]) do
      local m = gots()
      if not m then break end
      m.value.session = run.opened[m.value.session]
      table.insert(waiting[m.value.session or 0], m)
    end
    if want then return want, table.remove(waiting[number], 1) end
    for _, list in pairs(waiting) do if list[1] then return false, list[1] end end
  end
end

-- The first difference of a topic: { at, value, path, want, got }; nil, how many were equal.
local function first_difference(run, what, paths)
  local is_state, equal, missing = what == "state", 0, nil
  local same = sameness(run, is_state)
  local function counted(messages) -- a recorder may lose others than the first one has
    return function()
      local m
      repeat m = messages() until not m or m.value.notice ~= "lost"
      return m
    end
  end
  for want, got in (is_state and by_time or by_session)(counted(read(paths[1], run.about.shift, run.name, { what })),
    counted(read(paths[2], 0, run.name, { what })), run) do
    if missing then return missing end -- it was not the last state, which may be of the very end
    if want and got then
      local path, a, b = difference(values_of(want), values_of(got), same, 0)
      if path then return { at = math.min(want.at, got.at), value = want.value, path = path, want = a, got = b } end
      equal = equal + 1
    else
      local m = want or got
      local alone = { at = m.at, value = m.value, path = what, want = want and "one" or "none",
        got = got and "one" or "none" }
      if not is_state then return alone end
      missing = not run.about.real and m.at > run.first.at and alone or nil
    end
  end
  return nil, equal
end

local function words_of(first, run)
  local value, texts = first.value, {}
  for i, x in ipairs { first.want, first.got } do
    texts[i] = type(x) == "table" and json.encode(x) or type(x) == "number" and ("%.17g"):format(x) or tostring(x)
  end
  return ("at %.9f s, %s%s: %s: %s: expected %s, got %s (perhaps %s)"):format(
    first.at - run.about.first, run.name,
    value.session and (", session %d"):format(value.session) or "",
    value.signal and ("the result of %s %d"):format(value.op, value.id) or value.notice
      and "the notice " .. value.notice or "the state", first.path, texts[1], texts[2],
    run.cause or value.dofs and first.at < run.first.at + 1 / run.about.rate
      and "the robot had moved before the recording began"
    or run.about.real and "its devices did not do what simulated ones do"
    or "the program, its drivers or the scenery are others: --world, --physics")
end

---Runs a recording again in the open world, and compares: true, and how many results, notices and states were equal; or
---false and the first difference, in words. Raises where it cannot be run. keep: a path for the new recording.
function compare.run(recording, about, keep)
  if recording:info().duration > LONGEST then error("it is longer than a day: no such one is run again", 0) end
  local made = not keep and os.tmpname()
  local paths = { recording.path, keep or made .. ".mcap" }
  local _ <close> = setmetatable({}, { __close = function()
    if made then os.remove(made) os.remove(paths[2]) end
  end })
  local runs = again(recording, about, paths[2])
  local first, of, counts = nil, nil, { result = 0, notice = 0, state = 0 }
  for _, run in ipairs(runs) do
    for what in pairs(counts) do
      local found, equal = first_difference(run, what, paths)
      if found and (not first or found.at < first.at) then first, of = found, run end
      counts[what] = counts[what] + (equal or 0)
    end
  end
  if first then return false, words_of(first, of) end
  if counts.result + counts.state == 0 then return false, "it has no results and no states to compare" end
  return true, counts
end

return compare
