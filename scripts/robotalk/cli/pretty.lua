-- Values as the prompt shows them: tables as in Lua, with as much of their contents as fits on a screen.

local WIDTH, LINES, DEEPEST, ITEMS, NAMES = 100, 12, 4, 12, 72

-- Keys of the list part are numbers; valid names have no brackets.
local function label(key)
  if type(key) == "string" then
    return key:find("^[%a_][%w_]*$") and key or ("[%q]"):format(key)
  end
  return "[" .. (math.type(key) == "float" and ("%.6g"):format(key) or tostring(key)) .. "]"
end

-- A string with the printable bytes: others as escapes, also all beyond ASCII if the string is no UTF-8.
local function quote(text)
  return '"' .. text:gsub(utf8.len(text) and '[%c"\\\x7f]' or '[%c"\\\x7f-\xff]', function(c)
    return c == "\n" and "\\n" or c == '"' and '\\"' or c == "\\" and "\\\\" or ("\\x%02x"):format(c:byte())
  end) .. '"'
end

local function plain(x)
  if math.type(x) == "float" then return ("%.6g"):format(x) end
  if type(x) == "string" then return quote(x) end
  if type(x) == "userdata" or type(x) == "function" or type(x) == "thread" then
    local name = tostring(x):match("^([^:]*): 0x") -- the address says nothing
    if name then return "<" .. name .. ">" end
  end
  return tostring(x)
end

local function columns(text) return utf8.len(text) or #text end

-- The parts of a table, as many on a line as fit; a part of several lines is alone.
-- head: columns that its first line has before it.
local function fill(parts, indent, head)
  local lines, line = {}, nil
  for i, part in ipairs(parts) do
    if i < #parts then part = part .. "," end
    local fits = line and not (line .. part):find("\n", 1, true) and indent + head + columns(line .. part) < WIDTH
    if fits then
      line = line .. " " .. part
    else
      if line then head = 0 end
      lines[#lines + 1], line = line, part
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n" .. (" "):rep(indent))
end

-- A value whose lines begin at this column, the first with a head before it.
local function format(x, indent, head, depth, seen)
  local meta = getmetatable(x)
  if type(x) ~= "table" or (type(meta) == "table" and meta.__tostring) then return plain(x) end
  if next(x) == nil then return "{}" end
  if depth == 0 or seen[x] then return "{…}" end
  seen[x] = true
  local parts, keys = {}, {}
  for i = 1, math.min(#x, ITEMS) do parts[i] = format(x[i], indent + 2, 0, depth - 1, seen) end
  if #x > ITEMS then parts[#parts + 1] = ("… %d in all"):format(#x) end
  for key in pairs(x) do
    if not (math.type(key) == "integer" and key >= 1 and key <= #x) then keys[#keys + 1] = key end
  end
  table.sort(keys, function(a, b)
    local numbers = (type(a) == "number" and 1 or 0) + (type(b) == "number" and 1 or 0)
    if numbers == 2 then return a < b end
    if numbers == 1 then return type(a) == "number" end
    return tostring(a) < tostring(b)
  end)
  for i, key in ipairs(keys) do
    if i > NAMES then
      parts[#parts + 1] = ("… %d more"):format(#keys - NAMES)
      break
    end
    local name = label(key) .. " = "
    parts[#parts + 1] = name .. format(x[key], indent + 2, #name, depth - 1, seen)
  end
  seen[x] = nil
  return "{ " .. fill(parts, indent + 2, head) .. " }"
end

---A value for people. A string is shown as it is; a table that would be long is shown less deep.
return function(x)
  if type(x) == "string" then return x end
  for depth = DEEPEST, 1, -1 do
    local text = format(x, 0, 0, depth, {})
    local _, breaks = text:gsub("\n", "\n")
    if breaks < LINES or depth == 1 then return text end
  end
end
