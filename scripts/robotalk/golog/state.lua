-- The fluents of a Golog domain. They are progressed, not regressed: an effect writes the new value and a trail keeps
-- the old one, so a run does not slow down with its length and backtracking restores everything exactly.
local state = {}

local math_type = math.type

local Store = {}
Store.__index = Store

---A store of fluents: top, the trail's length; version, the number of writes; writing, inside an effect;
---hash, of all values, kept after hash_from_now.
function state.new()
  return setmetatable({ trail = {}, top = 0, version = 0, writing = false, hash = 0, codes = false, seed = 0 }, Store)
end

-- 64 bits at random (splitmix64).
local function next_code(store)
  local z = store.seed + 0x9E3779B97F4A7C15
  store.seed = z
  z = (z ~ z >> 30) * 0xBF58476D1CE4E5B9
  z = (z ~ z >> 27) * 0x94D049BB133111EB
  return z ~ z >> 31
end

-- The code of a value at a place, 0 for none. Equal numbers of different types differ; NaN is one value.
local function code_of(store, place, key, value)
  local of = store.codes[place]
  if not of then
    of = {}
    store.codes[place] = of
  end
  local codes = of[key]
  if not codes then
    codes = {}
    of[key] = codes
  end
  if math_type(value) == "float" then
    if value ~= value then value = "NaN" end
    codes.floats = codes.floats or {}
    codes = codes.floats
  end
  local code = codes[value]
  if not code then
    code = next_code(store)
    codes[value] = code
  end
  return code
end

-- The trail has four entries for each write: where, the key, the value before and the hash before.
local function put(store, place, key, value)
  local trail, n = store.trail, store.top
  trail[n + 1], trail[n + 2], trail[n + 3], trail[n + 4] = place, key, place[key], store.hash
  store.top = n + 4
  store.version = store.version + 1
  place[key] = value
end

-- none: the value before the first write.
local function write(store, what, place, key, value, none)
  if not store.writing then error(("fluent %s: only effects change fluents"):format(what.name), 3) end
  local old = place[key]
  put(store, place, key, value)
  if store.codes then
    local hash = store.hash
    if old ~= nil and old ~= none then hash = hash ~ code_of(store, place, key, old) end
    if value ~= nil and value ~= none then hash = hash ~ code_of(store, place, key, value) end
    store.hash = hash
  end
end

---Undoes all writes since the trail had that length.
function Store:undo(mark)
  local trail, n = self.trail, self.top
  if n > mark then self.hash = trail[mark + 4] end
  while n > mark do
    trail[n - 3][trail[n - 2]] = trail[n - 1]
    trail[n - 3], trail[n - 1] = nil, nil
    n = n - 4
  end
  self.top = mark
end

---The writes since then, for redo.
function Store:written(mark)
  local trail, writes, n = self.trail, {}, 0
  for i = mark + 1, self.top, 4 do
    local place, key = trail[i], trail[i + 1]
    writes[n + 1], writes[n + 2], writes[n + 3] = place, key, place[key]
    n = n + 3
  end
  writes.n = n
  return writes
end

---Repeats these writes; hash: as it was then.
function Store:redo(writes, hash)
  local trail, n = self.trail, self.top
  for i = 1, writes.n, 3 do
    local place, key = writes[i], writes[i + 1]
    trail[n + 1], trail[n + 2], trail[n + 3], trail[n + 4] = place, key, place[key], self.hash
    place[key] = writes[i + 2]
    n = n + 4
  end
  self.top, self.hash = n, hash
end

---From now on, until `imagine` ends, the hash is kept: equal for equal values of all fluents, and otherwise
---different except for one chance in 2^64 (Zobrist 1970).
function Store:hash_from_now() self.codes = self.codes or {} end

local Imagined = { __close = function(self)
  local store = self.store
  store.writing = false
  store:undo(self.top)
  store.version, store.codes = self.version, self.codes
end }

---All writes from now on are undone when the returned value is closed.
function Store:imagine()
  return setmetatable({ store = self, top = self.top, version = self.version, codes = self.codes }, Imagined)
end

---Drops the trail: earlier writes can no longer be undone.
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
  local self = setmetatable({ store = store, name = name, values = copy(initial or {}), known = {}, inner = {},
    count = 0 }, Relation)
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
  write(self.store, self, self.values, key, value, false)
  local more = (value and 1 or 0) - (old and 1 or 0)
  if more ~= 0 then put(self.store, self, "count", self.count + more) end
end

-- The empty table that goes there; the same again after an undo.
local function inner_of(self, place, key)
  local of = self.inner[place]
  if not of then
    of = {}
    self.inner[place] = of
  end
  if of[key] == nil or next(of[key]) ~= nil then of[key] = {} end
  return of[key]
end

function Relation:set(...)
  local n = select("#", ...)
  if n == 2 then return write_first(self, ...) end
  if n < 2 or n > 4 then error(("relation %s: want one to three arguments and a value"):format(self.name), 2) end
  local keys, place = { ... }, self.values
  for i = 1, n - 2 do
    local inner = place[keys[i]]
    if type(inner) ~= "table" then
      inner = inner_of(self, place, keys[i])
      if i == 1 then write_first(self, keys[1], inner)
      else write(self.store, self, place, keys[i], inner, false) end
    end
    place = inner
  end
  write(self.store, self, place, keys[n - 1], keys[n], false)
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
