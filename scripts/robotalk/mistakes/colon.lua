-- A dot for a colon and the other way round are the commonest mistakes in Lua. Wrapped functions report them at the
-- script's line, with the text of the call, before they check their arguments.
local mistake = require "robotalk.mistakes.mistake"

local type = type

local colon = {}

-- The text of a call with these arguments.
local function called(...)
  if select("#", ...) == 0 then return "()" end
  return type((...)) == "table" and not getmetatable(...) and "{…}" or "(…)"
end

---Makes all functions of a class report calls without an object of it, or of a class that is derived from it.
---word: the name of such an object in the message.
function colon.methods(Class, word)
  Class[Class] = true -- the methods of its objects, also inherited ones
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

---Makes all functions of a module report calls with the module itself as an argument.
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
