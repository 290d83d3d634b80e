-- A dot for a colon and the other way round are the commonest slips in Lua. What comes through here tells them at the
-- script's line, in words of the call, before it looks at its arguments.
local mistake = require "robotalk.mistake"

local type = type

local colon = {}

-- How a call looks that has these arguments.
local function called(...)
  if select("#", ...) == 0 then return "()" end
  return type((...)) == "table" and not getmetatable(...) and "{…}" or "(…)"
end

---Has all functions of a class told that are called without an object of it, or of a class that is derived from it.
---word: how the message calls such an object.
function colon.methods(Class, word)
  Class[Class] = true -- what its objects have, also by way of others
  for name, method in next, Class do
    if type(method) == "function" and not name:find "^__" then
      Class[name] = function(self, ...)
        local kind = type(self)
        if not ((kind == "table" or kind == "userdata") and self[Class]) then
          mistake("%s: call it with a colon: %s:%s%s", name, word, name, kind == "nil" and "()" or called(self))
        end
        return method(self, ...)
      end
    end
  end
end

---Has all functions of a module told that are given the module itself.
function colon.functions(module, word)
  for name, fn in next, module do
    if type(fn) == "function" then
      module[name] = function(...)
        if rawequal((...), module) then
          mistake("%s: call it with a dot: %s.%s%s", name, word, name, called(select(2, ...)))
        end
        return fn(...)
      end
    end
  end
end

return colon
