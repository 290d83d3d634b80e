-- Scroll bars of a panel against the parameters of an object, each within its range (value_range of RCML). A
-- horizontal bar has its least value at the left, a vertical one at the bottom.
--
-- as = "share": 0 at the least value, 1 at the greatest. as = "pixels": of a bar that is `length` pixels long, from
-- its left or, of a vertical one, from its top. as = "device": in the units of the robot's device, that is the value
-- times range_scale. What is beyond an end of the bar counts as that end.
local function parameters_of(context) return context.object and context.object.parameters or {} end

local function clip(x) return x < 0 and 0 or x > 1 and 1 or x end

-- A value as its parameter has it.
local function typed(x, p)
  if p.type == "bool" then return x >= ((p.range[1] + p.range[2]) / 2) end
  if p.type == "integer" then return math.floor(x + 0.5) end
  return x
end

local function share_of(x, p, context)
  if context.as == "device" then
    local low, high = p.range[1], p.range[2]
    return clip((x / (p.scale or 1) - low) / (high - low))
  end
  if context.as ~= "pixels" then return clip(x) end
  local share = clip(x / context.length)
  return p.control == "v_scroll" and 1 - share or share
end

local function bar_of(share, p, context)
  if context.as == "device" then
    return (p.range[1] + share * (p.range[2] - p.range[1])) * (p.scale or 1)
  end
  if context.as ~= "pixels" then return share end
  return (p.control == "v_scroll" and 1 - share or share) * context.length
end

return {
  name = "scroll",
  options = { as = "share, pixels or device", length = "of a bar, in pixels" },
  from = { type = "control" },
  to = { type = "control" },

  open = function(context)
    local as, length = context.as or "share", context.length
    if as ~= "share" and as ~= "pixels" and as ~= "device" then
      return nil, "as: expected share, pixels or device"
    end
    if as == "pixels" and not (type(length) == "number" and length > 0 and length < math.huge) then
      return nil, "length: expected pixels, more than 0"
    end
    if #parameters_of(context) == 0 then return nil, "object: expected one with parameters" end
    for _, p in ipairs(parameters_of(context)) do
      local low, high = p.range and p.range[1], p.range and p.range[2]
      if not (low and high and low < high) then
        return nil, ("parameter %s has no range"):format(p.name or "")
      end
      if as == "device" and p.scale == 0 then return nil, ("parameter %s has a scale of 0"):format(p.name or "") end
    end
    return true
  end,

  to_standard = function(bars, context)
    local values = {}
    for i, p in ipairs(parameters_of(context)) do
      if not bars[i] then return nil, ("expected %d bars, got %d"):format(#parameters_of(context), #bars) end
      values[i] = typed(p.range[1] + share_of(bars[i], p, context) * (p.range[2] - p.range[1]), p)
    end
    return values
  end,

  from_standard = function(values, context)
    local bars = {}
    for i, p in ipairs(parameters_of(context)) do
      local x = values[i]
      if x == nil then return nil, ("expected %d values, got %d"):format(#parameters_of(context), #values) end
      if x == true then x = p.range[2] elseif x == false then x = p.range[1] end
      bars[i] = bar_of(clip((x - p.range[1]) / (p.range[2] - p.range[1])), p, context)
    end
    return bars
  end,
}
