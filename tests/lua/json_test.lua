-- JSON that is written is JSON.
local json = require "robotalk.json"
local strict = dofile "tests/json.lua"

local function back(x) return strict.read(json.encode(x)) end

describe("JSON", function()
  it("has all digits of numbers, and no more than they take", function()
    for text, x in pairs { ["0.1"] = 0.1, ["0.3333333333333333"] = 1 / 3, ["0.30000000000000004"] = 0.1 + 0.2,
      ["2"] = 2.0, ["1e+300"] = 1e300, ["-7"] = -7, ["9007199254740993"] = 9007199254740993,
      ["-9223372036854775808"] = math.mininteger } do
      expect.equal(text, json.encode(x))
    end
    for _ = 1, 1000 do
      local x = string.unpack("d", string.pack("I8", math.random(0)))
      if x == x and math.abs(x) < math.huge then expect.equal(x, back(x)) end
    end
    for _, x in ipairs { 0 / 0, math.huge, -math.huge } do expect.equal("null", json.encode(x)) end
  end)

  it("has text of any bytes, as UTF-8", function()
    for given, want in pairs { ["a\"b\\c/"] = "a\"b\\c/", ["\0\1\n\t\127"] = "\0\1\n\t\127", ["grün €😀"] = "grün €😀",
      ["\xff"] = "\u{FFFD}", ["a\xc3"] = "a\u{FFFD}", ["\xed\xa0\x80"] = ("\u{FFFD}"):rep(3), [""] = "",
      ["\xf0\x9f\x98"] = ("\u{FFFD}"):rep(3), ["\xc0\x80x"] = "\u{FFFD}\u{FFFD}x" } do
      expect.equal(want, back(given))
    end
    local bytes = {}
    for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
    expect.truthy(back(table.concat(bytes)))
  end)

  it("tells lists from records, and nil from nothing", function()
    expect.equal("[]", json.encode {})
    expect.equal("{}", json.encode(json.record({}, {})))
    expect.equal('{"a":null,"b":1}', json.encode(json.record({ "a", "b" }, { b = 1 })))
    expect.equal('[null,[1,[]]]', json.encode { json.null, { 1, {} } })
    expect.equal('{"1":"x","a":2}', json.encode { "x", a = 2 })
    expect.equal('{"1":"x","3":"y"}', json.encode { "x", [3] = "y" })
    expect.equal("null", json.encode(nil))
    expect.equal('{"a":false,"b":true}', json.encode { b = true, a = false })
  end)

  it("refuses what it has no word for", function()
    expect.raises("a function is no value of JSON", json.encode, { print })
    expect.raises("a key of a record is a boolean", json.encode, { [true] = 1 })
    local loop = {}
    loop.loop = loop
    expect.raises("more than 100 tables in each other", json.encode, loop)
  end)
end)

describe("the strict reader of the tests", function()
  it("takes no less than JSON", function()
    for _, text in ipairs { "{", "[1,]", "[nan]", "[01]", "[1.]", "[.5]", '"\1"', '"\\x"', '"\xff"', "{a:1}", "[1] 2",
      "", '{"a":1,"a":2}', '"\\ud800"', "[+1]", "tru" } do
      expect.equal(false, (pcall(strict.read, text)), text)
    end
    expect.equal("😀/", strict.read ' "\\uD83D\\uDE00\\/" ')
  end)
end)
