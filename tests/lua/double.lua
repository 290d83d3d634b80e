-- A robot of this process and its double, which stands for it behind RCTP, and links between them in a test's hands.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local late_link = require "tests.lua.late"
local rctp = require "robotalk.rctp"

local double = {}

-- The links by RCTP from here on, to be closed: then all robots go, too, and the log is the program's again.
-- late: s that each takes each way.
--   links.cut()     loses the newest one
--   links.away(is)  does so, and none comes back, until they are not away any more
--   links.said()    what the log has said meanwhile
function double.links(late)
  local dial, log, newest, gone, said = rctp.dial, core.log, nil, false, {}
  local links = {}
  rctp.dial = function(...)
    if gone then return nil, "the network is unreachable", "EADDRESS" end
    local client, message, code = dial(...)
    if client and late then client = late_link(client, late) end
    newest = client or newest
    return client, message, code
  end
  core.log = function(text) said[#said + 1] = text end
  function links.cut() newest.port:close() end
  function links.away(is)
    gone = is
    if is and newest then links.cut() end
  end
  function links.said() return table.concat(said) end
  return setmetatable(links, { __close = function()
    rctp.dial, core.log = dial, log
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
    if late then rt.sleep(1) end -- what is on its way arrives
  end })
end

-- fn(far, real, links): a double of a robot, and the robot.
-- how.robot: its name, else "pioneer2"; how.late: as above; how.options: of the double's address, as "?stamp=4";
-- how.connect: what rt.connect takes for the double.
function double.with(fn, how)
  how = how or {}
  local name = how.robot or "pioneer2"
  local links <close> = double.links(how.late)
  assert(rt.add_robot(name))
  local far <close> = rt.connect(("rctp+local:%s%s"):format(name, how.options or ""), how.connect)
  local real <close> = rt.connect("local:" .. name)
  fn(far, real, links)
end

-- A robot of that name behind `other`, by its driver in a descriptor: a connection to it, and its descriptor.
function double.behind(name, other)
  local d = assert(descriptor.load "pioneer2")
  for _, joint in pairs(d.joints) do joint.driver = "body" end
  d.name, d.base.driver, d.drivers = name, "body", { body = { script = "rctp", url = "rctp+local:" .. other } }
  d.sensors, d.cameras, d.widgets = nil, nil, nil
  assert(rt.add_robot(d))
  return rt.connect("local:" .. name), d
end

function double.panics(far, real)
  return ("here %s, there %s"):format(far:state().panic and "panic" or "free", real:state().panic and "panic" or "free")
end

return double
