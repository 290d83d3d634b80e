-- Makes C of the node types that need no declaration, and of the prototypes in every file, which stand beside this in
-- VRML97's own notation: lua5.4 tables.lua FOLDER OUT.c
local folder, out = arg[1], arg[2]

local function read(name)
  local f <close> = assert(io.open(folder .. "/" .. name, "rb"))
  return f:read "a"
end

local lines = { "/* Made by protocols/rcml/tables.lua. */", '#include "rcml/kinds.h"', '#include "rcml/protos.h"' }
local function p(form, ...) lines[#lines + 1] = form:format(...) end

local ACCESS <const> = { field = "FIELD", exposedField = "EXPOSED", eventIn = "EVENT_IN", eventOut = "EVENT_OUT" }
-- The member of a value's union and its type in C, by the name of a type without SF and MF; floats have all others.
local INTEGER <const> = "integer const int32_t"
local MEMBERS <const> = { Bool = INTEGER, Int32 = INTEGER, Image = INTEGER, Time = "time const double",
  String = "string const char *const", Node = "node struct robo_scene_node *const" }
local WIDTHS <const> = { Color = 3, Rotation = 4, Vec2f = 2, Vec3f = 3 }

-- The numbers, strings, booleans or nodes of a value as C has them; how many there are.
local function elements(text, member)
  local list = {}
  for word in text:gsub("[%[%]]", " "):gmatch '"[^"]*"' do list[#list + 1] = word end
  for word in text:gsub('"[^"]*"', ""):gmatch "[^%s%[%]]+" do
    local c = word == "TRUE" and "1" or word == "FALSE" and "0" or word
    list[#list + 1] = member == "number" and c:find "[.e]" and c .. "F" or c
  end
  return table.concat(list, ", "), #list
end

-- "exposedField SFVec3f center 0 0 0"
local function declaration(line, where)
  local access, many, base, name, text = line:match "^%s+(%a+)%s+([SM])F(%w+)%s+([%w_]+)%s*(.*)$"
  assert(ACCESS[access], where .. ": " .. line)
  local member, of = (MEMBERS[base] or "number const float"):match "^(%a+) (.*)$"
  local list, count = elements(text, member)
  if many == "M" then count = count // (WIDTHS[base] or 1) elseif base ~= "Image" and count > 0 then count = 1 end
  p('    { "%s", ROBO_SCENE_%s, { ROBO_%sF_%s, %d, { %s } }, NULL },', name, ACCESS[access], many, base:upper(), count,
    count > 0 and (".%s = (%s[]){ %s }"):format(member, of, list) or "NULL")
end

for _, origin in ipairs { "VRML", "RCML" } do
  local name = ("kinds_%s.txt"):format(origin:lower())
  local kinds = {}
  for kind, body in read(name):gmatch "\n([%w_]+) {\n(.-)}" do
    p("static const struct robo_scene_declaration of_%s[] = {", kind)
    for line in body:gmatch "[^\n]+" do declaration(line, name) end
    p "};"
    kinds[#kinds + 1] = kind
  end
  p("const struct robo_scene_kind robo__%s_kinds[ROBO__%s_KINDS] = {", origin:lower(), origin)
  for _, kind in ipairs(kinds) do
    p('    { .name = "%s", .origin = ROBO_SCENE_%s, .url = { .type = ROBO_MF_STRING },', kind, origin)
    p("      .declarations = sizeof of_%s / sizeof of_%s[0], .declaration = of_%s },", kind, kind, kind)
  end
  p "};"
end

for _, part in ipairs { "body", "robot" } do
  p("const char robo__rcml_%s_protos[] =", part)
  for line in read(part .. ".wrl"):gsub("^[^\n]*\n", ""):gmatch "([^\n]*)\n" do
    p('    "%s\\n"', (line:gsub('[\\"]', "\\%0")))
  end
  p "    ;"
end

local f <close> = assert(io.open(out, "wb"))
f:write(table.concat(lines, "\n"), "\n")
