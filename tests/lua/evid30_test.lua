-- The driver of the Sony EVI-D30 against a simulated camera behind a pseudo-terminal, byte for byte. In real time:
-- a serial line cannot be simulated.
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"

-- A camera that obeys at once: it answers as the Command List says, and keeps what it was sent.
local function camera()
  local port, path = core.pty()
  local self = { port = port, path = path, heard = {}, pan = "\0\0\0\0", tilt = "\0\0\0\0" }
  self.task = rt.spawn(function()
    local buffer = ""
    while true do
      local bytes = drivers.read(port)
      if not bytes then return end
      buffer = buffer .. bytes
      for frame in buffer:gmatch("([^\xFF]*\xFF)") do
        if frame == "\x81\x09\x06\x12\xFF" then
          self.asked = true
          port:write("\x90\x50" .. self.pan .. self.tilt .. "\xFF")
        elseif frame:sub(1, 4) == "\x81\x01\x06\x02" and self.refuse then
          port:write "\x90\x60\x41\xFF" -- not executable
        elseif frame:sub(1, 3) == "\x81\x01\x06" then
          self.heard[#self.heard + 1] = frame
          if frame:byte(4) == 2 then self.pan, self.tilt = frame:sub(7, 10), frame:sub(11, 14) end
          port:write "\x90\x41\xFF\x90\x51\xFF"
        end
      end
      buffer = buffer:match("([^\xFF]*)$")
    end
  end)
  self.task.background = true
  return self
end

local function with_camera(fn)
  local cam = camera()
  local name = rt.add_robot {
    name = "head", deadman = expect.patience,
    joints = { { name = "head", driver = "camera", servo = { "setpoint", "speed" },
      dofs = { { name = "pan" }, { name = "tilt", axis = { 0, -1, 0 } } } } },
    drivers = { camera = { script = "evid30", port = cam.path } },
  }
  local robot = rt.connect("local:" .. name, { expiry = false })
  expect.eventually("the camera is asked where it is", function() return cam.asked end)
  fn(robot, cam)
  robot:close()
  drivers.remove(name)
  cam.task:cancel()
  cam.port:close()
  rt.sleep(0) -- its tasks end
end

local function hex(s) return (s:gsub(".", function(c) return ("%02X "):format(c:byte()) end)):sub(1, -2) end

describe("the driver of the EVI-D30", function()
  it_really("sends set-points in the camera's counts and reads them back", function()
    with_camera(function(robot, cam)
      -- 50 deg to the left is -440 counts (FE48), 12.5 deg up is 150 (0096)
      expect.equal("SUCCESS", (robot:set_joint("head", { pan = math.rad(50), tilt = math.rad(12.5) })))
      expect.equal("81 01 06 02 18 14 0F 0E 04 08 00 00 09 06 FF", hex(cam.heard[1]))
      expect.eventually("the head is there", function()
        local head = robot:state().joints.head
        return math.abs(head.pan - math.rad(50)) < 1e-3 and math.abs(head.tilt - math.rad(12.5)) < 1e-3
      end)
    end)
  end)

  it_really("clips to what the camera can do: MODIFIED", function()
    with_camera(function(robot, cam)
      expect.equal("MODIFIED", (robot:set_joint("head", { pan = 3 })))
      expect.equal("81 01 06 02 18 14 0F 0C 09 00 00 00 00 00 FF", hex(cam.heard[1])) -- -880 counts
    end)
  end)

  it_really("says ERROR for what the camera refuses", function()
    with_camera(function(robot, cam)
      cam.refuse = true
      local signal, why = robot:set_joint("head", { pan = 0.1 })
      expect.equal("ERROR", signal)
      expect.truthy(why:find "device")
    end)
  end)

  it_really("stops at a panic without any script's help", function()
    with_camera(function(robot, cam)
      robot:panic()
      expect.eventually("the camera hears something", function() return cam.heard[1] end)
      expect.equal("81 01 06 01 18 14 03 03 FF", hex(cam.heard[1]))
      expect.equal("PANIC", (robot:set_joint("head", { pan = 0.1 })))
    end)
  end)
end)
