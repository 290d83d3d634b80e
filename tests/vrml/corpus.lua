-- How many files of VRML97 of a folder are read, by what is said of them, and whether what is written of those that are
-- right is read as the same:
--   robotalk run tests/vrml/corpus.lua FOLDER… [--all]
-- Prints a line for each file that is not read clean, with its first problem, or with --all every one; then the counts.
-- Files that are of something else, as VRML 1.0, are counted apart.
local core = require "robotalk.core"
local rt = require "robotalk"

local LIMIT = 64 << 20
local counts = { clean = 0, warnings = 0, errors = 0, refused = 0, other = 0, unread = 0, ["written otherwise"] = 0 }
local bytes, all = 0, false

local function files_of(folder)
  local quoted = "'" .. folder:gsub("'", "'\\''") .. "'"
  local list <close> = assert(io.popen("find " .. quoted .. " -type f -iname '*.wr[lz]' | LC_ALL=C sort"))
  local paths = {}
  for path in list:lines() do paths[#paths + 1] = path end
  return paths
end

-- Which problems a list has, in lines of path:line:column.
local function show(path, kind, list)
  for i = 1, all and #list or math.min(#list, 1) do
    print(("%s:%d:%d: %s: %s"):format(path, list[i].line, list[i].column, kind, list[i].message))
  end
end

-- Instances of a PROTO that another one of its name follows cannot be told apart by their type: that raises.
local function write_again(path, scene)
  local ok, text = pcall(core.vrml_write, scene)
  local again = ok and core.vrml_read(text)
  if not ok or #again.errors > 0 or core.vrml_write(again) ~= text then
    counts["written otherwise"] = counts["written otherwise"] + 1
    print(("%s: written otherwise: %s"):format(path, ok and "another text" or text))
  end
end

local function try(path)
  local text = core.read_file(path, LIMIT)
  if not text then
    counts.unread = counts.unread + 1
    return
  end
  local packed = text:sub(1, 2) == "\x1f\x8b"
  if not packed and not text:sub(1, 400):find "#VRML V2.0 utf8" then
    counts.other = counts.other + 1
    return
  end
  bytes = bytes + #text
  local scene = core.vrml_read(text)
  local signature = packed or text:find "^#VRML V2.0 utf8" or text:find "^\xef\xbb\xbf#VRML V2.0 utf8"
  local state = #scene.errors > 0 and (signature and "errors" or "refused") or #scene.warnings > 0 and "warnings"
    or "clean"
  counts[state] = counts[state] + 1
  show(path, "error", scene.errors)
  if all or #scene.errors == 0 then show(path, "warning", scene.warnings) end
  if #scene.errors == 0 then write_again(path, scene) end
end

for _, word in ipairs(arg) do all = all or word == "--all" end
for _, folder in ipairs(arg) do
  for _, path in ipairs(folder == "--all" and {} or files_of(folder)) do
    try(path)
    rt.sleep(0)
  end
end
local form = "%d read clean, %d with warnings, %d with errors, %d refused (no signature in line 1); %d are something "
  .. "else, %d could not be opened; %d are written otherwise than they were read; %.1f MB"
print(form:format(counts.clean, counts.warnings, counts.errors, counts.refused, counts.other, counts.unread,
  counts["written otherwise"], bytes / 1e6))
