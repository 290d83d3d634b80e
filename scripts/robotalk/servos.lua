-- Serial servos at a port, for the verbs that set them up: which ones answer, what they read, and their registers.
-- A servo is { id =, row =, model =, baud = }, or { id =, baud =, why = } when it is not known.
-- Functions return nil and why for what a servo or the port refuses.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local holders = require "robotalk.holders"
local task = require "robotalk.task"

local servos = {}

local ALL <const> = 254
local WAIT <const> = 0.8 -- s: 253 servos that answer after each other, each after at most 3 ms
local ONE <const> = 0.025 -- s for one, behind an adapter that hands its bytes over after 16 ms
-- The rates of the tables that ports have, the likely ones first.
local RATES <const> = { 1000000, 57600, 115200, 500000, 2000000, 3000000, 4000000, 38400, 19200, 9600 }

local models = core.servo_models()

local Port = {}
Port.__index = Port

---Opens a port, or a simulated bus in its place: a value for <close>; nil, message, code. baud: the only rate to look
---at, or nil.
function servos.open(path, simulated, baud)
  local raw, why, code
  if simulated then
    raw, why, code = core.servos(nil, simulated)
  else
    raw, why, code = core.servos(path, baud or RATES[1])
  end
  if not raw and code == "EINVAL" and baud then return nil, ("no servo has a rate of %d baud"):format(baud), code end
  if not raw then return nil, simulated and why or ("%s: %s%s"):format(path, why, holders.of(path)), code end
  local rates = simulated and { RATES[1] } or baud and { baud } or RATES
  return setmetatable({ raw = raw, simulated = simulated, rates = rates }, Port)
end

function Port:close() self.raw:close() end
Port.__close = Port.close

-- The servo behind an id.
local function known(self, packets, id, baud, twice)
  local one = { id = id, baud = baud }
  if twice then
    one.why = "two servos answer to this id"
    return one
  end
  local row, why = self.raw:identify(packets, id)
  one.row, one.model, one.why = row, models[row], why
  -- servos of one model and one id answer a ping alike; their positions differ
  if row then
    local position, garbled = self.raw:read(row, id, "position")
    one.why = not position and garbled or nil
  end
  return one
end

-- Asks each id.
local function each(self, packets)
  local ids = {}
  for id = 0, ALL - 1 do
    local answered, _, code = self.raw:ping(packets, id, ONE)
    if answered or code == "EBODY" then ids[#ids + 1] = id end
    if code == "ELINK" then return nil, "the port is gone" end
    task.sleep(0)
  end
  return ids
end

-- Whether a servo with such packets may have that rate.
local function takes(packets, baud)
  for _, model in pairs(models) do
    if model.packets == packets and model.rates[baud] then return true end
  end
end

local function look(self, baud, packets, thorough)
  local ids, _, code = self.raw:ping(packets, ALL, WAIT)
  if code == "ELINK" then return nil, "the port is gone" end
  task.sleep(0)
  if code == "EBODY" or thorough then
    local all, why = each(self, packets)
    if not all then return nil, why end
    ids = all
  end
  local count, found = {}, {}
  for _, id in ipairs(ids or {}) do count[id] = (count[id] or 0) + 1 end
  for id, times in pairs(count) do
    found[#found + 1] = known(self, packets, id, baud, times > 1)
    task.sleep(0)
  end
  table.sort(found, function(a, b) return a.id < b.id end)
  return found
end

---The servos that answer at any rate, in the order of rates and ids; nil, message. progress(text) is called on the
---way; enough(list), or nil, says whether the search may end.
function Port:scan(progress, enough)
  for _, thorough in ipairs { false, true } do -- SCS and AX may not answer a ping to all
    local all = {}
    for _, baud in ipairs(self.rates) do
      local set, why = self.raw:set_baud(baud)
      if not set and #self.rates == 1 then return nil, ("%d baud: %s"):format(baud, why) end
      for _, packets in ipairs { "feetech", "dynamixel" } do
        if set and takes(packets, baud) and not (thorough and packets == "dynamixel") then
          progress(("%s, %d baud%s"):format(packets, baud, thorough and ", id by id" or ""))
          local found, gone = look(self, baud, packets, thorough)
          if not found then return nil, gone end
          table.move(found, 1, #found, #all + 1, all)
          if enough and enough(all) then return all end
        end
      end
    end
    if #all > 0 then return all end
  end
  return {}
end

---The servos with these ids, or those of all rates if ids is nil, then what scan has found; nil, message: one of them
---does not answer, or is not known. others: those that do answer are returned all the same, and one that is not known
---has the reason as its field why.
function Port:choose(ids, progress, others)
  local wanted, here = {}, {}
  for _, id in ipairs(ids or {}) do wanted[id] = true end
  local all, why = self:scan(progress, ids and function(found)
    local left = #ids
    for _, one in ipairs(found) do left = left - (wanted[one.id] and 1 or 0) end
    return left <= 0
  end)
  if not all then return nil, why end
  local list = {}
  for i, one in ipairs(all) do
    here[i] = one.id
    if not ids or wanted[one.id] then
      if one.why and not others then return nil, ("servo %d: %s; connect it alone"):format(one.id, one.why) end
      list[#list + 1], wanted[one.id] = one, nil
    end
  end
  if next(wanted) and not (others and list[1]) then
    local those = #here > 0 and "; those that answer: " .. table.concat(here, ", ") or "; none answers"
    return nil, ("no servo answers to id %d%s"):format(next(wanted), those)
  end
  if #list == 0 then return nil, "no servo answers" end
  return list, all
end

-- Goes to the rate of a servo.
local function at(self, one)
  if self.now == one.baud then return true end
  self.now = one.baud
  return self.raw:set_baud(one.baud)
end

---A register of a servo: a number; nil, message.
function Port:read(one, name)
  at(self, one)
  local value, why = self.raw:read(one.row, one.id, name)
  if value then return value end
  return nil, ("servo %d: %s: %s"):format(one.id, name, why)
end

---Writes a register and reads it back: true; nil, message. id: the one that answers then, if that is another one.
function Port:write(one, name, value, id)
  at(self, one)
  local ok, why = self.raw:write(one.row, one.id, name, value)
  if not ok then return nil, ("servo %d: %s: %s"):format(one.id, name, why) end
  local got, silent = self.raw:read(one.row, id or one.id, name)
  if got == value then return true end
  return nil, ("servo %d: it does not keep %s = %d: %s"):format(one.id, name, value,
    got and ("it has %d"):format(got) or silent)
end

---What a servo reads: { position = ticks, degrees = from its middle, voltage =, temperature =, torque = boolean,
---alarms = text, "none", or "?" if it does not say }; nil, message.
function Port:readings(one)
  local out = {}
  for _, name in ipairs { "position", "voltage", "temperature", "torque" } do
    local value, why = self:read(one, name)
    if not value then return nil, why end
    out[name] = value
  end
  out.degrees = math.deg((out.position - one.model.middle) * one.model.tick)
  out.voltage, out.torque = out.voltage / 10, out.torque ~= 0
  local bits, words = self:read(one, "alarms"), {}
  for bit = 0, bits and 7 or -1 do
    if bits >> bit & 1 == 1 then words[#words + 1] = one.model.alarms[bit] or ("bit %d"):format(bit) end
  end
  out.alarms = not bits and "?" or #words == 0 and "none" or table.concat(words, ", ")
  return out
end

-- ---- the EEPROM ----

-- Writes a register of the EEPROM, whose lock is open meanwhile. id, baud: those with which the servo answers then.
local function keep(self, one, name, value, id, baud)
  local torque, why = self:read(one, "torque")
  if not torque then return nil, why end
  if torque ~= 0 then
    return nil, ("servo %d has torque, and its EEPROM takes nothing meanwhile: release it first"):format(one.id)
  end
  local ok, after = true, { id = id or one.id, row = one.row, baud = baud or one.baud }
  if one.model.locks then ok, why = self:write(one, "lock", 0) end
  if not ok then return nil, why end
  if baud then -- the answer may come at either rate
    at(self, one)
    self.raw:write(one.row, one.id, name, value)
    local got
    got, why = self:read(after, name)
    ok = got == value
  else
    ok, why = self:write(one, name, value, id)
  end
  if one.model.locks then
    local locked, open = self:write(ok and after or one, "lock", 1)
    if ok and not locked then return nil, open end
  end
  if not ok then return nil, why end
  return true
end

---Gives a servo another id: true; nil, message. all: what scan returned.
function Port:set_id(one, id, all)
  if id < 0 or id > 252 then return nil, ("expected an id from 0 to 252, got %d"):format(id) end
  for _, other in ipairs(all) do
    if other.id == id and other.baud == one.baud then
      return nil, ("id %d is taken by %s; give that servo another id first"):format(id,
        other.model and "an " .. other.model.name or "a servo")
    end
  end
  if self.raw:ping(one.model.packets, id, ONE) then return nil, ("id %d is taken"):format(id) end
  return keep(self, one, "id", id, id)
end

---Gives a servo another rate: true; nil, message.
function Port:set_baud(one, baud)
  local number, rates = one.model.rates[baud], {}
  if not number then
    for rate in pairs(one.model.rates) do rates[#rates + 1] = rate end
    table.sort(rates)
    return nil, ("%s has no %d baud; expected one of %s"):format(one.model.name, baud, table.concat(rates, ", "))
  end
  if baud ~= one.baud and not self.simulated then
    local ok, why = at(self, { baud = baud })
    if not ok then return nil, ("%d baud: %s"):format(baud, why) end
    if self.raw:ping(one.model.packets, one.id, ONE) then
      return nil, ("id %d is taken by a servo that has %d baud already"):format(one.id, baud)
    end
  end
  return keep(self, one, "baud", number, nil, baud)
end

---Sets the mode of a servo, by its name: true; nil, message.
function Port:set_mode(one, mode)
  local number = one.model.modes[mode]
  if not number then
    local names = checked.names(one.model.modes)
    return nil, #names == 0 and one.model.name .. " has no register of its mode"
      or ("%s has no mode %s; expected one of %s"):format(one.model.name, mode, table.concat(names, ", "))
  end
  return keep(self, one, "mode", number)
end

---Has a servo read the middle of its range where it is, by its homing offset: true; nil, message.
function Port:set_middle(one)
  local position, why = self:read(one, "position")
  local offset, none = self:read(one, "offset")
  if not position or not offset then return nil, why or none end
  local off = position - one.model.middle
  if one.model.packets == "feetech" then -- a position is the encoder's minus the offset, within a turn
    offset = math.max((offset + off + 2048) % 4096 - 2048, -2047)
  else
    offset = offset - off
  end
  return keep(self, one, "offset", offset)
end

-- ---- the torque ----

function Port:release(one) return self:write(one, "torque", 0) end

-- Whether a servo moves by position; nil, message.
local function goes_by_position(self, one)
  if not one.model.modes.position then -- an AX or SCS whose limits are both 0 is a wheel
    local least, why = self:read(one, "least")
    local greatest, none = self:read(one, "greatest")
    if not least or not greatest then return nil, why or none end
    return least ~= 0 or greatest ~= 0
  end
  local mode, why = self:read(one, "mode")
  if not mode then return nil, why end
  -- a Dynamixel X moves by position in modes 3, 4 and 5, a Feetech in mode 0
  return mode == one.model.modes.position or one.model.packets == "dynamixel" and mode >= 3 and mode <= 5
end

---Switches the torque of a servo on where it is: true; nil, message.
function Port:hold(one)
  local good, unread = goes_by_position(self, one)
  if unread then return nil, unread end
  if not good then return nil, ("servo %d is not in mode position: its torque is not switched on"):format(one.id) end
  local position, why = self:read(one, "position")
  if not position then return nil, why end
  local ok, refused = self:write(one, "goal_position", position)
  if not ok then return nil, refused end
  return self:write(one, "torque", 1)
end

---The ids of a text as "1-3,6", in its order; nil, and what it expects.
function servos.ids(text)
  local ids = {}
  for part in (text .. ","):gmatch "([^,]*)," do
    local first, last = part:match "^(%d+)%-?(%d*)$"
    first, last = tonumber(first), tonumber(last) or tonumber(first)
    if not first or last < first or last > 253 then return nil, "ids as 1-3,6" end
    for id = first, last do ids[#ids + 1] = id end
  end
  return ids
end

return servos
