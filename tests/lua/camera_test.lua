-- Cameras: pictures of the test card, by frames and watches, over a link within the process.
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"

-- A rover with cameras.
local function rover(cameras, more)
  for _, camera in ipairs(cameras) do camera.link = "hull" end
  local d = { name = "rover", base = { speed = { x = 1, theta = 2 } }, links = { [0] = { name = "hull" } },
    cameras = cameras }
  for key, value in pairs(more or {}) do d[key] = value end
  return d
end

local function with(d, fn, options)
  local name = assert(rt.add_robot(d))
  local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
  local robot <close> = rt.connect("local:" .. name, options)
  fn(robot)
end

describe("a camera", function()
  it("gives its newest picture, with number, time and age", function()
    local robot <close> = rt.connect "pioneer2"
    local camera = assert(robot:camera "camera")
    expect.equal(camera.width, 320)
    local picture = assert(camera:frame())
    expect.equal(("%d %d %s"):format(picture.width, picture.height, picture.format), "320 240 jpeg")
    expect.equal(picture.number, 1)
    expect.equal(picture.time, rt.now())
    expect.equal(picture.age, 0.0)
    expect.equal(picture.bytes:sub(1, 2), "\xff\xd8")
    local number, drawn = picture:card()
    expect.equal(number, 1)
    expect.near(drawn, picture.time, 1e-6)
    rt.sleep(0.03) -- it takes 25 a second
    picture = camera:frame()
    expect.equal(picture.number, 1)
    expect.near(picture.age, 0.03, 1e-6)
    rt.sleep(0.02)
    expect.equal(camera:frame().number, 2)
  end)

  it("is the first unless it is named; one that is missing is NA", function()
    with(rover { { name = "eye" }, { name = "tail", width = 64, height = 48 } }, function(robot)
      expect.equal(robot:camera().name, "eye")
      local camera, message, code = robot:camera "tial"
      expect.equal(camera, nil)
      expect.equal(message, "robot rover has no camera tial; did you mean tail? It has eye, tail")
      expect.equal(code, "NA")
      expect.equal(robot:camera("tail"):frame().width, 64)
      expect.equal(robot:camera():frame().width, 320) -- it says no size
    end)
    with(rover {}, function(robot)
      local _, message, code = robot:camera()
      expect.equal(message, "robot rover has no camera")
      expect.equal(code, "NA")
    end)
  end)

  it("has its pictures from the driver that it names, else from the base's, whatever the others have", function()
    local shots = { driver = "folder", folder = "/nowhere" }
    local robots = {
      { { name = "tail", driver = "shots" }, { name = "eye" } },
      { { name = "eye" }, { name = "tail", driver = "shots" } },
      { { name = "eye", driver = "pattern" }, { name = "tail", driver = "shots" } },
    }
    for i = 1, #robots do
      for _, joint in ipairs { false, { name = "neck", child = "head", dofs = { { name = "pan" } } } } do
        with(rover(robots[i], { joints = { joint or nil }, drivers = { shots = shots },
          links = { [0] = { name = "hull" }, joint and { name = "head" } or nil } }), function(robot)
          expect.truthy(robot:camera("eye"):frame())
          expect.equal("NA", select(3, robot:camera("tail"):frame())) -- its folder is not there
        end)
      end
    end
  end)

  it("gives pixels, and smaller pictures", function()
    local robot <close> = rt.connect "pioneer2"
    local camera = robot:camera()
    local rgb = camera:frame { format = "rgb" }
    expect.equal(#rgb.bytes, 320 * 240 * 3)
    expect.equal(rgb.bytes:sub(1, 3), "\xeb\xeb\xeb") -- the white bar
    expect.equal(rgb:card(), 1)
    local gray = camera:frame { format = "gray", width = 200 }
    expect.equal(("%d %d %d"):format(gray.width, gray.height, #gray.bytes), "160 120 19200")
    expect.equal(gray:card(), 1)
    local small = camera:frame { height = 80 }
    expect.equal(("%d %d"):format(small.width, small.height), "106 80")
    local pixels, format, width, height = small:pixels "gray"
    expect.equal(("%d %s %d %d"):format(#pixels, format, width, height), "8480 gray 106 80")
    expect.truthy(#camera:frame({ quality = 20 }).bytes < #camera:frame({ quality = 95 }).bytes)
  end)

  it("saves its pictures", function()
    local robot <close> = rt.connect "pioneer2"
    local path = os.tmpname()
    local picture = robot:camera():frame()
    expect.equal(picture:save(path), true)
    expect.equal(core.read_file(path, 1 << 20), picture.bytes)
    expect.equal(robot:camera():frame({ format = "gray", width = 80 }):save(path), true)
    expect.equal(core.read_file(path, 1 << 20):sub(1, 15), "P5\n80 60\n255\n\xeb\xeb")
    os.remove(path)
    expect.equal(picture:save "/nowhere/x.jpg", nil)
  end)

  it("saves no picture under the ending of another format", function()
    local robot <close> = rt.connect "pioneer2"
    local base = os.tmpname()
    local camera, saved = robot:camera(), {}
    local picture = {}
    for _, format in ipairs { "jpeg", "rgb", "gray" } do picture[format] = camera:frame { format = format } end
    for ending, format in pairs { jpg = "jpeg", JPEG = "jpeg", ppm = "rgb", pgm = "gray" } do
      saved[#saved + 1] = base .. "." .. ending
      expect.equal(picture[format]:save(saved[#saved]), true)
    end
    for format, one in pairs(picture) do -- PNG is for all of them
      local name = ("%s.%s.png"):format(base, format)
      saved[#saved + 1] = name
      local ok, size = one:save(name)
      expect.equal(ok, true)
      local png = core.read_file(name, 1 << 20)
      expect.equal(size, #png)
      expect.equal("\x89PNG", png:sub(1, 4))
      expect.equal("320 240", ("%d %d"):format(string.unpack(">I4I4", png, 17)))
      expect.equal(format == "gray" and 0 or 2, png:byte(26))
    end
    for _, wrong in ipairs { "x.gif", "x.ppm", "x.pgm", "x.jpg.gz", "x." } do
      expect.raises("save: the picture is jpeg: want a file that ends with .jpg, .jpeg or .png, got .*" .. wrong,
        picture.jpeg.save, picture.jpeg, base .. wrong)
      expect.equal(core.read_file(base .. wrong, 1 << 20), nil)
    end
    expect.raises("the picture is rgb: want a file that ends with .ppm or .png, got x.pgm", picture.rgb.save,
      picture.rgb, "x.pgm")
    expect.raises("the picture is gray: want a file that ends with .pgm or .png, got x.jpg", picture.gray.save,
      picture.gray, "x.jpg")
    os.remove(base)
    for _, path in ipairs(saved) do os.remove(path) end
  end)

  it("waits for a newer picture than one", function()
    local robot <close> = rt.connect "pioneer2"
    local camera = robot:camera()
    local first = camera:frame()
    local second = camera:frame { newer = first }
    expect.equal(second.number, 2)
    expect.near(second.time - first.time, 0.04, 1e-6)
    local none, message, code = camera:frame { newer = second, timeout = 0.01 }
    expect.equal(none, nil)
    expect.equal(message, "no picture has come from camera camera in time")
    expect.equal(code, "ETIMEOUT")
    for _ = 1, 20 do camera:frame { newer = camera:frame(), timeout = 0.001 } end -- each gives back its place
    expect.equal(camera:frame({ newer = second }).number, 3)
  end)

  it("is watched: each new picture once, as often as asked for", function()
    local robot <close> = rt.connect "pioneer2"
    local camera = robot:camera()
    for rate, most in pairs { [1000] = 25, [10] = 10, [0.5] = 1 } do
      local seen, last = 0, 0
      local watch <close> = camera:watch({ rate = rate, width = 80 }, function(picture)
        expect.equal(picture.width, 80)
        expect.truthy(picture.number > last)
        last, seen = picture.number, seen + 1
      end)
      rt.sleep(1.001)
      expect.truthy(seen >= most - 1 and seen <= most + 1, ("%g: %d"):format(rate, seen))
      expect.truthy(watch)
    end
    local watch <close> = camera:watch()
    expect.equal(watch:next().camera, "camera")
    expect.truthy(watch:next())
    watch:cancel()
    local _, _, code = watch:next()
    expect.equal(code, "ECLOSED")
  end)

  it("gives fewer pictures over a slow link, and answers commands in between", function()
    with(rover { { name = "eye", width = 640, height = 480, rate = 30 } }, function(robot)
      local seen, oldest = 0, 0
      local _ <close> = robot:camera():watch({ format = "rgb", window = 16384 }, function(picture)
        seen, oldest = seen + 1, math.max(oldest, picture.age)
      end)
      local slowest = 0
      for _ = 1, 20 do
        local before = rt.now()
        expect.truthy(robot:state())
        slowest = math.max(slowest, rt.now() - before)
        rt.sleep(0.5)
      end
      -- a picture of 921,600 bytes takes 0.92 s, a window of it 16 ms
      expect.truthy(seen >= 7 and seen <= 11, seen)
      expect.truthy(oldest < 1.2, oldest)
      expect.truthy(slowest < 0.05, slowest)
    end, { channel = { rate = 1e6, latency = 0.001 } })
  end)

  it("goes on after the robot was described anew, and ends when the camera is gone", function()
    with(rover { { name = "eye", rate = 10 } }, function(robot)
      local width, ended
      local watch = robot:camera():watch()
      rt.spawn(function()
        for picture in function() return watch:next() end do width = picture.width end
        ended = true
      end)
      rt.sleep(0.5)
      expect.equal(width, 320)
      expect.truthy(robot:reload(rover { { name = "tail" }, { name = "eye", width = 100, height = 80 } }))
      rt.sleep(0.5)
      expect.equal(width, 100)
      expect.truthy(robot:reload(rover { { name = "tail" } }))
      rt.sleep(1)
      expect.equal(ended, true)
    end)
  end)

  it("that is not there is NA, and the message tells which are", function()
    with(rover { { name = "eye" }, { name = "tail" } }, function(robot)
      local camera, message, code = robot:camera "nose"
      expect.equal(camera, nil)
      expect.equal(message, "robot rover has no camera nose; it has eye, tail")
      expect.equal(code, "NA")
    end)
    with(rover {}, function(robot)
      local _, message = robot:camera()
      expect.equal(message, "robot rover has no camera")
    end)
  end)

  it("that nobody serves is NA", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write "return { open = function() return {} end, start = function(_, _, done) done 'na' end }"
    file:close()
    local d = rover({ { name = "eye", driver = "nobody" } }, { drivers = { nobody = { script = path } } })
    with(d, function(robot)
      local picture, message, code = robot:camera():frame()
      expect.equal(picture, nil)
      expect.equal(message, "camera eye of robot rover gives no picture")
      expect.equal(code, "NA")
    end)
    os.remove(path)
  end)

  it("may have the driver `pattern`, which moves nothing", function()
    with(rover({ { name = "eye", driver = "pattern", width = 60, height = 40 } }), function(robot)
      expect.equal(robot:camera():frame({ format = "rgb" }):card(), 1)
      expect.equal(robot:go_to { x = 0.1 }, "SUCCESS")
      expect.equal(robot:stop(), "SUCCESS")
    end)
    local good, failure = pcall(rt.add_robot, rover({ { name = "eye", driver = "eye" } },
      { drivers = { eye = { driver = "pattern", colour = 1 } } }))
    expect.equal(good, false)
    expect.truthy(tostring(failure):find "colour: this driver has no options")
  end)

  it("raises for what is no picture to ask for", function()
    local robot <close> = rt.connect "pioneer2"
    local camera = robot:camera()
    for _, options in ipairs { { format = "png" }, { width = 0 }, { quality = 101 }, { size = 1 }, { newer = 1 },
      { timeout = -1 }, { window = 1 } } do
      expect.equal(pcall(camera.frame, camera, options), false)
    end
    expect.equal(pcall(camera.watch, camera, { rate = 0 }), false)
    expect.equal(pcall(robot.camera, robot, 1), false)
  end)
end)

-- A rover whose camera is a driver's of the test: fn(robot, device).
local function with_driver(fn)
  local path, device = os.tmpname(), nil
  local file = assert(io.open(path, "w"))
  file:write "return DRIVER_OF_TEST"
  file:close()
  rawset(_G, "DRIVER_OF_TEST", { open = function(self) device = self return {} end,
    start = function(_, _, done) done "na" end, halted = function() end })
  local _ <close> = setmetatable({}, { __close = function()
    rawset(_G, "DRIVER_OF_TEST", nil)
    os.remove(path)
  end })
  with(rover({ { name = "eye", width = 4, height = 2, rate = 10, driver = "eyes" } },
    { drivers = { eyes = { script = path } } }), function(robot)
    rt.sleep(0.01)
    fn(robot, device)
  end)
end

describe("a driver in Lua", function()
  it("gives pictures of its cameras", function()
    with_driver(function(robot, device)
      local camera = robot:camera "eye"
      expect.equal(select(3, camera:frame()), "NA") -- none has come yet
      expect.equal(device:pictured("eye", "abcdefgh", { format = "gray", time = rt.now() - 0.25 }), true)
      local picture = camera:frame { format = "gray" }
      expect.equal(("%s %d %d"):format(picture.bytes, picture.width, picture.height), "abcdefgh 4 2")
      expect.near(picture.age, 0.25, 1e-6)
      local jpeg = camera:frame().bytes
      expect.equal(device:pictured("eye", jpeg), true) -- its size is in the file
      expect.equal(camera:frame().bytes, jpeg)
      expect.equal(device:pictured("eye", ("\0"):rep(12), { format = "rgb", width = 2 }), true)
      expect.equal(camera:frame({ format = "rgb" }).width, 2)
    end)
  end)

  it("knows whether somebody looks", function()
    with_driver(function(robot, device)
      expect.equal(device:looked "eye", false)
      local watch = robot:camera("eye"):watch()
      rt.sleep(10)
      expect.equal(device:looked "eye", true)
      watch:cancel()
      rt.sleep(2.1)
      expect.equal(device:looked "eye", false)
    end)
  end)

  it("says that its picture is still to come, or that the camera has failed", function()
    with_driver(function(robot, device)
      local camera = robot:camera "eye"
      local function ask()
        local picture, _, code = camera:frame { timeout = 0.5, format = "gray" }
        return picture and picture.bytes or code
      end
      device:no_picture "eye"
      expect.equal("ETIMEOUT", ask()) -- else NA
      local answer
      local task = rt.spawn(function() answer = ask() end)
      rt.sleep(0.2)
      device:pictured("eye", "abcdefgh", { format = "gray" })
      task:wait(1)
      expect.equal("abcdefgh", answer)
      device:no_picture("eye", true)
      expect.equal("NA", ask())
      device:pictured("eye", "hgfedcba", { format = "gray" })
      expect.equal("hgfedcba", ask())
      device:no_picture "eye"
      expect.equal("ETIMEOUT", ask())
      task = rt.spawn(function() answer = ask() end)
      rt.sleep(0.2)
      device:no_picture("eye", true) -- who waits is told, too
      task:wait(0.2)
      expect.equal("NA", answer)
      expect.raises("driver .* has no camera nose", device.no_picture, device, "nose")
    end)
  end)

  it("need not say how large a JPEG is, and hears of sizes that no picture has", function()
    with_driver(function(robot, device)
      local camera, handle = robot:camera "eye", device.handle
      expect.equal(device:pictured("eye", "abcdefgh", { format = "gray" }), true)
      local jpeg = camera:frame().bytes
      expect.equal(core.device_pictured(handle, 0, jpeg, "jpeg"), true)
      for _, n in ipairs { 0, -1, 65536, (1 << 32) + 4 } do
        expect.raises("want pixels, 1 to 65535", core.device_pictured, handle, 0, "abcdefgh", "gray", n, 2)
        expect.raises("want pixels, 1 to 65535", core.device_pictured, handle, 0, "abcdefgh", "gray", 4, n)
      end
    end)
  end)

  it("hears what is no picture", function()
    with_driver(function(_, device)
      expect.equal(select(3, device:pictured("eye", "none")), "EBODY")
      expect.equal(select(3, device:pictured("eye", "seven..", { format = "gray" })), "EINVAL")
      expect.raises("driver .* has no camera nose", device.looked, device, "nose")
      expect.raises("format: want jpeg, rgb, gray or yuyv, got png", device.pictured, device, "eye", "",
        { format = "png" })
      expect.raises("width: want pixels", device.pictured, device, "eye", "", { format = "gray", width = 0 })
      expect.raises("want the bytes of a picture, got table", device.pictured, device, "eye", {})
    end)
  end)
end)

describe("a damaged JPEG", function()
  it("has no pixels, and costs no more than its size", function()
    local robot <close> = rt.connect "pioneer2"
    local bytes = robot:camera():frame().bytes
    expect.truthy(core.jpeg_pixels(bytes, "rgb"))
    for _, bad in ipairs { "", "x", bytes:sub(1, 300), bytes:sub(1, #bytes // 2), ("\0"):rep(1000), bytes:sub(3) } do
      local pixels, _, code = core.jpeg_pixels(bad, "rgb")
      expect.equal(pixels, nil)
      expect.equal(code, "EBODY")
    end
    -- a head that tells of 65,500 x 65,500 pixels
    local at = bytes:find("\xff\xc0", 1, true)
    local huge = bytes:sub(1, at + 4) .. "\xff\xdc\xff\xdc" .. bytes:sub(at + 9)
    local _, _, code = core.jpeg_pixels(huge, "rgb")
    expect.equal(code, "EBODY")
  end)
end)
