-- Checks the fields of tables that scripts pass. The called function lists the allowed fields; any other field
-- raises, with the one that was perhaps meant.
local mistake = require "robotalk.mistakes.mistake"
local near = require "robotalk.mistakes.near"

local checked = {}

---The names of a table's fields that are texts, in order.
function checked.names(set)
  local names = {}
  for name in pairs(set) do if type(name) == "string" then names[#names + 1] = name end end
  table.sort(names)
  return names
end

---Raises: `what` has no field, or other `noun`, of that name; the message lists `names`. others: a set of further
---names that may have been meant.
function checked.refuse(what, noun, name, names, others)
  local meant = near(name, names) or others and near(name, checked.names(others))
  mistake("%s has no %s '%s'; %s has %s", what, noun, tostring(name),
    meant and ("did you mean '%s'? It"):format(meant) or "it", #names > 0 and table.concat(names, ", ") or "none")
end

-- Types of values: each function returns the expected type for a wrong value, otherwise false.
function checked.seconds(x) return not (type(x) == "number" and x >= 0 and x < 9e9) and "seconds, 0 or more" end
function checked.period(x) return not (type(x) == "number" and x > 0 and x < 9e9) and "seconds, more than 0" end
function checked.bound(x) return not (type(x) == "number" and x >= 0) and "a number of 0 or more" end
function checked.count(x)
  return not (type(x) == "number" and x >= 1 and math.tointeger(x)) and "a whole number of 1 or more"
end
function checked.timeout(x) return (type(x) ~= "number" or x ~= x) and "seconds" end
function checked.lease(x) return not (type(x) == "number" and x >= 0.1 and x <= 3600) and "seconds, 0.1 to 3600" end
function checked.text(x) return type(x) ~= "string" and "a text" end
function checked.flag(x) return type(x) ~= "boolean" and "true or false" end
function checked.on_stop(x) return x ~= "fail" and x ~= "wait" and "'fail' or 'wait'" end
function checked.fn(x) return type(x) ~= "function" and "a function" end

---Raises when a value is not of the type `want`, one of the functions above. what, name: its owner, and its
---name.
function checked.value(x, want, what, name)
  local wanted = want(x)
  if not wanted then return end
  mistake("%s: %s: want %s, got %s", what, name, wanted,
    x ~= x and "NaN" or (type(x) == "number" or type(x) == "boolean") and tostring(x)
      or type(x) == "string" and want == checked.on_stop and ("'%s'"):format(x) or type(x))
end

---A table of options, empty when there is none. Raises when it is no table, or has a field that is not in `allowed`,
---or a value that is wrong: allowed has true, or one of the functions above, by name.
function checked.options(given, allowed, what)
  if given == nil then return {} end
  if type(given) ~= "table" then mistake("%s: want a table of options, got %s", what, type(given)) end
  for name, value in pairs(given) do
    local want = allowed[name]
    if not want then checked.refuse(what, "option", name, checked.names(allowed)) end
    if type(want) == "function" then checked.value(value, want, what, name) end
  end
  return given
end

return checked
