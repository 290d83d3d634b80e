-- Leases: methods of sessions. One client at a time drives an axis, the base or a dof; it
-- holds the lease of the axis; spec/robotalk.md, section 8.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local far = require "robotalk.robot.far"
local mistake = require "robotalk.mistakes.mistake"
local printable = require "robotalk.text.text".printable
local task = require "robotalk.task"

local lease = {}

local TAKEN, BRAKING, REFUSED = 1, 2, 4 -- states of the query take
local AGAIN <const> = 0.05 -- s between two checks whether the taken axes are at rest
local DESCRIBED <const> = 2 -- s, the longest time until a script has the changed description of its robot
local LOOK <const> = 1 -- s, the longest between two queries: no notice reports the end of a lease by time
local RESTED <const> = 5 -- s, the longest for a remote robot to stop that another client has moved
local OPTIONS = { force = true, timeout = true }

---The printed name of a client: its own name, and its number at the server.
function lease.name(number, name)
  if number == 0 then return "the program that serves it" end
  return ("%s %d"):format(name ~= "" and printable(name) or "a client", number)
end

-- The names of a mask of dofs, and of the base: joints, or single dofs of them.
local function parts_of(body, base, mask)
  local parts, joints = {}, {}
  for _, joint in pairs(body.joints) do joints[joint.number + 1] = joint end
  for _, joint in ipairs(joints) do
    local names = {}
    for k = 1, joint.dofs do
      local n = joint.first + k - 1
      if (mask:byte(n // 8 + 1) or 0) >> n % 8 & 1 == 1 then names[#names + 1] = joint.names[k] end
    end
    if joint.dofs > 0 and #names == joint.dofs then
      parts[#parts + 1] = joint.name
    else
      for _, name in ipairs(names) do parts[#parts + 1] = joint.name .. "." .. name end
    end
  end
  if base then table.insert(parts, 1, "base") end
  return parts
end

---The leases of others, as text.
function lease.words(holders)
  local words = {}
  for _, holder in ipairs(holders) do
    local parts = table.concat(holder.parts, ", ")
    if not holder.own then words[#words + 1] = ("%s drives %s"):format(holder.holder, parts) end
  end
  return #words > 0 and table.concat(words, "; ") or "nobody else drives the robot"
end

---Adds the methods to a class of sessions. query: sends one, and waits for its answer; named: the axes that names say,
---as of a stop.
function lease.add(Session, query, named)
  -- The query of take and release.
  local function request(self, what, op)
    local axes = named(self, what, op)
    return { base = axes.base, bytes = axes.bytes, mask = axes.mask, revision = self.body.revision & 255 }
  end

  -- Sends that query, with the value of `field`; again when its numbers were of an older description.
  local function ask(self, op, what, field, value)
    local until_ = core.now() + DESCRIBED
    while true do
      local wanted = request(self, what, op)
      wanted[field] = value
      local answer, message, code = query(self, op, wanted)
      if answer or code ~= "ENONE" or self.closed or core.now() >= until_ then return answer, message, code end
      task.wait(self.client, AGAIN)
    end
  end

  -- The request of a take: it is withdrawn when the take ends without an answer, also because its task ends.
  local Question = {}
  function Question:__close()
    if not self.open or self.session.closed then return end
    local back = request(self.session, self.what, "take")
    back.asked = 1
    self.session.client:tell(self.session, "release", back)
  end

  ---Takes the leases of the base, joints or control frames, as stop names them, or of all. Their holder is asked, and
  ---gives or refuses; silence for the lease time is a yes. true when they are taken and the axes are at rest; or nil,
  ---message, code. A refused client is refused for the same time again. force: without asking, if the server allows it.
  ---timeout: s to wait for that; then the request is withdrawn.
  function Session:take(what, options)
    options = checked.options(options, OPTIONS, "take")
    local there = far.of(self.client)
    if there then
      local taken, message, code = there:take(options.timeout)
      if taken == nil then return nil, message, code end
      local rested = taken and core.now() + RESTED or -math.huge -- the axes of others stop first
      while core.now() < rested and (self:state() or {}).moving do task.wait(self.client, AGAIN) end
    end
    local force, until_ = options.force, core.now() + (options.timeout or math.huge)
    local question <close> = setmetatable({ session = self, what = what }, Question)
    while true do
      local answer, message, code = ask(self, "take", what, "force", force and 1 or 0)
      force = false
      question.open = answer and answer.state > BRAKING and answer.state ~= REFUSED
      if not answer then return nil, message, code end
      if answer.state == TAKEN then return true end
      local holder = lease.name(answer.holder, answer.name)
      if answer.state == REFUSED then return nil, holder .. " keeps it", "ELEASE" end
      if core.now() >= until_ then
        return nil, answer.state == BRAKING and "what moved does not stand in time" or holder .. " has it", "ETIMEOUT"
      end
      local look = answer.state == BRAKING and AGAIN or math.max(AGAIN, math.min(answer.left, LOOK))
      task.wait(self.client, math.min(until_ - core.now(), look)) -- the notice `answered` ends it, too
    end
  end

  ---Gives leases back: those of the base, joints or control frames, as stop names them, or all. Their motions stop
  ---first, and waiting commands are INTERRUPTED, lease. true; or nil, message, code.
  function Session:release(what)
    local answer, message, code = ask(self, "release", what, "asked", 0)
    if not answer then return nil, message, code end
    local there = what == nil and far.of(self.client)
    if there then return there:release() end
    return true
  end

  ---Calls fn, as a task, when another client asks for leases that this one has, with { holder, parts, due }: true gives
  ---them, false refuses, nil gives them when the time is over.
  function Session:on_asked(fn)
    if type(fn) ~= "function" then mistake("on_asked: want a function, got %s", type(fn)) end
    table.insert(self.client.listeners, function(op, session, by)
      local asked = op == "asked" and session == self.number and self.client.link:asked(session, by)
      if not asked then return end
      task.spawn(function()
        local answer = fn { holder = lease.name(asked.holder, asked.name), due = asked.due,
          parts = parts_of(self.body, asked.base ~= 0, asked.mask) }
        if answer ~= nil then query(self, "give", { holder = asked.holder, give = answer and 1 or 0 }) end
      end).background = true
    end)
  end

  ---The leases: a list of { holder, own, left, parts }, as in spec/api.lua; or nil, message, code.
  function Session:holders()
    local holders = {}
    local there = far.of(self.client)
    local all
    if there then
      local name, left = there:holder()
      all = parts_of(self.body, self.body.descriptor.base ~= nil, ("\xFF"):rep(self.body.dofs // 8 + 1))
      if name then return { { holder = name, own = false, left = left, parts = all } } end
    end
    while true do
      local answer, message, code = query(self, "holder", { index = #holders })
      if code == "ENONE" and not self.closed then
        if there and there:drives() and not holders[1] then
          holders[1] = { holder = "this program", own = true, left = 0, parts = all }
        end
        return holders
      end
      if not answer then return nil, message, code end
      holders[#holders + 1] = { holder = lease.name(answer.holder, answer.name), own = answer.own ~= 0,
        left = answer.left, parts = parts_of(self.body, answer.base ~= 0, answer.mask) }
    end
  end
end

return lease
