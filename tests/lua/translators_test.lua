-- The translators that come along. Numbers are worked out by hand here, or by the robot's own kinematics; each
-- translator gives the same when it is contained, as a robot's would be.
local rt = require "robotalk"
local translator = require "robotalk.translator"

-- Calls fn(t, how) with the translator opened here, and contained.
local function both_ways(name, context, fn)
  local own <close> = assert(translator.open(name, context))
  fn(own, "own")
  local guest <close> = assert(translator.contained(translator.source(name), name, context))
  fn(guest, "contained")
end

local function expect_near(want, got, what)
  expect.equal(#want, #got, what)
  for i = 1, #want do expect.near(want[i], got[i], 1e-9, ("%s, value %d"):format(what, i)) end
end

describe("wheels", function()
  local PIONEER = { radius = 0.0825, track = 0.33 } -- m; scripts/robots/pioneer2.lua

  it("both at 1 rad/s drive ahead by their radius each second", function()
    both_ways("wheels", PIONEER, function(t, how)
      expect_near({ 0.0825, 0 }, t:to_standard { 1, 1 }, how)
    end)
  end)

  it("of which the right one alone turns drive half as fast, and turn left", function()
    both_ways("wheels", PIONEER, function(t, how)
      expect_near({ 0.04125, 0.25 }, t:to_standard { 0, 1 }, how) -- 0.0825 / 0.33
    end)
  end)

  it("against each other turn on the spot", function()
    both_ways("wheels", PIONEER, function(t, how)
      expect_near({ 0, -0.5 }, t:to_standard { 1, -1 }, how)
      expect_near({ 1, -1 }, t:from_standard { 0, -0.5 }, how)
    end)
  end)

  it("give back what they were given", function()
    both_ways("wheels", PIONEER, function(t, how)
      expect_near({ 3.5, -1.25 }, t:from_standard(t:to_standard { 3.5, -1.25 }), how)
    end)
  end)

  it("need a radius and a track", function()
    for _, context in ipairs { {}, { radius = 0.1 }, { track = 0.1 }, { radius = -1, track = 1 },
        { radius = 0 / 0, track = 1 }, { radius = math.huge, track = 1 } } do
      local t, why, code = translator.open("wheels", context)
      expect.equal(nil, t)
      expect.truthy(why:find "expected m, more than 0", why)
      expect.equal("EINVAL", code)
    end
  end)
end)

describe("pose", function()
  local model = rt.model "puma560"
  local POSTURE = { 0.1, 0.7, -2.8, 0.2, 0.6, 0.1 }

  it("of angles is that of the body's kinematics", function()
    local pose = model:fk(POSTURE, "hand")
    local p, a = pose.position, pose.attitude
    both_ways("pose", { model = model, frame = "hand" }, function(t, how)
      expect_near({ p[1], p[2], p[3], a[1], a[2], a[3] }, t:to_standard(POSTURE), how)
    end)
  end)

  it("becomes angles near to those that the device has now", function()
    both_ways("pose", { model = model, frame = "hand" }, function(t, how)
      local near = {}
      for i = 1, 6 do near[i] = POSTURE[i] + 0.05 end
      local angles = assert(t:from_standard(t:to_standard(POSTURE), near))
      for i = 1, 6 do expect.near(POSTURE[i], angles[i], 1e-4, how) end
    end)
  end)

  it("that is out of reach is refused with how far", function()
    both_ways("pose", { model = model, frame = "hand" }, function(t, how)
      local angles, why, code = t:from_standard { 9, 0, 0, 0, 0, 0 }
      expect.equal(nil, angles)
      expect.truthy(why:find "^translator pose: no posture found: %d+%.%d+ m", how .. why)
      expect.equal("ERANGE", code)
      expect.truthy(t:from_standard(t:to_standard(POSTURE), POSTURE), "it goes on")
    end)
  end)

  it("of a device with some of the joints takes these alone", function()
    both_ways("pose", { model = model, frame = "hand", places = { 4, 5, 6 } }, function(t, how)
      local home = model:home()
      local pose = t:to_standard { 0.2, 0.6, 0.1 }
      local angles = assert(t:from_standard(pose, { 0.2, 0.6, 0.1 }))
      expect_near({ 0.2, 0.6, 0.1 }, angles, how)
      pose[1] = pose[1] + 0.1 -- the wrist cannot move itself
      local none, why = t:from_standard(pose, { home[4], home[5], home[6] })
      expect.equal(nil, none)
      expect.truthy(why:find "dofs that the device does not have" or why:find "no posture", why)
    end)
  end)

  it("needs a body, one of its frames and places in it", function()
    local function refused(context, pattern)
      local t, why = translator.open("pose", context)
      expect.equal(nil, t)
      expect.truthy(why:find(pattern), why)
    end
    refused({ frame = "hand" }, "model: expected the kinematics")
    refused({ model = model }, "frame: expected the name")
    refused({ model = model, frame = "nose" }, "there is no control frame 'nose'")
    refused({ model = model, frame = "hand", places = { 7 } }, "places: expected places in a posture of 6 dofs")
  end)

  it("wants as many angles as the device has", function()
    both_ways("pose", { model = model, frame = "hand" }, function(t)
      local pose, why = t:to_standard { 1, 2 }
      expect.equal(nil, pose)
      expect.truthy(why:find "expected 6 values, got 2", why)
    end)
  end)
end)

describe("scroll", function()
  -- the paper's camera (3.4.4), and a vertical bar beside it
  local camera = { parameters = { { name = "pan_move", range = { -1.57, 1.57 }, control = "h_scroll" },
    { name = "tilt", range = { -0.5, 1 }, control = "v_scroll", scale = 100 } } }

  it("has the least value at 0 and the greatest at 1", function()
    both_ways("scroll", { object = camera }, function(t, how)
      expect_near({ -1.57, 1 }, t:to_standard { 0, 1 }, how)
      expect_near({ 0, 0.25 }, t:to_standard { 0.5, 0.5 }, how)
      expect_near({ 0.5, 0.5 }, t:from_standard { 0, 0.25 }, how)
    end)
  end)

  it("in pixels counts from the left, a vertical one from the top", function()
    both_ways("scroll", { object = camera, as = "pixels", length = 200 }, function(t, how)
      expect_near({ -1.57, 1 }, t:to_standard { 0, 0 }, how)
      expect_near({ 1.57, -0.5 }, t:to_standard { 200, 200 }, how)
      expect_near({ 100, 50 }, t:from_standard { 0, 0.625 }, how)
    end)
  end)

  it("in the device's units has range_scale", function()
    both_ways("scroll", { object = camera, as = "device" }, function(t, how)
      expect_near({ 1, 0.25 }, t:to_standard { 1, 25 }, how)
      expect_near({ 1, 25 }, t:from_standard { 1, 0.25 }, how)
    end)
  end)

  it("of a device with ranges has each dof's own", function()
    local pad = { dofs = { { name = "x", range = { -1, 1 } }, { name = "y", range = { 0, 1023 } } } }
    both_ways("scroll", { object = camera, device = pad, as = "range" }, function(t, how)
      expect_near({ 0, 1 }, t:to_standard { 0, 1023 }, how)
      expect_near({ -1, 511.5 }, t:from_standard { -1.57, 0.25 }, how)
    end)
  end)

  it("beyond an end counts as that end", function()
    both_ways("scroll", { object = camera }, function(t, how)
      expect_near({ -1.57, 1 }, t:to_standard { -3, 7 }, how)
      expect_near({ 0, 1 }, t:from_standard { -9, 9 }, how)
    end)
  end)

  it("gives whole numbers and truths where the parameters are such", function()
    local object = { parameters = { { name = "gear", range = { 1, 5 }, type = "integer" },
      { name = "lamp", range = { 0, 1 }, type = "bool" } } }
    both_ways("scroll", { object = object }, function(t, how)
      local values = t:to_standard { 0.6, 0.7 }
      expect.equal("integer", math.type(values[1]), how)
      expect.same({ 3, true }, values)
      expect_near({ 0.5, 1 }, t:from_standard { 3, true }, how)
    end)
  end)

  it("wants as many bars as there are parameters, and ranges", function()
    both_ways("scroll", { object = camera }, function(t)
      local values, why = t:to_standard { 1 }
      expect.equal(nil, values)
      expect.truthy(why:find "expected 2 bars, got 1", why)
    end)
    for pattern, context in pairs {
      ["object: expected one with parameters"] = {},
      ["parameter x has no range"] = { object = { parameters = { { name = "x" } } } },
      ["parameter y has no range"] = { object = { parameters = { { name = "y", range = { 1, 0 } } } } },
      ["as: expected share, pixels, range or device"] = { object = camera, as = "inches" },
      ["device: dof 1 has no range"] = { object = camera, as = "range" },
      ["length: expected pixels"] = { object = camera, as = "pixels" },
      ["parameter z has a scale of 0"] = { as = "device",
        object = { parameters = { { name = "z", range = { 0, 1 }, scale = 0 } } } },
    } do
      local t, why = translator.open("scroll", context)
      expect.equal(nil, t)
      expect.truthy(why:find(pattern), why)
    end
  end)
end)

describe("identity", function()
  it("gives numbers and texts as they are, and pictures where it is not contained", function()
    both_ways("identity", {}, function(t, how)
      expect.same({ 1, true, 3 }, t:to_standard { 1, true, 3 })
      expect.equal("stop", t:from_standard "stop")
      local picture = { width = 1, height = 1, format = "gray", bytes = "x" }
      if how == "own" then expect.same(picture, t:to_standard(picture)) end
    end)
  end)
end)

describe("pictures", function()
  -- a red one: its gray is 0.299 * 200 + 0.701 * 100 = 129.9
  local RED = { number = 3, width = 16, height = 8, format = "rgb", bytes = ("\200\100\100"):rep(128) }

  it("of a device with pixels become JPEG, and pixels again", function()
    local rgb <close> = assert(translator.open "rgb")
    local gray <close> = assert(translator.open("gray", { width = 8 }))
    local jpeg = assert(rgb:to_standard(RED))
    expect.equal("jpeg", jpeg.format)
    expect.equal("\xFF\xD8", jpeg.bytes:sub(1, 2))
    expect.equal(3, jpeg.number)
    local back = assert(rgb:from_standard(jpeg))
    expect.same({ 16, 8, "rgb", 384 }, { back.width, back.height, back.format, #back.bytes })
    local small = assert(gray:from_standard(jpeg))
    expect.same({ 8, 4, "gray", 32 }, { small.width, small.height, small.format, #small.bytes })
    expect.near(130, small.bytes:byte(1), 3)
  end)

  it("of a camera come in a device's format and size", function()
    local robot <close> = rt.connect "pioneer2"
    local device = { name = "screen", type = "video", direction = "output", translator = "gray",
      options = { width = 80 } }
    local pair = translator.pair({ device }, translator.objects(robot)).pairs[1]
    expect.equal("camera", pair.object.name)
    local screen <close> = assert(translator.join(pair, robot))
    local picture = assert(screen:get())
    expect.same({ 80, 60, "gray", 4800 }, { picture.width, picture.height, picture.format, #picture.bytes })
    expect.equal("gray", select(2, picture:pixels()))
  end)

  it("that are damaged are refused, and those that are none raise", function()
    local rgb <close> = assert(translator.open "rgb")
    local picture, why, code = rgb:from_standard { width = 1, height = 1, format = "jpeg", bytes = "no" }
    expect.equal(nil, picture)
    expect.truthy(why:find "no JPEG", why)
    expect.equal("ERANGE", code)
    expect.raises("to_standard: expected as many bytes", function()
      rgb:to_standard { width = 2, height = 1, format = "rgb", bytes = "abc" }
    end)
    expect.raises("to_standard: expected a picture with bytes", function() rgb:to_standard { 1, 2 } end)
    expect.same({ nil, "translator jpeg: width: expected pixels, 1 to 65535", "EINVAL" },
      { translator.open("jpeg", { width = 0 }) })
  end)
end)
