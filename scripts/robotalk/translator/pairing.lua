-- Pairs of a user's devices and a robot's objects (paper 001, 4.3.2). A device that produces values matches an object
-- that accepts commands, one that shows values an object that reports them, each of one type and number of dofs.
-- Unmatched ones are returned with the reason, as from the server: 406, and the format of the object.
local checked = require "robotalk.mistakes.checked"
local format = require "robotalk.translator.format"
local mistake = require "robotalk.mistakes.mistake"
local near = require "robotalk.mistakes.near"

local pairing = {}

local DEVICE <const> = { name = true, type = true, direction = true, dofs = true, unit = true, translator = true,
  object = true, options = true, model = true }
local DIRECTIONS <const> = { input = true, output = true }
local SAYS <const> = { input = "takes commands", output = "tells" } -- of the robot's objects

-- The score of two formats: 3 by names, 2 by units, 1 by their number alone; and the place of each of b in a. nil, why:
-- no match.
local function agree(a, b, name)
  if a.type ~= b.type then return nil, ("%s is %s, not %s"):format(name, b.type, a.type) end
  if b.type ~= "control" then return 3, {} end
  local count = b.count or 0
  if a.count and a.count ~= count then
    return nil, ("%s has %d dofs, not %d"):format(name, count, a.count)
  end
  local order, named, place = {}, a.count ~= nil, {}
  for i = 1, a.count or 0 do if a.names[i] then place[a.names[i]] = i end end
  for i = 1, count do
    order[i] = b.names[i] and place[b.names[i]] or false
    named = named and order[i] ~= false
  end
  if not named then for i = 1, count do order[i] = i end end
  local by_units = true
  for i = 1, count do
    local unit = a.count and a.units[order[i]] or a.unit or false
    if unit and b.units[i] and unit ~= b.units[i] then
      return nil, ("%s of %s is in %s, not %s"):format(b.names[i] or "dof " .. i, name, b.units[i], unit)
    end
    by_units = by_units and unit and b.units[i]
  end
  return named and 3 or by_units and 2 or 1, order
end

-- A device's format after a translator, whose first side it matches; and the score. nil, why: it does not match.
local function through(device, file, name)
  local from, score = file.from and assert(format.of(file.from)), 1
  if from then
    local why
    score, why = agree(from, device, "the device")
    if not score then return nil, ("translator %s: %s"):format(name, why) end
  end
  local to = file.to and assert(format.of(file.to)) or device
  if to.count or to.type ~= "control" then return to, score end
  -- value by value: the same number and order of values, but in unknown units
  local units = {}
  for i = 1, device.count or 0 do units[i] = false end
  return { type = to.type, count = device.count, names = device.names, units = units }, score
end

-- The match of a device and an object: a score, the order of its dofs, the translator; or nil, why.
local function fit(device, object, find)
  local name = object.name
  if device.direction ~= object.direction then
    return nil, ("%s %s"):format(name, SAYS[object.direction])
  end
  if device.object and device.object ~= name then return nil, "the device is for " .. device.object end
  local chosen, unfit = device.translator, nil
  if not chosen then
    local score, order = agree(device.format_, object.format_, name)
    if score then return score, order end
    chosen, unfit = device.type == object.type and object.translator or nil, order
    if not chosen or chosen == "" then return nil, unfit end
  end
  local file, why = find(chosen)
  if not file then return nil, why end
  local standard
  standard, why = through(device.format_, file, chosen)
  if not standard then return nil, why end
  -- the object's translator, only for a device whose dofs have names or units
  if unfit and why < 2 then return nil, unfit end
  local score, order = agree(standard, object.format_, name)
  if not score then return nil, order end
  return score, order, chosen
end

local function described(list, what)
  if type(list) ~= "table" then mistake("pair: %s: want a list, got %s", what, type(list)) end
  local all, seen = {}, {}
  for i, said in ipairs(list) do
    if type(said) ~= "table" then mistake("pair: %s %d: want a table, got %s", what, i, type(said)) end
    if what == "devices" then checked.options(said, DEVICE, "device " .. tostring(said.name or i)) end
    local one = { name = said.name, said = said, direction = said.direction or "input", type = said.type,
      translator = said.translator, object = what == "devices" and said.object or nil }
    if type(one.name) ~= "string" then mistake("pair: %s %d: want a name", what, i) end
    if seen[one.name] then mistake("pair: %s: there are two %s", what, one.name) end
    if not DIRECTIONS[one.direction] then
      mistake("pair: %s: direction: want input or output, got %s", one.name, tostring(one.direction))
    end
    local why
    if what == "devices" then one.format_, why = format.of(said) else one.format_, why = format.of_object(said) end
    if not one.format_ then mistake("pair: %s: %s", one.name, why) end
    if what == "devices" and said.type == "control" and not one.format_.count then
      mistake("pair: %s: dofs: want how many, or a list", one.name)
    end
    seen[one.name], all[i] = true, one
  end
  return all
end

-- Finds an object for a device; those that have one give it up when they find another. seen: objects that were asked.
local function place(device, fits, taken, seen)
  for _, f in ipairs(fits[device]) do
    if not seen[f.object] then
      seen[f.object] = true
      if not taken[f.object] or place(taken[f.object].device, fits, taken, seen) then
        taken[f.object] = { device = device, fit = f }
        return true
      end
    end
  end
  return false
end

-- Why a device is unmatched: the device that has its object, or otherwise the reason of the nearest object.
local function excuse(device, fits, reasons, taken)
  if fits[1] then
    return ("%s has a device: %s"):format(fits[1].object.name, taken[fits[1].object].device.name), 409
  end
  for _, r in ipairs(reasons) do
    if device.object == r.object.name then return r.why, 406 end
  end
  if device.object then
    local names = {}
    for i, r in ipairs(reasons) do names[i] = r.object.name end
    local meant = near(device.object, names)
    return ("there is no object %s%s"):format(device.object, meant and ("; did you mean %s?"):format(meant) or ""), 404
  end
  for _, r in ipairs(reasons) do
    if r.object.direction == device.direction and r.object.type == device.type then
      local others = {}
      for _, other in ipairs(reasons) do
        if other.object.direction == device.direction and other.object.type == device.type then
          others[#others + 1] = other.why
        end
      end
      return table.concat(others, "; "), 406
    end
  end
  return ("no %s object of the robot %s"):format(device.type, SAYS[device.direction]), 406
end

---Pairs: find(name) returns a translator's file; or nil, why. The table of pairs, and of unmatched devices and
---objects.
function pairing.pair(devices, objects, find)
  devices, objects = described(devices, "devices"), described(objects, "objects")
  local fits, reasons, edges = {}, {}, {}
  for _, device in ipairs(devices) do
    fits[device], reasons[device] = {}, {}
    for _, object in ipairs(objects) do
      local score, order, name = fit(device, object, find)
      if score then
        local f = { device = device, object = object, score = score, order = order, translator = name, at = #edges }
        edges[#edges + 1] = f
        table.insert(fits[device], f)
      else
        table.insert(reasons[device], { object = object, why = order })
      end
    end
  end
  local function better(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.at < b.at
  end
  table.sort(edges, better)
  local taken, has = {}, {}
  for _, f in ipairs(edges) do
    if not has[f.device] and not taken[f.object] then
      taken[f.object], has[f.device] = { device = f.device, fit = f }, true
    end
  end
  for _, device in ipairs(devices) do
    table.sort(fits[device], better)
    if not has[device] then has[device] = place(device, fits, taken, {}) end
  end
  local out = { pairs = {}, devices = {}, objects = {} }
  for _, object in ipairs(objects) do
    local t = taken[object]
    if t then
      table.insert(out.pairs, { device = t.device.said, object = object.said, translator = t.fit.translator,
        order = t.fit.order, dof = object.format_.count, type = object.type })
    else
      table.insert(out.objects, { object = object.said, why = "no device fits it" })
    end
  end
  for _, device in ipairs(devices) do
    if not has[device] then
      local why, code = excuse(device, fits[device], reasons[device], taken)
      table.insert(out.devices, { device = device.said, why = why, code = code })
    end
  end
  return out
end

return pairing
