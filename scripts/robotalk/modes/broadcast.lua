-- Broadcast mode (RoboTalk V.D): for sessions that mostly listen. Commands are run as they come and answered
-- without anyone waiting.
return { name = "broadcast", blocking = false, expiry = 1.0 }
