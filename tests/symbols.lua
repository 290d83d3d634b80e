-- What the library exports is what tests/symbols.txt lists, and what of it robotalk.h promises:
--   lua5.4 tests/symbols.lua LIBRARY MADE [--write], from the top of the tree; MADE has the C files of spec/gen.lua.
-- Prints what is missing and what is new, and exits with 1; --write writes the list. A promised function that is gone
-- is another name of the library, librobotalk.so.1: the major version in CMakeLists.txt.
local library, made, write = arg[1], assert(arg[2], "usage: lua5.4 tests/symbols.lua LIBRARY MADE [--write]"), arg[3]
local LIST = "tests/symbols.txt"
local HEAD = [[
# The functions of librobotalk.so: those that robotalk.h promises, and those of robotalk/, which may change.
# lua5.4 tests/symbols.lua build/dev/librobotalk.so build/dev/made --write
]]

local function read(path)
  local f <close> = io.open(path, "rb") or io.open(made .. "/" .. path, "rb")
  return f and f:read "a" or ""
end

-- The functions that a list of headers declares.
local function declared(list, names)
  for _, header in ipairs(list) do
    local text = header.text:gsub("/%*.-%*/", "")
    for name in text:gmatch "%f[%w_](robo_%l[%w_]*)%(" do names[name] = true end
  end
  return names
end

-- The lines of the list that there should be.
local function lines_of(exported, promised)
  local lines = {}
  for name in pairs(exported) do
    lines[#lines + 1] = (promised[name] and "promised " or "may_change ") .. name
  end
  table.sort(lines, function(a, b)
    if a:sub(1, 1) ~= b:sub(1, 1) then return a > b end -- promised before may_change
    return a < b
  end)
  return lines
end

-- What of `lines` is not in `others`.
local function beyond(lines, others)
  local known, rest = {}, {}
  for _, line in ipairs(others) do known[line] = true end
  for _, line in ipairs(lines) do if not known[line] then rest[#rest + 1] = line end end
  return rest
end

-- The test is tested first.
do
  local lines = lines_of({ robo_b = true, robo_a = true, robo_c = true }, { robo_b = true, robo_c = true })
  assert(table.concat(lines, " ") == "promised robo_b promised robo_c may_change robo_a", "self-test")
  local rest = beyond(lines, { "promised robo_b", "may_change robo_c", "may_change robo_a" })
  assert(#rest == 1 and rest[1] == "promised robo_c", "self-test: beyond")
  local names = declared({ { text = "/* robo_no( */ int robo_yes(int n); struct robo_s { int (*open)(int); };" } }, {})
  assert(names.robo_yes and not names.open and not names.robo_no, "self-test: declared")
end

local exported = {}
local pipe = assert(io.popen(("nm -D --defined-only '%s'"):format(library)))
for line in pipe:lines() do
  local name = line:match " [A-Z] (robo_[%w_]+)"
  if name then exported[name] = true end
end
assert(pipe:close() and next(exported), "nm finds nothing")

local headers = dofile "spec/headers.lua" (read)
local public = headers.whole "core/robotalk.h"
local promised = declared(public, {})
promised.robo_driver_entry = nil -- a driver's object has it
local bad = {}
for name in pairs(promised) do
  if not exported[name] then bad[#bad + 1] = name .. ": robotalk.h declares it, and the library does not have it" end
end

-- Headers that promise nothing say so.
local parts = {}
for _, header in ipairs(public) do parts[header.path] = true end
for path in io.popen "ls core/robotalk/*.h":lines() do
  local warns = read(path):match "^[^\n]*" == "/* May change without notice between versions. */"
  if warns == (parts[path] or false) then
    bad[#bad + 1] = path .. (warns and " is promised, but may change" or " does not say that it may change")
  end
end

local lines = lines_of(exported, promised)
if write then
  local f <close> = assert(io.open(LIST, "wb"))
  f:write(HEAD, table.concat(lines, "\n"), "\n")
else
  local listed = {}
  for line in read(LIST):gmatch "[^\n]+" do if line:sub(1, 1) ~= "#" then listed[#listed + 1] = line end end
  for _, line in ipairs(beyond(lines, listed)) do bad[#bad + 1] = line .. ": not in " .. LIST end
  for _, line in ipairs(beyond(listed, lines)) do bad[#bad + 1] = line .. ": gone" end
end
for _, line in ipairs(bad) do print(line) end
if #bad > 0 then os.exit(1) end
local count = 0
for _ in pairs(promised) do count = count + 1 end
print(("%d functions are promised, %d may change"):format(count, #lines - count))
