-- The tables of the wire for pages, for gen.lua: robotalk/messages.js, which the build embeds beside protocols/web/. A field is NAME:CODE,
-- with *COUNT where there are several in a row, which is a number or an earlier field, ? where it and those behind it may be missing, !
-- where none has a meaning.
local CODE <const> = { u8 = "B", u16 = "H", u32 = "I", u64 = "Q", i64 = "L", time = "t", text = "s", packed = "k" }
local BYTES <const> = { u8 = 1, u16 = 2, u32 = 4, time = 8 }
-- quantities, by the value of a count
local REAL <const> = { [1e-6] = "m", [1e-9] = "n", [1e-12] = "p" }

return function(spec, words, body, units, servos)
  local function code_of(row)
    if row[2] == "chars" then return "c" .. row.max + 1 end
    if row[2] ~= "real" then return CODE[row[2]] end
    if not row.scale and units[row.unit].wire == "i32" then return "v" end
    return assert(REAL[row.scale or units[row.unit].scale], row[1])
  end
  local function fields(rows)
    local out = {}
    for _, row in ipairs(rows) do
      if not row.host then
        out[#out + 1] = row[1] .. ":" .. assert(code_of(row), row[1]) .. (row.count and "*" .. row.count or "")
          .. (row.optional and "?" or "") .. (row.none and "!" or "")
      end
    end
    return table.concat(out, " ")
  end
  local lines = { "// Made by spec/gen.lua from spec/: the tables of RoboTalk's wire, which wire.js reads." }
  local function p(form, ...) lines[#lines + 1] = form:format(...) end
  local function bytes(rows)
    local n = 0
    for _, row in ipairs(rows) do n = n + BYTES[row[2]] end
    return n
  end
  -- words by their numbers, or numbers by their words
  local function names(name, rows, by_word, prefix)
    local out = {}
    for _, row in ipairs(rows) do
      out[#out + 1] = by_word and ("%s: %d"):format(row[1], row[2]) or ('%d: "%s%s"'):format(row[2], prefix or "", row[1])
    end
    p("export const %s = { %s }", name, table.concat(out, ", "))
  end
  local function table_of(name, rows, line)
    p("export const %s = `", name)
    for _, row in ipairs(rows) do p("%s", line(row)) end
    p "`"
  end
  local replies = { reply_state = table.move(spec.state_more, 1, #spec.state_more, #spec.state + 1, { table.unpack(spec.state) }) }
  for _, q in ipairs(spec.queries) do
    if type(q.reply) == "table" then replies["reply_" .. q[1]] = q.reply end
  end
  local records = {}
  for i, r in ipairs(body.records) do
    records[i] = { r[1], i - 1, r.rows }
    replies[r[1]] = r.rows
  end
  local servo = {}
  for i, word in ipairs(servos) do servo[i] = { word[1], 1 << (i - 1) } end
  p("export const VERSION = %d, MAGIC = %d, MOST = %d, HEADER = %d", spec.version, spec.magic, spec.max_payload,
    bytes(spec.header))
  p("export const SCALE = { m: 1e6, n: 1e9, p: 1e12, v: %g, t: %g, Q: 1, L: 1 }", 1 / units.V.scale, 1 / units.s.scale)
  names("TYPE", spec.types, true)
  names("FLAG", spec.flags, true)
  names("MOVE", spec.move_parts, true)
  names("SERVO", servo, true)
  names("SIGNALS", words.signals)
  names("REASONS", words.reasons)
  names("ERRORS", words.errors, false, "E")
  table_of("QUERIES", spec.queries, function(q)
    return ("%s %d %s > %s"):format(q[1], q[2], fields(q.request), fields(type(q.reply) == "string" and replies[q.reply] or q.reply))
  end)
  table_of("COMMANDS", spec.commands, function(c) return ("%s %d %s"):format(c[1], c[2], fields(c.body)) end)
  table_of("NOTICES", spec.notices, function(n) return ("%s %d > %s"):format(n[1], n[2], fields(n.body)) end)
  -- `size` of a block's header counts bytes, a record has one size
  table_of("RECORDS", records, function(r) return ("%s %d > %s"):format(r[1], r[2], fields(r[3])) end)
  for _, one in ipairs {
    { "HEAD", spec.header }, { "ENTRY", spec.entry }, { "RESULT", spec.signal }, { "MISSED", spec.missed }, { "PART", spec.part }, { "BLOCK", body.block },
    { "ROBOT", body.configuration },
  } do
    p("export const %s = \"%s\"", one[1], fields(one[2]))
  end
  return lines
end
