-- Figure 11 of paper 000: what congestion does to a sequence of velocity commands in each command mode.
--
-- A client sends a velocity every 0.1 s: four small half circles and a large one back to the start. The server
-- sleeps for a random while before it reads each package. As the paper describes it, the sleep is 0 to 0.1 s: half a
-- frame on average, so the server keeps up and a buffer of 10 s never runs dry. But its figure 11(c), a 10 s buffer
-- that preserves just the first 10 s, implies arrivals about twice as slow as the frames. Both are run.
--
-- The other tasks play the same sequence in playback mode between these two, and where the server is slow but steady,
-- stalls once, has bad times, or grows ever slower: each with the least delay in hindsight and that of an oracle.
local core = require "robotalk.core"
local experiment = require "robotalk.experiment"
local json = require "robotalk.json"
local task = require "robotalk.task"
local plot = require "robotalk.plot"
local weather = require "robotalk.weather"

local FRAME = 0.1
local RUNS = {
  -- name, mode, stall of the channel, options of the session
  { key = "a", name = "direct, no congestion", mode = "direct" },
  { key = "described-direct", name = "direct", mode = "direct", channel = "described", stall = 0.1 },
  { key = "described-delay", name = "delay 10 s", mode = "delay", delay = 10, channel = "described", stall = 0.1 },
  { key = "described-playback", name = "playback", mode = "playback", channel = "described", stall = 0.1 },
  { key = "b", name = "direct", mode = "direct", channel = "implied", stall = 0.4 },
  { key = "c", name = "delay 10 s", mode = "delay", delay = 10, channel = "implied", stall = 0.4 },
  { key = "d", name = "playback", mode = "playback", channel = "implied", stall = 0.4 },
  { key = "worst-playback", name = "playback", mode = "playback", channel = "ten frames", stall = 1.0 },
}

-- Sequences in playback mode by the server's time for each package, on several connections.
local CONNECTIONS = 3
local CERTAINTY, ORACLES = 0.99, 1000
local SKIES = { between = {}, rough = {
  { name = "0.12 to 0.121 s", kind = weather.steady(0.12, 0.121) },
  { name = "0 to 0.05, once 2 s", kind = weather.stall(0, 0.05, 2) },
  { name = "bursts of 0 to 0.6 s", kind = weather.bursts(0.05, 0.6, 0.02, 0.2) },
  { name = "mean 0.02 to 0.15 s", kind = weather.drift(0.02, 0.15) },
} }
for _, most in ipairs { 0.11, 0.12, 0.15, 0.18, 0.2, 0.25, 0.3 } do
  table.insert(SKIES.between, { name = ("0 to %g s"):format(most), kind = weather.steady(0, most) })
end

-- The velocities, one a frame: half circles of 0.5 m radius in 8 s, turning in turn to either side, then one of 2 m
-- in 32 s. Whole numbers of frames, so that the path closes exactly.
local function velocities()
  local list = {}
  local function half_circle(radius, seconds, sense)
    local turn = math.pi / seconds
    for _ = 1, math.floor(seconds / FRAME + 0.5) do
      list[#list + 1] = { x = turn * radius, theta = sense * turn }
    end
  end
  for i = 1, 4 do half_circle(0.5, 8, i % 2 == 1 and -1 or 1) end
  half_circle(2, 32, 1)
  list[#list + 1] = { x = 0, theta = 0 }
  return list
end

local function sleep_until(t)
  local left = t - core.now()
  if left > 0 then task.sleep(left) end
end

-- Reads the robot's state every 10 ms, not over the network.
local function recorder(name)
  local path = {}
  local t = task.spawn(function()
    local begin = core.now()
    for i = 0, math.maxinteger do
      sleep_until(begin + i * 0.01)
      local state = core.robot_state(name)
      path[#path + 1] = { state.time, state.pose[1], state.pose[2], state.attitude[3] }
    end
  end)
  t.background = true
  return path, t
end

-- The begin of the motion, from the recorded states: the first centimetre is driven at full speed except for the
-- ramp at its begin, which is the same in every run. The clocks that congestion blurs are not used.
local function begin_of(path, speed)
  local x, y = path[1][2], path[1][3]
  for _, p in ipairs(path) do
    local way = math.sqrt((p[2] - x) ^ 2 + (p[3] - y) ^ 2)
    if way > 0.01 then return p[1] - way / speed end
  end
  error("the robot has not moved")
end

-- The path from `start` on at multiples of one frame; between two states it is a straight line. Pauses are
-- left out.
local function sample(path, start, frames, pauses)
  local samples, k, added, n = {}, 1, 0, 1
  for i = 0, frames do
    while pauses and pauses[n] and pauses[n].t < (i - 0.5) * FRAME do added, n = added + pauses[n].added, n + 1 end
    local t = start + i * FRAME + added
    while k + 1 < #path and path[k + 1][1] <= t do k = k + 1 end
    local a, b = path[k], path[math.min(k + 1, #path)]
    local u = b[1] > a[1] and math.min(1, math.max(0, (t - a[1]) / (b[1] - a[1]))) or 0
    samples[#samples + 1] = { a[2] + u * (b[2] - a[2]), a[3] + u * (b[3] - a[3]) }
  end
  return samples
end

-- Direct mode: a velocity every 0.1 s, or as soon as the call before has returned.
local function play_direct(robot, list)
  local begin, first, worst, refused, longest = core.now(), nil, 0, 0, 0
  for i, v in ipairs(list) do
    sleep_until(begin + (i - 1) * FRAME)
    local due = begin + (i - 1) * FRAME
    local signal, why, result = robot:set_speed(v)
    if not signal then error(why) end
    if result.executed then
      first = first or result.executed
      worst = math.max(worst, result.executed - due)
    else
      refused = refused + 1
    end
    longest = math.max(longest, core.now() - due)
  end
  return { delay = first - begin, worst = worst, underruns = 0, refused = refused,
    length = core.now() - first }
end

-- The other modes: a frame every 0.1 s, without waiting. day: changes of the link meanwhile.
local function play_frames(robot, run, list, day)
  local options = { mode = run.mode, delay = run.delay, duration = (#list - 1) * FRAME, spacing = FRAME }
  if run.mode == "delay" then options.expiry = false end
  local session, why = robot:session(options)
  if not session then error(why) end
  local begin = core.now()
  for i, v in ipairs(list) do
    sleep_until(begin + (i - 1) * FRAME)
    if day then robot.client.link:stall(day(i - 1)) end
    local ok, trouble = session:frame((i - 1) * FRAME, { base = { speed = v } })
    if not ok then error(trouble) end
  end
  local report
  report, why = session:finish(600)
  session:close()
  if not report then error(why) end
  return { delay = report.delay, needed = report.needed, worst = report.worst,
    frames = #list - 1, underruns = report.underruns, refused = report.refused,
    pauses = report.pauses, paused = report.paused, added = report.added, length = core.now() - begin - report.delay }
end

-- One run in a world of its own; the robot it drives is called `name`.
local function perform(run, connect, name)
  local list = velocities()
  local robot = connect(run)
  local path, eye = recorder(name)
  task.sleep(0.05)
  local result = run.mode == "direct" and play_direct(robot, list) or play_frames(robot, run, list)
  task.sleep(0.2)
  eye:cancel()
  robot:close()
  result.run = run
  result.frames = #list - 1
  result.path = sample(path, begin_of(path, list[1].x), math.max(result.frames, math.floor(result.length / FRAME)))
  return result
end

-- Two sequences on one connection, which knows its link much better at the second.
local function perform_under(sky, seed)
  local list, random = velocities(), weather.random(seed)
  local frames = #list - 1
  local day = sky.kind(random, frames)
  local robot = require "robotalk".connect("pioneer2",
    { expiry = false, timeout = 60, channel = { stall = { day(0) } } })
  local path, eye = recorder "pioneer2"
  task.sleep(0.05)
  local first = play_frames(robot, { mode = "playback" }, list, day)
  task.sleep(0.2)
  eye:cancel()
  first.path = sample(path, begin_of(path, list[1].x), frames, first.pauses)
  day = sky.kind(random, frames)
  robot.client.link:stall(day(0))
  first.later = play_frames(robot, { mode = "playback" }, list, day)
  robot:close()
  return first
end

-- The time that a sequence waited longer than necessary.
local function ratio(r) return r.delay / r.needed end

-- The median run of several connections, with the results of their second sequences.
local function middle(runs)
  local later = {}
  for i, r in ipairs(runs) do later[i] = r.later end
  table.sort(runs, function(a, b) return ratio(a) < ratio(b) end)
  table.sort(later, function(a, b) return ratio(a) < ratio(b) end)
  local result = runs[#runs // 2 + 1]
  result.later = later[#later // 2 + 1]
  return result
end

-- Deviation at equal times since the start; right for: until it first exceeds a centimetre.
local function compare(result, truth)
  local sum, largest, right = 0, 0, nil
  for i, p in ipairs(result.path) do
    local q = truth[math.min(i, #truth)]
    local d = math.sqrt((p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2)
    sum = sum + d * d
    largest = math.max(largest, d)
    if d > 0.01 and not right then right = (i - 1) * FRAME end
  end
  result.rms, result.largest, result.right = math.sqrt(sum / #result.path), largest, right
end

local function descriptor(name)
  local d = assert(require "robotalk.descriptor".load("pioneer2_fast"))
  d.name = name
  d.links = { [0] = { attitude = { 0, 0, math.pi / 2 } } }
  return d
end

-- The true path: every frame queued ahead of its time, so that none is late.
local function truth(rt)
  return experiment.run({ virtual = true, seed = 1 }, function()
    local list = velocities()
    rt.add_robot(descriptor "truth")
    local robot = rt.connect("truth")
    local path, eye = recorder("truth")
    local session = assert(robot:session { mode = "delay", delay = 1 })
    for i, v in ipairs(list) do session:frame((i - 1) * FRAME, { base = { speed = v } }) end
    session:finish()
    task.sleep(0.2)
    eye:cancel()
    robot:close()
    return sample(path, begin_of(path, list[1].x), #list - 1)
  end)
end

-- All runs one after the other, each in a simulated world from the seed.
local function virtual_runs(rt, seed, progress)
  local results = {}
  for i, run in ipairs(RUNS) do
    progress(("%d/%d %s, %s"):format(i, #RUNS, run.name, run.channel or "no congestion"))
    results[i] = experiment.run({ virtual = true, seed = seed }, perform, run, function()
      rt.add_robot(descriptor "pioneer2")
      return rt.connect("pioneer2", { expiry = false,
        channel = run.stall and { stall = { 0, run.stall } } or nil, timeout = 60 })
    end, "pioneer2")
  end
  return results
end

-- Sequences under the conditions of a group.
local function sky_runs(rt, seed, group, progress)
  local results = {}
  for i, sky in ipairs(SKIES[group]) do
    local runs = {}
    for k = 1, CONNECTIONS do
      progress(("%s %d/%d: %s, %d/%d"):format(group, i, #SKIES[group], sky.name, k, CONNECTIONS))
      local own = seed * CONNECTIONS + k
      runs[k] = experiment.run({ virtual = true, seed = own }, function()
        rt.add_robot(descriptor "pioneer2")
        return perform_under(sky, own)
      end)
    end
    local r = middle(runs)
    r.sky, r.group = sky, group
    r.oracle = weather.oracle(sky.kind, r.frames, FRAME, CERTAINTY, ORACLES, seed)
    results[i] = r
  end
  return results
end

-- All runs at once in real time over real sockets: a server a channel, whose thread sleeps before it reads.
local function real_runs(rt, progress)
  return experiment.run({}, function()
    local urls, servers, tasks, results = {}, {}, {}, {}
    for i in ipairs(RUNS) do rt.add_robot(descriptor("run" .. i)) end
    for _, stall in ipairs { 0, 0.1, 0.4, 1.0 } do
      local server = assert(rt.serve { listen = { "robotalk://127.0.0.1:0" }, stall = { 0, stall } })
      servers[#servers + 1] = server
      urls[stall] = server:urls()[1]
    end
    for i, run in ipairs(RUNS) do
      tasks[i] = task.spawn(perform, run, function()
        return rt.connect(("%s/run%d"):format(urls[run.stall or 0], i), { expiry = false, timeout = 60 })
      end, "run" .. i)
    end
    local begin = core.now()
    local clock = task.spawn(function()
      while true do
        progress(("%.0f s; the longest run takes about six minutes"):format(core.now() - begin))
        task.sleep(1)
      end
    end)
    for i, t in ipairs(tasks) do
      local ok, result = t:wait()
      if not ok then error(result, 0) end
      results[i] = result
    end
    clock:cancel()
    for _, server in ipairs(servers) do server:close() end
    return results
  end)
end

local function write_csv(dir, result, true_path)
  local lines = { "time_s,x_m,y_m,true_x_m,true_y_m" }
  for i, p in ipairs(result.path) do
    local q = true_path[math.min(i, #true_path)]
    lines[#lines + 1] = ("%.1f,%.6f,%.6f,%.6f,%.6f"):format((i - 1) * FRAME, p[1], p[2], q[1], q[2])
  end
  experiment.write(("%s/congestion-%s.csv"):format(dir, result.run.key), table.concat(lines, "\n") .. "\n")
end

local function write_svg(dir, results, true_path)
  local panels, longest = {}, 0
  true_path.color, true_path.width = "#bbbbbb", 4
  for _, key in ipairs { "a", "b", "c", "d" } do
    for _, r in ipairs(results) do
      if r.run and r.run.key == key then
        r.path.color, r.path.moves = "#c0392b", true
        longest = math.max(longest, #r.path)
        panels[#panels + 1] = {
          title = ("(%s) %s"):format(key, r.run.name .. (r.run.stall and ", congestion" or "")),
          note = ("RMS %.3f m, largest %.2f m, start delay %.1f s"):format(r.rms, r.largest, r.delay),
          curves = { true_path, r.path },
        }
      end
    end
  end
  experiment.write(dir .. "/congestion.svg",
    plot.panels("Paths under congestion (after figure 11 of RoboTalk); metres", panels, 4,
    { { "true path", "#bbbbbb" }, { "path driven, ten times as fast", "#c0392b" } }, longest * FRAME / 10))
end

local function row(r)
  local waited = r.needed and r.run.mode == "playback" and r.needed > 1e-6 and ratio(r)
  return ("%-12s %-22s %8.1f %8.1f  %9.3f %9s %6s %9.3f %6d %7d  %s"):format(r.run.channel or "-", r.run.name,
    r.rms * 1e3, r.largest * 1e3, r.delay, r.needed and ("%.3f"):format(r.needed) or "-",
    waited and ("%.2f"):format(waited) or "-", r.worst, r.underruns, r.refused,
    r.right and ("%.1f s"):format(r.right) or "all")
end

local function sky_row(r)
  return ("%-21s %9.3f %9.3f %9.3f   %6.2f %6.2f %6.2f   %6.1f %5d %8.3f %7d"):format(r.sky.name, r.needed, r.oracle,
    r.delay, r.oracle / r.needed, ratio(r), ratio(r.later), r.rms * 1e3, r.paused, r.added, r.refused)
end

local PAPER_NOTES = [[

described: as the paper writes it, the server sleeps 0 to 0.1 s before it reads each package. That is half a frame
  on average: arrivals keep up with the frames, and a buffer of 10 s does not run dry.
implied: its figure 11(c), a 10 s buffer that preserves just the first 10 s, means arrivals about twice as slow as
  the frames: sleeps of 0 to 0.4 s. ten frames: sleeps of 0 to 1 s.
The direct and delay runs have no expiry, so that the paper's distortion shows; by default a command that is more
than a second late is refused. Deviations are taken at equal times since each run's own start. least delay: what
would have sufficed in hindsight. right for: until the robot is first more than 1 cm off.]]

local SKY_NOTES = [[

The same sequence in playback mode, by the time that the server takes for a package. least: the start delay that would
have sufficed in hindsight. oracle: that with which 99 of 100 sequences are in time, for who knows how the server draws
its times, but not which. start: the one that was chosen for the first sequence of a connection, in the middle of three
connections. Then ratios to the least: of the oracle's, of that, and of the second sequence of a connection, which has a
minute of traffic to go by. pauses: how often the first sequence held again since a frame was late, and the delay that
this has added; RMS is at equal times of the sequence.]]

-- The rows of one group below their heads.
local function write_table(lines, group, results)
  local function add(form, ...) lines[#lines + 1] = form:format(...) end
  if #lines > 0 then add "" end
  if group == "paper" then
    add("%-12s %-22s %8s %8s  %9s %9s %6s %9s %6s %7s  %s", "channel", "mode", "RMS", "largest", "start", "least",
      "ratio", "worst", "under-", "refused", "right")
    add("%-12s %-22s %8s %8s  %9s %9s %6s %9s %6s %7s  %s", "", "", "mm", "mm", "delay s", "delay s", "", "late s",
      "runs", "", "for")
  else
    local form = "%-21s %9s %9s %9s   %6s %6s %6s   %6s %5s %8s %7s"
    add(form, "a package takes", "least", "oracle", "start", "oracle", "start", "second", "RMS", "pau-", "added",
      "refused")
    add(form, "", "s", "s", "s", "/least", "/least", "/least", "mm", "ses", "s", "")
  end
  for _, r in ipairs(results) do lines[#lines + 1] = group == "paper" and row(r) or sky_row(r) end
end

-- Fields that some runs lack.
local MAY_LACK = { "rms_m", "largest_m", "start_delay_s", "least_delay_s", "oracle_delay_s", "worst_lateness_s",
  "underruns", "refused", "pauses", "added_s", "second_ratio" }

return {
  summary = "figure 11 of RoboTalk: what congestion does to each command mode",
  tasks = { "paper", "between", "rough" },
  ---options: seed, real, out (a folder), what (a task; all by default); progress(text). The results and the text of the
  ---tables.
  run = function(options, progress)
    local rt = require "robotalk"
    local true_path, seed, results, lines = truth(rt), options.seed or 1, {}, {}
    if options.real and options.what and options.what ~= "paper" then
      error(options.what .. " is simulated: only paper runs in real time", 0)
    end
    for _, group in ipairs { "paper", "between", "rough" } do
      local wanted = not options.what or options.what == group
      local some = {}
      if wanted and group == "paper" then
        some = options.real and real_runs(rt, progress) or virtual_runs(rt, seed, progress)
      elseif wanted and not options.real then
        some = sky_runs(rt, seed, group, progress)
      end
      for _, r in ipairs(some) do
        compare(r, true_path)
        results[#results + 1] = r
      end
      if #some > 0 then write_table(lines, group, some) end
      if #some > 0 and group == "paper" then lines[#lines + 1] = PAPER_NOTES end
    end
    if results[#results].sky then lines[#lines + 1] = SKY_NOTES end
    if options.out and results[1].run then
      experiment.folder(options.out)
      for _, r in ipairs(results) do if r.run then write_csv(options.out, r, true_path) end end
      write_svg(options.out, results, true_path)
      lines[#lines + 1] = ("written: %s/congestion.svg and a CSV file for each run"):format(options.out)
    end
    return results, table.concat(lines, "\n") .. "\n"
  end,
  ---The results as plain numbers; those that a run does not have are null.
  json = function(results)
    local list = {}
    for i, r in ipairs(results) do
      list[i] = json.record(MAY_LACK, { group = r.group or "paper",
        channel = r.sky and r.sky.name or r.run.channel or "none",
        mode = r.sky and "playback" or r.run.mode, rms_m = r.rms, largest_m = r.largest,
        start_delay_s = r.delay, least_delay_s = r.needed, oracle_delay_s = r.oracle, worst_lateness_s = r.worst,
        underruns = r.underruns, refused = r.refused, pauses = r.paused, added_s = r.added,
        second_ratio = r.later and ratio(r.later), right_for_s = r.right or r.frames * 0.1 })
    end
    return list
  end,
}
