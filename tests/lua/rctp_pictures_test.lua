-- Cameras of a robot behind RCTP: their pictures are fetched by HTTP while somebody looks. Within this process, in
-- simulated time.
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local rctp_pictures = require "robotalk.rctp.pictures"

local SIZE <const> = 8 * 6

-- A robot with a camera whose pictures the test gives, and the same behind RCTP: fn(far, device, real).
local function with_far(fn)
  local path, device = os.tmpname(), nil
  local file = assert(io.open(path, "w"))
  file:write "return DRIVER_OF_TEST"
  file:close()
  rawset(_G, "DRIVER_OF_TEST", { open = function(self) device = self return {} end,
    start = function(_, _, done) done "success" end, halted = function() end })
  local log, said = core.log, {}
  core.log = function(text) said[#said + 1] = text end
  local _ <close> = setmetatable({}, { __close = function()
    core.log = log
    rawset(_G, "DRIVER_OF_TEST", nil)
    os.remove(path)
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
  end })
  assert(rt.add_robot { name = "rover", base = {}, links = { [0] = { name = "hull" } },
    cameras = { { name = "eye", link = "hull", width = 8, height = 6, rate = 10, driver = "eyes" },
      { name = "rear view", link = "hull" } }, drivers = { eyes = { script = path } } })
  local far <close> = rt.connect "rctp+local:rover"
  local real <close> = rt.connect "local:rover"
  fn(far, device, real, function() return table.concat(said) end)
end

local function gray(value) return string.char(value):rep(SIZE) end

-- Gives a picture ten times a second: { value = } of its pixels.
local function feeder(device)
  local feed = { value = 1 }
  feed.task = rt.spawn(function()
    while true do
      assert(device:pictured("eye", gray(feed.value), { format = "gray" }))
      rt.sleep(0.1)
    end
  end)
  return feed
end

-- The first pixel, which a JPEG of one gray has within one or two.
local function value_of(picture) return picture and picture:pixels "gray":byte() end

describe("a camera of a robot behind RCTP", function()
  it("gives frames and is watched as one that is here, with the same bytes", function()
    with_far(function(far, device, real)
      local feed = feeder(device)
      local camera = assert(far:camera "eye")
      expect.equal("8 6 10", ("%d %d %g"):format(camera.width, camera.height, camera.rate))
      local picture = assert(camera:frame())
      expect.near(1, value_of(picture), 2)
      expect.equal(real:camera("eye"):frame().bytes, picture.bytes)
      expect.truthy(picture.age < 0.2, picture.age)
      local watch <close> = camera:watch { format = "gray" }
      for value = 20, 200, 20 do
        feed.value = value
        rt.sleep(0.3)
        expect.near(value, value_of(watch:next(1)), 2)
      end
      expect.equal("SUCCESS", (far:stop())) -- also with cameras
      feed.task:cancel()
    end)
  end)

  it("has a name with blanks, too, and a test card whose clock is that of the world", function()
    with_far(function(far)
      local camera, last = assert(far:camera "rear view"), 0
      local watch <close> = camera:watch()
      for _ = 1, 5 do
        local picture = assert(watch:next(2))
        local number, drawn = picture:card()
        expect.truthy(number > last)
        expect.near(drawn, picture.time, 0.11) -- the period of one that says no rate
        last = number
      end
    end)
  end)

  it("is fetched only while somebody looks here", function()
    with_far(function(far, device)
      local feed = feeder(device)
      rt.sleep(5)
      expect.equal(false, device:looked "eye")
      assert(far:camera("eye"):frame())
      expect.equal(true, device:looked "eye")
      rt.sleep(5) -- 2 s here, and then 2 s there
      expect.equal(false, device:looked "eye")
      feed.value = 200
      rt.sleep(0.2)
      expect.near(200, value_of(far:camera("eye"):frame()), 2) -- none that was left from before
      feed.task:cancel()
    end)
  end)

  it("that stops has failed, and comes again", function()
    with_far(function(far, device, _, said)
      local camera, feed = far:camera "eye", feeder(device)
      local watch <close> = camera:watch {}
      assert(watch:next(1))
      feed.task:cancel()
      device:no_picture("eye", true)
      rt.sleep(7)
      local picture, message, code = camera:frame()
      expect.equal(nil, picture)
      expect.truthy(message:find "^camera eye of robot rover_2 gives no picture", message)
      expect.equal("NA", code)
      expect.truthy(said():find "rover_2: camera eye gives no pictures: no answer in time\n", said())
      expect.truthy(said():find "rover_2: camera eye gives no pictures: 503 Service Unavailable\n", said())
      rt.sleep(60)
      expect.equal(2, select(2, said():gsub("gives no pictures", ""))) -- it is told once
      feed = feeder(device)
      feed.value = 100
      rt.sleep(11) -- the longest pause between two attempts
      expect.near(100, value_of(camera:frame()), 2)
      expect.near(100, value_of(watch:next(1)), 2)
      feed.task:cancel()
    end)
  end)

  it("of a descriptor of one's own has the camera of that name there", function()
    assert(rt.add_robot "pioneer2")
    assert(rt.add_robot { name = "mine", base = { driver = "body" }, links = { [0] = { name = "hull" } },
      cameras = { { name = "camera", link = "hull" } },
      drivers = { body = { script = "rctp", url = "rctp+local:pioneer2" } } })
    local robot <close> = rt.connect "local:mine"
    rt.sleep(0.5)
    expect.truthy(robot:camera("camera"):frame():card())
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
  end)

  it("gives pictures while its robot is in panic", function()
    with_far(function(far, device)
      local feed = feeder(device)
      far:panic()
      rt.sleep(0.2)
      expect.truthy(far:camera("eye"):frame())
      feed.task:cancel()
    end)
  end)
end)

describe("an RCML file", function()
  local FROM <const> = { url = "rctp://host:7077/x", host = "host:7077" }
  local function output(name, url, width)
    return { type = "RCML_VideoOutput",
      fields = { name = name, url = url and { url } or {}, xsize = width or 0, ysize = 0, samplerate = 0 } }
  end

  -- What is made of it: the names of the cameras; where their pictures are; what the log has.
  local function described(cameras, outputs)
    local d, said, log = { name = "there", cameras = cameras }, "", core.log
    local node = { type = "RCML_Robot", fields = { outputs = outputs } }
    core.log = function(text) said = said .. text end
    local places = rctp_pictures.describe(d, node, FROM)
    core.log = log
    local names = {}
    for i, camera in ipairs(d.cameras or {}) do names[i] = camera.name end
    return table.concat(names, " "), places, said, d.cameras
  end
  local function place(url)
    local _, places, said = described({ { name = "eye" } }, { output("eye", url) })
    return places.eye and places.eye.url .. " " .. places.eye.path or said:match "left out: (.*)\n"
  end

  it("says where pictures are: at its own server, or another port of that machine", function()
    expect.equal("rctp://host:7077/x /x/camera/eye", place "http://host:7077/x/camera/eye")
    expect.equal("rctp://host:7077/x /x/camera/eye", place "https://HOST:7077/x/camera/eye#y")
    expect.equal("rctp://host:7077/x /eye?q=1", place "/eye?q=1")
    expect.equal("rctp://host:7077/x /eye", place "eye")
    expect.equal("rctp://host:8080 /?action=stream", place "http://host:8080?action=stream")
    expect.equal("rctp://host:80 /", place "http://host")
  end)

  -- The token with which pictures are asked for; false: none.
  local function token_for(url)
    local http_stream, rctp = require "robotalk.http.stream", require "robotalk.rctp"
    local dial, open, log, tasks, token = rctp.dial, http_stream.open, core.log, {}, nil
    described({ { name = "eye" } }, { output("eye", url) })
    core.log = function() end
    rctp.dial = function() return setmetatable({}, { __close = function() end }) end
    http_stream.open = function(_, _, limits)
      token = limits.token or false
      return nil, "it has none", "ENONE"
    end
    rctp_pictures.open({ robot = "there", cameras = { eye = { name = "eye", rate = 10 } },
      options = { token = "sesame" }, looked = function() return true end, no_picture = function() end,
      spawn = function(_, _, fn)
        tasks[#tasks + 1] = rt.spawn(fn)
        return tasks[#tasks]
      end }, FROM.url)
    rt.sleep(0.1)
    for _, t in ipairs(tasks) do t:cancel() end
    rctp.dial, http_stream.open, core.log = dial, open, log
    return token
  end

  it("that names another port of its machine does not get the token told there", function()
    expect.equal("sesame", token_for "http://host:7077/x/camera/eye")
    expect.equal("sesame", token_for "/eye")
    expect.equal(false, token_for "http://host:8080/eye")
  end)

  it("that says another machine, or nothing, has no camera there", function()
    expect.equal("it is elsewhere, at router", place "http://router/reboot")
    expect.equal("it is elsewhere, at host:7077@evil", place "http://host:7077@evil/")
    expect.equal("it is elsewhere, at host:8443", place "https://host:8443/")
    for _, url in ipairs { "", "//router/x" } do expect.equal("it names no pictures", place(url)) end
    expect.equal("expected http://host:7077", place "file:///etc/passwd")
    expect.equal("expected http://host:7077", place "javascript:x")
    expect.equal("it names no pictures", place(nil))
  end)

  it("has its outputs by the names of its cameras, else in their order; others are new ones", function()
    local names, places = described({ { name = "left" }, { name = "right" } },
      { output("right", "/r"), output("left_2", "/l"), output("top", "/t", 64), output("top", "/u") })
    expect.equal("right left top top_2", names)
    expect.equal("/r /l /t /u", ("%s %s %s %s"):format(places.right.path, places.left.path, places.top.path,
      places.top_2.path))
    local cameras = select(4, described({}, { output("top", "/t", 64) }))
    expect.equal(64, cameras[1].width)
    expect.equal(nil, cameras[1].height)
    expect.equal("", (described({ { name = "left" } }, {}))) -- without an output it has no pictures
    local many = {}
    for i = 1, 20 do many[i] = output("c" .. i, "/c") end
    local some, _, said = described({}, many)
    expect.equal("c16", some:match "%S+$")
    expect.equal(4, select(2, said:gsub("there are too many\n", "")))
  end)
end)
