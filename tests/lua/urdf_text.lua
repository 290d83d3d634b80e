-- Texts of URDF, what is read from them and what they are told, and poses of a robot's links, for tests.
local spatial = require "robotalk.robot.spatial"
local urdf = require "robotalk.urdf"

local urdf_text = {}

urdf_text.FOLDER = "tests/urdf"

function urdf_text.text_of(name)
  local file <close> = assert(io.open(urdf_text.FOLDER .. "/" .. name, "rb"))
  return file:read "a"
end

function urdf_text.read(name, options)
  options = options or {}
  options.folder = urdf_text.FOLDER
  return urdf.read(urdf_text.text_of(name), name, options)
end

function urdf_text.robot(body) return urdf.read("<robot name='r'>" .. body .. "</robot>") end

function urdf_text.lines_of(list)
  local lines = {}
  for i, e in ipairs(list) do lines[i] = ("%d:%d: %s"):format(e.line, e.column, e.message) end
  return table.concat(lines, "\n")
end

function urdf_text.lines_of_messages(list)
  local lines = {}
  for i, e in ipairs(list) do lines[i] = e.message end
  return table.concat(lines, "\n")
end

-- Raises unless these lists of numbers, or of lists of them, are the same but for rounding.
function urdf_text.near(want, got, what)
  if #want ~= #got then error(("%s: expected %d numbers, got %d"):format(what, #want, #got), 2) end
  for i, x in ipairs(want) do
    if type(x) == "table" then
      urdf_text.near(x, got[i], what)
    else
      local same = math.abs(x - got[i]) <= 1e-12
      if not same then error(("%s %d: expected %.17g, got %.17g"):format(what, i, x, got[i]), 2) end
    end
  end
end

-- A dof's motion by q, about its axis by Rodrigues' formula: r = 1 + sin q k + (1 - cos q) k k, k v = axis x v.
local function motion(dof, q)
  local a = dof.axis or { 0, 0, 1 }
  if dof.type == "prismatic" then return { p = spatial.scale(a, q), r = spatial.identity() } end
  local k = { { 0, -a[3], a[2] }, { a[3], 0, -a[1] }, { -a[2], a[1], 0 } }
  local kk, r = spatial.multiply(k, k), spatial.identity()
  for i = 1, 3 do
    for j = 1, 3 do r[i][j] = r[i][j] + math.sin(q) * k[i][j] + (1 - math.cos(q)) * kk[i][j] end
  end
  return { p = { 0, 0, 0 }, r = r }
end

local function rotation(turn)
  if not turn then return spatial.identity() end
  return type(turn[1]) == "table" and turn or spatial.from_angles(turn)
end

-- Poses of all links and control frames by name, as spec/descriptor.lua has it; q(n) is the position of the n-th dof.
function urdf_text.poses(d, q)
  q = q or function(n) return 0.9 * math.sin(n) end
  local link, out, n = { [0] = spatial.nowhere() }, {}, 0
  for number, joint in ipairs(d.joints) do -- parents come first
    local com = d.links[joint.parent].com or { 0, 0, 0 }
    local pose = spatial.compose(link[joint.parent],
      { p = joint.position or spatial.add(com, joint.inboard), r = rotation(joint.rest) })
    for _, dof in ipairs(joint.dofs) do
      n = n + 1
      pose = spatial.compose(pose, motion(dof, q(n)))
    end
    local outboard = joint.outboard and spatial.add(d.links[number].com or { 0, 0, 0 }, joint.outboard) or { 0, 0, 0 }
    link[number] = { p = spatial.place(pose, spatial.scale(outboard, -1)), r = pose.r }
  end
  for number, entry in pairs(d.links) do out[entry.name] = link[number] end
  for _, frame in ipairs(d.frames or {}) do
    out[frame.name] = spatial.compose(link[frame.link],
      { p = frame.position or { 0, 0, 0 }, r = rotation(frame.attitude) })
  end
  return out
end

function urdf_text.same_poses(want, got)
  for name, pose in pairs(want) do
    if not got[name] then error("no pose of " .. name, 2) end
    urdf_text.near(pose.p, got[name].p, name)
    urdf_text.near(pose.r, got[name].r, name)
  end
end

return urdf_text
