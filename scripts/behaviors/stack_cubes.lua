-- A PUMA with a gripper builds a tower of cubes that a camera above the table sees. Golog decides which cube goes
-- where: the fewest moves to a tower of HIGH cubes with TOP on top. The camera looks after every move: a cube that
-- the arm did not get, or that was taken away, and a tower that fell lead to another plan.
--   robotalk run --physics --virtual --world table scripts/behaviors/stack_cubes.lua [TOP] [HIGH]  (red 3)
local rt = require "robotalk"
local golog = require "robotalk.golog"

local top, high = ...
-- All places are in the frame of the arm's foot: m, and 0 is the height of the table.
local CUBES, CUBE = { "blue", "green", "red", "yellow" }, 0.05
local EYE = { x = 0.5, y = 0, z = 1.6 }   -- the camera
local ABOVE = 0.3                         -- the hand, with a cube in it, is above all towers
local OPEN, GRIP = 0.04, -40              -- m of each finger; N of both together
-- where cubes may be put on the table
local SPOTS = { { 0.45, 0 }, { 0.6, 0.05 }, { 0.45, -0.15 }, { 0.4, 0.15 }, { 0.6, -0.25 } }
local SOMEWHERE = { 0, 0, 0 }             -- the place of a cube on the table, in plans

-- The arguments: the top cube, and the number of cubes.
local function refuse(why)
  print(why)
  return false
end
top, high = top or "red", math.tointeger(tonumber(high or 3))
local is = {}
for _, name in ipairs(CUBES) do is[name] = true end
if not is[top] then return refuse(("no cube is %s; there are %s"):format(top, table.concat(CUBES, ", "))) end
if not (high and high >= 1 and high <= #CUBES) then
  return refuse(("expected a tower of 1 to %d cubes, got %s"):format(#CUBES, (select(2, ...))))
end

local robot <close> = rt.connect("puma560_gripper", { deadman = 1 })
local eye = robot:camera "above"

-- ---- vision ----

local function round(x) return math.floor(x + 0.5) end

-- The top face of a cube in a picture: its middle, its heading, and, by its apparent size, its level: 1 is
-- on the table, 2 on another cube. A square is the same after a quarter turn, so its pixels count by four times their
-- angle; the corners, which are farthest, count most.
local function face(picture, name)
  local blob = picture:blob(name, { least = 1500 }) -- a smaller region is the side of a cube below another one
  if not blob then return nil end
  local red, green, blue = picture:pixel(math.floor(blob.x), math.floor(blob.y))
  local x, y, n = 0, 0, 0
  local pixels = {}
  for row = blob.top, blob.top + blob.height - 1 do
    for column = blob.left, blob.left + blob.width - 1 do
      local r, g, b = picture:pixel(column, row)
      if math.abs(r - red) + math.abs(g - green) + math.abs(b - blue) < 40 then -- sides are darker
        x, y, n = x + column, y + row, n + 1
        pixels[n] = { column, row }
      end
    end
  end
  x, y = x / n, y / n
  local cosine, sine = 0, 0
  for _, pixel in ipairs(pixels) do
    local dx, dy = pixel[1] - x, y - pixel[2]
    local far, angle = (dx * dx + dy * dy) ^ 2, 4 * math.atan(dy, dx)
    cosine, sine = cosine + far * math.cos(angle), sine + far * math.sin(angle)
  end
  local distance = CUBE / math.sqrt(n) * eye.width / (2 * math.tan(eye.fov / 2)) -- by its apparent size
  return { x = x, y = y, heading = math.atan(-sine, -cosine) / 4,
    level = math.max(1, round((EYE.z - distance) / CUBE)) }
end

-- The position of a pixel. The picture's upper side is far from the arm, its left one at +y.
local function place_of(seen)
  local scale = 2 * math.tan(eye.fov / 2) * (EYE.z - seen.level * CUBE) / eye.width
  return { EYE.x - (seen.y - (eye.height - 1) / 2) * scale, EYE.y - (seen.x - (eye.width - 1) / 2) * scale,
    seen.heading }
end

local function apart(a, b) return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2) end

-- ---- fluents ----

local world = golog.domain()
local place = world:relation("place")   -- of a cube: x, y, heading; false: in the hand, or unknown
local under = world:relation("under")   -- the support of a cube: a cube or the table
local on = world:relation("on")         -- the cube on top of a cube
local held = world:fluent("held", false)
local misses = world:relation("misses") -- failed grasps of a cube in a row

local function level(name) return under(name) == "table" and 1 or 1 + level(under(name)) end
local function height() -- of the tower below the top cube; 0: no tower
  return under(top) and not on(top) and level(top) or 0
end

-- Updates the fluents from a picture: positions and supports of visible cubes. Hidden cubes are below
-- those that are too high for the table: those that were there before, otherwise any.
local function understand(seen)
  local where, below, hidden = {}, {}, {}
  for _, name in ipairs(CUBES) do
    if seen[name] then where[name] = place_of(seen[name])
    elseif name ~= held() then hidden[#hidden + 1] = name end
  end
  local function was_below(name, other)
    return place(other) and apart(place(other), where[name]) < CUBE / 2 and level(other) or math.huge
  end
  for _, name in ipairs(CUBES) do
    local support = seen[name] and "table"
    if support and seen[name].level > 1 then
      table.sort(hidden, function(a, b) return was_below(name, a) < was_below(name, b) end)
      for _ = 2, seen[name].level do
        local other = table.remove(hidden, 1)
        if not other then break end
        where[other], below[other], support = where[name], support, other
      end
    end
    below[name] = support or below[name]
  end
  return below, where
end

-- ---- motions of the arm ----

local ARM = { "waist", "shoulder", "elbow", "wrist_roll", "wrist_bend", "flange" }
local rad = math.rad

-- The same turn, by less than half a turn.
local function turn(angle) return (angle + math.pi) % (2 * math.pi) - math.pi end

-- Moves the hand above a place. The posture is sought near one with the elbow up and the wrist straight.
local function go_above(at, heading)
  local waist = math.atan(at[2], at[1]) + rad(17)
  local near = { waist, rad(35), rad(-195), 0, rad(-20), turn(math.pi + waist - heading), OPEN, OPEN }
  local posture = robot.model:ik("hand", { position = { at[1], at[2], ABOVE }, attitude = { math.pi, 0, heading } },
    near)
  if not posture then return false end
  local parts = {}
  for i, name in ipairs(ARM) do parts[name] = { q = posture[i] } end
  return robot:move(parts) == "SUCCESS"
end

-- Moves the hand straight up or down.
local function lift(at, heading, z, speed)
  return robot:set_frame("hand", { position = { at[1], at[2], z }, attitude = { math.pi, 0, heading }, speed = speed })
    == "SUCCESS"
end

local function holds()
  rt.sleep(0.1)
  local gripper = robot:sense "gripper"
  return gripper ~= nil and math.abs(gripper.width - CUBE) < 0.01
end

-- The fingers come from the sides: of the two ways to grasp a cube, the one with more room.
local function way_to_take(name)
  local best, most
  for _, heading in ipairs { place(name)[3], place(name)[3] - math.pi / 2 } do
    local room = math.huge
    for _, other in ipairs(CUBES) do
      for side = -1, 1, 2 do
        local finger = { place(name)[1] - side * 0.045 * math.sin(heading),
          place(name)[2] + side * 0.045 * math.cos(heading) }
        if other ~= name and place(other) then room = math.min(room, apart(place(other), finger)) end
      end
    end
    if not most or room > most + 0.02 then best, most = heading, room end
  end
  return best
end

local function grasp(name)
  local at, z, heading = place(name), (level(name) - 0.5) * CUBE, way_to_take(name)
  robot:set_joint("gripper", OPEN)
  if not (go_above(at, heading) and lift(at, heading, z, 0.3)) then return false end
  local _, _, result = robot:set_joint("gripper", 0) -- until the cube is between the fingers
  if result.reason == "blocked" then robot:set_joint_force("gripper", GRIP) end
  return lift(at, heading, ABOVE, 0.3) and holds()
end

local function set_down(at, levels)
  local z = (levels + 0.5) * CUBE
  if not (go_above(at, at[3]) and holds() and lift(at, at[3], z + 0.02, 0.3) and lift(at, at[3], z + 0.001, 0.05)) then
    return false
  end
  local still = holds()
  robot:set_joint("gripper", OPEN)
  return lift(at, at[3], ABOVE, 0.3) and still
end

local function free_spot()
  for _, spot in ipairs(SPOTS) do
    local free = true
    for _, name in ipairs(CUBES) do free = free and not (place(name) and apart(place(name), spot) < 0.12) end
    if free then return { spot[1], spot[2], 0 } end
  end
end

-- ---- actions ----

local look = world:action("look", {
  sense = function()
    robot:set_joint("waist", -1.7) -- out of the camera's sight
    local picture, seen = assert(eye:frame { format = "rgb" }), { dropped = held() and not holds() }
    for _, name in ipairs(CUBES) do seen[name] = name ~= held() and face(picture, name) or nil end
    return seen
  end,
  effect = function(seen)
    local below, where = understand(seen)
    if seen.dropped then held:set(false) end
    for _, name in ipairs(CUBES) do on:set(name, false) end
    for _, name in ipairs(CUBES) do
      place:set(name, where[name] or false)
      under:set(name, below[name] or false)
      if below[name] and below[name] ~= "table" then on:set(below[name], name) end
    end
  end,
})

local take = world:action("take", {
  pre = function(x) return not held() and place(x) and not on(x) and (misses(x) or 0) < 3 end,
  sense = function(_, x) return grasp(x) end,
  assume = function() return true end,
  effect = function(got, x)
    misses:set(x, got and 0 or (misses(x) or 0) + 1)
    if not got then return end
    if under(x) ~= "table" then on:set(under(x), false) end
    held:set(x)
    under:set(x, false)
    place:set(x, false)
  end,
})

local put = world:action("put", {
  pre = function(y) return held() and (y == "table" or place(y) and not on(y)) end,
  sense = function(_, y)
    if y == "table" then return set_down(assert(free_spot(), "there is no room on the table"), 0) end
    return set_down(place(y), level(y))
  end,
  assume = function() return true end,
  effect = function(_, y) -- the next look shows whether it is there
    local x = held()
    held:set(false)
    under:set(x, y)
    place:set(x, y ~= "table" and place(y) or SOMEWHERE)
    if y ~= "table" then on:set(y, x) end
  end,
})

local move = golog.choice(golog.pick(CUBES, take), golog.pick({ "table", table.unpack(CUBES) }, put))
local function done() return not held() and height() == high end
local stands = golog.test(done, "there is no such tower")
local build = golog.search({ golog.star(move), stands }, { deepen = true })

local report = world:run({ look(), golog.loop(function() return not done() end, golog.rules(look(), build)) },
  { robot = robot })
print(report)
local tower, name = {}, top
while name and name ~= "table" do tower[#tower + 1], name = name, under(name) end
print(report.done and "the tower stands: " .. table.concat(tower, " on ") or "it gives up: " .. tostring(report.why))
return report.done and tower
