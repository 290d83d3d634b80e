-- Section IV of paper 004: how few messages a second an arm with joint-local controllers needs, by the order in which
-- its joints are sent to. Schemes A to E are the paper's, F and O ours. Tasks: a line (13), the same with a hand that
-- oscillates (14), and a line under force against a surface that steps (15), (16). Section V's set-up, with which the
-- paper measures on a real arm, in simulation too: a line along a countertop with a fork on it (17).
--
-- Where the paper leaves a convention open:
--   the base lies at -0.274 (with the +0.274 that is printed, the line is out of reach)
--   the hand's turn is Rz Ry Rz with sin(beta) > 0, so that gamma is joint 7's own; the elbow's angle counts from x
--   gains 10 /s, kP = 0.0125 m/s/N, kI = kP / 3: those whose loop loses its stability where the paper's figures do
--   joints accelerate with 100 rad/s2
--   a message is decided with the state at its slot's begin, and executed at once
--   deviations are the root mean square of all seven coordinates, m and rad; under force, of the force
--   on the countertop the base lies at +0.274, and beta counts from a hand that points down: read as in section IV, the
--   wrist would be out of reach; the fork lies from 3 to 4 s; no noise, no friction
-- docs/ordering.md describes them all.
local core = require "robotalk.core"
local experiment = require "robotalk.experiment"
local json = require "robotalk.json"
local plot = require "robotalk.plot"

-- Metres and radians in one sum: angles at a lever of 0.4 m, five times the axis of the force, the elbow least.
local WEIGHTS = { 1, 1, 5, 0.4, 0.4, 0.4, 0.3 }
local SCHEMES = {
  { name = "A", what = "sequential", color = "#999999" },
  { name = "B", what = "sequential, updated", color = "#56b4e9" },
  { name = "C", what = "synchronised", color = "#cc79a7" },
  { name = "D", what = "synchronised, predictive", color = "#009e73" },
  { name = "E", what = "optimal, as in the paper", color = "#e69f00", width = 2.5 },
  { name = "F", what = "aligned, weighted, hold-aware", color = "#c0392b", width = 2.5,
    options = { scheme = "AE", aware = true, weights = WEIGHTS } },
  { name = "O", what = "planned, weighted, hold-aware", color = "#000000", dash = "5 3",
    options = { scheme = "O", aware = true, weights = WEIGHTS } },
}
for _, s in ipairs(SCHEMES) do
  SCHEMES[s.name] = s
  s.options = s.options or { scheme = s.name }
end

-- The measured quantity; the deviations below which a run is stable and good; the content of its figure; the paper's
-- statements in words, since its figures are curves.
local TASKS = {
  line = { figure = 2, unit = "m and rad", value = "task", stable = 1e-2, good = 1e-3, low = 1e-5, high = 1,
    paper = "less than 1 mm from about 100 messages a second on; A and C slightly worse than B, D and E" },
  oscillation = { figure = 3, unit = "m and rad", value = "task", stable = 1e-2, good = 1e-3, low = 1e-5, high = 1,
    paper = "A and C poor, with resonance around 100 messages a second; B and D alike; E significantly better" },
  force = { figure = 4, unit = "N", value = "force", stable = 10, good = 3, low = 1, high = 200,
    paper = "E stable at 130 messages a second, B and D from 450 on, C from more than 1000 on" },
  countertop = { figure = 9, unit = "N", value = "force", stable = 2, good = 1.2, low = 0.5, high = 200,
    paper = "on a real arm E stable below 200 messages a second, B from more than 1.5 times as many on, A and C from "
      .. "several times" },
}
local ORDER = { "line", "oscillation", "force", "countertop" }

-- The effect of each part of F and O: rules of choice with and without them.
local PARTS = {
  { "E", { scheme = "E" } },
  { "E, weighted", { scheme = "E", weights = WEIGHTS } },
  { "E, hold-aware", { scheme = "E", aware = true } },
  { "E, weighted, hold-aware", { scheme = "E", aware = true, weights = WEIGHTS } },
  { "AE", { scheme = "AE" } },
  { "AE, weighted", { scheme = "AE", weights = WEIGHTS } },
  { "AE, hold-aware", { scheme = "AE", aware = true } },
  { "AE, weighted, hold-aware (F)", { scheme = "AE", aware = true, weights = WEIGHTS } },
  { "O, weighted", { scheme = "O", weights = WEIGHTS } },
  { "O, weighted, hold-aware (O)", { scheme = "O", aware = true, weights = WEIGHTS } },
}

-- Perturbed runs: each joint of the start by up to 5 mrad, gains and stiffness by up to 20 %.
local PERTURBED = { runs = 5, start = 0.005, share = 0.2, good = 3.5, schemes = { "E", "F", "O" } }

-- Sensitivities of the result: a change to both schemes' trials, or to one's.
local DEPENDS = {
  { "as described above" },
  { "acceleration 25 rad/s2", { acceleration = 25 } },
  { "acceleration 50 rad/s2", { acceleration = 50 } },
  { "acceleration 200 rad/s2", { acceleration = 200 } },
  { "gain a 5 /s", { gain = 5 } },
  { "gain a 20 /s", { gain = 20 } },
  { "gains kP and kI halved", { kp = 0.00625 } },
  { "gains kP and kI doubled", { kp = 0.025 } },
  { "stiffness 5 kN/m", { stiffness = 5000, known_stiffness = 5000 } },
  { "stiffness 20 kN/m", { stiffness = 20000, known_stiffness = 20000 } },
  { "stiffness 15 kN/m, taken for 10", { stiffness = 15000 } },
  { "no joint older than 14 messages", { most_messages = 14 } },
  { "no joint older than 28 messages", { most_messages = 28 } },
  { "no joint older than 56 messages", { most_messages = 56 } },
}

-- Buses of servos: bytes of a write to one servo, of its answer, and of a sync write, which has `each` more of each
-- servo (tests/unit/servos_packet_test.c). wait: s that an answer takes beside its bytes, 1 ms of them for USB.
local PACKETS = {
  { name = "Feetech", write = 9, answer = 6, sync = 8, each = 3, wait = 0.001 },
  { name = "Dynamixel", write = 16, answer = 11, sync = 14, each = 5, wait = 0.0015, lacks = 500000 },
}
local BUSES = { servos = { 6, 12, 20 }, bauds = { 57600, 115200, 500000, 1000000 } }

-- How goals are sent: by sync writes to `count` servos, or by writes to one, each of which is answered.
local WAYS = {
  { name = "all", options = SCHEMES.F.options, count = BUSES.servos[3], what = "a sync write to all servos" },
  { name = "3", options = SCHEMES.F.options, count = 3, what = "a sync write to the three that F chooses" },
  { name = "F", options = SCHEMES.F.options, count = 1, what = "a sync write to the one that F chooses" },
  { name = "O", options = SCHEMES.O.options, count = 1, most = 10, what = "the same by O, for at most 10 servos" },
  { name = "B'", options = { scheme = "B", aware = true }, what = "a write to one after the other, answered" },
  { name = "F'", options = SCHEMES.F.options, what = "a write to the one that F chooses, answered" },
}

-- ---- trials ----

-- 20 to 2000 messages a second, each 9 % above the one before.
local function all_rates()
  local list, rate = {}, 20
  while rate <= 2000 do
    list[#list + 1] = math.floor(rate + 0.5)
    rate = rate * 1.09
  end
  return list
end

---One run under a scheme; changes: options of core.ordering_trial in place of the scheme's.
local function trial(scheme, task, rate, changes)
  local options = { task = task, rate = rate }
  for name, value in pairs(scheme.options) do options[name] = value end
  for name, value in pairs(changes or {}) do options[name] = value end
  return core.ordering_trial(options)
end

local function deviation(r, task) return r.lost and math.huge or r[TASKS[task].value] end

-- { rate, deviation, messages sent } at each rate.
local function sweep(scheme, task, rates)
  local curve = {}
  for i, rate in ipairs(rates) do
    local r = trial(scheme, task, rate)
    curve[i] = { rate, deviation(r, task), r.messages }
  end
  return curve
end

-- The lowest rate above which all rates of the curve are good; nil when the highest is not.
local function least(curve, good)
  local rate
  for i = #curve, 1, -1 do
    if not (curve[i][2] <= good) then break end
    rate = curve[i][1]
  end
  return rate
end

-- The same under changed conditions, from the highest rate down as far as needed.
local function least_of(scheme, task, changes, good, rates)
  local rate
  for i = #rates, 1, -1 do
    if not (deviation(trial(scheme, task, rates[i], changes), task) <= good) then break end
    rate = rates[i]
  end
  return rate
end

-- Conditions for perturbed runs; random() gives numbers from 0 to 1.
local function perturbations(random)
  local function around(x, share) return x * (1 + share * (2 * random() - 1)) end
  local list = {}
  for i = 1, PERTURBED.runs do
    local shift = {}
    for joint = 1, 7 do shift[joint] = PERTURBED.start * (2 * random() - 1) end
    list[i] = { shift = shift, gain = around(10, PERTURBED.share), kp = around(0.0125, PERTURBED.share),
      stiffness = around(10000, PERTURBED.share) }
  end
  return list
end

-- The median and the highest rate that a scheme needs in perturbed runs; nil where no rate is enough.
local function perturbed(scheme, conditions, rates)
  local list = {}
  for i, changes in ipairs(conditions) do
    list[i] = least_of(scheme, "force", changes, PERTURBED.good, rates) or math.huge
  end
  table.sort(list)
  local function finite(x) return x < math.huge and x or nil end
  return { median = finite(list[(#list + 1) // 2]), worst = finite(list[#list]) }
end

-- ---- servos ----

---How well hands follow: { messages = a second, path = mm, force = N }; nil: there is no such bus.
local function on_bus(packets, way, servos, baud)
  if servos > (way.most or servos) or baud == packets.lacks then return nil end
  local count = math.min(way.count or 1, servos)
  local sent = (way.count and packets.sync + packets.each * count or packets.write) * 10 / baud
  local period = sent + (way.count and 0 or packets.answer * 10 / baud + packets.wait)
  local function run(task)
    return trial(way, task, 1 / period, { servos = servos, together = count, late = sent })
  end
  return { messages = 1 / period, path = 1000 * run("line").position, force = run("force").force }
end

local function measure_buses(progress)
  local rows = {}
  for _, servos in ipairs(BUSES.servos) do
    for _, baud in ipairs(BUSES.bauds) do
      progress(("servos: %d at %d baud"):format(servos, baud))
      local row = { servos = servos, baud = baud }
      for _, p in ipairs(PACKETS) do
        row[p.name] = {}
        for _, way in ipairs(WAYS) do row[p.name][way.name] = on_bus(p, way, servos, baud) end
      end
      rows[#rows + 1] = row
    end
  end
  return rows
end

-- fn of each way with each kind of packets, in a row.
local function each_way(fn)
  local cells = {}
  for _, p in ipairs(PACKETS) do
    for _, way in ipairs(WAYS) do cells[#cells + 1] = ("%8s"):format(fn(p, way)) end
  end
  return table.concat(cells)
end

local function table_of_buses(rows)
  local lines = {}
  for _, what in ipairs { { "messages a second", "messages", "%.0f" }, { "path error, mm", "path", "%.3f" },
    { "force error, N", "force", "%.2f" } } do
    lines[#lines + 1] = ("%-17s%8s%48s"):format(what[1], PACKETS[1].name, PACKETS[2].name)
    lines[#lines + 1] = ("%6s %8s"):format("servos", "baud") .. each_way(function(_, way) return way.name end)
    for _, row in ipairs(rows) do
      lines[#lines + 1] = ("%6d %8d"):format(row.servos, row.baud) .. each_way(function(p, way)
        local found = row[p.name][way.name]
        return found and what[3]:format(found[what[2]]) or "-"
      end)
    end
    lines[#lines + 1] = ""
  end
  for _, way in ipairs(WAYS) do lines[#lines + 1] = ("%-4s %s"):format(way.name, way.what) end
  return table.concat(lines, "\n") .. "\n"
end

-- ---- tables ----

local function number(x) return x and ("%.0f"):format(x) or "> 2000" end
local function ratio(x, y) return x and y and ("%.2f"):format(x / y) or "-" end

local function row(lines, head, cells, width)
  local form = ("%%%ds"):format(width or 8)
  local parts = { ("%-35s"):format(head) }
  for _, cell in ipairs(cells) do parts[#parts + 1] = form:format(cell) end
  lines[#lines + 1] = (table.concat(parts):gsub("%s+$", ""))
end

local function each(list, fn)
  local cells = {}
  for i, x in ipairs(list) do cells[i] = fn(x) end
  return cells
end

local function table_of(results)
  local lines = { "ours: least messages a second from which on every rate is so" }
  row(lines, "", each(SCHEMES, function(s) return s.name end))
  for _, r in ipairs(results) do
    for _, level in ipairs { "stable", "good" } do
      local found = r[level]
      row(lines, ("%s %s, %g %s"):format(r.task, level, TASKS[r.task][level], TASKS[r.task].unit),
        each(SCHEMES, function(s) return number(found[s.name]) end))
      row(lines, "  times E's", each(SCHEMES, function(s) return ratio(found[s.name], found.E) end))
    end
  end
  lines[#lines + 1] = ""
  for _, s in ipairs(SCHEMES) do lines[#lines + 1] = ("%s  %s"):format(s.name, s.what) end
  lines[#lines + 1] = "\nthe paper"
  for _, r in ipairs(results) do lines[#lines + 1] = ("%-12s %s"):format(r.task, r.paper) end
  lines[#lines + 1] = "\nwhat each part brings: least messages a second for good"
  row(lines, "", each(results, function(r) return r.task end), 13)
  for i, part in ipairs(PARTS) do
    row(lines, part[1], each(results, function(r) return number(r.parts[i].least) end), 13)
  end
  for _, r in ipairs(results) do
    if r.perturbed then
      lines[#lines + 1] = ("\nforce within %g N, start, gains and stiffness perturbed: of %d runs"):format(
        PERTURBED.good, PERTURBED.runs)
      row(lines, "", PERTURBED.schemes)
      for _, which in ipairs { "median", "worst" } do
        row(lines, which, each(PERTURBED.schemes, function(name) return number(r.perturbed[name][which]) end))
      end
    end
    if r.depends then
      lines[#lines + 1] = ("\nwhat it depends on: force within %g N"):format(TASKS.force.good)
      row(lines, "", { "E", "F", "F / E" })
      for _, d in ipairs(r.depends) do row(lines, d.what, { number(d.E), number(d.F), ratio(d.F, d.E) }) end
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- ---- files ----

-- A CSV file and a picture of the same curves, whose points become lines by `form`.
local function write_both(dir, name, head, form, chart)
  local lines = { head }
  for _, curve in ipairs(chart.curves) do
    for _, p in ipairs(curve) do lines[#lines + 1] = form:format(p[1], curve.key or "", p[2], p[3]) end
  end
  experiment.write(("%s/%s.csv"):format(dir, name), table.concat(lines, "\n") .. "\n")
  experiment.write(("%s/%s.svg"):format(dir, name), plot.chart(chart))
end

local function curve_of(scheme, points)
  points.key, points.name = scheme.name, ("%s  %s"):format(scheme.name, scheme.what)
  points.color, points.width, points.dash = scheme.color, scheme.width, scheme.dash
  return points
end

-- Figures 2, 3 and 4, with a broken line at the limit for good.
local function write_sweep(dir, r)
  local t, curves = TASKS[r.task], {}
  for i, s in ipairs(SCHEMES) do curves[i] = curve_of(s, r.curves[s.name]) end
  write_both(dir, "ordering-" .. r.task, "messages_per_second,scheme,deviation,messages_sent", "%d,%s,%.6g,%d", {
    title = ("Root mean square deviation: %s (after figure %d)"):format(r.task, t.figure), x = "messages a second",
    y = "deviation, " .. t.unit, logarithmic = true, low = t.low, high = t.high, level = t.good, curves = curves })
end

-- Figures 5 and 6: the force around two steps of the surface.
local function write_force(dir, rate, figure)
  local curves = {}
  for i, s in ipairs(SCHEMES) do
    local points = {}
    for _, p in ipairs(trial(s, "force", rate, { samples = true }).forces) do
      if p[1] >= 2.9 and p[1] <= 3.5 then points[#points + 1] = { p[1], 20 - p[2] } end
    end
    curves[i] = curve_of(s, points)
  end
  write_both(dir, "ordering-force-" .. rate, "time_s,scheme,force_N", "%.6f,%s,%.4f", {
    title = ("Force at %d messages a second (after figure %d)"):format(rate, figure), x = "time, s", y = "force, N",
    low = 0, high = 50, level = 20, curves = curves })
end

-- Figure 7: how often each joint is sent to, under scheme E at 450 a second: an average over 49 messages that weighs
-- those next to it most.
local function write_shares(dir)
  local told, curves, half = trial(SCHEMES.E, "force", 450, { samples = true }).tolds, {}, 24
  local colors = { "#999999", "#56b4e9", "#cc79a7", "#c0392b", "#009e73", "#e69f00", "#000000" }
  for joint = 1, 7 do
    local curve = { color = colors[joint], key = joint, name = "joint " .. joint }
    for i, p in ipairs(told) do
      if p[1] >= 2.9 and p[1] <= 3.5 then
        local sum, whole = 0, 0
        for k = -half, half do
          local weight = math.cos(k / (half + 1) * math.pi / 2) ^ 2
          whole = whole + weight
          sum = sum + (told[i + k][2] == joint and weight or 0)
        end
        curve[#curve + 1] = { p[1], sum / whole }
      end
    end
    curves[joint] = curve
  end
  write_both(dir, "ordering-joints", "time_s,joint,share", "%.6f,%s,%.4f", {
    title = "Share of the messages, scheme E at 450 a second (after figure 7)", x = "time, s",
    y = "share of the messages", low = 0, curves = curves })
end

local function write_files(dir, results)
  experiment.folder(dir)
  local names = {}
  for _, r in ipairs(results) do
    write_sweep(dir, r)
    names[#names + 1] = r.task
    if r.task == "force" then
      write_force(dir, 130, 5)
      write_force(dir, 450, 6)
      write_shares(dir)
      names[#names + 1] = "force-130, force-450, joints"
    end
  end
  return ("written to %s: ordering-{%s}, each .csv and .svg\n"):format(dir, table.concat(names, ", "))
end

-- One task under all schemes; with the force, the conditions of perturbed runs.
local function measure(task, rates, conditions, progress)
  local r = { task = task, paper = TASKS[task].paper, curves = {}, stable = {}, good = {} }
  for i, s in ipairs(SCHEMES) do
    progress(("%s: scheme %s, %d of %d"):format(task, s.name, i, #SCHEMES))
    local curve = sweep(s, task, rates)
    r.curves[s.name] = curve
    r.stable[s.name], r.good[s.name] = least(curve, TASKS[task].stable), least(curve, TASKS[task].good)
  end
  r.parts = {}
  for i, part in ipairs(PARTS) do
    progress(("%s: what each part brings, %d of %d"):format(task, i, #PARTS))
    r.parts[i] = { what = part[1], least = least_of({ options = part[2] }, task, nil, TASKS[task].good, rates) }
  end
  if not conditions then return r end
  r.perturbed, r.depends = {}, {}
  for _, name in ipairs(PERTURBED.schemes) do
    progress(("force, perturbed: scheme %s"):format(name))
    r.perturbed[name] = perturbed(SCHEMES[name], conditions, rates)
  end
  for i, d in ipairs(DEPENDS) do
    progress(("force, what it depends on: %d of %d"):format(i, #DEPENDS))
    r.depends[i] = { what = d[1] }
    for _, name in ipairs { "E", "F" } do
      r.depends[i][name] = least_of(SCHEMES[name], "force", d[2], TASKS.force.good, rates)
    end
  end
  return r
end

return {
  summary = "paper 004: messages a second that an arm needs, by the order in which joints are sent to",
  tasks = { "line", "oscillation", "force", "countertop", "servos", "all" },
  schemes = SCHEMES, trial = trial, sweep = sweep, least = least, all_rates = all_rates, -- for tests
  perturbations = perturbations, perturbed = perturbed, packets = PACKETS, ways = WAYS, on_bus = on_bus,
  ---options: what (one of tasks; all), seed, out (a folder); progress(text). The results and the text of the tables.
  run = function(options, progress)
    if options.real then error("ordering: the arm is simulated, in simulated time", 0) end
    local rates, results = all_rates(), {}
    local conditions = experiment.run({ virtual = true, seed = options.seed or 1 }, function()
      return perturbations(core.random)
    end)
    if options.what == "servos" then
      results.buses = measure_buses(progress)
      return results, table_of_buses(results.buses)
    end
    for _, task in ipairs((options.what or "all") == "all" and ORDER or { options.what }) do
      results[#results + 1] = measure(task, rates, task == "force" and conditions, progress)
    end
    local text = table_of(results)
    if options.out then text = text .. write_files(options.out, results) end
    return results, text
  end,
  json = function(results)
    local list = results.buses or {}
    for i, r in ipairs(results) do
      list[i] = json.record({ "paper", "stable", "good", "parts", "perturbed", "depends" }, { task = r.task,
        paper = r.paper, stable = r.stable, good = r.good, parts = r.parts, perturbed = r.perturbed,
        depends = r.depends })
    end
    return list
  end,
}
