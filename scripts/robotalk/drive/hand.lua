-- Which keys a hand holds. Most terminals tell of no release, but repeat what is held: first after 0.25 to 0.66 s, then
-- some 30 times a second. So a key counts as held until no repeat can be missing any more. Terminals that tell of
-- releases (kitty's protocol) are believed, as long as they tell anything at all.
local hand = {}
local Hand = {}
Hand.__index = Hand

hand.TAP = 0.7      -- s that a key is held by itself: longer than until the first repeat
hand.LONGEST, hand.SHORTEST = 0.5, 0.15 -- s that a key that repeats is held without a further one, at most and least
hand.SILENT = 0.8   -- s without any word after which nothing is held, releases or not
local SHARE <const> = 2.5 -- of the longest time between repeats of late
local FORGET <const> = 0.995
local NEAR <const>, FAR <const> = 0.08, 0.2 -- s, that longest time, until something is known of it

---far: whether the keys come over a network. Its releases is to be set when the terminal tells of them.
function hand.new(far) return setmetatable({ keys = {}, widest = far and FAR or NEAR, releases = false }, Hand) end

---How long a key that repeats is held without a further one, s.
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

---When a key that is held is let go, if nothing comes; nil: none is.
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
