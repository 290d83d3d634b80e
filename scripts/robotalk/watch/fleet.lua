-- Watching a fleet on DDS: the robots of all its servers, who comes and goes, and keys for panics and resets. It drives
-- nothing.
local board = require "robotalk.watch.board"
local core = require "robotalk.core"
local task = require "robotalk.task"

local FRAME <const> = 0.1 -- s between two pictures
local FIRST <const>, CALM <const> = 5, 0.5 -- s that the first robot may take; after which without another all are there
local MOST <const> = 50 -- news

local Fleet = {}
Fleet.__index = Fleet

local fleet = {}

---The address of a fleet: one of DDS without a robot behind the partition, or that ends with "/". nil: it is another
---one.
function fleet.of(where)
  local place, options = where:match "^(dds://[^?]*)(.*)$"
  if not place then return nil end
  return (place:sub(-1) == "/" or not place:find "^dds://[^/]*/.+/") and place:gsub("/+$", "") .. options or nil
end

local function tell(self, form, ...)
  table.insert(self.news, os.date "%H:%M:%S " .. form:format(...))
  if #self.news > MOST then table.remove(self.news, 1) end
end

---Begins to watch; nil, message, code.
function fleet.open(url)
  local watched, message, code = require "robotalk.fleet".open(url)
  if not watched then return nil, message, code end
  local self = setmetatable({ fleet = watched, news = {}, place = url, at = 1, busy = {} }, Fleet)
  local calm = core.now() + FRAME * 10 -- those that are there already are no news
  watched:on_join(function(e) if core.now() > calm then tell(self, "%s joins, on %s", e.name, e.host) end end)
  watched:on_leave(function(e) tell(self, "%s leaves: %s", e.name, e.gone) end)
  return self
end

Fleet.top = board

-- What a lease is of: the base, and the joints of its dofs.
local function parts_of(e, lease)
  local parts, seen = { lease.base and "base" or nil }, {}
  for i, axis in ipairs(e.axes) do
    local joint, byte = axis:match "^[^.]+", lease.axes:byte((i - 1) // 8 + 1) or 0
    if byte >> (i - 1) % 8 & 1 == 1 and not seen[joint] then seen[joint], parts[#parts + 1] = true, joint end
  end
  return parts
end

local function view_of(e, now)
  local view = { robot = e.duplicate and e.name .. "@" .. e.host or e.name, kind = e.kind, host = e.host, url = e.url,
    link = { up = not e.gone, why = e.gone }, holders = {}, latches = {}, trail = {}, rays = {}, joints = {},
    readings = {}, holders_age = 0 }
  for i, lease in ipairs(e.leases) do
    view.holders[i] = { holder = lease.name, own = false, parts = parts_of(e, lease) }
  end
  local s = e.state
  if not s then return view end
  view.x, view.y, view.theta, view.age = s.position[1], s.position[2], s.attitude[3], math.max(0, now - s.at)
  view.velocity = { x = s.linear[1], y = s.linear[2], theta = s.angular[3] }
  view.moving, view.panic, view.battery = s.moving, s.panic, s.charge
  view.panic_name = s.panic and s.panic_name or nil
  return view
end

-- The robots, also those that are silent; and their views.
local function look(self)
  local list, views, now = self.fleet:robots { gone = true }, {}, core.now()
  for i, e in ipairs(list) do views[i] = view_of(e, now) end
  return list, views
end

---The present state, a list of views as of watch/seen.lua, with kind, host, url and panic_name.
function Fleet:views()
  local _, views = look(self)
  return views
end

---Waits for the first robots and their states, as long as more come; not for ever.
function Fleet:settle()
  self.fleet:await(1, FIRST)
  local before, calm, late = -1, 0, core.now() + FIRST
  repeat
    local n = 0
    for _, view in ipairs(self:views()) do n = n + (view.x and 2 or 1) end
    if n ~= before then before, calm = n, core.now() + CALM end
    task.sleep(FRAME)
  until core.now() > calm or core.now() > late
end

-- ---- keys ----

-- Runs fn in a task, once at a time for each `what`: what it returns is news.
local function act(self, what, fn)
  if self.busy[what] then return end
  self.busy[what] = true
  task.spawn(what, function()
    tell(self, "%s ...", what)
    local began = core.now()
    local good, message = fn()
    tell(self, "%s: %s", what, good and ("%s in %.1f s"):format(message or "done", core.now() - began) or message)
    self.busy[what] = nil
  end)
end

-- What the keys p and P do, with a robot and with none.
local function panic(self, e)
  act(self, "panic of " .. (e and e.name or "all"), function()
    local good, n = self.fleet:panic(e and { name = e.name, gone = true })
    if good and e and e.gone then return true, "sent; it is silent, and gets it when it is back" end
    return good, good and n .. " latched" or n
  end)
end

local function reset(self, e)
  act(self, "reset of " .. (e and e.name or "all"), function()
    if not e then return self.fleet:reset() end
    local robot <close>, message = self.fleet:connect(e, { reconnect = false, name = "watch" })
    if not robot then return nil, message end
    local good, why = robot:reset()
    return good, not good and why or nil
  end)
end

local ENDS <const> = { ["ctrl-c"] = true, ["ctrl-d"] = true, q = true, escape = true }
local ACTS <const> = { p = panic, r = reset }
local MOVES <const> = { up = -1, down = 1, k = -1, j = 1 }

-- Connects to a robot, which is an event of the screen then.
local function connect(self, e, screen)
  if self.looking then return end
  self.looking = true
  act(self, "look at " .. e.name, function()
    local robot, message = self.fleet:connect(e, { role = "watch", name = "watch", reconnect = false })
    self.looking = robot ~= nil
    if not robot then return nil, message end
    if self.closed then return robot:close() end
    screen:post { robot = robot }
    return true
  end)
end

---Shows it until the user ends it. look_at(robot, screen) shows one robot, and returns the event that ended it.
function Fleet:show(screen, table_, look_at)
  local map = not table_
  while true do
    local list, views = look(self)
    for i, e in ipairs(list) do
      if e == self.selected then self.at = i end -- it stays selected when others come and go
    end
    self.at = math.max(1, math.min(self.at, #list))
    self.selected = list[self.at]
    for i, view in ipairs(views) do view.selected = i == self.at end
    local columns, rows = screen:size()
    screen:show(board(views, columns, rows, screen.style, { news = self.news, place = self.place, map = map }))
    for _, event in ipairs(screen:next(core.now() + FRAME)) do
      local one = event.robot
      if one then
        event = look_at(one, screen)
        one:close()
        self.looking = false
        screen:forget()
        if event.key == "q" or event.key == "escape" then event = {} end -- back to the fleet
      end
      if event.gone or ENDS[event.key] and event.kind ~= "release" then return end
      local key = event.kind == "press" and event.key or event.kind == "repeat" and MOVES[event.key] and event.key
      local e = list[self.at]
      if key == "ctrl-z" then screen:pause() end
      if key == "t" then
        map = not map
        screen:forget()
      end
      if MOVES[key] then
        self.at = math.max(1, math.min(self.at + MOVES[key], #list))
        self.selected = list[self.at]
      end
      if ACTS[key] and (event.shift or e) then ACTS[key](self, not event.shift and e or nil) end
      if key == "enter" and e then connect(self, e, screen) end
    end
  end
end

function Fleet:close()
  self.closed = true
  self.fleet:close()
end
Fleet.__close = Fleet.close

return fleet
