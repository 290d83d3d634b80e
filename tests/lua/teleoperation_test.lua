-- An operator drives over bad links, by each way: which links stop the robot, and that nothing late moves it.
local mcap = require "robotalk.mcap"
local teleoperation = require "experiments.teleoperation"

local path = os.tmpname() .. ".mcap"

local function drive(way, link)
  local r = teleoperation.drive(way, link.channel, 1, path)
  expect.equal(0, r.late, link.name .. " late")
  return r
end

-- The greatest change of its speed, m/s2, between recorded states.
local function steepest()
  local recording <close> = assert(mcap.open(path))
  local most, before = 0, nil
  for m in recording:messages { topic = "/pioneer2/state" } do
    local v, time = math.sqrt(m.value.twist[1] ^ 2 + m.value.twist[2] ^ 2), m.value.time
    if before and time > before.time then most = math.max(most, math.abs(v - before.v) / (time - before.time)) end
    before = { v = v, time = time }
  end
  return most
end

describe("an operator who drives by", function()
  local links = teleoperation.links
  for _, way in ipairs(teleoperation.ways) do
    it(way.name .. " is stopped by losses, and not by delays", function()
      local near, far, lossy = drive(way, links[1]), drive(way, links[5]), drive(way, links[6])
      expect.truthy(near.done and near.stops == 0 and near.worst < 0.1 and near.refused == 0, "no link")
      expect.truthy(far.done and far.stops == 0 and far.worst < 0.6, "a slow link")
      local rate = 60 * lossy.stops / lossy.seconds
      expect.truthy(rate > 5 and rate < 60, ("%.1f stops a minute"):format(rate))
      expect.truthy(lossy.silence <= 0.501, "silent " .. lossy.silence)
      expect.truthy(steepest() < 0.301, "it eases in")
      if way.name == "the page" then expect.truthy(lossy.view < 1.51, "no old view") end
    end)
  end
  os.remove(path)
end)
