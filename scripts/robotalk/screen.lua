-- The whole terminal for one task: pictures of lines, of which only changes are written, and keys. Writing never
-- waits: a slow terminal gets fewer pictures.
local core = require "robotalk.core"
local decode = require "robotalk.screen.decode"
local task = require "robotalk.task"

local SIGCONT <const>, SIGTSTP <const> = 18, 20
local ANSWER <const> = 0.3 -- s that a terminal may take to answer

local Screen = {}
Screen.__index = Screen

local shown -- the only one

task.handle("screen", function(number)
  if not shown then return end
  if number == 0 then
    shown.readable = true
  elseif number == SIGTSTP then
    table.insert(shown.events, { key = "ctrl-z", kind = "press" })
  else
    if number == SIGCONT then
      core.screen_resume()
      table.insert(shown.events, { resumed = true })
    end
    shown:forget()
  end
  task.wake(shown)
end)

-- Whether the terminal's letters are UTF-8, by the locale.
local function utf8_of(environment)
  for _, name in ipairs { "LC_ALL", "LC_CTYPE", "LANG" } do
    local value = environment(name)
    if value and value ~= "" then return value:lower():find "utf%-?8" ~= nil end
  end
  return false
end

local screen = {}

---The capabilities for pictures: utf8, color; by the environment, a function as os.getenv.
function screen.style(environment)
  local no_color = environment "NO_COLOR"
  return { utf8 = utf8_of(environment), color = not (no_color and no_color ~= "") }
end

---Takes the terminal: a screen, to be closed; nil, message, code.
function screen.open()
  if os.getenv "TERM" == "dumb" then return nil, "the terminal (TERM=dumb) shows no pictures", "EDEVICE" end
  local ok, message, code = core.screen()
  if not ok then return nil, message, code end
  shown = setmetatable({ decoder = decode.new(), events = {}, lines = {}, rest = "", readable = true,
    style = screen.style(os.getenv) }, Screen)
  return shown
end

---Columns and rows.
function Screen.size() return core.screen_size() end

---The next picture is written whole.
function Screen:forget() self.lines, self.whole = {}, true end

---Writes what the terminal has not taken yet: true when it has all.
function Screen:flush()
  if self.rest ~= "" then self.rest = self.rest:sub(core.screen_write(self.rest) + 1) end
  return self.rest == ""
end

---Shows lines, one a row; left out while the terminal has not taken the picture before.
function Screen:show(lines)
  if not self:flush() then return end
  local parts = { self.whole and "\27[2J" or nil }
  self.whole = false
  for row = 1, math.max(#lines, #self.lines) do
    local line = lines[row] or ""
    if line ~= self.lines[row] then parts[#parts + 1] = ("\27[%d;1H%s\27[0m\27[K"):format(row, line) end
  end
  self.lines = lines
  self.rest = table.concat(parts)
  self:flush()
end

function Screen:add(events)
  for _, event in ipairs(events) do
    self.answered = self.answered or event.device
    table.insert(self.events, event)
  end
end

-- Takes the typed bytes; of a flood a part.
local function read(self)
  for _ = 1, 16 do
    if not self.readable then break end
    local bytes = core.screen_read()
    if bytes == false then
      self.readable = false
    elseif bytes == nil then
      self.readable, self.gone = false, true
    else
      self:add(self.decoder:feed(bytes, core.now()))
    end
  end
end

---Waits for keys and the like, until that time at most: a list of events, as decode has them; also { resumed = true }
---when the program was stopped, and { gone = true }.
function Screen:next(until_)
  while true do
    read(self)
    local now = core.now()
    self:add(self.decoder:tick(now))
    if self.gone then self:add { { gone = true } } end
    if #self.events > 0 or now >= until_ then break end
    task.wait(self, math.max(0, math.min(until_, self.decoder:due() or until_) - now))
  end
  local events = self.events
  self.events = {}
  return events
end

---Adds an event, for the task that waits for the next ones.
function Screen:post(event)
  table.insert(self.events, event)
  task.wake(self)
end

---Gives the terminal back and stops the program, as Ctrl-Z does; returns when it continues.
function Screen:pause()
  core.screen_pause()
  self.decoder, self.rest = decode.new(), ""
  self:forget()
end

---Waits for the answers of the terminal, so that none is left for its next reader; not for ever.
function Screen:drain()
  local until_ = core.now() + ANSWER
  while not (self.answered or self.gone) and core.now() < until_ do self:next(until_) end
end

function Screen:close()
  if shown ~= self then return end
  shown = nil
  core.screen_off()
end
Screen.__close = Screen.close

return screen
