-- Retained notices in words: rows of spec/messages.lua with `retained`.
local printable = require "robotalk.text.text".printable

local retained, rows = {}, {}
for _, notice in ipairs(require "spec.messages".notices) do
  if notice.retained then rows[notice[1]] = notice end
end

---The newest notice of that name in words, and whether it differs from a new robot's; nothing: the name is of no
---retained notice, there was none, or it has no words. Also who panicked, or reset that, if it was a client.
---known: of client:session().
function retained.words(name, known)
  if (name == "panicked" or name == "reset") and known and known.panic_name ~= "" then
    return ("%s by %s"):format(name, printable(known.panic_name)), true
  end
  local row, body = rows[name], known and known.retained[name]
  if not row or not body then return nil end
  local differs = body[row.body[1][1]] ~= row.retained.new
  local words = differs and row.retained.on or row.retained.off
  return words and words:gsub("{(%w+)}", function(field)
    local value = body[field]
    return type(value) == "string" and printable(value) or ("%g"):format(value)
  end), differs
end

---The first field of the newest notice of that name to a session of a link, if it is a text, or who panicked or reset
---that; or nil.
function retained.text(name, link, number)
  local alarm = name == "panicked" or name == "reset"
  local known = (rows[name] or alarm) and link:session(number)
  if alarm then return known and known.panic_name end
  local body = known and known.retained[name]
  local text = body and body[rows[name].body[1][1]]
  return type(text) == "string" and text or nil
end

---The words of all that differ from a new robot's, in a list.
function retained.all(known)
  local list = {}
  for name in pairs(rows) do
    local words, differs = retained.words(name, known)
    if differs then list[#list + 1] = words end
  end
  table.sort(list)
  return list
end

return retained
