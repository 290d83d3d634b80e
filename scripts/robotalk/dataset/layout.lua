-- The files of a LeRobot data set, of version 3.0 and 2.1, and what is in those of its folder meta. What cannot be read
-- or written ends the calling function: robotalk.mistakes.guarded.
local core = require "robotalk.core"
local fail = require "robotalk.mistakes.guarded".fail
local json = require "robotalk.json"
local need = require "robotalk.mistakes.guarded".need
local parquet_reader = require "robotalk.dataset.parquet_reader"
local parquet_writer = require "robotalk.dataset.parquet_writer"
local shell = require "robotalk.shell"

local CHUNK <const> = 1000     -- episodes in a folder; each has files of its own
local MOST <const> = 1 << 28   -- bytes of a file of JSON

local layout = {}

-- Paths with places for numbers, as info.json has them.
local PATHS <const> = {
  ["v3.0"] = { data = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
    video = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
    picture = "images/{video_key}/episode-{episode_index:06d}/frame-{frame_index:06d}.jpg" },
  ["v2.1"] = { data = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
    video = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    picture = "images/{video_key}/episode_{episode_index:06d}/frame_{frame_index:06d}.jpg" },
}
layout.PATHS = PATHS

---A path with its numbers, below the data set; nil: it has others, or leaves the folder.
function layout.fill(template, values)
  local whole = true
  local path = template:gsub("{([%w_]+):?0?(%d?%d?)d?}", function(name, digits)
    local x = values[name]
    whole = whole and x ~= nil
    return math.type(x) == "integer" and ("%0" .. (digits ~= "" and digits or "1") .. "d"):format(x) or tostring(x)
  end)
  return whole and not path:find("..", 1, true) and path:sub(1, 1) ~= "/" and path or nil
end

---The numbers of the files of an episode that is written here.
function layout.numbers(index, key)
  return { episode_index = index, episode_chunk = index // CHUNK, chunk_index = index // CHUNK,
    file_index = index % CHUNK, video_key = key }
end

---Makes the folder that a path is in.
function layout.make_folder(path) need(shell.make_folder(path:match "^(.*)/[^/]*$")) end

-- ---- JSON ----

local function object_of(path, place, text)
  local x, why = json.decode(text)
  if type(x) == "table" and x ~= json.null then return x end
  fail("EBODY", "%s: %s%s", path, place, why or "expected an object")
end

---The table of a file. otherwise: where there is none.
function layout.read_json(path, otherwise)
  local text, message, code = core.read_file(path, MOST)
  if not text and code == "ENONE" and otherwise then return otherwise end
  return object_of(path, "", need(text, message, code))
end

---The tables of the lines of a file.
function layout.read_lines(path)
  local rows = {}
  for line in need(core.read_file(path, MOST)):gmatch "[^\r\n]+" do
    rows[#rows + 1] = object_of(path, ("line %d: "):format(#rows + 1), line)
  end
  return rows
end

-- Writes a line behind the first n.
local function add_line(path, n, x)
  local text, message, code = core.read_file(path, MOST)
  if not text and code ~= "ENONE" then need(nil, message, code) end
  local lines = {}
  for line in (text or ""):gmatch "[^\n]+" do
    if #lines < n then lines[#lines + 1] = line end
  end
  lines[n + 1] = json.encode(x) .. "\n"
  need(core.write_file(path, table.concat(lines, "\n")))
end

-- ---- info ----

local function numbers(dtype) return { dtype = dtype, shape = { 1 }, names = json.null } end

-- The columns that every data set has.
local ALWAYS <const> = { timestamp = "float32", frame_index = "int64", episode_index = "int64", index = "int64",
  task_index = "int64" }

---A new one. names: of the components of a state; cameras: by their keys, with width and height.
function layout.new_info(version, robot, fps, names, cameras)
  local three, paths = version == "v3.0", PATHS[version]
  local vector = { dtype = "float32", shape = { #names }, names = names }
  local info = { codebase_version = version, robot_type = robot, fps = fps, total_episodes = 0, total_frames = 0,
    total_tasks = 0, chunks_size = CHUNK, splits = json.record({}, {}), data_path = paths.data,
    video_path = next(cameras) and paths.video or json.null,
    features = { ["observation.state"] = vector, action = vector } }
  for name, dtype in pairs(ALWAYS) do info.features[name] = numbers(dtype) end
  for key, camera in pairs(cameras) do
    info.features[key] = { dtype = "video", shape = { camera.height, camera.width, 3 },
      names = { "height", "width", "channels" }, info = { ["video.height"] = camera.height,
        ["video.width"] = camera.width, ["video.codec"] = "h264", ["video.pix_fmt"] = "yuv420p",
        ["video.is_depth_map"] = false, ["video.fps"] = fps, ["video.channels"] = 3, has_audio = false } }
  end
  if three then info.data_files_size_in_mb, info.video_files_size_in_mb = 100, 200
  else info.total_videos, info.total_chunks = 0, 0 end
  return info
end

-- Members of info.json with their types; the last ones only where it is continued.
local MEMBERS <const> = { { "codebase_version", "string" }, { "data_path", "string" }, { "features", "table" },
  { "fps", "number" }, { "total_episodes", "integer" }, { "total_frames", "integer" }, { "splits", "table" } }
local ALL <const>, READ <const> = 7, 4
local KINDS <const> = { string = "a text", table = "an object", number = "a number", integer = "a whole number" }

---The info of a data set; nil: there is none. continued: whether it is to be recorded into.
function layout.read_info(folder, continued)
  local path = folder .. "/meta/info.json"
  local info = layout.read_json(path, {})
  if not next(info) and not core.file_stamp(path) then return nil end
  local function expect(x, kind, name)
    if x == json.null or type(x) ~= kind and math.type(x) ~= kind then
      fail("EBODY", "%s: %s: expected %s, got %s", path, name, KINDS[kind], x)
    end
  end
  for i = 1, continued and ALL or READ do expect(info[MEMBERS[i][1]], MEMBERS[i][2], MEMBERS[i][1]) end
  for key, feature in pairs(info.features) do expect(feature, "table", "features." .. key) end
  if not PATHS[info.codebase_version] then
    fail("EBODY", "%s: codebase_version: expected v3.0 or v2.1, got %s", path, info.codebase_version)
  end
  if info.fps <= 0 then fail("EBODY", "%s: fps: expected more than 0, got %s", path, info.fps) end
  return info
end

-- ---- tasks ----

-- Readers of these tables take the index of a table's rows from there.
local INDEX <const> = json.encode { index_columns = { "task" }, column_indexes = {}, pandas_version = "2.0.0",
  columns = { { name = "task_index", field_name = "task_index", pandas_type = "int64", numpy_type = "int64" },
    { name = "task", field_name = "task", pandas_type = "unicode", numpy_type = "object" } } }

---The tasks, from 1 on.
function layout.read_tasks(folder, version)
  local tasks = {}
  local function add(index, task) tasks[(math.tointeger(index) or 0) + 1] = tostring(task) end
  if version == "v2.1" then
    for _, row in ipairs(layout.read_lines(folder .. "/meta/tasks.jsonl")) do add(row.task_index, row.task) end
    return tasks
  end
  local file <close> = need(parquet_reader.open(folder .. "/meta/tasks.parquet"))
  local places = need(file:column "task_index")
  local texts = need(file:column(file.columns.task and "task" or "__index_level_0__"))
  for i, place in ipairs(places) do add(place, texts[i]) end
  return tasks
end

function layout.write_tasks(folder, version, tasks)
  local places, lines = {}, {}
  for i, task in ipairs(tasks) do
    places[i], lines[i] = i - 1, json.encode { task_index = i - 1, task = task } .. "\n"
  end
  if version == "v2.1" then
    need(core.write_file(folder .. "/meta/tasks.jsonl", table.concat(lines)))
  else
    need(parquet_writer.write(folder .. "/meta/tasks.parquet", {
      { name = "task_index", type = "int64", values = places }, { name = "task", type = "string", values = tasks },
    }, { pandas = INDEX }))
  end
end

-- ---- episodes ----

local EPISODES <const> = "/meta/episodes/chunk-000/file-000.parquet"

-- The row of an episode in version 3, as columns: { name, type, list, value }.
local function row_of(info, episode)
  local files = layout.numbers(episode.index)
  local row = {}
  local function add(name, kind, value, list)
    row[#row + 1] = { name = name, type = kind, list = list, value = value }
  end
  add("episode_index", "int64", episode.index)
  add("tasks", "string", { episode.task }, true)
  add("length", "int64", episode.length)
  add("dataset_from_index", "int64", episode.from)
  add("dataset_to_index", "int64", episode.from + episode.length)
  for _, where in ipairs { "data", "meta/episodes" } do
    add(where .. "/chunk_index", "int64", where == "data" and files.chunk_index or 0)
    add(where .. "/file_index", "int64", where == "data" and files.file_index or 0)
  end
  for _, key in ipairs(episode.videos) do
    add(("videos/%s/chunk_index"):format(key), "int64", files.chunk_index)
    add(("videos/%s/file_index"):format(key), "int64", files.file_index)
    add(("videos/%s/from_timestamp"):format(key), "double", 0.0)
    add(("videos/%s/to_timestamp"):format(key), "double", episode.length / info.fps)
  end
  local keys = {}
  for key in pairs(episode.stats) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    for _, stat in ipairs { "min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99" } do
      add(("stats/%s/%s"):format(key, stat), stat == "count" and "int64" or "double", episode.stats[key][stat], true)
    end
  end
  return row
end

-- Adds its row to those that there are: more than info says remain when a program was killed as it wrote.
local function add_row(folder, info, episode)
  local path, n = folder .. EPISODES, episode.index
  local columns = row_of(info, episode)
  local file <close> = n > 0 and need(parquet_reader.open(path)) or nil
  for _, column in ipairs(columns) do
    local values = file and need(file:column(column.name)) or {}
    if #values < n then fail("EBODY", "%s: expected the rows of %d episodes, got %d", path, n, #values) end
    column.values = table.move(values, 1, n, 1, {})
    column.values[n + 1] = column.value
  end
  layout.make_folder(path)
  need(parquet_writer.write(path, columns))
end

-- Statistics as the files have them: those of pictures have a list for each row and column of each channel, and version
-- 2.1 has no quantiles.
local function shaped(info, key, stats)
  local made, is_video = {}, (info.features[key] or {}).dtype == "video"
  for name, values in pairs(stats) do
    local nested = is_video and name ~= "count" and {}
    for i, x in ipairs(nested and values or {}) do nested[i] = { { x } } end
    if info.codebase_version == "v3.0" or not name:find "^q" then made[name] = nested or values end
  end
  return made
end

---Adds an episode: { index, task, length, from, videos (keys), stats }; sums: the statistics of all with it.
function layout.add_episode(folder, info, episode, sums)
  local three, all, index = info.codebase_version == "v3.0", {}, episode.index
  for key, stats in pairs(three and sums or episode.stats) do all[key] = shaped(info, key, stats) end
  if three then
    add_row(folder, info, episode)
    return need(core.write_file(folder .. "/meta/stats.json", json.encode(all)))
  end
  add_line(folder .. "/meta/episodes.jsonl", index, { episode_index = index, tasks = { episode.task },
    length = episode.length })
  add_line(folder .. "/meta/episodes_stats.jsonl", index, { episode_index = index, stats = all })
end

---Writes info.json, and robotalk.json: what LeRobot's files have no place for, the instants and accuracies of episodes,
---and the keys of cameras whose pictures stay JPEG files.
function layout.write_notes(folder, info, notes)
  local text = json.encode { episodes = notes.episodes, pictures = notes.pictures,
    units = "NAME.pos: degrees from the middle of the range, of grippers 0 to 100; .vel: m/s, degrees/s" }
  need(core.write_file(folder .. "/meta/robotalk.json", text .. "\n"))
  need(core.write_file(folder .. "/meta/info.json", json.encode(info) .. "\n"))
end

---The statistics of all episodes of version 3, as add_episode takes them.
function layout.read_sums(folder)
  local path = folder .. "/meta/stats.json"
  local sums = layout.read_json(path, {})
  for key, stats in pairs(sums) do
    local is_whole = type(stats) == "table" and stats.mean and stats.std and stats.count
    for _, values in pairs(is_whole and stats or {}) do
      for i, x in ipairs(type(values) == "table" and values or {}) do
        while type(x) == "table" do x = x[1] end
        values[i] = x
      end
      is_whole = is_whole and type(values) == "table" and type(values[1]) == "number"
    end
    if not is_whole then fail("EBODY", "%s: %s: expected lists of numbers, as mean, std, count", path, key) end
  end
  return sums
end

-- The rows of the episodes in a file of version 3.
local function add_rows(rows, path)
  local file <close> = need(parquet_reader.open(path))
  local columns, at = {}, #rows
  for _, name in ipairs(file.names) do
    if not name:find "^stats/" then columns[name] = need(file:column(name)) end
  end
  for i in ipairs(columns.episode_index or {}) do
    rows[at + i] = {}
    for name, values in pairs(columns) do rows[at + i][name] = values[i] end
  end
end

---The episodes: a list of their rows, with episode_index, tasks and length.
function layout.read_episodes(folder, info)
  if info.codebase_version == "v2.1" then return layout.read_lines(folder .. "/meta/episodes.jsonl") end
  local rows, place, most = {}, 0, math.max(1, math.tointeger(info.chunks_size) or CHUNK)
  while true do
    local path = ("%s/meta/episodes/chunk-%03d/file-%03d.parquet"):format(folder, place // most, place % most)
    local is_there = core.file_stamp(path)
    if is_there then add_rows(rows, path) elseif place % most == 0 then return rows end
    place = is_there and place + 1 or (place // most + 1) * most
  end
end

return layout
