-- Meshes that stand beside the descriptors of this process's robots: a server gives them by HTTP, under the names that
-- are in the robots' RCML files, so that a viewer shows what the robot looks like.
local beside = require "robotalk.beside"
local check = require "robotalk.descriptor.check"
local core = require "robotalk.core"
local log = require "robotalk.log"

local meshes = {}

local MOST <const>, LARGEST <const> = 128, 1 << 20 -- files; bytes of one
local TYPES <const> = { wrl = "model/vrml", wrz = "model/vrml", stl = "model/stl", obj = "model/obj",
  dae = "model/vnd.collada+xml" }

local MESH
for i, word in ipairs(check.words.shape) do MESH = word[1] == "mesh" and i - 1 or MESH end

local of = {} -- name of a robot -> its meshes: { name =, path = }

local function type_of(name) return TYPES[name:lower():match "%.(%w+)$"] end

-- A name that can stand in an address as it is, and that leads nowhere else: no folder above, and nothing but a mesh,
-- since the descriptor may be another's.
local function is_given(name) return name:find "^[%w][%w_%-./]*$" and not name:find "/[^%w]" and type_of(name) end

---Notes those of a robot that was added. flat: its records; file: its descriptor's.
function meshes.note(robot, flat, file)
  local list, there = {}, {}
  for _, shape in ipairs(file and flat.shape or {}) do
    local name = shape.file
    if shape.kind == MESH and not there[name] and is_given(name) then
      there[name] = true
      list[#list + 1] = { name = name, path = beside.find(file, name) }
    end
  end
  of[robot] = list
end

---The files for core.serve, as they are now; what is missing or too much is left out, with a warning.
function meshes.files()
  local list, taken = {}, {}
  local warn = log.limited(5)
  for _, robot in ipairs(core.robots()) do taken[robot .. ".wrl"] = true end
  for _, robot in ipairs(core.robots()) do
    for _, mesh in ipairs(of[robot] or {}) do
      local bytes, why
      if mesh.path and taken[mesh.name] == mesh.path then goto next end -- of several robots
      if taken[mesh.name] then why = "a robot or a mesh has this name"
      elseif #list == MOST then why = ("a server gives at most %d"):format(MOST)
      elseif mesh.path then bytes, why = core.read_file(mesh.path, LARGEST)
      else why = "it is not beside the descriptor" end
      if bytes then
        taken[mesh.name] = mesh.path
        list[#list + 1] = { path = mesh.name, bytes = bytes, type = type_of(mesh.name) }
      else
        warn("warning", "%s: mesh %s is not given to viewers: %s", robot, mesh.name, why)
      end
      ::next::
    end
  end
  return list
end

return meshes
