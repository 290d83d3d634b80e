-- Raises a mistake of a script's at the line of the script that has called into this library.
return function(form, ...)
  local level = 2
  while true do
    local info = debug.getinfo(level, "Sl")
    if not info or (info.currentline > 0 and not info.source:find "^@robotalk/") then break end
    level = level + 1
  end
  error(form:format(...), level)
end
