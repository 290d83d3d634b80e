-- Drivers in Lua: what reaches the metal, a device behind a pseudo-terminal (spec/drivers.md, section 5).
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local test = require "tests.lua.test_driver"
local with, begin, words = test.with, test.begin, test.words

-- A device that writes down the frames that it hears, each a word with a blank behind it.
local function metal()
  local port, path = core.pty()
  local self = { path = path, port = port, hold = core.serial(path), heard = {} }
  self.task = rt.spawn(function()
    local rest = ""
    while true do
      local bytes = drivers.read(port)
      if not bytes then return end
      rest = (rest .. bytes):gsub("(%S+) ", function(word)
        self.heard[#self.heard + 1] = word
        return ""
      end)
    end
  end)
  self.task.background = true
  function self.close()
    self.task:cancel()
    self.port:close()
    self.hold:close()
    rt.sleep(0) -- its task ends
  end
  return self
end

-- Waits until the device has heard the word once more, or what may stand for it.
local function hears(device, word, seen, other)
  return expect.eventually("the device hears " .. word, function()
    for i = seen + 1, #device.heard do
      if device.heard[i] == word or device.heard[i] == other then return i end
    end
  end)
end

-- A driver of that device. act(self, cmd, done): what its commands do.
local function writer(act)
  return {
    open = function(self, config)
      self.port = core.serial(config.port)
      self.port:write "open "
      return { halt = "halt ", port = self.port }
    end,
    start = act,
    close = function(self) self.port:close() end,
  }
end

describe("the metal of a driver in Lua", function()
  it_really("hears nothing of a command after its halt", function()
    local device, refused = metal(), {}
    with(writer(function(self, _, done)
      core.robot_panic("thing", true) -- between the start of the command and its first write
      for _ = 1, 2 do
        local _, _, code = self.port:write "motion "
        refused[#refused + 1] = code
      end
      core.robot_panic("thing", false)
      for _ = 1, 2 do
        local _, _, code = self.port:write "motion "
        refused[#refused + 1] = code
      end
      done "success"
      rt.sleep(10)
      self.port:write "motion "
    end), function(robot)
      expect.equal("PANIC", (robot:go_to { x = 1 }))
      hears(device, "halt", 0)
      expect.equal("EPANIC EPANIC EPANIC EPANIC", table.concat(refused, " "))
      expect.equal("open, halt", words(device.heard))
    end, { port = device.path }, expect.patience)
    device.close()
  end)

  it_really("hears what the script's own tasks write again after the reset, and what halted writes before", function()
    local device, codes, self = metal(), {}, nil
    local driver = writer(function(_, _, done) done "success" end)
    local open = driver.open
    driver.open = function(me, config)
      self = me
      return open(me, config)
    end
    driver.halted = function(me)
      me.port:write "halted "
      rt.sleep(0.01)
      me.port:write "halted "
    end
    with(driver, function(robot)
      local function poll()
        local n, _, code = self.port:write "poll "
        codes[#codes + 1] = n or code
      end
      hears(device, "open", 0)
      poll()
      hears(device, "poll", 0)
      core.robot_panic("thing", true)
      poll()
      hears(device, "halted", hears(device, "halted", 0))
      poll()
      expect.equal("5 EPANIC EPANIC", table.concat(codes, " "))
      core.robot_panic("thing", false)
      expect.eventually("it may write again", function()
        poll()
        return codes[#codes] == 5
      end)
      hears(device, "poll", 5)
      expect.equal("open, poll, halt, halted, halted, poll", words(device.heard))
      robot:stop()
    end, { port = device.path }, expect.patience)
    device.close()
  end)

  it_really("hears nothing of a command after the stop that ended it", function()
    local device = metal()
    with(writer(function(self, cmd, done)
      if cmd.op == "stop" then
        self.port:write "stop "
        return done "success"
      end
      self.port:write "motion "
      rt.wait(device)
      self.port:write "motion "
      done "success"
    end), function(robot)
      for round = 1, 3 do
        local word = begin(robot.go_to, robot, { x = 1 })
        hears(device, "motion", 2 * round - 1)
        expect.equal("SUCCESS", (robot:stop()))
        expect.equal("INTERRUPTED", word())
        rt.wake(device) -- it would go on
        rt.sleep(0)
        hears(device, "stop", 2 * round, "halt") -- where the machine is busy for half a second a halt is made of a stop
      end
      local heard = words(device.heard):gsub("halt", "stop")
      expect.equal("open, motion, stop, motion, stop, motion, stop", heard)
    end, { port = device.path }, expect.patience)
    device.close()
  end)

  -- A script that writes motions, again and again, without ever letting go of its thread, until it may not any more:
  -- why not, and what the device has heard. during(self): what goes on meanwhile, on other threads.
  -- patience: seconds of silence that do not end it.
  local function busy(during, patience)
    local device, why = metal(), nil
    with(writer(function(self, cmd, done)
      if cmd.op == "stop" then
        self.port:write "stop "
        return done "success"
      end
      during(self)
      local late = rt.now() + 20
      repeat
        local again = rt.now() + 0.005
        why = select(3, self.port:write "motion ")
        while rt.now() < again do end
      until why or rt.now() > late
      done "success"
    end), function(robot)
      expect.equal("INTERRUPTED", (robot:go_to { x = 1 }))
      expect.equal("SUCCESS", (robot:stop()))
      hears(device, "stop", 0)
    end, { port = device.path }, patience)
    device.close()
    return why, words(device.heard)
  end

  -- Why a command that was stopped may not write: a halt is made of a stop that waits for half a second.
  local function ended(why) expect.truthy(why == "ENONE" or why == "EPANIC", why) end

  it_really("hears nothing of a command after another client's stop, however busy the script is", function()
    local path, other, server = os.tmpname(), nil, nil
    os.remove(path)
    local why, heard = busy(function()
      server = assert(rt.serve { listen = { "unix:" .. path } })
      other = rt.connect("unix:" .. path .. "#thing")
      rt.spawn(other.stop, other)
      rt.sleep(0) -- it is sent; the server's thread acts on it, now or soon
    end, expect.patience)
    if why then ended(why) else expect.truthy(not heard:find "motion", heard) end
    expect.truthy(not heard:find "stop, motion" and not heard:find "halt, motion", heard)
    other:close()
    server:close()
  end)

  it_really("hears nothing of a command after the deadman's stop, however busy the script is", function()
    local why, heard
    expect.eventually("the command begins before it is stopped", function()
      why, heard = busy(function() end) -- nobody gives a sign of life meanwhile
      return why or heard:find "motion"
    end)
    ended(why)
    expect.truthy(not heard:find "stop, motion" and not heard:find "halt, motion", heard)
  end)

  it_really("hears the halt when the script is too busy for a stop", function()
    local device, heard, whys = metal(), "", {}
    device.task:cancel()
    local driver = writer(function(self, cmd, done)
      if cmd.op == "stop" then
        self.port:write "stop "
        return done "success"
      end
      self.port:write "motion "
      local late = rt.now() + 20 -- never lets go until the halt is there: nobody gives a sign of life
      while not heard:find "halt" and rt.now() < late do heard = heard .. (device.port:read() or "") end
      done "success"
    end)
    driver.halted = function(_, why) whys[#whys + 1] = why end
    with(driver, function(robot)
      expect.equal("INTERRUPTED", (robot:go_to { x = 1 }))
      expect.equal("open motion halt ", heard)
      expect.equal("SUCCESS", (robot:stop()))
      expect.equal("stop", table.concat(whys, " "))
      expect.equal("stop ", expect.eventually("the device hears it", function() return device.port:read() end))
    end, { port = device.path })
    device.close()
  end)

  it_really("is lost with its port: commands are answered ERROR, link, and the driver is not asked", function()
    local device, asked, lost = metal(), 0, false
    local driver = writer(function() -- a driver that only waits for what the device tells
      asked = asked + 1
      rt.sleep(1e6)
    end)
    local open = driver.open
    function driver.open(self, config)
      local opened = open(self, config)
      self:spawn("listen", function()
        while drivers.read(self.port, 60) do end
        self:fault "link"
        lost = true
      end)
      return opened
    end
    local LINK = "the link to the client or to the device was lost, or no answer came"
    with(driver, function(robot)
      local word = begin(function() return table.concat({ robot:go_to { x = 1 } }, " ", 1, 2) end)
      device.close()
      expect.eventually("the port is lost", function() return lost end)
      expect.equal("ERROR " .. LINK, word())
      for _ = 1, 2 do expect.equal("ERROR " .. LINK, table.concat({ robot:go_to { x = 1 } }, " ", 1, 2)) end
      expect.equal("ERROR", (robot:set_joint("head", { pan = 1 })))
      expect.equal(1, asked)
    end, { port = device.path }, expect.patience)
  end)

  it_really("hears the halt when it is opened in a panic, or its robot goes", function()
    local device = metal()
    local driver = writer(function(_, _, done) done "success" end)
    local open = driver.open
    driver.open = function(...)
      core.robot_panic("thing", true)
      return open(...)
    end
    with(driver, function() hears(device, "halt", 1) end, { port = device.path })
    hears(device, "halt", 2)
    device.close()
  end)

  it_really("never hears a motion between a halt and the reset, whichever thread halts it", function()
    local device, path, running, self = metal(), os.tmpname(), 0, nil
    os.remove(path)
    with(writer(function(me, cmd, done)
      if cmd.op == "stop" then return done "success" end
      local _ <close> = setmetatable({}, { __close = function() running = running - 1 end })
      self, running = me, running + 1
      -- busy for about as long as a package is on its way: the panic comes now, or a moment before or after
      local late = rt.now() + cmd.x * 4e-3
      while rt.now() < late do end
      me.port:write "motion "
      done "success"
    end), function(robot)
      local _ <close> = assert(rt.serve { listen = { "unix:" .. path } })
      local other <close> = rt.connect("unix:" .. path .. "#thing")
      expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
      local done = 1 -- motions that are there for certain
      for round = 1, 200 do
        local mover = rt.spawn(robot.set_speed, robot, { x = round % 20 / 20 })
        if round % 4 == 0 then -- the motion is there; or it is about to come
          done = done + (select(2, mover:wait()) == "SUCCESS" and 1 or 0)
        else
          rt.sleep(0)
        end
        other:panic() -- the server's thread halts, while this one moves
        mover:wait()
        while not other:state().panic or running > 0 do rt.sleep(0.001) end
        other:reset()
        while not self.port:write "reset " do rt.sleep(0.001) end
      end
      self.port:write "end "
      hears(device, "end", 0)
      local halted, motions, halts = false, 0, 0
      for i, word in ipairs(device.heard) do
        expect.truthy(not (halted and word == "motion"), ("a motion after a halt: word %d"):format(i))
        motions, halts = motions + (word == "motion" and 1 or 0), halts + (word == "halt" and 1 or 0)
        halted = word == "halt" or halted and word ~= "reset"
      end
      expect.equal(200, halts)
      expect.truthy(done > 1 and motions >= done and motions <= 201, ("%d of %d"):format(motions, done))
    end, { port = device.path }, expect.patience)
    device.close()
  end)
end)
