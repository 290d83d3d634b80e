-- The pictures of an episode: files of JPEG while it is recorded, then a video by the program ffmpeg.
local core = require "robotalk.core"
local guarded = require "robotalk.mistakes.guarded"
local layout = require "robotalk.dataset.layout"
local shell = require "robotalk.shell"
local summary = require "robotalk.dataset.summary"
local task = require "robotalk.task"

local SAMPLES <const>, PIXELS <const> = 16, 1000 -- pictures of an episode, and pixels of each, for the statistics
local LOOK <const> = 0.05                        -- s between two looks whether ffmpeg has ended
local DONE <const> = "\nit is done\n"

local videos = {}

---The statistics of pictures, of a list of paths: as summary has them, of red, green and blue, 0 to 1; nil, message.
function videos.stats(paths)
  local columns, taken = { {}, {}, {} }, 0
  for i = 1, #paths, math.max(1, #paths // SAMPLES) do
    local bytes, message = core.read_file(paths[i], 1 << 26)
    local rgb = bytes
    if bytes then rgb, message = core.jpeg_pixels(bytes, "rgb") end
    if not rgb then return nil, ("%s: %s"):format(paths[i], message), "EBODY" end
    summary.breathe()
    taken = taken + 1
    for at = 1, #rgb, 3 * math.max(1, #rgb // 3 // PIXELS) do
      for k, x in ipairs { rgb:byte(at, at + 2) } do table.insert(columns[k], x) end
    end
  end
  return summary.of(columns, 1 / 255, taken)
end

-- Runs a command of the shell, which writes into a file what went wrong, or that it is done; other tasks go on, except
-- in simulated time. It ends with the command, also when the file cannot be written, or is gone: whether it is done;
-- what went wrong.
local function run(command, says)
  command = ("(%s && printf %s) >%s 2>&1"):format(command, shell.quoted(DONE), shell.quoted(says))
  if core.is_virtual() then
    core.blocks(true)
    os.execute(command)
    core.blocks(false)
  else
    local pipe = io.popen(command .. " & echo $!")
    local program = ("/proc/%d/stat"):format(pipe:read "n")
    pipe:close()
    while core.file_stamp(program) do task.sleep(LOOK) end
  end
  local said = core.read_file(says, 1 << 16) or "its output could not be written"
  os.remove(says)
  return said:sub(-#DONE) == DONE, said:match "[^\n]*"
end

---Makes the video of pictures, whose path is a pattern with %06d. Their folder goes away. It fails as
---robotalk.mistakes.guarded says.
function videos.make(pattern, fps, path)
  layout.make_folder(path)
  local folder = pattern:match "^(.*)/[^/]*$"
  -- a key frame every second one: readers go to single frames
  local command = "setsid ffmpeg -nostdin -loglevel error -y -framerate %d -i %s"
    .. " -c:v libx264 -g 2 -crf 23 -pix_fmt yuv420p %s"
  local frames = folder:gsub("%%", "%%%%") .. pattern:sub(#folder + 1) -- a % of the folder is none of the pattern
  local ok, why = run(command:format(fps, shell.quoted(frames), shell.quoted(path)), path .. ".log")
  if not ok then guarded.fail("ESYSTEM", "ffmpeg: %s: %s", path, why) end
  shell.remove(folder)
  for _ = 1, 2 do -- the folders of the camera and of all pictures, where they are empty
    folder = folder:match "^(.*)/[^/]*$"
    os.remove(folder)
  end
end

return videos
