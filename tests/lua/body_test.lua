-- A description is checked once, where it comes in, and handed on as what was made of it.
local rt = require "robotalk"
local core = require "robotalk.core"
local check = require "robotalk.descriptor.check"
local descriptor = require "robotalk.descriptor"
local records = require "robotalk.descriptor.records"

-- How often fn calls each of these, by name.
local function counted(fn)
  local counts, before = {}, {}
  for name, home in pairs { body = core, read_body = core, descriptor = check, make = records } do
    local real = home[name]
    before[name] = function() home[name] = real end
    counts[name] = 0
    home[name] = function(...)
      counts[name] = counts[name] + 1
      return real(...)
    end
  end
  local _ <close> = setmetatable({}, { __close = function() for _, put_back in pairs(before) do put_back() end end })
  fn()
  return counts
end

describe("what a robot is", function()
  it("is checked once where the robot is made, and read by its client", function()
    local counts = counted(function()
      local robot <close> = rt.connect "pioneer2"
      expect.equal(2, #robot:describe().kinematics:home())
    end)
    expect.equal(1, counts.descriptor, "check.lua")
    expect.equal(1, counts.make, "records.lua")
    expect.equal(1, counts.body, "bodies made of records")
    expect.equal(1, counts.read_body, "bodies made of configuration blocks")
  end)

  it("is one body for a robot of this process and its clients, and another for what is only alike", function()
    local made = descriptor.open("pioneer2").body
    local block = core.configuration(made)
    expect.truthy(core.read_body(block) ~= made, "nobody has told that there is such a robot")
    assert(core.add_robot(made))
    expect.equal(made, core.read_body(block))
    do
      local robot <close> = rt.connect "local:pioneer2"
      expect.equal(made, robot:describe().kinematics)
    end
    local other = assert(descriptor.load "pioneer2")
    other.name, other.links[0].mass = "pioneer3", 12.5
    local changed = core.configuration(descriptor.made(other).body)
    expect.truthy(core.read_body(changed) ~= made)
    core.remove_robot "pioneer2"
    expect.truthy(core.read_body(block) ~= made)
  end)

  it("is checked once for its kinematics, and for each reload", function()
    local counts = counted(function() assert(rt.model "pioneer2") end)
    expect.equal(1, counts.descriptor)
    expect.equal(1, counts.body)
    local name = assert(rt.add_robot "pioneer2")
    counts = counted(function() assert(require "robotalk.server.reload".now(name)) end)
    expect.equal(1, counts.descriptor)
    expect.equal(1, counts.body)
    core.remove_robot(name)
  end)

  it("may be changed as a table, and is then checked as it is", function()
    local d = assert(descriptor.load "pioneer2")
    d.name = "other"
    local name = assert(rt.add_robot(d))
    expect.equal("other", name)
    core.remove_robot(name)
    d.links = 5
    expect.truthy(not pcall(rt.robot, d))
  end)
end)

describe("a body", function()
  it("counts as memory of the script that holds it", function()
    core.budget(0, 32)
    local kept, made, why = {}, nil, nil
    local block = core.configuration(descriptor.open("pioneer2").body)
    for i = 1, 20000 do
      made, why = pcall(core.read_body, block)
      if not made then break end
      kept[i] = why
    end
    local most = #kept
    core.budget(0)
    expect.truthy(not made, "twenty thousand bodies in 32 MiB")
    expect.truthy(tostring(why):find "not enough memory", tostring(why))
    kept = nil
    -- those that nobody holds any more make room
    core.budget(0, 32)
    for _ = 1, 3 * most do assert(core.read_body(block)) end
    core.budget(0)
    expect.equal(nil, kept)
  end)
end)
