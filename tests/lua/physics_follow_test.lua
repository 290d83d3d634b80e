-- Robots of which others than the physics move the base or joints: in the physics they are where these have them.
local core = require "robotalk.core"
local rt = require "robotalk"
local weight = require "tests.lua.weight"
local world = require "robotalk.world"

-- A cart of the simple simulator, with something of the physics on board.
local CART = { name = "cart", links = { [0] = { name = "root", mass = 5, inertia = { 0.1, 0.1, 0.1 },
    shapes = { { type = "box", size = { 0.4, 0.4, 0.4 }, position = { 0, 0, 0.3 } } } } },
  base = { driver = "way", holonomic = true, speed = { x = 1, y = 1, theta = 1 },
    acceleration = { x = 1, y = 1, theta = 1 } },
  cameras = { { name = "eye", link = "root", width = 8, height = 8, fov = 1,
    driver = "body" } },
  sensors = { { name = "ahead", type = "laser", link = "root", position = { 0.3, 0, 0.1 }, count = 1, fov = 0.01,
    driver = "body" } },
  drivers = { way = { driver = "sim" }, body = { driver = "physics" } } }
-- A mast that looks along x from 3 m behind, with a flag on a servo of the simple simulator.
local MAST = { name = "mast", links = { [0] = { name = "root", position = { -3, 0, 0 }, mass = 5,
      inertia = { 0.1, 0.1, 0.1 } },
    { name = "flag", mass = 1, inertia = { 0.1, 0.1, 0.1 },
      shapes = { { type = "box", size = { 0.1, 0.1, 0.1 }, position = { 1, 0, 0 } } } } },
  joints = { { name = "pole", parent = "root", child = "flag", inboard = { 0, 0, 0.8 }, driver = "way",
    servo = { "setpoint" }, dofs = { { name = "turn", axis = { 0, 0, 1 }, limit = { -2, 2 } } } } },
  sensors = { { name = "low", type = "laser", link = "root", position = { 0, 0, 0.3 }, count = 1, fov = 0.01,
    driver = "body" } },
  drivers = { way = { driver = "sim" }, body = { driver = "physics" } } }

describe("what another driver moves of a robot in the physics", function()
  it("is there where that has it: its base, and joints", function()
    local watcher = { name = "watcher", links = { [0] = { name = "root", position = { -3, -3, 0 },
        attitude = { 0, 0, math.pi / 2 }, mass = 1, inertia = { 0.1, 0.1, 0.1 } } },
      sensors = { { name = "high", type = "laser", link = "root", position = { 0, 0, 0.8 }, count = 1, fov = 0.01,
        driver = "body" } }, drivers = { body = { driver = "physics" } } }
    local _ <close> = setmetatable({}, { __close = function()
      for _, name in ipairs { "cart", "mast", "watcher" } do core.remove_robot(name) end
    end })
    local cart <close> = rt.connect(assert(rt.add_robot(CART)))
    local mast <close> = rt.connect(assert(rt.add_robot(MAST)))
    local other <close> = rt.connect(assert(rt.add_robot(watcher)))
    local function sees(robot, sensor)
      rt.sleep(0.5)
      return robot:sense(sensor).range
    end
    expect.near(2.8, sees(mast, "low"), 0.01) -- 3 m to its middle, 0.2 m to its back
    cart:go_to { x = 1 }
    expect.near(3.8, sees(mast, "low"), 0.01)
    local view, why, code = rt.look { from = { 1, 0, 3 }, to = { 1, 0, 0 }, width = 16, height = 16, seen = "depth" }
    if view then
      expect.near(2.5, view:at(8, 8), 0.05) -- its top
    else
      expect.equal("ESYSTEM", code, why) -- there is no OpenGL
    end
    cart:go_to { x = 1, theta = math.pi / 4 }
    expect.near(4 - 0.2 * math.sqrt(2), sees(mast, "low"), 0.01)
    expect.truthy(sees(other, "high") > 3) -- the flag is ahead of the mast, 1 m away
    expect.equal("SUCCESS", (mast:set_joint("pole", { turn = -math.pi / 2 })))
    expect.near(1.95, sees(other, "high"), 0.01) -- and now to its right
  end)

  it("makes no run another one, and throws nothing, whoever looks", function()
    local function play(looks)
      local robot <close> = weight.add "pioneer2"
      local cart <close> = rt.connect(assert(rt.add_robot(CART)))
      assert(world.open { boxes = { { name = "box", size = { 0.2, 0.2, 0.2 }, position = { 0.8, 0 }, mass = 0.5 },
        { name = "lid", size = { 0.1, 0.1, 0.1 }, position = { 0.8, 0 }, raised = 0.21, mass = 0.2 } } })
      robot:set_speed { x = 0.3 }
      local places = {}
      rt.spawn(function() cart:go_to { x = 1, y = 0 } end) -- where box and lid are
      for _ = 1, 40 do
        rt.sleep(0.1)
        if looks then cart:sense "ahead" end
        for _, name in ipairs { "box", "lid" } do
          local at = rt.thing(name).position
          places[#places + 1] = ("%a %a %a"):format(at[1], at[2], at[3])
          expect.truthy(at[3] < 0.3)
        end
      end
      for _, name in ipairs { "cart", "pioneer2" } do core.remove_robot(name) end
      weight.tidy_up()
      return table.concat(places, "\n")
    end
    expect.equal(play(false), play(true))
  end)
end)
