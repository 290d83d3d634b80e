-- Files next to the file that names them: in the folder of its name or, if that is a symbolic link, in the
-- folder of its target. Modules that a user's file requires are found in the same way.
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"

local beside = {}

---The path of a file that another names; nil: there is none. file: that other, whose folder it may be in.
function beside.find(file, name)
  if name:sub(1, 1) == "/" then return core.file_stamp(name) and name end
  for _, from in ipairs { file, core.real_path(file) } do
    local path = (from:match "^.*/" or "") .. name:gsub("^%./", "")
    if core.file_stamp(path) then return path end
  end
end

---Runs the chunk of a user's file: its values. While it runs, caller knows the file, also after a tail
---call.
function beside.run(_file, fn, ...)
  local values = table.pack(fn(...))
  return table.unpack(values, 1, values.n)
end

---The user's file of the running function, or of one of its callers; nil: it came from no file.
function beside.caller()
  local level = 2
  while true do
    local info = debug.getinfo(level, "Sf")
    if not info then return nil end
    if info.func == beside.run then return (select(2, debug.getlocal(level, 1))) end
    if info.what ~= "C" and not info.source:find "^@robotalk/" then return info.source:match "^@(.*)" end
    level = level + 1
  end
end

-- ---- modules ----

local require = require
local modules = {} -- values that the file of a module has returned, by its real path
local owner = {}   -- name in package.loaded -> the real path of its file, if that was found beside another
local loading = {} -- real path of a file that is run -> the coroutine that runs it

local function is_embedded(name)
  local path = name:gsub("%.", "/")
  return core.script(path .. ".lua") or core.script(path .. "/init.lua")
end

local function find_module(name)
  local file, path = beside.caller(), name:gsub("%.", "/")
  if not file then return nil end
  return beside.find(file, path .. ".lua") or beside.find(file, path .. "/init.lua")
    or beside.find(file, path .. ".so")
end

-- A module in C: its function is called luaopen_ and the name; the part of the name before a dash is a version.
local function load_library(real, name)
  return package.loadlib(real, "luaopen_" .. name:gsub("^.-%-", ""):gsub("%.", "_"))
end

local function load_module(name, path, real)
  local me = coroutine.running()
  if loading[real] == me then mistake("module '%s' requires itself, by way of others or not", name) end
  local fn, why
  if path:find "%.so$" then fn, why = load_library(real, name) else fn, why = loadfile(path) end
  if not fn then error(("error loading module '%s' from file '%s':\n\t%s"):format(name, path, why), 0) end
  loading[real] = me
  local _ <close> = setmetatable({}, { __close = function() loading[real] = nil end })
  local value = beside.run(path, fn, name, path)
  if value == nil then value = package.loaded[name] end
  return value == nil or value
end

-- As Lua's require; the error for a missing module names the line that requires it.
local function require_elsewhere(name, is_there)
  if is_there or package.searchpath(name, package.path) or package.searchpath(name, package.cpath) then
    return require(name)
  end
  local values = table.pack(pcall(require, name)) -- of a searcher of the script's own
  if values[1] then return table.unpack(values, 2, values.n) end
  local why = tostring(values[2]):match "(module '.-' not found:.*)$"
  if not why then error(values[2], 0) end
  mistake("%s", (why:gsub("\n", "\n\tno such file beside the file that requires it\n", 1)))
end

---As Lua's require, but a module is first searched in the folder of the file that requires it. Two files of one name,
---in two folders, are two modules.
function beside.require(name)
  if type(name) ~= "string" then return require(name) end
  local value = package.loaded[name]
  local is_there = value ~= nil and not owner[name] or package.preload[name] or is_embedded(name)
  local path = not is_there and find_module(name)
  if not path then return require_elsewhere(name, is_there) end
  local real = core.real_path(path) or path
  if value == nil then
    if owner[name] then modules[real] = nil end -- the script has removed it, and loads it again
    owner[name] = real
  end
  if modules[real] == nil then modules[real] = load_module(name, path, real) end
  if owner[name] == real then package.loaded[name] = modules[real] end
  return modules[real], path
end

---From now on require in the user's files works in this way.
function beside.install() _G.require = beside.require end

return beside
