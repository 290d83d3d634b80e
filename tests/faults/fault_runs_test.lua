-- The fault simulator itself, and the seeds that once found something.
local core = require "robotalk.core"
local experiment = require "experiments.faults"

local function series(first, runs, jobs)
  local worlds = experiment.worlds()
  worlds.first, worlds.runs, worlds.jobs, worlds.all = first, runs, jobs, true
  return core.fault_series(worlds, function() end)
end

describe("a fault run", function()
  it("is the same from the same seed, event by event", function()
    local worlds = experiment.worlds()
    for seed = 1, 20 do
      local one, trace = core.fault_run(worlds, seed)
      core.fault_run(worlds, seed + 1000) -- whatever runs in between
      local other, again = core.fault_run(worlds, seed)
      expect.equal(trace, again)
      expect.equal(one.digest, other.digest)
      expect.truthy(one.links > 0 and #trace > 0)
    end
  end)

  it("is another one from another seed", function()
    local worlds = experiment.worlds()
    local _, one = core.fault_run(worlds, 1)
    local _, other = core.fault_run(worlds, 2)
    expect.truthy(one ~= other)
  end)

  it("is the same in any number of processes", function()
    local one, three = series(100, 150, 1), series(100, 150, 3)
    expect.equal(150, one.runs)
    expect.equal(150, three.runs)
    expect.equal(250, one.next)
    expect.equal(one.digest, three.digest)
    expect.equal(one.commands, three.commands)
  end)

  it("does what it is for", function()
    local t = series(1, 200, 2)
    for _, name in ipairs { "commands", "begun", "answered", "panics", "stops", "mishaps", "links" } do
      expect.truthy(t[name] > 100, name)
    end
    expect.truthy(t.seconds > 1000)
  end)

  it("wants seeds, runs and jobs that can be", function()
    local worlds = experiment.worlds()
    worlds.first, worlds.runs, worlds.jobs = 1, 1, 1000
    expect.equal(nil, (core.fault_series(worlds, function() end)))
    expect.raises("bodies", core.fault_run, { bodies = {} }, 1)
    expect.raises("number expected", core.fault_run, worlds, "one")
    worlds.jobs = 1
    expect.raises("stop here", core.fault_series, worlds, function() error "stop here" end)
  end)
end)

describe("what a fault run once broke", function()
  local worlds
  for line in io.lines "tests/faults/seeds.txt" do
    local seed, what = line:match "^(%d+) (.*)"
    if seed then
      it(("holds: %s (seed %s)"):format(what, seed), function()
        worlds = worlds or experiment.worlds()
        local report = core.fault_run(worlds, tonumber(seed))
        expect.equal(nil, report.broken, report.text)
      end)
    end
  end
end)
