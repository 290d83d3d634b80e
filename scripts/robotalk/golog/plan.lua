-- A plan: actions one after the other, found offline, and branches after the last one, if that is a sensing action. It
-- can be printed, rehearsed on a copy of the fluents, and played on a robot as frames with fixed times.
local colon = require "robotalk.mistakes.colon"
local actions = require "robotalk.golog.action"
local checked = require "robotalk.mistakes.checked"
local mistake = require "robotalk.mistakes.mistake"

local Plan = {}
Plan.__index = Plan

local plan = {}

-- The duration of an action in seconds; nil if it has none.
local function seconds_of(action, node)
  local duration = action.duration
  if type(duration) == "function" then duration = duration(table.unpack(node, 1, node.n)) end
  if duration == nil then return 0 end
  if type(duration) ~= "number" or not (duration >= 0 and duration < 9e9) then
    error(("action %s: duration: want seconds, 0 or more, got %s"):format(actions.label(node),
      type(duration) == "number" and duration or type(duration)), 0)
  end
  return duration
end

-- Seconds of the longest branch.
local function longest(branches)
  local most = 0
  for _, branch in ipairs(branches) do most = math.max(most, branch.plan.seconds) end
  return most
end

-- The result of a function, if it is known before the run.
local function foreseen(fn, node)
  local ok, value = pcall(fn, node)
  return ok and value or nil
end

-- The start times of the actions, for a plan that begins at a time of the run: one after the other, each after the
-- duration of the one before. In a branch they count from its begin.
local function set_times(self, begin)
  local t = 0
  for i, step in ipairs(self) do
    step.start = math.max(t, (self.nodes[i].start or 0) - begin)
    t = step.start + step.seconds
  end
  for _, branch in ipairs(self.branches or {}) do set_times(branch.plan, begin + t) end
  self.seconds = t + longest(self.branches or {})
end

---The plan that a machine has just found, with the store as the plan leaves it: that is undone action by action, so
---that durations and commands are computed from the fluents that each action finds.
function plan.of(domain, m)
  local self = setmetatable({ domain = domain, nodes = {} }, Plan)
  for i = m.length, 1, -1 do
    local node = m.plan[i]
    m.store:undo(m.marks[i])
    self.nodes[i] = node
    self[i] = { name = node.action.name, label = actions.label(node), seconds = seconds_of(node.action, node),
      command = node.action.command and actions.command_of(node), robot = foreseen(actions.robot_of, node),
      table.unpack(node, 1, node.n) }
  end
  if m.branches then
    self.branches = {}
    for i, branch in ipairs(m.branches) do self.branches[i] = { value = branch.value, plan = branch.plan } end
  end
  if not m.parent then set_times(self, 0) end -- of branches when their begin is known
  return self
end

-- The lines of a plan that begins at t, within others, after that many actions.
local function add_lines(self, lines, t, indent, before)
  for _, step in ipairs(self) do
    lines[#lines + 1] = ("%9.3f s  %s%s"):format(t + step.start, indent, step.label)
  end
  if not self.branches then
    lines[#lines + 1] = ("%9.3f s  %send, %d actions"):format(t + self.seconds, indent, before + #self)
    return
  end
  local last = self[#self]
  for _, branch in ipairs(self.branches) do
    lines[#lines + 1] = ("%11s  %sif it tells %s"):format("", indent, tostring(branch.value))
    add_lines(branch.plan, lines, t + last.start + last.seconds, indent .. "  ", before + #self)
  end
end

function Plan:__tostring()
  local lines = {}
  add_lines(self, lines, 0, "", 0)
  return table.concat(lines, "\n")
end

-- Rehearses a plan from the present fluents: true; or the number of the first impossible action, counted from
-- `before`, and its label.
local function rehearse(self, store, before)
  local count = #self.nodes
  for i, node in ipairs(self.nodes) do
    local tells = self.branches and i == count
    if not (tells and actions.is_possible(node) or not tells and actions.foresee(store, node)) then
      return before + i, self[i].label
    end
  end
  for _, branch in ipairs(self.branches or {}) do
    local _ <close> = store:imagine()
    actions.assume(store, self.nodes[count], branch.value)
    local which, label = rehearse(branch.plan, store, before + count)
    if which ~= true then return which, label end
  end
  return true
end

---Checks it without executing anything: true; or nil, message, code and the number of the action whose precondition
---does not hold now, in whichever branch.
function Plan:rehearse()
  local store = self.domain.store
  local _ <close> = store:imagine()
  local which, label = rehearse(self, store, 0)
  if which == true then return true end
  return nil, ("action %d, %s: its precondition does not hold"):format(which, label), "EPLAN", which
end

-- The start of each action if none starts within `spacing` of the one before, and the end of all.
local function times_of(self, spacing)
  local t, times = 0, {}
  for i, node in ipairs(self.nodes) do
    t = math.max(t, node.start or 0)
    times[i] = t
    t = t + math.max(self[i].seconds, spacing or 0)
  end
  return times, t
end

-- The actions of a robot: those that name no robot belong to any.
local function of_robot(self, robot)
  local list = {}
  for i, node in ipairs(self.nodes) do
    if not node.action.command then
      mistake("play: action %s has no command: it cannot be given to a robot in advance", self[i].label)
    end
    if (self[i].robot or actions.robot_of(node) or robot) == robot then list[#list + 1] = i end
  end
  if not list[1] and self.nodes[1] then mistake "play: no action of the plan is of this robot" end
  return list
end

---Plays a robot's actions in a session of its own, by default in playback mode: each must have a `command`.
---spacing: seconds from one action to the next, for those without a duration. Returns the session's report; or nil,
---message, code.
function Plan:play(robot, options)
  if (type(robot) ~= "table" and type(robot) ~= "userdata") or not robot.session then
    mistake("play: want a robot, got %s", type(robot))
  end
  options = options or {}
  if type(options) ~= "table" then mistake("play: want a table of options, got %s", type(options)) end
  if options.spacing ~= nil then checked.value(options.spacing, checked.seconds, "play", "spacing") end
  if self.branches then mistake "play: the plan has branches: what it will sense is not known in advance" end
  local list = of_robot(self, robot)
  local times, duration = times_of(self, options.spacing)
  local request = { mode = "playback", duration = duration }
  for name, value in pairs(options) do if name ~= "spacing" then request[name] = value end end
  local session <close>, message, code = robot:session(request)
  if not session then return nil, message, code end
  for _, i in ipairs(list) do
    local command = self[i].command or actions.command_now(self.nodes[i])
    local ticket, why, what = actions.give(session, self.nodes[i], command, times[i])
    if not ticket then return nil, why, what end
    table.insert(session.tickets, ticket) -- the commands whose signals the report counts
  end
  return session:finish()
end

colon.methods(Plan, "plan")

return plan
