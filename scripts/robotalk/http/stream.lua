-- Streams of pictures over HTTP (multipart/x-mixed-replace, "MJPEG"), from our own servers and from cameras with a
-- web page. The input has limits of size and time. Parts may lack a length, and the whole body
-- may come in chunks.
local http = require "robotalk.http"
local printable = require "robotalk.text.text".printable

local http_stream = {}

local LINE <const> = 256 -- bytes of the text behind a boundary
local BOUNDARY <const> = 200 -- bytes of it, at most
local BETWEEN <const> = 4096 -- bytes that belong to no part

-- ---- chunks ----

-- A port with the bytes of chunks without their size lines. limits: of Stream:next.
local Chunks = {}
Chunks.__index = Chunks

---The next chunk; nil, message.
function Chunks:read()
  local bytes, message = http.chunk(self.connection, self.limits.most, self.limits)
  if bytes == "" then return nil, "the stream has ended" end
  return bytes, message
end

-- ---- parts ----

local Stream = {}
Stream.__index = Stream

-- The begin of the delimiter's line in a text, with the line's end before it, and the end of that line, at its "\n";
-- and the text behind the boundary. first: the text begins with a line.
local function find_delimiter(self, text, first)
  local from = 1
  while true do
    local at, last = text:find(self.delimiter, from, true)
    if not at then return nil end
    local before = text:sub(math.max(1, at - LINE), at - 1):match "\r?\n%-*$"
      or first and text:sub(1, at - 1):match "^%-*$"
    local more, behind = text:match("^([^\n]*)()\n", last + 1)
    if before and more and #more <= LINE then return at - #before, behind, more end
    from = last + 1
  end
end

-- Takes the bytes before the next delimiter, at most that many. The next bytes are a part's head.
local function take_until(self, most, limits)
  local connection = self.connection
  local pieces, have, tail = {}, 0, "" -- tail: the last bytes of the searched text
  local piece = connection.rest
  while true do
    local window = tail .. piece
    local at, behind, more = find_delimiter(self, window, have == #tail)
    pieces[#pieces + 1] = piece
    if at then
      local all, before = table.concat(pieces), have - #tail
      connection.rest = all:sub(before + behind)
      if more:find "^%-%-" then return nil, "the stream has ended", "ELINK" end
      return all:sub(1, before + at - 1)
    end
    have = have + #piece
    if have > most + LINE then return nil, ("no end of a part within %d bytes"):format(most), "ESIZE" end
    tail = window:sub(-(#self.delimiter + 2 * LINE))
    local message, code
    piece, message, code = http.read(connection.port, limits.late)
    if not piece then return nil, message, code end
  end
end

---The next picture: its bytes, and its head; nil, message, code. All of it must arrive by the instant `late`.
function Stream:next(late)
  local limits = { late = late, most = self.most }
  if self.chunked then self.connection.port.limits = limits end
  if not self.at_head then
    local skipped, message, code = take_until(self, BETWEEN, limits)
    if not skipped then return nil, message, code end
  end
  self.at_head = false
  local head, message, code = http.head(self.connection, limits)
  if not head then return nil, message, code end
  local size = http.length(head)
  local bytes
  if size and size > self.most then
    return nil, ("a picture of %d bytes: expected at most %d"):format(size, self.most), "ESIZE"
  elseif size then
    bytes, message, code = http.take(self.connection, size, limits)
  else
    bytes, message, code = take_until(self, self.most, limits)
    self.at_head = bytes ~= nil
  end
  if not bytes then return nil, message, code end
  return bytes, head
end

-- The boundary in a head, without the dashes that some servers write before it.
local function boundary_of(head)
  local kind = head:lower():match "\ncontent%-type:[ \t]*([^\r\n]*)" or ""
  local at = kind:match "^multipart/.-;[ \t]*boundary[ \t]*=[ \t]*()"
  if not at then return nil, kind end
  local said = head:sub(select(2, head:lower():find "\ncontent%-type:[ \t]*") + at)
  local boundary = (said:match '^"([^"\r\n]*)"' or said:match "^[^; \t\r\n]*"):gsub("^%-+", "")
  if boundary == "" or #boundary > BOUNDARY then return nil, kind end
  return boundary
end

---Asks a connection for a stream of pictures: a stream; nil, message, code. limits: most, bytes of a picture; late,
---when the head of the reply must be there; token, for a server that asks.
function http_stream.open(connection, path, limits)
  local ok, message, code = http.ask(connection, path, limits.token, limits.late)
  if not ok then return nil, message, code end
  local head
  head, message, code = http.accepted(connection, { most = 0, late = limits.late })
  if not head then return nil, message, code end
  local boundary, kind = boundary_of(head)
  if not boundary then
    local text = kind == "" and "no type" or printable(kind:sub(1, 60))
    return nil, "expected a stream of pictures (multipart with a boundary), got " .. text, "EBODY"
  end
  local chunked = http.chunked(head)
  if chunked then connection = { port = setmetatable({ connection = connection }, Chunks), rest = "" } end
  return setmetatable({ connection = connection, chunked = chunked, delimiter = "--" .. boundary, most = limits.most,
    at_head = false }, Stream)
end

---The time at which a part was taken, s on the peer's clock; nil when it has none.
function http_stream.time(head)
  local stamp = head:lower():match "\nx%-timestamp:[ \t]*(%d+%.?%d*)[ \t]*\r?\n"
  return stamp and #stamp <= 30 and tonumber(stamp) or nil
end

return http_stream
