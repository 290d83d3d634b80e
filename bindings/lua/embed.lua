-- Writes Lua files into one C file: lua5.4 bindings/lua/embed.lua OUT.c FILE …, from the top of the tree.
-- scripts/robotalk/init.lua gets the name robotalk/init.lua, other paths stay as they are. Each file comes as text and
-- as bytecode, with the names and lines that errors tell.
local out = table.remove(arg, 1)

-- Bytecode is that of a release of Lua: this one's.
local release
do
  local pipe <close> = assert(io.popen(arg[-1] .. " -v"))
  release = assert(pipe:read "a":match "^Lua [%d.]+  ", "this Lua does not tell its version")
end

local escapes = { ["\\"] = "\\\\", ['"'] = '\\"', ["\t"] = "\\t", ["\r"] = "\\r" }
-- Octal with three digits: unlike \x it cannot swallow the character that follows.
local function escape(c) return escapes[c] or ("\\%03o"):format(c:byte()) end

local function quoted(bytes) return '"' .. bytes:gsub('[%c"\\\128-\255?]', escape) .. '"' end

local scripts = {}
for _, path in ipairs(arg) do
  local f <close> = assert(io.open(path, "rb"))
  local text = f:read "a"
  assert(load(text, "@" .. path, "t")) -- a syntax error ends the build here, with file and line
  local name = path:gsub("^scripts/", "")
  scripts[#scripts + 1] = { name = name, text = text, code = string.dump(load(text, "@" .. name)) }
end
table.sort(scripts, function(a, b) return a.name < b.name end)

local lines = { "/* Made by bindings/lua/embed.lua from scripts/ and spec/. */", '#include "scripts.h"', "" }
local function p(form, ...) lines[#lines + 1] = form:format(...) end
p('const char robo_scripts_release[] = "%s";\n', release)
p "const struct robo_script robo_scripts[] = {"
for _, s in ipairs(scripts) do
  p('    { "%s",', s.name)
  for line, newline in s.text:gmatch "([^\n]*)(\n?)" do
    if line ~= "" or newline ~= "" then
      p("      %s", quoted(line .. newline))
    end
  end
  p('      "", %d,', #s.text)
  for i = 1, #s.code, 100 do p("      %s", quoted(s.code:sub(i, i + 99))) end
  p("      , %d },", #s.code)
end
p "    { NULL, NULL, 0, NULL, 0 },"
p "};"

local f <close> = assert(io.open(out, "wb"))
f:write(table.concat(lines, "\n"), "\n")
