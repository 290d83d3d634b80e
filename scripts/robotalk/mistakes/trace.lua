-- Errors of scripts for people: the message, and the script's own lines that led there.
local core = require "robotalk.core"

-- Whether a line of a traceback, or a message, is of a bundled script, or of C.
local function is_inner(line)
  local file = line:match "^(.-):%d+:"
  return line:find "^%[C%]" ~= nil or line:find "^%(%.%.%." ~= nil or file ~= nil and core.script(file) ~= nil
end

-- "x.lua:5: in local 'visit'" as "  called at x.lua:5, in visit". by: the frame that has called it, which named it.
local function told(frame, by)
  local place, what = frame:match "^(.-:%d+): in (.*)$"
  if not place then return "  " .. frame end
  local name = not is_inner(by) and what:match "'([^'?]+)'$"
  return "  called at " .. place .. (name and ", in " .. name or "")
end

---A message with a traceback, or with several, for people: the frames of this library and of C are left out. An error
---in this library keeps them.
return function(message)
  if is_inner(message) then return message end
  local lines, frames, seen, tracing = {}, {}, {}, false
  local place = message:match "^(.-:%d+:)"
  for line, by in message:gmatch "([^\n]*)\n?()" do
    local frame = line:match "^\t(.*)"
    if line == "stack traceback:" then
      tracing = true
    elseif tracing and frame then
      local above = #frames == 0 and place and frame:sub(1, #place) == place -- the line that the message names
      local text = not above and not is_inner(frame) and told(frame, message:match("^\t?([^\n]*)", by))
      if text and not seen[text] then
        frames[#frames + 1] = text
        seen[text] = true
      end
    else
      tracing = false
      lines[#lines + 1] = line
      seen[line] = true
    end
  end
  return table.concat(table.move(frames, 1, #frames, #lines + 1, lines), "\n")
end
