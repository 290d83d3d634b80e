-- A film of a run: pictures of the world at equal instants of its clock, into a GIF, a film by ffmpeg, or a folder of
-- PNG.
local core = require "robotalk.core"
local log = require "robotalk.log"
local shell = require "robotalk.shell"
local task = require "robotalk.task"
local views = require "robotalk.pictures.views"

local film = {}

local LONGEST = 600 -- s; an endless run does not fill the disk
local VIEW = { from = { -2.5, -2.5, 2 }, to = { 0, 0, 0.2 } }

-- film.view: that of the world's file, { from =, to = }; nil: it has none.

---The default viewpoint.
function film.view_of_world() return film.view or VIEW end

-- ---- writers: functions add(rgb, number of frames) and finish(); both return true, or nil and the error ----

-- The file to write, and the one that it replaces when it has contents, so that a full disk leaves the old
-- one; nil: none, as for a pipe or a device, which is written in place.
local function places(path)
  local there = core.real_path(path)
  if there and not core.file_stamp(there) then return path end
  path = there or path
  return (path:gsub("[^/]*$", ".robotalk.%0", 1)), path
end

local TRAILER = ";" -- the end of a GIF

-- The file is a complete film after each picture, however the program ends: the trailer is written with it, and the
-- next picture overwrites it. A pipe, which cannot be overwritten, has it at the end.
local function gif(path, f)
  local encoder, message = core.gif(f.width, f.height)
  if not encoder then return nil, message end
  local beside, final = places(path)
  local file
  file, message = io.open(beside, "wb")
  if not file then return nil, (message:gsub("%.robotalk%.", "", 1)) end
  file:setvbuf "no"
  local whole = file:seek() -- bytes of its pictures; nil: a pipe
  return {
    add = function(rgb, times)
      local bytes, why = encoder:add(rgb, times / f.rate)
      if not bytes then return nil, why end
      local ok
      ok, why = file:write(whole and bytes .. TRAILER or bytes)
      -- on a full disk it is whole up to the picture before
      if whole then whole = file:seek("set", ok and whole + #bytes or whole) end
      if ok and final then
        ok, why = os.rename(beside, final)
        final = nil
      end
      return ok, not ok and (why:gsub("%.robotalk%.", "", 1)) or nil
    end,
    finish = function()
      local ok, why = file:write(encoder:finish() or TRAILER)
      file:close()
      if final then os.remove(beside) end
      return ok, why
    end,
  }
end

local function ffmpeg(path, f)
  if not shell.has "ffmpeg" then return nil, path .. ": needs ffmpeg (apt-get install ffmpeg); a .gif needs none" end
  -- detached from the terminal, whose Ctrl-C ends the run, and not the film before it
  local beside, final = places(path)
  final = final or beside
  local pipe, message = io.popen(([[exec env beside=%s final=%s setsid sh -c '
      if ffmpeg "$@" "$beside"; then
        [ "$beside" = "$final" ] || exec mv -f -- "$beside" "$final"
      else
        [ "$beside" = "$final" ] || rm -f -- "$beside"
        exit 1
      fi' ffmpeg -loglevel error -y -f rawvideo -pix_fmt rgb24 -video_size %dx%d -framerate %g -i - -pix_fmt yuv420p]])
    :format(shell.quoted(beside), shell.quoted(final), f.width, f.height, f.rate), "w")
  if not pipe then return nil, message end
  return {
    add = function(rgb, times)
      local ok, why
      for _ = 1, times do ok, why = pipe:write(rgb) end
      return ok, why
    end,
    finish = function()
      core.blocks(true)
      local ok = pipe:close()
      core.blocks(false)
      return ok, "ffmpeg failed"
    end,
  }
end

-- Endings of unsupported films and pictures: these do not mean a folder.
local OTHERS <const> = {}
for ending in ("avi mov m4v wmv flv mpg mpeg ogv ogg png apng jpg jpeg webp ppm"):gmatch "%w+" do
  OTHERS[ending] = true
end

-- Pictures of an earlier film that follow on the last one are removed: they would be mixed with these.
local function folder(path, f)
  if OTHERS[(path:match "%.(%w+)$" or ""):lower()] then
    return nil, ("'%s': expected .gif, .mp4, .webm or .mkv, or the name of a folder"):format(path)
  end
  if not shell.make_folder(path) then return nil, ("'%s': no folder can be made"):format(path) end
  local count = 0
  local function name(number) return ("%s/%05d.png"):format(path, number) end
  return {
    add = function(rgb, times)
      local bytes, message = core.picture_png(rgb, f.width, f.height, "rgb")
      for _ = 1, bytes and times or 0 do
        count = count + 1
        local ok
        ok, message = core.write_file(name(count), bytes)
        if not ok then return nil, message end
      end
      return bytes, message
    end,
    finish = function()
      local last = count
      while last > 0 and os.remove(name(last + 1)) do last = last + 1 end
      return true
    end,
  }
end

local WRITERS = { gif = gif, mp4 = ffmpeg, webm = ffmpeg, mkv = ffmpeg }

-- ---- the film ----

local Film = {}
Film.__index = Film

-- A picture, if there is a world yet: its pixels. An error ends the film.
function Film:take()
  local view, message, code = views.draw(self.view)
  if view then return view.bytes end
  if code ~= "EDEVICE" then self.trouble = message end
  self.unseen = message
end

-- Until the film is closed. A picture that takes longer than its time to be drawn is shown until the next one begins.
function Film:record()
  local begin, n = core.now(), 0 -- n: number of pictures before this one
  while n < LONGEST * self.rate do
    local rgb = self:take()
    local next_one = math.max(n + 1, math.ceil((core.now() - begin) * self.rate - 1e-6))
    if rgb then
      local ok, why = self.writer.add(rgb, next_one - n)
      if ok then self.count = self.count + next_one - n else self.trouble = why end
    end
    if self.trouble then return end
    n = next_one
    task.sleep(math.max(0, begin + n / self.rate - core.now()))
  end
  log.say("warning", "film: it has %g s, and goes on no longer", LONGEST)
end

---Ends it: the number of its pictures; or nil and the error.
function Film:close()
  if self.closed then return self.count end
  self.closed = true
  local ok, why = self.writer.finish()
  self.trouble = self.trouble or not ok and why or self.count == 0 and (self.unseen or "the run was too short") or nil
  if self.trouble then return nil, self.trouble end
  return self.count
end

---Begins a film of this process's world: options: rate (12.5 pictures a second), width, height (480 x 360), from, to
---({ x, y, z }, m; default: the world's view), fov, fine (true). nil and the error. Its task ends with the
---run; then close it.
function film.begin(path, options)
  local self = setmetatable({ rate = options.rate or 12.5, width = options.width or 480, height = options.height or 360,
    count = 0 }, Film)
  local view = film.view_of_world()
  self.view = { from = options.from or view.from, to = options.to or view.to, fov = options.fov,
    width = self.width, height = self.height, fine = options.fine ~= false }
  local write = WRITERS[(path:match "%.(%w+)$" or ""):lower()] or folder
  local message
  self.writer, message = write(path, self)
  if not self.writer then return nil, message end
  return self
end

---The film's task, inside of the run.
function Film:start()
  local t = task.spawn("film", self.record, self)
  t.background = true
  return t
end

return film
