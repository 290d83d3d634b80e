-- Checks a descriptor against spec/descriptor.lua: every field of every table, all errors at once. Its result
-- has one form for each field: a list where people may write one word, a number where they may write a pair.
local core = require "robotalk.core"
local near = require "robotalk.mistakes.near"
local spatial = require "robotalk.robot.spatial"
local spec = require "spec.descriptor"

local MOST = 2e6 -- default bound of a quantity: the greatest that the wire carries in billionths
local BOUND <const> = ("%g"):format(MOST)
local MOST_OPTION_NAME, MOST_OPTION_TEXT = 63, 1023 -- characters, as in core/robotalk/driver.h
local MOST_ERRORS, MOST_KEYS, MOST_LETTERS = 100, 1000, 40 -- errors; keys of a table; letters of a key

-- The fields that people write: a record has further fields, which other modules make.
local kinds = {}
for name, kind in pairs(spec.kinds) do
  kinds[name] = { max = kind.max }
  for _, field in ipairs(kind) do
    if field[2] then table.insert(kinds[name], field) end
  end
end

local check = { kinds = kinds, words = spec.words, WORLD = spec.world, NOTHING = spec.nothing,
  CLEAR = 0x01010100 } -- "#00000000", since 0 is a colour that is not given: practically black, and as clear

---A value as an error shows it.
function check.show(value)
  if value == nil then return "nothing" end
  if type(value) == "string" then return ("%q"):format(#value > 40 and value:sub(1, 37) .. "..." or value) end
  if value ~= value then return "NaN" end
  if type(value) ~= "table" then return tostring(value) end
  local items = {}
  for i, item in ipairs(value) do
    if i > 6 then items[#items + 1] = "…" break end
    items[i] = type(item) == "table" and "{…}" or check.show(item)
  end
  return #items > 0 and ("{ %s }"):format(table.concat(items, ", ")) or next(value) ~= nil and "a table" or "{}"
end

---The errors of a descriptor: a list of { path =, message = }. A file may have a hundred thousand errors:
---when the list is full, `more` is set, and check.FULL is raised in the caller that fills it.
local Report = {}
Report.__index = Report
check.FULL = setmetatable({}, { __tostring = function() return "too many errors" end })
function Report:add(path, form, ...)
  if #self == MOST_ERRORS then
    self.more = true
    error(check.FULL, 0)
  end
  self[#self + 1] = { path = path, message = form:format(...) }
end

-- Whether a value is a number beyond the bound of all quantities, or contains one, as a matrix may.
local function is_beyond(value, deep)
  if type(value) == "number" then return math.abs(value) > MOST end
  for i = 1, type(value) == "table" and deep < 3 and math.min(#value, 9) or 0 do
    if is_beyond(value[i], deep + 1) then return true end
  end
  return false
end

-- is_bounded: the expected text contains the bounds.
function Report:expected(path, what, value, is_bounded)
  local bound = is_beyond(value, 0) and not is_bounded and ", none beyond " .. BOUND or ""
  self:add(path, "expected %s%s, got %s", what, bound, check.show(value))
end
function check.report() return setmetatable({}, Report) end

local function join(path, key)
  if type(key) ~= "string" then return ("%s[%s]"):format(path, tostring(key)) end
  if #key > MOST_LETTERS then key = key:sub(1, MOST_LETTERS - 3) .. "..." end
  key = key:gsub("%c", "?")
  return path == "" and key or path .. "." .. key
end
check.join = join

local function is_number(x) return type(x) == "number" and x == x and x > -math.huge and x < math.huge end

-- n numbers in a row, and nothing else.
local function numbers(value, n)
  if type(value) ~= "table" or #value ~= n then return nil end
  local out, count = {}, 0
  for i = 1, n do
    if not is_number(value[i]) or math.abs(value[i]) > MOST then return nil end
    out[i] = value[i] + 0.0
  end
  for _ in pairs(value) do count = count + 1 end
  return count == n and out or nil
end

local function rows(value)
  local out = {}
  for i = 1, 3 do
    local row = type(value) == "table" and #value == 3 and numbers(value[i], 3)
    if not row then return nil end
    table.move(row, 1, 3, #out + 1, out)
  end
  return out
end

local function quoted(words)
  local out = {}
  for i, word in ipairs(words) do out[i] = ('"%s"'):format(word) end
  return table.concat(out, ", ", 1, #out - 1) .. " or " .. out[#out]
end

local function is_word(value, words)
  for _, word in ipairs(words) do if value == word then return true end end
end

local function is_rotation(r)
  for i = 0, 2 do
    for k = i, 2 do
      local dot = r[3 * i + 1] * r[3 * k + 1] + r[3 * i + 2] * r[3 * k + 2] + r[3 * i + 3] * r[3 * k + 3]
      if math.abs(dot - (i == k and 1 or 0)) > 1e-6 then return false end
    end
  end
  return r[1] * (r[5] * r[9] - r[6] * r[8]) - r[2] * (r[4] * r[9] - r[6] * r[7])
    + r[3] * (r[4] * r[8] - r[5] * r[7]) > 0
end

-- At most that many keys of a table, in order.
local function keys_of(t, most)
  local keys, kind = {}, nil
  for key in pairs(t) do
    keys[#keys + 1] = key
    kind = (not kind or kind == type(key)) and type(key) or "mixed"
    if #keys == most then break end
  end
  table.sort(keys, kind ~= "string" and kind ~= "number" and function(a, b)
    if type(a) == type(b) and type(a) ~= "table" and type(a) ~= "boolean" then return a < b end
    return type(a) < type(b)
  end or nil)
  return keys
end
check.keys_of = keys_of

local record

-- Each type: value, field, path, report -> the value in its one form; nil after an error was reported.
local types = {}

function types.text(value, field, path, report)
  if type(value) == "string" and #value <= field.max and not value:find("[%z\n]") then
    if value ~= "" or not field.needed then return value end
  end
  report:expected(path, ("a text of at most %d characters"):format(field.max), value)
end

local function in_range(x, field)
  return is_number(x) and x >= (field.least or -MOST) and x <= (field.most or MOST)
end

-- The description of a quantity, with its unit and bounds; the second: whether it contains the bounds.
local function quantity(field, what)
  local unit = field.unit and not field.unit:find("^dof") and " in " .. field.unit or ""
  if field.least == 0 and not field.most then return ("%s%s, 0 or more"):format(what, unit), false end
  if field.least then return ("%s%s, %g to %g"):format(what, unit, field.least, field.most or MOST), true end
  if field.most then return ("%s%s, at most %g"):format(what, unit, field.most), true end
  return what .. unit, false
end

-- Reports a value that is no such quantity.
local function expect_quantity(report, path, field, what, value)
  local text, is_bounded = quantity(field, what)
  report:expected(path, text, value, is_bounded)
end

function types.number(value, field, path, report)
  if in_range(value, field) then return value + 0.0 end
  expect_quantity(report, path, field, "a number", value)
end

function types.whole(value, field, path, report)
  if in_range(value, field) and math.type(math.tointeger(value)) then return math.tointeger(value) end
  expect_quantity(report, path, field, "a whole number", value)
end

function types.flag(value, _, path, report)
  if type(value) == "boolean" then return value end
  report:expected(path, "true or false", value)
end

function types.place(value, field, path, report)
  local out = numbers(value, 3)
  if out then return out end
  expect_quantity(report, path, field, "three numbers { x, y, z }", value)
end

function types.spot(value, field, path, report)
  local out = numbers(value, 2)
  if out then return out end
  expect_quantity(report, path, field, "two numbers { x, y }", value)
end

function types.path(value, field, path, report)
  local out = {}
  for i, spot in ipairs(type(value) == "table" and value or {}) do
    out[i] = types.spot(spot, field, ("%s[%d]"):format(path, i), report) or { 0, 0 }
  end
  if #out >= 2 and #out <= 256 then return out end
  report:expected(path, "a list of 2 to 256 points { x, y }", value)
end

function types.starts(value, _, path, report)
  local out = {}
  for i, place in ipairs(type(value) == "table" and value or {}) do
    out[i] = numbers(place, 2) or numbers(place, 3) or numbers(place, 4)
    if not out[i] then
      report:expected(("%s[%d]"):format(path, i), "two to four numbers { x, y, heading, height }", place)
    end
  end
  if type(value) == "table" and #value == #keys_of(value, MOST_KEYS) and #value <= 256 then return out end
  report:expected(path, "a list of at most 256 places { x, y, heading, height }", value)
end

function types.angles(value, _, path, report)
  local out = numbers(value, 3)
  if out then return out end
  report:expected(path, "three angles { roll, pitch, yaw } in rad", value)
end

function types.turn(value, _, path, report)
  local angles = numbers(value, 3)
  if angles then
    local r = spatial.from_angles(angles)
    return { r[1][1], r[1][2], r[1][3], r[2][1], r[2][2], r[2][3], r[3][1], r[3][2], r[3][3] }
  end
  local matrix = rows(value)
  if matrix and is_rotation(matrix) then return matrix end
  report:expected(path, matrix and "a rotation: rows of unit length at right angles, right-handed"
    or "three angles { roll, pitch, yaw } or three rows of a rotation matrix", value)
end

function types.direction(value, _, path, report)
  local out = numbers(value, 3)
  local length = out and math.sqrt(out[1] ^ 2 + out[2] ^ 2 + out[3] ^ 2) or 0
  if math.abs(length - 1) < 1e-9 then return out end -- values from the wire are returned unchanged
  if length > 1e-6 then return { out[1] / length, out[2] / length, out[3] / length } end
  report:expected(path, "a direction { x, y, z }, not all 0", value)
end

function types.range(value, _, path, report)
  local out = numbers(value, 2)
  if out and out[1] <= out[2] then return out end
  report:expected(path, "two numbers, the lower first", value)
end

function types.tensor(value, _, path, report)
  local out = numbers(value, 6)
  local three, matrix = numbers(value, 3), rows(value)
  if three then out = { three[1], three[2], three[3], 0.0, 0.0, 0.0 } end
  if matrix then
    out = { matrix[1], matrix[5], matrix[9], matrix[2], matrix[3], matrix[6] }
    if matrix[2] ~= matrix[4] or matrix[3] ~= matrix[7] or matrix[6] ~= matrix[8] then
      return report:expected(path, "a symmetric matrix", value)
    end
  end
  if not out then
    return report:expected(path, "moments { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or three rows", value)
  end
  if spatial.is_definite(spatial.tensor(out)) then return out end
  report:expected(path, "an inertia that is positive definite", value)
end

function types.plane(value, field, path, report)
  if type(value) ~= "table" then return report:expected(path, "{ x =, y =, theta = }", value) end
  local out = { 0.0, 0.0, 0.0 }
  local place = { x = 1, y = 2, theta = 3 }
  for key, x in pairs(value) do
    if not place[key] then
      report:add(join(path, key), "expected one of x, y, theta")
    else
      out[place[key]] = types.number(x, field, join(path, key), report) or 0.0
    end
  end
  return out
end

function types.greatest(value, _, path, report)
  if is_number(value) and value >= 0 and value <= MOST then return value + 0.0 end
  local pair = numbers(value, 2)
  if pair and pair[1] <= pair[2] then return math.max(math.abs(pair[1]), math.abs(pair[2])) end
  report:expected(path, "a number, 0 or more", value)
end

function types.size(value, _, path, report)
  local list = is_number(value) and { value } or value
  local n = type(list) == "table" and #list or 0
  local out = n >= 1 and n <= 3 and numbers(list, n)
  if out then
    for i = 1, n do if out[i] < 0 then out = nil break end end
  end
  if out then return out end
  report:expected(path, "one to three numbers, 0 or more", value)
end

function types.each(value, field, path, report)
  local list = is_number(value) and { value } or value
  local n = type(list) == "table" and #list or 0
  local out = n >= 1 and n <= 3 and numbers(list, n)
  for i = 1, out and n or 0 do
    if out and out[i] < (field.least or -MOST) then out = nil end
  end
  if out then return out end
  expect_quantity(report, path, field, "a number, or a list of up to three", value)
end

function types.word(value, field, path, report)
  if is_word(value, field.words) then return value end
  report:expected(path, quoted(field.words), value)
end

function types.words(value, field, path, report)
  local list = type(value) == "table" and value or { value }
  for _, word in ipairs(list) do
    if not is_word(word, field.words) then list = {} break end
  end
  if #list > 0 or (type(value) == "table" and next(value) == nil) then return list end
  report:expected(path, quoted(field.words) .. " or a list of them", value)
end

function types.link(value, _, path, report)
  if type(value) == "string" or (math.type(value) == "integer" and value >= 0) then return value end
  report:expected(path, "the number or the name of a link", value)
end

function types.colour(value, _, path, report)
  local digits = type(value) == "string" and value:match("^#(%x+)$") or ""
  if #digits == 6 then digits = digits .. "ff" end
  if digits == "00000000" then return check.CLEAR end
  if #digits == 8 then return tonumber(digits, 16) end
  report:expected(path, '"#rrggbb" or "#rrggbbaa"', value)
end

---The number of a colour as people write it; nil: it is none.
function check.colour(text) return types.colour(text, nil, "", { expected = function() end }) end

function types.panic(value, field, path, report)
  if is_word(value, field.words) then return value end
  if type(value) ~= "table" or next(value) == nil then
    return report:expected(path, quoted(field.words) .. ", or a posture { joint = { dof = position } }", value)
  end
  for joint, dofs in pairs(value) do
    local where = join(path, joint)
    if type(joint) ~= "string" or type(dofs) ~= "table" then
      report:expected(where, "{ dof = position }", dofs)
    else
      for dof, x in pairs(dofs) do
        if not is_number(x) or math.abs(x) > MOST then report:expected(join(where, dof), "a number", x) end
      end
    end
  end
  return value
end

function types.commands(value, _, path, report)
  local known = core.spec().commands
  if type(value) ~= "table" then return report:expected(path, "a list of names of commands", value) end
  for i, name in ipairs(value) do
    if not known[name] then report:expected(("%s[%d]"):format(path, i), "the name of a command", name) end
  end
  return value
end

function types.rcml(value, _, path, report)
  if type(value) ~= "table" then return report:expected(path, "a table", value) end
  require "robotalk.rcml.kept".check(value, path, report)
  return value
end

-- Nested tables of a kind: one, list, named and numbered.
local nested = {}

function nested.one(value, kind, _, path, report) return record(value, kind, path, report) end

function nested.list(value, kind, field, path, report)
  local out, most = {}, field.max or kinds[kind].max
  for _, key in ipairs(keys_of(value, math.max(MOST_KEYS, most + 1))) do
    if math.type(key) ~= "integer" or key < 1 or key > #value then
      report:add(join(path, key), "expected a list: items without names, from 1 on")
    elseif key > most then
      report:add(join(path, key), "expected at most %d", most)
      break
    else
      out[#out + 1] = record(value[key], kind, join(path, key), report) or false
    end
  end
  return out
end

function nested.named(value, kind, _, path, report)
  local out, count = {}, 0
  for _, key in ipairs(keys_of(value, MOST_KEYS)) do
    if type(key) ~= "string" then
      report:add(join(path, key), "expected a name")
    else
      count = count + 1
      if count > kinds[kind].max then report:add(join(path, key), "expected at most %d", kinds[kind].max) end
      out[key] = record(value[key], kind, join(path, key), report) or {}
    end
  end
  return out
end

function nested.numbered(value, kind, field, path, report)
  local out, last, most = {}, nil, kinds[kind].max
  for _, key in ipairs(keys_of(value, MOST_KEYS)) do
    if math.type(key) ~= "integer" or key < 0 or key >= most or (key < field.first and kind == "frame") then
      report:add(join(path, key), "expected numbers from [%d] to [%d], as on the wire", field.first, most - 1)
    else
      local before = last or math.min(key, field.first) - 1
      if key ~= before + 1 then
        report:add(join(path, key), "expected no gap: [%d] is missing", before + 1)
      end
      last = key
      out[key] = record(value[key], kind, join(path, key), report) or false
    end
  end
  return out
end

local function check_field(value, field, path, report)
  local how, kind = field[2]:match("^(%l+) (%l+)$")
  if not how then return types[field[2]](value, field, path, report) end
  if type(value) ~= "table" then return report:expected(path, "a table", value) end
  return nested[how](value, kind, field, path, report)
end

-- An option of a driver: only the driver knows its meaning.
local function option(value, name, path, report)
  if #name > MOST_OPTION_NAME or name == "" or name:find("\0", 1, true) then
    report:add(path, "expected a name of at most %d characters", MOST_OPTION_NAME)
  elseif type(value) == "string" then
    return types.text(value, { max = MOST_OPTION_TEXT }, path, report)
  elseif is_number(value) or type(value) == "boolean" then
    return value
  else
    report:expected(path, "a text, a number, true or false", value)
  end
end

local NOUNS = { text = "a text", place = "three numbers { x, y, z }", spot = "two numbers { x, y }",
  path = "a list of 2 to 256 points { x, y }" }

function record(value, kind, path, report)
  if type(value) ~= "table" then return report:expected(path, "a table", value) end
  local fields, known, out = type(kind) == "table" and kind or kinds[kind], {}, {}
  for _, field in ipairs(fields) do known[field[1]] = field end
  for _, key in ipairs(keys_of(value, MOST_KEYS)) do
    if kind == "driver" and type(key) == "string" and not known[key] then
      out[key] = option(value[key], key, join(path, key), report)
    elseif not known[key] then
      local names = {}
      for i, field in ipairs(fields) do names[i] = field[1] end
      local hint = near(key, names)
      report:add(join(path, key), "%sexpected one of %s", hint and ("did you mean '%s'? "):format(hint) or "",
        table.concat(names, ", "))
    end
  end
  for _, field in ipairs(fields) do
    local name = field[1]
    if value[name] ~= nil then
      out[name] = check_field(value[name], field, join(path, name), report)
    elseif field.needed then
      report:add(join(path, name), "expected %s, got nothing",
        field[2] == "word" and quoted(field.words) or NOUNS[field[2]] or "a " .. field[2])
    end
  end
  return out
end

---Checks a table whose fields are these rows, written as in spec/descriptor.lua.
function check.fields(value, fields, path, report) return record(value, fields, path, report) end

---The descriptor with one form for every field; errors are added to the report.
function check.descriptor(value, report) return record(value, "robot", "", report) end
---The same for a world.
function check.world(value, report) return record(value, "world", "", report) end

return check
