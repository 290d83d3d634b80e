-- A floor with balls, and how cameras of simulated robots see them. Balls roll, lose speed, and are pushed by the
-- parts of robots that touch them; they do not push robots. The output of a vision system is computed from the camera
-- in the robot's descriptor, in Tekkotsu's generalised coordinates: x from -1, the left edge, to 1; y from -yRange,
-- the top, to yRange = height / width; area as pixels * 4 / width^2.
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local eye = require "robotalk.tekkotsu.eye"
local shapes = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"
local task = require "robotalk.task"

local fields = {}

local Field = {}
Field.__index = Field

local STEP = 0.01        -- s between two contact checks
local SLOWS = 0.25       -- m/s2 by which a rolling ball loses speed: a carpet
local BOUNCE = 0.4       -- fraction of its speed towards a part that a ball keeps after a hit

-- A generator of its own, so that a seed gives the same noise whatever other code draws: Park and Miller, Box and
-- Muller.
local function generator(seed)
  local state = seed % 2147483646 + 1
  local function uniform()
    state = state * 48271 % 2147483647
    return state / 2147483647
  end
  return function() return math.sqrt(-2 * math.log(uniform())) * math.cos(2 * math.pi * uniform()) end
end

local OPTIONS = { balls = true, walls = true, noise = true, seed = true, slows = true }
local BALL = { color = true, diameter = true, position = true }

---Opens a field on the runtime's clock. balls: { { color = "pink", diameter = 0.08, position = { x, y } } }, m;
---walls: { x0, y0, x1, y1 }, off which balls bounce; noise: error of a ball's edges in pixels; seed of
---the noise (1); slows: m/s2 by which balls lose speed (0.25). It ends with `close`, or with the program.
function fields.open(options)
  options = checked.options(options, OPTIONS, "field")
  local field = setmetatable({ balls = {}, robots = {}, walls = options.walls, noise = options.noise or 0,
    normal = generator(options.seed or 1), slows = options.slows or SLOWS, seen = {} }, Field)
  for i, ball in ipairs(options.balls or {}) do
    checked.options(ball, BALL, ("field: ball %d"):format(i))
    if type(ball.color) ~= "string" or field.balls[ball.color] then
      error(("field: ball %d: want a color of its own, got %s"):format(i, tostring(ball.color)), 2)
    end
    field.balls[ball.color] = { color = ball.color, radius = (ball.diameter or 0.08) / 2, x = ball.position[1],
      y = ball.position[2], vx = 0, vy = 0, rolled = 0 }
  end
  field.stepper = task.spawn(function()
    while not field.closed do
      task.sleep(STEP)
      field:step(STEP)
    end
  end)
  field.stepper.background = true
  return field
end

---Ends it.
function Field:close()
  self.closed = true
  self.stepper:cancel()
end
Field.__close = Field.close

-- The root link's pose in the world.
local function root_of(state)
  return { p = { state.pose[1], state.pose[2], state.pose[3] }, r = spatial.from_angles(state.attitude) }
end

-- Poses of a robot's links in the world; its state is that of this instant.
local function links_of(robot, state)
  local root, poses = root_of(state), {}
  for i, pose in ipairs(robot.model:fk(state.position)) do
    local r = pose.rotation
    poses[i] = spatial.compose(root, { p = pose.position,
      r = { { r[1], r[2], r[3] }, { r[4], r[5], r[6] }, { r[7], r[8], r[9] } } })
  end
  return poses
end

-- The parts of a robot that can touch a ball: spheres about its control frames, and about the solid or painted shapes
-- of its links.
local function parts_of(robot)
  local descriptor, parts = robot:describe().descriptor, {}
  for name, link in pairs(descriptor.links or {}) do
    for _, shape in ipairs(link.shapes or {}) do
      local kind = shapes.kinds[shape.type]
      if shape.type ~= "mesh" then
        -- along the longest side of a box, and the axis of what is round, as many as it takes
        local half, axis = shapes.half(shape.type, shape.size), kind.round and 3 or 1
        for k = axis + 1, 3 do if half[k] > half[axis] then axis = k end end
        local radius, length = kind.round and half[1] or math.min(half[1], half[2], half[3]), 2 * half[axis]
        local count = math.max(1, math.ceil(length / (2 * radius)))
        local turn = spatial.from_angles(shape.attitude or { 0, 0, 0 })
        for k = 1, count do
          local along = { 0, 0, 0 }
          along[axis] = count > 1 and (k - 0.5) / count * length - length / 2 or 0
          parts[#parts + 1] = { link = name, radius = radius,
            place = spatial.add(shape.position or { 0, 0, 0 }, spatial.turn(turn, along)) }
        end
      end
    end
  end
  return parts
end

---Adds a robot of this process to the field: its parts push balls, its cameras see them.
function Field:add(robot)
  for _, there in ipairs(self.robots) do
    if there.robot == robot then return end
  end
  self.robots[#self.robots + 1] = { robot = robot, parts = parts_of(robot) }
end

-- Pushes a ball out of a part, which transfers its speed to the ball.
local function touch(ball, centre, velocity, radius)
  local dx, dy, dz = ball.x - centre[1], ball.y - centre[2], ball.radius - centre[3]
  local reach = ball.radius + radius
  local flat2 = reach * reach - dz * dz
  if flat2 <= 0 then return end
  local flat, far = math.sqrt(flat2), math.sqrt(dx * dx + dy * dy)
  if far >= flat then return end
  local nx, ny = 1, 0
  if far > 1e-9 then nx, ny = dx / far, dy / far end
  ball.x, ball.y = centre[1] + nx * flat, centre[2] + ny * flat
  local towards = (velocity[1] - ball.vx) * nx + (velocity[2] - ball.vy) * ny
  if towards > 0 then
    ball.vx, ball.vy = ball.vx + (1 + BOUNCE) * towards * nx, ball.vy + (1 + BOUNCE) * towards * ny
  end
end

-- A ball bounces off a wall in its path.
local function bounce(ball, walls)
  local r = ball.radius
  if ball.x < walls[1] + r then ball.x, ball.vx = walls[1] + r, math.abs(ball.vx) * BOUNCE end
  if ball.x > walls[3] - r then ball.x, ball.vx = walls[3] - r, -math.abs(ball.vx) * BOUNCE end
  if ball.y < walls[2] + r then ball.y, ball.vy = walls[2] + r, math.abs(ball.vy) * BOUNCE end
  if ball.y > walls[4] - r then ball.y, ball.vy = walls[4] - r, -math.abs(ball.vy) * BOUNCE end
end

---Advances the field by dt seconds.
function Field:step(dt)
  for _, ball in pairs(self.balls) do
    local speed = math.sqrt(ball.vx * ball.vx + ball.vy * ball.vy)
    if speed > 0 then
      local left = math.max(0, speed - self.slows * dt)
      local mean = (speed + left) / 2 * (left > 0 and 1 or speed / (self.slows * dt)) / speed
      ball.x, ball.y = ball.x + ball.vx * mean * dt, ball.y + ball.vy * mean * dt
      ball.rolled = ball.rolled + speed * mean * dt
      ball.vx, ball.vy = ball.vx * left / speed, ball.vy * left / speed
    end
    if self.walls then bounce(ball, self.walls) end
  end
  for _, there in ipairs(self.robots) do
    local state = core.robot_state(there.robot.body.name)
    local poses = state and links_of(there.robot, state)
    for _, part in ipairs(poses and there.parts or {}) do
      local pose = poses[part.link + 1]
      local centre = spatial.add(pose.p, spatial.turn(pose.r, part.place))
      local last = part.last or centre
      local velocity = { (centre[1] - last[1]) / dt, (centre[2] - last[2]) / dt }
      part.last = centre
      for _, ball in pairs(self.balls) do touch(ball, centre, velocity, part.radius) end
    end
  end
end

---The state of a ball: x, y, speed m/s, rolled, m in all; nil when there is none of that color.
function Field:ball(color)
  local ball = self.balls[color]
  if not ball then return nil end
  return { x = ball.x, y = ball.y, speed = math.sqrt(ball.vx * ball.vx + ball.vy * ball.vy), rolled = ball.rolled,
    diameter = 2 * ball.radius }
end

-- ---- cameras ----

-- Edges of a sphere in a camera's picture along one axis: it looks along x. nil when it reaches behind the camera.
local function edges(ahead, aside, radius)
  local far = math.sqrt(ahead * ahead + aside * aside)
  if far <= radius then return nil end
  local middle, half = math.atan(aside, ahead), math.asin(radius / far)
  if middle - half <= -math.pi / 2 or middle + half >= math.pi / 2 then return nil end
  return math.tan(middle - half), math.tan(middle + half)
end

-- The fraction of an ellipse in a box that lies within another one; by a grid of 32 by 32.
local function share_within(x1, x2, y1, y2, wide, high)
  if x1 >= -wide and x2 <= wide and y1 >= -high and y2 <= high then return 1 end
  local inside, all = 0, 0
  for i = 0, 31 do
    for k = 0, 31 do
      local u, v = (i + 0.5) / 16 - 1, (k + 0.5) / 16 - 1
      if u * u + v * v <= 1 then
        all = all + 1
        local x, y = x1 + (u + 1) / 2 * (x2 - x1), y1 + (v + 1) / 2 * (y2 - y1)
        if math.abs(x) <= wide and math.abs(y) <= high then inside = inside + 1 end
      end
    end
  end
  return inside / all
end

-- The image of a ball in a camera at a pose.
local function project(field, camera, pose, ball)
  local away = spatial.sub({ ball.x, ball.y, ball.radius }, pose.p)
  local local_ = spatial.turn(spatial.transpose(pose.r), away)
  if local_[1] <= 0 then return { visible = false } end
  local focal = 1 / math.tan(camera.fov / 2)
  local left, right = edges(local_[1], -local_[2], ball.radius)
  local top, bottom = edges(local_[1], -local_[3], ball.radius)
  if not left or not top then return { visible = false } end
  local pixel, high = 2 / camera.width, camera.height / camera.width
  local function off() return field.noise > 0 and field.normal() * field.noise * pixel or 0 end
  local x1, x2 = left * focal + off(), right * focal + off()
  local y1, y2 = top * focal + off(), bottom * focal + off()
  local share = share_within(x1, x2, y1, y2, 1, high)
  local area = math.pi / 4 * math.max(0, x2 - x1) * math.max(0, y2 - y1) * share
  local cx1, cx2, cy1, cy2 = math.max(x1, -1), math.min(x2, 1), math.max(y1, -high), math.min(y2, high)
  local width, height = (cx2 - cx1) / pixel, (cy2 - cy1) / pixel
  if width < eye.LEAST or height < eye.LEAST or area / (pixel * pixel) < eye.LEAST_AREA then
    return { visible = false }
  end
  local clipped = x1 < -1 or x2 > 1 or y1 < -high or y2 > high
  return { visible = true, x = (cx1 + cx2) / 2, y = (cy1 + cy2) / 2, area = area, width = cx2 - cx1, height = cy2 - cy1,
    clipped = clipped, distance = ball.radius * 2 * focal / (cx2 - cx1) }
end

local SEE = { camera = true, pixels = true }

---The image of a ball in a robot's camera, by default the first: visible; x, y of its middle and area, generalised;
---clipped: it touches an edge; distance, m, from its width, right when it is not clipped; frame, the picture's
---number. Values hold from one picture to the next. options: camera, its name; pixels: x and y in pixels, from the
---upper left corner.
function Field:see(robot, color, options)
  options = checked.options(options, SEE, "see")
  self:add(robot)
  local ball = self.balls[color]
  local state = core.robot_state(robot.body.name)
  local camera
  for _, one in ipairs(robot:describe().descriptor.cameras or {}) do
    if not camera and (not options.camera or one.name == options.camera) then camera = one end
  end
  if not ball or not camera or not state then return { visible = false, frame = 0 } end
  local rate = camera.rate and camera.rate > 0 and camera.rate or 30
  local frame = math.floor(state.time * rate)
  local key = robot.body.name .. "/" .. camera.name .. "/" .. color
  local seen = self.seen[key]
  if not seen or seen.frame ~= frame then
    local pose = links_of(robot, state)[(camera.link or 0) + 1]
    pose = spatial.compose(pose, { p = camera.position or { 0, 0, 0 },
      r = spatial.from_angles(camera.attitude or { 0, 0, 0 }) })
    seen = project(self, camera, pose, ball)
    seen.frame = frame
    self.seen[key] = seen
  end
  local copy = {}
  for name, value in pairs(seen) do copy[name] = value end
  if options.pixels and copy.visible then
    copy.x, copy.y = eye.pixels(copy.x, copy.y, camera.width, camera.height)
  end
  return copy
end

colon.methods(Field, "field")

return fields
