-- lua5.4 gif.lua FILE …: how many pictures each GIF has, and how many bytes stand behind its trailer, where nobody
-- reads; fails for one that does not go from its head to its trailer block by block (GIF89a).
for _, path in ipairs(arg) do
  local file <close> = assert(io.open(path, "rb"))
  local text, pictures = file:read "a", 0
  local _, _, _, flags, at = ("<c6I2I2Bxx"):unpack(text)

  local function skip_colours(size) if size & 0x80 ~= 0 then at = at + 3 * (2 << (size & 7)) end end
  local function skip_blocks()
    repeat
      local n = text:byte(at)
      at = at + 1 + n
    until n == 0
  end

  skip_colours(flags)
  while text:sub(at, at) ~= ";" do
    local kind = text:byte(at)
    if kind == 0x21 then -- an extension, of a kind
      at = at + 2
    elseif kind == 0x2c then -- a picture: its box, flags, colours, the size of its codes
      at = at + 10
      skip_colours(text:byte(at - 1))
      at, pictures = at + 1, pictures + 1
    else
      error(("%s: byte %d of %d begins no block and is no trailer: %s"):format(path, at, #text, kind or "the end"))
    end
    skip_blocks()
  end
  print(pictures, #text - at)
end
