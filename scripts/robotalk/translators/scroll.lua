-- Scroll bars of a panel against the parameters of an object, each within its range (value_range of RCML). A
-- horizontal bar has its minimum at the left, a vertical one at the bottom.
--
-- as = "share": 0 at the minimum, 1 at the maximum. as = "pixels": of a bar that is `length` pixels long, from
-- its left or, of a vertical one, from its top. as = "range": each dof of the device has a range of its own, as the
-- axes of a gamepad. as = "device": in the units of the robot's device, that is the value times range_scale.
-- A position beyond an end of the bar counts as that end.
local function parameters_of(context) return context.object and context.object.parameters or {} end

local function clip(x) return x < 0 and 0 or x > 1 and 1 or x end

-- A value in the units of its parameter.
local function typed(x, p)
  if p.type == "bool" then return x >= ((p.range[1] + p.range[2]) / 2) end
  if p.type == "integer" then return math.floor(x + 0.5) end
  return x
end

-- By `as`: the fraction of its range of the i-th value of the bars, and back.
local shares, bars = {}, {}

function shares.share(x) return x end
function bars.share(share) return share end

function shares.pixels(x, p, context)
  local share = x / context.length
  return p.control == "v_scroll" and 1 - share or share
end
function bars.pixels(share, p, context) return (p.control == "v_scroll" and 1 - share or share) * context.length end

local function range_of(context, i) return context.device.dofs[i].range end
function shares.range(x, _, context, i)
  local range = range_of(context, i)
  return (x - range[1]) / (range[2] - range[1])
end
function bars.range(share, _, context, i)
  local range = range_of(context, i)
  return range[1] + share * (range[2] - range[1])
end

function shares.device(x, p) return (x / (p.scale or 1) - p.range[1]) / (p.range[2] - p.range[1]) end
function bars.device(share, p) return (p.range[1] + share * (p.range[2] - p.range[1])) * (p.scale or 1) end

local function has_range(it)
  local range = type(it) == "table" and it.range
  return type(range) == "table" and type(range[1]) == "number" and type(range[2]) == "number" and range[1] < range[2]
end

-- The error in a context; nil: none.
local function fault(context)
  local as, length, dofs = context.as or "share", context.length, context.device and context.device.dofs
  if not shares[as] then return "as: expected share, pixels, range or device" end
  if as == "pixels" and not (type(length) == "number" and length > 0 and length < math.huge) then
    return "length: expected pixels, more than 0"
  end
  if #parameters_of(context) == 0 then return "object: expected one with parameters" end
  for i, p in ipairs(parameters_of(context)) do
    if not has_range(p) then return ("parameter %s has no range"):format(p.name or "") end
    if as == "device" and p.scale == 0 then return ("parameter %s has a scale of 0"):format(p.name or "") end
    if as == "range" and not (type(dofs) == "table" and has_range(dofs[i])) then
      return ("device: dof %d has no range"):format(i)
    end
  end
end

return {
  name = "scroll",
  options = { as = "share, pixels, range or device", length = "of a bar, in pixels" },
  from = { type = "control" },
  to = { type = "control" },

  open = function(context)
    local wrong = fault(context)
    if wrong then return nil, wrong end
    return true
  end,

  to_standard = function(places, context)
    local values = {}
    for i, p in ipairs(parameters_of(context)) do
      if not places[i] then return nil, ("expected %d bars, got %d"):format(#parameters_of(context), #places) end
      local share = clip(shares[context.as or "share"](places[i], p, context, i))
      values[i] = typed(p.range[1] + share * (p.range[2] - p.range[1]), p)
    end
    return values
  end,

  from_standard = function(values, context)
    local places = {}
    for i, p in ipairs(parameters_of(context)) do
      local x = values[i]
      if x == nil then return nil, ("expected %d values, got %d"):format(#parameters_of(context), #values) end
      if x == true then x = p.range[2] elseif x == false then x = p.range[1] end
      local share = clip((x - p.range[1]) / (p.range[2] - p.range[1]))
      places[i] = bars[context.as or "share"](share, p, context, i)
    end
    return places
  end,
}
