-- Plays motion sequences on a robot, and records them. A sequence becomes frames, one every 32 ms as in Tekkotsu, each
-- with the speed that leads to the next. `play` sends them to a playback session: the robot keeps their times whatever
-- the network does, and a panic ends them all. `perform` sends them one by one, for a motion command that may lose its
-- dofs on the way.
local core = require "robotalk.core"
local motion = require "robotalk.tekkotsu.motion"
local names = require "robotalk.tekkotsu.names"
local task = require "robotalk.task"

local player = {}
local BEAT = 0.032 -- seconds: four frames of 8 ms

---The outputs of a sequence that the robot has: { output, joint, dof } each; and names of those that it lacks.
function player.tracks(robot, sequence)
  local list, missing, body = {}, {}, robot:describe()
  for i = 1, names.JOINTS do
    local output = sequence.outputs[i]
    if sequence.keys[output] then
      local joint, dof = names.place(body, output)
      if joint then
        list[#list + 1] = { output = output, joint = joint, dof = dof }
      else
        missing[#missing + 1] = output
      end
    end
  end
  return list, missing
end

-- Begins the tracks at the robot's present positions. False: the robot was removed.
local function begin(robot, list)
  local state, message, code = robot:state()
  for _, track in ipairs(state and list or {}) do
    track.before = state.joints[track.joint][track.dof]
    track.last = track.before
  end
  return state ~= nil, message, code
end

-- The value of an output at a time of the sequence.
local function value(sequence, track, t)
  local v, weight = sequence:at(track.output, t, track.before)
  return weight * v + (1 - weight) * track.before
end

---Plays a sequence by a motion command that has dofs of the tracks (player.tracks), until it has ended or the command
---has. Ticks that have passed when their turn comes are left out: the motion keeps its times.
function player.perform(command, sequence, list)
  local beats = math.max(1, math.ceil(sequence.seconds / BEAT - 1e-9))
  local there, message = begin(command.robot, list)
  if not there then return command:note(nil, message) end
  local start, beat = core.now(), 0
  while beat < beats and command:wait_until(start + beat * BEAT) do
    beat = math.min(beats, math.max(beat, math.floor((core.now() - start) / BEAT + 1e-6)) + 1)
    local goals = {}
    for _, track in ipairs(list) do
      local to = value(sequence, track, math.min(beat * BEAT, sequence.seconds))
      local way = math.abs(to - track.last)
      if way > 1e-6 or beat == beats then
        goals[#goals + 1] = { joint = track.joint, dof = track.dof, to = to, speed = math.max(way / BEAT, 0.01) }
      end
      track.last = to
    end
    command:send(goals)
  end
  command:settle()
end

---Plays a sequence, a motion or the path of a file, on a robot that has joints of these names: the report of the
---session and the outputs that the robot lacks; nil, message, code. options: speed, times faster (1), negative
---plays it backwards; hold, false: its joints return to where they were when it ends.
function player.play(robot, sequence, options)
  options = options or {}
  if type(sequence) == "string" then
    local message, code
    sequence, message, code = motion.load(sequence)
    if not sequence then return nil, message, code end
  end
  local speed = options.speed or 1
  if type(speed) ~= "number" or speed == 0 or speed ~= speed then error("play: want a speed other than 0", 2) end
  local list, missing = player.tracks(robot, sequence)
  local ok, message, code = begin(robot, list)
  if not ok then return nil, message, code end
  local length = sequence.seconds / math.abs(speed)
  local beats = math.max(1, math.ceil(length / BEAT - 1e-9))
  local tape <close>, why, which = robot:session { mode = "playback", duration = length + BEAT, spacing = BEAT }
  if not tape then return nil, why, which end
  for beat = 1, beats do
    local parts = {}
    for _, track in ipairs(list) do
      local t = math.min(beat * BEAT, length) * math.abs(speed)
      local from, to = track.last, value(sequence, track, speed < 0 and sequence.seconds - t or t)
      if math.abs(to - from) > 1e-6 or beat == beats then
        local part = parts[track.joint] or { speed = 0 }
        parts[track.joint] = part
        part[track.dof] = to
        part.speed = math.max(part.speed, math.abs(to - from) / BEAT, 0.01)
      end
      track.last = to
    end
    if next(parts) then
      ok, message, code = tape:frame((beat - 1) * BEAT, parts)
      if not ok then return nil, message, code end
    end
  end
  local report
  report, message, code = tape:finish()
  if not report then return nil, message, code end
  if options.hold == false then
    for _, track in ipairs(list) do robot:set_joint(track.joint, { [track.dof] = track.before }) end
  end
  return report, missing
end

---Records a robot's joints for that many seconds: a sequence with the key frames that are needed to reproduce each
---within `tolerance` rad (0.01). The task that calls it waits meanwhile.
function player.record(robot, seconds, options)
  options = options or {}
  local sequence, samples = motion.new(options.model), {}
  local body = robot:describe()
  local beats = math.ceil(seconds / BEAT)
  for beat = 0, beats do
    samples[beat] = robot:state().joints
    if beat < beats then task.sleep(BEAT) end
  end
  local tolerance = options.tolerance or 0.01
  for i = 1, names.JOINTS do
    local output = sequence.outputs[i]
    local joint, dof = names.place(body, output)
    if joint and samples[0][joint] then
      -- from one key frame as far as a straight line is within the tolerance
      local function at(beat) return samples[beat][joint][dof] end
      local from = 0
      sequence:set(output, 0, at(0))
      while from < beats do
        local to = from + 1
        while to < beats do
          local fits = true
          for k = from + 1, to do
            local line = at(from) + (at(to + 1) - at(from)) * (k - from) / (to + 1 - from)
            if math.abs(line - at(k)) > tolerance then fits = false break end
          end
          if not fits then break end
          to = to + 1
        end
        sequence:set(output, to * BEAT, at(to))
        from = to
      end
    end
  end
  return sequence
end

return player
