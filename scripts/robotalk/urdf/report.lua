-- The report on a file: errors, for which it is refused, and notes. All are collected, each with the line and column of
-- its element; repeated ones become one note with a count.
local report = {}
report.__index = report

local MOST = 1000 -- entries of a list; a file may have a hundred thousand errors

function report.new() return setmetatable({ errors = {}, notes = {}, kinds = {} }, report) end

-- Texts of the file within messages, short enough to be read.
local function shown(x)
  if type(x) ~= "string" then return x end
  x = x:gsub("%c", " ")
  if #x <= 60 then return x end
  return x:sub(1, 57):gsub("[\xC0-\xFF]?[\x80-\xBF]*$", "", 1) .. "…"
end

local function entry(list, node, message)
  if #list > MOST then return nil end
  if #list == MOST then message = "there are more; these are the first" end
  local e = { line = node and node.line or 1, column = node and node.column or 1, message = message }
  list[#list + 1] = e
  return e
end

local function form_message(form, ...)
  local values = table.pack(...)
  for i = 1, values.n do values[i] = shown(values[i]) end
  return form:format(table.unpack(values, 1, values.n))
end

---Adds an error at an element; texts are cut short.
function report:fail(node, form, ...) entry(self.errors, node, form_message(form, ...)) end

---Adds a note; returned so that the caller can add `path` and `guess`, nil when there are too many.
function report:note(node, form, ...) return entry(self.notes, node, form_message(form, ...)) end

---A note that is made once for all of a kind.
function report:note_kind(kind, node, form, ...)
  local e = self.kinds[kind]
  if e == nil then
    e = self:note(node, form, ...) or false
    if e then e.count = 0 end
    self.kinds[kind] = e
  end
  if e then e.count = e.count + 1 end
end

---Adds a note on a guessed value: the text says where it comes from. path: such as "joints[1].dofs[1].home".
function report:guess(node, path, form, ...)
  local e = self:note(node, form, ...)
  if e then e.guess, e.path = true, path end
end

---The errors or the notes in the order of the file.
function report:sorted(list)
  for _, e in ipairs(list) do
    if e.count and e.count > 1 then e.message = ("%s (%d times)"):format(e.message, e.count) end
    e.count = nil
  end
  local order = {}
  for i, e in ipairs(list) do order[e] = i end
  table.sort(list, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    if a.column ~= b.column then return a.column < b.column end
    return order[a] < order[b]
  end)
  return list
end

return report
