-- Recordings as files of MCAP (docs/recordings.md): for scripts, and for the verbs mcap and plot.
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local guarded = require "robotalk.mistakes.guarded"
local json = require "robotalk.json"
local log = require "robotalk.log"
local mistake = require "robotalk.mistakes.mistake"

local need <const> = guarded.need

local mcap = {}

---The kinds of records, by their numbers in the format.
mcap.kinds = { HEADER = 1, FOOTER = 2, SCHEMA = 3, CHANNEL = 4, MESSAGE = 5, CHUNK = 6, MESSAGE_INDEX = 7,
  CHUNK_INDEX = 8, ATTACHMENT = 9, ATTACHMENT_INDEX = 10, STATISTICS = 11, METADATA = 12, METADATA_INDEX = 13,
  DATA_END = 15 }
local kinds = mcap.kinds

-- ns of a time in s; far beyond any recording where that is too much for an integer.
local function ns_of(time) return math.tointeger(math.min(time, 9e9) * 1e9 // 1) end

-- ---- maps: metadata ----

local function pack_map(map)
  local parts = {}
  for _, key in ipairs(checked.names(map)) do parts[#parts + 1] = ("<s4s4"):pack(key, tostring(map[key])) end
  return table.concat(parts)
end

local function unpack_map(bytes)
  local map, at = {}, 1
  while at <= #bytes do
    local key, value
    key, value, at = ("<s4s4"):unpack(bytes, at)
    map[key] = value
  end
  return map
end

-- ---- writing ----

local Writer = {}
Writer.__index = Writer
mcap.Writer = Writer

local CREATE = { compression = checked.text, chunk_bytes = checked.count, chunk_time = checked.period }

---A new file: a writer; nil, message, code. options: compression ("zstd", "lz4", "": the first whose library is there),
---chunk_bytes (1 MiB), chunk_time (1 s).
mcap.create = guarded.by(function(path, options)
  if type(path) ~= "string" then mistake("create: want the path of a file, got %s", type(path)) end
  options = checked.options(options, CREATE, "create")
  local writer = need(core.mcap_create(path, options.compression, options.chunk_bytes and
    math.tointeger(options.chunk_bytes), options.chunk_time and ns_of(options.chunk_time)))
  return setmetatable({ core = writer, path = path, schemas = 0, channels = 0, sequence = {} }, Writer)
end)

local CHANNEL = { topic = checked.text, schema = checked.text, data = true, schema_encoding = checked.text,
  encoding = checked.text, metadata = true }

---Adds a channel: its number, for messages; nil, message, code. options: topic, schema (the name of its schema), data
---(of the schema: a text, or a table for JSON; an object by default), schema_encoding ("jsonschema"), encoding
---("json"), metadata (a table of texts).
Writer.channel = guarded.by(function(self, options)
  options = checked.options(options, CHANNEL, "channel")
  if not options.topic then mistake "channel: want a topic" end
  local schema, data = 0, options.data or { type = "object" }
  if options.schema then
    schema = self.schemas + 1
    if type(data) == "table" then data = json.encode(data) end
    need(self.core:write(kinds.SCHEMA, schema, options.schema, options.schema_encoding or "jsonschema", 0, 0, 0, 0,
      data))
    self.schemas = schema
  end
  need(self.core:write(kinds.CHANNEL, self.channels + 1, options.topic, options.encoding or "json", 0, 0, 0, schema,
    "", pack_map(options.metadata or {})))
  self.channels = self.channels + 1
  self.sequence[self.channels] = 0
  return self.channels
end)

---Adds a message at a time, s: its bytes, or a table for JSON. true; nil, message, code: ESYSTEM: the disk is full.
function Writer:message(channel, time, value)
  if not self.sequence[channel] then mistake("message: there is no channel %s", tostring(channel)) end
  checked.value(time, checked.bound, "message", "time")
  local n, ns = self.sequence[channel], ns_of(time)
  if type(value) ~= "string" then value = json.encode(value) end
  local ok, message, code = self.core:write(kinds.MESSAGE, channel, "", "", ns, ns, n & 0xffffffff, 0, value)
  if not ok then return nil, message, code end
  self.sequence[channel] = n + 1
  return true
end

---Adds a file, as a robot's description, with its media type: true; nil, message, code.
function Writer:attach(name, media_type, bytes, time)
  local ns = ns_of(time or core.now())
  return self.core:write(kinds.ATTACHMENT, 0, name, media_type, ns, ns, 0, 0, bytes)
end

---Adds a table of texts with a name: true; nil, message, code.
function Writer:metadata(name, map)
  return self.core:write(kinds.METADATA, 0, name, "", 0, 0, 0, 0, "", pack_map(map))
end

---Writes what was added to the disk: true; nil, message, code.
function Writer:flush() return self.core:flush() end

---Finishes the file: true; nil, message, code.
function Writer:close() return self.core:finish() end

function Writer:__close()
  local ok, message = self:close()
  if not ok then log.say("error", "%s: %s", self.path, message) end
end

-- ---- reading ----

local Recording = {}
Recording.__index = Recording
mcap.Recording = Recording

---A recording; nil, message, code. It may be unfinished.
function mcap.open(path)
  if type(path) ~= "string" then mistake("open: want the path of a file, got %s", type(path)) end
  local reader, message, code = core.mcap_open(path)
  if not reader then return nil, message:find(path, 1, true) and message or path .. ": " .. message, code end
  return setmetatable({ core = reader, path = path }, Recording)
end

---An iterator over the next records: kind, id, name, encoding, log time, publish time, sequence, schema, place, offset.
---Calls fault(message) for each that is damaged, and where the file is cut off. Raises when it cannot be read.
function Recording:records(fault)
  local reader = self.core
  local function take(kind, message, code, ...)
    if kind or not message then return kind, message, code, ... end
    if code ~= "EBODY" then error(("%s: %s"):format(self.path, message), 0) end
    if fault then fault(message) end
    return take(reader:next())
  end
  return function() return take(reader:next()) end
end

-- Records of the summary, by kind, are added to the recording's info by functions of info, data, id, name,
-- encoding, schema and map.
local SUMMED = {
  [kinds.SCHEMA] = function(info, data, id, name, encoding)
    info.schemas[id] = { id = id, name = name, encoding = encoding, data = data }
  end,
  [kinds.CHANNEL] = function(info, _, id, topic, encoding, schema, map)
    if info.by_id[id] then return end
    info.by_id[id] = { id = id, topic = topic, encoding = encoding, messages = 0, schema = info.schemas[schema],
      metadata = unpack_map(map) }
    table.insert(info.channels, info.by_id[id])
  end,
  [kinds.CHUNK_INDEX] = function(info, data)
    local _, _, _, _, _, _, name, packed, size = ("<I8I8I8I8s4I8s4I8I8"):unpack(data)
    info:add_chunk(name, size, packed)
  end,
  [kinds.ATTACHMENT_INDEX] = function(info, data)
    table.insert(info.attachments, (select(6, ("<I8I8I8I8I8s4"):unpack(data))))
  end,
  [kinds.METADATA_INDEX] = function(info, data) table.insert(info.metadata, (select(3, ("<I8I8s4"):unpack(data)))) end,
  [kinds.STATISTICS] = function(info, data)
    local messages, _, _, _, _, _, first, last, counts = ("<I8I2I4I4I4I4I8I8s4"):unpack(data)
    info.messages, info.first, info.last = messages, first, last
    for at = 1, #counts, 10 do
      local id, n = ("<I2I8"):unpack(counts, at)
      if info.by_id[id] then info.by_id[id].messages = n end
    end
  end,
  [kinds.FOOTER] = function(info) info.finished = true end,
}

-- The same without a summary.
local SCANNED = {
  [kinds.SCHEMA] = SUMMED[kinds.SCHEMA], [kinds.CHANNEL] = SUMMED[kinds.CHANNEL],
  [kinds.CHUNK] = function(info, data)
    local _, _, size, _, name, packed = ("<I8I8I8I4s4I8"):unpack(data)
    info:add_chunk(name, size, packed)
  end,
  [kinds.ATTACHMENT] = function(info, _, _, name) table.insert(info.attachments, name) end,
  [kinds.METADATA] = function(info, _, _, name) table.insert(info.metadata, name) end,
  [kinds.FOOTER] = SUMMED[kinds.FOOTER],
}

local Info = {}
Info.__index = Info

function Info:add_chunk(name, size, packed)
  self.chunks, self.packed, self.unpacked = self.chunks + 1, self.packed + packed, self.unpacked + size
  self.compression = name
end

function Info:add_message(id, time)
  local channel = self.by_id[id]
  channel.messages, self.messages = channel.messages + 1, self.messages + 1
  self.first, self.last = math.min(self.first or time, time), math.max(self.last or time, time)
end

local function read_info(self)
  local info = setmetatable({ schemas = {}, channels = {}, by_id = {}, messages = 0, chunks = 0, packed = 0,
    unpacked = 0, attachments = {}, metadata = {}, faults = {}, finished = false }, Info)
  local function fault(message) table.insert(info.faults, message) end
  self.core:range()
  local kind, _, profile, library = self:records(fault)()
  if kind == kinds.HEADER then info.profile, info.library = profile, library end
  local parts = self.core:summary() and SUMMED or SCANNED
  for kind_, id, name, encoding, time, _, _, schema, place in self:records(fault) do
    if kind_ == kinds.MESSAGE then
      info:add_message(id, time)
    elseif parts[kind_] then
      local data, map = self.core:data()
      local ok = pcall(parts[kind_], info, data, id, name, encoding, schema, map)
      if not ok then fault(("byte %d: expected a longer record"):format(place)) end
    end
  end
  info.first, info.last = info.first or 0, info.last or 0
  info.duration = (info.last - info.first) / 1e9
  return info
end

---What the recording has: messages, chunks, channels (a list of { topic, encoding, messages, schema = { name, encoding,
---data }, metadata }), first and last (times of messages, ns), duration (s), compression, packed and unpacked (bytes of
---its chunks), attachments and metadata (lists of names), library, profile, finished, faults (a list of messages). An
---unfinished one is read whole for that.
function Recording:info()
  self.known = self.known or read_info(self)
  return self.known
end

---Its attachments and its metadata, by their names: bytes, and tables of texts. Reads all of it.
function Recording:extras()
  local attachments, metadata = {}, {}
  self.core:range()
  for kind, _, name in self:records() do
    local data, map = self.core:data()
    if kind == kinds.ATTACHMENT then attachments[name] = data end
    if kind == kinds.METADATA then metadata[name] = unpack_map(map) end
  end
  return attachments, metadata
end

local Message = {}

-- m.value: of a message of JSON, or nil.
function Message:__index(name)
  if name ~= "value" or self.channel.encoding ~= "json" then return nil end
  local value = json.decode(self.bytes)
  rawset(self, name, value)
  return value
end

local RANGE = { topic = true, from = checked.bound, to = checked.bound }

---An iterator over messages: { topic, time (s since the first message), ns, sequence, bytes, value (of JSON),
---channel }, in the order of the file. options: topic (one, or a list); from, to (such times; `to` is not included).
---Damaged records are left out. A recording has one such loop at a time.
function Recording:messages(options)
  options = checked.options(options, RANGE, "messages")
  local info = self:info()
  self.core:range(info.first + ns_of(options.from or 0), options.to and info.first + ns_of(options.to))
  local wanted = options.topic and {}
  local list = type(options.topic) == "table" and options.topic or { options.topic }
  for _, topic in ipairs(list) do wanted[topic] = true end
  local next_record = self:records()
  return function()
    while true do
      local kind, id, _, _, ns, _, sequence = next_record()
      local channel = kind == kinds.MESSAGE and info.by_id[id]
      if not kind then return nil end
      if channel and (not wanted or wanted[channel.topic]) then
        return setmetatable({ topic = channel.topic, time = (ns - info.first) / 1e9, ns = ns, sequence = sequence,
          bytes = (self.core:data()), channel = channel }, Message)
      end
    end
  end
end

local COPIED = { [kinds.SCHEMA] = true, [kinds.CHANNEL] = true, [kinds.MESSAGE] = true, [kinds.ATTACHMENT] = true,
  [kinds.METADATA] = true }

-- Writes the schemas and channels of a recording, which may be in chunks without messages of the range.
local function describe(info, writer)
  for _, c in ipairs(info.channels) do
    local s = c.schema
    if s then writer.core:write(kinds.SCHEMA, s.id, s.name, s.encoding, 0, 0, 0, 0, s.data) end
    writer.core:write(kinds.CHANNEL, c.id, c.topic, c.encoding, 0, 0, 0, s and s.id, "", pack_map(c.metadata))
  end
end

---Copies all that is whole into a new file, which is finished: the number of messages, and a list of what is missing;
---nil, message, code. from, to: only messages of these times, as above.
Recording.copy = guarded.by(function(self, path, from, to)
  local info = (from or to) and self:info()
  local first = info and info.first or 0
  local writer, missing, messages = need(mcap.create(path)), {}, 0
  if info then describe(info, writer) end
  local function fault(what) table.insert(missing, what) end
  self.core:range(first + ns_of(from or 0), to and first + ns_of(to))
  for kind, _, _, _, _, _, _, _, place in self:records(fault) do
    if COPIED[kind] then
      local ok, message, code = self.core:copy(writer.core)
      if code == "ESYSTEM" then need(nil, message, code) end
      if not ok then fault(("byte %d: %s"):format(place, message)) end
      if ok and kind == kinds.MESSAGE then messages = messages + 1 end
    end
  end
  need(writer:close())
  return messages, missing
end)

function Recording:close() self.core:close() end
Recording.__close = Recording.close

colon.methods(Writer, "writer")
colon.methods(Recording, "recording")

return mcap
