-- Messages of Gamebots' clients for a bridge's behaviours: read by the server's own grammar.
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"

local Message = {}
Message.__index = Message

function Message:__tostring() return self.line end

---The value of the first group of that name, in whatever case; nil: there is none.
function Message:get(name)
  for _, group in ipairs(self) do
    if group[1]:lower() == name:lower() then return group[2] end
  end
end

---The same as a number; nil: it is none.
function Message:number(name)
  local text = self:get(name)
  return text and text:find "^[%d.eE+-]+$" and tonumber(text) or nil
end

---The same as true or false; nil: it is neither.
function Message:flag(name)
  local WORDS <const> = { ["true"] = true, yes = true, on = true, ["1"] = true,
    ["false"] = false, no = false, off = false, ["0"] = false }
  return WORDS[(self:get(name) or ""):lower()]
end

colon.methods(Message, "message")

---A line as a message: type, in upper case; line; its groups { name, value } in their order. nil: it is none.
return function(line)
  local message = core.bridge_parse(line)
  if not message then return nil end
  message.type, message.line = message.type:upper(), line
  return setmetatable(message, Message)
end
