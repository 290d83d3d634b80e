-- Sensors in sessions: queries and watches of readings.
local broadcast = require "robotalk.session.broadcast"
local checked = require "robotalk.mistakes.checked"
local mistake = require "robotalk.mistakes.mistake"
local readings = require "robotalk.session.readings"

local LEAST, MOST = 1 / 3600, 1000 -- bounds of a watch's rate, 1/s

local OPTIONS = { rate = true, all = true }

-- The rate of a watch: the requested one, otherwise that of the fastest of the sensors.
local function rate_of(set, options)
  local rate = options.rate
  if rate ~= nil and not (type(rate) == "number" and rate >= LEAST and rate <= MOST) then
    mistake("watch: rate: want times a second, at most %d, got %s", MOST, tostring(rate))
  end
  if not rate then
    rate = LEAST
    for _, sensor in ipairs(set.sensors) do rate = math.max(rate, math.min(MOST, sensor.rate)) end
  end
  return rate
end

-- The newest readings, newest wins.
local function watch(session, what, rate, fn)
  local function fields(body)
    local set, message, code = readings.find(body, what, "watch")
    if not set then return nil, message, code end
    local question = set.questions[1]
    if set.questions[2] then
      return nil, ("%s: more than %d values at once: want several watches"):format(set.what, readings.MOST), "ELIMIT"
    end
    return { period = 1 / rate, bytes = question.bytes, mask = question.mask }
  end
  return broadcast.watch(session, "watch", fields, function(body, answer)
    local set = readings.find(body, what, "watch")
    return set and readings.of(body, set, { answer }) or nil
  end, fn)
end

-- All readings from now on, each separately: those that the server has kept since the last query.
local function record(session, set, what, query, rate, fn)
  local known = {} -- by sensor: number of the last reading that was taken
  local function fetch()
    local body, list = session.body, {}
    local now, message, code = readings.find(body, what, "watch")
    if not now then return nil, message, code end
    if now ~= set then set, known = now, {} end -- the description has changed
    for _, sensor in ipairs(set.sensors) do
      local after = known[sensor.number]
      local answer
      if after then
        answer, message, code = query(session, "record", { sensor = sensor.number, after = after })
      else
        answer, message, code = query(session, "sense", readings.question(sensor))
      end
      local more = answer and readings.list(body, { answer })
      if not answer and code ~= "ELINK" and code ~= "ENONE" and code ~= "ETIMEOUT" then return nil, message, code end
      known[sensor.number] = after or answer and 0
      for _, reading in ipairs(more or {}) do
        local lost = after and reading.number - known[sensor.number] - 1 or 0
        reading.dropped = lost > 0 and lost or nil
        known[sensor.number] = reading.number
        list[#list + 1] = reading
      end
    end
    table.sort(list, function(a, b) return a.time < b.time end)
    return list
  end
  return broadcast.record(session, fetch, 1 / rate, fn)
end

-- Adds it to the class of sessions. query(session, op, fields): sends and waits.
return function(Session, query)
  ---The newest reading of a sensor, by its name; of all sensors of a kind, or of a list of names, all in one. A table:
  ---values by name (docs/sensors.md), time, age in s. nil, message, code: "NA" when there is none.
  function Session:sense(what)
    local set, message, code = readings.find(self.body, what, "sense")
    if not set then return nil, message, code end
    local answers = {}
    for i, question in ipairs(set.questions) do
      answers[i], message, code = query(self, "sense", question)
      if not answers[i] then return nil, message, code end
    end
    return readings.of(self.body, set, answers)
  end

  ---Calls fn with each new reading of the sensors, as of sense, in a task of its own, until the handle's cancel. Of
  ---several new ones it gets the newest. options: rate, times a second at most (default: that of the sensors);
  ---all = true: each reading of each sensor, none left out as long as the server keeps them, and `dropped` counts
  ---the ones lost before it. Without fn the handle's next(timeout) waits for them.
  function Session:watch(what, options, fn)
    if type(options) == "function" and fn == nil then options, fn = nil, options end
    options = checked.options(options, OPTIONS, "watch")
    if fn ~= nil and type(fn) ~= "function" then mistake("watch: want a function, got %s", type(fn)) end
    local set, message, code = readings.find(self.body, what, "watch")
    if not set then return nil, message, code end
    local rate = rate_of(set, options)
    if self.closed then return nil, "the session is closed", "ECLOSED" end
    if options.all then return record(self, set, what, query, rate, fn) end
    return watch(self, what, rate, fn)
  end
end
