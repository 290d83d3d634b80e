-- Tests in the manner of busted: describe, it, before_each, after_each. Each `it` runs as a task in a simulated
-- world of its own and fails when it leaves a task, timer, client or server behind.
local beside = require "robotalk.robot.beside"
local core = require "robotalk.core"
local difference = require "robotalk.difference"
local json = require "robotalk.json"
local shell = require "robotalk.shell"
local task = require "robotalk.task"
local printable = require "robotalk.text.text".printable
local script = require "robotalk.cli.script"
local trace = require "robotalk.mistakes.trace"

local testing = {}
local LIMIT = 3600 -- seconds of simulated time that a test may take
local PATIENCE = tonumber(os.getenv "ROBOTALK_PATIENCE") or 300 -- seconds that a test waits for an event
local BUDGET = 60 -- seconds of processor time between two waits

local function collect(paths)
  local files = {}
  for _, path in ipairs(paths) do
    if path:find("%.lua$") or path:find("%.mcap$") then
      files[#files + 1] = path
    else
      local list = io.popen(("ls -- %s 2>/dev/null"):format(shell.quoted(path)))
      for name in list:lines() do
        if name:find("_test%.lua$") or name:find("%.mcap$") then files[#files + 1] = path .. "/" .. name end
      end
      if not list:close() then script.complain(("there is no file or folder %s"):format(path)) end
    end
  end
  return files
end

local function show(x)
  return type(x) == "string" and ("%q"):format(x) or tostring(x)
end

-- Further globals of a test file; assert_equal, assert_near and assert_raises are same, near and raises.
-- patience: seconds, for the limit of a step that takes long on a slow machine.
local expect = { patience = PATIENCE }
function expect.equal(want, got, what)
  if want ~= got then error(("%sexpected %s, got %s"):format(what and what .. ": " or "", show(want), show(got)), 2) end
end
---Equal values, tables item by item.
function expect.same(want, got, what)
  local where, a, b = difference(want, got, function() return false end, 1)
  if not where then return end
  local head = (what and what .. ": " or "") .. (where ~= "" and where .. ": " or "")
  error(("%sexpected %s, got %s"):format(head, show(a), show(b)), 2)
end
function expect.near(want, got, tolerance, what)
  if type(got) ~= "number" or not (math.abs(want - got) <= tolerance) then
    error(("%sexpected %s within %g, got %s"):format(what and what .. ": " or "", show(want), tolerance, show(got)), 2)
  end
end
function expect.truthy(x, message) if not x then error(message or "expected something true, got " .. show(x), 2) end end
---Waits until fn() returns a true value, and returns that; the limit only ends a test that hangs.
function expect.eventually(what, fn)
  local late = core.now() + PATIENCE
  while true do
    local x = fn()
    if x then return x end
    if core.now() > late then error("never so: " .. what, 2) end
    task.sleep(0.01)
  end
end
---fn must raise, with a message that matches the pattern.
function expect.raises(pattern, fn, ...)
  local ok, message = pcall(fn, ...)
  if ok then error("expected an error, there was none", 2) end
  if not tostring(message):find(pattern) then
    error(("expected an error like %s, got %s"):format(show(pattern), show(message)), 2)
  end
end

-- Runs one test in a world of its own: nil, or the error. case.real: with the real clock, for behaviour that cannot be
-- simulated. room: the scenery, as for rt.world. seed: of everything random there.
local function run_one(case, room, seed)
  assert(core.open { virtual = not case.real, seed = seed })
  math.randomseed(seed)
  core.budget(BUDGET)
  require "robotalk.modes".install()
  local stray
  local report = task.on_failure
  task.on_failure = function(t, message) stray = stray or ("task %s: %s"):format(t.name, message) end
  local t = task.spawn(function()
    if room then assert(require "robotalk.world".open(room)) end
    for _, fn in ipairs(case.before) do fn() end
    case.fn()
    for _, fn in ipairs(case.after) do fn() end
    for _, name in ipairs(core.robots()) do require "robotalk.drivers".remove(name) end
  end)
  t.watched = true
  t.name = case.name
  local ended = task.run_main(t, not case.endless and core.now() + LIMIT or nil)
  local message = not ended and "it did not end" or t.state ~= "done" and (t.message or t.state) or stray
  -- a pending answer (the close of a session) may still come
  local live
  if not message then
    collectgarbage()
    collectgarbage()
    live = core.live()
    local left = {}
    if task.count() > 0 then left[#left + 1] = task.count() .. " tasks" end
    if live.timers > 0 then left[#left + 1] = live.timers .. " timers" end
    if live.clients then left[#left + 1] = "clients" end
    if live.servers then left[#left + 1] = "servers" end
    if #left > 0 then message = "it leaves behind: " .. table.concat(left, ", ") end
  end
  task.cancel_all()
  local start = package.loaded["robotalk.descriptor.start"]
  if start then start.set({}, {}) end -- the places of robots ended with the world
  task.on_failure = report
  return message
end

local function load_file(path, cases)
  local names, before, after = {}, {}, {}
  local env = setmetatable({ expect = expect, assert_equal = expect.same, assert_near = expect.near,
    assert_raises = expect.raises }, { __index = _G })
  function env.describe(name, fn)
    names[#names + 1] = name
    local b, a = #before, #after
    fn()
    for i = #before, b + 1, -1 do before[i] = nil end
    for i = #after, a + 1, -1 do after[i] = nil end
    names[#names] = nil
  end
  function env.before_each(fn) before[#before + 1] = fn end
  function env.after_each(fn) after[#after + 1] = fn end
  local function add(name, fn, real)
    local words = table.move(names, 1, #names, 1, {})
    words[#words + 1] = name
    cases[#cases + 1] = { name = table.concat(words, " "), fn = fn, file = path, real = real,
      before = table.move(before, 1, #before, 1, {}), after = table.move(after, 1, #after, 1, {}) }
  end
  function env.it(name, fn) add(name, fn) end
  function env.it_really(name, fn) add(name, fn, true) end
  local fn, message = loadfile(path, "t", env)
  local ok = fn ~= nil
  if fn then ok, message = xpcall(fn, function(why) return trace(debug.traceback(tostring(why))) end) end
  if not ok then add("loads", function() error(message, 0) end) end
end

-- A recording: a test that what it has happens again.
local function load_recording(path, cases)
  local compare = require "robotalk.mcap.compare"
  local recording, about = compare.open(path)
  cases[#cases + 1] = { name = "happens again", file = path, before = {}, after = {}, endless = true,
    seed = recording and about.seed, fn = function()
      if not recording then error(about, 0) end
      local same, first = compare.run(recording, about)
      recording:close()
      if not same then error(first, 0) end
    end }
end

-- ---- reports ----

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
local function xml(s) return (printable(s):gsub('[&<>"]', ENTITIES)) end
local function attribute(s) return (xml(s):gsub("\n", "&#10;")) end

-- The numbers of a suite, as attributes.
local function numbers_of(results)
  local failures, seconds = 0, 0
  for _, r in ipairs(results) do
    if r.message then failures = failures + 1 end
    seconds = seconds + r.seconds
  end
  return ('tests="%d" failures="%d" errors="0" skipped="0" time="%.3f"'):format(#results, failures, seconds)
end

-- JUnit: a suite for each file.
local function write_junit(path, results)
  local suites = {}
  for _, r in ipairs(results) do
    if not suites[r.case.file] then
      suites[r.case.file] = {}
      suites[#suites + 1] = suites[r.case.file]
    end
    table.insert(suites[r.case.file], r)
  end
  local out = { '<?xml version="1.0" encoding="UTF-8"?>',
    ('<testsuites name="robotalk" %s>'):format(numbers_of(results)) }
  local function p(form, ...) out[#out + 1] = form:format(...) end
  for _, suite in ipairs(suites) do
    local file = attribute(suite[1].case.file)
    p('  <testsuite name="%s" %s>', file, numbers_of(suite))
    for _, r in ipairs(suite) do
      local head = ('    <testcase classname="%s" name="%s" file="%s" time="%.3f"'):format(file, attribute(r.case.name),
        file, r.seconds)
      if r.message then
        local first = r.message:match "^[^\n]*"
        p('%s><failure message="%s">%s</failure></testcase>', head, attribute(first), xml(r.message))
      else
        p("%s/>", head)
      end
    end
    p "  </testsuite>"
  end
  p "</testsuites>\n"
  return core.write_file(path, table.concat(out, "\n"))
end

-- A line of TAP, version 13; of one that failed the reason as YAML.
local function say_tap(i, r)
  local name = printable(r.case.name):gsub("[\\#]", "\\%0"):gsub("\n", " ")
  core.say("out", ("%s %d - %s\n"):format(r.message and "not ok" or "ok", i, name))
  if r.message then
    core.say("out", ("  ---\n  file: %s\n  seconds: %.3f\n  message: |2-\n    %s\n  ...\n"):format(
      json.encode(r.case.file), r.seconds, (printable(r.message):gsub("\n", "\n    "))))
  end
end

---Runs test files and folders; true when all passed and there were some.
function testing.run(paths, options)
  local cases, results, failed = {}, {}, 0
  beside.install()
  for _, path in ipairs(collect(paths)) do
    local load_it = path:find "%.mcap$" and load_recording or load_file
    load_it(path, cases)
  end
  if options.tap then core.say("out", ("TAP version 13\n1..%d\n"):format(#cases)) end
  for i, case in ipairs(cases) do
    local begin = core.uptime()
    local message = run_one(case, options.world, case.seed or options.seed or 1)
    results[i] = { case = case, message = message, seconds = core.uptime() - begin }
    if message then failed = failed + 1 end
    if options.tap then
      say_tap(i, results[i])
    elseif message then
      core.say("out", ("FAILED %s: %s\n  %s\n"):format(case.file, case.name, message:gsub("\n", "\n  ")))
    end
  end
  core.close()
  local written, why = true, nil
  if options.junit then written, why = write_junit(options.junit, results) end
  if not written then script.complain(why) end
  if #cases == 0 then script.complain("no test was found") end
  core.say("out", ("%s%d passed, %d failed\n"):format(options.tap and "# " or "", #cases - failed, failed))
  return failed == 0 and #cases > 0 and written
end

return testing
