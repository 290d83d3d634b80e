-- Makes the fuzzer's seeds from the vectors, bytes as they are: lua5.4 tests/wire/seeds.lua
-- Run from the source directory after adding a vector; the output is committed.
local from, to = "tests/wire/", "tests/fuzz/seeds/wire_fuzz/"
for _, folder in ipairs { "", "bad/" } do
  local list = assert(io.popen(("ls '%s%s'"):format(from, folder)))
  for name in list:lines() do
    local base = name:match "^(.*)%.txt$"
    if base then
      local f = assert(io.open(from .. folder .. name, "rb"))
      local hex = f:read "a":match "^(.-)\n\n"
      f:close()
      local seed = assert(io.open(to .. folder:gsub("/", "_") .. base, "wb"))
      seed:write((hex:gsub("%s", ""):gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)))
      seed:close()
    end
  end
  list:close()
end
