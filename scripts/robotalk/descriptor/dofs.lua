-- Names of dofs: defaults for those to which a description gives none.
local AXES = { prismatic = { "x", "y", "z" }, revolute = { "roll", "pitch", "yaw" } }
local FIELDS = { start = true, speed = true, acceleration = true, velocity = true } -- of commands, beside dofs

-- The axis of a joint that a direction is nearest to, 1 to 3.
local function nearest_axis(direction)
  local axis = 1
  for i = 2, 3 do if math.abs(direction[i]) > math.abs(direction[axis]) then axis = i end end
  return axis
end

---The names of the dofs of a described joint: their own. By default an only dof has the joint's name, one of several
---that of its axis; if that is taken, with a number behind it.
return function(joint)
  local dofs, names, taken = joint.dofs or {}, {}, {}
  for k, dof in ipairs(dofs) do
    names[k] = dof and dof.name
    if names[k] then taken[names[k]] = true end
  end
  for k, dof in ipairs(dofs) do
    if not names[k] then
      local axis = AXES[dof and dof.type or "revolute"][nearest_axis(dof and dof.axis or { 0, 0, 1 })]
      local name, n = axis, 1
      while taken[name] do
        n = n + 1
        name = axis .. n
      end
      if #dofs == 1 and not FIELDS[joint.name] then name = joint.name end
      names[k], taken[name] = name, true
    end
  end
  return names
end
