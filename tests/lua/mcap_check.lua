-- Compares the indexes of a recording with its records. The CRCs are checked as it is read.
local kinds = require "robotalk.mcap".kinds

local Check = {}
Check.__index = Check

function Check:fault(place, form, ...)
  table.insert(self.faults, ("byte %d: " .. form):format(place, ...))
end

-- Calls f(id, value) for each entry of a map of two integers.
local function each(map, form, f)
  for at = 1, #map, form:packsize() do f(form:unpack(map, at)) end
end

local parts = {}

parts[kinds.CHUNK] = function(self, data, place)
  local first, last = ("<I8I8"):unpack(data)
  self.chunk = { first = first, last = last, at = {}, indexes = {} }
  self.chunks[place], self.count.chunks = self.chunk, self.count.chunks + 1
end

parts[kinds.MESSAGE_INDEX] = function(self, data, place)
  local id, list = ("<I2s4"):unpack(data)
  if not self.chunk then return self:fault(place, "expected a chunk before this index") end
  self.chunk.indexes[id] = place
  each(list, "<I8I8", function(time, offset)
    local message = self.chunk.at[offset]
    if not message or message[1] ~= id or message[2] ~= time then
      self:fault(place, "expected a message of channel %d at byte %d of the chunk", id, offset)
    end
    self.chunk.at[offset] = nil
  end)
end

-- No more indexes follow for the chunk before; the messages of a chunk that is indexed are all in these.
local function close_chunk(self, place)
  if not self.chunk then return end
  if next(self.chunk.indexes) and next(self.chunk.at) then
    self:fault(place, "expected an index of all messages before")
  end
  self.chunk.at, self.chunk = nil, nil
end

parts[kinds.CHUNK_INDEX] = function(self, data, place)
  local first, last, offset, length, map, _, _, _, _ = ("<I8I8I8I8s4I8s4I8I8"):unpack(data)
  local chunk = self.chunks[offset]
  if not chunk then return self:fault(place, "expected a chunk at byte %d", offset) end
  if first ~= chunk.first or last ~= chunk.last or length ~= chunk.length then
    self:fault(place, "expected the times and the length of the chunk at byte %d", offset)
  end
  each(map, "<I2I8", function(id, at)
    if chunk.indexes[id] ~= at then self:fault(place, "expected an index of channel %d at byte %d", id, at) end
  end)
end

parts[kinds.STATISTICS] = function(self, data, place)
  local messages, _, _, attachments, metadata, chunks, first, last, counts = ("<I8I2I4I4I4I4I8I8s4"):unpack(data)
  for name, n in pairs { messages = messages, attachments = attachments, metadata = metadata, chunks = chunks,
    first = first, last = last } do
    if n ~= self.count[name] then self:fault(place, "expected %s = %d, got %d", name, self.count[name], n) end
  end
  each(counts, "<I2I8", function(id, n)
    if n ~= (self.by_id[id] or 0) then
      self:fault(place, "expected %d messages of channel %d, got %d", self.by_id[id] or 0, id, n)
    end
  end)
end

local function add_apart(name)
  return function(self, _, place)
    self.count[name], self.apart[place] = self.count[name] + 1, true
  end
end
parts[kinds.ATTACHMENT], parts[kinds.METADATA] = add_apart "attachments", add_apart "metadata"

local function find_apart(self, data, place)
  local offset = ("<I8"):unpack(data)
  if not self.apart[offset] then self:fault(place, "expected a record of its kind at byte %d", offset) end
end
parts[kinds.ATTACHMENT_INDEX], parts[kinds.METADATA_INDEX] = find_apart, find_apart

local function add_message(self, id, time, offset)
  local count = self.count
  if self.chunk and offset >= 0 then self.chunk.at[offset] = { id, time } end
  self.by_id[id] = (self.by_id[id] or 0) + 1
  count.messages = count.messages + 1
  count.first = count.messages == 1 and time or math.min(count.first, time)
  count.last = math.max(count.last, time)
end

---Reads all of a recording: a list of what is wrong, with the byte of each.
return function(recording)
  local self = setmetatable({ faults = {}, chunks = {}, apart = {}, by_id = {},
    count = { messages = 0, attachments = 0, metadata = 0, chunks = 0, first = 0, last = 0 } }, Check)
  recording.core:range()
  for kind, id, _, _, time, _, _, _, place, offset in recording:records(function(message)
    table.insert(self.faults, message)
  end) do
    if self.chunk and offset < 0 then self.chunk.length = self.chunk.length or place - self.chunk.place end
    if offset < 0 and kind ~= kinds.MESSAGE_INDEX then close_chunk(self, place) end
    if kind == kinds.MESSAGE then
      add_message(self, id, time, offset)
    elseif parts[kind] then
      local ok = pcall(parts[kind], self, (recording.core:data()), place)
      if not ok then self:fault(place, "expected a longer record") end
    end
    if kind == kinds.CHUNK then self.chunk.place = place end
  end
  return self.faults
end
