-- Direct mode (RoboTalk V.A): commands are run as they arrive, and the client waits for each answer. A command that is
-- older than a second when it arrives is refused, not run late.
return { name = "direct", blocking = true, expiry = 1.0 }
