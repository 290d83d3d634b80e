-- Data sets of LeRobot, read: those of this program and of others, version 3.0 and 2.1.
local colon = require "robotalk.mistakes.colon"
local guarded = require "robotalk.mistakes.guarded"
local json = require "robotalk.json"
local layout = require "robotalk.dataset.layout"
local mistake = require "robotalk.mistakes.mistake"
local parquet = require "robotalk.dataset.parquet_reader"

local fail <const>, need <const> = guarded.fail, guarded.need

local Reader = {}
Reader.__index = Reader

local reader = { Reader = Reader }

-- The names of a feature's components, which older data sets have in a record.
local function names_of(feature)
  local names = feature and feature.names
  while type(names) == "table" and #names == 0 and next(names) do names = select(2, next(names)) end
  return type(names) == "table" and names ~= json.null and names or {}
end

local function number(x, otherwise) return type(x) == "number" and x or otherwise end

---Opens one: path, version, fps, robot, tasks, episodes (a list of { index, length, tasks, skew and age as of keep }),
---names (of the components of action and of observation.state), cameras (their keys), info. nil, message, code.
reader.open = guarded.by(function(path)
  if type(path) ~= "string" then mistake("open: want the path of a folder, got %s", type(path)) end
  local info = layout.read_info(path) or fail("ENONE", "%s: there is no data set, which has a meta/info.json", path)
  local version, notes = info.codebase_version, layout.read_json(path .. "/meta/robotalk.json", {})
  local self = setmetatable({ path = path, info = info, version = version, fps = info.fps,
    robot = type(info.robot_type) == "string" and info.robot_type or nil, names = {}, cameras = {}, rows = {},
    episodes = {}, tasks = layout.read_tasks(path, version) }, Reader)
  for key, feature in pairs(info.features) do
    if feature.dtype == "video" then self.cameras[#self.cameras + 1] = key end
  end
  for _, key in ipairs(type(notes.pictures) == "table" and notes.pictures or {}) do
    self.cameras[#self.cameras + 1] = tostring(key)
  end
  table.sort(self.cameras)
  for _, key in ipairs { "action", "observation.state" } do self.names[key] = names_of(info.features[key]) end
  for i, row in ipairs(layout.read_episodes(path, info)) do
    local index, length = math.tointeger(row.episode_index), math.tointeger(row.length)
    if not (index and length) then
      fail("EBODY", "%s: expected numbers as episode_index and length of each episode", path)
    end
    local about, tasks = type(notes.episodes) == "table" and notes.episodes[index + 1], row.tasks
    about = type(about) == "table" and about or {}
    self.rows[index] = row
    self.episodes[i] = { index = index, length = length, skew = number(about.skew), age = number(about.age),
      tasks = type(tasks) == "table" and tasks or { tostring(tasks) } }
  end
  return self
end)

local COLUMNS <const> = { "timestamp", "frame_index", "task_index", "observation.state", "action" }

-- The rows of an episode in its file: a column a list of values.
local function columns_of(self, index, row)
  local numbers = layout.numbers(index)
  numbers.chunk_index, numbers.file_index = row["data/chunk_index"] or numbers.chunk_index,
    row["data/file_index"] or numbers.file_index
  local below = layout.fill(self.info.data_path, numbers)
    or fail("EBODY", "%s: data_path: expected a path in the data set", self.path)
  local file <close>, found = need(parquet.open(("%s/%s"):format(self.path, below))), {}
  for _, name in ipairs(COLUMNS) do found[name] = file.columns[name] and {} end
  for group = 1, #file.groups do
    local whose, wanted = need(file:column("episode_index", group)), false
    for _, x in ipairs(whose) do wanted = wanted or x == index end
    for name, values in pairs(wanted and found or {}) do
      local all = need(file:column(name, group))
      for i, x in ipairs(whose) do if x == index then values[#values + 1] = all[i] end end
    end
  end
  return found
end

-- The values of a row by the names of their components.
local function named(names, values)
  local made = {}
  for i, x in ipairs(type(values) == "table" and values or {}) do made[names[i] or i] = x end
  return made
end

-- Where the picture of a frame is: { file, time (s in the video) }, or { file } of a JPEG; nil: there is none.
local function picture_of(self, key, index, row, n, time)
  local numbers = layout.numbers(index, key)
  if self.info.features[key] then
    numbers.chunk_index = row[("videos/%s/chunk_index"):format(key)] or numbers.chunk_index
    numbers.file_index = row[("videos/%s/file_index"):format(key)] or numbers.file_index
    local below = type(self.info.video_path) == "string" and layout.fill(self.info.video_path, numbers)
    local from = number(row[("videos/%s/from_timestamp"):format(key)], 0)
    return below and { file = ("%s/%s"):format(self.path, below), time = from + time } or nil
  end
  numbers.frame_index = n
  return { file = ("%s/%s"):format(self.path, layout.fill(layout.PATHS[self.version].picture, numbers)) }
end

---An iterator over the frames of an episode, by its index, from 0: { time (s, from 0), index, task, state, action (by
---the names of their components), pictures (by camera: { file, time in it, s }) }. nil, message, code.
Reader.episode = guarded.by(function(self, index)
  local row = self.rows[index]
    or fail("ENONE", "%s: there is no episode %s; there are %d", self.path, index, #self.episodes)
  local columns = columns_of(self, index, row)
  local k = 0
  return function()
    k = k + 1
    local state, action, tasks = columns["observation.state"], columns.action, columns.task_index
    if not ((state or action or {})[k]) then return nil end
    local time = number(columns.timestamp and columns.timestamp[k], (k - 1) / self.fps)
    local frame = { time = time, index = k - 1, task = tasks and math.tointeger(tasks[k]) and self.tasks[tasks[k] + 1],
      state = state and named(self.names["observation.state"], state[k]), pictures = {},
      action = action and named(self.names.action, action[k]) }
    for _, key in ipairs(self.cameras) do
      frame.pictures[key:match "[^.]*$"] = picture_of(self, key, index, row, k - 1, time)
    end
    return frame
  end
end)

function Reader.close() end
Reader.__close = Reader.close

colon.methods(Reader, "dataset")

return reader
