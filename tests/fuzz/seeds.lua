-- Seeds of fuzzers as text, so that they are a few files and can be compared: each line of seeds/TARGET.txt is the
-- bytes of one seed in hex. A golden vector (tests/wire) is one seed: the bytes before its first empty line.
--   lua5.4 tests/fuzz/seeds.lua unpack FOLDER FILE…    writes the seeds of those files into the folder, a file each
--   lua5.4 tests/fuzz/seeds.lua pack FOLDER            prints the files of a folder as such lines
-- To take over what a fuzzer has found, with the fewest inputs that reach the same branches, in build/fuzz/tests:
--   ./X_fuzz -set_cover_merge=1 -use_counters=0 NEW seeds/X_fuzz corpus/X_fuzz
-- and then pack NEW into seeds/X_fuzz.txt.

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return assert(file:read "a", path)
end

local function bytes(hex, path)
  hex = hex:gsub("%s", "")
  assert(#hex % 2 == 0 and not hex:find "%X", path .. ": expected bytes in hex")
  return (hex:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end))
end

local function unpack_seeds(folder, paths)
  for _, path in ipairs(paths) do
    local name, text, number = path:gsub("^.*/", ""):gsub("%.txt$", ""), read(path), 0
    local vector = text:match "^(.-)\n\n"
    for hex in (vector and vector:gsub("\n", "") or text):gmatch "[^\n]+" do
      number = number + 1
      local seed <close> = assert(io.open(("%s/%s-%d"):format(folder, name, number), "wb"))
      assert(seed:write(bytes(hex, path)))
    end
    assert(number > 0, path .. ": no seed")
  end
end

local function pack_seeds(folder)
  local list <close> = assert(io.popen(("ls '%s'"):format(folder)))
  local lines = {}
  for name in list:lines() do
    local hex = read(folder .. "/" .. name):gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)
    if hex ~= "" then lines[#lines + 1] = hex end
  end
  table.sort(lines, function(a, b) if #a ~= #b then return #a < #b end return a < b end)
  print(table.concat(lines, "\n"))
end

if arg[1] == "unpack" and arg[3] then unpack_seeds(arg[2], { table.unpack(arg, 3) })
elseif arg[1] == "pack" and arg[2] then pack_seeds(arg[2])
else error("usage: seeds.lua unpack FOLDER FILE… | pack FOLDER", 0) end
