-- Text for a terminal: untrusted names are made harmless, and fit the available width.
local text = {}

-- A text without control functions for a terminal; unprintable characters become question marks.
local function harmless(s, style)
  if not utf8.len(s) or not style.utf8 then
    return (s:gsub("…", "..."):gsub("[\xc0-\xff][\x80-\xbf]*", "?"):gsub("[^ -~]", "?"))
  end
  return (s:gsub("%c", "?"):gsub("\xc2[\x80-\x9f]", "?"))
end

---A line of at most that many columns.
function text.fit(s, columns, style)
  s = harmless(s, style)
  local n = style.utf8 and utf8.len(s) or #s
  if n <= columns then return s end
  if columns < 1 then return "" end
  return style.utf8 and s:sub(1, utf8.offset(s, columns) - 1) .. "…" or s:sub(1, columns - 1) .. ">"
end

---The same, padded to that width.
function text.pad(s, columns, style)
  s = text.fit(s, columns, style)
  return s .. (" "):rep(columns - (style.utf8 and utf8.len(s) or #s))
end

local COLORS <const> = { red = "31", green = "32", yellow = "33", blue = "34", faint = "2", strong = "1" }

---The fitted text in a color, if colors are enabled.
function text.paint(s, color, style)
  if not (style.color and color) then return s end
  return ("\27[%sm%s\27[0m"):format(COLORS[color], s)
end

return text
