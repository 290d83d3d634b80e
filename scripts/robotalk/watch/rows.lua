-- Views as a table, a line each: a pure function.
local text = require "robotalk.watch.text"

local function row_of(shape, get, style, columns)
  local cells = {}
  for i, column in ipairs(shape) do
    local cell = text.pad(get(column), column[2], style)
    local word = cell:match "^(.-) *$"
    if columns >= shape.wide or not column.wide then
      cells[#cells + 1] = i > shape.words and (" "):rep(#cell - #word) .. word or cell
    end
  end
  return table.concat(cells, " ")
end

---At most rows lines of at most that many columns. shape: a list of columns { name, width, content(view), wide = only
---in a wide table }; wide: the columns of such a table; words: how many on the left begin on the left, too; last,
---rest(view): the name and the content of what fills the line; is_bad(view). first: the first view that is shown (1).
return function(shape, views, columns, rows, style, first)
  if rows < 1 or columns < 1 then return {} end
  first = first or 1
  local head = row_of(shape, function(column) return column[1] end, style, columns) .. "  " .. shape.last
  local lines, left = { text.paint(text.fit(head, columns, style), "strong", style) }, #views - first + 1
  for i = 1, math.min(left, rows - 1) do
    local view = views[first + i - 1]
    local line = row_of(shape, function(column) return column[3](view) end, style, columns) .. "  " .. shape.rest(view)
    lines[i + 1] = text.paint(text.fit(line, columns, style), shape.is_bad(view) and "red" or nil, style)
  end
  if left >= rows and rows > 1 then lines[rows] = text.fit(("... %d more"):format(left - rows + 2), columns, style) end
  return lines
end
