-- Devices that drive robots of this process by translators, as they will over RCTP: wheels, bars and arms of a user's
-- against bases, joints and hands of a robot, its state on gauges, its pictures in a device's format.
local rt = require "robotalk"
local translator = require "robotalk.translator"

-- The object of that name.
local function object(robot, name)
  for _, o in ipairs(translator.objects(robot)) do if o.name == name then return o end end
end

-- A link of one device with the robot's objects; texts: of the robot's translators.
local function join(robot, device, texts)
  local result = translator.pair({ device }, translator.objects(robot), texts)
  expect.equal(1, #result.pairs, result.devices[1] and result.devices[1].why)
  return assert(translator.join(result.pairs[1], robot, texts))
end

describe("objects of a robot", function()
  local function names(robot_name)
    local robot <close> = rt.connect(robot_name)
    local list = {}
    for _, o in ipairs(translator.objects(robot)) do
      list[#list + 1] = ("%s%s"):format(o.name, o.parameters and ":" .. #o.parameters or "")
    end
    return table.concat(list, " ")
  end

  it("are its base, joints, hands and cameras", function()
    expect.equal("base:2 head:2 joints:2 gaze:6 base_state:6 head_state:2 joints_state:2 gaze_state:6 camera",
      names "pioneer2")
    expect.equal("waist:1 shoulder:1 elbow:1 wrist_roll:1 wrist_bend:1 flange:1 joints:6 hand:6 "
      .. "waist_state:1 shoulder_state:1 elbow_state:1 wrist_roll_state:1 wrist_bend_state:1 flange_state:1 "
      .. "joints_state:6 hand_state:6", names "puma560")
  end)

  it("have ranges and units of their body", function()
    local robot <close> = rt.connect "pioneer2"
    local base = object(robot, "base").parameters
    expect.same({ name = "x", unit = "m/s", range = { -1.8, 1.8 } }, base[1])
    expect.equal("theta", base[2].name)
    local pan = object(robot, "joints").parameters[1]
    expect.same({ "head.pan", "rad" }, { pan.name, pan.unit })
    expect.near(math.rad(100), pan.range[2], 1e-9)
    expect.equal("pose", object(robot, "gaze").translator)
  end)

  it("are of what is connected, and of nothing else", function()
    expect.raises("objects: want a robot, got string", translator.objects, "pioneer2")
  end)
end)

describe("a link", function()
  it("of two wheels drives a base", function()
    local robot <close> = rt.connect "pioneer2"
    local wheels <close> = join(robot, { name = "toy", type = "control", translator = "wheels",
      dofs = { { name = "left", unit = "rad/s" }, { name = "right", unit = "rad/s" } },
      options = { radius = 0.0825, track = 0.33 } })
    expect.equal("toy with base", tostring(wheels))
    expect.equal("SUCCESS", (wheels:put { 2, 4 })) -- 0.2475 m/s, 0.5 rad/s
    local speed
    local watch <close> = robot:broadcast(0.05, function(state) speed = state.velocity end)
    for _ = 1, 20 do
      rt.sleep(0.2)
      wheels:put { 2, 4 } -- its deadman is 0.5 s
    end
    expect.near(0.2475, speed.x, 1e-3)
    expect.near(0.5, speed.theta, 1e-3)
    expect.truthy(watch)
  end)

  it("of scroll bars turns a head", function()
    local robot <close> = rt.connect "pioneer2"
    local bars <close> = join(robot, { name = "bars", type = "control", dofs = 2, translator = "scroll",
      object = "head" })
    expect.equal("SUCCESS", (bars:put { 0.75, 0.5 })) -- half of the way from the middle to the left end
    expect.near(math.rad(50), robot:state().joints.head.pan, 1e-3)
    expect.near(0, robot:state().joints.head.tilt, 1e-3)
  end)

  it("finds a device's dofs by their names, in whatever order", function()
    local robot <close> = rt.connect "pioneer2"
    local bars <close> = join(robot, { name = "bars", type = "control", translator = "scroll", object = "head",
      dofs = { { name = "tilt", range = { -1, 1 } }, { name = "pan", range = { 0, 4 } } }, options = { as = "range" } })
    expect.equal("SUCCESS", (bars:put { 0, 3 }))
    expect.near(math.rad(50), robot:state().joints.head.pan, 1e-3)
    expect.near(0, robot:state().joints.head.tilt, 1e-3)
  end)

  it("of an arm that a user holds moves a robot's hand to the same pose", function()
    local robot <close> = rt.connect "puma560"
    local posture = { 0.1, 0.7, -2.8, 0.2, 0.6, 0.1 }
    local master <close> = join(robot, { name = "master", type = "control", dofs = 6, unit = "rad", translator = "pose",
      options = { model = rt.model "puma560", frame = "hand" }, object = "hand" }) -- as to translator.open
    expect.equal("SUCCESS", (master:put(posture)))
    local want, got = robot.model:fk(posture, "hand"), robot:state { frames = true }.frames.hand
    for i = 1, 3 do
      expect.near(want.position[i], got.position[i], 1e-3)
      expect.near(want.attitude[i], got.attitude[i], 2e-3)
    end
  end)

  it("of angles to all joints of another body goes by a pose at both sites", function()
    -- the user's arm gives a pose, the robot's output translator makes angles of it: paper 001, 2.4
    local robot <close> = rt.connect "puma560"
    local posture = { 0.1, 0.7, -2.8, 0.2, 0.6, 0.1 }
    local user <close> = translator.open("pose", { model = rt.model "puma560", frame = "hand" })
    local robots <close> = translator.open("pose", { model = robot.model, frame = "hand" })
    local joints <close> = join(robot, { name = "angles", type = "control", dofs = 6, object = "joints" })
    local angles = assert(robots:from_standard(user:to_standard(posture), posture))
    expect.equal("SUCCESS", (joints:put(angles)))
    for i, x in ipairs(robot:state().position) do expect.near(posture[i], x, 1e-3) end
  end)

  it("shows on gauges where the robot is", function()
    local robot <close> = rt.connect "pioneer2"
    robot:set_joint("head", { pan = math.rad(50), tilt = 0 })
    local gauges <close> = join(robot, { name = "gauges", type = "control", direction = "output", translator = "scroll",
      dofs = { "pan", "tilt" }, object = "head_state" })
    local values = assert(gauges:get())
    expect.near(0.75, values[1], 1e-3)
    expect.near(0.5, values[2], 1e-3)
    local place <close> = join(robot, { name = "map", type = "control", direction = "output", dofs = 6,
      object = "base_state" })
    expect.same({ 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 }, place:get())
    local hand <close> = join(robot, { name = "hand", type = "control", direction = "output", dofs = 6,
      object = "gaze_state" })
    expect.near(robot:state { frames = true }.frames.gaze.position[3], hand:get()[3], 1e-9)
  end)

  it("answers what the body cannot do as the robot does", function()
    local robot <close> = rt.connect "pioneer2"
    local head <close> = join(robot, { name = "n", type = "control", dofs = 2, object = "head" })
    expect.equal("MODIFIED", (head:put { 9, 0 }))
  end)

  it("raises for values that are none of the object's", function()
    local robot <close> = rt.connect "pioneer2"
    local head <close> = join(robot, { name = "n", type = "control", dofs = 2, object = "head" })
    expect.raises("put: expected 2 values, got 1", function() head:put { 1 } end)
    expect.raises("put: value 1: expected a finite number, got NaN", function() head:put { 0 / 0, 1 } end)
    expect.raises("put: value 2: expected a finite number, got boolean", function() head:put { 0, true } end)
    expect.raises("get: object head tells nothing", function() head:get() end)
    expect.raises("join: want a pair", translator.join, {}, robot)
  end)
end)

describe("a link with a translator of the robot's", function()
  local DEVICE = { name = "knob", type = "control", dofs = 1, translator = "robots_own", object = "head" }
  local function text(body)
    return ("return { to = { type = 'control', dofs = 2 }, to_standard = function(v, context)\n%s\nend }"):format(body)
  end

  it("drives by it", function()
    local robot <close> = rt.connect "pioneer2"
    local knob <close> = join(robot, DEVICE, { robots_own = text "return { v[1], -v[1] }" })
    expect.equal("SUCCESS", (knob:put { 0.2 }))
    expect.near(0.2, robot:state().joints.head.pan, 1e-3)
    expect.near(-0.2, robot:state().joints.head.tilt, 1e-3)
  end)

  for what, body in pairs {
    ["computes without end"] = "while true do end",
    ["allocates without end"] = "local t = {} while true do t[#t + 1] = {} end",
    ["gives NaN"] = "return { 0 / 0, 0 }",
    ["gives too much"] = "return { 1, 2, 3 }",
    ["raises"] = "error {}",
  } do
    it(("that %s sends no command, and is ended with its line"):format(what), function()
      local robot <close> = rt.connect "pioneer2"
      local before = robot:status()
      local knob <close> = join(robot, DEVICE, { robots_own = text(body) })
      local word, why, code = knob:put { 0.2 }
      expect.equal(nil, word)
      expect.truthy(why:find "^translator robots_own: robots_own.lua:[12]: ", why)
      expect.equal("EFAILED", code)
      rt.sleep(1)
      expect.same(before, robot:status())
      expect.equal(0.0, robot:state().joints.head.pan)
      expect.equal(nil, (knob:put { 0.2 }))
    end)
  end

  for _, name in ipairs { "base", "head", "joints" } do
    it(("that gives truths for numbers of %s sends no command, and does not end the script"):format(name), function()
      local robot <close> = rt.connect "pioneer2"
      local knob <close> = join(robot, { name = "knob", type = "control", dofs = 1, translator = "robots_own",
        object = name }, { robots_own = text "return { 0.1, true }" })
      expect.same({ nil, "translator robots_own: value 2: expected a finite number, got boolean", "EFAILED" },
        { knob:put { 0.2 } })
    end)
  end
end)
