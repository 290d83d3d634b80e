local core = require "robotalk.core"
local experiment = require "robotalk.experiment"
local instant = require "robotalk.text.instant"
local json = require "robotalk.json"
local log = require "robotalk.log"
local script = require "robotalk.cli.script"

local UNITS = { [""] = 1, K = 1e3, M = 1e6, G = 1e9, T = 1e12, KI = 2 ^ 10, MI = 2 ^ 20, GI = 2 ^ 30, TI = 2 ^ 40 }

-- Bytes, of "10GB", "500 MiB" or "1000000"; nil: invalid.
local function bytes_of(text)
  local number, unit = text:upper():match "^([%d.]+)%s*(%u*)$"
  local factor = unit and UNITS[(unit:gsub("B$", ""))]
  local bytes = factor and tonumber(number) and tonumber(number) * factor
  return bytes and bytes >= 1 and bytes < 2 ^ 62 and math.tointeger(bytes // 1) or nil
end

-- ---- rewinding ----

local function record(entry)
  return json.record({}, { number = entry.number, time = instant.text(entry.us), time_s = entry.time,
    bytes = entry.size, source = entry.source, file = entry.file })
end

local function tell(args, entry)
  if args.json then
    core.say("out", json.encode(record(entry)) .. "\n")
  else
    core.say("out", ("%s %8d bytes  %s  %s\n"):format(instant.text(entry.us), entry.size, entry.file, entry.source))
  end
end

-- Writes a picture to a file, "-" is the output: true; nil, message.
local function copy(folder, entry, path)
  local bytes, message = folder:read(entry)
  if not bytes then return nil, message end
  if path == "-" then return core.say("out", bytes) or nil, "the output is closed" end
  return core.write_file(path, bytes)
end

-- A range, into a folder, if one is named; the exit code.
local function list(folder, args, range)
  local found, message = folder:list(range)
  local failed
  if found and #found == 0 and args.source then
    local newest
    newest, message = folder:step(0, nil, { source = args.source })
    found = newest and found
  end
  if found and args.out then
    local ok, why = pcall(experiment.folder, args.out)
    if not ok then found, message = nil, why end
  end
  for _, entry in ipairs(found or {}) do
    if args.out then
      local ok, why = copy(folder, entry, ("%s/%s"):format(args.out, entry.file:match "[^/]*$"))
      if not ok then failed = why break end
    end
    tell(args, entry)
  end
  if not found or failed then
    script.complain(failed or message)
    return 1
  end
  return 0
end

local function show(folder, args, range)
  local entry, message
  if range.at then
    entry, message = folder:at(range.at, { step = range.step, source = args.source })
  else
    entry, message = folder:step(range.step, nil, { source = args.source })
  end
  local ok = entry and (not args.out or nil)
  if entry and args.out then ok, message = copy(folder, entry, args.out) end
  if not ok then
    script.complain(message)
    return 1
  end
  if args.out ~= "-" then tell(args, entry) end
  return 0
end

-- The requested times, in s; nil: one is wrong, which is printed.
local function range_of(args)
  local range = { step = args.step and math.tointeger(args.step) or 0, source = args.source }
  for _, name in ipairs { "at", "from", "to" } do
    local us, want
    if args[name] then
      us, want = instant.read(args[name])
      if not us then
        script.complain(("--%s: expected %s, got %s"):format(name, want, args[name]))
        return nil
      end
      range[name] = us / 1e6
    end
  end
  if (range.from or 0) > (range.to or math.huge) then
    script.complain(("--from %s is later than --to %s"):format(args.from, args.to))
    return nil
  end
  return range
end

local function rewind(path, args)
  local range = range_of(args)
  if not range then return 2 end
  if args.step and not math.tointeger(args.step) then
    script.complain(("--step: expected a whole number, got %s"):format(args.step))
    return 2
  end
  if (args.at or args.step) and (args.from or args.to or args.list) then
    script.complain "images: --at and --step tell one picture, --list, --from and --to a range: want one of both"
    return 2
  end
  if args.out == "-" and not (args.at or args.step) then
    script.complain "--out: expected a folder for the pictures of a range, got -, which is for one picture"
    return 2
  end
  local folder, message = require "robotalk.pictures.image_folder".open(path)
  if not folder then
    script.complain(message)
    return 1
  end
  if args.at or args.step then return show(folder, args, range) end
  return list(folder, args, { from = range.from, to = range.to, source = args.source })
end

-- ---- keeping ----

local function report(counts)
  log.say("info", "images: %d kept, %d refused, %d removed; %d are there, %.1f MB of disk", counts.kept, counts.refused,
    counts.removed, counts.pictures, counts.bytes / 1e6)
end

local ONE <const>, FEW <const> = 4480, 1e6 -- bytes on disk of the smallest picture; a bound that is easily too small

local function keep(path, args)
  local most = args.most and bytes_of(args.most)
  if args.most and not (most and most >= ONE) then
    script.complain(("--most: expected bytes, as 10GB, 500MiB or 1000000, at least %d for one picture, got %s"):format(
      ONE, args.most))
    return 2
  end
  if not script.open {} then return 1 end
  local ok, message = script.main(function()
    local task = require "robotalk.task"
    local server <close>, why = require "robotalk.images".serve(path, { listen = args.listen, most = most })
    if not server then
      local verb = ("robotalk images %s "):format(path or "--discard")
      script.fail((why:gsub("robotalk serve … ", function() return verb end)))
    end
    local counts = server:counts()
    if path then
      log.say("info", "images: %s: %d pictures are there, %.1f MB of disk", path, counts.pictures,
        counts.bytes / 1e6)
    end
    if most and most < FEW then
      log.say("warning", "images: --most is %d bytes: larger pictures are refused", most)
    end
    for _, url in ipairs(server:urls()) do log.say("info", "listening at %s", url) end
    task.handle("signal", function(number)
      script.signal = number
      task.wake("signal", number)
    end)
    task.wait "signal"
    server:close()
    report(server:counts())
  end)
  if ok then return 0 end
  script.complain(message)
  return 1
end

return {
  usage = "DIR [--listen URL] [--most BYTES]  |  DIR --list | --at TIME | --step N | --from TIME --to TIME",
  details = "Without one of the others: receives JPEGs at images:// and keeps them in DIR until it is stopped.\n"
    .. "With one of them: tells what DIR has, also while another one keeps pictures there.\n"
    .. "TIME: as 2026-11-23T04:53:48.007Z, 2026-11-23T05:53+01:00, 2026-11-23, or seconds of the epoch.\n"
    .. "Scripts send a camera's pictures by require \"robotalk.images\".send(camera, url): docs/images.md.\n"
    .. "A lossless sender waits 30 s for a server that does not answer (patience = S): then nil, message, ETIMEOUT.",
  options = {
    { "listen", "URL", "images://host[:port] or images+unix:PATH; several times for several (images://localhost). "
      .. "For other machines images+tls:// (docs/access.md)", many = true },
    { "most", "BYTES", "disk space, as 10GB: new pictures replace the oldest; larger ones are refused (no bound)" },
    { "discard", nil, "without a DIR: checks and answers pictures, but stores none, for measuring" },
    { "list", nil, "all pictures, the oldest first: time, size, file, source" },
    { "at", "TIME", "the newest picture of that time or before" },
    { "step", "N", "the picture N further from there, or from the newest: -1 is the one before", number = true },
    { "from", "TIME", "a range, from that time on" },
    { "to", "TIME", "a range, up to that time" },
    { "source", "NAME", "only pictures of that source, as ROBOT/CAMERA" },
    { "out", "PATH", "the picture, into that file (-: the output); of a range: the pictures, into that folder, "
      .. "which is made" },
    { "json", nil, "prints JSON, a line for each picture" },
  },
  example = "robotalk images pictures --most 10GB",
  exits = "0 done, 1 failed, or there is no such picture, 2 wrong usage",
  main = function(args)
    if #args ~= (args.discard and 0 or 1) then
      script.complain(("images: want the folder of the pictures%s, got %d names"):format(
        args.discard and ", or --discard" or "", #args))
      return 2
    end
    local rewinds, keeps
    for _, name in ipairs { "list", "at", "step", "from", "to" } do rewinds = rewinds or args[name] end
    for _, name in ipairs { "listen", "most", "discard" } do keeps = keeps or args[name] end
    if not rewinds and (args.source or args.out or args.json) then
      script.complain "images: --source, --out and --json want one of --list, --at, --step, --from, --to beside them"
      return 2
    end
    if rewinds and keeps then
      script.complain("images: --listen, --most and --discard are for what is sent, the others for looking at what "
        .. "is there")
      return 2
    end
    if rewinds then return rewind(args[1], args) end
    return keep(args[1], args)
  end,
}
