-- Drives along a square, looking where it goes, then dances a short sequence in playback mode.
--   robotalk run scripts/behaviors/square.lua --virtual
local rt = require "robotalk"
local robot <close> = rt.connect()

local side = 0.5
for i = 1, 4 do
  local heading = (i - 1) * math.pi / 2
  local corner = { { side, 0 }, { side, side }, { 0, side }, { 0, 0 } }
  robot:set_joint("head", { pan = 0.3 })
  local signal, why = robot:go_to { x = corner[i][1], y = corner[i][2], theta = heading + math.pi / 2 }
  print(("corner %d: %s%s"):format(i, signal, why and ", " .. why or ""))
  robot:set_joint("head", { pan = 0 })
end

local dance <close> = assert(robot:session { mode = "playback", duration = 4 })
for i = 0, 40 do
  local turn = i < 40 and math.sin(i / 5) or 0
  dance:frame(i * 0.1, { base = { speed = { theta = turn } }, head = { pan = math.sin(i / 3) } })
end
print(dance:finish())
