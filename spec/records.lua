-- The records of a descriptor, made from the fields in spec/descriptor.lua, for gen.lua. Rows are those of messages.lua,
-- with these additions:
--   chars  a text in a field of fixed length, max + 1 bytes, padded with zeros: records have one size
--   host   true: it is in the C struct and never on the wire
--   option options of a driver, which core/robotalk/driver.h declares
-- A record refers to another by its number in its section.
local FINE = 1e-9 -- lengths, limits, masses: a millionth of a millimetre; at most 2.2e6
local EXACT = 1e-12 -- directions and angles

-- The form of each type in a record: the row's type and its other keys.
local WIRE = {
  text = { "chars" }, flag = { "u8", hi = 1 }, words = { "u8" }, word = { "u8" }, panic = { "u8" }, link = { "u16" },
  colour = { "u32" }, whole = { "u16" }, number = { "real" }, greatest = { "real" }, range = { "real" },
  place = { "real", count = 3 }, each = { "real", count = 3 }, plane = { "real", count = 3 }, size = { "real", count = 3 },
  angles = { "real", count = 3, scale = EXACT }, direction = { "real", count = 3, scale = EXACT },
  turn = { "real", count = 9, scale = EXACT, unit = "ratio" }, tensor = { "real", count = 6 },
}

return function(descriptor)
  local kinds = descriptor.kinds
  local records = { magic = descriptor.magic, block = descriptor.block, records = {} }

  -- The numbers of a field's words: "0 box, 1 cylinder"; of bits "bits: 1 setpoint".
  local function numbers_of(field)
    local parts = {}
    for i, word in ipairs(field.all) do
      parts[i] = ("%d %s"):format(field.all.bits and 1 << (i - 1) or i - 1, word[1])
    end
    return (field.all.bits and "bits: " or "") .. table.concat(parts, ", ")
  end

  local function row_of(kind, field)
    local how, inner = (field[2] or ""):match("^(%l+) (%l+)$")
    local form = field.wire and { field.wire, count = how == "one" and #kinds[inner] or nil }
      or assert(WIRE[field[2]], ("%s.%s: no form in a record"):format(kind, field[1]))
    local there = field.there or {}
    -- a record has no defaults: they were filled in when it was made
    local doc = there.doc or field.doc:gsub("; default: [^;]*", ""):gsub("^default: [^;]*", "")
    local row = { field[1], form[1], doc = doc, host = field.host, hi = field.hi or form.hi, count = form.count,
      optional = field.optional }
    if type(field.record) == "string" then row[1] = field.record end
    if row[2] == "u16" and (field.most or 65535) < 256 then row[2] = "u8" end
    if row[2] == "chars" then row.max = field.max end
    if field.all then
      row.doc = numbers_of(field) .. (doc ~= "" and "; " .. doc or "")
      row.hi = field.all.bits and (1 << #field.all) - 1 or #field.all - 1
    end
    if row[2] == "real" and field.unit == "s" then
      row[2], row.unit = "time", "s"
    elseif row[2] == "real" then
      row.unit = there.unit or form.unit or field.unit or "ratio"
      row.scale = field.scale or form.scale or FINE
    end
    return row
  end

  local add_kind

  local function add(rows, kind, field)
    local how, inner = (field[2] or ""):match("^(%l+) (%l+)$")
    if field.record == false then return end
    if how == "one" and not field.wire then return add_kind(rows, inner) end
    if how and not field.wire then return end -- in its own section, or in none
    local row = row_of(kind, field)
    if type(field.record) ~= "table" then
      rows[#rows + 1] = row
      return
    end
    for i, name in ipairs(field.record) do
      local doc = ("%s: the %s"):format(row.doc, i == 1 and "least" or "greatest; less than the least: none")
      rows[#rows + 1] = { name, row[2], unit = row.unit, scale = row.scale, doc = doc }
    end
  end

  function add_kind(rows, kind)
    for _, field in ipairs(kinds[kind]) do add(rows, kind, field) end
    return rows
  end

  -- the fields of the whole robot, which are those of struct robo_description
  records.configuration = add_kind({}, "robot")
  records.doc = kinds.robot.doc
  records.binding = add_kind({}, "driver")
  for i, noun in ipairs(descriptor.sections) do
    local kind = kinds[noun]
    records.records[i] = { noun, max = kind.max, doc = kind.doc, rows = add_kind({}, noun) }
  end
  return records
end
