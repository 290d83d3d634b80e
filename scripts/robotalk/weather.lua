-- Random behaviour of links: the time that a server takes to read each package of a sequence, and the delay that an
-- oracle would choose. A day is function(i) -> least, most: the range, in seconds, from which the time is drawn while
-- frame i is sent.
local weather = {}

---Numbers from 0 to 1, the same for the same seed.
function weather.random(seed)
  local x = seed * 0x9E3779B97F4A7C15 + 1
  return function()
    x = x * 6364136223846793005 + 1442695040888963407
    return (x >> 11) * 2.0 ^ -53
  end
end

-- Each kind: function(random, frames) -> a day.

---Always the same range.
function weather.steady(least, most)
  return function() return function() return least, most end end
end

---One package in the middle half takes `stall`, all others from the range.
function weather.stall(least, most, stall)
  return function(random, frames)
    local which = math.floor(frames * (0.25 + 0.5 * random()))
    return function(i)
      if i == which then return stall, stall end
      return least, most
    end
  end
end

---Good and bad times in Gilbert's model: from frame to frame the one turns into the other with these probabilities.
function weather.bursts(good, bad, turns_bad, turns_good)
  return function(random, frames)
    local is_bad, now = {}, false
    for i = 0, frames do
      if random() < (now and turns_good or turns_bad) then now = not now end
      is_bad[i] = now
    end
    return function(i) return 0, is_bad[i] and bad or good end
  end
end

---The mean rises from the first frame to the last.
function weather.drift(first, last)
  return function(_, frames)
    return function(i) return 0, 2 * (first + (last - first) * i / frames) end
  end
end

-- The greatest lateness of a sequence: each package waits for the one before.
local function greatest(day, random, frames, gap)
  local waits, most = 0, 0
  for i = 0, frames do
    -- the server begins with it when it has arrived and the one before is done
    local least, longest = day(math.min(frames, math.floor(i + waits / gap)))
    waits = waits + least + (longest - least) * random()
    if waits > most then most = waits end
    waits = math.max(0, waits - gap)
  end
  return most
end

---The delay with which that fraction of all sequences is in time, if the kind of behaviour is known but not the day.
function weather.oracle(kind, frames, gap, certainty, runs, seed)
  local random, all = weather.random(seed), {}
  for k = 1, runs do all[k] = greatest(kind(random, frames), random, frames, gap) end
  table.sort(all)
  return all[math.ceil(certainty * runs)]
end

return weather
