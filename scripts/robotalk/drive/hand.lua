-- The held keys. Most terminals report no release, but repeat held keys: first after 0.25 to 0.66 s, then
-- about 30 times a second. So a key counts as held until no repeat can be missing any more. Terminals that report
-- releases (kitty's protocol) are trusted, as long as they report anything at all.
local hand = {}
local Hand = {}
Hand.__index = Hand

hand.TAP = 0.7      -- s that a single press counts as held: longer than until the first repeat
hand.LONGEST, hand.SHORTEST = 0.5, 0.15 -- s that a repeating key is held without a further repeat: most, least
hand.SILENT = 0.8   -- s of silence after which no key counts as held, releases or not
local SHARE <const> = 2.5 -- of the longest recent time between repeats
local FORGET <const> = 0.995
local NEAR <const>, FAR <const> = 0.08, 0.2 -- s, that longest time, until it was measured

---far: whether the keys come over a network. `releases` is set when the terminal reports them.
function hand.new(far) return setmetatable({ keys = {}, widest = far and FAR or NEAR, releases = false }, Hand) end

---The time that a repeating key counts as held without a further repeat, s.
function Hand:patience() return math.max(hand.SHORTEST, math.min(hand.LONGEST, SHARE * self.widest)) end

---A key was pressed or repeated.
function Hand:press(key, now)
  local held = self:holds(key, now) and self.keys[key]
  if not held then
    self.keys[key] = { heard = now, until_ = now + hand.TAP }
  elseif not self.releases then
    if held.repeats then self.widest = math.max(now - held.heard, self.widest * FORGET) end
    held.until_ = math.max(held.repeats and 0 or held.until_, now + self:patience())
    held.repeats, held.heard = true, now
  end
  self.heard = now
end

function Hand:release(key, now)
  self.keys[key] = nil
  self.heard = now
end

function Hand:clear() self.keys = {} end

function Hand:holds(key, now)
  local held = self.keys[key]
  if not held then return false end
  if self.releases then return now < self.heard + hand.SILENT end
  return now < held.until_
end

---The time at which a held key counts as released, without further input; nil: none is held.
function Hand:due(now)
  local due
  for key, held in pairs(self.keys) do
    if self:holds(key, now) then
      local at = self.releases and self.heard + hand.SILENT or held.until_
      due = math.min(due or at, at)
    end
  end
  return due
end

return hand
