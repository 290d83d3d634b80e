-- Translators of pictures: a device has pictures of one format, JPEG is the standard one. In both directions a
-- picture is divided by a whole number until it has the wanted size.
local core = require "robotalk.core"

local function pixels(x, name)
  if x == nil or math.type(x) == "integer" and x >= 1 and x <= 65535 then return end
  return name .. ": expected pixels, 1 to 65535"
end

-- The same picture in that format: number, time and camera are kept.
local function remade(picture, format, context)
  local bytes, width, height = core.remake_picture(picture, format, context.quality, context.width, context.height)
  if not bytes then return nil, width end
  local new = {}
  for key, value in pairs(picture) do new[key] = value end
  new.bytes, new.width, new.height, new.format = bytes, width, height, format
  return setmetatable(new, getmetatable(picture))
end

---The translator of devices with pictures of that format: jpeg, rgb or gray.
return function(format)
  return {
    name = format,
    options = { width = "pixels at most", height = "likewise", quality = "of JPEG, 1 to 100 (80)" },
    from = { type = "video" },
    to = { type = "video" },
    open = function(context)
      local quality = context.quality
      local wrong = pixels(context.width, "width") or pixels(context.height, "height")
        or quality and not (math.type(quality) == "integer" and quality >= 1 and quality <= 100)
          and "quality: expected a whole number of 1 to 100"
      if wrong then return nil, wrong end
      return true
    end,
    to_standard = function(picture, context) return remade(picture, "jpeg", context) end,
    from_standard = function(picture, context) return remade(picture, format, context) end,
  }
end
