-- The fluents of a Golog domain. They are progressed, not regressed: an effect writes the new value and a trail keeps
-- the old one, so a run does not slow down with its length and backtracking restores everything exactly.
local state = {}

local Store = {}
Store.__index = Store

---A store of fluents: top, the trail's length; version, how often anything was written; writing, inside an effect.
function state.new() return setmetatable({ trail = {}, top = 0, version = 0, writing = false }, Store) end

local function write(store, what, place, key, value)
  if not store.writing then error(("fluent %s: only effects change fluents"):format(what.name), 3) end
  local trail, n = store.trail, store.top
  trail[n + 1], trail[n + 2], trail[n + 3] = place, key, place[key]
  store.top = n + 3
  store.version = store.version + 1
  place[key] = value
end

---Undoes all that was written since the trail had that length.
function Store:undo(mark)
  local trail, n = self.trail, self.top
  while n > mark do
    trail[n - 2][trail[n - 1]] = trail[n]
    trail[n - 2], trail[n] = nil, nil
    n = n - 3
  end
  self.top = mark
end

---Drops the trail: what was written can no longer be undone.
function Store:commit()
  self.trail, self.top = {}, 0
end

---Calls an effect, the only place where fluents may be written.
function Store:apply(effect, ...)
  self.writing = true
  effect(...)
  self.writing = false
end

local Fluent = { __call = function(self) return self.value end }
Fluent.__index = Fluent

---A functional fluent without arguments: f() reads it, f:set(value) writes it inside an effect.
function state.fluent(store, name, initial)
  return setmetatable({ store = store, name = name, value = initial }, Fluent)
end

function Fluent:set(value) write(self.store, self, self, "value", value) end
function Fluent:__tostring() return ("%s = %s"):format(self.name, tostring(self.value)) end

local Relation = {
  __call = function(self, a, b, c)
    local value = self.values[a]
    if b ~= nil then
      value = value and value[b]
      if c ~= nil then value = value and value[c] end
    end
    if value == nil then return false end
    return value
  end,
}
Relation.__index = Relation

-- A copy, so that later changes of the caller's table have no effect.
local function copy(values)
  if type(values) ~= "table" then return values end
  local own = {}
  for key, value in pairs(values) do own[key] = copy(value) end
  return own
end

local RANK = { boolean = 1, number = 2, string = 3 }
local function before(a, b)
  local x, y = RANK[type(a)] or 4, RANK[type(b)] or 4
  if x ~= y then return x < y end
  if x == 2 or x == 3 then return a < b end
  return tostring(a) < tostring(b)
end

---A fluent with one to three arguments: r(a, b) reads it, false where nothing was written; r:set(a, b, value) writes
---it. initial: values by the first argument, then by the second, ….
function state.relation(store, name, initial)
  local self = setmetatable({ store = store, name = name, values = copy(initial or {}), known = {}, count = 0 },
    Relation)
  for key, value in pairs(self.values) do
    self.known[key] = true
    if value then self.count = self.count + 1 end
  end
  return self
end

-- Writes at the first argument, which may change the set of objects.
local function write_first(self, key, value)
  local old = self.values[key]
  if not self.known[key] then
    self.known[key] = true -- for ever: keys that no longer hold are skipped
    self.keys = nil
  end
  write(self.store, self, self.values, key, value)
  local more = (value and 1 or 0) - (old and 1 or 0)
  if more ~= 0 then write(self.store, self, self, "count", self.count + more) end
end

function Relation:set(...)
  local n = select("#", ...)
  if n == 2 then return write_first(self, ...) end
  if n < 2 or n > 4 then error(("relation %s: want one to three arguments and a value"):format(self.name), 2) end
  local keys, place = { ... }, self.values
  for i = 1, n - 2 do
    local inner = place[keys[i]]
    if type(inner) ~= "table" then
      inner = {}
      if i == 1 then write_first(self, keys[1], inner) else write(self.store, self, place, keys[i], inner) end
    end
    place = inner
  end
  write(self.store, self, place, keys[n - 1], keys[n])
end

---All first arguments that were ever written, in order. Callers must not change the list.
function Relation:objects()
  if not self.keys then
    local keys = {}
    for key in pairs(self.known) do keys[#keys + 1] = key end
    table.sort(keys, before)
    self.keys = keys
  end
  return self.keys
end

---The first arguments for which it is neither false nor nil, in order.
function Relation:each()
  local list, values = {}, self.values
  for _, key in ipairs(self:objects()) do
    if values[key] then list[#list + 1] = key end
  end
  return list
end

---Whether it holds for any object.
function Relation:any() return self.count > 0 end

---Whether something is a fluent without arguments.
function state.is_fluent(x) return getmetatable(x) == Fluent end

---Whether something is a relation.
function state.is_relation(x) return getmetatable(x) == Relation end

return state
