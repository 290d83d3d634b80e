-- Untrusted texts, for formats that accept only UTF-8.

local text = {}

---The text as UTF-8: each invalid byte becomes U+FFFD.
function text.utf8(s)
  if utf8.len(s) then return s end
  local parts, at = {}, 1
  while at <= #s do
    local good, wrong = utf8.len(s, at)
    local last = good and #s or wrong - 1
    parts[#parts + 1] = s:sub(at, last)
    if not good then parts[#parts + 1] = "\u{FFFD}" end
    at = last + (good and 1 or 2)
  end
  return table.concat(parts)
end

---The same, without control characters except line ends and tabs; U+0080 to U+009F are control characters, too.
function text.printable(s)
  return (text.utf8(s):gsub("[%z\1-\8\11-\31\127]", "\u{FFFD}"):gsub("\xc2[\x80-\x9f]", "\u{FFFD}"))
end

return text
