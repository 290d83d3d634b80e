-- The program's verbs, in the order in which help lists them. Each is a module robotalk.cli.NAME, which is loaded when
-- it is run; its line for help is here.
local core = require "robotalk.core"

local verbs = {
  "repl", "serve", "scripts", "run", "drive", "watch", "snapshot", "images", "record", "mcap", "plot", "play", "check",
  "convert", "ros2", "experiment", "ping", "keys", "servos", "calibrate", "test", "bench", "doctor",
}

local summaries = {
  repl = "a prompt with a robot",
  serve = "serves robots to clients on the network, until stopped",
  scripts = "lists, starts, stops and replaces the scripts of a server",
  run = "runs a script: a behaviour, a client program",
  drive = "drives a robot by keys, at the terminal",
  watch = "shows robots at the terminal: map, joints, readings, leases, link, and the age of all of it",
  check = "checks robots, server configurations, scripts and motions: file:line: error, and the expected value",
  convert = "converts descriptions of robots between Lua, URDF, RCML (VRML97) and the description of a served robot",
  ros2 = "lists nodes, topics, services and actions of ROS 2 in a domain of DDS",
  experiment = "repeats an experiment of the papers: ",
  snapshot = "one picture of a robot's camera, into a file",
  record = "records what robots of a server do, or a robot that it runs, into a file",
  mcap = "lists, checks, repairs and cuts recordings, and exports them as CSV",
  plot = "draws numbers of a recording over time, at the terminal or as SVG",
  play = "plays a recording, or an episode of a data set, on a robot; lists the episodes",
  images = "stores pictures that are sent to it, in a folder, and rewinds them",
  ping = "round trip, clock offset and command delay to a server",
  keys = "access control of servers: tokens, keys, certificates, and their roles",
  servos = "finds serial servos at a port, shows what they read, and sets ids, rates, modes and torque",
  calibrate = "writes where the joints of a robot's servos are at 0, and their limits, as they are moved by hand",
  test = "runs Lua tests (describe, it) in simulated time",
  bench = "the benchmarks, each with its own limit in the same run",
  doctor = "lists missing parts of this machine, and the commands that install them",
}

---The description of a verb, in a line.
function verbs.summary(name)
  if name ~= "experiment" then return summaries[name] end
  return summaries[name] .. table.concat(core.scripts "experiments", ", ")
end

return verbs
