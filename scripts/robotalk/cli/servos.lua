-- The verb servos: which servos answer at a serial port, what they read, and what a robot needs of them before its
-- driver can use them: ids, rates, modes.
local core = require "robotalk.core"
local script = require "robotalk.cli.script"
local servos = require "robotalk.servos"

local FRAME <const> = 0.1 -- s between two tables
local ENDS <const> = { ["ctrl-c"] = true, ["ctrl-d"] = true, q = true, escape = true }

local function say(form, ...) core.say("out", form:format(...) .. "\n") end

-- ---- the table ----

local ROW <const> = "%4s  %-10s  %8s  %8s  %9s  %7s  %6s  %-6s  %s"

local function lines_of(port, all)
  local lines = { ROW:format("id", "model", "baud", "position", "degrees", "voltage", "deg C", "torque", "alarms") }
  for _, one in ipairs(all) do
    local r, why
    if one.why then why = one.why else r, why = port:readings(one) end
    lines[#lines + 1] = r and ROW:format(one.id, one.model.name, one.baud, r.position, ("%.1f"):format(r.degrees),
        ("%.1f V"):format(r.voltage), r.temperature, r.torque and "on" or "off", r.alarms)
      or ("%4d  %-10s  %8d  %s"):format(one.id, one.model and one.model.name or "?", one.baud, why)
  end
  return lines
end

-- Shows the table until the user ends it.
local function live(port, all)
  local screen <close>, why = require "robotalk.screen".open()
  if not screen then script.fail(why) end
  while true do
    screen:show(lines_of(port, all))
    for _, event in ipairs(screen:next(core.now() + FRAME)) do
      if event.gone or ENDS[event.key] and event.kind ~= "release" then
        screen:drain()
        return
      end
    end
  end
end

-- ---- the actions ----

local function progress(text)
  if core.is_terminal(2) then core.say("err", ("\r\27[K%s"):format(text)) end
end

-- What a search has found.
local function need(found, ...)
  progress ""
  if not found then script.fail(...) end
  return found, ...
end

-- One servo after the other; each is reported, and one that refuses does not keep it from the others. others: nor does
-- one that does not answer, or is not known.
local function of_each(method, done, others)
  return function(port, ids)
    local refused, missing = {}, {}
    for _, id in ipairs(ids or {}) do missing[id] = true end
    for _, one in ipairs((need(port:choose(ids, progress, others)))) do
      missing[one.id] = nil
      local ok, why = nil, one.why and ("servo %d: %s"):format(one.id, one.why)
      if not why then ok, why = port[method](port, one) end
      if ok then say("servo %d: %s", one.id, done) else refused[#refused + 1] = why end
    end
    for id in pairs(missing) do refused[#refused + 1] = ("no servo answers to id %d"):format(id) end
    if #refused > 0 then script.fail(table.concat(refused, "\n")) end
  end
end

-- One servo, and a value.
local function of_one(method, done)
  return function(port, id, value)
    local list, all = need(port:choose({ id }, progress))
    local ok, why = port[method](port, list[1], value, all)
    if not ok then script.fail(why) end
    say("servo %d: " .. done, id, value)
  end
end

local function number(text) return math.tointeger(tonumber(text)), "a number" end
local function word(text) return text, "a word" end
-- Of each action: the function, its arguments (a function for each), and whether the last one may be left out.
local ACTIONS <const> = {
  ["set-id"] = { of_one("set_id", "its id is %s now"), { number, number } },
  ["set-baud"] = { of_one("set_baud", "it has %s baud now"), { number, number } },
  ["set-mode"] = { of_one("set_mode", "its mode is %s now"), { number, word } },
  ["set-middle"] = { of_each("set_middle", "this is the middle of its range now"), { servos.ids } },
  release = { of_each("release", "without torque", true), { servos.ids }, true },
  hold = { of_each("hold", "holds where it is"), { servos.ids }, true },
}

-- The action's values of the words; nil and the mistake.
local function read_action(words)
  local name = table.remove(words, 1)
  if not name then return {} end
  local action = ACTIONS[name]
  if not action then
    local names = {}
    for known in pairs(ACTIONS) do names[#names + 1] = known end
    table.sort(names)
    return nil, ("there is no '%s'; expected PORT, then one of %s"):format(name, table.concat(names, ", "))
  end
  local kinds, least = action[2], #action[2] - (action[3] and 1 or 0)
  if #words < least or #words > #kinds then
    return nil, ("%s: want %d value%s, got %d"):format(name, #kinds, #kinds == 1 and "" or "s", #words)
  end
  local values = {}
  for i, text in ipairs(words) do
    local value, want = kinds[i](text)
    if not value then return nil, ("%s: expected %s, got %q"):format(name, want, text) end
    values[i] = value
  end
  return { run = action[1], values = values }
end

return {
  usage = "PORT | --simulate SERVOS [ACTION VALUE …] [--live] [--baud N]",
  details = "Asks at all rates of the tables which servos answer, and prints what they read. Nothing is written\n"
    .. "without an action. IDS: 1-3,6. No robot may have the port meanwhile.\n"
    .. "  set-id OLD NEW, set-baud ID BAUD, set-mode ID position | velocity | current, set-middle IDS:\n"
    .. "                write the EEPROM, without torque. After set-middle the servo reads the middle of its\n"
    .. "                range where it is now\n"
    .. "  release [IDS], hold [IDS]: switch the torque, of all servos without ids; hold sets the goal first\n"
    .. "Refused are an id that is taken, one that does not answer, and one to which two servos answer.",
  options = {
    { "simulate", "SERVOS", "a simulated bus in the place of a port, as sts3215:1-6" },
    { "live", nil, "shows the table again and again, until Q" },
    { "baud", "N", "looks at this rate alone", number = true },
  },
  example = "robotalk servos --simulate sts3215:1-6",
  exits = "0 done, 1 failed, refused, or no servo answers, 2 wrong usage",
  main = function(args)
    local words = table.move(args, args.simulate and 1 or 2, #args, 1, {})
    local action, wrong = read_action(words)
    if not args.simulate and not args[1] then action, wrong = nil, "want a port, as /dev/ttyACM0, or --simulate" end
    if not action then
      script.complain("servos: " .. wrong)
      return 2
    end
    if args.live and not (core.is_terminal(0) and core.is_terminal(1)) then
      script.complain "servos: --live wants a terminal"
      return 2
    end
    if not script.open {} then return 1 end
    local ok, message = script.main(function()
      local port <close>, why = servos.open(args[1], args.simulate, args.baud and math.tointeger(args.baud))
      if not port then script.fail(why) end
      if action.run then return action.run(port, table.unpack(action.values)) end
      local all = need(port:scan(progress))
      if #all == 0 then
        script.fail(("no servo answers at %s: has it power, and is it connected?"):format(args.baud
          and ("%d baud; without --baud all rates are tried"):format(math.tointeger(args.baud)) or "any rate"))
      end
      if args.live then return live(port, all) end
      for _, line in ipairs(lines_of(port, all)) do say("%s", line) end
    end)
    if not ok then script.complain(message) end
    return ok and 0 or 1
  end,
}
