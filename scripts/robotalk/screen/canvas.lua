-- A picture of dots in cells of letters: eight dots a cell in braille, or one letter a cell where the terminal has only
-- ASCII. Dots have a layer, a number; the greatest of a cell gives it its letter and color.
local text = require "robotalk.watch.text"

local canvas = {}
local Canvas = {}
Canvas.__index = Canvas

-- Bits of a cell's dots, by column and row.
local BITS <const> = { { 0x01, 0x02, 0x04, 0x40 }, { 0x08, 0x10, 0x20, 0x80 } }

---layers: { letter =, color = } for each, the last on top. Its dots are wide and high.
function canvas.new(columns, rows, layers, style)
  local braille = style.utf8
  return setmetatable({ columns = columns, rows = rows, layers = layers, style = style, cells = {}, letters = {},
    across = braille and 2 or 1, down = braille and 4 or 1,
    width = columns * (braille and 2 or 1), height = rows * (braille and 4 or 1) }, Canvas)
end

---A dot; x to the right and y down, from 0. Dots outside are left out.
function Canvas:dot(x, y, layer)
  x, y = math.floor(x + 0.5), math.floor(y + 0.5)
  if x < 0 or y < 0 or x >= self.width or y >= self.height then return end
  local at = y // self.down * self.columns + x // self.across
  local cell = self.cells[at] or { bits = 0, layer = 0 }
  self.cells[at] = cell
  cell.bits = cell.bits | BITS[x % self.across + 1][y % self.down + 1]
  cell.layer = math.max(cell.layer, layer)
end

---A line of every nth dot.
function Canvas:line(x0, y0, x1, y1, layer, every)
  local n = math.max(math.abs(x1 - x0), math.abs(y1 - y0))
  if n ~= n or n > 1e5 then return end
  for i = 0, math.floor(n), every or 1 do
    local t = n > 0 and i / n or 0
    self:dot(x0 + t * (x1 - x0), y0 + t * (y1 - y0), layer)
  end
end

---Letters from a dot on, over all dots.
function Canvas:write(x, y, s, color)
  x, y = math.floor(x + 0.5) // self.across, math.floor(y + 0.5) // self.down
  if y < 0 or y >= self.rows then return end
  s = text.fit(s, self.columns, self.style)
  for _, code in utf8.codes(s) do
    if x >= 0 and x < self.columns then self.letters[y * self.columns + x] = { utf8.char(code), color } end
    x = x + 1
  end
end

-- The letter of a cell, and its color; a blank has none.
local function shown(self, at)
  local letter, cell = self.letters[at], self.cells[at]
  if letter then return letter[1], letter[2] end
  if not cell then return " " end
  local layer = self.layers[cell.layer]
  return self.style.utf8 and utf8.char(0x2800 + cell.bits) or layer.letter, layer.color
end

---Its lines, each of its width; cells of one color are written together.
function Canvas:lines()
  local lines = {}
  for row = 0, self.rows - 1 do
    local parts, run, before = {}, {}, nil
    for column = 0, self.columns do
      local letter, color
      if column < self.columns then letter, color = shown(self, row * self.columns + column) end
      if #run > 0 and (color ~= before or not letter) then
        parts[#parts + 1] = text.paint(table.concat(run), before, self.style)
        run = {}
      end
      run[#run + 1], before = letter, color
    end
    lines[row + 1] = table.concat(parts)
  end
  return lines
end

return canvas
