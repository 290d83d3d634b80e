-- Gets a robot's translators at the greeting (paper 001, 4.3.1): from the server of RCTP that has its RCML file, by
-- HTTP/1.1. What the other side sends has limits of size and time.
local core = require "robotalk.core"
local task = require "robotalk.task"
local printable = require "robotalk.text".printable

local WAIT <const>, HEAD <const> = 5, 1 << 14 -- s for all of it; bytes of a reply's head
local LIST <const>, TEXT <const> = 1 << 16, 1 << 16 -- bytes of the list, and of a translator
local MOST <const> = 64 -- translators

local function send(port, bytes, late)
  while true do
    local n, message, code = port:write(bytes)
    if not n then return nil, message, code end
    bytes = bytes:sub(n + 1)
    if bytes == "" then return true end
    if core.now() >= late then return nil, "the server reads nothing", "ETIMEOUT" end
    task.sleep(0.01)
  end
end

-- More bytes behind those of `got`.
local function more(port, got, late)
  while true do
    local bytes, message = port:read()
    if bytes == nil then return nil, message, "ELINK" end
    if bytes then return got .. bytes end
    local left = late - core.now()
    if left <= 0 then return nil, "no answer in time", "ETIMEOUT" end
    task.wait("readable" .. port:handle(), left)
  end
end

-- The body of one reply, of at most so many bytes; got: what has come already. And what has come behind it.
local function reply(port, got, most, late)
  local message, code
  while not got:find("\r\n\r\n", 1, true) do
    if #got > HEAD then return nil, "the head of the reply is too long", "EBODY" end
    got, message, code = more(port, got, late)
    if not got then return nil, message, code end
  end
  local head, behind = got:match "^(.-\r\n)\r\n()"
  local status, reason = head:match "^HTTP/1%.[01] (%d%d%d) ?([^\r\n]*)"
  if not status then return nil, "this is no reply of HTTP", "EBODY" end
  local size = math.tointeger(tonumber(head:lower():match "\r\ncontent%-length: *(%d+) *\r\n"))
  if status ~= "200" then
    return nil, ("%s %s"):format(status, printable(reason)), status == "404" and "ENONE" or "EROLE"
  end
  if not size or size > most then
    return nil, ("%s bytes: expected at most %d"):format(size or "unknown", most), "ESIZE"
  end
  got = got:sub(behind)
  while #got < size do
    got, message, code = more(port, got, late)
    if not got then return nil, message, code end
  end
  return got:sub(1, size), got:sub(size + 1)
end

-- The names in a server's list of what there is.
local function names_of(list)
  local names = {}
  for name in list:gmatch "/translators/([%w_]+)%.lua\n" do
    if #names < MOST then names[#names + 1] = name end
  end
  return names
end

---Texts by name, of those names, or of all that the server at url has; token: for a server that asks. nil, message,
---code.
return function(url, names, token)
  local place = url:match "^[^?#]*://[^/?#]*" or url
  local late = core.now() + WAIT
  local port <close>, message, code = core.dial(place, WAIT)
  if not port then return nil, message, code end
  local rest = ""
  local function get(path, most)
    local ok, why, what = send(port, ("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n"):format(path,
      place:match "//(.*)$" or "localhost", token and ("Authorization: Bearer %s\r\n"):format(token) or ""), late)
    if not ok then return nil, why, what end
    local body
    body, rest, what = reply(port, rest, most, late)
    if not body then return nil, rest, what end
    return body
  end
  if not names then
    local list
    list, message, code = get("/", LIST)
    if not list then return nil, message, code end
    names = names_of(list)
  end
  local texts = {}
  for _, name in ipairs(names) do
    texts[name], message, code = get(("/translators/%s.lua"):format(name), TEXT)
    if not texts[name] then return nil, ("translator %s: %s"):format(name, message), code end
  end
  return texts
end
