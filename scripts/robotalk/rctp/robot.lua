-- A robot behind RCTP as one of this process: its body is that of the server's RCML file, and its driver speaks RCTP.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local far = require "robotalk.robot.far"
local link = require "robotalk.rctp.link"
local panics = require "robotalk.rctp.panics"
local printable = require "robotalk.text.text".printable
local rctp = require "robotalk.rctp"
local rctp_pictures = require "robotalk.rctp.pictures"
local scene = require "robotalk.rcml.scene"
local task = require "robotalk.task"
local token = require "robotalk.server.token"

local rctp_robot = {}

local SEEN <const> = 1 -- s for which the server's list of clients is valid
local NAMES <const>, NAME <const> = 64, 64 -- of a server's robots, and bytes of a name, in messages

local wishes = {} -- name of a robot that was made here -> options: timeout, token, role, reconnect; url
local opened = {} -- name of a robot -> the result of its driver's connection: { ok, message, code }

-- ---- the holder of the remote robot, for scripts ----

local Far = {}
Far.__index = Far

-- Asks the server for the holder of the robot, on a connection of its own: a name or nil, and the s until it may be
-- free. false: it does not answer that.
local function ask_holder(self)
  local client <close> = rctp.dial(self.device.config.url,
    { timeout = 1, patience = 1, token = self.device.options.token })
  local status, headers = nil, nil
  if client then status, headers = client:ask("OPTIONS", client.robot ~= "" and client.robot or nil) end
  if status ~= 200 then return false end
  return headers.holder, tonumber(headers["retry-after"]) or 0
end

---The name of the client that drives the remote robot, and the s until it may be free; nil: no other client does.
function Far:holder()
  local refusal, now = self.device.refusal, core.now()
  if not refusal or self.device.lost then return nil end
  if not self.seen or now >= self.seen.until_ then
    local name, left = ask_holder(self)
    self.seen = { name = name, left = left, until_ = now + SEEN }
  end
  if self.seen.name ~= false then return self.seen.name, self.seen.left end
  if refusal.code ~= "ELEASE" then return nil end
  return refusal.holder or "a client", refusal.left or 0
end

---Whether this program holds the whole remote robot.
function Far:drives() return not self.device.refusal and not self.device.lost end

---Takes control of the remote robot: true, false when it had it before; or nil, message, code. RCTP has no request to
---the holder: until that time is over the robot is checked repeatedly.
function Far:take(timeout)
  local late, had = core.now() + (timeout or 0), not self.device.refusal
  while not link.claim(self.device, true) do
    local refusal = self.device.refusal
    if self.device.lost then return nil, "the link to the robot there is lost", "ELINK" end
    if refusal and refusal.trouble then return nil, table.unpack(refusal.trouble) end
    if refusal and refusal.code ~= "ELEASE" then return nil, refusal.message, refusal.code end
    if core.now() >= late then
      return nil, (refusal.holder or "a client") .. " has it, and cannot be asked for it by RCTP", "ELEASE"
    end
    task.sleep(math.min(1, late - core.now()))
  end
  return not had
end

---Gives the remote robot back: true; or nil, message, code.
function Far:release() return link.release(self.device) end

---The stop of the remote robot that latches this program: { stop, by, since }, or nil.
function Far:stopped() return self.device.latch end

---Resumes after it: true; or nil, message, code.
function Far:resume() return link.resume(self.device) end

---The number of local resets that its driver has handled.
function Far:resets() return panics.resets(self.device) end

---Waits until an instant for the remote robot's answer to a local reset, before which there were that many: true;
---or nil, message, code.
function Far:await_reset(before, late) return panics.await_reset(self.device, before, late) end

-- ---- the driver's side ----

---Begins a driver: the options of its connection.
function rctp_robot.begin(device, config)
  local options = wishes[device.robot]
  if not options or options.url ~= config.url then
    local who, message = token.of { token_file = config.token_file }
    if message then error(message, 0) end
    options = { token = who }
  end
  device.lost = true -- until it has a connection
  far.set(device.robot, setmetatable({ device = device }, Far))
  return options
end

---It ends.
function rctp_robot.over(device)
  local entry = far.get(device.robot)
  if entry and entry.device == device then far.set(device.robot, nil) end
end

---Records the result of its connection.
function rctp_robot.told(robot, ok, message, code)
  opened[robot] = { ok, message, code }
  task.wake("rctp " .. robot)
end

-- ---- making one ----

-- The names of a server's robots: other files follow an empty line.
local function names_of(client)
  local list, message, code = client:get "/"
  if not list then return nil, message, code end
  list = list:gsub("\r", ""):gsub("\n\n.*", "\n")
  local names = {}
  for name in list:gmatch "/([^/\n]+)%.wrl%f[\r\n\0]" do
    if #name <= NAME then names[#names + 1] = name end
    if #names == NAMES then break end
  end
  return names
end

---The names of all robots of a server; nil, message, code. options: timeout, token.
function rctp_robot.names(url, options)
  local client <close>, message, code = rctp.dial(url, { timeout = options.timeout, token = options.token })
  if not client then return nil, message, code end
  return names_of(client)
end

-- The RCML file of the robot of an address, its name, and the name of its server; nil, message, code.
local function fetch(url, options)
  local client <close>, message, code = rctp.dial(url, { timeout = options.timeout, token = options.token })
  if not client then return nil, message, code end
  local name = client.robot
  if name == "" then
    local names
    names, message, code = names_of(client)
    if not names then return nil, message, code end
    name = names[1]
    if not name then return nil, "there is no robot at " .. url, "ENONE" end
  end
  local bytes
  bytes, message, code = client:get(("/%s.wrl"):format(name))
  if bytes then return bytes, name, client.host end
  local names = code == "ENONE" and names_of(client)
  if not names then return nil, message, code end
  return nil, ("there is no robot '%s' at %s; its robots are: %s"):format(printable(name), client.host,
    names[1] and printable(table.concat(names, ", ")) or "none"), "ENONE"
end

-- The descriptor of a robot's RCML file; then notes, the file's RCML_Robot, the robot's name, and the name of its
-- server. nil, message, code.
local function read(url, options)
  local bytes, name, host = fetch(url, options)
  if not bytes then return nil, name, host end
  local d, notes, _, rcml = require "robotalk.rcml".read(bytes, name .. ".wrl", { meshes = options.meshes })
  if d then return d, notes, rcml, name, host end
  return nil, printable(("%s.wrl: %s"):format(name, notes[1] and notes[1].message or "no robot")), "EBODY"
end

---The complete descriptor from the RCML file of a robot, and notes; nil, message, code. options: token; meshes,
---as of rcml.read.
function rctp_robot.descriptor(url, options)
  local bytes, name, code = fetch(url, options)
  if not bytes then return nil, name, code end
  local made, notes
  made, notes, code = descriptor.of_rcml(bytes, name .. ".wrl", options)
  if made then return made.descriptor, notes end
  return nil, printable(notes), code
end

-- The layouts of the control objects of an RCML_Robot, by name, as for rctp.dial.
local TYPES <const> = { [0] = "f", "i", "b" }
local function layouts_of(robot)
  local out = {}
  for _, list in ipairs { "inputs", "outputs", "RCML_ControlInput", "RCML_ControlOutput" } do
    for _, node in ipairs(robot and scene.nodes(robot, list) or {}) do
      local types = {}
      for _, parameter in ipairs(scene.nodes(node, node.type .. "Data")) do
        types[#types + 1] = TYPES[scene.get(parameter, "value_type")]
      end
      if types[1] and node.fields.name then
        out[node.fields.name] = { kind = "control", types = table.concat(types),
          stamp_size = scene.get(node, "time_stamp_size"), masked = scene.get(node, "data_mask") }
      end
    end
  end
  return out
end

---The layouts of control objects from the RCML file of that robot, as for rctp.dial; nil, message. options: of the
---connection; the result is kept there, as long as the local robot exists.
function rctp_robot.layouts(url, options)
  if options.layouts then return options.layouts end
  local d, message, robot = read(url, options)
  if not d then return nil, message end
  options.layouts = layouts_of(robot)
  return options.layouts
end

-- A name for it that no robot of this process has.
local function free_name(name)
  local taken, n, free = {}, 1, name
  for _, there in ipairs(core.robots()) do taken[there] = true end
  while taken[free] do
    n = n + 1
    free = ("%s_%d"):format(name:sub(1, 27), n)
  end
  return free
end

-- Adds it, and waits for its driver's connection: its name; or nil, message, code, and it is not added.
local function add(d, options)
  local added, message, code, kept
  local _ <close> = setmetatable({}, { __close = function()
    options.at_once, opened[d.name] = nil, nil
    if kept then return end
    wishes[d.name] = nil
    if added then require "robotalk.drivers".remove(added) end
  end })
  options.at_once, options.url = true, d.drivers.body.url
  opened[d.name] = nil -- of an earlier robot of this name
  wishes[d.name] = options
  added, message, code = descriptor.add(d)
  if not added then return nil, message, code end
  local late = core.now() + math.max(options.timeout or 6, 6)
  while not opened[added] and core.now() < late do task.wait("rctp " .. added, late - core.now()) end
  local told = opened[added] or { nil, "no answer in time", "ETIMEOUT" }
  if not told[1] then return nil, told[2], told[3] end
  kept = true
  return added
end

---Makes a robot of this process from one at rctp://host[:port]/robot: its body is that of the RCML file, and its
---driver speaks RCTP. options: timeout, token, role, reconnect, as of rt.connect. Its name; or nil, message, code.
function rctp_robot.add(url, options)
  if core.hosted() then
    return nil, "a robot by RCTP is one of the program that connects, and a hosted script makes none: "
      .. "a robot of the server may have the driver rctp", "EADDRESS"
  end
  local d, message, rcml, name, host = read(url, options)
  if not d then return nil, message, rcml end
  d.name = free_name(d.name or name)
  for _, joint in pairs(d.joints or {}) do joint.driver = "body" end
  for _, sensor in pairs(d.sensors or {}) do sensor.driver = "body" end
  if d.base then d.base.driver = "body" end
  d.widgets, d.bus = nil, nil
  d.battery = nil -- no message has its charge
  rctp_pictures.describe(d, rcml, { url = url, host = host })
  options.layouts = layouts_of(rcml)
  d.drivers = { body = { script = "rctp", url = url } }
  return add(d, options)
end

return rctp_robot
