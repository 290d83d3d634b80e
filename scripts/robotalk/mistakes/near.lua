-- A suggestion for a word that does not exist.

-- The number of letters to insert, remove, change or exchange with the next to make b from a.
local function distance(a, b)
  local before, row, next_ = {}, {}, {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    next_[0] = i
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      next_[j] = math.min(row[j] + 1, next_[j - 1] + 1, row[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        next_[j] = math.min(next_[j], before[j - 2] + 1)
      end
    end
    before, row, next_ = row, next_, before
  end
  return row[#b]
end

-- A word without its optional letters.
local function plain(word) return (word:lower():gsub("[_-]", "")) end

local LONGEST = 63 -- letters of a word that is compared

---The one of these words, a list, that is nearest to a word; nil: none is near.
return function(word, words)
  if type(word) ~= "string" or #word > LONGEST then return nil end
  -- a single letter is no slip of another one
  local best, least = nil, #word == 1 and 1 or math.max(1, (#word + 1) // 3) + 1
  word = plain(word)
  for _, other in ipairs(words) do
    local its = plain(other)
    local d = math.abs(#word - #its) < least and distance(word, its) or least -- it is no less than that difference
    if d < least then best, least = other, d end
  end
  return best
end
