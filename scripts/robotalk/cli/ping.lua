local core = require "robotalk.core"
local json = require "robotalk.json"
local script = require "robotalk.cli.script"
local token = require "robotalk.server.token"

return {
  usage = "[URL] [--count N] [--json]",
  takes_address = true,
  options = {
    { "count", "N", "exchanges (default 10)", number = { 1, whole = true } },
    script.CONNECT,
    token.option,
    { "json", nil, "as JSON" },
  },
  example = "robotalk ping robotalk://localhost:7600",
  exits = "0 answered, 1 no answer, 2 wrong usage",
  main = function(args)
    token.file = args["token-file"]
    local count = args.count or 10
    if #args > 1 then
      script.complain(("ping: want one address, got %d"):format(#args))
      return 2
    end
    if not script.open {} then return 1 end
    local rt = require "robotalk"
    local url = args[1] or "robotalk://localhost"
    local report
    local ok = script.ask(url, function()
      -- a robot behind RCTP answers within this process: that would be no round trip
      if url:find "^rctp[+:]" then
        script.fail "expected an address of RoboTalk, robotalk://host[:port] or unix:PATH, got one of RCTP"
      end
      local robot, why = rt.try_connect(url, { reconnect = false })
      if not robot then script.fail(why) end
      local queries = {}
      for i = 1, count do
        local before = core.now()
        local state, trouble = robot:state()
        if not state then script.fail(trouble) end
        queries[i] = core.now() - before
      end
      table.sort(queries)
      local function percentile(p) return queries[math.max(1, math.ceil(p / 100 * count))] end
      local clock = robot:clock()
      robot.client:probe(count, 5)
      clock = robot:clock() or clock
      report = { url = url, robot = robot:describe().name, count = count, least_s = queries[1],
        median_s = percentile(50), greatest_s = queries[count], p50_s = percentile(50), p90_s = percentile(90),
        p99_s = percentile(99), offset_s = clock.offset,
        uncertainty_s = clock.uncertainty, drift_ppm = clock.drift, jitter_s = clock.jitter,
        command_delay_s = percentile(50) / 2 }
      robot:close()
    end)
    if not ok then return 1 end
    if args.json then
      core.say("out", json.encode(json.record({ "drift_ppm" }, report)) .. "\n")
    else
      core.say("out", ("%s, robot %s, %d queries\n"
        .. "  round trip   least %.3f ms, p50 %.3f ms, p90 %.3f ms, p99 %.3f ms, greatest %.3f ms\n"
        .. "  clock        offset %+.6f s, within %.3f ms; drift %+.1f ppm\n"
        .. "  a command arrives about %.3f ms after it was sent\n"):format(url, report.robot, count,
        report.least_s * 1e3, report.p50_s * 1e3, report.p90_s * 1e3, report.p99_s * 1e3, report.greatest_s * 1e3,
        report.offset_s,
        report.uncertainty_s * 1e3, report.drift_ppm, report.command_delay_s * 1e3))
    end
    return 0
  end,
}
