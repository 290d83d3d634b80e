-- A robot for scripts: a connection, the robot's body, and a session in direct mode. Further sessions in other modes
-- come from robot:session.
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local task = require "robotalk.task"
local checked = require "robotalk.mistakes.checked"
local client = require "robotalk.robot.client"
local failure = require "robotalk.mistakes.failure"
local keys = require "robotalk.session.keys"
local mistake = require "robotalk.mistakes.mistake"
local pictures = require "robotalk.pictures"
local readings = require "robotalk.session.readings"
local retained = require "robotalk.session.retained"
local session = require "robotalk.session"
local token = require "robotalk.server.token"
local log = require "robotalk.log"
local descriptor = require "robotalk.descriptor"
local check = require "robotalk.descriptor.check"
local far = require "robotalk.robot.far"
local fields = require "robotalk.descriptor.fields"
local drivers = require "robotalk.drivers"
local states = require "robotalk.session.state"

local FETCH, CHANGES = 10, 5 -- query of a configuration: its longest time, s, and its most changes meanwhile
local REFRESH = 0.2          -- seconds between two of them when a robot is reloaded all the time

local Robot = setmetatable({}, { __index = session.Session })
Robot.__index = Robot
Robot.__name = "robotalk.Robot"

-- The configuration block, piece by piece. A faulty or hostile server can neither fill a client's memory nor block it.
local function fetch(c, number)
  local pieces, got, revision, changes = {}, 0, nil, 0
  local until_ = core.now() + FETCH
  repeat
    local left = until_ - core.now()
    if left <= 0 then return nil, "the configuration does not come to an end", "ETIMEOUT" end
    local piece, message, code = c:query(number, "configuration", { offset = got }, math.min(5, left))
    if not piece then return nil, message, code end
    if revision and piece.revision ~= revision then
      pieces, got = {}, 0 -- the robot was reloaded meanwhile
      changes = changes + 1
      if changes == CHANGES then return nil, "the robot is described anew all the time", "EBODY" end
    elseif piece.count == 0 or piece.size > core.configuration_most then
      return nil, ("a configuration of %d bytes, of which %d came: expected at most %d"):format(piece.size, got,
        core.configuration_most), "EBODY"
    else
      pieces[#pieces + 1] = piece.bytes
      got = got + piece.count
    end
    revision = piece.revision
  until got >= piece.size
  return table.concat(pieces), revision
end

local blocks = setmetatable({}, { __mode = "k" }) -- body -> the configuration block that it was made of

-- The robot's body, for commands and the state: joints and control frames by name; and its block.
local function describe(c, number)
  local bytes, revision, code = fetch(c, number)
  if not bytes then return nil, revision, code end
  local kinematics, message
  kinematics, message, code = core.read_body(bytes)
  if not kinematics then return nil, message, code end
  local flat = core.records(kinematics)
  local body = { name = flat.name, model = flat.model, deadman = flat.deadman, commands = flat.commands,
    links = #flat.link, dofs = #flat.dof, joints = {}, frames = {}, revision = revision,
    limits = { dof = flat.dof, base_speed = flat.base_speed, base_acceleration = flat.base_acceleration,
      holonomic = flat.holonomic } }
  for i, joint in ipairs(flat.joint) do
    joint.number, joint.index, joint.names = i - 1, {}, {}
    for k = 1, joint.dofs do
      local dof = flat.dof[joint.first + k]
      joint.index[dof.name] = k - 1
      joint.names[k] = dof.name
    end
    body.joints[joint.name] = joint
  end
  for i, frame in ipairs(flat.frame) do
    frame.number = i - 1
    body.frames[frame.name] = frame
  end
  readings.describe(body, flat)
  pictures.describe(body, flat.camera)
  body.descriptor = require "robotalk.descriptor.user"(flat)
  body.kinematics = kinematics
  return body, bytes
end

---A session in another mode: { mode =, duration =, delay =, deadman =, gap =, expiry =, errors =, … }; at: when the
---first frame of its sequence begins (frame 0, at the earliest); further fields are for the mode's script. nil,
---message, code when the server refuses.
function Robot:session(options)
  options = options or {}
  if type(options) ~= "table" then mistake("session: want a table, got %s", type(options)) end
  local probe = options.probe
  if probe ~= nil and not (type(probe) == "number" and probe >= 0 and probe <= 60) then
    mistake "session: probe: want seconds, at most 60"
  end
  return session.open(self.client, self.body, options)
end

---Between this clock and the server's: offset, uncertainty, drift (ppm), smallest and median round trip, jitter.
function Robot:clock() return self.client.link:clock() end

---The description of the robot: name, model, commands, joints and control frames by name with dofs, limits and servo
---types, sensors by name with unit, range, rate and place, and the whole descriptor.
function Robot:describe() return self.body end

---Statistics of the robot's bus (paper 004): order, rate, slots, messages, refused, lost; error and rms of the task,
---m/s; and by joint and dof the number of messages and the age of the last, s. nil, message, code when it has none.
function Robot:bus()
  local answer, message, code = session.query(self, "bus")
  if not answer then
    return nil, code == "ENONE" and ("robot %s has no bus"):format(self.body.name) or message, code
  end
  local bus = { order = fields.word(check.words.order, answer.order), joints = {} }
  for _, name in ipairs { "rate", "slots", "messages", "refused", "lost", "error", "rms" } do
    bus[name] = answer[name]
  end
  for name, joint in pairs(self.body.joints) do
    local values
    for k, dof in ipairs(joint.names) do
      local i = joint.first + k
      if answer.age[i] and answer.age[i] >= 0 then
        values = values or setmetatable({}, keys.meta_of(joint))
        values[dof] = { messages = answer.told[i], age = answer.age[i] }
      end
    end
    bus.joints[name] = values
  end
  return bus
end

---Queries the description again: true; or nil, message, code.
function Robot:refresh()
  local body, bytes, code = describe(self.client, self.number)
  if not body then return nil, bytes, code end
  local unverified = self.body.unverified
  if unverified then unverified.same = bytes == blocks[self.body] end
  blocks[self.body] = bytes
  -- in place: sessions hold the same table
  for key in pairs(self.body) do self.body[key] = nil end
  for key, value in pairs(body) do self.body[key] = value end
  self.model = body.kinematics
  states.rename(self.body)
  return true
end

local RELOADS = 30 -- s: time for a robot of another process to open its drivers

-- Changes the description of a robot of another process: kept, dropped; or nil, message, code.
local function reload_there(robot, what)
  local name = robot.body.name
  if what == nil then
    return nil, ("robot %s does not run in this process: want a file or a descriptor"):format(name), "ENONE"
  end
  local body, id, reply, message, code
  body, message, code = require "robotalk.server.reload".body(name, what)
  if not body then return nil, message, code end
  id, message, code = robot.client.link:reload(robot.number, body)
  if not id then return nil, message, code end
  reply, message, code = robot.client:await(id, RELOADS, robot)
  if not reply then return nil, message, code end
  return { kept = reply.kept, dropped = reply.dropped }
end

---Changes the description of the robot, for all its clients, to `what`, a file or a descriptor; for one of this process
---its own file by default. Sessions and queues stay. A robot of another process keeps its drivers, joint by joint, and
---the connection needs the role operate.
---A table: kept and dropped, queued commands whose names still exist or do not; or nil, message, code, and the robot
---is unchanged.
function Robot:reload(what)
  local name, here = self.body.name, false
  local report, ok, message, code
  for _, there in ipairs(core.robots()) do here = here or there == name and self.in_process and not core.hosted() end
  if here then
    report, message, code = require "robotalk.server.reload".now(name, what)
  else
    report, message, code = reload_there(self, what)
  end
  if not report then return nil, message, code end
  ok, message, code = self:refresh()
  if not ok then return nil, message, code end
  return report
end

---Records what the robot does from now on, with the commands of all its clients, into a new file (docs/recordings.md):
---a recorder; nil, message, code. Only for robots of this process. options: rate, images, compression.
function Robot:record(path, options)
  local name = self.body.name
  if not self.in_process then
    return nil, ("robot %s is of another process, which records its own: serve --record"):format(name), "ENONE"
  end
  return require "robotalk.recorder".begin(path, name, options)
end

---Plays a recording on the robot (docs/recordings.md): a report, and names of joints that it lacks; nil, message, code.
function Robot:play(path, options) return require "robotalk.mcap.play".run(self, path, options) end

---A line to the log, with the robot's name.
function Robot:log(...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  log.say({ "info", robot = self.body.name }, "%s: %s", self.body.name, table.concat(words, " "))
end

-- Notices that each session of a connection gets about the same robot.
local OF_ROBOT <const> = { panicked = true, reset = true, stopped = true, leases = true, changed = true,
  removed = true, latched = true }
for name, notice in pairs(core.spec().notices) do OF_ROBOT[name] = OF_ROBOT[name] or notice.retained or nil end

---Calls fn(name, value, words), as a task, for each notice of the server: panicked, reset, deadman, stopped,
---paused, resumed, override, leases, asked, answered, lost, held, settled, changed, latched, shutdown, removed;
---the first two with the name of the client that did it; fallen, 1 or 0; blocked, 1 with the name of the obstacle,
---or 0; and fault, with the text of the newest.
function Robot:on_notice(fn)
  if type(fn) ~= "function" then mistake("on_notice: want a function, got %s", type(fn)) end
  table.insert(self.client.listeners, function(op, number, value)
    if OF_ROBOT[op] and number ~= self.number and not self.closed then return end -- its own session reports it, too
    if op == "override" then value = value / 1e6 end
    local text = retained.text(op, self.client.link, number) -- of the newest one
    local words = op == "fault" and self.client.link:why() or text and value == 0 and "" or text
    task.spawn(fn, op, value, words).background = true
  end)
end

---Ends the connection; a robot that this script has made is removed with it.
function Robot:close()
  if self.closed then return end
  if self.following then self.following:cancel() end
  self.client:close()
  if self.owned then drivers.remove(self.owned) end
end
Robot.__close = Robot.close
Robot.__tostring = session.Session.__tostring

colon.methods(Robot, "robot")

-- The robot has another revision: fetches its body again, one request at a time however often it changes.
local function follow(robot, revision)
  robot.newest = revision
  if robot.following then return end
  robot.following = task.spawn(function()
    while not robot.closed and robot.newest ~= robot.body.revision do
      local asked = robot.newest
      if not robot:refresh() and robot.newest == asked then break end
      task.sleep(REFRESH)
    end
    robot.following = nil
  end)
  robot.following.background = true
end

-- The robot's session is open again after a lost link, perhaps at a server that has started again, with another
-- description: until that is fetched, commands wait (session.lua), since their numbers may mean other joints.
local function unverified(robot)
  local this = {}
  robot.body.unverified = this
  task.spawn(function()
    while robot.body.unverified == this and not robot.closed and robot.client.link:state() == "up" do
      this.failed = not robot:refresh()
      task.wake(robot.client)
      if this.failed then task.sleep(REFRESH) end
    end
  end).background = true
end

local OPTIONS = { role = true, token = true, token_file = true, timeout = true, reconnect = true, deadman = true,
  expiry = true, channel = true, name = true, apart = true }
local CHANNEL = { latency = true, jitter = true, again = true, rate = true, loss = true, duplicate = true,
  reorder = true, stall = true }

-- The printed name of this client at a server: that of the script, or its user and the name of its file.
local function name_of(options)
  local name, whoami = options.name, require "robotalk.server.whoami"
  if name == nil then return whoami() end
  if type(name) ~= "string" or #name > 63 or name:find "%c" then
    mistake "connect: name: want a text of at most 63 bytes"
  end
  return whoami.tagged(name)
end

local function is_url(name) return name:find(":", 1, true) ~= nil end

-- Schemes whose robots are local robots by a descriptor: the driver, and the form of the address.
local BEHIND = {
  player = { 'driver = "player"', "scripts/robots/pioneer2_player.lua" },
  gamebots = { 'script = "gamebots"', "docs/usarsim.md" },
  gti = { 'script = "gti"', "spec/gti.md" },
}

local function behind(url)
  local driver = BEHIND[url:match "^(%a+)[+:]"]
  return driver and ("%s: a robot there has a descriptor here, with drivers = { NAME = { %s, url = %q } }: see %s")
    :format(url, driver[1], url, driver[2])
end

-- The robot of this process with that name, made from its descriptor if there is none yet.
local function in_process(name)
  for _, there in ipairs(core.robots()) do
    if there == name then return name end
  end
  local made, message, code = descriptor.add(name)
  if not made then return nil, message, code end
  return made, made
end

---A robot of this process by the name of its descriptor or its file, or one at robotalk://host[:port]/robot,
---rctp://host[:port]/robot, unix:PATH, local:robot. options: role (watch: queries, stops and panics; drive: also
---commands; operate, the default: also resets and reloads), token or token_file, timeout, reconnect (true),
---channel (a bad network, in-process only), deadman, expiry, name (of the holder of its leases for others; default: the
---script's file), apart (its leases are its own: other connections of this program are other clients). nil, message,
---code when it cannot be reached.
local function try_connect(name, options)
  if type(name) ~= "string" then mistake("connect: want a robot's name or an address, got %s", type(name)) end
  options = checked.options(options, OPTIONS, "connect")
  checked.options(options.channel, CHANNEL, "channel")
  local timeout = options.timeout
  if timeout and not (type(timeout) == "number" and timeout >= 0) then mistake "connect: timeout: want seconds" end
  local role = options.role
  if role ~= nil and not (role == "watch" or role == "drive" or role == "operate") then
    mistake("connect: role: want watch, drive or operate, got %s", tostring(role))
  end
  local called = name_of(options)
  local url, owned = name, nil
  local who, message, code
  if is_url(name) and not name:find "^local:" then who, message, code = token.of(options) end
  if message then return nil, message, code end
  if not is_url(name) then
    local there
    there, owned, code = in_process(name)
    if not there then return nil, owned, code end
    url = "local:" .. there
  elseif descriptor.dry and not name:find("^local:") then
    return nil, "a dry run connects to nobody else: " .. name, "EADDRESS"
  elseif behind(name) then
    return nil, behind(name), "EURL"
  elseif name:find "^rctp[+:]" then
    owned, message, code = require "robotalk.rctp.robot".add(name, { timeout = timeout, token = who, role = role,
      name = (called:gsub("%c", "?")), reconnect = options.reconnect })
    if not owned then return nil, message, code end
    url = "local:" .. owned
  end
  local c
  c, message, code = client.connect(url, { reconnect = options.reconnect ~= false, role = role, token = who,
    channel = options.channel, name = called, apart = options.apart })
  local robot
  -- closes the connection when this fails, also when the task is cancelled meanwhile
  local _ <close> = setmetatable({}, { __close = function()
    if c and not robot then c:close() end
    if owned and not robot then drivers.remove(owned) end
  end })
  if not c then
    if code == "EURL" then message = message:gsub("^expected robotalk(://%S+ )", "%0rctp%1") end
    return nil, message, code
  end
  local up
  up, message, code = c:up(timeout)
  if not up then
    if (code == "ETIMEOUT" or code == "EMAGIC") and is_url(name) and not url:find "^local:" then
      message = message .. "; perhaps it speaks another protocol than this address says"
    end
    local named = url:find "^unix:[^#]*/[^#/]+$" and message:find "Not a directory"
    return nil, named and message .. "; a robot of a server is named behind #: unix:PATH#ROBOT" or message, code
  end
  local number, info
  number, info, code = c:open { mode = "direct", deadman = options.deadman, expiry = options.expiry }
  if not number then return nil, info, code end
  local body
  body, message, code = describe(c, number)
  if not body then return nil, message, code end
  blocks[body] = message
  c.patient = true
  if url:find "^local:" and not core.hosted() then far.join(c, body.name) end
  robot = session.make(Robot, c, number, info, body, "direct",
    { model = body.kinematics, owned = owned, in_process = url:find("^local:") ~= nil })
  table.insert(c.listeners, function(op, _, value)
    if op == "changed" then follow(robot, value) end
  end)
  function c.reopened(session_number) if session_number == number then unverified(robot) end end
  return robot
end

---The same, but raises when it cannot be reached: an error with message and code. A script that continued without its
---robot would fail later and in another place, or, by a <close> of nil, not at all.
local function connect(name, options)
  local robot, message, code = try_connect(name, options)
  return robot or failure(message, code)
end

return { connect = connect, try_connect = try_connect, fetch = fetch, Robot = Robot, task = task }
