-- Raises a mistake of a script at the line of the script that has called into this library.
local caller = require "robotalk.mistakes.caller"

return function(form, ...)
  local level = caller()
  error(form:format(...), level)
end
