-- Shapes that a VRML97 file draws by faces, as files of their own: a Shape, unchanged, in a file of VRML97 that
-- a descriptor names as a mesh. They are collected here, and written by the caller that converts the file.
local core = require "robotalk.core"

local meshes = {}
meshes.__index = meshes

meshes.MOST = 256 -- of one file; others are boxes

---stem: the begin of their names: "arm" gives arm_1.wrl. is_taken(name, text): whether a file of that name exists with
---another text, and must not be changed. files: a list of { name =, text = }. elsewhere: set when they will be in
---another folder than the file.
function meshes.new(stem, is_taken)
  return setmetatable({ stem = stem, is_taken = is_taken, files = {}, known = {}, number = 0 }, meshes)
end

-- Whether a node or a node in it is an instance of a prototype.
local function has_instances(node)
  if node.origin == "proto" or node.origin == "externproto" then return true end
  for _, value in pairs(node.fields) do
    if type(value) == "table" then
      for _, one in ipairs(value.type and { value } or value) do
        if type(one) == "table" and has_instances(one) then return true end
      end
    end
  end
  return false
end

-- A file with a Shape, mirrored where its axes are.
local function text_of(node, by, protos)
  local mirrored = by[1] < 0 or by[2] < 0 or by[3] < 0
  local function sign(x) return x < 0 and -1 or 1 end
  local root = mirrored and { type = "Transform", fields = { scale = { sign(by[1]), sign(by[2]), sign(by[3]) },
    children = { node } } } or node
  return core.vrml_write { nodes = { root }, proto_text = has_instances(node) and protos or nil }
end

---The name of the file that has a Shape, whose axes are scaled by `by`: the size of the mesh is the scale, the file
---contains the mirroring. nil: there is none.
function meshes:keep(node, by)
  local key = ("%s%s%s"):format(by[1] < 0, by[2] < 0, by[3] < 0)
  local known = self.known[node] or {}
  self.known[node] = known
  if known[key] ~= nil then return known[key] or nil end
  known[key] = false
  if #self.files == meshes.MOST then return nil end
  local ok, text = pcall(text_of, node, by, self.protos) -- raises for a Shape that does not fit into one file
  if not ok then return nil end
  local name
  repeat
    self.number = self.number + 1
    name = ("%s_%d.wrl"):format(self.stem, self.number)
  until not self.is_taken(name, text)
  if #name > 127 then return nil end
  self.files[#self.files + 1] = { name = name, text = text }
  known[key] = name
  return name
end

return meshes
