-- Texts in XML: SVG, URDF, JUnit.
local xml = {}

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

---A text escaped for tags and attributes. Bytes that XML cannot represent become question marks.
function xml.escape(s)
  s = tostring(s):gsub("[%c\x7F]", "?")
  if not utf8.len(s) then s = s:gsub("[\x80-\xFF]", "?") end
  s = s:gsub("\xEF\xBF[\xBE\xBF]", "?")
  return (s:gsub('[&<>"]', ESCAPES))
end

return xml
