-- Servers of Gamebots: the table of vehicles, and a base that comes to a wall.
local core = require "robotalk.core"
local gamebots = require "robotalk.gamebots"
local rt = require "robotalk"
local world = require "robotalk.world"

describe("a table of vehicles", function()
  it("is written as lines that the server reads", function()
    local file = gamebots.file { { class = "P2AT", robot = "rover", wheel_radius = 0.11, wheel_separation = 0.4 },
      { class = "Hummer", robot = "truck", wheel_base = 3.3, steering = "ackerman" } }
    expect.equal("gamebots/vehicles.txt", file.path)
    expect.equal("VEHICLE {Class P2AT} {Robot rover} {WheelRadius 0.110000} {WheelSeparation 0.400000}\n"
      .. "VEHICLE {Class Hummer} {Robot truck} {WheelBase 3.300000} {Steering Ackerman}\n", file.bytes)
  end)

  it("is no file without rows", function()
    expect.equal(nil, gamebots.file())
    expect.equal(nil, gamebots.file {})
  end)

  local function wrong(row)
    local field, why = gamebots.wrong(row)
    return field .. ": " .. why
  end

  it("says what is wrong with a row", function()
    expect.equal(nil, gamebots.wrong { class = "P2AT", robot = "pioneer2" })
    expect.equal("robot: expected a name, got nothing", wrong { class = "P2AT" })
    expect.equal("class: expected a name of at most 63 letters, digits, _, - and ., got P2{AT}",
      wrong { class = "P2{AT}", robot = "r" })
    expect.equal("wheel_radius: expected metres, more than 0, got 0",
      wrong { class = "c", robot = "r", wheel_radius = 0 })
    expect.equal('steering: expected "skid" or "ackerman", got sideways',
      wrong { class = "c", robot = "r", steering = "sideways" })
    expect.equal("wheel_radios: did you mean 'wheel_radius'? expected class, robot, wheel_radius, wheel_separation, "
      .. "wheel_base, steering", wrong { class = "c", robot = "r", wheel_radios = 1 })
  end)

  it("has nothing to do with bridges, which are an option of the address", function()
    for address, bridged in pairs {
      ["gamebots://localhost"] = "gamebots://localhost?bridge",
      ["gamebots://localhost:3001/r?udk"] = "gamebots://localhost:3001/r?udk&bridge",
      ["gamebots+unix:a.sock?strict#r"] = "gamebots+unix:a.sock?strict&bridge#r",
      ["gamebots+unix:a.sock#r"] = "gamebots+unix:a.sock?bridge#r",
      ["gamebots://localhost?bridge"] = "gamebots://localhost?bridge",
      ["gamebots://localhost?udk,bridge"] = "gamebots://localhost?udk,bridge",
    } do
      local url, is = gamebots.bridged(address)
      expect.equal(bridged, url)
      expect.equal(true, is)
    end
    local url, is = gamebots.bridged "rctp://localhost"
    expect.equal("rctp://localhost", url)
    expect.equal(false, is)
  end)

  it("is looked at before anything is served", function()
    local ok, why = pcall(rt.serve, { listen = { "gamebots://localhost:0" }, vehicles = { { class = "P2AT" } } })
    expect.equal(false, ok)
    expect.equal(true, tostring(why):find("vehicles[1].robot: expected a name", 1, true) ~= nil)
  end)
end)

describe("a base that comes to a wall", function()
  it("has its client told that it stands, once for each time", function()
    local _ <close> = rt.connect "pioneer2"
    local _ <close> = setmetatable({}, { __close = function() assert(world.open {}) end })
    assert(require "robotalk.world".open { walls = { { points = { { 1, -2 }, { 1, 2 } } } } })
    local port <close> = assert(core.dial("gamebots+local:pioneer2?strict", 1))
    local got = ""
    local function drive(left, right, seconds)
      port:write(("DRIVE {Left %.1f} {Right %.1f}\r\n"):format(left, right))
      rt.sleep(seconds)
      for bytes in function() return port:read() or nil end do
        if bytes == "" then break end
        got = got .. bytes
      end
    end
    local function times()
      return select(2, got:gsub("RES {Type DRIVE} {Name R1} {Status Failed} {Reason the base stands although it is "
        .. "to drive: something may be in its way}", ""))
    end
    port:write "INIT {ClassName P2DX} {Name R1}\r\n"
    drive(3, 3, 2)
    expect.equal(0, times()) -- on its way
    drive(3, 3, 10)
    expect.equal(1, times())
    drive(0, 0, 3)
    drive(-3, -3, 2) -- away
    drive(0, 0, 3)
    expect.equal(1, times())
    drive(3, 3, 10)
    expect.equal(2, times())
  end)
end)
