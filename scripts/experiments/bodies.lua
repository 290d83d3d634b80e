-- Figure 10 of paper 000: one motion sequence for every body. A client that knows nothing of the body drives forward
-- and backward, turns, and pans joint 1, which is the head where there is one; impossible commands are answered NA.
local core = require "robotalk.core"
local experiment = require "robotalk.experiment"
local task = require "robotalk.task"
local plot = require "robotalk.plot"

local BODIES = { "pioneer2", "asimo", "aibo_ers7", "flyer", "puma560", "arm004" }

-- The sequence: each command in words, and as a client's call. Joint 1 is named by its number.
local function pan(angle)
  return function(robot)
    local ticket, message, code = robot:send { { op = "set_joint", joint = 1, mask = 1, value = { angle, 0, 0, 0, 0,
      0 } } }
    if not ticket then return nil, message, code end
    return robot:result(ticket)
  end
end
local SEQUENCE = {
  { "forward: go_to 0.6 m ahead", function(robot) return robot:go_to { x = 0.6, y = 0, theta = 0 } end },
  { "head: pan joint 1 to the left", pan(0.6) },
  { "backward: set_speed -0.1 m/s", function(robot) return robot:set_speed { x = -0.1 } end, 3 },
  { "stand: set_speed 0", function(robot) return robot:set_speed { x = 0 } end, 1 },
  { "head: pan joint 1 to the right", pan(-0.6) },
  { "turn: go_to a quarter turn", function(robot) return robot:go_to { x = 0.3, y = 0, theta = math.pi / 2 } end },
  { "sideways: set_speed 0.05 m/s", function(robot) return robot:set_speed { y = 0.05 } end, 2 },
  { "stop", function(robot) return robot:stop() end },
  { "back: go_to the start", function(robot) return robot:go_to { x = 0, y = 0, theta = 0 } end },
  { "home: every joint to its home", function(robot) return robot:home() end },
}

-- The pose of the root link, every 0.1 s.
local function recorder(name)
  local path = {}
  local t = task.spawn(function()
    while true do
      local state = core.robot_state(name)
      path[#path + 1] = { state.pose[1], state.pose[2], state.pose[3], state.attitude[3], time = state.time }
      task.sleep(0.1)
    end
  end)
  t.background = true
  return path, t
end

local function length_of(path)
  local sum = 0
  for i = 2, #path do
    local a, b = path[i - 1], path[i]
    sum = sum + math.sqrt((b[1] - a[1]) ^ 2 + (b[2] - a[2]) ^ 2 + (b[3] - a[3]) ^ 2)
  end
  return sum
end

local function play(rt, name)
  local robot <close> = rt.connect(name)
  local path, watcher = recorder(name)
  local result = { name = name, path = path, words = {}, why = {}, seconds = core.now() }
  for i, step in ipairs(SEQUENCE) do
    local word, why = step[2](robot)
    result.words[i], result.why[i] = word or "?", why
    task.sleep(step[3] or 0)
  end
  result.seconds = core.now() - result.seconds
  watcher:cancel()
  local state = robot:state()
  result.stop = { state.x, state.y, state.theta }
  result.metres = length_of(path)
  return result
end

-- All bodies at once; from inside a task.
local function play_all(rt, progress)
  local results, tasks = {}, {}
  for i, name in ipairs(BODIES) do tasks[i] = task.spawn(play, rt, name) end
  for i, t in ipairs(tasks) do
    progress(("%d of %d bodies: %s"):format(i, #BODIES, BODIES[i]))
    local ok, result = t:wait()
    if not ok then error(("%s: %s"):format(BODIES[i], result), 0) end
    results[i] = result
  end
  return results
end

local function write_files(dir, results)
  experiment.folder(dir)
  local panels = {}
  for i, r in ipairs(results) do
    local lines = { "time_s,x_m,y_m,z_m,heading_rad" }
    for _, p in ipairs(r.path) do
      lines[#lines + 1] = ("%.1f,%.6f,%.6f,%.6f,%.6f"):format(p.time - r.path[1].time, table.unpack(p))
    end
    experiment.write(("%s/bodies-%s.csv"):format(dir, r.name), table.concat(lines, "\n") .. "\n")
    local curve = { color = "#c0392b" }
    for k, p in ipairs(r.path) do curve[k] = { p[1], p[2] } end
    panels[i] = { title = r.name, note = ("%.2f m in %.0f s"):format(r.metres, r.seconds), curves = { curve } }
  end
  experiment.write(dir .. "/bodies.svg", plot.panels("One sequence, every body (after figure 10 of RoboTalk); metres",
    panels, 3,
    { { "path of the root link", "#c0392b" } }))
end

local function table_of(results)
  local lines = {}
  local function add(head, cells)
    local parts = { ("%-32s"):format(head) }
    for _, cell in ipairs(cells) do parts[#parts + 1] = ("%-10s"):format(cell) end
    lines[#lines + 1] = (table.concat(parts, " "):gsub("%s+$", ""))
  end
  local function each(fn)
    local cells = {}
    for i, r in ipairs(results) do cells[i] = fn(r) end
    return cells
  end
  add("", each(function(r) return r.name end))
  for i, step in ipairs(SEQUENCE) do add(step[1], each(function(r) return r.words[i] end)) end
  add("path of the root link, m", each(function(r) return ("%.2f"):format(r.metres) end))
  add("time, s", each(function(r) return ("%.1f"):format(r.seconds) end))
  add("off the start at the end, mm", each(function(r)
    local first = r.path[1]
    return ("%.1f"):format(1e3 * math.sqrt((r.stop[1] - first[1]) ^ 2 + (r.stop[2] - first[2]) ^ 2))
  end))
  local whys, seen = {}, {}
  for i in ipairs(SEQUENCE) do
    for _, r in ipairs(results) do
      local text = r.why[i] and ("%s: %s"):format(r.words[i], r.why[i])
      if text and not seen[text] then
        seen[text] = true
        whys[#whys + 1] = text
      end
    end
  end
  lines[#lines + 1] = ""
  for _, text in ipairs(whys) do lines[#lines + 1] = text end
  return table.concat(lines, "\n")
end

return {
  play_all = play_all,
  table_of = table_of,
  summary = "figure 10 of RoboTalk: one motion sequence, run unchanged on every body",
  ---options: out (a folder); progress(text). The results and the text of the table.
  run = function(options, progress)
    if options.real then error("bodies: these robots are simulated, in simulated time", 0) end
    local results = experiment.run({ virtual = true, seed = 1 }, play_all, require "robotalk", progress)
    local text = table_of(results) .. "\n"
    if options.out then
      write_files(options.out, results)
      text = text .. ("written: %s/bodies.svg and a CSV file for each body\n"):format(options.out)
    end
    return results, text
  end,
  json = function(results)
    local list = {}
    for i, r in ipairs(results) do
      list[i] = { robot = r.name, words = r.words, path_m = r.metres, seconds = r.seconds }
    end
    return list
  end,
}
