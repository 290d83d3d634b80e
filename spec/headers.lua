-- Reads the public headers: for spec/gen.lua, which makes docs/c.md, and for the ffi.cdef of LuaJIT hosts.
-- read(path) returns the text of a file, by its path from the top of the tree.
return function(read)
  -- Those that robotalk.h does not include, each behind those that it includes.
  local headers = { others = { "words", "records", "host", "description", "kinematics", "picture", "device", "claim", "emergency",
    "scenery", "view", "watchers", "mode", "questions", "address", "socket", "access", "session", "link", "messages", "gti", "bridge",
    "rcml", "rctp", "images", "compression", "mcap", "record", "film", "shape", "order", "test" } }

  -- A public header after those that it includes, each once: a list of { path =, text = }. Headers that are already in the
  -- list are skipped.
  function headers.whole(path, list)
    list = list or {}
    if list[path] then return list end
    list[path] = true
    local text = read(path)
    for name in text:gmatch '#include "(robotalk[%w_/]*%.h)"' do headers.whole("core/" .. name, list) end
    list[#list + 1] = { path = path, text = text }
    return list
  end

  -- The declarations that LuaJIT understands, from between two marks, of all headers of such a list. A header that only
  -- includes others has no marks.
  function headers.cdef(list)
    local parts = {}
    for _, header in ipairs(list) do
      local between = header.text:match "\nROBO_API_BEGIN\n(.*)\nROBO_API_END\n"
      local bare = header.text:gsub("/%*.-%*/", ""):gsub("\n#[^\n]*", "")
      if not between and bare:find "%S" then error(header.path .. ": no ROBO_API_BEGIN and ROBO_API_END", 0) end
      parts[#parts + 1] = between
    end
    return table.concat(parts)
  end

  return headers
end
