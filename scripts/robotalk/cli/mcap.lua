local core = require "robotalk.core"
local guarded = require "robotalk.mistakes.guarded"
local instant = require "robotalk.text.instant"
local json = require "robotalk.json"
local mcap = require "robotalk.mcap"
local script = require "robotalk.cli.script"
local signal = require "robotalk.mcap.signal"

local fail <const>, need <const> = guarded.fail, guarded.need

local function say(form, ...) core.say("out", form:format(...)) end

local YEAR_2001 <const> = 978307200 -- s; times before are no dates

-- ---- listing ----

local function record_of(info)
  local channels = {}
  for i, c in ipairs(info.channels) do
    channels[i] = json.record({ "schema", "schema_encoding", "rate" }, { topic = c.topic, encoding = c.encoding,
      messages = c.messages, rate = info.duration > 0 and c.messages / info.duration or nil,
      schema = c.schema and c.schema.name, schema_encoding = c.schema and c.schema.encoding })
  end
  return json.record({ "library", "compression" }, { finished = info.finished, messages = info.messages,
    chunks = info.chunks, duration = info.duration, first = info.first / 1e9, channels = channels,
    compression = info.compression, packed = info.packed, unpacked = info.unpacked, library = info.library,
    attachments = info.attachments, metadata = info.metadata, faults = info.faults })
end

local function list(recording, args)
  local info = recording:info()
  if args.json then
    say("%s\n", json.encode(record_of(info)))
    return 0
  end
  say("%s: %s, %d messages in %.3f s%s\n", recording.path, info.finished and "finished" or "unfinished", info.messages,
    info.duration, info.first / 1e9 > YEAR_2001 and " from " .. instant.text(info.first // 1000) or "")
  if info.chunks > 0 then
    say("%d chunks, compression %s: %d bytes of %d\n", info.chunks, info.compression == "" and "none"
      or info.compression, info.packed, info.unpacked)
  end
  local rows = { { "topic", "messages", "rate", "encoding", "schema" } }
  for _, c in ipairs(info.channels) do
    rows[#rows + 1] = { c.topic, ("%d"):format(c.messages), info.duration > 0
      and ("%.1f Hz"):format(c.messages / info.duration) or "-", c.encoding,
      c.schema and ("%s (%s)"):format(c.schema.name, c.schema.encoding) or "-" }
  end
  for _, line in ipairs(script.columns(rows, { [2] = true, [3] = true })) do say("  %s\n", line) end
  for _, name in ipairs(info.attachments) do say("attachment %s\n", name) end
  for _, name in ipairs(info.metadata) do say("metadata %s\n", name) end
  for _, fault in ipairs(info.faults) do say("%s\n", fault) end
  if not info.finished then say("robotalk mcap %s --recover -o NEW.mcap makes it whole\n", recording.path) end
  return 0
end

-- ---- the other jobs ----

local function check(recording)
  local info, faults, messages = recording:info(), {}, 0
  recording.core:range()
  for kind in recording:records(function(fault) faults[#faults + 1] = fault end) do
    messages = messages + (kind == mcap.kinds.MESSAGE and 1 or 0)
  end
  if #faults == 0 and messages ~= info.messages then
    faults[1] = ("expected %d messages, got %d"):format(info.messages, messages)
  end
  for _, fault in ipairs(faults) do say("%s: %s\n", recording.path, fault) end
  if #faults == 0 then say("%s: all CRCs are right\n", recording.path) end
  return #faults == 0 and 0 or 1
end

-- Both: true; nil, message.

local copy = guarded.by(function(recording, args, from, to)
  local duration = from and recording:info().duration
  if from and from > duration then
    fail("ERANGE", "%s: --cut: it has messages from 0 to %.3f s", args[1], duration)
  end
  local messages, missing = recording:copy(args.out, from, to)
  need(messages, missing)
  for _, fault in ipairs(missing) do say("left out: %s\n", fault) end
  say("%s: %d messages\n", args.out, messages)
  return true
end)

-- The columns of a topic's messages, in the order in which they appear, and their places.
local function columns_of(recording, topic)
  local columns, place = {}, {}
  for m in recording:messages { topic = topic } do
    for _, number in ipairs(signal.flatten(m.value)) do
      if not place[number[1]] then
        columns[#columns + 1], place[number[1]] = number[1], #columns + 1
      end
    end
  end
  return columns, place
end

local function quoted(name) return name:find '[",\n]' and '"' .. name:gsub('"', '""') .. '"' or name end

local write_csv = guarded.by(function(recording, args)
  local topic, why = signal.parse(args.csv, recording:info().channels)
  if topic and topic ~= args.csv then topic, why = nil, args.csv .. ": there is no such topic" end
  local columns, place = columns_of(recording, need(topic, why))
  if #columns == 0 then fail("ENONE", "%s: its messages have no numbers of JSON", topic) end
  local file <close> = args.out and need(io.open(args.out, "w"))
  local function write(text)
    if not file then return core.say("out", text) end
    local ok, trouble = file:write(text)
    return need(ok, ("%s: %s"):format(args.out, trouble))
  end
  local names = {}
  for i, name in ipairs(columns) do names[i] = quoted(name) end
  local goes_on = write("time," .. table.concat(names, ",") .. "\n")
  for m in recording:messages { topic = topic } do
    if not goes_on then return true end -- nobody reads the output any more
    local cells = {}
    for i = 1, #columns do cells[i] = "" end
    for _, number in ipairs(signal.flatten(m.value)) do cells[place[number[1]]] = json.encode(number[2]) end
    goes_on = write(("%.9f,%s\n"):format(m.time, table.concat(cells, ",")))
  end
  if file then
    local closed, trouble = file:close()
    need(closed, ("%s: %s"):format(args.out, trouble))
  end
  return true
end)

return {
  usage = "FILE [--json | --check | --recover -o OUT | --cut FROM TO -o OUT | --csv TOPIC [-o OUT]]",
  details = "Without an option: duration, topics with their counts, rates and schemas, compression, and whether the "
    .. "file is finished.\nTimes are seconds since the first message. Scripts read and write recordings by require "
    .. "\"robotalk.mcap\": docs/recordings.md.",
  options = {
    { "check", nil, "reads all of it: every CRC, and the number of messages" },
    { "recover", nil, "copies all that is whole into OUT, which is finished: after a kill, a loss of power" },
    { "cut", nil, "copies the messages from FROM until TO, s, into OUT" },
    { "csv", "TOPIC", "the numbers in the JSON messages of a topic, as CSV" },
    { "out", "OUT", "the new file; also -o OUT" },
    { "json", nil, "prints the list as JSON, on one line" },
  },
  short = { o = "out" },
  example = "robotalk mcap drive.mcap --recover -o whole.mcap",
  exits = "0 done, 1 failed, or --check has found something, 2 wrong usage",
  names = function(words)
    local recording = words[#words] == "--csv" and mcap.open(words[1])
    local topics = {}
    for i, channel in ipairs(recording and recording:info().channels or {}) do topics[i] = channel.topic end
    return topics
  end,
  main = function(args)
    local function refuse(form, ...)
      script.complain(("mcap: " .. form):format(...))
      return 2
    end
    if #args ~= (args.cut and 3 or 1) then
      return refuse(args.cut and "--cut: want FILE FROM TO, got %d words" or "want one file, got %d names", #args)
    end
    local from, to = tonumber(args[2]), tonumber(args[3])
    if args.cut and not (from and to and from >= 0 and from < to) then
      return refuse("--cut: expected seconds, FROM less than TO, got %s %s", args[2], args[3])
    end
    local jobs = {}
    for _, name in ipairs { "check", "recover", "cut", "csv", "json" } do
      if args[name] then jobs[#jobs + 1] = "--" .. name end
    end
    if #jobs > 1 then return refuse("want one of %s", table.concat(jobs, ", ")) end
    if (args.recover or args.cut) and not args.out then return refuse("%s: want -o OUT, the new file", jobs[1]) end
    if args.out and not (args.recover or args.cut or args.csv) then
      return refuse "--out: want --recover, --cut or --csv beside it"
    end
    local recording <close>, message = mcap.open(args[1])
    local done = recording
    if recording and (args.recover or args.cut) then
      done, message = copy(recording, args, from, to)
    elseif recording and args.csv then
      done, message = write_csv(recording, args)
    elseif recording then
      return (args.check and check or list)(recording, args)
    end
    if done then return 0 end
    script.complain(message)
    return 1
  end,
}
