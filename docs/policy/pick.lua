-- A trained network picks cubes that it has not seen: NETWORK [STARTS]
local json = require "robotalk.json"
local rt = require "robotalk"
local scene = require "scene"

local trained, starts = assert(json.decode(io.open((...)):read "a")), tonumber((select(2, ...)) or 10)

local function forward(x)
  for k = 1, #trained.net, 2 do
    local y = {}
    for j, weights in ipairs(trained.net[k]) do
      local sum = trained.net[k + 1][j]
      for i, w in ipairs(weights) do sum = sum + w * x[i] end
      y[j] = k < #trained.net - 1 and 1 - 2 / (math.exp(2 * sum) + 1) or sum
    end
    x = y
  end
  return x
end

local function network(seen, model)
  local q, x, chunk = seen.position, scene.features(seen), {}
  if model:fk(q, "hand").position[3] > 0.13 and q[6] < 0.3 then return nil, "up" end
  local sees = #x
  for i = 1, sees do x[i] = (x[i] - trained.mean[i]) / trained.spread[i] end
  for i, value in ipairs(forward(x)) do
    local k, j = (i - 1) // 6 + 1, (i - 1) % 6 + 1
    chunk[k] = chunk[k] or {}
    chunk[k][j] = q[j] + value * trained.spread[sees + i] + trained.mean[sees + i]
  end
  return chunk
end

math.randomseed(2) -- the episodes have 1
local picked = 0
for _ = 1, starts do
  local robot <close> = scene.start(math.random)
  rt.policy(robot, { every = 4, observe = { "wrist" } }, function(seen) return network(seen, robot.model) end):run(9)
  rt.sleep(1)
  picked = picked + (scene.picked() and 1 or 0)
end
print(("picked %d of %d"):format(picked, starts))
return picked >= 0.8 * starts
