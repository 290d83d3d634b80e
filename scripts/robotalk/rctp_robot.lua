-- A robot behind RCTP as one of this process: its body is that of the RCML file there, and its driver speaks RCTP.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local rctp = require "robotalk.rctp"
local task = require "robotalk.task"

local rctp_robot = {}

local opened = {} -- name of a robot -> what became of its driver's connection: { ok, message, code }

---The driver of a robot here has its connection, or has none.
function rctp_robot.told(robot, ok, message, code)
  opened[robot] = { ok, message, code }
  task.wake("rctp " .. robot)
end

-- The name of the robot that an address means, and its RCML file.
local function fetch(url, timeout)
  local client <close>, message, code = rctp.dial(url, { timeout = timeout })
  if not client then return nil, message, code end
  local name = client.robot
  if name == "" then
    local list
    list, message, code = client:get "/"
    if not list then return nil, message, code end
    name = list:match "/([^/\n]+)%.wrl"
    if not name then return nil, "there is no robot at " .. url, "ENONE" end
  end
  local bytes
  bytes, message, code = client:get(("/%s.wrl"):format(name))
  if not bytes then return nil, message, code end
  return bytes, name
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

---Makes a robot of this process of one at rctp://host[:port]/robot: its body is that of the RCML file there, and its
---driver speaks RCTP. Its name; or nil, message, code.
function rctp_robot.add(url, timeout)
  local bytes, name, code = fetch(url, timeout)
  if not bytes then return nil, name, code end
  local d, problems = require "robotalk.rcml".read(bytes, name .. ".wrl")
  if not d then return nil, ("%s.wrl: %s"):format(name, problems[1] and problems[1].message or "no robot"), "EBODY" end
  d.name = free_name(d.name or name)
  for _, joint in pairs(d.joints or {}) do joint.driver = "body" end
  for _, sensor in pairs(d.sensors or {}) do sensor.driver = "body" end
  if d.base then d.base.driver = "body" end
  d.cameras, d.widgets, d.bus = nil, nil, nil
  d.drivers = { body = { script = "rctp", url = url } }
  opened[d.name] = nil
  local added, message
  added, message, code = descriptor.add(d)
  if not added then return nil, message, code end
  local late = core.now() + (timeout or 6)
  while not opened[added] and core.now() < late do task.wait("rctp " .. added, late - core.now()) end
  local told = opened[added] or { nil, "no answer in time", "ETIMEOUT" }
  opened[added] = nil
  if told[1] then return added end
  require "robotalk.drivers".remove(added)
  return nil, told[2], told[3]
end

return rctp_robot
