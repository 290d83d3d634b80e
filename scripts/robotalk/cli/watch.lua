-- The verb watch: robots in the terminal, or as lines of text.
local core = require "robotalk.core"
local json = require "robotalk.json"
local script = require "robotalk.cli.script"
local token = require "robotalk.server.token"

local KNOWN <const> = { "age", "late", "x", "y", "theta", "velocity", "battery", "override", "moving", "panic",
  "holders_age" }
local LINK <const> = { "round_trip", "jitter", "offset", "why" }

-- A view as one line of JSON.
local function as_json(view)
  local record = json.record(KNOWN, view)
  record.link, record.trail, record.rays = json.record(LINK, view.link), nil, nil
  return json.encode(record)
end

local COLUMNS <const> = 1000 -- of a table that is not in a picture

-- The views as text: a table, or a line for each.
local function as_lines(looking, args)
  local views = looking:views()
  if #views == 0 and args.once then script.fail "there is no robot" end
  if args.top and not args.json then
    local style = require "robotalk.screen".style(os.getenv)
    style.color = false
    return (looking.top or require "robotalk.watch.top")(views, COLUMNS, #views + 1, style)
  end
  local lines = {}
  for i, view in ipairs(views) do lines[i] = (args.json and as_json or require "robotalk.watch.line")(view) end
  return lines
end

-- Prints lines, repeatedly or once.
local function print_lines(where, args)
  local looking <close>, why = require "robotalk.watch".open(where)
  if not looking then script.fail(why) end
  looking:settle()
  while true do
    for _, line in ipairs(as_lines(looking, args)) do
      if not core.say("out", line .. "\n") then return end
    end
    if args.once then return end
    require "robotalk.task".sleep(args.every or 1)
  end
end

return {
  usage = "[URL | ROBOT] [--top] [--once] [--every S] [--json] [--token-file FILE]",
  takes_address = true,
  details = "From above, x ahead and y left: robots, their paths, what range sensors see; beside that the\n"
    .. "link, the age of all of it, who drives what, and joints between their limits. Q ends, T shows a table.\n"
    .. "Without a terminal, with --once or --json: a line for each robot,\n"
    .. "or with --top the table. It drives nothing and holds nothing.\n"
    .. "URL: robotalk://localhost unless said; all robots of the server, or the one that it names. Also rctp://HOST,\n"
    .. "and dds://DOMAIN[/PARTITION]: all robots there, of whatever servers. There P is a panic of all, p of the\n"
    .. "selected one, R and r reset them, Enter shows the selected one.",
  names = function() return core.scripts "robots" end,
  options = {
    { "top", nil, "a table of robots at first; T shows the map" },
    { "once", nil, "prints the present state, and ends" },
    { "every", "S", "seconds between two lines (1)", number = true },
    { "json", nil, "each line as JSON" },
    script.CONNECT,
    token.option,
  },
  example = "robotalk watch robotalk://localhost:7600",
  exits = "0 ended by the user, 1 failed, 2 wrong usage",
  main = function(args)
    token.file = args["token-file"]
    if #args > 1 or (args.every and not (args.every >= 0.01 and args.every <= 3600)) then
      script.complain(#args > 1 and ("watch: want one address, got %d"):format(#args)
        or "--every: expected seconds, 0.01 to 3600")
      return 2
    end
    if not script.open {} then return 1 end
    local where = args[1] or "robotalk://localhost"
    local pictures = core.is_terminal(0) and core.is_terminal(1) and not (args.once or args.json or args.every)
    local ok, message = script.main(function()
      if not pictures then return print_lines(where, args) end
      local shown, why = require "robotalk.watch".run(where, args.top)
      if not shown then script.fail(why) end
    end)
    if not ok then script.complain(message) end
    return ok and 0 or 1
  end,
}
