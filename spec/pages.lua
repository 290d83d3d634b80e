-- The pages of the specification for people, and the annotations for editors. gen.lua passes in the specification; each
-- function returns the lines of one file.
return function(the)
local units, words, spec, api, call, body, kinds, sensors, printer =
  the.units, the.words, the.spec, the.api, the.call, the.body, the.descriptor.kinds, the.sensors, the.printer

-- The range of a field, after its meaning. For a field that is 0 or 1 the meaning names both values.
local function range_of(row)
  if not row.hi or row.hi == 1 and not row.lo then return "" end
  return ("; %d to %d"):format(row.lo or 0, row.hi)
end

local function messages_page()
  local lines, p = printer()
  p "<!-- Made by spec/gen.lua from spec/; do not edit. -->"
  p "# RoboTalk messages, version %d"; lines[#lines] = lines[#lines]:format(spec.version)
  p ""
  p "Their use: [robotalk.md](robotalk.md). All integers are in network byte order."
  local function rows_of(rows)
    if #rows == 0 then p "No body."; p ""; return end
    p "| field | wire | count | unit | meaning |"
    p "| --- | --- | --- | --- | --- |"
    for _, row in ipairs(rows) do
      local unit = units[row.unit]
      if row.host then goto continue end
      local wire = row[2]
      if wire == "time" then wire = "i64, microseconds" .. (row.none and "; INT64_MIN: " .. row.none or "")
      elseif wire == "real" then
        wire = row.scale and ("i64 x %g"):format(row.scale) or ("%s x 1e-6"):format(unit.wire)
        if row.none then wire = wire .. "; INT64_MIN: " .. row.none end
      elseif wire == "packed" then wire = "u8 width, 4 or 8; i32 or i64 x 1e-6; least integer: not known"
      elseif wire == "chars" then wire = ("%d bytes, padded with zeros"):format(row.max + 1)
      elseif wire == "text" then wire = ("u16 length, bytes, at most %d"):format(row.max) end
      local count = type(row.count) == "string" and ("`%s`, at most %d"):format(row.count, row.max) or (row.count or "")
      local doc = row.doc .. range_of(row) .. (row.optional and "; this field and the following ones may be missing, and are then 0" or "")
      p("| %s | %s | %s | %s | %s |", row[1], wire, count, row.unit or "", doc)
      ::continue::
    end
    p ""
  end
  local function move_body()
    p "| bit of parts | number | meaning |\n| --- | --- | --- |"
    for _, row in ipairs(spec.move_parts) do p("| %s | %d | %s |", row[1], row[2], row[3]) end
    p "\nA value counts millionths of its SI unit.\n"
    p "| field | wire | count | present with | meaning |\n| --- | --- | --- | --- | --- |"
    for _, row in ipairs(spec.move) do
      p("| %s | %s | %s | %s | %s |", row[1], row[2] == "value" and "i32 or i64" or row[2], row.count or "", row.when, row.doc)
    end
    p ""
  end
  p "\n## Header\n"; rows_of(spec.header)
  p "\n## Entry head\n"; rows_of(spec.entry)
  local function list(title, rows)
    p("\n## %s\n", title)
    p "| name | number | meaning |"
    p "| --- | --- | --- |"
    for _, row in ipairs(rows) do p("| %s | %d | %s |", row[1], row[2], row.doc or row[3] or "") end
    p ""
  end
  list("Flags", spec.flags); list("Payload types", spec.types); list("Roles", spec.roles); list("Signals", words.signals)
  list("Reasons", words.reasons)
  local errors = {}
  for i, row in ipairs(words.errors) do errors[i] = { "E" .. row[1], row[2], row[3] } end
  list("Errors", errors)
  p "\n## State\n"; rows_of(spec.state)
  p "After it, the requested optional parts:\n"; rows_of(spec.state_more)
  list("More", spec.more)
  p "\n## Queries\n"
  for _, q in ipairs(spec.queries) do
    p("### %d %s\n\n%s.%s\n\nAsk:\n", q[2], q[1], q.doc, q.role and (" For the role %s."):format(q.role) or ""); rows_of(q.request)
    p "Answer:\n"
    if q.reply == "reply_state" then p "The state, and the requested optional parts.\n"
    elseif type(q.reply) == "string" then
      local other = q.reply:match "^reply_(.*)$"
      p(other and "That of `%s`.\n" or "The record of a %s.\n", other or q.reply)
    else
      rows_of(q.reply)
    end
  end
  p "\n## Configuration block\n\nThe header's first part:\n"; rows_of(body.block)
  p "Its second part:\n"; rows_of(body.configuration)
  for _, r in ipairs(body.records) do p("### Record: %s\n\n%s; at most %d.\n", r[1], r.doc, r.max); rows_of(r.rows) end
  p "\n## Values of a reading\n\nThe values of each kind of sensor, in their order on the wire. Each is an entry of `value` in the answers of sense, watch and record.\n"
  p "| kind | values |\n| --- | --- |"
  for _, kind in ipairs(sensors.kinds) do
    local names = {}
    for _, value in ipairs(kind.values) do
      for _, each in ipairs(value.each or { "" }) do
        local meant = value.words and ": 1 " .. table.concat(value.words, ", ") or ""
        names[#names + 1] = value[1] .. (each ~= "" and " " .. each or "") .. (value.unit and ", " .. value.unit or value.flag and ", 0 or 1" or meant)
      end
    end
    p("| %s | %s%s |", kind[1], kind.many and "as many as the sensor's `count`: " or "", table.concat(names, "; "))
  end
  p "| any other | those named by the sensor's `values`; without names, one |\n"
  list("What a command moves", spec.moves)
  p "\n## Commands\n\nEvery body begins with:\n"; rows_of(spec.command_head)
  for _, c in ipairs(spec.commands) do
    local ends = c.goal and ", a goal" or c.lasting and ", lasting" or ""
    p("### %d %s\n\n%s.\n\nMoves: %s%s%s.\n", c[2], c[1], c.doc, c.moves, c.servo and ", " .. c.servo or "", ends)
    if c.parts then move_body() else rows_of(c.body) end
  end
  p "\n## Signal\n"; rows_of(spec.signal)
  p "If a motion of a control frame ended away from its goal (modified, limit), these fields follow; the entry's size shows this:\n"
  rows_of(spec.missed)
  p "If parts of a `move` did not end in success, they follow these: a count (u16), and for each part:\n"
  rows_of(spec.part)
  list("Parts of a move in its signal", spec.part_kinds)
  p "\n## Notices\n"
  for _, n in ipairs(spec.notices) do p("### %d %s%s\n\n%s.\n", n[2], n[1], n.retained and ", retained" or "", n.doc); rows_of(n.body) end
  return lines
end

-- The kinds of a descriptor, and of a world in the order of its fields, as on the page.
local KINDS = { "robot", "base", "battery", "bus", "weights", "link", "shape", "joint", "dof", "mimic", "frame", "camera", "sensor",
  "widget", "driver", "world" }
for _, field in ipairs(kinds.world) do KINDS[#KINDS + 1] = field[2]:match "^%l+ (%l+)$" end

-- The fields of a kind that a descriptor may have.
local function written(kind)
  local fields = {}
  for _, field in ipairs(kinds[kind]) do
    if field[2] then fields[#fields + 1] = field end
  end
  return fields
end

local function type_of(field)
  local how, kind = field[2]:match("^(%l+) (%l+)$")
  return how and (how == "one" and "a %s" or how == "list" and "list of %s" or how == "named" and "name -> %s"
    or "number -> %s"):format(kind) or field[2]
end

-- The Lua value of a field of each type.
local TYPES = {
  { "text, number, flag", "as in Lua: `\"arm\"`, `0.5`, `true`" },
  { "whole", "a whole number" },
  { "place", "three numbers: x, y, z" },
  { "spot", "two numbers on the floor: x, y" }, { "path", "a list of spots, two at least" },
  { "starts", "a list of places, `{ x, y }`, `{ x, y, heading }` or `{ x, y, heading, height }`" },
  { "angles", "three numbers: roll, pitch, yaw about fixed axes x, y, z" },
  { "turn", "angles, or three rows of a rotation matrix" },
  { "direction", "three numbers, not all 0" },
  { "range", "two numbers, the lower first" },
  { "greatest", "a number, 0 or more; or two, `{ low, high }`, of which the larger absolute value counts" },
  { "plane", "`{ x = …, y = …, theta = … }`; missing ones are 0" },
  { "tensor", "`{ xx, yy, zz }`, `{ xx, yy, zz, xy, xz, yz }`, or three rows" },
  { "size", "one to three numbers, 0 or more" },
  { "each", "a number; or a list of up to three, one for each unit of a reading" },
  { "word", "one of the listed words" },
  { "words, commands", "one of the listed words, or a list of them" },
  { "rcml", "an RCML_Robot ([rcml.md](rcml.md), section 4)" },
  { "link", "the number or the name of a link" },
  { "colour", "`\"#rrggbb\"` or `\"#rrggbbaa\"`" },
  { "panic", "a word; or `{ JOINT = { DOF = position } }`, where to retreat to" },
  { "a K", "a table with the fields of K below" },
  { "list of K", "a list of such tables" },
  { "name -> K", "such tables by their names" },
  { "number -> K", "such tables by their numbers on the wire; joints from 1 on, as a list is" },
}

local function fields_page()
  local lines, p = printer()
  p "<!-- Made by spec/gen.lua from spec/descriptor.lua; do not edit. -->"
  p "# Fields of a descriptor"
  p "\nConcepts and examples: [descriptors.md](descriptors.md). The types:\n\n| type | value |\n| --- | --- |"
  for _, type in ipairs(TYPES) do p("| %s | %s |", type[1], type[2]) end
  for _, kind in ipairs(KINDS) do
    p("\n## %s\n\n| field | type | unit | meaning |\n| --- | --- | --- | --- |", kind)
    for _, f in ipairs(written(kind)) do
      local choice = f.words and (": " .. table.concat(f.words, ", ")) or ""
      p("| %s%s | %s%s | %s | %s |", f[1], f.needed and " (needed)" or "", type_of(f), choice, f.unit or "", f.doc)
    end
  end
  return lines
end

local LUA_TYPE = { text = "string", number = "number", flag = "boolean", whole = "integer", word = "string",
  link = "integer|string", colour = "string", greatest = "number|number[]", each = "number|number[]", words = "string|string[]",
  spot = "number[]", path = "number[][]", starts = "number[][]", commands = "string[]", rcml = "table", panic = "string|table<string, table<string, number>>",
  plane = "{ x: number?, y: number?, theta: number? }" }

local function descriptor_classes(p)
  for _, kind in ipairs(KINDS) do
    local name = kind == "robot" and "robotalk.Descriptor" or "robotalk.descriptor." .. kind
    p("\n---%s\n---@class %s", kind == "robot" and "The table that a descriptor file returns: a robot. SI units." or "Part of a descriptor.", name)
    for _, f in ipairs(written(kind)) do
      local how, of = f[2]:match("^(%l+) (%l+)$")
      local class = "robotalk.descriptor." .. (of or "")
      local type = how == "one" and class or how == "named" and ("table<string, %s>"):format(class)
        or how == "numbered" and ("table<integer, %s>"):format(class) or how == "list" and class .. "[]"
        or LUA_TYPE[f[2]] or "number[]"
      p("---@field %s %s # %s", f[1] .. (f.needed and "" or "?"), type, f.doc)
    end
  end
end

local function meta_file()
  local lines, p = printer()
  p "---@meta robotalk"
  p "-- Made by spec/gen.lua from spec/api.lua; do not edit. For the Lua language server."
  local function alias(name, rows)
    p("\n---@alias %s", name)
    for _, row in ipairs(rows) do p('---| "%s" # %s', row[1], row[3]) end
  end
  alias("robotalk.Signal", words.signals)
  alias("robotalk.Reason", words.reasons)
  for _, class in ipairs(api.classes) do
    p("\n---%s\n---@class %s", class.doc, class.name)
    for _, f in ipairs(class.fields or {}) do p("---@field %s %s # %s", f[1], f[2], f[3]) end
    local var = class.var or (class.name:match("[%w.]+"):gsub("%W", "_"))
    p("local %s = {}", var)
    for _, fn in ipairs(class.functions or {}) do
      p("\n---%s", (fn.doc:gsub("\n", "\n---")))
      local names = {}
      for _, a in ipairs(fn.params or {}) do
        p("---@param %s %s # %s", a[1], a[2], a[3])
        names[#names + 1] = a[1]:match("^[%w_.]+")
      end
      for _, r in ipairs(fn.returns or {}) do p("---@return %s # %s", r[1], r[2]) end
      p("function %s%s%s(%s) end", var, class.var and "." or ":", fn[1], table.concat(names, ", "))
    end
  end
  descriptor_classes(p)
  p "\nreturn robotalk"
  return lines
end

-- The generated part of a page follows this line; the part above it is written by hand.
local REFERENCE = "<!-- The rest is made by spec/gen.lua; do not edit. -->"

local function guided(guide)
  local lines, p = printer()
  p(guide:match("^(.-)\n*" .. REFERENCE:gsub("%p", "%%%0")) or guide)
  p("\n%s\n", REFERENCE)
  return lines, p
end

-- Text of api.lua in the form of a page.
local function said(text) return (text:gsub("\n", " "):gsub("<%l+>", "`%0`"):gsub("%*", "\\*")) end

local function list_of(p, rows)
  p ""
  for _, row in ipairs(rows) do
    p("- `%s` (%s)%s", row[1]:gsub("%?$", ""), said(row[2]), (row[3] or "") ~= "" and ": " .. said(row[3]) or "")
  end
end

-- The returns of a function. After a failure, nil, message and code replace all others.
local function returns_of(p, returns)
  if returns == api.word then p "\nReturns [word, why, result](#words)."; return end
  local parts, fails, codes = {}, false, ""
  for _, r in ipairs(returns) do fails = fails or r == api.fail end
  for _, r in ipairs(returns) do
    local code = r[2]:match("^its code: (.*)")
    if code then codes = ": " .. code
    elseif r ~= api.fail and r ~= api.code then
      local type = fails and r[1]:gsub("%?$", "") or r[1]
      parts[#parts + 1] = ("`%s`%s"):format(type, r[2] ~= "" and ": " .. said(r[2]) or "")
    end
  end
  p("\nReturns %s%s.", table.concat(parts, "; "), fails and "; or `nil, message, code`" .. codes or "")
end

-- docs/lua.md: every class of api.lua with its fields and functions.
local function lua_page(guide)
  local lines, p = guided(guide)
  p "## Reference"
  for _, class in ipairs(api.classes) do
    local name, parent = class.name:match("^([%w.]+):?%s*([%w.]*)")
    p("\n### %s\n\n%s%s", name, said(class.doc), parent ~= "" and (" It has all fields and functions of %s."):format(parent) or "")
    if class.fields then list_of(p, class.fields) end
    for _, fn in ipairs(class.functions or {}) do
      p("\n#### `%s`\n\n%s", call(class, fn), said(fn.doc))
      if fn.params then list_of(p, fn.params) end
      if fn.returns then returns_of(p, fn.returns) end
    end
  end
  return lines
end

-- docs/c.md: the functions of the public headers, a list of { path =, text = }, by their sections. Functions before the first
-- section of a header have none.
local function c_page(guide, headers)
  local lines, p = guided(guide)
  p "## Functions\n\n| header | section | functions |\n| --- | --- | --- |"
  for _, header in ipairs(headers) do
    local title, names = "", {}
    local file = header.path:match "^core/(.*)"
    local function finish()
      if #names > 0 then p("| `%s` | %s | %s |", file, title, table.concat(names, ", ")) end
    end
    for line in header.text:gmatch("[^\n]*") do
      local next_title = line:match("^/%* %-%-%-%- (.-) %-%-%-%-")
      if next_title then
        finish()
        title, names = next_title:match("^[^:]*"), {}
      end
      local name = line:match("^%a[%w_ *]-%f[%w](robo_%l[%w_]*)%(")
      if name then names[#names + 1] = ("`%s`"):format(name) end
    end
    finish()
  end
  return lines
end

-- The page of sensors, with the list of their kinds between its two marks.
local function sensors_page(text)
  local before, after = text:match "^(.*<!%-%- kinds: [^\n]*\n).*(<!%-%- end of kinds.*)$"
  local lines, p = printer()
  p "| type | sensor | a reading | readings a second |\n| --- | --- | --- | --- |"
  for _, kind in ipairs(sensors.kinds) do
    local values = {}
    for i, value in ipairs(kind.values) do
      local unit = value.flag and "true or false" or value.words and table.concat(value.words, ", ")
        or value.unit == "dof" and "rad or m" or value.unit == "ratio" and "" or value.unit
      values[i] = ("`%s`%s%s: %s"):format(value[1], unit and unit ~= "" and ", " .. unit or "", kind.many and ", `" .. kind.many .. "` each" or "", value.doc)
    end
    local range = kind.range and not kind.values[1].flag and ("; default: %g to %g m"):format(table.unpack(kind.range)) or ""
    p("| %s | %s%s | %s | %d |", kind[1], kind.doc, range, table.concat(values, "<br>"), kind.rate)
  end
  return { before .. table.concat(lines, "\n") .. "\n" .. after:gsub("\n$", "") }
end

return { sensors = sensors_page, messages = messages_page, fields = fields_page, meta = meta_file, lua = lua_page, c = c_page }
end
