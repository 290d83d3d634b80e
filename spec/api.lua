-- The Lua API as data: gen.lua makes the annotations for the language server of it (scripts/meta/robotalk.lua), and
-- tests/lua/api_test.lua compares it with what is there, both ways.
--
-- A class: { name, var = (a module's), doc, fields = { { name, type, doc } }, functions = { { name, doc, params =
-- { { name, type, doc } }, returns = { { type, doc } } } } }.

local WORD = {
  { "string|integer?", "SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC; a ticket in a mode that does not wait; nil when the link failed" },
  { "string?", "why, in words" }, { "robotalk.Result|string?", "the whole result; or the code of the failure" },
}
local FAIL = { "string?", "what went wrong" }
local CODE = { "string?", "its code, as ELINK or ETIMEOUT" }
local function start(doc) return { "options?", "table", doc or "start: when, in seconds of robotalk.now(); now by default" } end

return {
  classes = {
    {
      name = "robotalk", var = "robotalk", doc = "The module: require \"robotalk\".",
      fields = { { "version", "string", "of the program" } },
      functions = {
        { "connect", doc = "A robot of this process by name or descriptor file, or one at robotalk://host[:port]/robot, unix:PATH.",
          params = { { "name", "string", "name, file or address" },
            { "options?", "table", "timeout (s), reconnect (true), deadman (s), expiry (s or false), channel (a bad network)" } },
          returns = { { "robotalk.Robot?", "to be closed, or held by <close>" }, FAIL, CODE } },
        { "robot", doc = "Adds a robot to this process, to be connected to or served.",
          params = { { "what", "string|robotalk.Descriptor", "name, file or table" } },
          returns = { { "string?", "its name" }, FAIL, CODE } },
        { "serve", doc = "Serves the robots of this process.",
          params = { { "options?", "table", "listen: addresses (robotalk://localhost); most: connections at once" } },
          returns = { { "table?", "a server with :urls() and :close()" }, FAIL, CODE } },
        { "mode", doc = "Adds a command mode from a file, under the file's name.",
          params = { { "path", "string", "a Lua file" } }, returns = { { "string?", "its name" }, FAIL, CODE } },
        { "now", doc = "Seconds of the world's clock.", returns = { { "number", "seconds" } } },
        { "sleep", doc = "Lets the other tasks run for at least that long.", params = { { "seconds", "number", "0 or more" } } },
        { "spawn", doc = "Starts fn(...) as a task.", params = { { "fn", "function", "what it does" } },
          returns = { { "robotalk.Task", "the task" } } },
        { "self", doc = "The task that is running.", returns = { { "robotalk.Task?", "nil between tasks" } } },
        { "wait", doc = "Waits until somebody wakes the key.",
          params = { { "key", "any", "what to wait for" }, { "timeout?", "number", "seconds" } },
          returns = { { "true?", "and what was given to wake; nil, message, code when nothing came in time" }, FAIL, CODE } },
        { "wake", doc = "Wakes all that wait for the key, in the order in which they came.",
          params = { { "key", "any", "what they wait for" } } },
        { "run", doc = "Waits until all other tasks have ended, or for that long.",
          params = { { "seconds?", "number", "at most" } }, returns = { { "boolean", "whether they have ended" } } },
      },
    },
    {
      name = "robotalk.Task", var = nil, doc = "A task: a coroutine that waits without stopping the others.",
      functions = {
        { "cancel", doc = "Ends it at its wait; what it holds by <close> is let go of." },
        { "status", doc = "How it is.", returns = { { "string", "ready, running, waiting, done, failed or cancelled" } } },
        { "wait", doc = "Waits for its end.", params = { { "timeout?", "number", "seconds" } },
          returns = { { "true?", "and what it returned" }, FAIL, { "string?", "EFAILED, ECANCELLED or ETIMEOUT" } } },
      },
    },
    {
      name = "robotalk.Result", doc = "What became of a command. Times in seconds of robotalk.now().",
      fields = { { "signal", "string", "the robot's word" }, { "reason", "robotalk.Reason", "why" }, { "why", "string?", "in words" },
        { "scheduled", "number", "when it should have begun" }, { "executed", "number?", "when it began; nil: never" },
        { "lateness", "number?", "executed - scheduled" }, { "finished", "number", "when this was said" } },
    },
    {
      name = "robotalk.State", doc = "A robot's state. SI units; x ahead, y left, z up.",
      fields = { { "time", "number", "when it held" }, { "x", "number", "m" }, { "y", "number", "m" }, { "z", "number", "m" },
        { "theta", "number", "heading in rad, counter-clockwise, not wrapped" }, { "twist", "number[]", "m/s along its own axes" },
        { "spin", "number[]", "rad/s about its own axes" }, { "joints", "table<string, table<string, number>>", "positions by name" },
        { "battery", "number", "charge, 0 to 1" }, { "voltage", "number", "V" }, { "moving", "boolean", "" },
        { "panic", "boolean", "" } },
    },
    {
      name = "robotalk.Session", doc = "A session with a robot in one command mode.",
      fields = { { "mode", "string", "its name" }, { "blocking", "boolean", "whether commands wait for their answer" } },
      functions = {
        { "go_to", doc = "Drives or walks to a place on the floor of the world; holds the base until it is there. RoboTalk III.A.",
          params = { { "goal", "table", "x, y in m, theta in rad, start" } }, returns = WORD },
        { "set_speed", doc = "Velocity of the base in its own frame, until changed.",
          params = { { "speed", "table", "x, y in m/s, theta in rad/s, start" } }, returns = WORD },
        { "stop", doc = "Stops everything, whoever moves it.", params = { start() }, returns = WORD },
        { "home", doc = "Every joint to its rest position.", params = { start() }, returns = WORD },
        { "step", doc = "One step of one leg.", params = { { "fields", "table", "leg, x, y in m, theta in rad, start" } }, returns = WORD },
        { "set_joint", doc = "Set-points of dofs of a joint.",
          params = { { "joint", "string", "its name" }, { "values", "table", "rad or m by name of the dof; speed: greatest on the way; start" } },
          returns = WORD },
        { "set_joint_speed", doc = "Speeds of dofs of a joint, until changed.",
          params = { { "joint", "string", "its name" }, { "values", "table", "rad/s or m/s by name of the dof; start" } }, returns = WORD },
        { "set_joint_force", doc = "Forces or torques of dofs of a joint, until changed.",
          params = { { "joint", "string", "its name" }, { "values", "table", "N or N*m by name of the dof; start" } }, returns = WORD },
        { "frame", doc = "A frame: commands that share one time stamp. Frames are sent together when the task waits.",
          params = { { "t", "number", "seconds on the sequence's own time line" },
            { "parts", "table", "base = { speed = {…} | go_to = {…} | stop = true }, JOINT = { DOF = set-point }" } },
          returns = { { "true?", "" }, FAIL, CODE } },
        { "flush", doc = "Sends the frames that are gathered.", returns = { { "true?", "" }, FAIL, CODE } },
        { "finish", doc = "No frame follows: waits until all were played.", params = { { "timeout?", "number", "seconds" } },
          returns = { { "table?", "frames, played, signals, delay, needed, worst (s), underruns, refused; prints well" }, FAIL, CODE } },
        { "result", doc = "What became of a ticket; waits for it.",
          params = { { "ticket", "integer", "of a command" }, { "timeout?", "number", "seconds" } }, returns = WORD },
        { "send", doc = "Sends commands as one package, as the specification has them.",
          params = { { "commands", "table[]", "{ op =, start =, … }" } }, returns = { { "integer?", "ticket of the first; the others follow on" }, FAIL, CODE } },
        { "state", doc = "The robot's state now.", returns = { { "robotalk.State?", "" }, FAIL, CODE } },
        { "status", doc = "The session's queues and what became of its commands.",
          returns = { { "table?", "held, queued, running, executed, underruns, refused, delay, worst, needed" }, FAIL, CODE } },
        { "broadcast", doc = "The state every period, given to fn, until the handle's :cancel().",
          params = { { "period", "number", "seconds, 0.001 or more" }, { "fn", "fun(state: robotalk.State)", "" } },
          returns = { { "table?", "the handle; <close> cancels" }, FAIL, CODE } },
        { "cancel", doc = "Takes back commands that have not begun.", params = { { "ticket?", "integer", "one; all by default" } },
          returns = { { "integer?", "how many" }, FAIL, CODE } },
        { "panic", doc = "Stops the robot at once, empties all its queues, and latches." },
        { "reset", doc = "Ends a panic. Nothing from before it is ever run." },
        { "close", doc = "Ends the session: what it has queued is dropped, what it moves is stopped." },
      },
    },
    {
      name = "robotalk.Robot: robotalk.Session", var = nil, doc = "A connection to a robot, and a session in direct mode.",
      functions = {
        { "session", doc = "A session in another mode.",
          params = { { "options?", "table", "mode (direct), delay, duration, spacing, deadman, expiry (s, false: none); others are for the mode" } },
          returns = { { "robotalk.Session?", "" }, FAIL, CODE } },
        { "clock", doc = "Between this clock and the server's.",
          returns = { { "table?", "offset, uncertainty, least, median, jitter (s), drift (ppm), exchanges" } } },
        { "describe", doc = "What the robot is.", returns = { { "table", "name, model, joints by name" } } },
        { "log", doc = "A line to the log, with the robot's name." },
        { "on_notice", doc = "Calls fn for what the server tells unasked: panicked, reset, deadman, shutdown, removed.",
          params = { { "fn", "fun(what: string, value: integer)", "" } } },
        { "close", doc = "Ends the connection." },
      },
    },
  },
}
