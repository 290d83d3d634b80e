-- Which Lua module may know which: lua5.4 tests/requires.lua, from the top of the tree. Prints file:line of what is
-- forbidden and exits with 1. The library (scripts/robotalk) stands by itself: it requires no script beside it, and of
-- its own command line (robotalk.cli) only the test runner asks. Scripts beside it require the library. No module
-- requires itself, over however many others, as it is loaded.

local FOLDERS = { "scripts", "spec" }

local function room_of(module)
  local first, second = module:match "^([%w_]+)%.?([%w_]*)"
  if first == "robotalk" then return second == "cli" and "cli" or "library" end
  return first -- spec, behaviors, drivers, experiments, benchmarks, robots
end

-- What is wrong with `from` requiring `to`, or nil; both exist.
local function forbidden(from, to)
  local mine, other = room_of(from), room_of(to)
  if other == mine or other == "library" or other == "spec" then return nil end
  if mine == "cli" or (from == "robotalk.testing" and other == "cli") then return nil end
  return ("%s may not know %s"):format(mine, to)
end

-- Calls report(module, line, message) for each violation. modules: texts by name; built_in(name): none of ours.
local function check(modules, built_in, report)
  local asks = {}
  for name, text in pairs(modules) do
    asks[name] = {}
    local n = 0
    for line in (text .. "\n"):gmatch "(.-)\n" do
      n = n + 1
      local code = line:gsub("%-%-.*", "")
      for wanted in code:gmatch "require%s*%(?%s*[\"']([%w_.]+)[\"']" do
        local message
        if modules[wanted] then message = forbidden(name, wanted)
        elseif not wanted:match "%.$" and not built_in(wanted) then message = wanted .. ": no such module" end
        if message then report(name, n, message) end
        -- within a function it is required later, when all are there
        if modules[wanted] and not code:match "^%s" then table.insert(asks[name], { wanted, n }) end
      end
    end
  end
  local state = {} -- of a module: 1 on the way from where the walk began, 2 done
  local function walk(name)
    state[name] = 1
    for _, ask in ipairs(asks[name]) do
      if state[ask[1]] == 1 then report(name, ask[2], ask[1] .. " requires this one, over others or itself")
      elseif not state[ask[1]] then walk(ask[1]) end
    end
    state[name] = 2
  end
  for name in pairs(modules) do
    if not state[name] then walk(name) end
  end
end

-- The checker is checked first.
local function self_test()
  local function count(modules)
    local n = 0
    check(modules, function(name) return name == "robotalk.core" end, function() n = n + 1 end)
    return n
  end
  assert(count { ["robotalk.task"] = 'local core = require "robotalk.core"' } == 0)
  assert(count { ["robotalk.task"] = 'local x = require("robotalk.nowhere")' } == 1)
  assert(count { ["robotalk.task"] = 'require "behaviors.b"', ["behaviors.b"] = 'require "robotalk.task"' } == 2)
  assert(count { ["robotalk.a"] = 'require "robotalk.cli.c"', ["robotalk.cli.c"] = "" } == 1)
  assert(count { ["robotalk.testing"] = 'require "robotalk.cli.c"', ["robotalk.cli.c"] = "" } == 0)
  assert(count { ["robotalk.cli.c"] = 'require "benchmarks.b"', ["benchmarks.b"] = "" } == 0)
  assert(count { ["robotalk.a"] = 'require "robotalk.b"', ["robotalk.b"] = '  require "robotalk.a"' } == 0)
  assert(count { ["robotalk.a"] = 'require "robotalk.b"', ["robotalk.b"] = 'local a = require "robotalk.a"' } == 1)
  assert(count { ["behaviors.b"] = 'require "drivers.d"', ["drivers.d"] = "-- require 'nothing'" } == 1)
end

self_test()
local modules, files = {}, {}
local pipe = assert(io.popen("find " .. table.concat(FOLDERS, " ") .. " -name '*.lua' ! -path 'scripts/meta/*' | sort"))
for path in pipe:lines() do
  local name = path:gsub("^scripts/", ""):gsub("%.lua$", ""):gsub("/", "."):gsub("%.init$", "")
  local f <close> = assert(io.open(path, "rb"))
  modules[name], files[name] = f:read "a", path
end
pipe:close()
if not modules["robotalk"] then error("no scripts here; run it at the top of the tree", 0) end

local bad, count = 0, 0
for _ in pairs(modules) do count = count + 1 end
check(modules, function(name) return name == "robotalk.core" end, function(name, line, message)
  bad = bad + 1
  print(("%s:%d: %s"):format(files[name], line, message))
end)
if bad > 0 then print(bad .. " violations"); os.exit(1) end
print(("%d modules require what they may"):format(count))
