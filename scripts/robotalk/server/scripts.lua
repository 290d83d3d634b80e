-- The scripts of a server, for any permitted client: another program, or the server's own prompt and scripts.
local client = require "robotalk.robot.client"
local colon = require "robotalk.mistakes.colon"
local token = require "robotalk.server.token"
local whoami = require "robotalk.server.whoami"
local mistake = require "robotalk.mistakes.mistake"

local Scripts = {}
Scripts.__index = Scripts
Scripts.__name = "robotalk.Scripts"

local LONGEST <const> = 31  -- bytes of a name
local PATIENCE <const> = 15 -- s: for a script to be loaded, and for another to end before

-- Calls fn with a connection to the server, which is closed afterwards unless it is a robot's: its values.
local function connected(self, fn)
  if self.robot then return fn(self.robot.client) end
  local who, message, number = token.of {}
  if message then return nil, message, number end
  local c <close>, why, code = client.connect(self.url, { reconnect = false, token = who,
    name = whoami(not arg and "scripts" or nil) })
  if not c then return nil, why, code end
  local up
  up, why, code = c:up()
  if not up then return nil, why, code end
  return fn(c)
end

---All of them, each a table as of supervisor.list; `since` is on the server's clock. nil, message, code.
function Scripts:list()
  return connected(self, function(c)
    local list = {}
    while true do
      local one, why, code = c:query(0, "script", { index = #list })
      if not one and code == "ENONE" then return list end
      if not one then return nil, why, code end
      list[#list + 1] = one
    end
  end)
end

local function tell(self, what, name)
  if type(name) ~= "string" then mistake("%s: want the name of a script, got %s", what, type(name)) end
  if #name > LONGEST then return nil, ("there is no script of a name of %d bytes"):format(#name), "ENONE" end
  return connected(self, function(c)
    local reply, why, code = c:query(0, "script_" .. what, { name = name }, PATIENCE)
    if not reply then return nil, why, code end
    return true
  end)
end

---Starts one that does not run: true; or nil, message, code.
function Scripts:start(name) return tell(self, "start", name) end

---Ends one: its connections are closed, its motions stop, and it is not started again. true; or nil, message,
---code.
function Scripts:stop(name) return tell(self, "stop", name) end

---Replaces one by its present file: the new one is built, then the old one is ended. true; or nil, message, code,
---and the old one continues.
function Scripts:reload(name) return tell(self, "reload", name) end

-- Calls fn with each robot of the server: true; or nil, message, code.
local function each_robot(self, fn)
  if self.robot then return fn(self.robot) or true end
  local urls, message, code = require "robotalk.watch.robots".at(self.url)
  for _, url in ipairs(urls or {}) do
    local robot <close>, why, number = require "robotalk.robot".try_connect(url, { name = whoami "scripts" })
    if not robot then return nil, why, number end
    fn(robot)
  end
  if not urls then return nil, message, code end
  return true
end

---The stops that latch scripts, as of list: rows as of session:latches(), by the name of
---the script and then of the robot. nil, message, code.
function Scripts:latches(list)
  local found = {}
  local ok, message, code = each_robot(self, function(robot)
    for _, row in ipairs(robot:latches() or {}) do -- of an earlier start of the script, too
      for _, one in ipairs(list) do
        if whoami.is_script(row.called, one.name) then
          found[one.name] = found[one.name] or {}
          found[one.name][robot:describe().name] = row
        end
      end
    end
  end)
  if not ok then return nil, message, code end
  return found
end

---Resumes a script that a stop by another client has latched: true; or nil, message, code, also when no
---stop holds it (ENONE). For the role operate.
function Scripts:resume(name)
  local list, message, code = self:list()
  if not list then return nil, message, code end
  local there = false
  for _, one in ipairs(list) do there = there or one.name == name end
  if not there then return nil, ("there is no script '%s'"):format(tostring(name)), "ENONE" end
  local why, number, ok, found
  ok, message, code = each_robot(self, function(robot)
    for _, row in ipairs(robot:latches() or {}) do
      if whoami.is_script(row.called, name) then
        local done, words, error_ = robot:resume { client = row.client }
        found = true
        -- that of an earlier start of the script is over with this one's
        if not done and error_ ~= "ENONE" then why, number = words, error_ end
      end
    end
  end)
  if not ok then return nil, message, code end
  if why then return nil, why, number end
  if not found then return nil, ("no stop holds the script '%s'"):format(name), "ENONE" end
  return true
end

colon.methods(Scripts, "scripts")

---The scripts of a server: that of an address or of a robot's connection; without one, those of this process.
return function(where)
  if where == nil then where = "local:" end
  if type(where) == "string" then return setmetatable({ url = where }, Scripts) end
  if type(where) ~= "table" or not where.client then mistake "scripts: want an address or a robot" end
  return setmetatable({ robot = where }, Scripts)
end
