-- Parquet files (apache/parquet-format), written: columns of numbers and texts, or of lists of these, plain, without
-- compression and without missing values, each as one page.
local core = require "robotalk.core"
local summary = require "robotalk.dataset.summary"

-- Types of Thrift's compact form.
local I32 <const>, I64 <const>, BINARY <const>, LIST <const>, STRUCT <const> = 5, 6, 8, 9, 12
local REQUIRED <const>, REPEATED <const>, UTF8 <const>, LISTS <const> = 0, 2, 0, 3

-- Types of columns: the number in the format, and how a value is packed.
local TYPES <const> = { int64 = { 2, "<i8" }, float = { 4, "<f" }, double = { 5, "<d" }, string = { 6, "<s4" } }

local function varint(n)
  local bytes = {}
  while n > 127 do
    bytes[#bytes + 1], n = string.char(n & 127 | 128), n >> 7
  end
  return table.concat(bytes) .. string.char(n)
end

-- ---- Thrift: values of a struct are { number of the field, type, bytes }, in the order of their numbers ----

local function int(n) return varint(n << 1) end
local function text(s) return varint(#s) .. s end

local function list(kind, items)
  local n = #items
  return (n < 15 and string.char(n << 4 | kind) or string.char(15 << 4 | kind) .. varint(n)) .. table.concat(items)
end

local function struct(...)
  local parts, last = {}, 0
  for _, field in ipairs { ... } do
    parts[#parts + 1] = string.char(field[1] - last << 4 | field[2]) .. field[3]
    last = field[1]
  end
  return table.concat(parts) .. "\0"
end

-- ---- columns ----

-- Levels of a list's values, one bit each: a count of groups of eight, and their bits, the first in the lowest.
local function levels(bits)
  local bytes = {}
  for i = 1, #bits, 8 do
    local byte = 0
    for k = 0, 7 do byte = byte | (bits[i + k] or 0) << k end
    bytes[#bytes + 1] = string.char(byte)
  end
  return ("<s4"):pack(varint(#bytes << 1 | 1) .. table.concat(bytes))
end

-- The body of a page, and how many values it has.
local function body_of(column)
  local form, packed = TYPES[column.type][2], {}
  if not column.list then
    for i, value in ipairs(column.values) do packed[i] = form:pack(value) end
    return table.concat(packed), #packed
  end
  local repeated, defined = {}, {}
  for _, values in ipairs(column.values) do
    for i, value in ipairs(values) do
      packed[#packed + 1] = form:pack(value)
      repeated[#packed], defined[#packed] = i > 1 and 1 or 0, 1
    end
  end
  return levels(repeated) .. levels(defined) .. table.concat(packed), #packed
end

-- The elements of the schema of a column.
local function add_schema(schema, column)
  local function leaf(name)
    local fields = { { 1, I32, int(TYPES[column.type][1]) }, { 3, I32, int(REQUIRED) }, { 4, BINARY, text(name) } }
    if column.type == "string" then fields[4] = { 6, I32, int(UTF8) } end
    schema[#schema + 1] = struct(table.unpack(fields))
  end
  if not column.list then return leaf(column.name) end
  schema[#schema + 1] = struct({ 3, I32, int(REQUIRED) }, { 4, BINARY, text(column.name) }, { 5, I32, int(1) },
    { 6, I32, int(LISTS) })
  schema[#schema + 1] = struct({ 3, I32, int(REPEATED) }, { 4, BINARY, text "list" }, { 5, I32, int(1) })
  leaf "element"
end

local parquet = {}

---Writes a file: true; nil, message, code. columns: a list of { name, type (int64, float, double or string), list
---(whether each value is a list, which has items), values }; more: a table of texts in the file's head.
function parquet.write(path, columns, more)
  local file, at, rows = { "PAR1" }, 4, #columns[1].values
  local schema = { struct({ 4, BINARY, text "schema" }, { 5, I32, int(#columns) }) }
  local chunks, keys = {}, {}
  for i, column in ipairs(columns) do
    summary.breathe()
    local body, n = body_of(column)
    local page = struct({ 1, I32, int(0) }, { 2, I32, int(#body) }, { 3, I32, int(#body) }, { 5, STRUCT,
      struct({ 1, I32, int(n) }, { 2, I32, int(0) }, { 3, I32, int(3) }, { 4, I32, int(3) }) }) .. body
    local names = { text(column.name), column.list and text "list" or nil, column.list and text "element" or nil }
    chunks[i] = struct({ 2, I64, int(0) }, { 3, STRUCT, struct({ 1, I32, int(TYPES[column.type][1]) },
      { 2, LIST, list(I32, { int(0), int(3) }) }, { 3, LIST, list(BINARY, names) }, { 4, I32, int(0) },
      { 5, I64, int(n) }, { 6, I64, int(#page) }, { 7, I64, int(#page) }, { 9, I64, int(at) }) })
    add_schema(schema, column)
    file[i + 1], at = page, at + #page
  end
  for key, value in pairs(more or {}) do
    keys[#keys + 1] = struct({ 1, BINARY, text(key) }, { 2, BINARY, text(value) })
  end
  table.sort(keys)
  local fields = { { 1, I32, int(1) }, { 2, LIST, list(STRUCT, schema) }, { 3, I64, int(rows) }, { 4, LIST, list(STRUCT,
    { struct({ 1, LIST, list(STRUCT, chunks) }, { 2, I64, int(at - 4) }, { 3, I64, int(rows) }) }) } }
  if #keys > 0 then fields[#fields + 1] = { 5, LIST, list(STRUCT, keys) } end
  fields[#fields + 1] = { 6, BINARY, text "robotalk" }
  local head = struct(table.unpack(fields))
  file[#file + 1] = head .. ("<I4"):pack(#head) .. "PAR1"
  return core.write_file(path, table.concat(file))
end

return parquet
