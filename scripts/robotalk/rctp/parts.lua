-- The parts that a stop of a robot behind RCTP names, by the names of the text `stop` there: base, a joint's object, or
-- JOINT.DOF (spec/rctp.md, Objects of our robots).
local rctp_parts = {}

local LONGEST <const> = 1024 -- bytes of a text

-- The dofs of a joint that a mask of all dofs names, as bits.
local function bits_of(joint, mask)
  local bits = 0
  for _, k in ipairs(joint.dofs) do
    local n = joint.first + k - 1
    if (mask:byte(n // 8 + 1) or 0) >> n % 8 & 1 == 1 then bits = bits | 1 << (k - 1) end
  end
  return bits
end

-- The names of those dofs.
local function add_names(names, joint, bits)
  local dofs, all = {}, true
  for _, k in ipairs(joint.dofs) do
    local has = bits >> (k - 1) & 1 == 1
    if has then dofs[#dofs + 1] = ("%s.%s"):format(joint.name, joint.names[k]) end
    all = all and has
  end
  table.move(all and { joint.name } or dofs, 1, all and 1 or #dofs, #names + 1, names)
end

---The text of a stop, and its parts: { base, joints = { { joint, dofs = bits } } }. nil parts: everything; nil
---text: nothing that commands move.
function rctp_parts.of(self, cmd)
  local mask, names, what = cmd.mask or "", {}, { base = self.has_base and cmd.base == 1, joints = {} }
  if what.base then names[1] = "base" end
  for _, joint in ipairs(self.joints) do
    local bits = bits_of(joint, mask)
    if bits ~= 0 then what.joints[#what.joints + 1] = { joint, dofs = bits } end
    if bits ~= 0 then add_names(names, joint, bits) end
  end
  local stop = cmd.own and "stop own" or "stop"
  local words = stop .. " " .. table.concat(names, " ")
  if mask == "" and cmd.base ~= 1 or #words > LONGEST then return stop, nil end
  return names[1] and words, what
end

return rctp_parts
