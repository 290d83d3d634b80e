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
---| "stale" # the sender of the command did not know of the last panic yet: it is never run
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
---| "superseded" # a later command has taken over what it moved
---| "stopped" # a stop ended the motion
---| "cancelled" # the client took the command back
---| "deadman" # nothing heard from the client for the deadman time; the robot was stopped
---| "link" # the link to the client or to the device was lost, or no answer came
---| "device" # the device reported a fault
---| "closed" # the session, the robot or the server was closed
---| "session" # no such session
---| "changed" # the robot was described anew: motions were stopped, commands for what is gone are dropped
---| "malformed" # the command or its answer could not be read
---| "role" # the role of the client's connection does not allow the command
---| "lease" # another client holds the lease of what the command moves
---| "blocked" # something is in the way
---| "braking" # what another client has moved there still brakes
---| "bounds" # what moves it takes no greatest speed or acceleration
---| "override" # what moves it cannot be slowed down: it moves while the override is 1
---| "fallen" # the body has fallen over: it has to get up first
---| "mode" # the script of the session's command mode has failed; a fault tells how

---The module: require "robotalk".
---@class robotalk
---@field version string # of the program
---@field wire robotalk.wire # the codec of the wire
---@field ordering robotalk.ordering # which joint gets the next message on a bus
local robotalk = {}

---A robot of this process by name or descriptor file, or one at robotalk://host[:port][/robot], unix:PATH[#robot]
---or rctp://host[:port][/robot] (commands that RCTP does not carry answer NA). Raises an error with message and code when
---the robot cannot be reached: a script can do nothing without its robot, and a <close> variable accepts nil silently.
---@param name string # name, file or address
---@param options? robotalk.ConnectOptions # 
---@return robotalk.Robot # to be closed, or held by <close>
function robotalk.connect(name, options) end

---As connect, for scripts that can go on without the robot: returns the error that connect raises. Wrong arguments still raise.
---@param name string # name, file or address
---@param options? robotalk.ConnectOptions # 
---@return robotalk.Robot? # to be closed, or held by <close>
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.try_connect(name, options) end

---Adds a robot to this process. Afterwards it can be connected to or served.
---@param what string|robotalk.Descriptor # name, file or table
---@return string? # its name
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.add_robot(what) end

---A policy: fn maps the newest observation to a chunk of actions, rows of set-points that follow each other at a fixed rate; nil, why
---ends it. The first action belongs to the instant of the observation. Chunks are played in playback mode, and blended where
---they overlap; without a new one the robot rests at the end of the last one. docs/policy.md.
---@param robot robotalk.Robot # 
---@param options robotalk.PolicyOptions # 
---@param fn fun(observation: robotalk.Observation): number[][]?, string? # 
---@return robotalk.Policy # 
function robotalk.policy(robot, options, fn) end

---Kinematics of a robot. The robot itself need not exist.
---@param what string|robotalk.Descriptor # name, file or table
---@return robotalk.Model? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.model(what) end

---Serves the robots of this process.
---@param options? robotalk.ServeOptions # 
---@return table? # a server with :urls(), :close() and :reload(), which reads the access lists again and returns the number of connections that it closes
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.serve(options) end

---Records the robots of this process, also those that are added later, into a new file (docs/recordings.md).
---@param path string # 
---@param options? robotalk.RecordOptions # 
---@return robotalk.Recorder? # <close> finishes the file
---@return string? # what went wrong
---@return string? # its code: EEXISTS when there is such a file
function robotalk.record(path, options) end

---Adds a command mode from a file, under the file's name.
---@param path string # a Lua file
---@return string? # its name
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.add_mode(path) end

---Adds a script to this process and starts it, in its own Lua state and on its own thread (docs/scripts.md).
---Not available in simulated time.
---@param options robotalk.ScriptOptions # 
---@return string? # its name
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.add_script(options) end

---The scripts that run in a server, or in this process.
---@param where? string|robotalk.Robot # an address, or a robot whose connection is used; this process by default
---@return robotalk.Scripts # lists, starts, stops and replaces them
function robotalk.scripts(where) end

---Drives a robot with the keyboard at the terminal until the user quits (docs/drive.md). At the prompt also drive(robot).
---@param robot robotalk.Robot|string # the robot, its name or its address
---@param options? { gamepad: string?, mapping: string? } # a gamepad that drives, too, `auto` or a path; and the file of its mapping
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.drive(robot, options) end

---The robots of a domain of DDS, from all servers that listen there (docs/fleet.md).
---@param url string # dds://DOMAIN[/PARTITION]
---@param options? { name: string? } # name: of this operator, for others (user@machine)
---@return robotalk.Fleet? # <close> leaves the domain
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.fleet(url, options) end

---Lets robots of any servers begin a sequence each at one instant, or none of them (docs/fleet.md). Returns when all have begun. When
---one refuses, is in panic, stopped or lost before the instant, the others do not begin, or brake.
---@param robots robotalk.Robot[] # 
---@param options? robotalk.UnisonOptions # 
---@param frames fun(session: robotalk.Session, i: integer) # adds all frames of robot i, from time 0: session:frame
---@return robotalk.Unison? # 
---@return string? # what went wrong
---@return string? # its code: ERANGE when a clock is not known well enough or was set, EPANIC, ESTOPPED, ELEASE, ELINK, ETIMEOUT
function robotalk.unison(robots, options, frames) end

---Shows a robot, all robots of a server, or a fleet (docs/fleet.md) at the terminal until the user quits (docs/drive.md). At the
---prompt also watch(robot).
---@param robot robotalk.Robot|string # the robot, its name or its address; or dds://DOMAIN[/PARTITION]
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.watch(robot) end

---A picture from a file, or from pixels.
---@param what string|{ bytes: string, width: integer, height: integer, format: string? } # a JPEG, PPM or PGM file (its path or its bytes); or pixels, row by row from the top: rgb (3 bytes each) or gray
---@return robotalk.Picture? # 
---@return string? # what went wrong
---@return string? # its code: EBODY when the file is damaged
function robotalk.picture(what) end

---Renders the world of this process, as its physics has it now, from any viewpoint (docs/cameras.md). In real time
---the other tasks go on during the rendering.
---@param options robotalk.LookOptions # 
---@return robotalk.View? # nil on failure
---@return string? # what went wrong
---@return string? # its code: EDEVICE without physics, ESYSTEM without OpenGL
function robotalk.look(options) end

---Sets up the simulated world of this process, as --world does. It replaces the previous world (docs/worlds.md).
---@param what string|table # the name of a bundled world, a file, or a table as such a file returns; {}: an empty world
---@return true? # 
---@return string? # all errors of the world, one a line
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.world(what) end

---The present pose of a thing in the world of this process. With physics, a thing that has a mass may have been moved.
---@param name string # its name in the world's file
---@return { position: number[], attitude: number[] }? # of its centre, or of the origin of a mesh: x, y, z in m; roll, pitch, yaw in rad
---@return string? # what went wrong
---@return string? # its code: ENONE when no thing has that name
function robotalk.thing(name) end

---Seconds of the world's clock.
---@return number # seconds
function robotalk.now() end

---Lets the other tasks run for at least that long; with 0 until the world has moved on. Simulated time stands
---still meanwhile. After 100 such calls in a row at one instant it advances to the next event that is due.
---@param seconds number # 0 or more
function robotalk.sleep(seconds) end

---Starts fn(...) as a task. rt.spawn("name", fn, ...) names it.
---@param name string|function # its name in errors and lists; or the function, whose file and line are the name then
---@param fn? function # the body of the task
---@param ... any # its arguments
---@return robotalk.Task # the task
function robotalk.spawn(name, fn, ...) end

---All tasks that have not ended, in the order of their starts.
---@return robotalk.Task[] # each prints as its name and state
function robotalk.tasks() end

---Waits for the first of several tasks to end. The other tasks are cancelled; so are all on a timeout, or when the
---waiting task is cancelled. rt.any returns after the cancelled tasks have closed their <close> variables.
---@param ... robotalk.Task|function|table # tasks, and functions, which are started as tasks; optionally at the end { timeout = s, keep = true: tasks that were passed in are not cancelled }; or all of this in one table
---@return integer? # the index of that task in the list, and its return values
---@return string? # what went wrong
---@return string? # its code: EFAILED, ECANCELLED or ETIMEOUT; and the index of the task that failed
function robotalk.any(...) end

---Waits for all of several tasks to end. When one fails, or on a timeout, the others are cancelled as by any.
---@param ... robotalk.Task|function|table # as of any
---@return true? # and the first value that each returned
---@return string? # what went wrong
---@return string? # its code: EFAILED, ECANCELLED or ETIMEOUT; and the index of the task that failed
function robotalk.all(...) end

---The task that is running.
---@return robotalk.Task? # nil between tasks
function robotalk.current() end

---Whether a command was carried out: true for SUCCESS and MODIFIED (done as far as this body can; the fields off, clipped
---and superseded of the result describe the difference), false for all other signals and for nil, which is a lost link.
---@param word string|robotalk.Result? # the first value that a command returns, or its result; any other value raises
---@return boolean # 
function robotalk.ok(word) end

---Waits until another task wakes the key.
---@param key any # the key to wait for
---@param timeout? number # seconds
---@return true? # and the values that were passed to wake; nil, message, code on a timeout
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk.wait(key, timeout) end

---Wakes all tasks that wait for the key, in the order in which they began to wait.
---@param key any # the key that they wait for
function robotalk.wake(key) end

---Waits until all other tasks have ended, or for that long.
---@param seconds? number # at most
---@return boolean # whether they have ended
function robotalk.run(seconds) end

---Options of connect.
---@class robotalk.ConnectOptions
---@field role string? # permissions of the connection: watch (queries, stop, panic), drive (also commands and overrides) or operate (also reset and reload; the default)
---@field token string? # the client's token, for a server that requires one; better kept in a file
---@field token_file string? # the file with that token, readable by its owner only ($ROBOTALK_TOKEN_FILE; without it the token is $ROBOTALK_TOKEN)
---@field timeout number? # s, until the server has answered (6)
---@field reconnect boolean? # whether it reconnects by itself after the link was lost (true)
---@field deadman number? # s of silence after which the robot stops all motions of this connection (the robot's own deadman time)
---@field expiry number|false? # age in s beyond which a command is refused (1); false: no limit
---@field channel robotalk.Channel? # a simulated network to a robot of this process
---@field name string? # name that other clients see when they list the holders of leases (USER@MACHINE (FILE); of a server's script: script NAME)
---@field apart boolean? # its leases are its own: other connections of this program count as other clients (false)
local robotalk_ConnectOptions = {}

---A simulated network between a script and a robot of its own process, in simulated time. Randomness comes from --seed.
---@class robotalk.Channel
---@field latency number? # delay of every message, s
---@field jitter number? # largest additional random delay, s
---@field rate number? # bytes/s
---@field loss number? # share of messages that are lost and sent again, 0 to 1
---@field again number? # s until a lost message is sent again (0.2)
---@field duplicate number? # share of messages that arrive twice, as datagrams may
---@field reorder number? # share that is overtaken, as datagrams may be
---@field stall number[]? # { least, most }: s that the server waits before it reads a package
local robotalk_Channel = {}

---Options of look.
---@class robotalk.LookOptions
---@field from number[] # x, y, z of the viewpoint, m
---@field to number[] # x, y, z of the point in the middle of the picture, m; z is up
---@field fov number? # horizontal field of view, rad (60 degrees)
---@field width integer? # pixels (320)
---@field height integer? # pixels (240)
---@field seen string? # colour (the default), depth or objects
---@field fine boolean? # with shadows, reflections and anti-aliasing; takes several times as long (false)
local robotalk_LookOptions = {}

---A rendered view of a world: docs/cameras.md.
---@class robotalk.View
---@field width integer # pixels
---@field height integer # pixels
---@field time number # instant of the view: seconds of robotalk.now()
---@field format string # rgb, depth or objects
---@field bytes string # row by row from the top. rgb: 3 bytes a pixel; depth: a float32, m; objects: an int32, the number of an object, -1: none
local robotalk_View = {}

---The value of a pixel.
---@param x integer # from the left, from 0
---@param y integer # from the top, from 0
---@return integer|number|string? # rgb: red, then green and blue, 0 to 255; depth: m ahead, math.huge where nothing is; objects: the name of an object
---@return integer? # green
---@return integer? # blue
function robotalk_View:at(x, y) end

---Writes a colour view to a file.
---@param path string # ends with .jpg, .jpeg, .png or .ppm
---@return true? # 
---@return integer|string # bytes of the file; or the error message
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_View:save(path) end

---Options of serve.
---@class robotalk.ServeOptions
---@field listen string[]? # addresses, of any protocol (robotalk://localhost)
---@field most integer? # largest number of connections (20000)
---@field lease number? # s for which a lease outlasts its last use, for all robots of this process: 0.1 to 3600 (5)
---@field record string? # a new file, into which the robots of this process are recorded until it ends
---@field stall number[]? # { least, most }: s that the server waits before it reads a package, for tests
---@field translators string[]? # names of custom translators that clients may fetch, in addition to the bundled ones (docs/translators.md)
---@field vehicles robotalk.Vehicle[]? # maps the classes that Gamebots clients ask for to robots (docs/usarsim.md)
local robotalk_ServeOptions = {}

---Options of record.
---@class robotalk.RecordOptions
---@field rate number? # states a second of each robot, 1 to 1000 (50)
---@field images number? # pictures a second of each camera, 0 to 100 (0)
---@field compression string? # zstd, lz4 or "" (the first whose library is there)
local robotalk_RecordOptions = {}

---Options of play.
---@class robotalk.PlayOptions
---@field rate number? # times faster than recorded, 0.01 to 100 (1)
---@field loop boolean? # again and again, until it is stopped
---@field from number? # s since the first message of the recording
---@field to number? # such a time; until that
---@field joints string[]? # these alone, or dofs of joints, as head.pan
---@field base boolean? # the recorded velocities of the base, too: nothing brings it back to the recorded way
---@field max_distance number? # of a dof to the first pose, rad or m (1)
---@field of string? # the recorded robot, where there are several
---@field on_note function? # gets lines for people
local robotalk_PlayOptions = {}

---A recording of robots that is being written, in the background.
---@class robotalk.Recorder
local robotalk_Recorder = {}

---What it has so far.
---@return integer # messages in the file, or on their way there
---@return integer # how many were lost, since memory or the disk was full
function robotalk_Recorder:counts() end

---Finishes the file.
---@return true? # 
---@return string? # the first thing that went wrong; the file has what could be written
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Recorder:close() end

---A class of USARSim robots that a Gamebots server knows in addition to the bundled ones.
---@class robotalk.Vehicle
---@field class string # the class that clients ask for, for example P2AT
---@field robot string # robots of this class: by name, by the part of the name before "_" or "-", or by model
---@field wheel_radius number? # m (from the robot's description)
---@field wheel_separation number? # m between the left and right wheels (from the robot's description)
---@field wheel_base number? # m between front and rear axle (from the robot's description)
---@field steering string? # skid or ackerman (skid)
local robotalk_Vehicle = {}

---Options of add_script, and of the scripts of a configuration.
---@class robotalk.ScriptOptions
---@field file string # the script
---@field name string? # its name in the log and in commands (that of the file, without .lua)
---@field args string[]? # its arguments, available as arg and as ...
---@field restart string? # when it is started again: never (the default), failure or always; after 1 s, and then after up to 60 s
---@field seconds number? # s of processor time that one of its tasks may use between two waits (10)
---@field memory integer? # memory limit in MiB (512)
---@field bridge boolean? # the script returns a bridge, which the server runs (docs/bridge.md); the defaults are then restart failure and seconds 1
local robotalk_ScriptOptions = {}

---One of the scripts of a server, as Scripts:list returns it.
---@class robotalk.Script
---@field name string # its name
---@field file string # its file; the end of a long path
---@field state string # starting, running, ending, waiting (to be started again), ended, failed, stopped, or stuck: it cannot be ended
---@field restart string # never, failure or always
---@field starts integer # how often it was started
---@field since number # s; when it began or ended, on the server's clock
---@field memory integer # bytes of memory in use while it runs
---@field seconds number # s of processor time used so far while it runs
---@field why string # why it failed or is stuck; otherwise empty
local robotalk_Script = {}

---The scripts of a server: what rt.scripts returns. All but list needs the role operate.
---@class robotalk.Scripts
local robotalk_Scripts = {}

---All of them.
---@return robotalk.Script[]? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Scripts:list() end

---Starts a script that is not running.
---@param name string # 
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Scripts:start(name) end

---Ends a script: its connections are closed, its motions are stopped, and it is not started again.
---@param name string # 
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Scripts:stop(name) end

---Replaces a script by the present contents of its file. The new one is loaded first; when that fails, the old one goes on.
---@param name string # 
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Scripts:reload(name) end

---The stops by other clients that keep scripts from moving robots, by the names of the script and of the robot; rows
---as of Session:latches.
---@param list robotalk.Script[] # the result of list
---@return table<string, table<string, table>>? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Scripts:latches(list) end

---Lets a script move robots again after a stop by another client. ENONE: no stop holds it.
---@param name string # 
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Scripts:resume(name) end

---Options of session. Further options are passed to a custom mode.
---@class robotalk.SessionOptions
---@field mode string? # direct (the default), delay, playback, broadcast, or a custom mode
---@field delay number? # delay of a session in delay mode, s
---@field duration number? # length of a sequence, s; helps playback to choose its delay
---@field spacing number? # s between frames, when they are evenly spaced
---@field gap number? # longest time between frames, s (the deadman time, or spacing)
---@field at number? # instant of rt.now() at which the sequence begins; synchronises several servers
---@field deadman number? # s of silence after which the robot stops all motions of this session
---@field expiry number|false? # lateness in s beyond which a command is refused; false: no limit
---@field errors boolean? # true: SUCCESS results are counted and not sent; finish reports their number
---@field newest boolean? # true: a command replaces those of the session that wait for its axes
---@field probe number? # longest time in s for measuring the link before playback (1); the measurement is not repeated within a minute
---@field timeout number? # s, until the server has answered (10)
local robotalk_SessionOptions = {}

---The result of a sequence. Has a readable tostring. When a session is finished several times, signals, reasons, left_out, clipped and concerned cover the time since the previous report; the other counts cover the whole session.
---@class robotalk.Report
---@field frames integer # frames of the sequence
---@field played integer # commands sent for them
---@field signals table<string, integer> # commands that ended with each signal
---@field reasons table<string, table<string, integer>> # by signal: number of commands for each reason
---@field left_out table<string, integer> # frames by the name of a part that the body lacks
---@field clipped table<string, integer> # frames by the name of a part that was clipped to limits
---@field concerned table[] # frames that were neither done nor superseded: { t, op, signal, reason, why, clipped, beyond, left_out, off }
---@field delay number # s by which the first frame began later than its time
---@field needed number # least delay that would have sufficed, s
---@field worst number # greatest lateness of a command, s
---@field underruns integer # frames that arrived too late
---@field refused integer # commands that never began
---@field paused integer # number of times that the robot braked and waited for frames
---@field added number # delay added by all pauses, s
---@field pauses table[] # { at, t, added (s), path (m), turn (rad), dof }: how far the robot moved on after the missing frame was due
local robotalk_Report = {}

---The robots of a domain of DDS, of rt.fleet: docs/fleet.md.
---@class robotalk.Fleet
local robotalk_Fleet = {}

---The robots that are there now, by name.
---@param select? robotalk.FleetSelection # all by default
---@return robotalk.FleetRobot[] # 
function robotalk_Fleet:robots(select) end

---Waits until so many robots, and their states, are there.
---@param count integer # 
---@param timeout? number # s (10)
---@param select? robotalk.FleetSelection # 
---@return robotalk.FleetRobot[]? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Fleet:await(count, timeout, select) end

---Calls fn, as a task, for each robot that appears, and for those that are there already.
---@param fn fun(robot: robotalk.FleetRobot, fleet: robotalk.Fleet) # 
function robotalk_Fleet:on_join(fn) end

---Calls fn, as a task, for each robot that is gone.
---@param fn fun(robot: robotalk.FleetRobot, fleet: robotalk.Fleet) # robot.gone says why
function robotalk_Fleet:on_leave(fn) end

---Connects to one of them, as rt.try_connect.
---@param robot string|robotalk.FleetRobot # 
---@param options? robotalk.ConnectOptions # 
---@return robotalk.Robot? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Fleet:connect(robot, options) end

---Panics robots, and repeats it until each has reported its latch. It lasts in the domain until reset: with no selection, robots
---that come later are panicked, too.
---@param select? robotalk.FleetSelection # all by default
---@param timeout? number # s to wait for the latches (5)
---@return true? # and the number of robots
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Fleet:panic(select, timeout) end

---Ends the panics of this fleet object, and resets the robots whose newest panic is one of them.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Fleet:reset() end

---Waits until nobody has a lease of the robot, and takes all of it. Of several that stand by, the strongest asks first.
---@param robot string|robotalk.FleetRobot # 
---@param options? { strength: integer?, timeout: number? } # strength: 1 or more (1); timeout: s (without a limit)
---@return robotalk.Robot? # connected, with its leases
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Fleet:stand_by(robot, options) end

---Leaves the domain.
function robotalk_Fleet:close() end

---Sequences that have begun at one instant, of rt.unison. Lists are in the order of its robots.
---@class robotalk.Unison
---@field at number # the instant, of rt.now()
---@field sessions robotalk.Session[] # to finish
---@field uncertainty number[] # s; how far the instant at the robot may be beside `at`: as its clock's offset was known, and its drift until then
---@field late number[] # s by which the robot began after the instant, as its server reports
local robotalk_Unison = {}

---Ends the sessions: what waits is dropped, robots that move brake.
function robotalk_Unison:close() end

---Options of unison; duration, spacing, gap, deadman, probe and timeout as of session.
---@class robotalk.UnisonOptions
---@field at number? # instant of rt.now() (lead after all sessions are open)
---@field lead number? # s for sending the frames (2)
---@field within number? # s; greatest uncertainty of a robot's clock (0.01)
---@field duration number? # 
---@field spacing number? # 
---@field gap number? # 
---@field deadman number? # 
---@field probe number? # 
---@field timeout number? # 
local robotalk_UnisonOptions = {}

---A robot of a fleet, as its server publishes it.
---@class robotalk.FleetRobot
---@field name string # 
---@field kind string # its model
---@field host string # the machine of its server
---@field url string # its address
---@field axes string[] # its dofs, JOINT.DOF
---@field sensors string[] # 
---@field cameras string[] # 
---@field state table? # the newest: at (rt.now() when it arrived), panic, panic_name, moving, charge (nil: no battery), position, attitude, linear, angular, positions, speeds; nil: none was heard yet
---@field leases { holder: integer, name: string, base: boolean, axes: string }[] # axes: bit n of byte k is dof 8k + n
---@field duplicate boolean? # another robot has the same name
---@field gone string? # why it is gone
local robotalk_FleetRobot = {}

---Which robots of a fleet: those that are all of this.
---@class robotalk.FleetSelection
---@field name string|string[]? # each may end with *
---@field kind string? # 
---@field host string? # 
---@field charge number? # of its battery, at least; robots without one count as full
---@field panic boolean? # 
---@field gone boolean? # true: also those whose server is silent
---@field near number[]? # x, y, radius: m in the world
local robotalk_FleetSelection = {}

---A function from the newest observation to a chunk of actions, of rt.policy: docs/policy.md.
---@class robotalk.Policy
---@field counts table<string, integer>? # of the newest run: calls of the function; chunks and frames that were sent; dropped: actions whose instants were over; late: chunks that were over; holds: how often the robot rested between two chunks; stale: observations that were too old
local robotalk_Policy = {}

---Runs it from where the robot is, until it ends or is stopped; then the robot brakes. An error of the function ends it, too.
---A later run begins from where the robot is then, also after a stop, unless a latch holds (resume).
---@param seconds? number # at most; without a limit by default
---@return string? # why it has ended
---@return table|string # its counts; or the message
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Policy:run(seconds) end

---Ends the run, from another task. The robot brakes at once, also while the function waits.
---@param why? string # for run to return (stopped)
function robotalk_Policy:stop(why) end

---Options of rt.policy.
---@class robotalk.PolicyOptions
---@field rate number? # actions a second (30)
---@field every integer? # actions from one observation to the next, while the function is fast enough (8)
---@field age number? # s; the function gets no observation of which a part is older (0.2)
---@field joints string[]? # joints whose set-points an action has, in that order (all, as in a posture)
---@field observe string[]? # names of cameras and sensors: the observation has the newest picture (rgb) or reading of each
---@field on_hold fun(why: string)? # called when an observation is too old, or a chunk too late
local robotalk_PolicyOptions = {}

---The argument of a policy's function; by their names it also has pictures and readings.
---@class robotalk.Observation
---@field time number # instant of the state, as rt.now(): the first action of a chunk belongs to it
---@field position number[] # present values of what an action sets, in the same order
---@field state robotalk.State # 
local robotalk_Observation = {}

---A task: a coroutine. Its waits do not block other tasks.
---@class robotalk.Task
---@field name string # the name passed to spawn, or the file and line of its function
local robotalk_Task = {}

---Ends the task at its present wait; its <close> variables are closed.
function robotalk_Task:cancel() end

---Its state.
---@return string # ready, running, waiting, done, failed or cancelled
function robotalk_Task:status() end

---Waits until the task has ended.
---@param timeout? number # seconds
---@return true? # and its return values
---@return string? # what went wrong
---@return string? # EFAILED, ECANCELLED or ETIMEOUT
function robotalk_Task:wait(timeout) end

---The result of a command. Times in seconds of robotalk.now().
---@class robotalk.Result
---@field id integer # its ticket
---@field op string # the command, for example set_joint
---@field signal string # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC
---@field reason robotalk.Reason # the reason
---@field why string? # the reason as text
---@field scheduled number? # when it should have begun; nil: at once, or unknown
---@field executed number? # when it began; nil: never
---@field lateness number? # executed - scheduled
---@field finished number # when the robot gave this result
---@field off { position: number, rotation: number }? # set_frame, when MODIFIED by a limit, a load or a contact: distance of the frame from the requested pose, m and rad
---@field parts table[]? # of a frame: the parts that did not end in SUCCESS: { part, dof, signal, reason }; nil when all ended as the whole
---@field left_out string[]? # of a frame: the names of parts that the body lacks
---@field clipped string[]? # the names of parts that were clipped to limits: base, joints, control frames
---@field beyond { part: string, what: string, asked: number?, limit: number }[]? # the values beyond the limits of the body; of a set_frame that waits also the dofs at whose limits it ended, without asked
---@field superseded true? # MODIFIED because a later command took over its axes
---@field obstacle string? # base blocked: the thing or the robot that is in the way
---@field holder string? # BUSY because another client holds the lease: its name and number
---@field uncertainty number # uncertainty of these instants in s, because the robot has another clock
local robotalk_Result = {}

---A client that drives the robot, or drove it a moment ago.
---@class robotalk.Holder
---@field holder string # its name, and its number at the server
---@field own boolean # whether the client is this program
---@field left number # s until the last of its leases expires, unless it uses them again
---@field parts string[] # parts that it drives: base, joints, or dofs such as head.pan
local robotalk_Holder = {}

---A robot's state. SI units; x ahead, y left, z up.
---@class robotalk.State
---@field time number # instant of the state: seconds of robotalk.now()
---@field x number # m
---@field y number # m
---@field z number # m
---@field theta number # heading in rad, counter-clockwise, not wrapped
---@field pose number[] # x, y, z as a list
---@field attitude number[] # roll, pitch, yaw in rad; yaw is theta
---@field velocity table # x, y in m/s, theta in rad/s, as set_speed takes them
---@field twist number[] # m/s along its own axes; turning is in spin
---@field spin number[] # rad/s about its own axes
---@field joints table<string, table<string, number>> # positions by joint and dof, rad or m
---@field position number[] # of all dofs in the model's order, rad or m: a posture
---@field speed number[] # of all dofs, rad/s or m/s
---@field forces table<string, table<string, number>>? # if requested: by joint and dof, N or N*m; a missing dof has no known force
---@field frames table<string, table>? # if requested: poses by control frame, as in set_frame: position { x, y, z }, attitude { roll, pitch, yaw }
---@field goals table<string, table<string, number>>? # if requested: the position goal in force by joint and dof, rad or m; none after a speed, a force, a stop; where a bus orders messages, that of the newest
---@field override number # speed override: motions run at this share of their speeds
---@field battery number # charge, 0 to 1
---@field voltage number # V
---@field moving boolean # whether a motion is in progress
---@field panic boolean # whether the robot is in panic
---@field epoch integer # number of panics so far
local robotalk_State = {}

---A subscription to readings of sensors or to pictures of a camera.
---@class robotalk.Watch
local robotalk_Watch = {}

---Waits for a reading, or a picture, that was not returned yet.
---@param timeout? number # s
---@return robotalk.Reading|robotalk.Picture? # nil on a timeout, or when there will be no more
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Watch:next(timeout) end

---Ends the subscription.
function robotalk_Watch:cancel() end

---A picture from a camera or from robotalk.picture: docs/cameras.md.
---@class robotalk.Picture
---@field camera string # the camera that took it; or the file
---@field number integer # its number at the camera, from 1; 0: not from a camera
---@field time number # when it was taken: seconds of robotalk.now()
---@field age number # s from then to when this was returned
---@field width integer # pixels
---@field height integer # pixels
---@field format string # jpeg, rgb or gray
---@field bytes string # a JPEG file; or pixels, 3 bytes or 1 each, row by row from the top
local robotalk_Picture = {}

---Its pixels, row by row from the top.
---@param format? string # rgb or gray; for pixels their own format by default
---@return string? # nil when the JPEG is damaged
---@return string # rgb, 3 bytes each, or gray, 1 byte
---@return integer # width
---@return integer # height
function robotalk_Picture:pixels(format) end

---The colour of a pixel; 0, 0 is at the top left. A pixel outside the picture raises.
---@param x integer # from 0, to the right
---@param y integer # from 0, down
---@return integer? # red, 0 to 255; nil when the JPEG is damaged
---@return integer # green
---@return integer # blue
function robotalk_Picture:pixel(x, y) end

---The largest connected region of a colour (pixels that share a side); of two equal ones the first, row by row.
---@param colour string # red, orange, yellow, green, cyan, blue, purple, pink, black or white; or #rrggbb
---@param options? { tolerance: { hue: number?, saturation: number?, value: number? }?, least: integer? } # tolerance: allowed difference from #rrggbb, hue in degrees (20), saturation (0.3) and value (0.4) of 0 to 1; least: regions of fewer pixels are ignored (1)
---@return robotalk.Blob? # nil when there is none
---@return string? # the error, when the JPEG is damaged
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Picture:blob(colour, options) end

---The picture as the bytes of a JPEG file.
---@param quality? integer # 1 to 100 (80); without it a JPEG stays as it is
---@return string? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Picture:jpeg(quality) end

---Writes the picture to a file: a JPEG as it is, pixels as PPM or PGM, and any picture as PNG if the name ends with .png.
---@param path string # with the extension of the format, or without one: .jpg or .jpeg, .ppm, .pgm; or .png
---@return true? # 
---@return integer|string # bytes of the file; or the error message
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Picture:save(path) end

---Reads the test card in the picture.
---@return integer? # number of the picture; nil: the picture shows no test card
---@return number # when it was drawn, s
function robotalk_Picture:card() end

---A region of a picture; coordinates are in pixels, 0, 0 is the top left one.
---@class robotalk.Blob
---@field x number # the mean of its pixels
---@field y number # the mean of its pixels
---@field left integer # of the bounding box
---@field top integer # of the bounding box
---@field width integer # of the bounding box
---@field height integer # of the bounding box
---@field area integer # number of its pixels
---@field regions integer # number of regions of that colour in the picture
local robotalk_Blob = {}

---A camera of a robot.
---@class robotalk.Camera
---@field name string # 
---@field width integer # pixels of its pictures; 0: unknown
---@field height integer # pixels; 0: unknown
---@field rate number # pictures a second; 0: unknown
---@field fov number # horizontal field of view, rad; 0: unknown
local robotalk_Camera = {}

---The newest picture. It may be old when the camera delivers no newer one: see age.
---@param options? { width: integer?, height: integer?, format: string?, quality: integer?, newer: robotalk.Picture?, timeout: number?, window: integer? } # width, height: most pixels, the picture is scaled down by a whole number; format: jpeg, rgb, gray; quality of JPEG (80); newer: wait for a picture newer than this one; timeout: s (5); window: bytes that may be in flight (65536)
---@return robotalk.Picture? # nil when there is none
---@return string? # what went wrong
---@return string? # its code: NA when the camera delivers none
function robotalk_Camera:frame(options) end

---Calls fn with each new picture, in its own task. Of several that arrived meanwhile it receives the newest.
---@param options? { rate: number?, width: integer?, height: integer?, format: string?, quality: integer?, window: integer? } # rate: pictures a second at most (the camera's rate); the others as of frame
---@param fn? fun(picture: robotalk.Picture) # without it the watch's :next() returns them
---@return robotalk.Watch? # <close> cancels it
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Camera:watch(options, fn) end

---Sends, stores and rewinds pictures: require "robotalk.images"; docs/images.md.
---@class robotalk.images
local images = {}

---Sends a camera's pictures to an image server, in its own task; by default ten a second, named ROBOT/CAMERA.
---On a slow link older pictures are skipped for the newest.
---@param camera robotalk.Camera # 
---@param url string # images://host[:port][/ROBOT/CAMERA]
---@param options? robotalk.images.SendOptions # 
---@return robotalk.images.Sending? # <close> ends it
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function images.send(camera, url, options) end

---A sender connected to an image server. It reconnects whenever the link is lost.
---@param url string # as of send
---@param options? robotalk.images.DialOptions # 
---@return robotalk.images.Sender? # <close> ends it
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function images.dial(url, options) end

---Stores the pictures of senders in a folder, on its own threads. Not available in simulated time.
---@param path? string # the folder; nil: pictures are checked and answered, but not stored
---@param options? robotalk.images.ServeOptions # 
---@return robotalk.images.Server? # <close> ends it
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function images.serve(path, options) end

---Opens a folder of pictures for rewinding, also while a server stores pictures there.
---@param path string # 
---@return robotalk.images.Folder? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function images.open(path) end

---Options of images.dial.
---@class robotalk.images.DialOptions
---@field name string? # of the source: 1 to 79 visible characters, no blanks (from the address)
---@field lossless boolean? # no picture is skipped for a newer one: put waits (false)
---@field window integer? # lossless only: most pictures without an answer, 1 to 64 (1)
---@field timeout number? # s to wait for the connection (5); 0: returns at once and connects in the background
---@field patience number? # s that lossless put, and finish, wait for a server that sends nothing (30); math.huge: for ever
local robotalk_images_DialOptions = {}

---Options of images.send, in addition to those of dial.
---@class robotalk.images.SendOptions: robotalk.images.DialOptions
---@field rate number? # pictures a second, at most (10)
---@field width integer? # pixels, at most
---@field height integer? # pixels, at most
---@field quality integer? # of JPEG, 1 to 100 (80)
local robotalk_images_SendOptions = {}

---Options of images.serve.
---@class robotalk.images.ServeOptions
---@field listen string[]? # addresses (images://localhost)
---@field most number? # largest number of bytes on disk: the oldest pictures are removed for the newest (no limit)
local robotalk_images_ServeOptions = {}

---A picture of a folder.
---@class robotalk.images.Picture
---@field number integer # from 1
---@field time number # instant at which the server had received it: s since the epoch
---@field us integer # the same in us
---@field size integer # bytes
---@field source string # as ROBOT/CAMERA
---@field file string # its path
local robotalk_images_Picture = {}

---A folder of pictures. Each call reads it again.
---@class robotalk.images.Folder
local robotalk_images_Folder = {}

---Its pictures, the oldest first.
---@param options? { from: number?, to: number?, source: string? } # from, to: s since the epoch, both included
---@return robotalk.images.Picture[]? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_images_Folder:list(options) end

---The newest picture of that time or before.
---@param time number # s since the epoch
---@param options? { step: integer?, source: string? } # step: number of pictures further on; -1: the previous one
---@return robotalk.images.Picture? # 
---@return string? # what went wrong
---@return string? # its code: ENONE when there is none
function robotalk_images_Folder:at(time, options) end

---The picture that many steps from the newest, or from another; -1: the previous one.
---@param step integer # 
---@param from? robotalk.images.Picture # the newest by default
---@param options? { source: string? } # 
---@return robotalk.images.Picture? # 
---@return string? # what went wrong
---@return string? # its code: ENONE when there is none
function robotalk_images_Folder:step(step, from, options) end

---A picture's JPEG.
---@param picture robotalk.images.Picture # 
---@return string? # its bytes
---@return string? # what went wrong
---@return string? # its code: ENONE when it was removed meanwhile
function robotalk_images_Folder:read(picture) end

---A server that stores pictures.
---@class robotalk.images.Server
local robotalk_images_Server = {}

---The addresses it listens on.
---@return string[] # 
function robotalk_images_Server:urls() end

---Its counters so far.
---@return table # frames, of these kept and refused; removed (the oldest); pictures present, and their bytes on disk
function robotalk_images_Server:counts() end

---Reads the access lists again.
---@return integer? # number of connections that it closes
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_images_Server:reload() end

---Ends it after all received pictures were written.
function robotalk_images_Server:close() end

---Sends pictures to an image server.
---@class robotalk.images.Sender
local robotalk_images_Sender = {}

---Hands over a JPEG. It replaces a picture that still waits, without blocking; a lossless sender waits until fewer than
---`window` pictures have no answer.
---@param jpeg string # its bytes
---@param name? string # of its source, from now on
---@return true? # 
---@return string? # what went wrong
---@return string? # its code: EREFUSED when the server has refused a picture; ETIMEOUT: the server sent nothing for the sender's patience, and the picture is sent later; EFULL: as ETIMEOUT, but the queue is full and the picture was not taken; ECLOSED
function robotalk_images_Sender:put(jpeg, name) end

---Waits until all pictures were sent and answered.
---@param timeout? number # s (as long as the server sends something within the sender's patience)
---@return true? # 
---@return string? # what went wrong
---@return string? # its code: EREFUSED when the server has refused pictures that put has not reported
function robotalk_images_Sender:finish(timeout) end

---Its counters.
---@return table # given; sent (completely); kept and refused by the server; skipped, for newer ones or with a lost link; links: number of connections so far
function robotalk_images_Sender:counts() end

---Ends it. Waiting pictures are dropped.
function robotalk_images_Sender:close() end

---A camera's pictures on their way to an image server.
---@class robotalk.images.Sending
local robotalk_images_Sending = {}

---As a sender's; pictures: number taken by the camera; missed: how many of these a lossless sender did not
---take because its server had not answered for its patience.
---@return table # 
function robotalk_images_Sending:counts() end

---Waits until all pictures so far were sent and answered.
---@param timeout? number # as of a sender
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_images_Sending:finish(timeout) end

---Ends it.
function robotalk_images_Sending:close() end

---Records and reads data sets of LeRobot: require "robotalk.dataset"; docs/datasets.md.
---@class robotalk.dataset
local dataset = {}

---A data set in a folder: a new one, or one that records the same, which is continued.
---@param path string # 
---@param options robotalk.dataset.Options # 
---@return robotalk.dataset.Set? # <close> drops the episode in progress
---@return string? # what went wrong
---@return string? # its code: EEXISTS when it records other features
function dataset.create(path, options) end

---Opens a data set of version 3.0 or 2.1, also another program's, to read it.
---@param path string # 
---@return robotalk.dataset.Reader? # 
---@return string? # what went wrong
---@return string? # its code: EBODY when it is damaged
function dataset.open(path) end

---Of a data set that is recorded.
---@class robotalk.dataset.Options
---@field robot robotalk.Robot # it is recorded
---@field fps integer? # frames a second (30)
---@field task string? # what is done, of the next episodes
---@field version string? # "3.0" (the default) or "2.1"
---@field cameras string[]? # names of cameras (all)
---@field type string? # robot_type for LeRobot (the robot's name here)
local robotalk_dataset_Options = {}

---A data set that is recorded. What was kept is on the disk.
---@class robotalk.dataset.Set
local robotalk_dataset_Set = {}

---The text of the task, of episodes that begin from now on.
---@param text string # 
function robotalk_dataset_Set:task(text) end

---Begins an episode: frames are taken from now on.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code: EBUSY when one is in progress
function robotalk_dataset_Set:begin() end

---Ends the episode and writes it.
---@return table? # index (from 0), length; skew: s by which a frame is off its instant at most; age: s by which a picture is older than its frame at most; began: s of the robot's clock
---@return string? # what went wrong
---@return string? # its code; the episode is dropped
function robotalk_dataset_Set:keep() end

---Drops the episode in progress.
function robotalk_dataset_Set:drop() end

---Drops the episode in progress, and ends.
function robotalk_dataset_Set:close() end

---A data set that is read.
---@class robotalk.dataset.Reader
---@field version string # v3.0 or v2.1
---@field fps number # 
---@field robot string? # its robot_type
---@field tasks string[] # 
---@field episodes table[] # index (from 0), length, tasks; skew, age: as of keep, of data sets of this program
---@field names table<string, string[]> # of the numbers of action and of observation.state
---@field cameras string[] # their keys
---@field info table # its info.json
local robotalk_dataset_Reader = {}

---An iterator over the frames of an episode.
---@param index integer # from 0
---@return function? # frames { time (s, from 0), index, task, state, action (numbers by name), pictures (by camera: file, and time in a video, s) }
---@return string? # what went wrong
---@return string? # its code: ENONE, EBODY
function robotalk_dataset_Reader:episode(index) end

---Ends it.
function robotalk_dataset_Reader:close() end

---Writes and reads recordings, files of MCAP: require "robotalk.mcap"; docs/recordings.md.
---@class robotalk.mcap
local mcap = {}

---Makes a new file, which is written in chunks, each of which is on the disk when the next begins.
---@param path string # 
---@param options? { compression: string?, chunk_bytes: integer?, chunk_time: number? } # zstd, lz4 or "" (the first whose library is there); the size of a chunk (1 MiB) and its time (1 s)
---@return robotalk.mcap.Writer? # <close> finishes it
---@return string? # what went wrong
---@return string? # its code: EEXISTS when there is such a file
function mcap.create(path, options) end

---Opens a recording, also one that is unfinished or still written.
---@param path string # 
---@return robotalk.mcap.Recording? # <close> closes it
---@return string? # what went wrong
---@return string? # its code: EBODY when it is no MCAP
function mcap.open(path) end

---A recording that is written.
---@class robotalk.mcap.Writer
local robotalk_mcap_Writer = {}

---Adds a channel.
---@param options robotalk.mcap.ChannelOptions # 
---@return integer? # its number
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_mcap_Writer:channel(options) end

---Adds a message. It is on the disk when its chunk is full, or after flush.
---@param channel integer # its number
---@param time number # s, as rt.now()
---@param value string|table # its bytes, or a table for JSON
---@return true? # 
---@return string? # what went wrong
---@return string? # its code: ESYSTEM when the disk is full; it may be tried again
function robotalk_mcap_Writer:message(channel, time, value) end

---Adds a file.
---@param name string # 
---@param media_type string # as text/xml
---@param bytes string # 
---@param time? number # s (now)
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_mcap_Writer:attach(name, media_type, bytes, time) end

---Adds a table of texts.
---@param name string # 
---@param map table # texts by their names
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_mcap_Writer:metadata(name, map) end

---Writes the chunk to the disk.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_mcap_Writer:flush() end

---Finishes the file.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_mcap_Writer:close() end

---A channel of a recording.
---@class robotalk.mcap.ChannelOptions
---@field topic string # as /joint_states
---@field schema string? # the name of its schema (none)
---@field data string|table|nil # the schema; a table is JSON Schema (an object)
---@field schema_encoding string? # (jsonschema)
---@field encoding string? # of its messages (json)
---@field metadata table? # texts by their names
local robotalk_mcap_ChannelOptions = {}

---A recording that is read. One loop over its messages runs at a time.
---@class robotalk.mcap.Recording
local robotalk_mcap_Recording = {}

---What it has: finished, messages (their number), duration (s), first and last (ns), chunks, compression, packed and unpacked
---(bytes), channels (a list of { topic, encoding, messages, schema = { name, encoding, data }, metadata }), attachments and metadata
---(names), library, profile, faults (texts). An unfinished one is read whole for that.
---@return table # 
function robotalk_mcap_Recording:info() end

---Reads all of it: bytes of attachments and tables of metadata, each by their names; of equal names the last.
---@return table<string, string> # 
---@return table<string, table> # 
function robotalk_mcap_Recording:extras() end

---Iterates over messages: { topic, time (s since the first message), ns, sequence, bytes, value (of JSON), channel }.
---Damaged parts are left out.
---@param options? { topic: string|string[]|nil, from: number?, to: number? } # s since the first message; `to` is not included
---@return fun(): table? # 
function robotalk_mcap_Recording:messages(options) end

---Iterates over all records from where the last loop has ended: kind, id, name, encoding, log time, publish time,
---sequence, schema, place, offset.
---@param fault? fun(message: string) # gets what is damaged
---@return fun(): integer? # 
function robotalk_mcap_Recording:records(fault) end

---Copies what is whole into a new file, which is finished.
---@param path string # 
---@param from? number # only messages of these times, as above
---@param to? number # 
---@return integer? # how many messages
---@return string[]|string # what is left out; or what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_mcap_Recording:copy(path, from, to) end

---Closes it.
function robotalk_mcap_Recording:close() end

---A reading of a sensor, SI. docs/sensors.md lists the values of each kind; a custom type has the values that the sensor names. An unknown value is missing, in lists false. For several sensors together: their readings as a list, false where there is none yet; time and age of the oldest; and, of one kind, ranges, switches or positions of all.
---@class robotalk.Reading
---@field name string? # of the sensor
---@field type string? # its kind
---@field number integer? # its number at the sensor, from 1
---@field time number # instant of the reading: seconds of robotalk.now()
---@field age number # s from then to when this was returned
---@field dropped integer? # of a watch of all readings: number lost before it
---@field unit string? # of a custom type, if the sensor has one
---@field range number? # m: the nearest of ranges
---@field ranges number[]? # m: each beam, or each sensor
---@field pressed boolean? # whether one of the switches is
---@field switches boolean[]? # each
---@field position number|number[]? # in the world, m; of an encoder its first dof's
---@field positions number[]? # of dofs, rad or m
---@field attitude number[]? # in the world, rad
---@field acceleration number[]? # m/s2, with gravity
---@field spin number[]? # rad/s
---@field force number[]? # N
---@field torque number[]? # N*m
---@field heading number? # rad
---@field x number? # m
---@field y number? # m
---@field theta number? # rad
---@field charge number? # 0 to 1
---@field voltage number? # V
---@field current number? # A
---@field temperature number? # K
---@field state string? # of a gripper: open, closed, moving, error, stopped
---@field opening number? # 0 closed to 1 open
---@field width number? # m
---@field outer boolean? # its outer beam is broken
---@field inner boolean? # its inner beam is broken
---@field holding boolean? # it holds something
---@field broken boolean? # whether one of the beams is
---@field beams boolean[]? # each
local robotalk_Reading = {}

---Kinematics. A posture is a list with one number for each dof. Poses are relative to the root link, or to the start of a root that dofs move.
---@class robotalk.Model
local robotalk_Model = {}

---Pose of a control frame; without a name the poses of all links, [1] is link 0.
---@param q number[] # posture
---@param frame? string|integer # name or number
---@return table # position { x, y, z } m, rotation (nine numbers, row by row), attitude { roll, pitch, yaw } rad; or a list of these
function robotalk_Model:fk(q, frame) end

---Geometric Jacobian of a control frame: six rows, linear x, y, z and angular x, y, z, of one number for each dof.
---@param q number[] # posture
---@param frame string|integer # name or number
---@return number[][] # the rows
---@return table # the pose
function robotalk_Model:jacobian(q, frame) end

---A posture that brings a control frame to a pose, within the limits.
---@param frame string|integer # name or number
---@param goal table # position { x, y, z } in m, attitude { roll, pitch, yaw } in rad; without an attitude only the position counts
---@param q? number[] # start of the search; home by default
---@param options? table # position_tolerance (m), rotation_tolerance (rad), rotation_weight (m/rad), iterations, attempts, seed
---@return number[]? # the posture; nil, message, code and the report when none was found
---@return table|string # report: posture (the best), position_error (m), rotation_error (rad), at_limit (names), singularity (0: singular), iterations, attempts
---@return string? # its code, for example ELINK or ETIMEOUT
---@return table? # the report
function robotalk_Model:ik(frame, goal, q, options) end

---The index of a dof in a posture.
---@param joint string # its name
---@param dof? string|integer # its name, or its number in the joint, from 0; the first by default
---@return integer # from 1
function robotalk_Model:index(joint, dof) end

---The home posture.
---@return number[] # 
function robotalk_Model:home() end

---A session with a robot in one command mode.
---@class robotalk.Session
---@field mode string # its name
---@field blocking boolean # whether commands wait for their answer
---@field must robotalk.Session # the same methods; they raise for signals other than SUCCESS and MODIFIED, and for nil with a message
local robotalk_Session = {}

---Drives or walks to a place on the floor of the world; holds the base until it is there. RoboTalk III.A.
---@param goal table # x, y in m (one of them may be missing: 0), theta in rad (as it arrives by default), start; speed, acceleration: the greatest, m/s and m/s2, and turning by the same shares; 0: the body's own. Or a list of such places, where the robot stands at each; speed and acceleration next to the list apply to places without their own; not for begin, nor for sessions that do not wait
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:go_to(goal) end

---Velocity of the base in its own frame, until changed.
---@param speed table # x, y in m/s, theta in rad/s, start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_speed(speed) end

---Stops all motions of all clients; or the joints, control frames and base that are named.
---@param what? string|table # a name, or { NAME = true, start = s }; base = true: the base; own = true: only the motions of this session, and its queued or held commands
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:stop(what) end

---Every joint to its rest position.
---@param options? table # start; speed, acceleration: the greatest of each dof
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:home(options) end

---One step of one leg.
---@param fields table # leg, x, y in m, theta in rad, start; speed: the greatest of the foot over the floor, m/s
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:step(fields) end

---Set-points of dofs of a joint.
---@param joint string # its name
---@param values table|number # rad or m by name or number (from 0) of the dof, or a list of all; for a joint of one dof also a plain number; speed, acceleration: the greatest on the way; velocity = { DOF = rad/s or m/s }: velocity of a set-point from the command's begin until the next one; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_joint(joint, values) end

---Speeds of dofs of a joint, until changed.
---@param joint string # its name
---@param values table|number # rad/s or m/s by dof, as of set_joint; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_joint_speed(joint, values) end

---Forces or torques of dofs of a joint, until changed.
---@param joint string # its name
---@param values table|number # N or N*m by dof, as of set_joint; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_joint_force(joint, values) end

---Moves a control frame to a pose in the root link's frame, on a straight line. A goal out of reach
---is replaced by the nearest pose: MODIFIED, with the remaining distance in the result's off.
---@param frame string # its name
---@param pose table # position { x, y, z } in m, attitude { roll, pitch, yaw } in rad (by default unchanged, if six dofs or more move it; false: any), start; straight = true: it ends on its line rather than leave it; speed, acceleration: the greatest on the line, m/s and m/s2
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_frame(frame, pose) end

---Velocity of a control frame along the root link's axes, until changed.
---@param frame string # its name
---@param twist table # linear m/s, angular rad/s: { x, y, z }, 0 by default; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_frame_speed(frame, twist) end

---Force and torque at a control frame along the root link's axes, until changed.
---@param frame string # its name
---@param wrench table # force N, torque N*m: { x, y, z }, 0 by default; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:set_frame_force(frame, wrench) end

---Moves the base, joints and control frames together. It begins as a whole or not at all, except for parts that
---the body lacks, and has one result. Contradictory parts raise: two that move the same dof (for example a hand and a
---joint of its arm, or the base and a dof of the root), or a dof and the one that it mimics.
---@param parts table # as in frame; start
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:move(parts) end

---A frame: parts as of move that begin together, as one command. A goal with a speed or an acceleration becomes its own command,
---except set-points with a speed. Frames are sent together when the task waits.
---@param t number # seconds on the sequence's own time line
---@param parts table # base = { speed = {…} | go_to = {…} | stop = true }, JOINT = set-point or { DOF = set-point, speed, velocity = { DOF = … }, force = { DOF = … } }: a velocity without a set-point is a speed, until changed; CONTROL FRAME = { position, attitude, straight }, { linear, angular } or { force, torque }. A name that a joint and a control frame share means the control frame with position, attitude, linear, angular or torque, otherwise the joint
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:frame(t, parts) end

---Sends the frames gathered so far.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:flush() end

---Marks the end of the sequence and waits until all frames were played.
---@param timeout? number # seconds for the whole; after ETIMEOUT the caller may wait again
---@return robotalk.Report? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:finish(timeout) end

---The result of a ticket; waits for it.
---@param ticket integer # of a command
---@param timeout? number # seconds
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Session:result(ticket, timeout) end

---Sends commands as one package, in the form of the specification.
---@param commands table[] # { op =, start =, … }
---@return integer? # ticket of the first; the others follow on
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:send(commands) end

---Sets the speed override: all motions run at this share of their speeds; 0 holds them on their paths. Sequences slow down with it.
---NA: the robot is on another server and cannot be slowed down; it stops, and accepts no motions before override(1).
---@param share number # 0, or 0.001 to 1
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:override(share) end

---The robot's state now.
---@param options? { forces: boolean?, frames: boolean?, goals: boolean? } # true: includes these
---@return robotalk.State? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:state(options) end

---The newest reading of a sensor; of all sensors of a kind, or of a list of names, as one. docs/sensors.md describes its fields.
---@param what string|string[]|{ kind: string } # the name of a sensor, otherwise of a kind (sonar); or several names; or a kind, even if a sensor has the same name
---@return robotalk.Reading? # nil when there is none
---@return string? # what went wrong
---@return string? # its code: NA when the robot has no such sensor, or no reading of it yet
function robotalk_Session:sense(what) end

---Calls fn with each new reading, in its own task. Of several that arrived meanwhile it receives the newest.
---options: rate, readings a second at most (the sensor's rate); all = true: every reading of every sensor,
---as long as the server keeps them; a reading's dropped is the number lost before it.
---@param what string|string[]|{ kind: string } # as of sense
---@param options? { rate: number?, all: boolean? } # 
---@param fn? fun(reading: robotalk.Reading) # without it the watch's :next() returns them
---@return robotalk.Watch? # <close> cancels it
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:watch(what, options, fn) end

---A camera of the robot.
---@param name? string # the first by default
---@return robotalk.Camera? # 
---@return string? # what went wrong
---@return string? # its code: NA when the robot has no camera of that name
function robotalk_Session:camera(name) end

---The session's queues and counters of its commands.
---@return table? # held, queued, running, executed, underruns, refused: numbers of commands; decided: 1 when the mode has chosen its delay; delay, worst, needed (s)
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:status() end

---Calls fn with the state every period, until the handle's :cancel(). After a lost link it goes on with the next one.
---@param period number # seconds, 0.001 to 3600
---@param fn fun(state: robotalk.State) # 
---@param options? { forces: boolean?, frames: boolean?, goals: boolean? } # as of state
---@return table? # the handle; <close> cancels
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:broadcast(period, fn, options) end

---Gives a command and does not wait for its end, also in direct mode. A lasting command (such as set_speed) is done
---as soon as it takes effect; stop ends its motion.
---@param op string # go_to, set_joint …
---@param ... any # arguments of that command
---@return robotalk.Motion? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:begin(op, ...) end

---Cancels a command, which brakes if it is in progress; or all commands that have not begun.
---@param ticket? integer|robotalk.Motion # one; all by default
---@return integer? # number of cancelled commands
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:cancel(ticket) end

---The clients that hold leases. A lease lasts while its client drives, and 5 s more.
---The notice leases reports that leases of other clients have changed, except when they expire. For a robot at rctp://
---the client that drives it there.
---@return robotalk.Holder[]? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:holders() end

---Takes the leases of the base, joints or control frames, named as in stop, or of all. Free leases are taken at once.
---Otherwise the holder is asked, and gives or refuses; silence for the lease time, 5 s, counts as consent. Motions there are
---stopped first. After a refusal further requests are refused for as long, ELEASE. A take that ends without an answer is
---withdrawn. A robot at rctp:// is also taken there, where no holder can be asked: ELEASE while another client has it; with
---a timeout take waits for it.
---@param what? string|table<string, true> # a name, or { base = true, head = true }; all axes by default
---@param options? { force: boolean?, timeout: number? } # force: without asking, where the server allows this to the role operate; timeout: s to wait
---@return true? # the leases are taken, and the parts stand still
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:take(what, options) end

---Gives leases back before they expire. Motions there are stopped first, waiting commands are INTERRUPTED, and other
---clients may drive as soon as the parts stand still.
---@param what? string|table<string, true> # a name, or { base = true, head = true }; all axes by default
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:release(what) end

---Calls fn, as a task, when another client asks for leases that this one has. fn returns true to give them, false to refuse;
---after nil they are given when the lease time is over.
---@param fn fun(asked: { holder: string, parts: string[], due: number }): boolean? # 
function robotalk_Session:on_asked(fn) end

---The client that stopped this one, while the latch holds. A stop of everything by another client latches every client that has
---moved the robot. Until resume, motion commands are INTERRUPTED, stopped; `by` in their result names the client that stopped.
---@return { by: string, since: number }? # the name of that client, and the instant as in rt.now()
function robotalk_Session:stopped() end

---Calls fn, as a task, when a stop by another client has latched this one.
---@param fn fun(stopped: { by: string, since: number }) # 
function robotalk_Session:on_stopped(fn) end

---Goes on after a stop by another client. A stop that was not yet reported to the program, by a result, stopped() or on_stopped,
---stays: ESTOPPED, which reports it. ENONE: no stop holds this client, or with all, any client. The client that has stopped others
---resumes them by all = true. An interrupted sequence does not go on: it needs a new session.
---@param options? { all: boolean?, client: integer? } # all: all latched clients; client: this one; both are for the client that stopped, and for the role operate
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:resume(options) end

---The clients that are latched by a stop.
---@return { client: integer, name: string, called: string, own: boolean, stop: integer, by: string, since: number, connected: boolean }[]? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:latches() end

---Stops the robot at once, empties all its queues, and latches it in panic. Does not wait.
---@return true? # the panic is sent
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:panic() end

---Ends a panic and waits until it has ended, also on another server whose robot this one represents. Commands from before the
---panic never run.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Session:reset() end

---Ends the session: its queued commands are dropped, its motions are stopped. Pending calls return their answers, or nil, message, ECLOSED.
function robotalk_Session:close() end

---A command that runs in the background; <close> cancels it. It brakes when the task that began it is cancelled.
---@class robotalk.Motion
---@field ticket integer # of the command
---@field op string # the command
---@field name string? # of its joint or control frame
local robotalk_Motion = {}

---Waits for its end. Later calls return the same signal.
---@param timeout? number # seconds
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Motion:wait(timeout) end

---Whether it has ended.
---@return boolean # 
function robotalk_Motion:done() end

---Brakes the motion within its limits, or keeps it from beginning: INTERRUPTED, cancelled. Does not wait in a task that is ending.
---@return boolean? # whether there was something to cancel
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Motion:cancel() end

---Sets another goal for the same axes: this motion ends MODIFIED, superseded; the new one goes on from their present speed.
---@param values table|number # values of the command
---@return robotalk.Motion? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Motion:retarget(values) end

---Lets the motion go on when the task that began it is cancelled.
---@return robotalk.Motion # itself
function robotalk_Motion:detach() end

---A connection to a robot, and a session in direct mode.
---@class robotalk.Robot: robotalk.Session
---@field model robotalk.Model # its kinematics
---@field must robotalk.Robot # as of a session
local robotalk_Robot = {}

---A session in another mode.
---@param options? robotalk.SessionOptions # 
---@return robotalk.Session? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Robot:session(options) end

---The estimate of the server's clock and of the link.
---@return table? # offset, uncertainty (s), least and median round trip, jitter (s), drift (ppm), exchanges: how many; probing: how many are still wanted; nil when the connection is closed
function robotalk_Robot:clock() end

---The description of the robot.
---@return table # name, model, deadman (s), commands, links, dofs, revision; joints and frames by name; sensors by name and as a list: name, type, unit, range, rate (readings a second), count, values (a list of name, unit, count), link, position, attitude; kinematics; descriptor: the whole as a descriptor
function robotalk_Robot:describe() end

---Messages and remaining error of the robot's bus (paper 004).
---@return table? # order, rate, slots, messages, refused, lost, error, rms (m/s), joints: JOINT = { DOF = { messages, age (s) } }
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Robot:bus() end

---Fetches the description of the robot again.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Robot:refresh() end

---Replaces the description of the robot, for all its clients; sessions and queues stay. An invalid one is rejected, and the
---old one stays. A robot on another server keeps its drivers, joint by joint; the connection needs the role operate.
---@param what? string|robotalk.Descriptor # name, file or table; for a robot of this process its own file by default
---@return table? # kept, dropped: queued commands whose names are still there, or not
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Robot:reload(what) end

---Records what the robot does from now on, with the commands of all its clients, into a new file (docs/recordings.md). Only
---for robots of this process.
---@param path string # 
---@param options? robotalk.RecordOptions # 
---@return robotalk.Recorder? # <close> finishes the file
---@return string? # what went wrong
---@return string? # its code: EEXISTS when there is such a file
function robotalk_Robot:record(path, options) end

---Plays the joints of a recording at their times, from its first pose, to which they move slowly. Returns when it is over.
---@param path string # 
---@param options? robotalk.PlayOptions # 
---@return robotalk.Report? # as of finish
---@return string[]|string|nil # names of recorded joints that the robot lacks; or what failed
---@return string? # its code: ERANGE when it is far from the first pose, ESTOPPED when it was stopped
function robotalk_Robot:play(path, options) end

---Writes a line to the log, with the robot's name.
---@param ... any # the text, as for print
function robotalk_Robot:log(...) end

---Calls fn, as a task, for each notice of the server: panicked and reset (with the name of the client that did it, if one did), deadman, stopped, paused, resumed, override, leases, asked, answered, lost,
---held, settled, changed, latched (the number of the stop; 0: it is over), fallen (1: it lies; 0: it is upright again), blocked (1: something keeps the base from moving as commanded, and its name; 0: nothing does), shutdown, removed; and fault, with its text: for a command that cannot be read, or a mode that has failed.
---@param fn fun(what: string, value: integer, words: string?) # 
function robotalk_Robot:on_notice(fn) end

---Ends the connection and its sessions, as close of a session does.
function robotalk_Robot:close() end

---The codec of the RoboTalk wire: robotalk.wire. A package is { header = {…}, entries = { {…}, … } }, in the form of the golden vectors (tests/wire): types, ops, signals and reasons are words (numbers where there is no word), instants are seconds or false, other fields as in spec/messages.md. Rows of bytes are strings, a u64 is the integer of the same bits; a move is { place | speed = { x, y, theta }, setpoints = { dofs, value, velocity, limit }, speeds, forces, frames = { { frame, servo, free, values } } }.
---@class robotalk.wire
local wire = {}

---Reads a package. For an invalid package a fourth value locates the error: { offset = byte of the header or entry,
---entry = its number, field }.
---@param bytes string # the received bytes
---@param at? integer # first byte of the package, 1 by default
---@return table|false|nil # the package; false: more bytes are needed; nil: the package is invalid
---@return integer|string? # the position after it; or the error
---@return string? # its code, for example ELINK or ETIMEOUT
---@return table? # location of the error
function wire.decode(bytes, at) end

---Writes a package. magic, version, count and size of the header are filled in. Missing fields are 0, a missing stamp
---unknown, a missing start at once. A value that is no package raises.
---@param package table # header and entries
---@return string? # its bytes; nil for a number that the wire cannot carry (ERANGE), or too many bytes (EFULL)
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
---@return table? # location of the error: entry, field
function wire.encode(package) end

---Which joint gets the next message on a bus (paper 004, docs/ordering.md): robotalk.ordering.
---@class robotalk.ordering
local ordering = {}

---A schedule of the bus of a limb at rest.
---@param options table # joints: how many, up to 512; order: planned (the default up to 10), optimal (beyond), greatest, sequential, updated, synchronised, predictive; rows (6): speeds that make up the task; weights: of a unit of each row's error (1); least: below this weighted error of every joint no message is sent; damping (0.001); most_messages (4 a joint), most_age (s; 0: none): after which a joint gets a message in any case
---@return robotalk.ordering.Schedule # 
function ordering.open(options) end

---The known state of the joints of a limb on a bus. Joints are numbers from 1; a Jacobian is a list of rows with one number for each joint.
---@class robotalk.ordering.Schedule
local robotalk_ordering_Schedule = {}

---The next message, when every joint should have a speed: { kind = send or store, joint, value }, { kind = synchronise };
---false: no message would reduce the error.
---@param jacobian number[][] # as model:jacobian returns it, with further rows if any
---@param speeds number[] # of the joints
---@param now number # s
---@return table|false|nil # the choice
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_ordering_Schedule:pick(jacobian, speeds, now) end

---The same for speeds of the task, of at most 64 joints: those of the joints are their least-squares solution. pick takes more.
---@param jacobian number[][] # as above
---@param wanted number[] # a speed for each row
---@param now number # s
---@return table|false|nil # the choice
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_ordering_Schedule:choose(jacobian, wanted, now) end

---Records that the message was sent: from now on the joint is assumed to have this speed.
---@param choice table # as returned by pick
---@param now number # s
function robotalk_ordering_Schedule:sent(choice, now) end

---Records that the message to the joint was lost: it is repeated first.
---@param joint integer # from 1
function robotalk_ordering_Schedule:lost(joint) end

---When a joint must get a message in any case.
---@return number? # s; nil without most_age
function robotalk_ordering_Schedule:due() end

---The last speed that each joint was sent.
---@return number[] # 
function robotalk_ordering_Schedule:speeds() end

---Golog programs: require "robotalk.golog"; docs/golog.md. A program is an action, a list of programs, a function that returns one, or the result of these.
---@class robotalk.golog
---@field nothing table # the program that does nothing
local golog = {}

---A domain: the facts known of a world, and the actions possible in it.
---@return robotalk.golog.Domain # 
function golog.domain() end

---Programs one after the other; a list is the same.
---@param ... any # programs
---@return table # a program
function golog.seq(...) end

---A step that is possible while the condition holds.
---@param cond fun(): any # or a fluent
---@param name? string # for explanations
---@return table # a program
function golog.test(cond, name) end

---One of the programs.
---@param ... any # programs
---@return table # a program
function golog.choice(...) end

---A program for one of the objects.
---@param objects any # a list, a relation, or a function that gives one
---@param body fun(x: any): any # the program
---@return table # a program
function golog.pick(objects, body) end

---A program any number of times.
---@param body any # a program
---@return table # a program
function golog.star(body) end

---If the condition holds, the first program, otherwise the second.
---@param cond fun(): any # or a fluent
---@param does any # a program
---@param otherwise? any # a program
---@return table # a program
function golog.when(cond, does, otherwise) end

---Repeats a program while the condition holds.
---@param cond fun(): any # or a fluent
---@param body any # a program
---@return table # a program
function golog.loop(cond, body) end

---A procedure: called with arguments it is the program that fn returns.
---@param name string # for explanations
---@param fn fun(...): any # returns the program
---@return fun(...): table # the procedure
function golog.proc(name, fn) end

---Programs at the same time: their steps in any order.
---@param ... any # programs
---@return table # a program
function golog.both(...) end

---Programs at the same time; each runs only when none before it can make a step.
---@param ... any # programs
---@return table # a program
function golog.prior(...) end

---Any number of copies of a program at the same time.
---@param body any # a program
---@return table # a program
function golog.each(body) end

---Runs the program whenever the condition holds: (cond, program), or (objects, cond, function that returns the program).
---@param ... any # 
---@return table # a program
function golog.interrupt(...) end

---Runs the program as long as the condition holds; then the program has ended, and its command is cancelled.
---@param cond fun(): any # or a fluent
---@param body any # a program
---@return table # a program
function golog.guarded(cond, body) end

---Runs the program, and after each of its actions the rules to their end.
---@param rules any # a program
---@param body any # a program
---@return table # a program
function golog.rules(rules, body) end

---Runs the program, but only along a path that search has found to lead to its end.
---@param body any # a program
---@param options? table # depth, nodes, deepen, branches
---@return table # a program
function golog.search(body, options) end

---An action that begins no earlier than a time; a command is executed at that time.
---@param seconds number # from the begin of the run
---@param action table # with its arguments
---@return table # a program
function golog.at(seconds, action) end

---The whole numbers from low to high, to pick from.
---@param low integer # 
---@param high integer # 
---@return integer[] # 
function golog.range(low, high) end

---Fluents and actions.
---@class robotalk.golog.Domain
---@field signal string? # signal of the last command
---@field why string? # its reason
---@field stop_interrupts function # an action that ends all interrupts
local robotalk_golog_Domain = {}

---A fluent without arguments: f() reads it, f:set(value) writes it inside an effect.
---@param name string # 
---@param initial? any # 
---@return function # the fluent
function robotalk_golog_Domain:fluent(name, initial) end

---A fluent with one to three arguments: r(a, b), r:set(a, b, value), r:any(), r:each().
---@param name string # 
---@param initial? table # values by the first argument, then by the second
---@return function # the relation
function robotalk_golog_Domain:relation(name, initial) end

---A primitive action: called with arguments it is a program of one step.
---@param name string # 
---@param spec? table # pre, effect, outcome; command, run or sense; assume, tells; robot, duration, stops
---@return fun(...): table # the action
function robotalk_golog_Domain:action(name, spec) end

---An action of the world.
---@param name string # 
---@param effect fun(...) # 
---@return fun(...): table # the action
function robotalk_golog_Domain:exogenous(name, effect) end

---Reports that an exogenous action has happened.
---@param what table # the action with its arguments
function robotalk_golog_Domain:happens(what) end

---Searches for a path through a program without executing anything.
---@param what any # a program
---@param options? table # depth, nodes, deepen, branches
---@return robotalk.golog.Plan? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_golog_Domain:plan(what, options) end

---Explains why there is no plan.
---@param what any # a program
---@param options? table # depth, nodes, lines, branches
---@return string # a tree of the attempts
function robotalk_golog_Domain:explain(what, options) end

---Runs a program in the task that calls it.
---@param what any # a program
---@param options? table # robot, poll, patience (s), depth, nodes, log
---@return table # the steps: label, start, stop, word; done, or word and why; has a readable tostring
function robotalk_golog_Domain:run(what, options) end

---A list of actions, each with name, label, start, seconds, robot, command, arguments; it prints as a table.
---@class robotalk.golog.Plan
---@field seconds number # its duration
---@field branches table[]? # its continuations: value (the outcome of its last action) and plan
local robotalk_golog_Plan = {}

---Checks the plan step by step without executing anything.
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
---@return integer? # the action that cannot be done
function robotalk_golog_Plan:rehearse() end

---Sends the robot its actions of the plan in advance, as commands with start times.
---@param robot robotalk.Robot # 
---@param options? table # spacing (s), and those of a session
---@return table? # as Session:finish
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_golog_Plan:play(robot, options) end

---Behaviour trees: require "robotalk.tree"; docs/tree.md. A node is made by a table: name and options, and children, which are nodes or functions. A leaf succeeds when it returns true or SUCCESS. A failure is false, nil or another signal, and a reason.
---@class robotalk.tree
local tree = {}

---Runs one child after the other, until one fails.
---@param children table # name; nodes or functions
---@return robotalk.tree.Node # the node
function tree.sequence(children) end

---Runs one child after the other, until one succeeds.
---@param children table # name; nodes or functions
---@return robotalk.tree.Node # the node
function tree.fallback(children) end

---Runs all children at the same time, until the result is decided; the others are cancelled.
---@param children table # name, need: how many have to succeed (all); nodes or functions
---@return robotalk.tree.Node # the node
function tree.parallel(children) end

---Runs a child while a condition holds; otherwise the child is cancelled and the guard fails.
---@param child table # name, when: the function, returns as a leaf; period: between two checks (0.05 s); the child
---@return robotalk.tree.Node # the node
function tree.guard(child) end

---Cancels a child after a time, and fails then.
---@param child table # name, seconds; the child
---@return robotalk.tree.Node # the node
function tree.timeout(child) end

---Repeats a child when it fails.
---@param child table # name, times: at most (no limit), pause: between them (s); the child
---@return robotalk.tree.Node # the node
function tree.retry(child) end

---Repeats a child when it succeeds.
---@param child table # name, times: number of runs, after which it succeeds (no limit), pause: between them (s); the child
---@return robotalk.tree.Node # the node
function tree.loop(child) end

---Fails when its child succeeds, and the other way round.
---@param child table # name; the child
---@return robotalk.tree.Node # the node
function tree.invert(child) end

---Runs its child, and succeeds.
---@param child table # name; the child
---@return robotalk.tree.Node # the node
function tree.succeed(child) end

---Runs its child, and fails.
---@param child table # name; the child
---@return robotalk.tree.Node # the node
function tree.fail(child) end

---A leaf with a name; a function among the children is one without.
---@param leaf table # name; the function
---@return robotalk.tree.Node # the node
function tree.action(leaf) end

---A leaf that gives a robot a command and waits for its result.
---@param robot robotalk.Session # or a robot
---@param op string # go_to, set_joint …
---@param ... any # arguments of that command
---@return robotalk.tree.Node # the node
function tree.command(robot, op, ...) end

---A node of a behaviour tree. It prints as a line for each node below it.
---@class robotalk.tree.Node
---@field name string # 
---@field kind string # sequence, guard, action …
local robotalk_tree_Node = {}

---Runs the node and its children in this task. When the task is cancelled, the node is halted.
---@return boolean # whether it has succeeded
---@return string? # the reason of a failure: the names of the nodes down to the leaf, and the leaf's reason
function robotalk_tree_Node:run() end

---The state of the node, and of the nodes below it.
---@return table # name, kind, state (idle, running, success, failure, halted, error), why, since (as robotalk.now()), runs, succeeded, failed, halted: how often; children
function robotalk_tree_Node:state() end

---The first node of that name, itself or below it.
---@param name string # 
---@return robotalk.tree.Node? # 
function robotalk_tree_Node:find(name) end

---Calls fn whenever its state, or that of a node below it, changes.
---@param fn fun(node: robotalk.tree.Node) # must not wait
function robotalk_tree_Node:on_change(fn) end

---The actions of paper 002: require "robotalk.aibo".new(robot, { field, camera, motions, model }); docs/aibo.md. at: as robotalk.now(), 0 for now.
---@class robotalk.Aibo
local robotalk_Aibo = {}

---Values of joints (degrees), sensors and buttons.
---@param list string[] # GTI's atoms or Tekkotsu's names
---@param at? number # s
---@return number[]? # in that order
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Aibo:query_sensors(list, at) end

---A ball in the camera's picture.
---@param colour string # 
---@param at? number # s
---@param options? table # pixels
---@return boolean # visible
---@return number|string|nil # x of its middle, -1 to 1 across the picture, or pixels; or the reason why the camera delivers no picture
---@return number|string|nil # y of its middle; or a code
---@return number? # its area in the squares of these
function robotalk_Aibo:query_ball(colour, at, options) end

---Scans with the head, and leaves it pointing at the ball.
---@param colour string # 
---@param at? number # s
---@return boolean # found
---@return string? # why the head could not scan
function robotalk_Aibo:search_ball(colour, at) end

---Turns the head towards a ball by half of the remaining angle.
---@param colour string # 
---@return table # the ball in the camera's picture
function robotalk_Aibo:track(colour) end

---Turns the head until a ball is in the middle of the picture.
---@param colour string # 
---@param seconds? number # at most (2)
---@return boolean # whether the ball is there
---@return string? # why the head could not turn
function robotalk_Aibo:point_at(colour, seconds) end

---The position of a visible ball, from the body's middle.
---@param colour string # 
---@param diameter? number # m (0.08)
---@return number? # m ahead
---@return number? # m to the left
function robotalk_Aibo:place_of_ball(colour, diameter) end

---Moves joints at the same time.
---@param list table[] # { name, degrees, speed = percent }
---@param at? number # s
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Aibo:move_joints(list, at) end

---Plays a motion sequence file.
---@param file string # 
---@param at? number # s
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Aibo:motion(file, at) end

---Walks until changed.
---@param dx number # mm/s
---@param dy number # mm/s
---@param da number # rad/s
---@param at? number # s
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Aibo:walk(dx, dy, da, at) end

---Walks for a time.
---@param dx number # mm/s
---@param dy number # mm/s
---@param da number # rad/s
---@param seconds number # 
---@param at? number # s
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Aibo:walk_for(dx, dy, da, seconds, at) end

---Whether it walks by a command given here.
---@return boolean # 
function robotalk_Aibo:walks() end

---The same dog for another source of commands.
---@return robotalk.Aibo # 
function robotalk_Aibo:another() end

---Ends all actions begun here: motions in progress stop where they are.
function robotalk_Aibo:leave() end

---Gets up after a fall (docs/physics.md), and stands at home.
---@param at? number # s
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Aibo:get_up(at) end

---Stands.
---@param at? number # s
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Aibo:stop_walk(at) end

---Translators between a device's own format and the standard one, and pairs of devices and a robot's objects: require "robotalk.translator"; docs/translators.md.
---@class robotalk.translator
local translator = {}

---The names of the bundled and the added translators, in order.
---@return string[] # 
function translator.names() end

---The text of a bundled or added translator, as a server gives it to clients.
---@param name string # 
---@return string? # nil: there is none of that name
function translator.source(name) end

---Adds a custom translator from a file, under the file's name; it takes precedence over a bundled one of the same name.
---@param path string # a Lua file
---@return string? # its name
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function translator.add(path) end

---The translators that a server gives to clients: the bundled ones that require no other module, and the added ones of those names.
---@param names? string[] # of added ones
---@return table[]? # path, type and bytes of each
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function translator.files(names) end

---The texts of a robot's translators, from the RCTP server that has its RCML file.
---@param url string # rctp://HOST[:PORT]
---@param options? table # names (all by default); token or token_file, for a server that requires one
---@return table<string, string>? # by name, for pair, join and contained
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function translator.fetch(url, options) end

---Opens a translator by its name, or from a table such as its file returns. Raises for an unknown name, and for an option
---that the translator does not have.
---@param what string|robotalk.TranslatorFile # 
---@param context? table # its options, and object, device and model (kinematics), which every translator may receive
---@return robotalk.Translator? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function translator.open(what, context) end

---Opens a text from an untrusted source, such as a robot's, in a sandbox: it sees arithmetic, texts, lists and its context. A
---call has 1 MiB, 200,000 instructions and 5 ms. A translator that exceeds them, or returns invalid values, is ended.
---@param text string # at most 64 KiB
---@param name string # letters, digits and _
---@param context? table # as of open; plain values, except the model
---@return robotalk.Translator? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function translator.contained(text, name, context) end

---Assigns devices to objects, by type, direction, dofs and units (paper 001, 4.3.2).
---@param devices robotalk.Device[] # of the user
---@param objects robotalk.Object[] # of the robot
---@param texts? table<string, string> # texts of the robot's own translators, by name
---@return robotalk.Pairs # the pairs, and the unmatched devices and objects, each with the reason
function translator.pair(devices, objects, texts) end

---The objects of a robot: its base, joints, all joints in one, control frames; for each of these an object with the suffix
---_state, which reports its position; its cameras.
---@param robot robotalk.Robot # 
---@return robotalk.Object[] # as in RCML files
function translator.objects(robot) end

---Joins a pair on a robot.
---@param pair table # of translator.pair
---@param robot robotalk.Robot # or a session
---@param texts? table<string, string> # as of pair; these run in a sandbox
---@return robotalk.Link? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function translator.join(pair, robot, texts) end

---A user's device joined to a robot's object: the result of translator.join.
---@class robotalk.Link
local robotalk_Link = {}

---Sends values of the device as a command. Values that cannot be translated are not sent.
---@param values any # of the device
---@return string|integer? # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link is lost
---@return string? # the reason, as text
---@return robotalk.Result|string? # the whole result; or the code of the failure
function robotalk_Link:put(values) end

---The present values of the robot, in the device's format.
---@param present? number[] # the device's own values, from which a search begins
---@param options? table # of a camera's frame
---@return any # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Link:get(present, options) end

---Ends its translator; the robot stays.
function robotalk_Link:close() end

---Behaviours between a client of USARSim and a robot: require "robotalk.bridge"; docs/bridge.md.
---@class robotalk.bridge
---@field quit robotalk.Behaviour # ends the client's connection, by its message QUIT
---@field parse robotalk.Behaviour # reads new lines, and sets the requests that the others carry out
---@field drive robotalk.Behaviour # passes on the velocity of the base, and joint goals
---@field ptz robotalk.Behaviour # passes on goals of the joints that carry a camera
local bridge = {}

---A behaviour that sends the newest picture of a camera to an image server, at its pace.
---@param options? { every: number?, to: string?, camera: string?, width: integer?, height: integer?, quality: integer? } # every: s between two pictures (0.1); to: the server (images://localhost); camera: its name (the first); width, height, quality as of camera:watch
---@return robotalk.Behaviour # 
function bridge.images(options) end

---Makes a bridge, which a script of --bridge returns.
---@param options { behaviours: robotalk.Behaviour[], robot: string? } # behaviours run in that order, quit first; robot: its name (the first)
---@return robotalk.Bridge # 
function bridge.new(options) end

---Whether a value is a bridge.
---@param value any # 
---@return boolean # 
function bridge.is(value) end

---One of a bridge.
---@class robotalk.Behaviour
---@field name string # its name
---@field active boolean # whether step is called
---@field step fun(self: robotalk.Behaviour, bridge: robotalk.Bridge, now: number) # one cycle; an error in it stops the robot
---@field stop (fun(self: robotalk.Behaviour, bridge: robotalk.Bridge))? # earlier commands have ended: a client has connected or disconnected, the robot was stopped, is in panic, or was reset
---@field messages table<string, fun(self: robotalk.Behaviour, bridge: robotalk.Bridge, message: robotalk.BridgeMessage)>? # custom messages, by type in upper case; also to replace a known one
local robotalk_Behaviour = {}

---A line of a client: { name, value } for each of its groups, in their order.
---@class robotalk.BridgeMessage
---@field type string # in upper case
---@field line string # the whole line
local robotalk_BridgeMessage = {}

---The value of the first group of that name, ignoring case.
---@param name string # 
---@return string? # nil: there is none
function robotalk_BridgeMessage:get(name) end

---The same as a number.
---@param name string # 
---@return number? # nil: it is no number
function robotalk_BridgeMessage:number(name) end

---The same as true or false.
---@param name string # 
---@return boolean? # nil: it is neither
function robotalk_BridgeMessage:flag(name) end

---A bridge, as its behaviours see it.
---@class robotalk.Bridge
---@field robot robotalk.Robot # for reading: the client holds its lease, so commands by this object are BUSY
---@field state robotalk.State # of this cycle
---@field user string? # the client's name for the robot; nil: there is no client
---@field panic boolean # whether the robot is in panic
---@field wish table # requests of this cycle so far: velocity = { x, y, z, theta } or nil
local robotalk_Bridge = {}

---Requests a velocity of the base. A later request in the same cycle replaces it. It lasts until the next one.
---@param velocity table # x, y, z, m/s; theta, rad/s; missing values are 0
function robotalk_Bridge:set_speed(velocity) end

---Requests positions of dofs of a joint.
---@param joint string # 
---@param values table|number # rad or m by dof; a number for the joint's first
function robotalk_Bridge:set_joint(joint, values) end

---Requests speeds of dofs of a joint.
---@param joint string # 
---@param values table|number # rad/s or m/s by dof
function robotalk_Bridge:set_joint_speed(joint, values) end

---Requests a set-point, speed or force of a dof.
---@param goal table # dof: its number, from 1; value; servo: setpoint, speed or force
function robotalk_Bridge:set_dof(goal) end

---Stops all motions, and drops the requests of this cycle.
function robotalk_Bridge:stop() end

---Ends the client's connection; the robot stops.
function robotalk_Bridge:quit() end

---Sends lines to the client.
---@param text string # 
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Bridge:say(text) end

---Sends a RES message to the client.
---@param type string # 
---@param good boolean # 
---@param why? string # the reason of a failure
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Bridge:answer(type, good, why) end

---The behaviour of that name.
---@param name string # 
---@return robotalk.Behaviour? # 
function robotalk_Bridge:find(name) end

---The behaviour that handles messages of that type.
---@param type string # in upper case
---@return robotalk.Behaviour? # 
function robotalk_Bridge:taker(type) end

---Calls the function that a behaviour has for a message; for a custom parser.
---@param taker robotalk.Behaviour # 
---@param message robotalk.BridgeMessage # 
function robotalk_Bridge:deliver(taker, message) end

---The new lines of this cycle; for a custom parser.
---@return fun(): string? # 
function robotalk_Bridge:lines() end

---Interprets a line as requests to the robot.
---@param line string # 
---@return table? # stops, velocity, and a list of goals as of set_dof, with camera: whether the dof carries one; nil: the line moves nothing
---@return string? # the reply to the client
function robotalk_Bridge:mean(line) end

---Passes a line that moves nothing to the server, which answers it.
---@param line string # 
---@return true? # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Bridge:pass(line) end

---Runs the bridge in a program that serves by itself; the server runs scripts of --bridge.
---@return nil # 
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Bridge:run() end

---An open translator.
---@class robotalk.Translator
local robotalk_Translator = {}

---Translates values of the device into the standard format. Raises for values that the device cannot have.
---@param values any # a list of numbers; a text; a picture
---@return any # a list of numbers; a text; a picture; nil: the translator refuses (ERANGE) or has failed (EFAILED), with its line
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Translator:to_standard(values) end

---Translates values of the standard format into those of the device.
---@param values any # a list of numbers; a text; a picture
---@param present? number[] # the present values of the device: a search for a posture begins there
---@return any # a list of numbers; a text; a picture
---@return string? # what went wrong
---@return string? # its code, for example ELINK or ETIMEOUT
function robotalk_Translator:from_standard(values, present) end

---Ends the translator; a sandboxed one frees its memory.
function robotalk_Translator:close() end

---The table that a translator's file returns.
---@class robotalk.TranslatorFile
---@field name string? # its name (that of the file)
---@field doc string? # its purpose
---@field options table<string, string>? # fields of the context that it accepts, and their meaning
---@field from robotalk.Format? # format of the device
---@field to robotalk.Format? # the standard format
---@field open (fun(context: table): true?, string?)? # called first; nil, why: the translator refuses
---@field to_standard (fun(values: any, context: table): any, string?)? # returns the values; nil, why: it cannot translate them
---@field from_standard (fun(values: any, context: table): any, string?)? # returns the values; nil, why: it cannot translate them. context.present: the present values of the device, or false
local robotalk_TranslatorFile = {}

---A format of values.
---@class robotalk.Format
---@field type string # control, video, audio, text or binary
---@field dofs integer|table|nil # number of values; or a list of names or { name =, unit = }; by default any number
---@field unit string? # of all dofs
local robotalk_Format = {}

---A user's device.
---@class robotalk.Device
---@field name string # 
---@field type string # control, video, audio, text or binary
---@field direction string? # input: it delivers values (the default); output: it shows them
---@field dofs integer|table|nil # of control: number of values; or a list of names or { name =, unit =, range = }
---@field unit string? # of all dofs
---@field translator string? # name of the translator from its format to the standard one
---@field options table? # of the translator
---@field model robotalk.Model? # its kinematics, for the translator
---@field object string? # the only object that it may be joined to
local robotalk_Device = {}

---A part of a robot that accepts or reports values (paper 001, 2.2).
---@class robotalk.Object
---@field name string # 
---@field type string # as of a device
---@field direction string? # input: it accepts commands (the default); output: it reports values
---@field translator string? # as in its RCML node
---@field parameters table[]? # of control: { name =, unit =, range = { low, high }, scale =, type = "float", control = "h_scroll" }
---@field part string? # of a connected robot: base, joint, joints, frame or camera
---@field of string? # the name of that joint, control frame or camera
---@field op string? # the command for a control frame
local robotalk_Object = {}

---The result of translator.pair.
---@class robotalk.Pairs
---@field pairs table[] # in the order of the objects: device, object, translator (its name, if one is needed), order (for each parameter its index in the device's standard values), dof and type, as in ASSIGN
---@field devices table[] # left over: device, why, code (406 it fits no object, 409 another device has the object, 404 there is no such object)
---@field objects table[] # left over: object, why
local robotalk_Pairs = {}

---A floor with balls: require "robotalk.field".open{ balls, walls, noise, seed, slows }.
---@class robotalk.Field
local robotalk_Field = {}

---Places a robot of this process on the floor.
---@param robot robotalk.Robot # 
function robotalk_Field:add(robot) end

---The position and speed of a ball.
---@param colour string # 
---@return table? # x, y (m), speed (m/s), rolled: the whole distance that it has rolled (m), diameter (m); nil when there is none
function robotalk_Field:ball(colour) end

---A ball in the picture of a robot's camera.
---@param robot robotalk.Robot # 
---@param colour string # 
---@param options? table # camera, pixels
---@return table # visible, x, y, area, width, height, clipped, distance, frame
function robotalk_Field:see(robot, colour, options) end

---Advances the field by dt; the runtime's clock normally does this.
---@param dt number # s
function robotalk_Field:step(dt) end

---Ends it.
function robotalk_Field:close() end

---The table that a descriptor file returns: a robot. SI units.
---@class robotalk.Descriptor
---@field name string # its name
---@field model? string # its body, for people
---@field from? string # another descriptor in Lua on which this one is based; its own fields override it: a bundled one, or a path relative to this file
---@field deadman? number # silence of its client after which it stops; 0: none; default: 0.5
---@field deadman_limit? number # longest deadman time that a client may request; default: 5
---@field gap_limit? number # longest time between two frames that a buffered session may request; a longer one counts as silence; default: 5
---@field panic? string|table<string, table<string, number>> # effect of a halt on this body: hold (servos stay on; the default), brake (within the acceleration limits), limp (motors off), or a posture to retreat to
---@field base? robotalk.descriptor.base # the mobile base, which moves the root link over the floor; without it go_to and set_speed answer na
---@field battery? robotalk.descriptor.battery # its battery; use discharges it
---@field bus? robotalk.descriptor.bus # the bus that its joints are on
---@field links? table<integer, robotalk.descriptor.link> # rigid bodies; link 0 is the root
---@field joints? table<integer, robotalk.descriptor.joint> # joint 0 is the root's own, and is only needed if it has dofs
---@field frames? table<integer, robotalk.descriptor.frame> # control frames; frame 0 is the root link's own
---@field cameras? robotalk.descriptor.camera[] # they point along the x axis of their frames
---@field sensors? robotalk.descriptor.sensor[] # they point along the x axis of their frames
---@field widgets? robotalk.descriptor.widget[] # controls of an operator's panel
---@field drivers? table<string, robotalk.descriptor.driver> # its drivers; joints and base refer to them by name
---@field rcml? table # objects and parameters of the RCML file that it was read from, for `convert` to a .wrl file; default: derived from the robot
---@field commands? string[] # names of the commands that it supports; default: those that base, joints and frames allow

---Part of a descriptor.
---@class robotalk.descriptor.base
---@field driver? string # entry of drivers, or a driver's name; default: sim
---@field holonomic? boolean # it can move sideways
---@field speed? { x: number?, y: number?, theta: number? } # greatest: x, y m/s, theta rad/s
---@field acceleration? { x: number?, y: number?, theta: number? } # greatest: x, y m/s2, theta rad/s2
---@field translator? string # name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor; default: none

---Part of a descriptor.
---@class robotalk.descriptor.battery
---@field capacity? number # of the full battery
---@field voltage? number # of the full battery

---Part of a descriptor.
---@class robotalk.descriptor.bus
---@field rate? number # messages a second that it carries; default: 1000 for drivers of buses
---@field order? string # which joint gets the next message (paper 004); with none, commands go straight to the drivers; default: planned up to 10 dofs, optimal beyond
---@field max_age? number # longest time between messages to a joint: less than the watchdogs of its controllers
---@field weights? robotalk.descriptor.weights # weights of errors in the choice of the next message

---Part of a descriptor.
---@class robotalk.descriptor.weights
---@field x? number # of a control frame's speed along the root's x; default: 1
---@field y? number # along y; default: 1
---@field z? number # along z; more where it presses against something stiff; default: 1
---@field roll? number # about x: lever that converts a rotation into a distance; default: 0.4
---@field pitch? number # lever about y; default: 0.4
---@field yaw? number # lever about z; default: 0.4
---@field joints? number # lever of a revolute dof that no control frame moves; default: 0.4

---Part of a descriptor.
---@class robotalk.descriptor.link
---@field name? string # its name; default: that of its joint
---@field mass? number # 0: not known
---@field com? number[] # centre of mass in the link's frame
---@field inertia? number[] # about the centre of mass, along the link's axes
---@field position? number[] # roots only: in the world
---@field attitude? number[] # roots only: in the world
---@field shapes? robotalk.descriptor.shape[] # its appearance and hull

---Part of a descriptor.
---@class robotalk.descriptor.shape
---@field type string # cylinders and capsules lie along z
---@field size? number[] # box: along x, y, z; cylinder: radius, length; sphere: radius; mesh: scale; capsule: radius, length without its round ends. One number for a box or a mesh: all three
---@field position? number[] # in the link's frame
---@field attitude? number[] # rotation against the link's frame
---@field colour? string # #rrggbb or #rrggbbaa
---@field file? string # of a mesh
---@field solid? boolean # for collisions and not for pictures
---@field roll? string # for a shape that carries the root link, with physics: a wheel or an omni wheel (cylinders), which the base drives, or a caster (a sphere); default: none
---@field friction? number # coefficient of sliding friction, with physics: of two touching things the lower one counts; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.joint
---@field name? string # its name; default: joint1, joint2, …
---@field parent? integer|string # or "world"; default: the link before its child
---@field child? integer|string # default: the link with the joint's number
---@field driver? string # entry of drivers, or a driver's name; default: sim
---@field servo? string|string[] # default: setpoint and speed for the drivers sim, physics and walk, otherwise setpoint
---@field leg? integer # number of the leg that it belongs to, for walking
---@field inboard? number[] # position of the joint from the parent's centre of mass, along the parent's axes
---@field outboard? number[] # position of the joint from the child's centre of mass, along the child's axes
---@field position? number[] # instead of these two: position of the joint in the parent's frame; it is the origin of the child's frame
---@field rest? number[] # rotation from the joint's axes to the parent's when all dofs are 0
---@field dofs? robotalk.descriptor.dof[] # 1 to 6, in the order in which they act, beginning at the parent
---@field translator? string # name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor; default: none

---Part of a descriptor.
---@class robotalk.descriptor.dof
---@field name? string # its name; default: that of its joint, or one after its axis
---@field type? string # default: revolute
---@field axis? number[] # in the joint's frame; default: z
---@field limit? number[] # default: none
---@field speed? number|number[] # greatest; 0: not known
---@field acceleration? number|number[] # greatest; 0: not known
---@field force? number|number[] # greatest; 0: not known
---@field home? number # its position after home and at the start; default: 0
---@field mimic? robotalk.descriptor.mimic # it follows another dof and accepts no commands

---Part of a descriptor.
---@class robotalk.descriptor.mimic
---@field joint string # name of the joint that it follows
---@field dof? string # name of the dof there; default: the first
---@field ratio? number # default: 1
---@field shift? number # its position is ratio * the other's position + shift

---Part of a descriptor.
---@class robotalk.descriptor.frame
---@field name string # its name
---@field link integer|string # the link that it is fixed to
---@field position? number[] # in the link's frame
---@field attitude? number[] # rotation against the link's frame
---@field servo? string|string[] # default: those of setpoint and speed that its joints accept
---@field speed? number|number[] # greatest; 0: not known
---@field turn? number|number[] # greatest; 0: not known
---@field translator? string # name of the translator, as for a joint; default: pose

---Part of a descriptor.
---@class robotalk.descriptor.camera
---@field name string # its name
---@field link integer|string # the link that it is fixed to
---@field position? number[] # in the link's frame
---@field attitude? number[] # rotation against the link's frame
---@field width? integer # pixels
---@field height? integer # pixels
---@field fov? number # horizontal field of view
---@field rate? number # pictures a second
---@field translator? string # name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor; default: none
---@field driver? string # entry of drivers, or a driver's name, that gives its pictures; default: that of the base, otherwise of the first joint

---Part of a descriptor.
---@class robotalk.descriptor.sensor
---@field name string # its name
---@field link integer|string # the link that it is fixed to
---@field position? number[] # in the link's frame
---@field attitude? number[] # rotation against the link's frame
---@field type string # one of the kinds of docs/sensors.md (sonar, laser, bumper, imu, …), or a custom type
---@field range? number[] # least and greatest reading, in its unit
---@field opening? number # opening angle; 0: a ray
---@field unit? string # of its readings
---@field count? integer # number of values: ranges of a scan, switches of a bumper; default: 1
---@field rate? number # readings a second; default: that of its kind
---@field fov? number # of a scan: angle from the first beam, on the right, to the last
---@field values? string # of a custom type: names of its values, separated by spaces; default: value
---@field translator? string # name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor; default: none
---@field noise? number|number[] # simulated: standard deviation of each reading, in its unit
---@field noise_scale? number # simulated: further standard deviation, as a share of the reading
---@field bias? number|number[] # simulated: constant that is added to each reading, in its unit
---@field resolution? number|number[] # simulated: readings are multiples of this step, in their unit
---@field dropout? number # simulated: probability that a reading is missing; for a range, that it reports no obstacle
---@field latency? number # simulated: delay of a reading
---@field slip? number # simulated odometry: standard deviation of the distance counted after 1 m, m, and of the rotation, rad
---@field driver? string # entry of drivers, or a driver's name, that gives its readings; default: that of the base, otherwise of the first joint

---Part of a descriptor.
---@class robotalk.descriptor.widget
---@field name string # its label
---@field type string # its appearance
---@field command? string # the command that it gives
---@field joint? string # name of the joint that it is for
---@field dof? string # name of the dof that it is for
---@field range? number[] # least and greatest value; default: those of the dof
---@field step? number # smallest change; 0: none

---Part of a descriptor.
---@class robotalk.descriptor.driver
---@field driver? string # the driver's name, or the path of a shared object, with a slash, relative to the descriptor; default: the name of the entry
---@field script? string # path of the script of a driver in Lua

---Part of a descriptor.
---@class robotalk.descriptor.world
---@field floor? robotalk.descriptor.floor # the floor under the robots; there is always one
---@field walls? robotalk.descriptor.wall[] # along their points
---@field boxes? robotalk.descriptor.block[] # cuboids
---@field pillars? robotalk.descriptor.pillar[] # cylinders, upright unless they have an attitude
---@field balls? robotalk.descriptor.ball[] # spheres
---@field capsules? robotalk.descriptor.capsule[] # cylinders with round ends, upright unless they have an attitude
---@field ramps? robotalk.descriptor.ramp[] # plates that go up
---@field steps? robotalk.descriptor.stairs[] # stairs
---@field meshes? robotalk.descriptor.mesh[] # bodies from files of STL or OBJ
---@field marks? robotalk.descriptor.mark[] # lines that are painted on the floor
---@field lights? robotalk.descriptor.light[] # light sources; default: from above
---@field sky? robotalk.descriptor.sky # the background of camera pictures; default: a light one
---@field start? number[][] # { { x, y, heading, height }, … }: start places, in order, of robots that have no position of their own; height: of a table, for robots without a base
---@field view? robotalk.descriptor.view # default viewpoint of films
---@field gravity? number # downwards; default: 9.80665
---@field step? number # of physics; default: chosen by it

---Part of a descriptor.
---@class robotalk.descriptor.floor
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field other? string # of every second square or stripe
---@field texture? string # default: plain with one colour; checker with none or two
---@field tile? number # side of a square, width of a stripe; default: 0.5
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.wall
---@field points number[][] # its corners on the floor: { { x, y }, { x, y }, … }
---@field closed? boolean # it continues from the last point to the first
---@field height? number # default: 1
---@field thickness? number # default: 0.1
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.block
---@field size number[] # along x, y, z
---@field position number[] # of its middle on the floor
---@field raised? number # height of its lowest point above the floor
---@field heading? number # counter-clockwise from x
---@field attitude? number[] # instead of heading: rotation against the world
---@field name? string # its unique name
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field mass? number # with physics, a thing that has a mass can be moved; default: it is fixed
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.pillar
---@field radius number # its radius
---@field height? number # default: 1
---@field position number[] # of its middle on the floor
---@field raised? number # height of its lowest point above the floor
---@field heading? number # counter-clockwise from x
---@field attitude? number[] # instead of heading: rotation against the world
---@field name? string # its unique name
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field mass? number # with physics, a thing that has a mass can be moved; default: it is fixed
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.ball
---@field radius number # its radius
---@field position number[] # of its middle on the floor
---@field raised? number # height of its lowest point above the floor
---@field heading? number # counter-clockwise from x
---@field attitude? number[] # instead of heading: rotation against the world
---@field name? string # its unique name
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field mass? number # with physics, a thing that has a mass can be moved; default: it is fixed
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.capsule
---@field radius number # its radius
---@field length number # of its cylinder, without the ends
---@field position number[] # of its middle on the floor
---@field raised? number # height of its lowest point above the floor
---@field heading? number # counter-clockwise from x
---@field attitude? number[] # instead of heading: rotation against the world
---@field name? string # its unique name
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field mass? number # with physics, a thing that has a mass can be moved; default: it is fixed
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.ramp
---@field position number[] # of the middle of its lower edge
---@field heading? number # direction of the ascent
---@field width? number # default: 1
---@field length number # along the floor
---@field height number # difference between its edges
---@field raised? number # height of its lower edge above the floor
---@field thickness? number # below its face; default: 0.05
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.stairs
---@field position number[] # of the middle of its lower edge
---@field heading? number # direction of the ascent
---@field width? number # default: 1
---@field count integer # number of steps
---@field rise? number # of each step; default: 0.17
---@field depth? number # of each step; default: 0.28
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.mesh
---@field file string # STL or OBJ in metres, relative to the world's file; at most 8 MiB and 100000 triangles
---@field scale? number[] # along x, y, z, or one number for all; default: 1
---@field position number[] # of its middle on the floor
---@field raised? number # height of its lowest point above the floor
---@field heading? number # counter-clockwise from x
---@field attitude? number[] # instead of heading: rotation against the world
---@field name? string # its unique name
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind
---@field mass? number # with physics, a thing that has a mass can be moved; default: it is fixed
---@field friction? number # coefficient of sliding friction; default: 1

---Part of a descriptor.
---@class robotalk.descriptor.mark
---@field points number[][] # its corners: { { x, y }, { x, y }, … }
---@field closed? boolean # it continues from the last point to the first
---@field width? number # default: 0.05
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind

---Part of a descriptor.
---@class robotalk.descriptor.light
---@field position? number[] # its position; a sun needs none
---@field direction? number[] # in which it shines; default: downwards
---@field sun? boolean # it shines in that direction everywhere, not from its position
---@field colour? string # #rrggbb or #rrggbbaa; default: that of its kind

---Part of a descriptor.
---@class robotalk.descriptor.sky
---@field top? string # straight above: #rrggbb; default: as the horizon
---@field horizon? string # around, and below where the floor ends; default: as the top

---Part of a descriptor.
---@class robotalk.descriptor.view
---@field from number[] # position of the viewpoint
---@field to number[] # point in the middle of its picture

return robotalk
