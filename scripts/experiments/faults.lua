-- The seeded fault simulator: thousands of small worlds, each from a seed of its own, in which links, clients, robots
-- and the server fail in every way at once, checked against invariants. tests/faults/ is the
-- simulator, docs/faults.md describes it.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"

-- Bodies and their weights: the walking ones cost a hundred times the others' processor time. The first two also
-- appear with other panic policies.
local BODIES = {
  { "pioneer2", 10 }, { "puma560", 4 }, { "flyer", 1 }, { "pioneer2_fast", 2 },
  { "pioneer2", 1, panic = "limp" }, { "puma560", 1, panic = "hold" }, { "puma560", 1, panic = "limp" },
  { "arm004", 0.2 }, { "aibo_ers7", 0.05 }, { "asimo", 0.02 },
}

local function bodies()
  local list = {}
  for i, body in ipairs(BODIES) do
    local d = assert(descriptor.load(body[1]))
    d.panic = body.panic or d.panic
    list[i] = { body = descriptor.made(d).body, weight = body[2] }
  end
  return list
end

-- The last lines of a text.
local function tail(text, count)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return table.concat(lines, "\n", math.max(1, #lines - count + 1)), #lines
end

-- One run again, with its events.
local function replay(worlds, seed)
  local report, trace = core.fault_run(worlds, seed)
  return { runs = 1, next = seed + 1, findings = report.broken and { report } or {}, one = report }, trace
end

-- A finding that the run alone does not repeat, or that should not be run in this process.
local ALONE = { crashed = true, endless = true, grew = true }

local function found_text(worlds, finding)
  local lines = { ("seed %d: broken: %s"):format(finding.seed, finding.invariant), "  " .. finding.text }
  if not ALONE[finding.broken] then
    local again, trace = core.fault_run(worlds, finding.seed)
    local last, count = tail(trace, 40)
    if again.text ~= finding.text then
      lines[#lines + 1] = "  (run again, it gives: " .. (again.text or "nothing") .. ")"
    end
    lines[#lines + 1] = ("its last events of %d:"):format(count)
    lines[#lines + 1] = last
  end
  lines[#lines + 1] = ("all of them: robotalk experiment faults --seed %d --trace"):format(finding.seed)
  return table.concat(lines, "\n")
end

local function summary(t)
  return ("%d runs, %.0f s of simulated time: %.0f commands, of which %.0f began and %.0f were answered; %.0f panics, "
    .. "%.0f stops, %.0f mishaps, %.0f links\n%.0f runs a second; the next seed is %d"):format(t.runs, t.seconds,
    t.commands, t.begun, t.answered, t.panics, t.stops, t.mishaps, t.links, t.runs / t.elapsed, t.next)
end

-- The settings of runs: for core.fault_run and core.fault_series.
local function worlds_of_bodies()
  assert(core.modes(require "robotalk.modes".texts()))
  return { bodies = bodies() }
end

return {
  summary = "runs worlds in which everything fails, and holds them against what must hold",
  worlds = worlds_of_bodies,
  program = "robotalk-faults", -- it alone has the simulator
  processes = true, -- these share the runs: this one takes hardly any time itself
  options = { runs = true, from = true, jobs = true, all = true, trace = true },
  -- options: runs, from, jobs, all; or seed and trace: that one run again. The tally and a text; failed: something is
  -- broken.
  run = function(options, progress)
    local worlds = worlds_of_bodies()
    if options.seed then
      local tally, trace = replay(worlds, options.seed)
      tally.failed = #tally.findings > 0
      local text = options.trace and trace
        or tally.failed and found_text(worlds, tally.one) .. "\n"
        or ("seed %d: every invariant holds\n"):format(options.seed)
      return tally, text
    end
    worlds.first, worlds.runs = options.from or 1, options.runs or 10000
    worlds.jobs, worlds.all = options.jobs or 2, options.all
    local tally, why = core.fault_series(worlds, function(t)
      progress(("%d of %d runs, %.0f a second%s"):format(t.runs, worlds.runs,
        t.runs // t.elapsed, #t.findings > 0 and ", something is broken" or ""))
    end)
    if not tally then error(why, 0) end
    local lines = {}
    for _, finding in ipairs(tally.findings) do
      if options.all then lines[#lines + 1] = ("%d times: %s"):format(finding.times, finding.broken) end
      lines[#lines + 1] = found_text(worlds, finding)
    end
    tally.failed = #tally.findings > 0
    lines[#lines + 1] = summary(tally)
    if not tally.failed then lines[#lines + 1] = "every invariant held" end
    return tally, table.concat(lines, "\n") .. "\n"
  end,
  json = function(tally) return tally end,
}
