-- The public headers are read as they are by LuaJIT, and what they declare is in the library.
local ffi = require "ffi"

local made = os.getenv "ROBOTALK_MADE" -- robotalk/spec.h is there
local headers = dofile "spec/headers.lua" (function(path)
  return assert(io.open(path) or io.open(made .. "/" .. path)):read "*a"
end)

local public = headers.whole "core/robotalk.h"
assert(public[1].path == "core/robotalk/api.h" and public[2].path == "core/robotalk/spec.h")
assert(public[#public].path == "core/robotalk.h")
for _, header in ipairs(headers.others) do headers.whole(("core/robotalk/%s.h"):format(header), public) end
ffi.cdef(headers.cdef(public))
local robo = ffi.load(assert(os.getenv "ROBOTALK_LIBRARY"))

assert(robo.robo_api_version() == robo.ROBO_API_VERSION)
local options = ffi.new("struct robo_options", { size = ffi.sizeof "struct robo_options", virtual_clock = 1, seed = 1 })
local world = robo.robo_open(options)
assert(world ~= nil)
assert(robo.robo_now(world) == 1000000000LL, "a simulated world begins at one second")
assert(robo.robo_advance(world, 5000000000LL) == 0)
assert(robo.robo_now(world) == 5000000000LL)
local err = ffi.new("int[1]")
local why = ffi.new("char[256]")
assert(robo.robo_connect(world, "http://x", 1000000000LL, err, why) == nil)
assert(err[0] == robo.ROBO_EURL and ffi.string(why):find("robotalk://"))
assert(ffi.string(robo.robo_signal_name(robo.ROBO_MODIFIED)) == "modified")
local none = ffi.gc(robo.robo_find(world, "nobody"), robo.robo_release) -- as robotalk.h shows it
assert(none == nil)
robo.robo_close(world)
-- a generic tool: what a query's reply is, from the library itself
local reply = robo.robo_operation_named(robo.robo_queries(), "state").reply
assert(ffi.string(reply.name) == "robo_reply_state" and reply.size == ffi.sizeof "struct robo_reply_state")
assert(ffi.string(reply.fields[0].name) == "time" and reply.fields[0].kind == robo.ROBO_FIELD_TIME)
print("1 passed, 0 failed")

-- a scene is read, by its tree, and written
local file = "#VRML V2.0 utf8\nDEF BALL Shape { geometry Sphere { radius 0.25 } }"
local scene = ffi.gc(robo.robo_scene_read(file, #file, err), robo.robo_scene_close)
assert(scene ~= nil and robo.robo_scene_errors(scene) == 0)
local whole = robo.robo_scene_whole(scene)
assert(whole.nodes == 1 and ffi.string(whole.node[0].name) == "BALL")
local sphere = robo.robo_scene_get(whole.node[0], "geometry").node[0]
assert(sphere.line == 2 and robo.robo_scene_get(sphere, "radius").number[0] == 0.25)
assert(ffi.string(robo.robo_scene_text(scene, nil, err)):find("DEF BALL Shape {", 1, true))
