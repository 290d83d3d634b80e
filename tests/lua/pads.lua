-- Recordings of devices for tests, as evemu-record writes them: text, and files of it.
local pads = {}

-- The lines of a bitmap of that type.
local function bits(kind, codes, bytes)
  local set, lines = {}, {}
  for _, code in ipairs(codes) do set[code // 8] = (set[code // 8] or 0) | 1 << code % 8 end
  for first = 0, bytes - 1, 8 do
    local line = { ("B: %02x"):format(kind) }
    for i = first, first + 7 do line[#line + 1] = ("%02x"):format(set[i] or 0) end
    lines[#lines + 1] = table.concat(line, " ")
  end
  return table.concat(lines, "\n")
end

---A device: axes = { [code] = { least, most } }, buttons = { code, … }, types,
---events = { { s, type, code, value }, … }, a report behind each; lost = true: without an event and a report.
---ends: when it is unplugged, 10 s after the last.
function pads.text(device)
  local lines = { "# EVEMU 1.3", "N: " .. device.name, "I: 0003 045e 028e 0114",
    device.properties or "P: 00 00 00 00 00 00 00 00" }
  local codes, types = {}, device.types or { 0, 1, 3 }
  for code in pairs(device.axes or {}) do codes[#codes + 1] = code end
  lines[#lines + 1] = bits(0, types, 8)
  lines[#lines + 1] = bits(1, device.buttons or {}, 96)
  lines[#lines + 1] = bits(3, codes, 8)
  for code, range in pairs(device.axes or {}) do
    lines[#lines + 1] = ("A: %02x %d %d %d %d 0"):format(code, range[1], range[2], 16, range[3] or 0)
  end
  for _, e in ipairs(device.events or {}) do
    lines[#lines + 1] = ("%s: %.6f %04x %04x %04d\t# made"):format(e.lost and "V" or "E", e[1], e[2], e[3], e[4])
    if not (e.lost or e[2] == 0) then lines[#lines + 1] = ("E: %.6f 0000 0000 0000"):format(e[1]) end
  end
  local last = device.events and device.events[#device.events]
  lines[#lines + 1] = ("E: %.6f 0000 0000 0000"):format(device.ends or (last and last[1] or 0) + 10)
  return table.concat(lines, "\n") .. "\n"
end

---One with two sticks, as of xpad.
function pads.twin(events, ends)
  local stick = { -32768, 32767, 128 }
  return { name = "Twin Sticks", events = events, ends = ends,
    axes = { [0] = stick, stick, { 0, 255 }, stick, stick, { 0, 255 }, [16] = { -1, 1 }, [17] = { -1, 1 } },
    buttons = { 0x130, 0x131, 0x133, 0x134, 0x136, 0x137, 0x13a, 0x13b, 0x13c, 0x13d, 0x13e } }
end

---A file with that text, which is removed when the value is closed: .path.
function pads.file(text, path)
  path = path or os.tmpname()
  local f <close> = assert(io.open(path, "w"))
  f:write(text)
  return setmetatable({ path = path }, { __close = function() os.remove(path) end })
end

-- Events: seconds, axis or button, value.
function pads.axis(s, code, value) return { s, 3, code, value } end
function pads.button(s, code, value) return { s, 1, code, value } end

return pads
