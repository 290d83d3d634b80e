-- Watching robots: pictures of them at the terminal, or lines of text for other outputs. It commands nothing.
local core = require "robotalk.core"
local fleet = require "robotalk.watch.fleet"
local mistake = require "robotalk.mistakes.mistake"
local picture = require "robotalk.watch.picture"
local robots = require "robotalk.watch.robots"
local screens = require "robotalk.screen"
local seen = require "robotalk.watch.seen"
local task = require "robotalk.task"
local top = require "robotalk.watch.top"

local FRAME <const> = 0.1 -- s between two pictures
local FIRST <const> = 2   -- s that the first state may take
local ENDS <const> = { ["ctrl-c"] = true, ["ctrl-d"] = true, q = true, escape = true }

local Watch = {}
Watch.__index = Watch

local function add(self, robot, owned)
  self.seen[#self.seen + 1] = seen.open(robot, robot)
  if owned then self.owned[#self.owned + 1] = robot end
end

---Begins to watch a robot, one by its name or address, all robots of a server, or a fleet: a value for <close>. nil,
---message, code.
function Watch.open(where)
  local self = setmetatable({ seen = {}, owned = {} }, Watch)
  if type(where) ~= "string" then
    add(self, where)
    return self
  end
  local domain = fleet.of(where)
  if domain then
    local all, message, code = fleet.open(domain)
    if not all or all.fleet:await(1, FIRST) or domain:find "^dds://[^/]*$" then return all, message, code end
    local robot = require "robotalk.robot".try_connect(where, { role = "watch", name = "watch", reconnect = false })
    if not robot then return all end -- nobody is there yet
    all:close() -- what looked like a partition is a robot in none
    add(self, robot, true)
    return self
  end
  local urls, message, code = robots.at(where)
  if urls and #urls == 0 then urls, message, code = nil, "there is no robot", "ENONE" end
  for _, url in ipairs(urls or {}) do
    local robot
    robot, message, code = require "robotalk.robot".try_connect(url, { role = "watch", name = "watch" })
    if not robot then break end
    add(self, robot, true)
  end
  if message then
    self:close()
    return nil, message, code
  end
  return self
end

---The present state: views, as of watch/seen.lua.
function Watch:views()
  local views, now = {}, core.now()
  for i, one in ipairs(self.seen) do views[i] = one:view(now) end
  return views
end

---Waits for the first states; not for ever.
function Watch:settle()
  local until_ = core.now() + FIRST
  for _, one in ipairs(self.seen) do
    while not (one.state and one.asked) and core.now() < until_ do task.sleep(FRAME / 2) end
  end
end

function Watch:close()
  for _, one in ipairs(self.seen) do one:close() end
  for _, robot in ipairs(self.owned) do robot:close() end
end
Watch.__close = Watch.close

-- Shows robots until the user ends it; returns the event that did.
local function show(looking, screen, table_)
  local draw, next_ = table_ and top or picture, core.now()
  while true do
    if core.now() >= next_ then
      next_ = core.now() + FRAME
      local columns, rows = screen:size()
      screen:show(draw(looking:views(), columns, rows, screen.style))
    end
    for _, event in ipairs(screen:next(next_)) do
      if event.gone or ENDS[event.key] and event.kind ~= "release" then return event end
      if event.key == "ctrl-z" and event.kind == "press" then screen:pause() end
      if event.key == "t" and event.kind == "press" then
        draw, next_ = draw == top and picture or top, 0
        screen:forget()
      end
    end
  end
end

-- One robot of a fleet.
local function show_one(robot, screen)
  local looking <close> = Watch.open(robot)
  return show(looking, screen)
end

local watch = { open = Watch.open }

---Shows robots until the user ends it: a robot, or by name or address. true; or nil, message, code. table_: as a table
---at first. given: a screen in place of the terminal's.
function watch.run(where, table_, given)
  if type(where) ~= "string" and not (type(where) == "table" and where.client and where.session) then
    mistake("watch: want a robot or an address, got %s", type(where))
  end
  local looking <close>, message, code = Watch.open(where) -- before the picture: a failure is printed as text
  if not looking then return nil, message, code end
  local opened
  if not given then opened, message, code = screens.open() end
  local screen <close> = given or opened
  if not screen then return nil, message, code end
  if looking.show then looking:show(screen, table_, show_one) else show(looking, screen, table_) end
  screen:drain()
  return true
end

return watch
