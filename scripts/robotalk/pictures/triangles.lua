-- Triangles of files of STL and OBJ, for objects in worlds and for robots' links.
local core = require "robotalk.core"

local triangles = {}

local MOST <const>, LARGEST <const> = 64, 8 << 20 -- files; bytes of one

---A function that reads files, each of them once: of a path and its name for messages, the mesh; or nil and
---the error.
function triangles.reader()
  local known, count = {}, 0
  return function(path, name)
    local one = known[path]
    if not one then
      count = count + 1
      one = {}
      known[path] = one
      local bytes
      if count > MOST then
        one.why = ("expected at most %d files"):format(MOST)
      else
        bytes, one.why = core.read_file(path, LARGEST)
      end
      if bytes then
        one.mesh, one.why = core.mesh(bytes)
        if one.why then one.why = ("%s: %s"):format(name, one.why) end
      end
    end
    return one.mesh, one.why
  end
end

return triangles
