-- Behaviours that come along run to their end, and do what they are for.
local function run(path, ...)
  local quiet = setmetatable({ print = function() end }, { __index = _G })
  return assert(loadfile(path, "t", quiet))(...)
end

describe("the patrol", function()
  it("goes its rounds, visits who calls, and charges when it must", function()
    local report = run("scripts/behaviors/patrol.lua", 2)
    expect.truthy(report.done, tostring(report))
    local order, rounds = {}, 0
    for _, step in ipairs(report) do
      order[#order + 1] = step.label .. (step.word and "=" .. step.word or "")
      if step.name == "round_done" then rounds = rounds + 1 end
    end
    local text = table.concat(order, " ")
    expect.equal(rounds, 2)
    -- what was under way is interrupted, the caller is visited, and the round goes on where it was
    expect.truthy(text:find("=INTERRUPTED calls%(office%)=happened go%(office%)=SUCCESS greet%(office%)"), text)
    expect.truthy(text:find("=INTERRUPTED runs_low%(%)=happened go%(home%)=SUCCESS charge%(%)=SUCCESS"), text)
    expect.equal(report[#report].name, "stop_interrupts")
  end)
end)

describe("the classics", function()
  it("are planned", function()
    expect.equal(#run "scripts/behaviors/elevator.lua", 10)
    expect.equal(run("scripts/behaviors/elevator.lua", "4")[1].label, "turn_off(4)")
    expect.equal(#run("scripts/behaviors/blocks.lua", 4), 4)
    expect.equal(run("scripts/behaviors/blocks.lua", 2)[1].label, "move(a, table)")
  end)
end)

describe("the watchman", function()
  it("gives up a round to charge, and drives two whole ones", function()
    local watch = run("scripts/behaviors/watchman.lua", 2)
    local guard = watch:find "while charged":state()
    expect.equal("success 2 1", ("%s %d %d"):format(guard.state, guard.succeeded, guard.failed))
    expect.equal(1, watch:find "charging":state().succeeded)
    expect.equal(1, watch:find "round":state().halted)
  end)
end)
