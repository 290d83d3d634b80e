-- Writes all files that are generated from the specification, at the top of the tree:
--   lua5.4 spec/gen.lua              the pages, annotations and stubs, which are committed; a test compares them
--   lua5.4 spec/gen.lua pages DIR    the same, below another folder
--   lua5.4 spec/gen.lua c DIR        the C header and tables, and those of pages, which the build generates below its own folder
-- Rows become data, never code: code that a row needs belongs in protocols/robotalk/wire.c.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local what, out = arg[1] or "pages", arg[2] or here .. "/.."
local function load_spec(name) return assert(loadfile(here .. "/" .. name .. ".lua", "t"))() end

local units, words, spec = load_spec "units", load_spec "signals", load_spec "messages"
local descriptor, sensors = load_spec "descriptor", load_spec "sensors"
local body = load_spec "records" (descriptor)

local function read(path)
  local f <close> = assert(io.open(path, "rb"))
  return f:read "a"
end

-- A file that is the same already is left as it is, so that nothing is compiled again for it.
local function write(path, lines)
  path = out .. "/" .. path
  local text = table.concat(lines, "\n") .. "\n"
  local there, old = pcall(read, path)
  if there and old == text then return end
  os.execute(("mkdir -p '%s'"):format(path:match("^(.*)/")))
  local f <close> = assert(io.open(path, "wb"))
  f:write(text)
end

local function printer()
  local lines = {}
  return lines, function(form, ...) lines[#lines + 1] = select("#", ...) > 0 and form:format(...) or form end
end

local function sorted(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local UP = string.upper
local C_TYPE = { u8 = "uint8_t", u16 = "uint16_t", u32 = "uint32_t", u64 = "uint64_t", i64 = "int64_t",
  real = "double", time = "robo_time", text = "char", chars = "char",
  packed = "double", double = "double", option = "const struct robo_option *" }

-- All structs of the specification in one list: { C name, rows, doc }. within: the rows are fields of that struct,
-- which is declared elsewhere.
local structs = {}
local function add(name, rows, doc, within)
  for _, row in ipairs(rows) do
    assert(C_TYPE[row[2]], name .. "." .. row[1] .. ": unknown type")
    assert(not row.unit or units[row.unit], name .. "." .. row[1] .. ": unknown unit")
    assert(row[2] ~= "real" or row.unit, name .. "." .. row[1] .. ": a quantity needs a unit")
  end
  local struct = { name = name, rows = rows, doc = doc, of = within or name, within = within }
  structs[#structs + 1] = struct
  return struct
end
add("robo_header", spec.header, "the fixed-length header of a package")
add("robo_entry", spec.entry, "the head of an entry of a payload")
add("robo_state", spec.state, "a robot's kinodynamic state")
add("robo_reply_state", table.move(spec.state_more, 1, #spec.state_more, #spec.state + 1, { table.unpack(spec.state) }),
  "a state, with its requested optional parts")
for _, q in ipairs(spec.queries) do
  if #q.request > 0 then add("robo_request_" .. q[1], q.request, "query " .. q[1] .. ": " .. q.doc) end
  if type(q.reply) == "table" and #q.reply > 0 then
    add("robo_reply_" .. q[1], q.reply, "reply to " .. q[1])
  end
end
add("robo_start", spec.command_head, "the first part of every command's body")
local shape_of = {} -- by the parts that the command moves
for _, shape in ipairs(spec.shapes) do
  local struct = add(("robo_%s_command"):format(shape[1]), shape.rows, shape.doc)
  struct.unsent, shape_of[shape.moves] = true, struct
end
for _, c in ipairs(spec.commands) do
  local shape = shape_of[c.moves]
  if #c.body > 0 then add("robo_" .. c[1], c.body, "command " .. c[1] .. ": " .. c.doc, shape and shape.name) end
end
add("robo_result_entry", spec.signal, "the result of a command, as on the wire")
add("robo_missed", spec.missed, "follows it when a control frame did not reach its goal")
add("robo_part", spec.part, "the result of a part of a move")
for _, n in ipairs(spec.notices) do
  if #n.body > 0 then add("robo_notice_" .. n[1], n.body, "notice " .. n[1] .. ": " .. n.doc) end
end
local first_record = #structs + 1 -- from here on they are of records.h
add("robo_block", body.block, "the first part of a configuration block's header")
add("robo_configuration", body.configuration, "its second part", "robo_description")
for _, r in ipairs(body.records) do add("robo_" .. r[1], r.rows, r.doc) end
add("robo_binding", body.binding, descriptor.kinds.driver.doc).unsent = true

-- Numbers are unique, and those above are for vendors (spec/robotalk.md, section 1).
for _, list in ipairs { { spec.queries, 0xbfff }, { spec.commands, 0xbfff }, { spec.notices, 0xbfff }, { words.reasons, 191 },
  { words.signals, 191 }, { words.errors, 0xbfff } } do
  local seen = {}
  for _, row in ipairs(list[1]) do
    assert(row[2] <= list[2] and not seen[row[2]], row[1] .. ": its number is given already, or is for vendors")
    seen[row[2]] = true
  end
end

for i, c in ipairs(spec.commands) do
  assert(c[2] == spec.commands[1][2] + i - 1, c[1] .. ": the numbers of commands follow each other, in the order of their rows")
end

local function struct_printer(p)
  return function(name, doc, rows, more)
    p("/* %s */", doc)
    p("struct %s {", name)
    for _, row in ipairs(rows) do
      local dims = ""
      if row[2] == "text" or row[2] == "chars" then dims = ("[%d]"):format(row.max + 1)
      elseif type(row.count) == "number" then dims = ("[%d]"):format(row.count)
      elseif row.count then dims = ("[%d]"):format(row.max) end
      local unit = (row.unit and row.unit ~= "s") and (" [%s]"):format(row.unit) or ""
      local none = row.none and ("; %s: %s"):format(row[2] == "real" and "NAN" or "ROBO_NO_TIME", row.none) or ""
      p("    %s%s%s; /* %s%s%s */", (C_TYPE[row[2]] .. " "):gsub("%* $", "*"), row[1], dims, row.doc, none, unit)
    end
    for _, line in ipairs(more or {}) do p("    %s", line) end
    p "};"
  end
end

-- The structs of descriptions, which get a member with each new row.
local function records_file()
  local lines, p = printer()
  p "/* May change without notice between versions. */"
  p "/* Made by spec/gen.lua from spec/; do not edit. Descriptions of robots. */"
  p "#pragma once"
  p '#include "robotalk/driver.h"'
  p "ROBO_API_BEGIN"
  local struct = struct_printer(p)
  for i = first_record, #structs do
    local s = structs[i]
    if not s.within then struct(s.name, s.doc, s.rows) end
  end
  local records = { "struct robo_binding device[ROBO_MAX_DEVICES];" }
  for _, r in ipairs(body.records) do
    records[#records + 1] = ("struct robo_%s *%s;"):format(r[1], r[1])
  end
  struct("robo_description", body.doc, body.configuration, records)
  p "ROBO_API_END"
  return lines
end

local function header_file()
  local lines, p = printer()
  p "/* Made by spec/gen.lua from spec/; do not edit. Enums, names and message structs. */"
  p "#pragma once"
  p "#include <stdint.h>"
  p '#include "robotalk/api.h"'
  p "ROBO_API_BEGIN"
  p "typedef int64_t robo_time; /* nanoseconds */"
  local function enum(name, prefix, rows, from, to)
    p("enum %s {", name)
    for _, row in ipairs(rows) do p("    %s%s = %d, /* %s */", prefix, UP(row[1]), row[2], row.doc or row[3] or "") end
    if from then p("    %s = %d,\n    %s = %d,", from[1], from[2], to[1], to[2]) end
    p "};"
  end
  p("enum { ROBO_VERSION = %d, ROBO_MAGIC = %d, ROBO_MAX_PAYLOAD = %d, ROBO_PORT = %d };",
    spec.version, spec.magic, spec.max_payload, spec.port)
  enum("robo_signal", "ROBO_", words.signals)
  enum("robo_reason", "ROBO_WHY_", words.reasons)
  p "enum robo_error {"
  for _, e in ipairs(words.errors) do p("    ROBO_E%s = -%d, /* %s */", e[1], e[2], e[3]) end
  p "};"
  enum("robo_flag", "ROBO_FLAG_", spec.flags)
  enum("robo_role", "ROBO_ROLE_", spec.roles)
  enum("robo_type", "ROBO_TYPE_", spec.types)
  enum("robo_query", "ROBO_Q_", spec.queries)
  enum("robo_more", "ROBO_MORE_", spec.more)
  enum("robo_op", "ROBO_", spec.commands, { "ROBO_FIRST_OP", spec.commands[1][2] },
    { "ROBO_LAST_OP", spec.commands[#spec.commands][2] })
  enum("robo_moves", "ROBO_MOVES_", spec.moves)
  enum("robo_move_part", "ROBO_MOVE_", spec.move_parts)
  enum("robo_part_kind", "ROBO_PART_", spec.part_kinds)
  enum("robo_notice", "ROBO_N_", spec.notices)
  local retained = {}
  for _, n in ipairs(spec.notices) do
    if n.retained then retained[#retained + 1] = { n[1], #retained, n.doc } end
  end
  p "/* notices of a robot to all its sessions, of which those that open later get the newest */"
  enum("robo_retained", "ROBO_RETAINED_", retained)
  p("enum { ROBO_RETAINED_KINDS = %d };", #retained)
  p("enum { ROBO_BLOCK_MAGIC = %d };", body.magic)
  p("enum { ROBO_WORLD = %d }; /* as the parent of a joint: its child is a root */", descriptor.world)
  for _, name in ipairs(sorted(descriptor.words)) do
    local list = descriptor.words[name]
    p("enum %s { /* %s */", list.tag, list.doc)
    for i, word in ipairs(list) do
      p("    %s%s = %d,%s", list.C, UP(word[1]), list.bits and 1 << (i - 1) or i - 1,
        word[2] ~= "" and (" /* %s */"):format(word[2]) or "")
    end
    p "};"
  end
  enum("robo_sense", "ROBO_SENSE_", { { "own", 0, "a custom type" }, table.unpack(sensors.kinds) })
  p "/* rows of a table that is indexed by an enum: one more than the greatest of its numbers */"
  local function count(tag, greatest) p("enum { %sS = %d };", UP(tag), greatest + 1) end
  count("robo_signal", words.signals[#words.signals][2])
  count("robo_role", spec.roles[#spec.roles][2])
  for _, name in ipairs(sorted(descriptor.words)) do
    local list = descriptor.words[name]
    count(list.tag, list.bits and 1 << (#list - 1) or #list - 1)
  end
  count("robo_sense", #sensors.kinds)
  p("enum { ROBO_MAX_READING = %d }; /* values of one sensor */", sensors.most)
  p "enum {"
  for _, r in ipairs(body.records) do p("    ROBO_MAX_%sS = %d, /* %s */", UP(r[1]), r.max, r.doc) end
  p("    ROBO_MAX_DEVICES = %d, /* %s */", descriptor.kinds.driver.max, descriptor.kinds.driver.doc)
  p "};"
  local struct = struct_printer(p)
  for i = 1, first_record - 1 do
    local s = structs[i]
    if not s.within then struct(s.name, s.doc, s.rows) end
  end
  p "/* the body of a retained notice */"
  p "union robo_retained_body {"
  for _, n in ipairs(retained) do p("    struct robo_notice_%s %s;", n[1], n[1]) end
  p "};"
  p "/* the body of a notice */"
  p "union robo_notice_body {"
  p "    union robo_retained_body retained;"
  for _, n in ipairs(spec.notices) do
    if #n.body > 0 and not n.retained then p("    struct robo_notice_%s %s;", n[1], n[1]) end
  end
  p "};"
  p "struct robo_move; /* robotalk/command.h */"
  p "/* the body of a command, without its start */"
  p "union robo_cmd_body {"
  for _, c in ipairs(spec.commands) do
    if #c.body > 0 and not shape_of[c.moves] then p("    struct robo_%s %s;", c[1], c[1]) end
  end
  for _, shape in ipairs(spec.shapes) do p("    struct robo_%s_command %s;", shape[1], shape[1]) end
  for _, c in ipairs(spec.commands) do if c.parts then p("    struct robo_%s *%s;", c[1], c[1]) end end
  p "};"
  p "ROBO_API_END"
  return lines
end

-- Bytes on the wire; the length of a text varies.
local WIDTH = { U8 = 1, U16 = 2, U32 = 4, U64 = 8, I64 = 8, TIME = 8, REAL64 = 8, REAL32 = 4 }

local function tables_file()
  local lines, p = printer()
  p "/* Made by spec/gen.lua from spec/; do not edit. The tables that wire.c walks. */"
  p '#include "robotalk/wire.h"'
  p '#include "robotalk/records.h"'
  p ""
  p "#include <stddef.h>"
  p ""
  p("_Static_assert(ROBO__MOST_COUNTS == INT64_C(%d), \"most_counts\");", spec.most_counts)
  p("_Static_assert(ROBO__MOST_US == INT64_C(%d), \"most_time\");", spec.most_time)
  local has = {}
  for _, s in ipairs(structs) do
    if s.unsent then goto continue end
    has[s.name] = true
    p ""
    p("static const struct robo_field %s_fields[] = {", s.name)
    local sent = {}
    for _, row in ipairs(s.rows) do if not row.host then sent[#sent + 1] = row end end
    local bytes = 0
    for _, row in ipairs(sent) do
      local unit = units[row.unit]
      local kind, scale = UP(row[2]), row.scale or unit and unit.scale or 1
      assert(row[2] ~= "real" or not (row.lo or row.hi), "no reader looks at the bounds of a real")
      if row[2] == "real" then kind = unit.wire == "i32" and not row.scale and "REAL32" or "REAL64" end
      local fixed = type(row.count) == "number" and row.count or 1
      local counter = "ROBO_FIELD_FIXED"
      local more = row.none and " .none = 1," or ""
      if type(row.count) == "string" then
        counter = ("offsetof(struct %s, %s)"):format(s.of, row.count)
        for _, other in ipairs(sent) do if other[1] == row.count and other[2] == "u16" then more = more .. " .wide = 1," end end
      end
      p('    { .name = "%s", .unit = "%s", .doc = "%s", .kind = ROBO_FIELD_%s,', row[1], row.unit or "", row.doc, kind)
      p("      .offset = offsetof(struct %s, %s), .counter = %s, .count = %d, .max = %d,", s.of, row.as or row[1], counter,
        fixed, row.max or fixed)
      bytes = bytes + (row[2] == "chars" and row.max + 1 or fixed * (WIDTH[kind] or 0))
      -- counts in one SI unit, exactly: 1 / 1e-9 is not 1e9
      p("      .per = %.0f, .lo = %s, .hi = %s,%s },", 1 / scale, row.lo or 0, row.hi or 0, more)
    end
    p "};"
    local fixed = ("sizeof(struct %s)"):format(s.of)
    for i, row in ipairs(sent) do
      if type(row.count) == "string" then
        fixed = ("offsetof(struct %s, %s)"):format(s.of, row.as or row[1])
        for k = i, #sent do assert(sent[k][2] ~= "text" and sent[k][2] ~= "chars", s.name .. ": a text behind a row") end
        break
      end
    end
    local least = #sent
    for i, row in ipairs(sent) do
      if row.optional then least = i - 1 break end
    end
    p("const struct robo_message %s_message = { \"%s\", sizeof(struct %s), %s, %d, %d, %d, %s_fields };", s.name, s.name, s.of, fixed,
      bytes, least, #sent, s.name)
    ::continue::
  end
  p ""
  p "const struct robo_message *const robo__messages[] = {"
  for _, s in ipairs(structs) do if has[s.name] then p("    &%s_message,", s.name) end end
  p "    NULL,\n};"
  p ""
  p 'static const struct robo_message empty = { "empty", 0, 0, 0, 0, 0, NULL };'
  local function ref(name) return has[name] and ("&%s_message"):format(name) or "&empty" end
  local function ops(name, rows, ask, answer)
    p ""
    p("const struct robo_operation robo__%s[] = {", name)
    for _, row in ipairs(rows) do
      p('    { "%s", %d, %s, %s, "%s", %s, %s },', row[1], row[2], ref(ask .. row[1]),
        type(row.reply) == "string" and ref("robo_" .. row.reply) or ref(answer .. row[1]), row.doc,
        row.retained and "1 + ROBO_RETAINED_" .. UP(row[1]) or 0, row.role and "ROBO_ROLE_" .. UP(row.role) or 0)
    end
    p("    { NULL, 0, NULL, NULL, NULL, 0, 0 },\n};")
  end
  ops("queries", spec.queries, "robo_request_", "robo_reply_")
  ops("commands", spec.commands, "robo_", "?")
  ops("notices", spec.notices, "robo_notice_", "?")
  local is_reason = {}
  for _, reason in ipairs(words.reasons) do is_reason[reason[1]] = true end
  p ""
  p "const uint16_t robo__explained_by[UINT8_MAX + 1] = {"
  for _, n in ipairs(spec.notices) do
    if n.retained and is_reason[n[1]] then p("    [ROBO_WHY_%s] = ROBO_N_%s,", UP(n[1]), UP(n[1])) end
  end
  p "};"
  return lines
end

-- Names are in core, which depends on no protocol.
local function names_file()
  local lines, p = printer()
  p "/* Made by spec/gen.lua from spec/; do not edit. Numbers to words. */"
  p '#include "base/status.h"'
  local function list(name, rows, doc)
    p ""
    p("const struct robo_word robo__%s_words[] = {", name)
    for _, row in ipairs(rows) do p('    { %d, "%s", "%s" },', row[2], row[1], row[doc] or row.doc or "") end
    p "    { 0, NULL, NULL },\n};"
  end
  list("signal", words.signals, 3)
  list("reason", words.reasons, 3)
  local errors = {}
  for i, e in ipairs(words.errors) do errors[i] = { "E" .. e[1], e[2], e[3] } end
  list("error", errors, 3)
  list("op", spec.commands, "doc")
  list("moves", spec.moves, 3)
  return lines
end

-- The properties of each command. Its quantities are adjacent in its struct, so that they can be read as one array.
local function commands_file()
  local lines, p = printer()
  p "/* Made by spec/gen.lua from spec/; do not edit. The properties of each command. */"
  p '#include "base/command.h"'
  p ""
  p "#include <stddef.h>"
  p ""
  p "const struct robo_command_kind robo__command_kinds[] = {"
  for i, c in ipairs(spec.commands) do
    assert(c[2] == spec.commands[1][2] + i - 1, c[1] .. ": commands are numbered in order")
    assert(not (c.goal and c.lasting) and (c.goal or c.lasting or not c.servo), c[1] .. ": a goal or lasting")
    local first, count
    for _, row in ipairs(c.body) do
      if row[2] == "real" then first, count = first or row.as or row[1], (count or 0) + (row.max or row.count or 1) end
      assert(not first or row[2] == "real", c[1] .. ": its quantities come last")
    end
    p("    [ROBO_%s - ROBO_FIRST_OP] = {", UP(c[1]))
    p("        .moves = ROBO_MOVES_%s, .servo = %s,", UP(assert(c.moves, c[1] .. ": moves what?")),
      c.servo and "ROBO_SERVO_" .. UP(c.servo) or "0")
    p("        .goal = %s, .lasting = %s,", c.goal and "true" or "false", c.lasting and "true" or "false")
    if first then
      local shape = shape_of[c.moves]
      p("        .first = offsetof(struct %s, %s), .values = %d,", shape and shape.name or "robo_" .. c[1], first, count)
    end
    p "    },"
  end
  p "};"
  p "\nsize_t robo__request_size(enum robo_query op)\n{\n    switch (op) {"
  for _, query in ipairs(spec.queries) do
    if #query.request > 0 then p("    case ROBO_Q_%s: return sizeof(struct robo_request_%s);", UP(query[1]), query[1]) end
  end
  p "    default: return 0;\n    }\n}"
  return lines
end

-- The number of values of a reading, and the defaults of a sensor.
local function senses_file()
  local lines, p = printer()
  p "/* Made by spec/gen.lua from spec/; do not edit. The kinds of sensors. */"
  p '#include "body/senses.h"'
  p ""
  p("const double robo__own_rate = %d;", sensors.own.rate)
  p "const struct robo__sense_kind robo__sense_kinds[] = {"
  for i, kind in ipairs(sensors.kinds) do
    assert(kind[2] == i, kind[1] .. ": kinds are numbered in order")
    assert(not kind.many or #kind.values == 1 and not kind.values[1].count, kind[1] .. ": one value, as often as the sensor says")
    local values, names, flags, unit = 0, {}, kind.values[1].flag or false, nil
    local of_unit, exact = {}, false -- how many values of each unit there are in a row
    for _, value in ipairs(kind.values) do
      assert(#(value.each or {}) == (value.count or 0), ("%s.%s: a name for each"):format(kind[1], value[1]))
      for k = 1, value.count or 1 do
        names[#names + 1] = value.each and value[1] .. "_" .. value.each[k] or value[1]
      end
      assert(not value.unit or units[value.unit], ("%s.%s: unknown unit"):format(kind[1], value[1]))
      values = values + (value.count or 1)
      if value.unit ~= unit or #of_unit == 0 then of_unit[#of_unit + 1] = 0 end
      of_unit[#of_unit] = of_unit[#of_unit] + (value.count or 1)
      unit, exact = value.unit, exact or value.flag or value.words ~= nil
    end
    if kind.many then of_unit = { 255 } end
    assert(exact or #of_unit <= 3, kind[1] .. ": at most three units")
    local low, high = table.unpack(kind.range or { 0, 0 })
    p('    { .name = "%s", .values = %d, .rate = %d, .low = %s, .high = %s, .flags = %s,', kind[1], kind.many and 0 or values, kind.rate, low, high, flags)
    p('      .of_unit = { %s }, .names = "%s" },', exact and "0" or table.concat(of_unit, ", "), table.concat(names, " "))
  end
  p "    { .name = NULL },\n};"
  return lines
end

-- The kinds of shapes, without their geometry.
local function shapes_file()
  local lines, p = printer()
  p "/* Made by spec/gen.lua from spec/; do not edit. The kinds of shapes. */"
  p '#include "body/shape.h"'
  p ""
  p "const struct robo__shape_facts robo__shape_facts[] = {"
  for _, kind in ipairs(descriptor.words.shape) do
    local radii, nodes = 0, {}
    for i, name in ipairs(kind.each or {}) do
      assert(name ~= "radius" or radii == i - 1, kind[1] .. ": radii come first")
      if name == "radius" then radii = i end
    end
    for i, node in ipairs(kind.vrml or {}) do
      nodes[i] = ('{ "%s", { "%s" }, %d }'):format(node[1], table.concat(node, '", "', 2), node.at or 0)
    end
    p('    { .name = "%s", .called = "%s", .sizes = %d, .radii = %d, .caps = %s, .geom = %d,', kind[1], kind.called,
      kind.sizes, radii, kind.caps and "true" or "false", kind.geom)
    p("      .node = { %s } },", #nodes > 0 and table.concat(nodes, ", ") or "{ NULL }")
  end
  p "};"
  return lines
end

local ros = load_spec "ros_files" (load_spec "ros", printer)
local metrics = load_spec "metrics" (printer)
assert(what == "pages" or what == "c" and arg[2], "usage: lua5.4 spec/gen.lua [pages [DIR] | c DIR]")

if what == "c" then
  write("core/robotalk/spec.h", header_file())
  write("core/robotalk/records.h", records_file())
  write("core/base/names.gen.c", names_file())
  write("core/base/commands.gen.c", commands_file())
  write("core/body/senses.gen.c", senses_file())
  write("core/body/shapes.gen.c", shapes_file())
  write("protocols/robotalk/tables.gen.c", tables_file())
  write("protocols/ros/messages.gen.c", ros.tables())
  write("protocols/web/metrics.gen.c", metrics.tables())
  write("protocols/web/robotalk/messages.js", load_spec "javascript" (spec, words, body, units, descriptor.words.servo))
  return
end

-- A file of the tree.
local function text_of(path)
  local made = { ["core/robotalk/spec.h"] = header_file, ["core/robotalk/records.h"] = records_file }
  return made[path] and table.concat(made[path](), "\n") or read(here .. "/../" .. path)
end

local pages = assert(loadfile(here .. "/pages.lua", "t"))() {
  units = units, words = words, spec = spec, api = load_spec "api", call = load_spec "call", body = body, descriptor = descriptor,
  sensors = sensors, printer = printer,
}
write("spec/messages.md", pages.messages())
write("spec/tables.json", load_spec "tables" (spec, words, body, sensors.kinds, units))
write("spec/fields.md", pages.fields())
write("spec/ros.md", ros.page())
write("spec/metrics.md", metrics.page())
write("scripts/meta/robotalk.lua", pages.meta())
write("docs/sensors.md", pages.sensors(text_of "docs/sensors.md"))
write("docs/lua.md", pages.lua(text_of "docs/lua.md"))
local made, stub = load_spec "python" { spec = spec, api = load_spec "api", sensors = sensors, printer = printer }
write("bindings/python/robotalk/_made.py", made)
write("bindings/python/robotalk/__init__.pyi", stub)
local headers = load_spec "headers" (text_of)
local whole = headers.whole
local public = whole "core/robotalk.h" -- with its parts
for _, name in ipairs(headers.others) do whole("core/robotalk/" .. name .. ".h", public) end
write("docs/c.md", pages.c(text_of "docs/c.md", public))
