-- What becomes of the commands that a client of RCTP has sent (spec/rctp.md, Status).
local rctp_commands = {}

-- What becomes of a command by the code of its status: signal and reason. The status's first word may be a better one.
local OUTCOMES = {
  [200] = { "success" }, [205] = { "modified", "superseded" }, [206] = { "modified", "limit" },
  [400] = { "error", "range" }, [403] = { "error", "role" }, [404] = { "na", "unsupported" },
  [408] = { "interrupted", "deadman" }, [409] = { "busy", "lease" }, [410] = { "interrupted", "closed" },
  [413] = { "error", "range" }, [425] = { "busy", "axis" }, [429] = { "error", "full" }, [500] = { "error", "device" },
  [501] = { "na", "unsupported" }, [503] = { "interrupted", "device" },
}
local WORDS = { holonomic = true, limit = true, blocked = true, stopped = true, lease = true, axis = true, servo = true,
  deadman = true, link = true, expired = true, closed = true, device = true, range = true, unsupported = true }

local function outcome_of(status)
  local outcome = OUTCOMES[status.code] or { "error", "device" }
  local word = (status.text or ""):match "^(%l+):"
  if word == "expired" then return "error", "expired" end
  if word == "stopped" then return "interrupted", "stopped" end
  return outcome[1], WORDS[word] and outcome[2] and word or outcome[2]
end

local Pending = {}
Pending.__index = Pending

---No commands yet.
function rctp_commands.new() return setmetatable({}, Pending) end

---A command of an object is sent, whose status ends it: done(signal, reason).
function Pending:add(object, done)
  local waiting = self[object.id] or {}
  self[object.id] = waiting
  waiting[#waiting + 1] = done
end

---The last one was not sent.
function Pending:drop(object) table.remove(self[object.id]) end

---A status that is not of the whole session has come.
function Pending:hear(status)
  local waiting = status.code >= 200 and self[status.subject]
  local done = waiting and table.remove(waiting, 1)
  if done then done(outcome_of(status)) end
end

return rctp_commands
