-- The place in a script from where this library was called.

---For an error that a function of the library raises: the level for error, as that function counts it, and
---"file:line: ".
return function()
  local level = 3 -- whoever has called that function
  while true do
    local info = debug.getinfo(level, "Sl")
    if not info then return level - 1, "" end
    if info.currentline > 0 and not info.source:find "^@robotalk/" then
      return level - 1, ("%s:%d: "):format(info.short_src, info.currentline)
    end
    level = level + 1
  end
end
