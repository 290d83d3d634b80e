-- A folder of pictures that is rewound, and instants as people write them. The lines of the index are made here, from
-- spec/images.md alone.
local images = require "robotalk.images"
local instant = require "robotalk.text.instant"

local function crc32(text)
  local crc = 0xffffffff
  for i = 1, #text do
    crc = crc ~ text:byte(i)
    for _ = 1, 8 do crc = crc >> 1 ~ (crc & 1 == 1 and 0xedb88320 or 0) end
  end
  return crc ~ 0xffffffff
end

local function line(number, us, size, source)
  local text = ("%012d %016d %08d %-79s "):format(number, us, size, source)
  return ("%s%08x\n"):format(text, crc32(text))
end

-- A folder with five pictures, a second apart, of two sources in turn.
local function folder()
  local path = os.tmpname()
  os.remove(path)
  os.execute("mkdir " .. path)
  local index <close> = io.open(path .. "/index", "w")
  for i = 1, 5 do
    index:write(line(i, 1700000000000000 + i * 1000000, 4, i % 2 == 1 and "a/c" or "b/c"))
    local file <close> = io.open(("%s/%012d.jpg"):format(path, i), "w")
    file:write(("jpg%d"):format(i))
  end
  return setmetatable({ path = path }, { __close = function() os.execute("rm -r " .. path) end })
end

local function numbers(list)
  local words = {}
  for i, picture in ipairs(list) do words[i] = picture.number end
  return table.concat(words, " ")
end

describe("a folder of pictures", function()
  it("is listed whole, by time, and by source", function()
    local at <close> = folder()
    local store = assert(images.open(at.path))
    expect.equal("1 2 3 4 5", numbers(store:list()))
    expect.equal("2 3 4", numbers(store:list { from = 1700000002, to = 1700000004 }))
    expect.equal("2 4", numbers(store:list { source = "b/c" }))
    expect.equal("", numbers(store:list { from = 1800000000 }))
    local first = store:list()[1]
    expect.equal("a/c", first.source)
    expect.equal(1700000001.0, first.time)
    expect.equal(4, first.size)
    expect.equal("jpg1", store:read(first))
  end)

  it("is rewound by time and by step", function()
    local at <close> = folder()
    local store = assert(images.open(at.path))
    expect.equal(3, store:at(1700000003).number)
    expect.equal(3, store:at(1700000003.9).number)
    expect.equal(2, store:at(1700000003.9, { step = -1 }).number)
    expect.equal(1, store:at(1700000002, { source = "a/c" }).number)
    expect.equal(5, store:step(0).number)
    expect.equal(4, store:step(-1).number)
    expect.equal(2, store:step(-1, store:at(1700000003)).number)
    expect.equal(3, store:step(-1, nil, { source = "a/c" }).number)
    for _, picture in ipairs(store:list()) do expect.equal(picture.number, store:at(picture.time).number) end
    for _, none in ipairs { { store:at(1700000000) }, { store:step(1) }, { store:step(-5) } } do
      expect.equal(nil, none[1])
      expect.equal("ENONE", none[3])
    end
  end)

  it("tells who asks for a time before all of it of when the oldest is", function()
    local at <close> = folder()
    local store = assert(images.open(at.path))
    local none = { store:at(5) }
    expect.equal(("%s: there is no picture so far back: the oldest is of %s"):format(at.path,
      instant.text(store:list()[1].us)), none[2])
    expect.equal("ENONE", none[3])
  end)

  it("is read anew each time, and a picture that has gone is none", function()
    local at <close> = folder()
    local store = assert(images.open(at.path))
    local first = store:list()[1]
    os.remove(first.file)
    expect.equal("2 3 4 5", numbers(store:list()))
    expect.equal("ENONE", select(3, store:read(first)))
  end)

  it("is told to be none where there is no index", function()
    local none, why, code = images.open "/nowhere"
    expect.equal(nil, none)
    expect.equal("/nowhere: No such file or directory", why)
    expect.equal("ESYSTEM", code)
    local at <close> = folder()
    local store = assert(images.open(at.path))
    expect.raises("at: time: want a number of 0 or more, got nil", store.at, store)
    expect.raises("step: want a whole number, got 0.5", store.step, store, 0.5)
    local want = "want a picture, as list, at and step give them, got "
    expect.raises("read: " .. want .. "nil", store.read, store)
    expect.raises("read: " .. want .. "another table", store.read, store, {})
    expect.raises("step: " .. want .. "number", store.step, store, -1, 5)
  end)
end)

describe("an instant", function()
  it("is read as people write it", function()
    for text, us in pairs {
      ["1970-01-01"] = 0, ["2023-11-14T22:13:20Z"] = 1700000000000000, ["2023-11-14T22:13:20.5Z"] = 1700000000500000,
      ["2023-11-14 22:13:20.000001"] = 1700000000000001, ["2023-11-14T23:13:20+01:00"] = 1700000000000000,
      ["2023-11-14T16:43:20-0530"] = 1700000000000000, ["2023-11-14T22:13"] = 1699999980000000,
      ["1700000000.25"] = 1700000000250000, ["2000-02-29"] = 951782400000000,
    } do expect.equal(us, instant.read(text), text) end
  end)

  it("is none when it is written wrong", function()
    for _, text in ipairs {
      "", "now", "2023-11", "2023-13-01", "2023-02-29", "2023-11-31", "2023-11-14T", "2023-11-14T22",
      "2023-11-14T24:00", "2023-11-14T22:60", "2023-11-14T22:13:2", "2023-11-14T22:13.5", "2023-11-14T22:13:20X",
      "2023-11-14T22:13:20+1", "-5", "1e10", "nan" } do
      local us, want = instant.read(text)
      expect.equal(nil, us, text)
      expect.truthy(want:find "a time as 2026%-11%-23T04:53:48.007Z")
    end
  end)

  it("comes back from its text, and is what the system says", function()
    for day = 0, 60000, 7 do
      local us = day * 86400000000 + (day * 7919) % 86400000000
      expect.equal(us, instant.read(instant.text(us)))
      expect.equal(os.date("!%Y-%m-%dT%H:%M:%S", us // 1000000), instant.text(us):sub(1, 19))
    end
    expect.equal("2023-11-14T22:13:20.123Z", instant.text(1700000000123999, 3))
  end)
end)
