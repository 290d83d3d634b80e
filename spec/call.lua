-- The call syntax of a function of api.lua: rt.connect(name [, options]), robot:stop([what]). For the prompt's help and
-- for docs/lua.md.
return function(class, fn)
  local owner = class.var and (class.name == "robotalk" and "rt" or class.name:match("(%w+)$")) .. "."
    or class.name:match("^[%w.]*%.(%a+)"):lower() .. ":"
  local text = ""
  for i, param in ipairs(fn.params or {}) do
    local name, optional = param[1]:match("^([%w_.]+)(%??)$")
    name = (i > 1 and ", " or "") .. name
    text = text .. (optional == "" and name or (i > 1 and " [" or "[") .. name .. "]")
  end
  return owner .. fn[1] .. "(" .. text .. ")"
end
