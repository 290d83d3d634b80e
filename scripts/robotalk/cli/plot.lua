local arguments = require "robotalk.arguments"
local canvas = require "robotalk.screen.canvas"
local core = require "robotalk.core"
local mcap = require "robotalk.mcap"
local plot = require "robotalk.plot"
local screen = require "robotalk.screen"
local script = require "robotalk.cli.script"
local signal = require "robotalk.mcap.signal"
local text = require "robotalk.watch.text"

-- Marked events, by the schema of their topics (docs/recordings.md): functions of a message.
local LATE <const> = 0.01 -- s
local STOP <const>, PANIC <const> = { name = "stop", color = "#e69f00" }, { name = "panic", color = "#c0392b" }
local LATENESS <const> = { name = "late", color = "#777777" }
local NOTICES <const> = { latched = STOP, panicked = PANIC }
local MARKS = {
  ["robotalk.notice"] = function(value) return NOTICES[value.notice] end,
  ["robotalk.result"] = function(value)
    return type(value.late) == "number" and value.late > LATE and LATENESS or nil
  end,
}

-- Colors of curves: of SVG, at the terminal, and their letters there without one.
local CURVES = { { "#0072b2", "blue", "*" }, { "#009e73", "green", "+" }, { "#cc79a7", "yellow", "o" },
  { "#56b4e9", "strong", "x" }, { "#d55e00", "red", "#" } }
local LABEL <const>, HEIGHT <const> = 10, 20 -- columns, rows

-- Reads the curves of signals, and the marks: a chart (robotalk.plot); nil, message.
local function read(recording, names, args)
  local curves, by_topic, marks, topics = {}, {}, {}, {}
  local chart = { title = recording.path, x = "time, s", y = names[2] and "" or names[1], curves = curves, marks = {} }
  for i, name in ipairs(names) do
    local topic, steps = signal.parse(name, recording:info().channels)
    if not topic then return nil, steps end
    curves[i] = { name = name, topic = topic, steps = steps, color = CURVES[(i - 1) % #CURVES + 1][1] }
    by_topic[topic] = by_topic[topic] or {}
    table.insert(by_topic[topic], curves[i])
  end
  for _, channel in ipairs(recording:info().channels) do
    marks[channel.topic] = channel.schema and MARKS[channel.schema.name]
  end
  for topic in pairs(by_topic) do topics[#topics + 1] = topic end
  for topic in pairs(marks) do topics[#topics + 1] = topic end
  for m in recording:messages { topic = topics, from = args.from, to = args.to } do
    local mark = marks[m.topic] and marks[m.topic](m.value)
    if mark then table.insert(chart.marks, { x = m.time, name = mark.name, color = mark.color }) end
    for _, curve in ipairs(by_topic[m.topic] or {}) do
      local y = signal.get(m.value, curve.steps)
      if y then curve[#curve + 1] = { m.time, y } end
    end
  end
  for _, curve in ipairs(curves) do
    if not curve[1] then
      local list, path = signal.list(recording, curve.topic), curve.name:sub(#curve.topic + 1):gsub("^%.", "")
      return nil, ("%s has no number '%s'%s are %s"):format(curve.topic, path, arguments.hint(path, list),
        list[1] and table.concat(list, ", ") or "none")
    end
  end
  return chart
end

-- The chart as lines for a terminal of that width.
local function draw(chart, columns, style)
  local layers = { { letter = ":", color = "red" } }
  for i in ipairs(chart.curves) do
    local look = CURVES[(i - 1) % #CURVES + 1]
    layers[i + 1] = { letter = look[3], color = look[2] }
  end
  local c = canvas.new(columns - LABEL - 1, HEIGHT, layers, style)
  local x0, x1, y0, y1 = plot.bounds { chart }
  if y0 == y1 then y0, y1 = y0 - 1, y1 + 1 end
  x1 = math.max(x1, x0 + 1e-9)
  local function at(x, y)
    return (x - x0) / (x1 - x0) * (c.width - 1), (y1 - y) / (y1 - y0) * (c.height - 1)
  end
  for _, mark in ipairs(chart.marks) do
    local x = at(mark.x, y0)
    c:line(x, 0, x, c.height - 1, 1, 2)
    c:write(x + c.across, 0, mark.name, "red")
  end
  local lines = {}
  for i, curve in ipairs(chart.curves) do
    local before
    for _, q in ipairs(curve) do
      local x, y = at(q[1], q[2])
      if before then c:line(before[1], before[2], x, y, i + 1) else c:dot(x, y, i + 1) end
      before = { x, y }
    end
    lines[i] = text.paint(text.fit(("%s %s"):format(style.utf8 and "━" or layers[i + 1].letter, curve.name), columns,
      style), layers[i + 1].color, style)
  end
  for row, line in ipairs(c:lines()) do
    local y = row == 1 and y1 or row == HEIGHT and y0 or row == HEIGHT // 2 and (y0 + y1) / 2
    if y and math.abs(y) < (y1 - y0) * 1e-4 then y = 0 end -- nobody sees that
    lines[#lines + 1] = ("%" .. LABEL .. "s %s"):format(y and ("%.4g"):format(y) or "", line)
  end
  local first, last = ("%.4g s"):format(x0), ("%.4g s"):format(x1)
  lines[#lines + 1] = (" "):rep(LABEL + 1) .. first .. (" "):rep(columns - LABEL - 1 - #first - #last) .. last
  return lines
end

return {
  usage = "FILE [SIGNAL …] [--from S] [--to S] [-o FILE.svg]",
  details = "SIGNAL is the path of a number in the JSON messages of a topic, as /joint_states.position[2]; [0] is the "
    .. "first of a list,\n[elbow] the item whose name is elbow. Without one: prints the paths that there are.\n"
    .. "Stops, panics and late frames of a robot's recording are marked.",
  options = {
    { "out", "FILE", "writes SVG; also -o FILE" },
    script.FROM,
    script.TO,
  },
  short = { o = "out" },
  example = "robotalk plot drive.mcap /place.x -o x.svg",
  names = function(words)
    local recording = words[1] and mcap.open(words[1])
    return recording and signal.list(recording)
  end,
  main = function(args)
    if not args[1] then
      script.complain "plot: want the name of a file"
      return 2
    end
    if (args.to or math.huge) <= (args.from or 0) then
      script.complain(("plot: expected --from less than --to, got %s and %s"):format(args.from or 0, args.to))
      return 2
    end
    local recording <close>, message = mcap.open(args[1])
    local chart, ok = nil, true
    if recording and not args[2] then
      for _, name in ipairs(signal.list(recording)) do core.say("out", name .. "\n") end
      return 0
    end
    if recording then chart, message = read(recording, table.move(args, 2, #args, 1, {}), args) end
    if chart and args.out then
      ok, message = core.write_file(args.out, plot.chart(chart))
    elseif chart then
      local style = screen.style(os.getenv)
      style.color = style.color and core.is_terminal(1)
      local columns = core.is_terminal(1) and core.screen_size() or 80
      for _, line in ipairs(draw(chart, math.max(40, columns), style)) do core.say("out", line .. "\n") end
    end
    if chart and ok then return 0 end
    script.complain(message)
    return 1
  end,
}
