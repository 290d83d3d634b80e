-- The bundled robots whose joints are serial servos: simulated with weight, and as they are on metal
-- (tests/e2e/servo_robots.sh moves those).
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local rt = require "robotalk"
local weight = require "tests.lua.weight"

-- A posture, and the entry of its servos, with what it needs besides a port.
local ARM = { shoulder_pan = 0.4, shoulder_lift = -0.5, elbow_flex = 0.6, wrist_flex = -0.4, wrist_roll = 1 }
local robots = {
  so101_follower = { posture = ARM, entry = "arm", ids = "1 2 3 4 5 6" },
  so101_leader = { posture = ARM, entry = "arm", ids = "1 2 3 4 5 6", torque = false },
  lekiwi = { posture = ARM, entry = "arm", ids = "1 2 3 4 5 6 7 8 9", drives = true },
  pan_tilt = { posture = { head = { pan = 1, tilt = -0.5 } }, entry = "neck", ids = "1 2", baud = 57600 },
}

describe("a robot of servos", function()
  for name, row in pairs(robots) do
    it("is as it should be: " .. name, function()
      local made = assert(descriptor.open(name))
      expect.equal(0, #made.notes())
      expect.equal(0, #descriptor.missing(made))
    end)

    it("has weight, and gets where it is told to: " .. name, function()
      local robot <close> = weight.add(name)
      expect.equal("SUCCESS", (robot:move(row.posture)))
      local joints = robot:state().joints
      for joint, want in pairs(row.posture) do
        for dof, to in pairs(type(want) == "table" and want or { [joint] = want }) do
          expect.near(to, joints[joint][dof], 0.03, joint)
        end
      end
      core.remove_robot(name)
    end)

    it("is one of metal by the name of the driver and its port: " .. name, function()
      local it = { driver = "servos", port = "/dev/ttyACM0", torque = row.torque, baud = row.baud }
      local base = not row.drives and { false } or {}
      local entries = { [row.entry] = it }
      local made = assert(descriptor.made { from = name, name = "metal", base = base[1], drivers = entries })
      local ids = {}
      for _, option in pairs(made.descriptor.drivers[row.entry]) do
        ids[#ids + 1] = type(option) == "string" and option:match " id=(%d)" or nil
      end
      table.sort(ids)
      expect.equal(row.ids, table.concat(ids, " "))
    end)
  end
end)

describe("the LeKiwi", function()
  it("goes to any side on its three wheels", function()
    local robot <close> = weight.add "lekiwi"
    for _, speed in ipairs { { x = 0.2 }, { y = 0.2 }, { x = -0.1, y = -0.15 }, { y = 0.1, theta = 0.5 } } do
      robot:set_speed(speed)
      rt.sleep(1)
      local velocity = robot:state().velocity
      for _, axis in ipairs { "x", "y", "theta" } do
        expect.near(speed[axis] or 0, velocity[axis], 0.02, axis)
      end
    end
    robot:stop()
    expect.equal("SUCCESS", (robot:go_to { x = 0, y = 0.2, theta = 0 }))
    expect.near(0.2, robot:state().y, 0.02)
    core.remove_robot "lekiwi"
  end)
end)
