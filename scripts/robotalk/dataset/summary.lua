-- Statistics of an episode's features as LeRobot has them, and of several episodes together: { min, max, mean, std,
-- count, and of version 3 q01 … q99 }, each a list with a number for each component of the feature.
local core = require "robotalk.core"
local task = require "robotalk.task"

local summary = {}

local QUANTILES <const> = { q01 = 0.01, q10 = 0.1, q50 = 0.5, q90 = 0.9, q99 = 0.99 }

-- The smallest number that a share of the sorted ones does not exceed, with lines between two of them.
local function quantile(sorted, share)
  local at = 1 + share * (#sorted - 1)
  local low = math.floor(at)
  local high = math.min(low + 1, #sorted)
  return sorted[low] + (at - low) * (sorted[high] - sorted[low])
end

---Lets other tasks run, of a real clock: a panic by a key does not wait until an episode is written.
function summary.breathe()
  if core.can_wait() and not core.is_virtual() then task.sleep(0) end
end

---Of columns of numbers, one for each component. scale: the results are these times as much; count: of frames.
function summary.of(columns, scale, count)
  local made = { min = {}, max = {}, mean = {}, std = {}, count = { count or #columns[1] } }
  for name in pairs(QUANTILES) do made[name] = {} end
  scale = scale or 1
  for i, column in ipairs(columns) do
    summary.breathe()
    local sum, squares, sorted = 0, 0, table.move(column, 1, #column, 1, {})
    table.sort(sorted)
    for _, x in ipairs(column) do sum = sum + x end
    local mean = sum / #column
    for _, x in ipairs(column) do squares = squares + (x - mean) ^ 2 end
    made.min[i], made.max[i] = sorted[1] * scale, sorted[#sorted] * scale
    made.mean[i], made.std[i] = mean * scale, math.sqrt(squares / #column) * scale
    for name, share in pairs(QUANTILES) do made[name][i] = quantile(sorted, share) * scale end
  end
  return made
end

---Of two sets of frames together; those of the first may be missing. Quantiles are means, weighted by the frames.
function summary.join(a, b)
  if not a then return b end
  local n, m = a.count[1], b.count[1]
  local made = { count = { n + m } }
  local function weighted(x, y) return (n * x + m * y) / (n + m) end
  for name, values in pairs(b) do
    if name ~= "count" then made[name] = {} end
    for i, y in ipairs(name ~= "count" and values or {}) do
      local x = a[name] and a[name][i] or y -- other programs' may lack quantiles
      made[name][i] = name == "min" and math.min(x, y) or name == "max" and math.max(x, y) or weighted(x, y)
    end
  end
  for i, mean in ipairs(made.mean) do
    made.std[i] = math.sqrt(weighted(a.std[i] ^ 2 + (a.mean[i] - mean) ^ 2, b.std[i] ^ 2 + (b.mean[i] - mean) ^ 2))
  end
  return made
end

return summary
