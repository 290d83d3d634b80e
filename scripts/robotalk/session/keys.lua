-- Keys of tables by which scripts name the dofs of a joint: their names; their numbers, from 0, or from 1 in a list of
-- all of them; and for the only dof of a joint the joint's name, too.
local mistake = require "robotalk.mistakes.mistake"

local keys = {}

-- Whether the numbers of a table are those of a list of all of a joint's dofs, from 1 on.
local function is_list(joint, values)
  if values[0] ~= nil or values[#joint.names + 1] ~= nil then return false end
  for k = 1, #joint.names do if values[k] == nil then return false end end
  return true
end

-- The place of a dof in its joint, from 0, by a key that is not its name; nil: it has no such dof.
local function by_other(joint, key)
  local count = #joint.names
  if count == 1 and key == joint.name then return 0 end
  local number = math.tointeger(tonumber(key))
  return number and number >= 0 and number < count and number or nil
end

---The place of a dof in its joint, from 0, by a key of a script's table of values; nil: the joint has no such dof.
function keys.place(joint, values, key)
  local place = joint.index[key]
  if place then return place end
  if math.type(key) ~= "integer" or values[0] ~= nil then return by_other(joint, key) end
  if is_list(joint, values) then return key >= 1 and key <= #joint.names and key - 1 or nil end
  if key >= 1 and key < #joint.names then
    mistake("%s: is [%d] a number of a dof, from 0, or the first of a list? want names (%s), or all %d", joint.name,
      key, table.concat(joint.names, ", "), #joint.names)
  end
end

---The values of a script for a joint as a table; a plain number is for the only dof.
function keys.table_of(joint, values, what)
  if type(values) == "table" then return values end
  if math.type(values) and #joint.names == 1 then return { [joint.names[1]] = values } end
  mistake("%s: want a table of dofs (%s)%s, got %s", what, table.concat(joint.names, ", "),
    #joint.names == 1 and " or a number" or "", type(values))
end

local metas = setmetatable({}, { __mode = "k" }) -- joint -> metatable

---The metatable of values by names of a joint's dofs, which can be read by number and by the joint's name, too.
function keys.meta_of(joint)
  local meta = metas[joint]
  if not meta then
    meta = { __index = function(values, key)
      local place = by_other(joint, key)
      return place and rawget(values, joint.names[place + 1])
    end }
    metas[joint] = meta
  end
  return meta
end

return keys
