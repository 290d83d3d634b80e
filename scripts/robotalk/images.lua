-- Pictures over the network and on the disk (docs/images.md): servers that store them, and senders.
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local checked = require "robotalk.mistakes.checked"
local log = require "robotalk.log"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local images = {}

local WAIT <const>, PATIENCE <const>, RATE <const>, WINDOW <const> = 5, 30, 10, 64

task.handle("images", function(handle) task.wake("images" .. handle) end)

-- ---- a server ----

local Server = {}
Server.__index = Server

---Its addresses.
function Server:urls() return self.server:urls() end

---The counts so far: frames, kept, refused, removed (the oldest, which made room), and the stored pictures
---and their bytes on disk.
function Server:counts() return self.folder:counts() end

---Reads the access list again: the number of connections that end; nil, message, code.
function Server:reload() return self.server:reload() end

---Ends it when all received pictures were written.
function Server:close()
  if self.closed then return end
  self.closed = true
  self.server:close()
  self.last = self.folder:counts()
  self.folder:close()
  self.counts = function() return self.last end
end
Server.__close = Server.close

local ONE <const> = 4480 -- bytes on disk of the smallest picture

local function disk(x) return checked.bound(x) or x > 0 and x < ONE and ("0 or at least %d bytes"):format(ONE) end

local SERVE = { listen = true, most = disk }

-- The first of those addresses that cannot receive pictures; nil: there is none.
local function other_than_images(listen)
  for _, url in ipairs(type(listen) == "table" and listen or {}) do
    if type(url) == "string" and not url:find "^images[:+]" then return url end
  end
end

local function is_there(path)
  local file <close> = path and io.open(path)
  return file ~= nil
end

-- Removes a folder that was made for a server that cannot begin; it never has pictures.
local function unmake(path)
  for _, name in ipairs { "/index", "/lock", "" } do os.remove(path .. name) end
end

---Stores the pictures of senders in the folder `path`: a server with urls(), counts(), reload(), close(); nil, message,
---code. path nil: pictures are checked and answered, and not stored. options: listen (images://localhost),
---most (bytes of disk; then the oldest are deleted).
function images.serve(path, options)
  if path ~= nil and type(path) ~= "string" then mistake("serve: want the path of a folder, got %s", type(path)) end
  options = checked.options(options, SERVE, "serve")
  local most = options.most or 0
  local other = other_than_images(options.listen)
  if other then return nil, other .. ": expected an address of an image server, images://HOST", "EURL" end
  local made = path and not is_there(path)
  local folder, message, code = core.image_folder(path, math.tointeger(most // 1) or mistake "serve: most: want bytes")
  if not folder then return nil, message, code end
  local server
  server, message, code = core.serve { listen = options.listen or { "images://localhost" }, images = folder }
  if server then return setmetatable({ server = server, folder = folder }, Server) end
  folder:close()
  if made then unmake(path) end
  return nil, message, code
end

-- ---- a sender ----

local Sender = {}
Sender.__index = Sender

local COUNTS = { "given", "sent", "kept", "refused", "skipped", "links" }

-- Whether the server has refused none since the last report: true; nil, message, "EREFUSED".
local function tell_refused(self, state)
  local refused = state.refused - self.refused
  self.refused = state.refused
  if refused == 0 then return true end
  return nil, refused == 1 and "the server has refused a picture"
    or ("the server has refused %d pictures"):format(refused), "EREFUSED"
end

-- Waits until done(state) is true: the state; nil, message, code at the instant `late`, or when it is
-- closed.
local function wait_for(self, done, late)
  local key = "images" .. self.core:handle()
  while true do
    local state, message, code = self.core:look()
    if not state then return nil, message, code end
    if done(state) then return state end
    local left = late - core.now()
    if left <= 0 then return nil, message or "no answer has come in time", code or "ETIMEOUT" end
    task.wait(key, left)
  end
end

-- The same; nil, message, "ETIMEOUT" when for the sender's patience no byte was sent and no answer has arrived.
local function wait_for_server(self, done)
  local key, begun = "images" .. self.core:handle(), core.now()
  while true do
    local state, message, code = self.core:look()
    if not state then return nil, message, code end
    if done(state) then return state end
    local left = math.max(begun, state.moved) + self.patience - core.now()
    if left <= 0 then
      return nil, ("nothing has come from the server for %g s%s"):format(self.patience,
        message and ": " .. message or ""), "ETIMEOUT"
    end
    task.wait(key, left < math.huge and left or nil)
  end
end

---Numbers of pictures: given, sent, kept and refused by the server, skipped for newer ones
---or with the link; and the number of connections (links).
function Sender:counts()
  local state = self.core:look() or self.last
  local counts = {}
  for _, name in ipairs(COUNTS) do counts[name] = state[name] end
  return counts
end

---Gives it a JPEG. A sender that is not lossless returns true at once; the picture replaces a waiting one. A
---lossless sender waits until fewer than `window` pictures have no answer: true; nil, message, "EREFUSED" when the
---server has refused one meanwhile. If the server is silent for the sender's patience: nil, message,
---"ETIMEOUT", and the picture is sent later; "EFULL": too many wait, and this one was not taken.
---name: of its source from now on.
function Sender:put(jpeg, name)
  if type(jpeg) ~= "string" then mistake("put: want the bytes of a JPEG, got %s", type(jpeg)) end
  if name ~= nil and type(name) ~= "string" then mistake("put: want the name of a source, got %s", type(name)) end
  local window = self.window
  if not window then return self.core:put(jpeg, name) end
  while true do
    local ok, message, code = self.core:put(jpeg, name)
    if ok == nil then return nil, message, code end
    if ok then break end
    local state = self.core:look()
    local before = state and state.waiting or 0
    state, message, code = wait_for_server(self, function(s) return s.waiting < before or s.waiting == 0 end)
    if not state then return nil, message, code == "ETIMEOUT" and "EFULL" or code end
  end
  local state, message, code = wait_for_server(self, function(s) return s.waiting < window end)
  if not state then return nil, message, code end
  return tell_refused(self, state)
end

---Waits until all pictures were sent and answered, or were skipped: true; nil, message, code: EREFUSED when the
---server has refused some that put has not reported. timeout nil: as long as the server is not silent for the
---sender's patience.
function Sender:finish(timeout)
  if timeout ~= nil then checked.value(timeout, checked.timeout, "finish", "timeout") end
  local function done(s) return s.waiting == 0 end
  local state, message, code
  if timeout then
    state, message, code = wait_for(self, done, core.now() + timeout)
  else
    state, message, code = wait_for_server(self, done)
  end
  if not state then return nil, message, code end
  return tell_refused(self, state)
end

---Ends it; waiting pictures are not sent.
function Sender:close()
  self.last = self.core:look() or self.last
  self.core:close()
end
Sender.__close = Sender.close

local DIAL = { lossless = checked.flag, window = checked.count, timeout = checked.seconds, name = checked.text,
  patience = checked.bound }

---A sender to an image server: images://host[:port][/ROBOT/CAMERA], connected; nil, message, code. It connects
---again whenever the link is lost. options: lossless, window (1: pictures without an answer), timeout (5 s; 0:
---returns at once and keeps trying), patience (30 s: the time that put and finish wait for a silent
---server; math.huge: for ever), name (of the source).
function images.dial(url, options)
  if type(url) ~= "string" then mistake("dial: want an address, got %s", type(url)) end
  options = checked.options(options, DIAL, "dial")
  local window = options.window or 1
  if window > WINDOW then mistake("dial: window: want at most %d, got %d", WINDOW, window) end
  local sender, message, code = core.image_sender(url, options.lossless and math.tointeger(window) or 0, options.name)
  if not sender then return nil, message, code end
  local self = setmetatable({ core = sender, refused = 0, window = options.lossless and window or nil,
    patience = options.patience or PATIENCE }, Sender)
  local timeout = options.timeout or WAIT
  if timeout == 0 then return self end
  local state
  local _ <close> = setmetatable({}, { __close = function() -- also when the task is cancelled meanwhile
    if not state then self:close() end
  end })
  state, message, code = wait_for(self, function(s) return s.up end, core.now() + timeout)
  if state then return self end
  return nil, message, code
end

-- ---- a camera's pictures ----

local Sending = {}
Sending.__index = Sending

---The counts of a sender; pictures: number of pictures of the camera; missed: pictures that a lossless sender has
---not taken, since its server has not answered for too long.
function Sending:counts()
  local counts = self.sender:counts()
  counts.pictures, counts.missed = self.pictures, self.missed
  return counts
end

---As of a sender, for the pictures of the camera so far.
function Sending:finish(timeout) return self.sender:finish(timeout) end

-- Sends one picture; the log has the first that its server does not answer.
local function give(self, picture)
  self.pictures = self.pictures + 1
  local _, message, code = self.sender:put(picture.bytes)
  if code == "EFULL" then self.missed = self.missed + 1 end
  local waits = code == "EFULL" or code == "ETIMEOUT"
  if waits and not self.told then log.say("warning", "images: %s: %s", self.url, message) end
  self.told = waits
end

---Ends it.
function Sending:close()
  self.watch:cancel()
  self.sender:close()
end
Sending.__close = Sending.close

local SEND = { rate = true, width = true, height = true, quality = true }
for name, want in pairs(DIAL) do SEND[name] = want end

---Sends a camera's pictures to an image server, in a task of its own: an object with counts(), close(); nil,
---message, code. options: rate (10 a second), width, height, quality as of camera:watch, and those of dial. They
---are named ROBOT/CAMERA unless the address or `name` has another name.
function images.send(camera, url, options)
  if type(camera) ~= "table" or type(camera.watch) ~= "function" or type(camera.session) ~= "table" then
    local robot = type(camera) == "table" and type(camera.camera) == "function"
    mistake("send: want a camera, got %s", robot and "a robot" or type(camera))
  end
  options = checked.options(options, SEND, "send")
  local dial = {}
  for name in pairs(DIAL) do dial[name] = options[name] end
  if not dial.name and not (type(url) == "string" and (url:find "//[^/?]*/." or url:find "#.")) then
    dial.name = ("%s/%s"):format(camera.session.body.name, camera.name):gsub("[^!-~]", "_"):sub(1, 79)
  end
  local sender, message, code = images.dial(url, dial)
  if not sender then return nil, message, code end
  local self = setmetatable({ sender = sender, url = url, pictures = 0, missed = 0 }, Sending)
  local form = { rate = options.rate or RATE, width = options.width, height = options.height,
    quality = options.quality }
  self.watch, message, code = camera:watch(form, function(picture) give(self, picture) end)
  if self.watch then return self end
  sender:close()
  return nil, message, code
end

colon.methods(Server, "server")
colon.methods(Sender, "sender")
colon.methods(Sending, "sending")

---A folder of pictures to rewind, also while a server stores pictures there; nil, message, code.
function images.open(path) return require "robotalk.pictures.image_folder".open(path) end

return images
