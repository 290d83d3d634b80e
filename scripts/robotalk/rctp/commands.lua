-- The commands of a client of RCTP that have no status yet: the command that a status ends, and its result
-- (spec/rctp.md, Status).
--
-- With time stamps a status names its command: the client gives those of one object different ones. Without, statuses
-- of an object arrive as its commands end, not as they were sent, and these rules apply:
--   - A refusal arrives at once, when older goals of the object may be in progress: it ends the newest command. If that
--     one is no goal, it ends the oldest that is none, since all of these are answered at once, in order.
--   - 205 ends the oldest goal that a later command takes a dof from: commands on other dofs continue in parallel.
--   - Any other status ends the oldest command; but 200 first the oldest that is no goal, as a panic after a go_to.
-- So two goals in progress on different dofs of one object may be confused, and so may two that are sent
-- before the refusal of the first has arrived.
--
-- A message without a mask has all dofs, also those of older goals that continue. There, 205 is not the end of a goal,
-- which ends together with the command that includes it.
local core = require "robotalk.core"

local rctp_commands = {}

local ALL <const> = -1 -- dofs
local LATE <const> = 5 -- s until commands that are answered at once are given up
local REST <const> = 10 -- s of rest after which goals are given up, if the server reports no ends

-- The result of a command by the code of its status: signal and reason. The status's first word may be more exact.
local OUTCOMES = {
  [200] = { "success" }, [205] = { "modified", "superseded" }, [206] = { "modified", "limit" },
  [400] = { "error", "range" }, [403] = { "error", "role" }, [404] = { "na", "unsupported" },
  [408] = { "interrupted", "deadman" }, [409] = { "busy", "lease" }, [410] = { "interrupted", "closed" },
  [413] = { "error", "range" }, [425] = { "busy", "axis" }, [429] = { "error", "full" }, [500] = { "error", "device" },
  [501] = { "na", "unsupported" }, [503] = { "panic", "panic" },
}
local WORDS = { holonomic = true, limit = true, blocked = true, stopped = true, lease = true, axis = true,
  deadman = true, link = true, expired = true, closed = true, device = true, range = true, unsupported = true,
  bounds = true, override = true, servo = true }
-- The reason for ending commands in progress, by the first word of a status. By its code it could be a refusal.
local ENDS = { stopped = "stopped", taken = "lease" }
-- Refusals, except that a stop and the deadman end commands in progress.
local REFUSALS = { [400] = true, [403] = true, [404] = true, [409] = true, [413] = true, [425] = true, [429] = true,
  [501] = true }

local function word_of(status) return (status.text or ""):match "^(%l+):" end

local function outcome_of(status)
  local outcome, word = OUTCOMES[status.code] or { "error", "device" }, word_of(status)
  if word == "expired" then return "error", "expired" end
  if ENDS[word] then return "interrupted", ENDS[word] end
  return outcome[1], WORDS[word] and outcome[2] and outcome[1] ~= "panic" and word or outcome[2]
end

local Pending = {}
Pending.__index = Pending

---No commands yet. panics, resets: the number of its own that the client waits for.
function rctp_commands.new()
  return setmetatable({ objects = {}, tells = false, panics = 0, resets = 0 }, Pending)
end

---A command of an object was sent: { done = called at its end, as done(signal, reason, text of the status);
---stamp = of its message; goal = it lasts until a position is reached or all rests; dofs = bits; reached =
---for a goal: whether it was reached, as far as known; again = after a 425, sends it again: whether it will }.
function Pending:add(object, command)
  command.at = core.now()
  local list = self.objects[object.id] or { object = object }
  self.objects[object.id] = list
  list[#list + 1] = command
end

-- The place of the first command for which is(command, place); nil: there is none.
local function first(list, is)
  for i, command in ipairs(list) do
    if is(command, i) then return i end
  end
end

local function is_no_goal(command) return not command.goal end

-- The dofs of a command's message.
local function sent(object, command) return object.masked and command.dofs or ALL end

local function is_overtaken(list)
  return function(command, i)
    for k = i + 1, #list do
      if command.goal and (command.dofs or ALL) & sent(list.object, list[k]) ~= 0 then return true end
    end
  end
end

-- The first command from that place on that includes a goal's dofs, though it moves others; nil: there is none.
local function carrier(list, place, goal)
  if list.object.masked then return nil end
  for k = place, #list do
    if (goal.dofs or ALL) & (list[k].dofs or ALL) == 0 then return list[k] end
  end
end

-- Ends a command, and those that it includes; but those that a later one includes end with that.
local function finish(list, place, signal, reason, text)
  local command = table.remove(list, place)
  for _, one in ipairs { command, table.unpack(command.carries or {}) } do
    local by = reason == "superseded" and carrier(list, place, one)
    if by then
      by.carries = by.carries or {}
      table.insert(by.carries, one)
    else
      one.done(signal, reason, text)
    end
  end
end

-- The place of the command that a status without a stamp ends.
local function reasoned(list, status)
  local code = status.code
  if REFUSALS[code] and not ENDS[word_of(status)] then
    return list[#list].goal and #list or first(list, is_no_goal)
  end
  return code == 200 and first(list, is_no_goal) or code == 205 and first(list, is_overtaken(list)) or 1
end

---Handles a status that is not of the whole session.
function Pending:hear(status)
  local list = self.objects[status.subject]
  if status.code < 200 or not list or not list[1] then return end
  local place
  if (list.object.stamp_size or 0) > 0 then
    place = first(list, function(command) return command.stamp == status.stamp end)
  else
    place = reasoned(list, status)
  end
  self.tells = self.tells or status.code == 200 or status.code == 205
  local early = place and status.code == 425 and table.remove(list, place)
  if early and early.again and early.again() then return end
  if early then table.insert(list, place, early) end
  if not place then return end
  local signal, reason = outcome_of(status)
  finish(list, place, signal, reason, status.text)
end

---Whether a command of an object satisfies the condition.
function Pending:has(object, is)
  return first(self.objects[object.id] or {}, is) ~= nil
end

-- The result of a command that is given up; nil: it is not.
local function is_over(self, command, rests, now)
  if not command.goal then return now - command.at > LATE, "error", "link" end
  if self.tells or now - math.max(command.at, rests) < REST then return false end
  if command.reached and command.reached() then return true, "success" end
  return true, "error", "link"
end

---Gives up commands whose end will not be reported any more: those that are answered at once, after a while; and, if
---the server has reported no success so far, goals after which the robot rests. rests: the time of the last motion.
function Pending:give_up(rests)
  local now = core.now()
  for _, list in pairs(self.objects) do
    for i = #list, 1, -1 do
      local over, signal, reason = is_over(self, list[i], rests, now)
      if over then finish(list, i, signal, reason) end
    end
  end
end

return rctp_commands
