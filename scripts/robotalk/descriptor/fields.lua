-- The fields of spec/descriptor.lua, both ways: a written field, in the form of check.lua's result, becomes a field of
-- a record, and a field of a record becomes a written one. A field that is by_hand, or in no record, is left to
-- other modules.
local check = require "robotalk.descriptor.check"
local tree = require "robotalk.descriptor.tree"

local fields = {}
local kinds = check.kinds

-- Each type: zero, the default in the record; into(value, field, path, make), the record's value of a written one;
-- out(value, field), the written value of the record's.
local forms = {}

local function same(x) return x end
local function zeros(n)
  local list = {}
  for i = 1, n do list[i] = 0.0 end
  return list
end

local function form(zero, into, out) return { zero = zero, into = into or same, out = out or same } end

forms.text = form ""
forms.number, forms.greatest, forms.whole = form(0), form(0), form(0)
forms.place, forms.angles, forms.direction, forms.size = form(zeros(3)), form(zeros(3)), form(zeros(3)), form(zeros(3))
forms.flag = form(0, function(x) return x and 1 or 0 end, function(n) return n == 1 end)
forms.colour = form(0, nil, function(n) return ("#%08x"):format(n) end)
forms.plane = form(zeros(3), nil, function(v) return { x = v[1], y = v[2], theta = v[3] } end)

local IDENTITY = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 }
forms.turn = form(IDENTITY, nil, function(r)
  for i = 1, 9 do
    if r[i] ~= 0 then return { { r[1], r[2], r[3] }, { r[4], r[5], r[6] }, { r[7], r[8], r[9] } } end
  end
end)

forms.each = form(zeros(3), function(list) return { list[1], list[2] or 0.0, list[3] or 0.0 } end, function(list)
  local n = list[3] ~= 0 and 3 or list[2] ~= 0 and 2 or 1
  return n == 1 and list[1] or table.move(list, 1, n, 1, {})
end)

forms.tensor = form(zeros(6), nil, function(i)
  if i[4] == 0 and i[5] == 0 and i[6] == 0 then return { i[1], i[2], i[3] } end
  return i
end)

forms.range = form({ 0.0, 0.0 }, nil, function(pair) return pair[1] <= pair[2] and pair or nil end)

forms.link = form(0, function(link, _, path, make) return tree.link(make.links, link, path, make.report) or 0 end)

-- The place of a word among all that have a number, from 0.
local function number_of(word, field)
  for i, known in ipairs(field.all) do
    if known[1] == word then return i - 1 end
  end
end

forms.word = form(0, number_of, function(n, field) return field.all[n + 1] and field.all[n + 1][1] end)
forms.panic = forms.word

forms.words = form(0, function(words, field)
  local bits = 0
  for _, word in ipairs(words) do bits = bits | 1 << number_of(word, field) end
  return bits
end, function(bits, field)
  local words = {}
  for i, word in ipairs(field.all) do
    if bits >> (i - 1) & 1 == 1 then words[#words + 1] = word[1] end
  end
  return words
end)

local function equal(a, b)
  if type(a) ~= "table" then return a == b end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

-- The default value in a record.
local function silent(field)
  local of = forms[field[2]]
  if field.default == nil then return of.zero end
  return of.into(field.default, field)
end

-- The name of a record's field; of a range both.
local function name_of(field) return field.record or field[1] end

local function put(record, field, value)
  local name = name_of(field)
  if type(name) == "table" then
    record[name[1]], record[name[2]] = value[1], value[2]
  else
    record[name] = value
  end
end

local function get(record, field)
  local name = name_of(field)
  if type(name) == "table" then return { record[name[1]], record[name[2]] } end
  return record[name]
end

-- Whether another module makes a field; the second: the kind whose fields are in the same record.
local function is_left(field)
  local how, kind = field[2]:match("^(%l+) (%l+)$")
  if how == "one" and not field.by_hand then return false, kind end
  return how or field.by_hand or field.record == false
end

---Fills the record of a table of that kind with all values that depend on the field alone. written: a result of
---check.lua; nil: there is no such table, and no defaults are set. make: { links =, report = }, for fields that
---name a link.
function fields.record(kind, written, record, path, make)
  for _, field in ipairs(kinds[kind]) do
    local name = field[1]
    local value, where = written and written[name], check.join(path or "", name)
    local left, inner = is_left(field)
    if inner then
      fields.record(inner, value, record, where, make)
    elseif not left then
      if value ~= nil then
        value = forms[field[2]].into(value, field, where, make)
      else
        value = written and silent(field) or forms[field[2]].zero
      end
      put(record, field, value)
    end
  end
  return record
end

---The size of a shape, which people write as a number or a list: as many numbers as its type has (one stands for all
---three of a box or a mesh). nil: no size, or a wrong number of values, and their right number.
function fields.shape_size(shape)
  local size = shape.size or shape.type == "mesh" and 1.0 or {}
  if type(size) == "number" then size = { size } end
  for _, word in ipairs(check.words.shape) do
    if word[1] == shape.type then
      if #size == 1 and word.sizes == 3 then return { size[1], size[1], size[1] } end
      if #size == word.sizes then return size end
      return nil, word.sizes
    end
  end
end

---The written table of a record, in the same way; defaults are left out.
function fields.written(kind, record, written)
  for _, field in ipairs(kinds[kind]) do
    local left, inner = is_left(field)
    if inner then
      local within = fields.written(inner, record, {})
      written[field[1]] = next(within) ~= nil and within or nil
    elseif not left then
      local value = get(record, field)
      if field.needed or not equal(value, silent(field)) then
        written[field[1]] = forms[field[2]].out(value, field)
      end
    end
  end
  return written
end

-- A field of a kind by its name.
local function field_named(kind, name)
  for _, field in ipairs(kinds[kind]) do
    if field[1] == name then return field end
  end
end

---One field that is made by hand: its value in the record.
function fields.into(kind, name, value)
  local field = field_named(kind, name)
  return forms[field[2]].into(value, field)
end

---The written value of the record's; nil when there is none.
function fields.out(kind, name, value)
  local field = field_named(kind, name)
  local of = forms[field[2]]
  if not equal(value, of.zero) then return of.out(value, field) end
end

---The word of a number, or of one with bits the list of words.
function fields.word(list, number)
  return forms[list.bits and "words" or "word"].out(number, { all = list })
end

return fields
