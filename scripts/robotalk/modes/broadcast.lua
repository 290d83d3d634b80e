-- Broadcast mode (RoboTalk V.D): for sessions that mostly listen. Commands are run as they arrive, and the client does
-- not wait for their answers.
return { name = "broadcast", blocking = false, expiry = 1.0 }
