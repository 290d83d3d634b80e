-- Servers of RCTP that are not ours, as the driver of a robot behind them meets them: they lack objects, have others
-- than they should, and send what nobody can use. Such a server is a table of this test; in simulated time.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local task = require "robotalk.task"

-- What a Pioneer 2 needs: { layout, current values, id = its number, where it is not the next one }. GO: headers of the
-- reply to it.
local function usual()
  return { command = { "text stamp=0 mask=no" }, base = { "2f", "0 0" }, head = { "2f", "0 0" },
    joints_state = { "2f", "0 0" }, base_state = { "6f", "0 0 0 0 0 0" } }
end

local handles = 1 << 40 -- no port of this process has such a number

-- A port to a server that has these objects, or answers with that text; tell(bytes) has it send something. Objects are
-- numbered in the order of ASSIGN. FILE: the RCML file, with which control objects have no Layout.
local function serve(objects)
  handles = handles + 1
  local port = { number = handles, out = "", got = "", ids = {}, count = 0 }
  function port.handle() return port.number end
  function port.tell(bytes)
    port.out = port.out .. bytes
    task.wake("readable" .. port.number)
  end
  function port:read()
    local bytes = self.out
    self.out = ""
    if self.over and bytes == "" then return nil, "the connection was closed" end
    return bytes ~= "" and bytes
  end
  local function answer(method, name)
    if method == "GO" then
      port.live = true
      return ("201 OK\r\n%s\r\n"):format(objects.GO or "")
    end
    local object = objects[name]
    if not object then return "404 Not Found\r\nObjects: command\r\n\r\n" end
    if type(object) == "string" then return object end
    port.count = port.count + 1
    port.ids[name] = object.id or port.count
    local value = object[2] and ("Current Value: %s\r\n"):format(object[2]) or ""
    local layout = objects.FILE and object[2] and "" or ("Layout: %s\r\n"):format(object[1])
    return ("201 OK\r\nID: %d\r\n%s%s\r\n"):format(port.ids[name], value, layout)
  end
  function port:write(bytes)
    if self.live then return #bytes end
    if bytes:find "^GET /foreign.wrl" then
      port.tell(("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"):format(#objects.FILE, objects.FILE))
      return #bytes
    end
    self.got = self.got .. bytes
    for method, target, behind in self.got:gmatch "(%u+) ?(%S*) RCTP/1.0\r\n.-\r\n()" do
      self.got = self.got:sub(behind)
      port.tell(answer(method, target:match "[^/]*$"))
    end
    return #bytes
  end
  function port:close() self.over = true end
  return port
end

-- What rt.connect says of a server that answers each GET by files[path], else by 404: message, code.
local function connect(address, files)
  local dial = core.dial
  core.dial = function()
    handles = handles + 1
    local port, number = { out = "" }, handles
    function port.handle() return number end
    function port:read()
      local bytes = self.out
      self.out = ""
      return bytes ~= "" and bytes
    end
    function port:write(bytes)
      local body = files[bytes:match "^GET (%S+)"]
      local status = body and "200 OK" or "404 Not Found"
      self.out = ("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s"):format(status, #(body or ""), body or "")
      return #bytes
    end
    function port.close() end
    return port
  end
  local _ <close> = setmetatable({}, { __close = function() core.dial = dial end })
  return select(2, rt.try_connect(address))
end

describe("a foreign server of RCML files", function()
  it("is quoted shortly, whatever it calls its robots", function()
    local list = {}
    for i = 1, 1000 do list[i] = ("/robot%d.wrl\n"):format(i) end
    local message = connect("rctp://host/none", { ["/"] = table.concat(list) })
    expect.truthy(message:find("there is no robot 'none' at host; its robots are: robot1, robot2, ", 1, true), message)
    expect.truthy(#message < 1000, #message)
    expect.equal("there is no robot 'none' at host; its robots are: none",
      (connect("rctp://host/none", { ["/"] = "/" .. ("x"):rep(1 << 20) .. ".wrl\n" })))
  end)

  it("says nothing to a terminal but text", function()
    for _, name in ipairs { "\27[2J", "\u{9b}2J" } do
      local message = connect("rctp://host", { ["/"] = "/" .. name .. ".wrl\n" })
      expect.truthy(message:find("there is no robot '", 1, true), message)
      expect.equal(nil, message:find "%c" or message:find "\u{9b}", message)
    end
  end)
end)

-- Runs fn(robot, port, said) with a robot here whose driver finds that server; said(): its log so far.
local function with(objects, fn)
  local dial, log, text, port = core.dial, core.log, "", nil
  core.log = function(line) text = text .. line end
  core.dial = function()
    local one = serve(objects)
    port = port and not port.over and port or one -- not that by which the file is got
    return one
  end
  local _ <close> = setmetatable({}, { __close = function()
    core.dial, core.log = dial, log
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
  end })
  local d = assert(descriptor.load "pioneer2")
  for _, joint in pairs(d.joints) do joint.driver = "body" end
  d.base.driver, d.drivers, d.cameras = "body", { body = { script = "rctp", url = "rctp+local:foreign" } }, nil
  d.sensors, d.widgets = nil, nil
  assert(rt.add_robot(d))
  local robot <close> = rt.connect "local:pioneer2"
  rt.sleep(0.2)
  fn(robot, port, function() return text end)
end

local function frame(bytes) return string.pack(">s2", bytes) end

describe("a foreign server of RCTP", function()
  it("may have an object for each joint and none for all", function()
    local objects = usual()
    objects.joints_state, objects.head_state = nil, { "2f", "0 0" }
    with(objects, function(robot, port)
      port.tell(frame(string.pack(">Bff", port.ids.head_state, 0.25, -0.125)))
      rt.sleep(0.1)
      expect.near(0.25, robot:state().joints.head.pan, 1e-6)
      expect.near(-0.125, robot:state().joints.head.tilt, 1e-6)
    end)
  end)

  for name, object in pairs { head = { "3f", "0 0 0" }, base = { "1f", "0" }, joints_state = { "1f", "0" },
    base_state = { "2f", "0 0" } } do
    it("whose " .. name .. " has another count is not used, and told", function()
      local objects = usual()
      objects[name] = object
      with(objects, function(robot, _, said)
        expect.truthy(said():find(("%s: it has %d parameters: expected "):format(name, object[1]:match "%d"), 1, true))
        local word, _, result = robot:set_joint("head", { pan = 0.1 })
        expect.equal("ERROR link", word .. " " .. result.reason)
      end)
    end)
  end

  for words, change in pairs {
    ["base: a stamp of 3 bytes: expected 0, 2, 4, 6 or 8"] = function(it) it.base[1] = "2f stamp=3 mask=no" end,
    ["base: its ID 2 is that of head"] = function(it) it.base.id = 2 end,
    ["takes no words: it could not be stopped"] = function(it) it.command = { "2f", "0 0" } end,
    ["GO: a unit of 1e-300 ms"] = function(it) it.GO = "Time-Unit-ms: 1e-300\r\nText-Stamp: 4\r\n" end,
    ["GO: a unit of 0 ms"] = function(it) it.GO = "Time-Unit-ms: 0\r\n" end,
  } do
    it("to which nobody could say stop is not used until it is another one: " .. words, function()
      local objects = usual()
      change(objects)
      with(objects, function(robot, _, said)
        expect.truthy(said():find(words, 1, true), said())
        local word, _, result = robot:set_speed { x = 0.1 }
        expect.equal("ERROR link", word .. " " .. result.reason)
        robot:panic()
        robot:reset()
        objects.GO = nil
        for name, object in pairs(usual()) do objects[name] = object end
        rt.sleep(5)
        expect.truthy(said():find("pioneer2: rctp: connected", 1, true), said())
        expect.equal(nil, said():find("stack traceback", 1, true))
      end)
    end)
  end

  it("may tell a part of its values, and what is no number is left out", function()
    local objects = usual()
    objects.joints_state[1], objects.base_state[1] = "2f mask=yes", "6f mask=yes"
    with(objects, function(robot, port)
      local joints, base = port.ids.joints_state, port.ids.base_state
      port.tell(frame(string.pack(">BBf", joints, 1, 0.5))) -- pan alone
      port.tell(frame(string.pack(">BBff", base, 3, 1, 2))) -- x and y alone
      rt.sleep(0.1)
      port.tell(frame(string.pack(">BBf", joints, 2, 0.25))) -- tilt
      port.tell(frame(string.pack(">BBffffff", base, 63, 1, 2, 0.5, 1e30, 0, 0)))
      rt.sleep(0.1)
      expect.near(0.5, robot:state().joints.head.pan, 1e-6)
      expect.near(0.25, robot:state().joints.head.tilt, 1e-6)
      expect.near(2, robot:state().y, 1e-6)
      expect.equal(0, robot:state().twist[1])
    end)
  end)

  it("may say in its file alone what messages are made of", function()
    local objects = usual()
    local function control(kind, name, fields, ...)
      local data = {}
      for i, type in ipairs { ... } do data[i] = ('%sData { name "p%d" value_type %d }'):format(kind, i, type) end
      return ('%s { name "%s" %s %sData [ %s ] }'):format(kind, name, fields, kind, table.concat(data, " "))
    end
    objects.FILE = ("#VRML V2.0 utf8\nRCML_Robot { inputs [ %s %s ] outputs [ %s %s ] }"):format(
      control("RCML_ControlInput", "wheels", "time_stamp_size 4", 0, 0),
      control("RCML_ControlInput", "head", "time_stamp_size 2 data_mask TRUE", 0, 1),
      control("RCML_ControlOutput", "joints_state", "data_mask TRUE", 0, 0),
      control("RCML_ControlOutput", "base_state", "", 0, 0, 0, 0, 0, 0))
    with(objects, function(_, _, said) -- it says nothing of the base
      expect.truthy(said():find("base: the reply has no Layout, and no file says", 1, true), said())
    end)
    objects.FILE = objects.FILE:gsub("wheels", "base")
    with(objects, function(robot, port)
      local sent = ""
      port.write = function(_, bytes)
        sent = sent .. bytes
        return #bytes
      end
      port.tell(frame(string.pack(">BBff", port.ids.joints_state, 3, 0.5, 0.25)))
      rt.sleep(1)
      expect.near(0.5, robot:state().joints.head.pan, 1e-6)
      robot:begin("set_joint", "head", { tilt = 2 })
      rt.sleep(0.1)
      local stamp = sent:match(frame(string.pack(">BI2Bi4", port.ids.head, 1, 2, 2)):gsub("\0\1\2", "(..)\2"))
      expect.truthy(stamp, (sent:gsub(".", function(c) return ("%02x "):format(c:byte()) end)))
    end)
  end)

  it("stops everything where it does not know how to stop a part", function()
    with(usual(), function(robot, port)
      local sent, word = "", nil
      port.write = function(_, bytes)
        sent = sent .. bytes
        return #bytes
      end
      rt.sleep(1) -- it has waited for a state
      robot:begin("set_joint", "head", { pan = 1 })
      rt.sleep(0.1)
      rt.spawn(function() word = robot:stop "head" end)
      rt.sleep(0.1)
      local function said(words) return sent:find(frame(string.pack(">Bs4", port.ids.command, words)), 1, true) end
      expect.truthy(said "stop head")
      expect.equal(nil, said "stop")
      port.tell(frame(string.pack(">BBI2s2", 255, port.ids.command, 400, "")))
      rt.sleep(0.1)
      expect.truthy(said "stop")
      port.tell(frame(string.pack(">BBI2s2", 255, port.ids.command, 200, "")))
      rt.sleep(0.1)
      expect.equal("SUCCESS", word)
    end)
  end)

  it("may send messages that nobody knows, and go on", function()
    with(usual(), function(robot, port)
      port.tell(frame "\200unknown" .. frame(string.pack(">BB", port.ids.joints_state, 0)) -- one that is cut
        .. frame "" .. "")
      rt.sleep(0.1)
      local word, _, result = robot:set_joint("head", { pan = 0.1 })
      expect.equal("ERROR link", word .. " " .. result.reason) -- a frame of nothing ends it
    end)
    with(usual(), function(robot, port)
      port.tell(frame "\200unknown" .. frame(string.pack(">BB", port.ids.joints_state, 0))
        .. frame(string.pack(">Bff", port.ids.joints_state, 0.25, 0)))
      rt.sleep(0.1)
      expect.near(0.25, robot:state().joints.head.pan, 1e-6)
    end)
  end)

  it("says nothing to a terminal but text", function()
    local objects = usual()
    objects.base = "500 \27[2J\r\nMessage: \27]0;title\7\r\n\r\n"
    with(objects, function(_, _, said)
      expect.truthy(said():find("base: 500 \u{FFFD}]0;title\u{FFFD}", 1, true), said())
    end)
    objects.base = "409 Busy\r\nHolder: \27[31manna\r\nRetry-After: 1\r\n\r\n"
    with(objects, function(robot, port, said)
      local _, why = robot:set_joint("head", { pan = 0.1 })
      expect.truthy(why:find("\u{FFFD}[31manna", 1, true), why)
      port.tell(frame(string.pack(">BBI2s2", 255, 0, 410, "\27[2J")))
      rt.sleep(0.1)
      expect.truthy(said():find("rctp: \u{FFFD}[2J", 1, true), said())
    end)
  end)

  it("is used as it is, whatever it had while it could not be used", function()
    local objects = usual()
    local base = objects.base
    objects.base, objects.joints_state, objects.base_state = nil, nil, "500 Internal Error\r\n\r\n"
    with(objects, function(_, _, said)
      expect.truthy(said():find("rctp: base_state: 500 Internal Error", 1, true))
      objects.base, objects.base_state = base, usual().base_state
      rt.sleep(5)
      expect.truthy(said():find("pioneer2: rctp: connected", 1, true), said())
    end)
  end)

  it("is found when it begins later than the robot here", function()
    local objects = { command = "503 Not Ready\r\n\r\n" }
    with(objects, function(robot, _, said)
      expect.truthy(said():find("pioneer2: rctp: command: 503 Not Ready", 1, true))
      local word, _, result = robot:set_joint("head", { pan = 0.1 })
      expect.equal("ERROR link", word .. " " .. result.reason)
      for name, object in pairs(usual()) do objects[name] = object end
      rt.sleep(1)
      expect.truthy(said():find("pioneer2: rctp: connected", 1, true))
    end)
  end)

end)
