-- Recordings in scripts: what is written is read back, by topic and time; errors. The bytes of the format:
-- tests/unit/mcap_test.c; other programs: tests/e2e/mcap.sh.
local check = require "tests.lua.mcap_check"
local json = require "robotalk.json"
local mcap = require "robotalk.mcap"
local signal = require "robotalk.mcap.signal"

local folder = os.tmpname()
os.remove(folder)

local function path(name) return ("%s_%s.mcap"):format(folder, name) end

-- A recording of 5 s, written; its path.
local function record(name, options)
  os.remove(path(name))
  local w <close> = assert(mcap.create(path(name), options))
  local arm = assert(w:channel { topic = "/arm", schema = "test.Arm", metadata = { a = 1 } })
  local log = assert(w:channel { topic = "/arm.log", encoding = "text" })
  assert(w:attach("arm.urdf", "text/xml", "<robot/>", 7))
  assert(w:metadata("by", { who = "tests" }))
  for i = 0, 499 do
    local joints = { { name = "elbow", position = i }, { name = "hand", on = true } }
    assert(w:message(arm, 100 + i / 100, { joints = joints }))
  end
  assert(w:message(log, 102.5, "half way"))
  return path(name)
end

local function read(name) return (assert(assert(io.open(name, "rb")):read "a")) end

local function write(name, bytes)
  local f <close> = assert(io.open(path(name), "wb"))
  f:write(bytes)
  return path(name)
end

local function matches(pattern, text) expect.truthy(tostring(text):find(pattern), tostring(text)) end

local function remove(...) for _, name in ipairs { ... } do os.remove(path(name)) end end

describe("recordings", function()
  it("are read as they were written", function()
    local r <close> = assert(mcap.open(record "a"))
    local info = r:info()
    expect.equal("true 501 4.99 2", ("%s %d %g %d"):format(info.finished, info.messages, info.duration, #info.channels))
    local arm = info.channels[1]
    expect.equal('/arm json 500 test.Arm jsonschema {"type":"object"} 1', table.concat({ arm.topic, arm.encoding,
      arm.messages, arm.schema.name, arm.schema.encoding, arm.schema.data, arm.metadata.a }, " "))
    expect.equal("arm.urdf by", info.attachments[1] .. " " .. info.metadata[1])
    expect.equal(0, #check(r))
    local n = 0
    for m in r:messages { topic = "/arm" } do
      expect.equal(n, m.value.joints[1].position)
      expect.equal(n, m.sequence)
      n = n + 1
    end
    expect.equal(500, n)
    remove "a"
  end)

  it("are read from one time to another", function()
    local r <close> = assert(mcap.open(record "a"))
    local first, last, n
    for m in r:messages { topic = "/arm", from = 2.5, to = 3 } do
      first, last, n = first or m, m, (n or 0) + 1
    end
    expect.equal("2.5 2.99 50", ("%g %g %d"):format(first.time, last.time, n))
    for m in r:messages { topic = "/arm.log" } do
      expect.equal("half way", m.bytes)
      expect.equal(nil, m.value)
    end
    expect.equal(nil, r:messages { from = 77 }())
    remove "a"
  end)

  it("are cut and repaired", function()
    local whole = read(record "a")
    local cut <close> = assert(mcap.open(write("cut", whole:sub(1, #whole // 2))))
    expect.equal(false, cut:info().finished)
    local kept = cut:info().messages
    expect.truthy(kept > 100 and kept < 400)
    local messages, missing = assert(cut:copy(path "again"))
    expect.equal(kept, messages)
    matches("byte %d+: expected ", missing[1])
    local again <close> = assert(mcap.open(path "again"))
    expect.equal(0, #check(again))
    expect.equal(kept, again:info().messages)
    local a <close> = assert(mcap.open(path "a"))
    expect.equal(51, (assert(a:copy(path "part", 2.5, 3))))
    local part <close> = assert(mcap.open(path "part"))
    expect.equal(0, #check(part))
    local _, message, code = a:copy(path "part")
    expect.equal("EEXISTS", code)
    matches("File exists", message)
    remove("a", "cut", "again", "part")
  end)

  it("are checked, each index and each count", function()
    -- the CRCs of the whole are left out, so that only the comparison can see it
    local bytes = read(record("a", { compression = "", chunk_time = 100 }))
    local function faults_of(text)
      local r <close> = assert(mcap.open(write("b", text)))
      local faults = check(r)
      expect.equal(0, #faults == 0 and 1 or 0, "nothing was found")
      return table.concat(faults, "\n")
    end
    local data_end = bytes:find(("\15\4\0\0\0\0\0\0\0"), 1, true)
    local none = "\0\0\0\0"
    local plain = bytes:sub(1, data_end + 8) .. none .. bytes:sub(data_end + 13, -13) .. none .. bytes:sub(-8)
    local r <close> = assert(mcap.open(write("b", plain)))
    expect.equal(0, #check(r))
    local function change(at, form, value)
      local size = form:packsize()
      return plain:sub(1, at - 1) .. form:pack(value) .. plain:sub(at + size)
    end
    local index = plain:find("\7" .. ("<I8"):pack(2 + 4 + 500 * 16), 1, true)
    matches("expected a message of channel 1 at byte 3 of the chunk", faults_of(change(index + 23, "<I8", 3)))
    local chunk_index = plain:find("\8" .. ("<I8"):pack(84), data_end, true)
    matches("expected a chunk at byte 5", faults_of(change(chunk_index + 9 + 16, "<I8", 5)))
    matches("expected the times and the length", faults_of(change(chunk_index + 9, "<I8", 5)))
    matches("expected an index of channel 1 at byte 9", faults_of(change(chunk_index + 9 + 36 + 2, "<I8", 9)))
    local statistics = plain:find("\11" .. ("<I8"):pack(46 + 20), data_end, true)
    matches("expected messages = 501, got 7", faults_of(change(statistics + 9, "<I8", 7)))
    matches("expected 500 messages of channel 1, got 7", faults_of(change(statistics + 9 + 46 + 2, "<I8", 7)))
    remove("a", "b")
  end)

  it("tell the caller's mistakes, and the world's", function()
    remove "a"
    local w <close> = assert(mcap.create(path "a"))
    expect.raises("channel: want a topic", w.channel, w, {})
    expect.raises("channel has no option 'topik'; did you mean 'topic'%?", w.channel, w, { topik = "x" })
    expect.raises("message: there is no channel 7", w.message, w, 7, 0, "")
    expect.raises("create: compression: want a text, got 1", mcap.create, path "b", { compression = 1 })
    local _, message = mcap.create(path "b", { compression = "rar" })
    expect.equal("expected the compression zstd, lz4 or none, got rar", message)
    expect.equal("EEXISTS", (select(3, mcap.create(path "a"))))
    expect.equal("EBODY", (select(3, mcap.open(write("b", "no recording")))))
    expect.equal("ESYSTEM", (select(3, mcap.open(path "none"))))
    remove("a", "b")
  end)
end)

describe("signals", function()
  local channels = { { topic = "/arm" }, { topic = "/arm.log" } }
  local function get(text, value)
    local topic, steps = signal.parse(text, channels)
    if not topic then return steps end
    return topic, signal.get(value, steps)
  end

  it("are found by their paths", function()
    local value = { a = { b = { 5, true } }, joints = { { name = "elbow", position = 1.5 } } }
    local function has(text, topic, x)
      local got, number = get(text, value)
      expect.equal(topic, got)
      expect.equal(x, number)
    end
    has("/arm.a.b[0]", "/arm", 5)
    has("/arm.a.b[1]", "/arm", 1)
    has("/arm.a.b[2]", "/arm", nil)
    has("/arm.a.c.d", "/arm", nil)
    has("/arm.joints[elbow].position", "/arm", 1.5)
    has("/arm.log.a.b[0]", "/arm.log", 5)
    matches("there is no such topic, did you mean /arm%? There are /arm, /arm.log", get("/arn", value))
    matches("expected TOPIC.field%[0%].field", get("/arm[", value))
  end)

  it("are all numbers of a value", function()
    local words = {}
    for i, pair in ipairs(signal.flatten { b = { 1, { c = false }, { name = "hand", x = 2 }, { name = "hand", x = 3 } },
      a = 2.5, d = "x" }) do
      words[i] = ("%s=%s"):format(pair[1], pair[2])
    end
    expect.equal("a=2.5 b[0]=1 b[1].c=0 b[hand].x=2 b[3].x=3", table.concat(words, " "))
  end)
end)

describe("json.decode", function()
  it("reads what json.encode has written", function()
    for _, text in ipairs { '{"a":[1,2.5,-300,true,null,"x\\n\195\169\240\159\152\128"],"b":"\\\\\\""}', "[]", "3",
      '"\\u0000"', "[[[]]]", "[1e-300,123456789012]" } do
      expect.equal(text, json.encode(assert(json.decode(text))))
    end
    expect.equal("é😀", json.decode '"\\u00e9\\ud83d\\ude00"')
    expect.equal(' {"a" : 1 } ', ' {"a" : ' .. json.decode ' {"a" : 1 } '.a .. " } ")
  end)

  it("tells the byte of what is no JSON", function()
    for _, text in ipairs { "", "-", "01", "nan", "0x10", "1.", "1e", "+1", ".5", "tru" } do
      expect.equal("byte 1: expected a value", select(2, json.decode(text)))
    end
    for text, message in pairs { ["["] = "byte 2: expected a value", ['{"a":1,}'] = "byte 8: expected a name",
      ["[1 2]"] = "byte 4: expected a comma or ]", ["1 2"] = "byte 3: expected the end",
      ['"abc'] = "byte 2: expected the end of a text", ['"\\x"'] = "byte 2: expected an escape",
      ['{"a"}'] = "byte 5: expected a colon", ["[1,]"] = "byte 4: expected a value",
      [("["):rep(200)] = "byte 101: expected at most 100 values in each other" } do
      local value, why = json.decode(text)
      expect.equal(nil, value)
      expect.equal(message, why, text)
    end
  end)
end)
