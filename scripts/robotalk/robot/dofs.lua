-- The dofs of a robot that take set-points, of which one that mimics another is none.
local SETPOINT <const> = 1 -- servo command of a joint

---Of a robot's description: a list of { name (of the joint, or JOINT.DOF where it has several), joint, dof, place (in a
---posture, from 1), limits }, in the order of a posture.
return function(body)
  local list = {}
  for name, joint in pairs(body.joints) do
    for k = 1, name == joint.name and joint.servo & SETPOINT ~= 0 and joint.dofs or 0 do
      local dof, place = joint.names[k], joint.first + k
      if body.limits.dof[place].mimics == 0 then
        list[#list + 1] = { name = joint.dofs > 1 and name .. "." .. dof or name, joint = name, dof = dof,
          place = place, limits = body.limits.dof[place] }
      end
    end
  end
  table.sort(list, function(a, b) return a.place < b.place end)
  return list
end
