-- Checks a translator's file for clients: whether it is one, and whether it runs contained.
local core = require "robotalk.core"
local opened = require "robotalk.translator.opened"

local file = { LONGEST = 1 << 16 } -- bytes of a text

---The errors of the file at a path, as lines, each with its line of the file if there is one; empty: none.
function file.wrong(path)
  local name = path:match "([%w_]+)%.lua$"
  if not name then return { path .. ": expected a file name such as my_stick.lua" } end
  local text, why = core.read_file(path, file.LONGEST)
  if not text then return { why } end
  local good, message, wrong = opened.read(text, name)
  if good then return {} end
  local before = text:match "^(.-)%f[%w_]require%f[^%w_]"
  if before and not wrong then
    local line = select(2, before:gsub("\n", "")) + 1
    return { ("%s:%d: it requires other modules: a client could not run it"):format(path, line) }
  end
  -- by the path that the user has given
  local place = "^" .. name .. "%.lua:(%d+): (.*)$"
  local lines = wrong or { (message:gsub("^translator [%w_]+: ", "")) }
  for i, said in ipairs(lines) do
    local line, words = said:match(place)
    lines[i] = ("%s:%s: %s"):format(path, line or 1, words or said)
  end
  return lines
end

return file
