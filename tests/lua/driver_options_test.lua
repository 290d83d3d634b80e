-- Options of drivers, from a descriptor to the driver: with their types, and refused where they are written.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local with = require("tests.lua.test_driver").with

-- What is wrong with a body that has this entry for the driver of its base.
local function wrong(entry)
  local _, message = descriptor.read(([[return { name = "x", base = { driver = "it" }, links = {},
    drivers = { it = { %s } } }]]):format(entry), "x.lua")
  return message
end

describe("options of a driver", function()
  it("are what the descriptor says: texts, numbers and flags", function()
    local given = { rate = 9600, share = 0.1, whole = 3.0, large = math.maxinteger, small = -5e-324, digits = "0x10",
      text = "a=b,c=d, e", empty = "", on = true, off = false, ["left.hip"] = "node=1" }
    local got
    with({ open = function(self, config) got = { self.config, config } return {} end, start = function() end },
      function() end, given)
    for name, value in pairs(given) do
      expect.equal(got[2][name], value)
      expect.equal(math.type(got[2][name]), math.type(value))
    end
    expect.equal(got[1], got[2])
    given.script = got[2].script
    for name in pairs(got[2]) do expect.truthy(given[name] ~= nil, name) end
  end)

  it("are the same of a body's records", function()
    local d = { name = "x", base = { driver = "it" }, links = {},
      drivers = { it = { script = "evid30", port = "/dev/x,y=z", baud = 9600 } } }
    local records = core.records(core.body(descriptor.records(d)))
    local options = records.device[1].options
    expect.equal(options.port, "/dev/x,y=z")
    expect.equal(math.type(options.baud), "integer")
  end)

  it("are refused where they are written, by the drivers that come along", function()
    expect.equal(wrong 'driver = "sim"', nil)
    expect.equal(wrong 'driver = "sim", rate = 5', "x.lua:2: drivers.it.rate: this driver has no options")
    local wired = [[return { name = "x", links = {},
      joints = { { name = "neck", parent = 0, driver = "it", dofs = { {} } } },
      drivers = { it = { driver = "%s", %s = "sts3215 id=1" } } }]]
    for _, driver in ipairs { "sim", "physics" } do -- where hardware has its dof is for another driver
      expect.equal(select(2, descriptor.read(wired:format(driver, "neck"), "x.lua")), nil)
      expect.truthy(select(2, descriptor.read(wired:format(driver, "nekc"), "x.lua")), driver)
    end
    expect.equal(wrong 'driver = "walk", feet = "a"',
      "x.lua:2: drivers.it.feet: expected names of control frames, got a")
    local arm = [[return { name = "x", links = {}, joints = { { driver = "bus", parent = 0, dofs = { {} } } },
      bus = { rate = 100 }, drivers = { bus = { driver = "simbus",
        %s } } }]]
    local function refused(option)
      local _, message = descriptor.read(arm:format(option), "x.lua")
      return message
    end
    expect.equal(refused "rate = 1200, loss = 0, watchdog = 0.5", nil)
    expect.equal(refused "los = 0.5",
      "x.lua:3: drivers.bus.los: did you mean 'loss'? expected one of rate, loss, watchdog")
    expect.equal(refused "loss = 2", "x.lua:3: drivers.bus.loss: expected a number, 0 to 1, got 2")
    expect.equal(refused 'loss = "0.5"', 'x.lua:3: drivers.bus.loss: expected a number, 0 to 1, got "0.5"')
  end)

  it("are a text, a number or a flag, with a name", function()
    expect.equal(wrong 'driver = "lua", script = "x", port = {}',
      "x.lua:2: drivers.it.port: expected a text, a number, true or false, got {}")
    expect.equal(wrong 'driver = "lua", script = "x", port = 0/0',
      "x.lua:2: drivers.it.port: expected a text, a number, true or false, got NaN")
    local message = wrong(('driver = "lua", script = "x", ["%s"] = 1'):format(("a"):rep(64)))
    expect.truthy(message:find "a name of at most 63 characters", message)
  end)

  it("may be told by rows, by which they are checked", function()
    local rows = { { "port", "text", max = 9, needed = true }, { "baud", "whole", least = 50, most = 1e6 },
      { "parity", "word", words = { "even", "odd" } } }
    local config
    local driver = { options = rows, open = function(_, options) config = options return {} end,
      start = function() end }
    local function refused(options)
      local ok, message = pcall(with, driver, function() end, options)
      return not ok and tostring(message) or nil
    end
    expect.equal(refused { port = "ttyS0", baud = 9600.0, parity = "odd" }, nil)
    expect.equal(math.type(config.baud), "integer")
    expect.truthy(refused({ port = "ttyS0", buad = 9600 }):find(
      "buad: did you mean 'baud'? expected one of script, port", 1, true))
    expect.truthy(refused({}):find("port: expected a text, got nothing", 1, true))
    expect.truthy(refused({ port = "ttyS0", parity = "none" }):find(
      'parity: expected "even" or "odd", got "none"', 1, true))
    driver.options = { 5 }
    expect.truthy(refused({}):find "options: ")
    expect.equal(#core.robots(), 0)
  end)

  it("of the camera are known", function()
    local function refused(entry)
      local _, message = rt.add_robot { name = "x", joints = { { driver = "head", dofs = { {}, {} } } },
        drivers = { head = entry } }
      return message
    end
    expect.truthy(refused({ script = "evid30" }):find("driver evid30: port: expected a text, got nothing", 1, true))
    expect.truthy(refused({ script = "evid30", prot = "/dev/x" }):find("prot: did you mean 'port'?", 1, true))
    expect.equal(#core.robots(), 0)
  end)
end)
