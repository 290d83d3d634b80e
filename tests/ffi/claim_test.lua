-- A driver in LuaJIT: it asks what there is to do, and nothing calls back into Lua.
local ffi = require "ffi"

local made = os.getenv "ROBOTALK_MADE" -- robotalk/spec.h is there
local headers = dofile "spec/headers.lua" (function(path)
  return assert(io.open(path) or io.open(made .. "/" .. path)):read "*a"
end)

local public = headers.whole "core/robotalk.h"
for _, name in ipairs { "description", "claim" } do headers.whole(("core/robotalk/%s.h"):format(name), public) end
ffi.cdef(headers.cdef(public))
local robo = ffi.load(assert(os.getenv "ROBOTALK_LIBRARY"))
local SECOND = 1000000000LL
local AT_ONCE = -0x7fffffffffffffffLL - 1

local options = ffi.new("struct robo_options", { size = ffi.sizeof "struct robo_options", virtual_clock = 1 })
local world = robo.robo_open(options)

-- a driver of that name, and a cart that it drives
local name = "mine"
local driver = ffi.new("robo_driver", robo.robo_claim_driver()[0])
driver.name = name
assert(robo.robo_add_driver(world, driver) == 0)
local root = ffi.new "struct robo_joint"
root.parent = robo.ROBO_WORLD
local cart = ffi.new("struct robo_description", { name = "cart", devices = 1, joints = 1, joint = root })
cart.commands = -1LL
cart.device[0].driver, cart.device[0].base = name, 1
local found = ffi.new "robo_robot *[1]"
assert(robo.robo_add(world, cart, found) == 0)
local robot = ffi.gc(found[0], robo.robo_release)

-- the device is claimed; whose it is
local claim = ffi.gc(robo.robo_claim_open(world, name, nil, nil, nil), robo.robo_claim_release)
assert(claim ~= nil)
assert(robo.robo_claim_open(world, name, nil, nil, nil) == nil)
local device = robo.robo_claim_device(claim)
assert(ffi.string(robo.robo_device_description(device).name) == "cart")

-- a command is taken, reported and answered
local client = robo.robo_connect(world, "local:", SECOND, nil, nil)
local session = robo.robo_session(client, nil, SECOND)
local cmd = ffi.new("struct robo_cmd[1]")
cmd[0].op, cmd[0].start, cmd[0].body.go_to.x = robo.ROBO_GO_TO, AT_ONCE, 3
local id = robo.robo_send(client, session, cmd, 1)
local job = ffi.new "struct robo_job"
local turns = 0
while robo.robo_claim_next(claim, job) == 0 do
  robo.robo_poll(client, 1000000)
  turns = turns + 1
  assert(turns < 1000, "no command has come")
end
assert(job.kind == robo.ROBO_JOB_START and job.cmd.op == robo.ROBO_GO_TO and job.base == 1)
assert(robo.robo_claim_begin(claim, job.number) == 1)
local pose = ffi.new("double[3]", job.cmd.body.go_to.x)
local report = ffi.new("struct robo_report", { size = ffi.sizeof "struct robo_report" })
report.pose.value, report.pose.count = pose, 3
assert(robo.robo_claim_report(claim, report) == 0)
assert(robo.robo_claim_done(claim, job.number, robo.ROBO_SUCCESS, robo.ROBO_WHY_NONE) == 0)
assert(robo.robo_claim_end(claim, job.number) == 0)
local result = ffi.new "struct robo_result"
assert(robo.robo_wait(client, id, SECOND) == 0 and robo.robo_take(client, id, result, ffi.sizeof(result)) == 1)
assert(result.signal == robo.ROBO_SUCCESS)
local state = ffi.new "struct robo_state"
robo.robo_read(robot, state, ffi.sizeof(state))
assert(state.pose[0] == 3)

-- a panic is heard
robo.robo_panic(robot)
assert(robo.robo_claim_next(claim, job) == 1)
assert(job.kind == robo.ROBO_JOB_HALT and job.why == robo.ROBO_HALT_PANIC)
assert(robo.robo_claim_heard(claim, job.number) == 0)
assert(robo.robo_claim_state(claim) == 0)

-- and so is the end
robo.robo_disconnect(client)
robo.robo_close(world)
assert(robo.robo_claim_next(claim, job) == robo.ROBO_ECLOSED)
print("1 passed, 0 failed")
