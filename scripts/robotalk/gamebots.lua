-- The table of vehicles of servers of Gamebots (spec/gamebots.md): the robots of each class that a client may ask for,
-- and the wheels that it assumes. The server reads it as lines of its own protocol, from a file of its loop
-- (protocols/gamebots/classes.c).
local checked = require "robotalk.mistakes.checked"
local near = require "robotalk.mistakes.near"

local gamebots = {}

local FIELDS = { "class", "robot", "wheel_radius", "wheel_separation", "wheel_base", "steering" }

local function word(x)
  return not (type(x) == "string" and x:find "^[%w_.%- ]+$" and #x < 64)
    and "a name of at most 63 letters, digits, _, - and ."
end

local function metres(x) return not (type(x) == "number" and x > 0 and x < 1e3) and "metres, more than 0" end

local WANTED = { class = word, robot = word, wheel_radius = metres, wheel_separation = metres, wheel_base = metres,
  steering = function(x) return x ~= "skid" and x ~= "ackerman" and '"skid" or "ackerman"' end }

---The error in a row of the table: its field, and the expected value; nil: none.
function gamebots.wrong(row)
  if type(row) ~= "table" then return "", ("expected a table, got %s"):format(type(row)) end
  for _, field in ipairs(checked.names(row)) do
    local want = WANTED[field]
    if not want then
      local meant = near(field, FIELDS)
      local hint = meant and ("did you mean '%s'? "):format(meant) or ""
      return field, hint .. "expected " .. table.concat(FIELDS, ", ")
    end
    local why = want(row[field])
    if why then return field, ("expected %s, got %s"):format(why, tostring(row[field])) end
  end
  for i = 1, 2 do if row[FIELDS[i]] == nil then return FIELDS[i], "expected a name, got nothing" end end
end

-- A row in the format that the server reads.
local function line(row)
  local text = ("VEHICLE {Class %s} {Robot %s}"):format(row.class, row.robot)
  local function add(name, value) if value then text = ("%s {%s %s}"):format(text, name, value) end end
  local function number(x) return x and ("%.6f"):format(x):gsub(",", ".") end
  add("WheelRadius", number(row.wheel_radius))
  add("WheelSeparation", number(row.wheel_separation))
  add("WheelBase", number(row.wheel_base))
  add("Steering", row.steering == "ackerman" and "Ackerman")
  return text .. "\n"
end

---The same address, with a bridge (docs/bridge.md); one of another protocol as it is, and false.
function gamebots.bridged(url)
  if not url:find "^gamebots[:+]" then return url, false end
  local place, given, robot = url:match "^([^?#]*)%??([^#]*)(.*)$"
  for option in given:gmatch "[^&,]+" do if option == "bridge" then return url, true end end
  return ("%s?%s%s"):format(place, given == "" and "bridge" or given .. "&bridge", robot), true
end

---The file of a list of rows, for core.serve; nil without rows. Raises for an invalid row.
function gamebots.file(rows)
  if not rows or not rows[1] then return end
  local lines = {}
  for i, row in ipairs(rows) do
    local field, why = gamebots.wrong(row)
    if field then require "robotalk.mistakes.mistake"("serve: vehicles[%d].%s: %s", i, field, why) end
    lines[i] = line(row)
  end
  return { path = "gamebots/vehicles.txt", type = "text/plain", bytes = table.concat(lines) }
end

return gamebots
