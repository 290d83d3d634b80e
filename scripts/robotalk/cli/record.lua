local core = require "robotalk.core"
local episodes = require "robotalk.cli.episodes"
local mcap = require "robotalk.mcap"
local recorder = require "robotalk.recorder"
local script = require "robotalk.cli.script"
local task = require "robotalk.task"
local token = require "robotalk.server.token"

-- Both: records until is_over() says so, and returns why it has ended before. begun: called with the recording.

local function fetch(where, out, options, begun, is_over)
  local recording, why = recorder.fetch(where, out, options)
  begun(recording)
  while recording and not why and not is_over() do why = select(2, recording:next()) end
  return why and ("%s: %s"):format(where, why)
end

local function run(name, out, options, begun, is_over)
  local _ <close> = require "robotalk".connect(name)
  local recording, why = recorder.begin(out, nil, options)
  begun(recording)
  while recording and not is_over() do task.sleep(0.05) end
  return why and ("%s: %s"):format(out, why)
end

-- How many states a file has, and how many its robots were to have: those that are missing count in the sequence of
-- their messages.
local function count_states(file)
  local topics, newest, came, due = {}, {}, 0, 0
  for _, channel in ipairs(file:info().channels) do
    if channel.schema and channel.schema.name == "robotalk.state" then topics[#topics + 1] = channel.topic end
  end
  for m in file:messages { topic = topics, from = math.max(0, file:info().duration - 5) } do newest[m.topic] = m end
  for _, m in pairs(newest) do came, due = came + m.channel.messages, due + m.sequence + 1 end
  return came, due
end

return {
  usage = "[URL | ROBOT] -o FILE [--rate N] [--images N] [--token-file FILE]\n"
    .. "[URL | ROBOT] --episodes DIR [--task TEXT] [--leader ROBOT] [--gamepad[=DEVICE]] [--script FILE [--count N]]",
  takes_address = true,
  details = "URL: robotalk://localhost by default; all robots of the server, also later ones, or the one that it\n"
    .. "names. The role watch is enough. A ROBOT is run here. Ctrl-C finishes the file; so does the end of the\n"
    .. "server, with status 1. What a recording has: docs/recordings.md. Episodes: docs/datasets.md.",
  names = function() return core.scripts "robots" end,
  options = {
    { "out", "FILE", "the new file; also -o FILE" },
    { "rate", "N", "states of each robot a second, 1 to 1000 (50)",
      number = { 1, 1000, whole = true } },
    { "images", "N", "pictures of each camera a second, at most 100 (0)",
      number = { 0, 100, whole = true } },
    script.CONNECT,
    token.option,
    table.unpack(episodes.OPTIONS),
  },
  short = { o = "out" },
  example = "robotalk record robotalk://localhost -o drive.mcap",
  exits = "0 ended by the user, 1 failed, or the server has gone, 2 wrong usage",
  main = function(args)
    token.file = args["token-file"]
    if args.episodes then return episodes.main(args) end
    local wrong = #args > 1 and ("want one address or robot, got %d"):format(#args)
      or not args.out and "want -o FILE, the new file, or --episodes DIR"
    for _, option in ipairs(episodes.OPTIONS) do
      if args[option[1]] then wrong = ("--%s is of episodes: want --episodes DIR, too"):format(option[1]) end
    end
    local options = { rate = args.rate or 50, images = args.images or 0 }
    if wrong then
      script.complain("record: " .. wrong)
      return 2
    end
    if not script.open {} then return 1 end
    local where, recording, over = args[1] or "robotalk://localhost", nil, nil
    script.interrupt = function()
      local first = recording and not over
      over = true
      return first
    end
    local _, why = script.main(function()
      return (where:find ":" and fetch or run)(where, args.out, options, function(begun) recording = begun end,
        function() return over end)
    end)
    if why then script.complain(why) end
    local closed = script.finish_record(recording)
    local file <close> = recording and mcap.open(args.out)
    if file then
      local info, lost = file:info(), recording.lost or select(2, recording:counts()) or 0
      core.say("out", ("%s: %s, %d messages in %.3f s%s\n"):format(args.out, info.finished and "finished"
        or "unfinished", info.messages, info.duration, lost > 0 and (", %d lost"):format(lost) or ""))
      local came, due = count_states(file)
      if closed and came < 0.99 * due then
        core.say("out", ("%s: %d states of %d: %s is too slow for --rate %d\n"):format(args.out, came, due,
          where:find ":" and "the server" or "this machine", options.rate))
      end
    end
    return not why and closed and 0 or 1
  end,
}
