#!/bin/bash
# robotalk serve --gti-camera: queries of balls by the Golog-Tekkotsu interface are answered by what a camera shows.
. "${BASH_SOURCE%/*}/lib.sh"
cd "$work"
mkdir photos
cat >draw.lua <<'LUA'
local rt = require "robotalk"
local rows = {}
for y = 0, 79 do -- a pink disc of radius 10, 40 pixels right of the left edge and 20 below the top, of 160 by 80
  for x = 0, 159 do
    rows[#rows + 1] = (x - 39.5) ^ 2 + (y - 19.5) ^ 2 <= 100 and "\230\40\130" or "\50\120\60"
  end
end
local file = assert(io.open("photos/1.jpg", "wb"))
file:write((rt.picture { bytes = table.concat(rows), width = 160, height = 80 }:jpeg(95)))
file:close()
LUA
"$ROBOTALK" run draw.lua
cat >dog.lua <<'LUA'
return {
  name = "dog", base = {}, links = { [0] = { name = "hull" } }, drivers = { photos = { driver = "folder", folder = "photos" } },
  cameras = { { name = "tail", link = "hull" }, { name = "eye", link = "hull", driver = "photos" } },
}
LUA
fails 1 "$ROBOTALK" serve dog.lua --listen gti+unix:gti --gti-camera nose
says "gti-camera: robot dog has no camera nose; it has tail, eye"
fails 1 "$ROBOTALK" serve dog.lua --listen gti+unix:gti --gti-camera eye --ball 1,0
says "gti-camera: its pictures do not show the balls of --ball: want one of them"
"$ROBOTALK" serve dog.lua --listen gti+unix:gti --gti-camera eye 2>log &
eventually says "Golog-Tekkotsu interface" log
cat >ask.lua <<'LUA'
local gti = require "robotalk.gti"
local dog <close> = assert(gti.connect "gti+unix:gti")
local visible, x, y, area = dog:query_ball "pink"
assert(visible, "it is not seen")
-- generalised: x = 40 / 80 - 1, y = (20 - 40) / 80, area = pi 10^2 * 4 / 160^2
assert(math.abs(x + 0.5) < 2 / 160 and math.abs(y + 0.25) < 2 / 160, x .. " " .. y)
assert(math.abs(area - 0.0491) < 0.005, area)
assert(dog:query_ball "orange" == false)
print "seen"
LUA
"$ROBOTALK" run ask.lua | grep -qx seen
