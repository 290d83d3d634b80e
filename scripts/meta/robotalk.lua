---@meta robotalk
-- Made by spec/gen.lua from spec/api.lua; do not edit. For the Lua language server.

---@alias robotalk.Signal
---| "panic" # the robot is in panic, or the command was swept away by one
---| "error" # the command was refused or failed; the reason says why
---| "interrupted" # the motion had begun, or was queued, and was halted before its end
---| "busy" # an earlier motion holds the axis and may not be interrupted
---| "success" # done as asked
---| "modified" # done as far as this body can; the reason says what was changed
---| "na" # this robot does not support this command

---@alias robotalk.Reason
---| "none" # 
---| "panic" # the robot is in panic until someone resets it
---| "stale" # the command was sent before the last panic and is never run after it
---| "expired" # the command arrived later than its expiry allows
---| "full" # the queue is full; what was queued before is kept
---| "range" # a value is not finite or outside the range of its field
---| "joint" # the robot has no such joint or dof
---| "frame" # the robot has no such control frame
---| "unsupported" # this body has no actuator for this command
---| "servo" # the joint does not take this type of servo command
---| "holonomic" # the base cannot move sideways; the sideways part was left out
---| "limit" # a value was clipped to the limit of the body
---| "axis" # another motion holds the axis
---| "superseded" # a later set-point of the same session took the joint over
---| "stopped" # a stop ended the motion
---| "cancelled" # the client took the command back
---| "deadman" # no word from the client for the deadman time; the robot was stopped
---| "link" # the link to the client or to the device was lost
---| "device" # the device reported a fault
---| "closed" # the session, the robot or the server was closed
---| "session" # no such session

---The module.
---@class robotalk
local robotalk = {}

return robotalk
