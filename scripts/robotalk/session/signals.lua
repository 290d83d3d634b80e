-- The signals of a robot: those of commands that were carried out.
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"

-- good: by signal, in capitals, whether it was carried out, completely or as far as the body can.
local signals = { good = {} }
for name in pairs(core.spec().signals) do
  signals.good[name:upper()] = name == "success" or name == "modified"
end

---Whether a command was carried out: a signal or a result of SUCCESS or MODIFIED. false for all others, and for nil,
---which a command returns when the link has failed. Raises for other values.
function signals.ok(word)
  if word == nil then return false end
  local signal = type(word) == "table" and word.signal or word
  local good = signals.good[signal]
  if good == nil then
    mistake("ok: want a signal or a result, got %s", type(signal) == "string" and ("'%s'"):format(signal)
      or math.type(signal) == "integer" and "a ticket" or type(signal))
  end
  return good
end

return signals
