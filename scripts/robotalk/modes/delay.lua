-- Delay mode (RoboTalk V.B): everything is run later by a time that the client chooses. That much of congestion is
-- hidden; what is later than the buffer is an underrun, and a second later still it is refused.
return {
  name = "delay", blocking = false, buffered = true, expiry = 1.0,
  open = function(request)
    if request.delay < 0 then return nil, "delay: expected seconds, 0 or more" end
    return { shift = request.delay }
  end,
}
