-- Who drives a robot: methods of its sessions. An axis, the base or a dof, is driven by one client at a time, which
-- holds the lease of it; spec/robotalk.md, section 8.
local lease = {}

---How a client is called for people: its own name, and its number at the server.
function lease.name(number, name)
  if number == 0 then return "the program that serves it" end
  return ("%s %d"):format(name ~= "" and name or "a client", number)
end

-- The names of what a mask of dofs says, and of the base: joints, or single dofs of them.
local function parts_of(body, base, mask)
  local parts, joints = {}, {}
  for _, joint in pairs(body.joints) do joints[joint.number + 1] = joint end
  for _, joint in ipairs(joints) do
    local names = {}
    for k = 1, joint.dofs do
      local n = joint.first + k - 1
      if (mask:byte(n // 8 + 1) or 0) >> n % 8 & 1 == 1 then names[#names + 1] = joint.names[k] end
    end
    if joint.dofs > 0 and #names == joint.dofs then
      parts[#parts + 1] = joint.name
    else
      for _, name in ipairs(names) do parts[#parts + 1] = joint.name .. "." .. name end
    end
  end
  if base then table.insert(parts, 1, "base") end
  return parts
end

---What others drive, in words.
function lease.words(holders)
  local words = {}
  for _, holder in ipairs(holders) do
    local parts = table.concat(holder.parts, ", ")
    if not holder.own then words[#words + 1] = ("%s drives %s"):format(holder.holder, parts) end
  end
  return #words > 0 and table.concat(words, "; ") or "nobody else drives the robot"
end

---Adds the methods to a class of sessions. query: sends one, and waits for its answer.
function lease.add(Session, query)
  ---Who drives what: a list of { holder, own, left, parts }, as spec/api.lua has it; or nil, message, code.
  function Session:holders()
    local holders = {}
    while true do
      local answer, message, code = query(self, "holder", { index = #holders })
      if code == "ENONE" and not self.closed then return holders end
      if not answer then return nil, message, code end
      holders[#holders + 1] = { holder = lease.name(answer.holder, answer.name), own = answer.own ~= 0,
        left = answer.left, parts = parts_of(self.body, answer.base ~= 0, answer.mask) }
    end
  end
end

return lease
