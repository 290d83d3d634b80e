-- Gets a robot's translators at the greeting (paper 001, 4.3.1): from the server of RCTP that has its RCML file.
local core = require "robotalk.core"
local http = require "robotalk.http"

local WAIT <const> = 5 -- s for all of it
local LIST <const>, TEXT <const> = 1 << 16, 1 << 16 -- bytes of the list, and of a translator
local MOST <const> = 64 -- translators

-- The names in a server's list of files.
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
  local connection = { port = port, host = place:match "//(.*)$" or "localhost", rest = "" }
  local function get(path, most) return http.get(connection, path, { most = most, late = late, token = token }) end
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
