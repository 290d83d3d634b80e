-- robotalk: robots in Lua. require "robotalk" returns this module; the annotations in meta/robotalk.lua have the
-- arguments and results of all functions.
local core = require "robotalk.core"
local beside = require "robotalk.robot.beside"
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local signals = require "robotalk.session.signals"
local task = require "robotalk.task"
local together = require "robotalk.task.together"
local robot = require "robotalk.robot"
local descriptor = require "robotalk.descriptor"
local supervisor = require "robotalk.server.supervisor"
local mistake = require "robotalk.mistakes.mistake"
local modes = require "robotalk.modes"
require "robotalk.server.questions" -- of clients whose protocols query scripts

local rt = {
  version = core.version,
  now = core.now, -- seconds of the world's clock
  spawn = task.spawn,
  sleep = task.sleep,
  wait = task.wait,
  wake = task.wake,
  run = task.run,
  current = task.self,
  tasks = task.list,
  any = together.any,
  all = together.all,
  connect = robot.connect,
  try_connect = robot.try_connect,
  add_mode = modes.add,
  add_script = supervisor.begin,
  scripts = require "robotalk.server.scripts",
  picture = require "robotalk.pictures.picture".read,
  ok = signals.ok,
  wire = core.wire,
  ordering = core.ordering,
}

---Adds a robot to this process, for connections or for a server: by name, path or descriptor table. Its name.
function rt.add_robot(what) return descriptor.add(what, beside.caller()) end

---Kinematics of a robot that need not exist: by name, path or descriptor table. nil, message, code.
function rt.model(what)
  local made, message, code = descriptor.made(what)
  if not made then return nil, message, code end
  return made.body
end

local DRIVE <const> = { gamepad = checked.text, mapping = checked.text }

---Drives a robot by keys, at the terminal, until the user ends it: a connected one, or one by name or address.
---options: gamepad, "auto" or a path, and mapping, a file. true; or nil, message, code.
function rt.drive(which, options)
  return require "robotalk.drive".run(which, checked.options(options, DRIVE, "drive"))
end

---A picture of this process's world from a viewpoint (docs/cameras.md).
function rt.look(options) return require "robotalk.pictures.views".look(options) end

---Sets up the scenery of this process's world: the name of a bundled one, a file, or a table as such a file
---returns (docs/worlds.md). true; nil, message with a line for each error, code.
function rt.world(what) return require "robotalk.world".open(what, beside.caller()) end

---The pose of an object of this process's world, by its name: { position = { x, y, z }, attitude = { roll, pitch,
---yaw } }; with physics an object that has a mass may have moved. nil, message, "ENONE": there is none of that name.
function rt.thing(name)
  if type(name) ~= "string" then mistake("thing: want the name of a thing of the world, got %s", type(name)) end
  local pose = core.world_thing(name)
  if not pose then return nil, ("there is nothing called '%s' in this world"):format(name), "ENONE" end
  return pose
end

---A policy of a robot: fn maps its newest observation to a chunk of actions (docs/policy.md).
function rt.policy(of, options, fn) return require "robotalk.policy".new(of, options, fn) end

---The robots of a domain of DDS, by its address dds://DOMAIN[/PARTITION] (docs/fleet.md).
function rt.fleet(url, options) return require "robotalk.fleet".open(url, options) end

---Lets several robots begin a sequence each at one instant, or none of them (docs/fleet.md).
function rt.unison(robots, options, frames) return require "robotalk.unison".begin(robots, options, frames) end

---Shows a robot at the terminal in the same way, or all robots of a server.
function rt.watch(which) return require "robotalk.watch".run(which) end

---Records this process's robots, also those that are added later (docs/recordings.md).
function rt.record(path, options) return require "robotalk.recorder".begin(path, nil, options) end

local SERVE = { listen = true, most = true, stall = true, lease = checked.lease, record = checked.text,
  translators = function(x) return type(x) ~= "table" and "a list of names" end,
  vehicles = function(x) return type(x) ~= "table" and "a list of tables" end }

---Serves this process's robots: { listen = { url, … } (robotalk://localhost:7600), most = connections }. A server
---with :urls(), :reload() (of the access list) and :close(); or nil, message, code. translators: names of the user's
---own for clients. vehicles: the robots of each class for clients of Gamebots. record: a new file, which records this
---process's robots until it ends.
function rt.serve(options)
  options = checked.options(options, SERVE, "serve")
  if options.record then
    local recorder, why, kind = rt.record(options.record)
    if not recorder then return nil, ("%s: %s"):format(options.record, why), kind end
  end
  local names = require "robotalk.descriptor.translators".names(options.translators)
  local files, message, code = require "robotalk.translator".files(names)
  if not files then return nil, message, code end
  local meshes = require "robotalk.descriptor.meshes".files()
  table.move(meshes, 1, #meshes, #files + 1, files)
  local bodies = require "robotalk.urdf".files(options.listen)
  table.move(bodies, 1, #bodies, #files + 1, files)
  files[#files + 1] = require "robotalk.gamebots".file(options.vehicles)
  return core.serve { files = files, listen = options.listen or { "robotalk://localhost" }, most = options.most,
    stall = options.stall, lease = options.lease, modes = modes.texts() }
end

colon.functions(rt, "rt")

-- Former names of functions; scripts that use them continue to work.
return setmetatable(rt, { __index = { robot = rt.add_robot, mode = rt.add_mode, self = rt.current } })
