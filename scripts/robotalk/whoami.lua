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

---anna@desk (patrol.lua): the user, the machine and the program, by default the script's file. For a script of a server
---it is only the file.
return function(program)
  program = program or type(arg) == "table" and tostring(arg[0]):match "[^/]+$" or nil
  if core.hosted() then return program or "robotalk" end
  local name = user():gsub("%c", "?"):sub(1, 31)
  return program and ("%s (%s)"):format(name, program:gsub("%c", "?"):sub(-(MOST - #name - 3))) or name
end
