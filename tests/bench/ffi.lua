-- luajit tests/bench/ffi.lua URL BLOCKS ROUNDS: direct commands, each sent when the one before is answered. Prints
-- for each block how many a second.
local robotalk = require "robotalk"
local client = assert(robotalk.connect(arg[1]))
local session = assert(client:session())
local go = { x = 0 }

local function block(rounds)
  local begin = robotalk.now()
  for i = 1, rounds do
    go.x = 0.1 * (i % 2)
    assert(client:result(assert(session:set_speed(go))))
    for _ in client:events() do end
  end
  return rounds / (robotalk.now() - begin)
end

block(arg[3]) -- warm
for _ = 1, arg[2] do print(("%.1f"):format(block(tonumber(arg[3])))) end
