-- A robot behind a server of USARSim's protocol (spec/gamebots.md), of either dialect, as a driver: it drives the base
-- by speeds of wheels, and joints by MISPKG; states and sensors come from the server's lines. drivers = { body = {
-- script = "gamebots", url = "gamebots://192.168.0.5:3000/P2AT" } }
local core = require "robotalk.core"
local dofs = require "robotalk.gamebots.dofs"
local lines = require "robotalk.gamebots.lines"
local log = require "robotalk.log"
local places = require "robotalk.gamebots.places"
local senses = require "robotalk.gamebots.senses"
local task = require "robotalk.task"
local drivers = require "robotalk.drivers"

local driver = { options = {
  { "url", "text", max = 255, needed = true, doc = "gamebots://HOST[:PORT]/CLASS: the class of robot to ask for" },
  { "name", "text", max = 63, doc = "what the robot is called there; as here unless said" },
  { "start", "text", max = 63, doc = "the start pose to ask for; else location" },
  { "location", "text", max = 63, doc = "x,y,z in the server's frame, m; 0,0,0 unless said" },
  { "wheel_radius", "number", least = 0.001, most = 10, doc = "m; what the server tells unless said" },
  { "wheel_separation", "number", least = 0.001, most = 10, doc = "m, likewise" },
  { "wheel_base", "number", least = 0.001, most = 10, doc = "m, likewise" },
  { "packages", "text", max = 255, doc = "JOINT=PACKAGE[:LINK] …: as the joint, from link 1, unless said" },
} }
local DIAL <const>, ANSWER <const> = 1, 2 -- s: for connecting; for the answers to the first queries
local FIRST <const>, LAST <const> = 0.5, 5 -- s between two attempts to reconnect
local SILENT <const> = 5 -- s without a line: the link is lost
local FRAME <const> = 4000 -- bytes that are written at once: a device's port takes little more
local FRESH <const> = 1 -- s: a base or joint whose position was not reported for longer is unknown
local BEAT <const> = 0.05 -- s between two lines DRIVE for speeds of a root
-- of the tolerance, s: a joint that comes no closer by that for that time has failed; refusals are not reported
local NEARER <const>, PATIENCE <const> = 0.1, 2
local REST <const> = 0.5 -- s: a joint at its goal that is reported as moving for longer counts as arrived
local STILL <const> = lines.line("DRIVE", { "Left", 0.0 }, { "Right", 0.0 })
local STILL_STEERED <const> = lines.line("DRIVE", { "Speed", 0.0 }, { "FrontSteer", 0.0 }, { "RearSteer", 0.0 })

-- ---- the pose ----

-- The position of the base, from its commanded speeds since the newest report of odometry.
local function reckon(self)
  local now, v = core.now(), self.velocity
  local dt, pose = now - self.reckoned, self.pose
  self.reckoned = now
  local c, s = math.cos(pose[3] + v[3] * dt / 2), math.sin(pose[3] + v[3] * dt / 2)
  self.pose = { pose[1] + (c * v[1] - s * v[2]) * dt, pose[2] + (s * v[1] + c * v[2]) * dt, pose[3] + v[3] * dt }
end

local function tell(self)
  local position = {}
  for i, dof in ipairs(self.dofs) do position[i] = dof.at end
  reckon(self)
  local told = self.measured and core.now() - self.measured < FRESH and self.told or self.pose
  self:report { position = position, pose = told, twist = self.velocity }
end

-- ---- messages of the server ----

local HEARD = {}

function HEARD.conf(self, line)
  if not lines.find(line, "steeringtype") then return places.settings(self, line) end
  self.ackerman = lines.find(line, "steeringtype"):lower():find "^ac" ~= nil
  self.flies = (lines.find(line, "type") or ""):lower() == "aerialvehicle"
  self.udk = line[1][1] == "name"
  self.most = lines.number(line, "maxspeed")
  self.known = true
end

function HEARD.geo(self, line)
  local config = self.config
  if not lines.find(line, "wheelradius") then return places.geometry(self, line) end
  self.radius = config.wheel_radius or lines.number(line, "wheelradius")
  self.separation = config.wheel_separation or lines.number(line, "wheelseparation")
  self.axles = config.wheel_base or lines.number(line, "wheelbase")
end

function HEARD.res(self, line)
  if (lines.find(line, "status") or ""):lower() ~= "failed" then return end
  local what, why = lines.find(line, "type") or "", lines.find(line, "reason") or "it has failed"
  if what:lower() == "init" then
    self.refused = why
    if self.joins then return end -- the joining task reports it
  end
  log.say("warning", "%s: gamebots: %s: %s", self.robot, what, why)
end

function HEARD.sta(self, line)
  self.seen = true
  senses.battery(self, line)
  tell(self)
end

-- MISSTA, ASTA.
local function links(self, line)
  local name, told = (lines.find(line, "name") or ""):lower(), lines.links(line)
  for _, dof in ipairs(self.dofs) do
    if dof.package:lower() == name and told[dof.link] then
      local at = dof.sign * told[dof.link]
      dof.moves, dof.at, dof.known, dof.linked = math.abs(at - dof.at) > 1e-4, at, true, true
      dof.heard = core.now()
    end
  end
  senses.grippers(self)
  tell(self)
end
HEARD.missta, HEARD.asta = links, links

-- A gripper whose position no package reports: open or closed. Its name there is kept for commands to it.
function HEARD.eff(self, line)
  local name = lines.find(line, "name") or ""
  local open = (lines.find(line, "open") or lines.find(line, "off")) ~= nil
  if not open and not lines.find(line, "closed") and not lines.find(line, "on") then return end
  local dof = senses.gripper(self, name:lower())
  if dof and not dof.linked then
    dof.at, dof.known, dof.grips, dof.moves = dof.limit[open and 2 or 1], true, name, false
  end
  senses.grippers(self)
  tell(self)
end

function HEARD.sen(self, line)
  local pose = senses.hear(self, line)
  if not pose then return end
  self.told, self.measured = { pose[1], pose[2], pose[3] }, core.now()
  self.pose, self.reckoned = self.told, core.now()
  local at = { pose[1], pose[2], pose[4] or 0, pose[3] }
  for _, dof in ipairs(self.dofs) do
    if dof.flies then dof.at = at[dof.flies[1]] * dof.flies[2] end
  end
end

-- ---- stopping ----

-- Writes lines, in as many frames as they need; the first ones were sent when a further one is refused.
local function send(self, text)
  while self.port and #text > 0 do
    local last = text:sub(1, FRAME):match ".*\n" or text
    if (self.port:write(last) or 0) == 0 then return false end
    text = text:sub(#last + 1)
  end
  return self.port ~= nil
end

local function flown(self, x, theta, y, z)
  local turns = self.udk and math.deg(theta) or theta
  return lines.line("DRIVE", { "LinearVelocity", x + 0.0 }, { "LateralVelocity", -y + 0.0 },
    { "AltitudeVelocity", (z or 0) + 0.0 }, { "RotationalVelocity", -turns + 0.0 }), { x, y, theta }
end

local function forget_flight(self)
  self.flight.news = false
  for i = 1, 4 do self.flight[i] = 0 end
end

-- Lines that give values to dofs, one for each package; order: 0 angle, 1 speed, 2 torque.
local function to_dofs(self, values, order)
  local groups, names = {}, {}
  local grips = {}
  for _, dof in ipairs(self.dofs) do
    local value = values[dof]
    if value and dof.grips and not dof.linked and order < 2 then
      local opens = order == 0 and value > (dof.limit[1] + dof.limit[2]) / 2 or order == 1 and value > 0
      grips[#grips + 1] = lines.line("SET", { "Type", "Gripper" }, { "Name", dof.grips },
        { "Opcode", opens and "OPEN" or "CLOSE" })
    elseif value then
      if not groups[dof.package] then
        groups[dof.package] = { { "Name", dof.package } }
        names[#names + 1] = dof.package
      end
      for _, group in ipairs { { "Link", dof.link }, { "Value", dof.sign * value + 0.0 }, { "Order", order } } do
        table.insert(groups[dof.package], group)
      end
    end
  end
  for i, name in ipairs(names) do names[i] = lines.line("MISPKG", table.unpack(groups[name])) end
  return table.concat(names) .. table.concat(grips)
end

local function servo(self, values, order)
  return send(self, to_dofs(self, values, order))
end

local function still(self)
  if not self.base and not self.flies then return "" end
  return self.flies and flown(self, 0, 0, 0) or self.ackerman and STILL_STEERED or STILL
end

-- Lines that hold the dofs in `which` at their positions; dofs whose position is not known now get a speed of 0,
-- if they take speeds.
local function held(self, which)
  local goals, speeds = {}, {}
  for _, dof in ipairs(self.dofs) do
    local knows = dof.grips and not dof.linked or dof.heard and core.now() - dof.heard < FRESH
    if dof[which] and not knows and dof.speeds then
      speeds[dof] = 0
    elseif dof[which] and dof.known then
      goals[dof] = dof.at
    end
  end
  return to_dofs(self, goals, 0) .. to_dofs(self, speeds, 1)
end

-- Stops the base, and holds the joints that were moved since the last stop.
local function halt(self)
  reckon(self)
  self.velocity = { 0, 0, 0 }
  forget_flight(self)
  local ok = send(self, still(self) .. held(self, "moved"))
  for _, dof in ipairs(self.dofs) do dof.moved = dof.moved and not ok end
  return ok
end

local function part(self, port)
  self.port, self.ready = nil, nil
  port:close()
end

-- alive: the connection may still carry lines.
local function lose(self, port, why, alive)
  if self.port ~= port then return end
  if alive then halt(self) end
  part(self, port)
  log.say("error", "%s: gamebots: %s", self.robot, why)
  self:fault "link"
  task.wake(self)
end

-- ---- the connection ----

-- Receives lines until the link is lost.
local function watch(self, port, rest)
  local patience = SILENT
  while self.port == port do
    for text in rest:gmatch "([^\r\n]+)[\r\n]" do
      local line = #text <= lines.MOST and lines.parse(text)
      if line and HEARD[line.type] then HEARD[line.type](self, line) end
    end
    rest = rest:match "[^\r\n]*$"
    if #rest > lines.MOST then return lose(self, port, "a line has no end", true) end
    task.wake(self)
    local bytes, message, code = drivers.read(port, patience)
    if not bytes then
      local late = code == "ETIMEOUT"
      return lose(self, port, late and message or "the connection is lost", late)
    end
    rest = rest .. bytes
    task.sleep(0) -- after a delay there is much to read, and the clients' heartbeats are late already
  end
end

-- The first lines of a connection. They stop the axes that this device has moved on an earlier connection: a
-- server does not have to stop a robot whose client has disconnected.
local function hello(self)
  local config, speeds = self.config, {}
  for _, dof in ipairs(self.dofs) do if dof.touched and dof.speeds then speeds[dof] = 0 end end
  local where = config.start and { "Start", config.start } or { "Location", config.location or "0,0,0" }
  return lines.line("INIT", { "ClassName", self.class }, { "Name", config.name or self.robot }, where)
    .. (self.met and still(self) or "") .. to_dofs(self, speeds, 1)
    .. lines.line("GETCONF", { "Type", "Robot" }) .. lines.line("GETGEO", { "Type", "Robot" })
    .. places.questions(self)
end

-- Whether the server has reported everything that is needed to drive this robot.
local function is_known(self)
  return self.known and (self.radius or self.flies or not self.base)
end

-- Waits until the position of each dof that was moved on an earlier connection is reported, or until that time.
local function wait_for_places(self, port, since, late)
  local function silent()
    for _, dof in ipairs(self.dofs) do
      if dof.touched and dof.linked and dof.heard < since then return true end
    end
  end
  while self.port == port and core.now() < late and silent() do task.wait(self, late - core.now()) end
end

-- Connects: true; nil, message.
local function join(self)
  self.joins = true
  local _ <close> = setmetatable({}, { __close = function() self.joins = false end })
  local port, message = core.dial(self.config.url, DIAL)
  if not port then return nil, message end
  local greeting, more = drivers.read(port, ANSWER) -- lines that are sent before it may be lost
  if not greeting or port:write(hello(self)) == 0 then
    port:close()
    return nil, more or "nothing is taken"
  end
  local since = core.now()
  self.port, self.seen, self.known, self.refused, self.velocity = port, false, false, nil, { 0, 0, 0 }
  self.radius = self.config.wheel_radius
  forget_flight(self)
  self:spawn("watch", function() watch(self, port, greeting) end)
  local late = since + ANSWER
  while self.port == port and not is_known(self) and not self.refused and core.now() < late do
    task.wait(self, late - core.now())
  end
  if self.port == port and not self.refused and is_known(self) then
    wait_for_places(self, port, since, core.now() + ANSWER)
    if send(self, still(self) .. held(self, "touched")) then
      local ok, why = self.within, nil
      if not ok then ok, why = core.device_port(self.handle, port, self.ackerman and STILL_STEERED or STILL) end
      if ok then
        self.ready, self.met = port, true
        return true
      end
      self.refused = why
    end
  end
  local why = self.refused or self.known and "the server does not tell the radius of its wheels (wheel_radius)"
    or "the server does not tell what its robot is"
  if self.port == port then part(self, port) end
  return nil, why
end

-- ---- main task ----

-- told: the last reported reason why there is no connection.
local function live(self, told)
  local pause = FIRST
  while true do
    while self.port do task.wait(self) end
    task.sleep(pause)
    pause = math.min(2 * pause, LAST)
    local ok, message = join(self)
    if ok then
      log.say("info", "%s: gamebots: connected again", self.robot)
      pause, told = FIRST, nil
    elseif message ~= told then
      log.say("error", "%s: gamebots: %s", self.robot, message)
      told = message
    end
  end
end

-- ---- commands ----

-- DRIVE for a velocity of the base, and the remaining velocity.
local function wheels(self, x, theta)
  local half, reason = theta * (self.separation or 0) / 2, nil
  local left, right = (x - half) / self.radius, (x + half) / self.radius
  local most = math.max(math.abs(left), math.abs(right))
  if self.most and self.most > 0 and most > self.most then
    left, right, reason = left * self.most / most, right * self.most / most, "limit"
  end
  local turns = (self.separation or 0) > 0 and (right - left) * self.radius / self.separation or 0
  return lines.line("DRIVE", { "Left", left }, { "Right", right }), { (left + right) / 2 * self.radius, 0, turns },
    reason
end

local function steered(self, x, theta)
  local angle, reason = 0.0, nil
  if theta ~= 0 and x ~= 0 and (self.axles or 0) > 0 then angle = -math.atan(theta * self.axles / x) end
  if theta ~= 0 and angle == 0 then theta, reason = 0, "limit" end
  local most = (self.most or 0) * self.radius
  if most > 0 and math.abs(x) > most then
    x, theta, reason = x * most / math.abs(x), theta * most / math.abs(x), "limit"
  end
  return lines.line("DRIVE", { "Speed", x / self.radius }, { "FrontSteer", angle }, { "RearSteer", 0.0 }),
    { x, 0, theta }, reason
end

-- The speeds of the root's dofs, which are in the world, as velocities of the vehicle, as often as BEAT allows: the
-- core sends them at its own rate.
local function pilot(self)
  while true do
    while not self.flight.news do task.wait(self.flight) end
    local v, c, s = self.flight, math.cos(self.pose[3]), math.sin(self.pose[3])
    self.flight.news = false
    if self.ready and self.flies then
      local text, velocity = flown(self, c * v[1] + s * v[2], v[4], c * v[2] - s * v[1], v[3])
      reckon(self)
      if send(self, text) then self.velocity = velocity end
    end
    task.sleep(BEAT)
  end
end

-- Speeds of the root's dofs. Those that the flying vehicle lacks are 0.
local function fly(self, cmd, done)
  local lacks = false
  if not self.flies then return done("na", "unsupported") end
  for _, dof in ipairs(self.dofs) do
    if dof.joint == 0 and cmd.mask >> dof.index & 1 == 1 then
      local speed, cut = dofs.cut(cmd.value[dof.index + 1], dof.speed)
      if dof.flies then self.flight[dof.flies[1]] = dof.flies[2] * speed end
      lacks = lacks or cut or not dof.flies and speed ~= 0
    end
  end
  self.flight.news = true
  task.wake(self.flight)
  done(lacks and "modified" or "success", lacks and "limit" or nil)
end

local function drive(self, cmd, done)
  local form = self.flies and flown or self.ackerman and steered or wheels
  local x, cut_x = dofs.cut(cmd.x, self.base[1])
  local y, cut_y = dofs.cut(self.flies and cmd.y or 0, self.base[2])
  local theta, cut_theta = dofs.cut(cmd.theta, self.base[3])
  local text, velocity, reason = form(self, x, theta, y)
  reckon(self)
  if not send(self, text) then return done("error", "link") end
  self.velocity = velocity
  reason = cmd.y ~= 0 and not self.flies and "holonomic" or (cut_x or cut_y or cut_theta) and "limit" or reason
  done(reason and "modified" or "success", reason)
end

-- Moves dofs to positions and waits until they have arrived and stopped.
local function move(self, goals, done)
  local clipped = false
  for dof, to in pairs(goals) do
    local within = dof.limit and math.max(dof.limit[1], math.min(dof.limit[2], to)) or to
    if dof.grips and not dof.linked then -- only open and closed are known
      local open = within > (dof.limit[1] + dof.limit[2]) / 2
      within = dof.limit[open and 2 or 1]
    end
    clipped, goals[dof] = clipped or within ~= to, within
  end
  if not servo(self, goals, 0) then return done("error", "link") end
  local nearest, late, near = math.huge, core.now() + PATIENCE, nil
  while self.ready do
    local away, moves = 0, false
    for dof, to in pairs(goals) do
      away, moves = math.max(away, math.abs(dof.at - to) / dof.there), moves or dof.moves
    end
    near = away < 1 and (near or core.now()) or nil
    if near and (not moves or core.now() > near + REST) then
      return done(clipped and "modified" or "success", clipped and "limit" or nil)
    end
    if away < nearest - NEARER then nearest, late = away, core.now() + PATIENCE end
    if core.now() > late and not near then return done("error", "device") end
    task.wait(self, 0.2)
  end
  done("error", "link")
end

local ORDERS = { set_joint = 0, set_joint_speed = 1, set_joint_force = 2 }

function driver.start(self, cmd, done)
  if not self.ready then return done("error", "link") end
  if cmd.op == "stop" then
    local ok, port = halt(self), self.port
    done(ok and "success" or "error", not ok and "link" or nil)
    -- axes there would continue to move: they are stopped when the link is back
    if not ok and port then lose(self, port, "a stop does not go out: nothing is read there") end
    return
  elseif cmd.op == "set_speed" then
    return drive(self, cmd, done)
  elseif cmd.joint == 0 and ORDERS[cmd.op] then
    if cmd.op ~= "set_joint_speed" then return done("na", "unsupported") end
    return fly(self, cmd, done)
  elseif cmd.op ~= "home" and not ORDERS[cmd.op] then
    return done("na", "unsupported")
  end
  local values, clipped = {}, false
  for _, dof in ipairs(self.dofs) do
    local meant = not dof.follows and dof.joint == cmd.joint and cmd.mask >> dof.index & 1 == 1
    values[dof] = cmd.op == "home" and not dof.follows and dof.joint ~= 0 and dof.home
      or cmd.op ~= "home" and meant and cmd.value[dof.index + 1] or nil
    if values[dof] and cmd.op == "set_joint_speed" then
      local speed, cut = dofs.cut(values[dof], dof.speed)
      values[dof], clipped = speed, clipped or cut
    end
    if values[dof] then dof.moved, dof.touched = true, not dof.grips or dof.linked end
  end
  if (ORDERS[cmd.op] or 0) == 0 then return move(self, values, done) end
  if not servo(self, values, ORDERS[cmd.op]) then return done("error", "link") end
  done(clipped and "modified" or "success", clipped and "limit" or nil)
end

-- ---- open and close ----

function driver.open(self, config)
  local map, message = dofs.packages(config.packages)
  if not map then return nil, message end
  self.class = config.url:gsub("[?#].*$", ""):match "^gamebots[^/]*//[^/]+/([^/{}]+)$" or config.name or self.robot
  self.within = config.url:find "^gamebots%+local:" ~= nil or config.url:find "^gamebots%+tls:" ~= nil
  if config.url:find "^gamebots%+local:" then self.class = config.url:match ":([^?]*)" end
  self.radius, self.separation, self.axles = config.wheel_radius, config.wheel_separation, config.wheel_base
  self.velocity, self.pose, self.reckoned = { 0, 0, 0 }, { 0, 0, 0 }, core.now()
  self.dofs, self.moves, self.base = dofs.list(self.robot, map)
  self.flight = { 0, 0, 0, 0 }
  self:spawn("pilot", function() pilot(self) end)
  senses.begin(self)
  local ok, why = join(self)
  if not ok then log.say("error", "%s: gamebots: %s", self.robot, why) end
  self:spawn("life", function() live(self, why) end)
  return {}
end

-- C has stopped the wheels, except within this process, by TLS, and of flying vehicles; this holds the joints, too.
function driver.halted(self)
  halt(self)
  tell(self)
end

function driver.close(self)
  if self.port then self.port:close() end
end

return driver
