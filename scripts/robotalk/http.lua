-- A client's side of HTTP/1.1: GET, for the files of servers of RCTP (spec/rctp.md). Responses have
-- limits of size and time.
--
-- A connection here is a table: port, of core.dial; host, its name in requests; rest, the received bytes that were
-- not consumed yet.
local core = require "robotalk.core"
local ports = require "robotalk.task.ports"
local task = require "robotalk.task"
local printable = require "robotalk.text.text".printable

local http = {}

local HEAD <const> = 1 << 14 -- bytes of a reply's head
local DIGITS <const> = 15 -- of a length
-- of a body in chunks: bytes of a line, and how many chunks and lines behind them there may be
local LINE <const>, CHUNKS <const>, TRAILERS <const> = 4096, 1 << 17, 64
local PAUSE <const>, LONG_PAUSE <const> = 0.001, 0.05 -- s between two checks for room to write

---Writes all bytes: true; nil, message, code when the peer has disconnected, or does not take all of them until `late`.
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
  local bytes, message = ports.read(port, late)
  if bytes == nil then return nil, message, "ELINK" end
  if not bytes then return nil, "no answer in time", "ETIMEOUT" end
  return bytes
end

-- The next bytes of a reply, of which none may be late, even if more are always available.
local function more(connection, limits)
  local now = core.now()
  if now > limits.late then return nil, "no answer in time", "ETIMEOUT" end
  return http.read(connection.port, math.min(limits.late, now + (limits.patience or math.huge)))
end

-- A server of another protocol closes a connection when it receives HTTP.
local MUTE <const> = "it closed the connection without an answer: expected a server of HTTP, "
  .. "and another protocol may be spoken there"

---Takes a head, of a reply or of a part of one, with the end of its last line. nil, message, code.
function http.head(connection, limits)
  local got, from = connection.rest, 1 -- from: the bytes before have no end of the head
  while true do
    local last, behind = got:match("()\n\r?\n()", from)
    local head = last and got:sub(1, last)
    if #(head or got) > HEAD then return nil, "the head of the reply is too long", "EBODY" end
    if head then
      connection.rest = got:sub(behind)
      return head
    end
    local bytes, message, code = more(connection, limits)
    if not bytes then
      connection.rest = got
      return nil, message, code
    end
    from = math.max(1, #got - 1)
    got = got .. bytes
  end
end

---The length in a head; nil: none, or several.
function http.length(head)
  local size
  for value in head:lower():gmatch "\ncontent%-length:[ \t]*([^\r\n]*)" do
    local digits = value:match "^(%d+)[ \t]*$"
    if size or not digits or #digits > DIGITS then return nil end
    size = math.tointeger(tonumber(digits))
  end
  return size
end

---Takes that many bytes. nil, message, code.
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

-- Takes a line, without its end.
local function take_line(connection, limits)
  while true do
    local line, behind = connection.rest:match "^([^\n]*)\n()"
    if line then
      connection.rest = connection.rest:sub(behind)
      return (line:gsub("\r$", ""))
    end
    if #connection.rest > LINE then return nil, "a line of a chunk is too long", "EBODY" end
    local bytes, message, code = more(connection, limits)
    if not bytes then return nil, message, code end
    connection.rest = connection.rest .. bytes
  end
end

local function too_long(limits) return nil, ("more than %d bytes"):format(limits.most), "ESIZE" end

-- The size in the line before a chunk; nil: it is none.
local function size_of(line)
  local digits = line:match "^(%x+)[ \t]*$" or line:match "^(%x+)[ \t]*;"
  return digits and #digits <= DIGITS and tonumber(digits, 16) or nil
end

---A chunk of at most that many bytes; "" for the last one; nil, message, code.
function http.chunk(connection, most, limits)
  local line, message, code = take_line(connection, limits)
  if not line then return nil, message, code end
  local size = size_of(line)
  if not size then return nil, "the reply is not in chunks, as it says", "EBODY" end
  if size > most then return too_long(limits) end
  if size == 0 then return "" end
  local bytes
  bytes, message, code = http.take(connection, size, limits)
  if not bytes then return nil, message, code end
  line, message, code = take_line(connection, limits)
  if line and line ~= "" then return nil, "a chunk is longer than it says", "EBODY" end
  return line and bytes, message, code
end

-- Takes a body in chunks, with its trailer.
local function take_chunks(connection, limits)
  local pieces, have = {}, 0
  for _ = 1, CHUNKS do
    local bytes, message, code = http.chunk(connection, limits.most - have, limits)
    if not bytes then return nil, message, code end
    if bytes == "" then
      for _ = 1, TRAILERS do
        local line
        line, message, code = take_line(connection, limits)
        if not line then return nil, message, code end
        if line == "" then return table.concat(pieces) end
      end
      return nil, "too much behind the last chunk", "EBODY"
    end
    pieces[#pieces + 1], have = bytes, have + #bytes
  end
  return nil, "too many chunks", "EBODY"
end

-- Takes all bytes until the peer closes the connection.
local function take_rest(connection, limits)
  local pieces, have = { connection.rest }, #connection.rest
  while have <= limits.most do
    local bytes, message, code = more(connection, limits)
    if not bytes and code == "ELINK" then return table.concat(pieces) end
    if not bytes then return nil, message, code end
    pieces[#pieces + 1], have = bytes, have + #bytes
  end
  return too_long(limits)
end

local CODES <const> = { ["401"] = "ETOKEN", ["403"] = "EROLE", ["404"] = "ENONE" }

---Whether a head announces a body in chunks.
function http.chunked(head) return head:lower():find "\ntransfer%-encoding[ \t]*:" ~= nil end

local function has_length(head) return head:lower():find "\ncontent%-length[ \t]*:" ~= nil end

---The head of a reply that is no refusal. nil, message, code; and whether the connection can continue.
function http.accepted(connection, limits)
  local head, message, code = http.head(connection, limits)
  if code == "ELINK" and connection.rest == "" then message = MUTE end
  if not head then return nil, message, code end
  local status, reason = head:match "^HTTP/1%.[01] (%d%d%d) ?([^\r\n]*)"
  if not status then return nil, "this is no reply of HTTP", "EBODY" end
  if status == "200" then return head end
  -- an error is followed by a page of text
  local size = not http.chunked(head) and http.length(head) or nil
  local whole = status >= "400" and size and size <= limits.most and http.take(connection, size, limits)
  local elsewhere = status:find "^3" and ": it is elsewhere, and not looked for there" or ""
  return nil, ("%s %s%s"):format(status, printable(reason), elsewhere), CODES[status] or "EINVAL", whole and true
end

-- The body of one reply. And whether the connection can continue: the next bytes are the next reply.
local function reply(connection, limits)
  local head, message, code, sound = http.accepted(connection, limits)
  if not head then return nil, message, code, sound end
  local body, size
  if http.chunked(head) then
    local alone = not has_length(head) and head:lower():match "\ntransfer%-encoding[ \t]*:[ \t]*chunked[ \t]*\r?\n"
    if not alone then return nil, "the reply comes in chunks, and more: expected chunks alone", "EBODY" end
    body, message, code = take_chunks(connection, limits)
    return body, message, code, body and true
  elseif not has_length(head) then
    return take_rest(connection, limits) -- the body ends with the connection
  end
  size = http.length(head)
  if not size or size > limits.most then
    return nil, ("%s bytes: expected at most %d"):format(size or "unknown", limits.most), "ESIZE"
  end
  body, message, code = http.take(connection, size, limits)
  return body, message, code, body and true
end

---Requests a path, by the instant `late`: true; nil, message, code.
function http.ask(connection, path, token, late)
  if path:find "[%c ]" then return nil, ("a path of a server, got '%s'"):format(printable(path)), "EINVAL" end
  local line = token and ("Authorization: Bearer %s\r\n"):format(token) or ""
  return http.write(connection.port,
    ("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n"):format(path, connection.host, line), late)
end

---Gets the bytes of a path; nil, message, code. limits: most, their number; late, when all of them must be there;
---patience, s without a byte, if less; token, for a server that asks. After an invalid reply its connection is not
---used again.
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
