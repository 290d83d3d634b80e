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

---The module: require "robotalk".
---@class robotalk
---@field version string # of the program
local robotalk = {}

---A robot of this process by name or descriptor file, or one at robotalk://host[:port]/robot, unix:PATH.
---@param name string # name, file or address
---@param options? table # timeout (s), reconnect (true), deadman (s), expiry (s or false), channel (a bad network)
---@return robotalk.Robot? # to be closed, or held by <close>
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk.connect(name, options) end

---Adds a robot to this process, to be connected to or served.
---@param what string|robotalk.Descriptor # name, file or table
---@return string? # its name
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk.robot(what) end

---Serves the robots of this process.
---@param options? table # listen: addresses (robotalk://localhost); most: connections at once
---@return table? # a server with :urls() and :close()
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk.serve(options) end

---Adds a command mode from a file, under the file's name.
---@param path string # a Lua file
---@return string? # its name
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk.mode(path) end

---Seconds of the world's clock.
---@return number # seconds
function robotalk.now() end

---Lets the other tasks run for at least that long.
---@param seconds number # 0 or more
function robotalk.sleep(seconds) end

---Starts fn(...) as a task.
---@param fn function # what it does
---@return robotalk.Task # the task
function robotalk.spawn(fn) end

---The task that is running.
---@return robotalk.Task? # nil between tasks
function robotalk.self() end

---Waits until somebody wakes the key.
---@param key any # what to wait for
---@param timeout? number # seconds
---@return true? # and what was given to wake; nil, message, code when nothing came in time
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk.wait(key, timeout) end

---Wakes all that wait for the key, in the order in which they came.
---@param key any # what they wait for
function robotalk.wake(key) end

---Waits until all other tasks have ended, or for that long.
---@param seconds? number # at most
---@return boolean # whether they have ended
function robotalk.run(seconds) end

---A task: a coroutine that waits without stopping the others.
---@class robotalk.Task
local robotalk_Task = {}

---Ends it at its wait; what it holds by <close> is let go of.
function robotalk_Task:cancel() end

---How it is.
---@return string # ready, running, waiting, done, failed or cancelled
function robotalk_Task:status() end

---Waits for its end.
---@param timeout? number # seconds
---@return true? # and what it returned
---@return string? # what went wrong
---@return string? # EFAILED, ECANCELLED or ETIMEOUT
function robotalk_Task:wait(timeout) end

---What became of a command. Times in seconds of robotalk.now().
---@class robotalk.Result
---@field signal string # the robot's word
---@field reason robotalk.Reason # why
---@field why string? # in words
---@field scheduled number # when it should have begun
---@field executed number? # when it began; nil: never
---@field lateness number? # executed - scheduled
---@field finished number # when this was said
local robotalk_Result = {}

---A robot's state. SI units; x ahead, y left, z up.
---@class robotalk.State
---@field time number # when it held
---@field x number # m
---@field y number # m
---@field z number # m
---@field theta number # heading in rad, counter-clockwise, not wrapped
---@field twist number[] # m/s along its own axes
---@field spin number[] # rad/s about its own axes
---@field joints table<string, table<string, number>> # positions by name
---@field battery number # charge, 0 to 1
---@field voltage number # V
---@field moving boolean # 
---@field panic boolean # 
local robotalk_State = {}

---What a descriptor file returns: a robot. SI units; see scripts/robots/pioneer2.lua.
---@class robotalk.Descriptor
---@field name string # at most 31 characters
---@field model string? # for people
---@field deadman number? # s of silence after which it stops (0.5); 0: never
---@field holonomic boolean? # can move sideways
---@field commands string[]? # that it supports; by default those of its base and joints
---@field base table? # driver, speed, acceleration, pose: { x, y, theta }
---@field battery table? # capacity in J, voltage in V
---@field joints table[]? # name, parent, child, driver, servo, dofs = { { name, type, axis, limit, speed, acceleration, rest } }
---@field drivers table<string, table>? # options by driver; script = a driver in Lua
local robotalk_Descriptor = {}

---A session with a robot in one command mode.
---@class robotalk.Session
---@field mode string # its name
---@field blocking boolean # whether commands wait for their answer
local robotalk_Session = {}

---Drives or walks to a place on the floor of the world; holds the base until it is there. RoboTalk III.A.
---@param goal table # x, y in m, theta in rad, start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:go_to(goal) end

---Velocity of the base in its own frame, until changed.
---@param speed table # x, y in m/s, theta in rad/s, start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_speed(speed) end

---Stops everything, whoever moves it.
---@param options? table # start: when, in seconds of robotalk.now(); now by default
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:stop(options) end

---Every joint to its rest position.
---@param options? table # start: when, in seconds of robotalk.now(); now by default
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:home(options) end

---One step of one leg.
---@param fields table # leg, x, y in m, theta in rad, start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:step(fields) end

---Set-points of dofs of a joint.
---@param joint string # its name
---@param values table # rad or m by name of the dof; speed: greatest on the way; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_joint(joint, values) end

---Speeds of dofs of a joint, until changed.
---@param joint string # its name
---@param values table # rad/s or m/s by name of the dof; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_joint_speed(joint, values) end

---Forces or torques of dofs of a joint, until changed.
---@param joint string # its name
---@param values table # N or N*m by name of the dof; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_joint_force(joint, values) end

---A frame: commands that share one time stamp. Frames are sent together when the task waits.
---@param t number # seconds on the sequence's own time line
---@param parts table # base = { speed = {…} | go_to = {…} | stop = true }, JOINT = { DOF = set-point }
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Session:frame(t, parts) end

---Sends the frames that are gathered.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Session:flush() end

---No frame follows: waits until all were played.
---@param timeout? number # seconds
---@return table? # frames, played, signals, delay, needed, worst (s), underruns, refused; prints well
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Session:finish(timeout) end

---What became of a ticket; waits for it.
---@param ticket integer # of a command
---@param timeout? number # seconds
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed
---@return string? # why, in words
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:result(ticket, timeout) end

---Sends commands as one package, as the specification has them.
---@param commands table[] # { op =, start =, … }
---@return integer? # ticket of the first; the others follow on
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Session:send(commands) end

---The robot's state now.
---@return robotalk.State? # 
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Session:state() end

---The session's queues and what became of its commands.
---@return table? # held, queued, running, executed, underruns, refused, delay, worst, needed
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Session:status() end

---The state every period, given to fn, until the handle's :cancel().
---@param period number # seconds, 0.001 or more
---@param fn fun(state: robotalk.State) # 
---@return table? # the handle; <close> cancels
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Session:broadcast(period, fn) end

---Takes back commands that have not begun.
---@param ticket? integer # one; all by default
---@return integer? # how many
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Session:cancel(ticket) end

---Stops the robot at once, empties all its queues, and latches.
function robotalk_Session:panic() end

---Ends a panic. Nothing from before it is ever run.
function robotalk_Session:reset() end

---Ends the session: what it has queued is dropped, what it moves is stopped.
function robotalk_Session:close() end

---A connection to a robot, and a session in direct mode.
---@class robotalk.Robot: robotalk.Session
local robotalk_Robot = {}

---A session in another mode.
---@param options? table # mode (direct), delay, duration, spacing, deadman, expiry (s, false: none); others are for the mode
---@return robotalk.Session? # 
---@return string? # what went wrong
---@return string? # its code, as ELINK or ETIMEOUT
function robotalk_Robot:session(options) end

---Between this clock and the server's.
---@return table? # offset, uncertainty, least, median, jitter (s), drift (ppm), exchanges
function robotalk_Robot:clock() end

---What the robot is.
---@return table # name, model, joints by name
function robotalk_Robot:describe() end

---A line to the log, with the robot's name.
function robotalk_Robot:log() end

---Calls fn for what the server tells unasked: panicked, reset, deadman, shutdown, removed.
---@param fn fun(what: string, value: integer) # 
function robotalk_Robot:on_notice(fn) end

---Ends the connection.
function robotalk_Robot:close() end

return robotalk
