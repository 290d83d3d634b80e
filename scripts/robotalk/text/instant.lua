-- Instants of the calendar, in the format of the log: 2026-11-23T04:53:48.007Z. In Lua they are integers, us of the
-- epoch; days are those of the Gregorian calendar, all of 86400 s.
local instant = {}

local DAY <const> = 86400000000

-- Days from the epoch to a date; the year is counted from March, so that the leap day comes
-- last.
local function days_of(year, month, day)
  if month < 3 then year, month = year - 1, month + 12 end
  return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719469
end

---"2026-11-23T04:53:48.007123Z", with that many digits of the second (6), which are truncated, not rounded.
function instant.text(us, digits)
  local day, rest = us // DAY, us % DAY
  local year = 1970 + day // 366
  while days_of(year + 1, 1, 1) <= day do year = year + 1 end
  local month = 1
  while month < 12 and days_of(year, month + 1, 1) <= day do month = month + 1 end
  local second = rest // 1000000
  return ("%04d-%02d-%02dT%02d:%02d:%02d.%sZ"):format(year, month, day - days_of(year, month, 1) + 1, second // 3600,
    second // 60 % 60, second % 60, ("%06d"):format(rest % 1000000):sub(1, digits or 6))
end

local WANT <const> = "a time as 2026-11-23T04:53:48.007Z, 2026-11-23T04:53+01:00, 2026-11-23, or seconds of the epoch"

-- The rest of a text behind the date, as seconds and us, and the s that its clock is ahead of UTC; nil: it is none.
local function clock_of(rest)
  if rest == "" then return 0, 0, 0 end
  local hour, minute, second, fraction, zone = rest:match "^[T ](%d%d):(%d%d):?(%d?%d?)%.?(%d*)(.*)$"
  if not hour or (second == "" and fraction ~= "") or #second == 1 then return nil end
  if rest ~= rest:sub(1, 1) .. hour .. ":" .. minute .. (second ~= "" and ":" .. second or "")
    .. (fraction ~= "" and "." .. fraction or "") .. zone then return nil end
  local sign, zone_hour, zone_minute = zone:match "^([+-])(%d%d):?(%d%d)$"
  if zone ~= "" and zone ~= "Z" and not sign then return nil end
  hour, minute, second = tonumber(hour), tonumber(minute), tonumber(second) or 0
  local ahead = sign and (zone_hour * 3600 + zone_minute * 60) * (sign == "-" and -1 or 1) or 0
  if hour > 23 or minute > 59 or second > 60 or math.abs(ahead) > 86400 then return nil end
  return hour * 3600 + minute * 60 + second, math.tointeger((fraction .. "000000"):sub(1, 6)), math.tointeger(ahead)
end

---The instant of a text; one without a zone is UTC. nil and the expected format.
function instant.read(text)
  local number = tonumber(text)
  if number and number >= 0 and number < 1e10 then return math.tointeger((number * 1e6 + 0.5) // 1) end
  local year, month, day, rest = text:match "^(%d%d%d%d)%-(%d%d)%-(%d%d)(.*)$"
  if not year then return nil, WANT end
  year, month, day = math.tointeger(year), math.tointeger(month), math.tointeger(day)
  local seconds, us, ahead = clock_of(rest)
  if not seconds or month < 1 or month > 12 or day < 1
    or days_of(year, month, day) >= days_of(month < 12 and year or year + 1, month % 12 + 1, 1) then
    return nil, WANT
  end
  return (days_of(year, month, day) * 86400 + seconds - ahead) * 1000000 + us
end

return instant
