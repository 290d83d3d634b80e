-- RoboTalk for LuaJIT: a client over robotalk.h, and over nothing else. Nothing calls back into Lua: what has
-- happened is pulled as events. Times are in seconds, by the clock of robotalk.now(). A function that fails returns
-- nil, a message and a code; a wrong argument raises.
local ffi = require "ffi"
local spec = require "robotalk_spec"

assert(ffi.arch == "x64" or ffi.arch == "arm64", "ids are passed as integers there (spec.lua)")
ffi.cdef(spec.cdef)
ffi.cdef "struct robotalk_client { robo_client *handle; };"
local lib = ffi.load(os.getenv "ROBOTALK_LIBRARY" or "librobotalk.so.0")
if lib.robo_api_version() ~= lib.ROBO_API_VERSION then
  error(("librobotalk has version %d of its API, robotalk.lua was made for %d"):format(lib.robo_api_version(),
    lib.ROBO_API_VERSION))
end

local NEW_COMMAND, NEW_RESULT, NEW_EVENT = ffi.typeof "struct robo_cmd[?]", ffi.typeof "struct robo_result",
  ffi.typeof "struct robo_event"
local NO_TIME = -0x7fffffffffffffffLL - 1 -- ROBO_NO_TIME and ROBO_AT_ONCE, which are macros

local codes = {} -- by number
for name, number in spec.cdef:gmatch "ROBO_(E%u+) = %-(%d+)" do codes[tonumber(number)] = name end
local signals, reasons, ops = {}, {}, {}
for number = 1, 7 do signals[number] = ffi.string(lib.robo_signal_name(number)):upper() end
for number = 0, 255 do reasons[number] = ffi.string(lib.robo_reason_name(number)) end
for name, command in pairs(spec.commands) do ops[command.op] = name end
for name, query in pairs(spec.queries) do ops[query.op] = name end
for number, name in pairs(spec.notices) do ops[number] = name end

local function failure(error, why)
  error = tonumber(error)
  return nil, why and why ~= "" and why or ffi.string(lib.robo_strerror(error)), codes[-error] or "UNKNOWN"
end

local function done(error)
  if error < 0 then return failure(error) end
  return true
end

local function to_time(seconds) return ffi.cast("robo_time", math.floor(seconds * 1e9 + 0.5)) end
local function to_seconds(time) return tonumber(time) / 1e9 end

-- ---- structs and tables ----

-- The members of a struct by the names of their fields.
local function by_name(members)
  local names = {}
  for _, member in ipairs(members) do names[member[4]] = member end
  return names
end
for _, row in pairs(spec.commands) do row.names = by_name(row.members) end
for _, row in pairs(spec.queries) do row.names = by_name(row.members) end

-- Fills a struct from a table of fields. names: those that there are; what: for errors, which are the caller's
-- caller's.
local function fill(struct, names, fields, what)
  for name, value in pairs(fields) do
    local member = names[name]
    if not member then
      if name ~= "start" and name ~= "command" then
        error(("%s has no field '%s'"):format(what, tostring(name)), 3)
      end
    else
      local to, kind, count = member[1], member[2], member[3]
      if count then
        local given = type(count) == "number" and count or #value
        if #value > (member[5] or given) then error(("%s: field '%s' is too long"):format(what, name), 3) end
        for i = 1, given do struct[to][i - 1] = value[i] or 0 end
        if given ~= count then struct[count] = given end -- as many as were given
      elseif kind == "time" then
        struct[to] = to_time(value)
      elseif kind == "text" then
        if #value >= ffi.sizeof(struct[to]) then error(("%s: field '%s' is too long"):format(what, name), 3) end
        ffi.copy(struct[to], value)
      else
        struct[to] = value == true and 1 or value or 0
      end
    end
  end
end

local function to_lua(value, kind)
  if kind == "time" then return to_seconds(value) end
  if kind == "text" then return ffi.string(value) end
  return tonumber(value)
end

-- A table of a struct's fields.
local function fields_of(struct, members)
  local fields = {}
  for _, member in ipairs(members) do
    local from, kind, count, name = member[1], member[2], member[3], member[4]
    if count then
      local list = {}
      for i = 1, type(count) == "number" and count or tonumber(struct[count]) do
        list[i] = to_lua(struct[from][i - 1], kind)
      end
      fields[name] = list
    else
      fields[name] = to_lua(struct[from], kind)
    end
  end
  return fields
end

-- ---- frames ----

local SERVO = { setpoint = lib.ROBO_SERVO_SETPOINT, speed = lib.ROBO_SERVO_SPEED, force = lib.ROBO_SERVO_FORCE }
local MOVE_FIELDS = { place = true, speed = true, dofs = true, frames = true, start = true, command = true }

local function servo_of(part)
  return SERVO[part.servo or "setpoint"] or error(("move: there is no servo '%s'"):format(tostring(part.servo)), 4)
end

-- A frame, { place = or speed = { x, y, theta }, dofs = { { dof =, value =, servo =, velocity =, limit = }, … },
-- frames = { { frame =, value = { … }, servo =, free = }, … } }: a struct robo_move, and what must live as long.
local function move_of(fields)
  for name in pairs(fields) do
    if not MOVE_FIELDS[name] then error(("move has no field '%s'"):format(tostring(name)), 3) end
  end
  local dofs, frames = {}, fields.frames or {}
  for i, part in ipairs(fields.dofs or {}) do dofs[i] = part end
  table.sort(dofs, function(a, b) -- as a move wants them
    local x, y = servo_of(a), servo_of(b)
    if x ~= y then return x < y end
    return a.dof < b.dof
  end)
  local dof, frame = ffi.new("struct robo_move_dof[?]", #dofs), ffi.new("struct robo_move_frame[?]", #frames)
  local move = ffi.new("struct robo_move", { dofs = #dofs, frames = #frames, dof = dof, frame = frame })
  local base = fields.place or fields.speed
  if base then
    move.parts = fields.place and lib.ROBO_MOVE_PLACE or lib.ROBO_MOVE_SPEED
    for i = 1, 3 do move.base[i - 1] = base[i] or 0 end
  end
  for i, part in ipairs(dofs) do
    local to = dof[i - 1]
    to.dof, to.servo, to.value = part.dof, servo_of(part), part.value
    to.velocity, to.limit = part.velocity or 0, part.limit or 0
    if part.velocity then move.parts = bit.bor(move.parts, lib.ROBO_MOVE_VELOCITIES) end
    if part.limit then move.parts = bit.bor(move.parts, lib.ROBO_MOVE_LIMITS) end
  end
  for i, part in ipairs(frames) do
    local to = frame[i - 1]
    to.frame, to.servo, to.free = part.frame, servo_of(part), part.free and 1 or 0
    for k = 1, 6 do to.value[k - 1] = part.value[k] or 0 end
  end
  return move, { move, dof, frame }
end

-- ---- sessions ----

local Session = {}
Session.__index = Session

-- Sends commands as one package, and waits for nothing: { command = "go_to", x = 1, start = …, … }, … The id of the
-- first; the others follow on. self.revision is that of the robot's description whose numbers of joints they use.
function Session:send(commands)
  local handle = self.client.handle
  if handle == nil then return failure(lib.ROBO_ECLOSED) end
  local n = #commands
  local cmds, keep = NEW_COMMAND(n), {}
  for i = 1, n do
    local fields, cmd = commands[i], cmds[i - 1]
    local command = spec.commands[fields.command]
    if not command then error(("there is no command '%s'"):format(tostring(fields.command)), 2) end
    cmd.op, cmd.revision = command.op, self.revision
    cmd.start = fields.start and to_time(fields.start) or NO_TIME
    if fields.command == "move" then
      cmd.body.move, keep[i] = move_of(fields)
    else
      fill(command.member and cmd.body[command.member] or nil, command.names, fields, fields.command)
    end
  end
  local id = lib.robo_send(handle, self.number, cmds, n)
  assert(keep) -- what the moves point to lives until here
  if id < 0 then return failure(id) end
  return tonumber(id)
end

-- Each command is a method too: session:go_to{ x = 1, y = 2 }, its id.
for name, command in pairs(spec.commands) do
  Session[name] = function(self, fields) -- but a frame, which is below
    local handle = self.client.handle
    if handle == nil then return failure(lib.ROBO_ECLOSED) end
    local cmds = NEW_COMMAND(1)
    local cmd = cmds[0]
    cmd.op, cmd.revision, cmd.start = command.op, self.revision, NO_TIME
    if fields then
      if fields.start then cmd.start = to_time(fields.start) end
      fill(command.member and cmd.body[command.member] or nil, command.names, fields, name)
    end
    local id = lib.robo_send(handle, self.number, cmds, 1)
    if id < 0 then return failure(id) end
    return tonumber(id)
  end
end

-- A frame: all of it begins together, is answered together, and what the body lacks is left out.
function Session:move(fields)
  local command = { command = "move" }
  for name, value in pairs(fields) do command[name] = value end
  return self:send { command }
end

-- Sends a query and returns its id; client:reply has the answer when its event has come.
function Session:request(query, fields) return self.client:request(query, fields, self.number) end
-- The same, and waits for the answer, a table.
function Session:ask(query, fields, timeout) return self.client:ask(query, fields, timeout, self.number) end
function Session:state(timeout) return self:ask("state", nil, timeout) end

-- The mask of sensors, by their numbers.
local function mask_of(sensors)
  local mask = {}
  for _, number in ipairs(sensors) do
    local at = math.floor(number / 8) + 1
    for i = #mask + 1, at do mask[i] = 0 end
    mask[at] = bit.bor(mask[at], bit.lshift(1, number % 8))
  end
  return mask
end

-- The readings of an answer to sense, watch or record: a list of { sensor, number, time, value = { … } }. number 0:
-- none has come yet. A value that is not known is NaN.
local function readings_of(answer)
  local list, from = {}, 0
  for i, sensor in ipairs(answer.sensor) do
    local value = {}
    for k = 1, answer.values[i] do value[k] = answer.value[from + k] end
    from = from + answer.values[i]
    list[i] = { sensor = sensor, number = answer.number[i], time = answer.time[i], value = value }
  end
  return list
end

-- The newest readings of sensors, a list of their numbers (robotalk check --json tells them).
function Session:sense(sensors, timeout)
  local answer, why, code = self:ask("sense", { mask = mask_of(sensors) }, timeout)
  if not answer then return nil, why, code end
  return readings_of(answer)
end

-- Asks for them whenever there are new ones, so many times a second at most: the query's id. Each answer is an event
-- "reply", "watch" with that id; client:reply(id, "watch") has it, and robotalk.readings its readings. Ended by
-- ask("broadcast_cancel", { broadcast = id }).
function Session:watch(sensors, rate)
  return self:request("watch", { period = 1 / rate, mask = mask_of(sensors) })
end

local FORMATS = { jpeg = lib.ROBO_JPEG, rgb = lib.ROBO_RGB, gray = lib.ROBO_GRAY }
local PICTURE = { format = true, quality = true, width = true, height = true, after = true, window = true }

-- What is asked of a camera, by its number (robotalk check --json tells them).
local function picture_of(camera, options, period)
  local fields = { camera = camera, quality = 80, window = 65536, period = period }
  for name, value in pairs(options or {}) do
    if not PICTURE[name] then error(("a picture has no field '%s'"):format(tostring(name)), 3) end
    fields[name] = value
  end
  fields.format = FORMATS[fields.format or "jpeg"] or error("format: want jpeg, rgb or gray", 3)
  return fields
end

-- A picture of a camera: { bytes =, format =, width =, height =, number =, time = }. options: format (jpeg, rgb, gray),
-- quality (80), width and height (pixels at most), after (number of a picture: a newer one), window (bytes under way).
function Session:picture(camera, options, timeout)
  return self:ask("picture", picture_of(camera, options, 0), timeout)
end

-- Asks for new pictures, so many a second at most (as many as there are): the query's id. Each answer is an event
-- "reply", "view" with that id; client:reply(id, "view") has it. Ended by ask("broadcast_cancel", { broadcast = id }).
function Session:view(camera, options, rate)
  return self:request("view", picture_of(camera, options, rate and 1 / rate or 0.001))
end

-- Panic of its robot, and the end of one.
function Session:panic()
  if self.client.handle == nil then return failure(lib.ROBO_ECLOSED) end
  return done(lib.robo_client_panic(self.client.handle, self.number))
end
function Session:reset()
  if self.client.handle == nil then return failure(lib.ROBO_ECLOSED) end
  return done(lib.robo_client_reset(self.client.handle, self.number))
end

function Session:close()
  if self.client.handle ~= nil then lib.robo_session_end(self.client.handle, self.number) end
end

-- ---- clients ----

local Client = {}

local TIMES = { delay = true, duration = true, deadman = true, gap = true, expiry = true }
local TEXTS = { robot = true, mode = true, options = true }

-- Opens a session and waits for it: { robot =, mode =, options =, delay =, duration =, deadman =, gap =, expiry =,
-- errors_only =, newest = }, each of which may be missing. expiry = false: commands never expire. errors_only = true:
-- only results other than SUCCESS come, and the notice "settled" after a query "finish". newest = true: of commands
-- that wait, those that a newer one replaces are not run.
function Client:session(fields, timeout)
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  local options = ffi.new "struct robo_session_options"
  options.size = ffi.sizeof(options)
  for name, value in pairs(fields or {}) do
    if name == "expiry" and value == false then options.expiry = -1000
    elseif name == "errors_only" or name == "newest" then options[name] = value and 1 or 0
    elseif TIMES[name] then options[name] = to_time(value)
    elseif TEXTS[name] then options[name] = value
    else error(("session has no field '%s'"):format(tostring(name)), 2) end
  end
  local number = lib.robo_session(self.handle, options, to_time(timeout or 5))
  if number < 0 then return failure(number) end
  return setmetatable({ client = self, number = tonumber(number), revision = 0 }, Session)
end

function Client:request(query, fields, session)
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  local row = spec.queries[query]
  if not row then error(("there is no query '%s'"):format(tostring(query)), 2) end
  local request = row.request and ffi.new(row.request) or nil
  if fields then fill(request, row.names, fields, query) end
  local id = lib.robo_request(self.handle, session or 0, row.op, request)
  if id < 0 then return failure(id) end
  return tonumber(id)
end

-- Waits until the answer to a command or a query has come.
function Client:wait(id, timeout)
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  return done(lib.robo_wait(self.handle, id, to_time(timeout or 5)))
end

-- What became of a command: its signal, its reason and the whole result; false when it has not come.
function Client:take(id)
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  local result = NEW_RESULT()
  local taken = lib.robo_take(self.handle, id, result, ffi.sizeof(result))
  if taken < 0 then return failure(taken) end
  if taken == 0 then return false end
  return signals[result.signal], reasons[result.reason], result
end

-- What became of the parts of a frame, before its result is taken: those that did not end in success;
-- none when all ended as the whole.
local PARTS = { [0] = "base", "dof", "frame" }
function Client:parts(id)
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  local n = lib.robo_parts(self.handle, id, nil, 0)
  if n < 0 then return failure(n) end
  local list, parts = {}, ffi.new("struct robo_part[?]", n)
  lib.robo_parts(self.handle, id, parts, n)
  for i = 1, n do
    local part = parts[i - 1]
    list[i] = { kind = PARTS[part.kind], number = part.number, signal = signals[part.signal],
      reason = reasons[part.reason] }
  end
  return list
end

-- Waits for it.
function Client:result(id, timeout)
  local ok, why, code = self:wait(id, timeout)
  if not ok then return nil, why, code end
  return self:take(id)
end

local NEW_PICTURE = ffi.typeof "struct robo_picture"
local FORMAT_NAMES = { [lib.ROBO_JPEG] = "jpeg", [lib.ROBO_RGB] = "rgb", [lib.ROBO_GRAY] = "gray" }

local function take_picture(handle, id)
  local p = NEW_PICTURE()
  local taken = lib.robo_take_reply(handle, id, p, ffi.sizeof(p))
  if taken < 0 then return failure(taken) end
  return taken > 0 and { number = tonumber(p.number), time = to_seconds(p.time), width = p.width, height = p.height,
    format = FORMAT_NAMES[p.format], bytes = ffi.string(p.bytes, p.size) }
end

-- The answer to a query, as a table; false when it has not come.
function Client:reply(id, query)
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  if query == "picture" or query == "view" then return take_picture(self.handle, id) end
  local name = spec.queries[query].reply
  local reply = name and ffi.new(name) or nil
  local taken = lib.robo_take_reply(self.handle, id, reply, name and ffi.sizeof(name) or 0)
  if taken < 0 then return failure(taken) end
  if taken == 0 then return false end
  return name and fields_of(reply, spec.structs[name]) or {}
end

function Client:ask(query, fields, timeout, session)
  local id, why, code = self:request(query, fields, session)
  if not id then return nil, why, code end
  local ok
  ok, why, code = self:wait(id, timeout)
  if not ok then return nil, why, code end
  return self:reply(id, query)
end

-- Reads, writes and works on what has come, waiting for `wait` seconds at most. How many events there are to take.
function Client:poll(wait)
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  local n = lib.robo_poll(self.handle, to_time(wait or 0))
  if n < 0 then return failure(n) end
  return n
end

local KINDS = { [lib.ROBO_EVENT_RESULT] = "result", [lib.ROBO_EVENT_REPLY] = "reply",
  [lib.ROBO_EVENT_NOTICE] = "notice", [lib.ROBO_EVENT_LINK] = "link" }
local event = NEW_EVENT()

-- The next event, or nil: its kind ("result", "reply", "notice" or "link"), the command, query or notice (of a link
-- "up", or the code for which it is down), the id, the number of the session.
function Client:next()
  if self.handle == nil or lib.robo_next_event(self.handle, event, ffi.sizeof(event)) == 0 then return nil end
  local kind = KINDS[event.kind]
  local what = kind == "link" and (event.op == 0 and "up" or codes[event.op]) or ops[event.op]
  return kind, what, tonumber(event.id), tonumber(event.session)
end

-- for kind, what, id, session in client:events(wait) do: waits for `wait` seconds at most when there is none, and
-- gives all that there are.
function Client:events(wait)
  if self.handle ~= nil and wait and lib.robo_poll(self.handle, 0) == 0 then
    lib.robo_poll(self.handle, to_time(wait))
  end
  return Client.next, self
end

-- "up", "connecting", or nil, message, code when it is down.
function Client:link()
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  local state = lib.robo_client_state(self.handle)
  if state < 0 then return failure(state) end
  return state == 1 and "up" or "connecting"
end

-- The server's clock minus this one and how far that may be off, seconds.
function Client:clock()
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  local offset, uncertainty = ffi.new "robo_time[1]", ffi.new "robo_time[1]"
  local error = lib.robo_clock_offset(self.handle, offset, uncertainty)
  if error < 0 then return failure(error) end
  return to_seconds(offset[0]), to_seconds(uncertainty[0])
end

-- For a loop of the program's own: a descriptor that is readable when client:poll(0) has something to do.
function Client:fd()
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  local fd = lib.robo_loop_fd(lib.robo_client_loop(self.handle))
  if fd < 0 then return failure(fd) end
  return fd
end

-- Panic of every robot of the server.
function Client:panic()
  if self.handle == nil then return failure(lib.ROBO_ECLOSED) end
  return done(lib.robo_client_panic(self.handle, 0))
end

-- Closes the connection and its sessions; so does the collector.
function Client:close()
  if self.handle ~= nil then lib.robo_disconnect(self.handle) end
  self.handle = nil
end

local NEW_CLIENT = ffi.metatype("struct robotalk_client", { __index = Client, __gc = Client.close })

-- Instants of a result, in seconds: result:time "executed"; nil for a command that never began.
ffi.metatype("struct robo_result", { __index = { time = function(self, name)
  local time = self[name]
  if time ~= NO_TIME then return to_seconds(time) end
end } })

-- ---- the library ----

local world
local function the_world()
  world = world or ffi.gc(lib.robo_open(nil), lib.robo_close)
  return world
end

local robotalk = { lib = lib, commands = {}, queries = {}, readings = readings_of }
for name in pairs(spec.commands) do robotalk.commands[#robotalk.commands + 1] = name end
for name in pairs(spec.queries) do robotalk.queries[#robotalk.queries + 1] = name end
table.sort(robotalk.commands)
table.sort(robotalk.queries)

function robotalk.now() return to_seconds(lib.robo_now(the_world())) end

local ROLES = { watch = lib.ROBO_ROLE_WATCH, drive = lib.ROBO_ROLE_DRIVE, operate = lib.ROBO_ROLE_OPERATE }
local CLIENT_OPTIONS = { role = true, reconnect = true, token = true }

-- A client of the server at that address, robotalk://host[:port] or unix:PATH; waits for it, 5 seconds unless told.
-- options: role = "watch", "drive" or "operate", what it wants to be allowed (operate unless told); reconnect = true:
-- it comes back after a lost link, with all sessions; token = who it is, for a server that asks (or token=FILE behind
-- the address).
function robotalk.connect(url, timeout, options)
  for name in pairs(options or {}) do
    if not CLIENT_OPTIONS[name] then _G.error(("connect has no option '%s'"):format(tostring(name)), 2) end
  end
  local asked = ffi.new "struct robo_client_options"
  asked.size = ffi.sizeof(asked)
  if options then
    asked.reconnect = options.reconnect and 1 or 0
    asked.token = options.token -- a text that the caller holds
    asked.role = ROLES[options.role or "operate"] or _G.error(("there is no role '%s'"):format(options.role), 2)
  end
  local error, why = ffi.new "int[1]", ffi.new "char[256]"
  local loop = lib.robo_loop_open(the_world())
  if loop == nil then return failure(lib.ROBO_ESYSTEM) end
  local handle = lib.robo_client_open(loop, url, asked, error, why)
  lib.robo_loop_close(loop) -- its only user is the client
  if handle == nil then return failure(error[0], ffi.string(why)) end
  local client = NEW_CLIENT(handle)
  error[0] = lib.robo_client_wait(handle, to_time(timeout or 5), why)
  if error[0] == 0 then return client end
  client:close()
  return failure(error[0], ffi.string(why))
end

return robotalk
