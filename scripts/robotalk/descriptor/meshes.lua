-- Meshes next to the descriptors of this process's robots: a server serves them by HTTP, under the names that
-- are in the robots' RCML files, so that a viewer shows the robot's appearance.
local beside = require "robotalk.robot.beside"
local check = require "robotalk.descriptor.check"
local core = require "robotalk.core"
local log = require "robotalk.log"
local triangles = require "robotalk.pictures.triangles"

local meshes = {}

local MOST <const>, LARGEST <const> = 128, 1 << 20 -- files; bytes of one
local TYPES <const> = { wrl = "model/vrml", wrz = "model/vrml", stl = "model/stl", obj = "model/obj",
  dae = "model/vnd.collada+xml" }

local MESH
for i, word in ipairs(check.words.shape) do MESH = word[1] == "mesh" and i - 1 or MESH end

local of = {} -- name of a robot -> its meshes: { name =, path = }

local function type_of(name) return TYPES[name:lower():match "%.(%w+)$"] end

-- A name that is valid in an address unchanged, and that leads nowhere else: no folder above, and only to a mesh,
-- since the descriptor may be untrusted.
local function is_given(name) return name:find "^[%w][%w_%-./]*$" and not name:find "/[^%w]" and type_of(name) end

---The place of the first of the meshes that physics cannot read, and the message on them all; nil: there are
---none. unread: as of meshes.read.
function meshes.of_unread(unread)
  if not unread[1] then return nil end
  return unread[1].path, ("%s is neither STL nor OBJ: with physics nothing touches it, and cameras do not see it%s")
    :format(unread[1].name, #unread > 1 and (", and %d more"):format(#unread - 1) or "")
end

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

-- The path of a mesh's file; nil: missing or unknown. Files that URDF names were searched already.
local function place_of(file, name)
  return beside.find(file, name) or file:lower():find "%.urdf$" and core.file_stamp(name) and name or nil
end

-- The path of a shape, by its number among all, for a report. flat: the records.
local function path_of(flat, number)
  local link, count = flat.shape[number].link, 0
  for i = 1, number do
    if flat.shape[i].link == link then count = count + 1 end
  end
  return ("links[%d].shapes[%d].file"):format(link, count)
end

-- Numbers of links that have a shape for collisions: their other shapes have no contacts.
local function solid_links(flat)
  local solid = {}
  for _, shape in ipairs(flat.shape) do solid[shape.link] = solid[shape.link] or shape.solid == 1 end
  return solid
end

---Triangles of the shapes that are meshes of STL or OBJ, by the shapes' numbers, for core.body. A file that is no mesh
---is reported if it is for collisions; one that is only visual is left out. file: that of the descriptor,
---or of the script with its table; nil: there are none. Second: paths of shapes whose files are missing, and their
---names; third: of collision meshes of other formats.
function meshes.read(flat, file, report)
  local read, list, missing, unread, solid = triangles.reader(), {}, {}, {}, solid_links(flat)
  for i, shape in ipairs(file and flat.shape or {}) do
    local type = shape.kind == MESH and type_of(shape.file)
    if type == TYPES.stl or type == TYPES.obj then
      local path = place_of(file, shape.file)
      if path then
        local mesh, why = read(path, shape.file)
        list[i] = mesh
        if why and (shape.solid == 1 or not solid[shape.link]) then report:add(path_of(flat, i), "%s", why) end
      else
        missing[#missing + 1] = { path = path_of(flat, i), name = shape.file }
      end
    elseif shape.kind == MESH and (shape.solid == 1 or not solid[shape.link]) then
      unread[#unread + 1] = { path = path_of(flat, i), name = shape.file }
    end
  end
  return list, missing, unread
end

---The files for core.serve, as they are now; missing or too many ones are left out, with a warning.
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
