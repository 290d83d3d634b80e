-- The verb scripts: lists, starts, stops and replaces the scripts of a server.
local core = require "robotalk.core"
local json = require "robotalk.json"
local latch = require "robotalk.session.latch"
local script = require "robotalk.cli.script"
local token = require "robotalk.server.token"

local ACTIONS <const> = { start = "started", stop = "stopped", reload = "replaced", resume = "resumed" }

local function size_of(bytes)
  if bytes < 1 << 20 then return ("%.0f KiB"):format(bytes / 1024) end
  return ("%.1f MiB"):format(bytes / (1 << 20))
end

-- The scripts as a table; below each of them why it has failed, and which client has stopped it. latches: by name.
local function show(list, latches)
  local rows = { { "name", "state", "starts", "restart", "memory", "processor", "file" } }
  for _, one in ipairs(list) do
    rows[#rows + 1] = { one.name, one.state, tostring(one.starts), one.restart, size_of(one.memory),
      ("%.2f s"):format(one.seconds), one.file }
  end
  for i, line in ipairs(script.columns(rows)) do
    core.say("out", line .. "\n")
    local why = i > 1 and list[i - 1].why or ""
    if why ~= "" then core.say("out", "  " .. why .. "\n") end
    for robot, held in pairs(i > 1 and latches[list[i - 1].name] or {}) do
      core.say("out", ("  %s: %s\n"):format(robot, latch.words(held.by, held.since)))
    end
  end
end

return {
  usage = "[URL] [list | start NAME | stop NAME | reload NAME | resume NAME] [--token-file FILE] [--json]",
  takes_address = true,
  details = "URL: of the server (robotalk://localhost). Without a word, or with list: all of its scripts.\n"
    .. "reload builds the script anew from its file, then ends the old one and begins the new one.\n"
    .. "resume lets a script go on that a stop by another client keeps from moving robots.\n"
    .. "Which scripts there are the server says, by --run and its configuration: docs/scripts.md.",
  options = { script.CONNECT, token.option, { "json", nil, "as JSON" } },
  names = function() return { "list", "start", "stop", "reload", "resume" } end,
  example = "robotalk scripts robotalk://localhost reload patrol",
  exits = "0 done, 1 failed, 2 wrong usage",
  main = function(args)
    token.file = args["token-file"]
    local words = table.move(args, 1, #args, 1, {})
    local url = words[1] and words[1]:find(":", 1, true) and table.remove(words, 1) or "robotalk://localhost"
    local action, name = words[1] or "list", words[2]
    if #words > 2 or (action == "list") ~= (name == nil) or not (action == "list" or ACTIONS[action]) then
      script.complain "scripts: want list, or start, stop, reload or resume with a NAME (robotalk scripts --help)"
      return 2
    end
    if not script.open {} then return 1 end
    local done, latches
    local ok = script.ask(url, function()
      local why
      local scripts = require "robotalk".scripts(url)
      done, why = scripts[action](scripts, name)
      if done and action == "list" then latches, why = scripts:latches(done) end
      done = done and (latches or action ~= "list") and done
      if not done then script.fail(why) end
    end)
    if not ok then return 1 end
    if args.json then
      for _, one in ipairs(action == "list" and done or {}) do
        for robot, row in pairs(latches[one.name] or {}) do
          one.stopped = one.stopped or {} -- by the name of the robot
          one.stopped[robot] = { by = row.by, age = math.max(0, core.now() - row.since) }
        end
      end
      core.say("out", json.encode(action == "list" and done or { name = name, done = ACTIONS[action] }) .. "\n")
    elseif action == "list" then
      show(done, latches)
    else
      core.say("out", ("script %s is %s\n"):format(name, ACTIONS[action]))
    end
    return 0
  end,
}
