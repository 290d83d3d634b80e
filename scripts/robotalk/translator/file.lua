-- A translator's file that clients are to be given: whether it is one, and whether it runs contained.
local core = require "robotalk.core"
local opened = require "robotalk.translator.opened"

local file = { LONGEST = 1 << 16 } -- bytes of a text

---What is wrong with the file at a path, with its line where there is one; nil: nothing.
function file.wrong(path)
  local name = path:match "([%w_]+)%.lua$"
  if not name then return path .. ": expected a file name such as my_stick.lua" end
  local text, why = core.read_file(path, file.LONGEST)
  if not text then return why end
  local good
  good, why = opened.read(text, name)
  if good then return nil end
  why = why:gsub("^translator [%w_]+: ", "")
  local line, words = why:match("^" .. name .. "%.lua:(%d+): (.*)$")
  return ("%s:%s: %s"):format(path, line or 1, words or why)
end

return file
