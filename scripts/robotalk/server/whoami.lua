-- The printed name of a client of this program, in BUSY and in the log of a server.
local core = require "robotalk.core"

local MOST <const> = 63 -- bytes

-- Name of the user of this process by /etc/passwd, for an environment without it, as in a container; nil: not there.
local function name_of_uid()
  local status <close> = io.open "/proc/self/status"
  local uid = status and status:read "a":match "\nUid:%s+(%d+)"
  local list <close> = uid and io.open "/etc/passwd" or nil
  return list and ("\n" .. list:read "a"):match("\n([^:\n]+):[^:\n]*:" .. uid .. ":")
end

local function user()
  local said = (os.getenv "USER" or ""):match ".+" or (os.getenv "LOGNAME" or ""):match ".+"
  local name, host = said or name_of_uid(), nil
  local file <close> = io.open "/proc/sys/kernel/hostname"
  if file then host = (file:read "l" or ""):match "^[^.]+" end
  return name and host and name .. "@" .. host or name or host or "somebody"
end

local whoami = {}

---The printed name of a script of a server: script NAME, or its own words (script NAME). Those of others are as they
---are.
function whoami.tagged(words)
  if not core.hosted_name then return words end
  local tag = "script " .. core.hosted_name
  return words and ("%s (%s)"):format(words:sub(1, MOST - #tag - 3), tag) or tag
end

---Whether that is the printed name of the script NAME.
function whoami.is_script(words, name)
  local tag = "script " .. name
  return words == tag or words:sub(-#tag - 2) == "(" .. tag .. ")"
end

---anna@desk (patrol.lua): the user, the machine and the program, by default the script's file.
return setmetatable(whoami, { __call = function(_, program)
  if core.hosted_name then return whoami.tagged(program) end
  program = program or type(arg) == "table" and tostring(arg[0]):match "[^/]+$" or nil
  local name = user():gsub("%c", "?"):sub(1, 31)
  return program and ("%s (%s)"):format(name, program:gsub("%c", "?"):sub(-(MOST - #name - 3))) or name
end })
