-- Whether the results of a function are a success: the rule for leaves and conditions of behaviour trees.
local good = require "robotalk.session.signals".good

---true; or false and why. who: the name of the function, for mistakes: no value at all, or a text that is no
---signal. SUCCESS and true values are successes; MODIFIED is one, unless the goal was missed or another command took
---over. what, more: the reason and the result after a signal, or the message of a failure.
return function(who, ...)
  if select("#", ...) == 0 then
    error(("%s returned nothing: want true, false, or what a command returns"):format(who), 0)
  end
  local value, what, more = ...
  if type(value) ~= "string" then
    if value then return true end
    return false, type(what) == "string" and what or nil
  end
  if good[value] == nil then error(("%s returned %q, which is no signal of a robot"):format(who, value), 0) end
  local missed = value == "MODIFIED" and type(more) == "table" and (more.off or more.superseded)
  if good[value] and not missed then return true end
  return false, value .. (what and ": " .. what or "")
end
