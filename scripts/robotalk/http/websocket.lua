-- A client's side of WebSocket (RFC 6455), for experiments with servers within this process: its masks are of zeros.
local core = require "robotalk.core"
local http = require "robotalk.http"

local websocket = { TEXT = 1, BINARY = 2 }
local CLOSE <const>, PING <const>, PONG <const>, PATIENCE <const> = 8, 9, 10, 3600 -- PATIENCE: s

local Socket = {}
Socket.__index = Socket

local REQUEST <const> = "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
  .. "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n%s\r\n"

---Connects to an address of core.dial, over its channel: a socket; nil, message, code.
function websocket.open(url, path, subprotocol, channel)
  local port, message, code = core.dial(url, 1, channel)
  if not port then return nil, message, code end
  local connection = { port = port, rest = "" }
  port:write(REQUEST:format(path, subprotocol and ("Sec-WebSocket-Protocol: %s\r\n"):format(subprotocol) or ""))
  local head
  head, message, code = http.head(connection, { late = core.now() + PATIENCE })
  if head and head:find "^HTTP/1.1 101 " then return setmetatable({ connection = connection }, Socket) end
  port:close()
  return nil, message or head:match "[^\r\n]*", code or "EINVAL"
end

---Sends a message of that kind, of less than 64 KiB.
function Socket:send(kind, bytes)
  local length = #bytes < 126 and string.char(0x80 | #bytes) or (">BI2"):pack(254, #bytes)
  self.connection.port:write(string.char(0x80 | kind) .. length .. "\0\0\0\0" .. bytes)
end

local function take(self, n) return http.take(self.connection, n, { late = core.now() + PATIENCE }) end

---Waits for the next message, and answers pings meanwhile; nil: the connection has ended.
function Socket:receive()
  local message = ""
  while true do
    local first, n = (take(self, 2) or "\8\0"):byte(1, 2)
    if n > 125 then n = (n == 126 and ">I2" or ">I8"):unpack(take(self, n == 126 and 2 or 8) or ("\0"):rep(8)) end
    local bytes, op = take(self, n), first & 15
    if not bytes or op == CLOSE then return nil end
    if op == PING then self:send(PONG, bytes) end
    if op < CLOSE then message = message .. bytes end
    if op < CLOSE and first & 0x80 ~= 0 then return message end
  end
end

function Socket:close() self.connection.port:close() end

return websocket
