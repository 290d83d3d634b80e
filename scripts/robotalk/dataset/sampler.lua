-- Takes the frames of an episode, at equal instants: a robot's state and the goals in force, both of one instant, and
-- the newest picture of each camera.
local core = require "robotalk.core"
local features = require "robotalk.dataset.features"
local guarded = require "robotalk.mistakes.guarded"
local layout = require "robotalk.dataset.layout"
local task = require "robotalk.task"

local fail <const>, need <const> = guarded.fail, guarded.need
local MOST <const> = 200000 -- frames of an episode
local WAIT <const> = 5      -- s for the first picture of a camera

local Episode = {}
Episode.__index = Episode

-- Writes the newest pictures, as those of frame n, which is of that time.
local function take_pictures(self, n, time)
  for key, picture in pairs(self.newest) do
    local path = self.path_of(key, n)
    local file, message = io.open(path, "wb")
    local ok, why = need(file, message, "ESYSTEM"):write(picture.bytes)
    local closed, trouble = file:close()
    need(ok and closed, why or trouble, "ESYSTEM")
    table.insert(self.pictures[key], path)
    self.age = math.max(self.age, time - picture.time)
  end
end

local take = guarded.by(function(self)
  local state, n = need(self.set.robot:state { goals = true }), #self.states
  self.began = self.began or state.time
  self.skew = math.max(self.skew, math.abs(state.time - self.began - n / self.set.info.fps))
  self.states[n + 1], self.actions[n + 1] = features.read(self.set.features, state)
  if not self.states[n + 1] then fail("EBODY", "the robot was described anew, with other dofs") end
  if n + 1 == MOST then fail("ELIMIT", "an episode of more than %d frames", MOST) end
  take_pictures(self, n, state.time)
  return true
end)

-- Takes frames until it is cancelled.
local function run(self)
  local began, n = core.now(), 0
  repeat
    local ok
    ok, self.why, self.code = take(self)
    n = n + 1
    local left = began + n / self.set.info.fps - core.now()
    if ok and left > 0 then task.sleep(left) end
  until not ok
end

-- The action of a dof without a goal in force, as during a speed, is its position in the next frame.
local function fill(self)
  for k, asked in ipairs(self.actions) do
    local after = self.states[k + 1] or self.states[k]
    for i, x in ipairs(asked) do asked[i] = x or after[i] end
  end
end

---No frames are taken from now on: true; nil, message, code: not all could be taken.
function Episode:finish()
  self.reader:cancel()
  self.reader:wait()
  for _, watch in ipairs(self.watches) do watch:cancel() end
  if self.why then return nil, self.why, self.code end
  if #self.states == 0 then return nil, "the episode has no frame", "ENONE" end
  fill(self)
  return true
end

-- Waits until each camera has a picture, and watches it.
local watch_cameras = guarded.by(function(self)
  for key, camera in pairs(self.set.cameras) do
    self.pictures[key] = {}
    layout.make_folder(self.path_of(key, 0))
    self.newest[key] = need(camera:frame { format = "jpeg", timeout = WAIT })
    table.insert(self.watches, need(camera:watch({ format = "jpeg", window = 1 << 20 }, function(picture)
      self.newest[key] = picture
    end)))
  end
  return true
end)

local sampler = {}

---Begins an episode, once each camera has a picture; nil, message, code. path_of(key, n): of a picture.
function sampler.begin(set, path_of)
  local self = setmetatable({ set = set, path_of = path_of, states = {}, actions = {}, pictures = {}, newest = {},
    watches = {}, skew = 0.0, age = 0.0 }, Episode)
  local ok, message, code = watch_cameras(self)
  if not ok then
    for _, watch in ipairs(self.watches) do watch:cancel() end
    return nil, message, code
  end
  self.reader = task.spawn("episode", function() run(self) end)
  self.reader.background = true
  return self
end

return sampler
