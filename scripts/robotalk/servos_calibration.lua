-- The calibration of servos: which joints of a robot have one, and what follows from the ticks that each of them went
-- through, by hand or by a file of LeRobot. A joint is { name =, id =, model =, sign =, scale =, low =, high = }; then
-- its ticks are added: least, most, middle, and crossed: it went over the end of its encoder.
local json = require "robotalk.json"
local words_of = require "robotalk.descriptor.calibration".words

local calibration = {}

local SETPOINT <const> = 1 -- of a joint's servo commands: others are wheels
local LEAST <const> = 0.1 -- rad: a shaft that turned less was not moved
local FULL <const> = 4080 -- ticks: nearly a turn has no ends

---The buses of servos of a robot, each { device = its record, joints = those that have a range, wheels = the options of
---the other servos, as texts }. made: of descriptor.open; models: by name.
function calibration.buses(made, models)
  local flat, list = made.records, {}
  for number, device in ipairs(flat.device) do
    local joints, wheels, known = {}, {}, {}
    for _, joint in ipairs(device.driver == "servos" and flat.joint or {}) do
      for k = 1, joint.device == number - 1 and joint.servo & SETPOINT ~= 0 and joint.dofs or 0 do
        local dof = flat.dof[joint.first + k]
        local name = device.options[joint.name] and joint.dofs == 1 and joint.name
          or ("%s.%s"):format(joint.name, dof.name)
        local text = device.options[name]
        if text then
          local words = words_of(text)
          known[name] = true
          joints[#joints + 1] = { name = name, id = math.tointeger(words.id), model = models[words.model],
            sign = math.tointeger(words.sign), scale = words.scale,
            low = dof.low <= dof.high and dof.low or nil, high = dof.low <= dof.high and dof.high or nil }
        end
      end
    end
    for name, text in pairs(device.driver == "servos" and device.options or {}) do
      if type(text) == "string" and models[text:match "%S+"] and not known[name] then wheels[#wheels + 1] = name end
    end
    table.sort(wheels)
    if device.driver == "servos" then list[#list + 1] = { device = device, joints = joints, wheels = wheels } end
  end
  return list
end

---Takes a position into account.
function calibration.take(joint, ticks)
  if joint.now and math.abs(ticks - joint.now) > 2048 then joint.crossed = true end
  joint.now = ticks
  joint.least, joint.most = math.min(joint.least or ticks, ticks), math.max(joint.most or ticks, ticks)
end

-- Why the ticks of a joint are refused, or nil.
local function wrong(joint)
  local span = joint.most - joint.least
  if joint.crossed or joint.least < 0 or joint.most > 2 * joint.model.middle - 1 then
    return ("its range crosses the end of the encoder, where positions jump: move it to its middle, then robotalk "
      .. "servos PORT set-middle %d, and calibrate again"):format(joint.id)
  elseif span * joint.model.tick < LEAST then
    return ("it was not moved: %d to %d, a range of nothing"):format(joint.least, joint.most)
  elseif joint.middle < joint.least or joint.middle > joint.most then
    return ("its middle, %d, lies outside of what it moved through, %d to %d"):format(joint.middle, joint.least,
      joint.most)
  elseif math.abs(joint.middle - (joint.least + joint.most) / 2) > span / 4 then
    return ("it was moved to one side only: %d to %d, with %d as its middle"):format(joint.least, joint.most,
      joint.middle)
  end
end

---The file of joints that have their ticks; nil, and a line for each joint that is refused. The middle of a range is
---that of the described limits.
function calibration.text(joints, comment)
  local refused, lines = {}, { comment, "return {" }
  for _, joint in ipairs(joints) do
    local why = wrong(joint)
    if why then refused[#refused + 1] = ("%s: %s"):format(joint.name, why) end
    local way = joint.model.tick * joint.scale * joint.sign -- of a tick
    local full = joint.most - joint.least >= FULL
    local centre = full and joint.middle or (joint.least + joint.most) / 2
    local low, high = joint.low or -math.pi * joint.scale, joint.high or math.pi * joint.scale
    local zero = centre - ((joint.low or 0) + (joint.high or 0)) / 2 / way
    if not full then
      local a, b = (joint.least - zero) * way, (joint.most - zero) * way
      low, high = math.min(a, b), math.max(a, b)
    end
    lines[#lines + 1] = ("  [%q] = { id = %d, zero = %.1f, sign = %d, limit = { %.4f, %.4f } },"):format(joint.name,
      joint.id, zero, joint.sign, math.ceil(low * 1e4) / 1e4, math.floor(high * 1e4) / 1e4)
  end
  if #refused > 0 then return nil, table.concat(refused, "\n") end
  lines[#lines + 1] = "}\n"
  return table.concat(lines, "\n")
end

---Takes the ticks from the text of a calibration of LeRobot: true; nil, message.
function calibration.from_lerobot(joints, text)
  local found, broken = json.decode(text)
  if type(found) ~= "table" or not next(found) then
    return nil, "expected a calibration of LeRobot, as { \"elbow_flex\": { \"id\": 3, … } }"
      .. (broken and ", got no JSON: " .. broken or "")
  end
  for _, joint in ipairs(joints) do
    local row = found[joint.name] or found["arm_" .. joint.name] -- the latter is how LeKiwi's has them
    if type(row) ~= "table" then return nil, ("%s: it is not in that file"):format(joint.name) end
    for _, key in ipairs { "id", "drive_mode", "range_min", "range_max" } do
      if math.type(row[key]) ~= "integer" then return nil, ("%s: there is no %s"):format(joint.name, key) end
    end
    if row.id ~= joint.id then
      return nil, ("%s: it is servo %d there, and servo %d of this robot"):format(joint.name, row.id, joint.id)
    end
    if row.drive_mode == 1 then joint.sign = -1 end
    joint.least, joint.most, joint.middle = row.range_min, row.range_max, (row.range_min + row.range_max) // 2
  end
  return true
end

return calibration
