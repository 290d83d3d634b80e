-- URDF, the robot files of ROS, in and out.
local core = require "robotalk.core"
local body = require "robotalk.urdf.body"
local report = require "robotalk.urdf.report"
local source = require "robotalk.urdf.source"
local tree = require "robotalk.urdf.tree"

local urdf = {}

---A URDF file's text as a descriptor's table, and a list of notes; or nil and a list of errors. Both have line,
---column, message; a note about a value that is a guess has guess = true and its path, such as
---"joints[1].dofs[1].home". file: its name, if the robot has none. options: package_paths, a list of folders with
---packages; folder, of the file itself; fold, true: chains of joints whose axes meet in a point, with nothing between
---them, become one joint. Links that fixed joints connect become one link; the frames of the original links
---become control frames. A planar joint has the dofs x, y, theta, a floating one x, y, z, yaw, pitch, roll.
function urdf.read(text, file, options)
  local said = report.new()
  local robot = source.read(core, text, said)
  local bodies = robot and tree.build(robot, said, options or {})
  local out = bodies and body.describe(robot, bodies, file, said, options or {})
  if #said.errors > 0 then return nil, said:sorted(said.errors) end
  return out, said:sorted(said.notes)
end

---A descriptor's table as URDF text, and a list of notes { message } on fields that URDF cannot hold.
function urdf.write(descriptor) return require "robotalk.urdf.write".write(descriptor) end

-- Names of links as frames have them in transforms (protocols/recording/shown.h), which are of all robots.
local function prefixed(text, name)
  return (text:gsub('(<link name=")', "%1" .. name .. "/"):gsub('(<%l+ link=")', "%1" .. name .. "/"))
end

---The files NAME.urdf of this process's robots for core.serve, if one of the addresses is for clients of ROS or
---Foxglove, or in a domain of DDS: their topic robot_description.
function urdf.files(listen)
  local list, wanted = {}
  for _, url in ipairs(type(listen) == "table" and listen or {}) do -- core.serve says what is wrong with it
    local scheme = tostring(url):match "^%l+"
    wanted = wanted or scheme == "rosbridge" or scheme == "foxglove" or scheme == "dds"
  end
  for _, name in ipairs(wanted and core.robots() or {}) do
    local robot <close> = require "robotalk".connect("local:" .. name)
    list[#list + 1] = { path = name .. ".urdf", type = "application/xml",
      bytes = prefixed(urdf.write(robot:describe().descriptor), name) }
  end
  return list
end

return urdf
