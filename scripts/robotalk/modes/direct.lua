-- Direct mode (RoboTalk V.A): commands as they are, and the client waits for each answer. What is older than a
-- second when it arrives is refused, not run late.
return { name = "direct", blocking = true, expiry = 1.0 }
