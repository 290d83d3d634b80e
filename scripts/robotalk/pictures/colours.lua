-- Bounds of a colour: hue (degrees), saturation and value (0 to 1) of its pixels, by a name or by "#rrggbb".
local checked = require "robotalk.mistakes.checked"
local mistake = require "robotalk.mistakes.mistake"
local missing = require "robotalk.mistakes.missing"

local colours = {}

-- Names of hues: the circle of colours, without gaps. Darker and paler ones than these bounds are of no colour; wood
-- and skin have the hue of orange, and are paler than orange.
local PALE, PALE_ORANGE, DARK = 0.35, 0.6, 0.2
local HUES = { red = { -10, 15 }, orange = { 15, 40, PALE_ORANGE }, yellow = { 40, 70 }, green = { 70, 165 },
  cyan = { 165, 195 }, blue = { 195, 265 }, purple = { 265, 300 }, pink = { 300, 350 } }
-- Names without a hue.
local GRAYS = { black = { 0, 360, 0, 1, 0, DARK }, white = { 0, 360, 0, 0.15, 0.7, 1 } }
-- The default tolerance around "#rrggbb"; a colour of less saturation than GRAYISH has any hue.
local HUE, SATURATION, VALUE, GRAYISH = 20, 0.3, 0.4, 0.1

local function unit(x) return not (type(x) == "number" and x >= 0 and x <= 1) and "a number from 0 to 1" end
local function angle(x) return not (type(x) == "number" and x >= 0 and x <= 180) and "degrees, 0 to 180" end
local TOLERANCE = { hue = angle, saturation = unit, value = unit }

---The names, in order.
function colours.names()
  local names = {}
  for name in pairs(HUES) do names[#names + 1] = name end
  for name in pairs(GRAYS) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Hue (degrees), saturation and value of bytes.
local function hsv(r, g, b)
  local most, least = math.max(r, g, b), math.min(r, g, b)
  local span = most - least
  if span == 0 then return 0, 0, most / 255 end
  local sixth = most == r and (g - b) / span or most == g and (b - r) / span + 2 or (r - g) / span + 4
  return 60 * (sixth % 6), span / most, most / 255
end

local function about(x, tolerance) return math.max(0, x - tolerance), math.min(1, x + tolerance) end

---The bounds { hue, hue, saturation, saturation, value, value } of a name, or of "#rrggbb" with a tolerance { hue,
---saturation, value }. Raises, as `caller`, for other texts.
function colours.bounds(colour, tolerance, caller)
  if type(colour) ~= "string" then mistake("%s: want the name of a color or #rrggbb, got %s", caller, type(colour)) end
  local r, g, b = colour:match "^#(%x%x)(%x%x)(%x%x)$"
  if not r then
    local hue = HUES[colour]
    if not hue and not GRAYS[colour] then
      mistake("%s: want #rrggbb or the name of a color, got %s%s", caller, colour, missing(colour, colours.names()))
    end
    if tolerance ~= nil then mistake("%s: tolerance: only #rrggbb has one, not %s", caller, colour) end
    return hue and { hue[1], hue[2], hue[3] or PALE, 1, DARK, 1 } or GRAYS[colour]
  end
  tolerance = checked.options(tolerance, TOLERANCE, caller .. ": tolerance")
  local h, s, v = hsv(tonumber(r, 16), tonumber(g, 16), tonumber(b, 16))
  local off = s < GRAYISH and 180 or tolerance.hue or HUE
  local s1, s2 = about(s, tolerance.saturation or SATURATION)
  local v1, v2 = about(v, tolerance.value or VALUE)
  return { h - off, h + off, s1, s2, v1, v2 }
end

return colours
