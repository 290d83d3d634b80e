-- Prints CHANGELOG.md as Debian wants a changelog: lua5.4 changelog.lua FILE MAINTAINER.
local version, sign
for line in io.lines(arg[1]) do
  local number, year, month, day = line:match "^## ([%d.]+), (%d+)%-(%d+)%-(%d+)$"
  local item, more = line:match "^%- (.*)", line:match "^  (.*)"
  if line:find "^## " and version then
    print(sign)
    version = nil
  end
  if number then
    version = number
    sign = ("\n -- %s  %s +0000\n"):format(arg[2],
      os.date("%a, %d %b %Y 12:00:00", os.time { year = year, month = month, day = day, hour = 12 }))
    print(("robotalk (%s) bookworm; urgency=medium\n"):format(version))
  elseif version and (item or more) then
    assert(#line <= 78, "CHANGELOG.md: want at most 78 columns (80 in Debian's), got " .. #line .. ": " .. line)
    print(item and "  * " .. item or "    " .. more)
  end
end
if version then print(sign) end
