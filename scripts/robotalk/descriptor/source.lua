-- Where things stand in a descriptor's text: a path such as "joints[1].dofs[2].limit" to its line. It reads Lua's
-- tokens
-- and walks the table constructor that the chunk returns; a name of a local goes on in its initialiser, a call of a
-- local function in the constructor that it returns. What cannot be followed has the line of what is around it.
local source = {}

-- The tokens of a text: { kind (name, string, number, symbol), text, line }; comments and blanks are left out. What is
-- no Lua ends them early.
local function tokens_of(text)
  local tokens, at, line = {}, 1, 1
  local function add(kind, value) tokens[#tokens + 1] = { kind = kind, text = value, line = line } end
  local function skip(to)
    for _ in text:sub(at, to):gmatch("\n") do line = line + 1 end
    at = to + 1
  end
  while at <= #text do
    local from, to = text:find("^%s+", at)
    local level = text:match("^%-%-%[(=*)%[", at) or text:match("^%[(=*)%[", at)
    if from then
      skip(to)
    elseif level then
      local _, last = text:find("]" .. level .. "]", at, true)
      if text:sub(at, at) == "[" and last then add("string", text:sub(at + #level + 2, last - #level - 2)) end
      skip(last or #text)
    elseif text:find("^%-%-", at) then
      skip((text:find("\n", at, true) or #text + 1) - 1)
    elseif text:find("^[\"']", at) then
      local quote, last = text:sub(at, at), at
      repeat
        last = text:find("[\\\n" .. quote .. "]", last + 1)
        if last and text:sub(last, last) == "\\" then last = last + 1 end
      until not last or text:sub(last, last) == quote and text:sub(last - 1, last - 1) ~= "\\"
        or text:sub(last, last) == quote and text:sub(last - 2, last - 1) == "\\\\" or text:sub(last, last) == "\n"
      last = last or #text
      add("string", text:sub(at + 1, last - 1))
      skip(last)
    elseif text:find("^[%a_]", at) then
      to = select(2, text:find("^[%w_]+", at))
      add("name", text:sub(at, to))
      at = to + 1
    elseif text:find("^%.?%d", at) then
      to = select(2, text:find("^0[xX][%x.]*[pP]?[+-]?%x*", at))
      if not to then
        to = select(2, text:find("^[%d.]+", at))
        local _, exponent = text:find("^[eE][+-]?%d+", to + 1)
        to = exponent or to
      end
      add("number", text:sub(at, to))
      at = to + 1
    else
      add("symbol", text:sub(at, at))
      at = at + 1
    end
  end
  return tokens
end

local OPEN = { ["{"] = "}", ["("] = ")", ["["] = "]" }
local BEGINS = { ["function"] = true, ["do"] = true, ["then"] = true, ["repeat"] = true }

local Reader = {}
Reader.__index = Reader

function Reader:is(i, text, kind)
  local token = self.tokens[i]
  return token and token.text == text and token.kind == (kind or "symbol")
end

-- The place after a value that begins at i: before the comma, semicolon or bracket that ends it.
function Reader:after_value(i)
  local depth = 0
  while self.tokens[i] do
    local token = self.tokens[i]
    if token.kind == "symbol" then
      if OPEN[token.text] then
        depth = depth + 1
      elseif token.text == "}" or token.text == ")" or token.text == "]" then
        if depth == 0 then return i end
        depth = depth - 1
      elseif depth == 0 and (token.text == "," or token.text == ";") then
        return i
      end
    elseif token.kind == "name" and (token.text == "function" or token.text == "if") then
      depth = depth + 1
    elseif token.kind == "name" and token.text == "end" then
      depth = depth - 1
    end
    i = i + 1
  end
  return i
end

-- The items of the constructor whose brace is at i: key -> { line =, value = place of its value }.
function Reader:items(i)
  local items, count, steps = {}, 0, 0
  i = i + 1
  while self.tokens[i] and not self:is(i, "}") and steps < 1e5 do
    steps = steps + 1
    local token, value, key = self.tokens[i], i
    if token.kind == "name" and self:is(i + 1, "=") and not self:is(i + 2, "=") then
      key, value = token.text, i + 2
    elseif self:is(i, "[") and self.tokens[i + 1] and self:is(i + 2, "]") and self:is(i + 3, "=") then
      local inner = self.tokens[i + 1]
      key = inner.kind == "number" and (math.tointeger(tonumber(inner.text)) or tonumber(inner.text)) or inner.text
      value = i + 4
    else
      count = count + 1
      key = count
    end
    if key ~= nil and not items[key] then items[key] = { line = token.line, value = value } end
    local next_one = self:after_value(value)
    if not (self:is(next_one, ",") or self:is(next_one, ";")) then break end
    i = next_one + 1
  end
  return items
end

-- The place of the constructor that a value at i is, or leads to; nil when it leads nowhere that is known.
function Reader:constructor(i, depth)
  local token = self.tokens[i]
  if not token or depth > 20 then return nil end
  if self:is(i, "{") then return i end
  if self:is(i, "(") then return self:constructor(i + 1, depth + 1) end
  if token.kind ~= "name" then return nil end
  local start = self.locals[token.text] or self.functions[token.text]
  if start and start ~= i then return self:constructor(start, depth + 1) end
  return nil
end

-- Where locals get their values, where local functions return constructors, and what the chunk returns.
function Reader:scan()
  self.locals, self.functions = {}, {}
  local depth, inside = 0, {}
  for i, token in ipairs(self.tokens) do
    if token.kind == "name" then
      local text = token.text
      if text == "local" and self.tokens[i + 1] then
        local name = self.tokens[i + 1]
        if name.text == "function" and self.tokens[i + 2] then
          inside[depth + 1] = self.tokens[i + 2].text
        elseif self:is(i + 2, "=") then
          self.locals[name.text] = i + 3
          if self.tokens[i + 3] and self.tokens[i + 3].text == "function" then inside[depth + 1] = name.text end
        end
      elseif text == "return" then
        if depth == 0 then
          self.result = i + 1
        elseif inside[depth] or inside[1] then
          local name = inside[depth] or inside[1]
          self.functions[name] = i + 1
        end
      end
      if BEGINS[text] then
        depth = depth + 1
        if text ~= "function" then inside[depth] = inside[depth - 1] end
      elseif text == "end" or text == "until" or text == "elseif" then
        inside[depth] = nil
        depth = math.max(0, depth - 1)
      end
    end
  end
end

-- The keys of a path: "a.b[3].c" -> { "a", "b", 3, "c" }.
local function keys_of(path)
  local keys = {}
  for dot, name, bracket in path:gmatch("(%.?)([^.%[%]]*)%[?([^.%[%]]*)%]?") do
    local _ = dot
    if name ~= "" then keys[#keys + 1] = name end
    if bracket ~= "" then keys[#keys + 1] = math.tointeger(tonumber(bracket)) or tonumber(bracket) or bracket end
  end
  return keys
end

---A function from a path in the table that a text returns to its line.
function source.lines(text)
  local reader = setmetatable({ tokens = tokens_of(text) }, Reader)
  reader:scan()
  local known = {} -- constructor -> items
  return function(path)
    local at = reader.result
    local line = at and reader.tokens[at] and reader.tokens[at].line or 1
    for _, key in ipairs(keys_of(path)) do
      local constructor = at and reader:constructor(at, 0)
      if not constructor then break end
      known[constructor] = known[constructor] or reader:items(constructor)
      local item = known[constructor][key]
      if not item then break end
      line, at = item.line, item.value
    end
    return line
  end
end

return source
