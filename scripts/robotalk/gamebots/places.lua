-- The properties that a server of Gamebots reports of its sensors before their readings: their positions (GEO), and
-- their ranges (CONF). They match our sensors with the server's, and a reading at the maximum range means no object.
local lines = require "robotalk.gamebots.lines"
local log = require "robotalk.log"

local gamebots_places = {}

local TYPES <const> = { sonar = "Sonar", infrared = "IR", laser = "RangeScanner", bumper = "Touch" }
local KINDS <const> = { sonar = "sonar", ir = "infrared", rangescanner = "laser", touch = "bumper" }
-- m, rad: greatest difference of matching sensors; m for a radian, where both count
local NEAR <const>, TURNED <const>, LEVER <const> = 0.15, math.rad(25), 0.2

---The queries for each kind of the device's sensors; forgets all earlier answers.
function gamebots_places.questions(self)
  local text = {}
  self.there, self.pairs = {}, {}
  for _, kind in ipairs { "sonar", "infrared", "laser", "bumper" } do
    if self.kinds[kind] then
      for _, word in ipairs { "GETCONF", "GETGEO" } do text[#text + 1] = lines.line(word, { "Type", TYPES[kind] }) end
    end
  end
  return table.concat(text)
end

-- The sensors of a line, each by its name: its values, in a group with the name or in groups behind it.
local function told(self, line)
  local kind = KINDS[(lines.find(line, "type") or ""):lower()]
  if not kind then return nil end
  local there, one = self.there[kind] or {}, nil
  self.there[kind] = there
  local function put(word, value) one[word] = lines.numbers(value) or value end
  for _, group in ipairs(line) do
    if group[1] == "name" then
      local name, inner = group[2]:match "^(%S+)%s*(.*)$"
      if not name then return nil end
      name = name:lower()
      if not there[name] then
        there[#there + 1] = { name = name }
        there[name] = there[#there]
      end
      one = there[name]
      for word, value in (" " .. inner):gmatch "%s(%a+)%s+([^%a]*[%d.])" do put(word:lower(), value) end
      local mount = inner:match "[Mm]ount%s+(%S+)"
      if mount then one.mount = mount end
    elseif one then
      put(group[1], group[2])
    end
  end
  return kind
end

-- ---- matching by position ----

-- The heading of a sensor in our frame.
local function heading_of(attitude) return attitude and #attitude == 3 and -attitude[3] or 0 end

local function turned(x) return math.abs((x + math.pi) % (2 * math.pi) - math.pi) end

-- The distance of one of theirs from one of ours, m; nil: they do not match.
local function apart(mine, their)
  local at = lines.turn(their.location)
  if not at then return nil end
  local way = math.sqrt((at[1] - mine.position[1]) ^ 2 + (at[2] - mine.position[2]) ^ 2)
  local angle = turned(heading_of(their.orientation) - mine.attitude[3])
  return way <= NEAR and angle <= TURNED and way + LEVER * angle or nil
end

-- Pairs of nearest sensors: name there -> sensor here. nil, unless each of ours has one.
local function pair(list, there)
  local all, names, taken, count = {}, {}, {}, 0
  for _, mine in ipairs(list) do
    for _, their in ipairs(there) do
      local way = apart(mine, their)
      if way then all[#all + 1] = { way, mine, their.name } end
    end
  end
  table.sort(all, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2].number < b[2].number
  end)
  for _, one in ipairs(all) do
    if not taken[one[2]] and not names[one[3]] then
      taken[one[2]], names[one[3]], count = true, one[2], count + 1
    end
  end
  return count == #list and names or nil
end

-- Sensors that are fixed to the body, link 0, and have one value each can be matched so.
local function can_be_found(self, kind)
  for _, sensor in ipairs(self.kinds[kind] or {}) do
    if sensor.count ~= 1 or sensor.link ~= 0 then return false end
  end
  return kind ~= "laser" and self.kinds[kind] ~= nil
end

-- Whether each of ours is found by its name.
local function all_named(list, there)
  for _, mine in ipairs(list) do if not there[mine.name:lower()] then return false end end
  return true
end

---A line GEO of sensors.
function gamebots_places.geometry(self, line)
  local kind = told(self, line)
  if not kind or not can_be_found(self, kind) then return end
  self.pairs[kind] = pair(self.kinds[kind], self.there[kind])
  if not self.pairs[kind] and not all_named(self.kinds[kind], self.there[kind]) then
    log.say("info", "%s: gamebots: its %s stand elsewhere than ours: they are taken in their order", self.robot,
      TYPES[kind])
  end
end

---A line CONF of sensors.
function gamebots_places.settings(self, line) told(self, line) end

---Our sensor at the position of the server's; nil: unknown.
function gamebots_places.find(self, kind, name) return self.pairs[kind] and self.pairs[kind][name] end

---The range of a sensor of the server, m; nil: unknown. For a scan without an angle also: fov.
function gamebots_places.setting(self, kind, name, word)
  local one = self.there[kind] and self.there[kind][name]
  local list = one and one[word]
  return type(list) == "table" and list[1] or nil
end

return gamebots_places
