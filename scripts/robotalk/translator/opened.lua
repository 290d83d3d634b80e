-- An open translator: a file's table with its context of a device and an object. A custom one is
-- called directly; an untrusted one is contained (bindings/lua/contained.c).
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local checked = require "robotalk.mistakes.checked"
local format = require "robotalk.translator.format"
local mistake = require "robotalk.mistakes.mistake"
local printable = require "robotalk.text.text".printable
local source = require "robotalk.descriptor.source"

local Translator = {}
Translator.__index = Translator
Translator.__name = "robotalk.translator.Translator"

local FUNCTIONS <const> = { "open", "to_standard", "from_standard" }
local FIELDS <const> = { name = "string", doc = "string", options = "table", from = "table", to = "table",
  open = "function", to_standard = "function", from_standard = "function" }
-- Untrusted ones get no pictures: 640 x 480 gray pixels, each changed once, take eight calls' instructions.
local NO_PICTURES <const> = "pictures are translated by rgb, gray and jpeg, and by a user's own translator: "
  .. "one that is contained has too little time for them"
local GIVEN <const> = { object = true, device = true, model = true } -- fields for all translators

local FAULTS <const> = 8 -- reported errors of a file
local OPTIONS <const>, LONGEST <const> = 64, 63 -- of a file at most, and bytes of the name of one

-- The fields of a table by name, so that messages on them have an order.
local function fields_of(file)
  local names = {}
  for field in pairs(file) do names[#names + 1] = field end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  return names
end

-- The error in the options of a file; nil: none.
local function options_fault(options)
  local count = 0
  for name in pairs(options) do
    count = count + 1
    if type(name) ~= "string" or #name > LONGEST or printable(name) ~= name then
      return ("expected names of at most %d bytes without control characters"):format(LONGEST)
    end
  end
  if count > OPTIONS then return ("expected at most %d, got %d"):format(OPTIONS, count) end
end

-- The errors of a file's table: a list of { path =, message = }; if there are none, its formats, too. contained: it
-- is untrusted.
local function examine(file, contained)
  local faults, formats = {}, {}
  local function add(path, form, ...)
    if #faults < FAULTS then faults[#faults + 1] = { path = path, message = form:format(...) } end
  end
  if type(file) ~= "table" then
    add("", "expected a table, got %s", type(file))
    return faults
  end
  for _, field in ipairs(fields_of(file)) do
    if not FIELDS[field] then
      add(tostring(field):sub(1, LONGEST),
        "expected one of name, doc, options, from, to, open, to_standard, from_standard")
    elseif type(file[field]) ~= FIELDS[field] then
      add(field, "expected a %s, got %s", FIELDS[field], type(file[field]))
    elseif field == "options" then
      local fault = options_fault(file.options)
      if fault then add(field, "%s", fault) end
    elseif field == "from" or field == "to" then
      for _, fault in ipairs(format.faults(file[field])) do
        add(fault.path == "" and field or field .. "." .. fault.path, "%s", fault.message)
      end
      formats[field] = format.of(file[field])
      if contained and formats[field] and formats[field].type == "video" then
        add(field .. ".type", "expected control, text or binary: %s", NO_PICTURES)
      end
    end
  end
  if file.to_standard == nil and file.from_standard == nil then
    add("", "expected a function to_standard or from_standard")
  end
  if formats.from and formats.to and formats.from.type ~= formats.to.type then
    add("to", "expected the type %s of from, got %s", formats.from.type, formats.to.type)
  end
  return faults, formats
end

-- These errors as text, each with its place by the function place(path).
local function words_of(faults, place)
  local words = {}
  for i, fault in ipairs(faults) do
    words[i] = place(fault.path) .. (fault.path == "" and "" or fault.path .. ": ") .. fault.message
  end
  return table.concat(words, "; ")
end

-- "NAME.lua:LINE: " if the text does not begin with a place.
local function placed(self, name, words)
  if words:find "^[^\n:]+:%d+: " then return words end
  local line = self.lines[name]
  return line and ("%s:%d: %s: %s"):format(self.file, line, name, words) or words
end

-- Handles a failure: nil, message, code. A contained one is not called again.
local function failed(self, name, words)
  local message = ("translator %s: %s"):format(self.name, printable(placed(self, name, tostring(words))))
  if self.contained then
    self.ended = message
    self.contained:close()
  end
  return nil, message, "EFAILED"
end

-- Calls one of its functions: true, and the first two values; or false, text.
local function call(self, name, ...)
  if self.contained then
    local list, words = self.contained:call(name, self.changing, ...)
    if not list then return false, words end
    return true, list[1], list[2]
  end
  for key, value in pairs(self.changing) do self.context[key] = value end
  local arguments = { ... }
  arguments[#arguments + 1] = self.context
  local ok, value, why = pcall(self.functions[name], table.unpack(arguments))
  if not ok then return false, type(value) == "string" and value or "it raised no text" end
  return true, value, why
end

local function translate(self, name, values, present, into)
  if self.ended then return nil, self.ended, "EFAILED" end
  if not self.can[name] then
    return nil, ("translator %s has no function %s"):format(self.name, name), "NA"
  end
  if self.contained and format.guess(values).type == "video" then
    return nil, ("translator %s: %s"):format(self.name, NO_PICTURES), "NA"
  end
  self.changing.now, self.changing.present = core.now(), present or false
  local ok, result, why = call(self, name, values)
  if not ok then return failed(self, name, result) end
  if result == nil then
    why = type(why) == "string" and printable(why) or "it has no answer"
    return nil, ("translator %s: %s"):format(self.name, why), "ERANGE"
  end
  local fault = format.fault(into or format.guess(values), result)
  if fault then return failed(self, name, "it gives what is wrong: " .. fault) end
  return result
end

-- Raises for values of a script that are not of the format.
local function check_values(given, values, name)
  local fault = given and format.fault(given, values)
  if fault then mistake("%s: %s", name, fault) end
end

---Values of the device in the standard format; or nil, message, code.
function Translator:to_standard(values)
  check_values(self.from, values, "to_standard")
  return translate(self, "to_standard", values, nil, self.to)
end

---Values of the standard format in that of the device; or nil, message, code. present: the device's present
---values, if they are known: a search for a posture begins there.
function Translator:from_standard(values, present)
  check_values(self.to, values, "from_standard")
  if present ~= nil then check_values(self.from, present, "from_standard: present") end
  return translate(self, "from_standard", values, present, self.from)
end

---Ends it: a contained one gives its memory back.
function Translator:close()
  if self.contained then self.contained:close() end
  self.ended = self.ended or ("translator %s is closed"):format(self.name)
end
Translator.__close = Translator.close

function Translator:__tostring() return ("translator %s"):format(self.name) end

-- Raises for fields of a context that the translator does not declare.
local function check_context(name, options, context)
  if type(context) ~= "table" then mistake("translator %s: want a table, got %s", name, type(context)) end
  local allowed = {}
  for field in pairs(GIVEN) do allowed[field] = true end
  for field in pairs(options or {}) do if type(field) == "string" then allowed[field] = true end end
  checked.options(context, allowed, "translator " .. name)
end

local function lines_of(file)
  local lines, path = {}, nil
  for _, name in ipairs(FUNCTIONS) do
    local info = file[name] and debug.getinfo(file[name], "S")
    if info then lines[name], path = info.linedefined, path or info.short_src end
  end
  return lines, path
end

-- Its own open, if it has one: the translator; or nil, message, code.
local function begun(self)
  if not self.can.open then return self end
  self.changing.now, self.changing.present = core.now(), false
  local ok, fine, why = call(self, "open")
  if not ok then return failed(self, "open", fine) end
  if not fine then
    self:close()
    why = type(why) == "string" and printable(why) or "it refuses"
    return nil, ("translator %s: %s"):format(self.name, why), "EINVAL"
  end
  return self
end

local function made(file, formats, fields)
  fields.from, fields.to, fields.can, fields.changing = formats.from, formats.to, {}, {}
  for _, name in ipairs(FUNCTIONS) do fields.can[name] = file[name] ~= nil end
  return setmetatable(fields, Translator)
end

local opened = {}

---The errors of a file's table, as lines: "FILE:LINE: FIELD: what", in their order. text: the file's; contained:
---it is untrusted.
function opened.wrong(file, path, text, contained)
  local faults, lines = examine(file, contained), {}
  if #faults == 0 then return lines end
  local line_of = source.lines(text)
  for i, fault in ipairs(faults) do fault.line, fault.order = line_of(fault.path), i end
  table.sort(faults, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.order < b.order
  end)
  for i, fault in ipairs(faults) do
    lines[i] = printable(words_of({ fault }, function() return ("%s:%d: "):format(path, fault.line) end))
  end
  return lines
end

---Opens a file's table under a name: the translator; or nil, message, code.
function opened.own(file, name, context)
  local faults, formats = examine(file)
  if #faults > 0 then mistake("translator %s: %s", name, words_of(faults, function() return "" end)) end
  check_context(name, file.options, context)
  local known = {}
  for key, value in pairs(context) do known[key] = value end
  local lines, path = lines_of(file)
  return begun(made(file, formats, { name = name, functions = file, context = known, lines = lines,
    file = path }))
end

-- The fields of a context for a contained one: plain values. The model is passed separately.
local function plain(context)
  local fields = {}
  for key, value in pairs(context) do if key ~= "model" then fields[key] = value end end
  return fields
end

-- Runs an untrusted text: the box, its table in which functions do nothing, its formats, the lines of its
-- functions; or nil, message, and the errors of the table as lines.
local function run(text, name, context, model)
  local box, list = core.contained(text, name, context, model)
  if not box then return nil, ("translator %s: %s"):format(name, printable(list)) end
  local faults, formats = examine(list[1], true)
  if #faults == 0 then return box, list[1], formats, list[2] end
  box:close()
  local wrong = opened.wrong(list[1], name .. ".lua", text, true)
  return nil, ("translator %s: %s"):format(name, table.concat(wrong, "; ")), wrong
end

---The table of an untrusted text; or nil, message, and the errors of the table as lines.
function opened.read(text, name)
  local box, file, wrong = run(text, name, {})
  if not box then return nil, file, wrong end
  box:close()
  return file
end

---Opens an untrusted text: contained.
function opened.contained(text, name, context)
  if type(context) ~= "table" then mistake("translator %s: want a table, got %s", name, type(context)) end
  local box, file, formats, lines = run(text, name, plain(context), context.model)
  if not box then return nil, file, "EFAILED" end
  -- the mistake may be the user's or that of the untrusted text
  local ok, wrong = pcall(check_context, name, file.options, context)
  if not ok then
    box:close()
    return nil, wrong:match "translator .*" or wrong, "EINVAL"
  end
  return begun(made(file, formats, { name = name, contained = box, lines = lines, file = name .. ".lua" }))
end

colon.methods(Translator, "translator")

return opened
