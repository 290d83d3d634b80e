-- Delay mode (RoboTalk V.B): every command is run later by a time that the client chooses. Congestion up to that time
-- is hidden. A command that arrives later still is an underrun, and is refused when it is more than another second
-- late.
return {
  name = "delay", blocking = false, buffered = true, expiry = 1.0,
  open = function(request)
    if request.delay < 0 then return nil, "delay: expected seconds, 0 or more" end
    return { shift = request.delay }
  end,
}
