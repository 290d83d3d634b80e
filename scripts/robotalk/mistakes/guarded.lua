-- Functions that a failure of the world ends as a whole, wherever in them it is found: `need` and `fail` raise it, and
-- the function returns nil, message, code. Other errors pass.
local Failure = { __tostring = function(self) return self.message end }

local guarded = {}

local function told(ok, first, ...)
  if ok then return first, ... end
  if getmetatable(first) ~= Failure then error(first, 0) end
  return nil, first.message, first.code
end

---Makes fn such a function.
function guarded.by(fn)
  return function(...) return told(pcall(fn, ...)) end
end

---Its first argument, where that is there; else that is a failure, with the message and the code that follow.
function guarded.need(x, message, code)
  return x or error(setmetatable({ message = message, code = code }, Failure), 0)
end

---A failure with that code, in words as of string.format.
function guarded.fail(code, form, ...) guarded.need(nil, form:format(...), code) end

return guarded
