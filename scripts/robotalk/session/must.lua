-- session.must: the methods of a session, raising where these return a failure, or a signal other than SUCCESS and
-- MODIFIED.
local failure = require "robotalk.mistakes.failure"
local mistake = require "robotalk.mistakes.mistake"
local signals = require "robotalk.session.signals"

-- The results of a method, or its error; name: of the method.
local function must(name, ...)
  local word, why, result = ...
  local refused = type(word) == "string" and signals.good[word] == false
  if refused then failure(("%s: %s%s"):format(name, word, why and ", " .. why or ""), word) end
  if word == nil and type(why) == "string" then failure(("%s: %s"):format(name, why), result) end
  return ...
end

return function(session)
  return setmetatable({}, { __name = "robotalk.Must", __index = function(this, name)
    local method = session[name]
    if type(method) ~= "function" then return nil end
    return function(self, ...)
      if not rawequal(self, this) then mistake("%s: call it with a colon: robot.must:%s(…)", name, name) end
      return must(name, method(session, ...))
    end
  end })
end
