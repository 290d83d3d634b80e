-- A site of machines, each a network namespace: servers with four robots each, and operators who drive some of them. A
-- panic, the deaths of the machines of an operator and of a server, a partition, and an operator who comes late.
local core = require "robotalk.core"
local experiment = require "robotalk.experiment"
local json = require "robotalk.json"
local lab = require "robotalk.lab"
local plot = require "robotalk.plot"
local task = require "robotalk.task"
local trial = require "robotalk.fleet_trial"

local ROBOTS <const>, MOST_DRIVEN <const> = 4, 4 -- of a server; by an operator
local CUT <const>, STEADY <const> = 3, 5         -- s of the partition, and between two readings of processor time
local PATIENCE <const> = 30                      -- s that only end what hangs
local LINK <const> = { delay = 0.005, jitter = 0.005, loss = 0.002 } -- s, each way; share of the frames
local TICKS <const> = 100                        -- of processor time, a second
local URL <const> = "dds://35?multicast&unsecured&interface=eth0&noros" -- nobody there speaks ROS 2

-- ---- machines ----

local function written(value) -- a value of Lua, as text
  if type(value) ~= "table" then return ("%q"):format(value) end
  local parts = {}
  for k, v in pairs(value) do parts[#parts + 1] = ("[%s]=%s"):format(written(k), written(v)) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local Site = {}
Site.__index = Site

local function robots_of(server)
  local names = {}
  for i = 1, ROBOTS do names[i] = ("%s_%d"):format(server, i) end
  return names
end

local function part(list, from, to) return table.move(list, from, to, 1, {}) end

local function must(result, message) return result or error(message, 0) end

function Site:start(name, words)
  self.process[name] = must(self.net:run(name, words))
end

function Site:serve(server)
  local folder, names, robots = self.folder, robots_of(server), {}
  for i, name in ipairs(names) do
    robots[i] = { name = name, base = { speed = trial.SPEED, acceleration = trial.ACCELERATION } }
  end
  local script, config = ("%s/%s-watch.lua"):format(folder, server), ("%s/%s.lua"):format(folder, server)
  experiment.write(script, ('require("robotalk.fleet_trial").watch(%s)\n'):format(written(names)))
  experiment.write(config, "return " .. written { robots = robots, scripts = { script }, listen = { URL } } .. "\n")
  self:start(server, { "robotalk", "serve", config })
end

-- Operator k of n drives the first robots of servers k, k + n, …, and stands by for those of the one before.
function Site:operate(k)
  local name, n = self.operators[k], #self.operators - 1
  local options = { url = URL, drives = {}, standby = {}, orders = ("%s/%s.orders"):format(self.folder, name) }
  for i, server in ipairs(self.all) do
    local robot, driven = robots_of(server)[1], k <= n and (i - 1) // n < MOST_DRIVEN
    if driven and (i - 1) % n == k - 1 then options.drives[robot] = true end
    if driven and i % n == k - 1 then options.standby[robot] = true end
  end
  local script = ("%s/%s.lua"):format(self.folder, name)
  experiment.write(script, ('require("robotalk.fleet_trial").operate(%s)\n'):format(written(options)))
  self.started[name], self.drives[name] = core.now(), options.drives
  self:start(name, { "robotalk", "run", script })
end

function Site:order(name, what)
  local file <close> = assert(io.open(("%s/%s.orders"):format(self.folder, name), "a"))
  file:write(what, "\n")
end

-- ---- observations ----

-- The observations of a machine, of that kind, since an instant. Its output is read once.
function Site:seen(name, what, since)
  local all = self.heard[name] or { at = 0 }
  self.heard[name] = all
  local file <close> = io.open(self.process[name].file)
  file:seek("set", all.at)
  for line in file:lines "L" do
    if line:sub(-1) ~= "\n" then break end -- the rest of it is still to come
    all.at = all.at + #line
    local text = line:match "{.*}"
    if text then all[#all + 1] = json.decode(text) end
  end
  local list = {}
  for _, one in ipairs(all) do
    if one.what == what and one.at >= (since or 0) then list[#list + 1] = one end
  end
  return list
end

-- Waits until those machines have made that many observations of that kind since an instant, one a robot, and if
-- `robots` are given of these alone. With a name, the table gets a row of the times since then; from: robot, machine ->
-- the instant that counts in place of `since`.
function Site:await(of, machines, what, since, robots, name, limit, from)
  local late, spans = core.now() + PATIENCE
  repeat
    task.sleep(0.2)
    spans = {}
    for _, machine in ipairs(machines) do
      local known = {}
      for _, one in ipairs(self:seen(machine, what, since)) do
        local robot = one.robot or machine
        if not known[robot] and (not robots or robots[robot]) then
          spans[#spans + 1] = one.at - (from and from(robot, machine) or since)
        end
        known[robot] = true
      end
    end
  until #spans >= of or core.now() > late
  if not name then return end
  table.sort(spans)
  local n = #spans
  self.rows[#self.rows + 1] = { name = name, of = of, number = n, median = spans[(n + 1) // 2], worst = spans[n],
    limit = limit, good = n >= of and (not limit or spans[n] <= limit) }
end

local function read(form, ...)
  local file <close> = io.open(form:format(...))
  return file and file:read "a" or ""
end

-- Memory of a process, MiB that are its alone or its share of what is shared, and its processor time, s.
local function usage(number)
  local fields = {}
  for word in read("/proc/%s/stat", number):gsub("^.*%) ", ""):gmatch "%S+" do fields[#fields + 1] = word end
  return (tonumber(read("/proc/%s/smaps_rollup", number):match "Pss:%s+(%d+)") or 0 / 0) / 1024,
    ((tonumber(fields[12]) or 0) + (tonumber(fields[13]) or 0)) / TICKS
end

function Site:measure(operators)
  local groups, before = { server = self.all, operator = operators, switch = { "self" } }, {}
  local function number(name) return name == "self" and name or self.process[name].number end
  for _, names in pairs(groups) do
    for _, name in ipairs(names) do before[name] = select(2, usage(number(name))) end
  end
  local frames = self.net:counts().frames
  task.sleep(STEADY)
  self.load, self.frames = {}, (self.net:counts().frames - frames) / STEADY
  for group, names in pairs(groups) do
    local memory, share = 0, 0
    for _, name in ipairs(names) do
      local size, seconds = usage(number(name))
      memory, share = memory + size / #names, share + (seconds - before[name]) / STEADY / #names
    end
    self.load[group] = { memory = memory, share = share }
  end
end

-- ---- the scenario ----

-- The robots of servers as a set, and their number; of those that operators drive if `drives` is theirs.
local function set_of(servers, drives)
  local set, n = {}, 0
  for _, server in ipairs(servers) do
    for _, robot in ipairs(robots_of(server)) do
      local driven = not drives
      for _, some in pairs(drives or {}) do driven = driven or some[robot] end
      if driven then set[robot], n = true, n + 1 end
    end
  end
  return set, n
end

local function play(self, progress)
  local servers, operators = part(self.all, 1, #self.all), part(self.operators, 1, #self.operators - 1)
  local function phase(name)
    progress(name)
    self.marks[#self.marks + 1] = { x = core.now(), name = name, color = "#777777" }
    return core.now()
  end
  phase "start"
  for _, server in ipairs(servers) do self:serve(server) end
  for _, server in ipairs(servers) do must(self.process[server]:expect('"what":"(ready)"', PATIENCE)) end
  for k in ipairs(operators) do self:operate(k) end
  local robots = ROBOTS * #servers
  self:await(#operators * robots, operators, "join", 0, nil, "operators know all robots after their start", nil,
    function(_, machine) return self.started[machine] end)
  local driven, number = set_of(servers, self.drives)
  self:await(number, servers, "moves", 0, driven)
  self:measure(operators)

  phase "panic"
  self:order(operators[1], "panic")
  local given = tonumber(must(self.process[operators[1]]:expect('"at":([%d.]+),"what":"panic"', PATIENCE)))
  self:await(robots, servers, "panicked", given, nil, "a panic latches every robot")
  self:await(1, { operators[1] }, "latched", given, nil, "its operator knows that it has")
  task.sleep(1)
  self:order(operators[1], "reset")
  self:await(robots, servers, "reset", given)
  self:await(number, servers, "moves", given, driven)

  local heir, dead = operators[1 + 2 % #operators], table.remove(operators, 2)
  local died = phase "operator dies"
  self.net:kill(dead)
  local lost, n = set_of(servers, { self.drives[dead] })
  self:await(n, servers, "rests", died, lost, "robots of a dead operator stand by their deadman", 1.5)
  self:await(n, servers, "free", died, lost)
  local ends = {}
  for _, server in ipairs(servers) do
    for _, one in ipairs(self:seen(server, "free", died)) do ends[one.robot] = ends[one.robot] or one.at end
  end
  self:await(n, { heir }, "has", died, lost, "the standby has the lease after its end", 1,
    function(robot) return ends[robot] end)

  died = phase "server dies"
  local gone = table.remove(servers, 2)
  self.net:kill(gone)
  self:await(#operators * ROBOTS, operators, "leave", died, set_of { gone },
    "a dead server's robots are reported gone", 1)
  task.sleep(1)

  local begin, far = phase "partition", part(servers, 1, #servers // 2)
  local behind = set_of(far)
  n = #operators * ROBOTS * #far
  self.net:cut(far)
  task.sleep(CUT)
  local healed = phase "healed"
  self.net:heal()
  self:await(n, operators, "leave", begin, behind, "robots behind a partition are reported gone")
  self:await(n, operators, "join", healed, behind, "robots behind it are known after it")
  driven, n = set_of(far, self.drives)
  self:await(n, far, "moves", healed, driven, "robots behind it are driven after it")
  task.sleep(2)
  self.left = servers
  for _, server in ipairs(servers) do
    for _, one in ipairs(self:seen(server, "most", healed)) do self.most = math.max(self.most, one.share) end
  end

  phase "late"
  local late = self.operators[#self.operators]
  self:operate(#self.operators)
  self:await(robots - ROBOTS, { late }, "join", self.started[late], nil, "a late operator knows all robots", 5)
  self.over = core.now()
end

-- ---- results ----

-- The number of robots that move, and that the first operator knows, over time.
local function write_svg(file, site)
  local begin, curves = site.marks[1].x, {}
  local function curve(name, color, machines, up, down)
    local steps, n = {}, 0
    for _, machine in ipairs(machines) do
      for word, step in pairs { [up] = 1, [down] = -1 } do
        for _, one in ipairs(site:seen(machine, word)) do steps[#steps + 1] = { one.at - begin, step } end
      end
    end
    table.sort(steps, function(a, b) return a[1] < b[1] end)
    local c = { { 0, 0 }, name = name, color = color }
    for _, s in ipairs(steps) do
      c[#c + 1] = { s[1], n }
      n = n + s[2]
      c[#c + 1] = { s[1], n }
    end
    c[#c + 1] = { site.over - begin, n }
    curves[#curves + 1] = c
  end
  curve("known to operator 1", "#1f77b4", { site.operators[1] }, "join", "leave")
  curve("moving, of servers that live", "#c0392b", site.left, "moves", "rests")
  for _, mark in ipairs(site.marks) do mark.x = mark.x - begin end
  local title = ("%d servers, %d robots, %d operators"):format(#site.all, ROBOTS * #site.all, #site.operators - 1)
  experiment.write(file, plot.chart { title = title, x = "time, s", y = "robots", low = 0, marks = site.marks,
    curves = curves })
end

local function table_of(site)
  local lines = { ("%-52s %9s %8s %8s %8s %8s\n"):format("", "of", "median", "worst", "limit", "") }
  local function number(x) return x and ("%.3f s"):format(x) or "-" end
  for _, r in ipairs(site.rows) do
    lines[#lines + 1] = ("%-52s %9s %8s %8s %8s %8s\n"):format(r.name, ("%d/%d"):format(r.number, r.of),
      number(r.median), number(r.worst), number(r.limit), r.good and "" or "MISSED")
  end
  lines[#lines + 1] = ("\ngreatest acceleration or speed after the partition: %.2f of the body's\n"):format(site.most)
  for _, group in ipairs { "server", "operator", "switch" } do
    local l = site.load[group]
    lines[#lines + 1] = ("%-9s %6.1f MiB, %5.1f %% of a core\n"):format(group, l.memory, 100 * l.share)
  end
  lines[#lines + 1] = ("%.0f frames a second; each %g ms and up to %g ms more on its way, %g %% lost\n"):format(
    site.frames, 1e3 * LINK.delay, 1e3 * LINK.jitter, 100 * LINK.loss)
  return table.concat(lines)
end

return {
  summary = "servers and operators on many machines: a panic, deaths, a partition, a late operator",
  processes = true,
  options = { servers = true, operators = true },
  ---options: servers (50), operators (10), seed, out (a folder); progress(text). The results and the text of the table.
  run = function(options, progress)
    local site = setmetatable({ all = {}, operators = {}, process = {}, heard = {}, started = {}, drives = {},
      rows = {}, marks = {}, most = 0 }, Site)
    for i = 1, options.servers or 50 do site.all[i] = ("s%d"):format(i) end
    for i = 1, (options.operators or 10) + 1 do site.operators[i] = ("o%d"):format(i) end -- the last is late
    site.folder = options.out .. "/fleet"
    experiment.remove(site.folder) -- of an earlier time
    experiment.folder(site.folder)
    site.folder = core.real_path(site.folder)
    local machines = part(site.all, 1, #site.all)
    table.move(site.operators, 1, #site.operators, #machines + 1, machines)
    local net <close> = must(lab.open { machines = machines, folder = site.folder, seed = options.seed or 1,
      delay = LINK.delay, jitter = LINK.jitter, loss = LINK.loss })
    site.net = net
    experiment.run({ quiet = true }, play, site, progress)
    site.failed = site.most > 1.05
    for _, r in ipairs(site.rows) do site.failed = site.failed or not r.good end
    write_svg(options.out .. "/fleet.svg", site)
    return site, ("%swritten: %s/fleet.svg, and what programs printed, in %s/fleet/\n"):format(table_of(site),
      options.out, options.out)
  end,
  json = function(site)
    local list = { { name = "greatest share of acceleration or speed", worst = site.most } }
    for _, r in ipairs(site.rows) do
      list[#list + 1] = { name = r.name, of = r.of, number = r.number, median_s = r.median, worst_s = r.worst,
        limit_s = r.limit, good = r.good }
    end
    for group, l in pairs(site.load) do
      list[#list + 1] = { name = group, memory_mib = l.memory, core_share = l.share }
    end
    return list
  end,
}
