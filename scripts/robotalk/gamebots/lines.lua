-- Lines of Gamebots as a client reads and writes them (spec/gamebots.md): their groups, and the frame that is turned
-- by half about x. Pure.
local gamebots_lines = { MOST = 65536 } -- bytes of a line

---A line as { type, { name, value }, … }: types and names in lower case; nil: it is none.
function gamebots_lines.parse(text)
  local type, rest = text:match "^%s*([^%s{]+)(.*)$"
  if not type then return nil end
  local line = { type = type:lower() }
  for inside in rest:gmatch "{([^}]*)}" do
    local name, value = inside:match "^%s*(%S+)%s*(.-)%s*$"
    if name then line[#line + 1] = { name:lower(), value } end
  end
  return line
end

---The value of the first group of that name; nil: there is none.
function gamebots_lines.find(line, name)
  for _, group in ipairs(line) do if group[1] == name then return group[2] end end
end

---The numbers of a text, with commas or blanks between them; nil: it has something else.
function gamebots_lines.numbers(text)
  local list = {}
  for word in (text or ""):gmatch "[^,%s]+" do
    local x = tonumber(word)
    -- nor nan, inf or hexadecimal
    if not x or not word:find "^[%d.eE+-]+$" or math.abs(x) > 1e9 then return nil end
    list[#list + 1] = x + 0.0
  end
  return list
end

---The number of a group; nil: there is none.
function gamebots_lines.number(line, name)
  local list = gamebots_lines.numbers(gamebots_lines.find(line, name))
  return list and #list == 1 and list[1] or nil
end

-- No -0, which some read as a text.
local function turned(x) return x == 0 and 0.0 or -x end

---Three numbers in our frame, x ahead, y left, z up; nil: they are not three. Or back. The same for an attitude.
function gamebots_lines.turn(list)
  return list and #list == 3 and { list[1], turned(list[2]), turned(list[3]) } or nil
end

---The named values of a line: { name, text }, …, whether one group has both, "{Name F1 Range 2.5}", or
---two groups, "{Name F1} {Range 2.5}".
function gamebots_lines.values(line, key)
  local list, name = {}, nil
  for _, group in ipairs(line) do
    if group[1] == "name" then
      local inner
      name, inner = group[2]:match "^(%S+)%s*(.*)$"
      local word, value = (inner or ""):match "^(%S+)%s+(%S+)"
      if word and word:lower() == key then list[#list + 1] = { name:lower(), value } end
    elseif group[1] == key and name then
      list[#list + 1] = { name:lower(), group[2] }
    end
  end
  return list
end

---The links of a package in a line: number of the link -> value.
function gamebots_lines.links(line)
  local links, link = {}, nil
  for _, group in ipairs(line) do
    if group[1] == "link" then
      link = math.tointeger(tonumber(group[2]))
    elseif group[1] == "value" and link then
      local list = gamebots_lines.numbers(group[2])
      links[link] = list and list[1]
    end
  end
  return links
end

local function number(x) return ("%.4f"):format(x):gsub(",", ".") end

---A line of a type and groups { name, value }: numbers get a point, whatever the locale.
function gamebots_lines.line(type, ...)
  local words = { type }
  for _, group in ipairs { ... } do
    local value = group[2]
    if math.type(value) == "float" then value = number(value) end
    words[#words + 1] = ("{%s %s}"):format(group[1], value)
  end
  return table.concat(words, " ") .. "\r\n"
end

return gamebots_lines
