-- Tekkotsu's motion sequence files (.mot; Motion/MotionSequenceEngine): key frames of outputs over time. They are
-- read, evaluated at any time, and written; tekkotsu/play.lua plays and records them.
local core = require "robotalk.core"
local names = require "robotalk.tekkotsu.names"

local motion = {}

local Motion = {}
Motion.__index = Motion
local LARGEST = 1 << 20 -- bytes of a file
local MOST_LINES, MOST_DEPTH, MOST_MS = 100000, 8, 86400000
local COMMAND, ARGUMENT = 63, 31 -- longer words are cut

-- A number as C's strtol reads it: 0x and leading 0 set the radix. nil for other texts.
local function whole(word)
  local sign, digits = word:match "^([+-]?)(%w+)$"
  if not digits then return nil end
  local value
  if digits:find "^0[xX]%x+$" then value = tonumber(digits)
  elseif digits:find "^0[0-7]*$" then value = tonumber(digits, 8)
  elseif digits:find "^[1-9]%d*$" then value = tonumber(digits) end
  if not value or value > MOST_MS then return nil end
  return sign == "-" and -value or value
end

local function real(word)
  local value = word:find "^[+-]?[%d.]" and not word:find "[xX]" and tonumber(word)
  if value and value == value and math.abs(value) < 1e9 then return value end
end

---An empty sequence. model: whose outputs it names.
function motion.new(model)
  return setmetatable({ model = model or "ERS7", outputs = names.outputs(model), keys = {}, seconds = 0 }, Motion)
end

---An output's value at a time, in radians (LEDs 0 to 1); the one at the same time is replaced.
function Motion:set(output, seconds, value, weight)
  local keys = self.keys[output]
  if not keys then
    keys = {}
    self.keys[output] = keys
  end
  local i = #keys
  while i > 0 and keys[i].time > seconds do i = i - 1 end
  local key = { time = seconds, value = value == 0 and 0.0 or value, weight = weight
    or 1 } -- no minus 0 in files
  if i > 0 and keys[i].time == seconds then keys[i] = key else table.insert(keys, i + 1, key) end
  self.seconds = math.max(self.seconds, seconds)
end

---Removes an output's key frame at that time.
function Motion:clear(output, seconds)
  for i, key in ipairs(self.keys[output] or {}) do
    if key.time == seconds then table.remove(self.keys[output], i) break end
  end
  if self.keys[output] and #self.keys[output] == 0 then self.keys[output] = nil end
end

---Value and weight of an output at a time. before: its value when the motion begins: until its first key frame it
---moves from there with a growing weight. hold: after the last one it stays (unless false: then its weight is 0).
function Motion:at(output, seconds, before, hold)
  local keys = self.keys[output]
  if not keys then return before, 0 end
  local last = keys[#keys]
  if seconds >= last.time then return last.value, hold == false and 0 or last.weight end
  local a = { time = 0, value = before or keys[1].value, weight = 0 }
  for _, b in ipairs(keys) do
    if b.time > seconds then
      local share = (seconds - a.time) / (b.time - a.time)
      return a.value + share * (b.value - a.value), a.weight + share * (b.weight - a.weight)
    end
    a = b
  end
end

-- ---- reading ----

local Reader = {}
Reader.__index = Reader

function Reader:tell(level, message, ...)
  local report = self.report
  if #report < 200 then
    report[#report + 1] = { level = level, file = self.file, line = self.line, message = message:format(...) }
  end
  if level == "error" then report.errors = (report.errors or 0) + 1 end
end
function Reader:wrong(...) self:tell("error", ...) end
function Reader:warn(...) self:tell("warning", ...) end

-- The places of an output's name: one, or both sides of a pair; none with a warning.
function Reader:places(word)
  local outputs = self.motion.outputs
  local at = names.find(outputs, word, self.last)
  if at then
    self.last = at
    return { at }
  end
  local left, right = names.find(outputs, "L" .. word, self.last), names.find(outputs, "R" .. word, self.last)
  if left and right then return { left, right } end
  self:warn("%s has no output %s: the line is left out", self.motion.model, word)
  return {}
end

function Reader:set(word, value, weight)
  local number, share = value and real(value), weight and real(weight)
  if not number then return self:wrong("expected a command, or an output and its value, got %s %s", word,
    value or "alone") end
  if weight and not share then return self:wrong("expected a number for the weight, got %s", weight) end
  for _, at in ipairs(self:places(word)) do
    local turn = at <= names.JOINTS and self.degrees and math.pi / 180 or 1
    self.motion:set(self.motion.outputs[at], self.time, number * turn, share)
  end
end

-- The lines of a text, with any line ends.
local function lines_of(text)
  local list = {}
  for line in (text:gsub("\r\n", "\n"):gsub("\r", "\n") .. "\n"):gmatch "([^\n]*)\n" do list[#list + 1] = line end
  if list[#list] == "" then list[#list] = nil end
  return list
end

local read_sequence

-- load, overlay, loadExplicit: another file at the playhead.
function Reader:load(name, explicit)
  if not name then return self:wrong "expected the name of a file" end
  if self.depth >= MOST_DEPTH then return self:wrong("expected at most %d files within one another", MOST_DEPTH) end
  local text, why = self.open(name, self.file)
  if not text then return self:wrong("cannot read %s: %s", name, why or "no such file") end
  if text:find "^#POS" then
    local inner = setmetatable({ file = name, line = 1, explicit = explicit }, { __index = self })
    require "robotalk.tekkotsu.posture".read_lines(inner, lines_of(text))
  elseif explicit then
    self:wrong("expected a posture (#POS) in %s", name)
  else
    local inner = motion.new(self.motion.model)
    read_sequence(setmetatable({ motion = inner, file = name, open = self.open, report = self.report,
      depth = self.depth + 1, time = 0, last = 1, budget = self.budget }, Reader), lines_of(text))
    for output, keys in pairs(inner.keys) do
      for _, key in ipairs(keys) do self.motion:set(output, self.time + key.time, key.value, key.weight) end
    end
    self.time = self.time + inner.seconds
  end
end

local COMMANDS = {}
function COMMANDS.advancetime(self, ms)
  local number = ms and whole(ms)
  if not number or number < 0 then return self:wrong("expected milliseconds, a whole number, got %s",
    ms or "nothing") end
  if self.time * 1000 + number > MOST_MS then return self:wrong("expected at most a day, this is later") end
  self.time = self.time + number / 1000
end
COMMANDS.delay = COMMANDS.advancetime
function COMMANDS.settime(self, ms)
  local number = ms and whole(ms)
  if not number or number < 0 then return self:wrong("expected milliseconds, a whole number, got %s",
    ms or "nothing") end
  self.time = number / 1000
end
function COMMANDS.load(self, name) self:load(name) end
COMMANDS.overlay = COMMANDS.load
function COMMANDS.loadexplicit(self, name) self:load(name, true) end
function COMMANDS.degrees(self) self.degrees = true end
function COMMANDS.radians(self) self.degrees = false end

function read_sequence(self, lines)
  local ended
  for i, line in ipairs(lines) do
    self.line = i
    self.budget.lines = self.budget.lines - 1
    if self.budget.lines < 0 then return self:wrong("expected at most %d lines in all", MOST_LINES) end
    if i == 1 then
      if line:find "^#POS" then return require "robotalk.tekkotsu.posture".read_lines(self, lines) end
      if not line:find "^#MSq" then return self:wrong("expected #MSq, a motion sequence, got %s", line:sub(1, 20)) end
    elseif line:find "^#END" then
      ended = true
      break
    elseif not line:find "^#" then
      local words = {}
      for word in line:gmatch "[^ \t]+" do words[#words + 1] = word end
      if words[1] then
        local word = words[1]:sub(1, COMMAND)
        local command = COMMANDS[word:lower()]
        local a, b = words[2] and words[2]:sub(1, ARGUMENT), words[3] and words[3]:sub(1, ARGUMENT)
        if command then command(self, a, b) else self:set(word, a, b) end
      end
    end
  end
  if #lines == 0 then
    self.line = 1
    self:wrong "expected #MSq, a motion sequence, got nothing"
  elseif not ended then
    self:warn "expected #END at the end"
  end
end

-- A file beside the one that names it.
local function open_beside(name, file)
  local path = name:find "^/" and name or (file:match "^(.*/)" or "") .. name
  return core.read_file(path, LARGEST)
end

---Reads the text of a .mot or a .pos file. The sequence, and a report: { level = "error" | "warning",
---file, line, message }; report.errors counts the errors. Invalid lines are left out. options: model;
---open(name, file), which returns the text of files that this one loads.
function motion.read(text, file, options)
  options = options or {}
  local self = setmetatable({ motion = motion.new(options.model), file = file or "motion", report = {}, depth = 0,
    time = 0,
    last = 1, open = options.open or open_beside, budget = { lines = MOST_LINES } }, Reader)
  read_sequence(self, lines_of(text))
  return self.motion, self.report
end

---Reads a file: the sequence and its report; nil, message, code when it cannot be read, or has errors.
function motion.load(path, options)
  local text, why = open_beside(path, "")
  if not text then return nil, why, "ENONE" end
  local sequence, report = motion.read(text, path, options)
  for _, one in ipairs(report) do
    if one.level == "error" then return nil, ("%s:%d: %s"):format(one.file, one.line, one.message), "EBODY" end
  end
  return sequence, report
end

-- ---- writing ----

---The text of a file with this sequence.
function Motion:write()
  local times, seen = {}, {}
  for _, keys in pairs(self.keys) do
    for _, key in ipairs(keys) do
      if not seen[key.time] then
        seen[key.time] = true
        times[#times + 1] = key.time
      end
    end
  end
  table.sort(times)
  local out, playhead = { "#MSq", "radians" }, 0
  if times[1] == 0 then out[#out + 1] = "setTime 0" end
  for _, time in ipairs(times) do
    if time > playhead then out[#out + 1] = ("delay %d"):format(math.floor((time - playhead) * 1000 + 0.5)) end
    playhead = time
    for _, output in ipairs(self.outputs) do
      for _, key in ipairs(self.keys[output] or {}) do
        if key.time == time then
          out[#out + 1] = key.weight == 1 and ("%s %.6g"):format(output, key.value)
            or ("%s %.6g %.6g"):format(output, key.value, key.weight)
        end
      end
    end
  end
  out[#out + 1] = "#END\n"
  return table.concat(out, "\n")
end

return motion
