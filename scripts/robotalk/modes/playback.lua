-- Playback mode (RoboTalk V.C): the server holds a sequence of known length until it knows how much later it must
-- be played so that no frame comes too late.
--
-- The paper takes the ratio of the average time between commands to that between arrivals. That is blind to
-- jitter, and early on it is a guess, so here the wait goes on until it is long enough, by all that has been seen:
--
--   need = the lateness of the newest frame
--        + what the rest will add, if arrivals are slower than frames:  r (a - c)
--        + a margin for chance:                                         Z d sqrt(r + r^2 / n)
--
-- with c the time between frames, a and d mean and deviation of the time between arrivals, both per frame; n
-- frames seen, r still to come. The sum of r further gaps varies by d sqrt(r); that a is known from n gaps only adds
-- r d / sqrt(n); the two are independent. Z = 4.5 leaves three in a million, were it the normal distribution.
-- Waiting costs nothing as long as it is shorter than the need, and with every frame the need is known better.
--
-- If the client has measured that no way to the server takes longer than one frame time, frames cannot pile up,
-- and the longest way itself is what is needed, with a margin for what 100 round trips did not show: were all delays
-- up to some bound equally likely, the chance that all of them stay below 1/1.15 of it is one in a million. To
-- decide that with the first frame takes `spacing`, the time between frames, from the session's options; else it
-- waits for the second.
local Z, MARGIN = 4.5, 1.15

return {
  name = "playback", blocking = false, buffered = true, expiry = 1.0,

  open = function(request)
    if request.duration < 0 then return nil, "duration: expected seconds, 0 or more" end
    local spacing = request.options.spacing
    if spacing and not ((tonumber(spacing) or 0) > 0) then return nil, "spacing: expected seconds, more than 0" end
    return { hold = true }, { duration = request.duration, jitter = request.jitter, spacing = tonumber(spacing) }
  end,

  arrived = function(mode, seen, now)
    local n, span = seen.frames, seen.last_start - seen.first_start
    local waited = now - seen.first_start
    local frame_gap = n > 1 and span / (n - 1) or mode.spacing
    -- everything is here: what has been the worst is all there will be, and it is over
    if seen.finished or (mode.duration > 0 and frame_gap and span >= mode.duration - 1.5 * frame_gap) then
      return { shift = math.max(waited, seen.worst) }
    end
    if n == 0 then return { hold = true } end

    -- the client knows its link: frames come one by one, none later than this
    local longest = mode.jitter * MARGIN
    if mode.jitter > 0 and frame_gap and mode.jitter < frame_gap and seen.worst <= longest then
      return { shift = math.max(waited, longest) }
    end
    if n < 8 or mode.duration == 0 then return { hold = true, again = now + 0.1 } end

    local rest = mode.duration / frame_gap + 1 - n
    local packed = n / seen.packages -- frames a package
    local gap, deviation = seen.gap_mean / packed, seen.gap_deviation / math.sqrt(packed)
    -- the next frame is late already if it has not come by now
    local late = math.max(seen.last_arrival - seen.last_start, now - seen.last_start - frame_gap)
    local need = late + math.max(0, rest * (gap - frame_gap)) + Z * deviation * math.sqrt(rest + rest * rest / n)
    need = math.max(need, seen.worst)
    if waited >= need then return { shift = waited } end
    return { hold = true, again = seen.first_start + need }
  end,
}
