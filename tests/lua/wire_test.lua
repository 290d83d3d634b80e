-- rt.wire against the golden vectors of tests/wire, which say what each package means.
local rt = require "robotalk"
local wire = rt.wire

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

-- The vectors of a folder: name -> bytes and what stands behind them.
local function vectors(folder)
  local list <close> = assert(io.popen(("ls %s/*.txt"):format(folder)))
  local all = {}
  for path in list:lines() do
    local hex, lua = read(path):match "^(.-)\n\n(.*)$"
    lua = lua:gsub("18446744073709551615", "-1") -- a u64 is the integer of the same bits
    local bytes = hex:gsub("%s", ""):gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)
    all[path:match "([^/]*)%.txt$"] = { bytes = bytes, means = assert(load("return " .. lua))() }
  end
  assert(next(all), folder)
  return all
end

local KINDS = { [0] = "base", "dof", "frame" }

-- What a vector says in the form of rt.wire: rows of bytes are strings, kinds of parts words, and a base is a place or
-- a speed.
local function expected(entry)
  local e = {}
  for name, value in pairs(entry) do e[name] = value end
  for _, name in ipairs { "bytes", "mask", "known", "aimed" } do
    if type(e[name]) == "table" then e[name] = string.char(table.unpack(e[name])) end
  end
  if e.op == "move" and e.base then e[e.parts & 1 == 1 and "place" or "speed"], e.base = e.base, nil end
  if e.op == "move" and math.type(e.parts) then e.wide, e.parts = e.parts & 256 ~= 0 or nil, nil end
  for i, part in ipairs(e.parts or {}) do
    e.parts[i] = { kind = KINDS[part.kind], signal = part.signal, reason = part.reason, number = part.number }
  end
  return e
end

local function same(path, a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    if a ~= b then error(("%s: expected %s, got %s"):format(path, a, b), 0) end
    return
  end
  for key in pairs(a) do same(("%s.%s"):format(path, key), a[key], b[key]) end
  for key in pairs(b) do
    if a[key] == nil then error(("%s.%s is too much: %s"):format(path, key, b[key]), 0) end
  end
end

local good = vectors "tests/wire"

describe("rt.wire", function()
  it("reads every vector as what it means, and writes the same bytes", function()
    for name, v in pairs(good) do
      local package, next_ = wire.decode(v.bytes)
      expect.truthy(package, name)
      expect.equal(next_, #v.bytes + 1)
      same(name .. ": header", v.means.header, package.header)
      expect.equal(#package.entries, #(v.means.entries or {}))
      for i, entry in ipairs(v.means.entries or {}) do
        same(("%s: entry %d"):format(name, i), expected(entry), package.entries[i])
      end
      local bytes, message = wire.encode(package)
      expect.truthy(bytes == v.bytes, ("%s: %s"):format(name, message or "other bytes"))
    end
  end)
  it("skips what a later version may send", function()
    for name, v in pairs(vectors "tests/wire/skip") do
      local package, message = wire.decode(v.bytes)
      expect.truthy(package, ("%s: %s"):format(name, message))
      local one = good[v.means.same]
      if #package.entries > 0 then
        for i, entry in ipairs(one.means.entries) do same(name, expected(entry), package.entries[i]) end
      else
        expect.equal(package.header.id, one.means.header.id)
      end
    end
  end)
  it("refuses what cannot be, and says where", function()
    for name, v in pairs(vectors "tests/wire/bad") do
      local package, message, code, place = wire.decode(v.bytes)
      expect.truthy(package == nil and type(message) == "string", name)
      expect.equal(code, v.means.error)
      expect.equal(place.offset, v.means.offset)
      expect.equal(place.field, v.means.field)
    end
  end)
  it("wants more bytes until a package is whole, and goes on behind it", function()
    local a, b = good.command_set_speed.bytes, good.reply_sync.bytes
    for n = 0, #a - 1 do expect.equal(wire.decode(a:sub(1, n)), false) end
    local _, at = wire.decode(a .. b)
    local package, behind = wire.decode(a .. b, at)
    expect.equal(package.entries[1].op, "sync")
    expect.equal(behind, #a + #b + 1)
    expect.equal(wire.decode(a .. b, behind), false)
  end)
  it("writes with what is not said as 0, unknown or at once", function()
    local bytes = assert(wire.encode { header = { type = "command", session = 3 }, entries = { { op = "stop", id = 1 },
      { op = "set_speed", id = 2, x = 0.5 } } })
    local package = assert(wire.decode(bytes))
    expect.equal(package.header.stamp, false)
    expect.equal(package.header.count, 2)
    expect.equal(package.entries[1].start, false)
    expect.equal(package.entries[2].x, 0.5)
    expect.equal(package.entries[2].theta, 0)
    expect.equal(#assert(wire.encode { header = { type = "none", flags = 1 } }), 32)
  end)
  it("refuses to write what the wire cannot carry, and says where", function()
    local _, message, code, place = wire.encode { header = { type = "command" }, entries = { { op = "stop", id = 1 },
      { op = "set_speed", id = 2, y = 2.5e9 } } }
    expect.equal(code, "ERANGE")
    expect.equal(place.entry, 2)
    expect.truthy(message)
    local many = {}
    for i = 1, 2000 do many[i] = { op = "set_speed", id = i } end
    _, _, code = wire.encode { header = { type = "command" }, entries = many }
    expect.equal(code, "EFULL")
  end)
  it("raises for what is no package", function()
    local function of(type, ...) return { header = { type = type }, entries = { ... } } end
    for _, no in ipairs { {}, { header = {} }, of "letter", { header = { type = "query", color = 1 } },
      of("query", { op = "set_speed" }), of("none", { op = "stop" }), of("command", { op = "set_speed", z = 1 }),
      of("query", 1), of("signal", { op = "stop", signal = "fine", reason = "none" }),
      of("command", { op = "move", setpoints = { dofs = { -1 }, value = { 1 } } }) } do
      expect.truthy(not pcall(wire.encode, no))
    end
    expect.raises("^tests/lua/wire_test.lua:%d+: wire: header: type: want none, query, .+ or notice, got 'letter'$",
      wire.encode, of "letter")
    expect.truthy(not pcall(wire.decode, "", 2))
    expect.truthy(not pcall(wire.decode, {}))
  end)
end)
