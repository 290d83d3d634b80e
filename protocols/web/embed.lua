-- Makes C of the files of pages: lua5.4 embed.lua OUT.c FILE …; their paths there begin behind protocols/web/.
local lines = { "/* Made by protocols/web/embed.lua. */", '#include "web/assets.h"', "",
  "const struct robo__asset robo__assets[] = {" }
local function octal(c) return ("\\%03o"):format(c:byte()) end
local TYPES <const> = { js = "text/javascript; charset=utf-8", css = "text/css; charset=utf-8",
  html = "text/html; charset=utf-8", txt = "text/plain; charset=utf-8" }
for i = 2, #arg do
  local f <close> = assert(io.open(arg[i], "rb"))
  local text, path = f:read "a", arg[i]:match "protocols/web/(.*)$"
  lines[#lines + 1] = ('    { "%s", "%s", %d,'):format(path, TYPES[path:match "%.(%w+)$"], #text)
  for line in text:gmatch "[^\n]*\n?" do
    if line ~= "" then lines[#lines + 1] = '      "' .. line:gsub('[%c"\\?\128-\255]', octal) .. '"' end
  end
  lines[#lines] = lines[#lines] .. " },"
end
lines[#lines + 1] = "    { NULL, NULL, 0, NULL },\n};\n"
local f <close> = assert(io.open(arg[1], "wb"))
f:write(table.concat(lines, "\n"))
