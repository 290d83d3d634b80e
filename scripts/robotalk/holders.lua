-- The user's programs that have serial ports, or pseudo-terminals in the place of one, by /proc.
local shell = require "robotalk.shell"

local holders = {}

---A list of { path =, process =, name = } below another root, "" for this machine. A program's own terminal does not
---count, and the program at the other end of a pseudo-terminal does not.
function holders.list(root)
  local found, own, behind, list, process = {}, {}, {}, {}, nil
  local pipe <close> = io.popen("ls -l " .. shell.quoted(root) .. "/proc/[0-9]*/fd 2>/dev/null")
  for line in pipe:lines() do
    process = tonumber(line:match "/proc/(%d+)/fd:$") or process
    local number, path = line:match " (%d+) %-> (/dev/.*)$"
    if path and path:find "ptmx$" then behind[process] = true
    elseif path and path:find "^/dev/pts/%d" and tonumber(number) <= 2 then own[process .. path] = true
    elseif path and (path:find "^/dev/tty[UA][SCM][BMA]" or path:find "^/dev/pts/%d") then
      found[#found + 1] = { path = path, process = process }
    end
  end
  for _, one in ipairs(found) do
    if not (one.path:find "^/dev/pts/" and (behind[one.process] or own[one.process .. one.path])) then
      local file <close> = io.open(("%s/proc/%d/comm"):format(root, one.process))
      one.name = file and file:read "l" or "?"
      list[#list + 1] = one
    end
  end
  return list
end

---What has a port, to append to a message: "; robotalk (123) has it", or "".
function holders.of(path)
  local pipe <close> = io.popen("readlink -f -- " .. shell.quoted(path))
  path = pipe:read "l"
  for _, one in ipairs(holders.list "") do
    if one.path == path then return ("; %s (%d) has it"):format(one.name, one.process) end
  end
  return ""
end

return holders
