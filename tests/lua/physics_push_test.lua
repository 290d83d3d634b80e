-- ASIMO with weight is pushed, as it stands and as it walks; and what becomes of it when it panics.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local records = require "robotalk.descriptor.records"

local AHEAD, BACK, LEFT = 0, math.pi, math.pi / 2 -- where a push goes

-- It comes as --physics has it, with that panic policy, stands, and keeps in mind what it was told.
local function asimo(policy)
  local d = assert(descriptor.load "asimo")
  d.panic = policy or d.panic
  records.physical = true
  local added, why = rt.add_robot(d)
  records.physical = false
  assert(added, why)
  local robot = rt.connect("local:asimo", { deadman = 1000 })
  local heard = {}
  robot:on_notice(function(what, value) if what == "fallen" then heard[#heard + 1] = value end end)
  rt.sleep(1)
  return robot, heard
end

-- 5 kg that slide along a rail at that speed, at the height of its chest, to where it will be.
local function push(robot, direction, speed)
  local c, s = math.cos(direction), math.sin(direction)
  local at, gap = robot:state(), 0.4
  local time = 5 * speed / 100 + (gap - 0.2) / speed -- until they meet, about
  assert(rt.add_robot { name = "ram",
    links = { [0] = { name = "rail", position = { at.x + time * at.velocity.x - c * gap, at.y - s * gap, 0.9 } },
      [1] = { name = "ram", mass = 5, inertia = { 0.01, 0.01, 0.01 },
        shapes = { { type = "box", size = { 0.1, 0.1, 0.1 }, attitude = { 0, 0, direction } } } } },
    joints = { { name = "slide", parent = 0, child = 1, driver = "motor", servo = { "setpoint", "force" },
      dofs = { { name = "x", type = "prismatic", axis = { c, s, 0 }, limit = { -1, 1 }, speed = 5, acceleration = 50,
        force = 100 } } } },
    drivers = { motor = { driver = "physics" } } })
  local ram <close> = rt.connect("local:ram", { deadman = 1000 })
  ram:set_joint_force("slide", 100)
  rt.sleep(5 * speed / 100)
  ram:set_joint_force("slide", 0)
  rt.sleep(0.5)
  core.remove_robot "ram"
end

-- The greatest lean in so many seconds, rad. All numbers are numbers.
local function lean_in(robot, seconds)
  local lean, till = 0, rt.now() + seconds
  while rt.now() < till - 1e-9 do
    rt.sleep(0.05)
    local s = robot:state()
    for _, v in ipairs { s.x, s.y, s.z, s.theta, s.velocity.x, s.velocity.y, s.attitude[1], s.attitude[2] } do
      expect.truthy(v == v and math.abs(v) < 10, v)
    end
    lean = math.max(lean, math.abs(s.attitude[1]), math.abs(s.attitude[2]))
  end
  return lean
end

local FALLEN = "the body has fallen over: it has to get up first"

-- It lies, says so once, and takes no way.
local function lies(robot, heard)
  expect.same({ 1 }, heard)
  expect.equal(false, robot:sense "upright".upright)
  local s = robot:state()
  expect.truthy(s.z < 0.35 and s.z > 0.05, s.z)
  for _, act in ipairs { function() return robot:set_speed { x = 0.1 } end,
    function() return robot:go_to { x = 1 } end } do
    local signal, why = act()
    expect.equal("ERROR", signal)
    expect.equal(FALLEN, why)
  end
  expect.equal("SUCCESS", (robot:stop()))
  expect.truthy(robot:set_joint("r_knee", { pitch = 1 }) ~= "BUSY") -- its joints are its own
end

describe("ASIMO that stands", function()
  it("bears a push of 10 N s from behind and from its right, and of 5 from ahead", function()
    local robot <close>, heard = asimo()
    local from = robot:state()
    for direction, speed in pairs { [AHEAD] = 2, [LEFT] = 2, [BACK] = 1 } do
      push(robot, direction, speed)
      expect.truthy(lean_in(robot, 2) < 0.03)
      local to = robot:state()
      expect.near(from.x, to.x, 0.01)
      expect.near(from.y, to.y, 0.01)
    end
    expect.same({}, heard)
    expect.equal(true, robot:sense "upright".upright)
    core.remove_robot "asimo"
  end)

  -- Nothing was commanded to it, and it says so all the same.
  it("falls when it is pushed hard, and says so", function()
    local robot <close>, heard = asimo()
    push(robot, BACK, 4)
    expect.truthy(lean_in(robot, 4) > 1)
    lies(robot, heard)
    core.remove_robot "asimo"
  end)
end)

describe("ASIMO that walks", function()
  it("walks on when it is pushed", function()
    local robot <close>, heard = asimo()
    robot:set_speed { x = 0.2 }
    rt.sleep(2)
    for direction, speed in pairs { [AHEAD] = 3, [LEFT] = 1.5, [BACK] = 1 } do
      local from = robot:state()
      push(robot, direction, speed)
      expect.truthy(lean_in(robot, 3.4) < 0.15)
      local to = robot:state()
      expect.near(0.2 * 4, math.sqrt((to.x - from.x) ^ 2 + (to.y - from.y) ^ 2), 0.2)
    end
    expect.same({}, heard)
    expect.equal("SUCCESS", (robot:stop()))
    core.remove_robot "asimo"
  end)

  it("falls when it is pushed hard, and gives its way up", function()
    local robot <close>, heard = asimo()
    local signal, why
    rt.spawn(function() signal, why = robot:go_to { x = 3 } end)
    rt.sleep(2)
    push(robot, LEFT, 5)
    lean_in(robot, 4)
    expect.equal("ERROR", signal)
    expect.equal(FALLEN, why)
    lies(robot, heard)
    core.remove_robot "asimo"
  end)

  it("falls when a panic makes it limp, says so, and lies when the panic is over", function()
    local robot <close>, heard = asimo "limp"
    local signal
    rt.spawn(function() signal = robot:go_to { x = 3 } end)
    rt.sleep(2.1)
    robot:panic()
    lean_in(robot, 4)
    expect.equal("PANIC", signal)
    expect.same({ 1 }, heard)
    expect.equal("PANIC", (robot:set_speed { x = 0.1 }))
    expect.truthy(robot:reset())
    rt.sleep(0.5)
    lies(robot, heard)
    core.remove_robot "asimo"
  end)

  -- Its legs were bent as they lay; all begins at home.
  it("is set on its feet when it is described anew, where it lay, and walks", function()
    local robot <close>, heard = asimo "limp"
    robot:set_speed { x = 0.3 }
    rt.sleep(3)
    robot:panic()
    rt.sleep(3)
    expect.truthy(robot:reset())
    local lay = robot:state()
    records.physical = true
    local d = assert(descriptor.load "asimo")
    assert(robot:reload(d))
    records.physical = false
    rt.sleep(0.2)
    expect.same({ 1, 0 }, heard)
    expect.truthy(lean_in(robot, 2) < 0.01)
    local from = robot:state()
    expect.near(lay.x, from.x, 0.01)
    expect.near(lay.y, from.y, 0.01)
    expect.equal("SUCCESS", (robot:set_speed { x = 0.2 }))
    rt.sleep(4)
    local to = robot:state()
    expect.truthy((to.x - from.x) ^ 2 + (to.y - from.y) ^ 2 > 0.25)
    expect.same({ 1, 0 }, heard)
    core.remove_robot "asimo"
  end)
end)

describe("ASIMO that is limp", function()
  -- With an arm out to its side the shoulder's first axis and its third are one: turning about both, it moves nothing.
  it("does not spin its arms", function()
    local robot <close> = asimo "limp"
    for _, side in ipairs { "l", "r" } do
      local out = math.rad(side == "l" and 90 or -90)
      expect.equal("SUCCESS", (robot:set_joint(side .. "_shoulder", { roll = out, pitch = -2 })))
    end
    robot:panic()
    local last = robot:state().joints.l_shoulder
    for _ = 1, 1000 do
      rt.sleep(0.002)
      local q = robot:state().joints.l_shoulder
      expect.truthy(math.abs(q.yaw - last.yaw) < 0.15, q.yaw - last.yaw) -- 75 rad/s
      last = q
    end
    core.remove_robot "asimo"
  end)
end)
