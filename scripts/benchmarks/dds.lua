-- RoboTalk on DDS: the round trip of a command, in turns with ddsperf's ping-pong and the same command by TCP; and how
-- long servers take to know each other, and their memory, with the law of growth.
local core = require "robotalk.core"
local experiment = require "robotalk.experiment"
local rt = require "robotalk"

local dds = {}

local BLOCKS <const>, ROUNDS <const>, SECONDS <const>, FLOW <const> = 7, 400, 3, 50000
local CROWDS <const> = { 10, 50, 98 } -- servers; a domain on one machine has room for 100 processes
local DOMAIN <const>, PORT <const> = 200, 17600 -- of the first server; the crowds have the domains after it
local LONG <const> = 120 -- s for a crowd

-- Loopback alone, as our own addresses have it.
local CONFIGURATION <const> = "<CycloneDDS><Domain Id=\"any\"><General><Interfaces><NetworkInterface "
  .. "name=\"lo\" multicast=\"false\"/></Interfaces><AllowMulticast>false</AllowMulticast></General><Discovery>"
  .. "<ParticipantIndex>auto</ParticipantIndex><Peers><Peer address=\"127.0.0.1\"/></Peers></Discovery>"
  .. "</Domain></CycloneDDS>"

local ROBOT <const> = [[return { from = "pioneer2", name = "r%d" }
]]

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

-- A folder of files and processes, which are killed when it is closed.
local function open_folder()
  local path = os.tmpname()
  os.remove(path)
  os.execute("mkdir " .. path)
  return setmetatable({ path = path, program = core.real_path "/proc/self/exe" }, { __close = function()
    os.execute(("kill $(cat %s/numbers) 2>/dev/null; rm -r %s"):format(path, path))
  end })
end

local function start(folder, command)
  os.execute(("%s >>%s/said 2>&1 & echo $! >>%s/numbers"):format(command, folder.path, folder.path))
end

-- Servers of one small robot each in a domain, r1 to rN.
local function serve(folder, count, domain, more)
  for i = 1, count do
    local file <close> = assert(io.open(("%s/r%d.lua"):format(folder.path, i), "w"))
    file:write(ROBOT:format(i))
    file:close()
    start(folder, ("'%s' serve %s/r%d.lua --listen 'dds://%d/bench?noros' %s"):format(folder.program, folder.path, i,
      domain, more or ""))
  end
end

-- us of a round trip, p50, by ddsperf; nil: it is not there.
local function ping(folder)
  start(folder, ("CYCLONEDDS_URI='%s' ddsperf -T OU -i %d -D %d pong"):format(CONFIGURATION, DOMAIN + 20, SECONDS + 2))
  local asked <close> = assert(io.popen(("CYCLONEDDS_URI='%s' ddsperf -T OU -i %d -D %d ping 2>/dev/null"):format(
    CONFIGURATION, DOMAIN + 20, SECONDS + 1)))
  local best = {}
  for line in asked:lines() do best[#best + 1] = tonumber(line:match " 50%% ([%d.]+)us") end
  return #best > 0 and 2 * median(best) or nil -- it shows half of a round trip
end

-- us of a stop, p50.
local function stop(robot)
  local times = {}
  for i = 1, ROUNDS do
    local begin = core.uptime()
    assert(robot:stop())
    times[i] = (core.uptime() - begin) * 1e6
  end
  return median(times)
end

local function connect(url)
  local late = core.uptime() + LONG
  while true do
    local robot, message = rt.try_connect(url)
    if robot then return robot end
    if core.uptime() > late then error(message, 0) end
    rt.sleep(0.1)
  end
end

local function trip(rows, say)
  local folder <close> = open_folder()
  serve(folder, 1, DOMAIN, "--listen robotalk://127.0.0.1:" .. PORT)
  local here <close> = connect(("robotalk://127.0.0.1:%d/r1"):format(PORT))
  local there <close> = connect(("dds://%d/bench/r1"):format(DOMAIN))
  local ours, limit, ratio = {}, {}, {}
  for block = 1, BLOCKS do
    say(("command by DDS, block %d of %d"):format(block, BLOCKS))
    local bare = ping(folder)
    if not bare then
      rows[#rows + 1] = { what = "command by DDS, p50", unit = "us", ours = stop(there), goal = 1.2 }
      return "ddsperf is not there: apt install cyclonedds-tools"
    end
    ours[block], limit[block] = stop(there), bare + stop(here)
    ratio[block] = ours[block] / limit[block]
  end
  rows[#rows + 1] = { what = "command by DDS, of ddsperf and a command by TCP", unit = "us", ours = median(ours),
    limit = median(limit), ratio = median(ratio), goal = 1.2 }
end

local WRITER <const> = [[
local core, rt = require "robotalk.core", require "robotalk"
local topic <close> = assert(core.dds(arg[1], { name = "bench", type = "bench", reliable = true, write = true }))
while topic:readers() == 0 do rt.sleep(0.01) end
local n, bytes = 0, "\0\1\0\0" .. ("x"):rep(64)
while n < tonumber(arg[2]) do
  if topic:put(bytes) then n = n + 1 else rt.sleep(0) end
end
rt.sleep(1)
]]

-- Samples of 64 bytes a second, from a script of another process to one here, none lost.
local function flow(rows, say)
  local folder <close> = open_folder()
  local url = ("dds://%d/bench"):format(DOMAIN + 21)
  say "samples"
  experiment.write(folder.path .. "/writer.lua", WRITER)
  local topic <close> = assert(core.dds(url, { name = "bench", type = "bench", reliable = true }))
  start(folder, ("'%s' run %s/writer.lua '%s' %d"):format(folder.program, folder.path, url, FLOW))
  local n, begin, late = 0, nil, core.uptime() + LONG
  while n < FLOW and core.uptime() < late do
    if topic:take() == "sample" then
      n, begin = n + 1, begin or core.uptime()
    else
      rt.sleep(0)
    end
  end
  rows[#rows + 1] = { what = ("samples between two scripts, %d of %d"):format(n, FLOW), unit = "1/s",
    ours = n / (core.uptime() - (begin or 0)) }
end

-- KB of memory, the median of the processes.
local function memory(folder)
  local list = {}
  for number in io.lines(folder.path .. "/numbers") do
    local status = io.open(("/proc/%s/status"):format(number))
    list[#list + 1] = status and tonumber(status:read "a":match "RssAnon:%s*(%d+)") or nil
    if status then status:close() end
  end
  return median(list)
end

-- s until an operator that comes later knows all, since the servers were started; and once they know each other.
local function crowd(rows, count, domain, say)
  local folder <close> = open_folder()
  local begin = core.uptime()
  say(("%d servers"):format(count))
  serve(folder, count, domain)
  local fleet <close> = assert(rt.fleet(("dds://%d/bench"):format(domain)))
  local all, why = fleet:await(count, LONG)
  if not all then
    rows[#rows + 1] = { what = ("%d servers: %s after"):format(count, why), unit = "s", ours = LONG }
    return nil
  end
  local known = core.uptime() - begin
  fleet:close()
  begin = core.uptime()
  local again <close> = assert(rt.fleet(("dds://%d/bench"):format(domain)))
  assert(again:await(#all, LONG))
  local late = core.uptime() - begin
  local size = memory(folder) / 1024
  rows[#rows + 1] = { what = count .. " servers: all known, since their start", unit = "s", ours = known }
  rows[#rows + 1] = { what = count .. " servers: known to one that asks later", unit = "s", ours = late }
  rows[#rows + 1] = { what = count .. " servers: memory of each", unit = "MB", ours = size }
  return { count, known, size }
end

-- The exponent of growth from the first to the last.
local function law(rows, list)
  for i, what in ipairs { "time until all are known", "memory of each" } do
    local a, b = list[1], list[#list]
    rows[#rows + 1] = { what = ("%s grows as servers ^"):format(what), unit = "",
      ours = math.log(b[i + 1] / a[i + 1]) / math.log(b[1] / a[1]) }
  end
end

---Rows: what, unit, ours, limit, ratio, goal; and a note for people, or nil.
function dds.run(say)
  local rows = {}
  local note = experiment.run({}, function()
    local list, missing = {}, trip(rows, say)
    flow(rows, say)
    for i, count in ipairs(CROWDS) do list[#list + 1] = crowd(rows, count, DOMAIN + i, say) end
    law(rows, list)
    return missing
  end)
  return rows, note
end

return dds
