-- What sessions have for sensors: asking for readings.
local readings = require "robotalk.readings"

-- Adds it to the class of sessions. query(session, op, fields): asks and waits.
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
end
