#!/bin/bash
# Twenty scripts of a server, which connect, compute, take memory, wait and fail, while clients end, start and replace them.
# Under the thread sanitizer this looks for what they share and must not.
. "${BASH_SOURCE%/*}/lib.sh"

cat >"$work/one.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect()
local does = {
  function() while true do robot:set_joint("head", { pan = math.random() }) rt.sleep(0.01) end end,
  function() while true do os.time() end end, -- a call now and then, in which a sanitizer lets signals pass
  function()
    local t = {}
    while true do t[#t + 1] = os.date() end
  end,
  function()
    local tape <close> = robot:session { mode = "playback", duration = 1 }
    for i = 0, 20 do tape:frame(i * 0.05, { head = { tilt = i / 100 } }) end
    print(tape:finish())
  end,
  function() while true do robot:state() rt.scripts():list() robot:stop() end end,
  function() robot:panic() robot:reset() error "oh" end,
  function() robot:reload "pioneer2" rt.model "puma560" rt.connect "nao" end,
  function() robot:broadcast(0.002, print) rt.sleep(0.3) os.exit(1) end,
}
does[tonumber(arg[1])]()
LUA
{
    printf 'return { listen = { "unix:%s" }, scripts = {\n' "$work/socket.s"
    for ((i = 0; i < 20; i++)); do
        printf '{ file = "one.lua", name = "s%d", args = { "%d" }, restart = "always", seconds = 0.3, memory = 24 },\n' $i $((i % 8 + 1))
    done
    echo '} }'
} >"$work/config.lua"
cat >"$work/meddle.lua" <<'LUA'
local rt = require "robotalk"
local scripts = rt.scripts(arg[1])
while #assert(scripts:list()) < 20 do rt.sleep(0.05) end
local words, done = { "start", "stop", "reload" }, { ETIMEOUT = 0, EEXISTS = 0, EINVAL = 0, [true] = 0 }
for client = 1, 4 do
  rt.spawn(function()
    for _ = 1, 25 do
      local word, name = words[math.random(3)], "s" .. math.random(0, 19)
      local ok, why, code = scripts[word](scripts, name)
      done[ok or code] = assert(done[ok or code], why) + 1
    end
  end)
end
rt.run()
assert(#scripts:list() == 20)
assert(done[true] + done.EINVAL > 20) -- those that fail at once are told of
print("done", done[true], done.EINVAL)
LUA
"$ROBOTALK" serve "$work/config.lua" >"$work/out" 2>&1 &
server=$!
eventually test -S "$work/socket.s"
"$ROBOTALK" run "$work/meddle.lua" "unix:$work/socket.s" >"$work/heard" 2>&1
says '^done' heard
"$ROBOTALK" ping "unix:$work/socket.s" >"$work/heard"
end_server
