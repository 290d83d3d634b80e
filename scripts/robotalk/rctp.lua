-- A client of RCTP (paper 001, spec/rctp.md): it requests objects of a robot in text, then commands it by frames of
-- messages over the same connection.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local http = require "robotalk.http"
local printable = require "robotalk.text.text".printable

local rctp = {}

local LINE, HEADERS = 65536, 64 -- bytes of one line of a reply, and its most headers
local MOST = 2048 -- parameters of one object
local HEAD <const>, FRAME <const> = 2, 65535 -- bytes of a frame's head, and of its messages
local UNITS <const> = { least = 1e-6, most = 1e6 } -- ms: bounds of a usable unit of stamps
local AHEAD = 2 -- units by which a command may be delayed for a stamp of its own
local FILE, FILE_TIME = 64 << 20, 120 -- bytes of an RCML file, and s for all of it

local SIZES <const> = { [0] = true, [2] = true, [4] = true, [6] = true, [8] = true } -- of stamps, bytes

local Client = {}
Client.__index = Client

-- Waits for bytes: true when there are more; nil, message, code.
local function read(self, timeout)
  local bytes, message, code = http.read(self.port, timeout and core.now() + timeout)
  if not bytes then return nil, code == "ELINK" and "the link is lost" or message, code end
  self.rest = self.rest .. bytes
  return true
end

-- The next line, without its end; it must arrive by an instant.
local function line(self, late)
  while true do
    local text, behind = self.rest:match "^([^\n]*)\n()"
    if text then
      self.rest = self.rest:sub(behind)
      return (text:gsub("\r$", ""))
    end
    if #self.rest > LINE then return nil, "a line of the reply is too long", "EBODY" end
    if core.now() > late then return nil, "no answer in time", "ETIMEOUT" end
    local ok, message, code = read(self, late - core.now())
    if not ok then return nil, message, code end
  end
end

-- A reply: its status, its headers by names in small letters, its reason. The paper's has no version before the status.
local function reply(self, late)
  local first, message, code = line(self, late)
  if not first then return nil, message, code end
  local status, reason = first:match "^%S*%s*(%d%d%d)%s*(.*)$"
  if not status then return nil, "this is no reply of RCTP: " .. printable(first:sub(1, 60)), "EBODY" end
  local headers = {}
  for _ = 1, HEADERS do
    local text
    text, message, code = line(self, late)
    if not text then return nil, message, code end
    if text == "" then return math.tointeger(status), headers, printable(reason) end
    local name, value = text:match "^([^:]+):%s*(.*)$"
    if name then headers[name:lower():gsub(" ", "-")] = printable(value:match "^.*%S" or "") end
  end
  return nil, "the reply has too many headers", "EBODY"
end

---Sends a request and waits for its reply: status, headers, reason; nil, message, code.
function Client:ask(method, target, headers)
  local list = { ("%s%s RCTP/1.0\r\n"):format(method, target and " " .. target or "") }
  for name, value in pairs(headers or {}) do list[#list + 1] = ("%s: %s\r\n"):format(name, value) end
  if self.name then list[#list + 1] = ("User-Agent: %s\r\n"):format(self.name) end
  if self.token then list[#list + 1] = ("Authorization: Bearer %s\r\n"):format(self.token) end
  list[#list + 1] = "\r\n"
  local late = math.min(core.now() + self.patience, self.late)
  local ok, message, code = http.write(self.port, table.concat(list), late)
  if not ok then return nil, message, code end
  return reply(self, late)
end

-- The message of a refusal for lack of a token.
local function let_in(token)
  return "the server does not let this client in: "
    .. (token and "it does not know the token" or "it asks for a token, and was told none")
end

---Gets a file by HTTP: its bytes; nil, message, code.
function Client:get(path)
  local limits = { most = FILE, late = core.now() + FILE_TIME, patience = self.patience, token = self.token }
  local target = path:gsub("[%c \127-\255]", function(c) return ("%%%02X"):format(c:byte()) end)
  local bytes, message, code = http.get(self, target, limits)
  if code == "ETOKEN" then message = let_in(self.token) end
  if not bytes then return nil, ("%s%s: %s"):format(self.host, printable(path), message), code end
  return bytes
end

-- The header Layout of an object.
local function layout_of(said)
  if said:find "^text" or said:find "^binary" then
    return { kind = said:match "^%l+", stamp_size = tonumber(said:match "stamp=(%d)") }
  end
  local types = {}
  for count, letter in (said:match "^%S*" or ""):gmatch "(%d+)([fib])" do
    if tonumber(count) <= MOST then types[#types + 1] = letter:rep(tonumber(count)) end
  end
  return { kind = "control", types = table.concat(types), stamp_size = tonumber(said:match "stamp=(%d)"),
    masked = said:find "mask=yes" ~= nil }
end

-- The layout of an object from the RCML file, if the server sends none; texts and the like have none. nil, message.
local function layout_in_file(self, name, headers)
  if not headers["current-value"] then return { kind = "text" } end
  local all, message = {}, nil
  if self.layouts then all, message = self.layouts() end
  if all and all[name] then return all[name] end
  message = message or "no file says what its messages are made of"
  return nil, ("%s: the reply has no Layout, and %s"):format(name, message)
end

-- The timing of commands: { least, most = s, event, lock }; without these headers at any time.
local function rules_of(headers)
  local least, most = (headers["command-interval"] or ""):match "^(%-?%d+)%s+(%-?%d+)"
  least, most = math.tointeger(least) or -1, math.tointeger(most) or -1
  if least < 0 or most < 0 then least, most = 0, 0 end
  return { least = least / 1000, most = most / 1000, event = headers["command-mode"] == "event",
    lock = headers["control-lock"] == "yes" }
end

-- The error of a status that is no success.
local CODES = { [404] = "ENONE", [409] = "ELEASE", [503] = "EDEVICE", [403] = "EROLE", [401] = "ETOKEN",
  [408] = "ETIMEOUT" }
local function failure(what, status, headers, reason)
  local code = headers.panic == "yes" and "EPANIC" or CODES[status] or "EINVAL"
  return nil, ("%s: %d %s"):format(what, status, headers.message or reason), code, headers
end

---Asks for an object: { id, values, control, count, masked, stamp_size, layout }; nil, message, code, and the headers
---of a reply that refuses it. values: the present ones; layout: its types, bytes of its stamp and mask as one text.
function Client:assign(name)
  if self.objects[name] then return self.objects[name] end
  local status, headers, reason = self:ask("ASSIGN", self.robot ~= "" and self.robot .. "/" .. name or name)
  if not status then return nil, headers, reason end
  if status ~= 201 then return failure(name, status, headers, reason) end
  local id, values = math.tointeger(tonumber(headers.id)), {}
  if not id or id < 1 or id > 254 then return nil, name .. ": the reply has no ID", "EBODY" end
  for number in (headers["current-value"] or ""):gmatch "%S+" do values[#values + 1] = tonumber(number) or 0 end
  local layout, why
  if headers.layout then layout = layout_of(headers.layout)
  else layout, why = layout_in_file(self, name, headers) end
  if not layout then return nil, why, "EBODY" end
  if #values > MOST or #(layout.types or "") > MOST then return nil, name .. ": it has too many parameters", "EBODY" end
  if not SIZES[layout.stamp_size or 0] then
    return nil, ("%s: a stamp of %d bytes: expected 0, 2, 4, 6 or 8"):format(name, layout.stamp_size), "EBODY"
  end
  for _, other in pairs(self.objects) do
    if other.id == id then return nil, ("%s: its ID %d is that of %s"):format(name, id, other.name), "EBODY" end
  end
  self.side:assign(id, layout)
  local object = { id = id, name = name, kind = layout.kind, values = values, count = #(layout.types or ""),
    masked = layout.masked, control = headers.mode ~= "watch", stamp_size = layout.stamp_size or 0,
    stamp = layout.kind == "control" and 0 or 1,
    input = headers.direction ~= "output", rules = rules_of(headers),
    layout = ("%s %s stamp=%d mask=%s"):format(layout.kind, layout.types or "", layout.stamp_size or 0, layout.masked) }
  self.objects[name] = object
  return object
end

local STAMPS <const> = { ["2"] = 2, ["4"] = 4, ["6"] = 6, ["8"] = 8 }

-- Sets the size of stamps of texts from now on, by which a status names its text; nil: the server supports none.
local function stamp_texts(self, size)
  for _, object in pairs(size and self.objects or {}) do
    if object.kind == "text" and object.input then
      object.stamp_size = size
      self.side:assign(object.id, { kind = "text", stamp_size = size })
    end
  end
end

---Begins the live session. options: report (all, errors, none); rate, 1/s of outputs; text_stamp, bytes of stamps that
---texts, if the server supports them. true; nil, message, code.
function Client:go(options)
  options = options or {}
  local status, headers, reason = self:ask("GO", nil, { Report = options.report, Rate = options.rate,
    ["Text-Stamp"] = options.text_stamp })
  if not status then return nil, headers, reason end
  if status ~= 201 then return failure("GO", status, headers, reason) end
  local unit = tonumber(headers["time-unit-ms"]) or 10
  if not (unit >= UNITS.least and unit <= UNITS.most) then return nil, ("GO: a unit of %g ms"):format(unit), "EBODY" end
  self.live, self.begun, self.unit = true, core.now(), unit / 1000
  stamp_texts(self, STAMPS[headers["text-stamp"]])
  return true
end

-- Sends all bytes at once: another frame must not cut this one in two. When there is no room, none is sent.
local function send(self, bytes, message, code)
  if not bytes then return nil, message, code end
  local n
  n, message, code = self.port:write(bytes)
  if not n then return nil, message, code end
  if n == #bytes then return true end
  if n == 0 then return nil, "there is no room to write", "EFULL" end
  self.port:close() -- half a frame was sent
  return nil, "the other side does not read", "ELINK"
end

-- The stamp of a command that begins now, in units since the session's begin, as in its status. Two in a row of an
-- object differ, so that a status names its command: of two in one unit the later begins one unit later, but it
-- is never delayed by more than AHEAD units. Texts begin at once, whatever their stamp is.
local function stamp_of(self, object)
  if object.stamp_size == 0 then return 0 end
  local now = (core.now() - self.begun) // self.unit | 0
  local stamp = math.max(now, object.stamp + 1)
  if object.kind == "control" then stamp = math.min(stamp, now + AHEAD) end
  object.stamp = stamp
  return object.stamp_size < 8 and stamp & (1 << 8 * object.stamp_size) - 1 or stamp
end

---Sends messages of control objects in one frame, to begin now: a list of { object, values = { [place] = value } };
---without a mask all values are needed. Waits for nothing. true; nil, message, code. Each gets the stamp that it was
---sent with, or the code of its own error: a frame of only such messages is not sent.
function Client:controls(list)
  local bodies = {}
  for _, one in ipairs(list) do
    one.stamp = stamp_of(self, one.object)
    local frame, _, code = self.side:control(one.object.id, one.values, one.stamp)
    one.code = not frame and code or nil
    if frame then bodies[#bodies + 1] = frame:sub(HEAD + 1) end
  end
  local body = table.concat(bodies)
  if #body > FRAME then return nil, "so many messages are no frame", "EFULL" end
  return body == "" or send(self, string.pack(">s2", body))
end

---Sends one: the stamp of the message; nil, message, code.
function Client:control(object, values)
  local one = { object = object, values = values }
  local ok, message, code = self:controls { one }
  if one.code then return nil, "the values cannot be sent", one.code end
  return ok and one.stamp, message, code
end

---Sends a text: the stamp of the message; nil, message, code.
function Client:say(object, text)
  local stamp = stamp_of(self, object)
  local ok, message, code = send(self, self.side:text(object.id, text, stamp))
  return ok and stamp, message, code
end

---The frame of one message of a control object, for callers that write it themselves; nil: its values cannot be sent.
function Client:control_frame(object, values) return self.side:control(object.id, values, stamp_of(self, object)) end

---The frame of a sign of life.
function Client:alive_frame() return self.side:alive() end

---A sign of life.
function Client:alive() return send(self, self.side:alive()) end

---The frame of a text, for callers that send it later. Its stamp is 0 or 1, which no other message of a text has.
function Client:text_frame(object, text, stamp) return self.side:text(object.id, text, stamp) end

---The received messages, waiting for the first: a list; nil, message, code, also when the session has ended.
function Client:receive(timeout)
  while true do
    local list, rest, why = self.side:feed(self.rest)
    self.rest = rest
    if list[1] then return list end
    if why then return nil, why, "EBODY" end
    local ok, message, code = read(self, timeout)
    if not ok then return nil, message, code end
  end
end

function Client:close()
  if self.closed then return end
  self.closed = true
  self.port:close()
end
Client.__close = Client.close

local OPTIONS = { timeout = true, patience = true, token = true, late = true, name = true,
  layouts = true }
local MOST_WAIT = 10 -- s that connecting may take

-- The parts of an address: where to connect; the robot, "" for the first; the server's name in requests. nil, message.
-- Options of an address belong to the listening server; a client's address has only those of TLS, and within this
-- process client and server are one.
local function parts_of(url)
  local within = url:match "^rctp%+local:([^?#]*)"
  if within then
    local robot = within:gsub("%.wrl$", "") -- the RCML file's address means its robot
    return url:gsub("%.wrl%f[?\0]", "", 1), robot, "localhost"
  end
  local socket, named = url:match "^(rctp%+unix:[^#]*)#?(.*)$"
  if socket then return socket, named, "localhost" end
  local place, path, query = url:match "^([^?#]*://[^/?#]*)([^?#]*)(.*)$"
  if not place then return url, "", "localhost" end
  if query ~= "" and not (place:find "^rctp%+tls:" and query:find "^%?") then
    return nil, ("the address of a robot has no options: expected rctp://HOST/ROBOT, got '%s'"):format(printable(url))
  end
  return place .. query, (path:gsub("^/", ""):gsub("%.wrl$", "")), place:match "://(.*)$"
end

---Connects to rctp://host[:port]/robot. options: timeout, s, of connecting (1); patience, s, for a reply (5); late, the
---instant by which all replies must arrive; token, for authentication; name, the client's own; layouts, a function that
---returns the layouts of control objects from the RCML file, if the server sends none: { [name] = { kind = "control",
---types, stamp_size, masked } }; nil, message. A client; nil, message, code.
function rctp.dial(url, options)
  options = checked.options(options, OPTIONS, "dial")
  local place, robot, host = parts_of(url)
  if not place then return nil, robot, "EURL" end
  local port, message, code = core.dial(place, math.max(0.001, math.min(options.timeout or 1, MOST_WAIT)))
  if not port then return nil, message, code end
  return setmetatable({ port = port, host = host, robot = robot, rest = "", patience = options.patience or 5,
    late = options.late or math.huge, token = options.token, name = options.name,
    layouts = options.layouts, side = core.rctp(), objects = {} }, Client)
end

return rctp
