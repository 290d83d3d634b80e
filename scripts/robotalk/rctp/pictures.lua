-- Cameras of a robot behind RCTP (spec/rctp.md): its RCML file has the address of each camera's pictures, a stream over
-- HTTP. The robot's driver here passes them on unchanged. A stream is fetched only while a client here watches; a
-- stopped stream is a camera that has failed, and it is tried again.
local core = require "robotalk.core"
local http_stream = require "robotalk.http.stream"
local rctp = require "robotalk.rctp"
local scene = require "robotalk.rcml.scene"
local task = require "robotalk.task"
local printable = require "robotalk.text.text".printable

local rctp_pictures = {}

local POLL <const> = 0.05 -- s between two checks for a watching client
local DIAL <const>, ANSWER <const> = 0.5, 5 -- s for a connection, during which all scripts wait; and for a reply
local AGAIN <const>, LONGEST <const> = 1, 10 -- s until the next attempt, doubled each time up to that
local SILENCE <const>, PERIODS <const> = 5, 3 -- s, and periods of its camera, after which a stream has stopped
local MOST <const> = 1 << 24 -- bytes of a picture
local DRIFT <const> = 1e-3 -- s a second: drift of two clocks
local RATE <const> = 10 -- 1/s, where the description has none
local NAME <const> = 28 -- letters of a name, to which a number may be added
local CAMERAS <const> = 16 -- of a description

local noted = {} -- name of a robot here -> { url = of the robot there, cameras = { name -> { url, path } } }

-- ---- addresses of pictures ----

-- The place of a url of an RCML file: { url = for dial, path, other_port = whether another server of that machine has
-- it, which does not get the token }. Pictures come from the machine that the file is from, so that no server makes its
-- clients contact others. nil, why.
local function place_of(url, from)
  local scheme, rest = url:match "^(%a[%w+.-]*):(.*)$"
  if not scheme then
    if url == "" or url:find "^//" then return nil, "it names no pictures" end
    return { url = from.url, path = url:find "^/" and url or "/" .. url }
  end
  local authority, path = rest:match "^//([^/?#]+)([^#]*)"
  scheme = scheme:lower()
  if not authority or not (scheme == "http" or scheme == "https") then return nil, "expected http://" .. from.host end
  if path:sub(1, 1) ~= "/" then path = "/" .. path end
  authority = authority:lower()
  if authority == from.host:lower() then return { url = from.url, path = path } end
  local host = authority:gsub(":%d+$", "")
  if scheme == "http" and host == from.host:lower():gsub(":%d+$", "") then
    local port = authority:match ":(%d+)$" or "80"
    return { url = ("rctp://%s:%s"):format(host, port), path = path, other_port = true }
  end
  return nil, "it is elsewhere, at " .. printable(authority:sub(1, 80))
end

-- The video outputs of an RCML_Robot.
local function outputs(node)
  local list = {}
  for _, field in ipairs { "outputs", "RCML_VideoOutput" } do
    for _, one in ipairs(node and scene.nodes(node, field) or {}) do
      if one.type == "RCML_VideoOutput" then list[#list + 1] = one end
    end
  end
  return list
end

-- The camera of an output: that of its name, otherwise the next one of the file without an output; or a new
-- one of the robot's first link.
local function camera_for(node, cameras, taken)
  local name = scene.text(node, "name")
  for _, camera in ipairs(cameras) do
    if camera.name == name and not taken[camera] then return camera end
  end
  for _, camera in ipairs(cameras) do
    if not taken[camera] and not taken[camera.name] then return camera end
  end
  local names = {}
  for _, camera in ipairs(cameras) do names[camera.name] = true end
  local base, n = (name or "camera"):sub(1, NAME), 1
  local free = base
  while names[free] do
    n = n + 1
    free = ("%s_%d"):format(base, n)
  end
  local made = { name = free, link = 0, width = scene.get(node, "xsize"), height = scene.get(node, "ysize"),
    rate = scene.get(node, "samplerate") }
  for _, key in ipairs { "width", "height", "rate" } do
    if made[key] == 0 then made[key] = nil end
  end
  cameras[#cameras + 1] = made
  return made
end

---Adds the cameras whose pictures can be fetched to a description from an RCML file, for its device
---"body". node: the file's RCML_Robot, or nil. from: url, as requested, and host, the name of the file's
---server. Returns their addresses, by name.
function rctp_pictures.describe(d, node, from)
  local all, taken, list, places = d.cameras or {}, {}, {}, {}
  local nodes = outputs(node)
  for _, one in ipairs(nodes) do taken[scene.text(one, "name") or false] = true end -- names that have their output
  for _, one in ipairs(nodes) do
    local camera = camera_for(one, all, taken)
    taken[camera] = true
    local urls = scene.get(one, "url")
    local place, why = place_of(type(urls) == "table" and urls[1] or "", from)
    if place and #list == CAMERAS then place, why = nil, "there are too many" end
    if place then
      camera.driver, places[camera.name] = "body", place
      list[#list + 1] = camera
    else
      core.log(("robotalk: warning: %s: camera %s is left out: %s\n"):format(d.name, printable(camera.name), why))
    end
  end
  d.cameras = list[1] and list or nil
  noted[d.name] = { url = from.url, cameras = places }
  return places
end

-- ---- fetching ----

-- The time at which a picture was taken, on the local clock. The shortest transit counts as 0, since the offset
-- of the two clocks is unknown.
local function clock()
  local offset, last
  return function(stamp)
    local now = core.now()
    if not stamp then return now end
    local here = now - stamp
    offset = offset and math.min(here, offset + DRIFT * (now - last)) or here
    last = now
    return stamp + offset
  end
end

-- Characters that an address has unchanged; all others are written as %20.
local function escaped(name)
  return (name:gsub("[^%w_.~-]", function(letter) return ("%%%02X"):format(letter:byte()) end))
end

-- Passes on the pictures of a stream; returns why they end.
local function hand_on(device, camera, place)
  local client <close>, message = rctp.dial(place.url, { timeout = DIAL })
  if not client then return message end
  local stream
  local path = place.path or ("/%s/camera/%s"):format(escaped(client.robot), escaped(camera.name)) -- our servers'
  stream, message = http_stream.open(client, path,
    { most = MOST, late = core.now() + ANSWER, token = not place.other_port and device.options.token or nil })
  if not stream then return message end
  local rate, taken = camera.rate > 0 and camera.rate or RATE, clock()
  while true do
    local bytes, head = stream:next(core.now() + math.max(SILENCE, PERIODS / rate))
    if not bytes then return head end
    local ok, why, code = device:pictured(camera.name, bytes, { time = taken(http_stream.time(head)) })
    if ok then place.told = nil
    elseif code ~= "EFULL" then return why end
    task.sleep(0.25 / rate) -- an endless sender must not block other tasks
  end
end

-- Runs while a client watches.
local function fetch(device, camera, place)
  local again = AGAIN
  while true do
    local began = core.now()
    local why = hand_on(device, camera, place)
    device:no_picture(camera.name, true)
    if place.told ~= why then
      core.log(("robotalk: warning: %s: camera %s gives no pictures: %s\n"):format(device.robot, camera.name, why))
    end
    place.told = why
    again = core.now() - began > LONGEST and AGAIN or again
    task.sleep(again)
    again = math.min(2 * again, LONGEST)
  end
end

local function follow(device, camera, place)
  local name = camera.name
  while true do
    while not device:looked(name) do task.sleep(POLL) end
    local fetching = device:spawn("pictures of " .. name, function() fetch(device, camera, place) end)
    while device:looked(name) do task.sleep(POLL) end
    fetching:cancel()
    device:no_picture(name) -- neither an old one nor an old failure is shown
  end
end

---Provides the pictures of a device's cameras, for a driver of RCTP. url: of the remote robot.
function rctp_pictures.open(device, url)
  local known = noted[device.robot]
  for name, camera in pairs(device.cameras) do
    local place = known and known.url == url and known.cameras[name] or { url = url }
    device:no_picture(name) -- clients wait for one from now on
    device:spawn("camera " .. name, function() follow(device, camera, place) end)
  end
end

return rctp_pictures
