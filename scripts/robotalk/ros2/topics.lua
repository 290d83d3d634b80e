-- Topics of ROS 2 in a domain of DDS, without ROS: messages as tables (robotalk.ros2.cdr), under the names of ROS.
local cdr = require "robotalk.ros2.cdr"
local core = require "robotalk.core"
local task = require "robotalk.task"
require "robotalk.task.ports" -- wakes tasks that wait for "readable"

local topics = {}
local FAST_DDS <const> = "\1\15" -- its number as a vendor, at the begin of a GUID

local Topic = {}
Topic.__index = Topic

---The absolute name of a topic: "/robot1/odom" of the namespace "/robot1" and "odom".
function topics.absolute(namespace, name)
  return name:sub(1, 1) == "/" and name or ("/%s/%s"):format(namespace, name):gsub("/+", "/")
end

---The name of a type in ROS, "nav_msgs/msg/Odometry" of "nav_msgs::msg::dds_::Odometry_"; others keep theirs.
function topics.type(type)
  local package, name = type:match "^(.+)::dds_::(.+)_$"
  return package and package:gsub("::", "/") .. "/" .. name or type
end

---Opens a topic. is: name, absolute; message; write; reliable; lasting; depth (1; 0: all samples are kept); wire, its
---name in DDS, unless it is that of a topic. nil, message, code.
function topics.open(url, is)
  local wire = is.wire or "rt" .. is.name
  local made, message, code = core.dds(url, { name = wire, type = cdr.dds_type(is.message), write = is.write,
    reliable = is.reliable, lasting = is.lasting, depth = is.depth or 1, remains = true })
  if not made then return nil, ("%s: %s"):format(is.name, message), code end
  return setmetatable({ name = is.name, wire = wire, message = is.message, write = is.write, core = made }, Topic)
end

-- head: as of cdr.encode
function Topic:put(value, head) return self.core:put(cdr.encode(self.message, value, head)) end

---Waits for the next sample until an instant (nil: for ever): "sample" and the message; "bad" and what is wrong with
---it; "lost", its last writer has gone; nil: none has come, or the topic is closed. head: the bytes before it,
---which are the third result. newest: leaves out samples that others follow already.
function Topic:next(late, head, newest)
  while true do
    local event, _, bytes = self.core:take()
    while event == "sample" and newest do
      local later, _, more = self.core:take()
      if not later then break end
      event, bytes = later, more
    end
    if event == "sample" then
      local value, message = cdr.decode(self.message, bytes, head)
      if not value then return "bad", message end
      return event, value, bytes:sub(5, 4 + (head or 0))
    elseif event then
      return "lost"
    end
    local left = late and late - core.now()
    if event == nil or left and left <= 0 then return nil end
    task.wait("readable" .. self.core:handle(), left)
  end
end

---Why the other end is not there, or is not understood; nil: it is.
function Topic:trouble()
  local type, other = cdr.dds_type(self.message), nil
  for _, e in ipairs(self.core:list()) do
    if e.topic == self.wire and e.writes ~= (self.write or false) then
      if e.type == type and not (e.guid:sub(1, 2) == FAST_DDS and self.wire:find "^rq/") then return nil end
      other = e.type
    end
  end
  if other == type then return "it is a service in the dialect of Fast DDS, expected that of rmw_cyclonedds" end
  if not other then return self.write and "nobody reads it" or "nobody writes it" end
  return ("it has the type %s there, expected %s"):format(topics.type(other), topics.type(type))
end

---The URDF of a topic of ROS 2, at ros2://DOMAIN[/NAMESPACE]/robot_description; nil, message.
function topics.description(url)
  local domain, name, options = url:match "^%w+://(%d+)(/[^?]*)(.*)$"
  if not domain then return nil, url .. ": expected ros2://DOMAIN[/NAMESPACE]/robot_description" end
  local topic <close>, message = topics.open(("dds://%s%s"):format(domain, options), { name = name, reliable = true,
    lasting = true, message = "std_msgs/msg/String" })
  if not topic then return nil, message end
  local event, value = topic:next(core.now() + 5)
  local why = event == "bad" and value or topic:trouble() or "nothing was written yet"
  return event == "sample" and value.data or nil, ("%s: %s: %s"):format(url, name, why)
end

function Topic:close() self.core:close() end
Topic.__close = Topic.close

return topics
