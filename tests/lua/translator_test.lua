-- Translators: a user's own in a file or a table, those that come along, and those of somebody else, which may be wrong
-- in every way and cost no more than their answer.
local rt = require "robotalk"
local core = require "robotalk.core"
local translator = require "robotalk.translator"

-- A stick that counts from 0 to 1023 on two axes.
local STICK = [[
local FULL <const> = 1023
return {
  name = "stick",
  options = { greatest = "speed at the end of an axis" },
  from = { type = "control", dofs = { "u", "v" } },
  to = { type = "control", dofs = { { name = "x", unit = "m/s" }, { name = "theta", unit = "rad/s" } } },
  to_standard = function(values, context)
    return { (2 * values[1] / FULL - 1) * context.greatest, (1 - 2 * values[2] / FULL) * context.greatest }
  end,
}
]]

-- The path of a file with that text, removed at the end of fn(path).
local function with_file(name, text, fn)
  local path = ("%s/%s.lua"):format(os.tmpname():match "^(.*)/", name)
  assert(core.write_file(path, text))
  local _ <close> = setmetatable({}, { __close = function() os.remove(path) end })
  return fn(path)
end

describe("translator.names", function()
  it("are those that come along, and each gives its text", function()
    for _, name in ipairs { "identity", "pose", "scroll", "wheels" } do
      expect.truthy((" " .. table.concat(translator.names(), " ") .. " "):find(" " .. name .. " ", 1, true), name)
      expect.truthy(translator.source(name):find "return {", name)
    end
    expect.equal(nil, translator.source "nobody")
  end)
end)

describe("a translator of the user's own", function()
  it("is a file, found by its name from then on", function()
    with_file("stick_one", STICK, function(path)
      expect.equal("stick_one", translator.add(path))
      local stick <close> = translator.open("stick_one", { greatest = 2 })
      expect.same({ 2.0, 2.0 }, stick:to_standard { 1023, 0 })
      expect.equal(STICK, translator.source "stick_one")
    end)
  end)

  it("is a table just as well", function()
    local half <close> = translator.open { name = "half", to_standard = function(v) return { v[1] / 2 } end }
    expect.same({ 2.0 }, half:to_standard { 4 })
    expect.equal("translator half", tostring(half))
  end)

  it("is told the time and the device's values of now", function()
    local seen
    local t <close> = translator.open { from = { type = "control", dofs = 2 },
      from_standard = function(v, context) seen = context return v end }
    rt.sleep(3)
    t:from_standard({ 1, 2 }, { 5, 6 })
    expect.equal(rt.now(), seen.now)
    expect.same({ 5, 6 }, seen.present)
    t:from_standard { 1, 2 }
    expect.equal(false, seen.present)
  end)

  it("refuses what it cannot do with a reason, and goes on", function()
    local t <close> = translator.open { name = "shy", to_standard = function(v)
      if v[1] < 0 then return nil, "too low" end
      return v
    end }
    expect.same({ nil, "translator shy: too low", "ERANGE" }, { t:to_standard { -1 } })
    expect.same({ 1 }, t:to_standard { 1 })
    local _, why, code = t:from_standard { 1 }
    expect.equal("translator shy has no function from_standard", why)
    expect.equal("NA", code)
  end)

  it("that fails says so with its line, and raises nothing", function()
    local t <close> = translator.open { name = "hot", to_standard = function(v) return v.x.y end }
    local answer, why, code = t:to_standard { 1 }
    expect.equal(nil, answer)
    expect.truthy(why:find "^translator hot: .*translator_test.lua:%d+: attempt to index", why)
    expect.equal("EFAILED", code)
  end)

  it("whose answers are wrong says so with the line of its function", function()
    local t <close> = translator.open { name = "vague", to = { type = "control", dofs = 2 },
      to_standard = function(v) return v end }
    local _, why = t:to_standard { 1 }
    local pattern = "translator_test.lua:%d+: to_standard: it gives what is wrong: expected 2 values, got 1"
    expect.truthy(why:find(pattern), why)
  end)

  it("cannot be added when it is none, with all that is wrong, each with its line", function()
    local text = [[
return {
  from = { type = "smell",
    dofs = { "a", 5, true } },
  to = 7,
  name = {}, evil = 1,
}]]
    with_file("many_wrong", text, function(path)
      local _, why, code = translator.add(path)
      expect.equal(([[
FILE:1: expected a function to_standard or from_standard
FILE:2: from.type: expected control, video, audio, text or binary, got smell
FILE:3: from.dofs[2]: expected a name, or { name =, unit = }, got number
FILE:3: from.dofs[3]: expected a name, or { name =, unit = }, got boolean
FILE:4: to: expected a table, got number
FILE:5: evil: expected one of name, doc, options, from, to, open, to_standard, from_standard
FILE:5: name: expected a string, got table]]):gsub("FILE", path), why)
      expect.equal("EINVAL", code)
    end)
    local _, why = translator.contained(text, "guest")
    expect.truthy(why:find("^translator guest: guest.lua:1: .*; guest.lua:4: to: expected a table, got number; "), why)
    expect.raises("translator of this script: from: expected a table, got number; to: expected a table, got number",
      translator.open, { from = 1, to = 2, to_standard = print })
  end)

  it("cannot be added when it is none, with what is wrong", function()
    local function refused(text, pattern)
      with_file("wrong_one", text, function(path)
        local name, why = translator.add(path)
        expect.equal(nil, name)
        expect.truthy(why:find(pattern), why)
      end)
    end
    refused("return 5", "wrong_one.lua:1: expected a table, got number")
    refused("return {", "wrong_one.lua:1: .*expected")
    refused("error 'x'", "wrong_one.lua:1: x")
    refused("return { to_standart = print }", "to_standart: expected one of name, doc, options")
    refused("return { from = { type = 'control' } }", "expected a function to_standard or from_standard")
    refused("return { to_standard = print, from = { type = 'smell' } }", "from.type: expected control, video")
    refused("return { to_standard = print, from = { type = 'control', dofs = 0 } }", "from.dofs: expected a number")
    refused("return { to_standard = print, from = { type = 'text' }, to = { type = 'video' } }",
      "to: expected the type text of from, got video")
    expect.same({ nil, "/nowhere/x.txt: expected a file name such as my_stick.lua", "EINVAL" },
      { translator.add "/nowhere/x.txt" })
    local name, _, code = translator.add "/nowhere/x.lua"
    expect.equal(nil, name)
    expect.truthy(code)
  end)
end)

describe("mistakes with translators", function()
  it("raise with what was perhaps meant", function()
    expect.raises("translator_test.lua:%d+: there is no translator 'wheel'; did you mean 'wheels'",
      function() translator.open "wheel" end)
    expect.raises("translator wheels has no option 'radus'; did you mean 'radius'",
      function() translator.open("wheels", { radus = 1 }) end)
    expect.raises("want a name of letters, digits and _", function() translator.open "../../etc/passwd" end)
    expect.raises("want a name of letters, digits and _", function() translator.source "a/b" end)
  end)

  it("raise when the values given are none of the device's", function()
    local w <close> = translator.open("wheels", { radius = 0.1, track = 0.3 })
    expect.raises("translator_test.lua:%d+: to_standard: expected 2 values, got 3",
      function() w:to_standard { 1, 2, 3 } end)
    expect.raises("to_standard: value 2: expected a finite number, got NaN", function() w:to_standard { 1, 0 / 0 } end)
    expect.raises("from_standard: present: value 1: expected a finite number, got inf",
      function() w:from_standard({ 1, 2 }, { math.huge, 0 }) end)
    expect.raises("expected a list of numbers, got a string", function() w:to_standard "1 2" end)
  end)
end)

describe("a translator of somebody else", function()
  it("runs contained, and gives what it gives elsewhere", function()
    local stick <close> = assert(translator.contained(STICK, "stick", { greatest = 2 }))
    expect.same({ 2.0, 2.0 }, stick:to_standard { 1023, 0 })
  end)

  it("may refuse in its open, in words", function()
    local t, why, code = translator.contained(translator.source "wheels", "wheels", { radius = 0.1 })
    expect.equal(nil, t)
    expect.equal("translator wheels: track: expected m, more than 0", why)
    expect.equal("EINVAL", code)
  end)

  it("has only options that it says it has", function()
    expect.same({ nil, "translator stick has no option 'x'; it has device, greatest, model, object", "EINVAL" },
      { translator.contained(STICK, "stick", { x = 1 }) })
  end)

  it("has few options, of short names", function()
    local function why(options) -- written as Lua
      local text = ("local t = {} %s return { options = t, to_standard = function(v) return v end }"):format(options)
      return select(2, translator.contained(text, "guest", { radius = 1 }))
    end
    local names = "translator guest: guest.lua:1: options: "
      .. "expected names of at most 63 bytes without control characters"
    expect.equal(names, why "local s = 'abcdefgh' for i = 1, 12 do s = s .. s end t[s] = 1")
    expect.equal(names, why "t['\\27[2J'] = 1")
    expect.equal(names, why "t[1] = 1")
    expect.equal("translator guest: guest.lua:1: options: expected at most 64, got 65",
      why "for i = 1, 65 do t['a' .. i] = i end")
  end)

  it("that is wrong in thousands of ways is told eight of them, in short", function()
    local t, why = translator.contained("local t = { to_standard = function() end } "
      .. "for i = 1, 9000 do t['a' .. i] = i end "
      .. "local s = '0' for _ = 1, 12 do s = s .. s end t[s] = 1 return t", "guest")
    expect.equal(nil, t)
    local _, count = why:gsub("expected one of", "")
    expect.equal(8, count)
    expect.truthy(#why < 2000, #why)
  end)

  it("says what it is for in words without control characters", function()
    local t <close> = assert(translator.contained("return { to_standard = function() return nil, '\\27[2J' end }", "t"))
    local _, why = t:to_standard { 1 }
    expect.equal("translator t: \u{FFFD}[2J", why)
  end)

  it("has no pictures, and says who translates them", function()
    local t, why = translator.contained("return {\n  from = { type = 'video' },\n  to_standard = print }", "guest")
    expect.equal(nil, t)
    expect.truthy(why:find("guest.lua:2: from.type: expected control, text or binary: pictures are translated by rgb",
      1, true), why)
    local loose <close> = assert(translator.contained("return { to_standard = function(p) return p end }", "loose"))
    local answer, code
    answer, why, code = loose:to_standard { bytes = "\0", format = "gray", width = 1, height = 1 }
    expect.equal(nil, answer)
    expect.truthy(why:find("^translator loose: pictures are translated by rgb, gray and jpeg"), why)
    expect.equal("NA", code)
    expect.same({ 1 }, loose:to_standard { 1 }) -- it goes on
  end)

  it("is not longer than 64 KiB", function()
    local t, _, code = translator.contained((" "):rep((1 << 16) + 1), "long")
    expect.equal(nil, t)
    expect.equal("ESIZE", code)
  end)

  -- Texts that are none.
  for text, pattern in pairs {
    ["return 5"] = "guest.lua: want a table, got number",
    ["return {"] = "guest.lua:1: ",
    ["while true do end"] = "guest.lua:1: it computes too long",
    ["return { to_standard = function() end, evil = 1 }"] = "guest.lua:1: evil: expected one of name",
    ["return { to_standard = 5 }"] = "guest.lua:1: to_standard: expected a function, got number",
    ["return { to_standard = function() end, open = function() error {} end }"] = "it raised no text",
    ["return { to_standard = function() end, open = function()\nwhile true do end end }"] =
      "guest.lua:2: it computes too long",
    ["return { to_standard = function() end, from = { type = 'control', dofs = 1e99 } }"] = "from.dofs: expected",
    ["return { to_standard = function() end, from = { type = 'control', dofs = { 5 } } }"] =
      "from.dofs%[1%]: expected a name",
    ["require 'os'"] = "attempt to call a nil value %(global 'require'%)",
  } do
    it(("is refused when it is none: %s"):format(text:gsub("\n", " ")), function()
      local t, why = translator.contained(text, "guest")
      expect.equal(nil, t)
      expect.truthy(why:find("translator guest: ", 1, true) and why:find(pattern), why)
    end)
  end

  -- Ones that are wrong when they are called: what is said. None is called again.
  local function wrong(what, body, pattern)
    it(("that %s is ended, with its line"):format(what), function()
      local text = "return { to = { type = 'control', dofs = 2 }, to_standard = function(values, context)\n%s\nend }"
      local t <close> = assert(translator.contained(text:format(body), "guest"))
      local answer, why, code = t:to_standard { 1, 2 }
      expect.equal(nil, answer)
      expect.truthy(why:find "^translator guest: guest.lua:[12]: ", why)
      expect.truthy(why:find(pattern), why)
      expect.equal("EFAILED", code)
      expect.same({ nil, why, "EFAILED" }, { t:to_standard { 1, 2 } })
    end)
  end
  wrong("computes without end", "while true do end", "guest.lua:2: it computes too long")
  wrong("allocates without end", "local t = {} while true do t[#t + 1] = {} end",
    "guest.lua:2: it wants more than 1 MiB")
  wrong("makes an endless text", "local s = 'x' while true do s = s .. s end",
    "guest.lua:2: it makes a text of more than 65536 bytes")
  wrong("raises", "error 'broken'", "guest.lua:2: broken")
  wrong("raises a table", "error { 1 }", "guest.lua:1: to_standard: it raised no text")
  wrong("raises nil", "error()", "guest.lua:1: to_standard: it raised no text")
  wrong("calls what is not there", "os.exit(1)", "guest.lua:2: attempt to index a nil value %(global 'os'%)")
  wrong("gives NaN", "return { 1, 0 / 0 }", "guest.lua:1: .*value 2: expected a finite number, got NaN")
  wrong("gives infinity", "return { 1, math.huge }", "value 2: expected a finite number, got inf")
  wrong("gives too few values", "return { 1 }", "expected 2 values, got 1")
  wrong("gives too many values", "return { 1, 2, 3 }", "expected 2 values, got 3")
  wrong("gives values with a hole", "return { [2] = 1 }", "expected")
  wrong("gives texts", "return { '1', '2' }", "value 1: expected a finite number, got string")
  wrong("gives functions", "return { print or ipairs, ipairs }", "value 1: expected a finite number, got function")
  wrong("gives a text", "return 'forward'", "expected a list of numbers, got a string")
  wrong("gives a list of a million", "local t = {} for i = 1, 5000 do t[i] = i end return t", "expected 2 values")

  it("changes nothing of the values that it is given", function()
    local t <close> = assert(translator.contained(
      "return { to_standard = function(v) v[1] = 99 return { 1 } end }", "guest"))
    local values = { 5 }
    t:to_standard(values)
    expect.same({ 5 }, values)
  end)

  it("that gives a table whose length lies is counted as it came", function()
    local t <close> = assert(translator.contained(
      "return { to = { type = 'control', dofs = 1 }, to_standard = function(v) return { 1, x = v } end }", "guest"))
    expect.equal(1, #t:to_standard { 5 })
  end)

  it("gives its memory back when it is closed", function()
    for _ = 1, 1000 do -- 1000 MiB, if they were kept
      local t <close> = assert(translator.contained(translator.source "identity", "identity"))
      expect.same({ 1 }, t:to_standard { 1 })
    end
    local t = translator.contained(translator.source "identity", "identity")
    t:close()
    local answer, why = t:to_standard { 1 }
    expect.equal(nil, answer)
    expect.equal("translator identity is closed", why)
  end)
end)
