-- Pairs of a user's devices and a robot's objects, as in 4.3.2 of paper 001: "if the server site has a Control Output
-- object with 6 DOF, the client may attempt to assign a Control Input object with 6 DOF".
local translator = require "robotalk.translator"

local function parameters(unit, ...)
  local list = {}
  for i, name in ipairs { ... } do list[i] = { name = name, unit = unit } end
  return list
end

local HEAD = { name = "head", type = "control", parameters = parameters("rad", "pan", "tilt") }
local BASE = { name = "base", type = "control",
  parameters = { { name = "x", unit = "m/s" }, { name = "theta", unit = "rad/s" } } }
local HAND = { name = "hand", type = "control", translator = "pose",
  parameters = { { name = "x", unit = "m" }, { name = "y", unit = "m" }, { name = "z", unit = "m" },
    { name = "roll", unit = "rad" }, { name = "pitch", unit = "rad" }, { name = "yaw", unit = "rad" } } }
local EYE = { name = "eye", type = "video", direction = "output" }
local HAND_STATE = { name = "hand_state", type = "control", direction = "output", parameters = HAND.parameters }

-- "device>object" of all pairs, in order of the objects.
local function pairs_of(result)
  local list = {}
  for i, pair in ipairs(result.pairs) do
    list[i] = pair.device.name .. ">" .. pair.object.name .. (pair.translator and " by " .. pair.translator or "")
  end
  return table.concat(list, ", ")
end

-- Why the only device that is left over is.
local function why_left(devices, objects)
  local result = translator.pair(devices, objects)
  expect.equal(1, #result.devices)
  return result.devices[1].why, result.devices[1].code
end

describe("a device and an object", function()
  it("of 6 dofs each are a pair", function()
    local sensor = { name = "tracker", type = "control", dofs = 6 }
    local result = translator.pair({ sensor }, { HEAD, HAND })
    expect.equal("tracker>hand", pairs_of(result))
    local pair = result.pairs[1]
    expect.equal(sensor, pair.device)
    expect.equal(HAND, pair.object)
    expect.same({ 6, "control" }, { pair.dof, pair.type }) -- the headers Dof and Type of ASSIGN
    expect.same({ 1, 2, 3, 4, 5, 6 }, pair.order)
    expect.same({ { object = HEAD, why = "no device fits it" } }, result.objects)
    expect.same({}, result.devices)
  end)

  it("whose dofs have the same names are one before others of the same number", function()
    local knobs = { name = "knobs", type = "control", dofs = 2 }
    local stick = { name = "stick", type = "control", dofs = { "theta", "x" } }
    expect.equal("knobs>head, stick>base", pairs_of(translator.pair({ knobs, stick }, { HEAD, BASE })))
    local pair = translator.pair({ stick }, { BASE }).pairs[1]
    expect.same({ 2, 1 }, pair.order, "the object's x is the second of the device")
  end)

  it("are found for as many devices as can have one", function()
    -- the first would do for both, the second for the head alone
    local any = { name = "any", type = "control", dofs = 2 }
    local angles = { name = "angles", type = "control", dofs = 2, unit = "rad" }
    expect.equal("angles>head, any>base", pairs_of(translator.pair({ any, angles }, { HEAD, BASE })))
    local names = { name = "names", type = "control", dofs = { { name = "pan" }, { name = "tilt" } } }
    expect.equal("names>head, any>base", pairs_of(translator.pair({ names, any }, { HEAD, BASE })))
  end)

  it("may be the user's choice", function()
    local devices = { { name = "one", type = "control", dofs = 2, object = "base" },
      { name = "two", type = "control", dofs = 2, object = "head" } }
    expect.equal("two>head, one>base", pairs_of(translator.pair(devices, { HEAD, BASE })))
  end)

  it("become one by the device's translator", function()
    local wheels = { name = "wheels", type = "control", translator = "wheels",
      dofs = { { name = "left", unit = "rad/s" }, { name = "right", unit = "rad/s" } } }
    expect.equal("wheels>base by wheels", pairs_of(translator.pair({ wheels }, { HEAD, BASE })))
  end)

  it("become one by the object's translator, when the device does not have the standard format", function()
    local arm = { name = "master", type = "control", dofs = 6, unit = "rad" }
    expect.equal("master>hand by pose", pairs_of(translator.pair({ arm }, { HEAD, HAND })))
    local tracker = { name = "tracker", type = "control",
      dofs = { "x", "y", "z", "roll", "pitch", "yaw" } }
    expect.equal("tracker>hand", pairs_of(translator.pair({ tracker }, { HEAD, HAND })))
  end)

  it("become one by a translator that the robot gives, which runs contained", function()
    local crane = { name = "crane", type = "control", translator = "crane",
      parameters = parameters("m", "reach", "height", "turn") }
    local text = "return { from = { type = 'control', dofs = 2, unit = 'rad' }, "
      .. "to = { type = 'control', dofs = 3, unit = 'm' }, to_standard = function(v) return { 1, 2, 3 } end }"
    local angles = { name = "angles", type = "control", dofs = 2, unit = "rad" }
    expect.equal("angles>crane by crane", pairs_of(translator.pair({ angles }, { crane }, { crane = text })))
    expect.equal("there is no translator 'crane'", (why_left({ angles }, { crane })))
    local result = translator.pair({ angles }, { crane }, { crane = "while true do end" })
    expect.equal("translator crane: crane.lua:1: it computes too long", result.devices[1].why)
  end)

  it("show what the robot tells, when both are outputs", function()
    local screen = { name = "screen", type = "video", direction = "output" }
    local bars = { name = "bars", type = "control", direction = "output", dofs = 6 }
    expect.equal("screen>eye, bars>hand_state",
      pairs_of(translator.pair({ screen, bars }, { HAND, EYE, HAND_STATE })))
  end)
end)

describe("a device that is left over", function()
  it("has another number of dofs, and hears which the objects have", function()
    local why, code = why_left({ { name = "nose", type = "control", dofs = 7 } }, { HEAD, HAND, EYE })
    expect.equal("head has 2 dofs, not 7; hand has 6 dofs, not 7", why)
    expect.equal(406, code)
  end)

  it("has another type", function()
    local why, code = why_left({ { name = "ear", type = "audio" } }, { HEAD, EYE })
    expect.equal("no audio object of the robot takes commands", why)
    expect.equal(406, code)
  end)

  it("has other units", function()
    local why = why_left({ { name = "slides", type = "control", dofs = 2, unit = "m" } }, { HEAD })
    expect.equal("pan of head is in rad, not m", why)
  end)

  it("gives values where the robot does, too", function()
    local why = why_left({ { name = "tracker", type = "control", dofs = 6 } }, { HAND_STATE })
    expect.equal("no control object of the robot takes commands", why)
  end)

  it("came second", function()
    local one, two = { name = "one", type = "control", dofs = 2 }, { name = "two", type = "control", dofs = 2 }
    local why, code = why_left({ one, two }, { HEAD })
    expect.equal("head has a device: one", why)
    expect.equal(409, code)
  end)

  it("is for an object that does not fit, or that there is not", function()
    local why, code = why_left({ { name = "n", type = "control", dofs = 6, object = "head" } }, { HEAD, HAND })
    expect.equal("head has 2 dofs, not 6", why)
    expect.equal(406, code)
    why, code = why_left({ { name = "n", type = "control", dofs = 6, object = "tail" } }, { HEAD, HAND })
    expect.equal("there is no object tail", why)
    expect.equal(404, code)
    why = why_left({ { name = "n", type = "control", dofs = 6, object = "haed" } }, { HEAD, HAND })
    expect.equal("there is no object haed; did you mean head?", why)
  end)

  it("does not fit its own translator", function()
    local why = why_left({ { name = "n", type = "control", dofs = 3, translator = "wheels" } }, { BASE })
    expect.equal("translator wheels: the device has 3 dofs, not 2", why)
    why = why_left({ { name = "n", type = "control", dofs = 3, translator = "wings" } }, { BASE })
    expect.equal("there is no translator 'wings'", why)
  end)
end)

describe("texts of a robot's translators", function()
  local core = require "robotalk.core"
  local SLOW <const> = "return { from = { type = 'control', dofs = 9 }, to_standard = function(v) return v end }"

  -- The first left over device's reason, with a translator that says that it is from these dofs.
  local function why(dofs, device)
    local text = ("return { from = { type = 'control', dofs = %s }, to_standard = function(v) return v end }")
      :format(dofs)
    device = device or { name = "n", type = "control", dofs = 2, translator = "guest" }
    return translator.pair({ device }, { HEAD }, { guest = text }).devices[1].why
  end

  it("are run once, however many devices and objects there are", function()
    local contained, runs = core.contained, 0
    local _ <close> = setmetatable({}, { __close = function() core.contained = contained end })
    core.contained = function(...)
      runs = runs + 1
      return contained(...)
    end
    local devices = {}
    for i = 1, 5 do devices[i] = { name = "d" .. i, type = "control", dofs = 2, translator = "slow" } end
    local found = translator.pair(devices, { HEAD, HAND, BASE }, { slow = SLOW })
    expect.equal(5, #found.devices)
    expect.equal("translator slow: the device has 2 dofs, not 9", found.devices[1].why:match "^[^;]*")
    expect.equal(1, runs)
    runs = 0
    found = translator.pair(devices, { HEAD, HAND, BASE }, { slow = "error 'no'" })
    expect.equal("translator slow: slow.lua:1: no", found.devices[5].why:match "^[^;]*")
    expect.equal(1, runs)
  end)

  it("name their dofs and units by short texts, and cannot make pair raise", function()
    for dofs, words in pairs {
      ["{ { name = 0/0 }, 'b' }"] = "dofs[1].name: expected a text, got number",
      ["{ 'a', { name = {} } }"] = "dofs[2].name: expected a text, got table",
      ["{ 'a', { name = 'b', unit = 5 } }"] = "dofs[2].unit: expected a text, got number",
      ["{ 'a', { name = 'b', unit = '\\27]0;x' } }"] = "dofs[2].unit: expected a text without control characters",
      ["{ 'a', '\\27[2J' }"] = "dofs[2]: expected a text without control characters",
      ["{ 'a', '" .. ("b"):rep(64) .. "' }"] = "dofs[2]: expected at most 63 bytes, got 64",
      ["2, unit = 0/0"] = "unit: expected a text, got number",
    } do
      expect.equal("translator guest: guest.lua:1: from." .. words, why(dofs):match "^[^;]*")
    end
    expect.equal("translator guest: a of the device is in m, not " .. ("u"):rep(63),
      (why("{ { name = 'a', unit = '" .. ("u"):rep(63) .. "' }, 'b' }", { name = "n", type = "control",
        translator = "guest", dofs = { { name = "a", unit = "m" }, "b" } })))
  end)
end)

describe("mistakes in what is paired", function()
  it("raise", function()
    local function raises(pattern, ...) expect.raises(pattern, translator.pair, ...) end
    raises("pair: devices: want a list, got nil", nil, {})
    raises("pair: devices 1: want a name", { { type = "control" } }, {})
    raises("device x has no option 'dof'; did you mean 'dofs'", { { name = "x", type = "control", dof = 1 } }, {})
    raises("pair: x: type: expected control", { { name = "x", type = "smell" } }, {})
    raises("pair: x: dofs: want how many", { { name = "x", type = "control" } }, {})
    raises("pair: x: direction: want input or output, got up", { { name = "x", type = "text", direction = "up" } }, {})
    raises("pair: devices: there are two x", { { name = "x", type = "text" }, { name = "x", type = "text" } }, {})
    raises("pair: x: dofs%[1%].name: expected a text, got boolean",
      { { name = "x", type = "control", dofs = { { name = true } } } }, {})
    raises("pair: objects: want a list", {}, 5)
  end)
end)
