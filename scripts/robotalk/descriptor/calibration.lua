-- The calibration of a robot's servos: a file beside its descriptor, which `robotalk calibrate` writes and which the
-- option `calibration` of a driver's entry names. It returns { JOINT = { id =, zero =, sign =, limit = { low, high } }
-- }, by the names of the entry's options; these replace zero= and sign= of the servo and the limit of the dof.
local beside = require "robotalk.robot.beside"
local copy = require "robotalk.descriptor.copy"
local core = require "robotalk.core"

local calibration = {}

local LARGEST <const> = 1 << 20

---The words of a servo's text, "MODEL id=N …", as { model =, id =, sign =, scale = }.
function calibration.words(text)
  local words = { model = text:match "%S+" }
  for key, value in text:gmatch "%f[%S](%l+)=(%S+)" do words[key] = tonumber(value) end
  words.sign, words.scale = words.sign or 1, words.scale or 1
  return words
end

local function is_number(x) return type(x) == "number" and x == x and math.abs(x) < 1e6 end

-- The error of a row, or nil.
local function wrong_row(row, text)
  if type(row) ~= "table" then return "expected { id =, zero =, sign =, limit = }" end
  local id = calibration.words(text).id
  if math.type(row.id) ~= "integer" then return "expected id =, a number" end
  if row.id ~= id then return ("it is that of servo %s, and this is servo %s"):format(row.id, id) end
  if not is_number(row.zero) then return "expected zero =, ticks" end
  if row.sign ~= 1 and row.sign ~= -1 then return "expected sign =, 1 or -1" end
  local limit = row.limit
  if type(limit) ~= "table" or not is_number(limit[1]) or not is_number(limit[2]) or limit[1] >= limit[2] then
    return "expected limit = { least, most }"
  end
end

-- Changes the limit of the dof that an option is named after, in a copy of the joints: whether there is one.
local function limit_dof(joints, option, limit)
  for key, joint in pairs(type(joints) == "table" and joints or {}) do
    for i, dof in pairs(type(joint) == "table" and type(joint.dofs) == "table" and joint.dofs or {}) do
      if option == joint.name and not joint.dofs[2] or option == ("%s.%s"):format(joint.name, dof.name) then
        local changed = copy(joint)
        changed.dofs = copy(joint.dofs)
        changed.dofs[i] = copy(dof)
        changed.dofs[i].limit = { limit[1], limit[2] }
        joints[key] = changed
        return true
      end
    end
  end
  return false
end

-- The text of a file, and its table; nil, why.
local function read(name, file)
  local path = file and beside.find(file, name) or name
  local text = core.read_file(path, LARGEST)
  if not text then
    return nil, ("there is no file %s; robotalk calibrate %s writes it"):format(name, file or "ROBOT.lua"), "ENONE"
  end
  local rows, why = core.data(text, "@" .. path)
  if why then return nil, why end
  if type(rows) ~= "table" then return nil, path .. ":1: expected the file to return a table" end
  return rows
end

-- Applies the file of an entry: nil, or the error.
local function apply(entry, joints, file)
  if type(entry.calibration) ~= "string" then return "expected the name of a file" end
  local rows, why, code = read(entry.calibration, file)
  if code == "ENONE" and entry.port == "simulated" then return nil end -- its servos are where the text has them
  if not rows then return why end
  for option, row in pairs(rows) do
    local text = entry[option]
    if type(text) ~= "string" then return ("%s: no such servo"):format(option) end
    local wrong = wrong_row(row, text)
    if not wrong and not limit_dof(joints, option, row.limit) then wrong = "no such joint" end
    if wrong then return ("%s: %s"):format(option, wrong) end
    text = text:gsub("%s+zero=%S*", ""):gsub("%s+sign=%S*", "")
    entry[option] = ("%s zero=%.10g sign=%d"):format(text, row.zero, row.sign)
  end
end

---A descriptor with the calibrations that its entries name; unchanged if they name none. Errors are added to the
---report. file: the descriptor's, or nil; unread: the files are left out, since they are about to be written.
function calibration.apply(description, file, report, unread)
  local entries = type(description) == "table" and description.drivers
  for name, entry in pairs(type(entries) == "table" and entries or {}) do
    if type(entry) == "table" and entry.driver == "servos" and entry.calibration ~= nil then
      if description.drivers == entries then
        description = copy(description)
        description.drivers = copy(entries)
        description.joints = type(description.joints) == "table" and copy(description.joints) or description.joints
      end
      local changed = copy(entry)
      local why = not unread and apply(changed, description.joints, file)
      if why then report:add(("drivers.%s.calibration"):format(name), "%s", why) end
      changed.calibration = nil
      description.drivers[name] = changed
    end
  end
  return description
end

return calibration
