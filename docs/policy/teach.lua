-- Records episodes of a scripted pick, a policy that knows where the cube is: EPISODES FILE. A row has what the
-- network is to see, and the chunk that it is to answer, relative to where the joints are.
local rt = require "robotalk"
local scene = require "scene"

local RATE <const>, CHUNK <const>, SPEED <const>, CLOSES <const> = 30, 16, 0.8, 2 -- 1/s, actions, rad/s
local ABOVE <const>, LOW <const>, UP <const>, NEAR <const> = 0.08, 0.024, 0.15, 0.012 -- m
local CLOSED <const>, HELD <const> = -0.17, 0.13 -- rad of the gripper; the cube is held between 0 and the last
local episodes, file = tonumber((...)), assert(io.open(select(2, ...), "w"))

-- A posture with the hand at a height above the cube, pointing downwards.
local function posture(model, cube, z)
  local pan = -math.atan(cube.y, cube.x - scene.AXIS)
  local found, _, _, report = model:ik("hand",
    { position = { cube.x, cube.y, z }, attitude = { math.pi, 0, math.pi - pan } },
    { pan, 0, 0.3, 1.2, 0, 0 }, { rotation_weight = 0.01, attempts = 1 })
  return found or report.posture
end

-- Where the arm goes to from a posture, and the gripper: it needs no memory.
local function goal_of(model, q, cube, to)
  local hand = model:fk(q, "hand").position
  if q[6] < HELD and q[6] > 0 then return to.up, CLOSED end
  local off = math.sqrt((hand[1] - cube.x) ^ 2 + (hand[2] - cube.y) ^ 2)
  if off > NEAR or hand[3] > ABOVE + 0.01 then return to.above, scene.OPEN end
  return to.low, hand[3] > LOW + 0.006 and q[6] > 0.5 and scene.OPEN or CLOSED
end

local function chunk_of(model, q, cube, to)
  local at, chunk = { table.unpack(q) }, {}
  for k = 1, CHUNK do
    local goal, gripper = goal_of(model, at, cube, to)
    local most = 1e-9
    for j = 1, 5 do most = math.max(most, math.abs(goal[j] - at[j])) end
    for j = 1, 5 do at[j] = at[j] + math.min(1, SPEED / RATE / most) * (goal[j] - at[j]) end
    chunk[k] = { at[1], at[2], at[3], at[4], at[5], gripper }
    -- the gripper does not close further than the cube is wide, as far as this can know
    at[6] = math.max(math.min(q[6], HELD), at[6] + math.max(-CLOSES / RATE, math.min(CLOSES / RATE, gripper - at[6])))
  end
  return chunk
end

local picked = 0
for _ = 1, episodes do
  local robot <close>, cube = scene.start(math.random)
  local model = robot.model
  local to = { above = posture(model, cube, ABOVE), low = posture(model, cube, LOW), up = posture(model, cube, UP) }
  rt.policy(robot, { every = 4, observe = { "wrist" } }, function(seen)
    local q, row = seen.position, scene.features(seen)
    local chunk = chunk_of(model, q, cube, to)
    for _, action in ipairs(chunk) do for j = 1, 6 do row[#row + 1] = action[j] - q[j] end end
    for i, x in ipairs(row) do row[i] = ("%.5f"):format(x) end
    file:write(table.concat(row, " "), "\n")
    -- half of the chunks lead astray, on the way to the cube: so the network sees how to come back
    local low = model:fk(q, "hand").position[3] - 0.03
    local astray = math.random() < 0.5 and q[6] > 0.5 and math.max(0, math.min(0.06, low)) or 0
    for j = 1, 5 do
      local off = astray * (math.random() + math.random() - 1)
      for _, action in ipairs(chunk) do action[j] = action[j] + off end
    end
    return chunk
  end):run(6.5)
  picked = picked + (scene.picked() and 1 or 0)
end
file:close()
print(("taught by %d of %d"):format(picked, episodes))
