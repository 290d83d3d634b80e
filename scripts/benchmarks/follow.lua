-- A follower of servos on a simulated bus behind its leader, in simulated time: the delay, by the greatest
-- cross-correlation of both, and the RMS of the difference. The leader moves by a hand that is made
-- (robotalk/follow/operator.lua), and what it did is recorded.
local core = require "robotalk.core"
local enable = require "robotalk.follow.enable"
local experiment = require "robotalk.experiment"
local follow = require "robotalk.follow"
local operator = require "robotalk.follow.operator"
local task = require "robotalk.task"

local SECONDS <const>, STEP <const>, SEED <const> = 30, 0.002, 1
local LONGEST <const>, COARSE <const> = 0.5, 10 -- s of delay that is looked for; rows
local DOFS <const> = 5 -- without the gripper, which is scaled
local LINK <const> = { latency = 0.02, jitter = 0.04, loss = 0.05 } -- 40 ms, 20 ms more or less
-- options of follow; the greatest delay, s, and RMS, rad
local CASES <const> = {
  { name = "ideal link", delay = 0.03, rms = 0.02 },
  { name = "40 ms +- 20 ms, 5 % lost", link = LINK, delay = 0.04 + 0.06 },
}

-- Both robots' positions from the instant at which the follower has caught up.
local function record(case)
  local rt = require "robotalk"
  local leader <close> = rt.connect "so101_leader"
  assert(rt.add_robot { from = "so101_follower", name = "follower",
    drivers = { arm = { driver = "servos", port = "simulated" } } })
  local follower <close> = rt.connect("local:follower", { channel = case.link })
  local rows, on, over = {}, false, false
  local moving <close> = operator.move(leader, SEED) -- luacheck: ignore
  local watch <close> = task.spawn(function()
    while true do
      task.sleep(STEP)
      if on then
        rows[#rows + 1] = { core.robot_state("so101_leader").position, core.robot_state("follower").position }
        over = #rows * STEP >= SECONDS
      end
    end
  end)
  local held = enable.always()
  local why, _, trouble = follow.run(leader, follower, function(now, self)
    if over then return nil, "over" end
    return held.held(now, self)
  end, { on_state = function(state) on = state == "following" end })
  watch:cancel()
  if trouble or not over then error(("%s: %s"):format(case.name, why), 0) end
  return rows
end

-- The correlation of both, the follower's `lag` rows later, and the RMS of the difference, rad.
local function compare(rows, lag)
  local both, first, second, square = 0, 0, 0, 0
  for dof = 1, DOFS do
    local a, b, n = 0, 0, #rows - lag
    for i = 1, n do a, b = a + rows[i][1][dof], b + rows[i + lag][2][dof] end
    a, b = a / n, b / n
    for i = 1, n do
      local x, y = rows[i][1][dof], rows[i + lag][2][dof]
      both, first, second = both + (x - a) * (y - b), first + (x - a) ^ 2, second + (y - b) ^ 2
      square = square + (x - y) ^ 2 / (n * DOFS)
    end
  end
  return both / math.sqrt(first * second), math.sqrt(square)
end

-- The number of rows by which the follower's are later: first coarsely.
local function delay_of(rows)
  local best, lag = -1, 0
  local function look(from, to, by)
    for l = math.max(0, from), to, by do
      local alike = compare(rows, l)
      if alike > best then best, lag = alike, l end
    end
  end
  look(0, LONGEST // STEP, COARSE)
  look(lag - COARSE + 1, lag + COARSE - 1, 1)
  return lag
end

return {
  summary = "a follower behind its leader",
  ---Rows { what, unit, ours, most, reached }.
  run = function(progress)
    local list = {}
    for _, case in ipairs(CASES) do
      progress("follow: " .. case.name)
      local rows = experiment.run({ virtual = true, seed = SEED }, record, case)
      local lag = delay_of(rows)
      local delay, off, rest = lag * STEP, select(2, compare(rows, 0)), select(2, compare(rows, lag))
      local function add(what, unit, ours, most)
        list[#list + 1] = { what = ("%s: %s"):format(case.name, what), unit = unit, ours = ours, most = most,
          reached = most and ours <= most }
      end
      add("delay", "ms", delay * 1e3, case.delay * 1e3)
      add("off the leader, RMS", "rad", off, case.rms)
      add("off the leader of then, RMS", "rad", rest)
    end
    progress ""
    return list
  end,
}
