-- The public headers, for those who read them and are no compiler: spec/gen.lua for docs/c.md, and LuaJIT hosts for ffi.cdef.
-- read(path) gives the text of a file, by its path from the top of the tree.
return function(read)
  local headers = {}

  -- A public header behind those that it includes, each once: a list of { path =, text = }. What is in the list already is not
  -- put in again.
  function headers.whole(path, list)
    list = list or {}
    if list[path] then return list end
    list[path] = true
    local text = read(path)
    for name in text:gmatch '#include "(robo[%w_]*%.h)"' do headers.whole("core/" .. name, list) end
    list[#list + 1] = { path = path, text = text }
    return list
  end

  -- The declarations that LuaJIT understands, which stand between two marks: of all headers of such a list. A header that only
  -- includes others has none.
  function headers.cdef(list)
    local parts = {}
    for _, header in ipairs(list) do
      local between = header.text:match "/%* cdef {.-%*/(.*)/%* cdef } %*/"
      local bare = header.text:gsub("/%*.-%*/", ""):gsub("\n#[^\n]*", "")
      if not between and bare:find "%S" then error(header.path .. ": no cdef marks", 0) end
      parts[#parts + 1] = between
    end
    return table.concat(parts)
  end

  return headers
end
