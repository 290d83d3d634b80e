-- Playback mode (RoboTalk V.C): the server holds a sequence until it knows how much later it must be played so that no
-- frame comes too late; and when one does come too late, it brakes the robot, holds again, and plays the rest later.
--
-- The paper takes the ratio of the average time between commands to that between arrivals. That is blind to jitter,
-- and early on it is a guess. Here a connection remembers the transit time of each package and the time for which it
-- delayed those behind it: the packages of earlier sequences, and a train that the client sends before the first
-- frame. `seen.need` sends the rest of the sequence some hundred times through a queue that behaves like these, and
-- returns the delay that is enough for CERTAIN of the runs. The sequence is played when it has waited that long.
--
-- The future is not known: even with a known distribution of delays the mode must wait for the worst of all likely
-- runs, and the actual run is usually better. With frames every 0.1 s and a server that takes 0 to 0.15 s for each,
-- that is 1.5 times the delay that suffices in hindsight, at 0 to 0.2 s 2.5 times; see spec/modes.md. This mode
-- comes close to that after a minute of traffic; a young connection knows less, and so waits a little longer, or is
-- late in one of ten sequences.
local CERTAIN = 0.98
local MARGIN = 1.15 -- on the random part: the longest of a hundred packages is not the longest of all
local ENOUGH = 30   -- packages that characterize a link
local ALONE = 1     -- s to wait for a second instant after the first
local ENDLESS = 10  -- least assumed rest of a sequence of unknown duration, s
local ROOM = 4096   -- frames, of 8,192 that a session has room for: those of a longer delay could not be sent

-- The estimate of a young connection without a train: mean a and deviation d of the time between
-- arrivals, both per frame, against the time between frames. The sum of the r gaps to come varies by d sqrt(r); that a
-- is known from n gaps only adds r d / sqrt(n). Z leaves one in a thousand for a normal distribution.
local Z, FEW = 3.1, 8

local function guess(seen, rest, gap, now)
  local n, packed = seen.frames, seen.frames / seen.packages
  local mean, deviation = seen.gap_mean / packed, seen.gap_deviation / math.sqrt(packed)
  local late = math.max(seen.lateness, now - seen.last_start - gap)
  return late + math.max(0, rest * (mean - gap)) + Z * deviation * math.sqrt(rest + rest * rest / n)
end

-- The delay that the rest of the sequence needs; nil: too little is known.
local function need_of(mode, seen, rest, gap, now)
  local need
  if seen.known >= ENOUGH then
    need = seen.need(CERTAIN, rest, gap)
    -- the deterministic part needs no margin: a server that is slower than the frames falls behind, and a long transit
    -- stays long
    local growth = seen.service / (seen.frames / seen.packages) - gap
    local certain = growth > 0 and seen.lateness + growth * rest or seen.lag + math.max(0, seen.base)
    need = certain + MARGIN * math.max(0, need - certain)
  elseif seen.frames >= FEW then
    need = guess(seen, rest, gap, now)
  elseif seen.pauses == 0 then
    return nil
  end
  -- the client's own measurement
  return math.max(need or seen.worst, seen.worst, mode.jitter > 0 and seen.lag + MARGIN * mode.jitter or seen.worst)
end

return {
  name = "playback", blocking = false, buffered = true, refills = true, expiry = 1.0,

  open = function(request)
    local spacing = request.options.spacing
    if spacing and not ((tonumber(spacing) or 0) > 0) then return nil, "spacing: expected seconds, more than 0" end
    return { hold = true }, { duration = request.duration, jitter = request.jitter, spacing = tonumber(spacing) }
  end,

  arrived = function(mode, seen, now)
    local n, span = seen.frames, seen.last_start - seen.first_start
    local waited = now - seen.next_start -- the delay if playing began now
    local gap = n > 1 and span / (n - 1) or mode.spacing
    -- all frames are here: the greatest lateness is known
    if seen.finished or (mode.duration > 0 and gap and span >= mode.duration - 1.5 * gap) then
      return { shift = math.max(0, waited, seen.worst) }
    end
    if not gap then -- a single instant so far: more may not follow
      local until_then = seen.first_arrival + ALONE
      if now >= until_then then return { shift = math.max(0, waited, seen.worst) } end
      return { hold = true, again = until_then }
    end

    -- each frame improves the estimate, but not each is worth the computing
    local soon = mode.again and now < mode.again and n > 16 and n < 1.05 * mode.asked and seen.pauses == mode.pauses
    if soon then return { hold = true, again = mode.again } end
    -- assumed rest of a sequence of unknown duration: as long again
    local rest = mode.duration > 0 and mode.duration / gap + 1 - n or math.max(n, ENDLESS / gap)
    local need = need_of(mode, seen, math.max(1, rest), gap, now)
    if not need then return { hold = true, again = now + 0.1 } end
    need = math.min(need, ROOM * gap)
    if waited >= need then return { shift = math.max(0, waited) } end
    mode.asked, mode.pauses, mode.again = n, seen.pauses, seen.next_start + need
    return { hold = true, again = mode.again }
  end,
}
