-- A stand-in for a server of USARSim: a port of which the driver gamebots reads what tests have it say. It has one line
-- for each line that begins as one of `answers`; what it says is read in pieces of so many bytes at most. tell(text)
-- says a line; got: lines that have come. full = true: it takes no more.
local task = require "robotalk.task"

local last = 1 << 41 -- no port of this process has such a number

return function(answers, piece)
  last = last + 1
  local port = { number = last, got = {} }
  port.out = "NFO {Gametype BotDeathMatch} {Level DM-Mapping_250} {TimeLimit 0}\r\n"
  function port.handle() return port.number end
  function port.tell(text)
    port.out = port.out .. text .. "\r\n"
    task.wake("readable" .. port.number)
  end
  function port:read()
    local bytes = self.out:sub(1, piece)
    self.out = self.out:sub(piece + 1)
    if self.over and bytes == "" then return nil, "the connection was closed" end
    return bytes ~= "" and bytes
  end
  function port:write(bytes)
    if self.full then return 0 end
    for line in bytes:gmatch "[^\r\n]+" do
      self.got[#self.got + 1] = line
      for begin, text in pairs(answers) do if line:find(begin, 1, true) == 1 then self.tell(text) end end
    end
    return #bytes
  end
  function port:close()
    self.over = true
    task.wake("readable" .. self.number)
  end
  return port
end
