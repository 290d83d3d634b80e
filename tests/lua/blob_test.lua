-- Pictures: their pixels, regions of colors, JPEG, and files. Regions themselves are tried in C (unit/blob_test.c).
local rt = require "robotalk"
local core = require "robotalk.core"
local colours = require "robotalk.pictures.colours"
local near = require "tests.lua.near"
local picture = require "robotalk.pictures.picture"

-- A picture of 60 x 40 pixels: { r, g, b } of a place.
local function drawn(color_at, width, height)
  local list = {}
  width, height = width or 60, height or 40
  for y = 0, height - 1 do
    for x = 0, width - 1 do list[#list + 1] = string.char(table.unpack(color_at(x, y))) end
  end
  return assert(rt.picture { bytes = table.concat(list), width = width, height = height })
end

local PINK <const>, CARPET <const> = { 230, 40, 130 }, { 60, 110, 70 }

-- A disc of radius 10 at 22, 17.
local function disc()
  return drawn(function(x, y) return (x - 22) ^ 2 + (y - 17) ^ 2 <= 100 and PINK or CARPET end)
end

-- What fn does with the name of a file that holds bytes.
local function with_file(bytes, fn)
  local path = os.tmpname()
  local _ <close> = setmetatable({}, { __close = function() os.remove(path) end })
  assert(core.write_file(path, bytes))
  fn(path)
end

describe("a picture's pixel", function()
  it("is red, green and blue; 0, 0 is at the left top", function()
    local p = drawn(function(x, y) return { x, y, 200 } end)
    expect.same({ 0, 0, 200 }, { p:pixel(0, 0) })
    expect.same({ 59, 0, 200 }, { p:pixel(59, 0) })
    expect.same({ 3, 39, 200 }, { p:pixel(3, 39) })
  end)
  it("is three times the same of gray", function()
    local p = assert(rt.picture { bytes = "abcdef", width = 3, height = 2, format = "gray" })
    expect.same({ 102, 102, 102 }, { p:pixel(2, 1) })
  end)
  it("that lies outside is a mistake of the script's", function()
    local p = drawn(function() return CARPET end)
    for _, at in ipairs { { -1, 0 }, { 60, 0 }, { 0.5, 0 }, { "1", 0 }, {} } do
      expect.raises("blob_test.*pixel: x: want a whole number from 0 to 59", p.pixel, p, at[1], at[2])
    end
    expect.raises("pixel: y: want a whole number from 0 to 39, got 40", p.pixel, p, 0, 40)
  end)
  it("of a JPEG is decoded once", function()
    local robot <close> = rt.connect "pioneer2"
    local p = assert(robot:camera():frame())
    local r, g, b = p:pixel(0, 0) -- the white bar of the test card, 235
    for _, value in ipairs { r, g, b } do expect.truthy(math.abs(value - 235) <= 4, value) end
    local bytes = p:pixels()
    expect.truthy(rawequal(bytes, p:pixels()))
    p.bytes = "it is not read again"
    expect.equal(r, (p:pixel(0, 0)))
  end)
end)

describe("a picture's blob", function()
  it("is the largest region of a color: its middle, its box, its area, and how many there are", function()
    local blob = disc():blob "pink"
    near(blob.x, 22)
    near(blob.y, 17)
    expect.equal("12 7 21 21", ("%d %d %d %d"):format(blob.left, blob.top, blob.width, blob.height))
    near(blob.area, math.pi * 100, 2 * math.sqrt(2) * math.pi * 10) -- Gauss's bound
    expect.equal(1, blob.regions)
    expect.equal(60 * 40 - blob.area, disc():blob("green").area)
    expect.equal(nil, disc():blob "yellow")
    expect.equal(1, select("#", disc():blob "blue"))
  end)
  it("is found in a JPEG, gray and smaller pictures, too", function()
    local jpeg = assert(rt.picture(disc():jpeg()))
    near(jpeg:blob("pink").x, 22, 0.5)
    near(jpeg:blob("pink").y, 17, 0.5)
    local gray = assert(rt.picture { bytes = "\10\240\10\10\240\240", width = 3, height = 2, format = "gray" })
    expect.equal(3, gray:blob("white").area)
    expect.equal(2, gray:blob("black").regions)
    expect.equal(nil, gray:blob "pink")
  end)
  it("has at least so many pixels", function()
    local p = drawn(function(x, y) return x % 2 == 0 and y < x and PINK or CARPET end) -- 2, 4 … 38; ten of 40
    expect.equal(29, p:blob("pink").regions)
    expect.equal(20, p:blob("pink", { least = 20 }).regions) -- ten of 20, 22 … 38, and ten of 40
    expect.equal(nil, p:blob("pink", { least = 41 }))
  end)
  it("is of a color in numbers, with a tolerance of hue, saturation and value", function()
    -- stripes: hue 0, saturation 0.8, value 0.9; then one of these is another
    local stripes = { { 230, 46, 46 }, { 230, 77, 46 }, { 230, 115, 115 }, { 115, 23, 23 } }
    local p = drawn(function(x) return stripes[x // 15 + 1] end)
    local function width(tolerance)
      local blob = p:blob("#e62e2e", { tolerance = tolerance })
      return blob and blob.width
    end
    expect.equal(15, width { hue = 0, saturation = 0, value = 0 })
    expect.equal(30, width { hue = 11, saturation = 0, value = 0 }) -- 60 * 31 / 184 = 10.1 degrees
    expect.equal(45, width { hue = 11, saturation = 0.31, value = 0 }) -- 0.5 instead of 0.8
    expect.equal(60, width { hue = 11, saturation = 0.31, value = 0.46 }) -- 0.45 instead of 0.9
    expect.equal(45, width { value = 0.4 }) -- the others as they are unless said: 20 degrees, 0.3
    expect.equal(60, width { value = 0.46 })
  end)
  it("of a gray in numbers has any hue", function()
    local p = drawn(function(x) return x < 20 and { 128, 128, 128 } or { 120, 128, 120 } end)
    expect.equal(60, p:blob("#808080").width)
    expect.equal(60, p:blob("#808280").width)
  end)
  it("of any hue has one name", function()
    for hue = 0, 359 do
      local up = math.floor(255 * (hue % 60) / 60)
      local down = 255 - up
      local rgb = ({ { 255, up, 0 }, { down, 255, 0 }, { 0, 255, up }, { 0, down, 255 }, { up, 0, 255 },
        { 255, 0, down } })[hue // 60 + 1]
      local p, names = drawn(function() return rgb end, 1, 1), {}
      for _, name in ipairs(colours.names()) do
        if p:blob(name) then names[#names + 1] = name end
      end
      -- between two names it may be of both
      expect.truthy(#names == 1 or #names == 2 and #names[1] > 0, ("%d: %s"):format(hue, table.concat(names, " ")))
    end
  end)
  it("has the names that people give these colors", function()
    local known = { red = { 200, 20, 20 }, orange = { 255, 130, 0 }, yellow = { 250, 220, 30 }, green = { 30, 140, 50 },
      cyan = { 20, 200, 200 }, blue = { 30, 60, 200 }, purple = { 130, 30, 200 }, pink = { 255, 105, 180 },
      white = { 240, 240, 235 }, black = { 20, 20, 25 } }
    for name, rgb in pairs(known) do
      local p = drawn(function() return rgb end, 2, 2)
      for _, other in ipairs(colours.names()) do
        expect.equal(other == name, p:blob(other) ~= nil, name .. " is " .. other)
      end
    end
  end)
  it("keeps its name in light and shade, white, warm or cold", function()
    local balls = { pink = { 255, 79, 160 }, orange = { 255, 122, 0 }, yellow = { 240, 210, 20 },
      green = { 20, 150, 60 }, blue = { 30, 70, 220 } }
    for _, light in ipairs { { 1, 1, 1 }, { 1, 0.95, 0.87 }, { 0.9, 0.95, 1 } } do
      for percent = 40, 100, 5 do
        for name, rgb in pairs(balls) do
          local lit = {}
          for i = 1, 3 do lit[i] = math.floor(rgb[i] * light[i] * percent / 100 + 0.5) end
          local p = drawn(function() return lit end, 1, 1)
          for other in pairs(balls) do
            expect.equal(other == name, p:blob(other) ~= nil, ("%s at %d %% is %s"):format(name, percent, other))
          end
        end
      end
    end
    for _, wood in ipairs { { 176, 141, 87 }, { 199, 154, 107 }, { 138, 106, 69 } } do
      expect.equal(nil, drawn(function() return wood end, 1, 1):blob "orange")
    end
  end)
  it("of what is no color is a mistake of the script's", function()
    local p = drawn(function() return CARPET end, 1, 1)
    expect.raises("blob_test.*want #rrggbb or the name of a color, got pnik; did you mean pink", p.blob, p, "pnik")
    expect.raises("blob: want #rrggbb or the name of a color, got #12345", p.blob, p, "#12345")
    expect.raises("blob: want the name of a color or #rrggbb, got nil", p.blob, p)
    expect.raises("tolerance: only #rrggbb has one, not pink", p.blob, p, "pink", { tolerance = {} })
    local function with(tolerance) return p:blob("#ffffff", { tolerance = tolerance }) end
    expect.raises("tolerance: hue: want degrees, 0 to 180, got 200", with, { hue = 200 })
    expect.raises("tolerance: value: want a number from 0 to 1, got NaN", with, { value = 0 / 0 })
    expect.raises("least: want a whole number of 1 or more", p.blob, p, "pink", { least = 0 })
    expect.raises("blob has no option 'size'", p.blob, p, "pink", { size = 1 })
  end)
end)

describe("a picture's JPEG", function()
  it("is made of pixels, as good as asked for", function()
    local p = disc()
    local good, bad = p:jpeg(95), p:jpeg(10)
    expect.truthy(#good > #p:jpeg() and #p:jpeg() > #bad)
    expect.equal(60, rt.picture(bad).width)
  end)
  it("of a JPEG is itself, unless another quality is asked for", function()
    local p = assert(rt.picture(disc():jpeg(95)))
    expect.equal(p.bytes, p:jpeg())
    expect.truthy(#p:jpeg(10) < #p.bytes)
    expect.raises("jpeg: want a quality from 1 to 100, got 0", p.jpeg, p, 0)
  end)
end)

describe("a picture of a file", function()
  it("is what was saved there", function()
    for ending, p in pairs { jpg = rt.picture(disc():jpeg()), ppm = disc(),
      pgm = rt.picture { bytes = "abcdef", width = 3, height = 2, format = "gray" } } do
      with_file("", function(path)
        local name = path .. "." .. ending
        assert(p:save(name))
        local again = assert(rt.picture(name))
        os.remove(name)
        expect.equal(p.bytes, again.bytes)
        expect.equal(("%s %d %d"):format(p.format, p.width, p.height),
          ("%s %d %d"):format(again.format, again.width, again.height))
        expect.equal(name, again.camera)
        expect.equal(rt.now(), again.time)
        expect.truthy(tostring(again):find("picture 0 of " .. name, 1, true))
        expect.truthy(picture.is(again))
      end)
    end
  end)
  it("is not written where there is no folder, or no room", function()
    for path, wanted in pairs { ["/nowhere/x.ppm"] = "ENONE", ["/dev/full"] = "ESYSTEM" } do
      local saved, why, code = disc():save(path)
      expect.equal(nil, saved)
      expect.equal(path, why:match "^(.-): ")
      expect.equal(wanted, code)
    end
  end)

  it("that is not there, or is none, is the world's failure, and says where", function()
    local _, message, code = rt.picture "/nowhere/x.jpg"
    expect.truthy(message:find "/nowhere/x.jpg", message)
    expect.equal("ENONE", code)
    local jpeg = disc():jpeg()
    local cases = { { "", "byte 0: expected the beginning of a JPEG, ff d8" },
      { "hello", "byte 0: expected the beginning of a JPEG, ff d8" },
      { jpeg:sub(1, 100), "byte %d+: expected a segment that ends within the image" },
      { "P6\n3 2\n65535\n", "byte 2: expected width, height and 255" },
      { "P6\n3 2\n255\n123", "byte 11: expected 18 bytes of pixels, and there are 3" },
      { "P5 60000 60000 255 ", "byte 2: expected pixels of at most 67108864 bytes" },
      { "P5 0 1 255 ", "byte 2: expected pixels" } }
    for _, case in ipairs(cases) do
      with_file(case[1], function(path)
        local p
        p, message, code = rt.picture(path)
        expect.equal(nil, p)
        expect.truthy(message:find(path, 1, true) and message:find(case[2]), message)
        expect.equal("EBODY", code)
      end)
    end
  end)
  it("whose pixels are damaged has none, and says where", function()
    local jpeg = disc():jpeg()
    local scan = jpeg:find("\xff\xda", 1, true)
    local p = assert(rt.picture(jpeg:sub(1, scan + 40)))
    for _, ask in ipairs { function() return p:pixel(0, 0) end, function() return p:blob "pink" end,
      function() return p:jpeg(50) end, function() return p:pixels() end } do
      local got, message, code = ask()
      expect.equal(nil, got)
      expect.truthy(message:find "damaged one: byte %d+: expected a marker", message)
      expect.equal("EBODY", code)
    end
  end)
  it("of another size than it says has no pixels", function()
    local p = assert(rt.picture(disc():jpeg()))
    p.width = 61
    local got, message, code = p:pixel(60, 0)
    expect.equal(nil, got)
    expect.equal("it has not the 61 x 40 pixels that it says", message)
    expect.equal("EBODY", code)
    p = disc()
    p.height = 41
    expect.equal(nil, (p:blob "pink"))
  end)
  it("of wrong pixels is a mistake of the script's", function()
    expect.raises("picture: want 18 bytes of pixels, got 1", rt.picture, { bytes = "x", width = 3, height = 2 })
    expect.raises("picture: want bytes, width and height", rt.picture, { bytes = "x" })
    expect.raises("picture: format: want rgb or gray, got jpeg", rt.picture, { bytes = "x", format = "jpeg" })
    expect.raises("picture: want at most 67108864 bytes of pixels", rt.picture,
      { bytes = "x", width = 60000, height = 60000 })
    expect.raises("picture: want a file, the bytes of one, or pixels, got nil", rt.picture)
  end)
end)
