-- The tree of links and joints of a checked descriptor: numbers, parents and children, and
-- impossible structures: a cycle, two parents, a name twice.
local check = require "robotalk.descriptor.check"

local tree = {}

local function sorted(numbered)
  local keys = {}
  for key in pairs(numbered or {}) do keys[#keys + 1] = key end
  table.sort(keys)
  return ipairs(keys)
end
tree.sorted = sorted

-- Reports duplicate names; name_of(item) may be nil.
local function twice(items, path, what, report)
  local seen = {}
  for _, key in sorted(items) do
    local item = items[key]
    local name = item and item.name
    if name and seen[name] then
      report:add(("%s[%d].name"):format(path, key), "expected a name of its own: %s[%d] is called %q too", what,
        seen[name], name)
    elseif name then
      seen[name] = key
    end
  end
end
tree.twice = twice

-- The joints with their numbers, joint 0 included; parent and child as written or by default.
local function list_joints(d)
  local joints = {}
  for _, number in sorted(d.joints) do
    local j = d.joints[number] or {}
    joints[number] = j
    j.number = number
    j.path = ("joints[%d]"):format(number)
    if number == 0 then
      j.parent, j.child = j.parent or "world", j.child or 0
    else
      j.parent, j.child = j.parent or number - 1, j.child or number
    end
    j.name = j.name or (number == 0 and "root" or "joint" .. number)
    j.dofs = j.dofs or {}
  end
  joints[0] = joints[0] or { number = 0, path = "joints[0]", parent = "world", child = 0, name = "root", dofs = {},
    implied = true }
  return joints
end

-- The links: those that are written, and those that only joints name.
local function list_links(d, joints)
  local links = {}
  for _, number in sorted(d.links) do links[number] = d.links[number] or {} end
  local most = 0
  for number in pairs(links) do most = math.max(most, number) end
  for _, j in pairs(joints) do
    if math.type(j.child) == "integer" and j.child < check.kinds.link.max then most = math.max(most, j.child) end
  end
  for number = 0, most do links[number] = links[number] or {} end
  return links
end

-- The number of the link that a joint, frame or sensor names, or nil after a report.
function tree.link(links, reference, path, report)
  if links[reference] then return reference end
  local names = {}
  for _, number in sorted(links) do
    if links[number].name == reference then return number end
    names[#names + 1] = links[number].name or tostring(number)
  end
  report:add(path, "expected the number or the name of a link (%s), got %s", table.concat(names, ", "),
    check.show(reference))
end

-- Whether the path from a link to its root is a cycle. A path to a link without a parent was reported there.
local function goes_round(start, parent_of)
  local link, steps = start, 0
  while parent_of[link] and parent_of[link] ~= "world" do
    if steps > check.kinds.link.max then return true end
    link, steps = parent_of[link], steps + 1
  end
  return false
end

-- Links that no joint moves: roots of their own if they have a position.
local function find_roots(links, joints, joint_of, report)
  local most = 0
  for number in pairs(joints) do most = math.max(most, number) end
  for _, number in sorted(links) do
    if not joint_of[number] then
      local l = links[number]
      if l.position or l.attitude then
        most = most + 1
        joints[most] = { number = most, path = ("links[%d]"):format(number), parent = "world", child = number,
          name = (l.name or "link" .. number) .. " root", dofs = {}, implied = true, parent_link = "world",
          child_link = number }
        joint_of[number] = most
      else
        report:add(("links[%d]"):format(number),
          "expected a joint whose child it is, or a position in the world as roots have it")
      end
    end
  end
end

---Links and joints by their numbers, each joint with parent_link ("world" or a number) and child_link; names filled in.
function tree.make(d, report)
  local joints = list_joints(d)
  local links = list_links(d, joints)
  local joint_of, parent_of = {}, {}
  for _, number in sorted(joints) do
    local j = joints[number]
    j.child_link = tree.link(links, j.child, j.path .. ".child", report)
    if j.child_link then
      local other = joint_of[j.child_link]
      if other then
        report:add(j.path .. ".child",
          "expected a link that no other joint moves: joint '%s' has link %s for its child too",
          joints[other].name, check.show(j.child))
      else
        joint_of[j.child_link] = number
      end
    end
  end
  for _, number in sorted(links) do
    local l, j = links[number], joints[joint_of[number]]
    l.name = l.name or (number == 0 and "base") or (j and j.name)
  end
  for _, number in sorted(joints) do
    local j = joints[number]
    if j.parent == "world" then
      j.parent_link = "world"
    else
      j.parent_link = tree.link(links, j.parent, j.path .. ".parent", report)
    end
    if joint_of[j.child_link] == number then parent_of[j.child_link] = j.parent_link end
    if number == 0 and (j.parent_link ~= "world" or j.child_link ~= 0) then
      report:add(j.path, "expected joint 0 to be that of root link 0: parent \"world\", child 0")
    end
    if #j.dofs == 0 and j.parent_link ~= "world" and (d.joints or {})[number] then
      report:add(j.path .. ".dofs", "expected a list of 1 to 6 dofs, got %s", j.dofs and "none" or "nothing")
    end
  end
  find_roots(links, joints, joint_of, report)
  for _, number in sorted(joints) do
    local j = joints[number]
    if j.child_link and goes_round(j.child_link, parent_of) and joint_of[j.child_link] == number then
      report:add(j.path .. ".parent", "expected a link that hangs on a root: link %s is its own ancestor",
        check.show(j.child))
    end
  end
  for _, number in sorted(links) do
    local l, j = links[number], joints[joint_of[number]]
    if (l.position or l.attitude) and j and j.parent_link ~= "world" then
      report:add(("links[%d].%s"):format(number, l.position and "position" or "attitude"),
        "expected none: joint '%s' says where this link is; only roots have a place in the world", j.name)
    end
    l.name = l.name or "link" .. number
  end
  twice(links, "links", "links", report)
  twice(joints, "joints", "joints", report)
  return links, joints, joint_of
end

return tree
