-- The robots of an address: the one that it names, or all of the server's.
local client = require "robotalk.robot.client"
local token = require "robotalk.server.token"

local robots = {}

---An address in its parts: the text before the robot's name, the name or nil, and the options behind it; else nil.
function robots.split(url)
  local before, options = url:match "^([^?]*)(.*)$"
  if before:find "^unix:" or before:find "^[^:/]+%+unix:" then
    local path, name = before:match "^([^#]*)#?(.*)$"
    return path .. "#", name ~= "" and name or nil, options
  end
  local host, name = before:match "^([^:/]+://[^/]*)/?(.*)$"
  if host then return host .. "/", name ~= "" and name or nil, options end
  return nil
end

-- The names of all robots of a server; nil, message, code.
local function names_at(url)
  local who, message, number = token.of {}
  if message then return nil, message, number end
  if url:find "^rctp[+:]" then return require "robotalk.rctp.robot".names(url, { token = who }) end
  local c <close>, why, code = client.connect(url, { reconnect = false, token = who, role = "watch" })
  if not c then return nil, why, code end
  local up
  up, why, code = c:up()
  if not up then return nil, why, code end
  local names = {}
  while true do
    local one
    one, why, code = c:query(0, "robot", { index = #names })
    if code == "ENONE" then return names end
    if not one then return nil, why, code end
    names[#names + 1] = one.name
  end
end

---The addresses of the robots of an address, or of a robot's name: a list; nil, message, code.
function robots.at(where)
  local before, name, options = robots.split(where)
  if not before or name then return { where } end
  local names, message, code = names_at(before:gsub("[#/]$", "") .. options)
  if not names then return nil, message, code end
  for i, one in ipairs(names) do names[i] = before .. one .. options end
  return names
end

return robots
