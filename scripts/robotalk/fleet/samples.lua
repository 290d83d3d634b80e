-- Topics of a fleet's domain, as tasks read them (spec/dds.md).
local cdr = require "robotalk.ros2.cdr"
local core = require "robotalk.core"
local task = require "robotalk.task"

require "robotalk.task.ports" -- which wakes those that wait for a topic

local samples = {}

local MOST <const> = 64 -- samples that are taken without a pause

---A topic of robotalk's own. lasts: those that come later get the newest of each robot.
function samples.form(name, type, lasts)
  return { name = "robotalk/" .. name, type = ("robotalk::msg::dds_::%s_"):format(type), keyed = true,
    reliable = lasts, lasting = lasts, depth = 1 }
end

---Opens a topic, which is closed with <close>; nil, message, code.
function samples.open(url, form, how)
  local copy = { write = how == "write" }
  for name, value in pairs(form) do copy[name] = value end
  return core.dds(url, copy)
end

---Calls fn(event, key, message, time, guid) for each sample, in a task of its own: message is decoded as that type
---(nil: without a type, and at the end of an instance). Samples that cannot be read are left out. The topic; nil,
---message, code.
function samples.listen(url, form, type, fn)
  local topic, message, code = samples.open(url, form, "read")
  if not topic then return nil, message, code end
  local name = "readable" .. topic:handle()
  local t = task.spawn("fleet", function()
    local row = 0
    while true do
      local event, key, bytes, time, guid = topic:take()
      if event == nil then return end
      if event == false then
        task.wait(name)
        row = 0
      else
        local m = type and event == "sample" and cdr.decode("robotalk/msg/" .. type, bytes) or nil
        if m or not type or event ~= "sample" then fn(event, key, m, time, guid) end
        row = row + 1
        if row % MOST == 0 then task.sleep(0) end
      end
    end
  end)
  t.background = true
  return topic
end

return samples
