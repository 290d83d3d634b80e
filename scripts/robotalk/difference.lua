-- The first difference of two values.

---Of two values, tables item by item: its path, and what is there in both; nil: there is none. same(path, want, got):
---whether two that differ count as equal; origin: the number of a list's first item in paths.
local function difference(want, got, same, origin, path, seen)
  path, seen = path or "", seen or {}
  if want == got or want ~= want and got ~= got then return nil end
  if type(want) ~= "table" or type(got) ~= "table" or seen[want] then
    if same(path, want, got) then return nil end
    return path, want, got
  end
  seen[want] = true
  local keys = {}
  for key in pairs(want) do keys[#keys + 1] = key end
  for key in pairs(got) do if want[key] == nil then keys[#keys + 1] = key end end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do
    local step = math.type(key) == "integer" and ("[%d]"):format(key + origin - 1) or type(key) ~= "string"
      and ("[%s]"):format(key) or path == "" and key or "." .. key
    local where, a, b = difference(want[key], got[key], same, origin, path .. step, seen)
    if where then return where, a, b end
  end
  seen[want] = nil
end

return difference
