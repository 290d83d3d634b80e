#!/bin/bash
# A domain of DDS with certificates: an operator and a driver connect as what they are; a watcher sees, panics, and cannot drive; participants without
# certificates, or of another site, are not there to it, nor it to them; folders that are refused.
. "${BASH_SOURCE%/*}/lib.sh"
domain=$(($$ % 200 + 20)) long=${ROBOTALK_PATIENCE:-300} # the plug-ins know 0 to 230
cd "$work"
fails 1 "$ROBOTALK" keys dds base server hall
says "robotalk keys dds site hall"
"$ROBOTALK" keys dds site hall
"$ROBOTALK" keys dds site yard
for one in base.server anna.operate dave.drive willi.watch; do "$ROBOTALK" keys dds "${one%.*}" "${one#*.}" hall; done
"$ROBOTALK" keys dds eve operate yard
"$ROBOTALK" keys dds old operate hall --days 1 --out elsewhere
[ -f elsewhere/old/permissions.p7s ]
fails 1 "$ROBOTALK" keys dds site hall
says "there is such a file already"
fails 1 "$ROBOTALK" keys dds anna drive hall
says "key.pem: there is such a file already"
fails 1 "$ROBOTALK" keys dds bob drives hall
says "server, operate, drive or watch"
for file in hall/*.key hall/*/key.pem; do [ "$(stat -c %a "$file")" = 600 ]; done

# the documents are what others make of such files
openssl smime -verify -in hall/anna/permissions.p7s -CAfile hall/permissions_ca.pem -text -out anna.xml 2>verified
says "^<subject_name>CN=anna</subject_name>" anna.xml
fails 4 openssl smime -verify -in hall/anna/permissions.p7s -CAfile hall/identity_ca.pem -out anna.xml
openssl verify -CAfile hall/identity_ca.pem hall/anna/cert.pem >verified
if openssl verify -CAfile hall/permissions_ca.pem hall/anna/cert.pem 2>verified; then false; fi

serve() { # FOLDER
    "$ROBOTALK" serve pioneer2.lua --listen "dds://$domain/site?security=$1" 2>server &
    server=$!
}
sed "s/deadman = 0.5/deadman = $long/" "$here/scripts/robots/pioneer2.lua" >pioneer2.lua

# folders that CycloneDDS is not asked about, and others that it refuses
refused() { # TEXT
    fails 1 timeout "$long" "$ROBOTALK" serve pioneer2.lua --listen "dds://$domain/site?security=bad"
    says "$1"
    rm -rf bad
    cp -a hall/base bad
}
refused "bad/identity_ca.pem: No such file"
for file in cert.pem key.pem permissions_ca.pem governance.p7s permissions.p7s; do
    rm "bad/$file"
    refused "bad/$file: No such file"
done
chmod 640 bad/key.pem
refused "bad/key.pem: expected a file that only its owner may read (chmod 600)"
chmod 666 bad/governance.p7s
refused "bad/governance.p7s: expected a file that not everybody may write"
cp yard/eve/permissions.p7s bad
refused "error: bad: Error occurred while validating local permissions"
sed -i 's/CN=base/CN=willi/' bad/permissions.p7s
refused "error: bad: Error occurred while validating local permissions"
cp hall/willi/permissions.p7s bad
refused "error: bad: Error occurred while validating local permissions"

serve hall/base
eventually says "listening at dds://$domain/site" server

cat >drive.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = assert(rt.try_connect(arg[1], { timeout = tonumber(arg[2]), expiry = false }))
print("drives", (robot:set_speed { x = 0.1 }))
print("panic", (robot:panic()))
print("reset", robot:reset())
LUA
drive() { "$ROBOTALK" run drive.lua "dds://$domain/site/pioneer2?security=$1" "$long"; }
drive hall/anna >out
says "drives.SUCCESS"
says "reset.true"
drive hall/dave >out
says "drives.SUCCESS"
says "reset.nil.the role of this connection does not allow a reset"
fails 1 drive hall/willi
says "the permissions of hall/willi allow no connection: they are those of a watcher"
fails 1 drive hall/base
says "those of a server"
drive hall/anna >out # the panic was dave's

# a watcher sees, panics, and may write nothing else
cat >watch.lua <<'LUA'
local rt = require "robotalk"
local core = require "robotalk.core"
local fleet <close> = assert(rt.fleet(arg[1]))
local function eventually(fn)
  local late = rt.now() + tonumber(arg[2])
  while not fn() do
    assert(rt.now() < late, "never so")
    rt.sleep(0.05)
  end
end
assert(fleet:await(1, tonumber(arg[2])))
local e = fleet:robots()[1]
eventually(function() return e.state end)
print("sees", e.name, e.state.panic, fleet:connect "pioneer2")
for _, topic in ipairs { { "robotalk/up", "drive/x" }, { "robotalk/up", "*" }, { "robotalk/standbys" }, { "robotalk/states" },
  { "rt/cmd_vel" }, { "rq/reset_Request" }, { "robotalk/robots" } } do
  print(topic[1], select(2, core.dds(arg[1], { name = topic[1], type = "x", partition = topic[2], write = true, keyed = true })))
end
print("panic", fleet:panic(nil, tonumber(arg[2])))
print("sees", e.state.panic, fleet:reset())
LUA
"$ROBOTALK" run watch.lua "dds://$domain/site?security=hall/willi" "$long" >out 2>said
says "^sees.pioneer2.false.nil.the permissions of hall/willi allow no connection"
[ "$(grep -c "^r.*the permissions of this participant do not allow it" out)" = 7 ]
says "^panic.true.1"
says "^sees.true.nil"
lacks . said # CycloneDDS writes nothing by itself
drive hall/anna >out
says "drives.PANIC"

# a driver may not speak as an operator, nor in the channel of one
cat >speak.lua <<'LUA'
local core = require "robotalk.core"
for _, topic in ipairs { { "robotalk/up", "operate/x" }, { "robotalk/up", "*" }, { "rq/pioneer2/resetRequest" }, { "robotalk/down" } } do
  print(topic[1], select(2, core.dds(arg[1], { name = topic[1], type = "x", partition = topic[2], write = true, keyed = true })))
end
assert(core.dds(arg[1], { name = "rq/pioneer2/panicRequest", type = "x", write = true }))
LUA
"$ROBOTALK" run speak.lua "dds://$domain/site?security=hall/dave" >out
[ "$(grep -c "the permissions of this participant do not allow it" out)" = 4 ]

# others are not matched: within 3 s they see nothing, though the server runs
cat >strange.lua <<'LUA'
local rt = require "robotalk"
local fleet <close> = assert(rt.fleet(arg[1]))
print("sees", fleet:await(1, 3))
print(rt.try_connect(arg[1]:gsub("%?", "/pioneer2?"), { timeout = 3 }))
LUA
for options in "" "security=yard/eve"; do
    "$ROBOTALK" run strange.lua "dds://$domain/site?$options" >out
    says "^sees.nil"
    says "^nil.no"
done
eventually says "warning: CycloneDDS: .*Certificate not valid.*CN=eve" server
lacks "^[^2]" server # lines begin with their time: CycloneDDS writes none by itself
drive hall/anna >out
says "drives.SUCCESS"
end_server

# tokens lower it further, inside the encrypted channel
"$ROBOTALK" keys token anna drive --list allow.txt
"$ROBOTALK" keys token dave operate --list allow.txt
serve "hall/base&allow=allow.txt"
eventually says "listening at dds://$domain/site" server
for _ in 1 2 3; do
    fails 1 drive hall/anna
    says "it wants a token" # the last bytes of a connection arrive
done
drive "hall/anna&token=anna.token" >out
says "reset.nil.the role of this connection does not allow a reset"
drive "hall/dave&token=dave.token" >out
says "reset.nil.the role of this connection does not allow a reset"
drive "hall/anna&token=dave.token" >out
says "reset.true"
end_server
