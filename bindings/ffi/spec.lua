-- Writes what robotalk.lua needs of the public headers and of the specification: lua5.4 bindings/ffi/spec.lua OUT MADE,
-- from the top of the tree; MADE is the folder with the C files of spec/gen.lua. The C declarations are the headers'
-- own text; beside them stand the rows of commands, queries and notices.
local out_path, made = arg[1], assert(arg[2], "usage: lua5.4 bindings/ffi/spec.lua OUT MADE")
local messages = dofile "spec/messages.lua"
local body = dofile "spec/records.lua" (dofile "spec/descriptor.lua")

local function read(path)
  local file <close> = assert(io.open(path) or io.open(made .. "/" .. path))
  return file:read "a"
end

local headers = dofile "spec/headers.lua" (read)

-- Members of a C struct: { name, what it is, how many or the member that says so, name of the field, most of them }.
local WHAT = { text = "text", chars = "text", time = "time" }
local function members(rows)
  local list = {}
  for _, row in ipairs(rows) do
    local what = WHAT[row[2]] or "number"
    if not row.host then list[#list + 1] = { row.as or row[1], what, row.count or false, row[1], row.max } end
  end
  return list
end

local member_of = {} -- of the union of commands' bodies
for _, shape in ipairs(messages.shapes) do member_of[shape.moves] = shape[1] end

local public = headers.whole "core/robotalk.h"
for _, name in ipairs { "records", "picture", "session", "link" } do
  headers.whole(("core/robotalk/%s.h"):format(name), public)
end
-- LuaJIT does not compile calls that pass a struct by value. On the 64-bit systems of robotalk.lua a struct of one
-- integer is passed as that integer.
local ID = "typedef struct robo_[%w_]+ {%s*int64_t value;%s*} (robo_[%w_]+);"
local cdef, ids = headers.cdef(public):gsub(ID, "typedef int64_t %1;")
assert(ids == 2, "ids of sessions and of requests")
local spec = { cdef = cdef,
  commands = {}, queries = {}, notices = {}, structs = {} }
for _, c in ipairs(messages.commands) do
  local member = #c.body > 0 and (member_of[c.moves] or c[1])
  spec.commands[c[1]] = { op = c[2], member = member, members = members(c.body) }
end
for _, q in ipairs(messages.queries) do
  local request, reply = q.request, q.reply
  local query = { op = q[2], request = #request > 0 and "struct robo_request_" .. q[1], members = members(request) }
  if type(reply) == "string" then query.reply = "struct robo_" .. reply
  elseif #reply > 0 then query.reply = "struct robo_reply_" .. q[1] end
  if type(reply) == "table" then spec.structs["struct robo_reply_" .. q[1]] = members(reply) end
  spec.queries[q[1]] = query
end
spec.structs["struct robo_reply_state"] = members(table.move(messages.state_more, 1, #messages.state_more,
  #messages.state + 1, messages.state))
for _, record in ipairs(body.records) do spec.structs["struct robo_" .. record[1]] = members(record.rows) end
for _, n in ipairs(messages.notices) do spec.notices[n[2]] = n[1] end

local out = {}
local function write(value)
  if type(value) == "string" then out[#out + 1] = ("%q"):format(value)
  elseif type(value) ~= "table" then out[#out + 1] = tostring(value)
  else
    local keys = {}
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    out[#out + 1] = "{"
    for _, key in ipairs(keys) do
      out[#out + 1] = ("[%s]="):format(type(key) == "string" and ("%q"):format(key) or tostring(key))
      write(value[key])
      out[#out + 1] = ","
    end
    out[#out + 1] = "}\n"
  end
end
out[1] = "-- Made by bindings/ffi/spec.lua; do not edit.\nreturn "
write(spec)
local file <close> = assert(io.open(out_path, "wb"))
file:write(table.concat(out))
