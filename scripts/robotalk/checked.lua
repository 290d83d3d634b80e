-- The fields of the tables that scripts give. Whoever takes a table says which it may have; one that it may not have
-- raises, with the one that was perhaps meant.
local mistake = require "robotalk.mistake"
local near = require "robotalk.near"

local checked = {}

---The names of a table's fields that are texts, in order.
function checked.names(set)
  local names = {}
  for name in pairs(set) do if type(name) == "string" then names[#names + 1] = name end end
  table.sort(names)
  return names
end

---Raises: `what` has no field, or what else `noun` says, of that name, but those of a list. others: a set of further
---names that may have been meant.
function checked.refuse(what, noun, name, names, others)
  local meant = near(name, names) or others and near(name, checked.names(others))
  mistake("%s has no %s '%s'; %s has %s", what, noun, tostring(name),
    meant and ("did you mean '%s'? It"):format(meant) or "it", #names > 0 and table.concat(names, ", ") or "none")
end

---A table of options, empty when there is none. Raises when it is no table, or has a field that is not in `allowed`,
---where each name has a true value.
function checked.options(given, allowed, what)
  if given == nil then return {} end
  if type(given) ~= "table" then mistake("%s: want a table of options, got %s", what, type(given)) end
  for name in pairs(given) do
    if not allowed[name] then checked.refuse(what, "option", name, checked.names(allowed)) end
  end
  return given
end

return checked
