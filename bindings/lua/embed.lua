-- Writes Lua files into one C file: lua5.4 bindings/lua/embed.lua OUT.c FILE …, from the top of the tree.
-- scripts/robotalk/init.lua gets the name robotalk/init.lua, other paths stay as they are.
local out = table.remove(arg, 1)

local escapes = { ["\\"] = "\\\\", ['"'] = '\\"', ["\t"] = "\\t", ["\r"] = "\\r" }
-- Octal with three digits: unlike \x it cannot swallow the character that follows.
local function escape(c) return escapes[c] or ("\\%03o"):format(c:byte()) end

local scripts = {}
for _, path in ipairs(arg) do
  local f <close> = assert(io.open(path, "rb"))
  local text = f:read "a"
  assert(load(text, "@" .. path, "t")) -- a syntax error ends the build here, with file and line
  scripts[#scripts + 1] = { name = path:gsub("^scripts/", ""), text = text }
end
table.sort(scripts, function(a, b) return a.name < b.name end)

local lines = { "/* Made by bindings/lua/embed.lua from scripts/ and spec/. */", '#include "scripts.h"', "" }
local function p(form, ...) lines[#lines + 1] = form:format(...) end
p "const struct robo_script robo_scripts[] = {"
for _, s in ipairs(scripts) do
  p('    { "%s",', s.name)
  for line, newline in s.text:gmatch "([^\n]*)(\n?)" do
    if line ~= "" or newline ~= "" then
      p('      "%s%s"', line:gsub('[%c"\\\128-\255?]', escape), newline ~= "" and "\\n" or "")
    end
  end
  p('      "", %d },', #s.text)
end
p "    { NULL, NULL, 0 },"
p "};"

local f <close> = assert(io.open(out, "wb"))
f:write(table.concat(lines, "\n"), "\n")
