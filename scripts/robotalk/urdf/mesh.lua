-- Finds the meshes that a URDF file names: package://name/…, model://name/…, file://… or beside the file.
local core = require "robotalk.core"

local mesh = {}

local function is_file(path) return core.file_stamp(path) ~= nil end

-- A folder above `folder` that has the package's name, or holds it.
local function climb(folder, package, rest)
  local at = folder
  while at do
    local base = at:match "([^/]+)/*$"
    if base == package and is_file(at .. "/" .. rest) then return at .. "/" .. rest end
    local beside = at .. "/" .. package .. "/" .. rest
    if is_file(beside) then return beside end
    at = at:match "^(.*[^/])/+[^/]+/*$"
  end
  return nil
end

---The path of a mesh, or nil when it does not exist. options: folder of the URDF file, package_paths, a list of folders
---with packages. Without both, only absolute paths are tried.
function mesh.find(name, options)
  local package, rest = name:match "^%a+://([^/]+)/+(.+)$"
  if name:find "^package://" or name:find "^model://" then
    if not package then return nil end
    for _, folder in ipairs(options.package_paths or {}) do
      local path = ("%s/%s/%s"):format(folder, package, rest)
      if is_file(path) then return path end
    end
    return options.folder and climb(options.folder, package, rest) or nil
  end
  name = name:match "^file://(.*)$" or name
  if name:find "^/" then return is_file(name) and name or nil end
  local path = options.folder and options.folder .. "/" .. name
  return path and is_file(path) and path or nil
end

return mesh
