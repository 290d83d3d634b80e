-- The image transfer of paper 003: 1,000 frames are (1) taken and compressed, (2) handed over by TCP, too, (3) stored
-- on the receiver's disk, too. Twenty trials of each; means, deviations, and t tests of the three comparisons.
--
-- The paper's p values are those of a paired t test, with 19 degrees of freedom (tests/lua/statistics_test.lua), so
-- ours are, too: trial k of each test is done right after that of the others, in turns another one first.
--
-- Runs: paced, at a rate that the camera and the receiver keep up with; unpaced, as fast as it goes, which is at most
-- 1,000 pictures a second; link, paced over a link with delay, jitter and loss; cuts, the same, and the link is cut in
-- the middle of each trial; hour, test 3 alone for an hour, a minute a trial. Completed trials are kept in a file, and
-- a run that begins again continues after them.
local experiment = require "robotalk.experiment"
local json = require "robotalk.json"
local picture_trial = require "robotalk.picture_trial"
local plot = require "robotalk.plot"
local statistics = require "robotalk.statistics"

local WINDOW = 16 -- frames that may be unanswered
local ROOM = 3 -- trials whose frames the receiver may keep, about: then the oldest are deleted
local CLAIM = 0.01 -- share of the frame rate that transfer and disk may cost

local RUNS = {
  paced = { tests = { 1, 2, 3 }, rate = 100, frames = 1000, trials = 20, claim = true },
  unpaced = { tests = { 1, 2, 3 }, frames = 1000, trials = 20 },
  link = { tests = { 1, 2, 3 }, rate = 30, frames = 300, trials = 20,
    weather = { delay = 0.02, jitter = 0.02, loss = 0.01 } },
  cuts = { tests = { 1, 2, 3 }, rate = 30, frames = 300, trials = 20, cut = true,
    weather = { delay = 0.02, jitter = 0.02, loss = 0.01 } },
  hour = { tests = { 3 }, rate = 100, trials = 60 },
}
local ORDER = { "paced", "unpaced", "link" } -- the default tasks
local TESTS = { "compress", "+ transfer", "+ disk" }
local COLORS = { "#009e73", "#e69f00", "#c0392b" }
local PAIRS = { { 1, 2 }, { 2, 3 }, { 1, 3 } }

-- Tables 1 and 2 of the paper.
local PAPER = { mean = { 4.402, 4.399, 4.393 }, deviation = { 0.037, 0.046, 0.054 },
  decrease = { nil, 0.0006, 0.0015 }, t = { 0.1895, 0.4092, 0.6166 }, p = { 0.8517, 0.6870, 0.5448 } }

-- ---- completed trials ----

-- The columns of the file: the settings, which are the same in all lines, and the results of the trial.
local SETTINGS = { "frames", "rate", "width", "height", "quality", "seed" }
local MEASURED = { "seconds", "frames_per_second", "bytes", "middle", "p99", "worst", "whole", "lost", "wrong",
  "twice" }
local HEAD = "test,trial," .. table.concat(SETTINGS, ",") .. "," .. table.concat(MEASURED, ",")

local function line_of(row, settings)
  local cells = { row.test, row.trial }
  for _, name in ipairs(SETTINGS) do cells[#cells + 1] = ("%.15g"):format(settings[name]) end
  for _, name in ipairs(MEASURED) do cells[#cells + 1] = ("%.15g"):format(row[name]) end
  return table.concat(cells, ",")
end

-- The row of a line; nil for a truncated one; nil and the difference for other settings.
local function row_of(line, settings)
  local cells = {}
  for cell in line:gmatch "[^,]+" do cells[#cells + 1] = tonumber(cell) end
  if #cells ~= 2 + #SETTINGS + #MEASURED then return nil end
  local row = { test = math.tointeger(cells[1]), trial = math.tointeger(cells[2]) }
  for i, name in ipairs(SETTINGS) do
    if cells[2 + i] ~= settings[name] then return nil, ("%s %g"):format(name, cells[2 + i]) end
  end
  for i, name in ipairs(MEASURED) do row[name] = cells[2 + #SETTINGS + i] end
  return row
end

---The rows of the trials in a text, by test and trial; nil and the difference, when they have other settings. A
---truncated line and the lines behind it are left out.
local function read_rows(text, settings)
  local rows = { {}, {}, {} }
  if text:match "[^\n]*" ~= HEAD then return rows end
  for line in text:sub(#HEAD + 2):gmatch "([^\n]*)\n" do
    local row, why = row_of(line, settings)
    if why then return nil, why end
    if not row then break end
    rows[row.test][row.trial] = row
  end
  return rows
end

-- The file of a run's trials, which are written one by one.
local function open_file(path, settings)
  local file <close> = io.open(path)
  local rows, why = read_rows(file and file:read "a" or "", settings)
  if not rows then
    error(("%s has trials of other settings (%s): name another --out, or remove it"):format(path, why), 0)
  end
  local lines = { HEAD }
  for test = 1, 3 do
    for _, row in pairs(rows[test]) do lines[#lines + 1] = line_of(row, settings) end
  end
  table.sort(lines, function(a, b) return a == HEAD and b ~= HEAD or b ~= HEAD and a < b end)
  experiment.write(path, table.concat(lines, "\n") .. "\n")
  return rows
end

local function append(path, row, settings)
  local file <close> = assert(io.open(path, "a"))
  assert(file:write(line_of(row, settings), "\n"))
end

-- ---- a run ----

-- The settings of a run, from the user's options.
local function settings_of(name, options)
  local run = RUNS[name]
  local rate = run.rate and (options.rate or run.rate) or 0
  return { frames = options.frames or run.frames or math.ceil(60 * rate), rate = rate, width = options.width or 640,
    height = options.height or 480, quality = options.quality or 80, seed = run.weather and (options.seed or 1) or 0,
    trials = options.trials or run.trials }
end

-- The receivers of tests 2 and 3, and a sender to each: { [test] = { receiver =, sender =, dir =, last = } }. size:
-- bytes of a frame.
local function open_ends(name, settings, out, size)
  local run, ends = RUNS[name], {}
  local most = ROOM * settings.frames * (2 * size + 8192)
  for _, test in ipairs(run.tests) do
    if test > 1 then
      local dir = test == 3 and ("%s/images-%s-frames"):format(out, name) or nil
      if dir then experiment.remove(dir) end
      local receiver = picture_trial.receive { dir = dir, most = dir and most,
        log = ("%s/images-%s-receiver%d.log"):format(out, name, test) }
      ends[test] = { receiver = receiver, dir = dir, last = 0 }
      local weather
      if run.weather then
        weather = { seed = settings.seed * 4 + test }
        for what, value in pairs(run.weather) do weather[what] = value end
      end
      ends[test].sender = receiver:dial({ lossless = true, window = WINDOW, timeout = 10, name = "watcher/eye" },
        weather)
    end
  end
  return ends
end

local function close_ends(ends)
  for _, e in pairs(ends) do
    if e.sender then e.sender:close() end
    e.receiver:close()
    if e.dir then experiment.remove(e.dir) end
    os.remove(e.receiver.log)
  end
end

-- One trial of a test, with the counts of its frames.
local function perform(name, camera, test, settings, e, progress)
  local row = picture_trial.run { camera = camera, frames = settings.frames, rate = settings.rate > 0 and settings.rate
    or nil, quality = settings.quality, sender = e and e.sender, progress = progress,
    relay = e and RUNS[name].cut and e.receiver.relay or nil }
  row.test, row.whole, row.lost, row.wrong, row.twice = test, 0, 0, 0, 0
  if e and e.dir then
    local found
    found, e.last = picture_trial.verify(e.dir, e.last, row.sums)
    for what, count in pairs(found) do row[what] = count end
  elseif e then -- nothing is stored: answered frames have arrived
    row.whole = settings.frames
  end
  row.sums = nil
  return row
end

-- All remaining trials of a run.
local function run_all(name, settings, out, progress)
  local run = RUNS[name]
  local path = ("%s/images-%s.csv"):format(out, name)
  local rows = open_file(path, settings)
  local camera, robot = picture_trial.camera(settings.width, settings.height)
  local first = assert(camera:frame { quality = settings.quality })
  local ends = open_ends(name, settings, out, #first.bytes)
  local relayed
  for k = 1, settings.trials do
    for i = 1, #run.tests do
      local test = run.tests[(k + i - 2) % #run.tests + 1] -- another one first in each trial
      if not rows[test][k] then
        local what = ("%s: trial %d of %d, test %d"):format(name, k, settings.trials, test)
        progress(what)
        local row = perform(name, camera, test, settings, ends[test], function(share)
          progress(("%s, %.0f %%"):format(what, 100 * share))
        end)
        row.trial = k
        rows[test][k] = row
        append(path, row, settings)
      end
    end
  end
  for _, e in pairs(ends) do
    if e.receiver.relay then
      local counts = e.receiver.relay:counts()
      relayed = relayed or { segments = 0, lost = 0 }
      relayed.segments, relayed.lost = relayed.segments + counts.segments, relayed.lost + counts.lost
    end
  end
  close_ends(ends)
  robot:close()
  return rows, relayed
end

-- ---- results ----

-- Of a run: means, deviations and decreases by test, comparisons, and counts of frames.
local function result_of(name, settings, rows, relayed)
  local r = { name = name, settings = settings, rows = rows, relayed = relayed, mean = {}, deviation = {},
    decrease = {}, middle = {}, p99 = {}, worst = {}, pairs = {}, whole = 0, lost = 0, wrong = 0, twice = 0,
    handed = 0 }
  local rates = {}
  for _, test in ipairs(RUNS[name].tests) do
    rates[test] = {}
    local middle, p99, worst = {}, {}, 0
    for k = 1, settings.trials do
      local row = rows[test][k]
      rates[test][k], middle[k], p99[k] = row.frames_per_second, row.middle, row.p99
      worst = math.max(worst, row.worst)
      if test > 1 then
        for _, count in ipairs { "whole", "lost", "wrong", "twice" } do r[count] = r[count] + row[count] end
        r.handed = r.handed + settings.frames
      end
    end
    r.mean[test], r.deviation[test] = statistics.mean(rates[test]), statistics.deviation(rates[test])
    r.middle[test], r.p99[test], r.worst[test] = statistics.quantile(middle, 0.5), statistics.quantile(p99, 0.5), worst
    r.decrease[test] = r.mean[1] and test > 1 and 1 - r.mean[test] / r.mean[1] or nil
  end
  for i, pair in ipairs(r.mean[1] and PAIRS or {}) do
    r.pairs[i] = statistics.paired(rates[pair[1]], rates[pair[2]])
  end
  r.whole_frames = r.lost == 0 and r.wrong == 0
  if RUNS[name].claim then
    r.reached = r.whole_frames and r.decrease[2] < CLAIM and r.decrease[3] < CLAIM
  end
  return r
end

-- ---- tables ----

local function add_row(lines, head, cells, width)
  local parts = { ("%-28s"):format(head) }
  for i = 1, width do parts[#parts + 1] = ("%14s"):format(cells[i] or "") end
  lines[#lines + 1] = (table.concat(parts):gsub("%s+$", ""))
end

-- A cell for each test of the run.
local function cells_of(r, form, values, factor)
  local cells = {}
  for i, test in ipairs(RUNS[r.name].tests) do
    cells[i] = values[test] and form:format(values[test] * (factor or 1)) or "-"
  end
  return cells
end

-- t and p with four decimals; NaN and too great values as text.
local function decimals(x)
  if x ~= x then return "-" end
  return math.abs(x) < 1e5 and ("%.4f"):format(x) or x > 0 and "inf" or "-inf"
end

local function add_comparisons(lines, r)
  local t, p, paper_t, paper_p = {}, {}, {}, {}
  for i, pair in ipairs(r.pairs) do
    t[i], p[i] = decimals(pair.t), pair.p < 0.00005 and "< 0.0001" or decimals(pair.p)
    paper_t[i], paper_p[i] = decimals(PAPER.t[i]), decimals(PAPER.p[i])
  end
  add_row(lines, "tests compared", { "1 and 2", "2 and 3", "1 and 3" }, 3)
  add_row(lines, ("t, paired, of %d trials"):format(r.settings.trials), t, 3)
  add_row(lines, "p", p, 3)
  add_row(lines, "the paper's t", paper_t, 3)
  add_row(lines, "the paper's p", paper_p, 3)
end

local function title_of(r)
  local s = r.settings
  local pace = s.rate > 0 and ("%g frames/s"):format(s.rate) or "as fast as it goes"
  return ("%s, %s: %d trials of %d frames, %d x %d, quality %d"):format(r.name, pace, s.trials, s.frames, s.width,
    s.height, s.quality)
end

local function verdict(r)
  local whole = ("%d of %d frames that were handed over came whole, %d lost, %d wrong"):format(r.whole, r.handed,
    r.lost, r.wrong)
  if r.twice > 0 then whole = ("%s, %d stored twice"):format(whole, r.twice) end
  if r.reached == nil then return whole end
  return ("%s\ntransfer and disk cost less than %g %% of the frame rate, no frame corrupt or lost: %s"):format(whole,
    100 * CLAIM, r.reached and "reached" or "NOT REACHED")
end

local function add_run(lines, r)
  local heads, run = {}, RUNS[r.name]
  for i, test in ipairs(run.tests) do heads[i] = ("%d %s"):format(test, TESTS[test]) end
  local columns = #heads
  lines[#lines + 1] = title_of(r)
  add_row(lines, "", heads, columns)
  add_row(lines, "mean, frames/s", cells_of(r, "%.3f", r.mean), columns)
  add_row(lines, "standard deviation", cells_of(r, "%.3f", r.deviation), columns)
  if columns == 3 then
    add_row(lines, "decrease from test 1", cells_of(r, "%.3f %%", r.decrease, 100), 3)
    add_row(lines, "the paper's mean", cells_of(r, "%.3f", PAPER.mean), 3)
    add_row(lines, "the paper's deviation", cells_of(r, "%.3f", PAPER.deviation), 3)
    add_row(lines, "the paper's decrease", cells_of(r, "%.2f %%", PAPER.decrease, 100), 3)
  end
  add_row(lines, "a frame takes, middle, ms", cells_of(r, "%.2f", r.middle, 1e3), columns)
  add_row(lines, "99 of 100 take less, ms", cells_of(r, "%.2f", r.p99, 1e3), columns)
  add_row(lines, "worst, ms", cells_of(r, "%.2f", r.worst, 1e3), columns)
  if columns == 3 then add_comparisons(lines, r) end
  if run.weather then
    lines[#lines + 1] = ("the link: %g ms each way and up to %g ms more by chance, %g %% of segments lost%s%s"):format(
      1e3 * run.weather.delay, 1e3 * run.weather.jitter, 100 * run.weather.loss, r.relayed
      and ("; %d of %d were"):format(r.relayed.lost, r.relayed.segments) or "",
      run.cut and "; cut in the middle of each trial" or "")
  end
  lines[#lines + 1] = verdict(r) .. "\n"
end

local function table_of(results)
  local lines = {}
  for _, r in ipairs(results) do add_run(lines, r) end
  return table.concat(lines, "\n")
end

-- ---- pictures ----

-- The frame rate of each trial; with a claim, a broken line at its limit.
local function write_svg(out, r)
  local curves, least, most = {}, math.huge, 0
  for i, test in ipairs(RUNS[r.name].tests) do
    local curve = { name = ("%d  %s"):format(test, TESTS[test]), color = COLORS[test], width = 2 }
    for k = 1, r.settings.trials do
      local y = r.rows[test][k].frames_per_second
      curve[k] = { k, y }
      least, most = math.min(least, y), math.max(most, y)
    end
    curves[i] = curve
  end
  local level = r.reached ~= nil and (1 - CLAIM) * r.mean[1] or nil
  if least < most / 2 then least = 0 end -- otherwise the differences look larger than they are
  if level then
    least, most = math.min(least, (1 - 1.5 * CLAIM) * r.mean[1]), math.max(most, (1 + CLAIM / 2) * r.mean[1])
  end
  local pad = math.max(0.05 * (most - least), 1e-3 * most)
  experiment.write(("%s/images-%s.svg"):format(out, r.name), plot.chart {
    title = title_of(r) .. " (after table 1)", x = "trial", y = "frames/s", low = math.max(0, least - pad),
    high = most + pad, level = level, curves = curves })
end

return {
  summary = "paper 003: what transfer and disk cost of the frame rate of a camera's pictures",
  tasks = { "paced", "unpaced", "link", "cuts", "hour" },
  processes = true, -- the receiver's: the time of this process says little
  options = { frames = true, trials = true, rate = true, size = true, quality = true },
  read_rows = read_rows, line_of = line_of, head = HEAD, result_of = result_of, table_of = table_of, -- for tests
  ---options: what (one of tasks; paced, unpaced and link), frames, trials, rate, width, height, quality, seed, out (a
  ---folder); progress(text). The results and the text of the tables; failed: a frame was lost or is wrong.
  run = function(options, progress)
    local results, out = {}, options.out or "out"
    experiment.folder(out)
    for _, name in ipairs(options.what and { options.what } or ORDER) do
      local settings = settings_of(name, options)
      local rows, relayed
      experiment.run({}, function() rows, relayed = run_all(name, settings, out, progress) end)
      local r = result_of(name, settings, rows, relayed)
      write_svg(out, r)
      results[#results + 1] = r
      results.failed = results.failed or not r.whole_frames
    end
    local written = ("written to %s: images-*.csv, a line for each trial, and images-*.svg\n"):format(out)
    return results, table_of(results) .. written
  end,
  json = function(results)
    local list = {}
    for i, r in ipairs(results) do
      local t, p = {}, {}
      for k, pair in ipairs(r.pairs) do t[k], p[k] = pair.t, pair.p end
      local tests = {}
      for k, test in ipairs(RUNS[r.name].tests) do
        tests[k] = json.record({ "decrease" }, { test = test, mean = r.mean[test], deviation = r.deviation[test],
          decrease = r.decrease[test], middle_s = r.middle[test], p99_s = r.p99[test], worst_s = r.worst[test] })
      end
      list[i] = json.record({ "reached" }, { run = r.name, frames = r.settings.frames, trials = r.settings.trials,
        rate = r.settings.rate, width = r.settings.width, height = r.settings.height, quality = r.settings.quality,
        tests = tests, t = t, p = p, handed = r.handed, whole = r.whole, lost = r.lost, wrong = r.wrong,
        twice = r.twice, reached = r.reached })
    end
    return list
  end,
}
