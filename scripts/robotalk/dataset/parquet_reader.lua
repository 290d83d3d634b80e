-- Parquet files (apache/parquet-format), read: columns of numbers, texts and flags, and of lists of these; plain,
-- dictionary and RLE; not compressed, or by snappy or zstd. Memory is bounded by the file: what is wrong is an error
-- that names the byte, and what was expected there.
local core = require "robotalk.core"
local guarded = require "robotalk.mistakes.guarded"
local json = require "robotalk.json"

local DEEPEST <const>, FOOTER <const> = 32, 1 << 26 -- structs in each other; bytes
local VALUES <const>, PAGE <const> = 1 << 23, 1 << 28 -- of a column of a group; bytes of a page

local CODECS <const> = { [1] = "snappy", [6] = "zstd" }
local TYPES <const> = { [1] = "<i4", [2] = "<i8", [4] = "<f", [5] = "<d", [6] = "<s4" } -- 0: flags
local PLAIN <const>, PLAIN_DICTIONARY <const>, RLE <const>, DICTIONARY <const> = 0, 2, 3, 8

local function fail(at, form, ...) guarded.fail("EBODY", "byte %d: expected " .. form, at, ...) end

-- ---- Thrift's compact form. A source is { bytes, at: the next one, base: the place of the first in the file } ----

-- A field that is to be a whole number, in a file that may have anything there.
local function num(x, otherwise) return math.type(x) == "integer" and x or otherwise or -1 end

local function byte(s)
  local b = s.bytes:byte(s.at)
  if not b then fail(s.base + s.at - 1, "more bytes") end
  s.at = s.at + 1
  return b
end

local function varint(s)
  local n, shift = 0, 0
  repeat
    local b = byte(s)
    if shift > 63 then fail(s.base + s.at - 2, "a number of at most 10 bytes") end
    n, shift = n | (b & 127) << shift, shift + 7
  until b < 128
  return n
end

local function int(s)
  local n = varint(s)
  return n >> 1 ~ -(n & 1)
end

local function take(s, n)
  if n < 0 or n > #s.bytes - s.at + 1 then fail(s.base + s.at - 1, "%d bytes", n) end
  s.at = s.at + n
  return s.bytes:sub(s.at - n, s.at - 1)
end

local value

local function list_of(s, depth)
  local head = byte(s)
  local n, kind, list = head >> 4, head & 15, {}
  if n == 15 then n = varint(s) end
  if n < 0 or n > #s.bytes - s.at + 1 then fail(s.base + s.at - 1, "a list as long as the rest at most") end
  for i = 1, n do
    if kind == 1 or kind == 2 then list[i] = byte(s) == 1 else list[i] = value(s, kind, depth) end
  end
  return list
end

local function struct_of(s, depth)
  local fields, number = {}, 0
  if depth > DEEPEST then fail(s.base + s.at - 1, "at most %d structs in each other", DEEPEST) end
  while true do
    local head = byte(s)
    if head == 0 then return fields end
    number = head >> 4 == 0 and int(s) or number + (head >> 4)
    fields[number] = value(s, head & 15, depth)
  end
end

-- Of a map nothing is kept.
local function skip_map(s, depth)
  local n = varint(s)
  local kinds = n ~= 0 and byte(s) or 0
  if n < 0 or n > #s.bytes - s.at + 1 then fail(s.base + s.at - 1, "a map as long as the rest at most") end
  for _ = 1, n do
    value(s, kinds >> 4, depth)
    value(s, kinds & 15, depth)
  end
end

function value(s, kind, depth)
  if kind == 1 or kind == 2 then return kind == 1 end
  if kind == 3 then return byte(s) end
  if kind >= 4 and kind <= 6 then return int(s) end
  if kind == 7 then return (("<d"):unpack(take(s, 8))) end
  if kind == 8 then return take(s, varint(s)) end
  if kind == 9 or kind == 10 then return list_of(s, depth + 1) end
  if kind == 11 then return skip_map(s, depth + 1) end
  if kind == 12 then return struct_of(s, depth + 1) end
  fail(s.base + s.at - 1, "a type of Thrift, not %d", kind)
end

-- ---- levels and values ----

-- n numbers of that many bits: runs of one number, and groups of eight.
local function hybrid(s, width, n)
  local list, count, mask = {}, 0, (1 << width) - 1
  local bytes = (width + 7) // 8
  if width > 32 then fail(s.base + s.at - 1, "numbers of at most 32 bits, not %d", width) end
  while count < n do
    local head = varint(s)
    local run = head >> 1
    if run == 0 then fail(s.base + s.at - 1, "a run of at least one number") end
    if head & 1 == 0 then
      local x = 0
      for i = 0, bytes - 1 do x = x | byte(s) << 8 * i end
      for i = count + 1, math.min(n, count + run) do list[i] = x end
      count = math.min(n, count + run)
    else
      if run > VALUES then fail(s.base + s.at - 1, "at most %d numbers", VALUES) end
      -- the last group may be cut off behind the last number
      local left = math.min(n - count, 8 * run)
      local packed = take(s, math.min(run * width, math.max((left * width + 7) // 8, #s.bytes - s.at + 1)))
      local bits, have, at = 0, 0, 1
      for i = count + 1, count + left do
        while have < width do
          bits, have, at = bits | packed:byte(at) << have, have + 8, at + 1
        end
        list[i], bits, have = bits & mask, bits >> width, have - width
      end
      count = count + left
    end
  end
  return list
end

local function plain(s, kind, n)
  if kind == 0 then
    local list, packed = {}, take(s, (n + 7) // 8)
    for i = 0, n - 1 do list[i + 1] = packed:byte(i // 8 + 1) >> i % 8 & 1 == 1 end
    return list
  end
  local list, form, bytes, at = {}, TYPES[kind], s.bytes, s.at
  local least = kind == 6 and 4 or form:packsize()
  if n > (#bytes - at + 1) // least then fail(s.base + at - 1, "%d values of at least %d bytes", n, least) end
  for i = 1, n do
    if kind == 6 then
      local size = at + 3 <= #bytes and ("<I4"):unpack(bytes, at)
      if not size or size > #bytes - at - 3 then fail(s.base + at - 1, "a text") end
    end
    list[i], at = form:unpack(bytes, at)
  end
  s.at = at
  return list
end

-- ---- columns ----

-- The columns of a schema that can be read, by the names of their fields: { type, defined, repeated: the most of their
-- levels, item: the level from which on a list has an item, number: of the leaf }. Others are { why }.
local function columns_of(schema, at)
  local columns, names, next_, leaf = {}, {}, 2, 0
  local function walk(top, defined, repeated, item, depth)
    local element = schema[next_]
    if type(element) ~= "table" or depth > DEEPEST then fail(at, "a whole schema") end
    next_ = next_ + 1
    local name = top or element[4]
    if type(name) ~= "string" then fail(at, "names in the schema") end
    if num(element[3]) == 1 then defined = defined + 1
    elseif element[3] == 2 then defined, repeated, item = defined + 1, repeated + 1, defined + 1 end
    local children = num(element[5], 0)
    for _ = 1, children do walk(name, defined, repeated, item, depth + 1) end
    if children > 0 then return end
    leaf = leaf + 1
    local kind = num(element[1])
    local known = kind == 0 or TYPES[kind]
    local why = columns[name] and "one value a row, not a struct" or repeated > 1 and "a list, not one of lists"
      or not known and ("a type of numbers, flags or texts, not %d"):format(kind)
    if not columns[name] then names[#names + 1] = name end
    columns[name] = { type = kind, defined = defined, repeated = repeated, item = item, number = leaf,
      why = why or nil }
  end
  local root = schema[1]
  for _ = 1, type(root) == "table" and num(root[5]) or fail(at, "a schema") do walk(nil, 0, 0, 0, 0) end
  return columns, names
end

local function bits_for(most)
  local bits = 0
  while most >> bits > 0 do bits = bits + 1 end
  return bits
end

-- The body of a page, decompressed, as a source.
local function body_of(s, codec, packed, size)
  local at = s.base + s.at - 1
  if packed < 0 or size < 0 or size > PAGE then fail(at, "a page of at most %d bytes", PAGE) end
  local bytes = take(s, packed)
  if codec == 0 then return { bytes = bytes, at = 1, base = at } end
  if not CODECS[codec] then fail(at, "no compression, snappy or zstd, not codec %d", codec) end
  local whole, why = core.decompress(CODECS[codec], bytes, size)
  return { bytes = guarded.need(whole, ("byte %d: %s: %s"):format(at, CODECS[codec], why), "EBODY"), at = 1, base = at }
end

-- Adds the rows of a page: levels say where lists begin, and which values are missing.
local function add_rows(rows, column, defined, repeated, values, n, at)
  local next_ = 1
  for i = 1, n do
    local level = defined and defined[i] or column.defined
    local x = json.null
    if level == column.defined then x, next_ = values[next_], next_ + 1 end
    if column.repeated == 0 then
      rows[#rows + 1] = x
    else
      if repeated[i] == 0 then rows[#rows + 1] = {} end
      local list = rows[#rows]
      if not list then fail(at, "the begin of a list") end
      if level >= column.item then list[#list + 1] = x end
    end
  end
end

-- Reads a page into rows. head: its header; s is after it. Returns the dictionary, and how many values it had.
local function read_page(s, column, codec, head, rows, dictionary)
  local at = s.base + s.at - 1
  local kind, size, packed = num(head[1]), num(head[2]), num(head[3])
  local about = head[kind == 2 and 7 or kind == 3 and 8 or 5]
  if kind == 1 then return dictionary, 0, take(s, math.max(0, packed)) end -- an index
  if kind < 0 or kind > 3 or type(about) ~= "table" then fail(at, "a page of data or a dictionary") end
  local n, encoding = num(about[1]), num(about[kind == 3 and 4 or 2])
  if n < 0 or n > VALUES then fail(at, "at most %d values", VALUES) end
  if kind == 2 then return plain(body_of(s, codec, packed, size), column.type, n), 0 end
  local defined, repeated, body
  if kind == 3 then -- its levels are not compressed
    local back, down = num(about[6], 0), num(about[5], 0)
    local levels = { bytes = take(s, back), at = 1, base = at }
    if column.repeated > 0 then repeated = hybrid(levels, bits_for(column.repeated), n) end
    levels = { bytes = take(s, down), at = 1, base = at + back }
    if column.defined > 0 then defined = hybrid(levels, bits_for(column.defined), n) end
    body = body_of(s, about[7] == false and 0 or codec, packed - back - down, size - back - down)
  else
    body = body_of(s, codec, packed, size)
    local function levels(most)
      local length = most > 0 and ("<I4"):unpack(take(body, 4))
      if not length then return nil end
      local place = body.at
      return hybrid({ bytes = take(body, length), at = 1, base = body.base + place }, bits_for(most), n)
    end
    repeated, defined = levels(column.repeated), levels(column.defined)
  end
  local present = n
  for i = 1, defined and n or 0 do if defined[i] < column.defined then present = present - 1 end end
  local values
  if encoding == PLAIN then
    values = plain(body, column.type, present)
  elseif encoding == DICTIONARY or encoding == PLAIN_DICTIONARY then
    if not dictionary then fail(at, "a dictionary before its page") end
    values = present > 0 and hybrid(body, byte(body), present) or {}
    for i, number in ipairs(values) do
      values[i] = dictionary[number + 1]
      if values[i] == nil then fail(at, "numbers of a dictionary of %d values, not %d", #dictionary, number) end
    end
  elseif encoding == RLE and column.type == 0 then
    take(body, 4)
    values = hybrid(body, 1, present)
    for i, x in ipairs(values) do values[i] = x == 1 end
  else
    fail(at, "values that are plain, of a dictionary or RLE, not of encoding %d", encoding)
  end
  add_rows(rows, column, defined, repeated, values, n, at)
  return dictionary, n
end

local File = {}
File.__index = File

-- What a function returns; nil, message, code when it fails.
local function guard(self, fn, ...)
  local result, message, code = guarded.by(fn)(self, ...)
  return result, message and ("%s: %s"):format(self.path, message), code
end

local function read_at(self, at, size, what)
  if at < 4 or size < 0 or at > self.size or size > self.size - at then
    fail(self.size, "%s within the file", what)
  end
  self.file:seek("set", at)
  local bytes = size == 0 and "" or self.file:read(size)
  if not bytes or #bytes < size then fail(at, "%d bytes", size) end
  return { bytes = bytes, at = 1, base = at }
end

local function head_of(self)
  self.size = self.file:seek "end"
  self.file:seek("set", math.max(0, self.size - 8))
  local tail = self.file:read(8) or ""
  if #tail < 8 or tail:sub(5) ~= "PAR1" then fail(math.max(0, self.size - 4), "PAR1, the end of a Parquet file") end
  local length = ("<I4"):unpack(tail)
  if length > FOOTER then fail(self.size - 8, "a head of at most %d bytes", FOOTER) end
  local at = self.size - 8 - length
  local head = struct_of(read_at(self, at, length, "a head"), 0)
  if type(head[2]) ~= "table" or type(head[4]) ~= "table" then fail(at, "a schema and groups of rows") end
  self.columns, self.names = columns_of(head[2], at)
  self.groups = head[4]
  return self
end

local function read_column(self, name, group)
  local column, chunk = self.columns[name], self.groups[group]
  if type(chunk) ~= "table" then fail(self.size, "a group %d", group) end
  if column.why then fail(self.size, "in column %s %s", name, column.why) end
  local about = type(chunk[1]) == "table" and chunk[1][column.number]
  about = type(about) == "table" and about[3]
  if type(about) ~= "table" then fail(self.size, "column %s in group %d", name, group) end
  local at, total, rows = num(about[9]), num(about[5]), {}
  local first = num(about[11])
  if first >= 4 and first < at then at = first end
  if total < 0 or total > VALUES then fail(self.size, "at most %d values in a group of column %s", VALUES, name) end
  local s, dictionary = read_at(self, at, num(about[7]), "column " .. name), nil
  local seen = 0
  while seen < total do
    local n
    dictionary, n = read_page(s, column, num(about[4]), struct_of(s, 0), rows, dictionary)
    seen = seen + n
  end
  if seen > total then fail(at, "%d values in column %s, not %d", total, name, seen) end
  if #rows ~= num(chunk[3]) then fail(at, "%d rows in column %s, not %d", num(chunk[3]), name, #rows) end
  return rows
end

---The values of a column, of a group of rows or of all: lists, where it has these; json.null: missing. nil, message,
---code: EBODY when it is damaged, or of a kind that is not read; ENONE: there is no such column.
function File:column(name, group)
  if not self.columns[name] then return nil, ("%s: it has no column %s"):format(self.path, name), "ENONE" end
  if group then return guard(self, read_column, name, group) end
  local all = {}
  for i = 1, #self.groups do
    local rows, message, code = guard(self, read_column, name, i)
    if not rows then return nil, message, code end
    if #all + #rows > VALUES then
      return nil, ("%s: expected at most %d rows of column %s"):format(self.path, VALUES, name), "EBODY"
    end
    table.move(rows, 1, #rows, #all + 1, all)
  end
  return all
end

function File:close() self.file:close() end
File.__close = File.close

local parquet = {}

---Opens a file: names (of its columns), groups (of rows); nil, message, code.
function parquet.open(path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message, "ENONE" end
  local self = setmetatable({ path = path, file = file }, File)
  local made, why, code = guard(self, head_of)
  if not made then
    file:close()
    return nil, why, code
  end
  return made
end

return parquet
