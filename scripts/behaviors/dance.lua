-- A grand chain, on one instant: the robots of a fleet stand in a ring, every other one goes round to the left and the
-- others to the right, and they pass each other on the outer and the inner side in turn. 20 s later each stands where
-- another has begun. Nothing but their clocks keeps them apart.
--   robotalk run dance.lua dds://42/hall [--robots 10] [--within 0.01] [--svg FILE]
-- docs/fleet.md has two servers with five robots each.
local arguments = require "robotalk.arguments"
local core = require "robotalk.core"
local plot = require "robotalk.plot"
local rt = require "robotalk"

local RADIUS <const>, WEAVE <const> = 2.5, 0.4 -- m: of the ring, and to both sides of it
local SECONDS <const>, STEP <const> = 20, 0.1
local COLORS <const> = { "#c0392b", "#1f77b4" }

local OPTIONS <const> = { { "robots", "N", number = true }, { "within", "seconds", number = true }, { "svg", "FILE" } }
local given, wrong = arguments.read({ options = OPTIONS }, { ... })
if not given then error(wrong, 0) end
if given.help or not given[1] then return print "robotalk run dance.lua URL [--robots N] [--within S] [--svg FILE]" end
local count = given.robots or 10
if count % 2 ~= 0 or count < 4 then error("--robots wants an even number, 4 or more", 0) end

-- Where robot i of the ring is t seconds after the beginning: x, y, and the heading.
local function place(i, t)
  local pairs_, side = count // 2, i % 2 == 0 and -1 or 1
  local part = math.max(0, math.min(t / SECONDS, 1))
  local turned = 3 * math.pi / pairs_ * (part - math.sin(2 * math.pi * part) / (2 * math.pi)) -- at rest at both ends
  local angle = 2 * math.pi * i / count + side * turned
  local r = RADIUS + side * WEAVE * math.sin(pairs_ * turned)
  local slope = math.atan(pairs_ * WEAVE * math.cos(pairs_ * turned), RADIUS)
  return r * math.cos(angle), r * math.sin(angle), angle + side * math.pi / 2 - slope
end

-- The speeds that lead from place to place, and a head that looks to where the next one passes.
local function figure(session, i)
  local x, y, theta = place(i, 0)
  for k = 0, SECONDS / STEP do
    local nx, ny, ntheta = place(i, (k + 1) * STEP)
    local turn = math.atan(math.sin(ntheta - theta), math.cos(ntheta - theta))
    assert(session:frame(k * STEP, { head = { pan = 0.8 * math.sin(math.pi * k * STEP / 5) },
      base = { speed = { x = math.sqrt((nx - x) ^ 2 + (ny - y) ^ 2) / STEP, theta = turn / STEP } } }))
    x, y, theta = nx, ny, ntheta
  end
end

-- Left the ways of all; right when each has begun, and how well that is known.
local function picture(entries, dance, ways)
  local ring, begun = { title = "The dance, m; 20 s", curves = ways },
    { title = "Begun after the instant, 0.1 ms", curves = {} }
  local most = 0
  for i, e in ipairs(entries) do
    local late, off = 1e4 * dance.late[i], 1e4 * dance.uncertainty[i]
    most = math.max(most, off)
    begun.curves[2 * i - 1] = { { i, late - off }, { i, late + off }, color = COLORS[1 + i % 2], width = 1 }
    begun.curves[2 * i] = { { i - 0.3, late }, { i + 0.3, late }, color = COLORS[1 + i % 2], width = 3 }
    ways[i].color, ways[i].moves, ways[i].width, ways[i].name = COLORS[1 + i % 2], true, 1, e.name
  end
  begun.note = ("robots 1 to %d; the clocks are known to %.2f ms"):format(#entries, most / 10)
  return plot.panels(("%d robots begin at one instant"):format(#entries), { ring, begun }, 2,
    { { "to the left", COLORS[2] }, { "to the right", COLORS[1] } }, SECONDS, true)
end

local fleet <close> = assert(rt.fleet(given[1]))
assert(fleet:await(count, 30))
local entries, robots = table.move(fleet:robots(), 1, count, 1, {}), {}
local _ <close> = setmetatable({}, { __close = function() for _, robot in ipairs(robots) do robot:close() end end })
for i, e in ipairs(entries) do robots[i] = assert(fleet:connect(e)) end

local goes = {}
for i, robot in ipairs(robots) do
  goes[i] = function()
    local x, y, theta = place(i, 0)
    local signal, why = robot:go_to { x = x, y = y, theta = theta }
    if signal ~= "SUCCESS" then error(("%s: %s, %s"):format(entries[i].name, signal, why), 0) end
  end
end
assert(rt.all(goes))

local dance <close> = assert(rt.unison(robots, { within = given.within, spacing = STEP }, figure))
local ways = {}
for i in ipairs(robots) do ways[i] = {} end
while rt.now() < dance.at + SECONDS do
  for i, e in ipairs(entries) do table.insert(ways[i], { e.state.position[1], e.state.position[2] }) end
  rt.sleep(STEP)
end
local reports = {}
for i, session in ipairs(dance.sessions) do reports[i] = function() return assert(session:finish(SECONDS)) end end
local all = table.pack(rt.all(reports))
assert(table.unpack(all, 1, 3))
for i, e in ipairs(entries) do
  local x, y = place(i, SECONDS)
  local state = assert(robots[i]:state())
  print(("%s began %.2f ms after the instant, give or take %.2f ms; worst lateness %.2f ms; %.0f mm from its place")
    :format(e.name, 1e3 * dance.late[i], 1e3 * dance.uncertainty[i], 1e3 * all[1 + i].worst,
    1e3 * math.sqrt((state.x - x) ^ 2 + (state.y - y) ^ 2)))
end
if given.svg then assert(core.write_file(given.svg, picture(entries, dance, ways))) end
