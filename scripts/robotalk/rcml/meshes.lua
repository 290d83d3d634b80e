-- What a VRML97 file draws by faces, as files of their own: a Shape of it, as it stands there, in a file of VRML97 that
-- a descriptor names as a mesh. They are gathered here, and written by whoever converts the file.
local core = require "robotalk.core"

local meshes = {}
meshes.__index = meshes

meshes.MOST = 256 -- of one file; others are boxes

---stem: what their names begin with: "arm" gives arm_1.wrl. is_taken(name, text): whether a file of that name must be
---left as it is, and is another text. files: a list of { name =, text = }. elsewhere: set where they will stand in
---another folder than the file does.
function meshes.new(stem, is_taken)
  return setmetatable({ stem = stem, is_taken = is_taken, files = {}, known = {}, number = 0 }, meshes)
end

-- Whether there are instances of prototypes among a node and what stands in it.
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

---The name of the file that has a Shape, whose axes are stretched by `by`: its sizes are those of the mesh, that it
---mirrors is in the file. nil: there is none.
function meshes:keep(node, by)
  local key = ("%s%s%s"):format(by[1] < 0, by[2] < 0, by[3] < 0)
  local known = self.known[node] or {}
  self.known[node] = known
  if known[key] ~= nil then return known[key] or nil end
  known[key] = false
  if #self.files == meshes.MOST then return nil end
  local ok, text = pcall(text_of, node, by, self.protos) -- raises for what one file cannot have
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
