-- The tables of the wire as JSON, for gen.lua: spec/tables.json, from which clients in other languages make their codecs.
-- spec/messages.md explains types and attributes. Fields keep their order, and the keys of a row their names.
package.path = arg[0]:match("^(.*)/[^/]*$") .. "/../scripts/?.lua"
local json = require "robotalk.json"
local units -- set by the function below

---One row: its name, its type or number, and its attributes. A quantity also has the integer that it is on the wire, and of what.
local function row(t)
  local out = {}
  for key, value in pairs(t) do if type(key) == "string" then out[key] = value end end
  out.name, out[type(t[2]) == "string" and "type" or "number"], out.doc = t[1], t[2], t.doc or t[3]
  if out.type == "real" then
    out.wire = out.scale and "i64" or units[out.unit].wire
    out.scale = out.scale or units[out.unit].scale
  elseif out.type == "time" then
    out.wire, out.scale = "i64", 1e-6
  end
  return out
end

---Rows that are on the wire.
local function rows(list)
  local out = {}
  for _, t in ipairs(list) do
    if not t.host then out[#out + 1] = row(t) end
  end
  return out
end

---Queries, commands or notices. known: the rows of a reply that has only their name.
local function operations(list, known)
  local out = rows(list)
  for _, op in ipairs(out) do
    for _, part in ipairs { "request", "reply", "body" } do op[part] = op[part] and rows(known and known[op[part]] or op[part]) end
  end
  return out
end

local function sensors(kinds)
  local out = rows(kinds)
  for _, kind in ipairs(out) do kind.values = rows(kind.values) end
  return out
end

---The lines of the file: a member each, and of a list an item each.
return function(spec, words, body, kinds, all_units)
  units = all_units
  local records, errors = {}, rows(words.errors)
  local known = { reply_state = table.move(spec.state_more, 1, #spec.state_more, #spec.state + 1, { table.unpack(spec.state) }) }
  for i, r in ipairs(body.records) do
    records[i], known[r[1]] = { name = r[1], doc = r.doc, rows = rows(r.rows) }, r.rows
  end
  for _, q in ipairs(spec.queries) do known["reply_" .. q[1]] = known["reply_" .. q[1]] or q.reply end
  for _, e in ipairs(errors) do e.name = "E" .. e.name end
  local members = {
    { "version", spec.version }, { "magic", spec.magic }, { "max_payload", spec.max_payload }, { "port", spec.port },
    { "flags", rows(spec.flags) }, { "types", rows(spec.types) }, { "roles", rows(spec.roles) },
    { "signals", rows(words.signals) }, { "reasons", rows(words.reasons) }, { "errors", errors },
    { "header", rows(spec.header) }, { "entry", rows(spec.entry) },
    { "queries", operations(spec.queries, known) }, { "state", rows(spec.state) }, { "state_more", rows(spec.state_more) },
    { "more", rows(spec.more) }, { "command_head", rows(spec.command_head) }, { "commands", operations(spec.commands) },
    { "move", rows(spec.move) }, { "move_parts", rows(spec.move_parts) },
    { "signal", rows(spec.signal) }, { "missed", rows(spec.missed) }, { "part", rows(spec.part) }, { "part_kinds", rows(spec.part_kinds) },
    { "notices", operations(spec.notices) },
    { "block", rows(body.block) }, { "configuration", rows(body.configuration) }, { "records", records },
    { "sensors", sensors(kinds) },
  }
  local lines = { "{" }
  for i, member in ipairs(members) do
    local name, value, last = member[1], member[2], i == #members and "" or ","
    if type(value) == "table" then
      lines[#lines + 1] = ('"%s": ['):format(name)
      for k, item in ipairs(value) do lines[#lines + 1] = "  " .. json.encode(item) .. (k < #value and "," or "") end
      lines[#lines + 1] = "]" .. last
    else
      lines[#lines + 1] = ('"%s": %s%s'):format(name, json.encode(value), last)
    end
  end
  lines[#lines + 1] = "}"
  return lines
end
