-- A scripted operator drives a figure of eight over links from none to awful, by RoboTalk from Lua, by RoboTalk over
-- the page's WebSocket, and by rosbridge. The operator sees the states that arrive, late, and steers towards a point of
-- the course ahead (pure pursuit). What the robot did is read from its own recording.
local core = require "robotalk.core"
local experiment = require "robotalk.experiment"
local json = require "robotalk.json"
local mcap = require "robotalk.mcap"
local plot = require "robotalk.plot"
local task = require "robotalk.task"
local websocket = require "robotalk.http.websocket"

local NAME <const>, STATES <const> = "pioneer2", 0.05 -- s between states
local RADIUS <const>, SPEED <const>, AHEAD <const>, FAR <const> = 1, 0.4, 0.6, 1 -- m, m/s, m, m
local LAP <const>, LAPS <const>, SLOWEST <const> = 4 * math.pi * RADIUS, 4, 120 -- m; s for a lap before it is given up
local RATE <const>, MINUTE <const> = 10, 60 -- states a second that are judged; s of a path in the picture
local DIGITS <const>, QUANTUM <const> = 1000, 1e-6 -- a command's number is in the last three digits of its two speeds

-- latency, jitter: s, each way; again: until TCP sends what was lost again, the round trip and 0.2 s
local function link(name, latency, jitter, loss)
  return { name = name, channel = { latency = latency, jitter = jitter, loss = loss,
    again = 0.2 + 2 * latency + jitter } }
end
local LINKS = {
  link("none", 0, 0), link("20 ± 10 ms", 0.01, 0.02), link("100 ± 50 ms", 0.05, 0.1),
  link("20 ± 10 ms, 5 % lost", 0.01, 0.02, 0.05), link("300 ± 200 ms", 0.1, 0.4),
  link("300 ± 200 ms, 5 % lost", 0.1, 0.4, 0.05), link("500 ± 400 ms, 15 % lost", 0.1, 0.8, 0.15),
}

-- ---- the ways. Each: open(channel, see, count) -> drive(speed), close(). see(x, y, theta, time): a state has arrived.
-- count(signal): a command was answered. ----

local function background(fn) task.spawn(fn).background = true end

local function by_robotalk(channel, see, count)
  local robot = require "robotalk".connect("local:" .. NAME, { channel = channel, timeout = 60 })
  assert(robot:broadcast(STATES, function(s) see(s.x, s.y, s.theta, s.time) end))
  return function(speed) background(function() count((robot:set_speed(speed) or "lost"):lower()) end) end,
    function() robot:close() end
end

-- As protocols/web/robotalk/link.js and the cockpit do it: each package has the instant of the shown state as its
-- stamp, a view older than FROZEN drives nothing, and states are acknowledged. The two clocks are the same one here.
local BEAT <const>, FROZEN <const>, EXPIRY <const> = 0.05, 1, 1.5
local function by_page(channel, see, count)
  local socket = assert(websocket.open("rctp+local:", "/robotalk", "robotalk", channel))
  local last, sent, session, shown, bytes, moves, replies, over = 0, 0, {}, nil, 0, false, {}, false
  local function send(type, entry)
    last, sent = last + 1, core.now()
    if entry then entry.id = last end
    socket:send(websocket.BINARY, assert(core.wire.encode { entries = { entry }, header = { type = type, id = last,
      session = session.session, epoch = session.epoch, stops = session.stops, stamp = shown } }))
  end
  local function take(package)
    for _, entry in ipairs(package.entries) do
      if package.header.type == "signal" then count(entry.signal) end
      if package.header.type == "reply" then replies[entry.op] = entry end
      if entry.op == "broadcast" then
        shown, bytes = entry.time, bytes + package.header.size - 8 * package.header.count
        see(entry.pose[1], entry.pose[2], entry.attitude[3], entry.time)
        send("query", { op = "pieces", query = entry.id, bytes = bytes })
      end
    end
  end
  background(function()
    local input = ""
    for message in function() return socket:receive() end do
      input = input .. message
      local package, behind = core.wire.decode(input)
      while package do
        input = input:sub(behind)
        take(package)
        package, behind = core.wire.decode(input)
      end
    end
  end)
  local function ask(op, entry)
    entry.op = op
    send("query", entry)
    while not replies[op] do task.sleep(STATES) end
    return replies[op]
  end
  ask("hello", { lowest = 2, highest = 2, name = "page", role = 3 })
  session = ask("open", { robot = NAME, mode = "direct", expiry = EXPIRY })
  ask("broadcast", { period = STATES })
  background(function()
    while not over do
      if core.now() - sent >= BEAT then send "none" end
      task.sleep(BEAT / 2)
    end
  end)
  return function(speed)
    local live = core.now() - shown < FROZEN
    if live or moves then
      send("command", { op = "set_speed", x = live and speed.x or 0, theta = live and speed.theta or 0 })
    end
    moves = live and speed.x > 0
  end, function()
    over = true
    socket:close()
  end
end

local function by_rosbridge(channel, see)
  local socket = assert(websocket.open("rosbridge+local:", "/", nil, channel))
  local function say(what) socket:send(websocket.TEXT, json.encode(what)) end
  say { op = "subscribe", topic = "/odom", type = "nav_msgs/msg/Odometry", throttle_rate = 1000 * STATES }
  say { op = "advertise", topic = "/cmd_vel", type = "geometry_msgs/msg/Twist" }
  background(function()
    for text in function() return socket:receive() end do
      local message = json.decode(text)
      local odometry = message.op == "publish" and message.msg -- not a status
      local at, stamp = odometry and odometry.pose.pose, odometry and odometry.header.stamp
      if at then
        see(at.position.x, at.position.y, 2 * math.atan(at.orientation.z, at.orientation.w),
          stamp.sec + 1e-9 * stamp.nanosec)
      end
    end
  end)
  return function(speed)
    say { op = "publish", topic = "/cmd_vel", msg = { linear = { x = speed.x, y = 0, z = 0 },
      angular = { x = 0, y = 0, z = speed.theta } } }
  end, function() socket:close() end
end

-- every: s between two commands; limit: s, their expiry, or what would be one; sign: of life, as a recording has it
local WAYS = {
  { name = "RoboTalk", open = by_robotalk, every = 0.05, limit = 1, sign = "arrival" },
  { name = "the page", open = by_page, every = 0.1, limit = EXPIRY, sign = "arrival" },
  { name = "rosbridge", open = by_rosbridge, every = 0.05, limit = EXPIRY, sign = "command" },
}

-- ---- the course: a circle to the left, then one to the right ----

local function place(s)
  local a, side = s % LAP / RADIUS, 1
  if a > 2 * math.pi then a, side = a - 2 * math.pi, -1 end
  return RADIUS * math.sin(a), side * RADIUS * (1 - math.cos(a))
end

-- The nearest point of the course near s: its s, and the distance.
local function nearest(x, y, s)
  local best, least = s, math.huge
  for k = -15, 50 do
    local at = math.max(0, s + 0.02 * k)
    local px, py = place(at)
    local d = math.sqrt((px - x) ^ 2 + (py - y) ^ 2)
    if d < least then best, least = at, d end
  end
  return best, least
end

-- ---- a run ----

-- The operator. made: of each command, when it was made, and the instant of the state by which.
local function operate(way, channel, laps)
  local view, run, s = nil, { made = {}, refused = 0 }, 0
  local drive, close = way.open(channel, function(...) view = { ... } end, function(signal)
    if signal ~= "success" and signal ~= "modified" then run.refused = run.refused + 1 end
  end)
  while not view do task.sleep(STATES) end
  local begin, n = core.now(), 0
  while s < laps * LAP - 0.1 and core.now() < begin + SLOWEST * laps do
    local x, y, theta, time = table.unpack(view)
    s = nearest(x, y, s)
    local gx, gy = place(s + AHEAD)
    local far = math.max(math.sqrt((gx - x) ^ 2 + (gy - y) ^ 2), 0.1)
    local bend = 2 * (math.cos(theta) * (gy - y) - math.sin(theta) * (gx - x)) / far / math.min(far, FAR)
    local turn = math.floor(1e3 * math.max(-1.5, math.min(1.5, SPEED * bend)) + 0.5)
    n = n + 1
    run.made[n] = { core.now(), time }
    drive { x = SPEED + QUANTUM * (n % DIGITS), theta = 1e-3 * turn + QUANTUM * (n // DIGITS) }
    task.sleep(begin + n * way.every - core.now())
  end
  run.begin, run.finish, run.done = begin, core.now(), s >= laps * LAP - 0.1
  drive { x = 0, theta = 0 } -- the operator lets go
  task.sleep(5)
  close()
  return run
end

-- Reads the recording of the robot. The robot moves by a command unless the next one begins at the same instant.
local function judge(run, file, way)
  local recording <close> = assert(mcap.open(file))
  local given, current, heard, s, sum, count, takes = {}, nil, 0, 0, 0, 0, {}
  run.path, run.worst, run.stops, run.late, run.view, run.silence = {}, 0, 0, 0, 0, 0
  local function digits(x) return math.floor(x / QUANTUM + 0.5) % DIGITS end
  local function passes(time) if current then run.silence = math.max(run.silence, time - heard) end end
  local function begins(time, speed) -- speed nil: a stop
    passes(time)
    if current and time > current.time then
      local made = run.made[current.number]
      run.late = run.late + (current.time - made[1] > way.limit and 1 or 0)
      run.view = math.max(run.view, current.time - made[2])
    end
    local moves = speed and speed.x ~= 0
    if current and not moves and time < run.finish then run.stops = run.stops + 1 end
    current = moves and { time = time, number = digits(speed.x) + DIGITS * digits(speed.theta) } or nil
    run.start = run.start or time
  end
  function takes.arrival(v)
    passes(v.time)
    heard = v.time
  end
  function takes.command(v)
    if way.sign == "command" then takes.arrival(v) end
    given[v.id] = v.body
    if v.op == "stop" then begins(v.time) end -- its result comes when the robot stands
  end
  function takes.result(v)
    if v.op == "set_speed" and math.type(v.executed) then begins(v.executed, given[v.id]) end
    given[v.id] = nil
  end
  function takes.notice(v) if v.notice == "deadman" then begins(v.time) end end
  function takes.state(v)
    if not run.start or v.time > run.finish then return end
    local d
    s, d = nearest(v.pose[1], v.pose[2], s)
    if s < LAP and v.time < run.start + MINUTE then run.path[#run.path + 1] = { -v.pose[2], v.pose[1] } end
    run.worst, sum, count = math.max(run.worst, d), sum + d, count + 1
  end
  local topics = {}
  for what in pairs(takes) do
    if what ~= "arrival" or way.sign == what then topics[#topics + 1] = ("/%s/%s"):format(NAME, what) end
  end
  for m in recording:messages { topic = topics } do takes[m.topic:match "[^/]*$"](m.value) end
  run.mean, run.seconds = sum / math.max(count, 1), run.finish - (run.start or run.begin) -- it may not have moved
  return run
end

-- One run in the open world, which is a virtual one. file: of the recording.
local function drive(way, channel, laps, file)
  local d = assert(require "robotalk.descriptor".load(NAME))
  d.sensors, d.cameras = nil, nil -- the recording is smaller
  local name = assert(require "robotalk".add_robot(d))
  os.remove(file) -- of an earlier time
  local recorder = assert(require "robotalk.recorder".begin(file, name, { rate = RATE }))
  local run = operate(way, channel, laps)
  assert(recorder:close())
  core.remove_robot(name)
  return judge(run, file, way)
end

-- ---- results ----

local NOTES <const> = [[

error: distance from the course. stops: before the end, by the deadman or by the rules of the way. refused: commands,
by their answers; of rosbridge unknown. late: commands by which the robot moved, made longer ago than the expiry
(RoboTalk 1 s, the others 1.5 s). silent: the longest that it was driven without a sign of life. view: the greatest age
of the state by which a command was made, when the command began.
]]

local function row(name, ...)
  return name .. (" "):rep(24 - utf8.len(name)) .. (" %-9s %6s %6s %6s %5s %6s %8s %5s %6s %6s\n"):format(...)
end

local function table_of(results)
  local lines = { row("link, each way", "way", "error", "worst", "time", "stops", "stops", "refused", "late", "silent",
    "view"), row("", "", "mm", "mm", "s", "", "a min", "", "", "s", "s") }
  local function number(form, x) return form:format(x) end
  for _, r in ipairs(results) do
    lines[#lines + 1] = row(r.link, r.way, number("%.0f", 1e3 * r.mean), number("%.0f", 1e3 * r.worst),
      r.done and number("%.1f", r.seconds) or "-", r.stops, number("%.1f", 60 * r.stops / r.seconds),
      r.way == "rosbridge" and "-" or r.refused, r.late, number("%.2f", r.silence), number("%.2f", r.view))
  end
  return table.concat(lines)
end

local function write_svg(file, results)
  local course, panels = { color = "#bbbbbb", width = 4 }, {}
  for k = 0, 100 do
    local x, y = place(k / 100 * LAP)
    course[k + 1] = { -y, x } -- x is up
  end
  for i, r in ipairs(results) do
    r.path.color, r.path.width = "#c0392b", 1
    panels[i] = { title = ("%s: %s"):format(r.way, r.link), curves = { course, r.path },
      note = ("%serror %.0f mm; %.1f stops a minute"):format(r.done and "" or "gave up; ", 1e3 * r.mean,
        60 * r.stops / r.seconds) }
  end
  experiment.write(file, plot.panels(
    "The first lap, or minute, of an operator who sees the robot over the same link; metres", panels, #WAYS,
    { { "course", "#bbbbbb" }, { "path driven", "#c0392b" } }, nil, true))
end

return {
  summary = "an operator drives over links from none to awful, by RoboTalk, the page's WebSocket and rosbridge",
  tasks = { "course", "hold" },
  ways = WAYS, links = LINKS, drive = drive, -- for tests
  ---options: what (a task; course), seed, out (a folder); progress(text). The results and the text of the table.
  run = function(options, progress)
    if options.real then error("teleoperation: its links are simulated, in simulated time", 0) end
    local results, hold = {}, options.what == "hold"
    local laps = hold and math.ceil(600 * SPEED / LAP) or LAPS -- ten minutes
    experiment.folder(options.out)
    for _, l in ipairs(hold and { LINKS[5], LINKS[6] } or LINKS) do
      for _, way in ipairs(WAYS) do
        progress(("%s, %s"):format(l.name, way.name))
        local file = ("%s/teleoperation-%d.mcap"):format(options.out, #results + 1)
        local world = { virtual = true, seed = options.seed or 1, quiet = true }
        local r = experiment.run(world, drive, way, l.channel, laps, file)
        r.link, r.way = l.name, way.name
        results[#results + 1] = r
      end
    end
    write_svg(options.out .. "/teleoperation.svg", results)
    return results, ("%s%swritten: %s/teleoperation.svg and a recording of each run\n"):format(table_of(results), NOTES,
      options.out)
  end,
  json = function(results)
    local list = {}
    for i, r in ipairs(results) do
      list[i] = { link = r.link, way = r.way, mean_m = r.mean, worst_m = r.worst, seconds = r.seconds, done = r.done,
        stops = r.stops, refused = r.refused, late = r.late, silent_s = r.silence, oldest_view_s = r.view }
    end
    return list
  end,
}
