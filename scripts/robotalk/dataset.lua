-- Data sets of LeRobot, version 3.0 or 2.1 (docs/datasets.md): episodes of a robot are recorded into one, by a script
-- or by the keys of dataset/session.lua, and those of one are read.
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local features = require "robotalk.dataset.features"
local guarded = require "robotalk.mistakes.guarded"
local json = require "robotalk.json"
local layout = require "robotalk.dataset.layout"
local mistake = require "robotalk.mistakes.mistake"
local parquet_writer = require "robotalk.dataset.parquet_writer"
local sampler = require "robotalk.dataset.sampler"
local shell = require "robotalk.shell"
local summary = require "robotalk.dataset.summary"
local videos = require "robotalk.dataset.videos"

local fail <const>, need <const> = guarded.fail, guarded.need
local VERSIONS <const> = { ["3.0"] = "v3.0", ["2.1"] = "v2.1" }
local NOTE <const> = "the pictures stay JPEG files in %s/images, and are no part of the data set for LeRobot: a video"
  .. " needs ffmpeg (apt-get install ffmpeg), before the data set is made\n"

local Set = {}
Set.__index = Set

local dataset = { Set = Set }

-- ---- files of an episode ----

local function path_of(self, template, index, key)
  local below = type(template) == "string" and layout.fill(template, layout.numbers(index, key))
    or fail("EBODY", "%s/meta/info.json: expected paths of files below it, got %s", self.path, template)
  return ("%s/%s"):format(self.path, below)
end

-- The paths of an episode's pictures of a camera; n nil: with %06d for their numbers.
local function picture_path(self, index, key, n)
  local numbers = layout.numbers(index, key)
  numbers.frame_index = n or "%06d"
  return ("%s/%s"):format(self.path, layout.fill(layout.PATHS[self.info.codebase_version].picture, numbers))
end

local function remove_pictures(self, index)
  for key in pairs(self.cameras) do
    shell.remove(picture_path(self, index, key, 0):match "^(.*)/[^/]*$")
  end
end

-- ---- making one ----

-- Whether it has videos.
local function has_films(info)
  for _, feature in pairs(info.features) do if feature.dtype == "video" then return true end end
  return false
end

-- A data set that there is, is continued where it records the same.
local function continue(self, info, wanted)
  local function same(name, a, b)
    if a ~= b then fail("EEXISTS", "%s: it has %s %s, not %s", self.path, name, a, b) end
  end
  local function listed(of)
    local names = {}
    for key, feature in pairs(of.features) do
      names[#names + 1] = key .. ":" .. json.encode(feature.names)
    end
    table.sort(names)
    return table.concat(names, " ")
  end
  same("version", info.codebase_version, wanted.codebase_version)
  same("fps", info.fps, wanted.fps)
  same("robot", info.robot_type, wanted.robot_type)
  same("features", listed(info), listed(wanted))
  self.info = info
  self.tasks = layout.read_tasks(self.path, info.codebase_version)
  self.sums = layout.read_sums(self.path)
  self.notes = layout.read_json(self.path .. "/meta/robotalk.json", self.notes)
  if type(self.notes.episodes) ~= "table" then
    fail("EBODY", "%s/meta/robotalk.json: episodes: expected a list", self.path)
  end
end

local function fps(x)
  return not (math.type(math.tointeger(x)) == "integer" and x >= 1 and x <= 1000) and "a whole number, 1 to 1000"
end
local function version(x) return not VERSIONS[x] and "'3.0' or '2.1'" end
local CREATE <const> = { robot = true, fps = fps, task = checked.text, version = version, cameras = true,
  type = checked.text }

-- The cameras of these names, or all, by their keys.
local function cameras_of(robot, names)
  local cameras = {}
  for _, camera in ipairs(names and {} or robot:describe().cameras) do
    cameras["observation.images." .. camera.name] = need(robot:camera(camera.name))
  end
  for _, name in ipairs(names or {}) do cameras["observation.images." .. name] = need(robot:camera(name)) end
  return cameras
end

-- Says that the pictures stay files.
local function write_note(self)
  self.notes.pictures = checked.names(self.cameras)
  self.note = NOTE:format(self.path)
  layout.make_folder(self.path .. "/images/NOTE.txt")
  need(core.write_file(self.path .. "/images/NOTE.txt", self.note))
end

---A data set in a folder, a new one, or one that records the same, which is continued: to be closed; nil, message,
---code. options: robot; fps (30); task, a text for the next episodes; version ("3.0"); cameras, a list of names (all);
---type (of the robot for LeRobot: its name here).
dataset.create = guarded.by(function(path, options)
  if type(path) ~= "string" then mistake("create: want the path of a folder, got %s", type(path)) end
  options = checked.options(options, CREATE, "create")
  local robot = options.robot
  if type(robot) ~= "table" or not robot.describe then mistake "create: robot: want a robot" end
  local self = setmetatable({ path = path, robot = robot, features = features.of(robot:describe()),
    cameras = cameras_of(robot, options.cameras), text = options.task or "", tasks = {}, sums = {},
    notes = { episodes = {} } }, Set)
  if #self.features == 0 then fail("NA", "robot %s has no joint that takes set-points", robot.body.name) end
  local there, has_ffmpeg = layout.read_info(path, true), next(self.cameras) and shell.has "ffmpeg"
  self.films = has_ffmpeg
  if there then self.films = has_films(there) end
  if self.films and not has_ffmpeg then fail("ENONE", "%s: its videos need ffmpeg", path) end
  self.info = layout.new_info(VERSIONS[options.version or "3.0"], options.type or robot:describe().name,
    math.tointeger(options.fps or 30), features.names(self.features), self.films and self.cameras or {})
  if there then
    continue(self, there, self.info)
  else
    layout.make_folder(path .. "/meta/info.json")
    if next(self.cameras) and not self.films then write_note(self) end
  end
  return self
end)

-- ---- an episode ----

---The text of the task, for the next episode that begins.
function Set:task(text)
  checked.value(text, checked.text, "task", "text")
  self.text = text
end

---Begins an episode: frames are taken from now on. true; nil, message, code: the robot or a camera gives nothing.
Set.begin = guarded.by(function(self)
  if self.episode or self.writes or self.begins then fail("EBUSY", "an episode is under way") end
  local index, begins = self.info.total_episodes, {}
  self.begins = begins
  local _ <close> = setmetatable({}, { __close = function() self.begins = nil end })
  remove_pictures(self, index)
  local episode = need(sampler.begin(self, function(key, n) return picture_path(self, index, key, n) end))
  if begins.over then
    episode:finish()
    remove_pictures(self, index)
    fail("ENONE", "it was dropped before its cameras had a picture")
  end
  self.episode, episode.index, episode.text = episode, index, self.text
  return true
end)

---Drops the episode under way, if there is one.
function Set:drop()
  local episode = self.episode
  self.episode = nil
  if self.begins then self.begins.over = true end
  if not episode then return end
  episode:finish()
  remove_pictures(self, episode.index)
end

local function columns_of(rows, n)
  local columns = {}
  for i = 1, n do
    columns[i] = {}
    for k, row in ipairs(rows) do columns[i][k] = row[i] end
  end
  return columns
end

-- The columns of an episode's file: { name, type, list, values }.
local function columns_of_file(self, episode, from, task_index)
  local columns, n = {}, #episode.states
  local function add(name, kind, fn)
    local values = {}
    for k = 0, n - 1 do values[k + 1] = fn(k) end
    columns[#columns + 1] = { name = name, type = kind, values = values }
  end
  columns[1] = { name = "observation.state", type = "float", list = true, values = episode.states }
  columns[2] = { name = "action", type = "float", list = true, values = episode.actions }
  add("timestamp", "float", function(k) return k / self.info.fps end)
  add("frame_index", "int64", function(k) return k end)
  add("episode_index", "int64", function() return episode.index end)
  add("index", "int64", function(k) return from + k end)
  add("task_index", "int64", function() return task_index end)
  return columns
end

-- The place of a text in the list of tasks, from 0, to which it is added.
local function task_index(tasks, text)
  for i, known in ipairs(tasks) do if known == text then return i - 1 end end
  tasks[#tasks + 1] = text
  return #tasks - 1
end

-- Writes an episode: its description. What counts it, the notes, is written last.
local write_episode = guarded.by(function(self, episode)
  need(episode:finish())
  local info, stats, index, keys = json.decode(json.encode(self.info)), {}, episode.index, {}
  local length, from, text = #episode.states, info.total_frames, task_index(self.tasks, episode.text)
  local columns = columns_of_file(self, episode, from, text)
  for _, column in ipairs(columns) do
    stats[column.name] = summary.of(column.list and columns_of(column.values, #self.features) or { column.values })
  end
  for i, key in ipairs(self.films and checked.names(self.cameras) or {}) do
    keys[i], stats[key] = key, need(videos.stats(episode.pictures[key]))
  end
  local path, sums = path_of(self, info.data_path, index), {}
  layout.make_folder(path)
  need(parquet_writer.write(path, columns))
  for _, key in ipairs(keys) do
    videos.make(picture_path(self, index, key), info.fps, path_of(self, info.video_path, index, key))
  end
  for key, values in pairs(stats) do sums[key] = summary.join(self.sums[key], values) end
  layout.write_tasks(self.path, info.codebase_version, self.tasks)
  layout.add_episode(self.path, info, { index = index, task = episode.text, videos = keys, length = length, from = from,
    stats = stats }, sums)
  info.total_episodes, info.total_frames = index + 1, from + length
  info.total_tasks, info.splits.train = #self.tasks, ("0:%d"):format(info.total_episodes)
  if math.type(info.total_videos) == "integer" then
    info.total_videos, info.total_chunks = info.total_videos + #keys, layout.numbers(index).episode_chunk + 1
  end
  local about = { index = index, length = length, skew = episode.skew, age = episode.age, began = episode.began }
  self.notes.episodes[index + 1] = about
  layout.write_notes(self.path, info, self.notes)
  self.info, self.sums = info, sums
  return about
end)

---Keeps the episode under way: { index, length, skew (s by which a frame is off its instant at most), age (s that a
---picture is older than its frame at most) }; nil, message, code: it is dropped, since nothing could be taken, or
---written.
function Set:keep()
  local episode = self.episode
  if not episode then return nil, "no episode has begun", "ENONE" end
  self.episode, self.writes = nil, true
  local _ <close> = setmetatable({}, { __close = function() self.writes = false end })
  local about, message, code = write_episode(self, episode)
  if about then return about end
  self.notes.episodes[episode.index + 1] = nil
  remove_pictures(self, episode.index)
  return nil, message, code
end

---Drops the episode under way. What was kept is on the disk.
function Set:close() self:drop() end
Set.__close = Set.close

colon.methods(Set, "dataset")

---Opens a data set, also another program's: dataset/reader.lua.
function dataset.open(path) return require "robotalk.dataset.reader".open(path) end

return dataset
