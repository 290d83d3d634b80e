-- Episodes by keys, while a leader, a gamepad, keys or a script move the robot (docs/datasets.md): a screen of
-- robotalk.screen that takes the keys of episodes, and passes the others to what moves the robot.
local core = require "robotalk.core"
local task = require "robotalk.task"

local HELP <const> = "b: begin; enter: keep; backspace: again, drops it and begins again; x: task; ctrl-c: end"
local LONGEST <const> = 200 -- bytes of the text of a task

local session, Session = {}, {}

---A line about an episode that was kept.
function session.words(set, about)
  return ("episode %d: %d frames, %.1f s%s%s"):format(about.index, about.length, about.length / set.info.fps,
    about.skew and (", at most %.1f ms off their instants"):format(about.skew * 1e3) or "",
    next(set.cameras) and about.age and (", pictures at most %.0f ms old"):format(about.age * 1e3) or "")
end

-- Other members are those of the terminal's screen.
function Session.__index(self, key)
  local own = Session[key]
  if own ~= nil then return own end
  local of_screen = self.screen[key]
  if type(of_screen) ~= "function" then return of_screen end
  return function(_, ...) return of_screen(self.screen, ...) end
end

function Session:say(form, ...) self.message = form:format(...) end

-- Runs a job that waits, one at a time.
local function beside(self, fn)
  if self.busy then return self:say "wait: an episode is being written" end
  self.busy = task.spawn("episodes", function()
    local _ <close> = setmetatable({}, { __close = function() self.busy = nil end })
    fn()
  end)
  self.busy.background = true
end

local function begin(self)
  local ok, why = self.set:begin()
  if not ok then return self:say("no episode begins: %s", why) end
  self.began = core.now()
  self:say "recording"
  if self.teach then self.taught = self.teach(self.set.info.total_episodes) end
end

-- Nobody teaches from now on.
local function leave(self)
  if self.taught then self.taught:cancel() end
  self.began, self.taught = nil, nil
end

local function keep(self)
  leave(self)
  self:say "writing …"
  local about, why = self.set:keep()
  self:say("%s", about and session.words(self.set, about) or "it is dropped: " .. why)
end

local function again(self)
  leave(self)
  self.set:drop()
  begin(self)
end

local KEYS <const> = {
  b = function(self) if not self.began then beside(self, function() begin(self) end) end end,
  enter = function(self) if self.began then beside(self, function() keep(self) end) end end,
  backspace = function(self) if self.began then beside(self, function() again(self) end) end end,
  x = function(self) if not self.began then self.text = "" end end,
}

-- A key of a text that is typed.
local function type_key(self, key)
  if key == "enter" or key == "escape" then
    if key == "enter" then self.set:task(self.text) end
    self.text = nil
  elseif key == "backspace" then
    self.text = self.text:gsub("[^\x80-\xbf][\x80-\xbf]*$", "", 1)
  elseif key == "space" or utf8.len(key) == 1 then
    local text = self.text .. (key == "space" and " " or key)
    self.text = #text <= LONGEST and text or self.text
  end
end

---The next events that are none of an episode's keys.
function Session:next(until_)
  local others = {}
  for _, event in ipairs(self.screen:next(until_)) do
    local key, pressed = event.key, event.kind ~= "release"
    if key and self.text and key ~= "ctrl-c" and key ~= "ctrl-d" then
      if pressed then type_key(self, key) end
    elseif key and KEYS[key] then
      if event.kind == "press" or not event.kind then KEYS[key](self) end
    else
      others[#others + 1] = event
    end
  end
  return others
end

---Lines, and those of the episodes above them.
function Session:show(lines)
  local set = self.set
  local head = { ("%s: %d episodes, %d frames; %s"):format(set.path, set.info.total_episodes, set.info.total_frames,
    self.began and ("recording, %.1f s"):format(core.now() - self.began) or "not recording"),
    self.text and ("task: %s_   enter: that is it; the space bar is no panic now"):format(self.text)
      or ("task: %s"):format(set.text), HELP, self.message, "" }
  self.screen:show(table.move(lines, 1, #lines, #head + 1, head))
end

---Ends: an episode in progress is dropped.
function Session:finish()
  if self.busy then self.busy:wait() end
  leave(self)
  self.set:drop()
end

function Session:__close() self.screen:close() end

---Of a data set and a screen. teach(index): a task that moves the robot in an episode, or nothing.
function session.new(set, screen, teach)
  return setmetatable({ set = set, screen = screen, teach = teach or false, began = false, taught = false, text = false,
    busy = false, message = set.note or "" }, Session)
end

---Until the user ends it, by keys alone: who moves the robot is another program, or teach.
function session.run(self)
  local ends = false
  while not ends or self.busy do
    self:show {}
    for _, event in ipairs(self:next(core.now() + 0.1)) do
      ends = ends or event.key == "ctrl-c" or event.key == "ctrl-d" or event.key == "q" or event.gone
      if ends and self.busy then self:say "an episode is being written; then it ends" end
      if event.key == "space" then self.set.robot:panic() end
      if event.key == "r" then task.spawn(function() self.set.robot:reset() end).background = true end
    end
  end
end

return session
