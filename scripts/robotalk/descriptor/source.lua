-- Positions in a descriptor's text: maps a path such as "joints[1].dofs[2].limit" to its line and column. It reads
-- Lua's tokens and, with the scopes of names, the chunk; then it walks the table constructor that the chunk returns. A
-- name leads to its only value, an index (parts.arm) to that item, a call to the constructor at the end of the
-- function. A value that cannot be followed gets the position of the expression around it.
local source = {}

local MARKS = { "...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>" } -- of more than one character
local WORDS = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true "
  .. "until while"):gmatch("%l+") do WORDS[word] = true end
local BINARY = {}
for mark in ("+ - * / // ^ % & ~ | >> << .. < <= > >= == ~= and or"):gmatch("%S+") do BINARY[mark] = true end

local MOST_TOKENS = 200000 -- seventy times as many as in the longest bundled descriptor: they take 100 MiB

-- First characters of all lines. CR and LF count as Lua counts them: both together, in either order, as one end.
local function lines_of(text)
  local starts, at = { 1 }, 1
  while true do
    at = text:find("[\r\n]", at)
    if not at then return starts end
    local two = text:sub(at, at + 1)
    at = at + ((two == "\r\n" or two == "\n\r") and 2 or 1)
    starts[#starts + 1] = at
  end
end

-- The last character of a text in quotes that begins at `at`.
local function end_of_quoted(text, at)
  local stop = "[\\" .. text:sub(at, at) .. "]"
  local last = text:find(stop, at + 1)
  while last and text:sub(last, last) == "\\" do last = text:find(stop, last + 2) end
  return last or #text
end

-- The token at a place that is neither blank nor comment: its kind (name, text, number, mark) and last character.
local function token_at(text, at)
  local first = text:sub(at, at)
  local level = text:match("^%[(=*)%[", at)
  if level then return "text", select(2, text:find("]" .. level .. "]", at, true)) or #text end
  if first == '"' or first == "'" then return "text", end_of_quoted(text, at) end
  local _, last = text:find("^[%a_][%w_]*", at)
  if last then return WORDS[text:sub(at, last)] and "mark" or "name", last end
  if text:find("^%.?%d", at) then
    local exponent = text:find("^0[xX]", at) and "[pP]" or "[eE]"
    _, last = text:find("^[%x.xX]*", at)
    -- of a decimal number, e is among the digits already
    if text:find("^" .. exponent, last) or text:find("^" .. exponent, last + 1) then
      local _, further = text:find("^[pP]?[+-]?%d+", last + 1)
      last = further or last
    end
    return "number", last
  end
  for _, mark in ipairs(MARKS) do
    if text:sub(at, at + #mark - 1) == mark then return "mark", at + #mark - 1 end
  end
  return "mark", at
end

-- The tokens of a text: { kind, text, line, column }; comments and blanks are left out. Raises for too many.
local function tokens_of(text)
  local starts, tokens, line, at = lines_of(text), {}, 1, 1
  while true do
    at = text:find("%S", at)
    if not at then return tokens end
    if text:find("^%-%-", at) then
      local level = text:match("^%-%-%[(=*)%[", at)
      local _, last
      if level then _, last = text:find("]" .. level .. "]", at, true) else last = text:find("[\r\n]", at) end
      at = (last or #text) + 1
    else
      while starts[line + 1] and starts[line + 1] <= at do line = line + 1 end
      local kind, last = token_at(text, at)
      assert(#tokens < MOST_TOKENS)
      tokens[#tokens + 1] = { kind = kind, text = text:sub(at, last), line = line, column = at - starts[line] + 1 }
      at = last + 1
    end
  end
end

-- Expressions are tables with a kind: "table" (items: key as paths write it -> { line =, column =, value = another }),
-- "function" (result: what it ends with), "name" (name; variable: count, how many values it was given, values, and
-- value, the last of them), "call" (callee, argument: the first, second, third), "index" (of, key), "method" (a call of
-- one: of, key, and arguments as a call), "constant" (value), and this one for unknown values:
local OTHER = { kind = "other" }

-- A key as paths write it, without the dot before names.
local function key_text(value)
  if type(value) == "string" then return value end
  return ("[%s]"):format(tostring(math.type(value) == "float" and math.tointeger(value) or value))
end

local STEPS = 1000 -- steps of one search: names can refer to each other in circles

-- The table or function that an expression is or refers to; nil when that is unknown.
local function follow(it, budget)
  budget.steps = budget.steps - 1
  if budget.steps < 0 then return nil end
  if it.kind == "table" or it.kind == "function" then return it end
  if it.kind == "name" then
    -- with several assignments the value is unknown
    return it.variable.count == 1 and follow(it.variable.value, budget) or nil
  elseif it.kind == "call" then
    local callee = follow(it.callee, budget)
    return callee and callee.kind == "function" and follow(callee.result, budget) or nil
  elseif it.kind == "index" then
    local whole = follow(it.of, budget)
    local item = whole and whole.kind == "table" and whole.items[it.key]
    return item and follow(item.value, budget) or nil
  end
  return nil
end

-- Reads a chunk that compiles.
local Parser = {}
Parser.__index = Parser

function Parser:is(text)
  local token = self.tokens[self.at]
  return token ~= nil and token.kind == "mark" and token.text == text
end

function Parser:accept(text)
  if not self:is(text) then return false end
  self.at = self.at + 1
  return true
end

function Parser:take()
  local token = self.tokens[self.at]
  self.at = self.at + 1
  return token
end

-- The variable of a name; globals of the chunk have one too.
function Parser:variable(scope, name)
  local variable = scope[name] or self.globals[name]
  if not variable then
    variable = { count = 0 }
    self.globals[name] = variable
  end
  return variable
end

local function inner(scope) return setmetatable({}, { __index = scope }) end
local function give(variable, value)
  variable.count, variable.value = variable.count + 1, value
  variable.values = variable.values or {}
  table.insert(variable.values, value)
end

-- Notes an index, a call or a method, in the order of the text.
function Parser:note(it)
  self.uses[#self.uses + 1] = it
  return it
end

-- The first three arguments of a call.
function Parser:arguments(scope)
  if not self:accept("(") then return self:operand(scope) end
  local list = not self:is(")") and self:expressions(scope) or {}
  self:accept(")")
  return list[1], list[2], list[3]
end

-- Parameters and body of a function, after its name.
function Parser:body(scope, is_method)
  local own = inner(scope)
  if is_method then own.self = { count = 1, value = OTHER } end
  self:accept("(")
  while not self:accept(")") do
    local token = self:take()
    if token.kind == "name" then own[token.text] = { count = 1, value = OTHER } end
  end
  local result = self:block(own)
  self:accept("end")
  return { kind = "function", result = result or OTHER }
end

function Parser:constructor(scope)
  local items, list = {}, {}
  self:accept("{")
  while not self:accept("}") do
    local token, after = self.tokens[self.at], self.tokens[self.at + 1]
    local item = { line = token.line, column = token.column }
    local key
    if token.kind == "name" and after.kind == "mark" and after.text == "=" then
      key = token.text
      self.at = self.at + 2
    elseif self:accept("[") then
      local expression = self:expression(scope)
      key = expression.kind == "constant" and key_text(expression.value) or false
      self:accept("]")
      self:accept("=")
    end
    item.value = self:expression(scope)
    if key then items[key] = item elseif key == nil then list[#list + 1] = item end
    if not self:accept(",") then self:accept(";") end
  end
  -- items without a key are put last, whatever has their number
  for i, item in ipairs(list) do items[key_text(i)] = item end
  return { kind = "table", items = items }
end

local VALUES = { ["true"] = { kind = "constant", value = true }, ["false"] = { kind = "constant", value = false },
  ["nil"] = OTHER, ["..."] = OTHER }

-- An expression that can be indexed and called, with its indices and calls.
function Parser:suffixed(scope)
  local token = self:take()
  local it
  if token.kind == "name" then
    it = { kind = "name", name = token.text, variable = self:variable(scope, token.text) }
  else -- a parenthesis
    it = self:expression(scope)
    self:accept(")")
  end
  while true do
    local next_one = self.tokens[self.at]
    if self:accept(".") then
      local key = self:take()
      it = self:note { kind = "index", of = it, key = key.text, line = key.line }
    elseif self:accept("[") then
      local key = self:expression(scope)
      it = key.kind == "constant" and { kind = "index", of = it, key = key_text(key.value) } or OTHER
      self:accept("]")
    elseif self:accept(":") then
      local key = self:take()
      it = self:note { kind = "method", of = it, key = key.text, line = key.line }
      it.argument, it.second, it.third = self:arguments(scope)
    elseif self:is("(") or self:is("{") or next_one and next_one.kind == "text" then
      it = self:note { kind = "call", callee = it }
      it.argument, it.second, it.third = self:arguments(scope)
    else
      return it
    end
  end
end

function Parser:operand(scope)
  local token = self.tokens[self.at]
  if token.kind == "number" then
    return { kind = "constant", value = tonumber(self:take().text) }
  elseif token.kind == "text" then
    -- Lua decodes its escapes
    return { kind = "constant", value = load("return " .. self:take().text, "=text", "t", {})(), line = token.line }
  elseif self:is("{") then
    return self:constructor(scope)
  elseif self:accept("function") then
    return self:body(scope)
  elseif token.kind == "mark" and VALUES[token.text] then
    return VALUES[self:take().text]
  elseif self:accept("-") then
    local value = self:operand(scope)
    local number = value.kind == "constant" and math.type(value.value) and not self:is("^")
    return number and { kind = "constant", value = -value.value } or OTHER
  elseif self:accept("not") or self:accept("#") or self:accept("~") then
    self:operand(scope)
    return OTHER
  end
  return self:suffixed(scope)
end

-- Precedence of operators does not matter: their results are unknown.
function Parser:expression(scope)
  local it = self:operand(scope)
  while true do
    local token = self.tokens[self.at]
    if not (token and token.kind == "mark" and BINARY[token.text]) then return it end
    self:take()
    self:operand(scope)
    it = OTHER
  end
end

function Parser:expressions(scope)
  local list = {}
  repeat list[#list + 1] = self:expression(scope) until not self:accept(",")
  return list
end

function Parser:local_names(scope)
  local names = {}
  repeat
    names[#names + 1] = self:take().text
    if self:accept("<") then
      self:take()
      self:accept(">")
    end
  until not self:accept(",")
  local values = self:accept("=") and self:expressions(scope) or nil
  for i, name in ipairs(names) do
    scope[name] = { count = 0 }
    if values then give(scope[name], values[i] or OTHER) end
  end
end

function Parser:function_statement(scope)
  local it = { kind = "name", variable = self:variable(scope, self:take().text) }
  local is_method
  while self:is(".") or self:is(":") do
    is_method = self:take().text == ":"
    self.added[self:take().text] = true
    it = OTHER
  end
  local body = self:body(scope, is_method)
  if it.kind == "name" then give(it.variable, body) end
end

-- A call, or values for variables and fields (of these, those that a known table does not have yet).
function Parser:assignment(scope)
  local targets, places = {}, {}
  repeat
    places[#places + 1] = self.tokens[self.at]
    targets[#targets + 1] = self:suffixed(scope)
  until not self:accept(",")
  local values = self:accept("=") and self:expressions(scope) or {}
  for i, target in ipairs(targets) do
    local value = values[i] or OTHER
    if target.kind == "name" then give(target.variable, value) end
    if target.kind == "index" and #values > 0 then self.added[target.key] = true end
    local whole = #values > 0 and target.kind == "index" and follow(target.of, { steps = STEPS })
    if whole and whole.kind == "table" and not whole.items[target.key] then
      whole.items[target.key] = { line = places[i].line, column = places[i].column, value = value }
    end
  end
end

function Parser:loop(scope)
  local own, names = inner(scope), {}
  repeat names[#names + 1] = self:take().text until not self:accept(",")
  self:take() -- = or in
  self:expressions(scope)
  for _, name in ipairs(names) do own[name] = { count = 1, value = OTHER } end
  self:accept("do")
  self:block(own)
  self:accept("end")
end

local statements = {}
statements[";"] = function() end
statements["break"] = function() end
statements["goto"] = function(self) self:take() end
statements["::"] = function(self)
  self:take()
  self:accept("::")
end
statements["do"] = function(self, scope)
  self:block(inner(scope))
  self:accept("end")
end
statements["while"] = function(self, scope)
  self:expression(scope)
  self:accept("do")
  self:block(inner(scope))
  self:accept("end")
end
statements["repeat"] = function(self, scope)
  local own = inner(scope)
  self:block(own)
  self:accept("until")
  self:expression(own)
end
statements["if"] = function(self, scope)
  repeat
    self:expression(scope)
    self:accept("then")
    self:block(inner(scope))
  until not self:accept("elseif")
  if self:accept("else") then self:block(inner(scope)) end
  self:accept("end")
end
statements["for"] = Parser.loop
statements["function"] = Parser.function_statement
statements["local"] = function(self, scope)
  if not self:accept("function") then return self:local_names(scope) end
  local variable = { count = 0 }
  scope[self:take().text] = variable
  give(variable, self:body(scope))
end

local ENDS = { ["end"] = true, ["else"] = true, ["elseif"] = true, ["until"] = true }

-- The first value of a block's return, and its first token; nil without a return.
function Parser:block(scope)
  while true do
    local token = self.tokens[self.at]
    local word = token and token.kind == "mark" and token.text
    if not token or ENDS[word] then return nil end
    if self:accept("return") then
      local following = self.tokens[self.at]
      local result
      if following and not (following.kind == "mark" and (ENDS[following.text] or following.text == ";")) then
        result = self:expressions(scope)[1]
      end
      self:accept(";")
      return result, following
    elseif statements[word] then
      self:take()
      statements[word](self, scope)
    else
      self:assignment(scope)
    end
  end
end

local CUTS = 32 -- dots and brackets that one key may have

-- The item that a path begins with, and the rest of the path. Names may have dots in them: the longest one counts.
local function step(items, path)
  local cuts, from = {}, 2
  while #cuts < CUTS do
    local cut = path:find("[.%[]", from)
    cuts[#cuts + 1] = (cut or #path + 1) - 1
    if not cut then break end
    from = cut + 1
  end
  for i = #cuts, 1, -1 do
    local item = items[path:sub(1, cuts[i])]
    if item then return item, path:sub(cuts[i] + 1) end
  end
end

---The tokens of a text: { kind (name, text, number, mark), text, line, column }; comments and blanks are left out.
---Raises for too many.
source.tokens = tokens_of

local function parser_of(tokens)
  return setmetatable({ at = 1, globals = {}, uses = {}, added = {}, tokens = tokens }, Parser)
end

---The uses of names in a text that compiles: its indices, calls and methods, each an expression as above, with the
---line; and a set of the fields that it gives to tables. nil for a text that is too long.
function source.uses(text)
  local good, tokens = pcall(tokens_of, text)
  if not good then return nil end
  local parser = parser_of(tokens)
  parser:block({})
  return parser.uses, parser.added
end

-- The value of an expression that is made of constants; raises for another one.
local function value_of(it)
  if it.kind == "constant" then return it.value end
  local whole = follow(it, { steps = STEPS })
  if not whole or whole.kind ~= "table" then error "not constant" end
  local out = {}
  for key, item in pairs(whole.items) do out[tonumber(key:match "^%[(%d+)%]$") or key] = value_of(item.value) end
  return out
end

---The value of a field of the table that a text returns; nil when there is none, or when it is not constant.
function source.field(text, name)
  local good, value = pcall(function()
    local whole = follow(parser_of(tokens_of(text)):block({}), { steps = STEPS })
    return value_of(whole.items[name].value)
  end)
  return good and value or nil
end

---A function from a path in the table that a text returns to its line and column (in bytes), both from 1. In text
---that is no Lua, everything is at line 1. Never raises.
function source.lines(text)
  local parser = parser_of()
  local good, result, token = pcall(function()
    if not load(text, "=text", "t", {}) then return nil end
    parser.tokens = tokens_of(text)
    return parser:block({})
  end)
  if not (good and result) then return function() return 1, 1 end end
  return function(path)
    local line, column, it = token.line, token.column, result
    while path ~= "" do
      local whole = follow(it, { steps = STEPS })
      local item, rest
      if whole and whole.kind == "table" then item, rest = step(whole.items, path) end
      if not item then break end
      line, column, it = item.line, item.column, item.value
      path = rest:gsub("^%.", "")
    end
    return line, column
  end
end

return source
