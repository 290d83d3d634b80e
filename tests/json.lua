-- A strict reader of JSON (RFC 8259) for tests, which has nothing in common with the writer: dofile "tests/json.lua".
-- read(text): the value, with NULL for null; raises, with the place, for what is no JSON.
local NULL = setmetatable({}, { __tostring = function() return "null" end })
local ESCAPED = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function read(text)
  local at = 1
  local function fail(what) error(("byte %d: %s: %s"):format(at, what, text:sub(at, at + 20)), 0) end
  local function blank() at = text:find("[^ \t\r\n]", at) or #text + 1 end
  local function accept(pattern)
    local found = text:match("^" .. pattern, at)
    if found then at = at + #found end
    return found
  end
  local function hex()
    local digits = text:match("^%x%x%x%x", at)
    if not digits then fail "expected four hexadecimal digits" end
    at = at + 4
    return tonumber(digits, 16)
  end
  local function text_()
    local parts = {}
    while true do
      parts[#parts + 1] = accept '[^"\\\0-\31]+'
      if accept '"' then
        local whole = table.concat(parts)
        return utf8.len(whole) and whole or fail "the text is no UTF-8"
      end
      if not accept "\\" then fail "expected the end of a text" end
      local letter = accept "."
      if letter == "u" then
        local code = hex()
        if code >= 0xd800 and code < 0xdc00 then
          if not accept "\\u" then fail "half a character" end
          local low = hex()
          if low < 0xdc00 or low > 0xdfff then fail "half a character" end
          code = 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00)
        elseif code >= 0xdc00 and code < 0xe000 then
          fail "half a character"
        end
        parts[#parts + 1] = utf8.char(code)
      else
        parts[#parts + 1] = letter and ESCAPED[letter] or fail "no escape"
      end
    end
  end
  local value
  -- What stands between brackets, with commas between.
  local function items(last, one)
    blank()
    if accept(last) then return end
    repeat
      blank()
      one()
      blank()
    until not accept ","
    if not accept(last) then fail "expected a comma or the end" end
  end
  function value()
    blank()
    if accept '"' then return text_() end
    if accept "{" then
      local record = {}
      items("}", function()
        if not accept '"' then fail "expected a name" end
        local name = text_()
        if record[name] ~= nil then fail("twice " .. name) end
        blank()
        if not accept ":" then fail "expected a colon" end
        record[name] = value()
      end)
      return record
    end
    if accept "%[" then
      local list = {}
      items("%]", function() list[#list + 1] = value() end)
      return list
    end
    if accept "true" then return true end
    if accept "false" then return false end
    if accept "null" then return NULL end
    local whole = accept "%-?%d+" or fail "expected a value"
    if whole:find "^%-?0%d" then fail "a number begins with 0" end
    local number = whole .. (accept "%.%d+" or "")
    return tonumber(number .. (accept "[eE][+-]?%d+" or ""))
  end
  local result = value()
  blank()
  if at <= #text then fail "expected the end" end
  return result
end

return { read = read, NULL = NULL }
