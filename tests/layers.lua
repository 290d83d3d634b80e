-- Layers, and the arrows that are allowed between them: lua5.4 tests/layers.lua librobotalk.so MADE OBJECTS, from the
-- top of the tree; MADE is the folder with the C files of spec/gen.lua, OBJECTS the one with core/'s objects. Reads the
-- #include lines, what comes in through them, the symbols of the library, and those of core/robot's objects; prints
-- file:line of what is forbidden and exits with 1.

local function set(words)
  local t = {}
  for word in words:gmatch "%S+" do t[word] = true end
  return t
end

-- Own folders whose headers a folder may include; the public ones are core/robotalk.h and those in core/robotalk/,
-- which all may include. tests/ sees everything but Lua. The simulator in tests/faults sees no other tests; its program
-- sees the Lua binding.
local MAY = {
  core = set "core",
  protocols = set "core protocols",
  drivers = set "core protocols drivers",
  faults = set "core protocols drivers faults",
  bindings = set "bindings",
  tests = set "core protocols drivers faults tests",
}

-- The rooms of core: each may know itself and those before it. The public headers stand beside them.
local ROOMS = { base = 1, picture = 2, store = 3, body = 4, motion = 5, robot = 6, net = 7 }

-- The five parts of core/robot, with the other parts that each may know: they see the robot as a port and sessions as
-- movers, and nothing of what holds these. Nobody's inside.h is for other parts.
local PARTS = { world = set "", axes = set "", timeline = set "axes", devices = set "axes world",
  senses = set "devices" }
-- Each part calls itself and those before it, and has one of these headers for others, besides the fronts below.
local RANK <const> = { world = 1, axes = 2, timeline = 3, devices = 4, senses = 5 }
local HEADS = set [[core/robot/axes/axes.h core/robot/timeline/timeline.h core/robot/devices/device.h
  core/robot/senses/senses.h core/robot/world/inside.h]]
-- Functions and data of one part of core/robot, any folder there, that others of core/robot use: so many at most.
local MOST <const> = 15

-- What others than core/robot may see of it. These headers know nothing of the rest.
local FRONTS = set [[core/robot/client.h core/robot/facts.h core/robot/axes/identity.h
  core/robot/timeline/alarm.h core/robot/timeline/arrivals.h core/robot/timeline/mode.h core/robot/timeline/modes.h
  core/robot/timeline/delay_estimate.h core/robot/journal.h core/robot/reports.h core/robot/devices/handle.h
  core/robot/senses/camera.h core/robot/senses/gripping.h core/robot/senses/readings.h core/robot/world/scenery.h
  core/robot/world/surroundings.h core/robot/world/world.h]]

local function part_of(path)
  return path:match "^core/robot/(%w+)/"
end

-- Whether a file of a part may not know this header of core/robot.
local function is_beyond(file, path)
  local part, other = part_of(file), part_of(path)
  if not PARTS[part] or part == other or not path:match "^core/robot/" then return false end
  if path == "core/robot/event.h" or path == "core/robot/axes/identity.h" then return false end
  return not PARTS[part][other] or path:match "/inside%.h$" ~= nil
end

local function is_public(path) return path == "core/robotalk.h" or path:match "^core/robotalk/[%w_]+%.h$" ~= nil end

local function room_of(path)
  local room = path:match "^core/(%w+)/"
  return ROOMS[room] and room
end

-- Whether it lies in a folder of core that is no room.
local function is_stray(path)
  local room = path:match "^core/(%w+)/"
  return room ~= nil and room ~= "robotalk" and not ROOMS[room]
end

local function folder_of(path)
  return path:match "^tests/(faults)/" or path:match "^(%w+)/"
end

local LUA = set "lua.h lauxlib.h lualib.h luaconf.h lua.hpp lj.h luajit.h"
local LIBC = set [[assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h
  math.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
  stdnoreturn.h string.h strings.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h endian.h]]
local POSIX = set [[dirent.h fcntl.h pthread.h sched.h semaphore.h unistd.h sys/types.h sys/stat.h sys/time.h
  sys/resource.h sys/statvfs.h sys/random.h sys/mman.h sys/prctl.h sys/syscall.h dlfcn.h]]
local SOCKETS = set [[sys/socket.h sys/un.h sys/uio.h sys/epoll.h sys/eventfd.h sys/timerfd.h sys/select.h
  sys/ioctl.h poll.h netdb.h netinet/in.h netinet/tcp.h netinet/ip.h net/if.h arpa/inet.h
  sys/wait.h net/if_arp.h linux/if_tun.h]]
local EV = set "core/net/loop.c core/net/loop_memory.c"
local EV_HEADERS = set "ev.h malloc.h"
local OPENSSL = set [[core/net/openssl.h core/net/openssl.c core/net/tls.c core/net/tls_keys.c core/net/secret.c
  core/net/keys.c]]
local JPEG = set "jpeglib.h jerror.h"
local CYCLONE = set "core/net/cyclone.h core/net/cyclone.c"
local ZLIB = set "zlib.h"
local GIFLIB = set "gif_lib.h"

-- What is wrong with this system header in this file, or nil.
local function system_include(file, header)
  local folder = folder_of(file)
  if LUA[header] and not file:match "^bindings/lua/" then
    return "only bindings/lua may include " .. header
  end
  if folder == "core" then
    if EV_HEADERS[header] then return not EV[file] and "only the loop knows libev" or nil end
    if header:find "^openssl/" then
      return not OPENSSL[file] and "only TLS knows OpenSSL" or nil
    end
    if header:find "^dds/" then
      return not CYCLONE[file] and "only core/net/cyclone.[ch] know CycloneDDS" or nil
    end
    if JPEG[header] then return file ~= "core/picture/jpeg.c" and "only core/picture/jpeg.c knows libjpeg" or nil end
    if GIFLIB[header] then return file ~= "core/picture/gif.c" and "only core/picture/gif.c knows giflib" or nil end
    if ZLIB[header] then return file ~= "core/base/gzip.c" and "only core/base/gzip.c knows zlib" or nil end
    if LIBC[header] or POSIX[header] then return nil end
    if not SOCKETS[header] then return "core knows libc, libm and POSIX, not " .. header end
    if room_of(file) ~= "net" then return "only core/net knows " .. header end
  elseif folder == "protocols" then
    if header == "wslay/wslay.h" then
      return file ~= "protocols/web/websocket.c" and "only protocols/web/websocket.c knows libwslay" or nil
    end
    if not LIBC[header] then return "protocols are pure functions over core, without " .. header end
  end
end

-- Takes "." and ".." out of a path.
local function normal(path)
  local parts = {}
  for part in path:gmatch "[^/]+" do
    if part == ".." and #parts > 0 then parts[#parts] = nil
    elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

-- The path of #include "name" in this file, or nil. exists(path) tells what the tree holds.
local function path_of(file, name, exists)
  local places = { file:match "^(.*)/[^/]*$", "core", "protocols", "drivers", "tests/faults", "bindings/lua" }
  for _, place in ipairs(places) do
    local path = normal(place .. "/" .. name)
    if exists(path) then return path end
  end
end

-- A fuzzer may feed the Lua binding, as the program does, with the simulator or without; the watchdog of scripts has a
-- test in C.
local function feeds(file)
  return file:match "^tests/fuzz/" or file:match "^bindings/" or file == "tests/watchdog_test.c"
    or file == "tests/faults/program.c"
end

-- What is wrong with this #include "name", or nil.
local function own_include(file, name, exists)
  local folder, path = folder_of(file), path_of(file, name, exists)
  if path then
    local target = folder_of(path)
    if is_public(file) and not is_public(path) then return "a public header may not know " .. path end
    if not MAY[folder][target] and not is_public(path) and not (target == "bindings" and feeds(file)) then
      return ("%s may not know %s"):format(folder, path)
    end
    if is_beyond(file, path) then return ("the part %s may not know %s"):format(part_of(file), path) end
    local part = part_of(path)
    if RANK[part] and part ~= part_of(file) and file:match "^core/robot/" and not HEADS[path] and not FRONTS[path] then
      return ("this is inside the part %s: %s"):format(part, path)
    end
    local outside = FRONTS[file] or not (file:match "^core/robot/" or file:match "^tests/")
    if outside and path:match "^core/robot/" and not FRONTS[path] then
      return "this is inside core/robot: " .. path
    end
    local from, to = room_of(file), room_of(path)
    if from and to and ROOMS[to] > ROOMS[from] then return ("core/%s may not know %s"):format(from, path) end
    return nil
  end
  if LUA[name] or name == "ev.h" then return system_include(file, name) end
  return name .. ": no such header in the tree; those of the system stand in <>"
end

-- Calls fn(line, system header or nil, own header or nil) for each #include in the text of a file.
local function each_include(text, fn)
  local n = 0
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    n = n + 1
    local rest = line:match "^%s*#%s*include%s*(.*)" or line:match "^%s*#%s*include_next%s*(.*)"
    if rest then fn(n, rest:match "^<([^>]+)>", rest:match '^"([^"]+)"') end
  end
end

-- Calls report(file, line, message) for each violation in the text of a file.
local function check(file, text, exists, report)
  each_include(text, function(n, system, own)
    local message
    if system then message = system_include(file, system)
    elseif own then message = own_include(file, own, exists)
    else message = "an #include must name its header" end
    if message then report(file, n, message) end
  end)
end

-- The bindings take nothing from inside by a declaration of their own, either.
local function check_bindings(texts, report)
  for file, text in pairs(texts) do
    local n = 0
    for line in (file:match "^bindings/" and text or ""):gmatch "([^\n]*)\n" do
      n = n + 1
      local name = line:match "%f[%w_][Rr][Oo][Bb][Oo]__[%w_]+"
      if name then report(file, n, ("the bindings may not know %s"):format(name)) end
    end
  end
end

-- The parts of core/robotalk.h, which are what it includes, know those before them alone: there is no circle.
local function check_parts(texts, report)
  local before, n = {}, 0
  each_include(texts["core/robotalk.h"], function(_, _, own)
    each_include(own and texts["core/" .. own] or "", function(line, _, part)
      if part and not before[part] then
        report("core/" .. own, line, "does not come before this in core/robotalk.h: " .. part)
      end
    end)
    if own then before[own], n = true, n + 1 end
  end)
  return n
end

-- What comes in through headers: libev, Lua and sockets are seen by nobody who may not include them. texts: of all
-- files, by path.
local function check_reach(texts, report)
  local own, system = {}, {}
  local function exists(path) return texts[path] end
  for file, text in pairs(texts) do
    own[file], system[file] = {}, {}
    each_include(text, function(n, far, near)
      local path = near and path_of(file, near, exists)
      if path then table.insert(own[file], { path, n }) end
      local told = far and (LUA[far] or EV_HEADERS[far] or SOCKETS[far] or far:find "^openssl/")
      if told then table.insert(system[file], far) end
    end)
  end
  for file in pairs(texts) do
    for _, first in ipairs(own[file]) do
      local seen, todo = {}, { first[1] }
      while #todo > 0 do
        local at = table.remove(todo)
        for _, header in ipairs(seen[at] and {} or system[at]) do
          local message = system_include(file, header)
          if message and not (LUA[header] and feeds(file)) then
            report(file, first[2], ("%s, which %s includes"):format(message, at))
          end
        end
        for _, next in ipairs(seen[at] and {} or own[at]) do todo[#todo + 1] = next[1] end
        seen[at] = true
      end
    end
  end
end

-- Symbols of the library, as nm -D prints them: none of Lua wanted, none but robo_ given.
local function check_symbols(library, text, report)
  local count = 0
  for line in text:gmatch "[^\n]+" do
    local kind, symbol = line:match "^%x*%s*(%a) ([%w_.]+)"
    local weak = kind == "w" or kind == "v"
    if kind == "U" and symbol:match "^lua" then report(library, 0, "wants " .. symbol)
    elseif kind and kind ~= "U" and not weak then
      count = count + 1
      if not symbol:match "^robo_[^_]" then report(library, 0, "exports the private " .. symbol) end
    end
  end
  return count
end

-- The part of core/robot that a file belongs to; "" for the monitor itself, nil for files of other rooms.
local function robot_part(file) return part_of(file) or (file:match "^core/robot/" and "") end

-- The symbols that parts of core/robot have for each other. symbols: of each source file the output of nm -g for its
-- object. Returns how many each part has.
local function check_exports(symbols, report)
  local home, count, seen = {}, {}, {}
  for file, text in pairs(symbols) do
    for name in text:gmatch "%x+ [A-TV-Z] ([%w_]+)" do home[name] = file end
  end
  for file, text in pairs(symbols) do
    for name in text:gmatch "%f[%w]U ([%w_]+)" do
      local from, to = robot_part(file), home[name] and robot_part(home[name])
      if from and to and from ~= to then
        if not seen[name] then count[to] = (count[to] or 0) + 1 end
        seen[name] = true
        if RANK[from] and (RANK[to] or math.huge) > RANK[from] then
          report(file, 0, ("the part %s may not call %s"):format(from, name))
        end
      end
    end
  end
  for part, n in pairs(count) do
    local most = part == "" and math.huge or MOST
    if n > most then
      report("core/robot/" .. part, 0, ("has %d symbols for others, and may have %d"):format(n, most))
    end
  end
  return count
end

-- No two types of C are named one underscore apart: whoever reads robo_x and robo__x takes them for one.
local function check_names(texts, report)
  local seen = {}
  for file, text in pairs(texts) do
    for name in text:gmatch "%f[%w_]struct%s+(robo_[%w_]+)" do
      local bare = name:gsub("_+", "_")
      if seen[bare] and seen[bare] ~= name then
        report(file, 0, ("struct %s and struct %s are one underscore apart"):format(name, seen[bare]))
      end
      seen[bare] = seen[bare] or name
    end
  end
end

-- The checker is checked first: each of these must be caught, or let pass.
local function self_test()
  local tree = set [[core/robotalk.h core/robotalk/spec.h core/base/queue.h core/robot/robot.h core/robot/client.h
    core/robot/world/inside.h core/robot/world/world.h core/robot/devices/device.h
    core/robot/axes/axes.h core/robot/axes/motions.h
    core/net/loop.h protocols/wire.h
    drivers/sim/sim.h tests/faults/faults.h bindings/lua/helper.h]]
  local function exists(path) return tree[path] end
  local function expect(want, file, line)
    local got = 0
    check(file, "/* first */\n" .. line .. "\n", exists, function(_, n) got = n == 2 and got + 1 or -99 end)
    if got ~= want then error(("self-test: %s in %s: %d instead of %d"):format(line, file, got, want), 0) end
  end
  expect(1, "core/base/queue.c", '#include "wire.h"')
  expect(1, "core/base/queue.c", '#include "sim/sim.h"')
  expect(1, "core/base/queue.c", '#  include "../drivers/sim/sim.h" // no')
  expect(1, "core/base/queue.c", "#include <lua.h>")
  expect(1, "core/base/queue.c", "#include <lua5.4/lua.h>")
  expect(1, "core/base/queue.c", "#include <ev.h>")
  expect(1, "core/base/queue.c", "#include <sys/socket.h>")
  expect(1, "core/base/queue.c", "#include <jpeglib.h>")
  expect(1, "core/base/queue.c", "#include <zlib.h>")
  expect(1, "protocols/rcml/read.c", "#include <zlib.h>")
  expect(0, "core/base/gzip.c", "#include <zlib.h>")
  expect(1, "core/base/queue.c", "#include <gif_lib.h>")
  expect(0, "core/picture/gif.c", "#include <gif_lib.h>")
  expect(1, "core/base/queue.c", "#include HEADER")
  expect(1, "core/base/queue.c", '#include "nowhere.h"')
  expect(1, "protocols/rcml/rcml.c", '#include "sim/sim.h"')
  expect(1, "protocols/wire.c", "#include <sys/socket.h>")
  expect(1, "drivers/sim/sim.c", "#include <lauxlib.h>")
  expect(1, "drivers/sim/sim.c", '#include "helper.h"')
  expect(1, "tests/unit/queue_test.c", '#include "lua.h"')
  expect(1, "core/base/queue.c", '#include "faults.h"')
  expect(1, "tests/faults/run.c", '#include "helper.h"')
  expect(0, "tests/faults/program.c", '#include "helper.h"')
  expect(1, "bindings/lua/helper.c", '#include "faults.h"')
  expect(1, "bindings/lua/helper.c", '#include "base/queue.h"')
  expect(1, "bindings/lua/helper.h", '#include "wire.h"')
  expect(1, "bindings/prolog/helper.c", '#include "net/loop.h"')
  expect(0, "bindings/lua/helper.c", '#include "robotalk.h"')
  expect(0, "bindings/lua/helper.c", '#include "helper.h"')
  expect(1, "core/robotalk.h", '#include "base/queue.h"')
  expect(0, "core/robotalk.h", '#include "robotalk/spec.h"')
  expect(0, "core/base/queue.c", '#include "robotalk.h"')
  expect(0, "tests/faults/run.c", '#include "sim/sim.h"')
  expect(0, "core/net/loop.c", "#include <ev.h>")
  expect(1, "core/net/server.c", "#include <openssl/ssl.h>")
  expect(0, "core/net/tls.c", "#include <openssl/ssl.h>")
  expect(0, "core/picture/jpeg.c", "#include <jpeglib.h>")
  expect(0, "core/net/socket.c", "#include <sys/socket.h>")
  expect(0, "core/net/socket_unix.c", "#include <sys/un.h>")
  expect(0, "core/base/queue.c", '#include "queue.h"')
  expect(0, "core/net/loop.c", '#include "base/queue.h"')
  expect(1, "core/base/queue.c", '#include "net/loop.h"')
  expect(1, "core/robot/axes/lease.c", '#include "robot/robot.h"')
  expect(1, "core/robot/axes/lease.c", '#include "robot/world/inside.h"')
  expect(1, "core/robot/senses/camera.c", '#include "robot/robot.h"')
  expect(1, "core/robot/senses/camera.c", '#include "robot/client.h"')
  expect(1, "core/robot/senses/camera.c", '#include "robot/world/inside.h"')
  expect(0, "core/robot/devices/device.c", '#include "robot/world/world.h"')
  expect(1, "core/robot/axes/lease.c", '#include "robot/devices/device.h"')
  expect(1, "core/robot/turn.c", '#include "axes/motions.h"')
  expect(0, "core/robot/turn.c", '#include "axes/axes.h"')
  expect(0, "core/robot/axes/motion.c", '#include "motions.h"')
  expect(0, "core/robot/turn.c", '#include "robot.h"')
  expect(1, "core/net/seat.c", '#include "robot/robot.h"')
  expect(1, "core/robot/client.h", '#include "robot.h"')
  expect(0, "core/net/seat.c", '#include "robot/client.h"')
  expect(1, "core/robot/robot.c", "#include <sys/socket.h>")
  expect(0, "core/base/queue.c", "#include <pthread.h>")
  expect(0, "protocols/rcml/rcml.c", '#include "base/queue.h"')
  expect(0, "drivers/sim/sim.c", '#include "sim.h"')
  expect(0, "bindings/lua/client.c", "#include <lauxlib.h>")
  assert(is_stray "core/foo/x.c", "self-test: rooms")
  assert(not is_stray "core/net/x.c" and not is_stray "core/robotalk/x.h", "self-test: rooms")
  local reached = {}
  check_reach({ ["protocols/x/x.c"] = '#include "robot/a.h"\n', ["core/robot/a.h"] = '#include "b.h"\n',
    ["core/robot/b.h"] = "#include <ev.h>\n", ["core/net/loop.c"] = '#include "robot/a.h"\n' },
    function(file, n) reached[#reached + 1] = file .. n end)
  table.sort(reached)
  assert(table.concat(reached, " ") == "core/robot/a.h1 protocols/x/x.c1", "self-test: reach")
  local got = {}
  local count = check_symbols("so", "  U lua_next\n  U malloc@GLIBC_2.2.5\n  w __gmon_start__\n" ..
    "001c T robo_open\n0020 T robo__hidden\n0030 T luaL_x\n", function(_, _, m) got[#got + 1] = m end)
  assert(count == 3 and #got == 3 and got[1] == "wants lua_next", "self-test: symbols")
  got = {}
  check_bindings({ ["bindings/lua/a.c"] = "ok robo_open\n robo__open();\n", ["drivers/a.c"] = "robo__open();\n" },
    function(file, n) got[#got + 1] = file .. n end)
  assert(table.concat(got, " ") == "bindings/lua/a.c2", "self-test: bindings")
  got = {}
  check_names({ a = "struct robo_x { struct robo__y *y; };", b = "struct robo__x;" },
    function(_, _, m) got[#got + 1] = m end)
  assert(#got == 1, "self-test: names")
  got = {}
  local exports = { ["core/base/q.c"] = "00 T robo__q\n" }
  exports["core/robot/axes/a.c"] = " U robo__b\n U robo__q\n0001 T robo__a\n"
  exports["core/robot/timeline/b.c"] = " U robo__a\n0002 T robo__b\n0003 T robo__c\n"
  for i = 1, MOST do
    exports["core/robot/senses/w.c"] = (exports["core/robot/senses/w.c"] or "") .. ("%04x T robo__w%d\n"):format(i, i)
    exports["core/robot/s.c"] = (exports["core/robot/s.c"] or "") .. (" U robo__w%d\n"):format(i)
  end
  got = {}
  check_exports(exports, function(file) got[#got + 1] = file end)
  assert(table.concat(got, " ") == "core/robot/axes/a.c", "self-test: exports")
  exports["core/robot/senses/w.c"] = exports["core/robot/senses/w.c"] .. "0010 D robo__more\n"
  exports["core/robot/s.c"] = exports["core/robot/s.c"] .. " U robo__more\n"
  local count_of = check_exports(exports, function(file) got[#got + 1] = file end)
  assert(#got == 3 and count_of.axes == 1 and count_of.senses == MOST + 1, "self-test: exports")
  got = {}
  local parts = check_parts({ ["core/robotalk.h"] = '#include "a.h"\n#include "b.h"\n',
    ["core/a.h"] = '#include "b.h"\n#include "robotalk.h"\n', ["core/b.h"] = '#include <stdint.h>\n#include "a.h"\n' },
    function(file, n) got[#got + 1] = file .. n end)
  assert(parts == 2 and table.concat(got, " ") == "core/a.h1 core/a.h2", "self-test: parts")
end

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  if not pipe:close() then error("failed: " .. command, 0) end
  return text
end

LUA["lua5.4/lua.h"], LUA["lua5.4/lauxlib.h"], LUA["lua5.4/lualib.h"] = true, true, true
self_test()

local bad, files, present = 0, 0, {}
local function report(file, line, message)
  bad = bad + 1
  print(line > 0 and ("%s:%d: %s"):format(file, line, message) or ("%s: %s"):format(file, message))
end
local library, made, objects = arg[1], arg[2] .. "/", arg[3]
local list = lines_of(("find core protocols drivers bindings tests -type f -name '*.[ch]'; cd '%s' && find * -type f")
  :format(made))
for path in list:gmatch "[^\n]+" do present[path] = true end
if not present["core/robotalk/spec.h"] then error(made .. " has no core/robotalk/spec.h", 0) end
local texts = {}
for path in list:gmatch "[^\n]+" do
  files = files + 1
  local f <close> = assert(io.open(path, "rb") or io.open(made .. path, "rb"))
  texts[path] = f:read "a"
  check(path, texts[path], function(name) return present[name] end, report)
  if is_stray(path) then report(path, 0, "core has no such room") end
end
check_reach(texts, report)
check_bindings(texts, report)
check_names(texts, report)
if files == 0 then error("no sources here; run it at the top of the tree", 0) end
check_parts(texts, report)

local of_object, there = {}, {}
for object in lines_of(("find '%s/core' -name '*.o'"):format(objects)):gmatch "[^\n]+" do
  local path = object:sub(#objects + 2, -3)
  if texts[path] then there[#there + 1] = ("'%s'"):format(object) end
  of_object[path] = texts[path] and ""
end
for line in lines_of("nm -gA " .. table.concat(there, " ")):gmatch "[^\n]+" do
  local object, rest = line:match "^(.-%.o):(.*)"
  local path = object:sub(#objects + 2, -3)
  of_object[path] = of_object[path] .. rest .. "\n"
end
for path in pairs(texts) do
  if robot_part(path) and path:match "%.c$" and not of_object[path] then report(path, 0, "has no object") end
end
check_exports(of_object, report)

local symbols = check_symbols(library, lines_of(("nm -D '%s'"):format(library)), report)
if symbols == 0 then report(library, 0, "exports nothing") end
if bad > 0 then print(bad .. " violations"); os.exit(1) end
print(("%d files and %d public symbols keep to their layers"):format(files, symbols))
