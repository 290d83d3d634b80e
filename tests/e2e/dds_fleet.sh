#!/bin/bash
# A fleet: two servers in a domain of DDS, an operator that knows their robots, panics and resets them, and one that stands by for the lease of another,
# which is killed; a server is killed.
. "${BASH_SOURCE%/*}/lib.sh"
domain=$(($$ % 200 + 20)) long=${ROBOTALK_PATIENCE:-300}
cd "$work"
for name in one two other third; do
    sed "s/name = \"pioneer2\"/name = \"$name\"/; s/deadman = 0.5/deadman = $long/" "$here/scripts/robots/pioneer2.lua" >"$name.lua"
    grep -q "name = \"$name\"" "$name.lua"
done
"$ROBOTALK" serve one.lua two.lua --listen "dds://$domain/site" 2>first &
first=$!
"$ROBOTALK" serve other.lua --listen "dds://$domain/site" 2>second &
second=$!
"$ROBOTALK" serve third.lua --listen "dds://$domain/elsewhere" 2>elsewhere &
cat >operator.lua <<'LUA'
local rt = require "robotalk"
local long = tonumber(arg[2])
local fleet <close> = assert(rt.fleet(arg[1], { name = "operator" }))
local function names(select)
  local list = {}
  for i, e in ipairs(fleet:robots(select)) do list[i] = e.name end
  return table.concat(list, " ")
end
local function eventually(fn)
  local late = rt.now() + long
  repeat
    if fn() then return end
    rt.sleep(0.05)
  until rt.now() > late
  error("never so", 2)
end
fleet:on_join(function(e) print("joined", e.name) end)
fleet:on_leave(function(e) print("left", e.name, e.gone) end)
assert(fleet:await(3, long))
print(names(), names { name = "o*" }, names { name = { "two", "third" } })
assert(fleet:connect "one"):close()
eventually(function() return names { near = { 0, 0, 1 } } == "one other two" and names { near = { 9, 0, 1 } } == "" end)

-- a panic of one, and of all; robots that come later meet it, too
print("panic", fleet:panic({ name = "two" }, long))
local two <close> = assert(fleet:connect "two")
local one <close> = assert(fleet:connect "one")
print(two:set_joint("head", { pan = 0.1 }))
print(one:set_joint("head", { pan = 0.1 }))
print("panic", fleet:panic(nil, long))
print(one:set_joint("head", { pan = 0.2 }))
print("reset", fleet:reset())
print((one:set_joint("head", { pan = 0.2 })))
eventually(function() return names { panic = true } == "" end)

-- the operator that drives is killed: the one that stands by has the lease
one:close()
local driver = io.popen(("'%s' run drives.lua '%s' %d 2>&1"):format(os.getenv "ROBOTALK", arg[1], long))
local pid = driver:read "l"
eventually(function()
  local e = fleet:robots { name = "one" }[1]
  return e.leases[1] ~= nil
end)
os.execute("kill -KILL " .. pid)
local taken <close> = assert(fleet:stand_by("one", { strength = 7, timeout = long }))
print("stood by", (taken:set_joint("head", { pan = 0.3 })))

-- a server that is killed is gone, and one that ends
print "now"
eventually(function() return names() == "one two" end)
print "now"
eventually(function() return names() == "" end)
print "all gone"
LUA
cat >drives.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1] .. "/one")
print(io.open "/proc/self/stat":read "n")
io.flush()
while true do robot:set_joint("head", { pan = 0.1 }) rt.sleep(0.05) end
LUA
export ROBOTALK

# the whole fleet at the terminal's door: as a table, as JSON; and one of it
eventually bash -c '"$ROBOTALK" watch "dds://$1/site" --once --json >out && [ "$(grep -c "\"robot\":\"\(one\|two\|other\)\"" out)" = 3 ]' watch "$domain"
"$ROBOTALK" watch "dds://$domain/site" --once --top >out
says '^two  *stands '
"$ROBOTALK" watch "dds://$domain/elsewhere/third" --once --json >out
says '"robot":"third"'
"$ROBOTALK" run operator.lua "dds://$domain/site" "$long" >out 2>said &
operator=$!
waits() { [ "$(grep -c now out)" = "$1" ]; }
eventually waits 1
kill -KILL "$second"
eventually waits 2
kill -TERM "$first"
ends_with 143 "$first"
ends_with 0 "$operator"
# a busy machine is silent at times
grep -v "joined\|left	\(one\|two\)	its server has been silent" out >told
cat >expected <<'TEXT'
one other two	one other	two
panic	true	1
PANIC	the robot is in panic until someone resets it	never began
SUCCESS	nil	took N s
panic	true	3
PANIC	the robot is in panic until someone resets it	never began
reset	true
SUCCESS
stood by	SUCCESS
now
left	other	its server has been silent for 0.8 s
now
left	two	it was removed
left	one	it was removed
all gone
TEXT
sed "s/took [0-9.]* m\?s/took N s/" told | sort -u >got
sort -u expected | cmp - got || { cat told; false; }
