-- The task that moves a robot by a session, so that its motions end with it. In a session, `moves` is the task
-- of the last command, until that has ended; `drives` and `limbs` are the tasks of lasting commands to the base and to
-- limbs; `plays` is the task of frames that have not all been played.
local core = require "robotalk.core"
local frames = require "robotalk.session.frame"
local motion = require "robotalk.session.motion"
local task = require "robotalk.task"

local spec = core.spec()
local take_charge = task.take_charge

-- A stop of these dofs, and of the base.
local function stop_of(base, dofs)
  local mask = {}
  for _, dof in ipairs(dofs) do
    for i = #mask + 1, dof // 8 + 1 do mask[i] = 0 end
    mask[dof // 8 + 1] = mask[dof // 8 + 1] | 1 << dof % 8
  end
  return { op = "stop", base = base and 1 or 0, bytes = #mask, mask = string.char(table.unpack(mask)) }
end

-- The key of a limb that a lasting command moves: the number of the joint, or -1 - that of the control frame.
local function limb_of(cmd) return cmd.joint or -1 - cmd.frame end

-- The dofs of joints and control frames that a task moves by lasting commands.
local function limbs_of(self, mover)
  local dofs, any = {}, false
  for limb, t in pairs(self.limbs) do
    if t == mover then
      any = true
      for _, joint in pairs(limb >= 0 and self.body.joints or {}) do
        for k = 0, joint.number == limb and joint.dofs - 1 or -1 do dofs[#dofs + 1] = joint.first + k end
      end
      for _, frame in pairs(limb < 0 and self.body.frames or {}) do
        local more = frame.number == -1 - limb and frames.dofs_of(self.body, frame) or {}
        table.move(more, 1, #more, #dofs + 1, dofs)
      end
    end
  end
  return any, dofs
end

-- A task that has moved the robot by this session is cancelled: its own motions end, its lasting commands brake, and
-- frames that it has queued do not begin.
local function take_back(self, mover)
  local swings, dofs = limbs_of(self, mover)
  if mover.awaits == self then self.client:tell(self, "cancel", { command = mover.ticket }) end
  motion.take_back(self, mover)
  if self.plays == mover then
    self.pending, self.plays = {}, nil
    self.client:tell(self, "cancel", { command = 0 })
  end
  if self.drives == mover or swings then
    local stop = stop_of(self.drives == mover, dofs)
    stop.scope = 1 -- another client may drive there now
    self:send { stop }
  end
end

-- A task has ended as a part of another, to which its lasting commands belong from now on.
local function hand_over(self, mover, heir)
  for _, role in ipairs { "moves", "drives", "plays" } do
    if self[role] == mover then self[role] = heir end
  end
  for limb, t in pairs(self.limbs) do
    if t == mover then self.limbs[limb] = heir end
  end
  motion.hand_over(self, mover, heir)
end

-- A task that moves the robot by this session has failed. Its next command will not come, so the robot stops, and
-- frames that were not sent yet are dropped.
local function abandon(self, mover, cancelled, heir)
  if self.closed then return end
  if heir then
    hand_over(self, mover, heir)
  elseif cancelled then
    take_back(self, mover)
  elseif self.drives == mover or self.moves == mover or limbs_of(self, mover) then
    self.pending, self.drives, self.limbs, self.moves = {}, nil, {}, nil
    self:send { { op = "stop", scope = 1 } }
  end
end

local function note_dofs(self, group, t)
  local joints = frames.numbered(self.body).of
  for _, dof in ipairs(group.dofs) do
    if joints[dof] then self.limbs[joints[dof].number] = t end
  end
end

-- Records the parts that a frame moves by lasting commands: the base, and limbs with speeds or forces.
local function note_frame(self, cmd, t)
  local speed = cmd.speed
  if speed then
    self.drives = (speed[1] ~= 0 or speed[2] ~= 0 or speed[3] ~= 0) and t or nil
  elseif cmd.place then
    self.drives = nil
  end
  if cmd.speeds then note_dofs(self, cmd.speeds, t) end
  if cmd.forces then note_dofs(self, cmd.forces, t) end
  if cmd.setpoints and cmd.setpoints.velocity then note_dofs(self, cmd.setpoints, t) end
  if cmd.frames then
    for _, part in ipairs(cmd.frames) do if part.servo ~= 1 then self.limbs[-1 - part.frame] = t end end
  end
end

-- Records the task of these commands, and returns it. Frames are recorded when a task queues them, and sent outside
-- of all tasks.
local function note_mover(self, commands)
  local t = take_charge(self.whole or self, abandon)
  if not t then return nil end
  for i = 1, #commands do
    local cmd = commands[i]
    local kind = spec.commands[cmd.op]
    local moves, rests = kind.moves, cmd.op == "stop"
    if rests then
      self.drives, self.limbs = nil, {}
    elseif moves == "parts" then
      note_frame(self, cmd, t)
    elseif kind.lasting and moves == "root" then
      rests = (cmd.x or 0) == 0 and (cmd.y or 0) == 0 and (cmd.theta or 0) == 0
      self.drives = not rests and t or nil
    elseif kind.lasting or cmd.velocity then
      self.limbs[limb_of(cmd)] = t
    elseif moves == "root" or moves == "leg" then
      self.drives = nil
    end
    self.moves = not (rests and (cmd.start or 0) <= core.now()) and t or nil
  end
  return t
end

-- A command of that task was refused since another client has the lease: it moves nothing.
local function note_refused(self, cmd, t)
  if self.drives == t and spec.commands[cmd.op].moves == "root" then self.drives = nil end
  if (cmd.joint or cmd.frame) and self.limbs[limb_of(cmd)] == t then self.limbs[limb_of(cmd)] = nil end
end

-- The last command of the running task has ended.
local function note_end(self)
  if self.moves == task.self() then self.moves = nil end
end

return { stop_of = stop_of, note = note_mover, note_end = note_end, note_refused = note_refused }
