-- The result of a command for a script. print shows it in a few words.
local Result = { __name = "robotalk.Result" }

local function time(seconds)
  return math.abs(seconds) < 0.9995 and ("%.3g ms"):format(seconds * 1e3) or ("%.3g s"):format(seconds)
end

function Result:__tostring()
  local words = {}
  if self.executed then words[1] = "took " .. time(self.finished - self.executed) end
  if self.lateness and self.lateness >= 1e-3 then words[#words + 1] = "began " .. time(self.lateness) .. " late" end
  if self.off then words[#words + 1] = ("off by %.3g m, %.3g rad"):format(self.off.position, self.off.rotation) end
  if self.left_out then words[#words + 1] = "left out: " .. table.concat(self.left_out, " ") end
  if self.superseded then words[#words + 1] = "superseded" end
  if self.clipped then words[#words + 1] = "clipped: " .. table.concat(self.clipped, " ") end
  return #words > 0 and table.concat(words, ", ") or "never began"
end

return Result
