-- A client's side of HTTP/1.1: GET, for what servers of RCTP give beside their robots (spec/rctp.md). What the other
-- side sends has limits of size and time.
--
-- A connection here is a table: port, of core.dial; host, its name in requests; rest, the bytes that have come and that
-- nobody has taken.
local core = require "robotalk.core"
local task = require "robotalk.task"
local printable = require "robotalk.text".printable

local http = {}

local HEAD <const> = 1 << 14 -- bytes of a reply's head
local DIGITS <const> = 15 -- of a length
local PAUSE <const>, LONG_PAUSE <const> = 0.001, 0.05 -- s between two looks whether there is room to write

---Writes all bytes: true; nil, message, code when the other side is gone, or takes not all until late.
function http.write(port, bytes, late)
  local pause = PAUSE
  while true do
    local n, message, code = port:write(bytes)
    if not n then return nil, message, code end
    bytes = bytes:sub(n + 1)
    if bytes == "" then return true end
    if core.now() >= late then return nil, "the other side reads nothing", "ETIMEOUT" end
    task.sleep(pause) -- nothing tells when there is room
    pause = math.min(2 * pause, LONG_PAUSE)
  end
end

---Waits for bytes, late nil: for ever. The bytes; nil, message, code.
function http.read(port, late)
  while true do
    local bytes, message = port:read()
    if bytes == nil then return nil, message, "ELINK" end
    if bytes then return bytes end
    local left = late and late - core.now()
    if left and left <= 0 then return nil, "no answer in time", "ETIMEOUT" end
    task.wait("readable" .. port:handle(), left)
  end
end

-- The next bytes of a reply, of which none may be late, even where there is always one more.
local function more(connection, limits)
  local now = core.now()
  if now > limits.late then return nil, "no answer in time", "ETIMEOUT" end
  return http.read(connection.port, math.min(limits.late, now + (limits.patience or math.huge)))
end

---Takes a head, of a reply or of a part of one, with the end of its last line. nil, message, code.
function http.head(connection, limits)
  local got, from = connection.rest, 1 -- from: what stands before has no end of the head
  while true do
    local last, behind = got:match("()\n\r?\n()", from)
    local head = last and got:sub(1, last)
    if #(head or got) > HEAD then return nil, "the head of the reply is too long", "EBODY" end
    if head then
      connection.rest = got:sub(behind)
      return head
    end
    local bytes, message, code = more(connection, limits)
    if not bytes then return nil, message, code end
    from = math.max(1, #got - 1)
    got = got .. bytes
  end
end

---The length that a head says; nil: none, or not one alone.
function http.length(head)
  local size
  for value in head:lower():gmatch "\ncontent%-length:[ \t]*([^\r\n]*)" do
    local digits = value:match "^(%d+)[ \t]*$"
    if size or not digits or #digits > DIGITS then return nil end
    size = math.tointeger(tonumber(digits))
  end
  return size
end

---Takes so many bytes. nil, message, code.
function http.take(connection, size, limits)
  local pieces, have = { connection.rest }, #connection.rest
  while have < size do
    local bytes, message, code = more(connection, limits)
    if not bytes then return nil, message, code end
    pieces[#pieces + 1], have = bytes, have + #bytes
  end
  local all = table.concat(pieces)
  connection.rest = all:sub(size + 1)
  return all:sub(1, size)
end

local CODES <const> = { ["401"] = "EROLE", ["403"] = "EROLE", ["404"] = "ENONE" }

---Whether a head says that what follows comes in chunks.
function http.chunked(head) return head:lower():find "\ntransfer%-encoding[ \t]*:" ~= nil end

---The head of a reply that is no refusal. nil, message, code; and whether the connection can go on.
function http.accepted(connection, limits)
  local head, message, code = http.head(connection, limits)
  if not head then return nil, message, code end
  local status, reason = head:match "^HTTP/1%.[01] (%d%d%d) ?([^\r\n]*)"
  if not status then return nil, "this is no reply of HTTP", "EBODY" end
  if status == "200" then return head end
  -- behind an error stands a page in words
  local size = not http.chunked(head) and http.length(head) or nil
  local whole = status >= "400" and size and size <= limits.most and http.take(connection, size, limits)
  local elsewhere = status:find "^3" and ": it is elsewhere, and not looked for there" or ""
  return nil, ("%s %s%s"):format(status, printable(reason), elsewhere), CODES[status] or "EINVAL", whole and true
end

-- The body of one reply. And whether the connection can go on: what comes next on it is the next reply.
local function reply(connection, limits)
  local head, message, code, sound = http.accepted(connection, limits)
  if not head then return nil, message, code, sound end
  if http.chunked(head) then return nil, "the reply comes in chunks: expected one with a length", "EBODY" end
  local size = http.length(head)
  if not size or size > limits.most then
    return nil, ("%s bytes: expected at most %d"):format(size or "unknown", limits.most), "ESIZE"
  end
  local body
  body, message, code = http.take(connection, size, limits)
  return body, message, code, body and true
end

---Asks for what is at a path, by the instant `late`: true; nil, message, code.
function http.ask(connection, path, token, late)
  if path:find "[%c ]" then return nil, ("a path of a server, got '%s'"):format(printable(path)), "EINVAL" end
  local line = token and ("Authorization: Bearer %s\r\n"):format(token) or ""
  return http.write(connection.port,
    ("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n"):format(path, connection.host, line), late)
end

---Gets what is at a path: its bytes; nil, message, code. limits: most, its bytes; late, when all of it must be there;
---patience, s without a byte, if less; token, for a server that asks. After a reply that was not understood nothing
---more is asked on its connection.
function http.get(connection, path, limits)
  if connection.over then return nil, "the connection is over", "ELINK" end
  local late = math.min(limits.late, core.now() + (limits.patience or math.huge))
  local body, sound
  local ok, message, code = http.ask(connection, path, limits.token, late)
  if ok then body, message, code, sound = reply(connection, limits) end
  connection.over = not sound
  if not body then return nil, message, code end
  return body
end

return http
